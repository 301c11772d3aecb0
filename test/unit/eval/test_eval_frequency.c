#include "common/eval/frequency.h"
#include "test/support/runner.h"

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
	ck_assert_double_ge(r.saved, 0.4); /* 4 calls or fewer instead of 7: a small home is seen in 15 s */
	ck_assert(cairn_frequency_compare(&cfg, world, &period_s, 1, 40.0, &again, &err));
	ck_assert_mem_eq(&r.adaptive, &again.adaptive, sizeof(r.adaptive));
	cairn_world_destroy(&world);
}
END_TEST

CAIRN_TEST_MAIN("eval frequency", calls_by_need_are_fewer_than_at_a_fixed_rate_for_the_same_floor)
