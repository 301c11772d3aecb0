/* Where marks and their names stand on a drawn map. */
#include "common/map/mark_places.h"

#include <math.h>

#include "common/base/rng.h"
#include "test/support/runner.h"

#define ROUNDS 200

static struct cairn_mark_places t;

/* Marks are bars with round ends: discs where they are as wide as high. */
static void none_may_cover_another(void)
{
	for (int i = 0; i < t.count; i++)
		for (int k = 0; k < i; k++) {
			double straight = t.half_px[i] + t.half_px[k] - 2.0 * CAIRN_MARK_HALF_PX;
			double dx = fmax(fabs(t.x[i] - t.x[k]) - straight, 0.0), dy = fabs(t.y[i] - t.y[k]);
			ck_assert_msg(hypot(dx, dy) >= 2.0 * CAIRN_MARK_HALF_PX,
			    "%d at (%.0f, %.0f) and %d at (%.0f, %.0f)", i, t.x[i], t.y[i], k, t.x[k],
			    t.y[k]);
		}
}

START_TEST(a_mark_stands_where_it_belongs_while_that_is_free)
{
	double x = 100.0, y = 50.0;
	t.count = 0;
	cairn_mark_places_find(&t, 60.0, &x, &y);
	ck_assert(x == 100.0 && y == 50.0);
	x = 100.0;
	y = 50.0 + 2.0 * CAIRN_MARK_HALF_PX + 4.0; /* below it there is room */
	cairn_mark_places_find(&t, 60.0, &x, &y);
	ck_assert(x == 100.0 && y == 76.0);
	ck_assert_int_eq(t.count, 2);
}
END_TEST

START_TEST(long_names_at_one_place_stand_apart)
{
	t.count = 0;
	cairn_mark_places_take(&t, CAIRN_MARK_HALF_PX, 200.0, 200.0); /* the robot */
	for (int i = 0; i < 6; i++) {
		double x = 200.0, y = 200.0;
		cairn_mark_places_find(&t, 50.0, &x, &y);
		ck_assert_double_le(hypot(x - 200.0, y - 200.0), 101.0);
	}
	none_may_cover_another();
}
END_TEST

START_TEST(marks_of_all_sizes_that_lie_about_cover_none)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 7, 1);
	for (int round = 0; round < ROUNDS; round++) {
		t.count = 0;
		for (int i = 0; i < 12; i++) {
			double x = cairn_rng_u32(&rng) * 0x1p-32 * 500.0,
			       y = cairn_rng_u32(&rng) * 0x1p-32 * 500.0;
			double half = CAIRN_MARK_HALF_PX + cairn_rng_u32(&rng) * 0x1p-32 * 50.0;
			cairn_mark_places_find(&t, half, &x, &y);
		}
		none_may_cover_another();
	}
}
END_TEST

START_TEST(more_marks_than_there_is_room_for_overlap_and_are_all_told_a_place)
{
	t.count = 0;
	for (int i = 0; i < CAIRN_MARK_PLACES + 10; i++) {
		double x = 10.0, y = 10.0;
		cairn_mark_places_find(&t, CAIRN_MARK_HALF_PX, &x, &y);
		ck_assert_double_le(hypot(x - 10.0, y - 10.0), 101.0);
	}
	ck_assert_int_eq(t.count, CAIRN_MARK_PLACES);
}
END_TEST

CAIRN_TEST_MAIN("mark places", a_mark_stands_where_it_belongs_while_that_is_free,
    long_names_at_one_place_stand_apart, marks_of_all_sizes_that_lie_about_cover_none,
    more_marks_than_there_is_room_for_overlap_and_are_all_told_a_place)
