#include "common/mcap/mcap_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define IDS 65536

struct cairn_mcap_reader {
	cairn_mcap_read_fn *read;
	void *ctx;
	uint64_t file_bytes, offset;
	enum cairn_mcap_item ended; /* END, CUT or DAMAGED once `over` */
	bool over;
	char why[256];
	uint8_t *record; /* content of the record that is read */
	size_t record_capacity;
	uint8_t *chunk; /* uncompressed */
	size_t chunk_capacity;
	struct cairn_mcap_bytes in_chunk;            /* records of the chunk that are still to come */
	uint32_t crc;                                /* of the file up to `offset` */
	bool crc_valid;                              /* nothing was skipped */
	bool chunked;                                /* a chunk has come: then all messages stand in chunks */
	uint8_t schemas[IDS / 8], channels[IDS / 8]; /* which ids are known */
	void (*on_channel)(void *ctx, const struct cairn_mcap_channel_view *channel);
	void *on_channel_ctx;
	struct cairn_mcap_chunk_index_view *index;
	uint32_t index_count;
};

static void set_known(uint8_t *ids, uint16_t id)
{
	ids[id / 8] |= (uint8_t)(1u << (id % 8));
}

static bool known(const uint8_t *ids, uint16_t id)
{
	return (ids[id / 8] >> (id % 8) & 1u) != 0;
}

static bool reserve(uint8_t **data, size_t *capacity, size_t bytes)
{
	if (bytes <= *capacity)
		return true;
	uint8_t *grown = realloc(*data, bytes);
	if (grown == NULL)
		return false;
	*data = grown;
	*capacity = bytes;
	return true;
}

static void stop(struct cairn_mcap_reader *r, enum cairn_mcap_item item, const char *why)
{
	r->over = true;
	r->ended = item;
	if (item == CAIRN_MCAP_ITEM_DAMAGED)
		snprintf(r->why, sizeof(r->why), "at byte %" PRIu64 ": %s", r->offset, why);
	else if (item == CAIRN_MCAP_ITEM_CUT)
		snprintf(r->why, sizeof(r->why),
		    "the file was cut off: it ends at byte %" PRIu64 " within a record", r->file_bytes);
}

size_t cairn_mcap_read_fd(void *fd, uint64_t offset, void *buf, size_t bytes)
{
	size_t done = 0;
	while (done < bytes) {
		ssize_t n = pread(*(const int *)fd, (char *)buf + done, bytes - done, (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

struct cairn_mcap_reader *cairn_mcap_reader_new(
    cairn_mcap_read_fn *read, void *ctx, uint64_t file_bytes, struct cairn_error *err)
{
	uint8_t magic[CAIRN_MCAP_MAGIC_BYTES];
	if (read(ctx, 0, magic, sizeof(magic)) != sizeof(magic) ||
	    memcmp(magic, CAIRN_MCAP_MAGIC, sizeof(magic)) != 0) {
		cairn_error_set(err, "no MCAP file: it does not begin with MCAP's eight magic bytes");
		return NULL;
	}
	struct cairn_mcap_reader *r = calloc(1, sizeof(*r));
	if (r == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	r->read = read;
	r->ctx = ctx;
	r->file_bytes = file_bytes;
	r->offset = CAIRN_MCAP_MAGIC_BYTES;
	r->crc = (uint32_t)crc32_z(0, magic, sizeof(magic));
	r->crc_valid = true;
	return r;
}

void cairn_mcap_reader_destroy(struct cairn_mcap_reader **pr)
{
	struct cairn_mcap_reader *r = *pr;
	if (r == NULL)
		return;
	free(r->record);
	free(r->chunk);
	free(r->index);
	free(r);
	*pr = NULL;
}

static uint64_t little_endian64(const uint8_t *p)
{
	uint64_t value = 0;
	for (int i = 0; i < 8; i++)
		value |= (uint64_t)p[i] << (8 * i);
	return value;
}

/* The record at the reader's offset, which moves behind it. */
static bool read_record(
    struct cairn_mcap_reader *r, uint8_t *ret_opcode, struct cairn_mcap_bytes *ret_content)
{
	uint8_t head[CAIRN_MCAP_RECORD_HEAD_BYTES];
	if (r->read(r->ctx, r->offset, head, sizeof(head)) != sizeof(head)) {
		stop(r, CAIRN_MCAP_ITEM_CUT, NULL);
		return false;
	}
	uint64_t bytes = little_endian64(head + 1);
	if (bytes > r->file_bytes - r->offset - sizeof(head)) {
		stop(r, CAIRN_MCAP_ITEM_CUT, NULL);
		return false;
	}
	if (bytes > CAIRN_MCAP_RECORD_MAX_BYTES) {
		stop(r, CAIRN_MCAP_ITEM_DAMAGED, "a record is larger than 256 MiB");
		return false;
	}
	if (!reserve(&r->record, &r->record_capacity, (size_t)bytes > 0 ? (size_t)bytes : 1)) {
		stop(r, CAIRN_MCAP_ITEM_DAMAGED, "out of memory");
		return false;
	}
	if (r->read(r->ctx, r->offset + sizeof(head), r->record, (size_t)bytes) != bytes) {
		stop(r, CAIRN_MCAP_ITEM_CUT, NULL);
		return false;
	}
	if (head[0] != CAIRN_MCAP_DATA_END) {
		r->crc = (uint32_t)crc32_z(r->crc, head, sizeof(head));
		r->crc = (uint32_t)crc32_z(r->crc, r->record, (size_t)bytes);
	}
	*ret_opcode = head[0];
	*ret_content = (struct cairn_mcap_bytes){r->record, (size_t)bytes};
	r->offset += sizeof(head) + bytes;
	return true;
}

/* Why the chunk cannot be used, or NULL: then its records are in r->in_chunk. */
static const char *open_chunk(struct cairn_mcap_reader *r, struct cairn_mcap_bytes content)
{
	struct cairn_mcap_chunk c;
	if (!cairn_mcap_get_chunk(content, &c))
		return "a chunk is shorter than it says";
	if (c.uncompressed_bytes > CAIRN_MCAP_RECORD_MAX_BYTES)
		return "a chunk is larger than 256 MiB";
	struct cairn_mcap_bytes records = c.records;
	if (c.compression.bytes == 4 && memcmp(c.compression.data, "zstd", 4) == 0) {
		if (!reserve(&r->chunk, &r->chunk_capacity,
			c.uncompressed_bytes > 0 ? (size_t)c.uncompressed_bytes : 1))
			return "out of memory";
		size_t bytes =
		    ZSTD_decompress(r->chunk, (size_t)c.uncompressed_bytes, c.records.data, c.records.bytes);
		if (ZSTD_isError(bytes))
			return "a chunk cannot be decompressed";
		records = (struct cairn_mcap_bytes){r->chunk, bytes};
	} else if (c.compression.bytes != 0) {
		return "a chunk is compressed in a way that is not known here (known: zstd, none)";
	}
	if (records.bytes != c.uncompressed_bytes)
		return "a chunk's records have another length than it says";
	if (c.uncompressed_crc != 0 &&
	    c.uncompressed_crc != (uint32_t)crc32_z(0, records.data, records.bytes))
		return "a chunk's checksum is wrong";
	r->in_chunk = records;
	r->chunked = true;
	return NULL;
}

/* Turns one record into an item. False for a record that is no item, or after stop(). */
static bool to_item(
    struct cairn_mcap_reader *r, uint8_t opcode, struct cairn_mcap_bytes content, struct cairn_mcap_read *ret)
{
	const char *why = NULL;
	switch (opcode) {
	case CAIRN_MCAP_SCHEMA:
		if (!cairn_mcap_get_schema(content, &ret->schema) || ret->schema.id == 0)
			why = "a schema is damaged";
		else
			set_known(r->schemas, ret->schema.id);
		ret->item = CAIRN_MCAP_ITEM_SCHEMA;
		break;
	case CAIRN_MCAP_CHANNEL:
		if (!cairn_mcap_get_channel(content, &ret->channel))
			why = "a channel is damaged";
		else if (ret->channel.schema_id != 0 && !known(r->schemas, ret->channel.schema_id))
			why = "a channel names a schema that has not come";
		else
			set_known(r->channels, ret->channel.id);
		ret->item = CAIRN_MCAP_ITEM_CHANNEL;
		break;
	case CAIRN_MCAP_MESSAGE:
		if (!cairn_mcap_get_message(content, &ret->message))
			why = "a message is damaged";
		else if (!known(r->channels, ret->message.channel_id))
			why = "a message names a channel that has not come";
		ret->item = CAIRN_MCAP_ITEM_MESSAGE;
		break;
	case CAIRN_MCAP_ATTACHMENT:
		if (!cairn_mcap_get_attachment(content, &ret->attachment))
			why = "an attachment is damaged";
		else if (!ret->attachment.crc_right)
			why = "an attachment's checksum is wrong";
		ret->item = CAIRN_MCAP_ITEM_ATTACHMENT;
		break;
	case CAIRN_MCAP_METADATA:
		if (!cairn_mcap_get_metadata(content, &ret->metadata))
			why = "metadata are damaged";
		ret->item = CAIRN_MCAP_ITEM_METADATA;
		break;
	default:
		return false; /* indexes, and what later versions of the format may add */
	}
	if (why != NULL)
		stop(r, CAIRN_MCAP_ITEM_DAMAGED, why);
	return why == NULL;
}

static bool next_in_chunk(struct cairn_mcap_reader *r, struct cairn_mcap_read *ret)
{
	uint8_t opcode;
	struct cairn_mcap_bytes content;
	while (!r->over && r->in_chunk.bytes > 0) {
		if (!cairn_mcap_record_next(&r->in_chunk, &opcode, &content))
			stop(r, CAIRN_MCAP_ITEM_DAMAGED, "a record in a chunk is longer than the chunk");
		else if (to_item(r, opcode, content, ret))
			return true;
	}
	return false;
}

/* The checksum of the data section finds what no other covers: a record that is not known, or gone. */
static void end_data(struct cairn_mcap_reader *r, struct cairn_mcap_bytes content)
{
	uint32_t crc = 0;
	if (!cairn_mcap_get_data_end(content, &crc))
		stop(r, CAIRN_MCAP_ITEM_DAMAGED, "the end of the data is damaged");
	else if (crc != 0 && r->crc_valid && crc != r->crc)
		stop(r, CAIRN_MCAP_ITEM_DAMAGED,
		    "the checksum of all data is wrong: something before was changed");
	else
		stop(r, CAIRN_MCAP_ITEM_END, NULL);
}

void cairn_mcap_reader_next(struct cairn_mcap_reader *r, struct cairn_mcap_read *ret, struct cairn_error *err)
{
	uint8_t opcode;
	struct cairn_mcap_bytes content;
	while (!r->over) {
		if (next_in_chunk(r, ret))
			return;
		if (r->over || !read_record(r, &opcode, &content))
			break;
		if (opcode == CAIRN_MCAP_DATA_END) {
			end_data(r, content);
		} else if (opcode == CAIRN_MCAP_CHUNK) {
			const char *why = open_chunk(r, content);
			if (why != NULL)
				stop(r, CAIRN_MCAP_ITEM_DAMAGED, why);
		} else if (opcode == CAIRN_MCAP_FOOTER) {
			stop(r, CAIRN_MCAP_ITEM_DAMAGED, "the footer comes before the end of the data");
		} else if (opcode == CAIRN_MCAP_MESSAGE && r->chunked) {
			stop(r, CAIRN_MCAP_ITEM_DAMAGED, "a message stands outside of the chunks");
		} else if (to_item(r, opcode, content, ret)) {
			return;
		}
	}
	r->in_chunk = (struct cairn_mcap_bytes){0};
	ret->item = r->ended;
	if (r->ended != CAIRN_MCAP_ITEM_END)
		cairn_error_set(err, "%s", r->why);
}

static bool read_footer(
    struct cairn_mcap_reader *r, uint64_t *ret_summary, uint64_t *ret_end, uint32_t *ret_crc)
{
	uint8_t tail[CAIRN_MCAP_RECORD_HEAD_BYTES + CAIRN_MCAP_FOOTER_BYTES + CAIRN_MCAP_MAGIC_BYTES];
	if (r->file_bytes < sizeof(tail) + CAIRN_MCAP_MAGIC_BYTES)
		return false;
	*ret_end = r->file_bytes - sizeof(tail);
	uint64_t offset_start;
	struct cairn_mcap_bytes content = {tail + CAIRN_MCAP_RECORD_HEAD_BYTES, CAIRN_MCAP_FOOTER_BYTES};
	return r->read(r->ctx, *ret_end, tail, sizeof(tail)) == sizeof(tail) &&
	       tail[0] == CAIRN_MCAP_FOOTER && little_endian64(tail + 1) == CAIRN_MCAP_FOOTER_BYTES &&
	       memcmp(content.data + content.bytes, CAIRN_MCAP_MAGIC, CAIRN_MCAP_MAGIC_BYTES) == 0 &&
	       cairn_mcap_get_footer(content, ret_summary, &offset_start, ret_crc) &&
	       *ret_summary >= CAIRN_MCAP_MAGIC_BYTES && *ret_summary < *ret_end &&
	       *ret_end - *ret_summary <= CAIRN_MCAP_RECORD_MAX_BYTES;
}

static bool add_index(struct cairn_mcap_reader *r, const struct cairn_mcap_chunk_index_view *entry)
{
	if ((r->index_count & (r->index_count - 1)) == 0) { /* a power of two, or none: the list is full */
		uint32_t capacity = r->index_count > 0 ? r->index_count * 2 : 1;
		void *grown = realloc(r->index, capacity * sizeof(*r->index));
		if (grown == NULL)
			return false;
		r->index = grown;
	}
	r->index[r->index_count++] = *entry;
	return true;
}

/* Takes the summary's records. */
static bool read_summary(
    struct cairn_mcap_reader *r, struct cairn_mcap_bytes records, struct cairn_mcap_summary *ret)
{
	uint8_t opcode;
	struct cairn_mcap_bytes content;
	struct cairn_mcap_schema_view schema;
	struct cairn_mcap_channel_view channel;
	struct cairn_mcap_chunk_index_view entry;
	bool good = true;
	while (good && records.bytes > 0) {
		good = cairn_mcap_record_next(&records, &opcode, &content);
		if (!good)
			break;
		switch (opcode) {
		case CAIRN_MCAP_SCHEMA:
			good = cairn_mcap_get_schema(content, &schema);
			if (good)
				set_known(r->schemas, schema.id);
			break;
		case CAIRN_MCAP_CHANNEL:
			good = cairn_mcap_get_channel(content, &channel);
			if (good)
				set_known(r->channels, channel.id);
			if (good && r->on_channel != NULL)
				r->on_channel(r->on_channel_ctx, &channel);
			break;
		case CAIRN_MCAP_STATISTICS:
			good = cairn_mcap_get_statistics(content, &ret->statistics);
			break;
		case CAIRN_MCAP_CHUNK_INDEX:
			good = cairn_mcap_get_chunk_index(content, &entry) &&
			       entry.chunk_offset < r->file_bytes && add_index(r, &entry);
			break;
		default:
			break;
		}
	}
	ret->chunks = r->index_count;
	return good;
}

void cairn_mcap_reader_on_channel(struct cairn_mcap_reader *r,
    void (*on_channel)(void *ctx, const struct cairn_mcap_channel_view *channel), void *ctx)
{
	r->on_channel = on_channel;
	r->on_channel_ctx = ctx;
}

bool cairn_mcap_reader_summary(
    struct cairn_mcap_reader *r, struct cairn_mcap_summary *ret, struct cairn_error *err)
{
	uint64_t start, end;
	uint32_t crc;
	*ret = (struct cairn_mcap_summary){0};
	r->index_count = 0;
	if (!read_footer(r, &start, &end, &crc)) {
		cairn_error_set(err, "the file has no summary: it was cut off, or written without one");
		return false;
	}
	/* With the footer up to its checksum, which covers that, too. */
	size_t covered = (size_t)(end - start) + CAIRN_MCAP_RECORD_HEAD_BYTES + 16;
	uint8_t *bytes = malloc(covered);
	if (bytes == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	const char *why = NULL;
	if (r->read(r->ctx, start, bytes, covered) != covered)
		why = "the summary cannot be read";
	else if (crc != 0 && crc != (uint32_t)crc32_z(0, bytes, covered))
		why = "the summary's checksum is wrong";
	else if (!read_summary(r, (struct cairn_mcap_bytes){bytes, (size_t)(end - start)}, ret))
		why = "the summary is damaged";
	free(bytes);
	if (why == NULL)
		return true;
	r->index_count = 0;
	cairn_error_set(err, "%s", why);
	return false;
}

bool cairn_mcap_reader_seek(struct cairn_mcap_reader *r, uint64_t t_ns)
{
	uint64_t best = UINT64_MAX;
	for (uint32_t i = 0; i < r->index_count; i++) {
		if (r->index[i].end_ns >= t_ns && r->index[i].chunk_offset < best)
			best = r->index[i].chunk_offset;
	}
	if (r->index_count == 0)
		return false;
	r->over = best == UINT64_MAX;
	r->ended = CAIRN_MCAP_ITEM_END; /* where there is nothing so late */
	r->in_chunk = (struct cairn_mcap_bytes){0};
	r->crc_valid = false;
	if (!r->over)
		r->offset = best;
	return true;
}
