#include "common/device/v4l2_link.h"

#include <errno.h>
#include <string.h>

#include <linux/videodev2.h>

#include "common/base/geom.h"
#include "common/device/picture_rate.h"
#include "common/device/v4l2_open.h"

#define ERRORS_MAX 5 /* in a row: the kernel calls one or two of EIO transient */

void cairn_v4l2_init(struct cairn_v4l2_link *l, const struct cairn_v4l2_ops *ops, void *ctx,
    const struct cairn_v4l2_want *want)
{
	*l = (struct cairn_v4l2_link){.ops = ops, .ctx = ctx, .want = *want, .fd = -1, .held = -1};
}

void cairn_v4l2_close(struct cairn_v4l2_link *l)
{
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	struct v4l2_requestbuffers none = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
	if (l->fd < 0)
		return;
	(void)l->ops->control(
	    l->ctx, l->fd, VIDIOC_STREAMOFF, &type); /* of one that is gone nothing is to be had */
	for (uint32_t i = 0; i < l->buffer_count; i++)
		l->ops->unmap(l->ctx, l->buffers[i].at, l->buffers[i].bytes);
	l->buffer_count = 0;
	(void)l->ops->control(l->ctx, l->fd, VIDIOC_REQBUFS, &none);
	l->ops->close(l->ctx, l->fd);
	l->fd = -1;
	l->held = -1;
}

/* Later again. l->problem is set. */
static void lose(struct cairn_v4l2_link *l, int64_t now_ns)
{
	cairn_v4l2_close(l);
	l->losses++;
	cairn_retry_tried(&l->retry, false, now_ns);
}

static void open_again(struct cairn_v4l2_link *l, int64_t now_ns)
{
	if (!cairn_v4l2_open_stream(l)) {
		lose(l, now_ns);
		return;
	}
	l->good_ns = now_ns;
	l->due_ns = 0;
	l->errors = 0;
	l->next_seq = 0;
	l->refusal.text[0] = '\0';
}

void cairn_v4l2_tick(struct cairn_v4l2_link *l, int64_t now_ns)
{
	if (l->fd < 0) {
		if (cairn_retry_due(&l->retry, now_ns))
			open_again(l, now_ns);
		return;
	}
	if (now_ns - l->good_ns <= CAIRN_V4L2_STUCK_NS)
		return;
	cairn_error_set(&l->problem, "%s: no picture of use for %d s: %.200s", l->want.path,
	    (int)(CAIRN_V4L2_STUCK_NS / CAIRN_NS_PER_S),
	    l->refusal.text[0] != '\0' ? l->refusal.text : "it is stuck, and opened again");
	lose(l, now_ns);
}

/* ---- pictures ---- */

static bool queue(struct cairn_v4l2_link *l, uint32_t index, int64_t now_ns)
{
	struct v4l2_buffer b = {
	    .index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
	int r = l->ops->control(l->ctx, l->fd, VIDIOC_QBUF, &b);
	if (r >= 0)
		return true;
	cairn_error_set(&l->problem, "%s: %s", l->want.path, cairn_v4l2_errno_text(r));
	lose(l, now_ns);
	return false;
}

/* A filled buffer. False: none, for now or for good. */
static bool dequeue(struct cairn_v4l2_link *l, int64_t now_ns, struct v4l2_buffer *b)
{
	*b = (struct v4l2_buffer){.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
	int r = l->ops->control(l->ctx, l->fd, VIDIOC_DQBUF, b);
	if (r == -EAGAIN)
		return false;
	if (r == -EIO && ++l->errors < ERRORS_MAX)
		return false;
	if (r >= 0 && b->index < l->buffer_count) {
		l->errors = 0;
		return true;
	}
	cairn_error_set(&l->problem, "%s: %s", l->want.path, cairn_v4l2_errno_text(r < 0 ? r : -EIO));
	lose(l, now_ns);
	return false;
}

/* Those between that the driver has left out. */
static void count_missed(struct cairn_v4l2_link *l, uint32_t seq)
{
	if (l->next_seq != 0 && seq - l->next_seq < UINT32_MAX / 2)
		l->missed += seq - l->next_seq;
	l->next_seq = seq + 1;
}

static bool is_whole(const struct cairn_v4l2_link *l, const struct v4l2_buffer *b)
{
	uint32_t bytes = cairn_v4l2_picture_bytes(&l->mode, l->stride_bytes);
	return (b->flags & V4L2_BUF_FLAG_ERROR) == 0 && b->bytesused > 0 &&
	       b->bytesused <= l->buffers[b->index].bytes && b->bytesused >= bytes;
}

/* Some drivers tell when a picture should have ended, which may be ahead: it was not taken after it came. */
static int64_t stamp_of(const struct v4l2_buffer *b, int64_t now_ns)
{
	int64_t t_ns = (int64_t)b->timestamp.tv_sec * CAIRN_NS_PER_S + (int64_t)b->timestamp.tv_usec * 1000;
	bool ours = (b->flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
	return ours && t_ns < now_ns ? t_ns : now_ns;
}

bool cairn_v4l2_take(struct cairn_v4l2_link *l, int64_t now_ns, struct cairn_camera_header *ret_hdr,
    const uint8_t **ret_payload)
{
	struct v4l2_buffer b;
	if (l->fd < 0 || l->held >= 0 || !dequeue(l, now_ns, &b))
		return false;
	count_missed(l, b.sequence);
	bool whole = is_whole(l, &b);
	if (!whole) {
		l->damaged++;
		cairn_error_set(&l->refusal, "they come damaged: check its cable");
	}
	if (!whole || !cairn_picture_due(&l->due_ns, l->want.mode.rate_hz, now_ns)) {
		(void)queue(l, b.index, now_ns);
		return false;
	}
	uint32_t bytes = cairn_v4l2_picture_bytes(&l->mode, l->stride_bytes);
	*ret_hdr = (struct cairn_camera_header){.version = CAIRN_CAMERA_VERSION,
	    .format = cairn_v4l2_camera_format(l->mode.fourcc),
	    .width = l->mode.width,
	    .height = l->mode.height,
	    .stride_bytes = l->stride_bytes,
	    .t_ns = stamp_of(&b, now_ns),
	    .seq = b.sequence,
	    .payload_bytes = bytes > 0 ? bytes : b.bytesused};
	*ret_payload = l->buffers[b.index].at;
	l->held = (int)b.index;
	return true;
}

void cairn_v4l2_give_back(struct cairn_v4l2_link *l, int64_t now_ns, const char *why_not)
{
	if (l->held < 0)
		return;
	uint32_t index = (uint32_t)l->held;
	l->held = -1;
	if (why_not == NULL) {
		l->pictures++;
		l->good_ns = now_ns;
		l->problem.text[0] = l->refusal.text[0] = '\0';
		cairn_retry_tried(&l->retry, true, now_ns);
	} else {
		cairn_error_set(&l->refusal, "%.200s", why_not);
	}
	(void)queue(l, index, now_ns);
}
