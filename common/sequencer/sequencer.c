#include "common/sequencer/sequencer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/config/speeds.h"
#include "common/sequencer/sequencer_private.h"

struct cairn_sequencer *cairn_sequencer_new(
    const struct cairn_config *cfg, const struct cairn_mission_record *record, int64_t now_ns)
{
	struct cairn_sequencer *seq = calloc(1, sizeof(*seq));
	if (seq == NULL)
		return NULL;
	seq->cfg = cfg;
	seq->mission.t_start_ns = now_ns;
	struct cairn_depth_layer_params floor = cairn_depth_layer_params_from(cfg);
	cairn_depth_layer_init(&seq->inputs.depth_layer, &floor);
	seq_people_init(seq);
	if (record != NULL) {
		seq->mission.record = *record;
		seq->mission.home.best_m = INFINITY;
		seq->mission.orphan =
		    seq->mission.record.open.decision.id != 0 ? SEQ_ORPHAN_WAITS : SEQ_ORPHAN_NONE;
		seq_zones_from_config(seq);
		seq_goal_init(seq);
		return seq;
	}
	seq_zones_from_config(seq);
	seq->mission.record.t_first_ns = now_ns;
	seq->mission.record.limit_s = cfg->mission.limit_s;
	seq_goal_init(seq);
	seq_goal_set(seq, cfg->mission.goal);
	seq->mission.changed = true;
	snprintf(seq->mission.record.reason, sizeof(seq->mission.record.reason), "%s",
	    cairn_config_autostarts(cfg) ? "waiting for a good pose" : "waiting for an operator");
	return seq;
}

void cairn_sequencer_destroy(struct cairn_sequencer **seq_p)
{
	free(*seq_p);
	*seq_p = NULL;
}

const struct cairn_mission_record *cairn_sequencer_record(const struct cairn_sequencer *seq)
{
	return &seq->mission.record;
}

uint64_t cairn_sequencer_rejects(const struct cairn_sequencer *seq)
{
	return seq->outbox.rejects;
}

uint64_t cairn_sequencer_duplicates(const struct cairn_sequencer *seq)
{
	return seq->outbox.duplicates;
}

/* ---- decisions ---- */

/* False: it was handed in before. */
static bool is_new(
    struct cairn_sequencer *seq, uint64_t id, uint64_t epoch, uint64_t *last_epoch, uint64_t *last_id)
{
	seq_resume_give_up(seq);
	if (epoch != *last_epoch) {
		*last_epoch = epoch;
		*last_id = 0;
	}
	if (id <= *last_id) {
		seq->outbox.duplicates++;
		return false;
	}
	*last_id = id;
	seq->mission.changed = true;
	return true;
}

static void judge(struct cairn_sequencer *seq, const struct cairn_msg_decision *decision, int64_t now_ns)
{
	struct seq_task task;
	struct seq_refusal refusal, instead;
	if (decision->source == CAIRN_SOURCE_MODEL && seq_is_answer(seq, decision, now_ns)) {
		seq->silence.t_wanted_ns = now_ns;
		seq_prefetch_answered(seq, decision, now_ns);
		seq_mission_apply(seq, CAIRN_MISSION_BIT(MODEL), now_ns);
		if (seq->task.d.source == CAIRN_SOURCE_LOCAL && !seq->task.insists)
			seq_task_end(seq, CAIRN_OUTCOME_REPLACED, now_ns, "the model answers again");
	} else if (decision->source == CAIRN_SOURCE_MODEL && seq->task.d.source != CAIRN_SOURCE_LOCAL &&
		   seq_basis_timely(seq, decision, now_ns) && seq_named_in_time(seq, decision)) {
		seq->silence.t_wanted_ns = now_ns; /* it is not silent: its place was seen into meanwhile */
	}
	if (!seq_check(seq, decision, now_ns, &task, &refusal) &&
	    !seq_model_fallback(seq, decision, refusal.reason, now_ns, &task, &instead)) {
		seq_text_fallback_refused(refusal.reason, sizeof(refusal.reason), instead.reason);
		seq_refuse(seq, decision, &refusal);
		return;
	}
	task.nav.leans = task.kind == SEQ_NAV && seq_basis_leans(seq, decision, now_ns);
	if (seq->task.kind == SEQ_NAV && (seq->task.ahead || seq_prefetch_replaces(seq, decision))) {
		seq_prefetch_take_over(seq, &task, now_ns);
		return;
	}
	seq_task_end(
	    seq, CAIRN_OUTCOME_REPLACED, now_ns, "decision %llu took over", (unsigned long long)decision->id);
	seq_task_begin(seq, &task, now_ns);
}

/* A word that came by another's topic: nothing else is looked at. */
static void refuse_author(
    struct cairn_sequencer *seq, const struct cairn_msg_decision *decision, const char *why)
{
	struct seq_refusal refusal = {0};
	snprintf(refusal.reason, sizeof(refusal.reason), "%s", why);
	seq_refuse(seq, decision, &refusal);
}

void cairn_sequencer_on_decision(
    struct cairn_sequencer *seq, const struct cairn_msg_decision *decision, uint64_t epoch, int64_t now_ns)
{
	struct cairn_mission_record *r = &seq->mission.record;
	if (!is_new(seq, decision->id, epoch, &r->decision_epoch, &r->last_decision_id))
		return;
	if (decision->source == CAIRN_SOURCE_AGENT)
		refuse_author(seq, decision, "the agent's word came by the model's topic");
	else
		judge(seq, decision, now_ns);
}

void cairn_sequencer_on_agent_decision(
    struct cairn_sequencer *seq, const struct cairn_msg_decision *decision, uint64_t epoch, int64_t now_ns)
{
	struct cairn_mission_record *r = &seq->mission.record;
	if (!is_new(seq, decision->id, epoch, &r->agent_epoch, &r->last_agent_id))
		return;
	if (decision->source != CAIRN_SOURCE_AGENT)
		refuse_author(seq, decision, "only the agent speaks by its topic");
	else
		judge(seq, decision, now_ns);
}

/* ---- operators ---- */

struct verb {
	const char *name;
	uint32_t condition;
	const char *done, *why_not;
	bool survey;
};

static const struct verb verbs[] = {
    {"explore", CAIRN_MISSION_BIT(EXPLORE), "exploring", "exploring already", false},
    {"task", CAIRN_MISSION_BIT(TASK), "the agent takes the task", "cannot take a task now", false},
    {"survey", CAIRN_MISSION_BIT(TASK), "the robot looks at what no picture has shown",
	"cannot look round now", true},
    {"stop", CAIRN_MISSION_BIT(STOP), "stopped", "the mission has ended already", false},
    {"goto", CAIRN_MISSION_BIT(GOTO), "driving there", "cannot drive there now", false},
    {"home", CAIRN_MISSION_BIT(HOME), "driving home", "cannot drive home now", false},
    {"pause", CAIRN_MISSION_BIT(PAUSE), "paused", "there is nothing to pause", false},
    {"resume", CAIRN_MISSION_BIT(RESUME), "resumed", "nothing is paused", false},
};

static bool arguments_ok(struct cairn_sequencer *seq, const struct verb *verb,
    const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	double far_m = seq->cfg->map.extent_max_m, x_m, y_m;
	if ((verb->condition & CAIRN_MISSION_BIT(EXPLORE)) != 0 &&
	    cairn_goal_coordinates(cmd->arg, &x_m, &y_m) && !(fabs(x_m) <= far_m && fabs(y_m) <= far_m)) {
		snprintf(
		    reply->text, sizeof(reply->text), "the goal must be within %.0f m of the start", far_m);
		return false;
	}
	if ((verb->condition & CAIRN_MISSION_BIT(GOTO)) != 0 &&
	    !(fabs(cmd->x_m) <= far_m && fabs(cmd->y_m) <= far_m)) {
		snprintf(
		    reply->text, sizeof(reply->text), "the point must be within %.0f m of the start", far_m);
		return false;
	}
	if ((verb->condition & CAIRN_MISSION_BIT(EXPLORE)) != 0 &&
	    !(cmd->limit_s >= 0.0 && isfinite(cmd->limit_s))) {
		snprintf(
		    reply->text, sizeof(reply->text), "the time allowed must be 0 (none) or more seconds");
		return false;
	}
	if ((verb->condition & CAIRN_MISSION_BIT(TASK)) != 0 && !verb->survey && cmd->arg[0] == '\0') {
		snprintf(reply->text, sizeof(reply->text), "say what is to be done or answered: task TEXT");
		return false;
	}
	if ((verb->condition & CAIRN_MISSION_BIT(TASK)) != 0 && !seq->cfg->agent.enabled) {
		snprintf(reply->text, sizeof(reply->text),
		    "there is no agent in this stack: start it with --set agent.enabled=true");
		return false;
	}
	return true;
}

/* goto by a name. */
static bool find_named(const struct cairn_sequencer *seq, const struct verb *verb,
    struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct cairn_goal_place place;
	if ((verb->condition & CAIRN_MISSION_BIT(GOTO)) == 0 || cmd->arg[0] == '\0')
		return true;
	if (!seq_goal_named(seq, cmd->arg, &place, reply))
		return false;
	cmd->x_m = place.x_m;
	cmd->y_m = place.y_m;
	return true;
}

/* A robot that explores already takes another goal without beginning anew. */
static bool change_goal(struct cairn_sequencer *seq, const struct verb *verb,
    const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	if ((verb->condition & CAIRN_MISSION_BIT(EXPLORE)) == 0 || cmd->arg[0] == '\0' ||
	    seq->mission.record.state != CAIRN_MISSION_STATE_EXPLORING)
		return false;
	seq_goal_set(seq, cmd->arg);
	reply->ok = true;
	snprintf(reply->text, sizeof(reply->text), "exploring with the goal '%.80s' now",
	    seq->mission.record.goal);
	return true;
}

void cairn_sequencer_on_command(struct cairn_sequencer *seq, const struct cairn_msg_command *cmd,
    int64_t now_ns, struct cairn_msg_reply *reply)
{
	const struct verb *verb = NULL;
	memset(reply, 0, sizeof(*reply));
	if (strcmp(cmd->verb, "zone") == 0) {
		seq_zone_command(seq, cmd->arg, reply);
		return;
	}
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		verb = strcmp(cmd->verb, verbs[i].name) == 0 ? &verbs[i] : verb;
	if (verb == NULL) {
		snprintf(reply->text, sizeof(reply->text), "unknown command '%.23s'", cmd->verb);
		return;
	}
	bool stop = (verb->condition & CAIRN_MISSION_BIT(STOP)) != 0;
	bool by_hand = seq_teleop_holds(seq, now_ns);
	if (by_hand && !stop) {
		snprintf(reply->text, sizeof(reply->text), "%.60s steers by hand: wait until he has let go",
		    seq->teleop.who);
		return;
	}
	if (stop && seq_teleop_stop(seq, now_ns)) {
		reply->ok = true; /* whether a mission had to end, too, or not */
		snprintf(reply->text, sizeof(reply->text), "%s", verb->done);
	}
	struct cairn_msg_command named = *cmd;
	if (!find_named(seq, verb, &named, reply) || !arguments_ok(seq, verb, &named, reply) ||
	    change_goal(seq, verb, &named, reply))
		return;
	cmd = &named;
	if ((verb->condition & CAIRN_MISSION_BIT(RESUME)) != 0 && seq_model_answered(seq, now_ns)) {
		reply->ok = true;
		snprintf(reply->text, sizeof(reply->text), "the robot goes on");
		return;
	}
	if (cairn_mission_next((enum cairn_mission_state)seq->mission.record.state, verb->condition) ==
	    NULL) {
		if (!reply->ok)
			snprintf(reply->text, sizeof(reply->text), "%s", verb->why_not);
		return;
	}
	if ((verb->condition & CAIRN_MISSION_BIT(EXPLORE)) != 0) {
		seq->mission.record.limit_s = cmd->limit_s;
		seq_goal_set(seq, cmd->arg);
	}
	if ((verb->condition & CAIRN_MISSION_BIT(GOTO)) != 0) {
		seq->mission.record.goto_x_m = cmd->x_m;
		seq->mission.record.goto_y_m = cmd->y_m;
	}
	seq_mission_apply(seq, verb->condition, now_ns);
	if ((verb->condition & CAIRN_MISSION_BIT(TASK)) != 0)
		seq_task_mission_set(seq, cmd->arg, verb->survey, now_ns);
	reply->ok = true;
	bool goal = (verb->condition & CAIRN_MISSION_BIT(EXPLORE)) != 0 && cmd->arg[0] != '\0';
	snprintf(reply->text, sizeof(reply->text), goal ? "%s with the goal '%.80s'" : "%s", verb->done,
	    seq->mission.record.goal);
}

/* ---- one step ---- */

static void fill_motion(const struct cairn_sequencer *seq, struct cairn_sequencer_output *out)
{
	const struct seq_task *t = &seq->task;
	struct cairn_msg_cmd_vel *c = &out->cmd_vel;
	c->v_mps = seq->step.cmd.v_mps;
	c->w_radps = seq->step.cmd.w_radps;
	if (seq_executing(seq)) {
		c->decision_id = t->d.id;
		c->source = t->d.source;
	} else if (seq->step.cmd.v_mps != 0.0) { /* the model's last move fades out */
		c->decision_id = seq->mission.record.last_decision_id;
		c->source = CAIRN_SOURCE_MODEL;
	}
	struct cairn_msg_nav_goal *g = &out->nav_goal;
	g->id = t->kind == SEQ_NAV ? t->nav.goal_id : seq->planner.goal_id;
	g->active = t->kind == SEQ_NAV && !t->nav.nudging;
	g->x_m = t->nav.x_m;
	g->y_m = t->nav.y_m;
	g->tolerance_m = t->nav.tolerance_m;
	g->speed_max_mps = cairn_cruise_mps(seq->cfg);
	g->held_by = seq->step.kept_off.sensor;
	g->held_bearing_rad = seq->step.kept_off.bearing_rad;
	g->held_m = seq->step.kept_off.distance_m;
}

static void fill_activity(const struct cairn_sequencer *seq, char *buf, size_t bytes)
{
	const struct seq_task *t = &seq->task;
	char asked[96];
	if (seq_skill_busy(seq)) {
		snprintf(buf, bytes, "arm: %s %.48s",
		    cairn_enum_text(&cairn_enum_skill_verb, (int)seq->skill.order.verb),
		    seq->skill.order.target);
		return;
	}
	if (!seq_executing(seq)) {
		snprintf(buf, bytes, "%s",
		    seq->inputs.now.hold[0] != '\0' ? seq->inputs.now.hold
		    : seq->step.cmd.v_mps != 0.0    ? "coasting"
						    : "standing");
		return;
	}
	seq_text_asked(&t->d, asked, sizeof(asked));
	if (t->kind == SEQ_RECOVER || (t->kind == SEQ_NAV && t->nav.nudging))
		snprintf(asked, sizeof(asked), "leaving a tight place");
	else if (t->kind == SEQ_NAV && t->nav.onward)
		snprintf(asked, sizeof(asked),
		    "navigate_to_goal frontier %u, as frontier %u has been seen into", t->nav.frontier_id,
		    t->nav.seen_id);
	else if (t->kind == SEQ_TELEOP)
		snprintf(asked, sizeof(asked), "steered by hand%s%.70s", t->cause[0] != '\0' ? ": " : "",
		    t->cause);
	else if (t->d.source == CAIRN_SOURCE_MISSION)
		snprintf(asked, sizeof(asked), "the way home");
	if (t->held_s > 0.0)
		snprintf(buf, bytes, "%.40s, waiting: %.44s", asked, seq->inputs.now.hold);
	else
		snprintf(buf, bytes, "%s", asked);
}

static void fill_mission(const struct cairn_sequencer *seq, struct cairn_msg_mission *m, int64_t now_ns)
{
	const struct cairn_mission_record *r = &seq->mission.record;
	m->state = (enum cairn_mission_state)r->state;
	snprintf(m->reason, sizeof(m->reason), "%s", r->reason);
	m->elapsed_s = seq_elapsed_s(seq, now_ns);
	m->limit_s = r->limit_s;
	m->home_m = seq_home_m(seq);
	if (seq_executing(seq)) {
		m->decision_id = seq->task.d.id;
		m->decision_source = seq->task.d.source;
	}
	fill_activity(seq, m->activity, sizeof(m->activity));
	m->wants_decision = seq->silence.wanted && (r->open.decision.id == 0 || seq->task.ahead);
	m->takes_events = seq->silence.takes_events;
	m->held_up = seq_prefetch_held_up(seq);
	m->first_decision_s = r->first_decision_s;
	m->decisions = r->decisions;
	m->refused = r->refused;
	m->overrides = r->overrides;
	cairn_frontier_blacklist_list(&r->explore, m);
	seq_goal_fill(seq, m);
	m->task_id = r->task_id;
	memcpy(m->task, r->task, sizeof(m->task));
	m->survey = r->survey;
	if (seq->task.kind == SEQ_HELP)
		snprintf(m->help, sizeof(m->help), "%s", seq->task.d.reason);
}

static void fill_tier(const struct cairn_sequencer *seq, struct cairn_msg_tier *t, int64_t now_ns)
{
	static const char *const reasons[CAIRN_TIER_COUNT] = {"the model is silent: standing", "",
	    "the model is silent: the last move fades out", "the model is silent: exploring without it",
	    "the model is silent: driving home"};
	t->tier = seq_tier(seq, now_ns);
	t->silent_s = seq_silent_s(seq, now_ns);
	if (t->tier == CAIRN_TIER_LOCAL && seq->degraded.in_force.wish == CAIRN_WITHOUT_LOCAL)
		snprintf(t->reason, sizeof(t->reason), "%s is held failed: exploring without the model",
		    seq->degraded.in_force.stage);
	else
		snprintf(t->reason, sizeof(t->reason), "%s",
		    seq_model_may_speak(seq) ? reasons[t->tier] : "the model is not asked now");
}

static void mark_changes(struct cairn_sequencer *seq, struct cairn_sequencer_output *out)
{
	const struct cairn_sequencer_output *l = &seq->outbox.last;
	const struct cairn_msg_mission *m = &out->mission, *lm = &l->mission;
	out->nav_goal_changed = out->nav_goal.id != l->nav_goal.id ||
				out->nav_goal.active != l->nav_goal.active ||
				out->nav_goal.held_by != l->nav_goal.held_by;
	out->tier_changed = out->tier.tier != l->tier.tier;
	out->mission_changed = m->state != lm->state || strcmp(m->reason, lm->reason) != 0 ||
			       m->decision_id != lm->decision_id || m->wants_decision != lm->wants_decision ||
			       m->takes_events != lm->takes_events || m->held_up != lm->held_up ||
			       m->decisions != lm->decisions || m->refused != lm->refused ||
			       m->overrides != lm->overrides || m->given_up_count != lm->given_up_count ||
			       m->task_id != lm->task_id || strcmp(m->help, lm->help) != 0;
	out->record_changed = seq->mission.changed;
	seq->mission.changed = false;
	seq->outbox.last = *out;
}

/* A planned way turns where floor to the side was seldom seen, from the start on: to hold that against it
 * would leave the robot standing (docs/safety.md). */
static struct cairn_safe_velocity safe_velocity(
    struct cairn_sequencer *seq, enum seq_kind kind, struct cairn_twist want)
{
	struct cairn_sight sight = seq->inputs.points.sight;
	if (kind == SEQ_NAV)
		seq->inputs.points.sight = (struct cairn_sight){0};
	struct cairn_safe_velocity safe =
	    cairn_safe_velocity(seq->cfg, &seq->inputs.points, want, SEQ_REACTION_S);
	seq->inputs.points.sight = sight;
	return safe;
}

void cairn_sequencer_step(struct cairn_sequencer *seq, int64_t now_ns, struct cairn_sequencer_output *out)
{
	seq->step.length_s =
	    seq->step.t_ns == 0 ? 0.0 : cairn_clamp(seq_seconds(seq->step.t_ns, now_ns), 0.0, 0.2);
	seq->step.t_ns = now_ns;
	seq_degraded_update(seq, now_ns);
	seq_inputs_update(seq, now_ns);
	seq_mission_step(seq, now_ns);
	seq_resume_step(seq, now_ns);
	seq_teleop_step(seq, now_ns);
	seq_skill_step(seq, now_ns);
	bool arm = seq_skill_busy(seq);
	if (!arm)
		seq_mission_next_task(seq, now_ns);
	enum seq_kind kind = seq->task.kind;
	struct cairn_twist want = seq_drive(seq, now_ns);
	struct cairn_safe_velocity safe = safe_velocity(seq, kind, want);
	seq->step.kept_off = kind == SEQ_NAV && safe.ratio == 0.0 ? seq_cause_of(seq, safe.hit, safe.point)
								  : (struct seq_cause){.distance_m = -1.0};
	seq_people_hold(seq, seq_pose_at(seq, now_ns), &safe, now_ns);
	seq_geofence_hold(seq, &safe);
	seq_guard_hold(seq, &safe);
	if (arm)
		safe.twist = (struct cairn_twist){0};
	seq->step.cmd = safe.twist;
	if (kind != SEQ_NONE) {
		seq_drive_account(seq, want, &safe, now_ns);
		if (!seq_executing(seq))
			seq->step.cmd = (struct cairn_twist){0};
	}
	seq_prefetch_step(seq);
	seq_mission_update_wanted(seq, now_ns);
	memset(out, 0, sizeof(*out));
	fill_motion(seq, out);
	fill_mission(seq, &out->mission, now_ns);
	fill_tier(seq, &out->tier, now_ns);
	mark_changes(seq, out);
}
