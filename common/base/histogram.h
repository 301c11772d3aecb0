/* histogram.h - how times are spread: counts in bins that widen with the value, so that a loop can keep what it
 * measures for ever in a fixed place, and still tell its 99th percentile.
 *
 * Eight bins to each doubling from 1 us to 16 s: a percentile is at most 12.5 % too high, never too low (as
 * in the histograms of Tene's HdrHistogram). Zeroed is empty. Not thread-safe; allocates nothing. */
#ifndef CAIRN_COMMON_BASE_HISTOGRAM_H
#define CAIRN_COMMON_BASE_HISTOGRAM_H

#include <stdint.h>

#define CAIRN_HISTOGRAM_BINS (8 * 22)

struct cairn_histogram {
	uint64_t count;
	int64_t max_ns;
	uint32_t bins[CAIRN_HISTOGRAM_BINS];
};

/* Negative times count as 0. */
void cairn_histogram_add(struct cairn_histogram *spread, int64_t ns);
/* The time that this share (0 .. 1) of all is not above: the upper end of its bin, at most the largest seen.
 * 0 without any. */
int64_t cairn_histogram_at_ns(const struct cairn_histogram *spread, double share);

#endif
