/* page.h - the files of procs/web/page, inside the program (made by embed.py). */
#ifndef CAIRN_PROCS_WEB_PAGE_H
#define CAIRN_PROCS_WEB_PAGE_H

#include <stddef.h>

struct web_page_file {
	const char *name, *type;
	const unsigned char *data;
	size_t bytes;
};

extern const struct web_page_file web_page_files[];
extern const int web_page_count;

#endif
