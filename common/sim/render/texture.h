/* texture.h - pictures of surfaces, made by formula, with smaller copies of each (mip maps).
 *
 * A texel is 0x00BBGGRR; 128 leaves the paint's colour as it is. Repeats in both directions; v grows upward.
 */
#ifndef CAIRN_COMMON_SIM_RENDER_TEXTURE_H
#define CAIRN_COMMON_SIM_RENDER_TEXTURE_H

#include "common/sim/world/world.h"

#define CAIRN_TEXTURE_SIDE 256
#define CAIRN_TEXTURE_LEVELS 7 /* 256 .. 4 */

struct cairn_texture_map {
	uint32_t *level[CAIRN_TEXTURE_LEVELS]; /* side CAIRN_TEXTURE_SIDE >> i */
	float texels_per_m;                    /* 0: stretched over the face */
};

/* All of them in one allocation (level[0] of the first owns it). False without memory. */
bool cairn_texture_make(struct cairn_texture_map maps[CAIRN_TEXTURE_COUNT]);
void cairn_texture_free(struct cairn_texture_map maps[CAIRN_TEXTURE_COUNT]);

#endif
