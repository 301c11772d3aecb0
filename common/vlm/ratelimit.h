/* ratelimit.h - what a service's response headers say about waiting. Pure.
 *
 * retry-after (seconds or an HTTP date), retry-after-ms, and how many requests and tokens are left with the
 * time at which there are more: OpenAI's x-ratelimit-* (durations such as "6m0s"), Anthropic's
 * anthropic-ratelimit-* (RFC 3339 times). */
#ifndef CAIRN_COMMON_VLM_RATELIMIT_H
#define CAIRN_COMMON_VLM_RATELIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cairn_ratelimit {
	double retry_after_s; /* negative: not said */
	bool retry_in_ms;     /* the exact header was there */
	struct {
		bool spent;    /* none left */
		double wait_s; /* until there are more; negative: not said */
	} requests, tokens;
};

void cairn_ratelimit_init(struct cairn_ratelimit *limit);
/* One header line, with or without its line end; others than these are ignored. now_unix_s: wall time. */
void cairn_ratelimit_header(
    struct cairn_ratelimit *limit, const char *line, size_t count, int64_t now_unix_s);
/* How long no further call is allowed, 0 if one is; bounded to an hour. */
double cairn_ratelimit_wait_s(const struct cairn_ratelimit *limit);

/* "6m0s", "1.5s", "12ms", "1h2m3s" -> seconds; negative when it is none. */
double cairn_go_duration_s(const char *text);

#endif
