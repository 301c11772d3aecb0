/* Long evaluations that are interrupted and gone on with: what comes out is, byte for byte, what an undisturbed run
 * prints, however many processes work on either. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "test/support/runner.h"

#define OUT_MAX (1 << 20)
#define PATIENCE_S 60.0 /* for a machine that is busy; measures nothing */

struct eval {
	const char *words; /* run in a folder of its own, so that the command is the same */
	const char *state; /* grows with each finished piece */
	const char *page;  /* the same bytes too; NULL: none */
	off_t bytes;       /* of the state's head and the first piece, at least */
};

static char dir[64], out[2][OUT_MAX];

static pid_t start(const struct eval *e, const char *folder, long jobs)
{
	char command[900];
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid != 0)
		return pid;
	snprintf(command, sizeof(command),
	    "mkdir -p %s/%s && cd %s/%s && exec '%s' eval %s --jobs %ld > out 2> said", dir, folder, dir,
	    folder, CAIRN_PROGRAM, e->words, jobs);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static int ended(pid_t pid)
{
	int status;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static off_t size_of(const char *folder, const char *name)
{
	char path[200];
	struct stat st;
	snprintf(path, sizeof(path), "%s/%s/%s", dir, folder, name);
	return stat(path, &st) == 0 ? st.st_size : 0;
}

static size_t read_file(const char *folder, const char *name, char *dst)
{
	char path[200];
	snprintf(path, sizeof(path), "%s/%s/%s", dir, folder, name);
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	size_t n = fread(dst, 1, OUT_MAX - 1, f);
	dst[n] = '\0';
	fclose(f);
	return n;
}

static void same_file(const char *a, const char *b, const char *name)
{
	size_t n = read_file(a, name, out[0]);
	ck_assert_uint_gt(n, 0);
	ck_assert_msg(n == read_file(b, name, out[1]) && memcmp(out[0], out[1], n) == 0,
	    "%s of %s and %s differ", name, a, b);
}

/* How many processes there are is part of the command, and how long it took of the day: not of what comes out. */
static void cut_out(const char *folder, const char *name)
{
	char command[600];
	snprintf(command, sizeof(command),
	    "cd %s/%s && sed -i -E 's/ --jobs [0-9]+//g; s/\"(wall_s|jobs|speed_factor)\":[-0-9.e+]+,?//g' "
	    "%s",
	    dir, folder, name);
	ck_assert_int_eq(system(command), 0);
}

static void interrupt_and_go_on(const struct eval *e)
{
	char command[128];
	snprintf(dir, sizeof(dir), "/tmp/cairn-resume-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	int whole = ended(start(e, "whole", 2));

	pid_t pid = start(e, "broken", 1);
	struct timespec from, now;
	clock_gettime(CLOCK_MONOTONIC, &from);
	do {
		(void)poll(NULL, 0, 5);
		clock_gettime(CLOCK_MONOTONIC, &now);
		ck_assert_double_lt((double)(now.tv_sec - from.tv_sec), PATIENCE_S);
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0); /* it has not come to its end */
	} while (size_of("broken", e->state) < e->bytes);
	ck_assert_int_eq(kill(pid, SIGINT), 0);
	ck_assert_int_ne(ended(pid), 0);
	off_t kept = size_of("broken", e->state);
	ck_assert_int_lt(kept, size_of("whole", e->state));
	ck_assert_int_eq(ended(start(e, "broken", 2)), whole);
	ck_assert_int_eq(size_of("broken", e->state), size_of("whole", e->state));

	ck_assert_int_eq(ended(start(e, "alone", 1)), whole);
	const char *const folders[] = {"whole", "broken", "alone"};
	for (int i = 0; i < 3; i++) {
		cut_out(folders[i], "out");
		if (e->page != NULL)
			cut_out(folders[i], e->page);
	}
	same_file("whole", "broken", "out");
	same_file("whole", "alone", "out");
	if (e->page != NULL)
		same_file("whole", "broken", e->page);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(explorations_go_on_where_they_were)
{
	static const struct eval e = {"explore --worlds " CAIRN_SOURCE_ROOT
				      "/config/worlds/studio.yaml --seeds 2 --mode frontier "
				      "--mode nearest --poses truth --for 20s --json --report report",
	    "report/trials.state", "report/index.html", 1000};
	interrupt_and_go_on(&e);
}
END_TEST

START_TEST(routes_go_on_where_they_were)
{
	static const struct eval e = {
	    "instructions --count 3 --split dev --rows agent,no-map --json --report report",
	    "report/episodes.state", "report/index.html", 3000};
	interrupt_and_go_on(&e);
}
END_TEST

/* The robot stands in a wall, and nothing of it is kept: the same command tries again. */
START_TEST(an_exploration_that_failed_is_tried_again)
{
	char command[400];
	static const struct eval e = {"explore --worlds " CAIRN_SOURCE_ROOT
				      "/config/worlds/studio.yaml --worlds in-wall.yaml --mode "
				      "frontier --poses truth --for 2s --report report",
	    "report/trials.state", NULL, 0};
	static const char failed[] = "cairn eval explore: in-wall.yaml, seed 1: ";
	snprintf(dir, sizeof(dir), "/tmp/cairn-resume-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(command, sizeof(command),
	    "mkdir %s/there && sed 's/^start: .*/start: {x_m: 0.1, y_m: 2, yaw_deg: 0}/' '%s' > "
	    "%s/there/in-wall.yaml",
	    dir, CAIRN_SOURCE_ROOT "/config/worlds/studio.yaml", dir);
	ck_assert_int_eq(system(command), 0);
	off_t kept = 0;
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(ended(start(&e, "there", 1)), 1);
		read_file("there", "said", out[i]);
		ck_assert_msg(strstr(out[i], failed) != NULL, "%s", out[i]);
		ck_assert(i == 0 || size_of("there", e.state) == kept);
		kept = size_of("there", e.state);
	}
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(arenas_go_on_where_they_were)
{
	static const struct eval e = {
	    "arenas --name 1-simple --seeds 2 --json --report report", "report/finished.bin", NULL, 1000};
	interrupt_and_go_on(&e);
}
END_TEST

START_TEST(safety_goes_on_where_it_was)
{
	static const struct eval e = {
	    "safety --hours 0.3 --without motor --json --state state", "state", NULL, 1000};
	interrupt_and_go_on(&e);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("eval-resume", 400.0, explorations_go_on_where_they_were,
    an_exploration_that_failed_is_tried_again, arenas_go_on_where_they_were, routes_go_on_where_they_were,
    safety_goes_on_where_it_was)
