/* dev_lidar.h - the LiDAR's side of the RPLIDAR serial protocol (docs/wire-formats.md, section 1).
 *
 * Bytes of requests in, bytes of answers and measurement nodes out; no descriptor and no clock. It answers as
 * a C1 in mode Standard: STOP, RESET, SCAN, FORCE_SCAN, GET_INFO, GET_HEALTH, GET_SAMPLERATE, GET_LIDAR_CONF;
 * anything else is read over, as the device does. */
#ifndef CAIRN_COMMON_SIM_ROBOT_DEV_LIDAR_H
#define CAIRN_COMMON_SIM_ROBOT_DEV_LIDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_DEV_LIDAR_OUT 1024
#define CAIRN_DEV_LIDAR_NODE 5

struct cairn_dev_lidar {
	bool scanning; /* the motor turns and nodes are due */
	uint8_t in[64];
	size_t in_bytes;
	uint8_t out[CAIRN_DEV_LIDAR_OUT]; /* answers not yet taken */
	size_t out_bytes;
	uint64_t requests, rejects;
};

void cairn_dev_lidar_init(struct cairn_dev_lidar *d);
/* Bytes from the host, in any pieces. */
void cairn_dev_lidar_receive(struct cairn_dev_lidar *d, const uint8_t *bytes, size_t count);
/* Moves waiting answers into buf; their number. */
size_t cairn_dev_lidar_take(struct cairn_dev_lidar *d, uint8_t *buf, size_t cap);
/* One node of type 81. angle clockwise from the device's mark; range_m 0 = no return; start: first of a turn.
 */
void cairn_dev_lidar_node(uint8_t node[CAIRN_DEV_LIDAR_NODE], double angle_deg, double range_m, bool start);

#endif
