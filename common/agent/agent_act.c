/* agent_act.c - acting calls as decisions for the sequencer: one at a time, each stamped with what the agent knows when it is
 * sent, as the robot stands while the agent thinks. What comes of them is told by `result`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/agent/agent_private.h"
#include "common/base/geom.h"

#define RESULT_LOST_S 20.0 /* the sequencer drives nothing, and has told no end: it was started again, say */
#define LOOK_TURNS 4

static struct cairn_msg_decision *add(struct cairn_agent *a, enum cairn_tool tool)
{
	struct cairn_msg_decision *d = &a->act.queue[a->act.count++];
	*d = (struct cairn_msg_decision){.source = CAIRN_SOURCE_AGENT, .tool = tool};
	snprintf(d->reasoning, sizeof(d->reasoning), "%s", a->call.head.reasoning);
	return d;
}

static double heading_deg(double yaw_rad)
{
	return fmod(720.0 - cairn_rad_to_deg(yaw_rad), 360.0);
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
		d->angle_deg = heading_deg(at.yaw_rad);
	}
	snprintf(a->act.what, sizeof(a->act.what), "go_to %s", n->id);
	return true;
}

static bool explore(struct cairn_agent *a, const struct cairn_agent_call *call, struct cairn_error *why)
{
	const struct cairn_agent_opening *o = cairn_agent_opening_by(&a->world, call->letter);
	if (o == NULL) {
		cairn_error_set(why, "there is no opening '%.4s': %u have letters now", call->letter,
		    a->world.opening_count);
		return false;
	}
	struct cairn_msg_decision *d = add(a, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d->goal_kind = CAIRN_GOAL_KIND_FRONTIER;
	d->frontier_id = o->frontier_id;
	snprintf(
	    a->act.what, sizeof(a->act.what), "explore %.4s at (%.1f, %.1f)", call->letter, o->x_m, o->y_m);
	return true;
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

bool agent_begin_act(
    struct cairn_agent *a, const struct cairn_agent_call *call, int64_t now_ns, struct cairn_error *why)
{
	a->act = (struct agent_act){.ok = true,
	    .gained_before = cairn_agent_gained(&a->world),
	    .news_before = cairn_agent_news(&a->world, &a->memory.labels)};
	bool ok = true;
	switch ((enum cairn_agent_tool)call->head.tool) {
	case CAIRN_AGENT_GO_TO:
		ok = go_to(a, call, why);
		break;
	case CAIRN_AGENT_EXPLORE:
	case CAIRN_AGENT_CHOOSE_OPENING:
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
	snprintf(text, sizeof(text), "%s: %s%s", act->what, act->outcome,
	    gained ? "; something new was seen" : "");
	cairn_agent_log_add(&a->memory.actions, "%s", text);
	a->changed = true;
	act->decision_id = 0;
	(void)now_ns;
	if (a->turn_count > 0) {
		agent_answer_turn(a, text);
		agent_ask_next(a, CAIRN_AGENT_QUERY_ACT);
	} else {
		bool news = cairn_agent_news(&a->world, &a->memory.labels) != act->news_before;
		agent_ask_next(a, news ? CAIRN_AGENT_QUERY_REMEMBER : CAIRN_AGENT_QUERY_NEXT);
	}
}

void agent_act_result(struct cairn_agent *a, const struct cairn_msg_result *r, int64_t now_ns)
{
	struct agent_act *act = &a->act;
	if (a->phase != AGENT_PHASE_ACTING || act->publish || r->source != CAIRN_SOURCE_AGENT ||
	    r->decision_id != act->decision_id)
		return;
	a->spent.steps += fmax(r->distance_m, 0.0) / AGENT_STEP_M;
	if (r->tool == CAIRN_TOOL_ROTATE)
		a->spent.steps += fabs(cairn_rad_to_deg(r->turned_rad)) / AGENT_STEP_DEG;
	act->ok = r->outcome == CAIRN_OUTCOME_SUCCESS || r->outcome == CAIRN_OUTCOME_PARTIAL;
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

void agent_act_tick(struct cairn_agent *a, int64_t now_ns)
{
	struct agent_act *act = &a->act;
	if (a->phase != AGENT_PHASE_ACTING || act->publish)
		return;
	/* mission.decision_id says what is driven: since_ns is moved on while it is ours (agent.c). */
	if ((double)(now_ns - act->since_ns) * 1e-9 <= RESULT_LOST_S)
		return;
	act->ok = false;
	snprintf(act->outcome, sizeof(act->outcome), "its end was not told");
	acted(a, now_ns);
}
