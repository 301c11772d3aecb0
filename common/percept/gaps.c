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

/* True when the jump from near to far is no more than the straight surface through near and the returns before it (on the side
 * away from far) leads to expect. In polar form a straight line has 1 / r = a cos(t) + b sin(t), so that two
 * returns give its range in any direction. Several base lines must agree, since a single return on an edge is
 * often a mixture of near and far. way: +1 when far follows near clockwise. */
static bool along_surface(const struct cairn_polar *polar, uint32_t near, uint32_t far, int way, double jump_m)
{
	int agree = 0;
	for (int k = 1; k <= 3; k++) {
		uint32_t base = step(polar, near, -way * k);
		double back = way > 0 ? turn_rad(polar, base, near) : turn_rad(polar, near, base);
		double ahead = way > 0 ? turn_rad(polar, near, far) : turn_rad(polar, far, near);
		if (base == far || back < 1e-6 || back > k * NEIGHBOUR_MAX_RAD)
			return false;
		double u = (sin(back + ahead) / polar->range_m[near] - sin(ahead) / polar->range_m[base]) / sin(back);
		if (u > 0.0 && polar->range_m[far] - 1.0 / u > jump_m)
			return false;
		agree++;
	}
	return agree == 3;
}

/* The return closest to the edge on its open side; false when there is none within 180 degrees. */
static bool opposite_side(const struct points *pts, uint32_t edge, int way, struct opening *ret)
{
	const struct cairn_polar *polar = pts->polar;
	float best = INFINITY;
	uint32_t at = edge;
	for (uint32_t k = 1; k < polar->count; k++) {
		at = way > 0 ? (at + 1 == polar->count ? 0 : at + 1) : (at == 0 ? polar->count - 1 : at - 1);
		double turn = way > 0 ? turn_rad(polar, edge, at) : turn_rad(polar, at, edge);
		if (turn >= M_PI)
			break;
		float dx = pts->x_m[at] - pts->x_m[edge], dy = pts->y_m[at] - pts->y_m[edge];
		float d2 = dx * dx + dy * dy;
		if (d2 < best) {
			best = d2;
			*ret = (struct opening){.a = edge, .b = at};
		}
	}
	ret->width_m = sqrt((double)best);
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

static int find_openings(struct opening *list, const struct points *pts, const struct cairn_percept_params *params)
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
