/* memory_map.h - the map in the agent's memory, as a picture for the model and for people: rooms and things by name, the way driven in
 * this task, the robot, and in green the floor that the camera has looked at. Drawn by common/map/picture.h.
 *
 * It is drawn anew when it has changed enough: when so much floor has become known or was looked at (agent.map_new_m2), or when one
 * more thing with a label of the task, or one more named room, is there. Each drawing has a number of its own. Memory is taken once, but
 * for the map's cells, which grow with the map. */
#ifndef CAIRN_COMMON_AGENT_MEMORY_MAP_H
#define CAIRN_COMMON_AGENT_MEMORY_MAP_H

#include "common/agent/world_view.h"
#include "common/config/config.h"

#define CAIRN_MEMORY_MAP_PX 512 /* each side */

struct cairn_memory_map;

/* cfg is borrowed. NULL with the reason. */
struct cairn_memory_map *cairn_memory_map_new(const struct cairn_config *cfg, struct cairn_error *err);
void cairn_memory_map_destroy(struct cairn_memory_map **map_p);

/* A task begins: the way begins anew, and the next picture is a new one. */
void cairn_memory_map_begin(struct cairn_memory_map *map);
void cairn_memory_map_on_grid(struct cairn_memory_map *map, const struct cairn_scene_grid *grid);
void cairn_memory_map_on_pose(struct cairn_memory_map *map, struct cairn_pose2 pose, uint64_t map_id);

/* Draws it if it has changed enough since the last drawing. The number of the newest one of this task, or 0. */
uint32_t cairn_memory_map_draw(struct cairn_memory_map *map, const struct cairn_agent_world *world,
    const struct cairn_agent_ids *labels);
/* The newest drawing of this task as JPEG, valid until the next one, and its number; NULL: there is none. */
const uint8_t *cairn_memory_map_jpeg(
    const struct cairn_memory_map *map, uint32_t *ret_number, size_t *ret_bytes);

#endif
