/* true_map.h - a map made with poses that are known: what the mapper would make, without its search for the
 * pose.
 *
 * For runs in simulated time, where matching scans is most of the cost and not what is asked about. */
#ifndef CAIRN_COMMON_EVAL_TRUE_MAP_H
#define CAIRN_COMMON_EVAL_TRUE_MAP_H

#include "common/explore/frontier.h"
#include "common/map/grid.h"

struct cairn_true_map {
	const struct cairn_config *cfg;
	struct cairn_grid grid;
	struct cairn_frontier_finder *finder;
	struct cairn_frontier_memory memory;
	struct cairn_pose2 keyframe, visited, last;
	int64_t t_insert_ns, t_scan_ns;
	uint32_t keyframes;
	struct cairn_rays rays;
};

/* NULL without memory. cfg is borrowed. */
struct cairn_true_map *cairn_true_map_new(const struct cairn_config *cfg);
void cairn_true_map_destroy(struct cairn_true_map **map_p);

/* A scan taken while the robot moved evenly from one pose to another (map frame); t_ns: at the latter. Enters
 * it by the mapper's rule for keyframes. True when it was entered. */
bool cairn_true_map_scan(struct cairn_true_map *map, const struct cairn_msg_scan *scan,
    struct cairn_pose2 from, struct cairn_pose2 to, int64_t t_ns);
bool cairn_true_map_frontiers(
    struct cairn_true_map *map, struct cairn_pose2 pose, struct cairn_msg_frontiers *ret);

#endif
