/* The simulated robot: kinematics against closed form, contact, LiDAR, coverage, and a truth that
 * survives. */
#include "common/base/repeats.h"
#include "common/sim/robot/checkpoint.h"
#include "test/support/sim_hall.h"

START_TEST(a_straight_drive_goes_as_far_as_speed_and_lag_say)
{
	struct cairn_config cfg = quiet();
	struct cairn_world *w = hall(10, 4);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	drive(sim, (struct cairn_drive){0.2, 0.0, 0.0}, 5.0);
	NEAR(body_of(sim)->pose.x_m, 1.0 + 0.2 * 5.0 - 0.2 * 0.06,
	    0.003); /* a first-order lag costs v * tau */
	NEAR(body_of(sim)->pose.y_m, 2.0, 1e-9);
	NEAR(body_of(sim)->wheel_left_m, body_of(sim)->pose.x_m - 1.0, 1e-9);
	drive(sim, (struct cairn_drive){0.0, 0.0, 0.0}, 1.0);
	NEAR(body_of(sim)->v_mps, 0.0, 1e-12);
	NEAR(body_of(sim)->pose.x_m, 2.0, 0.003);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(constant_steering_drives_a_circle_of_wheelbase_over_tangent)
{
	struct cairn_config cfg = quiet();
	struct cairn_world *w = hall(10, 6);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	double steer = 0.3, radius = cfg.robot.wheelbase_m / tan(steer);
	drive(sim, (struct cairn_drive){0.0, steer, 0.0}, 0.5); /* steering first, standing */
	NEAR(body_of(sim)->steer_rad, steer, 1e-9);
	struct cairn_pose2 from = body_of(sim)->pose;
	double cx = from.x_m - radius * sin(from.yaw_rad), cy = from.y_m + radius * cos(from.yaw_rad);
	for (int i = 0; i < 2000; i++) {
		(void)cairn_sim_step(sim, (struct cairn_drive){0.3, steer, 0.0}, false);
		const struct cairn_pose2 *p = &body_of(sim)->pose;
		NEAR(hypot(p->x_m - cx, p->y_m - cy), radius, 1e-6);
	}
	double turned = body_of(sim)->distance_m / radius;
	NEAR(cairn_wrap_rad(body_of(sim)->pose.yaw_rad - turned), 0.0, 1e-6);
	double half_track = 0.5 * cfg.robot.wheel_separation_m;
	NEAR(body_of(sim)->wheel_right_m / body_of(sim)->wheel_left_m,
	    (radius + half_track) / (radius - half_track), 1e-6);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(steering_turns_at_its_rate_and_not_beyond_its_limit)
{
	struct cairn_config cfg = quiet();
	struct cairn_world *w = hall(10, 6);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	drive(sim, (struct cairn_drive){0.0, 1.5, 0.0}, 0.05);
	NEAR(body_of(sim)->steer_rad, 0.2, 1e-9); /* 4 rad/s */
	drive(sim, (struct cairn_drive){0.0, 1.5, 0.0}, 1.0);
	NEAR(body_of(sim)->steer_rad, atan(cfg.robot.wheelbase_m / cfg.robot.turn_radius_min_m), 1e-9);
	NEAR(cairn_sim_steer_for(&cfg, 0.2, 0.2 / 1.5, 0.0), atan(cfg.robot.wheelbase_m / 1.5), 1e-9);
	NEAR(cairn_sim_steer_for(&cfg, -0.2, 0.2 / 1.5, 0.0), -atan(cfg.robot.wheelbase_m / 1.5), 1e-9);
	NEAR(cairn_sim_steer_for(&cfg, 0.0, 1.0, 0.123), 0.123, 1e-12);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(slip_and_drift_have_the_configured_size)
{
	struct cairn_config cfg = quiet();
	cfg.sim.noise = true;
	cfg.sim.slip = 0.05;
	cfg.sim.yaw_drift_deg_per_m = 1.0;
	struct cairn_world *w = hall(40, 4);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	drive(sim, (struct cairn_drive){0.5, 0.0, 0.0}, 70.0);
	double wheels = body_of(sim)->wheel_left_m, truth = body_of(sim)->distance_m;
	NEAR((wheels - truth) / wheels, 0.05, 0.012);
	NEAR(fabs(cairn_rad_to_deg(body_of(sim)->gyro_yaw_rad)), truth,
	    0.1 * truth); /* a degree a metre; it drove straight */
	NEAR(body_of(sim)->pose.yaw_rad, 0.0, 1e-9);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(a_contact_blocks_and_counts_once_until_it_is_cleared)
{
	struct cairn_config cfg = quiet();
	struct cairn_world *w = hall(3, 3);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	struct cairn_msg_sim_truth t;
	drive(sim, (struct cairn_drive){0.3, 0.0, 0.0}, 10.0);
	double limit = 3.0 - cfg.robot.footprint_front_m;
	ck_assert_double_le(body_of(sim)->pose.x_m, limit);
	NEAR(body_of(sim)->pose.x_m, limit, 0.004);
	ck_assert_uint_eq(body_of(sim)->contacts, 1);
	cairn_sim_truth_message(sim, &t);
	ck_assert_str_eq(t.last_contact, "wall");
	NEAR(t.clearance_m, 0.0, 0.004);
	drive(sim, (struct cairn_drive){-0.2, 0.0, 0.0}, 1.0);
	drive(sim, (struct cairn_drive){0.2, 0.0, 0.0}, 4.0);
	ck_assert_uint_eq(body_of(sim)->contacts, 2);
	drive(sim, (struct cairn_drive){-0.3, 0.0, 0.0}, 20.0);
	ck_assert_uint_eq(body_of(sim)->contacts, 3);
	NEAR(body_of(sim)->pose.x_m, cfg.robot.footprint_rear_m, 0.004);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

/* A hall whose floor is missing from x = 5 on, for 1 m, over its whole width. */
static struct cairn_world *hall_with_drop(void)
{
	static const struct cairn_vec2 outline[4] = {{0, 0}, {10, 0}, {10, 4}, {0, 4}},
				       drop[4] = {{5, 0}, {6, 0}, {6, 4}, {5, 4}};
	struct cairn_builder b;
	ck_assert(cairn_build_init(&b, "hall", NULL));
	cairn_build_outline(&b, outline, 4, true, 0.0, 2.5, CAIRN_PAINT(200, 200, 200, PLASTER));
	(void)cairn_build_thing(&b, "stairs", "drop", 5.5, 2);
	cairn_build_drop(&b, drop);
	b.world->has_start = true;
	b.world->start = (struct cairn_pose2){1.0, 2.0, 0.0};
	return cairn_build_finish(&b, NULL);
}

START_TEST(the_cliff_sensor_sees_a_drop_before_the_wheels_are_there_and_the_edge_holds_these)
{
	struct cairn_config cfg = quiet();
	struct cairn_world *w = hall_with_drop();
	struct cairn_error err = {""};
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	for (int i = 0; i < 5000 && !cairn_sim_cliff(sim); i++)
		(void)cairn_sim_step(sim, (struct cairn_drive){0.3, 0.0, 0.0}, false);
	NEAR(body_of(sim)->pose.x_m, 5.0 - cfg.sim.cliff_x_m, 0.0031);
	ck_assert_uint_eq(body_of(sim)->contacts, 0);
	drive(sim, (struct cairn_drive){0.3, 0.0, 0.0}, 3.0);
	NEAR(body_of(sim)->pose.x_m, 5.0 - cfg.robot.wheelbase_m, 0.0031);
	ck_assert_uint_eq(body_of(sim)->contacts, 1);
	ck_assert_str_eq(w->things[body_of(sim)->touched].name, "stairs");
	drive(sim, (struct cairn_drive){-0.3, 0.0, 0.0}, 2.0);
	ck_assert(!cairn_sim_cliff(sim));
	ck_assert_uint_eq(body_of(sim)->contacts, 1);
	cairn_sim_destroy(&sim);
	w->start = (struct cairn_pose2){4.9, 2.0, 0.0};
	ck_assert_ptr_null(cairn_sim_new(&cfg, w, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "drop 'stairs'"));
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(a_start_inside_something_or_outside_the_world_is_refused)
{
	struct cairn_config cfg = quiet();
	struct cairn_error err = {""};
	struct cairn_world *w = hall(3, 3);
	cfg.sim.start = CAIRN_CHOICE_START_GIVEN;
	cfg.sim.start_x_m = 2.9;
	cfg.sim.start_y_m = 1.5;
	ck_assert_ptr_null(cairn_sim_new(&cfg, w, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "sim.start"));
	ck_assert_ptr_nonnull(strstr(err.text, "wall"));
	cfg.sim.start_x_m = 200.0;
	ck_assert_ptr_null(cairn_sim_new(&cfg, w, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "outside"));
	cfg.sim.start = CAIRN_CHOICE_START_AUTO;
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, &err);
	ck_assert_ptr_nonnull(sim);
	NEAR(cairn_sim_state(sim)->start.x_m, 1.5, 0.35);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(a_start_in_the_middle_of_something_larger_than_the_robot_is_refused)
{
	struct cairn_config cfg = quiet();
	struct cairn_error err = {""};
	struct cairn_builder b;
	struct cairn_vec2 c[4] = {{0, 0}, {16, 0}, {16, 6}, {0, 6}};
	ck_assert(cairn_build_init(&b, "bedroom", NULL));
	cairn_build_outline(&b, c, 4, true, 0.0, 2.5, CAIRN_PAINT(200, 200, 200, PLASTER));
	(void)cairn_build_thing(&b, "large one", "bed", 6.0, 3.0);
	cairn_build_box(
	    &b, (struct cairn_box){6.0, 3.0, 3.0, 3.0, 0.0, 0.0, 0.5}, CAIRN_PAINT(1, 1, 1, PLAIN));
	(void)cairn_build_thing(&b, "low one", "platform", 13.0, 3.0);
	cairn_build_box(
	    &b, (struct cairn_box){13.0, 3.0, 3.0, 3.0, 0.0, 0.0, 0.08}, CAIRN_PAINT(1, 1, 1, PLAIN));
	struct cairn_world *w = cairn_build_finish(&b, NULL);
	cfg.sim.start = CAIRN_CHOICE_START_GIVEN;
	cfg.sim.start_x_m = 6.0;
	cfg.sim.start_y_m = 3.0;
	ck_assert_ptr_null(cairn_sim_new(&cfg, w, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "stand in the bed 'large one'"));
	cfg.sim.start_x_m = 13.0; /* on a step of 8 cm */
	ck_assert_ptr_null(cairn_sim_new(&cfg, w, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "stand in the platform 'low one'"));
	cfg.sim.start_x_m = 2.0;
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, &err);
	ck_assert_msg(sim != NULL, "%s", err.text);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(a_standing_lidar_measures_the_room_in_every_direction)
{
	struct cairn_config cfg = quiet();
	struct cairn_world *w = hall(10, 4);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	static struct cairn_msg_scan scan;
	for (int i = 0; i < CAIRN_LIDAR_TURN_STEPS; i++) {
		ck_assert(!cairn_sim_scan(sim, &scan));
		ck_assert_ptr_nonnull(cairn_sim_step(sim, (struct cairn_drive){0}, true));
	}
	ck_assert(cairn_sim_scan(sim, &scan));
	ck_assert_uint_eq(scan.range_m_count, 720);
	double x = 1.0 + cfg.robot.lidar_x_m;
	NEAR(scan.angle_rad[0], 0.0, 1e-6);
	NEAR(scan.range_m[0], 10.0 - x, 3e-4);      /* a quantum of the device is 2.5e-4 */
	NEAR(scan.angle_rad[180], -M_PI / 2, 1e-5); /* clockwise: a quarter turn on is right */
	NEAR(scan.range_m[180], 2.0, 3e-4);
	NEAR(scan.range_m[360], x, 3e-4);
	NEAR(scan.range_m[540], 2.0, 3e-4);
	for (int i = 0; i < 720; i++) {
		double a = scan.angle_rad[i], wall_x = cos(a) > 0 ? (10 - x) / cos(a) : -x / cos(a);
		NEAR(scan.range_m[i], fmin(wall_x, 2.0 / fabs(sin(a))), 1e-3);
	}
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(a_standing_lidar_without_noise_never_repeats_a_revolution)
{
	struct cairn_config cfg = quiet();
	struct cairn_world *w = hall(10, 4);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	static struct cairn_msg_scan scan;
	struct cairn_repeats repeats = {0};
	for (int i = 0; i < 100 * CAIRN_LIDAR_TURN_STEPS; i++) {
		(void)cairn_sim_step(sim, (struct cairn_drive){0}, true);
		if (cairn_sim_scan(sim, &scan))
			ck_assert(!cairn_repeats_take(&repeats, scan.range_m, 720 * sizeof(scan.range_m[0])));
	}
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(points_of_a_moving_lidar_are_spread_over_the_drive)
{
	struct cairn_config cfg = quiet();
	struct cairn_world *w = hall(10, 4);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	drive(sim, (struct cairn_drive){0.5, 0.0, 0.0}, 2.0);
	double x0 = body_of(sim)->pose.x_m + cfg.robot.lidar_x_m;
	static struct cairn_msg_scan scan;
	for (int i = 0; i < CAIRN_LIDAR_TURN_STEPS; i++)
		(void)cairn_sim_step(sim, (struct cairn_drive){0.5, 0.0, 0.0}, true);
	ck_assert(cairn_sim_scan(sim, &scan));
	NEAR(scan.range_m[0], 10.0 - x0 - 0.5 * 0.1 / 720, 1e-4);
	NEAR(scan.range_m[360], x0 + 0.5 * 0.1 * 361 / 720, 1e-4);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(noise_and_dropouts_have_the_configured_size)
{
	struct cairn_config cfg = quiet();
	cfg.sim.noise = true;
	cfg.sim.lidar_noise_m = 0.02;
	cfg.sim.lidar_dropout = 0.05;
	struct cairn_world *w = hall(10, 4);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	double sum = 0.0, sum2 = 0.0;
	int n = 0, none = 0;
	for (int i = 0; i < 40 * CAIRN_LIDAR_TURN_STEPS; i++) {
		const struct cairn_lidar_point *p = cairn_sim_step(sim, (struct cairn_drive){0}, true);
		for (int k = 0; k < CAIRN_LIDAR_STEP_POINTS; k++) {
			double a = -p[k].index * M_PI / 360, x = 1.1;
			double wall_x = cos(a) > 0 ? (10 - x) / cos(a) : -x / cos(a),
			       truth = fmin(wall_x, 2.0 / fabs(sin(a)));
			if (p[k].range_m == 0.0f) {
				none++;
				continue;
			}
			sum += p[k].range_m - truth;
			sum2 += (p[k].range_m - truth) * (p[k].range_m - truth);
			n++;
		}
	}
	NEAR(sum / n, 0.0, 0.001);
	NEAR(sqrt(sum2 / n), 0.02, 0.001);
	NEAR((double)none / (none + n), 0.05, 0.005);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(nothing_nearer_than_the_blind_minimum_is_returned)
{
	struct cairn_config cfg = quiet();
	struct cairn_builder b;
	ck_assert(cairn_build_init(&b, "post", NULL));
	struct cairn_vec2 c[4] = {{-30, -30}, {30, -30}, {30, 30}, {-30, 30}};
	cairn_build_outline(&b, c, 4, true, 0.0, 2.5, CAIRN_PAINT(200, 200, 200, PLASTER));
	b.world->has_start = true;
	cfg.robot.footprint_front_m = 0.02; /* so that something can stand that near to the LiDAR at 0.10 */
	cairn_build_box(
	    &b, (struct cairn_box){0.18, 0.0, 0.08, 0.4, 0.0, 0.0, 1.0}, CAIRN_PAINT(1, 1, 1, PLAIN));
	struct cairn_world *w = cairn_build_finish(&b, NULL);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	const struct cairn_lidar_point *p = cairn_sim_step(sim, (struct cairn_drive){0}, true);
	ck_assert_float_eq(p[0].range_m, 0.0f); /* 4 cm */
	for (int i = 1; i < 3; i++)
		p = cairn_sim_step(sim, (struct cairn_drive){0}, true);
	ck_assert_float_eq(p[40].range_m, 0.0f); /* 30 m away: out of range */
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(coverage_grows_to_the_whole_and_never_falls)
{
	struct cairn_config cfg = quiet();
	struct cairn_world *w = hall(6, 4);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	struct cairn_truth *t = cairn_sim_truth(sim);
	NEAR(cairn_truth_reachable_m2(t), 24.0, 0.6); /* all but the corners */
	double before = 0.0;
	ck_assert_double_eq(cairn_truth_coverage(t), 0.0);
	for (int i = 0; i < 100; i++) {
		(void)cairn_sim_step(sim, (struct cairn_drive){0.3, 0.3, 0.0}, true);
		ck_assert_double_ge(cairn_truth_coverage(t), before);
		before = cairn_truth_coverage(t);
	}
	ck_assert_double_gt(before, 0.99);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(floor_behind_a_narrow_gap_is_not_reachable)
{
	struct cairn_config cfg = quiet();
	for (int k = 0; k < 2; k++) {
		double gap = k == 0 ? 0.22 : 0.30;
		struct cairn_builder b;
		struct cairn_vec2 c[4] = {{0, 0}, {6, 0}, {6, 4}, {0, 4}};
		ck_assert(cairn_build_init(&b, "gap", NULL));
		cairn_build_outline(&b, c, 4, true, 0.0, 2.5, CAIRN_PAINT(200, 200, 200, PLASTER));
		cairn_build_box(&b, (struct cairn_box){3.0, 0.5 * (4 - gap), 0.1, 4 - gap, 0.0, 0.0, 2.0},
		    CAIRN_PAINT(1, 1, 1, PLAIN));
		b.world->has_start = true;
		b.world->start = (struct cairn_pose2){1.0, 2.0, 0.0};
		struct cairn_world *w = cairn_build_finish(&b, NULL);
		struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
		ck_assert_int_eq(cairn_truth_reachable_at(cairn_sim_truth(sim), 5.0, 2.0), k == 1);
		ck_assert(cairn_truth_reachable_at(cairn_sim_truth(sim), 2.0, 2.0));
		cairn_sim_destroy(&sim);
		cairn_world_destroy(&w);
	}
}
END_TEST

START_TEST(the_same_seed_gives_the_same_run)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	struct cairn_world *w = hall(10, 4);
	struct cairn_sim *a = cairn_sim_new(&cfg, w, NULL), *b = cairn_sim_new(&cfg, w, NULL);
	for (int i = 0; i < 500; i++) {
		const struct cairn_lidar_point *p =
		    cairn_sim_step(a, (struct cairn_drive){0.3, 0.1, 0.0}, true);
		const struct cairn_lidar_point *q =
		    cairn_sim_step(b, (struct cairn_drive){0.3, 0.1, 0.0}, true);
		for (int k = 0; k < CAIRN_LIDAR_STEP_POINTS; k++)
			ck_assert_float_eq(p[k].range_m, q[k].range_m);
	}
	ck_assert_double_eq(body_of(a)->pose.x_m, body_of(b)->pose.x_m);
	cairn_sim_destroy(&a);
	cairn_sim_destroy(&b);
	cairn_world_destroy(&w);
}
END_TEST

/* ---- what is kept over a kill ---- */

START_TEST(a_kept_state_comes_back_standing_still)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	struct cairn_world *w = hall(10, 4);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	size_t bits = cairn_truth_bitmap_bytes(cairn_sim_truth(sim)), bytes = cairn_checkpoint_bytes(bits);
	uint64_t key = cairn_checkpoint_key(sim, w, &cfg);
	void *memory = calloc(1, bytes);
	struct cairn_sim_state back;
	ck_assert(!cairn_checkpoint_load(memory, bytes, key, bits, &back));
	cairn_checkpoint_clear(memory, key, bits);
	ck_assert(!cairn_checkpoint_load(memory, bytes, key, bits, &back));
	cairn_truth_use_bitmap(cairn_sim_truth(sim), cairn_checkpoint_bitmap(memory));
	for (int i = 0; i < 300; i++) {
		(void)cairn_sim_step(sim, (struct cairn_drive){0.3, 0.1, 0.0}, true);
		cairn_checkpoint_save(memory, cairn_sim_state(sim));
	}
	double coverage = cairn_truth_coverage(cairn_sim_truth(sim));
	struct cairn_sim_state last = *cairn_sim_state(sim);
	cairn_sim_destroy(&sim);

	sim = cairn_sim_new(&cfg, w, NULL);
	ck_assert(cairn_checkpoint_load(memory, bytes, cairn_checkpoint_key(sim, w, &cfg), bits, &back));
	cairn_sim_restore(sim, &back);
	cairn_truth_use_bitmap(cairn_sim_truth(sim), cairn_checkpoint_bitmap(memory));
	ck_assert_double_eq(body_of(sim)->pose.x_m, last.body.pose.x_m);
	ck_assert_double_eq(body_of(sim)->distance_m, last.body.distance_m);
	ck_assert_double_eq(body_of(sim)->v_mps, 0.0);
	ck_assert_double_eq(cairn_truth_coverage(cairn_sim_truth(sim)), coverage);
	ck_assert(!cairn_checkpoint_load(memory, bytes, key + 1, bits, &back));
	ck_assert(!cairn_checkpoint_load(memory, bytes - 1, key, bits, &back));
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
	free(memory);
}
END_TEST

START_TEST(a_write_cut_short_leaves_the_state_before_it)
{
	struct cairn_config cfg = quiet();
	struct cairn_world *w = hall(10, 4);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	size_t bytes = cairn_checkpoint_bytes(0);
	uint8_t *memory = calloc(1, bytes), *before = malloc(bytes), *torn = malloc(bytes);
	struct cairn_sim_state back;
	cairn_checkpoint_clear(memory, 1, 0);
	drive(sim, (struct cairn_drive){0.3, 0.0, 0.0}, 1.0);
	cairn_checkpoint_save(memory, cairn_sim_state(sim));
	uint64_t steps = cairn_sim_state(sim)->steps;
	memcpy(before, memory, bytes);
	drive(sim, (struct cairn_drive){0.3, 0.0, 0.0}, 1.0);
	cairn_checkpoint_save(memory, cairn_sim_state(sim));
	for (size_t cut = 0; cut < bytes;
	     cut += 7) { /* the first bytes are of the new write, the rest as it was */
		memcpy(torn, before, bytes);
		memcpy(torn, memory, cut);
		ck_assert(cairn_checkpoint_load(torn, bytes, 1, 0, &back));
		ck_assert(back.steps == steps || back.steps == 2 * steps);
	}
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
	free(memory);
	free(before);
	free(torn);
}
END_TEST

CAIRN_TEST_MAIN("sim", a_straight_drive_goes_as_far_as_speed_and_lag_say,
    constant_steering_drives_a_circle_of_wheelbase_over_tangent,
    steering_turns_at_its_rate_and_not_beyond_its_limit, slip_and_drift_have_the_configured_size,
    a_contact_blocks_and_counts_once_until_it_is_cleared,
    the_cliff_sensor_sees_a_drop_before_the_wheels_are_there_and_the_edge_holds_these,
    a_start_inside_something_or_outside_the_world_is_refused,
    a_start_in_the_middle_of_something_larger_than_the_robot_is_refused,
    a_standing_lidar_measures_the_room_in_every_direction,
    a_standing_lidar_without_noise_never_repeats_a_revolution,
    points_of_a_moving_lidar_are_spread_over_the_drive, noise_and_dropouts_have_the_configured_size,
    nothing_nearer_than_the_blind_minimum_is_returned, coverage_grows_to_the_whole_and_never_falls,
    floor_behind_a_narrow_gap_is_not_reachable, the_same_seed_gives_the_same_run,
    a_kept_state_comes_back_standing_still, a_write_cut_short_leaves_the_state_before_it)
