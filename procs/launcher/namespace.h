/* namespace.h - a private /tmp and /dev/shm for one stack's data plane.
 *
 * iceoryx puts fixed names into both, so only one RouDi fits a host. A mount namespace with a tmpfs on each
 * gives every stack its own, and the kernel removes all of it when the last process is gone, however that
 * process ended. Folders that were in either stay visible at their places (the run directory may be there),
 * links too; plain files do not. */
#ifndef CAIRN_PROCS_LAUNCHER_NAMESPACE_H
#define CAIRN_PROCS_LAUNCHER_NAMESPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

struct cairn_namespace {
	bool active;
	int user_fd, mnt_fd; /* -1 = none; user_fd only where one was needed */
};

/* False with err set where the kernel does not allow it; *ns is inactive then. shm_bytes sizes /dev/shm. */
bool cairn_namespace_create(struct cairn_namespace *ns, uint64_t shm_bytes, struct cairn_error *err);
void cairn_namespace_close(struct cairn_namespace *ns);
/* In a forked child: 0 or a negative errno. An inactive one is entered by doing nothing. */
int cairn_namespace_enter(const struct cairn_namespace *ns);

/* Whether what lies at an absolute path cannot be seen in there: no folder, in /tmp or /dev/shm directly. */
bool cairn_namespace_hides(const char *path);

/* Enters the mount namespace of the stack that runs in run_dir, if it has one of its own (RUN/ns.pid). Before any thread is
 * started. */
bool cairn_namespace_join(const char *run_dir, struct cairn_error *err);

#endif
