/* coverage_private.h - the parts of a coverage: what was seen (coverage.c), and what is to be looked at (coverage_view.c). */
#ifndef CAIRN_COMMON_AGENT_COVERAGE_PRIVATE_H
#define CAIRN_COMMON_AGENT_COVERAGE_PRIVATE_H

#include <math.h>

#include "common/agent/coverage.h"

#define COVERAGE_CELL_M 0.2
#define COVERAGE_SIDE 512
#define COVERAGE_HALF (COVERAGE_SIDE / 2)
#define COVERAGE_SEEN_MAX_M 3.0 /* farther away a detector misses much */
#define COVERAGE_STEP_M 0.1
#define COVERAGE_VIEWS                                                                                       \
	16 /* pictures that are cast again over the next map, which may know more of what they show */
#define COVERAGE_CANDIDATES_MAX 4096

enum {
	COVERAGE_FREE = 1,
	COVERAGE_SOLID = 2,
	COVERAGE_SEEN = 4,
	COVERAGE_TRIED = 8,
	COVERAGE_GIVEN_UP = 16,
	COVERAGE_LISTED = 32,
	COVERAGE_ONCE =
	    64 /* seen by one picture: a thing is believed when two have shown it (scene.confirm_seen) */
};

struct coverage_view {
	double x_m, y_m, yaw_rad, hfov_rad;
	uint8_t number;
};

/* A place to look from, and the best that it shows. */
struct coverage_candidate {
	uint32_t cell;
	int heading; /* first ray of the view */
	double area_m2, score;
	uint32_t round; /* that it was judged in: what was listed since may have taken some of it */
};

struct cairn_coverage {
	uint8_t flags[COVERAGE_SIDE * COVERAGE_SIDE];
	uint8_t by[COVERAGE_SIDE * COVERAGE_SIDE];   /* picture that has shown it last, modulo 256 */
	uint16_t way[COVERAGE_SIDE * COVERAGE_SIDE]; /* cells to drive from the robot, 0 = not reached */
	uint32_t queue[COVERAGE_SIDE * COVERAGE_SIDE];
	struct coverage_view views[COVERAGE_VIEWS];
	uint32_t view_count;
	double hfov_rad; /* of the last picture; 0: there was none */
	struct coverage_candidate candidates[COVERAGE_CANDIDATES_MAX];
	uint64_t map_id;
};

/* Index of the cell at a point, or -1. */
static inline int32_t coverage_cell(double x_m, double y_m)
{
	double cx = floor(x_m / COVERAGE_CELL_M) + COVERAGE_HALF,
	       cy = floor(y_m / COVERAGE_CELL_M) + COVERAGE_HALF;
	bool in = cx >= 1.0 && cy >= 1.0 && cx < COVERAGE_SIDE - 1 && cy < COVERAGE_SIDE - 1;
	return in ? (int32_t)cy * COVERAGE_SIDE + (int32_t)cx : -1;
}

static inline struct cairn_vec2 coverage_middle(uint32_t at)
{
	return (struct cairn_vec2){((double)(at % COVERAGE_SIDE) - COVERAGE_HALF + 0.5) * COVERAGE_CELL_M,
	    ((double)(at / COVERAGE_SIDE) - COVERAGE_HALF + 0.5) * COVERAGE_CELL_M};
}

#endif
