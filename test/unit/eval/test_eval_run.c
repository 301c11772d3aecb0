/* The runner: the real cores in simulated time. */
#include <stdlib.h>
#include <string.h>

#include "common/eval/safety_cost.h"
#include "common/eval/run.h"
#include "common/map/belief.h"
#include "common/slam/mapper.h"
#include "common/sim/world/build.h"
#include "common/sim/world/generate.h"
#include "test/support/runner.h"

struct fixture {
	struct cairn_config cfg;
	struct cairn_world *world;
	struct cairn_run_options o;
};

static struct fixture *prepare(const char *file, enum cairn_run_map map, double duration_s)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct cairn_error err = {""};
	char path[512];
	cairn_config_defaults(&f->cfg);
	f->cfg.map.extent_max_m = 20.0;
	snprintf(path, sizeof(path), "%s/config/worlds/%s", CAIRN_SOURCE_ROOT, file);
	f->world = cairn_world_load(path, &err);
	ck_assert_msg(f->world != NULL, "%s", err.text);
	f->o = (struct cairn_run_options){
	    .cfg = &f->cfg, .world = f->world, .map = map, .duration_s = duration_s, .coverage = true};
	return f;
}

static struct cairn_run *start(struct fixture *f)
{
	struct cairn_error err = {""};
	struct cairn_run *r = cairn_run_new(&f->o, &err);
	ck_assert_msg(r != NULL, "%s", err.text);
	return r;
}

static void finish(struct fixture *f)
{
	cairn_world_destroy(&f->world);
	free(f);
}

START_TEST(a_sensible_pilot_explores_with_the_mapper_and_with_true_poses)
{
	static const enum cairn_run_map maps[] = {CAIRN_RUN_MAP_MAPPER, CAIRN_RUN_MAP_TRUE_POSES};
	for (int i = 0; i < 2; i++) {
		struct fixture *f = prepare("studio.yaml", maps[i], 120.0);
		struct cairn_run *r = start(f);
		cairn_run_all(r);
		struct cairn_run_totals t = cairn_run_totals(r);
		ck_assert_uint_eq(t.contacts, 0);
		ck_assert_double_gt(cairn_truth_coverage(cairn_sim_truth(cairn_run_sim(r))), 0.9);
		ck_assert_double_gt(t.odometry_m, 3.0);
		ck_assert_uint_gt(t.outcomes[CAIRN_OUTCOME_SUCCESS], 0);
		cairn_run_destroy(&r);
		finish(f);
	}
}
END_TEST

/* Says that walls are free and that unknown floor is full, all around the robot, four times a second. */
static bool lie(void *ctx, struct cairn_run *run)
{
	uint64_t *id = ctx;
	static struct cairn_msg_world_update u;
	struct cairn_pose2 at = cairn_run_true_pose(run);
	const struct cairn_grid *grid = cairn_run_grid(run);
	if (++*id % 25 != 0 || grid == NULL)
		return true;
	u = (struct cairn_msg_world_update){.id = *id};
	for (int i = 0; i < 32; i++) {
		double a = 2.399963 * (double)(*id + (uint64_t)i),
		       r = 0.3 + 0.1 * (double)((*id / 25 + (uint64_t)i) % 32);
		double x = at.x_m + r * cos(a), y = at.y_m + r * sin(a);
		int8_t odds = cairn_grid_odds(grid, cairn_grid_cell(grid, x), cairn_grid_cell(grid, y));
		u.items[u.items_count++] = (struct cairn_msg_cell_claim){.x_m = x,
		    .y_m = y,
		    .state = odds > 0 ? CAIRN_CELL_STATE_FREE : CAIRN_CELL_STATE_OCCUPIED,
		    .confidence = 1.0};
	}
	(void)cairn_mapper_claims(cairn_run_mapper(run), &u, 1);
	return true;
}

START_TEST(a_model_that_lies_about_the_map_causes_no_contact_and_hides_nothing)
{
	uint64_t id = 0;
	struct fixture *f = prepare("studio.yaml", CAIRN_RUN_MAP_MAPPER, 180.0);
	f->o.observe = lie;
	f->o.observe_ctx = &id;
	struct cairn_run *r = start(f);
	uint32_t most = 0;
	while (cairn_run_step(r)) {
		uint32_t held = cairn_mapper_belief(cairn_run_mapper(r))->count;
		most = held > most ? held : most;
	}
	ck_assert_uint_gt(most, 50); /* lies were taken, where the sensors had not looked yet */
	ck_assert_uint_eq(cairn_run_totals(r).contacts, 0);
	ck_assert_double_gt(cairn_truth_coverage(cairn_sim_truth(cairn_run_sim(r))), 0.9);
	ck_assert_int_eq(cairn_run_output(r)->mission.state, CAIRN_MISSION_STATE_FINISHED);
	cairn_run_destroy(&r);
	finish(f);
}
END_TEST

START_TEST(the_same_options_give_the_same_run_and_another_seed_another)
{
	struct cairn_pose2 at[3];
	for (int i = 0; i < 3; i++) {
		struct fixture *f = prepare("home.yaml", CAIRN_RUN_MAP_MAPPER, 20.0);
		f->cfg.sim.seed = i == 2 ? 7 : 1;
		struct cairn_run *r = start(f);
		cairn_run_all(r);
		at[i] = cairn_run_truth(r)->body.pose;
		cairn_run_destroy(&r);
		finish(f);
	}
	ck_assert_int_eq(memcmp(&at[0], &at[1], sizeof(at[0])), 0);
	ck_assert_int_ne(memcmp(&at[0], &at[2], sizeof(at[0])), 0);
}
END_TEST

static bool forward(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	(void)ctx, (void)run, (void)view;
	ret->tool = CAIRN_TOOL_MOVE_TOWARD;
	ret->direction = CAIRN_DIRECTION_FORWARD;
	ret->speed = CAIRN_SPEED_FAST;
	ret->duration_s = 8.0;
	return true;
}

START_TEST(a_blind_drive_hits_a_wall_unless_one_of_the_two_layers_is_on)
{
	for (int off = 0; off < 4; off++) {
		struct fixture *f = prepare("studio.yaml", CAIRN_RUN_MAP_NONE, 60.0);
		f->o.decide = forward;
		f->o.without_sequencer = (off & 1) != 0;
		f->o.without_motor = (off & 2) != 0;
		struct cairn_run *r = start(f);
		cairn_run_all(r);
		uint32_t contacts = cairn_run_totals(r).contacts;
		if (off == 3)
			ck_assert_uint_gt(contacts, 0);
		else
			ck_assert_uint_eq(contacts, 0);
		cairn_run_destroy(&r);
		finish(f);
	}
}
END_TEST

START_TEST(scans_come_as_late_as_was_said)
{
	struct fixture *f = prepare("studio.yaml", CAIRN_RUN_MAP_NONE, 1.0);
	f->o.delay_s = 0.2;
	struct cairn_run *r = start(f);
	int64_t t_ns = 0, first_ns = 0;
	while (cairn_run_step(r)) {
		if (first_ns == 0 && cairn_run_scan(r, &t_ns) != NULL)
			first_ns = cairn_run_now_ns(r);
	}
	cairn_run_destroy(&r);
	r = start(f);
	while (cairn_run_scan(r, &t_ns) == NULL)
		(void)cairn_run_step(r);
	ck_assert_int_eq(cairn_run_now_ns(r), first_ns);
	ck_assert_int_eq(cairn_run_now_ns(r) - t_ns, 200 * CAIRN_NS_PER_MS);
	cairn_run_destroy(&r);
	finish(f);
}
END_TEST

START_TEST(doors_of_seventy_centimetres_are_passed_at_little_cost)
{
	struct cairn_config *cfg = calloc(1, sizeof(*cfg));
	struct cairn_error err = {""};
	struct cairn_safety_cost sum = {0};
	cairn_config_defaults(cfg);
	cfg->map.extent_max_m = 30.0;
	for (uint64_t seed = 101; seed <= 103; seed++) {
		struct cairn_house_params house = {
		    .seed = seed, .door_min_m = 0.70, .door_max_m = 0.7001, .furniture = 0.06};
		struct cairn_world *w = cairn_house_generate(&house, &err);
		struct cairn_vec2 goals[6];
		struct cairn_safety_cost p;
		ck_assert_msg(w != NULL, "%s", err.text);
		uint32_t n = cairn_safety_cost_goals(w, goals, 6);
		ck_assert_uint_ge(n, 3);
		ck_assert_msg(cairn_safety_cost_measure(cfg, w, goals, n, &p, &err), "%s", err.text);
		cairn_safety_cost_add(&sum, &p);
		cairn_world_destroy(&w);
	}
	ck_assert_uint_eq(sum.legs, sum.goals);
	ck_assert_uint_eq(sum.missed, 0);
	ck_assert_uint_eq(sum.contacts, 0);
	ck_assert_double_lt(sum.chain_s, 1.10 * sum.follower_s);
	free(cfg);
}
END_TEST

START_TEST(a_goal_that_is_never_reached_is_counted_though_it_is_in_no_time)
{
	struct cairn_config *cfg = calloc(1, sizeof(*cfg));
	struct cairn_house_params house = {.seed = 101, .furniture = 0.06};
	struct cairn_error err = {""};
	struct cairn_safety_cost p;
	struct cairn_world *w = cairn_house_generate(&house, &err);
	ck_assert_msg(w != NULL, "%s", err.text);
	cairn_config_defaults(cfg);
	cfg->map.extent_max_m = 30.0;
	const struct cairn_vec2 outside = {w->x_max_m + 3.0, w->y_max_m + 3.0};
	ck_assert_msg(cairn_safety_cost_measure(cfg, w, &outside, 1, &p, &err), "%s", err.text);
	ck_assert_uint_eq(p.goals, 1);
	ck_assert_uint_eq(p.missed, 1);
	ck_assert_uint_eq(p.legs, 0);
	ck_assert_double_eq(p.chain_s, 0.0);
	ck_assert_double_eq(cairn_safety_cost_missed_share(&p), 1.0);
	cairn_world_destroy(&w);
	free(cfg);
}
END_TEST

/* ---- tight places ---- */

/* A room of 3.5 by 3 m and behind an opening in its wall a passage of that width, 1.5 m long, closed at its
 * end or leading into another room. The robot faces the opening 1 m before it. */
static struct cairn_world *passage_world(double width_m, bool closed)
{
	struct cairn_builder b;
	struct cairn_error err = {""};
	const struct cairn_paint paint = CAIRN_PAINT(200, 200, 200, PLASTER);
	const double w = 0.5 * width_m;
	const struct cairn_vec2 dead_end[] = {
	    {-2.5, -1.5}, {1, -1.5}, {1, -w}, {2.5, -w}, {2.5, w}, {1, w}, {1, 1.5}, {-2.5, 1.5}};
	const struct cairn_vec2 through[] = {{-2.5, -1.5}, {1, -1.5}, {1, -w}, {1.1, -w}, {1.1, -1.5},
	    {4, -1.5}, {4, 1.5}, {1.1, 1.5}, {1.1, w}, {1, w}, {1, 1.5}, {-2.5, 1.5}};
	ck_assert(cairn_build_init(&b, "passage", &err));
	(void)cairn_build_thing(&b, "wall", "wall", 0, 0);
	if (closed)
		cairn_build_outline(
		    &b, dead_end, sizeof(dead_end) / sizeof(dead_end[0]), true, 0.0, 2.5, paint);
	else
		cairn_build_outline(&b, through, sizeof(through) / sizeof(through[0]), true, 0.0, 2.5, paint);
	b.world->has_start = true;
	struct cairn_world *world = cairn_build_finish(&b, &err);
	ck_assert_msg(world != NULL, "%s", err.text);
	return world;
}

struct errand {
	struct cairn_vec2 goals[2]; /* the second is asked for when the first is reached */
	uint32_t at;
	bool asked;
};

static bool silent(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	(void)ctx, (void)run, (void)view, (void)ret;
	return false;
}

static bool send_on(void *ctx, struct cairn_run *run)
{
	struct errand *e = ctx;
	struct cairn_pose2 at = cairn_run_true_pose(run);
	if (!e->asked && cairn_run_elapsed_s(run) > 1.0) {
		struct cairn_msg_command cmd = {.x_m = e->goals[e->at].x_m, .y_m = e->goals[e->at].y_m};
		struct cairn_msg_reply reply;
		snprintf(cmd.verb, sizeof(cmd.verb), "goto");
		cairn_sequencer_on_command(cairn_run_sequencer(run), &cmd, cairn_run_now_ns(run), &reply);
		e->asked = reply.ok;
	}
	if (e->asked && hypot(at.x_m - e->goals[e->at].x_m, at.y_m - e->goals[e->at].y_m) < 0.30) {
		e->at++;
		e->asked = false;
	}
	return e->at < 2;
}

static struct errand drive_errand(
    double width_m, bool closed, struct cairn_vec2 first, struct cairn_vec2 second)
{
	struct cairn_config *cfg = calloc(1, sizeof(*cfg));
	struct cairn_error err = {""};
	struct errand e = {.goals = {first, second}};
	cairn_config_defaults(cfg);
	cfg->map.extent_max_m = 20.0;
	cfg->mission.limit_s = 0.0;
	cfg->safety.silent_wait_s = 590.0; /* nothing but the errand */
	cfg->safety.silent_local_s = 595.0;
	struct cairn_world *world = passage_world(width_m, closed);
	struct cairn_run_options o = {.cfg = cfg,
	    .world = world,
	    .map = CAIRN_RUN_MAP_TRUE_POSES,
	    .duration_s = 240.0,
	    .decide = silent,
	    .observe = send_on,
	    .observe_ctx = &e};
	struct cairn_run *run = cairn_run_new(&o, &err);
	ck_assert_msg(run != NULL, "%s", err.text);
	cairn_run_all(run);
	ck_assert_uint_eq(cairn_run_totals(run).contacts, 0);
	cairn_run_destroy(&run);
	cairn_world_destroy(&world);
	free(cfg);
	return e;
}

START_TEST(a_robot_comes_out_of_a_dead_end_of_sixty_centimetres)
{
	struct errand e =
	    drive_errand(0.60, true, (struct cairn_vec2){2.0, 0.0}, (struct cairn_vec2){-1.0, 0.5});
	ck_assert_msg(e.at == 2, "%s", e.at == 0 ? "did not get in" : "did not get out");
}
END_TEST

START_TEST(a_door_of_seventy_centimetres_is_passed_both_ways)
{
	struct errand e =
	    drive_errand(0.70, false, (struct cairn_vec2){2.5, 0.6}, (struct cairn_vec2){-1.0, -0.6});
	ck_assert_msg(e.at == 2, "%s", e.at == 0 ? "did not get through" : "did not get back");
}
END_TEST

/* Two corridors of 1.2 m side by side, joined at their far ends: from the end of the second the start is 1.4 m away
 * as the crow flies, and 13 m by the floor. */
static struct cairn_world *hairpin_world(void)
{
	struct cairn_builder b;
	struct cairn_error err = {""};
	const struct cairn_paint paint = CAIRN_PAINT(200, 200, 200, PLASTER);
	const struct cairn_vec2 outline[] = {{-0.6, -0.6}, {6.6, -0.6}, {6.6, 2.0}, {-0.6, 2.0}, {-0.6, 0.8},
	    {5.4, 0.8}, {5.4, 0.6}, {-0.6, 0.6}};
	ck_assert(cairn_build_init(&b, "hairpin", &err));
	(void)cairn_build_thing(&b, "wall", "wall", 0, 0);
	cairn_build_outline(&b, outline, sizeof(outline) / sizeof(outline[0]), true, 0.0, 2.5, paint);
	b.world->has_start = true;
	struct cairn_world *world = cairn_build_finish(&b, &err);
	ck_assert_msg(world != NULL, "%s", err.text);
	return world;
}

/* Sent to the far end, from where it explores on: it looks around there until it is called home. */
static bool look_around(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	(void)ctx, (void)view;
	struct cairn_pose2 at = cairn_run_true_pose(run);
	if (hypot(at.x_m - 0.4, at.y_m - 1.4) < 0.5) {
		ret->tool = CAIRN_TOOL_OBSERVE_SCENE;
		return true;
	}
	ret->tool = CAIRN_TOOL_NAVIGATE_TO_GOAL;
	ret->goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	ret->x_m = 0.4;
	ret->y_m = 1.4;
	return true;
}

START_TEST(on_a_winding_way_it_is_home_within_the_time_allowed)
{
	struct cairn_config *cfg = calloc(1, sizeof(*cfg));
	struct cairn_error err = {""};
	cairn_config_defaults(cfg);
	cfg->map.extent_max_m = 20.0;
	cfg->mission.limit_s = 95.0;
	cfg->mission.settle_s = 60.0; /* nothing is left to see long before */
	struct cairn_world *world = hairpin_world();
	struct cairn_run_options o = {.cfg = cfg,
	    .world = world,
	    .map = CAIRN_RUN_MAP_TRUE_POSES,
	    .known_map = true,
	    .duration_s = 130.0,
	    .decide = look_around};
	struct cairn_run *run = cairn_run_new(&o, &err);
	ck_assert_msg(run != NULL, "%s", err.text);
	double called_m = 0.0;
	while (cairn_run_step(run) && cairn_run_output(run)->mission.state != CAIRN_MISSION_STATE_FINISHED) {
		if (cairn_run_output(run)->mission.state == CAIRN_MISSION_STATE_EXPLORING)
			called_m = cairn_run_frontiers(run)->home_m;
	}
	const struct cairn_msg_mission *m = &cairn_run_output(run)->mission;
	ck_assert_double_gt(called_m, 8.0); /* it was far in when it was called */
	ck_assert_str_eq(m->reason, "time_up");
	ck_assert_msg(m->elapsed_s <= 95.0, "home after %.1f s", m->elapsed_s);
	ck_assert_double_gt(m->elapsed_s, 75.0);
	ck_assert_double_le(m->home_m, cfg->mission.home_tolerance_m);
	ck_assert_uint_eq(cairn_run_totals(run).contacts, 0);
	cairn_run_destroy(&run);
	cairn_world_destroy(&world);
	free(cfg);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("eval_run", 280, on_a_winding_way_it_is_home_within_the_time_allowed,
    a_robot_comes_out_of_a_dead_end_of_sixty_centimetres, a_door_of_seventy_centimetres_is_passed_both_ways,
    doors_of_seventy_centimetres_are_passed_at_little_cost,
    a_goal_that_is_never_reached_is_counted_though_it_is_in_no_time,
    a_sensible_pilot_explores_with_the_mapper_and_with_true_poses,
    a_model_that_lies_about_the_map_causes_no_contact_and_hides_nothing,
    the_same_options_give_the_same_run_and_another_seed_another,
    a_blind_drive_hits_a_wall_unless_one_of_the_two_layers_is_on, scans_come_as_late_as_was_said)
