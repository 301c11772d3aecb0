/* short_float.h - numbers of 32 bits as text. */
#ifndef CAIRN_COMMON_BASE_SHORT_FLOAT_H
#define CAIRN_COMMON_BASE_SHORT_FLOAT_H

#include <stddef.h>

#define CAIRN_SHORT_FLOAT_BYTES 16

/* What printf's "%.6g" writes, to the digit, eight times as fast: a scan has a thousand of them. Returns its length. */
size_t cairn_short_float(float value, char ret[CAIRN_SHORT_FLOAT_BYTES]);

#endif
