#include "common/base/histogram.h"

#include <math.h>

#define PER_OCTAVE 8
#define FIRST_BITS 13 /* the first eight bins are 1024 ns wide and end at 2^13 ns */
#define FIRST_WIDTH_NS 1024

/* Bins 0 .. 7 are even; from there on each doubling is cut into eight even ones. */
static int bin_of(uint64_t ns)
{
	if (ns < (UINT64_C(1) << FIRST_BITS))
		return (int)(ns / FIRST_WIDTH_NS);
	int top = 63 - __builtin_clzll(ns);
	int bin = (top - FIRST_BITS + 1) * PER_OCTAVE + (int)((ns >> (top - 3)) & (PER_OCTAVE - 1));
	return bin < CAIRN_HISTOGRAM_BINS ? bin : CAIRN_HISTOGRAM_BINS - 1;
}

static int64_t end_of(int bin)
{
	if (bin < PER_OCTAVE)
		return (int64_t)(bin + 1) * FIRST_WIDTH_NS;
	int shift = bin / PER_OCTAVE - 1 + FIRST_BITS - 3;
	return (int64_t)(PER_OCTAVE + bin % PER_OCTAVE + 1) << shift;
}

void cairn_histogram_add(struct cairn_histogram *s, int64_t ns)
{
	if (ns < 0)
		ns = 0;
	s->count++;
	if (ns > s->max_ns)
		s->max_ns = ns;
	s->bins[bin_of((uint64_t)ns)]++;
}

int64_t cairn_histogram_at_ns(const struct cairn_histogram *s, double share)
{
	double wanted = fmax(ceil(share * (double)s->count), 1.0), have = 0.0;
	for (int i = 0; i < CAIRN_HISTOGRAM_BINS - 1; i++) {
		have += s->bins[i];
		if (have >= wanted)
			return end_of(i) < s->max_ns ? end_of(i) : s->max_ns;
	}
	return s->max_ns;
}
