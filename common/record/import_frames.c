#include "common/record/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/record/message_recorder.h"
#include "common/record/rgbd_frames.h"

#define PERIOD_S (1.0 / 30.0)
#define FIRST_S 1.0
#define JPEG_QUALITY 95

struct frames {
	const char *folder;
	struct cairn_message_recorder *recorder;
	struct cairn_imported *sum;
	struct cairn_rgbd_frame frame;
	double first[4][4];
	struct cairn_pose2 pose; /* of the frame before */
	double first_t_s;
};

/* Where the camera is and looks, seen from the first one: that looks along z with y down, the robot along x with z up. */
static struct cairn_pose2 on_the_floor(const double first[4][4], const double now[4][4])
{
	double at[3], ahead[3];
	for (int i = 0; i < 3; i++) {
		at[i] = ahead[i] = 0.0;
		for (int k = 0; k < 3; k++) { /* the inverse of a rotation is its transpose */
			at[i] += first[k][i] * (now[k][3] - first[k][3]);
			ahead[i] += first[k][i] * now[k][2];
		}
	}
	return (struct cairn_pose2){at[2], -at[0], atan2(-ahead[0], ahead[2])};
}

static bool add_pictures(struct frames *f, const struct cairn_frame_header *at)
{
	struct cairn_frame_header h = *at;
	h.width = f->frame.width_px;
	h.height = f->frame.height_px;
	h.format = CAIRN_FORMAT_RGB8;
	h.stride_bytes = 3 * h.width;
	h.payload_bytes = h.stride_bytes * h.height;
	if (!cairn_message_recorder_frame(f->recorder, CAIRN_FRAME_CAMERA_RGB, &h, f->frame.rgb, h.t_ns))
		return false;
	h.width = f->frame.depth_width_px;
	h.height = f->frame.depth_height_px;
	h.format = CAIRN_FORMAT_DEPTH16;
	h.stride_bytes = 2 * h.width;
	h.payload_bytes = h.stride_bytes * h.height;
	return cairn_message_recorder_frame(
	    f->recorder, CAIRN_FRAME_CAMERA_DEPTH, &h, f->frame.depth_mm, h.t_ns);
}

static bool add_frame(struct frames *f, unsigned number, struct cairn_error *err)
{
	if (!cairn_rgbd_read(f->folder, number, &f->frame, err))
		return false;
	double t_s = number * PERIOD_S;
	if (f->sum->frames == 0) {
		memcpy(f->first, f->frame.pose, sizeof(f->first));
		f->first_t_s = t_s;
	}
	struct cairn_pose2 pose = on_the_floor(f->first, f->frame.pose);
	int64_t t_ns = (int64_t)((FIRST_S + t_s - f->first_t_s) * 1e9);
	const struct cairn_header hdr = {.version = CAIRN_SCHEMA_VERSION,
	    .seq = ++f->sum->frames,
	    .epoch = 1,
	    .t_ns = t_ns,
	    .valid = true};
	const struct cairn_msg_pose msg = {.x_m = pose.x_m,
	    .y_m = pose.y_m,
	    .yaw_rad = pose.yaw_rad,
	    .tracking = CAIRN_TRACKING_GOOD,
	    .quality = 1.0};
	const struct cairn_frame_header at = {.seq = hdr.seq,
	    .epoch = 1,
	    .t_ns = t_ns,
	    .pose_x_m = pose.x_m,
	    .pose_y_m = pose.y_m,
	    .pose_yaw_rad = pose.yaw_rad};
	f->sum->path_m += hypot(pose.x_m - f->pose.x_m, pose.y_m - f->pose.y_m);
	f->sum->duration_s = t_s - f->first_t_s;
	f->pose = pose;
	bool good = cairn_message_recorder_add(f->recorder, CAIRN_TOPIC_POSE, NULL, &hdr, &msg, t_ns) &&
		    add_pictures(f, &at);
	if (!good)
		cairn_error_set(err, "the recording cannot be written");
	cairn_rgbd_free(&f->frame);
	return good;
}

bool cairn_import_frames(const char *folder, cairn_mcap_write_fn *write, void *ctx,
    struct cairn_imported *ret, struct cairn_error *err)
{
	const struct cairn_record_options options = {.clock_offset_ns = 1, .jpeg_quality = JPEG_QUALITY};
	struct frames f = {.folder = folder, .sum = ret};
	unsigned *numbers = NULL;
	*ret = (struct cairn_imported){.scans = 0};
	int count = cairn_rgbd_list(folder, &numbers, err);
	bool good = count > 0;
	if (good) {
		f.recorder = cairn_message_recorder_new(&options, write, ctx);
		good = f.recorder != NULL;
	}
	for (int i = 0; good && i < count; i++)
		good = add_frame(&f, numbers[i], err);
	free(numbers);
	if (good && !cairn_message_recorder_finish(f.recorder)) {
		cairn_error_set(err, "the recording cannot be written");
		good = false;
	}
	if (f.recorder != NULL)
		ret->messages = cairn_message_recorder_messages(f.recorder);
	cairn_message_recorder_destroy(&f.recorder);
	return good;
}
