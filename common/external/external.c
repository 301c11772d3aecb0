/* external.c - the table of external.def as rows, and the file with the topics. */
#include "common/external/external.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/config/config_list.h"

#define AT(key) offsetof(struct cairn_external_topic, key)

const struct cairn_config_row cairn_external_rows[] = {
#define REAL(key, def, min, max, doc) {NULL, #key, CAIRN_CONFIG_REAL, min, max, NULL, doc, AT(key)},
#define INT(key, def, min, max, doc) {NULL, #key, CAIRN_CONFIG_INT, min, max, NULL, doc, AT(key)},
#define TEXT(key, def, doc) {NULL, #key, CAIRN_CONFIG_TEXT, 0, 0, NULL, doc, AT(key)},
#define CHOICE(key, name, NAME, def, doc)                                                                    \
	{NULL, #key, CAIRN_CONFIG_CHOICE, 0, 0, cairn_choice_##name##_words, doc, AT(key)},
#include "common/external/external.def"
};

const int cairn_external_row_count = sizeof(cairn_external_rows) / sizeof(cairn_external_rows[0]);

static void set_defaults(struct cairn_external_topic *row)
{
	memset(row, 0, sizeof(*row));
#define REAL(key, def, min, max, doc) row->key = def;
#define INT(key, def, min, max, doc) row->key = def;
#define TEXT(key, def, doc) memcpy(row->key, def, sizeof(def));
#define CHOICE(key, name, NAME, def, doc) row->key = CAIRN_CHOICE_##NAME##_##def;
#include "common/external/external.def"
}

static bool well_formed(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");
	return n > 0 && n <= CAIRN_EXTERNAL_NAME_MAX && name[n] == '\0' && name[0] >= 'a' && name[0] <= 'z';
}

/* Whose name it already is, or NULL. */
static const char *taken_by(const char *name)
{
	const char *instance;
	if (cairn_topic_find(name) >= 0 || cairn_topic_of(name, &instance) >= 0)
		return "a topic of the bus";
	if (cairn_frame_topic_find(name) >= 0)
		return "a frame";
	for (int i = 0; i < CAIRN_SERVICE_COUNT; i++)
		if (strcmp(cairn_services[i].name, name) == 0)
			return "a service";
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++)
		if (strcmp(cairn_topics[i].stage, name) == 0)
			return "a stage";
	return NULL;
}

static enum cairn_topic topic_of(enum cairn_choice_external_schema schema)
{
	static const enum cairn_topic topics[] = {[CAIRN_CHOICE_EXTERNAL_SCHEMA_NOTE] = CAIRN_TOPIC_NOTE,
	    [CAIRN_CHOICE_EXTERNAL_SCHEMA_DETECTIONS] = CAIRN_TOPIC_DETECTED,
	    [CAIRN_CHOICE_EXTERNAL_SCHEMA_READINGS] = CAIRN_TOPIC_READING,
	    [CAIRN_CHOICE_EXTERNAL_SCHEMA_SKILLS] = CAIRN_TOPIC_ARM,
	    [CAIRN_CHOICE_EXTERNAL_SCHEMA_SKILL_RESULT] = CAIRN_TOPIC_ARM_DONE};
	return topics[schema];
}

static bool take_topic(void *ctx, struct cairn_yaml_reader *r, struct cairn_yaml_node *section)
{
	struct cairn_external_topics *ret = ctx;
	struct cairn_external_topic *row = &ret->rows[ret->count];
	set_defaults(row);
	if (!cairn_config_section_take(r, section, cairn_external_rows, cairn_external_row_count, row))
		return false;
	if (!well_formed(row->name))
		return cairn_yaml_fail(r, section,
		    "name '%.40s': 1 to %d of a-z, 0-9, _ and - are expected, a letter first", row->name,
		    CAIRN_EXTERNAL_NAME_MAX);
	const char *owner = taken_by(row->name);
	if (owner != NULL)
		return cairn_yaml_fail(r, section, "name '%s' is that of %s", row->name, owner);
	for (uint32_t i = 0; i < ret->count; i++)
		if (strcmp(ret->rows[i].name, row->name) == 0)
			return cairn_yaml_fail(r, section, "name '%s': given twice", row->name);
	char name[CAIRN_EXTERNAL_NAME_MAX + 1];
	memcpy(name, row->name, sizeof(name));
	row->topic = topic_of(row->schema);
	snprintf(row->wire, sizeof(row->wire), "%s.%.16s", cairn_topics[row->topic].name, name);
	ret->count++;
	return true;
}

bool cairn_external_load(struct cairn_external_topics *ret, const char *path, struct cairn_error *err)
{
	struct cairn_external_topics *scratch = calloc(1, sizeof(*scratch));
	if (scratch == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	bool good = path[0] == '\0' || cairn_config_list_load(path, "topics", CAIRN_EXTERNAL_TOPICS_MAX,
					   take_topic, scratch, err);
	if (good)
		*ret = *scratch;
	free(scratch);
	return good;
}
