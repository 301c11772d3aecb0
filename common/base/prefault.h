/* prefault.h - memory that is really there. What calloc and malloc give is only promised; each page comes when
 * it is first written, so a process would grow, and wait, with the farthest search it has made so far. */
#ifndef CAIRN_COMMON_BASE_PREFAULT_H
#define CAIRN_COMMON_BASE_PREFAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define CAIRN_PAGE_BYTES 4096

/* Writes to each page what is there already, so that it may be in use. */
static inline void cairn_prefault_touch(void *memory, size_t bytes)
{
	volatile char *at = memory; /* or the compiler would leave out what changes nothing */
	for (size_t i = 0; i < bytes; i += CAIRN_PAGE_BYTES)
		at[i] = at[i];
	if (bytes > 0)
		at[bytes - 1] = at[bytes - 1];
}

/* An array with memory that is there for at least items. False without memory; the array is as before then.
 */
static inline bool cairn_prefault_take(void *array_p, uint32_t *capacity, uint32_t items, size_t item_bytes)
{
	if (items <= *capacity)
		return true;
	void *taken = realloc(*(void **)array_p, items * item_bytes);
	if (taken == NULL)
		return false;
	cairn_prefault_touch(taken, items * item_bytes);
	*(void **)array_p = taken;
	*capacity = items;
	return true;
}

#endif
