/* http.h - a request over HTTP; for http.c and answers.c. */
#ifndef CAIRN_PROCS_WEB_HTTP_H
#define CAIRN_PROCS_WEB_HTTP_H

#include "procs/web/web.h"

enum http_state { HTTP_IDLE, HTTP_BODY, HTTP_WAITING, HTTP_SENDING, HTTP_STREAM };

struct web_http {
	struct web_http *next; /* of those that wait */
	bool listed;
	struct lws *wsi;
	enum http_state state;
	int route; /* -1: a file of the page */
	bool post, close;
	char part[CAIRN_WEB_PART_MAX];
	char query[256];
	size_t expected, body_bytes;
	char *body;
	int64_t due_ns; /* of what it waits for */
	enum web_picture picture;
	bool picture_used, status_used;
	uint64_t picture_number; /* seen already */
	struct web_blob *out;
	size_t sent;
	char cookie[128];
};

#endif
