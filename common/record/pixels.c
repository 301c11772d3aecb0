#include "common/record/pixels.h"

#include "common/ros2/cdr_read.h"

static void skip_header(struct cairn_cdr_reader *r)
{
	cairn_cdr_skip(r, 4, 2);      /* stamp */
	(void)cairn_cdr_take_text(r); /* frame_id */
}

static bool take_bytes(struct cairn_cdr_reader *r, struct cairn_mcap_bytes *ret)
{
	uint32_t count;
	const uint8_t *data = cairn_cdr_take_bytes(r, &count);
	*ret = (struct cairn_mcap_bytes){data, count};
	return !r->failed;
}

bool record_compressed_image(struct cairn_mcap_bytes cdr, struct cairn_mcap_bytes *ret)
{
	struct cairn_cdr_reader r;
	cairn_cdr_read(&r, cdr.data, cdr.bytes);
	skip_header(&r);
	(void)cairn_cdr_take_text(&r); /* format */
	return take_bytes(&r, ret);
}

bool record_image(struct cairn_mcap_bytes cdr, uint32_t *ret_width, uint32_t *ret_height, uint32_t *ret_step,
    struct cairn_mcap_bytes *ret)
{
	struct cairn_cdr_reader r;
	cairn_cdr_read(&r, cdr.data, cdr.bytes);
	skip_header(&r);
	*ret_height = cairn_cdr_take_u32(&r);
	*ret_width = cairn_cdr_take_u32(&r);
	(void)cairn_cdr_take_text(&r); /* encoding: told by the head of the frame */
	(void)cairn_cdr_take_u8(&r);   /* is_bigendian */
	*ret_step = cairn_cdr_take_u32(&r);
	return take_bytes(&r, ret) && (uint64_t)*ret_step * *ret_height <= ret->bytes;
}

bool record_grid(
    struct cairn_mcap_bytes cdr, uint32_t *ret_width, uint32_t *ret_height, struct cairn_mcap_bytes *ret)
{
	struct cairn_cdr_reader r;
	cairn_cdr_read(&r, cdr.data, cdr.bytes);
	skip_header(&r);
	cairn_cdr_skip(&r, 4, 2);     /* map_load_time */
	(void)cairn_cdr_take_f32(&r); /* resolution */
	*ret_width = cairn_cdr_take_u32(&r);
	*ret_height = cairn_cdr_take_u32(&r);
	cairn_cdr_skip(&r, 8, 7); /* origin */
	return take_bytes(&r, ret) && (uint64_t)*ret_width * *ret_height <= ret->bytes;
}
