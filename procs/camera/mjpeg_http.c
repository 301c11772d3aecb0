#include "procs/camera/mjpeg_http.h"

#include <stdlib.h>
#include <sys/select.h>

#include <curl/curl.h>

#include "procs/shell/stage.h"

#define CONNECT_MS 3000L
#define REDIRECTS_MAX 3L
#define READ_BYTES (64L << 10)

struct mjpeg_http {
	struct cairn_mjpeg_link link;
	CURLM *multi;
	CURL *easy;
	mjpeg_picture_fn *fn;
	void *ctx;
	bool asked; /* easy is in multi */
	char error[CURL_ERROR_SIZE];
};

/* The body; what it returns less than it got ends the connection. */
static size_t on_body(char *data, size_t size, size_t count, void *ctx)
{
	struct mjpeg_http *h = ctx;
	size_t len = size * count;
	if (!h->link.answered) {
		long status = 0;
		const char *type = NULL;
		curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
		curl_easy_getinfo(h->easy, CURLINFO_CONTENT_TYPE, &type);
		if (!cairn_mjpeg_link_answered(&h->link, status, type, cairn_now_ns()))
			return 0;
	}
	for (size_t at = 0; at < len && h->link.open;) {
		struct cairn_camera_header hdr;
		const uint8_t *payload;
		at += cairn_mjpeg_link_feed(
		    &h->link, (const uint8_t *)data + at, len - at, cairn_now_ns(), &hdr, &payload);
		if (payload != NULL)
			cairn_mjpeg_link_used(&h->link, h->fn(h->ctx, &hdr, payload), cairn_now_ns());
	}
	return h->link.open ? len : 0;
}

static void ask(struct mjpeg_http *h)
{
	h->error[0] = '\0';
	cairn_mjpeg_link_opened(&h->link, cairn_now_ns());
	h->asked = curl_multi_add_handle(h->multi, h->easy) == CURLM_OK;
	if (!h->asked)
		cairn_mjpeg_link_lost(&h->link, "no memory", cairn_now_ns());
}

static void hang_up(struct mjpeg_http *h)
{
	if (h->asked)
		curl_multi_remove_handle(h->multi, h->easy);
	h->asked = false;
}

/* Ended by the other side, or by on_body, which has said why already. An answer without a body was never looked at. */
static void ended(struct mjpeg_http *h, CURLcode result)
{
	long status = 0;
	const char *type = NULL;
	curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(h->easy, CURLINFO_CONTENT_TYPE, &type);
	if (h->link.open && !h->link.answered && result == CURLE_OK)
		(void)cairn_mjpeg_link_answered(&h->link, status, type, cairn_now_ns());
	if (h->link.open)
		cairn_mjpeg_link_lost(&h->link,
		    result == CURLE_OK    ? "the stream has ended"
		    : h->error[0] != '\0' ? h->error
					  : curl_easy_strerror(result),
		    cairn_now_ns());
}

void mjpeg_http_step(struct mjpeg_http *h)
{
	int running, left;
	CURLMsg *msg;
	if (!cairn_mjpeg_link_tick(&h->link, cairn_now_ns()))
		hang_up(h);
	if (cairn_mjpeg_link_wants_open(&h->link, cairn_now_ns()))
		ask(h);
	(void)curl_multi_perform(h->multi, &running);
	while ((msg = curl_multi_info_read(h->multi, &left)) != NULL) {
		if (msg->msg != CURLMSG_DONE)
			continue;
		CURLcode result = msg->data.result; /* msg goes with the handle */
		hang_up(h);
		ended(h, result);
	}
}

int mjpeg_http_fd(const struct mjpeg_http *h)
{
	fd_set in, out, odd;
	int max = -1;
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_ZERO(&odd);
	if (!h->asked || curl_multi_fdset(h->multi, &in, &out, &odd, &max) != CURLM_OK)
		return -1;
	for (int fd = 0; fd <= max; fd++)
		if (FD_ISSET(fd, &in))
			return fd;
	return -1;
}

const struct cairn_mjpeg_link *mjpeg_http_link(const struct mjpeg_http *h)
{
	return &h->link;
}

static bool set_up(struct mjpeg_http *h, const char *url)
{
	CURL *c = h->easy;
	return curl_easy_setopt(c, CURLOPT_URL, url) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_WRITEDATA, h) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_ERRORBUFFER, h->error) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_BUFFERSIZE, READ_BYTES) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_MAXREDIRS, REDIRECTS_MAX) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, "http,https") == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_PROXY, "") == CURLE_OK && /* it stands in the same network */
	       curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
}

struct mjpeg_http *mjpeg_http_new(const struct cairn_mjpeg_want *want, mjpeg_picture_fn *fn, void *ctx)
{
	struct mjpeg_http *h = calloc(1, sizeof(*h));
	if (h == NULL)
		return NULL;
	cairn_mjpeg_link_init(&h->link, want);
	h->fn = fn;
	h->ctx = ctx;
	h->multi = curl_multi_init();
	h->easy = curl_easy_init();
	if (h->multi == NULL || h->easy == NULL || !set_up(h, want->url))
		mjpeg_http_destroy(&h);
	return h;
}

void mjpeg_http_destroy(struct mjpeg_http **http_p)
{
	struct mjpeg_http *h = *http_p;
	*http_p = NULL;
	if (h == NULL)
		return;
	hang_up(h);
	curl_easy_cleanup(h->easy);
	curl_multi_cleanup(h->multi);
	cairn_mjpeg_link_free(&h->link);
	free(h);
}
