/* Evaluations that drive a stack and are broken off: stack and run directory are gone when they end. */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <time.h>

#include "test/e2e/stack.h"

static char tmp[64];

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static pid_t start(const char *words)
{
	char line[512];
	snprintf(tmp, sizeof(tmp), "/tmp/cairn-interrupted-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(tmp));
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid != 0)
		return pid;
	setenv("TMPDIR", tmp, 1);
	int null_fd = open("/dev/null", O_RDWR);
	dup2(null_fd, 1);
	dup2(null_fd, 2);
	snprintf(line, sizeof(line), "exec '%s' eval %s", CAIRN_PROGRAM, words);
	execl("/bin/sh", "sh", "-c", line, (char *)NULL);
	_exit(127);
}

/* Entries of a folder of the only run directory; -1: there is no run directory. */
static int entries(const char *sub)
{
	DIR *dir = opendir(tmp);
	struct dirent *entry = NULL;
	char path[400] = "";
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (strncmp(entry->d_name, "cairn-drill-", 12) == 0)
			snprintf(path, sizeof(path), "%s/%s/%s", tmp, entry->d_name, sub);
	if (dir != NULL)
		closedir(dir);
	dir = path[0] != '\0' ? opendir(path) : NULL;
	int n = path[0] != '\0' ? 0 : -1;
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		n += entry->d_name[0] != '.';
	if (dir != NULL)
		closedir(dir);
	return n;
}

/* Processes of the stack carry its run directory on their command line; of those that have ended there is none. */
static int processes_left(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int n = 0;
	while (proc != NULL && (entry = readdir(proc)) != NULL) {
		char path[300], line[2048];
		snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		FILE *f = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? fopen(path, "re") : NULL;
		size_t len = f != NULL ? fread(line, 1, sizeof(line), f) : 0;
		if (f != NULL)
			fclose(f);
		n += memmem(line, len, tmp, strlen(tmp)) != NULL;
	}
	if (proc != NULL)
		closedir(proc);
	return n;
}

/* Waits until so many entries are in the run directory's folder, and some time more, then ends it. */
static void break_off(const char *words, int sig, const char *sub, int count, double more_s)
{
	pid_t pid = start(words);
	double begin_s = now_s();
	while (entries(sub) < count) {
		ck_assert_double_lt(now_s() - begin_s, STACK_UP_S);
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
		(void)poll(NULL, 0, 50);
	}
	(void)poll(NULL, 0, (int)(more_s * 1e3));
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	ck_assert_int_eq(kill(pid, sig), 0);
	int status;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	ck_assert_int_eq(entries("."), -1);
	ck_assert_int_eq(processes_left(), 0);
	ck_assert_int_eq(rmdir(tmp), 0); /* and nothing else in it */
}

START_TEST(chaos_leaves_nothing_when_it_is_ended_among_faults)
{
	break_off("chaos --for 10m", SIGTERM, "state", 1, 10.0);
}
END_TEST

START_TEST(chaos_leaves_nothing_when_it_is_ended_before_its_stack_is_up)
{
	break_off("chaos --for 10m", SIGINT, "bus", 1, 0.0);
}
END_TEST

START_TEST(soak_leaves_nothing_when_it_is_ended)
{
	break_off("soak --for 10m", SIGTERM, "bus", 5, 1.0);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("interrupted", 280.0, chaos_leaves_nothing_when_it_is_ended_among_faults,
    chaos_leaves_nothing_when_it_is_ended_before_its_stack_is_up, soak_leaves_nothing_when_it_is_ended)
