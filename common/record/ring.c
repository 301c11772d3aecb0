#include "common/record/ring.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct cairn_ring_file *)a)->name, ((const struct cairn_ring_file *)b)->name);
}

void cairn_ring_sort(struct cairn_ring_file *files, uint32_t count)
{
	if (count > 0)
		qsort(files, count, sizeof(*files), by_name);
}

uint32_t cairn_ring_excess(const struct cairn_ring_file *files, uint32_t count, double next_bytes,
    double now_unix_s, const struct cairn_ring_limits *limits)
{
	double sum = next_bytes;
	for (uint32_t i = 0; i < count; i++)
		sum += files[i].bytes;
	uint32_t n = 0;
	while (n < count &&
	       (sum > limits->quota_bytes ||
		   (limits->age_max_s > 0.0 && now_unix_s - files[n].ended_unix_s > limits->age_max_s)))
		sum -= files[n++].bytes;
	return n;
}

bool cairn_ring_full(double bytes, double age_s, const struct cairn_ring_limits *limits)
{
	return bytes >= limits->file_bytes || age_s >= limits->file_s;
}
