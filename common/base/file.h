/* file.h - files from outside, and files that must survive a crash.
 *
 * Reading: only regular files are read, and never more than the caller allows. Opening one never blocks, as a
 * FIFO or a device would. What a size says is not relied on: a file may grow or be cut while it is read.
 *
 * Writing: a file is replaced by one that was written under a new name beside it, so that a reader, a crash or a
 * full disk leaves the old content or the new. The name beside it, PATH.tmp, is created exclusively; one that a
 * crash left is removed first. A path that is a link, a device or a folder is refused, not replaced.
 *
 * Functions return false, NULL or a negative errno after one line in err, and set errno. */
#ifndef CAIRN_COMMON_BASE_FILE_H
#define CAIRN_COMMON_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <zlib.h>

#include "common/base/error.h"

enum cairn_file_flags {
	CAIRN_FILE_OWN = 1,  /* written by the stack itself: a link in its place is refused (ELOOP) */
	CAIRN_FILE_TEXT = 2, /* a NUL byte is refused (EILSEQ) */
	CAIRN_FILE_GZIP = 4, /* gzip is unpacked; the bound is one of the unpacked bytes */
	CAIRN_FILE_NO_SYNC =
	    8 /* written: survives the end of the process, not that of the power; never waits for
				  the disk */
};

/* PATH as it is when it begins with a slash, else below dir; into out, of bytes. False: it was cut. */
bool cairn_path_below(char *out, size_t bytes, const char *dir, const char *path);

/* A regular file, open for reading: its descriptor, or a negative errno (EISDIR, EINVAL for what is no file). */
int cairn_file_open(const char *path, unsigned flags, struct cairn_error *err);

/* The same as a stream, for files that are read line by line. */
FILE *cairn_file_stream(const char *path, unsigned flags, struct cairn_error *err);

/* The same unpacked, for gzgets and gzread. */
gzFile cairn_file_gzip(const char *path, struct cairn_error *err);

/* A whole file of at most bytes_max (EFBIG), with a NUL behind it, to be freed. */
char *cairn_file_read(
    const char *path, unsigned flags, size_t bytes_max, size_t *ret_bytes, struct cairn_error *err);

/* The same into the caller's memory, NUL included: at most bytes - 1 (EFBIG). The bytes read, or a negative
 * errno. */
ssize_t cairn_file_read_into(
    const char *path, unsigned flags, char *buf, size_t bytes, struct cairn_error *err);

/* The next line with its end: its length, 0 at the end of the file, -EFBIG when it is longer than bytes_max, another
 * negative errno. *line grows as getline's does; to be freed. */
ssize_t cairn_file_line(FILE *in, char **line, size_t *cap, size_t bytes_max);

/* FNV-1a over a file of any size; 0 when it cannot be read. */
unsigned long long cairn_file_hash(const char *path);

bool cairn_file_replace(
    const char *path, unsigned flags, mode_t mode, const void *data, size_t bytes, struct cairn_error *err);

/* The same in parts. After a begin that worked there must be an end, which tells whether all went well: what
 * failed before makes it fail. */
struct cairn_replace {
	char path[1024], beside[1032];
	unsigned flags;
	int fd, failed; /* errno of the first part that could not be written */
};
bool cairn_replace_begin(
    struct cairn_replace *r, const char *path, unsigned flags, mode_t mode, struct cairn_error *err);
void cairn_replace_add(struct cairn_replace *r, const void *data, size_t bytes);
/* Over the first bytes of what was written: a head that is known last. */
void cairn_replace_head(struct cairn_replace *r, const void *data, size_t bytes);
bool cairn_replace_end(struct cairn_replace *r, struct cairn_error *err);

/* PATH becomes PATH.1 when it would be larger than bytes_max with more bytes. */
void cairn_file_rotate(const char *path, size_t more, size_t bytes_max);

/* A regular file to append to, made when it is not there: its descriptor, or a negative errno. A link is refused. */
int cairn_file_append_to(const char *path, mode_t mode, struct cairn_error *err);

/* The same to read and to write anywhere. */
int cairn_file_update(const char *path, mode_t mode, struct cairn_error *err);

/* Rotates, then appends data with one write. What could be written only in part is taken back. */
bool cairn_file_append(
    const char *path, mode_t mode, const void *data, size_t bytes, size_t bytes_max, struct cairn_error *err);

#endif
