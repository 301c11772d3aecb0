/* annotator_input.c - what comes into the annotator: messages, pictures, the map. */
#include <math.h>
#include <string.h>

#include "common/percept/annotator_private.h"
#include "ipc/topics.h"

bool annotator_fresh(const struct cairn_annotator *a, enum cairn_topic topic, int64_t now_ns)
{
	return a->t_ns[topic] != 0 && cairn_topic_fresh(topic, a->t_ns[topic], now_ns);
}

bool annotator_picture_fresh(const struct cairn_annotator *annotator, int64_t now_ns)
{
	int64_t limit_ns = cairn_frame_topics[CAIRN_FRAME_CAMERA_RGB].max_age_ms * CAIRN_NS_PER_MS;
	return annotator->t_rgb_ns != 0 && now_ns - annotator->t_rgb_ns <= limit_ns;
}

double annotator_similarity(const struct cairn_annotator *annotator, int64_t now_ns)
{
	if (!annotator->have_reference || !annotator_picture_fresh(annotator, now_ns))
		return 0.0;
	return cairn_grey_similarity(&annotator->grey, &annotator->reference);
}

bool cairn_annotator_on_scan(struct cairn_annotator *annotator, const struct cairn_msg_scan *scan,
    int64_t t_ns, int64_t now_ns, struct cairn_msg_percept *ret)
{
	struct cairn_msg_percept percept;
	if (!cairn_percept_from_scan(&percept, scan, &annotator->percept_params))
		return false;
	if (annotator->overlay != NULL)
		cairn_overlay_on_scan(annotator->overlay, scan);
	if (annotator->view != NULL)
		cairn_view_on_scan(annotator->view, scan);
	percept.similarity = annotator_similarity(annotator, now_ns);
	annotator->percept = percept;
	annotator->t_ns[CAIRN_TOPIC_SCAN] = t_ns;
	cairn_triggers_on_scene(&annotator->triggers, &percept,
	    annotator_fresh(annotator, CAIRN_TOPIC_POSE, now_ns) ? &annotator->pose : NULL, now_ns);
	*ret = percept;
	return true;
}

bool cairn_annotator_on_pose(
    struct cairn_annotator *annotator, const struct cairn_msg_pose *pose, int64_t t_ns)
{
	if (!isfinite(pose->x_m) || !isfinite(pose->y_m) || !isfinite(pose->yaw_rad) ||
	    !isfinite(pose->distance_m))
		return false;
	annotator->pose = *pose;
	uint32_t slot = annotator->pose_count++ % ANNOTATOR_POSES_KEPT;
	annotator->poses[slot].t_ns = t_ns;
	annotator->poses[slot].pose = (struct cairn_pose2){pose->x_m, pose->y_m, pose->yaw_rad};
	annotator->t_ns[CAIRN_TOPIC_POSE] = t_ns;
	if (annotator->view != NULL)
		cairn_view_on_pose(annotator->view, pose->x_m, pose->y_m);
	return true;
}

void cairn_annotator_on_frontiers(
    struct cairn_annotator *annotator, const struct cairn_msg_frontiers *frontiers, int64_t t_ns)
{
	annotator->frontiers = *frontiers;
	annotator->t_ns[CAIRN_TOPIC_FRONTIERS] = t_ns;
}

void cairn_annotator_on_imu(struct cairn_annotator *annotator, const struct cairn_msg_imu *imu, int64_t t_ns)
{
	annotator->imu = *imu;
	annotator->t_ns[CAIRN_TOPIC_IMU] = t_ns;
}

void cairn_annotator_on_battery(
    struct cairn_annotator *annotator, const struct cairn_msg_battery *battery, int64_t t_ns)
{
	annotator->battery = *battery;
	cairn_battery_pace_take(&annotator->battery_pace, battery->percent, t_ns);
	annotator->t_ns[CAIRN_TOPIC_BATTERY] = t_ns;
}

void cairn_annotator_on_mission(
    struct cairn_annotator *annotator, const struct cairn_msg_mission *mission, int64_t t_ns)
{
	annotator->mission = *mission;
	annotator->t_ns[CAIRN_TOPIC_MISSION] = t_ns;
	cairn_triggers_on_mission(&annotator->triggers, mission, t_ns);
}

void cairn_annotator_on_path(
    struct cairn_annotator *annotator, const struct cairn_msg_nav_path *path, int64_t t_ns)
{
	annotator->path = *path;
	annotator->t_ns[CAIRN_TOPIC_NAV_PATH] = t_ns;
}

void cairn_annotator_on_candidates(
    struct cairn_annotator *annotator, const struct cairn_msg_candidates *candidates, int64_t t_ns)
{
	annotator->candidates = *candidates;
	annotator->t_ns[CAIRN_TOPIC_CANDIDATES] = t_ns;
}

void cairn_annotator_on_result(
    struct cairn_annotator *annotator, const struct cairn_msg_result *result, int64_t now_ns)
{
	cairn_triggers_on_result(&annotator->triggers, result, now_ns);
}

void cairn_annotator_on_local(
    struct cairn_annotator *annotator, const struct cairn_msg_local *local, int64_t t_ns)
{
	cairn_triggers_on_local(&annotator->triggers, local, t_ns);
}

void cairn_annotator_on_decision(struct cairn_annotator *annotator, const struct cairn_msg_decision *decision)
{
	if (isfinite(decision->snapshot_x_m) && isfinite(decision->snapshot_y_m))
		cairn_triggers_on_decision(&annotator->triggers,
		    (struct cairn_vec2){decision->snapshot_x_m, decision->snapshot_y_m});
	for (uint32_t i = 0; i < ANNOTATOR_GREYS_KEPT && i < annotator->seen_count; i++) {
		if (annotator->seen[i].snapshot_id == decision->snapshot_id) {
			annotator->reference = annotator->seen[i].grey;
			annotator->have_reference = true;
		}
	}
}

static bool frame_fits(const struct cairn_annotator *annotator, const struct cairn_frame_header *hdr,
    enum cairn_frame_format format, uint32_t pixel_bytes, struct cairn_error *err)
{
	uint32_t width = (uint32_t)annotator->cfg->camera.width_px,
		 height = (uint32_t)annotator->cfg->camera.height_px;
	if (hdr->t_ns <= 0) {
		cairn_error_set(err, "frame without a stamp");
		return false;
	}
	if (hdr->format != format) {
		cairn_error_set(err, "frame of format %u instead of %u", hdr->format, (unsigned)format);
		return false;
	}
	if (hdr->width != width || hdr->height != height || hdr->stride_bytes < width * pixel_bytes ||
	    (uint64_t)hdr->stride_bytes * hdr->height > hdr->payload_bytes) {
		cairn_error_set(err, "picture of %u x %u with %u bytes instead of %u x %u", hdr->width,
		    hdr->height, hdr->payload_bytes, width, height);
		return false;
	}
	return true;
}

bool cairn_annotator_on_rgb(struct cairn_annotator *annotator, const struct cairn_frame_header *hdr,
    const void *payload, struct cairn_error *err)
{
	if (!frame_fits(annotator, hdr, CAIRN_FORMAT_RGB8, 3, err))
		return false;
	cairn_grey_copy_rgb(&annotator->grey, annotator->picture, payload, (int)hdr->width, (int)hdr->height,
	    hdr->stride_bytes);
	annotator->t_rgb_ns = hdr->t_ns;
	return true;
}

bool cairn_annotator_on_depth(struct cairn_annotator *annotator, const struct cairn_frame_header *hdr,
    const void *payload, struct cairn_error *err)
{
	if (!frame_fits(annotator, hdr, CAIRN_FORMAT_DEPTH16, 2, err))
		return false;
	cairn_depth_read(&annotator->depths[annotator->depth_count++ % ANNOTATOR_DEPTHS_KEPT], payload,
	    (int)hdr->width, (int)hdr->height, hdr->stride_bytes, hdr->t_ns);
	if (annotator->overlay != NULL)
		cairn_overlay_on_depth(annotator->overlay, payload, hdr->stride_bytes, hdr->t_ns);
	return true;
}

bool cairn_annotator_on_map(struct cairn_annotator *annotator, const struct cairn_frame_header *hdr,
    const void *payload, struct cairn_error *err)
{
	return !annotator->cfg->percept.show_map || cairn_view_on_map(annotator->view, hdr, payload, err);
}
