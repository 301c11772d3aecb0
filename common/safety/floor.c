#include "common/safety/floor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNSEEN 0
#define FREE 1
#define OBSTACLE 2
#define MASK (CAIRN_FLOOR_CELLS - 1)
#define GOES_ON_CELLS 4
#define NEAR_CELLS 28 /* points farther from the robot than this are left out: 1.4 m */
#define NEAR_SIDE (2 * NEAR_CELLS + 1)
#define WINDOW (NEAR_SIDE + 2 * GOES_ON_CELLS) /* those and what an obstacle beside them reaches */
#define WINDOW_ROW 72                          /* its bytes, more than it needs */
#define SAME_AS_LIDAR_M 0.15
#define BEHIND_M 0.06 /* so far behind what the camera sees another thing begins: seen through glass */
#define BESIDE_RAY_M 0.05
#define WHOLE_M 0.07 /* so far from the edge of the picture a cell is in it as a whole, however it lies */
#define JOINED_M 0.5 /* what two columns side by side see no farther apart than this is one thing */
#define HIDDEN_MAX 512 /* cells */
#define COLUMNS_MAX (sizeof(((struct cairn_msg_depth_scan *)0)->hit) / sizeof(bool))
#define REACH_MAX_M 0.15
#define TOUCH_M 0.005 /* nearer than this nothing can be: the robot is there */
#define FAR_CELLS 1e8
#define STEPS 64    /* along a column, looked at together */
#define FRACTION 22 /* bits behind the point of a place in the grid, in cells */
#define DOUBT_BITS                                                                                           \
	9 /* half as wide a band at the border of a cell, in which rounding could turn the answer */
#define DOUBT (1.0 / (1 << (FRACTION - DOUBT_BITS + 1)))
#define BLOCK 32      /* LiDAR points looked at together */
#define DRIVEN_M 0.02 /* the footprint is marked after this much */
#define BESIDE_M                                                                                             \
	0.05 /* what the robot has passed this closely going forward it did not touch: the way back along    \
		its own track is open */

_Static_assert((CAIRN_FLOOR_CELLS & MASK) == 0, "cells wrap by a mask");

struct cairn_floor_params cairn_floor_params_from(const struct cairn_config *cfg)
{
	return (struct cairn_floor_params){.body = {cfg->robot.footprint_front_m, cfg->robot.footprint_rear_m,
					       cfg->robot.footprint_half_width_m},
	    .start_m = cfg->safety.floor_start_m};
}

void cairn_floor_init(struct cairn_floor *f, const struct cairn_floor_params *params)
{
	memset(f, 0, sizeof(*f));
	f->params = *params;
}

/* floor() by hand: where the processor's own rounding is not to be counted on, the library's costs a call. No
 * branch, so that many can be done at a time. */
static inline int32_t cell_of(double m)
{
	double cell = m / CAIRN_FLOOR_CELL_M;
	cell = cell < FAR_CELLS ? cell : FAR_CELLS; /* held by no grid, like what is not a number */
	cell = cell > -FAR_CELLS ? cell : -FAR_CELLS;
	int32_t whole = (int32_t)cell;
	return whole - (cell < (double)whole);
}

static inline size_t cell_index(int32_t cx, int32_t cy)
{
	return (size_t)(cy & MASK) * CAIRN_FLOOR_CELLS + (size_t)(cx & MASK);
}

static inline uint8_t *at(struct cairn_floor *f, int32_t cx, int32_t cy)
{
	return &f->cells[cell_index(cx, cy)];
}

static uint16_t *seen_at(struct cairn_floor *f, int32_t cx, int32_t cy)
{
	return &f->seen_at[cell_index(cx, cy)];
}

static uint16_t driven_cells(const struct cairn_floor *f)
{
	return (uint16_t)(int64_t)(f->driven_m / CAIRN_FLOOR_CELL_M);
}

static bool held(const struct cairn_floor *f, int32_t cx, int32_t cy)
{
	return cx - f->cx >= -CAIRN_FLOOR_CELLS / 2 && cx - f->cx < CAIRN_FLOOR_CELLS / 2 &&
	       cy - f->cy >= -CAIRN_FLOOR_CELLS / 2 && cy - f->cy < CAIRN_FLOOR_CELLS / 2;
}

/* The robot has moved on: what the grid gains on one side was another place's cell before. */
static void follow(struct cairn_floor *f, int32_t cx, int32_t cy)
{
	int32_t dx = cx - f->cx, dy = cy - f->cy;
	if (abs(dx) >= CAIRN_FLOOR_CELLS || abs(dy) >= CAIRN_FLOOR_CELLS) {
		memset(f->cells, UNSEEN, sizeof(f->cells));
		f->cx = cx, f->cy = cy;
		return;
	}
	for (; f->cx != cx; f->cx += dx > 0 ? 1 : -1) {
		int32_t column = f->cx + CAIRN_FLOOR_CELLS / 2 - (dx > 0 ? 0 : 1);
		for (int32_t i = 0; i < CAIRN_FLOOR_CELLS; i++)
			*at(f, column, i) = UNSEEN;
	}
	for (; f->cy != cy; f->cy += dy > 0 ? 1 : -1) {
		int32_t row = f->cy + CAIRN_FLOOR_CELLS / 2 - (dy > 0 ? 0 : 1);
		memset(at(f, 0, row), UNSEEN, CAIRN_FLOOR_CELLS);
	}
}

/* Sets the cells whose centres lie under the footprint; those never seen also within beside_m of it, and in a
 * disc about its middle. */
static void mark(struct cairn_floor *f, struct cairn_pose2 pose, double beside_m, double disc_m)
{
	const struct cairn_footprint *body = &f->params.body;
	double reach = fmax(disc_m, hypot(fmax(body->front_m, body->rear_m), body->half_width_m)) + 0.1;
	double c = cos(pose.yaw_rad), s = sin(pose.yaw_rad), middle = 0.5 * (body->front_m - body->rear_m);
	int32_t end_cx = cell_of(pose.x_m + reach), end_cy = cell_of(pose.y_m + reach);
	for (int32_t cy = cell_of(pose.y_m - reach); cy <= end_cy; cy++)
		for (int32_t cx = cell_of(pose.x_m - reach); cx <= end_cx; cx++) {
			if (*at(f, cx, cy) == FREE)
				continue;
			double dx = (cx + 0.5) * CAIRN_FLOOR_CELL_M - pose.x_m,
			       dy = (cy + 0.5) * CAIRN_FLOOR_CELL_M - pose.y_m;
			double x = c * dx + s * dy, y = -s * dx + c * dy;
			bool under =
			    x <= body->front_m && x >= -body->rear_m && fabs(y) <= body->half_width_m;
			bool beside = x <= body->front_m + beside_m && x >= -body->rear_m - beside_m &&
				      fabs(y) <= body->half_width_m + beside_m;
			bool near = *at(f, cx, cy) == UNSEEN &&
				    (beside || (disc_m > 0.0 && hypot(x - middle, y) <= disc_m));
			if ((under || near) && held(f, cx, cy))
				*at(f, cx, cy) = FREE;
		}
}

/* Backward the robot comes near to what it does not see: were that freed when it is near, nothing unseen
 * beside the arc would ever stop it. */
void cairn_floor_drive(struct cairn_floor *f, struct cairn_pose2 pose)
{
	if (!isfinite(pose.x_m) || !isfinite(pose.y_m) || !isfinite(pose.yaw_rad))
		return;
	bool moved = hypot(pose.x_m - f->last.x_m, pose.y_m - f->last.y_m) >= DRIVEN_M ||
		     fabs(cairn_wrap_rad(pose.yaw_rad - f->last.yaw_rad)) >= 0.05;
	if (f->begun && !moved)
		return;
	follow(f, cell_of(pose.x_m), cell_of(pose.y_m));
	bool back = f->begun && cairn_pose_between(f->last, pose).x_m < 0.0;
	mark(f, pose, back ? 0.0 : BESIDE_M, f->begun ? 0.0 : f->params.start_m);
	if (f->begun)
		f->driven_m += hypot(pose.x_m - f->last.x_m, pose.y_m - f->last.y_m);
	f->begun = true;
	f->last = pose;
}

/* ---- seeing ---- */

bool cairn_depth_scan_ok(const struct cairn_msg_depth_scan *scan, const char **ret_why)
{
	uint32_t n = scan->angle_rad_count;
	*ret_why = NULL;
	if (n == 0 || n != scan->free_from_m_count || n != scan->free_to_m_count || n != scan->hit_count)
		*ret_why = "depth scan without matching columns";
	else if (!isfinite(scan->x_m) || !isfinite(scan->y_m) || !(scan->range_max_m > 0.0f) ||
		 !(scan->range_max_m <= 20.0f))
		*ret_why = "depth scan with a range that is none";
	for (uint32_t i = 0; i < n && *ret_why == NULL; i++)
		if (!(fabsf(scan->angle_rad[i]) <= 7.0f) || !isfinite(scan->free_from_m[i]) ||
		    !isfinite(scan->free_to_m[i]))
			*ret_why = "depth scan with numbers that are none";
	return *ret_why == NULL;
}

/* Is one of these n points near? In single precision, which sorts out nearly all of them, many at a time. */
static bool perhaps_near(const float *x_m, const float *y_m, size_t n, float x, float y)
{
	const float limit = (float)((SAME_AS_LIDAR_M + 1e-3) * (SAME_AS_LIDAR_M + 1e-3));
	int near = 0;
	for (size_t i = 0; i < n; i++) {
		float dx = x_m[i] - x, dy = y_m[i] - y;
		near |= dx * dx + dy * dy < limit;
	}
	return near != 0;
}

/* Is what the camera sees at (x, y), looking along (ux, uy), what the LiDAR sees? *hint: where the last one
 * was found, which is where its neighbour in the picture is found first. */
static bool seen_by_lidar(
    const struct cairn_points *lidar, double x, double y, double ux, double uy, size_t *hint)
{
	size_t count = lidar != NULL ? lidar->count : 0, blocks = (count + BLOCK - 1) / BLOCK;
	for (size_t k = 0; k < blocks; k++) {
		size_t block = *hint + k < blocks ? *hint + k : *hint + k - blocks, from = block * BLOCK;
		size_t n = count - from < BLOCK ? count - from : BLOCK;
		if (!perhaps_near(&lidar->x_m[from], &lidar->y_m[from], n, (float)x, (float)y))
			continue;
		for (size_t i = from; i < from + n; i++) {
			double dx = (double)lidar->x_m[i] - x, dy = (double)lidar->y_m[i] - y;
			double along = dx * ux + dy * uy, beside = fabs(dy * ux - dx * uy);
			if (dx * dx + dy * dy < SAME_AS_LIDAR_M * SAME_AS_LIDAR_M && along < BEHIND_M &&
			    beside < BESIDE_RAY_M) {
				*hint = block;
				return true;
			}
		}
	}
	return false;
}

/* One column of the picture on the floor: free along (x, y) + r (ux, uy), from <= r <= end. */
struct column {
	double x_m, y_m, ux, uy, from_m, end_m;
};

/* Step by step, whatever the numbers are. */
static void free_one_by_one(
    struct cairn_floor *f, const struct column *l, struct cairn_pose2 pose, double c, double s)
{
	for (double r = l->from_m; r <= l->end_m; r += 0.5 * CAIRN_FLOOR_CELL_M) {
		double x = l->x_m + r * l->ux, y = l->y_m + r * l->uy;
		int32_t cx = cell_of(pose.x_m + c * x - s * y), cy = cell_of(pose.y_m + s * x + c * y);
		if (held(f, cx, cy))
			*at(f, cx, cy) = FREE;
	}
}

/* The same in closed form, without divisions, in whole numbers and many steps at a time; false, with nothing
 * done, where a step comes so near to the border of a cell or of the grid that the two might differ. */
static bool free_at_once(
    struct cairn_floor *f, const struct column *l, struct cairn_pose2 pose, double c, double s)
{
	const double per_m = 1.0 / CAIRN_FLOOR_CELL_M, one = 1 << FRACTION;
	double steps = (l->end_m - l->from_m) * 2.0 * per_m;
	if (!(steps >= 0.0 && steps < 2 * STEPS - 1))
		return false;
	int32_t n = (int32_t)steps + 1;
	if (steps - (n - 1) < DOUBT || n - steps < DOUBT)
		return false;
	double x = l->x_m + l->from_m * l->ux, y = l->y_m + l->from_m * l->uy;
	int32_t corner_x = f->cx - CAIRN_FLOOR_CELLS / 2, corner_y = f->cy - CAIRN_FLOOR_CELLS / 2;
	double gx = (pose.x_m + c * x - s * y) * per_m - corner_x, /* in cells from the grid's corner */
	    gy = (pose.y_m + s * x + c * y) * per_m - corner_y;
	double dx = 0.5 * (c * l->ux - s * l->uy), dy = 0.5 * (s * l->ux + c * l->uy);
	double last_x = gx + (n - 1) * dx, last_y = gy + (n - 1) * dy, end = CAIRN_FLOOR_CELLS - DOUBT;
	if (!(gx > DOUBT && gx < end && gy > DOUBT && gy < end && last_x > DOUBT && last_x < end &&
		last_y > DOUBT && last_y < end && fabs(pose.x_m) < 1e6 && fabs(pose.y_m) < 1e6))
		return false;
	int32_t px = (int32_t)(gx * one), py = (int32_t)(gy * one), step_x = (int32_t)(dx * one),
		step_y = (int32_t)(dy * one), index[2 * STEPS];
	int32_t doubt = 0;
	for (int32_t k = 0; k < n; k++, px += step_x, py += step_y) {
		int32_t beside_x = (px + (1 << (DOUBT_BITS - 1))) & ((1 << FRACTION) - 1);
		int32_t beside_y = (py + (1 << (DOUBT_BITS - 1))) & ((1 << FRACTION) - 1);
		doubt |= (beside_x >> DOUBT_BITS == 0) | (beside_y >> DOUBT_BITS == 0);
		index[k] = (((py >> FRACTION) + corner_y) & MASK) * CAIRN_FLOOR_CELLS +
			   (((px >> FRACTION) + corner_x) & MASK);
	}
	if (doubt != 0)
		return false;
	for (int32_t k = 0; k < n; k++)
		f->cells[index[k]] = FREE;
	return true;
}

/* The same, but what was seen to stand in a cell is left there. */
static void free_unless_obstacle(
    struct cairn_floor *f, const struct column *l, struct cairn_pose2 pose, double c, double s)
{
	for (double r = l->from_m; r <= l->end_m; r += 0.5 * CAIRN_FLOOR_CELL_M) {
		double x = l->x_m + r * l->ux, y = l->y_m + r * l->uy;
		int32_t cx = cell_of(pose.x_m + c * x - s * y), cy = cell_of(pose.y_m + s * x + c * y);
		if (held(f, cx, cy) && *at(f, cx, cy) != OBSTACLE)
			*at(f, cx, cy) = FREE;
	}
}

/* First what is free, in all columns, then what is not: columns share cells. Near the edges of the picture a
 * column passes cells whose other half is not in it: what stands there is not taken away. */
static void see_free(struct cairn_floor *f, const struct cairn_msg_depth_scan *scan, uint32_t i,
    struct cairn_pose2 pose, double c, double s)
{
	const uint32_t last = scan->angle_rad_count - 1;
	double a = (double)scan->angle_rad[i],
	       to = fmin((double)scan->free_to_m[i], (double)scan->range_max_m);
	double from_edge_rad =
	    fmin(fabs(a - (double)scan->angle_rad[0]), fabs(a - (double)scan->angle_rad[last]));
	/* The cell of an obstacle is not entered from the front side. */
	double end_m = scan->hit[i] ? to - CAIRN_FLOOR_CELL_M : to;
	struct column l = {(double)scan->x_m, (double)scan->y_m, cos(a), sin(a),
	    fmax((double)scan->free_from_m[i], 0.0), 0.0};
	double whole_m = fmax(l.from_m + WHOLE_M, WHOLE_M / fmax(from_edge_rad, 1e-3));
	l.end_m = fmin(end_m, whole_m);
	free_unless_obstacle(f, &l, pose, c, s);
	l.from_m = whole_m;
	l.end_m = end_m;
	if (l.from_m <= l.end_m && !free_at_once(f, &l, pose, c, s))
		free_one_by_one(f, &l, pose, c, s);
}

static void mark_obstacle(struct cairn_floor *f, struct cairn_vec2 p)
{
	int32_t cx = cell_of(p.x_m), cy = cell_of(p.y_m);
	if (!held(f, cx, cy))
		return;
	*at(f, cx, cy) = OBSTACLE;
	*seen_at(f, cx, cy) = driven_cells(f);
}

/* Where column i ends at something that the LiDAR does not see; false: nowhere. */
static bool find_obstacle(const struct cairn_msg_depth_scan *scan, uint32_t i, struct cairn_pose2 pose,
    const struct cairn_points *lidar, size_t *hint, struct cairn_vec2 *ret)
{
	double a = (double)scan->angle_rad[i], to = (double)scan->free_to_m[i];
	double ux = cos(a), uy = sin(a), x0 = (double)scan->x_m, y0 = (double)scan->y_m;
	if (!scan->hit[i] || !(to > 0.0) || to > (double)scan->range_max_m ||
	    seen_by_lidar(lidar, x0 + to * ux, y0 + to * uy, ux, uy, hint))
		return false;
	*ret = cairn_pose_apply(pose, (struct cairn_vec2){x0 + to * ux, y0 + to * uy});
	return true;
}

/* What a picture shows of things that the LiDAR does not see. */
struct things {
	uint32_t count; /* columns */
	bool some[COLUMNS_MAX];
	struct cairn_vec2 at[COLUMNS_MAX];
	uint32_t hidden_count;
	uint32_t hidden[HIDDEN_MAX]; /* cells */
};

static void find_obstacles(const struct cairn_msg_depth_scan *scan, struct cairn_pose2 pose,
    const struct cairn_points *lidar, struct things *ret)
{
	size_t hint = 0;
	ret->count = scan->angle_rad_count;
	for (uint32_t i = 0; i < ret->count; i++)
		ret->some[i] = find_obstacle(scan, i, pose, lidar, &hint, &ret->at[i]);
}

/* What stands behind such a thing is not seen, and columns that pass on both sides say nothing of it though they touch
 * its cell: a pane seen from its end hides itself, and is narrower than a cell. */
static void note_hidden(const struct cairn_floor *f, const struct cairn_msg_depth_scan *scan, struct cairn_pose2 pose,
    struct things *things)
{
	things->hidden_count = 0;
	for (uint32_t i = 0; i < things->count; i++) {
		if (!things->some[i])
			continue;
		double a = pose.yaw_rad + (double)scan->angle_rad[i], c = cos(a), s = sin(a);
		double left_m = (double)scan->range_max_m - (double)scan->free_to_m[i];
		for (double r = 0.0; r <= left_m; r += 0.5 * CAIRN_FLOOR_CELL_M) {
			int32_t cx = cell_of(things->at[i].x_m + r * c), cy = cell_of(things->at[i].y_m + r * s);
			if (!held(f, cx, cy) || things->hidden_count == HIDDEN_MAX)
				break;
			size_t k = cell_index(cx, cy);
			bool again = things->hidden_count > 0 && things->hidden[things->hidden_count - 1] == k;
			if (f->cells[k] == OBSTACLE && !again)
				things->hidden[things->hidden_count++] = (uint32_t)k;
		}
	}
}

/* Something seen from its edge, a pane along which the camera looks, ends columns side by side far apart, and
 * the farther of them have just freed the cells in between, which they pass by a finger's breadth: it stands
 * there, too. */
static void mark_obstacles(struct cairn_floor *f, const struct things *things)
{
	for (uint32_t k = 0; k < things->hidden_count; k++)
		f->cells[things->hidden[k]] = OBSTACLE;
	for (uint32_t i = 0; i < things->count; i++) {
		if (!things->some[i])
			continue;
		struct cairn_vec2 p = things->at[i], last = i > 0 && things->some[i - 1] ? things->at[i - 1] : p;
		double apart_m = hypot(p.x_m - last.x_m, p.y_m - last.y_m);
		mark_obstacle(f, p);
		int between = apart_m <= JOINED_M ? (int)(apart_m / (0.5 * CAIRN_FLOOR_CELL_M)) : 0;
		for (int k = 1; k <= between; k++) {
			double u = (double)k / (between + 1);
			mark_obstacle(f, (struct cairn_vec2){last.x_m + u * (p.x_m - last.x_m),
					     last.y_m + u * (p.y_m - last.y_m)});
		}
	}
}

/* The cells around the robot's, row by row, without the grid's wrapping round. */
struct window {
	bool obstacles; /* one at least */
	uint8_t cells[WINDOW][WINDOW_ROW];
};

static void look_around(const struct cairn_floor *f, struct window *ret)
{
	const int32_t reach = NEAR_CELLS + GOES_ON_CELLS, first = (f->cx - reach) & MASK;
	size_t head = CAIRN_FLOOR_CELLS - (size_t)first < WINDOW ? CAIRN_FLOOR_CELLS - (size_t)first : WINDOW;
	int obstacles = 0;
	for (int32_t y = 0; y < WINDOW; y++) {
		const uint8_t *row = &f->cells[(size_t)((f->cy - reach + y) & MASK) * CAIRN_FLOOR_CELLS];
		uint8_t *out = ret->cells[y];
		memcpy(out, row + first, head);
		memcpy(out + head, row, WINDOW - head);
		for (int32_t x = 0; x < WINDOW; x++)
			obstacles |= out[x] == OBSTACLE;
	}
	ret->obstacles = obstacles != 0;
}

/* A thing at the edge of the picture goes on beside it: the camera shows only its far end. */
static bool near_obstacle(const struct window *w, int32_t x, int32_t y)
{
	for (int32_t row = y - GOES_ON_CELLS; row <= y + GOES_ON_CELLS; row++)
		if (memchr(&w->cells[row][x - GOES_ON_CELLS], OBSTACLE, 2 * GOES_ON_CELLS + 1) != NULL)
			return true;
	return false;
}

#define POINT_NONE 0
#define POINT_OBSTACLE 1
#define POINT_BORDER 2

/* What the cells of a row are as points. Border: unseen, and beside something seen; not a slit between two
 * columns of the picture, seen on both its sides. The tip of something wide is seen on both sides as well, so
 * what a slit runs into must be seen or a slit, too. */
static void judge_row(const struct window *w, int32_t y, uint8_t ret[NEAR_SIDE])
{
	const uint8_t *row = &w->cells[y][GOES_ON_CELLS], *below = &w->cells[y - 1][GOES_ON_CELLS],
		      *above = &w->cells[y + 1][GOES_ON_CELLS];
	for (int32_t x = 0; x < NEAR_SIDE; x++) {
		uint8_t west = row[x - 1] == FREE, east = row[x + 1] == FREE, south = below[x] == FREE,
			north = above[x] == FREE;
		uint8_t thin_below = south | ((below[x - 1] == FREE) & (below[x + 1] == FREE)),
			thin_above = north | ((above[x - 1] == FREE) & (above[x + 1] == FREE)),
			thin_west = west | ((below[x - 1] == FREE) & (above[x - 1] == FREE)),
			thin_east = east | ((below[x + 1] == FREE) & (above[x + 1] == FREE));
		uint8_t slit =
		    (west & east & thin_below & thin_above) | (south & north & thin_west & thin_east);
		uint8_t border = (row[x] == UNSEEN) & (west | east | south | north) & !slit;
		ret[x] = (uint8_t)(row[x] == OBSTACLE ? POINT_OBSTACLE : border * POINT_BORDER);
	}
}

/* How much nearer than its cell's centre the thing in it may begin. */
static double reach(struct cairn_floor *f, int32_t x, int32_t y)
{
	if (!(f->params.drift_share > 0.0))
		return 0.0;
	double since_m = (uint16_t)(driven_cells(f) - *seen_at(f, x, y)) * CAIRN_FLOOR_CELL_M;
	return fmin(0.5 * CAIRN_FLOOR_CELL_M + f->params.drift_share * since_m, REACH_MAX_M);
}

static void add_point(struct cairn_floor *f, int32_t x, int32_t y, double reach_m)
{
	if (f->count == CAIRN_FLOOR_POINTS_MAX)
		return;
	f->reach_m[f->count] = (float)reach_m;
	f->x_m[f->count] = (float)((x + 0.5) * CAIRN_FLOOR_CELL_M);
	f->y_m[f->count++] = (float)((y + 0.5) * CAIRN_FLOOR_CELL_M);
}

/* Obstacles, then how they go on beside the picture, then the rest of the border of what was never seen. */
static void list_points(struct cairn_floor *f)
{
	struct window w;
	int8_t border_x[NEAR_SIDE * NEAR_SIDE], border_y[NEAR_SIDE * NEAR_SIDE]; /* from the robot's cell */
	uint8_t judged[NEAR_SIDE + 7] = {0};
	uint32_t borders = 0, plain = 0;
	f->count = 0;
	look_around(f, &w);
	for (int32_t y = -NEAR_CELLS; y <= NEAR_CELLS; y++) {
		judge_row(&w, y + NEAR_CELLS + GOES_ON_CELLS, judged);
		for (int32_t x = -NEAR_CELLS; x <= NEAR_CELLS; x++) {
			uint8_t is = judged[x + NEAR_CELLS];
			uint64_t eight;
			memcpy(&eight, &judged[x + NEAR_CELLS], sizeof(eight));
			if (eight == 0) /* nearly everywhere */
				x += 7;
			if (is == POINT_OBSTACLE)
				add_point(f, f->cx + x, f->cy + y, reach(f, f->cx + x, f->cy + y));
			if (is != POINT_BORDER)
				continue;
			border_x[borders] = (int8_t)x;
			border_y[borders++] = (int8_t)y;
		}
	}
	for (uint32_t i = 0; i < borders; i++) {
		int32_t x = border_x[i], y = border_y[i];
		if (w.obstacles &&
		    near_obstacle(&w, x + NEAR_CELLS + GOES_ON_CELLS, y + NEAR_CELLS + GOES_ON_CELLS)) {
			add_point(f, f->cx + x, f->cy + y, 0.0);
			continue;
		}
		border_x[plain] = border_x[i];
		border_y[plain++] = border_y[i];
	}
	f->solid = f->count;
	for (uint32_t i = 0; i < plain; i++)
		add_point(f, f->cx + border_x[i], f->cy + border_y[i], 0.0);
}

void cairn_floor_see(struct cairn_floor *f, const struct cairn_msg_depth_scan *scan, struct cairn_pose2 pose,
    const struct cairn_points *lidar)
{
	const char *why;
	if (!cairn_depth_scan_ok(scan, &why) || !isfinite(pose.x_m) || !isfinite(pose.y_m) ||
	    !isfinite(pose.yaw_rad))
		return;
	if (!f->begun)
		cairn_floor_drive(f, pose);
	f->some = true;
	double c = cos(pose.yaw_rad), s = sin(pose.yaw_rad);
	struct things things;
	find_obstacles(scan, pose, lidar, &things);
	note_hidden(f, scan, pose, &things);
	for (uint32_t i = 0; i < scan->angle_rad_count; i++)
		see_free(f, scan, i, pose, c, s);
	mark_obstacles(f, &things);
	mark(f, pose, 0.0, 0.0);
	list_points(f);
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

void cairn_floor_points(const struct cairn_floor *f, struct cairn_pose2 pose, struct cairn_points *points)
{
	if (!f->some)
		return;
	float c = (float)cos(pose.yaw_rad), s = (float)sin(pose.yaw_rad), px = (float)pose.x_m,
	      py = (float)pose.y_m;
	size_t n = points->count, behind = 0;
	for (uint32_t i = 0; i < f->count && n < CAIRN_POINTS_MAX; i++, n++) {
		float dx = f->x_m[i] - px, dy = f->y_m[i] - py, x = c * dx + s * dy, y = c * dy - s * dx;
		points->x_m[n] = x;
		points->y_m[n] = y;
		behind += i >= f->solid;
		if (f->reach_m[i] > 0.0f && n + 1 < CAIRN_POINTS_MAX &&
		    nearer(&f->params.body, f->reach_m[i], &x, &y)) {
			points->x_m[++n] = x;
			points->y_m[n] = y;
		}
	}
	points->behind = behind;
	points->count = n - behind;
}
