/* scan_points.h - a footprint and the points of a scan, one of them set by hand. */
#ifndef CAIRN_TEST_SUPPORT_SCAN_POINTS_H
#define CAIRN_TEST_SUPPORT_SCAN_POINTS_H

#include "common/scan/scan.h"

static const struct cairn_footprint body = {.front_m = 0.27, .rear_m = 0.08, .half_width_m = 0.10};
static struct cairn_points points;

static inline void one_point(double x_m, double y_m)
{
	points.count = 1;
	points.x_m[0] = (float)x_m;
	points.y_m[0] = (float)y_m;
}

#endif
