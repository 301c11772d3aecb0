#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/device/camera_link.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS
#define NOW (1000 * CAIRN_NS_PER_S)

static const struct cairn_camera_want want = {640, 480, 500 * MS};
static const struct cairn_camera_header rgb = {.version = 1,
    .format = CAIRN_CAMERA_RGB8,
    .width = 640,
    .height = 480,
    .stride_bytes = 1920,
    .t_ns = NOW - 10 * MS,
    .seq = 7,
    .payload_bytes = 1920 * 480};

static struct cairn_camera_order order;
static struct cairn_error why;

static enum cairn_camera_verdict judge(struct cairn_camera_header h)
{
	uint8_t bytes[CAIRN_CAMERA_HEADER_BYTES];
	struct cairn_camera_header out;
	cairn_camera_header_write(bytes, &h);
	return cairn_camera_header_read(bytes, &want, &order, NOW, &out, &why);
}

START_TEST(the_header_has_the_published_layout)
{
	const uint8_t expected[36] = {'C', 'C', 'A', 'M', 1, 0, 4, 0, 0x80, 2, 0, 0, 0xE0, 1, 0, 0, 0x80, 7,
	    0, 0,
	    /* ns */ 8, 7, 6, 5, 4, 3, 2, 1, 9, 0, 0, 0, /* 921600 */ 0, 0x10, 0x0E, 0};
	struct cairn_camera_header h = rgb;
	h.t_ns = INT64_C(0x0102030405060708);
	h.seq = 9;
	uint8_t bytes[CAIRN_CAMERA_HEADER_BYTES];
	cairn_camera_header_write(bytes, &h);
	ck_assert_mem_eq(bytes, expected, sizeof(bytes));
	struct cairn_camera_header back;
	order = (struct cairn_camera_order){0};
	ck_assert_int_eq(
	    cairn_camera_header_read(bytes, &want, &order, h.t_ns, &back, NULL), CAIRN_CAMERA_USE);
	ck_assert_int_eq(back.t_ns, h.t_ns);
	ck_assert_uint_eq(back.width, 640);
	ck_assert_uint_eq(back.height, 480);
	ck_assert_uint_eq(back.stride_bytes, 1920);
	ck_assert_uint_eq(back.seq, 9);
	ck_assert_uint_eq(back.payload_bytes, 921600);
}
END_TEST

START_TEST(good_pictures_of_both_kinds_are_used_in_any_order)
{
	order = (struct cairn_camera_order){0};
	struct cairn_camera_header depth = rgb;
	depth.format = CAIRN_CAMERA_DEPTH16;
	depth.stride_bytes = 1280;
	depth.payload_bytes = 1280 * 480;
	ck_assert_int_eq(judge(rgb), CAIRN_CAMERA_USE);
	ck_assert_int_eq(judge(depth), CAIRN_CAMERA_USE);
	depth.stride_bytes = 1536; /* padded rows */
	depth.payload_bytes = 1536 * 480;
	depth.t_ns++, depth.seq++;
	ck_assert_int_eq(judge(depth), CAIRN_CAMERA_USE);
}
END_TEST

START_TEST(other_sizes_and_pixels_are_to_be_made_into_frames)
{
	order = (struct cairn_camera_order){0};
	struct cairn_camera_header h = rgb;
	h.width = 1920, h.height = 1080, h.stride_bytes = 5760, h.payload_bytes = 5760 * 1080;
	ck_assert_int_eq(judge(h), CAIRN_CAMERA_MAKE);
	ck_assert_int_eq(judge(h), CAIRN_CAMERA_SKIP); /* repeated */
	h.format = CAIRN_CAMERA_NV12, h.stride_bytes = 1920, h.payload_bytes = 1920 * 1620;
	ck_assert_int_eq(judge(h), CAIRN_CAMERA_MAKE);
	h = rgb;
	h.format = CAIRN_CAMERA_YUYV, h.stride_bytes = 1280, h.payload_bytes = 1280 * 480;
	ck_assert_int_eq(judge(h), CAIRN_CAMERA_MAKE);
	h.format = CAIRN_CAMERA_JPEG, h.stride_bytes = 0, h.payload_bytes = 30000;
	ck_assert_int_eq(judge(h), CAIRN_CAMERA_MAKE);
}
END_TEST

#define SKIPPED(change, expected)                                                                            \
	do {                                                                                                 \
		struct cairn_camera_header h = rgb;                                                          \
		order = (struct cairn_camera_order){0};                                                      \
		change;                                                                                      \
		ck_assert_int_eq(judge(h), CAIRN_CAMERA_SKIP);                                               \
		ck_assert_ptr_nonnull(strstr(why.text, expected));                                           \
	} while (0)

START_TEST(pictures_that_are_not_wanted_are_skipped_with_the_reason)
{
	SKIPPED(h.format = 0, "format 0");
	SKIPPED(h.format = 65535, "format 65535");
	SKIPPED(h.format = 6, "format 6");
	SKIPPED((h.format = CAIRN_CAMERA_YUYV, h.stride_bytes = 1279, h.payload_bytes = 1279 * 480),
	    "rows of 1279");
	SKIPPED(h.width = 0, "0 x 480");
	SKIPPED((h.width = 8193, h.stride_bytes = 3 * 8193, h.payload_bytes = 3 * 8193 * 480), "8193 x 480");
	SKIPPED(h.height = 479, "rows of 1920");
	SKIPPED(
	    (h.format = CAIRN_CAMERA_NV12, h.stride_bytes = 640, h.payload_bytes = 640 * 480), "rows of 640");
	SKIPPED(
	    (h.format = CAIRN_CAMERA_NV12, h.width = 639, h.stride_bytes = 640, h.payload_bytes = 640 * 720),
	    "rows of 640");
	SKIPPED((h.format = CAIRN_CAMERA_JPEG, h.payload_bytes = 0), "0 bytes");
	SKIPPED(h.stride_bytes = 1919, "rows of 1919");
	SKIPPED(h.payload_bytes = 1000, "1000 bytes");
	SKIPPED(h.stride_bytes = 0x80000000u, "rows");
	SKIPPED(h.t_ns = NOW + 60 * MS, "future");
	SKIPPED(h.t_ns = INT64_MAX, "future");
	SKIPPED(h.t_ns = NOW - 501 * MS, "too old");
	SKIPPED(h.t_ns = INT64_MIN, "too old");
}
END_TEST

START_TEST(repeated_pictures_are_skipped)
{
	order = (struct cairn_camera_order){0};
	struct cairn_camera_header h = rgb;
	ck_assert_int_eq(judge(h), CAIRN_CAMERA_USE);
	ck_assert_int_eq(judge(h), CAIRN_CAMERA_SKIP);
	h.t_ns++; /* a new stamp alone does not make it new */
	ck_assert_int_eq(judge(h), CAIRN_CAMERA_SKIP);
	h.seq++;
	ck_assert_int_eq(judge(h), CAIRN_CAMERA_USE);
	h.seq++;
	h.t_ns--;
	ck_assert_int_eq(judge(h), CAIRN_CAMERA_SKIP);
}
END_TEST

START_TEST(another_protocol_closes_the_connection)
{
	struct cairn_camera_header h = rgb;
	order = (struct cairn_camera_order){0};
	h.version = 2;
	ck_assert_int_eq(judge(h), CAIRN_CAMERA_BROKEN);
	h = rgb;
	h.payload_bytes = CAIRN_CAMERA_PAYLOAD_MAX + 1;
	ck_assert_int_eq(judge(h), CAIRN_CAMERA_BROKEN);
	uint8_t bytes[CAIRN_CAMERA_HEADER_BYTES] = {0};
	struct cairn_camera_header out;
	ck_assert_int_eq(
	    cairn_camera_header_read(bytes, &want, &order, NOW, &out, &why), CAIRN_CAMERA_BROKEN);
}
END_TEST

START_TEST(random_headers_are_never_used)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 2, 1);
	order = (struct cairn_camera_order){0};
	for (int i = 0; i < 200000; i++) {
		uint8_t bytes[CAIRN_CAMERA_HEADER_BYTES];
		struct cairn_camera_header out;
		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)cairn_rng_u32(&rng);
		if (i % 2 == 0)
			memcpy(bytes, "CCAM\1\0\4\0", 8);
		ck_assert_int_ne(
		    cairn_camera_header_read(bytes, &want, &order, NOW, &out, &why), CAIRN_CAMERA_USE);
	}
}
END_TEST

CAIRN_TEST_MAIN("camera-link", the_header_has_the_published_layout,
    good_pictures_of_both_kinds_are_used_in_any_order, other_sizes_and_pixels_are_to_be_made_into_frames,
    pictures_that_are_not_wanted_are_skipped_with_the_reason, repeated_pictures_are_skipped,
    another_protocol_closes_the_connection, random_headers_are_never_used)
