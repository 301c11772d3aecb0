#include "common/sequencer/sequencer_private.h"
#include "common/config/speeds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LATE_FACTOR 1.3 /* of the usual time: an answer that takes longer is late */
#define PATIENCE_MAX_S 60.0
#define HOME_DETOUR 1.5 /* a way home of which nothing is known is longer than the straight line by this */
#define HOME_ARCS 1.1   /* driven arcs are a little longer than the way over the map's cells */
#define HOME_SPEED_SHARE 0.7 /* of nav.speed_mps */
#define HOME_RESERVE_S 5.0
#define HOME_VIA_M 0.6    /* other approaches go by a point this far from the start */
#define HOME_RETRY_S 2.0  /* between two ways home */
#define HOME_NEARER_M 1.0 /* so much nearer, and the attempts count anew */
#define TIER_GRACE_S 1.0  /* shorter silences are not worth a word */
#define ENDING_S                                                                                             \
	3.0 /* with nothing left to explore the end is awaited for so long before the model is asked */

double seq_home_m(const struct cairn_sequencer *seq)
{
	return hypot(seq->inputs.pose.x_m, seq->inputs.pose.y_m);
}

double seq_elapsed_s(const struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct cairn_mission_record *r = &seq->mission.record;
	if (r->t_explore_ns == 0)
		return 0.0;
	if (r->elapsed_ns != 0)
		return (double)r->elapsed_ns * 1e-9;
	return seq_seconds(r->t_explore_ns, r->t_paused_ns != 0 ? r->t_paused_ns : now_ns);
}

/* The way home as the mapper's floor gives it; without a map, or without a way on it, a guess. */
static double way_home_m(const struct cairn_sequencer *seq, int64_t now_ns)
{
	double straight_m = seq_home_m(seq), way_m = seq->offers.frontiers.home_m;
	bool known = seq->offers.t_frontiers_ns != 0 &&
		     seq_seconds(seq->offers.t_frontiers_ns, now_ns) <= SEQ_FRONTIERS_TIMEOUT_S &&
		     isfinite(way_m) && way_m > 0.0;
	return known ? fmax(HOME_ARCS * way_m, straight_m) : HOME_DETOUR * straight_m;
}

/* ---- the silent model ---- */

/* By so much longer than usual a model is waited for. */
static double patience_s(const struct cairn_config *cfg, double answer_s)
{
	/* A model on the robot that stands in for the network takes its time. */
	double stand_in_s = cfg->vlm.local_provider[0] != '\0' ? cfg->vlm.local_wait_s : 0.0;
	double late_s = cairn_clamp(LATE_FACTOR * answer_s, 0.0, PATIENCE_MAX_S) - cfg->safety.silent_wait_s;
	return fmax(stand_in_s, isfinite(late_s) ? late_s : 0.0);
}

enum cairn_tier cairn_sequencer_tier(const struct cairn_config *cfg, double silent_s, double answer_s)
{
	const struct cairn_config_safety *s = &cfg->safety;
	if (!(silent_s > fmin(TIER_GRACE_S, 0.5 * s->silent_coast_s)))
		return CAIRN_TIER_NORMAL;
	if (silent_s <= s->silent_coast_s)
		return CAIRN_TIER_COASTING;
	double more_s = patience_s(cfg, answer_s);
	if (silent_s <= s->silent_wait_s + more_s)
		return CAIRN_TIER_WAITING;
	if (silent_s <= s->silent_local_s + more_s || !cfg->mission.return_home)
		return CAIRN_TIER_LOCAL;
	return CAIRN_TIER_RETURNING;
}

/* The model is part of what happens now: it explores, or is the reason for a way home. */
bool seq_model_may_speak(const struct cairn_sequencer *seq)
{
	return seq->mission.record.state == CAIRN_MISSION_STATE_EXPLORING ||
	       (seq->mission.record.state == CAIRN_MISSION_STATE_RETURNING && seq->mission.record.silent_way);
}

double seq_silent_s(const struct cairn_sequencer *seq, int64_t now_ns)
{
	return seq->silence.wanted ? fmax(seq_seconds(seq->silence.t_wanted_ns, now_ns), 0.0) : 0.0;
}

enum cairn_tier seq_tier(const struct cairn_sequencer *seq, int64_t now_ns)
{
	if (!seq_model_may_speak(seq))
		return CAIRN_TIER_WAITING;
	if (seq->mission.record.silent_way)
		return CAIRN_TIER_RETURNING;
	if (seq->degraded.in_force.wish == CAIRN_WITHOUT_LOCAL)
		return CAIRN_TIER_LOCAL;
	return cairn_sequencer_tier(seq->cfg, seq_silent_s(seq, now_ns), seq->silence.answer_s);
}

/* Nothing is left to explore: either the exploration ends in a moment, or the map has more by then. Whatever a model
 * said now would be paid for and driven for nothing. */
static bool about_to_end(const struct cairn_sequencer *seq, int64_t now_ns)
{
	return seq->mission.t_nothing_ns != 0 && seq_seconds(seq->mission.t_nothing_ns, now_ns) <= ENDING_S;
}

void seq_mission_update_wanted(struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct seq_task *t = &seq->task;
	bool ahead = t->kind == SEQ_NAV && t->ahead;
	bool own = t->kind == SEQ_NONE || ahead || t->d.source == CAIRN_SOURCE_LOCAL ||
		   t->d.source == CAIRN_SOURCE_MISSION;
	bool busy = (t->kind != SEQ_NONE && t->insists) || seq->progress.recovery_due ||
		    seq->progress.local_due || seq->looks.next.due;
	/* Nobody pays for the word of a model that moves nothing or cannot be asked; its silence counts from when it can
	 * be again. */
	bool in_vain = seq->degraded.in_force.wish == CAIRN_WITHOUT_STAND ||
		       seq->degraded.in_force.wish == CAIRN_WITHOUT_LOCAL;
	bool may = seq_model_may_speak(seq) && !busy && !in_vain && !seq->inputs.now.estop &&
		   !about_to_end(seq, now_ns);
	bool wanted = may && own;
	seq->silence.takes_events = may && !own && seq_prefetch_takes_events(seq);
	if (!wanted || !seq->silence.wanted || ahead) /* nobody waits for it while the robot drives */
		seq->silence.t_wanted_ns = now_ns;
	seq->silence.wanted = wanted;
}

/* ---- conditions ---- */

static bool time_up(const struct cairn_sequencer *seq, int64_t now_ns)
{
	if (seq->mission.record.limit_s <= 0.0)
		return false;
	double left_s = seq->mission.record.limit_s - seq_elapsed_s(seq, now_ns);
	if (!seq->cfg->mission.return_home)
		return left_s <= 0.0;
	double way_s = way_home_m(seq, now_ns) / (HOME_SPEED_SHARE * cairn_cruise_mps(seq->cfg));
	return left_s < way_s + HOME_RESERVE_S;
}

static uint32_t measure(struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct cairn_config_mission *cfg = &seq->cfg->mission;
	uint32_t c = seq_degraded_conditions(seq);
	bool exploring = seq_model_may_speak(seq);
	if (cairn_config_autostarts(seq->cfg) && !seq->mission.record.started && seq->inputs.now.pose_ok &&
	    seq->inputs.pose.tracking == CAIRN_TRACKING_GOOD)
		c |= CAIRN_MISSION_BIT(AUTOSTART);
	bool surveys =
	    seq->mission.record.state == CAIRN_MISSION_STATE_TASK && seq->mission.record.surveys_after;
	if ((exploring || surveys) && time_up(seq, now_ns))
		c |= CAIRN_MISSION_BIT(TIME_UP);
	double charge = seq->inputs.t_battery_ns != 0 ? seq->inputs.battery_percent : -1.0;
	if ((exploring || seq->mission.record.state == CAIRN_MISSION_STATE_TASK) && charge >= 0.0 &&
	    charge < seq->cfg->robot.battery_home_percent)
		c |= CAIRN_MISSION_BIT(BATTERY_LOW);
	if (exploring && seq_nothing_left(seq, now_ns))
		c |= CAIRN_MISSION_BIT(EXPLORED);
	if (exploring && cfg->survey && seq->cfg->agent.enabled)
		c |= CAIRN_MISSION_BIT(SURVEY);
	if (exploring && seq_tier(seq, now_ns) == CAIRN_TIER_RETURNING)
		c |= CAIRN_MISSION_BIT(SILENT);
	if (seq->inputs.now.pose_ok && !seq_executing(seq) && seq_home_m(seq) <= cfg->home_tolerance_m)
		c |= CAIRN_MISSION_BIT(AT_HOME);
	if (seq->mission.home.failed)
		c |= CAIRN_MISSION_BIT(HOME_FAILED);
	if (seq->mission.errand.ended)
		c |= CAIRN_MISSION_BIT(GOAL_ENDED);
	if (seq->mission.record.state == CAIRN_MISSION_STATE_TASK)
		c |= seq_task_mission_conditions(seq, now_ns);
	return c;
}

/* ---- transitions ---- */

static void begin_exploration(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct cairn_mission_record *r = &seq->mission.record;
	r->started = true;
	r->t_explore_ns = now_ns;
	r->elapsed_ns = 0;
	r->t_paused_ns = 0;
	memset(&r->explore, 0, sizeof(r->explore));
	seq->mission.t_nothing_ns = 0;
	seq->mission.claimed_complete = false;
	seq->progress.fails = seq->progress.recoveries = 0;
	seq->progress.recovery_due = seq->progress.local_due = false;
	seq->looks = (struct seq_looks){0};
	seq->memory.count = 0;
	seq->progress.way = (struct seq_way_progress){0};
	seq->progress.boxed = (struct seq_boxed){0};
}

static void enter_return(struct cairn_sequencer *seq)
{
	memset(&seq->mission.home, 0, sizeof(seq->mission.home));
	seq->mission.home.best_m = seq_home_m(seq);
	seq->looks.next = (struct seq_look){0};
}

/* The exploration is over, and its end is the survey: then the robot goes home as it would have. */
static void begin_survey(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct cairn_mission_record *r = &seq->mission.record;
	seq_task_mission_set(seq, "", true, now_ns);
	r->surveys_after = true;
	r->back_task =
	    seq->cfg->mission.return_home ? CAIRN_MISSION_STATE_RETURNING : CAIRN_MISSION_STATE_FINISHED;
	snprintf(r->end_reason, sizeof(r->end_reason), "explored");
}

static enum cairn_mission_state target_of(
    const struct cairn_sequencer *seq, const struct cairn_mission_edge *edge)
{
	if (edge->to != CAIRN_MISSION_STATE_COUNT)
		return edge->to;
	const struct cairn_mission_record *r = &seq->mission.record;
	return (enum cairn_mission_state)(r->state == CAIRN_MISSION_STATE_PAUSED ? r->back_paused
					  : r->state == CAIRN_MISSION_STATE_TASK ? r->back_task
										 : r->back_goto);
}

/* Times and the places to go back to, when the state is left. */
static void leave(struct cairn_sequencer *seq, enum cairn_mission_state to, int64_t now_ns)
{
	struct cairn_mission_record *r = &seq->mission.record;
	uint32_t under = r->state == CAIRN_MISSION_STATE_PAUSED ? r->back_paused : r->state;
	if (to == CAIRN_MISSION_STATE_PAUSED)
		r->back_paused = r->state;
	else if (to == CAIRN_MISSION_STATE_GOTO && under != CAIRN_MISSION_STATE_GOTO)
		r->back_goto = under;
	else if (to == CAIRN_MISSION_STATE_TASK && under != CAIRN_MISSION_STATE_TASK)
		r->back_task = under == CAIRN_MISSION_STATE_GOTO && r->back_goto != CAIRN_MISSION_STATE_TASK
				   ? r->back_goto
			       : under == CAIRN_MISSION_STATE_GOTO ? r->back_task
								   : under;
	if (r->state == CAIRN_MISSION_STATE_PAUSED && r->t_paused_ns != 0) {
		if (r->t_explore_ns != 0)
			r->t_explore_ns += now_ns - r->t_paused_ns;
		if (r->t_task_ns != 0)
			r->t_task_ns += now_ns - r->t_paused_ns;
		r->t_paused_ns = 0;
	}
	if (to == CAIRN_MISSION_STATE_PAUSED)
		r->t_paused_ns = now_ns;
	if (to == CAIRN_MISSION_STATE_FINISHED && r->elapsed_ns == 0 && r->t_explore_ns != 0)
		r->elapsed_ns = now_ns - r->t_explore_ns;
}

static void set_reason(
    struct cairn_sequencer *seq, const struct cairn_mission_edge *edge, enum cairn_mission_state to)
{
	struct cairn_mission_record *r = &seq->mission.record;
	bool ending = to == CAIRN_MISSION_STATE_RETURNING || to == CAIRN_MISSION_STATE_FINISHED;
	if (ending && edge->to == to && edge->reason != NULL)
		snprintf(r->end_reason, sizeof(r->end_reason), "%s", edge->reason);
	if (ending)
		snprintf(r->reason, sizeof(r->reason), "%s", r->end_reason);
	else if (edge->reason != NULL)
		snprintf(r->reason, sizeof(r->reason), "%s", edge->reason);
	else if (r->state == CAIRN_MISSION_STATE_TASK)
		seq_task_mission_reason(seq, r->reason, sizeof(r->reason));
	else
		snprintf(r->reason, sizeof(r->reason), "goto (%.2f, %.2f) %s", r->goto_x_m, r->goto_y_m,
		    seq->mission.errand.reached ? "reached" : "could not be reached");
}

void seq_mission_apply(struct cairn_sequencer *seq, uint32_t conditions, int64_t now_ns)
{
	struct cairn_mission_record *r = &seq->mission.record;
	if (!seq->cfg->mission.return_home)
		conditions |= CAIRN_MISSION_BIT(STAY);
	if (r->silent_way)
		conditions |= CAIRN_MISSION_BIT(SILENT_WAY);
	const struct cairn_mission_edge *edge =
	    cairn_mission_next((enum cairn_mission_state)r->state, conditions);
	if (edge == NULL)
		return;
	enum cairn_mission_state to = target_of(seq, edge);
	uint32_t cut_short = CAIRN_MISSION_BIT(TIME_UP) | CAIRN_MISSION_BIT(BATTERY_LOW);
	if ((edge->all & (CAIRN_MISSION_BIT(EXPLORED) | cut_short)) != 0 &&
	    r->state != CAIRN_MISSION_STATE_TASK)
		cairn_frontier_blacklist_close(&r->explore, &seq->offers.frontiers,
		    seq->cfg->mission.frontier_min_width_m, (edge->all & cut_short) != 0);
	bool same_way = to == CAIRN_MISSION_STATE_RETURNING && r->state == to &&
			(conditions & CAIRN_MISSION_BIT(HOME)) == 0;
	leave(seq, to, now_ns);
	set_reason(seq, edge, to);
	if (!same_way)
		seq_task_end(seq, CAIRN_OUTCOME_REPLACED, now_ns, "mission: %s", r->reason);
	if (to != CAIRN_MISSION_STATE_PAUSED && to != CAIRN_MISSION_STATE_GOTO)
		r->silent_way =
		    (edge->all & CAIRN_MISSION_BIT(SILENT)) != 0 || (r->silent_way && edge->to != to);
	r->state = (uint32_t)to;
	r->started = true;
	if (to == CAIRN_MISSION_STATE_EXPLORING &&
	    (edge->all & (CAIRN_MISSION_BIT(EXPLORE) | CAIRN_MISSION_BIT(AUTOSTART))) != 0)
		begin_exploration(seq, now_ns);
	if (to == CAIRN_MISSION_STATE_RETURNING && !same_way)
		enter_return(seq);
	if ((edge->all & CAIRN_MISSION_BIT(SURVEY)) != 0)
		begin_survey(seq, now_ns);
	if (to == CAIRN_MISSION_STATE_GOTO)
		memset(&seq->mission.errand, 0, sizeof(seq->mission.errand));
	seq->step.coast_mps = 0.0;
	seq->mission.home.failed = false;
	seq->mission.errand.ended = false;
	seq->mission.changed = true;
}

void seq_mission_step(struct cairn_sequencer *seq, int64_t now_ns)
{
	seq_mission_apply(seq, measure(seq, now_ns), now_ns);
}

/* ---- what to do next of its own ---- */

static void next_home(struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct cairn_config_mission *cfg = &seq->cfg->mission;
	if (seq_home_m(seq) <= cfg->home_tolerance_m || now_ns < seq->mission.home.t_wait_ns)
		return;
	if (seq->mission.home.attempts >= SEQ_HOME_ATTEMPTS) {
		seq->mission.home.failed = !seq->mission.record.silent_way;
		return;
	}
	if (seq->mission.home.recover) {
		seq->mission.home.recover = false;
		if (seq_begin_recovery(seq, CAIRN_SOURCE_MISSION, now_ns))
			return;
	}
	double x = 0.0, y = 0.0, tolerance = fmin(0.20, 0.8 * cfg->home_tolerance_m);
	if (seq->mission.home.attempts % 2 == 1) { /* from another side */
		double side = (0.25 + 0.5 * (seq->mission.home.attempts / 2)) * M_PI;
		x = HOME_VIA_M * cos(side);
		y = HOME_VIA_M * sin(side);
		tolerance = 0.25;
	}
	seq_begin_way(seq, CAIRN_SOURCE_MISSION, x, y, tolerance, "the way home", now_ns);
}

static void next_errand(struct cairn_sequencer *seq, int64_t now_ns)
{
	if (seq->mission.errand.ended)
		return;
	if (seq->mission.errand.recover) {
		seq->mission.errand.recover = false;
		if (seq_begin_recovery(seq, CAIRN_SOURCE_OPERATOR, now_ns))
			return;
	}
	seq_begin_way(seq, CAIRN_SOURCE_OPERATOR, seq->mission.record.goto_x_m, seq->mission.record.goto_y_m,
	    seq->cfg->nav.goal_tolerance_m, "goto", now_ns);
}

static void next_local(struct cairn_sequencer *seq, int64_t now_ns)
{
	if (seq->looks.next.due) {
		seq_next_look(seq, now_ns);
		return;
	}
	if (seq->progress.recovery_due) {
		seq->progress.recovery_due = false;
		if (!seq_begin_recovery(seq, CAIRN_SOURCE_LOCAL, now_ns))
			seq->progress.local_due = true; /* no room by itself: the planner may find a way */
		return;
	}
	bool insists = seq->progress.local_due;
	if (!insists && seq_tier(seq, now_ns) != CAIRN_TIER_LOCAL)
		return;
	seq->progress.local_due = false;
	bool stale = seq->offers.t_frontiers_ns == 0 ||
		     seq_seconds(seq->offers.t_frontiers_ns, now_ns) > SEQ_FRONTIERS_TIMEOUT_S;
	if (stale || now_ns < seq->progress.t_react_ns) {
		if (seq_begin_reaction(seq, now_ns))
			seq->task.insists = insists;
		else
			(void)seq_begin_recovery(seq, CAIRN_SOURCE_LOCAL, now_ns);
		return;
	}
	int best = cairn_frontier_blacklist_best(
	    &seq->mission.record.explore, &seq->offers.frontiers, seq->cfg->mission.frontier_min_width_m);
	if (best < 0)
		return;
	seq_begin_frontier(seq, &seq->offers.frontiers.items[best], now_ns);
	seq->task.insists = insists;
}

void seq_mission_next_task(struct cairn_sequencer *seq, int64_t now_ns)
{
	if (seq_executing(seq) || seq->inputs.now.hold[0] != '\0')
		return;
	switch ((enum cairn_mission_state)seq->mission.record.state) {
	case CAIRN_MISSION_STATE_EXPLORING:
		next_local(seq, now_ns);
		return;
	case CAIRN_MISSION_STATE_GOTO:
		next_errand(seq, now_ns);
		return;
	case CAIRN_MISSION_STATE_RETURNING:
		next_home(seq, now_ns);
		return;
	case CAIRN_MISSION_STATE_IDLE:
	case CAIRN_MISSION_STATE_PAUSED:
	case CAIRN_MISSION_STATE_FINISHED:
	case CAIRN_MISSION_STATE_TASK: /* the agent alone proposes */
	case CAIRN_MISSION_STATE_COUNT:
		return;
	}
}

static void home_way_ended(struct cairn_sequencer *seq, enum cairn_outcome outcome, int64_t now_ns)
{
	bool direct = seq->mission.home.attempts % 2 == 0;
	if (outcome == CAIRN_OUTCOME_SUCCESS && direct &&
	    seq_home_m(seq) <= seq->cfg->mission.home_tolerance_m)
		return;
	if (seq_home_m(seq) < seq->mission.home.best_m - HOME_NEARER_M) {
		seq->mission.home.best_m = seq_home_m(seq);
		seq->mission.home.attempts = 0;
	} else {
		seq->mission.home.attempts++;
	}
	if (outcome == CAIRN_OUTCOME_SUCCESS)
		return;
	seq->mission.home.recover = true;
	seq->mission.home.t_wait_ns = now_ns + (int64_t)(HOME_RETRY_S * 1e9);
}

void seq_mission_way_ended(
    struct cairn_sequencer *seq, const struct seq_task *t, enum cairn_outcome outcome, int64_t now_ns)
{
	if (t->kind != SEQ_NAV || outcome == CAIRN_OUTCOME_REPLACED)
		return;
	if (t->d.source == CAIRN_SOURCE_MISSION && seq->mission.record.state == CAIRN_MISSION_STATE_RETURNING)
		home_way_ended(seq, outcome, now_ns);
	if (t->d.source != CAIRN_SOURCE_OPERATOR || seq->mission.record.state != CAIRN_MISSION_STATE_GOTO)
		return;
	seq->mission.errand.reached = outcome == CAIRN_OUTCOME_SUCCESS;
	seq->mission.errand.recover = !seq->mission.errand.reached;
	seq->mission.errand.ended =
	    seq->mission.errand.reached || ++seq->mission.errand.attempts >= SEQ_GOTO_ATTEMPTS;
}
