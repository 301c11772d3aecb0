/* usage_bounds.h - what a call is charged, whatever the service says it has used.
 *
 * The limits in money protect the user's account, so the ledger does not believe a service blindly. Our own estimate of
 * what was sent is the floor, and what was asked for is the cap:
 *
 *   input    at least half of our estimate (tokenizers differ, but not by that), or the estimate itself when nothing is
 *            said or less than that; at most one token for each byte that was sent
 *   cached   at most the static beginning; none when the input was not believed
 *   output   at least what the answer's length makes probable; at most max_output_tokens as asked
 *
 * A call that was sent and gave no whole answer (timeout, cut, oversized, given up by us) may have been worked on to the
 * end: it is charged the estimate and all the output that was asked for. An error of the service (5xx) is charged the
 * estimate. A refusal (4xx) and a connection that never came about cost nothing, as services do not bill them. Pure. */
#ifndef CAIRN_COMMON_VLM_USAGE_BOUNDS_H
#define CAIRN_COMMON_VLM_USAGE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/vlm/ledger.h"

struct cairn_asked {
	uint64_t tokens_in;     /* our estimate of all that was sent */
	uint64_t tokens_prefix; /* of these the static beginning, which may be cached */
	uint64_t bytes_sent;
	uint64_t tokens_out_max; /* as asked for */
};

/* Of an answer of so many bytes, for which the service has told so much; all zero: nothing. */
struct cairn_usage cairn_usage_bounded(
    const struct cairn_usage *told, const struct cairn_asked *asked, size_t answer_bytes);
/* Of a call without an answer. status: of HTTP, 0 = none; sent: the whole request had gone out. */
struct cairn_usage cairn_usage_unanswered(const struct cairn_asked *asked, int status, bool sent);

#endif
