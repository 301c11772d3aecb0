/* http_picture.c - requests for pictures: answered when one is there, or as a stream. */
#include <stdio.h>
#include <string.h>

#include "common/base/geom.h"
#include "procs/web/http.h"

#define BOUNDARY "cairn-frame"

static const char *const picture_types[WEB_PICTURES] = {[WEB_CAMERA] = "image/jpeg",
    [WEB_SNAPSHOT] = "image/jpeg",
    [WEB_DEPTH] = "image/png",
    [WEB_MAP] = "image/png",
    [WEB_MAP_DRAWN] = "image/png",
    [WEB_DEPTH_SEEN] = "image/jpeg",
    [WEB_MAP_SEEN] = "image/jpeg"};

/* One part of an MJPEG stream, unless the one before is still under way: that viewer is slow and goes without. */
static void stream_part(struct web_http *h, const struct web_picture_now *now)
{
	char head[128];
	if (h->out != NULL || now->blob == NULL || now->number == h->picture_number)
		return;
	int n = snprintf(head, sizeof(head),
	    "--" BOUNDARY "\r\nContent-Type: image/jpeg\r\nContent-Length: %zu\r\n\r\n", now->blob->bytes);
	h->out = web_blob_new(NULL, (size_t)n + now->blob->bytes + 2);
	if (h->out == NULL)
		return;
	memcpy(h->out->data, head, (size_t)n);
	memcpy(h->out->data + n, now->blob->data, now->blob->bytes);
	memcpy(h->out->data + n + now->blob->bytes, "\r\n", 2);
	h->sent = 0;
	h->picture_number = now->number;
	lws_set_timeout(h->wsi, PENDING_TIMEOUT_HTTP_CONTENT, HTTP_SEND_S);
	lws_callback_on_writable(h->wsi);
}

/* A picture that is new enough: 1; 0: later; -1: there is none. */
static int picture_ready(const struct web_http *h, const struct web_picture_now *now)
{
	int64_t now_ns = cairn_now_ns();
	bool there = now->number > h->picture_number;
	/* The snapshot is made when a decision is due, and the map told when it has changed: the newest there is will do. */
	bool lasting = h->picture == WEB_SNAPSHOT || h->picture == WEB_MAP;
	if (there || (lasting && now->blob != NULL && now_ns >= h->due_ns - HTTP_WAIT_NS / 2))
		return 1;
	return now_ns >= h->due_ns ? -1 : 0;
}

static int give_picture(struct web_http *h)
{
	const struct web_picture_now *now = &http_web(h)->pictures[h->picture];
	bool text = h->route == CAIRN_WEB_SNAPSHOT_TXT || h->route == CAIRN_WEB_MAP_JSON;
	struct web_blob *blob = web_blob_hold(text ? now->text : now->blob);
	if (blob == NULL)
		return http_error(h, 503, "there is no such picture in the newest frame; try again later");
	return http_answer(h, 200,
	    h->route == CAIRN_WEB_MAP_JSON ? "application/json"
	    : text                         ? "text/plain; charset=utf-8"
					   : picture_types[h->picture],
	    blob);
}

int http_picture_tick(struct web_http *h)
{
	const struct web_picture_now *now = &http_web(h)->pictures[h->picture];
	if (h->state == HTTP_STREAM) {
		stream_part(h, now);
		return 0;
	}
	int ready = picture_ready(h, now);
	if (ready > 0)
		return give_picture(h);
	return ready == 0 ? 0
			  : http_error(h, 503,
				"no picture within %d s: the stage that makes it, or the data plane, does "
				"not work; see 'cairn status'",
				(int)(HTTP_WAIT_NS / CAIRN_NS_PER_S));
}

/* Frames are read while somebody wants them, so that the first has to come. */
int http_picture_begin(struct web_http *h, enum web_picture which)
{
	struct web *web = http_web(h);
	struct web_picture_now *now = &web->pictures[which];
	h->picture = which;
	h->picture_used = true;
	pictures_use(web, which);
	bool fresh = now->number > 0 && cairn_now_ns() - now->arrived_ns < CAIRN_NS_PER_S;
	h->picture_number = fresh ? now->number - 1 : now->number;
	h->due_ns = cairn_now_ns() + HTTP_WAIT_NS;
	h->state = HTTP_WAITING;
	http_wait(h);
	lws_set_timeout(h->wsi, PENDING_TIMEOUT_HTTP_CONTENT, HTTP_SEND_S);
	bool stream = h->route == CAIRN_WEB_CAMERA_MJPEG || h->route == CAIRN_WEB_SNAPSHOT_MJPEG ||
		      h->route == CAIRN_WEB_DEPTH_MJPEG || h->route == CAIRN_WEB_MAP_MJPEG;
	if (!stream)
		return http_picture_tick(h);
	h->state = HTTP_STREAM;
	if (http_send_headers(
		h, 200, "multipart/x-mixed-replace; boundary=" BOUNDARY, LWS_ILLEGAL_HTTP_CONTENT_LEN) != 0)
		return -1;
	stream_part(h, now);
	return 0;
}
