/* v4l2_open.h - the parts of v4l2_link.h that set a camera up: which mode, which controls, buffers. */
#ifndef CAIRN_COMMON_DEVICE_V4L2_OPEN_H
#define CAIRN_COMMON_DEVICE_V4L2_OPEN_H

#include "common/device/v4l2_link.h"

/* From closed to streaming. False: l->problem says why; what was opened is still to be closed. */
bool cairn_v4l2_open_stream(struct cairn_v4l2_link *l);
/* Sets what want.controls names; l->controls says what could not be. */
void cairn_v4l2_set_controls(struct cairn_v4l2_link *l);
/* What an error of the kernel means and what to do: "its cause: remedy". */
const char *cairn_v4l2_errno_text(int r);

#endif
