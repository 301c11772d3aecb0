#include "procs/cairn/bringup_devices.h"

#include <math.h>
#include <poll.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "procs/cli/cli.h"
#include "procs/shell/serial.h"

#define TICK_MS 20

void bringup_devices_init(struct bringup_devices *d, const struct cairn_config *cfg, const char *run_dir)
{
	memset(d, 0, sizeof(*d));
	d->cfg = cfg;
	d->run_dir = run_dir;
	d->base_device = cfg->robot.base_device;
	d->lidar_device = cfg->robot.lidar_device;
	d->base_fd = d->lidar_fd = -1;
	cairn_base_link_init(&d->base, &cfg->robot, cli_now_ns());
	cairn_lidar_link_init(&d->lidar, cfg->robot.lidar_model,
	    cfg->robot.lidar_mode == CAIRN_CHOICE_LIDAR_MODE_DENSE, cli_now_ns());
	cairn_mount_begin(&d->motion);
}

static void lose_base(struct bringup_devices *d)
{
	if (d->base_fd >= 0)
		close(d->base_fd);
	d->base_fd = -1;
	cairn_base_link_lost(&d->base, cli_now_ns());
}

static void lose_lidar(struct bringup_devices *d)
{
	if (d->lidar_fd >= 0)
		close(d->lidar_fd);
	d->lidar_fd = -1;
	cairn_lidar_link_lost(&d->lidar, cli_now_ns());
}

static void open_ports(struct bringup_devices *d, int64_t now_ns)
{
	struct cairn_error err = {""};
	if (cairn_base_link_wants_open(&d->base, now_ns)) {
		d->base_fd =
		    cairn_serial_open(d->run_dir, d->base_device, cairn_base_link_baud(&d->base), 1, &err);
		if (d->base_fd >= 0)
			cairn_base_link_opened(&d->base, now_ns);
		else
			lose_base(d);
	}
	if (cairn_lidar_link_wants_open(&d->lidar, now_ns)) {
		d->lidar_fd =
		    cairn_serial_open(d->run_dir, d->lidar_device, cairn_lidar_link_baud(&d->lidar), 1, &err);
		if (d->lidar_fd >= 0)
			cairn_lidar_link_opened(&d->lidar, now_ns);
		else
			lose_lidar(d);
	}
}

/* ---- base ---- */

static void write_base(struct bringup_devices *d, const uint8_t *frame, size_t bytes)
{
	bool gone;
	if (d->base_fd >= 0 && !cairn_serial_write(d->base_fd, frame, bytes, &gone) && gone)
		lose_base(d);
}

void bringup_send_told(struct bringup_devices *d)
{
	uint8_t frame[CAIRN_BASE_FRAME_MAX];
	write_base(d, frame, cairn_base_link_motion(&d->base, d->told.v_mps, d->told.w_radps, frame));
}

void bringup_send_stop(struct bringup_devices *d)
{
	uint8_t frame[CAIRN_BASE_FRAME_MAX];
	write_base(d, frame, cairn_base_stop_frame(d->base.model, frame));
}

static void on_report(struct bringup_devices *d, const struct cairn_base_report *r, int64_t now_ns)
{
	switch (r->kind) {
	case CAIRN_BASE_SPEED:
		if (r->speed.battery_v >= 0.0)
			d->battery_v = r->speed.battery_v;
		break;
	case CAIRN_BASE_BATTERY:
		d->battery_v = r->battery_v;
		break;
	case CAIRN_BASE_IMU:
		cairn_mount_gyro(&d->motion, r->imu.gyro_radps, now_ns);
		break;
	case CAIRN_BASE_ENCODERS:
		cairn_mount_encoders(&d->motion, r->encoders.count, d->cfg->robot.encoder_mask);
		break;
	case CAIRN_BASE_ATTITUDE:
	case CAIRN_BASE_IDENTITY:
	case CAIRN_BASE_OTHER:
		break;
	}
}

static void read_base(struct bringup_devices *d, int64_t now_ns)
{
	uint8_t buf[512];
	ssize_t n = d->base_fd >= 0 ? cairn_serial_read(d->base_fd, buf, sizeof(buf)) : 0;
	if (n < 0) {
		lose_base(d);
		return;
	}
	bool some = false;
	for (size_t at = 0; at < (size_t)n || some;) {
		struct cairn_base_report r;
		at += cairn_base_link_feed(&d->base, buf + at, (size_t)n - at, now_ns, &r, &some);
		if (some)
			on_report(d, &r, now_ns);
	}
}

static void tend_base(struct bringup_devices *d, int64_t now_ns)
{
	uint8_t ask[CAIRN_BASE_FRAME_MAX];
	if (cairn_base_link_silent(&d->base, now_ns))
		lose_base(d);
	size_t n = cairn_base_link_poll(&d->base, now_ns, ask);
	if (n > 0)
		write_base(d, ask, n);
	if (!d->silent)
		bringup_send_told(d);
}

/* ---- LiDAR ---- */

/* In its own frame: x along the zero mark, angles taken for clockwise. */
static void take_turn(struct bringup_devices *d)
{
	const struct cairn_lidar_turn *t = cairn_lidar_link_turn(&d->lidar);
	d->points.count = 0;
	d->ahead_m = 0.0;
	for (uint32_t i = 0; i < t->count; i++) {
		double r = (double)t->range_m[i], a = -cairn_deg_to_rad(t->angle_q6[i] / 64.0);
		if (!(r > d->cfg->robot.lidar_range_min_m && r < d->cfg->robot.lidar_range_max_m))
			continue;
		if (cairn_own_body_is(d->own, d->own_count, a, r)) /* it would say that nothing moved */
			continue;
		d->points.x_m[d->points.count] = (float)(r * cos(a));
		d->points.y_m[d->points.count++] = (float)(r * sin(a));
		d->ahead_m = d->ahead_m == 0.0 ? r : fmin(d->ahead_m, r);
	}
	d->revolutions++;
	cairn_mount_scan(&d->motion, &d->points);
	cairn_own_body_scan(&d->body, &d->points);
}

static void obey_lidar(struct bringup_devices *d)
{
	struct cairn_lidar_todo todo = cairn_lidar_link_take(&d->lidar);
	bool gone = false;
	if (d->lidar_fd < 0)
		return;
	if (todo.flush_input)
		tcflush(d->lidar_fd, TCIFLUSH);
	if (todo.send_bytes > 0)
		(void)cairn_serial_write(d->lidar_fd, todo.send, todo.send_bytes, &gone);
	if (gone || todo.close)
		lose_lidar(d);
}

static void read_lidar(struct bringup_devices *d, int64_t now_ns)
{
	uint8_t buf[4096];
	ssize_t n = d->lidar_fd >= 0 ? cairn_serial_read(d->lidar_fd, buf, sizeof(buf)) : 0;
	if (n < 0) {
		lose_lidar(d);
		return;
	}
	for (size_t at = 0; at < (size_t)n && d->lidar_fd >= 0;) {
		enum cairn_rplidar_event event;
		at += cairn_lidar_link_feed(&d->lidar, buf + at, (size_t)n - at, now_ns, &event);
		if (event == CAIRN_RPLIDAR_EVENT_TURN)
			take_turn(d);
		obey_lidar(d);
	}
}

/* ---- both ---- */

bool bringup_base_answers(const struct bringup_devices *d)
{
	return cairn_base_link_in_service(&d->base, cli_now_ns());
}

bool bringup_lidar_answers(const struct bringup_devices *d)
{
	return d->revolutions > 0 && !cairn_lidar_link_stale(&d->lidar, cli_now_ns());
}

bool bringup_devices_run(struct bringup_devices *d, int ms, int stop_fd)
{
	int64_t end_ns = cli_now_ns() + ms * CAIRN_NS_PER_MS, tick_ns = 0;
	for (int64_t now_ns = cli_now_ns(); now_ns < end_ns && !cli_interrupted(); now_ns = cli_now_ns()) {
		struct pollfd fds[3] = {{.fd = d->base_fd, .events = POLLIN},
		    {.fd = d->lidar_fd, .events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};
		(void)poll(fds, 3, TICK_MS / 2);
		now_ns = cli_now_ns();
		read_base(d, now_ns);
		read_lidar(d, now_ns);
		if (now_ns >= tick_ns) {
			tick_ns = now_ns + TICK_MS * CAIRN_NS_PER_MS;
			open_ports(d, now_ns);
			tend_base(d, now_ns);
			cairn_lidar_link_tick(&d->lidar, now_ns);
			obey_lidar(d);
		}
		if (stop_fd >= 0 && (fds[2].revents & (POLLIN | POLLHUP)) != 0)
			return true;
	}
	return false;
}

void bringup_devices_close(struct bringup_devices *d)
{
	uint8_t stop[CAIRN_RPLIDAR_REQUEST_MAX];
	bool gone;
	d->told = (struct cairn_twist){0};
	bringup_send_told(d);
	bringup_send_stop(d);
	if (d->lidar_fd >= 0) {
		(void)cairn_serial_write(
		    d->lidar_fd, stop, cairn_lidar_link_farewell(&d->lidar, stop), &gone);
		close(d->lidar_fd);
	}
	if (d->base_fd >= 0)
		close(d->base_fd);
	d->base_fd = d->lidar_fd = -1;
}
