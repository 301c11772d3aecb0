/* board.c - the motor board's descriptor: opened, read, written, lost. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "procs/motor/motor_stage.h"
#include "procs/shell/serial.h"

#define BITS_PER_BYTE 10     /* on the line: start, eight bits, stop */
#define LINE_BEHIND_BYTES 64 /* 5 ms at 115200 baud; a wheel command has 12 */

static void board_lose(struct motor_stage *app, const char *why)
{
	cairn_log_warn("motor board lost: %s", why);
	crash_stop_through(-1);
	cairn_stage_unwatch_fd(app->stage, app->fd);
	close(app->fd);
	app->fd = -1;
	cairn_base_link_lost(&app->link, cairn_now_ns());
	cairn_wheel_odom_break(&app->odom);
}

void board_write(struct motor_stage *app, const uint8_t *frame, size_t bytes)
{
	bool gone;
	if (app->fd < 0 || cairn_serial_write(app->fd, frame, bytes, &gone))
		return;
	app->writes_failed++;
	if (gone)
		board_lose(app, strerror(errno));
}

/* Stamps rise, also where bytes come faster than a serial line brings them. */
static int64_t report_ns(struct motor_stage *app, int64_t t_ns)
{
	app->report_ns = t_ns > app->report_ns ? t_ns : app->report_ns + 1;
	return app->report_ns;
}

static int on_board(void *ctx)
{
	struct motor_stage *app = ctx;
	uint8_t buf[512];
	ssize_t n = cairn_serial_read(app->fd, buf, sizeof(buf));
	if (n < 0) {
		board_lose(app, strerror((int)-n));
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
			board_reported(app, &report, report_ns(app, now_ns - (n - (ssize_t)at) * byte_ns));
	} while (some || at < (size_t)n);
	return 0;
}

static void open_board(struct motor_stage *app, int64_t now_ns)
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
	crash_stop_through(fd);
	cairn_stage_watch_fd(app->stage, fd, POLLIN, on_board, app);
	cairn_base_link_opened(&app->link, now_ns);
}

void board_tend(struct motor_stage *app, int64_t now_ns)
{
	if (cairn_base_link_wants_open(&app->link, now_ns))
		open_board(app, now_ns);
	else if (cairn_base_link_silent(&app->link, now_ns))
		board_lose(app, "silent");
	uint8_t ask[CAIRN_BASE_FRAME_MAX];
	size_t n = cairn_base_link_poll(&app->link, now_ns, ask);
	if (n > 0)
		board_write(app, ask, n);
	bool in_service = cairn_base_link_in_service(&app->link, now_ns);
	if (in_service != app->was_in_service)
		cairn_log_info("motor board: %s", cairn_base_link_note(&app->link, now_ns));
	if (in_service && !app->was_in_service)
		cairn_board_signal_restart(&app->signal);
	app->was_in_service = in_service;
	cairn_motor_device(&app->core, in_service);
}

/* Behind the wheels' frame, and only where that has found room and the line keeps up: light and sound may be late, it may not; and a
 * frame of which a part finds no room would spoil the next. */
void board_show_signal(struct motor_stage *app, int64_t now_ns)
{
	uint8_t frame[CAIRN_ROSMASTER_FRAME_MAX];
	if (cairn_serial_pending(app->fd) > LINE_BEHIND_BYTES)
		return;
	size_t n = cairn_board_signal_next(&app->signal, now_ns, frame);
	if (n > 0)
		board_write(app, frame, n);
}

/* The motion frame takes back the last velocity; the other one stops
 * the board in any mode. */
void board_stop(void *ctx)
{
	struct motor_stage *app = ctx;
	uint8_t frame[CAIRN_BASE_FRAME_MAX], stop[CAIRN_BASE_FRAME_MAX];
	size_t n = cairn_base_link_motion(&app->link, 0.0, 0.0, frame);
	board_write(app, frame, n);
	board_write(app, stop, cairn_base_stop_frame(app->link.model, stop));
	board_write(app, frame, n);
	crash_stop_through(-1);
	if (app->fd >= 0)
		close(app->fd);
}
