/* kept.c - what the agent keeps in RUN/state: its episode and the picture of the map; and the pictures of the house, which are another's. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "procs/agent/agent_stage.h"

#define PICTURE_BYTES_MAX (4u << 20)

static bool load_picture(void *ctx, uint64_t number, const uint8_t **ret_jpeg, size_t *ret_bytes)
{
	struct agent_stage *a = ctx;
	char path[500];
	struct cairn_error err = {""};
	free(a->picture);
	snprintf(
	    path, sizeof(path), "%s/state/views/%06" PRIu64 ".jpg", cairn_stage_run_dir(a->stage), number);
	a->picture = cairn_file_read(path, CAIRN_FILE_OWN, PICTURE_BYTES_MAX, ret_bytes, &err);
	*ret_jpeg = (const uint8_t *)a->picture;
	return a->picture != NULL;
}

void kept_map(struct agent_stage *a)
{
	uint32_t number;
	size_t bytes;
	struct cairn_error err = {""};
	const uint8_t *jpeg = cairn_agent_map(a->core, &number, &bytes);
	if (number == a->map_number)
		return;
	bool ok = jpeg != NULL ? cairn_file_replace(a->map_path, 0, 0644, jpeg, bytes, &err)
			       : unlink(a->map_path) == 0 || errno == ENOENT;
	cairn_stage_tried(a->stage, "keep the picture of the map", ok ? NULL : err.text);
	a->map_number = number;
}

int kept_save(void *ctx)
{
	struct agent_stage *a = ctx;
	struct cairn_error err = {""};
	if (!cairn_agent_save(a->core, &a->file))
		return 0;
	bool ok = cairn_file_replace(a->path, 0, 0644, a->file.data, a->file.len, &err);
	cairn_stage_tried(a->stage, "save the episode", ok ? NULL : err.text);
	return 0;
}

void kept_recall(struct agent_stage *a)
{
	struct cairn_error err = {""};
	size_t bytes = 0;
	cairn_stage_state_path(a->stage, CAIRN_AGENT_FILE_NAME, a->path, sizeof(a->path));
	cairn_stage_state_path(a->stage, CAIRN_AGENT_MAP_NAME, a->map_path, sizeof(a->map_path));
	(void)unlink(a->map_path); /* of a task before */
	char *text = cairn_file_read(a->path, CAIRN_FILE_OWN, CAIRN_AGENT_FILE_BYTES_MAX, &bytes, &err);
	bool missing = text == NULL && errno == ENOENT;
	if (text != NULL && cairn_agent_load(a->core, text, bytes, &err))
		cairn_log_info("goes on with %s", a->path);
	else if (!missing)
		cairn_stage_put_aside(a->path, err.text, "no episode");
	free(text);
	if (a->cfg->agent.use_pictures)
		cairn_agent_on_picture(a->core, load_picture, a);
}
