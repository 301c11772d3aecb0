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

#include "ipc/frame_layout.h"

#define CAIRN_EXIT_PLANE 75 /* the data plane would not take us: rebuild it */

struct cairn_frames;
struct cairn_frame_pub;
struct cairn_frame_sub;

/* Registers this process under stage (stable name: registering again frees what a dead one held). Does not return
 * when the deadline passes (see above). NULL with err set when there is no data plane at all. */
struct cairn_frames *cairn_frames_open(
    const char *stage, const struct cairn_config *cfg, int deadline_ms, struct cairn_error *err);
void cairn_frames_close(struct cairn_frames **frames_p);
/* Asks RouDi for a port and gives it back: frames between living processes flow without RouDi, so only this notices one
 * that hangs. Past the deadline it ends the process as cairn_frames_open does. */
void cairn_frames_probe(struct cairn_frames *frames, int deadline_ms);

struct cairn_frame_pub *cairn_frame_pub_new(
    struct cairn_frames *frames, enum cairn_frame_topic topic, struct cairn_error *err);
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

/* Frames that were sent and never seen by this process's readers, by their numbers. What cairn_frame_take passes over for a
 * newer one is in neither. */
struct cairn_frames_missing {
	uint64_t overtaken; /* the reader's queue was full: it was slower than the writer, as it may be */
	uint64_t lost;      /* it was not: they went astray on the way */
};
struct cairn_frames_missing cairn_frames_missing(const struct cairn_frames *frames);

#endif
