#include "common/explore/reactive_exploration.h"

#include <math.h>

#define BINS 72
#define BEHIND_M 0.7 /* what is seen through a doorway lies so much behind its jambs */
#define JAMB_MAX_M 3.0
#define WIDTH_MIN_M 0.6
#define WIDTH_MAX_M 1.4
#define DOORWAY_M 0.5   /* worth so much free way */
#define TOWARD_RAD 0.44 /* a doorway this near to a direction is one in it */
#define TURN_M_PER_RAD 0.15
#define BACKWARD_M 1.0 /* less worth */

/* Where each direction of move_toward leads to, as the robot stands. */
static const double heading_rad[CAIRN_DIRECTION_COUNT] = {
    [CAIRN_DIRECTION_FORWARD] = 0.0,
    [CAIRN_DIRECTION_FORWARD_LEFT] = 0.6,
    [CAIRN_DIRECTION_FORWARD_RIGHT] = -0.6,
    [CAIRN_DIRECTION_LEFT] = 1.4,
    [CAIRN_DIRECTION_RIGHT] = -1.4,
    [CAIRN_DIRECTION_BACKWARD] = M_PI,
};

struct bin {
	double range_m; /* nearest return; infinity: none */
	double x_m, y_m;
};

static void sort_in(const struct cairn_points *points, struct bin bins[BINS])
{
	for (int k = 0; k < BINS; k++)
		bins[k] = (struct bin){.range_m = INFINITY};
	for (size_t i = 0; i < points->count; i++) {
		double x = (double)points->x_m[i], y = (double)points->y_m[i], r = hypot(x, y);
		int k = (int)floor((atan2(y, x) + M_PI) / (2.0 * M_PI) * BINS);
		struct bin *b = &bins[(unsigned)k % BINS];
		if (r < b->range_m)
			*b = (struct bin){r, x, y};
	}
}

/* The first bin after jamb that does not look through beside it, if the two are the jambs of a doorway; else 0. */
static int far_jamb(const struct bin bins[BINS], int jamb)
{
	for (int n = 2; n < BINS / 3; n++) {
		const struct bin *a = &bins[jamb], *b = &bins[(jamb + n) % BINS];
		double through_m = fmax(a->range_m, b->range_m) + BEHIND_M,
		       width_m = hypot(a->x_m - b->x_m, a->y_m - b->y_m);
		bool free = b->range_m <= JAMB_MAX_M && width_m >= WIDTH_MIN_M && width_m <= WIDTH_MAX_M;
		for (int k = 1; k < n && free; k++)
			free = bins[(jamb + k) % BINS].range_m >= through_m;
		if (free)
			return jamb + n;
	}
	return 0;
}

size_t cairn_reactive_doorways(
    const struct cairn_points *points, double ret_bearing_rad[CAIRN_REACTIVE_DOORWAYS_MAX])
{
	struct bin bins[BINS];
	size_t count = 0;
	sort_in(points, bins);
	for (int k = 0; k < BINS && count < CAIRN_REACTIVE_DOORWAYS_MAX; k++) {
		int other = bins[k].range_m <= JAMB_MAX_M ? far_jamb(bins, k) : 0;
		if (other == 0)
			continue;
		const struct bin *a = &bins[k], *b = &bins[other % BINS];
		ret_bearing_rad[count++] = atan2(a->y_m + b->y_m, a->x_m + b->x_m);
	}
	return count;
}

int cairn_reactive_choose(
    const struct cairn_points *points, const double free_m[CAIRN_DIRECTION_COUNT], double need_m)
{
	double doorway_rad[CAIRN_REACTIVE_DOORWAYS_MAX], most = -INFINITY;
	size_t doorways = cairn_reactive_doorways(points, doorway_rad);
	int best = -1;
	for (int d = 0; d < CAIRN_DIRECTION_COUNT; d++) {
		if (!(free_m[d] >= need_m))
			continue;
		double worth = free_m[d] - TURN_M_PER_RAD * fabs(heading_rad[d]);
		bool toward = false;
		for (size_t i = 0; i < doorways; i++)
			toward |= fabs(cairn_wrap_rad(doorway_rad[i] - heading_rad[d])) <= TOWARD_RAD;
		worth += toward ? DOORWAY_M : 0.0;
		worth -= d == CAIRN_DIRECTION_BACKWARD ? BACKWARD_M : 0.0;
		if (worth > most) {
			most = worth;
			best = d;
		}
	}
	return best;
}
