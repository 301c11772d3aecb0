/* annotator - turns the live sensors into what the model sees: a percept with each scan, a snapshot when one
 * is due.
 *
 * Everything is decided in common/percept/annotator.h; here messages and frames are handed over. Frames are
 * looked at with each scan and before each snapshot: the data plane has nothing to wait on, and this needs
 * nothing more. */
#include <string.h>

#include "common/base/geom.h"
#include "common/percept/annotator.h"
#include "common/drawing/font.h"
#include "common/vlm/stats.h"
#include "ipc/frame_layout.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

#define CHECK_PERIOD_MS 100 /* scans and missions drive the stage; this is for when they are silent */
#define WARN_PERIOD_NS (10 * CAIRN_NS_PER_S)

struct app {
	struct cairn_stage *stage;
	struct cairn_annotator *annotator;
	struct cairn_outbox *outbox;
	struct cairn_frame_sub *rgb_sub, *depth_sub;
	struct cairn_frame_sub *map_sub; /* NULL: the map is not shown */
	struct cairn_frame_pub *snapshot_pub;
	uint64_t snapshot_id;                 /* newest; 0 = none yet */
	enum cairn_trigger trigger;           /* of a snapshot made since the last percept */
	uint32_t logged[CAIRN_TRIGGER_COUNT]; /* trigger counts when they were last logged */
	int64_t warned_ns;                    /* when a refused frame was last told of */
};

static void refuse_frame(struct app *app, const struct cairn_error *err)
{
	cairn_stage_count_reject(app->stage);
	int64_t now_ns = cairn_now_ns();
	if (app->warned_ns != 0 && now_ns - app->warned_ns < WARN_PERIOD_NS)
		return; /* all are counted, one in a while is told */
	app->warned_ns = now_ns;
	cairn_log_warn("frame refused: %s", err->text);
}

typedef bool take_fn(struct cairn_annotator *annotator, const struct cairn_frame_header *hdr,
    const void *payload, struct cairn_error *err);

/* The newest frame, if there is one that was not seen yet. */
static void take_frame(struct app *app, struct cairn_frame_sub *sub, take_fn *take)
{
	const struct cairn_frame_header *hdr;
	struct cairn_error err = {""};
	const void *payload = cairn_frame_take(sub, &hdr);
	if (payload != NULL && !take(app->annotator, hdr, payload, &err))
		refuse_frame(app, &err);
	cairn_frame_release(sub);
}

static void take_frames(struct app *app)
{
	take_frame(app, app->depth_sub, cairn_annotator_on_depth);
	take_frame(app, app->rgb_sub, cairn_annotator_on_rgb);
	if (app->map_sub != NULL)
		take_frame(app, app->map_sub, cairn_annotator_on_map);
}

static void snapshot_if_due(struct app *app)
{
	enum cairn_trigger trigger = cairn_annotator_due(app->annotator, cairn_now_ns());
	if (trigger == CAIRN_TRIGGER_NONE)
		return;
	take_frames(app);

	uint32_t capacity = cairn_frame_payload_max(cairn_stage_config(app->stage), CAIRN_FRAME_SNAPSHOT);
	struct cairn_frame_header *hdr;
	void *payload = cairn_frame_loan(app->snapshot_pub, capacity, &hdr);
	if (payload == NULL)
		return; /* counted; due again at the next turn */
	struct cairn_error err = {""};
	int64_t now_ns = cairn_now_ns();
	size_t bytes = cairn_annotator_snapshot(app->annotator, trigger, now_ns, payload, capacity, &err);
	if (bytes == 0) {
		cairn_frame_abandon(app->snapshot_pub);
		refuse_frame(app, &err);
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
	cairn_frame_publish(app->snapshot_pub);
	bool first = app->snapshot_id == 0;
	app->trigger = trigger;
	app->snapshot_id = head.snapshot_id;

	char note[96];
	snprintf(note, sizeof(note), "%s",
	    head.jpeg_bytes > 0 ? "" : "no fresh picture: snapshots are text alone");
	cairn_stage_note(app->stage, note);
	if (first)
		cairn_log_info(
		    "first snapshot: %u bytes of text, %u of picture", head.text_bytes, head.jpeg_bytes);
}

/* ---- in ---- */

static bool take_scan(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	struct app *app = core;
	struct cairn_msg_percept percept;
	take_frames(app);
	if (!cairn_annotator_on_scan(app->annotator, m, hdr->t_ns, now_ns, &percept)) {
		cairn_stage_count_reject(app->stage);
		return false;
	}
	snapshot_if_due(app);
	percept.trigger = app->trigger;
	percept.snapshot_id = app->snapshot_id;
	app->trigger = CAIRN_TRIGGER_NONE;
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_PERCEPT, &percept, true, hdr->t_ns);
	return false;
}

static bool take_pose(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	struct app *app = core;
	(void)now_ns;
	if (!cairn_annotator_on_pose(app->annotator, m, hdr->t_ns))
		cairn_stage_count_reject(app->stage);
	return false;
}

#define TAKE(msg, call) CAIRN_TAKE(take_##msg, app, msg, call)
TAKE(frontiers, cairn_annotator_on_frontiers(core->annotator, m, hdr->t_ns))
TAKE(imu, cairn_annotator_on_imu(core->annotator, m, hdr->t_ns))
TAKE(battery, cairn_annotator_on_battery(core->annotator, m, hdr->t_ns))
TAKE(nav_path, cairn_annotator_on_path(core->annotator, m, hdr->t_ns))
TAKE(candidates, cairn_annotator_on_candidates(core->annotator, m, hdr->t_ns))
TAKE(local, cairn_annotator_on_local(core->annotator, m, hdr->t_ns))
TAKE(decision, cairn_annotator_on_decision(core->annotator, m))

/* Both make a snapshot due. */
static bool take_mission(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	struct app *app = core;
	(void)now_ns;
	cairn_annotator_on_mission(app->annotator, m, hdr->t_ns);
	return true;
}

static bool take_result(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	struct app *app = core;
	(void)hdr;
	cairn_annotator_on_result(app->annotator, m, now_ns);
	return true;
}

static const struct cairn_in inputs[] = {
    {CAIRN_TOPIC_SCAN, CAIRN_ACCEPT_PLAUSIBLE, take_scan},
    {CAIRN_TOPIC_POSE, CAIRN_ACCEPT_PLAUSIBLE, take_pose},
    {CAIRN_TOPIC_FRONTIERS, CAIRN_ACCEPT_PLAUSIBLE, take_frontiers},
    {CAIRN_TOPIC_IMU, CAIRN_ACCEPT_PLAUSIBLE, take_imu},
    {CAIRN_TOPIC_BATTERY, CAIRN_ACCEPT_PLAUSIBLE, take_battery},
    {CAIRN_TOPIC_DECISION, CAIRN_ACCEPT_PLAUSIBLE, take_decision},
    {CAIRN_TOPIC_RESULT, CAIRN_ACCEPT_PLAUSIBLE, take_result},
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_PLAUSIBLE, take_mission},
    {.take = NULL},
};
static const struct cairn_in path_input[] = {
    {CAIRN_TOPIC_NAV_PATH, CAIRN_ACCEPT_PLAUSIBLE, take_nav_path}, {.take = NULL}};
static const struct cairn_in candidates_input[] = {
    {CAIRN_TOPIC_CANDIDATES, CAIRN_ACCEPT_PLAUSIBLE, take_candidates}, {.take = NULL}};
static const struct cairn_in local_input[] = {
    {CAIRN_TOPIC_LOCAL, CAIRN_ACCEPT_PLAUSIBLE, take_local}, {.take = NULL}};
static const struct cairn_out outputs[] = {{CAIRN_TOPIC_PERCEPT, 0}, {CAIRN_TOPIC_COUNT, 0}};

static int on_check(void *ctx)
{
	snapshot_if_due(ctx);
	return 0;
}

static int on_stats_period(void *ctx)
{
	struct app *app = ctx;
	const uint32_t *counts = cairn_annotator_trigger_counts(app->annotator);
	uint32_t added[CAIRN_TRIGGER_COUNT];
	char text[256];
	for (int i = 0; i < CAIRN_TRIGGER_COUNT; i++)
		added[i] = counts[i] - app->logged[i];
	memcpy(app->logged, counts, sizeof(app->logged));
	cairn_trigger_counts_text(added, text, sizeof(text));
	cairn_log_info(
	    "triggers in the last %g s: %s", cairn_stage_config(app->stage)->vlm.stats_period_s, text);
	return 0;
}

static bool open_frames(struct app *app, struct cairn_error *err)
{
	app->rgb_sub = cairn_stage_frame_sub(app->stage, CAIRN_FRAME_CAMERA_RGB, err);
	if (app->rgb_sub == NULL)
		return false;
	app->depth_sub = cairn_stage_frame_sub(app->stage, CAIRN_FRAME_CAMERA_DEPTH, err);
	app->snapshot_pub = cairn_stage_frame_pub(app->stage, CAIRN_FRAME_SNAPSHOT, err);
	if (cairn_stage_config(app->stage)->percept.show_map) {
		app->map_sub = cairn_stage_frame_sub(app->stage, CAIRN_FRAME_MAP_GRID, err);
		if (app->map_sub == NULL)
			return false;
	}
	return app->depth_sub != NULL && app->snapshot_pub != NULL;
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	const struct cairn_config *cfg = cairn_stage_config(stage);
	app->stage = stage;
	/* Ids rise over restarts of this process: milliseconds since boot, with room for 256 snapshots in
	 * each. */
	uint64_t first_id = (uint64_t)(cairn_now_ns() / CAIRN_NS_PER_MS) << 8;
	app->annotator = cairn_annotator_new(cfg, CAIRN_FONT_FILE, first_id, cairn_now_ns(), err);
	if (app->annotator == NULL || !open_frames(app, err))
		return false;
	app->outbox = cairn_stage_outputs(stage, outputs);
	cairn_stage_inputs(stage, inputs, app, on_check, app);
	if (cfg->percept.show_map)
		cairn_stage_inputs(stage, path_input, app, NULL, NULL);
	if (cfg->percept.show_candidates || cfg->percept.show_map)
		cairn_stage_inputs(stage, candidates_input, app, NULL, NULL);
	if (cfg->local.enabled)
		cairn_stage_inputs(stage, local_input, app, NULL, NULL);
	cairn_stage_every(stage, CHECK_PERIOD_MS, on_check, app);
	cairn_stage_every(stage, (int)(cfg->vlm.stats_period_s * 1e3), on_stats_period, app);
	return true;
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	cairn_annotator_destroy(&app->annotator);
}

CAIRN_STAGE_MAIN("cairn-annotator", "annotates the camera picture and tells the sensors in words", struct app,
    .open = open_all, .close = close_all)
