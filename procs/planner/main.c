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

struct app {
	struct cairn_stage *stage;
	struct cairn_planner *planner;
	struct cairn_outbox *outbox;
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
	cairn_stage_core_rejects(app->stage, cairn_planner_rejects(app->planner));
	return 0;
}

static int64_t search_clock(void *ctx)
{
	(void)ctx;
	return cairn_now_ns();
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	app->stage = stage;
	app->planner = cairn_planner_new(cairn_stage_config(stage), err);
	if (app->planner == NULL)
		return false;
	app->grid_sub = cairn_stage_frame_sub(stage, CAIRN_FRAME_MAP_GRID, err);
	if (app->grid_sub == NULL)
		return false;
	cairn_planner_set_clock(app->planner, search_clock, NULL);
	app->outbox = cairn_stage_outputs(stage, cairn_planner_out);
	cairn_stage_inputs(stage, cairn_planner_in, app->planner, NULL, NULL);
	cairn_stage_every(stage, STEP_MS, on_step, app);
	return true;
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	cairn_planner_destroy(&app->planner);
}

CAIRN_STAGE_MAIN("cairn-planner", "plans a path to the goal and proposes velocities along it", struct app,
    .open = open_all, .close = close_all)
