#include "common/mcap/mcap_writer.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define IDS 65536

/* The messages of one channel: of the chunk that is open, and of the file. */
struct channel {
	bool added;
	struct cairn_mcap_index_entry *entries;
	uint32_t count, capacity;
	uint64_t messages;
};

struct cairn_mcap_writer {
	cairn_mcap_write_fn *write;
	void *ctx;
	size_t chunk_bytes;
	int zstd_level;
	uint32_t parts;
	bool failed, finished;
	uint64_t bytes;
	uint32_t crc; /* of all bytes so far */
	ZSTD_CCtx *zstd;
	uint8_t *compressed;
	size_t compressed_capacity;
	struct cairn_mcap_buffer out;   /* what goes to the sink next */
	struct cairn_mcap_buffer chunk; /* records of the open chunk */
	uint64_t chunk_start_ns, chunk_end_ns;
	bool chunk_has_messages;
	struct channel *channels; /* by id */
	uint16_t *ids;            /* of the channels, in the order in which they were added */
	uint32_t id_count, id_capacity;
	struct cairn_mcap_id_offset *offsets; /* as many as ids */
	/* of the summary */
	struct cairn_mcap_buffer schemas, repeated_channels, chunk_indexes, attachment_indexes,
	    metadata_indexes;
	struct cairn_mcap_statistics statistics;
};

static void *grown(void *items, size_t size, uint32_t count, uint32_t *capacity)
{
	if (count < *capacity)
		return items;
	uint32_t wanted = *capacity > 0 ? *capacity * 2 : 16;
	void *ret = realloc(items, size * wanted);
	if (ret != NULL)
		*capacity = wanted;
	return ret;
}

/* Everything that has been put into w->out goes to the sink. */
static bool send_out(struct cairn_mcap_writer *w)
{
	if (w->out.failed || w->failed)
		w->failed = true;
	else if (w->out.bytes > 0 && !w->write(w->ctx, w->out.data, w->out.bytes))
		w->failed = true;
	if (!w->failed) {
		w->crc = (uint32_t)crc32_z(w->crc, w->out.data, w->out.bytes);
		w->bytes += w->out.bytes;
	}
	cairn_mcap_buffer_clear(&w->out);
	return !w->failed;
}

static bool send(struct cairn_mcap_writer *w, const void *data, size_t bytes)
{
	if (w->failed || !w->write(w->ctx, data, bytes)) {
		w->failed = true;
		return false;
	}
	w->crc = (uint32_t)crc32_z(w->crc, data, bytes);
	w->bytes += bytes;
	return true;
}

static void put_magic(struct cairn_mcap_buffer *b)
{
	static const uint8_t magic[CAIRN_MCAP_MAGIC_BYTES] = CAIRN_MCAP_MAGIC;
	for (int i = 0; i < CAIRN_MCAP_MAGIC_BYTES; i += 4)
		cairn_mcap_put_u32(b, (uint32_t)magic[i] | (uint32_t)magic[i + 1] << 8 |
					  (uint32_t)magic[i + 2] << 16 | (uint32_t)magic[i + 3] << 24);
}

struct cairn_mcap_writer *cairn_mcap_writer_new(
    const struct cairn_mcap_options *options, cairn_mcap_write_fn *write, void *ctx)
{
	struct cairn_mcap_writer *w = calloc(1, sizeof(*w));
	if (w == NULL)
		return NULL;
	w->write = write;
	w->ctx = ctx;
	w->chunk_bytes = options->chunk_bytes;
	w->zstd_level = options->zstd_level;
	w->parts = options->parts;
	struct cairn_mcap_buffer *padded[] = {&w->out, &w->schemas, &w->repeated_channels, &w->chunk_indexes,
	    &w->attachment_indexes, &w->metadata_indexes};
	for (size_t i = 0; i < sizeof(padded) / sizeof(padded[0]); i++)
		padded[i]->padding = options->padding;
	w->channels = calloc(IDS, sizeof(*w->channels));
	if (options->zstd_level != 0)
		w->zstd = ZSTD_createCCtx();
	put_magic(&w->out);
	cairn_mcap_put_header(&w->out, options->profile, options->library);
	if (w->channels == NULL || (options->zstd_level != 0 && w->zstd == NULL) || !send_out(w))
		cairn_mcap_writer_destroy(&w);
	return w;
}

void cairn_mcap_writer_destroy(struct cairn_mcap_writer **pw)
{
	struct cairn_mcap_writer *w = *pw;
	if (w == NULL)
		return;
	for (uint32_t i = 0; i < w->id_count; i++)
		free(w->channels[w->ids[i]].entries);
	free(w->channels);
	free(w->ids);
	free(w->offsets);
	free(w->compressed);
	ZSTD_freeCCtx(w->zstd);
	struct cairn_mcap_buffer *buffers[] = {&w->out, &w->chunk, &w->schemas, &w->repeated_channels,
	    &w->chunk_indexes, &w->attachment_indexes, &w->metadata_indexes};
	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
		cairn_mcap_buffer_free(buffers[i]);
	free(w);
	*pw = NULL;
}

/* Where records of the data section go: the open chunk, or the file. */
static struct cairn_mcap_buffer *data_section(struct cairn_mcap_writer *w)
{
	return w->chunk_bytes > 0 ? &w->chunk : &w->out;
}

static bool data_put(struct cairn_mcap_writer *w)
{
	if (w->chunk_bytes == 0)
		return send_out(w);
	if (w->chunk.failed)
		w->failed = true;
	if (!w->failed && w->chunk.bytes >= w->chunk_bytes)
		return cairn_mcap_writer_flush(w);
	return !w->failed;
}

bool cairn_mcap_writer_schema(struct cairn_mcap_writer *w, const struct cairn_mcap_schema *s)
{
	cairn_mcap_put_schema(data_section(w), s);
	cairn_mcap_put_schema(&w->schemas, s);
	w->statistics.schemas++;
	return data_put(w);
}

bool cairn_mcap_writer_channel(struct cairn_mcap_writer *w, const struct cairn_mcap_channel *c)
{
	struct channel *ch = &w->channels[c->id];
	if (ch->added)
		return false;
	uint32_t capacity = w->id_capacity;
	uint16_t *ids = grown(w->ids, sizeof(*ids), w->id_count, &capacity);
	if (ids != NULL)
		w->ids = ids;
	struct cairn_mcap_id_offset *offsets = realloc(w->offsets, capacity * sizeof(*offsets));
	if (offsets != NULL)
		w->offsets = offsets;
	if (ids == NULL || offsets == NULL) {
		w->failed = true;
		return false;
	}
	w->id_capacity = capacity;
	w->ids[w->id_count++] = c->id;
	ch->added = true;
	cairn_mcap_put_channel(data_section(w), c);
	cairn_mcap_put_channel(&w->repeated_channels, c);
	w->statistics.channels++;
	return data_put(w);
}

static void account(struct cairn_mcap_writer *w, uint64_t t_ns)
{
	struct cairn_mcap_statistics *s = &w->statistics;
	s->start_ns = s->messages == 0 || t_ns < s->start_ns ? t_ns : s->start_ns;
	s->end_ns = t_ns > s->end_ns ? t_ns : s->end_ns;
	s->messages++;
	w->chunk_start_ns = !w->chunk_has_messages || t_ns < w->chunk_start_ns ? t_ns : w->chunk_start_ns;
	w->chunk_end_ns = !w->chunk_has_messages || t_ns > w->chunk_end_ns ? t_ns : w->chunk_end_ns;
	w->chunk_has_messages = true;
}

bool cairn_mcap_writer_message(struct cairn_mcap_writer *w, const struct cairn_mcap_message *m)
{
	struct channel *ch = &w->channels[m->channel_id];
	if (!ch->added || w->failed)
		return false;
	if (w->chunk_bytes > 0) {
		struct cairn_mcap_index_entry *entries =
		    grown(ch->entries, sizeof(*entries), ch->count, &ch->capacity);
		if (entries == NULL) {
			w->failed = true;
			return false;
		}
		ch->entries = entries;
		ch->entries[ch->count++] =
		    (struct cairn_mcap_index_entry){m->log_time_ns, (uint64_t)w->chunk.bytes};
	}
	ch->messages++;
	account(w, m->log_time_ns);
	cairn_mcap_put_message(data_section(w), m);
	return data_put(w);
}

/* The compressed records of the open chunk: in w->compressed, or as they are. */
static bool compress_chunk(struct cairn_mcap_writer *w, struct cairn_mcap_bytes *ret)
{
	*ret = (struct cairn_mcap_bytes){w->chunk.data, w->chunk.bytes};
	if (w->zstd == NULL)
		return true;
	size_t bound = ZSTD_compressBound(w->chunk.bytes);
	if (bound > w->compressed_capacity) {
		uint8_t *grown_to = realloc(w->compressed, bound);
		if (grown_to == NULL)
			return false;
		w->compressed = grown_to;
		w->compressed_capacity = bound;
	}
	size_t bytes = ZSTD_compressCCtx(
	    w->zstd, w->compressed, w->compressed_capacity, w->chunk.data, w->chunk.bytes, w->zstd_level);
	*ret = (struct cairn_mcap_bytes){w->compressed, bytes};
	return !ZSTD_isError(bytes);
}

/* One message index a channel that has messages in the chunk; returns how many. */
static uint32_t put_message_indexes(struct cairn_mcap_writer *w, uint64_t at)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < w->id_count; i++) {
		struct channel *ch = &w->channels[w->ids[i]];
		if (ch->count == 0)
			continue;
		if ((w->parts & CAIRN_MCAP_WITH_MESSAGE_INDEX) != 0) {
			w->offsets[count++] = (struct cairn_mcap_id_offset){w->ids[i], at + w->out.bytes};
			cairn_mcap_put_message_index(&w->out, w->ids[i], ch->entries, ch->count);
		}
		ch->count = 0;
	}
	return count;
}

bool cairn_mcap_writer_flush(struct cairn_mcap_writer *w)
{
	if (w->failed)
		return false;
	if (w->chunk.bytes == 0)
		return true;
	struct cairn_mcap_bytes records;
	if (!compress_chunk(w, &records)) {
		w->failed = true;
		return false;
	}
	const char *compression = w->zstd != NULL ? "zstd" : "";
	struct cairn_mcap_chunk chunk = {.start_ns = w->chunk_start_ns,
	    .end_ns = w->chunk_end_ns,
	    .uncompressed_bytes = w->chunk.bytes,
	    .uncompressed_crc = (uint32_t)crc32_z(0, w->chunk.data, w->chunk.bytes)};
	uint64_t at = w->bytes;
	cairn_mcap_put_chunk_head(&w->out, &chunk, compression, records.bytes);
	if (!send_out(w) || !send(w, records.data, records.bytes))
		return false;
	uint64_t chunk_bytes = w->bytes - at;
	uint32_t indexes = put_message_indexes(w, w->bytes);
	uint64_t index_bytes = w->out.bytes;
	if (!send_out(w))
		return false;
	cairn_mcap_put_chunk_index(
	    &w->chunk_indexes, &(struct cairn_mcap_chunk_index){.start_ns = chunk.start_ns,
				   .end_ns = chunk.end_ns,
				   .chunk_offset = at,
				   .chunk_bytes = chunk_bytes,
				   .message_indexes = w->offsets,
				   .message_index_count = indexes,
				   .message_index_bytes = index_bytes,
				   .compression = compression,
				   .compressed_bytes = records.bytes,
				   .uncompressed_bytes = chunk.uncompressed_bytes});
	w->statistics.chunks++;
	w->chunk_start_ns = w->chunk_end_ns = 0;
	w->chunk_has_messages = false;
	cairn_mcap_buffer_clear(&w->chunk);
	return true;
}

bool cairn_mcap_writer_attachment(struct cairn_mcap_writer *w, const struct cairn_mcap_attachment *a)
{
	if (!cairn_mcap_writer_flush(w))
		return false;
	cairn_mcap_put_attachment(&w->out, a);
	cairn_mcap_put_attachment_index(&w->attachment_indexes, w->bytes, w->out.bytes, a);
	w->statistics.attachments++;
	return send_out(w);
}

bool cairn_mcap_writer_metadata(
    struct cairn_mcap_writer *w, const char *name, const struct cairn_mcap_pair *pairs, uint32_t count)
{
	if (!cairn_mcap_writer_flush(w))
		return false;
	cairn_mcap_put_metadata(&w->out, name, pairs, count);
	cairn_mcap_put_metadata_index(&w->metadata_indexes, w->bytes, w->out.bytes, name);
	w->statistics.metadata++;
	return send_out(w);
}

static void put_statistics(struct cairn_mcap_writer *w, struct cairn_mcap_buffer *ret)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < w->id_count; i++) {
		const struct channel *ch = &w->channels[w->ids[i]];
		if (ch->messages > 0)
			w->offsets[count++] = (struct cairn_mcap_id_offset){w->ids[i], ch->messages};
	}
	w->statistics.per_channel = w->offsets;
	w->statistics.per_channel_count = count;
	cairn_mcap_put_statistics(ret, &w->statistics);
}

bool cairn_mcap_writer_finish(struct cairn_mcap_writer *w)
{
	if (w->finished || !cairn_mcap_writer_flush(w))
		return false;
	w->finished = true;
	cairn_mcap_put_data_end(&w->out, w->crc);
	if (!send_out(w))
		return false;
	struct cairn_mcap_buffer statistics = {.padding = w->out.padding};
	put_statistics(w, &statistics);
	const struct {
		uint32_t part;
		enum cairn_mcap_opcode opcode;
		const struct cairn_mcap_buffer *records;
	} groups[] = {
	    {CAIRN_MCAP_WITH_SCHEMAS, CAIRN_MCAP_SCHEMA, &w->schemas},
	    {CAIRN_MCAP_WITH_CHANNELS, CAIRN_MCAP_CHANNEL, &w->repeated_channels},
	    {CAIRN_MCAP_WITH_STATISTICS, CAIRN_MCAP_STATISTICS, &statistics},
	    {CAIRN_MCAP_WITH_METADATA_INDEX, CAIRN_MCAP_METADATA_INDEX, &w->metadata_indexes},
	    {CAIRN_MCAP_WITH_ATTACHMENT_INDEX, CAIRN_MCAP_ATTACHMENT_INDEX, &w->attachment_indexes},
	    {CAIRN_MCAP_WITH_CHUNK_INDEX, CAIRN_MCAP_CHUNK_INDEX, &w->chunk_indexes},
	};
	uint64_t summary_start = w->bytes, offset_start = 0;
	struct cairn_mcap_buffer offsets = {.padding = w->out.padding};
	w->crc = 0;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]) && !w->failed; i++) {
		const struct cairn_mcap_buffer *records = groups[i].records;
		w->failed |= records->failed;
		if ((w->parts & groups[i].part) == 0 || records->bytes == 0 || w->failed)
			continue;
		cairn_mcap_put_summary_offset(&offsets, groups[i].opcode, w->bytes, records->bytes);
		send(w, records->data, records->bytes);
	}
	bool empty = w->bytes == summary_start;
	if ((w->parts & CAIRN_MCAP_WITH_SUMMARY_OFFSETS) != 0 && offsets.bytes > 0) {
		offset_start = w->bytes;
		w->failed |= offsets.failed;
		send(w, offsets.data, offsets.bytes);
	}
	cairn_mcap_buffer_free(&statistics);
	cairn_mcap_buffer_free(&offsets);
	cairn_mcap_put_footer_head(&w->out, empty ? 0 : summary_start, offset_start);
	if (!send_out(w))
		return false;
	cairn_mcap_put_u32(&w->out, w->crc);
	put_magic(&w->out);
	return send_out(w);
}

bool cairn_mcap_writer_failed(const struct cairn_mcap_writer *w)
{
	return w->failed;
}

uint64_t cairn_mcap_writer_bytes(const struct cairn_mcap_writer *w)
{
	return w->bytes;
}

uint64_t cairn_mcap_writer_messages(const struct cairn_mcap_writer *w)
{
	return w->statistics.messages;
}
