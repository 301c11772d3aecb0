#include "common/sim/robot/dev_ld06.h"

#include <math.h>

#define TIME_MS 30000 /* the clock begins anew behind it */

static uint8_t *put(uint8_t *out, double value)
{
	unsigned v = (unsigned)lround(fmin(fmax(value, 0.0), 65535.0));
	out[0] = (uint8_t)v;
	out[1] = (uint8_t)(v >> 8);
	return out + 2;
}

/* By the definition: the remainder of the polynomial's division, bit by bit, as one number of all bytes. */
static uint8_t remainder_of(const uint8_t *bytes, int n)
{
	unsigned rest = 0;
	for (int i = 0; i < 8 * n + 8; i++) {
		unsigned bit = i < 8 * n ? (unsigned)bytes[i / 8] >> (7 - i % 8) & 1u : 0u;
		rest = rest << 1 | bit;
		if ((rest & 0x100u) != 0)
			rest ^= 0x14Du;
	}
	return (uint8_t)rest;
}

size_t cairn_dev_ld06_point(struct cairn_dev_ld06 *d, double angle_deg, double range_m, double speed_dps,
    int64_t t_ms, uint8_t frame[CAIRN_DEV_LD06_FRAME])
{
	d->angle_deg[d->count] = angle_deg;
	d->range_m[d->count] = range_m;
	if (++d->count < CAIRN_DEV_LD06_POINTS)
		return 0;
	d->count = 0;
	uint8_t *out = frame;
	*out++ = 0x54;
	*out++ = 0x2C;
	out = put(out, speed_dps);
	out = put(out, fmod(round(100.0 * d->angle_deg[0]), 36000.0));
	for (int i = 0; i < CAIRN_DEV_LD06_POINTS; i++) {
		out = put(out, 1000.0 * d->range_m[i]);
		*out++ = d->range_m[i] > 0.0 ? 200 : 0;
	}
	out = put(out, fmod(round(100.0 * d->angle_deg[CAIRN_DEV_LD06_POINTS - 1]), 36000.0));
	out = put(out, (double)(t_ms % TIME_MS));
	*out = remainder_of(frame, CAIRN_DEV_LD06_FRAME - 1);
	return CAIRN_DEV_LD06_FRAME;
}
