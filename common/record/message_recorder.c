#include "common/record/message_recorder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define JSON_BYTES (1024 * 1024)  /* a full scan has 16384 numbers */
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
	uint16_t schema_of[CAIRN_TOPIC_COUNT]; /* id of the schema, 0 = not written yet */
	uint16_t schema_count;
	char *json;
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
    int64_t clock_offset_ns, cairn_mcap_write_fn *write, void *ctx)
{
	const struct cairn_mcap_options options = {.profile = "",
	    .library = "cairn " CAIRN_VERSION,
	    .chunk_bytes = CAIRN_RECORD_CHUNK_BYTES,
	    .zstd_level = ZSTD_LEVEL,
	    .parts = CAIRN_MCAP_WITH_EVERYTHING};
	struct cairn_message_recorder *r = calloc(1, sizeof(*r));
	if (r == NULL)
		return NULL;
	r->clock_offset_ns = clock_offset_ns;
	r->json = malloc(JSON_BYTES);
	r->writer = r->json != NULL ? cairn_mcap_writer_new(&options, write, ctx) : NULL;
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
	free(r->json);
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
	int bytes = cairn_msg_json_schema(desc, r->json, SCHEMA_BYTES);
	const struct cairn_mcap_schema schema = {.id = (uint16_t)(r->schema_count + 1),
	    .name = name,
	    .encoding = "jsonschema",
	    .data = {(const uint8_t *)r->json, bytes > 0 ? (size_t)bytes : 0}};
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
	*c = (struct channel){.topic = topic, .id = (uint16_t)(r->channel_count + 1)};
	snprintf(c->instance, sizeof(c->instance), "%s", instance);
	char name[96];
	snprintf(name, sizeof(name), "/%s%s%s", cairn_topics[topic].name, instance[0] != '\0' ? "." : "",
	    instance);
	const struct cairn_mcap_channel row = {
	    .id = c->id, .schema_id = schema, .topic = name, .message_encoding = "json"};
	if (!cairn_mcap_writer_channel(r->writer, &row))
		return NULL;
	r->channel_count++;
	return c;
}

bool cairn_message_recorder_add(struct cairn_message_recorder *r, enum cairn_topic topic,
    const char *instance, const struct cairn_header *hdr, const void *msg, int64_t logged_ns)
{
	const struct channel *c = channel_of(r, topic, instance != NULL ? instance : "");
	if (c == NULL)
		return false;
	int bytes = cairn_msg_to_json(cairn_topics[topic].desc, hdr, msg, r->json, JSON_BYTES);
	return bytes > 0 && cairn_mcap_writer_message(
				r->writer, &(struct cairn_mcap_message){.channel_id = c->id,
					       .sequence = (uint32_t)hdr->seq,
					       .log_time_ns = (uint64_t)(logged_ns + r->clock_offset_ns),
					       .publish_time_ns = (uint64_t)(hdr->t_ns + r->clock_offset_ns),
					       .data = {(const uint8_t *)r->json, (size_t)bytes}});
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
