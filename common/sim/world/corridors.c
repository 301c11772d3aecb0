#include "common/sim/world/corridors.h"

#include <stdio.h>

#include "common/base/rng.h"
#include "common/sim/world/build.h"

#define STREAM 59
#define CORNERS_MAX 512
#define FEATURES_MAX 16
#define WALL_HIGH_M 2.5
#define HALL_LONG_M 4.0
#define HALL_BESIDE_M 1.2 /* the hall is at least so much wider than what leaves it, on each side */
#define DOOR_WIDE_M 0.9
#define DOOR_DEEP_M 0.12
#define ROOM_DEEP_M 3.0
#define ROOM_BESIDE_M 0.5 /* from a room's door to its nearer side wall */
#define FROM_END_M 1.0    /* of a corridor to its first and last door */
#define STAND_OFF_M 0.9   /* the robot turns so far before the end wall */
#define OFF_MIDDLE_M 0.15 /* legs are driven up to so far beside the middle */

/* Doors of one wall, by where they begin. */
struct features {
	double at_m[FEATURES_MAX],
	    room_m[FEATURES_MAX]; /* room_m: length of the room behind; 0: a closed door */
	int count;
};

struct plan {
	struct cairn_rng rng;
	struct cairn_vec2 corners[CORNERS_MAX];
	size_t count;
	struct features sides[2]; /* the wall at the lower y, at the higher */
};

static double between(struct plan *p, double lo, double hi)
{
	return lo + (hi - lo) * cairn_rng_uniform(&p->rng);
}

static void corner(struct plan *p, double x, double y)
{
	p->corners[p->count++] = (struct cairn_vec2){x, y};
}

/* At uneven distances, so that two places of a corridor do not look alike by plan. */
static void choose_features(struct plan *p, const struct cairn_corridors *c)
{
	bool rooms = c->kind == CAIRN_CORRIDOR_ROOMS;
	double next_least = rooms ? 4.0 : 2.5, next_most = rooms ? 12.0 : 9.0;
	for (int side = 0; side < 2; side++) {
		struct features *f = &p->sides[side];
		double at = FROM_END_M + between(p, 0.0, next_most);
		while (at + 4.0 < c->length_m - FROM_END_M && f->count < FEATURES_MAX) {
			f->at_m[f->count] = at;
			f->room_m[f->count++] = rooms ? between(p, 2.2, 3.4) : 0.0;
			at += between(p, next_least, next_most);
		}
	}
}

/* One wall from x0 on: to the right (outside at the lower y) or to the left (outside at the higher). */
static void add_wall(
    struct plan *p, const struct features *f, double length_m, double y, bool rightward, bool outside_low)
{
	double out = outside_low ? -1.0 : 1.0;
	corner(p, rightward ? 0.0 : length_m, y);
	for (int k = 0; k < f->count; k++) {
		int i = rightward ? k : f->count - 1 - k;
		double lo = f->at_m[i], hi = lo + DOOR_WIDE_M, deep = y + out * DOOR_DEEP_M;
		double first = rightward ? lo : hi, last = rightward ? hi : lo;
		corner(p, first, y);
		corner(p, first, deep);
		if (f->room_m[i] > 0.0) {
			double room_lo = lo - ROOM_BESIDE_M, room_hi = room_lo + f->room_m[i],
			       far = deep + out * ROOM_DEEP_M;
			corner(p, rightward ? room_lo : room_hi, deep);
			corner(p, rightward ? room_lo : room_hi, far);
			corner(p, rightward ? room_hi : room_lo, far);
			corner(p, rightward ? room_hi : room_lo, deep);
		}
		corner(p, last, deep);
		corner(p, last, y);
	}
	corner(p, rightward ? length_m : 0.0, y);
}

static void start_hall(struct plan *p, double low_y, double high_y)
{
	corner(p, 0.0, high_y);
	corner(p, -HALL_LONG_M, high_y);
	corner(p, -HALL_LONG_M, low_y);
	corner(p, 0.0, low_y);
}

static void build_walls(struct cairn_builder *b, const struct plan *p, bool free_inside)
{
	cairn_build_outline(
	    b, p->corners, p->count, free_inside, 0.0, WALL_HIGH_M, CAIRN_PAINT(228, 222, 210, PLASTER));
}

/* One corridor at y = 0, or two at y = 0 and `second_y`, that end. */
static void build_dead_ends(struct plan *p, const struct cairn_corridors *c, struct cairn_builder *b)
{
	double half = 0.5 * c->width_m, second_y = c->width_m + c->apart_m;
	double beside = HALL_BESIDE_M + between(p, 0.0, 0.8);
	double high_y = (c->kind == CAIRN_CORRIDOR_TWINS ? second_y : 0.0) + half + beside;
	add_wall(p, &p->sides[0], c->length_m, -half, true, true);
	add_wall(p, &p->sides[1], c->length_m, half, false, false);
	if (c->kind == CAIRN_CORRIDOR_TWINS) {
		add_wall(p, &p->sides[0], c->length_m, second_y - half, true, true);
		add_wall(p, &p->sides[1], c->length_m, second_y + half, false, false);
	}
	start_hall(p, -half - HALL_BESIDE_M, high_y);
	build_walls(b, p, true);
	cairn_build_room(b, "corridor", p->corners, p->count, NULL, NULL);
}

/* Two corridors between two halls: the outer walls, and the block between them. */
static void build_ring(struct plan *p, const struct cairn_corridors *c, struct cairn_builder *b)
{
	double half = 0.5 * c->width_m, second_y = c->width_m + c->apart_m, beside = HALL_BESIDE_M;
	double far_x = c->length_m + 2.5 + between(p, 0.0, 1.0);
	add_wall(p, &p->sides[0], c->length_m, -half, true, true);
	corner(p, c->length_m, -half - 0.3);
	corner(p, far_x, -half - 0.3);
	corner(p, far_x, second_y + half + 0.8);
	corner(p, c->length_m, second_y + half + 0.8);
	add_wall(p, &p->sides[1], c->length_m, second_y + half, false, false);
	start_hall(p, -half - beside, second_y + half + beside);
	build_walls(b, p, true);
	cairn_build_room(b, "corridors", p->corners, p->count, NULL, NULL);
	p->count = 0;
	add_wall(p, &p->sides[1], c->length_m, half, true, false);
	add_wall(p, &p->sides[0], c->length_m, second_y - half, false, true);
	build_walls(b, p, false);
}

static void to(struct cairn_corridors *c, double x, double y)
{
	c->way[c->way_count++] = (struct cairn_vec2){x, y};
}

static void lay_way(struct plan *p, struct cairn_corridors *c)
{
	double second_y = c->width_m + c->apart_m, off[4], mid = -0.5 * HALL_LONG_M;
	for (int i = 0; i < 4; i++)
		off[i] = between(p, -OFF_MIDDLE_M, OFF_MIDDLE_M);
	to(c, mid, off[0]);
	if (c->kind == CAIRN_CORRIDOR_RING) {
		double far_x = c->length_m + 1.2;
		to(c, far_x, off[0]);
		to(c, far_x, second_y + off[1]);
		to(c, mid, second_y + off[1]);
	} else {
		to(c, c->length_m - STAND_OFF_M, off[0]);
		to(c, mid, off[1]);
		if (c->kind == CAIRN_CORRIDOR_TWINS) {
			to(c, mid, second_y + off[2]);
			to(c, c->length_m - STAND_OFF_M, second_y + off[2]);
			to(c, mid, second_y + off[3]);
		}
	}
	to(c, mid, off[0]);
}

bool cairn_corridors_generate(
    uint64_t seed, uint64_t number, struct cairn_corridors *ret, struct cairn_error *err)
{
	struct plan p = {0};
	struct cairn_builder b;
	char name[CAIRN_WORLD_NAME_CAP];
	*ret = (struct cairn_corridors){
	    .number = number, .kind = (enum cairn_corridor_kind)(number % CAIRN_CORRIDOR_KINDS)};
	cairn_rng_seed(&p.rng, seed * UINT64_C(1000003) + number, STREAM);
	bool two = ret->kind == CAIRN_CORRIDOR_TWINS || ret->kind == CAIRN_CORRIDOR_RING;
	ret->length_m = between(&p, CAIRN_CORRIDOR_LENGTH_MIN_M, CAIRN_CORRIDOR_LENGTH_MAX_M);
	ret->width_m = between(&p, 1.3, 2.2);
	ret->apart_m = two ? between(&p, 2.0 * DOOR_DEEP_M + 0.06, 2.0) : 0.0;
	/* Of those that look alike, half have doors to look alike by. */
	ret->doors = ret->kind != CAIRN_CORRIDOR_BARE && !(two && number / CAIRN_CORRIDOR_KINDS % 2 == 0);
	if (ret->doors)
		choose_features(&p, ret);
	snprintf(name, sizeof(name), "corridor %llu", (unsigned long long)number);
	if (!cairn_build_init(&b, name, err))
		return false;
	(void)cairn_build_thing(&b, "wall", "wall", 0.0, 0.0);
	if (ret->kind == CAIRN_CORRIDOR_RING)
		build_ring(&p, ret, &b);
	else
		build_dead_ends(&p, ret, &b);
	lay_way(&p, ret);
	b.world->has_start = true;
	b.world->start = (struct cairn_pose2){ret->way[0].x_m, ret->way[0].y_m, 0.0};
	ret->world = cairn_build_finish(&b, err);
	return ret->world != NULL;
}
