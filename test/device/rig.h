/* rig.h - the real motor stage and sensor bridge against devices on pseudo terminals, in a run directory of
 * the test's own. The test plays the devices (with the simulator's code), the sequencer and the watchdog. */
#ifndef CAIRN_TEST_DEVICE_RIG_H
#define CAIRN_TEST_DEVICE_RIG_H

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>

#include "common/base/geom.h"
#include "common/config/config.h"
#include "common/sim/robot/dev_board.h"
#include "common/sim/robot/dev_diffdrive.h"
#include "common/sim/robot/dev_ld06.h"
#include "common/sim/robot/dev_lidar.h"
#include "ipc/bus.h"
#include "test/support/run_dir.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS
#define PATIENCE_MS 20000 /* a limit for a broken stage, not a measure of a good one */
#define NODES 720

/* One device: its end of the terminal, and the link in the run directory that leads to the other. */
struct port {
	const char *name;
	int master,
	    slave; /* -1: vanished. The test holds the slave, so that the master outlives the stage's end */
};

static char run_dir[CAIRN_RUN_DIR_BYTES];
static struct cairn_bus *bus;
static struct cairn_config cfg;
static struct port board_port = {"dev/board", -1, -1}, lidar_port = {"dev/lidar", -1, -1};
static struct cairn_dev_board board;
static bool is_two_wheels; /* the base is a diffdrive-serial one, from setup on */
static struct cairn_dev_diffdrive two_wheels;
static struct cairn_dev_lidar lidar;
static bool is_ld06; /* the LiDAR is one, from setup on */
static struct cairn_dev_ld06 ld06;
static const char *guard_lines, *guard_chip; /* from setup on; then the stage guard-bridge publishes guard */
static bool signal_board;                    /* from setup on */
static const char *signal_lines;             /* from setup on, of guard_chip */
static uint8_t heard[1 << 18];               /* all that the board was sent */
static size_t heard_bytes;
static double intruder_m;   /* something ahead of the LiDAR at this distance; 0 = nothing */
static unsigned revolution; /* of the LiDAR, counted */
static bool lidar_frozen, board_deaf;
static pid_t motor_pid, bridge_pid;
static struct cairn_pub *cmd_pub, *estop_pub, *guard_pub;
static struct cairn_sub *scan_sub, *motion_sub, *odom_sub;
static struct cairn_msg_scan scan;
static struct cairn_msg_motion motion;
static struct cairn_msg_odom odom;
static int scans, motions, odoms, node_at;
static int64_t board_due_ns, lidar_due_ns, cmd_due_ns, last_scan_ns, estop_due_ns;
static double command_mps; /* NAN: silent */
static double command_radps, heading_rad;
static bool estop_on;
static double wall_m = 3.0; /* all round */
static double travelled_m;

static inline int64_t mono_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

/* ---- devices ---- */

static inline void appear(struct port *p)
{
	char path[80];
	p->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_ge(p->master, 0);
	ck_assert_int_eq(grantpt(p->master) | unlockpt(p->master), 0);
	p->slave = open(ptsname(p->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	ck_assert_int_ge(p->slave, 0);
	struct termios raw;
	tcgetattr(p->slave, &raw);
	cfmakeraw(&raw);
	tcsetattr(p->slave, TCSANOW, &raw);
	snprintf(path, sizeof(path), "%s/%s", run_dir, p->name);
	unlink(path);
	ck_assert_int_eq(symlink(ptsname(p->master), path), 0);
}

static inline void vanish(struct port *p)
{
	close(p->master);
	close(p->slave);
	p->master = p->slave = -1;
}

#define SEPARATION_M 0.22

/* Its wheels do at once what they are told. */
static inline size_t serve_two_wheels(int64_t now_ns, uint8_t *buf, size_t cap)
{
	size_t out = cairn_dev_diffdrive_take(&two_wheels, buf, cap);
	if (now_ns < board_due_ns)
		return out;
	double v = cairn_dev_diffdrive_v_mps(&two_wheels),
	       w = cairn_dev_diffdrive_w_radps(&two_wheels, SEPARATION_M);
	static double left_m, right_m;
	left_m += two_wheels.left_mps * 0.01;
	right_m += two_wheels.right_mps * 0.01;
	travelled_m += v * 0.01;
	heading_rad += w * 0.01;
	struct cairn_dev_diffdrive_sense sense = {
	    .counts = {(int32_t)lround(left_m * cfg.robot.encoder_ticks_per_m),
		(int32_t)lround(right_m * cfg.robot.encoder_ticks_per_m)},
	    .mps = {two_wheels.left_mps, two_wheels.right_mps},
	    .battery_v = 12.1,
	    .gyro_radps = {0.0, 0.0, w},
	    .accel_mps2 = {0.0, 0.0, 9.81}};
	out += cairn_dev_diffdrive_report(&two_wheels, &sense, 10.0, buf + out, cap - out);
	board_due_ns = now_ns + 10 * MS;
	return out;
}

static inline void hear_board(const uint8_t *bytes, size_t count)
{
	if (heard_bytes + count <= sizeof(heard))
		memcpy(heard + heard_bytes, bytes, count);
	heard_bytes += count;
	if (is_two_wheels)
		cairn_dev_diffdrive_receive(&two_wheels, bytes, count);
	else if (!board_deaf)
		cairn_dev_board_receive(&board, bytes, count);
}

static inline void serve_board(int64_t now_ns)
{
	uint8_t buf[512];
	ssize_t n;
	while (board_port.master >= 0 && (n = read(board_port.master, buf, sizeof(buf))) > 0)
		hear_board(buf, (size_t)n);
	size_t out = is_two_wheels ? serve_two_wheels(now_ns, buf, sizeof(buf))
				   : cairn_dev_board_take(&board, buf, sizeof(buf));
	if (!is_two_wheels && now_ns >= board_due_ns) {
		double v = board.mode == CAIRN_DEV_BOARD_STOPPED ? 0.0 : board.v_mps;
		travelled_m += v * 0.01;
		int32_t count = (int32_t)lround(travelled_m * cfg.robot.encoder_ticks_per_m);
		struct cairn_dev_board_sense sense = {
		    .v_mps = v, .battery_v = 12.1, .counts = {count, count, count, count}};
		out += cairn_dev_board_report(&board, &sense, buf + out, sizeof(buf) - out);
		board_due_ns = now_ns + 10 * MS;
	}
	if (board_port.master >= 0 && out > 0)
		(void)!write(board_port.master, buf, out);
}

/* A corridor without an end: what is seen does not tell whether the robot moves along it. No two revolutions are equal, as
 * those of a real LiDAR are not; with lidar_frozen they all are. */
static inline double range_m_at(double deg)
{
	double side = fabs(sin(cairn_deg_to_rad(deg) - heading_rad));
	double m = side * 11.0 > wall_m ? wall_m / side : 0.0;
	if (intruder_m > 0.0 && (deg < 25.0 || deg > 335.0))
		m = intruder_m;
	bool off = !lidar_frozen && (unsigned)node_at % 16 == revolution % 16;
	return m > 0.0 && off ? m + 0.001 : m;
}

static inline void serve_lidar(int64_t now_ns)
{
	uint8_t buf[2048];
	ssize_t n;
	while (lidar_port.master >= 0 && (n = read(lidar_port.master, buf, sizeof(buf))) > 0)
		cairn_dev_lidar_receive(&lidar, buf, (size_t)n);
	size_t out = cairn_dev_lidar_take(&lidar, buf, sizeof(buf));
	if ((lidar.scanning || is_ld06) && now_ns >= lidar_due_ns) {
		for (int i = 0; i < NODES / 10; i++) {
			double deg = 360.0 * node_at / NODES;
			if (is_ld06) {
				out += cairn_dev_ld06_point(
				    &ld06, deg, range_m_at(deg), 3600.0, now_ns / MS, buf + out);
			} else {
				cairn_dev_lidar_node(buf + out, deg, range_m_at(deg), node_at == 0);
				out += CAIRN_DEV_LIDAR_NODE;
			}
			node_at = (node_at + 1) % NODES;
			revolution += node_at == 0;
		}
		lidar_due_ns = now_ns + 10 * MS;
	}
	if (lidar_port.master >= 0 && out > 0)
		(void)!write(lidar_port.master, buf, out);
}

/* ---- the world goes on for ms, or until cond holds; how long it took, or -1 ---- */

static inline void listen(void)
{
	struct cairn_header hdr;
	while (cairn_sub_recv(scan_sub, &scan, &hdr) == 1) {
		scans++;
		last_scan_ns = hdr.t_ns;
	}
	while (cairn_sub_recv(motion_sub, &motion, &hdr) == 1)
		motions++;
	while (cairn_sub_recv(odom_sub, &odom, &hdr) == 1)
		odoms++;
}

static inline int pump(int ms, bool (*cond)(void))
{
	int64_t begin_ns = mono_ns();
	for (;;) {
		int64_t now_ns = mono_ns();
		serve_board(now_ns);
		serve_lidar(now_ns);
		if (isfinite(command_mps) && now_ns >= cmd_due_ns) {
			cairn_pub_send(cmd_pub,
			    &(struct cairn_msg_cmd_vel){.v_mps = command_mps, .w_radps = command_radps},
			    now_ns, true);
			cmd_due_ns = now_ns + 50 * MS;
		}
		if (estop_on && now_ns >= estop_due_ns) {
			cairn_pub_send(estop_pub, &(struct cairn_msg_estop){.stop = true, .reason = "test"},
			    now_ns, true);
			estop_due_ns = now_ns + 100 * MS;
		}
		listen();
		int passed_ms = (int)((now_ns - begin_ns) / MS);
		if (cond != NULL && cond())
			return passed_ms;
		if (passed_ms >= ms)
			return cond == NULL ? ms : -1;
		poll(NULL, 0, 2);
	}
}

static inline bool some_scan(void)
{
	return scans > 0;
}

static inline bool eight_scans(void)
{
	return scans >= 8;
}

static inline bool driving(void)
{
	if (is_two_wheels)
		return motion.state == CAIRN_MOTOR_STATE_DRIVING &&
		       fabs(cairn_dev_diffdrive_v_mps(&two_wheels) - command_mps) < 0.002;
	return motion.state == CAIRN_MOTOR_STATE_DRIVING && board.mode == CAIRN_DEV_BOARD_TWIST &&
	       fabs(board.v_mps - command_mps) < 0.002;
}

static inline bool no_device(void)
{
	return motion.state == CAIRN_MOTOR_STATE_NO_DEVICE;
}

static inline bool in_service(void)
{
	return motions > 0 && motion.state != CAIRN_MOTOR_STATE_NO_DEVICE;
}

static inline bool no_scan(void)
{
	return motion.state == CAIRN_MOTOR_STATE_NO_SCAN;
}

static inline bool wheels_stand(void)
{
	if (is_two_wheels)
		return two_wheels.left_mps == 0.0 && two_wheels.right_mps == 0.0;
	return board.mode == CAIRN_DEV_BOARD_STOPPED || board.v_mps == 0.0;
}

static inline bool blocked(void)
{
	return motion.state == CAIRN_MOTOR_STATE_BLOCKED && wheels_stand();
}

static inline bool latched(void)
{
	return motion.state == CAIRN_MOTOR_STATE_ESTOP;
}

/* ---- processes ---- */

static inline pid_t spawn(const char *program, const char *stage)
{
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		char path[1024];
		snprintf(path, sizeof(path), "%s/%s", CAIRN_PROGRAM_DIR, program);
		int null = open("/dev/null", O_RDWR);
		dup2(null, 1);
		dup2(null, 2);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setrlimit(RLIMIT_CORE, &(struct rlimit){0}); /* some are made to crash */
		execl(path, program, "--run", run_dir, "--stage", stage, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static inline void end(pid_t *pid, int sig)
{
	if (*pid <= 0)
		return;
	kill(*pid, sig);
	waitpid(*pid, NULL, 0);
	*pid = 0;
}

static inline void make_run_dir(void)
{
	char path[80];
	struct cairn_error err = {""};
	cairn_run_dir_make(run_dir, "devices");
	cairn_run_dir_folder(run_dir, "dev");
	cairn_run_dir_folder(run_dir, "state");
	cairn_config_defaults(&cfg);
	cfg.robot.lidar_model = is_ld06 ? CAIRN_CHOICE_LIDAR_MODEL_LD06 : CAIRN_CHOICE_LIDAR_MODEL_SLLIDAR;
	if (is_two_wheels) {
		cfg.robot.base_model = CAIRN_CHOICE_BASE_MODEL_DIFFDRIVE_SERIAL;
		cfg.robot.kinematics = CAIRN_CHOICE_KINEMATICS_DIFFERENTIAL;
		cfg.robot.wheel_separation_m = SEPARATION_M;
		cfg.robot.encoder_mask = 9;
		cfg.robot.footprint_half_width_m = 0.13;
		cfg.robot.footprint_front_m = cfg.robot.footprint_rear_m = 0.15;
	}
	if (guard_lines != NULL) {
		snprintf(cfg.robot.guard_lines, sizeof(cfg.robot.guard_lines), "%s", guard_lines);
		snprintf(cfg.robot.guard_chip, sizeof(cfg.robot.guard_chip), "%s", guard_chip);
	}
	cfg.robot.signal_board = signal_board;
	if (signal_lines != NULL) { /* of a robot that has a chip */
		cfg.robot.drive = CAIRN_CHOICE_DRIVE_SERIAL;
		snprintf(cfg.robot.signal_lines, sizeof(cfg.robot.signal_lines), "%s", signal_lines);
		snprintf(cfg.robot.signal_chip, sizeof(cfg.robot.signal_chip), "%s", guard_chip);
	}
	snprintf(path, sizeof(path), "%s/config.yaml", run_dir);
	ck_assert_msg(cairn_config_save(&cfg, path, &err), "%s", err.text);
	bus = cairn_bus_new(run_dir, &err);
	ck_assert_msg(bus != NULL, "%s", err.text);
}

static inline void join_bus(void)
{
	struct cairn_error err = {""};
	cmd_pub = cairn_pub_new(bus, CAIRN_TOPIC_CMD_VEL, NULL, &err);
	estop_pub = cairn_pub_new(bus, CAIRN_TOPIC_ESTOP, NULL, &err);
	guard_pub = guard_lines == NULL ? cairn_pub_new(bus, CAIRN_TOPIC_GUARD, NULL, &err) : NULL;
	scan_sub = cairn_sub_new(bus, CAIRN_TOPIC_SCAN, NULL, &err);
	motion_sub = cairn_sub_new(bus, CAIRN_TOPIC_MOTION, NULL, &err);
	odom_sub = cairn_sub_new(bus, CAIRN_TOPIC_ODOM, NULL, &err);
	ck_assert_msg(
	    cmd_pub && estop_pub && (guard_pub || guard_lines) && scan_sub && motion_sub && odom_sub, "%s",
	    err.text);
}

static inline void setup(bool devices)
{
	make_run_dir();
	cairn_dev_board_init(&board);
	cairn_dev_diffdrive_init(&two_wheels, true);
	command_radps = heading_rad = 0.0;
	cairn_dev_lidar_init(&lidar);
	if (devices) {
		appear(&board_port);
		appear(&lidar_port);
	}
	command_mps = NAN;
	join_bus();
	motor_pid = spawn("cairn-motor", "motor");
	bridge_pid = spawn("cairn-sensor-bridge", "sensor-bridge");
}

static inline void teardown(void)
{
	end(&motor_pid, SIGKILL);
	end(&bridge_pid, SIGKILL);
	cairn_bus_destroy(&bus);
	cairn_run_dir_remove(run_dir);
}

static inline void up_and_driving(void)
{
	setup(true);
	command_mps = 0.2;
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
}

#endif
