/* The real motor stage and sensor bridge against devices on pseudo terminals, in a run directory of the
 * test's own. The test plays the devices (with the simulator's code), the sequencer and the watchdog. */
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
#include "common/base/rng.h"
#include "common/config/config.h"
#include "common/sim/dev_board.h"
#include "common/sim/dev_lidar.h"
#include "ipc/bus.h"
#include "procs/motor/memory.h"
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
static struct cairn_dev_lidar lidar;
static double intruder_m; /* something ahead of the LiDAR at this distance; 0 = nothing */
static pid_t motor_pid, bridge_pid;
static struct cairn_pub *cmd_pub, *estop_pub, *guard_pub;
static struct cairn_sub *scan_sub, *motion_sub, *odom_sub;
static struct cairn_msg_scan scan;
static struct cairn_msg_motion motion;
static struct cairn_msg_odom odom;
static int scans, motions, odoms, node_at;
static int64_t board_due_ns, lidar_due_ns, cmd_due_ns, last_scan_ns, estop_due_ns;
static double command_mps; /* NAN: silent */
static bool estop_on;
static double wall_m = 3.0; /* all round */
static double travelled_m;

static int64_t mono_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

/* ---- devices ---- */

static void appear(struct port *p)
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

static void vanish(struct port *p)
{
	close(p->master);
	close(p->slave);
	p->master = p->slave = -1;
}

static void serve_board(int64_t now_ns)
{
	uint8_t buf[512];
	ssize_t n;
	while (board_port.master >= 0 && (n = read(board_port.master, buf, sizeof(buf))) > 0)
		cairn_dev_board_receive(&board, buf, (size_t)n);
	size_t out = cairn_dev_board_take(&board, buf, sizeof(buf));
	if (now_ns >= board_due_ns) {
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

static void serve_lidar(int64_t now_ns)
{
	uint8_t buf[2048];
	ssize_t n;
	while (lidar_port.master >= 0 && (n = read(lidar_port.master, buf, sizeof(buf))) > 0)
		cairn_dev_lidar_receive(&lidar, buf, (size_t)n);
	size_t out = cairn_dev_lidar_take(&lidar, buf, sizeof(buf));
	if (lidar.scanning && now_ns >= lidar_due_ns) {
		for (int i = 0; i < NODES / 10; i++) {
			double deg = 360.0 * node_at / NODES;
			bool there = intruder_m > 0.0 && (deg < 25.0 || deg > 335.0);
			cairn_dev_lidar_node(buf + out, deg, there ? intruder_m : wall_m, node_at == 0);
			out += CAIRN_DEV_LIDAR_NODE;
			node_at = (node_at + 1) % NODES;
		}
		lidar_due_ns = now_ns + 10 * MS;
	}
	if (lidar_port.master >= 0 && out > 0)
		(void)!write(lidar_port.master, buf, out);
}

/* ---- the world goes on for ms, or until cond holds; how long it took, or -1 ---- */

static void listen(void)
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

static int pump(int ms, bool (*cond)(void))
{
	int64_t begin_ns = mono_ns();
	for (;;) {
		int64_t now_ns = mono_ns();
		serve_board(now_ns);
		serve_lidar(now_ns);
		if (isfinite(command_mps) && now_ns >= cmd_due_ns) {
			cairn_pub_send(
			    cmd_pub, &(struct cairn_msg_cmd_vel){.v_mps = command_mps}, now_ns, true);
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

static bool some_scan(void)
{
	return scans > 0;
}

static bool eight_scans(void)
{
	return scans >= 8;
}

static bool driving(void)
{
	return motion.state == CAIRN_MOTOR_STATE_DRIVING && board.mode == CAIRN_DEV_BOARD_TWIST &&
	       fabs(board.v_mps - command_mps) < 0.002;
}

static bool no_device(void)
{
	return motion.state == CAIRN_MOTOR_STATE_NO_DEVICE;
}

static bool in_service(void)
{
	return motions > 0 && motion.state != CAIRN_MOTOR_STATE_NO_DEVICE;
}

static bool no_scan(void)
{
	return motion.state == CAIRN_MOTOR_STATE_NO_SCAN;
}

static bool wheels_stand(void)
{
	return board.mode == CAIRN_DEV_BOARD_STOPPED || board.v_mps == 0.0;
}

static bool blocked(void)
{
	return motion.state == CAIRN_MOTOR_STATE_BLOCKED && wheels_stand();
}

static bool latched(void)
{
	return motion.state == CAIRN_MOTOR_STATE_ESTOP;
}

/* ---- processes ---- */

static pid_t spawn(const char *program, const char *stage)
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

static void end(pid_t *pid, int sig)
{
	if (*pid <= 0)
		return;
	kill(*pid, sig);
	waitpid(*pid, NULL, 0);
	*pid = 0;
}

static void make_run_dir(void)
{
	char path[80];
	struct cairn_error err = {""};
	cairn_run_dir_make(run_dir, "devices");
	cairn_run_dir_folder(run_dir, "dev");
	cairn_run_dir_folder(run_dir, "state");
	cairn_config_defaults(&cfg);
	snprintf(path, sizeof(path), "%s/config.yaml", run_dir);
	ck_assert_msg(cairn_config_save(&cfg, path, &err), "%s", err.text);
	bus = cairn_bus_new(run_dir, &err);
	ck_assert_msg(bus != NULL, "%s", err.text);
}

static void setup(bool devices)
{
	make_run_dir();
	cairn_dev_board_init(&board);
	cairn_dev_lidar_init(&lidar);
	if (devices) {
		appear(&board_port);
		appear(&lidar_port);
	}
	command_mps = NAN;
	struct cairn_error err = {""};
	cmd_pub = cairn_pub_new(bus, CAIRN_TOPIC_CMD_VEL, NULL, &err);
	estop_pub = cairn_pub_new(bus, CAIRN_TOPIC_ESTOP, NULL, &err);
	guard_pub = cairn_pub_new(bus, CAIRN_TOPIC_GUARD, NULL, &err);
	scan_sub = cairn_sub_new(bus, CAIRN_TOPIC_SCAN, NULL, &err);
	motion_sub = cairn_sub_new(bus, CAIRN_TOPIC_MOTION, NULL, &err);
	odom_sub = cairn_sub_new(bus, CAIRN_TOPIC_ODOM, NULL, &err);
	ck_assert_msg(cmd_pub && estop_pub && guard_pub && scan_sub && motion_sub && odom_sub, "%s", err.text);
	motor_pid = spawn("cairn-motor", "motor");
	bridge_pid = spawn("cairn-sensor-bridge", "sensor-bridge");
}

static void teardown(void)
{
	end(&motor_pid, SIGKILL);
	end(&bridge_pid, SIGKILL);
	cairn_bus_destroy(&bus);
	cairn_run_dir_remove(run_dir);
}

static void up_and_driving(void)
{
	setup(true);
	command_mps = 0.2;
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
}

/* ---- the LiDAR's way ---- */

START_TEST(scans_come_out_at_the_rate_of_the_turns)
{
	setup(true);
	ck_assert_int_ge(pump(PATIENCE_MS, some_scan), 0);
	scans = 0;
	ck_assert_int_ge(pump(PATIENCE_MS, eight_scans), 700); /* never faster than the device turns */
	ck_assert_uint_eq(scan.range_m_count, NODES);
	ck_assert_uint_eq(scan.angle_rad_count, NODES);
	ck_assert_double_eq_tol((double)scan.angle_rad[NODES / 4], -M_PI / 2.0, 1e-3);
	ck_assert_double_eq_tol((double)scan.range_m[10], 3.0, 1e-3);
	ck_assert_int_lt(mono_ns() - last_scan_ns, PATIENCE_MS * MS);
	double turn_ms = (double)(last_scan_ns - scan.t_start_ns) * 1e-6;
	ck_assert_double_ge(turn_ms, 90.0);
	teardown();
}
END_TEST

START_TEST(a_lidar_that_vanishes_is_back_within_half_a_second)
{
	up_and_driving();
	for (int i = 0; i < 2; i++) {
		vanish(&lidar_port);
		ck_assert_int_ge(pump(PATIENCE_MS, no_scan), 0);
		ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
		pump(150 * i, NULL);
		cairn_dev_lidar_init(&lidar);
		appear(&lidar_port);
		scans = 0;
		int took = pump(PATIENCE_MS, some_scan);
		ck_assert_int_ge(took, 0);
		ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	}
	teardown();
}
END_TEST

START_TEST(garbage_on_the_lidars_line_costs_turns_but_no_process)
{
	setup(true);
	ck_assert_int_ge(pump(PATIENCE_MS, some_scan), 0);
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 3, 1);
	for (int i = 0; i < 20; i++) {
		uint8_t junk[333];
		for (size_t k = 0; k < sizeof(junk); k++)
			junk[k] = (uint8_t)cairn_rng_u32(&rng);
		(void)!write(lidar_port.master, junk, sizeof(junk));
		pump(10, NULL);
		for (uint32_t k = 0; k < scan.range_m_count; k++)
			ck_assert_double_eq_tol((double)scan.range_m[k], 3.0, 1e-3);
	}
	scans = 0;
	ck_assert_int_ge(pump(PATIENCE_MS, some_scan), 0);
	ck_assert_int_eq(waitpid(bridge_pid, NULL, WNOHANG), 0);
	teardown();
}
END_TEST

START_TEST(a_killed_bridge_is_taken_back_by_the_motor_stage)
{
	up_and_driving();
	end(&bridge_pid, SIGKILL);
	ck_assert_int_ge(pump(PATIENCE_MS, no_scan), 0);
	bridge_pid = spawn("cairn-sensor-bridge", "sensor-bridge");
	int took = pump(PATIENCE_MS, driving);
	ck_assert_int_ge(took, 0);
	teardown();
}
END_TEST

/* ---- the wheels' way ---- */

START_TEST(a_command_reaches_the_wheels_and_its_silence_stops_them)
{
	up_and_driving();
	ck_assert_uint_eq(board.car_type, 9); /* a fresh board is of another type: it was set */
	odoms = 0;
	double from_m = odom.distance_m, true_m = travelled_m;
	pump(1000, NULL);
	ck_assert_int_ge(odoms, 20);
	ck_assert_int_le(odoms, 27);
	ck_assert_double_eq_tol(odom.distance_m - from_m, travelled_m - true_m, 0.03);
	ck_assert_double_eq_tol(odom.v_mps, 0.2, 0.005);
	uint64_t before = board.commands;
	pump(1000, NULL);
	ck_assert_uint_ge(board.commands - before, 50); /* 50 Hz and one at each scan */
	command_mps = NAN;
	int took = pump(PATIENCE_MS, wheels_stand);
	ck_assert_int_ge(took, 100);
	before = board.commands;
	pump(500, NULL);
	ck_assert_uint_ge(board.commands - before, 22); /* zeros go on */
	teardown();
}
END_TEST

START_TEST(an_obstacle_in_a_turn_of_the_lidar_stops_the_wheels_and_going_away_it_frees_them)
{
	up_and_driving();
	intruder_m = 0.20; /* 3 cm before the nose */
	ck_assert_int_ge(pump(PATIENCE_MS, blocked), 0);
	pump(1000, NULL);
	ck_assert(blocked()); /* it stays so, whatever is commanded */
	intruder_m = 0.0;
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	teardown();
}
END_TEST

START_TEST(a_board_that_vanishes_is_back_within_half_a_second)
{
	up_and_driving();
	for (int i = 0; i < 2; i++) {
		vanish(&board_port);
		ck_assert_int_ge(pump(PATIENCE_MS, no_device), 0);
		pump(150 * i, NULL);
		cairn_dev_board_init(&board);
		appear(&board_port);
		int took = pump(PATIENCE_MS, in_service);
		ck_assert_int_ge(took, 0);
		ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	}
	teardown();
}
END_TEST

START_TEST(without_devices_both_stages_wait_and_then_work)
{
	setup(false);
	command_mps = 0.2;
	ck_assert_int_ge(pump(PATIENCE_MS, no_device), 0);
	pump(500, NULL);
	appear(&board_port);
	appear(&lidar_port);
	int took = pump(PATIENCE_MS, driving);
	ck_assert_int_ge(took, 0);
	teardown();
}
END_TEST

START_TEST(garbage_on_the_boards_line_changes_nothing)
{
	up_and_driving();
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 4, 1);
	double from_m = odom.distance_m, true_m = travelled_m;
	for (int i = 0; i < 25; i++) {
		uint8_t junk[100];
		for (size_t k = 0; k < sizeof(junk); k++)
			junk[k] = (uint8_t)cairn_rng_u32(&rng);
		(void)!write(board_port.master, junk, sizeof(junk));
		pump(20, NULL);
	}
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	pump(100, NULL);
	ck_assert_double_eq_tol(odom.distance_m - from_m, travelled_m - true_m, 0.05);
	teardown();
}
END_TEST

START_TEST(an_ended_or_crashed_motor_stage_leaves_the_wheels_standing)
{
	const int signals[] = {SIGTERM, SIGSEGV, SIGABRT};
	up_and_driving();
	for (int i = 0; i < 3; i++) {
		ck_assert(!wheels_stand());
		end(&motor_pid, signals[i]);
		ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
		motion.state = CAIRN_MOTOR_STATE_IDLE;
		motor_pid = spawn("cairn-motor", "motor");
		ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	}
	teardown();
}
END_TEST

START_TEST(a_killed_motor_stage_drives_again_when_reborn)
{
	up_and_driving();
	end(&motor_pid, SIGKILL);
	motion.state = CAIRN_MOTOR_STATE_IDLE;
	motor_pid = spawn("cairn-motor", "motor");
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0); /* the board had kept driving */
	int took = pump(PATIENCE_MS, driving);
	ck_assert_int_ge(took, 0);
	teardown();
}
END_TEST

/* ---- stops ---- */

static struct cairn_msg_reply ask(const char *verb)
{
	struct cairn_msg_command cmd = {.who = "test"};
	struct cairn_msg_reply reply = {0};
	struct cairn_error err = {""};
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", verb);
	ck_assert_int_eq(cairn_ask(run_dir, CAIRN_SERVICE_MOTOR_CTL, &cmd, &reply, 2000, &err), 0);
	return reply;
}

START_TEST(an_emergency_stop_outlives_the_motor_stage)
{
	up_and_driving();
	estop_on = true;
	ck_assert_int_ge(pump(PATIENCE_MS, latched), 0);
	ck_assert(wheels_stand());
	ck_assert(!ask("release").ok); /* still demanded */
	estop_on = false;
	end(&motor_pid, SIGKILL);
	motor_pid = spawn("cairn-motor", "motor");
	motions = 0;
	motion.state = CAIRN_MOTOR_STATE_IDLE;
	ck_assert_int_ge(pump(PATIENCE_MS, latched), 0);
	pump(500, NULL);
	ck_assert(latched());
	ck_assert(wheels_stand());
	ck_assert(ask("release").ok);
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	teardown();
}
END_TEST

/* What the motor stage keeps of a stop. */
static bool stop_is_kept(void)
{
	struct cairn_motor_memory memory;
	struct cairn_error err = {""};
	return cairn_motor_memory_load(run_dir, &memory, &err) && memory.estop;
}

START_TEST(a_stop_that_could_not_be_saved_is_saved_as_soon_as_it_can_be)
{
	char path[80];
	up_and_driving();
	snprintf(path, sizeof(path), "%s/state/motor.stop", run_dir);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0700), 0); /* nobody can write a file there */
	ck_assert(ask("stop").ok);
	ck_assert_int_ge(pump(PATIENCE_MS, latched), 0);
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_ge(pump(PATIENCE_MS, stop_is_kept), 0);
	end(&motor_pid, SIGKILL);
	motor_pid = spawn("cairn-motor", "motor");
	motions = 0;
	motion.state = CAIRN_MOTOR_STATE_IDLE;
	ck_assert_int_ge(pump(PATIENCE_MS, latched), 0);
	ck_assert_str_eq(motion.reason, "emergency stop: operator");
	teardown();
}
END_TEST

START_TEST(the_operator_stops_and_releases)
{
	up_and_driving();
	ck_assert(ask("ping").ok);
	ck_assert(!ask("nonsense").ok);
	ck_assert(ask("stop").ok);
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	pump(300, NULL);
	ck_assert(latched());
	ck_assert(ask("release").ok);
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	teardown();
}
END_TEST

START_TEST(a_bumper_touched_for_one_message_stops_it_though_newer_ones_wait_behind)
{
	up_and_driving();
	kill(motor_pid, SIGSTOP); /* all of them wait when it reads again */
	for (int i = 0; i < 8; i++)
		cairn_pub_send(guard_pub, &(struct cairn_msg_guard){.bumper = i == 0}, mono_ns(), true);
	kill(motor_pid, SIGCONT);
	ck_assert_int_ge(pump(PATIENCE_MS, latched), 0);
	ck_assert(strstr(motion.reason, "bumper") != NULL);
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	teardown();
}
END_TEST

CAIRN_TEST_MAIN("devices", scans_come_out_at_the_rate_of_the_turns,
    a_lidar_that_vanishes_is_back_within_half_a_second, garbage_on_the_lidars_line_costs_turns_but_no_process,
    a_killed_bridge_is_taken_back_by_the_motor_stage, a_command_reaches_the_wheels_and_its_silence_stops_them,
    an_obstacle_in_a_turn_of_the_lidar_stops_the_wheels_and_going_away_it_frees_them,
    a_board_that_vanishes_is_back_within_half_a_second, without_devices_both_stages_wait_and_then_work,
    garbage_on_the_boards_line_changes_nothing, an_ended_or_crashed_motor_stage_leaves_the_wheels_standing,
    a_killed_motor_stage_drives_again_when_reborn, an_emergency_stop_outlives_the_motor_stage,
    a_stop_that_could_not_be_saved_is_saved_as_soon_as_it_can_be, the_operator_stops_and_releases,
    a_bumper_touched_for_one_message_stops_it_though_newer_ones_wait_behind)
