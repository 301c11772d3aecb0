/* foxglove.h - Foxglove's WebSocket protocol, server side: what a client sends into bounded structs, and the texts and binary heads
 * that it is sent. Pure; trusts nothing.
 *
 * Format: the messages of foxglove/foxglove-sdk, rust/foxglove/src/protocol/v1, which clients know as subprotocol foxglove.sdk.v1
 * and, the same on the wire, foxglove.websocket.v1. Texts are JSON with "op"; binary messages begin with a byte that says
 * what they are, numbers are little endian. Offered here: channels to subscribe to, services, and the play bar of a recording that is
 * being replayed. Clients do not publish. */
#ifndef CAIRN_COMMON_WEB_FOXGLOVE_H
#define CAIRN_COMMON_WEB_FOXGLOVE_H

#include "common/base/text.h"
#include "common/web/request.h"
#include "ipc/messages.h"

#define CAIRN_FOXGLOVE_SDK "foxglove.sdk.v1"
#define CAIRN_FOXGLOVE_WEBSOCKET "foxglove.websocket.v1"
#define CAIRN_FOXGLOVE_CHANNELS_MAX 160 /* in one request */
#define CAIRN_FOXGLOVE_HEAD_BYTES 13    /* in front of a message */

/* A client's Sec-WebSocket-Protocol header: does it offer these two and nothing else? */
bool cairn_foxglove_offered(const char *protocols);

/* ---- from the client ---- */

enum cairn_foxglove_op {
	CAIRN_FOXGLOVE_SUBSCRIBE,   /* items: id of the subscription, channel */
	CAIRN_FOXGLOVE_UNSUBSCRIBE, /* items: id */
	CAIRN_FOXGLOVE_CALL,        /* service, call, args: the text of "reason" */
	CAIRN_FOXGLOVE_BAD_CALL,    /* service, call; args: what is wrong with it */
	CAIRN_FOXGLOVE_GRAPH,       /* on */
	CAIRN_FOXGLOVE_PLAYBACK     /* playback, args: the id of the request */
};

/* What a person did at the play bar. */
struct cairn_foxglove_playback {
	bool play, seek;
	float rate;    /* finite, above 0 */
	int64_t to_ns; /* Unix time, of a seek */
};

struct cairn_foxglove_request {
	enum cairn_foxglove_op op;
	int count;
	struct {
		uint32_t id, channel;
	} items[CAIRN_FOXGLOVE_CHANNELS_MAX];
	uint32_t service, call;
	char args[CAIRN_WEB_ARGS_MAX];
	bool on;
	struct cairn_foxglove_playback playback;
};

/* False with the reason in err, *ret untouched. */
bool cairn_foxglove_parse_text(
    const char *text, size_t bytes, struct cairn_foxglove_request *ret, struct cairn_error *err);
bool cairn_foxglove_parse_binary(
    const void *data, size_t bytes, struct cairn_foxglove_request *ret, struct cairn_error *err);
/* A call of a service, which is a stop: known before anything else is looked at. */
bool cairn_foxglove_is_call(const void *data, size_t bytes);

/* ---- to the client ---- */

/* replay: NULL, or the recording that is being replayed: its first and last time, for the play bar. */
void cairn_foxglove_add_server_info(
    struct cairn_text *t, const char *name, const char *session, const struct cairn_msg_playback *replay);
/* The whole binary message: where the replay is. request: the id of the request that it answers; empty: none. */
void cairn_foxglove_add_playback(
    struct cairn_text *t, const struct cairn_msg_playback *replay, bool did_seek, const char *request);

struct cairn_foxglove_channel {
	uint32_t id;
	const char *topic, *encoding, *schema_name, *schema, *schema_encoding;
};
/* {"op":"advertise","channels":[ as many of these as are added ]}: begin, add each, end. */
void cairn_foxglove_begin_channels(struct cairn_text *t);
void cairn_foxglove_add_channel(struct cairn_text *t, const struct cairn_foxglove_channel *channel);
void cairn_foxglove_end_channels(struct cairn_text *t);

struct cairn_foxglove_service {
	uint32_t id;
	const char *name; /* "/stop" */
};
void cairn_foxglove_add_services(
    struct cairn_text *t, const struct cairn_foxglove_service *services, int count);

enum cairn_foxglove_level { CAIRN_FOXGLOVE_INFO, CAIRN_FOXGLOVE_WARNING, CAIRN_FOXGLOVE_ERROR };
void cairn_foxglove_add_status(struct cairn_text *t, enum cairn_foxglove_level level, const char *text);
void cairn_foxglove_add_call_failure(struct cairn_text *t, uint32_t service, uint32_t call, const char *text);
/* The whole binary message: a response whose JSON is {"ok":true,"text":...}. */
void cairn_foxglove_add_call_response(
    struct cairn_text *t, uint32_t service, uint32_t call, const char *text);
/* What stands in front of a message of a subscription. */
void cairn_foxglove_message_head(
    uint8_t ret[CAIRN_FOXGLOVE_HEAD_BYTES], uint32_t subscription, int64_t unix_ns);

#endif
