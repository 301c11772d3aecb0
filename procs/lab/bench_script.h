/* bench_script.h - a script that does the same work as a benchmark, asked for one round at a time. */
#ifndef CAIRN_PROCS_LAB_BENCH_SCRIPT_H
#define CAIRN_PROCS_LAB_BENCH_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct cairn_script {
	pid_t pid; /* 0: not running */
	int fd;    /* both ways; -1 = none */
};

/* Runs the Python script of this name beside the sources. It has started once it says "ready", for which it
 * may first want `input` (borrowed, all of it is written). False when it did not come to that: it has told
 * why. */
bool cairn_script_start(struct cairn_script *script, const char *name, const void *input, size_t bytes);
/* One round; how long it took by the script's own clock. False when it does not answer. */
bool cairn_script_round(struct cairn_script *script, double *ret_ns);
void cairn_script_stop(struct cairn_script *script);

#endif
