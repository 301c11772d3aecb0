/* counted_alloc.h - every call of the allocator in the program that includes this is told to
 * static void count_from(const void *caller), which the program defines before. COUNTED is false where that
 * cannot be. */
#ifndef CAIRN_TEST_SUPPORT_COUNTED_ALLOC_H
#define CAIRN_TEST_SUPPORT_COUNTED_ALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/* A program's own allocator is used by all of its libraries; glibc's stays reachable under these names. The
 * sanitizers bring one themselves, which must not be replaced. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTED true

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *p);

void *malloc(size_t bytes)
{
	count_from(__builtin_return_address(0));
	return __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
	count_from(__builtin_return_address(0));
	return __libc_calloc(n, bytes);
}

void *realloc(void *p, size_t bytes)
{
	count_from(__builtin_return_address(0));
	return __libc_realloc(p, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	count_from(__builtin_return_address(0));
	return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **ret, size_t alignment, size_t bytes)
{
	count_from(__builtin_return_address(0));
	*ret = __libc_memalign(alignment, bytes);
	return *ret != NULL ? 0 : ENOMEM;
}

void free(void *p)
{
	count_from(__builtin_return_address(0));
	__libc_free(p);
}
#else
#define COUNTED false

static inline void counted_nowhere(void)
{
	count_from(NULL);
}
#endif

#endif
