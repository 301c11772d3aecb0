/* Children as the launcher starts them: what they are given, and what they are kept from. */
#include "procs/launcher/spawn.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/support/runner.h"

#define PATIENCE_MS 10000 /* a limit for what is broken */

static struct cairn_child child;

static void start(const char *script)
{
	const char *const argv[] = {"/bin/sh", "-c", script, NULL};
	ck_assert_int_eq(cairn_spawn(&child, argv, NULL, NULL, SIGKILL, true), 0);
}

static int end_of(struct cairn_child *c)
{
	int status = -1;
	ck_assert_int_eq(waitpid(c->pid, &status, 0), c->pid);
	close(c->log_fd);
	close(c->ready_fd);
	return status;
}

static char ready_char(void)
{
	struct pollfd p = {.fd = child.ready_fd, .events = POLLIN};
	char c = 0;
	ck_assert_int_eq(poll(&p, 1, PATIENCE_MS), 1);
	ck_assert_int_ge(read(child.ready_fd, &c, 1), 0);
	return c;
}

START_TEST(a_child_leads_a_session_of_its_own)
{
	start("echo >&3; exec sleep 60");
	ck_assert_int_eq(ready_char(), '\n');
	ck_assert_int_eq(getsid(child.pid), child.pid);
	ck_assert_int_ne(getsid(0), child.pid);
	kill(child.pid, SIGKILL);
	ck_assert(WIFSIGNALED(end_of(&child)));
}
END_TEST

START_TEST(a_child_whose_log_nobody_reads_goes_on)
{
	/* four times what a pipe holds */
	start("head -c 262144 /dev/zero 2>/dev/null; echo >&3");
	ck_assert_int_eq(ready_char(), '\n');
	ck_assert_int_eq(end_of(&child), 0);
}
END_TEST

START_TEST(a_child_has_standard_descriptors_and_the_ready_one_and_no_more)
{
	char text[64] = "";
	int leak = dup(STDERR_FILENO); /* not marked for closing */
	ck_assert_int_ge(leak, 0);
	start("for i in 0 1 2 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$i ] && printf $i; done; echo >&3");
	ck_assert_int_eq(ready_char(), '\n');
	ck_assert_int_gt(read(child.log_fd, text, sizeof(text) - 1), 0);
	ck_assert_str_eq(text, "0123");
	ck_assert_int_eq(end_of(&child), 0);
	close(leak);
}
END_TEST

START_TEST(a_program_that_is_not_there_is_an_error_and_leaves_no_process)
{
	const char *const argv[] = {"/nowhere/cairn-nothing", NULL};
	ck_assert_int_eq(cairn_spawn(&child, argv, NULL, NULL, SIGKILL, true), -ENOENT);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

CAIRN_TEST_MAIN("spawn", a_child_leads_a_session_of_its_own, a_child_whose_log_nobody_reads_goes_on,
    a_child_has_standard_descriptors_and_the_ready_one_and_no_more,
    a_program_that_is_not_there_is_an_error_and_leaves_no_process)
