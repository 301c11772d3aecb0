#include <math.h>

#include "common/base/rng.h"
#include "common/safety/motor_core.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS

static struct cairn_motor motor;
static struct cairn_config cfg;
static struct cairn_motor_params params;
static struct cairn_msg_scan scan;
static int64_t now;
static uint64_t cmd_seq, scan_seq, cmd_epoch, scan_epoch;

/* ---- a robot in a box ---- */

struct box {
	double front_m, rear_m, left_m, right_m; /* walls around the start of the map, positive */
};
static const struct box hall = {6.0, 6.0, 5.0, 5.0};

/* Distance from a point inside the box along a direction. */
static double ray(const struct box *b, double x, double y, double a)
{
	double c = cos(a), s = sin(a), t = INFINITY;
	if (c > 1e-9)
		t = fmin(t, (b->front_m - x) / c);
	if (c < -1e-9)
		t = fmin(t, (b->rear_m + x) / -c);
	if (s > 1e-9)
		t = fmin(t, (b->left_m - y) / s);
	if (s < -1e-9)
		t = fmin(t, (b->right_m + y) / -s);
	return t;
}

/* A turn of 0.1 s that ends now, of a robot at pose that moves with twist. */
static void look(const struct box *b, struct cairn_pose2 pose, struct cairn_twist twist)
{
	const uint32_t n = 720;
	scan =
	    (struct cairn_msg_scan){.t_start_ns = now - 100 * MS, .range_min_m = 0.05f, .range_max_m = 16.0f};
	scan.angle_rad_count = scan.range_m_count = n;
	for (uint32_t i = 0; i < n; i++) {
		struct cairn_pose2 at = cairn_pose_advance(pose, twist, -0.1 * (1.0 - (double)i / n));
		struct cairn_vec2 eye =
		    cairn_pose_apply(at, (struct cairn_vec2){cfg.robot.lidar_x_m, cfg.robot.lidar_y_m});
		double a = cairn_wrap_rad(-2.0 * M_PI * i / n);
		scan.angle_rad[i] = (float)a;
		scan.range_m[i] = (float)ray(b, eye.x_m, eye.y_m, a + at.yaw_rad);
	}
}

/* ---- driving the core by hand ---- */

static void fresh_motor(bool reborn)
{
	cairn_config_defaults(&cfg);
	cairn_motor_params_from(&params, &cfg);
	now = 1000 * CAIRN_NS_PER_S;
	cmd_seq = scan_seq = 0;
	cmd_epoch = 11, scan_epoch = 22;
	cairn_motor_init(&motor, &params, reborn, now);
	cairn_motor_device(&motor, true);
}

static struct cairn_header header(uint64_t epoch, uint64_t seq, int64_t t_ns)
{
	return (struct cairn_header){.version = 1, .seq = seq, .epoch = epoch, .t_ns = t_ns, .valid = true};
}

static bool command(double v, double w)
{
	struct cairn_header h = header(cmd_epoch, ++cmd_seq, now);
	return cairn_motor_cmd(&motor, &h, &(struct cairn_msg_cmd_vel){.v_mps = v, .w_radps = w}, now);
}

static bool send_scan(void)
{
	struct cairn_header h = header(scan_epoch, ++scan_seq, now);
	return cairn_motor_scan(&motor, &h, &scan, now);
}

static bool estop(bool stop, int64_t t_ns)
{
	struct cairn_header h = header(33, 1, t_ns);
	struct cairn_msg_estop m = {.stop = stop, .reason = "smoke"};
	return cairn_motor_estop(&motor, &h, &m, now);
}

/* ms of standing (or being carried) in a box with fresh scans at 10 Hz and the command at 50 Hz; the last
 * twist. */
static struct cairn_twist run(const struct box *b, double v, double w, int ms)
{
	struct cairn_twist out = {0};
	for (int t = 0; t < ms; t += 20) {
		now += 20 * MS;
		if (t % 100 == 0) {
			look(b, (struct cairn_pose2){0}, (struct cairn_twist){0});
			ck_assert(send_scan());
		}
		command(v, w);
		cairn_motor_measured(&motor, (struct cairn_twist){0}, now);
		out = cairn_motor_step(&motor, now);
	}
	return out;
}

static enum cairn_motor_state state(void)
{
	return cairn_motor_state(&motor);
}

static const char *reason(void)
{
	static struct cairn_msg_motion m;
	cairn_motor_message(&motor, now, &m);
	return m.reason;
}

static void up_and_driving(double v, double w)
{
	fresh_motor(false);
	run(&hall, v, w, 1500);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
}

/* Steps without any input; the last twist. */
static struct cairn_twist silence(int ms)
{
	struct cairn_twist out = {0};
	for (int t = 0; t < ms; t += 20) {
		now += 20 * MS;
		cairn_motor_measured(&motor, (struct cairn_twist){0}, now);
		out = cairn_motor_step(&motor, now);
	}
	return out;
}

/* ---- states ---- */

START_TEST(every_set_of_conditions_means_the_state_of_its_gravest)
{
	static const enum cairn_motor_state by_bit[CAIRN_MOTOR_CONDITIONS] = {CAIRN_MOTOR_STATE_NO_DEVICE,
	    CAIRN_MOTOR_STATE_ESTOP, CAIRN_MOTOR_STATE_NO_SCAN, CAIRN_MOTOR_STATE_NO_SCAN,
	    CAIRN_MOTOR_STATE_NO_COMMAND,
	    CAIRN_MOTOR_STATE_IDLE, CAIRN_MOTOR_STATE_REARMING, CAIRN_MOTOR_STATE_BLOCKED,
	    CAIRN_MOTOR_STATE_IDLE, CAIRN_MOTOR_STATE_SLOWED};
	ck_assert_int_eq(cairn_motor_state_of(0), CAIRN_MOTOR_STATE_DRIVING);
	for (unsigned c = 1; c < 1u << CAIRN_MOTOR_CONDITIONS; c++)
		ck_assert_int_eq(cairn_motor_state_of(c), by_bit[__builtin_ctz(c)]);
}
END_TEST

START_TEST(every_state_is_reached_and_says_why)
{
	fresh_motor(false);
	cairn_motor_device(&motor, false);
	silence(20);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_DEVICE);
	ck_assert_str_eq(reason(), "motor board not in service");
	cairn_motor_device(&motor, true);
	silence(20);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_SCAN);
	ck_assert_str_eq(reason(), "no scan yet");
	now += 20 * MS;
	look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
	send_scan();
	cairn_motor_step(&motor, now);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_IDLE);
	ck_assert_str_eq(reason(), "no command yet");
	run(&hall, 0.2, 0.0, 100);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_REARMING);
	run(&hall, 0.2, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
	ck_assert_str_eq(reason(), "");
	run(&hall, 0.0, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_IDLE);
	const struct box near = {0.27 + 0.25, 6.0, 5.0, 5.0};
	run(&near, 0.4, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_SLOWED);
	ck_assert_str_eq(reason(), "obstacle in the slow zone ahead");
	const struct box wall = {0.27 + 0.05, 6.0, 5.0, 5.0};
	run(&wall, 0.4, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_BLOCKED);
	silence(220); /* the last scan is 300 ms old: just not too old */
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_COMMAND);
	silence(200);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_SCAN);
	cairn_motor_operator_stop(&motor, "by hand");
	silence(20);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_ESTOP);
	ck_assert_str_eq(reason(), "emergency stop: by hand");
}
END_TEST

/* ---- commands ---- */

START_TEST(a_good_command_is_driven_as_asked)
{
	up_and_driving(0.2, 0.3);
	struct cairn_twist out = run(&hall, 0.2, 0.3, 20);
	ck_assert_double_eq_tol(out.v_mps, 0.2, 1e-9);
	ck_assert_double_eq_tol(out.w_radps, 0.3, 1e-9);
	ck_assert_uint_eq(motor.rejected, 0);
	out = run(&hall, -0.1, 0.0, 1500);
	ck_assert_double_eq_tol(out.v_mps, -0.1, 1e-9);
}
END_TEST

START_TEST(speed_and_curvature_stay_within_the_robot)
{
	up_and_driving(0.2, 0.0);
	struct cairn_twist out = run(&hall, 100.0, 0.0, 3000);
	ck_assert_double_eq_tol(out.v_mps, cfg.robot.speed_max_mps, 1e-9);
	out = run(&hall, 0.15, -50.0, 3000);
	ck_assert_double_eq_tol(out.v_mps, 0.15, 1e-9);
	ck_assert_double_eq_tol(out.w_radps, -0.15 / cfg.robot.turn_radius_min_m, 1e-9);
	out = run(&hall, -0.15, 1e300, 3000); /* backward: the same circle the other way */
	ck_assert_double_eq_tol(out.v_mps, -0.15, 1e-9);
	ck_assert_double_eq_tol(out.w_radps, 0.15 / cfg.robot.turn_radius_min_m, 1e-9);
}
END_TEST

START_TEST(turning_on_the_spot_is_refused_and_stands)
{
	up_and_driving(0.2, 0.0);
	now += 20 * MS;
	ck_assert(!command(0.0, 0.5));
	ck_assert_str_eq(motor.last_refusal, "turn on the spot");
	struct cairn_twist out = run(&hall, 0.0, 0.5, 1000);
	ck_assert_double_eq(out.v_mps, 0.0);
	ck_assert_double_eq(out.w_radps, 0.0);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_IDLE);
	ck_assert_str_eq(reason(), "cannot turn on the spot");
}
END_TEST

static void check_refused(struct cairn_header h, double v, double w, const char *why)
{
	uint64_t before = motor.rejected;
	struct cairn_twist kept = motor.command;
	ck_assert(!cairn_motor_cmd(&motor, &h, &(struct cairn_msg_cmd_vel){.v_mps = v, .w_radps = w}, now));
	ck_assert_uint_eq(motor.rejected, before + 1);
	ck_assert_str_eq(motor.last_refusal, why);
	ck_assert_double_eq(motor.command.v_mps, kept.v_mps);
	ck_assert_int_eq(motor.cmd_stream.t_ns, now - 5 * MS);
}

START_TEST(commands_one_cannot_trust_are_refused_and_counted)
{
	up_and_driving(0.2, 0.0);
	now += 5 * MS; /* the last good one is 5 ms old */
	uint64_t seq = cmd_seq;
	const double bad[] = {NAN, INFINITY, -INFINITY};
	for (int i = 0; i < 3; i++) {
		check_refused(header(11, seq + 1, now), bad[i], 0.0, "not finite");
		check_refused(header(11, seq + 1, now), 0.1, bad[i], "not finite");
	}
	check_refused(header(11, seq + 1, now + 51 * MS), 0.3, 0.0, "from the future");
	check_refused(header(11, seq + 1, INT64_MAX), 0.3, 0.0, "from the future");
	check_refused(header(11, seq + 1, now - 201 * MS), 0.3, 0.0, "stale");
	check_refused(header(11, seq + 1, INT64_MIN), 0.3, 0.0, "stale");
	check_refused(header(11, seq + 1, 0), 0.3, 0.0, "stale");
	check_refused(header(11, seq, now), 0.3, 0.0, "repeated or out of order");
	check_refused(header(11, seq - 1, now), 0.3, 0.0, "repeated or out of order");
	check_refused(header(11, seq + 1, now - 5 * MS), 0.3, 0.0, "repeated or out of order");
	check_refused(header(12, 1, now - 6 * MS), 0.3, 0.0, "repeated or out of order");
	struct cairn_header h = header(11, seq + 1, now);
	h.valid = false;
	check_refused(h, 0.3, 0.0, "marked invalid");
	ck_assert(!motor.rearming);
}
END_TEST

START_TEST(a_silent_command_ramps_down_by_its_stamp)
{
	up_and_driving(0.4, 0.0);
	int64_t last = now;
	double v = 0.4;
	while (v > 0.0) {
		ck_assert_int_lt(now - last, 800 * MS);
		now += 20 * MS;
		if ((now - last) % (100 * MS) == 0) {
			look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
			send_scan();
		}
		double next = cairn_motor_step(&motor, now).v_mps;
		if (now - last <= 200 * MS)
			ck_assert_double_eq_tol(next, 0.4, 1e-9);
		else
			ck_assert_double_eq_tol(next, fmax(v - cfg.robot.decel_max_mps2 * 0.02, 0.0), 1e-9);
		v = next;
	}
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_COMMAND);
	ck_assert_int_le(now - last, 200 * MS + 340 * MS + 20 * MS); /* 0.4 / 1.2 s after the time-out */
}
END_TEST

START_TEST(a_late_delivery_of_an_old_command_does_not_feed_the_dead_man)
{
	up_and_driving(0.2, 0.0);
	motor.params.scan_timeout_s = 10.0; /* the scan is not what this is about */
	struct cairn_header h = header(cmd_epoch, cmd_seq + 1, now + 20 * MS);
	silence(200);
	/* Stamped 180 ms ago, it counts for 20 ms more, however late it came. */
	ck_assert(cairn_motor_cmd(&motor, &h, &(struct cairn_msg_cmd_vel){.v_mps = 0.2}, now));
	silence(20);
	ck_assert_int_ne(state(), CAIRN_MOTOR_STATE_NO_COMMAND);
	silence(20);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_COMMAND);
}
END_TEST

/* ---- scans ---- */

START_TEST(a_silent_lidar_stops_the_robot)
{
	up_and_driving(0.3, 0.0);
	struct cairn_twist out = {0};
	for (int i = 0; i < 30; i++) {
		now += 20 * MS;
		command(0.3, 0.0);
		out = cairn_motor_step(&motor, now);
	}
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_SCAN);
	ck_assert_double_eq(out.v_mps, 0.0);
	/* It goes on by itself when the same LiDAR is back. */
	run(&hall, 0.3, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
}
END_TEST

static void check_scan_refused(const char *why)
{
	uint64_t before = motor.rejected;
	ck_assert(!send_scan());
	ck_assert_uint_eq(motor.rejected, before + 1);
	ck_assert_str_eq(motor.last_refusal, why);
}

START_TEST(scans_one_cannot_drive_by_are_refused)
{
	up_and_driving(0.2, 0.0);
	now += 20 * MS;
	look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
	struct cairn_msg_scan *good = malloc(sizeof(*good));
	*good = scan;
	scan.range_m_count--;
	check_scan_refused("scan without matching angles and ranges");
	scan.range_m_count = scan.angle_rad_count = 0;
	check_scan_refused("scan without matching angles and ranges");
	scan = *good;
	scan.angle_rad[100] = NAN;
	check_scan_refused("scan with angles that are none");
	scan = *good;
	scan.angle_rad_count = scan.range_m_count = 600; /* 60 degrees are missing */
	check_scan_refused("scan that does not look all round");
	scan = *good;
	for (int i = 0; i < 700; i++)
		scan.range_m[i] = i % 2 == 0 ? 0.0f : NAN;
	check_scan_refused("scan that sees nearly nothing");
	scan = *good;
	for (int i = 0; i < 200; i++) /* some blind beams are normal */
		scan.range_m[3 * i] = 0.0f;
	ck_assert(send_scan());
	check_scan_refused("repeated or out of order"); /* the same stamp */
	free(good);
}
END_TEST

/* ---- rebirth ---- */

START_TEST(a_reborn_sequencer_has_to_be_fresh_for_a_while)
{
	up_and_driving(0.2, 0.0);
	cmd_epoch++;
	cmd_seq = 0;
	int64_t born = now + 20 * MS; /* first command of the new epoch */
	int64_t moved = 0;
	for (int i = 0; i < 50; i++) {
		struct cairn_twist out = run(&hall, 0.2, 0.0, 20);
		if (now - born < 200 * MS && now - born > 180 * MS)
			ck_assert_double_eq(out.v_mps, 0.0);
		if (moved == 0 && state() == CAIRN_MOTOR_STATE_DRIVING)
			moved = now;
	}
	ck_assert_int_ge(moved - born, 250 * MS);
	ck_assert_int_le(moved - born, 290 * MS);
}
END_TEST

START_TEST(a_reborn_lidar_bridge_too_and_gaps_start_the_wait_anew)
{
	up_and_driving(0.2, 0.0);
	scan_epoch++;
	run(&hall, 0.2, 0.0, 20);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_REARMING);
	silence(220); /* the command goes stale meanwhile, 200 ms after its stamp */
	run(&hall, 0.2, 0.0, 200);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_REARMING);
	run(&hall, 0.2, 0.0, 200);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
}
END_TEST

START_TEST(with_operator_rearming_a_rebirth_waits_for_the_release)
{
	fresh_motor(false);
	strcpy(cfg.safety.rearm, "operator");
	cairn_motor_params_from(&params, &cfg);
	cairn_motor_init(&motor, &params, false, now);
	cairn_motor_device(&motor, true);
	run(&hall, 0.2, 0.0, 1500);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING); /* a first start is no rebirth */
	cmd_epoch++;
	run(&hall, 0.2, 0.0, 5000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_REARMING);
	ck_assert_str_eq(reason(), "reborn inputs: waits for the operator's release");
	ck_assert(cairn_motor_operator_release(&motor, now, NULL));
	run(&hall, 0.2, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
	/* And the motor stage itself. */
	cairn_motor_init(&motor, &params, true, now);
	cairn_motor_device(&motor, true);
	run(&hall, 0.2, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_REARMING);
}
END_TEST

/* ---- emergency stop ---- */

START_TEST(an_emergency_stop_is_at_once_and_latched)
{
	up_and_driving(0.4, 0.0);
	ck_assert(estop(true, now));
	now += 20 * MS;
	ck_assert_double_eq(cairn_motor_step(&motor, now).v_mps, 0.0);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_ESTOP);
	ck_assert_str_eq(reason(), "emergency stop: smoke");
	run(&hall, 0.4, 0.0, 3000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_ESTOP);
	ck_assert(estop(false, now)); /* the demand ends, the stop does not */
	run(&hall, 0.4, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_ESTOP);
	ck_assert(cairn_motor_operator_release(&motor, now, NULL));
	ck_assert_double_eq(run(&hall, 0.4, 0.0, 100).v_mps, 0.0); /* inputs have to be fresh for a while */
	ck_assert_double_gt(run(&hall, 0.4, 0.0, 1500).v_mps, 0.3);
}
END_TEST

START_TEST(a_release_is_refused_while_the_stop_is_still_demanded)
{
	up_and_driving(0.4, 0.0);
	estop(true, now);
	struct cairn_error err;
	ck_assert(!cairn_motor_operator_release(&motor, now, &err));
	ck_assert_str_eq(err.text, "the stop is still demanded: smoke");
	now += 1001 * MS; /* whoever demanded it has gone silent */
	ck_assert(cairn_motor_operator_release(&motor, now, &err));
	estop(true, now);
	estop(false, now + MS);
	ck_assert(cairn_motor_operator_release(&motor, now, &err));
}
END_TEST

START_TEST(stops_that_are_not_fresh_are_refused)
{
	up_and_driving(0.4, 0.0);
	ck_assert(!estop(true, now - 1001 * MS));
	ck_assert(!estop(true, now + 51 * MS));
	struct cairn_header h = header(33, 1, now);
	h.valid = false;
	ck_assert(!cairn_motor_estop(&motor, &h, &(struct cairn_msg_estop){.stop = true}, now));
	ck_assert(!motor.estop);
	ck_assert_uint_eq(motor.rejected, 3);
}
END_TEST

/* ---- device ---- */

START_TEST(without_the_board_nothing_is_asked_of_it_and_it_starts_from_zero)
{
	up_and_driving(0.4, 0.0);
	cairn_motor_device(&motor, false);
	ck_assert_double_eq(run(&hall, 0.4, 0.0, 20).v_mps, 0.0);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_DEVICE);
	cairn_motor_device(&motor, true);
	double v = run(&hall, 0.4, 0.0, 20).v_mps;
	ck_assert_double_gt(v, 0.0);
	ck_assert_double_lt(v, 0.05);
}
END_TEST

/* ---- collision monitor ---- */

START_TEST(the_limit_follows_the_three_zones)
{
	fresh_motor(false);
	const struct cairn_monitor_params *p =
	    &params.monitor; /* stop 0.06, slow 0.40, ttc 0.8, decel 1.2, max 0.5 */
	ck_assert_double_eq(cairn_monitor_speed(p, -1.0), 0.0);
	ck_assert_double_eq(cairn_monitor_speed(p, 0.06), 0.0);
	ck_assert_double_eq(cairn_monitor_speed(p, NAN), 0.0);
	ck_assert_double_eq_tol(cairn_monitor_speed(p, 0.14), 0.1, 1e-9); /* 0.08 / 0.8 */
	ck_assert_double_eq_tol(
	    cairn_monitor_speed(p, 0.399), 0.339 / 0.8, 1e-9); /* below 0.5 * 0.339 / 0.34 */
	ck_assert_double_eq_tol(cairn_monitor_speed(p, 5.0), 0.5, 1e-9);
	double last = 0.0;
	for (double f = 0.0; f < 2.0; f += 0.001) {
		double v = cairn_monitor_speed(p, f);
		ck_assert_double_ge(v, last);
		if (f > 0.06)
			ck_assert_double_le(v * v / (2.0 * 1.2), f - 0.06 + 1e-12);
		last = v;
	}
}
END_TEST

START_TEST(an_obstacle_on_the_commanded_arc_stops_that_arc_only)
{
	fresh_motor(false);
	const struct box b = {0.27 + 0.04, 6.0, 5.0, 5.0}; /* a wall 4 cm ahead */
	ck_assert_double_eq(run(&b, 0.2, 0.0, 1500).v_mps, 0.0);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_BLOCKED);
	ck_assert_double_eq(run(&b, 0.2, 0.6, 1000).v_mps, 0.0);
	ck_assert_double_eq_tol(run(&b, -0.1, 0.0, 1000).v_mps, -0.1, 1e-9); /* but it can leave */
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
	const struct box behind = {6.0, 0.08 + 0.04, 5.0, 5.0};
	ck_assert_double_eq(run(&behind, -0.2, 0.0, 1000).v_mps, 0.0);
	ck_assert_ptr_nonnull(strstr(reason(), "behind"));
	ck_assert_double_eq_tol(run(&behind, 0.1, 0.0, 1000).v_mps, 0.1, 1e-9);
}
END_TEST

START_TEST(a_robot_closer_than_its_margin_can_creep_away)
{
	fresh_motor(false);
	const struct box tight = {0.27 + 0.005, 6.0, 5.0, 0.10 + 0.008}; /* 5 mm ahead, 8 mm to the right */
	ck_assert_double_eq(run(&tight, 0.1, 0.0, 1000).v_mps, 0.0);
	ck_assert_double_eq_tol(run(&tight, -0.1, 0.0, 1500).v_mps, -0.1, 1e-9);
}
END_TEST

START_TEST(an_old_scan_is_judged_from_where_the_robot_is_now)
{
	up_and_driving(0.4, 0.0);
	const struct box b = {0.27 + 0.52, 6.0, 5.0, 5.0};
	now += 20 * MS;
	look(&b, (struct cairn_pose2){0}, (struct cairn_twist){0.4, 0.0});
	command(0.4, 0.0);
	cairn_motor_measured(&motor, (struct cairn_twist){0.4, 0.0}, now);
	ck_assert(send_scan());
	cairn_motor_step(&motor, now);
	double first = cairn_points_nearest(&motor.monitor.points, &params.monitor.body, NULL);
	ck_assert_double_eq_tol(first, 0.52, 2e-3);
	for (int i = 0; i < 5; i++) {
		now += 20 * MS;
		cairn_motor_measured(&motor, (struct cairn_twist){0.4, 0.0}, now);
		cairn_motor_step(&motor, now);
	}
	double later = cairn_points_nearest(&motor.monitor.points, &params.monitor.body, NULL);
	ck_assert_double_eq_tol(later, 0.52 - 0.4 * 0.1, 3e-3);
}
END_TEST

/* ---- smoothness ---- */

START_TEST(speed_changes_within_acceleration_and_jerk)
{
	const struct cairn_smooth_params p = {0.6, 1.2, 8.0};
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 8, 1);
	struct cairn_smooth s = {0};
	double target = 0.0;
	for (int i = 0; i < 20000; i++) {
		if (i % 40 == 0)
			target = cairn_rng_uniform(&rng) - 0.5;
		double before = s.v_mps, a_before = s.a_mps2;
		double v = cairn_smooth_step(&s, &p, target, 0.02);
		double dv = v - before;
		ck_assert_double_le(fabs(dv), 1.2 * 0.02 + 1e-12);
		if (fabs(v) > fabs(before))
			ck_assert_double_le(fabs(dv), 0.6 * 0.02 + 1e-12);
		if (s.a_mps2 != 0.0 && s.a_mps2 * a_before > 0.0)
			ck_assert_double_le(fabs(s.a_mps2 - a_before), 8.0 * 0.02 + 1e-12);
		ck_assert_double_ge(v * before, 0.0); /* never through zero in one step */
		ck_assert_double_le(fabs(v), fmax(fabs(before), fabs(target)) + 1e-12);
	}
	for (int i = 0; i < 100; i++)
		cairn_smooth_step(&s, &p, 0.3, 0.02);
	ck_assert_double_eq(s.v_mps, 0.3);
}
END_TEST

/* ---- closed loop: a robot with lag drives at walls ---- */

struct robot {
	struct cairn_pose2 pose;
	double v, k;
};

static double body_gap(const struct box *b, struct cairn_pose2 pose)
{
	const struct cairn_footprint *f = &params.monitor.body;
	const struct cairn_vec2 corner[4] = {{f->front_m, f->half_width_m}, {f->front_m, -f->half_width_m},
	    {-f->rear_m, f->half_width_m}, {-f->rear_m, -f->half_width_m}};
	double gap = INFINITY;
	for (int i = 0; i < 4; i++) {
		struct cairn_vec2 p = cairn_pose_apply(pose, corner[i]);
		gap = fmin(gap, fmin(fmin(b->front_m - p.x_m, p.x_m + b->rear_m),
				    fmin(b->left_m - p.y_m, p.y_m + b->right_m)));
	}
	return gap;
}

/* Speed follows the command with a time constant of 60 ms, steering at 5 1/m a second; scans at 10 Hz with
 * noise. */
static double drive(struct robot *r, const struct box *b, double v, double k, int ms, struct cairn_rng *rng)
{
	double least = INFINITY;
	struct cairn_twist out = {0};
	for (int t = 0; t < ms; t += 5) {
		now += 5 * MS;
		double steer =
		    cairn_clamp((out.v_mps != 0.0 ? out.w_radps / out.v_mps : r->k) - r->k, -0.025, 0.025);
		r->k += steer;
		r->v += (out.v_mps - r->v) * (0.005 / 0.06);
		struct cairn_twist moving = {r->v, r->v * r->k};
		r->pose = cairn_pose_advance(r->pose, moving, 0.005);
		least = fmin(least, body_gap(b, r->pose));
		if (t % 40 == 0)
			cairn_motor_measured(&motor, moving, now);
		if (t % 100 == 0) {
			look(b, r->pose, moving);
			for (uint32_t i = 0; i < scan.range_m_count; i++)
				scan.range_m[i] += (float)(0.003 * cairn_rng_normal(rng));
			send_scan();
			out = cairn_motor_step(&motor, now);
		}
		if (t % 50 == 0)
			command(v, k * v);
		if (t % 20 == 0)
			out = cairn_motor_step(&motor, now);
	}
	return least;
}

START_TEST(full_speed_at_a_wall_ends_near_the_stop_distance)
{
	fresh_motor(false);
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 1, 1);
	const struct box b = {3.0, 2.0, 2.0, 2.0};
	struct robot r = {0};
	double least = drive(&r, &b, 0.5, 0.0, 12000, &rng);
	ck_assert_double_ge(least, 0.06);
	ck_assert_double_le(least, 0.13);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_BLOCKED);
	ck_assert_double_eq_tol(r.v, 0.0, 1e-3);
	least = drive(&r, &b, -0.5, 0.0, 15000, &rng);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_BLOCKED);
	ck_assert_double_ge(least, 0.06);
}
END_TEST

START_TEST(no_sequence_of_commands_makes_it_touch_a_wall)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 77, 1);
	double travelled = 0.0;
	for (int round = 0; round < 12; round++) {
		fresh_motor(false);
		const struct box b = {0.6 + cairn_rng_uniform(&rng), 0.5 + cairn_rng_uniform(&rng),
		    0.4 + cairn_rng_uniform(&rng), 0.4 + cairn_rng_uniform(&rng)};
		struct robot r = {0};
		for (int leg = 0; leg < 12; leg++) {
			double v = 1.2 * cairn_rng_uniform(&rng) - 0.6;
			double k = (2.0 * cairn_rng_uniform(&rng) - 1.0) / 0.25;
			struct cairn_pose2 from = r.pose;
			double least = drive(&r, &b, v, k, 1500, &rng);
			ck_assert_msg(least > 0.0, "round %d leg %d: %g", round, leg, least);
			travelled += hypot(r.pose.x_m - from.x_m, r.pose.y_m - from.y_m);
		}
	}
	ck_assert_double_gt(travelled, 10.0);
}
END_TEST

START_TEST(a_wrong_measurement_does_not_carry_obstacles_out_of_the_way)
{
	fresh_motor(false);
	const struct box near = {cfg.robot.footprint_front_m + 0.08, 6.0, 5.0, 5.0};
	const struct cairn_twist wrong[] = {{30.0, 0.0}, {-1e308, 0.0}, {0.0, 1e300}, {2e7, 3.0}, {NAN, 0.0}};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		fresh_motor(false);
		ck_assert_double_eq(run(&near, 0.5, 0.0, 1500).v_mps, 0.0);
		ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_BLOCKED);
		for (int t = 0; t < 200; t += 20) { /* until the next scan, and after it */
			now += 20 * MS;
			if (t == 100) {
				look(&near, (struct cairn_pose2){0}, (struct cairn_twist){0});
				ck_assert(send_scan());
			}
			command(0.5, 0.0);
			cairn_motor_measured(&motor, wrong[i], now);
			ck_assert_double_eq(cairn_motor_step(&motor, now).v_mps, 0.0);
		}
	}
}
END_TEST

/* Streams that stall, die and are reborn, stops, a board that comes and goes: never faster without fresh
 * inputs, and off again soon after everything is well. */
START_TEST(it_never_speeds_up_on_old_inputs_and_always_goes_on_on_new_ones)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 17, 1);
	fresh_motor(false);
	bool cmd_on = true, scan_on = true, device = true;
	int64_t cmd_ns = 0, scan_ns = 0;
	double was_mps = 0.0;
	struct cairn_error err = {""};
	for (int i = 0; i < 40000; i++) {
		now += 20 * MS;
		bool healthy = i % 1000 >= 800; /* the end of every twenty seconds */
		uint32_t any = healthy ? 999 : cairn_rng_u32(&rng) % 1000;
		cmd_on = any == 0 ? !cmd_on : cmd_on;
		scan_on = any == 1 ? !scan_on : scan_on;
		device = any == 2 ? !device : device;
		cmd_epoch += any == 3;
		scan_epoch += any == 4;
		if (any == 5)
			cairn_motor_operator_stop(&motor, "test");
		cairn_motor_device(&motor, device);
		if (healthy) {
			cmd_on = scan_on = device = true;
			cairn_motor_device(&motor, true);
			if (i % 1000 == 800)
				cairn_motor_operator_release(&motor, now, &err);
		}
		if (scan_on && i % 5 == 0) {
			look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
			scan_ns = send_scan() ? now : scan_ns;
		}
		if (cmd_on)
			cmd_ns = command(0.3, 0.2) ? now : cmd_ns;
		cairn_motor_measured(&motor, (struct cairn_twist){0}, now);
		double v = cairn_motor_step(&motor, now).v_mps;
		bool old = now - cmd_ns > 200 * MS || now - scan_ns > 300 * MS;
		if (old || motor.estop || !device)
			ck_assert_double_le(v, fmax(was_mps - 0.02, 0.0));
		was_mps = v;
		if (i % 1000 == 999)
			ck_assert_msg(v > 0.29, "%s: %s",
			    cairn_enum_text(&cairn_enum_motor_state, (int)state()), reason());
	}
}
END_TEST

START_TEST(hostile_messages_never_yield_more_than_the_robot_can)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 6, 1);
	fresh_motor(false);
	const double odd[] = {0.0, 1e-9, -0.5, 0.5, 1e308, -1e308, NAN, INFINITY, 0.1};
	for (int i = 0; i < 5000; i++) {
		now += 10 * MS;
		double v = odd[cairn_rng_u32(&rng) % 9], w = odd[cairn_rng_u32(&rng) % 9];
		struct cairn_header h = header(cairn_rng_u32(&rng) % 500 == 0 ? 5 : 11, ++cmd_seq,
		    now + (int64_t)((cairn_rng_uniform(&rng) - 0.5) * 3e8));
		cairn_motor_cmd(&motor, &h, &(struct cairn_msg_cmd_vel){.v_mps = v, .w_radps = w}, now);
		look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
		for (int k = 0; k < 20; k++)
			scan.range_m[cairn_rng_u32(&rng) % 720] = (float)odd[cairn_rng_u32(&rng) % 9];
		scan.t_start_ns = (int64_t)((uint64_t)cairn_rng_u32(&rng) << 32);
		if (i % 10 == 0)
			send_scan();
		cairn_motor_measured(&motor, (struct cairn_twist){v, w}, now);
		struct cairn_twist out = cairn_motor_step(&motor, now);
		ck_assert(isfinite(out.v_mps) && isfinite(out.w_radps));
		ck_assert_double_le(fabs(out.v_mps), cfg.robot.speed_max_mps + 1e-9);
		ck_assert_double_le(fabs(out.w_radps), fabs(out.v_mps) / cfg.robot.turn_radius_min_m + 1e-9);
	}
	ck_assert_uint_gt(motor.rejected, 1000);
}
END_TEST

CAIRN_TEST_MAIN("motor", every_set_of_conditions_means_the_state_of_its_gravest,
    every_state_is_reached_and_says_why, a_good_command_is_driven_as_asked,
    speed_and_curvature_stay_within_the_robot, turning_on_the_spot_is_refused_and_stands,
    commands_one_cannot_trust_are_refused_and_counted, a_silent_command_ramps_down_by_its_stamp,
    a_late_delivery_of_an_old_command_does_not_feed_the_dead_man, a_silent_lidar_stops_the_robot,
    scans_one_cannot_drive_by_are_refused, a_reborn_sequencer_has_to_be_fresh_for_a_while,
    a_reborn_lidar_bridge_too_and_gaps_start_the_wait_anew,
    with_operator_rearming_a_rebirth_waits_for_the_release, an_emergency_stop_is_at_once_and_latched,
    a_release_is_refused_while_the_stop_is_still_demanded, stops_that_are_not_fresh_are_refused,
    without_the_board_nothing_is_asked_of_it_and_it_starts_from_zero, the_limit_follows_the_three_zones,
    an_obstacle_on_the_commanded_arc_stops_that_arc_only, a_robot_closer_than_its_margin_can_creep_away,
    an_old_scan_is_judged_from_where_the_robot_is_now, speed_changes_within_acceleration_and_jerk,
    full_speed_at_a_wall_ends_near_the_stop_distance, no_sequence_of_commands_makes_it_touch_a_wall,
    a_wrong_measurement_does_not_carry_obstacles_out_of_the_way,
    it_never_speeds_up_on_old_inputs_and_always_goes_on_on_new_ones,
    hostile_messages_never_yield_more_than_the_robot_can)
