/* astar.h - grid search for a point robot: A*, 8-connected, octile heuristic, no corner cutting.
 *
 * A diagonal step needs both cells beside it passable. Straight steps cost 1, diagonal ones sqrt(2), times
 * the mean of the two cells' factors where factors are given (all >= 1, so the heuristic never
 * overestimates). Optimal; deterministic; works on any map, an inflated one or the bare cells of a benchmark.
 */
#ifndef CAIRN_COMMON_PLAN_ASTAR_H
#define CAIRN_COMMON_PLAN_ASTAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cairn_astar_result {
	CAIRN_ASTAR_OK,
	CAIRN_ASTAR_START_BLOCKED,
	CAIRN_ASTAR_GOAL_BLOCKED,
	CAIRN_ASTAR_NO_PATH,
	CAIRN_ASTAR_LIMIT, /* expansions_max or the deadline */
	CAIRN_ASTAR_NO_MEMORY,
	CAIRN_ASTAR_RESULT_COUNT
};

struct cairn_astar_query {
	const uint8_t *passable; /* width * height, row by row; 0 = blocked */
	const float *factor;     /* NULL: 1 everywhere */
	int width, height;
	int start, goal;              /* y * width + x */
	int64_t expansions_max;       /* 0 = no limit */
	int64_t (*now_ns)(void *ctx); /* NULL: no clock */
	void *ctx;
	int64_t deadline_ns;
};

struct cairn_astar_stats {
	int64_t expansions;
	double length; /* of the path in cells; its cost where factors are given */
};

struct cairn_astar; /* scratch, grows with the map */

struct cairn_astar *cairn_astar_new(void);
void cairn_astar_destroy(struct cairn_astar **a_p);

/* stats may be NULL. No allocation once a map of this size was seen, except while the queue grows. */
enum cairn_astar_result cairn_astar_search(
    struct cairn_astar *a, const struct cairn_astar_query *query, struct cairn_astar_stats *stats);

/* Cells of the path found last, from start to goal: writes up to max indices, returns how many there are. */
int cairn_astar_path(const struct cairn_astar *a, int *indices, int max);

#endif
