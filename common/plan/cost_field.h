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

#include "common/plan/ways.h"

#define CAIRN_FIELD_BUCKETS 1024
#define CAIRN_FIELD_TIGHT 200.0f
#define CAIRN_FIELD_NOT_WAITING (-2)

struct cairn_field_cell {
	float to_go;        /* final in buckets before the one in hand */
	float cost;         /* of the block itself, 0 closed; negative: not worked out yet */
	int32_t next, prev; /* buckets as lists */
};

/* Zero-initialised is valid. The costmap must stay as it is between start and the last query. */
struct cairn_cost_field {
	const struct cairn_costmap *cm;
	double radius_m; /* cells nearer than this to an obstacle are closed */
	struct cairn_window
	    ease; /* but here only the obstacles themselves are (a robot that stands too near must get out) */
	struct cairn_ways *ways;        /* NULL: a step costs the same whichever way it goes */
	int block;                      /* cells of the costmap a side */
	int width, height;              /* blocks */
	struct cairn_field_cell *cells; /* one a block */
	size_t capacity;
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
    double radius_m, const struct cairn_pose2 *ease_around, double ease_m, struct cairn_ways *ways);
/* Before the first seed: lets the wave go toward the cell that most will be asked about, so that less of the
 * map is looked at before it gets there. Answers are the same. */
void cairn_cost_field_aim(struct cairn_cost_field *f, int index);
/* False if the cell is closed. */
bool cairn_cost_field_seed(struct cairn_cost_field *f, int index, float cost);
/* Cost-to-go of a cell; INFINITY when it cannot be reached. */
float cairn_cost_field_at(struct cairn_cost_field *f, int index);
/* Lets the wave go on until the block of the cell is final, and says what cairn_cost_field_at says. */
float cairn_cost_field_reach(struct cairn_cost_field *f, const struct cairn_field_cell *cell);
/* cairn_cost_field_at for those who ask often. */
static inline float cairn_cost_field_at_xy(struct cairn_cost_field *f, int x, int y)
{
	const int half = f->block - 1; /* of blocks of two */
	const struct cairn_field_cell *c = &f->cells[(y >> half) * f->width + (x >> half)];
	/* Between buckets a cell that was reached and waits no longer is final: its bucket was emptied. */
	return c->next == CAIRN_FIELD_NOT_WAITING && c->to_go < INFINITY ? c->to_go : cairn_cost_field_reach(f, c);
}
/* Carries on until everything reachable is final. */
void cairn_cost_field_finish(struct cairn_cost_field *f);
bool cairn_cost_field_open(const struct cairn_cost_field *f, int index);
void cairn_cost_field_free(struct cairn_cost_field *f);

#endif
