/* store.h - the pictures that are kept of the house: RUN/state/views/NNNNNN.jpg, .depth.png (mm, 16 bit) and .json, which is written last: a
 * picture without it is none. */
#ifndef CAIRN_PROCS_SCENE_STORE_H
#define CAIRN_PROCS_SCENE_STORE_H

#include "common/scene/pictures.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

struct store;

/* Knows what earlier runs have left, and puts the scene in order with it. scene is borrowed. NULL with the reason. */
struct store *store_new(struct cairn_stage *stage, struct cairn_scene *scene, struct cairn_error *err);
void store_destroy(struct store **store_p);

/* The scene has taken this message: its picture is kept where it brings news and is still at hand. */
void store_look(struct store *store, const struct cairn_msg_detections *seen, int64_t t_ns, double known_m2,
    double unix_s);

#endif
