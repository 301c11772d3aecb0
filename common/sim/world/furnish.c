#include "common/sim/world/furnish.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/sim/world/furnish_private.h"
#include "common/sim/world/furniture.h"

#define TRIES 120
#define COMPANY_MAX 4
#define GAP_M 0.02      /* between a back and its wall, and between two things */
#define STRAIGHT_M 0.04 /* a wall behind a piece */
#define LOOK_M 6.0
#define DOORWAY_FREE_M 0.9
#define START_FREE_M 0.6
#define OVERHEAD_M 1.6   /* what hangs higher is in nobody's way */
#define CHAIR_OUT_M 0.05 /* between a table and a chair before it */
#define EDGE_M 0.04      /* of a top, that nothing stands on */
#define TOP_MIN_M 0.35
#define TOP_MAX_M 1.15
#define THINGS_MAX 48
#define THING_EVERY_M2 4.0
#define UNUSUAL 0.25
#define BODY_M 0.15 /* half of a robot, to choose a start for */

enum room_kind {
	KITCHEN,
	LIVING,
	DINING,
	BEDROOM,
	BATHROOM,
	TOILET,
	OFFICE,
	GARAGE,
	GYM,
	HALL,
	TERRACE,
	STORAGE
};
enum place { WALL, CENTRE, BESIDE, FRONT, AROUND2, AROUND4 };
#define ON(KIND) (1u << (KIND))

static const struct room_row {
	int kind;
	const char *label, *floor, *colour;
} room_rows[] = {
#define ROOM(key, label, floor, colour) {key, label, floor, colour},
#include "common/sim/world/furnish.def"
};

static const struct piece_row {
	int room; /* kind of it */
	const char *name, *kind;
	double width_m, depth_m, bottom_m, height_m;
	enum place place;
	int percent;
	double clear_m;
	enum furnish_state state;
} piece_rows[] = {
#define PIECE(room, name, kind, width, depth, bottom, height, place, percent, clear, state)                  \
	{room, name, kind, width, depth, bottom, height, place, percent, clear, FURNISH_##state},
#include "common/sim/world/furnish.def"
};

static const struct thing_row {
	const char *name, *kind;
	double width_m, depth_m, tall_m;
	int percent;
	enum furnish_state state;
	unsigned int rooms;
} thing_rows[] = {
#define THING(name, kind, width, depth, tall, percent, state, rooms)                                         \
	{name, kind, width, depth, tall, percent, FURNISH_##state, rooms},
#include "common/sim/world/furnish.def"
};

#define COUNT(rows) ((uint32_t)(sizeof(rows) / sizeof((rows)[0])))

static const char *const colours[] = {
    "red", "green", "blue", "yellow", "orange", "purple", "brown", "turquoise"};

static double between(struct furnish_house *h, double lo, double hi)
{
	return lo + (hi - lo) * cairn_rng_uniform(&h->rng);
}

static bool by_chance(struct furnish_house *h, double share)
{
	return cairn_rng_uniform(&h->rng) < share;
}

/* ---- rooms ---- */

/* The room of a point: of the only label with a meaning there, or NULL. */
static struct furnish_room *room_at(const struct furnish_house *h, double x_m, double y_m)
{
	struct furnish_room *found = NULL;
	for (size_t i = 0; i < h->plan.box_count; i++) {
		const struct cairn_houseexpo_box *b = &h->plan.boxes[i];
		if (strcmp(b->label, "Room") == 0 || x_m < b->x_min_m || x_m > b->x_max_m ||
		    y_m < b->y_min_m || y_m > b->y_max_m)
			continue;
		if (found != NULL)
			return NULL;
		found = &h->rooms[i];
	}
	return found;
}

/* "Living_Room" is the "living room"; the second one "living room 2". */
static void name_rooms(struct furnish_house *h)
{
	for (size_t i = 0; i < h->plan.box_count; i++) {
		const struct cairn_houseexpo_box *b = &h->plan.boxes[i];
		struct furnish_room *room = &h->rooms[i];
		uint32_t same = 1;
		*room = (struct furnish_room){.box = b, .kind = -1};
		for (uint32_t k = 0; k < COUNT(room_rows) && room->kind < 0; k++)
			if (strncmp(b->label, room_rows[k].label, strlen(room_rows[k].label)) == 0) {
				room->kind = room_rows[k].kind;
				room->floor = room_rows[k].floor;
				room->floor_colour = room_rows[k].colour;
			}
		for (size_t k = 0; k < i; k++)
			same += strcmp(h->plan.boxes[k].label, b->label) == 0;
		int n = snprintf(room->name, sizeof(room->name), "%.36s", b->label);
		for (char *c = room->name; *c != '\0'; c++)
			*c = *c == '_' ? ' ' : *c >= 'A' && *c <= 'Z' ? (char)(*c | 0x20) : *c;
		if (same > 1)
			snprintf(room->name + n, sizeof(room->name) - (size_t)n, " %u", same);
	}
}

/* ---- places ---- */

static bool meet(const struct furnish_box *a, const struct furnish_box *b)
{
	return a->x0_m < b->x1_m && b->x0_m < a->x1_m && a->y0_m < b->y1_m && b->y0_m < a->y1_m &&
	       a->z0_m < b->z1_m && b->z0_m < a->z1_m;
}

static double away(const struct furnish_box *b, struct cairn_vec2 p)
{
	return hypot(fmax(0.0, fmax(b->x0_m - p.x_m, p.x_m - b->x1_m)),
	    fmax(0.0, fmax(b->y0_m - p.y_m, p.y_m - b->y1_m)));
}

static struct furnish_box wider(struct furnish_box b, double by_m)
{
	return (struct furnish_box){
	    b.x0_m - by_m, b.y0_m - by_m, b.x1_m + by_m, b.y1_m + by_m, b.z0_m, b.z1_m};
}

/* A piece with its back to direction `back` (0: +x, 1: +y, 2: -x, 3: -y). */
static struct furnish_piece piece_of(
    const struct piece_row *row, uint32_t room, double x_m, double y_m, int back)
{
	struct cairn_furniture_size usual = cairn_furniture_usual(row->kind);
	struct furnish_piece p = {.name = row->name,
	    .kind = row->kind,
	    .x_m = x_m,
	    .y_m = y_m,
	    .yaw_rad = (back - 1) * 0.5 * M_PI,
	    .width_m = row->width_m > 0.0 ? row->width_m : usual.width_m,
	    .depth_m = row->depth_m > 0.0 ? row->depth_m : usual.depth_m,
	    .bottom_m = row->bottom_m > 0.0 ? row->bottom_m : usual.bottom_m,
	    .height_m = row->height_m > 0.0 ? row->height_m : usual.height_m,
	    .state = row->state,
	    .room = room};
	if (p.depth_m <= 0.0)
		p.depth_m = p.width_m;
	bool turned = back % 2 == 0;
	double hx = 0.5 * (turned ? p.depth_m : p.width_m), hy = 0.5 * (turned ? p.width_m : p.depth_m);
	p.box = (struct furnish_box){x_m - hx, y_m - hy, x_m + hx, y_m + hy, p.bottom_m, p.height_m};
	p.clear = p.box;
	p.clear.z0_m = 0.0;
	p.clear.z1_m = row->clear_m > 0.0 ? OVERHEAD_M : 0.0;
	if (back == 0)
		p.clear.x0_m = (p.clear.x1_m = p.box.x0_m) - row->clear_m;
	else if (back == 1)
		p.clear.y0_m = (p.clear.y1_m = p.box.y0_m) - row->clear_m;
	else if (back == 2)
		p.clear.x1_m = (p.clear.x0_m = p.box.x1_m) + row->clear_m;
	else
		p.clear.y1_m = (p.clear.y0_m = p.box.y1_m) + row->clear_m;
	return p;
}

/* No wall, other piece, doorway or other room is in its way; chairs may be pushed under a table. */
static bool has_room(const struct furnish_house *h, const struct furnish_piece *p)
{
	const struct furnish_box near = wider(p->box, GAP_M);
	const struct furnish_room *room = &h->rooms[p->room];
	const double xs[2] = {p->box.x0_m, p->box.x1_m}, ys[2] = {p->box.y0_m, p->box.y1_m};
	for (int i = 0; i < 4; i++)
		if (room_at(h, xs[i & 1], ys[i >> 1]) != room)
			return false;
	if (room_at(h, p->x_m, p->y_m) != room || cairn_world_inside(h->world, p->x_m, p->y_m, 1.0) >= 0)
		return false;
	const struct cairn_footprint body = {0.5 * (p->box.x1_m - p->box.x0_m),
	    0.5 * (p->box.x1_m - p->box.x0_m), 0.5 * (p->box.y1_m - p->box.y0_m)};
	if (cairn_world_touch(h->world, (struct cairn_pose2){p->x_m, p->y_m, 0.0}, &body, 2.0) >= 0)
		return false;
	for (uint32_t i = 0; i < h->piece_count; i++) {
		const struct furnish_piece *o = &h->pieces[i];
		if (meet(&near, &o->box) || meet(&p->box, &o->clear) || meet(&p->clear, &o->box))
			return false;
	}
	if (p->bottom_m >= OVERHEAD_M)
		return true;
	for (uint32_t i = 0; i < h->floor.doorway_count; i++)
		if (away(&p->box, h->floor.doorways[i]) < DOORWAY_FREE_M)
			return false;
	return away(&p->box, (struct cairn_vec2){h->start.x_m, h->start.y_m}) >= START_FREE_M;
}

/* Takes pieces together: all of them fit, or none is taken. */
static bool take(struct furnish_house *h, const struct furnish_piece *pieces, uint32_t count)
{
	struct furnish_box boxes[1 + COMPANY_MAX];
	uint32_t before = h->piece_count, n = 0;
	bool fits = before + count <= FURNISH_PIECES_MAX;
	for (uint32_t i = 0; i < count && fits; i++) {
		fits = has_room(h, &pieces[i]);
		h->pieces[h->piece_count++] = pieces[i];
		if (pieces[i].bottom_m < OVERHEAD_M)
			boxes[n++] = pieces[i].box;
	}
	fits = fits && (n == 0 || furnish_floor_put(&h->floor, boxes, n));
	if (!fits)
		h->piece_count = before;
	return fits;
}

/* Somewhere that the robot gets to in the room. */
static bool somewhere(struct furnish_house *h, uint32_t room, double *ret_x, double *ret_y)
{
	const struct cairn_houseexpo_box *b = h->rooms[room].box;
	for (int i = 0; i < TRIES; i++) {
		*ret_x = between(h, b->x_min_m, b->x_max_m);
		*ret_y = between(h, b->y_min_m, b->y_max_m);
		if (furnish_floor_reached(&h->floor, *ret_x, *ret_y) &&
		    room_at(h, *ret_x, *ret_y) == &h->rooms[room])
			return true;
	}
	return false;
}

/* From there to the wall in a direction, if it is straight for the width of the piece; 0 otherwise. */
static double to_wall(const struct furnish_house *h, double x, double y, int back, double width_m)
{
	const double dx = back == 0   ? 1.0
			  : back == 2 ? -1.0
				      : 0.0,
		     dy = back == 1   ? 1.0
			  : back == 3 ? -1.0
				      : 0.0;
	double range = cairn_world_cast(h->world, x, y, dx, dy, 1.0, LOOK_M).range_m;
	for (int i = -2; i <= 2 && range < LOOK_M; i++) {
		double along = 0.25 * i * width_m, sx = -dy * along, sy = dx * along;
		double n = fabs(along) + 1e-9;
		if (cairn_world_cast(h->world, x, y, sx / n, sy / n, 1.0, LOOK_M).range_m < n ||
		    fabs(cairn_world_cast(h->world, x + sx, y + sy, dx, dy, 1.0, LOOK_M).range_m - range) >
			STRAIGHT_M)
			return 0.0;
	}
	return range < LOOK_M ? range : 0.0;
}

/* A point of the frame of a piece: to its right, and towards its back. */
static struct cairn_vec2 beside(const struct furnish_piece *p, double right_m, double back_m)
{
	return cairn_pose_apply(
	    (struct cairn_pose2){p->x_m, p->y_m, p->yaw_rad}, (struct cairn_vec2){right_m, back_m});
}

static int back_of(const struct furnish_piece *p)
{
	return ((int)lround(p->yaw_rad / (0.5 * M_PI)) + 1 + 4) % 4;
}

/* What belongs to a piece: beside it at the same wall, or before and behind it, their backs away from it. */
static uint32_t company_of(struct furnish_house *h, const struct piece_row *row,
    const struct furnish_piece *at, struct furnish_piece ret[COMPANY_MAX])
{
	const struct furnish_piece size = piece_of(row, at->room, 0.0, 0.0, back_of(at));
	if (row->place == BESIDE) {
		double side = by_chance(h, 0.5) ? 1.0 : -1.0;
		struct cairn_vec2 c = beside(at, side * (0.5 * (at->width_m + size.width_m) + 2.0 * GAP_M),
		    0.5 * (at->depth_m - size.depth_m));
		ret[0] = piece_of(row, at->room, c.x_m, c.y_m, back_of(at));
		return 1;
	}
	uint32_t n = row->place == AROUND4 ? 4 : row->place == AROUND2 ? 2 : 1;
	double out = 0.5 * (at->depth_m + size.depth_m) + CHAIR_OUT_M;
	for (uint32_t i = 0; i < n; i++) {
		bool behind = i % 2 == 1;
		double right = n < 4 ? 0.0 : i < 2 ? -0.25 * at->width_m : 0.25 * at->width_m;
		struct cairn_vec2 c = beside(at, right, behind ? out : -out);
		ret[i] = piece_of(row, at->room, c.x_m, c.y_m, (back_of(at) + (behind ? 0 : 2)) % 4);
	}
	return n;
}

/* Where the robot gets to in the room, or from there with its back to the next wall. */
static bool choose_place(
    struct furnish_house *h, const struct piece_row *row, uint32_t room, struct furnish_piece *ret)
{
	double x, y;
	int back = (int)(cairn_rng_u32(&h->rng) % 4);
	if (!somewhere(h, room, &x, &y))
		return false;
	*ret = piece_of(row, room, x, y, back);
	if (row->place != WALL)
		return true;
	double wall = to_wall(h, x, y, back, ret->width_m), move = wall - 0.5 * ret->depth_m - GAP_M;
	x += back == 0 ? move : back == 2 ? -move : 0.0;
	y += back == 1 ? move : back == 3 ? -move : 0.0;
	*ret = piece_of(row, room, x, y, back);
	return wall > 0.0;
}

/* With its company (NULL: none) if there is a place for all, else alone. */
static bool put(
    struct furnish_house *h, const struct piece_row *row, const struct piece_row *company, uint32_t room)
{
	struct furnish_piece p[1 + COMPANY_MAX];
	for (int i = 0; i < TRIES; i++) {
		if (!choose_place(h, row, room, &p[0]))
			continue;
		bool all = company != NULL && i < TRIES / 2;
		if (take(h, p, 1 + (all ? company_of(h, company, &p[0], &p[1]) : 0)))
			return true;
	}
	return false;
}

static void state_of(struct furnish_house *h, struct furnish_piece *p)
{
	if (p->state == FURNISH_STILL)
		return;
	if (h->state_count >= CAIRN_WORLD_PROPS_MAX) {
		p->state = FURNISH_STILL;
		return;
	}
	h->state_count++;
	p->open = by_chance(h, 0.5);
}

static void furnish_room(struct furnish_house *h, uint32_t room)
{
	uint32_t before = h->piece_count;
	for (uint32_t i = 0; i < COUNT(piece_rows); i++) {
		const struct piece_row *row = &piece_rows[i],
				       *next = i + 1 < COUNT(piece_rows) ? row + 1 : NULL;
		if (row->room != h->rooms[room].kind || row->place > CENTRE ||
		    !by_chance(h, 0.01 * row->percent))
			continue;
		bool company = next != NULL && next->place > CENTRE && by_chance(h, 0.01 * next->percent);
		(void)put(h, row, company ? next : NULL, room);
	}
	for (uint32_t i = before; i < h->piece_count; i++)
		state_of(h, &h->pieces[i]);
	h->rooms[room].used = h->piece_count > before;
}

/* ---- what lies on them ---- */

static bool has_top(const struct furnish_piece *p)
{
	static const char *const kinds[] = {
	    "table", "round_table", "desk", "counter", "drawers", "appliance"};
	bool flat = false;
	for (uint32_t i = 0; i < COUNT(kinds); i++)
		flat |= strcmp(p->kind, kinds[i]) == 0;
	return flat && !p->thing && p->state == FURNISH_STILL && p->height_m >= TOP_MIN_M &&
	       p->height_m <= TOP_MAX_M;
}

static bool put_on(struct furnish_house *h, const struct thing_row *row, const struct furnish_piece *top)
{
	const struct piece_row as = {.name = row->name,
	    .kind = row->kind,
	    .width_m = row->width_m,
	    .depth_m = row->depth_m,
	    .bottom_m = top->height_m,
	    .height_m =
		top->height_m + (row->tall_m > 0.0 ? row->tall_m : cairn_furniture_usual(row->kind).height_m),
	    .state = row->state};
	for (int i = 0; i < TRIES; i++) {
		struct furnish_piece p = piece_of(&as, top->room, 0.0, 0.0, back_of(top));
		double right = 0.5 * (top->width_m - p.width_m) - EDGE_M,
		       back = 0.5 * (top->depth_m - p.depth_m) - EDGE_M;
		if (right <= 0.0 || back <= 0.0)
			return false;
		if (strcmp(top->kind, "round_table") == 0) /* the square in the circle */
			right = back =
			    fmin(right, M_SQRT1_2 * top->width_m * 0.5 - 0.5 * fmax(p.width_m, p.depth_m));
		struct cairn_vec2 c = beside(top, between(h, -right, right), between(h, -back, back));
		p = piece_of(&as, top->room, c.x_m, c.y_m, back_of(top));
		struct furnish_box room = wider(p.box, GAP_M);
		bool free = right > 0.0;
		for (uint32_t k = 0; k < h->piece_count && free; k++)
			free = &h->pieces[k] == top || !meet(&room, &h->pieces[k].box);
		if (!free || h->piece_count >= FURNISH_PIECES_MAX)
			continue;
		p.tall_m = p.height_m - p.bottom_m;
		p.thing = true;
		if (by_chance(h, 0.01 * row->percent))
			snprintf(p.colour, sizeof(p.colour), "%s",
			    colours[cairn_rng_u32(&h->rng) % COUNT(colours)]);
		state_of(h, &p);
		h->pieces[h->piece_count++] = p;
		return true;
	}
	return false;
}

/* A top in a room where the thing is usual, or where it is not. */
static bool put_thing(struct furnish_house *h, const struct thing_row *row, bool usual)
{
	uint32_t tops[FURNISH_PIECES_MAX], n = 0;
	for (uint32_t i = 0; i < h->piece_count; i++)
		if (has_top(&h->pieces[i]) &&
		    ((row->rooms >> h->rooms[h->pieces[i].room].kind & 1u) != 0) == usual)
			tops[n++] = i;
	return n > 0 && put_on(h, row, &h->pieces[tops[cairn_rng_u32(&h->rng) % n]]);
}

static void put_things(struct furnish_house *h, struct cairn_furnish_count *ret)
{
	uint32_t wanted = (uint32_t)(ret->labelled_m2 / THING_EVERY_M2);
	wanted = wanted < THINGS_MAX ? wanted : THINGS_MAX;
	for (uint32_t i = 0; i < 2 * wanted && ret->things < wanted; i++) {
		const struct thing_row *row = &thing_rows[cairn_rng_u32(&h->rng) % COUNT(thing_rows)];
		bool usual = !by_chance(h, UNUSUAL);
		if (!put_thing(h, row, usual))
			continue;
		ret->things++;
		ret->unusual += !usual;
	}
}

/* ---- the house ---- */

static double labelled_m2(const struct furnish_house *h)
{
	const struct furnish_floor *f = &h->floor;
	uint32_t n = 0;
	for (int32_t i = 0; i < f->cols * f->rows; i++) {
		struct cairn_vec2 p = furnish_floor_middle(f, (uint32_t)i);
		n += f->reach[i] && room_at(h, p.x_m, p.y_m) != NULL;
	}
	return furnish_floor_m2(n);
}

static bool begin(struct furnish_house *h, const char *plan, struct cairn_error *err)
{
	if (!cairn_houseexpo_read(&h->plan, plan, err))
		return false;
	bool named = false;
	h->rooms = calloc(h->plan.box_count + 1, sizeof(*h->rooms));
	h->world = cairn_world_load_houseexpo(plan, err);
	if (h->rooms == NULL || h->world == NULL)
		return false;
	name_rooms(h);
	for (size_t i = 0; i < h->plan.box_count; i++)
		named |= h->rooms[i].kind >= 0;
	if (!named || !cairn_world_choose_start(h->world, BODY_M, 1.0, &h->start)) {
		cairn_error_set(err, "%s: %s", plan,
		    named ? "no place for a robot"
			  : "no room has a label that says what it is for (Kitchen, Bedroom, ...)");
		return false;
	}
	return furnish_floor_init(&h->floor, h->world, (struct cairn_vec2){h->start.x_m, h->start.y_m});
}

char *cairn_furnish(const char *plan, uint64_t seed, struct cairn_furnish_count *ret, struct cairn_error *err)
{
	*ret = (struct cairn_furnish_count){.rooms = 0};
	struct furnish_house *h = calloc(1, sizeof(*h));
	char *text = NULL;
	cairn_error_set(err, "%s: out of memory", plan);
	if (h != NULL && begin(h, plan, err)) {
		cairn_rng_seed(&h->rng, seed, 47);
		ret->reachable_m2 = furnish_floor_m2(h->floor.reached);
		ret->labelled_m2 = labelled_m2(h);
		for (uint32_t i = 0; i < h->plan.box_count; i++)
			if (h->rooms[i].kind >= 0)
				furnish_room(h, i);
		ret->pieces = h->piece_count;
		put_things(h, ret);
		for (uint32_t i = 0; i < h->plan.box_count; i++)
			ret->rooms += h->rooms[i].used;
		text = furnish_write(h, seed);
	}
	if (h != NULL) {
		furnish_floor_finish(&h->floor);
		cairn_houseexpo_finish(&h->plan);
		cairn_world_destroy(&h->world);
		free(h->rooms);
	}
	free(h);
	return text;
}
