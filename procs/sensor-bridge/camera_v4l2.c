/* camera_v4l2.c - pictures of a V4L2 camera (common/device/v4l2_link.h) into frames; and depth of one beside it, laid onto its
 * pictures. */
#include <math.h>
#include <poll.h>
#include <stdlib.h>

#include "common/percept/depth_align.h"
#include "procs/camera/v4l2.h"
#include "procs/sensor-bridge/camera_source.h"

#define TAKES_MAX 4 /* a turn of the loop: other work is not kept waiting */
#define HFOV_SHARE 0.02

struct source {
	struct camera_frames *frames;
	struct cairn_v4l2_link link;
	struct cairn_camera_order order;
	int watched; /* -1: none */
	uint64_t damaged;
	/* of a depth camera */
	struct cairn_depth_alignment alignment;
	uint16_t *aligned; /* NULL: a camera of colours */
};

static bool is_for(const char *device)
{
	return device[0] == '/';
}

/* As camera_frames_whole. */
static const char *use_depth(struct source *s, const struct cairn_camera_header *hdr, const uint8_t *payload)
{
	struct cairn_camera_header aligned;
	const char *why_not = cairn_depth_align_picture(
	    &s->alignment, hdr, payload, s->frames->told_width, s->frames->told_height, s->aligned, &aligned);
	return why_not != NULL
		   ? why_not
		   : camera_frames_whole(s->frames, &aligned, &s->order, (const uint8_t *)s->aligned);
}

static int on_camera(void *ctx);

/* The loop watches what is open; people are told what is wrong. */
static void follow(struct source *s)
{
	struct cairn_stage *stage = s->frames->stage;
	if (s->watched != s->link.fd && s->watched >= 0) {
		cairn_stage_unwatch_fd(stage, s->watched);
		cairn_stage_note(stage, s->aligned != NULL ? "no depth camera" : "no camera");
	}
	if (s->watched != s->link.fd && s->link.fd >= 0)
		cairn_stage_watch_fd(stage, s->link.fd, POLLIN | POLLERR, on_camera, s);
	s->watched = s->link.fd;
	for (; s->damaged < s->link.damaged; s->damaged++)
		cairn_stage_count_reject(stage);
	camera_frames_problem(s->frames, &s->link.problem, s->aligned != NULL);
}

static int on_camera(void *ctx)
{
	struct source *s = ctx;
	struct cairn_camera_header hdr;
	const uint8_t *payload;
	for (int i = 0; i < TAKES_MAX && cairn_v4l2_take(&s->link, cairn_now_ns(), &hdr, &payload); i++) {
		const char *why_not = s->aligned != NULL
					  ? use_depth(s, &hdr, payload)
					  : camera_frames_whole(s->frames, &hdr, &s->order, payload);
		cairn_v4l2_give_back(&s->link, cairn_now_ns(), why_not);
	}
	follow(s);
	return 0;
}

static void tick(void *source, int64_t now_ns)
{
	struct source *s = source;
	bool was_closed = s->link.fd < 0;
	cairn_v4l2_tick(&s->link, now_ns);
	if (was_closed && s->link.fd >= 0) {
		const struct cairn_v4l2_mode *mode = &s->link.mode;
		char fourcc[5];
		cairn_v4l2_fourcc_text(mode->fourcc, fourcc);
		cairn_log_info(
		    "camera %s: %s of %u x %u", s->link.want.path, fourcc, mode->width, mode->height);
		cairn_stage_note(s->frames->stage, "connected, waiting for a picture");
		cairn_stage_tried(s->frames->stage, "set camera controls",
		    s->link.controls.text[0] != '\0' ? s->link.controls.text : NULL);
		if (s->aligned == NULL)
			camera_frames_restart(s->frames);
		s->order = (struct cairn_camera_order){0};
	}
	follow(s);
}

static void *new_source(struct camera_frames *frames)
{
	struct source *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->frames = frames;
	s->watched = -1;
	const struct cairn_v4l2_want want = {.path = frames->cfg->robot.camera_device,
	    .controls = frames->cfg->robot.camera_controls,
	    .mode = {.width = frames->want.width,
		.height = frames->want.height,
		.rate_hz = frames->cfg->camera.rate_hz}};
	cairn_v4l2_init(&s->link, &v4l2_kernel, NULL, &want);
	return s;
}

static void destroy(void *source)
{
	struct source *s = source;
	cairn_v4l2_close(&s->link);
	free(s->aligned);
	free(s);
}

const struct camera_source camera_v4l2 = {is_for, new_source, tick, destroy};

/* ---- depth beside it ---- */

/* Everybody takes the view of the pictures from the configuration; the file has it measured. */
static void compare_view(const struct camera_frames *f, const struct cairn_pinhole *color)
{
	struct cairn_picture_part part =
	    cairn_picture_part(color->width, color->height, f->want.width, f->want.height);
	double hfov_rad = 2.0 * atan(part.width / (2.0 * color->fx));
	if (fabs(hfov_rad - f->cfg->robot.camera_hfov_rad) > HFOV_SHARE * hfov_rad)
		cairn_log_warn("robot.camera_hfov_rad is %.3f; by robot.depth_alignment it must be %.3f",
		    f->cfg->robot.camera_hfov_rad, hfov_rad);
}

static void *new_depth(struct camera_frames *frames)
{
	struct cairn_error err = {""};
	struct source *s = new_source(frames);
	if (s == NULL)
		return NULL;
	const struct cairn_config_robot *robot = &frames->cfg->robot;
	if (!cairn_depth_alignment_load(&s->alignment, robot->depth_alignment, &err)) {
		cairn_log_error("robot.depth_alignment: %s", err.text);
		destroy(s);
		return NULL;
	}
	const struct cairn_pinhole *depth = &s->alignment.depth, *color = &s->alignment.color;
	s->aligned = calloc((size_t)color->width * color->height, sizeof(*s->aligned));
	if (s->aligned == NULL) {
		destroy(s);
		return NULL;
	}
	compare_view(frames, color);
	const struct cairn_v4l2_want want = {.path = robot->depth_device,
	    .controls = "",
	    .mode = {.width = depth->width, .height = depth->height, .rate_hz = frames->cfg->camera.rate_hz},
	    .depth = true};
	cairn_v4l2_init(&s->link, &v4l2_kernel, NULL, &want);
	return s;
}

const struct camera_source camera_depth = {is_for, new_depth, tick, destroy};
