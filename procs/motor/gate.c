/* gate.c - what the core decides: onto the wheels, into topic and log, and a latched stop into RUN/state. */
#include <string.h>

#include "common/base/geom.h"
#include "procs/motor/motor_stage.h"

static void publish_motion(struct motor_stage *app, int64_t now_ns)
{
	enum cairn_motor_state state = cairn_motor_state(&app->core);
	bool is_new = state != app->state;
	if (!cairn_outbox_due(app->outbox, CAIRN_TOPIC_MOTION, is_new, now_ns))
		return;
	struct cairn_msg_motion m;
	cairn_motor_message(&app->core, now_ns, &m);
	m.reaction_ms = app->reaction_ms;
	cairn_signals_motion(&app->signal.own, &m, now_ns);
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_MOTION, &m, is_new, now_ns);
	if (is_new) {
		/* Driving, slowed and idle come and go with every corner: one note for them. */
		bool calm = state == CAIRN_MOTOR_STATE_IDLE || state == CAIRN_MOTOR_STATE_DRIVING ||
			    state == CAIRN_MOTOR_STATE_SLOWED;
		char note[192]; /* longer in the log than in the heartbeat */
		const char *said = cairn_motor_said(&app->core);
		snprintf(note, sizeof(note), "%s: %s%s%s%s",
		    cairn_enum_text(&cairn_enum_motor_state, (int)state), m.reason,
		    said[0] != '\0' ? ": \"" : "", said, said[0] != '\0' ? "\"" : "");
		cairn_log_write(calm ? CAIRN_LOG_DEBUG : CAIRN_LOG_INFO, __FILE__, __LINE__, "%s", note);
		cairn_stage_note(app->stage, calm ? "in service" : note);
	}
	app->state = state;
}

static void save_memory(struct motor_stage *app)
{
	struct cairn_error err = {""};
	app->kept = (struct cairn_estop_latch){.estop = app->core.estop, .waits = app->core.needs_operator};
	if (app->core.estop)
		snprintf(app->kept.reason, sizeof(app->kept.reason), "%s", app->core.estop_reason);
	bool ok = cairn_estop_latch_save(cairn_stage_run_dir(app->stage), &app->kept, &err);
	cairn_stage_tried(app->stage, "save the stop", ok ? NULL : err.text);
	cairn_retry_tried(&app->saving, ok, cairn_now_ns());
}

static void keep_memory(struct motor_stage *app)
{
	bool news = app->kept.estop != app->core.estop || app->kept.waits != app->core.needs_operator;
	bool again = cairn_retry_failed(&app->saving) && cairn_retry_due(&app->saving, cairn_now_ns());
	if (news || again)
		save_memory(app);
}

void gate_open(struct motor_stage *app)
{
	int64_t now_ns = cairn_now_ns();
	struct cairn_motor_params params;
	struct cairn_estop_latch memory;
	struct cairn_error err = {""};
	cairn_motor_params_from(&params, app->cfg);
	if (!cairn_estop_latch_load(cairn_stage_run_dir(app->stage), &memory, &err))
		cairn_log_error("%s", err.text);
	cairn_motor_init(&app->core, &params, memory.reborn, now_ns);
	if (memory.estop) {
		cairn_log_warn("emergency stop still latched: %s", memory.reason);
		cairn_motor_operator_stop(&app->core, memory.reason);
	}
	save_memory(app);
}

int gate_decide(void *ctx)
{
	struct motor_stage *app = ctx;
	int64_t now_ns = cairn_now_ns();
	struct cairn_twist twist = cairn_motor_step(&app->core, now_ns);
	uint8_t frame[CAIRN_BASE_FRAME_MAX];
	struct cairn_twist told = cairn_base_axes_command(&app->axes, twist);
	board_write(app, frame, cairn_base_link_motion(&app->link, told.v_mps, told.w_radps, frame));
	if (app->core.wheels.verdict == CAIRN_WHEELS_RUN || app->core.spin.wheels.verdict == CAIRN_WHEELS_RUN)
		/* The motion frame is not obeyed: this stops the board in any mode. */
		board_write(app, frame, cairn_base_stop_frame(app->link.model, frame));
	if (app->core.scan_stream.t_ns != app->scan_ns)
		app->reaction_ms = (double)(cairn_now_ns() - app->core.scan_stream.t_ns) * 1e-6;
	app->scan_ns = app->core.scan_stream.t_ns;
	publish_motion(app, now_ns);
	keep_memory(app);
	cairn_stage_core_rejects(app->stage, app->core.rejected);
	return 0;
}

void gate_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct motor_stage *app = ctx;
	struct cairn_error err = {""};
	if (strcmp(cmd->verb, "stop") == 0) {
		cairn_motor_person_stop(&app->core, cmd->arg);
		(void)gate_decide(app);
		reply->ok = true;
		snprintf(
		    reply->text, sizeof(reply->text), "stopped and latched; 'release' lets it drive again");
		cairn_log_warn(
		    "emergency stop by %s: %s", cmd->who, cmd->arg[0] != '\0' ? cmd->arg : "no reason given");
	} else if (strcmp(cmd->verb, "release") == 0) {
		reply->ok = cairn_motor_operator_release(&app->core, cairn_now_ns(), &err);
		keep_memory(app);
		snprintf(reply->text, sizeof(reply->text), "%.200s", reply->ok ? "released" : err.text);
		cairn_log_warn("release by %s: %s", cmd->who, reply->text);
	} else if (strcmp(cmd->verb, "ping") == 0) {
		reply->ok = true;
		snprintf(reply->text, sizeof(reply->text), "%s",
		    cairn_enum_text(&cairn_enum_motor_state, (int)cairn_motor_state(&app->core)));
	} else {
		snprintf(reply->text, sizeof(reply->text), "motor.ctl knows stop, release, ping");
	}
}
