/* memory_file.c - the memory as YAML: one table of fields for each thing, written and read by the same rows. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/yaml.h"
#include "common/vlm/memory.h"

#define FILE_BYTES_MAX (256 * 1024)
#define FILE_VERSION 1

enum field_kind {
	UINT32,
	UINT64,
	INDEX, /* int32_t, -1: none */
	REAL,
	FLAG,
	TEXT,
	LABELS, /* a list of labels; how many there are stands in counter */
	ITEMS,  /* a list of mappings, each with fields; the same */
	END,
};

struct field {
	enum field_kind kind;
	bool must; /* what files of earlier versions do not have need not be there */
	const char *key;
	size_t offset, bytes; /* of the member; of one entry for lists */
	size_t counter;       /* offset of its uint32_t */
	uint32_t cap;
	const struct field *fields;
};

#define SIZE(type, member) sizeof(((type *)0)->member)
#define MUST(kind, type, member) MUST_AS(kind, #member, type, member)
#define MUST_AS(kind, key, type, member)                                                                     \
	{                                                                                                    \
		kind, true, key, offsetof(type, member), SIZE(type, member), 0, 0, NULL                      \
	}
#define MAY(kind, type, member) MAY_AS(kind, #member, type, member)
#define MAY_AS(kind, key, type, member)                                                                      \
	{                                                                                                    \
		kind, false, key, offsetof(type, member), SIZE(type, member), 0, 0, NULL                     \
	}
#define LIST(kind, key, type, member, cap, fields) LIST_IF(true, kind, key, type, member, cap, fields)
#define LIST_IF(must, kind, key, type, member, cap, fields)                                                  \
	{                                                                                                    \
		kind, must, key, offsetof(type, member), SIZE(type, member[0]),                              \
		    offsetof(type, member##_count), cap, fields                                              \
	}
#define SIGHT(type)                                                                                          \
	MAY_AS(UINT64, "id", type, sight.id), MAY_AS(REAL, "unix_s", type, sight.unix_s),                    \
	    MAY_AS(UINT64, "snapshot_id", type, sight.snapshot_id),                                          \
	    MAY_AS(TEXT, "picture", type, sight.picture)

#define T struct cairn_memory_room
static const struct field room_fields[] = {MUST(TEXT, T, name), MUST(TEXT, T, entered_from),
    MUST(REAL, T, x_m), MUST(REAL, T, y_m), MUST(UINT32, T, visits), SIGHT(T), MAY(UINT32, T, openings_left),
    MAY(UINT32, T, openings_most), LIST(LABELS, "objects", T, objects, CAIRN_MEMORY_ROOM_OBJECTS, NULL),
    {.kind = END}};
#undef T
#define T struct cairn_memory_discovery
static const struct field discovery_fields[] = {MUST(TEXT, T, label), MUST(TEXT, T, notes),
    MUST(TEXT, T, room), MUST(UINT32, T, significance), MUST(REAL, T, x_m), MUST(REAL, T, y_m), SIGHT(T),
    {.kind = END}};
#undef T
#define T struct cairn_memory_place
static const struct field place_fields[] = {
    MUST(REAL, T, x_m), MUST(REAL, T, y_m), MAY(REAL, T, yaw_rad), MAY(TEXT, T, reason), {.kind = END}};
#undef T
#define T struct cairn_memory_result
static const struct field result_fields[] = {MUST(UINT64, T, decision_id), MUST(UINT32, T, outcome),
    MUST(UINT32, T, source), MUST(FLAG, T, overridden), MUST(TEXT, T, asked), MUST(TEXT, T, reason),
    MUST(TEXT, T, suggestion), MAY(TEXT, T, executed), MAY(TEXT, T, cause), MUST(REAL, T, distance_m),
    MUST(REAL, T, duration_s), MUST(REAL, T, turned_rad), {.kind = END}};
#undef T
#define T struct cairn_memory_observation
static const struct field observation_fields[] = {MUST(REAL, T, x_m), MUST(REAL, T, y_m),
    MUST(REAL, T, yaw_rad), MUST(TEXT, T, focus), MUST(TEXT, T, text), {.kind = END}};
#undef T
#define T struct cairn_ledger
static const struct field ledger_fields[] = {MUST(UINT64, T, calls), MUST(UINT64, T, failures),
    MUST(UINT64, T, decisions), MUST_AS(UINT64, "tokens_in", T, tokens.tokens_in),
    MUST_AS(UINT64, "tokens_cached", T, tokens.tokens_cached),
    MUST_AS(UINT64, "tokens_out", T, tokens.tokens_out), MUST(REAL, T, cost_usd), {.kind = END}};
#undef T
#define T struct cairn_memory
static const struct field memory_fields[] = {MUST(INDEX, T, current_room), MUST(UINT64, T, forgotten),
    MAY(UINT64, T, reports), MAY(UINT64, T, dropped), MAY(TEXT, T, dropped_label), MAY(TEXT, T, known_things),
    MAY(TEXT, T, local_scene), MAY(TEXT, T, notes_outside), MAY(UINT64, T, claims_held),
    MAY(UINT64, T, claims_right), MAY(UINT64, T, claims_wrong), MAY(REAL, T, duration_s),
    LIST(ITEMS, "rooms", T, rooms, CAIRN_MEMORY_ROOMS, room_fields),
    LIST(ITEMS, "discoveries", T, discoveries, CAIRN_MEMORY_DISCOVERIES, discovery_fields),
    LIST(ITEMS, "dead_ends", T, dead_ends, CAIRN_MEMORY_DEAD_ENDS, place_fields),
    LIST(ITEMS, "results", T, results, CAIRN_MEMORY_RESULTS, result_fields),
    LIST_IF(false, ITEMS, "observations", T, observations, CAIRN_MEMORY_OBSERVATIONS, observation_fields),
    {.kind = END}};
#undef T

/* ---- writing ---- */

static void write_fields(const struct field *f, const void *base, const char *indent, struct cairn_text *out);

static void write_list(const struct field *f, const void *base, struct cairn_text *out)
{
	uint32_t count = *(const uint32_t *)((const char *)base + f->counter);
	const char *entry = (const char *)base + f->offset;
	cairn_text_add(out, count == 0 || f->kind == LABELS ? "[" : "");
	for (uint32_t i = 0; i < count; i++, entry += f->bytes) {
		if (f->kind == LABELS) {
			cairn_text_add(out, i > 0 ? ", " : "");
			cairn_text_json_string(out, entry);
		} else {
			cairn_text_add(out, "\n  -");
			write_fields(f->fields, entry, "    ", out);
		}
	}
	cairn_text_add(out, count == 0 || f->kind == LABELS ? "]" : "");
}

static void write_value(const struct field *f, const void *base, struct cairn_text *out)
{
	const char *at = (const char *)base + f->offset;
	switch (f->kind) {
	case UINT32:
		cairn_text_addf(out, "%u", *(const uint32_t *)at);
		break;
	case UINT64:
		cairn_text_addf(out, "%llu", (unsigned long long)*(const uint64_t *)at);
		break;
	case INDEX:
		cairn_text_addf(out, "%d", *(const int32_t *)at);
		break;
	case REAL:
		cairn_text_addf(out, "%.17g", *(const double *)at);
		break;
	case FLAG:
		cairn_text_add(out, *(const bool *)at ? "true" : "false");
		break;
	case TEXT:
		cairn_text_json_string(out, at);
		break;
	default:
		write_list(f, base, out);
	}
}

static void write_fields(const struct field *f, const void *base, const char *indent, struct cairn_text *out)
{
	for (; f->kind != END; f++) {
		cairn_text_addf(out, "\n%s%s: ", indent, f->key);
		write_value(f, base, out);
	}
}

bool cairn_memory_write(
    const struct cairn_memory *memory, const struct cairn_ledger *ledger, struct cairn_text *out)
{
	cairn_text_addf(out, "version: %d\nledger:", FILE_VERSION);
	write_fields(ledger_fields, ledger, "  ", out);
	write_fields(memory_fields, memory, "", out);
	cairn_text_add(out, "\n");
	return !out->failed;
}

bool cairn_memory_save(const struct cairn_memory *memory, const struct cairn_ledger *ledger, const char *path,
    struct cairn_error *err)
{
	struct cairn_text text = {0};
	bool ok = cairn_memory_write(memory, ledger, &text);
	if (!ok)
		cairn_error_set(err, "%s: out of memory", path);
	ok = ok && cairn_file_replace(path, 0, 0644, text.data, text.len, err);
	cairn_text_free(&text);
	return ok;
}

/* ---- reading ---- */

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
	cairn_text_plain(m->notes_outside);
	cairn_text_plain(m->local_scene);
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
	for (uint32_t i = 0; i < m->observations_count; i++) {
		struct cairn_memory_observation *o = &m->observations[i];
		ok &= isfinite(o->x_m) && isfinite(o->y_m) && isfinite(o->yaw_rad);
		clean(o->focus, sizeof(o->focus));
		clean(o->text, sizeof(o->text));
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

static void read_fields(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const struct field *f, void *base);

static void read_list(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const struct field *f, void *base)
{
	struct cairn_yaml_node *list = cairn_yaml_list(r, mapping, f->key, 0, f->cap, f->must);
	char *entry = (char *)base + f->offset;
	uint32_t *count = (uint32_t *)((char *)base + f->counter);
	for (struct cairn_yaml_node *n = list != NULL ? list->first : NULL; n != NULL && !r->failed;
	     n = n->next) {
		n->asked = true;
		if (f->kind == ITEMS)
			read_fields(r, n, f->fields, entry);
		else if (n->kind != CAIRN_YAML_TEXT || strlen(n->text) >= f->bytes)
			(void)cairn_yaml_fail(r, n, "a text of at most %zu bytes is expected", f->bytes - 1);
		else
			snprintf(entry, f->bytes, "%s", n->text);
		entry += f->bytes;
		++*count;
	}
}

static void read_text(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const struct field *f, char *ret)
{
	struct cairn_yaml_node *n = cairn_yaml_get(r, mapping, f->key, CAIRN_YAML_TEXT, f->must);
	if (n == NULL)
		return;
	if (strlen(n->text) >= f->bytes)
		(void)cairn_yaml_fail(r, n, "a text of at most %zu bytes is expected", f->bytes - 1);
	else
		snprintf(ret, f->bytes, "%s", n->text);
}

static void read_fields(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const struct field *f, void *base)
{
	for (; f->kind != END && !r->failed; f++) {
		char *at = (char *)base + f->offset;
		switch (f->kind) {
		case UINT32:
			*(uint32_t *)at = (uint32_t)cairn_yaml_uint(r, mapping, f->key, UINT32_MAX, f->must);
			break;
		case UINT64:
			*(uint64_t *)at = cairn_yaml_uint(r, mapping, f->key, UINT64_MAX, f->must);
			break;
		case INDEX:
			*(int32_t *)at = (int32_t)cairn_yaml_real(r, mapping, f->key, -1.0, INT32_MAX, NAN);
			break;
		case REAL:
			*(double *)at =
			    cairn_yaml_real(r, mapping, f->key, -INFINITY, INFINITY, f->must ? NAN : 0.0);
			break;
		case FLAG:
			*(bool *)at = cairn_yaml_flag(r, mapping, f->key, false);
			break;
		case TEXT:
			read_text(r, mapping, f, at);
			break;
		default:
			read_list(r, mapping, f, base);
		}
	}
}

static bool parse(const char *name, const char *text, size_t len, struct cairn_memory *memory,
    struct cairn_ledger *ledger, struct cairn_error *err)
{
	struct cairn_yaml_node *root = cairn_yaml_parse(text, len, name, err);
	if (root == NULL)
		return false;
	struct cairn_yaml_reader r = {.file = name, .err = err};
	struct {
		struct cairn_ledger ledger;
		struct cairn_memory memory;
	} *file = calloc(1, sizeof(*file));
	if (file == NULL)
		(void)cairn_yaml_fail(&r, root, "out of memory");
	uint64_t version = cairn_yaml_uint(&r, root, "version", UINT32_MAX, true);
	struct cairn_yaml_node *spent = cairn_yaml_get(&r, root, "ledger", CAIRN_YAML_MAPPING, true);
	if (!r.failed) {
		read_fields(&r, spent, ledger_fields, &file->ledger);
		read_fields(&r, root, memory_fields, &file->memory);
		(void)cairn_yaml_nothing_left(&r, root);
	}
	if (!r.failed && (version != FILE_VERSION || !sane(&file->memory) || !(file->ledger.cost_usd >= 0.0)))
		(void)cairn_yaml_fail(&r, root, "version or values out of range");
	if (!r.failed) {
		*memory = file->memory;
		*ledger = file->ledger;
	}
	free(file);
	cairn_yaml_destroy(&root);
	return !r.failed;
}

bool cairn_memory_read(struct cairn_memory *memory, struct cairn_ledger *ledger, const char *text,
    size_t count, struct cairn_error *err)
{
	cairn_memory_init(memory);
	*ledger = (struct cairn_ledger){0};
	return parse("memory", text, count, memory, ledger, err);
}

bool cairn_memory_load(
    struct cairn_memory *memory, struct cairn_ledger *ledger, const char *path, struct cairn_error *err)
{
	cairn_memory_init(memory);
	*ledger = (struct cairn_ledger){0};
	size_t len = 0;
	char *text = cairn_file_read(path, CAIRN_FILE_OWN, FILE_BYTES_MAX, &len, err);
	if (text == NULL)
		return errno == ENOENT;
	bool ok = parse(path, text, len, memory, ledger, err);
	free(text);
	return ok;
}
