/* recording_read.c - reading a recording: every line is checked before anything is made of it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/vlm/decision_log.h"
#include "common/vlm/recording.h"

#define SUM_BYTES 26 /* ,"sum":"0123456789abcdef"} */
#define GRID_CELLS_MAX (64u << 20)

bool cairn_recording_sum_ok(const char *line, size_t bytes)
{
	char want[SUM_BYTES + 1];
	if (bytes <= SUM_BYTES)
		return false;
	uint64_t sum = cairn_hash_bytes(CAIRN_HASH_START, line, bytes - SUM_BYTES);
	snprintf(want, sizeof(want), ",\"sum\":\"%016" PRIx64 "\"}", sum);
	return memcmp(line + bytes - SUM_BYTES, want, SUM_BYTES) == 0;
}

/* ---- the file ---- */

static const char *wrong_with(const json_t *row, const char *line, size_t bytes)
{
	json_int_t v = json_integer_value(json_object_get(row, "v"));
	if (row == NULL || v < 1)
		return "damaged, or no line of a recording";
	if (v == 1)
		return "of version 1, which holds questions and answers but not what the robot saw; record "
		       "again "
		       "(vlm.record)";
	if (v > CAIRN_RECORDING_VERSION)
		return "of a later version of this program";
	if (!cairn_recording_sum_ok(line, bytes))
		return "damaged: its sum is wrong";
	const char *kind = json_string_value(json_object_get(row, "kind"));
	bool exchange = kind != NULL && strcmp(kind, "exchange") == 0;
	bool has = exchange ? json_is_string(json_object_get(row, "response"))
			    : json_is_array(json_object_get(row, "bus")) &&
				  json_is_object(json_object_get(row, "blobs"));
	return kind != NULL && has ? NULL : "something is missing in it";
}

static struct cairn_recorded_question *find_decision(struct cairn_recording *r, uint64_t id)
{
	for (uint32_t i = r->count; i-- > 0;)
		if (r->questions[i].decided.row != NULL && (uint64_t)json_integer_value(json_object_get(
							       r->questions[i].decided.row, "number")) == id)
			return &r->questions[i];
	return NULL;
}

static bool sort_in(struct cairn_recording *r, struct cairn_recorded_line line)
{
	const char *kind = json_string_value(json_object_get(line.row, "kind"));
	uint64_t number = (uint64_t)json_integer_value(json_object_get(line.row, "number"));
	struct cairn_recorded_question *last = r->count > 0 ? &r->questions[r->count - 1] : NULL;
	if (strcmp(kind, "begun") == 0) {
		r->begun = r->begun.row == NULL ? line : r->begun;
	} else if (strcmp(kind, "asked") == 0) {
		struct cairn_recorded_question *more =
		    reallocarray(r->questions, r->count + 1, sizeof(*r->questions));
		if (more == NULL)
			return false;
		r->questions = more;
		r->questions[r->count++] = (struct cairn_recorded_question){.asked = line};
	} else if (strcmp(kind, "exchange") == 0) {
		if (last != NULL && last->decided.row == NULL &&
		    last->exchange_count < CAIRN_RECORDING_EXCHANGES)
			last->exchanges[last->exchange_count++] = line;
	} else if (strcmp(kind, "decided") == 0) {
		if (last != NULL && last->decided.row == NULL)
			last->decided = line;
	} else if (strcmp(kind, "seen") == 0) {
		struct cairn_recorded_line *more = reallocarray(r->seen, r->seen_count + 1, sizeof(*r->seen));
		if (more == NULL)
			return false;
		r->seen = more;
		r->seen[r->seen_count++] = line;
	} else if (strcmp(kind, "ended") == 0) {
		struct cairn_recorded_question *q = find_decision(r, number);
		if (q != NULL)
			q->ended = line;
	}
	return true;
}

static bool read_file(struct cairn_recording *r, FILE *in, const char *path, struct cairn_error *err)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n = 0;
	bool ok = true;
	for (int number = 1; ok && (n = cairn_file_line(in, &line, &cap, CAIRN_RECORDING_LINE_MAX)) != 0;
	     number++) {
		if (n > 0 && line[n - 1] != '\n')
			break;
		size_t bytes = n > 0 ? (size_t)n - 1 : 0;
		json_t *row = n > 0 ? json_loadb(line, bytes, 0, NULL) : NULL;
		const char *wrong = wrong_with(row, line, bytes);
		ok = wrong == NULL && json_array_append(r->rows, row) == 0 &&
		     sort_in(r, (struct cairn_recorded_line){row, number});
		json_decref(row);
		if (!ok)
			cairn_error_set(
			    err, "%s: line %d: %s", path, number, wrong != NULL ? wrong : "out of memory");
	}
	free(line);
	return ok;
}

struct cairn_recording *cairn_recording_open(const char *path, struct cairn_error *err)
{
	FILE *in = cairn_file_stream(path, 0, err);
	if (in == NULL)
		return NULL;
	struct cairn_recording *r = calloc(1, sizeof(*r));
	if (r == NULL || (r->rows = json_array()) == NULL) {
		cairn_error_set(err, "%s: %s", path, strerror(errno));
		cairn_recording_close(&r);
	} else if (!read_file(r, in, path, err)) {
		cairn_recording_close(&r);
	} else if (r->begun.row == NULL || r->count == 0) {
		cairn_error_set(err, "%s: holds no question of a model", path);
		cairn_recording_close(&r);
	}
	fclose(in);
	return r;
}

void cairn_recording_close(struct cairn_recording **recording_p)
{
	struct cairn_recording *r = *recording_p;
	*recording_p = NULL;
	if (r == NULL)
		return;
	json_decref(r->rows);
	free(r->questions);
	free(r->seen);
	free(r);
}

/* ---- what a line holds ---- */

static const json_t *entry(const struct cairn_recorded_line *line, uint32_t i)
{
	return json_array_get(json_object_get(line->row, "bus"), i);
}

uint32_t cairn_recorded_messages(const struct cairn_recorded_line *line)
{
	return (uint32_t)json_array_size(json_object_get(line->row, "bus"));
}

int cairn_recorded_topic(const struct cairn_recorded_line *line, uint32_t i)
{
	const char *name = json_string_value(json_array_get(entry(line, i), 0));
	return name != NULL ? cairn_topic_find(name) : -1;
}

bool cairn_recorded_message(const struct cairn_recorded_line *line, uint32_t i, struct cairn_header *hdr,
    void *msg, struct cairn_error *err)
{
	const json_t *text = json_array_get(entry(line, i), 1);
	int topic = cairn_recorded_topic(line, i), n = -1;
	uint8_t *buf = malloc(CAIRN_RECORDING_MESSAGE_MAX);
	if (buf != NULL && json_is_string(text) && topic >= 0)
		n = cairn_base64_decode(
		    json_string_value(text), json_string_length(text), buf, CAIRN_RECORDING_MESSAGE_MAX);
	bool ok = n > 0;
	if (!ok)
		cairn_error_set(err, "line %d: message %u: not one of this version", line->number, i + 1);
	struct cairn_error why = {""};
	if (ok && cairn_msg_decode(cairn_topics[topic].desc, buf, (size_t)n, hdr, msg, &why) != 0) {
		cairn_error_set(err, "line %d: message %u: %.200s", line->number, i + 1, why.text);
		ok = false;
	}
	free(buf);
	return ok;
}

bool cairn_recorded_newest(
    const struct cairn_recorded_line *line, enum cairn_topic topic, struct cairn_header *hdr, void *msg)
{
	for (uint32_t i = line->row != NULL ? cairn_recorded_messages(line) : 0; i-- > 0;)
		if (cairn_recorded_topic(line, i) == (int)topic)
			return cairn_recorded_message(line, i, hdr, msg, NULL);
	return false;
}

bool cairn_recorded_blob(const struct cairn_recorded_line *line, const char *name, struct cairn_text *out)
{
	const json_t *text = json_object_get(json_object_get(line->row, "blobs"), name);
	size_t cap = json_string_length(text) / 4 * 3 + 4;
	uint8_t *buf = json_is_string(text) ? malloc(cap) : NULL;
	int n = buf != NULL ? cairn_base64_decode(json_string_value(text), json_string_length(text), buf, cap)
			    : -1;
	cairn_text_clear(out);
	if (n >= 0)
		cairn_text_bytes(out, (const char *)buf, (size_t)n);
	free(buf);
	return n >= 0 && !out->failed;
}

const char *cairn_recorded_text(const struct cairn_recorded_line *line, const char *name)
{
	return json_string_value(json_object_get(json_object_get(line->row, "blobs"), name));
}

int64_t cairn_recorded_t_ns(const struct cairn_recorded_line *line)
{
	return json_integer_value(json_object_get(line->row, "t_ns"));
}

bool cairn_recorded_grid(const struct cairn_recorded_line *line, struct cairn_frame_header *hdr,
    struct cairn_text *out, struct cairn_error *err)
{
	struct cairn_text packed = {0};
	z_stream z = {0};
	bool ok = cairn_recorded_blob(line, "grid", &packed) && inflateInit(&z) == Z_OK;
	cairn_text_clear(out);
	if (ok) {
		z.next_in = (Bytef *)packed.data;
		z.avail_in = (uInt)packed.len;
		z.next_out = (Bytef *)hdr;
		z.avail_out = sizeof(*hdr);
		int r = inflate(&z, Z_SYNC_FLUSH);
		size_t cells = (size_t)hdr->width * hdr->height;
		ok = (r == Z_OK || r == Z_STREAM_END) && z.avail_out == 0 &&
		     hdr->magic == CAIRN_FRAME_MAGIC && hdr->format == CAIRN_FORMAT_GRID8 &&
		     hdr->stride_bytes == hdr->width && cells > 0 && cells <= GRID_CELLS_MAX;
		uint8_t *buf = ok ? malloc(cells) : NULL;
		z.next_out = buf;
		z.avail_out = (uInt)cells;
		ok = ok && buf != NULL && inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_out == 0;
		if (ok)
			cairn_text_bytes(out, (const char *)buf, cells);
		free(buf);
		inflateEnd(&z);
	}
	if (!ok)
		cairn_error_set(err, "line %d: there is no map in it that could be read", line->number);
	cairn_text_free(&packed);
	return ok && !out->failed;
}

uint32_t cairn_recorded_config(const struct cairn_recording *recording, struct cairn_config *cfg)
{
	const char *at = cairn_recorded_text(&recording->begun, "config");
	char key[CAIRN_CONFIG_TEXT_CAP + 128];
	uint32_t unknown = 0;
	for (const char *end; at != NULL && (end = strchr(at, '\n')) != NULL; at = end + 1) {
		snprintf(key, sizeof(key), "%.*s", (int)(end - at), at);
		unknown += !cairn_config_set(cfg, key, "the recording", NULL);
	}
	return unknown;
}
