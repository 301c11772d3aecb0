#include "procs/launcher/logfile.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/geom.h"

static void reopen(struct cairn_logfile *file)
{
	struct stat st;
	int fd = cairn_file_append_to(file->path, 0600, NULL);
	file->fd = fd >= 0 ? fd : -1;
	file->size = file->fd >= 0 && fstat(file->fd, &st) == 0 ? (size_t)st.st_size : 0;
}

bool cairn_logfile_open(struct cairn_logfile *file, const char *path, size_t size_max)
{
	memset(file, 0, sizeof(*file));
	snprintf(file->path, sizeof(file->path), "%s", path);
	file->size_max = size_max;
	reopen(file);
	return file->fd >= 0;
}

void cairn_logfile_close(struct cairn_logfile *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

static void put(struct cairn_logfile *file, const char *text, size_t len)
{
	if (file->size + len > file->size_max && file->size > 0) {
		cairn_logfile_close(file);
		cairn_file_rotate(file->path, len, file->size_max);
		reopen(file);
	}
	if (file->fd < 0)
		reopen(file); /* the disk was full, say: it may have room again */
	ssize_t n = file->fd >= 0 ? write(file->fd, text, len) : -1;
	file->size += n > 0 ? (size_t)n : 0;
	file->lost += n != (ssize_t)len;
}

/* Once there is room again. */
static void tell_lost(struct cairn_logfile *file)
{
	char note[64];
	if (file->lost == 0)
		return;
	unsigned lost = file->lost;
	file->lost = 0;
	int n = snprintf(note, sizeof(note), "\n... %u lines could not be written\n", lost);
	put(file, note, (size_t)n);
	if (file->lost > 0)
		file->lost = lost; /* no room yet */
}

static void put_line(struct cairn_logfile *file, int64_t now_ns)
{
	if (now_ns - file->window_ns >= CAIRN_NS_PER_S) {
		if (file->dropped > 0) {
			char note[64];
			int n = snprintf(note, sizeof(note), "... %u more lines\n", file->dropped);
			put(file, note, (size_t)n);
		}
		file->window_ns = now_ns;
		file->lines = file->dropped = 0;
	}
	tell_lost(file);
	if (++file->lines > CAIRN_LOG_LINES_PER_S)
		file->dropped++;
	else
		put(file, file->line, file->line_len);
	file->line_len = 0;
}

void cairn_logfile_feed(struct cairn_logfile *file, const char *data, size_t len, int64_t now_ns)
{
	for (size_t i = 0; i < len; i++) {
		bool full = file->line_len == sizeof(file->line) - 1;
		file->line[file->line_len++] = full ? '\n' : data[i];
		if (full || data[i] == '\n')
			put_line(file, now_ns);
	}
}
