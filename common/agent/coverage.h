/* coverage.h - which of the known floor the camera has looked at. A LiDAR maps a room from its door, all round; the camera sees ahead. That
 * a thing is not there is known only where the camera has looked, too: what it has not is told as openings are.
 *
 * Cells of 0.2 m around the origin of the map frame. A picture shows the floor in the width of its view, as far as a detector
 * names things, up to what stands in the way; what two
 * pictures have shown is seen, as a thing is believed that two have shown. Memory is taken once. Pure. */
#ifndef CAIRN_COMMON_AGENT_COVERAGE_H
#define CAIRN_COMMON_AGENT_COVERAGE_H

#include "common/base/geom.h"
#include "common/scene/scene.h"

struct cairn_coverage;

/* Floor that no picture has shown, and where to stand to see it. */
struct cairn_unseen {
	double x_m, y_m;          /* its middle, ahead of the stand */
	double area_m2;           /* that the picture would show from there */
	struct cairn_pose2 stand; /* with the camera facing it */
	double distance_m;        /* to drive, about; 0: turning is enough */
};

struct cairn_coverage *cairn_coverage_new(void); /* NULL without memory */
void cairn_coverage_free(struct cairn_coverage **coverage_p);
/* Of another map: nothing was seen yet. */
void cairn_coverage_map(struct cairn_coverage *coverage, uint64_t map_id);
void cairn_coverage_on_grid(struct cairn_coverage *coverage, const struct cairn_scene_grid *grid);
void cairn_coverage_on_picture(struct cairn_coverage *coverage, const struct cairn_msg_detections *seen);
/* Pictures have shown the floor at that point. */
bool cairn_coverage_is_seen(const struct cairn_coverage *coverage, double x_m, double y_m);
/* The views that show most of it for the way to them, no two of the same floor, nearest first; how many. What was tried in vain is left
 * out and counted in ret_closed, and so are pieces of floor that no place to stand shows. */
uint32_t cairn_coverage_unseen(struct cairn_coverage *coverage, struct cairn_pose2 robot,
    struct cairn_unseen *ret, uint32_t max, uint32_t *ret_closed);
/* Most of what a view was to show has not been shown yet. */
bool cairn_coverage_is_unseen(struct cairn_coverage *coverage, const struct cairn_unseen *spot);
/* All that was tried is offered again. */
void cairn_coverage_retry(struct cairn_coverage *coverage);
/* It was looked at as well as can be (seen), or could not be driven to: it is not offered again. */
void cairn_coverage_tried(struct cairn_coverage *coverage, const struct cairn_unseen *spot, bool seen);

#endif
