/* bench_map.h - the plainest way to do what the mapper does, for comparison: textbook loops over every cell.
 */
#ifndef CAIRN_PROCS_LAB_BENCH_MAP_H
#define CAIRN_PROCS_LAB_BENCH_MAP_H

#include "common/map/grid.h"

#define BENCH_MAP_SIDE 1000

enum { BENCH_NAIVE_UNKNOWN, BENCH_NAIVE_FREE, BENCH_NAIVE_SOLID };

struct bench_naive {
	uint8_t *cell;
	double *odds, *distance, *path;
	struct bench_naive_node *heap;
	size_t heap_count;
	uint32_t *queue;
	uint8_t *seen;
	uint32_t frontiers; /* found by the last search */
};

bool bench_naive_init(struct bench_naive *n);
void bench_naive_free(struct bench_naive *n);

/* Takes the grid's classes over: cells 0 0 to SIDE - 1. */
void bench_naive_load(struct bench_naive *n, const struct cairn_grid *grid);
double bench_naive_unknown_share(const struct bench_naive *n);

/* The inverse sensor model cell by cell (Thrun, Burgard and Fox 2005, tables 9.1 and 9.2): each cell of the
 * map looks for the beam nearest to its direction. */
void bench_naive_insert(struct bench_naive *n, struct cairn_pose2 pose, const struct cairn_rays *rays);

/* The exact distance transform by lower envelopes (Felzenszwalb and Huttenlocher 2012), column by column,
 * then row by row, in doubles. */
void bench_naive_distances(struct bench_naive *n);

/* Dijkstra over the free cells with a binary heap, then frontier cells flooded to clusters (Yamauchi 1997).
 */
void bench_naive_frontiers(struct bench_naive *n, struct cairn_pose2 pose);

#endif
