#include "procs/lab/stack_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/geom.h"

#define PUMP_MS 5

struct drill {
	struct up_run run;
	struct cairn_bus *bus;
	struct up_feed *feed;
	int pid, status; /* pid 0: has ended, with that wait status */
};

static bool (*interrupted_by)(void); /* see fixture_until */

static bool interrupted(void)
{
	return interrupted_by != NULL && interrupted_by();
}

void fixture_until(bool (*by)(void))
{
	interrupted_by = by;
}

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

_Noreturn static void run_up(const char *cairn, const char *run_dir, const char *const *args, pid_t parent)
{
	/* Any port for the page: another stack may have the usual one. */
	const char *argv[DRILL_ARGS_MAX + 10] = {
	    cairn, "up", "--headless", "--run", run_dir, "--set", "web.endpoint=127.0.0.1:0"};
	int n = 7;
	for (int i = 0; args[i] != NULL && i < DRILL_ARGS_MAX; i++)
		argv[n++] = args[i];
	char out[320];
	snprintf(out, sizeof(out), "%s/up.out", run_dir);
	int fd = open(out, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && null_fd >= 0 && dup2(null_fd, 0) == 0 && dup2(fd, 1) == 1 && dup2(fd, 2) == 2) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(1); /* it died before that */
		execv(cairn, (char *const *)argv);
	}
	_exit(127);
}

/* Nothing of a stack before is known, and none of its messages is still to be read. */
static bool begin(struct drill *drill, const char *cairn, const char *const *args, struct cairn_error *err)
{
	struct up_run fresh = {.start_ns = now_ns(), .first_decision_s = -1.0};
	memcpy(fresh.run_dir, drill->run.run_dir, sizeof(fresh.run_dir));
	drill->run = fresh;
	up_feed_destroy(&drill->feed);
	cairn_bus_destroy(&drill->bus);
	drill->bus = cairn_bus_new(drill->run.run_dir, err);
	if (drill->bus == NULL || (drill->feed = up_feed_new(drill->bus, err)) == NULL)
		return false;
	pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		run_up(cairn, drill->run.run_dir, args, parent);
	if (pid < 0)
		cairn_error_set(err, "cannot start a process: %s", strerror(errno));
	drill->pid = pid > 0 ? pid : 0;
	return pid > 0;
}

struct drill *fixture_start(const char *cairn, const char *const *args, struct cairn_error *err)
{
	struct drill *drill = calloc(1, sizeof(*drill));
	const char *tmp = getenv("TMPDIR");
	if (drill == NULL)
		return NULL;
	snprintf(drill->run.run_dir, sizeof(drill->run.run_dir), "%s/cairn-drill-XXXXXX",
	    tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(drill->run.run_dir) == NULL) {
		cairn_error_set(err, "%s: %s", drill->run.run_dir, strerror(errno));
		free(drill);
		return NULL;
	}
	if (!begin(drill, cairn, args, err))
		fixture_destroy(&drill, false);
	return drill;
}

bool fixture_again(struct drill *drill, const char *cairn, const char *const *args)
{
	struct cairn_error err = {""};
	return drill->pid == 0 && begin(drill, cairn, args, &err);
}

const struct up_run *fixture_run(const struct drill *drill)
{
	return &drill->run;
}

const char *fixture_run_dir(const struct drill *drill)
{
	return drill->run.run_dir;
}

void fixture_pump(struct drill *drill)
{
	up_feed_pump(drill->feed, &drill->run, now_ns());
	if (drill->pid > 0 && waitpid(drill->pid, &drill->status, WNOHANG) == drill->pid)
		drill->pid = 0;
}

bool fixture_wait(
    struct drill *drill, bool (*cond)(const struct up_run *run, void *ctx), void *ctx, double timeout_s)
{
	int64_t begin_ns = now_ns();
	double waited_s = 0.0;
	bool met = false;
	do {
		fixture_pump(drill);
		met = cond(&drill->run, ctx);
		waited_s = (double)(now_ns() - begin_ns) * 1e-9;
		if (!met)
			(void)poll(NULL, 0, PUMP_MS);
	} while (!met && drill->pid > 0 && waited_s < timeout_s && !interrupted());
	return met;
}

int fixture_pid(const struct drill *drill, const char *stage)
{
	for (uint32_t i = 0; i < drill->run.stages.items_count; i++) {
		if (strcmp(drill->run.stages.items[i].name, stage) == 0)
			return drill->run.stages.items[i].pid;
	}
	return 0;
}

int fixture_up_pid(const struct drill *drill)
{
	return drill->pid;
}

static void read_summary(const struct drill *drill, char *summary, size_t bytes)
{
	char path[320];
	snprintf(path, sizeof(path), "%s/summary.json", drill->run.run_dir);
	FILE *f = fopen(path, "re");
	size_t n = f != NULL ? fread(summary, 1, bytes - 1, f) : 0;
	summary[n] = '\0';
	if (f != NULL)
		fclose(f);
}

int fixture_end(struct drill *drill, int sig, double timeout_s, char *summary, size_t summary_bytes)
{
	int64_t until_ns = now_ns() + (int64_t)(timeout_s * 1e9);
	if (drill->pid > 0 && sig != 0)
		kill(drill->pid, sig);
	while (drill->pid > 0 && now_ns() < until_ns) {
		fixture_pump(drill);
		(void)poll(NULL, 0, PUMP_MS);
	}
	bool in_time = drill->pid == 0;
	if (!in_time) {
		kill(drill->pid, SIGKILL);
		waitpid(drill->pid, &drill->status, 0);
		drill->pid = 0;
	}
	if (summary != NULL)
		read_summary(drill, summary, summary_bytes);
	return in_time && WIFEXITED(drill->status) ? WEXITSTATUS(drill->status) : -1;
}

/* Processes of the stack carry its run directory on their command line. */
static int count_processes(const struct drill *drill, struct cairn_error *err)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int n = 0;
	while (proc != NULL && (entry = readdir(proc)) != NULL) {
		char path[300], cmd[2048];
		int pid = atoi(entry->d_name);
		snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
		FILE *f = pid > 0 && pid != getpid() ? fopen(path, "re") : NULL;
		size_t len = f != NULL ? fread(cmd, 1, sizeof(cmd), f) : 0;
		if (f != NULL)
			fclose(f);
		if (len > 0 && memmem(cmd, len, drill->run.run_dir, strlen(drill->run.run_dir)) != NULL) {
			cairn_error_set(err, "process %d (%.80s) is still there", pid, cmd);
			n++;
		}
	}
	if (proc != NULL)
		closedir(proc);
	return n;
}

static int count_files(const struct drill *drill, const char *sub, struct cairn_error *err)
{
	char path[320];
	snprintf(path, sizeof(path), "%s/%s", drill->run.run_dir, sub);
	DIR *dir = opendir(path);
	struct dirent *entry;
	int n = 0;
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		cairn_error_set(err, "%s/%s is still there", path, entry->d_name);
		n++;
	}
	if (dir != NULL)
		closedir(dir);
	return n;
}

int fixture_leftovers(const struct drill *drill, struct cairn_error *err)
{
	return count_processes(drill, err) + count_files(drill, "bus", err) + count_files(drill, "dev", err);
}

int fixture_count_shared(void)
{
	DIR *dir = opendir("/dev/shm");
	int n = 0;
	while (dir != NULL && readdir(dir) != NULL)
		n++;
	if (dir != NULL)
		closedir(dir);
	return n;
}

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

void fixture_destroy(struct drill **fixture_p, bool keep)
{
	struct drill *drill = *fixture_p;
	if (drill == NULL)
		return;
	if (drill->pid > 0)
		(void)fixture_end(drill, SIGTERM, 40.0, NULL, 0);
	up_feed_destroy(&drill->feed);
	cairn_bus_destroy(&drill->bus);
	if (!keep || interrupted())
		(void)nftw(drill->run.run_dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	free(drill);
	*fixture_p = NULL;
}

void fixture_close(struct drill **fixture_p, bool passed)
{
	if (*fixture_p != NULL && !passed && !interrupted())
		fprintf(stderr, "kept for a look: %s\n", fixture_run_dir(*fixture_p));
	fixture_destroy(fixture_p, !passed);
}
