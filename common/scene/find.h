/* find.h - how far is the door: a thing that somebody points to in the camera's picture, by its depth; or one that the scene graph
 * knows, by its label. Pure. */
#ifndef CAIRN_COMMON_SCENE_FIND_H
#define CAIRN_COMMON_SCENE_FIND_H

#include "common/base/geom.h"
#include "common/config/config.h"
#include "ipc/messages.h"

struct cairn_found {
	bool found, in_picture, stale;
	char id[48], label[40]; /* id: of the graph; "" in a picture */
	double distance_m;      /* level, from the camera to the nearest side of it */
	double bearing_rad;     /* of its middle, from the way the robot faces, left positive */
	double at_m[3];         /* its middle, map frame */
	double age_s;           /* since it was seen last */
	uint64_t picture;       /* that shows it best; 0 = none is kept */
};

/* A depth picture and where it was taken. */
struct cairn_find_view {
	const uint16_t *depth_mm; /* 0 = unknown */
	uint32_t width_px, height_px;
	struct cairn_pose2 robot;
	uint64_t map_id;
};

/* share: left, top, right, bottom in shares of the picture's sides; a point has no extent. *ret_seen: the same as one
 * detection, for who keeps the scene. False where no depth is known there. */
bool cairn_find_in_picture(const struct cairn_config *cfg, const struct cairn_find_view *view,
    const char *label, const double share[4], struct cairn_found *ret, struct cairn_msg_detections *ret_seen);

/* The nearest one that is called so, those that are where they were first; doorways, too. */
bool cairn_find_in_scene(const struct cairn_config *cfg, const struct cairn_msg_scene *scene,
    const char *what, struct cairn_pose2 robot, double now_unix_s, struct cairn_found *ret);

/* One line for people and models. */
void cairn_found_text(const struct cairn_found *found, const char *what, char *ret, size_t bytes);

#endif
