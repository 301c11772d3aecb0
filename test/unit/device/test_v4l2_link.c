/* A V4L2 camera by a kernel of the test's own: what it offers, what its calls answer, what it delivers. */
#include <errno.h>

#include <linux/videodev2.h>

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/device/v4l2_link.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS
#define BYTES 4096
#define FD 7

struct fake {
	/* what it offers */
	struct cairn_v4l2_mode modes[8];
	int mode_count;
	uint32_t fourcc_given; /* whatever is asked for; 0: that */
	uint32_t caps, buffers;
	/* what calls answer: the next call of this request fails so */
	unsigned long failing;
	int error;
	int failures; /* so often; -1: always */
	/* state */
	bool open, streaming, absent;
	uint8_t memory[CAIRN_V4L2_BUFFERS_MAX][BYTES];
	bool queued[CAIRN_V4L2_BUFFERS_MAX];
	int mapped;
	struct v4l2_pix_format pix;
	struct v4l2_buffer next; /* delivered by DQBUF */
	bool ready;
	int opens, closes;
	int32_t exposure;
	char said[200]; /* the path that was opened */
};

static struct fake fake;
static struct cairn_v4l2_link cam;

static int fake_open(void *ctx, const char *path)
{
	struct fake *f = ctx;
	snprintf(f->said, sizeof(f->said), "%s", path);
	f->opens++;
	if (f->absent)
		return -ENOENT;
	ck_assert(!f->open);
	f->open = true;
	return FD;
}

static void fake_close(void *ctx, int fd)
{
	struct fake *f = ctx;
	ck_assert_int_eq(fd, FD);
	ck_assert(f->open);
	ck_assert_int_eq(f->mapped, 0);
	f->open = f->streaming = false;
	f->closes++;
}

static void *fake_map(void *ctx, int fd, size_t bytes, int64_t offset)
{
	struct fake *f = ctx;
	ck_assert_int_eq(fd, FD);
	ck_assert_uint_eq(bytes, BYTES);
	f->mapped++;
	return f->memory[offset];
}

static void fake_unmap(void *ctx, void *at, size_t bytes)
{
	struct fake *f = ctx;
	(void)at;
	ck_assert_uint_eq(bytes, BYTES);
	f->mapped--;
}

/* The n-th of its formats without repetition; 0: there are not so many. */
static uint32_t format_at(const struct fake *f, uint32_t n)
{
	for (int i = 0; i < f->mode_count; i++) {
		bool seen = false;
		for (int k = 0; k < i; k++)
			seen = seen || f->modes[k].fourcc == f->modes[i].fourcc;
		if (!seen && n-- == 0)
			return f->modes[i].fourcc;
	}
	return 0;
}

static int enum_size(const struct fake *f, struct v4l2_frmsizeenum *v)
{
	uint32_t n = v->index;
	for (int i = 0; i < f->mode_count; i++) {
		if (f->modes[i].fourcc != v->pixel_format || n-- > 0)
			continue;
		v->type = V4L2_FRMSIZE_TYPE_DISCRETE;
		v->discrete.width = f->modes[i].width;
		v->discrete.height = f->modes[i].height;
		return 0;
	}
	return -EINVAL;
}

static int enum_rate(const struct fake *f, struct v4l2_frmivalenum *v)
{
	for (int i = 0; v->index == 0 && i < f->mode_count; i++) {
		const struct cairn_v4l2_mode *m = &f->modes[i];
		if (m->fourcc != v->pixel_format || m->width != v->width || m->height != v->height)
			continue;
		v->type = V4L2_FRMIVAL_TYPE_DISCRETE;
		v->discrete.numerator = 1;
		v->discrete.denominator = (uint32_t)m->rate_hz;
		return 0;
	}
	return -EINVAL;
}

static int set_format(struct fake *f, struct v4l2_format *v)
{
	if (f->fourcc_given != 0)
		v->fmt.pix.pixelformat = f->fourcc_given;
	uint32_t fourcc = v->fmt.pix.pixelformat, depth = fourcc == V4L2_PIX_FMT_YUYV ||
								  fourcc == V4L2_PIX_FMT_Z16 ||
								  fourcc == V4L2_PIX_FMT_Y16
							      ? 2
							      : 1;
	v->fmt.pix.bytesperline = v->fmt.pix.pixelformat == V4L2_PIX_FMT_MJPEG ? 0 : depth * v->fmt.pix.width;
	f->pix = v->fmt.pix;
	return 0;
}

static int control_query(struct v4l2_queryctrl *v)
{
	if (v->id != V4L2_CTRL_FLAG_NEXT_CTRL)
		return -EINVAL;
	*v = (struct v4l2_queryctrl){.id = V4L2_CID_EXPOSURE_ABSOLUTE,
	    .name = "Exposure Time, Absolute",
	    .minimum = 3,
	    .maximum = 2047};
	return 0;
}

static int dequeue(struct fake *f, struct v4l2_buffer *b)
{
	if (!f->ready)
		return -EAGAIN;
	ck_assert(f->queued[f->next.index]);
	*b = f->next;
	f->queued[b->index] = f->ready = false;
	return 0;
}

static int queue(struct fake *f, const struct v4l2_buffer *b)
{
	ck_assert_uint_lt(b->index, f->buffers);
	ck_assert(!f->queued[b->index]);
	f->queued[b->index] = true;
	return 0;
}

static int fake_control(void *ctx, int fd, unsigned long request, void *arg)
{
	struct fake *f = ctx;
	ck_assert_int_eq(fd, FD);
	ck_assert(f->open);
	if (request == f->failing && f->failures != 0) {
		f->failures -= f->failures > 0;
		return f->error;
	}
	switch (request) {
	case VIDIOC_QUERYCAP:
		*(struct v4l2_capability *)arg = (struct v4l2_capability){
		    .capabilities = f->caps | V4L2_CAP_DEVICE_CAPS, .device_caps = f->caps, .card = "Fake"};
		return 0;
	case VIDIOC_ENUM_FMT: {
		struct v4l2_fmtdesc *v = arg;
		v->pixelformat = format_at(f, v->index);
		return v->pixelformat != 0 ? 0 : -EINVAL;
	}
	case VIDIOC_ENUM_FRAMESIZES:
		return enum_size(f, arg);
	case VIDIOC_ENUM_FRAMEINTERVALS:
		return enum_rate(f, arg);
	case VIDIOC_S_FMT:
		return set_format(f, arg);
	case VIDIOC_QUERYCTRL:
		return control_query(arg);
	case VIDIOC_S_CTRL:
		f->exposure = ((struct v4l2_control *)arg)->value;
		return 0;
	case VIDIOC_REQBUFS: {
		struct v4l2_requestbuffers *v = arg;
		v->count = v->count < f->buffers ? v->count : f->buffers;
		memset(f->queued, 0, sizeof(f->queued));
		return 0;
	}
	case VIDIOC_QUERYBUF:
		((struct v4l2_buffer *)arg)->length = BYTES;
		((struct v4l2_buffer *)arg)->m.offset = ((struct v4l2_buffer *)arg)->index;
		return 0;
	case VIDIOC_QBUF:
		return queue(f, arg);
	case VIDIOC_DQBUF:
		return dequeue(f, arg);
	case VIDIOC_STREAMON:
		f->streaming = true;
		return 0;
	case VIDIOC_STREAMOFF:
		f->streaming = false;
		return 0;
	default:
		return -ENOTTY;
	}
}

static const struct cairn_v4l2_ops ops = {fake_open, fake_close, fake_control, fake_map, fake_unmap};

static void begin(const char *controls)
{
	fake = (struct fake){.caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING, .buffers = 4};
	fake.modes[0] = (struct cairn_v4l2_mode){V4L2_PIX_FMT_YUYV, 64, 48, 30.0};
	fake.modes[1] = (struct cairn_v4l2_mode){V4L2_PIX_FMT_MJPEG, 64, 48, 30.0};
	fake.mode_count = 2;
	const struct cairn_v4l2_want want = {
	    .path = "/dev/v4l/by-id/fake", .controls = controls, .mode = {0, 64, 48, 10.0}};
	cairn_v4l2_init(&cam, &ops, &fake, &want);
}

/* A picture is there in the first buffer that the driver has. */
static void deliver(uint32_t bytes, uint32_t flags, int64_t t_ns, uint32_t seq)
{
	uint32_t index = 0;
	while (!fake.queued[index])
		index++;
	fake.next = (struct v4l2_buffer){.index = index,
	    .bytesused = bytes,
	    .flags = flags,
	    .sequence = seq,
	    .timestamp = {t_ns / CAIRN_NS_PER_S, t_ns % CAIRN_NS_PER_S / 1000}};
	fake.memory[index][0] = (uint8_t)seq;
	fake.ready = true;
}

static bool take(int64_t now_ns, struct cairn_camera_header *hdr, const uint8_t **payload)
{
	return cairn_v4l2_take(&cam, now_ns, hdr, payload);
}

/* Picture after picture, 100 ms apart. Those that came. */
static int run(int64_t from_ns, int64_t to_ns)
{
	static uint32_t seq;
	struct cairn_camera_header hdr;
	const uint8_t *payload;
	int n = 0;
	for (int64_t t = from_ns; t < to_ns; t += 100 * MS) {
		cairn_v4l2_tick(&cam, t);
		if (cam.fd < 0)
			continue;
		deliver(100, V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, t, ++seq);
		if (take(t, &hdr, &payload)) {
			cairn_v4l2_give_back(&cam, t, NULL);
			n++;
		}
	}
	return n;
}

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

static uint32_t below(struct cairn_rng *rng, uint32_t n)
{
	return cairn_rng_u32(rng) % n;
}

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
    raw_pictures_have_the_bytes_that_their_size_says, depth_is_read_where_it_is_wanted_and_nowhere_else,
    depth_by_its_other_name_is_read_and_its_own_name_is_preferred,
    of_a_faster_camera_as_many_are_taken_as_are_wanted,
    an_unplugged_camera_is_told_and_streams_again_when_it_is_back_twenty_times,
    a_camera_that_is_away_is_tried_every_few_seconds_and_not_more_often,
    a_stream_that_is_stuck_is_opened_again,
    pictures_that_are_refused_all_the_time_open_it_again_with_their_reason,
    damaged_and_missing_pictures_are_counted_and_cost_nothing_else,
    errors_that_pass_are_passed_over_and_those_that_stay_close_it,
    every_call_may_fail_at_start_and_the_reason_and_what_to_do_are_told,
    what_is_no_camera_or_speaks_another_format_is_told_by_name,
    controls_are_set_by_name_and_what_is_wrong_with_one_is_told, after_any_errors_it_streams_again)
