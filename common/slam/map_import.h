/* map_import.h - a mapper that starts from a map drawn elsewhere.
 *
 * The mapper matches scans against scans, so a picture alone is of no use to it. It is therefore driven
 * through: a robot of the mind stands on a lattice of places that can be reached from the start, sees there
 * what a LiDAR would see of the drawn walls, and the mapper maps it as it maps everything. The start is the
 * new map's 0 0 0. Nothing counts as driven or visited afterwards, and the pose is weak until a real scan
 * confirms it. */
#ifndef CAIRN_COMMON_SLAM_MAP_IMPORT_H
#define CAIRN_COMMON_SLAM_MAP_IMPORT_H

#include "common/map/map_server.h"
#include "common/slam/mapper.h"

/* Makes the state file at path for a robot that stands at start (in the drawn map's frame). False with the
 * reason: the start is not on free floor, too little can be seen, no memory, or the file cannot be written.
 */
bool cairn_mapper_import(const struct cairn_config *cfg, const struct cairn_map_file *map,
    struct cairn_pose2 start, const char *path, struct cairn_error *err);

/* Could it be made? Writes nothing. False with the reason. */
bool cairn_mapper_import_check(const struct cairn_config *cfg, const struct cairn_map_file *map,
    struct cairn_pose2 start, struct cairn_error *err);

#endif
