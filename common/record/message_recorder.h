/* message_recorder.h - the bus's messages as an MCAP recording: one channel an endpoint, "/cairn/NAME", JSON with a JSON Schema made
 * from ipc/messages.def; and what has a standard message of ROS 2 in that form as well, as CDR under the name that ROS gives
 * it (common/ros2/ros2.h). The latter only of valid messages: ROS has no word for a message that is not.
 *
 * Of a frame "/cairn/NAME" has the head (message recorded_frame; of a snapshot recorded_snapshot, with its text), and the pixels are
 * in a message of ROS 2 of the same sequence number and times: camera.rgb as JPEG, camera.depth in millimetres, map.grid as an
 * OccupancyGrid each time it has changed, the snapshot's pictures as the JPEGs they are.
 *
 * Stamps of the bus are of the monotonic clock, those of a recording Unix times: clock_offset_ns is what the caller adds to
 * the one for the other (CLOCK_REALTIME minus CLOCK_MONOTONIC), taken once a recording so that intervals stay right. */
#ifndef CAIRN_COMMON_RECORD_MESSAGE_RECORDER_H
#define CAIRN_COMMON_RECORD_MESSAGE_RECORDER_H

#include "common/mcap/mcap_writer.h"
#include "ipc/frame_layout.h"
#include "ipc/topics.h"

#define CAIRN_RECORD_CHUNK_BYTES (512u << 10) /* lost at most when the power goes */

struct cairn_message_recorder;

struct cairn_record_options {
	int64_t clock_offset_ns;
	double laser_x_m, laser_y_m, laser_z_m; /* the LiDAR in the robot frame, for the transforms */
	int jpeg_quality;                       /* of the camera's pictures, 1 to 100 */
};

/* NULL when memory or the sink fails. */
struct cairn_message_recorder *cairn_message_recorder_new(
    const struct cairn_record_options *options, cairn_mcap_write_fn *write, void *ctx);
/* Without cairn_message_recorder_finish() the recording ends like one that was cut off. */
void cairn_message_recorder_destroy(struct cairn_message_recorder **r);

/* One message of an endpoint: topic, and the stage for a topic that each stage has ("heartbeat"), NULL otherwise. logged_ns:
 * when it arrived, monotonic. False when the sink fails, or the message cannot be written. */
bool cairn_message_recorder_add(struct cairn_message_recorder *r, enum cairn_topic topic,
    const char *instance, const struct cairn_header *hdr, const void *msg, int64_t logged_ns);
/* One frame; payload: hdr->payload_bytes. True without a trace for a map that is the one written last, and for frames that are not
 * recorded (canary) or cannot be (another format than the topic's). False when the sink fails or memory ran out. */
bool cairn_message_recorder_frame(struct cairn_message_recorder *r, enum cairn_frame_topic topic,
    const struct cairn_frame_header *hdr, const void *payload, int64_t logged_ns);
/* Writes what has been collected, so that it outlives a loss of power. */
bool cairn_message_recorder_flush(struct cairn_message_recorder *r);
/* Adds index and statistics. Nothing may be added after it. */
bool cairn_message_recorder_finish(struct cairn_message_recorder *r);

bool cairn_message_recorder_failed(const struct cairn_message_recorder *r); /* the sink takes no more */
uint64_t cairn_message_recorder_messages(const struct cairn_message_recorder *r);
uint64_t cairn_message_recorder_bytes(const struct cairn_message_recorder *r); /* of the file so far */

#endif
