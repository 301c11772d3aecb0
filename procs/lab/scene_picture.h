/* scene_picture.h - things of scene graphs seen from above, as a PNG: boxes and names of the first graph, the middles of the others' in colours. */
#ifndef CAIRN_PROCS_LAB_SCENE_PICTURE_H
#define CAIRN_PROCS_LAB_SCENE_PICTURE_H

#include "common/scene/scene.h"

bool scene_picture(struct cairn_scene *const scenes[], int count, const char *path, struct cairn_error *err);

#endif
