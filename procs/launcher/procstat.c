#include "procs/launcher/procstat.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_proc(int pid, const char *file, char *buf, size_t bytes)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, buf, bytes - 1);
	close(fd);
	if (n <= 0)
		return false;
	buf[n] = '\0';
	return true;
}

static double kb_of(const char *status, const char *key)
{
	const char *at = strstr(status, key);
	return at != NULL ? strtod(at + strlen(key), NULL) : 0.0;
}

bool cairn_procstat_read(int pid, struct cairn_procstat *ret)
{
	char buf[4096];
	if (!read_proc(pid, "stat", buf, sizeof(buf)))
		return false;
	/* Fields are counted from behind the name, which may hold blanks and brackets: utime is the 12th
	 * after it. */
	const char *at = strrchr(buf, ')');
	for (int field = 0; at != NULL && field < 12; field++)
		at = strchr(at + 1, ' ');
	if (at == NULL)
		return false;
	char *end;
	double ticks = strtod(at, &end);
	ticks += strtod(end, NULL);
	if (!read_proc(pid, "status", buf, sizeof(buf)))
		return false;
	ret->cpu_s = ticks / (double)sysconf(_SC_CLK_TCK);
	ret->rss_mb = (kb_of(buf, "RssAnon:") + kb_of(buf, "RssFile:")) / 1024.0;
	return true;
}

int cairn_procstat_fds(int pid)
{
	char path[64];
	struct dirent *entry;
	int n = 0;
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	DIR *dir = opendir(path);
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		n += entry->d_name[0] != '.';
	if (dir != NULL)
		closedir(dir);
	return n;
}
