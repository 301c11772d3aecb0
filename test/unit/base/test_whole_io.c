/* A child reads or writes through a pipe while a timer interrupts it, and the test holds the other end. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "common/base/whole_io.h"
#include "test/support/runner.h"

#define BYTES ((size_t)300000) /* more than a pipe holds */
#define WAITS 20

static unsigned char data[BYTES], other[BYTES];
static _Atomic int *interrupts; /* shared with the child */

static void on_alarm(int sig)
{
	(void)sig;
	(*interrupts)++;
}

static void fill(void)
{
	for (size_t i = 0; i < BYTES; i++)
		data[i] = (unsigned char)(i * 7 + i / 251);
	interrupts =
	    mmap(NULL, sizeof(*interrupts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(interrupts, MAP_FAILED);
}

/* In the child: a signal each millisecond that ends a call which waits. */
static void be_interrupted(void)
{
	const struct sigaction act = {.sa_handler = on_alarm};
	const struct itimerval every = {{0, 1000}, {0, 1000}};
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

/* Until the child has been interrupted more often, with which it must not end. It waits on us meanwhile. */
static void let_interrupt(pid_t pid)
{
	const int from = *interrupts;
	while (*interrupts < from + WAITS) {
		siginfo_t info = {0};
		ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT), 0);
		ck_assert_int_eq(info.si_pid, 0);
		sched_yield();
	}
}

static int end_of(pid_t pid)
{
	int status = -1;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(an_interrupted_write_goes_on_where_it_was)
{
	int ends[2];
	fill();
	ck_assert_int_eq(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		be_interrupted();
		_exit(cairn_write_whole(ends[1], data, BYTES) ? 0 : 1);
	}
	close(ends[1]);
	let_interrupt(pid); /* the pipe is full by now, or soon: the child waits */
	ck_assert_uint_eq(cairn_read_whole(ends[0], other, BYTES / 2), BYTES / 2);
	let_interrupt(pid);
	ck_assert_uint_eq(cairn_read_whole(ends[0], other + BYTES / 2, BYTES), BYTES - BYTES / 2);
	ck_assert_int_eq(end_of(pid), 0);
	ck_assert_mem_eq(other, data, BYTES);
	close(ends[0]);
}
END_TEST

START_TEST(an_interrupted_read_waits_for_the_rest)
{
	int ends[2];
	fill();
	ck_assert_int_eq(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		be_interrupted();
		_exit(cairn_read_whole(ends[0], other, BYTES) == BYTES && memcmp(other, data, BYTES) == 0
			  ? 0
			  : 1);
	}
	close(ends[0]);
	let_interrupt(pid);
	ck_assert(cairn_write_whole(ends[1], data, 1000));
	let_interrupt(pid);
	ck_assert(cairn_write_whole(ends[1], data + 1000, BYTES - 1000));
	ck_assert_int_eq(end_of(pid), 0);
	close(ends[1]);
}
END_TEST

START_TEST(a_file_that_ends_early_gives_what_it_has)
{
	FILE *file = tmpfile();
	fill();
	ck_assert(cairn_write_whole(fileno(file), data, 100));
	ck_assert_int_eq(lseek(fileno(file), 0, SEEK_SET), 0);
	ck_assert_uint_eq(cairn_read_whole(fileno(file), other, BYTES), 100);
	ck_assert_mem_eq(other, data, 100);
	fclose(file);
	ck_assert_uint_eq(cairn_read_whole(-1, other, 1), 0);
}
END_TEST

/* The limit cuts the first call short; only the second one has the reason. */
START_TEST(what_does_not_fit_is_an_error_with_its_reason)
{
	FILE *file = tmpfile();
	struct rlimit before, limit;
	fill();
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = (struct rlimit){1000, before.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert(cairn_write_whole(fileno(file), data, 1000));
	ck_assert_int_eq(lseek(fileno(file), 500, SEEK_SET), 500);
	errno = 0;
	bool ok = cairn_write_whole(fileno(file), data, 1000);
	int why = errno;
	ck_assert_int_eq(
	    setrlimit(RLIMIT_FSIZE, &before), 0); /* what the build writes at our end may be longer */
	ck_assert(!ok);
	ck_assert_int_eq(why, EFBIG);
	fclose(file);
}
END_TEST

CAIRN_TEST_MAIN("whole_io", an_interrupted_write_goes_on_where_it_was, an_interrupted_read_waits_for_the_rest,
    a_file_that_ends_early_gives_what_it_has, what_does_not_fit_is_an_error_with_its_reason)
