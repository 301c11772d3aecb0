/* A V4L2 camera that is away, stuck, damaged, or none. */
#include "common/base/rng.h"
#include "test/support/v4l2_fake.h"

static uint32_t below(struct cairn_rng *rng, uint32_t n)
{
	return cairn_rng_u32(rng) % n;
}

START_TEST(an_unplugged_camera_is_told_and_streams_again_when_it_is_back_twenty_times)
{
	int64_t t = 0;
	begin("");
	for (int round = 0; round < 20; round++) {
		ck_assert_int_gt(run(t, t + 6000 * MS), 9);
		ck_assert_str_eq(cam.problem.text, "");
		t += 6000 * MS;
		fake.failing = VIDIOC_DQBUF;
		fake.error = -ENODEV;
		fake.failures = 1;
		fake.absent = true;
		ck_assert_int_eq(run(t, t + 3000 * MS), 0);
		ck_assert_int_eq(cam.fd, -1);
		ck_assert_ptr_nonnull(
		    strstr(cam.problem.text, "/dev/v4l/by-id/fake: no such device: plug it in"));
		t += 3000 * MS;
		fake.absent = false;
	}
	ck_assert_int_eq(fake.mapped, 0);
}
END_TEST

START_TEST(a_camera_that_is_away_is_tried_every_few_seconds_and_not_more_often)
{
	begin("");
	fake.absent = true;
	run(0, 60000 * MS);
	ck_assert_int_ge(fake.opens, 12);
	ck_assert_int_le(fake.opens, 20);
}
END_TEST

START_TEST(a_stream_that_is_stuck_is_opened_again)
{
	begin("");
	ck_assert_int_gt(run(0, 1000 * MS), 5);
	for (int64_t t = 1000 * MS; t < 5000 * MS && cam.losses == 0; t += 100 * MS)
		cairn_v4l2_tick(&cam, t);
	ck_assert_uint_eq(cam.losses, 1);
	ck_assert_ptr_nonnull(strstr(cam.problem.text, "no picture of use for 3 s: it is stuck"));
	ck_assert_int_gt(run(5000 * MS, 7000 * MS), 5);
	ck_assert_str_eq(cam.problem.text, "");
}
END_TEST

START_TEST(pictures_that_are_refused_all_the_time_open_it_again_with_their_reason)
{
	struct cairn_camera_header hdr;
	const uint8_t *payload;
	begin("");
	for (uint32_t i = 0; i < 60 && cam.losses == 0; i++) {
		int64_t t = i * 100 * MS;
		cairn_v4l2_tick(&cam, t);
		if (cam.fd < 0)
			break;
		deliver(100, V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, t, i);
		if (take(t, &hdr, &payload))
			cairn_v4l2_give_back(&cam, t, "it repeats an earlier picture");
	}
	ck_assert_uint_eq(cam.losses, 1);
	ck_assert_ptr_nonnull(strstr(cam.problem.text, "for 3 s: it repeats an earlier picture"));
}
END_TEST

START_TEST(damaged_and_missing_pictures_are_counted_and_cost_nothing_else)
{
	struct cairn_camera_header hdr;
	const uint8_t *payload;
	begin("");
	cairn_v4l2_tick(&cam, 0);
	deliver(100, V4L2_BUF_FLAG_ERROR, 0, 1);
	ck_assert(!take(100 * MS, &hdr, &payload));
	deliver(0, 0, 0, 2);
	ck_assert(!take(200 * MS, &hdr, &payload));
	deliver(BYTES + 1, 0, 0, 3); /* more than the buffer has */
	ck_assert(!take(300 * MS, &hdr, &payload));
	ck_assert_uint_eq(cam.damaged, 3);
	deliver(100, 0, 0, 7);
	ck_assert(take(400 * MS, &hdr, &payload));
	ck_assert_uint_eq(cam.missed, 3);
	ck_assert_int_eq(cam.fd, FD);
}
END_TEST

START_TEST(errors_that_pass_are_passed_over_and_those_that_stay_close_it)
{
	struct cairn_camera_header hdr;
	const uint8_t *payload;
	begin("");
	cairn_v4l2_tick(&cam, 0);
	fake.failing = VIDIOC_DQBUF;
	fake.error = -EIO;
	fake.failures = 4;
	for (int i = 0; i < 4; i++)
		ck_assert(!take(i * MS, &hdr, &payload));
	deliver(100, 0, 0, 1);
	ck_assert(take(100 * MS, &hdr, &payload));
	cairn_v4l2_give_back(&cam, 100 * MS, NULL);
	fake.failures = -1;
	for (int i = 0; i < 5; i++)
		ck_assert(!take(200 * MS, &hdr, &payload));
	ck_assert_int_eq(cam.fd, -1);
	ck_assert_ptr_nonnull(strstr(cam.problem.text, "it does not answer"));
}
END_TEST

/* Whatever call fails, and how: the reason is told, nothing is left open, and it streams when that is over. */
START_TEST(every_call_may_fail_at_start_and_the_reason_and_what_to_do_are_told)
{
	static const struct {
		unsigned long request;
		int error;
		const char *said;
	} rows[] = {{VIDIOC_QUERYCAP, -ENOTTY, "it is no camera: name another"},
	    {VIDIOC_ENUM_FMT, -EINVAL, "offers nothing: MJPG, NV12, YUYV are read"},
	    {VIDIOC_S_FMT, -EBUSY, "in use by another program"},
	    {VIDIOC_REQBUFS, -EBUSY, "in use by another"}, {VIDIOC_QUERYBUF, -EINVAL, "asked for memory"},
	    {VIDIOC_QBUF, -ENODEV, "no such device"}, {VIDIOC_STREAMON, -ENOSPC, "no USB bandwidth left"},
	    {VIDIOC_STREAMON, -EIO, "check the cable"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin("");
		fake.failing = rows[i].request;
		fake.error = rows[i].error;
		fake.failures = 1;
		cairn_v4l2_tick(&cam, 0);
		ck_assert_msg(cam.fd == -1 && !fake.open && fake.mapped == 0, "%zu left open", i);
		ck_assert_msg(strstr(cam.problem.text, rows[i].said) != NULL, "%s", cam.problem.text);
		ck_assert_int_gt(run(0, 2000 * MS), 5);
		ck_assert_str_eq(cam.problem.text, "");
	}
}
END_TEST

START_TEST(what_is_no_camera_or_speaks_another_format_is_told_by_name)
{
	begin("");
	fake.caps = V4L2_CAP_META_CAPTURE | V4L2_CAP_STREAMING;
	cairn_v4l2_tick(&cam, 0);
	ck_assert_ptr_nonnull(strstr(cam.problem.text, "it takes no pictures: name its other node"));
	begin("");
	fake.modes[0].fourcc = V4L2_PIX_FMT_GREY;
	fake.modes[1].fourcc = V4L2_PIX_FMT_H264;
	cairn_v4l2_tick(&cam, 0);
	ck_assert_ptr_nonnull(strstr(cam.problem.text, "offers GREY H264: MJPG, NV12, YUYV are read"));
	begin("");
	fake.fourcc_given = V4L2_PIX_FMT_GREY;
	cairn_v4l2_tick(&cam, 0);
	ck_assert_ptr_nonnull(strstr(cam.problem.text, "asked for MJPG it gives GREY"));
	begin("");
	fake.buffers = 1;
	cairn_v4l2_tick(&cam, 0);
	ck_assert_ptr_nonnull(strstr(cam.problem.text, "asked for memory"));
	ck_assert(!fake.open);
}
END_TEST

/* Any call fails at any time with any error; nothing is asserted away by the fake's own checks, and in the end it streams. */
START_TEST(after_any_errors_it_streams_again)
{
	static const unsigned long requests[] = {VIDIOC_QUERYCAP, VIDIOC_ENUM_FMT, VIDIOC_S_FMT,
	    VIDIOC_REQBUFS, VIDIOC_QUERYBUF, VIDIOC_QBUF, VIDIOC_DQBUF, VIDIOC_STREAMON, VIDIOC_STREAMOFF};
	static const int errors[] = {-EIO, -ENODEV, -EBUSY, -EINVAL, -ENOSPC, -EAGAIN, -ENOTTY};
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 31, 0);
	begin("");
	int64_t t = 0;
	for (int i = 0; i < CAIRN_ROUNDS(2000); i++) {
		fake.failing = requests[below(&rng, 9)];
		fake.error = errors[below(&rng, 7)];
		fake.failures = (int)below(&rng, 4);
		fake.absent = below(&rng, 4) == 0;
		fake.ready = false;
		int64_t end = t + (int64_t)below(&rng, 4000) * MS;
		run(t, end);
		t = end;
		ck_assert(fake.open == (cam.fd >= 0));
	}
	fake.failures = 0;
	fake.absent = false;
	ck_assert_int_gt(run(t, t + 10000 * MS), 40);
	ck_assert_str_eq(cam.problem.text, "");
	cairn_v4l2_close(&cam);
	ck_assert_int_eq(fake.mapped, 0);
}
END_TEST

CAIRN_TEST_MAIN("v4l2-trouble", an_unplugged_camera_is_told_and_streams_again_when_it_is_back_twenty_times,
    a_camera_that_is_away_is_tried_every_few_seconds_and_not_more_often,
    a_stream_that_is_stuck_is_opened_again,
    pictures_that_are_refused_all_the_time_open_it_again_with_their_reason,
    damaged_and_missing_pictures_are_counted_and_cost_nothing_else,
    errors_that_pass_are_passed_over_and_those_that_stay_close_it,
    every_call_may_fail_at_start_and_the_reason_and_what_to_do_are_told,
    what_is_no_camera_or_speaks_another_format_is_told_by_name, after_any_errors_it_streams_again)
