#include "procs/lab/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/base/whole_io.h"
#include "procs/cli/rundir.h"
#include "procs/lab/state_file.h"

#define JOBS_MAX 64
#define LINE_NS (30 * CAIRN_NS_PER_S)
#define TTY_NS CAIRN_NS_PER_S

struct pool {
	const struct cairn_jobs *s;
	char *results;
	bool *done;
	uint64_t done_count, begun_count; /* begun: done before this run */
	_Atomic uint64_t *next;
	struct cairn_state_file state;
	pid_t pids[JOBS_MAX];
	struct pollfd pipes[JOBS_MAX];
	long jobs;
	int64_t start_ns, told_ns;
	bool tty;
};

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

static bool interrupted(const struct pool *p)
{
	return p->s->interrupted != NULL && p->s->interrupted();
}

/* ---- the state file ---- */

static void keep(struct pool *p, uint64_t number, const void *result)
{
	memcpy(p->results + number * p->s->bytes, result, p->s->bytes);
	p->done[number] = true;
	p->done_count++;
	if (p->s->take != NULL)
		p->s->take(p->s->ctx, number, result);
}

static void take_kept(void *ctx, uint64_t number, const void *result)
{
	struct pool *p = ctx;
	if (!p->done[number] && (p->s->still_there == NULL || p->s->still_there(p->s->ctx, number)))
		keep(p, number, result);
}

static bool open_state(struct pool *p, struct cairn_error *err)
{
	const struct cairn_jobs *s = p->s;
	p->state.fd = -1;
	if (s->state_path == NULL)
		return true;
	if (!cairn_state_open(
		&p->state, s->state_path, cairn_program_hash(s->key), s->count, s->bytes, take_kept, p, err))
		return false;
	if (p->state.damaged > 0)
		fprintf(stderr, "%s: %s: %llu records are damaged and are done anew\n", s->title,
		    s->state_path, (unsigned long long)p->state.damaged);
	return true;
}

/* ---- the workers ---- */

/* In the child. A result travels as its number and its bytes. */
_Noreturn static void work(const struct pool *p, int fd)
{
	const struct cairn_jobs *s = p->s;
	struct cairn_error err = {""};
	char *result = malloc(s->bytes);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN); /* the parent ends us, when it has taken what is there */
	bool ok = result != NULL;
	while (ok) {
		uint64_t number = (*p->next)++;
		if (number >= s->count)
			break;
		if (p->done[number])
			continue;
		memset(result, 0, s->bytes);
		ok = s->work(s->ctx, number, result, &err) &&
		     cairn_write_whole(fd, &number, sizeof(number)) &&
		     cairn_write_whole(fd, result, s->bytes);
		if (!ok)
			fprintf(stderr, "%s: piece %llu: %s\n", s->title, (unsigned long long)number,
			    err.text[0] != '\0' ? err.text : strerror(errno));
	}
	_exit(ok ? 0 : 1);
}

static void start_workers(struct pool *p)
{
	fflush(NULL);
	for (long i = 0; i < p->jobs; i++) {
		int ends[2] = {-1, -1};
		p->pids[i] = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
		if (p->pids[i] == 0) {
			close(ends[0]);
			work(p, ends[1]);
		}
		if (ends[1] >= 0)
			close(ends[1]);
		p->pipes[i] = (struct pollfd){.fd = ends[0], .events = POLLIN};
	}
}

/* False when one of them has not ended well. */
static bool end_workers(struct pool *p, bool at_once)
{
	bool ok = true;
	for (long i = 0; i < p->jobs; i++) {
		int status = -1;
		if (at_once && p->pids[i] > 0)
			kill(p->pids[i], SIGKILL);
		if (p->pids[i] > 0)
			while (waitpid(p->pids[i], &status, 0) < 0 && errno == EINTR)
				;
		ok &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
		if (p->pipes[i].fd >= 0)
			close(p->pipes[i].fd);
	}
	return ok;
}

static void tell(struct pool *p)
{
	const struct cairn_jobs *s = p->s;
	int64_t at_ns = now_ns();
	if (at_ns - p->told_ns < (p->tty ? TTY_NS : LINE_NS))
		return;
	p->told_ns = at_ns;
	char note[160] = "", left[48] = "";
	if (s->note != NULL)
		s->note(s->ctx, note, sizeof(note));
	uint64_t mine = p->done_count - p->begun_count;
	if (mine > 0) {
		double each_s = (double)(at_ns - p->start_ns) * 1e-9 / (double)mine;
		long t = (long)(each_s * (double)(s->count - p->done_count));
		snprintf(left, sizeof(left), ", %ld:%02ld:%02ld left", t / 3600, t / 60 % 60, t % 60);
	}
	fprintf(stderr, "%s%s: %llu of %llu%s%s%s%s", p->tty ? "\r\033[K" : "", s->title,
	    (unsigned long long)p->done_count, (unsigned long long)s->count, note[0] != '\0' ? ", " : "",
	    note, left, p->tty ? "" : "\n");
}

static bool lasts(const struct cairn_jobs *s, const void *result)
{
	return s->lasts == NULL || s->lasts(result);
}

/* One result of a worker that has something; its pipe is closed when it has ended. */
static void take_from(struct pool *p, struct pollfd *pipe, char *result)
{
	uint64_t number;
	if (cairn_read_whole(pipe->fd, &number, sizeof(number)) == sizeof(number) &&
	    cairn_read_whole(pipe->fd, result, p->s->bytes) == p->s->bytes && number < p->s->count) {
		keep(p, number, result);
		if (lasts(p->s, result) && p->state.fd >= 0 && !cairn_state_add(&p->state, number, result))
			fprintf(stderr, "%s: %s: %s\n", p->s->title, p->s->state_path, strerror(errno));
		return;
	}
	close(pipe->fd);
	pipe->fd = -1;
}

static void collect(struct pool *p, char *result)
{
	for (;;) {
		long open = 0;
		for (long i = 0; i < p->jobs; i++)
			open += p->pipes[i].fd >= 0;
		if (open == 0 || interrupted(p))
			return;
		tell(p);
		if (poll(p->pipes, (nfds_t)p->jobs, 500) <= 0)
			continue;
		for (long i = 0; i < p->jobs; i++)
			if (p->pipes[i].fd >= 0 && p->pipes[i].revents != 0)
				take_from(p, &p->pipes[i], result);
	}
}

static enum cairn_jobs_end run(struct pool *p, char *result, struct cairn_error *err)
{
	p->begun_count = p->done_count;
	p->start_ns = p->told_ns = now_ns();
	if (p->done_count < p->s->count) {
		start_workers(p);
		collect(p, result);
		bool ok = end_workers(p, interrupted(p));
		if (p->tty)
			fputc('\n', stderr);
		if (!ok && !interrupted(p))
			cairn_error_set(err, "a worker has failed");
	}
	if (p->done_count == p->s->count)
		return CAIRN_JOBS_DONE;
	return interrupted(p) ? CAIRN_JOBS_INTERRUPTED : CAIRN_JOBS_FAILED;
}

enum cairn_jobs_end cairn_jobs_run(
    const struct cairn_jobs *shards, void *results, bool *done, struct cairn_error *err)
{
	struct pool p = {.s = shards, .results = results, .done = done, .tty = isatty(STDERR_FILENO) == 1};
	p.jobs = shards->jobs < 1 ? 1 : shards->jobs > JOBS_MAX ? JOBS_MAX : shards->jobs;
	void *shared = mmap(NULL, sizeof(*p.next), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *result = malloc(shards->bytes);
	enum cairn_jobs_end end = CAIRN_JOBS_FAILED;
	if (shards->bytes > CAIRN_JOB_BYTES_MAX) {
		cairn_error_set(err, "a result of %zu bytes is too large", shards->bytes);
	} else if (shared == MAP_FAILED || result == NULL) {
		cairn_error_set(err, "out of memory");
	} else {
		p.next = shared;
		if (open_state(&p, err))
			end = run(&p, result, err);
		cairn_state_close(&p.state);
	}
	free(result);
	if (shared != MAP_FAILED)
		munmap(shared, sizeof(*p.next));
	return end;
}

enum cairn_jobs_end cairn_jobs_do(const struct cairn_jobs *shards, void **ret_results, bool **ret_done)
{
	struct cairn_error err = {"out of memory"};
	enum cairn_jobs_end end = CAIRN_JOBS_FAILED;
	*ret_results = calloc(shards->count, shards->bytes);
	*ret_done = calloc(shards->count, sizeof(**ret_done));
	if (*ret_results != NULL && *ret_done != NULL)
		end = cairn_jobs_run(shards, *ret_results, *ret_done, &err);
	if (end == CAIRN_JOBS_FAILED)
		fprintf(stderr, "%s: %s\n", shards->title, err.text);
	if (end == CAIRN_JOBS_INTERRUPTED && shards->state_path != NULL)
		fprintf(stderr, "%s: interrupted; the same command goes on from %s\n", shards->title,
		    shards->state_path);
	return end;
}

long cairn_jobs_default(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	return processors > 0 ? processors : 1;
}
