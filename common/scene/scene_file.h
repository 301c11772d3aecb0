/* scene_file.h - the graph as a file: JSON in one line, with a checksum of its bytes in front.
 *
 *   {"checksum": "16 hex digits", "scene": {"schema_version": "0.1", ...}}
 *
 * The checksum is FNV-1a over the bytes of the scene's value. A file in which any byte differs is refused. Text in it is cleaned
 * like any text from outside, and numbers must make sense: a file that was written by hand is no more trusted than one that was
 * damaged. docs/scene.md describes the fields. */
#ifndef CAIRN_COMMON_SCENE_SCENE_FILE_H
#define CAIRN_COMMON_SCENE_SCENE_FILE_H

#include "common/scene/scene.h"

#define CAIRN_SCENE_FILE_NAME "scene.json"
#define CAIRN_SCENE_FILE_MAX (16u << 20)

/* The text of the file, to be freed; NULL without memory. */
char *cairn_scene_write(const struct cairn_scene *scene, size_t *ret_bytes);
/* Replaces the graph's content. False with the reason; it is empty then. */
bool cairn_scene_read(struct cairn_scene *scene, const char *text, size_t bytes, struct cairn_error *err);

/* Atomic. False with the reason. */
bool cairn_scene_save(const struct cairn_scene *scene, const char *path, struct cairn_error *err);
/* A file that is not there is an empty graph. False with the reason (*ret_damaged: it is there and cannot be used). */
bool cairn_scene_load(
    struct cairn_scene *scene, const char *path, bool *ret_damaged, struct cairn_error *err);

#endif
