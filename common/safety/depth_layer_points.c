#include "common/safety/depth_layer_private.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#define GOES_ON_CELLS 4
#define NEAR_CELLS 28 /* points farther from the robot than this are left out: 1.4 m */
#define NEAR_SIDE (2 * NEAR_CELLS + 1)
#define WINDOW (NEAR_SIDE + 2 * GOES_ON_CELLS) /* those and what an obstacle beside them reaches */
#define REACH_MAX_M 0.15
#define TOUCH_M 0.005 /* nearer than this nothing can be: the robot is there */

/* The cells around the robot's, a bit each, rows from south to north and bits from west to east; what would
 * be the 65th bit of a row is of no matter but for obstacles. */
struct window {
	uint64_t free[WINDOW], obstacle[WINDOW];
	uint64_t wide[WINDOW]; /* within GOES_ON_CELLS of an obstacle of the row */
};
#define NEAR_BITS (((UINT64_C(1) << NEAR_SIDE) - 1) << GOES_ON_CELLS)
_Static_assert(WINDOW == 65 && GOES_ON_CELLS == 4, "what a row's bits are good for");

/* Lowest bits of eight bytes, the first byte's lowest: each is moved to another place of the top byte. */
static inline uint64_t gather(uint64_t eight)
{
	return ((eight & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080)) >> 56;
}

/* A bit for each cell of so many from first on, round the grid; *ret_end: the last one of an obstacle. */
static void look_along(
    const uint8_t *row, uint32_t first, uint64_t *ret_free, uint64_t *ret_obstacle, uint64_t *ret_end)
{
	uint64_t free[2] = {0}, obstacle[2] = {0};
	uint32_t off = first % 8;
	for (uint32_t k = 0; k < 9; k++) { /* 65 cells lie within nine times eight */
		uint64_t eight;
		memcpy(&eight, &row[(first - off + 8 * k) & CAIRN_DEPTH_LAYER_MASK], sizeof(eight));
		if (eight == 0) /* never seen: so it is with much of a house */
			continue;
		eight = le64toh(eight);
		free[k / 8] |= gather(eight) << (8 * k % 64);
		obstacle[k / 8] |= gather(eight >> 1) << (8 * k % 64);
	}
	*ret_free = free[0] >> off | free[1] << 1 << (63 - off);
	*ret_obstacle = obstacle[0] >> off | obstacle[1] << 1 << (63 - off);
	*ret_end = obstacle[1] >> off & 1;
}

static void look_around(const struct cairn_depth_layer *f, struct window *ret)
{
	const int32_t reach = NEAR_CELLS + GOES_ON_CELLS;
	uint32_t first = (uint32_t)(f->cx - reach) & CAIRN_DEPTH_LAYER_MASK;
	for (int32_t y = 0; y < WINDOW; y++) {
		uint64_t end;
		look_along(&f->cells[(size_t)((f->cy - reach + y) & CAIRN_DEPTH_LAYER_MASK) *
				     CAIRN_DEPTH_LAYER_CELLS],
		    first, &ret->free[y], &ret->obstacle[y], &end);
		uint64_t o = ret->obstacle[y], two = o | o >> 1, four = two | two >> 2,
			 eight = four | four >> 4;
		/* One of the nine bits from here on, then from the middle of them. */
		ret->wide[y] = (eight | o >> 8 | end << (WINDOW - 9)) << GOES_ON_CELLS;
	}
}

/* A thing at the edge of the picture goes on beside it: the camera shows only its far end. */
static uint64_t near_obstacle(const struct window *w, int32_t y)
{
	uint64_t near = 0;
	for (int32_t row = y - GOES_ON_CELLS; row <= y + GOES_ON_CELLS; row++)
		near |= w->wide[row];
	return near;
}

/* Border: unseen, and beside something seen; not a slit between two columns of the picture, seen on both its
 * sides. The tip of something wide is seen on both sides as well, so what a slit runs into must be seen or a
 * slit, too. */
static uint64_t border_of(const struct window *w, int32_t y)
{
	uint64_t row = w->free[y], south = w->free[y - 1], north = w->free[y + 1];
	uint64_t west = row << 1, east = row >> 1;
	uint64_t thin_below = south | (south << 1 & south >> 1),
		 thin_above = north | (north << 1 & north >> 1);
	uint64_t thin_west = west | (south << 1 & north << 1), thin_east = east | (south >> 1 & north >> 1);
	uint64_t slit = (west & east & thin_below & thin_above) | (south & north & thin_west & thin_east);
	return ~(row | w->obstacle[y]) & (west | east | south | north) & ~slit & NEAR_BITS;
}

/* How much nearer than its cell's centre the thing in it may begin. On its own way back the robot is where it was when it
 * passed the thing. */
static double reach(struct cairn_depth_layer *f, int32_t x, int32_t y)
{
	if (!(f->params.drift_share > 0.0))
		return 0.0;
	double since_m = (uint16_t)(cairn_depth_layer_driven_cells(f) - *cairn_depth_layer_seen_at(f, x, y)) *
			 CAIRN_DEPTH_LAYER_CELL_M;
	return fmin(
	    0.5 * CAIRN_DEPTH_LAYER_CELL_M + f->params.drift_share * fmin(since_m, f->astray_m), REACH_MAX_M);
}

static void add_point(struct cairn_depth_layer *f, int32_t x, int32_t y, double reach_m)
{
	if (f->count == CAIRN_DEPTH_LAYER_POINTS_MAX)
		return;
	f->reach_m[f->count] = (float)reach_m;
	f->x_m[f->count] = (float)((x + 0.5) * CAIRN_DEPTH_LAYER_CELL_M);
	f->y_m[f->count++] = (float)((y + 0.5) * CAIRN_DEPTH_LAYER_CELL_M);
}

/* The cells of these bits of a row are points. */
static void add_points(struct cairn_depth_layer *f, uint64_t bits, int32_t row, bool obstacles)
{
	const int32_t reach_cells = NEAR_CELLS + GOES_ON_CELLS;
	for (; bits != 0; bits &= bits - 1) {
		int32_t x = f->cx - reach_cells + __builtin_ctzll(bits), y = f->cy - reach_cells + row;
		add_point(f, x, y, obstacles ? reach(f, x, y) : 0.0);
	}
}

/* Obstacles, then how they go on beside the picture, then the rest of the border of what was never seen. */
void cairn_depth_layer_list(struct cairn_depth_layer *f)
{
	const int32_t first = GOES_ON_CELLS, end = GOES_ON_CELLS + NEAR_SIDE; /* rows */
	struct window w;
	uint64_t border[WINDOW];
	f->count = 0;
	look_around(f, &w);
	for (int32_t y = first; y < end; y++)
		add_points(f, w.obstacle[y] & NEAR_BITS, y, true);
	for (int32_t y = first; y < end; y++) {
		uint64_t near = near_obstacle(&w, y), all = border_of(&w, y);
		add_points(f, all & near, y, false);
		border[y] = all & ~near;
	}
	f->solid = f->count;
	for (int32_t y = first; y < end; y++)
		add_points(f, border[y], y, false);
}

/* The same point reach_m nearer to the footprint, but not in it. False: it is too near for that to matter. */
static bool nearer(const struct cairn_footprint *body, float reach_m, float *x, float *y)
{
	float bx = fminf(fmaxf(*x, -(float)body->rear_m), (float)body->front_m);
	float by = fminf(fmaxf(*y, -(float)body->half_width_m), (float)body->half_width_m);
	float dx = bx - *x, dy = by - *y, gap = sqrtf(dx * dx + dy * dy);
	float step = fminf(reach_m, gap - (float)TOUCH_M);
	if (step <= 0.0f)
		return false;
	*x += dx / gap * step;
	*y += dy / gap * step;
	return true;
}

/* Obstacles and how they go on, from n on; the new number. */
static size_t lay_solid(
    const struct cairn_depth_layer *f, struct cairn_pose2 pose, struct cairn_points *points, size_t n)
{
	float c = (float)cos(pose.yaw_rad), s = (float)sin(pose.yaw_rad), px = (float)pose.x_m,
	      py = (float)pose.y_m;
	for (uint32_t i = 0; i < f->solid && n < CAIRN_POINTS_MAX; i++, n++) {
		float dx = f->x_m[i] - px, dy = f->y_m[i] - py, x = c * dx + s * dy, y = c * dy - s * dx;
		points->x_m[n] = x;
		points->y_m[n] = y;
		if (f->reach_m[i] > 0.0f && n + 1 < CAIRN_POINTS_MAX &&
		    nearer(&f->params.body, f->reach_m[i], &x, &y)) {
			points->x_m[++n] = x;
			points->y_m[n] = y;
		}
	}
	return n;
}

/* The border of the unseen, from n on, which begins nowhere nearer; how many. Many at a time. */
static size_t lay_border(
    const struct cairn_depth_layer *f, struct cairn_pose2 pose, struct cairn_points *points, size_t n)
{
	float c = (float)cos(pose.yaw_rad), s = (float)sin(pose.yaw_rad), px = (float)pose.x_m,
	      py = (float)pose.y_m;
	size_t room = CAIRN_POINTS_MAX - n, count = f->count - f->solid < room ? f->count - f->solid : room;
	const float *restrict from_x_m = &f->x_m[f->solid], *restrict from_y_m = &f->y_m[f->solid];
	float *restrict x_m = &points->x_m[n], *restrict y_m = &points->y_m[n];
	for (size_t i = 0; i < count; i++) {
		float dx = from_x_m[i] - px, dy = from_y_m[i] - py;
		x_m[i] = c * dx + s * dy;
		y_m[i] = c * dy - s * dx;
	}
	return count;
}

void cairn_depth_layer_points(
    const struct cairn_depth_layer *f, struct cairn_pose2 pose, struct cairn_points *points)
{
	if (!f->some)
		return;
	pose = cairn_depth_layer_fixed(f, pose);
	points->count = lay_solid(f, pose, points, points->count);
	points->behind = lay_border(f, pose, points, points->count);
}

/* A point may lie so much nearer to the robot than the cell of its thing (lay_solid). */
bool cairn_depth_layer_thing(
    const struct cairn_depth_layer *f, struct cairn_pose2 pose, double x_m, double y_m, double *ret_top_m)
{
	const int32_t reach = 1 + (int32_t)(REACH_MAX_M / CAIRN_DEPTH_LAYER_CELL_M);
	struct cairn_vec2 p =
	    cairn_pose_apply(cairn_depth_layer_fixed(f, pose), (struct cairn_vec2){x_m, y_m});
	int32_t cx = cairn_depth_layer_cell_of(p.x_m), cy = cairn_depth_layer_cell_of(p.y_m);
	double nearest2 = INFINITY;
	for (int32_t y = cy - reach; y <= cy + reach; y++) {
		for (int32_t x = cx - reach; x <= cx + reach; x++) {
			size_t k = cairn_depth_layer_cell_index(x, y);
			double dx = (x + 0.5) * CAIRN_DEPTH_LAYER_CELL_M - p.x_m,
			       dy = (y + 0.5) * CAIRN_DEPTH_LAYER_CELL_M - p.y_m, d2 = dx * dx + dy * dy;
			if (!cairn_depth_layer_held(f, x, y) || f->cells[k] != CAIRN_DEPTH_LAYER_OBSTACLE ||
			    d2 >= nearest2)
				continue;
			nearest2 = d2;
			*ret_top_m = 0.01 * f->top_cm[k];
		}
	}
	return nearest2 < INFINITY;
}
