#include "procs/gateway/discoveries.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"

struct discoveries {
	struct cairn_stage *stage;
	struct cairn_dialog *dialog;
	struct cairn_pub *pub;
	struct cairn_msg_discoveries out;
	char folder[400];
};

/* The camera picture that went with the question; true when it is kept in the folder. */
static bool keep_picture(struct discoveries *f, const char *name)
{
	struct cairn_dialog_question q;
	char path[512];
	struct cairn_error err = {""};
	cairn_dialog_question(f->dialog, &q);
	if (!q.pictures || q.head->jpeg_bytes == 0)
		return false;
	if (mkdir(f->folder, 0755) != 0 && errno != EEXIST) {
		cairn_stage_tried(f->stage, "keep the picture of a discovery", strerror(errno));
		return false;
	}
	snprintf(path, sizeof(path), "%s/%s", f->folder, name);
	bool ok = cairn_file_replace(path, 0, 0644, q.parts + q.head->text_bytes, q.head->jpeg_bytes, &err);
	cairn_stage_tried(f->stage, "keep the picture of a discovery", ok ? NULL : err.text);
	return ok;
}

/* What made room for the newest report, each with its reason; its picture goes with it. */
static void tell_gone(const struct discoveries *f, const struct cairn_memory *memory)
{
	char path[512];
	for (uint32_t i = 0; i < memory->gone_count; i++) {
		const struct cairn_memory_gone *gone = &memory->gone[i];
		uint64_t so_far = memory->dropped - memory->gone_count + i + 1;
		cairn_log_warn("%s'%s' made room for a newer discovery, the %" PRIu64 ". so far (%s)",
		    gone->room ? "room " : "", gone->label, so_far,
		    gone->room ? "vlm.rooms_max" : "vlm.discoveries_max");
		snprintf(path, sizeof(path), "%s/%s", f->folder, gone->picture);
		if (gone->picture[0] != '\0')
			(void)unlink(path);
	}
}

/* A report that was new: when and on which picture it was seen. */
static void on_report(void *ctx, const struct cairn_tool_call *report)
{
	struct discoveries *f = ctx;
	struct cairn_memory *memory = cairn_dialog_memory(f->dialog);
	struct cairn_memory_sight *sight = cairn_memory_newest(memory);
	struct cairn_dialog_question q;
	char name[sizeof(sight->picture)];
	tell_gone(f, memory);
	if (sight == NULL)
		return;
	cairn_dialog_question(f->dialog, &q);
	sight->unix_s = floor(cairn_unix_s());
	sight->snapshot_id = q.head->snapshot_id;
	snprintf(name, sizeof(name), "%" PRIu64 ".jpg", sight->id);
	if (keep_picture(f, name))
		memcpy(sight->picture, name, sizeof(name));
	cairn_log_info("found %s '%s' at %.1f %.1f%s%s", cairn_significance_word(report->significance),
	    report->label, q.head->x_m, q.head->y_m, sight->picture[0] != '\0' ? ", seen on " : "",
	    sight->picture);
	discoveries_publish(f, cairn_now_ns());
}

struct discoveries *discoveries_new(struct cairn_stage *stage, struct cairn_dialog *dialog)
{
	struct discoveries *f = calloc(1, sizeof(*f));
	if (f == NULL)
		return NULL;
	f->stage = stage;
	f->dialog = dialog;
	cairn_stage_state_path(stage, "pictures", f->folder, sizeof(f->folder));
	f->pub = cairn_stage_publish(stage, CAIRN_TOPIC_DISCOVERIES);
	cairn_dialog_on_report(dialog, on_report, f);
	return f;
}

void discoveries_destroy(struct discoveries **found_p)
{
	free(*found_p);
	*found_p = NULL;
}

void discoveries_publish(struct discoveries *f, int64_t now_ns)
{
	cairn_memory_discoveries(cairn_dialog_memory(f->dialog), &f->out);
	cairn_pub_send(f->pub, &f->out, now_ns, true);
}
