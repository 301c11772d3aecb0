/* depth_layer_private.h - what the parts of the depth layer share; not for others.
 *
 *   depth_layer.c          the grid, and what the robot drives over
 *   depth_layer_see.c      what a depth scan shows of it
 *   depth_layer_points.c   what of it stands in the way
 *   depth_layer_track.c    the way that the robot came */
#ifndef CAIRN_COMMON_SAFETY_DEPTH_LAYER_PRIVATE_H
#define CAIRN_COMMON_SAFETY_DEPTH_LAYER_PRIVATE_H

#include "common/safety/depth_layer.h"

#define CAIRN_DEPTH_LAYER_UNSEEN 0
#define CAIRN_DEPTH_LAYER_FREE 1
#define CAIRN_DEPTH_LAYER_OBSTACLE 2
#define CAIRN_DEPTH_LAYER_MASK (CAIRN_DEPTH_LAYER_CELLS - 1)
#define CAIRN_DEPTH_LAYER_FAR_CELLS 1e8

_Static_assert((CAIRN_DEPTH_LAYER_CELLS & CAIRN_DEPTH_LAYER_MASK) == 0, "cells wrap by a mask");

/* floor() by hand: where the processor's own rounding is not to be counted on, the library's costs a call. No
 * branch, so that many can be done at a time. */
static inline int32_t cairn_depth_layer_cell_of(double m)
{
	double cell = m / CAIRN_DEPTH_LAYER_CELL_M;
	/* Held by no grid, like what is not a number. */
	cell = cell < CAIRN_DEPTH_LAYER_FAR_CELLS ? cell : CAIRN_DEPTH_LAYER_FAR_CELLS;
	cell = cell > -CAIRN_DEPTH_LAYER_FAR_CELLS ? cell : -CAIRN_DEPTH_LAYER_FAR_CELLS;
	int32_t whole = (int32_t)cell;
	return whole - (cell < (double)whole);
}

static inline size_t cairn_depth_layer_cell_index(int32_t cx, int32_t cy)
{
	return (size_t)(cy & CAIRN_DEPTH_LAYER_MASK) * CAIRN_DEPTH_LAYER_CELLS +
	       (size_t)(cx & CAIRN_DEPTH_LAYER_MASK);
}

static inline uint8_t *cairn_depth_layer_at(struct cairn_depth_layer *f, int32_t cx, int32_t cy)
{
	return &f->cells[cairn_depth_layer_cell_index(cx, cy)];
}

static inline uint16_t *cairn_depth_layer_seen_at(struct cairn_depth_layer *f, int32_t cx, int32_t cy)
{
	return &f->seen_at[cairn_depth_layer_cell_index(cx, cy)];
}

static inline uint16_t cairn_depth_layer_driven_cells(const struct cairn_depth_layer *f)
{
	return (uint16_t)(int64_t)(f->driven_m / CAIRN_DEPTH_LAYER_CELL_M);
}

static inline bool cairn_depth_layer_held(const struct cairn_depth_layer *f, int32_t cx, int32_t cy)
{
	return cx - f->cx >= -CAIRN_DEPTH_LAYER_CELLS / 2 && cx - f->cx < CAIRN_DEPTH_LAYER_CELLS / 2 &&
	       cy - f->cy >= -CAIRN_DEPTH_LAYER_CELLS / 2 && cy - f->cy < CAIRN_DEPTH_LAYER_CELLS / 2;
}

/* Sets the cells whose centres lie under the footprint free; those never seen also within beside_m of it, and
 * in a disc about its middle. */
void cairn_depth_layer_mark(
    struct cairn_depth_layer *f, struct cairn_pose2 pose, double beside_m, double disc_m);

/* What the robot has passed this closely going forward it did not touch: the way back along its own track is open. */
#define CAIRN_DEPTH_LAYER_BESIDE_M 0.05

/* What is marked about a pose: cells under the footprint, and of those never seen also some beside it. */
struct cairn_depth_layer_strip {
	double along_m, left_m, right_m; /* beyond the footprint */
	double disc_m;                   /* about its middle */
	bool unseen_only;                /* under the footprint as well */
};
void cairn_depth_layer_mark_strip(
    struct cairn_depth_layer *f, struct cairn_pose2 pose, struct cairn_depth_layer_strip strip);

/* A pose of the caller's frame in that of the grid: they differ by what was found to be lost by dead reckoning. */
struct cairn_pose2 cairn_depth_layer_fixed(const struct cairn_depth_layer *f, struct cairn_pose2 pose);
/* The robot comes to pose, of the grid's frame; back: going backward. The pose as its own way tells it. */
struct cairn_pose2 cairn_depth_layer_track_fix(
    struct cairn_depth_layer *f, struct cairn_pose2 pose, bool back);
/* It is there, and the grid with it. */
void cairn_depth_layer_track_drive(struct cairn_depth_layer *f, struct cairn_pose2 pose);

/* Lists the points: obstacles, then how they go on beside the picture, then the rest of the border of what
 * was never seen. */
void cairn_depth_layer_list(struct cairn_depth_layer *f);

#endif
