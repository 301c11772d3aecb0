/* trust.h - whose a run directory is, and who is at the other end of a socket in it.
 *
 * Who may write to a run directory can put a socket of his own where a stack is expected, answer "stopped" and stop
 * nothing. So the tools look at the owner and mode of the directory first and at the credentials of whoever answers
 * afterwards, and the stages look at who asks. All of this holds for root, too: his default directory may be in the
 * way of somebody else's. */
#ifndef CAIRN_IPC_TRUST_H
#define CAIRN_IPC_TRUST_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "common/base/error.h"

/* What is wrong with a folder (st of lstat) for user me, or NULL. It must be a folder and no link, of this user or of root, and
 * writable by nobody else. Root may ask in another user's, which is the owner's then. */
const char *cairn_dir_distrust(const struct stat *st, uid_t me);
/* The same of a run directory and its folder of sockets. False with what is wrong and how to mend it; one that is not there
 * is trusted: there is nothing in it. */
bool cairn_run_dir_trusted(const char *run_dir, struct cairn_error *err);

/* peer: as libzmq tells it of a local socket, "localhost:UID:GID:PID"; NULL or another form = not known. owner: of the run
 * directory. True when it is this user, root, or (for root) the owner. *ret_uid, which may be NULL: who it is, -1 = not
 * known. */
bool cairn_peer_trusted(const char *peer, uid_t me, uid_t owner, long *ret_uid);
/* Who owns a directory (link followed by nobody); me when it cannot be told. */
uid_t cairn_dir_owner(const char *path, uid_t me);

/* Makes a folder of our own (mode 0700), or takes the one that is there if it is ours, no link, and nobody else may write to it.
 * tighten: takes that right away from others first (of a folder that is known to be for us alone: it might be /tmp).
 * Its descriptor, or -1 with err. */
int cairn_dir_take(const char *path, bool tighten, struct cairn_error *err);

#endif
