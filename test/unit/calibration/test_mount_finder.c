/* Hidden mountings of the simulated robot, found by what a person would do to it: turn, push, let it drive. */
#include "common/calibration/mount_finder.h"
#include "common/sim/robot/sim.h"
#include "test/support/runner.h"

static struct cairn_config cfg;
static struct cairn_world *world;
static struct cairn_sim *sim;
static struct cairn_mount_motion motion;
static struct cairn_error err;
static int64_t now_ns;

/* What is hidden. */
struct hidden {
	double lidar_yaw_rad;
	bool mirrored;
	enum cairn_choice_gyro_axis axis;
	bool encoder_reversed, drive_reversed;
	double ticks_per_m, steer_scale;
};
static const struct hidden truths[] = {{0.0, false, CAIRN_CHOICE_GYRO_AXIS_Z, false, false, 6464.0, 1.0},
    {M_PI, false, CAIRN_CHOICE_GYRO_AXIS_MINUS_Z, true, true, 5800.0, -1.0},
    {M_PI / 2, true, CAIRN_CHOICE_GYRO_AXIS_X, false, true, 7300.0, 0.8},
    {-0.3, true, CAIRN_CHOICE_GYRO_AXIS_MINUS_Y, true, false, 6000.0, -0.7},
    {-2.2, false, CAIRN_CHOICE_GYRO_AXIS_MINUS_X, true, true, 12000.0, 1.2}};
enum { TRUTHS = sizeof(truths) / sizeof(truths[0]) };

static void place(const struct hidden *h, int seed)
{
	cairn_config_defaults(&cfg);
	cfg.sim.mounting = CAIRN_CHOICE_MOUNTING_GIVEN;
	cfg.sim.lidar_yaw_rad = h->lidar_yaw_rad;
	cfg.sim.lidar_mirrored = h->mirrored;
	cfg.sim.gyro_axis = h->axis;
	cfg.sim.encoder_reversed = h->encoder_reversed;
	cfg.sim.drive_reversed = h->drive_reversed;
	cfg.sim.encoder_ticks_per_m = h->ticks_per_m;
	cfg.sim.steer_scale = h->steer_scale;
	cfg.sim.seed = seed;
	world = cairn_world_load(CAIRN_SOURCE_ROOT "/config/worlds/home.yaml", &err);
	ck_assert_msg(world != NULL, "%s", err.text);
	sim = cairn_sim_new(&cfg, world, &err);
	ck_assert_msg(sim != NULL, "%s", err.text);
	now_ns = CAIRN_NS_PER_S;
}

static void take_away(void)
{
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&world);
}

/* Lets the base drive as it is told, and listens. */
static void watch(double base_mps, double base_1pm, double seconds)
{
	static struct cairn_points points;
	const struct cairn_body *b = &cairn_sim_state(sim)->body;
	const struct cairn_mounting *m = cairn_sim_mounting(sim);
	for (int i = 0; i < (int)(seconds / CAIRN_SIM_STEP_S); i++) {
		const struct cairn_lidar_point *p = cairn_sim_step(
		    sim, (struct cairn_drive){base_mps, atan(cfg.robot.wheelbase_m * base_1pm), 0.0}, true);
		double gyro[3];
		now_ns += CAIRN_SIM_STEP_NS;
		cairn_base_axes_from_up(&m->axes, b->gyro_radps, gyro);
		cairn_mount_gyro(&motion, gyro, now_ns);
		int32_t l = cairn_mounting_count(m, b->wheel_left_m),
			r = cairn_mounting_count(m, b->wheel_right_m);
		cairn_mount_encoders(&motion, (const int32_t[4]){l, l, r, r}, 15);
		for (int k = 0; k < CAIRN_LIDAR_STEP_POINTS; k++) {
			double a = -p[k].index * (2.0 * M_PI / CAIRN_LIDAR_POINTS);
			if (p[k].index == 0)
				points.count = 0;
			if (p[k].range_m <= 0.0f)
				continue;
			points.x_m[points.count] = p[k].range_m * (float)cos(a);
			points.y_m[points.count++] = p[k].range_m * (float)sin(a);
		}
		if (i % CAIRN_LIDAR_TURN_STEPS == CAIRN_LIDAR_TURN_STEPS - 1)
			cairn_mount_scan(&motion, &points);
	}
}

static void begin(void)
{
	watch(0.0, 0.0, 0.5);
	cairn_mount_begin(&motion);
	watch(0.0, 0.0, 0.2);
}

static struct cairn_mount_turn turn_left(double seconds)
{
	struct cairn_mount_turn turn;
	begin();
	cairn_sim_spin(sim, 0.6);
	watch(0.0, 0.0, seconds);
	cairn_sim_spin(sim, 0.0);
	watch(0.0, 0.0, 0.5);
	ck_assert_msg(cairn_mount_turn_found(&motion, &turn, &err), "%s", err.text);
	return turn;
}

/* The wheels roll forward, whoever makes them. */
static struct cairn_mount_push push(const struct hidden *h, const struct cairn_mount_turn *turn)
{
	struct cairn_mount_push push;
	begin();
	watch(h->drive_reversed ? -0.2 : 0.2, 0.0, 3.0);
	watch(0.0, 0.0, 0.5);
	ck_assert_msg(cairn_mount_push_found(&motion, turn, &push, &err), "%s", err.text);
	return push;
}

static void near_to(double found, double sd, double truth, double sd_max)
{
	ck_assert_msg(fabs(found - truth) <= 3.0 * sd, "%.4f +- %.4f, truly %.4f", found, sd, truth);
	ck_assert_msg(sd <= sd_max, "+- %.4f", sd);
}

START_TEST(every_sign_axis_and_scale_is_found_within_its_uncertainty)
{
	for (int i = 0; i < TRUTHS; i++)
		for (int seed = 1; seed <= CAIRN_ROUNDS(4); seed++) {
			const struct hidden *h = &truths[i];
			place(h, seed);
			struct cairn_mount_turn turn = turn_left(2.0 * M_PI / 0.6);
			ck_assert_int_eq(turn.lidar_mirrored, h->mirrored);
			ck_assert_int_eq(turn.gyro_axis, h->axis);
			near_to(turn.gyro_scale, turn.sd_scale, 1.0, 0.02);
			struct cairn_mount_push pushed = push(h, &turn);
			near_to(cairn_wrap_rad(pushed.lidar_yaw_rad - h->lidar_yaw_rad), pushed.sd_yaw_rad,
			    0.0, 0.04);
			ck_assert_int_eq(pushed.encoder_reversed, h->encoder_reversed);
			/* Counts on the way of the body: the wheels slip a little. */
			near_to(pushed.ticks_per_m, pushed.sd_ticks_per_m,
			    h->ticks_per_m / (1.0 - cfg.sim.slip), 0.03 * h->ticks_per_m);
			bool reversed;
			begin();
			watch(0.1, 0.0, 1.5);
			ck_assert_msg(
			    cairn_mount_drive_found(&motion, &pushed, &reversed, &err), "%s", err.text);
			ck_assert_int_eq(reversed, h->drive_reversed);
			struct cairn_mount_steer steer;
			begin();
			watch(reversed ? -0.1 : 0.1, 0.8, 4.0);
			watch(0.0, 0.8, 0.5);
			ck_assert_msg(cairn_mount_steer_found(&motion, &turn, &pushed, 0.8, &steer, &err),
			    "%s", err.text);
			near_to(steer.scale, fabs(steer.sd_scale), h->steer_scale, 0.08);
			take_away();
		}
}
END_TEST

START_TEST(too_little_motion_or_the_wrong_one_is_refused_with_what_to_do)
{
	struct cairn_mount_turn turn;
	struct cairn_mount_push pushed;
	struct cairn_mount_steer steer;
	bool reversed;
	place(&truths[0], 1);
	cairn_mount_begin(&motion);
	ck_assert(!cairn_mount_turn_found(&motion, &turn, &err));
	ck_assert_str_eq(err.text, "no revolution of the LiDAR has come");
	begin();
	cairn_sim_spin(sim, 0.6);
	watch(0.0, 0.0, 0.5);
	cairn_sim_spin(sim, 0.0);
	ck_assert(!cairn_mount_turn_found(&motion, &turn, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "turn it by at least 46"));
	turn = turn_left(2.0 * M_PI / 0.6);
	begin();
	watch(0.2, 0.0, 1.0);
	ck_assert(!cairn_mount_push_found(&motion, &turn, &pushed, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "push it by at least 0.4 m"));
	pushed = push(&truths[0], &turn);
	begin();
	ck_assert(!cairn_mount_drive_found(&motion, &pushed, &reversed, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "did not turn"));
	watch(0.1, 0.0, 1.0);
	ck_assert(!cairn_mount_steer_found(&motion, &turn, &pushed, 0.8, &steer, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "m only"));
	take_away();
	place(&truths[0], 2);
	begin();
	watch(0.1, 0.0, 4.0);
	ck_assert(!cairn_mount_steer_found(&motion, &turn, &pushed, 0.8, &steer, &err));
	ck_assert_msg(strstr(err.text, "does the steering move") != NULL, "%s", err.text);
	take_away();
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("mount-finder", 120.0, every_sign_axis_and_scale_is_found_within_its_uncertainty,
    too_little_motion_or_the_wrong_one_is_refused_with_what_to_do)
