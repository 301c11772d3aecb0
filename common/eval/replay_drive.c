/* replay_drive.c - a decision handed to the present sequencer and planner, which see what was seen then. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/eval/lockstep.h"
#include "common/eval/replay.h"
#include "common/plan/planner.h"
#include "common/sequencer/sequencer.h"

#define STEP_NS (50 * CAIRN_NS_PER_MS)
#define STEPS 60 /* the first velocity is waited for so long */
#define SCAN_STEPS 2
#define FLOOR_NS (300 * CAIRN_NS_PER_S) /* older views of the floor say little about where the robot is now */

struct drive {
	struct cairn_sequencer *seq;
	struct cairn_planner *planner;
	struct cairn_lockstep bus; /* of these two */
	int64_t t0_ns;
	struct cairn_sequencer_output out;
	struct cairn_planner_output plan;
	bool has_scan, has_depth;
	struct cairn_header hdr, scan_hdr;
	struct cairn_msg_scan scan;
	struct cairn_msg_depth_scan depth;
	struct cairn_msg_pose pose;
	struct cairn_msg_motion motion;
	struct cairn_msg_mission mission;
	struct cairn_msg_frontiers asked, between,
	    frontiers;        /* when it was asked, until, and when it was decided */
	int64_t frontiers_ns; /* stamp of the newest that were handed in */
	struct cairn_msg_candidates candidates;
	struct cairn_msg_zones zones;
	struct cairn_msg_decision past;
	struct cairn_msg_result past_result;
	struct cairn_mission_record record;
	struct cairn_msg_nav_path path;
	struct cairn_text cells;
};

/* ---- putting the sequencer to where it was ---- */

static void fill_record(struct drive *d)
{
	const struct cairn_msg_mission *m = &d->mission;
	struct cairn_mission_record *r = &d->record;
	int64_t began_ns = d->t0_ns - (int64_t)(fmax(m->elapsed_s, 0.0) * 1e9);
	r->state = (uint32_t)m->state;
	r->started = true;
	r->limit_s = m->limit_s;
	r->t_first_ns = r->t_explore_ns = began_ns > 0 ? began_ns : 1;
	r->first_decision_s = m->first_decision_s;
	r->decisions = m->decisions;
	r->refused = m->refused;
	snprintf(r->reason, sizeof(r->reason), "%.*s", (int)sizeof(r->reason) - 1, m->reason);
	for (uint32_t i = 0; i < m->given_up_count && i < CAIRN_FRONTIER_BLACKLIST_MEMORY; i++) {
		struct cairn_frontier_blacklist_place *p = &r->explore.places[r->explore.count++];
		*p = (struct cairn_frontier_blacklist_place){.x_m = m->given_up[i].x_m,
		    .y_m = m->given_up[i].y_m,
		    .free_m2 = d->frontiers.free_m2,
		    .failures = CAIRN_FRONTIER_BLACKLIST_TRIES,
		    .given_up = true};
		snprintf(p->reason, sizeof(p->reason), "%s", m->given_up[i].reason);
	}
	r->zones = d->zones;
}

/* What was blocked lately, as the sequencer remembered it. */
static void tell_past(struct drive *d, const struct cairn_recording *recording, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++) {
		const struct cairn_recorded_question *q = &recording->questions[k];
		if (!cairn_recorded_newest(&q->decided, CAIRN_TOPIC_DECISION, &d->hdr, &d->past) ||
		    !cairn_recorded_newest(&q->ended, CAIRN_TOPIC_RESULT, &d->hdr, &d->past_result) ||
		    d->hdr.t_ns > d->t0_ns)
			continue;
		const struct cairn_msg_result *r = &d->past_result;
		bool blocked = r->outcome == CAIRN_OUTCOME_BLOCKED ||
			       (r->outcome == CAIRN_OUTCOME_REFUSED && r->overridden);
		if (blocked)
			cairn_sequencer_was_blocked(
			    d->seq, &d->past, r->x_m, r->y_m, r->yaw_rad, d->hdr.t_ns);
	}
}

static bool hand_in_one(
    struct drive *d, const struct cairn_recorded_line *line, uint32_t i, struct cairn_error *err)
{
	enum cairn_topic topic = cairn_recorded_topic(line, i);
	void *message = topic == CAIRN_TOPIC_POSE         ? (void *)&d->pose
			: topic == CAIRN_TOPIC_SCAN_DEPTH ? (void *)&d->depth
			: topic == CAIRN_TOPIC_SCAN       ? (void *)&d->scan
			: topic == CAIRN_TOPIC_MOTION     ? (void *)&d->motion
			: topic == CAIRN_TOPIC_CANDIDATES ? (void *)&d->candidates
			: topic == CAIRN_TOPIC_FRONTIERS  ? (void *)&d->between
							  : NULL;
	if (message == NULL)
		return true;
	if (!cairn_recorded_message(line, i, &d->hdr, message, err))
		return false;
	if (topic == CAIRN_TOPIC_FRONTIERS) { /* each update once, from those that were asked about on */
		if (d->hdr.t_ns <= d->frontiers_ns)
			return true;
		d->frontiers_ns = d->hdr.t_ns;
	}
	d->has_scan |= topic == CAIRN_TOPIC_SCAN;
	d->has_depth |= topic == CAIRN_TOPIC_SCAN_DEPTH;
	if (topic == CAIRN_TOPIC_SCAN)
		d->scan_hdr = d->hdr;
	cairn_lockstep_send(&d->bus, topic, message, d->hdr.t_ns);
	return true;
}

/* The messages in the order in which they came, to all. */
static bool hand_in(struct drive *d, const struct cairn_recorded_line *line, struct cairn_error *err)
{
	bool ok = true;
	for (uint32_t i = 0, n = cairn_recorded_messages(line); ok && i < n; i++)
		ok = hand_in_one(d, line, i, err);
	return ok;
}

/* The floor on the way here, as it was shown after after_ns and until until_ns. */
static bool tell_floor(struct drive *d, const struct cairn_recording *recording, int64_t after_ns,
    int64_t until_ns, struct cairn_error *err)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < recording->seen_count; i++) {
		const struct cairn_recorded_line *line = &recording->seen[i];
		int64_t t_ns = cairn_recorded_t_ns(line);
		if (t_ns > after_ns && t_ns <= until_ns)
			ok = hand_in(d, line, err);
	}
	return ok;
}

/* What was seen on the way here, and when the question was asked. */
static bool tell_seen(
    struct drive *d, const struct cairn_recording *recording, uint32_t i, struct cairn_error *err)
{
	const struct cairn_recorded_line *asked = &recording->questions[i].asked;
	int64_t t_ns = cairn_recorded_t_ns(asked), since_ns = d->t0_ns - FLOOR_NS;
	if (t_ns < since_ns || t_ns > d->t0_ns)
		return tell_floor(d, recording, since_ns, d->t0_ns, err);
	/* It was seen when the snapshot was made, a little before the question. */
	if (cairn_recorded_newest(asked, CAIRN_TOPIC_SCAN, &d->scan_hdr, &d->scan))
		t_ns = d->scan_hdr.t_ns;
	if (!tell_floor(d, recording, since_ns, t_ns, err) || !hand_in(d, asked, err))
		return false;
	if (d->has_scan) /* of an earlier version it has none */
		cairn_sequencer_has_looked(d->seq, t_ns);
	return tell_floor(d, recording, t_ns, d->t0_ns, err);
}

/* ---- the planner ---- */

static bool show_map(struct drive *d, const struct cairn_recorded_line *line, struct cairn_error *err)
{
	struct cairn_frame_header hdr;
	struct cairn_error why = {""};
	cairn_planner_zones(d->planner, cairn_sequencer_zones(d->seq));
	if (cairn_recorded_blob(line, "grid", &d->cells) &&
	    !cairn_recorded_grid(line, &hdr, &d->cells, &why)) {
		*err = why;
		return false;
	}
	if (d->cells.len == 0)
		return true; /* no map yet: then there was no way either */
	struct cairn_plan_grid grid = {.cells = (const uint8_t *)d->cells.data,
	    .stride = hdr.stride_bytes,
	    .width = (int)hdr.width,
	    .height = (int)hdr.height,
	    .origin_x_m = hdr.origin_x_m,
	    .origin_y_m = hdr.origin_y_m,
	    .cell_m = hdr.cell_m};
	cairn_planner_grid(d->planner, &grid, d->t0_ns);
	return true;
}

/* The world stands still: everything is seen again as it was. */
static void see_again(struct drive *d, int64_t t_ns, int step)
{
	d->pose.v_mps = 0.0;
	cairn_lockstep_send(&d->bus, CAIRN_TOPIC_POSE, &d->pose, t_ns);
	cairn_lockstep_send(&d->bus, CAIRN_TOPIC_MOTION, &d->motion, t_ns);
	if (step % SCAN_STEPS != 0)
		return;
	d->scan.t_start_ns = t_ns - 1;
	if (d->has_scan)
		cairn_lockstep_send(&d->bus, CAIRN_TOPIC_SCAN, &d->scan, t_ns);
	if (d->has_depth)
		cairn_lockstep_send(&d->bus, CAIRN_TOPIC_SCAN_DEPTH, &d->depth, t_ns);
	cairn_lockstep_send(&d->bus, CAIRN_TOPIC_FRONTIERS, &d->frontiers, t_ns);
}

static double length_of(const struct cairn_msg_nav_path *path)
{
	double sum = 0.0;
	for (uint32_t i = 1; i < path->points_count; i++)
		sum += hypot((double)(path->points[i].x_m - path->points[i - 1].x_m),
		    (double)(path->points[i].y_m - path->points[i - 1].y_m));
	return sum;
}

static void plan(struct drive *d, int64_t t_ns, struct cairn_eval_replay_side *ret)
{
	if (d->out.nav_goal.active && !ret->has_target) {
		ret->has_target = true;
		ret->target_x_m = d->out.nav_goal.x_m;
		ret->target_y_m = d->out.nav_goal.y_m;
	}
	cairn_lockstep_send(&d->bus, CAIRN_TOPIC_NAV_GOAL, &d->out.nav_goal, t_ns);
	cairn_planner_step(d->planner, t_ns, &d->plan);
	if (d->plan.has_velocity)
		cairn_lockstep_send(&d->bus, CAIRN_TOPIC_NAV_VELOCITY, &d->plan.velocity, t_ns);
	cairn_lockstep_send(&d->bus, CAIRN_TOPIC_NAV_STATUS, &d->plan.status, t_ns);
	enum cairn_nav_state s = d->plan.status.state;
	if (!d->out.nav_goal.active || ret->has_nav || s == CAIRN_NAV_STATE_IDLE ||
	    s == CAIRN_NAV_STATE_PLANNING)
		return;
	ret->has_nav = true;
	ret->nav = s;
	cairn_planner_path(d->planner, &d->path);
	ret->way_m = d->path.points_count > 0 ? length_of(&d->path) : -1.0;
}

/* True when the decision has ended. */
static bool take_result(struct drive *d, uint64_t id, struct cairn_eval_replay_side *ret)
{
	struct cairn_msg_result r;
	bool ended = false;
	while (cairn_sequencer_next_result(d->seq, &r)) {
		if (r.decision_id != id || ended)
			continue;
		ended = true;
		ret->outcome = r.outcome;
		ret->accepted = r.outcome != CAIRN_OUTCOME_REFUSED;
		snprintf(ret->reason, sizeof(ret->reason), "%s", r.reason);
	}
	return ended;
}

static void watch(struct drive *d, uint64_t id, struct cairn_eval_replay_side *ret)
{
	for (int k = 1; k <= STEPS && !ret->has_command; k++) {
		int64_t t_ns = d->t0_ns + k * STEP_NS;
		d->bus.now_ns = t_ns;
		see_again(d, t_ns, k);
		cairn_sequencer_step(d->seq, t_ns, &d->out);
		const struct cairn_msg_cmd_vel *c = &d->out.cmd_vel;
		if (c->decision_id == id && c->v_mps != 0.0) {
			ret->has_command = true;
			ret->v_mps = c->v_mps;
			ret->w_radps = c->w_radps;
		}
		plan(d, t_ns, ret);
		if (take_result(d, id, ret))
			return;
	}
}

static bool run(struct drive *d, const struct cairn_recording *recording, uint32_t i,
    const struct cairn_config *cfg, const struct cairn_msg_decision *decision,
    struct cairn_eval_replay_side *ret, struct cairn_error *err)
{
	const struct cairn_recorded_line *line = &recording->questions[i].decided;
	d->t0_ns = cairn_recorded_t_ns(line);
	if (!cairn_recorded_newest(line, CAIRN_TOPIC_MISSION, &d->hdr, &d->mission)) {
		cairn_error_set(err, "line %d: the state of the mission is missing", line->number);
		return false;
	}
	(void)cairn_recorded_newest(line, CAIRN_TOPIC_ZONES, &d->hdr, &d->zones);
	(void)cairn_recorded_newest(line, CAIRN_TOPIC_FRONTIERS, &d->hdr, &d->frontiers);
	fill_record(d);
	d->seq = cairn_sequencer_new(cfg, &d->record, d->t0_ns - CAIRN_NS_PER_S);
	if (d->seq == NULL)
		cairn_error_set(err, "out of memory");
	d->planner = d->seq != NULL ? cairn_planner_new(cfg, err) : NULL;
	d->bus = (struct cairn_lockstep){.seq = d->seq, .planner = d->planner, .now_ns = d->t0_ns};
	cairn_lockstep_init(&d->bus);
	/* What was asked about first: of a frontier that has gone since, another may stand in its place. */
	if (d->planner != NULL &&
	    cairn_recorded_newest(
		&recording->questions[i].asked, CAIRN_TOPIC_FRONTIERS, &d->hdr, &d->asked) &&
	    d->hdr.t_ns < d->t0_ns) {
		d->frontiers_ns = d->hdr.t_ns;
		cairn_lockstep_send(&d->bus, CAIRN_TOPIC_FRONTIERS, &d->asked, d->hdr.t_ns);
	}
	if (d->planner == NULL || !tell_seen(d, recording, i, err) || !hand_in(d, line, err) ||
	    !show_map(d, line, err))
		return false;
	tell_past(d, recording, i);
	cairn_sequencer_step(d->seq, d->t0_ns - CAIRN_NS_PER_MS, &d->out);
	cairn_lockstep_send(&d->bus, CAIRN_TOPIC_DECISION, decision, d->t0_ns);
	ret->judged = ret->accepted = true;
	if (!take_result(d, decision->id, ret))
		watch(d, decision->id, ret);
	return true;
}

bool cairn_eval_replay_drive(const struct cairn_recording *recording, uint32_t i,
    const struct cairn_config *cfg, const struct cairn_msg_decision *decision,
    struct cairn_eval_replay_side *ret, struct cairn_error *err)
{
	struct drive *d = calloc(1, sizeof(*d));
	if (d == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	bool ok = run(d, recording, i, cfg, decision, ret, err);
	cairn_sequencer_destroy(&d->seq);
	cairn_planner_destroy(&d->planner);
	cairn_text_free(&d->cells);
	free(d);
	return ok;
}
