#include "common/percept/network.h"

#include <math.h>

#include "test/support/runner.h"

static struct cairn_network_labels labels;
static struct cairn_detected_list list;
static struct cairn_error err;

static void three_labels(void)
{
	static const char text[] = "cup\r\nchair\ndining table\n\n";
	ck_assert(cairn_network_read_labels(text, sizeof(text) - 1, &labels, &err));
	ck_assert_uint_eq(labels.count, 3);
}

static bool read_one(const struct cairn_network_input *in, const float *data, int64_t a, int64_t b)
{
	struct cairn_network_tensor t = {data, {1, a, b}, 3};
	return cairn_network_read(in, &t, 1, &labels, "", 0.3, 640, 480, &list, &err);
}

static const struct cairn_network_input square = {.width_px = 320, .height_px = 320, .white = 1.0f};

START_TEST(labels_are_lines_and_blank_ones_at_the_end_do_not_count)
{
	three_labels();
	ck_assert_str_eq(labels.name[0], "cup");
	ck_assert_str_eq(labels.name[2], "dining table");
	ck_assert(!cairn_network_read_labels("cup\n\nchair", 10, &labels, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "line 2"));
	ck_assert(!cairn_network_read_labels(" \n", 2, &labels, &err));
}
END_TEST

START_TEST(a_picture_is_stretched_or_gets_bars_and_keeps_its_colours)
{
	uint8_t rgb[3 * 4 * 2]; /* 4 x 2: left half red, right half blue */
	float out[3 * 4 * 4];
	for (int i = 0; i < 8; i++) {
		rgb[3 * i] = i % 4 < 2 ? 255 : 0;
		rgb[3 * i + 1] = 0;
		rgb[3 * i + 2] = i % 4 < 2 ? 0 : 255;
	}
	struct cairn_network_input in = {.width_px = 4, .height_px = 4, .white = 1.0f};
	cairn_network_fill(&in, rgb, 4, 2, out);
	for (int i = 0; i < 16; i++) { /* one plane a colour */
		ck_assert_float_eq_tol(out[i], i % 4 < 2 ? 1.0f : 0.0f, 1e-6f);
		ck_assert_float_eq_tol(out[32 + i], i % 4 < 2 ? 0.0f : 1.0f, 1e-6f);
	}
	in.letterbox = true;
	in.channels_last = true;
	in.white = 255.0f;
	cairn_network_fill(&in, rgb, 4, 2, out);
	ck_assert_float_eq_tol(out[3 * 0], 114.0f, 0.1f);  /* the first row is bar, */
	ck_assert_float_eq_tol(out[3 * 4], 255.0f, 1e-3f); /* the second the picture's first */
	ck_assert_float_eq_tol(out[3 * 7 + 2], 255.0f, 1e-3f);
	ck_assert_float_eq_tol(out[3 * 15 + 1], 114.0f, 0.1f);
}
END_TEST

/* Rows of values, as YOLO since version 8 has them: x, y, w, h, a score a class; one box a column. */
START_TEST(yolo_boxes_are_told_in_pixels_of_the_picture_and_doubles_go)
{
	three_labels();
	static const float data[7][4] = {{160, 162, 40, 160}, {160, 160, 80, 160}, {64, 64, 20, 40},
	    {32, 30, 20, 40}, {0.9f, 0.8f, 0.1f, 0.2f}, {0.0f, 0.1f, 0.5f, 0.25f}, {0.0f, 0.0f, 0.2f, 0.1f}};
	ck_assert_msg(read_one(&square, &data[0][0], 7, 4), "%s", err.text);
	ck_assert_uint_eq(
	    list.count, 2); /* the second is the first once more, the fourth is not certain enough */
	ck_assert_str_eq(list.items[0].label, "cup");
	ck_assert_float_eq_tol(list.items[0].confidence, 0.9f, 1e-6f);
	ck_assert_float_eq_tol(list.items[0].px[0], 2.0f * (160 - 32), 1e-3f); /* 640 pixels on 320 */
	ck_assert_float_eq_tol(list.items[0].px[3], 1.5f * (160 + 16), 1e-3f);
	ck_assert_str_eq(list.items[1].label, "chair");
}
END_TEST

START_TEST(bars_beside_the_picture_are_taken_off_the_boxes)
{
	three_labels();
	struct cairn_network_input in = square;
	in.letterbox = true; /* 640 x 480 on 320 x 240, 40 below the edge */
	static const float data[6] = {10, 40, 330, 100, 0.6f, 1.0f};
	ck_assert(read_one(&in, data, 1, 6));
	ck_assert_uint_eq(list.count, 1);
	ck_assert_float_eq_tol(list.items[0].px[0], 20.0f, 1e-3f);
	ck_assert_float_eq_tol(list.items[0].px[1], 0.0f, 1e-3f);
	ck_assert_float_eq_tol(list.items[0].px[2], 640.0f, 1e-3f); /* what is beyond the picture is cut */
	ck_assert_float_eq_tol(list.items[0].px[3], 120.0f, 1e-3f);
}
END_TEST

START_TEST(the_score_for_something_multiplies_those_of_the_classes)
{
	three_labels();
	static const float data[2][8] = {
	    {100, 100, 50, 50, 0.5f, 0.1f, 0.1f, 0.8f}, {200, 200, 50, 50, 0.9f, 0.1f, 0.1f, 0.9f}};
	ck_assert(read_one(&square, &data[0][0], 2, 8));
	ck_assert_uint_eq(list.count, 2);
	ck_assert_str_eq(list.items[0].label, "dining table");
	ck_assert_float_eq_tol(list.items[0].confidence, 0.81f, 1e-6f);
	ck_assert_float_eq_tol(list.items[1].confidence, 0.40f, 1e-6f);
}
END_TEST

START_TEST(centernet_s_peaks_are_things_wherever_its_channels_stand)
{
	three_labels();
	/* 4 x 4 cells of 80 pixels; a cup in cell (1, 2), less certain beside it. */
	float heat[3][4][4] = {{{0}}}, sides[4][4][4] = {{{0}}}, last[4][4][3] = {{{0}}},
	      size[4][4][2] = {{{0}}}, off[4][4][2] = {{{0}}};
	heat[0][2][1] = last[2][1][0] = 0.7f;
	heat[0][2][2] = last[2][2][0] = 0.5f;
	for (int k = 0; k < 4; k++)
		sides[k][2][1] = 10.0f * (float)(k + 1);
	struct cairn_network_tensor t[3] = {
	    {&heat[0][0][0], {1, 3, 4, 4}, 4}, {&sides[0][0][0], {1, 4, 4, 4}, 4}};
	ck_assert_msg(
	    cairn_network_read(&square, t, 2, &labels, "", 0.3, 320, 320, &list, &err), "%s", err.text);
	ck_assert_uint_eq(list.count, 1);
	ck_assert_float_eq_tol(list.items[0].px[0], 70.0f, 1e-3f);
	ck_assert_float_eq_tol(list.items[0].px[1], 140.0f, 1e-3f);
	ck_assert_float_eq_tol(list.items[0].px[2], 110.0f, 1e-3f);
	ck_assert_float_eq_tol(list.items[0].px[3], 200.0f, 1e-3f);
	size[2][1][0] = 0.5f;
	size[2][1][1] = 1.0f;
	off[2][1][0] = 0.25f;
	t[0] = (struct cairn_network_tensor){&last[0][0][0], {1, 4, 4, 3}, 4};
	t[1] = (struct cairn_network_tensor){&size[0][0][0], {1, 4, 4, 2}, 4};
	t[2] = (struct cairn_network_tensor){&off[0][0][0], {1, 4, 4, 2}, 4};
	ck_assert(cairn_network_read(&square, t, 3, &labels, "", 0.3, 320, 320, &list, &err));
	ck_assert_uint_eq(list.count, 1);
	ck_assert_float_eq_tol(list.items[0].px[0], 80.0f, 1e-3f); /* middle at 100, 40 wide */
	ck_assert_float_eq_tol(list.items[0].px[2], 120.0f, 1e-3f);
	ck_assert_float_eq_tol(list.items[0].px[1], 120.0f, 1e-3f);
}
END_TEST

START_TEST(labels_that_nobody_asked_for_are_left_out)
{
	three_labels();
	static const float data[2][6] = {{0, 0, 50, 50, 0.9f, 0}, {100, 100, 150, 150, 0.8f, 2}};
	struct cairn_network_tensor t = {&data[0][0], {1, 2, 6}, 3};
	ck_assert(cairn_network_read(
	    &square, &t, 1, &labels, "sofa, Dining Table , lamp", 0.3, 320, 320, &list, &err));
	ck_assert_uint_eq(list.count, 1);
	ck_assert_str_eq(list.items[0].label, "dining table");
}
END_TEST

START_TEST(what_makes_no_sense_is_no_thing_and_unknown_shapes_are_refused)
{
	three_labels();
	const float data[6][6] = {{NAN, 0, 50, 50, 0.9f, 0}, {0, 0, 50, 50, NAN, 0},
	    {0, 0, 50, 50, 0.9f, NAN}, {0, 0, 50, 50, 0.9f, 3}, {0, 0, 50, 50, 0.9f, -1},
	    {50, 0, 40, INFINITY, 0.9f, 1}};
	ck_assert(read_one(&square, &data[0][0], 6, 6));
	ck_assert_uint_eq(list.count, 0);
	ck_assert(!read_one(&square, &data[0][0], 4, 9));
	ck_assert_ptr_nonnull(strstr(err.text, "3 labels"));
	struct cairn_network_tensor heat = {&data[0][0], {1, 3, 2, 2}, 4};
	ck_assert(!cairn_network_read(&square, &heat, 1, &labels, "", 0.3, 320, 320, &list, &err));
}
END_TEST

START_TEST(of_more_things_than_fit_the_most_certain_stay)
{
	three_labels();
	static float data[40][6];
	for (int i = 0; i < 40; i++) {
		float x = 7.0f * (float)i;
		const float row[6] = {x, 0, x + 6, 6, 0.4f + 0.01f * (float)i, 0};
		memcpy(data[i], row, sizeof(row));
	}
	ck_assert(read_one(&square, &data[0][0], 40, 6));
	ck_assert_uint_eq(list.count, CAIRN_DETECT_ITEMS);
	ck_assert_uint_eq(list.left_out, 8);
	ck_assert_float_eq_tol(list.items[0].confidence, 0.79f, 1e-5f);
	ck_assert_float_eq_tol(list.items[31].confidence, 0.48f, 1e-5f);
}
END_TEST

CAIRN_TEST_MAIN("detector-network", labels_are_lines_and_blank_ones_at_the_end_do_not_count,
    a_picture_is_stretched_or_gets_bars_and_keeps_its_colours,
    yolo_boxes_are_told_in_pixels_of_the_picture_and_doubles_go,
    bars_beside_the_picture_are_taken_off_the_boxes, the_score_for_something_multiplies_those_of_the_classes,
    centernet_s_peaks_are_things_wherever_its_channels_stand, labels_that_nobody_asked_for_are_left_out,
    what_makes_no_sense_is_no_thing_and_unknown_shapes_are_refused,
    of_more_things_than_fit_the_most_certain_stay)
