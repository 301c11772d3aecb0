/* jump.h - shortest paths of a point robot where every open cell costs the same: jump point search.
 *
 * Harabor & Grastien 2011 ("Online Graph Pruning for Pathfinding on Grid Maps") in the form that cuts no
 * corners, with the improvements of Harabor & Grastien 2014 ("Improving Jump Point Search"): straight runs
 * are scanned 64 cells at a time on bit maps, and turning points within a diagonal are never queued. The
 * answer is as long as A*'s (common/plan/astar.h); what it looks at is a small part. Goals in another region
 * are refused without a search. Where cells cost differently, A* has to do. */
#ifndef CAIRN_COMMON_PLAN_JUMP_H
#define CAIRN_COMMON_PLAN_JUMP_H

#include "common/plan/astar.h"
#include "common/plan/passable.h"

struct cairn_jump_query {
	const struct cairn_passable *open;
	int start, goal;              /* y * width + x */
	int64_t expansions_max;       /* 0 = no limit */
	int64_t (*now_ns)(void *ctx); /* NULL: no clock */
	void *ctx;
	int64_t deadline_ns;
};

struct cairn_jump; /* scratch, grows with the map */

struct cairn_jump *cairn_jump_new(void);
void cairn_jump_destroy(struct cairn_jump **j_p);

/* stats may be NULL. No allocation once a map of this size was seen, except while the queue grows. */
enum cairn_astar_result cairn_jump_search(
    struct cairn_jump *j, const struct cairn_jump_query *query, struct cairn_astar_stats *stats);

/* Every cell of the path found last, from start to goal: writes up to max indices, returns how many there
 * are. */
int cairn_jump_path(const struct cairn_jump *j, int *indices, int max);

#endif
