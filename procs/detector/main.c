/* detector - asks a detector helper what things the camera's pictures show, and publishes where they are.
 *
 * The helper listens on detect.socket (docs/detector.md); the simulator does so for its own pictures. When a picture is searched, and what an
 * answer means, is decided in common/percept/detect.h. A helper that dies is connected to again; one that floods, talks
 * nonsense or answers late is refused, counted and, if it goes on, disconnected. Nothing that drives reads what comes of it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/percept/detect_wire.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

#define TICK_MS 50
#define RETRY_NS CAIRN_NS_PER_S
#define READ_MAX 262144 /* bytes a turn: a flood is read in pieces, other work goes on */
#define NONSENSE_MAX 20 /* refusals in a row, then the connection is closed */
#define NOTE_MS 2000
#define DEPTH_APART_NS (100 * CAIRN_NS_PER_MS)

struct app {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct cairn_pub *pub;
	struct cairn_frame_sub *depth_sub; /* NULL: the helper knows depth by itself (simulated) */
	uint16_t *depth_mm;                /* the newest picture of depth */
	uint32_t depth_width, depth_height;
	int64_t depth_t_ns;
	int fd; /* -1: not connected */
	int64_t try_at_ns;
	bool said_lost;
	uint32_t nonsense; /* refusals in a row */
	uint64_t refused;  /* lines that could not be read, and answers that make no sense */
	struct cairn_detector detector;
	char goal[sizeof(((struct cairn_msg_mission *)0)->goal)];
	char task[sizeof(((struct cairn_msg_agent *)0)->task)];
	struct cairn_detect_lines lines;
	struct cairn_detected_list list;
	struct cairn_msg_detections message;
};

/* ---- the helper ---- */

static void disconnect(struct app *app, const char *why)
{
	if (!app->said_lost)
		cairn_log_warn("detector helper lost: %s; trying again", why);
	app->said_lost = true;
	cairn_stage_unwatch_fd(app->stage, app->fd);
	(void)close(app->fd);
	app->fd = -1;
	app->try_at_ns = cairn_now_ns() + RETRY_NS;
}

static void take_depth(struct app *app)
{
	const struct cairn_frame_header *hdr;
	if (app->depth_sub == NULL)
		return;
	const uint16_t *payload = cairn_frame_take(app->depth_sub, &hdr);
	size_t pixels = (size_t)app->cfg->camera.width_px * (size_t)app->cfg->camera.height_px;
	if (payload != NULL && hdr->format == CAIRN_FORMAT_DEPTH16 &&
	    (size_t)hdr->width * hdr->height == pixels && hdr->stride_bytes == 2 * hdr->width &&
	    hdr->payload_bytes == 2 * pixels) {
		memcpy(app->depth_mm, payload, 2 * pixels);
		app->depth_width = hdr->width;
		app->depth_height = hdr->height;
		app->depth_t_ns = hdr->t_ns;
	}
	cairn_frame_release(app->depth_sub);
}

/* Was the depth taken when the picture was? A robot that turns sees something else soon after. */
static bool is_of(const struct app *app, int64_t t_ns)
{
	return app->depth_t_ns - t_ns <= DEPTH_APART_NS && t_ns - app->depth_t_ns <= DEPTH_APART_NS;
}

static void refuse(struct app *app, const struct cairn_error *err)
{
	cairn_stage_count_reject(app->stage);
	app->refused++;
	cairn_log_write(
	    app->nonsense == 0 ? CAIRN_LOG_WARN : CAIRN_LOG_DEBUG, __FILE__, __LINE__, "%s", err->text);
	if (++app->nonsense >= NONSENSE_MAX)
		disconnect(app, "answers that make no sense, one after the other");
}

static void on_line(struct app *app, const char *line, size_t len)
{
	struct cairn_error err = {""};
	int64_t now_ns = cairn_now_ns();
	if (!cairn_detect_read_answer(line, len, &app->list, &err)) {
		refuse(app, &err);
		return;
	}
	if (!is_of(app, app->list.t_ns))
		take_depth(app);
	if (app->depth_width == app->list.width_px && app->depth_height == app->list.height_px &&
	    app->depth_width > 0 && is_of(app, app->list.t_ns))
		cairn_detect_depth(app->cfg, app->depth_mm, &app->list);
	if (!cairn_detector_answer(&app->detector, &app->list, now_ns, &app->message, &err)) {
		refuse(app, &err);
		return;
	}
	app->nonsense = 0;
	(void)cairn_pub_send(app->pub, &app->message, app->list.t_ns, true);
}

static int on_socket(void *ctx)
{
	struct app *app = ctx;
	char buf[16384];
	for (size_t all = 0; all < READ_MAX && app->fd >= 0;) {
		ssize_t n = recv(app->fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n <= 0) {
			disconnect(app, n == 0 ? "the other end closed" : strerror(errno));
			return 0;
		}
		all += (size_t)n;
		for (size_t at = 0; at < (size_t)n && app->fd >= 0;) {
			const char *line;
			size_t len;
			uint64_t before = app->lines.too_long;
			at += cairn_detect_lines_take(&app->lines, buf + at, (size_t)n - at, &line, &len);
			if (line != NULL)
				on_line(app, line, len);
			if (app->lines.too_long > before) {
				struct cairn_error err;
				cairn_error_set(
				    &err, "an answer of more than %d bytes", CAIRN_DETECT_LINE_MAX);
				refuse(app, &err);
			}
		}
	}
	return 0;
}

static int try_connect(const struct app *app, struct cairn_error *err)
{
	struct sockaddr_un where = {.sun_family = AF_UNIX};
	const char *path = app->cfg->detect.socket;
	bool absolute = path[0] == '/';
	int n = snprintf(where.sun_path, sizeof(where.sun_path), "%s%s%s",
	    absolute ? "" : cairn_stage_run_dir(app->stage), absolute ? "" : "/", path);
	if (n < 0 || (size_t)n >= sizeof(where.sun_path)) {
		cairn_error_set(err, "detect.socket: %s is too long for the name of a socket", path);
		return -1;
	}
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&where, sizeof(where)) == 0)
		return fd;
	cairn_error_set(err, "detector helper at %s: %s; trying again", where.sun_path, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

static void connect_again(struct app *app, int64_t now_ns)
{
	struct cairn_error err = {""};
	app->try_at_ns = now_ns + RETRY_NS;
	app->fd = try_connect(app, &err);
	if (app->fd < 0) {
		if (!app->said_lost)
			cairn_log_warn("%s", err.text);
		app->said_lost = true;
		return;
	}
	cairn_log_info("connected to the detector helper");
	app->said_lost = false;
	app->nonsense = 0;
	app->lines.len = 0;
	app->lines.skipping = false;
	cairn_stage_watch_fd(app->stage, app->fd, POLLIN, on_socket, app);
}

/* ---- asking ---- */

CAIRN_TAKE(take_pose, app, pose, cairn_detector_on_pose(&core->detector, m, hdr->t_ns))
CAIRN_TAKE(take_mission, app, mission, snprintf(core->goal, sizeof(core->goal), "%s", m->goal))
CAIRN_TAKE(take_agent, app, agent, snprintf(core->task, sizeof(core->task), "%s", cairn_detector_task(m)))

static const struct cairn_in inputs[] = {{CAIRN_TOPIC_POSE, CAIRN_ACCEPT_FRESH, take_pose},
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_PLAUSIBLE, take_mission},
    {CAIRN_TOPIC_AGENT, CAIRN_ACCEPT_PLAUSIBLE, take_agent}, {.take = NULL}};

static int on_tick(void *ctx)
{
	struct app *app = ctx;
	int64_t now_ns = cairn_now_ns();
	uint64_t look;
	char line[CAIRN_DETECT_LOOK_MAX];
	if (app->fd < 0 && now_ns >= app->try_at_ns)
		connect_again(app, now_ns);
	if (app->fd < 0 || !cairn_detector_due(&app->detector, now_ns, &look))
		return 0;
	take_depth(app); /* of the moment: the answer may be long in coming */
	size_t n = cairn_detect_write_look(
	    look, now_ns, app->cfg->detect.labels, app->goal, app->task, line, sizeof(line));
	if (n == 0 || send(app->fd, line, n, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)n)
		disconnect(app, "it does not take questions");
	return 0;
}

static int on_note(void *ctx)
{
	struct app *app = ctx;
	const struct cairn_msg_detections *m = &app->message;
	char note[96];
	if (app->fd < 0)
		snprintf(note, sizeof(note), "no detector helper");
	else
		snprintf(note, sizeof(note), "%u things, %.1f Hz, %.0f ms, %llu late, %llu refused",
		    m->items_count, app->detector.rate_hz, m->latency_ms,
		    (unsigned long long)app->detector.late, (unsigned long long)app->refused);
	cairn_stage_note(app->stage, note);
	return 0;
}

/* A helper that knows boxes alone gets depth from the camera's own. */
static bool open_depth(struct app *app, struct cairn_error *err)
{
	if (app->cfg->detect.source != CAIRN_CHOICE_DETECT_SOURCE_HELPER)
		return true;
	app->depth_mm = calloc(
	    (size_t)app->cfg->camera.width_px * (size_t)app->cfg->camera.height_px, sizeof(*app->depth_mm));
	if (app->depth_mm == NULL)
		return false;
	app->depth_sub = cairn_stage_frame_sub(app->stage, CAIRN_FRAME_CAMERA_DEPTH, err);
	return app->depth_sub != NULL;
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	app->stage = stage;
	app->cfg = cairn_stage_config(stage);
	app->fd = -1;
	cairn_detector_init(&app->detector, app->cfg);
	if (!open_depth(app, err))
		return false;
	app->pub = cairn_stage_publish(stage, CAIRN_TOPIC_DETECTIONS);
	cairn_stage_inputs(stage, inputs, app, NULL, NULL);
	cairn_stage_every(stage, TICK_MS, on_tick, app);
	cairn_stage_every(stage, NOTE_MS, on_note, app);
	return true;
}

static void sum_up(void *ctx)
{
	const struct app *app = ctx;
	cairn_log_info("%llu pictures asked for, %llu answers late, %llu refused, %llu things left out",
	    (unsigned long long)app->detector.asked, (unsigned long long)app->detector.late,
	    (unsigned long long)app->refused, (unsigned long long)app->detector.left_out);
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	if (app->fd >= 0)
		(void)close(app->fd);
	free(app->depth_mm);
}

CAIRN_STAGE_MAIN("cairn-detector", "finds things in the camera's pictures", struct app, .open = open_all,
    .ended = sum_up, .close = close_all)
