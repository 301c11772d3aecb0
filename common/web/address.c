#include "common/web/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Splits "HOST:PORT" or "[HOST]:PORT"; without a port *ret_port is NULL. False when the host is empty or too long. */
static bool split(const char *text, char host[CAIRN_WEB_HOST_MAX], const char **ret_port)
{
	const char *end, *after;
	bool bracket = text[0] == '[';
	text += bracket;
	end = bracket ? strchr(text, ']') : strchr(text, ':');
	if (bracket && end == NULL)
		return false;
	end = end != NULL ? end : text + strlen(text);
	after = end + bracket;
	if (*after != ':' && *after != '\0')
		return false;
	size_t n = (size_t)(end - text);
	if (n == 0 || n >= CAIRN_WEB_HOST_MAX)
		return false;
	memcpy(host, text, n);
	host[n] = '\0';
	*ret_port = *after == ':' ? after + 1 : NULL;
	return true;
}

static bool is_ip(const char *host, bool *ret_v6)
{
	unsigned char bytes[16];
	*ret_v6 = inet_pton(AF_INET6, host, bytes) == 1;
	return *ret_v6 || inet_pton(AF_INET, host, bytes) == 1;
}

bool cairn_web_is_loopback(const char *address)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	unsigned char bytes[16];
	if (inet_pton(AF_INET, address, bytes) == 1)
		return bytes[0] == 127;
	if (inet_pton(AF_INET6, address, bytes) != 1)
		return false;
	if (memcmp(bytes, mapped, sizeof(mapped)) == 0)
		return bytes[12] == 127;
	return memcmp(bytes, &in6addr_loopback, sizeof(bytes)) == 0;
}

bool cairn_web_address_parse(const char *text, struct cairn_web_address *ret, struct cairn_error *err)
{
	struct cairn_web_address a = {.port = 0};
	const char *port = NULL;
	char *end = NULL;
	if (!split(text, a.host, &port) || port == NULL) {
		cairn_error_set(err, "'%.80s' must be ADDRESS:PORT, as in 127.0.0.1:8088 or [::]:8088", text);
		return false;
	}
	long number = strtol(port, &end, 10);
	if (*port < '0' || *port > '9' || *end != '\0' || number > 65535) {
		cairn_error_set(err, "'%.80s': the port must be 0 to 65535", text);
		return false;
	}
	if (strcasecmp(a.host, "localhost") == 0)
		snprintf(a.host, sizeof(a.host), "127.0.0.1");
	if (!is_ip(a.host, &a.v6)) {
		cairn_error_set(
		    err, "'%.80s': the address must be in numbers, as in 127.0.0.1, 0.0.0.0 or [::]", text);
		return false;
	}
	a.port = (uint16_t)number;
	a.loopback = cairn_web_is_loopback(a.host);
	*ret = a;
	return true;
}

/* Is it a word of the list? */
static bool listed(const char *name, const char *list)
{
	size_t n = strlen(name);
	for (const char *p = list; *p != '\0';) {
		p += strspn(p, " ,\t");
		size_t len = strcspn(p, " ,\t");
		if (len == n && strncasecmp(p, name, n) == 0)
			return true;
		p += len;
	}
	return false;
}

bool cairn_web_host_allowed(const char *host_header, const char *hosts)
{
	char host[CAIRN_WEB_HOST_MAX];
	const char *port;
	bool v6;
	if (!split(host_header, host, &port) || (port != NULL && port[strspn(port, "0123456789")] != '\0'))
		return false;
	return is_ip(host, &v6) || strcasecmp(host, "localhost") == 0 || listed(host, hosts);
}

bool cairn_web_origin_allowed(const char *origin, const char *host_header)
{
	if (origin[0] == '\0')
		return true;
	size_t scheme = strncasecmp(origin, "http://", 7) == 0    ? 7
			: strncasecmp(origin, "https://", 8) == 0 ? 8
								  : 0;
	return scheme > 0 && host_header[0] != '\0' && strcasecmp(origin + scheme, host_header) == 0;
}

bool cairn_web_origin_listed(const char *origin, const char *origins)
{
	return origin[0] != '\0' && listed(origin, origins);
}

bool cairn_web_site_allowed(const char *sec_fetch_site, bool same_page)
{
	return sec_fetch_site[0] == '\0' || same_page || strcmp(sec_fetch_site, "same-origin") == 0 ||
	       strcmp(sec_fetch_site, "none") == 0;
}
