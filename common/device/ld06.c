#include "common/device/ld06.h"

#include <string.h>

#define HEAD 0x54
#define POINTS_AND_VERSION 0x2C
#define CENTIDEG_TURN 36000
#define SPAN_MAX_Q6 (30 * 64) /* of a frame: 11.4 degrees at 13 revolutions and 4500 points a second */
#define GAP_MAX_Q6                                                                                           \
	(4 *                                                                                                 \
	    64) /* between two frames, a point's step, 1.04 degrees at most: a lost frame leaves 5.2 at least */
#define SWEEP_MIN_Q6 (355 * 64)

static uint16_t u16_at(const uint8_t *p)
{
	return (uint16_t)(p[0] | (p[1] << 8));
}

uint8_t cairn_ld06_crc(const uint8_t *bytes, size_t n)
{
	uint8_t crc = 0;
	for (size_t i = 0; i < n; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = (uint8_t)((crc << 1) ^ ((crc & 0x80u) != 0 ? 0x4D : 0));
	}
	return crc;
}

/* ---- turns ---- */

static struct cairn_lidar_turn *building(struct cairn_ld06 *p)
{
	return &p->turns[p->building];
}

/* What is being collected has a hole. */
static void lose(struct cairn_ld06 *p)
{
	if (p->turn_open)
		p->counts.turns_refused++;
	p->turn_open = false;
	p->last_q6 = -1;
}

/* True when the turn that ends here is whole. */
static bool end_turn(struct cairn_ld06 *p, int64_t now_ns)
{
	struct cairn_lidar_turn *turn = building(p);
	bool whole = p->turn_open && p->sweep_q6 >= SWEEP_MIN_Q6 && turn->count >= CAIRN_LIDAR_TURN_MIN;
	if (whole) {
		turn->t_end_ns = now_ns;
		p->counts.turns++;
		p->building ^= 1u;
	} else if (p->turn_open) {
		p->counts.turns_refused++;
	}
	p->turn_open = true;
	building(p)->count = 0;
	building(p)->t_start_ns = now_ns;
	p->sweep_q6 = 0;
	return whole;
}

/* True: a turn has been completed by it. */
static bool add_point(struct cairn_ld06 *p, int32_t angle_q6, uint16_t mm, int64_t now_ns)
{
	bool complete = false;
	if (p->last_q6 >= 0 && angle_q6 < p->last_q6)
		complete = end_turn(p, now_ns);
	else if (p->last_q6 >= 0)
		p->sweep_q6 += angle_q6 - p->last_q6;
	p->last_q6 = angle_q6;
	struct cairn_lidar_turn *turn = building(p);
	if (!p->turn_open)
		return complete;
	if (turn->count == CAIRN_LIDAR_TURN_MAX) {
		lose(p);
		return complete;
	}
	turn->angle_q6[turn->count] = (uint16_t)angle_q6;
	turn->range_m[turn->count++] = (float)mm * 1e-3f;
	return complete;
}

/* ---- frames ---- */

static int32_t span_q6(int32_t from_q6, int32_t to_q6)
{
	int32_t span = to_q6 - from_q6;
	return span < 0 ? span + CAIRN_LIDAR_Q6_TURN : span;
}

static bool is_frame(const struct cairn_ld06 *p)
{
	const uint8_t *b = p->buf;
	uint16_t start = u16_at(b + 4), end = u16_at(b + 42);
	if (cairn_ld06_crc(b, CAIRN_LD06_FRAME - 1) != b[CAIRN_LD06_FRAME - 1] || start >= CENTIDEG_TURN ||
	    end >= CENTIDEG_TURN)
		return false;
	int32_t span = span_q6(start * 64 / 100, end * 64 / 100);
	return span > 0 && span <= SPAN_MAX_Q6;
}

/* Takes the frame in buf. True: a turn has been completed in it. */
static bool take_frame(struct cairn_ld06 *p, int64_t now_ns)
{
	const uint8_t *b = p->buf;
	int32_t start = u16_at(b + 4) * 64 / 100, span = span_q6(start, u16_at(b + 42) * 64 / 100);
	bool complete = false;
	p->counts.frames++;
	p->last_point_ns = now_ns;
	if (p->last_q6 >= 0 && span_q6(p->last_q6, start) > GAP_MAX_Q6)
		lose(p);
	for (int i = 0; i < CAIRN_LD06_POINTS; i++) {
		int32_t angle = (start + span * i / (CAIRN_LD06_POINTS - 1)) % CAIRN_LIDAR_Q6_TURN;
		complete |= add_point(p, angle, u16_at(b + 6 + 3 * i), now_ns);
	}
	return complete;
}

/* Moves the next byte that may begin a frame to the front. */
static void drop_to_head(struct cairn_ld06 *p, size_t from)
{
	while (from < p->have &&
	       !(p->buf[from] == HEAD && (from + 1 == p->have || p->buf[from + 1] == POINTS_AND_VERSION)))
		from++;
	if (from > 0)
		lose(p);
	memmove(p->buf, p->buf + from, p->have - from);
	p->have -= from;
}

void cairn_ld06_init(struct cairn_ld06 *p)
{
	memset(p, 0, sizeof(*p));
	p->last_q6 = -1;
}

void cairn_ld06_reset(struct cairn_ld06 *p)
{
	lose(p);
	p->have = 0;
}

size_t cairn_ld06_feed(struct cairn_ld06 *p, const uint8_t *data, size_t len, int64_t now_ns, bool *ret_turn)
{
	size_t used = 0;
	*ret_turn = false;
	while (used < len && !*ret_turn) {
		p->buf[p->have++] = data[used++];
		if (p->have <= 2)
			drop_to_head(p, 0);
		if (p->have < CAIRN_LD06_FRAME)
			continue;
		if (is_frame(p)) {
			*ret_turn = take_frame(p, now_ns);
			p->have = 0;
		} else {
			p->counts.frames_refused++;
			drop_to_head(p, 1);
		}
	}
	return used;
}

const struct cairn_lidar_turn *cairn_ld06_turn(const struct cairn_ld06 *p)
{
	return &p->turns[p->building ^ 1u];
}
