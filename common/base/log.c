#include "common/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/geom.h"

/* The one piece of process-wide state: a logger that had to be passed around would not be used. */
static const char *log_name = "cairn";
static enum cairn_log_level log_level = CAIRN_LOG_INFO;
static bool log_colour;

static const struct {
	const char *word;
	char letter;
	const char *colour;
} levels[] = {
    [CAIRN_LOG_ERROR] = {"error", 'E', "\033[31m"},
    [CAIRN_LOG_WARN] = {"warn", 'W', "\033[33m"},
    [CAIRN_LOG_INFO] = {"info", 'I', ""},
    [CAIRN_LOG_DEBUG] = {"debug", 'D', "\033[2m"},
};

void cairn_log_init(const char *name, enum cairn_log_level level)
{
	log_name = name;
	log_level = level;
	log_colour = isatty(STDERR_FILENO) == 1;
}

bool cairn_log_level_parse(const char *text, enum cairn_log_level *ret_level)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(text, levels[i].word) == 0) {
			*ret_level = (enum cairn_log_level)i;
			return true;
		}
	}
	return false;
}

void cairn_log_write(enum cairn_log_level level, const char *file, int line, const char *fmt, ...)
{
	if (level > log_level)
		return;
	int saved_errno = errno;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	const char *slash = strrchr(file, '/');

	/* One write per line: lines of several processes on one pipe must not mix. */
	char buf[1024];
	int n = snprintf(buf, sizeof(buf), "%s%lld.%03ld %c %s %s:%d ",
	    log_colour ? levels[level].colour : "", (long long)now.tv_sec, now.tv_nsec / CAIRN_NS_PER_MS,
	    levels[level].letter, log_name, slash != NULL ? slash + 1 : file, line);
	int begin = n;
	va_list ap;
	va_start(ap, fmt);
	int room = (int)sizeof(buf) - n - 8;
	int m = vsnprintf(buf + n, (size_t)room, fmt, ap);
	va_end(ap);
	n += m < room ? m : room - 1;
	for (int i = begin; i < n;
	     i++) { /* a hostile text must not fake a second line or write into a terminal */
		unsigned char c = (unsigned char)buf[i], next = i + 1 < n ? (unsigned char)buf[i + 1] : 0;
		if (c == '\n')
			buf[i] = ' ';
		else if ((c < 0x20 && c != '\t') || c == 0x7f)
			buf[i] = '?';
		else if (c == 0xc2 && next >= 0x80 && next < 0xa0) /* ESC [ in one character */
			buf[i] = buf[i + 1] = '?';
	}
	if (log_colour)
		n += snprintf(buf + n, sizeof(buf) - (size_t)n, "\033[0m");
	buf[n++] = '\n';
	ssize_t written = write(STDERR_FILENO, buf, (size_t)n);
	(void)written; /* nowhere left to complain */
	errno = saved_errno;
}
