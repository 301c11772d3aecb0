/* recording.c - writing the lines of a recording. */
#include "common/vlm/recording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/base/hash.h"

#include "common/vlm/decision_log.h"

void cairn_recording_begin(struct cairn_text *out, const char *kind, uint64_t number, int64_t t_ns)
{
	cairn_text_addf(out,
	    "{\"v\":%d,\"kind\":\"%s\",\"number\":%" PRIu64 ",\"t_ns\":%" PRId64 ",\"bus\":[",
	    CAIRN_RECORDING_VERSION, kind, number, t_ns);
}

void cairn_recording_message(
    struct cairn_text *out, enum cairn_topic topic, const struct cairn_header *hdr, const void *msg)
{
	const struct cairn_topic_row *row = &cairn_topics[topic];
	uint8_t *buf = malloc(CAIRN_RECORDING_MESSAGE_MAX);
	struct cairn_header with = *hdr;
	with.version = CAIRN_SCHEMA_VERSION;
	int n = buf != NULL
		    ? cairn_msg_encode(row->desc, row->name, &with, msg, buf, CAIRN_RECORDING_MESSAGE_MAX)
		    : -1;
	if (n < 0) {
		out->failed = true;
	} else {
		bool first = out->len > 0 && out->data[out->len - 1] == '[';
		cairn_text_addf(out, "%s[\"%s\",\"", first ? "" : ",", row->name);
		cairn_text_base64(out, buf, (size_t)n);
		cairn_text_add(out, "\"]");
	}
	free(buf);
}

/* The first one ends the list of messages. */
static void add_name(struct cairn_text *out, const char *name)
{
	bool first = out->len > 0 && (out->data[out->len - 1] == '[' ||
					 (out->len > 1 && memcmp(out->data + out->len - 2, "\"]", 2) == 0));
	cairn_text_addf(out, "%s\"%s\":\"", first ? "],\"blobs\":{" : ",", name);
}

void cairn_recording_blob(struct cairn_text *out, const char *name, const void *bytes, size_t count)
{
	add_name(out, name);
	cairn_text_base64(out, bytes, count);
	cairn_text_add(out, "\"");
}

void cairn_recording_text(struct cairn_text *out, const char *name, const char *text, size_t count)
{
	add_name(out, name);
	cairn_text_json(out, text, count);
	cairn_text_add(out, "\"");
}

void cairn_recording_end(struct cairn_text *out, size_t from)
{
	/* What ends a blob is a quote; what ends the messages is a bracket. */
	bool blobs = out->len > 0 && out->data[out->len - 1] == '"';
	cairn_text_add(out, blobs ? "}" : "],\"blobs\":{}");
	if (out->data == NULL || from > out->len)
		return;
	uint64_t sum = cairn_hash_bytes(CAIRN_HASH_START, out->data + from, out->len - from);
	cairn_text_addf(out, ",\"sum\":\"%016" PRIx64 "\"}\n", sum);
}

static void add_config(struct cairn_text *out, const struct cairn_config *cfg)
{
	struct cairn_text keys = {0};
	char value[CAIRN_CONFIG_TEXT_CAP + 64];
	for (int i = 0; i < cairn_config_row_count; i++) {
		const struct cairn_config_row *row = &cairn_config_rows[i];
		cairn_config_value_text(cfg, row, value, sizeof(value));
		cairn_text_addf(&keys, "%s.%s=%s\n", row->section, row->key, value);
	}
	cairn_recording_text(out, "config", keys.data != NULL ? keys.data : "", keys.len);
	out->failed |= keys.failed;
	cairn_text_free(&keys);
}

void cairn_recording_begun(struct cairn_text *out, const struct cairn_config *cfg,
    const struct cairn_profile *profile, const char *system, double t_unix_s)
{
	size_t from = out->len;
	char when[32];
	snprintf(when, sizeof(when), "%.3f", t_unix_s);
	cairn_recording_begin(out, "begun", 0, 0);
	cairn_recording_text(out, "program", CAIRN_VERSION, strlen(CAIRN_VERSION));
	cairn_recording_text(out, "t_unix_s", when, strlen(when));
	cairn_recording_text(out, "provider", profile->name, strlen(profile->name));
	const char *format = cairn_choice_format_words[profile->format];
	const char *dialect = cairn_choice_dialect_words[profile->dialect];
	cairn_recording_text(out, "format", format, strlen(format));
	cairn_recording_text(out, "dialect", dialect, strlen(dialect));
	cairn_recording_text(out, "model", profile->model, strlen(profile->model));
	cairn_recording_text(out, "system", system, strlen(system));
	add_config(out, cfg);
	cairn_recording_end(out, from);
}

bool cairn_recording_grid(struct cairn_text *out, const struct cairn_frame_header *hdr, const void *cells)
{
	size_t rows = (size_t)hdr->width * hdr->height, plain = sizeof(*hdr) + rows;
	uLongf packed = compressBound((uLong)plain);
	uint8_t *buf = malloc(plain), *small = malloc(packed);
	bool ok = buf != NULL && small != NULL && hdr->stride_bytes >= hdr->width;
	if (ok) {
		struct cairn_frame_header tight = *hdr;
		tight.stride_bytes = hdr->width;
		tight.payload_bytes = (uint32_t)rows;
		memcpy(buf, &tight, sizeof(tight));
		for (uint32_t y = 0; y < hdr->height; y++)
			memcpy(buf + sizeof(tight) + (size_t)y * hdr->width,
			    (const uint8_t *)cells + (size_t)y * hdr->stride_bytes, hdr->width);
		ok = compress2(small, &packed, buf, (uLong)plain, 6) == Z_OK;
	}
	if (ok)
		cairn_recording_blob(out, "grid", small, packed);
	free(buf);
	free(small);
	return ok;
}
