#include "common/eval/dead_end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/eval/trial_private.h"

#define SAMPLE_STEPS 10 /* 0.1 s */
#define INSIDE_M 0.15   /* the rear axle is so far past the mouth: the robot is in the corridor */
#define KEEPS_M 0.35    /* a person comes no nearer */
#define BESIDE_M 0.3
#define AFTER_S 10.0 /* so long after the way has come free nothing is held against the robot */
#define HOME_SLACK_M 0.10
#define GIVEN_UP_MAX CAIRN_FRONTIER_BLACKLIST_MEMORY

enum stage { AWAITED, COMING, THERE, LEAVING, GONE };

struct episode {
	const struct cairn_dead_end_options *o;
	struct cairn_dead_ends d;
	struct cairn_config cfg;
	struct cairn_dead_end_result *r;
	struct cairn_trial_result *trial; /* large: judges what was left */
	uint64_t steps;
	enum stage stage;
	double mover_m;                        /* depth of the person */
	double since_s;                        /* of the stage */
	struct cairn_vec2 known[GIVEN_UP_MAX]; /* given up, as far as looked at; map frame */
	uint32_t known_count;
};

/* ---- who appears ---- */

static void enter(struct episode *e, enum stage stage, double now_s)
{
	e->stage = stage;
	e->since_s = now_s;
}

static bool put(struct episode *e, struct cairn_run *run, double depth_m)
{
	struct cairn_vec2 at = cairn_dead_end_at(&e->d.ends[0], depth_m);
	return cairn_sim_put_person(cairn_run_sim(run), 0, at);
}

/* One step of a person's walk in or out; stands where it would come nearer to the robot than people do. */
static bool walk(struct episode *e, struct cairn_run *run, double to_m)
{
	const struct cairn_person *p = &e->d.world->people[0];
	double step = p->speed_mps * CAIRN_SIM_STEP_S, left = to_m - e->mover_m;
	double next = e->mover_m + cairn_clamp(left, -step, step);
	struct cairn_vec2 now = cairn_dead_end_at(&e->d.ends[0], e->mover_m),
			  at = cairn_dead_end_at(&e->d.ends[0], next);
	struct cairn_footprint body = {e->cfg.robot.footprint_front_m, e->cfg.robot.footprint_rear_m,
	    e->cfg.robot.footprint_half_width_m};
	struct cairn_pose2 robot = cairn_run_truth(run)->body.pose;
	struct cairn_disc there = {at.x_m, at.y_m, p->radius_m, 0.0, p->height_m},
			  here = {now.x_m, now.y_m, p->radius_m, 0.0, p->height_m};
	double near = cairn_disc_clearance(&there, robot, &body);
	if (near < KEEPS_M && near < cairn_disc_clearance(&here, robot, &body))
		return true;
	if (put(e, run, next))
		e->mover_m = next;
	return fabs(left) <= step;
}

static void move_mover(struct episode *e, struct cairn_run *run, double robot_m, double now_s)
{
	bool box = e->d.behind == CAIRN_BEHIND_BOX;
	double rear_m = robot_m - e->cfg.robot.footprint_front_m - e->d.gap_m; /* whichever way it faces */
	switch (e->stage) {
	case AWAITED:
		if (e->d.behind == CAIRN_BEHIND_NOBODY || robot_m < e->d.trigger_m)
			return;
		e->mover_m = box ? fmax(rear_m, 0.05) : 0.0;
		if (!put(e, run, e->mover_m))
			return;
		e->r->appeared = true;
		enter(e, box ? THERE : COMING, now_s);
		return;
	case COMING:
		if (robot_m < 0.0 || walk(e, run, fmax(rear_m, 0.0)))
			enter(e, THERE, now_s);
		return;
	case THERE:
		if (now_s - e->since_s >= e->d.stay_s)
			enter(e, LEAVING, now_s);
		return;
	case LEAVING:
		if (!box && !walk(e, run, 0.0))
			return;
		(void)cairn_sim_put_person(cairn_run_sim(run), 0, e->d.away);
		enter(e, GONE, now_s);
		return;
	case GONE:
		return;
	}
}

/* ---- what is given up ---- */

/* Nothing else than the mover can be in the way back: the robot has come that way. */
static bool way_back_free(const struct episode *e, double now_s)
{
	return e->stage == AWAITED || (e->stage == GONE && now_s - e->since_s >= AFTER_S);
}

static const struct cairn_dead_end *corridor_of(
    const struct episode *e, struct cairn_vec2 at, double *ret_depth_m)
{
	for (uint32_t i = 0; i < e->d.count; i++) {
		*ret_depth_m = cairn_dead_end_depth(&e->d.ends[i], at.x_m, at.y_m);
		if (*ret_depth_m >= 0.0)
			return &e->d.ends[i];
	}
	*ret_depth_m = -1.0;
	return NULL;
}

/* Is a frontier of a corridor: its place lies in it, or in the map's wall beside it. */
static bool reaches(const struct cairn_dead_end *end, struct cairn_vec2 at)
{
	for (int dx = -1; dx <= 1; dx++)
		for (int dy = -1; dy <= 1; dy++)
			if (cairn_dead_end_depth(end, at.x_m + BESIDE_M * dx, at.y_m + BESIDE_M * dy) >= 0.0)
				return true;
	return false;
}

static bool known(const struct episode *e, const struct cairn_frontier_blacklist_place *p)
{
	for (uint32_t i = 0; i < e->known_count; i++)
		if (e->known[i].x_m == p->x_m && e->known[i].y_m == p->y_m)
			return true;
	return false;
}

/* Of ways that failed; what was looked into in vain, or closed at the end, is no blame for where the robot stands. */
static void note_given_up(struct episode *e, struct cairn_run *run, double now_s)
{
	const struct cairn_frontier_blacklist *x = &cairn_sequencer_record(cairn_run_sequencer(run))->explore;
	struct cairn_pose2 robot = cairn_run_truth(run)->body.pose;
	double depth_m;
	const struct cairn_dead_end *in = corridor_of(e, (struct cairn_vec2){robot.x_m, robot.y_m}, &depth_m);
	for (uint32_t i = 0; i < x->count; i++) {
		const struct cairn_frontier_blacklist_place *p = &x->places[i];
		if (!p->given_up || known(e, p))
			continue;
		if (e->known_count < GIVEN_UP_MAX)
			e->known[e->known_count++] = (struct cairn_vec2){p->x_m, p->y_m};
		struct cairn_vec2 at =
		    cairn_pose_apply(cairn_run_truth(run)->start, (struct cairn_vec2){p->x_m, p->y_m});
		bool elsewhere = in != NULL && !reaches(in, at),
		     visited = strncmp(p->reason, "visited", 7) == 0;

		if (p->failures == 0 || visited || !elsewhere || depth_m < INSIDE_M ||
		    !way_back_free(e, now_s))
			continue;
		if (e->r->given_up_free < CAIRN_DEAD_END_KEPT) {
			struct cairn_dead_end_given_up *g = &e->r->kept[e->r->given_up_free];
			*g = (struct cairn_dead_end_given_up){now_s, depth_m, at.x_m, at.y_m, ""};
			snprintf(g->reason, sizeof(g->reason), "%.63s", p->reason);
		}
		e->r->given_up_free++;
	}
}

/* ---- one run ---- */

/* The corridor that the place lies in has an opening that was given up with a reason. */
static bool given_up_in_corridor(const struct episode *e, struct cairn_run *run, struct cairn_vec2 place)
{
	const struct cairn_frontier_blacklist *x = &cairn_sequencer_record(cairn_run_sequencer(run))->explore;
	double depth_m;
	const struct cairn_dead_end *in = corridor_of(e, place, &depth_m);
	for (uint32_t i = 0; i < x->count && in != NULL; i++) {
		struct cairn_vec2 at = cairn_pose_apply(
		    cairn_run_truth(run)->start, (struct cairn_vec2){x->places[i].x_m, x->places[i].y_m});
		if (x->places[i].given_up && reaches(in, at))
			return true;
	}
	return false;
}

/* All floor that was left lies in such corridors: a bend may be too narrow to turn in, however much lies behind it. */
static bool all_left_in_corridors(const struct episode *e, struct cairn_run *run)
{
	if (e->trial->early_count > CAIRN_TRIAL_EARLY_KEPT)
		return false;
	for (uint32_t i = 0; i < e->trial->early_count; i++)
		if (!given_up_in_corridor(e, run, e->trial->early_at[i]))
			return false;
	return true;
}

/* The exploration has ended: for good reasons? What comes in sight on the way home is not looked into any more. */
static void judge_explored(struct episode *e, struct cairn_run *run)
{
	e->trial->explored = true;
	cairn_trial_judge_end(run, &e->cfg, e->d.world, e->trial);
	bool left = e->trial->early && !all_left_in_corridors(e, run);
	e->r->left_m2 = e->trial->early_m2;
	e->r->explored = !left && e->trial->unexplained == 0;
}

static bool watch(void *ctx, struct cairn_run *run)
{
	struct episode *e = ctx;
	const struct cairn_msg_mission *m = &cairn_run_output(run)->mission;
	struct cairn_pose2 robot = cairn_run_truth(run)->body.pose;
	double now_s = cairn_run_elapsed_s(run), depth_m;
	move_mover(e, run, cairn_dead_end_depth(&e->d.ends[0], robot.x_m, robot.y_m), now_s);
	if (e->o->watch != NULL)
		e->o->watch(e->o->ctx, run);
	if (e->steps++ % SAMPLE_STEPS == 0) {
		bool in = corridor_of(e, (struct cairn_vec2){robot.x_m, robot.y_m}, &depth_m) != NULL;
		e->r->in_corridor_s += in ? SAMPLE_STEPS * CAIRN_SIM_STEP_S : 0.0;
		e->r->deepest_m = in ? fmax(e->r->deepest_m, depth_m) : e->r->deepest_m;
		if (m->state == CAIRN_MISSION_STATE_EXPLORING)
			note_given_up(e, run, now_s);
	}
	bool over = m->state == CAIRN_MISSION_STATE_FINISHED || m->state == CAIRN_MISSION_STATE_RETURNING;
	if (over && !e->trial->explored)
		judge_explored(e, run);
	return m->state != CAIRN_MISSION_STATE_FINISHED;
}

static bool nobody(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	(void)ctx, (void)run, (void)view, (void)ret;
	return false;
}

static void configure(struct episode *e)
{
	struct cairn_config *c = &e->cfg;
	*c = *e->o->cfg;
	c->sim.start = CAIRN_CHOICE_START_WORLD;
	c->sim.seed = c->pilot.seed = (int)((e->o->seed * 7919 + e->d.number) & 0x3fffffff);
	c->mission.return_home = true;
	c->mission.limit_s = 0.0;
	c->safety.silent_coast_s = 0.1; /* nobody is waited for */
	c->safety.silent_wait_s = 0.2;
	c->safety.silent_local_s = 3600.0;
	c->map.extent_max_m = fmin(c->map.extent_max_m, 40.0);
}

static void sum_up(struct episode *e, struct cairn_run *run)
{
	struct cairn_dead_end_result *r = e->r;
	const struct cairn_mission_record *rec = cairn_sequencer_record(cairn_run_sequencer(run));
	struct cairn_run_totals totals = cairn_run_totals(run);
	struct cairn_pose2 at = cairn_run_true_pose(run);
	bool over = rec->state == CAIRN_MISSION_STATE_FINISHED;
	r->end = cairn_run_truth(run)->body.pose;
	r->contacts = totals.contacts;
	r->path_m = totals.odometry_m;
	r->seconds = cairn_run_elapsed_s(run);
	r->coverage = cairn_truth_coverage(cairn_sim_truth(cairn_run_sim(run)));
	r->home = over && hypot(at.x_m, at.y_m) <= e->cfg.mission.home_tolerance_m + HOME_SLACK_M;
	snprintf(r->reason, sizeof(r->reason), "%s: %.70s",
	    cairn_enum_text(&cairn_enum_mission_state, (int)rec->state), rec->reason);
}

static bool drive(struct episode *e, struct cairn_error *err)
{
	struct cairn_run_options options = {.cfg = &e->cfg,
	    .world = e->d.world,
	    .map = e->o->map,
	    .duration_s = CAIRN_DEAD_END_LIMIT_S,
	    .coverage = true,
	    .decide = nobody,
	    .observe = watch,
	    .observe_ctx = e};
	struct cairn_run *run = cairn_run_new(&options, err);
	if (run == NULL)
		return false;
	cairn_run_all(run);
	sum_up(e, run);
	cairn_run_destroy(&run);
	return true;
}

bool cairn_dead_end_run(const struct cairn_dead_end_options *options, uint64_t number,
    struct cairn_dead_end_result *ret, struct cairn_error *err)
{
	struct episode *e = calloc(1, sizeof(*e));
	struct cairn_trial_result *trial = calloc(1, sizeof(*trial));
	*ret = (struct cairn_dead_end_result){.number = number};
	bool ok = e != NULL && trial != NULL;
	if (!ok)
		cairn_error_set(err, "out of memory");
	if (ok) {
		e->o = options;
		e->r = ret;
		e->trial = trial;
		ok = cairn_dead_ends_generate(options->seed, number, &e->d, err);
	}
	if (ok) {
		ret->width_m = e->d.ends[0].width_m;
		ret->depth_m = e->d.ends[0].depth_m;
		ret->bend = e->d.ends[0].count > 2;
		ret->behind = (uint32_t)e->d.behind;
		configure(e);
		ok = drive(e, err);
	}
	if (e != NULL)
		cairn_world_destroy(&e->d.world);
	free(trial);
	free(e);
	return ok;
}

bool cairn_dead_end_good(const struct cairn_dead_end_result *r)
{
	return r->home && r->explored && r->contacts == 0 && r->given_up_free == 0;
}
