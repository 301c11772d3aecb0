/* scan_stream.h - turns of a LiDAR as a helper writes them: a frame each, with the times of its points.
 *
 * For LiDARs that another program reads (the stage ros2-robot; docs/wire-formats.md 4). Little-endian: u32 magic "CLSC", u16 version,
 * u16 number of points, i64 CLOCK_MONOTONIC ns of the first and of the last point, then of each point in the order of time u16 angle
 * (degrees times 64, clockwise seen from above, 0 at the LiDAR's mark) and u16 distance (mm, 0 = no return); u32 CRC-32 (zlib's) of all before
 * it.
 *
 * Angles rise or fall from point to point and sweep the whole circle: a robot that may turn and drive backward must not be blind there.
 * Bytes in, turns out; any pieces, any bytes. What is damaged, older than the last one, from the future or late is counted and forgotten. */
#ifndef CAIRN_COMMON_DEVICE_SCAN_STREAM_H
#define CAIRN_COMMON_DEVICE_SCAN_STREAM_H

#include <stddef.h>

#include "common/base/error.h"
#include "common/device/lidar_turn.h"

#define CAIRN_SCAN_STREAM_VERSION 1
#define CAIRN_SCAN_STREAM_HEADER_BYTES 24
#define CAIRN_SCAN_STREAM_POINT_BYTES 4
#define CAIRN_SCAN_STREAM_FRAME_MAX                                                                          \
	(CAIRN_SCAN_STREAM_HEADER_BYTES + CAIRN_SCAN_STREAM_POINT_BYTES * CAIRN_LIDAR_TURN_MAX + 4)
#define CAIRN_SCAN_STREAM_AGE_MAX_NS INT64_C(300000000)
#define CAIRN_SCAN_STREAM_SWEEP_MIN_DEG 350 /* from the first point to the last, and one step */

struct cairn_scan_stream_counts {
	uint64_t frames, turns;
	uint64_t frames_refused; /* damaged: sum, version or number of points */
	uint64_t turns_refused;  /* not a whole sweep, late, or not newer than the last one */
};

/* Caller-owned; the fields are the parser's own. */
struct cairn_scan_stream {
	uint8_t buf[CAIRN_SCAN_STREAM_FRAME_MAX];
	size_t have;
	int64_t last_frame_ns; /* when the newest whole frame came */
	struct cairn_lidar_turn turn;
	struct cairn_scan_stream_counts counts;
};

void cairn_scan_stream_init(struct cairn_scan_stream *p);
/* Forgets what is half received. Counts and the stamp of the last turn stay. */
void cairn_scan_stream_reset(struct cairn_scan_stream *p);
/* Takes bytes up to the end of the first turn (*ret_turn); returns how many were consumed. */
size_t cairn_scan_stream_feed(
    struct cairn_scan_stream *p, const uint8_t *data, size_t len, int64_t now_ns, bool *ret_turn);
/* The last turn; valid until bytes are fed. */
const struct cairn_lidar_turn *cairn_scan_stream_turn(const struct cairn_scan_stream *p);

/* True when the points are a turn that a reader takes: number, order, sweep. The reason in err. */
bool cairn_scan_stream_whole(const struct cairn_lidar_turn *turn, struct cairn_error *err);
/* The frame of a turn, for the helper's side; its bytes. count at most CAIRN_LIDAR_TURN_MAX. */
size_t cairn_scan_stream_write(uint8_t out[CAIRN_SCAN_STREAM_FRAME_MAX], const struct cairn_lidar_turn *turn);

#endif
