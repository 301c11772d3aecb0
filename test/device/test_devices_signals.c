/* Beeper and lights: the real stages signals and motor against a board and a chip of the test's own (fake_gpiod.c). What the board
 * is sent is judged byte by byte: beeper and lights stand behind wheel commands and between them, and take none's place. */
#include "common/signal/signal.h"
#include "test/device/rig.h"

#define FRAME_BYTES_MAX 9 /* of beeper and lights */

static pid_t signals_pid;
static struct cairn_pub *signal_pub;
static char chip[96];

enum func { BEEP = 0x02, LAMPS = 0x05, EFFECT = 0x06, MOTION = 0x12 };

struct traffic {
	int wheels, signals;
};

/* Whole frames with right sums and nothing between them; a wheel command between any two of beeper and lights. */
static struct traffic judge_traffic(void)
{
	struct traffic t = {0, 0};
	bool wheels_since = true;
	size_t at = 0;
	ck_assert_uint_le(heard_bytes, sizeof(heard));
	while (at + 3 <= heard_bytes && at + heard[at + 2] + 2 <= heard_bytes) {
		const uint8_t *f = heard + at;
		ck_assert_msg(f[0] == 0xFF && f[1] == 0xFC, "no frame at byte %zu", at);
		unsigned sum = 0;
		for (int i = 2; i < f[2] + 1; i++)
			sum += f[i];
		ck_assert_uint_eq((uint8_t)sum, f[f[2] + 1]);
		bool is_signal = f[3] == BEEP || f[3] == LAMPS || f[3] == EFFECT;
		if (is_signal) {
			ck_assert_msg(wheels_since, "two of beeper and lights without a wheel command");
			ck_assert_int_le(f[2] + 2, FRAME_BYTES_MAX);
		}
		wheels_since = f[3] == MOTION || (wheels_since && !is_signal);
		t.wheels += f[3] == MOTION;
		t.signals += is_signal;
		at += (size_t)f[2] + 2;
	}
	return t;
}

static void start_signals(void)
{
	setenv("LD_PRELOAD", CAIRN_FAKE_GPIOD, 1);
	signals_pid = spawn("cairn-signals", "signals");
	unsetenv("LD_PRELOAD");
}

static void up(void)
{
	heard_bytes = 0;
	signal_board = true;
	setup(true);
	command_mps = 0.2;
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
}

static void down(void)
{
	end(&signals_pid, SIGKILL);
	teardown();
}

static bool is_green(void)
{
	return board.lamps_rgb == cairn_signal_rows[CAIRN_SIGNAL_DRIVING].rgb;
}

static bool is_red_and_has_beeped(void)
{
	return board.lamps_rgb == cairn_signal_rows[CAIRN_SIGNAL_ESTOP].rgb && board.beeps > 0;
}

START_TEST(an_emergency_stop_is_seen_and_heard_and_takes_no_wheel_command_away)
{
	up();
	start_signals();
	ck_assert_int_ge(pump(PATIENCE_MS, is_green), 0);
	ck_assert_uint_eq(board.beeps, 0);
	estop_on = true;
	ck_assert_int_ge(pump(PATIENCE_MS, is_red_and_has_beeped), 0);
	ck_assert_uint_eq(board.beep_ms, 600); /* it ends by itself */
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	struct traffic t = judge_traffic();
	ck_assert_int_gt(t.signals, 3);
	ck_assert_int_gt(t.wheels, t.signals);
	ck_assert_uint_eq(board.rejects, 0);
	down();
}
END_TEST

START_TEST(a_dead_signal_stage_neither_holds_the_wheels_nor_hides_the_stop)
{
	up();
	start_signals();
	ck_assert_int_ge(pump(PATIENCE_MS, is_green), 0);
	end(&signals_pid, SIGKILL);
	motion.state = CAIRN_MOTOR_STATE_IDLE; /* what is heard next counts */
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	estop_on = true;
	ck_assert_int_ge(pump(PATIENCE_MS, is_red_and_has_beeped), 0);
	(void)judge_traffic();
	down();
}
END_TEST

static int told;
static bool stood;

/* 50 lies a turn, each another one. */
static bool told_enough(void)
{
	for (int i = 0; i < 50; i++) {
		struct cairn_msg_signal lie = {.signal = (enum cairn_signal)(told++ % CAIRN_SIGNAL_COUNT)};
		(void)cairn_pub_send(signal_pub, &lie, mono_ns(), true);
	}
	stood |= motion.state != CAIRN_MOTOR_STATE_DRIVING;
	return told >= 50000;
}

START_TEST(a_hostile_signal_stage_makes_noise_and_nothing_else)
{
	struct cairn_error err = {""};
	up();
	signal_pub = cairn_pub_new(bus, CAIRN_TOPIC_SIGNAL, NULL, &err);
	ck_assert_msg(signal_pub != NULL, "%s", err.text);
	ck_assert_int_ge(pump(PATIENCE_MS, told_enough), 0);
	ck_assert(!stood);
	struct traffic t = judge_traffic();
	ck_assert_int_gt(t.signals, 3); /* it was heard */
	ck_assert_uint_eq(board.rejects, 0);
	estop_on = true;
	ck_assert_int_ge(pump(PATIENCE_MS, latched), 0);
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	down();
}
END_TEST

START_TEST(without_the_key_the_board_hears_of_wheels_alone)
{
	heard_bytes = 0;
	signal_board = false;
	setup(true);
	command_mps = 0.2;
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	estop_on = true;
	ck_assert_int_ge(pump(PATIENCE_MS, latched), 0);
	ck_assert_int_eq(judge_traffic().signals, 0);
	down();
}
END_TEST

static char levels[5];

/* Buzzer, light, light_red. */
static const char *chip_levels(void)
{
	int fd = open(chip, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(pread(fd, levels, 4, 0), 4);
	close(fd);
	return levels;
}

static bool light_alone(void)
{
	return strcmp(chip_levels(), "0011") == 0; /* the red one is on when its line is low */
}

static bool all_on(void)
{
	return strcmp(chip_levels(), "0110") == 0;
}

static bool all_off(void)
{
	return strcmp(chip_levels(), "0001") == 0;
}

START_TEST(lines_of_a_chip_show_the_same_and_are_off_at_the_end)
{
	int status = -1;
	snprintf(chip, sizeof(chip), "/tmp/cairn-gpio-%d", (int)getpid());
	int fd = open(chip, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_eq(write(fd, "0000", 4), 4);
	close(fd);
	guard_chip = chip;
	signal_lines = "buzzer 1 high, light 2 high, light_red 3 low";
	up();
	start_signals();
	ck_assert_int_ge(pump(PATIENCE_MS, light_alone), 0);
	estop_on = true;
	ck_assert_int_ge(pump(PATIENCE_MS, all_on), 0);
	kill(signals_pid, SIGTERM);
	ck_assert_int_eq(waitpid(signals_pid, &status, 0), signals_pid);
	signals_pid = 0;
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	ck_assert(all_off());
	unlink(chip);
	down();
}
END_TEST

CAIRN_TEST_MAIN("devices_signals", an_emergency_stop_is_seen_and_heard_and_takes_no_wheel_command_away,
    a_dead_signal_stage_neither_holds_the_wheels_nor_hides_the_stop,
    a_hostile_signal_stage_makes_noise_and_nothing_else, without_the_key_the_board_hears_of_wheels_alone,
    lines_of_a_chip_show_the_same_and_are_off_at_the_end)
