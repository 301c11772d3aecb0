#include "procs/annotator/snapshots.h"

#include <string.h>

#include "common/base/geom.h"
#include "common/vlm/stats.h"

#define WARN_PERIOD_NS (10 * CAIRN_NS_PER_S)

static void refuse_frame(struct annotator *a, const struct cairn_error *err)
{
	cairn_stage_count_reject(a->stage);
	int64_t now_ns = cairn_now_ns();
	if (a->warned_ns != 0 && now_ns - a->warned_ns < WARN_PERIOD_NS)
		return; /* all are counted, one in a while is told */
	a->warned_ns = now_ns;
	cairn_log_warn("frame refused: %s", err->text);
}

typedef bool take_fn(struct cairn_annotator *annotator, const struct cairn_frame_header *hdr,
    const void *payload, struct cairn_error *err);

/* The newest frame, if there is one that was not seen yet. */
static void take_frame(struct annotator *a, struct cairn_frame_sub *sub, take_fn *take)
{
	const struct cairn_frame_header *hdr;
	struct cairn_error err = {""};
	const void *payload = cairn_frame_take(sub, &hdr);
	if (payload != NULL && !take(a->core, hdr, payload, &err))
		refuse_frame(a, &err);
	cairn_frame_release(sub);
}

static void take_frames(struct annotator *a)
{
	take_frame(a, a->depth_sub, cairn_annotator_on_depth);
	take_frame(a, a->rgb_sub, cairn_annotator_on_rgb);
	if (a->map_sub != NULL)
		take_frame(a, a->map_sub, cairn_annotator_on_map);
}

static void snapshot_if_due(struct annotator *a)
{
	enum cairn_trigger trigger = cairn_annotator_due(a->core, cairn_now_ns());
	if (trigger == CAIRN_TRIGGER_NONE)
		return;
	take_frames(a);

	uint32_t capacity = cairn_frame_payload_max(a->cfg, CAIRN_FRAME_SNAPSHOT);
	struct cairn_frame_header *hdr;
	void *payload = cairn_frame_loan(a->snapshot_pub, capacity, &hdr);
	if (payload == NULL)
		return; /* counted; due again at the next turn */
	struct cairn_error err = {""};
	int64_t now_ns = cairn_now_ns();
	size_t bytes = cairn_annotator_snapshot(a->core, trigger, now_ns, payload, capacity, &err);
	if (bytes == 0) {
		cairn_frame_abandon(a->snapshot_pub);
		refuse_frame(a, &err);
		return;
	}
	struct cairn_snapshot_head head;
	memcpy(&head, payload, sizeof(head));
	hdr->format = CAIRN_FORMAT_SNAPSHOT;
	hdr->t_ns = now_ns;
	hdr->payload_bytes = (uint32_t)bytes;
	hdr->pose_x_m = head.x_m;
	hdr->pose_y_m = head.y_m;
	hdr->pose_yaw_rad = head.yaw_rad;
	cairn_frame_publish(a->snapshot_pub);
	bool first = a->snapshot_id == 0;
	a->trigger = trigger;
	a->snapshot_id = head.snapshot_id;

	cairn_stage_note(a->stage, head.jpeg_bytes > 0 ? "" : "no fresh picture: snapshots are text alone");
	if (first)
		cairn_log_info(
		    "first snapshot: %u bytes of text, %u of picture", head.text_bytes, head.jpeg_bytes);
}

static bool take_scan(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	struct annotator *a = core;
	struct cairn_msg_percept percept;
	take_frames(a);
	if (!cairn_annotator_on_scan(a->core, m, hdr->t_ns, now_ns, &percept)) {
		cairn_stage_count_reject(a->stage);
		return false;
	}
	snapshot_if_due(a);
	percept.trigger = a->trigger;
	percept.snapshot_id = a->snapshot_id;
	a->trigger = CAIRN_TRIGGER_NONE;
	cairn_outbox_put(a->outbox, CAIRN_TOPIC_PERCEPT, &percept, true, hdr->t_ns);
	return false;
}

static bool take_pose(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	struct annotator *a = core;
	(void)now_ns;
	if (!cairn_annotator_on_pose(a->core, m, hdr->t_ns))
		cairn_stage_count_reject(a->stage);
	return false;
}

const struct cairn_in annotator_in[] = {
    {CAIRN_TOPIC_SCAN, CAIRN_ACCEPT_PLAUSIBLE, take_scan},
    {CAIRN_TOPIC_POSE, CAIRN_ACCEPT_PLAUSIBLE, take_pose},
    {.take = NULL},
};
const struct cairn_out annotator_out[] = {{CAIRN_TOPIC_PERCEPT, 0}, {CAIRN_TOPIC_COUNT, 0}};

int annotator_on_check(void *ctx)
{
	snapshot_if_due(ctx);
	return 0;
}

int annotator_on_stats(void *ctx)
{
	struct annotator *a = ctx;
	const uint32_t *counts = cairn_annotator_trigger_counts(a->core);
	uint32_t added[CAIRN_TRIGGER_COUNT];
	char text[256];
	for (int i = 0; i < CAIRN_TRIGGER_COUNT; i++)
		added[i] = counts[i] - a->logged[i];
	memcpy(a->logged, counts, sizeof(a->logged));
	cairn_trigger_counts_text(added, text, sizeof(text));
	cairn_log_info("triggers in the last %g s: %s", a->cfg->vlm.stats_period_s, text);
	return 0;
}
