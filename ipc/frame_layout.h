/* frame_layout.h - what a frame looks like in memory and how much of it the data plane must hold. Pure: no
 * iceoryx here, so the launcher and tests can use it. */
#ifndef CAIRN_IPC_FRAME_LAYOUT_H
#define CAIRN_IPC_FRAME_LAYOUT_H

#include "common/config/config.h"
#include "ipc/topics.h"

#define CAIRN_FRAME_MAGIC UINT32_C(0x4E524943) /* "CIRN" in memory */
#define CAIRN_FRAME_VERSION 1

enum cairn_frame_format {
	CAIRN_FORMAT_NONE,
	CAIRN_FORMAT_RGB8,     /* 3 bytes a pixel */
	CAIRN_FORMAT_DEPTH16,  /* uint16 little-endian, millimetres, 0 = unknown */
	CAIRN_FORMAT_GRID8,    /* occupancy: 0 free .. 100 occupied, 255 unknown; row 0 has the smallest y */
	CAIRN_FORMAT_SNAPSHOT, /* struct cairn_snapshot_head, text, pictures (common/percept/snapshot.h) */
	CAIRN_FORMAT_PROBE,
	CAIRN_FORMAT_COUNT
};

/* In front of every payload; 96 bytes, little-endian as the machine. */
struct cairn_frame_header {
	uint32_t magic;
	uint16_t version;
	uint16_t format; /* enum cairn_frame_format */
	uint64_t seq;
	uint64_t epoch; /* random per start of the publisher */
	int64_t t_ns;   /* CLOCK_MONOTONIC of the exposure, or of the data */
	uint32_t width, height;
	uint32_t stride_bytes;
	uint32_t payload_bytes;
	double origin_x_m, origin_y_m;           /* GRID8: lower-left corner of cell (0, 0), map frame */
	double cell_m;                           /* GRID8 */
	double pose_x_m, pose_y_m, pose_yaw_rad; /* robot when the data were taken, where known */
};

#define CAIRN_SNAPSHOT_VERSION 2     /* of the head and of what follows it */
#define CAIRN_SNAPSHOT_TEXT_MAX 8192 /* bytes */
#define CAIRN_SNAPSHOT_VIEW_PX 512   /* side of the picture from above */

/* Payload of a snapshot: this head, then text_bytes of UTF-8 (no NUL), jpeg_bytes of the camera's picture, view_bytes of
 * the picture from above. To be read through common/percept/snapshot.h. */
struct cairn_snapshot_head {
	uint64_t snapshot_id;                               /* rises; unique in a run */
	int64_t t_rgb_ns, t_depth_ns, t_scan_ns, t_pose_ns; /* 0 = there was none */
	double x_m, y_m, yaw_rad;                           /* pose, map frame */
	double nearest_m;                                   /* negative = none */
	double similarity;     /* to the picture last decided on, 0..1; 0 = none */
	uint32_t trigger;      /* enum cairn_trigger */
	uint32_t image_needed; /* 0: nothing new to see, the text is enough */
	float sector_m[12];    /* as in the percept message */
	float feasibility[6];
	uint32_t text_bytes, jpeg_bytes, view_bytes;
	uint32_t version; /* CAIRN_SNAPSHOT_VERSION */
};

/* Readers of one topic that the pools are made for: the stages and a few extra consumers. */
#define CAIRN_FRAME_READERS 8
/* Frames waiting for one reader; more are dropped, oldest first. */
#define CAIRN_FRAME_QUEUE 2

/* True when snapshots carry a second picture, from above. */
bool cairn_snapshot_has_view(const struct cairn_config *cfg);
/* Largest payload of the topic under this configuration, bytes. */
uint32_t cairn_frame_payload_max(const struct cairn_config *cfg, enum cairn_frame_topic topic);
/* Bytes of one chunk: header and largest payload, rounded up to 8. */
uint32_t cairn_frame_chunk_bytes(const struct cairn_config *cfg, enum cairn_frame_topic topic);
/* Chunks the topic needs so that a loan never fails: readers x (queue + one held) + history + one being filled, and one
 * for a reader that died and has not been noticed. */
uint32_t cairn_frame_chunk_count(void);

/* What a reader keeps of the numbers of a topic. */
struct cairn_frame_order {
	uint64_t epoch, seq; /* of the newest seen; epoch 0 = none yet */
};

/* Frames that were sent between the newest one seen and this one and were not seen: 0 for the first, for the first of another
 * epoch (a publisher that starts anew counts from one, and what its predecessor had sent last is not known), for a repetition.
 * usable: the header was accepted. One that was not is believed when it is plainly the next, so that it is not counted as
 * missing as well as refused. */
uint64_t cairn_frame_missing(
    struct cairn_frame_order *order, const struct cairn_frame_header *hdr, bool usable);

/* Pure check of a received header against what fits its topic: true, or false with the reason. now_ns: stamps
 * in the future by more than 50 ms, or negative, are refused. */
bool cairn_frame_header_check(
    const struct cairn_frame_header *hdr, uint32_t payload_max, int64_t now_ns, struct cairn_error *err);

/* The payload is a whole picture or map of that format (RGB8, DEPTH16 or GRID8) and its rows follow each other without a gap; a map
 * says where it lies. */
bool cairn_frame_packed(const struct cairn_frame_header *hdr, enum cairn_frame_format format);

#endif
