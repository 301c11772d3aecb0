#include "test/support/service_server.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"

struct service_server {
	enum service_format format;
	char api_key[128];
	struct MHD_Daemon *daemon;
	pthread_mutex_t lock;
	int port, limit, retry_after_s, status;
	int requests, refused, pictures, followups, connections, cached;
	int described;
	bool asks_to_see; /* the first answer is observe_scene */
	char description[200];
	struct cairn_text prefix;
	char last_error[300];
};

struct call {
	struct cairn_text body;
};

struct reply {
	int status;
	bool retry_after; /* send the header */
	char body[1200];
};

/* ---- what each service says ---- */

static void fail(struct service_server *s, struct reply *r, int status, const char *message)
{
	static const struct {
		int status;
		const char *anthropic, *gemini;
	} words[] = {{400, "invalid_request_error", "INVALID_ARGUMENT"},
	    {401, "authentication_error", "UNAUTHENTICATED"}, {404, "not_found_error", "NOT_FOUND"},
	    {429, "rate_limit_error", "RESOURCE_EXHAUSTED"}, {500, "api_error", "INTERNAL"},
	    {503, "api_error", "UNAVAILABLE"}, {529, "overloaded_error", "UNAVAILABLE"}};
	const char *word = "api_error";
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (words[i].status == status)
			word = s->format == SERVICE_ANTHROPIC ? words[i].anthropic : words[i].gemini;
	}
	r->status = status;
	s->refused += status == 400;
	snprintf(s->last_error, sizeof(s->last_error), "%s", message);
	if (s->format == SERVICE_ANTHROPIC) {
		snprintf(r->body, sizeof(r->body),
		    "{\"type\":\"error\",\"error\":{\"type\":\"%s\",\"message\":\"%.250s\"},\"request_id\":"
		    "\"req_1\"}",
		    word, message);
		r->retry_after = status == 429;
		return;
	}
	char details[200] = "";
	if (status == 429)
		snprintf(details, sizeof(details),
		    ",\"details\":[{\"@type\":\"type.googleapis.com/"
		    "google.rpc.RetryInfo\",\"retryDelay\":\"%ds\"}]",
		    s->retry_after_s);
	snprintf(r->body, sizeof(r->body),
	    "{\"error\":{\"code\":%d,\"message\":\"%.250s\",\"status\":\"%s\"%s}}", status, message, word,
	    details);
}

/* First the sensors are asked, then it turns. */
static void answer(struct service_server *s, struct reply *r, bool followup, int cached_tokens)
{
	const char *first = s->asks_to_see ? "observe_scene" : "check_path_clear";
	const char *asked =
	    s->asks_to_see ? "{\"focus\":\"objects\"}" : "{\"direction\":\"forward\",\"distance_m\":1}";
	const char *name = followup ? "rotate" : first;
	const char *args = followup ? "{\"angle_deg\":90}" : asked;
	r->status = 200;
	if (s->format == SERVICE_ANTHROPIC)
		snprintf(r->body, sizeof(r->body),
		    "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"M\","
		    "\"content\":["
		    "{\"type\":\"text\",\"text\":\"I look "
		    "first.\"},{\"type\":\"tool_use\",\"id\":\"toolu_9\","
		    "\"name\":\"%s\",\"input\":%s}],\"stop_reason\":\"tool_use\",\"stop_sequence\":null,"
		    "\"usage\":{"
		    "\"input_tokens\":4500,\"output_tokens\":40,\"cache_creation_input_tokens\":%d,"
		    "\"cache_read_input_tokens\":%d}}",
		    name, args, cached_tokens > 0 ? 0 : 2000, cached_tokens);
	else
		snprintf(r->body, sizeof(r->body),
		    "{\"candidates\":[{\"index\":0,\"finishReason\":\"STOP\",\"content\":{\"role\":\"model\","
		    "\"parts\":["
		    "{\"functionCall\":{\"name\":\"%s\",\"args\":%s},\"thoughtSignature\":\"c2VhbA==\"}]}}],"
		    "\"usageMetadata\":{\"promptTokenCount\":6500,\"candidatesTokenCount\":40,"
		    "\"cachedContentTokenCount\":%d,\"totalTokenCount\":6540},\"modelVersion\":\"M\"}",
		    name, args, cached_tokens);
}

/* A question without tools: words are the answer. */
static void describe(struct service_server *s, struct reply *r)
{
	s->described++;
	r->status = 200;
	if (s->format == SERVICE_ANTHROPIC)
		snprintf(r->body, sizeof(r->body),
		    "{\"id\":\"msg_2\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"M\","
		    "\"content\":"
		    "[{\"type\":\"text\",\"text\":\"%s\"}],\"stop_reason\":\"end_turn\",\"usage\":"
		    "{\"input_tokens\":900,\"output_tokens\":20}}",
		    s->description);
	else
		snprintf(r->body, sizeof(r->body),
		    "{\"candidates\":[{\"finishReason\":\"STOP\",\"content\":{\"role\":\"model\",\"parts\":"
		    "[{\"text\":\"%s\"}]}}],\"usageMetadata\":{\"promptTokenCount\":900,"
		    "\"candidatesTokenCount\":20}}",
		    s->description);
}

/* ---- checking ---- */

static int count_of(const char *text, const char *word)
{
	int n = 0;
	for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
		n++;
	return n;
}

/* Everything in front of the conversation, which is what is cached. */
static bool same_prefix(struct service_server *s, const char *body)
{
	const char *end =
	    strstr(body, s->format == SERVICE_ANTHROPIC ? ",\"messages\":" : ",\"mediaResolution");
	if (end == NULL)
		end = strstr(body, "},\"contents\"");
	size_t n = end != NULL ? (size_t)(end - body) : 0;
	bool same = n > 0 && n == s->prefix.len && memcmp(s->prefix.data, body, n) == 0;
	cairn_text_clear(&s->prefix);
	cairn_text_bytes(&s->prefix, body, n);
	return same;
}

static bool header_is(struct MHD_Connection *c, const char *name, const char *value)
{
	const char *have = MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
	return have != NULL && strcmp(have, value) == 0;
}

static void judge(struct service_server *s, struct MHD_Connection *c, const char *url, const char *method,
    const struct cairn_text *body, struct reply *r)
{
	bool anthropic = s->format == SERVICE_ANTHROPIC;
	const char *path = anthropic ? "/v1/messages" : "/v1beta/models/M:generateContent";
	const char *models = anthropic ? "/v1/models" : "/v1beta/models/M";
	char why[300];
	bool key_ok = header_is(c, anthropic ? "x-api-key" : "x-goog-api-key", s->api_key);
	if (s->status != 0) { /* services quote keys in their messages */
		const char *key = MHD_lookup_connection_value(
		    c, MHD_HEADER_KIND, anthropic ? "x-api-key" : "x-goog-api-key");
		snprintf(why, sizeof(why), "as told; your key is %s", key != NULL ? key : "none");
		return fail(s, r, s->status, why);
	}
	if (!key_ok && anthropic)
		return fail(s, r, 401, "invalid x-api-key");
	if (!key_ok)
		return fail(s, r, 400, "API key not valid. Please pass a valid API key.");
	if (strcmp(method, "GET") == 0 && strcmp(url, models) == 0) {
		r->status = 200;
		snprintf(r->body, sizeof(r->body), "{}");
		return;
	}
	s->requests++;
	if (strcmp(url, path) != 0 || strcmp(method, "POST") != 0)
		return fail(s, r, 404, "there is nothing at this address");
	if (anthropic && !header_is(c, "anthropic-version", "2023-06-01"))
		return fail(s, r, 400, "anthropic-version: header is required");
	if (!header_is(c, "content-type", "application/json"))
		return fail(s, r, 400, "content-type must be application/json");
	if (s->limit > 0) {
		s->limit--;
		return fail(s, r, 429, "This request would exceed your rate limit");
	}
	if (service_check_body(
		s->format, body->data != NULL ? body->data : "", body->len, why, sizeof(why)) != NULL)
		return fail(s, r, 400, why);
	bool followup = strstr(body->data, anthropic ? "\"tool_result\"" : "\"functionResponse\"") != NULL;
	bool same = same_prefix(s, body->data);
	s->followups += followup;
	s->cached += same;
	s->pictures += count_of(body->data, anthropic ? "\"type\":\"image\"" : "\"inlineData\"");
	if (strstr(body->data, "\"tools\":[") == NULL)
		describe(s, r);
	else
		answer(s, r, followup, same ? 2000 : 0);
}

/* ---- libmicrohttpd ---- */

static enum MHD_Result handle(void *ctx, struct MHD_Connection *c, const char *url, const char *method,
    const char *version, const char *data, size_t *bytes, void **state)
{
	(void)version;
	struct service_server *s = ctx;
	struct call *call = *state;
	struct reply r = {0};
	if (call == NULL) {
		*state = calloc(1, sizeof(struct call));
		return *state != NULL ? MHD_YES : MHD_NO;
	}
	if (*bytes > 0) {
		cairn_text_bytes(&call->body, data, *bytes);
		*bytes = 0;
		return MHD_YES;
	}
	pthread_mutex_lock(&s->lock);
	judge(s, c, url, method, &call->body, &r);
	pthread_mutex_unlock(&s->lock);
	struct MHD_Response *response =
	    MHD_create_response_from_buffer(strlen(r.body), r.body, MHD_RESPMEM_MUST_COPY);
	MHD_add_response_header(response, "Content-Type", "application/json");
	if (r.retry_after) {
		char text[16];
		snprintf(text, sizeof(text), "%d", s->retry_after_s);
		MHD_add_response_header(response, "retry-after", text);
	}
	enum MHD_Result result = MHD_queue_response(c, (unsigned)r.status, response);
	MHD_destroy_response(response);
	return result;
}

static void completed(void *ctx, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode code)
{
	(void)ctx;
	(void)c;
	(void)code;
	struct call *call = *state;
	if (call != NULL)
		cairn_text_free(&call->body);
	free(call);
	*state = NULL;
}

static void connected(
    void *ctx, struct MHD_Connection *c, void **state, enum MHD_ConnectionNotificationCode code)
{
	(void)c;
	(void)state;
	struct service_server *s = ctx;
	pthread_mutex_lock(&s->lock);
	s->connections += code == MHD_CONNECTION_NOTIFY_STARTED;
	pthread_mutex_unlock(&s->lock);
}

struct service_server *service_server_new(
    enum service_format format, const char *cert, const char *key, const char *api_key)
{
	struct service_server *s = calloc(1, sizeof(*s));
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)key},
	    {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)cert}, {MHD_OPTION_END, 0, NULL}};
	struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
	s->format = format;
	snprintf(s->api_key, sizeof(s->api_key), "%s", api_key);
	pthread_mutex_init(&s->lock, NULL);
	s->daemon =
	    MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | (unsigned)(cert != NULL ? MHD_USE_TLS : 0), 0,
		NULL, NULL, handle, s, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&at,
		MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_NOTIFY_CONNECTION, connected, s,
		MHD_OPTION_ARRAY, cert != NULL ? tls : none, MHD_OPTION_END);
	if (s->daemon == NULL) {
		free(s);
		return NULL;
	}
	s->port = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
	return s;
}

void service_server_destroy(struct service_server **server_p)
{
	struct service_server *s = *server_p;
	*server_p = NULL;
	if (s == NULL)
		return;
	MHD_stop_daemon(s->daemon);
	pthread_mutex_destroy(&s->lock);
	cairn_text_free(&s->prefix);
	free(s);
}

int service_server_port(const struct service_server *s)
{
	return s->port;
}

void service_server_limit(struct service_server *s, int requests, int retry_after_s)
{
	pthread_mutex_lock(&s->lock);
	s->limit = requests;
	s->retry_after_s = retry_after_s;
	pthread_mutex_unlock(&s->lock);
}

void service_server_fail(struct service_server *s, int status)
{
	pthread_mutex_lock(&s->lock);
	s->status = status;
	pthread_mutex_unlock(&s->lock);
}

void service_server_see(struct service_server *s, bool asks_to_see, const char *description)
{
	pthread_mutex_lock(&s->lock);
	s->asks_to_see = asks_to_see;
	snprintf(s->description, sizeof(s->description), "%s", description);
	pthread_mutex_unlock(&s->lock);
}

#define GETTER(member)                                                                                       \
	int service_server_##member(const struct service_server *s)                                          \
	{                                                                                                    \
		pthread_mutex_lock((pthread_mutex_t *)&s->lock);                                             \
		int n = s->member;                                                                           \
		pthread_mutex_unlock((pthread_mutex_t *)&s->lock);                                           \
		return n;                                                                                    \
	}
GETTER(requests)
GETTER(refused)
GETTER(pictures)
GETTER(followups)
GETTER(connections)
GETTER(cached)
GETTER(described)

const char *service_server_last_error(const struct service_server *s)
{
	return s->last_error;
}
