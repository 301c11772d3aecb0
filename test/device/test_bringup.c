/* A whole `cairn bringup` of a robot with everything wrong: the real program on pseudo terminals, the devices and the hands of
 * a person played by the simulator. */
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>

#include "common/base/file.h"
#include "common/sim/robot/dev_board.h"
#include "common/sim/robot/dev_diffdrive.h"
#include "common/sim/robot/dev_lidar.h"
#include "common/sim/robot/sim.h"
#include "test/support/run_dir.h"
#include "test/support/runner.h"

#define TICKS_OFF 200.0
#define TIMES_BY_HAND 5
#define PATIENCE_NS                                                                                          \
	(240 * CAIRN_NS_PER_S) /* for a whole run on a busy machine, not a measure of a good one */
#define SAID_BYTES 16384
#define POST_FROM_DEG 99.5
#define POST_TO_DEG 105.5
#define POST_M 0.25 /* outside of the footprint, and within the room that is wanted for driving */

enum hands { NONE, TURN, PUSH };

static char run_dir[CAIRN_RUN_DIR_BYTES], said[SAID_BYTES];
static size_t said_bytes, said_read;
static struct cairn_config cfg;
static struct cairn_world *world;
static struct cairn_sim *sim;
static bool has_two_wheels; /* the base is a diffdrive-serial one */
static struct cairn_dev_board board;
static struct cairn_dev_diffdrive wheels;
static struct cairn_dev_lidar lidar;
static int board_fd, lidar_fd, to_fd, from_fd;
static pid_t program;
static enum hands hands;
static bool with_post;
static double battery_v = 11.9;
static double pushed_ticks_per_m; /* what the encoders counted on the way of the last push: the wheels slip */
static int64_t step_ns;

static int64_t mono_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

static int terminal(const char *name)
{
	char path[160];
	struct termios raw;
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_eq(grantpt(master) | unlockpt(master), 0);
	int slave = open(ptsname(master),
	    O_RDWR | O_NOCTTY | O_CLOEXEC); /* kept open: a client that leaves is no hang-up */
	tcgetattr(slave, &raw);
	cfmakeraw(&raw);
	tcsetattr(slave, TCSANOW, &raw);
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	ck_assert_int_eq(symlink(ptsname(master), path), 0);
	return master;
}

static void serve(void)
{
	uint8_t buf[1024];
	ssize_t n;
	while ((n = read(board_fd, buf, sizeof(buf))) > 0)
		if (has_two_wheels)
			cairn_dev_diffdrive_receive(&wheels, buf, (size_t)n);
		else
			cairn_dev_board_receive(&board, buf, (size_t)n);
	while ((n = read(lidar_fd, buf, sizeof(buf))) > 0)
		cairn_dev_lidar_receive(&lidar, buf, (size_t)n);
	size_t out = has_two_wheels ? cairn_dev_diffdrive_take(&wheels, buf, sizeof(buf))
				    : cairn_dev_board_take(&board, buf, sizeof(buf));
	(void)!write(board_fd, buf, out);
	out = cairn_dev_lidar_take(&lidar, buf, sizeof(buf));
	(void)!write(lidar_fd, buf, out);
}

static struct cairn_drive told_drive(void)
{
	const struct cairn_mounting *m = cairn_sim_mounting(sim);
	double hold = cairn_base_axes_base_steer_rad(&m->axes, cairn_sim_state(sim)->body.steer_rad);
	if (has_two_wheels)
		return (struct cairn_drive){.v_mps = cairn_dev_diffdrive_v_mps(&wheels),
		    .w_radps = cairn_dev_diffdrive_w_radps(&wheels, cfg.robot.wheel_separation_m)};
	return (struct cairn_drive){
	    board.v_mps, cairn_sim_steer_for(&cfg, board.v_mps, board.w_radps, hold), 0.0};
}

/* What the base says of this step. */
static size_t base_report(uint8_t *buf, size_t cap)
{
	const struct cairn_mounting *m = cairn_sim_mounting(sim);
	const struct cairn_body *b = &cairn_sim_state(sim)->body;
	int32_t l = cairn_mounting_count(m, b->wheel_left_m), r = cairn_mounting_count(m, b->wheel_right_m);
	double v_mps = cairn_base_axes_speed_mps(&m->axes, b->wheel_mps);
	struct cairn_dev_board_sense sense = {
	    .v_mps = v_mps, .battery_v = battery_v, .accel_mps2 = {0.0, 0.0, 9.81}, .counts = {l, l, r, r}};
	struct cairn_dev_diffdrive_sense of_two = {
	    .counts = {l, r}, .mps = {v_mps, v_mps}, .battery_v = battery_v, .accel_mps2 = {0.0, 0.0, 9.81}};
	cairn_base_axes_from_up(&m->axes, b->gyro_radps, sense.gyro_radps);
	cairn_base_axes_from_up(&m->axes, b->gyro_radps, of_two.gyro_radps);
	return has_two_wheels
		   ? cairn_dev_diffdrive_report(&wheels, &of_two, 1000.0 * CAIRN_SIM_STEP_S, buf, cap)
		   : cairn_dev_board_report(&board, &sense, buf, cap);
}

/* 10 ms of the world. */
static void step(void)
{
	const struct cairn_mounting *m = cairn_sim_mounting(sim);
	struct cairn_drive drive = told_drive();
	if (hands == PUSH) /* the wheels roll forward */
		drive = (struct cairn_drive){m->axes.drive_reversed ? -0.2 : 0.2, 0.0, 0.0};
	cairn_sim_spin(sim, hands == TURN ? 0.6 : 0.0);
	const struct cairn_lidar_point *p = cairn_sim_step(sim, drive, lidar.scanning);
	uint8_t buf[CAIRN_DIFFDRIVE_LINE_MAX + CAIRN_LIDAR_STEP_POINTS * CAIRN_DEV_LIDAR_NODE];
	size_t n = base_report(buf, sizeof(buf));
	(void)!write(board_fd, buf, n);
	for (int i = 0; p != NULL && i < CAIRN_LIDAR_STEP_POINTS; i++) {
		double deg = p[i].index * (360.0 / CAIRN_LIDAR_POINTS);
		bool post = with_post && deg > POST_FROM_DEG &&
			    deg < POST_TO_DEG; /* on the robot, beside the LiDAR */
		cairn_dev_lidar_node(buf + i * CAIRN_DEV_LIDAR_NODE, deg,
		    post ? POST_M : (double)p[i].range_m, p[i].index == 0);
	}
	if (p != NULL)
		(void)!write(lidar_fd, buf, CAIRN_LIDAR_STEP_POINTS * CAIRN_DEV_LIDAR_NODE);
}

/* Lets time pass until the program has said this, or ended. */
static bool until_said(const char *text, int64_t end_ns)
{
	while (mono_ns() < end_ns) {
		struct pollfd fds[3] = {{.fd = from_fd, .events = POLLIN}, {.fd = board_fd, .events = POLLIN},
		    {.fd = lidar_fd, .events = POLLIN}};
		(void)poll(fds, 3, 5);
		ssize_t n = read(from_fd, said + said_bytes, sizeof(said) - 1 - said_bytes);
		said_bytes += n > 0 ? (size_t)n : 0;
		said[said_bytes] = '\0';
		serve();
		int64_t now_ns = mono_ns();
		step_ns = now_ns - step_ns > CAIRN_NS_PER_S ? now_ns : step_ns;
		for (; step_ns <= now_ns; step_ns += CAIRN_SIM_STEP_NS)
			step();
		const char *at = text != NULL ? strstr(said + said_read, text) : NULL;
		if (at != NULL) {
			said_read = (size_t)(at - said) + strlen(text);
			return true;
		}
		if (n == 0)
			return false;
	}
	return false;
}

/* part: of `cairn calibrate`, with the rest of the robot told; NULL: `cairn bringup`, told nothing. */
static void start(const char *part, const char *file)
{
	const char *args[64] = {"cairn", "--run", run_dir, part != NULL ? "calibrate" : "bringup"};
	int n = 4;
	static const char *const ports[] = {"robot.base_device=dev-a", "robot.lidar_device=dev-b"};
	static const char *const told[] = {"robot.lidar_mirrored=true", "robot.lidar_yaw_rad=2.0",
	    "robot.gyro_axis=-y", "robot.encoder_reversed=true", "robot.drive_reversed=true",
	    "robot.encoder_ticks_per_m=5000", "robot.turn_radius_min_m=0.3"};
	static const char *const of_two[] = {"robot.base_model=diffdrive-serial",
	    "robot.kinematics=differential", "robot.wheel_separation_m=0.16", "robot.encoder_mask=9"};
	if (part != NULL)
		args[n++] = part;
	args[n++] = "--write";
	args[n++] = file;
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
		args[n++] = "--set";
		args[n++] = ports[i];
	}
	for (size_t i = 0; has_two_wheels && i < sizeof(of_two) / sizeof(of_two[0]); i++) {
		args[n++] = "--set";
		args[n++] = of_two[i];
	}
	for (size_t i = 0; part != NULL && i < sizeof(told) / sizeof(told[0]); i++) {
		args[n++] = "--set";
		args[n++] = told[i];
	}
	int in[2], out[2];
	ck_assert_int_eq(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC), 0);
	program = fork();
	if (program == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		execv(CAIRN_PROGRAM_DIR "/cairn", (char *const *)args);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	to_fd = in[1];
	from_fd = out[0];
	fcntl(from_fd, F_SETFL, O_NONBLOCK);
}

static void place(bool swapped)
{
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	cfg.sim.mounting = CAIRN_CHOICE_MOUNTING_GIVEN;
	cfg.sim.lidar_yaw_rad = 2.0;
	cfg.sim.lidar_mirrored = true;
	cfg.sim.gyro_axis = CAIRN_CHOICE_GYRO_AXIS_MINUS_Y;
	cfg.sim.encoder_reversed = true;
	cfg.sim.drive_reversed = true;
	cfg.sim.encoder_ticks_per_m = 5000.0;
	cfg.sim.steer_scale = -0.8;
	cfg.sim.start = CAIRN_CHOICE_START_GIVEN; /* 0.8 m free all round */
	cfg.sim.start_x_m = 7.9;
	cfg.sim.start_y_m = 8.4;
	if (has_two_wheels) {
		cfg.robot.base_model = CAIRN_CHOICE_BASE_MODEL_DIFFDRIVE_SERIAL;
		cfg.robot.kinematics = CAIRN_CHOICE_KINEMATICS_DIFFERENTIAL;
		cfg.robot.wheel_separation_m = 0.16;
		cfg.robot.encoder_mask = 9;
	}
	world = cairn_world_load(CAIRN_SOURCE_ROOT "/config/worlds/loop.yaml", &err);
	ck_assert_msg(world != NULL, "%s", err.text);
	sim = cairn_sim_new(&cfg, world, &err);
	ck_assert_msg(sim != NULL, "%s", err.text);
	/* A case may run in the process of the one before. */
	battery_v = 11.9;
	with_post = false;
	hands = NONE;
	said_bytes = said_read = 0;
	cairn_dev_board_init(&board);
	cairn_dev_diffdrive_init(&wheels, true);
	cairn_dev_lidar_init(&lidar);
	cairn_run_dir_make(run_dir, "bringup");
	board_fd = terminal(swapped ? "dev-b" : "dev-a");
	lidar_fd = terminal(swapped ? "dev-a" : "dev-b");
}

/* The person: waits for a question, does something for so long, answers. */
static void answer(const char *question, enum hands what, double seconds, int64_t end_ns)
{
	ck_assert_msg(until_said(question, end_ns) && until_said("end > ", end_ns), "'%s' was not asked:\n%s",
	    question, said);
	const struct cairn_body *body = &cairn_sim_state(sim)->body;
	double from_m = body->distance_m, from_wheels_m = body->wheel_left_m + body->wheel_right_m;
	hands = what;
	(void)until_said(NULL, mono_ns() + (int64_t)(seconds * 1e9));
	hands = NONE; /* and at once: that it stands is the program's to wait for */
	if (what == PUSH)
		pushed_ticks_per_m = cfg.sim.encoder_ticks_per_m * 0.5 *
				     fabs(body->wheel_left_m + body->wheel_right_m - from_wheels_m) /
				     (body->distance_m - from_m);
	ck_assert_int_eq(write(to_fd, "\n", 1), 1);
}

/* Whether what was done by hand is taken: nothing is read of what comes after. */
static bool is_taken(int64_t end_ns)
{
	size_t from = said_read;
	(void)until_said("end > ", end_ns); /* or the program has ended, which it does when it has all */
	bool taken = strstr(said + from, "Not yet") == NULL;
	said_read = from;
	return taken;
}

/* A motion by hand, once more from where it began if the LiDAR lost the way: on a machine that starves the program it loses scans. */
static void by_hand(const char *first, const char *then, enum hands what, double seconds, int64_t end_ns)
{
	struct cairn_sim_state before = *cairn_sim_state(sim);
	for (int times = 0; times < TIMES_BY_HAND; times++) {
		cairn_sim_restore(sim, &before);
		answer(first, NONE, 0.0, end_ns);
		answer(then, what, seconds, end_ns);
		if (is_taken(end_ns))
			return;
		ck_assert_msg(strstr(said + said_read, "lost the way") != NULL, "%s", said);
	}
	ck_abort_msg("not taken %d times: %s", TIMES_BY_HAND, said);
}

static void bring_up(void)
{
	char file[200];
	int status = -1;
	struct cairn_error err = {""};
	struct cairn_config found;
	int64_t end_ns = mono_ns() + PATIENCE_NS;
	place(false);
	with_post = true;
	snprintf(file, sizeof(file), "%s/found.yaml", run_dir);
	struct cairn_sim_state at_start = *cairn_sim_state(sim);
	start(NULL, file);
	answer("BATTERY.", NONE, 1.5, end_ns); /* half full, once the base has told of it: asked again */
	battery_v = 12.5;
	answer("BATTERY.", NONE, 0.5, end_ns);
	answer("TURN.", NONE, 0.0, end_ns);
	answer("to the LEFT", TURN, 0.5, end_ns);            /* too little: asked again */
	by_hand("TURN.", "to the LEFT", TURN, 10.4, end_ns); /* all round, to where there is room ahead */
	by_hand("PUSH.", "straight AHEAD", PUSH, 3.5, end_ns);
	answer("WHEELS.", NONE, 0.0, end_ns);
	answer("DEAD MAN.", NONE, 0.0, end_ns);
	cairn_sim_restore(sim, &at_start); /* it is put down where there is room */
	answer("STEER.", NONE, 0.0, end_ns);
	ck_assert_msg(until_said("Written: ", end_ns), "%s", said);
	while (until_said("\1", end_ns))
		;
	ck_assert_int_eq(waitpid(program, &status, 0), program);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", said);
	ck_assert_ptr_nonnull(strstr(said, "11.9 V is no full lithium-ion pack"));
	ck_assert_ptr_nonnull(strstr(said, "turn it by at least 46"));
	/* This board has no dead man; a base of two wheels has to have one. */
	ck_assert_ptr_nonnull(
	    strstr(said, has_two_wheels ? "the base stops by itself" : "the stop frame stops it"));
	if (has_two_wheels)
		ck_assert(wheels.left_mps == 0.0 && wheels.right_mps == 0.0);
	else
		ck_assert_int_eq(board.mode, CAIRN_DEV_BOARD_STOPPED);
	cairn_config_defaults(&found);
	ck_assert_msg(cairn_config_load(&found, file, &err), "%s", err.text);
	ck_assert_str_eq(found.robot.base_device, "dev-a");
	ck_assert_ptr_nonnull(strstr(found.robot.battery_curve, "11.40:50, 12.00:85, 12.4"));
	ck_assert(found.robot.lidar_mirrored && found.robot.encoder_reversed && found.robot.drive_reversed);
	ck_assert_int_eq(found.robot.gyro_axis, CAIRN_CHOICE_GYRO_AXIS_MINUS_Y);
	ck_assert_double_eq_tol(found.robot.lidar_yaw_rad, 2.0, 0.06);
	ck_assert_double_eq_tol(found.robot.encoder_ticks_per_m, pushed_ticks_per_m, TICKS_OFF);
	ck_assert_double_eq_tol(found.robot.steer_scale, -0.8, 0.08);
	size_t bytes = 0;
	char *text = cairn_file_read(file, 0, 65536, &bytes, &err);
	ck_assert_msg(
	    text != NULL && strstr(text, "sees the robot itself") != NULL && strstr(text, "OUTSIDE") != NULL,
	    "%s", text);
	free(text);
	close(to_fd);
	close(from_fd);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&world);
}

START_TEST(a_robot_with_everything_wrong_is_brought_up_and_its_file_says_what_is_true)
{
	bring_up();
}
END_TEST

START_TEST(a_base_of_two_wheels_with_everything_wrong_is_brought_up_as_well)
{
	has_two_wheels = true;
	bring_up();
	has_two_wheels = false;
}
END_TEST

/* Ends with what it has written, in *found. */
static void written(const char *file, struct cairn_config *found, int64_t end_ns)
{
	struct cairn_error err = {""};
	int status = -1;
	ck_assert_msg(until_said("Written: ", end_ns), "%s", said);
	while (until_said("\1", end_ns))
		;
	ck_assert_int_eq(waitpid(program, &status, 0), program);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", said);
	ck_assert_int_eq(board.mode, CAIRN_DEV_BOARD_STOPPED);
	cairn_config_defaults(found);
	ck_assert_msg(cairn_config_load(found, file, &err), "%s", err.text);
	close(to_fd);
	close(from_fd);
	said_bytes = said_read = 0;
}

START_TEST(each_part_is_calibrated_alone_and_its_file_says_nothing_of_the_others)
{
	char file[200];
	struct cairn_config found, defaults;
	int64_t end_ns = mono_ns() + PATIENCE_NS;
	cairn_config_defaults(&defaults);
	place(false);
	snprintf(file, sizeof(file), "%s/part.yaml", run_dir);
	struct cairn_sim_state at_start = *cairn_sim_state(sim);
	start("steering", file);
	answer("STEER.", NONE, 0.0, end_ns);
	written(file, &found, end_ns);
	ck_assert_double_eq_tol(found.robot.steer_scale, -0.8, 0.08);
	ck_assert_double_eq(found.robot.encoder_ticks_per_m, defaults.robot.encoder_ticks_per_m);
	cairn_sim_restore(sim, &at_start);
	start("odometry", file);
	by_hand("PUSH.", "straight AHEAD", PUSH, 2.6, end_ns);
	written(file, &found, end_ns);
	ck_assert(found.robot.encoder_reversed && !found.robot.lidar_mirrored);
	ck_assert_double_eq_tol(found.robot.encoder_ticks_per_m, pushed_ticks_per_m, TICKS_OFF);
	ck_assert_double_eq(found.robot.lidar_yaw_rad, defaults.robot.lidar_yaw_rad);
	cairn_sim_restore(sim, &at_start);
	start("lidar", file);
	by_hand("TURN.", "to the LEFT", TURN, 10.4, end_ns); /* all round: as it stood */
	by_hand("PUSH.", "straight AHEAD", PUSH, 2.6, end_ns);
	written(file, &found, end_ns);
	ck_assert(found.robot.lidar_mirrored && !found.robot.encoder_reversed);
	ck_assert_int_eq(found.robot.gyro_axis, CAIRN_CHOICE_GYRO_AXIS_MINUS_Y);
	ck_assert_double_eq_tol(found.robot.lidar_yaw_rad, 2.0, 0.06);
	ck_assert_double_eq(found.robot.encoder_ticks_per_m, defaults.robot.encoder_ticks_per_m);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&world);
}
END_TEST

START_TEST(ports_that_are_mixed_up_are_found_out)
{
	int64_t end_ns = mono_ns() + PATIENCE_NS;
	place(true);
	start(NULL, "unused.yaml");
	ck_assert_msg(until_said("they were the other way round", end_ns), "%s", said);
	ck_assert(until_said("end > ", end_ns));
	ck_assert_int_eq(write(to_fd, "q\n", 2), 2);
	while (until_said("\1", end_ns))
		;
	int status;
	ck_assert_int_eq(waitpid(program, &status, 0), program);
	ck_assert_int_eq(WEXITSTATUS(status), 1);
	ck_assert_int_eq(board.mode, CAIRN_DEV_BOARD_STOPPED);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("bringup", 300.0,
    a_robot_with_everything_wrong_is_brought_up_and_its_file_says_what_is_true,
    a_base_of_two_wheels_with_everything_wrong_is_brought_up_as_well,
    each_part_is_calibrated_alone_and_its_file_says_nothing_of_the_others,
    ports_that_are_mixed_up_are_found_out)
