#include "procs/lab/state_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/base/whole_io.h"

#define MAGIC UINT64_C(0x324452534e524943) /* "CIRNSRD2" */

struct head {
	uint64_t magic, key, count, bytes;
};

/* Before the bytes of a record. */
struct mark {
	uint64_t number, sum;
};

static uint64_t sum_of(const struct cairn_state_file *f, uint64_t number, const void *bytes)
{
	uint64_t h = cairn_hash_bytes(f->key, &number, sizeof(number));
	return cairn_hash_bytes(h, bytes, f->bytes);
}

/* Whole records close ranks over those that are not; what is left behind them is cut off, unless they could not be moved. */
static bool load(struct cairn_state_file *f, cairn_state_take_fn *take, void *ctx, struct cairn_error *err)
{
	size_t size = sizeof(struct mark) + f->bytes;
	uint8_t *record = malloc(size);
	off_t from = (off_t)sizeof(struct head), to = from;
	bool ok = true;
	if (record == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	for (size_t n; (n = cairn_read_whole(f->fd, record, size)) > 0;) {
		struct mark mark;
		memcpy(&mark, record, sizeof(mark));
		from += (off_t)n;
		if (n < size || mark.number >= f->count ||
		    mark.sum != sum_of(f, mark.number, record + sizeof(mark))) {
			f->damaged++;
			continue;
		}
		ok = to + (off_t)size == from || pwrite(f->fd, record, size, to) == (ssize_t)size;
		if (!ok)
			break;
		to += (off_t)size;
		take(ctx, mark.number, record + sizeof(mark));
	}
	free(record);
	ok = ok && ftruncate(f->fd, to) == 0 && lseek(f->fd, to, SEEK_SET) == to;
	if (!ok)
		cairn_error_set(err, "cannot be mended: %s", strerror(errno));
	return ok;
}

static bool check(struct cairn_state_file *f, const char *path, cairn_state_take_fn *take, void *ctx,
    struct cairn_error *err)
{
	const struct head mine = {MAGIC, f->key, f->count, f->bytes};
	struct head is = {0};
	struct stat st;
	if (fstat(f->fd, &st) != 0) {
		cairn_error_set(err, "%s: %s", path, strerror(errno));
		return false;
	}
	if (st.st_size == 0) {
		if (cairn_write_whole(f->fd, &mine, sizeof(mine)))
			return true;
		cairn_error_set(err, "%s: %s", path, strerror(errno));
		return false;
	}
	if (cairn_read_whole(f->fd, &is, sizeof(is)) < sizeof(is) || is.magic != MAGIC) {
		cairn_error_set(
		    err, "%s: not a file of finished work of this program; remove it to begin anew", path);
		return false;
	}
	if (memcmp(&is, &mine, sizeof(is)) != 0) {
		cairn_error_set(err, "%s: of another build or other options; remove it to begin anew", path);
		return false;
	}
	return load(f, take, ctx, err);
}

bool cairn_state_open(struct cairn_state_file *f, const char *path, uint64_t key, uint64_t count,
    size_t bytes, cairn_state_take_fn *take, void *ctx, struct cairn_error *err)
{
	*f = (struct cairn_state_file){.key = key, .count = count, .bytes = bytes};
	f->fd = cairn_file_update(path, 0600, err);
	if (f->fd >= 0 && check(f, path, take, ctx, err))
		return true;
	cairn_state_close(f);
	return false;
}

bool cairn_state_add(struct cairn_state_file *f, uint64_t number, const void *bytes)
{
	struct mark mark = {number, sum_of(f, number, bytes)};
	off_t start = lseek(f->fd, 0, SEEK_CUR);
	if (cairn_write_whole(f->fd, &mark, sizeof(mark)) && cairn_write_whole(f->fd, bytes, f->bytes))
		return true;
	/* Behind a part of a record no later one would be found. */
	int why = errno;
	if (start < 0 || ftruncate(f->fd, start) != 0 || lseek(f->fd, start, SEEK_SET) != start)
		return false;
	errno = why;
	return false;
}

void cairn_state_close(struct cairn_state_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}
