/* remote.h - the remote stage's own state, shared by the files that make it up.
 *
 * list.c lets connections in by the list of keys; relay.c carries commands to the stages and answers back;
 * watchers.c gives topics to those who subscribe. Nothing here is on the way to the wheels: the stage reads the bus like any
 * consumer, at the lowest priority, and what it hands to others is measured by remote.commands_per_s. */
#ifndef CAIRN_PROCS_REMOTE_REMOTE_H
#define CAIRN_PROCS_REMOTE_REMOTE_H

#include "common/external/external.h"
#include "ipc/keyfile.h"
#include "ipc/remote.h"
#include "ipc/remote_rules.h"
#include "ipc/zap.h"
#include "procs/shell/stage.h"

#define REMOTE_PENDING_MAX 32 /* commands under way at once */
#define REMOTE_PEER_BYTES 64  /* routing id of a connection */
#define REMOTE_WATCHED_MAX                                                                                   \
	(CAIRN_STAGE_SOURCES_MAX - CAIRN_SERVICE_COUNT -                                                     \
	    16) /* topics that may be watched at once: all there are */

struct remote_pending {
	uint64_t tag; /* 0 = free */
	int64_t due_ns;
	uint8_t peer[REMOTE_PEER_BYTES];
	size_t peer_bytes;
};

struct remote_watched {
	struct remote *remote;
	char name[CAIRN_KEY_TEXT]; /* empty = free */
	struct cairn_sub *sub;
};

struct remote {
	CAIRN_STAGE_STATE;
	void *zmq; /* of the TCP sockets; the bus has its own */
	struct cairn_zap *zap;
	struct cairn_key key;
	struct cairn_allow allow;
	struct cairn_remote_gate gate;
	uint64_t refused_logged;
	int64_t refused_log_ns;
	/* relay.c */
	void *commands; /* ROUTER; NULL while its port is somebody else's */
	struct cairn_client *clients[CAIRN_SERVICE_COUNT];
	struct remote_pending pending[REMOTE_PENDING_MAX];
	uint64_t last_tag;
	char piece[CAIRN_REMOTE_PIECE_BYTES]; /* of a file, on its way out */
	/* watchers.c */
	void *topics;     /* XPUB; NULL while it is being bound anew */
	int topics_tries; /* in vain, since it was bound last */
	struct cairn_external_topics declared;
	char topics_url[CAIRN_CONFIG_TEXT_CAP + 8];
	struct remote_watched watched[REMOTE_WATCHED_MAX];
};

/* ---- list.c ---- */
/* Before the first socket is bound. */
bool list_open(struct remote *r, struct cairn_error *err);
/* A loop callback. */
int list_on_second(void *ctx);

/* ---- sockets.c ---- */
/* A server socket of this stage: keys, limits, domain; bound. NULL with err. */
void *remote_bind(struct remote *r, int type, const char *domain, const char *url, int64_t message_max,
    struct cairn_error *err);
/* One more thing refused: counted, and logged once a second at most. */
void remote_refused(struct remote *r, const char *who, const char *why);

/* ---- relay.c ---- */
bool relay_open(struct remote *r, struct cairn_error *err);
/* A loop callback: requests from outside. */
int relay_on_request(void *ctx);
/* A loop callback, every tick: requests that no stage has answered, and a port that could not be bound. */
int relay_on_tick(void *ctx);

/* ---- watchers.c ---- */
bool watchers_open(struct remote *r, struct cairn_error *err);
/* Everybody who watches has to come in again: the list of those who may has changed. */
void watchers_reset(struct remote *r);
/* A loop callback, every tick: binds anew what watchers_reset has closed or could not be bound. */
int watchers_on_tick(void *ctx);

#endif
