/* grid.h - a log-odds occupancy grid that grows with the house.
 *
 * Cells are addressed by map cell numbers: cell (cx, cy) covers [cx, cx + 1) x [cy, cy + 1) times cell_m in
 * the map frame, whatever the arrays hold just now, so growing never moves a cell. Arrays are row-major, row
 * 0 has the smallest y, array cell (0, 0) is map cell (cx0, cy0).
 *
 * Log-odds (Moravec and Elfes 1985; Thrun, Burgard and Fox 2005, chapter 9) are kept in steps of 1/20 nat in
 * one byte. Never observed is a value of its own, so that evidence that cancels out does not become "unknown"
 * again. Each cell also keeps the mean of the returns that fell into it: the scan matcher aligns to those,
 * not to cell centres. */
#ifndef CAIRN_COMMON_MAP_GRID_H
#define CAIRN_COMMON_MAP_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/geom.h"
#include "common/map/deskewed_scan.h"

#define CAIRN_ODDS_UNKNOWN INT8_MIN
#define CAIRN_ODDS_PER_NAT 20.0
#define CAIRN_ODDS_HIT 17      /* p = 0.70 */
#define CAIRN_ODDS_MISS (-8)   /* p = 0.40 */
#define CAIRN_ODDS_MAX 72      /* p = 0.97: so much evidence, and no more, must be undone */
#define CAIRN_ODDS_MIN (-48)   /* p = 0.08 */
#define CAIRN_ODDS_OCCUPIED 13 /* from here on occupied; the byte of a frame is 65 or more */

/* Map cells [min, max], both included; empty when max < min. */
struct cairn_cell_box {
	int32_t min_cx, min_cy, max_cx, max_cy;
};

struct cairn_grid {
	double cell_m;
	int32_t limit_cells; /* neither side of the arrays grows beyond it */
	int32_t cx0, cy0;    /* map cell of array cell (0, 0) */
	int32_t width, height;
	int8_t *odds;                /* log-odds, or CAIRN_ODDS_UNKNOWN */
	uint8_t *hits;               /* returns in the cell, saturating */
	int8_t *sub_x, *sub_y;       /* their mean, from the centre, in 1/254 of a cell */
	int8_t *face_x, *face_y;     /* mean of the ways their surfaces face, 127 = one */
	uint16_t *visits;            /* times the robot came to stand on the cell, saturating */
	uint8_t *mark;               /* 1 where the scan that is being inserted passes; else all 0 */
	uint32_t layout;             /* rises when the arrays move */
	uint32_t revision;           /* rises when a cell becomes known, free, occupied or visited */
	struct cairn_cell_box known; /* around every observed cell */
	struct cairn_cell_box
	    solid; /* around what became or ceased to be occupied since cairn_grid_take_solid */
	uint32_t free_cells, occupied_cells, visited_cells;
	uint64_t clipped; /* returns beyond the limit */
};

/* Starts empty without arrays. extent_max_m bounds the side. */
void cairn_grid_init(struct cairn_grid *grid, double cell_m, double extent_max_m);
void cairn_grid_free(struct cairn_grid *grid);

/* Forgets everything and makes the arrays begin at map cell (cx0, cy0). Arrays of at least width x height
 * that are there are kept, so that a grid that is drawn again and again takes no memory. False without
 * memory. */
bool cairn_grid_restart(struct cairn_grid *grid, int32_t cx0, int32_t cy0, int32_t width, int32_t height);

/* Makes the arrays hold box, in big steps. False when the limit or memory does not allow it; the grid is as
 * before. */
bool cairn_grid_reserve(struct cairn_grid *grid, struct cairn_cell_box box);

/* Makes the memory of these rows of the arrays real (prefault.h), of the visits only where visits is set. */
void cairn_grid_touch(const struct cairn_grid *grid, int32_t y0, int32_t y1, bool visits);

static inline bool cairn_cell_box_empty(struct cairn_cell_box box)
{
	return box.max_cx < box.min_cx || box.max_cy < box.min_cy;
}

static inline void cairn_cell_box_add(struct cairn_cell_box *box, int32_t cx, int32_t cy)
{
	box->min_cx = cx < box->min_cx ? cx : box->min_cx;
	box->max_cx = cx > box->max_cx ? cx : box->max_cx;
	box->min_cy = cy < box->min_cy ? cy : box->min_cy;
	box->max_cy = cy > box->max_cy ? cy : box->max_cy;
}

static inline struct cairn_cell_box cairn_cell_box_none(void)
{
	return (struct cairn_cell_box){INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
}

static inline int32_t cairn_grid_cell(const struct cairn_grid *grid, double metres)
{
	double cells = metres / grid->cell_m;
	int32_t cell = (int32_t)cells;
	return cell - (cells < cell); /* floor(), without its call */
}

static inline bool cairn_grid_has(const struct cairn_grid *grid, int32_t cx, int32_t cy)
{
	return cx >= grid->cx0 && cy >= grid->cy0 && cx - grid->cx0 < grid->width &&
	       cy - grid->cy0 < grid->height;
}

/* Index into the arrays; only for cells the grid has. */
static inline size_t cairn_grid_index(const struct cairn_grid *grid, int32_t cx, int32_t cy)
{
	return (size_t)(cy - grid->cy0) * (size_t)grid->width + (size_t)(cx - grid->cx0);
}

/* Log-odds of any map cell. */
static inline int8_t cairn_grid_odds(const struct cairn_grid *grid, int32_t cx, int32_t cy)
{
	return cairn_grid_has(grid, cx, cy) ? grid->odds[cairn_grid_index(grid, cx, cy)] : CAIRN_ODDS_UNKNOWN;
}

static inline bool cairn_odds_free(int8_t odds)
{
	return odds < 0 && odds != CAIRN_ODDS_UNKNOWN;
}

static inline bool cairn_odds_occupied(int8_t odds)
{
	return odds >= CAIRN_ODDS_OCCUPIED;
}

/* Inserts a scan taken at pose: the cell of each return is hit, the cells on the way to it are missed, each
 * cell once a scan and hits before misses (so that a wall seen at a grazing angle is not worn away by its own
 * rays). */
void cairn_grid_insert(struct cairn_grid *grid, struct cairn_pose2 pose, const struct cairn_rays *rays);

/* The robot came from one place to another (the same at the very start): cells within radius_m of the new one
 * and not of the old one count a visit, and are missed once, because nothing solid can be where the robot is.
 */
void cairn_grid_visit(
    struct cairn_grid *grid, struct cairn_vec2 from, struct cairn_vec2 to, double radius_m, bool first);

/* The box of cells that became or ceased to be occupied since the last call; empties it. */
struct cairn_cell_box cairn_grid_take_solid(struct cairn_grid *grid);

/* The part worth publishing: the known box with a margin, on multiples of 16 cells, inside the limit. Empty
 * if nothing is known. */
struct cairn_cell_box cairn_grid_published(const struct cairn_grid *grid);

/* Writes the cells of box as 0 (free) .. 100 (occupied), 255 unknown; out holds (width x height) bytes of the
 * box. */
void cairn_grid_bytes(const struct cairn_grid *grid, struct cairn_cell_box box, uint8_t *out);

#endif
