/* LiDAR, wheels, gyro and steering: who is the odd one out? */
#include "common/safety/sensor_votes.h"
#include "test/support/motor_rig.h"

static struct cairn_sensor_votes votes;

/* Pieces of 0.1 m of arc by each witness until a verdict or so many; metres heard of. */
static double hear(struct cairn_pose2 scan_, struct cairn_pose2 odometry, double steering_rad, int pieces)
{
	votes = (struct cairn_sensor_votes){0};
	struct cairn_votes_piece p = {
	    .scan = {.moved = scan_, .sd_m = {0.003, 0.003}, .sd_rad = 0.004, .fit = 0.9},
	    .odometry = odometry,
	    .steering_rad = steering_rad};
	for (int i = 0; i < pieces; i++)
		if (!cairn_sensor_votes_hear(&votes, &p))
			return 0.1 * (i + 1);
	return INFINITY;
}

START_TEST(witnesses_that_agree_but_for_slip_and_scale_are_never_contradicted)
{
	hear((struct cairn_pose2){0.095, 0.004, 0.1}, (struct cairn_pose2){0.1, 0.005, 0.105}, 0.12, 500);
	ck_assert_str_eq(votes.fault, "");
	hear((struct cairn_pose2){-0.1, 0.0, 0.0}, (struct cairn_pose2){-0.1, 0.0, 0.001}, 0.0, 500);
	ck_assert_str_eq(votes.fault, "");
	hear((struct cairn_pose2){0.1, 0.0, 0.06}, (struct cairn_pose2){0.1, 0.0, 0.1}, 0.2, 500);
	ck_assert_str_eq(votes.fault, "");
	ck_assert_uint_eq(votes.heard, 500);
}
END_TEST

START_TEST(the_odd_one_out_of_turning_is_named_within_30_cm)
{
	static const struct {
		double scan, gyro, steering;
		const char *word;
	} cases[] = {{0.1, -0.1, 0.1, "gyro turns otherwise"}, {0.1, 0.0, 0.1, "gyro turns otherwise"},
	    {-0.1, 0.1, 0.1, "LiDAR turns otherwise"}, {0.1, 0.1, -0.1, "otherwise than it is steered"},
	    {-0.1, -0.1, 0.1, "otherwise than it is steered"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double m = hear((struct cairn_pose2){0.1, 0.0, cases[i].scan},
		    (struct cairn_pose2){0.1, 0.0, cases[i].gyro}, cases[i].steering, 10);
		ck_assert_msg(strstr(votes.fault, cases[i].word) != NULL, "%d: '%s'", (int)i, votes.fault);
		ck_assert_msg(m <= 0.2, "%d: %.1f m", (int)i, m);
	}
	hear((struct cairn_pose2){0.1, 0.0, 0.1}, (struct cairn_pose2){0.1, 0.0, -0.1}, NAN, 10);
	ck_assert_ptr_nonnull(strstr(votes.fault, "one of them has a wrong sign"));
}
END_TEST

START_TEST(a_turned_lidar_is_told_by_its_angle_and_side)
{
	static const double deg[] = {180.0, 90.0, -90.0, 35.0, -20.0};
	static const char *const word[] = {
	    "opposite", "90 degrees left", "90 degrees right", "35 degrees left", "20 degrees right"};
	for (int i = 0; i < 5; i++) {
		double a = cairn_deg_to_rad(deg[i]);
		double m = hear((struct cairn_pose2){0.1 * cos(a), 0.1 * sin(a), 0.0},
		    (struct cairn_pose2){0.1, 0.0, 0.0}, 0.0, 20);
		ck_assert_msg(strstr(votes.fault, word[i]) != NULL, "%s: '%s'", word[i], votes.fault);
		ck_assert_msg(m <= (i < 3 ? 0.1 : i == 3 ? 0.2 : 0.7) + 1e-9, "%s: %.1f m", word[i], m);
	}
}
END_TEST

START_TEST(what_the_lidar_does_not_know_or_does_not_see_moving_is_not_held_against_it)
{
	votes = (struct cairn_sensor_votes){0};
	struct cairn_votes_piece corridor = {
	    .scan = {.moved = {-0.1, 0.0, 0.0}, .sd_m = {0.2, 0.003}, .sd_rad = 0.004, .fit = 0.9},
	    .odometry = {0.1, 0.0, 0.0}};
	for (int i = 0; i < 100; i++)
		ck_assert(cairn_sensor_votes_hear(&votes, &corridor));
	struct cairn_votes_piece slips = corridor;
	slips.scan.moved = (struct cairn_pose2){-0.02, 0.0, 0.0};
	slips.scan.sd_m[0] = 0.003;
	for (int i = 0; i < 100; i++)
		ck_assert(cairn_sensor_votes_hear(&votes, &slips));
}
END_TEST

START_TEST(the_verdict_stays_until_it_is_cleared)
{
	hear((struct cairn_pose2){-0.1, 0.0, 0.0}, (struct cairn_pose2){0.1, 0.0, 0.0}, 0.0, 5);
	struct cairn_votes_piece good = {
	    .scan = {.moved = {0.1, 0.0, 0.0}, .sd_m = {0.003, 0.003}, .sd_rad = 0.004},
	    .odometry = {0.1, 0.0, 0.0}};
	ck_assert(!cairn_sensor_votes_hear(&votes, &good));
	cairn_sensor_votes_clear(&votes);
	ck_assert(cairn_sensor_votes_hear(&votes, &good));
	ck_assert_uint_eq(votes.contradicted, 1);
}
END_TEST

/* ---- the LiDAR's own word ---- */

static struct cairn_points from, to;
static struct cairn_shift_lines lines;

static void see(struct cairn_points *p, const struct box *b, struct cairn_pose2 at, struct cairn_rng *rng)
{
	static struct cairn_directions d;
	look(b, at, (struct cairn_twist){0});
	for (uint32_t i = 0; i < scan.range_m_count; i++)
		scan.range_m[i] += 0.01f * (float)cairn_rng_normal(rng);
	cairn_points_from_scan(p, &scan, &d, (struct cairn_vec2){cfg.robot.lidar_x_m, 0.0},
	    &(struct cairn_footprint){0.1, 0.1, 0.1});
}

START_TEST(the_motion_between_two_revolutions_is_found_within_what_it_says_of_itself)
{
	static const struct box rooms[] = {{3.0, 2.0, 1.5, 2.5}, {4.0, 4.0, 2.0, 2.0}, {1.2, 6.0, 0.8, 3.0}};
	struct cairn_rng rng;
	double worst = 0.0;
	fresh_motor(false);
	cairn_rng_seed(&rng, 4, 1);
	for (int i = 0; i < 150; i++) {
		struct cairn_pose2 at = {
		    0.3 * cairn_rng_normal(&rng), 0.1 * cairn_rng_normal(&rng), cairn_rng_uniform(&rng)};
		struct cairn_pose2 by = {0.2 * cairn_rng_uniform(&rng) - 0.1,
		    0.1 * cairn_rng_uniform(&rng) - 0.05, 0.3 * cairn_rng_uniform(&rng) - 0.15};
		struct cairn_shift s;
		see(&from, &rooms[i % 3], at, &rng);
		see(&to, &rooms[i % 3], cairn_pose_compose(at, by), &rng);
		cairn_shift_lines_from(&lines, &from);
		ck_assert(cairn_shift_find(&lines, &to, (struct cairn_pose2){0}, &s));
		worst = fmax(worst, fabs(s.moved.x_m - by.x_m) / s.sd_m[0]);
		worst = fmax(worst, fabs(s.moved.y_m - by.y_m) / s.sd_m[1]);
		worst = fmax(worst, fabs(s.moved.yaw_rad - by.yaw_rad) / s.sd_rad);
		ck_assert_double_lt(fmax(s.sd_m[0], s.sd_m[1]), 0.02);
		ck_assert_double_gt(s.fit, 0.8);
	}
	ck_assert_msg(worst < 5.0, "%.1f standard deviations", worst);
}
END_TEST

START_TEST(along_a_corridor_without_an_end_the_way_is_not_known_and_said_not_to_be)
{
	static const struct box corridor = {60.0, 60.0, 0.7, 0.7}; /* its ends are out of range */
	struct cairn_rng rng;
	struct cairn_shift s;
	fresh_motor(false);
	cairn_rng_seed(&rng, 5, 1);
	see(&from, &corridor, (struct cairn_pose2){0}, &rng);
	see(&to, &corridor, (struct cairn_pose2){0.1, 0.02, 0.05}, &rng);
	cairn_shift_lines_from(&lines, &from);
	ck_assert(cairn_shift_find(&lines, &to, (struct cairn_pose2){0}, &s));
	ck_assert_double_gt(s.sd_m[0], 0.05);
	ck_assert_double_eq_tol(s.moved.y_m, 0.02, 0.01);
	ck_assert_double_eq_tol(s.moved.yaw_rad, 0.05, 0.01);
}
END_TEST

CAIRN_TEST_MAIN("sensor-votes", witnesses_that_agree_but_for_slip_and_scale_are_never_contradicted,
    the_odd_one_out_of_turning_is_named_within_30_cm, a_turned_lidar_is_told_by_its_angle_and_side,
    what_the_lidar_does_not_know_or_does_not_see_moving_is_not_held_against_it,
    the_verdict_stays_until_it_is_cleared,
    the_motion_between_two_revolutions_is_found_within_what_it_says_of_itself,
    along_a_corridor_without_an_end_the_way_is_not_known_and_said_not_to_be)
