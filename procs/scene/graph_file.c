/* graph_file.c - the graph in RUN/state/scene.json, whole or not at all, and the one that it begins with. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/scene/scene_file.h"
#include "procs/scene/scene_stage.h"

int graph_checkpoint(void *ctx)
{
	struct scene_stage *s = ctx;
	struct cairn_error err = {""};
	uint64_t version = cairn_scene_version(s->core);
	if (version == s->saved_version)
		return 0;
	bool ok = cairn_scene_save(s->core, s->path, &err);
	cairn_stage_tried(s->stage, "save the scene", ok ? NULL : err.text);
	if (ok)
		s->saved_version = version;
	return 0;
}

static uint32_t things_of(const struct scene_stage *s)
{
	const struct cairn_scene_object *objects;
	return cairn_scene_objects(s->core, &objects);
}

/* Somebody else's graph: one that cannot be used stays where it is. */
static void begin_with(struct scene_stage *s, const char *path)
{
	struct cairn_error err = {""};
	bool damaged;
	if (access(path, F_OK) != 0)
		cairn_log_error(
		    "scene.start_file: %s: %s; beginning with an empty scene", path, strerror(errno));
	else if (!cairn_scene_load(s->core, path, &damaged, &err))
		cairn_log_error("scene.start_file: %s; beginning with an empty scene", err.text);
	else
		cairn_log_info("beginning with %s: %u things", path, things_of(s));
}

void graph_recall(struct scene_stage *s)
{
	struct cairn_error err = {""};
	const char *start = s->cfg->scene.start_file;
	bool damaged;
	cairn_stage_state_path(s->stage, CAIRN_SCENE_FILE_NAME, s->path, sizeof(s->path));
	bool first = access(s->path, F_OK) != 0;
	if (!cairn_scene_load(s->core, s->path, &damaged, &err)) {
		cairn_stage_put_aside(s->path, err.text, "an empty scene");
		return;
	}
	s->saved_version = cairn_scene_version(s->core);
	if (first && start[0] != '\0')
		begin_with(s, start);
	else if (things_of(s) > 0)
		cairn_log_info("going on with %s: %u things", s->path, things_of(s));
}
