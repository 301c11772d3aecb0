/* web_url.h - where the page of a running stack is. */
#ifndef CAIRN_PROCS_CAIRN_WEB_URL_H
#define CAIRN_PROCS_CAIRN_WEB_URL_H

#include <stdbool.h>
#include <stddef.h>

/* "http://127.0.0.1:8088/", as the stage web tells it in RUN/web.url. False while it does not listen. */
bool web_url(const char *run_dir, char *buf, size_t bytes);

#endif
