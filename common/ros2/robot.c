#include "common/ros2/robot_private.h"

#include <math.h>
#include <string.h>

#include "common/device/scan_stream.h"

#define FUTURE_NS (50 * CAIRN_NS_PER_MS)
#define BACKWARD_NS CAIRN_NS_PER_S /* a clock that was set back, and no repetition */
#define JUDGED_OVER_S 0.1          /* messages may bunch: a jump is judged over at least so long */
#define TURN_MAX_RADPS 6.0         /* no base of such a robot turns so fast */
#define BRIDGED_S 0.5              /* a longer gap is not filled by the speed */
#define BATTERY_MAX_V 100.0

static const struct {
	const char *key;
	enum cairn_ros2_type type;
} rows[CAIRN_ROS2_ROBOT_COUNT] = {
#define FROM(id, key, type, what) {#key, CAIRN_ROS2_##type},
#include "common/ros2/robot.def"
};

const char *cairn_ros2_robot_topic(const struct cairn_config_ros2 *cfg, enum cairn_ros2_robot_in in)
{
	const char *const names[CAIRN_ROS2_ROBOT_COUNT] = {
#define FROM(id, key, type, what) cfg->key,
#include "common/ros2/robot.def"
	};
	return names[in];
}

enum cairn_ros2_type cairn_ros2_robot_type(const struct cairn_config_ros2 *cfg, enum cairn_ros2_robot_in in)
{
	static const char end[] = "/compressed";
	const char *name = cairn_ros2_robot_topic(cfg, in);
	size_t len = strlen(name);
	bool jpeg = in == CAIRN_ROS2_ROBOT_COLOR && len >= sizeof(end) &&
		    strcmp(name + len + 1 - sizeof(end), end) == 0;
	return jpeg ? CAIRN_ROS2_COMPRESSED_IMAGE : rows[in].type;
}

enum cairn_ros2_type cairn_ros2_robot_twist_type(const struct cairn_config_ros2 *cfg)
{
	return cfg->cmd_vel_stamped ? CAIRN_ROS2_TWIST_STAMPED : CAIRN_ROS2_TWIST;
}

void cairn_ros2_robot_init(struct cairn_ros2_robot *r, const struct cairn_config *cfg)
{
	*r = (struct cairn_ros2_robot){.cfg = cfg};
}

/* ---- what is a message of now ---- */

bool ros2_robot_refuse(struct cairn_ros2_robot *r, struct cairn_error *err, const char *why)
{
	r->refused++;
	cairn_error_set(err, "%s", why);
	return false;
}

int64_t ros2_robot_take_stamp(struct cairn_cdr_reader *c)
{
	int64_t s = cairn_cdr_take_i32(c);
	return s * CAIRN_NS_PER_S + cairn_cdr_take_u32(c);
}

bool ros2_robot_is_fresh(struct cairn_ros2_robot *r, enum cairn_ros2_robot_in in, int64_t stamp_ns,
    int64_t now_ns, int64_t *ret_t_ns, struct cairn_error *err)
{
	const struct cairn_config_ros2 *cfg = &r->cfg->ros2;
	int64_t last_ns = r->stamp_ns[in], t_ns = stamp_ns - r->clock_offset_ns;
	if (stamp_ns <= 0)
		return ros2_robot_refuse(
		    r, err, "it has no stamp, so that nobody can tell whether it is of now");
	if (last_ns != 0 && stamp_ns <= last_ns && last_ns - stamp_ns < BACKWARD_NS)
		return ros2_robot_refuse(r, err, "its stamp is not newer than that of the one before");
	if (cfg->stamps == CAIRN_CHOICE_ROS2_STAMPS_WALL) {
		double age_s = (double)(now_ns - t_ns) * 1e-9;
		if (age_s <= cfg->age_max_s && t_ns <= now_ns + FUTURE_NS) {
			r->stamp_ns[in] = stamp_ns;
			*ret_t_ns = t_ns < now_ns ? t_ns : now_ns;
			return true;
		}
		r->refused++;
		cairn_error_set(err,
		    age_s > 0.0 ? "it is %.3f s old (ros2.age_max_s: %g); a clock that is not that of this "
				  "machine: ros2.stamps: arrival"
				: "it is %.3f s from the future (ros2.age_max_s: %g); a clock that is not "
				  "that of this machine: ros2.stamps: arrival",
		    fabs(age_s), cfg->age_max_s);
		return false;
	}
	r->stamp_ns[in] = stamp_ns;
	*ret_t_ns = now_ns;
	return true;
}

/* ---- LiDAR ---- */

struct sweep {
	double first_rad, step_rad, point_s, min_m, max_m;
	uint32_t count;
};

static void take_sweep(struct cairn_cdr_reader *c, struct sweep *ret)
{
	ret->first_rad = (double)cairn_cdr_take_f32(c);
	(void)cairn_cdr_take_f32(c); /* the last angle follows from the others */
	ret->step_rad = (double)cairn_cdr_take_f32(c);
	ret->point_s = (double)cairn_cdr_take_f32(c);
	(void)cairn_cdr_take_f32(c); /* time between scans */
	ret->min_m = (double)cairn_cdr_take_f32(c);
	ret->max_m = (double)cairn_cdr_take_f32(c);
	ret->count = cairn_cdr_take_u32(c);
}

/* Angles of ROS grow counter-clockwise, those of a turn clockwise. */
static uint16_t clockwise_q6(double rad)
{
	long q6 = lround(-cairn_rad_to_deg(cairn_wrap_rad(rad)) * 64.0);
	return (uint16_t)((q6 + CAIRN_LIDAR_Q6_TURN) % CAIRN_LIDAR_Q6_TURN);
}

bool cairn_ros2_robot_scan(struct cairn_ros2_robot *r, const void *cdr, size_t bytes, int64_t now_ns,
    struct cairn_lidar_turn *ret, struct cairn_error *err)
{
	struct cairn_cdr_reader c;
	struct cairn_error why = {""};
	struct sweep s;
	cairn_cdr_read(&c, cdr, bytes);
	int64_t stamp_ns = ros2_robot_take_stamp(&c), t_ns;
	(void)cairn_cdr_take_text(&c);
	take_sweep(&c, &s);
	if (c.failed || s.count > CAIRN_LIDAR_TURN_MAX || !isfinite(s.first_rad) || !isfinite(s.step_rad) ||
	    !(s.point_s >= 0.0 && s.point_s < 1.0))
		return ros2_robot_refuse(
		    r, err, "it is no whole sensor_msgs/LaserScan of at most 4096 points");
	ret->count = s.count;
	for (uint32_t i = 0; i < s.count; i++) {
		double range_m = (double)cairn_cdr_take_f32(&c);
		bool seen =
		    range_m >= s.min_m && range_m <= s.max_m; /* not of what is no number or infinite */
		ret->angle_q6[i] = clockwise_q6(s.first_rad + i * s.step_rad);
		ret->range_m[i] = seen && isfinite(range_m) ? (float)range_m : 0.0f;
	}
	if (c.failed)
		return ros2_robot_refuse(r, err, "it is no whole sensor_msgs/LaserScan");
	if (!cairn_scan_stream_whole(ret, &why))
		return ros2_robot_refuse(r, err, why.text);
	/* Its stamp is that of the first point. Where a driver stamps the end, the last point would be from the future. */
	int64_t span_ns = (int64_t)(s.point_s * (s.count - 1) * 1e9);
	if (!ros2_robot_is_fresh(r, CAIRN_ROS2_ROBOT_SCAN, stamp_ns, now_ns, &t_ns, err))
		return false;
	bool arrival = r->cfg->ros2.stamps == CAIRN_CHOICE_ROS2_STAMPS_ARRIVAL;
	ret->t_end_ns = arrival || t_ns + span_ns > now_ns ? now_ns : t_ns + span_ns;
	ret->t_start_ns = ret->t_end_ns - span_ns;
	r->taken[CAIRN_ROS2_ROBOT_SCAN]++;
	return true;
}

/* ---- base: what its driver tells ---- */

static int32_t counts_of(const struct cairn_ros2_robot *r, double rolled_m)
{
	return (int32_t)(uint32_t)(uint64_t)llround(rolled_m * r->cfg->robot.encoder_ticks_per_m);
}

static long milli(double x)
{
	return lrint(1000.0 * x);
}

/* Moves the wheels as the pose has moved. One that is put elsewhere, as when a driver starts anew, is no motion: then they roll as its speed
 * says. */
static void roll(
    struct cairn_ros2_robot *r, struct cairn_pose2 pose, double v_mps, double w_radps, double dt_s)
{
	struct cairn_pose2 step = cairn_pose_between(r->pose, pose);
	double turn = step.yaw_rad;
	double along_m = step.x_m * cos(0.5 * turn) + step.y_m * sin(0.5 * turn);
	double over_s = fmax(dt_s, JUDGED_OVER_S), half_m = 0.5 * r->cfg->robot.wheel_separation_m;
	if (hypot(step.x_m, step.y_m) > 2.0 * r->cfg->robot.speed_max_mps * over_s ||
	    fabs(turn) > TURN_MAX_RADPS * over_s) {
		r->jumps++;
		along_m = dt_s <= BRIDGED_S ? v_mps * dt_s : 0.0;
		turn = dt_s <= BRIDGED_S ? w_radps * dt_s : 0.0;
	}
	r->left_m += along_m - half_m * turn;
	r->right_m += along_m + half_m * turn;
}

static bool odometry(struct cairn_ros2_robot *r, struct cairn_cdr_reader *c, int64_t stamp_ns, int64_t now_ns,
    char *text, size_t text_bytes, struct cairn_error *err)
{
	double p[7], v[6];
	int64_t t_ns, last_ns = r->stamp_ns[CAIRN_ROS2_ROBOT_ODOM];
	(void)cairn_cdr_take_text(c); /* child frame */
	for (int i = 0; i < 7; i++)
		p[i] = cairn_cdr_take_f64(c);
	cairn_cdr_skip(c, 8, 36);
	for (int i = 0; i < 6; i++)
		v[i] = cairn_cdr_take_f64(c);
	double norm = p[3] * p[3] + p[4] * p[4] + p[5] * p[5] + p[6] * p[6];
	double most_mps = 1e-3 * CAIRN_DIFFDRIVE_WHEEL_MAX_MMPS;
	if (c->failed)
		return ros2_robot_refuse(r, err, "it is no whole nav_msgs/Odometry");
	if (!isfinite(p[0]) || !isfinite(p[1]) || !(norm > 0.9 && norm < 1.1) || !(fabs(v[0]) <= most_mps) ||
	    !(fabs(v[5]) <= TURN_MAX_RADPS))
		return ros2_robot_refuse(
		    r, err, "its pose or speed is no number, no rotation, or faster than any such base");
	if (!ros2_robot_is_fresh(r, CAIRN_ROS2_ROBOT_ODOM, stamp_ns, now_ns, &t_ns, err))
		return false;
	double yaw_rad = atan2(2.0 * (p[6] * p[5] + p[3] * p[4]), 1.0 - 2.0 * (p[4] * p[4] + p[5] * p[5]));
	struct cairn_pose2 pose = {p[0], p[1], yaw_rad};
	if (r->has_pose)
		roll(r, pose, v[0], v[5], fmax((double)(stamp_ns - last_ns) * 1e-9, 0.0));
	r->pose = pose;
	r->has_pose = true;
	double half_mps = 0.5 * r->cfg->robot.wheel_separation_m * v[5];
	snprintf(text, text_bytes, "E,%d,%d,%ld,%ld", counts_of(r, r->left_m), counts_of(r, r->right_m),
	    milli(cairn_clamp(v[0] - half_mps, -most_mps, most_mps)),
	    milli(cairn_clamp(v[0] + half_mps, -most_mps, most_mps)));
	return true;
}

static bool inertial(struct cairn_ros2_robot *r, struct cairn_cdr_reader *c, int64_t stamp_ns, int64_t now_ns,
    char *text, size_t text_bytes, struct cairn_error *err)
{
	double turn[3], push[3];
	int64_t t_ns;
	bool good = true;
	cairn_cdr_skip(c, 8, 4 + 9); /* orientation, which drivers fuse in ways of their own */
	for (int i = 0; i < 3; i++)
		turn[i] = cairn_cdr_take_f64(c);
	cairn_cdr_skip(c, 8, 9);
	for (int i = 0; i < 3; i++)
		push[i] = cairn_cdr_take_f64(c);
	cairn_cdr_skip(c, 8, 9);
	for (int i = 0; i < 3; i++)
		good = good && fabs(turn[i]) <= 40.0 && fabs(push[i]) <= 200.0;
	if (c->failed)
		return ros2_robot_refuse(r, err, "it is no whole sensor_msgs/Imu");
	if (!good)
		return ros2_robot_refuse(
		    r, err, "its rates or accelerations are no numbers, or more than 40 rad/s or 200 m/s2");
	if (!ros2_robot_is_fresh(r, CAIRN_ROS2_ROBOT_IMU, stamp_ns, now_ns, &t_ns, err))
		return false;
	snprintf(text, text_bytes, "G,%ld,%ld,%ld,%ld,%ld,%ld", milli(turn[0]), milli(turn[1]),
	    milli(turn[2]), milli(push[0]), milli(push[1]), milli(push[2]));
	return true;
}

/* Its stamp is not asked for: a voltage changes slowly, and drivers fill it in as they like. */
static bool battery(struct cairn_ros2_robot *r, struct cairn_cdr_reader *c, char *text, size_t text_bytes,
    struct cairn_error *err)
{
	double voltage_v = (double)cairn_cdr_take_f32(c);
	if (c->failed)
		return ros2_robot_refuse(r, err, "it is no whole sensor_msgs/BatteryState");
	if (!(voltage_v > 0.0 && voltage_v <= BATTERY_MAX_V))
		return ros2_robot_refuse(r, err, "it tells no voltage between 0 and 100 V");
	snprintf(text, text_bytes, "B,%ld", milli(voltage_v));
	return true;
}

bool cairn_ros2_robot_line(struct cairn_ros2_robot *r, enum cairn_ros2_robot_in in, const void *cdr,
    size_t bytes, int64_t now_ns, char out[CAIRN_DIFFDRIVE_LINE_MAX], size_t *ret_bytes,
    struct cairn_error *err)
{
	struct cairn_cdr_reader c;
	char text[CAIRN_DIFFDRIVE_LINE_MAX];
	cairn_cdr_read(&c, cdr, bytes);
	int64_t stamp_ns = ros2_robot_take_stamp(&c);
	(void)cairn_cdr_take_text(&c); /* frame */
	bool good = in == CAIRN_ROS2_ROBOT_ODOM  ? odometry(r, &c, stamp_ns, now_ns, text, sizeof(text), err)
		    : in == CAIRN_ROS2_ROBOT_IMU ? inertial(r, &c, stamp_ns, now_ns, text, sizeof(text), err)
						 : battery(r, &c, text, sizeof(text), err);
	*ret_bytes = good ? cairn_diffdrive_line(out, text) : 0;
	r->taken[in] += good;
	return good;
}

/* ---- base: what it is told ---- */

static void stand(struct cairn_ros2_robot *r)
{
	r->v_mps = r->w_radps = 0.0;
}

size_t cairn_ros2_robot_hear(struct cairn_ros2_robot *r, const uint8_t *data, size_t len, int64_t now_ns,
    bool *ret_told, char out[CAIRN_DIFFDRIVE_LINE_MAX], size_t *ret_bytes)
{
	struct cairn_diffdrive_order order;
	bool some;
	size_t used = cairn_diffdrive_orders_feed(&r->orders, data, len, &order, &some);
	*ret_told = some && order.kind != CAIRN_DIFFDRIVE_WHO;
	*ret_bytes = some && order.kind == CAIRN_DIFFDRIVE_WHO
			 ? cairn_diffdrive_identity(out, r->cfg->ros2.imu_from[0] != '\0')
			 : 0;
	if (*ret_told)
		stand(r);
	if (some && order.kind == CAIRN_DIFFDRIVE_SPEED) {
		r->v_mps = 0.5 * (order.left_mps + order.right_mps);
		r->w_radps = (order.right_mps - order.left_mps) / r->cfg->robot.wheel_separation_m;
		r->told_ns = now_ns;
	}
	return used;
}

struct cairn_msg_motion cairn_ros2_robot_motion(const struct cairn_ros2_robot *r, int64_t now_ns)
{
	bool told = r->told_ns != 0 && now_ns - r->told_ns <= CAIRN_ROS2_ROBOT_DEAD_MAN_NS;
	return (struct cairn_msg_motion){.v_mps = told ? r->v_mps : 0.0, .w_radps = told ? r->w_radps : 0.0};
}
