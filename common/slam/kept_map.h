/* kept_map.h - whether a map that was kept from an earlier run is still that of this home.
 *
 * A copy of the map as it was loaded is held against the scans that come in while the pose is good and the robot
 * turns slowly. By cells, each once: an occupied cell that is hit again is as it was. One that rays pass through and none
 * hits is gone. A free cell, free all round, that is hit again and again is new. The map differs when more than
 * CAIRN_KEPT_DIFFERS of these are gone or new; below CAIRN_KEPT_CELLS of them nothing is said. It is of another place,
 * or the robot is, when the pose has not become good CAIRN_KEPT_LOST_S after the first scan.
 *
 * Nothing is judged any more once a loop was closed, as the map is drawn anew then. Pure. */
#ifndef CAIRN_COMMON_SLAM_KEPT_MAP_H
#define CAIRN_COMMON_SLAM_KEPT_MAP_H

#include "common/slam/mapper.h"

#define CAIRN_KEPT_DIFFERS                                                                                   \
	0.12 /* the same home is at 0.00, with a new chair 0.03, another one at 0.17 and more (test kept-map) */
#define CAIRN_KEPT_CELLS 120
#define CAIRN_KEPT_LOST_S 20.0

struct cairn_kept_map;

/* Takes a copy of the mapper's map, just loaded. NULL: there is nothing on it, or no memory. */
struct cairn_kept_map *cairn_kept_map_new(const struct cairn_mapper *mapper, const struct cairn_config *cfg);
void cairn_kept_map_destroy(struct cairn_kept_map **kept_p);

/* After the mapper has taken this scan. */
void cairn_kept_map_scan(struct cairn_kept_map *kept, const struct cairn_mapper *mapper,
    const struct cairn_msg_scan *scan, int64_t t_ns);

/* kept may be NULL. *ret_share (may be NULL): of the cells judged, those that are gone or new. */
enum cairn_kept_map_state cairn_kept_map_judge(const struct cairn_kept_map *kept, double *ret_share);

#endif
