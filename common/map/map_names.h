/* map_names.h - which rooms and things of the scene graph are named on a drawn map, and where their names stand so that each can be read.
 *
 * A house has more things than a picture has room for: rooms come first, then people, then the largest things, and no more than
 * CAIRN_MAP_NAMES of all. A name that finds no place beside what it belongs to without covering another is left out; its thing is drawn
 * all the same. Pixels, y down. Pure. */
#ifndef CAIRN_COMMON_MAP_MAP_NAMES_H
#define CAIRN_COMMON_MAP_MAP_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/messages.h"

#define CAIRN_MAP_NAMES 32
#define CAIRN_MAP_NAME_ROOMS 16 /* of them rooms */

struct cairn_map_rect {
	double left, top, width, height;
};

struct cairn_map_name {
	const struct cairn_msg_scene_node *node; /* borrowed */
	const char *text;                        /* of the node */
	double x, y;              /* of what it belongs to: the caller's to fill in before it is laid, */
	double width, height;     /* like the size of the text */
	bool shown;               /* there is room for it, */
	struct cairn_map_rect at; /* here */
};

/* Those to be named, the most important first; what is stale or has no label is left out. Returns their number. */
uint32_t cairn_map_names_pick(
    const struct cairn_msg_scene_node *nodes, uint32_t count, struct cairn_map_name ret[CAIRN_MAP_NAMES]);
/* Finds a place for each, in their order: a room's name around the middle of the room, a thing's beside the thing. taken: what
 * they must not cover. */
void cairn_map_names_lay(struct cairn_map_name *names, uint32_t count, const struct cairn_map_rect *taken,
    uint32_t taken_count, struct cairn_map_rect paper);

#endif
