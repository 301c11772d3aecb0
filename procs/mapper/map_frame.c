/* map_frame.c - the grid as a frame. */
#include <inttypes.h>

#include "common/base/geom.h"
#include "procs/mapper/mapper_stage.h"

#define GRID_REPEAT_NS CAIRN_NS_PER_S

void map_frame_send(struct mapper_stage *s, int64_t now_ns)
{
	const struct cairn_grid *grid = cairn_mapper_grid(s->ports.mapper);
	struct cairn_cell_box box = cairn_grid_published(grid);
	if (cairn_cell_box_empty(box) ||
	    (grid->revision == s->grid_revision && now_ns - s->t_grid_ns < GRID_REPEAT_NS))
		return;
	uint32_t width = (uint32_t)(box.max_cx - box.min_cx + 1),
		 height = (uint32_t)(box.max_cy - box.min_cy + 1);
	struct cairn_frame_header *hdr = NULL;
	uint8_t *cells = cairn_frame_loan(s->grid_pub, width * height, &hdr);
	if (cells == NULL) {
		char why[80];
		snprintf(why, sizeof(why), "no room for %u x %u cells", width, height);
		cairn_stage_count_reject(s->stage);
		cairn_stage_tried(s->stage, "publish the map", why);
		return;
	}
	cairn_stage_tried(s->stage, "publish the map", NULL);
	struct cairn_msg_pose pose;
	cairn_mapper_pose(s->ports.mapper, &pose);
	cairn_grid_bytes(grid, box, cells);
	hdr->format = CAIRN_FORMAT_GRID8;
	hdr->t_ns = now_ns;
	hdr->width = width;
	hdr->height = height;
	hdr->stride_bytes = width;
	hdr->origin_x_m = box.min_cx * grid->cell_m;
	hdr->origin_y_m = box.min_cy * grid->cell_m;
	hdr->cell_m = grid->cell_m;
	hdr->pose_x_m = pose.x_m;
	hdr->pose_y_m = pose.y_m;
	hdr->pose_yaw_rad = pose.yaw_rad;
	s->grid_seq = hdr->seq;
	cairn_frame_publish(s->grid_pub);
	s->grid_revision = grid->revision;
	s->t_grid_ns = now_ns;
}

void map_frame_follow_epoch(struct mapper_stage *s)
{
	uint32_t epoch = cairn_mapper_epoch(s->ports.mapper);
	if (epoch == s->map_epoch)
		return;
	s->map_epoch = epoch;
	struct cairn_mapper_counts c = cairn_mapper_counts(s->ports.mapper);
	cairn_log_info("map drawn anew: epoch %u, %" PRIu64 " loops closed", epoch, c.loops);
	map_frame_send(s, cairn_now_ns());
}
