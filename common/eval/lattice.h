/* lattice.h - shortest ways over the floor that a robot reaches in a house, by the truth: a lattice of 0.1 m with eight neighbours (at most
 * 8 % longer than the straight way). Turning costs nothing. Ways that lead through several places in a row are found by spreading anew from
 * the cells of each place, with the way so far. */
#ifndef CAIRN_COMMON_EVAL_LATTICE_H
#define CAIRN_COMMON_EVAL_LATTICE_H

#include "common/config/config.h"
#include "common/sim/world/world.h"

#define CAIRN_LATTICE_M 0.1

struct cairn_lattice {
	int nx, ny; /* cells; number of a cell: y * nx + x */
	double x0_m, y0_m;
	uint8_t *free;  /* 1: the robot reaches it */
	float *way_m;   /* from where was seeded last; INFINITY: not reached */
	uint32_t *open; /* ring of cells whose neighbours are to be looked at */
	uint8_t *queued;
	uint32_t head, tail;
};

/* The floor that the robot of cfg reaches from start, without ways. False without memory; free it in either case. */
bool cairn_lattice_init(struct cairn_lattice *l, const struct cairn_config *cfg,
    const struct cairn_world *world, struct cairn_pose2 start);
void cairn_lattice_free(struct cairn_lattice *l);

struct cairn_vec2 cairn_lattice_at(const struct cairn_lattice *l, uint32_t cell);
/* UINT32_MAX: outside. */
uint32_t cairn_lattice_cell(const struct cairn_lattice *l, struct cairn_vec2 at);
static inline uint32_t cairn_lattice_cells(const struct cairn_lattice *l)
{
	return (uint32_t)l->nx * (uint32_t)l->ny;
}

/* All ways are forgotten. */
void cairn_lattice_clear(struct cairn_lattice *l);
/* A cell to spread from, so long a way behind it. */
void cairn_lattice_seed(struct cairn_lattice *l, uint32_t cell, float way_m);
/* Ways from the seeded cells to all others. */
void cairn_lattice_spread(struct cairn_lattice *l);

#endif
