#include "common/calibration/battery_pack.h"

#include <math.h>
#include <stdio.h>

#define FULL_CELL_V 4.15
#define FULL_SPREAD_V 0.1
#define CELLS_MAX 8
#define SETTLED_V 0.02 /* by cell: what it falls in the first minutes */

static const struct {
	double cell_v;
	int percent;
} points[] = {{3.2, 0}, {3.5, 5}, {3.6, 10}, {3.7, 25}, {3.8, 50}, {4.0, 85}};

int cairn_battery_pack_found(double full_v, char curve[CAIRN_BATTERY_CURVE_BYTES], struct cairn_error *err)
{
	int cells = full_v > 0.0 && full_v < 100.0 ? (int)lround(full_v / FULL_CELL_V) : 0, n = 0;
	if (cells < 1 || cells > CELLS_MAX || fabs(full_v / cells - FULL_CELL_V) > FULL_SPREAD_V) {
		cairn_error_set(err,
		    "%.1f V is no full lithium-ion pack, whose cells have %.2f to %.2f V each: charge it, or "
		    "leave this "
		    "out and enter robot.battery_curve",
		    full_v, FULL_CELL_V - FULL_SPREAD_V, FULL_CELL_V + FULL_SPREAD_V);
		return 0;
	}
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
		n += snprintf(curve + n, CAIRN_BATTERY_CURVE_BYTES - (size_t)n, "%.2f:%d, ",
		    cells * points[i].cell_v, points[i].percent);
	(void)snprintf(
	    curve + n, CAIRN_BATTERY_CURVE_BYTES - (size_t)n, "%.2f:100", full_v - cells * SETTLED_V);
	return cells;
}
