#include "procs/recorder/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/base/whole_io.h"

#define TRY_AGAIN_NS (10 * CAIRN_NS_PER_S)

static bool to_file(void *ctx, const void *data, size_t bytes)
{
	const struct recording *r = ctx;
	return cairn_write_whole(r->folder.fd, data, bytes);
}

void recording_end(struct recording *r, const char *why)
{
	struct cairn_error err = {""};
	if (r->recorder == NULL)
		return;
	uint64_t messages = cairn_message_recorder_messages(r->recorder);
	bool whole = cairn_message_recorder_finish(r->recorder);
	uint64_t bytes = cairn_message_recorder_bytes(r->recorder);
	cairn_message_recorder_destroy(&r->recorder);
	whole = record_folder_end(&r->folder, &err) && whole;
	r->files++;
	r->messages += messages;
	cairn_log_info("%s: %" PRIu64 " messages, %.1f MB%s", r->folder.file, messages, (double)bytes * 1e-6,
	    whole ? "" : ", without an index ('cairn record --repair')");
	if (why == NULL)
		return;
	cairn_stage_tried(r->stage, "record", why);
	r->again_ns = cairn_now_ns() + TRY_AGAIN_NS;
}

void recording_fail(struct recording *r)
{
	char why[80];
	if (!cairn_message_recorder_failed(r->recorder)) {
		cairn_stage_count_reject(r->stage);
		return;
	}
	snprintf(why, sizeof(why), "%s", errno == ENOSPC ? "disk full" : strerror(errno));
	recording_end(r, why);
}

static void begin(struct recording *r)
{
	struct cairn_error err = {""};
	int64_t now_ns = cairn_now_ns();
	if (r->recorder != NULL || now_ns < r->again_ns)
		return;
	r->again_ns = now_ns + TRY_AGAIN_NS;
	if (!record_folder_begin(&r->folder, &err)) {
		cairn_stage_tried(r->stage, "record", err.text);
		return;
	}
	const struct cairn_record_options options = capture_options(r->cfg);
	r->recorder = cairn_message_recorder_new(&options, to_file, r);
	if (r->recorder == NULL) {
		cairn_stage_tried(r->stage, "record", strerror(errno));
		(void)record_folder_end(&r->folder, &err);
		return;
	}
	r->begun_ns = now_ns;
	r->again_ns = 0;
	cairn_stage_tried(r->stage, "record", NULL);
	cairn_stage_note(r->stage, r->folder.file);
}

static void configure(struct recording *r)
{
	const struct cairn_config_record *cfg = &r->cfg->record;
	double quota = cfg->quota_mb * 1e6, file = cfg->file_mb * 1e6;
	r->folder = (struct record_folder){.ring = cfg->when_full == CAIRN_CHOICE_WHEN_FULL_RING,
	    .keep_free_bytes = cfg->keep_free_mb * 1e6,
	    .fd = -1,
	    .limits = {.quota_bytes = quota,
		.age_max_s = cfg->keep_days * 86400.0,
		.file_bytes = file < quota / 2 ? file : quota / 2,
		.file_s = cfg->file_min * 60.0}};
	(void)cairn_path_below(
	    r->folder.path, sizeof(r->folder.path), cairn_stage_run_dir(r->stage), cfg->folder);
}

void recording_open(struct recording *r, struct cairn_stage *stage)
{
	struct cairn_error err = {""};
	r->stage = stage;
	r->cfg = cairn_stage_config(stage);
	configure(r);
	if (record_folder_open(&r->folder, &err))
		begin(r);
	else
		cairn_stage_tried(stage, "record", err.text);
}

void recording_tend(struct recording *r)
{
	struct cairn_error err = {""};
	if (r->recorder != NULL) {
		double age_s = (double)(cairn_now_ns() - r->begun_ns) * 1e-9;
		if (!cairn_message_recorder_flush(r->recorder))
			recording_fail(r);
		else if (fdatasync(r->folder.fd) != 0)
			recording_end(r, strerror(errno));
		else if (!record_folder_has_room(&r->folder, &err))
			recording_end(r, err.text);
		else if (cairn_ring_full(
			     (double)cairn_message_recorder_bytes(r->recorder), age_s, &r->folder.limits))
			recording_end(r, NULL);
	}
	begin(r);
}
