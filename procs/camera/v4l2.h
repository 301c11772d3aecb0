/* v4l2.h - the kernel behind common/device/v4l2_link.h. */
#ifndef CAIRN_PROCS_CAMERA_V4L2_H
#define CAIRN_PROCS_CAMERA_V4L2_H

#include "common/device/v4l2_link.h"

/* Needs no context. */
extern const struct cairn_v4l2_ops v4l2_kernel;

#endif
