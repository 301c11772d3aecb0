#include "common/record/message_recorder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/ros2/ros2.h"

#define BUF_BYTES (1024 * 1024)   /* a full scan has 16384 numbers, in JSON */
#define SCHEMA_BYTES (128 * 1024) /* the longest has 15 kB */
#define CHANNELS_MAX 256
#define ZSTD_LEVEL 1 /* JSON shrinks to a tenth already; more would cost the robot's processor */

struct channel {
	enum cairn_topic topic;
	char instance[32];
	uint16_t id;
};

struct cairn_message_recorder {
	struct cairn_mcap_writer *writer;
	int64_t clock_offset_ns;
	struct channel channels[CHANNELS_MAX];
	uint16_t channel_count;
	uint16_t schema_of[CAIRN_TOPIC_COUNT];            /* id of the schema, 0 = not written yet */
	uint16_t ros2_schema_of[CAIRN_ROS2_TYPE_COUNT];   /* the same */
	uint16_t ros2_channel_of[CAIRN_ROS2_TOPIC_COUNT]; /* id of the channel, 0 = not written yet */
	uint16_t schema_count, ids;                       /* ids: of channels, so far */
	struct cairn_ros2_tf tf;
	char *buf; /* the message being written */
};

/* Unix time, so that a viewer shows the hour at which it was. */
static bool write_clock(struct cairn_message_recorder *r)
{
	char offset[24], version[12];
	snprintf(offset, sizeof(offset), "%" PRId64, r->clock_offset_ns);
	snprintf(version, sizeof(version), "%d", CAIRN_SCHEMA_VERSION);
	const struct cairn_mcap_pair pairs[] = {{"clock_offset_ns", offset}, {"schema_version", version}};
	return cairn_mcap_writer_metadata(r->writer, "cairn", pairs, 2);
}

struct cairn_message_recorder *cairn_message_recorder_new(
    const struct cairn_record_options *options, cairn_mcap_write_fn *write, void *ctx)
{
	const struct cairn_mcap_options mcap = {.profile = "ros2",
	    .library = "cairn " CAIRN_VERSION,
	    .chunk_bytes = CAIRN_RECORD_CHUNK_BYTES,
	    .zstd_level = ZSTD_LEVEL,
	    .parts = CAIRN_MCAP_WITH_EVERYTHING};
	struct cairn_message_recorder *r = calloc(1, sizeof(*r));
	if (r == NULL)
		return NULL;
	r->clock_offset_ns = options->clock_offset_ns;
	r->tf = (struct cairn_ros2_tf){.laser_x_m = options->laser_x_m,
	    .laser_y_m = options->laser_y_m,
	    .laser_z_m = options->laser_z_m};
	r->buf = malloc(BUF_BYTES);
	r->writer = r->buf != NULL ? cairn_mcap_writer_new(&mcap, write, ctx) : NULL;
	if (r->writer == NULL || !write_clock(r))
		cairn_message_recorder_destroy(&r);
	return r;
}

void cairn_message_recorder_destroy(struct cairn_message_recorder **pr)
{
	struct cairn_message_recorder *r = *pr;
	if (r == NULL)
		return;
	cairn_mcap_writer_destroy(&r->writer);
	free(r->buf);
	free(r);
	*pr = NULL;
}

/* Id of the topic's schema, which is written when it is asked for first. 0: the sink failed. */
static uint16_t schema_of(struct cairn_message_recorder *r, enum cairn_topic topic)
{
	if (r->schema_of[topic] != 0)
		return r->schema_of[topic];
	const struct cairn_msg_desc *desc = cairn_topics[topic].desc;
	char name[64];
	snprintf(name, sizeof(name), "cairn.%s", desc->name);
	int bytes = cairn_msg_json_schema(desc, r->buf, SCHEMA_BYTES);
	const struct cairn_mcap_schema schema = {.id = (uint16_t)(r->schema_count + 1),
	    .name = name,
	    .encoding = "jsonschema",
	    .data = {(const uint8_t *)r->buf, bytes > 0 ? (size_t)bytes : 0}};
	if (bytes <= 0 || !cairn_mcap_writer_schema(r->writer, &schema))
		return 0;
	r->schema_of[topic] = ++r->schema_count;
	return r->schema_count;
}

/* NULL when there is no room for another or the sink failed. */
static const struct channel *channel_of(
    struct cairn_message_recorder *r, enum cairn_topic topic, const char *instance)
{
	for (uint16_t i = 0; i < r->channel_count; i++) {
		const struct channel *c = &r->channels[i];
		if (c->topic == topic && strcmp(c->instance, instance) == 0)
			return c;
	}
	uint16_t schema = r->channel_count < CHANNELS_MAX ? schema_of(r, topic) : 0;
	if (schema == 0)
		return NULL;
	struct channel *c = &r->channels[r->channel_count];
	*c = (struct channel){.topic = topic, .id = (uint16_t)(r->ids + 1)};
	snprintf(c->instance, sizeof(c->instance), "%s", instance);
	char name[96];
	snprintf(name, sizeof(name), "/cairn/%s%s%s", cairn_topics[topic].name,
	    instance[0] != '\0' ? "." : "", instance);
	const struct cairn_mcap_channel row = {
	    .id = c->id, .schema_id = schema, .topic = name, .message_encoding = "json"};
	if (!cairn_mcap_writer_channel(r->writer, &row))
		return NULL;
	r->channel_count++;
	r->ids++;
	return c;
}

/* Id of the channel, which is written with its schema when it is asked for first. 0: the sink failed. */
static uint16_t ros2_channel_of(struct cairn_message_recorder *r, int i)
{
	const struct cairn_ros2_topic *topic = &cairn_ros2_topics[i];
	const struct cairn_ros2_row *type = &cairn_ros2_types[topic->type];
	/* Its text differs between releases of ROS; empty, each of them plays with its defaults. */
	static const struct cairn_mcap_pair qos = {"offered_qos_profiles", ""};
	if (r->ros2_channel_of[i] != 0)
		return r->ros2_channel_of[i];
	if (r->ros2_schema_of[topic->type] == 0) {
		const struct cairn_mcap_schema schema = {.id = (uint16_t)(r->schema_count + 1),
		    .name = type->name,
		    .encoding = "ros2msg",
		    .data = {(const uint8_t *)type->schema, strlen(type->schema)}};
		if (!cairn_mcap_writer_schema(r->writer, &schema))
			return 0;
		r->ros2_schema_of[topic->type] = ++r->schema_count;
	}
	const struct cairn_mcap_channel row = {.id = (uint16_t)(r->ids + 1),
	    .schema_id = r->ros2_schema_of[topic->type],
	    .topic = topic->name,
	    .message_encoding = "cdr",
	    .metadata = &qos,
	    .metadata_count = 1};
	if (!cairn_mcap_writer_channel(r->writer, &row))
		return 0;
	r->ros2_channel_of[i] = ++r->ids;
	return r->ids;
}

/* The message in buf. */
static bool write_message(struct cairn_message_recorder *r, uint16_t channel, const struct cairn_header *hdr,
    int bytes, int64_t logged_ns)
{
	return channel != 0 && bytes > 0 &&
	       cairn_mcap_writer_message(
		   r->writer, &(struct cairn_mcap_message){.channel_id = channel,
				  .sequence = (uint32_t)hdr->seq,
				  .log_time_ns = (uint64_t)(logged_ns + r->clock_offset_ns),
				  .publish_time_ns = (uint64_t)(hdr->t_ns + r->clock_offset_ns),
				  .data = {(const uint8_t *)r->buf, (size_t)bytes}});
}

/* In each form that ROS knows it by. */
static bool add_ros2(struct cairn_message_recorder *r, enum cairn_topic topic, const struct cairn_header *hdr,
    const void *msg, int64_t logged_ns)
{
	struct cairn_ros2_transforms transforms;
	bool good = true;
	if (topic == CAIRN_TOPIC_POSE)
		cairn_ros2_tf_pose(&r->tf, hdr, msg);
	for (int i = 0; good && i < CAIRN_ROS2_TOPIC_COUNT; i++) {
		const struct cairn_ros2_topic *row = &cairn_ros2_topics[i];
		if (row->topic != topic)
			continue;
		const void *from = msg;
		if (row->type == CAIRN_ROS2_TF) {
			cairn_ros2_tf_odom(&r->tf, hdr, msg, &transforms);
			from = &transforms;
		}
		uint16_t channel = ros2_channel_of(r, i);
		int bytes =
		    cairn_ros2_encode(row->type, hdr->t_ns + r->clock_offset_ns, from, r->buf, BUF_BYTES);
		good = write_message(r, channel, hdr, bytes, logged_ns);
	}
	return good;
}

bool cairn_message_recorder_add(struct cairn_message_recorder *r, enum cairn_topic topic,
    const char *instance, const struct cairn_header *hdr, const void *msg, int64_t logged_ns)
{
	const struct channel *c = channel_of(r, topic, instance != NULL ? instance : "");
	if (c == NULL)
		return false;
	int bytes = cairn_msg_to_json(cairn_topics[topic].desc, hdr, msg, r->buf, BUF_BYTES);
	return write_message(r, c->id, hdr, bytes, logged_ns) &&
	       (!hdr->valid || add_ros2(r, topic, hdr, msg, logged_ns));
}

bool cairn_message_recorder_flush(struct cairn_message_recorder *r)
{
	return cairn_mcap_writer_flush(r->writer);
}

bool cairn_message_recorder_finish(struct cairn_message_recorder *r)
{
	return cairn_mcap_writer_finish(r->writer);
}

uint64_t cairn_message_recorder_messages(const struct cairn_message_recorder *r)
{
	return cairn_mcap_writer_messages(r->writer);
}

uint64_t cairn_message_recorder_bytes(const struct cairn_message_recorder *r)
{
	return cairn_mcap_writer_bytes(r->writer);
}
