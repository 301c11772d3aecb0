/* floorplan.h - floor plans as they come: HouseExpo polygons (JSON) and rasters (PGM, gzipped or not).
 *
 * HouseExpo (Li et al. 2019): "verts" is one polygon in metres around the free floor, walls are thin slots in
 * it, doors gaps in these slots; "room_category" names overlapping boxes. Rasters: P5, maxval 255, one pixel
 * is 0.01 m, 255 is free, the column grows with x and the row with y. */
#ifndef CAIRN_COMMON_SIM_WORLD_FLOORPLAN_H
#define CAIRN_COMMON_SIM_WORLD_FLOORPLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/geom.h"

#define CAIRN_RASTER_PIXEL_M 0.01

struct cairn_houseexpo_box {
	char label[48];
	double x_min_m, y_min_m, x_max_m, y_max_m;
};

struct cairn_houseexpo {
	char id[64];
	struct cairn_vec2 *verts;
	size_t vert_count;
	int room_num;
	struct cairn_houseexpo_box *boxes;
	size_t box_count;
};

/* False with "FILE: key: reason". cairn_houseexpo_finish frees what is inside, also after a failure. */
bool cairn_houseexpo_read(struct cairn_houseexpo *house, const char *path, struct cairn_error *err);
void cairn_houseexpo_finish(struct cairn_houseexpo *house);

struct cairn_raster {
	int32_t width_px, height_px;
	uint8_t *free_px; /* row by row from y 0; 1 free, 0 not */
};

bool cairn_raster_read(struct cairn_raster *raster, const char *path, struct cairn_error *err);
void cairn_raster_finish(struct cairn_raster *raster);
int64_t cairn_raster_free_count(const struct cairn_raster *raster);
/* Number of 4-connected free regions, and the pixels of the largest; -1 without memory. */
int cairn_raster_components(const struct cairn_raster *raster, int64_t *ret_largest);

/* Border lines between free and other pixels, free side on the right, one call a closed line; corners in
 * metres, valid during the call. tolerance_m: corners nearer than this to the simplified line are left out.
 * False without memory. */
typedef void cairn_border_fn(void *ctx, const struct cairn_vec2 *corners, size_t count);
bool cairn_raster_borders(
    const struct cairn_raster *raster, double tolerance_m, cairn_border_fn *fn, void *ctx);

#endif
