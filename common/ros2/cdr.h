/* cdr.h - values as CDR, the encoding of ROS 2 messages (XCDR1, little endian), into a buffer of the caller.
 *
 * Format: OMG DDS-XTypes 1.3, 7.4.1, and DDSI-RTPS 2.5, 10.2. Four bytes of header, 00 01 00 00, then the values: each is
 * aligned to its own size, counted from the end of the header, with zero bytes between. Nothing is written past the buffer,
 * nothing is allocated. */
#ifndef CAIRN_COMMON_ROS2_CDR_H
#define CAIRN_COMMON_ROS2_CDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_CDR_HEADER_BYTES 4

struct cairn_cdr {
	uint8_t *data;
	size_t capacity, bytes; /* bytes: written so far, the header among them */
	bool failed;            /* something did not fit; what is put after that is dropped */
};

/* Writes the header. */
void cairn_cdr_init(struct cairn_cdr *c, void *buf, size_t buf_bytes);
/* Bytes of the whole message, or -ENOBUFS. */
int cairn_cdr_end(const struct cairn_cdr *c);

void cairn_cdr_put_u8(struct cairn_cdr *c, uint8_t value);
void cairn_cdr_put_bool(struct cairn_cdr *c, bool value);
void cairn_cdr_put_u32(struct cairn_cdr *c, uint32_t value); /* also the count in front of a sequence */
void cairn_cdr_put_i32(struct cairn_cdr *c, int32_t value);
void cairn_cdr_put_f32(struct cairn_cdr *c, float value);
void cairn_cdr_put_f64(struct cairn_cdr *c, double value);
/* Length with the NUL, the text, the NUL. */
void cairn_cdr_put_text(struct cairn_cdr *c, const char *text);
/* Bytes as they are: the elements of a sequence of octets, behind its count. */
void cairn_cdr_put_bytes(struct cairn_cdr *c, const void *bytes, size_t count);

#endif
