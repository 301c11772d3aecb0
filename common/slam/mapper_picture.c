#include <stdlib.h>

#include "common/slam/mapper_private.h"
#include "common/map/picture.h"

/* Scratch of one picture. */
struct finds {
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_features features;
};

static void lay_over(
    struct cairn_picture *p, const struct cairn_picture_over *over, bool features, const struct finds *finds)
{
	if (over->planned != NULL) {
		p->path = over->planned->points;
		p->path_points = over->planned->points_count;
	}
	if (over->candidates != NULL) {
		p->candidates = over->candidates->items;
		p->candidate_count = over->candidates->items_count;
	}
	if (over->discoveries != NULL) {
		p->discoveries = over->discoveries->items;
		p->discovery_count = over->discoveries->items_count;
	}
	if (over->scene != NULL) {
		p->nodes = over->scene->nodes;
		p->node_count = over->scene->nodes_count;
	}
	p->have_goal = over->goal != NULL;
	if (p->have_goal)
		p->goal = *over->goal;
	if (features) {
		p->frontiers = finds->frontiers.items;
		p->frontier_count = finds->frontiers.items_count;
		p->doorways = finds->features.doorways;
		p->doorway_count = finds->features.doorways_count;
	}
}

static bool draw(struct cairn_mapper *mapper, const struct cairn_picture_over *over, bool features,
    const char *title, uint32_t size_px, const char *path, struct cairn_error *err)
{
	const struct cairn_grid *grid = cairn_mapper_grid(mapper);
	struct cairn_cell_box box = cairn_grid_published(grid);
	if (cairn_cell_box_empty(box)) {
		cairn_error_set(err, "%s: there is no map to draw", path);
		return false;
	}
	struct cairn_msg_pose pose;
	cairn_mapper_pose(mapper, &pose);
	struct cairn_picture p = {.width = (uint32_t)(box.max_cx - box.min_cx + 1),
	    .height = (uint32_t)(box.max_cy - box.min_cy + 1),
	    .cell_m = grid->cell_m,
	    .origin_x_m = box.min_cx * grid->cell_m,
	    .origin_y_m = box.min_cy * grid->cell_m,
	    .have_robot = true,
	    .robot = {pose.x_m, pose.y_m, pose.yaw_rad},
	    .robot_front_m = mapper->cfg.robot.footprint_front_m,
	    .robot_rear_m = mapper->cfg.robot.footprint_rear_m,
	    .robot_half_width_m = mapper->cfg.robot.footprint_half_width_m,
	    .have_start = true,
	    .title = title,
	    .size_px = size_px};
	p.stride_bytes = p.width;
	p.driven = cairn_mapper_driven(mapper, &p.driven_points);
	struct finds *finds = malloc(sizeof(*finds));
	uint8_t *cells = malloc((size_t)p.width * p.height);
	bool ok = finds != NULL && cells != NULL;
	if (ok && features)
		ok = cairn_mapper_frontiers(mapper, INT64_MAX, &finds->frontiers) &&
		     cairn_mapper_features(mapper, &finds->frontiers, &finds->features);
	if (ok) {
		cairn_grid_bytes(grid, box, cells);
		p.cells = cells;
		lay_over(&p, over, features, finds);
		ok = cairn_picture_write(&p, path, err);
	} else {
		cairn_error_set(err, "%s: no memory for the picture", path);
	}
	free(cells);
	free(finds);
	return ok;
}

bool cairn_picture_of_mapper(struct cairn_mapper *mapper, const struct cairn_picture_over *over,
    const char *title, const char *path, struct cairn_error *err)
{
	static const struct cairn_picture_over nothing = {0};
	return draw(mapper, over != NULL ? over : &nothing, true, title, 0, path, err);
}

bool cairn_picture_of_log(struct cairn_mapper *mapper, const char *title, uint32_t size_px, const char *path,
    struct cairn_error *err)
{
	return draw(mapper, &(struct cairn_picture_over){0}, false, title, size_px, path, err);
}
