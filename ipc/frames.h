/* frames.h - the data plane: large frames over iceoryx, zero copy.
 *
 * Only for what is large. A writer loans, fills, publishes; a reader takes, reads in place, releases. Slow readers lose the
 * oldest, never block a writer. Every size is checked before a loan, because a loan larger than the largest
 * pool aborts the process. Not thread-safe.
 *
 * Life with RouDi 2.0.3: registration blocks for up to a minute and then ends the process, so cairn_frames_open
 * bounds it: past the deadline it writes one line and ends the process with exit status CAIRN_EXIT_PLANE, which the
 * launcher understands. Call it before anything that must not be lost. */
#ifndef CAIRN_IPC_FRAMES_H
#define CAIRN_IPC_FRAMES_H

#include "common/config/config.h"
#include "ipc/topics.h"

#define CAIRN_EXIT_PLANE 75 /* the data plane would not take us: rebuild it */

#define CAIRN_FRAME_MAGIC UINT32_C(0x4E524943) /* "CIRN" in memory */
#define CAIRN_FRAME_VERSION 1

enum cairn_frame_format {
	CAIRN_FORMAT_NONE,
	CAIRN_FORMAT_RGB8,     /* 3 bytes a pixel */
	CAIRN_FORMAT_DEPTH16,  /* uint16 little-endian, millimetres, 0 = unknown */
	CAIRN_FORMAT_GRID8,    /* occupancy: 0 free .. 100 occupied, 255 unknown; row 0 has the smallest y */
	CAIRN_FORMAT_SNAPSHOT, /* struct cairn_snapshot_head, text, JPEG */
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
	double origin_x_m, origin_y_m; /* GRID8: lower-left corner of cell (0, 0), map frame */
	double cell_m;                 /* GRID8 */
	double pose_x_m, pose_y_m, pose_yaw_rad; /* robot when the data were taken, where known */
};

/* Payload of a snapshot: this head, then text_bytes of UTF-8 (no NUL), then jpeg_bytes. */
struct cairn_snapshot_head {
	uint64_t snapshot_id; /* rises; unique in a run */
	int64_t t_rgb_ns, t_depth_ns, t_scan_ns, t_pose_ns; /* 0 = there was none */
	double x_m, y_m, yaw_rad;  /* pose, map frame */
	double nearest_m;          /* negative = none */
	double similarity;         /* to the last snapshot, 0..1 */
	uint32_t trigger;          /* enum cairn_trigger */
	uint32_t image_needed;     /* 0: nothing new to see, the text is enough */
	float sector_m[12];        /* as in the percept message */
	float feasibility[6];
	uint32_t text_bytes, jpeg_bytes;
};

struct cairn_frames;
struct cairn_frame_pub;
struct cairn_frame_sub;

/* Registers this process under stage (stable name: registering again frees what a dead one held). Does not return
 * when the deadline passes (see above). NULL with err set when there is no data plane at all. */
struct cairn_frames *cairn_frames_open(
    const char *stage, const struct cairn_config *cfg, int deadline_ms, struct cairn_error *err);
void cairn_frames_close(struct cairn_frames **frames_p);

struct cairn_frame_pub *cairn_frame_pub_new(
    struct cairn_frames *frames, enum cairn_frame_topic topic, struct cairn_error *err);
/* Largest payload the topic's pool was made for. */
uint32_t cairn_frame_capacity(const struct cairn_frames *frames, enum cairn_frame_topic topic);
/* Room for payload_bytes: the payload, and its header in *ret_hdr to be filled (magic, version, seq, epoch and payload_bytes are set
 * already). NULL when it is too large or no chunk is free; counted, drop the frame. */
void *cairn_frame_loan(
    struct cairn_frame_pub *pub, uint32_t payload_bytes, struct cairn_frame_header **ret_hdr);
void cairn_frame_publish(struct cairn_frame_pub *pub);
void cairn_frame_abandon(struct cairn_frame_pub *pub);

struct cairn_frame_sub *cairn_frame_sub_new(
    struct cairn_frames *frames, enum cairn_frame_topic topic, struct cairn_error *err);
/* The newest frame waiting, or NULL. Valid until cairn_frame_release; at most one held. Broken headers are refused
 * and counted. */
const void *cairn_frame_take(struct cairn_frame_sub *sub, const struct cairn_frame_header **ret_hdr);
void cairn_frame_release(struct cairn_frame_sub *sub);

/* Frames refused or dropped so far, readers and writers together. */
uint64_t cairn_frames_rejects(const struct cairn_frames *frames);

/* Pure check of a received header against its chunk: true, or false with the reason. now_ns: stamps in the future
 * by more than 50 ms are refused. */
bool cairn_frame_header_check(const struct cairn_frame_header *hdr, size_t chunk_bytes, int64_t now_ns,
    struct cairn_error *err);

#endif
