#include "ipc/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OTHERS_WRITE 0022

const char *cairn_dir_distrust(const struct stat *st, uid_t me)
{
	if (S_ISLNK(st->st_mode))
		return "is a link; name the folder itself";
	if (!S_ISDIR(st->st_mode))
		return "is no folder";
	if (st->st_uid != me && st->st_uid != 0 && me != 0)
		return "belongs to another user: what answers there is not your robot";
	if ((st->st_mode & OTHERS_WRITE) != 0)
		return "may be written to by others, who can put a socket of theirs there (chmod go-w)";
	return NULL;
}

bool cairn_run_dir_trusted(const char *run_dir, struct cairn_error *err)
{
	static const char *const parts[] = {"", "/bus"};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char path[512];
		struct stat st;
		snprintf(path, sizeof(path), "%.480s%s", run_dir, parts[i]);
		if (lstat(path, &st) != 0) {
			if (errno == ENOENT)
				continue;
			cairn_error_set(err, "%s: %s", path, strerror(errno));
			return false;
		}
		const char *why = cairn_dir_distrust(&st, geteuid());
		if (why != NULL) {
			cairn_error_set(err, "%s %s", path, why);
			return false;
		}
	}
	return true;
}

bool cairn_peer_trusted(const char *peer, uid_t me, uid_t owner, long *ret_uid)
{
	unsigned uid = 0;
	bool known = peer != NULL && sscanf(peer, "%*[^:]:%u:%*u:%*u", &uid) == 1;
	if (ret_uid != NULL)
		*ret_uid = known ? (long)uid : -1;
	return known && (uid == me || uid == 0 || (me == 0 && uid == owner));
}

uid_t cairn_dir_owner(const char *path, uid_t me)
{
	struct stat st;
	return lstat(path, &st) == 0 ? st.st_uid : me;
}

int cairn_dir_take(const char *path, bool tighten, struct cairn_error *err)
{
	struct stat st;
	if (mkdir(path, 0700) != 0 && errno != EEXIST) {
		cairn_error_set(err, "%s: %s", path, strerror(errno));
		return -1;
	}
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0) {
		cairn_error_set(err, "%s: %s", path,
		    errno == ELOOP || errno == ENOTDIR ? "is a link or no folder" : strerror(errno));
	} else if (st.st_uid != geteuid()) {
		cairn_error_set(err, "%s belongs to another user (uid %u)", path, (unsigned)st.st_uid);
	} else if ((st.st_mode & OTHERS_WRITE) != 0 && (!tighten || fchmod(fd, st.st_mode & 0755) != 0)) {
		cairn_error_set(err, "%s %s", path, cairn_dir_distrust(&st, geteuid()));
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}
