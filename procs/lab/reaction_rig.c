#include "procs/lab/reaction_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "procs/cli/cli.h"
#include "procs/launcher/placement.h"

#define POINTS 720
#define BOARD_NS (10 * CAIRN_NS_PER_MS)
#define SCAN_NS (100 * CAIRN_NS_PER_MS)
#define COMMAND_NS (50 * CAIRN_NS_PER_MS)
#define RIG_PRIORITY 60 /* before the stage: what is measured is the stage */
#define LOG_SHOWN 2000

/* ---- the run directory, the board, the stage, the load ---- */

static bool write_config(struct cairn_reaction_rig *rig, const char *device)
{
	char path[128];
	static const char *const folders[] = {"bus", "state", "dev"};
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", rig->dir, folders[i]);
		if (mkdir(path, 0700) != 0)
			return false;
	}
	snprintf(path, sizeof(path), "%s/config.yaml", rig->dir);
	FILE *out = fopen(path, "we");
	if (out == NULL)
		return false;
	/* A robot that goes on soon after a stop: more stops a minute. */
	fprintf(out,
	    "robot:\n  drive: serial\n  base_device: %s\n  accel_max_mps2: 5.0\n  jerk_max_mps3: 200.0\n"
	    "safety:\n  emergency_clear_s: 0.0\n  approach_s: 0.0\n",
	    device);
	return fclose(out) == 0;
}

static bool open_board(struct cairn_reaction_rig *rig, char *name, size_t bytes)
{
	struct termios t;
	rig->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (rig->master < 0 || grantpt(rig->master) != 0 || unlockpt(rig->master) != 0 ||
	    ptsname_r(rig->master, name, bytes) != 0)
		return false;
	rig->slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (rig->slave < 0 || tcgetattr(rig->slave, &t) != 0)
		return false;
	cfmakeraw(&t);
	(void)tcsetattr(rig->slave, TCSANOW, &t);
	cairn_dev_board_init(&rig->board);
	return true;
}

/* What a child must not have from the rig. */
static void be_ordinary(void)
{
	struct sched_param param = {0};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)sched_setscheduler(0, SCHED_OTHER, &param);
}

static pid_t start_motor(const struct cairn_reaction_rig *rig, bool realtime)
{
	char self[512], program[600], log[128];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n <= 0)
		return -1;
	self[n] = '\0';
	char *slash = strrchr(self, '/');
	snprintf(program, sizeof(program), "%.*s/cairn-motor", (int)(slash - self), self);
	snprintf(log, sizeof(log), "%s/motor.log", rig->dir);
	int executed[2];
	if (pipe2(executed, O_CLOEXEC) != 0)
		return -1;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		be_ordinary();
		int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
		if (fd >= 0) {
			(void)dup2(fd, 1);
			(void)dup2(fd, 2);
		}
		execl(program, program, "--run", rig->dir, "--stage", "motor", (char *)NULL);
		_exit(127);
	}
	/* It is placed once it runs, as the launcher does it: before that it would take its place back. */
	char none;
	close(executed[1]);
	(void)!read(executed[0], &none, 1);
	close(executed[0]);
	if (pid < 0)
		return pid;
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	struct cairn_placement placement = cairn_placement_of(&cfg.launcher, "motor");
	if (realtime)
		(void)cairn_placement_apply(&placement, pid);
	else
		cairn_placement_short_slices(pid);
	return pid;
}

static pid_t start_busy(void)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	be_ordinary();
	for (volatile unsigned i = 0;; i++)
		;
}

static void end_process(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void remove_dir(const char *dir)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		execl("/bin/rm", "rm", "-rf", "--", dir, (char *)NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

void cairn_rig_finish(struct cairn_reaction_rig *rig)
{
	end_process(rig->motor);
	for (int i = 0; i < CAIRN_RIG_BUSY; i++)
		end_process(rig->busy[i]);
	if (rig->bus != NULL)
		cairn_bus_destroy(&rig->bus);
	if (rig->slave >= 0)
		close(rig->slave);
	if (rig->master >= 0)
		close(rig->master);
	if (rig->dir[0] != '\0')
		remove_dir(rig->dir);
}

static bool open_bus(struct cairn_reaction_rig *rig, struct cairn_error *err)
{
	rig->bus = cairn_bus_new(rig->dir, err);
	if (rig->bus == NULL)
		return false;
	rig->scan_pub = cairn_pub_new(rig->bus, CAIRN_TOPIC_SCAN, NULL, err);
	rig->cmd_pub = cairn_pub_new(rig->bus, CAIRN_TOPIC_CMD_VEL, NULL, err);
	rig->motion_sub = cairn_sub_new(rig->bus, CAIRN_TOPIC_MOTION, NULL, err);
	rig->beat_sub = cairn_sub_new(rig->bus, CAIRN_TOPIC_HEARTBEAT, "motor", err);
	return rig->scan_pub != NULL && rig->cmd_pub != NULL && rig->motion_sub != NULL &&
	       rig->beat_sub != NULL;
}

bool cairn_rig_begin(struct cairn_reaction_rig *rig, bool realtime, struct cairn_error *err)
{
	char device[128];
	struct sched_param param = {.sched_priority = RIG_PRIORITY};
	*rig = (struct cairn_reaction_rig){.master = -1, .slave = -1};
	/* Its own threads have it, too: those of the bus are made below. */
	if (sched_setscheduler(0, SCHED_FIFO, &param) != 0 && realtime) {
		cairn_error_set(err, "real-time priority is not allowed here: %s", strerror(errno));
		return false;
	}
	snprintf(rig->dir, sizeof(rig->dir), "/tmp/cairn-reaction-XXXXXX");
	if (mkdtemp(rig->dir) == NULL) {
		rig->dir[0] = '\0';
		cairn_error_set(err, "/tmp: %s", strerror(errno));
		return false;
	}
	if (!open_board(rig, device, sizeof(device)) || !write_config(rig, device)) {
		cairn_error_set(err, "%s: %s", rig->dir, strerror(errno));
		return false;
	}
	if (!open_bus(rig, err))
		return false;
	rig->motor = start_motor(rig, realtime);
	for (int i = 0; i < CAIRN_RIG_BUSY; i++)
		rig->busy[i] = start_busy();
	if (rig->motor < 0)
		cairn_error_set(err, "cannot start the motor stage: %s", strerror(errno));
	return rig->motor > 0;
}

bool cairn_rig_alive(struct cairn_reaction_rig *rig)
{
	if (rig->motor > 0 && waitpid(rig->motor, NULL, WNOHANG) == rig->motor)
		rig->motor = -1;
	return rig->motor > 0;
}

void cairn_rig_tell_log(const struct cairn_reaction_rig *rig)
{
	char path[128], text[LOG_SHOWN];
	snprintf(path, sizeof(path), "%s/motor.log", rig->dir);
	FILE *in = fopen(path, "re");
	if (in == NULL)
		return;
	if (fseek(in, -(long)sizeof(text), SEEK_END) != 0)
		rewind(in);
	size_t n = fread(text, 1, sizeof(text), in);
	fwrite(text, 1, n, stderr);
	fclose(in);
}

/* ---- what the robot would see and report ---- */

void cairn_rig_scan(struct cairn_reaction_rig *rig, double ahead_m)
{
	struct cairn_msg_scan *s = &rig->scan;
	s->range_min_m = 0.05f;
	s->range_max_m = 12.0f;
	s->angle_rad_count = s->range_m_count = POINTS;
	for (int i = 0; i < POINTS; i++) {
		double a = (i + 0.5) * 2.0 * M_PI / POINTS - M_PI;
		double r = fmin(4.0 / fabs(cos(a)), 3.0 / fabs(sin(a)));
		if (ahead_m > 0.0 && fabs(a) < 0.3)
			r = (0.17 + ahead_m) / cos(a); /* the LiDAR is 0.17 m behind the nose */
		s->angle_rad[i] = (float)a;
		s->range_m[i] = (float)r;
	}
	int64_t now_ns = cli_now_ns();
	s->t_start_ns = now_ns - SCAN_NS;
	(void)cairn_pub_send(rig->scan_pub, s, now_ns, true);
	rig->scan_ns = now_ns;
}

static void report(struct cairn_reaction_rig *rig)
{
	uint8_t buf[512];
	size_t n = cairn_dev_board_take(&rig->board, buf, sizeof(buf));
	if (n > 0 && write(rig->master, buf, n) < 0)
		return;
	rig->sense.v_mps = rig->board.v_mps;
	rig->sense.battery_v = 12.0;
	n = cairn_dev_board_report(&rig->board, &rig->sense, buf, sizeof(buf));
	if (n > 0 && write(rig->master, buf, n) < 0)
		return;
}

static void do_what_is_due(struct cairn_reaction_rig *rig)
{
	int64_t now_ns = cli_now_ns();
	if (now_ns >= rig->tick_ns) {
		report(rig);
		rig->tick_ns = now_ns + BOARD_NS;
	}
	if (rig->scans && now_ns - rig->scan_ns >= SCAN_NS)
		cairn_rig_scan(rig, 0.0);
	if (now_ns - rig->cmd_ns >= COMMAND_NS) {
		struct cairn_msg_cmd_vel cmd = {.v_mps = CAIRN_RIG_DRIVE_MPS};
		(void)cairn_pub_send(rig->cmd_pub, &cmd, now_ns, true);
		rig->cmd_ns = now_ns;
	}
}

static void take_frames(struct cairn_reaction_rig *rig)
{
	uint8_t buf[512];
	ssize_t n = read(rig->master, buf, sizeof(buf));
	int64_t at_ns = cli_now_ns();
	for (ssize_t i = 0; i < n; i++) { /* frame by frame: a stop must not hide behind what follows it */
		uint64_t before = rig->board.commands;
		cairn_dev_board_receive(&rig->board, &buf[i], 1);
		if (rig->board.commands == before || rig->board.mode != CAIRN_DEV_BOARD_TWIST)
			continue;
		rig->frame_ns = at_ns;
		rig->frames++;
		if (rig->board.v_mps == 0.0 && rig->zero_ns == 0)
			rig->zero_ns = at_ns;
	}
}

static void take_messages(struct cairn_reaction_rig *rig)
{
	while (cairn_sub_recv(rig->motion_sub, &rig->motion, &rig->motion_hdr) == 1)
		rig->motions++;
	while (cairn_sub_recv(rig->beat_sub, &rig->beat, NULL) == 1) {
		rig->beats++;
		rig->late_max_ms = fmax(rig->late_max_ms, rig->beat.late_ms);
		rig->turn_max_ms = fmax(rig->turn_max_ms, rig->beat.overrun_ms);
	}
}

void cairn_rig_turn(struct cairn_reaction_rig *rig)
{
	do_what_is_due(rig);
	zmq_pollitem_t items[] = {{NULL, rig->master, ZMQ_POLLIN, 0},
	    {cairn_sub_socket(rig->motion_sub), 0, ZMQ_POLLIN, 0},
	    {cairn_sub_socket(rig->beat_sub), 0, ZMQ_POLLIN, 0}};
	if (zmq_poll(items, 3, 1) <= 0)
		return;
	if (items[0].revents != 0)
		take_frames(rig);
	take_messages(rig);
}

bool cairn_rig_drives(const struct cairn_reaction_rig *rig)
{
	return rig->board.mode == CAIRN_DEV_BOARD_TWIST && rig->board.v_mps > 0.5 * CAIRN_RIG_DRIVE_MPS;
}
