#include "test/support/runner.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/rng.h"
#include "common/map/wavefront.h"

static struct cairn_wavefront wave;

static void fill(int32_t w, int32_t h, uint8_t cell)
{
	ck_assert(cairn_wavefront_resize(&wave, w, h));
	memset(wave.cell, cell, (size_t)w * (size_t)h);
}

static void put(int32_t x, int32_t y, uint8_t cell)
{
	wave.cell[y * wave.width + x] = cell;
}

static void scatter(struct cairn_rng *rng, double share)
{
	for (int32_t i = 0; i < wave.width * wave.height; i++)
		wave.cell[i] =
		    cairn_rng_uniform(rng) < share ? CAIRN_WAVEFRONT_OCCUPIED : CAIRN_WAVEFRONT_FREE;
}

START_TEST(clearance_is_the_exact_distance_up_to_its_bound)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 1, 1);
	fill(70, 50, CAIRN_WAVEFRONT_FREE);
	scatter(&rng, 0.01);
	cairn_wavefront_clearances(&wave, 6);
	for (int32_t y = 0; y < 50; y++) {
		for (int32_t x = 0; x < 70; x++) {
			int best = 37;
			for (int32_t v = 0; v < 50; v++)
				for (int32_t u = 0; u < 70; u++)
					if (wave.cell[v * 70 + u] == CAIRN_WAVEFRONT_OCCUPIED &&
					    (u - x) * (u - x) + (v - y) * (v - y) < best)
						best = (u - x) * (u - x) + (v - y) * (v - y);
			int got = wave.clearance2[y * 70 + x];
			ck_assert(best == 37 ? got >= 37 : got == best);
		}
	}
}
END_TEST

START_TEST(distance_in_the_open_is_octile)
{
	fill(101, 101, CAIRN_WAVEFRONT_FREE);
	cairn_wavefront_clearances(&wave, 6);
	cairn_wavefront_spread(&wave, 50, 50, 2, 0);
	ck_assert_uint_eq(cairn_wavefront_distance(&wave, 50, 50), 0);
	ck_assert_uint_eq(cairn_wavefront_distance(&wave, 60, 50), 50); /* 10 steps of 5 */
	ck_assert_uint_eq(cairn_wavefront_distance(&wave, 60, 57), 64); /* 7 of 7 and 3 of 5 */
	cairn_wavefront_spread(&wave, 50, 50, 9, 0);
	ck_assert_uint_eq(cairn_wavefront_distance(&wave, 60, 50), 50);
	ck_assert_uint_eq(cairn_wavefront_distance(&wave, 90, 20), 30 * 7 + 10 * 5);
}
END_TEST

/* Distance by repeated relaxation, with the same rules. */
START_TEST(distance_around_obstacles_is_the_shortest)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 2, 1);
	for (int round = 0; round < 5; round++) {
		const int32_t w = 40, h = 30;
		fill(w, h, CAIRN_WAVEFRONT_FREE);
		scatter(&rng, 0.08);
		for (int k = 0; k < 9; k++)
			put(19 + k % 3, 14 + k / 3, CAIRN_WAVEFRONT_FREE);
		cairn_wavefront_clearances(&wave, 3);
		cairn_wavefront_spread(&wave, 20, 15, 2, 0);
		uint32_t best[40 * 30];
		memset(best, 0xFF, sizeof(best));
		best[15 * w + 20] = 0;
		for (bool changed = true; changed;) {
			changed = false;
			for (int32_t y = 1; y < h - 1; y++) {
				for (int32_t x = 1; x < w - 1; x++) {
					int32_t i = y * w + x;
					if ((wave.cell[i] != CAIRN_WAVEFRONT_FREE ||
						wave.clearance2[i] < 2) &&
					    best[i] != 0)
						continue;
					for (int k = 0; k < 9; k++) {
						int32_t dx = k % 3 - 1, dy = k / 3 - 1, n = i + dy * w + dx;
						uint32_t step = dx != 0 && dy != 0 ? 7 : 5;
						if (best[n] == CAIRN_WAVEFRONT_NEVER ||
						    best[n] + step >= best[i])
							continue;
						best[i] = best[n] + step;
						changed = true;
					}
				}
			}
		}
		for (int32_t y = 1; y < h - 1; y++)
			for (int32_t x = 1; x < w - 1; x++)
				ck_assert_uint_eq(cairn_wavefront_distance(&wave, x, y), best[y * w + x]);
	}
}
END_TEST

enum { ROOMS_W = 160, ROOMS_H = 131, ROOMS = ROOMS_W * ROOMS_H };

/* Open fields with few obstacles, where runs are long; walls with one door each. */
static void build_rooms(struct cairn_rng *rng, int round, bool halve)
{
	fill(ROOMS_W - round % 2, ROOMS_H - round / 2 % 2, CAIRN_WAVEFRONT_FREE);
	cairn_wavefront_halve(&wave, halve);
	scatter(rng, round % 3 == 0 ? 0.0005 : round % 3 == 1 ? 0.004 : 0.02);
	for (int k = 0; k < round % 4; k++) {
		int32_t at = 20 + (int32_t)(cairn_rng_u32(rng) % 110U),
			door = (int32_t)(cairn_rng_u32(rng) % 110U);
		for (int32_t y = 0; y < wave.height; y++)
			if (y < door || y > door + 9)
				put(at, y, CAIRN_WAVEFRONT_OCCUPIED);
	}
	for (int k = 0; k < 49; k++)
		put(77 + k % 7, 62 + k / 7, CAIRN_WAVEFRONT_FREE);
	cairn_wavefront_clearances(&wave, 3);
}

/* From (80, 65) by Dijkstra's rule over all eight neighbours, plainly. */
static void shortest(int need2, uint32_t best[ROOMS])
{
	const int32_t w = wave.width, cells = w * wave.height;
	for (int32_t i = 0; i < cells; i++)
		best[i] = CAIRN_WAVEFRONT_NEVER;
	best[65 * w + 80] = wave.clearance2[65 * w + 80] >= need2 ? 0 : CAIRN_WAVEFRONT_NEVER;
	for (bool changed = true; changed;) {
		changed = false;
		for (int32_t i = w + 1; i < cells - w - 1; i++) {
			if (i % w == 0 || i % w == w - 1 || wave.cell[i] != CAIRN_WAVEFRONT_FREE ||
			    wave.clearance2[i] < need2)
				continue;
			for (int k = 0; k < 9; k++) {
				int32_t n = i + (k / 3 - 1) * w + k % 3 - 1;
				uint32_t step = k % 2 == 0 ? 7 : 5;
				if (best[n] != CAIRN_WAVEFRONT_NEVER && best[n] + step < best[i]) {
					best[i] = best[n] + step;
					changed = true;
				}
			}
		}
	}
}

START_TEST(distance_in_wide_rooms_is_the_shortest)
{
	static uint32_t best[ROOMS];
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 9, 1);
	for (int round = 0; round < 24; round++) {
		build_rooms(&rng, round, false);
		int need2 = round % 2 == 0 ? 2 : 5;
		cairn_wavefront_spread(&wave, 80, 65, need2, 0);
		shortest(need2, best);
		for (int32_t i = 0; i < wave.width * wave.height; i++)
			ck_assert_uint_eq(
			    cairn_wavefront_distance(&wave, i % wave.width, i / wave.width), best[i]);
	}
}
END_TEST

START_TEST(over_blocks_the_same_cells_are_reached_by_nearly_the_same_ways)
{
	static uint32_t best[ROOMS];
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 10, 1);
	for (int round = 0; round < 48; round++) {
		build_rooms(&rng, round, true);
		int need2 = round % 3 == 0 ? 2 : round % 3 == 1 ? 5 : 9;
		cairn_wavefront_spread(&wave, 80, 65, need2, 0);
		shortest(need2, best);
		for (int32_t i = 0; i < wave.width * wave.height; i++) {
			uint32_t got = cairn_wavefront_distance(&wave, i % wave.width, i / wave.width);
			ck_assert_int_eq(got == CAIRN_WAVEFRONT_NEVER, best[i] == CAIRN_WAVEFRONT_NEVER);
			if (got == CAIRN_WAVEFRONT_NEVER)
				continue;
			double off = fabs((double)got - (double)best[i]);
			ck_assert_double_le(off, 0.03 * best[i] + 4 * CAIRN_WAVEFRONT_STEP);
		}
	}
}
END_TEST

/* Thickets of single cells, where chains of blocks are easily taken for ways. */
START_TEST(over_blocks_no_way_is_lost_and_none_made_up_in_a_thicket)
{
	static uint32_t best[ROOMS];
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 11, 1);
	uint32_t reached = 0, shut = 0;
	for (int round = 0; round < 40; round++) {
		fill(ROOMS_W - round % 2, ROOMS_H - round / 2 % 2, CAIRN_WAVEFRONT_FREE);
		cairn_wavefront_halve(&wave, true);
		scatter(&rng, 0.45 + 0.005 * round);
		put(80, 65, CAIRN_WAVEFRONT_FREE);
		cairn_wavefront_clearances(&wave, 3);
		cairn_wavefront_spread(&wave, 80, 65, 1, 0);
		shortest(1, best);
		for (int32_t i = 0; i < wave.width * wave.height; i++) {
			bool got = cairn_wavefront_distance(&wave, i % wave.width, i / wave.width) !=
				   CAIRN_WAVEFRONT_NEVER;
			ck_assert_int_eq(got, best[i] != CAIRN_WAVEFRONT_NEVER);
			reached += got;
			shut += !got && wave.cell[i] == CAIRN_WAVEFRONT_FREE;
		}
	}
	ck_assert_uint_gt(reached, 1000); /* else nothing was tried */
	ck_assert_uint_gt(shut, 1000);
}
END_TEST

/* One long way, back and forth: its cells and their distances along it. */
static int32_t lay_serpentine(int32_t w, int32_t h, int32_t *ret_cell, uint32_t *ret_way)
{
	int32_t count = 0;
	fill(w, h, CAIRN_WAVEFRONT_OCCUPIED);
	for (int32_t y = 1; y < h - 1; y++) {
		bool back = y % 4 == 3;
		for (int32_t x = 1; x < w - 1; x++) {
			int32_t at = back ? w - 1 - x : x;
			if (y % 2 == 1 || at == (y % 4 == 2 ? w - 2 : 1))
				ret_cell[count++] = y * w + at;
		}
	}
	for (int32_t i = 0; i < count; i++) {
		put(ret_cell[i] % w, ret_cell[i] / w, CAIRN_WAVEFRONT_FREE);
		ret_way[i] = i == 0 ? 0 : CAIRN_WAVEFRONT_NEVER;
		for (int32_t k = i > 2 ? i - 2 : 0; k < i; k++) {
			int32_t dx = abs(ret_cell[i] % w - ret_cell[k] % w),
				dy = abs(ret_cell[i] / w - ret_cell[k] / w);
			uint32_t step = dx > 0 && dy > 0 ? 7 : 5;
			if (dx <= 1 && dy <= 1 && ret_way[k] + step < ret_way[i])
				ret_way[i] = ret_way[k] + step;
		}
	}
	return count;
}

START_TEST(a_way_too_long_to_be_told_counts_as_none)
{
	enum { W = 300, H = 103 };
	static int32_t cell[W * H];
	static uint32_t way[W * H];
	int32_t count = lay_serpentine(W, H, cell, way), told = 0;
	cairn_wavefront_clearances(&wave, 3);
	cairn_wavefront_spread(&wave, 1, 1, 1, 0);
	for (int32_t i = 0; i < count; i++) {
		uint32_t expected = way[i] < CAIRN_WAVEFRONT_FAR ? way[i] : CAIRN_WAVEFRONT_NEVER;
		ck_assert_uint_eq(cairn_wavefront_distance(&wave, cell[i] % W, cell[i] / W), expected);
		told += expected != CAIRN_WAVEFRONT_NEVER;
	}
	ck_assert_int_gt(told, 13000);
	ck_assert_int_lt(told, count);
}
END_TEST

/* A wave that is told of changes, and one that looks at everything each time. */
START_TEST(ways_after_a_change_are_those_of_the_whole)
{
	static uint32_t kept[ROOMS];
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 12, 1);
	for (int round = 0; round < 80; round++) {
		if (round % 20 == 0)
			build_rooms(&rng, round / 20, round / 20 % 2 == 1);
		wave.told = true;
		int32_t x0 = (int32_t)(cairn_rng_u32(&rng) % (uint32_t)wave.width),
			y0 = (int32_t)(cairn_rng_u32(&rng) % (uint32_t)wave.height);
		for (int k = 0; k < 12; k++)
			put((x0 + k % 4) % wave.width, (y0 + k / 4) % wave.height,
			    k % 3 == 0 ? CAIRN_WAVEFRONT_OCCUPIED : CAIRN_WAVEFRONT_FREE);
		bool over = x0 + 3 >= wave.width || y0 + 2 >= wave.height;
		struct cairn_wavefront_box box = {x0, y0, x0 + 3, y0 + 2},
					   all = {0, 0, wave.width - 1, wave.height - 1};
		cairn_wavefront_clearances_in(&wave, 3, over ? all : box);
		cairn_wavefront_spread(&wave, 80, 65, 2, 3);
		for (int32_t i = 0; i < wave.width * wave.height; i++)
			kept[i] = cairn_wavefront_distance(&wave, i % wave.width, i / wave.width);
		wave.told = false;
		cairn_wavefront_spread(&wave, 80, 65, 2, 3);
		for (int32_t i = 0; i < wave.width * wave.height; i++)
			ck_assert_uint_eq(
			    cairn_wavefront_distance(&wave, i % wave.width, i / wave.width), kept[i]);
	}
}
END_TEST

START_TEST(clearances_after_a_change_are_those_of_the_whole)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 1);
	fill(90, 70, CAIRN_WAVEFRONT_FREE);
	scatter(&rng, 0.01);
	cairn_wavefront_clearances(&wave, 6);
	static int16_t parts[90 * 70];
	for (int round = 0; round < 60; round++) {
		struct cairn_wavefront_box box = {
		    (int32_t)(cairn_rng_u32(&rng) % 90U), (int32_t)(cairn_rng_u32(&rng) % 70U), 0, 0};
		box.x1 = box.x0 + (int32_t)(cairn_rng_u32(&rng) % (uint32_t)(90 - box.x0));
		box.y1 = box.y0 + (int32_t)(cairn_rng_u32(&rng) % (uint32_t)(70 - box.y0));
		for (int k = 0; k < 8; k++)
			put(box.x0 + (int32_t)(cairn_rng_u32(&rng) % (uint32_t)(box.x1 - box.x0 + 1)),
			    box.y0 + (int32_t)(cairn_rng_u32(&rng) % (uint32_t)(box.y1 - box.y0 + 1)),
			    cairn_rng_uniform(&rng) < 0.5 ? CAIRN_WAVEFRONT_OCCUPIED : CAIRN_WAVEFRONT_FREE);
		cairn_wavefront_clearances_in(&wave, 6, box);
		memcpy(parts, wave.clearance2, sizeof(parts));
		cairn_wavefront_clearances(&wave, 6);
		ck_assert_mem_eq(parts, wave.clearance2, sizeof(parts));
	}
}
END_TEST

START_TEST(no_wall_is_crossed_however_it_lies_and_wherever_the_robot_stands)
{
	for (int turn = 0; turn < 72; turn++) { /* the second half over blocks */
		double a = turn * M_PI / 36.0;
		fill(120, 120, CAIRN_WAVEFRONT_FREE);
		cairn_wavefront_halve(&wave, turn >= 36);
		for (double t = -100.0; t < 100.0; t += 0.25) { /* one cell thick */
			int32_t x = (int32_t)lround(60.0 + t * cos(a)),
				y = (int32_t)lround(60.0 + t * sin(a));
			if (x >= 0 && y >= 0 && x < 120 && y < 120)
				put(x, y, CAIRN_WAVEFRONT_OCCUPIED);
		}
		cairn_wavefront_clearances(&wave, 6);
		for (int off = 2; off <= 8; off++) { /* near enough for the room to escape to lie across it */
			int32_t sx = (int32_t)lround(60.0 - off * sin(a)),
				sy = (int32_t)lround(60.0 + off * cos(a));
			cairn_wavefront_spread(&wave, sx, sy, 8, 6);
			int32_t ax = (int32_t)lround(60.0 - 20.0 * sin(a)),
				ay = (int32_t)lround(60.0 + 20.0 * cos(a));
			int32_t bx = (int32_t)lround(60.0 + 20.0 * sin(a)),
				by = (int32_t)lround(60.0 - 20.0 * cos(a));
			ck_assert_uint_ne(cairn_wavefront_distance(&wave, ax, ay), CAIRN_WAVEFRONT_NEVER);
			ck_assert_uint_eq(cairn_wavefront_distance(&wave, bx, by), CAIRN_WAVEFRONT_NEVER);
		}
	}
}
END_TEST

START_TEST(a_gap_is_passed_only_with_room_for_the_robot)
{
	for (int round = 0; round < 4 * 9; round++) { /* over cells and over blocks, wherever these begin */
		int gap = 1 + round / 4, from = 30 + round / 2 % 2;
		fill(60, 60, CAIRN_WAVEFRONT_FREE);
		cairn_wavefront_halve(&wave, round % 2 == 1);
		for (int32_t y = 0; y < 60; y++)
			if (y < from || y >= from + gap)
				put(30, y, CAIRN_WAVEFRONT_OCCUPIED);
		cairn_wavefront_clearances(&wave, 6);
		cairn_wavefront_spread(&wave, 10, 10, 8, 6); /* 2.83 cells: 5 free cells and more */
		ck_assert_int_eq(cairn_wavefront_distance(&wave, 50, 50) != CAIRN_WAVEFRONT_NEVER, gap >= 5);
	}
}
END_TEST

START_TEST(a_robot_too_near_to_a_wall_can_leave)
{
	fill(60, 60, CAIRN_WAVEFRONT_FREE);
	for (int32_t y = 0; y < 60; y++)
		put(30, y, CAIRN_WAVEFRONT_OCCUPIED);
	cairn_wavefront_clearances(&wave, 6);
	for (int32_t x = 27; x < 30; x++) {
		cairn_wavefront_spread(&wave, x, 30, 9, 6);
		ck_assert_uint_ne(cairn_wavefront_distance(&wave, 10, 30), CAIRN_WAVEFRONT_NEVER);
	}
	cairn_wavefront_spread(&wave, 29, 30, 9, 0);
	ck_assert_uint_eq(cairn_wavefront_distance(&wave, 26, 30), CAIRN_WAVEFRONT_NEVER);
}
END_TEST

START_TEST(unknown_is_no_floor_and_a_start_outside_reaches_nothing)
{
	fill(60, 60, CAIRN_WAVEFRONT_FREE);
	for (int32_t y = 0; y < 60; y++)
		put(30, y, CAIRN_WAVEFRONT_UNKNOWN), put(31, y, CAIRN_WAVEFRONT_UNKNOWN),
		    put(32, y, CAIRN_WAVEFRONT_UNSURE);
	cairn_wavefront_clearances(&wave, 6);
	cairn_wavefront_spread(&wave, 10, 10, 2, 2);
	ck_assert_uint_eq(cairn_wavefront_distance(&wave, 30, 30), CAIRN_WAVEFRONT_NEVER);
	ck_assert_uint_eq(cairn_wavefront_distance(&wave, 50, 30), CAIRN_WAVEFRONT_NEVER);
	cairn_wavefront_spread(&wave, -5, 10, 2, 2);
	ck_assert_uint_eq(cairn_wavefront_distance(&wave, 10, 10), CAIRN_WAVEFRONT_NEVER);
	cairn_wavefront_spread(&wave, 10, 400, 8, 2);
	ck_assert_uint_eq(cairn_wavefront_distance(&wave, 10, 10), CAIRN_WAVEFRONT_NEVER);
}
END_TEST

CAIRN_TEST_MAIN("map_wave", clearance_is_the_exact_distance_up_to_its_bound, distance_in_the_open_is_octile,
    distance_around_obstacles_is_the_shortest, distance_in_wide_rooms_is_the_shortest,
    over_blocks_the_same_cells_are_reached_by_nearly_the_same_ways,
    over_blocks_no_way_is_lost_and_none_made_up_in_a_thicket, a_way_too_long_to_be_told_counts_as_none,
    ways_after_a_change_are_those_of_the_whole, clearances_after_a_change_are_those_of_the_whole,
    no_wall_is_crossed_however_it_lies_and_wherever_the_robot_stands,
    a_gap_is_passed_only_with_room_for_the_robot, a_robot_too_near_to_a_wall_can_leave,
    unknown_is_no_floor_and_a_start_outside_reaches_nothing)
