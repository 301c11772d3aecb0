/* v4l2_fake.h - a kernel of the test's own with one V4L2 camera: what it offers, what its calls answer, what it delivers. */
#ifndef CAIRN_TEST_SUPPORT_V4L2_FAKE_H
#define CAIRN_TEST_SUPPORT_V4L2_FAKE_H

#include <errno.h>
#include <linux/videodev2.h>

#include "common/base/geom.h"
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
static inline int run(int64_t from_ns, int64_t to_ns)
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

#endif
