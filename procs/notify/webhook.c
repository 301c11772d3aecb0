#include "procs/notify/webhook.h"

#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#define CONNECT_MS 5000L
#define TOTAL_MS 15000L
#define ANSWER_BYTES_MAX (64u << 10)
#define AUTH_BYTES_MAX 900

struct webhook {
	CURLM *multi;
	CURL *easy;
	struct curl_slist *headers;
	bool under_way;
	size_t answered;
};

/* What it answers is of no interest; a flood ends the call. */
static size_t on_body(char *data, size_t size, size_t count, void *ctx)
{
	struct webhook *w = ctx;
	(void)data;
	w->answered += size * count;
	return w->answered <= ANSWER_BYTES_MAX ? size * count : 0;
}

/* A header more; false: no memory. */
static bool add_header(struct webhook *w, const char *name, const char *value)
{
	char line[1024];
	snprintf(line, sizeof(line), "%s: %s", name, value);
	struct curl_slist *more = curl_slist_append(w->headers, line);
	explicit_bzero(line, sizeof(line));
	w->headers = more != NULL ? more : w->headers;
	return more != NULL;
}

static bool set_up(struct webhook *w, const char *url, const char *type, const char *auth)
{
	w->multi = curl_multi_init();
	w->easy = curl_easy_init();
	if (w->multi == NULL || w->easy == NULL || !add_header(w, "Content-Type", type) ||
	    (auth != NULL && !add_header(w, "Authorization", auth)))
		return false;
	curl_easy_setopt(w->easy, CURLOPT_HTTPHEADER, w->headers);
	curl_easy_setopt(w->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(w->easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	curl_easy_setopt(w->easy, CURLOPT_TIMEOUT_MS, TOTAL_MS);
	curl_easy_setopt(w->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(w->easy, CURLOPT_USERAGENT, "cairn");
	curl_easy_setopt(w->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(w->easy, CURLOPT_WRITEDATA, w);
	return curl_easy_setopt(w->easy, CURLOPT_URL, url) == CURLE_OK;
}

/* What breaks the header would add others. */
static bool is_value(const char *auth)
{
	size_t n = strlen(auth);
	return n > 0 && n <= AUTH_BYTES_MAX && strpbrk(auth, "\r\n") == NULL;
}

struct webhook *webhook_new(const char *url, const char *type, const char *auth, struct cairn_error *err)
{
	if (auth != NULL && !is_value(auth)) {
		cairn_error_set(
		    err, "it is no value of a header: one line of at most %d bytes", AUTH_BYTES_MAX);
		return NULL;
	}
	struct webhook *w = calloc(1, sizeof(*w));
	curl_global_init(CURL_GLOBAL_DEFAULT);
	if (w != NULL && set_up(w, url, type, auth))
		return w;
	cairn_error_set(err, "out of memory");
	webhook_destroy(&w);
	return NULL;
}

void webhook_destroy(struct webhook **w_p)
{
	struct webhook *w = *w_p;
	if (w == NULL)
		return;
	if (w->under_way)
		curl_multi_remove_handle(w->multi, w->easy);
	curl_easy_cleanup(w->easy);
	curl_multi_cleanup(w->multi);
	curl_slist_free_all(w->headers);
	free(w);
	*w_p = NULL;
	curl_global_cleanup();
}

bool webhook_post(struct webhook *w, const char *body, size_t bytes)
{
	if (w->under_way)
		return false;
	w->answered = 0;
	curl_easy_setopt(w->easy, CURLOPT_POSTFIELDSIZE, (long)bytes);
	curl_easy_setopt(w->easy, CURLOPT_POSTFIELDS, body);
	w->under_way = curl_multi_add_handle(w->multi, w->easy) == CURLM_OK;
	return w->under_way;
}

bool webhook_turn(struct webhook *w, int *ret_status, struct cairn_error *ret_why)
{
	int running, left;
	CURLMsg *msg;
	if (!w->under_way)
		return false;
	(void)curl_multi_perform(w->multi, &running);
	while ((msg = curl_multi_info_read(w->multi, &left)) != NULL) {
		if (msg->msg != CURLMSG_DONE)
			continue;
		CURLcode result = msg->data.result; /* msg goes with the handle */
		long status = 0;
		curl_easy_getinfo(w->easy, CURLINFO_RESPONSE_CODE, &status);
		curl_multi_remove_handle(w->multi, w->easy);
		w->under_way = false;
		*ret_status = result == CURLE_OK || result == CURLE_WRITE_ERROR ? (int)status : 0;
		/* libcurl's own words would name the address. */
		if (*ret_status != 0)
			cairn_error_set(ret_why, "it answers with status %ld", status);
		else
			cairn_error_set(ret_why, "%s", curl_easy_strerror(result));
		return true;
	}
	return false;
}
