/* local_socket.h - a socket with a name in the file system that a stage listens on.
 *
 * A socket that a run before left under the name is replaced. Anything else there is left as it is, and refused. */
#ifndef CAIRN_PROCS_SHELL_LOCAL_SOCKET_H
#define CAIRN_PROCS_SHELL_LOCAL_SOCKET_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "common/base/error.h"

struct local_socket {
	int listener; /* -1: none; does not block */
	struct sockaddr_un addr;
};

/* Listens at path, which is below run_dir unless absolute; its folder is made. False with err set, and no listener. */
bool local_socket_open(
    struct local_socket *s, const char *run_dir, const char *path, int backlog, struct cairn_error *err);
/* Ends listening, and removes the name if a socket still has it. */
void local_socket_close(struct local_socket *s);

#endif
