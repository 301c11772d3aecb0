#include "ipc/remote_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"

#define LOGS "logs"
#define RUNS "state/runs/"
#define NAME_CHARS "abcdefghijklmnopqrstuvwxyz0123456789-_"
#define DIGITS "0123456789"

static const char *const exact[] = {LOGS, "state/map.bin", "state/decisions.jsonl", "state/decisions.jsonl.1",
    "state/commands.jsonl", "state/commands.jsonl.1", "state/refused.jsonl", "state/refused.jsonl.1"};

/* The name within the folder of a run of before ("state/runs/20261126T032211Z/"), as if it were of this one; NULL: it is not
 * in one. */
static const char *within_run(const char *name, char buf[80])
{
	size_t n = strlen(RUNS), stamp = strncmp(name, RUNS, n) == 0 ? strspn(name + n, DIGITS "TZ.") : 0;
	if (stamp == 0 || name[n] == '.' || name[n + stamp] != '/')
		return NULL;
	return snprintf(buf, 80, "state/%s", name + n + stamp + 1) < 80 ? buf : NULL;
}

/* FOLDER/STEM with one of the endings, the stem made of these characters. */
static bool is_in(
    const char *name, const char *folder, const char *chars, const char *ending, const char *other_ending)
{
	size_t n = strlen(folder);
	if (strncmp(name, folder, n) != 0 || name[n] != '/')
		return false;
	size_t stem = strspn(name + n + 1, chars);
	const char *rest = name + n + 1 + stem;
	return stem > 0 && (strcmp(rest, ending) == 0 || strcmp(rest, other_ending) == 0);
}

bool cairn_remote_file_allowed(const char *name)
{
	char plain[80];
	const char *of_before = within_run(name, plain);
	name = of_before != NULL ? of_before : name;
	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
		if (strcmp(name, exact[i]) == 0)
			return true;
	return is_in(name, LOGS, NAME_CHARS, ".log", ".log.1") ||
	       is_in(name, "state/sent", DIGITS, ".jpg", "-above.jpg");
}

static int list_logs(const char *path, char *buf, struct cairn_remote_piece *ret, struct cairn_error *err)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	size_t used = 0;
	if (dir == NULL) {
		cairn_error_set(err, "%s: %s", path, strerror(errno));
		return -errno;
	}
	while ((entry = readdir(dir)) != NULL) {
		char name[300];
		size_t n = strlen(entry->d_name);
		snprintf(name, sizeof(name), LOGS "/%s", entry->d_name);
		if (!cairn_remote_file_allowed(name) || used + n + 1 > CAIRN_REMOTE_PIECE_BYTES)
			continue;
		memcpy(buf + used, entry->d_name, n);
		buf[used + n] = '\n';
		used += n + 1;
	}
	closedir(dir);
	*ret = (struct cairn_remote_piece){.size = used, .bytes = used};
	return 0;
}

int cairn_remote_file_read(const char *run_dir, const char *name, uint64_t at, char *buf,
    struct cairn_remote_piece *ret, struct cairn_error *err)
{
	if (cairn_remote_file_allowed(name))
		return cairn_run_file_read(run_dir, name, at, buf, ret, err);
	cairn_error_set(err, "%.80s: not a file that is given to others", name);
	return -EACCES;
}

int cairn_run_file_read(const char *run_dir, const char *name, uint64_t at, char *buf,
    struct cairn_remote_piece *ret, struct cairn_error *err)
{
	char path[1200];
	struct stat st;
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	if (strcmp(name, LOGS) == 0)
		return list_logs(path, buf, ret, err);
	int fd = cairn_file_open(path, CAIRN_FILE_OWN, err);
	if (fd < 0)
		return fd;
	ssize_t n = at < INT64_MAX - CAIRN_REMOTE_PIECE_BYTES
			? pread(fd, buf, CAIRN_REMOTE_PIECE_BYTES, (off_t)at)
			: 0;
	int why = n < 0 || fstat(fd, &st) != 0 ? errno : 0;
	close(fd);
	if (why != 0) {
		cairn_error_set(err, "%s: %s", path, strerror(why));
		return -why;
	}
	*ret = (struct cairn_remote_piece){.size = (uint64_t)st.st_size,
	    .file = (uint64_t)st.st_ino,
	    .written_unix_s = (double)st.st_mtim.tv_sec + (double)st.st_mtim.tv_nsec * 1e-9,
	    .bytes = (size_t)n};
	return 0;
}
