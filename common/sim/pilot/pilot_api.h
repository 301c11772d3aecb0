/* pilot_api.h - the scripted pilot behind OpenAI's chat-completions contract, without the socket.
 *
 * A request body comes in; status, body, delay and misbehaviour come out. Requests are checked the way the
 * real service does (schemas in the strict subset, images that decode, every tool call answered), so that a
 * wrong request fails here and not only at the first paid call. */
#ifndef CAIRN_COMMON_SIM_PILOT_PILOT_API_H
#define CAIRN_COMMON_SIM_PILOT_PILOT_API_H

#include "common/config/config.h"
#include "common/sim/pilot/pilot_policy.h"
#include "common/base/text.h"

#define CAIRN_PILOT_REQUEST_BYTES_MAX (8u << 20)
#define CAIRN_PILOT_HANG_S 120.0 /* "hang" drops the connection after this long */

enum cairn_pilot_fault {
	CAIRN_PILOT_FAULT_NONE,
	CAIRN_PILOT_FAULT_SLOW,
	CAIRN_PILOT_FAULT_HANG,
	CAIRN_PILOT_FAULT_DROP,
	CAIRN_PILOT_FAULT_429,
	CAIRN_PILOT_FAULT_500,
	CAIRN_PILOT_FAULT_MALFORMED,
	CAIRN_PILOT_FAULT_TYPES,
	CAIRN_PILOT_FAULT_UNKNOWN,
	CAIRN_PILOT_FAULT_UNSAFE,
	CAIRN_PILOT_FAULT_REPEAT,
	CAIRN_PILOT_FAULT_FENCE, /* this and those below: only of answers in JSON */
	CAIRN_PILOT_FAULT_THINK,
	CAIRN_PILOT_FAULT_PROSE,
	CAIRN_PILOT_FAULT_SLOPPY,
	CAIRN_PILOT_FAULT_SYNONYMS,
	CAIRN_PILOT_FAULT_COUNT
};

const char *cairn_pilot_fault_word(enum cairn_pilot_fault fault);

struct cairn_pilot_api {
	struct cairn_config_pilot cfg;
	struct cairn_pilot pilot;
	struct cairn_rng rng; /* of latency and faults */
	enum cairn_pilot_fault faults[CAIRN_PILOT_FAULT_COUNT];
	int fault_count;
	uint64_t requests, faulty;
	/* Of the last request's system text and tools, and of its user's message: what a provider would have cached. */
	uint64_t prefix_hash, context_hash;
};

struct cairn_pilot_answer {
	int status;
	struct cairn_text body; /* application/json; kept by the caller between requests */
	double delay_s;         /* after the request is complete */
	double retry_after_s;   /* negative: no such header */
	bool drop;              /* close the connection instead of answering */
	enum cairn_pilot_fault fault;
	char summary[160]; /* for the log */
};

/* False with the reason: unknown fault or profile. */
bool cairn_pilot_api_init(
    struct cairn_pilot_api *api, const struct cairn_config_pilot *cfg, struct cairn_error *err);
/* method and path as in the request line. t_unix_s: wall time for "created". */
void cairn_pilot_api_answer(struct cairn_pilot_api *api, const char *method, const char *path,
    const char *body, size_t count, int64_t t_unix_s, struct cairn_pilot_answer *ret);

#endif
