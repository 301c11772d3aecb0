/* Which points count as in the way of a motion. */
#include "common/base/rng.h"
#include "common/safety/monitor_polygons.h"
#include "test/support/runner.h"

/* Only the emergency's sector: one point in it is one. */
static struct cairn_monitor_polygons_params sector_of(double rad)
{
	return (struct cairn_monitor_polygons_params){.body = {0.27, 0.08, 0.10},
	    .stop_points = 1,
	    .slow_points = 1,
	    .emergency_points = 1,
	    .emergency_m = 1.0,
	    .emergency_rad = rad,
	    .emergency_clear_s = 1e-6};
}

START_TEST(an_emergency_is_within_its_angle_of_the_way_the_middle_of_the_body_goes)
{
	static struct cairn_points points;
	const double middle_m = 0.5 * (0.27 - 0.08), sectors[5] = {0.0, 1e-7, 0.5, 2.0, M_PI};
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 11, 1);
	for (int i = 0; i < 50000; i++) {
		const struct cairn_monitor_polygons_params params = sector_of(sectors[i % 5]);
		bool forward = cairn_rng_uniform(&rng) < 0.5;
		double curvature_1pm = 6.0 * cairn_rng_uniform(&rng) - 3.0,
		       heading = atan(curvature_1pm * middle_m);
		double along = forward ? heading : cairn_wrap_rad(heading + M_PI);
		/* Anywhere, or right beside the sector's edge. */
		double off = i % 3 != 0 ? 2.0 * M_PI * cairn_rng_uniform(&rng)
					: params.emergency_rad + 4e-6 * cairn_rng_uniform(&rng) - 2e-6;
		double r = 0.05 + 0.9 * cairn_rng_uniform(&rng), bearing = along + off;
		points.count = 1;
		points.x_m[0] = (float)(middle_m + r * cos(bearing));
		points.y_m[0] = (float)(r * sin(bearing));
		double is =
		    cairn_wrap_rad(atan2((double)points.y_m[0], (double)points.x_m[0] - middle_m) - along);
		struct cairn_monitor_polygons zones;
		cairn_monitor_polygons_init(&zones, &params);
		struct cairn_monitor_polygon_limit limit = cairn_monitor_polygons_limit(
		    &zones, &points, 1, curvature_1pm, forward, 0.2, CAIRN_NS_PER_S);
		ck_assert((limit.verdict == CAIRN_ZONE_EMERGENCY) == (fabs(is) <= params.emergency_rad));
	}
}
END_TEST

CAIRN_TEST_MAIN("motor_zones", an_emergency_is_within_its_angle_of_the_way_the_middle_of_the_body_goes)
