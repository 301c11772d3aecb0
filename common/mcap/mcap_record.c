#include "common/mcap/mcap_record.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define FIRST_CAPACITY 4096

void cairn_mcap_buffer_clear(struct cairn_mcap_buffer *b)
{
	b->bytes = 0;
	b->failed = false;
}

void cairn_mcap_buffer_free(struct cairn_mcap_buffer *b)
{
	free(b->data);
	*b = (struct cairn_mcap_buffer){.padding = b->padding};
}

static bool reserve(struct cairn_mcap_buffer *b, size_t bytes)
{
	if (b->failed)
		return false;
	if (b->capacity - b->bytes >= bytes)
		return true;
	size_t capacity = b->capacity > 0 ? b->capacity : FIRST_CAPACITY;
	while (capacity - b->bytes < bytes && capacity <= SIZE_MAX / 2)
		capacity *= 2;
	uint8_t *data = capacity - b->bytes >= bytes ? realloc(b->data, capacity) : NULL;
	if (data == NULL) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->capacity = capacity;
	return true;
}

static void put(struct cairn_mcap_buffer *b, const void *data, size_t bytes)
{
	if (bytes == 0 || !reserve(b, bytes))
		return;
	memcpy(b->data + b->bytes, data, bytes);
	b->bytes += bytes;
}

static void put_number(struct cairn_mcap_buffer *b, uint64_t value, int bytes)
{
	uint8_t out[8];
	for (int i = 0; i < bytes; i++)
		out[i] = (uint8_t)(value >> (8 * i));
	put(b, out, (size_t)bytes);
}

static void put_u16(struct cairn_mcap_buffer *b, uint16_t value)
{
	put_number(b, value, 2);
}

void cairn_mcap_put_u32(struct cairn_mcap_buffer *b, uint32_t value)
{
	put_number(b, value, 4);
}

static void put_u64(struct cairn_mcap_buffer *b, uint64_t value)
{
	put_number(b, value, 8);
}

static void put_text(struct cairn_mcap_buffer *b, const char *text)
{
	size_t bytes = strlen(text);
	cairn_mcap_put_u32(b, (uint32_t)bytes);
	put(b, text, bytes);
}

static void put_pairs(struct cairn_mcap_buffer *b, const struct cairn_mcap_pair *pairs, uint32_t count)
{
	size_t bytes = 0;
	for (uint32_t i = 0; i < count; i++)
		bytes += 8 + strlen(pairs[i].key) + strlen(pairs[i].value);
	cairn_mcap_put_u32(b, (uint32_t)bytes);
	for (uint32_t i = 0; i < count; i++) {
		put_text(b, pairs[i].key);
		put_text(b, pairs[i].value);
	}
}

static void put_ids(struct cairn_mcap_buffer *b, const struct cairn_mcap_id_offset *ids, uint32_t count)
{
	cairn_mcap_put_u32(b, count * 10);
	for (uint32_t i = 0; i < count; i++) {
		put_u16(b, ids[i].channel_id);
		put_u64(b, ids[i].value);
	}
}

/* Offset of the record's content. */
static size_t begin(struct cairn_mcap_buffer *b, enum cairn_mcap_opcode opcode)
{
	put_number(b, opcode, 1);
	put_u64(b, 0);
	return b->bytes;
}

static void set_length(struct cairn_mcap_buffer *b, size_t content, uint64_t length)
{
	if (b->failed)
		return;
	for (int i = 0; i < 8; i++)
		b->data[content - 8 + (size_t)i] = (uint8_t)(length >> (8 * i));
}

static void end_exact(struct cairn_mcap_buffer *b, size_t content)
{
	set_length(b, content, b->bytes - content);
}

/* The record may grow in later versions of the format: the place of the padding. */
static void end(struct cairn_mcap_buffer *b, size_t content)
{
	put(b, b->padding.data, b->padding.bytes);
	end_exact(b, content);
}

void cairn_mcap_put_header(struct cairn_mcap_buffer *b, const char *profile, const char *library)
{
	size_t content = begin(b, CAIRN_MCAP_HEADER);
	put_text(b, profile);
	put_text(b, library);
	end(b, content);
}

void cairn_mcap_put_schema(struct cairn_mcap_buffer *b, const struct cairn_mcap_schema *s)
{
	size_t content = begin(b, CAIRN_MCAP_SCHEMA);
	put_u16(b, s->id);
	put_text(b, s->name);
	put_text(b, s->encoding);
	cairn_mcap_put_u32(b, (uint32_t)s->data.bytes);
	put(b, s->data.data, s->data.bytes);
	end(b, content);
}

void cairn_mcap_put_channel(struct cairn_mcap_buffer *b, const struct cairn_mcap_channel *c)
{
	size_t content = begin(b, CAIRN_MCAP_CHANNEL);
	put_u16(b, c->id);
	put_u16(b, c->schema_id);
	put_text(b, c->topic);
	put_text(b, c->message_encoding);
	put_pairs(b, c->metadata, c->metadata_count);
	end(b, content);
}

void cairn_mcap_put_message(struct cairn_mcap_buffer *b, const struct cairn_mcap_message *m)
{
	size_t content = begin(b, CAIRN_MCAP_MESSAGE);
	put_u16(b, m->channel_id);
	cairn_mcap_put_u32(b, m->sequence);
	put_u64(b, m->log_time_ns);
	put_u64(b, m->publish_time_ns);
	put(b, m->data.data, m->data.bytes);
	end_exact(b, content);
}

void cairn_mcap_put_chunk_head(struct cairn_mcap_buffer *b, const struct cairn_mcap_chunk *c,
    const char *compression, uint64_t compressed_bytes)
{
	size_t content = begin(b, CAIRN_MCAP_CHUNK);
	put_u64(b, c->start_ns);
	put_u64(b, c->end_ns);
	put_u64(b, c->uncompressed_bytes);
	cairn_mcap_put_u32(b, c->uncompressed_crc);
	put_text(b, compression);
	put_u64(b, compressed_bytes);
	set_length(b, content, b->bytes - content + compressed_bytes);
}

void cairn_mcap_put_message_index(struct cairn_mcap_buffer *b, uint16_t channel_id,
    const struct cairn_mcap_index_entry *entries, uint32_t count)
{
	size_t content = begin(b, CAIRN_MCAP_MESSAGE_INDEX);
	put_u16(b, channel_id);
	cairn_mcap_put_u32(b, count * 16);
	for (uint32_t i = 0; i < count; i++) {
		put_u64(b, entries[i].log_time_ns);
		put_u64(b, entries[i].offset);
	}
	end(b, content);
}

void cairn_mcap_put_chunk_index(struct cairn_mcap_buffer *b, const struct cairn_mcap_chunk_index *c)
{
	size_t content = begin(b, CAIRN_MCAP_CHUNK_INDEX);
	put_u64(b, c->start_ns);
	put_u64(b, c->end_ns);
	put_u64(b, c->chunk_offset);
	put_u64(b, c->chunk_bytes);
	put_ids(b, c->message_indexes, c->message_index_count);
	put_u64(b, c->message_index_bytes);
	put_text(b, c->compression);
	put_u64(b, c->compressed_bytes);
	put_u64(b, c->uncompressed_bytes);
	end(b, content);
}

void cairn_mcap_put_attachment(struct cairn_mcap_buffer *b, const struct cairn_mcap_attachment *a)
{
	size_t content = begin(b, CAIRN_MCAP_ATTACHMENT);
	put_u64(b, a->log_time_ns);
	put_u64(b, a->create_time_ns);
	put_text(b, a->name);
	put_text(b, a->media_type);
	put_u64(b, a->data.bytes);
	put(b, a->data.data, a->data.bytes);
	if (!b->failed)
		cairn_mcap_put_u32(b, (uint32_t)crc32_z(0, b->data + content, b->bytes - content));
	end(b, content);
}

void cairn_mcap_put_attachment_index(
    struct cairn_mcap_buffer *b, uint64_t offset, uint64_t length, const struct cairn_mcap_attachment *a)
{
	size_t content = begin(b, CAIRN_MCAP_ATTACHMENT_INDEX);
	put_u64(b, offset);
	put_u64(b, length);
	put_u64(b, a->log_time_ns);
	put_u64(b, a->create_time_ns);
	put_u64(b, a->data.bytes);
	put_text(b, a->name);
	put_text(b, a->media_type);
	end(b, content);
}

void cairn_mcap_put_statistics(struct cairn_mcap_buffer *b, const struct cairn_mcap_statistics *s)
{
	size_t content = begin(b, CAIRN_MCAP_STATISTICS);
	put_u64(b, s->messages);
	put_u16(b, s->schemas);
	cairn_mcap_put_u32(b, s->channels);
	cairn_mcap_put_u32(b, s->attachments);
	cairn_mcap_put_u32(b, s->metadata);
	cairn_mcap_put_u32(b, s->chunks);
	put_u64(b, s->start_ns);
	put_u64(b, s->end_ns);
	put_ids(b, s->per_channel, s->per_channel_count);
	end(b, content);
}

void cairn_mcap_put_metadata(
    struct cairn_mcap_buffer *b, const char *name, const struct cairn_mcap_pair *pairs, uint32_t count)
{
	size_t content = begin(b, CAIRN_MCAP_METADATA);
	put_text(b, name);
	put_pairs(b, pairs, count);
	end(b, content);
}

void cairn_mcap_put_metadata_index(
    struct cairn_mcap_buffer *b, uint64_t offset, uint64_t length, const char *name)
{
	size_t content = begin(b, CAIRN_MCAP_METADATA_INDEX);
	put_u64(b, offset);
	put_u64(b, length);
	put_text(b, name);
	end(b, content);
}

void cairn_mcap_put_summary_offset(
    struct cairn_mcap_buffer *b, enum cairn_mcap_opcode group, uint64_t start, uint64_t length)
{
	size_t content = begin(b, CAIRN_MCAP_SUMMARY_OFFSET);
	put_number(b, group, 1);
	put_u64(b, start);
	put_u64(b, length);
	end(b, content);
}

void cairn_mcap_put_data_end(struct cairn_mcap_buffer *b, uint32_t data_section_crc)
{
	size_t content = begin(b, CAIRN_MCAP_DATA_END);
	cairn_mcap_put_u32(b, data_section_crc);
	end_exact(b, content);
}

void cairn_mcap_put_footer_head(
    struct cairn_mcap_buffer *b, uint64_t summary_start, uint64_t summary_offset_start)
{
	size_t content = begin(b, CAIRN_MCAP_FOOTER);
	put_u64(b, summary_start);
	put_u64(b, summary_offset_start);
	set_length(b, content, CAIRN_MCAP_FOOTER_BYTES);
}

/* Decoding: what is left of a content. `bad` once more was taken than was there. */
struct cursor {
	struct cairn_mcap_bytes left;
	bool bad;
};

static struct cairn_mcap_bytes take(struct cursor *c, uint64_t bytes)
{
	if (c->bad || bytes > c->left.bytes) {
		c->bad = true;
		return (struct cairn_mcap_bytes){0};
	}
	struct cairn_mcap_bytes ret = {c->left.data, (size_t)bytes};
	c->left.data += bytes;
	c->left.bytes -= (size_t)bytes;
	return ret;
}

static uint64_t number(struct cursor *c, int bytes)
{
	struct cairn_mcap_bytes b = take(c, (uint64_t)bytes);
	uint64_t value = 0;
	for (size_t i = 0; i < b.bytes; i++)
		value |= (uint64_t)b.data[i] << (8 * i);
	return value;
}

static struct cairn_mcap_bytes text(struct cursor *c)
{
	return take(c, number(c, 4));
}

bool cairn_mcap_get_schema(struct cairn_mcap_bytes content, struct cairn_mcap_schema_view *ret)
{
	struct cursor c = {content, false};
	ret->id = (uint16_t)number(&c, 2);
	ret->name = text(&c);
	ret->encoding = text(&c);
	ret->data = text(&c);
	return !c.bad;
}

bool cairn_mcap_get_channel(struct cairn_mcap_bytes content, struct cairn_mcap_channel_view *ret)
{
	struct cursor c = {content, false};
	ret->id = (uint16_t)number(&c, 2);
	ret->schema_id = (uint16_t)number(&c, 2);
	ret->topic = text(&c);
	ret->message_encoding = text(&c);
	ret->metadata = text(&c);
	return !c.bad;
}

bool cairn_mcap_get_message(struct cairn_mcap_bytes content, struct cairn_mcap_message *ret)
{
	struct cursor c = {content, false};
	ret->channel_id = (uint16_t)number(&c, 2);
	ret->sequence = (uint32_t)number(&c, 4);
	ret->log_time_ns = number(&c, 8);
	ret->publish_time_ns = number(&c, 8);
	ret->data = c.left;
	return !c.bad;
}

bool cairn_mcap_get_chunk(struct cairn_mcap_bytes content, struct cairn_mcap_chunk *ret)
{
	struct cursor c = {content, false};
	ret->start_ns = number(&c, 8);
	ret->end_ns = number(&c, 8);
	ret->uncompressed_bytes = number(&c, 8);
	ret->uncompressed_crc = (uint32_t)number(&c, 4);
	ret->compression = text(&c);
	ret->records = take(&c, number(&c, 8));
	return !c.bad;
}

bool cairn_mcap_get_chunk_index(struct cairn_mcap_bytes content, struct cairn_mcap_chunk_index_view *ret)
{
	struct cursor c = {content, false};
	ret->start_ns = number(&c, 8);
	ret->end_ns = number(&c, 8);
	ret->chunk_offset = number(&c, 8);
	ret->chunk_bytes = number(&c, 8);
	return !c.bad;
}

bool cairn_mcap_get_statistics(struct cairn_mcap_bytes content, struct cairn_mcap_statistics_view *ret)
{
	struct cursor c = {content, false};
	ret->messages = number(&c, 8);
	take(&c, 2); /* schemas */
	ret->channels = (uint32_t)number(&c, 4);
	take(&c, 8); /* attachments, metadata */
	ret->chunks = (uint32_t)number(&c, 4);
	ret->start_ns = number(&c, 8);
	ret->end_ns = number(&c, 8);
	return !c.bad;
}

bool cairn_mcap_get_metadata(struct cairn_mcap_bytes content, struct cairn_mcap_metadata_view *ret)
{
	struct cursor c = {content, false};
	ret->name = text(&c);
	ret->pairs = text(&c);
	return !c.bad;
}

bool cairn_mcap_get_attachment(struct cairn_mcap_bytes content, struct cairn_mcap_attachment_view *ret)
{
	struct cursor c = {content, false};
	ret->log_time_ns = number(&c, 8);
	ret->create_time_ns = number(&c, 8);
	ret->name = text(&c);
	ret->media_type = text(&c);
	ret->data = take(&c, number(&c, 8));
	size_t covered = content.bytes - c.left.bytes;
	uint32_t crc = (uint32_t)number(&c, 4);
	if (c.bad)
		return false;
	ret->crc_right = crc == 0 || crc == (uint32_t)crc32_z(0, content.data, covered);
	return true;
}

bool cairn_mcap_get_data_end(struct cairn_mcap_bytes content, uint32_t *ret_crc)
{
	struct cursor c = {content, false};
	*ret_crc = (uint32_t)number(&c, 4);
	return !c.bad;
}

bool cairn_mcap_get_footer(struct cairn_mcap_bytes content, uint64_t *ret_summary_start,
    uint64_t *ret_offset_start, uint32_t *ret_crc)
{
	struct cursor c = {content, false};
	*ret_summary_start = number(&c, 8);
	*ret_offset_start = number(&c, 8);
	*ret_crc = (uint32_t)number(&c, 4);
	return !c.bad;
}

bool cairn_mcap_pair_next(
    struct cairn_mcap_bytes *map, struct cairn_mcap_bytes *ret_key, struct cairn_mcap_bytes *ret_value)
{
	struct cursor c = {*map, false};
	struct cairn_mcap_bytes key = text(&c), value = text(&c);
	if (c.bad)
		return false;
	*ret_key = key;
	*ret_value = value;
	*map = c.left;
	return true;
}

bool cairn_mcap_record_next(
    struct cairn_mcap_bytes *records, uint8_t *ret_opcode, struct cairn_mcap_bytes *ret_content)
{
	struct cursor c = {*records, false};
	uint8_t opcode = (uint8_t)number(&c, 1);
	struct cairn_mcap_bytes content = take(&c, number(&c, 8));
	if (c.bad)
		return false;
	*ret_opcode = opcode;
	*ret_content = content;
	*records = c.left;
	return true;
}
