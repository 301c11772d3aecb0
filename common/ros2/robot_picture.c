/* robot_picture.c - sensor_msgs/Image and CompressedImage of drivers as pictures of a camera helper. */
#include <math.h>
#include <string.h>

#include "common/ros2/robot_private.h"

#define DEPTH_MAX_MM 65535.0

/* Where red, green and blue stand in a pixel; of depth nothing. */
static const struct {
	const char *encoding;
	uint16_t format;
	uint8_t pixel_bytes, red, green, blue;
	bool metres;
} sources[] = {
    {"rgb8", CAIRN_CAMERA_RGB8, 3, 0, 1, 2, false},
    {"bgr8", CAIRN_CAMERA_RGB8, 3, 2, 1, 0, false},
    {"rgba8", CAIRN_CAMERA_RGB8, 4, 0, 1, 2, false},
    {"bgra8", CAIRN_CAMERA_RGB8, 4, 2, 1, 0, false},
    {"mono8", CAIRN_CAMERA_RGB8, 1, 0, 0, 0, false},
    {"16UC1", CAIRN_CAMERA_DEPTH16, 2, 0, 0, 0, false},
    {"mono16", CAIRN_CAMERA_DEPTH16, 2, 0, 0, 0, false},
    {"32FC1", CAIRN_CAMERA_DEPTH16, 4, 0, 0, 0, true},
};
#define SOURCE_COUNT ((int)(sizeof(sources) / sizeof(sources[0])))
#define SOURCE_JPEG SOURCE_COUNT

static int source_of(const char *encoding, uint16_t format)
{
	for (int i = 0; i < SOURCE_COUNT; i++)
		if (sources[i].format == format && strcmp(sources[i].encoding, encoding) == 0)
			return i;
	return -1;
}

static bool read_jpeg(struct cairn_ros2_robot *r, struct cairn_cdr_reader *c, struct cairn_ros2_picture *ret,
    struct cairn_error *err)
{
	uint32_t count;
	(void)cairn_cdr_take_text(c); /* "jpeg", or a sentence with that word in it: the bytes tell */
	ret->data = cairn_cdr_take_bytes(c, &count);
	if (c->failed || count < 4 || count > CAIRN_CAMERA_PAYLOAD_MAX || ret->data[0] != 0xFF ||
	    ret->data[1] != 0xD8)
		return ros2_robot_refuse(
		    r, err, "it is no whole sensor_msgs/CompressedImage with a JPEG in it");
	ret->source = SOURCE_JPEG;
	ret->hdr.format = CAIRN_CAMERA_JPEG;
	/* It tells its own size. */
	ret->hdr.width = (uint32_t)r->cfg->camera.width_px;
	ret->hdr.height = (uint32_t)r->cfg->camera.height_px;
	ret->hdr.stride_bytes = 3 * ret->hdr.width;
	ret->hdr.payload_bytes = count;
	return true;
}

static bool read_image(struct cairn_ros2_robot *r, struct cairn_cdr_reader *c, uint16_t format,
    struct cairn_ros2_picture *ret, struct cairn_error *err)
{
	uint32_t count, height = cairn_cdr_take_u32(c), width = cairn_cdr_take_u32(c);
	const char *encoding = cairn_cdr_take_text(c);
	bool big_endian = cairn_cdr_take_u8(c) != 0;
	ret->step_bytes = cairn_cdr_take_u32(c);
	ret->data = cairn_cdr_take_bytes(c, &count);
	if (c->failed)
		return ros2_robot_refuse(r, err, "it is no whole sensor_msgs/Image");
	ret->source = source_of(encoding, format);
	if (ret->source < 0) {
		r->refused++;
		cairn_error_set(err, "its encoding is '%.32s'; %s is read", encoding,
		    format == CAIRN_CAMERA_RGB8 ? "rgb8, bgr8, rgba8, bgra8 or mono8"
						: "16UC1, mono16 or 32FC1");
		return false;
	}
	uint32_t pixel_bytes = sources[ret->source].pixel_bytes;
	if (width == 0 || height == 0 || width > CAIRN_CAMERA_SIDE_MAX || height > CAIRN_CAMERA_SIDE_MAX ||
	    ret->step_bytes < width * pixel_bytes || (uint64_t)ret->step_bytes * height > count)
		return ros2_robot_refuse(r, err, "its size, rows and data do not go together");
	if (big_endian && format == CAIRN_CAMERA_DEPTH16)
		return ros2_robot_refuse(r, err, "its pixels are big-endian, which is not read");
	ret->hdr.format = format;
	ret->hdr.width = width;
	ret->hdr.height = height;
	ret->hdr.stride_bytes = width * cairn_camera_pixel_bytes(format);
	ret->hdr.payload_bytes = ret->hdr.stride_bytes * height;
	return ret->hdr.payload_bytes <= CAIRN_CAMERA_PAYLOAD_MAX ||
	       ros2_robot_refuse(r, err, "it is larger than 64 MB");
}

bool cairn_ros2_robot_picture(struct cairn_ros2_robot *r, enum cairn_ros2_robot_in in, const void *cdr,
    size_t bytes, int64_t now_ns, struct cairn_ros2_picture *ret, struct cairn_error *err)
{
	struct cairn_cdr_reader c;
	uint16_t format = in == CAIRN_ROS2_ROBOT_DEPTH ? CAIRN_CAMERA_DEPTH16 : CAIRN_CAMERA_RGB8;
	cairn_cdr_read(&c, cdr, bytes);
	int64_t stamp_ns = ros2_robot_take_stamp(&c), t_ns;
	(void)cairn_cdr_take_text(&c); /* frame */
	*ret = (struct cairn_ros2_picture){.hdr = {.version = CAIRN_CAMERA_VERSION}};
	bool jpeg = cairn_ros2_robot_type(&r->cfg->ros2, in) == CAIRN_ROS2_COMPRESSED_IMAGE;
	bool good = jpeg ? read_jpeg(r, &c, ret, err) : read_image(r, &c, format, ret, err);
	if (!good || !ros2_robot_is_fresh(r, in, stamp_ns, now_ns, &t_ns, err))
		return false;
	ret->hdr.t_ns = t_ns;
	r->taken[in]++;
	return true;
}

static void put_colours(const struct cairn_ros2_picture *p, uint8_t *out)
{
	unsigned bytes = sources[p->source].pixel_bytes, red = sources[p->source].red,
		 green = sources[p->source].green, blue = sources[p->source].blue;
	for (uint32_t y = 0; y < p->hdr.height; y++) {
		const uint8_t *from = p->data + (size_t)y * p->step_bytes;
		for (uint32_t x = 0; x < p->hdr.width; x++, from += bytes, out += 3) {
			out[0] = from[red];
			out[1] = from[green];
			out[2] = from[blue];
		}
	}
}

/* What is nearer than nothing, no number or too far is unknown: 0. */
static uint16_t millimetres(const uint8_t *metres)
{
	float m;
	memcpy(&m, metres, sizeof(m));
	double mm = 1000.0 * (double)m;
	return mm >= 0.5 && mm < DEPTH_MAX_MM ? (uint16_t)lround(mm) : 0;
}

static void put_metres(const struct cairn_ros2_picture *p, uint8_t *out)
{
	for (uint32_t y = 0; y < p->hdr.height; y++)
		for (uint32_t x = 0; x < p->hdr.width; x++, out += 2) {
			uint16_t mm = millimetres(p->data + (size_t)y * p->step_bytes + 4 * (size_t)x);
			out[0] = (uint8_t)mm;
			out[1] = (uint8_t)(mm >> 8);
		}
}

void cairn_ros2_picture_put(const struct cairn_ros2_picture *picture, uint8_t *out)
{
	const struct cairn_ros2_picture *p = picture;
	if (p->source == SOURCE_JPEG) {
		memcpy(out, p->data, p->hdr.payload_bytes);
	} else if (sources[p->source].metres) {
		put_metres(p, out);
	} else if (p->hdr.format == CAIRN_CAMERA_DEPTH16 || p->source == 0) {
		for (uint32_t y = 0; y < p->hdr.height; y++)
			memcpy(out + (size_t)y * p->hdr.stride_bytes, p->data + (size_t)y * p->step_bytes,
			    p->hdr.stride_bytes);
	} else {
		put_colours(p, out);
	}
}
