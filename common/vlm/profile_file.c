/* profile_file.c - config/providers.yaml, loaded by libcyaml like the configuration: into an overlay where
 * each key is text or absent, then checked against the table. */
#include <cyaml/cyaml.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/config/config_text.h"
#include "common/vlm/profile.h"

struct overlay_row {
#define REAL(key, def, min, max, doc) char *key;
#define INT(key, def, min, max, doc) char *key;
#define FLAG(key, def, doc) char *key;
#define TEXT(key, def, doc) char *key;
#define CHOICE(key, def, choices, doc) char *key;
#include "common/vlm/profile.def"
};

struct overlay {
	struct overlay_row *rows;
	unsigned count;
};

#define KEY(key)                                                                                             \
	CYAML_FIELD_STRING_PTR(                                                                              \
	    #key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct overlay_row, key, 0, 65536),
#define REAL(key, def, min, max, doc) KEY(key)
#define INT(key, def, min, max, doc) KEY(key)
#define FLAG(key, def, doc) KEY(key)
#define TEXT(key, def, doc) KEY(key)
#define CHOICE(key, def, choices, doc) KEY(key)
static const cyaml_schema_field_t row_fields[] = {
#include "common/vlm/profile.def"
    CYAML_FIELD_END};

static const cyaml_schema_value_t row_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct overlay_row, row_fields)};
static const cyaml_schema_field_t file_fields[] = {
    CYAML_FIELD_SEQUENCE_COUNT(
	"providers", CYAML_FLAG_POINTER, struct overlay, rows, count, &row_schema, 1, CAIRN_PROFILES_MAX),
    CYAML_FIELD_END};
static const cyaml_schema_value_t file_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct overlay, file_fields)};

/* What libcyaml logs: an error, then one line a level of nesting, innermost first. */
struct complaint {
	char reason[200], key[64];
	int entry; /* -1: unknown */
	unsigned long line;
};

static void gather(cyaml_log_t level, void *ctx, const char *fmt, va_list args)
{
	(void)level;
	struct complaint *c = ctx;
	char text[512], field[64];
	unsigned long line = 0;
	int entry;
	vsnprintf(text, sizeof(text), fmt, args);
	text[strcspn(text, "\n")] = '\0';
	if (sscanf(text, " in mapping field '%63[^']' (line: %lu", field, &line) == 2) {
		if (c->key[0] == '\0' && strcmp(field, "providers") != 0)
			memcpy(c->key, field, sizeof(field));
	} else if (sscanf(text, " in sequence entry '%d' (line: %lu", &entry, &line) == 2) {
		c->entry = entry;
	} else if (sscanf(text, " in mapping (line: %lu", &line) != 1 &&
		   strcmp(text, "Load: Backtrace:") != 0 && c->reason[0] == '\0') {
		size_t skip = strncmp(text, "Load: ", 6) == 0 ? 6 : 0;
		snprintf(c->reason, sizeof(c->reason), "%.190s", text + skip);
	}
	if (c->line == 0)
		c->line = line;
}

static void explain(const char *path, cyaml_err_t code, const struct complaint *c, struct cairn_error *err)
{
	static const char unexpected[] = "Unexpected key: ";
	char where[96] = "";
	if (c->entry > 0) /* libcyaml counts from one */
		snprintf(where, sizeof(where), "providers[%d]%s%s: ", c->entry - 1,
		    c->key[0] != '\0' ? "." : "", c->key);
	if (strncmp(c->reason, unexpected, sizeof(unexpected) - 1) == 0)
		cairn_error_set(err, "%s: line %lu or the next: %sunknown key '%.60s'", path, c->line, where,
		    c->reason + sizeof(unexpected) - 1);
	else
		cairn_error_set(err, "%s: line %lu or the next: %s%s", path, c->line > 0 ? c->line : 1, where,
		    c->reason[0] != '\0' ? c->reason : cyaml_strerror(code));
}

/* ---- checking ---- */

static void row_texts(const struct overlay_row *row, const char **texts)
{
#define REAL(key, def, min, max, doc) *texts++ = row->key;
#define INT(key, def, min, max, doc) *texts++ = row->key;
#define FLAG(key, def, doc) *texts++ = row->key;
#define TEXT(key, def, doc) *texts++ = row->key;
#define CHOICE(key, def, choices, doc) *texts++ = row->key;
#include "common/vlm/profile.def"
}

static bool take_row(const struct overlay_row *row, int index, struct cairn_profile *ret, const char *path,
    struct cairn_error *err)
{
	const char *texts[sizeof(struct overlay_row) / sizeof(char *)];
	char label[64];
	row_texts(row, texts);
	cairn_profile_defaults(ret);
	ret->name[0] = '\0';
	snprintf(label, sizeof(label), "%.40s", row->name != NULL ? row->name : "");
	if (row->name == NULL)
		snprintf(label, sizeof(label), "providers[%d]", index);
	for (int i = 0; i < cairn_profile_row_count; i++) {
		struct cairn_error why = {""};
		if (texts[i] == NULL || cairn_config_assign_at(ret, &cairn_profile_rows[i], texts[i], &why))
			continue;
		cairn_error_set(err, "%s: %s.%s: %s", path, label, cairn_profile_rows[i].key, why.text);
		return false;
	}
	const char *wrong = cairn_profile_wrong(ret);
	if (wrong != NULL)
		cairn_error_set(err, "%s: %s.%s", path, label, wrong);
	return wrong == NULL;
}

static bool take_rows(
    const struct overlay *overlay, struct cairn_profiles *ret, const char *path, struct cairn_error *err)
{
	ret->count = 0;
	for (unsigned i = 0; i < overlay->count; i++) {
		struct cairn_profile *row = &ret->rows[i];
		if (!take_row(&overlay->rows[i], (int)i, row, path, err))
			return false;
		for (unsigned k = 0; k < i; k++) {
			if (strcmp(ret->rows[k].name, row->name) == 0) {
				cairn_error_set(err, "%s: %s: given twice", path, row->name);
				return false;
			}
		}
		ret->count++;
	}
	return true;
}

bool cairn_profiles_load(struct cairn_profiles *ret, const char *path, struct cairn_error *err)
{
	size_t bytes = 0;
	char *text = cairn_file_read(path, CAIRN_FILE_TEXT, CAIRN_CONFIG_FILE_BYTES_MAX, &bytes, err);
	if (text == NULL)
		return false;
	struct complaint complaint = {.entry = -1};
	const cyaml_config_t how = {.log_fn = gather,
	    .log_ctx = &complaint,
	    .mem_fn = cyaml_mem,
	    .log_level = CYAML_LOG_WARNING,
	    .flags = CYAML_CFG_NO_ALIAS};
	struct overlay *overlay = NULL;
	struct cairn_profiles *scratch = calloc(1, sizeof(*scratch));
	cyaml_err_t code = cyaml_load_data(
	    (const uint8_t *)text, bytes, &how, &file_schema, (cyaml_data_t **)(void *)&overlay, NULL);
	bool ok = false;
	if (code != CYAML_OK || overlay == NULL || complaint.reason[0] != '\0')
		explain(path, code, &complaint, err);
	else if (scratch == NULL)
		cairn_error_set(err, "%s: out of memory", path);
	else
		ok = take_rows(overlay, scratch, path, err);
	if (ok)
		*ret = *scratch;
	cyaml_free(&how, &file_schema, overlay, 0);
	free(scratch);
	free(text);
	return ok;
}
