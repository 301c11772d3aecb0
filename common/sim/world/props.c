#include "common/sim/world/props.h"

#include <math.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/sim/world/build.h"

#define STREAM 91 /* of chance: apart from sensors and detector */
#define LEAF_DISC_M 0.025
#define LEAF_STEP_M 0.05
#define SWEEP_WAYS 12
#define PUT_STEP_M 0.04
#define PUT_GAP_M 0.02
#define EDGE_M 0.01 /* a thing stands no nearer to the edge of what it stands on */

void cairn_props_start(const struct cairn_world *w, uint64_t seed, struct cairn_props *ret)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, seed, STREAM);
	memset(ret, 0, sizeof(*ret));
	for (uint32_t i = 0; i < CAIRN_WORLD_PROPS_MAX; i++)
		ret->items[i].thing = ret->items[i].container = ret->items[i].liquid = -1;
	for (uint32_t i = 0; i < w->prop_count; i++) {
		const struct cairn_prop *p = &w->props[i];
		struct cairn_prop_state *s = &ret->items[i];
		uint32_t chosen = cairn_rng_u32(&rng) % (p->place_count > 0 ? p->place_count : 1);
		const struct cairn_prop_place *at = &p->places[chosen];
		s->x_m = at->at.x_m;
		s->y_m = at->at.y_m;
		s->z_m = at->z_m;
		s->thing = at->thing;
		s->container = at->container;
		s->open = p->open;
		if (p->liquid[0] != '\0') {
			s->liquid = (int32_t)i;
			s->filled_l = p->holds_l;
		}
	}
}

int32_t cairn_prop_of_thing(const struct cairn_world *w, uint32_t thing)
{
	for (uint32_t i = 0; i < w->prop_count; i++)
		if (w->props[i].thing == thing)
			return (int32_t)i;
	return -1;
}

int32_t cairn_prop_by_name(const struct cairn_world *w, const char *name)
{
	for (uint32_t i = 0; i < w->prop_count; i++)
		if (strcmp(w->things[w->props[i].thing].name, name) == 0)
			return (int32_t)i;
	return -1;
}

int32_t cairn_props_held(const struct cairn_world *w, const struct cairn_props *props)
{
	for (uint32_t i = 0; i < w->prop_count; i++)
		if (props->items[i].held)
			return (int32_t)i;
	return -1;
}

bool cairn_prop_shut_in(
    const struct cairn_world *w, const struct cairn_props *props, uint32_t prop, bool opaque_only)
{
	uint32_t at = prop;
	for (uint32_t k = 0; k < w->prop_count; k++) { /* no deeper than there are props */
		int32_t in = props->items[at].container;
		if (in < 0)
			return false;
		if (!props->items[in].open && (!opaque_only || w->props[in].occludes))
			return true;
		at = (uint32_t)in;
	}
	return false;
}

bool cairn_solid_drawn(const struct cairn_world *w, const struct cairn_props *props,
    const struct cairn_solid *solid, double ret_moved_m[3])
{
	ret_moved_m[0] = ret_moved_m[1] = ret_moved_m[2] = 0.0;
	if (solid->shown == CAIRN_SHOWN_NEVER)
		return false;
	if (solid->prop == 0)
		return true;
	const struct cairn_prop *p = &w->props[solid->prop - 1];
	const struct cairn_prop_state *s = &props->items[solid->prop - 1];
	if (s->held || s->given || (solid->shown == CAIRN_SHOWN_OPEN && !s->open) ||
	    (solid->shown == CAIRN_SHOWN_CLOSED && s->open) ||
	    (solid->shown == CAIRN_SHOWN_FILLED && !(s->filled_l > 0.0)))
		return false;
	ret_moved_m[0] = s->x_m - p->places[0].at.x_m;
	ret_moved_m[1] = s->y_m - p->places[0].at.y_m;
	ret_moved_m[2] = s->z_m - p->places[0].z_m;
	return true;
}

const char *cairn_prop_state_word(const struct cairn_world *w, const struct cairn_props *props, uint32_t prop)
{
	bool open = props->items[prop].open;
	if (w->props[prop].word == CAIRN_PROP_STILL)
		return "";
	if (w->props[prop].word == CAIRN_PROP_LIGHT)
		return open ? "on" : "off";
	return open ? "open" : "closed";
}

/* ---- leaves ---- */

static double leaf_length(const struct cairn_prop *p, uint32_t k)
{
	return hypot(
	    p->leaves[k].shut.x_m - p->leaves[k].hinge.x_m, p->leaves[k].shut.y_m - p->leaves[k].hinge.y_m);
}

size_t cairn_props_discs(const struct cairn_world *w, const struct cairn_props *props, double below_m,
    struct cairn_disc discs[CAIRN_PROPS_DISCS])
{
	size_t n = 0;
	for (uint32_t i = 0; i < w->prop_count; i++) {
		const struct cairn_prop *p = &w->props[i];
		for (uint32_t k = 0; props->items[i].open && k < p->leaf_count; k++) {
			struct cairn_vec2 a = p->leaves[k].hinge, b = p->leaves[k].wide;
			int steps = (int)ceil(leaf_length(p, k) / LEAF_STEP_M);
			if (p->leaves[k].z0_m >= below_m)
				continue;
			for (int s = 0; s <= steps && n < CAIRN_PROPS_DISCS; s++)
				discs[n++] = (struct cairn_disc){a.x_m + (b.x_m - a.x_m) * s / steps,
				    a.y_m + (b.y_m - a.y_m) * s / steps, LEAF_DISC_M, p->leaves[k].z0_m,
				    p->leaves[k].z1_m};
		}
	}
	return n;
}

bool cairn_prop_sweeps(const struct cairn_world *w, uint32_t prop, struct cairn_pose2 pose,
    const struct cairn_footprint *body, double height_m)
{
	const struct cairn_prop *p = &w->props[prop];
	for (uint32_t k = 0; k < p->leaf_count; k++) {
		struct cairn_vec2 h = p->leaves[k].hinge;
		int steps = (int)ceil(leaf_length(p, k) / LEAF_STEP_M);
		if (p->leaves[k].z0_m >= height_m)
			continue;
		for (int t = 0; t <= SWEEP_WAYS; t++) /* a quarter of a circle */
			for (int s = 0; s <= steps; s++) {
				double c = cos(0.5 * M_PI * t / SWEEP_WAYS),
				       d = sin(0.5 * M_PI * t / SWEEP_WAYS);
				double x = c * (p->leaves[k].shut.x_m - h.x_m) +
					   d * (p->leaves[k].wide.x_m - h.x_m),
				       y = c * (p->leaves[k].shut.y_m - h.y_m) +
					   d * (p->leaves[k].wide.y_m - h.y_m);
				struct cairn_disc disc = {h.x_m + x * s / steps, h.y_m + y * s / steps,
				    LEAF_DISC_M, p->leaves[k].z0_m, p->leaves[k].z1_m};
				if (cairn_disc_clearance(&disc, pose, body) <= 0.0)
					return true;
			}
	}
	return false;
}

/* ---- the hand ---- */

bool cairn_prop_set_open(const struct cairn_world *w, struct cairn_props *props, uint32_t prop, bool open)
{
	if (prop >= w->prop_count || w->props[prop].word == CAIRN_PROP_STILL)
		return false;
	props->items[prop].open = open;
	return true;
}

bool cairn_prop_grasp(const struct cairn_world *w, struct cairn_props *props, uint32_t prop)
{
	struct cairn_prop_state *s = &props->items[prop];
	bool bears = false;
	for (uint32_t i = 0; i < w->prop_count; i++)
		bears = bears || (!props->items[i].held && !props->items[i].given &&
				     props->items[i].thing == (int32_t)w->props[prop].thing);
	if (!w->props[prop].graspable || bears || s->held || s->given || cairn_props_held(w, props) >= 0 ||
	    cairn_prop_shut_in(w, props, prop, false))
		return false;
	s->held = true;
	s->thing = s->container = -1;
	return true;
}

/* Is nothing else so near to a point of a thing's top that the prop would stand in it? */
static bool is_free(const struct cairn_world *w, const struct cairn_props *props, uint32_t prop,
    struct cairn_vec2 at, double z_m)
{
	double mine = 0.5 * w->props[prop].wide_m;
	for (uint32_t i = 0; i < w->prop_count; i++) {
		const struct cairn_prop_state *s = &props->items[i];
		double apart = mine + 0.5 * w->props[i].wide_m + PUT_GAP_M;
		if (i == prop || s->held || s->given || !w->props[i].graspable || fabs(s->z_m - z_m) > 0.02)
			continue;
		if (hypot(s->x_m - at.x_m, s->y_m - at.y_m) < apart)
			return false;
	}
	for (uint32_t i = 0; i < w->solid_count; i++) { /* what is built there and does not move */
		const struct cairn_solid *s = &w->solids[i];
		bool above =
		    (double)s->z1_m > z_m + 0.01 && (double)s->z0_m < z_m + w->props[prop].tall_m - 0.01;
		if (s->prop != 0 || !above)
			continue;
		double dx = fmax(0.0, fmax((double)s->x_min_m - at.x_m, at.x_m - (double)s->x_max_m)),
		       dy = fmax(0.0, fmax((double)s->y_min_m - at.y_m, at.y_m - (double)s->y_max_m));
		if (hypot(dx, dy) < mine + PUT_GAP_M)
			return false;
	}
	return true;
}

/* Does a point lie on the top of the thing, so far from its edge? That of its highest solids. */
static bool on_top(
    const struct cairn_world *w, uint32_t thing, double top_m, struct cairn_vec2 at, double edge_m)
{
	for (uint32_t i = 0; i < w->solid_count; i++) {
		const struct cairn_solid *s = &w->solids[i];
		bool inside = s->thing == thing && fabs((double)s->z1_m - top_m) < 1e-3;
		for (uint32_t k = 0; inside && k < s->edge_count; k++) {
			const struct cairn_edge *e = &w->edges[s->edge_first + k];
			double dx = (double)e->bx_m - (double)e->ax_m, dy = (double)e->by_m - (double)e->ay_m;
			double left = dx * (at.y_m - (double)e->ay_m) - dy * (at.x_m - (double)e->ax_m);
			inside = left >= edge_m * hypot(dx, dy);
		}
		if (inside)
			return true;
	}
	return false;
}

bool cairn_prop_put(
    const struct cairn_world *w, struct cairn_props *props, uint32_t thing, struct cairn_vec2 wish)
{
	int32_t held = cairn_props_held(w, props), container = cairn_prop_of_thing(w, thing);
	double min[3], max[3], best = INFINITY;
	struct cairn_vec2 at = {0.0, 0.0};
	if (container >= 0 && !w->props[container].container)
		container = -1;
	if (held < 0 || thing == w->props[held].thing || !cairn_world_extent(w, thing, min, max) ||
	    (container >= 0 && !props->items[container].open && w->props[container].word == CAIRN_PROP_DOOR))
		return false;
	double edge = 0.5 * w->props[held].wide_m + (container >= 0 ? 0.04 : EDGE_M);
	double z = container >= 0 ? w->props[container].shelf_z_m : max[2];
	for (double x = min[0] + edge; x <= max[0] - edge + 1e-9; x += PUT_STEP_M)
		for (double y = min[1] + edge; y <= max[1] - edge + 1e-9; y += PUT_STEP_M) {
			struct cairn_vec2 p = {x, y};
			double far = hypot(x - wish.x_m, y - wish.y_m);
			if (far < best && on_top(w, thing, max[2], p, edge) &&
			    is_free(w, props, (uint32_t)held, p, z)) {
				best = far;
				at = p;
			}
		}
	if (!isfinite(best))
		return false;
	struct cairn_prop_state *s = &props->items[held];
	s->held = false;
	s->x_m = at.x_m;
	s->y_m = at.y_m;
	s->z_m = z;
	s->thing = (int32_t)thing;
	s->container = container;
	return true;
}

double cairn_prop_pour(const struct cairn_world *w, struct cairn_props *props, uint32_t into)
{
	int32_t held = cairn_props_held(w, props);
	if (held < 0 || held == (int32_t)into || into >= w->prop_count)
		return 0.0;
	struct cairn_prop_state *from = &props->items[held], *to = &props->items[into];
	double litres = fmin(from->filled_l, w->props[into].holds_l - to->filled_l);
	if (!(litres > 0.0) || to->held || to->given || (to->liquid >= 0 && to->liquid != from->liquid))
		return 0.0;
	to->liquid = from->liquid;
	to->filled_l += litres;
	from->filled_l -= litres;
	if (!(from->filled_l > 1e-9)) {
		from->filled_l = 0.0;
		from->liquid = -1;
	}
	return litres;
}

bool cairn_prop_give(const struct cairn_world *w, struct cairn_props *props)
{
	int32_t held = cairn_props_held(w, props);
	if (held < 0)
		return false;
	props->items[held].held = false;
	props->items[held].given = true;
	return true;
}
