#include "common/eval/true_map.h"

#include <stdlib.h>

#define REFRESH_NS CAIRN_NS_PER_S

struct cairn_true_map *cairn_true_map_new(const struct cairn_config *cfg)
{
	struct cairn_true_map *m = calloc(1, sizeof(*m));
	if (m == NULL)
		return NULL;
	m->cfg = cfg;
	cairn_grid_init(&m->grid, cfg->map.cell_m, cfg->map.extent_max_m);
	m->finder = cairn_frontier_finder_new();
	if (m->finder == NULL)
		cairn_true_map_destroy(&m);
	return m;
}

void cairn_true_map_destroy(struct cairn_true_map **map_p)
{
	struct cairn_true_map *m = *map_p;
	*map_p = NULL;
	if (m == NULL)
		return;
	cairn_grid_free(&m->grid);
	cairn_frontier_finder_destroy(&m->finder);
	free(m);
}

static void visit(struct cairn_true_map *m, struct cairn_pose2 pose)
{
	bool first = m->grid.visited_cells == 0;
	if (!first && hypot(pose.x_m - m->visited.x_m, pose.y_m - m->visited.y_m) < m->grid.cell_m)
		return;
	cairn_grid_visit(&m->grid, (struct cairn_vec2){m->visited.x_m, m->visited.y_m},
	    (struct cairn_vec2){pose.x_m, pose.y_m}, m->cfg->robot.footprint_half_width_m, first);
	m->visited = pose;
}

bool cairn_true_map_scan(struct cairn_true_map *m, const struct cairn_msg_scan *scan, struct cairn_pose2 from,
    struct cairn_pose2 to, int64_t t_ns)
{
	bool key = m->keyframes == 0 ||
		   hypot(to.x_m - m->keyframe.x_m, to.y_m - m->keyframe.y_m) >= m->cfg->map.keyframe_m ||
		   fabs(cairn_wrap_rad(to.yaw_rad - m->keyframe.yaw_rad)) >= m->cfg->map.keyframe_rad;
	if (m->grid.layout > 0)
		visit(m, to);
	m->t_scan_ns = t_ns;
	if (!key && t_ns - m->t_insert_ns < REFRESH_NS)
		return false;
	struct cairn_rays_motion motion;
	struct cairn_pose2 back = cairn_pose_between(to, from);
	for (int i = 0; i < CAIRN_RAYS_KNOTS; i++) {
		double left = 1.0 - (double)i / (CAIRN_RAYS_KNOTS - 1);
		motion.knot[i] = (struct cairn_pose2){left * back.x_m, left * back.y_m, left * back.yaw_rad};
	}
	/* Nothing is matched to this map: it does not matter which way its surfaces face. */
	cairn_rays_from_scan(&m->rays, scan, &motion, m->cfg);
	cairn_grid_insert(&m->grid, to, &m->rays);
	m->t_insert_ns = t_ns;
	if (key) {
		m->keyframe = to;
		m->keyframes++;
	}
	return true;
}

bool cairn_true_map_frontiers(
    struct cairn_true_map *m, struct cairn_pose2 pose, struct cairn_msg_frontiers *ret)
{
	return cairn_frontier_find(m->finder, &m->memory, &m->grid, pose, true, m->cfg, ret);
}
