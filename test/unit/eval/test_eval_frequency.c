#include "common/eval/frequency.h"
#include "test/support/runner.h"

#include <math.h>

static struct cairn_world *world;
static struct cairn_config cfg;

static void setup(void)
{
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	world = cairn_world_load(CAIRN_SOURCE_ROOT "/config/worlds/studio.yaml", &err);
	ck_assert_msg(world != NULL, "%s", err.text);
}

START_TEST(calls_by_need_are_fewer_than_at_a_fixed_rate_for_the_same_floor)
{
	static const double period_s = 2.0;
	struct cairn_frequency_report r, again;
	struct cairn_error err = {""};
	setup();
	ck_assert(cairn_frequency_compare(&cfg, world, &period_s, 1, 40.0, &r, &err));
	ck_assert_double_gt(r.adaptive.same_coverage, 0.5);
	ck_assert_double_eq(r.adaptive.same_coverage, r.fixed.same_coverage);
	ck_assert_uint_gt(r.adaptive.same_calls, 0);
	ck_assert_uint_eq(r.adaptive.contacts + r.fixed.contacts, 0);
	/* A call every 2 s from the first picture on, as long as the run takes. */
	ck_assert_double_ge((double)r.fixed.calls, r.fixed.seconds / 2.0 - 3.0);
	ck_assert_double_le((double)r.fixed.calls, r.fixed.seconds / 2.0 + 1.0);
	ck_assert_double_gt(
	    r.saved, 0.0); /* a small home is seen in 15 s: 3 or 4 calls, and those of events */
	ck_assert_double_le((double)r.without.calls, 0.6 * (double)r.fixed.calls);
	ck_assert_uint_eq(r.without.event_calls, 0);
	ck_assert(cairn_frequency_compare(&cfg, world, &period_s, 1, 40.0, &again, &err));
	ck_assert_mem_eq(&r.adaptive, &again.adaptive, sizeof(r.adaptive));
	cairn_world_destroy(&world);
}
END_TEST

START_TEST(an_event_is_asked_about_at_once_and_without_the_key_when_a_decision_is_wanted)
{
	static const double period_s = 5.0;
	struct cairn_frequency_report r;
	struct cairn_error err = {""};
	double slowest_s = 0.0, before_s = 0.0;
	setup();
	ck_assert(cairn_frequency_compare(&cfg, world, &period_s, 1, 40.0, &r, &err));
	ck_assert_uint_gt(r.adaptive.event_calls, 0);
	ck_assert_uint_gt(r.adaptive.reactions, 0);
	ck_assert_uint_gt(r.without.reactions, 0);
	for (uint32_t i = 0; i < r.adaptive.reactions; i++)
		slowest_s = fmax(slowest_s, (double)r.adaptive.reaction_s[i]);
	for (uint32_t i = 0; i < r.without.reactions; i++)
		before_s = fmax(before_s, (double)r.without.reaction_s[i]);
	ck_assert_double_le(slowest_s, 0.3);
	ck_assert_double_gt(before_s, 1.0);
	cairn_world_destroy(&world);
}
END_TEST

CAIRN_TEST_MAIN("eval frequency", calls_by_need_are_fewer_than_at_a_fixed_rate_for_the_same_floor,
    an_event_is_asked_about_at_once_and_without_the_key_when_a_decision_is_wanted)
