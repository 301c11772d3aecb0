/* Inverses of symmetric 3x3 matrices: one worked out by hand, many by multiplying back, and what is refused. */
#include <math.h>

#include "common/base/rng.h"
#include "common/base/symmetric3.h"

#include "test/support/runner.h"

START_TEST(the_inverse_of_a_small_matrix_is_that_worked_out_by_hand)
{
	/* Determinant 4 (6 - 1) - 2 (6 - 0) = 8; the cofactors over it. */
	const double m[3][3] = {{4, 2, 0}, {2, 2, 1}, {0, 1, 3}};
	const double by_hand[3][3] = {{5, -6, 2}, {-6, 12, -4}, {2, -4, 4}};
	double out[3][3];
	ck_assert_double_eq_tol(cairn_symmetric3_invert(m, out), 8.0, 1e-12);
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 3; c++)
			ck_assert_double_eq_tol(out[r][c], by_hand[r][c] / 8.0, 1e-12);
}
END_TEST

START_TEST(a_matrix_times_its_inverse_is_one)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 7, 1);
	for (int round = 0; round < 10000; round++) {
		double b[3][3], m[3][3], out[3][3];
		for (int i = 0; i < 9; i++)
			b[i / 3][i % 3] = 2.0 * cairn_rng_uniform(&rng) - 1.0;
		for (int r = 0; r < 3; r++)
			for (int c = 0; c < 3; c++)
				m[r][c] = b[r][0] * b[c][0] + b[r][1] * b[c][1] + b[r][2] * b[c][2] +
					  (r == c ? 0.01 : 0.0);
		ck_assert_double_gt(cairn_symmetric3_invert((const double(*)[3])m, out), 0.0);
		for (int r = 0; r < 3; r++)
			for (int c = 0; c < 3; c++)
				ck_assert_double_eq_tol(
				    m[r][0] * out[0][c] + m[r][1] * out[1][c] + m[r][2] * out[2][c], r == c,
				    1e-8);
	}
}
END_TEST

START_TEST(what_is_not_positive_definite_or_not_finite_is_refused_and_nothing_is_written)
{
	static const double bad[][3][3] = {
	    {{0}}, {{1, 1, 0}, {1, 1, 0}, {0, 0, 1}}, /* singular */
	    {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}},      /* determinant 1, and no minimum */
	    {{1, 2, 0}, {2, 1, 0}, {0, 0, -1}}, {{NAN, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	    {{1e200, 0, 0}, {0, 1e200, 0}, {0, 0, 1e200}}, /* its determinant is no number */
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		double out[3][3] = {{42.0}};
		ck_assert_double_eq(cairn_symmetric3_invert(bad[i], out), 0.0);
		ck_assert_double_eq(out[0][0], 42.0);
	}
}
END_TEST

CAIRN_TEST_MAIN("symmetric3", the_inverse_of_a_small_matrix_is_that_worked_out_by_hand,
    a_matrix_times_its_inverse_is_one,
    what_is_not_positive_definite_or_not_finite_is_refused_and_nothing_is_written)
