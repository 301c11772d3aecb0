/* wheel_odom.h - odometry from the motor board's encoders and gyro.
 *
 * Distance is the mean of the counting wheels' encoders; heading is the integral of the gyro's z between
 * reports, less a bias that is learned while the wheels stand, or for a base without gyro by the difference of its wheels. Pure: stamps are passed in. */
#ifndef CAIRN_COMMON_DEVICE_WHEEL_ODOM_H
#define CAIRN_COMMON_DEVICE_WHEEL_ODOM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/geom.h"
#include "ipc/messages.h"

struct cairn_wheel_odom_params {
	double ticks_per_m;
	int encoder_mask; /* m1 = 1 .. m4 = 8 */
	double
	    wheel_separation_m; /* more than 0: no gyro; the heading is that of m3 and m4 against m1 and m2 */
	double
	    speed_max_mps; /* counts that mean more than twice this are a jump of the counter, not motion */
};

struct cairn_wheel_odom {
	struct cairn_wheel_odom_params params;
	struct cairn_pose2 pose;
	double distance_m, v_mps, w_radps, steer_rad;
	double heading_step_rad; /* turned since the last encoder report */
	double bias_radps;
	int32_t count[4];
	bool counting, turning; /* a first encoder, a first gyro report has come */
	int64_t t_count_ns, t_gyro_ns, t_speed_ns, moved_ns;
	double reported_v_mps;
	uint64_t jumps; /* counter jumps that were not taken for motion */
};

void cairn_wheel_odom_init(struct cairn_wheel_odom *o, const struct cairn_wheel_odom_params *params);
/* The board was lost: the next reports only set the references; the pose stays. */
void cairn_wheel_odom_break(struct cairn_wheel_odom *o);
void cairn_wheel_odom_gyro(struct cairn_wheel_odom *o, double z_radps, int64_t now_ns);
/* Speed and steering angle as the board reports them. */
void cairn_wheel_odom_speed(struct cairn_wheel_odom *o, double v_mps, double steer_rad, int64_t now_ns);
/* True when the pose was brought up to date. */
bool cairn_wheel_odom_encoders(struct cairn_wheel_odom *o, const int32_t count[4], int64_t now_ns);
void cairn_wheel_odom_message(const struct cairn_wheel_odom *o, struct cairn_msg_odom *out);

#endif
