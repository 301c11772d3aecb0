#include "common/slam/scan_matcher_private.h"

#include "common/base/prefault.h"

#include <stdlib.h>
#include <string.h>

#define POINTS_MIN 20
#define SEARCH_POINTS 160
#define ROTATIONS_MAX 513
#define ROOTS_MAX 65536
#define WINDOW_MAX 400 /* cells */
#define NODES_MAX 60000
#define HASH_BITS 12
#define NOTHING (-1e9F) /* a bound of no use */
#define GLANCE 32       /* points looked at before the next doubt */

/* Being away from the prediction costs score, but never more than a clearly better place gains. */
#define PRIOR_WEIGHT 0.005
#define PRIOR_COST_MAX 0.10

struct node {
	float bound;
	int16_t rotation;
	int16_t dx, dy; /* cells; the node covers dx .. dx + 2^level - 1 */
};

struct square {
	uint32_t key, at; /* 0: none */
};

struct sum {
	double x_m, y_m, face_x, face_y;
	uint32_t count;
};

struct cairn_matcher {
	struct cairn_match_points points;
	struct sum sums[CAIRN_MATCH_POINTS];
	int32_t index[ROTATIONS_MAX][SEARCH_POINTS]; /* array cell of each search point, by rotation */
	uint16_t index_count[ROTATIONS_MAX]; /* those that stay inside the arrays all over the window */
	struct node roots[ROOTS_MAX];
	struct square seen[1u << HASH_BITS];
};

struct search {
	struct cairn_matcher *m;
	const struct cairn_likelihood_field *field;
	const struct cairn_match_request *request;
	double cell_m, step_rad;
	int rotations; /* in all; the middle one is the prediction's */
	int window;    /* cells to each side */
	double inv_points;
	uint32_t nodes;
	struct node best;
};

struct cairn_matcher *cairn_matcher_new(void)
{
	struct cairn_matcher *m = calloc(1, sizeof(*m));
	if (m != NULL)
		cairn_prefault_touch(m, sizeof(*m)); /* or it would grow with the widest search so far */
	return m;
}

void cairn_matcher_destroy(struct cairn_matcher **matcher_p)
{
	free(*matcher_p);
	*matcher_p = NULL;
}

/* One point a square of thin_m, so that near walls do not outvote far ones: the mean of its returns. (To take
 * the first of them instead would turn the scan: which one is first depends on the noise, and the LiDAR turns
 * one way.) False when they do not fit. */
static bool thin(struct cairn_matcher *m, const struct cairn_rays *rays, double thin_m)
{
	struct cairn_match_points *out = &m->points;
	memset(m->seen, 0, sizeof(m->seen));
	out->count = 0;
	for (size_t i = 0; i < rays->count; i++) {
		if (!rays->hit[i])
			continue;
		int32_t cx = (int32_t)floor((double)rays->x_m[i] / thin_m);
		int32_t cy = (int32_t)floor((double)rays->y_m[i] / thin_m);
		uint32_t key = (((uint32_t)cx & 0xFFFFu) << 16 | ((uint32_t)cy & 0xFFFFu)) + 1u;
		struct square *square = &m->seen[(key * 2654435761u) >> (32 - HASH_BITS)];
		if (square->key != key) {
			if (out->count == CAIRN_MATCH_POINTS)
				return false;
			*square = (struct square){key, (uint32_t)out->count};
			m->sums[out->count++] = (struct sum){0};
		}
		struct sum *sum = &m->sums[square->at];
		sum->x_m += (double)rays->x_m[i];
		sum->y_m += (double)rays->y_m[i];
		sum->face_x += (double)rays->face_x[i];
		sum->face_y += (double)rays->face_y[i];
		sum->count++;
	}
	for (size_t i = 0; i < out->count; i++) {
		const struct sum *sum = &m->sums[i];
		double k = 1.0 / sum->count, f = 1.0 / fmax(hypot(sum->face_x, sum->face_y), 1e-6);
		out->x_m[i] = (float)(sum->x_m * k);
		out->y_m[i] = (float)(sum->y_m * k);
		out->face_x[i] = (float)(sum->face_x * f);
		out->face_y[i] = (float)(sum->face_y * f);
	}
	return true;
}

/* A rotation step moves a far point by about a cell. */
static double rotation_step(const struct cairn_match_points *points, double cell_m)
{
	double sum2 = 0.0;
	for (size_t i = 0; i < points->count; i++)
		sum2 += (double)(points->x_m[i] * points->x_m[i] + points->y_m[i] * points->y_m[i]);
	double far_m = 1.5 * sqrt(sum2 / (double)points->count);
	return cairn_clamp(cell_m / fmax(far_m, 0.1), 0.005, 0.03);
}

/* Array cells of the search points for every rotation. Points that could leave the arrays are left out; they
 * count as misses. */
static void rotate_points(struct search *s)
{
	const struct cairn_match_points *points = &s->m->points;
	const struct cairn_likelihood_field *f = s->field;
	size_t n = points->count < SEARCH_POINTS ? points->count : SEARCH_POINTS;
	double inv = 1.0 / s->cell_m;
	double tx = s->request->predicted.x_m * inv - f->cx0, ty = s->request->predicted.y_m * inv - f->cy0;
	int32_t low = s->window, room = s->window + (1 << (f->levels - 1));
	double px[SEARCH_POINTS], py[SEARCH_POINTS];
	for (size_t i = 0; i < n; i++) {
		px[i] = (double)points->x_m[i * points->count / n];
		py[i] = (double)points->y_m[i * points->count / n];
	}
	double end_x = f->width - room, end_y = f->height - room;
	s->inv_points = 1.0 / (255.0 * (double)n);
	for (int r = 0; r < s->rotations; r++) {
		double yaw = s->request->predicted.yaw_rad + (r - s->rotations / 2) * s->step_rad;
		double c = cos(yaw) * inv, sn = sin(yaw) * inv;
		uint16_t kept = 0;
		for (size_t i = 0; i < n; i++) {
			double x = tx + c * px[i] - sn * py[i], y = ty + sn * px[i] + c * py[i];
			bool stays = (x >= low) & (y >= low) & (x < end_x) & (y < end_y);
			s->m->index[r][kept] = (int32_t)y * f->width + (int32_t)x;
			kept = (uint16_t)(kept + stays);
		}
		s->m->index_count[r] = kept;
	}
}

/* Distance of the nearest cell of [at, at + size) to 0. */
static double nearest_to_zero(int at, int size)
{
	return at > 0 ? at : at + size - 1 < 0 ? -(at + size - 1) : 0;
}

static double prior_cost(const struct search *s, const struct node *node, int level)
{
	int size = 1 << level;
	double dx = nearest_to_zero(node->dx, size) * s->cell_m,
	       dy = nearest_to_zero(node->dy, size) * s->cell_m;
	double dr = (node->rotation - s->rotations / 2) * s->step_rad;
	double xy = s->request->prior_xy_m, yaw = s->request->prior_yaw_rad;
	double cost = PRIOR_WEIGHT * ((dx * dx + dy * dy) / (xy * xy) + dr * dr / (yaw * yaw));
	return cost < PRIOR_COST_MAX ? cost : PRIOR_COST_MAX;
}

/* Bounds the score of the node's places from above; NOTHING for one that cannot be better than the best found
 * so far, which a part of its points already tells of most. */
static void bound_node(struct search *s, struct node *node, int level)
{
	const uint8_t *field = s->field->level[level] + (ptrdiff_t)node->dy * s->field->width + node->dx;
	const int32_t *index = s->m->index[node->rotation];
	const double cost = prior_cost(s, node, level);
	/* In doubt of the last digits: go on. */
	const double least = ((double)s->best.bound + cost) / s->inv_points - 2.0;
	const int n = s->m->index_count[node->rotation];
	uint32_t sum = 0;
	s->nodes++;
	node->bound = NOTHING;
	for (int from = 0, to; from < n; from = to) {
		to = from + GLANCE < n ? from + GLANCE : n;
		for (int i = from; i < to; i++)
			sum += field[index[i]];
		if (sum + 255.0 * (n - to) < least)
			return;
	}
	node->bound = (float)(sum * s->inv_points - cost);
}

/* Is a looked at before b? Equals go in the order they were made in. */
static bool before(const struct node *a, const struct node *b)
{
	if (a->bound > b->bound || a->bound < b->bound)
		return a->bound > b->bound;
	if (a->rotation != b->rotation)
		return a->rotation < b->rotation;
	return a->dy != b->dy ? a->dy < b->dy : a->dx < b->dx;
}

/* Lets the node at a place of a heap, whose first is looked at first, sink to where it belongs. */
static void sink(struct node *heap, int count, int at)
{
	struct node node = heap[at];
	for (int child = 2 * at + 1; child < count; child = 2 * at + 1) {
		child += child + 1 < count && before(&heap[child + 1], &heap[child]);
		if (!before(&heap[child], &node))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = node;
}

static void descend(struct search *s, const struct node *node, int level)
{
	if (level == 0) {
		s->best = *node;
		return;
	}
	int half = 1 << (level - 1), count = 0;
	struct node child[4];
	for (int k = 0; k < 4; k++) {
		struct node c = *node;
		c.dx = (int16_t)(c.dx + (k & 1) * half);
		c.dy = (int16_t)(c.dy + (k >> 1) * half);
		if (c.dx > s->window || c.dy > s->window)
			continue;
		bound_node(s, &c, level - 1);
		if (c.bound > s->best.bound)
			child[count++] = c;
	}
	for (int i = 1; i < count; i++) {
		struct node c = child[i];
		int k = i;
		for (; k > 0 && child[k - 1].bound < c.bound; k--)
			child[k] = child[k - 1];
		child[k] = c;
	}
	for (int i = 0; i < count && child[i].bound > s->best.bound && s->nodes < NODES_MAX; i++)
		descend(s, &child[i], level - 1);
}

/* The best of the roots first, for as long as one may still be better than what was found. Mostly few are
 * looked at, and to sort all of them would take memory. */
static void descend_roots(struct search *s, int count, int level)
{
	struct node *roots = s->m->roots;
	for (int i = count / 2; i-- > 0;)
		sink(roots, count, i);
	while (count > 0 && roots[0].bound > s->best.bound && s->nodes < NODES_MAX) {
		struct node root = roots[0];
		roots[0] = roots[--count];
		if (count > 0)
			sink(roots, count, 0);
		descend(s, &root, level);
	}
}

/* Climbs from the prediction to the next hilltop: a good lower bound prunes nearly everything. */
static void climb(struct search *s)
{
	struct node at = {.rotation = (int16_t)(s->rotations / 2)};
	s->best.bound = NOTHING;
	bound_node(s, &at, 0);
	s->best = at;
	for (int step = 0; step < 40; step++) {
		at = s->best;
		for (int k = 0; k < 6; k++) {
			struct node next = at;
			next.dx = (int16_t)(next.dx + (k == 0) - (k == 1));
			next.dy = (int16_t)(next.dy + (k == 2) - (k == 3));
			next.rotation = (int16_t)(next.rotation + (k == 4) - (k == 5));
			if (abs(next.dx) > s->window || abs(next.dy) > s->window || next.rotation < 0 ||
			    next.rotation >= s->rotations)
				continue;
			bound_node(s, &next, 0);
			if (next.bound > s->best.bound)
				s->best = next;
		}
		if (s->best.bound <= at.bound)
			return;
	}
}

static void branch_and_bound(struct search *s)
{
	int span = 2 * s->window + 1, level = 0;
	while (level < s->field->levels - 1 && ((span + (1 << level) - 1) >> level) > 4)
		level++;
	int size = 1 << level, side = (span + size - 1) / size, count = 0;
	for (int r = 0; r < s->rotations; r++) {
		for (int k = 0; k < side * side && count < ROOTS_MAX; k++) {
			struct node *node = &s->m->roots[count];
			*node = (struct node){.rotation = (int16_t)r,
			    .dx = (int16_t)(k % side * size - s->window),
			    .dy = (int16_t)(k / side * size - s->window)};
			bound_node(s, node, level);
			count += node->bound > s->best.bound;
		}
	}
	uint32_t rooted = s->nodes;
	s->nodes = 0;
	descend_roots(s, count, level);
	s->nodes += rooted;
}

/* The best place on the lattice of cells and rotation steps. */
static struct cairn_pose2 search_window(struct search *s, struct cairn_match *ret)
{
	const struct cairn_match_request *q = s->request;
	/* A window so wide that the roots would not fit gets wider rotation steps. */
	s->step_rad = rotation_step(&s->m->points, s->cell_m);
	s->window = (int)ceil(q->window_m / s->cell_m);
	s->window = s->window < WINDOW_MAX ? s->window : WINDOW_MAX;
	int size = 1 << (s->field->levels - 1), side = (2 * s->window + size) / size;
	int most = ROOTS_MAX / (side > 4 ? side * side : 16);
	most = (most < ROTATIONS_MAX ? most : ROTATIONS_MAX) - 1;
	int half = (int)ceil(q->window_rad / s->step_rad);
	if (half > most / 2) {
		half = most / 2;
		s->step_rad = q->window_rad / half;
	}
	s->rotations = 2 * half + 1;
	rotate_points(s);
	climb(s);
	if (s->best.bound < (float)q->score_min)
		s->best.bound = (float)q->score_min;
	branch_and_bound(s);
	ret->nodes = s->nodes;
	ret->truncated = s->nodes >= NODES_MAX;
	return (struct cairn_pose2){q->predicted.x_m + s->best.dx * s->cell_m,
	    q->predicted.y_m + s->best.dy * s->cell_m,
	    cairn_wrap_rad(q->predicted.yaw_rad + (s->best.rotation - s->rotations / 2) * s->step_rad)};
}

bool cairn_match_scan(struct cairn_matcher *matcher, const struct cairn_grid *grid,
    const struct cairn_likelihood_field *field, const struct cairn_rays *rays,
    const struct cairn_match_request *request, struct cairn_match *ret)
{
	*ret = (struct cairn_match){.pose = request->predicted,
	    .sigma_xy_m = request->prior_xy_m,
	    .sigma_yaw_rad = request->prior_yaw_rad};
	double thin_m = grid->cell_m;
	while (!thin(matcher, rays, thin_m))
		thin_m *= 1.5;
	if (matcher->points.count < POINTS_MIN || grid->occupied_cells == 0 || field->level[0] == NULL ||
	    field->layout != grid->layout)
		return false;
	struct cairn_pose2 start = request->predicted;
	if (request->window_m > 0.0) {
		struct search s = {.m = matcher, .field = field, .request = request, .cell_m = grid->cell_m};
		start = search_window(&s, ret);
	}
	ret->pose = start;
	cairn_match_judge(grid, field, &matcher->points, ret);
	struct cairn_match fine = *ret;
	if (cairn_match_refine(grid, &matcher->points, request, start, &fine)) {
		cairn_match_weigh(grid, field, &matcher->points, request, &fine);
		cairn_match_judge(grid, field, &matcher->points, &fine);
		if (fine.score >= ret->score - 0.1)
			*ret = fine;
	}
	return true;
}
