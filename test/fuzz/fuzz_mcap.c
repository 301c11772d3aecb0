/* A recording: read in order, its summary, from the middle, and played. */
#include <stdlib.h>
#include <string.h>

#include "common/mcap/mcap_reader.h"
#include "common/record/playback.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

struct source {
	const uint8_t *data;
	size_t bytes;
};

static size_t read_at(void *ctx, uint64_t offset, void *buf, size_t bytes)
{
	const struct source *s = ctx;
	if (offset >= s->bytes)
		return 0;
	size_t n = bytes < s->bytes - offset ? bytes : (size_t)(s->bytes - offset);
	memcpy(buf, s->data + offset, n);
	return n;
}

/* Touches every byte that is handed out. */
static uint32_t sum;
static void touch(struct cairn_mcap_bytes b)
{
	for (size_t i = 0; i < b.bytes; i++)
		sum += b.data[i];
}

static void read_all(struct cairn_mcap_reader *r)
{
	struct cairn_mcap_read got;
	struct cairn_error err = {""};
	struct cairn_mcap_bytes key, value;
	do {
		cairn_mcap_reader_next(r, &got, &err);
		switch (got.item) {
		case CAIRN_MCAP_ITEM_SCHEMA:
			touch(got.schema.data);
			break;
		case CAIRN_MCAP_ITEM_CHANNEL:
			touch(got.channel.topic);
			while (cairn_mcap_pair_next(&got.channel.metadata, &key, &value))
				touch(value);
			break;
		case CAIRN_MCAP_ITEM_MESSAGE:
			touch(got.message.data);
			break;
		case CAIRN_MCAP_ITEM_ATTACHMENT:
			touch(got.attachment.data);
			break;
		case CAIRN_MCAP_ITEM_METADATA:
			touch(got.metadata.pairs);
			break;
		default:
			break;
		}
	} while (got.item > CAIRN_MCAP_ITEM_DAMAGED);
	if (got.item != CAIRN_MCAP_ITEM_END && err.text[0] == '\0')
		abort(); /* broken off without a reason */
}

static void play(struct source *s)
{
	struct cairn_error err = {""};
	struct cairn_played got;
	struct cairn_playback *p = cairn_playback_new(read_at, s, s->bytes, &err);
	if (p == NULL && err.text[0] == '\0')
		abort();
	while (p != NULL && cairn_playback_next(p, &got, &err)) {
		if (got.frame)
			touch((struct cairn_mcap_bytes){got.payload, got.head.payload_bytes});
	}
	cairn_playback_destroy(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	struct source s = {data, count};
	struct cairn_error err = {""};
	struct cairn_mcap_reader *r = cairn_mcap_reader_new(read_at, &s, count, &err);
	if (r == NULL) {
		if (err.text[0] == '\0')
			abort();
		return 0;
	}
	read_all(r);
	struct cairn_mcap_summary summary;
	if (cairn_mcap_reader_summary(r, &summary, &err) && cairn_mcap_reader_seek(r, 1))
		read_all(r);
	cairn_mcap_reader_destroy(&r);
	play(&s);
	return 0;
}
