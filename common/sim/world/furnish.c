#include "common/sim/world/furnish.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/sim/world/furnish_private.h"
#include "common/sim/world/furniture.h"

#define TRIES 120
#define EDGE_M 0.04 /* of a top, that nothing stands on */
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
#define ON(KIND) (1u << (KIND))

static const struct room_row {
	int kind;
	const char *label, *floor, *colour;
} room_rows[] = {
#define ROOM(key, label, floor, colour) {key, label, floor, colour},
#include "common/sim/world/furnish.def"
};

static const struct furnish_row piece_rows[] = {
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

/* ---- rooms ---- */

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

static void state_of(struct furnish_house *h, struct furnish_piece *p)
{
	if (p->state == FURNISH_STILL)
		return;
	if (h->state_count >= CAIRN_WORLD_PROPS_MAX) {
		p->state = FURNISH_STILL;
		return;
	}
	h->state_count++;
	p->open = furnish_by_chance(h, 0.5);
}

static void furnish_room(struct furnish_house *h, uint32_t room)
{
	uint32_t before = h->piece_count;
	for (uint32_t i = 0; i < COUNT(piece_rows); i++) {
		const struct furnish_row *row = &piece_rows[i],
					 *next = i + 1 < COUNT(piece_rows) ? row + 1 : NULL;
		if (row->room != h->rooms[room].kind || row->place > CENTRE ||
		    !furnish_by_chance(h, 0.01 * row->percent))
			continue;
		bool company =
		    next != NULL && next->place > CENTRE && furnish_by_chance(h, 0.01 * next->percent);
		(void)furnish_put(h, row, company ? next : NULL, room);
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
	const struct furnish_row as = {.name = row->name,
	    .kind = row->kind,
	    .width_m = row->width_m,
	    .depth_m = row->depth_m,
	    .bottom_m = top->height_m,
	    .height_m =
		top->height_m + (row->tall_m > 0.0 ? row->tall_m : cairn_furniture_usual(row->kind).height_m),
	    .state = row->state};
	for (int i = 0; i < TRIES; i++) {
		struct furnish_piece p = furnish_piece_of(&as, top->room, 0.0, 0.0, furnish_back_of(top));
		double right = 0.5 * (top->width_m - p.width_m) - EDGE_M,
		       back = 0.5 * (top->depth_m - p.depth_m) - EDGE_M;
		if (right <= 0.0 || back <= 0.0)
			return false;
		if (strcmp(top->kind, "round_table") == 0) /* the square in the circle */
			right = back =
			    fmin(right, M_SQRT1_2 * top->width_m * 0.5 - 0.5 * fmax(p.width_m, p.depth_m));
		struct cairn_vec2 c =
		    furnish_beside(top, furnish_between(h, -right, right), furnish_between(h, -back, back));
		p = furnish_piece_of(&as, top->room, c.x_m, c.y_m, furnish_back_of(top));
		struct furnish_box room = furnish_wider(p.box, FURNISH_GAP_M);
		bool free = right > 0.0;
		for (uint32_t k = 0; k < h->piece_count && free; k++)
			free = &h->pieces[k] == top || !furnish_meet(&room, &h->pieces[k].box);
		if (!free || h->piece_count >= FURNISH_PIECES_MAX)
			continue;
		p.tall_m = p.height_m - p.bottom_m;
		p.thing = true;
		if (furnish_by_chance(h, 0.01 * row->percent))
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
		bool usual = !furnish_by_chance(h, UNUSUAL);
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
		n += f->reach[i] && furnish_room_at(h, p.x_m, p.y_m) != NULL;
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
