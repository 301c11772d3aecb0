/* run_model.c - in the model's place: the scripted pilot, or a caller's own choice, after a model's latency.
 *
 * What the pilot reads out of a prompt on the robot it is given here as numbers, rounded as the prompt rounds
 * them (common/percept/text.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/eval/run_private.h"
#include "common/explore/offered_frontiers.h"
#include "common/vlm/profile.h"
#include "common/vlm/rule_choice.h"

#define LIST_WAIT_NS                                                                                         \
	(700 *                                                                                               \
	    CAIRN_NS_PER_MS) /* as the gateway waits for what is new since the last result                \
				 */
#define RETRY_NS (500 * CAIRN_NS_PER_MS)
#define LATENCY_MIN_S 0.05
#define LATENCY_MAX_S 60.0

void run_model_init(struct cairn_run *r)
{
	cairn_pilot_init(&r->model.pilot, r->cfg->pilot.profile, (uint64_t)r->cfg->pilot.seed);
	cairn_rng_seed(&r->model.rng, (uint64_t)r->cfg->pilot.seed, 12);
	struct cairn_profile pilot;
	cairn_profile_defaults(&pilot);
	r->model.max_age_s = r->cfg->vlm.max_age_s > 0.0 ? r->cfg->vlm.max_age_s : pilot.max_age_s;
	struct cairn_trigger_params triggers = cairn_trigger_params_from_config(r->cfg);
	cairn_triggers_init(&r->model.triggers, &triggers, r->now_ns);
}

static void see_scan(struct cairn_run *r, struct cairn_pilot_view *v)
{
	struct cairn_msg_percept p;
	v->nearest_m = -1.0;
	if (r->newest == NULL || !cairn_percept_from_scan(&p, &r->newest->scan, &r->percept))
		return;
	v->sector_count = 12;
	for (int i = 0; i < 12; i++)
		v->sector_m[i] = cairn_tenth((double)p.sector_m[i]);
	v->has_feasibility = true;
	for (int i = 0; i < CAIRN_DIRECTION_COUNT; i++)
		v->feasibility[i] = (double)p.feasibility[i];
	v->nearest_m = p.nearest_m;
	for (uint32_t i = 0; i < p.gaps_count && i < 3; i++)
		v->gaps[v->gap_count++] = (struct cairn_pilot_gap){
		    cairn_rad_to_deg(p.gaps[i].bearing_rad), p.gaps[i].width_m, p.gaps[i].distance_m};
}

static void see_frontiers(struct cairn_run *r, struct cairn_pilot_view *v)
{
	for (uint32_t i = 0; i < r->frontiers.items_count && v->frontier_count < CAIRN_PILOT_FRONTIERS_MAX;
	     i++) {
		const struct cairn_msg_frontier *f = &r->frontiers.items[i];
		if (v->frontier_count == CAIRN_OFFER_MAX)
			return;
		if (!cairn_frontier_offered(f, &r->out.mission))
			continue;
		v->frontiers[v->frontier_count++] = (struct cairn_pilot_frontier){.id = f->id,
		    .bearing_deg = round(cairn_rad_to_deg(f->bearing_rad)),
		    .path_m = cairn_tenth(f->distance_m),
		    .width_m = cairn_tenth(f->width_m),
		    .kind = f->kind};
	}
}

static void see_candidates(struct cairn_run *r, struct cairn_pilot_view *v)
{
	v->stuck = r->candidates.stuck;
	for (uint32_t i = 0; i < r->candidates.items_count && v->candidate_count < CAIRN_PILOT_CANDIDATES_MAX;
	     i++) {
		const struct cairn_msg_candidate *c = &r->candidates.items[i];
		v->candidates[v->candidate_count++] = (struct cairn_pilot_candidate){.id = c->id,
		    .frontier_id = c->frontier_id,
		    .kind = c->kind,
		    .path_m = cairn_tenth(c->path_m),
		    .score = round(c->score * 100.0) / 100.0,
		    .next = cairn_frontier_next(&r->frontiers, c->frontier_id)};
	}
}

static void see_under_way(const struct cairn_run *r, struct cairn_pilot_view *v)
{
	const struct cairn_msg_mission *m = &r->out.mission;
	if (m->decision_id == 0 || m->decision_source != CAIRN_SOURCE_MODEL)
		return;
	if (sscanf(m->activity, "navigate_to_goal frontier %u", &v->driven_frontier_id) != 1)
		(void)sscanf(m->activity, "navigate_to_goal candidate %u", &v->driven_candidate_id);
}

static void look(struct cairn_run *r)
{
	struct run_model *m = &r->model;
	m->view = (struct cairn_pilot_view){.room_count = m->rooms};
	see_scan(r, &m->view);
	see_frontiers(r, &m->view);
	see_candidates(r, &m->view);
	see_under_way(r, &m->view);
	memcpy(m->view.actions, m->actions, sizeof(m->actions));
	m->view.action_count = m->action_count;
}

static void choose(struct cairn_run *r, struct cairn_msg_decision *d)
{
	struct run_model *m = &r->model;
	struct cairn_pilot_choice choice;
	cairn_pilot_choose(&m->pilot, &m->view, &choice);
	m->rooms += choice.has_report;
	if (choice.has_report && r->o.on_report != NULL)
		r->o.on_report(r->o.report_ctx, r, &choice.report);
	m->said.kind = CAIRN_ANSWER_ACTION;
	m->said.main = choice.call;
	struct cairn_msg_decision made, head = *d;
	cairn_decision_from_answer(&m->said, &made);
	made.id = head.id;
	made.snapshot_id = head.snapshot_id;
	made.t_snapshot_ns = head.t_snapshot_ns;
	made.snapshot_x_m = head.snapshot_x_m;
	made.snapshot_y_m = head.snapshot_y_m;
	made.snapshot_yaw_rad = head.snapshot_yaw_rad;
	made.candidate_set = head.candidate_set;
	made.replaces = head.replaces;
	made.max_age_s = head.max_age_s;
	*d = made;
}

/* Is it the frontier that the round through all of them goes on to? */
static void count_choice(struct cairn_run *r)
{
	const struct cairn_msg_decision *d = &r->model.decision;
	uint32_t id = d->goal_kind == CAIRN_GOAL_KIND_FRONTIER ? d->frontier_id : 0;
	if (d->tool != CAIRN_TOOL_NAVIGATE_TO_GOAL)
		return;
	for (uint32_t i = 0; d->goal_kind == CAIRN_GOAL_KIND_CANDIDATE && i < r->candidates.items_count; i++)
		if (r->candidates.items[i].id == d->candidate_id)
			id = r->candidates.items[i].frontier_id;
	r->totals.choices++;
	r->totals.choices_next += cairn_frontier_next(&r->frontiers, id);
}

/* The next question after an event, whatever it was made for. */
static void note_reaction(struct cairn_run *r)
{
	struct run_model *m = &r->model;
	if (m->event != CAIRN_TRIGGER_NONE && !m->event_waited && r->totals.reactions < CAIRN_RUN_REACTIONS)
		r->totals.reaction_s[r->totals.reactions++] = (float)(r->now_ns - m->event_ns) * 1e-9f;
	m->event = CAIRN_TRIGGER_NONE;
}

static void ask(struct cairn_run *r, enum cairn_trigger why)
{
	struct run_model *m = &r->model;
	const struct cairn_config_pilot *p = &r->cfg->pilot;
	look(r);
	note_reaction(r);
	cairn_triggers_taken(&m->triggers, r->now_ns);
	cairn_call_policy_question_asked(&m->asked, r->pose.x_m, r->pose.y_m, r->now_ns);
	r->totals.calls++;
	r->totals.asked[why]++;
	m->asked_why = why;
	m->decision = (struct cairn_msg_decision){.id = m->last_id + 1,
	    .snapshot_id = ++m->snapshots,
	    .t_snapshot_ns = r->now_ns,
	    .snapshot_x_m = r->pose.x_m,
	    .snapshot_y_m = r->pose.y_m,
	    .snapshot_yaw_rad = r->pose.yaw_rad,
	    .source = CAIRN_SOURCE_MODEL,
	    .replaces = r->out.mission.takes_events ? r->out.mission.decision_id : 0,
	    .max_age_s = m->max_age_s,
	    .candidate_set = r->candidates.set};
	m->answers = true;
	if (r->o.decide != NULL)
		m->answers = r->o.decide(r->o.decide_ctx, r, &m->view, &m->decision);
	else
		choose(r, &m->decision);
	count_choice(r);
	/* log-normal with that mean */
	double mu = log(fmax(p->latency_mean_s, 1e-3)) - 0.5 * p->latency_sigma * p->latency_sigma;
	double latency = exp(mu + p->latency_sigma * cairn_rng_normal(&m->rng));
	if (r->o.answer_s != NULL && *r->o.answer_s > 0.0)
		latency = *r->o.answer_s;
	m->decision.latency_s = cairn_clamp(latency, LATENCY_MIN_S, LATENCY_MAX_S);
	m->due_ns = r->now_ns + (int64_t)(m->decision.latency_s * 1e9);
	m->thinking = true;
}

static void tell_decision(struct cairn_run *r)
{
	struct run_model *m = &r->model;
	if (m->decision.id > m->last_id)
		m->last_id = m->decision.id;
	r->totals.decisions++;
	cairn_triggers_on_decision(
	    &m->triggers, (struct cairn_vec2){m->decision.snapshot_x_m, m->decision.snapshot_y_m});
	m->given[m->decision.id % RUN_GIVEN] = m->decision;
	if (r->seq != NULL)
		cairn_lockstep_send(&r->bus, CAIRN_TOPIC_DECISION, &m->decision, r->now_ns);
	else
		run_naive_decision(r, &m->decision);
}

static void answer(struct cairn_run *r)
{
	struct run_model *m = &r->model;
	m->thinking = false;
	m->ask_ns = r->now_ns + RETRY_NS;
	if (!m->answers)
		return;
	m->answer_ns = r->now_ns;
	tell_decision(r);
}

void cairn_run_local(struct cairn_run *r, const struct cairn_msg_local *local)
{
	r->model.novelty = local->novelty;
	r->model.novelty_ns = r->now_ns;
	cairn_triggers_on_local(&r->model.triggers, local, r->now_ns);
}

static int64_t age_of(const struct cairn_run *r, int64_t t_ns)
{
	return t_ns != 0 ? r->now_ns - t_ns : CAIRN_CALL_POLICY_NEVER;
}

/* As the gateway does it: a decision that is merely wanted, where nothing new is in sight. False: the model is asked. */
static bool decide_by_rule(struct cairn_run *r)
{
	struct run_model *m = &r->model;
	bool fresh = m->novelty_ns != 0 && cairn_topic_fresh(CAIRN_TOPIC_LOCAL, m->novelty_ns, r->now_ns);
	struct cairn_call_policy_wish wish = {
	    .band = cairn_novelty_band(&r->cfg->vlm, fresh ? m->novelty : -1.0),
	    .trigger = CAIRN_TRIGGER_RESULT,
	    .question_age_ns = age_of(r, m->answer_ns),
	    .trouble_age_ns = age_of(r, m->trouble_ns),
	    .has_goal = r->o.goal != NULL,
	    .stuck = r->candidates.stuck};
	struct cairn_answer said = {.kind = CAIRN_ANSWER_ACTION};
	if (!cairn_call_policy_left_to_rule(&r->cfg->vlm, &wish) ||
	    !cairn_rule_choose(&r->frontiers, &r->out.mission, &m->decision, &r->candidates, &said.main))
		return false;
	cairn_triggers_taken(&m->triggers, r->now_ns);
	cairn_decision_from_answer(&said, &m->decision);
	m->decision.id = m->last_id + 1;
	m->decision.snapshot_id = ++m->snapshots;
	m->decision.t_snapshot_ns = r->now_ns;
	m->decision.snapshot_x_m = r->pose.x_m;
	m->decision.snapshot_y_m = r->pose.y_m;
	m->decision.snapshot_yaw_rad = r->pose.yaw_rad;
	m->decision.decider = CAIRN_DECIDER_RULE;
	m->ask_ns = r->now_ns + RETRY_NS;
	r->totals.rule_decisions++;
	tell_decision(r);
	return true;
}

/* On the robot the map is long there when the mission begins. */
static bool something_to_see(const struct cairn_run *r)
{
	const struct run_model *m = &r->model;
	if (r->looks < r->o.looks)
		return false;
	bool old = r->candidates_ns < m->result_ns && r->now_ns - m->result_ns < LIST_WAIT_NS;
	if (old && r->o.decide == NULL && m->pilot.profile == CAIRN_CHOICE_PILOT_HYBRID)
		return false;
	return r->pose_some && (r->o.map == CAIRN_RUN_MAP_NONE || r->frontiers.free_m2 > 0.0);
}

/* A call that is still under way takes the place of the next one. */
static void ask_at_fixed_rate(struct cairn_run *r)
{
	struct run_model *m = &r->model;
	if (r->now_ns < m->tick_ns || !something_to_see(r))
		return;
	m->tick_ns = r->now_ns + (int64_t)(r->o.ask_period_s * 1e9);
	if (!m->thinking)
		ask(r, CAIRN_TRIGGER_TIMER);
}

void run_model_scan(struct cairn_run *r, const struct run_scan *s)
{
	struct run_model *m = &r->model;
	const struct cairn_msg_mission *mission = &r->out.mission;
	struct cairn_msg_percept p;
	if (!cairn_percept_from_scan(&p, &s->scan, &r->percept))
		return;
	cairn_triggers_on_mission(&m->triggers, mission, r->now_ns);
	cairn_triggers_on_scene(&m->triggers, &p, r->pose_some ? &r->pose : NULL, r->now_ns);
	enum cairn_trigger found = m->triggers.scene;
	bool driven = mission->decision_id != 0 && mission->decision_source == CAIRN_SOURCE_MODEL;
	if (found == CAIRN_TRIGGER_NONE || mission->wants_decision)
		return; /* who wants a decision anyway is asked by that wish */
	cairn_triggers_taken(&m->triggers, r->now_ns);
	if (!cairn_call_policy_is_event(found) || !driven)
		return;
	if (cairn_call_policy_event_known(
		&r->cfg->vlm, &m->asked, found, r->pose.x_m, r->pose.y_m, r->now_ns)) {
		r->totals.events_known++;
		return;
	}
	cairn_call_policy_event_asked(&m->asked, found, r->pose.x_m, r->pose.y_m, r->now_ns);
	m->event = found;
	m->event_ns = s->t_ns;
	m->event_waited = m->thinking;
	r->totals.events++;
	r->totals.events_thinking += m->thinking;
}

/* The newest event may be asked about: what is driven may be replaced, and it has not passed. */
static bool event_due(const struct cairn_run *r)
{
	const struct run_model *m = &r->model;
	return m->event != CAIRN_TRIGGER_NONE && r->out.mission.takes_events && r->cfg->vlm.ask_at_events &&
	       r->now_ns - m->event_ns <= CAIRN_CALL_POLICY_EVENT_NS;
}

void run_model_step(struct cairn_run *r, bool wanted)
{
	struct run_model *m = &r->model;
	if (m->thinking && r->now_ns >= m->due_ns) {
		m->answers = m->answers && (wanted || r->o.ask_period_s <= 0.0);
		answer(r);
	} else if (r->o.ask_period_s > 0.0) {
		ask_at_fixed_rate(r);
	} else if (!m->thinking && wanted && r->now_ns >= m->ask_ns && something_to_see(r)) {
		if (!decide_by_rule(r))
			ask(r, CAIRN_TRIGGER_RESULT);
	} else if (!m->thinking && event_due(r) && something_to_see(r)) {
		r->totals.event_calls++;
		ask(r, m->event);
	}
}

/* As the memory of a model has it: what the answer to an event has only confirmed is one action (cairn_memory_add_result). */
static void add_action(struct run_model *m, struct cairn_pilot_action *ended)
{
	struct cairn_pilot_action *newest = &m->actions[0];
	if (m->action_count > 0 && newest->outcome == CAIRN_OUTCOME_REPLACED && newest->tool == ended->tool &&
	    newest->frontier_id == ended->frontier_id && newest->candidate_id == ended->candidate_id &&
	    newest->direction == ended->direction) {
		ended->distance_m += newest->distance_m;
		*newest = *ended;
		return;
	}
	memmove(&m->actions[1], &m->actions[0], (RUN_ACTIONS - 1) * sizeof(m->actions[0]));
	*newest = *ended;
	m->action_count += m->action_count < RUN_ACTIONS;
}

void run_model_result(struct cairn_run *r, const struct cairn_msg_result *result)
{
	struct run_model *m = &r->model;
	if (r->o.on_result != NULL)
		r->o.on_result(r->o.decide_ctx, r, result);
	cairn_triggers_on_result(&m->triggers, result, r->now_ns);
	if (cairn_trigger_of_result(result) == CAIRN_TRIGGER_BLOCKED)
		m->trouble_ns = r->now_ns;
	if (result->decision_id == 0)
		return;
	const struct cairn_msg_decision *d = &m->given[result->decision_id % RUN_GIVEN];
	r->totals.outcomes[result->outcome]++;
	m->result_ns = r->now_ns;
	m->ask_ns = r->now_ns; /* something has changed: no need to wait */
	struct cairn_pilot_action ended = {.tool = result->tool,
	    .frontier_id = result->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL ? d->frontier_id : 0,
	    .candidate_id = result->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL ? d->candidate_id : 0,
	    .direction = result->tool == CAIRN_TOOL_MOVE_TOWARD ? (int)d->direction : -1,
	    .outcome = result->outcome,
	    .distance_m = result->distance_m};
	add_action(m, &ended);
}
