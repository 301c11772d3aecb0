/* agent_route_map.h - what a route is to the map (agent_route.c). Nobody else includes it. */
#ifndef CAIRN_COMMON_AGENT_AGENT_ROUTE_MAP_H
#define CAIRN_COMMON_AGENT_AGENT_ROUTE_MAP_H

#include "common/agent/agent_private.h"
#include "common/scene/rooms.h"

/* Known floor that hangs together, doorways shut. */
struct agent_region {
	const struct cairn_rooms *floor;
	uint8_t *in; /* of each cell: 1; free() */
};

#define AGENT_DOORS_MAX 64

/* Ways through walls. */
struct agent_doors {
	struct cairn_msg_doorway items[AGENT_DOORS_MAX];
	uint32_t count;
};

/* The map's doorways. gaps: and where the floor of one room goes over into another at the width of a door; a piece of furniture beside it
 * may have kept that from being a doorway. */
void agent_find_doors(const struct cairn_agent *a, bool gaps, struct agent_doors *ret);

/* The floor that hangs together with a place. False: nothing is known there, or no memory; in is to be freed in either case. */
bool agent_find_region(const struct cairn_agent *a, const struct agent_doors *doors, struct cairn_vec2 from,
    struct agent_region *ret);
/* A doorway leads out of it. */
bool agent_touches(const struct agent_region *region, const struct cairn_msg_doorway *doorway);
/* The farthest place of it along the leg that is ahead of the robot. False: there is none that is worth the way. */
bool agent_find_on(const struct cairn_agent *a, const struct agent_region *region, struct cairn_vec2 *ret);

/* From the edge of a thing. */
double agent_box_off_m(const struct cairn_msg_scene_node *thing, struct cairn_vec2 at);
/* The map's room that the graph has a thing in; -1: not known. */
int32_t agent_room_of(const struct cairn_agent *a, const struct cairn_msg_scene_node *thing);
/* At a thing and not behind the wall that it hangs on. What stands below it, on the map, may be between. room: of the thing. */
bool agent_is_beside(const struct cairn_agent *a, struct cairn_vec2 at, int32_t room,
    const struct cairn_msg_scene_node *thing);
/* Where to stand at a thing where the graph knows no place: the nearest, or the one next to it. */
bool agent_find_stand(const struct cairn_agent *a, const struct cairn_msg_scene_node *thing, bool next_to_it,
    struct cairn_vec2 *ret);

#endif
