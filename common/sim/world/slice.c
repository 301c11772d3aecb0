#include "common/sim/world/slice.h"

#include <stdlib.h>
#include <string.h>

#include "common/sim/world/world_private.h"

#define BUNCH 8    /* edges that follow each other, at most */
#define FAN_MAX 80 /* rays, a multiple of BLOCK, looked at together */
#define BLOCK 4    /* rays tried at once */
#define BLOCKS (FAN_MAX / BLOCK)
#define SHELVES 64   /* bunches are sorted by distance into so many */
#define SLACK_M 1e-3 /* more than single precision loses */
#define BEYOND_M                                                                                             \
	2e-5           /* an edge is met so far beyond its ends: a millionth of its length (cairn_ray_edge)  \
			*/
#define FAN_COSINE 0.5 /* no ray of a fan is farther from the middle one than this */

typedef double double4 __attribute__((vector_size(8 * BLOCK)));
typedef int64_t choice4
    __attribute__((vector_size(8 * BLOCK))); /* what comparing them gives: all bits, or none */

struct slice_edge {
	float ax_m, ay_m, dx_m, dy_m; /* d: from a to b */
};

/* Edges first .. first + count and a circle around them. */
struct slice_bunch {
	uint32_t first, count;
};

struct cairn_slice {
	struct slice_edge *edges;
	struct slice_bunch *bunches;
	float *x_m, *y_m,
	    *radius_m; /* of the bunches' circles, each in an array of its own: looked at in one go */
	uint32_t edge_count, bunch_count;
	/* Scratch of a cast: the distance to each circle, the bunches in reach, and those by distance. */
	float *near_m;
	uint32_t *found, *order;
};

/* ---- making ---- */

static bool is_cut(const struct cairn_edge *e, double z_m, bool through_glass)
{
	return !(e->z0_m > z_m || e->z1_m < z_m || (through_glass && e->glass != 0));
}

static void enclose(struct cairn_slice *s, uint32_t bunch)
{
	float x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
	const struct slice_edge *e = &s->edges[s->bunches[bunch].first];
	for (uint32_t i = 0; i < s->bunches[bunch].count; i++, e++) {
		float bx = e->ax_m + e->dx_m, by = e->ay_m + e->dy_m;
		x0 = fminf(x0, fminf(e->ax_m, bx));
		x1 = fmaxf(x1, fmaxf(e->ax_m, bx));
		y0 = fminf(y0, fminf(e->ay_m, by));
		y1 = fmaxf(y1, fmaxf(e->ay_m, by));
	}
	s->x_m[bunch] = 0.5f * (x0 + x1);
	s->y_m[bunch] = 0.5f * (y0 + y1);
	s->radius_m[bunch] = 0.5f * hypotf(x1 - x0, y1 - y0) + (float)SLACK_M;
}

/* Edges of one solid lie beside each other in the world's array, and so they stay. */
static void take_edges(struct cairn_slice *s, const struct cairn_world *world, double z_m, bool through_glass)
{
	uint32_t solid = UINT32_MAX;
	for (uint32_t i = 0; i < world->edge_count; i++) {
		const struct cairn_edge *e = &world->edges[i];
		if (!is_cut(e, z_m, through_glass) || world->solids[e->solid].unfelt)
			continue;
		if (s->bunch_count == 0 || e->solid != solid || s->bunches[s->bunch_count - 1].count == BUNCH)
			s->bunches[s->bunch_count++] = (struct slice_bunch){s->edge_count, 0};
		solid = e->solid;
		s->bunches[s->bunch_count - 1].count++;
		s->edges[s->edge_count++] =
		    (struct slice_edge){e->ax_m, e->ay_m, e->bx_m - e->ax_m, e->by_m - e->ay_m};
	}
	for (uint32_t i = 0; i < s->bunch_count; i++)
		enclose(s, i);
}

struct cairn_slice *cairn_slice_new(const struct cairn_world *world, double z_m, bool through_glass)
{
	struct cairn_slice *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	size_t n = world->edge_count + 1; /* of either, at most */
	s->edges = malloc(n * sizeof(*s->edges));
	s->bunches = malloc(n * sizeof(*s->bunches));
	s->x_m = malloc(n * sizeof(*s->x_m));
	s->y_m = malloc(n * sizeof(*s->y_m));
	s->radius_m = malloc(n * sizeof(*s->radius_m));
	s->near_m = malloc(n * sizeof(*s->near_m));
	s->found = malloc(n * sizeof(*s->found));
	s->order = malloc(n * sizeof(*s->order));
	if (s->edges == NULL || s->bunches == NULL || s->x_m == NULL || s->y_m == NULL ||
	    s->radius_m == NULL || s->near_m == NULL || s->found == NULL || s->order == NULL)
		cairn_slice_destroy(&s);
	else
		take_edges(s, world, z_m, through_glass);
	return s;
}

void cairn_slice_destroy(struct cairn_slice **slice_p)
{
	struct cairn_slice *s = *slice_p;
	*slice_p = NULL;
	if (s == NULL)
		return;
	free(s->edges);
	free(s->bunches);
	free(s->x_m);
	free(s->y_m);
	free(s->radius_m);
	free(s->near_m);
	free(s->found);
	free(s->order);
	free(s);
}

/* ---- the fan ---- */

/* Rays in a frame of their own: ahead along the middle one, aside to the hand they turn to, from where it
 * begins. Slopes are aside by ahead. The last ray is there as often as fills its block. */
struct fan {
	double4 x_m[BLOCKS], y_m[BLOCKS], dx[BLOCKS], dy[BLOCKS], range_m[BLOCKS];
	double from_x_m, from_y_m, ahead_x, ahead_y, aside_x, aside_y;
	double spread_m; /* no ray begins farther from the middle one's beginning; edges' beyond included */
	double cosine, sine, tan; /* of the angle from the middle one that none leaves */
	double first[BLOCKS],
	    last[BLOCKS];     /* slope of each block's first and last ray; INFINITY: it has none */
	double far_m[BLOCKS]; /* longest range of each block by now */
};

static void take_axis(double4 into[BLOCKS], const double *from, size_t count)
{
	double all[FAN_MAX];
	memcpy(all, from, count * sizeof(*all));
	for (size_t i = count; i % BLOCK != 0; i++)
		all[i] = all[count - 1];
	memcpy(into, all, (count + BLOCK - 1) / BLOCK * sizeof(*into));
}

static void take_rays(struct fan *f, size_t count, struct cairn_slice_rays rays, double max_m)
{
	take_axis(f->x_m, rays.x_m, count);
	take_axis(f->y_m, rays.y_m, count);
	take_axis(f->dx, rays.dx, count);
	take_axis(f->dy, rays.dy, count);
	for (size_t i = 0; i < BLOCKS; i++) {
		f->range_m[i] = (double4){max_m, max_m, max_m, max_m};
		f->far_m[i] = max_m;
	}
}

/* False when the rays are none: they turn to and fro, or too far. */
static bool lay_out(struct fan *f, size_t count, struct cairn_slice_rays rays)
{
	double slope[FAN_MAX], least = 1.0, spread2 = 0.0;
	size_t mid = count / 2, bends = 0;
	double mx = rays.dx[mid], my = rays.dy[mid],
	       hand = mx * rays.dy[count - 1] - my * rays.dx[count - 1] < 0.0 ? -1.0 : 1.0;
	f->from_x_m = rays.x_m[mid];
	f->from_y_m = rays.y_m[mid];
	f->ahead_x = mx;
	f->ahead_y = my;
	f->aside_x = -my * hand;
	f->aside_y = mx * hand;
	for (size_t i = 0; i < count; i++) {
		double ahead = rays.dx[i] * mx + rays.dy[i] * my,
		       aside = rays.dx[i] * f->aside_x + rays.dy[i] * f->aside_y;
		double x = rays.x_m[i] - f->from_x_m, y = rays.y_m[i] - f->from_y_m;
		least = cairn_smaller(least, ahead);
		spread2 = cairn_larger(spread2, x * x + y * y);
		slope[i] = aside / ahead;
	}
	for (size_t i = 1; i < count; i++)
		bends += slope[i] < slope[i - 1];
	for (size_t i = 0; i < BLOCKS; i++) {
		size_t end = BLOCK * i + BLOCK - 1;
		f->first[i] = BLOCK * i < count ? slope[BLOCK * i] : INFINITY;
		f->last[i] = BLOCK * i < count ? slope[end < count ? end : count - 1] : INFINITY;
	}
	f->spread_m = sqrt(spread2) + BEYOND_M;
	f->tan = cairn_larger(fabs(slope[0]), fabs(slope[count - 1]));
	f->cosine = 1.0 / sqrt(1.0 + f->tan * f->tan);
	f->sine = f->tan * f->cosine;
	return least >= FAN_COSINE && bends == 0;
}

/* ---- which bunches ---- */

/* Distances to the bunches' circles; INFINITY where one is out of reach or beside the fan. */
static void measure_bunches(struct cairn_slice *s, const struct fan *f, double max_m)
{
	const float ox = (float)f->from_x_m, oy = (float)f->from_y_m, mx = (float)f->ahead_x,
		    my = (float)f->ahead_y;
	const float c = (float)f->cosine, sn = (float)f->sine, wide = (float)(f->spread_m + SLACK_M);
	const float end = (float)max_m + wide;
	for (uint32_t i = 0; i < s->bunch_count; i++) {
		float x = s->x_m[i] - ox, y = s->y_m[i] - oy, radius = s->radius_m[i] + wide;
		float ahead = x * mx + y * my, aside = fabsf(y * mx - x * my),
		      near = sqrtf(x * x + y * y) - radius;
		bool out = (aside * c - ahead * sn > radius) | (near > end);
		s->near_m[i] = out ? INFINITY : near;
	}
}

static uint32_t shelf_of(float near_m, float per_m)
{
	float shelf = near_m * per_m;
	return shelf > 0.0f ? (shelf < SHELVES - 1 ? (uint32_t)shelf : SHELVES - 1) : 0;
}

/* The bunches in reach into s->order, by shelves; how many they are. */
static uint32_t sort_bunches(struct cairn_slice *s, double max_m)
{
	uint32_t at[SHELVES + 1] = {0}, count = 0;
	const float per_m = (float)(SHELVES / max_m);
	for (uint32_t i = 0; i < s->bunch_count; i++) {
		s->found[count] = i;
		count += s->near_m[i] < INFINITY;
	}
	for (uint32_t i = 0; i < count; i++)
		at[shelf_of(s->near_m[s->found[i]], per_m) + 1]++;
	for (uint32_t i = 0; i < SHELVES; i++)
		at[i + 1] += at[i];
	for (uint32_t i = 0; i < count; i++)
		s->order[at[shelf_of(s->near_m[s->found[i]], per_m)]++] = s->found[i];
	return count;
}

/* ---- which rays ---- */

/* Slopes of the rays that may meet something, and how far they go at least before they do. */
struct stretch {
	double low, high, near_m;
};

static const struct stretch none = {1.0, -1.0, INFINITY}, all = {-1e30, 1e30, 0.0};

/* Adds the slopes at which a point is seen by rays from anywhere within spread_m: seen from a place off by e,
 * the slope s at ahead_m is off by e (1 + |s|) / (ahead_m - e), and ahead_m is at least four times e. */
static inline void widen(struct stretch *t, double ahead_m, double aside_m, double spread_m)
{
	double by = 1.0 / ahead_m, slope = aside_m * by,
	       off = 4.0 / 3.0 * spread_m * by * (1.0 + fabs(slope));
	t->low = cairn_smaller(t->low, slope - off);
	t->high = cairn_larger(t->high, slope + off);
	t->near_m = cairn_smaller(t->near_m, ahead_m - spread_m);
}

/* An edge as seen from where the fan begins; an end that lies behind is cut off, unless the edge passes so
 * near that a ray may meet just what was cut. */
static inline struct stretch see_edge(const struct fan *f, const struct slice_edge *e)
{
	double x = e->ax_m - f->from_x_m, y = e->ay_m - f->from_y_m, near_m = 4.0 * f->spread_m;
	double ahead = x * f->ahead_x + y * f->ahead_y, aside = x * f->aside_x + y * f->aside_y;
	double on = e->dx_m * f->ahead_x + e->dy_m * f->ahead_y,
	       off = e->dx_m * f->aside_x + e->dy_m * f->aside_y;
	double end_ahead = ahead + on, end_aside = aside + off;
	struct stretch t = {INFINITY, -INFINITY, INFINITY};
	if (ahead < near_m || end_ahead < near_m) {
		bool behind = ahead < near_m && end_ahead < near_m;
		/* What any ray passes before it is near_m ahead lies no farther aside than this. */
		double wide_m = f->spread_m + (near_m + f->spread_m) * f->tan;
		double cut = behind ? 0.0 : aside + (near_m - ahead) / on * off;
		double a = ahead < near_m ? aside : cut, b = end_ahead < near_m ? end_aside : cut;
		if (ahead < -f->spread_m && end_ahead < -f->spread_m)
			return none;
		if (cairn_smaller(a, b) <= wide_m && cairn_larger(a, b) >= -wide_m)
			return all;
		if (behind)
			return none;
		aside = ahead < near_m ? cut : aside;
		end_aside = end_ahead < near_m ? cut : end_aside;
		ahead = cairn_larger(ahead, near_m);
		end_ahead = cairn_larger(end_ahead, near_m);
	}
	widen(&t, ahead, aside, f->spread_m);
	widen(&t, end_ahead, end_aside, f->spread_m);
	return t;
}

/* A bunch's circle: of the square around it the four corners. */
static inline struct stretch see_bunch(const struct cairn_slice *s, const struct fan *f, uint32_t bunch)
{
	double x = (double)s->x_m[bunch] - f->from_x_m, y = (double)s->y_m[bunch] - f->from_y_m;
	double ahead = x * f->ahead_x + y * f->ahead_y, aside = x * f->aside_x + y * f->aside_y;
	double radius = (double)s->radius_m[bunch], first = ahead - radius;
	struct stretch t = {INFINITY, -INFINITY, INFINITY};
	if (first < 4.0 * f->spread_m)
		return all;
	/* The slope farthest to a hand is that of a corner on this hand: the nearer one, if it is beyond the
	 * middle. */
	widen(&t, aside - radius < 0.0 ? first : ahead + radius, aside - radius, f->spread_m);
	widen(&t, aside + radius > 0.0 ? first : ahead + radius, aside + radius, f->spread_m);
	t.near_m = cairn_larger((double)s->near_m[bunch], first - f->spread_m);
	return t;
}

/* ---- casting ---- */

/* What cairn_ray_edge says of each of the four, operation by operation. */
static inline void try_block(struct fan *f, size_t block, const struct slice_edge *e)
{
	const double ex = e->dx_m, ey = e->dy_m, least = 1e-12;
	const double4 dx = f->dx[block], dy = f->dy[block], range = f->range_m[block];
	const double4 det = ex * dy - ey * dx, ox = f->x_m[block] - e->ax_m, oy = f->y_m[block] - e->ay_m;
	const double4 u = (ox * dy - oy * dx) / det, at = (ey * ox - ex * oy) / det;
	const choice4 met = ((det >= least) | (det <= -least)) & (u >= -1e-6) & (u <= 1.0 + 1e-6) &
			    (at >= 0.0) & (at < range);
	const double4 now = (double4)(((choice4)at & met) | ((choice4)range & ~met));
	f->range_m[block] = now;
	f->far_m[block] = cairn_larger(cairn_larger(now[0], now[1]), cairn_larger(now[2], now[3]));
}

static void try_edge(struct fan *f, const struct slice_edge *e, double bunch_near_m)
{
	int64_t from = 0, to = 0;
	struct stretch t = see_edge(f, e);
	double near_m = cairn_larger(t.near_m, bunch_near_m);
	for (size_t i = 0; i < BLOCKS; i++) {
		from += f->last[i] < t.low;
		to += f->first[i] <= t.high;
	}
	for (int64_t i = from; i < to; i++)
		if (f->far_m[i] >= near_m)
			try_block(f, (size_t)i, e);
}

/* Whether all rays that come by the bunch have met something before. */
static bool is_hidden(const struct cairn_slice *s, const struct fan *f, uint32_t bunch)
{
	struct stretch t = see_bunch(s, f, bunch);
	int64_t open = 0;
	for (size_t i = 0; i < BLOCKS; i++)
		open += (f->last[i] >= t.low) & (f->first[i] <= t.high) & (f->far_m[i] >= t.near_m);
	return open == 0;
}

static void cast_some(
    struct cairn_slice *s, size_t count, struct cairn_slice_rays rays, double max_m, double *ret_range_m)
{
	struct fan f;
	take_rays(&f, count, rays, max_m);
	if (!lay_out(&f, count, rays)) {
		if (count <= 1) { /* a ray that leads nowhere: its direction is 0, or no number */
			for (size_t i = 0; i < count; i++)
				ret_range_m[i] = max_m;
			return;
		}
		size_t half = count / 2;
		struct cairn_slice_rays rest = {
		    rays.x_m + half, rays.y_m + half, rays.dx + half, rays.dy + half};
		cast_some(s, half, rays, max_m, ret_range_m);
		cast_some(s, count - half, rest, max_m, ret_range_m + half);
		return;
	}
	measure_bunches(s, &f, max_m);
	uint32_t in_reach = sort_bunches(s, max_m);
	for (uint32_t i = 0; i < in_reach; i++) {
		const struct slice_bunch *b = &s->bunches[s->order[i]];
		if (is_hidden(s, &f, s->order[i]))
			continue;
		double near_m = (double)s->near_m[s->order[i]];
		for (const struct slice_edge *e = &s->edges[b->first], *end = e + b->count; e < end; e++)
			try_edge(&f, e, near_m);
	}
	memcpy(ret_range_m, f.range_m, count * sizeof(double));
}

void cairn_slice_cast(
    struct cairn_slice *s, size_t count, struct cairn_slice_rays rays, double max_m, double *ret_range_m)
{
	for (size_t i = 0; i < count; i += FAN_MAX) {
		struct cairn_slice_rays some = {rays.x_m + i, rays.y_m + i, rays.dx + i, rays.dy + i};
		cast_some(s, count - i < FAN_MAX ? count - i : FAN_MAX, some, max_m, ret_range_m + i);
	}
}
