/* recorder - writes what all other stages tell and show into MCAP files (docs/recordings.md).
 *
 * Nothing waits for it: publishers drop what it does not take in time. A disk that is full or fails ends the file and nothing else; it
 * is said in the heartbeat, and tried again. A file that was not ended is readable up to its last chunk, which is written once a
 * second. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/base/whole_io.h"
#include "procs/recorder/capture.h"
#include "procs/recorder/folder.h"
#include "procs/shell/stage.h"

#define FRAMES_MS 40
#define SECOND_MS 1000
#define TRY_AGAIN_NS (10 * CAIRN_NS_PER_S)

struct app {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct capture capture;
	struct record_folder folder;
	struct cairn_message_recorder *recorder; /* NULL: nothing is recorded now */
	int64_t begun_ns, again_ns;
	uint64_t files, messages;
};

static bool to_file(void *ctx, const void *data, size_t bytes)
{
	const struct app *app = ctx;
	return cairn_write_whole(app->folder.fd, data, bytes);
}

/* Ends the file in good order; why: what stopped it, or NULL. */
static void end_file(struct app *app, const char *why)
{
	struct cairn_error err = {""};
	if (app->recorder == NULL)
		return;
	uint64_t messages = cairn_message_recorder_messages(app->recorder);
	bool whole = cairn_message_recorder_finish(app->recorder);
	uint64_t bytes = cairn_message_recorder_bytes(app->recorder);
	cairn_message_recorder_destroy(&app->recorder);
	whole = record_folder_end(&app->folder, &err) && whole;
	app->files++;
	app->messages += messages;
	cairn_log_info("%s: %" PRIu64 " messages, %.1f MB%s", app->folder.file, messages,
	    (double)bytes * 1e-6, whole ? "" : ", without an index ('cairn record --repair')");
	if (why == NULL)
		return;
	cairn_stage_tried(app->stage, "record", why);
	app->again_ns = cairn_now_ns() + TRY_AGAIN_NS;
}

/* A message that could not be written is counted; a disk that takes no more ends the file. */
static void fail(struct app *app)
{
	char why[80];
	if (!cairn_message_recorder_failed(app->recorder)) {
		cairn_stage_count_reject(app->stage);
		return;
	}
	snprintf(why, sizeof(why), "%s", errno == ENOSPC ? "disk full" : strerror(errno));
	end_file(app, why);
}

static void begin_file(struct app *app)
{
	struct cairn_error err = {""};
	int64_t now_ns = cairn_now_ns();
	if (app->recorder != NULL || now_ns < app->again_ns)
		return;
	app->again_ns = now_ns + TRY_AGAIN_NS;
	if (!record_folder_begin(&app->folder, &err)) {
		cairn_stage_tried(app->stage, "record", err.text);
		return;
	}
	const struct cairn_record_options options = capture_options(app->cfg);
	app->recorder = cairn_message_recorder_new(&options, to_file, app);
	if (app->recorder == NULL) {
		cairn_stage_tried(app->stage, "record", strerror(errno));
		(void)record_folder_end(&app->folder, &err);
		return;
	}
	app->begun_ns = now_ns;
	app->again_ns = 0;
	cairn_stage_tried(app->stage, "record", NULL);
	cairn_stage_note(app->stage, app->folder.file);
}

static int on_ear(void *ctx)
{
	const struct capture_ear *ear = ctx;
	struct app *app = ear->ctx;
	if (!capture_take(&app->capture, ear, app->recorder))
		fail(app);
	return 0;
}

static int on_frames(void *ctx)
{
	struct app *app = ctx;
	if (!capture_take_frames(&app->capture, app->recorder))
		fail(app);
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
	struct cairn_error err = {""};
	look(app);
	if (app->recorder != NULL) {
		double age_s = (double)(cairn_now_ns() - app->begun_ns) * 1e-9;
		if (!cairn_message_recorder_flush(app->recorder))
			fail(app);
		else if (fdatasync(app->folder.fd) != 0)
			end_file(app, strerror(errno));
		else if (!record_folder_has_room(&app->folder, &err))
			end_file(app, err.text);
		else if (cairn_ring_full(
			     (double)cairn_message_recorder_bytes(app->recorder), age_s, &app->folder.limits))
			end_file(app, NULL);
	}
	begin_file(app);
	return 0;
}

static void configure(struct app *app)
{
	const struct cairn_config_record *cfg = &app->cfg->record;
	double quota = cfg->quota_mb * 1e6, file = cfg->file_mb * 1e6;
	app->folder = (struct record_folder){.ring = cfg->when_full == CAIRN_CHOICE_WHEN_FULL_RING,
	    .keep_free_bytes = cfg->keep_free_mb * 1e6,
	    .fd = -1,
	    .limits = {.quota_bytes = quota,
		.age_max_s = cfg->keep_days * 86400.0,
		.file_bytes = file < quota / 2 ? file : quota / 2,
		.file_s = cfg->file_min * 60.0}};
	bool absolute = cfg->folder[0] == '/';
	snprintf(app->folder.path, sizeof(app->folder.path), "%s%s%s",
	    absolute ? "" : cairn_stage_run_dir(app->stage), absolute ? "" : "/", cfg->folder);
}

/* Registration may end the process, so it comes before a file is begun. */
static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	app->stage = stage;
	app->cfg = cairn_stage_config(stage);
	configure(app);
	struct cairn_frames *frames = cairn_stage_frames(stage, err);
	if (frames == NULL ||
	    !capture_init(&app->capture, cairn_stage_bus(stage), cairn_stage_run_dir(stage)) ||
	    !capture_frames(&app->capture, frames, capture_frame_set(app->cfg), err))
		return false;
	if (record_folder_open(&app->folder, err))
		begin_file(app);
	else /* said and tried again: a stage that dies of it would be held failed */
		cairn_stage_tried(app->stage, "record", err->text);
	look(app);
	cairn_stage_every(app->stage, FRAMES_MS, on_frames, app);
	cairn_stage_every(app->stage, SECOND_MS, on_second, app);
	return true;
}

static void end_all(void *ctx)
{
	struct app *app = ctx;
	end_file(app, NULL);
	cairn_log_info("%" PRIu64 " files, %" PRIu64 " messages", app->files, app->messages);
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	capture_free(&app->capture);
}

CAIRN_STAGE_MAIN("cairn-recorder", "writes what all other stages tell and show into files", struct app,
    .open = open_all, .ended = end_all, .close = close_all)
