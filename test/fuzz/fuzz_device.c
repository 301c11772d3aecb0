/* Bytes of a device as they come: the first says of which and in what pieces. Every byte is consumed, in
 * whatever pieces it comes. */
#include <stdlib.h>
#include <string.h>

#include "common/device/camera_link.h"
#include "common/device/rosmaster.h"
#include "common/device/rplidar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

#define NOW_NS INT64_C(1000000000000)
#define CALLS_MAX 100000 /* more for a few thousand bytes is a loop without end */

static void lidar(const uint8_t *data, size_t count)
{
	static struct cairn_rplidar parser;
	static struct cairn_msg_scan scan;
	cairn_rplidar_init(&parser);
	int calls = 0;
	while (count > 0) {
		enum cairn_rplidar_event event;
		size_t n = cairn_rplidar_feed(&parser, data, count, NOW_NS, &event);
		if (n > count || ++calls > CALLS_MAX)
			abort();
		data += n;
		count -= n;
		if (cairn_rplidar_turn(&parser) != NULL)
			cairn_rplidar_scan(&scan, cairn_rplidar_turn(&parser), 0.1, false, 0.05, 16.0);
	}
}

static void board(const uint8_t *data, size_t count, size_t piece)
{
	struct cairn_rosmaster_parser parser;
	cairn_rosmaster_parser_init(&parser);
	int calls = 0;
	while (count > 0) {
		struct cairn_rosmaster_report report;
		bool some = true;
		size_t now = count < piece ? count : piece;
		size_t n = cairn_rosmaster_feed(&parser, data, now, &report, &some);
		if (n > now || ++calls > CALLS_MAX)
			abort();
		while (some) { /* one bad frame may have held good ones */
			(void)cairn_rosmaster_feed(&parser, NULL, 0, &report, &some);
			if (++calls > CALLS_MAX)
				abort();
		}
		data += n;
		count -= n;
	}
}

static void camera(const uint8_t *data, size_t count)
{
	struct cairn_camera_order order = {0};
	const struct cairn_camera_want want = {640, 480, INT64_C(500000000)};
	for (; count >= CAIRN_CAMERA_HEADER_BYTES;
	     data += CAIRN_CAMERA_HEADER_BYTES, count -= CAIRN_CAMERA_HEADER_BYTES) {
		struct cairn_camera_header hdr;
		struct cairn_error err = {""};
		enum cairn_camera_verdict v =
		    cairn_camera_header_read(data, &want, &order, NOW_NS, &hdr, &err);
		if ((v == CAIRN_CAMERA_SKIP || v == CAIRN_CAMERA_BROKEN) && err.text[0] == '\0')
			abort(); /* refused without a reason */
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	if (count < 2)
		return 0;
	switch (data[0] % 3) {
	case 0:
		lidar(data + 2, count - 2);
		break;
	case 1:
		board(data + 2, count - 2, 1u + data[1] % 64u);
		break;
	default:
		camera(data + 2, count - 2);
		break;
	}
	return 0;
}
