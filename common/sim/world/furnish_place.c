/* furnish_place.c - where a piece may stand: what is in its way, walls at its back, and what belongs beside it. */
#include <math.h>
#include <string.h>

#include "common/sim/world/furnish_private.h"
#include "common/sim/world/furniture.h"

#define TRIES 120
#define COMPANY_MAX 4
#define STRAIGHT_M 0.04 /* a wall behind a piece */
#define LOOK_M 6.0
#define DOORWAY_FREE_M 0.9
#define START_FREE_M 0.6
#define OVERHEAD_M 1.6   /* what hangs higher is in nobody's way */
#define CHAIR_OUT_M 0.05 /* between a table and a chair before it */

double furnish_between(struct furnish_house *h, double lo, double hi)
{
	return lo + (hi - lo) * cairn_rng_uniform(&h->rng);
}

bool furnish_by_chance(struct furnish_house *h, double share)
{
	return cairn_rng_uniform(&h->rng) < share;
}

struct furnish_room *furnish_room_at(const struct furnish_house *h, double x_m, double y_m)
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

bool furnish_meet(const struct furnish_box *a, const struct furnish_box *b)
{
	return a->x0_m < b->x1_m && b->x0_m < a->x1_m && a->y0_m < b->y1_m && b->y0_m < a->y1_m &&
	       a->z0_m < b->z1_m && b->z0_m < a->z1_m;
}

static double away(const struct furnish_box *b, struct cairn_vec2 p)
{
	return hypot(fmax(0.0, fmax(b->x0_m - p.x_m, p.x_m - b->x1_m)),
	    fmax(0.0, fmax(b->y0_m - p.y_m, p.y_m - b->y1_m)));
}

struct furnish_box furnish_wider(struct furnish_box b, double by_m)
{
	return (struct furnish_box){
	    b.x0_m - by_m, b.y0_m - by_m, b.x1_m + by_m, b.y1_m + by_m, b.z0_m, b.z1_m};
}

struct furnish_piece furnish_piece_of(
    const struct furnish_row *row, uint32_t room, double x_m, double y_m, int back)
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
	const struct furnish_box near = furnish_wider(p->box, FURNISH_GAP_M);
	const struct furnish_room *room = &h->rooms[p->room];
	const double xs[2] = {p->box.x0_m, p->box.x1_m}, ys[2] = {p->box.y0_m, p->box.y1_m};
	for (int i = 0; i < 4; i++)
		if (furnish_room_at(h, xs[i & 1], ys[i >> 1]) != room)
			return false;
	if (furnish_room_at(h, p->x_m, p->y_m) != room ||
	    cairn_world_inside(h->world, p->x_m, p->y_m, 1.0) >= 0)
		return false;
	const struct cairn_footprint body = {0.5 * (p->box.x1_m - p->box.x0_m),
	    0.5 * (p->box.x1_m - p->box.x0_m), 0.5 * (p->box.y1_m - p->box.y0_m)};
	if (cairn_world_touch(h->world, (struct cairn_pose2){p->x_m, p->y_m, 0.0}, &body, 2.0) >= 0)
		return false;
	for (uint32_t i = 0; i < h->piece_count; i++) {
		const struct furnish_piece *o = &h->pieces[i];
		if (furnish_meet(&near, &o->box) || furnish_meet(&p->box, &o->clear) ||
		    furnish_meet(&p->clear, &o->box))
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
		*ret_x = furnish_between(h, b->x_min_m, b->x_max_m);
		*ret_y = furnish_between(h, b->y_min_m, b->y_max_m);
		if (furnish_floor_reached(&h->floor, *ret_x, *ret_y) &&
		    furnish_room_at(h, *ret_x, *ret_y) == &h->rooms[room])
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

struct cairn_vec2 furnish_beside(const struct furnish_piece *p, double right_m, double back_m)
{
	return cairn_pose_apply(
	    (struct cairn_pose2){p->x_m, p->y_m, p->yaw_rad}, (struct cairn_vec2){right_m, back_m});
}

int furnish_back_of(const struct furnish_piece *p)
{
	return ((int)lround(p->yaw_rad / (0.5 * M_PI)) + 1 + 4) % 4;
}

/* What belongs to a piece: beside it at the same wall, or before and behind it, their backs away from it. */
static uint32_t company_of(struct furnish_house *h, const struct furnish_row *row,
    const struct furnish_piece *at, struct furnish_piece ret[COMPANY_MAX])
{
	const struct furnish_piece size = furnish_piece_of(row, at->room, 0.0, 0.0, furnish_back_of(at));
	if (row->place == BESIDE) {
		double side = furnish_by_chance(h, 0.5) ? 1.0 : -1.0;
		struct cairn_vec2 c =
		    furnish_beside(at, side * (0.5 * (at->width_m + size.width_m) + 2.0 * FURNISH_GAP_M),
			0.5 * (at->depth_m - size.depth_m));
		ret[0] = furnish_piece_of(row, at->room, c.x_m, c.y_m, furnish_back_of(at));
		return 1;
	}
	uint32_t n = row->place == AROUND4 ? 4 : row->place == AROUND2 ? 2 : 1;
	double out = 0.5 * (at->depth_m + size.depth_m) + CHAIR_OUT_M;
	for (uint32_t i = 0; i < n; i++) {
		bool behind = i % 2 == 1;
		double right = n < 4 ? 0.0 : i < 2 ? -0.25 * at->width_m : 0.25 * at->width_m;
		struct cairn_vec2 c = furnish_beside(at, right, behind ? out : -out);
		ret[i] = furnish_piece_of(
		    row, at->room, c.x_m, c.y_m, (furnish_back_of(at) + (behind ? 0 : 2)) % 4);
	}
	return n;
}

/* Where the robot gets to in the room, or from there with its back to the next wall. */
static bool choose_place(
    struct furnish_house *h, const struct furnish_row *row, uint32_t room, struct furnish_piece *ret)
{
	double x, y;
	int back = (int)(cairn_rng_u32(&h->rng) % 4);
	if (!somewhere(h, room, &x, &y))
		return false;
	*ret = furnish_piece_of(row, room, x, y, back);
	if (row->place != WALL)
		return true;
	double wall = to_wall(h, x, y, back, ret->width_m), move = wall - 0.5 * ret->depth_m - FURNISH_GAP_M;
	x += back == 0 ? move : back == 2 ? -move : 0.0;
	y += back == 1 ? move : back == 3 ? -move : 0.0;
	*ret = furnish_piece_of(row, room, x, y, back);
	return wall > 0.0;
}

bool furnish_put(
    struct furnish_house *h, const struct furnish_row *row, const struct furnish_row *company, uint32_t room)
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
