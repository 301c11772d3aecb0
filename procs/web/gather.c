/* gather.c - the messages of a WebSocket, up to the largest request, which may come in pieces. */
#include <stdlib.h>
#include <string.h>

#include "procs/web/web.h"

int web_gather(struct lws *wsi, struct web_gather *g, const char *data, size_t bytes, const char **ret_data,
    size_t *ret_bytes)
{
	bool whole = lws_is_first_fragment(wsi) && lws_is_final_fragment(wsi);
	if (whole && bytes <= CAIRN_WEB_REQUEST_MAX) {
		*ret_data = data;
		*ret_bytes = bytes;
		return 1;
	}
	if (g->bytes + bytes > CAIRN_WEB_REQUEST_MAX) {
		lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
		return -1;
	}
	if (g->part == NULL)
		g->part = malloc(CAIRN_WEB_REQUEST_MAX);
	if (g->part == NULL)
		return -1;
	memcpy(g->part + g->bytes, data, bytes);
	g->bytes += bytes;
	if (!lws_is_final_fragment(wsi))
		return 0;
	*ret_data = g->part;
	*ret_bytes = g->bytes;
	g->bytes = 0;
	return 1;
}

void web_gather_free(struct web_gather *g)
{
	free(g->part);
	*g = (struct web_gather){.bytes = 0};
}
