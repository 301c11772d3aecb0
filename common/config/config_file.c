/* config_file.c - configuration files: read key by key against the table, saved atomically. */
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/yaml.h"
#include "common/config/config_text.h"

/* ---- loading ---- */

static bool known_section(const char *name)
{
	for (int i = 0; i < cairn_config_section_count; i++)
		if (strcmp(cairn_config_sections[i].name, name) == 0)
			return true;
	return false;
}

static bool take_key(
    struct cairn_yaml_reader *r, struct cairn_config *cfg, const char *section, struct cairn_yaml_node *value)
{
	const struct cairn_config_row *row = cairn_config_find(section, value->key);
	struct cairn_error why = {""};
	if (row == NULL) {
		char hint[128];
		cairn_config_suggest(section, value->key, hint, sizeof(hint));
		return cairn_yaml_fail(r, value, "unknown key%s", hint);
	}
	if (value->kind != CAIRN_YAML_TEXT)
		return cairn_yaml_fail(r, value, "one plain value is expected");
	return cairn_config_assign(cfg, row, value->text, &why) || cairn_yaml_fail(r, value, "%s", why.text);
}

static bool take_section(
    struct cairn_yaml_reader *r, struct cairn_config *cfg, struct cairn_yaml_node *root, const char *name)
{
	struct cairn_yaml_node *section = cairn_yaml_get(r, root, name, CAIRN_YAML_MAPPING, true);
	if (section == NULL)
		return false;
	for (struct cairn_yaml_node *value = section->first; value != NULL; value = value->next)
		if (!take_key(r, cfg, name, value))
			return false;
	return true;
}

bool cairn_config_load(struct cairn_config *cfg, const char *path, struct cairn_error *err)
{
	struct cairn_yaml_node *root =
	    cairn_yaml_load(path, CAIRN_FILE_TEXT, CAIRN_CONFIG_FILE_BYTES_MAX, err);
	if (root == NULL)
		return false;
	struct cairn_yaml_reader r = {.file = path, .err = err};
	struct cairn_config scratch = *cfg;
	if (root->kind != CAIRN_YAML_MAPPING)
		(void)cairn_yaml_fail(&r, root, "not a configuration: sections with keys are expected");
	for (struct cairn_yaml_node *n = root->first; n != NULL && !r.failed; n = n->next) {
		char hint[128];
		if (known_section(n->key)) {
			(void)take_section(&r, &scratch, root, n->key);
			continue;
		}
		cairn_config_suggest(NULL, n->key, hint, sizeof(hint));
		(void)cairn_yaml_fail(&r, n, "unknown section%s", hint);
	}
	cairn_yaml_destroy(&root);
	if (!r.failed)
		*cfg = scratch;
	return !r.failed;
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
		for (int k = 0; row->words != NULL && row->words[k] != NULL; k++)
			fprintf(file, "%s%s%s", k == 0 ? " (" : "|", row->words[k],
			    row->words[k + 1] == NULL ? ")" : "");
		if (row->kind == CAIRN_CONFIG_REAL || row->kind == CAIRN_CONFIG_INT)
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
