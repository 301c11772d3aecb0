/* ring.h - which files of a folder of recordings have to make room, and when the next one begins. Pure: the caller lists the folder
 * and removes the files. */
#ifndef CAIRN_COMMON_RECORD_RING_H
#define CAIRN_COMMON_RECORD_RING_H

#include <stdbool.h>
#include <stdint.h>

struct cairn_ring_limits {
	double quota_bytes; /* of all files, the one being written among them */
	double age_max_s;   /* older ones go; 0: however old */
	double file_bytes;  /* a file ends at this size */
	double file_s;      /* or at this age */
};

struct cairn_ring_file {
	char name[64];
	double bytes;
	double ended_unix_s; /* last written to */
};

/* Puts them in order, oldest first: names are times, then numbers. */
void cairn_ring_sort(struct cairn_ring_file *files, uint32_t count);
/* How many of the sorted files, from the oldest on, have to go so that next_bytes more fit. now: as ended_unix_s. */
uint32_t cairn_ring_excess(const struct cairn_ring_file *files, uint32_t count, double next_bytes,
    double now_unix_s, const struct cairn_ring_limits *limits);
/* The file being written is to be ended. */
bool cairn_ring_full(double bytes, double age_s, const struct cairn_ring_limits *limits);

#endif
