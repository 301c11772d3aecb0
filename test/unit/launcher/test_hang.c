/* The rule by which the launcher notices a watchdog that hangs. Time is a number. */
#include "procs/launcher/hang.h"

#include "common/base/geom.h"
#include "common/safety/watchdog.h"
#include "test/support/runner.h"

#define HALF (CAIRN_NS_PER_S / 2)

static struct cairn_hang hang;

/* Looks every half second from *now on, for s seconds; the looks that said that it hangs. beating: it beats
 * each time. */
static int look_for(double s, int pid, bool beating, int64_t *now_ns)
{
	static int64_t beat_ns;
	int said = 0;
	for (int i = 0; i < (int)(s * 2.0); i++) {
		*now_ns += HALF;
		beat_ns = beating ? *now_ns : beat_ns;
		said += cairn_hang_look(&hang, pid, beat_ns, CAIRN_WATCHDOG_BEAT_S, *now_ns);
	}
	return said;
}

START_TEST(one_that_beats_does_not_hang)
{
	int64_t now_ns = 0;
	ck_assert_int_eq(look_for(600.0, 7, true, &now_ns), 0);
}
END_TEST

START_TEST(one_that_falls_silent_hangs_after_the_time_that_the_others_have_too)
{
	int64_t now_ns = 0;
	look_for(5.0, 7, true, &now_ns);
	ck_assert_int_eq(look_for(3.0, 7, false, &now_ns), 0);
	ck_assert_int_eq(look_for(0.5, 7, false, &now_ns), 1);
	ck_assert_int_eq(look_for(60.0, 7, false, &now_ns), 0); /* said once */
	look_for(1.0, 7, true, &now_ns);
	ck_assert_int_eq(look_for(4.0, 7, false, &now_ns), 1); /* and again, after it had been heard */
}
END_TEST

START_TEST(one_that_is_up_and_never_beats_hangs)
{
	int64_t now_ns = 0;
	ck_assert_int_eq(look_for(3.5, 7, false, &now_ns), 0);
	ck_assert_int_eq(look_for(0.5, 7, false, &now_ns), 1);
}
END_TEST

START_TEST(one_that_is_not_up_does_not_hang_and_the_next_process_has_its_own_time)
{
	int64_t now_ns = 0;
	look_for(2.5, 7, false, &now_ns);
	ck_assert_int_eq(look_for(60.0, 0, false, &now_ns), 0);
	ck_assert_int_eq(look_for(3.0, 8, false, &now_ns), 0);
	ck_assert_int_eq(look_for(3.0, 9, false, &now_ns), 0);
	ck_assert_int_eq(look_for(1.0, 9, false, &now_ns), 1);
}
END_TEST

START_TEST(a_launcher_that_stood_still_itself_blames_nobody)
{
	int64_t now_ns = 0;
	look_for(5.0, 7, true, &now_ns);
	now_ns += 3600 * CAIRN_NS_PER_S; /* suspended; the beat of after it is not here yet */
	ck_assert_int_eq(look_for(0.5, 7, false, &now_ns), 0);
	ck_assert_int_eq(look_for(60.0, 7, true, &now_ns), 0);
}
END_TEST

START_TEST(a_silent_motor_stage_is_noticed_by_the_launcher_whatever_the_watchdog_does)
{
	const int64_t t0 = 100 * CAIRN_NS_PER_S, ms = CAIRN_NS_PER_MS;
	struct cairn_hang_motor h = {0};
	int64_t now_ns = t0;
	ck_assert(!cairn_hang_motor_look(&h, true, 0, now_ns)); /* has said nothing yet */
	for (int i = 0; i < 100; i++, now_ns += 20 * ms)        /* a message every 50 ms */
		ck_assert(!cairn_hang_motor_look(&h, true, now_ns - now_ns % (50 * ms), now_ns));
	int64_t last_ns = now_ns;
	int looks = 0;
	while (!cairn_hang_motor_look(&h, true, last_ns, now_ns += 20 * ms))
		looks++;
	ck_assert_int_eq(looks, 20);                                            /* 0.42 s */
	ck_assert(cairn_hang_motor_look(&h, true, last_ns, now_ns += 20 * ms)); /* again and again */
	ck_assert(
	    cairn_hang_motor_look(&h, true, last_ns, now_ns += 500 * ms)); /* also when a look is late */
	ck_assert(
	    !cairn_hang_motor_look(&h, false, last_ns, now_ns += 20 * ms)); /* it is being started anew */
	ck_assert(!cairn_hang_motor_look(&h, true, now_ns, now_ns + 20 * ms));
}
END_TEST

START_TEST(a_launcher_that_stood_still_does_not_blame_the_motor_stage)
{
	const int64_t t0 = 100 * CAIRN_NS_PER_S, ms = CAIRN_NS_PER_MS;
	struct cairn_hang_motor h = {0};
	ck_assert(!cairn_hang_motor_look(&h, true, t0, t0 + 20 * ms));
	ck_assert(!cairn_hang_motor_look(
	    &h, true, t0, t0 + 5000 * ms)); /* what was sent meanwhile is not here yet */
	ck_assert(!cairn_hang_motor_look(&h, true, t0 + 5000 * ms, t0 + 5020 * ms));
}
END_TEST

CAIRN_TEST_MAIN("hang", one_that_beats_does_not_hang,
    one_that_falls_silent_hangs_after_the_time_that_the_others_have_too, one_that_is_up_and_never_beats_hangs,
    one_that_is_not_up_does_not_hang_and_the_next_process_has_its_own_time,
    a_launcher_that_stood_still_itself_blames_nobody,
    a_silent_motor_stage_is_noticed_by_the_launcher_whatever_the_watchdog_does,
    a_launcher_that_stood_still_does_not_blame_the_motor_stage)
