#include "common/sim/world/dead_ends.h"

#include <stdio.h>

#include "common/base/rng.h"
#include "common/sim/world/build.h"

#define STREAM 53
#define CORNERS_MAX 32
#define WALL_HIGH_M 2.5
#define DOOR_DEEP_M 0.12
#define FROM_CORNER_M 0.4   /* a mouth is at least this far from the room's corners */
#define FIRST_LEG_MIN_M 1.0 /* of a corridor with a bend */
#define SECOND_LEG_MIN_M 0.8
#define AWAY_M (-40.0) /* farther than a LiDAR looks */

struct plan {
	struct cairn_rng rng;
	struct cairn_vec2 corners[CORNERS_MAX];
	size_t count;
	double width_m, height_m; /* of the first room, whose corner is the origin */
	bool mirrored;
};

static double between(struct plan *p, double lo, double hi)
{
	return lo + (hi - lo) * cairn_rng_uniform(&p->rng);
}

/* A side of the room: x leads out through the wall, y along it, counter-clockwise. */
struct side {
	double x_m, y_m, out_x, out_y;
};

static struct cairn_vec2 place(const struct plan *p, const struct side *s, double x, double y)
{
	double wx = s->x_m + s->out_x * x - s->out_y * y, wy = s->y_m + s->out_y * x + s->out_x * y;
	return (struct cairn_vec2){p->mirrored ? -wx : wx, wy};
}

static void corner(struct plan *p, const struct side *s, double x, double y)
{
	p->corners[p->count++] = place(p, s, x, y);
}

/* The second room, behind a door in the side. */
static void add_room(struct plan *p, const struct side *s, double length_m)
{
	double wide = between(p, 0.80, 0.95), deep = between(p, 2.5, 4.0);
	double at = between(p, 0.3, length_m - 0.3 - wide);
	corner(p, s, 0.0, at);
	corner(p, s, DOOR_DEEP_M, at);
	corner(p, s, DOOR_DEEP_M, 0.0);
	corner(p, s, DOOR_DEEP_M + deep, 0.0);
	corner(p, s, DOOR_DEEP_M + deep, length_m);
	corner(p, s, DOOR_DEEP_M, length_m);
	corner(p, s, DOOR_DEEP_M, at + wide);
	corner(p, s, 0.0, at + wide);
}

static void add_corridor(
    struct plan *p, const struct side *s, double length_m, bool bend, struct cairn_dead_end *ret)
{
	double w = between(p, CAIRN_DEAD_END_WIDTH_MIN_M, CAIRN_DEAD_END_WIDTH_MAX_M);
	double deep = between(p, CAIRN_DEAD_END_DEPTH_MIN_M, CAIRN_DEAD_END_DEPTH_MAX_M);
	double y = between(p, FROM_CORNER_M + 0.5 * w, length_m - FROM_CORNER_M - 0.5 * w);
	double first = bend ? between(p, FIRST_LEG_MIN_M, deep - SECOND_LEG_MIN_M) : deep;
	double lo = y - 0.5 * w, hi = y + 0.5 * w;
	*ret = (struct cairn_dead_end){.width_m = w, .depth_m = deep, .count = bend ? 3 : 2};
	ret->line[0] = place(p, s, 0.0, y);
	ret->line[1] = place(p, s, first, y);
	corner(p, s, 0.0, lo);
	if (bend) {
		double end = y + deep - first;
		ret->line[2] = place(p, s, first, end);
		corner(p, s, first + 0.5 * w, lo);
		corner(p, s, first + 0.5 * w, end);
		corner(p, s, first - 0.5 * w, end);
		corner(p, s, first - 0.5 * w, hi);
	} else {
		corner(p, s, deep, lo);
		corner(p, s, deep, hi);
	}
	corner(p, s, 0.0, hi);
}

static void add_mover(struct plan *p, struct cairn_dead_ends *d, struct cairn_world *world)
{
	const struct cairn_dead_end *e = &d->ends[0];
	bool box = d->behind == CAIRN_BEHIND_BOX;
	d->trigger_m = between(p, 0.8, e->depth_m - 0.6);
	d->gap_m = between(p, 0.4, 1.0);
	d->stay_s = between(p, 15.0, 60.0);
	d->away = (struct cairn_vec2){AWAY_M, AWAY_M};
	if (d->behind == CAIRN_BEHIND_NOBODY)
		return;
	struct cairn_person *m = &world->people[world->people_count++];
	*m = (struct cairn_person){.radius_m = box ? between(p, 0.10, 0.15) : between(p, 0.14, 0.20),
	    .height_m = box ? 0.4 : 1.7,
	    .speed_mps = box ? 0.0 : between(p, 0.3, 0.8),
	    .path = {d->away},
	    .path_count = 1,
	    .paint = CAIRN_PAINT(60, 80, 140, PLAIN)};
	snprintf(m->name, sizeof(m->name), "%s", box ? "box" : "person");
}

/* The rooms go round the first one's sides; each corridor bends the way the sides go round, so that none meets another. */
static void lay_out(struct plan *p, struct cairn_dead_ends *d, bool bend)
{
	double w = p->width_m, h = p->height_m;
	const struct side sides[4] = {
	    {0.0, 0.0, 0.0, -1.0}, {w, 0.0, 1.0, 0.0}, {w, h, 0.0, 1.0}, {0.0, h, -1.0, 0.0}};
	uint32_t many = 1 + cairn_rng_u32(&p->rng) % CAIRN_DEAD_ENDS_MAX;
	for (int i = 0; i < 4; i++) {
		double length_m = i % 2 == 0 ? w : h;
		corner(p, &sides[i], 0.0, 0.0);
		if (i == 0)
			add_room(p, &sides[i], length_m);
		else if (d->count < many)
			add_corridor(p, &sides[i], length_m,
			    d->count == 0 ? bend : cairn_rng_uniform(&p->rng) < 0.5, &d->ends[d->count]),
			    d->count++;
	}
}

bool cairn_dead_ends_generate(
    uint64_t seed, uint64_t number, struct cairn_dead_ends *ret, struct cairn_error *err)
{
	struct plan p = {0};
	struct cairn_builder b;
	char name[CAIRN_WORLD_NAME_CAP];
	*ret = (struct cairn_dead_ends){
	    .number = number, .behind = (enum cairn_behind)(number / 2 % CAIRN_BEHIND_COUNT)};
	cairn_rng_seed(&p.rng, seed * UINT64_C(1000003) + number, STREAM);
	p.width_m = between(&p, 2.4, 5.0);
	p.height_m = between(&p, 2.4, 4.5);
	p.mirrored = cairn_rng_uniform(&p.rng) < 0.5;
	snprintf(name, sizeof(name), "dead end %llu", (unsigned long long)number);
	if (!cairn_build_init(&b, name, err))
		return false;
	lay_out(&p, ret, number % 2 == 1);
	(void)cairn_build_thing(&b, "wall", "wall", 0.0, 0.0);
	cairn_build_outline(
	    &b, p.corners, p.count, true, 0.0, WALL_HIGH_M, CAIRN_PAINT(228, 222, 210, PLASTER));
	cairn_build_room(&b, "rooms", p.corners, p.count, NULL, NULL);
	add_mover(&p, ret, b.world);
	double x = between(&p, 0.6, p.width_m - 0.6), y = between(&p, 0.6, p.height_m - 0.6);
	b.world->has_start = true;
	b.world->start = (struct cairn_pose2){p.mirrored ? -x : x, y, between(&p, -M_PI, M_PI)};
	ret->world = cairn_build_finish(&b, err);
	return ret->world != NULL;
}

/* ---- places ---- */

double cairn_dead_end_depth(const struct cairn_dead_end *e, double x_m, double y_m)
{
	double before = 0.0, half = 0.5 * e->width_m;
	for (uint32_t i = 0; i + 1 < e->count; i++) {
		double dx = e->line[i + 1].x_m - e->line[i].x_m, dy = e->line[i + 1].y_m - e->line[i].y_m;
		double length = hypot(dx, dy), px = x_m - e->line[i].x_m, py = y_m - e->line[i].y_m;
		double along = (px * dx + py * dy) / length, beside = (px * dy - py * dx) / length;
		bool bend = i + 2 < e->count;
		if (along >= 0.0 && along <= length + (bend ? half : 0.0) && fabs(beside) <= half)
			return before + fmin(along, length);
		before += length;
	}
	return -1.0;
}

struct cairn_vec2 cairn_dead_end_at(const struct cairn_dead_end *e, double depth_m)
{
	double left = depth_m;
	for (uint32_t i = 0; i + 1 < e->count; i++) {
		double dx = e->line[i + 1].x_m - e->line[i].x_m, dy = e->line[i + 1].y_m - e->line[i].y_m;
		double length = hypot(dx, dy);
		if (left <= length || i + 2 == e->count) {
			double u = fmin(left, length) / length;
			return (struct cairn_vec2){e->line[i].x_m + u * dx, e->line[i].y_m + u * dy};
		}
		left -= length;
	}
	return e->line[0];
}
