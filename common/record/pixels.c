#include "common/record/pixels.h"

#include <string.h>

#define CDR_HEADER 4

/* Reads XCDR1, little endian; `failed` once something reached over the end. */
struct reader {
	const uint8_t *data;
	size_t bytes, at; /* behind the header */
	bool failed;
};

static struct reader begin(struct cairn_mcap_bytes cdr)
{
	static const uint8_t header[CDR_HEADER] = {0, 1, 0, 0};
	struct reader r = {.failed = cdr.bytes < CDR_HEADER || memcmp(cdr.data, header, CDR_HEADER) != 0};
	if (!r.failed) {
		r.data = cdr.data + CDR_HEADER;
		r.bytes = cdr.bytes - CDR_HEADER;
	}
	return r;
}

static const uint8_t *take(struct reader *r, size_t align, size_t bytes)
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

static uint32_t take_u32(struct reader *r)
{
	const uint8_t *p = take(r, 4, 4);
	return p == NULL ? 0
			 : (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void skip_text(struct reader *r)
{
	(void)take(r, 1, take_u32(r));
}

static void skip_header(struct reader *r)
{
	(void)take(r, 4, 8); /* stamp */
	skip_text(r);        /* frame_id */
}

static bool take_bytes(struct reader *r, struct cairn_mcap_bytes *ret)
{
	uint32_t count = take_u32(r);
	const uint8_t *data = take(r, 1, count);
	*ret = (struct cairn_mcap_bytes){data, r->failed ? 0 : count};
	return !r->failed;
}

bool record_compressed_image(struct cairn_mcap_bytes cdr, struct cairn_mcap_bytes *ret)
{
	struct reader r = begin(cdr);
	skip_header(&r);
	skip_text(&r); /* format */
	return take_bytes(&r, ret);
}

bool record_image(struct cairn_mcap_bytes cdr, uint32_t *ret_width, uint32_t *ret_height, uint32_t *ret_step,
    struct cairn_mcap_bytes *ret)
{
	struct reader r = begin(cdr);
	skip_header(&r);
	*ret_height = take_u32(&r);
	*ret_width = take_u32(&r);
	skip_text(&r);        /* encoding: told by the head of the frame */
	(void)take(&r, 1, 1); /* is_bigendian */
	*ret_step = take_u32(&r);
	return take_bytes(&r, ret) && (uint64_t)*ret_step * *ret_height <= ret->bytes;
}

bool record_grid(
    struct cairn_mcap_bytes cdr, uint32_t *ret_width, uint32_t *ret_height, struct cairn_mcap_bytes *ret)
{
	struct reader r = begin(cdr);
	skip_header(&r);
	(void)take(&r, 4, 8); /* map_load_time */
	(void)take(&r, 4, 4); /* resolution */
	*ret_width = take_u32(&r);
	*ret_height = take_u32(&r);
	for (int i = 0; i < 7; i++) /* origin */
		(void)take(&r, 8, 8);
	return take_bytes(&r, ret) && (uint64_t)*ret_width * *ret_height <= ret->bytes;
}
