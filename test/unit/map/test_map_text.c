#include "test/support/runner.h"

#include "common/base/rng.h"
#include "common/map/rle.h"

#define W 120
#define H 90

static uint8_t cells[W * H];
static char text[65536];

static struct cairn_rle_map map_of(double cell_m)
{
	return (struct cairn_rle_map){.cells = cells,
	    .width = W,
	    .height = H,
	    .stride_bytes = W,
	    .cell_m = cell_m,
	    .origin_x_m = -1.0,
	    .origin_y_m = -2.0};
}

static void put(int x, int y, uint8_t value)
{
	cells[y * W + x] = value;
}

/* Two rows by three columns: x up the page, y to the left. */
START_TEST(the_text_is_the_one_worked_out_by_hand)
{
	memset(cells, 255, sizeof(cells));
	struct cairn_rle_map map = map_of(0.5);
	put(10, 20, 0), put(10, 21, 0), put(10, 22, 100); /* the lower row: wall on its left */
	put(11, 20, 100), put(11, 21, 0);                 /* the upper one: unknown on its left */
	ck_assert_uint_gt(cairn_rle_write(&map, 1000, text, sizeof(text)), 0);
	ck_assert_str_eq(text,
	    "map 0.5 m/cell, 3 x 2, top left x 5 y 9.5; x up, y left; # wall, . free, ? unknown\n"
	    "?.#\n"
	    "#2.\n");
	put(12, 20, 100), put(12, 21, 0); /* a third row like the second */
	struct cairn_pose2 robot = {4.2, 8.1, 0.0};
	map.robot = &robot;
	ck_assert_uint_gt(cairn_rle_write(&map, 1000, text, sizeof(text)), 0);
	ck_assert_str_eq(strchr(text, '\n') + 1, "?.#\n=\n#.R\n");
}
END_TEST

START_TEST(what_is_written_can_be_read_back)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 6, 1);
	for (int round = 0; round < 40; round++) {
		memset(cells, 255, sizeof(cells));
		for (int k = 0; k < 12; k++) {
			int x0 = (int)(cairn_rng_u32(&rng) % W), y0 = (int)(cairn_rng_u32(&rng) % H);
			uint8_t value = k % 3 == 0 ? 100 : k % 3 == 1 ? 0 : 255;
			for (int y = y0; y < H && y < y0 + 25; y++)
				for (int x = x0; x < W && x < x0 + 30; x++)
					put(x, y, value);
		}
		put(60, 45, 0);
		struct cairn_rle_map map = map_of(0.05);
		struct cairn_rle_read read;
		struct cairn_error err = {""};
		ck_assert_uint_gt(cairn_rle_write(&map, 30000, text, sizeof(text)), 0);
		ck_assert_msg(cairn_rle_read(text, &read, &err), "%s", err.text);
		ck_assert_double_eq(read.cell_m, 0.05);
		int x1 = (int)lround((read.top_x_m + 1.0) / 0.05) - 1,
		    y1 = (int)lround((read.left_y_m + 2.0) / 0.05) - 1;
		for (uint32_t row = 0; row < read.rows; row++)
			for (uint32_t c = 0; c < read.columns; c++) {
				uint8_t cell = cells[(y1 - (int)c) * W + x1 - (int)row];
				ck_assert_int_eq(read.squares[row * read.columns + c], cell > 100    ? '?'
										       : cell == 100 ? '#'
												     : '.');
			}
		free(read.squares);
	}
}
END_TEST

START_TEST(the_text_keeps_to_its_budget_and_no_wall_gets_a_hole)
{
	memset(cells, 0, sizeof(cells));
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 7, 1);
	for (int y = 0; y < H; y++)
		put(61, y, 100); /* one cell thick */
	for (int i = 0; i < 300; i++)
		put((int)(cairn_rng_u32(&rng) % W), (int)(cairn_rng_u32(&rng) % H), 100);
	struct cairn_rle_map map = map_of(0.05);
	double last_m = 0.0;
	for (uint32_t tokens = 2000; tokens >= 60; tokens = tokens * 2 / 3) {
		struct cairn_rle_read read;
		size_t n = cairn_rle_write(&map, tokens, text, sizeof(text));
		ck_assert_uint_gt(n, 0);
		ck_assert_uint_eq(n, strlen(text));
		ck_assert_uint_le(n, (size_t)(tokens * CAIRN_RLE_BYTES_PER_TOKEN));
		ck_assert(cairn_rle_read(text, &read, NULL));
		ck_assert_double_ge(read.cell_m, last_m); /* the smaller the coarser */
		last_m = read.cell_m;
		uint32_t row = (uint32_t)((read.top_x_m - (-1.0 + 61.5 * 0.05)) / read.cell_m);
		for (uint32_t c = 0; c < read.columns; c++)
			ck_assert_int_eq(read.squares[row * read.columns + c], '#');
		free(read.squares);
	}
	ck_assert_double_gt(last_m, 0.3);
	ck_assert_uint_eq(
	    cairn_rle_write(&map, 10, text, sizeof(text)), 0); /* not even its first line fits */
	memset(cells, 255, sizeof(cells));
	ck_assert_uint_eq(cairn_rle_write(&map, 1000, text, sizeof(text)), 0); /* nothing is known */
}
END_TEST

START_TEST(a_broken_text_is_refused_and_harms_nothing)
{
	static const char *const broken[] = {"", "map",
	    "map 0.5 m/cell, 3 x 2, top left x 5 y 9\n3.\n", /* no ';' */
	    "map 0.5 m/cell, 3 x 2, top left x 5 y 9;\n4.\n3.\n",
	    "map 0.5 m/cell, 3 x 2, top left x 5 y 9;\n2.\n3.\n",
	    "map 0.5 m/cell, 3 x 2, top left x 5 y 9;\n3.\n=9\n",
	    "map 0.5 m/cell, 3 x 2, top left x 5 y 9;\n=\n3.\n",
	    "map 0.5 m/cell, 3 x 2, top left x 5 y 9;\n3.\n3x\n",
	    "map 0.5 m/cell, 3 x 2, top left x 5 y 9;\n3.\n3.\n3.\n",
	    "map 0.5 m/cell, 99999999 x 99999999, top left x 5 y 9;\n3.\n",
	    "map 0.5 m/cell, 3 x 2, top left x 5 y 9;\n0.3.\n3.\n",
	    "map -1 m/cell, 3 x 2, top left x 5 y 9;\n3.\n3.\n",
	    "map 0.5 m/cell, 3 x 2, top left x 5 y 9;\n99999999999999999999.\n"};
	struct cairn_rle_read read = {0};
	struct cairn_error err = {""};
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
		ck_assert_msg(!cairn_rle_read(broken[i], &read, &err), "%s", broken[i]);
	ck_assert_ptr_null(read.squares);
	ck_assert(cairn_rle_read("map 0.5 m/cell, 3 x 2, top left x 5 y 9;\n3.\n=\n", &read, &err));
	free(read.squares);
}
END_TEST

CAIRN_TEST_MAIN("map_text", the_text_is_the_one_worked_out_by_hand, what_is_written_can_be_read_back,
    the_text_keeps_to_its_budget_and_no_wall_gets_a_hole, a_broken_text_is_refused_and_harms_nothing)
