/* arena_run.c - an arena driven: the real cores in the runner, cycles counted, the truth watched. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/hash.h"

#include "common/eval/arena.h"
#include "common/eval/arena_log.h"
#include "common/eval/path_thinning.h"
#include "common/explore/offered_frontiers.h"

#define CELL_M 0.05
#define NEAR_M 1.0 /* clearances up to here */
#define SAG_M                                                                                                \
	0.004 /* columns of at most 0.2 m are sixteen-gons inside their circle: 0.2 m * (1 - cos(pi / 16)) */
#define SETTLE_S 3.0 /* nothing is left that leads to the goal for so long */
#define OPEN_END_S 60.0
#define SPARE_S 60.0

struct watch {
	const struct cairn_arena *arena;
	const struct cairn_config *cfg;
	struct cairn_arena_result *r;
	struct cairn_arena_cycles cycles;
	struct cairn_arena_choices choices;
	struct cairn_pose2 before;
	struct cairn_path_thinning trail;
	double way_m;                /* as the truth counts it, until the step before */
	uint32_t ended, well, looks; /* decisions that ended, those with success; looks round */
	uint64_t goal_id;
	int64_t t_left_ns; /* something led on last */
	bool asked, touching, first_over;
	struct cairn_model_client *asker; /* NULL: the scripted pilot */
	struct cairn_arena_log log;
};

void cairn_arena_config(
    struct cairn_config *cfg, const struct cairn_arena *arena, enum cairn_arena_mode mode, uint32_t seed)
{
	cairn_config_defaults(cfg);
	struct cairn_config_robot *robot = &cfg->robot;
	robot->footprint_front_m = robot->footprint_rear_m = robot->footprint_half_width_m =
	    CAIRN_ARENA_RADIUS_M;
	robot->camera_x_m = CAIRN_ARENA_RADIUS_M;
	cfg->pilot.profile = CAIRN_CHOICE_PILOT_HYBRID;
	cfg->sim.seed = cfg->pilot.seed = (int)seed;
	if (mode == CAIRN_ARENA_GT)
		cfg->sim.slip = cfg->sim.yaw_drift_deg_per_m = 0.0;
	if (mode == CAIRN_ARENA_GT) /* its map is true: what it leaves open is worth a way */
		cfg->nav.unknown_cost = cfg->nav.unknown_cost_known;
	cfg->mission.return_home = false;
	if (!arena->has_goal)
		return;
	/* The truth judges by the tolerance: the planner goes nearer, for what the pose may be off. */
	cfg->nav.goal_tolerance_m = 0.5 * arena->tolerance_m;
	cfg->mission.settle_s =
	    OPEN_END_S; /* a house that is known is no reason to end while there is a goal */
}

/* ---- the truth ---- */

static void trace(struct watch *w, const struct cairn_run *run)
{
	const struct cairn_body *b = &cairn_run_truth(run)->body;
	const struct cairn_msg_pose *p = cairn_run_pose(run);
	struct cairn_twist sent = cairn_run_sent(run);
	const double numbers[] = {b->pose.x_m, b->pose.y_m, b->pose.yaw_rad, p->x_m, p->y_m, p->yaw_rad,
	    sent.v_mps, sent.w_radps, (double)cairn_run_output(run)->mission.decision_id};
	w->r->trace = cairn_hash_bytes(w->r->trace, numbers, sizeof(numbers));
}

static void look_at_contact(struct watch *w, struct cairn_pose2 at)
{
	static const struct cairn_footprint point = {0};
	double free_m = cairn_world_clearance(w->arena->world, at, &point, w->cfg->robot.height_m, NEAR_M) -
			CAIRN_ARENA_RADIUS_M - SAG_M;
	w->r->clearance_min_m = fmin(w->r->clearance_min_m, free_m);
	if (free_m < 0.0 && !w->touching) {
		w->r->contact_at = (struct cairn_vec2){at.x_m, at.y_m};
		w->r->contacts++;
	}
	w->touching = free_m < 0.0;
}

static void keep_path(struct watch *w, struct cairn_pose2 at)
{
	cairn_path_thinning_add(&w->trail, at.x_m, at.y_m);
	w->r->path_count = w->trail.count;
}

/* ---- cycles and choices ---- */

static void count_cycles(struct watch *w, const struct cairn_run *run)
{
	struct cairn_run_totals t = cairn_run_totals(run);
	const struct cairn_pose2 pose = cairn_run_truth(run)->body.pose;
	const struct cairn_vec2 at = {pose.x_m, pose.y_m};
	uint32_t ended = 0, looks = cairn_run_looks(run);
	for (int i = 0; i < CAIRN_OUTCOME_COUNT; i++)
		ended += t.outcomes[i];
	uint32_t well = (uint32_t)t.outcomes[CAIRN_OUTCOME_SUCCESS];
	bool in_vain = ended - w->ended > well - w->well;
	double way_m = t.odometry_m - w->way_m;
	bool under_way = cairn_run_output(run)->mission.decision_id != 0;
	bool look_over = looks != w->looks, stuck = w->cycles.idle >= CAIRN_ARENA_STUCK;
	bool cycle =
	    cairn_arena_cycles_add(&w->cycles, way_m, CAIRN_SIM_STEP_S, ended != w->ended || look_over, at);
	w->way_m = t.odometry_m;
	w->ended = ended;
	w->well = well;
	w->looks = looks;
	if (!cycle)
		return;
	if (look_over || (!under_way && !in_vain))
		cairn_arena_cycles_rest(&w->cycles, at);
	w->r->stuck += !stuck && w->cycles.idle >= CAIRN_ARENA_STUCK;
	cairn_arena_log_cycle(&w->log, run, w->cycles.count, w->r);
}

/* The map, or the mission, went on while the model thought: nobody's fault. */
static void count_gone(void *ctx, const struct cairn_run *run, const struct cairn_msg_result *result)
{
	struct watch *w = ctx;
	bool place = strncmp(result->reason, "there is no candidate ", 22) == 0 ||
		     strncmp(result->reason, "there is no frontier ", 21) == 0;
	bool ended = strncmp(result->reason, "the robot is not exploring: ", 28) == 0;
	if (w->asker != NULL)
		cairn_model_client_result(w->asker, run, result);
	cairn_arena_log_result(&w->log, result);
	w->r->gone +=
	    result->decision_id != 0 && result->outcome == CAIRN_OUTCOME_REFUSED && (place || ended);
}

static void watch_choices(struct watch *w, const struct cairn_run *run)
{
	const struct cairn_sequencer_output *out = cairn_run_output(run);
	struct cairn_pose2 at = cairn_run_true_pose(run);
	cairn_arena_choices_at(
	    &w->choices, (struct cairn_vec2){at.x_m, at.y_m}, w->cfg->nav.goal_tolerance_m + 0.1);
	if (!out->nav_goal.active || out->nav_goal.id == w->goal_id ||
	    out->mission.state != CAIRN_MISSION_STATE_EXPLORING)
		return;
	w->goal_id = out->nav_goal.id;
	cairn_arena_choices_add(&w->choices, (struct cairn_vec2){out->nav_goal.x_m, out->nav_goal.y_m});
}

/* ---- the end ---- */

/* Nothing is offered that leads to the goal or into the unknown. */
static bool nothing_left(const struct cairn_run *run)
{
	const struct cairn_msg_frontiers *f = cairn_run_frontiers(run);
	const struct cairn_msg_candidates *c = cairn_run_candidates(run);
	const struct cairn_sequencer_output *out = cairn_run_output(run);
	if (!(f->free_m2 > 0.0) || c->set == 0 || out->nav_goal.active)
		return false;
	for (uint32_t i = 0; i < f->items_count; i++)
		if (cairn_frontier_offered(&f->items[i], &out->mission))
			return false;
	for (uint32_t i = 0; i < c->items_count; i++)
		if (c->items[i].kind == CAIRN_CANDIDATE_KIND_GOAL)
			return false;
	return true;
}

/* As the operator would: the planner has the last word on whether there is a way. */
static void ask_planner(struct watch *w, struct cairn_run *run, struct cairn_vec2 goal)
{
	struct cairn_msg_command cmd = {.x_m = goal.x_m, .y_m = goal.y_m};
	struct cairn_msg_reply reply;
	snprintf(cmd.verb, sizeof(cmd.verb), "goto");
	cairn_sequencer_on_command(cairn_run_sequencer(run), &cmd, cairn_run_now_ns(run), &reply);
	w->asked = reply.ok;
}

static bool end(struct watch *w, const char *why)
{
	w->r->over = true;
	snprintf(w->r->end, sizeof(w->r->end), "%s", why);
	return false;
}

static struct cairn_vec2 goal_in_map(const struct watch *w, struct cairn_pose2 start)
{
	struct cairn_pose2 g =
	    cairn_pose_between(start, (struct cairn_pose2){w->arena->goal_x_m, w->arena->goal_y_m, 0.0});
	return (struct cairn_vec2){g.x_m, g.y_m};
}

static bool go_on_to_goal(struct watch *w, struct cairn_run *run)
{
	const struct cairn_sequencer_output *out = cairn_run_output(run);
	int64_t now_ns = cairn_run_now_ns(run);
	if (w->asked) {
		const struct cairn_msg_nav_status *nav = cairn_run_nav_status(run);
		if (out->mission.state == CAIRN_MISSION_STATE_GOTO) {
			if (nav->state == CAIRN_NAV_STATE_NO_PATH ||
			    nav->state == CAIRN_NAV_STATE_GOAL_BLOCKED)
				snprintf(
				    w->r->end, sizeof(w->r->end), "goal unreachable: %.100s", nav->reason);
			return true;
		}
		char said[sizeof(w->r->end)];
		memcpy(said, w->r->end, sizeof(said));
		w->r->given_up = said[0] != '\0';
		return end(w, w->r->given_up ? said : "the way to the goal ended before it");
	}
	if (!nothing_left(run))
		w->t_left_ns = now_ns;
	else if ((double)(now_ns - w->t_left_ns) * 1e-9 >= SETTLE_S)
		ask_planner(w, run, goal_in_map(w, cairn_run_truth(run)->start));
	return true;
}

static bool go_on(struct watch *w, struct cairn_run *run)
{
	const struct cairn_pose2 at = cairn_run_truth(run)->body.pose;
	if (w->cycles.count > w->arena->cycles_max) {
		snprintf(w->r->end, sizeof(w->r->end), "out of cycles");
		return false;
	}
	if (!w->arena->has_goal) {
		const struct cairn_msg_mission *m = &cairn_run_output(run)->mission;
		return m->state != CAIRN_MISSION_STATE_FINISHED || end(w, m->reason);
	}
	w->r->goal_m = hypot(at.x_m - w->arena->goal_x_m, at.y_m - w->arena->goal_y_m);
	if (w->r->goal_m <= w->arena->tolerance_m) {
		w->r->reached = true;
		return end(w, "goal reached");
	}
	return go_on_to_goal(w, run);
}

static bool watch_step(void *ctx, struct cairn_run *run)
{
	struct watch *w = ctx;
	struct cairn_pose2 at = cairn_run_truth(run)->body.pose;
	if (w->asker != NULL) {
		cairn_model_client_watch(w->asker, run);
		if (cairn_model_client_stopped(w->asker) != NULL)
			return false;
	}
	trace(w, run);
	look_at_contact(w, at);
	keep_path(w, at);
	count_cycles(w, run);
	watch_choices(w, run);
	return go_on(w, run);
}

/* ---- the map at the end ---- */

static double known_share(const struct cairn_arena *a, const struct cairn_run *run)
{
	static const struct cairn_footprint point = {0};
	const struct cairn_grid *g = cairn_run_grid(run);
	const struct cairn_world *world = a->world;
	struct cairn_pose2 map_from_world = cairn_pose_inverse(cairn_run_truth(run)->start);
	uint32_t all = 0, known = 0;
	for (double y = world->y_min_m + 0.5 * CELL_M; y < world->y_max_m; y += CELL_M)
		for (double x = world->x_min_m + 0.5 * CELL_M; x < world->x_max_m; x += CELL_M) {
			if (cairn_world_room_at(world, x, y) == NULL ||
			    cairn_world_touch(world, (struct cairn_pose2){x, y, 0.0}, &point, 0.2) >= 0)
				continue;
			struct cairn_vec2 p = cairn_pose_apply(map_from_world, (struct cairn_vec2){x, y});
			all++;
			known += cairn_grid_odds(g, cairn_grid_cell(g, p.x_m), cairn_grid_cell(g, p.y_m)) !=
				 CAIRN_ODDS_UNKNOWN;
		}
	return all > 0 ? (double)known / all : 0.0;
}

static void finish(struct watch *w, const struct cairn_run *run)
{
	struct cairn_run_totals t = cairn_run_totals(run);
	struct cairn_arena_result *r = w->r;
	r->pose = cairn_run_truth(run)->body.pose;
	r->cycles = w->cycles.count;
	r->idle_longest = w->cycles.idle_longest;
	r->stuck_left = w->cycles.idle >= CAIRN_ARENA_STUCK;
	r->dithers = w->choices.dithers;
	r->decisions = (uint32_t)t.decisions;
	r->refused = t.outcomes[CAIRN_OUTCOME_REFUSED];
	r->path_m = t.odometry_m;
	r->seconds = cairn_run_elapsed_s(run);
	r->known_share = known_share(w->arena, run);
	if (r->end[0] == '\0')
		snprintf(r->end, sizeof(r->end), "out of time");
}

static bool asked(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	struct watch *w = ctx;
	bool made = cairn_model_client_decide(w->asker, run, view, ret);
	if (made)
		cairn_arena_log_decision(&w->log, ret);
	return made;
}

/* The model is told of the goal as a mission would tell it, in the map's frame. */
static bool open_asker(struct watch *w, struct cairn_config *cfg, const struct cairn_arena_driver *driver,
    struct cairn_vec2 goal, struct cairn_error *err)
{
	if (driver == NULL || driver->model == NULL)
		return true;
	cfg->vlm = *driver->vlm;
	if (w->arena->has_goal)
		snprintf(cfg->mission.goal, sizeof(cfg->mission.goal), "%.2f %.2f", goal.x_m, goal.y_m);
	w->asker = cairn_model_client_new(cfg, w->arena->world, driver->model, true, err);
	return w->asker != NULL;
}

bool cairn_arena_run(const struct cairn_arena *arena, enum cairn_arena_mode mode, uint32_t seed,
    struct cairn_arena_result *ret, cairn_arena_end_fn *at_end, void *ctx, struct cairn_error *err)
{
	return cairn_arena_drive(arena, mode, seed, NULL, ret, at_end, ctx, err);
}

bool cairn_arena_drive(const struct cairn_arena *arena, enum cairn_arena_mode mode, uint32_t seed,
    const struct cairn_arena_driver *driver, struct cairn_arena_result *ret, cairn_arena_end_fn *at_end,
    void *ctx, struct cairn_error *err)
{
	struct cairn_config cfg;
	cairn_arena_config(&cfg, arena, mode, seed);
	*ret = (struct cairn_arena_result){
	    .mode = mode, .seed = seed, .clearance_min_m = NEAR_M, .trace = CAIRN_HASH_START};
	struct watch w = {.arena = arena,
	    .cfg = &cfg,
	    .r = ret,
	    .trail = {
		.xy_m = ret->path_xy_m, .points_max = CAIRN_ARENA_PATH, .spacing_m = CAIRN_ARENA_PATH_M}};
	struct cairn_vec2 goal = goal_in_map(&w, arena->world->start);
	w.log = (struct cairn_arena_log){.out = driver != NULL ? driver->log : NULL, .arena = arena};
	if (!open_asker(&w, &cfg, driver, goal, err))
		return false;
	struct cairn_run_options options = {.cfg = &cfg,
	    .world = arena->world,
	    .map = mode == CAIRN_ARENA_GT ? CAIRN_RUN_MAP_TRUE_POSES : CAIRN_RUN_MAP_MAPPER,
	    .known_map = mode == CAIRN_ARENA_GT && arena->has_goal,
	    .goal = arena->has_goal ? &goal : NULL,
	    .looks = mode == CAIRN_ARENA_VISION ? CAIRN_ARENA_LOOKS : 0,
	    .look_rad = 2.0 * M_PI / CAIRN_ARENA_LOOKS,
	    .duration_s = arena->cycles_max * CAIRN_ARENA_CYCLE_S + SPARE_S,
	    .decide = w.asker != NULL ? asked : NULL,
	    .decide_ctx = &w,
	    .answer_s = w.asker != NULL ? cairn_model_client_answer_s(w.asker) : NULL,
	    .on_result = count_gone,
	    .observe = watch_step,
	    .observe_ctx = &w};
	struct cairn_run *run = cairn_run_new(&options, err);
	if (run == NULL) {
		cairn_model_client_destroy(&w.asker);
		return false;
	}
	w.t_left_ns = cairn_run_now_ns(run);
	cairn_run_all(run);
	finish(&w, run);
	cairn_arena_log_end(&w.log, ret);
	if (at_end != NULL)
		at_end(ctx, run, ret);
	cairn_run_destroy(&run);
	const char *stopped = w.asker != NULL ? cairn_model_client_stopped(w.asker) : NULL;
	if (stopped != NULL)
		cairn_error_set(err, "%s", stopped);
	cairn_model_client_destroy(&w.asker);
	return stopped == NULL;
}
