/* eval_chaos.c - random faults in random processes of a driving stack: does it ever touch anything, and how
 * soon does it go on?
 *
 * Every 0.3 to 3 s one process (stages, RouDi and the launcher alike) is killed, crashed with SIGSEGV, or
 * stopped for a while. Two of five faults are aimed at the command path; such a one waits for the robot to
 * drive, as long as the 3 s allow. When a house is explored the next one is begun. Map and memory are read
 * back after each house. Pass marks: no contact, nothing left behind (processes, sockets, shared memory,
 * descriptors), map and memory intact, every stack ends as asked; on the command path braking within 250 ms
 * for 99 of 100 faults; driving again within 1 s for half of the outages and 3 s for 99 of 100, 5 s where
 * RouDi was hit. With --untimed the times are told, not judged: for machines that others use as well. */
#include <limits.h>
#include <signal.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/slam/mapper.h"
#include "common/vlm/memory.h"
#include "procs/lab/bench.h"
#include "procs/lab/chaos_meter.h"
#include "procs/cli/cli.h"
#include "procs/lab/stack_fixture.h"
#include "procs/cli/rundir.h"
#include "procs/launcher/procstat.h"

#define UP_TIMEOUT_S 90.0
#define END_TIMEOUT_S 60.0
#define DEFAULT_S 60.0
#define PAUSE_MIN_S 0.3
#define PAUSE_MAX_S 3.0
#define STOPPED_MIN_S 0.1
#define STOPPED_MAX_S 2.0
#define STOPPED_LOSS_S 0.5
#define COMMAND_PATH_SHARE 0.4
#define SETTLE_TIMEOUT_S 30.0
#define BRAKED_P99_S 0.25
#define AGAIN_P50_S 1.0
#define AGAIN_P99_S 3.0
#define AGAIN_PLANE_S 5.0
#define SAMPLES_MIN 20      /* for a mark to be judged */
#define SAMPLES_PLANE_MIN 2 /* RouDi is one of many that are hit */
#define WHOLE_S 600.0       /* a run so long has to show every mark */

/* The largest first: most of a short run is spent in one house. */
static const char *const worlds[] = {
    "config/worlds/loop.yaml", "config/worlds/home.yaml", "config/worlds/studio.yaml"};
#define WORLD_COUNT (sizeof(worlds) / sizeof(worlds[0]))

/* Without these no command reaches the wheels. */
static const char *const command_path[] = {"motor", "sequencer", "launcher"};

#define FDS_MAX 32
#define FDS_TIMEOUT_S 10.0
#define FDS_NOTE_S                                                                                           \
	2.0 /* a process holds at the start the most it had in so long: files are open for moments */

enum fault { FAULT_KILL, FAULT_CRASH, FAULT_STOP, FAULT_COUNT };
static const char *const fault_names[FAULT_COUNT] = {"killed", "crashed", "stopped"};

struct chaos {
	const char *const *sets; /* KEY=VALUE for the stack */
	int set_count;
	struct drill *drill;
	struct cairn_rng rng;
	struct chaos_meter meter;
	int64_t end_ns, due_ns, last_due_ns; /* of the next fault, and until when it may wait */
	bool aimed;                          /* the next fault is for the command path */
	int stopped_pid;                     /* to be continued at continue_ns; 0 = none */
	int64_t continue_ns;
	bool verbose;
	uint32_t faults[FAULT_COUNT], decisions, contacts, houses;
	struct cairn_memory memory; /* read back into; large */
	int leftovers, broken_files, bad_ends, never_drove, fds_leaked;
	struct fds {
		char name[32];
		int count, now; /* most when the house was begun, fewest when it is over */
	} fds[FDS_MAX];
	int fds_count;
	int64_t fds_end_ns; /* until then they are looked at */
	uint32_t slow;      /* outages longer than the mark; the run directory is kept for a look */
	char last_fault[80];
	struct cairn_error problem; /* the first */
};

static void complain(struct chaos *c, const char *what, const char *detail)
{
	fprintf(stderr, "%s%s%s\n", what, detail[0] != '\0' ? ": " : "", detail);
	if (c->problem.text[0] == '\0')
		cairn_error_set(&c->problem, "%s%s%s", what, detail[0] != '\0' ? ": " : "", detail);
}

static bool on_command_path(const char *name)
{
	for (size_t i = 0; i < sizeof(command_path) / sizeof(command_path[0]); i++) {
		if (strcmp(command_path[i], name) == 0)
			return true;
	}
	return false;
}

static bool mission_over(const struct up_run *run)
{
	return !run->have_mission || run->mission.state == CAIRN_MISSION_STATE_FINISHED ||
	       run->mission.state == CAIRN_MISSION_STATE_IDLE;
}

static void wake_stopped(struct chaos *c)
{
	if (c->stopped_pid > 0)
		kill(c->stopped_pid, SIGCONT);
	c->stopped_pid = 0;
}

static void inflict(struct chaos *c, const char *name, int pid, enum fault fault)
{
	static const int signals[FAULT_COUNT] = {SIGKILL, SIGSEGV, SIGSTOP};
	const struct up_run *run = fixture_run(c->drill);
	if (fault == FAULT_STOP && c->stopped_pid != 0)
		fault = FAULT_KILL; /* one at a time, so that none is forgotten */
	int64_t now_ns = cli_now_ns();
	double stopped_s = STOPPED_MIN_S + cairn_rng_uniform(&c->rng) * (STOPPED_MAX_S - STOPPED_MIN_S);
	if (kill(pid, signals[fault]) != 0)
		return; /* it has just died by itself */
	if (fault == FAULT_CRASH && pid == c->stopped_pid)
		wake_stopped(c); /* a stopped process does not die of a signal before it goes on */
	if (fault == FAULT_STOP) {
		c->stopped_pid = pid;
		c->continue_ns = now_ns + (int64_t)(stopped_s * 1e9);
	}
	c->faults[fault]++;
	/* Without the launcher every stage ends. */
	if (fault != FAULT_STOP && (strcmp(name, "sequencer") == 0 || strcmp(name, "launcher") == 0))
		chaos_meter_decision(&c->meter, run->mission.decision_id);
	/* One that is stopped for a moment may be back before anybody has to notice; and the launcher's being
	 * stopped stops nobody else. */
	bool gone = fault != FAULT_STOP || (stopped_s > STOPPED_LOSS_S && strcmp(name, "launcher") != 0);
	chaos_meter_fault(&c->meter, now_ns, gone && on_command_path(name), strcmp(name, "roudi") == 0);
	if (strcmp(name, "robot-sim") == 0)
		chaos_meter_blind(&c->meter);
	snprintf(c->last_fault, sizeof(c->last_fault), "%s %s (pid %d)", name, fault_names[fault], pid);
	if (c->verbose)
		fprintf(stderr, "%8.2f s  %s\n", (double)(now_ns - run->start_ns) * 1e-9, c->last_fault);
}

/* Outages that ended with this message: a long one is told with its last fault. */
static void tell_outages(struct chaos *c, const struct chaos_samples *samples, size_t before, double most_s)
{
	const struct up_run *run = fixture_run(c->drill);
	for (size_t i = before; i < samples->count; i++) {
		bool slow = samples->s[i] > most_s;
		c->slow += slow;
		if (slow || c->verbose)
			fprintf(stderr, "%8.2f s  drives again %.2f s after %s%s%s\n",
			    (double)(cli_now_ns() - run->start_ns) * 1e-9, samples->s[i], c->last_fault,
			    slow ? ": " : "", slow ? fixture_run_dir(c->drill) : "");
	}
}

/* Any process that runs now (of the command path, if it is aimed), any fault. */
static void strike(struct chaos *c)
{
	const struct cairn_msg_stages *stages = &fixture_run(c->drill)->stages;
	uint32_t choice[sizeof(stages->items) / sizeof(stages->items[0])], choices = 0;
	for (uint32_t i = 0; i < stages->items_count; i++) {
		if (stages->items[i].pid > 0 && (!c->aimed || on_command_path(stages->items[i].name)))
			choice[choices++] = i;
	}
	if (choices == 0)
		return;
	const struct cairn_msg_stage *st = &stages->items[choice[cairn_rng_u32(&c->rng) % choices]];
	enum fault fault = (enum fault)(cairn_rng_u32(&c->rng) % FAULT_COUNT);
	inflict(c, st->name, st->pid, fault);
}

static void plan_next(struct chaos *c, int64_t now_ns)
{
	double s = PAUSE_MIN_S + cairn_rng_uniform(&c->rng) * (PAUSE_MAX_S - PAUSE_MIN_S);
	c->due_ns = now_ns + (int64_t)(s * 1e9);
	c->last_due_ns = now_ns + (int64_t)(PAUSE_MAX_S * 1e9);
	c->aimed = cairn_rng_uniform(&c->rng) < COMMAND_PATH_SHARE;
}

/* Everything that has to be done between two looks at the bus; true when the house is done with. */
static bool tend(const struct up_run *run, void *ctx)
{
	struct chaos *c = ctx;
	int64_t now_ns = cli_now_ns();
	size_t again = c->meter.again.count, plane = c->meter.again_plane.count;
	if (run->have_motion)
		chaos_meter_motion(&c->meter, &run->motion, run->stamp_ns[UP_MOTION], mission_over(run));
	tell_outages(c, &c->meter.again, again, AGAIN_P99_S);
	tell_outages(c, &c->meter.again_plane, plane, AGAIN_PLANE_S);
	if (run->have_mission)
		chaos_meter_mission(&c->meter, &run->mission);
	size_t braked = c->meter.braked.count;
	if (run->have_truth)
		chaos_meter_truth(&c->meter, &run->truth, run->stamp_ns[UP_TRUTH]);
	if (c->verbose && c->meter.braked.count > braked)
		fprintf(stderr, "%8.2f s  braked after %.3f s\n", (double)(now_ns - run->start_ns) * 1e-9,
		    c->meter.braked.s[braked]);
	if (c->stopped_pid != 0 && now_ns >= c->continue_ns)
		wake_stopped(c);
	if (now_ns >= c->end_ns || (run->have_mission && run->mission.state == CAIRN_MISSION_STATE_FINISHED))
		return true;
	bool wait = c->aimed && now_ns < c->last_due_ns && !chaos_meter_drives(&c->meter, now_ns);
	if (now_ns >= c->due_ns && !wait) {
		strike(c);
		plan_next(c, now_ns);
	}
	return false;
}

static bool driving(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_motion && run->have_mission && run->have_stages && run->motion.v_mps != 0.0;
}

/* ---- descriptors ---- */

static bool all_up(const struct up_run *run, void *ctx)
{
	(void)ctx;
	bool up = run->have_stages && run->have_mission && run->stages.items_count > 0;
	for (uint32_t i = 0; up && i < run->stages.items_count; i++)
		up = run->stages.items[i].state == CAIRN_STAGE_STATE_UP;
	return up;
}

static int fds_of(const struct chaos *c, const struct fds *f)
{
	bool up = strcmp(f->name, "cairn up") == 0;
	return cairn_procstat_fds(up ? fixture_up_pid(c->drill) : fixture_pid(c->drill, f->name));
}

/* A condition to wait for: the time is up, during which the most is noted. */
static bool noted_fds(const struct up_run *run, void *ctx)
{
	struct chaos *c = ctx;
	(void)run;
	for (int i = 0; i < c->fds_count; i++) {
		int now = fds_of(c, &c->fds[i]);
		c->fds[i].count = now > c->fds[i].count ? now : c->fds[i].count;
	}
	return cli_now_ns() >= c->fds_end_ns;
}

static void note_fds(struct chaos *c)
{
	const struct cairn_msg_stages *stages = &fixture_run(c->drill)->stages;
	c->fds_count = 0;
	for (uint32_t i = 0; i <= stages->items_count && c->fds_count < FDS_MAX; i++) {
		struct fds *f = &c->fds[c->fds_count++];
		*f = (struct fds){.now = INT_MAX};
		snprintf(f->name, sizeof(f->name), "%s",
		    i < stages->items_count ? stages->items[i].name : "cairn up");
	}
	c->fds_end_ns = cli_now_ns() + (int64_t)(FDS_NOTE_S * 1e9);
	fixture_wait(c->drill, noted_fds, c, FDS_NOTE_S + 1.0);
}

/* Each process, reborn or not, has been seen to hold no more than at the start; a file that is being saved
 * just now is closed soon. */
static bool no_more_fds(const struct up_run *run, void *ctx)
{
	struct chaos *c = ctx;
	bool none = true;
	(void)run;
	for (int i = 0; i < c->fds_count; i++) {
		struct fds *f = &c->fds[i];
		int now = f->now > f->count ? fds_of(c, f) : f->now;
		if (now > 0) /* it lives */
			f->now = now < f->now ? now : f->now;
		none = none && f->now <= f->count;
	}
	return none;
}

static void compare_fds(struct chaos *c)
{
	char text[96];
	if (!fixture_wait(c->drill, all_up, NULL, SETTLE_TIMEOUT_S) && !cli_interrupted()) {
		complain(c, "not all stages came back", fixture_run_dir(c->drill));
		c->bad_ends++;
		return;
	}
	fixture_wait(c->drill, no_more_fds, c, FDS_TIMEOUT_S);
	if (cli_interrupted())
		return; /* it may not have seen enough */
	for (int i = 0; i < c->fds_count; i++) {
		const struct fds *f = &c->fds[i];
		if (f->now <= f->count)
			continue;
		c->fds_leaked += f->now - f->count;
		snprintf(text, sizeof(text), "%s has %d, had %d", f->name, f->now, f->count);
		complain(c, "descriptors", text);
	}
}

/* What the robot has learned must be there, whole. */
static void read_back(struct chaos *c)
{
	char path[320];
	struct cairn_error err = {""};
	struct cairn_config cfg;
	snprintf(path, sizeof(path), "%s/config.yaml", fixture_run_dir(c->drill));
	cairn_config_defaults(&cfg);
	if (!cairn_config_load(&cfg, path, &err)) {
		complain(c, "configuration", err.text);
		c->broken_files++;
		return;
	}
	snprintf(path, sizeof(path), "%s/state/map.bin", fixture_run_dir(c->drill));
	struct cairn_mapper *mapper = cairn_mapper_load(&cfg, path, &err);
	if (mapper == NULL) {
		complain(c, "map", err.text);
		c->broken_files++;
	}
	cairn_mapper_destroy(&mapper);
	snprintf(path, sizeof(path), "%s/state/memory.yaml", fixture_run_dir(c->drill));
	struct cairn_ledger ledger = {0};
	cairn_memory_init(&c->memory);
	if (!cairn_memory_load(&c->memory, &ledger, path, &err)) {
		complain(c, "memory", err.text);
		c->broken_files++;
	}
}

static void end_house(struct chaos *c)
{
	struct cairn_error left = {""};
	wake_stopped(c);
	if (fixture_up_pid(c->drill) > 0 && c->fds_count > 0)
		compare_fds(c);
	c->decisions += fixture_run(c->drill)->mission.decisions;
	int status = fixture_end(c->drill, SIGINT, END_TIMEOUT_S, NULL, 0);
	if (fixture_run(c->drill)->truth.contacts > 0) {
		c->contacts += fixture_run(c->drill)->truth.contacts;
		complain(c, "contact", fixture_run(c->drill)->truth.last_contact);
	} else if (status != 0) {
		c->bad_ends++;
		complain(c, "the stack did not end as asked", fixture_run_dir(c->drill));
	}
	int leftovers = fixture_leftovers(c->drill, &left);
	if (leftovers > 0)
		complain(c, "left behind", left.text);
	c->leftovers += leftovers;
	read_back(c);
}

/* One house, from its start until it is explored or the time is up. False when it cannot go on. */
static bool run_house(struct chaos *c, const char *cairn)
{
	/* Dying often is what this is about: nothing is to be held failed for it. */
	const char *args[DRILL_ARGS_MAX + 1] = {
	    "--world", worlds[c->houses % WORLD_COUNT], "--set", "launcher.deaths_max=1000"};
	struct cairn_error err = {""};
	for (int i = 0, n = 4; i < c->set_count && n + 1 < DRILL_ARGS_MAX; i++) {
		args[n++] = "--set";
		args[n++] = c->sets[i];
	}
	c->drill = fixture_start(cairn, args, &err);
	if (c->drill == NULL) {
		complain(c, "cannot start", err.text);
		return false;
	}
	c->houses++;
	c->slow = 0;
	chaos_meter_house(&c->meter);
	bool drove = fixture_wait(c->drill, driving, NULL, UP_TIMEOUT_S);
	c->fds_count = 0;
	if (drove && fixture_wait(c->drill, all_up, NULL, UP_TIMEOUT_S))
		note_fds(c);
	plan_next(c, cli_now_ns());
	bool over = drove && fixture_wait(c->drill, tend, c, (double)(c->end_ns - cli_now_ns()) * 1e-9 + 1.0);
	if (cli_interrupted()) { /* nothing to be judged */
		wake_stopped(c);
		fixture_destroy(&c->drill, false);
		return false;
	}
	if (!drove) {
		c->never_drove++;
		complain(c, "the robot never drove", fixture_run_dir(c->drill));
	}
	if (drove && !over)
		complain(c, "the stack ended by itself", fixture_run_dir(c->drill));
	int before = c->leftovers + c->broken_files + c->bad_ends + (int)c->contacts;
	end_house(c);
	bool clean = over && before == c->leftovers + c->broken_files + c->bad_ends + (int)c->contacts;
	c->bad_ends += drove && !over;
	fixture_destroy(&c->drill, !clean || c->slow > 0);
	return over;
}

static json_t *seconds_or_null(double s)
{
	return isfinite(s) ? json_real(s) : json_null();
}

static void add_samples(json_t *figures, const char *name, struct chaos_samples *samples)
{
	json_object_set_new(figures, name,
	    json_pack("{s:I,s:o,s:o,s:o}", "count", (json_int_t)samples->count, "p50_s",
		seconds_or_null(chaos_quantile(samples, 0.5)), "p99_s",
		seconds_or_null(chaos_quantile(samples, 0.99)), "max_s",
		seconds_or_null(chaos_quantile(samples, 1.0))));
}

/* A long run has to show every mark; a short one may be over before it has. */
static bool in_time(struct chaos_meter *m, bool whole, json_t *marks)
{
	const struct {
		const char *name;
		struct chaos_samples *samples;
		size_t bridged;
		double p, at_most_s;
		size_t samples_min;
	} rows[] = {{"braked_p99", &m->braked, 0, 0.99, BRAKED_P99_S, SAMPLES_MIN},
	    {"drives_again_p50", &m->again, 0, 0.5, AGAIN_P50_S, SAMPLES_MIN},
	    {"drives_again_p99", &m->again, 0, 0.99, AGAIN_P99_S, SAMPLES_MIN},
	    {"drives_again_roudi_p99", &m->again_plane, m->plane_bridged, 0.99, AGAIN_PLANE_S,
		SAMPLES_PLANE_MIN}};
	bool ok = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum chaos_mark mark = chaos_mark(
		    rows[i].samples, rows[i].bridged, rows[i].p, rows[i].at_most_s, rows[i].samples_min);
		json_object_set_new(marks, rows[i].name, json_string(chaos_mark_name(mark)));
		ok = ok && (mark == CHAOS_MARK_MET || (mark == CHAOS_MARK_NOT_SHOWN && !whole));
	}
	return ok;
}

static bool judge(struct chaos *c, json_t *figures, double ran_s, int shared, bool timed)
{
	struct chaos_meter *m = &c->meter;
	json_t *marks = json_object();
	bool quick = in_time(m, ran_s >= WHOLE_S, marks);
	json_object_set_new(figures, "ran_s", json_real(ran_s));
	json_object_set_new(figures, "houses", json_integer(c->houses));
	for (int f = 0; f < FAULT_COUNT; f++)
		json_object_set_new(figures, fault_names[f], json_integer(c->faults[f]));
	json_object_set_new(figures, "contacts", json_integer(c->contacts));
	json_object_set_new(figures, "decisions", json_integer(c->decisions));
	json_object_set_new(figures, "decisions_resumed", json_integer(m->decisions_resumed));
	json_object_set_new(figures, "decisions_lost", json_integer(m->decisions_hit - m->decisions_resumed));
	add_samples(figures, "braked", &m->braked);
	add_samples(figures, "stood", &m->stood);
	json_object_set_new(figures, "bridged", json_integer(m->bridged));
	json_object_set_new(figures, "unseen", json_integer(m->unseen));
	add_samples(figures, "drives_again", &m->again);
	add_samples(figures, "drives_again_roudi", &m->again_plane);
	json_object_set_new(figures, "bridged_roudi", json_integer(m->plane_bridged));
	json_object_set_new(figures, "broken_files", json_integer(c->broken_files));
	json_object_set_new(figures, "bad_ends", json_integer(c->bad_ends));
	json_object_set_new(figures, "leftovers", json_integer(c->leftovers));
	json_object_set_new(figures, "descriptors_leaked", json_integer(c->fds_leaked));
	json_object_set_new(figures, "in_time", json_boolean(quick));
	json_object_set_new(figures, "marks", marks);
	json_object_set_new(figures, "shared_memory_left", json_integer(shared));
	if (c->problem.text[0] != '\0')
		json_object_set_new(figures, "problem", json_string(c->problem.text));
	return c->contacts == 0 && c->leftovers == 0 && shared <= 0 && c->broken_files == 0 &&
	       c->bad_ends == 0 && c->never_drove == 0 && c->fds_leaked == 0 && m->again.count > 0 &&
	       (!timed || quick);
}

enum cairn_eval_end cairn_eval_chaos(const struct cli *cli, json_t *figures)
{
	static struct chaos c; /* large */
	char dir[4096], cairn[4200];
	double limit_s = DEFAULT_S;
	long seed = cli_count(cli, "seed", 1);
	if (seed < 0 || !cli_time(cli, "for", &limit_s))
		return CAIRN_EVAL_USAGE;
	if (!cairn_program_dir(dir, sizeof(dir))) {
		json_object_set_new(figures, "problem", json_string("where this program is cannot be told"));
		return CAIRN_EVAL_FAILED;
	}
	snprintf(cairn, sizeof(cairn), "%s/cairn", dir);
	cairn_rng_seed(&c.rng, (uint64_t)seed, 0);
	c.verbose = cli_value(cli, "verbose") != NULL;
	c.sets = cli_values(cli, "set", &c.set_count);
	int shared = fixture_count_shared();
	int64_t begin_ns = cli_now_ns();
	c.end_ns = begin_ns + (int64_t)(limit_s * 1e9);
	while (cli_now_ns() < c.end_ns && run_house(&c, cairn))
		;
	return judge(&c, figures, (double)(cli_now_ns() - begin_ns) * 1e-9, fixture_count_shared() - shared,
	    cli_value(cli, "untimed") == NULL);
}
