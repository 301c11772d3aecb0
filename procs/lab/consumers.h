/* consumers.h - what people attach to a run, as processes of its own: a recorder, and a client of Foxglove's protocol that subscribes to
 * everything and comes back when its server was away. For benchmarks and end-to-end tests. */
#ifndef CAIRN_PROCS_LAB_CONSUMERS_H
#define CAIRN_PROCS_LAB_CONSUMERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"

enum consumer { CONSUMER_RECORDER, CONSUMER_FOXGLOVE, CONSUMERS };

/* What the client of Foxglove's protocol has got so far, over all its lives. */
struct consumer_tally {
	_Atomic uint64_t connections, messages, bytes;
};

struct consumers {
	char cairn[600], run_dir[256], recording[320];
	pid_t pids[CONSUMERS];
	struct consumer_tally *tally;
};

/* cairn: path of the tool. recording: an MCAP file that is written anew with each start. False with the reason. */
bool consumers_begin(struct consumers *c, const char *cairn, const char *run_dir, const char *recording,
    struct cairn_error *err);
/* Starts one that does not run. */
void consumers_start(struct consumers *c, enum consumer which);
/* Kills it on the spot, and waits for its end. */
void consumers_kill(struct consumers *c, enum consumer which);
void consumers_end(struct consumers *c);

#endif
