#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/base/repeats.h"
#include "common/device/lidar_link.h"
#include "procs/sensor-bridge/bridge.h"
#include "procs/shell/serial.h"

#define TICK_MS 20

struct app {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct cairn_pub *scan_pub;
	int fd; /* -1 = closed */
	const char *note;
	bool info_logged;
	uint64_t refused; /* turns refused that have been counted */
	struct cairn_lidar_link link;
	struct cairn_repeats repeats;
	struct cairn_msg_scan scan;
};

static void lose_port(struct app *app, const char *why)
{
	cairn_log_warn("LiDAR lost: %s", why);
	cairn_stage_unwatch_fd(app->stage, app->fd);
	close(app->fd);
	app->fd = -1;
	cairn_lidar_link_lost(&app->link, cairn_now_ns());
}

static void publish_turn(struct app *app)
{
	const struct cairn_lidar_turn *turn = cairn_lidar_link_turn(&app->link);
	/* A device that repeats itself has stopped looking, and its stamps would hide that from everybody. */
	if (cairn_repeats_take(&app->repeats, turn->range_m, turn->count * sizeof(turn->range_m[0]))) {
		cairn_stage_count_reject(app->stage);
		cairn_stage_tried(app->stage, "use the LiDAR", "it repeats an earlier revolution");
		return;
	}
	cairn_stage_tried(app->stage, "use the LiDAR", NULL);
	cairn_lidar_scan(&app->scan, turn, app->cfg->robot.lidar_yaw_rad, app->cfg->robot.lidar_mirrored,
	    app->cfg->robot.lidar_range_min_m, app->cfg->robot.lidar_range_max_m);
	cairn_pub_send(app->scan_pub, &app->scan, turn->t_end_ns, true);
}

/* Does what the link wants done. */
static void obey(struct app *app)
{
	struct cairn_lidar_todo todo = cairn_lidar_link_take(&app->link);
	bool gone = false;
	if (app->fd < 0)
		return;
	if (todo.flush_input)
		tcflush(app->fd, TCIFLUSH);
	if (todo.send_bytes > 0 && !cairn_serial_write(app->fd, todo.send, todo.send_bytes, &gone) && !gone)
		cairn_log_warn("LiDAR does not take requests"); /* the link asks again by its deadlines */
	if (gone)
		lose_port(app, strerror(errno));
	else if (todo.close)
		lose_port(app, app->link.note);
}

static int on_port(void *ctx)
{
	struct app *app = ctx;
	uint8_t buf[4096];
	if (app->fd < 0)
		return 0;
	ssize_t n = cairn_serial_read(app->fd, buf, sizeof(buf));
	if (n < 0) {
		lose_port(app, strerror((int)-n));
		return 0;
	}
	int64_t now_ns = cairn_now_ns();
	for (size_t at = 0; at < (size_t)n && app->fd >= 0;) {
		enum cairn_rplidar_event event;
		at += cairn_lidar_link_feed(&app->link, buf + at, (size_t)n - at, now_ns, &event);
		if (event == CAIRN_RPLIDAR_EVENT_TURN)
			publish_turn(app);
		obey(app);
	}
	return 0;
}

static void open_port(struct app *app, int64_t now_ns)
{
	struct cairn_error err = {""};
	bool first = app->link.failed_opens == 0;
	int fd = cairn_serial_open(cairn_stage_run_dir(app->stage), app->cfg->robot.lidar_device,
	    cairn_lidar_link_baud(&app->link), cairn_lidar_link_wake_bytes(&app->link), &err);
	if (fd < 0) {
		if (first)
			cairn_log_warn("%s; trying again", err.text);
		cairn_lidar_link_lost(&app->link, now_ns);
		return;
	}
	app->fd = fd;
	cairn_stage_watch_fd(app->stage, fd, POLLIN, on_port, app);
	cairn_lidar_link_opened(&app->link, now_ns);
}

static void say_changes(struct app *app)
{
	const struct cairn_rplidar_info *info = &app->link.parser.info;
	if (app->link.info_known && !app->info_logged) {
		cairn_log_info("LiDAR model 0x%02X, firmware %u.%u, hardware %u, serial %s", info->model,
		    info->firmware_major, info->firmware_minor, info->hardware, info->serial);
		app->info_logged = true;
	}
	uint64_t refused = cairn_lidar_link_turns_refused(&app->link);
	for (; app->refused < refused; app->refused++)
		cairn_stage_count_reject(app->stage);
	if (app->link.note == app->note)
		return;
	app->note = app->link.note;
	cairn_stage_note(app->stage, app->note);
	cairn_log_write(app->link.phase == CAIRN_LIDAR_SCANNING ? CAIRN_LOG_INFO : CAIRN_LOG_DEBUG, __FILE__,
	    __LINE__, "LiDAR: %s", app->note);
}

static int on_tick(void *ctx)
{
	struct app *app = ctx;
	int64_t now_ns = cairn_now_ns();
	if (cairn_lidar_link_wants_open(&app->link, now_ns))
		open_port(app, now_ns);
	on_port(app);
	cairn_lidar_link_tick(&app->link, now_ns);
	obey(app);
	say_changes(app);
	return 0;
}

int cairn_bridge_lidar(struct cairn_stage *stage)
{
	struct app *app = calloc(1, sizeof(*app));
	if (app == NULL)
		return 1;
	app->stage = stage;
	app->cfg = cairn_stage_config(stage);
	app->fd = -1;
	cairn_lidar_link_init(&app->link, app->cfg->robot.lidar_model,
	    app->cfg->robot.lidar_mode == CAIRN_CHOICE_LIDAR_MODE_DENSE, cairn_now_ns());
	app->scan_pub = cairn_stage_publish(stage, CAIRN_TOPIC_SCAN);
	cairn_stage_every(stage, TICK_MS, on_tick, app);
	on_tick(app);
	cairn_stage_ready(stage);
	int status = cairn_stage_run(stage);
	if (app->fd >= 0) {
		uint8_t stop[CAIRN_RPLIDAR_REQUEST_MAX];
		bool gone;
		cairn_serial_write(app->fd, stop, cairn_lidar_link_farewell(&app->link, stop), &gone);
		close(app->fd);
	}
	free(app);
	return status;
}
