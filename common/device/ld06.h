/* ld06.h - the stream of an LDROBOT LD06 or LD19 LiDAR: a parser of its frames.
 *
 * From the maker's development manual (version 2.x, chapter "communication protocol"): 230400 baud, 8N1, one way; it sends as soon as it
 * turns. A frame has 47 bytes, little-endian: 0x54; 0x2C (version 1, 12 points); u16 speed, degrees a second; u16 angle of the first
 * point, 0.01 degrees; 12 times u16 distance, mm, 0 = none, and u8 strength; u16 angle of the last point; u16 time, ms; u8 CRC of all
 * before it (polynomial x^8 + x^6 + x^3 + x^2 + 1, from 0, high bit first). The points between lie at equal angles, clockwise.
 *
 * A frame that is damaged or lost leaves a gap of nine degrees: the turn that it belongs to is refused, as is one in which more bytes
 * came between two frames. Bytes in, turns out; any pieces, any bytes. */
#ifndef CAIRN_COMMON_DEVICE_LD06_H
#define CAIRN_COMMON_DEVICE_LD06_H

#include <stddef.h>

#include "common/device/lidar_turn.h"

#define CAIRN_LD06_BAUD 230400
#define CAIRN_LD06_FRAME 47
#define CAIRN_LD06_POINTS 12

struct cairn_ld06_counts {
	uint64_t frames, turns;
	uint64_t frames_refused; /* a head whose checksum or angles are wrong */
	uint64_t turns_refused;  /* not a full sweep, or a frame was lost within */
};

/* Caller-owned; the fields are the parser's own. */
struct cairn_ld06 {
	uint8_t buf[CAIRN_LD06_FRAME];
	size_t have;
	bool turn_open;   /* collected from its first point on, without a loss */
	int32_t last_q6;  /* of the newest point; -1: the next frame follows on nothing */
	int32_t sweep_q6; /* of the turn being collected */
	int64_t last_point_ns;
	unsigned building; /* index of the turn being collected */
	struct cairn_lidar_turn turns[2];
	struct cairn_ld06_counts counts;
};

void cairn_ld06_init(struct cairn_ld06 *p);
/* Forgets everything half received. Counts stay. */
void cairn_ld06_reset(struct cairn_ld06 *p);
/* Takes bytes that arrived at now_ns up to the end of the first turn (*ret_turn); returns how many were consumed. */
size_t cairn_ld06_feed(struct cairn_ld06 *p, const uint8_t *data, size_t len, int64_t now_ns, bool *ret_turn);
/* The last complete turn; valid until the next one. */
const struct cairn_lidar_turn *cairn_ld06_turn(const struct cairn_ld06 *p);
uint8_t cairn_ld06_crc(const uint8_t *bytes, size_t n);

#endif
