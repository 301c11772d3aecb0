#include "common/device/camera_link.h"

#include "common/base/geom.h"
#include "ipc/topics.h"

static void put(uint8_t *out, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		out[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *in, int bytes)
{
	uint64_t value = 0;
	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)in[i] << (8 * i);
	return value;
}

void cairn_camera_header_write(uint8_t out[CAIRN_CAMERA_HEADER_BYTES], const struct cairn_camera_header *hdr)
{
	put(out, CAIRN_CAMERA_MAGIC, 4);
	put(out + 4, hdr->version, 2);
	put(out + 6, hdr->format, 2);
	put(out + 8, hdr->width, 4);
	put(out + 12, hdr->height, 4);
	put(out + 16, hdr->stride_bytes, 4);
	put(out + 20, (uint64_t)hdr->t_ns, 8);
	put(out + 28, hdr->seq, 4);
	put(out + 32, hdr->payload_bytes, 4);
}

uint32_t cairn_camera_pixel_bytes(uint16_t format)
{
	return format == CAIRN_CAMERA_RGB8 ? 3 : format == CAIRN_CAMERA_DEPTH16 ? 2 : 0;
}

bool cairn_camera_is_colour(uint16_t format)
{
	return format != CAIRN_CAMERA_DEPTH16;
}

/* Do rows and payload make up a picture of this size? A JPEG says its size itself. */
static bool whole(const struct cairn_camera_header *h)
{
	uint64_t rows = (uint64_t)h->stride_bytes * h->height;
	switch (h->format) {
	case CAIRN_CAMERA_JPEG:
		return h->payload_bytes > 0;
	case CAIRN_CAMERA_NV12:
		return h->width % 2 == 0 && h->height % 2 == 0 && h->stride_bytes >= h->width &&
		       rows + rows / 2 == h->payload_bytes;
	case CAIRN_CAMERA_YUYV:
		return h->width % 2 == 0 && h->stride_bytes >= 2 * h->width && rows == h->payload_bytes;
	default:
		return h->stride_bytes >= h->width * cairn_camera_pixel_bytes(h->format) &&
		       rows == h->payload_bytes;
	}
}

static bool usable(const struct cairn_camera_header *h, const struct cairn_camera_want *want,
    const struct cairn_camera_order *order, int64_t now_ns, struct cairn_error *err)
{
	if (h->format < CAIRN_CAMERA_JPEG || h->format >= CAIRN_CAMERA_FORMATS)
		cairn_error_set(err, "picture format %u is not known", h->format);
	else if (h->width == 0 || h->height == 0 || h->width > CAIRN_CAMERA_SIDE_MAX ||
		 h->height > CAIRN_CAMERA_SIDE_MAX)
		cairn_error_set(err, "picture of %u x %u", h->width, h->height);
	else if (!whole(h))
		cairn_error_set(err, "rows of %u bytes do not make up a picture of %u bytes", h->stride_bytes,
		    h->payload_bytes);
	else if (h->t_ns > now_ns + CAIRN_STAMP_AHEAD_NS)
		cairn_error_set(err, "picture from the future");
	else if (h->t_ns < now_ns - want->age_max_ns)
		cairn_error_set(err, "picture too old");
	else if (order->some[h->format] &&
		 (h->t_ns <= order->t_ns[h->format] || h->seq == order->seq[h->format]))
		cairn_error_set(err, "picture repeated or out of order");
	else
		return true;
	return false;
}

enum cairn_camera_verdict cairn_camera_judge(const struct cairn_camera_header *h,
    const struct cairn_camera_want *want, struct cairn_camera_order *order, int64_t now_ns,
    struct cairn_error *err)
{
	if (!usable(h, want, order, now_ns, err))
		return CAIRN_CAMERA_SKIP;
	order->some[h->format] = true;
	order->t_ns[h->format] = h->t_ns;
	order->seq[h->format] = h->seq;
	bool as_it_is =
	    cairn_camera_pixel_bytes(h->format) > 0 && h->width == want->width && h->height == want->height;
	return as_it_is ? CAIRN_CAMERA_USE : CAIRN_CAMERA_MAKE;
}

enum cairn_camera_verdict cairn_camera_header_read(const uint8_t bytes[CAIRN_CAMERA_HEADER_BYTES],
    const struct cairn_camera_want *want, struct cairn_camera_order *order, int64_t now_ns,
    struct cairn_camera_header *hdr, struct cairn_error *err)
{
	if (get(bytes, 4) != CAIRN_CAMERA_MAGIC) {
		cairn_error_set(err, "no picture header where one was due");
		return CAIRN_CAMERA_BROKEN;
	}
	struct cairn_camera_header h = {.version = (uint16_t)get(bytes + 4, 2),
	    .format = (uint16_t)get(bytes + 6, 2),
	    .width = (uint32_t)get(bytes + 8, 4),
	    .height = (uint32_t)get(bytes + 12, 4),
	    .stride_bytes = (uint32_t)get(bytes + 16, 4),
	    .t_ns = (int64_t)get(bytes + 20, 8),
	    .seq = (uint32_t)get(bytes + 28, 4),
	    .payload_bytes = (uint32_t)get(bytes + 32, 4)};
	if (h.version != CAIRN_CAMERA_VERSION) {
		cairn_error_set(
		    err, "picture stream of version %u, this is %d", h.version, CAIRN_CAMERA_VERSION);
		return CAIRN_CAMERA_BROKEN;
	}
	if (h.payload_bytes > CAIRN_CAMERA_PAYLOAD_MAX) {
		cairn_error_set(err, "picture of %u bytes", h.payload_bytes);
		return CAIRN_CAMERA_BROKEN;
	}
	*hdr = h;
	return cairn_camera_judge(&h, want, order, now_ns, err);
}
