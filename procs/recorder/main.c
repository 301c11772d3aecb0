/* recorder - writes what all other stages tell and show into MCAP files (docs/recordings.md).
 *
 * Nothing waits for it: publishers drop what it does not take in time. A disk that is full or fails ends the file and nothing else; it
 * is said in the heartbeat, and tried again. A file that was not ended is readable up to its last chunk, which is written once a
 * second. */
#include <inttypes.h>

#include "procs/recorder/recording.h"

struct app {
	CAIRN_STAGE_STATE;
	struct capture capture;
	struct recording recording;
};

static int on_ear(void *ctx)
{
	const struct capture_ear *ear = ctx;
	struct app *app = ear->ctx;
	if (!capture_take(&app->capture, ear, app->recording.recorder))
		recording_fail(&app->recording);
	return 0;
}

static int on_frames(void *ctx)
{
	struct app *app = ctx;
	if (!capture_take_frames(&app->capture, app->recording.recorder))
		recording_fail(&app->recording);
	return 0;
}

static void look(struct app *app)
{
	for (int i = capture_look(&app->capture, NULL, NULL); i < app->capture.count; i++) {
		struct capture_ear *ear = &app->capture.ears[i];
		ear->ctx = app;
		cairn_stage_watch_socket(app->stage, cairn_sub_socket(ear->sub), on_ear, ear);
	}
}

static int on_second(void *ctx)
{
	struct app *app = ctx;
	look(app);
	recording_tend(&app->recording);
	return 0;
}

/* Registration may end the process, so it comes before a file is begun. */
static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	struct cairn_frames *frames = cairn_stage_frames(stage, err);
	if (frames == NULL ||
	    !capture_init(&app->capture, cairn_stage_bus(stage), cairn_stage_run_dir(stage)) ||
	    !capture_frames(&app->capture, frames, capture_frame_set(app->cfg), err))
		return false;
	recording_open(&app->recording, stage);
	look(app);
	return true;
}

static void end_all(void *ctx)
{
	struct app *app = ctx;
	recording_end(&app->recording, NULL);
	cairn_log_info(
	    "%" PRIu64 " files, %" PRIu64 " messages", app->recording.files, app->recording.messages);
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	capture_free(&app->capture);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_EVERY(40, on_frames)},
    {CAIRN_PORT_EVERY(1000, on_second)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-recorder", "writes what all other stages tell and show into files", struct app,
    .open = open_all, .ports = ports, .ended = end_all, .close = close_all)
