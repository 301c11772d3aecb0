#include <stdlib.h>

#include "common/map/mapper_parts.h"
#include "common/map/picture.h"

static bool draw(struct cairn_mapper *mapper, const struct cairn_msg_nav_path *planned, const char *title,
    uint32_t size_px, bool with_frontiers, const char *path, struct cairn_error *err);

bool cairn_picture_of_mapper(struct cairn_mapper *mapper, const struct cairn_msg_nav_path *planned,
    const char *title, const char *path, struct cairn_error *err)
{
	return draw(mapper, planned, title, 0, true, path, err);
}

bool cairn_picture_of_log(struct cairn_mapper *mapper, const char *title, uint32_t size_px, const char *path,
    struct cairn_error *err)
{
	return draw(mapper, NULL, title, size_px, false, path, err);
}

static bool draw(struct cairn_mapper *mapper, const struct cairn_msg_nav_path *planned, const char *title,
    uint32_t size_px, bool with_frontiers, const char *path, struct cairn_error *err)
{
	const struct cairn_grid *grid = cairn_mapper_grid(mapper);
	struct cairn_cell_box box = cairn_grid_published(grid);
	struct cairn_msg_frontiers *frontiers = malloc(sizeof(*frontiers));
	if (cairn_cell_box_empty(box) || frontiers == NULL) {
		cairn_error_set(err, "%s: there is no map to draw", path);
		free(frontiers);
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
	if (planned != NULL) {
		p.path = planned->points;
		p.path_points = planned->points_count;
	}
	uint8_t *cells = malloc((size_t)p.width * p.height);
	bool ok = cells != NULL && (!with_frontiers || cairn_mapper_frontiers(mapper, INT64_MAX, frontiers));
	if (ok) {
		cairn_grid_bytes(grid, box, cells);
		p.cells = cells;
		p.frontiers = with_frontiers ? frontiers->items : NULL;
		p.frontier_count = with_frontiers ? frontiers->items_count : 0;
		ok = cairn_picture_write(&p, path, err);
	} else {
		cairn_error_set(err, "%s: no memory for the picture", path);
	}
	free(cells);
	free(frontiers);
	return ok;
}
