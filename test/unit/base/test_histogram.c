/* Bins of common/base/histogram.h against sorted samples. */
#include "common/base/histogram.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/rng.h"
#include "test/support/runner.h"

START_TEST(nothing_seen_is_zero)
{
	struct cairn_histogram s = {0};
	ck_assert_int_eq(cairn_histogram_at_ns(&s, 0.5), 0);
	ck_assert_int_eq(cairn_histogram_at_ns(&s, 1.0), 0);
}
END_TEST

/* By hand: of 1 .. 100 us the 50th is 50 us; its bin is 49152 .. 53248 ns (eight of them from 32768 to
 * 65536). */
START_TEST(a_percentile_is_the_upper_end_of_its_bin)
{
	struct cairn_histogram s = {0};
	for (int i = 1; i <= 100; i++)
		cairn_histogram_add(&s, i * 1000);
	ck_assert_int_eq(cairn_histogram_at_ns(&s, 0.5), 53248);
	ck_assert_int_eq(cairn_histogram_at_ns(&s, 1.0), 100000);
	ck_assert_uint_eq(s.count, 100);
}
END_TEST

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

START_TEST(a_percentile_is_never_too_low_and_at_most_an_eighth_too_high)
{
	enum { N = 5000 };
	static int64_t all[N];
	for (int seed = 0; seed < 20; seed++) {
		struct cairn_histogram s = {0};
		struct cairn_rng rng;
		cairn_rng_seed(&rng, (uint64_t)seed, 1);
		for (int i = 0; i < N; i++) {
			all[i] = (int64_t)exp(20.0 * cairn_rng_uniform(&rng)); /* 1 ns to 0.5 s */
			cairn_histogram_add(&s, all[i]);
		}
		qsort(all, N, sizeof(all[0]), by_value);
		static const double shares[] = {0.01, 0.5, 0.9, 0.99, 0.999, 1.0};
		for (size_t k = 0; k < sizeof(shares) / sizeof(shares[0]); k++) {
			int64_t is = all[(int)ceil(shares[k] * N) - 1],
				told = cairn_histogram_at_ns(&s, shares[k]);
			ck_assert_int_ge(told, is);
			ck_assert_int_le(told, is + is / 8 + 1024);
		}
	}
}
END_TEST

START_TEST(times_beyond_the_bins_are_kept_as_the_largest)
{
	struct cairn_histogram s = {0};
	cairn_histogram_add(&s, -5);
	cairn_histogram_add(&s, INT64_MAX);
	ck_assert_int_eq(cairn_histogram_at_ns(&s, 0.5), 1024);
	ck_assert_int_eq(cairn_histogram_at_ns(&s, 1.0), INT64_MAX);
}
END_TEST

CAIRN_TEST_MAIN("spread", nothing_seen_is_zero, a_percentile_is_the_upper_end_of_its_bin,
    a_percentile_is_never_too_low_and_at_most_an_eighth_too_high,
    times_beyond_the_bins_are_kept_as_the_largest)
