#include "procs/cairn/folder.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Calls for each entry of the folder at fd, which is closed. */
static void each(int fd, void (*call)(int fd, const char *name, void *ctx), void *ctx)
{
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	if (dir == NULL && fd >= 0)
		close(fd);
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			call(dirfd(dir), entry->d_name, ctx);
	if (dir != NULL)
		closedir(dir);
}

static int open_folder(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void remove_file(int fd, const char *name, void *ctx)
{
	(void)ctx;
	(void)unlinkat(fd, name, 0);
}

static void remove_entry(int fd, const char *name, void *ctx)
{
	(void)ctx;
	if (unlinkat(fd, name, 0) == 0)
		return;
	each(open_folder(fd, name), remove_file, NULL);
	(void)unlinkat(fd, name, AT_REMOVEDIR);
}

void folder_remove(const char *path)
{
	each(open_folder(AT_FDCWD, path), remove_entry, NULL);
	(void)rmdir(path);
}

static void add_file(int fd, const char *name, void *ctx)
{
	struct stat st;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
		*(double *)ctx += (double)st.st_size;
}

static void add_entry(int fd, const char *name, void *ctx)
{
	add_file(fd, name, ctx);
	each(open_folder(fd, name), add_file, ctx);
}

double folder_bytes(const char *path)
{
	double sum = 0.0;
	each(open_folder(AT_FDCWD, path), add_entry, &sum);
	return sum;
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int folder_list(const char *path, struct dirent ***ret_list)
{
	*ret_list = NULL;
	int count = scandir(path, ret_list, is_shown, alphasort);
	return count > 0 ? count : 0;
}

void folder_time_name(double unix_s, int decimals, char *text, size_t bytes)
{
	time_t s = (time_t)floor(unix_s);
	struct tm utc;
	char second[24] = "unknown", part[16] = "";
	if (gmtime_r(&s, &utc) != NULL)
		(void)strftime(second, sizeof(second), "%Y%m%dT%H%M%S", &utc);
	if (decimals > 0)
		snprintf(part, sizeof(part), ".%06ld", lround((unix_s - (double)s) * 1e6) % 1000000);
	snprintf(text, bytes, "%s%sZ", second, part);
}
