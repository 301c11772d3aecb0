#include "common/sequencer/follow_wall.h"

#include <math.h>

#define STRIP_M 0.1
#define STRIPS 12        /* from the rear axle on */
#define STRIPS_MIN 4     /* fewer are no line */
#define SPREAD_MAX_M 0.6 /* what stands so much farther than the nearest strip is beyond an opening */
#define GAIN_DISTANCE 1.5
#define GAIN_ANGLE 2.0
#define ROUND_M 0.5
#define ROUND_MIN_M 4.0

struct cairn_wall_line cairn_wall_line(
    const struct cairn_points *points, size_t count, const struct cairn_footprint *body, int side)
{
	double nearest[STRIPS], least = INFINITY;
	for (int i = 0; i < STRIPS; i++)
		nearest[i] = INFINITY;
	for (size_t i = 0; i < count; i++) {
		double x = (double)points->x_m[i], y = side * (double)points->y_m[i] - body->half_width_m;
		if (!(x >= 0.0 && x < STRIPS * STRIP_M) || !(y >= 0.0 && y <= CAIRN_WALL_REACH_M))
			continue;
		int strip = (int)(x / STRIP_M);
		strip = strip < STRIPS ? strip : STRIPS - 1;
		nearest[strip] = fmin(nearest[strip], y);
		least = fmin(least, y);
	}
	double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
	for (int i = 0; i < STRIPS; i++) {
		double x = (i + 0.5) * STRIP_M;
		if (!isfinite(nearest[i]) || nearest[i] > least + SPREAD_MAX_M)
			continue;
		n += 1.0;
		sx += x;
		sy += nearest[i];
		sxx += x * x;
		sxy += x * nearest[i];
	}
	if (n < STRIPS_MIN)
		return (struct cairn_wall_line){false, 0.0, 0.0};
	double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx), middle_m = 0.5 * body->front_m;
	return (struct cairn_wall_line){true, (sy - slope * sx) / n + slope * middle_m, side * atan(slope)};
}

enum cairn_wall_end cairn_wall_step(struct cairn_wall *wall, const struct cairn_points *points, size_t count,
    const struct cairn_footprint *body, double limit_1pm, double driven_m, struct cairn_vec2 at,
    double ahead_m, double *ret_curvature)
{
	struct cairn_wall_line line = cairn_wall_line(points, count, body, wall->side);
	*ret_curvature = 0.0;
	if (!wall->begun) {
		wall->begun = true;
		wall->from = at;
		if (!line.there)
			return CAIRN_WALL_NONE;
	}
	wall->driven_m = driven_m;
	if (line.there)
		wall->seen_at_m = driven_m;
	if (wall->asked_m > 0.0 && driven_m >= wall->asked_m)
		return CAIRN_WALL_DONE;
	if (driven_m >= ROUND_MIN_M && hypot(at.x_m - wall->from.x_m, at.y_m - wall->from.y_m) <= ROUND_M)
		return CAIRN_WALL_ROUND;
	if (driven_m - wall->seen_at_m >= CAIRN_WALL_LOST_M)
		return CAIRN_WALL_ENDED;
	if (ahead_m < CAIRN_WALL_CORNER_M)
		return CAIRN_WALL_CORNER;
	if (line.there) {
		double k = wall->side * GAIN_DISTANCE * (line.gap_m - CAIRN_WALL_GAP_M) +
			   GAIN_ANGLE * line.angle_rad;
		*ret_curvature = fmin(fmax(k, -limit_1pm), limit_1pm);
	}
	return CAIRN_WALL_GOES_ON;
}
