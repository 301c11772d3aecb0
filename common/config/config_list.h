/* config_list.h - YAML files that are one list of sections (providers, topics of programs outside), each section read key by key
 * against a table of rows like config.def's, whose offsets count in a struct of its own. */
#ifndef CAIRN_COMMON_CONFIG_CONFIG_LIST_H
#define CAIRN_COMMON_CONFIG_CONFIG_LIST_H

#include "common/base/yaml.h"
#include "common/config/config.h"

/* Takes one section; false after cairn_yaml_fail. */
typedef bool cairn_config_section_fn(void *ctx, struct cairn_yaml_reader *r, struct cairn_yaml_node *section);

/* Hands over the sections under `name`, the file's only key, in their order; at least one and at most max. False with
 * "FILE: line N: NAME[1].key: reason" in err. */
bool cairn_config_list_load(const char *path, const char *name, uint32_t max, cairn_config_section_fn *take,
    void *ctx, struct cairn_error *err);

/* Lays the keys of a section over *base. */
bool cairn_config_section_take(struct cairn_yaml_reader *r, struct cairn_yaml_node *section,
    const struct cairn_config_row *rows, int row_count, void *base);

#endif
