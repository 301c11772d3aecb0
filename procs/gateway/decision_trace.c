#include "procs/gateway/decision_trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/vlm/recording.h"
#include "procs/gateway/decision_consequence.h"

/* Sequencer and planner keep the floor they were shown: a view of it is written whenever the robot has moved so far. */
#define SEEN_M 0.10
#define SEEN_RAD 0.2
#define OPEN_MAX 4 /* decisions whose results have not come */

/* What was seen when a snapshot was made; the sequencer compares it with what stands there when the answer comes. */
struct look {
	int64_t snapshot_ns;
	struct cairn_header motion_hdr, pose_hdr, scan_hdr, depth_hdr;
	struct cairn_msg_motion motion;
	struct cairn_msg_pose pose;
	struct cairn_msg_scan scan;
	struct cairn_msg_depth_scan depth;
};

struct witness {
	struct cairn_stage *stage;
	struct recorder *recorder;
	const struct cairn_dialog *dialog;
	struct cairn_frame_sub *grid_sub;
	bool pictures;
	uint64_t asked;
	bool waits;    /* for the decision on what was asked last */
	bool one_more; /* the sequencer may know an update already that has not come here yet */
	struct cairn_text line;
	struct cairn_text grid; /* the newest one as a blob, ready to be written */
	struct cairn_header scan_hdr, pose_hdr, motion_hdr, mission_hdr, frontiers_hdr, candidates_hdr,
	    zones_hdr, goal_hdr;
	struct cairn_msg_scan scan;
	struct cairn_msg_pose pose;
	struct cairn_msg_motion motion;
	struct cairn_msg_mission mission;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_candidates candidates;
	struct cairn_msg_zones zones;
	struct cairn_msg_nav_goal goal;
	struct cairn_header depth_hdr;
	struct cairn_msg_depth_scan depth;
	struct look look;             /* of the newest snapshot */
	struct cairn_pose2 seen_from; /* of the last view that was written */
	bool seen;
	struct pursuit open[OPEN_MAX];
	uint32_t open_next;
};

static void add(struct witness *w, enum cairn_topic topic, const struct cairn_header *hdr, const void *msg)
{
	if (hdr->t_ns != 0 && hdr->valid)
		cairn_recording_message(&w->line, topic, hdr, msg);
}

static void finish(struct witness *w)
{
	cairn_recording_end(&w->line, 0);
	recorder_line(w->recorder, &w->line);
	cairn_text_clear(&w->line);
}

/* ---- what is seen ---- */

#define KEEP(name)                                                                                           \
	static bool take_##name(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)   \
	{                                                                                                    \
		struct witness *w = core;                                                                    \
		(void)now_ns;                                                                                \
		memcpy(&w->name, m, sizeof(w->name));                                                        \
		w->name##_hdr = *hdr;                                                                        \
		return true;                                                                                 \
	}
KEEP(scan)
KEEP(pose)
KEEP(motion)
KEEP(mission)
KEEP(candidates)
KEEP(zones)
KEEP(depth)

/* What follows of the decisions whose results have not come. */
#define FOLLOW(name)                                                                                         \
	static bool take_##name(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)   \
	{                                                                                                    \
		struct witness *w = core;                                                                    \
		(void)now_ns;                                                                                \
		for (uint32_t i = 0; i < OPEN_MAX; i++)                                                      \
			consequence_##name(&w->open[i], m, hdr);                                             \
		return false;                                                                                \
	}
FOLLOW(path)
FOLLOW(status)
FOLLOW(cmd)

static bool take_goal(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	struct witness *w = core;
	(void)now_ns;
	memcpy(&w->goal, m, sizeof(w->goal));
	w->goal_hdr = *hdr;
	for (uint32_t i = 0; i < OPEN_MAX; i++)
		consequence_goal(&w->open[i], &w->goal, hdr);
	return false;
}

/* A frontier moves, and takes another number, while its decision is waited for: the sequencer follows it from update to update. */
static bool take_frontiers(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	struct witness *w = core;
	(void)now_ns;
	memcpy(&w->frontiers, m, sizeof(w->frontiers));
	w->frontiers_hdr = *hdr;
	if (!w->waits && !w->one_more)
		return true;
	w->one_more = false;
	cairn_text_clear(&w->line);
	cairn_recording_begin(&w->line, "seen", 0, hdr->t_ns);
	add(w, CAIRN_TOPIC_FRONTIERS, hdr, &w->frontiers);
	finish(w);
	return true;
}

static const struct cairn_in inputs[] = {
    {CAIRN_TOPIC_SCAN, CAIRN_ACCEPT_ALL, take_scan},
    {CAIRN_TOPIC_POSE, CAIRN_ACCEPT_ALL, take_pose},
    {CAIRN_TOPIC_MOTION, CAIRN_ACCEPT_ALL, take_motion},
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_ALL, take_mission},
    {CAIRN_TOPIC_FRONTIERS, CAIRN_ACCEPT_ALL, take_frontiers},
    {CAIRN_TOPIC_CANDIDATES, CAIRN_ACCEPT_ALL, take_candidates},
    {CAIRN_TOPIC_ZONES, CAIRN_ACCEPT_ALL, take_zones},
    {CAIRN_TOPIC_NAV_GOAL, CAIRN_ACCEPT_ALL, take_goal},
    {CAIRN_TOPIC_NAV_PATH, CAIRN_ACCEPT_ALL, take_path},
    {CAIRN_TOPIC_NAV_STATUS, CAIRN_ACCEPT_ALL, take_status},
    {CAIRN_TOPIC_CMD_VEL, CAIRN_ACCEPT_ALL, take_cmd},
    {.take = NULL},
};
static const struct cairn_in depth_input[] = {
    {CAIRN_TOPIC_SCAN_DEPTH, CAIRN_ACCEPT_ALL, take_depth}, {.take = NULL}};

static void take_grid(struct witness *w)
{
	const struct cairn_frame_header *hdr;
	const void *payload = cairn_frame_take(w->grid_sub, &hdr);
	if (payload != NULL && hdr->format == CAIRN_FORMAT_GRID8) {
		cairn_text_clear(&w->grid);
		cairn_text_bytes(&w->grid, (const char *)hdr, sizeof(*hdr));
		cairn_text_bytes(&w->grid, payload, hdr->payload_bytes);
	}
	cairn_frame_release(w->grid_sub);
}

/* ---- what is written ---- */

static int on_depth(void *ctx)
{
	struct witness *w = ctx;
	bool moved = !w->seen ||
		     hypot(w->pose.x_m - w->seen_from.x_m, w->pose.y_m - w->seen_from.y_m) >= SEEN_M ||
		     fabs(cairn_wrap_rad(w->pose.yaw_rad - w->seen_from.yaw_rad)) >= SEEN_RAD;
	if (!w->depth_hdr.valid || !moved || w->pose_hdr.t_ns == 0)
		return 0;
	w->seen = true;
	w->seen_from = (struct cairn_pose2){w->pose.x_m, w->pose.y_m, w->pose.yaw_rad};
	cairn_text_clear(&w->line);
	cairn_recording_begin(&w->line, "seen", 0, w->depth_hdr.t_ns);
	add(w, CAIRN_TOPIC_POSE, &w->pose_hdr, &w->pose);
	add(w, CAIRN_TOPIC_SCAN_DEPTH, &w->depth_hdr, &w->depth);
	finish(w);
	return 0;
}

static void add_snapshot(struct witness *w, const struct cairn_dialog_question *q)
{
	struct cairn_text payload = {0};
	struct cairn_snapshot_head head = *q->head;
	size_t bytes = q->parts_bytes;
	if (!w->pictures) {
		head.jpeg_bytes = head.view_bytes = 0;
		bytes = head.text_bytes;
	}
	cairn_text_bytes(&payload, (const char *)&head, sizeof(head));
	cairn_text_bytes(&payload, q->parts, bytes);
	cairn_recording_blob(&w->line, "snapshot", payload.data != NULL ? payload.data : "", payload.len);
	w->line.failed |= payload.failed;
	cairn_text_free(&payload);
}

static void add_word(struct witness *w, const char *name, const char *text)
{
	cairn_recording_text(&w->line, name, text, strlen(text));
}

void trace_snapshot(struct witness *w, int64_t t_ns)
{
	struct look *l = &w->look;
	l->snapshot_ns = t_ns;
	l->motion_hdr = w->motion_hdr;
	l->pose_hdr = w->pose_hdr;
	l->scan_hdr = w->scan_hdr;
	l->depth_hdr = w->depth_hdr;
	l->motion = w->motion;
	l->pose = w->pose;
	l->scan = w->scan;
	l->depth = w->depth;
}

void trace_asked(struct witness *w)
{
	struct cairn_dialog_question q;
	struct cairn_text memory = {0};
	static const struct cairn_ledger none = {0};
	char number[32];
	cairn_dialog_question(w->dialog, &q);
	if (q.followup)
		return;
	w->waits = true;
	cairn_text_clear(&w->line);
	cairn_recording_begin(&w->line, "asked", ++w->asked, cairn_now_ns());
	struct cairn_header at = {.epoch = 1, .valid = true, .t_ns = q.frontiers_ns};
	add(w, CAIRN_TOPIC_MISSION, q.mission_hdr, q.mission);
	add(w, CAIRN_TOPIC_FRONTIERS, &at, q.frontiers);
	at.t_ns = q.candidates_ns;
	add(w, CAIRN_TOPIC_CANDIDATES, &at, q.candidates);
	if (w->look.snapshot_ns == q.snapshot_ns) {
		add(w, CAIRN_TOPIC_MOTION, &w->look.motion_hdr, &w->look.motion);
		add(w, CAIRN_TOPIC_POSE, &w->look.pose_hdr, &w->look.pose);
		add(w, CAIRN_TOPIC_SCAN, &w->look.scan_hdr, &w->look.scan);
		add(w, CAIRN_TOPIC_SCAN_DEPTH, &w->look.depth_hdr, &w->look.depth);
	}
	add_snapshot(w, &q);
	snprintf(number, sizeof(number), "%lld", (long long)q.snapshot_ns);
	add_word(w, "snapshot_ns", number);
	add_word(w, "pictures", q.pictures ? "yes" : "no");
	add_word(w, "detail", q.detail ? "yes" : "no");
	add_word(w, "view", q.view ? "yes" : "no");
	add_word(w, "context", q.context != NULL ? q.context : "");
	add_word(w, "problem", q.problem);
	w->line.failed |= !cairn_memory_write(q.memory, &none, &memory);
	add_word(w, "memory", memory.data != NULL ? memory.data : "");
	cairn_text_free(&memory);
	finish(w);
}

void trace_decided(struct witness *w, const struct cairn_msg_decision *decision)
{
	struct cairn_frame_header hdr;
	struct cairn_header at = {.epoch = 1, .valid = true, .t_ns = cairn_now_ns()};
	take_grid(w);
	w->waits = false;
	w->one_more = true;
	cairn_text_clear(&w->line);
	cairn_recording_begin(&w->line, "decided", decision->id, at.t_ns);
	add(w, CAIRN_TOPIC_ZONES, &w->zones_hdr, &w->zones);
	add(w, CAIRN_TOPIC_MISSION, &w->mission_hdr, &w->mission);
	add(w, CAIRN_TOPIC_FRONTIERS, &w->frontiers_hdr, &w->frontiers);
	add(w, CAIRN_TOPIC_CANDIDATES, &w->candidates_hdr, &w->candidates);
	add(w, CAIRN_TOPIC_MOTION, &w->motion_hdr, &w->motion);
	add(w, CAIRN_TOPIC_POSE, &w->pose_hdr, &w->pose);
	add(w, CAIRN_TOPIC_SCAN, &w->scan_hdr, &w->scan);
	add(w, CAIRN_TOPIC_SCAN_DEPTH, &w->depth_hdr, &w->depth);
	cairn_recording_message(&w->line, CAIRN_TOPIC_DECISION, &at, decision);
	if (w->grid.len > sizeof(hdr)) {
		memcpy(&hdr, w->grid.data, sizeof(hdr));
		w->line.failed |= !cairn_recording_grid(&w->line, &hdr, w->grid.data + sizeof(hdr));
	}
	finish(w);
	consequence_begin(&w->open[w->open_next], decision->id, &w->goal, &w->goal_hdr);
	w->open_next = (w->open_next + 1) % OPEN_MAX;
}

void trace_result(struct witness *w, const struct cairn_msg_result *result, const struct cairn_header *hdr)
{
	for (uint32_t i = 0; i < OPEN_MAX; i++) {
		struct pursuit *o = &w->open[i];
		if (o->id == 0 || o->id != result->decision_id)
			continue;
		bool way =
		    result->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && result->outcome != CAIRN_OUTCOME_REFUSED;
		cairn_text_clear(&w->line);
		cairn_recording_begin(&w->line, "ended", o->id, hdr->t_ns);
		if (way && o->has_goal)
			add(w, CAIRN_TOPIC_NAV_GOAL, &o->goal_hdr, &o->goal);
		if (way && o->has_path)
			add(w, CAIRN_TOPIC_NAV_PATH, &o->path_hdr, &o->path);
		if (way && o->has_status)
			add(w, CAIRN_TOPIC_NAV_STATUS, &o->status_hdr, &o->status);
		if (o->has_cmd)
			add(w, CAIRN_TOPIC_CMD_VEL, &o->cmd_hdr, &o->cmd);
		add(w, CAIRN_TOPIC_RESULT, hdr, result);
		finish(w);
		o->id = 0;
	}
}

/* ---- life ---- */

struct witness *trace_new(struct cairn_stage *stage, struct recorder *recorder,
    const struct cairn_dialog *dialog, const struct cairn_profile *profile, const char *system,
    struct cairn_error *err)
{
	const struct cairn_config *cfg = cairn_stage_config(stage);
	struct witness *w = calloc(1, sizeof(*w));
	if (w == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	w->stage = stage;
	w->recorder = recorder;
	w->dialog = dialog;
	w->pictures = cfg->vlm.record_pictures;
	w->grid_sub = cairn_stage_frame_sub(stage, CAIRN_FRAME_MAP_GRID, err);
	if (w->grid_sub == NULL) {
		trace_destroy(&w);
		return NULL;
	}
	cairn_stage_inputs(stage, inputs, w, NULL, NULL);
	cairn_stage_inputs(stage, depth_input, w, on_depth, w);
	cairn_recording_begun(&w->line, cfg, profile, system, cairn_unix_s());
	recorder_line(w->recorder, &w->line);
	return w;
}

void trace_destroy(struct witness **trace_p)
{
	struct witness *w = *trace_p;
	*trace_p = NULL;
	if (w == NULL)
		return;
	cairn_text_free(&w->line);
	cairn_text_free(&w->grid);
	free(w);
}
