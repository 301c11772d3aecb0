#include "common/sim/world/world.h"

#include <stdlib.h>

#include "common/sim/world/outline.h"
#include "common/sim/world/world_private.h"

void cairn_world_destroy(struct cairn_world **world_p)
{
	struct cairn_world *w = *world_p;
	*world_p = NULL;
	if (w == NULL)
		return;
	for (uint32_t i = 0; i < w->room_count; i++)
		free(w->rooms[i].corners);
	free(w->rooms);
	free(w->rugs);
	free(w->edges);
	free(w->solids);
	free(w->things);
	free(w->tris);
	free(w->cell_first);
	free(w->cell_edges);
	free(w);
}

const struct cairn_room *cairn_world_room_at(const struct cairn_world *world, double x_m, double y_m)
{
	const struct cairn_room *best = NULL;
	for (uint32_t i = 0; i < world->room_count; i++) {
		const struct cairn_room *r = &world->rooms[i];
		if ((best == NULL || r->area_m2 < best->area_m2) &&
		    cairn_polygon_contains(r->corners, r->corner_count, x_m, y_m))
			best = r;
	}
	return best;
}

int32_t cairn_world_drop_at(const struct cairn_world *w, struct cairn_vec2 at)
{
	for (uint32_t i = 0; i < w->drop_count; i++)
		if (cairn_polygon_contains(w->drops[i].corners, 4, at.x_m, at.y_m))
			return (int32_t)w->drops[i].thing;
	return -1;
}

bool cairn_world_extent(const struct cairn_world *w, uint32_t thing, double ret_min[3], double ret_max[3])
{
	for (int k = 0; k < 3; k++) {
		ret_min[k] = 1e9;
		ret_max[k] = -1e9;
	}
	for (uint32_t i = 0; i < w->solid_count; i++) {
		const struct cairn_solid *s = &w->solids[i];
		bool always = s->shown == CAIRN_SHOWN_ALWAYS || s->shown == CAIRN_SHOWN_NEVER;
		if (s->thing != thing || !always)
			continue;
		const double low[3] = {(double)s->x_min_m, (double)s->y_min_m, (double)s->z0_m},
			     high[3] = {(double)s->x_max_m, (double)s->y_max_m, (double)s->z1_m};
		for (int k = 0; k < 3; k++) {
			ret_min[k] = fmin(ret_min[k], low[k]);
			ret_max[k] = fmax(ret_max[k], high[k]);
		}
	}
	return ret_max[0] >= ret_min[0];
}

/* ---- rays ---- */

struct walk {
	int32_t c, r, step_c, step_r;
	double next_x, next_y;   /* ray length to the next cell border on each axis */
	double delta_x, delta_y; /* between two borders */
};

/* Length along the ray at which it comes into the grid, 0 from inside, or a negative value when it never
 * does. */
static inline double grid_entry(const struct cairn_world *w, double x_m, double y_m, double dx, double dy)
{
	double lo[2] = {w->grid_x_m, w->grid_y_m}, t0 = 0.0, t1 = 1e30;
	double hi[2] = {lo[0] + w->grid_cols * w->grid_cell_m, lo[1] + w->grid_rows * w->grid_cell_m};
	double from[2] = {x_m, y_m}, dir[2] = {dx, dy};
	if (x_m >= lo[0] && x_m <= hi[0] && y_m >= lo[1] && y_m <= hi[1])
		return 0.0;
	for (int i = 0; i < 2; i++) {
		if (fabs(dir[i]) < 1e-12) {
			if (from[i] < lo[i] || from[i] > hi[i])
				return -1.0;
			continue;
		}
		double a = (lo[i] - from[i]) / dir[i], b = (hi[i] - from[i]) / dir[i];
		t0 = fmax(t0, fmin(a, b));
		t1 = fmin(t1, fmax(a, b));
	}
	return t0 <= t1 ? t0 : -1.0;
}

/* floor() within 0 .. cells - 1, without its call. */
static inline int32_t cell_within(double at, int32_t cells)
{
	return at > 0.0 ? (at < cells ? (int32_t)at : cells - 1) : 0;
}

/* Amanatides and Woo 1987, "A Fast Voxel Traversal Algorithm for Ray Tracing". The walk begins skip_m along
 * the ray. */
static inline struct walk walk_start(
    const struct cairn_world *w, double x_m, double y_m, double dx, double dy, double skip_m)
{
	double gx = (x_m + skip_m * dx - w->grid_x_m) / w->grid_cell_m;
	double gy = (y_m + skip_m * dy - w->grid_y_m) / w->grid_cell_m;
	struct walk k = {.c = cell_within(gx, w->grid_cols), .r = cell_within(gy, w->grid_rows)};
	k.step_c = dx > 0.0 ? 1 : -1;
	k.step_r = dy > 0.0 ? 1 : -1;
	k.delta_x = fabs(dx) > 1e-12 ? w->grid_cell_m / fabs(dx) : 1e30;
	k.delta_y = fabs(dy) > 1e-12 ? w->grid_cell_m / fabs(dy) : 1e30;
	k.next_x = k.delta_x < 1e30 ? skip_m + (dx > 0.0 ? k.c + 1 - gx : gx - k.c) * k.delta_x : 1e30;
	k.next_y = k.delta_y < 1e30 ? skip_m + (dy > 0.0 ? k.r + 1 - gy : gy - k.r) * k.delta_y : 1e30;
	return k;
}

static inline double ray_edge(
    const struct cairn_cell_edge *e, double x_m, double y_m, double dx, double dy, double max_m)
{
	return cairn_ray_edge(e->ax_m, e->ay_m, e->dx_m, e->dy_m, x_m, y_m, dx, dy, max_m);
}

static inline bool in_grid(const struct cairn_world *w, const struct walk *k)
{
	return k->c >= 0 && k->r >= 0 && k->c < w->grid_cols && k->r < w->grid_rows;
}

/* To the next cell; where the ray comes into it. */
static inline double walk_on(struct walk *k)
{
	double entered;
	if (k->next_x < k->next_y) {
		entered = k->next_x;
		k->next_x += k->delta_x;
		k->c += k->step_c;
	} else {
		entered = k->next_y;
		k->next_y += k->delta_y;
		k->r += k->step_r;
	}
	return entered;
}

static inline struct cairn_ray_hit cast(const struct cairn_world *world, double x_m, double y_m, double dx,
    double dy, double z_m, double max_m, bool through_glass)
{
	struct cairn_ray_hit hit = {max_m, -1};
	double entered = grid_entry(world, x_m, y_m, dx, dy);
	if (entered < 0.0)
		return hit;
	struct walk k = walk_start(world, x_m, y_m, dx, dy, entered);
	for (; entered <= hit.range_m && in_grid(world, &k); entered = walk_on(&k)) {
		uint32_t cell = (uint32_t)(k.r * world->grid_cols + k.c);
		for (uint32_t i = world->cell_first[cell]; i < world->cell_first[cell + 1]; i++) {
			const struct cairn_cell_edge *e = &world->cell_edges[i];
			if (e->z0_m > z_m || e->z1_m < z_m || (through_glass && e->glass != 0))
				continue;
			double at = ray_edge(e, x_m, y_m, dx, dy, hit.range_m);
			if (at < hit.range_m)
				hit = (struct cairn_ray_hit){at, (int32_t)e->edge};
		}
	}
	return hit;
}

struct cairn_ray_hit cairn_world_cast(
    const struct cairn_world *world, double x_m, double y_m, double dx, double dy, double z_m, double max_m)
{
	return cast(world, x_m, y_m, dx, dy, z_m, max_m, false);
}

struct cairn_ray_hit cairn_world_cast_lidar(
    const struct cairn_world *world, double x_m, double y_m, double dx, double dy, double z_m, double max_m)
{
	return cast(world, x_m, y_m, dx, dy, z_m, max_m, true);
}

double cairn_disc_cast(
    const struct cairn_disc *disc, double x_m, double y_m, double dx, double dy, double z_m, double max_m)
{
	if (disc->z0_m > z_m || disc->z1_m < z_m)
		return max_m;
	double ox = disc->x_m - x_m, oy = disc->y_m - y_m;
	double along = ox * dx + oy * dy, across = ox * dy - oy * dx;
	if (along < 0.0)
		return max_m;
	double in = disc->radius_m * disc->radius_m - across * across;
	if (in < 0.0)
		return max_m;
	double at = along - sqrt(in);
	return at >= 0.0 && at < max_m ? at : max_m;
}

/* ---- the footprint against what is solid ---- */

struct local {
	double ax, ay, bx, by;
};

static struct local edge_in_frame(const struct cairn_edge *e, struct cairn_pose2 pose, double c, double s)
{
	double ax = e->ax_m - pose.x_m, ay = e->ay_m - pose.y_m, bx = e->bx_m - pose.x_m,
	       by = e->by_m - pose.y_m;
	return (struct local){c * ax + s * ay, -s * ax + c * ay, c * bx + s * by, -s * bx + c * by};
}

/* Clips the edge to the rectangle (Liang and Barsky 1984): true when a piece is left. */
static bool meets(const struct local *e, const struct cairn_footprint *f)
{
	double t0 = 0.0, t1 = 1.0, dx = e->bx - e->ax, dy = e->by - e->ay;
	double p[4] = {-dx, dx, -dy, dy};
	double q[4] = {
	    e->ax + f->rear_m, f->front_m - e->ax, e->ay + f->half_width_m, f->half_width_m - e->ay};
	for (int i = 0; i < 4; i++) {
		if (fabs(p[i]) < 1e-12) {
			if (q[i] < 0.0)
				return false;
			continue;
		}
		double t = q[i] / p[i];
		if (p[i] < 0.0)
			t0 = fmax(t0, t);
		else
			t1 = fmin(t1, t);
	}
	return t0 <= t1;
}

static double point_to_rect(double x, double y, const struct cairn_footprint *f)
{
	double dx = fmax(fmax(-f->rear_m - x, x - f->front_m), 0.0);
	double dy = fmax(fabs(y) - f->half_width_m, 0.0);
	return hypot(dx, dy);
}

static double point_to_edge(double x, double y, const struct local *e)
{
	double dx = e->bx - e->ax, dy = e->by - e->ay, len2 = dx * dx + dy * dy;
	double t = len2 > 0.0 ? cairn_clamp(((x - e->ax) * dx + (y - e->ay) * dy) / len2, 0.0, 1.0) : 0.0;
	return hypot(e->ax + t * dx - x, e->ay + t * dy - y);
}

static double edge_to_rect(const struct local *e, const struct cairn_footprint *f)
{
	if (meets(e, f))
		return 0.0;
	double d = fmin(point_to_rect(e->ax, e->ay, f), point_to_rect(e->bx, e->by, f));
	for (int i = 0; i < 4; i++)
		d = fmin(d, point_to_edge(i & 1 ? f->front_m : -f->rear_m,
				i & 2 ? f->half_width_m : -f->half_width_m, e));
	return d;
}

/* All of the edge is on one side of the footprint and farther than reach_m. */
static bool is_beyond(const struct local *e, const struct cairn_footprint *f, double reach_m)
{
	return (e->ax > f->front_m + reach_m && e->bx > f->front_m + reach_m) ||
	       (e->ax < -f->rear_m - reach_m && e->bx < -f->rear_m - reach_m) ||
	       (e->ay > f->half_width_m + reach_m && e->by > f->half_width_m + reach_m) ||
	       (e->ay < -f->half_width_m - reach_m && e->by < -f->half_width_m - reach_m);
}

/* Nearest edge to the footprint within reach_m; its distance in *ret_m. */
static int32_t nearest(const struct cairn_world *w, struct cairn_pose2 pose, const struct cairn_footprint *f,
    double height_m, double reach_m, double *ret_m)
{
	double c = cos(pose.yaw_rad), s = sin(pose.yaw_rad);
	double reach = reach_m + hypot(fmax(f->front_m, f->rear_m), f->half_width_m);
	int32_t c0 = (int32_t)floor((pose.x_m - reach - w->grid_x_m) / w->grid_cell_m);
	int32_t c1 = (int32_t)floor((pose.x_m + reach - w->grid_x_m) / w->grid_cell_m);
	int32_t r0 = (int32_t)floor((pose.y_m - reach - w->grid_y_m) / w->grid_cell_m);
	int32_t r1 = (int32_t)floor((pose.y_m + reach - w->grid_y_m) / w->grid_cell_m);
	int32_t best = -1;
	*ret_m = reach_m;
	for (int32_t r = r0 < 0 ? 0 : r0; r <= r1 && r < w->grid_rows; r++)
		for (int32_t col = c0 < 0 ? 0 : c0; col <= c1 && col < w->grid_cols; col++) {
			uint32_t cell = (uint32_t)(r * w->grid_cols + col);
			for (uint32_t i = w->cell_first[cell]; i < w->cell_first[cell + 1]; i++) {
				const struct cairn_edge *e = &w->edges[w->cell_edges[i].edge];
				if (e->z0_m >= height_m || e->z1_m <= CAIRN_WORLD_STEP_M)
					continue;
				struct local in = edge_in_frame(e, pose, c, s);
				double d = is_beyond(&in, f, *ret_m) ? INFINITY : edge_to_rect(&in, f);
				if (d <= *ret_m) {
					*ret_m = d;
					best = (int32_t)w->cell_edges[i].edge;
				}
			}
		}
	return best;
}

int32_t cairn_world_touch(const struct cairn_world *world, struct cairn_pose2 pose,
    const struct cairn_footprint *body, double height_m)
{
	double d;
	int32_t e = nearest(world, pose, body, height_m, 0.0, &d);
	return e < 0 ? -1 : (int32_t)world->solids[world->edges[e].solid].thing;
}

double cairn_world_clearance(const struct cairn_world *world, struct cairn_pose2 pose,
    const struct cairn_footprint *body, double height_m, double max_m)
{
	double d;
	(void)nearest(world, pose, body, height_m, max_m, &d);
	return d;
}

double cairn_disc_clearance(
    const struct cairn_disc *disc, struct cairn_pose2 pose, const struct cairn_footprint *body)
{
	double c = cos(pose.yaw_rad), s = sin(pose.yaw_rad);
	double dx = disc->x_m - pose.x_m, dy = disc->y_m - pose.y_m;
	return fmax(point_to_rect(c * dx + s * dy, -s * dx + c * dy, body) - disc->radius_m, 0.0);
}
