/* costmap.h - what a place costs and whether the footprint fits there.
 *
 * Made from the occupancy grid (0 free .. 100 occupied, 255 unknown; row 0 has the smallest y). A cell is an
 * obstacle from CAIRN_GRID_OCCUPIED on. Distances come from an exact Euclidean distance transform and are
 * between cell centres; an obstacle cell counts as a disc of half a cell around its centre.
 *
 * Cost of a cell, as a factor on the length driven through it (1 = free and far from everything):
 *   near = 1 + (near_cost - 1) * x^2,  x = clamp((inflation - d) / (inflation - inscribed), 0, 1)
 *   cost = max(near, unknown_cost if unknown, slow_cost in a slow-down zone), with d the distance to the
 * nearest obstacle.
 *
 * An unknown cell that the model claims to be occupied costs claimed_cost in place of unknown_cost: dearer, and neither an
 * obstacle nor ever cheaper, whatever is claimed.
 *
 * Zones: cells that a keep-out zone touches are obstacles. A zone that the robot stands in is only dear
 * (unknown_cost), so that it can leave.
 *
 * Live points (obstacles of the newest scan that the map does not have) lie over the map until the next call
 * replaces them. */
#ifndef CAIRN_COMMON_PLAN_COSTMAP_H
#define CAIRN_COMMON_PLAN_COSTMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/geom.h"
#include "common/base/polygon.h"
#include "common/scan/scan.h"
#include "common/map/edt.h"

#define CAIRN_GRID_OCCUPIED 65
#define CAIRN_GRID_UNKNOWN 255

/* A borrowed occupancy grid. */
struct cairn_plan_grid {
	const uint8_t *cells;
	size_t stride;
	int width, height;
	double origin_x_m, origin_y_m; /* lower-left corner of cell (0, 0), map frame */
	double cell_m;
};

struct cairn_costmap_params {
	double inflation_m;
	double inscribed_m;  /* from this distance inward the near cost is at its peak */
	double near_cost;    /* >= 1 */
	double unknown_cost; /* >= 1 */
	double slow_cost;    /* >= 1, or 0: none */
	double claimed_cost; /* of an unknown cell; less than unknown_cost counts as that */
};

#define CAIRN_PLAN_ZONES_MAX 16

struct cairn_plan_zone {
	bool keepout;         /* else slow down */
	double speed_max_mps; /* of a slow-down zone */
	size_t count;
	struct cairn_vec2 corners[CAIRN_POLYGON_CORNERS_MAX];
};

enum {
	CAIRN_CELL_OCCUPIED = 1, /* by the map */
	CAIRN_CELL_LIVE = 2,     /* by the newest scan */
	CAIRN_CELL_UNKNOWN = 4,
	CAIRN_CELL_KEEPOUT = 8, /* by a zone */
	CAIRN_CELL_SLOW = 16,
	CAIRN_CELL_LEAVE = 32,    /* of a keep-out zone that the robot stands in */
	CAIRN_CELL_CLAIMED = 128, /* by the model, to be occupied: counts where the cell is unknown */
	CAIRN_CELL_UNSEEN = 64,   /* border of floor that the depth camera never saw: not to be backed onto */
};
#define CAIRN_CELL_FIXED (CAIRN_CELL_OCCUPIED | CAIRN_CELL_KEEPOUT)
#define CAIRN_CELL_OBSTACLE (CAIRN_CELL_FIXED | CAIRN_CELL_LIVE)

/* Cells, half open. */
struct cairn_window {
	int x0, y0, x1, y1;
};

/* What the cost of a place is reckoned with, as every pose of a search needs it. */
struct cairn_costmap_rate {
	float inflation_m, span_m; /* from inscribed to inflation */
	float peak;                /* above 1, at inscribed_m and nearer */
	float unknown, slow, claimed;
	float cell_m;
};

struct cairn_costmap {
	struct cairn_costmap_params params;
	struct cairn_costmap_rate rate; /* of params and cell_m */
	int width, height;
	double origin_x_m, origin_y_m, cell_m, cells_per_m;
	uint8_t *cells;     /* CAIRN_CELL_* bits */
	float *map_dist;    /* to the map's obstacles, cells */
	float *dist;        /* to any obstacle, cells */
	uint8_t *measured;  /* CAIRN_CELL_FIXED bits that map_dist was made from */
	float *column_dist; /* of the distance transform, kept for the next change */
	float *row_max;
	bool *row_changed;
	bool kept;                  /* measured and column_dist belong to this size and place */
	size_t capacity;            /* cells there is room for */
	struct cairn_window live;   /* where dist may differ from map_dist */
	struct cairn_window unseen; /* where CAIRN_CELL_UNSEEN may be set */
	float *scratch;             /* of the distance transforms */
	struct cairn_edt edt;
	struct cairn_plan_zone zones[CAIRN_PLAN_ZONES_MAX];
	int zone_count;
};

/* Room between the rectangle and the obstacles is asked for with the rectangle itself: widen it. */
struct cairn_rect {
	double front_m, rear_m, left_m, right_m; /* all measured outward from the origin of the robot frame */
};

void cairn_costmap_init(struct cairn_costmap *cm, const struct cairn_costmap_params *params);
void cairn_costmap_free(struct cairn_costmap *cm);

/* Takes a new grid (copied) and forgets the live points. standing (may be NULL): obstacle cells under body at
 * that pose are taken as free, because the robot stands there (see cairn_costmap_clear_under). 0, -EINVAL
 * (empty, no cells, bad cell size), -ENOMEM (old one kept). */
int cairn_costmap_set_grid(struct cairn_costmap *cm, const struct cairn_plan_grid *grid,
    const struct cairn_pose2 *standing, const struct cairn_footprint *body);

/* Takes obstacles of the map under body at that pose as free; true if there were any (distances are renewed,
 * live points forgotten). */
bool cairn_costmap_clear_under(
    struct cairn_costmap *cm, const struct cairn_pose2 *standing, const struct cairn_footprint *body);

/* Replaces the zones, for this grid and those to come; outlines that are not valid and those beyond
 * CAIRN_PLAN_ZONES_MAX are left out. standing may be NULL. Distances are renewed, live points forgotten.
 * Returns how many zones hold. */
int cairn_costmap_set_zones(struct cairn_costmap *cm, const struct cairn_plan_zone *zones, int count,
    const struct cairn_pose2 *standing);

/* Least speed limit of the slow-down zones at a place, INFINITY outside. */
double cairn_costmap_speed_max(const struct cairn_costmap *cm, double x_m, double y_m);

/* Lays live points (map frame) over the map, replacing those before. Points outside, and those within skip_m
 * of an obstacle of the map (the same wall seen again), are left out. Returns how many cells were set, or
 * -ENOMEM (none set). */
int cairn_costmap_set_live(
    struct cairn_costmap *cm, const struct cairn_vec2 *points, size_t count, double skip_m);

/* Marks the cells of these points (map frame) as claimed to be occupied. Lasts until the next grid or zones, or until
 * cairn_costmap_forget_claimed. */
void cairn_costmap_set_claimed(struct cairn_costmap *cm, const struct cairn_vec2 *points, size_t count);
void cairn_costmap_forget_claimed(struct cairn_costmap *cm);

/* Marks the cells of these points (map frame) as the border of the unseen, replacing those before. */
void cairn_costmap_set_unseen(struct cairn_costmap *cm, const struct cairn_vec2 *points, size_t count);

/* No obstacle cell's disc reaches into the rectangle at pose. Exact to the disc. Outside the grid nothing is
 * known to stand. */
bool cairn_costmap_fits(
    const struct cairn_costmap *cm, const struct cairn_pose2 *pose, const struct cairn_rect *rect);

/* Distance from the rectangle to the nearest obstacle disc, negative = depth of intrusion; at most limit_m.
 */
double cairn_costmap_clearance(const struct cairn_costmap *cm, const struct cairn_pose2 *pose,
    const struct cairn_rect *rect, double limit_m);

static inline struct cairn_rect cairn_rect_around(const struct cairn_footprint *body, double margin_m)
{
	return (struct cairn_rect){body->front_m + margin_m, body->rear_m + margin_m,
	    body->half_width_m + margin_m, body->half_width_m + margin_m};
}

/* Index of the cell that a point lies in; -1 outside (or not finite). */
static inline int cairn_costmap_index(const struct cairn_costmap *cm, double x_m, double y_m)
{
	double fx = (x_m - cm->origin_x_m) * cm->cells_per_m, fy = (y_m - cm->origin_y_m) * cm->cells_per_m;
	if (!(fx >= 0.0 && fy >= 0.0 && fx < (double)cm->width && fy < (double)cm->height))
		return -1;
	return (int)fy * cm->width + (int)fx;
}

static inline struct cairn_vec2 cairn_costmap_center(const struct cairn_costmap *cm, int index)
{
	return (struct cairn_vec2){cm->origin_x_m + ((double)(index % cm->width) + 0.5) * cm->cell_m,
	    cm->origin_y_m + ((double)(index / cm->width) + 0.5) * cm->cell_m};
}

/* The near part of the cost at a distance in metres. */
static inline float cairn_costmap_near(const struct cairn_costmap *cm, float dist_m)
{
	const struct cairn_costmap_rate *r = &cm->rate;
	if (dist_m >= r->inflation_m)
		return 1.0f;
	float x = (r->inflation_m - dist_m) / r->span_m;
	x = x > 1.0f ? 1.0f : x;
	return 1.0f + r->peak * x * x;
}

/* What a cell costs that costs `near` by its distance alone. */
static inline float cairn_costmap_dearer(const struct cairn_costmap *cm, int index, float near)
{
	uint8_t cell = cm->cells[index];
	if ((cell & (CAIRN_CELL_UNKNOWN | CAIRN_CELL_LEAVE)) != 0 && cm->rate.unknown > near)
		near = cm->rate.unknown;
	if ((cell & CAIRN_CELL_UNKNOWN) != 0 && (cell & CAIRN_CELL_CLAIMED) != 0 && cm->rate.claimed > near)
		near = cm->rate.claimed;
	if ((cell & CAIRN_CELL_SLOW) != 0 && cm->rate.slow > near)
		near = cm->rate.slow;
	return near;
}

static inline float cairn_costmap_cost(const struct cairn_costmap *cm, int index)
{
	return cairn_costmap_dearer(cm, index, cairn_costmap_near(cm, cm->dist[index] * cm->rate.cell_m));
}

#endif
