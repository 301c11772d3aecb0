#include "common/plan/follow.h"

#include "test/support/runner.h"

static const struct cairn_follow_params car = {.speed_mps = 0.45,
    .speed_reverse_mps = 0.22,
    .lookahead_m = 0.35,
    .turn_radius_min_m = 0.30,
    .decel_mps2 = 0.30,
    .stuck_s = 3.0};
static struct cairn_path path;
static struct cairn_follower follower;

static void straight(double x1, bool reverse)
{
	path.count = 0;
	for (int i = 0; i <= 20; i++)
		path.poses[path.count++] = (struct cairn_path_pose){x1 * i / 20.0, 0.0, 0.0, reverse, false};
}

static struct cairn_follow_output step(struct cairn_pose2 pose, double room_m, double t_s)
{
	struct cairn_follow_input in = {
	    .pose = pose, .speed_max_mps = 1.0, .room_m = room_m, .now_ns = (int64_t)(t_s * 1e9)};
	struct cairn_follow_output out;
	cairn_follower_step(&follower, &in, &out);
	return out;
}

static void begin(const struct cairn_follow_params *params)
{
	cairn_follower_init(&follower, params);
	cairn_follower_set_path(&follower, &path);
}

START_TEST(speed_falls_in_curves_near_obstacles_and_toward_the_end)
{
	double far = 100.0;
	ck_assert_double_eq_tol(cairn_follow_speed_mps(&car, 0.45, 0.0, far, far), 0.45, 1e-12);
	ck_assert_double_eq_tol(cairn_follow_speed_mps(&car, 0.45, 2.0, far, far), 0.35, 1e-12); /* 0.7 / 2 */
	ck_assert_double_eq_tol(cairn_follow_speed_mps(&car, 0.45, -2.0, far, far), 0.35, 1e-12);
	ck_assert_double_eq_tol(
	    cairn_follow_speed_mps(&car, 0.45, 0.0, 0.1, far), 0.205, 1e-12); /* 0.06 + 0.145 */
	ck_assert_double_eq_tol(cairn_follow_speed_mps(&car, 0.45, 0.0, -0.1, far), 0.06, 1e-12);
	ck_assert_double_eq_tol(
	    cairn_follow_speed_mps(&car, 0.45, 0.0, far, 0.15), 0.3, 1e-12); /* sqrt(2 0.3 0.15) */
	ck_assert_double_eq_tol(cairn_follow_speed_mps(&car, 0.45, 0.0, far, 0.0), 0.05, 1e-12);
	ck_assert_double_eq_tol(cairn_follow_speed_mps(&car, 0.03, 0.0, far, 0.0), 0.03, 1e-12);
}
END_TEST

START_TEST(the_curvature_is_that_of_pure_pursuit)
{
	straight(2.0, false);
	begin(&car);
	/* The carrot is 0.35 m on along the line and 0.1 m to the right: 2 y / L^2. */
	struct cairn_follow_output out = step((struct cairn_pose2){0.5, 0.1, 0.0}, 100.0, 1.0);
	ck_assert_int_eq(out.status, CAIRN_FOLLOW_DRIVING);
	double want = 2.0 * -0.1 / (0.35 * 0.35 + 0.01);
	ck_assert_double_eq_tol(out.twist.w_radps / out.twist.v_mps, want, 1e-9);
	ck_assert_double_eq_tol(out.remaining_m, 1.5, 1e-9);
	out = step(
	    (struct cairn_pose2){0.5, 0.2, 0.9}, 100.0, 1.1); /* would need a tighter arc than there is */
	ck_assert_double_eq_tol(fabs(out.twist.w_radps / out.twist.v_mps), 1.0 / 0.30, 1e-9);
}
END_TEST

START_TEST(a_robot_turned_away_from_its_path_needs_a_new_one)
{
	straight(2.0, false);
	begin(&car);
	struct cairn_follow_output out = step((struct cairn_pose2){0.0, 0.0, 2.0}, 100.0, 1.0);
	ck_assert_int_eq(out.status, CAIRN_FOLLOW_OFF_TRACK);
	ck_assert_double_eq(out.twist.w_radps, 0.0);
}
END_TEST

/* Ahead, a turn in place by 1.5 rad to the left, and on to the left. */
static void round_a_corner(void)
{
	path.count = 0;
	for (int i = 0; i <= 10; i++)
		path.poses[path.count++] = (struct cairn_path_pose){0.1 * i, 0.0, 0.0, false, false};
	for (int i = 1; i <= 6; i++)
		path.poses[path.count++] = (struct cairn_path_pose){1.0, 0.0, 0.25 * i, false, true};
	for (int i = 1; i <= 10; i++)
		path.poses[path.count++] =
		    (struct cairn_path_pose){1.0 + 0.1 * i * cos(1.5), 0.1 * i * sin(1.5), 1.5, false, false};
}

START_TEST(a_turn_in_place_is_made_standing_at_its_place_and_ends_with_the_heading_behind_it)
{
	struct cairn_follow_params two_wheels = car;
	two_wheels.turn_rate_max_radps = 1.0;
	round_a_corner();
	begin(&two_wheels);
	struct cairn_follow_output out = step((struct cairn_pose2){0.5, 0.0, 0.0}, 100.0, 1.0);
	ck_assert_double_gt(out.twist.v_mps, 0.0); /* to the corner */
	ck_assert_double_eq_tol(out.twist.w_radps, 0.0, 1e-9);
	out = step((struct cairn_pose2){0.99, 0.0, 0.0}, 100.0, 2.0);
	ck_assert_double_eq(out.twist.v_mps, 0.0);
	ck_assert_double_eq_tol(out.twist.w_radps, CAIRN_FOLLOW_TURN_RADPS, 1e-12);
	out = step((struct cairn_pose2){0.99, 0.0, 1.2}, 100.0, 3.0);
	ck_assert_double_eq(out.twist.v_mps, 0.0);
	ck_assert_double_eq_tol(out.twist.w_radps, 1.5 * 0.3, 1e-9); /* slower toward the end */
	out = step((struct cairn_pose2){0.99, 0.0, 1.8}, 100.0, 3.5);
	ck_assert_double_lt(out.twist.w_radps, 0.0); /* too far: back */
	out = step((struct cairn_pose2){0.99, 0.0, 1.47}, 100.0, 4.0);
	ck_assert_int_eq(out.status, CAIRN_FOLLOW_DRIVING);
	ck_assert_double_gt(out.twist.v_mps, 0.0);
}
END_TEST

START_TEST(a_turn_in_place_that_does_not_turn_is_being_stuck)
{
	round_a_corner();
	begin(&car);
	struct cairn_pose2 pose = {1.0, 0.0, 0.3};
	(void)step((struct cairn_pose2){1.0, 0.0, 0.0}, 100.0, 0.5);
	ck_assert_int_eq(step(pose, 100.0, 1.0).status, CAIRN_FOLLOW_DRIVING);
	ck_assert_int_eq(step(pose, 100.0, 4.1).status, CAIRN_FOLLOW_STUCK);
}
END_TEST

START_TEST(standing_while_told_to_drive_is_being_stuck)
{
	straight(2.0, false);
	begin(&car);
	struct cairn_pose2 pose = {0.5, 0.0, 0.0};
	ck_assert_int_eq(step(pose, 100.0, 1.0).status, CAIRN_FOLLOW_DRIVING);
	ck_assert_int_eq(step(pose, 100.0, 3.9).status, CAIRN_FOLLOW_DRIVING);
	ck_assert_int_eq(step(pose, 100.0, 4.0).status, CAIRN_FOLLOW_STUCK);
	pose.x_m = 0.56;
	ck_assert_int_eq(step(pose, 100.0, 4.1).status, CAIRN_FOLLOW_DRIVING);
}
END_TEST

START_TEST(a_path_ends_at_its_last_pose)
{
	straight(1.0, false);
	begin(&car);
	ck_assert_int_eq(step((struct cairn_pose2){0.9, 0.0, 0.0}, 100.0, 1.0).status, CAIRN_FOLLOW_DRIVING);
	ck_assert_int_eq(step((struct cairn_pose2){0.985, 0.0, 0.0}, 100.0, 1.1).status, CAIRN_FOLLOW_ENDED);
	cairn_follower_set_path(&follower, NULL);
	ck_assert_int_eq(step((struct cairn_pose2){0.9, 0.0, 0.0}, 100.0, 1.2).status, CAIRN_FOLLOW_IDLE);
}
END_TEST

CAIRN_TEST_MAIN("follow", speed_falls_in_curves_near_obstacles_and_toward_the_end,
    the_curvature_is_that_of_pure_pursuit, a_robot_turned_away_from_its_path_needs_a_new_one,
    a_turn_in_place_is_made_standing_at_its_place_and_ends_with_the_heading_behind_it,
    a_turn_in_place_that_does_not_turn_is_being_stuck, standing_while_told_to_drive_is_being_stuck,
    a_path_ends_at_its_last_pose)
