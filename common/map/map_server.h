/* map_server.h - maps as ROS's map_server keeps them: a picture (PGM, binary) and a YAML file beside it.
 *
 * Written: NAME.pgm with 254 free, 0 occupied, 205 unknown, row 0 the top one (largest y); NAME.yaml with
 * image, resolution, origin (lower left corner and yaw 0), negate 0, occupied_thresh 0.65, free_thresh 0.196
 * and mode trinary. Each is written beside its place, synced and renamed, the YAML file last: who finds it
 * finds its picture.
 *
 * Read: P5 with a maxval of 255 and any map_server YAML in mode trinary (scale and raw are refused, as is an
 * origin with a yaw: the grid has none). Occupancy is (255 - v) / 255, or v / 255 with negate; above
 * occupied_thresh occupied, below free_thresh free, else unknown. Sizes are bounded before anything is
 * allocated. */
#ifndef CAIRN_COMMON_MAP_MAP_SERVER_H
#define CAIRN_COMMON_MAP_MAP_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

#define CAIRN_MAP_FILE_SIDE_MAX 8192

/* As in a map.grid frame: 0..100, 255 unknown; row 0 has the smallest y. */
struct cairn_map_file {
	uint8_t *cells; /* width x height; the caller's when written, to be freed by the caller when read */
	uint32_t width, height;
	double cell_m, origin_x_m, origin_y_m;
};

/* Writes NAME.pgm and NAME.yaml; a name that ends in .yaml or .pgm is taken without that. False with the
 * reason. */
bool cairn_map_file_save(const struct cairn_map_file *map, const char *name, struct cairn_error *err);

/* Reads a map by its YAML file; cells are 0, 100 or 255. False with the reason; *ret is as before then. */
bool cairn_map_file_load(struct cairn_map_file *ret, const char *yaml_path, struct cairn_error *err);

#endif
