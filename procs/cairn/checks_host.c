/* checks_host.c - what the machine has free just now: devices, ports, memory, disk, and the time of day. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "common/vlm/profile.h"
#include "common/web/address.h"
#include "ipc/remote.h"
#include "procs/cairn/checks.h"
#include "procs/launcher/plane.h"

#define STATE_MB 32.0   /* map, decisions and the like of a long run, roughly */
#define DISK_MIN_MB 1.0 /* without this not even the configuration in force could be written for sure */
#define CLOCK_SLACK_S 86400

static bool held_by_own_stack(const struct check_context *ctx, struct check_result *ret)
{
	if (ctx->running)
		check_says(ret, CHECK_SKIPPED, "the stack that runs in %s holds them", ctx->run_dir);
	return ctx->running;
}

/* ---- devices ---- */

/* *path as the stages open it. False with the result set: no such device, no right to it. */
static bool device_ok(const struct check_context *ctx, const char *device, const char *key, char *path,
    size_t path_bytes, struct check_result *ret)
{
	struct stat st;
	bool whole = device[0] == '/';
	snprintf(path, path_bytes, "%s%s%s", whole ? "" : ctx->run_dir, whole ? "" : "/", device);
	if (stat(path, &st) != 0) {
		check_says(ret, CHECK_FAILS,
		    "%s: %s: %s; plug it in, or name the device it has (ls /dev/serial/by-id)", key, path,
		    strerror(errno));
		return false;
	}
	if (!S_ISCHR(st.st_mode)) {
		check_says(ret, CHECK_FAILS, "%s: %s: is no serial device", key, path);
		return false;
	}
	if (faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) != 0) {
		int why = errno;
		const struct group *group = getgrgid(st.st_gid);
		check_says(ret, CHECK_FAILS, "%s: %s: %s; add the user to the group '%s' (usermod -aG)", key,
		    path, strerror(why), group != NULL ? group->gr_name : "of the device");
		return false;
	}
	return true;
}

void check_devices(struct check_context *ctx, struct check_result *ret)
{
	const struct cairn_config_robot *robot = &ctx->cfg->robot;
	char base[600], lidar[600], camera[600];
	struct stat a, b;
	if (robot->drive == CAIRN_CHOICE_DRIVE_SIMULATED) {
		check_says(ret, CHECK_SKIPPED, "the robot is simulated (robot.drive)");
		return;
	}
	const struct cairn_config_ros2 *ros2 = &ctx->cfg->ros2;
	bool drivers = robot->drive == CAIRN_CHOICE_DRIVE_ROS2;
	bool base_by_ros = drivers && ros2->odom_from[0] != '\0',
	     lidar_by_ros = drivers && ros2->scan_from[0] != '\0';
	if (held_by_own_stack(ctx, ret))
		return;
	if ((!base_by_ros &&
		!device_ok(ctx, robot->base_device, "robot.base_device", base, sizeof(base), ret)) ||
	    (!lidar_by_ros &&
		!device_ok(ctx, robot->lidar_device, "robot.lidar_device", lidar, sizeof(lidar), ret)))
		return;
	if (drivers) {
		check_says(ret, CHECK_OK,
		    "drivers of ROS 2 (robot.drive): %s; 'cairn status' tells which of them speak",
		    base_by_ros && lidar_by_ros ? "base and LiDAR"
		    : base_by_ros               ? "the base"
						: "the LiDAR");
		return;
	}
	if (stat(base, &a) == 0 && stat(lidar, &b) == 0 && a.st_rdev == b.st_rdev) {
		check_says(ret, CHECK_FAILS,
		    "robot.lidar_device: %s is the same device as robot.base_device (%s); name another",
		    lidar, base);
		return;
	}
	bool helper = robot->camera_device[0] == '\0', whole = !helper || robot->camera_socket[0] == '/';
	snprintf(camera, sizeof(camera), "%s%s%s", whole ? "" : ctx->run_dir, whole ? "" : "/",
	    helper ? robot->camera_socket : robot->camera_device);
	if (stat(camera, &a) != 0)
		check_says(ret, CHECK_WARNS,
		    "robot.%s: %s: %s; the model is asked without a picture until %s",
		    helper ? "camera_socket" : "camera_device", camera, strerror(errno),
		    helper ? "a camera helper serves it" : "it is plugged in");
	else if (robot->depth_device[0] != '\0' && stat(robot->depth_device, &a) != 0)
		check_says(ret, CHECK_WARNS,
		    "robot.depth_device: %s: %s; the robot sees no depth until it is plugged in",
		    robot->depth_device, strerror(errno));
	else
		check_says(ret, CHECK_OK, "%.200s, %.200s", base, lidar);
}

/* ---- ports ---- */

static bool pilot_port_free(const struct cairn_config *cfg, struct check_result *ret)
{
	if (!cairn_lineup_names(&cfg->vlm, "pilot") || cfg->pilot.port == 0)
		return true;
	struct sockaddr_in at = {.sin_family = AF_INET,
	    .sin_port = htons((uint16_t)cfg->pilot.port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	bool ok = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0;
	if (!ok)
		check_says(ret, CHECK_FAILS,
		    "pilot.port: %d on 127.0.0.1: %s; use another, or 0 for any free one", cfg->pilot.port,
		    strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok;
}

/* As the remote stage will bind them. */
static bool remote_ports_free(const struct cairn_config *cfg, struct check_result *ret)
{
	char watch[CAIRN_CONFIG_TEXT_CAP + 8];
	struct cairn_error err = {""};
	const char *urls[] = {cfg->remote.endpoint, watch};
	if (cfg->remote.endpoint[0] == '\0' ||
	    !cairn_remote_endpoint(cfg->remote.endpoint, watch, sizeof(watch), &err))
		return true; /* what is no endpoint is the other check's business */
	void *zmq = zmq_ctx_new();
	int on = 1, off = 0;
	bool ok = true;
	for (int i = 0; ok && i < 2; i++) {
		void *s = zmq_socket(zmq, ZMQ_ROUTER);
		(void)zmq_setsockopt(s, ZMQ_IPV6, &on, sizeof(on));
		(void)zmq_setsockopt(s, ZMQ_LINGER, &off, sizeof(off));
		ok = zmq_bind(s, urls[i]) == 0;
		if (!ok)
			check_says(ret, CHECK_FAILS,
			    "remote.endpoint: %s: %s; end what listens there (ss -ltnp), or use another port",
			    urls[i], zmq_strerror(zmq_errno()));
		zmq_close(s);
	}
	zmq_ctx_term(zmq);
	return ok;
}

/* A stack starts without its page, and the page comes when the port is free. */
static bool web_port_free(const struct cairn_config *cfg, struct check_result *ret)
{
	struct cairn_web_address a;
	struct cairn_error err = {""};
	struct sockaddr_in v4 = {.sin_family = AF_INET};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
	if (!cfg->web.enabled || !cairn_web_address_parse(cfg->web.endpoint, &a, &err))
		return true;
	v4.sin_port = v6.sin6_port = htons(a.port);
	inet_pton(a.v6 ? AF_INET6 : AF_INET, a.host, a.v6 ? (void *)&v6.sin6_addr : (void *)&v4.sin_addr);
	int fd = socket(a.v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	bool ok = fd >= 0 && bind(fd, a.v6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4,
				 a.v6 ? sizeof(v6) : sizeof(v4)) == 0;
	if (!ok)
		check_says(ret, CHECK_WARNS,
		    "web.endpoint: %s: %s; the page waits until it is free: use another port, or 0 for any "
		    "free one",
		    cfg->web.endpoint, strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok;
}

void check_ports(struct check_context *ctx, struct check_result *ret)
{
	const struct cairn_config *cfg = ctx->cfg;
	if (held_by_own_stack(ctx, ret) || !pilot_port_free(cfg, ret) || !remote_ports_free(cfg, ret) ||
	    !web_port_free(cfg, ret))
		return;
	if (cfg->remote.endpoint[0] == '\0' && cfg->pilot.port == 0 && !cfg->web.enabled)
		check_says(
		    ret, CHECK_SKIPPED, "none is configured (pilot.port, remote.endpoint, web.endpoint)");
	else
		check_says(ret, CHECK_OK, "free");
}

/* ---- memory ---- */

/* Shared memory is memory: in a namespace of our own the tmpfs is made as large as needed (on the host it must fit, which
 * the data plane looks at itself). */
void check_memory(struct check_context *ctx, struct check_result *ret)
{
	double need_mb = (double)cairn_plane_bytes(ctx->cfg) / 1e6, have_mb = 0.0;
	FILE *f = fopen("/proc/meminfo", "re");
	char line[128];
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		long kb;
		if (sscanf(line, "MemAvailable: %ld", &kb) == 1)
			have_mb = (double)kb / 1e3;
	}
	if (f != NULL)
		fclose(f);
	if (need_mb <= have_mb)
		check_says(ret, CHECK_OK, "%.0f MB for the frames of %.0f MB free", need_mb, have_mb);
	else
		check_says(ret, CHECK_FAILS,
		    "map.extent_max_m, map.cell_m, camera.*_px: the frames need %.0f MB of shared memory, "
		    "%.0f MB "
		    "are free; make these keys smaller",
		    need_mb, have_mb);
}

void check_data_plane(struct check_context *ctx, struct check_result *ret)
{
	struct cairn_error err = {""};
	if (held_by_own_stack(ctx, ret))
		return;
	if (!cairn_plane_possible(ctx->cfg, ctx->fallback, sizeof(ctx->fallback), &err))
		check_says(ret, CHECK_FAILS, "%s", err.text);
	else
		check_says(
		    ret, CHECK_OK, "%s", ctx->fallback[0] != '\0' ? ctx->fallback : "a namespace of its own");
}

/* ---- disk and clock ---- */

/* Of the run directory, or of what of its path is there. */
static bool free_mb(const char *run_dir, double *ret_mb)
{
	char path[300];
	struct statvfs vfs;
	check_nearest_folder(run_dir, path, sizeof(path));
	if (statvfs(path, &vfs) != 0)
		return false;
	*ret_mb = (double)vfs.f_bavail * (double)vfs.f_frsize / 1e6;
	return true;
}

void check_disk(struct check_context *ctx, struct check_result *ret)
{
	const struct cairn_config *cfg = ctx->cfg;
	static const char *const stages[] = {
#define STAGE(id, name, program, iceoryx, when, without, doc) name,
#include "procs/launcher/stages.def"
	    "launcher", "roudi"};
	double have_mb = 0.0;
	double full_mb = (double)(sizeof(stages) / sizeof(stages[0])) * 2.0 * cfg->launcher.log_file_mb +
			 2.0 * cfg->vlm.decision_log_mb + STATE_MB +
			 (cfg->vlm.record[0] != '\0' ? cfg->vlm.record_mb : 0.0);
	if (!free_mb(ctx->run_dir, &have_mb))
		check_says(ret, CHECK_WARNS, "--run: %s: %s", ctx->run_dir, strerror(errno));
	else if (have_mb < DISK_MIN_MB)
		check_says(ret, CHECK_FAILS,
		    "--run: %s: only %.1f MB are free there; make room, or give a run directory elsewhere",
		    ctx->run_dir, have_mb);
	else if (have_mb < full_mb)
		check_says(ret, CHECK_WARNS,
		    "--run: %s: %.0f MB are free there, logs and state may grow to %.0f MB "
		    "(launcher.log_file_mb, "
		    "vlm.decision_log_mb, vlm.record_mb)",
		    ctx->run_dir, have_mb, full_mb);
	else
		check_says(ret, CHECK_OK, "%.0f MB free in %s", have_mb, ctx->run_dir);
}

/* A clock that is behind the files of this program was never set: no robot stands still for that, but certificates that
 * are not valid yet are refused. */
void check_clock(struct check_context *ctx, struct check_result *ret)
{
	char path[4400], text[40];
	struct stat st;
	struct tm utc;
	time_t now = time(NULL);
	snprintf(path, sizeof(path), "%s/config/cairn.yaml", ctx->share);
	(void)gmtime_r(&now, &utc);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%SZ", &utc);
	if (stat(path, &st) == 0 && st.st_mtime > now + CLOCK_SLACK_S)
		check_says(ret, CHECK_WARNS,
		    "it is %s by the clock, before this program was installed: services by https:// will be "
		    "refused; set it (timedatectl)",
		    text);
	else
		check_says(ret, CHECK_OK, "%s", text);
}
