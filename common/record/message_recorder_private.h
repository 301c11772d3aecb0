/* message_recorder_private.h - what the parts of the recorder share; nobody else includes this. */
#ifndef CAIRN_COMMON_RECORD_MESSAGE_RECORDER_PRIVATE_H
#define CAIRN_COMMON_RECORD_MESSAGE_RECORDER_PRIVATE_H

#include "common/percept/jpeg.h"
#include "common/record/message_recorder.h"
#include "common/ros2/ros2.h"

#define RECORD_CHANNELS_MAX 256
#define RECORD_NAME_BYTES 96
#define RECORD_SCHEMAS_MAX 128

struct record_channel {
	char name[RECORD_NAME_BYTES];
	uint16_t id;
};

struct cairn_message_recorder {
	struct cairn_mcap_writer *writer;
	struct cairn_record_options options;
	struct record_channel channels[RECORD_CHANNELS_MAX];
	uint16_t channel_count;
	const void
	    *schemas[RECORD_SCHEMAS_MAX]; /* what each stands for: a message's description or a ROS 2 type */
	uint16_t schema_count;            /* ids are 1, 2, ... in this order */
	struct cairn_ros2_tf tf;
	char *buf; /* the message being written */
	size_t buf_bytes;
	/* of frames */
	struct cairn_jpeg *jpeg;
	uint32_t jpeg_width, jpeg_height;
	uint64_t map_hash;                           /* of the grid that was written last; 0 = none */
	struct cairn_msg_recorded_snapshot snapshot; /* the one being written */
};

/* Id of the channel of this name, which is written with its schema when it is asked for first. 0: the sink failed, or there are too
 * many. */
uint16_t record_json_channel(
    struct cairn_message_recorder *r, const char *name, const struct cairn_msg_desc *desc);
uint16_t record_ros2_channel(struct cairn_message_recorder *r, const char *name, enum cairn_ros2_type type);
/* The first `bytes` bytes of r->buf as a message. False also for a channel 0 or no bytes. */
bool record_write(struct cairn_message_recorder *r, uint16_t channel, const struct cairn_header *hdr,
    int bytes, int64_t logged_ns);
/* Room for a message of so many bytes. */
bool record_reserve(struct cairn_message_recorder *r, size_t bytes);

#endif
