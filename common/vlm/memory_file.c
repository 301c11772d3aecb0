/* memory_file.c - the memory as YAML. */
#include <cyaml/cyaml.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/vlm/memory.h"

#define FILE_BYTES_MAX (256 * 1024)

/* The struct plus what only the file has. */
struct memory_file {
	uint32_t version;
	struct cairn_ledger ledger;
	struct cairn_memory memory;
};
#define FILE_VERSION 1

#define NUM(key, type, member) CYAML_FIELD_FLOAT(key, CYAML_FLAG_DEFAULT, type, member)
#define UINT(key, type, member) CYAML_FIELD_UINT(key, CYAML_FLAG_DEFAULT, type, member)
#define STR(key, type, member) CYAML_FIELD_STRING(key, CYAML_FLAG_DEFAULT, type, member, 0)
#define OPTIONAL_STR(key, type, member) /* files of before do not have it */                                 \
	CYAML_FIELD_STRING(key, CYAML_FLAG_OPTIONAL, type, member, 0)
#define LIST(key, name, value, cap)                                                                          \
	CYAML_FIELD_SEQUENCE_COUNT(                                                                          \
	    key, CYAML_FLAG_DEFAULT, struct memory_file, memory.name, memory.name##_count, &value, 0, cap)

static const cyaml_schema_value_t label_value = {
    CYAML_VALUE_STRING(CYAML_FLAG_DEFAULT, char, 0, CAIRN_TOOL_LABEL_CAP - 1)};

#define SIGHT(type) /* files of before do not have these */                                                  \
	CYAML_FIELD_UINT("id", CYAML_FLAG_OPTIONAL, type, sight.id),                                         \
	    CYAML_FIELD_FLOAT("unix_s", CYAML_FLAG_OPTIONAL, type, sight.unix_s),                            \
	    CYAML_FIELD_UINT("snapshot_id", CYAML_FLAG_OPTIONAL, type, sight.snapshot_id),                   \
	    OPTIONAL_STR("picture", type, sight.picture)

static const cyaml_schema_field_t room_fields[] = {STR("name", struct cairn_memory_room, name),
    STR("entered_from", struct cairn_memory_room, entered_from), NUM("x_m", struct cairn_memory_room, x_m),
    NUM("y_m", struct cairn_memory_room, y_m), UINT("visits", struct cairn_memory_room, visits),
    SIGHT(struct cairn_memory_room),
    CYAML_FIELD_UINT("openings_left", CYAML_FLAG_OPTIONAL, struct cairn_memory_room, openings_left),
    CYAML_FIELD_UINT("openings_most", CYAML_FLAG_OPTIONAL, struct cairn_memory_room, openings_most),
    CYAML_FIELD_SEQUENCE_COUNT("objects", CYAML_FLAG_DEFAULT, struct cairn_memory_room, objects,
	objects_count, &label_value, 0, CAIRN_MEMORY_ROOM_OBJECTS),
    CYAML_FIELD_END};
static const cyaml_schema_field_t discovery_fields[] = {STR("label", struct cairn_memory_discovery, label),
    STR("notes", struct cairn_memory_discovery, notes), STR("room", struct cairn_memory_discovery, room),
    UINT("significance", struct cairn_memory_discovery, significance),
    NUM("x_m", struct cairn_memory_discovery, x_m), NUM("y_m", struct cairn_memory_discovery, y_m),
    SIGHT(struct cairn_memory_discovery), CYAML_FIELD_END};
static const cyaml_schema_field_t place_fields[] = {NUM("x_m", struct cairn_memory_place, x_m),
    NUM("y_m", struct cairn_memory_place, y_m),
    CYAML_FIELD_FLOAT("yaw_rad", CYAML_FLAG_OPTIONAL, struct cairn_memory_place, yaw_rad),
    OPTIONAL_STR("reason", struct cairn_memory_place, reason), CYAML_FIELD_END};
static const cyaml_schema_field_t result_fields[] = {
    UINT("decision_id", struct cairn_memory_result, decision_id),
    UINT("outcome", struct cairn_memory_result, outcome), UINT("source", struct cairn_memory_result, source),
    CYAML_FIELD_BOOL("overridden", CYAML_FLAG_DEFAULT, struct cairn_memory_result, overridden),
    STR("asked", struct cairn_memory_result, asked), STR("reason", struct cairn_memory_result, reason),
    STR("suggestion", struct cairn_memory_result, suggestion),
    OPTIONAL_STR("executed", struct cairn_memory_result, executed),
    OPTIONAL_STR("cause", struct cairn_memory_result, cause),
    NUM("distance_m", struct cairn_memory_result, distance_m),
    NUM("duration_s", struct cairn_memory_result, duration_s),
    NUM("turned_rad", struct cairn_memory_result, turned_rad), CYAML_FIELD_END};

static const cyaml_schema_field_t ledger_fields[] = {UINT("calls", struct cairn_ledger, calls),
    UINT("failures", struct cairn_ledger, failures), UINT("decisions", struct cairn_ledger, decisions),
    UINT("tokens_in", struct cairn_ledger, tokens.tokens_in),
    UINT("tokens_cached", struct cairn_ledger, tokens.tokens_cached),
    UINT("tokens_out", struct cairn_ledger, tokens.tokens_out),
    NUM("cost_usd", struct cairn_ledger, cost_usd), CYAML_FIELD_END};

#define MAPPING(name, type)                                                                                  \
	static const cyaml_schema_value_t name##_value = {                                                   \
	    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, type, name##_fields)}
MAPPING(room, struct cairn_memory_room);
MAPPING(discovery, struct cairn_memory_discovery);
MAPPING(place, struct cairn_memory_place);
MAPPING(result, struct cairn_memory_result);

static const cyaml_schema_field_t file_fields[] = {UINT("version", struct memory_file, version),
    CYAML_FIELD_MAPPING("ledger", CYAML_FLAG_DEFAULT, struct memory_file, ledger, ledger_fields),
    CYAML_FIELD_INT("current_room", CYAML_FLAG_DEFAULT, struct memory_file, memory.current_room),
    UINT("forgotten", struct memory_file, memory.forgotten),
    CYAML_FIELD_UINT("reports", CYAML_FLAG_OPTIONAL, struct memory_file, memory.reports),
    CYAML_FIELD_UINT("dropped", CYAML_FLAG_OPTIONAL, struct memory_file, memory.dropped),
    OPTIONAL_STR("dropped_label", struct memory_file, memory.dropped_label),
    OPTIONAL_STR("known_things", struct memory_file, memory.known_things),
    CYAML_FIELD_FLOAT("duration_s", CYAML_FLAG_OPTIONAL, struct memory_file, memory.duration_s),
    LIST("rooms", rooms, room_value, CAIRN_MEMORY_ROOMS),
    LIST("discoveries", discoveries, discovery_value, CAIRN_MEMORY_DISCOVERIES),
    LIST("dead_ends", dead_ends, place_value, CAIRN_MEMORY_DEAD_ENDS),
    LIST("results", results, result_value, CAIRN_MEMORY_RESULTS), CYAML_FIELD_END};
static const cyaml_schema_value_t file_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct memory_file, file_fields)};

static const cyaml_config_t yaml = {.log_fn = NULL,
    .mem_fn = cyaml_mem,
    .log_level = CYAML_LOG_ERROR,
    .flags = CYAML_CFG_NO_ALIAS | CYAML_CFG_STYLE_BLOCK};

bool cairn_memory_write(
    const struct cairn_memory *memory, const struct cairn_ledger *ledger, struct cairn_text *out)
{
	struct memory_file file = {.version = FILE_VERSION, .ledger = *ledger, .memory = *memory};
	char *text = NULL;
	size_t len = 0;
	bool ok = cyaml_save_data(&text, &len, &yaml, &file_value, &file, 0) == CYAML_OK;
	if (ok)
		cairn_text_bytes(out, text, len);
	cyaml_mem(NULL, text, 0);
	return ok && !out->failed;
}

bool cairn_memory_save(const struct cairn_memory *memory, const struct cairn_ledger *ledger, const char *path,
    struct cairn_error *err)
{
	struct memory_file file = {.version = FILE_VERSION, .ledger = *ledger, .memory = *memory};
	char *text = NULL;
	size_t len = 0;
	cyaml_err_t bad = cyaml_save_data(&text, &len, &yaml, &file_value, &file, 0);
	if (bad != CYAML_OK) {
		cairn_error_set(err, "%s: %s", path, cyaml_strerror(bad));
		return false;
	}
	bool ok = cairn_file_replace(path, 0, 0644, text, len, err);
	cyaml_mem(NULL, text, 0);
	return ok;
}

/* Text in the file is no more trusted than the text of a model. */
static void clean(char *text, size_t cap)
{
	char line[CAIRN_TOOL_NOTES_CAP];
	cairn_text_clean(line, cap < sizeof(line) ? cap : sizeof(line), text, strnlen(text, cap));
	memcpy(text, line, strlen(line) + 1);
}

/* A picture's name is joined to a folder: a plain name only. */
static bool sane_sight(struct cairn_memory_sight *s, uint64_t reports)
{
	clean(s->picture, sizeof(s->picture));
	if (s->picture[0] == '.' || strchr(s->picture, '/') != NULL)
		s->picture[0] = '\0';
	return isfinite(s->unix_s) && s->unix_s >= 0.0 && s->id <= reports;
}

static bool sane(struct cairn_memory *m)
{
	bool ok = m->current_room >= -1 && m->current_room < (int32_t)m->rooms_count;
	ok &= isfinite(m->duration_s) && m->duration_s >= 0.0;
	clean(m->dropped_label, sizeof(m->dropped_label));
	cairn_text_plain(m->known_things); /* its quotes stay: they keep labels apart from the rest */
	for (uint32_t i = 0; i < m->rooms_count; i++) {
		struct cairn_memory_room *r = &m->rooms[i];
		ok &= isfinite(r->x_m) && isfinite(r->y_m);
		ok &= sane_sight(&r->sight, m->reports);
		clean(r->name, sizeof(r->name));
		clean(r->entered_from, sizeof(r->entered_from));
		for (uint32_t k = 0; k < r->objects_count; k++)
			clean(r->objects[k], sizeof(r->objects[k]));
	}
	for (uint32_t i = 0; i < m->discoveries_count; i++) {
		struct cairn_memory_discovery *d = &m->discoveries[i];
		ok &= isfinite(d->x_m) && isfinite(d->y_m) && d->significance < CAIRN_SIGNIFICANCE_COUNT;
		ok &= sane_sight(&d->sight, m->reports);
		clean(d->label, sizeof(d->label));
		clean(d->notes, sizeof(d->notes));
		clean(d->room, sizeof(d->room));
	}
	for (uint32_t i = 0; i < m->dead_ends_count; i++) {
		struct cairn_memory_place *p = &m->dead_ends[i];
		ok &= isfinite(p->x_m) && isfinite(p->y_m) && isfinite(p->yaw_rad);
		clean(p->reason, sizeof(p->reason));
	}
	for (uint32_t i = 0; i < m->results_count; i++) {
		struct cairn_memory_result *r = &m->results[i];
		ok &= isfinite(r->distance_m) && isfinite(r->duration_s) && isfinite(r->turned_rad) &&
		      r->outcome < CAIRN_OUTCOME_COUNT && r->source < CAIRN_SOURCE_COUNT;
		clean(r->asked, sizeof(r->asked));
		clean(r->reason, sizeof(r->reason));
		clean(r->suggestion, sizeof(r->suggestion));
		clean(r->executed, sizeof(r->executed));
		clean(r->cause, sizeof(r->cause));
	}
	return ok;
}

static bool parse(const char *text, size_t len, struct cairn_memory *memory, struct cairn_ledger *ledger,
    struct cairn_error *err)
{
	struct memory_file *file = NULL;
	cyaml_err_t bad =
	    cyaml_load_data((const uint8_t *)text, len, &yaml, &file_value, (cyaml_data_t **)&file, NULL);
	if (bad != CYAML_OK || file == NULL) {
		cairn_error_set(err, "%s", bad != CYAML_OK ? cyaml_strerror(bad) : "empty file");
		return false;
	}
	bool ok = file->version == FILE_VERSION && sane(&file->memory) && isfinite(file->ledger.cost_usd) &&
		  file->ledger.cost_usd >= 0.0;
	if (ok) {
		*memory = file->memory;
		*ledger = file->ledger;
	} else {
		cairn_error_set(err, "version or values out of range");
	}
	cyaml_free(&yaml, &file_value, file, 0);
	return ok;
}

bool cairn_memory_read(struct cairn_memory *memory, struct cairn_ledger *ledger, const char *text,
    size_t count, struct cairn_error *err)
{
	cairn_memory_init(memory);
	*ledger = (struct cairn_ledger){0};
	return parse(text, count, memory, ledger, err);
}

bool cairn_memory_load(
    struct cairn_memory *memory, struct cairn_ledger *ledger, const char *path, struct cairn_error *err)
{
	cairn_memory_init(memory);
	*ledger = (struct cairn_ledger){0};
	struct cairn_error why = {""};
	size_t len = 0;
	char *text = cairn_file_read(path, CAIRN_FILE_OWN, FILE_BYTES_MAX, &len, err);
	if (text == NULL)
		return errno == ENOENT;
	bool ok = parse(text, len, memory, ledger, &why);
	if (!ok)
		cairn_error_set(err, "%s: %.300s", path, why.text);
	free(text);
	return ok;
}
