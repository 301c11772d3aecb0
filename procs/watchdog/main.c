/* watchdog - notices what hangs; the thin shell around common/safety/watchdog.h.
 *
 * Reads every stage's heartbeat and what the table in watchdog_ports.c lists. While the motor stage is silent it stops the base
 * itself (base_stopper.h). It holds no shared memory. */
#include <string.h>

#include "common/safety/watchdog_ports.h"
#include "procs/watchdog/base_stopper.h"
#include "procs/watchdog/hearts.h"

struct app {
	CAIRN_STAGE_STATE;
	struct cairn_watchdog *core;
	struct hearts hearts;
	struct base_stopper base;
	struct cairn_watchdog_output out;
};

static void log_changes(const struct cairn_watchdog_output *was, const struct cairn_watchdog_output *is)
{
	if (strcmp(was->health.problem, is->health.problem) != 0) {
		if (is->health.ok)
			cairn_log_info("all well again");
		else
			cairn_log_warn("%s", is->health.problem);
	}
	if (is->health.restart_id != was->health.restart_id)
		cairn_log_warn("asking for a restart of %s", is->health.restart);
}

static int on_step(void *ctx)
{
	struct app *app = ctx;
	struct cairn_watchdog_output was = app->out;
	hearts_take(&app->hearts, app->core);
	int64_t now_ns = cairn_now_ns();
	cairn_watchdog_step(app->core, now_ns, &app->out);
	if (app->out.write_stop)
		base_stopper_stop(&app->base);
	else if (was.write_stop)
		base_stopper_close(&app->base);
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_ESTOP, &app->out.estop, app->out.estop_changed, now_ns);
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_HEALTH, &app->out.health, app->out.health_changed, now_ns);
	cairn_stage_note(app->stage, app->out.health.problem);
	log_changes(&was, &app->out);
	return 0;
}

static bool open_core(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	base_stopper_init(&app->base, &app->cfg->robot, cairn_stage_run_dir(stage));
	app->core = cairn_watchdog_new(app->cfg, heart_names, HEARTS, cairn_now_ns());
	return app->core != NULL && hearts_open(&app->hearts, stage, err);
}

static void close_core(void *ctx)
{
	struct app *app = ctx;
	base_stopper_close(&app->base);
	cairn_watchdog_destroy(&app->core);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_OUT(cairn_watchdog_out)},
    {CAIRN_PORT_IN(cairn_watchdog_in, struct app, core)},
    {CAIRN_PORT_EVERY(CAIRN_WATCHDOG_STEP_MS, on_step)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-watchdog", "notices what hangs", struct app, .open = open_core, .ports = ports,
    .close = close_core, .urgent = true)
