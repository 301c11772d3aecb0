#include "common/vlm/exchange.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/vlm/recording.h"

/* Where the base64 of the next picture starts, or NULL. The bodies are our own: these are the two ways in
 * which they hold one. */
static const char *next_picture(const char *at, const char *end)
{
	static const char uri[] = "data:image/jpeg;base64,", field[] = "\"data\":\"";
	const char *a = memmem(at, (size_t)(end - at), uri, sizeof(uri) - 1);
	const char *b = memmem(at, (size_t)(end - at), field, sizeof(field) - 1);
	a = a != NULL ? a + sizeof(uri) - 1 : NULL;
	b = b != NULL ? b + sizeof(field) - 1 : NULL;
	return a == NULL || (b != NULL && b < a) ? b : a;
}

void cairn_exchange_strip(struct cairn_text *out, const char *body, size_t count)
{
	const char *at = body, *end = body + count, *picture;
	while ((picture = next_picture(at, end)) != NULL) {
		const char *quote = memchr(picture, '"', (size_t)(end - picture));
		size_t n = (size_t)((quote != NULL ? quote : end) - picture);
		cairn_text_bytes(out, at, (size_t)(picture - at));
		cairn_text_addf(out, "(JPEG of %zu bytes, %016" PRIx64 ")", n / 4 * 3,
		    cairn_hash_bytes(CAIRN_HASH_START, picture, n));
		at = picture + n;
	}
	cairn_text_bytes(out, at, (size_t)(end - at));
}

void cairn_exchange_line(struct cairn_text *out, const struct cairn_exchange *x)
{
	struct cairn_text request = {0};
	cairn_exchange_strip(&request, x->request, x->request_bytes);
	size_t from = out->len;
	cairn_text_addf(out,
	    "{\"v\":%d,\"kind\":\"exchange\",\"t_unix_s\":%.3f,\"provider\":", CAIRN_RECORDING_VERSION,
	    x->t_unix_s);
	cairn_text_json_string(out, x->provider);
	cairn_text_add(out, ",\"format\":");
	cairn_text_json_string(out, x->format);
	cairn_text_add(out, ",\"url\":");
	cairn_text_json_string(out, x->url);
	cairn_text_addf(out,
	    ",\"latency_s\":%.4f,\"status\":%d,\"retry_after_s\":%.3f,\"error\":", x->latency_s, x->status,
	    x->retry_after_s);
	cairn_text_json_string(out, x->status == 0 && x->error != NULL ? x->error : "");
	cairn_text_add(out, ",\"request\":\"");
	cairn_text_json(out, request.data != NULL ? request.data : "", request.len);
	cairn_text_add(out, "\",\"response\":\"");
	cairn_text_json(out, x->response != NULL ? x->response : "", x->response_bytes);
	cairn_text_add(out, "\"");
	if (out->data != NULL)
		cairn_text_addf(out, ",\"sum\":\"%016" PRIx64 "\"}\n",
		    cairn_hash_bytes(CAIRN_HASH_START, out->data + from, out->len - from));
	out->failed |= request.failed;
	cairn_text_free(&request);
}

/* ---- replay ---- */

struct cairn_replay {
	json_t *rows;
	uint64_t *hashes; /* of the requests */
	bool *used;
};

static bool row_ok(const json_t *row)
{
	json_int_t v = json_integer_value(json_object_get(row, "v"));
	return (v == 1 || v == CAIRN_RECORDING_VERSION) && json_is_integer(json_object_get(row, "status")) &&
	       json_is_number(json_object_get(row, "latency_s")) &&
	       json_is_number(json_object_get(row, "retry_after_s")) &&
	       json_is_string(json_object_get(row, "error")) &&
	       json_is_string(json_object_get(row, "request")) &&
	       json_is_string(json_object_get(row, "response"));
}

/* Of a recording that holds more than the exchanges. */
static bool is_other(const json_t *row)
{
	const char *kind = json_string_value(json_object_get(row, "kind"));
	return kind != NULL && strcmp(kind, "exchange") != 0;
}

/* Lines of version 1 have no sum. */
static bool line_ok(const json_t *row, const char *line, size_t bytes)
{
	return row != NULL &&
	       (json_integer_value(json_object_get(row, "v")) == 1 || cairn_recording_sum_ok(line, bytes)) &&
	       (is_other(row) || row_ok(row));
}

/* A last line without its newline is one that was being written when the power went: left out. */
static bool read_rows(json_t *rows, FILE *in, const char *path, struct cairn_error *err)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n = 0;
	bool ok = true;
	for (int number = 1; ok && (n = cairn_file_line(in, &line, &cap, CAIRN_RECORDING_LINE_MAX)) != 0;
	     number++) {
		if (n > 0 && line[n - 1] != '\n')
			break;
		json_t *row = n > 0 ? json_loadb(line, (size_t)n, 0, NULL) : NULL;
		ok = line_ok(row, line, (size_t)n - 1);
		if (!ok)
			cairn_error_set(err, "%s: line %d: not an exchange of this version", path, number);
		if (!ok || is_other(row))
			json_decref(row);
		else
			json_array_append_new(rows, row);
	}
	free(line);
	return ok;
}

struct cairn_replay *cairn_replay_open(const char *path, struct cairn_error *err)
{
	FILE *in = cairn_file_stream(path, 0, err);
	if (in == NULL)
		return NULL;
	struct cairn_replay *replay = calloc(1, sizeof(*replay));
	if (replay == NULL || (replay->rows = json_array()) == NULL) {
		cairn_error_set(err, "%s: %s", path, strerror(errno));
		goto fail;
	}
	if (!read_rows(replay->rows, in, path, err))
		goto fail;
	size_t count = json_array_size(replay->rows);
	replay->hashes = calloc(count + 1, sizeof(*replay->hashes));
	replay->used = calloc(count + 1, sizeof(*replay->used));
	if (count == 0 || replay->hashes == NULL || replay->used == NULL) {
		cairn_error_set(err, "%s: %s", path, count == 0 ? "holds no exchange" : "out of memory");
		goto fail;
	}
	for (size_t i = 0; i < count; i++) {
		const json_t *request = json_object_get(json_array_get(replay->rows, i), "request");
		replay->hashes[i] = cairn_hash_bytes(
		    CAIRN_HASH_START, json_string_value(request), json_string_length(request));
	}
	fclose(in);
	return replay;
fail:
	fclose(in);
	cairn_replay_close(&replay);
	return NULL;
}

void cairn_replay_close(struct cairn_replay **replay_p)
{
	struct cairn_replay *replay = *replay_p;
	*replay_p = NULL;
	if (replay == NULL)
		return;
	json_decref(replay->rows);
	free(replay->hashes);
	free(replay->used);
	free(replay);
}

bool cairn_replay_next(
    struct cairn_replay *replay, const char *body, size_t count, struct cairn_replay_answer *ret)
{
	struct cairn_text stripped = {0};
	cairn_exchange_strip(&stripped, body, count);
	uint64_t hash =
	    cairn_hash_bytes(CAIRN_HASH_START, stripped.data != NULL ? stripped.data : "", stripped.len);
	cairn_text_free(&stripped);
	size_t rows = json_array_size(replay->rows), same = rows, next = rows;
	for (size_t i = rows; i-- > 0;) {
		if (replay->used[i])
			continue;
		next = i;
		same = replay->hashes[i] == hash ? i : same;
	}
	size_t take = same < rows ? same : next;
	if (take == rows)
		return false;
	replay->used[take] = true;
	const json_t *row = json_array_get(replay->rows, take), *response = json_object_get(row, "response");
	*ret = (struct cairn_replay_answer){.status = (int)json_integer_value(json_object_get(row, "status")),
	    .latency_s = json_number_value(json_object_get(row, "latency_s")),
	    .retry_after_s = json_number_value(json_object_get(row, "retry_after_s")),
	    .error = json_string_value(json_object_get(row, "error")),
	    .response = json_string_value(response),
	    .response_bytes = json_string_length(response),
	    .same_request = same < rows};
	return true;
}
