/* cmd_devices.c - `cairn devices`: what is plugged in, what it would be used for, what is missing. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/device/port_probe.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/device_scan.h"
#include "procs/cairn/up.h"
#include "procs/shell/serial.h"

struct port {
	int row; /* of cairn_port_tries that speaks there; -1: none */
	char said[96];
};

struct inventory {
	const struct cli *cli;
	struct cairn_config cfg;
	struct device_found found[DEVICE_SCAN_MAX];
	struct port ports[DEVICE_SCAN_MAX];
	int count;
	bool probed;
};

/* ---- asking ---- */

/* One device's words at one port. False: it does not speak there, or err says why the port cannot be opened. */
static bool try_one(struct cairn_port_probe *p, const char *path, int row, struct cairn_error *err)
{
	const struct cairn_port_try *t = &cairn_port_tries[row];
	int fd = cairn_serial_open("", path, t->baud, 1, err);
	if (fd < 0)
		return false;
	tcflush(fd, TCIFLUSH);
	cairn_port_probe_begin(p, row);
	bool is_it = false, gone = false;
	int64_t begin_ns = cli_now_ns(), end_ns = begin_ns + t->listen_ms * CAIRN_NS_PER_MS;
	for (int64_t now_ns = begin_ns; !is_it && !gone && now_ns < end_ns && !cli_interrupted();
	     now_ns = cli_now_ns()) {
		uint8_t buf[4096];
		if (now_ns - begin_ns >= p->asked * CAIRN_PORT_ASK_MS * CAIRN_NS_PER_MS) {
			size_t n = cairn_port_probe_ask(p, buf);
			if (n > 0)
				(void)cairn_serial_write(fd, buf, n, &gone);
		}
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		(void)poll(&ready, 1, 20);
		ssize_t n = cairn_serial_read(fd, buf, sizeof(buf));
		gone = gone || n < 0;
		is_it = n > 0 && cairn_port_probe_feed(p, buf, (size_t)n, cli_now_ns());
	}
	close(fd);
	return is_it;
}

static void probe(struct port *port, const char *path)
{
	static struct cairn_port_probe p;
	struct cairn_error err = {""};
	for (int row = 0; row < CAIRN_PORT_TRIES && port->row < 0 && err.text[0] == '\0'; row++) {
		if (!try_one(&p, path, row, &err))
			continue;
		port->row = row;
		snprintf(port->said, sizeof(port->said), "%s", p.said);
	}
	if (err.text[0] != '\0') {
		const char *why = strrchr(err.text, ':');
		snprintf(port->said, sizeof(port->said), "cannot be opened%.80s", why != NULL ? why : "");
	}
}

/* ---- words ---- */

static void show(const struct inventory *v, int i)
{
	const struct device_found *d = &v->found[i];
	const struct port *p = &v->ports[i];
	printf("%s\n", d->path[0] != '\0' ? d->path : "(USB, no device file)");
	printf("  %s", d->name[0] != '\0' ? d->name : "no name");
	if (d->vendor != 0)
		printf(", USB %04x:%04x", d->vendor, d->product);
	printf("%s%s\n", d->hint[0] != '\0' ? "; " : "", d->hint);
	if (d->kind == DEVICE_SERIAL && p->row >= 0)
		printf("  speaks as %s%s%s\n", cairn_port_tries[p->row].what, p->said[0] != '\0' ? ": " : "",
		    p->said);
	else if (d->kind == DEVICE_SERIAL && p->said[0] != '\0')
		printf("  %s\n", p->said);
	else if (d->kind == DEVICE_SERIAL && v->probed)
		printf("  says nothing that is known here: has what hangs on it power?\n");
	if (d->kind != DEVICE_USB && !d->stays)
		printf("  its name changes with the order of plugging in: there is none below by-id\n");
}

/* The only one for this use; -1: none, or several. *ret_count: how many. */
static int port_for(const struct inventory *v, enum cairn_port_use use, int *ret_count)
{
	int last = -1;
	*ret_count = 0;
	for (int i = 0; i < v->count; i++) {
		if (v->found[i].kind != DEVICE_SERIAL || v->ports[i].row < 0 ||
		    cairn_port_tries[v->ports[i].row].use != use)
			continue;
		last = i;
		++*ret_count;
	}
	return *ret_count == 1 ? last : -1;
}

/* Is the configured path the device that was found? */
static bool is_same(const struct cli *cli, const char *configured, const char *path)
{
	struct stat a, b;
	char whole[600];
	(void)cairn_path_below(whole, sizeof(whole), cli->run_dir, configured);
	return stat(whole, &a) == 0 && stat(path, &b) == 0 && a.st_rdev == b.st_rdev && a.st_ino == b.st_ino;
}

/* False: missing, or not to be told which. */
static bool suggest_port(
    const struct inventory *v, enum cairn_port_use use, const char *key, const char *what)
{
	int count, i = port_for(v, use, &count);
	if (i >= 0) {
		const char *settings = cairn_port_tries[v->ports[i].row].settings;
		printf("  --set robot.%s=%s", key, v->found[i].path);
		printf("%s%s\n", settings[0] != '\0' ? " --set " : "", settings);
		return true;
	}
	if (v->probed)
		printf("MISSING: %s: %s\n", what,
		    count > 1 ? "several answer; name one"
			      : "no serial port answers as one; check power and cable");
	return false;
}

static bool suggest_camera(const struct inventory *v)
{
	int count = 0;
	for (int i = 0; i < v->count; i++) {
		if (v->found[i].kind != DEVICE_CAMERA)
			continue;
		printf("%s--set robot.camera_device=%s\n", count++ == 0 ? "  " : "  or ", v->found[i].path);
	}
	if (count == 0)
		printf("MISSING: a camera: none that V4L2 knows; without one, and without a helper, the "
		       "model is asked "
		       "without a picture\n");
	return count > 0;
}

/* What the configuration has the wrong way round. */
static bool is_mixed_up(const struct inventory *v)
{
	int count, base = port_for(v, CAIRN_PORT_BASE, &count), lidar = port_for(v, CAIRN_PORT_LIDAR, &count);
	bool mixed = false;
	if (base >= 0 && is_same(v->cli, v->cfg.robot.lidar_device, v->found[base].path)) {
		printf("WRONG: robot.lidar_device is the port where the motor board speaks\n");
		mixed = true;
	}
	if (lidar >= 0 && is_same(v->cli, v->cfg.robot.base_device, v->found[lidar].path)) {
		printf("WRONG: robot.base_device is the port where the LiDAR speaks\n");
		mixed = true;
	}
	return mixed;
}

static bool tell_use(const struct inventory *v)
{
	printf("%s\n", v->count > 0 ? "" : "Nothing is plugged in that could be used.");
	printf("What the stack would use, for 'cairn up --set robot.drive=serial':\n");
	bool base = suggest_port(v, CAIRN_PORT_BASE, "base_device", "a motor board");
	bool lidar = suggest_port(v, CAIRN_PORT_LIDAR, "lidar_device", "a LiDAR");
	(void)suggest_camera(v);
	bool mixed = is_mixed_up(v);
	if (!v->probed)
		printf("The serial ports were not asked who speaks there.\n");
	return base && lidar && !mixed;
}

int cli_devices(const struct cli *cli)
{
	static struct inventory v;
	struct cairn_error err = {""};
	char share[1024];
	const char *sys = cli_value(cli, "sys"), *dev = cli_value(cli, "dev");
	struct up_options options = {.layers = cli_layers(cli), .real = true};
	if (!up_config(&v.cfg, &options, share, sizeof(share), &err))
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	v.cli = cli;
	v.count = device_scan(sys != NULL ? sys : "/sys", dev != NULL ? dev : "/dev", v.found);
	bool held = cli_bus_bound(cli->run_dir, "motor.ctl");
	v.probed = !held && cli_value(cli, "no-probe") == NULL;
	if (held)
		fprintf(stderr,
		    "a stack holds the devices: the serial ports are not asked ('cairn down' first)\n");
	cli_catch_signals();
	for (int i = 0; i < v.count; i++) {
		v.ports[i] = (struct port){.row = -1};
		if (v.probed && v.found[i].kind == DEVICE_SERIAL)
			probe(&v.ports[i], v.found[i].path);
		show(&v, i);
	}
	return tell_use(&v) || !v.probed ? CLI_OK : CLI_FAILED;
}
