/* whole_io.h - a buffer read or written as a whole from a blocking descriptor: what a signal interrupted goes
 * on, and what came or went in part is continued. */
#ifndef CAIRN_COMMON_BASE_WHOLE_IO_H
#define CAIRN_COMMON_BASE_WHOLE_IO_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes read: fewer than asked for at the end of the file or at an error. */
size_t cairn_read_whole(int fd, void *buf, size_t bytes);

/* False with errno set when not all of it was written. */
bool cairn_write_whole(int fd, const void *data, size_t bytes);

#endif
