/* hash.h - FNV-1a, 64 bit (Fowler, Noll, Vo): tells accidental changes and different inputs apart. It is no protection against
 * somebody who wants two inputs to have the same value. */
#ifndef CAIRN_COMMON_BASE_HASH_H
#define CAIRN_COMMON_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define CAIRN_HASH_START UINT64_C(14695981039346656037)

/* hash: CAIRN_HASH_START, or the value of what stands in front. */
static inline uint64_t cairn_hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
	const unsigned char *b = bytes;
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ b[i]) * UINT64_C(1099511628211);
	return hash;
}

#endif
