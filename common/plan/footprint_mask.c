#include "common/plan/footprint_mask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/plan/costmap_private.h"

#define HEADINGS CAIRN_FOOTPRINT_MASK_HEADINGS
#define PLACES CAIRN_FOOTPRINT_MASK_PLACES
#define STAMPS (HEADINGS * PLACES * PLACES)
#define CACHE_LINE 64 /* bytes: a group of rows lies in one */
#define SPARE 1e-6    /* more than rounding is, in metres and radians */

void cairn_footprint_masks_free(struct cairn_footprint_masks *s)
{
	free(s->stamp);
	*s = (struct cairn_footprint_masks){0};
}

/* What is known of a row of cells for all headings and places of a stamp: which are touched for certain, and
 * which may be. x, y: centre of the first from the origin, in cells; c, sn: of the heading in the middle of
 * those. Without branches, many at a time: a search's first questions wait for hundreds of stamps. */
static void touch_row(const struct cairn_footprint_masks *s, double x, double y, double c, double sn,
    int count, uint64_t *ret_sure, uint64_t *ret_perhaps)
{
	const double half_turn = M_PI / HEADINGS + SPARE, disc = 0.5 * s->cell_m, cell_m = s->cell_m;
	const double place_m = M_SQRT2 * 0.5 / PLACES * s->cell_m + SPARE;
	const struct cairn_rect r = s->rect;
	double near_m[64], far_m[64]; /* bounds of how far off the rectangle the disc is */
	for (int i = 0; i < count; i++) {
		double at = x + i, px = (c * at + sn * y) * cell_m, py = (c * y - sn * at) * cell_m;
		double doubt_m = place_m + (sqrt(px * px + py * py) + place_m) * half_turn;
		double ox = cairn_larger(px - r.front_m, -px - r.rear_m);
		double oy = cairn_larger(py - r.left_m, -py - r.right_m);
		double side = ox > oy ? ox : oy, corner = sqrt(ox * ox + oy * oy);
		double least = ox > oy ? oy : ox, off_m = (least > 0.0 ? corner : side) - disc;
		near_m[i] = off_m - doubt_m;
		far_m[i] = off_m + doubt_m;
	}
	*ret_sure = *ret_perhaps = 0;
	for (int i = 0; i < count; i++) {
		*ret_sure |= (uint64_t)(far_m[i] < 0.0) << i;
		*ret_perhaps |= (uint64_t)(near_m[i] < 0.0) << i;
	}
}

/* The cells that have to be looked at: around the turned rectangle, with what is in doubt. */
static struct cairn_window cells_around(
    const struct cairn_footprint_masks *s, double x, double y, double c, double sn, int reach)
{
	const struct cairn_rect *r = &s->rect;
	double k = 1.0 / s->cell_m, mid = 0.5 * k * (r->front_m - r->rear_m),
	       side = 0.5 * k * (r->left_m - r->right_m);
	double spare = 1.5 + reach * (M_PI / HEADINGS); /* disc and place, and the heading at the far end */
	double half_x = 0.5 * k * (r->front_m + r->rear_m) + spare,
	       half_y = 0.5 * k * (r->left_m + r->right_m) + spare;
	double at_x = x + c * mid - sn * side, at_y = y + sn * mid + c * side;
	double wide = fabs(c) * half_x + fabs(sn) * half_y, high = fabs(sn) * half_x + fabs(c) * half_y;
	return (struct cairn_window){(int)fmax(floor(at_x - wide), -reach),
	    (int)fmax(floor(at_y - high), -reach), (int)fmin(ceil(at_x + wide), reach),
	    (int)fmin(ceil(at_y + high), reach)};
}

static void make(struct cairn_footprint_masks *s, int heading, int place_x, int place_y, int index)
{
	const double yaw_rad = 2.0 * M_PI * heading / HEADINGS, c = cos(yaw_rad), sn = sin(yaw_rad);
	const double x = (place_x + 0.5) / PLACES, y = (place_y + 0.5) / PLACES;
	struct cairn_window w = cells_around(s, x, y, c, sn, s->reach);
	uint64_t sure[2 * CAIRN_CELL_BITS_MARGIN + 1], perhaps[2 * CAIRN_CELL_BITS_MARGIN + 1], all = 0;
	int rows = 0, first_y = 0;
	for (int cy = w.y0; cy <= w.y1; cy++) {
		touch_row(
		    s, w.x0 + 0.5 - x, cy + 0.5 - y, c, sn, w.x1 - w.x0 + 1, &sure[rows], &perhaps[rows]);
		if (perhaps[rows] == 0)
			continue; /* below or above: the rows of a rectangle follow one another */
		all |= perhaps[rows];
		first_y = rows++ == 0 ? cy : first_y;
	}
	int left = __builtin_ctzll(all);
	s->place[index] =
	    (struct cairn_footprint_mask_place){(int8_t)(w.x0 + left), (int8_t)first_y, (int8_t)rows};
	for (int i = 0; i < rows; i++) {
		struct cairn_footprint_mask_group *g = &s->stamp[index].group[i / CAIRN_FOOTPRINT_MASK_GROUP];
		g->sure[i % CAIRN_FOOTPRINT_MASK_GROUP] = (uint32_t)(sure[i] >> left);
		g->perhaps[i % CAIRN_FOOTPRINT_MASK_GROUP] = (uint32_t)(perhaps[i] >> left);
	}
}

static bool same(const struct cairn_rect *a, const struct cairn_rect *b)
{
	return a->front_m == b->front_m && a->rear_m == b->rear_m && a->left_m == b->left_m &&
	       a->right_m == b->right_m;
}

int cairn_footprint_masks_start(struct cairn_footprint_masks *s, const struct cairn_rect *rect, double cell_m)
{
	if (s->cell_m == cell_m && same(&s->rect, rect))
		return 0;
	double reach_m = hypot(fmax(rect->front_m, rect->rear_m), fmax(rect->left_m, rect->right_m));
	double reach = ceil(reach_m / cell_m * (1.0 + M_PI / HEADINGS)) + 2.0; /* with what is in doubt */
	double width = hypot(rect->front_m + rect->rear_m, rect->left_m + rect->right_m) / cell_m + 4.0;
	bool fit = reach <= CAIRN_CELL_BITS_MARGIN && width <= CAIRN_FOOTPRINT_MASK_ROWS;
	cairn_footprint_masks_free(s);
	if (fit && (s->stamp = aligned_alloc(CACHE_LINE, STAMPS * sizeof(*s->stamp))) == NULL)
		return -ENOMEM;
	if (fit)
		memset(s->stamp, 0, STAMPS * sizeof(*s->stamp));
	s->rect = *rect;
	s->cell_m = cell_m;
	s->reach = (int)reach;
	return 0;
}

/* The number of the stamp for a pose whose cell is known; made when it is asked for first. */
static int stamp_for(
    struct cairn_footprint_masks *s, const struct cairn_pose2 *pose, double in_cell_x, double in_cell_y)
{
	int heading = (int)lrint(pose->yaw_rad * (HEADINGS / (2.0 * M_PI))) & (HEADINGS - 1);
	int place_x = in_cell_x < 0.5 ? 0 : 1, place_y = in_cell_y < 0.5 ? 0 : 1;
	int index = (heading * PLACES + place_y) * PLACES + place_x;
	if (s->place[index].rows == 0)
		make(s, heading, place_x, place_y, index);
	return index;
}
_Static_assert(sizeof(struct cairn_footprint_mask_group) == CACHE_LINE, "a group is a line");
_Static_assert(PLACES == 2 && (HEADINGS & (HEADINGS - 1)) == 0, "as stamp_for reckons");

/* The obstacles under rows of a stamp whose first cell is (x0, y0): false where one is under it for certain.
 * ret_doubt: of each row, those that may be. As many rows at once as the bits have to spare: those above the
 * stamp count for nothing. */
static bool look_under(const struct cairn_footprint_mask *stamp, int rows, const struct cairn_cell_bits *bits,
    int x0, int y0, uint32_t ret_doubt[CAIRN_FOOTPRINT_MASK_ROWS], bool *ret_any)
{
	cairn_half_bits4 sure = {0}, perhaps = {0};
	for (int from = 0; from < rows; from += 4) {
		const struct cairn_footprint_mask_group *g = &stamp->group[from / CAIRN_FOOTPRINT_MASK_GROUP];
		cairn_half_bits4 cells, of_sure, of_perhaps;
		memcpy(&of_sure, g->sure + from % CAIRN_FOOTPRINT_MASK_GROUP, sizeof(of_sure));
		memcpy(&of_perhaps, g->perhaps + from % CAIRN_FOOTPRINT_MASK_GROUP, sizeof(of_perhaps));
		cairn_cell_bits_four(bits, x0, y0 + from, &cells);
		sure |= cells & of_sure;
		cells &= of_perhaps;
		perhaps |= cells;
		memcpy(ret_doubt + from, &cells, sizeof(cells));
	}
	*ret_any = cairn_half_bits_any(perhaps);
	return !cairn_half_bits_any(sure);
}

/* None of the obstacles that are in doubt reaches into the rectangle itself. */
static bool fits_in_doubt(const struct cairn_footprint_masks *s, const struct cairn_costmap *cm,
    const uint32_t doubt[CAIRN_FOOTPRINT_MASK_ROWS], int rows, int x0, int y0, const struct cairn_laid *laid)
{
	for (int i = 0; i < rows; i++)
		for (uint32_t left = doubt[i]; left != 0; left &= left - 1)
			if (cairn_laid_off(&s->rect, cairn_laid_local(cm, laid, x0 + __builtin_ctz(left),
							 y0 + i)) < 0.5 * cm->cell_m)
				return false;
	return true;
}

bool cairn_footprint_masks_fit(struct cairn_footprint_masks *s, const struct cairn_costmap *cm,
    const struct cairn_cell_bits *bits, const struct cairn_pose2 *pose, double cosine, double sine)
{
	if (s->stamp == NULL || !(fabs(pose->yaw_rad) < 1e6))
		return cairn_costmap_fits_bits(cm, bits, pose->x_m, pose->y_m, cosine, sine, &s->rect);
	double fx = (pose->x_m - cm->origin_x_m) * cm->cells_per_m,
	       fy = (pose->y_m - cm->origin_y_m) * cm->cells_per_m;
	int cx = (int)fx, cy = (int)fy;
	int index = stamp_for(s, pose, fx - (double)cx, fy - (double)cy);
	const struct cairn_footprint_mask_place *at = &s->place[index];
	int x0 = cx + at->first_x, y0 = cy + at->first_y;
	uint32_t doubt[CAIRN_FOOTPRINT_MASK_ROWS];
	bool any;
	if (!look_under(&s->stamp[index], at->rows, bits, x0, y0, doubt, &any) || !any)
		return !any;
	struct cairn_laid laid = {.c = cosine, .s = sine, .x_m = pose->x_m, .y_m = pose->y_m};
	return fits_in_doubt(s, cm, doubt, at->rows, x0, y0, &laid);
}
