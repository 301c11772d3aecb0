#include "procs/launcher/namespace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc/lockfile.h"
#include "ipc/trust.h"

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

/* Without privileges a user namespace comes with the mount namespace; we stay the same user inside. Root
 * without the right to mount (in a container, say) is as unprivileged as anybody. */
static int unshare_all(uid_t uid, gid_t gid)
{
	if (unshare(CLONE_NEWNS) == 0)
		return 0;
	if (errno != EPERM || unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
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

/* A folder of the old place, bound to its old name in the new one. What cannot be bound stays hidden. */
static void bind_back(int old_fd, const char *name, const char *to, const struct stat *st)
{
	char from[300], target[4096];
	snprintf(from, sizeof(from), "/proc/self/fd/%d/%s", old_fd, name);
	if (S_ISDIR(st->st_mode)) {
		if (mkdir(to, 0700) == 0)
			(void)mount(from, to, NULL, MS_BIND | MS_REC, NULL);
		return;
	}
	ssize_t n = S_ISLNK(st->st_mode) ? readlinkat(old_fd, name, target, sizeof(target) - 1) : -1;
	if (n > 0) {
		target[n] = '\0';
		(void)!symlink(target, to);
	}
}

/* A tmpfs over path, with the folders and links that were in there. */
static int cover(const char *path, const char *options)
{
	DIR *old = opendir(path);
	struct dirent *entry;
	int r = mount("cairn", path, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0 ? 0 : -errno;
	while (r == 0 && old != NULL && (entry = readdir(old)) != NULL) {
		struct stat st;
		char to[300];
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    fstatat(dirfd(old), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		snprintf(to, sizeof(to), "%s/%s", path, entry->d_name);
		bind_back(dirfd(old), entry->d_name, to, &st);
	}
	if (old != NULL)
		closedir(old);
	return r;
}

static int mount_all(uint64_t shm_bytes)
{
	char options[64];
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return -errno;
	int r = cover("/tmp", "mode=1777,size=16m");
	snprintf(options, sizeof(options), "mode=1777,size=%llu", (unsigned long long)shm_bytes);
	return r == 0 ? cover("/dev/shm", options) : r;
}

static int open_ns(pid_t pid, const char *kind)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, kind);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool same_ns(int fd, const char *path)
{
	struct stat a, b;
	return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The child makes the namespace, says how it went, and lives until we hold it by descriptors. */
_Noreturn static void maker(int report_fd, int hold_fd, uint64_t shm_bytes)
{
	/* Files of a process that may not be dumped (its parent may hold keys) belong to root: the maps of users could not be
	 * written, nor its namespaces opened. Nothing is asked for or kept in here. */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
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
	if (pipe2(report, O_CLOEXEC) != 0) {
		cairn_error_set(err, "no private mount namespace: %s", strerror(errno));
		return false;
	}
	if (pipe2(hold, O_CLOEXEC) != 0) {
		cairn_error_set(err, "no private mount namespace: %s", strerror(errno));
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
		ns->user_fd = ns->mnt_fd >= 0 ? open_ns(pid, "user") : -1;
		if (ns->user_fd < 0)
			r = -errno;
		else if (same_ns(ns->user_fd, "/proc/self/ns/user"))
			close_fd(&ns->user_fd); /* entering one's own is an error */
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
	close_fd(&ns->user_fd);
	close_fd(&ns->mnt_fd);
	ns->active = false;
}

int cairn_namespace_enter(const struct cairn_namespace *ns)
{
	if (!ns->active)
		return 0;
	if (ns->user_fd >= 0 && setns(ns->user_fd, CLONE_NEWUSER) != 0)
		return -errno;
	return setns(ns->mnt_fd, CLONE_NEWNS) == 0 ? 0 : -errno;
}

bool cairn_namespace_join(const char *run_dir, struct cairn_error *err)
{
	char cwd[4096];
	pid_t pid = cairn_pid_of(run_dir, "ns.pid");
	if (pid == 0)
		return true; /* the stack lives in the host's namespace, or there is none */
	if (cairn_dir_owner(run_dir, geteuid()) !=
	    geteuid()) { /* everything in there is as he has laid it out */
		cairn_error_set(err, "%s belongs to another user: enter his stack as that user", run_dir);
		return false;
	}
	int user = open_ns(pid, "user"), mount = open_ns(pid, "mnt");
	bool have_cwd = getcwd(cwd, sizeof(cwd)) != NULL;
	bool ok = user >= 0 && mount >= 0;
	/* A stack of an ordinary user has a user namespace of its own; its owner has every right in there. */
	ok = ok && (same_ns(user, "/proc/self/ns/user") || setns(user, CLONE_NEWUSER) == 0);
	ok = ok && (same_ns(mount, "/proc/self/ns/mnt") || setns(mount, CLONE_NEWNS) == 0);
	if (!ok)
		cairn_error_set(
		    err, "cannot enter the stack's namespace (pid %d): %s", (int)pid, strerror(errno));
	else if (!have_cwd || chdir(cwd) != 0)
		ok = chdir("/") == 0; /* the old place is hidden there */
	if (user >= 0)
		close(user);
	if (mount >= 0)
		close(mount);
	return ok;
}

bool cairn_namespace_hides(const char *path)
{
	struct stat st;
	const char *name = strrchr(path, '/');
	size_t folder = name != NULL ? (size_t)(name - path) : 0;
	bool direct = (folder == 4 && strncmp(path, "/tmp", 4) == 0) ||
		      (folder == 8 && strncmp(path, "/dev/shm", 8) == 0);
	return direct && !(stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}
