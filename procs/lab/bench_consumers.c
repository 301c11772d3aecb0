/* bench_consumers.c - what the page's stage, a recorder and a client of Foxglove's protocol that subscribes to everything cost a
 * robot that drives: processor time, and the time from a scan to the command at the motor board.
 *
 * Windows with them and without them take turns in one run, so that whatever else the machine does is in both. Without
 * them the stage `web` runs as well, as it does by default, and nobody watches. The reaction is the motor stage's own word:
 * from the stamp of a scan to the return of the write of the first frame that it decided. */
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "procs/cli/rundir.h"
#include "procs/lab/bench.h"
#include "procs/lab/consumers.h"
#include "procs/lab/stack_fixture.h"
#include "procs/lab/workload.h"
#include "procs/launcher/procstat.h"

#define UP_TIMEOUT_S 90.0
#define END_TIMEOUT_S 60.0
#define PAIRS 6      /* of windows */
#define SETTLE_S 2.0 /* of each window, not counted: processes start and subscribe */
#define REACTIONS 100000

enum side { WITHOUT, WITH, SIDES };

struct side_sum {
	double window_s, web_s, recorder_s, others_s; /* seconds, of a clock and of processors */
	double *reaction_ms;
	int reactions;
};

struct bench {
	struct drill *drill;
	struct consumers consumers;
	struct patrol patrol;
	struct side_sum sides[SIDES];
	struct side_sum *side; /* NULL: not counted just now */
	double last_ms;
	int64_t end_ns;
};

/* ---- processors ---- */

static double spent_s(int pid)
{
	struct cairn_procstat ps;
	return pid > 0 && cairn_procstat_read(pid, &ps) ? ps.cpu_s : 0.0;
}

/* Of a process and of those that it has started. */
static double family_s(int pid)
{
	char path[64];
	double sum = spent_s(pid);
	int child;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	FILE *in = fopen(path, "re");
	while (in != NULL && fscanf(in, "%d", &child) == 1)
		sum += spent_s(child);
	if (in != NULL)
		fclose(in);
	return sum;
}

struct spent {
	int64_t t_ns;
	double web_s, recorder_s, others_s;
};

static struct spent look(const struct bench *b)
{
	const struct cairn_msg_stages *stages = &fixture_run(b->drill)->stages;
	struct spent s = {cli_now_ns(), 0.0, family_s(b->consumers.pids[CONSUMER_RECORDER]), 0.0};
	for (uint32_t i = 0; i < stages->items_count; i++) {
		if (strcmp(stages->items[i].name, "web") == 0)
			s.web_s = family_s(stages->items[i].pid);
		else
			s.others_s += spent_s(stages->items[i].pid);
	}
	return s;
}

/* ---- windows ---- */

static bool over(const struct up_run *run, void *ctx)
{
	struct bench *b = ctx;
	int64_t now_ns = cli_now_ns();
	workload_tend(&b->patrol, run, now_ns);
	double ms = run->motion.reaction_ms;
	if (run->have_motion && ms > 0.0 && ms != b->last_ms && b->side != NULL &&
	    b->side->reactions < REACTIONS)
		b->side->reaction_ms[b->side->reactions++] = ms;
	b->last_ms = ms;
	return now_ns >= b->end_ns;
}

static bool pass(struct bench *b, double s)
{
	b->end_ns = cli_now_ns() + (int64_t)(s * 1e9);
	return fixture_wait(b->drill, over, b, s + UP_TIMEOUT_S);
}

static bool window(struct bench *b, enum side which, double s)
{
	struct side_sum *side = &b->sides[which];
	for (int i = 0; i < CONSUMERS && which == WITH; i++)
		consumers_start(&b->consumers, (enum consumer)i);
	if (!pass(b, SETTLE_S))
		return false;
	struct spent from = look(b);
	uint64_t messages = b->consumers.tally->messages;
	b->side = side;
	bool good = pass(b, s);
	b->side = NULL;
	struct spent to = look(b);
	if (which == WITH && b->consumers.tally->messages == messages) {
		fprintf(stderr, "cairn bench: the client hears nothing\n");
		good = false;
	}
	for (int i = 0; i < CONSUMERS && which == WITH; i++)
		consumers_kill(&b->consumers, (enum consumer)i);
	side->window_s += (double)(to.t_ns - from.t_ns) * 1e-9;
	side->web_s += to.web_s - from.web_s;
	side->recorder_s += to.recorder_s - from.recorder_s;
	side->others_s += to.others_s - from.others_s;
	return good;
}

/* ---- saying ---- */

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}

static double share_of(const struct side_sum *side, double share)
{
	return side->reaction_ms[(int)fmax(ceil(share * side->reactions), 1.0) - 1];
}

static void say(struct bench *b, struct cairn_bench_out *out)
{
	const struct side_sum *with = &b->sides[WITH], *without = &b->sides[WITHOUT];
	double web = with->web_s / with->window_s, idle = without->web_s / without->window_s,
	       recorder = with->recorder_s / with->window_s;
	static const struct {
		const char *name;
		double share;
	} shown[] = {{"median", 0.5}, {"p90", 0.9}, {"p99", 0.99}};
	cairn_bench_value(out, "consumers.web", web - idle, "cores");
	cairn_bench_value(out, "consumers.recorder", recorder, "cores");
	cairn_bench_value(out, "consumers.added", web - idle + recorder, "cores");
	cairn_bench_ratio(
	    out, "others", with->others_s / with->window_s, "cores", without->others_s / without->window_s);
	for (int i = 0; i < SIDES; i++)
		qsort(b->sides[i].reaction_ms, (size_t)b->sides[i].reactions, sizeof(double), by_value);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		char name[64];
		snprintf(name, sizeof(name), "reaction.%s", shown[i].name);
		cairn_bench_ratio(
		    out, name, share_of(with, shown[i].share), "ms", share_of(without, shown[i].share));
	}
	cairn_bench_ratio(out, "reaction.samples", with->reactions, "", without->reactions);
	cairn_bench_value(
	    out, "client.messages", (double)b->consumers.tally->messages / with->window_s, "1/s");
	cairn_bench_value(
	    out, "client.bytes", (double)b->consumers.tally->bytes / with->window_s * 1e-6, "MB/s");
	double load = 0.0;
	if (getloadavg(&load, 1) == 1)
		cairn_bench_value(out, "machine.load", load, "");
}

/* ---- the run ---- */

static bool drives(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_stages && run->have_motion && run->have_truth && run->truth.distance_m > 0.2;
}

static bool open_run(struct bench *b, struct cairn_error *err)
{
	static const char *const args[] = {"--stay", "--world", "config/worlds/loop.yaml", "--set",
	    "web.endpoint=127.0.0.1:0", "--set", "record.depth=true", NULL};
	char dir[4096], cairn[4200], recording[320];
	if (!cairn_program_dir(dir, sizeof(dir)))
		return false;
	snprintf(cairn, sizeof(cairn), "%s/cairn", dir);
	b->drill = fixture_start(cairn, args, err);
	if (b->drill == NULL)
		return false;
	snprintf(recording, sizeof(recording), "%.256s/consumed.mcap", fixture_run_dir(b->drill));
	for (int i = 0; i < SIDES; i++)
		b->sides[i].reaction_ms = calloc(REACTIONS, sizeof(double));
	workload_init(&b->patrol, 1);
	return b->sides[WITHOUT].reaction_ms != NULL && b->sides[WITH].reaction_ms != NULL &&
	       consumers_begin(&b->consumers, cairn, fixture_run_dir(b->drill), recording, err);
}

static bool measure(struct bench *b, double window_s)
{
	if (!fixture_wait(b->drill, drives, NULL, UP_TIMEOUT_S)) {
		fprintf(stderr, "cairn bench: the robot does not drive\n");
		return false;
	}
	for (int i = 0; i < PAIRS; i++)
		if (!window(b, WITHOUT, window_s) || !window(b, WITH, window_s))
			return false;
	return b->sides[WITHOUT].reactions > 0 && b->sides[WITH].reactions > 0;
}

bool cairn_bench_consumers(struct cairn_bench_out *out)
{
	struct cairn_error err = {""};
	double total_s = 120.0;
	if (!cli_time(out->cli, "for", &total_s))
		return cairn_bench_usage(out);
	struct bench *b = calloc(1, sizeof(*b));
	if (b == NULL)
		return false;
	cli_catch_signals();
	fixture_until(cli_interrupted);
	bool good = open_run(b, &err) && measure(b, fmax(total_s / (2 * PAIRS), 1.0));
	if (good)
		say(b, out);
	else if (err.text[0] != '\0')
		fprintf(stderr, "cairn bench: %s\n", err.text);
	consumers_end(&b->consumers);
	if (b->drill != NULL)
		(void)fixture_end(b->drill, SIGINT, END_TIMEOUT_S, NULL, 0);
	fixture_destroy(&b->drill, false);
	for (int i = 0; i < SIDES; i++)
		free(b->sides[i].reaction_ms);
	free(b);
	return good;
}
