#include "common/base/polygon.h"

#include "common/base/rng.h"
#include "test/support/runner.h"

static const struct cairn_vec2 ell[6] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};

START_TEST(an_ell_has_its_area_and_its_inside)
{
	ck_assert_double_eq_tol(cairn_polygon_area(ell, 6), 3.0, 1e-12);
	ck_assert(cairn_polygon_contains(ell, 6, 0.5, 1.5));
	ck_assert(!cairn_polygon_contains(ell, 6, 1.5, 1.5));
	ck_assert(!cairn_polygon_contains(ell, 6, -0.1, 0.5));
}
END_TEST

START_TEST(distances_are_to_the_outline_and_negative_inside)
{
	ck_assert_double_eq_tol(cairn_polygon_distance_m(ell, 6, 3.0, 0.5), 1.0, 1e-12);
	ck_assert_double_eq_tol(cairn_polygon_distance_m(ell, 6, 5.0, -4.0), 5.0, 1e-12); /* corner (2, 0) */
	ck_assert_double_eq_tol(cairn_polygon_distance_m(ell, 6, 1.5, 1.5), 0.5, 1e-12);  /* in the notch */
	ck_assert_double_eq_tol(cairn_polygon_distance_m(ell, 6, 0.25, 1.0), -0.25, 1e-12);
	ck_assert_double_eq_tol(cairn_polygon_distance_m(ell, 6, 0.75, 0.75), -hypot(0.25, 0.25), 1e-12);
	ck_assert_double_infinite(cairn_polygon_distance_m(ell, 0, 0.0, 0.0));
}
END_TEST

START_TEST(segments_that_touch_the_outline_cross_it)
{
	ck_assert(
	    cairn_polygon_crosses(ell, 6, (struct cairn_vec2){1.5, 0.5}, (struct cairn_vec2){1.5, 3.0}));
	ck_assert(
	    cairn_polygon_crosses(ell, 6, (struct cairn_vec2){3.0, 0.5}, (struct cairn_vec2){2.0, 0.5}));
	ck_assert(
	    cairn_polygon_crosses(ell, 6, (struct cairn_vec2){-1.0, 1.0}, (struct cairn_vec2){1.0, 3.0}));
	ck_assert(
	    cairn_polygon_crosses(ell, 6, (struct cairn_vec2){0.5, 0.0}, (struct cairn_vec2){5.0, 0.0}));
	ck_assert(
	    !cairn_polygon_crosses(ell, 6, (struct cairn_vec2){0.2, 0.2}, (struct cairn_vec2){1.8, 0.8}));
	ck_assert(
	    !cairn_polygon_crosses(ell, 6, (struct cairn_vec2){1.2, 3.0}, (struct cairn_vec2){3.0, 1.2}));
}
END_TEST

START_TEST(outlines_that_enclose_nothing_are_refused)
{
	struct cairn_vec2 bad[CAIRN_POLYGON_CORNERS_MAX + 1] = {{0, 0}, {1, 0}, {2, 0}};
	ck_assert(cairn_polygon_valid(ell, 6));
	ck_assert(!cairn_polygon_valid(ell, 2));
	ck_assert(!cairn_polygon_valid(bad, 3));
	bad[2] = (struct cairn_vec2){1, NAN};
	ck_assert(!cairn_polygon_valid(bad, 3));
	bad[2] = (struct cairn_vec2){INFINITY, 1};
	ck_assert(!cairn_polygon_valid(bad, 3));
	for (int i = 0; i <= CAIRN_POLYGON_CORNERS_MAX; i++)
		bad[i] = (struct cairn_vec2){cos(i * 0.09), sin(i * 0.09)};
	ck_assert(cairn_polygon_valid(bad, CAIRN_POLYGON_CORNERS_MAX));
	ck_assert(!cairn_polygon_valid(bad, CAIRN_POLYGON_CORNERS_MAX + 1));
}
END_TEST

enum { W = 30, H = 20 };

static void mark(void *ctx, int y, int x0, int x1)
{
	uint8_t *cells = ctx;
	ck_assert(y >= 0 && y < H && x0 >= 0 && x0 < x1 && x1 <= W);
	memset(cells + y * W + x0, 1, (size_t)(x1 - x0));
}

/* Does the polygon touch the square of a cell, by corners, centre and edges? */
static bool touches(const struct cairn_vec2 *p, size_t n, double x, double y, double cell)
{
	struct cairn_vec2 c[4] = {{x, y}, {x + cell, y}, {x + cell, y + cell}, {x, y + cell}};
	for (int i = 0; i < 4; i++)
		if (cairn_polygon_crosses(p, n, c[i], c[(i + 1) % 4]))
			return true;
	for (size_t i = 0; i < n; i++)
		if (cairn_polygon_contains(c, 4, p[i].x_m, p[i].y_m))
			return true;
	return cairn_polygon_contains(p, n, x + 0.5 * cell, y + 0.5 * cell);
}

START_TEST(the_cells_told_are_those_the_polygon_touches)
{
	const struct cairn_polygon_grid grid = {-1.0, 0.5, 0.1, W, H};
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 1);
	int inside = 0;
	for (int round = 0; round < 200; round++) {
		struct cairn_vec2 p[7];
		size_t n = 3 + cairn_rng_u32(&rng) % 5;
		uint8_t cells[W * H] = {0};
		for (size_t i = 0; i < n; i++)
			p[i] = (struct cairn_vec2){
			    4.0 * cairn_rng_uniform(&rng) - 1.5, 3.0 * cairn_rng_uniform(&rng)};
		if (!cairn_polygon_valid(p, n))
			continue;
		cairn_polygon_cells(p, n, &grid, mark, cells);
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++) {
				bool want = touches(p, n, -1.0 + 0.1 * x, 0.5 + 0.1 * y, 0.1);
				ck_assert_msg(
				    cells[y * W + x] == (want ? 1 : 0), "round %d cell %d %d", round, x, y);
				inside += want;
			}
	}
	ck_assert_int_gt(inside, 10000);
}
END_TEST

CAIRN_TEST_MAIN("polygon", an_ell_has_its_area_and_its_inside,
    distances_are_to_the_outline_and_negative_inside, segments_that_touch_the_outline_cross_it,
    outlines_that_enclose_nothing_are_refused, the_cells_told_are_those_the_polygon_touches)
