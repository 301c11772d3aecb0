#include "procs/robot-sim/pair.h"

#include <stdlib.h>
#include <string.h>

#include "common/device/camera_link.h"

static size_t rgb_bytes(const struct picture_pair *pair)
{
	return (size_t)pair->width_px * pair->height_px * 3;
}

static size_t depth_bytes(const struct picture_pair *pair)
{
	return (size_t)pair->width_px * pair->height_px * 2;
}

bool picture_pair_init(
    struct picture_pair *pair, struct camera_server *server, uint32_t width_px, uint32_t height_px)
{
	*pair = (struct picture_pair){.server = server, .width_px = width_px, .height_px = height_px};
	pair->depth_mm = malloc(depth_bytes(pair));
	return pair->depth_mm != NULL;
}

bool picture_pair_begin(struct picture_pair *pair, uint8_t **ret_rgb)
{
	pair->room = camera_server_room(
	    pair->server, 2 * CAIRN_CAMERA_HEADER_BYTES + rgb_bytes(pair) + depth_bytes(pair));
	*ret_rgb = pair->room + CAIRN_CAMERA_HEADER_BYTES;
	return pair->room != NULL;
}

void picture_pair_send(struct picture_pair *pair, int64_t t_ns)
{
	struct cairn_camera_header h = {.version = CAIRN_CAMERA_VERSION,
	    .format = CAIRN_CAMERA_RGB8,
	    .width = pair->width_px,
	    .height = pair->height_px,
	    .stride_bytes = pair->width_px * 3,
	    .t_ns = t_ns,
	    .seq = ++pair->seq,
	    .payload_bytes = (uint32_t)rgb_bytes(pair)};
	uint8_t *depth = pair->room + CAIRN_CAMERA_HEADER_BYTES + rgb_bytes(pair);
	cairn_camera_header_write(pair->room, &h);
	h.format = CAIRN_CAMERA_DEPTH16;
	h.stride_bytes = pair->width_px * 2;
	h.payload_bytes = (uint32_t)depth_bytes(pair);
	cairn_camera_header_write(depth, &h);
	memcpy(depth + CAIRN_CAMERA_HEADER_BYTES, pair->depth_mm, depth_bytes(pair));
	camera_server_send(pair->server);
}

void picture_pair_free(struct picture_pair *pair)
{
	free(pair->depth_mm);
	pair->depth_mm = NULL;
}
