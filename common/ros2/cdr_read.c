#include "common/ros2/cdr_read.h"

#include <string.h>

#include "common/ros2/cdr.h"

void cairn_cdr_read(struct cairn_cdr_reader *r, const void *cdr, size_t bytes)
{
	const uint8_t *p = cdr;
	*r = (struct cairn_cdr_reader){.failed = true};
	if (bytes < CAIRN_CDR_HEADER_BYTES || p[0] != 0 || p[1] > 1) /* the last two are options: padding */
		return;
	r->data = p + CAIRN_CDR_HEADER_BYTES;
	r->bytes = bytes - CAIRN_CDR_HEADER_BYTES;
	r->swapped = p[1] == 0;
	r->failed = false;
}

static const uint8_t *take(struct cairn_cdr_reader *r, size_t align, size_t bytes)
{
	size_t padding = (align - r->at % align) % align;
	if (r->failed || padding > r->bytes - r->at || bytes > r->bytes - r->at - padding) {
		r->failed = true;
		return NULL;
	}
	const uint8_t *at = r->data + r->at + padding;
	r->at += padding + bytes;
	return at;
}

static uint64_t take_value(struct cairn_cdr_reader *r, size_t bytes)
{
	const uint8_t *at = take(r, bytes, bytes);
	uint64_t value = 0;
	for (size_t i = 0; at != NULL && i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * (r->swapped ? bytes - 1 - i : i));
	return value;
}

uint8_t cairn_cdr_take_u8(struct cairn_cdr_reader *r)
{
	return (uint8_t)take_value(r, 1);
}

uint32_t cairn_cdr_take_u32(struct cairn_cdr_reader *r)
{
	return (uint32_t)take_value(r, 4);
}

int32_t cairn_cdr_take_i32(struct cairn_cdr_reader *r)
{
	return (int32_t)(uint32_t)take_value(r, 4);
}

float cairn_cdr_take_f32(struct cairn_cdr_reader *r)
{
	uint32_t bits = cairn_cdr_take_u32(r);
	float value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

double cairn_cdr_take_f64(struct cairn_cdr_reader *r)
{
	uint64_t bits = take_value(r, 8);
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

const uint8_t *cairn_cdr_take_bytes(struct cairn_cdr_reader *r, uint32_t *ret_count)
{
	uint32_t count = cairn_cdr_take_u32(r);
	const uint8_t *at = take(r, 1, count);
	*ret_count = at != NULL ? count : 0;
	return at;
}

const char *cairn_cdr_take_text(struct cairn_cdr_reader *r)
{
	uint32_t count;
	const uint8_t *at = cairn_cdr_take_bytes(r, &count);
	if (at != NULL && count > 0 && at[count - 1] == '\0')
		return (const char *)at;
	r->failed = r->failed || count > 0; /* a length of 0 is how some write an empty text */
	return "";
}

void cairn_cdr_skip(struct cairn_cdr_reader *r, size_t bytes, size_t count)
{
	if (count == 0)
		return;
	if (count > r->bytes / bytes + 1)
		r->failed = true;
	else
		(void)take(r, bytes, bytes * count);
}
