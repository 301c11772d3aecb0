/* remote.h - the bus over TCP: an operator on another machine, and what both ends agree on.
 *
 * Commands: the robot's ROUTER at remote.endpoint takes [service name, command] and answers [reply]; the name
 * "" is a greeting: its reply says which rights the key has, and its header tells the robot's monotonic time. The name
 * "files" asks for a piece of a file: arg is its name, x_m the place in it; the answer is [reply, bytes], the reply's text
 * being "SIZE NUMBER WRITTEN" of the whole file, or "wait". Topics:
 * the robot's XPUB at the port after it gives [topic name and ':', message] for subscriptions to "NAME:". Both are
 * CURVE; the messages are those of the local bus. */
#ifndef CAIRN_IPC_REMOTE_H
#define CAIRN_IPC_REMOTE_H

#include "ipc/keyring.h"
#include "ipc/remote_files.h"

/* "tcp://ADDRESS:PORT" taken apart. False with err; watch: the same with the port after it. */
bool cairn_remote_endpoint(const char *url, char *watch, size_t watch_bytes, struct cairn_error *err);

struct cairn_remote;

/* key: with its secret and the robot's public key. Connects in the background; NULL with err. */
struct cairn_remote *cairn_remote_open(const char *url, const struct cairn_key *key, struct cairn_error *err);
void cairn_remote_close(struct cairn_remote **remote_p);

/* As cairn_ask of ipc/bus.h. -EACCES: the robot has refused the key. */
int cairn_remote_ask(struct cairn_remote *remote, enum cairn_service service,
    const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply, int timeout_ms,
    struct cairn_error *err);

/* A piece of a file of remote_files.h, from at on, into buf of CAIRN_REMOTE_PIECE_BYTES; waits while the robot says that it
 * gives no more just now. 0, or a negative errno with the reason: -EACCES the key may not, -ENOENT there is none. */
int cairn_remote_fetch(struct cairn_remote *remote, const char *name, uint64_t at, char *buf,
    struct cairn_remote_piece *ret, int timeout_ms, struct cairn_error *err);

/* From now on, messages of this topic ("pose", "heartbeat.motor"). */
bool cairn_remote_watch(struct cairn_remote *remote, const char *topic, struct cairn_error *err);
/* The next message: its topic's name and the bytes, for cairn_msg_decode. Bytes; 0 none within timeout_ms; -EACCES the robot
 * has refused the key. *ret_bytes is valid until the next call. */
int cairn_remote_recv(
    struct cairn_remote *remote, char name[CAIRN_KEY_TEXT], const void **ret_bytes, int timeout_ms);

#endif
