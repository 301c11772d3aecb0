/* `cairn teleop` on a whole stack, with a terminal played by the test: keys drive the robot through the safety chain, it stands when they
 * are let go, the emergency stop holds it, and when the program is killed or the terminal goes away it stands, too. */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>

#include "procs/cli/cli.h"
#include "test/e2e/stack.h"

#define PRESS_S 0.2

static int terminal;

static pid_t start_teleop(const struct drill *drill)
{
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);
	if (pid == 0) {
		execl(CAIRN_PROGRAM, CAIRN_PROGRAM, "teleop", "--run", fixture_run_dir(drill), (char *)NULL);
		_exit(127);
	}
	ck_assert_int_gt(pid, 0);
	return pid;
}

/* What it writes is read, so that it never waits for us; the key is pressed again and again, if there is one. */
struct hand {
	const char *key;
	double from_m; /* the robot's way when this began */
	int64_t pressed_ns;
	int presses;
};

static void tend(struct hand *h)
{
	char waste[4096];
	struct pollfd p = {.fd = terminal, .events = POLLIN};
	while (poll(&p, 1, 0) > 0 && read(terminal, waste, sizeof(waste)) > 0)
		;
	if (h->key != NULL && (double)(cli_now_ns() - h->pressed_ns) * 1e-9 > PRESS_S) {
		ck_assert_int_eq(write(terminal, h->key, 1), 1);
		h->pressed_ns = cli_now_ns();
		h->presses++;
	}
}

static bool has_driven(const struct up_run *run, void *ctx)
{
	struct hand *h = ctx;
	tend(h);
	return run->have_truth && run->truth.distance_m > h->from_m + 0.3;
}

static bool stands(const struct up_run *run, void *ctx)
{
	tend(ctx);
	return run->have_motion && run->motion.v_mps == 0.0;
}

static bool is_held(const struct up_run *run, void *ctx)
{
	tend(ctx);
	return run->have_motion && run->motion.state == CAIRN_MOTOR_STATE_ESTOP;
}

static bool was_pressed_often(const struct up_run *run, void *ctx)
{
	struct hand *h = ctx;
	(void)run;
	tend(h);
	return h->presses >= 15;
}

static void must_drive(struct drill *drill, const char *key)
{
	struct hand h = {.key = key, .from_m = fixture_run(drill)->truth.distance_m};
	stack_must(drill, has_driven, &h, "the robot does not drive by hand");
}

/* Without a key it stands before a wall makes it: it drives 0.6 s more at 0.23 m/s, and brakes. */
static void must_stop_by_itself(struct drill *drill)
{
	struct hand nobody = {.key = NULL};
	double let_go_m = fixture_run(drill)->truth.distance_m;
	stack_must(drill, stands, &nobody, "it does not stand");
	ck_assert_double_lt(fixture_run(drill)->truth.distance_m, let_go_m + 0.6);
}

START_TEST(keys_drive_the_robot_and_it_stands_when_they_are_let_go_or_program_or_terminal_are_gone)
{
	static const char *const args[] = {"--world", "test/data/worlds/hall.yaml", "--set",
	    "mission.autostart=false", "--stay", "--set", "web.endpoint=127.0.0.1:0", NULL};
	struct hand nobody = {.key = NULL}, held = {.key = "w"};
	struct drill *drill = stack_start(args);
	stack_must(drill, stack_has_come_up, NULL, "a stage does not come up");
	ck_assert_double_lt(fixture_run(drill)->truth.distance_m, 0.05);
	pid_t pid = start_teleop(drill);
	must_drive(drill, "w");
	must_stop_by_itself(drill);
	must_drive(drill, "s");
	ck_assert_int_eq(kill(pid, SIGKILL), 0); /* its last word is one that drives */
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	close(terminal);
	terminal = -1;
	must_stop_by_itself(drill);
	(void)start_teleop(drill);
	nobody.key = "x";
	stack_must(drill, is_held, &nobody, "x is no emergency stop");
	nobody.key = NULL;
	stack_must(drill, stands, &nobody, "it does not stand, held as it is");
	double held_m = fixture_run(drill)->truth.distance_m;
	stack_must(drill, was_pressed_often, &held, "no keys");
	ck_assert_double_lt(fixture_run(drill)->truth.distance_m, held_m + 0.02);
	stack_ask(drill, CAIRN_SERVICE_MOTOR_CTL, "release", "");
	must_drive(drill, "w");
	close(terminal); /* a window that is closed */
	terminal = open("/dev/null", O_RDWR | O_CLOEXEC);
	must_stop_by_itself(drill);
	close(terminal);
	ck_assert_uint_eq(fixture_run(drill)->truth.contacts, 0);
	stack_interrupt(drill, 0);
	fixture_destroy(&drill, false);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("teleop-stack", 380.0,
    keys_drive_the_robot_and_it_stands_when_they_are_let_go_or_program_or_terminal_are_gone)
