#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/record/message_recorder_private.h"

#define BUF_BYTES (1024 * 1024)   /* a full scan has 16384 numbers, in JSON */
#define SCHEMA_BYTES (128 * 1024) /* the longest has 15 kB */
#define ZSTD_LEVEL 1              /* JSON shrinks to a tenth already; more would cost the robot's processor */

/* Unix time, so that a viewer shows the hour at which it was. */
static bool write_clock(struct cairn_message_recorder *r)
{
	char offset[24], version[12];
	snprintf(offset, sizeof(offset), "%" PRId64, r->options.clock_offset_ns);
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
	r->options = *options;
	r->tf = (struct cairn_ros2_tf){.laser_x_m = options->laser_x_m,
	    .laser_y_m = options->laser_y_m,
	    .laser_z_m = options->laser_z_m};
	r->writer = record_reserve(r, BUF_BYTES) ? cairn_mcap_writer_new(&mcap, write, ctx) : NULL;
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
	cairn_jpeg_destroy(&r->jpeg);
	free(r->buf);
	free(r);
	*pr = NULL;
}

bool record_reserve(struct cairn_message_recorder *r, size_t bytes)
{
	if (bytes <= r->buf_bytes)
		return true;
	char *grown = realloc(r->buf, bytes);
	if (grown == NULL)
		return false;
	r->buf = grown;
	r->buf_bytes = bytes;
	return true;
}

static uint16_t find_schema(const struct cairn_message_recorder *r, const void *of)
{
	uint16_t i = 0;
	while (i < r->schema_count && r->schemas[i] != of)
		i++;
	return i < r->schema_count ? (uint16_t)(i + 1) : 0;
}

static uint16_t add_schema(struct cairn_message_recorder *r, const void *of, const char *name,
    const char *encoding, const char *text, size_t bytes)
{
	const struct cairn_mcap_schema schema = {.id = (uint16_t)(r->schema_count + 1),
	    .name = name,
	    .encoding = encoding,
	    .data = {(const uint8_t *)text, bytes}};
	if (r->schema_count == RECORD_SCHEMAS_MAX || !cairn_mcap_writer_schema(r->writer, &schema))
		return 0;
	r->schemas[r->schema_count++] = of;
	return r->schema_count;
}

static uint16_t json_schema(struct cairn_message_recorder *r, const struct cairn_msg_desc *desc)
{
	char name[64];
	uint16_t id = find_schema(r, desc);
	if (id != 0)
		return id;
	snprintf(name, sizeof(name), "cairn.%s", desc->name);
	int bytes = cairn_msg_json_schema(desc, r->buf, SCHEMA_BYTES);
	return bytes > 0 ? add_schema(r, desc, name, "jsonschema", r->buf, (size_t)bytes) : 0;
}

static uint16_t ros2_schema(struct cairn_message_recorder *r, enum cairn_ros2_type type)
{
	const struct cairn_ros2_row *row = &cairn_ros2_types[type];
	uint16_t id = find_schema(r, row);
	return id != 0 ? id : add_schema(r, row, row->name, "ros2msg", row->schema, strlen(row->schema));
}

static uint16_t find_channel(const struct cairn_message_recorder *r, const char *name)
{
	for (uint16_t i = 0; i < r->channel_count; i++) {
		if (strcmp(r->channels[i].name, name) == 0)
			return r->channels[i].id;
	}
	return 0;
}

static uint16_t add_channel(struct cairn_message_recorder *r, const struct cairn_mcap_channel *row)
{
	if (r->channel_count == RECORD_CHANNELS_MAX || row->schema_id == 0 ||
	    !cairn_mcap_writer_channel(r->writer, row))
		return 0;
	struct record_channel *c = &r->channels[r->channel_count++];
	c->id = row->id;
	snprintf(c->name, sizeof(c->name), "%s", row->topic);
	return c->id;
}

uint16_t record_json_channel(
    struct cairn_message_recorder *r, const char *name, const struct cairn_msg_desc *desc)
{
	uint16_t id = find_channel(r, name);
	if (id != 0)
		return id;
	return add_channel(r, &(struct cairn_mcap_channel){.id = (uint16_t)(r->channel_count + 1),
				  .schema_id = json_schema(r, desc),
				  .topic = name,
				  .message_encoding = "json"});
}

uint16_t record_ros2_channel(struct cairn_message_recorder *r, const char *name, enum cairn_ros2_type type)
{
	/* Its text differs between releases of ROS; empty, each of them plays with its defaults. */
	static const struct cairn_mcap_pair qos = {"offered_qos_profiles", ""};
	uint16_t id = find_channel(r, name);
	if (id != 0)
		return id;
	return add_channel(r, &(struct cairn_mcap_channel){.id = (uint16_t)(r->channel_count + 1),
				  .schema_id = ros2_schema(r, type),
				  .topic = name,
				  .message_encoding = "cdr",
				  .metadata = &qos,
				  .metadata_count = 1});
}

bool record_write(struct cairn_message_recorder *r, uint16_t channel, const struct cairn_header *hdr,
    int bytes, int64_t logged_ns)
{
	return channel != 0 && bytes > 0 &&
	       cairn_mcap_writer_message(
		   r->writer, &(struct cairn_mcap_message){.channel_id = channel,
				  .sequence = (uint32_t)hdr->seq,
				  .log_time_ns = (uint64_t)(logged_ns + r->options.clock_offset_ns),
				  .publish_time_ns = (uint64_t)(hdr->t_ns + r->options.clock_offset_ns),
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
		uint16_t channel = record_ros2_channel(r, row->name, row->type);
		int bytes = cairn_ros2_encode(
		    row->type, hdr->t_ns + r->options.clock_offset_ns, from, r->buf, r->buf_bytes);
		good = record_write(r, channel, hdr, bytes, logged_ns);
	}
	return good;
}

bool cairn_message_recorder_add(struct cairn_message_recorder *r, enum cairn_topic topic,
    const char *instance, const struct cairn_header *hdr, const void *msg, int64_t logged_ns)
{
	const struct cairn_msg_desc *desc = cairn_topics[topic].desc;
	bool one = instance == NULL || instance[0] == '\0';
	char name[RECORD_NAME_BYTES];
	snprintf(name, sizeof(name), "/cairn/%s%s%s", cairn_topics[topic].name, one ? "" : ".",
	    one ? "" : instance);
	uint16_t channel = record_json_channel(r, name, desc);
	int bytes = cairn_msg_to_json(desc, hdr, msg, r->buf, r->buf_bytes);
	return record_write(r, channel, hdr, bytes, logged_ns) &&
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

bool cairn_message_recorder_failed(const struct cairn_message_recorder *r)
{
	return cairn_mcap_writer_failed(r->writer);
}

uint64_t cairn_message_recorder_messages(const struct cairn_message_recorder *r)
{
	return cairn_mcap_writer_messages(r->writer);
}

uint64_t cairn_message_recorder_bytes(const struct cairn_message_recorder *r)
{
	return cairn_mcap_writer_bytes(r->writer);
}
