/* picture_rate.h - which pictures of a camera that sends too many are taken. */
#ifndef CAIRN_COMMON_DEVICE_PICTURE_RATE_H
#define CAIRN_COMMON_DEVICE_PICTURE_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* Is a picture that came now to be taken, of rate_hz a second at most? *due_ns: 0 at first. A quarter of a period early is in time,
 * so that of a camera with nearly that rate none is left out. */
static inline bool cairn_picture_due(int64_t *due_ns, double rate_hz, int64_t now_ns)
{
	int64_t period_ns = (int64_t)(1e9 / rate_hz);
	if (now_ns < *due_ns - period_ns / 4)
		return false;
	*due_ns = (now_ns - *due_ns > period_ns ? now_ns : *due_ns) + period_ns;
	return true;
}

#endif
