/* yaml_private.h - what the two halves of the loader of YAML worlds share: yaml.c (rooms, walls, furniture) and yaml_props.c (what
 * of it has a state); not for others. */
#ifndef CAIRN_COMMON_SIM_WORLD_YAML_PRIVATE_H
#define CAIRN_COMMON_SIM_WORLD_YAML_PRIVATE_H

#include "common/base/yaml.h"
#include "common/sim/world/furniture.h"

#define CAIRN_WORLD_NAME_BYTES 40
#define CAIRN_WORLD_REACH_M 1000.0 /* no coordinate lies farther out */

/* What an item says of its state, read before it is built. */
struct cairn_prop_keys {
	bool some;
	struct cairn_prop prop;
	struct cairn_hollow hollow;
};

/* Reads on, in, places, container, graspable, holds_l, liquid and state of an item; sets where it stands and what it is built
 * like. The prop is taken into the world, and what is built from now on belongs to it. */
void cairn_yaml_prop_begin(struct cairn_yaml_reader *r, struct cairn_builder *b, struct cairn_yaml_node *node,
    struct cairn_item *item, struct cairn_prop_keys *ret);
/* After it was built as the world's thing. */
void cairn_yaml_prop_end(struct cairn_yaml_reader *r, struct cairn_builder *b, struct cairn_yaml_node *node,
    const struct cairn_item *item, const struct cairn_prop_keys *keys, uint32_t thing);

#endif
