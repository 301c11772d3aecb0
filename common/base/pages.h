/* pages.h - memory that is really there. What calloc and malloc give is only promised; each page comes when it is
 * first written, so a process would grow, and wait, with the farthest search it has made so far. */
#ifndef CAIRN_COMMON_BASE_PAGES_H
#define CAIRN_COMMON_BASE_PAGES_H

#include <stddef.h>

#define CAIRN_PAGE_BYTES 4096

/* Writes a zero to each page of memory that was just taken and holds nothing yet. */
static inline void cairn_pages_touch(void *memory, size_t bytes)
{
	volatile char *at = memory; /* or the compiler would leave out what changes nothing */
	for (size_t i = 0; i < bytes; i += CAIRN_PAGE_BYTES)
		at[i] = 0;
	if (bytes > 0)
		at[bytes - 1] = 0;
}

#endif
