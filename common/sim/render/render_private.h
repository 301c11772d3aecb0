/* render_private.h - what the two halves of the renderer share: faces into buffers (render.c), buffers into
 * colours (shade.c). */
#ifndef CAIRN_COMMON_SIM_RENDER_RENDER_PRIVATE_H
#define CAIRN_COMMON_SIM_RENDER_RENDER_PRIVATE_H

#include "common/sim/render/render.h"
#include "common/sim/render/texture.h"

#define CAIRN_LIGHTMAP_CELL_M 0.05
#define CAIRN_SHADE_STEPS 64
#define CAIRN_CHUNK_PX 32 /* row_z is this much longer than a row */

/* The inner loops in two versions, the fitting one chosen when the program starts. (Not under the thread
 * sanitizer, which is not up yet when the choice is made.) */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define CAIRN_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define CAIRN_WIDE
#endif

/* Without the rules for not-a-number that keep fminf and its like from being one instruction. */
static inline float low_of(float a, float b)
{
	return a < b ? a : b;
}

static inline float high_of(float a, float b)
{
	return a > b ? a : b;
}

static inline double least(double a, double b)
{
	return a < b ? a : b;
}

static inline double most(double a, double b)
{
	return a > b ? a : b;
}

/* Numbers of what faces belong to: nothing, then the people, then the world's things in their order. */
#define CAIRN_DRAWN_NOTHING 0u
#define CAIRN_DRAWN_PEOPLE 1u
#define CAIRN_DRAWN_THINGS (CAIRN_DRAWN_PEOPLE + CAIRN_WORLD_PEOPLE_MAX)

struct vec3 {
	double x, y, z;
};

/* What is needed to colour a pixel of a face: with D = f + r X + d Y the direction of the pixel and Z its
 * depth, each texture coordinate is base + Z * (D . axis). */
struct face {
	float s_base, s_f, s_r, s_d;
	float t_base, t_f, t_r, t_d;
	float z_f, z_r, z_d; /* height above the floor */
	float distance;      /* of the plane from the camera: |n . D| = distance / Z */
	float texels_per_m;  /* larger of the two scales */
	float texels_per_px; /* at 1 m, for the choice of a mip map */
	uint16_t r, g, b;    /* paint times light, 256 = as it is */
	uint8_t texture;
	bool board, floor; /* has a baseboard; gets the floor's light map */
	uint32_t thing;    /* CAIRN_DRAWN_*, or CAIRN_DRAWN_THINGS and more: what it belongs to */
	uint32_t drawn_px; /* pixels of it in the picture, the hidden ones included */
};

struct cairn_renderer {
	const struct cairn_world *world;
	const struct cairn_props *props; /* never NULL */
	struct cairn_props as_built;
	struct cairn_camera cam;
	double focal_px;
	struct cairn_texture_map textures[CAIRN_TEXTURE_COUNT];
	float *inv_depth;
	float *row_z; /* of the row being coloured, CAIRN_CHUNK_PX longer than a row */
	uint32_t *face_of;
	struct face *faces;
	uint32_t face_count, face_cap;
	uint8_t *light; /* floor: 0 dark .. 255 */
	int32_t light_cols, light_rows;
	double light_x_m, light_y_m;
	uint16_t shade[CAIRN_SHADE_STEPS]; /* by height above the floor */
	/* of the picture being drawn */
	uint32_t thing;
	double range_m; /* what is farther is left out */
	struct vec3 eye, fwd, right, down;
};

/* Colours and depths of the picture in the buffers. */
void cairn_renderer_shade(struct cairn_renderer *r, uint8_t *rgb, uint16_t *depth_mm);

#endif
