/* snapshot.h - the payload of a snapshot frame: how its parts lie, and the one check that everybody who reads
 * one passes it through.
 *
 *   struct cairn_snapshot_head (ipc/frame_layout.h)
 *   text_bytes of text
 *   jpeg_bytes of the camera's picture, 0 when there is none
 *   view_bytes of the picture from above (the map, the LiDAR), a JPEG too, 0 when there is none
 *
 * Nothing lies between the parts and nothing behind them. */
#ifndef CAIRN_COMMON_PERCEPT_SNAPSHOT_H
#define CAIRN_COMMON_PERCEPT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "ipc/frame_layout.h"

/* A payload taken apart; the pointers reach into it. */
struct cairn_snapshot {
	struct cairn_snapshot_head head;
	const char *text;    /* head.text_bytes, without a NUL */
	const uint8_t *jpeg; /* head.jpeg_bytes; NULL when there is none */
	const uint8_t *view; /* head.view_bytes; NULL when there is none */
};

/* False with the reason when it is broken: another version, parts that do not make up exactly these bytes, no
 * text, a picture that is no JPEG, a trigger nobody knows, a number that is none. */
bool cairn_snapshot_read(
    const void *payload, size_t bytes, struct cairn_snapshot *ret, struct cairn_error *err);

#endif
