/* Access rights of the memory behind the frames, with RouDi, two groups and two users: one who is in the readers' group alone takes frames
 * and cannot change them. In a mount namespace of its own with its own user database, so it needs root; skipped elsewhere. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "common/base/geom.h"
#include "ipc/frames.h"
#include "procs/launcher/plane.h"
#include "test/support/runner.h"

#define WRITERS_GID 61001
#define READERS_GID 61002
#define VIEWER_UID 61000
#define TRIES 600 /* of 100 ms: a limit for a broken plane */
#define NO_FRAME 3
#define REGISTER_MS 20000

static struct cairn_config cfg;

static bool append_copy(const char *from, const char *to, const char *more)
{
	char buf[65536];
	FILE *in = fopen(from, "re"), *out = fopen(to, "we");
	if (in == NULL || out == NULL)
		return false;
	size_t n = fread(buf, 1, sizeof(buf), in);
	bool ok = fwrite(buf, 1, n, out) == n && fputs(more, out) >= 0;
	fclose(in);
	return fclose(out) == 0 && ok;
}

/* Memory, folder and users of our own; false where that is not allowed. */
static bool make_world(void)
{
	if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0)
		return false;
	return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", "/dev/shm", "tmpfs", 0, "mode=1777") == 0 &&
	       mount("none", "/tmp", "tmpfs", 0, "mode=1777") == 0 &&
	       append_copy("/etc/group", "/tmp/group", "cairnw:x:61001:root\ncairnr:x:61002:viewer\n") &&
	       append_copy("/etc/passwd", "/tmp/passwd", "viewer:x:61000:61002::/:/bin/false\n") &&
	       mount("/tmp/group", "/etc/group", NULL, MS_BIND, NULL) == 0 &&
	       mount("/tmp/passwd", "/etc/passwd", NULL, MS_BIND, NULL) == 0;
}

static pid_t start_roudi(void)
{
	char toml[4096];
	int n = cairn_plane_config(&cfg, toml, sizeof(toml));
	ck_assert_int_gt(n, 0);
	FILE *out = fopen("/tmp/roudi.toml", "we");
	ck_assert(out != NULL && fputs(toml, out) >= 0 && fclose(out) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl("/usr/bin/iox-roudi", "iox-roudi", "-m", "off", "-k", "1", "-l", "warning", "-c",
		    "/tmp/roudi.toml", (char *)NULL);
		_exit(127);
	}
	return pid;
}

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

_Noreturn static void write_frames(void)
{
	struct cairn_error err = {""};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	struct cairn_frames *frames = cairn_frames_open("rights-writer", &cfg, REGISTER_MS, &err);
	struct cairn_frame_pub *pub =
	    frames != NULL ? cairn_frame_pub_new(frames, CAIRN_FRAME_CANARY, &err) : NULL;
	while (pub != NULL) {
		struct cairn_frame_header *hdr;
		if (cairn_frame_loan(pub, 16, &hdr) != NULL) {
			hdr->format = CAIRN_FORMAT_PROBE;
			hdr->t_ns = now_ns();
			cairn_frame_publish(pub);
		}
		poll(NULL, 0, 50);
	}
	_exit(1);
}

/* Takes a frame and writes to it: 0 it could, NO_FRAME there was none; a process that may not is ended by SIGSEGV. */
_Noreturn static void read_and_write(const char *name, bool as_viewer)
{
	struct cairn_error err = {""};
	const gid_t groups[] = {
	    READERS_GID, getgid()}; /* the group of RouDi: for its socket and its own segment */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (as_viewer && (setgroups(2, groups) != 0 || setgid(READERS_GID) != 0 || setuid(VIEWER_UID) != 0))
		_exit(1);
	struct cairn_frames *frames = cairn_frames_open(name, &cfg, REGISTER_MS, &err);
	struct cairn_frame_sub *sub =
	    frames != NULL ? cairn_frame_sub_new(frames, CAIRN_FRAME_CANARY, &err) : NULL;
	for (int i = 0; sub != NULL && i < TRIES; i++) {
		const struct cairn_frame_header *hdr;
		const void *payload = cairn_frame_take(sub, &hdr);
		if (payload != NULL) {
			signal(SIGSEGV, SIG_DFL); /* a sanitizer would make an exit of it */
			*(volatile char *)(uintptr_t)payload = 'x';
			_exit(0);
		}
		poll(NULL, 0, 100);
	}
	_exit(NO_FRAME);
}

static int status_of(const char *name, bool as_viewer)
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0)
		read_and_write(name, as_viewer);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

START_TEST(who_is_in_the_readers_group_alone_takes_frames_and_cannot_change_them)
{
	cairn_config_defaults(&cfg);
	snprintf(cfg.launcher.frame_writers, sizeof(cfg.launcher.frame_writers), "cairnw");
	snprintf(cfg.launcher.frame_readers, sizeof(cfg.launcher.frame_readers), "cairnr");
	if (access("/usr/bin/iox-roudi", X_OK) != 0 || !make_world())
		CAIRN_SKIP("needs root and a mount namespace");
	pid_t roudi = start_roudi(), writer = fork();
	if (writer == 0)
		write_frames();
	int may = status_of("rights-root", false), may_not = status_of("rights-viewer", true);
	kill(writer, SIGKILL);
	kill(roudi, SIGKILL);
	waitpid(writer, NULL, 0);
	waitpid(roudi, NULL, 0);
	ck_assert_msg(WIFEXITED(may) && WEXITSTATUS(may) == 0, "the writers' own: status %x", (unsigned)may);
	ck_assert_msg(
	    WIFSIGNALED(may_not) && WTERMSIG(may_not) == SIGSEGV, "the viewer: status %x", (unsigned)may_not);
}
END_TEST

START_TEST(groups_that_do_not_exist_or_leave_the_stack_out_are_refused_before_the_start)
{
	char note[160];
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	snprintf(cfg.launcher.frame_writers, sizeof(cfg.launcher.frame_writers), "no-such-group-here");
	ck_assert(!cairn_plane_possible(&cfg, note, sizeof(note), &err));
	ck_assert_ptr_nonnull(strstr(err.text, "frame_writers: there is no group 'no-such-group-here'"));
	cfg.launcher.frame_writers[0] = '\0';
	snprintf(cfg.launcher.frame_readers, sizeof(cfg.launcher.frame_readers), "root");
	ck_assert(!cairn_plane_possible(&cfg, note, sizeof(note), &err)); /* readers without writers */
	snprintf(cfg.launcher.frame_writers, sizeof(cfg.launcher.frame_writers), "nogroup");
	ck_assert(!cairn_plane_possible(&cfg, note, sizeof(note), &err));
	ck_assert_ptr_nonnull(strstr(err.text, "is not in the group"));
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("frame-rights", 150.0,
    who_is_in_the_readers_group_alone_takes_frames_and_cannot_change_them,
    groups_that_do_not_exist_or_leave_the_stack_out_are_refused_before_the_start)
