#include "common/device/scan_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/base/geom.h"

#define MAGIC UINT32_C(0x43534C43) /* "CLSC" in memory */
#define CRC_BYTES 4
#define STEP_MAX_Q6 (20 * 64) /* as of other LiDARs: what lies between two points is seen by neither */
#define SWEEP_SLACK_Q6 128    /* the last point may lie on the first */
#define FUTURE_NS (50 * CAIRN_NS_PER_MS)

static uint64_t get(const uint8_t *at, int bytes)
{
	uint64_t value = 0;
	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static uint8_t *put(uint8_t *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> (8 * i));
	return at + bytes;
}

/* ---- turns ---- */

/* From a to b the shorter way, clockwise positive. */
static int step_q6(int a, int b)
{
	int step = (b - a + CAIRN_LIDAR_Q6_TURN) % CAIRN_LIDAR_Q6_TURN;
	return step > CAIRN_LIDAR_Q6_TURN / 2 ? step - CAIRN_LIDAR_Q6_TURN : step;
}

bool cairn_scan_stream_whole(const struct cairn_lidar_turn *turn, struct cairn_error *err)
{
	int sweep = 0, last = 0;
	if (turn->count < CAIRN_LIDAR_TURN_MIN || turn->count > CAIRN_LIDAR_TURN_MAX) {
		cairn_error_set(err, "%u points; a turn has %d to %d", turn->count, CAIRN_LIDAR_TURN_MIN,
		    CAIRN_LIDAR_TURN_MAX);
		return false;
	}
	for (uint32_t i = 1; i < turn->count; i++) {
		int step = step_q6(turn->angle_q6[i - 1], turn->angle_q6[i]);
		if (step == 0 || abs(step) > STEP_MAX_Q6 || (i > 1 && (step > 0) != (last > 0))) {
			cairn_error_set(err,
			    "point %u is %.2f degrees behind the one before; they must lie in order, less "
			    "than %d "
			    "degrees apart",
			    i, step / 64.0, STEP_MAX_Q6 / 64);
			return false;
		}
		last = step;
		sweep += abs(step);
	}
	sweep += abs(last);
	if (sweep >= CAIRN_SCAN_STREAM_SWEEP_MIN_DEG * 64 &&
	    sweep <= CAIRN_LIDAR_Q6_TURN + abs(last) + SWEEP_SLACK_Q6)
		return true;
	cairn_error_set(err,
	    "it sweeps %.0f degrees; the whole circle is needed (%d at least): the robot turns and drives "
	    "backward",
	    sweep / 64.0, CAIRN_SCAN_STREAM_SWEEP_MIN_DEG);
	return false;
}

/* True: a turn to be used is in p->turn. */
static bool take_turn(struct cairn_scan_stream *p, int64_t now_ns)
{
	struct cairn_lidar_turn *turn = &p->turn;
	int64_t before_ns = turn->t_end_ns;
	int64_t start_ns = (int64_t)get(p->buf + 8, 8), end_ns = (int64_t)get(p->buf + 16, 8);
	if (end_ns < start_ns || end_ns <= before_ns || start_ns < 0 || end_ns > now_ns + FUTURE_NS ||
	    now_ns - end_ns > CAIRN_SCAN_STREAM_AGE_MAX_NS)
		return false;
	turn->count = (uint32_t)get(p->buf + 6, 2);
	for (uint32_t i = 0; i < turn->count; i++) {
		const uint8_t *point =
		    p->buf + CAIRN_SCAN_STREAM_HEADER_BYTES + CAIRN_SCAN_STREAM_POINT_BYTES * i;
		turn->angle_q6[i] = (uint16_t)get(point, 2);
		turn->range_m[i] = (float)get(point + 2, 2) * 1e-3f;
		if (turn->angle_q6[i] >= CAIRN_LIDAR_Q6_TURN)
			return false;
	}
	if (!cairn_scan_stream_whole(turn, NULL))
		return false;
	turn->t_start_ns = start_ns;
	turn->t_end_ns = end_ns;
	return true;
}

/* ---- frames ---- */

/* Bytes of the frame that begins in the buffer; 0: none does; as many as a header has while that is not whole. */
static size_t frame_bytes(const struct cairn_scan_stream *p)
{
	static const uint8_t magic[4] = {'C', 'L', 'S', 'C'};
	if (memcmp(p->buf, magic, p->have < 4 ? p->have : 4) != 0)
		return 0;
	if (p->have < CAIRN_SCAN_STREAM_HEADER_BYTES)
		return CAIRN_SCAN_STREAM_HEADER_BYTES;
	uint32_t points = (uint32_t)get(p->buf + 6, 2);
	if (get(p->buf + 4, 2) != CAIRN_SCAN_STREAM_VERSION || points < CAIRN_LIDAR_TURN_MIN ||
	    points > CAIRN_LIDAR_TURN_MAX)
		return 0;
	return CAIRN_SCAN_STREAM_HEADER_BYTES + CAIRN_SCAN_STREAM_POINT_BYTES * points + CRC_BYTES;
}

/* Drops the front up to the next byte that may begin a frame. */
static void drop_front(struct cairn_scan_stream *p)
{
	uint8_t *next = p->have > 1 ? memchr(p->buf + 1, 'C', p->have - 1) : NULL;
	size_t left = next != NULL ? p->have - (size_t)(next - p->buf) : 0;
	if (next != NULL)
		memmove(p->buf, next, left);
	p->have = left;
}

/* Judges what is in the buffer until more bytes are needed or a turn has come. */
static bool digest(struct cairn_scan_stream *p, int64_t now_ns)
{
	while (p->have > 0) {
		size_t whole = frame_bytes(p);
		if (whole == 0) {
			p->counts.frames_refused += p->have >= CAIRN_SCAN_STREAM_HEADER_BYTES;
			drop_front(p);
			continue;
		}
		if (p->have < whole || p->have < CAIRN_SCAN_STREAM_HEADER_BYTES + CRC_BYTES)
			return false;
		if (crc32(0, p->buf, (uInt)(whole - CRC_BYTES)) !=
		    get(p->buf + whole - CRC_BYTES, CRC_BYTES)) {
			p->counts.frames_refused++;
			drop_front(p);
			continue;
		}
		bool good = take_turn(p, now_ns);
		p->counts.frames++;
		p->counts.turns += good;
		p->counts.turns_refused += !good;
		p->last_frame_ns = now_ns;
		memmove(p->buf, p->buf + whole, p->have - whole);
		p->have -= whole;
		if (good)
			return true;
	}
	return false;
}

void cairn_scan_stream_init(struct cairn_scan_stream *p)
{
	memset(p, 0, sizeof(*p));
}

void cairn_scan_stream_reset(struct cairn_scan_stream *p)
{
	p->have = 0;
}

size_t cairn_scan_stream_feed(
    struct cairn_scan_stream *p, const uint8_t *data, size_t len, int64_t now_ns, bool *ret_turn)
{
	size_t used = 0;
	*ret_turn = digest(p, now_ns); /* what was left over */
	while (used < len && !*ret_turn) {
		size_t n = len - used, room = sizeof(p->buf) - p->have;
		n = n < room ? n : room;
		memcpy(p->buf + p->have, data + used, n);
		p->have += n;
		used += n;
		*ret_turn = digest(p, now_ns);
	}
	return used;
}

const struct cairn_lidar_turn *cairn_scan_stream_turn(const struct cairn_scan_stream *p)
{
	return &p->turn;
}

size_t cairn_scan_stream_write(uint8_t out[CAIRN_SCAN_STREAM_FRAME_MAX], const struct cairn_lidar_turn *turn)
{
	uint8_t *at = put(out, MAGIC, 4);
	at = put(at, CAIRN_SCAN_STREAM_VERSION, 2);
	at = put(at, turn->count, 2);
	at = put(at, (uint64_t)turn->t_start_ns, 8);
	at = put(at, (uint64_t)turn->t_end_ns, 8);
	for (uint32_t i = 0; i < turn->count; i++) {
		double mm = 1000.0 * (double)turn->range_m[i];
		at = put(at, turn->angle_q6[i], 2);
		at = put(at, mm >= 0.5 && mm < 65535.0 ? (uint64_t)lround(mm) : 0, 2);
	}
	return (size_t)(put(at, crc32(0, out, (uInt)(at - out)), CRC_BYTES) - out);
}
