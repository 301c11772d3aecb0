#include "procs/recorder/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "procs/shell/stage.h"

#define SUFFIX ".mcap"
#define SAME_SECOND_MAX 1000

bool record_folder_open(struct record_folder *f, struct cairn_error *err)
{
	struct stat st;
	f->fd = -1;
	if (mkdir(f->path, 0700) != 0 && errno != EEXIST) {
		cairn_error_set(err, "record.folder: %.200s: %s", f->path, strerror(errno));
		return false;
	}
	if (stat(f->path, &st) != 0 || !S_ISDIR(st.st_mode) || access(f->path, W_OK | X_OK) != 0) {
		cairn_error_set(err, "record.folder: %.200s: no folder that can be written to", f->path);
		return false;
	}
	return true;
}

/* Ours by their names: a time, a number, the suffix. Others in the folder are left alone. */
static bool is_ours(const char *name)
{
	static const char form[] = "00000000T000000Z-000" SUFFIX;
	size_t i = 0;
	for (; form[i] != '\0' && name[i] != '\0'; i++) {
		bool digit = name[i] >= '0' && name[i] <= '9';
		if (form[i] == '0' ? !digit : name[i] != form[i])
			return false;
	}
	return form[i] == '\0' && name[i] == '\0';
}

/* The files of before, oldest first, to be freed; their number, or -1. */
static int list(const struct record_folder *f, struct cairn_ring_file **ret)
{
	DIR *dir = opendir(f->path);
	struct cairn_ring_file *files = NULL;
	int count = 0;
	if (dir == NULL)
		return -1;
	for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
		struct stat st;
		if (!is_ours(e->d_name) || fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		void *grown = realloc(files, ((size_t)count + 1) * sizeof(*files));
		if (grown == NULL)
			break;
		files = grown;
		files[count] = (struct cairn_ring_file){
		    .bytes = (double)st.st_size, .ended_unix_s = (double)st.st_mtim.tv_sec};
		snprintf(files[count].name, sizeof(files[count].name), "%.63s", e->d_name);
		count++;
	}
	closedir(dir);
	cairn_ring_sort(files, (uint32_t)count);
	*ret = files;
	return count;
}

static bool make_room(const struct record_folder *f, struct cairn_error *err)
{
	struct cairn_ring_file *files = NULL;
	int count = list(f, &files);
	char path[500];
	uint32_t excess = count > 0 ? cairn_ring_excess(files, (uint32_t)count, f->limits.file_bytes,
					  cairn_unix_s(), &f->limits)
				    : 0;
	bool ok = count >= 0;
	if (!ok)
		cairn_error_set(err, "record.folder: %.200s: %s", f->path, strerror(errno));
	else if (excess > 0 && !f->ring) {
		cairn_error_set(err, "record.quota_mb is used up");
		ok = false;
	}
	for (uint32_t i = 0; ok && i < excess; i++) {
		snprintf(path, sizeof(path), "%s/%s", f->path, files[i].name);
		if (unlink(path) != 0 && errno != ENOENT) {
			cairn_error_set(err, "%.200s: %s", path, strerror(errno));
			ok = false;
		}
	}
	free(files);
	return ok;
}

bool record_folder_has_room(const struct record_folder *f, struct cairn_error *err)
{
	struct statvfs v;
	if (statvfs(f->path, &v) != 0) {
		cairn_error_set(err, "%.200s: %s", f->path, strerror(errno));
		return false;
	}
	double free_bytes = (double)v.f_bavail * (double)v.f_frsize;
	if (free_bytes >= f->keep_free_bytes)
		return true;
	cairn_error_set(err, "disk full: %.0f MB free, keep_free_mb is %.0f", free_bytes * 1e-6,
	    f->keep_free_bytes * 1e-6);
	return false;
}

bool record_folder_begin(struct record_folder *f, struct cairn_error *err)
{
	char path[500], when[32];
	struct tm utc;
	time_t now = (time_t)cairn_unix_s();
	if (!make_room(f, err) || !record_folder_has_room(f, err))
		return false;
	gmtime_r(&now, &utc);
	strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &utc);
	for (int n = 0; n < SAME_SECOND_MAX; n++) {
		snprintf(f->file, sizeof(f->file), "%s-%03d" SUFFIX, when, n);
		snprintf(path, sizeof(path), "%s/%s", f->path, f->file);
		f->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (f->fd >= 0)
			return true;
		if (errno != EEXIST)
			break;
	}
	cairn_error_set(err, "%.200s: %s", path, strerror(errno));
	return false;
}

bool record_folder_end(struct record_folder *f, struct cairn_error *err)
{
	if (f->fd < 0)
		return true;
	bool ok = fsync(f->fd) == 0;
	if (!ok)
		cairn_error_set(err, "%s: %s", f->file, strerror(errno));
	close(f->fd);
	f->fd = -1;
	return ok;
}
