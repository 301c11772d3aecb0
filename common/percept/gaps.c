#include "common/percept/gaps.h"

#include <math.h>
#include <string.h>

#define EDGES_MAX 64
#define NEIGHBOUR_MAX_RAD (6.0 * M_PI / 180.0)

struct points {
	const struct cairn_polar *polar;
	float x_m[CAIRN_POINTS_MAX], y_m[CAIRN_POINTS_MAX]; /* from the LiDAR, axes of the robot */
};

struct opening {
	uint32_t a, b; /* indices of its two sides */
	double width_m;
};

static uint32_t step(const struct cairn_polar *polar, uint32_t at, int by)
{
	return (uint32_t)(((int64_t)at + by + polar->count) % polar->count);
}

/* Clockwise turn from one return to another, 0..2 pi. */
static double turn_rad(const struct cairn_polar *polar, uint32_t from, uint32_t to)
{
	double turn = (double)polar->angle_rad[from] - (double)polar->angle_rad[to];
	if (turn < 0.0)
		turn += 2.0 * M_PI;
	if (turn < 0.0 || turn >= 2.0 * M_PI) { /* angles beyond one turn */
		turn = fmod(turn, 2.0 * M_PI);
		if (turn < 0.0)
			turn += 2.0 * M_PI;
	}
	return turn;
}

/* True when the jump from near to far is no more than the straight surface through near and the returns
 * before it (on the side away from far) leads to expect. In polar form a straight line has 1 / r = a cos(t) +
 * b sin(t), so that two returns give its range in any direction. Several base lines must agree, since a
 * single return on an edge is often a mixture of near and far. way: +1 when far follows near clockwise. */
static bool along_surface(
    const struct cairn_polar *polar, uint32_t near, uint32_t far, int way, double jump_m)
{
	int agree = 0;
	for (int k = 1; k <= 3; k++) {
		uint32_t base = step(polar, near, -way * k);
		double back = way > 0 ? turn_rad(polar, base, near) : turn_rad(polar, near, base);
		double ahead = way > 0 ? turn_rad(polar, near, far) : turn_rad(polar, far, near);
		if (base == far || back < 1e-6 || back > k * NEIGHBOUR_MAX_RAD)
			return false;
		double u = (sin(back + ahead) / polar->range_m[near] - sin(ahead) / polar->range_m[base]) /
			   sin(back);
		if (u > 0.0 && polar->range_m[far] - 1.0 / u > jump_m)
			return false;
		agree++;
	}
	return agree == 3;
}

/* How many returns after the edge, on its open side, lie within 180 degrees: they are in order, so halving
 * finds it. */
static uint32_t count_within_half_turn(const struct cairn_polar *polar, uint32_t edge, int way)
{
	uint32_t low = 0, high = polar->count - 1;
	while (low < high) {
		uint32_t mid = (low + high + 1) / 2, at = step(polar, edge, way * (int)mid);
		double turn = way > 0 ? turn_rad(polar, edge, at) : turn_rad(polar, at, edge);
		if (turn < M_PI)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

/* Closest to the edge among the returns [begin, end). */
static void closest_in(
    const struct points *pts, uint32_t edge, uint32_t begin, uint32_t end, uint32_t *at, float *best)
{
	float x = pts->x_m[edge], y = pts->y_m[edge];
	for (uint32_t i = begin; i < end; i++) {
		float dx = pts->x_m[i] - x, dy = pts->y_m[i] - y, d2 = dx * dx + dy * dy;
		if (d2 < *best) {
			*best = d2;
			*at = i;
		}
	}
}

/* The return closest to the edge on its open side; false when there is none within 180 degrees. */
static bool opposite_side(const struct points *pts, uint32_t edge, int way, struct opening *ret)
{
	uint32_t count = pts->polar->count, n = count_within_half_turn(pts->polar, edge, way);
	uint32_t at = edge;
	float best = INFINITY;
	if (way > 0) {
		uint32_t end = edge + 1 + n;
		closest_in(pts, edge, edge + 1, end < count ? end : count, &at, &best);
		if (end > count)
			closest_in(pts, edge, 0, end - count, &at, &best);
	} else {
		closest_in(pts, edge, edge > n ? edge - n : 0, edge, &at, &best);
		if (n > edge)
			closest_in(pts, edge, count - (n - edge), count, &at, &best);
	}
	*ret = (struct opening){.a = edge, .b = at, .width_m = sqrt((double)best)};
	return isfinite(best);
}

/* Keeps one of two openings that share a side. */
static int add_opening(struct opening *list, int count, struct opening found)
{
	int kept = 0;
	bool add = true;
	for (int i = 0; i < count; i++) {
		struct opening o = list[i];
		bool shared = o.a == found.a || o.a == found.b || o.b == found.a || o.b == found.b;
		if (shared && o.width_m <= found.width_m)
			add = false;
		if (!shared || o.width_m <= found.width_m)
			list[kept++] = o;
	}
	if (add)
		list[kept++] = found;
	return kept;
}

static int find_openings(
    struct opening *list, const struct points *pts, const struct cairn_percept_params *params)
{
	const struct cairn_polar *polar = pts->polar;
	int edges = 0, count = 0;
	for (uint32_t i = 0; i < polar->count && edges < EDGES_MAX; i++) {
		uint32_t j = i + 1 == polar->count ? 0 : i + 1;
		double jump = (double)polar->range_m[j] - (double)polar->range_m[i];
		if (!(fabs(jump) > params->gap_jump_m) || turn_rad(polar, i, j) > NEIGHBOUR_MAX_RAD)
			continue;
		int way = jump > 0.0 ? 1 : -1; /* open side */
		uint32_t near = way > 0 ? i : j, far = way > 0 ? j : i;
		if (along_surface(polar, near, far, way, params->gap_jump_m))
			continue;
		edges++;
		struct opening found;
		if (opposite_side(pts, near, way, &found) && found.width_m >= params->gap_width_min_m &&
		    found.width_m <= params->gap_width_max_m)
			count = add_opening(list, count, found);
	}
	return count;
}

int cairn_gaps_find(struct cairn_msg_gap *out, int capacity, const struct cairn_polar *polar,
    const struct cairn_percept_params *params)
{
	struct points pts;
	struct opening list[EDGES_MAX];
	int written = 0;
	if (polar->count < 3)
		return 0;
	pts.polar = polar;
	for (uint32_t i = 0; i < polar->count; i++) {
		pts.x_m[i] = polar->range_m[i] * cosf(polar->angle_rad[i]);
		pts.y_m[i] = polar->range_m[i] * sinf(polar->angle_rad[i]);
	}
	int count = find_openings(list, &pts, params);
	for (int i = 0; i < count; i++) {
		uint32_t a = list[i].a, b = list[i].b;
		double bearing =
		    atan2((double)pts.y_m[a] + (double)pts.y_m[b], (double)pts.x_m[a] + (double)pts.x_m[b]);
		double distance = fmin((double)polar->range_m[a], (double)polar->range_m[b]);
		if (fabs(bearing) > M_PI / 2.0)
			continue;
		int at = written < capacity ? written++ : capacity; /* insertion, nearest first */
		while (at > 0 && out[at - 1].distance_m > distance) {
			if (at < capacity)
				out[at] = out[at - 1];
			at--;
		}
		if (at < capacity)
			out[at] = (struct cairn_msg_gap){bearing, list[i].width_m, distance};
	}
	return written;
}
