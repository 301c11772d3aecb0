/* found.h - rooms and things that the robot has found, as people are told of them. */
#ifndef CAIRN_PROCS_CAIRN_FOUND_H
#define CAIRN_PROCS_CAIRN_FOUND_H

#include <stdio.h>

#include "common/base/error.h"
#include "ipc/messages.h"

/* False with the reason: no stack has ever run in this directory, so that nothing is known of what is not there. */
bool found_home(const char *run_dir, struct cairn_error *err);
/* What the memory of a home holds (state_dir/memory.yaml, at most a second behind a running robot). An absent file
 * means that nothing was found. False with the reason: it cannot be read. */
bool found_load(const char *state_dir, struct cairn_msg_discoveries *ret, struct cairn_error *err);
/* What the scene graph of a home holds (state_dir/scene.json), as its message. An absent file is an empty graph. False with the
 * reason, and an empty graph: it cannot be used. */
bool found_scene(const char *state_dir, struct cairn_msg_scene *ret, struct cairn_error *err);
/* Two lines, rooms and things with their places, at most `most` of each; nothing where the graph is empty. */
void found_scene_print(const struct cairn_msg_scene *scene, uint32_t most, FILE *out);
/* One line each, at most `most` of them and then how many more; state_dir: whose pictures are named, or NULL. */
void found_print(const struct cairn_msg_discoveries *found, const char *lead, uint32_t most,
    const char *state_dir, FILE *out);
/* Writes NAME.discoveries.yaml beside the map NAME.yaml (NAME may end in .yaml or .pgm). False with the reason. */
bool found_save(const struct cairn_msg_discoveries *found, const char *name, struct cairn_error *err);

#endif
