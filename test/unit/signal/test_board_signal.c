/* Beeper and light bar of the ROSMASTER board beside the wheel commands. */
#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/signal/board_signal.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS

static struct cairn_config cfg;
static struct cairn_board_signal b;
static struct cairn_msg_motion motion;
static int64_t now_ms;
static char frames[4096]; /* each with its time: " 0:FF FC ..." */

static void start(void)
{
	cairn_config_defaults(&cfg);
	cairn_board_signal_init(&b, &cfg.robot);
	motion = (struct cairn_msg_motion){.state = CAIRN_MOTOR_STATE_DRIVING};
	now_ms = 1000;
}

/* The motor stage's ticks; what they send stands in frames. */
static void run(int ms)
{
	size_t n = 0;
	int64_t begin_ms = now_ms;
	frames[0] = '\0';
	for (; now_ms < begin_ms + ms; now_ms += 20) {
		uint8_t out[CAIRN_ROSMASTER_FRAME_MAX];
		cairn_signals_motion(&b.own, &motion, now_ms * MS);
		size_t bytes = cairn_board_signal_next(&b, now_ms * MS, out);
		if (bytes > 0)
			n +=
			    (size_t)sprintf(frames + n, "%s%d:", n > 0 ? ", " : "", (int)(now_ms - begin_ms));
		for (size_t i = 0; i < bytes; i++)
			n += (size_t)sprintf(frames + n, "%s%02X", i > 0 ? " " : "", out[i]);
	}
}

static void tell(enum cairn_signal signal, int64_t t_ms)
{
	const struct cairn_header hdr = {.t_ns = t_ms * MS, .valid = true};
	(void)cairn_in_deliver(cairn_board_signal_in, &b, CAIRN_TOPIC_SIGNAL,
	    &(struct cairn_msg_signal){.signal = signal}, &hdr, now_ms * MS);
}

START_TEST(the_frames_are_those_of_the_published_protocol)
{
	start();
	run(400); /* the board's own effect ends first, as the vendor asks; then green */
	ck_assert_str_eq(frames, "0:FF FC 06 06 00 FF FF 0A, 100:FF FC 07 05 FF 00 FF 00 0A");
	motion.state = CAIRN_MOTOR_STATE_ESTOP;
	run(1000); /* 600 ms of beep; red, dark for half a second */
	ck_assert_str_eq(
	    frames, "0:FF FC 05 02 58 02 61, 100:FF FC 07 05 FF FF 00 00 0A, 500:FF FC 07 05 FF 00 00 00 0B");
	cairn_board_signal_restart(&b);
	run(120); /* it may have been without power */
	ck_assert_str_eq(frames, "0:FF FC 06 06 00 FF FF 0A, 100:FF FC 07 05 FF FF 00 00 0A");
}
END_TEST

START_TEST(a_steady_lamp_is_told_again_each_second)
{
	start();
	run(400);
	run(2000);
	ck_assert_str_eq(frames, "700:FF FC 07 05 FF 00 FF 00 0A, 1700:FF FC 07 05 FF 00 FF 00 0A");
}
END_TEST

START_TEST(without_beeps_only_the_light_tells)
{
	start();
	b.beeps = false;
	run(400);
	motion.state = CAIRN_MOTOR_STATE_ESTOP;
	run(400);
	ck_assert_str_eq(frames, "0:FF FC 07 05 FF FF 00 00 0A");
}
END_TEST

START_TEST(what_another_stage_tells_adds_and_never_hides)
{
	start();
	tell(CAIRN_SIGNAL_WAITS_FOR_PERSON, now_ms);
	run(100);
	ck_assert_int_eq(b.shown, CAIRN_SIGNAL_WAITS_FOR_PERSON);
	motion.state = CAIRN_MOTOR_STATE_ESTOP;
	tell(CAIRN_SIGNAL_DRIVING, now_ms);
	run(100);
	ck_assert_int_eq(b.shown, CAIRN_SIGNAL_ESTOP);
	motion.state = CAIRN_MOTOR_STATE_DRIVING;
	tell(CAIRN_SIGNAL_TILTED, now_ms);
	run(1900);
	ck_assert_int_eq(b.shown, CAIRN_SIGNAL_TILTED);
	run(200); /* silent for two seconds: no longer believed */
	ck_assert_int_eq(b.shown, CAIRN_SIGNAL_DRIVING);
	tell(CAIRN_SIGNAL_TILTED, now_ms - 3000);
	tell(CAIRN_SIGNAL_TILTED, now_ms + 3000);
	run(100);
	ck_assert_int_eq(b.shown, CAIRN_SIGNAL_DRIVING);
}
END_TEST

START_TEST(whatever_it_is_told_the_line_stays_free)
{
	struct cairn_rng rng;
	int64_t last_ms = -1000, bytes = 0;
	int sent = 0;
	cairn_rng_seed(&rng, 7, 0);
	start();
	for (int i = 0; i < CAIRN_ROUNDS(200000); i++, now_ms++) {
		uint8_t out[CAIRN_ROSMASTER_FRAME_MAX];
		motion.state = (enum cairn_motor_state)(cairn_rng_u32(&rng) % CAIRN_MOTOR_STATE_COUNT);
		if (cairn_rng_u32(&rng) % 3 == 0)
			cairn_signals_motion(&b.own, &motion, now_ms * MS);
		tell((enum cairn_signal)(cairn_rng_u32(&rng) % CAIRN_SIGNAL_COUNT), now_ms);
		size_t n = cairn_board_signal_next(&b, now_ms * MS, out);
		ck_assert_uint_le(n, 9);
		if (n == 0)
			continue;
		ck_assert_int_ge(now_ms - last_ms, 100);
		last_ms = now_ms;
		bytes += (int64_t)n;
		sent++;
	}
	ck_assert_int_gt(sent, 100);                               /* and it was told much */
	ck_assert_int_le(bytes * 1000 / CAIRN_ROUNDS(200000), 90); /* of 11520 a second */
}
END_TEST

CAIRN_TEST_MAIN("board signal", the_frames_are_those_of_the_published_protocol,
    a_steady_lamp_is_told_again_each_second, without_beeps_only_the_light_tells,
    what_another_stage_tells_adds_and_never_hides, whatever_it_is_told_the_line_stays_free)
