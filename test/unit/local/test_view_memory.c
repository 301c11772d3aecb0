/* Descriptors of pictures, and the views that are remembered. */
#include <math.h>
#include <stdlib.h>

#include "common/base/rng.h"
#include "common/local/view_memory.h"
#include "test/support/runner.h"

static struct cairn_view_memory memory;
static struct cairn_rng rng;

static struct cairn_view_descriptor some(void)
{
	struct cairn_view_blocks blocks;
	struct cairn_view_descriptor d;
	for (int y = 0; y < CAIRN_VIEW_ROWS; y++)
		for (int x = 0; x < CAIRN_VIEW_COLUMNS; x++)
			for (int i = 0; i < 3; i++)
				blocks.rgb[y][x][i] = (float)(cairn_rng_u32(&rng) % 256);
	cairn_view_describe(&d, &blocks);
	return d;
}

static bool add(const struct cairn_view_descriptor *d, double at_s)
{
	return cairn_view_memory_add(&memory, d, (struct cairn_pose2){at_s, 2.0, 0.5}, 0.99, at_s);
}

START_TEST(a_picture_is_like_itself_whatever_its_size_and_the_likeness_is_the_same_both_ways)
{
	static uint8_t large[480 * 640 * 3], small[12 * 16 * 3];
	struct cairn_view_blocks blocks;
	struct cairn_view_descriptor a, b;
	for (int y = 0; y < 480; y++)
		for (int x = 0; x < 640; x++)
			for (int i = 0; i < 3; i++)
				large[3 * (y * 640 + x) + i] = small[3 * (y / 40 * 16 + x / 40) + i] =
				    (uint8_t)((x / 40) * (i + 1) * 5 + (y / 40) * 10);
	cairn_view_blocks(&blocks, large, 640, 480, 640 * 3);
	cairn_view_describe(&a, &blocks);
	cairn_view_blocks(&blocks, small, 16, 12, 16 * 3);
	cairn_view_describe(&b, &blocks);
	ck_assert_double_eq_tol(cairn_view_similarity(&a, &a), 1.0, 1e-9);
	ck_assert_double_gt(cairn_view_similarity(&a, &b), 0.97);
	cairn_rng_seed(&rng, 3, 1);
	for (int i = 0; i < 200; i++) {
		struct cairn_view_descriptor c = some(), d = some();
		double s = cairn_view_similarity(&c, &d);
		ck_assert_double_eq_tol(s, cairn_view_similarity(&d, &c), 1e-12);
		ck_assert(s >= 0.0 && s < 0.95);
	}
}
END_TEST

START_TEST(a_picture_of_one_pixel_and_a_black_one_have_descriptors)
{
	static const uint8_t pixel[3] = {200, 10, 10}, black[3] = {0, 0, 0};
	struct cairn_view_blocks blocks;
	struct cairn_view_descriptor a, b;
	cairn_view_blocks(&blocks, pixel, 1, 1, 3);
	cairn_view_describe(&a, &blocks);
	cairn_view_blocks(&blocks, black, 1, 1, 3);
	cairn_view_describe(&b, &blocks);
	ck_assert_uint_eq(a.light[0][0], 128); /* no contrast: all is the mean */
	ck_assert_uint_eq(a.edges[1][1][0], 0);
	ck_assert_double_eq_tol(
	    cairn_view_similarity(&a, &b), 0.65, 1e-9); /* no colour is the same: 0.35 less */
}
END_TEST

START_TEST(a_like_view_refreshes_and_another_is_added)
{
	cairn_rng_seed(&rng, 1, 1);
	ck_assert(cairn_view_memory_init(&memory, 8));
	struct cairn_view_descriptor a = some(), b = some();
	ck_assert(add(&a, 1.0));
	ck_assert(!add(&a, 2.0));
	ck_assert(add(&b, 3.0));
	ck_assert_uint_eq(memory.count, 2);
	ck_assert_uint_eq(memory.views[0].seen, 2);
	ck_assert_double_eq(memory.views[0].first_s, 1.0);
	ck_assert_double_eq(memory.views[0].last_s, 2.0);
	ck_assert_ptr_null(cairn_view_memory_find(&memory, &a, 1.0).view); /* none first seen before */
	ck_assert_ptr_eq(cairn_view_memory_find(&memory, &a, 1.5).view, &memory.views[0]);
	cairn_view_memory_free(&memory);
}
END_TEST

START_TEST(memory_is_bounded_and_what_was_seen_longest_ago_makes_room)
{
	cairn_rng_seed(&rng, 1, 1);
	ck_assert(cairn_view_memory_init(&memory, 3));
	struct cairn_view_descriptor d[4];
	for (int i = 0; i < 4; i++)
		d[i] = some();
	for (int i = 0; i < 3; i++)
		ck_assert(add(&d[i], i));
	(void)add(&d[0], 10.0); /* seen again */
	ck_assert(add(&d[3], 11.0));
	ck_assert_uint_eq(memory.count, 3);
	ck_assert_uint_eq(memory.forgotten, 1);
	ck_assert_double_eq_tol(cairn_view_memory_find(&memory, &d[0], 99.0).similarity, 1.0, 1e-9);
	ck_assert_double_lt(cairn_view_memory_find(&memory, &d[1], 99.0).similarity, 0.99);
	cairn_view_memory_free(&memory);
}
END_TEST

START_TEST(views_and_rooms_outlive_the_process_and_are_old_then)
{
	struct cairn_text text = {0};
	struct cairn_error err = {""};
	cairn_rng_seed(&rng, 1, 1);
	ck_assert(cairn_view_memory_init(&memory, 8));
	struct cairn_view_descriptor a = some(), b = some();
	(void)add(&a, 100.0);
	(void)add(&b, 101.0);
	ck_assert_double_eq(cairn_view_memory_in_room(&memory, 42, 100.0), 100.0);
	cairn_view_memory_write(&memory, &text);
	cairn_view_memory_free(&memory);
	ck_assert(cairn_view_memory_init(&memory, 8));
	ck_assert_msg(cairn_view_memory_read(&memory, text.data, text.len, &err), "%s", err.text);
	ck_assert_uint_eq(memory.count, 2);
	ck_assert_double_eq_tol(memory.views[1].from.x_m, 101.0, 1e-3);
	ck_assert_double_eq_tol(cairn_view_memory_find(&memory, &b, 0.0).similarity, 1.0, 1e-9);
	ck_assert_double_lt(cairn_view_memory_in_room(&memory, 42, 5.0), -1e6);
	ck_assert_double_eq(cairn_view_memory_in_room(&memory, 43, 5.0), 5.0);
	cairn_text_free(&text);
	cairn_view_memory_free(&memory);
}
END_TEST

START_TEST(a_file_that_was_changed_anywhere_is_refused_and_the_memory_stays)
{
	struct cairn_text text = {0};
	cairn_rng_seed(&rng, 1, 1);
	ck_assert(cairn_view_memory_init(&memory, 8));
	struct cairn_view_descriptor a = some(), b = some();
	(void)add(&a, 1.0);
	(void)cairn_view_memory_in_room(&memory, 42, 1.0);
	cairn_view_memory_write(&memory, &text);
	(void)add(&b, 2.0);
	for (size_t i = 0; i < text.len; i++) {
		struct cairn_error err = {""};
		char was = text.data[i];
		text.data[i] = (char)(was ^ 1);
		ck_assert_msg(!cairn_view_memory_read(&memory, text.data, text.len, &err), "byte %zu", i);
		ck_assert(strncmp(err.text, "line ", 5) == 0);
		text.data[i] = was;
		ck_assert_msg(!cairn_view_memory_read(&memory, text.data, i, &err), "cut at %zu", i);
	}
	ck_assert_uint_eq(memory.count, 2);
	cairn_text_free(&text);
	cairn_view_memory_free(&memory);
}
END_TEST

START_TEST(a_file_of_more_views_than_there_is_room_for_leaves_the_newest)
{
	struct cairn_text text = {0};
	struct cairn_error err = {""};
	struct cairn_view_descriptor d[5];
	cairn_rng_seed(&rng, 1, 1);
	ck_assert(cairn_view_memory_init(&memory, 8));
	for (int i = 0; i < 5; i++) {
		d[i] = some();
		(void)add(&d[i], i);
	}
	cairn_view_memory_write(&memory, &text);
	cairn_view_memory_free(&memory);
	ck_assert(cairn_view_memory_init(&memory, 2));
	ck_assert_msg(cairn_view_memory_read(&memory, text.data, text.len, &err), "%s", err.text);
	ck_assert_uint_eq(memory.count, 2);
	ck_assert_double_eq_tol(cairn_view_memory_find(&memory, &d[4], 0.0).similarity, 1.0, 1e-9);
	ck_assert_double_eq_tol(cairn_view_memory_find(&memory, &d[3], 0.0).similarity, 1.0, 1e-9);
	cairn_text_free(&text);
	cairn_view_memory_free(&memory);
}
END_TEST

CAIRN_TEST_MAIN("view-memory",
    a_picture_is_like_itself_whatever_its_size_and_the_likeness_is_the_same_both_ways,
    a_picture_of_one_pixel_and_a_black_one_have_descriptors, a_like_view_refreshes_and_another_is_added,
    memory_is_bounded_and_what_was_seen_longest_ago_makes_room,
    views_and_rooms_outlive_the_process_and_are_old_then,
    a_file_that_was_changed_anywhere_is_refused_and_the_memory_stays,
    a_file_of_more_views_than_there_is_room_for_leaves_the_newest)
