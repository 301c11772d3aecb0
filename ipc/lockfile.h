/* lockfile.h - a file that says "in use" for as long as a process lives: flock, freed by the kernel however
 * it ends.
 *
 * A lock on a file that somebody has unlinked meanwhile is worth nothing (the next one makes a new file and
 * locks that), so taking looks again whether the name still leads to what was locked, and removing happens
 * under the lock. */
#ifndef CAIRN_IPC_LOCKFILE_H
#define CAIRN_IPC_LOCKFILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/error.h"

/* Descriptor that holds the lock (close it to release), or a negative errno with err set; -EADDRINUSE:
 * another holds it. The holder's process id is written into the file, for people. */
int cairn_lockfile_take(const char *path, struct cairn_error *err);
/* True when a living process holds it. */
bool cairn_lockfile_held(const char *path);
/* Process id the last holder wrote, 0 when unknown. */
int cairn_lockfile_owner(const char *path);
/* Unlinks it unless it is held; false when it is. */
bool cairn_lockfile_remove(const char *path);
/* Process id in the file RUN/name, 0 when there is none or no such process runs. */
pid_t cairn_pid_of(const char *run_dir, const char *name);

#endif
