/* cost_field.h - cost-to-go of a point robot from every cell to a goal, computed as far as it is asked for.
 *
 * Dijkstra backward from the goal over the 8-connected costmap, with circular buckets (Dial 1969): every step
 * costs at least one cell width, so all cells of a bucket of that width are final together and no heap is
 * needed. A query goes on with the wave until the cell asked for is final. Units: cells times cost.
 *
 * With blocks of 2 x 2 cells a quarter of the work is left, and what it says is good to about a block: enough
 * to guide a search that looks at every cell itself. A block costs the mean of its open cells, and the
 * footprint is laid on the roomiest, so that a gap of one cell stays open. (Nav2's planner halves its costmap
 * for the same purpose.)
 *
 * Aimed at a cell, the wave is A* instead: buckets are of the cost plus the octile distance to the aim, which
 * no step undercuts. Then a step may stay in its bucket, and a cell of it may be looked at twice. */
#ifndef CAIRN_COMMON_PLAN_COST_FIELD_H
#define CAIRN_COMMON_PLAN_COST_FIELD_H

#include <math.h>

#include "common/plan/heading_mask.h"

#define CAIRN_FIELD_BUCKETS 1024
#define CAIRN_FIELD_TIGHT 200.0f
#define CAIRN_FIELD_NOT_WAITING (-2)

/* Of a block that was reached. */
struct cairn_field_link {
	int32_t next, prev; /* buckets as lists */
};

/* Zero-initialised is valid. The costmap must stay as it is between start and the last query. */
struct cairn_cost_field {
	const struct cairn_costmap *cm;
	float open_from; /* cells nearer than this to an obstacle, in cells, are closed */
	struct cairn_window
	    ease; /* but here only the obstacles themselves are (a robot that stands too near must get out) */
	struct cairn_heading_mask *ways; /* NULL: a step costs the same whichever way it goes */
	int block;                       /* cells of the costmap a side */
	int width, height;               /* blocks */
	int stride; /* from one row of blocks to the next: around them is a border of closed ones */
	/* one a block, of the border, too */
	float *to_go; /* final in buckets before the one in hand */
	float *cost;  /* of the block itself, 0 closed; of rows that are known */
	struct cairn_field_link *link;
	uint8_t *known_ways; /* of each axis what cairn_heading_mask_open keeps; of rows that are known */
	size_t capacity;
	bool *row_known; /* one a row of blocks, of the border, too: are cost and known_ways there? */
	float *row_cost; /* scratch: of two rows of cells */
	size_t rows_capacity, cells_capacity;
	int32_t bucket[CAIRN_FIELD_BUCKETS];
	uint32_t current; /* bucket in hand */
	size_t waiting;   /* cells in buckets */
	bool aimed;       /* buckets are of cost-to-go and the least that is left to block (aim_x, aim_y) */
	int aim_x, aim_y;
};

/* Takes the memory that a start on this costmap needs, for those who do not want to wait or to grow later. 0
 * or -ENOMEM. */
int cairn_cost_field_reserve(struct cairn_cost_field *f, const struct cairn_costmap *cm, int block);
/* block: 1 (every cell) or 2. ways (may be NULL, borrowed): steps along which the footprint does not fit cost
 * CAIRN_FIELD_TIGHT more. Goal cells are added with cairn_cost_field_seed afterwards; indexes are always the
 * costmap's. 0 or -ENOMEM. */
int cairn_cost_field_start(struct cairn_cost_field *f, const struct cairn_costmap *cm, int block,
    double radius_m, const struct cairn_pose2 *ease_around, double ease_m, struct cairn_heading_mask *ways);
/* Before the first seed: lets the wave go toward the cell that most will be asked about, so that less of the
 * map is looked at before it gets there. Answers are the same. */
void cairn_cost_field_aim(struct cairn_cost_field *f, int index);
/* False if the cell is closed. */
bool cairn_cost_field_seed(struct cairn_cost_field *f, int index, float cost);
/* Cost-to-go of a cell; INFINITY when it cannot be reached. */
float cairn_cost_field_at(struct cairn_cost_field *f, int index);
/* The block of a cell, as an index of to_go. */
static inline int cairn_cost_field_block(const struct cairn_cost_field *f, int x, int y)
{
	const int half = f->block - 1; /* of blocks of two */
	return ((y >> half) + 1) * f->stride + (x >> half) + 1;
}
/* Lets the wave go on until the block is final, and says what cairn_cost_field_at says. */
float cairn_cost_field_reach(struct cairn_cost_field *f, int block);
/* Between buckets a block that was reached and waits no longer is final: its bucket was emptied. */
static inline bool cairn_cost_field_final(const struct cairn_cost_field *f, int block)
{
	return f->to_go[block] < INFINITY && f->link[block].next == CAIRN_FIELD_NOT_WAITING;
}
/* cairn_cost_field_at for those who ask often. */
static inline float cairn_cost_field_at_xy(struct cairn_cost_field *f, int x, int y)
{
	int block = cairn_cost_field_block(f, x, y);
	return cairn_cost_field_final(f, block) ? f->to_go[block] : cairn_cost_field_reach(f, block);
}
/* Carries on until everything reachable is final. */
void cairn_cost_field_finish(struct cairn_cost_field *f);
bool cairn_cost_field_open(const struct cairn_cost_field *f, int index);
void cairn_cost_field_free(struct cairn_cost_field *f);

#endif
