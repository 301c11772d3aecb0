/* config_file.c - configuration files: loaded by libcyaml, saved atomically.
 *
 * libcyaml has no defaults for keys that are missing and no ranges, and its messages go to a log. So a file
 * is read into an overlay, in which each key is text or absent; the values are then checked against the table
 * by the same code that serves --set, and what libcyaml logs is gathered into one line. */
#include <cyaml/cyaml.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/config/config_text.h"

/* ---- the overlay and its schema, from the table ---- */

#define SECTION(name, doc) struct overlay_##name {
#define REAL(section, key, def, min, max, doc) char *key;
#define INT(section, key, def, min, max, doc) char *key;
#define FLAG(section, key, def, doc) char *key;
#define TEXT(section, key, def, doc) char *key;
#define CHOICE(section, key, def, choices, doc) char *key;
#define END_SECTION(name)                                                                                    \
	}                                                                                                    \
	;
#include "common/config/config.def"

#define KEY(section, key)                                                                                    \
	CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct overlay_##section,     \
	    key, 0, CAIRN_CONFIG_FILE_BYTES_MAX),
#define SECTION(name, doc) static const cyaml_schema_field_t fields_##name[] = {
#define REAL(section, key, def, min, max, doc) KEY(section, key)
#define INT(section, key, def, min, max, doc) KEY(section, key)
#define FLAG(section, key, def, doc) KEY(section, key)
#define TEXT(section, key, def, doc) KEY(section, key)
#define CHOICE(section, key, def, choices, doc) KEY(section, key)
#define END_SECTION(name)                                                                                    \
	CYAML_FIELD_END                                                                                      \
	}                                                                                                    \
	;
#include "common/config/config.def"

struct overlay {
#define SECTION(name, doc) struct overlay_##name *name;
#include "common/config/config.def"
};

static const cyaml_schema_field_t section_fields[] = {
#define SECTION(name, doc)                                                                                   \
	CYAML_FIELD_MAPPING_PTR(                                                                             \
	    #name, CYAML_FLAG_POINTER_NULL | CYAML_FLAG_OPTIONAL, struct overlay, name, fields_##name),
#include "common/config/config.def"
    CYAML_FIELD_END};

static const cyaml_schema_value_t overlay_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct overlay, section_fields)};

/* ---- what libcyaml says ---- */

struct complaint {
	char reason[200];   /* its first message */
	char path[2][64];   /* innermost field first, as its backtrace goes */
	int depth;          /* fields in path */
	unsigned long line; /* of the event before the trouble; 0 = unknown */
};

/* libcyaml's log: an error message, then one line a level of nesting, innermost first. */
static void gather(cyaml_log_t level, void *ctx, const char *fmt, va_list args)
{
	(void)level;
	struct complaint *c = ctx;
	char text[512], field[64];
	unsigned long line = 0;
	vsnprintf(text, sizeof(text), fmt, args);
	text[strcspn(text, "\n")] = '\0';
	if (sscanf(text, " in mapping field '%63[^']' (line: %lu", field, &line) == 2) {
		if (c->depth < 2)
			snprintf(c->path[c->depth++], sizeof(c->path[0]), "%s", field);
	} else if (sscanf(text, " in mapping (line: %lu", &line) != 1 &&
		   strcmp(text, "Load: Backtrace:") != 0 && c->reason[0] == '\0') {
		const char *prefix = "Load: ";
		size_t skip = strncmp(text, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
		snprintf(c->reason, sizeof(c->reason), "%.*s", (int)sizeof(c->reason) - 1, text + skip);
	}
	if (c->line == 0)
		c->line = line;
}

/* ---- finding the line ---- */

/* True when the line starts, after its indentation, with this key and a colon. */
static bool line_has_key(const char *line, const char *key)
{
	size_t n = strlen(key);
	if (*line == '"' || *line == '\'')
		line++;
	if (strncmp(line, key, n) != 0)
		return false;
	line += n;
	if (*line == '"' || *line == '\'')
		line++;
	while (*line == ' ')
		line++;
	return *line == ':';
}

/* Line of the occurrence-th "key:" in section (of "section:" itself where key is NULL), or fallback. libcyaml
 * tells the place of the event before, which is often a line or a comment too early; files in flow style ({a:
 * 1}) get that. */
static unsigned long line_of(
    const char *text, const char *section, const char *key, int occurrence, unsigned long fallback)
{
	bool inside = false;
	unsigned long number = 1;
	for (const char *line = text; line != NULL; number++) {
		bool top = !isspace((unsigned char)*line) && *line != '#' && *line != '\0' && *line != '-';
		const char *start = line + strspn(line, " ");
		if (top)
			inside = line_has_key(start, section);
		bool match = key == NULL ? top && inside : !top && inside && line_has_key(start, key);
		if (match && --occurrence == 0)
			return number;
		const char *newline = strchr(line, '\n');
		line = newline != NULL ? newline + 1 : NULL;
	}
	return fallback;
}

/* Number of the first line indented with a tab, or 0. */
static unsigned long tab_line(const char *text)
{
	unsigned long number = 1;
	for (const char *line = text; line != NULL; number++) {
		if (line[strspn(line, " ")] == '\t')
			return number;
		const char *newline = strchr(line, '\n');
		line = newline != NULL ? newline + 1 : NULL;
	}
	return 0;
}

/* ---- loading ---- */

/* Writes "PATH: line N: section.key: reason" in err from what libcyaml said about text. */
static void explain(
    const char *path, const char *text, cyaml_err_t code, const struct complaint *c, struct cairn_error *err)
{
	static const char unexpected[] = "Unexpected key: ", seen[] = "Mapping field already seen: ";
	const char *section = c->depth > 0 ? c->path[c->depth - 1] : NULL;
	const char *key = c->depth > 1 ? c->path[0] : NULL;
	char hint[128] = "", where[160] = "";
	unsigned long line = c->line;

	if (code == CYAML_ERR_INVALID_KEY && strncmp(c->reason, unexpected, strlen(unexpected)) == 0) {
		const char *word = c->reason + strlen(unexpected);
		cairn_config_suggest(section, word, hint, sizeof(hint));
		line = section != NULL ? line_of(text, section, word, 1, line)
				       : line_of(text, word, NULL, 1, line);
		cairn_error_set(err, "%s: line %lu: %s%s%.80s: unknown %s%s", path, line,
		    section != NULL ? section : "", section != NULL ? "." : "", word,
		    section != NULL ? "key" : "section", hint);
		return;
	}
	if (section != NULL)
		snprintf(where, sizeof(where), "%s%s%s: ", section, key != NULL ? "." : "",
		    key != NULL ? key : "");
	if (strncmp(c->reason, seen, strlen(seen)) == 0) {
		line = line_of(text, section != NULL ? section : "", key, 2, line);
		cairn_error_set(err, "%s: line %lu: %sgiven twice", path, line, where);
	} else if (tab_line(text) != 0 && code == CYAML_ERR_LIBYAML_PARSER) {
		cairn_error_set(
		    err, "%s: line %lu: a tab in the indentation; YAML wants spaces", path, tab_line(text));
	} else if (code == CYAML_ERR_INVALID_VALUE && section == NULL) {
		cairn_error_set(
		    err, "%s: line 1: not a configuration: sections with keys are expected", path);
	} else if (code == CYAML_ERR_INVALID_VALUE) {
		line = line_of(text, section, key, 1, line);
		cairn_error_set(err, "%s: line %lu: %s%s", path, line, where,
		    key != NULL ? "one plain value is expected" : "keys are expected below it, not a value");
	} else if (code == CYAML_ERR_ALIAS) {
		cairn_error_set(err, "%s: line %lu: %saliases (*name) are not supported", path, line, where);
	} else if (code == CYAML_ERR_INTERNAL_ERROR && c->reason[0] == '\0') {
		/* libcyaml's word for a key that is itself a list or a mapping. */
		cairn_error_set(
		    err, "%s: line %lu or the next: a key must be a plain word", path, line > 0 ? line : 1);
	} else if (code == CYAML_ERR_LIBYAML_PARSER) {
		const char *colon = strstr(c->reason, "libyaml: ");
		cairn_error_set(err, "%s: line %lu or the next: not YAML: %s", path, line > 0 ? line : 1,
		    colon != NULL ? colon + strlen("libyaml: ") : c->reason);
	} else {
		cairn_error_set(err, "%s: line %lu: %snot understood: %s", path, line > 0 ? line : 1, where,
		    c->reason[0] != '\0' ? c->reason : cyaml_strerror(code));
	}
}

/* The text of each row's key, NULL where the file does not have it; borrowed from the overlay. */
static void overlay_texts(const struct overlay *overlay, const char **texts)
{
#define KEY_TEXT(section, key) *texts++ = overlay->section != NULL ? overlay->section->key : NULL;
#define REAL(section, key, def, min, max, doc) KEY_TEXT(section, key)
#define INT(section, key, def, min, max, doc) KEY_TEXT(section, key)
#define FLAG(section, key, def, doc) KEY_TEXT(section, key)
#define TEXT(section, key, def, doc) KEY_TEXT(section, key)
#define CHOICE(section, key, def, choices, doc) KEY_TEXT(section, key)
#include "common/config/config.def"
}

static bool apply(struct cairn_config *cfg, const struct overlay *overlay, const char *path, const char *text,
    struct cairn_error *err)
{
	const char **texts = calloc((size_t)cairn_config_row_count, sizeof(*texts));
	bool ok = texts != NULL;
	if (ok)
		overlay_texts(overlay, texts);
	else
		cairn_error_set(err, "%s: out of memory", path);
	for (int i = 0; ok && i < cairn_config_row_count; i++) {
		const struct cairn_config_row *row = &cairn_config_rows[i];
		struct cairn_error reason = {""};
		ok = texts[i] == NULL || cairn_config_assign(cfg, row, texts[i], &reason);
		if (ok)
			continue;
		unsigned long line = line_of(text, row->section, row->key, 1, 0);
		char where[32] = "";
		if (line > 0)
			snprintf(where, sizeof(where), "line %lu: ", line);
		cairn_error_set(err, "%s: %s%s.%s: %s", path, where, row->section, row->key, reason.text);
	}
	free(texts);
	return ok;
}

bool cairn_config_load(struct cairn_config *cfg, const char *path, struct cairn_error *err)
{
	size_t bytes = 0;
	char *text = cairn_file_read(path, CAIRN_FILE_TEXT, CAIRN_CONFIG_FILE_BYTES_MAX, &bytes, err);
	if (text == NULL)
		return false;
	struct complaint complaint = {.line = 0};
	const cyaml_config_t how = {.log_fn = gather,
	    .log_ctx = &complaint,
	    .mem_fn = cyaml_mem,
	    .log_level = CYAML_LOG_WARNING,
	    .flags = CYAML_CFG_NO_ALIAS};
	struct overlay *overlay = NULL;
	struct cairn_config scratch = *cfg;
	bool ok = false;
	cyaml_err_t code = cyaml_load_data(
	    (const uint8_t *)text, bytes, &how, &overlay_schema, (cyaml_data_t **)(void *)&overlay, NULL);
	if (code != CYAML_OK) {
		explain(path, text, code, &complaint, err);
	} else if (complaint.reason[0] != '\0') {
		/* A warning: documents after the first one are being ignored. Nothing is ignored in silence
		 * here. */
		cairn_error_set(err, "%s: more than one YAML document (a line '---' in the middle)", path);
	} else {
		ok = overlay == NULL || apply(&scratch, overlay, path, text, err);
	}
	if (ok)
		*cfg = scratch;
	cyaml_free(&how, &overlay_schema, overlay, 0);
	free(text);
	return ok;
}

/* ---- saving ---- */

static void write_rows(const struct cairn_config *cfg, FILE *file)
{
	char value[CAIRN_CONFIG_TEXT_CAP];
	int section = 0;
	for (int i = 0; i < cairn_config_row_count; i++) {
		const struct cairn_config_row *row = &cairn_config_rows[i];
		if (i == 0 || strcmp(row->section, cairn_config_rows[i - 1].section) != 0) {
			fprintf(file, "%s%s: # %s\n", i > 0 ? "\n" : "", row->section,
			    cairn_config_sections[section].doc);
			section++;
		}
		cairn_config_value_text(cfg, row, value, sizeof(value));
		fprintf(file, "  %s: ", row->key);
		if (row->kind != CAIRN_CONFIG_TEXT) {
			fputs(value, file);
		} else {
			fputc('"', file);
			for (const char *p = value; *p != '\0'; p++)
				fprintf(file, "%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p);
			fputc('"', file);
		}
		fprintf(file, " # %s", row->doc);
		if (row->kind == CAIRN_CONFIG_CHOICE)
			fprintf(file, " (%s)", row->choices);
		else if (row->kind == CAIRN_CONFIG_REAL || row->kind == CAIRN_CONFIG_INT)
			fprintf(file, " (%.10g..%.10g)", row->min, row->max);
		fputc('\n', file);
	}
}

bool cairn_config_save(const struct cairn_config *cfg, const char *path, struct cairn_error *err)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *file = open_memstream(&text, &bytes);
	if (file != NULL)
		write_rows(cfg, file);
	bool ok = file != NULL && fclose(file) == 0;
	if (!ok)
		cairn_error_set(err, "%s: out of memory", path);
	ok = ok && cairn_file_replace(path, 0, 0644, text, bytes, err);
	free(text);
	return ok;
}
