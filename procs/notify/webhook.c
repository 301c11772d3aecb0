#include "procs/notify/webhook.h"

#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#define CONNECT_MS 5000L
#define TOTAL_MS 15000L
#define ANSWER_BYTES_MAX (64u << 10)

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

static bool set_up(struct webhook *w, const char *url, const char *type)
{
	char line[100];
	snprintf(line, sizeof(line), "Content-Type: %s", type);
	w->multi = curl_multi_init();
	w->easy = curl_easy_init();
	w->headers = curl_slist_append(NULL, line);
	if (w->multi == NULL || w->easy == NULL || w->headers == NULL)
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

struct webhook *webhook_new(const char *url, const char *type, struct cairn_error *err)
{
	struct webhook *w = calloc(1, sizeof(*w));
	curl_global_init(CURL_GLOBAL_DEFAULT);
	if (w != NULL && set_up(w, url, type))
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
