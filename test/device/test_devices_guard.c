/* Bumper and cliff sensor on GPIO lines: the real stages guard-bridge and motor, with a chip of the test's own
 * (fake_gpiod.c). */
#include "test/device/rig.h"

#define BUMPER 3 /* low = pressed */
#define CLIFF 4  /* high = no floor */

static pid_t guard_pid;
static char chip[96];

static void set_line(int line, char level)
{
	int fd = open(chip, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(pwrite(fd, &level, 1, line), 1);
	close(fd);
}

static void chip_appears(void)
{
	char made[112];
	snprintf(made, sizeof(made), "%s.new", chip);
	int fd = open(made, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(write(fd, "00010", 5), 5);
	close(fd);
	ck_assert_int_eq(rename(made, chip), 0);
}

static void up(void)
{
	guard_lines = "bumper 3 low, cliff 4 high";
	snprintf(chip, sizeof(chip), "/tmp/cairn-gpio-%d", (int)getpid());
	guard_chip = chip;
	setup(true);
	setenv("LD_PRELOAD", CAIRN_FAKE_GPIOD, 1);
	guard_pid = spawn("cairn-sensor-bridge", "guard-bridge");
	unsetenv("LD_PRELOAD");
	command_mps = 0.2;
}

static void down(void)
{
	end(&guard_pid, SIGKILL);
	unlink(chip);
	teardown();
}

static bool stands_without_guard(void)
{
	return motion.state == CAIRN_MOTOR_STATE_NO_SCAN && strstr(motion.reason, "bumper") != NULL;
}

static bool stands_before_a_drop(void)
{
	return motion.state == CAIRN_MOTOR_STATE_BLOCKED && motion.cause == CAIRN_SENSOR_CLIFF;
}

static bool stands_at_the_bumper(void)
{
	return motion.state == CAIRN_MOTOR_STATE_BLOCKED && motion.cause == CAIRN_SENSOR_BUMPER;
}

static bool backs_away(void)
{
	return motion.v_mps < -0.05 && board.v_mps < -0.05;
}

START_TEST(a_pressed_bumper_stops_the_robot_and_leaves_the_way_back)
{
	up();
	chip_appears();
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	set_line(BUMPER, '0');
	ck_assert_int_ge(pump(PATIENCE_MS, stands_at_the_bumper), 0);
	ck_assert_str_eq(motion.reason, "bumper pressed ahead");
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	command_mps = -0.2;
	ck_assert_int_ge(pump(PATIENCE_MS, backs_away), 0);
	command_mps = 0.2;
	ck_assert_int_ge(pump(PATIENCE_MS, stands_at_the_bumper), 0);
	set_line(BUMPER, '1');
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	down();
}
END_TEST

START_TEST(no_floor_in_front_stops_the_robot_until_there_is_floor)
{
	up();
	chip_appears();
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	set_line(CLIFF, '1');
	ck_assert_int_ge(pump(PATIENCE_MS, stands_before_a_drop), 0);
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	set_line(CLIFF, '0');
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	down();
}
END_TEST

START_TEST(the_robot_stands_while_lines_that_are_configured_cannot_be_read)
{
	up();
	ck_assert_int_ge(pump(PATIENCE_MS, stands_without_guard), 0); /* no chip yet */
	chip_appears();
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	ck_assert_int_eq(unlink(chip), 0);
	ck_assert_int_ge(pump(PATIENCE_MS, stands_without_guard), 0);
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	chip_appears();
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	kill(guard_pid, SIGSTOP);
	ck_assert_int_ge(pump(PATIENCE_MS, stands_without_guard), 0);
	kill(guard_pid, SIGCONT);
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	down();
}
END_TEST

CAIRN_TEST_MAIN("devices_guard", a_pressed_bumper_stops_the_robot_and_leaves_the_way_back,
    no_floor_in_front_stops_the_robot_until_there_is_floor,
    the_robot_stands_while_lines_that_are_configured_cannot_be_read)
