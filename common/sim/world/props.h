/* props.h - what changes in a world: doors and lids that open, things that are moved, held and filled.
 *
 * A world does not change; struct cairn_props is the state beside it: plain data that a simulation keeps with its own, so that
 * runs repeat and checkpoints have it. Where each prop is at the start is chosen by the seed among its places. Things hang on
 * one another: what is in or on a thing that is moved stays where it is, so only things that hold nothing else can be grasped.
 *
 * Not simulated: arms, contact between things, spilling, weight. A held thing is drawn nowhere. */
#ifndef CAIRN_COMMON_SIM_WORLD_PROPS_H
#define CAIRN_COMMON_SIM_WORLD_PROPS_H

#include "common/sim/world/world.h"

#define CAIRN_PROPS_DISCS 48 /* that open leaves come to */

struct cairn_prop_state {
	double x_m, y_m, z_m; /* of its foot */
	int32_t thing;        /* that it is on or in; -1: none that is known */
	int32_t container;    /* prop that it is in; -1: none */
	int32_t liquid;       /* prop whose liquid fills it; -1: empty */
	double filled_l;
	bool open, held, given; /* given: a person has it */
	bool pad[5];            /* zeros: the state is kept by its bytes */
};

struct cairn_props {
	struct cairn_prop_state items[CAIRN_WORLD_PROPS_MAX];
};

/* The state at the start. */
void cairn_props_start(const struct cairn_world *world, uint64_t seed, struct cairn_props *ret);

/* Index of the prop that a thing is, or -1. */
int32_t cairn_prop_of_thing(const struct cairn_world *world, uint32_t thing);
/* Index of the first prop of this name, or -1. */
int32_t cairn_prop_by_name(const struct cairn_world *world, const char *name);
/* The one that is held, or -1. */
int32_t cairn_props_held(const struct cairn_world *world, const struct cairn_props *props);
/* Is it in something that is closed, or in something that is? opaque_only: that also hides it. */
bool cairn_prop_shut_in(
    const struct cairn_world *world, const struct cairn_props *props, uint32_t prop, bool opaque_only);
/* Is a solid drawn, and moved by how much from where it was built? */
bool cairn_solid_drawn(const struct cairn_world *world, const struct cairn_props *props,
    const struct cairn_solid *solid, double ret_moved_m[3]);
/* "open", "closed", "on", "off"; "" where nothing of it opens. */
const char *cairn_prop_state_word(
    const struct cairn_world *world, const struct cairn_props *props, uint32_t prop);

/* Open leaves as rows of discs that touch and are met by rays; no more than CAIRN_PROPS_DISCS. below_m: those that begin higher
 * than this are left out. */
size_t cairn_props_discs(const struct cairn_world *world, const struct cairn_props *props, double below_m,
    struct cairn_disc discs[CAIRN_PROPS_DISCS]);
/* Would a leaf of the prop sweep over the footprint on its way from one end to the other? */
bool cairn_prop_sweeps(const struct cairn_world *world, uint32_t prop, struct cairn_pose2 pose,
    const struct cairn_footprint *body, double height_m);

/* What the hand does. Nothing is checked but what the state itself needs: false, and nothing has changed. */
bool cairn_prop_set_open(
    const struct cairn_world *world, struct cairn_props *props, uint32_t prop, bool open);
bool cairn_prop_grasp(const struct cairn_world *world, struct cairn_props *props, uint32_t prop);
/* Puts the held thing on a thing's top or into an open container, at a place that is free, the nearest to `at`; false also where
 * there is none. */
bool cairn_prop_put(
    const struct cairn_world *world, struct cairn_props *props, uint32_t thing, struct cairn_vec2 at);
/* From the held vessel into another one, as much as there is and as goes in; litres poured. */
double cairn_prop_pour(const struct cairn_world *world, struct cairn_props *props, uint32_t into);
bool cairn_prop_give(const struct cairn_world *world, struct cairn_props *props);

#endif
