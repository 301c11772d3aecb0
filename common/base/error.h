/* error.h - one line that tells a person what went wrong, where and what to do.
 *
 * Functions that can fail for reasons a person should read take a struct cairn_error * (may be NULL), return
 * false or a negative errno, and write one line without a newline. */
#ifndef CAIRN_COMMON_BASE_ERROR_H
#define CAIRN_COMMON_BASE_ERROR_H

#include <stdarg.h>
#include <stdio.h>

struct cairn_error {
	char text[512];
};

__attribute__((format(printf, 2, 3))) static inline void cairn_error_set(
    struct cairn_error *err, const char *fmt, ...)
{
	if (err == NULL)
		return;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
}

#endif
