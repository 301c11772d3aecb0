#include "common/sim/world/generate.h"

#include <stdio.h>

#include "common/base/rng.h"
#include "common/sim/world/build.h"
#include "common/sim/world/furniture.h"
#include "common/sim/world/walls.h"

#define ROOMS_MAX 12
#define ROOM_SIDE_MIN_M 2.4
#define WALL_M 0.10
#define WALL_HIGH_M 2.5
#define DOOR_HIGH_M 2.0
#define CORNER_M 0.35      /* a door is this far from a corner */
#define DOORWAY_FREE_M 0.9 /* nothing is put this near to the middle of a door */
#define LEAF_DISCS 7
#define LEAF_DISC_M 0.055
#define LEAF_POINTS 8
#define TRIES 24

struct rect {
	double x0, y0, x1, y1;
};

struct house {
	const struct cairn_house_params *p;
	struct cairn_rng rng;
	struct cairn_builder b;
	struct rect rooms[ROOMS_MAX];
	int room_count;
	struct cairn_door doors[ROOMS_MAX];
	struct cairn_wall walls[ROOMS_MAX];
	int wall_count;
};

static double between(struct house *h, double lo, double hi)
{
	return lo + (hi - lo) * cairn_rng_uniform(&h->rng);
}

static double given(double value, double dflt)
{
	return value > 0.0 ? value : dflt;
}

/* ---- rooms ---- */

/* Cuts a rectangle in two by a wall with a door, and those again, until they are rooms. */
static void split(struct house *h, struct rect r, int depth)
{
	double w = r.x1 - r.x0, d = r.y1 - r.y0;
	bool upright = w > d;
	double side = upright ? w : d;
	bool small =
	    side < 2.0 * ROOM_SIDE_MIN_M || (depth > 1 && w * d < 18.0 && cairn_rng_uniform(&h->rng) < 0.5);
	if (small || h->wall_count + 1 >= ROOMS_MAX || h->room_count + 2 >= ROOMS_MAX) {
		h->rooms[h->room_count++] = r;
		return;
	}
	double at = (upright ? r.x0 : r.y0) + between(h, ROOM_SIDE_MIN_M, side - ROOM_SIDE_MIN_M);
	double lo = upright ? r.y0 : r.x0, hi = upright ? r.y1 : r.x1;
	double wide = between(h, given(h->p->door_min_m, 0.70), given(h->p->door_max_m, 0.95));
	double door = between(h, lo + CORNER_M, hi - CORNER_M - wide);
	struct cairn_vec2 a = {upright ? at : lo, upright ? lo : at},
			  b = {upright ? at : hi, upright ? hi : at};
	struct cairn_vec2 from = {upright ? at : door, upright ? door : at};
	struct cairn_vec2 to = {upright ? at : door + wide, upright ? door + wide : at};
	h->walls[h->wall_count] =
	    (struct cairn_wall){a, b, WALL_M, WALL_HIGH_M, CAIRN_PAINT(228, 222, 210, PLASTER)};
	h->doors[h->wall_count++] = (struct cairn_door){.name = "door",
	    .from = from,
	    .to = to,
	    .height_m = DOOR_HIGH_M,
	    .paint = CAIRN_PAINT(170, 120, 80, DOOR)};
	struct rect one = r, two = r;
	if (upright)
		one.x1 = two.x0 = at;
	else
		one.y1 = two.y0 = at;
	split(h, one, depth + 1);
	split(h, two, depth + 1);
}

/* A later wall may end in the door of an earlier one: then that door is moved along to where it is free. */
static void clear_doors(struct house *h)
{
	for (int i = 0; i < h->wall_count; i++) {
		struct cairn_door *d = &h->doors[i];
		const struct cairn_wall *w = &h->walls[i];
		bool upright = fabs(w->from.x_m - w->to.x_m) < 1e-9;
		double wide = upright ? d->to.y_m - d->from.y_m : d->to.x_m - d->from.x_m;
		double lo = (upright ? w->from.y_m : w->from.x_m) + CORNER_M,
		       hi = (upright ? w->to.y_m : w->to.x_m) - CORNER_M - wide;
		for (int k = 0; k < TRIES; k++) {
			double at = upright ? d->from.y_m : d->from.x_m,
			       line = upright ? w->from.x_m : w->from.y_m;
			bool hit = false;
			for (int j = i + 1; j < h->wall_count && !hit; j++) {
				const struct cairn_wall *o = &h->walls[j];
				const struct cairn_vec2 ends[2] = {o->from, o->to};
				for (int e = 0; e < 2; e++) {
					double across = upright ? ends[e].x_m : ends[e].y_m,
					       along = upright ? ends[e].y_m : ends[e].x_m;
					hit |= fabs(across - line) < 0.2 && along > at - CORNER_M &&
					       along < at + wide + CORNER_M;
				}
			}
			if (!hit)
				break;
			at = between(h, lo, hi);
			*(upright ? &d->from.y_m : &d->from.x_m) = at;
			*(upright ? &d->to.y_m : &d->to.x_m) = at + wide;
		}
	}
}

static void build_walls(struct house *h, struct rect all)
{
	struct cairn_builder *b = &h->b;
	const struct cairn_vec2 outer[4] = {
	    {all.x0, all.y0}, {all.x1, all.y0}, {all.x1, all.y1}, {all.x0, all.y1}};
	(void)cairn_build_thing(b, "outer wall", "wall", all.x0, all.y0);
	cairn_build_outline(b, outer, 4, true, 0.0, WALL_HIGH_M, CAIRN_PAINT(228, 222, 210, PLASTER));
	for (int i = 0; i < h->room_count; i++) {
		const struct rect *r = &h->rooms[i];
		const struct cairn_vec2 corners[4] = {
		    {r->x0, r->y0}, {r->x1, r->y0}, {r->x1, r->y1}, {r->x0, r->y1}};
		char name[16];
		snprintf(name, sizeof(name), "room %d", i + 1);
		cairn_build_room(b, name, corners, 4, NULL, NULL);
	}
	(void)cairn_build_thing(b, "inner wall", "wall", all.x0, all.y0);
	for (int i = 0; i < h->wall_count; i++)
		cairn_wall_build(b, &h->walls[i], h->doors, (size_t)h->wall_count);
}

/* ---- what stands about ---- */

static bool near_door(const struct house *h, double x, double y, double reach)
{
	for (int i = 0; i < h->wall_count; i++) {
		double mx = 0.5 * (h->doors[i].from.x_m + h->doors[i].to.x_m),
		       my = 0.5 * (h->doors[i].from.y_m + h->doors[i].to.y_m);
		if (hypot(x - mx, y - my) < reach)
			return true;
	}
	return false;
}

/* A place in some room, margin_m from its walls and clear of doors. */
static bool find_place(struct house *h, double margin_m, double *ret_x, double *ret_y)
{
	for (int i = 0; i < TRIES; i++) {
		const struct rect *r = &h->rooms[cairn_rng_u32(&h->rng) % (uint32_t)h->room_count];
		double x = between(h, r->x0 + margin_m, r->x1 - margin_m),
		       y = between(h, r->y0 + margin_m, r->y1 - margin_m);
		if (near_door(h, x, y, DOORWAY_FREE_M + margin_m))
			continue;
		*ret_x = x;
		*ret_y = y;
		return true;
	}
	return false;
}

static void box(
    struct house *h, const char *name, double x, double y, double w, double d, double z0, double z1)
{
	(void)cairn_build_thing(&h->b, name, name, x, y);
	cairn_build_box(&h->b, (struct cairn_box){x, y, w, d, between(h, 0.0, M_PI), z0, z1},
	    CAIRN_PAINT(150, 110, 70, WOOD));
}

static void table(struct house *h, double x, double y)
{
	double w = between(h, 0.7, 1.4), d = between(h, 0.6, 0.9);
	(void)cairn_build_thing(&h->b, "table", "table", x, y);
	struct cairn_paint paint = CAIRN_PAINT(150, 110, 70, WOOD);
	for (int i = 0; i < 4; i++)
		cairn_build_box(&h->b,
		    (struct cairn_box){x + (i & 1 ? 0.5 : -0.5) * (w - 0.1),
			y + (i & 2 ? 0.5 : -0.5) * (d - 0.1), 0.05, 0.05, 0.0, 0.0, 0.70},
		    paint);
	cairn_build_box(&h->b, (struct cairn_box){x, y, w, d, 0.0, 0.70, 0.74}, paint);
}

static void furnish(struct house *h)
{
	const struct cairn_house_params *p = h->p;
	double x, y, density = p->furniture < 0.0 ? 0.0 : given(p->furniture, 0.12), area = 0.0;
	for (int i = 0; i < h->room_count; i++)
		area += (h->rooms[i].x1 - h->rooms[i].x0) * (h->rooms[i].y1 - h->rooms[i].y0);
	for (int i = 0; i < (int)(density * area); i++) {
		uint32_t kind = cairn_rng_u32(&h->rng) % 4;
		if (!find_place(h, kind == 0 ? 0.8 : 0.4, &x, &y))
			continue;
		if (kind == 0)
			table(h, x, y);
		else if (kind == 1)
			box(h, "cupboard", x, y, between(h, 0.4, 1.0), between(h, 0.3, 0.6), 0.0, 1.8);
		else if (kind == 2)
			box(h, "chair leg", x, y, 0.04, 0.04, 0.0, 0.45);
		else
			cairn_build_cylinder(
			    &h->b, x, y, between(h, 0.08, 0.25), 0.0, 0.6, CAIRN_PAINT(90, 140, 80, LEAVES));
	}
	for (uint32_t i = 0; i < p->low_boxes; i++)
		if (find_place(h, 0.3, &x, &y))
			box(h, "low box", x, y, between(h, 0.12, 0.4), between(h, 0.12, 0.4), 0.0,
			    between(h, 0.07, 0.15));
	for (uint32_t i = 0; i < p->shelves; i++)
		if (find_place(h, 0.4, &x, &y))
			box(h, "shelf", x, y, between(h, 0.4, 0.8), between(h, 0.3, 0.5), 0.185, 0.6);
	h->b.glass = true;
	for (uint32_t i = 0; i < p->glass_panes; i++)
		if (find_place(h, 0.5, &x, &y))
			box(h, "glass pane", x, y, between(h, 0.5, 1.2), 0.02, 0.0, 2.0);
	h->b.glass = false;
}

/* ---- what moves ---- */

static struct cairn_person *add_mover(struct house *h, const char *name)
{
	struct cairn_world *w = h->b.world;
	if (w->people_count >= CAIRN_WORLD_PEOPLE_MAX)
		return NULL;
	struct cairn_person *p = &w->people[w->people_count++];
	*p = (struct cairn_person){.heedless_m = h->p->heedless_m, .paint = CAIRN_PAINT(60, 80, 140, PLAIN)};
	snprintf(p->name, sizeof(p->name), "%s", name);
	return p;
}

/* Walks to and fro within a room; while there are rooms, each person in one of its own: nobody walks through
 * another. */
static void add_person(struct house *h, uint32_t number)
{
	struct cairn_person *p = add_mover(h, "person");
	if (p == NULL)
		return;
	p->radius_m = between(h, 0.12, 0.25);
	p->height_m = 1.7;
	p->speed_mps = between(h, 0.3, given(h->p->person_speed_mps, 1.0));
	p->pause_s = between(h, 0.0, 4.0);
	const struct rect *r = &h->rooms[number % (uint32_t)h->room_count];
	p->path_count = 2 + cairn_rng_u32(&h->rng) % 6;
	for (uint32_t i = 0; i < p->path_count; i++)
		p->path[i] = (struct cairn_vec2){
		    between(h, r->x0 + 0.4, r->x1 - 0.4), between(h, r->y0 + 0.4, r->y1 - 0.4)};
}

/* A leaf as a row of discs that turn about the hinge together; the outermost leads. */
static void add_swinging_door(struct house *h)
{
	if (h->wall_count == 0)
		return;
	const struct cairn_door *d = &h->doors[cairn_rng_u32(&h->rng) % (uint32_t)h->wall_count];
	double dx = d->to.x_m - d->from.x_m, dy = d->to.y_m - d->from.y_m, wide = hypot(dx, dy),
	       yaw = atan2(dy, dx);
	double way = cairn_rng_uniform(&h->rng) < 0.5 ? 1.0 : -1.0, turn_radps = between(h, 0.4, 1.0);
	double pause_s = between(h, 5.0, 20.0), disc = (wide - 0.02) / LEAF_DISCS,
	       outer = (LEAF_DISCS - 0.5) * disc;
	if (h->b.world->people_count + LEAF_DISCS > CAIRN_WORLD_PEOPLE_MAX)
		return;
	for (int i = LEAF_DISCS - 1; i >= 0; i--) {
		struct cairn_person *p = add_mover(h, "swinging door");
		bool leads = i == LEAF_DISCS - 1;
		double radius = (i + 0.5) * disc;
		p->radius_m = LEAF_DISC_M;
		p->height_m = DOOR_HIGH_M;
		p->hinge = d->from;
		p->share = radius / outer;
		p->speed_mps = turn_radps * radius;
		p->pause_s = pause_s;
		p->carried = leads ? LEAF_DISCS - 1 : 0;
		p->path_count = leads ? LEAF_POINTS : 1;
		for (uint32_t k = 0; k < p->path_count; k++) {
			double a = yaw + way * 0.5 * M_PI * (1.0 - (double)k / (LEAF_POINTS - 1));
			p->path[k] =
			    (struct cairn_vec2){d->from.x_m + radius * cos(a), d->from.y_m + radius * sin(a)};
		}
	}
}

struct cairn_world *cairn_house_generate(const struct cairn_house_params *params, struct cairn_error *err)
{
	struct house h = {.p = params};
	char name[CAIRN_WORLD_NAME_CAP];
	snprintf(name, sizeof(name), "house %llu", (unsigned long long)params->seed);
	cairn_rng_seed(&h.rng, params->seed, 31);
	if (!cairn_build_init(&h.b, name, err))
		return NULL;
	double lo = given(params->width_min_m, 6.0), hi = given(params->width_max_m, 11.0);
	struct rect all = {0.0, 0.0, between(&h, lo, hi), between(&h, 0.7 * lo, 0.8 * hi)};
	split(&h, all, 0);
	clear_doors(&h);
	build_walls(&h, all);
	furnish(&h);
	for (uint32_t i = 0; i < params->people; i++)
		add_person(&h, i);
	if (params->swinging_door)
		add_swinging_door(&h);
	return cairn_build_finish(&h.b, err);
}
