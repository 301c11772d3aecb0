/* A body of MJPEG over HTTP: the first byte says in what pieces it comes. No picture is larger than what was fed. */
#include <stdlib.h>

#include "common/device/mjpeg_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static struct cairn_mjpeg_stream s;
	enum cairn_mjpeg_event event = CAIRN_MJPEG_NONE;
	if (count < 1 || !cairn_mjpeg_begin(&s, "multipart/x-mixed-replace; boundary=frame"))
		return 0;
	size_t piece = 1u + data[0];
	for (size_t at = 1, calls = 0; at < count && event != CAIRN_MJPEG_BROKEN; calls++) {
		size_t left = count - at;
		at += cairn_mjpeg_feed(&s, data + at, left < piece ? left : piece, &event);
		if (at > count || calls > 4 * count)
			abort();
		if (event == CAIRN_MJPEG_PICTURE && (s.picture_bytes == 0 || s.picture_bytes >= at))
			abort();
		if (event == CAIRN_MJPEG_BROKEN && s.problem.text[0] == '\0')
			abort();
	}
	return 0;
}
