/* agent_do.c - calls that the reasoner carries out (common/reasoner): it says what to drive, where to look and which skill to ask for; here
 * that goes out as decisions and wishes, one at a time, and what comes of each goes back. The sequencer and its gate judge all of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/agent/agent_private.h"

#define THERE_M 0.12
#define GRAPHS 2 /* behind the pictures of a look: the first may be older than they are */
#define LOOK_MAX_S 60.0
#define SKILL_S 30.0
#define SKILL_LOST_S 15.0 /* behind its deadline: the sequencer was started again, say */
#define S(ns) ((double)(ns)*1e-9)

static double scene_s(const struct cairn_agent *a, int64_t now_ns)
{
	return S(now_ns) + a->unix_less_mono_s;
}

void agent_deeds_begin(struct cairn_agent *a, bool saved)
{
	double best_m = INFINITY;
	cairn_reasoner_init(&a->reasoner, a->all);
	a->events_told = 0;
	a->deed = (struct agent_deed){0};
	for (uint32_t i = 0; i < a->world.scene.nodes_count && !saved; i++) {
		const struct cairn_msg_scene_node *n = &a->world.scene.nodes[i];
		double m = hypot(n->x_m - a->world.robot.x_m, n->y_m - a->world.robot.y_m);
		if (n->kind != CAIRN_SCENE_KIND_AGENT || n->stale || m >= best_m)
			continue;
		best_m = m;
		a->requester = (struct cairn_vec2){n->x_m, n->y_m};
	}
	a->has_requester = saved ? a->has_requester : isfinite(best_m);
	if (a->has_requester)
		cairn_reasoner_requester(&a->reasoner, a->requester);
}

static enum cairn_skill_verb verb_of(enum cairn_agent_tool tool)
{
	static const enum cairn_skill_verb verbs[] = {CAIRN_SKILL_VERB_OPEN, CAIRN_SKILL_VERB_CLOSE,
	    CAIRN_SKILL_VERB_GRASP, CAIRN_SKILL_VERB_PLACE, CAIRN_SKILL_VERB_POUR,
	    CAIRN_SKILL_VERB_HAND_OVER};
	return tool == CAIRN_AGENT_SEARCH ? CAIRN_SKILL_VERB_NONE : verbs[tool - CAIRN_AGENT_OPEN];
}

void agent_begin_deed(struct cairn_agent *a, int64_t now_ns)
{
	enum cairn_agent_tool tool = (enum cairn_agent_tool)a->call.head.tool;
	struct cairn_reasoner_call call;
	memset(&call, 0, sizeof(call)); /* it is compared with the one before as bytes */
	call.tool = tool == CAIRN_AGENT_SEARCH ? CAIRN_REASONER_SEARCH : CAIRN_REASONER_DO;
	call.verb = verb_of(tool);
	snprintf(call.target, sizeof(call.target), "%.39s", a->call.name);
	for (uint32_t i = 0; i < a->call.ids.count && i < 4; i++)
		snprintf(call.likely[i], sizeof(call.likely[i]), "%.39s", a->call.ids.items[i]);
	a->act = (struct agent_act){.ok = true};
	snprintf(
	    a->act.what, sizeof(a->act.what), "%s %.40s", cairn_agent_tools.rows[tool].name, a->call.name);
	a->deed = (struct agent_deed){.on = true};
	a->phase = AGENT_PHASE_ACTING;
	(void)cairn_reasoner_call(&a->reasoner, &call, scene_s(a, now_ns));
}

/* ---- one action out ---- */

static void ended(struct cairn_agent *a, enum cairn_reasoner_end end, const char *reason)
{
	a->deed.ended = true;
	a->deed.end = end;
	snprintf(a->deed.reason, sizeof(a->deed.reason), "%.150s", reason);
}

static void wish(struct cairn_agent *a, const struct cairn_reasoner_action *act, int64_t now_ns)
{
	uint64_t by_clock = (uint64_t)(now_ns / 1000);
	a->wish_id = by_clock > a->wish_id ? by_clock : a->wish_id + 1;
	a->deed.wish = (struct cairn_msg_skill_request){.id = a->wish_id,
	    .task_id = a->task_id,
	    .verb = act->verb,
	    .x_m = act->x_m,
	    .y_m = act->y_m,
	    .z_m = act->z_m,
	    .deadline_s = SKILL_S};
	snprintf(a->deed.wish.target, sizeof(a->deed.wish.target), "%s", act->target);
	a->deed.publish = true;
}

static void start(struct cairn_agent *a, const struct cairn_reasoner_action *act, int64_t now_ns)
{
	struct cairn_pose2 at = a->world.robot;
	a->deed.waiting = true;
	a->deed.ended = false;
	a->deed.since_ns = now_ns;
	if (act->act == CAIRN_REASONER_GO && hypot(act->pose.x_m - at.x_m, act->pose.y_m - at.y_m) < THERE_M)
		ended(a, CAIRN_REASONER_DID, "there already");
	else if (act->act == CAIRN_REASONER_GO || act->act == CAIRN_REASONER_TURN)
		agent_send_way(a, act->pose, act->act == CAIRN_REASONER_TURN, now_ns);
	else if (act->act == CAIRN_REASONER_SKILL)
		wish(a, act, now_ns);
	a->deed.scenes_from = UINT64_MAX; /* counted from the last look on */
}

/* ---- its end ---- */

void agent_deed_drove(struct cairn_agent *a)
{
	ended(a, a->act.ok ? CAIRN_REASONER_DID : CAIRN_REASONER_FAILED, a->act.outcome);
}

void agent_deed_skill(struct cairn_agent *a, const struct cairn_msg_skill_result *r)
{
	if (!a->deed.on || !a->deed.waiting || a->reasoner.action.act != CAIRN_REASONER_SKILL ||
	    r->id != a->deed.wish.id)
		return;
	bool ok = r->outcome == CAIRN_OUTCOME_SUCCESS;
	if (ok)
		agent_done_note(a, r);
	ended(a,
	    ok           ? CAIRN_REASONER_DID
	    : r->passing ? CAIRN_REASONER_WAITS
			 : CAIRN_REASONER_FAILED,
	    r->reason);
}

/* A look is over when it has got into the graph; what is never answered has failed. */
static void watch(struct cairn_agent *a, int64_t now_ns)
{
	struct agent_deed *d = &a->deed;
	enum cairn_reasoner_act act = a->reasoner.action.act;
	double s = S(now_ns - d->since_ns);
	if (act == CAIRN_REASONER_LOOK && d->scenes_from == UINT64_MAX && agent_looked_since(a, d->since_ns))
		d->scenes_from = a->scenes;
	if (act == CAIRN_REASONER_LOOK && d->scenes_from != UINT64_MAX &&
	    a->scenes >= d->scenes_from + GRAPHS)
		ended(a, CAIRN_REASONER_DID, "looked");
	else if (act == CAIRN_REASONER_LOOK && s > LOOK_MAX_S)
		ended(a, CAIRN_REASONER_FAILED, "no picture was searched for things");
	else if (act == CAIRN_REASONER_SKILL && s > SKILL_S + SKILL_LOST_S)
		ended(a, CAIRN_REASONER_FAILED, "nothing was heard of the arm");
}

bool cairn_agent_take_event(struct cairn_agent *a, struct cairn_reasoner_event *ret)
{
	const struct cairn_reasoner *r = &a->reasoner;
	if (a->events_told == r->trace_count)
		return false;
	if (r->trace_count - a->events_told > CAIRN_REASONER_TRACE)
		a->events_told = r->trace_count - CAIRN_REASONER_TRACE;
	*ret = r->trace[a->events_told++ % CAIRN_REASONER_TRACE];
	return true;
}

/* What has come of the call, for the model and for the log. */
static void told(struct cairn_agent *a, const struct cairn_reasoner_action *act)
{
	char text[CAIRN_REASONER_TEXT];
	snprintf(text, sizeof(text), "%s", act->text);
	a->deed.on = false;
	a->news |= act->ok;
	a->act.decision_id = 0;
	cairn_agent_log_add(&a->memory.actions, "%s: %s%.120s", a->act.what, act->ok ? "" : "failed: ", text);
	agent_answer_turn(a, text);
	a->reasoner.action.act = CAIRN_REASONER_IDLE;
	agent_ask_next(a, agent_step_query(a));
}

void agent_deed_tick(struct cairn_agent *a, int64_t now_ns)
{
	char what[sizeof(a->act.what)];
	double now_s = scene_s(a, now_ns);
	memcpy(what, a->act.what, sizeof(what));
	if (a->deed.waiting && !a->deed.ended)
		watch(a, now_ns);
	if (a->deed.waiting && !a->deed.ended)
		return;
	if (a->deed.waiting)
		cairn_reasoner_ended(&a->reasoner, a->mirror, a->deed.end, a->deed.reason, now_s);
	a->deed.waiting = false;
	const struct cairn_reasoner_action *act =
	    cairn_reasoner_next(&a->reasoner, a->mirror, a->world.robot, now_s);
	if (act->act == CAIRN_REASONER_ASK_PERSON) {
		char text[256];
		snprintf(text, sizeof(text), "I do not know. %.230s", act->text);
		agent_end(a, CAIRN_AGENT_STATE_HANDOFF, CAIRN_AGENT_LIMIT_NONE, text);
	} else if (act->act == CAIRN_REASONER_TELL || act->act == CAIRN_REASONER_IDLE) {
		told(a, act);
	} else {
		start(a, act, now_ns);
		memcpy(a->act.what, what, sizeof(what));
	}
}
