#include "common/device/lidar_turn.h"

#include "common/base/geom.h"

void cairn_lidar_scan(struct cairn_msg_scan *out, const struct cairn_lidar_turn *turn, double yaw_rad,
    bool mirrored, double range_min_m, double range_max_m)
{
	out->t_start_ns = turn->t_start_ns;
	out->range_min_m = (float)range_min_m;
	out->range_max_m = (float)range_max_m;
	out->angle_rad_count = out->range_m_count = turn->count;
	for (uint32_t i = 0; i < turn->count; i++) {
		double clockwise_rad = cairn_deg_to_rad(turn->angle_q6[i] / 64.0);
		out->angle_rad[i] =
		    (float)cairn_wrap_rad(yaw_rad + (mirrored ? clockwise_rad : -clockwise_rad));
		out->range_m[i] = turn->range_m[i];
	}
}
