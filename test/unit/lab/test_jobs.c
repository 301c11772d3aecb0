/* Pieces of work in several processes: the same results from any number of them, and none done twice. */
#include "procs/lab/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/support/runner.h"

#define COUNT 24

struct piece {
	uint64_t square;
	int64_t by; /* as wide as what is before it: no bytes between that nobody wrote */
};

static uint64_t taken;

static bool square(void *ctx, uint64_t number, void *result, struct cairn_error *err)
{
	struct piece *p = result;
	(void)err;
	p->square = number * number + *(uint64_t *)ctx;
	p->by = getpid();
	return true;
}

static void count(void *ctx, uint64_t number, const void *result)
{
	(void)ctx, (void)number, (void)result;
	taken++;
}

static bool fail_at_seven(void *ctx, uint64_t number, void *result, struct cairn_error *err)
{
	if (number == 7) {
		cairn_error_set(err, "seven");
		return false;
	}
	return square(ctx, number, result, err);
}

static uint64_t plus;
static struct piece pieces[COUNT];
static bool done[COUNT];

static enum cairn_jobs_end run(long jobs, const char *state, uint64_t key, struct cairn_error *err)
{
	struct cairn_jobs s = {.count = COUNT,
	    .bytes = sizeof(pieces[0]),
	    .jobs = jobs,
	    .work = square,
	    .take = count,
	    .ctx = &plus,
	    .title = "test",
	    .state_path = state,
	    .key = key};
	memset(pieces, 0, sizeof(pieces));
	memset(done, 0, sizeof(done));
	taken = 0;
	return cairn_jobs_run(&s, pieces, done, err);
}

static void check_all(void)
{
	for (uint64_t i = 0; i < COUNT; i++) {
		ck_assert(done[i]);
		ck_assert_uint_eq(pieces[i].square, i * i + plus);
	}
	ck_assert_uint_eq(taken, COUNT);
}

START_TEST(results_do_not_depend_on_how_many_processes_there_are)
{
	struct cairn_error err = {""};
	for (long jobs = 1; jobs <= 5; jobs++) {
		ck_assert_int_eq(run(jobs, NULL, 1, &err), CAIRN_JOBS_DONE);
		check_all();
	}
}
END_TEST

START_TEST(a_piece_that_fails_fails_the_run)
{
	struct cairn_error err = {""};
	struct cairn_jobs s = {.count = COUNT,
	    .bytes = sizeof(pieces[0]),
	    .jobs = 2,
	    .work = fail_at_seven,
	    .ctx = &plus,
	    .title = "test"};
	memset(done, 0, sizeof(done));
	ck_assert_int_eq(cairn_jobs_run(&s, pieces, done, &err), CAIRN_JOBS_FAILED);
	ck_assert(!done[7]);
	ck_assert_str_ne(err.text, "");
}
END_TEST

START_TEST(a_run_that_was_cut_off_goes_on_where_it_was)
{
	char path[] = "/tmp/cairn-shards-XXXXXX";
	int fd = mkstemp(path);
	struct cairn_error err = {""};
	struct stat st;
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(run(1, path, 1, &err), CAIRN_JOBS_DONE);
	int64_t first = pieces[0].by;
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(
	    ftruncate(fd, st.st_size - 5 * (off_t)(2 * sizeof(uint64_t) + sizeof(pieces[0])) - 3), 0);
	ck_assert_int_eq(run(1, path, 1, &err), CAIRN_JOBS_DONE);
	check_all();
	uint64_t again = 0;
	for (int i = 0; i < COUNT; i++)
		again += pieces[i].by != first;
	ck_assert_uint_eq(again, 6);
	/* and now there is nothing left to do */
	ck_assert_int_eq(run(2, path, 1, &err), CAIRN_JOBS_DONE);
	check_all();
	close(fd);
	unlink(path);
}
END_TEST

static bool not_four(const void *result)
{
	return ((const struct piece *)result)->square != 4;
}

START_TEST(a_result_that_is_not_to_last_counts_and_is_done_anew_by_the_next_run)
{
	char path[] = "/tmp/cairn-shards-XXXXXX";
	int fd = mkstemp(path);
	struct cairn_error err = {""};
	struct stat st;
	struct cairn_jobs s = {.count = COUNT,
	    .bytes = sizeof(pieces[0]),
	    .jobs = 2,
	    .work = square,
	    .lasts = not_four,
	    .ctx = &plus,
	    .title = "test",
	    .state_path = path};
	ck_assert_int_ge(fd, 0);
	memset(done, 0, sizeof(done));
	ck_assert_int_eq(cairn_jobs_run(&s, pieces, done, &err), CAIRN_JOBS_DONE);
	ck_assert(done[2]);
	ck_assert_uint_eq(pieces[2].square, 4);
	ck_assert_int_eq(fstat(fd, &st), 0);
	off_t without = st.st_size;
	int64_t by = pieces[2].by, other_by = pieces[3].by;
	s.lasts = NULL;
	memset(done, 0, sizeof(done));
	ck_assert_int_eq(cairn_jobs_run(&s, pieces, done, &err), CAIRN_JOBS_DONE);
	ck_assert_int_ne(pieces[2].by, by);
	ck_assert_int_eq(pieces[3].by, other_by);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_size - without, 2 * sizeof(uint64_t) + sizeof(pieces[0]));
	close(fd);
	unlink(path);
}
END_TEST

START_TEST(a_file_of_other_work_is_refused_and_left_alone)
{
	char path[] = "/tmp/cairn-shards-XXXXXX";
	int fd = mkstemp(path);
	struct cairn_error err = {""};
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(run(1, path, 1, &err), CAIRN_JOBS_DONE);
	ck_assert_int_eq(run(1, path, 2, &err), CAIRN_JOBS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "other options"));
	ck_assert_int_eq(run(1, path, 1, &err), CAIRN_JOBS_DONE);
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_int_eq(pwrite(fd, "poem, by hand, 2026.....", 24, 0), 24);
	ck_assert_int_eq(run(1, path, 1, &err), CAIRN_JOBS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "not a file of finished work"));
	close(fd);
	unlink(path);
}
END_TEST

START_TEST(what_was_altered_in_the_file_is_done_anew)
{
	char path[] = "/tmp/cairn-shards-XXXXXX";
	int fd = mkstemp(path);
	struct cairn_error err = {""};
	struct piece wrong = {12345, 1};
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(run(1, path, 1, &err), CAIRN_JOBS_DONE);
	int64_t first = pieces[0].by;
	off_t record = (off_t)(2 * sizeof(uint64_t) + sizeof(pieces[0]));
	off_t third = 4 * (off_t)sizeof(uint64_t) + 2 * record + 2 * (off_t)sizeof(uint64_t);
	ck_assert_int_eq(pwrite(fd, &wrong, sizeof(wrong), third), (ssize_t)sizeof(wrong));
	ck_assert_int_eq(run(1, path, 1, &err), CAIRN_JOBS_DONE);
	check_all();
	uint64_t again = 0;
	for (int i = 0; i < COUNT; i++)
		again += pieces[i].by != first;
	ck_assert_uint_eq(again, 1);
	close(fd);
	unlink(path);
}
END_TEST

CAIRN_TEST_MAIN("shards", results_do_not_depend_on_how_many_processes_there_are,
    a_piece_that_fails_fails_the_run, a_run_that_was_cut_off_goes_on_where_it_was,
    a_result_that_is_not_to_last_counts_and_is_done_anew_by_the_next_run,
    a_file_of_other_work_is_refused_and_left_alone, what_was_altered_in_the_file_is_done_anew)
