/* frame_recorder.c - frames of the data plane in a recording. */
#include <string.h>

#include "common/percept/snapshot.h"
#include "common/record/message_recorder_private.h"

#define HEAD_BYTES 1024 /* of a ROS 2 message, in front of its pixels; and padding */

static struct cairn_header header_of(const struct cairn_frame_header *h)
{
	return (struct cairn_header){.version = CAIRN_SCHEMA_VERSION,
	    .seq = h->seq,
	    .epoch = h->epoch,
	    .t_ns = h->t_ns,
	    .valid = true};
}

static bool write_ros2(struct cairn_message_recorder *r, const char *name, enum cairn_ros2_type type,
    const struct cairn_header *hdr, const void *from, size_t pixel_bytes, int64_t logged_ns)
{
	uint16_t channel = record_ros2_channel(r, name, type);
	if (!record_reserve(r, pixel_bytes + HEAD_BYTES))
		return false;
	int bytes =
	    cairn_ros2_encode(type, hdr->t_ns + r->options.clock_offset_ns, from, r->buf, r->buf_bytes);
	return record_write(r, channel, hdr, bytes, logged_ns);
}

static bool write_jpeg(struct cairn_message_recorder *r, const char *name, const struct cairn_header *hdr,
    const void *data, size_t bytes, int64_t logged_ns)
{
	const struct cairn_ros2_jpeg jpeg = {data, (uint32_t)bytes, CAIRN_ROS2_FRAME_CAMERA};
	return write_ros2(r, name, CAIRN_ROS2_COMPRESSED_IMAGE, hdr, &jpeg, bytes, logged_ns);
}

static bool write_head(struct cairn_message_recorder *r, enum cairn_frame_topic topic,
    const struct cairn_msg_desc *desc, const struct cairn_header *hdr, const void *msg, int64_t logged_ns)
{
	char name[RECORD_NAME_BYTES];
	snprintf(name, sizeof(name), "/cairn/%s", cairn_frame_topics[topic].name);
	uint16_t channel = record_json_channel(r, name, desc);
	int bytes = cairn_msg_to_json(desc, hdr, msg, r->buf, r->buf_bytes);
	return record_write(r, channel, hdr, bytes, logged_ns);
}

static bool write_frame_head(struct cairn_message_recorder *r, enum cairn_frame_topic topic,
    const struct cairn_frame_header *h, int64_t logged_ns)
{
	const struct cairn_msg_recorded_frame head = {.format = h->format,
	    .width_px = h->width,
	    .height_px = h->height,
	    .origin_x_m = h->origin_x_m,
	    .origin_y_m = h->origin_y_m,
	    .cell_m = h->cell_m,
	    .pose_x_m = h->pose_x_m,
	    .pose_y_m = h->pose_y_m,
	    .pose_yaw_rad = h->pose_yaw_rad};
	const struct cairn_header hdr = header_of(h);
	return write_head(r, topic, &cairn_desc_recorded_frame, &hdr, &head, logged_ns);
}

static bool add_camera(struct cairn_message_recorder *r, const struct cairn_frame_header *h,
    const void *payload, int64_t logged_ns)
{
	struct cairn_error err;
	if (h->format != CAIRN_FORMAT_RGB8 || h->width == 0 || h->height == 0 ||
	    h->stride_bytes < 3 * (uint64_t)h->width ||
	    (uint64_t)h->stride_bytes * h->height > h->payload_bytes)
		return true;
	if (r->jpeg == NULL || h->width != r->jpeg_width || h->height != r->jpeg_height) {
		cairn_jpeg_destroy(&r->jpeg);
		r->jpeg = cairn_jpeg_new((int)h->width, (int)h->height, &err);
		r->jpeg_width = h->width;
		r->jpeg_height = h->height;
	}
	const struct cairn_canvas canvas = {.rgb = (uint8_t *)(uintptr_t)payload,
	    .width_px = (int)h->width,
	    .height_px = (int)h->height,
	    .stride_bytes = (int)h->stride_bytes};
	size_t bytes = 0;
	const uint8_t *data = r->jpeg != NULL
				  ? cairn_jpeg_encode(r->jpeg, &canvas, r->options.jpeg_quality, &bytes, &err)
				  : NULL;
	const struct cairn_header hdr = header_of(h);
	return data != NULL && write_frame_head(r, CAIRN_FRAME_CAMERA_RGB, h, logged_ns) &&
	       write_jpeg(r, CAIRN_ROS2_TOPIC_CAMERA, &hdr, data, bytes, logged_ns);
}

/* Depth and grid: as they are. */
static bool add_pixels(struct cairn_message_recorder *r, enum cairn_frame_topic topic, const char *name,
    enum cairn_ros2_type type, const struct cairn_frame_header *h, const void *payload, int64_t logged_ns)
{
	const struct cairn_ros2_frame frame = {h, payload, CAIRN_ROS2_FRAME_CAMERA};
	const struct cairn_header hdr = header_of(h);
	return write_frame_head(r, topic, h, logged_ns) &&
	       write_ros2(r, name, type, &hdr, &frame, h->payload_bytes, logged_ns);
}

/* FNV-1a over what a reader sees of a grid. */
static uint64_t hash_of(const struct cairn_frame_header *h, const uint8_t *cells)
{
	const double place[] = {h->origin_x_m, h->origin_y_m, h->cell_m};
	const uint8_t *bytes = (const uint8_t *)place;
	uint64_t hash = UINT64_C(14695981039346656037) ^ ((uint64_t)h->width << 32 | h->height);
	for (size_t i = 0; i < sizeof(place); i++)
		hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
	for (uint32_t y = 0; y < h->height; y++)
		for (uint32_t x = 0; x < h->width; x++)
			hash = (hash ^ cells[(size_t)y * h->stride_bytes + x]) * UINT64_C(1099511628211);
	return hash != 0 ? hash : 1;
}

static bool add_map(struct cairn_message_recorder *r, const struct cairn_frame_header *h, const void *payload,
    int64_t logged_ns)
{
	if (h->format != CAIRN_FORMAT_GRID8 || h->stride_bytes < h->width ||
	    (uint64_t)h->stride_bytes * h->height > h->payload_bytes)
		return true;
	uint64_t hash = hash_of(h, payload);
	if (hash == r->map_hash)
		return true;
	r->map_hash = hash;
	return add_pixels(
	    r, CAIRN_FRAME_MAP_GRID, CAIRN_ROS2_TOPIC_MAP, CAIRN_ROS2_OCCUPANCY_GRID, h, payload, logged_ns);
}

static bool add_depth(struct cairn_message_recorder *r, const struct cairn_frame_header *h,
    const void *payload, int64_t logged_ns)
{
	if (h->format != CAIRN_FORMAT_DEPTH16 || h->stride_bytes < 2 * (uint64_t)h->width ||
	    (uint64_t)h->stride_bytes * h->height > h->payload_bytes)
		return true;
	return add_pixels(
	    r, CAIRN_FRAME_CAMERA_DEPTH, CAIRN_ROS2_TOPIC_DEPTH, CAIRN_ROS2_IMAGE, h, payload, logged_ns);
}

static bool add_snapshot(struct cairn_message_recorder *r, const struct cairn_frame_header *h,
    const void *payload, int64_t logged_ns)
{
	struct cairn_snapshot s;
	struct cairn_error err;
	if (h->format != CAIRN_FORMAT_SNAPSHOT || !cairn_snapshot_read(payload, h->payload_bytes, &s, &err))
		return true;
	struct cairn_msg_recorded_snapshot *m = &r->snapshot;
	*m = (struct cairn_msg_recorded_snapshot){.snapshot_id = s.head.snapshot_id,
	    .t_rgb_ns = s.head.t_rgb_ns,
	    .t_depth_ns = s.head.t_depth_ns,
	    .t_scan_ns = s.head.t_scan_ns,
	    .t_pose_ns = s.head.t_pose_ns,
	    .x_m = s.head.x_m,
	    .y_m = s.head.y_m,
	    .yaw_rad = s.head.yaw_rad,
	    .nearest_m = s.head.nearest_m,
	    .similarity = s.head.similarity,
	    .trigger = (enum cairn_trigger)s.head.trigger,
	    .image_needed = s.head.image_needed != 0,
	    .sector_m_count = 12,
	    .feasibility_count = 6,
	    .jpeg_bytes = s.head.jpeg_bytes,
	    .view_bytes = s.head.view_bytes};
	memcpy(m->sector_m, s.head.sector_m, sizeof(m->sector_m));
	memcpy(m->feasibility, s.head.feasibility, sizeof(m->feasibility));
	memcpy(
	    m->text, s.text, s.head.text_bytes < sizeof(m->text) ? s.head.text_bytes : sizeof(m->text) - 1);
	const struct cairn_header hdr = header_of(h);
	return write_head(r, CAIRN_FRAME_SNAPSHOT, &cairn_desc_recorded_snapshot, &hdr, m, logged_ns) &&
	       (s.jpeg == NULL ||
		   write_jpeg(r, CAIRN_ROS2_TOPIC_SNAPSHOT, &hdr, s.jpeg, s.head.jpeg_bytes, logged_ns)) &&
	       (s.view == NULL ||
		   write_jpeg(r, CAIRN_ROS2_TOPIC_VIEW, &hdr, s.view, s.head.view_bytes, logged_ns));
}

bool cairn_message_recorder_frame(struct cairn_message_recorder *r, enum cairn_frame_topic topic,
    const struct cairn_frame_header *hdr, const void *payload, int64_t logged_ns)
{
	switch (topic) {
	case CAIRN_FRAME_CAMERA_RGB:
		return add_camera(r, hdr, payload, logged_ns);
	case CAIRN_FRAME_CAMERA_DEPTH:
		return add_depth(r, hdr, payload, logged_ns);
	case CAIRN_FRAME_MAP_GRID:
		return add_map(r, hdr, payload, logged_ns);
	case CAIRN_FRAME_SNAPSHOT:
		return add_snapshot(r, hdr, payload, logged_ns);
	default:
		return true;
	}
}
