/* sequencer - accepts, modifies, refuses and explains; the thin shell around common/sequencer/sequencer.h.
 *
 * What it reads and writes is the table in sequencer_ports.c; it serves `operator`. What it must know after a kill is in
 * RUN/state (store.h). */
#include <poll.h>

#include "common/sequencer/sequencer_ports.h"
#include "procs/sequencer/report.h"
#include "procs/sequencer/store.h"

#define STEP_MS 50

struct app {
	CAIRN_STAGE_STATE;
	struct cairn_sequencer *seq;
	struct cairn_sequencer_output out;
	struct report report;
	struct store store;
};

/* What a decision or a step has brought. */
static int on_decision(void *ctx)
{
	struct app *app = ctx;
	struct cairn_msg_result r;
	while (cairn_sequencer_next_result(app->seq, &r)) {
		report_result(&r);
		cairn_outbox_put(app->outbox, CAIRN_TOPIC_RESULT, &r, true, cairn_now_ns());
	}
	cairn_sequencer_put_skills(app->seq, app->outbox, cairn_now_ns());
	return 0;
}

static int on_step(void *ctx)
{
	struct app *app = ctx;
	struct cairn_sequencer_output was = app->out;
	int64_t now_ns = cairn_now_ns();
	cairn_sequencer_step(app->seq, now_ns, &app->out);
	cairn_sequencer_put(app->seq, &app->out, app->outbox, now_ns);
	(void)on_decision(app);
	if (store_due(&app->store, app->out.record_changed, now_ns))
		store_save(&app->store, app->seq, now_ns);
	report_step(&app->report, app->seq, &was, &app->out);
	return 0;
}

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct app *app = ctx;
	cairn_sequencer_on_command(app->seq, cmd, cairn_now_ns(), reply);
	on_step(app); /* a stop does not wait for the next tick */
}

static bool open_core(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	(void)err;
	app->report.stage = stage;
	store_open(&app->store, stage);
	app->seq = store_resume(&app->store, app->cfg);
	return app->seq != NULL;
}

static void stand_still(void *ctx)
{
	struct app *app = ctx;
	struct cairn_msg_cmd_vel stand = {0};
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_CMD_VEL, &stand, true, cairn_now_ns());
	store_save(&app->store, app->seq, cairn_now_ns());
	poll(NULL, 0, 10); /* closing at once would drop it; the dead man covers the rest */
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	cairn_sequencer_destroy(&app->seq);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_DECLARED_IN(cairn_sequencer_arms_in, struct app, seq), .fn = on_decision},
    {CAIRN_PORT_OUT(cairn_sequencer_out)},
    {CAIRN_PORT_IN(cairn_sequencer_in, struct app, seq), .fn = on_decision},
    {CAIRN_PORT_SERVE(CAIRN_SERVICE_OPERATOR, on_command)},
    {CAIRN_PORT_EVERY(STEP_MS, on_step)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-sequencer", "accepts, modifies, refuses and explains decisions", struct app,
    .open = open_core, .ports = ports, .ended = stand_still, .close = close_all, .urgent = true)
