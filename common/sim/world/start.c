#include "common/sim/world/world.h"

#include <stdlib.h>

#include "common/sim/world/outline.h"

#define START_CELL_M 0.10
#define START_CLEAR_MAX_M 1.2f
#define START_BEARINGS 72

void cairn_world_distances(const struct cairn_world *world, double x_m, double y_m, double cell_m,
    int32_t cols, int32_t rows, double height_m, float max_m, float *out)
{
	for (size_t k = 0; k < (size_t)cols * (size_t)rows; k++)
		out[k] = max_m;
	for (uint32_t i = 0; i < world->edge_count; i++) {
		const struct cairn_edge *e = &world->edges[i];
		if (e->z0_m >= height_m || e->z1_m <= CAIRN_WORLD_STEP_M || world->solids[e->solid].unfelt)
			continue;
		float inv = (float)(1.0 / cell_m);
		float ax = (e->ax_m - (float)x_m) * inv - 0.5f, ay = (e->ay_m - (float)y_m) * inv - 0.5f;
		float bx = (e->bx_m - (float)x_m) * inv - 0.5f, by = (e->by_m - (float)y_m) * inv - 0.5f;
		float reach = max_m * inv, dx = bx - ax, dy = by - ay, len2 = dx * dx + dy * dy;
		float inv_len2 = len2 > 0.0f ? 1.0f / len2 : 0.0f;
		int32_t c0 = (int32_t)fmaxf(0.0f, floorf(fminf(ax, bx) - reach));
		int32_t c1 = (int32_t)fminf((float)(cols - 1), ceilf(fmaxf(ax, bx) + reach));
		int32_t r0 = (int32_t)fmaxf(0.0f, floorf(fminf(ay, by) - reach));
		int32_t r1 = (int32_t)fminf((float)(rows - 1), ceilf(fmaxf(ay, by) + reach));
		for (int32_t r = r0; r <= r1; r++)
			for (int32_t c = c0; c <= c1; c++) {
				float px = (float)c - ax, py = (float)r - ay;
				float t = fminf(fmaxf((px * dx + py * dy) * inv_len2, 0.0f), 1.0f);
				float qx = px - t * dx, qy = py - t * dy;
				float d = sqrtf(qx * qx + qy * qy) * (float)cell_m;
				float *cell = &out[(size_t)r * (size_t)cols + (size_t)c];
				*cell = fminf(*cell, d);
			}
	}
}

/* The first edge met by rays at height z in four directions: how many turn their face to the point, and which one its
 * back, -1 when none does. */
static int32_t look_around(const struct cairn_world *w, double x_m, double y_m, double z_m, int *ret_facing)
{
	*ret_facing = 0;
	for (int i = 0; i < 4; i++) {
		double dx = i == 0 ? 1.0 : i == 2 ? -1.0 : 0.0123, dy = i == 1 ? 1.0 : i == 3 ? -1.0 : 0.0456;
		double len = hypot(dx, dy);
		struct cairn_ray_hit h = cairn_world_cast(w, x_m, y_m, dx / len, dy / len, z_m, 1000.0);
		if (h.edge < 0)
			continue;
		const struct cairn_edge *e = &w->edges[h.edge];
		double side = (e->bx_m - e->ax_m) * (y_m - e->ay_m) - (e->by_m - e->ay_m) * (x_m - e->ax_m);
		if (side > 0.0)
			return h.edge;
		(*ret_facing)++;
	}
	return -1;
}

int32_t cairn_world_inside(const struct cairn_world *world, double x_m, double y_m, double z_m)
{
	int facing;
	int32_t edge = look_around(world, x_m, y_m, z_m, &facing);
	return edge < 0 ? -1 : (int32_t)world->solids[world->edges[edge].solid].thing;
}

/* On the free side of what surrounds it, whichever way it looks. */
static bool on_free_floor(const struct cairn_world *w, double x_m, double y_m, double z_m)
{
	int facing;
	return look_around(w, x_m, y_m, z_m, &facing) < 0 && facing == 4;
}

static const struct cairn_room *largest_room(const struct cairn_world *w)
{
	const struct cairn_room *best = NULL;
	for (uint32_t i = 0; i < w->room_count; i++)
		if (best == NULL || w->rooms[i].area_m2 > best->area_m2)
			best = &w->rooms[i];
	return best;
}

static double longest_view(const struct cairn_world *w, double x_m, double y_m, double z_m)
{
	double best_m = -1.0, best_rad = 0.0;
	for (int i = 0; i < START_BEARINGS; i++) {
		double a = 2.0 * M_PI * i / START_BEARINGS;
		double m = cairn_world_cast(w, x_m, y_m, cos(a), sin(a), z_m, 1000.0).range_m;
		if (m > best_m + 1e-6) {
			best_m = m;
			best_rad = a;
		}
	}
	return cairn_wrap_rad(best_rad);
}

bool cairn_world_choose_start(
    const struct cairn_world *world, double radius_m, double height_m, struct cairn_pose2 *ret_pose)
{
	int32_t cols = (int32_t)((world->x_max_m - world->x_min_m) / START_CELL_M) + 1;
	int32_t rows = (int32_t)((world->y_max_m - world->y_min_m) / START_CELL_M) + 1;
	float *dist = malloc((size_t)cols * (size_t)rows * sizeof(*dist));
	if (dist == NULL)
		return false;
	cairn_world_distances(world, world->x_min_m, world->y_min_m, START_CELL_M, cols, rows, height_m,
	    START_CLEAR_MAX_M, dist);
	const struct cairn_room *room = largest_room(world);
	bool found = false;
	for (int pass = 0; pass < 2 && !found;
	     pass++) { /* second: anywhere, should the largest room be full */
		double best = radius_m;
		for (int32_t r = 0; r < rows; r++)
			for (int32_t c = 0; c < cols; c++) {
				double d = dist[(size_t)r * (size_t)cols + (size_t)c];
				double x = world->x_min_m + (c + 0.5) * START_CELL_M;
				double y = world->y_min_m + (r + 0.5) * START_CELL_M;
				if (d <= best ||
				    (pass == 0 && room != NULL &&
					!cairn_polygon_contains(room->corners, room->corner_count, x, y)) ||
				    !on_free_floor(world, x, y, 0.5 * height_m))
					continue;
				best = d;
				*ret_pose = (struct cairn_pose2){x, y, 0.0};
				found = true;
			}
	}
	free(dist);
	if (found)
		ret_pose->yaw_rad = longest_view(world, ret_pose->x_m, ret_pose->y_m, 0.9 * height_m);
	return found;
}
