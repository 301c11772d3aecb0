/* Bytes of a device as they come: the first says of which and in what pieces. Every byte is consumed, in
 * whatever pieces it comes. */
#include <stdlib.h>
#include <string.h>

#include "common/device/camera_link.h"
#include "common/device/diffdrive_orders.h"
#include "common/device/ld06.h"
#include "common/device/rosmaster.h"
#include "common/device/rplidar.h"
#include "common/device/scan_stream.h"

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
			cairn_lidar_scan(&scan, cairn_rplidar_turn(&parser), 0.1, false, 0.05, 16.0);
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

static void ld06(const uint8_t *data, size_t count)
{
	static struct cairn_ld06 parser;
	cairn_ld06_init(&parser);
	for (int calls = 0; count > 0; calls++) {
		bool turn;
		size_t n = cairn_ld06_feed(&parser, data, count, NOW_NS, &turn);
		if (n > count || calls > CALLS_MAX ||
		    (turn && cairn_ld06_turn(&parser)->count < CAIRN_LIDAR_TURN_MIN))
			abort();
		data += n;
		count -= n;
	}
}

static void two_wheels(const uint8_t *data, size_t count, size_t piece)
{
	struct cairn_diffdrive_parser parser;
	cairn_diffdrive_parser_init(&parser);
	for (int calls = 0; count > 0; calls++) {
		struct cairn_diffdrive_report report;
		bool some;
		size_t now = count < piece ? count : piece;
		size_t n = cairn_diffdrive_feed(&parser, data, now, &report, &some);
		if (n == 0 || n > now || calls > CALLS_MAX || (some && report.kind >= CAIRN_DIFFDRIVE_KINDS))
			abort();
		data += n;
		count -= n;
	}
}

static void helper_turns(const uint8_t *data, size_t count)
{
	static struct cairn_scan_stream parser;
	cairn_scan_stream_init(&parser);
	for (int calls = 0; count > 0; calls++) {
		bool turn;
		size_t n = cairn_scan_stream_feed(&parser, data, count, NOW_NS, &turn);
		if (n > count || calls > CALLS_MAX ||
		    (turn && !cairn_scan_stream_whole(cairn_scan_stream_turn(&parser), NULL)))
			abort();
		data += n;
		count -= n;
	}
}

/* What a base is told: no speed beyond what its field may hold. */
static void orders(const uint8_t *data, size_t count, size_t piece)
{
	struct cairn_diffdrive_orders o = {.have = 0};
	for (int calls = 0; count > 0; calls++) {
		struct cairn_diffdrive_order order = {.left_mps = 0.0};
		bool some;
		size_t now = count < piece ? count : piece;
		size_t n = cairn_diffdrive_orders_feed(&o, data, now, &order, &some);
		if (n == 0 || n > now || calls > CALLS_MAX ||
		    !(order.left_mps >= -5.0 && order.left_mps <= 5.0))
			abort();
		data += n;
		count -= n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	if (count < 2)
		return 0;
	switch (data[0] % 7) {
	case 0:
		lidar(data + 2, count - 2);
		break;
	case 1:
		board(data + 2, count - 2, 1u + data[1] % 64u);
		break;
	case 3:
		ld06(data + 2, count - 2);
		break;
	case 4:
		two_wheels(data + 2, count - 2, 1u + data[1] % 64u);
		break;
	case 5:
		helper_turns(data + 2, count - 2);
		break;
	case 6:
		orders(data + 2, count - 2, 1u + data[1] % 64u);
		break;
	default:
		camera(data + 2, count - 2);
		break;
	}
	return 0;
}
