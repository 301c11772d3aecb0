#include "common/device/v4l2_open.h"

#include <errno.h>
#include <string.h>

#include <linux/videodev2.h>

#define FORMATS_MAX 32 /* of a camera; a driver that counts on without end is not followed */
#define SIZES_MAX 64   /* of a format */
#define RATES_MAX 32   /* of a size */
#define BUFFERS 4
#define BUFFERS_MIN 2

const char *cairn_v4l2_errno_text(int r)
{
	switch (-r) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return "no such device: plug it in (cairn devices)";
	case EACCES:
	case EPERM:
		return "no right to it: add the user to group video";
	case EBUSY:
		return "in use by another program: end that";
	case ENOSPC:
		return "no USB bandwidth left: use another port";
	case EIO:
	case EPIPE:
	case EPROTO:
	case ETIMEDOUT:
		return "it does not answer: plug it in anew, check the cable";
	case ENOTTY:
	case EINVAL:
		return "it is no camera: name another (cairn devices)";
	default:
		return strerror(-r);
	}
}

static int control(struct cairn_v4l2_link *l, unsigned long request, void *arg)
{
	return l->ops->control(l->ctx, l->fd, request, arg);
}

static bool refused(struct cairn_v4l2_link *l, const char *step, int r)
{
	cairn_error_set(&l->problem, "%s: %s: %s", l->want.path, step, cairn_v4l2_errno_text(r));
	return false;
}

static bool is_camera(struct cairn_v4l2_link *l)
{
	struct v4l2_capability cap = {0};
	int r = control(l, VIDIOC_QUERYCAP, &cap);
	if (r < 0)
		return refused(l, "asked what it is", r);
	uint32_t can = (cap.capabilities & V4L2_CAP_DEVICE_CAPS) != 0 ? cap.device_caps : cap.capabilities;
	if ((can & V4L2_CAP_VIDEO_CAPTURE) == 0)
		cairn_error_set(&l->problem, "%s: %.32s: it takes no pictures: name its other node (index0)",
		    l->want.path, (const char *)cap.card);
	else if ((can & V4L2_CAP_STREAMING) == 0)
		cairn_error_set(&l->problem, "%s: %.32s: it cannot stream: use a camera helper", l->want.path,
		    (const char *)cap.card);
	else
		return true;
	return false;
}

/* ---- what it offers ---- */

/* The highest rate of a mode; 0: not told. */
static double rate_of(struct cairn_v4l2_link *l, const struct cairn_v4l2_mode *mode)
{
	double best = 0.0;
	for (uint32_t i = 0; i < RATES_MAX; i++) {
		struct v4l2_frmivalenum v = {
		    .index = i, .pixel_format = mode->fourcc, .width = mode->width, .height = mode->height};
		if (control(l, VIDIOC_ENUM_FRAMEINTERVALS, &v) < 0)
			break;
		struct v4l2_fract shortest =
		    v.type == V4L2_FRMIVAL_TYPE_DISCRETE ? v.discrete : v.stepwise.min;
		double rate =
		    shortest.numerator > 0 ? (double)shortest.denominator / shortest.numerator : 0.0;
		best = rate > best ? rate : best;
		if (v.type != V4L2_FRMIVAL_TYPE_DISCRETE)
			break;
	}
	return best;
}

static void consider(struct cairn_v4l2_link *l, struct cairn_v4l2_mode mode, struct cairn_v4l2_mode *best)
{
	if (mode.width == 0 || mode.height == 0 || mode.width > CAIRN_CAMERA_SIDE_MAX ||
	    mode.height > CAIRN_CAMERA_SIDE_MAX)
		return;
	mode.rate_hz = rate_of(l, &mode);
	if (best->fourcc == 0 || cairn_v4l2_mode_better(&mode, best, &l->want.mode))
		*best = mode;
}

static uint32_t in_steps(uint32_t value, uint32_t min, uint32_t max, uint32_t step)
{
	value = value < min ? min : value > max ? max : value;
	return step > 1 ? min + (value - min) / step * step : value;
}

/* Every size of a format; of one that gives any between two limits the wanted one. */
static void consider_sizes(struct cairn_v4l2_link *l, uint32_t fourcc, struct cairn_v4l2_mode *best)
{
	const struct cairn_v4l2_mode *want = &l->want.mode;
	for (uint32_t i = 0; i < SIZES_MAX; i++) {
		struct v4l2_frmsizeenum v = {.index = i, .pixel_format = fourcc};
		struct cairn_v4l2_mode mode = {
		    .fourcc = fourcc, .width = want->width, .height = want->height};
		if (control(l, VIDIOC_ENUM_FRAMESIZES, &v) < 0) {
			if (i == 0) /* it does not tell: S_FMT will */
				consider(l, mode, best);
			return;
		}
		if (v.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
			mode.width = v.discrete.width;
			mode.height = v.discrete.height;
		} else {
			const struct v4l2_frmsize_stepwise *s = &v.stepwise;
			mode.width = in_steps(want->width, s->min_width, s->max_width, s->step_width);
			mode.height = in_steps(want->height, s->min_height, s->max_height, s->step_height);
		}
		consider(l, mode, best);
		if (v.type != V4L2_FRMSIZE_TYPE_DISCRETE)
			return;
	}
}

/* Colours, or depth where that is wanted. */
static bool is_wanted(const struct cairn_v4l2_link *l, uint32_t fourcc)
{
	uint16_t format = cairn_v4l2_camera_format(fourcc);
	return format != 0 && cairn_camera_is_colour(format) != l->want.depth;
}

static const char *readable(const struct cairn_v4l2_link *l)
{
	return l->want.depth ? "Z16 and Y16 are read: name the node of its depth"
			     : "MJPG, NV12, YUYV are read; use a camera helper";
}

static bool choose(struct cairn_v4l2_link *l, struct cairn_v4l2_mode *best)
{
	char offered[48] = "";
	*best = (struct cairn_v4l2_mode){0};
	for (uint32_t i = 0; i < FORMATS_MAX; i++) {
		struct v4l2_fmtdesc v = {.index = i, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
		if (control(l, VIDIOC_ENUM_FMT, &v) < 0)
			break;
		if (is_wanted(l, v.pixelformat)) {
			consider_sizes(l, v.pixelformat, best);
			continue;
		}
		size_t len = strlen(offered);
		if (len + 6 < sizeof(offered)) {
			offered[len] = ' ';
			cairn_v4l2_fourcc_text(v.pixelformat, offered + len + 1);
		}
	}
	if (best->fourcc == 0)
		cairn_error_set(&l->problem, "%s offers%s: %s", l->want.path,
		    offered[0] != '\0' ? offered : " nothing", readable(l));
	return best->fourcc != 0;
}

/* ---- setting it up ---- */

static bool set_mode(struct cairn_v4l2_link *l, const struct cairn_v4l2_mode *mode)
{
	struct v4l2_format f = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
	char asked[5], got[5];
	f.fmt.pix.width = mode->width;
	f.fmt.pix.height = mode->height;
	f.fmt.pix.pixelformat = mode->fourcc;
	f.fmt.pix.field = V4L2_FIELD_ANY;
	int r = control(l, VIDIOC_S_FMT, &f);
	if (r < 0)
		return refused(l, "asked for a size", r);
	l->mode =
	    (struct cairn_v4l2_mode){f.fmt.pix.pixelformat, f.fmt.pix.width, f.fmt.pix.height, mode->rate_hz};
	cairn_v4l2_fourcc_text(mode->fourcc, asked);
	cairn_v4l2_fourcc_text(l->mode.fourcc, got);
	uint32_t row = cairn_v4l2_row_bytes(&l->mode);
	l->stride_bytes = f.fmt.pix.bytesperline > row ? f.fmt.pix.bytesperline : row;
	if (!is_wanted(l, l->mode.fourcc))
		cairn_error_set(&l->problem, "%s: asked for %s it gives %s: use a camera helper",
		    l->want.path, asked, got);
	else if (l->mode.width == 0 || l->mode.height == 0 || l->mode.width > CAIRN_CAMERA_SIDE_MAX ||
		 l->mode.height > CAIRN_CAMERA_SIDE_MAX || l->stride_bytes > 8 * CAIRN_CAMERA_SIDE_MAX)
		cairn_error_set(&l->problem, "%s: it gives pictures of %u x %u", l->want.path, l->mode.width,
		    l->mode.height);
	else
		return true;
	return false;
}

/* Many cameras take no rate; what is too many is dropped. */
static void set_rate(struct cairn_v4l2_link *l)
{
	struct v4l2_streamparm p = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
	p.parm.capture.timeperframe.numerator = 100;
	p.parm.capture.timeperframe.denominator = (uint32_t)(100.0 * l->want.mode.rate_hz + 0.5);
	(void)control(l, VIDIOC_S_PARM, &p);
}

static bool add_buffer(struct cairn_v4l2_link *l, uint32_t index)
{
	struct v4l2_buffer b = {
	    .index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
	int r = control(l, VIDIOC_QUERYBUF, &b);
	if (r < 0)
		return refused(l, "asked for memory", r);
	struct cairn_v4l2_buffer *buffer = &l->buffers[l->buffer_count];
	buffer->at = l->ops->map(l->ctx, l->fd, b.length, b.m.offset);
	if (buffer->at == NULL)
		return refused(l, "mapping its memory", -ENOMEM);
	buffer->bytes = b.length;
	l->buffer_count++;
	r = control(l, VIDIOC_QBUF, &b);
	return r < 0 ? refused(l, "handing over memory", r) : true;
}

static bool add_buffers(struct cairn_v4l2_link *l)
{
	struct v4l2_requestbuffers req = {
	    .count = BUFFERS, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
	int r = control(l, VIDIOC_REQBUFS, &req);
	if (r < 0)
		return refused(l, "asked for memory", r);
	if (req.count < BUFFERS_MIN)
		return refused(l, "asked for memory", -ENOMEM);
	l->buffer_count = 0;
	for (uint32_t i = 0; i < req.count && i < CAIRN_V4L2_BUFFERS_MAX; i++)
		if (!add_buffer(l, i))
			return false;
	return true;
}

bool cairn_v4l2_open_stream(struct cairn_v4l2_link *l)
{
	struct cairn_v4l2_mode mode;
	int fd = l->ops->open(l->ctx, l->want.path), type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	if (fd < 0) {
		cairn_error_set(&l->problem, "%s: %s", l->want.path, cairn_v4l2_errno_text(fd));
		return false;
	}
	l->fd = fd;
	if (!is_camera(l) || !choose(l, &mode) || !set_mode(l, &mode))
		return false;
	set_rate(l);
	cairn_v4l2_set_controls(l);
	if (!add_buffers(l))
		return false;
	int r = control(l, VIDIOC_STREAMON, &type);
	return r < 0 ? refused(l, "asked to stream", r) : true;
}
