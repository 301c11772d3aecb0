/* motor - last gate before the wheels: the only writer to the motor board.
 *
 * The core (common/safety/motor_gate.h) decides; this is its descriptors and clock. Motion frames go out every
 * 20 ms at all times, zeros when there is nothing to drive, and at once when a scan arrives. */
#include "procs/motor/motor_stage.h"

static int on_tick(void *ctx)
{
	struct motor_stage *app = ctx;
	int64_t now_ns = cairn_now_ns();
	uint64_t failed = app->writes_failed;
	board_tend(app, now_ns);
	(void)gate_decide(app);
	if (app->cfg->robot.signal_board && app->was_in_service && app->fd >= 0 &&
	    app->writes_failed == failed)
		board_show_signal(app, now_ns);
	board_tend_battery(app, now_ns);
	return 0;
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct motor_stage *app = ctx;
	(void)stage, (void)err;
	app->fd = -1;
	app->state = CAIRN_MOTOR_STATE_COUNT;
	gate_open(app);
	board_reports_init(app);
	cairn_board_signal_init(&app->signal, &app->cfg->robot);
	crash_stop_arm(app->link.model);
	return true;
}

/* The board is asked for before anybody waits for us. */
static void begin(void *ctx)
{
	(void)on_tick(ctx);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_OUT(cairn_motor_out)},
    {CAIRN_PORT_IN_PART(cairn_motor_in, struct motor_stage, core), .fn = gate_decide},
    {CAIRN_PORT_IN_PART(cairn_board_signal_in, struct motor_stage, signal),
	.when = CAIRN_WHEN(robot.signal_board)},
    {CAIRN_PORT_SERVE(CAIRN_SERVICE_MOTOR_CTL, gate_command)},
    {CAIRN_PORT_EVERY(20, on_tick)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-motor", "last gate before the wheels", struct motor_stage, .open = open_all,
    .ports = ports, .begin = begin, .ended = board_stop, .urgent = true)
