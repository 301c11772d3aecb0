#include "common/map/edt.h"

#include <math.h>
#include <time.h>

#include "common/base/rng.h"
#include "test/support/runner.h"

START_TEST(distances_of_one_cell_are_straight_lines)
{
	uint8_t cells[5 * 4] = {0};
	float d[5 * 4];
	cells[1 * 5 + 2] = 1;
	struct cairn_edt edt = {0};
	ck_assert_int_eq(cairn_edt_reserve(&edt, 5), 0);
	cairn_edt_compute(&edt, cells, 5, 1, 5, 4, d, 5);
	ck_assert_float_eq(d[1 * 5 + 2], 0.0f);
	ck_assert_float_eq_tol(d[0], sqrtf(5.0f), 1e-6f);
	ck_assert_float_eq_tol(d[3 * 5 + 4], sqrtf(8.0f), 1e-6f);
	ck_assert_float_eq_tol(d[3 * 5 + 2], 2.0f, 1e-6f);
	cairn_edt_free(&edt);
}
END_TEST

START_TEST(an_empty_grid_is_far_everywhere)
{
	uint8_t cells[7 * 3] = {0};
	float d[7 * 3];
	struct cairn_edt edt = {0};
	ck_assert_int_eq(cairn_edt_reserve(&edt, 7), 0);
	cairn_edt_compute(&edt, cells, 7, 1, 7, 3, d, 7);
	for (int i = 0; i < 21; i++)
		ck_assert_float_ge(d[i], CAIRN_EDT_FAR);
	cairn_edt_free(&edt);
}
END_TEST

START_TEST(random_grids_agree_with_brute_force)
{
	enum { W = 37, H = 29, STRIDE = 41 };
	static uint8_t cells[H * STRIDE];
	static float d[H * STRIDE];
	struct cairn_edt edt = {0};
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 7, 1);
	ck_assert_int_eq(cairn_edt_reserve(&edt, W), 0);
	for (int round = 0; round < CAIRN_ROUNDS(40); round++) {
		static const double shares[] = {0.003, 0.05, 0.6};
		double share = shares[round % 3];
		for (int i = 0; i < H * STRIDE; i++)
			cells[i] = cairn_rng_uniform(&rng) < share ? 2 : 1; /* bit 0 is not in the mask */
		cairn_edt_compute(&edt, cells, STRIDE, 2, W, H, d, STRIDE);
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++) {
				int best = 1 << 30;
				for (int v = 0; v < H; v++)
					for (int u = 0; u < W; u++)
						if (cells[v * STRIDE + u] == 2) {
							int s = (x - u) * (x - u) + (y - v) * (y - v);
							best = s < best ? s : best;
						}
				if (best == 1 << 30)
					ck_assert_float_ge(d[y * STRIDE + x], CAIRN_EDT_FAR);
				else
					ck_assert_float_eq(d[y * STRIDE + x], sqrtf((float)best));
			}
	}
	cairn_edt_free(&edt);
}
END_TEST

START_TEST(an_update_after_a_change_gives_what_a_new_start_would)
{
	enum { W = 300, H = 70 }; /* wide enough that a part of a row is worth while */
	static uint8_t cells[H * W];
	static float column[H * W], dist[H * W], scratch[H * W], want[H * W], row_max[H];
	static bool row_changed[H];
	struct cairn_edt edt = {0};
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 8, 1);
	ck_assert_int_eq(cairn_edt_reserve(&edt, W), 0);
	const struct cairn_edt_grid grid = {cells, 1, W, H, column, row_max, dist, scratch, row_changed};
	ck_assert_int_eq(cairn_edt_update(&edt, &grid, 0, W, true), H);
	int fewer = 0;
	for (int round = 0; round < CAIRN_ROUNDS(120); round++) {
		int x0 = (int)(cairn_rng_u32(&rng) % (W - 10)), y0 = (int)(cairn_rng_u32(&rng) % (H - 10));
		for (int y = y0; y < y0 + 8; y++)
			for (int x = x0; x < x0 + 9; x++)
				cells[y * W + x] = cairn_rng_uniform(&rng) < (round % 3 == 0 ? 0.0 : 0.2);
		int rows = cairn_edt_update(&edt, &grid, x0, x0 + 9, false);
		fewer += rows < H;
		cairn_edt_compute(&edt, cells, W, 1, W, H, want, W);
		for (int i = 0; i < W * H; i++)
			ck_assert_float_eq(dist[i], want[i]);
	}
	ck_assert_int_gt(fewer, CAIRN_ROUNDS(120) / 3);
	cairn_edt_free(&edt);
}
END_TEST

START_TEST(lowering_gives_the_lesser_of_two_distances)
{
	enum { W = 120, H = 40 };
	static uint8_t cells[H * W];
	static float dist[H * W], other[H * W], scratch[H * W], want[H * W];
	struct cairn_edt edt = {0};
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 9, 1);
	ck_assert_int_eq(cairn_edt_reserve(&edt, W), 0);
	for (int round = 0; round < CAIRN_ROUNDS(120); round++) {
		const double walls[4] = {0.0, 0.0005, 0.003, 0.1}, points[3] = {0.0005, 0.01, 0.3};
		for (int i = 0; i < W * H; i++)
			cells[i] = (uint8_t)((cairn_rng_uniform(&rng) < walls[round % 4] ? 1 : 0) |
					     (cairn_rng_uniform(&rng) < points[round % 3] ? 2 : 0));
		cairn_edt_compute(&edt, cells, W, 1, W, H, dist, W);
		cairn_edt_compute(&edt, cells, W, 2, W, H, other, W);
		for (int i = 0; i < W * H; i++)
			want[i] = other[i] < dist[i] ? other[i] : dist[i];
		cairn_edt_lower(&edt, cells, W, 2, W, H, scratch, dist, W);
		for (int i = 0; i < W * H; i++)
			ck_assert_float_eq(dist[i], want[i]);
	}
	cairn_edt_free(&edt);
}
END_TEST

START_TEST(what_is_farther_than_a_row_is_wide_is_lowered_right)
{
	enum { W = 20, H = 200 };
	static uint8_t cells[H * W];
	static float column[H * W], dist[H * W], scratch[H * W], want[H * W], row_max[H];
	static bool row_changed[H];
	struct cairn_edt edt = {0};
	ck_assert_int_eq(cairn_edt_reserve(&edt, W), 0);
	const struct cairn_edt_grid grid = {cells, 1, W, H, column, row_max, dist, scratch, row_changed};
	cells[(H - 1) * W + 3] = 1;
	cairn_edt_update(&edt, &grid, 0, W, true);
	for (int y = H - 25; y > 0; y -= 25) { /* nearer and nearer */
		cells[y * W + 10] = 1;
		cairn_edt_update(&edt, &grid, 10, 11, false);
		cairn_edt_compute(&edt, cells, W, 1, W, H, want, W);
		for (int i = 0; i < W * H; i++)
			ck_assert_float_eq(dist[i], want[i]);
	}
	for (int i = 0; i < W * H; i++)
		dist[i] = CAIRN_EDT_FAR;
	cairn_edt_lower(&edt, cells, W, 1, W, H, scratch, dist, W);
	for (int i = 0; i < W * H; i++)
		ck_assert_float_eq(dist[i], want[i]);
	cairn_edt_free(&edt);
}
END_TEST

CAIRN_TEST_MAIN("edt", an_update_after_a_change_gives_what_a_new_start_would,
    distances_of_one_cell_are_straight_lines, an_empty_grid_is_far_everywhere,
    random_grids_agree_with_brute_force, lowering_gives_the_lesser_of_two_distances,
    what_is_farther_than_a_row_is_wide_is_lowered_right)
