/* bench_reaction.c - from a scan with an obstacle on the bus to zero speed at the motor board: the real motor
 * stage, real sockets, a pseudo terminal for the board, and two busy processes beside it.
 *
 * Jitter is how far the motion frames of the 20 ms loop are from 20 ms apart, without scans in between. Both
 * are measured once as the machine schedules by itself and, where that is allowed, once with the motor stage
 * at a real-time priority (launcher.fifo does the same for a whole stack). */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
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

#include "common/base/geom.h"
#include "common/sim/dev_board.h"
#include "procs/cairn/bench.h"
#include "procs/cairn/cmd.h"

#define BUSY 2
#define SAMPLES 100
#define FRAMES 500
#define POINTS 720
#define TICK_NS (10 * CAIRN_NS_PER_MS)
#define LIMIT_NS (2 * CAIRN_NS_PER_S)
#define DRIVE_MPS 0.3
#define RT_PRIORITY 10

struct bench {
	char dir[64];
	int master, slave;
	pid_t motor, busy[BUSY];
	struct cairn_bus *bus;
	struct cairn_pub *scan_pub, *cmd_pub;
	struct cairn_dev_board board;
	struct cairn_dev_board_sense sense;
	int64_t tick_ns, scan_ns, cmd_ns;
	bool scans;
	int64_t frame_ns; /* arrival of the newest motion frame */
	uint64_t frames;
	int64_t zero_ns; /* first motion frame of zero speed since it was set to 0 */
	struct cairn_msg_scan scan;
	double samples[FRAMES];
};

/* ---- the run directory, the board, the stage, the load ---- */

static bool write_config(struct bench *b, const char *device)
{
	char path[128];
	static const char *const folders[] = {"bus", "state", "dev"};
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", b->dir, folders[i]);
		if (mkdir(path, 0700) != 0)
			return false;
	}
	snprintf(path, sizeof(path), "%s/config.yaml", b->dir);
	FILE *out = fopen(path, "we");
	if (out == NULL)
		return false;
	/* A robot that goes on soon after a stop: more stops a minute. */
	fprintf(
	    out, "robot:\n  base_device: %s\nsafety:\n  emergency_clear_s: 0.0\n  approach_s: 0.0\n", device);
	return fclose(out) == 0;
}

static bool open_board(struct bench *b, char *name, size_t bytes)
{
	struct termios t;
	b->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (b->master < 0 || grantpt(b->master) != 0 || unlockpt(b->master) != 0 ||
	    ptsname_r(b->master, name, bytes) != 0)
		return false;
	b->slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (b->slave < 0 || tcgetattr(b->slave, &t) != 0)
		return false;
	cfmakeraw(&t);
	(void)tcsetattr(b->slave, TCSANOW, &t);
	cairn_dev_board_init(&b->board);
	return true;
}

static pid_t start_motor(const char *dir)
{
	char self[512], program[600];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n <= 0)
		return -1;
	self[n] = '\0';
	char *slash = strrchr(self, '/');
	snprintf(program, sizeof(program), "%.*s/cairn-motor", (int)(slash - self), self);
	fflush(NULL);
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	int null = open("/dev/null", O_WRONLY);
	if (null >= 0) {
		(void)dup2(null, 1);
		(void)dup2(null, 2);
	}
	execl(program, program, "--run", dir, "--stage", "motor", (char *)NULL);
	_exit(127);
}

static pid_t start_busy(void)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	struct sched_param param = {0};
	(void)sched_setscheduler(0, SCHED_OTHER, &param); /* the load is never a real-time one */
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

static void finish(struct bench *b)
{
	end_process(b->motor);
	for (int i = 0; i < BUSY; i++)
		end_process(b->busy[i]);
	if (b->bus != NULL)
		cairn_bus_destroy(&b->bus);
	if (b->slave >= 0)
		close(b->slave);
	if (b->master >= 0)
		close(b->master);
	if (b->dir[0] != '\0')
		remove_dir(b->dir);
}

static bool begin(struct bench *b, struct cairn_error *err)
{
	char device[128];
	snprintf(b->dir, sizeof(b->dir), "/tmp/cairn-reaction-XXXXXX");
	if (mkdtemp(b->dir) == NULL) {
		b->dir[0] = '\0';
		cairn_error_set(err, "/tmp: %s", strerror(errno));
		return false;
	}
	if (!open_board(b, device, sizeof(device)) || !write_config(b, device)) {
		cairn_error_set(err, "%s: %s", b->dir, strerror(errno));
		return false;
	}
	b->bus = cairn_bus_new(b->dir, err);
	if (b->bus == NULL)
		return false;
	b->scan_pub = cairn_pub_new(b->bus, CAIRN_TOPIC_SCAN, NULL, err);
	b->cmd_pub = cairn_pub_new(b->bus, CAIRN_TOPIC_CMD_VEL, NULL, err);
	b->motor = start_motor(b->dir);
	for (int i = 0; i < BUSY; i++)
		b->busy[i] = start_busy();
	return b->scan_pub != NULL && b->cmd_pub != NULL && b->motor > 0;
}

/* ---- what the robot would see and report ---- */

/* Walls all round, and perhaps something this far before the nose. */
static void send_scan(struct bench *b, double ahead_m)
{
	struct cairn_msg_scan *s = &b->scan;
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
	s->t_start_ns = now_ns - 100 * CAIRN_NS_PER_MS;
	(void)cairn_pub_send(b->scan_pub, s, now_ns, true);
	b->scan_ns = now_ns;
}

static void report(struct bench *b)
{
	uint8_t buf[512];
	size_t n = cairn_dev_board_take(&b->board, buf, sizeof(buf));
	if (n > 0 && write(b->master, buf, n) < 0)
		return;
	b->sense.v_mps = b->board.v_mps;
	b->sense.battery_v = 12.0;
	n = cairn_dev_board_report(&b->board, &b->sense, buf, sizeof(buf));
	if (n > 0 && write(b->master, buf, n) < 0)
		return;
}

/* One turn: waits for the board's line until the next thing is due, and does what is due. */
static void turn(struct bench *b)
{
	int64_t now_ns = cli_now_ns();
	if (now_ns >= b->tick_ns) {
		report(b);
		b->tick_ns = now_ns + TICK_NS;
	}
	if (b->scans && now_ns - b->scan_ns >= 100 * CAIRN_NS_PER_MS)
		send_scan(b, 0.0);
	if (now_ns - b->cmd_ns >= 50 * CAIRN_NS_PER_MS) {
		struct cairn_msg_cmd_vel cmd = {.v_mps = DRIVE_MPS};
		(void)cairn_pub_send(b->cmd_pub, &cmd, now_ns, true);
		b->cmd_ns = now_ns;
	}
	struct pollfd p = {.fd = b->master, .events = POLLIN};
	struct timespec wait = {.tv_nsec = 1000000};
	if (ppoll(&p, 1, &wait, NULL) <= 0)
		return;
	uint8_t buf[512];
	ssize_t n = read(b->master, buf, sizeof(buf));
	int64_t at_ns = cli_now_ns();
	for (ssize_t i = 0; i < n; i++) { /* frame by frame: a stop must not hide behind what follows it */
		uint64_t before = b->board.commands;
		cairn_dev_board_receive(&b->board, &buf[i], 1);
		if (b->board.commands == before || b->board.mode != CAIRN_DEV_BOARD_TWIST)
			continue;
		b->frame_ns = at_ns;
		b->frames++;
		if (b->board.v_mps == 0.0 && b->zero_ns == 0)
			b->zero_ns = at_ns;
	}
}

static bool drives(const struct bench *b)
{
	return b->board.mode == CAIRN_DEV_BOARD_TWIST && b->board.v_mps > 0.5 * DRIVE_MPS;
}

static bool wait_driving(struct bench *b, int64_t limit_ns)
{
	int64_t end_ns = cli_now_ns() + limit_ns;
	b->scans = true;
	while (!drives(b)) {
		if (cli_now_ns() > end_ns || cli_interrupted())
			return false;
		turn(b);
	}
	return true;
}

/* ---- measuring ---- */

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}

static void tell(struct bench *b, struct cairn_bench_out *out, const char *what, const char *how, int n)
{
	char name[64];
	qsort(b->samples, (size_t)n, sizeof(b->samples[0]), by_value);
	snprintf(name, sizeof(name), "%s.%s.median", what, how);
	cairn_bench_value(out, name, b->samples[n / 2], "ms");
	snprintf(name, sizeof(name), "%s.%s.p99", what, how);
	cairn_bench_value(out, name, b->samples[(int)ceil(0.99 * n) - 1], "ms");
	snprintf(name, sizeof(name), "%s.%s.max", what, how);
	cairn_bench_value(out, name, b->samples[n - 1], "ms");
}

static bool measure_reaction(struct bench *b, struct cairn_bench_out *out, const char *how)
{
	for (int i = 0; i < SAMPLES;) {
		if (!wait_driving(b, 10 * CAIRN_NS_PER_S))
			return false;
		/* not in step with the loop of the stage */
		int64_t from_ns = cli_now_ns() + (i * 37 % 50) * CAIRN_NS_PER_MS;
		while (cli_now_ns() < from_ns)
			turn(b);
		if (!drives(b))
			continue;
		b->scans = false;
		b->zero_ns = 0;
		send_scan(b, 0.02);
		int64_t sent_ns = b->scan_ns;
		while (b->zero_ns == 0) {
			turn(b);
			if (cli_now_ns() - sent_ns > LIMIT_NS)
				return false;
		}
		b->samples[i++] = (double)(b->zero_ns - sent_ns) * 1e-6;
	}
	tell(b, out, "reaction", how, SAMPLES);
	return true;
}

static bool measure_jitter(struct bench *b, struct cairn_bench_out *out, const char *how)
{
	int64_t last_ns = 0;
	b->scans = false;
	for (int n = -20; n < FRAMES;) { /* the first are those of the last scans */
		uint64_t before = b->frames;
		int64_t start_ns = cli_now_ns();
		while (b->frames == before) {
			turn(b);
			if (cli_now_ns() - start_ns > LIMIT_NS)
				return false;
		}
		if (n >= 0)
			b->samples[n] = fabs((double)(b->frame_ns - last_ns) * 1e-6 - 20.0);
		last_ns = b->frame_ns;
		n++;
	}
	tell(b, out, "jitter", how, FRAMES);
	return true;
}

/* False where real-time priority is not allowed. Threads made from now on have it, too. */
static bool set_realtime(bool on)
{
	struct sched_param param = {.sched_priority = on ? RT_PRIORITY : 0};
	return sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param) == 0;
}

static bool measure(struct cairn_bench_out *out, const char *how)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct cairn_error err = {""};
	if (b == NULL)
		return false;
	b->master = b->slave = -1;
	bool ok = begin(b, &err) && wait_driving(b, 20 * CAIRN_NS_PER_S) && measure_reaction(b, out, how) &&
		  measure_jitter(b, out, how);
	if (!ok)
		fprintf(stderr, "cairn bench: %s\n",
		    err.text[0] != '\0' ? err.text : "the motor stage did not answer in time");
	finish(b);
	free(b);
	return ok;
}

bool cairn_bench_reaction(struct cairn_bench_out *out)
{
	cli_catch_signals();
	bool ok = measure(out, "plain");
	if (ok && set_realtime(true)) {
		ok = measure(out, "realtime");
		(void)set_realtime(false);
	} else if (ok) {
		fprintf(stderr, "cairn bench: real-time priority is not allowed here: %s\n", strerror(errno));
	}
	return ok;
}
