/* Bootstrap intervals. */
#include <math.h>

#include "common/base/rng.h"
#include "common/eval/interval.h"
#include "test/support/runner.h"

START_TEST(the_normal_distribution_has_its_published_values)
{
	/* Abramowitz and Stegun, tables 26.1 and 26.5 */
	ck_assert_double_eq_tol(cairn_normal_cdf(1.0), 0.8413447460685429, 1e-14);
	ck_assert_double_eq_tol(cairn_normal_cdf(-2.0), 0.0227501319481792, 1e-14);
	ck_assert_double_eq_tol(cairn_normal_quantile(0.975), 1.959963984540054, 1e-12);
	ck_assert_double_eq_tol(cairn_normal_quantile(0.001), -3.090232306167814, 1e-12);
	for (double p = 0.0005; p < 1.0; p += 0.0101)
		ck_assert_double_eq_tol(cairn_normal_cdf(cairn_normal_quantile(p)), p, 1e-14);
}
END_TEST

START_TEST(two_values_give_the_interval_worked_out_by_hand)
{
	/* Resamples of {0, 1} have means 0, 1/2, 1 with chances 1/4, 1/2, 1/4: symmetric, so that z0 = 0 and a = 0 up to the
	 * chance of drawing, and both ends lie in the outer quarters. */
	const double x[] = {0.0, 1.0};
	struct cairn_interval i = cairn_interval_of_mean(x, 2);
	ck_assert_double_eq(i.mean, 0.5);
	ck_assert_double_eq(i.low, 0.0);
	ck_assert_double_eq(i.high, 1.0);
	ck_assert_uint_eq(i.count, 2);
}
END_TEST

START_TEST(no_spread_is_no_width_and_nothing_is_not_a_number)
{
	const double x[] = {3.0, 3.0, 3.0, NAN, INFINITY};
	struct cairn_interval i = cairn_interval_of_mean(x, 5);
	ck_assert_double_eq(i.mean, 3.0);
	ck_assert_double_eq(i.low, 3.0);
	ck_assert_double_eq(i.high, 3.0);
	ck_assert_uint_eq(i.count, 3);
	ck_assert(isnan(cairn_interval_of_mean(x + 3, 2).mean));
	ck_assert_double_eq(cairn_interval_of_mean(x, 1).high, 3.0);
}
END_TEST

START_TEST(a_skewed_sample_gets_the_longer_end_on_the_side_of_its_tail)
{
	double x[40];
	for (int i = 0; i < 40; i++)
		x[i] = -log(1.0 - (i + 0.5) / 40.0); /* exponential: mean 1, long tail upward */
	struct cairn_interval i = cairn_interval_of_mean(x, 40), m;
	ck_assert_double_gt(i.high - i.mean, 1.15 * (i.mean - i.low));
	for (int k = 0; k < 40; k++)
		x[k] = -x[k]; /* and mirrored: the mirrored interval, up to the chance of drawing */
	m = cairn_interval_of_mean(x, 40);
	ck_assert_double_eq_tol(m.low, -i.high, 0.03);
	ck_assert_double_eq_tol(m.high, -i.low, 0.03);
}
END_TEST

START_TEST(about_ninety_five_of_a_hundred_intervals_hold_the_truth)
{
	struct cairn_rng rng;
	int holds = 0;
	cairn_rng_seed(&rng, 5, 0);
	for (int k = 0; k < 400; k++) {
		double x[30];
		for (int i = 0; i < 30; i++)
			x[i] = 2.0 + cairn_rng_normal(&rng);
		struct cairn_interval i = cairn_interval_of_mean(x, 30);
		holds += i.low <= 2.0 && 2.0 <= i.high;
	}
	ck_assert_int_ge(holds, 364); /* 91 %: small samples come out a little narrow */
	ck_assert_int_le(holds, 394);
}
END_TEST

START_TEST(the_same_values_give_the_same_interval)
{
	const double x[] = {1.0, 4.0, 2.0, 8.0, 5.0, 7.0};
	struct cairn_interval a = cairn_interval_of_mean(x, 6), b = cairn_interval_of_mean(x, 6);
	ck_assert_double_eq(a.low, b.low);
	ck_assert_double_eq(a.high, b.high);
	ck_assert(a.low < a.mean && a.mean < a.high);
}
END_TEST

CAIRN_TEST_MAIN("eval_interval", the_normal_distribution_has_its_published_values,
    two_values_give_the_interval_worked_out_by_hand, no_spread_is_no_width_and_nothing_is_not_a_number,
    a_skewed_sample_gets_the_longer_end_on_the_side_of_its_tail,
    about_ninety_five_of_a_hundred_intervals_hold_the_truth, the_same_values_give_the_same_interval)
