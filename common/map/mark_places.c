#include "common/map/mark_places.h"

#include <math.h>
#include <stdbool.h>

#define APART_PX 25.0
#define RINGS 4
#define WAYS 12

/* What two marks are wider than discs lies between their middles. */
static bool is_free(const struct cairn_mark_places *t, double half_px, double x, double y)
{
	for (int i = 0; i < t->count; i++) {
		double wider = t->half_px[i] + half_px - 2.0 * CAIRN_MARK_HALF_PX;
		double dx = fmax(fabs(t->x[i] - x) - fmax(wider, 0.0), 0.0);
		if (hypot(dx, t->y[i] - y) < APART_PX)
			return false;
	}
	return true;
}

void cairn_mark_places_take(struct cairn_mark_places *t, double half_px, double x, double y)
{
	if (t->count == CAIRN_MARK_PLACES)
		return;
	t->x[t->count] = x;
	t->y[t->count] = y;
	t->half_px[t->count++] = half_px;
}

void cairn_mark_places_find(struct cairn_mark_places *t, double half_px, double *ret_x, double *ret_y)
{
	for (int ring = 0; ring <= RINGS; ring++) {
		for (int k = 0; k < (ring == 0 ? 1 : WAYS); k++) {
			double x = *ret_x + ring * APART_PX * cos(2.0 * M_PI * k / WAYS),
			       y = *ret_y - ring * APART_PX * sin(2.0 * M_PI * k / WAYS);
			if (!is_free(t, half_px, x, y))
				continue;
			*ret_x = x;
			*ret_y = y;
			cairn_mark_places_take(t, half_px, x, y);
			return;
		}
	}
	cairn_mark_places_take(t, half_px, *ret_x, *ret_y);
}
