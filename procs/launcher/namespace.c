#include "procs/launcher/namespace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t n = write(fd, text, strlen(text));
	int r = n < 0 ? -errno : 0;
	close(fd);
	return r;
}

/* Without privileges a user namespace comes with the mount namespace; we stay the same user inside. */
static int unshare_all(uid_t uid, gid_t gid)
{
	if (uid == 0)
		return unshare(CLONE_NEWNS) == 0 ? 0 : -errno;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return -errno;
	char map[64];
	int r = write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	if (r == 0)
		r = write_file("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "%u %u 1", gid, gid);
	if (r == 0)
		r = write_file("/proc/self/gid_map", map);
	return r;
}

/* The folders of the old /tmp, bound to their old names in the new one. What cannot be bound stays hidden. */
static void bind_back(DIR *old_tmp)
{
	struct dirent *entry;
	while ((entry = readdir(old_tmp)) != NULL) {
		struct stat st;
		if (entry->d_name[0] == '.' || fstatat(dirfd(old_tmp), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISDIR(st.st_mode))
			continue;
		char from[300], to[300];
		snprintf(from, sizeof(from), "/proc/self/fd/%d/%s", dirfd(old_tmp), entry->d_name);
		snprintf(to, sizeof(to), "/tmp/%s", entry->d_name);
		if (mkdir(to, 0700) == 0)
			(void)mount(from, to, NULL, MS_BIND | MS_REC, NULL);
	}
}

static int mount_all(uint64_t shm_bytes)
{
	char options[64];
	DIR *old_tmp = opendir("/tmp");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return -errno;
	if (mount("cairn", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=16m") != 0)
		return -errno;
	if (old_tmp != NULL) {
		bind_back(old_tmp);
		closedir(old_tmp);
	}
	snprintf(options, sizeof(options), "mode=1777,size=%llu", (unsigned long long)shm_bytes);
	if (mount("cairn", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, options) != 0)
		return -errno;
	return 0;
}

static int open_ns(pid_t pid, const char *kind)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, kind);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The child makes the namespace, says how it went, and lives until we hold it by descriptors. */
_Noreturn static void maker(int report_fd, int hold_fd, uint64_t shm_bytes)
{
	int r = unshare_all(getuid(), getgid());
	if (r == 0)
		r = mount_all(shm_bytes);
	char c;
	if (write(report_fd, &r, sizeof(r)) == (ssize_t)sizeof(r))
		(void)!read(hold_fd, &c, 1);
	_exit(0);
}

bool cairn_namespace_create(struct cairn_namespace *ns, uint64_t shm_bytes, struct cairn_error *err)
{
	*ns = (struct cairn_namespace){.user_fd = -1, .mnt_fd = -1};
	int report[2], hold[2];
	if (pipe2(report, O_CLOEXEC) != 0)
		return false;
	if (pipe2(hold, O_CLOEXEC) != 0) {
		close(report[0]);
		close(report[1]);
		return false;
	}
	pid_t pid = fork();
	if (pid == 0) {
		close(hold[1]);
		maker(report[1], hold[0], shm_bytes);
	}
	close(report[1]);
	close(hold[0]);
	int r = -ECHILD;
	if (pid < 0 || read(report[0], &r, sizeof(r)) != (ssize_t)sizeof(r))
		r = -ECHILD;
	if (r == 0) {
		ns->mnt_fd = open_ns(pid, "mnt");
		if (getuid() != 0)
			ns->user_fd = open_ns(pid, "user");
		if (ns->mnt_fd < 0 || (getuid() != 0 && ns->user_fd < 0))
			r = -errno;
	}
	close(report[0]);
	close(hold[1]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (r != 0) {
		cairn_error_set(err, "no private mount namespace: %s", strerror(-r));
		cairn_namespace_close(ns);
		return false;
	}
	ns->active = true;
	return true;
}

void cairn_namespace_close(struct cairn_namespace *ns)
{
	if (ns->user_fd >= 0)
		close(ns->user_fd);
	if (ns->mnt_fd >= 0)
		close(ns->mnt_fd);
	*ns = (struct cairn_namespace){.user_fd = -1, .mnt_fd = -1};
}

int cairn_namespace_enter(const struct cairn_namespace *ns)
{
	if (!ns->active)
		return 0;
	if (ns->user_fd >= 0 && setns(ns->user_fd, CLONE_NEWUSER) != 0)
		return -errno;
	return setns(ns->mnt_fd, CLONE_NEWNS) == 0 ? 0 : -errno;
}
