#include "common/ros2/cdr.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* Room for `bytes` at a place aligned to `align`, or NULL. */
static uint8_t *room(struct cairn_cdr *c, size_t align, size_t bytes)
{
	size_t padding = (align - (c->bytes - CAIRN_CDR_HEADER_BYTES) % align) % align;
	size_t left = c->capacity - c->bytes;
	if (c->failed || padding > left || bytes > left - padding) {
		c->failed = true;
		return NULL;
	}
	memset(c->data + c->bytes, 0, padding);
	uint8_t *at = c->data + c->bytes + padding;
	c->bytes += padding + bytes;
	return at;
}

static void put(struct cairn_cdr *c, size_t bytes, uint64_t value)
{
	uint8_t *at = room(c, bytes, bytes);
	for (size_t i = 0; at != NULL && i < bytes; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

void cairn_cdr_init(struct cairn_cdr *c, void *buf, size_t buf_bytes)
{
	static const uint8_t header[CAIRN_CDR_HEADER_BYTES] = {0, 1, 0, 0};
	*c = (struct cairn_cdr){.data = buf, .capacity = buf_bytes, .failed = buf_bytes < sizeof(header)};
	if (c->failed)
		return;
	memcpy(c->data, header, sizeof(header));
	c->bytes = sizeof(header);
}

int cairn_cdr_end(const struct cairn_cdr *c)
{
	return c->failed || c->bytes > INT_MAX ? -ENOBUFS : (int)c->bytes;
}

void cairn_cdr_put_u8(struct cairn_cdr *c, uint8_t value)
{
	put(c, 1, value);
}

void cairn_cdr_put_bool(struct cairn_cdr *c, bool value)
{
	put(c, 1, value);
}

void cairn_cdr_put_u32(struct cairn_cdr *c, uint32_t value)
{
	put(c, 4, value);
}

void cairn_cdr_put_i32(struct cairn_cdr *c, int32_t value)
{
	put(c, 4, (uint32_t)value);
}

void cairn_cdr_put_f32(struct cairn_cdr *c, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	put(c, 4, bits);
}

void cairn_cdr_put_f64(struct cairn_cdr *c, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	put(c, 8, bits);
}

void cairn_cdr_put_text(struct cairn_cdr *c, const char *text)
{
	size_t bytes = strlen(text) + 1;
	if (bytes > UINT32_MAX) {
		c->failed = true;
		return;
	}
	cairn_cdr_put_u32(c, (uint32_t)bytes);
	cairn_cdr_put_bytes(c, text, bytes);
}

void cairn_cdr_put_bytes(struct cairn_cdr *c, const void *bytes, size_t count)
{
	uint8_t *at = room(c, 1, count);
	if (at != NULL && count > 0)
		memcpy(at, bytes, count);
}
