/* The source of chance: its numbers, and what its normal ones are like. */
#include <math.h>

#include "common/base/rng.h"
#include "test/support/runner.h"

START_TEST(numbers_are_those_of_pcg32)
{
	/* The first of its authors' demonstration: pcg32_srandom(42, 54). */
	static const uint32_t published[] = {
	    0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e};
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 42, 54);
	for (int i = 0; i < 6; i++)
		ck_assert_uint_eq(cairn_rng_u32(&rng), published[i]);
}
END_TEST

START_TEST(normal_numbers_are_spread_as_the_normal_distribution_says)
{
	enum { N = 1000000 };
	static const double beyond[] = {1.0, 0.31731, 0.045500, 0.0026998, 6.3342e-5};
	struct cairn_rng rng;
	double sum = 0.0, squares = 0.0, fourths = 0.0, product = 0.0, last = 0.0;
	int outside[5] = {0};
	cairn_rng_seed(&rng, 7, 1);
	for (int i = 0; i < N; i++) {
		double x = cairn_rng_normal(&rng);
		sum += x;
		squares += x * x;
		fourths += x * x * x * x;
		product += x * last;
		last = x;
		for (int k = 1; k < 5; k++)
			outside[k] += fabs(x) > k;
	}
	/* Four standard errors each. */
	ck_assert_double_eq_tol(sum / N, 0.0, 4e-3);
	ck_assert_double_eq_tol(squares / N, 1.0, 5.7e-3);
	ck_assert_double_eq_tol(fourths / N, 3.0 - 0.031, 4e-2);
	ck_assert_double_eq_tol(product / N, 0.0, 4e-3);
	for (int k = 1; k < 4; k++) /* and a twentieth: the distribution is not quite the normal one */
		ck_assert_double_eq_tol(
		    (double)outside[k] / N, beyond[k], 4.0 * sqrt(beyond[k] / N) + 0.05 * beyond[k]);
	ck_assert_int_gt(outside[4], 0);
	ck_assert_double_lt((double)outside[4] / N, beyond[4]);
}
END_TEST

CAIRN_TEST_MAIN("rng", numbers_are_those_of_pcg32, normal_numbers_are_spread_as_the_normal_distribution_says)
