/* agent_act.c - acting calls as decisions for the sequencer: one at a time, each stamped with what the agent knows when it is
 * sent, as the robot stands while the agent thinks. What comes of them is told by `result`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/agent/agent_private.h"
#include "common/base/geom.h"

#define RESULT_LOST_S 20.0 /* the sequencer drives nothing, and has told no end: it was started again, say */
#define LOOK_TURNS 4
#define THERE_M 0.2 /* of a place to look from: turning is enough */

static struct cairn_msg_decision *add(struct cairn_agent *a, enum cairn_tool tool)
{
	struct cairn_msg_decision *d = &a->act.queue[a->act.count++];
	*d = (struct cairn_msg_decision){.source = CAIRN_SOURCE_AGENT, .tool = tool};
	snprintf(d->reasoning, sizeof(d->reasoning), "%s", a->call.head.reasoning);
	return d;
}

static void add_point(struct cairn_agent *a, double x_m, double y_m)
{
	struct cairn_msg_decision *d = add(a, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d->goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	d->x_m = x_m;
	d->y_m = y_m;
}

static bool go_to(struct cairn_agent *a, const struct cairn_agent_call *call, struct cairn_error *why)
{
	struct cairn_pose2 at;
	bool face = false;
	if (call->has_x && call->has_y) {
		add_point(a, call->x_m, call->y_m);
		snprintf(a->act.what, sizeof(a->act.what), "go_to (%.1f, %.1f)", call->x_m, call->y_m);
		return true;
	}
	if (!call->has_name) {
		cairn_error_set(why, "go_to needs a name, or x_m and y_m");
		return false;
	}
	const struct cairn_msg_scene_node *n = cairn_agent_node(&a->world, call->name);
	if (n == NULL) {
		cairn_error_set(why,
		    "nothing known is called '%.40s': find_objects and find_rooms tell what is", call->name);
		return false;
	}
	if (!cairn_agent_stand(&a->world, n, &at, &face, why))
		return false;
	add_point(a, at.x_m, at.y_m);
	if (face) {
		struct cairn_msg_decision *d = add(a, CAIRN_TOOL_ROTATE);
		d->absolute = true;
		d->angle_deg = cairn_agent_heading_deg(at.yaw_rad);
	}
	snprintf(a->act.what, sizeof(a->act.what), "go_to %s", n->id);
	return true;
}

/* Through an opening of the map, or to where floor is looked at that no picture has shown. */
static void add_opening(struct cairn_agent *a, const struct cairn_agent_opening *o)
{
	a->tour.now = *o;
	a->act.opening = &a->tour.now;
	if (o->unseen) {
		if (hypot(o->floor.stand.x_m - a->world.robot.x_m, o->floor.stand.y_m - a->world.robot.y_m) >
		    THERE_M)
			add_point(a, o->floor.stand.x_m, o->floor.stand.y_m);
		struct cairn_msg_decision *face = add(a, CAIRN_TOOL_ROTATE);
		face->absolute = true;
		face->angle_deg = cairn_agent_heading_deg(
		    cairn_wrap_rad(o->floor.stand.yaw_rad - a->all->robot.camera_yaw_rad));
	} else {
		struct cairn_msg_decision *d = add(a, CAIRN_TOOL_NAVIGATE_TO_GOAL);
		d->goal_kind = CAIRN_GOAL_KIND_FRONTIER;
		d->frontier_id = o->frontier_id;
	}
	snprintf(a->act.what, sizeof(a->act.what), "explore %s at (%.1f, %.1f)",
	    o->unseen ? "the floor" : "the opening", o->x_m, o->y_m);
}

static bool explore(struct cairn_agent *a, const struct cairn_agent_call *call, struct cairn_error *why)
{
	const struct cairn_agent_opening *o = cairn_agent_opening_by(&a->world, call->letter);
	if (o == NULL)
		cairn_error_set(why, "there is no opening '%.4s': %u have letters now", call->letter,
		    a->world.opening_count);
	else
		add_opening(a, o);
	return o != NULL;
}

static void turn(struct cairn_agent *a, double angle_deg, int times)
{
	for (int i = 0; i < times; i++)
		add(a, CAIRN_TOOL_ROTATE)->angle_deg = angle_deg;
}

/* Sends the next decision of the row. */
static void send(struct cairn_agent *a, int64_t now_ns)
{
	struct cairn_msg_decision *d = &a->act.queue[a->act.at];
	uint64_t by_clock = (uint64_t)(now_ns / 1000); /* rises over a restart, too */
	a->decision_id = by_clock > a->decision_id ? by_clock : a->decision_id + 1;
	d->id = a->decision_id;
	d->t_snapshot_ns = now_ns;
	d->snapshot_x_m = a->world.robot.x_m;
	d->snapshot_y_m = a->world.robot.y_m;
	d->snapshot_yaw_rad = a->world.robot.yaw_rad;
	a->act.decision_id = d->id;
	a->act.since_ns = now_ns;
	a->act.publish = true;
}

static void begin(struct cairn_agent *a)
{
	a->act = (struct agent_act){.ok = true, .gained_before = cairn_agent_gained(&a->world)};
}

bool agent_begin_opening(struct cairn_agent *a, const struct cairn_agent_opening *o, int64_t now_ns)
{
	if (!a->world.has_pose)
		return false;
	begin(a);
	add_opening(a, o);
	a->phase = AGENT_PHASE_ACTING;
	send(a, now_ns);
	return true;
}

bool agent_begin_round(struct cairn_agent *a, int64_t now_ns)
{
	if (!a->world.has_pose)
		return false;
	begin(a);
	turn(a, 90.0, LOOK_TURNS);
	snprintf(a->act.what, sizeof(a->act.what), "look round");
	a->phase = AGENT_PHASE_ACTING;
	send(a, now_ns);
	return true;
}

void agent_send_way(struct cairn_agent *a, struct cairn_pose2 to, bool turns, int64_t now_ns)
{
	begin(a);
	if (turns) {
		struct cairn_msg_decision *d = add(a, CAIRN_TOOL_ROTATE);
		d->absolute = true;
		d->angle_deg = cairn_agent_heading_deg(to.yaw_rad);
	} else {
		add_point(a, to.x_m, to.y_m);
	}
	snprintf(a->act.what, sizeof(a->act.what), "%s", turns ? "turn to it" : "go there");
	send(a, now_ns);
}

bool agent_begin_act(
    struct cairn_agent *a, const struct cairn_agent_call *call, int64_t now_ns, struct cairn_error *why)
{
	bool ok = true;
	begin(a);
	switch ((enum cairn_agent_tool)call->head.tool) {
	case CAIRN_AGENT_GO_TO:
		ok = go_to(a, call, why);
		break;
	case CAIRN_AGENT_EXPLORE:
		ok = explore(a, call, why);
		break;
	case CAIRN_AGENT_TURN:
		turn(a, call->angle_deg, 1);
		snprintf(a->act.what, sizeof(a->act.what), "turn %+.0f deg", call->angle_deg);
		break;
	case CAIRN_AGENT_LOOK_AROUND:
		turn(a, 90.0, LOOK_TURNS);
		a->spent.steps += 1.0;
		snprintf(a->act.what, sizeof(a->act.what), "look_around");
		break;
	default:
		cairn_error_set(why, "this tool moves nothing");
		ok = false;
	}
	if (ok && !a->world.has_pose) {
		cairn_error_set(why, "the robot does not know where it is");
		ok = false;
	}
	if (ok) {
		a->phase = AGENT_PHASE_ACTING;
		send(a, now_ns);
	}
	return ok;
}

/* All that was to be driven has been, or will not be. */
static void acted(struct cairn_agent *a, int64_t now_ns)
{
	struct agent_act *act = &a->act;
	bool gained = cairn_agent_gained(&a->world) != act->gained_before;
	char text[512];
	if (act->opening != NULL && act->opening->unseen && a->world.coverage != NULL &&
	    act->cut != AGENT_CUT_FOUND)
		cairn_coverage_tried(a->world.coverage, &act->opening->floor, act->ok);
	act->decision_id = 0;
	a->changed = true;
	if (a->deed.on) {
		agent_deed_drove(a);
		return;
	}
	if (a->survey.on) {
		agent_survey_drove(a, now_ns);
		return;
	}
	if (a->tour.on) { /* it goes on when the mission is at the task: agent_act_tick */
		act->over = true;
		act->t_over_ns = now_ns;
		act->scenes_from = UINT64_MAX;
		return;
	}
	if (agent_is_route(a)) {
		agent_route_acted(a, now_ns);
		return;
	}
	snprintf(text, sizeof(text), "%s: %s%s", act->what, act->outcome,
	    gained ? "; something new was seen" : "");
	cairn_agent_log_add(&a->memory.actions, "%s", text);
	agent_answer_turn(a, text);
	agent_ask_next(a, agent_step_query(a));
}

void agent_act_result(struct cairn_agent *a, const struct cairn_msg_result *r, int64_t now_ns)
{
	struct agent_act *act = &a->act;
	bool cut = act->cut_id != 0 && r->decision_id == act->cut_id;
	if (a->phase != AGENT_PHASE_ACTING || r->source != CAIRN_SOURCE_AGENT ||
	    !(cut || (!act->publish && r->decision_id == act->decision_id)))
		return;
	a->spent.steps += fmax(r->distance_m, 0.0) / AGENT_STEP_M;
	if (r->tool == CAIRN_TOOL_ROTATE)
		a->spent.steps += fabs(cairn_rad_to_deg(r->turned_rad)) / AGENT_STEP_DEG;
	if (cut) {
		act->cut_id = 0;
		return;
	}
	act->held = r->outcome == CAIRN_OUTCOME_REPLACED;
	act->ok = r->outcome == CAIRN_OUTCOME_SUCCESS || r->outcome == CAIRN_OUTCOME_PARTIAL ||
		  act->cut != AGENT_CUT_NOT;
	snprintf(act->outcome, sizeof(act->outcome), "%s, %.90s (%.120s%s%.60s)",
	    cairn_enum_text(&cairn_enum_outcome, (int)r->outcome), r->executed, r->reason,
	    r->suggestion[0] != '\0' && !act->ok ? "; " : "", act->ok ? "" : r->suggestion);
	if (act->ok && act->at + 1 < act->count) {
		act->at++;
		send(a, now_ns);
		return;
	}
	acted(a, now_ns);
}

/* The robot stands instead of driving on: the sequencer takes that word while it drives for the agent. */
static void cut_off(struct cairn_agent *a, enum agent_cut cut, int64_t now_ns)
{
	struct agent_act *act = &a->act;
	act->cut = cut;
	act->cut_id = act->decision_id;
	act->count = act->at = 0;
	add(a, CAIRN_TOOL_STOP_ROBOT);
	send(a, now_ns);
}

void agent_act_tick(struct cairn_agent *a, int64_t now_ns)
{
	struct agent_act *act = &a->act;
	if (a->phase != AGENT_PHASE_ACTING || act->publish)
		return;
	if (a->deed.on && act->decision_id == 0) {
		agent_deed_tick(a, now_ns);
		return;
	}
	if (a->survey.on && act->decision_id == 0) {
		agent_survey_tick(a, now_ns);
		return;
	}
	if (act->over) {
		agent_tour_next(a, now_ns);
		return;
	}
	enum agent_cut cut = a->tour.on && act->cut == AGENT_CUT_NOT ? agent_tour_cut(a) : AGENT_CUT_NOT;
	if (cut != AGENT_CUT_NOT) {
		cut_off(a, cut, now_ns);
		return;
	}
	/* mission.decision_id says what is driven: since_ns is moved on while it is ours (agent.c). */
	if ((double)(now_ns - act->since_ns) * 1e-9 <= RESULT_LOST_S)
		return;
	act->ok = false;
	snprintf(act->outcome, sizeof(act->outcome), "its end was not told");
	acted(a, now_ns);
}
