/* config_layers.c - the layers of configuration, laid over each other in their order. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/config/config.h"

/* What stands above the robot's file. */
static bool lay_upper(
    struct cairn_config *cfg, const struct cairn_config_layers *layers, struct cairn_error *err)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/config/cairn.yaml", layers->share_dir);
	if (!cairn_config_load(cfg, path, err))
		return false;
	for (int i = 0; i < layers->file_count; i++) {
		if (!cairn_config_load(cfg, layers->files[i], err))
			return false;
	}
	for (int i = 0; i < layers->set_count; i++) {
		if (!cairn_config_set(cfg, layers->sets[i], "--set", err))
			return false;
	}
	return true;
}

bool cairn_config_merge(
    struct cairn_config *cfg, const struct cairn_config_layers *layers, struct cairn_error *err)
{
	struct cairn_config merged;
	cairn_config_defaults(&merged);
	if (!lay_upper(&merged, layers, err))
		return false;
	/* The robot's name is known only now, and its file lies below the others: once more from the bottom.
	 */
	char name[CAIRN_CONFIG_TEXT_CAP], path[4096];
	memcpy(name, merged.robot.name, sizeof(name));
	if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL) {
		cairn_error_set(err, "robot.name: '%s' cannot be the name of a file in config/robots", name);
		return false;
	}
	snprintf(path, sizeof(path), "%s/config/robots/%s.yaml", layers->share_dir, name);
	if (access(path, F_OK) != 0) {
		cairn_error_set(err, "robot.name: there is no %s", path);
		return false;
	}
	cairn_config_defaults(&merged);
	if (!cairn_config_load(&merged, path, err) || !lay_upper(&merged, layers, err))
		return false;
	*cfg = merged;
	return true;
}
