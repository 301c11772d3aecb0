#include "common/percept/depth_align.h"

#include <math.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/yaml.h"

#define FILE_BYTES_MAX (64u << 10)
#define SHAPE_SHARE 0.01      /* 640 x 480 and 642 x 480 have one shape */
#define ROTATION_OFF_MAX 1e-3 /* rounded to four digits, as tools print it, it is still one */
#define NEAR_M 0.01f          /* nearer to the colour camera's plane nothing has a place in its picture */
#define MM_MAX 65535.0f
#define MARGIN 0.05f

/* ---- the file ---- */

static struct cairn_pinhole read_pinhole(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *root, const char *key)
{
	struct cairn_pinhole c = {0};
	struct cairn_yaml_node *m = cairn_yaml_get(r, root, key, CAIRN_YAML_MAPPING, true);
	if (m == NULL)
		return c;
	c.width = (uint32_t)cairn_yaml_real(r, m, "width", 16.0, CAIRN_CAMERA_SIDE_MAX, NAN);
	c.height = (uint32_t)cairn_yaml_real(r, m, "height", 16.0, CAIRN_CAMERA_SIDE_MAX, NAN);
	c.fx = cairn_yaml_real(r, m, "fx", 1.0, 1e5, NAN);
	c.fy = cairn_yaml_real(r, m, "fy", 1.0, 1e5, NAN);
	c.cx = cairn_yaml_real(r, m, "cx", 0.0, CAIRN_CAMERA_SIDE_MAX, NAN);
	c.cy = cairn_yaml_real(r, m, "cy", 0.0, CAIRN_CAMERA_SIDE_MAX, NAN);
	return c;
}

/* Rows of length 1 at right angles, and no mirror. */
static bool is_rotation(const double m[9])
{
	for (int i = 0; i < 3; i++)
		for (int k = 0; k <= i; k++) {
			const double *a = m + 3 * i, *b = m + 3 * k;
			double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
			if (fabs(dot - (i == k)) > ROTATION_OFF_MAX)
				return false;
		}
	double det = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
		     m[2] * (m[3] * m[7] - m[4] * m[6]);
	return det > 0.0;
}

static void read_all(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *root, struct cairn_depth_alignment *a)
{
	a->depth_unit_m = cairn_yaml_real(r, root, "depth_unit_m", 1e-6, 0.1, 0.001);
	a->depth = read_pinhole(r, root, "depth");
	a->color = read_pinhole(r, root, "color");
	struct cairn_yaml_node *rotation = cairn_yaml_list(r, root, "rotation", 9, 9, true),
			       *translation = cairn_yaml_list(r, root, "translation_m", 3, 3, true);
	if (rotation == NULL || translation == NULL ||
	    !cairn_yaml_numbers(r, rotation, a->rotation, 9, -1.0, 1.0) ||
	    !cairn_yaml_numbers(r, translation, a->translation_m, 3, -1.0, 1.0))
		return;
	if (!is_rotation(a->rotation))
		(void)cairn_yaml_fail(r, rotation, "is no rotation: three rows of length 1 at right angles");
	(void)cairn_yaml_nothing_left(r, root);
}

bool cairn_depth_alignment_load(struct cairn_depth_alignment *ret, const char *path, struct cairn_error *err)
{
	struct cairn_depth_alignment a = {0};
	struct cairn_yaml_reader r = {.file = path, .err = err};
	struct cairn_yaml_node *root = cairn_yaml_load(path, CAIRN_FILE_TEXT, FILE_BYTES_MAX, err);
	if (root == NULL)
		return false;
	read_all(&r, root, &a);
	cairn_yaml_destroy(&root);
	if (r.failed)
		return false;
	*ret = a;
	return true;
}

/* ---- laying ---- */

struct ray {
	float x, y, z;
};

/* Where R (u, v, 1) begins in a row, and its change with each pixel to the right. */
struct row {
	struct ray first, step;
};

static struct row row_at(const struct cairn_depth_alignment *a, double u, double v)
{
	const double *m = a->rotation;
	double x = (u - a->depth.cx) / a->depth.fx, y = (v - a->depth.cy) / a->depth.fy,
	       s = 1.0 / a->depth.fx;
	return (struct row){{(float)(m[0] * x + m[1] * y + m[2]), (float)(m[3] * x + m[4] * y + m[5]),
				(float)(m[6] * x + m[7] * y + m[8])},
	    {(float)(m[0] * s), (float)(m[3] * s), (float)(m[6] * s)}};
}

/* The colour camera, in floats. */
struct target {
	float fx, fy, cx, cy, tx, ty, tz;
	int width, height;
};

struct spot {
	float u, v, z;
};

/* False: not in front of the colour camera. */
static bool lay(const struct target *t, const struct row *row, float i, float z, struct spot *ret)
{
	float qz = z * (row->first.z + i * row->step.z) + t->tz;
	if (!(qz > NEAR_M))
		return false;
	float inverse = 1.0f / qz;
	ret->u = t->fx * (z * (row->first.x + i * row->step.x) + t->tx) * inverse + t->cx;
	ret->v = t->fy * (z * (row->first.y + i * row->step.y) + t->ty) * inverse + t->cy;
	ret->z = qz;
	return true;
}

/* The pixels 0..count - 1 whose middles lie between a and b or within margin of that, or that of the middle between; false: outside
 * of the picture. */
static bool span(float a, float b, float margin, int count, int *ret_first, int *ret_last)
{
	float low = fminf(a, b) - margin, high = fmaxf(a, b) + margin;
	if (!(high > -0.5f) || !(low < (float)count))
		return false;
	low = fmaxf(low, -1.0f);
	high = fminf(high, (float)count + 1.0f);
	int first = (int)ceilf(low), last = (int)ceilf(high) - 1;
	if (last < first)
		first = last = (int)floorf(0.5f * (low + high) + 0.5f);
	*ret_first = first < 0 ? 0 : first;
	*ret_last = last < count ? last : count - 1;
	return *ret_first <= *ret_last;
}

static void fill(const struct target *t, struct spot a, struct spot b, uint16_t *out)
{
	int u0, u1, v0, v1;
	float mm = 500.0f * (a.z + b.z) + 0.5f; /* of its middle */
	float margin = MARGIN * fmaxf(fabsf(a.u - b.u), fabsf(a.v - b.v));
	if (!(mm < MM_MAX + 1.0f) || !span(a.u, b.u, margin, t->width, &u0, &u1) ||
	    !span(a.v, b.v, margin, t->height, &v0, &v1))
		return;
	uint16_t value = mm < 1.0f ? 1 : (uint16_t)mm;
	for (int v = v0; v <= v1; v++)
		for (int u = u0; u <= u1; u++) {
			uint16_t *p = &out[(size_t)v * (size_t)t->width + (size_t)u];
			if (*p == 0 || value < *p)
				*p = value;
		}
}

void cairn_depth_align(
    const struct cairn_depth_alignment *a, const uint8_t *depth, uint32_t stride_bytes, uint16_t *ret_mm)
{
	const struct target t = {(float)a->color.fx, (float)a->color.fy, (float)a->color.cx,
	    (float)a->color.cy, (float)a->translation_m[0], (float)a->translation_m[1],
	    (float)a->translation_m[2], (int)a->color.width, (int)a->color.height};
	const float unit_m = (float)a->depth_unit_m;
	memset(ret_mm, 0, sizeof(*ret_mm) * a->color.width * a->color.height);
	for (uint32_t j = 0; j < a->depth.height; j++) {
		const uint16_t *from = (const uint16_t *)(const void *)(depth + (size_t)j * stride_bytes);
		const struct row top = row_at(a, -0.5, j - 0.5), bottom = row_at(a, 0.5, j + 0.5);
		for (uint32_t i = 0; i < a->depth.width; i++) {
			struct spot first, last;
			float z = (float)from[i] * unit_m;
			if (from[i] != 0 && lay(&t, &top, (float)i, z, &first) &&
			    lay(&t, &bottom, (float)i, z, &last))
				fill(&t, first, last, ret_mm);
		}
	}
}

const char *cairn_depth_align_picture(const struct cairn_depth_alignment *a,
    const struct cairn_camera_header *hdr, const uint8_t *payload, uint32_t pictures_width,
    uint32_t pictures_height, uint16_t *ret_mm, struct cairn_camera_header *ret_hdr)
{
	double across = (double)pictures_width * a->color.height,
	       down = (double)pictures_height * a->color.width;
	if (hdr->width != a->depth.width || hdr->height != a->depth.height || hdr->stride_bytes % 2 != 0)
		return "robot.depth_alignment: its depth has another size than the camera gives";
	if (fabs(across - down) > SHAPE_SHARE * across)
		return "robot.depth_alignment: its color has another shape than the camera's pictures";
	cairn_depth_align(a, payload, hdr->stride_bytes, ret_mm);
	*ret_hdr = *hdr;
	ret_hdr->width = a->color.width;
	ret_hdr->height = a->color.height;
	ret_hdr->stride_bytes = (uint32_t)sizeof(*ret_mm) * a->color.width;
	ret_hdr->payload_bytes = ret_hdr->stride_bytes * a->color.height;
	return NULL;
}
