/* cdr_read.h - values out of CDR, the encoding of ROS 2 messages (XCDR1, either byte order), which somebody else has written.
 *
 * Format: see cdr.h. Whatever the bytes are, nothing is read beyond their end: from the first value that would reach over it
 * all are zero, and `failed` says so. Texts and sequences are handed out in place. */
#ifndef CAIRN_COMMON_ROS2_CDR_READ_H
#define CAIRN_COMMON_ROS2_CDR_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cairn_cdr_reader {
	const uint8_t *data; /* behind the header */
	size_t bytes, at;
	bool swapped; /* big endian */
	bool failed;
};

/* Another header than that of plain CDR fails at once. */
void cairn_cdr_read(struct cairn_cdr_reader *r, const void *cdr, size_t bytes);

uint8_t cairn_cdr_take_u8(struct cairn_cdr_reader *r);
uint32_t cairn_cdr_take_u32(struct cairn_cdr_reader *r);
int32_t cairn_cdr_take_i32(struct cairn_cdr_reader *r);
float cairn_cdr_take_f32(struct cairn_cdr_reader *r);
double cairn_cdr_take_f64(struct cairn_cdr_reader *r);
/* A text with its NUL, which is in the bytes; "" when it failed. */
const char *cairn_cdr_take_text(struct cairn_cdr_reader *r);
/* A sequence of octets; NULL and 0 when it failed. */
const uint8_t *cairn_cdr_take_bytes(struct cairn_cdr_reader *r, uint32_t *ret_count);
/* Passes over count values of so many bytes each (1, 2, 4 or 8). */
void cairn_cdr_skip(struct cairn_cdr_reader *r, size_t bytes, size_t count);

#endif
