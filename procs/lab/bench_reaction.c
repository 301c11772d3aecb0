/* bench_reaction.c - from a scan with an obstacle on the bus to zero speed at the motor board, and how
 * punctual the 20 ms loop of the motor stage is: the real stage, real sockets, two busy processes beside
 * them.
 *
 * Each is taken at two places. `written` and `late` are the stage's own word: its scan's stamp to the return
 * of the write to the device, and the wake of its loop behind the timer. `arrived` and `apart` are what comes
 * out at the other end of the pseudo terminal that stands for the board, where a kernel worker of ordinary
 * priority hands the bytes on; a serial line has none. `machine` is a bare thread that sleeps until the same
 * moments at the same priority, in the same minutes: what this machine gives at best. A sample counts only
 * when the motor stage says that it stands because of what the scan shows; everything else is a failure and
 * is told by its kind.
 *
 * Measured with ordinary scheduling, as the launcher does it where it may not do more, and at real-time
 * priority. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/base/histogram.h"
#include "procs/lab/bench.h"
#include "procs/cli/cli.h"
#include "procs/lab/reaction_rig.h"
#include "procs/launcher/placement.h"

#define SAMPLES 1000
#define SAMPLES_MAX 1000000
#define LIMIT_NS (2 * CAIRN_NS_PER_S)
#define START_NS (20 * CAIRN_NS_PER_S)
#define LOST_MAX 10 /* times in a row that it would not drive */
#define PERIOD_NS (20 * CAIRN_NS_PER_MS)
#define AHEAD_M 0.02

enum failure { NO_DRIVE, NO_ZERO, OTHER_CAUSE, FAILURES };
static const char *const failure_names[FAILURES] = {
    "did_not_drive", "no_zero_in_2_s", "stood_for_another_reason"};

struct bench {
	struct cairn_reaction_rig rig;
	struct cairn_bench_out *out;
	const char *how;
	int samples;
	double *written_ms, *arrived_ms, *apart_ms;
	int written, arrived, apart;
	uint64_t failures[FAILURES];
	struct cairn_histogram machine;
	_Atomic bool over;
};

/* ---- the machine by itself ---- */

static void *sleeper(void *ctx)
{
	struct bench *b = ctx;
	int64_t due_ns = cli_now_ns();
	prctl(PR_SET_TIMERSLACK, 1UL);
	while (!b->over) {
		due_ns += PERIOD_NS;
		struct timespec at = {due_ns / CAIRN_NS_PER_S, due_ns % CAIRN_NS_PER_S};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		cairn_histogram_add(&b->machine, cli_now_ns() - due_ns);
	}
	return NULL;
}

static bool start_sleeper(struct bench *b, bool realtime, pthread_t *ret)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	struct sched_param param = {
	    .sched_priority = realtime ? cairn_placement_of(&cfg.launcher, "motor").fifo : 0};
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, realtime ? SCHED_FIFO : SCHED_OTHER);
	pthread_attr_setschedparam(&attr, &param);
	bool ok = pthread_create(ret, &attr, sleeper, b) == 0;
	pthread_attr_destroy(&attr);
	return ok;
}

/* ---- measuring ---- */

static bool wait_driving(struct bench *b, int64_t limit_ns)
{
	int64_t end_ns = cli_now_ns() + limit_ns;
	b->rig.scans = true;
	while (!cairn_rig_drives(&b->rig)) {
		if (cli_now_ns() > end_ns || cli_interrupted() || !cairn_rig_alive(&b->rig))
			return false;
		cairn_rig_turn(&b->rig);
	}
	return true;
}

/* The stage's word about the stop that a scan sent at sent_ns has brought about. */
static bool told(const struct cairn_reaction_rig *rig, int64_t sent_ns)
{
	return rig->motions > 0 && rig->motion_hdr.t_ns >= sent_ns && rig->motion.v_mps == 0.0;
}

static void one_reaction(struct bench *b)
{
	struct cairn_reaction_rig *rig = &b->rig;
	rig->scans = false;
	rig->zero_ns = 0;
	cairn_rig_scan(rig, AHEAD_M);
	int64_t sent_ns = rig->scan_ns;
	while (rig->zero_ns == 0 || !told(rig, sent_ns)) {
		cairn_rig_turn(rig);
		if (cli_now_ns() - sent_ns > LIMIT_NS) {
			b->failures[NO_ZERO]++;
			return;
		}
	}
	if (rig->motion.state != CAIRN_MOTOR_STATE_BLOCKED) {
		b->failures[OTHER_CAUSE]++;
		return;
	}
	b->written_ms[b->written++] = rig->motion.reaction_ms;
	b->arrived_ms[b->arrived++] = (double)(rig->zero_ns - sent_ns) * 1e-6;
}

static bool measure_reaction(struct bench *b)
{
	int lost = 0;
	for (int i = 0; i < b->samples && !cli_interrupted();) {
		if (!wait_driving(b, LIMIT_NS)) {
			b->failures[NO_DRIVE]++;
			if (!cairn_rig_alive(&b->rig) || ++lost == LOST_MAX)
				return false;
			continue;
		}
		lost = 0;
		/* not in step with the loop of the stage */
		int64_t from_ns = cli_now_ns() + (i * 37 % 50) * CAIRN_NS_PER_MS;
		while (cli_now_ns() < from_ns)
			cairn_rig_turn(&b->rig);
		if (!cairn_rig_drives(&b->rig))
			continue;
		one_reaction(b);
		i++;
	}
	return !cli_interrupted();
}

/* How far the frames are from 20 ms apart, without scans in between. */
static bool measure_frames(struct bench *b)
{
	struct cairn_reaction_rig *rig = &b->rig;
	int64_t last_ns = 0;
	rig->scans = false;
	for (int n = -20; n < b->samples; n++) { /* the first are those of the last scans */
		uint64_t before = rig->frames;
		int64_t start_ns = cli_now_ns();
		while (rig->frames == before) {
			cairn_rig_turn(rig);
			if (cli_now_ns() - start_ns > LIMIT_NS || cli_interrupted())
				return false;
		}
		if (n >= 0)
			b->apart_ms[b->apart++] = fabs((double)(rig->frame_ns - last_ns) * 1e-6 - 20.0);
		last_ns = rig->frame_ns;
	}
	return true;
}

/* ---- saying ---- */

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}

static void say(const struct bench *b, const char *what, double value, const char *unit)
{
	char name[96];
	snprintf(name, sizeof(name), "%s.%s", b->how, what);
	cairn_bench_value(b->out, name, value, unit);
}

static const struct {
	const char *name;
	double share;
} shown[] = {{"median", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1.0}};

static void say_samples(struct bench *b, const char *what, double *values, int n)
{
	qsort(values, (size_t)n, sizeof(values[0]), by_value);
	for (size_t i = 0; n > 0 && i < sizeof(shown) / sizeof(shown[0]); i++) {
		char name[64];
		snprintf(name, sizeof(name), "%s.%s", what, shown[i].name);
		say(b, name, values[(int)fmax(ceil(shown[i].share * n), 1.0) - 1], "ms");
	}
}

/* Seconds that the host of a virtual machine has given to others while processors of ours wanted to run. */
static double stolen_s(void)
{
	unsigned long long v[8] = {0};
	FILE *in = fopen("/proc/stat", "re");
	if (in == NULL)
		return 0.0;
	int n = fscanf(in, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3], &v[4],
	    &v[5], &v[6], &v[7]);
	fclose(in);
	return n == 8 ? (double)v[7] / (double)sysconf(_SC_CLK_TCK) : 0.0;
}

static void say_all(struct bench *b, double steal_s)
{
	const struct cairn_reaction_rig *rig = &b->rig;
	uint64_t failed = 0;
	for (int i = 0; i < FAILURES; i++)
		failed += b->failures[i];
	say(b, "reaction.samples", b->written, "");
	say(b, "reaction.failures", (double)failed, "");
	for (int i = 0; i < FAILURES; i++) {
		char name[64];
		snprintf(name, sizeof(name), "reaction.%s", failure_names[i]);
		if (b->failures[i] > 0)
			say(b, name, (double)b->failures[i], "");
	}
	say_samples(b, "reaction.written", b->written_ms, b->written);
	say_samples(b, "reaction.arrived", b->arrived_ms, b->arrived);
	say(b, "loop.turns", (double)rig->beat.ticks, "");
	say(b, "loop.overruns", (double)rig->beat.overruns, "");
	say(b, "loop.late.p99", rig->beat.late_p99_ms, "ms");
	say(b, "loop.late.max", rig->late_max_ms, "ms");
	say(b, "loop.turn.max", rig->turn_max_ms, "ms");
	say_samples(b, "frames.apart", b->apart_ms, b->apart);
	say(b, "machine.late.p99", (double)cairn_histogram_at_ns(&b->machine, 0.99) * 1e-6, "ms");
	say(b, "machine.late.max", (double)b->machine.max_ns * 1e-6, "ms");
	double load = 0.0;
	if (getloadavg(&load, 1) == 1)
		say(b, "machine.load", load, "");
	say(b, "machine.stolen", steal_s, "s");
}

static bool measure(struct bench *b, bool realtime)
{
	struct cairn_error err = {""};
	pthread_t thread;
	double steal_s = stolen_s();
	bool ok = cairn_rig_begin(&b->rig, realtime, &err);
	bool sleeps = ok && start_sleeper(b, realtime, &thread);
	if (ok)
		ok = wait_driving(b, START_NS) && measure_reaction(b) && measure_frames(b);
	b->over = true;
	if (sleeps)
		pthread_join(thread, NULL);
	if (b->written > 0)
		say_all(b, stolen_s() - steal_s);
	if (!ok && err.text[0] != '\0')
		fprintf(stderr, "cairn bench: %s\n", err.text);
	else if (!ok && !cli_interrupted()) {
		fprintf(stderr, "cairn bench: the motor stage %s: %s, %s\n",
		    cairn_rig_alive(&b->rig) ? "does not drive or has fallen silent" : "has ended",
		    cairn_enum_text(&cairn_enum_motor_state, (int)b->rig.motion.state), b->rig.motion.reason);
		cairn_rig_tell_log(&b->rig);
	}
	cairn_rig_finish(&b->rig);
	return ok;
}

static bool measure_how(struct cairn_bench_out *out, const char *how, bool realtime, int samples)
{
	struct bench *b = calloc(1, sizeof(*b));
	double *values = calloc((size_t)samples * 3, sizeof(*values));
	bool ok = b != NULL && values != NULL;
	if (ok) {
		*b = (struct bench){.out = out, .how = how, .samples = samples};
		b->written_ms = values;
		b->arrived_ms = values + samples;
		b->apart_ms = values + 2 * samples;
		ok = measure(b, realtime);
	}
	free(values);
	free(b);
	return ok;
}

bool cairn_bench_reaction(struct cairn_bench_out *out)
{
	long samples = cli_count_max(out->cli, "samples", SAMPLES, SAMPLES_MAX);
	if (samples < 1)
		return cairn_bench_usage(out);
	cli_catch_signals();
	struct sched_param ordinary = {0}, high = {.sched_priority = 1};
	bool may = sched_setscheduler(0, SCHED_FIFO, &high) == 0;
	int why = errno;
	(void)sched_setscheduler(0, SCHED_OTHER, &ordinary);
	bool ok = measure_how(out, "ordinary", false, (int)samples);
	if (ok && may)
		ok = measure_how(out, "realtime", true, (int)samples);
	else if (ok)
		fprintf(stderr, "cairn bench: real-time priority is not allowed here: %s\n", strerror(why));
	(void)sched_setscheduler(0, SCHED_OTHER, &ordinary);
	return ok;
}
