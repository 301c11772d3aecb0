#include "common/percept/camera_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <turbojpeg.h>

#define SIDE_MAX 8192

struct cairn_picture_maker {
	uint32_t width, height;
	tjhandle tj;
	uint8_t *rgb; /* of a picture before it is scaled */
	size_t rgb_bytes;
};

struct cairn_picture_part cairn_picture_part(
    uint32_t width, uint32_t height, uint32_t want_width, uint32_t want_height)
{
	struct cairn_picture_part part = {0, 0, width, height};
	if ((uint64_t)width * want_height > (uint64_t)height * want_width)
		part.width = (uint32_t)((uint64_t)height * want_width / want_height);
	else
		part.height = (uint32_t)((uint64_t)width * want_height / want_width);
	part.width = part.width > 0 ? part.width : 1;
	part.height = part.height > 0 ? part.height : 1;
	part.x = (width - part.width) / 2;
	part.y = (height - part.height) / 2;
	return part;
}

double cairn_picture_hfov_rad(double hfov_rad, uint32_t width, uint32_t part_width)
{
	return 2.0 * atan(tan(0.5 * hfov_rad) * part_width / width);
}

struct cairn_picture_maker *cairn_picture_maker_new(uint32_t width, uint32_t height, struct cairn_error *err)
{
	struct cairn_picture_maker *m = calloc(1, sizeof(*m));
	if (m != NULL)
		m->tj = tjInitDecompress();
	if (m == NULL || m->tj == NULL) {
		cairn_error_set(err, "no memory to make pictures");
		free(m);
		return NULL;
	}
	m->width = width;
	m->height = height;
	return m;
}

void cairn_picture_maker_destroy(struct cairn_picture_maker **maker)
{
	struct cairn_picture_maker *m = *maker;
	*maker = NULL;
	if (m == NULL)
		return;
	tjDestroy(m->tj);
	free(m->rgb);
	free(m);
}

/* ---- scaling ---- */

/* The pixels of the source that pixel i of n covers, of `part` pixels from `first` on: at least one. */
static void covered(
    uint32_t i, uint32_t n, uint32_t first, uint32_t part, uint32_t *ret_from, uint32_t *ret_end)
{
	*ret_from = first + (uint32_t)((uint64_t)i * part / n);
	*ret_end = first + (uint32_t)(((uint64_t)(i + 1) * part + n - 1) / n);
}

static void average(
    const uint8_t *rgb, size_t stride, uint32_t x0, uint32_t x1, uint32_t y0, uint32_t y1, uint8_t *out)
{
	uint32_t sum[3] = {0, 0, 0}, count = (x1 - x0) * (y1 - y0);
	for (uint32_t y = y0; y < y1; y++) {
		const uint8_t *p = rgb + y * stride + 3 * (size_t)x0;
		for (uint32_t x = x0; x < x1; x++, p += 3) {
			sum[0] += p[0];
			sum[1] += p[1];
			sum[2] += p[2];
		}
	}
	for (int c = 0; c < 3; c++)
		out[c] = (uint8_t)((sum[c] + count / 2) / count);
}

static void scale_rgb(const struct cairn_picture_maker *m, const uint8_t *rgb, size_t stride, uint32_t width,
    uint32_t height, uint8_t *out)
{
	struct cairn_picture_part part = cairn_picture_part(width, height, m->width, m->height);
	for (uint32_t y = 0; y < m->height; y++) {
		uint32_t y0, y1, x0, x1;
		covered(y, m->height, part.y, part.height, &y0, &y1);
		for (uint32_t x = 0; x < m->width; x++, out += 3) {
			covered(x, m->width, part.x, part.width, &x0, &x1);
			average(rgb, stride, x0, x1, y0, y1, out);
		}
	}
}

static void scale_depth(
    const struct cairn_picture_maker *m, const struct cairn_camera_header *h, const uint8_t *mm, uint8_t *out)
{
	struct cairn_picture_part part = cairn_picture_part(h->width, h->height, m->width, m->height);
	for (uint32_t y = 0; y < m->height; y++) {
		uint32_t sy = part.y + (uint32_t)(((uint64_t)(2 * y + 1) * part.height) / (2 * m->height));
		const uint8_t *row = mm + sy * (size_t)h->stride_bytes;
		for (uint32_t x = 0; x < m->width; x++, out += 2) {
			uint32_t sx =
			    part.x + (uint32_t)(((uint64_t)(2 * x + 1) * part.width) / (2 * m->width));
			memcpy(out, row + 2 * (size_t)sx, 2);
		}
	}
}

/* ---- pixels ---- */

static bool room_for(struct cairn_picture_maker *m, uint32_t width, uint32_t height, struct cairn_error *err)
{
	size_t bytes = 3 * (size_t)width * height;
	if (bytes <= m->rgb_bytes)
		return true;
	uint8_t *rgb = realloc(m->rgb, bytes);
	if (rgb == NULL) {
		cairn_error_set(err, "no memory for a picture of %u x %u", width, height);
		return false;
	}
	m->rgb = rgb;
	m->rgb_bytes = bytes;
	return true;
}

static uint8_t clamp8(int32_t value)
{
	return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* BT.601, limited range, in 1/256: R = 1.164 (Y - 16) + 1.596 V, G = ... - 0.391 U - 0.813 V, B = ... + 2.018 U. */
static void rgb_of(uint8_t luma, uint8_t u, uint8_t v, uint8_t *out)
{
	int32_t y = 298 * (luma - 16) + 128, d = u - 128, e = v - 128;
	out[0] = clamp8((y + 409 * e) >> 8);
	out[1] = clamp8((y - 100 * d - 208 * e) >> 8);
	out[2] = clamp8((y + 516 * d) >> 8);
}

static void nv12_to_rgb(const struct cairn_camera_header *h, const uint8_t *nv12, uint8_t *rgb)
{
	const uint8_t *chroma = nv12 + (size_t)h->stride_bytes * h->height;
	for (uint32_t y = 0; y < h->height; y++) {
		const uint8_t *row = nv12 + (size_t)h->stride_bytes * y;
		const uint8_t *uv = chroma + (size_t)h->stride_bytes * (y / 2);
		for (uint32_t x = 0; x < h->width; x++, rgb += 3)
			rgb_of(row[x], uv[x / 2 * 2], uv[x / 2 * 2 + 1], rgb);
	}
}

/* Y0 U Y1 V: two pixels share their colour. */
static void yuyv_to_rgb(const struct cairn_camera_header *h, const uint8_t *yuyv, uint8_t *rgb)
{
	for (uint32_t y = 0; y < h->height; y++) {
		const uint8_t *pair = yuyv + (size_t)h->stride_bytes * y;
		for (uint32_t x = 0; x < h->width; x += 2, pair += 4, rgb += 6) {
			rgb_of(pair[0], pair[1], pair[3], rgb);
			rgb_of(pair[2], pair[1], pair[3], rgb + 3);
		}
	}
}

/* By way of RGB in the source's size, which is the frame itself where nothing is to be scaled. */
static bool make_of_yuv(struct cairn_picture_maker *m, const struct cairn_camera_header *h,
    const uint8_t *payload, uint8_t *out, struct cairn_error *err)
{
	bool direct = h->width == m->width && h->height == m->height;
	if (!direct && !room_for(m, h->width, h->height, err))
		return false;
	(h->format == CAIRN_CAMERA_NV12 ? nv12_to_rgb : yuyv_to_rgb)(h, payload, direct ? out : m->rgb);
	if (!direct)
		scale_rgb(m, m->rgb, 3 * (size_t)h->width, h->width, h->height, out);
	return true;
}

/* The smallest of the library's scalings that is not smaller than what is wanted: most of the work is saved. */
static void decoded_size(const struct cairn_picture_maker *m, int *width, int *height)
{
	int count, w = *width, h = *height;
	const tjscalingfactor *factors = tjGetScalingFactors(&count);
	for (int i = 0; factors != NULL && i < count; i++) {
		int sw = TJSCALED(w, factors[i]), sh = TJSCALED(h, factors[i]);
		if (sw >= (int)m->width && sh >= (int)m->height && sw < *width) {
			*width = sw;
			*height = sh;
		}
	}
}

static bool make_of_jpeg(struct cairn_picture_maker *m, const struct cairn_camera_header *hdr,
    const uint8_t *jpeg, uint8_t *out, uint32_t *ret_width, uint32_t *ret_height, struct cairn_error *err)
{
	/* The library takes a JPEG of tables alone for no error and leaves the sizes as they were. */
	int width = 0, height = 0, sampling, space;
	if (tjDecompressHeader3(m->tj, jpeg, hdr->payload_bytes, &width, &height, &sampling, &space) != 0) {
		cairn_error_set(err, "not a JPEG: %.80s", tjGetErrorStr2(m->tj));
		return false;
	}
	if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX) {
		cairn_error_set(err, "a JPEG of %d x %d", width, height);
		return false;
	}
	*ret_width = (uint32_t)width;
	*ret_height = (uint32_t)height;
	decoded_size(m, &width, &height);
	bool direct = (uint32_t)width == m->width && (uint32_t)height == m->height;
	if (!direct && !room_for(m, (uint32_t)width, (uint32_t)height, err))
		return false;
	/* A warning is a picture that is cut or damaged: half of it would be grey. */
	if (tjDecompress2(m->tj, jpeg, hdr->payload_bytes, direct ? out : m->rgb, width, 3 * width, height,
		TJPF_RGB, 0) != 0) {
		cairn_error_set(err, "a damaged JPEG: %.80s", tjGetErrorStr2(m->tj));
		return false;
	}
	if (!direct)
		scale_rgb(m, m->rgb, 3 * (size_t)width, (uint32_t)width, (uint32_t)height, out);
	return true;
}

bool cairn_picture_make(struct cairn_picture_maker *m, const struct cairn_camera_header *hdr,
    const uint8_t *payload, uint8_t *out, uint32_t *ret_width, uint32_t *ret_height, struct cairn_error *err)
{
	*ret_width = hdr->width;
	*ret_height = hdr->height;
	switch (hdr->format) {
	case CAIRN_CAMERA_JPEG:
		return make_of_jpeg(m, hdr, payload, out, ret_width, ret_height, err);
	case CAIRN_CAMERA_NV12:
	case CAIRN_CAMERA_YUYV:
		return make_of_yuv(m, hdr, payload, out, err);
	case CAIRN_CAMERA_RGB8:
		scale_rgb(m, payload, hdr->stride_bytes, hdr->width, hdr->height, out);
		return true;
	case CAIRN_CAMERA_DEPTH16:
		scale_depth(m, hdr, payload, out);
		return true;
	default:
		cairn_error_set(err, "picture format %u is not known", hdr->format);
		return false;
	}
}
