/* png16.h - depth pictures: grey PNG of 16 bits, not interlaced (PNG specification, second edition). Nothing in them is believed. */
#ifndef CAIRN_COMMON_RECORD_PNG16_H
#define CAIRN_COMMON_RECORD_PNG16_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

/* Pixels, row by row, to be freed. NULL with the reason. */
uint16_t *record_png16(const void *data, size_t bytes, uint32_t px_max, uint32_t *ret_width_px,
    uint32_t *ret_height_px, struct cairn_error *err);

#endif
