/* http.c - one request over HTTP: judged, answered at once or when what it waits for is there. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/base/text.h"
#include "procs/web/http.h"
#include "procs/web/page.h"

#define HEADERS_BYTES 2048
#define CSP                                                                                                  \
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src "  \
	"'self'; "                                                                                           \
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

size_t http_bytes(void)
{
	return sizeof(struct web_http);
}

static struct web *web_of(struct lws *wsi)
{
	return lws_context_user(lws_get_context(wsi));
}

void http_wait(struct web_http *h)
{
	struct web *web = web_of(h->wsi);
	if (h->listed)
		return;
	h->next = web->requests;
	web->requests = h;
	h->listed = true;
}

struct web *http_web(const struct web_http *h)
{
	return web_of(h->wsi);
}

static void list_out(struct web_http *h)
{
	if (!h->listed)
		return;
	struct web_http **place = &web_of(h->wsi)->requests;
	while (*place != NULL && *place != h)
		place = &(*place)->next;
	if (*place == h)
		*place = h->next;
	h->listed = false;
}

/* ---- answering ---- */

static const char *security_headers[][2] = {{"content-security-policy:", CSP},
    {"x-content-type-options:", "nosniff"}, {"referrer-policy:", "no-referrer"}, {"x-frame-options:", "DENY"},
    {"cross-origin-resource-policy:", "same-origin"}, {"cache-control:", "no-store"}};

static bool add_header(
    struct web_http *h, const char *name, const char *value, unsigned char **p, unsigned char *end)
{
	return lws_add_http_header_by_name(h->wsi, (const unsigned char *)name, (const unsigned char *)value,
		   (int)strlen(value), p, end) == 0;
}

int http_send_headers(struct web_http *h, int status, const char *type, lws_filepos_t bytes)
{
	unsigned char buf[LWS_PRE + HEADERS_BYTES], *start = buf + LWS_PRE, *p = start,
						    *end = buf + sizeof(buf) - 1;
	bool ok = lws_add_http_common_headers(h->wsi, (unsigned)status, type, bytes, &p, end) == 0;
	for (size_t i = 0; ok && i < sizeof(security_headers) / sizeof(security_headers[0]); i++)
		ok = add_header(h, security_headers[i][0], security_headers[i][1], &p, end);
	if (ok && h->cookie[0] != '\0')
		ok = add_header(h, "set-cookie:", h->cookie, &p, end);
	if (ok && status == 405)
		ok = add_header(h, "allow:", "GET, POST", &p, end);
	return ok && lws_finalize_write_http_header(h->wsi, start, &p, end) == 0 ? 0 : -1;
}

int http_answer(struct web_http *h, int status, const char *type, struct web_blob *blob)
{
	list_out(h);
	if (blob == NULL)
		return -1; /* no memory: the connection ends */
	h->out = blob;
	h->sent = 0;
	h->state = HTTP_SENDING;
	lws_set_timeout(h->wsi, PENDING_TIMEOUT_HTTP_CONTENT, HTTP_SEND_S);
	if (http_send_headers(h, status, type, blob->bytes) != 0)
		return -1;
	lws_callback_on_writable(h->wsi);
	return 0;
}

int http_error(struct web_http *h, int status, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	cairn_text_plain(text);
	struct cairn_text t = {0};
	cairn_text_add(&t, "{\"error\":");
	cairn_text_json_string(&t, text);
	cairn_text_add(&t, "}\n");
	struct web_blob *blob = t.failed ? NULL : web_blob_new(t.data, t.len);
	cairn_text_free(&t);
	return http_answer(h, status, "application/json", blob);
}

static void release(struct web_http *h)
{
	struct web *web = web_of(h->wsi);
	list_out(h);
	if (h->picture_used)
		pictures_leave(web, h->picture);
	if (h->status_used)
		answers_status_use(web, false);
	mcp_release(h);
	web_blob_drop(&h->out);
	free(h->body);
	*h = (struct web_http){.wsi = h->wsi};
}

static int write_more(struct web_http *h)
{
	unsigned char buf[LWS_PRE + WEB_TX_BYTES];
	if (h->out == NULL)
		return 0;
	size_t left = h->out->bytes - h->sent, n = left < WEB_TX_BYTES ? left : WEB_TX_BYTES;
	bool last = n == left && h->state != HTTP_STREAM;
	memcpy(buf + LWS_PRE, h->out->data + h->sent, n);
	if (lws_write(h->wsi, buf + LWS_PRE, n, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)n)
		return -1;
	h->sent += n;
	if (h->sent < h->out->bytes) {
		lws_callback_on_writable(h->wsi);
		return 0;
	}
	web_blob_drop(&h->out);
	if (h->state == HTTP_STREAM)
		return 0;
	bool end = h->close;
	release(h);
	return end || lws_http_transaction_completed(h->wsi) ? -1 : 0;
}

/* An answer that could not be given ends the connection. */
static void settle(struct web_http *h, int result)
{
	if (result != 0)
		lws_set_timeout(h->wsi, PENDING_TIMEOUT_KILLED_BY_PARENT, LWS_TO_KILL_ASYNC);
}

void http_picture(struct web *web, enum web_picture which)
{
	for (struct web_http *h = web->requests, *next; h != NULL; h = next) {
		next = h->next; /* an answer takes it out */
		if (h->picture_used && h->picture == which)
			settle(h, http_picture_tick(h));
	}
}

int http_on_tick(void *ctx)
{
	struct web *web = ctx;
	bool complete = answers_status_complete(web);
	for (struct web_http *h = web->requests, *next; h != NULL; h = next) {
		next = h->next;
		if (h->status_used && (complete || cairn_now_ns() >= h->due_ns))
			settle(h, answers_status(web, h));
		else if (h->picture_used)
			settle(h, http_picture_tick(h));
		else if (h->mcp != NULL)
			settle(h, mcp_tick(h));
	}
	return 0;
}

/* ---- GET ---- */

static int get(struct web_http *h)
{
	struct web *web = web_of(h->wsi);
	switch (h->route) {
	case CAIRN_WEB_CAMERA_MJPEG:
	case CAIRN_WEB_CAMERA_JPG:
		return http_picture_begin(h, WEB_CAMERA);
	case CAIRN_WEB_SNAPSHOT_JPG:
	case CAIRN_WEB_SNAPSHOT_MJPEG:
	case CAIRN_WEB_SNAPSHOT_TXT:
		return http_picture_begin(h, WEB_SNAPSHOT);
	case CAIRN_WEB_DEPTH_MJPEG:
		return http_picture_begin(h, WEB_DEPTH_SEEN);
	case CAIRN_WEB_MAP_MJPEG:
		return http_picture_begin(h, WEB_MAP_SEEN);
	case CAIRN_WEB_DEPTH_PNG:
		return http_picture_begin(h, WEB_DEPTH);
	case CAIRN_WEB_MAP_PNG:
	case CAIRN_WEB_MAP_JSON:
		return http_picture_begin(h, WEB_MAP);
	case CAIRN_WEB_MAP_DRAWN:
		return http_picture_begin(h, WEB_MAP_DRAWN);
	case CAIRN_WEB_STATUS:
		answers_status_use(web, true);
		h->status_used = true;
		h->due_ns = cairn_now_ns() + HTTP_WAIT_NS / 2;
		h->state = HTTP_WAITING;
		http_wait(h);
		return 0;
	case CAIRN_WEB_SOCKET:
		return http_error(
		    h, 400, "/ws is a WebSocket of the subprotocol cairn.v1; this was a plain request");
	default:
		return answers_get(web, h, h->route, h->part, h->query);
	}
}

static int give_page(struct web_http *h, const char *path)
{
	const char *name = strcmp(path, "/") == 0 ? "index.html" : path + 1;
	for (int i = 0; i < web_page_count; i++) {
		const struct web_page_file *f = &web_page_files[i];
		if (strcmp(f->name, name) == 0)
			return http_answer(h, 200, f->type, web_blob_new(f->data, f->bytes));
	}
	return http_error(h, 404, "there is nothing at this address; docs/web.md lists what there is");
}

/* ---- POST ---- */

static int replied(struct web_http *h, enum web_verdict verdict, const char *text)
{
	static const int statuses[] = {[WEB_DONE] = 200,
	    [WEB_REFUSED] = 409,
	    [WEB_FORBIDDEN] = 403,
	    [WEB_FLOOD] = 429,
	    [WEB_UNKNOWN] = 404};
	struct cairn_text t = {0};
	cairn_text_addf(&t, "{\"ok\":%s,\"text\":", verdict == WEB_DONE ? "true" : "false");
	cairn_text_json_string(&t, text);
	cairn_text_add(&t, "}\n");
	struct web_blob *blob = t.failed ? NULL : web_blob_new(t.data, t.len);
	cairn_text_free(&t);
	return http_answer(h, statuses[verdict], "application/json", blob);
}

void http_replied(struct web *web, const struct web_asker *asker, enum web_verdict verdict, const char *text)
{
	for (struct web_http *h = web->requests, *next; h != NULL; h = next) {
		next = h->next;
		const struct web_conn *conn = lws_get_opaque_user_data(h->wsi);
		if (conn == NULL || conn->id != asker->conn)
			continue;
		if (asker->mcp && h->mcp != NULL)
			mcp_replied(h, asker->id, verdict, text);
		else if (!asker->mcp && h->route == CAIRN_WEB_COMMAND)
			settle(h, replied(h, verdict, text));
	}
}

static int log_in(struct web_http *h, struct web_conn *conn)
{
	struct web *web = web_of(h->wsi);
	struct cairn_error why = {""};
	char token[CAIRN_WEB_TOKEN_CHARS + 1], rights[64];
	if (!cairn_web_body_text(h->body, h->body_bytes, "token", token, sizeof(token), &why) ||
	    cairn_web_tokens_find(&web->tokens, token) == NULL) {
		cairn_stage_count_reject(web->stage);
		return http_error(h, 403,
		    "this token is not known; 'cairn web-key NAME --rights watch,drive' on the robot makes "
		    "one");
	}
	snprintf(conn->token, sizeof(conn->token), "%s", token);
	conn->who = cairn_web_identify(&web->tokens, token, conn->here);
	snprintf(h->cookie, sizeof(h->cookie), "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000%s",
	    web->cookie, token, web->tls ? "; Secure" : "");
	struct cairn_text t = {0};
	cairn_text_add(&t, "{\"rights\":[\"");
	for (const char *p = cairn_rights_text(conn->who.rights, rights, sizeof(rights)); *p != '\0'; p++)
		cairn_text_addf(&t, *p == ',' ? "\",\"" : "%c", *p);
	cairn_text_add(&t, "\"]}\n");
	struct web_blob *blob = t.failed ? NULL : web_blob_new(t.data, t.len);
	cairn_text_free(&t);
	return http_answer(h, 200, "application/json", blob);
}

static int post(struct web_http *h)
{
	struct web *web = web_of(h->wsi);
	struct web_conn *conn = lws_get_opaque_user_data(h->wsi);
	struct cairn_error why = {""};
	char args[CAIRN_WEB_ARGS_MAX];
	switch (h->route) {
	case CAIRN_WEB_LOGIN:
		return log_in(h, conn);
	case CAIRN_WEB_LOGOUT:
		snprintf(h->cookie, sizeof(h->cookie), "%s=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
		    web->cookie);
		return http_answer(h, 200, "application/json", web_blob_new("{\"ok\":true}\n", 12));
	case CAIRN_WEB_MCP:
		return mcp_begin(h);
	default:
		break;
	}
	if (!cairn_web_body_text(h->body, h->body_bytes, "args", args, sizeof(args), &why)) {
		cairn_stage_count_reject(web->stage);
		return http_error(h, 400, "body not understood: %s", why.text);
	}
	h->state = HTTP_WAITING;
	http_wait(h);
	orders_give(web, conn, &(struct web_asker){.conn = conn->id, .http = true}, h->part, args);
	return 0;
}

/* ---- a request ---- */

static void copy_header(struct lws *wsi, enum lws_token_indexes which, char *buf, int bytes)
{
	if (lws_hdr_copy(wsi, buf, bytes, which) < 0)
		buf[0] = '\0';
}

/* Reads method, route and size. 0, or the status of a refusal with its reason. */
static int look(struct web_http *h, const char *path, struct cairn_error *why)
{
	struct web *web = web_of(h->wsi);
	struct web_conn *conn = lws_get_opaque_user_data(h->wsi);
	char *uri = NULL, length[24] = "", type[64] = "";
	int uri_bytes = 0, method = lws_http_get_uri_and_method(h->wsi, &uri, &uri_bytes);
	h->post = method == LWSHUMETH_POST;
	h->route = cairn_web_route_find(path, h->part);
	web_query_of(h->wsi, h->query, sizeof(h->query));
	copy_header(h->wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, length, sizeof(length));
	copy_header(h->wsi, WSI_TOKEN_HTTP_CONTENT_TYPE, type, sizeof(type));
	h->expected = h->post ? strtoull(length, NULL, 10) : 0;
	int status = web_admit(web, h->wsi, h->route < 0 && !h->post, conn, why);
	const struct cairn_web_route_row *row = h->route >= 0 ? &cairn_web_routes[h->route] : NULL;
	enum cairn_web_method wanted = row != NULL ? row->method : CAIRN_WEB_GET;
	if (status != 0)
		return status;
	if (method != LWSHUMETH_GET && method != LWSHUMETH_POST) {
		cairn_error_set(why, "only GET and POST are understood");
		return 405;
	}
	if ((method == LWSHUMETH_POST) != (wanted == CAIRN_WEB_POST)) {
		cairn_error_set(why, "%.60s takes %s", path, wanted == CAIRN_WEB_POST ? "POST" : "GET");
		return 405;
	}
	if (h->expected > CAIRN_WEB_REQUEST_MAX) {
		cairn_error_set(why, "a body of %llu bytes; at most %d", (unsigned long long)h->expected,
		    CAIRN_WEB_REQUEST_MAX);
		return 413;
	}
	/* A form of another site can send text, but not JSON without asking first. */
	if (h->expected > 0 && strncmp(type, "application/json", 16) != 0) {
		cairn_error_set(why, "the body must be JSON, with Content-Type: application/json");
		return 415;
	}
	if (row != NULL && !row->open && !cairn_rights_allow(conn->who.rights, row->right)) {
		cairn_error_set(why,
		    "needs a token with the right to %s (Authorization: Bearer TOKEN, or the page's key); "
		    "'cairn web-key NAME' on the robot makes one",
		    cairn_enum_text(&cairn_enum_right, (int)row->right));
		return 401;
	}
	return 0;
}

static int begin(struct web_http *h, struct lws *wsi, const char *path)
{
	struct cairn_error why = {""};
	*h = (struct web_http){.wsi = wsi};
	int status = look(h, path, &why);
	if (status != 0) {
		cairn_stage_count_reject(web_of(wsi)->stage);
		h->close = h->expected > 0; /* whose body is not read cannot be gone on with */
		return http_error(h, status, "%s", why.text);
	}
	if (h->route == CAIRN_WEB_MCP && !mcp_headers(h, wsi))
		return -1;
	if (!h->post)
		return h->route >= 0 ? get(h) : give_page(h, path);
	if (h->expected == 0)
		return post(h);
	h->body = malloc(h->expected);
	h->state = HTTP_BODY;
	return h->body != NULL ? 0 : -1;
}

static int take_body(struct web_http *h, const char *data, size_t bytes)
{
	if (h->state != HTTP_BODY)
		return 0; /* of one that was refused */
	if (bytes > h->expected - h->body_bytes)
		return -1;
	memcpy(h->body + h->body_bytes, data, bytes);
	h->body_bytes += bytes;
	return 0;
}

int http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len)
{
	struct web_http *h = user;
	switch (reason) {
	case LWS_CALLBACK_HTTP:
		return begin(h, wsi, in);
	case LWS_CALLBACK_HTTP_BODY:
		return take_body(h, in, len);
	case LWS_CALLBACK_HTTP_BODY_COMPLETION:
		return h->state == HTTP_BODY ? post(h) : 0;
	case LWS_CALLBACK_HTTP_WRITEABLE:
		return h != NULL && h->wsi != NULL ? write_more(h) : 0;
	case LWS_CALLBACK_CLOSED_HTTP:
	case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
		if (h != NULL && h->wsi != NULL)
			release(h);
		return 0;
	case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: {
		struct cairn_error why = {""};
		struct web_conn *conn = lws_get_opaque_user_data(wsi);
		char path[8] = "";
		copy_header(wsi, WSI_TOKEN_GET_URI, path, sizeof(path));
		bool there = strcmp(path, "/ws") == 0 || (strcmp(path, "/") == 0 && web_wants_foxglove(wsi));
		int status = there ? web_admit(web_of(wsi), wsi, false, conn, &why) : 404;
		if (status != 0) /* whoever connects sees the status alone */
			cairn_log_debug("not let in: %s", why.text);
		if (status == 0 && cairn_rights_allow(conn->who.rights, CAIRN_RIGHT_WATCH))
			return 0;
		cairn_stage_count_reject(web_of(wsi)->stage);
		(void)lws_return_http_status(wsi, status != 0 ? (unsigned)status : 401, NULL);
		return 1;
	}
	case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: /* a WebSocket that names no subprotocol of ours */
	case LWS_CALLBACK_ESTABLISHED:
		return -1;
	case LWS_CALLBACK_WSI_DESTROY:
		web_forget(web_of(wsi), lws_get_opaque_user_data(wsi));
		lws_set_opaque_user_data(wsi, NULL);
		return 0;
	default:
		return lws_callback_http_dummy(wsi, reason, user, in, len);
	}
}
