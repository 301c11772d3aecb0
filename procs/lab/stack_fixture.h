/* stack_fixture.h - a stack of one's own to be watched and hurt, for evaluations and end-to-end tests.
 *
 * It is `cairn up --headless` as a child in a fresh run directory, seen through the bus like any consumer would. Nothing is left
 * behind: the run directory is removed unless it is asked to be kept, and never kept for somebody who did not wait for the end. */
#ifndef CAIRN_PROCS_LAB_STACK_FIXTURE_H
#define CAIRN_PROCS_LAB_STACK_FIXTURE_H

#include "procs/cairn/up.h"

#define DRILL_ARGS_MAX 32

struct drill;

/* cairn: path of the program. args: more arguments for `up`, NULL-terminated, at most DRILL_ARGS_MAX. */
struct drill *fixture_start(const char *cairn, const char *const *args, struct cairn_error *err);
/* Starts `up` once more in the same run directory, after the one before has ended. */
bool fixture_again(struct drill *drill, const char *cairn, const char *const *args);
/* What the bus has said so far; fixture_pump takes what is new, fixture_wait does so until cond holds. */
const struct up_run *fixture_run(const struct drill *drill);
void fixture_pump(struct drill *drill);
/* From here on every wait ends when this says that somebody wants the program to end. NULL: nobody does. */
void fixture_until(bool (*interrupted)(void));
/* True when cond became true; false at the timeout, when the stack has ended, or when somebody interrupts. */
bool fixture_wait(
    struct drill *drill, bool (*cond)(const struct up_run *run, void *ctx), void *ctx, double timeout_s);
/* Process of a stage (also "roudi", "launcher"); 0 = none now. */
int fixture_pid(const struct drill *drill, const char *stage);
/* Process of `cairn up` itself; 0 when it has ended. */
int fixture_up_pid(const struct drill *drill);
const char *fixture_run_dir(const struct drill *drill);
/* Waits for the stack to end by itself (sig 0) or sends sig to `cairn up` first. Its exit status, or -1 when it had to be
 * killed after timeout_s. The summary it wrote is copied to summary (may be NULL). */
int fixture_end(struct drill *drill, int sig, double timeout_s, char *summary, size_t summary_bytes);
/* What is still there of it: processes in its run directory's name and sockets; 0 = clean. One line each into err. */
int fixture_leftovers(const struct drill *drill, struct cairn_error *err);
/* Entries of the host's shared memory folder, anybody's. */
int fixture_count_shared(void);
/* Ends it if it still runs. */
void fixture_destroy(struct drill **fixture_p, bool keep);
/* The same: unless it has passed its run directory is kept for a look, and named on standard error. */
void fixture_close(struct drill **fixture_p, bool passed);

#endif
