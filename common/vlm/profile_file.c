/* profile_file.c - config/providers.yaml: a list of providers, each read key by key against the table. */
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/yaml.h"
#include "common/config/config_text.h"
#include "common/vlm/profile.h"

static const struct cairn_config_row *find_row(const char *key)
{
	for (int i = 0; i < cairn_profile_row_count; i++)
		if (strcmp(cairn_profile_rows[i].key, key) == 0)
			return &cairn_profile_rows[i];
	return NULL;
}

static bool take_key(struct cairn_yaml_reader *r, struct cairn_profile *ret, struct cairn_yaml_node *value)
{
	const struct cairn_config_row *row = find_row(value->key);
	struct cairn_error why = {""};
	if (row == NULL)
		return cairn_yaml_fail(r, value, "unknown key");
	if (value->kind != CAIRN_YAML_TEXT)
		return cairn_yaml_fail(r, value, "one plain value is expected");
	return cairn_config_assign_at(ret, row, value->text, &why) ||
	       cairn_yaml_fail(r, value, "%s", why.text);
}

static bool take_provider(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *provider, struct cairn_profiles *ret)
{
	struct cairn_profile *row = &ret->rows[ret->count];
	cairn_profile_defaults(row);
	row->name[0] = '\0';
	if (provider->kind != CAIRN_YAML_MAPPING)
		return cairn_yaml_fail(r, provider, "keys are expected below it, not a value");
	for (struct cairn_yaml_node *value = provider->first; value != NULL; value = value->next)
		if (!take_key(r, row, value))
			return false;
	const char *wrong = cairn_profile_wrong(row);
	if (wrong != NULL)
		return cairn_yaml_fail(r, provider, "provider '%s': %s", row->name, wrong);
	for (uint32_t k = 0; k < ret->count; k++)
		if (strcmp(ret->rows[k].name, row->name) == 0)
			return cairn_yaml_fail(r, provider, "provider '%s': given twice", row->name);
	ret->count++;
	return true;
}

bool cairn_profiles_load(struct cairn_profiles *ret, const char *path, struct cairn_error *err)
{
	struct cairn_yaml_node *root =
	    cairn_yaml_load(path, CAIRN_FILE_TEXT, CAIRN_CONFIG_FILE_BYTES_MAX, err);
	if (root == NULL)
		return false;
	struct cairn_yaml_reader r = {.file = path, .err = err};
	struct cairn_profiles *scratch = calloc(1, sizeof(*scratch));
	if (scratch == NULL)
		(void)cairn_yaml_fail(&r, root, "out of memory");
	for (struct cairn_yaml_node *n = root->first; n != NULL && n->key != NULL; n = n->next)
		if (strcmp(n->key, "providers") != 0)
			(void)cairn_yaml_fail(&r, n, "unknown key");
	struct cairn_yaml_node *list = cairn_yaml_list(&r, root, "providers", 1, CAIRN_PROFILES_MAX, true);
	for (struct cairn_yaml_node *n = list != NULL ? list->first : NULL; n != NULL && !r.failed;
	     n = n->next)
		(void)take_provider(&r, n, scratch);
	if (!r.failed)
		*ret = *scratch;
	free(scratch);
	cairn_yaml_destroy(&root);
	return !r.failed;
}
