/* exchange.h - one HTTP exchange with a service as a line of JSON: written by a recording, read by a replay.
 *
 * A line has no key (headers are not kept at all, and what a service echoes of the key was blotted out
 * before) and no picture: each is replaced by its size and a hash. Schema: {"v", "kind":"exchange", "t_unix_s",
 * "provider", "format", "url", "latency_s", "status", "error", "retry_after_s", "request": TEXT, "response": TEXT,
 * "sum"}; the other kinds of lines beside it are those of recording.h, and a replay passes over them. */
#ifndef CAIRN_COMMON_VLM_EXCHANGE_H
#define CAIRN_COMMON_VLM_EXCHANGE_H

#include "common/base/error.h"
#include "common/base/text.h"

struct cairn_exchange {
	const char *provider, *format, *url;
	double t_unix_s, latency_s;
	const char *request; /* body as sent */
	size_t request_bytes;
	int status; /* 0: no answer, error says why */
	const char *error;
	const char *response;
	size_t response_bytes;
	double retry_after_s;
};

/* The body with each picture replaced by "(JPEG of N bytes, HASH)". */
void cairn_exchange_strip(struct cairn_text *out, const char *body, size_t count);
/* One line with its newline, added to out. */
void cairn_exchange_line(struct cairn_text *out, const struct cairn_exchange *exchange);

/* The answers of a recording, each given once: the first one left whose request is the same, else the next
 * one left. The same requests get the same answers. */
struct cairn_replay;

struct cairn_replay_answer {
	int status;
	double latency_s, retry_after_s;
	const char *error, *response; /* borrowed from the replay */
	size_t response_bytes;
	bool same_request; /* it was recorded for exactly this request */
};

/* NULL with "FILE: line N: reason". */
struct cairn_replay *cairn_replay_open(const char *path, struct cairn_error *err);
void cairn_replay_close(struct cairn_replay **replay_p);
/* False: none is left. */
bool cairn_replay_next(
    struct cairn_replay *replay, const char *body, size_t count, struct cairn_replay_answer *ret);

#endif
