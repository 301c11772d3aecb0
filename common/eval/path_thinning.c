#include "common/eval/path_thinning.h"

#include <math.h>
#include <string.h>

/* since_m: of the way between the last two points, the later of which is dropped when it is the second of
 * two. */
static void thin(struct cairn_path_thinning *t)
{
	uint32_t kept = (t->count + 1) / 2;
	for (uint32_t i = 1; i < kept; i++)
		memcpy(&t->xy_m[2 * i], &t->xy_m[4 * i], 2 * sizeof(*t->xy_m));
	t->since_m = t->count % 2 == 0 ? t->since_m : 0.0;
	t->count = kept;
	t->spacing_m *= 2.0;
}

void cairn_path_thinning_add(struct cairn_path_thinning *t, double x_m, double y_m)
{
	t->since_m += t->count > 0 ? hypot(x_m - t->x_m, y_m - t->y_m) : 0.0;
	t->x_m = x_m;
	t->y_m = y_m;
	if (t->count > 0 && t->since_m < t->spacing_m)
		return;
	t->xy_m[2 * t->count] = (float)x_m;
	t->xy_m[2 * t->count + 1] = (float)y_m;
	t->count++;
	if (t->count == t->points_max)
		thin(t);
	else
		t->since_m = 0.0;
}
