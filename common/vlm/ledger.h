/* ledger.h - what the calls of a session have used. */
#ifndef CAIRN_COMMON_VLM_LEDGER_H
#define CAIRN_COMMON_VLM_LEDGER_H

#include <stdint.h>

struct cairn_usage {
	uint64_t tokens_in; /* cached ones included */
	uint64_t tokens_cached;
	uint64_t tokens_cache_written; /* of the others; some services charge more for these */
	uint64_t tokens_out;
};

/* US dollars per million tokens. */
struct cairn_prices {
	double in, cached, cache_write, out;
};

static inline double cairn_usage_cost_usd(const struct cairn_prices *prices, const struct cairn_usage *usage)
{
	uint64_t fresh = usage->tokens_in - usage->tokens_cached - usage->tokens_cache_written;
	return ((double)fresh * prices->in + (double)usage->tokens_cached * prices->cached +
		   (double)usage->tokens_cache_written * prices->cache_write +
		   (double)usage->tokens_out * prices->out) *
	       1e-6;
}

/* Totals of a session: survive a restart of the process. */
struct cairn_ledger {
	uint64_t calls, failures, decisions;
	struct cairn_usage tokens;
	double cost_usd;
};

#endif
