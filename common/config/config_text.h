/* config_text.h - values as text, looked up and checked against the table of keys; not _private, since `cairn
 * config` prints the sections from here. */
#ifndef CAIRN_COMMON_CONFIG_CONFIG_TEXT_H
#define CAIRN_COMMON_CONFIG_CONFIG_TEXT_H

#include "common/config/config.h"

struct cairn_config_section {
	const char *name, *doc;
};

extern const struct cairn_config_section cairn_config_sections[];
extern const int cairn_config_section_count;

/* The row, or NULL. */
const struct cairn_config_row *cairn_config_find(const char *section, const char *key);

/* "; did you mean 'X'?" for an unknown key of section (NULL: for an unknown section), or an empty text. */
void cairn_config_suggest(const char *section, const char *key, char *buf, size_t buf_bytes);

/* Checks text against the row and stores it. False with the bare reason in err; *cfg untouched then. */
bool cairn_config_assign(
    struct cairn_config *cfg, const struct cairn_config_row *row, const char *text, struct cairn_error *err);
/* The same for the rows of another table: base is the struct that row->offset counts in. */
bool cairn_config_assign_at(
    void *base, const struct cairn_config_row *row, const char *text, struct cairn_error *err);

#define CAIRN_CONFIG_FILE_BYTES_MAX (1024 * 1024) /* of any YAML file of the configuration */

#endif
