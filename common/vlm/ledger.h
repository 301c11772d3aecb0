/* ledger.h - what the calls of a session have used. */
#ifndef CAIRN_COMMON_VLM_LEDGER_H
#define CAIRN_COMMON_VLM_LEDGER_H

#include <stdint.h>

struct cairn_usage {
	uint64_t tokens_in; /* cached ones included */
	uint64_t tokens_cached;
	uint64_t tokens_out;
};

/* Totals of a session: survive a restart of the process. */
struct cairn_ledger {
	uint64_t calls, failures, decisions;
	struct cairn_usage tokens;
	double cost_usd;
};

#endif
