#include "common/percept/similarity.h"

#include "common/base/rng.h"
#include "test/support/runner.h"

#define W 640
#define H 480

static uint8_t picture[H][W][3];

static void fill(uint8_t r, uint8_t g, uint8_t b)
{
	for (int i = 0; i < W * H; i++) {
		uint8_t *p = &picture[0][0][0] + 3 * i;
		p[0] = r;
		p[1] = g;
		p[2] = b;
	}
}

START_TEST(grey_weights_the_colours)
{
	static const struct {
		uint8_t r, g, b, grey;
	} cases[] = {{0, 0, 0, 0}, {255, 255, 255, 255}, {255, 0, 0, 77}, {0, 255, 0, 149}, {0, 0, 255, 29},
	    {100, 50, 200, 82}};
	struct cairn_grey grey;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fill(cases[i].r, cases[i].g, cases[i].b);
		cairn_grey_from_rgb(&grey, &picture[0][0][0], W, H, W * 3);
		ck_assert_int_eq(grey.px[0][0], cases[i].grey);
		ck_assert_int_eq(grey.px[119][159], cases[i].grey);
	}
}
END_TEST

/* Block (2, 1) covers x 8..11, y 4..7: 4 of 16 pixels white gives 255 / 4 = 63.75, rounded 64. */
START_TEST(a_grey_pixel_is_the_mean_of_its_block)
{
	struct cairn_grey grey;
	fill(0, 0, 0);
	memset(picture[4][8], 255, 3);
	memset(picture[7][11], 255, 3);
	memset(picture[5][10], 255, 3);
	memset(picture[6][9], 255, 3);
	memset(picture[4][12], 255, 3); /* the neighbour's: 255 / 16 = 15.9 */
	cairn_grey_from_rgb(&grey, &picture[0][0][0], W, H, W * 3);
	ck_assert_int_eq(grey.px[1][2], 64);
	ck_assert_int_eq(grey.px[1][3], 16);
	ck_assert_int_eq(grey.px[0][2], 0);
	ck_assert_int_eq(grey.px[2][2], 0);
}
END_TEST

START_TEST(other_sizes_shrink_to_the_same_grey)
{
	static uint8_t twice[2 * H][2 * W][3];
	static struct cairn_grey a, b;
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 8, 8);
	for (int i = 0; i < W * H * 3; i++)
		(&picture[0][0][0])[i] = (uint8_t)cairn_rng_u32(&rng);
	for (int y = 0; y < 2 * H; y++)
		for (int x = 0; x < 2 * W; x++)
			memcpy(twice[y][x], picture[y / 2][x / 2], 3);
	cairn_grey_from_rgb(&a, &picture[0][0][0], W, H, W * 3);
	cairn_grey_from_rgb(&b, &twice[0][0][0], 2 * W, 2 * H, 2 * W * 3);
	ck_assert_mem_eq(&a, &b, sizeof(a));
	uint8_t one[3] = {255, 255, 255}; /* the smallest picture there is */
	cairn_grey_from_rgb(&a, one, 1, 1, 3);
	ck_assert_int_eq(a.px[0][0], 255);
	ck_assert_int_eq(a.px[119][159], 255);
}
END_TEST

START_TEST(similarity_is_one_minus_the_mean_difference)
{
	static struct cairn_grey a, b;
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	ck_assert_double_eq(cairn_grey_similarity(&a, &b), 1.0);
	memset(&b, 255, sizeof(b));
	ck_assert_double_eq(cairn_grey_similarity(&a, &b), 0.0);
	memset(&b, 51, sizeof(b)); /* 51 / 255 = 0.2 */
	ck_assert_double_eq_tol(cairn_grey_similarity(&a, &b), 0.8, 1e-12);
	memset(&b, 0, sizeof(b));
	memset(b.px[0], 255, sizeof(b.px[0])); /* one row of 120 */
	ck_assert_double_eq_tol(cairn_grey_similarity(&a, &b), 1.0 - 1.0 / 120.0, 1e-12);
	ck_assert_double_eq(cairn_grey_similarity(&a, &b), cairn_grey_similarity(&b, &a));
}
END_TEST

START_TEST(a_copy_on_the_way_is_the_picture_without_its_gaps)
{
	enum { PAD = 5 };
	static uint8_t padded[H * (W * 3 + PAD)], copy[H * W * 3];
	struct cairn_grey plain, copied;
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 3, 1);
	for (size_t i = 0; i < sizeof(padded); i++)
		padded[i] = (uint8_t)cairn_rng_u32(&rng);
	static const int sizes[][2] = {{W, H}, {W, H - 1}, {100, 75}, {1, 1}};
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		int width = sizes[k][0], height = sizes[k][1];
		size_t row = (size_t)width * 3, stride = row + PAD;
		cairn_grey_from_rgb(&plain, padded, width, height, stride);
		cairn_grey_copy_rgb(&copied, copy, padded, width, height, stride);
		ck_assert_mem_eq(&plain, &copied, sizeof(plain));
		for (size_t y = 0; y < (size_t)height; y++)
			ck_assert_mem_eq(copy + y * row, padded + y * stride, row);
	}
}
END_TEST

CAIRN_TEST_MAIN("similarity", grey_weights_the_colours, a_grey_pixel_is_the_mean_of_its_block,
    other_sizes_shrink_to_the_same_grey, similarity_is_one_minus_the_mean_difference,
    a_copy_on_the_way_is_the_picture_without_its_gaps)
