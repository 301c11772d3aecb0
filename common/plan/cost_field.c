#include "common/plan/cost_field.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/pages.h"

#define EASE_COST 60.0f
#define NOT_WAITING CAIRN_FIELD_NOT_WAITING

static int blocks(int cells, int block)
{
	return (cells + block - 1) / block;
}

int cairn_cost_field_reserve(struct cairn_cost_field *f, const struct cairn_costmap *cm, int block)
{
	size_t cells = (size_t)blocks(cm->width, block) * (size_t)blocks(cm->height, block);
	if (cells <= f->capacity)
		return 0;
	size_t grown = cells + cells / 4;
	struct cairn_field_cell *c = malloc(grown * sizeof(*c));
	if (c == NULL)
		return -ENOMEM;
	cairn_pages_touch(c, grown * sizeof(*c));
	cairn_cost_field_free(f);
	f->cells = c;
	f->capacity = grown;
	return 0;
}

int cairn_cost_field_start(struct cairn_cost_field *f, const struct cairn_costmap *cm, int block,
    double radius_m, const struct cairn_pose2 *ease_around, double ease_m, struct cairn_ways *ways)
{
	if (cairn_cost_field_reserve(f, cm, block) < 0)
		return -ENOMEM;
	f->cm = cm;
	f->block = block;
	f->width = blocks(cm->width, block);
	f->height = blocks(cm->height, block);
	f->radius_m = radius_m;
	f->ways = ways;
	f->ease = (struct cairn_window){0};
	if (ease_around != NULL) {
		double k = 1.0 / cm->cell_m;
		double x = (ease_around->x_m - cm->origin_x_m) * k,
		       y = (ease_around->y_m - cm->origin_y_m) * k;
		f->ease = (struct cairn_window){(int)(x - ease_m * k), (int)(y - ease_m * k),
		    (int)(x + ease_m * k) + 1, (int)(y + ease_m * k) + 1};
	}
	for (int i = 0; i < f->width * f->height; i++)
		f->cells[i] =
		    (struct cairn_field_cell){.to_go = INFINITY, .cost = -1.0f, .next = NOT_WAITING};
	for (int i = 0; i < CAIRN_FIELD_BUCKETS; i++)
		f->bucket[i] = -1;
	f->current = 0;
	f->waiting = 0;
	f->aimed = false;
	return 0;
}

void cairn_cost_field_aim(struct cairn_cost_field *f, int index)
{
	f->aimed = true;
	f->aim_x = index % f->cm->width / f->block;
	f->aim_y = index / f->cm->width / f->block;
}

void cairn_cost_field_free(struct cairn_cost_field *f)
{
	free(f->cells);
	f->cells = NULL;
	f->capacity = 0;
}

/* Factor on the length through a cell; 0 = closed. */
static float cost_of(const struct cairn_cost_field *f, int index)
{
	if ((double)f->cm->dist[index] * f->cm->cell_m >= f->radius_m)
		return cairn_costmap_cost(f->cm, index);
	int x = index % f->cm->width, y = index / f->cm->width;
	bool eased = x >= f->ease.x0 && x < f->ease.x1 && y >= f->ease.y0 && y < f->ease.y1 &&
		     f->cm->dist[index] > 0.0f;
	return eased ? EASE_COST : 0.0f;
}

/* The same of a block: the mean of its open cells, closed when all are. */
static float mean_cost(const struct cairn_cost_field *f, int x, int y)
{
	const struct cairn_costmap *cm = f->cm;
	int index = y * f->block * cm->width + x * f->block, open = 0;
	if (f->block == 1)
		return cost_of(f, index);
	float sum = 0.0f;
	for (int dy = 0; dy < 2 && 2 * y + dy < cm->height; dy++)
		for (int dx = 0; dx < 2 && 2 * x + dx < cm->width; dx++) {
			float cost = cost_of(f, index + dy * cm->width + dx);
			sum += cost;
			open += cost > 0.0f;
		}
	return open > 0 ? sum / (float)open : 0.0f;
}

static inline float block_cost(const struct cairn_cost_field *f, int x, int y)
{
	float *cost = &f->cells[y * f->width + x].cost;
	if (*cost < 0.0f)
		*cost = mean_cost(f, x, y);
	return *cost;
}

bool cairn_cost_field_open(const struct cairn_cost_field *f, int index)
{
	return cost_of(f, index) > 0.0f;
}

/* The bucket in which a block of that cost-to-go waits. */
static uint32_t place(const struct cairn_cost_field *f, int x, int y, float to_go)
{
	if (!f->aimed)
		return (uint32_t)to_go;
	int dx = abs(x - f->aim_x), dy = abs(y - f->aim_y);
	int longer = dx > dy ? dx : dy, shorter = dx > dy ? dy : dx;
	return (uint32_t)(to_go + (float)f->block * ((float)longer + 0.41421f * (float)shorter));
}

static void take_out(struct cairn_cost_field *f, int index)
{
	struct cairn_field_cell *c = &f->cells[index];
	if (c->prev >= 0)
		f->cells[c->prev].next = c->next;
	else
		f->bucket[~c->prev] = c->next;
	if (c->next >= 0)
		f->cells[c->next].prev = c->prev;
	c->next = NOT_WAITING;
	f->waiting--;
}

static void put_in(struct cairn_cost_field *f, int x, int y, float cost)
{
	int32_t index = y * f->width + x;
	struct cairn_field_cell *c = &f->cells[index];
	if (c->next != NOT_WAITING)
		take_out(f, index);
	c->to_go = cost;
	uint32_t at = place(f, x, y, cost);
	at = at < f->current ? f->current : at; /* rounding may undercut */
	at %= CAIRN_FIELD_BUCKETS;
	int32_t *head = &f->bucket[at];
	c->prev = ~(int32_t)at; /* the first of a list knows its bucket */
	c->next = *head;
	if (*head >= 0)
		f->cells[*head].prev = index;
	*head = index;
	f->waiting++;
}

bool cairn_cost_field_seed(struct cairn_cost_field *f, int index, float cost)
{
	if (!cairn_cost_field_open(f, index))
		return false;
	int x = index % f->cm->width / f->block, y = index / f->cm->width / f->block;
	if (f->waiting == 0)
		f->current = place(f, x, y, cost);
	if (cost < f->cells[y * f->width + x].to_go && cost < (float)(CAIRN_FIELD_BUCKETS / 2))
		put_in(f, x, y, cost);
	return true;
}

/* The cell of a block that has the most room. */
static int roomiest(const struct cairn_cost_field *f, int x, int y)
{
	const struct cairn_costmap *cm = f->cm;
	int index = y * f->block * cm->width + x * f->block;
	if (f->block == 1)
		return index;
	int right = 2 * x + 1 < cm->width ? 1 : 0, up = 2 * y + 1 < cm->height ? cm->width : 0;
	const float *d = &cm->dist[index];
	int low = d[right] > d[0] ? right : 0, high = d[up + right] > d[up] ? up + right : up;
	return index + (d[high] > d[low] ? high : low);
}

static inline bool way_open(const struct cairn_cost_field *f, int x, int y, enum cairn_way way)
{
	int index = roomiest(f, x, y);
	return cairn_ways_open(f->ways, index % f->cm->width, index / f->cm->width, way);
}

/* One step to a neighbour (dx, dy) away, against the way it would be driven. */
static void relax(struct cairn_cost_field *f, int x, int y, int dx, int dy, float cost)
{
	int to = (y + dy) * f->width + x + dx;
	if (cost >= f->cells[to].to_go)
		return;
	if (f->ways != NULL) {
		enum cairn_way way = dy == 0    ? CAIRN_WAY_X
				     : dx == 0  ? CAIRN_WAY_Y
				     : dx == dy ? CAIRN_WAY_RISING
						: CAIRN_WAY_FALLING;
		bool open = way_open(f, x, y, way) && way_open(f, x + dx, y + dy, way);
		cost += open ? 0.0f : CAIRN_FIELD_TIGHT;
		if (cost >= f->cells[to].to_go)
			return;
	}
	put_in(f, x + dx, y + dy, cost);
}

/* Neighbours of a final block; diagonals need both blocks beside them. */
static void expand(struct cairn_cost_field *f, int index)
{
	const int w = f->width, h = f->height;
	int x = index % w, y = index / w;
	float g = f->cells[index].to_go, here = block_cost(f, x, y);
	float e = x + 1 < w ? block_cost(f, x + 1, y) : 0.0f, o = x > 0 ? block_cost(f, x - 1, y) : 0.0f;
	float n = y + 1 < h ? block_cost(f, x, y + 1) : 0.0f, s = y > 0 ? block_cost(f, x, y - 1) : 0.0f;
	const float straight = 0.5f * (float)f->block, slant = 0.70710678f * (float)f->block;
	if (e > 0.0f)
		relax(f, x, y, 1, 0, g + straight * (here + e));
	if (o > 0.0f)
		relax(f, x, y, -1, 0, g + straight * (here + o));
	if (n > 0.0f)
		relax(f, x, y, 0, 1, g + straight * (here + n));
	if (s > 0.0f)
		relax(f, x, y, 0, -1, g + straight * (here + s));
	for (int dy = -1; dy <= 1; dy += 2)
		for (int dx = -1; dx <= 1; dx += 2) {
			if ((dx > 0 ? e : o) <= 0.0f || (dy > 0 ? n : s) <= 0.0f)
				continue;
			float c = block_cost(f, x + dx, y + dy);
			if (c > 0.0f)
				relax(f, x, y, dx, dy, g + slant * (here + c));
		}
}

/* Empties the bucket in hand and moves on. Without an aim steps from it land in later buckets, because none
 * costs less than one. */
static void next_bucket(struct cairn_cost_field *f)
{
	int32_t *head = &f->bucket[f->current % CAIRN_FIELD_BUCKETS];
	while (*head >= 0) {
		int32_t index = *head;
		take_out(f, index);
		expand(f, index);
	}
	f->current++;
}

float cairn_cost_field_reach(struct cairn_cost_field *f, const struct cairn_field_cell *c)
{
	while (f->waiting > 0 && !(c->to_go < INFINITY && c->next == NOT_WAITING))
		next_bucket(f);
	return c->to_go;
}

float cairn_cost_field_at(struct cairn_cost_field *f, int index)
{
	return cairn_cost_field_at_xy(f, index % f->cm->width, index / f->cm->width);
}

void cairn_cost_field_finish(struct cairn_cost_field *f)
{
	while (f->waiting > 0)
		next_bucket(f);
}
