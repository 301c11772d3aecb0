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
#define PLANE_DEADLINE_MS 4000
#define WARN_PERIOD_NS (10 * CAIRN_NS_PER_S)

struct app {
	struct cairn_stage *stage;
	struct cairn_annotator *annotator;
	struct cairn_sub *scan_sub, *pose_sub, *frontiers_sub, *imu_sub, *battery_sub, *mission_sub,
	    *result_sub, *decision_sub, *path_sub, *candidates_sub;
	struct cairn_pub *percept_pub;
	struct cairn_frames *frames;
	struct cairn_frame_sub *rgb_sub, *depth_sub;
	struct cairn_frame_sub *map_sub; /* NULL: the map is not shown */
	struct cairn_frame_pub *snapshot_pub;
	uint64_t frame_rejects;
	uint64_t snapshot_id;                 /* newest; 0 = none yet */
	enum cairn_trigger trigger;           /* of a snapshot made since the last percept */
	uint32_t logged[CAIRN_TRIGGER_COUNT]; /* trigger counts when they were last logged */
	int64_t warned_ns;                    /* when a refused frame was last told of */
	union {
		struct cairn_msg_scan scan;
		struct cairn_msg_pose pose;
		struct cairn_msg_frontiers frontiers;
		struct cairn_msg_imu imu;
		struct cairn_msg_battery battery;
		struct cairn_msg_mission mission;
		struct cairn_msg_result result;
		struct cairn_msg_decision decision;
		struct cairn_msg_nav_path path;
		struct cairn_msg_candidates candidates;
	} in;
};

/* Takes the next usable message into app->in: one that its sender vouches for, with a stamp of this machine's
 * clock. */
static bool receive(struct app *app, struct cairn_sub *sub, struct cairn_header *hdr)
{
	while (cairn_sub_recv(sub, &app->in, hdr) == 1) {
		if (hdr->t_ns <= 0 || hdr->t_ns > cairn_now_ns() + 50 * CAIRN_NS_PER_MS)
			cairn_stage_count_reject(app->stage);
		else if (hdr->valid)
			return true;
	}
	return false;
}

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
	for (uint64_t n = cairn_frames_rejects(app->frames); app->frame_rejects < n; app->frame_rejects++)
		cairn_stage_count_reject(app->stage);
	struct cairn_frames_missing missing = cairn_frames_missing(app->frames);
	cairn_stage_frames(app->stage, missing.lost, missing.overtaken);
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

static int on_scan(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	struct cairn_msg_percept percept;
	while (receive(app, app->scan_sub, &hdr)) {
		take_frames(app);
		if (!cairn_annotator_on_scan(
			app->annotator, &app->in.scan, hdr.t_ns, cairn_now_ns(), &percept)) {
			cairn_stage_count_reject(app->stage);
			continue;
		}
		snapshot_if_due(app);
		percept.trigger = app->trigger;
		percept.snapshot_id = app->snapshot_id;
		app->trigger = CAIRN_TRIGGER_NONE;
		cairn_pub_send(app->percept_pub, &percept, hdr.t_ns, true);
	}
	return 0;
}

static int on_pose(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->pose_sub, &hdr)) {
		if (!cairn_annotator_on_pose(app->annotator, &app->in.pose, hdr.t_ns))
			cairn_stage_count_reject(app->stage);
	}
	return 0;
}

static int on_frontiers(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->frontiers_sub, &hdr))
		cairn_annotator_on_frontiers(app->annotator, &app->in.frontiers, hdr.t_ns);
	return 0;
}

static int on_imu(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->imu_sub, &hdr))
		cairn_annotator_on_imu(app->annotator, &app->in.imu, hdr.t_ns);
	return 0;
}

static int on_battery(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->battery_sub, &hdr))
		cairn_annotator_on_battery(app->annotator, &app->in.battery, hdr.t_ns);
	return 0;
}

static int on_mission(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->mission_sub, &hdr))
		cairn_annotator_on_mission(app->annotator, &app->in.mission, hdr.t_ns);
	snapshot_if_due(app);
	return 0;
}

static int on_path(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->path_sub, &hdr))
		cairn_annotator_on_path(app->annotator, &app->in.path, hdr.t_ns);
	return 0;
}

static int on_candidates(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->candidates_sub, &hdr))
		cairn_annotator_on_candidates(app->annotator, &app->in.candidates, hdr.t_ns);
	return 0;
}

static int on_result(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->result_sub, &hdr))
		cairn_annotator_on_result(app->annotator, &app->in.result, cairn_now_ns());
	snapshot_if_due(app);
	return 0;
}

static int on_decision(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->decision_sub, &hdr))
		cairn_annotator_on_decision(app->annotator, &app->in.decision);
	return 0;
}

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

/* Registration may end the process, so it comes before anything is bound. */
static bool open_frames(struct app *app, struct cairn_error *err)
{
	app->frames = cairn_frames_open(
	    cairn_stage_name(app->stage), cairn_stage_config(app->stage), PLANE_DEADLINE_MS, err);
	if (app->frames == NULL)
		return false;
	app->rgb_sub = cairn_frame_sub_new(app->frames, CAIRN_FRAME_CAMERA_RGB, err);
	app->depth_sub = cairn_frame_sub_new(app->frames, CAIRN_FRAME_CAMERA_DEPTH, err);
	app->snapshot_pub = cairn_frame_pub_new(app->frames, CAIRN_FRAME_SNAPSHOT, err);
	if (cairn_stage_config(app->stage)->percept.show_map) {
		app->map_sub = cairn_frame_sub_new(app->frames, CAIRN_FRAME_MAP_GRID, err);
		if (app->map_sub == NULL)
			return false;
	}
	return app->rgb_sub != NULL && app->depth_sub != NULL && app->snapshot_pub != NULL;
}

static void open_bus(struct app *app)
{
	app->percept_pub = cairn_stage_publish(app->stage, CAIRN_TOPIC_PERCEPT);
	app->scan_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_SCAN, on_scan, app);
	app->pose_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_POSE, on_pose, app);
	app->frontiers_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_FRONTIERS, on_frontiers, app);
	app->imu_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_IMU, on_imu, app);
	app->battery_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_BATTERY, on_battery, app);
	app->decision_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_DECISION, on_decision, app);
	app->result_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_RESULT, on_result, app);
	if (cairn_stage_config(app->stage)->percept.show_map)
		app->path_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_NAV_PATH, on_path, app);
	if (cairn_stage_config(app->stage)->percept.show_candidates ||
	    cairn_stage_config(app->stage)->percept.show_map)
		app->candidates_sub =
		    cairn_stage_subscribe(app->stage, CAIRN_TOPIC_CANDIDATES, on_candidates, app);
	app->mission_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_MISSION, on_mission, app);
	cairn_stage_every(app->stage, CHECK_PERIOD_MS, on_check, app);
	cairn_stage_every(app->stage, (int)(cairn_stage_config(app->stage)->vlm.stats_period_s * 1e3),
	    on_stats_period, app);
}

int main(int argc, char **argv)
{
	static struct app app; /* a scan is too large for the stack */
	struct cairn_error err = {""};
	int status = 0;
	app.stage = cairn_stage_start("cairn-annotator",
	    "annotates the camera picture and tells the sensors in words", argc, argv, &status);
	if (app.stage == NULL)
		return status;
	/* Ids rise over restarts of this process: milliseconds since boot, with room for 256 snapshots in
	 * each. */
	uint64_t first_id = (uint64_t)(cairn_now_ns() / CAIRN_NS_PER_MS) << 8;
	app.annotator = cairn_annotator_new(
	    cairn_stage_config(app.stage), CAIRN_FONT_FILE, first_id, cairn_now_ns(), &err);
	if (app.annotator != NULL && open_frames(&app, &err)) {
		open_bus(&app);
		cairn_stage_ready(app.stage);
		status = cairn_stage_run(app.stage);
	} else {
		cairn_log_error("%s", err.text);
		status = 1;
	}
	cairn_frames_close(&app.frames);
	cairn_annotator_destroy(&app.annotator);
	return cairn_stage_finish(&app.stage, status);
}
