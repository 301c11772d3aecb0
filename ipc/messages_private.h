/* messages_private.h - what the codecs (message_encode.c, message_decode.c, message_json.c) share; not for others. */
#ifndef CAIRN_IPC_MESSAGES_PRIVATE_H
#define CAIRN_IPC_MESSAGES_PRIVATE_H

#include <string.h>

#include "ipc/messages.h"

/* The value of a wire name of len bytes, or -1. */
int cairn_enum_find(const struct cairn_enum_desc *desc, const char *text, size_t len);

/* Elements in use: a wrong count in a struct is our own bug, but must not become a read past the end. */
static inline uint32_t cairn_field_count(const struct cairn_field *f, const void *msg)
{
	if (!f->repeated)
		return 1;
	uint32_t n;
	memcpy(&n, (const char *)msg + f->count_offset, sizeof(n));
	return n < f->capacity ? n : f->capacity;
}

#endif
