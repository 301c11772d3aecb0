#include "common/safety/depth_layer_private.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SAME_AS_LIDAR_M 0.15
#define BEHIND_M 0.06 /* so far behind what the camera sees another thing begins: seen through glass */
#define BESIDE_RAY_M 0.05
#define WHOLE_M 0.07   /* so far from the edge of the picture a cell is in it as a whole, however it lies */
#define JOINED_M 0.5   /* what two columns side by side see no farther apart than this is one thing */
#define HIDDEN_MAX 512 /* cells */
#define STEPS 64       /* along a column, looked at together */
#define INDEX_MAX (2 * STEPS + 4)
#define FRACTION 22 /* bits behind the point of a place in the grid, in cells */
#define DOUBT_BITS                                                                                           \
	9 /* half as wide a band at the border of a cell, in which rounding could turn the answer */
#define DOUBT (1.0 / (1 << (FRACTION - DOUBT_BITS + 1)))
#define BLOCK 32 /* LiDAR points looked at together */
#define GROUP 8  /* of a block, looked at closer */

bool cairn_depth_scan_ok(const struct cairn_msg_depth_scan *scan, const char **ret_why)
{
	uint32_t n = scan->angle_rad_count;
	*ret_why = NULL;
	if (n == 0 || n != scan->free_from_m_count || n != scan->free_to_m_count || n != scan->hit_count ||
	    (scan->top_m_count != 0 && scan->top_m_count != n))
		*ret_why = "depth scan without matching columns";
	else if (!isfinite(scan->x_m) || !isfinite(scan->y_m) || !(scan->range_max_m > 0.0f) ||
		 !(scan->range_max_m <= 20.0f))
		*ret_why = "depth scan with a range that is none";
	int bad = 0; /* without branches: many at a time */
	for (uint32_t i = 0; i < n && *ret_why == NULL; i++)
		bad |= !(fabsf(scan->angle_rad[i]) <= 7.0f) | !(fabsf(scan->free_from_m[i]) <= FLT_MAX) |
		       !(fabsf(scan->free_to_m[i]) <= FLT_MAX);
	if (bad != 0)
		*ret_why = "depth scan with numbers that are none";
	return *ret_why == NULL;
}

/* Is one of these n points near? In single precision, which sorts out nearly all of them. */
static inline bool perhaps_near(const float *x_m, const float *y_m, size_t n, float x, float y)
{
	const float limit = (float)((SAME_AS_LIDAR_M + 1e-3) * (SAME_AS_LIDAR_M + 1e-3));
	return cairn_some_within(x_m, y_m, n, x, y, limit);
}

/* A place that the camera sees, looking along (ux, uy). */
struct sighting {
	double x, y, ux, uy;
};

/* Is it what one of these points is, of a group? */
static bool seen_in_group(const struct cairn_points *lidar, size_t from, size_t end, const struct sighting *s)
{
	for (size_t i = from; i < end; i++) {
		double dx = (double)lidar->x_m[i] - s->x, dy = (double)lidar->y_m[i] - s->y;
		if (!(dx * dx + dy * dy < SAME_AS_LIDAR_M * SAME_AS_LIDAR_M))
			continue;
		double along = dx * s->ux + dy * s->uy, beside = fabs(dy * s->ux - dx * s->uy);
		if (along < BEHIND_M && beside < BESIDE_RAY_M)
			return true;
	}
	return false;
}

/* The group of the block at from that shows it, by its first point; false: none does. */
static bool seen_in_block(
    const struct cairn_points *lidar, size_t from, const struct sighting *s, size_t *ret_group)
{
	const float *x_m = &lidar->x_m[from], *y_m = &lidar->y_m[from];
	size_t n = lidar->count - from < BLOCK ? lidar->count - from : BLOCK;
	float x = (float)s->x, y = (float)s->y;
	/* A number known beforehand: without a rest to be looked at one by one. */
	if (n == BLOCK && !perhaps_near(x_m, y_m, BLOCK, x, y))
		return false;
	for (size_t k = 0; k < n; k += GROUP) {
		size_t m = n - k < GROUP ? n - k : GROUP;
		if (m == GROUP && !perhaps_near(x_m + k, y_m + k, GROUP, x, y))
			continue;
		*ret_group = from + k;
		if (seen_in_group(lidar, from + k, from + k + m, s))
			return true;
	}
	return false;
}

/* Is what the camera sees what the LiDAR sees? *hint: the group of points where the last one was found, in
 * which its neighbour in the picture is found first. */
static bool seen_by_lidar(const struct cairn_points *lidar, const struct sighting *s, size_t *hint)
{
	size_t count = lidar != NULL ? lidar->count : 0, blocks = (count + BLOCK - 1) / BLOCK, group;
	if (*hint + GROUP <= count && seen_in_group(lidar, *hint, *hint + GROUP, s))
		return true;
	for (size_t k = 0, block = *hint / BLOCK; k < blocks; k++, block++) {
		block = block < blocks ? block : 0;
		if (seen_in_block(lidar, block * BLOCK, s, &group)) {
			*hint = group;
			return true;
		}
	}
	return false;
}

/* One column of the picture on the floor: free along (x, y) + r (ux, uy), from <= r <= end. */
struct column {
	double x_m, y_m, ux, uy, from_m, end_m;
};

/* Frees a cell; keep: but not an obstacle's. */
static inline void free_cell(uint8_t *cell, bool keep)
{
	if (!keep || *cell == CAIRN_DEPTH_LAYER_UNSEEN)
		*cell = CAIRN_DEPTH_LAYER_FREE;
}

/* Step by step, whatever the numbers are. */
static void free_one_by_one(struct cairn_depth_layer *f, const struct column *l, struct cairn_pose2 pose,
    double c, double s, bool keep)
{
	for (double r = l->from_m; r <= l->end_m; r += 0.5 * CAIRN_DEPTH_LAYER_CELL_M) {
		double x = l->x_m + r * l->ux, y = l->y_m + r * l->uy;
		int32_t cx = cairn_depth_layer_cell_of(pose.x_m + c * x - s * y),
			cy = cairn_depth_layer_cell_of(pose.y_m + s * x + c * y);
		if (cairn_depth_layer_held(f, cx, cy))
			free_cell(cairn_depth_layer_at(f, cx, cy), keep);
	}
}

typedef uint32_t lanes4 __attribute__((vector_size(16)));

/* A walk over the grid in even steps, in whole numbers: cells from the grid's own, with FRACTION bits behind
 * the point; what is more than the grid has cells wraps round. Half the doubt is added beforehand. */
struct walk {
	uint32_t x, y, step_x, step_y, count;
};

/* The same as step by step in closed form, without divisions; false where the number of steps, or whether
 * they are held by the grid, could come out otherwise. */
static bool plan_walk(const struct cairn_depth_layer *f, const struct column *l, struct cairn_pose2 pose,
    double c, double s, struct walk *ret)
{
	const double per_m = 1.0 / CAIRN_DEPTH_LAYER_CELL_M, one = 1 << FRACTION;
	double steps = (l->end_m - l->from_m) * 2.0 * per_m;
	if (!(steps >= 0.0 && steps < 2 * STEPS - 1))
		return false;
	int32_t n = (int32_t)steps + 1;
	if (steps - (n - 1) < DOUBT || n - steps < DOUBT)
		return false;
	double x = l->x_m + l->from_m * l->ux, y = l->y_m + l->from_m * l->uy;
	int32_t corner_x = f->cx - CAIRN_DEPTH_LAYER_CELLS / 2,
		corner_y = f->cy - CAIRN_DEPTH_LAYER_CELLS / 2;
	double gx = (pose.x_m + c * x - s * y) * per_m - corner_x, /* in cells from the grid's corner */
	    gy = (pose.y_m + s * x + c * y) * per_m - corner_y;
	double dx = 0.5 * (c * l->ux - s * l->uy), dy = 0.5 * (s * l->ux + c * l->uy);
	double last_x = gx + (n - 1) * dx, last_y = gy + (n - 1) * dy, end = CAIRN_DEPTH_LAYER_CELLS - DOUBT;
	if (!(gx > DOUBT && gx < end && gy > DOUBT && gy < end && last_x > DOUBT && last_x < end &&
		last_y > DOUBT && last_y < end && fabs(pose.x_m) < 1e6 && fabs(pose.y_m) < 1e6))
		return false;
	const uint32_t half_doubt = 1u << (DOUBT_BITS - 1);
	*ret = (struct walk){(uint32_t)(int32_t)(gx * one) + ((uint32_t)corner_x << FRACTION) + half_doubt,
	    (uint32_t)(int32_t)(gy * one) + ((uint32_t)corner_y << FRACTION) + half_doubt,
	    (uint32_t)(int32_t)(dx * one), (uint32_t)(int32_t)(dy * one), (uint32_t)n};
	return true;
}

/* The cells of the walk, four at a time; behind them the last one again, so that they can be gone through by
 * fours. False where a step comes so near to the border of a cell that rounding could turn the answer. */
static bool take_walk(const struct walk *walk, uint32_t index[INDEX_MAX])
{
	const struct walk w = *walk; /* not to be read again after each of the index */
	const uint32_t sure = (1u << FRACTION) - (1u << DOUBT_BITS);
	lanes4 x = {w.x, w.x + w.step_x, w.x + 2 * w.step_x, w.x + 3 * w.step_x};
	lanes4 y = {w.y, w.y + w.step_y, w.y + 2 * w.step_y, w.y + 3 * w.step_y};
	lanes4 doubt = {0};
	for (uint32_t k = 0; k < w.count; k += 4, x += 4 * w.step_x, y += 4 * w.step_y) {
		doubt |= (lanes4)((x & sure) == 0) | (lanes4)((y & sure) == 0);
		lanes4 at = (y >> FRACTION & CAIRN_DEPTH_LAYER_MASK) * CAIRN_DEPTH_LAYER_CELLS +
			    (x >> FRACTION & CAIRN_DEPTH_LAYER_MASK);
		memcpy(&index[k], &at, sizeof(at));
	}
	lanes4 last = (lanes4){0} + index[w.count - 1];
	memcpy(&index[w.count], &last, sizeof(last));
	return (doubt[0] | doubt[1] | doubt[2] | doubt[3]) == 0;
}

static void free_column(struct cairn_depth_layer *f, const struct column *l, struct cairn_pose2 pose,
    double c, double s, bool keep)
{
	struct walk walk;
	uint32_t index[INDEX_MAX];
	if (!plan_walk(f, l, pose, c, s, &walk) || !take_walk(&walk, index)) {
		free_one_by_one(f, l, pose, c, s, keep);
		return;
	}
	for (uint32_t k = 0; k < walk.count; k += 4)
		for (uint32_t i = k; i < k + 4; i++)
			free_cell(&f->cells[index[i]], keep);
}

static void mark_obstacle(struct cairn_depth_layer *f, struct cairn_vec2 p, float top_m)
{
	int32_t cx = cairn_depth_layer_cell_of(p.x_m), cy = cairn_depth_layer_cell_of(p.y_m);
	if (!cairn_depth_layer_held(f, cx, cy))
		return;
	*cairn_depth_layer_at(f, cx, cy) = CAIRN_DEPTH_LAYER_OBSTACLE;
	*cairn_depth_layer_seen_at(f, cx, cy) = cairn_depth_layer_driven_cells(f);
	f->top_cm[cairn_depth_layer_cell_index(cx, cy)] =
	    (uint8_t)(top_m > 0.0f ? fminf(100.0f * top_m + 0.5f, 255.0f) : 0.0f);
}

/* Where column i ends at something that the LiDAR does not see; false: nowhere. */
static bool find_obstacle(const struct cairn_depth_layer *f, const struct cairn_msg_depth_scan *scan,
    uint32_t i, struct cairn_pose2 pose, const struct cairn_points *lidar, size_t *hint,
    struct cairn_vec2 *ret)
{
	double to = (double)scan->free_to_m[i], ux = f->looks.c[i], uy = f->looks.s[i];
	if (!scan->hit[i] || !(to > 0.0) || to > (double)scan->range_max_m)
		return false;
	struct sighting s = {(double)scan->x_m + to * ux, (double)scan->y_m + to * uy, ux, uy};
	if (seen_by_lidar(lidar, &s, hint))
		return false;
	*ret = cairn_pose_apply(pose, (struct cairn_vec2){s.x, s.y});
	return true;
}

/* What a picture shows of things that the LiDAR does not see. */
struct things {
	uint32_t count; /* columns */
	bool some[CAIRN_DEPTH_LAYER_COLUMNS_MAX];
	float top_m[CAIRN_DEPTH_LAYER_COLUMNS_MAX];
	float clear_m[CAIRN_DEPTH_LAYER_COLUMNS_MAX]; /* so far each tells what is not there */
	struct cairn_vec2 at[CAIRN_DEPTH_LAYER_COLUMNS_MAX];
	uint32_t hidden_count;
	uint32_t hidden[HIDDEN_MAX]; /* cells */
};

static void find_obstacles(const struct cairn_depth_layer *f, const struct cairn_msg_depth_scan *scan,
    struct cairn_pose2 pose, const struct cairn_points *lidar, struct things *ret)
{
	size_t hint = 0;
	ret->count = scan->angle_rad_count;
	for (uint32_t i = 0; i < ret->count; i++) {
		ret->some[i] = find_obstacle(f, scan, i, pose, lidar, &hint, &ret->at[i]);
		ret->top_m[i] = scan->top_m_count > 0 ? scan->top_m[i] : 0.0f;
	}
}

/* How far each column tells that nothing stands there. One that passes a thing by less than a cell touches the cells that the
 * thing reaches into: a corner that points at the camera is no wider than that, and they are kept. */
static void note_clear(
    const struct cairn_depth_layer *f, const struct cairn_msg_depth_scan *scan, struct things *things)
{
	for (uint32_t i = 0; i < things->count; i++)
		things->clear_m[i] = scan->range_max_m;
	for (uint32_t i = 0; i < things->count; i++) {
		if (!things->some[i])
			continue;
		double r = (double)scan->free_to_m[i], ux = f->looks.c[i], uy = f->looks.s[i];
		float before_m = (float)(r - WHOLE_M);
		for (int side = -1; side <= 1; side += 2)
			for (uint32_t k = i; k < things->count; k += (uint32_t)side) {
				double aside_m = r * fabs(ux * f->looks.s[k] - uy * f->looks.c[k]);
				if (!(aside_m < WHOLE_M))
					break;
				things->clear_m[k] = fminf(things->clear_m[k], before_m);
			}
	}
}

/* First what is free, in all columns, then what is not: columns share cells. Near the edges of the picture a
 * column passes cells whose other half is not in it: what stands there is not taken away. */
static void see_free(struct cairn_depth_layer *f, const struct cairn_msg_depth_scan *scan, uint32_t i,
    struct cairn_pose2 pose, double c, double s, double clear_m)
{
	const uint32_t last = scan->angle_rad_count - 1;
	double a = (double)scan->angle_rad[i],
	       to = cairn_smaller((double)scan->free_to_m[i], (double)scan->range_max_m);
	double from_edge_rad =
	    cairn_smaller(fabs(a - (double)scan->angle_rad[0]), fabs(a - (double)scan->angle_rad[last]));
	/* The cell of an obstacle is not entered from the front side. */
	double end_m = scan->hit[i] ? to - CAIRN_DEPTH_LAYER_CELL_M : to;
	double from_m = cairn_larger((double)scan->free_from_m[i], 0.0);
	double whole_m = cairn_larger(from_m + WHOLE_M, WHOLE_M / cairn_larger(from_edge_rad, 1e-3));
	clear_m = cairn_smaller(end_m, clear_m);
	struct column l = {(double)scan->x_m, (double)scan->y_m, f->looks.c[i], f->looks.s[i], from_m,
	    cairn_smaller(end_m, whole_m)};
	free_column(f, &l, pose, c, s, true);
	l.from_m = whole_m;
	l.end_m = clear_m;
	if (l.from_m <= l.end_m)
		free_column(f, &l, pose, c, s, false);
	l.from_m = cairn_larger(whole_m, clear_m);
	l.end_m = end_m;
	if (l.from_m <= l.end_m)
		free_column(f, &l, pose, c, s, true);
}

/* What stands behind such a thing is not seen, and columns that pass on both sides say nothing of it though
 * they touch its cell: a pane seen from its end hides itself, and is narrower than a cell. */
static void note_hidden(const struct cairn_depth_layer *f, const struct cairn_msg_depth_scan *scan,
    struct cairn_pose2 pose, struct things *things)
{
	things->hidden_count = 0;
	for (uint32_t i = 0; i < things->count; i++) {
		if (!things->some[i])
			continue;
		double a = pose.yaw_rad + (double)scan->angle_rad[i], c = cos(a), s = sin(a);
		double left_m = (double)scan->range_max_m - (double)scan->free_to_m[i];
		for (double r = 0.0; r <= left_m; r += 0.5 * CAIRN_DEPTH_LAYER_CELL_M) {
			int32_t cx = cairn_depth_layer_cell_of(things->at[i].x_m + r * c),
				cy = cairn_depth_layer_cell_of(things->at[i].y_m + r * s);
			if (!cairn_depth_layer_held(f, cx, cy) || things->hidden_count == HIDDEN_MAX)
				break;
			size_t k = cairn_depth_layer_cell_index(cx, cy);
			bool again =
			    things->hidden_count > 0 && things->hidden[things->hidden_count - 1] == k;
			if (f->cells[k] == CAIRN_DEPTH_LAYER_OBSTACLE && !again)
				things->hidden[things->hidden_count++] = (uint32_t)k;
		}
	}
}

/* Something seen from its edge, a pane along which the camera looks, ends columns side by side far apart, and
 * the farther of them have just freed the cells in between, which they pass by a finger's breadth: it stands
 * there, too. */
static void mark_obstacles(struct cairn_depth_layer *f, const struct things *things)
{
	for (uint32_t k = 0; k < things->hidden_count; k++)
		f->cells[things->hidden[k]] = CAIRN_DEPTH_LAYER_OBSTACLE;
	for (uint32_t i = 0; i < things->count; i++) {
		if (!things->some[i])
			continue;
		struct cairn_vec2 p = things->at[i],
				  last = i > 0 && things->some[i - 1] ? things->at[i - 1] : p;
		double apart_m = hypot(p.x_m - last.x_m, p.y_m - last.y_m);
		mark_obstacle(f, p, things->top_m[i]);
		int between = apart_m <= JOINED_M ? (int)(apart_m / (0.5 * CAIRN_DEPTH_LAYER_CELL_M)) : 0;
		for (int k = 1; k <= between; k++) {
			double u = (double)k / (between + 1);
			mark_obstacle(f,
			    (struct cairn_vec2){
				last.x_m + u * (p.x_m - last.x_m), last.y_m + u * (p.y_m - last.y_m)},
			    things->top_m[i]);
		}
	}
}

void cairn_depth_layer_see(struct cairn_depth_layer *f, const struct cairn_msg_depth_scan *scan,
    struct cairn_pose2 pose, const struct cairn_points *lidar)
{
	const char *why;
	if (!cairn_depth_scan_ok(scan, &why) || !isfinite(pose.x_m) || !isfinite(pose.y_m) ||
	    !isfinite(pose.yaw_rad))
		return;
	if (!f->begun)
		cairn_depth_layer_drive(f, pose);
	pose = cairn_depth_layer_fixed(f, pose);
	f->some = true;
	double c = cos(pose.yaw_rad), s = sin(pose.yaw_rad);
	struct things things;
	cairn_directions_keep(
	    f->looks.rad, f->looks.c, f->looks.s, &f->looks.count, scan->angle_rad, scan->angle_rad_count);
	find_obstacles(f, scan, pose, lidar, &things);
	note_hidden(f, scan, pose, &things);
	note_clear(f, scan, &things);
	for (uint32_t i = 0; i < scan->angle_rad_count; i++)
		see_free(f, scan, i, pose, c, s, (double)things.clear_m[i]);
	mark_obstacles(f, &things);
	cairn_depth_layer_mark(f, pose, 0.0, 0.0);
	cairn_depth_layer_list(f);
}
