/* config.h - the configuration as one plain struct, made from config.def.
 *
 * Layers, later ones win: defaults, config/robots/NAME.yaml, config/cairn.yaml, --config FILE, --set
 * section.key=value. The launcher merges them and writes RUN/config.yaml, which the stages read. Unknown
 * keys, wrong types and values out of range are refused with file, key and reason. */
#ifndef CAIRN_COMMON_CONFIG_CONFIG_H
#define CAIRN_COMMON_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

#define CAIRN_CONFIG_TEXT_CAP 256

#define CHOICE_BEGIN(name)                                                                                   \
	enum cairn_choice_##name                                                                             \
	{
#define WORD(NAME, IDENT, word) CAIRN_CHOICE_##NAME##_##IDENT,
#define CHOICE_END(name, NAME)                                                                               \
	CAIRN_CHOICE_##NAME##_COUNT                                                                          \
	}                                                                                                    \
	;                                                                                                    \
	extern const char *const cairn_choice_##name##_words[CAIRN_CHOICE_##NAME##_COUNT + 1];
#include "common/config/choices.def"

#define SECTION(name, doc) struct cairn_config_##name {
#define REAL(section, key, def, min, max, doc) double key;
#define INT(section, key, def, min, max, doc) int32_t key;
#define FLAG(section, key, def, doc) bool key;
#define TEXT(section, key, def, doc) char key[CAIRN_CONFIG_TEXT_CAP];
#define CHOICE(section, key, name, NAME, def, doc) enum cairn_choice_##name key;
#define END_SECTION(name)                                                                                    \
	}                                                                                                    \
	;
#include "common/config/config.def"

struct cairn_config {
#define SECTION(name, doc) struct cairn_config_##name name;
#include "common/config/config.def"
};

enum cairn_config_kind {
	CAIRN_CONFIG_REAL,
	CAIRN_CONFIG_INT,
	CAIRN_CONFIG_FLAG,
	CAIRN_CONFIG_TEXT,
	CAIRN_CONFIG_CHOICE
};

/* One row a key, in the order of config.def: for docs, `cairn config` and tests. */
struct cairn_config_row {
	const char *section, *key;
	enum cairn_config_kind kind;
	double min, max;          /* REAL, INT */
	const char *const *words; /* CHOICE: in the order of its enum, NULL behind the last */
	const char *doc;
	size_t offset; /* into struct cairn_config */
};

extern const struct cairn_config_row cairn_config_rows[];
extern const int cairn_config_row_count;

/* Which of the words (cairn_choice_..._words) it is; -1: none. */
int cairn_choice_find(const char *const *words, const char *text);

void cairn_config_defaults(struct cairn_config *cfg);

/* It explores without having been sent: mission.autostart for this robot.drive. */
bool cairn_config_autostarts(const struct cairn_config *cfg);

/* Lays a YAML file over *cfg. False with "FILE: line N: section.key: reason" in err; *cfg untouched then. */
bool cairn_config_load(struct cairn_config *cfg, const char *path, struct cairn_error *err);

/* Lays "section.key=value" over *cfg; origin names where it comes from ("--set") in errors. */
bool cairn_config_set(
    struct cairn_config *cfg, const char *assignment, const char *origin, struct cairn_error *err);

/* The layers in front of a run. share_dir holds config/cairn.yaml and config/robots. */
struct cairn_config_layers {
	const char *share_dir;
	const char *const *files; /* --config, each laid over the one before it */
	int file_count;
	const char *const *sets; /* "section.key=value" */
	int set_count;
};

/* Defaults, then the robot's file (config/robots/<robot.name>.yaml, where the name is what the other layers
 * make of it), then config/cairn.yaml, files, sets. Keys are checked each by itself;
 * rules between them are in common/rules/config_check.h. False with one line in err; *cfg untouched then.
 */
bool cairn_config_merge(
    struct cairn_config *cfg, const struct cairn_config_layers *layers, struct cairn_error *err);

/* Every key as YAML with its meaning as a comment, atomically. */
bool cairn_config_save(const struct cairn_config *cfg, const char *path, struct cairn_error *err);

/* One key's value as text. */
void cairn_config_value_text(
    const struct cairn_config *cfg, const struct cairn_config_row *row, char *buf, size_t buf_bytes);

#endif
