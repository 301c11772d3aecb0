/* motor_rig.h - the motor core in a box: scans as a LiDAR in it would give them, commands at 50 Hz, a clock
 * by hand. */
#ifndef CAIRN_TEST_SUPPORT_MOTOR_RIG_H
#define CAIRN_TEST_SUPPORT_MOTOR_RIG_H

#include <math.h>

#include "common/base/rng.h"
#include "common/safety/motor_gate.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS

static struct cairn_motor motor;
static struct cairn_config cfg;
static struct cairn_motor_params params;
static struct cairn_msg_scan scan;
static int64_t now;
static uint64_t cmd_seq, scan_seq, cmd_epoch, scan_epoch;
static uint32_t looks;

/* ---- a robot in a box ---- */

struct box {
	double front_m, rear_m, left_m, right_m; /* walls around the start of the map, positive */
};
static const struct box hall = {6.0, 6.0, 5.0, 5.0};

/* Distance from a point inside the box along a direction. */
static inline double ray(const struct box *b, double x, double y, double a)
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
static inline void look(const struct box *b, struct cairn_pose2 pose, struct cairn_twist twist)
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
	/* Measurements differ: a LiDAR that repeats a revolution is taken for broken. */
	scan.range_m[looks++ % n] += 1e-4f;
}

/* ---- driving the core by hand ---- */

static inline void fresh_motor_of(bool reborn)
{
	cairn_motor_params_from(&params, &cfg);
	params.wheels.limit_s = 0.0; /* the rig holds the robot against its commands */
	now = 1000 * CAIRN_NS_PER_S;
	cmd_seq = scan_seq = 0;
	cmd_epoch = 11, scan_epoch = 22;
	cairn_motor_init(&motor, &params, reborn, now);
	cairn_motor_device(&motor, true);
}

static inline void fresh_motor(bool reborn)
{
	cairn_config_defaults(&cfg);
	fresh_motor_of(reborn);
}

/* The same of a robot with two driven wheels, 0.30 m long and 0.26 m wide about its axle. */
static inline void two_wheels(struct cairn_config *c)
{
	cairn_config_defaults(c);
	c->robot.base_model = CAIRN_CHOICE_BASE_MODEL_DIFFDRIVE_SERIAL;
	c->robot.kinematics = CAIRN_CHOICE_KINEMATICS_DIFFERENTIAL;
	c->robot.footprint_front_m = c->robot.footprint_rear_m = 0.15;
	c->robot.footprint_half_width_m = 0.13;
	c->robot.turn_radius_min_m = 0.20;
	c->robot.lidar_x_m = 0.0;
}

static inline struct cairn_header header(uint64_t epoch, uint64_t seq, int64_t t_ns)
{
	return (struct cairn_header){.version = 1, .seq = seq, .epoch = epoch, .t_ns = t_ns, .valid = true};
}

static inline bool command(double v, double w)
{
	struct cairn_header h = header(cmd_epoch, ++cmd_seq, now);
	return cairn_motor_cmd(&motor, &h, &(struct cairn_msg_cmd_vel){.v_mps = v, .w_radps = w}, now);
}

static inline bool send_scan(void)
{
	struct cairn_header h = header(scan_epoch, ++scan_seq, now);
	return cairn_motor_scan(&motor, &h, &scan, now);
}

static inline bool estop(bool stop, int64_t t_ns)
{
	struct cairn_header h = header(33, 1, t_ns);
	struct cairn_msg_estop m = {.stop = stop, .reason = "smoke"};
	return cairn_motor_estop(&motor, &h, &m, now);
}

/* ms of standing (or being carried) in a box with fresh scans at 10 Hz and the command at 50 Hz; the last
 * twist. */
static inline struct cairn_twist run(const struct box *b, double v, double w, int ms)
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

static inline enum cairn_motor_state state(void)
{
	return cairn_motor_state(&motor);
}

static inline const char *reason(void)
{
	static struct cairn_msg_motion m;
	cairn_motor_message(&motor, now, &m);
	return m.reason;
}

static inline void up_and_driving(double v, double w)
{
	fresh_motor(false);
	run(&hall, v, w, 1500);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
}

/* Steps without any input; the last twist. */
static inline struct cairn_twist silence(int ms)
{
	struct cairn_twist out = {0};
	for (int t = 0; t < ms; t += 20) {
		now += 20 * MS;
		cairn_motor_measured(&motor, (struct cairn_twist){0}, now);
		out = cairn_motor_step(&motor, now);
	}
	return out;
}

#endif
