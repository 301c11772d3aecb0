/* path_thinning.h - the way driven as points for a drawing: few or many metres, never more points than there is room
 * for, and to its end.
 *
 * Points stand spacing_m of the way apart. When the room is full every second one is dropped and the spacing
 * doubled, so the first point is the first place and the last one less than spacing_m (of the way) before the
 * place where it ended. */
#ifndef CAIRN_COMMON_EVAL_PATH_THINNING_H
#define CAIRN_COMMON_EVAL_PATH_THINNING_H

#include <stdint.h>

struct cairn_path_thinning {
	float *xy_m;         /* the caller's, two for each point */
	uint32_t points_max; /* 2 or more; one of them is always left free */
	uint32_t count;
	double spacing_m;
	double since_m, x_m, y_m; /* way since the last point, and where it is now */
};

/* The next place; those between two points are to be told of too. */
void cairn_path_thinning_add(struct cairn_path_thinning *trail, double x_m, double y_m);

#endif
