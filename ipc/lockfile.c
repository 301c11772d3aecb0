#include "ipc/lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"

#define TRIES 100 /* each lost one means that somebody else has removed the file in between */

static bool still_there(int fd, const char *path)
{
	struct stat mine, named;
	return fstat(fd, &mine) == 0 && stat(path, &named) == 0 && mine.st_ino == named.st_ino &&
	       mine.st_dev == named.st_dev;
}

static void write_owner(int fd)
{
	/* Only for people: on a full disk the lock holds all the same. */
	if (ftruncate(fd, 0) == 0)
		(void)dprintf(fd, "%d\n", (int)getpid());
}

int cairn_lockfile_take(const char *path, struct cairn_error *err)
{
	for (int i = 0; i < TRIES; i++) {
		int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0) {
			int r = -errno;
			cairn_error_set(err, "%s: %s", path, strerror(-r));
			return r;
		}
		if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
			int r = errno == EWOULDBLOCK ? -EADDRINUSE : -errno;
			cairn_error_set(err, "%s: %s", path, strerror(-r));
			close(fd);
			return r;
		}
		if (still_there(fd, path)) {
			write_owner(fd);
			return fd;
		}
		close(fd);
	}
	cairn_error_set(err, "%s: is being removed all the time", path);
	return -EAGAIN;
}

bool cairn_lockfile_held(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	close(fd);
	return held;
}

int cairn_lockfile_owner(const char *path)
{
	char text[16] = "";
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	int pid = atoi(text);
	return pid > 0 ? pid : 0;
}

bool cairn_lockfile_remove(const char *path)
{
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT;
	bool is_free = flock(fd, LOCK_EX | LOCK_NB) == 0;
	if (is_free && still_there(fd, path))
		(void)unlink(path);
	close(fd);
	return is_free;
}

pid_t cairn_pid_of(const char *run_dir, const char *name)
{
	char path[4200], text[32];
	int pid = 0;
	if (snprintf(path, sizeof(path), "%s/%s", run_dir, name) >= (int)sizeof(path))
		return 0;
	if (cairn_file_read_into(path, CAIRN_FILE_OWN, text, sizeof(text), NULL) <= 0 ||
	    sscanf(text, "%11d", &pid) != 1 || pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH))
		return 0;
	return pid;
}
