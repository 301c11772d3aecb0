/* jobs.h - many independent pieces of work in as many processes as there are processors, with progress,
 * time left, and a file from which an interrupted run goes on.
 *
 * A piece is a number; what comes of it are plain bytes of a fixed size. Whoever is free takes the next
 * number, so the order in time is anybody's; results are kept by number, so that what is made of them depends
 * on neither the order nor the count of processes. */
#ifndef CAIRN_PROCS_LAB_JOBS_H
#define CAIRN_PROCS_LAB_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

#define CAIRN_JOB_BYTES_MAX 32768

struct cairn_jobs {
	uint64_t count;
	size_t bytes; /* of one result, at most CAIRN_JOB_BYTES_MAX */
	long jobs;
	/* Fills result, which is zeroed. In a process of its own. False with the reason: the whole run has
	 * failed. */
	bool (*work)(void *ctx, uint64_t number, void *result, struct cairn_error *err);
	/* In the caller's process, once for each as it comes in, those of the state file first; may be NULL.
	 */
	void (*take)(void *ctx, uint64_t number, const void *result);
	/* Is what a piece left beside its result still there? One of the state file that is not is done anew; may be
	 * NULL. */
	bool (*still_there)(void *ctx, uint64_t number);
	/* False: it counts for this run and is not written to the state file, so that another tries again. May be
	 * NULL: all are. */
	bool (*lasts)(const void *result);
	/* One line about how far it is, without the counts; may be NULL. */
	void (*note)(void *ctx, char *text, size_t bytes);
	void *ctx;
	bool (*interrupted)(void); /* true: end now, what is finished is kept; may be NULL */
	const char *title;
	const char *state_path; /* NULL: nothing is kept */
	uint64_t key;           /* of everything that decides the results but this program, which is added */
};

enum cairn_jobs_end { CAIRN_JOBS_DONE, CAIRN_JOBS_INTERRUPTED, CAIRN_JOBS_FAILED };

/* results: count * bytes, by number. done: count flags. After an interruption those that
 * are flagged are whole. A state file of another program, of other work or of none is refused; of one that was altered
 * (state_file.h) the damaged results are told of and worked out anew. */
enum cairn_jobs_end cairn_jobs_run(
    const struct cairn_jobs *shards, void *results, bool *done, struct cairn_error *err);

/* The same for a command: makes room for results and flags, which the caller frees (also of a run that failed), and says on standard
 * error why it failed, or how an interrupted one goes on. */
enum cairn_jobs_end cairn_jobs_do(const struct cairn_jobs *shards, void **ret_results, bool **ret_done);

/* As many as there are processors. */
long cairn_jobs_default(void);

#endif
