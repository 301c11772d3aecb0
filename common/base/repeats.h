/* repeats.h - does a sensor say the same again?
 *
 * Measurements have noise, so two equal revolutions of a LiDAR or two equal pictures of a camera do not happen: a
 * device or driver that sends one has stopped looking. Compared are 64-bit sums of the bytes, with those of the last
 * CAIRN_REPEATS_KEPT blocks, because a driver may go round a ring of buffers. Pure. */
#ifndef CAIRN_COMMON_BASE_REPEATS_H
#define CAIRN_COMMON_BASE_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_REPEATS_KEPT 8

/* Zeroed: nothing was said yet. */
struct cairn_repeats {
	uint64_t sums[CAIRN_REPEATS_KEPT];
	unsigned next;
	uint64_t count; /* repetitions so far */
	bool now;       /* the newest block was one */
};

/* Takes what a sensor says now. True: it has said so before. */
bool cairn_repeats_take(struct cairn_repeats *r, const void *bytes, size_t count);

#endif
