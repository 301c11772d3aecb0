#include "common/web/routes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define CAIRN_RIGHT_OPEN CAIRN_RIGHT_ANY
const struct cairn_web_route_row cairn_web_routes[CAIRN_WEB_ROUTE_COUNT] = {
#define ROUTE(id, method, path, right, doc)                                                                  \
	[CAIRN_WEB_##id] = {                                                                                 \
	    CAIRN_WEB_##method, path, CAIRN_RIGHT_##right == CAIRN_RIGHT_ANY, CAIRN_RIGHT_##right, doc},
#include "common/web/routes.def"
};

static bool matches(const char *pattern, const char *path, char part[CAIRN_WEB_PART_MAX])
{
	part[0] = '\0';
	for (; *pattern != '\0'; pattern++) {
		if (*pattern != '*') {
			if (*path++ != *pattern)
				return false;
			continue;
		}
		size_t n = strcspn(path, "/");
		if (n == 0 || n >= CAIRN_WEB_PART_MAX)
			return false;
		memcpy(part, path, n);
		part[n] = '\0';
		path += n;
	}
	return *path == '\0';
}

int cairn_web_route_find(const char *path, char ret_part[CAIRN_WEB_PART_MAX])
{
	for (int i = 0; i < CAIRN_WEB_ROUTE_COUNT; i++) {
		if (matches(cairn_web_routes[i].path, path, ret_part))
			return i;
	}
	ret_part[0] = '\0';
	return -1;
}

static int hex(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? (c | 32) - 'a' + 10 : -1;
}

/* Decodes n characters; false when they do not fit or are none. */
static bool decode(const char *p, size_t n, char *buf, size_t bytes)
{
	size_t len = 0;
	for (size_t i = 0; i < n; i++) {
		int c = (unsigned char)p[i];
		if (c == '%') {
			int high = i + 2 < n ? hex(p[i + 1]) : -1, low = i + 2 < n ? hex(p[i + 2]) : -1;
			if (high < 0 || low < 0)
				return false;
			c = high * 16 + low;
			i += 2;
		} else if (c == '+') {
			c = ' ';
		}
		if (c < ' ' || c == 127 || len + 1 >= bytes)
			return false;
		buf[len++] = (char)c;
	}
	buf[len] = '\0';
	return true;
}

bool cairn_web_query(const char *query, const char *name, char *buf, size_t bytes)
{
	size_t len = strlen(name);
	for (const char *p = query; *p != '\0';) {
		size_t n = strcspn(p, "&");
		if (n > len && strncmp(p, name, len) == 0 && p[len] == '=')
			return decode(p + len + 1, n - len - 1, buf, bytes);
		p += n + (p[n] == '&');
	}
	return false;
}

bool cairn_web_query_count(const char *query, const char *name, uint64_t dflt, uint64_t max, uint64_t *ret)
{
	char text[24], *end = NULL;
	if (!cairn_web_query(query, name, text, sizeof(text))) {
		*ret = dflt;
		return strstr(query, name) == NULL;
	}
	unsigned long long value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end != '\0' || value < 1 || value > max)
		return false;
	*ret = value;
	return true;
}
