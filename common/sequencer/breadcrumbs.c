#include "common/sequencer/breadcrumbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS 72
#define PASSAGE_M 1.3 /* a passage is free for so far */
#define PASSAGES_MIN_BINS 2
#define BACK_M 0.25 /* so near to an earlier point is that point */
#define BACK_MIN 2  /* points between, or standing still would cut the trail */
#define FAR_M 1e6

uint32_t cairn_breadcrumbs_passages(const struct cairn_points *points, size_t count, double half_width_m)
{
	double nearest_m[BINS];
	bool open[BINS];
	for (int i = 0; i < BINS; i++)
		nearest_m[i] = INFINITY;
	for (size_t i = 0; i < count; i++) {
		double x = (double)points->x_m[i], y = (double)points->y_m[i], r = hypot(x, y);
		if (!isfinite(r))
			continue;
		int bin = (int)floor((atan2(y, x) + M_PI) / (2.0 * M_PI) * BINS);
		bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
		nearest_m[bin] = fmin(nearest_m[bin], r);
	}
	/* A thing r away at an angle a beside a direction leaves the strip free when r sin a is more than its half width. */
	int spread = (int)ceil(asin(fmin(half_width_m / PASSAGE_M, 1.0)) / (2.0 * M_PI) * BINS);
	for (int i = 0; i < BINS; i++) {
		open[i] = true;
		for (int k = -BINS / 4; k <= BINS / 4 && open[i]; k++) {
			double r = nearest_m[(i + k + BINS) % BINS], a = 2.0 * M_PI * abs(k) / BINS;
			bool beside = abs(k) <= spread || r * sin(a) < half_width_m;
			open[i] = !(beside && r < PASSAGE_M);
		}
	}
	uint32_t passages = 0;
	int run = 0, first = 0;
	for (int i = 0; i < BINS && open[i]; i++)
		first++;
	if (first == BINS)
		return 1;
	for (int i = first; i < first + BINS; i++) { /* begins at a closed one */
		run = open[i % BINS] ? run + 1 : 0;
		passages += run == PASSAGES_MIN_BINS;
	}
	return passages;
}

static double apart_m(const struct cairn_breadcrumb *p, double x_m, double y_m)
{
	return hypot((double)p->x_m - x_m, (double)p->y_m - y_m);
}

/* The start and junctions stay. */
static void thin_out(struct cairn_breadcrumbs *t)
{
	uint32_t kept = 1;
	bool drop = true;
	for (uint32_t i = 1; i < t->count; i++) {
		bool gone = drop && !t->at[i].junction;
		drop = !gone;
		if (!gone)
			t->at[kept++] = t->at[i];
	}
	if (kept == t->count) { /* junctions only: the oldest behind the start goes */
		memmove(&t->at[1], &t->at[2], (t->count - 2) * sizeof(t->at[0]));
		kept--;
	}
	t->count = kept;
}

bool cairn_breadcrumbs_drive(struct cairn_breadcrumbs *t, double x_m, double y_m, bool junction)
{
	if (!isfinite(x_m) || !isfinite(y_m) || fabs(x_m) > FAR_M || fabs(y_m) > FAR_M)
		return false;
	for (uint32_t i = 0; i + BACK_MIN < t->count; i++) {
		if (apart_m(&t->at[i], x_m, y_m) > BACK_M)
			continue;
		t->count = i + 1;
		t->at[i].junction |= junction;
		return true;
	}
	if (t->count > 0 && apart_m(&t->at[t->count - 1], x_m, y_m) < CAIRN_BREADCRUMBS_STEP_M) {
		bool news = junction && !t->at[t->count - 1].junction;
		t->at[t->count - 1].junction |= junction;
		return news;
	}
	if (t->count == CAIRN_BREADCRUMBS_MAX)
		thin_out(t);
	struct cairn_breadcrumb *p = &t->at[t->count++];
	memset(p, 0, sizeof(*p)); /* it is saved as it lies in memory */
	p->x_m = (float)x_m;
	p->y_m = (float)y_m;
	p->junction = junction;
	return true;
}

int cairn_breadcrumbs_nearest(const struct cairn_breadcrumbs *t, double x_m, double y_m)
{
	int best = -1;
	double best_m = INFINITY;
	for (uint32_t i = 0; i < t->count; i++) {
		double d = apart_m(&t->at[i], x_m, y_m);
		if (d <= best_m) { /* of equal ones the newest */
			best_m = d;
			best = (int)i;
		}
	}
	return best;
}

/* Length of the trail between two neighbours. */
static double leg_m(const struct cairn_breadcrumbs *t, int i)
{
	return apart_m(&t->at[i], (double)t->at[i - 1].x_m, (double)t->at[i - 1].y_m);
}

int cairn_breadcrumbs_junction(const struct cairn_breadcrumbs *t, double x_m, double y_m, double min_m)
{
	int i = cairn_breadcrumbs_nearest(t, x_m, y_m);
	if (i < 0)
		return -1;
	double back_m = 0.0;
	for (; i > 0; i--) {
		if (t->at[i].junction && back_m >= min_m)
			return i;
		back_m += leg_m(t, i);
	}
	return 0;
}

int cairn_breadcrumbs_via(
    const struct cairn_breadcrumbs *t, double x_m, double y_m, uint32_t to, double step_m)
{
	if (to >= t->count)
		return -1;
	int i = cairn_breadcrumbs_nearest(t, x_m, y_m);
	double gone_m = 0.0;
	while (i > (int)to && gone_m < step_m)
		gone_m += leg_m(t, i--);
	return i > (int)to ? i : (int)to;
}

void cairn_breadcrumbs_moved(
    struct cairn_breadcrumbs *t, struct cairn_pose2 was, struct cairn_pose2 now, double near_m)
{
	for (uint32_t i = 1; i < t->count; i++) { /* the map hangs on the start */
		struct cairn_breadcrumb *p = &t->at[i];
		if (apart_m(p, was.x_m, was.y_m) > near_m)
			continue;
		struct cairn_pose2 seen =
		    cairn_pose_between(was, (struct cairn_pose2){(double)p->x_m, (double)p->y_m, 0.0});
		struct cairn_vec2 at = cairn_pose_apply(now, (struct cairn_vec2){seen.x_m, seen.y_m});
		p->x_m = (float)at.x_m;
		p->y_m = (float)at.y_m;
	}
}

bool cairn_breadcrumbs_sane(const struct cairn_breadcrumbs *t)
{
	if (t->count > CAIRN_BREADCRUMBS_MAX)
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		unsigned char flag;
		memcpy(&flag, &t->at[i].junction, sizeof(flag));
		if (!isfinite(t->at[i].x_m) || !isfinite(t->at[i].y_m) || flag > 1)
			return false;
	}
	return true;
}
