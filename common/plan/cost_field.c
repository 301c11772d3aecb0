#include "common/plan/cost_field.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/prefault.h"

#define EASE_COST 60.0f
#define NOT_WAITING CAIRN_FIELD_NOT_WAITING

static int blocks(int cells, int block)
{
	return (cells + block - 1) / block;
}

static void *more(void *old, size_t items, size_t item_bytes)
{
	void *array = malloc(items * item_bytes);
	if (array == NULL)
		return NULL;
	cairn_prefault_touch(array, items * item_bytes);
	free(old);
	return array;
}

/* Room for n items in the array p, of which the old contents do not matter. */
#define GROW(p, n)                                                                                           \
	do {                                                                                                 \
		void *grown_array = more((p), (n), sizeof(*(p)));                                            \
		if (grown_array == NULL)                                                                     \
			return -ENOMEM;                                                                      \
		(p) = grown_array;                                                                           \
	} while (0)

int cairn_cost_field_reserve(struct cairn_cost_field *f, const struct cairn_costmap *cm, int block)
{
	size_t rows = (size_t)blocks(cm->height, block) + 2, row = (size_t)blocks(cm->width, block) + 2;
	if (rows * row > f->capacity) {
		size_t n = rows * row + rows * row / 4;
		f->capacity = 0; /* unless all is there */
		GROW(f->to_go, n);
		GROW(f->cost, n);
		GROW(f->link, n);
		GROW(f->known_ways, n);
		f->capacity = n;
	}
	if (rows > f->rows_capacity) {
		f->rows_capacity = 0;
		GROW(f->row_known, rows + rows / 4);
		f->rows_capacity = rows + rows / 4;
	}
	if (2 * (size_t)cm->width > f->cells_capacity) {
		f->cells_capacity = 0;
		GROW(f->row_cost, 2 * (size_t)cm->width);
		f->cells_capacity = 2 * (size_t)cm->width;
	}
	return 0;
}

/* The border around the blocks is closed. */
static void begin_rows(struct cairn_cost_field *f)
{
	const size_t stride = (size_t)f->stride, rows = (size_t)f->height + 2;
	for (size_t i = 0; i < rows * stride; i++)
		f->to_go[i] = INFINITY;
	memset(f->row_known, 0, rows * sizeof(*f->row_known));
	memset(f->cost, 0, stride * sizeof(*f->cost));
	memset(f->cost + (rows - 1) * stride, 0, stride * sizeof(*f->cost));
	f->row_known[0] = f->row_known[rows - 1] = true;
}

/* The least distance to an obstacle, in cells, of an open cell. */
static float open_from(double radius_m, double cell_m)
{
	float d = (float)(radius_m / cell_m);
	while ((double)d * cell_m >= radius_m)
		d = nextafterf(d, -INFINITY);
	while (d < INFINITY && !((double)d * cell_m >= radius_m))
		d = nextafterf(d, INFINITY);
	return d;
}

int cairn_cost_field_start(struct cairn_cost_field *f, const struct cairn_costmap *cm, int block,
    double radius_m, const struct cairn_pose2 *ease_around, double ease_m, struct cairn_heading_mask *ways)
{
	if (cairn_cost_field_reserve(f, cm, block) < 0)
		return -ENOMEM;
	f->cm = cm;
	f->block = block;
	f->width = blocks(cm->width, block);
	f->height = blocks(cm->height, block);
	f->stride = f->width + 2;
	f->open_from = open_from(radius_m, cm->cell_m);
	f->ways = ways;
	f->ease = (struct cairn_window){0};
	if (ease_around != NULL) {
		double k = 1.0 / cm->cell_m;
		double x = (ease_around->x_m - cm->origin_x_m) * k,
		       y = (ease_around->y_m - cm->origin_y_m) * k;
		f->ease = (struct cairn_window){(int)(x - ease_m * k), (int)(y - ease_m * k),
		    (int)(x + ease_m * k) + 1, (int)(y + ease_m * k) + 1};
	}
	begin_rows(f);
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
	free(f->to_go);
	free(f->cost);
	free(f->link);
	free(f->known_ways);
	free(f->row_known);
	free(f->row_cost);
	*f = (struct cairn_cost_field){0};
}

/* Factor on the length through a cell; 0 = closed. */
static float cost_of(const struct cairn_cost_field *f, int index)
{
	if (f->cm->dist[index] >= f->open_from)
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

/* cost_of, without easing, of each cell of a row: in one loop that is done many at a time. */
static void cost_cells(const struct cairn_cost_field *f, int y, float *restrict ret_cost)
{
	const struct cairn_costmap *cm = f->cm;
	const float *restrict dist = cm->dist + (size_t)y * (size_t)cm->width;
	const uint8_t *restrict cell = cm->cells + (size_t)y * (size_t)cm->width;
	const struct cairn_costmap_rate r = cm->rate;
	const float least = f->open_from;
	const int width = cm->width;
	for (int x = 0; x < width; x++) {
		float near = (r.inflation_m - dist[x] * r.cell_m) / r.span_m;
		near = near > 1.0f ? 1.0f : near;
		near = near > 0.0f ? near : 0.0f;
		float cost = 1.0f + r.peak * near * near;
		/* Times 0 or 1: a choice between floats by bytes is no vector. */
		float strange =
		    r.unknown * (float)(int32_t)((cell[x] & (CAIRN_CELL_UNKNOWN | CAIRN_CELL_LEAVE)) != 0);
		float claimed =
		    r.claimed * (float)(int32_t)((cell[x] & (CAIRN_CELL_UNKNOWN | CAIRN_CELL_CLAIMED)) ==
						 (CAIRN_CELL_UNKNOWN | CAIRN_CELL_CLAIMED));
		float slowed = r.slow * (float)(int32_t)((cell[x] & CAIRN_CELL_SLOW) != 0);
		cost = strange > cost ? strange : cost;
		cost = claimed > cost ? claimed : cost;
		cost = slowed > cost ? slowed : cost;
		ret_cost[x] = dist[x] >= least ? cost : 0.0f;
	}
}

/* mean_cost of whole blocks of two by their cells. */
static void mean_costs(
    const float *restrict below, const float *restrict above, int count, float *restrict ret_cost)
{
	for (int x = 0; x < count; x++) {
		float a = below[2 * x], b = below[2 * x + 1], c = above[2 * x], d = above[2 * x + 1];
		float open = (a > 0.0f ? 1.0f : 0.0f) + (b > 0.0f ? 1.0f : 0.0f) + (c > 0.0f ? 1.0f : 0.0f) +
			     (d > 0.0f ? 1.0f : 0.0f);
		ret_cost[x] = (a + b + c + d) / (open > 1.0f ? open : 1.0f);
	}
}

/* Works out what a row of blocks costs, when the wave first comes to it. */
static void know_row(struct cairn_cost_field *f, int y)
{
	const int first = (y + 1) * f->stride + 1;
	float *cost = f->cost + first;
	f->row_known[y + 1] = true;
	memset(f->known_ways + first, 0, (size_t)f->width);
	cost[-1] = cost[f->width] = 0.0f;
	int whole = 0; /* blocks done at once */
	if (f->block == 2 && 2 * y + 1 < f->cm->height) {
		whole = f->cm->width / 2;
		cost_cells(f, 2 * y, f->row_cost);
		cost_cells(f, 2 * y + 1, f->row_cost + f->cm->width);
		mean_costs(f->row_cost, f->row_cost + f->cm->width, whole, cost);
	}
	for (int x = whole; x < f->width; x++)
		cost[x] = mean_cost(f, x, y);
	if (f->block * y >= f->ease.y1 || f->block * (y + 1) <= f->ease.y0)
		return;
	int x0 = f->ease.x0 > 0 ? f->ease.x0 / f->block : 0;
	for (int x = x0; x < whole && f->block * x < f->ease.x1; x++)
		cost[x] = mean_cost(f, x, y);
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

static void take_out(struct cairn_cost_field *f, int at)
{
	struct cairn_field_link *c = &f->link[at];
	if (c->prev >= 0)
		f->link[c->prev].next = c->next;
	else
		f->bucket[~c->prev] = c->next;
	if (c->next >= 0)
		f->link[c->next].prev = c->prev;
	c->next = NOT_WAITING;
	f->waiting--;
}

/* at: index of block (x, y). */
static void put_in(struct cairn_cost_field *f, int at, int x, int y, float to_go)
{
	struct cairn_field_link *c = &f->link[at];
	if (f->to_go[at] < INFINITY && c->next != NOT_WAITING)
		take_out(f, at);
	f->to_go[at] = to_go;
	uint32_t bucket = place(f, x, y, to_go);
	bucket = bucket < f->current ? f->current : bucket; /* rounding may undercut */
	bucket %= CAIRN_FIELD_BUCKETS;
	int32_t *head = &f->bucket[bucket];
	c->prev = ~(int32_t)bucket; /* the first of a list knows its bucket */
	c->next = *head;
	if (*head >= 0)
		f->link[*head].prev = at;
	*head = at;
	f->waiting++;
}

bool cairn_cost_field_seed(struct cairn_cost_field *f, int index, float cost)
{
	if (!cairn_cost_field_open(f, index))
		return false;
	int x = index % f->cm->width / f->block, y = index / f->cm->width / f->block;
	int at = (y + 1) * f->stride + x + 1;
	if (f->waiting == 0)
		f->current = place(f, x, y, cost);
	if (cost < f->to_go[at] && cost < (float)(CAIRN_FIELD_BUCKETS / 2))
		put_in(f, at, x, y, cost);
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

static inline bool way_open(struct cairn_cost_field *f, int at, int x, int y, enum cairn_heading_way way)
{
	bool open;
	if (cairn_heading_mask_known(f->known_ways[at], way, &open))
		return open;
	return cairn_heading_mask_look(f->ways, roomiest(f, x, y), way, &f->known_ways[at]);
}

/* One step from a block to a neighbour (dx, dy) away, against the way it would be driven. */
static inline void relax(struct cairn_cost_field *f, int at, int x, int y, int dx, int dy, float to_go)
{
	int to = at + dy * f->stride + dx;
	if (to_go >= f->to_go[to])
		return;
	if (f->ways != NULL) {
		enum cairn_heading_way way = dy == 0    ? CAIRN_HEADING_WAY_X
					     : dx == 0  ? CAIRN_HEADING_WAY_Y
					     : dx == dy ? CAIRN_HEADING_WAY_RISING
							: CAIRN_HEADING_WAY_FALLING;
		bool open = way_open(f, at, x, y, way) && way_open(f, to, x + dx, y + dy, way);
		to_go += open ? 0.0f : CAIRN_FIELD_TIGHT;
		if (to_go >= f->to_go[to])
			return;
	}
	put_in(f, to, x + dx, y + dy, to_go);
}

/* Neighbours of a final block; diagonals need both blocks beside them. */
static void expand(struct cairn_cost_field *f, int at)
{
	const int y = at / f->stride - 1, x = at % f->stride - 1;
	for (int v = y; v <= y + 2; v++)
		if (!f->row_known[v])
			know_row(f, v - 1);
	const float *cost = f->cost + at, *above = cost + f->stride, *below = cost - f->stride;
	const float g = f->to_go[at], here = cost[0];
	const float straight = 0.5f * (float)f->block, slant = 0.70710678f * (float)f->block;
	const bool e = cost[1] > 0.0f, o = cost[-1] > 0.0f, n = above[0] > 0.0f, s = below[0] > 0.0f;
	if (e)
		relax(f, at, x, y, 1, 0, g + straight * (here + cost[1]));
	if (o)
		relax(f, at, x, y, -1, 0, g + straight * (here + cost[-1]));
	if (n)
		relax(f, at, x, y, 0, 1, g + straight * (here + above[0]));
	if (s)
		relax(f, at, x, y, 0, -1, g + straight * (here + below[0]));
	if (o && s && below[-1] > 0.0f)
		relax(f, at, x, y, -1, -1, g + slant * (here + below[-1]));
	if (e && s && below[1] > 0.0f)
		relax(f, at, x, y, 1, -1, g + slant * (here + below[1]));
	if (o && n && above[-1] > 0.0f)
		relax(f, at, x, y, -1, 1, g + slant * (here + above[-1]));
	if (e && n && above[1] > 0.0f)
		relax(f, at, x, y, 1, 1, g + slant * (here + above[1]));
}

/* Empties the bucket in hand and moves on. Without an aim steps from it land in later buckets, because none
 * costs less than one. */
static void next_bucket(struct cairn_cost_field *f)
{
	int32_t *head = &f->bucket[f->current % CAIRN_FIELD_BUCKETS];
	while (*head >= 0) {
		int32_t at = *head;
		take_out(f, at);
		expand(f, at);
	}
	f->current++;
}

float cairn_cost_field_reach(struct cairn_cost_field *f, int block)
{
	while (f->waiting > 0 && !cairn_cost_field_final(f, block))
		next_bucket(f);
	return f->to_go[block];
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
