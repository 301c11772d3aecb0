#include <math.h>
#include <string.h>

#include "common/scene/scene_private.h"

#define OUTWARD 0.35 /* share of what was seen beyond the box that it takes over, */
#define OUTWARD_CUT                                                                                          \
	0.9 /* and of a view that the picture's edge cuts off, or while the thing was never seen whole */
#define INWARD 0.05
#define INWARD_MAX_M 0.12 /* sides farther in are those of a view from elsewhere, no better measurement */
#define THIN_M 0.02

struct cairn_scene_box cairn_scene_box_of(const float box_m[6])
{
	struct cairn_scene_box b;
	for (int k = 0; k < 3; k++) {
		b.min[k] = (double)box_m[k];
		b.max[k] = (double)box_m[k + 3];
	}
	return b;
}

double cairn_scene_box_middle(const struct cairn_scene_box *b, int axis)
{
	return 0.5 * (b->min[axis] + b->max[axis]);
}

double cairn_scene_box_size(const struct cairn_scene_box *b, int axis)
{
	return b->max[axis] - b->min[axis];
}

double cairn_scene_box_width(const struct cairn_scene_box *b)
{
	return fmax(cairn_scene_box_size(b, 0), cairn_scene_box_size(b, 1));
}

double cairn_scene_box_distance(const struct cairn_scene_box *b, const double p[3])
{
	double sum = 0.0;
	for (int k = 0; k < 3; k++) {
		double d = fmax(0.0, fmax(b->min[k] - p[k], p[k] - b->max[k]));
		sum += d * d;
	}
	return sqrt(sum);
}

double cairn_scene_box_gap(const struct cairn_scene_box *a, const struct cairn_scene_box *b)
{
	double sum = 0.0;
	for (int k = 0; k < 3; k++) {
		double d = fmax(0.0, fmax(a->min[k] - b->max[k], b->min[k] - a->max[k]));
		sum += d * d;
	}
	return sqrt(sum);
}

double cairn_scene_box_shared(const struct cairn_scene_box *a, const struct cairn_scene_box *b)
{
	double share = 1.0;
	for (int k = 0; k < 3; k++) {
		double both = fmin(a->max[k], b->max[k]) - fmax(a->min[k], b->min[k]);
		double small = fmin(cairn_scene_box_size(a, k), cairn_scene_box_size(b, k));
		share *= fmin(1.0, fmax(0.0, both + THIN_M) / (small + THIN_M));
	}
	return share;
}

void cairn_scene_box_join(struct cairn_scene_box *b, const struct cairn_scene_box *with)
{
	for (int k = 0; k < 3; k++) {
		b->min[k] = fmin(b->min[k], with->min[k]);
		b->max[k] = fmax(b->max[k], with->max[k]);
	}
}

static double refine(double side, double seen, double out, double outward, bool whole)
{
	double more = (seen - side) * out; /* positive: seen farther out */
	if (more > 0.0)
		return side + outward * (seen - side);
	return whole && more > -INWARD_MAX_M ? side + INWARD * (seen - side) : side;
}

void cairn_scene_box_refine(
    struct cairn_scene_box *b, const struct cairn_scene_box *seen, bool whole, bool known_whole)
{
	double outward = whole || known_whole ? OUTWARD : OUTWARD_CUT;
	for (int k = 0; k < 3; k++) {
		b->min[k] = refine(b->min[k], seen->min[k], -1.0, outward, whole);
		b->max[k] = refine(b->max[k], seen->max[k], 1.0, outward, whole);
	}
}
