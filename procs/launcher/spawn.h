/* spawn.h - starting one child process: namespace, session, log pipe, ready pipe, death with the parent. */
#ifndef CAIRN_PROCS_LAUNCHER_SPAWN_H
#define CAIRN_PROCS_LAUNCHER_SPAWN_H

#include <stdbool.h>

#include "procs/launcher/namespace.h"

#define CAIRN_READY_FD 3 /* in the child */

struct cairn_child {
	int pid;
	int log_fd;   /* its standard output and error; non-blocking; caller closes */
	int ready_fd; /* a newline comes here; -1 where not asked for; non-blocking; caller closes */
};

/* argv[0] is the path. envp: the child's environment (environment.h), borrowed; NULL = ours. ns may be NULL. death_sig: sent to the child when the caller dies. want_ready: the
 * child gets the writing end as descriptor CAIRN_READY_FD. 0, or a negative errno (also for a failed exec).
 */
int cairn_spawn(struct cairn_child *child, const char *const argv[], char *const envp[],
    const struct cairn_namespace *ns, int death_sig, bool want_ready);

#endif
