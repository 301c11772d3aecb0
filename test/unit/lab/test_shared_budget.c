/* Money that several processes and several runs spend together: no more of it than there is, and none
 * forgotten. */
#include "procs/lab/shared_budget.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/support/runner.h"

static char path[64];

static void name_file(void)
{
	snprintf(path, sizeof(path), "/tmp/cairn-purse-XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static struct model_purse *open_purse(double usd_max)
{
	struct cairn_error err = {""};
	struct model_purse *p = model_purse_new(usd_max, path, 77, &err);
	ck_assert_msg(p != NULL, "%s", err.text);
	return p;
}

/* Asks questions of one price until no more is allowed. How many. */
static int ask(struct model_purse *p, double usd)
{
	double aside_usd;
	int n = 0;
	while (model_purse_reserve(p, &aside_usd, NULL) == 0) {
		model_purse_settle(p, aside_usd, usd);
		n++;
	}
	return n;
}

START_TEST(what_one_run_has_spent_the_next_does_not_have)
{
	struct cairn_error err = {""};
	double aside_usd;
	name_file();
	struct model_purse *p = open_purse(0.004);
	ck_assert_int_eq(ask(p, 0.0015), 2); /* a third might come to 0.0045 */
	model_purse_destroy(&p);
	p = open_purse(0.004);
	ck_assert_double_eq_tol(model_purse_spent_usd(p), 0.003, 1e-9);
	ck_assert_double_eq_tol(model_purse_left_usd(p), 0.001, 1e-9);
	ck_assert_int_eq(model_purse_reserve(p, &aside_usd, &err), -EDQUOT); /* it knows the price as well */
	ck_assert_msg(
	    strstr(err.text, "nothing is left for a question: 0.0010 of 0.0040 USD") != NULL, "%s", err.text);
	model_purse_destroy(&p);
	p = open_purse(0.006);
	ck_assert_int_eq(ask(p, 0.0015), 2);
	model_purse_destroy(&p);
	unlink(path);
}
END_TEST

START_TEST(a_process_killed_over_a_question_has_spent_what_it_had_put_aside)
{
	double aside_usd;
	int status;
	name_file();
	struct model_purse *p = open_purse(1.0);
	ck_assert_int_eq(model_purse_reserve(p, &aside_usd, NULL), 0);
	model_purse_settle(p, aside_usd, 0.25);
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (model_purse_reserve(p, &aside_usd, NULL) == 0)
			raise(SIGKILL);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
	model_purse_destroy(&p);
	p = open_purse(1.0);
	ck_assert_double_eq_tol(model_purse_spent_usd(p), 0.5, 1e-9);
	model_purse_destroy(&p);
	unlink(path);
}
END_TEST

START_TEST(many_processes_together_spend_no_more_than_there_is)
{
	enum { PROCESSES = 6 };
	struct cairn_error err = {""};
	struct model_purse *p = model_purse_new(1.0, NULL, 0, &err);
	double aside_usd;
	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(model_purse_reserve(p, &aside_usd, NULL), 0);
	model_purse_settle(p, aside_usd, 0.0003);
	for (int i = 0; i < PROCESSES; i++) {
		pid_t pid = fork();
		ck_assert_int_ge(pid, 0);
		if (pid == 0)
			_exit(ask(p, 0.0003) > 0 ? 0 : 1);
	}
	for (int i = 0; i < PROCESSES; i++)
		ck_assert_int_gt(wait(NULL), 0);
	ck_assert_double_le(model_purse_spent_usd(p), 1.0 + 1e-9);
	ck_assert_double_gt(model_purse_spent_usd(p), 1.0 - (PROCESSES + 1) * 0.0003);
	model_purse_destroy(&p);
	ck_assert_ptr_null(p);
}
END_TEST

START_TEST(a_file_of_other_work_or_of_none_is_refused_and_left_as_it_is)
{
	struct cairn_error err = {""};
	char said[20] = "";
	name_file();
	struct model_purse *p = open_purse(1.0);
	model_purse_destroy(&p);
	ck_assert_ptr_null(model_purse_new(1.0, path, 78, &err));
	ck_assert_msg(strstr(err.text, "other options") != NULL, "%s", err.text);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs("a shopping list", f);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_ptr_null(model_purse_new(1.0, path, 77, &err));
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(said, sizeof(said), f));
	fclose(f);
	ck_assert_str_eq(said, "a shopping list");
	unlink(path);
	ck_assert_ptr_null(model_purse_new(1.0, "/nowhere/spent", 77, &err));
	ck_assert_msg(strstr(err.text, "/nowhere/spent") != NULL, "%s", err.text);
}
END_TEST

CAIRN_TEST_MAIN("model_purse", what_one_run_has_spent_the_next_does_not_have,
    a_process_killed_over_a_question_has_spent_what_it_had_put_aside,
    many_processes_together_spend_no_more_than_there_is,
    a_file_of_other_work_or_of_none_is_refused_and_left_as_it_is)
