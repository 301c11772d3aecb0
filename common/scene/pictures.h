/* pictures.h - which of the camera's pictures are kept: one that shows a thing for the first time or much better than the one kept of
 * it, or that comes after the map has grown. A ring with a quota: the oldest that is no thing's best goes first. Each thing names
 * its best picture. The files are the stage's; numbers and sizes are known here. Pure. */
#ifndef CAIRN_COMMON_SCENE_PICTURES_H
#define CAIRN_COMMON_SCENE_PICTURES_H

#include "common/scene/scene.h"

#define CAIRN_SCENE_PICTURES 1024

struct cairn_scene_pictures {
	struct {
		uint64_t id, bytes;
	} items[CAIRN_SCENE_PICTURES]; /* ascending */
	uint32_t count;
	uint64_t next_id;
	uint64_t bytes;  /* of all */
	double known_m2; /* of the map, when the last one was kept */
};

/* One that is there from an earlier run; all of them, then _settle, before anything else. */
void cairn_scene_picture_found(struct cairn_scene_pictures *pictures, uint64_t id, uint64_t bytes);
/* Things forget the pictures that are not there any more. */
void cairn_scene_pictures_settle(struct cairn_scene *scene, const struct cairn_scene_pictures *pictures);

/* Is the picture that cairn_scene_see has taken last worth keeping? known_m2: floor and walls that the map knows. */
bool cairn_scene_picture_is_news(
    const struct cairn_scene *scene, const struct cairn_scene_pictures *pictures, double known_m2);

/* It is kept, in files of so many bytes: its number. The things of which it is the best name it. */
uint64_t cairn_scene_keep_picture(
    struct cairn_scene *scene, struct cairn_scene_pictures *pictures, uint64_t bytes, double known_m2);
/* Call until it returns 0: the number of a picture that makes room, by scene.pictures_mb; things have forgotten it. */
uint64_t cairn_scene_drop_picture(struct cairn_scene *scene, struct cairn_scene_pictures *pictures);

/* What stands beside the picture, as JSON to be freed: {"id", "unix_s", "map_id", "camera": {...}, "shows": [{"id", "label", "box": [left, top,
 * right, bottom]}]}. seen: the message that cairn_scene_see has taken last. NULL without memory. */
char *cairn_scene_picture_json(const struct cairn_scene *scene, uint64_t id,
    const struct cairn_msg_detections *seen, double unix_s, size_t *ret_bytes);

#endif
