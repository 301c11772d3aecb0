#include "common/config/config_list.h"

#include <string.h>

#include "common/base/file.h"
#include "common/config/config_text.h"

static bool take_key(struct cairn_yaml_reader *r, struct cairn_yaml_node *value,
    const struct cairn_config_row *rows, int row_count, void *base)
{
	struct cairn_error why = {""};
	int i = 0;
	while (i < row_count && strcmp(rows[i].key, value->key) != 0)
		i++;
	if (i == row_count)
		return cairn_yaml_fail(r, value, "unknown key");
	if (value->kind != CAIRN_YAML_TEXT)
		return cairn_yaml_fail(r, value, "one plain value is expected");
	return cairn_config_assign_at(base, &rows[i], value->text, &why) ||
	       cairn_yaml_fail(r, value, "%s", why.text);
}

bool cairn_config_section_take(struct cairn_yaml_reader *r, struct cairn_yaml_node *section,
    const struct cairn_config_row *rows, int row_count, void *base)
{
	if (section->kind != CAIRN_YAML_MAPPING)
		return cairn_yaml_fail(r, section, "keys are expected below it, not a value");
	for (struct cairn_yaml_node *value = section->first; value != NULL; value = value->next)
		if (!take_key(r, value, rows, row_count, base))
			return false;
	return true;
}

bool cairn_config_list_load(const char *path, const char *name, uint32_t max, cairn_config_section_fn *take,
    void *ctx, struct cairn_error *err)
{
	struct cairn_yaml_node *root =
	    cairn_yaml_load(path, CAIRN_FILE_TEXT, CAIRN_CONFIG_FILE_BYTES_MAX, err);
	if (root == NULL)
		return false;
	struct cairn_yaml_reader r = {.file = path, .err = err};
	for (struct cairn_yaml_node *n = root->first; n != NULL && n->key != NULL; n = n->next)
		if (strcmp(n->key, name) != 0)
			(void)cairn_yaml_fail(&r, n, "unknown key");
	struct cairn_yaml_node *list = cairn_yaml_list(&r, root, name, 1, max, true);
	for (struct cairn_yaml_node *n = list != NULL ? list->first : NULL; n != NULL && !r.failed;
	     n = n->next)
		(void)take(ctx, &r, n);
	cairn_yaml_destroy(&root);
	return !r.failed;
}
