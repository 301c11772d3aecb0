#include "common/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/hash.h"

#include "common/base/whole_io.h"

#define FIRST_BYTES 4096
#define PART_BYTES_MAX (1u << 30) /* zlib counts in unsigned int */

/* Writes the line, sets errno, returns it negative. */
static int fail(int why, const char *path, struct cairn_error *err)
{
	cairn_error_set(err, "%s: %s", path,
	    why == EINVAL   ? "not a file (a device, a FIFO or a socket)"
	    : why == EISDIR ? "not a file (a folder)"
	    : why == ELOOP  ? "is a link; name the file itself"
	    : why == EILSEQ ? "holds a NUL byte: not a text file"
			    : strerror(why));
	errno = why;
	return -why;
}

static int fail_large(const char *path, size_t bytes_max, struct cairn_error *err)
{
	cairn_error_set(err, "%s: larger than %zu bytes", path, bytes_max);
	errno = EFBIG;
	return -EFBIG;
}

/* 0, or the errno for what is no file. */
static int not_regular(const struct stat *st)
{
	return S_ISREG(st->st_mode)   ? 0
	       : S_ISDIR(st->st_mode) ? EISDIR
	       : S_ISLNK(st->st_mode) ? ELOOP
				      : EINVAL;
}

/* A descriptor of a regular file, or a negative errno. */
static int open_regular(const char *path, int how, mode_t mode, struct cairn_error *err)
{
	struct stat st;
	int fd = open(path, how | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
	if (fd < 0) /* ENXIO: a FIFO that nobody reads, a socket */
		return fail(errno == ENXIO ? EINVAL : errno, path, err);
	int why = fstat(fd, &st) != 0 ? errno : not_regular(&st);
	if (why == 0)
		return fd;
	close(fd);
	return fail(why, path, err);
}

bool cairn_path_below(char *out, size_t bytes, const char *dir, const char *path)
{
	bool absolute = path[0] == '/';
	int n = snprintf(out, bytes, "%s%s%s", absolute ? "" : dir, absolute ? "" : "/", path);
	return n >= 0 && (size_t)n < bytes;
}

int cairn_file_open(const char *path, unsigned flags, struct cairn_error *err)
{
	return open_regular(path, O_RDONLY | ((flags & CAIRN_FILE_OWN) != 0 ? O_NOFOLLOW : 0), 0, err);
}

FILE *cairn_file_stream(const char *path, unsigned flags, struct cairn_error *err)
{
	int fd = cairn_file_open(path, flags, err);
	FILE *in = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (fd >= 0 && in == NULL) {
		(void)fail(errno, path, err);
		close(fd);
	}
	return in;
}

gzFile cairn_file_gzip(const char *path, struct cairn_error *err)
{
	int fd = cairn_file_open(path, 0, err);
	gzFile in = fd >= 0 ? gzdopen(fd, "rb") : NULL;
	if (fd >= 0 && in == NULL) {
		(void)fail(ENOMEM, path, err);
		close(fd);
	}
	return in;
}

/* ---- whole files ---- */

struct source {
	int fd;
	gzFile gz; /* NULL = fd is read */
};

static bool open_source(struct source *s, const char *path, unsigned flags, struct cairn_error *err)
{
	*s = (struct source){.fd = cairn_file_open(path, flags, err)};
	if (s->fd < 0 || (flags & CAIRN_FILE_GZIP) == 0)
		return s->fd >= 0;
	s->gz = gzdopen(s->fd, "rb");
	if (s->gz == NULL) {
		(void)fail(ENOMEM, path, err);
		close(s->fd);
	}
	return s->gz != NULL;
}

static void close_source(struct source *s)
{
	int why = errno;
	if (s->gz != NULL)
		(void)gzclose_r(s->gz);
	else
		close(s->fd);
	errno = why;
}

/* Bytes read, 0 at the end; -1 with errno, EBADMSG for a damaged archive. */
static ssize_t read_part(struct source *s, char *buf, size_t bytes)
{
	int zerr = Z_OK;
	ssize_t n;
	bytes = bytes < PART_BYTES_MAX ? bytes : PART_BYTES_MAX;
	do {
		errno = 0;
		n = s->gz != NULL ? gzread(s->gz, buf, (unsigned)bytes) : read(s->fd, buf, bytes);
	} while (n < 0 && errno == EINTR);
	if (s->gz == NULL || n > 0)
		return n;
	(void)gzerror(s->gz, &zerr); /* Z_BUF_ERROR: the archive ends too early */
	if (zerr == Z_OK)
		return n;
	errno = zerr == Z_ERRNO && errno != 0 ? errno : EBADMSG;
	return -1;
}

static ssize_t checked(
    const char *path, unsigned flags, const char *buf, ssize_t have, struct cairn_error *err)
{
	if ((flags & CAIRN_FILE_TEXT) != 0 && memchr(buf, '\0', (size_t)have) != NULL)
		return fail(EILSEQ, path, err);
	return have;
}

ssize_t cairn_file_read_into(
    const char *path, unsigned flags, char *buf, size_t bytes, struct cairn_error *err)
{
	struct source s;
	size_t have = 0;
	ssize_t n;
	if (!open_source(&s, path, flags, err))
		return -errno;
	while (have < bytes && (n = read_part(&s, buf + have, bytes - have)) != 0) {
		if (n < 0) {
			close_source(&s);
			return fail(errno, path, err);
		}
		have += (size_t)n;
	}
	close_source(&s);
	if (have == bytes)
		return fail_large(path, bytes - 1, err);
	buf[have] = '\0';
	return checked(path, flags, buf, (ssize_t)have, err);
}

/* Room for one byte more than the file is said to have, so that one read finds its end. */
static size_t first_room(const struct source *s, size_t bytes_max)
{
	struct stat st;
	size_t said = fstat(s->fd, &st) == 0 && st.st_size > 0 ? (size_t)st.st_size + 1 : FIRST_BYTES;
	return said <= bytes_max ? said : bytes_max + 1;
}

char *cairn_file_read(
    const char *path, unsigned flags, size_t bytes_max, size_t *ret_bytes, struct cairn_error *err)
{
	struct source s;
	if (!open_source(&s, path, flags, err))
		return NULL;
	size_t have = 0, room = first_room(&s, bytes_max);
	char *buf = malloc(room + 1);
	int why = buf != NULL ? 0 : ENOMEM;
	while (why == 0 && have <= bytes_max) {
		if (have == room) {
			room = room < bytes_max / 2 ? 2 * room : bytes_max + 1;
			char *more = realloc(buf, room + 1);
			why = more != NULL ? 0 : ENOMEM;
			buf = more != NULL ? more : buf;
			continue;
		}
		ssize_t n = read_part(&s, buf + have, room - have);
		why = n < 0 ? errno : 0;
		if (n <= 0)
			break;
		have += (size_t)n;
	}
	close_source(&s);
	if (why == 0 && have <= bytes_max) {
		buf[have] = '\0';
		if (checked(path, flags, buf, (ssize_t)have, err) >= 0) {
			*ret_bytes = have;
			return buf;
		}
	} else {
		(void)(why != 0 ? fail(why, path, err) : fail_large(path, bytes_max, err));
	}
	why = errno;
	free(buf);
	errno = why;
	return NULL;
}

ssize_t cairn_file_line(FILE *in, char **line, size_t *cap, size_t bytes_max)
{
	size_t have = 0;
	for (int c = 0; c != '\n' && (c = getc_unlocked(in)) != EOF;) {
		if (have == bytes_max)
			return -EFBIG;
		if (have + 1 >= *cap) {
			size_t room = *cap < FIRST_BYTES ? FIRST_BYTES : 2 * *cap;
			char *more = realloc(*line, room);
			if (more == NULL)
				return -ENOMEM;
			*line = more;
			*cap = room;
		}
		(*line)[have++] = (char)c;
	}
	if (ferror(in))
		return -EIO;
	if (have > 0)
		(*line)[have] = '\0';
	return (ssize_t)have;
}

unsigned long long cairn_file_hash(const char *path)
{
	unsigned char part[65536];
	uint64_t h = CAIRN_HASH_START;
	int fd = cairn_file_open(path, 0, NULL);
	if (fd < 0)
		return 0;
	for (size_t n; (n = cairn_read_whole(fd, part, sizeof(part))) > 0;)
		h = cairn_hash_bytes(h, part, n);
	close(fd);
	return h;
}

/* ---- replacing ---- */

bool cairn_replace_begin(
    struct cairn_replace *r, const char *path, unsigned flags, mode_t mode, struct cairn_error *err)
{
	struct stat st;
	*r = (struct cairn_replace){.flags = flags, .fd = -1};
	if (snprintf(r->path, sizeof(r->path), "%s", path) >= (int)sizeof(r->path))
		return fail(ENAMETOOLONG, path, err) == 0;
	snprintf(r->beside, sizeof(r->beside), "%s.tmp", r->path);
	if (lstat(path, &st) == 0 && not_regular(&st) != 0)
		return fail(not_regular(&st), path, err) == 0;
	(void)unlink(r->beside);
	r->fd = open(r->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	return r->fd >= 0 || fail(errno, path, err) == 0;
}

void cairn_replace_add(struct cairn_replace *r, const void *data, size_t bytes)
{
	if (r->failed == 0 && !cairn_write_whole(r->fd, data, bytes))
		r->failed = errno;
}

void cairn_replace_head(struct cairn_replace *r, const void *data, size_t bytes)
{
	if (r->failed == 0 && lseek(r->fd, 0, SEEK_SET) != 0)
		r->failed = errno;
	cairn_replace_add(r, data, bytes);
}

/* The file's name must be on the disk, too. */
static int sync_folder(const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	snprintf(folder, sizeof(folder), "%.*s", slash == NULL ? 1 : (int)(slash - path) + 1,
	    slash == NULL ? "." : path);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int why = fd < 0 || fsync(fd) != 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	return why == EINVAL ? 0 : why; /* a file system that has no such thing */
}

/* That what is beside it is still ours: somebody else who replaces the same file would have taken it away. */
static bool is_ours(const struct cairn_replace *r)
{
	struct stat ours, there;
	return fstat(r->fd, &ours) == 0 && lstat(r->beside, &there) == 0 && ours.st_ino == there.st_ino &&
	       ours.st_dev == there.st_dev;
}

bool cairn_replace_end(struct cairn_replace *r, struct cairn_error *err)
{
	bool sync = (r->flags & CAIRN_FILE_NO_SYNC) == 0, ours = is_ours(r);
	if (r->failed == 0 && !ours)
		r->failed = EBUSY;
	if (r->failed == 0 && sync && fsync(r->fd) != 0)
		r->failed = errno;
	if (close(r->fd) != 0 && r->failed == 0)
		r->failed = errno;
	r->fd = -1;
	if (r->failed == 0 && rename(r->beside, r->path) != 0)
		r->failed = errno;
	else if (r->failed == 0 && sync)
		return (r->failed = sync_folder(r->path)) == 0 || fail(r->failed, r->path, err) == 0;
	if (r->failed == 0)
		return true;
	if (ours)
		(void)unlink(r->beside);
	return fail(r->failed, r->path, err) == 0;
}

bool cairn_file_replace(
    const char *path, unsigned flags, mode_t mode, const void *data, size_t bytes, struct cairn_error *err)
{
	struct cairn_replace r;
	if (!cairn_replace_begin(&r, path, flags, mode, err))
		return false;
	cairn_replace_add(&r, data, bytes);
	return cairn_replace_end(&r, err);
}

/* ---- appending ---- */

void cairn_file_rotate(const char *path, size_t more, size_t bytes_max)
{
	struct stat st;
	char old[PATH_MAX];
	if (lstat(path, &st) == 0 && st.st_size > 0 && (size_t)st.st_size + more > bytes_max &&
	    snprintf(old, sizeof(old), "%s.1", path) < (int)sizeof(old))
		(void)rename(path, old);
}

int cairn_file_append_to(const char *path, mode_t mode, struct cairn_error *err)
{
	return open_regular(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, mode, err);
}

int cairn_file_update(const char *path, mode_t mode, struct cairn_error *err)
{
	return open_regular(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode, err);
}

bool cairn_file_append(
    const char *path, mode_t mode, const void *data, size_t bytes, size_t bytes_max, struct cairn_error *err)
{
	struct stat st;
	cairn_file_rotate(path, bytes, bytes_max);
	int fd = cairn_file_append_to(path, mode, err);
	if (fd < 0)
		return false;
	bool sized = fstat(fd, &st) == 0;
	ssize_t n = write(fd, data, bytes);
	int why = n < 0 ? errno : n != (ssize_t)bytes ? ENOSPC : 0;
	if (n > 0 && why != 0 && sized)
		(void)!ftruncate(fd, st.st_size);
	if (close(fd) != 0 && why == 0)
		why = errno;
	return why == 0 || fail(why, path, err) == 0;
}
