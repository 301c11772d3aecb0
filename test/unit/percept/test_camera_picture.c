/* Pictures of cameras in other sizes and pixels. */
#include <math.h>
#include <stdlib.h>

#include <turbojpeg.h>

#include "common/base/rng.h"
#include "common/percept/camera_picture.h"
#include "test/support/runner.h"

static struct cairn_error why;

static bool make(
    uint32_t width, uint32_t height, struct cairn_camera_header h, const void *payload, void *out)
{
	struct cairn_picture_maker *m = cairn_picture_maker_new(width, height, &why);
	uint32_t w, hgt;
	ck_assert_ptr_nonnull(m);
	bool made = cairn_picture_make(m, &h, payload, out, &w, &hgt, &why);
	cairn_picture_maker_destroy(&m);
	return made;
}

START_TEST(the_middle_that_has_the_wanted_shape_is_used)
{
	struct cairn_picture_part p = cairn_picture_part(1920, 1080, 640, 480);
	ck_assert(p.x == 240 && p.y == 0 && p.width == 1440 && p.height == 1080);
	p = cairn_picture_part(480, 640, 640, 480);
	ck_assert(p.x == 0 && p.y == 140 && p.width == 480 && p.height == 360);
	p = cairn_picture_part(320, 240, 640, 480);
	ck_assert(p.x == 0 && p.y == 0 && p.width == 320 && p.height == 240);
	p = cairn_picture_part(1, 8192, 1920, 48);
	ck_assert(p.width == 1 && p.height == 1);
}
END_TEST

/* tan(30 degrees) * 0.75 = 0.4330, its arc 23.413 degrees. */
START_TEST(the_field_of_view_is_that_of_the_part)
{
	ck_assert_double_eq_tol(cairn_picture_hfov_rad(M_PI / 3.0, 1920, 1440), 0.81728, 1e-5);
	ck_assert_double_eq_tol(cairn_picture_hfov_rad(1.2, 640, 640), 1.2, 1e-12);
}
END_TEST

/* Black, white, and the primaries of 75 % colour bars as ITU-R BT.601 has them. */
START_TEST(nv12_and_yuyv_have_the_colours_of_bt601)
{
	static const struct {
		uint8_t y, u, v, rgb[3];
	} colours[] = {{16, 128, 128, {0, 0, 0}}, {235, 128, 128, {255, 255, 255}},
	    {65, 100, 212, {191, 0, 0}}, {112, 72, 58, {0, 191, 0}}, {35, 212, 114, {0, 0, 191}}};
	for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++) {
		uint8_t bytes[12], out[12]; /* rows of 4 bytes, 2 used */
		struct cairn_camera_header h = {.format = CAIRN_CAMERA_NV12,
		    .width = 2,
		    .height = 2,
		    .stride_bytes = 4,
		    .payload_bytes = 12};
		memset(bytes, 99, sizeof(bytes));
		for (int row = 0; row < 2; row++)
			bytes[4 * row] = bytes[4 * row + 1] = colours[i].y;
		bytes[8] = colours[i].u;
		bytes[9] = colours[i].v;
		ck_assert(make(2, 2, h, bytes, out));
		for (int k = 0; k < 12; k++)
			ck_assert_int_le(abs(out[k] - colours[i].rgb[k % 3]), 2);
		const uint8_t yuyv[8] = {
		    colours[i].y, colours[i].u, colours[i].y, colours[i].v, 99, 99, 99, 99};
		h = (struct cairn_camera_header){.format = CAIRN_CAMERA_YUYV,
		    .width = 2,
		    .height = 1,
		    .stride_bytes = 8,
		    .payload_bytes = 8};
		ck_assert(make(2, 1, h, yuyv, out));
		for (int k = 0; k < 6; k++)
			ck_assert_int_le(abs(out[k] - colours[i].rgb[k % 3]), 2);
	}
}
END_TEST

START_TEST(yuyv_is_scaled_and_cut_like_other_pictures)
{
	uint8_t yuyv[4 * 2 * 8], out[12]; /* 8 x 4: white in the middle of black */
	struct cairn_camera_header h = {
	    .format = CAIRN_CAMERA_YUYV, .width = 8, .height = 4, .stride_bytes = 16, .payload_bytes = 64};
	for (int i = 0; i < 32; i++) {
		yuyv[2 * i] = i % 8 >= 2 && i % 8 < 6 ? 235 : 16;
		yuyv[2 * i + 1] = 128;
	}
	ck_assert(make(2, 2, h, yuyv, out)); /* the middle 4 x 4 */
	for (int k = 0; k < 12; k++)
		ck_assert_uint_ge(out[k], 254);
}
END_TEST

START_TEST(colours_are_averaged_and_depths_are_not)
{
	const uint8_t rgb[2 * 16] = {10, 0, 0, 20, 0, 0, 100, 0, 9, 100, 0, 9, 77, 77, 77, 77, /* padding */
	    30, 0, 0, 40, 0, 0, 100, 0, 9, 104, 0, 9, 77, 77, 77, 77};
	struct cairn_camera_header h = {
	    .format = CAIRN_CAMERA_RGB8, .width = 4, .height = 2, .stride_bytes = 16, .payload_bytes = 32};
	const uint8_t expected[6] = {25, 0, 0, 101, 0, 9};
	uint8_t out[6];
	ck_assert(make(2, 1, h, rgb, out));
	ck_assert_mem_eq(out, expected, 6);
	const uint16_t mm[8] = {100, 200, 300, 400, 1000, 2000, 3000, 4000};
	h = (struct cairn_camera_header){
	    .format = CAIRN_CAMERA_DEPTH16, .width = 4, .height = 2, .stride_bytes = 8, .payload_bytes = 16};
	uint16_t depth[2], large[8 * 4];
	ck_assert(make(2, 1, h, mm, depth));
	ck_assert_uint_eq(depth[0], 2000); /* each is one that was there */
	ck_assert_uint_eq(depth[1], 4000);
	ck_assert(make(8, 4, h, mm, large));
	ck_assert_uint_eq(large[0], 100);
	ck_assert_uint_eq(large[31], 4000);
}
END_TEST

/* Left half red, right half blue; the caller frees it with tjFree. */
static uint8_t *two_colours(int width, int height, unsigned long *ret_bytes)
{
	uint8_t *rgb = calloc(1, (size_t)(3 * width * height)), *jpeg = NULL;
	for (int i = 0; i < width * height; i++)
		rgb[3 * i + (i % width < width / 2 ? 0 : 2)] = 200;
	tjhandle tj = tjInitCompress();
	ck_assert_int_eq(
	    tjCompress2(tj, rgb, width, 0, height, TJPF_RGB, &jpeg, ret_bytes, TJSAMP_444, 90, 0), 0);
	tjDestroy(tj);
	free(rgb);
	return jpeg;
}

/* Cameras leave the tables of their MJPEG out where they are those of the standard. */
START_TEST(a_jpeg_without_its_huffman_tables_and_with_bytes_behind_its_end_is_read)
{
	unsigned long bytes, n = 0;
	uint8_t *jpeg = two_colours(64, 48, &bytes), *bare = calloc(1, bytes + 100);
	int tables = 0;
	for (unsigned long i = 0; i < bytes;) {
		if (jpeg[i] == 0xff && jpeg[i + 1] == 0xc4) {
			i += 2u + (unsigned long)jpeg[i + 2] * 256 + jpeg[i + 3];
			tables++;
		} else {
			bare[n++] = jpeg[i++];
		}
	}
	ck_assert_int_ge(tables, 1);
	static uint8_t whole[3 * 64 * 48], without[3 * 64 * 48];
	struct cairn_camera_header h = {
	    .format = CAIRN_CAMERA_JPEG, .width = 64, .height = 48, .payload_bytes = (uint32_t)bytes};
	ck_assert(make(64, 48, h, jpeg, whole));
	h.payload_bytes = (uint32_t)n + 100;
	ck_assert_msg(make(64, 48, h, bare, without), "%s", why.text);
	ck_assert_mem_eq(whole, without, sizeof(whole));
	tjFree(jpeg);
	free(bare);
}
END_TEST

START_TEST(a_jpeg_of_any_size_becomes_a_picture_and_a_cut_one_does_not)
{
	static const int sizes[][2] = {{320, 240}, {1280, 720}, {644, 484}, {160, 120}};
	static uint8_t out[320 * 240 * 3];
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		unsigned long bytes = 0;
		uint8_t *jpeg = two_colours(sizes[k][0], sizes[k][1], &bytes);
		struct cairn_camera_header h = {.format = CAIRN_CAMERA_JPEG,
		    .width = 640,
		    .height = 480, /* a JPEG says itself how large it is */
		    .payload_bytes = (uint32_t)bytes};
		ck_assert_msg(make(320, 240, h, jpeg, out), "%s", why.text);
		const uint8_t *left = out + 3 * (120 * 320 + 80), *right = left + 3 * 160;
		ck_assert_int_le(abs(left[0] - 200) + left[2], 12);
		ck_assert_int_le(abs(right[2] - 200) + right[0], 12);
		h.payload_bytes /= 2;
		ck_assert(!make(320, 240, h, jpeg, out));
		ck_assert_ptr_nonnull(strstr(why.text, "damaged"));
		tjFree(jpeg);
	}
}
END_TEST

START_TEST(a_jpeg_of_tables_without_a_picture_is_refused)
{
	static const uint8_t empty[] = {0xFF, 0xD8, 0xFF, 0xD9}; /* start and end of image */
	static uint8_t out[64 * 48 * 3];
	struct cairn_camera_header h = {
	    .format = CAIRN_CAMERA_JPEG, .width = 64, .height = 48, .payload_bytes = sizeof(empty)};
	ck_assert(!make(64, 48, h, empty, out));
	ck_assert_str_eq(why.text, "a JPEG of 0 x 0");
}
END_TEST

START_TEST(mutated_jpegs_are_refused_or_drawn_and_nothing_else)
{
	static uint8_t out[64 * 48 * 3];
	struct cairn_rng rng;
	unsigned long bytes = 0;
	uint8_t *jpeg = two_colours(128, 96, &bytes);
	uint8_t *mutated = malloc(bytes);
	int refused = 0;
	cairn_rng_seed(&rng, 31, 1);
	for (int i = 0; i < 3000; i++) {
		memcpy(mutated, jpeg, bytes);
		for (uint32_t n = 1 + cairn_rng_u32(&rng) % 4; n > 0; n--)
			mutated[cairn_rng_u32(&rng) % bytes] = (uint8_t)cairn_rng_u32(&rng);
		struct cairn_camera_header h = {.format = CAIRN_CAMERA_JPEG,
		    .width = 128,
		    .height = 96,
		    .payload_bytes = 1 + cairn_rng_u32(&rng) % (uint32_t)bytes};
		why.text[0] = '\0';
		bool made = make(64, 48, h, mutated, out);
		ck_assert(made || why.text[0] != '\0');
		refused += !made;
	}
	ck_assert_int_gt(refused, 1000);
	free(mutated);
	tjFree(jpeg);
}
END_TEST

CAIRN_TEST_MAIN("camera-picture", the_middle_that_has_the_wanted_shape_is_used,
    the_field_of_view_is_that_of_the_part, nv12_and_yuyv_have_the_colours_of_bt601,
    yuyv_is_scaled_and_cut_like_other_pictures,
    a_jpeg_without_its_huffman_tables_and_with_bytes_behind_its_end_is_read,
    colours_are_averaged_and_depths_are_not, a_jpeg_of_any_size_becomes_a_picture_and_a_cut_one_does_not,
    a_jpeg_of_tables_without_a_picture_is_refused, mutated_jpegs_are_refused_or_drawn_and_nothing_else)
