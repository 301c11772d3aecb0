/* logfile.h - what a process writes to its standard error, kept in a file that cannot grow without end.
 *
 * Lines come through a pipe; the file is rotated once at a size (NAME.log to NAME.log.1). A flood is cut:
 * beyond CAIRN_LOG_LINES_PER_S lines in a second only their number is written. */
#ifndef CAIRN_PROCS_LAUNCHER_LOGFILE_H
#define CAIRN_PROCS_LAUNCHER_LOGFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_LOG_LINES_PER_S 200

struct cairn_logfile {
	char path[320];
	int fd;
	size_t size, size_max;
	char line[1024]; /* of a line that has not ended yet */
	size_t line_len;
	int64_t window_ns;
	unsigned lines, dropped;
	unsigned
	    lost; /* lines that were not written, or not whole, since the last that was: the disk is full, say */
};

/* Opens (appends to) path. False: *file keeps nothing and drops what it is given. */
bool cairn_logfile_open(struct cairn_logfile *file, const char *path, size_t size_max);
void cairn_logfile_close(struct cairn_logfile *file);
/* Takes bytes as they come, writes whole lines. */
void cairn_logfile_feed(struct cairn_logfile *file, const char *data, size_t len, int64_t now_ns);

#endif
