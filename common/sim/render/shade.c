#include "common/sim/render/render_private.h"

#define BASEBOARD_M 0.07f

/* Light of the floor at world point (x, y), 0 .. 256. */
static float floor_light(const struct cairn_renderer *r, float x_m, float y_m)
{
	float gx = (x_m - (float)r->light_x_m) * (float)(1.0 / CAIRN_LIGHTMAP_CELL_M) - 0.5f;
	float gy = (y_m - (float)r->light_y_m) * (float)(1.0 / CAIRN_LIGHTMAP_CELL_M) - 0.5f;
	if (!(gx >= 0.0f && gy >= 0.0f && gx < (float)(r->light_cols - 1) && gy < (float)(r->light_rows - 1)))
		return 256.0f;
	int32_t c = (int32_t)gx, row = (int32_t)gy;
	float fx = gx - (float)c, fy = gy - (float)row;
	const uint8_t *p = &r->light[(size_t)row * (size_t)r->light_cols + (size_t)c], *q = p + r->light_cols;
	float top = (float)p[0] + (float)(p[1] - p[0]) * fx, low = (float)q[0] + (float)(q[1] - q[0]) * fx;
	return top + (low - top) * fy;
}

static int mip_level(const struct face *f, float z, float slope)
{
	/* Texels under one pixel, drawn out by the square root of the slant: between blur and shimmer. */
	float cosine = f->distance / (z * slope);
	float texels = f->texels_per_px * z * sqrtf(1.0f / high_of(cosine, 0.02f));
	int level = 0;
	while (texels > 1.4f && level < CAIRN_TEXTURE_LEVELS - 1) {
		texels *= 0.5f;
		level++;
	}
	return level;
}

/* A stretch of one row that shows one face, in arrays so that the compiler can use its vector units. */
struct chunk {
	int32_t n;
	float x[CAIRN_CHUNK_PX]; /* pixel centre from the optical axis */
	float z[CAIRN_CHUNK_PX], s[CAIRN_CHUNK_PX], t[CAIRN_CHUNK_PX];
	float shade[CAIRN_CHUNK_PX], r[CAIRN_CHUNK_PX], g[CAIRN_CHUNK_PX], b[CAIRN_CHUNK_PX];
	int32_t texel_at[CAIRN_CHUNK_PX], r8[CAIRN_CHUNK_PX], g8[CAIRN_CHUNK_PX], b8[CAIRN_CHUNK_PX];
};

CAIRN_WIDE static void chunk_coordinates(
    struct chunk *k, const struct face *f, const float *z, float x0, float y, int level)
{
	float s_row = f->s_f + f->s_d * y, t_row = f->t_f + f->t_d * y, s_r = f->s_r, t_r = f->t_r;
	int mask = (CAIRN_TEXTURE_SIDE >> level) - 1, bits = 8 - level;
	for (int32_t i = 0; i < CAIRN_CHUNK_PX; i++) {
		float x = x0 + (float)i;
		k->x[i] = x;
		k->s[i] = f->s_base + z[i] * (s_row + s_r * x);
		k->t[i] = f->t_base + z[i] * (t_row + t_r * x);
	}
	for (int32_t i = 0; i < CAIRN_CHUNK_PX; i++)
		k->texel_at[i] =
		    ((((int32_t)k->t[i] >> level) & mask) << bits) + (((int32_t)k->s[i] >> level) & mask);
}

/* The floor's light changes slowly: exact at every eighth pixel, straight between. */
static void chunk_floor_light(struct chunk *k, const struct cairn_renderer *r, const struct face *f)
{
	float to_m = f->texels_per_m > 0.0f ? 1.0f / f->texels_per_m : 0.0f, from = 0.0f;
	for (int32_t i = 0; i <= k->n - 1 + 8 && i < CAIRN_CHUNK_PX + 8; i += 8) {
		int32_t at = i < k->n ? i : k->n - 1;
		float to = floor_light(r, (k->s[at] - 65536.0f) * to_m, (k->t[at] - 65536.0f) * to_m);
		int32_t span = i == 0 ? 1 : at - (i - 8);
		for (int32_t j = i - 8; j < at && i > 0; j++)
			k->shade[j] = from + (to - from) * (float)(j - (i - 8)) / (float)span;
		k->shade[at] = to;
		from = to;
	}
}

/* Sides are darker near floor and ceiling; walls have a baseboard. */
static void chunk_side_light(
    struct chunk *k, const struct cairn_renderer *r, const struct face *f, const float *z, float y)
{
	float z_row = f->z_f + f->z_d * y, to_step = (float)(CAIRN_SHADE_STEPS / r->world->ceiling_m),
	      eye_z = (float)r->eye.z;
	for (int32_t i = 0; i < k->n; i++) {
		float up = eye_z + z[i] * (z_row + f->z_r * k->x[i]);
		int32_t step = (int32_t)(up * to_step);
		k->shade[i] = r->shade[step < 0                    ? 0
				       : step >= CAIRN_SHADE_STEPS ? CAIRN_SHADE_STEPS - 1
								   : step];
		if (f->board && up < BASEBOARD_M) {
			k->r[i] = k->g[i] = up > BASEBOARD_M - 0.012f ? 340.0f : 460.0f;
			k->b[i] = k->r[i] - 16.0f;
		}
	}
}

CAIRN_WIDE static void chunk_paint(struct chunk *k, const struct face *f)
{
	float pr = f->r, pg = f->g, pb = f->b;
	for (int32_t i = 0; i < CAIRN_CHUNK_PX; i++) {
		k->r[i] = pr;
		k->g[i] = pg;
		k->b[i] = pb;
		k->shade[i] = 0.0f;
	}
}

CAIRN_WIDE static void chunk_colours(struct chunk *k, const uint32_t *texels, float fog)
{
	float scale =
	    fog *
	    (1.0f / 16777216.0f); /* paint, shade and fog have 256 for one; texels 128, paint twice that */
	int32_t n = (k->n + 7) & ~7;
	for (int32_t i = 0; i < n; i++) {
		int32_t texel = (int32_t)texels[k->texel_at[i]];
		float shade = k->shade[i] * scale;
		k->r8[i] = (int32_t)low_of((float)(texel & 255) * k->r[i] * shade, 255.0f);
		k->g8[i] = (int32_t)low_of((float)((texel >> 8) & 255) * k->g[i] * shade, 255.0f);
		k->b8[i] = (int32_t)low_of((float)((texel >> 16) & 255) * k->b[i] * shade, 255.0f);
	}
}

/* Colours n pixels from column x0 of row y, which all show face f. z: their depths, readable for
 * CAIRN_CHUNK_PX values. */
static void shade_chunk(const struct cairn_renderer *r, struct chunk *k, const struct face *f, const float *z,
    int32_t y, int32_t x0, int32_t n, uint8_t *out)
{
	float yc = (float)y + 0.5f - 0.5f * (float)r->cam.height_px;
	float xc = (float)x0 + 0.5f - 0.5f * (float)r->cam.width_px, xm = xc + 0.5f * (float)n;
	float inv_f = (float)(1.0 / r->focal_px), slope = sqrtf(1.0f + (xm * xm + yc * yc) * inv_f * inv_f);
	float z_mid = z[n / 2];
	int level = mip_level(f, z_mid, slope);
	k->n = n;
	chunk_coordinates(k, f, z, xc, yc, level);
	chunk_paint(k, f);
	if (f->floor)
		chunk_floor_light(k, r, f);
	else
		chunk_side_light(k, r, f, z, yc);
	chunk_colours(k, r->textures[f->texture].level[level], 256.0f - low_of(60.0f, 4.0f * z_mid));
	for (int32_t i = 0; i < n; i++) {
		out[3 * i] = (uint8_t)k->r8[i];
		out[3 * i + 1] = (uint8_t)k->g8[i];
		out[3 * i + 2] = (uint8_t)k->b8[i];
	}
}

CAIRN_WIDE static void row_depths(
    const float *restrict inv, float *restrict z, uint16_t *restrict depth_mm, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		z[i] = 1.0f / high_of(inv[i], 1.0f / 100.0f);
	for (int32_t i = 0; i < n; i++) {
		int32_t mm = (int32_t)(1000.0f * z[i] + 0.5f);
		depth_mm[i] = (uint16_t)(mm > 65534 ? 0 : mm);
	}
}

void cairn_renderer_shade(struct cairn_renderer *r, uint8_t *rgb, uint16_t *depth_mm)
{
	int32_t width = r->cam.width_px;
	struct chunk k = {.n = 0};
	for (int32_t y = 0; y < r->cam.height_px; y++) {
		size_t row = (size_t)y * (size_t)width;
		const uint32_t *ids = &r->face_of[row];
		row_depths(&r->inv_depth[row], r->row_z, &depth_mm[row], width);
		for (int32_t x = 0; x < width;) {
			int32_t end = x + 1, limit = x + CAIRN_CHUNK_PX < width ? x + CAIRN_CHUNK_PX : width;
			while (end < limit && ids[end] == ids[x])
				end++;
			shade_chunk(r, &k, &r->faces[ids[x]], &r->row_z[x], y, x, end - x,
			    &rgb[(row + (size_t)x) * 3]);
			x = end;
		}
	}
}
