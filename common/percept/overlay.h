/* overlay.h - what may be drawn over the model's picture beside depths and heading; all of it is off unless
 * percept.show_* says otherwise.
 *
 *   show_sectors      LEFT, CENTRE and RIGHT of the robot at the picture's foot, thin lines between them: its
 *                     thirds, unless the camera is turned aside (robot.camera_yaw_rad)
 *   show_candidates   an arrow over the floor to each of the candidates in view ("C7" on its disc); while
 *                     there are none, to the frontiers in view of those that the prompt lists ("3" for F3). A
 *                     hollow disc and a broken arrow where the LiDAR sees something in front of the place
 *   show_arcs         on the floor, circles around the LiDAR: red 1 m, yellow 2 m, green 3 m and 4 m, drawn
 *                     as far as the LiDAR sees nothing nearer
 *   show_heat         depth as colour over the whole picture (heat.h)
 *
 * Places on the floor follow from the camera's pose (common/camera/camera_pose.h) and a level floor. All memory is taken in
 * _new. */
#ifndef CAIRN_COMMON_PERCEPT_OVERLAY_H
#define CAIRN_COMMON_PERCEPT_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/geom.h"
#include "common/config/config.h"
#include "common/drawing/font.h"
#include "ipc/messages.h"

#define CAIRN_OVERLAY_CANDIDATES 6 /* drawn at most, the nearest of those in view */
#define CAIRN_OVERLAY_LEGEND_CAP 512

/* Where a candidate comes to lie. */
struct cairn_overlay_mark {
	char list; /* 'C': of the candidates, 'F': of the frontiers */
	uint32_t id;
	double tip_u, tip_v;   /* of its arrow: the place itself */
	double disc_u, disc_v; /* of its number */
	bool hidden;           /* the LiDAR sees something in front of it */
};

struct cairn_overlay;

/* True when any of the options above is on. */
bool cairn_overlay_wanted(const struct cairn_config *cfg);
/* NULL with err set: font missing, or no memory. cfg is borrowed. */
struct cairn_overlay *cairn_overlay_new(
    const struct cairn_config *cfg, const char *font_file, struct cairn_error *err);
void cairn_overlay_destroy(struct cairn_overlay **overlay_p);

/* Takes a well-formed scan. */
void cairn_overlay_on_scan(struct cairn_overlay *overlay, const struct cairn_msg_scan *scan);
/* Takes a depth picture of the configured size. */
void cairn_overlay_on_depth(
    struct cairn_overlay *overlay, const void *pixels, size_t stride_bytes, int64_t t_ns);

struct cairn_overlay_inputs {
	const struct cairn_pose2 *pose; /* where the picture was taken, map frame; NULL: no candidates */
	const struct cairn_msg_candidates
	    *candidates; /* what is drawn; NULL or empty: frontiers in their place */
	const struct cairn_msg_frontiers *frontiers; /* NULL: none */
	const struct cairn_msg_mission *mission;     /* what was given up is no candidate; may be NULL */
	bool scan_fresh;                             /* false: nothing of the LiDAR */
	int64_t t_depth_ns;                          /* of the depth picture paired with it; 0 = none */
};

/* Draws on a canvas of the configured size and writes what a reader must know about it, NUL-terminated and
 * without a line end ("" when nothing was drawn): "arrows to frontiers 3, 5; hidden 7; ..." */
void cairn_overlay_draw(struct cairn_overlay *overlay, const struct cairn_canvas *canvas,
    const struct cairn_overlay_inputs *in, char legend[CAIRN_OVERLAY_LEGEND_CAP]);

/* Where the candidates in view lie, nearest first; their number. scan_fresh false: none counts as hidden. */
int cairn_overlay_marks(const struct cairn_overlay *overlay, const struct cairn_overlay_inputs *in,
    struct cairn_overlay_mark marks[CAIRN_OVERLAY_CANDIDATES]);

#endif
