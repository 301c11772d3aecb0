#include "common/calibration/mount_finder.h"

#include <math.h>
#include <string.h>

#define KEY_M 0.12
#define KEY_RAD 0.15
#define FIT_MIN 0.5
#define GYRO_GAP_MAX_NS (500 * CAIRN_NS_PER_MS)
#define OTHER_AXES 0.4 /* of what the strongest axis turned, at the most */
#define SCALE_MIN 0.7  /* gyro by LiDAR: else it is not in rad/s, or the robot was lifted */
#define SCALE_MAX 1.4
#define PUSH_TURN_MAX_RAD 0.25
#define HAND_RAD 0.02   /* straight ahead by hand is so straight */
#define SLIP_SHARE 0.01 /* of the way; wheels and floor */
#define COUNTS_MIN 100.0
#define STEER_WAY_MIN_M 0.2
#define LAG_SHARE 0.03 /* of an arc, until the steering has followed */

void cairn_mount_begin(struct cairn_mount_motion *m)
{
	memset(m, 0, offsetof(struct cairn_mount_motion, seen));
	m->seen.count = 0;
}

struct cairn_pose2 cairn_mount_pose(const struct cairn_mount_motion *m)
{
	return cairn_pose_compose(m->key, m->moved);
}

static void take_key(struct cairn_mount_motion *m, const struct cairn_points *points)
{
	m->seen.count = points->count;
	memcpy(m->seen.x_m, points->x_m, points->count * sizeof(points->x_m[0]));
	memcpy(m->seen.y_m, points->y_m, points->count * sizeof(points->y_m[0]));
	cairn_shift_lines_from(&m->lines, &m->seen);
	m->moved = (struct cairn_pose2){0};
}

void cairn_mount_scan(struct cairn_mount_motion *m, const struct cairn_points *points)
{
	struct cairn_shift s;
	if (!m->some) {
		m->some = true;
		take_key(m, points);
		return;
	}
	if (!cairn_shift_find(&m->lines, points, m->moved, &s) || s.fit < FIT_MIN) {
		m->lost = true;
		return;
	}
	m->moved = s.moved;
	if (hypot(s.moved.x_m, s.moved.y_m) < KEY_M && fabs(s.moved.yaw_rad) < KEY_RAD)
		return;
	m->turned_rad += s.moved.yaw_rad;
	m->var_m2 += s.sd_m[0] * s.sd_m[0] + s.sd_m[1] * s.sd_m[1];
	m->var_rad2 += s.sd_rad * s.sd_rad;
	m->key = cairn_pose_compose(m->key, s.moved);
	take_key(m, points);
}

void cairn_mount_gyro(struct cairn_mount_motion *m, const double gyro_radps[3], int64_t now_ns)
{
	int64_t gap_ns = now_ns - m->t_gyro_ns;
	if (m->t_gyro_ns != 0 && gap_ns > 0 && gap_ns <= GYRO_GAP_MAX_NS)
		for (int i = 0; i < 3; i++)
			m->gyro_rad[i] += gyro_radps[i] * ((double)gap_ns * 1e-9);
	m->t_gyro_ns = now_ns;
}

void cairn_mount_encoders(struct cairn_mount_motion *m, const int32_t count[4], int encoder_mask)
{
	double sum = 0.0;
	int wheels = 0;
	for (int i = 0; i < 4; i++) {
		if ((encoder_mask & (1 << i)) != 0) {
			sum += (int32_t)((uint32_t)count[i] - (uint32_t)m->count[i]);
			wheels++;
		}
		m->count[i] = count[i];
	}
	if (m->counting && wheels > 0)
		m->counts += sum / wheels;
	m->counting = true;
}

static bool seen_enough(const struct cairn_mount_motion *m, struct cairn_error *err)
{
	if (!m->some)
		cairn_error_set(err, "no revolution of the LiDAR has come");
	else if (m->lost)
		cairn_error_set(
		    err, "the LiDAR lost the way: move more slowly, where walls are near on two sides");
	else
		return true;
	return false;
}

/* ---- turned to the left ---- */

/* By axis and sign, in the order of the words. */
static enum cairn_choice_gyro_axis axis_word(int axis, bool minus)
{
	static const enum cairn_choice_gyro_axis words[3][2] = {
	    {CAIRN_CHOICE_GYRO_AXIS_X, CAIRN_CHOICE_GYRO_AXIS_MINUS_X},
	    {CAIRN_CHOICE_GYRO_AXIS_Y, CAIRN_CHOICE_GYRO_AXIS_MINUS_Y},
	    {CAIRN_CHOICE_GYRO_AXIS_Z, CAIRN_CHOICE_GYRO_AXIS_MINUS_Z}};
	return words[axis][minus];
}

bool cairn_mount_turn_found(
    const struct cairn_mount_motion *m, struct cairn_mount_turn *ret, struct cairn_error *err)
{
	/* Angles are taken for clockwise: to a LiDAR that hangs upside down the room is its mirror image, and turns the
	 * other way. */
	if (!seen_enough(m, err))
		return false;
	int up = 0;
	for (int i = 1; i < 3; i++)
		if (fabs(m->gyro_rad[i]) > fabs(m->gyro_rad[up]))
			up = i;
	double gyro = m->gyro_rad[up], shown_rad = m->turned_rad + m->moved.yaw_rad;
	if (fabs(shown_rad) < CAIRN_MOUNT_TURN_MIN_RAD) {
		cairn_error_set(err, "turned by %.0f degrees only: turn it by at least %.0f",
		    cairn_rad_to_deg(fabs(shown_rad)), cairn_rad_to_deg(CAIRN_MOUNT_TURN_MIN_RAD));
		return false;
	}
	for (int i = 0; i < 3; i++)
		if (i != up && fabs(m->gyro_rad[i]) > OTHER_AXES * fabs(gyro)) {
			cairn_error_set(
			    err, "the gyro turned about two axes: keep the robot level while turning");
			return false;
		}
	double scale = fabs(gyro / shown_rad);
	if (scale < SCALE_MIN || scale > SCALE_MAX) {
		cairn_error_set(err,
		    "the gyro says %.0f degrees, the LiDAR %.0f: was the robot lifted, or the gyro silent?",
		    cairn_rad_to_deg(fabs(gyro)), cairn_rad_to_deg(fabs(shown_rad)));
		return false;
	}
	*ret = (struct cairn_mount_turn){.lidar_mirrored = shown_rad < 0.0,
	    .gyro_axis = axis_word(up, gyro < 0.0),
	    .turned_rad = fabs(shown_rad),
	    .gyro_scale = scale,
	    .sd_scale = sqrt(m->var_rad2) / fabs(shown_rad) + 0.005};
	return true;
}

/* ---- pushed straight ahead ---- */

bool cairn_mount_push_found(const struct cairn_mount_motion *m, const struct cairn_mount_turn *turn,
    struct cairn_mount_push *ret, struct cairn_error *err)
{
	if (!seen_enough(m, err))
		return false;
	struct cairn_pose2 to = cairn_mount_pose(m);
	double pushed_m = hypot(to.x_m, to.y_m);
	if (pushed_m < CAIRN_MOUNT_PUSH_MIN_M) {
		cairn_error_set(err, "pushed by %.2f m only: push it by at least %.1f m", pushed_m,
		    CAIRN_MOUNT_PUSH_MIN_M);
		return false;
	}
	if (fabs(to.yaw_rad) > PUSH_TURN_MAX_RAD) {
		cairn_error_set(err, "it turned by %.0f degrees on the way: push it straight ahead",
		    cairn_rad_to_deg(fabs(to.yaw_rad)));
		return false;
	}
	if (fabs(m->counts) < COUNTS_MIN) {
		cairn_error_set(err,
		    "the encoders counted %.0f on %.2f m: do the wheels touch the floor, and are "
		    "the encoders plugged in?",
		    fabs(m->counts), pushed_m);
		return false;
	}
	/* Forward in the LiDAR's frame; half of what it turned on the way was turned on average. */
	double ahead_rad = atan2(to.y_m, to.x_m) - 0.5 * to.yaw_rad;
	double ticks = fabs(m->counts) / pushed_m, sd_m = sqrt(m->var_m2);
	*ret = (struct cairn_mount_push){
	    .lidar_yaw_rad = cairn_wrap_rad(turn->lidar_mirrored ? ahead_rad : -ahead_rad),
	    .sd_yaw_rad = hypot(sd_m / pushed_m, HAND_RAD),
	    .encoder_reversed = m->counts < 0.0,
	    .ticks_per_m = ticks,
	    .sd_ticks_per_m = ticks * hypot(sd_m / pushed_m, SLIP_SHARE),
	    .pushed_m = pushed_m};
	return true;
}

/* ---- told to drive ---- */

bool cairn_mount_drive_found(const struct cairn_mount_motion *m, const struct cairn_mount_push *push,
    bool *ret_drive_reversed, struct cairn_error *err)
{
	if (fabs(m->counts) < COUNTS_MIN) {
		cairn_error_set(err, "the wheels did not turn: have the motors power?");
		return false;
	}
	*ret_drive_reversed = (m->counts < 0.0) != push->encoder_reversed;
	return true;
}

bool cairn_mount_steer_found(const struct cairn_mount_motion *m, const struct cairn_mount_turn *turn,
    const struct cairn_mount_push *push, double told_1pm, struct cairn_mount_steer *ret,
    struct cairn_error *err)
{
	if (!seen_enough(m, err))
		return false;
	double way_m = fabs(m->counts) / push->ticks_per_m;
	if (way_m < STEER_WAY_MIN_M) {
		cairn_error_set(err, "it drove %.2f m only: it needs %.1f m", way_m, STEER_WAY_MIN_M);
		return false;
	}
	double yaw_rad = cairn_mount_pose(m).yaw_rad * (turn->lidar_mirrored ? -1.0 : 1.0);
	double told_rad = told_1pm * way_m;
	ret->scale = yaw_rad / told_rad;
	ret->sd_scale = hypot(sqrt(m->var_rad2) / fabs(told_rad),
	    ret->scale * hypot(push->sd_ticks_per_m / push->ticks_per_m, LAG_SHARE));
	if (fabs(ret->scale) < 0.2 || fabs(ret->scale) > 3.0) {
		cairn_error_set(err,
		    "it turned by %.0f degrees where %.0f were told: does the steering move?",
		    cairn_rad_to_deg(yaw_rad), cairn_rad_to_deg(told_rad));
		return false;
	}
	return true;
}
