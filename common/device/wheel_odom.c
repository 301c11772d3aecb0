#include "common/device/wheel_odom.h"

#define GAP_MAX_NS (500 * CAIRN_NS_PER_MS)   /* a longer silence is not bridged */
#define FRESH_NS (100 * CAIRN_NS_PER_MS)     /* of the board's own speed */
#define STANDING_NS (1000 * CAIRN_NS_PER_MS) /* wheels still for this long: what the gyro says is bias */
#define BUNCHED_S 0.005 /* reports nearer than this were read in one go: no speed can be told from that */
#define LEFT_WHEELS 3
#define RIGHT_WHEELS 12
#define ALL_WHEELS (LEFT_WHEELS | RIGHT_WHEELS)
#define BIAS_MAX_RADPS 0.05
#define BIAS_GAIN 0.02 /* a report; time constant 2 s at 25 Hz */

void cairn_wheel_odom_init(struct cairn_wheel_odom *o, const struct cairn_wheel_odom_params *params)
{
	*o = (struct cairn_wheel_odom){.params = *params};
}

void cairn_wheel_odom_break(struct cairn_wheel_odom *o)
{
	o->counting = o->turning = false;
	o->heading_step_rad = o->v_mps = o->w_radps = 0.0;
	o->t_speed_ns = 0;
}

void cairn_wheel_odom_gyro(struct cairn_wheel_odom *o, double z_radps, int64_t now_ns)
{
	bool standing = o->counting && now_ns - o->moved_ns > STANDING_NS;
	if (standing && fabs(z_radps) < BIAS_MAX_RADPS)
		o->bias_radps += BIAS_GAIN * (z_radps - o->bias_radps);
	double w = z_radps - o->bias_radps;
	int64_t gap_ns = now_ns - o->t_gyro_ns;
	if (o->turning && gap_ns > 0 && gap_ns <= GAP_MAX_NS)
		o->heading_step_rad += 0.5 * (w + o->w_radps) * ((double)gap_ns * 1e-9);
	o->turning = true;
	o->t_gyro_ns = now_ns;
	o->w_radps = w;
}

void cairn_wheel_odom_speed(struct cairn_wheel_odom *o, double v_mps, double steer_rad, int64_t now_ns)
{
	o->reported_v_mps = v_mps;
	o->steer_rad = steer_rad;
	o->t_speed_ns = now_ns;
}

/* Mean travel of those of the counting wheels that are in mask. The counters wrap: the difference is taken modulo 2^32. */
static double travel_m(const struct cairn_wheel_odom *o, const int32_t count[4], int mask)
{
	double sum = 0.0;
	int wheels = 0;
	for (int i = 0; i < 4; i++) {
		if ((o->params.encoder_mask & mask & (1 << i)) == 0)
			continue;
		sum += (int32_t)((uint32_t)count[i] - (uint32_t)o->count[i]);
		wheels++;
	}
	return wheels > 0 ? sum / wheels / o->params.ticks_per_m : 0.0;
}

static double turned_rad(const struct cairn_wheel_odom *o, const int32_t count[4])
{
	double left_m = travel_m(o, count, LEFT_WHEELS), right_m = travel_m(o, count, RIGHT_WHEELS);
	return (right_m - left_m) / o->params.wheel_separation_m;
}

bool cairn_wheel_odom_encoders(struct cairn_wheel_odom *o, const int32_t count[4], int64_t now_ns)
{
	int64_t gap_ns = now_ns - o->t_count_ns;
	bool follows = o->counting && gap_ns >= 0; /* 0: reports read in one go */
	double step_m = follows ? travel_m(o, count, ALL_WHEELS) : 0.0;
	double dt_s = follows ? (double)gap_ns * 1e-9 : 0.0;
	/* Reports may bunch: judge a jump over at least 100 ms. */
	if (fabs(step_m) > 2.0 * o->params.speed_max_mps * fmax(dt_s, 0.1)) {
		o->jumps++;
		follows = false;
	}
	if (follows && o->params.wheel_separation_m > 0.0)
		o->heading_step_rad = turned_rad(o, count);
	bool moved = false;
	for (int i = 0; i < 4; i++) {
		moved |= count[i] != o->count[i];
		o->count[i] = count[i];
	}
	if (moved || !o->counting)
		o->moved_ns = now_ns;
	o->t_count_ns = now_ns;
	o->counting = true;
	if (!follows) {
		o->heading_step_rad = 0.0;
		return false;
	}
	o->pose = cairn_pose_advance(o->pose, (struct cairn_twist){step_m, o->heading_step_rad}, 1.0);
	if (o->params.wheel_separation_m > 0.0 && dt_s >= BUNCHED_S)
		o->w_radps = o->heading_step_rad / dt_s;
	o->heading_step_rad = 0.0;
	o->distance_m += fabs(step_m);
	/* Arrival times jitter, the board's own speed does not. */
	if (o->t_speed_ns > 0 && now_ns - o->t_speed_ns <= FRESH_NS)
		o->v_mps = o->reported_v_mps;
	else if (dt_s >= BUNCHED_S)
		o->v_mps = step_m / dt_s;
	return true;
}

void cairn_wheel_odom_message(const struct cairn_wheel_odom *o, struct cairn_msg_odom *out)
{
	*out = (struct cairn_msg_odom){.x_m = o->pose.x_m,
	    .y_m = o->pose.y_m,
	    .yaw_rad = o->pose.yaw_rad,
	    .v_mps = o->v_mps,
	    .w_radps = o->w_radps,
	    .steer_rad = o->steer_rad,
	    .distance_m = o->distance_m};
}
