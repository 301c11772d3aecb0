/* A V4L2 camera: which mode is chosen, the pictures that come, controls, depth. */
#include "test/support/v4l2_fake.h"

START_TEST(the_mode_is_fast_enough_large_enough_uncut_small_and_light_in_this_order)
{
	const uint32_t mjpg = V4L2_PIX_FMT_MJPEG, yuyv = V4L2_PIX_FMT_YUYV;
	const struct cairn_v4l2_mode want = {0, 640, 480, 10.0};
	const struct cairn_v4l2_mode falling[] = {{mjpg, 640, 480, 30.0}, {yuyv, 640, 480, 30.0},
	    {mjpg, 800, 600, 30.0}, {mjpg, 1280, 720, 30.0}, {mjpg, 320, 240, 30.0}, {mjpg, 160, 120, 30.0},
	    {mjpg, 480, 480, 30.0}, {yuyv, 640, 480, 9.0}, {yuyv, 1280, 720, 5.0}};
	for (size_t i = 0; i < sizeof(falling) / sizeof(falling[0]); i++)
		for (size_t k = 0; k < sizeof(falling) / sizeof(falling[0]); k++)
			ck_assert_msg(cairn_v4l2_mode_better(&falling[i], &falling[k], &want) == (i < k),
			    "%zu against %zu", i, k);
}
END_TEST

START_TEST(a_camera_streams_jpeg_in_the_wanted_size_with_the_stamps_of_the_kernel)
{
	struct cairn_camera_header hdr;
	const uint8_t *payload;
	begin("");
	cairn_v4l2_tick(&cam, 0);
	ck_assert_int_eq(cam.fd, FD);
	ck_assert_str_eq(fake.said, "/dev/v4l/by-id/fake");
	ck_assert(fake.streaming);
	ck_assert_uint_eq(fake.pix.pixelformat, V4L2_PIX_FMT_MJPEG);
	ck_assert(!take(MS, &hdr, &payload)); /* nothing is there */
	deliver(100, V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, 40 * MS, 5);
	ck_assert(take(50 * MS, &hdr, &payload));
	ck_assert(hdr.format == CAIRN_CAMERA_JPEG && hdr.width == 64 && hdr.height == 48);
	ck_assert_int_eq(hdr.t_ns, 40 * MS);
	ck_assert_uint_eq(hdr.seq, 5);
	ck_assert_uint_eq(hdr.payload_bytes, 100);
	ck_assert_uint_eq(payload[0], 5);
	ck_assert(!take(60 * MS, &hdr, &payload)); /* one at a time */
	cairn_v4l2_give_back(&cam, 60 * MS, NULL);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert(fake.queued[i]);
	deliver(100, 0, 999 * MS, 6); /* a stamp of some other clock */
	ck_assert(take(200 * MS, &hdr, &payload));
	ck_assert_int_eq(hdr.t_ns, 200 * MS);
	cairn_v4l2_give_back(&cam, 200 * MS, NULL);
	deliver(100, V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, 480 * MS, 7); /* when it should have ended */
	ck_assert(take(300 * MS, &hdr, &payload));
	ck_assert_int_eq(hdr.t_ns, 300 * MS);
	cairn_v4l2_close(&cam);
	ck_assert(!fake.open && fake.mapped == 0);
}
END_TEST

START_TEST(raw_pictures_have_the_bytes_that_their_size_says)
{
	struct cairn_camera_header hdr;
	const uint8_t *payload;
	begin("");
	fake.modes[0] = (struct cairn_v4l2_mode){V4L2_PIX_FMT_YUYV, 32, 24, 30.0};
	fake.modes[1] = (struct cairn_v4l2_mode){V4L2_PIX_FMT_NV12, 32, 24, 30.0};
	cairn_v4l2_tick(&cam, 0); /* NV12: half as much again as the luma */
	deliver(32 * 24 * 3 / 2 - 1, 0, 0, 1);
	ck_assert(!take(100 * MS, &hdr, &payload));
	ck_assert_uint_eq(cam.damaged, 1);
	deliver(32 * 24 * 3 / 2 + 9, 0, 0, 2); /* a driver that pads */
	ck_assert(take(200 * MS, &hdr, &payload));
	ck_assert(hdr.format == CAIRN_CAMERA_NV12 && hdr.stride_bytes == 32);
	ck_assert_uint_eq(hdr.payload_bytes, 1152);
}
END_TEST

START_TEST(of_a_faster_camera_as_many_are_taken_as_are_wanted)
{
	struct cairn_camera_header hdr;
	const uint8_t *payload;
	int n = 0;
	begin("");
	cairn_v4l2_tick(&cam, 0);
	for (uint32_t i = 1; i <= 300; i++) { /* ten seconds at 30 Hz */
		int64_t t = (int64_t)i * CAIRN_NS_PER_S / 30;
		deliver(100, V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, t, i);
		if (take(t, &hdr, &payload)) {
			cairn_v4l2_give_back(&cam, t, NULL);
			n++;
		}
	}
	ck_assert_int_ge(n, 99);
	ck_assert_int_le(n, 101);
	ck_assert_uint_eq(cam.missed, 0);
}
END_TEST

START_TEST(controls_are_set_by_name_and_what_is_wrong_with_one_is_told)
{
	static const struct {
		const char *controls, *said;
		int32_t exposure;
	} rows[] = {{"exposure_time_absolute=100", "", 100}, {" exposure_time_absolute=3, ", "", 3},
	    {"gain=1", "gain: the camera has no such control", 0},
	    {"exposure_time_absolute=2", "exposure_time_absolute: 2 is outside 3 to 2047", 0},
	    {"exposure_time_absolute=1e3", "exposure_time_absolute: '1e3' is no number", 0},
	    {"exposure_time_absolute", "'exposure_time_absolute' has no value: write name=number", 0}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(rows[i].controls);
		cairn_v4l2_tick(&cam, 0);
		ck_assert_str_eq(cam.controls.text, rows[i].said);
		ck_assert_int_eq(fake.exposure, rows[i].exposure);
		ck_assert_int_eq(cam.fd, FD); /* pictures matter more */
	}
}
END_TEST

START_TEST(depth_by_its_other_name_is_read_and_its_own_name_is_preferred)
{
	begin("");
	fake.modes[0] = (struct cairn_v4l2_mode){V4L2_PIX_FMT_Y16, 32, 24, 30.0};
	fake.mode_count = 1;
	cam.want.depth = true;
	cairn_v4l2_tick(&cam, 0);
	ck_assert_str_eq(cam.problem.text, "");
	ck_assert_uint_eq(fake.pix.pixelformat, V4L2_PIX_FMT_Y16);
	ck_assert_uint_eq(cam.stride_bytes, 64);
	cairn_v4l2_close(&cam);
	fake.modes[1] = (struct cairn_v4l2_mode){V4L2_PIX_FMT_Z16, 32, 24, 30.0};
	fake.mode_count = 2;
	cairn_v4l2_tick(&cam, MS);
	ck_assert_uint_eq(fake.pix.pixelformat, V4L2_PIX_FMT_Z16);
	cairn_v4l2_close(&cam);
}
END_TEST

START_TEST(depth_is_read_where_it_is_wanted_and_nowhere_else)
{
	struct cairn_camera_header hdr;
	const uint8_t *payload;
	begin("");
	fake.modes[0] = (struct cairn_v4l2_mode){V4L2_PIX_FMT_Z16, 32, 24, 30.0};
	fake.modes[1] = (struct cairn_v4l2_mode){V4L2_PIX_FMT_YUYV, 64, 48, 30.0};
	cairn_v4l2_tick(&cam, 0); /* colours */
	ck_assert_uint_eq(fake.pix.pixelformat, V4L2_PIX_FMT_YUYV);
	cairn_v4l2_close(&cam);
	cam.want.depth = true;
	cairn_v4l2_tick(&cam, MS);
	ck_assert_uint_eq(fake.pix.pixelformat, V4L2_PIX_FMT_Z16);
	deliver(32 * 24 * 2, V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, 40 * MS, 1);
	ck_assert(take(50 * MS, &hdr, &payload));
	ck_assert(hdr.format == CAIRN_CAMERA_DEPTH16 && hdr.stride_bytes == 64 && hdr.payload_bytes == 1536);
	cairn_v4l2_give_back(&cam, 50 * MS, NULL);
	cairn_v4l2_close(&cam);
	fake.mode_count = 1;
	cam.want.depth = false;
	cairn_v4l2_tick(&cam, 2 * MS);
	ck_assert_str_eq(cam.problem.text,
	    "/dev/v4l/by-id/fake offers Z16: MJPG, NV12, YUYV are read; use a camera helper");
	begin("");
	fake.mode_count = 1;
	cam.want.depth = true;
	cairn_v4l2_tick(&cam, 0);
	ck_assert_str_eq(cam.problem.text,
	    "/dev/v4l/by-id/fake offers YUYV: Z16 and Y16 are read: name the node of its depth");
	ck_assert_int_lt(cam.fd, 0);
}
END_TEST

CAIRN_TEST_MAIN("v4l2-link", the_mode_is_fast_enough_large_enough_uncut_small_and_light_in_this_order,
    a_camera_streams_jpeg_in_the_wanted_size_with_the_stamps_of_the_kernel,
    raw_pictures_have_the_bytes_that_their_size_says, of_a_faster_camera_as_many_are_taken_as_are_wanted,
    controls_are_set_by_name_and_what_is_wrong_with_one_is_told,
    depth_by_its_other_name_is_read_and_its_own_name_is_preferred,
    depth_is_read_where_it_is_wanted_and_nowhere_else)
