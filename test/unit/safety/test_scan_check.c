/* A LiDAR that went blind but goes on sending: what gives it away, and what must not. */
#include "common/base/repeats.h"
#include "common/slam/log_reader.h"
#include "test/support/motor_rig.h"

static struct cairn_rng rng;

/* The robot really drives at v; the LiDAR sees what eye sees, with noise. Returns the last twist sent. */
static struct cairn_twist drive(
    const struct box *b, double v, int ms, struct cairn_pose2 *at, bool frozen, float jitter_m)
{
	static struct cairn_msg_scan kept;
	struct cairn_twist out = {0};
	for (int t = 0; t < ms; t += 20) {
		struct cairn_twist moving = {motor.smooth.v_mps, 0.0};
		now += 20 * MS;
		*at = cairn_pose_advance(*at, moving, 0.02);
		command(v, 0.0);
		cairn_motor_measured(&motor, moving, now);
		if (t % 100 == 0) {
			look(b, *at, moving);
			if (frozen)
				memcpy(scan.range_m, kept.range_m, sizeof(scan.range_m));
			else
				kept = scan;
			for (uint32_t i = 0; i < scan.range_m_count; i++)
				scan.range_m[i] += jitter_m * (float)cairn_rng_normal(&rng);
			if (!frozen)
				memcpy(kept.range_m, scan.range_m, sizeof(kept.range_m));
			(void)send_scan();
		}
		out = cairn_motor_step(&motor, now);
	}
	return out;
}

static void start(const struct box *b, double v, struct cairn_pose2 *at)
{
	fresh_motor(false);
	cairn_rng_seed(&rng, 7, 1);
	*at = (struct cairn_pose2){0};
	drive(b, v, 2000, at, false, 0.01f);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
}

START_TEST(a_lidar_that_repeats_its_last_revolution_bit_for_bit_is_no_scan)
{
	struct cairn_pose2 at;
	start(&hall, 0.2, &at);
	struct cairn_twist out = drive(&hall, 0.2, 1500, &at, true, 0.0f);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_SCAN);
	ck_assert_double_eq(out.v_mps, 0.0);
	ck_assert_ptr_nonnull(strstr(reason(), "repeats an earlier revolution"));
	drive(&hall, 0.2, 1500, &at, false, 0.01f);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
}
END_TEST

START_TEST(a_ring_of_revolutions_is_a_repetition_too_and_other_angles_do_not_hide_it)
{
	struct cairn_repeats r = {0};
	float ranges[4][90];
	cairn_rng_seed(&rng, 3, 1);
	for (int k = 0; k < 4; k++)
		for (int i = 0; i < 90; i++)
			ranges[k][i] = 2.0f + 0.01f * (float)cairn_rng_normal(&rng);
	for (int k = 0; k < 4; k++)
		ck_assert(!cairn_repeats_take(&r, ranges[k], sizeof(ranges[k])));
	for (int k = 0; k < 40; k++)
		ck_assert(cairn_repeats_take(&r, ranges[k % 4], sizeof(ranges[0])));
	ck_assert_uint_eq(r.count, 40);
	ranges[0][89] += 0.00025f; /* the last value counts as well */
	ck_assert(!cairn_repeats_take(&r, ranges[0], sizeof(ranges[0])));
	ck_assert(!r.now);
}
END_TEST

START_TEST(an_old_picture_with_new_noise_is_found_by_the_motion_that_it_does_not_follow)
{
	struct cairn_pose2 at;
	start(&hall, 0.2, &at);
	double from_m = at.x_m;
	struct cairn_twist out = drive(&hall, 0.2, 4000, &at, true, 0.001f);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_SCAN);
	ck_assert_double_eq(out.v_mps, 0.0);
	ck_assert_double_lt(at.x_m - from_m, 0.35);
	ck_assert_ptr_nonnull(strstr(reason(), "does not follow the motion"));
	/* Each retry costs a little way; after the third nothing but a changed view or a person helps. */
	drive(&hall, 0.2, 60000, &at, true, 0.001f);
	double stood_m = at.x_m;
	ck_assert_double_lt(stood_m - from_m, 1.1);
	drive(&hall, 0.2, 20000, &at, true, 0.001f);
	ck_assert_double_eq(at.x_m, stood_m);
	drive(&hall, 0.2, 2000, &at, false, 0.01f); /* it looks again, and sees the way driven since */
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
}
END_TEST

START_TEST(a_release_by_the_operator_ends_the_doubt)
{
	struct cairn_pose2 at;
	struct cairn_error err = {""};
	start(&hall, 0.2, &at);
	drive(&hall, 0.2, 60000, &at, true, 0.001f);
	double stood_m = at.x_m;
	ck_assert(cairn_motor_operator_release(&motor, now, &err));
	drive(&hall, 0.2, 3000, &at, true, 0.001f);
	ck_assert_double_gt(at.x_m, stood_m + 0.05);
}
END_TEST

START_TEST(a_true_lidar_is_never_doubted_in_rooms_and_corridors_forward_and_backward)
{
	static const struct box rooms[] = {
	    {6.0, 6.0, 5.0, 5.0}, {12.0, 14.0, 0.6, 0.5}, {14.5, 14.5, 4.0, 0.4}, {3.0, 2.0, 1.5, 2.5}};
	for (size_t k = 0; k < sizeof(rooms) / sizeof(rooms[0]); k++)
		for (int i = 0; i < 6; i++) {
			double v = (i % 2 == 0 ? 0.1 : -0.1) * (1 + i / 2);
			struct cairn_pose2 at = {0};
			fresh_motor(false);
			cairn_rng_seed(&rng, 100u * (unsigned)k + (unsigned)i, 1);
			drive(&rooms[k], v, 6000, &at, false, 0.02f);
			ck_assert_uint_gt(motor.scan_motion.compared, 2);
			ck_assert_uint_eq(motor.scan_motion.contradicted_still, 0);
			ck_assert_uint_eq(motor.scan_motion.contradicted_astray, 0);
			ck_assert_uint_eq(motor.scan_repeats.count, 0);
		}
}
END_TEST

START_TEST(a_robot_that_stands_for_long_is_not_doubted)
{
	struct cairn_pose2 at = {0};
	fresh_motor(false);
	cairn_rng_seed(&rng, 5, 1);
	drive(&hall, 0.0, 20000, &at, false, 0.005f);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_IDLE);
	ck_assert_uint_eq(motor.rejected, 0);
}
END_TEST

/* The robot drives at v, and the LiDAR sees what a robot at ghost sees that moves by seen. */
static void drive_seeing(const struct box *b, double v, int ms, double *driven_m, struct cairn_pose2 *ghost,
    struct cairn_twist seen)
{
	for (int t = 0; t < ms; t += 20) {
		struct cairn_twist moving = {motor.smooth.v_mps, 0.0};
		now += 20 * MS;
		*driven_m += 0.02 * fabs(moving.v_mps);
		*ghost = cairn_pose_advance(*ghost, seen, 0.02);
		command(v, 0.0);
		cairn_motor_measured(&motor, moving, now);
		if (t % 100 == 0) {
			look(b, *ghost, seen);
			for (uint32_t i = 0; i < scan.range_m_count; i++)
				scan.range_m[i] += 0.01f * (float)cairn_rng_normal(&rng);
			(void)send_scan();
		}
		(void)cairn_motor_step(&motor, now);
	}
}

static bool held_for_its_scans(void)
{
	return state() == CAIRN_MOTOR_STATE_NO_SCAN || state() == CAIRN_MOTOR_STATE_CONTRADICTION;
}

START_TEST(turns_of_another_drive_are_found_within_a_metre_and_after_the_third_time_a_person_must_look)
{
	static const struct cairn_twist drives[] = {{0.3, 0.6}, {0.2, 0.5}, {0.0, 1.0}, {-0.2, -0.4}};
	static const struct box rooms[] = {{3.0, 2.0, 1.5, 2.5}, {4.0, 4.0, 2.0, 2.0}};
	struct cairn_error err = {""};
	for (int i = 0; i < 8; i++) {
		struct cairn_pose2 at, ghost = {0};
		double driven_m = 0.0;
		start(&rooms[i % 2], 0.2, &at);
		for (int k = 0; k < 60; k++) { /* to and fro, as a replayed drive does not end */
			struct cairn_twist seen = drives[i / 2];
			seen.v_mps *= k % 4 < 2 ? 1.0 : -1.0;
			drive_seeing(&rooms[i % 2], 0.2, 3000, &driven_m, &ghost, seen);
			ck_assert_msg(k != 1 || (driven_m < 0.8 && held_for_its_scans()),
			    "drive %d: %.2f m in state %d", i, driven_m, (int)state());
			if (k % 15 == 14) /* the drive pauses */
				drive_seeing(
				    &rooms[i % 2], 0.2, 4000, &driven_m, &ghost, (struct cairn_twist){0});
		}
		ck_assert_msg(driven_m < 3.2, "drive %d: %.2f m in all", i, driven_m);
		ck_assert(held_for_its_scans());
		ck_assert(cairn_motor_operator_release(&motor, now, &err));
		drive_seeing(&rooms[i % 2], 0.2, 2000, &driven_m, &ghost, (struct cairn_twist){0.2, 0.0});
		ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
	}
}
END_TEST

START_TEST(turns_that_move_while_the_robot_stands_are_refused_until_the_view_stands_too)
{
	struct cairn_pose2 at = {0}, ghost = {0};
	double driven_m = 0.0;
	fresh_motor(false);
	cairn_rng_seed(&rng, 5, 1);
	drive(&hall, 0.0, 3000, &at, false, 0.01f);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_IDLE);
	for (int k = 0; k < 4; k++) { /* carried about, again and again: that costs nothing afterwards */
		drive_seeing(&hall, 0.0, 8000, &driven_m, &ghost, (struct cairn_twist){0.3, 0.4});
		ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_SCAN);
		ck_assert_ptr_nonnull(strstr(reason(), "robot carried"));
		drive_seeing(&hall, 0.0, 4000, &driven_m, &ghost, (struct cairn_twist){0});
		ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_IDLE);
	}
	ck_assert_double_eq(driven_m, 0.0);
}
END_TEST

/* A person turns the robot where it stands: LiDAR and gyro see it, wheels and steering do not. It says nothing of how they are mounted. */
START_TEST(a_robot_that_is_turned_by_hand_needs_no_release)
{
	const struct cairn_twist hand = {0.0, 0.8};
	struct cairn_pose2 at;
	start(&hall, 0.2, &at);
	drive(&hall, 0.0, 2000, &at, false, 0.01f);
	for (int t = 0; t < 8000; t += 20) {
		now += 20 * MS;
		at = cairn_pose_advance(at, hand, 0.02);
		command(0.0, 0.0);
		cairn_motor_measured(&motor, hand, now);
		if (t % 100 == 0) {
			look(&hall, at, hand);
			for (uint32_t i = 0; i < scan.range_m_count; i++)
				scan.range_m[i] += 0.01f * (float)cairn_rng_normal(&rng);
			(void)send_scan();
		}
		(void)cairn_motor_step(&motor, now);
		ck_assert_int_ne(state(), CAIRN_MOTOR_STATE_CONTRADICTION);
	}
	drive(&hall, 0.2, 2000, &at, false, 0.01f);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
}
END_TEST

/* A third of all directions shows something else every second: people close by. */
START_TEST(people_who_walk_about_a_standing_robot_are_no_reason_for_doubt)
{
	fresh_motor(false);
	cairn_rng_seed(&rng, 6, 1);
	for (int t = 0; t < 120000; t += 100) {
		now += 100 * MS;
		command(0.0, 0.0);
		cairn_motor_measured(&motor, (struct cairn_twist){0}, now);
		look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
		uint32_t first = (uint32_t)(t / 1000 * 97) % scan.range_m_count;
		for (uint32_t i = 0; i < scan.range_m_count / 6; i++) /* where one was, and where he is now */
			scan.range_m[(first + i) % scan.range_m_count] = 0.8f;
		(void)send_scan();
		(void)cairn_motor_step(&motor, now);
	}
	ck_assert_uint_gt(motor.scan_motion.compared, 100);
	ck_assert_uint_eq(motor.scan_motion.contradicted_astray, 0);
}
END_TEST

/* A robot in an office, its LiDAR over half a circle, its heading by wheels alone. */
START_TEST(a_recorded_drive_is_hardly_doubted)
{
	static struct cairn_log_turn turn;
	static struct cairn_scan_motion m;
	static struct cairn_points seen;
	struct cairn_error err = {""};
	struct cairn_pose2 last = {0};
	const char *path = cairn_shared_path("lidar/freiburg-079-corrected.log.gz");
	if (path == NULL)
		CAIRN_SKIP("no LiDAR logs");
	struct cairn_log_reader *log = cairn_log_open(path, NULL, &err);
	ck_assert_msg(log != NULL, "%s", err.text);
	while (cairn_log_next(log, &turn, &err) == 1) {
		seen.count = 0;
		for (uint32_t i = 0; i < turn.scan.range_m_count; i++) {
			float r = turn.scan.range_m[i];
			if (!(r > turn.scan.range_min_m && r < turn.scan.range_max_m))
				continue;
			seen.x_m[seen.count] = r * cosf(turn.scan.angle_rad[i]) + (float)turn.lidar_x_m;
			seen.y_m[seen.count++] = r * sinf(turn.scan.angle_rad[i]);
		}
		struct cairn_pose2 step = cairn_pose_between(last, turn.odom);
		bool stands = hypot(step.x_m, step.y_m) < 0.002 && fabs(step.yaw_rad) < 0.005;
		last = turn.odom;
		struct cairn_reckoning at = {.pose = turn.odom, .steering_rad = NAN, .standing = stands};
		(void)cairn_scan_motion_fault(&m, &seen, &at, (int64_t)((turn.t_s + 1.0) * 1e9));
		if (m.votes.fault[0] != '\0')
			cairn_sensor_votes_clear(&m.votes);
	}
	cairn_log_close(&log);
	printf("# %llu comparisons, %llu times taken for an old picture, %llu for another\n",
	    (unsigned long long)m.compared, (unsigned long long)m.contradicted_still,
	    (unsigned long long)m.contradicted_astray);
	ck_assert_uint_gt(m.compared, 2500);
	ck_assert_uint_gt(m.confirmed, 1500);
	ck_assert_uint_le(m.contradicted_astray, 2);
	ck_assert_uint_le(m.contradicted_still, 8);
	/* Twice, for a few seconds, its wheels count forward while the robot backs, as the filter that has corrected the
	 * log found, too. */
	ck_assert_uint_gt(m.votes.heard, 2400);
	ck_assert_uint_le(m.votes.contradicted, 7);
}
END_TEST

START_TEST(a_revolution_at_the_maximum_or_of_one_range_is_refused_and_one_with_a_far_side_is_not)
{
	fresh_motor(false);
	look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
	for (uint32_t i = 0; i < scan.range_m_count; i++)
		scan.range_m[i] = 16.0f - 0.0001f * (float)i;
	ck_assert(!send_scan());
	ck_assert_str_eq(motor.last_refusal, "scan with most returns at the maximum range");
	for (uint32_t i = 0; i < scan.range_m_count; i++)
		scan.range_m[i] = 3.0f + (i % 7 == 0 ? 0.001f : 0.0f);
	now += 100 * MS;
	ck_assert(!send_scan());
	ck_assert_str_eq(motor.last_refusal, "scan with one range in all directions");
	look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
	for (uint32_t i = 0; i < scan.range_m_count * 2 / 5; i++)
		scan.range_m[i] = 16.0f;
	now += 100 * MS;
	ck_assert(send_scan());
}
END_TEST

CAIRN_TEST_MAIN("scan-check", a_lidar_that_repeats_its_last_revolution_bit_for_bit_is_no_scan,
    a_ring_of_revolutions_is_a_repetition_too_and_other_angles_do_not_hide_it,
    an_old_picture_with_new_noise_is_found_by_the_motion_that_it_does_not_follow,
    a_release_by_the_operator_ends_the_doubt,
    a_true_lidar_is_never_doubted_in_rooms_and_corridors_forward_and_backward,
    a_robot_that_stands_for_long_is_not_doubted,
    turns_of_another_drive_are_found_within_a_metre_and_after_the_third_time_a_person_must_look,
    turns_that_move_while_the_robot_stands_are_refused_until_the_view_stands_too,
    a_robot_that_is_turned_by_hand_needs_no_release,
    people_who_walk_about_a_standing_robot_are_no_reason_for_doubt, a_recorded_drive_is_hardly_doubted,
    a_revolution_at_the_maximum_or_of_one_range_is_refused_and_one_with_a_far_side_is_not)
