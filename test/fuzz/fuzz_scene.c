/* The body of a scene file under a checksum that fits, and the whole file as it comes: what is read can be written, asked and shown. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"
#include "common/scene/scene.h"
#include "common/scene/scene_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static void try_it(struct cairn_scene *scene, const char *text, size_t bytes)
{
	static struct cairn_msg_scene m;
	struct cairn_error err = {""};
	struct cairn_scene_match match[4];
	struct cairn_scene_resolved way;
	char line[512];
	size_t again;
	if (!cairn_scene_read(scene, text, bytes, &err)) {
		if (err.text[0] == '\0')
			abort(); /* refused without a reason */
		return;
	}
	free(cairn_scene_write(scene, &again));
	(void)cairn_scene_recall(
	    scene, &(struct cairn_scene_query){.text = "mug", .with_stale = true}, match, 4);
	(void)cairn_scene_resolve(scene, "kitchen", (struct cairn_pose2){0.0, 0.0, 0.0}, &way);
	cairn_scene_message(scene, (struct cairn_pose2){0.0, 0.0, 0.0}, &m);
	cairn_scene_prompt_line(&m, "find the mug", 80, line, sizeof(line));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static struct cairn_config cfg;
	static struct cairn_scene *scene;
	if (scene == NULL) {
		cairn_config_defaults(&cfg);
		cfg.scene.objects_max = 64;
		scene = cairn_scene_new(&cfg);
	}
	char *text = malloc(count + 64);
	if (text == NULL || scene == NULL) {
		free(text);
		return 0;
	}
	uint64_t h = cairn_hash_bytes(CAIRN_HASH_START, data, count);
	int n = snprintf(text, 64, "{\"checksum\":\"%016" PRIx64 "\",\"scene\":", h);
	memcpy(text + n, data, count);
	memcpy(text + n + count, "}\n", 2);
	try_it(scene, text, (size_t)n + count + 2);
	memcpy(text, data, count);
	try_it(scene, text, count);
	free(text);
	return 0;
}
