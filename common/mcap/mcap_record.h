/* mcap_record.h - the records of an MCAP file: encoded into a buffer, decoded from one.
 *
 * Format: https://mcap.dev/spec. All numbers are little endian. A record is an opcode (1 byte), the length of its
 * content (8 bytes) and the content. Texts handed in are UTF-8 and end with a NUL; texts handed out are views into the
 * decoded bytes and do not. Times are Unix times in ns. Pure functions: no files, no clocks. */
#ifndef CAIRN_COMMON_MCAP_MCAP_RECORD_H
#define CAIRN_COMMON_MCAP_MCAP_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_MCAP_MAGIC "\x89MCAP0\r\n"
#define CAIRN_MCAP_MAGIC_BYTES 8
#define CAIRN_MCAP_RECORD_HEAD_BYTES 9
#define CAIRN_MCAP_FOOTER_BYTES 20

enum cairn_mcap_opcode {
	CAIRN_MCAP_HEADER = 0x01,
	CAIRN_MCAP_FOOTER = 0x02,
	CAIRN_MCAP_SCHEMA = 0x03,
	CAIRN_MCAP_CHANNEL = 0x04,
	CAIRN_MCAP_MESSAGE = 0x05,
	CAIRN_MCAP_CHUNK = 0x06,
	CAIRN_MCAP_MESSAGE_INDEX = 0x07,
	CAIRN_MCAP_CHUNK_INDEX = 0x08,
	CAIRN_MCAP_ATTACHMENT = 0x09,
	CAIRN_MCAP_ATTACHMENT_INDEX = 0x0A,
	CAIRN_MCAP_STATISTICS = 0x0B,
	CAIRN_MCAP_METADATA = 0x0C,
	CAIRN_MCAP_METADATA_INDEX = 0x0D,
	CAIRN_MCAP_SUMMARY_OFFSET = 0x0E,
	CAIRN_MCAP_DATA_END = 0x0F,
};

/* Bytes that somebody else owns. */
struct cairn_mcap_bytes {
	const uint8_t *data;
	size_t bytes;
};

/* A growing buffer of encoded records. All zero is empty. `failed` is set when memory ran out; what is put after that is
 * dropped. `padding` is appended to every record that the format allows to grow: readers must ignore it. */
struct cairn_mcap_buffer {
	uint8_t *data;
	size_t bytes, capacity;
	bool failed;
	struct cairn_mcap_bytes padding;
};

void cairn_mcap_buffer_clear(struct cairn_mcap_buffer *b); /* empty, memory kept */
void cairn_mcap_buffer_free(struct cairn_mcap_buffer *b);

struct cairn_mcap_pair {
	const char *key, *value;
};

/* Schema of a channel's messages. id 0 is no schema. */
struct cairn_mcap_schema {
	uint16_t id;
	const char *name, *encoding; /* encoding: ros2msg, jsonschema, ... */
	struct cairn_mcap_bytes data;
};

struct cairn_mcap_channel {
	uint16_t id, schema_id;
	const char *topic, *message_encoding; /* cdr, json, ... */
	const struct cairn_mcap_pair *metadata;
	uint32_t metadata_count;
};

struct cairn_mcap_message {
	uint16_t channel_id;
	uint32_t sequence;
	uint64_t log_time_ns, publish_time_ns;
	struct cairn_mcap_bytes data;
};

struct cairn_mcap_chunk {
	uint64_t start_ns, end_ns; /* earliest and latest log time in it, 0 without a message */
	uint64_t uncompressed_bytes;
	uint32_t uncompressed_crc;           /* 0: not given */
	struct cairn_mcap_bytes compression; /* "" or "zstd" */
	struct cairn_mcap_bytes records;     /* compressed */
};

/* Messages of one channel within one chunk: log time, and offset in the uncompressed chunk. */
struct cairn_mcap_index_entry {
	uint64_t log_time_ns, offset;
};

struct cairn_mcap_id_offset {
	uint16_t channel_id;
	uint64_t value; /* offset of the channel's message index, or number of its messages */
};

struct cairn_mcap_chunk_index {
	uint64_t start_ns, end_ns;
	uint64_t chunk_offset, chunk_bytes; /* in the file, with opcode and length */
	const struct cairn_mcap_id_offset *message_indexes;
	uint32_t message_index_count;
	uint64_t message_index_bytes;
	const char *compression;
	uint64_t compressed_bytes, uncompressed_bytes;
};

struct cairn_mcap_attachment {
	uint64_t log_time_ns, create_time_ns;
	const char *name, *media_type;
	struct cairn_mcap_bytes data;
};

struct cairn_mcap_statistics {
	uint64_t messages;
	uint16_t schemas;
	uint32_t channels, attachments, metadata, chunks;
	uint64_t start_ns, end_ns;
	const struct cairn_mcap_id_offset *per_channel;
	uint32_t per_channel_count;
};

/* Each appends one record. */
void cairn_mcap_put_header(struct cairn_mcap_buffer *b, const char *profile, const char *library);
void cairn_mcap_put_schema(struct cairn_mcap_buffer *b, const struct cairn_mcap_schema *s);
void cairn_mcap_put_channel(struct cairn_mcap_buffer *b, const struct cairn_mcap_channel *c);
void cairn_mcap_put_message(struct cairn_mcap_buffer *b, const struct cairn_mcap_message *m);
/* The chunk's head up to its records, whose compressed_bytes bytes have to follow. */
void cairn_mcap_put_chunk_head(struct cairn_mcap_buffer *b, const struct cairn_mcap_chunk *c,
    const char *compression, uint64_t compressed_bytes);
void cairn_mcap_put_message_index(struct cairn_mcap_buffer *b, uint16_t channel_id,
    const struct cairn_mcap_index_entry *entries, uint32_t count);
void cairn_mcap_put_chunk_index(struct cairn_mcap_buffer *b, const struct cairn_mcap_chunk_index *c);
void cairn_mcap_put_attachment(struct cairn_mcap_buffer *b, const struct cairn_mcap_attachment *a);
void cairn_mcap_put_attachment_index(
    struct cairn_mcap_buffer *b, uint64_t offset, uint64_t length, const struct cairn_mcap_attachment *a);
void cairn_mcap_put_statistics(struct cairn_mcap_buffer *b, const struct cairn_mcap_statistics *s);
void cairn_mcap_put_metadata(
    struct cairn_mcap_buffer *b, const char *name, const struct cairn_mcap_pair *pairs, uint32_t count);
void cairn_mcap_put_metadata_index(
    struct cairn_mcap_buffer *b, uint64_t offset, uint64_t length, const char *name);
void cairn_mcap_put_summary_offset(
    struct cairn_mcap_buffer *b, enum cairn_mcap_opcode group, uint64_t start, uint64_t length);
void cairn_mcap_put_data_end(struct cairn_mcap_buffer *b, uint32_t data_section_crc);
/* The footer without its last field, which is the CRC of everything from summary_start up to itself. */
void cairn_mcap_put_footer_head(
    struct cairn_mcap_buffer *b, uint64_t summary_start, uint64_t summary_offset_start);
void cairn_mcap_put_u32(struct cairn_mcap_buffer *b, uint32_t value);

/* Decoded records: views into the bytes that were handed in. */
struct cairn_mcap_schema_view {
	uint16_t id;
	struct cairn_mcap_bytes name, encoding, data;
};

struct cairn_mcap_channel_view {
	uint16_t id, schema_id;
	struct cairn_mcap_bytes topic, message_encoding, metadata; /* metadata: see cairn_mcap_pair_next */
};

struct cairn_mcap_chunk_index_view {
	uint64_t start_ns, end_ns, chunk_offset, chunk_bytes;
};

struct cairn_mcap_statistics_view {
	uint64_t messages, start_ns, end_ns;
	uint32_t channels, chunks;
};

struct cairn_mcap_metadata_view {
	struct cairn_mcap_bytes name, pairs;
};

struct cairn_mcap_attachment_view {
	uint64_t log_time_ns, create_time_ns;
	struct cairn_mcap_bytes name, media_type, data;
	bool crc_right; /* also when none was given */
};

/* Each takes a record's content. False when it is shorter than what it says it holds. */
bool cairn_mcap_get_schema(struct cairn_mcap_bytes content, struct cairn_mcap_schema_view *ret);
bool cairn_mcap_get_channel(struct cairn_mcap_bytes content, struct cairn_mcap_channel_view *ret);
bool cairn_mcap_get_message(struct cairn_mcap_bytes content, struct cairn_mcap_message *ret);
bool cairn_mcap_get_chunk(struct cairn_mcap_bytes content, struct cairn_mcap_chunk *ret);
bool cairn_mcap_get_chunk_index(struct cairn_mcap_bytes content, struct cairn_mcap_chunk_index_view *ret);
bool cairn_mcap_get_statistics(struct cairn_mcap_bytes content, struct cairn_mcap_statistics_view *ret);
bool cairn_mcap_get_metadata(struct cairn_mcap_bytes content, struct cairn_mcap_metadata_view *ret);
bool cairn_mcap_get_attachment(struct cairn_mcap_bytes content, struct cairn_mcap_attachment_view *ret);
bool cairn_mcap_get_data_end(struct cairn_mcap_bytes content, uint32_t *ret_crc);
bool cairn_mcap_get_footer(struct cairn_mcap_bytes content, uint64_t *ret_summary_start,
    uint64_t *ret_offset_start, uint32_t *ret_crc);
/* The next pair of a map of texts, taken from the front of *map. False at its end or where it is damaged. */
bool cairn_mcap_pair_next(
    struct cairn_mcap_bytes *map, struct cairn_mcap_bytes *ret_key, struct cairn_mcap_bytes *ret_value);
/* Takes one record from the front of *records. False at the end or where the rest is shorter than it says. */
bool cairn_mcap_record_next(
    struct cairn_mcap_bytes *records, uint8_t *ret_opcode, struct cairn_mcap_bytes *ret_content);

#endif
