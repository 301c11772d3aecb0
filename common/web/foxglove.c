#include "common/web/foxglove.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <jansson.h>

#include "common/base/geom.h"

#define CLIENT_MESSAGE 1
#define CLIENT_CALL 2
#define SERVER_MESSAGE 1
#define SERVER_RESPONSE 3
#define CLIENT_PLAYBACK 3
#define SERVER_PLAYBACK 5
#define PLAYBACK_BYTES 19  /* opcode, play or pause, rate, seek or not, where to, length of the id */
#define CALL_HEAD_BYTES 13 /* opcode, service, call, length of the encoding */
#define JSON_ENCODING "json"

/* ---- handshake ---- */

bool cairn_foxglove_offered(const char *protocols)
{
	bool any = false;
	for (const char *p = protocols; *p != '\0';) {
		p += strspn(p, " \t,");
		size_t n = strcspn(p, " \t,");
		bool ours =
		    (n == strlen(CAIRN_FOXGLOVE_SDK) && memcmp(p, CAIRN_FOXGLOVE_SDK, n) == 0) ||
		    (n == strlen(CAIRN_FOXGLOVE_WEBSOCKET) && memcmp(p, CAIRN_FOXGLOVE_WEBSOCKET, n) == 0);
		if (n > 0 && !ours)
			return false;
		any |= ours;
		p += n;
	}
	return any;
}

/* ---- from the client ---- */

static bool take_u32(const json_t *value, uint32_t *ret)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    json_integer_value(value) > (json_int_t)UINT32_MAX)
		return false;
	*ret = (uint32_t)json_integer_value(value);
	return true;
}

static bool take_list(const json_t *root, const char *field, bool with_channels,
    struct cairn_foxglove_request *r, struct cairn_error *err)
{
	const json_t *list = json_object_get(root, field), *item;
	size_t i;
	if (!json_is_array(list) || json_array_size(list) > CAIRN_FOXGLOVE_CHANNELS_MAX) {
		cairn_error_set(
		    err, "\"%s\" must be a list of at most %d entries", field, CAIRN_FOXGLOVE_CHANNELS_MAX);
		return false;
	}
	json_array_foreach(list, i, item)
	{
		bool ok = with_channels
			      ? take_u32(json_object_get(item, "id"), &r->items[i].id) &&
				    take_u32(json_object_get(item, "channelId"), &r->items[i].channel)
			      : take_u32(item, &r->items[i].id);
		if (!ok) {
			cairn_error_set(err, "\"%s\" must have %s", field,
			    with_channels ? "entries with \"id\" and \"channelId\"" : "numbers");
			return false;
		}
	}
	r->count = (int)json_array_size(list);
	return true;
}

static bool take(const json_t *root, struct cairn_foxglove_request *r, struct cairn_error *err)
{
	const char *op = json_string_value(json_object_get(root, "op"));
	if (op == NULL) {
		cairn_error_set(err, "\"op\" is missing");
		return false;
	}
	if (strcmp(op, "subscribe") == 0) {
		r->op = CAIRN_FOXGLOVE_SUBSCRIBE;
		return take_list(root, "subscriptions", true, r, err);
	}
	if (strcmp(op, "unsubscribe") == 0) {
		r->op = CAIRN_FOXGLOVE_UNSUBSCRIBE;
		return take_list(root, "subscriptionIds", false, r, err);
	}
	if (strcmp(op, "subscribeConnectionGraph") == 0 || strcmp(op, "unsubscribeConnectionGraph") == 0) {
		r->op = CAIRN_FOXGLOVE_GRAPH;
		r->on = op[0] == 's';
		return true;
	}
	cairn_error_set(err, "'%.40s' is not offered here: this server is read-only beside its services", op);
	return false;
}

bool cairn_foxglove_parse_text(
    const char *text, size_t bytes, struct cairn_foxglove_request *ret, struct cairn_error *err)
{
	struct cairn_foxglove_request r = {.count = 0};
	json_error_t why;
	json_t *root =
	    bytes <= CAIRN_WEB_REQUEST_MAX ? json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &why) : NULL;
	if (bytes > CAIRN_WEB_REQUEST_MAX)
		cairn_error_set(err, "%zu bytes; at most %d", bytes, CAIRN_WEB_REQUEST_MAX);
	else if (root == NULL)
		cairn_error_set(err, "not JSON: %.80s (line %d, column %d)", why.text, why.line, why.column);
	bool ok = root != NULL && take(root, &r, err);
	json_decref(root);
	if (ok)
		*ret = r;
	return ok;
}

static uint32_t get_u32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

bool cairn_foxglove_is_call(const void *data, size_t bytes)
{
	return bytes > 0 && *(const uint8_t *)data == CLIENT_CALL;
}

/* Encoding and payload behind the head. An empty payload is a call without a reason. */
static bool take_payload(
    const uint8_t *p, size_t bytes, char *args, size_t args_bytes, struct cairn_error *err)
{
	uint32_t n = get_u32(p + CALL_HEAD_BYTES - 4);
	p += CALL_HEAD_BYTES;
	bytes -= CALL_HEAD_BYTES;
	if (n > bytes || n != strlen(JSON_ENCODING) || memcmp(p, JSON_ENCODING, n) != 0) {
		cairn_error_set(err, "the request must be in the encoding \"json\"");
		return false;
	}
	return cairn_web_body_text((const char *)p + n, bytes - n, "reason", args, args_bytes, err);
}

static int64_t get_time(const uint8_t *p)
{
	uint64_t ns = (uint64_t)get_u32(p + 4) << 32 | get_u32(p);
	return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

static bool parse_playback(
    const uint8_t *p, size_t bytes, struct cairn_foxglove_request *ret, struct cairn_error *err)
{
	uint32_t id_bytes = bytes >= PLAYBACK_BYTES ? get_u32(p + PLAYBACK_BYTES - 4) : 0;
	uint32_t rate_bits = bytes >= PLAYBACK_BYTES ? get_u32(p + 2) : 0;
	float rate;
	memcpy(&rate, &rate_bits, sizeof(rate));
	if (bytes < PLAYBACK_BYTES || id_bytes != bytes - PLAYBACK_BYTES || id_bytes >= sizeof(ret->args))
		cairn_error_set(err, "a request of the play bar that is cut or too long");
	else if (p[1] > 1)
		cairn_error_set(err, "the play bar can play (0) and pause (1), not %u", p[1]);
	else if (!(rate > 0.0f) || !isfinite(rate))
		cairn_error_set(err, "the play bar's speed is no number above 0");
	else if (memchr(p + PLAYBACK_BYTES, 0, id_bytes) != NULL)
		cairn_error_set(err, "the id of the play bar's request is no text");
	else {
		ret->op = CAIRN_FOXGLOVE_PLAYBACK;
		ret->count = 0;
		ret->on = false;
		ret->playback = (struct cairn_foxglove_playback){p[1] == 0, p[6] != 0, rate, get_time(p + 7)};
		memcpy(ret->args, p + PLAYBACK_BYTES, id_bytes);
		ret->args[id_bytes] = '\0';
		return true;
	}
	return false;
}

bool cairn_foxglove_parse_binary(
    const void *data, size_t bytes, struct cairn_foxglove_request *ret, struct cairn_error *err)
{
	const uint8_t *p = data;
	if (bytes > 0 && p[0] == CLIENT_PLAYBACK)
		return parse_playback(p, bytes, ret, err);
	struct cairn_error why = {""};
	char args[CAIRN_WEB_ARGS_MAX] = "";
	if (!cairn_foxglove_is_call(data, bytes)) {
		cairn_error_set(
		    err, bytes > 0 && p[0] == CLIENT_MESSAGE
			     ? "clients do not publish here: this server is read-only beside its services"
			     : "a binary message that is no call of a service");
		return false;
	}
	if (bytes < CALL_HEAD_BYTES) {
		cairn_error_set(err, "a call of a service has at least %d bytes", CALL_HEAD_BYTES);
		return false;
	}
	bool ok = take_payload(p, bytes, args, sizeof(args), &why);
	ret->op = ok ? CAIRN_FOXGLOVE_CALL : CAIRN_FOXGLOVE_BAD_CALL;
	ret->count = 0;
	ret->on = false;
	ret->service = get_u32(p + 1);
	ret->call = get_u32(p + 5);
	memcpy(ret->args, ok ? args : why.text, ok ? sizeof(args) : sizeof(why.text));
	return true;
}

/* ---- to the client ---- */

static void add_time(struct cairn_text *t, const char *name, int64_t unix_ns)
{
	cairn_text_addf(t, ",\"%s\":{\"sec\":%" PRId64 ",\"nsec\":%" PRId64 "}", name,
	    unix_ns / CAIRN_NS_PER_S, unix_ns % CAIRN_NS_PER_S);
}

void cairn_foxglove_add_server_info(
    struct cairn_text *t, const char *name, const char *session, const struct cairn_msg_playback *replay)
{
	cairn_text_add(t, "{\"op\":\"serverInfo\",\"name\":");
	cairn_text_json_string(t, name);
	cairn_text_addf(t,
	    ",\"capabilities\":[\"services\",\"connectionGraph\"%s],\"supportedEncodings\":"
	    "[\"json\"],\"metadata\":{\"version\":\"" CAIRN_VERSION "\"},\"sessionId\":",
	    replay != NULL ? ",\"playbackControl\"" : "");
	cairn_text_json_string(t, session);
	if (replay != NULL) {
		add_time(t, "dataStartTime", replay->first_ns);
		add_time(t, "dataEndTime", replay->last_ns);
	}
	cairn_text_add(t, "}");
}

void cairn_foxglove_begin_channels(struct cairn_text *t)
{
	cairn_text_add(t, "{\"op\":\"advertise\",\"channels\":[");
}

static void add_field(struct cairn_text *t, const char *name, const char *value)
{
	cairn_text_addf(t, ",\"%s\":", name);
	cairn_text_json_string(t, value);
}

void cairn_foxglove_add_channel(struct cairn_text *t, const struct cairn_foxglove_channel *c)
{
	cairn_text_addf(t, "%s{\"id\":%u", t->len > 0 && t->data[t->len - 1] == '}' ? "," : "", c->id);
	add_field(t, "topic", c->topic);
	add_field(t, "encoding", c->encoding);
	add_field(t, "schemaName", c->schema_name);
	add_field(t, "schema", c->schema);
	add_field(t, "schemaEncoding", c->schema_encoding);
	cairn_text_add(t, "}");
}

void cairn_foxglove_end_channels(struct cairn_text *t)
{
	cairn_text_add(t, "]}");
}

void cairn_foxglove_add_services(
    struct cairn_text *t, const struct cairn_foxglove_service *services, int count)
{
	static const char request[] =
	    "{\"title\":\"cairn.StopRequest\",\"type\":\"object\",\"properties\":{\"reason\":{\"type\":"
	    "\"string\"}}}";
	static const char response[] = "{\"title\":\"cairn.StopResponse\",\"type\":\"object\",\"properties\":"
				       "{\"ok\":{\"type\":\"boolean\"},\"text\":{\"type\":\"string\"}}}";
	cairn_text_add(t, "{\"op\":\"advertiseServices\",\"services\":[");
	for (int i = 0; i < count; i++) {
		cairn_text_addf(t, "%s{\"id\":%u", i > 0 ? "," : "", services[i].id);
		add_field(t, "name", services[i].name);
		add_field(t, "type", "cairn.Stop");
		cairn_text_add(t, ",\"request\":{\"encoding\":\"json\",\"schemaName\":\"cairn.StopRequest\","
				  "\"schemaEncoding\":\"jsonschema\"");
		add_field(t, "schema", request);
		cairn_text_add(t, "},\"response\":{\"encoding\":\"json\",\"schemaName\":"
				  "\"cairn.StopResponse\",\"schemaEncoding\":\"jsonschema\"");
		add_field(t, "schema", response);
		cairn_text_add(t, "}}");
	}
	cairn_text_add(t, "]}");
}

void cairn_foxglove_add_status(struct cairn_text *t, enum cairn_foxglove_level level, const char *text)
{
	cairn_text_addf(t, "{\"op\":\"status\",\"level\":%d", (int)level);
	add_field(t, "message", text);
	cairn_text_add(t, "}");
}

void cairn_foxglove_add_call_failure(struct cairn_text *t, uint32_t service, uint32_t call, const char *text)
{
	cairn_text_addf(t, "{\"op\":\"serviceCallFailure\",\"serviceId\":%u,\"callId\":%u", service, call);
	add_field(t, "message", text);
	cairn_text_add(t, "}");
}

static void put_u32(uint8_t *p, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(value >> (8 * i));
}

static void put_time(uint8_t *p, int64_t unix_ns)
{
	put_u32(p, (uint32_t)unix_ns);
	put_u32(p + 4, (uint32_t)((uint64_t)unix_ns >> 32));
}

void cairn_foxglove_add_call_response(struct cairn_text *t, uint32_t service, uint32_t call, const char *text)
{
	uint8_t head[CALL_HEAD_BYTES] = {SERVER_RESPONSE};
	put_u32(head + 1, service);
	put_u32(head + 5, call);
	put_u32(head + 9, sizeof(JSON_ENCODING) - 1);
	cairn_text_bytes(t, (const char *)head, sizeof(head));
	cairn_text_add(t, JSON_ENCODING "{\"ok\":true,\"text\":");
	cairn_text_json_string(t, text);
	cairn_text_add(t, "}");
}

void cairn_foxglove_message_head(
    uint8_t ret[CAIRN_FOXGLOVE_HEAD_BYTES], uint32_t subscription, int64_t unix_ns)
{
	ret[0] = SERVER_MESSAGE;
	put_u32(ret + 1, subscription);
	put_time(ret + 5, unix_ns);
}

void cairn_foxglove_add_playback(
    struct cairn_text *t, const struct cairn_msg_playback *replay, bool did_seek, const char *request)
{
	static const uint8_t states[CAIRN_PLAYBACK_STATE_COUNT] = {[CAIRN_PLAYBACK_STATE_PLAYING] = 0,
	    [CAIRN_PLAYBACK_STATE_PAUSED] = 1,
	    [CAIRN_PLAYBACK_STATE_ENDED] = 3};
	uint8_t head[PLAYBACK_BYTES] = {SERVER_PLAYBACK, states[replay->state]};
	float rate = (float)replay->rate;
	uint32_t bits;
	memcpy(&bits, &rate, sizeof(bits));
	put_time(head + 2, replay->place_ns);
	put_u32(head + 10, bits);
	head[14] = did_seek;
	put_u32(head + 15, (uint32_t)strlen(request));
	cairn_text_bytes(t, (const char *)head, sizeof(head));
	cairn_text_add(t, request);
}
