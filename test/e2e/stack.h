/* stack.h - what tests of a whole stack have in common: starting it, waiting for its stages, asking its
 * services. */
#ifndef CAIRN_TEST_E2E_STACK_H
#define CAIRN_TEST_E2E_STACK_H

#include <signal.h>
#include <sys/wait.h>

#include "common/base/file.h"
#include "procs/lab/stack_fixture.h"
#include "test/support/runner.h"

/* Built to look for errors, programs are several times slower. A stack keeps up with its simulated robot all
 * the same when that draws smaller pictures, its dearest work; no test of stacks looks at their size. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK_SLOWER 4.0
#define STACK_PACE "--set", "camera.width_px=320", "--set", "camera.height_px=240", NULL
#else
#define STACK_SLOWER 1.0
#define STACK_PACE NULL
#endif

/* Limits for a stack that is broken; they measure nothing. */
#define STACK_UP_S (60.0 * STACK_SLOWER)
#define STACK_PATIENCE_S (90.0 * STACK_SLOWER)

struct stack_args {
	const char *words[DRILL_ARGS_MAX + 1];
};

static inline struct stack_args stack_args(const char *const *args)
{
	static const char *const pace[] = {STACK_PACE};
	struct stack_args all = {{NULL}};
	size_t n = 0;
	for (size_t i = 0; pace[i] != NULL; i++)
		all.words[n++] = pace[i];
	for (size_t i = 0; args[i] != NULL; i++) {
		ck_assert_uint_lt(n, DRILL_ARGS_MAX);
		all.words[n++] = args[i];
	}
	return all;
}

static inline struct drill *stack_start_program(const char *program, const char *const *args)
{
	struct cairn_error err = {""};
	struct stack_args all = stack_args(args);
	struct drill *drill = fixture_start(program, all.words, &err);
	ck_assert_msg(drill != NULL, "%s", err.text);
	return drill;
}

static inline struct drill *stack_start(const char *const *args)
{
	return stack_start_program(CAIRN_PROGRAM, args);
}

/* Once more, in the same run directory. */
static inline void stack_start_again(struct drill *drill, const char *const *args)
{
	struct stack_args all = stack_args(args);
	ck_assert(fixture_again(drill, CAIRN_PROGRAM, all.words));
}

static inline bool stack_drives(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_mission && run->have_motion && run->mission.decision_id != 0 &&
	       run->motion.v_mps != 0.0;
}

static inline void stack_must(
    struct drill *drill, bool (*cond)(const struct up_run *run, void *ctx), void *ctx, const char *what)
{
	ck_assert_msg(
	    fixture_wait(drill, cond, ctx, STACK_PATIENCE_S), "%s; see %s", what, fixture_run_dir(drill));
}

static inline const struct cairn_msg_stage *stack_row(const struct up_run *run, const char *name)
{
	for (uint32_t i = 0; run->have_stages && i < run->stages.items_count; i++) {
		if (strcmp(run->stages.items[i].name, name) == 0)
			return &run->stages.items[i];
	}
	return NULL;
}

/* A stage, and the process that it must not be any more (0 = any will do). */
struct stack_stage {
	const char *name;
	int not_pid;
};

static inline bool stack_is_up(const struct up_run *run, void *ctx)
{
	const struct stack_stage *s = ctx;
	const struct cairn_msg_stage *row = stack_row(run, s->name);
	return row != NULL && row->state == CAIRN_STAGE_STATE_UP && row->pid > 0 && row->pid != s->not_pid;
}

static inline bool stack_has_failed(const struct up_run *run, void *ctx)
{
	const struct stack_stage *s = ctx;
	const struct cairn_msg_stage *row = stack_row(run, s->name);
	return row != NULL && row->state == CAIRN_STAGE_STATE_FAILED;
}

static inline bool stack_up_or_failed(const struct up_run *run, void *ctx)
{
	return stack_is_up(run, ctx) || stack_has_failed(run, ctx);
}

/* Kills a stage each time it comes up, until it is held failed. */
static inline void stack_kill_for_good(struct drill *drill, const char *name)
{
	struct stack_stage s = {name, 0};
	for (int i = 0; i < 20; i++) {
		stack_must(drill, stack_up_or_failed, &s, name);
		if (stack_has_failed(fixture_run(drill), &s))
			return;
		s.not_pid = fixture_pid(drill, name);
		kill(s.not_pid, SIGKILL);
	}
	ck_abort_msg("%s is started again and again; see %s", name, fixture_run_dir(drill));
}

static inline void stack_ask(
    struct drill *drill, enum cairn_service service, const char *verb, const char *arg)
{
	struct cairn_msg_command cmd = {.limit_s = 0.0};
	struct cairn_msg_reply reply = {0};
	struct cairn_error err = {""};
	snprintf(cmd.who, sizeof(cmd.who), "test");
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", verb);
	snprintf(cmd.arg, sizeof(cmd.arg), "%s", arg);
	int r = cairn_ask(fixture_run_dir(drill), service, &cmd, &reply, 5000, &err);
	ck_assert_msg(r == 0 && reply.ok, "%s %s: %s%s", verb, arg, err.text, reply.text);
}

/* Standard output and error of `cairn` with these words, --run included; its exit status. */
static inline int stack_cairn(struct drill *drill, const char *words, char *out, size_t out_bytes)
{
	char line[1024];
	snprintf(line, sizeof(line), "%s %s --run %s 2>&1", CAIRN_PROGRAM, words, fixture_run_dir(drill));
	FILE *f = popen(line, "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(out, 1, out_bytes - 1, f);
	out[n] = '\0';
	int status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* True when RUN/name has a line with text in it. */
static inline bool stack_file_tells(const struct drill *drill, const char *name, const char *text)
{
	char path[400], line[2048];
	snprintf(path, sizeof(path), "%s/%s", fixture_run_dir(drill), name);
	FILE *f = fopen(path, "re");
	bool found = false;
	while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL)
		found = strstr(line, text) != NULL;
	if (f != NULL)
		fclose(f);
	return found;
}

/* As with a real robot, of whose home nothing is known before it has looked round: the files are taken for those of the world
 * as it is now. */
static inline void stack_claim_state(const struct drill *drill, unsigned long long was, unsigned long long is)
{
	char path[400], text[700], old[20], now[20];
	struct cairn_error err = {""};
	snprintf(path, sizeof(path), "%s/state/home.txt", fixture_run_dir(drill));
	ssize_t n = cairn_file_read_into(path, 0, text, sizeof(text), &err);
	ck_assert_msg(n > 0, "%s", err.text);
	snprintf(old, sizeof(old), "%016llx", was);
	snprintf(now, sizeof(now), "%016llx", is);
	char *at = strstr(text, old);
	ck_assert_msg(at != NULL, "%s", text);
	memcpy(at, now, 16);
	ck_assert_msg(cairn_file_replace(path, 0, 0644, text, (size_t)n, &err), "%s", err.text);
}

/* A stretch of the stack's life, by its own clock: s seconds of messages of the motor stage. */
struct stack_stretch {
	double s;
	int64_t from_ns;
	bool moved; /* the wheels turned in it */
};

static inline bool stack_stretch_over(const struct up_run *run, void *ctx)
{
	struct stack_stretch *w = ctx;
	if (w->from_ns == 0)
		w->from_ns = run->stamp_ns[UP_MOTION];
	w->moved = w->moved || run->motion.v_mps != 0.0;
	return (double)(run->stamp_ns[UP_MOTION] - w->from_ns) * 1e-9 >= w->s;
}

static inline bool stack_has_come_up(const struct up_run *run, void *ctx)
{
	(void)ctx;
	for (uint32_t i = 0; run->have_stages && i < run->stages.items_count; i++) {
		if ((run->seen.stages_up >> i & 1) == 0 &&
		    run->stages.items[i].state != CAIRN_STAGE_STATE_FAILED)
			return false;
	}
	return run->have_stages;
}

/* Ended by a Ctrl-C: the exit status is 0 for a run that has passed. That it cannot while a stage is still on its way up, and
 * on a busy machine the robot drives before the page's stage is. */
static inline void stack_interrupt(struct drill *drill, int expected)
{
	char summary[8192];
	if (expected == 0)
		stack_must(drill, stack_has_come_up, NULL, "a stage does not come up");
	int status = fixture_end(drill, SIGINT, STACK_PATIENCE_S, summary, sizeof(summary));
	ck_assert_msg(status == expected, "status %d, summary %s", status, summary);
}

static inline void stack_end_as(struct drill **fixture_p, int expected)
{
	struct cairn_error left = {""};
	ck_assert_uint_eq(fixture_run(*fixture_p)->truth.contacts, 0);
	stack_interrupt(*fixture_p, expected);
	ck_assert_msg(fixture_leftovers(*fixture_p, &left) == 0, "%s", left.text);
	fixture_destroy(fixture_p, false);
}

static inline void stack_end(struct drill **fixture_p)
{
	stack_end_as(fixture_p, 0);
}

#endif
