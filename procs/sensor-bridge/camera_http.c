/* camera_http.c - pictures of an MJPEG stream over HTTP (common/device/mjpeg_link.h) into frames. */
#include <stdlib.h>
#include <strings.h>

#include "procs/camera/mjpeg_http.h"
#include "procs/sensor-bridge/camera_source.h"

struct source {
	struct camera_frames *frames;
	struct mjpeg_http *http;
	struct cairn_camera_order order;
	int watched; /* -1: none */
	bool answered;
};

static bool is_for(const char *device)
{
	return strncasecmp(device, "http://", 7) == 0 || strncasecmp(device, "https://", 8) == 0;
}

static int on_socket(void *ctx);

/* The loop watches what is open; people are told what is wrong. */
static void follow(struct source *s)
{
	struct cairn_stage *stage = s->frames->stage;
	const struct cairn_mjpeg_link *link = mjpeg_http_link(s->http);
	int fd = mjpeg_http_fd(s->http);
	if (s->watched != fd && s->watched >= 0)
		cairn_stage_unwatch_fd(stage, s->watched);
	if (s->watched != fd && fd >= 0)
		cairn_stage_watch_fd(stage, fd, POLLIN, on_socket, s);
	s->watched = fd;
	bool answered = link->open && link->answered;
	if (s->answered != answered)
		cairn_stage_note(stage, answered ? "connected" : "no camera");
	s->answered = answered;
	camera_frames_problem(s->frames, &link->problem, false);
}

static const char *on_picture(void *ctx, const struct cairn_camera_header *hdr, const uint8_t *payload)
{
	struct source *s = ctx;
	return camera_frames_whole(s->frames, hdr, &s->order, payload);
}

static int on_socket(void *ctx)
{
	struct source *s = ctx;
	mjpeg_http_step(s->http);
	follow(s);
	return 0;
}

static void tick(void *source, int64_t now_ns)
{
	(void)now_ns;
	(void)on_socket(source);
}

static void destroy(void *source)
{
	struct source *s = source;
	mjpeg_http_destroy(&s->http);
	free(s);
}

static void *new_source(struct camera_frames *frames)
{
	struct source *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->frames = frames;
	s->watched = -1;
	const struct cairn_mjpeg_want want = {.url = frames->cfg->robot.camera_device,
	    .width = frames->want.width,
	    .height = frames->want.height,
	    .rate_hz = frames->cfg->camera.rate_hz};
	s->http = mjpeg_http_new(&want, on_picture, s);
	if (s->http == NULL) {
		destroy(s);
		return NULL;
	}
	return s;
}

const struct camera_source camera_http = {is_for, new_source, tick, destroy};
