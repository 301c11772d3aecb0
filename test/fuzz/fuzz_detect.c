/* Bytes of a detector helper: lines are found in them, answers read, turned into detections, and taken into a scene. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/percept/detect.h"
#include "common/percept/detect_wire.h"
#include "common/scene/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static struct cairn_config cfg;
static struct cairn_scene *scene;

static void on_line(const char *line, size_t len)
{
	static struct cairn_detected_list list;
	static struct cairn_msg_detections m;
	struct cairn_error err = {""};
	struct cairn_detector d;
	uint64_t look;
	if (!cairn_detect_read_answer(line, len, &list, &err)) {
		if (err.text[0] == '\0')
			abort(); /* refused without a reason */
		return;
	}
	int64_t now_ns = CAIRN_NS_PER_S;
	struct cairn_msg_pose pose = {.tracking = CAIRN_TRACKING_GOOD, .map_id = 1};
	cairn_detector_init(&d, &cfg);
	cairn_detector_on_pose(&d, &pose, now_ns);
	if (!cairn_detector_due(&d, now_ns, &look))
		abort();
	list.look = look;
	list.t_ns = now_ns;
	if (!cairn_detector_answer(&d, &list, now_ns, &m, &err))
		abort(); /* the question was asked, and there is a pose */
	for (uint32_t i = 0; i < m.items_count; i++)
		if (!isfinite(m.items[i].x_m) || m.items[i].label[0] == '\0')
			abort();
	cairn_scene_see(scene, &m, 1.0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static struct cairn_detect_lines lines;
	if (scene == NULL) {
		cairn_config_defaults(&cfg);
		cfg.scene.objects_max = 64;
		scene = cairn_scene_new(&cfg);
		if (scene == NULL)
			abort();
	}
	lines.len = 0;
	lines.skipping = false;
	for (size_t at = 0; at < count;) {
		const char *line;
		size_t len;
		at += cairn_detect_lines_take(&lines, (const char *)data + at, count - at, &line, &len);
		if (line != NULL)
			on_line(line, len);
	}
	return 0;
}
