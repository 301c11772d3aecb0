/* frame_pipe.h - between the web stage and the process that reads frames for it.
 *
 * To it: one byte a change, the picture and WEB_PICTURE_ON where it is wanted from now on. From it: this head, then text_bytes of
 * text, then picture_bytes of a JPEG or PNG; of WEB_GRID and WEB_DEPTH_RAW the header of the frame and its payload as they are. Same machine, same build: the structs go as they are in memory. */
#ifndef CAIRN_PROCS_WEB_FRAME_PIPE_H
#define CAIRN_PROCS_WEB_FRAME_PIPE_H

#include <stdint.h>

#define WEB_FRAME_MAGIC UINT32_C(0x31454643)
#define WEB_FRAME_MAX (24u * 1024 * 1024)
#define WEB_PICTURE_ON 0x80u
#define WEB_PICTURE_BIT(picture) (1u << (picture)) /* in sets of them */

/* WEB_MAP_DRAWN: for people and models, with the robot on it; WEB_MAP: one pixel a cell. */
enum web_picture {
	WEB_CAMERA,
	WEB_SNAPSHOT,
	WEB_DEPTH,
	WEB_MAP,
	WEB_MAP_DRAWN,
	WEB_GRID,
	WEB_DEPTH_RAW,
	WEB_DEPTH_SEEN, /* JPEG in colours for people: red near, blue far, black unknown */
	WEB_MAP_SEEN,   /* WEB_MAP_DRAWN as a JPEG of one size */
	WEB_PICTURES
};

struct web_frame_head {
	uint32_t magic;
	uint32_t picture; /* enum web_picture */
	uint32_t text_bytes, picture_bytes;
	uint64_t id;  /* of a snapshot */
	int64_t t_ns; /* stamp of the frame */
};

#endif
