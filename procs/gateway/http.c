#include "procs/gateway/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/vlm/blot.h"
#include "common/vlm/ratelimit.h"

#define SOCKETS_MAX 16
#define PROBE_TIMEOUT_MS 5000L
#define WAIT_MS 100

struct watched {
	struct http *http;
	curl_socket_t fd; /* -1 = free */
};

struct peer {
	struct curl_slist *headers;
	const struct cairn_provider *format;
	char *key;   /* to blot it out; NULL = none */
	bool direct; /* never through a proxy */
	long timeout_ms;
	int64_t last_use_ns;
};

struct http {
	struct cairn_stage *stage;
	http_done_fn *done;
	http_probed_fn *probed;
	void *ctx;
	CURLM *multi;
	CURL *easy, *probe;
	struct peer peers[CAIRN_LINEUP_ROWS_MAX];
	uint32_t index, probe_index;
	curl_off_t bytes_to_send; /* of the call in flight */
	bool in_flight, probing, too_large;
	int timer_fd;
	struct watched watched[SOCKETS_MAX];
	struct cairn_text body;
	struct cairn_ratelimit limit;
	double first_byte_s, total_s;
	char error[CURL_ERROR_SIZE];
};

/* ---- libcurl and the loop ---- */

/* One line for people. libcurl's own texts are good but for certificates, where the way out is missing. */
static void explain(const struct http *http, CURLcode code, char *line, size_t cap)
{
	const char *why = http->error[0] != '\0' ? http->error : curl_easy_strerror(code);
	if (http->too_large)
		snprintf(line, cap, "the answer is larger than %u bytes", CAIRN_RESPONSE_BYTES_MAX);
	else if (code == CURLE_PEER_FAILED_VERIFICATION)
		snprintf(line, cap, "the server's certificate is not trusted (vlm.ca_file): %.100s", why);
	else
		snprintf(line, cap, "%.150s", why);
}

static double seconds_of(CURL *easy, CURLINFO which)
{
	curl_off_t us = 0;
	curl_easy_getinfo(easy, which, &us);
	return (double)us * 1e-6;
}

/* No key, of whichever provider, goes on in what this one says. False: the answer puts one together from parts, and is
 * dropped as a whole. */
static bool blot_keys(struct http *http, char *line)
{
	const struct cairn_provider *format = http->peers[http->index].format;
	struct cairn_text *body = &http->body;
	size_t found = 0;
	bool joined = false;
	for (int i = 0; i < CAIRN_LINEUP_ROWS_MAX; i++) {
		const char *key = http->peers[i].key;
		if (key == NULL)
			continue;
		found += cairn_blot(line, strlen(line), key);
		if (body->len == 0)
			continue;
		found += cairn_blot(body->data, body->len, key);
		joined |= cairn_blot_joined(format, body->data, body->len, key);
	}
	if (found > 0 || joined)
		cairn_log_warn("the service repeats an API key in its answer: it was %s",
		    joined ? "dropped" : "blotted out");
	if (joined)
		cairn_text_clear(body);
	return !joined;
}

static void finish(struct http *http, CURLcode code)
{
	long status = 0;
	char line[160];
	struct peer *peer = &http->peers[http->index];
	curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
	http->first_byte_s = seconds_of(http->easy, CURLINFO_PRETRANSFER_TIME_T);
	http->total_s = seconds_of(http->easy, CURLINFO_TOTAL_TIME_T);
	curl_multi_remove_handle(http->multi, http->easy);
	http->in_flight = false;
	peer->last_use_ns = code == CURLE_OK ? cairn_now_ns() : 0; /* else the connection is gone */
	explain(http, code, line, sizeof(line));
	bool clean = blot_keys(http, line);
	if (!clean)
		snprintf(line, sizeof(line), "the answer repeats the API key in parts: it was dropped");
	curl_off_t uploaded = 0;
	curl_easy_getinfo(http->easy, CURLINFO_SIZE_UPLOAD_T, &uploaded);
	struct cairn_dialog_outcome outcome = {.sent = uploaded >= http->bytes_to_send,
	    .status = code == CURLE_OK && clean ? (int)status : 0,
	    .body = http->body.data,
	    .body_bytes = http->body.len,
	    .retry_after_s = http->limit.retry_after_s,
	    .quota_wait_s = cairn_ratelimit_wait_s(&http->limit),
	    .error = line};
	if (outcome.retry_after_s < 0.0 && status == 429 && http->body.data != NULL)
		outcome.retry_after_s = cairn_json_retry_after_s(http->body.data, http->body.len);
	http->done(http->ctx, &outcome);
}

static void finish_probe(struct http *http, CURLcode code)
{
	long status = 0;
	curl_easy_getinfo(http->probe, CURLINFO_RESPONSE_CODE, &status);
	curl_multi_remove_handle(http->multi, http->probe);
	http->probing = false;
	if (code == CURLE_OK)
		http->peers[http->probe_index].last_use_ns = cairn_now_ns();
	if (http->probed != NULL)
		http->probed(http->ctx, http->probe_index, code == CURLE_OK ? (int)status : 0);
}

static void look(struct http *http)
{
	CURLMsg *msg;
	int left;
	while ((msg = curl_multi_info_read(http->multi, &left)) != NULL) {
		if (msg->msg != CURLMSG_DONE)
			continue;
		CURLcode code = msg->data.result; /* the message is gone once a handle is removed */
		if (msg->easy_handle == http->easy && http->in_flight)
			finish(http, code);
		else if (msg->easy_handle == http->probe && http->probing)
			finish_probe(http, code);
	}
}

static int on_socket(void *ctx)
{
	struct watched *w = ctx;
	struct http *http = w->http;
	int running;
	curl_multi_socket_action(http->multi, w->fd, 0, &running); /* 0: libcurl asks the socket itself */
	look(http);
	return 0;
}

static int on_timer(void *ctx)
{
	struct http *http = ctx;
	uint64_t expirations;
	int running;
	if (read(http->timer_fd, &expirations, sizeof(expirations)) <= 0)
		return 0;
	curl_multi_socket_action(http->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	look(http);
	return 0;
}

static int set_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *socket_ctx)
{
	(void)easy;
	struct http *http = ctx;
	struct watched *w = socket_ctx;
	if (what == CURL_POLL_REMOVE) {
		cairn_stage_unwatch_fd(http->stage, fd);
		if (w != NULL)
			w->fd = -1;
		return 0;
	}
	for (int i = 0; w == NULL && i < SOCKETS_MAX; i++) {
		if (http->watched[i].fd == -1)
			w = &http->watched[i];
	}
	if (w == NULL)
		return -1; /* ends the call */
	w->fd = fd;
	curl_multi_assign(http->multi, fd, w);
	short events = (short)((what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0));
	cairn_stage_watch_fd(http->stage, fd, events, on_socket, w);
	return 0;
}

static int set_timer(CURLM *multi, long timeout_ms, void *ctx)
{
	(void)multi;
	struct http *http = ctx;
	struct itimerspec at = {0};
	if (timeout_ms >= 0) {
		at.it_value.tv_sec = timeout_ms / 1000;
		at.it_value.tv_nsec = timeout_ms % 1000 * CAIRN_NS_PER_MS;
		if (timeout_ms == 0)
			at.it_value.tv_nsec =
			    1; /* at once, but from the loop: libcurl forbids a call from here */
	}
	timerfd_settime(http->timer_fd, 0, &at, NULL);
	return 0;
}

/* ---- what arrives ---- */

static size_t on_body(char *data, size_t size, size_t count, void *ctx)
{
	struct http *http = ctx;
	size_t bytes = size * count;
	if (http->body.len + bytes > CAIRN_RESPONSE_BYTES_MAX) {
		http->too_large = true;
		return 0; /* ends the call */
	}
	cairn_text_bytes(&http->body, data, bytes);
	return http->body.failed ? 0 : bytes;
}

static size_t on_header(char *data, size_t size, size_t count, void *ctx)
{
	struct http *http = ctx;
	cairn_ratelimit_header(&http->limit, data, size * count, (int64_t)time(NULL));
	return size * count;
}

/* What a probe answers is not read, but it must end. */
static size_t on_probe_body(char *data, size_t size, size_t count, void *ctx)
{
	(void)data;
	(void)ctx;
	return size * count;
}

/* ---- life ---- */

static bool add_header(struct peer *peer, const char *line)
{
	struct curl_slist *more = curl_slist_append(peer->headers, line);
	peer->headers = more != NULL ? more : peer->headers;
	return more != NULL;
}

static bool make_peer(struct peer *peer, const struct cairn_profile *profile, const char *key)
{
	const struct cairn_provider *format = cairn_provider_find(profile->format);
	char line[1024];
	bool ok = format != NULL;
	peer->format = format;
	for (int i = 0; ok && cairn_provider_common_headers[i] != NULL; i++)
		ok = add_header(peer, cairn_provider_common_headers[i]);
	/* "Expect: 100-continue" costs a round trip, or a second with servers that ignore it. */
	ok = ok && add_header(peer, "Expect:");
	for (int i = 0; ok && i < CAIRN_PROVIDER_HEADERS_MAX && format->headers[i] != NULL; i++)
		ok = add_header(peer, format->headers[i]);
	if (ok && key != NULL && key[0] != '\0') {
		ok = strpbrk(key, "\r\n") == NULL && /* it would end the header */
		     snprintf(line, sizeof(line), "%s%s", format->key_header, key) < (int)sizeof(line) &&
		     add_header(peer, line) && (peer->key = strdup(key)) != NULL;
		explicit_bzero(line, sizeof(line));
	}
	/* The scripted pilot is on this machine; a proxy that is meant for the world must not stand between.
	 */
	peer->direct = cairn_profile_url_is_pilot(profile->base_url);
	return ok;
}

static void free_peer(struct peer *peer)
{
	for (struct curl_slist *h = peer->headers; h != NULL; h = h->next)
		explicit_bzero(h->data, strlen(h->data));
	curl_slist_free_all(peer->headers);
	if (peer->key != NULL)
		explicit_bzero(peer->key, strlen(peer->key));
	free(peer->key);
}

/* What a call and a probe have in common. */
static bool set_common(CURL *c, const struct cairn_config_vlm *cfg)
{
	bool ok = curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
	ok &=
	    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)(cfg->connect_timeout_s * 1e3)) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_TCP_KEEPALIVE, 1L) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_TCP_NODELAY, 1L) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 1L) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 2L) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK;
	if (cfg->ca_file[0] != '\0')
		ok &= curl_easy_setopt(c, CURLOPT_CAINFO, cfg->ca_file) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_USERAGENT, "cairn/" CAIRN_VERSION) == CURLE_OK;
	/* A redirect would carry the key to another host; services answer where they are asked. */
	ok &= curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK;
	return ok;
}

static bool set_options(struct http *http, const struct cairn_config_vlm *cfg)
{
	CURL *c = http->easy;
	if (http->stage != NULL) { /* else the caller waits: http_wait */
		curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, set_socket);
		curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
		curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, set_timer);
		curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
	}
	curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, 2L * CAIRN_LINEUP_ROWS_MAX);
	bool ok = set_common(c, cfg) && set_common(http->probe, cfg);
	ok &= curl_easy_setopt(c, CURLOPT_ERRORBUFFER, http->error) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_WRITEDATA, http) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_HEADERDATA, http) == CURLE_OK;
	ok &= curl_easy_setopt(http->probe, CURLOPT_HTTPGET, 1L) == CURLE_OK;
	ok &= curl_easy_setopt(http->probe, CURLOPT_WRITEFUNCTION, on_probe_body) == CURLE_OK;
	ok &= curl_easy_setopt(http->probe, CURLOPT_TIMEOUT_MS, PROBE_TIMEOUT_MS) == CURLE_OK;
	return ok;
}

struct http *http_new(struct cairn_stage *stage, const struct cairn_config_vlm *cfg,
    const struct cairn_lineup *lineup, const char *const *keys, struct cairn_error *err)
{
	struct http *http = calloc(1, sizeof(*http));
	if (http == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		cairn_error_set(err, "libcurl does not start");
		free(http);
		return NULL;
	}
	http->stage = stage;
	for (int i = 0; i < SOCKETS_MAX; i++)
		http->watched[i] = (struct watched){http, -1};
	http->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	http->multi = curl_multi_init();
	http->easy = curl_easy_init();
	http->probe = curl_easy_init();
	bool ok = http->timer_fd >= 0 && http->multi != NULL && http->easy != NULL && http->probe != NULL &&
		  set_options(http, cfg);
	for (uint32_t i = 0; ok && i < cairn_lineup_rows(lineup); i++) {
		double own_s = lineup->rows[i].timeout_s;
		ok = make_peer(&http->peers[i], &lineup->rows[i], keys[i]);
		http->peers[i].timeout_ms = (long)((own_s > 0.0 ? own_s : cfg->timeout_s) * 1e3);
	}
	if (!ok) {
		cairn_error_set(err,
		    "libcurl lacks a feature this needs, a key is too long or has a line end, or there is no "
		    "memory");
		http_destroy(&http);
		return NULL;
	}
	if (stage != NULL)
		cairn_stage_watch_fd(stage, http->timer_fd, POLLIN, on_timer, http);
	return http;
}

void http_listen(struct http *http, http_done_fn *done, http_probed_fn *probed, void *ctx)
{
	http->done = done;
	http->probed = probed;
	http->ctx = ctx;
}

void http_destroy(struct http **http_p)
{
	struct http *http = *http_p;
	*http_p = NULL;
	if (http == NULL)
		return;
	http_cancel(http);
	if (http->probing)
		curl_multi_remove_handle(http->multi, http->probe);
	curl_easy_cleanup(http->easy);
	curl_easy_cleanup(http->probe);
	curl_multi_cleanup(http->multi);
	for (int i = 0; i < CAIRN_LINEUP_ROWS_MAX; i++)
		free_peer(&http->peers[i]);
	curl_global_cleanup();
	if (http->timer_fd >= 0) {
		if (http->stage != NULL)
			cairn_stage_unwatch_fd(http->stage, http->timer_fd);
		close(http->timer_fd);
	}
	cairn_text_free(&http->body);
	free(http);
}

/* NULL: as the environment says; "": none. */
static bool aim(CURL *c, const struct peer *peer, const char *url)
{
	return curl_easy_setopt(c, CURLOPT_URL, url) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_HTTPHEADER, peer->headers) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_PROXY, peer->direct ? "" : NULL) == CURLE_OK;
}

bool http_post(struct http *http, uint32_t index, const char *url, const char *body, size_t bytes,
    struct cairn_error *err)
{
	cairn_text_clear(&http->body);
	http->error[0] = '\0';
	http->too_large = false;
	http->index = index;
	cairn_ratelimit_init(&http->limit);
	CURL *c = http->easy;
	bool ok = aim(c, &http->peers[index], url) &&
		  curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, http->peers[index].timeout_ms) == CURLE_OK &&
		  curl_easy_setopt(c, CURLOPT_POSTFIELDS, body) == CURLE_OK &&
		  curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)bytes) == CURLE_OK;
	http->bytes_to_send = (curl_off_t)bytes;
	CURLMcode code = ok ? curl_multi_add_handle(http->multi, c) : CURLM_INTERNAL_ERROR;
	if (code != CURLM_OK) {
		cairn_error_set(err, "cannot send: %s", curl_multi_strerror(code));
		return false;
	}
	http->in_flight = true;
	return true;
}

void http_wait(struct http *http)
{
	int running;
	while ((http->in_flight || http->probing) && curl_multi_perform(http->multi, &running) == CURLM_OK) {
		look(http);
		if (http->in_flight || http->probing)
			curl_multi_poll(http->multi, NULL, 0, WAIT_MS, NULL);
	}
}

void http_cancel(struct http *http)
{
	if (!http->in_flight)
		return;
	http->in_flight = false;
	curl_multi_remove_handle(
	    http->multi, http->easy); /* closes the connection: the answer is not wanted */
}

bool http_probe(struct http *http, uint32_t index, const char *url)
{
	if (http->probing || !aim(http->probe, &http->peers[index], url) ||
	    curl_multi_add_handle(http->multi, http->probe) != CURLM_OK)
		return false;
	http->probe_index = index;
	http->probing = true;
	return true;
}

int64_t http_last_use_ns(const struct http *http, uint32_t index)
{
	return http->peers[index].last_use_ns;
}

double http_first_byte_s(const struct http *http)
{
	return http->first_byte_s;
}

double http_total_s(const struct http *http)
{
	return http->total_s;
}
