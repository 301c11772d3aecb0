/* view.h - the snapshot's second picture: what is around the robot, seen from above. Off unless
 * percept.show_map or percept.show_polar says otherwise.
 *
 * 512 x 512 pixels: one tile of what models look at. With show_map the map as in common/map/picture.h, the
 * start of the mission up: free floor white, walls black, the unknown grey; the robot green with an arrow
 * ahead, the start a red cross, the way driven blue, the planned path broken, and the frontiers that the
 * prompt lists as numbered orange discs. With show_polar the LiDAR's turn around the robot, its front up,
 * circles of 1 to 4 m (ranges.h) and the bounds of the text's twelve sectors. With both the map takes the
 * larger part and the turn stands beside it.
 *
 * All memory is taken in _new; of what is called here only Cairo and the JPEG library use some of their own.
 */
#ifndef CAIRN_COMMON_PERCEPT_VIEW_H
#define CAIRN_COMMON_PERCEPT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/geom.h"
#include "common/config/config.h"
#include "ipc/frame_layout.h"
#include "ipc/messages.h"

struct cairn_view;

/* NULL with err set: font missing, or no memory. cfg is borrowed. */
struct cairn_view *cairn_view_new(
    const struct cairn_config *cfg, const char *font_file, struct cairn_error *err);
void cairn_view_destroy(struct cairn_view **view_p);

/* Takes a well-formed scan. */
void cairn_view_on_scan(struct cairn_view *view, const struct cairn_msg_scan *scan);
/* Takes a finite position of the robot, for the way driven. */
void cairn_view_on_pose(struct cairn_view *view, double x_m, double y_m);
/* Takes (copies) a map. False with the reason when it is none: the last one is kept then. */
bool cairn_view_on_map(struct cairn_view *view, const struct cairn_frame_header *hdr, const void *cells,
    struct cairn_error *err);
/* Stamp of the map at hand; 0 = there is none. */
int64_t cairn_view_map_ns(const struct cairn_view *view);

struct cairn_view_inputs {
	bool map_fresh, scan_fresh;                    /* false: that part is left out */
	const struct cairn_pose2 *pose;                /* now, map frame; NULL: no robot */
	const struct cairn_msg_frontiers *frontiers;   /* NULL: none */
	const struct cairn_msg_candidates *candidates; /* NULL: none */
	const struct cairn_msg_mission *mission;       /* may be NULL */
	const struct cairn_msg_nav_path *path;         /* NULL: none */
};

struct cairn_view_picture {
	const uint8_t *jpeg; /* valid until the next call */
	size_t bytes;
	bool map, polar; /* what is on it */
};

/* False when there is nothing to show or, with err set, when something went wrong. */
bool cairn_view_draw(struct cairn_view *view, const struct cairn_view_inputs *in,
    struct cairn_view_picture *ret, struct cairn_error *err);

#endif
