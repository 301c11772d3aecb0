#include "procs/launcher/plane.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <math.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/file.h"
#include "ipc/frame_layout.h"
#include "procs/launcher/environment.h"

#define ROUDI_LOCK "/tmp/iox-unique-roudi.lock"
#define SHM "/dev/shm"
#define READS_MAX 128 /* of 512 bytes: a pipe full. A flood must not keep the launcher from its work */
#define ROUDI_READY "RouDi is ready for clients"
/* RouDi 2.0.3 as Debian builds it: its management segment, measured at 65,719,768 bytes. */
#define MANAGEMENT_BYTES (UINT64_C(66) << 20)
#define CHUNK_OVERHEAD_BYTES 64 /* chunk header and pool bookkeeping */

struct pool {
	uint32_t bytes, count;
};

/* Ascending by size; the number of pools. */
static int make_pools(const struct cairn_config *cfg, struct pool *pools)
{
	int n = 0;
	for (int t = 0; t < CAIRN_FRAME_COUNT; t++) {
		struct pool p = {
		    cairn_frame_chunk_bytes(cfg, (enum cairn_frame_topic)t), cairn_frame_chunk_count()};
		int at = 0;
		while (at < n && pools[at].bytes < p.bytes)
			at++;
		if (at < n && pools[at].bytes == p.bytes) {
			pools[at].count += p.count;
			continue;
		}
		memmove(&pools[at + 1], &pools[at], (size_t)(n - at) * sizeof(*pools));
		pools[at] = p;
		n++;
	}
	return n;
}

uint64_t cairn_plane_bytes(const struct cairn_config *cfg)
{
	struct pool pools[CAIRN_FRAME_COUNT + 1];
	int n = make_pools(cfg, pools);
	uint64_t sum = MANAGEMENT_BYTES + (UINT64_C(4) << 20);
	for (int i = 0; i < n; i++)
		sum += (uint64_t)pools[i].count * (pools[i].bytes + CHUNK_OVERHEAD_BYTES);
	return sum;
}

int cairn_plane_config(const struct cairn_config *cfg, char *buf, size_t bytes)
{
	struct pool pools[CAIRN_FRAME_COUNT + 1];
	int n = make_pools(cfg, pools);
	int used = snprintf(buf, bytes,
	    "# Made from the configuration at each start.\n[general]\nversion = 1\n\n[[segment]]\n");
	if (cfg->launcher.frame_writers[0] != '\0' && used >= 0 && (size_t)used < bytes)
		used += snprintf(buf + used, bytes - (size_t)used, "writer = \"%s\"\nreader = \"%s\"\n",
		    cfg->launcher.frame_writers,
		    cfg->launcher.frame_readers[0] != '\0' ? cfg->launcher.frame_readers
							   : cfg->launcher.frame_writers);
	for (int i = 0; i < n && used >= 0 && (size_t)used < bytes; i++)
		used += snprintf(buf + used, bytes - (size_t)used,
		    "\n[[segment.mempool]]\nsize = %u\ncount = %u\n", pools[i].bytes, pools[i].count);
	return used >= 0 && (size_t)used < bytes ? used : -ENOBUFS;
}

void cairn_plane_init(struct cairn_plane *plane, const struct cairn_config *cfg, const char *run_dir)
{
	memset(plane, 0, sizeof(*plane));
	plane->cfg = cfg;
	plane->run_dir = run_dir;
	plane->ns = (struct cairn_namespace){.user_fd = -1, .mnt_fd = -1};
	char path[300];
	snprintf(path, sizeof(path), "%s/logs/roudi.log", run_dir);
	(void)cairn_logfile_open(&plane->log, path, (size_t)(cfg->launcher.log_file_mb * 1e6));
}

/* RouDi's own lock. Holds it for the caller (close to release); -ENOENT when there is none; -EWOULDBLOCK
 * while a RouDi lives, or another negative errno. */
static int host_lock(void)
{
	int fd = open(ROUDI_LOCK, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	int r = -errno;
	close(fd);
	return r;
}

/* Who holds the lock, by the kernel's list; 0 = not to be seen from here. */
static int lock_owner(void)
{
	struct stat st;
	char line[256];
	int owner = 0;
	FILE *f = stat(ROUDI_LOCK, &st) == 0 ? fopen("/proc/locks", "re") : NULL;
	while (f != NULL && owner == 0 && fgets(line, sizeof(line), f) != NULL) {
		int pid;
		unsigned long inode;
		if (sscanf(line, "%*d: FLOCK %*s %*s %d %*x:%*x:%lu", &pid, &inode) == 2 &&
		    inode == st.st_ino)
			owner = pid;
	}
	if (f != NULL)
		fclose(f);
	return owner;
}

/* What to do about too little of it: Docker gives a container 64 MB where nothing is said. */
static void say_shm_size(struct cairn_error *err, double need_mb)
{
	size_t used = strlen(err->text);
	if (access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0)
		snprintf(err->text + used, sizeof(err->text) - used,
		    "; start the container with --shm-size=%.0fm, or make these keys smaller",
		    ceil(need_mb / 0.95));
	else
		snprintf(err->text + used, sizeof(err->text) - used,
		    "; make these keys smaller, or " SHM " larger (mount -o remount,size=%.0fm " SHM
		    "; of a container with --shm-size=%.0fm)",
		    ceil(need_mb / 0.95), ceil(need_mb / 0.95));
}

/* On the host itself only one RouDi fits, and its memory must: found out here, with a reason, instead of by a
 * dead RouDi. */
static bool host_is_fit(const struct cairn_config *cfg, struct cairn_error *err)
{
	const char *wish = cairn_choice_isolation_words[cfg->launcher.isolation];
	int fd = host_lock();
	if (fd == -EWOULDBLOCK) {
		int pid = lock_owner();
		char who[32] = "";
		if (pid > 0)
			snprintf(who, sizeof(who), " (pid %d)", pid);
		cairn_error_set(err,
		    "launcher.isolation: %s: another RouDi%s runs on this host, and only one fits; end its "
		    "stack "
		    "('cairn down') or that process, or give this stack its own where the kernel allows it "
		    "(launcher.isolation: private)",
		    wish, who);
		return false;
	}
	if (fd < 0 && fd != -ENOENT) {
		cairn_error_set(err, "launcher.isolation: %s: %s: %s", wish, ROUDI_LOCK, strerror(-fd));
		return false;
	}
	if (fd >= 0)
		close(fd);
	struct statvfs vfs;
	double need_mb = (double)cairn_plane_bytes(cfg) / 1e6;
	double have_mb = statvfs(SHM, &vfs) == 0 ? (double)vfs.f_bavail * (double)vfs.f_frsize / 1e6 : 0.0;
	if (need_mb <= have_mb)
		return true;
	cairn_error_set(err,
	    "map.extent_max_m, map.cell_m, camera.*_px: the frames need %.0f MB of shared memory, " SHM
	    " has %.0f MB free",
	    need_mb, have_mb);
	say_shm_size(err, need_mb);
	return false;
}

/* ns and note (one line, empty when there is nothing to say) as launcher.isolation wants them. */
static bool isolate(const struct cairn_config *cfg, struct cairn_namespace *ns, char *note, size_t note_bytes,
    struct cairn_error *err)
{
	enum cairn_choice_isolation wish = cfg->launcher.isolation;
	note[0] = '\0';
	if (wish != CAIRN_CHOICE_ISOLATION_HOST) {
		struct cairn_error why = {""};
		if (cairn_namespace_create(ns, cairn_plane_bytes(cfg), &why))
			return true;
		if (wish == CAIRN_CHOICE_ISOLATION_PRIVATE) {
			cairn_error_set(err, "launcher.isolation: private: %s", why.text);
			return false;
		}
		snprintf(note, note_bytes, "on the host's /tmp and " SHM ": %s", why.text);
	}
	return host_is_fit(cfg, err);
}

/* iceoryx goes by the groups that the user database gives the user, whatever the process has; and a writer in none of
 * the segment's groups is ended by the library. */
static bool groups_are_fit(const struct cairn_config *cfg, struct cairn_error *err)
{
	const char *writers = cfg->launcher.frame_writers, *readers = cfg->launcher.frame_readers;
	if (writers[0] == '\0' && readers[0] == '\0')
		return true;
	const struct group *group = writers[0] != '\0' ? getgrnam(writers) : NULL;
	if (group == NULL) {
		cairn_error_set(err, "launcher.frame_writers: there is no group '%s'", writers);
		return false;
	}
	gid_t wanted = group->gr_gid, groups[64];
	int count = 64;
	const struct passwd *user = getpwuid(geteuid());
	bool member = false;
	if (user != NULL && getgrouplist(user->pw_name, user->pw_gid, groups, &count) >= 0) {
		for (int i = 0; i < count; i++)
			member = member || groups[i] == wanted;
	}
	if (!member) {
		cairn_error_set(
		    err, "launcher.frame_writers: the user of the stack is not in the group '%s'", writers);
		return false;
	}
	if (readers[0] != '\0' && getgrnam(readers) == NULL) {
		cairn_error_set(err, "launcher.frame_readers: there is no group '%s'", readers);
		return false;
	}
	return true;
}

bool cairn_plane_possible(
    const struct cairn_config *cfg, char *note, size_t note_bytes, struct cairn_error *err)
{
	struct cairn_namespace ns = {.user_fd = -1, .mnt_fd = -1};
	note[0] = '\0';
	bool ok = groups_are_fit(cfg, err) && isolate(cfg, &ns, note, note_bytes, err);
	cairn_namespace_close(&ns);
	return ok;
}

static bool start(struct cairn_plane *plane, int64_t now_ns, struct cairn_error *err)
{
	char toml[2048], toml_path[300], pid_path[300], pid_text[16];
	snprintf(toml_path, sizeof(toml_path), "%s/roudi.toml", plane->run_dir);
	snprintf(pid_path, sizeof(pid_path), "%s/ns.pid", plane->run_dir);
	if (cairn_plane_config(plane->cfg, toml, sizeof(toml)) < 0 ||
	    !cairn_file_replace(toml_path, CAIRN_FILE_NO_SYNC, 0644, toml, strlen(toml), err) ||
	    !isolate(plane->cfg, &plane->ns, plane->note, sizeof(plane->note), err))
		return false;
	const char *const argv[] = {
	    CAIRN_ROUDI, "-m", "off", "-k", "1", "-l", "warning", "-c", toml_path, NULL};
	/* A wedged RouDi does not answer SIGTERM, so it must not outlive us by it. */
	char *env[CAIRN_ENVIRONMENT_MAX + 1];
	(void)cairn_environment_for("roudi", environ, NULL, env);
	int r = cairn_spawn(&plane->child, argv, env, &plane->ns, SIGKILL, false);
	if (r < 0) {
		cairn_error_set(err, "cannot start %s: %s", CAIRN_ROUDI, strerror(-r));
		cairn_plane_remove(plane);
		return false;
	}
	plane->on_host = !plane->ns.active;
	snprintf(pid_text, sizeof(pid_text), "%d\n", plane->child.pid);
	if (plane->ns.active &&
	    !cairn_file_replace(pid_path, CAIRN_FILE_NO_SYNC, 0644, pid_text, strlen(pid_text), err)) {
		cairn_plane_remove(plane);
		return false;
	}
	plane->state = CAIRN_PLANE_STARTING;
	plane->since_ns = now_ns;
	plane->words = (struct cairn_last_words){.len = 0};
	memset(plane->seen, 0, sizeof(plane->seen));
	return true;
}

bool cairn_plane_start(struct cairn_plane *plane, int64_t now_ns, struct cairn_error *err)
{
	if (start(plane, now_ns, err))
		return true;
	snprintf(plane->note, sizeof(plane->note), "%.150s", err->text);
	return false;
}

/* Keeps the last bytes of its output, because the line may come in pieces. */
static void look_for_ready(struct cairn_plane *plane, const char *data, size_t len)
{
	char window[sizeof(plane->seen) + 512];
	size_t kept = strlen(plane->seen);
	memcpy(window, plane->seen, kept);
	memcpy(window + kept, data, len);
	size_t total = kept + len;
	if (memmem(window, total, ROUDI_READY, strlen(ROUDI_READY)) != NULL)
		plane->state = CAIRN_PLANE_UP;
	size_t keep = total < sizeof(plane->seen) - 1 ? total : sizeof(plane->seen) - 1;
	memcpy(plane->seen, window + total - keep, keep);
	plane->seen[keep] = '\0';
}

void cairn_plane_read(struct cairn_plane *plane, int64_t now_ns)
{
	char buf[512];
	ssize_t n;
	for (int k = 0; k < READS_MAX && (n = read(plane->child.log_fd, buf, sizeof(buf))) > 0; k++) {
		cairn_logfile_feed(&plane->log, buf, (size_t)n, now_ns);
		cairn_last_words_feed(&plane->words, buf, (size_t)n);
		if (plane->state == CAIRN_PLANE_STARTING)
			look_for_ready(plane, buf, (size_t)n);
	}
}

/* What a killed RouDi leaves in the host's own folders (in a namespace of ours the kernel does this). Under
 * its lock: were there another RouDi by now, these would be its files. */
static void remove_host_files(const struct cairn_config *cfg)
{
	const char *writers = cfg->launcher.frame_writers;
	const struct group *group = writers[0] != '\0' ? getgrnam(writers) : getgrgid(getgid());
	char path[128];
	int lock_fd = host_lock();
	if (lock_fd < 0)
		return;
	(void)unlink(SHM "/iceoryx_mgmt");
	if (group != NULL) { /* the payload segment is named after the writers' group */
		snprintf(path, sizeof(path), SHM "/%.100s", group->gr_name);
		(void)unlink(path);
	}
	(void)unlink("/tmp/roudi");
	close(lock_fd);
}

void cairn_plane_reaped(struct cairn_plane *plane)
{
	close(plane->child.log_fd);
	plane->child = (struct cairn_child){0};
	plane->state = CAIRN_PLANE_DOWN;
}

void cairn_plane_remove(struct cairn_plane *plane)
{
	if (plane->child.pid > 0) {
		kill(plane->child.pid, SIGKILL);
		waitpid(plane->child.pid, NULL, 0);
		cairn_plane_reaped(plane);
	}
	char pid_path[300];
	snprintf(pid_path, sizeof(pid_path), "%s/ns.pid", plane->run_dir);
	(void)unlink(pid_path);
	if (!plane->ns.active && plane->on_host)
		remove_host_files(plane->cfg);
	plane->on_host = false;
	cairn_namespace_close(&plane->ns);
}

void cairn_plane_stop(struct cairn_plane *plane, int timeout_ms)
{
	if (plane->child.pid > 0) {
		kill(plane->child.pid, SIGTERM);
		struct pollfd p = {.fd = plane->child.log_fd, .events = POLLIN};
		char buf[512];
		/* Its end of the pipe closes when it ends. One that talks without end is given as many reads.
		 */
		for (int k = 0;
		     k < READS_MAX && poll(&p, 1, timeout_ms) > 0 && read(p.fd, buf, sizeof(buf)) > 0; k++)
			;
	}
	cairn_plane_remove(plane);
}
