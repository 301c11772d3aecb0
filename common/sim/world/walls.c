#include "common/sim/world/walls.h"

#define CUTS_MAX 128
#define ON_LINE_M 0.06
#define LEAF_THICK_M 0.04
#define JAMB_M 0.06
#define JAMB_PROUD_M 0.012

struct cuts {
	double at[CUTS_MAX];
	int count;
};

static double along(const struct cairn_wall *w, struct cairn_vec2 p, double *ret_across)
{
	double dx = w->to.x_m - w->from.x_m, dy = w->to.y_m - w->from.y_m, len = hypot(dx, dy);
	double px = p.x_m - w->from.x_m, py = p.y_m - w->from.y_m;
	*ret_across = (px * dy - py * dx) / len;
	return (px * dx + py * dy) / len;
}

static void cut(struct cuts *c, double at)
{
	if (c->count >= CUTS_MAX)
		return;
	int i = c->count++;
	for (; i > 0 && c->at[i - 1] > at; i--)
		c->at[i] = c->at[i - 1];
	c->at[i] = at;
}

/* The door's interval on the wall; false when it is not in it. */
static bool door_in(const struct cairn_wall *w, const struct cairn_door *d, double *ret_lo, double *ret_hi)
{
	double off_a, off_b, a = along(w, d->from, &off_a), b = along(w, d->to, &off_b);
	double len = hypot(w->to.x_m - w->from.x_m, w->to.y_m - w->from.y_m);
	*ret_lo = fmin(a, b);
	*ret_hi = fmax(a, b);
	return fabs(off_a) < ON_LINE_M && fabs(off_b)<ON_LINE_M && * ret_lo> - ON_LINE_M &&
	       *ret_hi < len + ON_LINE_M;
}

static void piece(struct cairn_builder *b, const struct cairn_wall *w, double lo, double hi, double z0_m)
{
	double dx = w->to.x_m - w->from.x_m, dy = w->to.y_m - w->from.y_m, len = hypot(dx, dy);
	double mid = 0.5 * (lo + hi) / len;
	struct cairn_box box = {w->from.x_m + mid * dx, w->from.y_m + mid * dy, hi - lo, w->thickness_m,
	    atan2(dy, dx), z0_m, w->height_m};
	cairn_build_box(b, box, w->paint);
}

static void cut_at_rooms(
    struct cuts *c, const struct cairn_world *world, const struct cairn_wall *w, double len)
{
	for (uint32_t i = 0; i < world->room_count; i++)
		for (uint32_t k = 0; k < world->rooms[i].corner_count; k++) {
			double off, at = along(w, world->rooms[i].corners[k], &off);
			if (fabs(off) < 0.2 && at > 0.02 && at < len - 0.02)
				cut(c, at);
		}
}

void cairn_wall_build(
    struct cairn_builder *b, const struct cairn_wall *wall, struct cairn_door *doors, size_t door_count)
{
	double len = hypot(wall->to.x_m - wall->from.x_m, wall->to.y_m - wall->from.y_m);
	double half = 0.5 * wall->thickness_m;
	if (len < 1e-6)
		return;
	struct cuts c = {.count = 0};
	cut(&c, -half);
	cut(&c, len + half);
	cut_at_rooms(&c, b->world, wall, len);
	for (size_t i = 0; i < door_count; i++) {
		double lo, hi;
		if (door_in(wall, &doors[i], &lo, &hi)) {
			cut(&c, lo);
			cut(&c, hi);
			doors[i].used = true;
		}
	}
	for (int i = 0; i + 1 < c.count; i++) {
		double mid = 0.5 * (c.at[i] + c.at[i + 1]), z0 = 0.0;
		if (c.at[i + 1] - c.at[i] < 1e-4)
			continue;
		for (size_t k = 0; k < door_count; k++) {
			double lo, hi;
			if (door_in(wall, &doors[k], &lo, &hi) && mid > lo && mid < hi)
				z0 = fmax(z0, doors[k].height_m);
		}
		if (z0 < wall->height_m - 1e-3)
			piece(b, wall, c.at[i], c.at[i + 1], z0);
	}
}

void cairn_door_build(struct cairn_builder *b, const struct cairn_door *door, double thickness_m)
{
	double dx = door->to.x_m - door->from.x_m, dy = door->to.y_m - door->from.y_m, len = hypot(dx, dy);
	double yaw = atan2(dy, dx), ux = dx / len, uy = dy / len;
	struct cairn_paint frame = {238, 234, 226, CAIRN_TEXTURE_PLAIN};
	(void)cairn_build_thing(b, door->name, "door", 0.5 * (door->from.x_m + door->to.x_m),
	    0.5 * (door->from.y_m + door->to.y_m));
	double deep = thickness_m + 2.0 * JAMB_PROUD_M, off = 0.5 * JAMB_M - 0.004;
	cairn_build_box(b,
	    (struct cairn_box){door->from.x_m - off * ux, door->from.y_m - off * uy, JAMB_M, deep, yaw, 0.0,
		door->height_m + JAMB_M},
	    frame);
	cairn_build_box(b,
	    (struct cairn_box){door->to.x_m + off * ux, door->to.y_m + off * uy, JAMB_M, deep, yaw, 0.0,
		door->height_m + JAMB_M},
	    frame);
	cairn_build_box(b,
	    (struct cairn_box){0.5 * (door->from.x_m + door->to.x_m), 0.5 * (door->from.y_m + door->to.y_m),
		len, deep, yaw, door->height_m - 0.004, door->height_m + JAMB_M},
	    frame);
	if (!door->has_leaf)
		return;
	double a = yaw + door->leaf_rad, reach = 0.5 * (len - 0.02);
	cairn_build_box(b,
	    (struct cairn_box){door->from.x_m + reach * cos(a), door->from.y_m + reach * sin(a), len - 0.02,
		LEAF_THICK_M, a, 0.0, door->height_m - 0.01},
	    door->paint);
}
