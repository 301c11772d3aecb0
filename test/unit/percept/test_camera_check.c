/* What is told of a camera helper. */
#include <stdlib.h>

#include "common/base/geom.h"
#include "common/percept/camera_check.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS
#define T0 (1000 * CAIRN_NS_PER_S)

static struct cairn_camera_check check;
static uint8_t made[64 * 48 * 3];
static char said[2000];

static void fresh(void)
{
	struct cairn_error err = {""};
	cairn_picture_maker_destroy(&check.maker);
	check = (struct cairn_camera_check){.want = {64, 48, 500 * MS}, .rate_hz = 10.0, .made = made};
	check.maker = cairn_picture_maker_new(64, 48, &err);
	ck_assert_ptr_nonnull(check.maker);
}

/* Picture number i, 100 ms after the one before it, 30 ms old; its content is `content`. */
static void send(uint16_t format, uint32_t width, uint32_t height, uint32_t i, uint32_t content)
{
	uint32_t pixel = cairn_camera_pixel_bytes(format);
	struct cairn_camera_header h = {.version = CAIRN_CAMERA_VERSION,
				       .format = format,
				       .width = width,
				       .height = height,
				       .stride_bytes = width * pixel,
				       .t_ns = T0 + i * 100 * MS,
				       .seq = i,
				       .payload_bytes = width * pixel * height},
				   back;
	uint8_t head[CAIRN_CAMERA_HEADER_BYTES], *payload = calloc(1, h.payload_bytes);
	enum cairn_camera_verdict verdict;
	memcpy(payload, &content, sizeof(content));
	cairn_camera_header_write(head, &h);
	ck_assert(cairn_camera_check_header(&check, head, h.t_ns + 30 * MS, &back, &verdict));
	cairn_camera_check_payload(&check, &back, verdict, payload, h.t_ns + 30 * MS);
	free(payload);
}

static bool report(void)
{
	struct cairn_text t = {0};
	bool good = cairn_camera_check_report(&check, &t);
	snprintf(said, sizeof(said), "%s", t.data != NULL ? t.data : "");
	cairn_text_free(&t);
	return good;
}

START_TEST(a_good_helper_is_described_with_rate_and_age)
{
	fresh();
	for (uint32_t i = 0; i < 30; i++) {
		send(CAIRN_CAMERA_RGB8, 64, 48, i, i);
		send(CAIRN_CAMERA_DEPTH16, 64, 48, i, i);
	}
	ck_assert_msg(report(), "%s", said);
	ck_assert_ptr_nonnull(strstr(said, "colour: RGB of 64 x 48, 30 pictures, 10.0 Hz, longest gap 0.10 "
					   "s, 30 ms old on arrival (at most 30)"));
	ck_assert_ptr_nonnull(strstr(said, "depth: 16 bit depth of 64 x 48"));
	ck_assert_ptr_null(strstr(said, "WRONG"));
}
END_TEST

START_TEST(another_shape_is_used_in_its_middle_and_told)
{
	fresh();
	for (uint32_t i = 0; i < 30; i++)
		send(CAIRN_CAMERA_RGB8, 192, 108, i, i);
	ck_assert_msg(report(), "%s", said);
	ck_assert_ptr_nonnull(strstr(said, "144 x 108 in the middle"));
	ck_assert_ptr_nonnull(strstr(said, "no depth"));
}
END_TEST

START_TEST(what_is_wrong_is_told_each_in_a_line)
{
	fresh();
	ck_assert(!report());
	ck_assert_ptr_nonnull(strstr(said, "WRONG: no picture in colour"));
	fresh();
	for (uint32_t i = 0; i < 30; i++)
		send(CAIRN_CAMERA_RGB8, 64, 48, i, i / 15); /* frozen twice */
	ck_assert(!report());
	ck_assert_ptr_nonnull(strstr(said, "WRONG: 28 colour pictures were sent before"));
	fresh();
	for (uint32_t i = 0; i < 30; i += 5)
		send(CAIRN_CAMERA_RGB8, 64, 48, i, i);
	ck_assert(!report());
	ck_assert_ptr_nonnull(strstr(said, "WRONG: 2.0 colour pictures a second"));
	fresh();
	for (uint32_t i = 0; i < 30; i++) {
		send(CAIRN_CAMERA_RGB8, 64, 48, i, i);
		send(CAIRN_CAMERA_DEPTH16, 96, 48, i, i);
	}
	ck_assert(!report());
	ck_assert_ptr_nonnull(strstr(said, "different shapes"));
	fresh();
	for (uint32_t i = 0; i < 30; i++)
		send(CAIRN_CAMERA_RGB8, 64, 48, i / 2, i); /* each twice */
	ck_assert(!report());
	ck_assert_ptr_nonnull(strstr(said, "WRONG: 15 of 30 colour pictures are refused: picture repeated"));
}
END_TEST

START_TEST(another_protocol_is_of_no_use)
{
	uint8_t head[CAIRN_CAMERA_HEADER_BYTES] = "HTTP/1.1 200 OK";
	struct cairn_camera_header h;
	enum cairn_camera_verdict verdict;
	fresh();
	ck_assert(!cairn_camera_check_header(&check, head, T0, &h, &verdict));
	ck_assert(!report());
	ck_assert_ptr_nonnull(strstr(said, "no picture header"));
	cairn_picture_maker_destroy(&check.maker);
}
END_TEST

CAIRN_TEST_MAIN("camera-check", a_good_helper_is_described_with_rate_and_age,
    another_shape_is_used_in_its_middle_and_told, what_is_wrong_is_told_each_in_a_line,
    another_protocol_is_of_no_use)
