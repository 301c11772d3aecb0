/* mcap_writer.h - writes an MCAP file, record by record, into a sink.
 *
 * Messages are collected in a chunk, which goes to the sink compressed and checksummed when it has grown to
 * chunk_bytes, or when cairn_mcap_writer_flush() says so. A file that ends after any whole chunk can be read up to there.
 * cairn_mcap_writer_finish() adds the summary: schemas, channels, statistics and the index by time.
 *
 * Memory: one chunk, its compressed copy, one index entry a message of the chunk, one a chunk of the file.
 * A sink that fails (disk full) makes every later call return false; nothing is written after that. */
#ifndef CAIRN_COMMON_MCAP_MCAP_WRITER_H
#define CAIRN_COMMON_MCAP_MCAP_WRITER_H

#include "common/mcap/mcap_record.h"

struct cairn_mcap_writer;

/* Takes all of the bytes, or returns false. */
typedef bool cairn_mcap_write_fn(void *ctx, const void *data, size_t bytes);

enum cairn_mcap_part { /* what the file has beside its messages */
	CAIRN_MCAP_WITH_MESSAGE_INDEX = 1 << 0,
	CAIRN_MCAP_WITH_CHUNK_INDEX = 1 << 1,
	CAIRN_MCAP_WITH_STATISTICS = 1 << 2,
	CAIRN_MCAP_WITH_SCHEMAS = 1 << 3,  /* repeated in the summary */
	CAIRN_MCAP_WITH_CHANNELS = 1 << 4, /* repeated in the summary */
	CAIRN_MCAP_WITH_SUMMARY_OFFSETS = 1 << 5,
	CAIRN_MCAP_WITH_ATTACHMENT_INDEX = 1 << 6,
	CAIRN_MCAP_WITH_METADATA_INDEX = 1 << 7,
	CAIRN_MCAP_WITH_EVERYTHING = (1 << 8) - 1,
};

struct cairn_mcap_options {
	const char *profile, *library;
	size_t
	    chunk_bytes; /* uncompressed size at which a chunk is written; 0: messages stand outside of chunks */
	int zstd_level;                  /* 0: not compressed */
	uint32_t parts;                  /* of enum cairn_mcap_part */
	struct cairn_mcap_bytes padding; /* behind each record that may grow; for tests of readers */
};

/* NULL when memory or the sink fails. The texts of options are used during the call only. */
struct cairn_mcap_writer *cairn_mcap_writer_new(
    const struct cairn_mcap_options *options, cairn_mcap_write_fn *write, void *ctx);
void cairn_mcap_writer_destroy(struct cairn_mcap_writer **w); /* without a summary, unless it was finished */

/* id is chosen by the caller: 1 to 65535, each once. What is pointed to is copied. A channel's schema comes before the
 * channel, the channel before its messages. Schemas and channels may be added at any time. */
bool cairn_mcap_writer_schema(struct cairn_mcap_writer *w, const struct cairn_mcap_schema *s);
bool cairn_mcap_writer_channel(struct cairn_mcap_writer *w, const struct cairn_mcap_channel *c);
/* False also when the channel was not added, which does not end the file. */
bool cairn_mcap_writer_message(struct cairn_mcap_writer *w, const struct cairn_mcap_message *m);
/* These close the chunk. */
bool cairn_mcap_writer_attachment(struct cairn_mcap_writer *w, const struct cairn_mcap_attachment *a);
bool cairn_mcap_writer_metadata(
    struct cairn_mcap_writer *w, const char *name, const struct cairn_mcap_pair *pairs, uint32_t count);
bool cairn_mcap_writer_flush(struct cairn_mcap_writer *w);
bool cairn_mcap_writer_finish(struct cairn_mcap_writer *w);

bool cairn_mcap_writer_failed(const struct cairn_mcap_writer *w);       /* the sink, or memory: for good */
uint64_t cairn_mcap_writer_bytes(const struct cairn_mcap_writer *w);    /* handed to the sink so far */
uint64_t cairn_mcap_writer_messages(const struct cairn_mcap_writer *w); /* taken so far */

#endif
