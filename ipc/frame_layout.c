#include "ipc/frame_layout.h"

#include <math.h>

#include "common/base/geom.h"

#define PROBE_BYTES 256 /* of a canary frame */

_Static_assert(sizeof(struct cairn_frame_header) == 96, "the header is part of the wire format");

bool cairn_snapshot_has_view(const struct cairn_config *cfg)
{
	return cfg->percept.show_map || cfg->percept.show_polar;
}

uint32_t cairn_frame_payload_max(const struct cairn_config *cfg, enum cairn_frame_topic topic)
{
	uint32_t px = (uint32_t)cfg->camera.width_px * (uint32_t)cfg->camera.height_px;
	switch (topic) {
	case CAIRN_FRAME_CAMERA_RGB:
		return px * 3;
	case CAIRN_FRAME_CAMERA_DEPTH:
		return px * 2;
	case CAIRN_FRAME_MAP_GRID: {
		uint32_t side = (uint32_t)ceil(cfg->map.extent_max_m / cfg->map.cell_m);
		return side * side;
	}
	case CAIRN_FRAME_SNAPSHOT:
		/* A 4:2:0 JPEG never needs more than the raw 12 bits a pixel and a little for its headers. */
		px += cairn_snapshot_has_view(cfg) ? CAIRN_SNAPSHOT_VIEW_PX * CAIRN_SNAPSHOT_VIEW_PX : 0;
		return (uint32_t)sizeof(struct cairn_snapshot_head) + CAIRN_SNAPSHOT_TEXT_MAX + px * 3 / 2 +
		       2 * 4096;
	case CAIRN_FRAME_CANARY:
		return PROBE_BYTES;
	case CAIRN_FRAME_COUNT:
		break;
	}
	return 0;
}

uint32_t cairn_frame_chunk_bytes(const struct cairn_config *cfg, enum cairn_frame_topic topic)
{
	uint32_t n = (uint32_t)sizeof(struct cairn_frame_header) + cairn_frame_payload_max(cfg, topic);
	return (n + 7u) & ~7u;
}

uint32_t cairn_frame_chunk_count(void)
{
	return CAIRN_FRAME_READERS * (CAIRN_FRAME_QUEUE + 1) + 1 + 1 + CAIRN_FRAME_QUEUE + 1;
}

uint64_t cairn_frame_missing(
    struct cairn_frame_order *order, const struct cairn_frame_header *hdr, bool usable)
{
	bool same = order->epoch != 0 && hdr->epoch == order->epoch;
	if ((!usable && !(same && hdr->seq == order->seq + 1)) || (same && hdr->seq <= order->seq))
		return 0;
	uint64_t missing = same ? hdr->seq - order->seq - 1 : 0;
	*order = (struct cairn_frame_order){hdr->epoch, hdr->seq};
	return missing;
}

bool cairn_frame_header_check(
    const struct cairn_frame_header *hdr, uint32_t payload_max, int64_t now_ns, struct cairn_error *err)
{
	if (hdr->magic != CAIRN_FRAME_MAGIC || hdr->version != CAIRN_FRAME_VERSION) {
		cairn_error_set(err, "not a frame of version %d (magic %08x, version %u)",
		    CAIRN_FRAME_VERSION, hdr->magic, hdr->version);
		return false;
	}
	if (hdr->format == CAIRN_FORMAT_NONE || hdr->format >= CAIRN_FORMAT_COUNT) {
		cairn_error_set(err, "unknown format %u", hdr->format);
		return false;
	}
	if (hdr->payload_bytes > payload_max) {
		cairn_error_set(
		    err, "payload of %u bytes, at most %u fit the topic", hdr->payload_bytes, payload_max);
		return false;
	}
	if (hdr->t_ns < 0) { /* its age would not fit */
		cairn_error_set(err, "stamp lies before the start of the clock");
		return false;
	}
	if (hdr->t_ns > now_ns + CAIRN_STAMP_AHEAD_NS) {
		cairn_error_set(err, "stamp lies %.3f s in the future", (double)(hdr->t_ns - now_ns) * 1e-9);
		return false;
	}
	static const uint8_t cell_bytes[CAIRN_FORMAT_COUNT] = {
	    [CAIRN_FORMAT_RGB8] = 3, [CAIRN_FORMAT_DEPTH16] = 2, [CAIRN_FORMAT_GRID8] = 1};
	uint64_t row = (uint64_t)hdr->width * cell_bytes[hdr->format];
	if (cell_bytes[hdr->format] != 0 &&
	    (hdr->width == 0 || hdr->height == 0 || hdr->stride_bytes < row ||
		(uint64_t)hdr->stride_bytes * hdr->height != hdr->payload_bytes)) {
		cairn_error_set(err, "%u x %u pixels with a stride of %u bytes do not make %u bytes",
		    hdr->width, hdr->height, hdr->stride_bytes, hdr->payload_bytes);
		return false;
	}
	return true;
}

bool cairn_frame_packed(const struct cairn_frame_header *hdr, enum cairn_frame_format format)
{
	static const uint32_t pixel_bytes[CAIRN_FORMAT_COUNT] = {
	    [CAIRN_FORMAT_RGB8] = 3, [CAIRN_FORMAT_DEPTH16] = 2, [CAIRN_FORMAT_GRID8] = 1};
	uint64_t row = (uint64_t)pixel_bytes[format] * hdr->width;
	bool placed = format != CAIRN_FORMAT_GRID8 ||
		      (hdr->cell_m > 0.0 && isfinite(hdr->origin_x_m) && isfinite(hdr->origin_y_m));
	return hdr->format == format && row > 0 && hdr->height > 0 && hdr->stride_bytes == row &&
	       hdr->payload_bytes == row * hdr->height && placed;
}
