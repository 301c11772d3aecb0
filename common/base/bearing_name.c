#include "common/base/bearing_name.h"

#include "common/base/geom.h"

const char *cairn_bearing_name(double bearing_rad)
{
	static const char *const sides[8] = {
	    "ahead", "ahead left", "left", "behind left", "behind", "behind right", "right", "ahead right"};
	double deg = cairn_rad_to_deg(cairn_wrap_rad(bearing_rad)) + 382.5; /* 0..360, half a side added */
	if (!isfinite(deg))
		return "nearby";
	return sides[(unsigned)(deg / 45.0) & 7u];
}
