/* address.h - where the web stage listens, and whether a request may come from where it comes from. Pure.
 *
 * Two things keep other web sites out of a robot on this machine or in this network. The Host header must be an IP address,
 * localhost or a name of web.hosts: a name that a stranger's DNS points here (DNS rebinding) is none of them. And Origin and
 * Sec-Fetch-Site, which a browser's scripts cannot forge, must be those of our own page. */
#ifndef CAIRN_COMMON_WEB_ADDRESS_H
#define CAIRN_COMMON_WEB_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

#define CAIRN_WEB_HOST_MAX 64

struct cairn_web_address {
	char host[CAIRN_WEB_HOST_MAX]; /* IPv4 or IPv6 in numbers, without brackets */
	bool v6, loopback;
	uint16_t port; /* 0 = any free one */
};

/* "127.0.0.1:8088", "[::1]:8088", "localhost:8088". False with the reason in err. */
bool cairn_web_address_parse(const char *text, struct cairn_web_address *ret, struct cairn_error *err);
/* A peer's address in numbers: is it this machine? */
bool cairn_web_is_loopback(const char *address);
/* hosts: web.hosts. False for an empty header, too: HTTP/1.1 wants one. */
bool cairn_web_host_allowed(const char *host_header, const char *hosts);
/* Empty origin and site are allowed: programs send neither. same_page is what a link from elsewhere may open: the page itself,
 * not its data. */
bool cairn_web_origin_allowed(const char *origin, const char *host_header);
/* origins: web.origins, of pages elsewhere that may speak Foxglove's protocol. Never true for an empty origin. */
bool cairn_web_origin_listed(const char *origin, const char *origins);
bool cairn_web_site_allowed(const char *sec_fetch_site, bool same_page);

#endif
