#include "common/record/import.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/percept/jpeg.h"
#include "common/record/message_recorder.h"
#include "common/record/png16.h"

#define FILE_BYTES_MAX (64u << 20)
#define PX_MAX 4096
#define PERIOD_S (1.0 / 30.0)
#define FIRST_S 1.0
#define UNKNOWN_DEPTH 65535
#define JPEG_QUALITY 95

/* Camera to world: rows of a 4x4 matrix. */
struct matrix {
	double m[4][4];
};

struct frames {
	const char *folder;
	struct cairn_message_recorder *recorder;
	struct cairn_imported *sum;
	struct matrix first;
	struct cairn_pose2 pose; /* of the frame before */
	double first_t_s;
};

static int is_colour(const struct dirent *e)
{
	unsigned number;
	int end = 0;
	return sscanf(e->d_name, "frame-%6u.color.jpg%n", &number, &end) == 1 && end == 22 &&
	       e->d_name[end] == '\0';
}

static char *part(
    const struct frames *f, unsigned number, const char *ending, size_t *bytes, struct cairn_error *err)
{
	char path[1024];
	snprintf(path, sizeof(path), "%.900s/frame-%06u.%s", f->folder, number, ending);
	return cairn_file_read(path, 0, FILE_BYTES_MAX, bytes, err);
}

static bool read_matrix(const char *text, struct matrix *ret)
{
	const char *at = text;
	for (int i = 0; i < 16; i++) {
		char *end;
		ret->m[i / 4][i % 4] = strtod(at, &end);
		if (end == at || !isfinite(ret->m[i / 4][i % 4]))
			return false;
		at = end;
	}
	return true;
}

/* Where the camera is and looks, seen from the first one: that looks along z with y down, the robot along x with z up. */
static struct cairn_pose2 on_the_floor(const struct matrix *first, const struct matrix *now)
{
	double at[3], ahead[3];
	for (int i = 0; i < 3; i++) {
		at[i] = ahead[i] = 0.0;
		for (int k = 0; k < 3; k++) { /* the inverse of a rotation is its transpose */
			at[i] += first->m[k][i] * (now->m[k][3] - first->m[k][3]);
			ahead[i] += first->m[k][i] * now->m[k][2];
		}
	}
	return (struct cairn_pose2){at[2], -at[0], atan2(-ahead[0], ahead[2])};
}

static bool add_pictures(struct frames *f, const struct cairn_frame_header *at, const void *jpeg,
    size_t jpeg_bytes, const void *png, size_t png_bytes, struct cairn_error *err)
{
	struct cairn_frame_header h = *at;
	if (!cairn_jpeg_dimensions(jpeg, jpeg_bytes, PX_MAX, &h.width, &h.height, err))
		return false;
	uint8_t *rgb = malloc(3 * (size_t)h.width * h.height);
	bool good = rgb != NULL && cairn_jpeg_decode(jpeg, jpeg_bytes, h.width, h.height, rgb, err);
	h.format = CAIRN_FORMAT_RGB8;
	h.stride_bytes = 3 * h.width;
	h.payload_bytes = h.stride_bytes * h.height;
	good = good && cairn_message_recorder_frame(f->recorder, CAIRN_FRAME_CAMERA_RGB, &h, rgb, h.t_ns);
	free(rgb);
	uint16_t *depth = good ? record_png16(png, png_bytes, PX_MAX, &h.width, &h.height, err) : NULL;
	if (depth == NULL)
		return false;
	for (size_t i = 0; i < (size_t)h.width * h.height; i++)
		depth[i] = depth[i] == UNKNOWN_DEPTH ? 0 : depth[i];
	h.format = CAIRN_FORMAT_DEPTH16;
	h.stride_bytes = 2 * h.width;
	h.payload_bytes = h.stride_bytes * h.height;
	good = cairn_message_recorder_frame(f->recorder, CAIRN_FRAME_CAMERA_DEPTH, &h, depth, h.t_ns);
	free(depth);
	return good;
}

static bool add_frame(struct frames *f, unsigned number, struct cairn_error *err)
{
	size_t jpeg_bytes, png_bytes, text_bytes;
	struct matrix now;
	char *text = part(f, number, "pose.txt", &text_bytes, err), *jpeg = NULL, *png = NULL;
	bool good = text != NULL && read_matrix(text, &now);
	if (text != NULL && !good)
		cairn_error_set(err, "frame-%06u.pose.txt: no 4x4 matrix", number);
	good = good && (jpeg = part(f, number, "color.jpg", &jpeg_bytes, err)) != NULL &&
	       (png = part(f, number, "depth.png", &png_bytes, err)) != NULL;
	if (good) {
		bool first = f->sum->frames == 0;
		double t_s = number * PERIOD_S;
		if (first) {
			f->first = now;
			f->first_t_s = t_s;
		}
		struct cairn_pose2 pose = on_the_floor(&f->first, &now);
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
		cairn_error_set(err, "the recording cannot be written");
		good = cairn_message_recorder_add(f->recorder, CAIRN_TOPIC_POSE, NULL, &hdr, &msg, t_ns) &&
		       add_pictures(f, &at, jpeg, jpeg_bytes, png, png_bytes, err);
	}
	free(text);
	free(jpeg);
	free(png);
	return good;
}

bool cairn_import_frames(const char *folder, cairn_mcap_write_fn *write, void *ctx,
    struct cairn_imported *ret, struct cairn_error *err)
{
	const struct cairn_record_options options = {.clock_offset_ns = 1, .jpeg_quality = JPEG_QUALITY};
	struct frames f = {.folder = folder, .sum = ret};
	struct dirent **list = NULL;
	*ret = (struct cairn_imported){.scans = 0};
	int count = scandir(folder, &list, is_colour, alphasort);
	if (count <= 0)
		cairn_error_set(err, "%.200s: %s", folder,
		    count < 0 ? strerror(errno) : "no frame-NNNNNN.color.jpg is in it");
	bool good = count > 0;
	if (good) {
		f.recorder = cairn_message_recorder_new(&options, write, ctx);
		good = f.recorder != NULL;
	}
	for (int i = 0; i < count; i++) {
		unsigned number = 0;
		good =
		    good && sscanf(list[i]->d_name, "frame-%6u", &number) == 1 && add_frame(&f, number, err);
		free(list[i]);
	}
	free(list);
	if (good && !cairn_message_recorder_finish(f.recorder)) {
		cairn_error_set(err, "the recording cannot be written");
		good = false;
	}
	if (f.recorder != NULL)
		ret->messages = cairn_message_recorder_messages(f.recorder);
	cairn_message_recorder_destroy(&f.recorder);
	return good;
}
