#include <math.h>

#include "common/plan/costmap_private.h"
#include "common/plan/cell_bits.h"

bool cairn_costmap_fits(
    const struct cairn_costmap *cm, const struct cairn_pose2 *pose, const struct cairn_rect *rect)
{
	double disc = 0.5 * cm->cell_m;
	struct cairn_laid p =
	    cairn_lay(cm, pose->x_m, pose->y_m, cos(pose->yaw_rad), sin(pose->yaw_rad), rect, disc);
	for (int y = p.box.y0; y < p.box.y1; y++) {
		const uint8_t *row = cm->cells + (size_t)y * (size_t)cm->width;
		for (int x = p.box.x0; x < p.box.x1; x++)
			if ((row[x] & CAIRN_CELL_OBSTACLE) != 0 &&
			    cairn_laid_off(rect, cairn_laid_local(cm, &p, x, y)) < disc)
				return false;
	}
	return true;
}

bool cairn_costmap_fits_bits(const struct cairn_costmap *cm, const struct cairn_cell_bits *bits, double x_m,
    double y_m, double c, double s, const struct cairn_rect *rect)
{
	double disc = 0.5 * cm->cell_m;
	struct cairn_laid p = cairn_lay(cm, x_m, y_m, c, s, rect, disc);
	for (int y = p.box.y0; y < p.box.y1; y++)
		for (int x0 = p.box.x0; x0 < p.box.x1; x0 += 64) {
			uint64_t near =
			    cairn_cell_bits_from(bits, x0, y) & cairn_cell_bits_first(p.box.x1 - x0);
			for (; near != 0; near &= near - 1) {
				int x = x0 + __builtin_ctzll(near);
				if (cairn_laid_off(rect, cairn_laid_local(cm, &p, x, y)) < disc)
					return false;
			}
		}
	return true;
}

double cairn_costmap_clearance(const struct cairn_costmap *cm, const struct cairn_pose2 *pose,
    const struct cairn_rect *rect, double limit_m)
{
	double disc = 0.5 * cm->cell_m, best = limit_m;
	struct cairn_laid p =
	    cairn_lay(cm, pose->x_m, pose->y_m, cos(pose->yaw_rad), sin(pose->yaw_rad), rect, disc + limit_m);
	for (int y = p.box.y0; y < p.box.y1; y++) {
		const uint8_t *row = cm->cells + (size_t)y * (size_t)cm->width;
		for (int x = p.box.x0; x < p.box.x1; x++)
			if ((row[x] & CAIRN_CELL_OBSTACLE) != 0)
				best = cairn_smaller(
				    cairn_laid_off(rect, cairn_laid_local(cm, &p, x, y)) - disc, best);
	}
	return best;
}
