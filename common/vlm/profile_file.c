/* profile_file.c - config/providers.yaml: a list of providers, each read key by key against the table. */
#include <stdlib.h>
#include <string.h>

#include "common/config/config_list.h"
#include "common/vlm/profile.h"

static bool take_provider(void *ctx, struct cairn_yaml_reader *r, struct cairn_yaml_node *provider)
{
	struct cairn_profiles *ret = ctx;
	struct cairn_profile *row = &ret->rows[ret->count];
	cairn_profile_defaults(row);
	row->name[0] = '\0';
	if (!cairn_config_section_take(r, provider, cairn_profile_rows, cairn_profile_row_count, row))
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
	struct cairn_profiles *scratch = calloc(1, sizeof(*scratch));
	if (scratch == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	bool good =
	    cairn_config_list_load(path, "providers", CAIRN_PROFILES_MAX, take_provider, scratch, err);
	if (good)
		*ret = *scratch;
	free(scratch);
	return good;
}
