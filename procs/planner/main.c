/* planner - a path to the sequencer's goal and the velocities that follow it.
 *
 * Everything is decided in common/plan/planner.h; here messages and frames are handed over. It keeps nothing
 * that matters: the goal is repeated by the sequencer, the map by the mapper, so a reborn planner just goes
 * on. */
#include "common/plan/planner_ports.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

#define STEP_MS 50

struct app {
	CAIRN_STAGE_STATE;
	struct cairn_planner *planner;
	struct cairn_frame_sub *grid_sub;
	uint64_t said_goal;
};

/* One line for each change of what it does. */
static void say(struct app *app, const struct cairn_msg_nav_status *s)
{
	const char *state = cairn_enum_text(&cairn_enum_nav_state, (int)s->state);
	bool is_new = cairn_stage_notef(app->stage, "%s: %.96s", state, s->reason);
	if (is_new || s->goal_id != app->said_goal)
		cairn_log_info("goal %llu: %s: %s (%.2f m left, search %.1f ms)",
		    (unsigned long long)s->goal_id, state, s->reason, s->remaining_m, s->planning_ms);
	app->said_goal = s->goal_id;
}

static int on_step(void *ctx)
{
	struct app *app = ctx;
	struct cairn_planner_output out;
	cairn_stage_take_frame(app->stage, app->grid_sub, cairn_planner_frame, app->planner);
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

static bool open_core(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	app->planner = cairn_planner_new(cairn_stage_config(stage), err);
	if (app->planner != NULL)
		cairn_planner_set_clock(app->planner, search_clock, NULL);
	return app->planner != NULL;
}

static void close_core(void *ctx)
{
	struct app *app = ctx;
	cairn_planner_destroy(&app->planner);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_FRAME_IN(CAIRN_FRAME_MAP_GRID, struct app, grid_sub)},
    {CAIRN_PORT_OUT(cairn_planner_out)},
    {CAIRN_PORT_IN(cairn_planner_in, struct app, planner)},
    {CAIRN_PORT_EVERY(STEP_MS, on_step)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-planner", "plans a path to the goal and proposes velocities along it", struct app,
    .open = open_core, .ports = ports, .close = close_core)
