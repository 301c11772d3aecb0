/* planner - a path to the sequencer's goal and the velocities that follow it.
 *
 * Everything is decided in common/plan/planner.h; here messages and frames are handed over. It keeps nothing
 * that matters: the goal is repeated by the sequencer, the map by the mapper, so a reborn planner just goes
 * on. */
#include <stdio.h>
#include <string.h>

#include "common/plan/planner_ports.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

#define STEP_MS 50
#define PLANE_DEADLINE_MS 4000

struct app {
	struct cairn_stage *stage;
	struct cairn_planner *planner;
	struct cairn_outbox *outbox;
	struct cairn_frames *frames;
	struct cairn_frame_sub *grid_sub;
	char said[128];
	uint64_t said_goal;
};

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
	struct cairn_frames_missing missing = cairn_frames_missing(app->frames);
	cairn_stage_frames(app->stage, cairn_frames_rejects(app->frames), missing.lost, missing.overtaken);
	cairn_stage_core_rejects(app->stage, cairn_planner_rejects(app->planner));
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
	cairn_planner_put(
	    app->planner, &out, app->outbox, cairn_now_ns()); /* a search may have taken its time */
	if (out.status_changed)
		say(app, &out.status);
	count_rejects(app);
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

int main(int argc, char **argv)
{
	struct app app = {.stage = NULL};
	struct cairn_error err = {""};
	int status = 0;
	app.stage = cairn_stage_start("cairn-planner",
	    "plans a path to the goal and proposes velocities along it", argc, argv, &status);
	if (app.stage == NULL)
		return status;
	app.planner = cairn_planner_new(cairn_stage_config(app.stage), &err);
	if (app.planner != NULL && open_frames(&app, &err)) {
		cairn_planner_set_clock(app.planner, search_clock, NULL);
		app.outbox = cairn_stage_outputs(app.stage, cairn_planner_out);
		cairn_stage_inputs(app.stage, cairn_planner_in, app.planner, NULL, NULL);
		cairn_stage_every(app.stage, STEP_MS, on_step, &app);
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
