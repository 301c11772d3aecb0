/* routes.h - the table of common/web/routes.def: which row a request means, and its arguments. Pure. */
#ifndef CAIRN_COMMON_WEB_ROUTES_H
#define CAIRN_COMMON_WEB_ROUTES_H

#include "ipc/commands.h"

#define CAIRN_WEB_PART_MAX 48 /* of what stands for '*' */

enum cairn_web_route {
#define ROUTE(id, method, path, right, doc) CAIRN_WEB_##id,
#include "common/web/routes.def"
	CAIRN_WEB_ROUTE_COUNT
};

enum cairn_web_method { CAIRN_WEB_GET, CAIRN_WEB_POST, CAIRN_WEB_OTHER };

struct cairn_web_route_row {
	enum cairn_web_method method;
	const char *path;
	bool open;              /* needs nothing */
	enum cairn_right right; /* otherwise */
	const char *doc;
};

extern const struct cairn_web_route_row cairn_web_routes[CAIRN_WEB_ROUTE_COUNT];

/* The row of a path (without its query), whatever its method, or -1. ret_part: what stands for '*'; empty without one. */
int cairn_web_route_find(const char *path, char ret_part[CAIRN_WEB_PART_MAX]);
/* The value of name in a query "a=1&b=2"; false when it is not there or does not fit. %XX and '+' are decoded; control
 * characters make it not fit. */
bool cairn_web_query(const char *query, const char *name, char *buf, size_t bytes);
/* A number of a query, min..max; dflt when it is not there, false when it is something else. */
bool cairn_web_query_count(const char *query, const char *name, uint64_t dflt, uint64_t max, uint64_t *ret);

#endif
