/* local - says what the camera shows and how new that is to the robot, without a model; the thin shell around common/local.
 *
 * The views that it remembers are kept in RUN/state/local_views.txt, whole or not at all. A file that cannot be used is put aside.
 * Nothing that drives reads what comes of it, and the robot goes on without it: then the model is asked as without this stage. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/local/local_ports.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

struct app {
	CAIRN_STAGE_STATE;
	struct cairn_frame_sub *rgb_sub;
	struct cairn_local core;
	struct cairn_msg_local message;
	uint64_t saved_version, frame_rejects;
	char path[512];
};

static void take_picture(struct app *app)
{
	const struct cairn_frame_header *hdr;
	const uint8_t *rgb = cairn_frame_take(app->rgb_sub, &hdr);
	if (rgb != NULL &&
	    (hdr->format != CAIRN_FORMAT_RGB8 || hdr->stride_bytes < 3 * (uint64_t)hdr->width ||
		hdr->payload_bytes < (uint64_t)hdr->stride_bytes * hdr->height)) {
		app->frame_rejects++;
	} else if (rgb != NULL && (double)hdr->t_ns * 1e-9 > app->core.picture_s) {
		int64_t before_ns = cairn_now_ns();
		(void)cairn_local_picture(
		    &app->core, rgb, (int)hdr->width, (int)hdr->height, hdr->stride_bytes, hdr->t_ns);
		app->core.message.work_ms = (double)(cairn_now_ns() - before_ns) * 1e-6;
	}
	cairn_frame_release(app->rgb_sub);
}

static int on_step(void *ctx)
{
	struct app *app = ctx;
	take_picture(app);
	int64_t now_ns = cairn_now_ns();
	cairn_local_message(&app->core, now_ns, &app->message);
	if (app->message.novelty < 0.0)
		cairn_stage_note(app->stage, "no fresh picture");
	else
		cairn_stage_notef(app->stage, "novelty %.2f, %u views, %.1f ms a picture",
		    app->message.novelty, app->message.views, app->message.work_ms);
	cairn_stage_core_rejects(app->stage, app->core.rejects + app->frame_rejects);
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_LOCAL, &app->message, true, now_ns);
	return 0;
}

static int checkpoint(void *ctx)
{
	struct app *app = ctx;
	struct cairn_error err = {""};
	struct cairn_text text = {0};
	uint64_t version = app->core.memory.version;
	if (version == app->saved_version)
		return 0;
	cairn_view_memory_write(&app->core.memory, &text);
	if (text.failed)
		cairn_error_set(&err, "out of memory");
	bool ok = !text.failed && cairn_file_replace(app->path, 0, 0644, text.data, text.len, &err);
	cairn_stage_tried(app->stage, "save the views", ok ? NULL : err.text);
	if (ok)
		app->saved_version = version;
	cairn_text_free(&text);
	return 0;
}

/* What the stage before has kept. */
static void recall(struct app *app)
{
	struct cairn_error err = {""};
	size_t bytes = 0;
	cairn_stage_state_path(app->stage, CAIRN_VIEW_MEMORY_FILE_NAME, app->path, sizeof(app->path));
	char *text =
	    cairn_file_read(app->path, CAIRN_FILE_OWN, CAIRN_VIEW_MEMORY_FILE_BYTES_MAX, &bytes, &err);
	if (text == NULL && errno == ENOENT)
		return;
	if (text != NULL && cairn_view_memory_read(&app->core.memory, text, bytes, &err))
		cairn_log_info("goes on with %u remembered views", app->core.memory.count);
	else
		cairn_stage_put_aside(app->path, err.text, "no views: all is new");
	free(text);
}

static bool open_core(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	(void)stage, (void)err;
	if (!cairn_local_init(&app->core, app->cfg))
		return false;
	recall(app);
	return true;
}

static void save_all(void *ctx)
{
	(void)checkpoint(ctx);
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	cairn_local_free(&app->core);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_FRAME_IN(CAIRN_FRAME_CAMERA_RGB, struct app, rgb_sub)},
    {CAIRN_PORT_OUT(cairn_local_out)},
    {CAIRN_PORT_IN_PART(cairn_local_in, struct app, core)},
    {CAIRN_PORT_EVERY_HZ(local.rate_hz, on_step)},
    {CAIRN_PORT_EVERY_S(local.checkpoint_s, checkpoint)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-local", "says what the camera shows and how new it is, without a model", struct app,
    .open = open_core, .ports = ports, .ended = save_all, .close = close_all)
