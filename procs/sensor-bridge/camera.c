#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/base/repeats.h"
#include "common/device/camera_link.h"
#include "common/percept/camera_picture.h"
#include "common/safety/depth_scan.h"
#include "ipc/frames.h"
#include "procs/sensor-bridge/bridge.h"

#define TICK_MS 100
#define PLANE_DEADLINE_MS 4000
#define STALL_NS (500 * CAIRN_NS_PER_MS)   /* in the middle of a picture */
#define SILENT_NS (3000 * CAIRN_NS_PER_MS) /* no picture at all */
/* The library never takes back what a consumer keeps, not even when that is dead. Longer than a fifth of the
 * minute in which five deaths hold a stage failed. */
#define FULL_NS (15000 * CAIRN_NS_PER_MS)
#define TRIES_FAST 100 /* in vain: every 100 ms, then twice a second */
#define READS_MAX 8    /* a turn of the loop: other work is not kept waiting */

struct app {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct cairn_frames *frames;
	struct cairn_frame_pub *rgb_pub, *depth_pub;
	struct cairn_pub *scan_pub; /* what the depth picture says of the floor: not by shared memory */
	struct cairn_msg_depth_scan scan;
	int fd; /* -1 = not connected */
	uint32_t failed_tries;
	int64_t try_at_ns, heard_ns;
	struct cairn_camera_order order;
	/* the message being read */
	uint8_t head[CAIRN_CAMERA_HEADER_BYTES];
	size_t have; /* bytes of head */
	struct cairn_camera_header hdr;
	struct cairn_frame_pub *pub; /* where a loan is held; NULL = nobody gets to see the picture */
	uint8_t *payload;            /* in the loan, spare or raw; NULL = skipped */
	size_t left;                 /* payload bytes to come */
	/* A picture that a frame is still to be made of. */
	struct cairn_picture_maker *maker;
	uint8_t *raw;
	size_t raw_bytes;
	bool make;
	uint32_t told_width, told_height; /* whose shape was told */
	uint64_t pictures;
	struct cairn_repeats rgb_repeats, depth_repeats;
	/* A depth picture for which no shared memory is left, as when a consumer keeps all it is given: what
	 * it says of the floor must not depend on that. */
	uint8_t *spare;
	uint64_t frame_rejects;
	int64_t full_since_ns; /* no loan has succeeded since; 0 = the last one did */
};

/* ---- connection ---- */

static void begin_message(struct app *app)
{
	if (app->pub != NULL)
		cairn_frame_abandon(app->pub);
	app->pub = NULL;
	app->payload = NULL;
	app->have = app->left = 0;
}

static void try_later(struct app *app)
{
	app->try_at_ns = cairn_now_ns() + (app->failed_tries <= TRIES_FAST ? 100 : 500) * CAIRN_NS_PER_MS;
}

static void disconnect(struct app *app, const char *why)
{
	/* Once in a row: a peer that talks nonsense is connected to again and again. */
	cairn_log_write(app->pictures > 0 || app->failed_tries == 0 ? CAIRN_LOG_WARN : CAIRN_LOG_DEBUG,
	    __FILE__, __LINE__, "camera lost: %s", why);
	begin_message(app);
	cairn_stage_unwatch_fd(app->stage, app->fd);
	close(app->fd);
	app->fd = -1;
	if (app->pictures == 0)
		app->failed_tries++;
	try_later(app);
	cairn_stage_note(app->stage, "no camera");
}

static int try_connect(const char *run_dir, const char *socket_path, struct cairn_error *err)
{
	struct sockaddr_un where = {.sun_family = AF_UNIX};
	bool absolute = socket_path[0] == '/';
	int n = snprintf(where.sun_path, sizeof(where.sun_path), "%s%s%s", absolute ? "" : run_dir,
	    absolute ? "" : "/", socket_path);
	if (n < 0 || (size_t)n >= sizeof(where.sun_path)) {
		cairn_error_set(err, "%s: path too long for a socket", socket_path);
		return -ENAMETOOLONG;
	}
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&where, sizeof(where)) == 0)
		return fd;
	int r = -errno;
	cairn_error_set(err, "%s: %s", where.sun_path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return r;
}

/* ---- pictures ---- */

/* Said once, and once when it is over. */
static void tell_room(struct app *app, bool room, bool rgb)
{
	cairn_stage_tried(app->stage, rgb ? "publish pictures" : "publish depth",
	    room ? NULL : "a consumer keeps all shared memory it was given");
	if (room)
		app->full_since_ns = 0;
	else if (app->full_since_ns == 0)
		app->full_since_ns = cairn_now_ns();
}

/* Room for a picture: a frame's, or, of a depth picture for which there is none, the spare one; NULL: it is not wanted. */
static uint8_t *loan(struct app *app, uint32_t width, uint32_t height, uint32_t stride_bytes)
{
	bool rgb = cairn_camera_is_colour(app->hdr.format);
	struct cairn_frame_header *frame;
	uint32_t bytes = stride_bytes * height;
	app->pub = rgb ? app->rgb_pub : app->depth_pub;
	uint8_t *room = cairn_frame_loan(app->pub, bytes, &frame);
	if (room == NULL) {
		bool fits = bytes <= cairn_frame_payload_max(app->cfg, CAIRN_FRAME_CAMERA_DEPTH);
		app->pub = NULL; /* too large or no chunk free: counted there */
		tell_room(app, false, rgb);
		return rgb || !fits ? NULL : app->spare;
	}
	tell_room(app, true, rgb);
	frame->format = rgb ? CAIRN_FORMAT_RGB8 : CAIRN_FORMAT_DEPTH16;
	frame->t_ns = app->hdr.t_ns;
	frame->width = width;
	frame->height = height;
	frame->stride_bytes = stride_bytes;
	return room;
}

static uint8_t *raw_room(struct app *app, size_t bytes)
{
	if (bytes > app->raw_bytes) {
		free(app->raw);
		app->raw = malloc(bytes);
		app->raw_bytes = app->raw != NULL ? bytes : 0;
	}
	return app->raw;
}

/* A whole header is there: decide where its payload goes. False when the connection is of no use. */
static bool begin_payload(struct app *app)
{
	struct cairn_error err = {""};
	struct cairn_camera_want want = {.width = (uint32_t)app->cfg->camera.width_px,
	    .height = (uint32_t)app->cfg->camera.height_px,
	    .age_max_ns = cairn_frame_topics[CAIRN_FRAME_CAMERA_RGB].max_age_ms * CAIRN_NS_PER_MS};
	enum cairn_camera_verdict verdict =
	    cairn_camera_header_read(app->head, &want, &app->order, cairn_now_ns(), &app->hdr, &err);
	if (verdict == CAIRN_CAMERA_SKIP || verdict == CAIRN_CAMERA_BROKEN) {
		cairn_stage_count_reject(app->stage);
		cairn_log_debug("%s", err.text);
	}
	if (verdict == CAIRN_CAMERA_BROKEN) {
		disconnect(app, err.text);
		return false;
	}
	app->left = app->hdr.payload_bytes;
	app->make = verdict == CAIRN_CAMERA_MAKE;
	if (app->make)
		app->payload = raw_room(app, app->left);
	else if (verdict == CAIRN_CAMERA_USE)
		app->payload = loan(app, app->hdr.width, app->hdr.height, app->hdr.stride_bytes);
	return true;
}

/* True: the picture was sent before, so the camera has stopped looking, whatever its stamps say. */
static bool repeated(struct app *app)
{
	if (app->payload == NULL)
		return false;
	bool rgb = cairn_camera_is_colour(app->hdr.format);
	const char *what = rgb ? "use the camera" : "use its depth";
	bool again = cairn_repeats_take(
	    rgb ? &app->rgb_repeats : &app->depth_repeats, app->payload, app->hdr.payload_bytes);
	cairn_stage_tried(app->stage, what, again ? "it repeats an earlier picture" : NULL);
	if (again)
		cairn_stage_count_reject(app->stage);
	return again;
}

/* What of the camera's pictures is used, each time that they come in another size. */
static void tell_shape(struct app *app, uint32_t width, uint32_t height)
{
	if (!cairn_camera_is_colour(app->hdr.format) ||
	    (width == app->told_width && height == app->told_height))
		return;
	app->told_width = width;
	app->told_height = height;
	struct cairn_picture_part part = cairn_picture_part(
	    width, height, (uint32_t)app->cfg->camera.width_px, (uint32_t)app->cfg->camera.height_px);
	cairn_log_info("pictures of %u x %u: %u x %u in their middle become %d x %d; robot.camera_hfov_rad "
		       "is of that part",
	    width, height, part.width, part.height, app->cfg->camera.width_px, app->cfg->camera.height_px);
}

/* The frame of a picture with another size or other pixels. False: what came is none. */
static bool make_picture(struct app *app)
{
	struct cairn_error err = {""};
	const uint8_t *raw = app->payload;
	uint32_t width = (uint32_t)app->cfg->camera.width_px, height = (uint32_t)app->cfg->camera.height_px;
	uint32_t stride = width * (cairn_camera_is_colour(app->hdr.format) ? 3 : 2), from_width, from_height;
	app->payload = loan(app, width, height, stride);
	if (app->payload == NULL)
		return true;
	bool made =
	    cairn_picture_make(app->maker, &app->hdr, raw, app->payload, &from_width, &from_height, &err);
	cairn_stage_tried(app->stage, "read a picture", made ? NULL : err.text);
	if (!made) {
		cairn_stage_count_reject(app->stage);
		return false;
	}
	tell_shape(app, from_width, from_height);
	app->hdr.width = width;
	app->hdr.height = height;
	app->hdr.stride_bytes = stride;
	return true;
}

static void end_payload(struct app *app)
{
	if (repeated(app) || (app->make && app->payload != NULL && !make_picture(app))) {
		begin_message(app); /* gives the loan back */
		return;
	}
	if (app->payload != NULL && app->hdr.format == CAIRN_CAMERA_DEPTH16) {
		cairn_depth_scan_make(&app->scan, app->cfg, app->payload, (int)app->hdr.width,
		    (int)app->hdr.height, app->hdr.stride_bytes);
		cairn_pub_send(app->scan_pub, &app->scan, app->hdr.t_ns, true);
	}
	if (app->pub != NULL) {
		cairn_frame_publish(app->pub);
		app->pub = NULL;
		if (app->pictures++ == 0) {
			cairn_log_info("pictures arrive");
			cairn_stage_note(app->stage, "pictures arrive");
		}
		app->failed_tries = 0;
	}
	begin_message(app);
}

/* Where the next bytes belong, and how many are wanted there. */
static uint8_t *next_room(struct app *app, uint8_t *waste, size_t waste_bytes, size_t *ret_bytes)
{
	if (app->have < sizeof(app->head)) {
		*ret_bytes = sizeof(app->head) - app->have;
		return app->head + app->have;
	}
	if (app->payload != NULL) {
		*ret_bytes = app->left;
		return app->payload + (app->hdr.payload_bytes - app->left);
	}
	*ret_bytes = app->left < waste_bytes ? app->left : waste_bytes;
	return waste;
}

/* n bytes have arrived where next_room said. False when the connection was closed. */
static bool took(struct app *app, size_t n)
{
	if (app->have < sizeof(app->head)) {
		app->have += n;
		if (app->have == sizeof(app->head) && !begin_payload(app))
			return false;
	} else {
		app->left -= n;
	}
	if (app->have == sizeof(app->head) && app->left == 0)
		end_payload(app);
	return true;
}

static int on_socket(void *ctx)
{
	struct app *app = ctx;
	uint8_t waste[16384];
	for (int i = 0; i < READS_MAX; i++) {
		size_t want;
		uint8_t *room = next_room(app, waste, sizeof(waste), &want);
		ssize_t n = read(app->fd, room, want);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n <= 0) {
			disconnect(app, n == 0 ? "the other end closed" : strerror(errno));
			return 0;
		}
		app->heard_ns = cairn_now_ns();
		if (!took(app, (size_t)n))
			return 0;
	}
	return 0;
}

/* ---- life ---- */

static void connect_again(struct app *app, int64_t now_ns)
{
	struct cairn_error err = {""};
	int fd = try_connect(cairn_stage_run_dir(app->stage), app->cfg->robot.camera_socket, &err);
	if (fd < 0) {
		if (app->failed_tries++ == 0)
			cairn_log_warn("%s; trying again", err.text);
		try_later(app);
		return;
	}
	app->fd = fd;
	app->heard_ns = now_ns;
	app->pictures = 0;
	app->order = (struct cairn_camera_order){0};
	begin_message(app);
	cairn_stage_note(app->stage, "connected, waiting for a picture");
	cairn_stage_watch_fd(app->stage, fd, POLLIN, on_socket, app);
}

static int on_tick(void *ctx)
{
	struct app *app = ctx;
	int64_t now_ns = cairn_now_ns();
	for (uint64_t n = cairn_frames_rejects(app->frames); app->frame_rejects < n; app->frame_rejects++)
		cairn_stage_count_reject(app->stage);
	if (app->full_since_ns != 0 && now_ns - app->full_since_ns > FULL_NS) {
		cairn_log_error("no shared memory was free for %.0f s: the data plane has to be built anew",
		    (double)(now_ns - app->full_since_ns) * 1e-9);
		return -CAIRN_EXIT_PLANE;
	}
	if (app->fd < 0) {
		if (now_ns >= app->try_at_ns)
			connect_again(app, now_ns);
		return 0;
	}
	int64_t quiet_ns = now_ns - app->heard_ns;
	if (app->have > 0 && quiet_ns > STALL_NS)
		disconnect(app, "stalled in the middle of a picture");
	else if (quiet_ns > SILENT_NS)
		disconnect(app, "silent");
	return 0;
}

int cairn_bridge_camera(struct cairn_stage *stage)
{
	struct app app = {.stage = stage, .cfg = cairn_stage_config(stage), .fd = -1};
	struct cairn_error err = {""};
	app.frames = cairn_frames_open(cairn_stage_name(stage), app.cfg, PLANE_DEADLINE_MS, &err);
	if (app.frames != NULL)
		app.rgb_pub = cairn_frame_pub_new(app.frames, CAIRN_FRAME_CAMERA_RGB, &err);
	if (app.rgb_pub != NULL)
		app.depth_pub = cairn_frame_pub_new(app.frames, CAIRN_FRAME_CAMERA_DEPTH, &err);
	app.spare = calloc(1, cairn_frame_payload_max(app.cfg, CAIRN_FRAME_CAMERA_DEPTH));
	if (app.depth_pub != NULL && app.spare != NULL)
		app.maker = cairn_picture_maker_new(
		    (uint32_t)app.cfg->camera.width_px, (uint32_t)app.cfg->camera.height_px, &err);
	if (app.maker == NULL) {
		cairn_log_error("%s", err.text[0] != '\0' ? err.text : "no memory for a picture");
		free(app.spare);
		cairn_frames_close(&app.frames);
		return 1;
	}
	app.scan_pub = cairn_stage_publish(stage, CAIRN_TOPIC_SCAN_DEPTH);
	cairn_stage_every(stage, TICK_MS, on_tick, &app);
	on_tick(&app);
	cairn_stage_ready(stage);
	int status = cairn_stage_run(stage);
	begin_message(&app);
	if (app.fd >= 0)
		close(app.fd);
	cairn_frames_close(&app.frames);
	cairn_picture_maker_destroy(&app.maker);
	free(app.raw);
	free(app.spare);
	return status == -CAIRN_EXIT_PLANE ? CAIRN_EXIT_PLANE : status;
}
