/* scene_words.h - the words of the stage local: floor, light, and the scene in one line. Pure. */
#ifndef CAIRN_COMMON_LOCAL_SCENE_WORDS_H
#define CAIRN_COMMON_LOCAL_SCENE_WORDS_H

#include "common/local/view_descriptor.h"
#include "ipc/messages.h"

/* "brown, plain": of the lower middle of the picture, where a robot's camera shows the floor before it. It does not know whether that
 * is floor: close before a thing it is the thing. */
void cairn_scene_floor_words(const struct cairn_view_blocks *blocks, char *dst, size_t cap);
/* dark, dim, bright or glaring, by the mean of the picture. */
const char *cairn_scene_light_word(const struct cairn_view_blocks *blocks);
/* "\"red cup\", \"chair\"": each label once, with its number from two on ("2 \"chair\""); what does not fit is left out whole. */
void cairn_scene_object_words(const struct cairn_msg_detections *seen, char *dst, size_t cap);
/* Fills message->text from its other members and the room (its id; may be empty). */
void cairn_scene_line(struct cairn_msg_local *message, const char *room);

#endif
