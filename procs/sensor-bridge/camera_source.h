/* camera_source.h - where pictures come from: a row of functions a kind. The first whose `is_for` takes robot.camera_device is used. */
#ifndef CAIRN_PROCS_SENSOR_BRIDGE_CAMERA_SOURCE_H
#define CAIRN_PROCS_SENSOR_BRIDGE_CAMERA_SOURCE_H

#include "procs/sensor-bridge/camera_frames.h"

struct camera_source {
	bool (*is_for)(const char *device);
	/* NULL: no memory, or the reason is logged. It need not be there yet. */
	void *(*new)(struct camera_frames *frames);
	/* Every 100 ms. */
	void (*tick)(void *source, int64_t now_ns);
	void (*destroy)(void *source);
};

extern const struct camera_source camera_helper; /* on robot.camera_socket, where no device is named */
extern const struct camera_source camera_v4l2;   /* /dev/... */
extern const struct camera_source camera_http;   /* http://... */
extern const struct camera_source camera_depth;  /* beside one of these: robot.depth_device */

#endif
