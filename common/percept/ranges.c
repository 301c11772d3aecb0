#include "common/percept/ranges.h"

#include <math.h>
#include <string.h>

#include "common/base/geom.h"

const struct cairn_ring cairn_rings[CAIRN_RINGS] = {
    {1.0, {255, 48, 48}}, {2.0, {255, 221, 0}}, {3.0, {64, 224, 64}}, {4.0, {64, 224, 64}}};

static int bin_of(double bearing_rad)
{
	int deg = (int)floor(cairn_rad_to_deg(cairn_wrap_rad(bearing_rad)) + 0.5);
	return (deg + 360) % 360;
}

void cairn_ranges_from_scan(struct cairn_ranges *ranges, const struct cairn_msg_scan *scan,
    const struct cairn_percept_params *params, struct cairn_polar *scratch)
{
	memset(ranges, 0, sizeof(*ranges));
	cairn_polar_from_scan(scratch, scan, params);
	for (uint32_t i = 0; i < scratch->count; i++) {
		float *bin = &ranges->m[bin_of((double)scratch->angle_rad[i])];
		if (*bin == 0.0f || scratch->range_m[i] < *bin)
			*bin = scratch->range_m[i];
	}
}

double cairn_ranges_sight_m(const struct cairn_ranges *ranges, double bearing_rad)
{
	int bin = bin_of(bearing_rad);
	float nearest = 0.0f;
	for (int k = bin + 359; k <= bin + 361; k++) {
		float m = ranges->m[k % 360];
		if (m != 0.0f && (nearest == 0.0f || m < nearest))
			nearest = m;
	}
	return (double)nearest;
}
