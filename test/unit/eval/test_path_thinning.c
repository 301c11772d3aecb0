/* The way driven as points: whatever its length, it is drawn from its start to its end. */
#include <math.h>

#include "common/base/rng.h"
#include "common/eval/path_thinning.h"
#include "test/support/runner.h"

#define POINTS 64

static float xy_m[2 * POINTS + 2];

static struct cairn_path_thinning begun(uint32_t points_max, double spacing_m)
{
	for (int i = 0; i < 2 * POINTS + 2; i++)
		xy_m[i] = NAN;
	return (struct cairn_path_thinning){.xy_m = xy_m, .points_max = points_max, .spacing_m = spacing_m};
}

START_TEST(a_straight_way_has_its_points_where_they_are_by_hand)
{
	struct cairn_path_thinning t = begun(4, 1.0);
	for (int i = 0; i <= 3; i++) /* the fourth point fills it: 0 and 2 are left */
		cairn_path_thinning_add(&t, i, 0.0);
	ck_assert_uint_eq(t.count, 2);
	ck_assert_double_eq(t.spacing_m, 2.0);
	for (int i = 4; i <= 7; i++) /* 4, then 6 fills it: 0 and 4 are left, and 7 is no point yet */
		cairn_path_thinning_add(&t, i, 0.0);
	ck_assert_uint_eq(t.count, 2);
	ck_assert_double_eq(t.spacing_m, 4.0);
	ck_assert_float_eq(xy_m[2], 4.0F);
	cairn_path_thinning_add(&t, 8.0, 0.0);
	ck_assert_uint_eq(t.count, 3);
	ck_assert_float_eq(xy_m[4], 8.0F);
}
END_TEST

/* Steps of any size up to step_m in any direction; way[i] is the way at the i-th place. */
static void check_any_way(struct cairn_rng *rng)
{
	enum { PLACES_MAX = 5000 };
	static double way_m[PLACES_MAX], x_m[PLACES_MAX], y_m[PLACES_MAX];
	uint32_t points_max = 2 + cairn_rng_u32(rng) % (POINTS - 1);
	const double spacing_m = 0.15, step_m = 0.05;
	struct cairn_path_thinning t = begun(points_max, spacing_m);
	int places = 1 + (int)(cairn_rng_uniform(rng) * cairn_rng_uniform(rng) * (PLACES_MAX - 1)), next = 0;
	double yaw = 0.0;
	for (int i = 0; i < places; i++) {
		double step = i > 0 ? step_m * cairn_rng_uniform(rng) : 0.0;
		yaw += cairn_rng_uniform(rng) - 0.5;
		x_m[i] = (i > 0 ? x_m[i - 1] : 3.0) + step * cos(yaw);
		y_m[i] = (i > 0 ? y_m[i - 1] : -2.0) + step * sin(yaw);
		way_m[i] = (i > 0 ? way_m[i - 1] : 0.0) + step;
		cairn_path_thinning_add(&t, x_m[i], y_m[i]);
		ck_assert_uint_lt(t.count, points_max);
	}
	ck_assert_uint_ge(t.count, 1);
	ck_assert_float_eq(xy_m[0], (float)x_m[0]);
	ck_assert_float_eq(xy_m[1], (float)y_m[0]);
	ck_assert(isnan(xy_m[2 * points_max])); /* nothing behind its room */
	/* A point is a place, and those of a way that was thinned n times are off by 2^n steps at most. */
	double doubled = t.spacing_m / spacing_m, last_m = 0.0;
	for (uint32_t k = 1; k < t.count; k++) {
		while (
		    next < places && (xy_m[2 * k] != (float)x_m[next] || xy_m[2 * k + 1] != (float)y_m[next]))
			next++;
		ck_assert_int_lt(next, places);
		double gap_m = way_m[next] - last_m;
		ck_assert_msg(gap_m >= t.spacing_m - 1e-9 && gap_m <= t.spacing_m + doubled * step_m + 1e-9,
		    "%g m, not %g", gap_m, t.spacing_m);
		last_m = way_m[next];
	}
	ck_assert_double_lt(way_m[places - 1] - last_m, t.spacing_m + 1e-9);
	ck_assert_double_lt(hypot(x_m[places - 1] - (double)xy_m[2 * t.count - 2],
				y_m[places - 1] - (double)xy_m[2 * t.count - 1]),
	    t.spacing_m + 1e-6);
}

START_TEST(a_way_of_any_length_goes_from_its_start_to_its_end_in_even_steps_and_keeps_to_its_room)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 8, 1);
	for (int i = 0; i < CAIRN_ROUNDS(400); i++)
		check_any_way(&rng);
}
END_TEST

CAIRN_TEST_MAIN("eval-trail", a_straight_way_has_its_points_where_they_are_by_hand,
    a_way_of_any_length_goes_from_its_start_to_its_end_in_even_steps_and_keeps_to_its_room)
