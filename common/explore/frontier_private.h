/* frontier_private.h - what the halves of the frontier finder share; not for others. */
#ifndef CAIRN_COMMON_EXPLORE_FRONTIER_PRIVATE_H
#define CAIRN_COMMON_EXPLORE_FRONTIER_PRIVATE_H

#include "common/explore/frontier.h"

#define CAIRN_FRONTIERS_FOUND_MAX 256

struct cairn_frontier_cell {
	uint32_t index;   /* into the window */
	uint32_t cluster; /* piece, then cluster */
	float along;      /* along the cluster's axis, cells */
};

/* Which way the unknown lies from an opening: a unit vector, or 0 0 where it lies on all sides. */
struct cairn_frontier_outward {
	double x, y;
};

/* One opening while it is being described; cells are window cells. */
struct cairn_frontier_found {
	struct cairn_msg_frontier msg;
	const struct cairn_frontier_cell *cells;
	uint32_t cell_count;
	int32_t mid_x, mid_y; /* the cell in its middle */
	struct cairn_frontier_outward outward;
	bool blind;
};

struct cairn_frontier_finder {
	struct cairn_wavefront wave;
	int32_t cx0, cy0; /* map cell of window cell (0, 0) */
	double cell_m;
	int bound, reach; /* cells; of the clearances and masks as they are */
	size_t capacity;
	uint8_t *unknown, *floor; /* both without their narrow parts */
	int8_t *odds;             /* the window as it was taken in */
	uint8_t *scratch, *part;
	uint8_t *mask;  /* cells beside the unknown */
	uint8_t *edge;  /* of these, frontier cells; all 0 between two updates, as */
	uint8_t *flood; /* what is known of the unknown's size; all 0 between two uses */
	uint32_t *flooded, flooded_count;
	uint32_t *label; /* all NONE between two updates */
	uint32_t *queue, queued;
	struct cairn_frontier_cell *cells, *sorted, *hidden;
	size_t cell_count;
	uint32_t *parent;
	uint32_t piece_count;
	int room; /* cells that the robot's circle, with one to spare, reaches from its middle */
	struct cairn_frontier_found found[CAIRN_FRONTIERS_FOUND_MAX];
	uint32_t found_count, found_total;
	struct cairn_msg_given_up given_up[CAIRN_FRONTIERS_MAX];
	uint32_t given_up_count;
	bool hidden_listed; /* at the last update */
	int stand_clear2;   /* squared cells that a place to stand should be clear, if there is one */
};

/* Brings the masks up to date after a change of the window's cells in box (empty: x1 < x0). */
void cairn_frontier_masks(struct cairn_frontier_finder *finder, struct cairn_wavefront_box box);

/* The unknown of the whole window without what is narrower than 2 reach + 1 cells, into finder->part. */
void cairn_frontier_unknown(struct cairn_frontier_finder *finder, int reach);

/* Finds the cells and their clusters: cells sorted by cluster in finder->sorted, cell_count of them. */
void cairn_frontier_cells(struct cairn_frontier_finder *finder);

/* The second half of that: clusters of the cells that are set in finder->edge (which it clears) and listed in
 * finder->sorted. */
void cairn_frontier_join(struct cairn_frontier_finder *finder);

/* True when only free cells lie between two window cells, both ends left out. */
bool cairn_frontier_sight(
    const struct cairn_frontier_finder *finder, int32_t x0, int32_t y0, int32_t x1, int32_t y1);

/* Cosine of the angle between a look from (x, y) at the middle of an opening and straight into it; below 0 at
 * its back. */
double cairn_frontier_look(
    struct cairn_frontier_outward outward, int32_t x, int32_t y, int32_t mid_x, int32_t mid_y);

/* Turns clusters into openings and adds them to finder->found. */
void cairn_frontier_describe(
    struct cairn_frontier_finder *finder, struct cairn_pose2 pose, double min_width_m);

/* Tells of those that cannot be reached how wide the way there is where it is narrowest. */
void cairn_frontier_gaps(struct cairn_frontier_finder *finder);

/* frontier_memory.c. Forgets those that have been gone for long. */
void cairn_frontier_forget(struct cairn_frontier_memory *memory);
/* Gives those that were there before their ids and marks the blind ones. */
void cairn_frontier_remember(struct cairn_frontier_finder *finder, struct cairn_frontier_memory *memory,
    struct cairn_pose2 pose, bool looking);
/* Numbers those that are new. */
void cairn_frontier_number(struct cairn_frontier_finder *finder, struct cairn_frontier_memory *memory);

/* Adds floor that the robot fits on by all that is known and that no opening found so far leads to. */
void cairn_frontier_hidden(
    struct cairn_frontier_finder *finder, struct cairn_pose2 pose, const struct cairn_config_mission *cfg);

#endif
