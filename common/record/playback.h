/* playback.h - a recording as the messages and frames that it was made of.
 *
 * Out come the messages of "/cairn/NAME" channels and the frames that were recorded with them, in file order, which is the order in which
 * they arrived. Messages of ROS 2 alone, and channels of others, are passed over. What cannot be read is counted and passed over.
 * Pure but for the source: no clocks, no sockets. */
#ifndef CAIRN_COMMON_RECORD_PLAYBACK_H
#define CAIRN_COMMON_RECORD_PLAYBACK_H

#include "common/mcap/mcap_reader.h"
#include "ipc/frame_layout.h"
#include "ipc/topics.h"

#define CAIRN_PLAYBACK_PX_MAX 8192 /* pictures and maps with a longer side are not played */

struct cairn_playback;

struct cairn_played {
	bool frame;
	int64_t logged_ns; /* Unix time of its arrival */
	int64_t stamp_ns;  /* Unix time of its stamp */
	/* a message */
	enum cairn_topic topic;
	char instance[32]; /* of a topic that each stage has; empty otherwise */
	struct cairn_header hdr;
	void *msg; /* of the topic's type; may be changed until the next call */
	/* a frame; magic, version, payload_bytes are set */
	enum cairn_frame_topic frame_topic;
	struct cairn_frame_header head;
	uint8_t *payload; /* head.payload_bytes, until the next call */
};

/* NULL with the reason. */
struct cairn_playback *cairn_playback_new(
    cairn_mcap_read_fn *read, void *ctx, uint64_t file_bytes, struct cairn_error *err);
void cairn_playback_destroy(struct cairn_playback **p);

/* The next one. False at the end: ended tells whether the file was whole, cut or damaged, err where. */
bool cairn_playback_next(struct cairn_playback *p, struct cairn_played *ret, struct cairn_error *err);
enum cairn_mcap_item cairn_playback_ended(const struct cairn_playback *p);
/* Goes on with what arrived at t_ns (Unix) or later, before or behind here: by the index, or without one from the start. False when
 * the source fails. */
bool cairn_playback_seek(struct cairn_playback *p, int64_t t_ns, struct cairn_error *err);
/* Of all that the file holds, by its index or by reading it when it was opened. */
void cairn_playback_span(struct cairn_playback *p, int64_t *ret_first_ns, int64_t *ret_last_ns);
/* Monotonic stamps of the file plus this are Unix times. */
int64_t cairn_playback_clock_offset_ns(const struct cairn_playback *p);
/* What could not be read. */
uint64_t cairn_playback_rejects(const struct cairn_playback *p);

#endif
