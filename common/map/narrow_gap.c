#include "common/map/narrow_gap.h"

#include <math.h>
#include <stdio.h>

#define SAME_M 0.3

bool cairn_narrow_gap_first(const struct cairn_msg_frontier *items, uint32_t at)
{
	const struct cairn_msg_frontier *f = &items[at];
	bool first = f->gap_m > 0.0;
	for (uint32_t i = 0; i < at && first; i++)
		first = !(items[i].gap_m > 0.0) ||
			hypot(items[i].gap_x_m - f->gap_x_m, items[i].gap_y_m - f->gap_y_m) >= SAME_M;
	return first;
}

double cairn_narrow_gap_short_m(const struct cairn_msg_frontier *f, double needs_m)
{
	return fmax(needs_m - f->gap_m, 0.0);
}

void cairn_narrow_gap_text(const struct cairn_msg_frontier *f, double needs_m, char *ret, size_t cap)
{
	snprintf(ret, cap, "%.2f m at (%.2f, %.2f), %.2f m too narrow", f->gap_m, f->gap_x_m, f->gap_y_m,
	    cairn_narrow_gap_short_m(f, needs_m));
}
