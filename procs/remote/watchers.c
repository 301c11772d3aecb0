/* watchers.c - topics of the bus to those outside who subscribe to them.
 *
 * A topic is read only once somebody wants it. Subscriptions are looked at one by one (XPUB in manual mode): what is no topic
 * is refused, so that nobody can fill the table of subscriptions. A watcher that is slow loses messages at its own
 * high-water mark; the readers of the bus here discard as every slow reader does. */
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#include "procs/remote/remote.h"

#define SUBSCRIPTION_BYTES 64
#define MESSAGE_BYTES 1024   /* the handshake counts, too */
#define SUBSCRIPTIONS_MAX 64 /* looked at in one go */
#define TRIES_MAX 20         /* ticks */
#define MESSAGES_MAX 32      /* of a topic in one go */

static const char *const stage_names[] = {
#define STAGE(id, name, program, iceoryx, when, without, doc) name,
#include "procs/launcher/stages.def"
    "launcher"};

static int on_message(void *ctx);

static bool is_stage(const char *name)
{
	for (size_t i = 0; i < sizeof(stage_names) / sizeof(stage_names[0]); i++) {
		if (strcmp(stage_names[i], name) == 0)
			return true;
	}
	return false;
}

/* "note.doorbell", say, of a program outside. */
static bool is_declared(const struct remote *r, const char *name)
{
	for (uint32_t i = 0; i < r->declared.count; i++) {
		if (strcmp(r->declared.rows[i].wire, name) == 0)
			return true;
	}
	return false;
}

/* Reads "pose", "heartbeat.motor" or "note.doorbell" of the bus from now on. */
static bool hear(struct remote *r, const char *name)
{
	struct remote_watched *place = NULL;
	const char *instance = NULL;
	struct cairn_error err = {""};
	for (int i = 0; i < REMOTE_WATCHED_MAX; i++) {
		if (strcmp(r->watched[i].name, name) == 0)
			return true;
		if (r->watched[i].name[0] == '\0' && place == NULL)
			place = &r->watched[i];
	}
	int topic = cairn_topic_of(name, &instance);
	if (topic < 0 || place == NULL || (instance != NULL && !is_stage(instance) && !is_declared(r, name)))
		return false;
	place->sub = cairn_sub_new(cairn_stage_bus(r->stage), (enum cairn_topic)topic, instance, &err);
	if (place->sub == NULL)
		return false;
	place->remote = r;
	snprintf(place->name, sizeof(place->name), "%.40s", name);
	cairn_stage_watch_socket(r->stage, cairn_sub_socket(place->sub), on_message, place);
	return true;
}

/* One subscription or its end: a byte 1 or 0, then "NAME:". */
static void take_subscription(struct remote *r, const char *data, size_t bytes)
{
	char name[CAIRN_KEY_TEXT];
	bool wants = data[0] == 1, known = bytes >= 3 && bytes - 2 < sizeof(name) && data[bytes - 1] == ':';
	if (known) {
		memcpy(name, data + 1, bytes - 2);
		name[bytes - 2] = '\0';
		known = strlen(name) == bytes - 2 && (!wants || hear(r, name));
	}
	if (known)
		(void)zmq_setsockopt(r->topics, wants ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE, data + 1, bytes - 1);
	else if (wants)
		remote_refused(r, "a watcher", "no such topic");
}

static int on_subscription(void *ctx)
{
	struct remote *r = ctx;
	char data[SUBSCRIPTION_BYTES];
	for (int k = 0; k < SUBSCRIPTIONS_MAX && r->topics != NULL; k++) {
		int n = zmq_recv(r->topics, data, sizeof(data), ZMQ_DONTWAIT);
		if (n < 0)
			return 0;
		if (n >= 1 && n <= (int)sizeof(data) && (data[0] == 0 || data[0] == 1))
			take_subscription(r, data, (size_t)n);
		else
			remote_refused(r, "a watcher", "not a subscription");
	}
	return 0;
}

static void forward(struct remote *r, const struct remote_watched *w)
{
	char name[CAIRN_KEY_TEXT + 1];
	int n = snprintf(name, sizeof(name), "%s:", w->name);
	for (int k = 0; k < MESSAGES_MAX; k++) {
		zmq_msg_t msg;
		zmq_msg_init(&msg);
		if (zmq_msg_recv(&msg, cairn_sub_socket(w->sub), ZMQ_DONTWAIT) < 0) {
			zmq_msg_close(&msg);
			return;
		}
		/* On failure the message stays ours. */
		if (r->topics != NULL &&
		    zmq_send(r->topics, name, (size_t)n, ZMQ_SNDMORE | ZMQ_DONTWAIT) >= 0)
			(void)zmq_msg_send(&msg, r->topics, ZMQ_DONTWAIT);
		zmq_msg_close(&msg);
	}
}

static int on_message(void *ctx)
{
	const struct remote_watched *w = ctx;
	forward(w->remote, w);
	return 0;
}

/* The library closes in its own time: after watchers_reset the port may be taken for a moment. Taken for longer it is
 * somebody else's. */
static void listen_for_watchers(struct remote *r)
{
	struct cairn_error err = {""};
	r->topics = remote_bind(r, ZMQ_XPUB, CAIRN_ZAP_WATCH, r->topics_url, MESSAGE_BYTES, &err);
	r->topics_tries = r->topics != NULL ? 0 : r->topics_tries + 1;
	if (r->topics != NULL || r->topics_tries > TRIES_MAX)
		cairn_stage_tried(r->stage, "listen for watchers", r->topics != NULL ? NULL : err.text);
	if (r->topics != NULL)
		cairn_stage_watch_socket(r->stage, r->topics, on_subscription, r);
}

bool watchers_open(struct remote *r, struct cairn_error *err)
{
	if (!cairn_remote_endpoint(r->cfg->remote.endpoint, r->topics_url, sizeof(r->topics_url), err))
		return false;
	listen_for_watchers(r);
	return true;
}

void watchers_reset(struct remote *r)
{
	if (r->topics == NULL)
		return;
	cairn_stage_unwatch_socket(r->stage, r->topics);
	zmq_close(r->topics);
	r->topics = NULL;
}

int watchers_on_tick(void *ctx)
{
	struct remote *r = ctx;
	if (r->topics == NULL)
		listen_for_watchers(r);
	return 0;
}
