/* zap.h - who is let in over TCP: the handler that ZeroMQ asks about every new connection (ZAP, RFC 27).
 *
 * Only CURVE is accepted, and only public keys of the list; the connection then carries the public key (as text) as its user:
 * what it may do is looked up by that at each command, never by a name, which may be another key's tomorrow. A
 * socket's ZAP domain says what it needs: CAIRN_ZAP_WATCH the right to watch, CAIRN_ZAP_COMMAND any right (each command is
 * judged by itself). Must exist before the first socket is bound, or ZeroMQ lets everybody in. */
#ifndef CAIRN_IPC_ZAP_H
#define CAIRN_IPC_ZAP_H

#include "ipc/keyring.h"

#define CAIRN_ZAP_WATCH "cairn.watch"
#define CAIRN_ZAP_COMMAND "cairn.command"

struct cairn_zap;

/* address: of the peer; name: of its key, or ""; reason: why it was refused, or NULL when it was let in. */
typedef void cairn_zap_fn(void *ctx, const char *address, const char *name, const char *reason);

/* zmq: the context of the sockets to guard. allow is borrowed and may change under it. */
struct cairn_zap *cairn_zap_new(
    void *zmq, const struct cairn_allow *allow, cairn_zap_fn *fn, void *ctx, struct cairn_error *err);
void cairn_zap_destroy(struct cairn_zap **zap_p);
void *cairn_zap_socket(struct cairn_zap *zap);
/* Answers what waits. */
void cairn_zap_serve(struct cairn_zap *zap);

/* The decision alone: NULL lets it in as *ret_row, otherwise the reason. key: 32 bytes as on the wire. */
const char *cairn_zap_judge(const struct cairn_allow *allow, const char *domain, const char *mechanism,
    const uint8_t *key, size_t key_bytes, const struct cairn_allow_row **ret_row);

#endif
