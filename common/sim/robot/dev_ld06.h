/* dev_ld06.h - the LiDAR's side of the LD06's stream (common/device/ld06.h): frames of twelve points. */
#ifndef CAIRN_COMMON_SIM_ROBOT_DEV_LD06_H
#define CAIRN_COMMON_SIM_ROBOT_DEV_LD06_H

#include <stddef.h>
#include <stdint.h>

#define CAIRN_DEV_LD06_FRAME 47
#define CAIRN_DEV_LD06_POINTS 12

struct cairn_dev_ld06 {
	double angle_deg[CAIRN_DEV_LD06_POINTS], range_m[CAIRN_DEV_LD06_POINTS];
	int count; /* of points that wait for their frame; zeroed: none */
};

/* The next point, angle clockwise from the device's mark (0..360), range_m 0 = no return. Bytes written to frame: that of a whole frame
 * when the point is its last one, else 0. t_ms: of the device's own clock; speed_dps: of its turning. */
size_t cairn_dev_ld06_point(struct cairn_dev_ld06 *d, double angle_deg, double range_m, double speed_dps,
    int64_t t_ms, uint8_t frame[CAIRN_DEV_LD06_FRAME]);

#endif
