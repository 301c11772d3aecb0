#include "common/base/retry.h"

#include "test/support/runner.h"

#define STEP_NS INT64_C(50000000) /* a loop at 20 Hz */

START_TEST(what_fails_for_a_minute_is_tried_a_few_times_and_at_last_every_5_s)
{
	struct cairn_retry r = {0};
	int tries = 0;
	int64_t last_ns = 0, now_ns = 0, longest_ns = 0;
	for (; now_ns <= 60 * CAIRN_RETRY_MAX_NS / 5; now_ns += STEP_NS) {
		if (!cairn_retry_due(&r, now_ns))
			continue;
		longest_ns = now_ns - last_ns > longest_ns ? now_ns - last_ns : longest_ns;
		last_ns = now_ns;
		cairn_retry_tried(&r, false, now_ns);
		ck_assert(cairn_retry_failed(&r));
		tries++;
	}
	ck_assert_int_eq(tries, 6 + 10); /* at 0, 0.25, 0.75, 1.75, 3.75, 7.75, then every 5 s up to 57.75 */
	ck_assert_int_eq(longest_ns, CAIRN_RETRY_MAX_NS);
}
END_TEST

START_TEST(a_success_makes_the_next_failure_the_first_again)
{
	struct cairn_retry r = {0};
	for (int64_t t = 1; t < 5; t++)
		cairn_retry_tried(&r, false, t);
	cairn_retry_tried(&r, true, 5);
	ck_assert(!cairn_retry_failed(&r));
	ck_assert(cairn_retry_due(&r, 5));
	cairn_retry_tried(&r, false, 6);
	ck_assert(!cairn_retry_due(&r, 5 + CAIRN_RETRY_FIRST_NS));
	ck_assert(cairn_retry_due(&r, 6 + CAIRN_RETRY_FIRST_NS));
}
END_TEST

CAIRN_TEST_MAIN("retry", what_fails_for_a_minute_is_tried_a_few_times_and_at_last_every_5_s,
    a_success_makes_the_next_failure_the_first_again)
