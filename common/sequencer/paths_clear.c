/* paths_clear.c - what the model's check_path_clear is answered with: what stands in each direction now. */
#include <math.h>

#include "common/safety/path_clearance.h"
#include "common/sequencer/sequencer_private.h"

/* A keep-out zone ends a way like a wall does. */
static void cut_at_zones(const struct cairn_sequencer *seq, struct cairn_msg_path_clear *way)
{
	bool forward;
	double free_m, curvature = cairn_safe_curvature(seq->cfg, way->direction, &forward);
	if (seq_geofence_ahead(seq, curvature, forward, way->free_m, &free_m) == NULL ||
	    !(free_m < way->free_m))
		return;
	way->free_m = free_m;
	way->drive_m = fmin(way->drive_m, free_m);
	way->obstacle = CAIRN_PATH_OBSTACLE_ZONE;
	way->bearing_rad = 0.0;
	way->obstacle_m = -1.0;
	way->remembered = false;
}

bool cairn_sequencer_paths_clear(
    const struct cairn_sequencer *seq, int64_t now_ns, struct cairn_msg_paths_clear *ret)
{
	const double guard_max_s = cairn_topics[CAIRN_TOPIC_GUARD].max_age_ms * 1e-3;
	struct cairn_path_clearance_view view = {.points = &seq->inputs.points,
	    .lidar_count = seq->inputs.lidar_count,
	    .floor = seq->inputs.t_depth_ns != 0 ? &seq->inputs.depth_layer : NULL,
	    .pose = seq_pose_at(seq, now_ns),
	    .drop = seq->inputs.drop && seq->inputs.t_guard_ns != 0 &&
		    seq_seconds(seq->inputs.t_guard_ns, now_ns) <= guard_max_s};
	*ret = (struct cairn_msg_paths_clear){0};
	if (!seq->inputs.now.scan_ok || !seq->inputs.now.pose_ok)
		return false;
	ret->items_count = CAIRN_DIRECTION_COUNT;
	cairn_path_clearance(seq->cfg, &view, ret->items);
	for (uint32_t i = 0; i < ret->items_count; i++)
		cut_at_zones(seq, &ret->items[i]);
	return true;
}
