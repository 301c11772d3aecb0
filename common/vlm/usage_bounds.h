/* usage_bounds.h - what a call is charged, whatever the service says it has used.
 *
 * The limits in money protect the user's account, so the ledger does not believe a service blindly. Our own estimate of
 * what was sent is the floor, and what was asked for is the cap:
 *
 *   input    our estimate when nothing is said, or less than cairn_usage_least; at most one token for each byte that was sent
 *   cached   at most the static beginning; none when the input was not believed
 *   output   at least what the answer's length makes probable; at most max_output_tokens as asked
 *
 * A call that was sent and gave no whole answer (timeout, cut, oversized, given up by us) may have been worked on to the
 * end: it is charged the estimate and all the output that was asked for. An error of the service (5xx) is charged the
 * estimate. A refusal (4xx) and a connection that never came about cost nothing, as services do not bill them. Pure.
 *
 * Why an honest service may say less than the estimate of four bytes a token: of our requests the vocabularies of gpt-4o, Claude,
 * Gemini, Llama 3 and Qwen 3 make 0.97 to 1.07 of it when all of the JSON is counted, and 0.72 to 0.82 when a service gives its
 * model no more of the tools than their words. Less than 0.70 no service can mean. Of a picture a profile tells what one of
 * the usual size counts; of one half as large it is half. */
#ifndef CAIRN_COMMON_VLM_USAGE_BOUNDS_H
#define CAIRN_COMMON_VLM_USAGE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/vlm/ledger.h"

struct cairn_asked {
	uint64_t tokens_in;       /* our estimate of all that was sent */
	uint64_t tokens_pictures; /* of these those of pictures */
	uint64_t tokens_prefix;   /* of these the static beginning, which may be cached */
	uint64_t bytes_sent;
	uint64_t tokens_out_max; /* as asked for */
};

/* The least input that an honest service can tell of such a request. */
uint64_t cairn_usage_least(const struct cairn_asked *asked);
/* Of an answer of so many bytes, for which the service has told so much; all zero: nothing. */
struct cairn_usage cairn_usage_bounded(
    const struct cairn_usage *told, const struct cairn_asked *asked, size_t answer_bytes);
/* Of a call without an answer. status: of HTTP, 0 = none; sent: the whole request had gone out. */
struct cairn_usage cairn_usage_unanswered(const struct cairn_asked *asked, int status, bool sent);

#endif
