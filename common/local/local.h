/* local.h - the core of the stage local: pictures, detections and the scene graph in; words for the scene and how new it is out.
 *
 *   novelty = 1 - (1 - picture) (1 - things / 2) (1 - room / 2)
 *
 * picture: how unlike the picture is to the most alike view remembered (view_memory.h): 0 from local.familiar_similarity on, 1 below
 * local.foreign_similarity, straight between. Views first seen within local.recent_s do not count, so that what was new a moment
 * ago is new still; that is the exclusion zone of place recognition (as in FAB-MAP and its successors). things: share of the things in
 * sight and in the scene graph that were first seen as lately. room: 1 for as long after a room was entered for the first time.
 *
 * Without a picture younger than CAIRN_LOCAL_PICTURE_MAX_S nothing is known: the score is negative then. Pure: pixels, messages and
 * time in; all memory is taken in _init. */
#ifndef CAIRN_COMMON_LOCAL_LOCAL_H
#define CAIRN_COMMON_LOCAL_LOCAL_H

#include "common/config/config.h"
#include "common/local/view_memory.h"
#include "ipc/messages.h"

#define CAIRN_LOCAL_PICTURE_MAX_S 2.0
#define CAIRN_LOCAL_THINGS 256

/* Of an object of the scene graph. */
struct cairn_local_thing {
	char label[40];
	float x_m, y_m;
	double first_s; /* by the graph's clock; its newest is scene_s */
};

struct cairn_local {
	struct cairn_config_local cfg;
	struct cairn_view_memory memory;
	struct cairn_pose2 robot;
	bool has_pose;
	uint64_t map_id;
	struct cairn_msg_detections seen; /* newest */
	double seen_s;                    /* when; 0 = none yet */
	struct cairn_local_thing things[CAIRN_LOCAL_THINGS];
	uint32_t thing_count;
	double scene_s;                 /* when anything was seen last, by the graph's clock; 0 = no graph */
	char here[48];                  /* id of the room that the robot is in; empty = not known */
	struct cairn_msg_local message; /* of the newest picture */
	double picture_s;               /* when it was taken; 0 = none yet */
	uint64_t rejects;
};

/* False: no memory. */
bool cairn_local_init(struct cairn_local *local, const struct cairn_config *cfg);
void cairn_local_free(struct cairn_local *local);

/* False for one that is not finite: refused and counted. */
bool cairn_local_pose(struct cairn_local *local, const struct cairn_msg_pose *pose);
void cairn_local_detections(struct cairn_local *local, const struct cairn_msg_detections *seen, int64_t t_ns);
void cairn_local_scene(struct cairn_local *local, const struct cairn_msg_scene *scene);

/* Looks at a picture that was taken at t_ns: scores it and remembers it. False, counted: it has no pixels, or is older than the
 * one before. rgb as in cairn_view_blocks. */
bool cairn_local_picture(struct cairn_local *local, const uint8_t *rgb, int width_px, int height_px,
    size_t stride_bytes, int64_t t_ns);

/* The message to publish now. */
void cairn_local_message(const struct cairn_local *local, int64_t now_ns, struct cairn_msg_local *ret);

#endif
