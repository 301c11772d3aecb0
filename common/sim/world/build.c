#include "common/sim/world/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"

#include "common/sim/world/outline.h"

#define GRID_CELL_M 0.25
#define GRID_CELLS_MAX (4096.0 * 4096.0)
#define CYLINDER_SIDES 16
#define CORNERS_MAX (1u << 20)

bool cairn_build_init(struct cairn_builder *b, const char *name, struct cairn_error *err)
{
	*b = (struct cairn_builder){.world = calloc(1, sizeof(*b->world))};
	if (b->world == NULL) {
		cairn_error_set(err, "%s: out of memory", name);
		return false;
	}
	snprintf(b->world->name, sizeof(b->world->name), "%s", name);
	b->world->ceiling_m = 2.5;
	b->world->floor = CAIRN_PAINT(176, 138, 98, PLANKS);
	return true;
}

/* Room for more elements behind *count; NULL when there is none. */
static void *grow(
    struct cairn_builder *b, void **items, uint32_t count, uint32_t more, uint32_t *cap, size_t size)
{
	if (b->failed || more > CORNERS_MAX || count > UINT32_MAX / 4) {
		b->failed = true;
		return NULL;
	}
	if (count + more > *cap) {
		uint32_t want = (count + more) * 2 + 16;
		void *p = realloc(*items, want * size);
		if (p == NULL) {
			b->failed = true;
			return NULL;
		}
		*items = p;
		*cap = want;
	}
	return (char *)*items + (size_t)count * size;
}

uint32_t cairn_build_thing(
    struct cairn_builder *b, const char *name, const char *kind, double x_m, double y_m)
{
	struct cairn_world *w = b->world;
	struct cairn_thing *t =
	    grow(b, (void **)&w->things, w->thing_count, 1, &b->thing_cap, sizeof(*w->things));
	if (t == NULL)
		return 0;
	*t = (struct cairn_thing){.x_m = (float)x_m, .y_m = (float)y_m};
	snprintf(t->name, sizeof(t->name), "%s", name);
	snprintf(t->kind, sizeof(t->kind), "%s", kind);
	return w->thing_count++;
}

static struct cairn_solid *add_solid(
    struct cairn_builder *b, double z0_m, double z1_m, struct cairn_paint paint)
{
	struct cairn_world *w = b->world;
	if (w->thing_count == 0)
		(void)cairn_build_thing(b, "wall", "wall", 0.0, 0.0);
	struct cairn_solid *s =
	    grow(b, (void **)&w->solids, w->solid_count, 1, &b->solid_cap, sizeof(*w->solids));
	if (s == NULL)
		return NULL;
	*s = (struct cairn_solid){.thing = b->thing > 0 ? b->thing - 1 : w->thing_count - 1,
	    .edge_first = w->edge_count,
	    .z0_m = (float)z0_m,
	    .z1_m = (float)z1_m,
	    .paint = paint,
	    .unfelt = b->unfelt,
	    .shown = b->shown,
	    .prop = b->prop};
	w->solid_count++;
	return s;
}

/* Edges corner to corner; reversed: the other way round, so that the free side stays on the right. */
static void add_edges(struct cairn_builder *b, struct cairn_solid *s, const struct cairn_vec2 *corners,
    size_t count, bool reversed)
{
	struct cairn_world *w = b->world;
	struct cairn_edge *e =
	    grow(b, (void **)&w->edges, w->edge_count, (uint32_t)count, &b->edge_cap, sizeof(*w->edges));
	if (e == NULL)
		return;
	double along = 0.0;
	s->x_min_m = s->y_min_m = 1e9f;
	s->x_max_m = s->y_max_m = -1e9f;
	for (size_t i = 0; i < count; i++) {
		size_t ia = reversed ? count - 1 - i : i,
		       ib = reversed ? (count * 2 - 2 - i) % count : (i + 1) % count;
		struct cairn_vec2 p = corners[ia], q = corners[ib];
		e[i] = (struct cairn_edge){(float)p.x_m, (float)p.y_m, (float)q.x_m, (float)q.y_m, s->z0_m,
		    s->z1_m, (float)along, w->solid_count - 1, s->paint, b->glass ? 1 : 0};
		along += hypot(q.x_m - p.x_m, q.y_m - p.y_m);
		s->x_min_m = fminf(s->x_min_m, e[i].ax_m);
		s->x_max_m = fmaxf(s->x_max_m, e[i].ax_m);
		s->y_min_m = fminf(s->y_min_m, e[i].ay_m);
		s->y_max_m = fmaxf(s->y_max_m, e[i].ay_m);
	}
	w->edge_count += (uint32_t)count;
	s->edge_count = (uint32_t)count;
}

/* Triangles of a polygon; their first index and count. */
static void add_tris(struct cairn_builder *b, const struct cairn_vec2 *corners, size_t count,
    uint32_t *ret_first, uint32_t *ret_count)
{
	struct cairn_world *w = b->world;
	size_t *index = calloc(count * 4, sizeof(*index));
	struct cairn_vec2 *ccw = calloc(count, sizeof(*ccw));
	struct cairn_tri *t =
	    grow(b, (void **)&w->tris, w->tri_count, (uint32_t)count, &b->tri_cap, sizeof(*w->tris));
	if (index == NULL || ccw == NULL || t == NULL) {
		b->failed = true;
		goto out;
	}
	bool flip = cairn_polygon_area(corners, count) < 0.0;
	for (size_t i = 0; i < count; i++)
		ccw[i] = corners[flip ? count - 1 - i : i];
	size_t made = cairn_polygon_triangulate(ccw, count, index, index + count);
	for (size_t k = 0; k < made; k++)
		for (int v = 0; v < 3; v++) {
			t[k].x_m[v] = (float)ccw[index[count + 3 * k + (size_t)v]].x_m;
			t[k].y_m[v] = (float)ccw[index[count + 3 * k + (size_t)v]].y_m;
		}
	*ret_first = w->tri_count;
	*ret_count = (uint32_t)made;
	w->tri_count += (uint32_t)made;
out:
	free(index);
	free(ccw);
}

void cairn_build_prism(struct cairn_builder *b, const struct cairn_vec2 *corners, size_t count, double z0_m,
    double z1_m, struct cairn_paint paint)
{
	if (count < 3 || b->failed)
		return;
	struct cairn_solid *s = add_solid(b, z0_m, z1_m, paint);
	if (s == NULL)
		return;
	bool ccw = cairn_polygon_area(corners, count) > 0.0;
	add_edges(b, s, corners, count, !ccw);
	s->lid_top = z1_m < b->world->ceiling_m - 1e-3;
	s->lid_bottom = z0_m > 1e-3;
	if (count > 4 && (s->lid_top || s->lid_bottom) && !(ccw && cairn_polygon_convex(corners, count)))
		add_tris(b, corners, count, &s->tri_first, &s->tri_count);
}

void cairn_build_box(struct cairn_builder *b, struct cairn_box box, struct cairn_paint paint)
{
	double hw = 0.5 * box.width_m, hd = 0.5 * box.depth_m;
	struct cairn_pose2 at = {box.x_m, box.y_m, box.yaw_rad};
	struct cairn_vec2 corners[4] = {cairn_pose_apply(at, (struct cairn_vec2){-hw, -hd}),
	    cairn_pose_apply(at, (struct cairn_vec2){hw, -hd}),
	    cairn_pose_apply(at, (struct cairn_vec2){hw, hd}),
	    cairn_pose_apply(at, (struct cairn_vec2){-hw, hd})};
	cairn_build_prism(b, corners, 4, box.z0_m, box.z1_m, paint);
}

void cairn_build_cylinder(struct cairn_builder *b, double x_m, double y_m, double radius_m, double z0_m,
    double z1_m, struct cairn_paint paint)
{
	struct cairn_vec2 corners[CYLINDER_SIDES];
	for (int i = 0; i < CYLINDER_SIDES; i++) {
		double a = 2.0 * M_PI * i / CYLINDER_SIDES;
		corners[i] = (struct cairn_vec2){x_m + radius_m * cos(a), y_m + radius_m * sin(a)};
	}
	cairn_build_prism(b, corners, CYLINDER_SIDES, z0_m, z1_m, paint);
}

void cairn_build_outline(struct cairn_builder *b, const struct cairn_vec2 *corners, size_t count,
    bool free_inside, double z0_m, double z1_m, struct cairn_paint paint)
{
	if (count < 3 || b->failed)
		return;
	struct cairn_solid *s = add_solid(b, z0_m, z1_m, paint);
	if (s == NULL)
		return;
	bool ccw = cairn_polygon_area(corners, count) > 0.0;
	add_edges(b, s, corners, count, ccw == free_inside);
}

void cairn_build_room(struct cairn_builder *b, const char *name, const struct cairn_vec2 *corners,
    size_t count, const struct cairn_paint *floor, const struct cairn_paint *wall)
{
	struct cairn_world *w = b->world;
	struct cairn_room *r = grow(b, (void **)&w->rooms, w->room_count, 1, &b->room_cap, sizeof(*w->rooms));
	if (r == NULL || count < 3)
		return;
	*r =
	    (struct cairn_room){.corners = malloc(count * sizeof(*corners)), .corner_count = (uint32_t)count};
	if (r->corners == NULL) {
		b->failed = true;
		return;
	}
	memcpy(r->corners, corners, count * sizeof(*corners));
	snprintf(r->name, sizeof(r->name), "%s", name);
	r->area_m2 = fabs(cairn_polygon_area(corners, count));
	w->room_count++;
	if (floor != NULL) {
		r->floor = *floor;
		r->floor_painted = true;
		add_tris(b, corners, count, &r->tri_first, &r->tri_count);
	}
	if (wall != NULL) {
		r->wall = *wall;
		r->wall_painted = true;
	}
}

void cairn_build_rug(
    struct cairn_builder *b, const struct cairn_vec2 *corners, size_t count, struct cairn_paint paint)
{
	struct cairn_world *w = b->world;
	struct cairn_rug *r = grow(b, (void **)&w->rugs, w->rug_count, 1, &b->rug_cap, sizeof(*w->rugs));
	if (r == NULL || count < 3)
		return;
	*r = (struct cairn_rug){.paint = paint};
	add_tris(b, corners, count, &r->tri_first, &r->tri_count);
	w->rug_count++;
}

void cairn_build_drop(struct cairn_builder *b, const struct cairn_vec2 corners[4])
{
	struct cairn_world *w = b->world;
	if (w->drop_count == CAIRN_WORLD_DROPS_MAX) {
		b->failed = true;
		return;
	}
	struct cairn_drop *d = &w->drops[w->drop_count++];
	d->thing = w->thing_count - 1;
	memcpy(d->corners, corners, sizeof(d->corners));
}

void cairn_build_paint_by_room(struct cairn_builder *b, uint32_t edge_first)
{
	struct cairn_world *w = b->world;
	for (uint32_t i = edge_first; i < w->edge_count && !b->failed; i++) {
		struct cairn_edge *e = &w->edges[i];
		double dx = e->bx_m - e->ax_m, dy = e->by_m - e->ay_m, len = hypot(dx, dy);
		if (len < 1e-6)
			continue;
		const struct cairn_room *r = cairn_world_room_at(w,
		    0.5 * (e->ax_m + e->bx_m) + 0.15 * dy / len, 0.5 * (e->ay_m + e->by_m) - 0.15 * dx / len);
		if (r != NULL && r->wall_painted)
			e->paint = r->wall;
	}
}

static void bounds(struct cairn_world *w)
{
	w->x_min_m = w->y_min_m = 1e9;
	w->x_max_m = w->y_max_m = -1e9;
	for (uint32_t i = 0; i < w->edge_count; i++) {
		const struct cairn_edge *e = &w->edges[i];
		w->x_min_m = fmin(w->x_min_m, fmin(e->ax_m, e->bx_m));
		w->x_max_m = fmax(w->x_max_m, fmax(e->ax_m, e->bx_m));
		w->y_min_m = fmin(w->y_min_m, fmin(e->ay_m, e->by_m));
		w->y_max_m = fmax(w->y_max_m, fmax(e->ay_m, e->by_m));
	}
}

static void hash_world(struct cairn_world *w)
{
	uint64_t h = CAIRN_HASH_START;
	h = cairn_hash_bytes(h, w->name, strlen(w->name));
	h = cairn_hash_bytes(h, w->edges, w->edge_count * sizeof(*w->edges));
	h = cairn_hash_bytes(h, &w->start, sizeof(w->start));
	for (uint32_t i = 0; i < w->drop_count; i++)
		h = cairn_hash_bytes(h, w->drops[i].corners, sizeof(w->drops[i].corners));
	for (uint32_t i = 0; i < w->people_count; i++)
		h = cairn_hash_bytes(
		    h, w->people[i].path, w->people[i].path_count * sizeof(w->people[i].path[0]));
	for (uint32_t i = 0; i < w->prop_count; i++) {
		const struct cairn_prop *p = &w->props[i];
		for (uint32_t k = 0; k < p->place_count; k++)
			h = cairn_hash_bytes(h, &p->places[k].at, sizeof(p->places[k].at));
		h = cairn_hash_bytes(h, &p->open, sizeof(p->open));
		h = cairn_hash_bytes(h, p->liquid, sizeof(p->liquid));
	}
	w->hash = h;
}

/* Cells of the grid that the bounding box of an edge meets and the edge itself comes near. */
static bool edge_meets_cell(const struct cairn_world *w, const struct cairn_edge *e, int32_t c, int32_t r)
{
	double half = 0.5 * w->grid_cell_m + 1e-4;
	double x = w->grid_x_m + (c + 0.5) * w->grid_cell_m, y = w->grid_y_m + (r + 0.5) * w->grid_cell_m;
	double dx = e->bx_m - e->ax_m, dy = e->by_m - e->ay_m;
	/* The separating axis left over after the bounding boxes: the edge's normal. */
	return fabs(dy * (x - e->ax_m) - dx * (y - e->ay_m)) <= half * (fabs(dx) + fabs(dy)) + 1e-9;
}

static void cells_of_edge(struct cairn_world *w, uint32_t i, uint32_t *fill)
{
	const struct cairn_edge *e = &w->edges[i];
	double eps = 1e-4;
	int32_t c0 = (int32_t)floor((fmin(e->ax_m, e->bx_m) - eps - w->grid_x_m) / w->grid_cell_m);
	int32_t c1 = (int32_t)floor((fmax(e->ax_m, e->bx_m) + eps - w->grid_x_m) / w->grid_cell_m);
	int32_t r0 = (int32_t)floor((fmin(e->ay_m, e->by_m) - eps - w->grid_y_m) / w->grid_cell_m);
	int32_t r1 = (int32_t)floor((fmax(e->ay_m, e->by_m) + eps - w->grid_y_m) / w->grid_cell_m);
	for (int32_t r = r0; r <= r1; r++)
		for (int32_t c = c0; c <= c1; c++) {
			if (!edge_meets_cell(w, e, c, r))
				continue;
			uint32_t k = (uint32_t)(r * w->grid_cols + c);
			if (fill == NULL)
				w->cell_first[k + 1]++;
			else
				w->cell_edges[fill[k]++] = (struct cairn_cell_edge){.ax_m = e->ax_m,
				    .ay_m = e->ay_m,
				    .dx_m = e->bx_m - e->ax_m,
				    .dy_m = e->by_m - e->ay_m,
				    .z0_m = e->z0_m,
				    .z1_m = e->z1_m,
				    .glass = e->glass,
				    .edge = i};
		}
}

static bool build_grid(struct cairn_world *w)
{
	w->grid_cell_m = GRID_CELL_M;
	w->grid_x_m = w->x_min_m - 2 * GRID_CELL_M;
	w->grid_y_m = w->y_min_m - 2 * GRID_CELL_M;
	w->grid_cols = (int32_t)((w->x_max_m - w->grid_x_m) / GRID_CELL_M) + 3;
	w->grid_rows = (int32_t)((w->y_max_m - w->grid_y_m) / GRID_CELL_M) + 3;
	size_t cells = (size_t)w->grid_cols * (size_t)w->grid_rows;
	w->cell_first = calloc(cells + 1, sizeof(*w->cell_first));
	uint32_t *fill = calloc(cells + 1, sizeof(*fill));
	if (w->cell_first == NULL || fill == NULL) {
		free(fill);
		return false;
	}
	for (uint32_t i = 0; i < w->edge_count; i++)
		if (!w->solids[w->edges[i].solid].unfelt)
			cells_of_edge(w, i, NULL);
	for (size_t k = 0; k < cells; k++)
		w->cell_first[k + 1] += w->cell_first[k];
	memcpy(fill, w->cell_first, cells * sizeof(*fill));
	w->cell_edges = malloc((w->cell_first[cells] + 1) * sizeof(*w->cell_edges));
	if (w->cell_edges != NULL)
		for (uint32_t i = 0; i < w->edge_count; i++)
			if (!w->solids[w->edges[i].solid].unfelt)
				cells_of_edge(w, i, fill);
	free(fill);
	return w->cell_edges != NULL;
}

struct cairn_world *cairn_build_finish(struct cairn_builder *b, struct cairn_error *err)
{
	struct cairn_world *w = b->world;
	b->world = NULL;
	if (b->failed) {
		cairn_error_set(err, "out of memory, or more than %u corners in one outline", CORNERS_MAX);
		cairn_world_destroy(&w);
		return NULL;
	}
	if (w->edge_count == 0) {
		cairn_error_set(err, "walls: the world is empty");
		cairn_world_destroy(&w);
		return NULL;
	}
	bounds(w);
	double cells = (w->x_max_m - w->x_min_m) / GRID_CELL_M * ((w->y_max_m - w->y_min_m) / GRID_CELL_M);
	if (!(cells < GRID_CELLS_MAX)) {
		cairn_error_set(err, "walls: the world is larger than 1 km2");
		cairn_world_destroy(&w);
		return NULL;
	}
	hash_world(w);
	if (!build_grid(w)) {
		cairn_error_set(err, "out of memory");
		cairn_world_destroy(&w);
	}
	return w;
}

void cairn_build_abandon(struct cairn_builder *b)
{
	cairn_world_destroy(&b->world);
}
