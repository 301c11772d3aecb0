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

#define SOCKETS_MAX 8

struct watched {
	struct http *http;
	curl_socket_t fd; /* -1 = free */
};

struct http {
	struct cairn_stage *stage;
	http_done_fn *done;
	void *ctx;
	CURLM *multi;
	CURL *easy;
	struct curl_slist *headers;
	bool in_flight, too_large;
	int timer_fd;
	struct watched watched[SOCKETS_MAX];
	struct cairn_text body;
	double retry_after_s;
	char error[CURL_ERROR_SIZE];
};

/* ---- libcurl and the loop ---- */

static void finish(struct http *http, CURLcode code)
{
	long status = 0;
	char line[160];
	curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_multi_remove_handle(http->multi, http->easy);
	http->in_flight = false;
	const char *why = http->error[0] != '\0' ? http->error : curl_easy_strerror(code);
	if (http->too_large)
		snprintf(line, sizeof(line), "the answer is larger than %u bytes", CAIRN_RESPONSE_BYTES_MAX);
	else
		snprintf(line, sizeof(line), "%.150s", why);
	struct cairn_dialog_outcome outcome = {.status = code == CURLE_OK ? (int)status : 0,
	    .body = http->body.data,
	    .body_bytes = http->body.len,
	    .retry_after_s = http->retry_after_s,
	    .error = line};
	http->done(http->ctx, &outcome);
}

static void look(struct http *http)
{
	CURLMsg *msg;
	int left;
	while ((msg = curl_multi_info_read(http->multi, &left)) != NULL) {
		if (msg->msg == CURLMSG_DONE && http->in_flight)
			finish(http, msg->data.result);
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

/* Seconds, or an HTTP date; negative when it is neither. */
static double wait_of(const char *text)
{
	char *end;
	double value = strtod(text, &end);
	if (end != text && value >= 0.0 && value < 1e7)
		return value;
	time_t at = curl_getdate(text, NULL);
	double wait_s = at >= 0 ? difftime(at, time(NULL)) : -1.0;
	return wait_s >= 0.0 ? wait_s : -1.0;
}

static size_t on_header(char *data, size_t size, size_t count, void *ctx)
{
	static const char seconds[] = "retry-after:", millis[] = "retry-after-ms:";
	struct http *http = ctx;
	size_t bytes = size * count;
	char line[128];
	size_t n = bytes < sizeof(line) - 1 ? bytes : sizeof(line) - 1;
	memcpy(line, data, n);
	line[n] = '\0';
	if (strncasecmp(line, millis, sizeof(millis) - 1) == 0) {
		double wait = wait_of(line + sizeof(millis) - 1);
		http->retry_after_s = wait >= 0.0 ? wait * 1e-3 : http->retry_after_s;
	} else if (strncasecmp(line, seconds, sizeof(seconds) - 1) == 0 && http->retry_after_s < 0.0) {
		http->retry_after_s = wait_of(line + sizeof(seconds) - 1);
	}
	return bytes;
}

/* ---- life ---- */

static bool make_headers(struct http *http, const char *key)
{
	/* "Expect: 100-continue" costs a round trip, or a second with servers that ignore it. */
	static const char *const fixed[] = {
	    "Content-Type: application/json", "Accept: application/json", "Expect:"};
	char line[1024];
	bool ok = true;
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		struct curl_slist *more = curl_slist_append(http->headers, fixed[i]);
		ok = ok && more != NULL;
		http->headers = more != NULL ? more : http->headers;
	}
	if (key != NULL && key[0] != '\0') {
		ok = ok && snprintf(line, sizeof(line), "Authorization: Bearer %s", key) < (int)sizeof(line);
		struct curl_slist *more = ok ? curl_slist_append(http->headers, line) : NULL;
		ok = more != NULL;
		http->headers = ok ? more : http->headers;
		explicit_bzero(line, sizeof(line));
	}
	return ok;
}

static bool set_options(struct http *http, const struct cairn_config_vlm *cfg)
{
	CURL *c = http->easy;
	curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, set_socket);
	curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
	curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, set_timer);
	curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
	curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, 2L);
	bool ok = curl_easy_setopt(c, CURLOPT_HTTPHEADER, http->headers) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_ERRORBUFFER, http->error) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_WRITEDATA, http) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_HEADERDATA, http) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)(cfg->timeout_s * 1e3)) == CURLE_OK;
	ok &=
	    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)(cfg->connect_timeout_s * 1e3)) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_TCP_KEEPALIVE, 1L) == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK;
	ok &= curl_easy_setopt(c, CURLOPT_USERAGENT, "cairn/" CAIRN_VERSION) == CURLE_OK;
	/* A redirect would carry the key to another host; services answer where they are asked. */
	ok &= curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK;
	/* The scripted pilot is on this machine; a proxy that is meant for the world must not stand in
	 * between. */
	if (strcmp(cfg->provider, "pilot") == 0)
		ok &= curl_easy_setopt(c, CURLOPT_PROXY, "") == CURLE_OK;
	return ok;
}

struct http *http_new(struct cairn_stage *stage, const struct cairn_config_vlm *cfg, const char *key,
    http_done_fn *done, void *ctx, struct cairn_error *err)
{
	struct http *http = calloc(1, sizeof(*http));
	if (http == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		cairn_error_set(err, "libcurl does not start");
		free(http);
		return NULL;
	}
	http->stage = stage;
	http->done = done;
	http->ctx = ctx;
	for (int i = 0; i < SOCKETS_MAX; i++)
		http->watched[i] = (struct watched){http, -1};
	http->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	http->multi = curl_multi_init();
	http->easy = curl_easy_init();
	if (http->timer_fd < 0 || http->multi == NULL || http->easy == NULL || !make_headers(http, key) ||
	    !set_options(http, cfg)) {
		cairn_error_set(
		    err, "libcurl lacks a feature this needs, the key is too long, or there is no memory");
		http_destroy(&http);
		return NULL;
	}
	cairn_stage_watch_fd(stage, http->timer_fd, POLLIN, on_timer, http);
	return http;
}

void http_destroy(struct http **http_p)
{
	struct http *http = *http_p;
	*http_p = NULL;
	if (http == NULL)
		return;
	http_cancel(http);
	curl_easy_cleanup(http->easy);
	curl_multi_cleanup(http->multi);
	curl_slist_free_all(http->headers);
	curl_global_cleanup();
	if (http->timer_fd >= 0) {
		cairn_stage_unwatch_fd(http->stage, http->timer_fd);
		close(http->timer_fd);
	}
	cairn_text_free(&http->body);
	free(http);
}

bool http_post(struct http *http, const char *url, const char *body, size_t bytes, struct cairn_error *err)
{
	cairn_text_clear(&http->body);
	http->error[0] = '\0';
	http->too_large = false;
	http->retry_after_s = -1.0;
	CURL *c = http->easy;
	bool ok = curl_easy_setopt(c, CURLOPT_URL, url) == CURLE_OK &&
		  curl_easy_setopt(c, CURLOPT_POSTFIELDS, body) == CURLE_OK &&
		  curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)bytes) == CURLE_OK;
	CURLMcode code = ok ? curl_multi_add_handle(http->multi, c) : CURLM_INTERNAL_ERROR;
	if (code != CURLM_OK) {
		cairn_error_set(err, "cannot send: %s", curl_multi_strerror(code));
		return false;
	}
	http->in_flight = true;
	return true;
}

void http_cancel(struct http *http)
{
	if (!http->in_flight)
		return;
	http->in_flight = false;
	curl_multi_remove_handle(
	    http->multi, http->easy); /* closes the connection: the answer is not wanted */
}
