#include "common/device/v4l2_mode.h"

#include <stddef.h>

#include <linux/videodev2.h>

#include "common/device/camera_link.h"

#define RATE_SHARE 0.95  /* 9.99 pictures a second are ten */
#define SHAPE_SHARE 0.01 /* 640 x 480 and 642 x 480 have one shape */

/* In the order of preference among modes of one size. */
static const struct {
	uint32_t fourcc;
	uint16_t format;
} readable[] = {{V4L2_PIX_FMT_MJPEG, CAIRN_CAMERA_JPEG}, {V4L2_PIX_FMT_JPEG, CAIRN_CAMERA_JPEG},
    {V4L2_PIX_FMT_NV12, CAIRN_CAMERA_NV12}, {V4L2_PIX_FMT_YUYV, CAIRN_CAMERA_YUYV},
    {V4L2_PIX_FMT_Z16, CAIRN_CAMERA_DEPTH16},
    {V4L2_PIX_FMT_Y16, CAIRN_CAMERA_DEPTH16}}; /* as depth cameras of other makers call it */

#define READABLE (sizeof(readable) / sizeof(readable[0]))

static size_t rank(uint32_t fourcc)
{
	size_t i = 0;
	while (i < READABLE && readable[i].fourcc != fourcc)
		i++;
	return i;
}

uint16_t cairn_v4l2_camera_format(uint32_t fourcc)
{
	size_t i = rank(fourcc);
	return i < READABLE ? readable[i].format : 0;
}

uint32_t cairn_v4l2_row_bytes(const struct cairn_v4l2_mode *mode)
{
	switch (cairn_v4l2_camera_format(mode->fourcc)) {
	case CAIRN_CAMERA_NV12:
		return mode->width;
	case CAIRN_CAMERA_YUYV:
	case CAIRN_CAMERA_DEPTH16:
		return 2 * mode->width;
	default:
		return 0;
	}
}

uint32_t cairn_v4l2_picture_bytes(const struct cairn_v4l2_mode *mode, uint32_t stride_bytes)
{
	uint32_t rows = stride_bytes * mode->height;
	return cairn_v4l2_camera_format(mode->fourcc) == CAIRN_CAMERA_NV12 ? rows + rows / 2 : rows;
}

static bool is_slow(const struct cairn_v4l2_mode *m, const struct cairn_v4l2_mode *want)
{
	return m->rate_hz > 0.0 && m->rate_hz < RATE_SHARE * want->rate_hz;
}

static bool is_small(const struct cairn_v4l2_mode *m, const struct cairn_v4l2_mode *want)
{
	return m->width < want->width || m->height < want->height;
}

static bool is_cut(const struct cairn_v4l2_mode *m, const struct cairn_v4l2_mode *want)
{
	double a = (double)m->width * want->height, b = (double)want->width * m->height;
	return a > (1.0 + SHAPE_SHARE) * b || b > (1.0 + SHAPE_SHARE) * a;
}

bool cairn_v4l2_mode_better(
    const struct cairn_v4l2_mode *a, const struct cairn_v4l2_mode *b, const struct cairn_v4l2_mode *want)
{
	if (is_slow(a, want) != is_slow(b, want))
		return is_slow(b, want);
	if (is_small(a, want) != is_small(b, want))
		return is_small(b, want);
	if (is_cut(a, want) != is_cut(b, want))
		return is_cut(b, want);
	uint64_t pixels_a = (uint64_t)a->width * a->height, pixels_b = (uint64_t)b->width * b->height;
	if (pixels_a != pixels_b) /* of two that are too small the larger shows more */
		return is_small(a, want) ? pixels_a > pixels_b : pixels_a < pixels_b;
	return rank(a->fourcc) < rank(b->fourcc);
}

void cairn_v4l2_fourcc_text(uint32_t fourcc, char ret[5])
{
	int end = 4;
	while (end > 1 && (fourcc >> (8 * (end - 1)) & 0x7f) == ' ')
		end--;
	for (int i = 0; i < end; i++) {
		char c = (char)(fourcc >> (8 * i) & 0x7f);
		ret[i] = '?';
		if (c > ' ' && c < 0x7f)
			ret[i] = c;
	}
	ret[end] = '\0';
}
