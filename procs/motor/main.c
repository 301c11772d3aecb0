/* motor - last gate before the wheels: the only writer to the motor board.
 *
 * The core (common/safety/motor_gate.h) decides; this is its descriptors and clock. Motion frames go out every
 * 20 ms at all times, zeros when there is nothing to drive, and at once when a scan arrives. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/retry.h"
#include "common/device/base_axes.h"
#include "common/device/base_link.h"
#include "common/device/battery.h"
#include "common/device/wheel_odom.h"
#include "common/safety/motor_ports.h"
#include "common/safety/estop_latch.h"
#include "common/signal/board_signal.h"
#include "procs/shell/serial.h"
#include "procs/shell/stage.h"

#define TICK_MS 20
#define BITS_PER_BYTE 10     /* on the line: start, eight bits, stop */
#define LINE_BEHIND_BYTES 64 /* 5 ms at 115200 baud; a wheel command has 12 */

struct app {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct cairn_outbox *outbox;
	int fd; /* -1 = closed */
	struct cairn_base_link link;
	struct cairn_base_axes axes;
	struct cairn_wheel_odom odom;
	struct cairn_msg_imu imu;
	struct cairn_battery battery;
	bool battery_low;              /* has been warned of */
	int64_t report_ns;             /* stamp of the board's newest report */
	enum cairn_motor_state state;  /* last published */
	struct cairn_estop_latch kept; /* as last saved, or as was last tried */
	struct cairn_retry saving;
	bool was_in_service;
	int64_t scan_ns; /* stamp of the newest scan that a frame has answered */
	double reaction_ms;
	uint64_t writes_failed;
	struct cairn_board_signal signal;
	struct cairn_motor core;
};

/* ---- a crash must stop the wheels, too ---- */

/* A signal handler can only reach statics. */
static volatile sig_atomic_t crash_fd = -1;
static uint8_t crash_frame[CAIRN_BASE_FRAME_MAX];
static size_t crash_bytes;

static void on_crash(int sig)
{
	if (crash_fd >= 0) {
		ssize_t n = write(crash_fd, crash_frame, crash_bytes);
		(void)n;
	}
	raise(sig); /* the handler was one-shot: now the default action */
}

static void arm_crash(const struct app *app)
{
	static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	crash_bytes = cairn_base_stop_frame(app->link.model, crash_frame);
	struct sigaction sa = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		sigaction(deadly[i], &sa, NULL);
}

/* ---- the board ---- */

static void lose_board(struct app *app, const char *why)
{
	cairn_log_warn("motor board lost: %s", why);
	crash_fd = -1;
	cairn_stage_unwatch_fd(app->stage, app->fd);
	close(app->fd);
	app->fd = -1;
	cairn_base_link_lost(&app->link, cairn_now_ns());
	cairn_wheel_odom_break(&app->odom);
}

static void write_board(struct app *app, const uint8_t *frame, size_t bytes)
{
	bool gone;
	if (app->fd < 0 || cairn_serial_write(app->fd, frame, bytes, &gone))
		return;
	app->writes_failed++;
	if (gone)
		lose_board(app, strerror(errno));
}

static void publish_odom(struct app *app, int64_t now_ns)
{
	struct cairn_msg_odom m;
	cairn_wheel_odom_message(&app->odom, &m);
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_ODOM, &m, true, now_ns);
	cairn_motor_measured(&app->core, (struct cairn_twist){m.v_mps, m.w_radps}, now_ns);
}

static void publish_imu(struct app *app, const struct cairn_base_report *r, int64_t now_ns)
{
	app->imu.gyro_radps_count = app->imu.accel_mps2_count = 3;
	memcpy(app->imu.gyro_radps, r->imu.gyro_radps, sizeof(r->imu.gyro_radps));
	memcpy(app->imu.accel_mps2, r->imu.accel_mps2, sizeof(r->imu.accel_mps2));
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_IMU, &app->imu, true, now_ns);
}

static void on_speed(struct app *app, const struct cairn_base_report *r, int64_t now_ns)
{
	if (r->speed.battery_v >= 0.0)
		cairn_battery_measured(&app->battery, r->speed.battery_v, now_ns);
	cairn_wheel_odom_speed(&app->odom, cairn_base_axes_speed_mps(&app->axes, r->speed.v_mps),
	    cairn_base_axes_steer_rad(&app->axes, r->speed.steer_rad), now_ns);
}

static void on_encoders(struct app *app, const struct cairn_base_report *r, int64_t now_ns)
{
	/* Told with its identity, which comes before it is in service. */
	app->odom.params.wheel_separation_m =
	    app->link.without_gyro ? app->cfg->robot.wheel_separation_m : 0.0;
	if (r->encoders.with_speed)
		cairn_wheel_odom_speed(
		    &app->odom, cairn_base_axes_speed_mps(&app->axes, r->encoders.v_mps), 0.0, now_ns);
	if (cairn_wheel_odom_encoders(&app->odom, r->encoders.count, now_ns))
		publish_odom(app, now_ns);
}

static void on_report(struct app *app, const struct cairn_base_report *r, int64_t now_ns)
{
	switch (r->kind) {
	case CAIRN_BASE_SPEED:
		on_speed(app, r, now_ns);
		break;
	case CAIRN_BASE_IMU:
		cairn_wheel_odom_gyro(&app->odom, cairn_base_axes_up(&app->axes, r->imu.gyro_radps), now_ns);
		cairn_motor_accelerated(&app->core, r->imu.accel_mps2, now_ns);
		publish_imu(app, r, now_ns);
		break;
	case CAIRN_BASE_ATTITUDE:
		app->imu.roll_rad = r->attitude.roll_rad;
		app->imu.pitch_rad = r->attitude.pitch_rad;
		app->imu.yaw_rad = r->attitude.yaw_rad;
		break;
	case CAIRN_BASE_BATTERY:
		cairn_battery_measured(&app->battery, r->battery_v, now_ns);
		break;
	case CAIRN_BASE_ENCODERS:
		on_encoders(app, r, now_ns);
		break;
	case CAIRN_BASE_IDENTITY:
		cairn_log_write(r->identity.warns ? CAIRN_LOG_WARN : CAIRN_LOG_INFO, __FILE__, __LINE__,
		    "motor board: %s", r->identity.text);
		break;
	case CAIRN_BASE_OTHER:
		break;
	}
}

/* Stamps rise, also where bytes come faster than a serial line brings them. */
static int64_t report_ns(struct app *app, int64_t t_ns)
{
	app->report_ns = t_ns > app->report_ns ? t_ns : app->report_ns + 1;
	return app->report_ns;
}

static int on_board(void *ctx)
{
	struct app *app = ctx;
	uint8_t buf[512];
	ssize_t n = cairn_serial_read(app->fd, buf, sizeof(buf));
	if (n < 0) {
		lose_board(app, strerror((int)-n));
		return 0;
	}
	int64_t now_ns = cairn_now_ns(),
		byte_ns = BITS_PER_BYTE * CAIRN_NS_PER_S / cairn_base_link_baud(&app->link);
	size_t at = 0;
	bool some = false;
	/* A late turn reads several reports at once: each is as old as what came after it on the line. */
	do {
		struct cairn_base_report report;
		at += cairn_base_link_feed(&app->link, buf + at, (size_t)n - at, now_ns, &report, &some);
		if (some)
			on_report(app, &report, report_ns(app, now_ns - (n - (ssize_t)at) * byte_ns));
	} while (some || at < (size_t)n);
	return 0;
}

static void open_board(struct app *app, int64_t now_ns)
{
	struct cairn_error err = {""};
	bool first = app->link.failed_opens == 0;
	int fd = cairn_serial_open(cairn_stage_run_dir(app->stage), app->cfg->robot.base_device,
	    cairn_base_link_baud(&app->link), 1, &err);
	if (fd < 0) {
		if (first)
			cairn_log_warn("%s; trying again", err.text);
		cairn_base_link_lost(&app->link, now_ns);
		return;
	}
	app->fd = fd;
	crash_fd = fd;
	cairn_stage_watch_fd(app->stage, fd, POLLIN, on_board, app);
	cairn_base_link_opened(&app->link, now_ns);
}

static void tend_board(struct app *app, int64_t now_ns)
{
	if (cairn_base_link_wants_open(&app->link, now_ns))
		open_board(app, now_ns);
	else if (cairn_base_link_silent(&app->link, now_ns))
		lose_board(app, "silent");
	uint8_t ask[CAIRN_BASE_FRAME_MAX];
	size_t n = cairn_base_link_poll(&app->link, now_ns, ask);
	if (n > 0)
		write_board(app, ask, n);
	bool in_service = cairn_base_link_in_service(&app->link, now_ns);
	if (in_service != app->was_in_service)
		cairn_log_info("motor board: %s", cairn_base_link_note(&app->link, now_ns));
	if (in_service && !app->was_in_service)
		cairn_board_signal_restart(&app->signal);
	app->was_in_service = in_service;
	cairn_motor_device(&app->core, in_service);
}

/* ---- deciding and saying ---- */

static void publish_motion(struct app *app, int64_t now_ns)
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
		char note[192];
		const char *said = cairn_motor_said(&app->core);
		snprintf(note, sizeof(note), "%s: %s%s%s%s",
		    cairn_enum_text(&cairn_enum_motor_state, (int)state), m.reason,
		    said[0] != '\0' ? ": \"" : "", said, said[0] != '\0' ? "\"" : "");
		cairn_log_write(calm ? CAIRN_LOG_DEBUG : CAIRN_LOG_INFO, __FILE__, __LINE__, "%s", note);
		cairn_stage_note(app->stage, calm ? "in service" : note);
	}
	app->state = state;
}

static void save_memory(struct app *app)
{
	struct cairn_error err = {""};
	app->kept = (struct cairn_estop_latch){.estop = app->core.estop, .waits = app->core.needs_operator};
	if (app->core.estop)
		snprintf(app->kept.reason, sizeof(app->kept.reason), "%s", app->core.estop_reason);
	bool ok = cairn_estop_latch_save(cairn_stage_run_dir(app->stage), &app->kept, &err);
	cairn_stage_tried(app->stage, "save the stop", ok ? NULL : err.text);
	cairn_retry_tried(&app->saving, ok, cairn_now_ns());
}

static void keep_memory(struct app *app)
{
	bool news = app->kept.estop != app->core.estop || app->kept.waits != app->core.needs_operator;
	bool again = cairn_retry_failed(&app->saving) && cairn_retry_due(&app->saving, cairn_now_ns());
	if (news || again)
		save_memory(app);
}

static void decide(struct app *app)
{
	int64_t now_ns = cairn_now_ns();
	struct cairn_twist twist = cairn_motor_step(&app->core, now_ns);
	uint8_t frame[CAIRN_BASE_FRAME_MAX];
	struct cairn_twist told = cairn_base_axes_command(&app->axes, twist);
	write_board(app, frame, cairn_base_link_motion(&app->link, told.v_mps, told.w_radps, frame));
	if (app->core.wheels.verdict == CAIRN_WHEELS_RUN || app->core.spin.wheels.verdict == CAIRN_WHEELS_RUN)
		/* The motion frame is not obeyed: this stops the board in any mode. */
		write_board(app, frame, cairn_base_stop_frame(app->link.model, frame));
	if (app->core.scan_stream.t_ns != app->scan_ns)
		app->reaction_ms = (double)(cairn_now_ns() - app->core.scan_stream.t_ns) * 1e-6;
	app->scan_ns = app->core.scan_stream.t_ns;
	publish_motion(app, now_ns);
	keep_memory(app);
	cairn_stage_core_rejects(app->stage, app->core.rejected);
}

static int on_urgent(void *ctx)
{
	decide(ctx);
	return 0;
}

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct app *app = ctx;
	struct cairn_error err = {""};
	if (strcmp(cmd->verb, "stop") == 0) {
		cairn_motor_person_stop(&app->core, cmd->arg);
		decide(app);
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

static void tend_battery(struct app *app, int64_t now_ns)
{
	if (app->battery.mean_v <= 0.0 || !app->was_in_service)
		return;
	struct cairn_msg_battery m = {
	    .voltage_v = app->battery.mean_v, .percent = cairn_battery_charge(&app->battery)};
	cairn_motor_charge(&app->core, m.percent);
	cairn_signals_battery(&app->signal.own, &m);
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_BATTERY, &m, false, now_ns);
	double warn = app->cfg->robot.battery_warn_percent;
	bool low = m.percent >= 0.0 && m.percent < warn;
	if (low && !app->battery_low)
		cairn_log_warn("battery low: %.1f V, %.0f %%; charge the robot", m.voltage_v, m.percent);
	/* It comes and goes at the limit: warned of once until it has been charged. */
	app->battery_low = low || (app->battery_low && m.percent < warn + CAIRN_MOTOR_CHARGED_PERCENT);
}

/* Behind the wheels' frame, and only where that has found room and the line keeps up: light and sound may be late, it may not; and a
 * frame of which a part finds no room would spoil the next. */
static void show_signal(struct app *app, int64_t now_ns)
{
	uint8_t frame[CAIRN_ROSMASTER_FRAME_MAX];
	if (cairn_serial_pending(app->fd) > LINE_BEHIND_BYTES)
		return;
	size_t n = cairn_board_signal_next(&app->signal, now_ns, frame);
	if (n > 0)
		write_board(app, frame, n);
}

static int on_tick(void *ctx)
{
	struct app *app = ctx;
	int64_t now_ns = cairn_now_ns();
	uint64_t failed = app->writes_failed;
	tend_board(app, now_ns);
	decide(app);
	if (app->cfg->robot.signal_board && app->was_in_service && app->fd >= 0 &&
	    app->writes_failed == failed)
		show_signal(app, now_ns);
	tend_battery(app, now_ns);
	return 0;
}

/* ---- life ---- */

static void start(struct app *app)
{
	int64_t now_ns = cairn_now_ns();
	struct cairn_motor_params params;
	struct cairn_estop_latch memory;
	struct cairn_error err = {""};
	const struct cairn_config *cfg = app->cfg;
	cairn_motor_params_from(&params, cfg);
	if (!cairn_estop_latch_load(cairn_stage_run_dir(app->stage), &memory, &err))
		cairn_log_error("%s", err.text);
	cairn_motor_init(&app->core, &params, memory.reborn, now_ns);
	if (memory.estop) {
		cairn_log_warn("emergency stop still latched: %s", memory.reason);
		cairn_motor_operator_stop(&app->core, memory.reason);
	}
	save_memory(app);
	app->axes = cairn_base_axes_from(cfg);
	(void)cairn_battery_curve_parse(
	    &app->battery.curve, cfg->robot.battery_curve, &err); /* checked by the rules */
	cairn_base_link_init(&app->link, &cfg->robot, now_ns);
	cairn_wheel_odom_init(&app->odom,
	    &(struct cairn_wheel_odom_params){
		.ticks_per_m = cairn_base_axes_ticks_per_m(&app->axes, cfg->robot.encoder_ticks_per_m),
		.encoder_mask = cfg->robot.encoder_mask,
		.speed_max_mps = cfg->robot.speed_max_mps});
	arm_crash(app);
	app->outbox = cairn_stage_outputs(app->stage, cairn_motor_out);
	cairn_stage_inputs(app->stage, cairn_motor_in, &app->core, on_urgent, app);
	cairn_board_signal_init(&app->signal, &cfg->robot);
	if (cfg->robot.signal_board)
		cairn_stage_inputs(app->stage, cairn_board_signal_in, &app->signal, NULL, NULL);
	cairn_stage_serve(app->stage, CAIRN_SERVICE_MOTOR_CTL, on_command, app);
	cairn_stage_every(app->stage, TICK_MS, on_tick, app);
}

/* Whatever ends the loop: the wheels stand. The motion frame takes back the last velocity; the other one stops
 * the board in any mode. */
static void stop_wheels(struct app *app)
{
	uint8_t frame[CAIRN_BASE_FRAME_MAX], stop[CAIRN_BASE_FRAME_MAX];
	size_t n = cairn_base_link_motion(&app->link, 0.0, 0.0, frame);
	write_board(app, frame, n);
	write_board(app, stop, cairn_base_stop_frame(app->link.model, stop));
	write_board(app, frame, n);
	crash_fd = -1;
	if (app->fd >= 0)
		close(app->fd);
}

int main(int argc, char **argv)
{
	int status = 0;
	struct cairn_stage *stage =
	    cairn_stage_start("cairn-motor", "last gate before the wheels", argc, argv, &status);
	if (stage == NULL)
		return status;
	struct app *app = calloc(1, sizeof(*app));
	if (app == NULL)
		return cairn_stage_finish(&stage, 1);
	app->stage = stage;
	app->cfg = cairn_stage_config(stage);
	app->fd = -1;
	app->state = CAIRN_MOTOR_STATE_COUNT;
	start(app);
	on_tick(app); /* the board is asked for before anybody waits for us */
	cairn_stage_urgent(stage);
	cairn_stage_ready(stage);
	status = cairn_stage_run(stage);
	stop_wheels(app);
	free(app);
	return cairn_stage_finish(&stage, status);
}
