/* Corridors that end: the worlds, the way back that is remembered, and a robot that comes out of one. */
#include "common/eval/dead_end.h"
#include "common/plan/driven_path.h"
#include "common/sim/world/build.h"
#include "test/support/runner.h"

START_TEST(worlds_are_as_they_are_said_to_be_and_the_same_by_their_number)
{
	for (uint64_t n = 0; n < 60; n++) {
		struct cairn_dead_ends d, again;
		struct cairn_error err = {""};
		ck_assert_msg(cairn_dead_ends_generate(1, n, &d, &err), "%s", err.text);
		ck_assert(cairn_dead_ends_generate(1, n, &again, &err));
		ck_assert_uint_eq(d.world->hash, again.world->hash);
		ck_assert_uint_eq(d.ends[0].count, n % 2 == 1 ? 3 : 2);
		for (uint32_t i = 0; i < d.count; i++) {
			const struct cairn_dead_end *e = &d.ends[i];
			ck_assert(e->width_m >= CAIRN_DEAD_END_WIDTH_MIN_M &&
				  e->width_m <= CAIRN_DEAD_END_WIDTH_MAX_M);
			ck_assert(e->depth_m >= CAIRN_DEAD_END_DEPTH_MIN_M &&
				  e->depth_m <= CAIRN_DEAD_END_DEPTH_MAX_M);
			for (double m = 0.05; m < e->depth_m; m += 0.3) {
				struct cairn_vec2 at = cairn_dead_end_at(e, m);
				struct cairn_footprint spot = {
				    0.45 * e->width_m, 0.45 * e->width_m, 0.45 * e->width_m};
				ck_assert_double_eq_tol(cairn_dead_end_depth(e, at.x_m, at.y_m), m,
				    0.5 * e->width_m); /* at a bend either leg may tell */
				struct cairn_pose2 pose = {at.x_m, at.y_m, 0.0};
				if (m > 0.4 && m < e->depth_m - 0.4)
					ck_assert_int_lt(cairn_world_touch(d.world, pose, &spot, 0.3), 0);
			}
			struct cairn_vec2 end = cairn_dead_end_at(e, e->depth_m + 1.0);
			struct cairn_footprint spot = {0.05, 0.05, 0.05};
			ck_assert_int_ge(cairn_world_touch(d.world,
					     (struct cairn_pose2){end.x_m, end.y_m, 0.0}, &spot, 0.3),
			    0);
		}
		cairn_world_destroy(&d.world);
		cairn_world_destroy(&again.world);
	}
}
END_TEST

static struct cairn_driven_path driven;
static struct cairn_path path;

START_TEST(the_way_back_is_the_way_in_and_is_shortened_by_going_it)
{
	driven.count = 0;
	struct cairn_pose2 at = {0};
	for (int i = 0; i < 100; i++, at.x_m += 0.06)
		cairn_driven_path_add(&driven, at);
	ck_assert_uint_eq(driven.count, 100);
	cairn_driven_path_back(&driven, at, 0, false, &path);
	ck_assert_double_eq_tol(path.length_m, 6.0, 0.01);
	for (int i = 0; i < path.count; i++)
		ck_assert(path.poses[i].reverse);
	ck_assert_double_eq_tol(path.poses[path.count - 1].x_m, 0.0, 1e-9);
	for (; at.x_m > 2.0; at.x_m -= 0.03) /* a little beside it */
		cairn_driven_path_add(&driven, (struct cairn_pose2){at.x_m, 0.03, 0.02});
	cairn_driven_path_back(&driven, at, 0, false, &path);
	ck_assert_double_eq_tol(path.length_m, 2.0, 0.15);
	cairn_driven_path_add(&driven, (struct cairn_pose2){NAN, 0.0, 0.0});
	cairn_driven_path_move(&driven, (struct cairn_pose2){0}, (struct cairn_pose2){1.0, 2.0, M_PI_2});
	ck_assert_double_eq_tol(driven.at[0].x_m, 1.0, 1e-9);
	ck_assert_double_eq_tol(driven.at[driven.count - 1].y_m, 4.0, 0.15);
}
END_TEST

START_TEST(a_way_longer_than_is_kept_forgets_its_beginning)
{
	driven.count = 0;
	struct cairn_pose2 at = {0};
	for (int i = 0; i < 2 * CAIRN_DRIVEN_PATH_MAX; i++, at.x_m += 0.06)
		cairn_driven_path_add(&driven, at);
	ck_assert_uint_le(driven.count, CAIRN_DRIVEN_PATH_MAX);
	ck_assert_uint_ge(driven.count, CAIRN_DRIVEN_PATH_MAX / 2);
	ck_assert_double_eq_tol(driven.at[driven.count - 1].x_m, at.x_m - 0.06, 1e-9);
}
END_TEST

static struct cairn_config cfg;

static struct cairn_dead_end_result explored(uint64_t number)
{
	struct cairn_error err = {""};
	struct cairn_dead_end_result r;
	cairn_config_defaults(&cfg);
	struct cairn_dead_end_options options = {.cfg = &cfg, .seed = 1, .map = CAIRN_RUN_MAP_MAPPER};
	ck_assert_msg(cairn_dead_end_run(&options, number, &r, &err), "%s", err.text);
	ck_assert_msg(cairn_dead_end_good(&r), "world %u: home %d, explored %d, %u contacts, %u given up: %s",
	    (unsigned)number, r.home, r.explored, r.contacts, r.given_up_free, r.reason);
	return r;
}

START_TEST(a_house_is_explored_although_a_person_cut_the_robot_off_in_a_corridor)
{
	ck_assert(explored(459).appeared);
}
END_TEST

START_TEST(the_robot_gets_out_where_only_the_motor_stage_remembers_floor_that_was_not_seen)
{
	ck_assert_double_gt(explored(457).deepest_m, 0.5);
}
END_TEST

START_TEST(bends_too_narrow_to_turn_in_are_tried_few_times)
{
	ck_assert_double_lt(explored(475).seconds, 700.0); /* simulated; 1500 were not enough */
}
END_TEST

START_TEST(after_a_long_corridor_with_a_bend_the_way_out_may_lie_beside_where_the_motor_stage_has_it)
{
	ck_assert_double_gt(explored(359).deepest_m, 10.0);
}
END_TEST

START_TEST(nothing_elsewhere_is_given_up_in_a_corridor_that_a_part_of_a_path_has_led_into)
{
	ck_assert_double_gt(explored(148).deepest_m, 5.0);
}
END_TEST

START_TEST(whom_only_the_sequencer_stops_in_a_tight_place_backs_out_before_a_goal_elsewhere_is_given_up)
{
	ck_assert_double_gt(explored(230).deepest_m, 5.0);
}
END_TEST

/* ---- a corridor too narrow to be entered ---- */

#define MOUTH_M 3.0 /* the corridor leads from here along x */

struct entry {
	double by_itself_m, asked_m; /* how deep it was */
	bool asked, called;
	uint32_t told_steps;
};

static bool nobody(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	(void)ctx, (void)run, (void)view, (void)ret;
	return false;
}

static void order(struct cairn_run *run, const char *verb, double x_m, double y_m)
{
	struct cairn_pose2 at =
	    cairn_pose_between(cairn_run_truth(run)->start, (struct cairn_pose2){x_m, y_m, 0.0});
	struct cairn_msg_command cmd = {.x_m = at.x_m, .y_m = at.y_m};
	struct cairn_msg_reply reply;
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", verb);
	cairn_sequencer_on_command(cairn_run_sequencer(run), &cmd, cairn_run_now_ns(run), &reply);
	ck_assert_msg(reply.ok, "%s", reply.text);
}

/* Explored, it is sent 1.2 m into the corridor; when it has been there, home. */
static bool send_in_and_out(void *ctx, struct cairn_run *run)
{
	struct entry *e = ctx;
	double deep_m = cairn_run_truth(run)->body.pose.x_m - MOUTH_M;
	uint32_t state = cairn_run_output(run)->mission.state;
	double *deepest_m = e->asked ? &e->asked_m : &e->by_itself_m;
	*deepest_m = fmax(*deepest_m, deep_m);
	if (state != CAIRN_MISSION_STATE_FINISHED || e->told_steps > 0) {
		e->told_steps -= e->told_steps > 0;
		return true;
	}
	if (e->called)
		return false;
	if (e->asked)
		order(run, "home", 0.0, 0.0);
	else
		order(run, "goto", MOUTH_M + 1.2, 1.7);
	e->called = e->asked;
	e->asked = true;
	e->told_steps = 20; /* until the order shows */
	return true;
}

START_TEST(a_corridor_too_narrow_for_it_is_entered_only_when_somebody_asks_and_left_again)
{
	const double lo = 1.7 - 0.21, hi = 1.7 + 0.21;
	const struct cairn_vec2 corners[] = {
	    {0, 0}, {3, 0}, {3, lo}, {16, lo}, {16, hi}, {3, hi}, {3, 3}, {0, 3}};
	struct cairn_builder b;
	struct cairn_error err = {""};
	struct entry e = {.asked = false};
	ck_assert(cairn_build_init(&b, "entry", &err));
	(void)cairn_build_thing(&b, "wall", "wall", 0.0, 0.0);
	cairn_build_outline(&b, corners, 8, true, 0.0, 2.5, CAIRN_PAINT(228, 222, 210, PLASTER));
	cairn_build_room(&b, "rooms", corners, 8, NULL, NULL);
	b.world->has_start = true;
	b.world->start = (struct cairn_pose2){1.2, 1.2, 0.3};
	struct cairn_world *world = cairn_build_finish(&b, &err);
	ck_assert_ptr_nonnull(world);
	cairn_config_defaults(&cfg);
	cfg.sim.start = CAIRN_CHOICE_START_WORLD;
	cfg.mission.return_home = true;
	cfg.safety.silent_coast_s = 0.1;
	cfg.safety.silent_wait_s = 0.2;
	cfg.safety.silent_local_s = 3600.0;
	struct cairn_run_options options = {.cfg = &cfg,
	    .world = world,
	    .map = CAIRN_RUN_MAP_MAPPER,
	    .duration_s = 300.0,
	    .decide = nobody,
	    .observe = send_in_and_out,
	    .observe_ctx = &e};
	struct cairn_run *run = cairn_run_new(&options, &err);
	ck_assert_msg(run != NULL, "%s", err.text);
	cairn_run_all(run);
	struct cairn_pose2 at = cairn_run_true_pose(run);
	ck_assert_double_le(e.by_itself_m, 0.2); /* the nose looks in */
	ck_assert(e.called);
	ck_assert_double_ge(e.asked_m, 0.8);
	ck_assert_double_le(hypot(at.x_m, at.y_m), 0.3);
	ck_assert_uint_eq(cairn_run_totals(run).contacts, 0);
	cairn_run_destroy(&run);
	cairn_world_destroy(&world);
}
END_TEST

CAIRN_TEST_MAIN("dead-ends", worlds_are_as_they_are_said_to_be_and_the_same_by_their_number,
    the_way_back_is_the_way_in_and_is_shortened_by_going_it, a_way_longer_than_is_kept_forgets_its_beginning,
    a_house_is_explored_although_a_person_cut_the_robot_off_in_a_corridor,
    the_robot_gets_out_where_only_the_motor_stage_remembers_floor_that_was_not_seen,
    bends_too_narrow_to_turn_in_are_tried_few_times,
    after_a_long_corridor_with_a_bend_the_way_out_may_lie_beside_where_the_motor_stage_has_it,
    nothing_elsewhere_is_given_up_in_a_corridor_that_a_part_of_a_path_has_led_into,
    whom_only_the_sequencer_stops_in_a_tight_place_backs_out_before_a_goal_elsewhere_is_given_up,
    a_corridor_too_narrow_for_it_is_entered_only_when_somebody_asks_and_left_again)
