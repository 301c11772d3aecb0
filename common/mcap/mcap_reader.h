/* mcap_reader.h - reads the messages of an MCAP file, in file order or from a point in time, out of a source.
 *
 * Nothing that a file says is believed before it is checked: lengths against the file's size and the limits below, checksums
 * where they are given, channels before their messages. A file that was cut is read up to the last whole chunk (or, outside
 * of chunks, the last whole message). Memory: one chunk compressed and one uncompressed, and what is known of the channels. */
#ifndef CAIRN_COMMON_MCAP_MCAP_READER_H
#define CAIRN_COMMON_MCAP_MCAP_READER_H

#include "common/base/error.h"
#include "common/mcap/mcap_record.h"

#define CAIRN_MCAP_RECORD_MAX_BYTES (256u << 20) /* a larger record or chunk is refused */

struct cairn_mcap_reader;

/* Bytes read from offset on; fewer than asked for at the end or on an error. */
typedef size_t cairn_mcap_read_fn(void *ctx, uint64_t offset, void *buf, size_t bytes);

/* A source that is a file: fd is the address of its descriptor. */
size_t cairn_mcap_read_fd(void *fd, uint64_t offset, void *buf, size_t bytes);

enum cairn_mcap_item {
	CAIRN_MCAP_ITEM_END,     /* of the data section: the file is whole */
	CAIRN_MCAP_ITEM_CUT,     /* the file ends before its data section does */
	CAIRN_MCAP_ITEM_DAMAGED, /* what follows cannot be trusted; err says where and why */
	CAIRN_MCAP_ITEM_SCHEMA,
	CAIRN_MCAP_ITEM_CHANNEL,
	CAIRN_MCAP_ITEM_MESSAGE,
	CAIRN_MCAP_ITEM_ATTACHMENT,
	CAIRN_MCAP_ITEM_METADATA,
};

/* One item. The views last until the next call. */
struct cairn_mcap_read {
	enum cairn_mcap_item item;
	struct cairn_mcap_schema_view schema;
	struct cairn_mcap_channel_view channel;
	struct cairn_mcap_message message;
	struct cairn_mcap_attachment_view attachment;
	struct cairn_mcap_metadata_view metadata;
};

/* NULL with err when the source is no MCAP file or memory ran out. */
struct cairn_mcap_reader *cairn_mcap_reader_new(
    cairn_mcap_read_fn *read, void *ctx, uint64_t file_bytes, struct cairn_error *err);
void cairn_mcap_reader_destroy(struct cairn_mcap_reader **r);

/* The next item in file order. After END, CUT or DAMAGED the same comes again. */
void cairn_mcap_reader_next(
    struct cairn_mcap_reader *r, struct cairn_mcap_read *ret, struct cairn_error *err);

/* The file's summary. False where it has none, or none that is right: then only reading in order is possible. */
struct cairn_mcap_summary {
	struct cairn_mcap_statistics_view statistics;
	uint32_t chunks; /* that the index knows */
};
/* on_channel: called by cairn_mcap_reader_summary() with each channel that the summary repeats; the views last during the call. */
void cairn_mcap_reader_on_channel(struct cairn_mcap_reader *r,
    void (*on_channel)(void *ctx, const struct cairn_mcap_channel_view *channel), void *ctx);
bool cairn_mcap_reader_summary(
    struct cairn_mcap_reader *r, struct cairn_mcap_summary *ret, struct cairn_error *err);

/* Goes on with the first chunk of the index that holds a message of t_ns or later; schemas and channels of the summary are
 * known from then on. False without an index (cairn_mcap_reader_summary() was not called, or failed). Later messages of this
 * chunk's file order may still be earlier than t_ns. */
bool cairn_mcap_reader_seek(struct cairn_mcap_reader *r, uint64_t t_ns);

#endif
