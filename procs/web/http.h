/* http.h - a request over HTTP; for http.c, http_picture.c and answers.c. */
#ifndef CAIRN_PROCS_WEB_HTTP_H
#define CAIRN_PROCS_WEB_HTTP_H

#include "procs/web/web.h"

#define HTTP_WAIT_NS (3 * CAIRN_NS_PER_S) /* for a picture, or the topics of the status */
#define HTTP_SEND_S 30                    /* an answer must be taken within */

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
	struct web_mcp *mcp; /* a request of an agent */
};

struct web *http_web(const struct web_http *h);
/* It waits for something: called back as that comes. */
void http_wait(struct web_http *h);
int http_send_headers(struct web_http *h, int status, const char *type, lws_filepos_t bytes);
/* Frames are read while somebody wants them, so that the first has to come. 0, or -1: the connection ends. */
int http_picture_begin(struct web_http *h, enum web_picture which);
int http_picture_tick(struct web_http *h);

#endif
