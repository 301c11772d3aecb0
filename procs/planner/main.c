/* planner - a path to the sequencer's goal and the velocities that follow it.
 *
 * Everything is decided in common/plan/planner.h; here messages and frames are handed over. It keeps nothing
 * that matters: the goal is repeated by the sequencer, the map by the mapper, so a reborn planner just goes
 * on. */
#include <stdio.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/plan/planner.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

#define STEP_MS 50
#define STATUS_STEPS 4 /* between two repetitions of the status */
#define PATH_STEPS 20  /* between two repetitions of the path */
#define PLANE_DEADLINE_MS 4000

struct app {
	struct cairn_stage *stage;
	struct cairn_planner *planner;
	struct cairn_sub *goal_sub, *pose_sub, *scan_sub, *motion_sub, *zones_sub, *depth_sub, *claims_sub;
	struct cairn_pub *velocity_pub, *status_pub, *path_pub;
	struct cairn_frames *frames;
	struct cairn_frame_sub *grid_sub;
	uint64_t frame_rejects, core_rejects;
	unsigned steps;
	char said[128];
	uint64_t said_goal;
	union {
		struct cairn_msg_nav_goal goal;
		struct cairn_msg_pose pose;
		struct cairn_msg_scan scan;
		struct cairn_msg_motion motion;
		struct cairn_msg_zones zones;
		struct cairn_msg_depth_scan depth;
		struct cairn_msg_claims claims;
	} in;
	struct cairn_msg_nav_path path;
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

static int on_goal(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->goal_sub, &hdr))
		cairn_planner_goal(app->planner, &app->in.goal, hdr.t_ns);
	return 0;
}

static int on_pose(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->pose_sub, &hdr))
		cairn_planner_pose(app->planner, &app->in.pose, hdr.t_ns);
	return 0;
}

static int on_scan(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->scan_sub, &hdr))
		cairn_planner_scan(app->planner, &app->in.scan, hdr.t_ns);
	return 0;
}

static int on_motion(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->motion_sub, &hdr))
		cairn_planner_motion(app->planner, &app->in.motion, hdr.t_ns);
	return 0;
}

static int on_zones(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->zones_sub, &hdr))
		cairn_planner_zones(app->planner, &app->in.zones);
	return 0;
}

static int on_depth(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->depth_sub, &hdr))
		cairn_planner_depth(app->planner, &app->in.depth, hdr.t_ns);
	return 0;
}

static int on_claims(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (receive(app, app->claims_sub, &hdr))
		cairn_planner_claims(app->planner, &app->in.claims);
	return 0;
}

static void take_grid(struct app *app)
{
	const struct cairn_frame_header *hdr;
	const void *payload = cairn_frame_take(app->grid_sub, &hdr);
	if (payload != NULL && hdr->format == CAIRN_FORMAT_GRID8) {
		struct cairn_plan_grid grid = {.cells = payload,
		    .stride = hdr->stride_bytes,
		    .width = (int)hdr->width,
		    .height = (int)hdr->height,
		    .origin_x_m = hdr->origin_x_m,
		    .origin_y_m = hdr->origin_y_m,
		    .cell_m = hdr->cell_m};
		cairn_planner_grid(app->planner, &grid, hdr->t_ns);
	} else if (payload != NULL) {
		cairn_stage_count_reject(app->stage);
	}
	cairn_frame_release(app->grid_sub);
}

static void count_rejects(struct app *app)
{
	for (uint64_t n = cairn_frames_rejects(app->frames); app->frame_rejects < n; app->frame_rejects++)
		cairn_stage_count_reject(app->stage);
	struct cairn_frames_missing missing = cairn_frames_missing(app->frames);
	cairn_stage_frames(app->stage, missing.lost, missing.overtaken);
	for (uint64_t n = cairn_planner_rejects(app->planner); app->core_rejects < n; app->core_rejects++)
		cairn_stage_count_reject(app->stage);
}

/* One line for each change of what it does. */
static void say(struct app *app, const struct cairn_msg_nav_status *s)
{
	char note[sizeof(app->said)];
	snprintf(note, sizeof(note), "%s: %.96s", cairn_enum_text(&cairn_enum_nav_state, (int)s->state),
	    s->reason);
	if (strcmp(note, app->said) == 0 && s->goal_id == app->said_goal)
		return;
	app->said_goal = s->goal_id;
	memcpy(app->said, note, sizeof(note));
	cairn_stage_note(app->stage, note);
	cairn_log_info("goal %llu: %s (%.2f m left, search %.1f ms)", (unsigned long long)s->goal_id, note,
	    s->remaining_m, s->planning_ms);
}

static int on_step(void *ctx)
{
	struct app *app = ctx;
	struct cairn_planner_output out;
	take_grid(app);
	cairn_planner_step(app->planner, cairn_now_ns(), &out);
	int64_t now_ns = cairn_now_ns(); /* a search may have taken its time */
	if (out.has_velocity)
		cairn_pub_send(app->velocity_pub, &out.velocity, now_ns, true);
	if (out.status_changed || app->steps % STATUS_STEPS == 0)
		cairn_pub_send(app->status_pub, &out.status, now_ns, true);
	if (out.path_changed || (app->steps % PATH_STEPS == 0 && out.has_velocity)) {
		cairn_planner_path(app->planner, &app->path);
		cairn_pub_send(app->path_pub, &app->path, now_ns, true);
	}
	if (out.status_changed)
		say(app, &out.status);
	count_rejects(app);
	app->steps++;
	return 0;
}

static int64_t search_clock(void *ctx)
{
	(void)ctx;
	return cairn_now_ns();
}

/* Registration may end the process, so it comes before anything is bound. */
static bool open_frames(struct app *app, struct cairn_error *err)
{
	app->frames = cairn_frames_open(
	    cairn_stage_name(app->stage), cairn_stage_config(app->stage), PLANE_DEADLINE_MS, err);
	if (app->frames == NULL)
		return false;
	app->grid_sub = cairn_frame_sub_new(app->frames, CAIRN_FRAME_MAP_GRID, err);
	return app->grid_sub != NULL;
}

static void open_bus(struct app *app)
{
	app->velocity_pub = cairn_stage_publish(app->stage, CAIRN_TOPIC_NAV_VELOCITY);
	app->status_pub = cairn_stage_publish(app->stage, CAIRN_TOPIC_NAV_STATUS);
	app->path_pub = cairn_stage_publish(app->stage, CAIRN_TOPIC_NAV_PATH);
	app->goal_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_NAV_GOAL, on_goal, app);
	app->pose_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_POSE, on_pose, app);
	app->scan_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_SCAN, on_scan, app);
	app->motion_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_MOTION, on_motion, app);
	app->zones_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_ZONES, on_zones, app);
	app->depth_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_SCAN_DEPTH, on_depth, app);
	app->claims_sub = cairn_stage_subscribe(app->stage, CAIRN_TOPIC_CLAIMS, on_claims, app);
	cairn_stage_every(app->stage, STEP_MS, on_step, app);
}

int main(int argc, char **argv)
{
	static struct app app; /* scans and paths are too large for the stack */
	struct cairn_error err = {""};
	int status = 0;
	app.stage = cairn_stage_start("cairn-planner",
	    "plans a path to the goal and proposes velocities along it", argc, argv, &status);
	if (app.stage == NULL)
		return status;
	app.planner = cairn_planner_new(cairn_stage_config(app.stage), &err);
	if (app.planner != NULL && open_frames(&app, &err)) {
		cairn_planner_set_clock(app.planner, search_clock, NULL);
		open_bus(&app);
		cairn_stage_ready(app.stage);
		status = cairn_stage_run(app.stage);
	} else {
		cairn_log_error("%s", err.text);
		status = 1;
	}
	cairn_frames_close(&app.frames);
	cairn_planner_destroy(&app.planner);
	return cairn_stage_finish(&app.stage, status);
}
