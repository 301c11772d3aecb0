#include "common/percept/annotator_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/percept/call_policy.h"
#include "common/percept/text.h"
#include "ipc/topics.h"

#define PATH_MAX_AGE_NS (3 * CAIRN_NS_PER_S) /* it is sent once a second while there is one */

/* What the options of the pictures need, if any is on. */
static bool options_new(
    struct cairn_annotator *annotator, size_t picture_bytes, const char *font_file, struct cairn_error *err)
{
	if (cairn_snapshot_has_view(annotator->cfg)) {
		annotator->view = cairn_view_new(annotator->cfg, font_file, err);
		if (annotator->view == NULL)
			return false;
	}
	if (!cairn_overlay_wanted(annotator->cfg))
		return true;
	annotator->overlay = cairn_overlay_new(annotator->cfg, font_file, err);
	annotator->work = malloc(picture_bytes);
	if (annotator->overlay != NULL && annotator->work == NULL)
		cairn_error_set(err, "annotator: out of memory");
	return annotator->overlay != NULL && annotator->work != NULL;
}

struct cairn_annotator *cairn_annotator_new(const struct cairn_config *cfg, const char *font_file,
    uint64_t first_id, int64_t now_ns, struct cairn_error *err)
{
	struct cairn_annotator *annotator = calloc(1, sizeof(*annotator));
	if (annotator == NULL) {
		cairn_error_set(err, "annotator: out of memory");
		return NULL;
	}
	annotator->cfg = cfg;
	annotator->next_id = first_id;
	annotator->percept_params = cairn_percept_params_from_config(cfg);
	struct cairn_trigger_params triggers = cairn_trigger_params_from_config(cfg);
	cairn_triggers_init(&annotator->triggers, &triggers, now_ns);

	size_t bytes = (size_t)cfg->camera.width_px * (size_t)cfg->camera.height_px * 3;
	annotator->picture = malloc(bytes);
	annotator->seen = calloc(ANNOTATOR_GREYS_KEPT, sizeof(*annotator->seen));
	if (annotator->picture == NULL || annotator->seen == NULL) {
		cairn_error_set(err, "annotator: out of memory");
		cairn_annotator_destroy(&annotator);
		return NULL;
	}
	annotator->annotate = cairn_annotate_new(font_file, cfg->camera.width_px, cfg->camera.height_px, err);
	if (annotator->annotate == NULL || !options_new(annotator, bytes, font_file, err))
		cairn_annotator_destroy(&annotator);
	return annotator;
}

void cairn_annotator_destroy(struct cairn_annotator **annotator_p)
{
	struct cairn_annotator *annotator = *annotator_p;
	if (annotator == NULL)
		return;
	cairn_annotate_destroy(&annotator->annotate);
	cairn_overlay_destroy(&annotator->overlay);
	cairn_view_destroy(&annotator->view);
	free(annotator->picture);
	free(annotator->work);
	free(annotator->seen);
	free(annotator);
	*annotator_p = NULL;
}

const uint32_t *cairn_annotator_trigger_counts(const struct cairn_annotator *annotator)
{
	return annotator->triggers.counts;
}

enum cairn_trigger cairn_annotator_due(const struct cairn_annotator *annotator, int64_t now_ns)
{
	return cairn_triggers_due(
	    &annotator->triggers, annotator_fresh(annotator, CAIRN_TOPIC_SCAN, now_ns), now_ns);
}

/* The reading nearest in time to the picture, or NULL when there is none within reach. */
static const struct cairn_depth_reading *pair(
    const struct cairn_annotator *annotator, struct cairn_text_inputs *text)
{
	const struct cairn_depth_reading *best = NULL;
	int64_t apart_ns = INT64_MAX;
	for (uint32_t i = 0; i < ANNOTATOR_DEPTHS_KEPT && i < annotator->depth_count; i++) {
		int64_t d = llabs(annotator->depths[i].t_ns - annotator->t_rgb_ns);
		if (d < apart_ns) {
			apart_ns = d;
			best = &annotator->depths[i];
		}
	}
	text->camera = CAIRN_TEXT_CAMERA_FULL;
	if (best != NULL && apart_ns <= llround(annotator->cfg->percept.pair_limit_s * 1e9))
		return best;
	bool recent = best != NULL &&
		      apart_ns <= cairn_frame_topics[CAIRN_FRAME_CAMERA_DEPTH].max_age_ms * CAIRN_NS_PER_MS;
	text->camera = recent ? CAIRN_TEXT_CAMERA_UNPAIRED : CAIRN_TEXT_CAMERA_NO_DEPTH;
	text->pair_apart_s = (double)apart_ns * 1e-9;
	return NULL;
}

/* Where the robot was when the picture was taken; false while nobody has told. */
static bool pose_of_picture(const struct cairn_annotator *annotator, struct cairn_pose2 *ret)
{
	int64_t apart_ns = INT64_MAX;
	for (uint32_t i = 0; i < ANNOTATOR_POSES_KEPT && i < annotator->pose_count; i++) {
		int64_t d = llabs(annotator->poses[i].t_ns - annotator->t_rgb_ns);
		if (d < apart_ns) {
			apart_ns = d;
			*ret = annotator->poses[i].pose;
		}
	}
	return apart_ns <= cairn_topics[CAIRN_TOPIC_POSE].max_age_ms * CAIRN_NS_PER_MS;
}

/* The options' part of the picture, on the copy that they need. */
static void draw_overlay(struct cairn_annotator *annotator, const struct cairn_canvas *canvas,
    const struct cairn_depth_reading *depth, const struct cairn_text_inputs *in, int64_t now_ns,
    char legend[CAIRN_OVERLAY_LEGEND_CAP])
{
	struct cairn_pose2 pose;
	struct cairn_overlay_inputs overlay = {.pose = pose_of_picture(annotator, &pose) ? &pose : NULL,
	    .candidates =
		annotator_fresh(annotator, CAIRN_TOPIC_CANDIDATES, now_ns) ? &annotator->candidates : NULL,
	    .frontiers = in->frontiers,
	    .mission = in->mission,
	    .scan_fresh = in->percept != NULL,
	    .t_depth_ns = depth != NULL ? depth->t_ns : 0};
	cairn_overlay_draw(annotator->overlay, canvas, &overlay, legend);
}

/* Draws, compresses, and takes the drawing back, so that the next snapshot of the same picture starts anew;
 * NULL when there is no picture to show. */
static const uint8_t *make_jpeg(struct cairn_annotator *annotator, const struct cairn_depth_reading *depth,
    const struct cairn_text_inputs *in, int64_t now_ns, char legend[CAIRN_OVERLAY_LEGEND_CAP],
    size_t *ret_bytes)
{
	const struct cairn_config *cfg = annotator->cfg;
	struct cairn_canvas canvas = {
	    annotator->picture, cfg->camera.width_px, cfg->camera.height_px, cfg->camera.width_px * 3};
	if (annotator->overlay != NULL) {
		canvas.rgb = annotator->work;
		memcpy(annotator->work, annotator->picture,
		    (size_t)canvas.stride_bytes * (size_t)canvas.height_px);
		draw_overlay(annotator, &canvas, depth, in, now_ns, legend);
	}
	if (depth != NULL)
		cairn_annotate_depths(annotator->annotate, &canvas, depth);
	if (in->pose != NULL)
		cairn_annotate_heading(annotator->annotate, &canvas, in->pose->yaw_rad);
	const uint8_t *jpeg =
	    cairn_annotate_jpeg(annotator->annotate, &canvas, cfg->percept.jpeg_quality, ret_bytes, NULL);
	cairn_annotate_undo(annotator->annotate, &canvas);
	return jpeg;
}

static void fill_head(struct cairn_snapshot_head *head, const struct cairn_annotator *annotator,
    const struct cairn_text_inputs *in, int64_t now_ns)
{
	head->nearest_m = -1.0;
	for (int d = 0; d < CAIRN_DIRECTION_COUNT; d++)
		head->feasibility[d] = CAIRN_FEASIBILITY_MIN;
	if (in->percept != NULL) {
		head->t_scan_ns = annotator->t_ns[CAIRN_TOPIC_SCAN];
		head->nearest_m = in->percept->nearest_m;
		memcpy(head->sector_m, in->percept->sector_m, sizeof(head->sector_m));
		memcpy(head->feasibility, in->percept->feasibility, sizeof(head->feasibility));
	}
	if (in->pose != NULL) {
		head->t_pose_ns = annotator->t_ns[CAIRN_TOPIC_POSE];
		head->x_m = in->pose->x_m;
		head->y_m = in->pose->y_m;
		head->yaw_rad = in->pose->yaw_rad;
	}
	head->similarity = annotator_similarity(annotator, now_ns);
}

/* Pictures of a snapshot; NULL when there is none. */
struct parts {
	const uint8_t *jpeg, *view;
	size_t jpeg_bytes, view_bytes;
};

/* The camera's picture, when there is a fresh one. */
static void add_picture(struct cairn_annotator *a, struct cairn_text_inputs *in, int64_t now_ns,
    struct cairn_snapshot_head *head, char legend[CAIRN_OVERLAY_LEGEND_CAP], size_t room, struct parts *parts)
{
	if (!annotator_picture_fresh(a, now_ns))
		return;
	size_t bytes = 0;
	const struct cairn_depth_reading *depth = pair(a, in);
	const uint8_t *jpeg = make_jpeg(a, depth, in, now_ns, legend, &bytes);
	if (jpeg == NULL || bytes > room) {
		in->camera = CAIRN_TEXT_CAMERA_NONE;
		return;
	}
	parts->jpeg = jpeg;
	parts->jpeg_bytes = bytes;
	in->legend = legend;
	head->t_rgb_ns = a->t_rgb_ns;
	head->t_depth_ns = depth != NULL ? depth->t_ns : 0;
}

/* The picture from above, when it is wanted and there is something to show. */
static void add_view(
    struct cairn_annotator *a, struct cairn_text_inputs *in, int64_t now_ns, size_t room, struct parts *parts)
{
	if (a->view == NULL)
		return;
	int64_t map_ns = cairn_view_map_ns(a->view), path_ns = a->t_ns[CAIRN_TOPIC_NAV_PATH];
	struct cairn_pose2 pose;
	if (in->pose != NULL)
		pose = (struct cairn_pose2){in->pose->x_m, in->pose->y_m, in->pose->yaw_rad};
	struct cairn_view_inputs view = {
	    .map_fresh =
		map_ns != 0 &&
		now_ns - map_ns <= cairn_frame_topics[CAIRN_FRAME_MAP_GRID].max_age_ms * CAIRN_NS_PER_MS,
	    .scan_fresh = in->percept != NULL,
	    .pose = in->pose != NULL ? &pose : NULL,
	    .frontiers = in->frontiers,
	    .candidates = annotator_fresh(a, CAIRN_TOPIC_CANDIDATES, now_ns) ? &a->candidates : NULL,
	    .mission = in->mission,
	    .path = path_ns != 0 && now_ns - path_ns <= PATH_MAX_AGE_NS ? &a->path : NULL};
	struct cairn_view_picture picture;
	if (!cairn_view_draw(a->view, &view, &picture, NULL) || picture.bytes > room)
		return;
	parts->view = picture.jpeg;
	parts->view_bytes = picture.bytes;
}

size_t cairn_annotator_snapshot(struct cairn_annotator *annotator, enum cairn_trigger trigger, int64_t now_ns,
    void *buf, size_t capacity, struct cairn_error *err)
{
	struct cairn_annotator *a = annotator;
	const struct cairn_config_percept *cfg = &a->cfg->percept;
	struct cairn_text_inputs in = {
	    .percept = annotator_fresh(a, CAIRN_TOPIC_SCAN, now_ns) ? &a->percept : NULL,
	    .pose = annotator_fresh(a, CAIRN_TOPIC_POSE, now_ns) ? &a->pose : NULL,
	    .frontiers = annotator_fresh(a, CAIRN_TOPIC_FRONTIERS, now_ns) ? &a->frontiers : NULL,
	    .mission = annotator_fresh(a, CAIRN_TOPIC_MISSION, now_ns) ? &a->mission : NULL,
	    .imu = annotator_fresh(a, CAIRN_TOPIC_IMU, now_ns) ? &a->imu : NULL,
	    .battery = annotator_fresh(a, CAIRN_TOPIC_BATTERY, now_ns) ? &a->battery : NULL,
	    .battery_min = cairn_battery_minutes(&a->battery_pace,
		fmax(a->cfg->robot.battery_home_percent, a->cfg->robot.battery_stop_percent)),
	    .camera = CAIRN_TEXT_CAMERA_NONE,
	    .camera_yaw_rad = a->cfg->robot.camera_yaw_rad,
	};
	struct cairn_snapshot_head head = {
	    .snapshot_id = a->next_id, .trigger = (uint32_t)trigger, .version = CAIRN_SNAPSHOT_VERSION};
	if (capacity < sizeof(head) + CAIRN_TEXT_CAP) {
		cairn_error_set(err, "snapshot: %zu bytes are too few", capacity);
		return 0;
	}
	fill_head(&head, a, &in, now_ns);

	char legend[CAIRN_OVERLAY_LEGEND_CAP] = "";
	struct parts parts = {0};
	size_t room = capacity - sizeof(head) - CAIRN_TEXT_CAP;
	add_picture(a, &in, now_ns, &head, legend, room, &parts);
	add_view(a, &in, now_ns, room - parts.jpeg_bytes, &parts);
	head.image_needed = (parts.jpeg != NULL || parts.view != NULL) &&
			    cairn_call_policy_image_needed(cfg, head.similarity, head.nearest_m);
	uint8_t *out = buf;
	head.text_bytes = (uint32_t)cairn_text_write((char *)out + sizeof(head), CAIRN_TEXT_CAP, &in);
	head.jpeg_bytes = (uint32_t)parts.jpeg_bytes;
	head.view_bytes = (uint32_t)parts.view_bytes;
	memcpy(out, &head, sizeof(head));
	uint8_t *at = out + sizeof(head) + head.text_bytes;
	if (parts.jpeg != NULL)
		at = mempcpy(at, parts.jpeg, parts.jpeg_bytes);
	if (parts.view != NULL)
		at = mempcpy(at, parts.view, parts.view_bytes);
	if (head.image_needed && parts.jpeg != NULL)
		a->seen[a->seen_count++ % ANNOTATOR_GREYS_KEPT] =
		    (struct annotator_seen){head.snapshot_id, a->grey};
	a->next_id++;
	cairn_triggers_taken(&a->triggers, now_ns);
	return (size_t)(at - out);
}
