/* eval_safety.c - hostile pilots in random houses: episodes dealt out to processes, added up, judged. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/eval/safety.h"
#include "procs/cairn/bench.h"
#include "procs/cairn/cmd.h"

#define JOBS_MAX 64
#define HOURS_DEFAULT 5.0
#define HOURS_MAX 10000.0

struct plan {
	double hours;
	uint64_t episodes;
	long jobs;
	bool verbose;
	struct cairn_config cfg;
	struct cairn_safety_options options;
};

static void say_contact(void *ctx, const struct cairn_safety_contact *c)
{
	(void)ctx;
	fprintf(stderr, "contact: episode %llu (%s) after %.2f s with %s at %.2f m/s\n",
	    (unsigned long long)c->episode, cairn_hostile_name((enum cairn_hostile)c->pilot), c->t_s, c->what,
	    c->v_mps);
}

static bool read_plan(const struct cli *cli, struct plan *p)
{
	const char *hours = cli_value(cli, "hours"), *without = cli_value(cli, "without");
	char *end = NULL;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), seed = cli_count(cli, "seed", 1);
	cairn_config_defaults(&p->cfg);
	p->hours = hours != NULL ? strtod(hours, &end) : HOURS_DEFAULT;
	p->jobs = cli_count(cli, "jobs", cpus > 0 ? cpus : 1);
	p->verbose = cli_value(cli, "verbose") != NULL;
	if (seed < 0 || p->jobs < 1)
		return false;
	if ((end != NULL && *end != '\0') || !(p->hours > 0.0 && p->hours <= HOURS_MAX)) {
		fprintf(stderr, "cairn eval: --hours must be a number of hours up to %g\n", HOURS_MAX);
		return false;
	}
	p->jobs = p->jobs > JOBS_MAX ? JOBS_MAX : p->jobs;
	p->episodes = (uint64_t)ceil(p->hours * 3600.0 / CAIRN_SAFETY_EPISODE_S);
	p->options = (struct cairn_safety_options){
	    .cfg = &p->cfg, .seed = (uint64_t)seed, .on_contact = p->verbose ? say_contact : NULL};
	if (without == NULL)
		return true;
	p->options.without_sequencer = strstr(without, "sequencer") != NULL;
	p->options.without_motor = strstr(without, "motor") != NULL;
	if (p->options.without_sequencer || p->options.without_motor)
		return true;
	fprintf(stderr, "cairn eval: --without takes sequencer, motor, or both with a comma\n");
	return false;
}

/* In the child: every jobs-th episode, then the report down the pipe. */
static void work(const struct plan *p, long job, int fd)
{
	struct cairn_safety_report report;
	struct cairn_error err = {""};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	cairn_safety_report_init(&report);
	bool ok = true;
	for (uint64_t i = (uint64_t)job; ok && i < p->episodes; i += (uint64_t)p->jobs)
		ok = cairn_safety_episode(&p->options, i, &report, &err);
	if (!ok)
		fprintf(stderr, "cairn eval safety: %s\n", err.text);
	ssize_t n = ok ? write(fd, &report, sizeof(report)) : 0;
	_exit(n == (ssize_t)sizeof(report) ? 0 : 1);
}

static bool read_report(int fd, struct cairn_safety_report *report)
{
	size_t have = 0;
	while (have < sizeof(*report)) {
		ssize_t n = read(fd, (char *)report + have, sizeof(*report) - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return true;
}

static bool run_jobs(const struct plan *p, struct cairn_safety_report *sum)
{
	int fds[JOBS_MAX];
	pid_t pids[JOBS_MAX];
	bool ok = true;
	fflush(NULL);
	for (long i = 0; i < p->jobs; i++) {
		int ends[2] = {-1, -1};
		pids[i] = pipe(ends) == 0 ? fork() : -1;
		if (pids[i] == 0) {
			close(ends[0]);
			work(p, i, ends[1]);
		}
		if (ends[1] >= 0)
			close(ends[1]);
		fds[i] = ends[0];
	}
	for (long i = 0; i < p->jobs; i++) {
		struct cairn_safety_report part;
		bool got = pids[i] > 0 && read_report(fds[i], &part);
		if (got)
			cairn_safety_report_add(sum, &part);
		ok &= got;
		if (fds[i] >= 0)
			close(fds[i]);
		if (pids[i] > 0)
			waitpid(pids[i], NULL, 0);
	}
	return ok;
}

/* ---- figures ---- */

static void set_real(json_t *o, const char *name, double value)
{
	json_object_set_new(o, name, json_real(value));
}

static void set_count(json_t *o, const char *name, uint64_t value)
{
	json_object_set_new(o, name, json_integer((json_int_t)value));
}

static json_t *histogram(const struct cairn_safety_report *r)
{
	json_t *list = json_object();
	char name[32];
	for (int i = 0; i < CAIRN_SAFETY_BINS; i++) {
		if (i < CAIRN_SAFETY_BINS - 1)
			snprintf(name, sizeof(name), "below_%.2f_m", cairn_safety_bins_m[i]);
		else
			snprintf(name, sizeof(name), "more");
		set_count(list, name, r->clearance[i]);
	}
	return list;
}

static void add_states(json_t *figures, const struct cairn_safety_report *r)
{
	json_t *stops = json_object(), *seconds = json_object(), *outcomes = json_object(),
	       *pilots = json_object();
	for (int i = 0; i < CAIRN_MOTOR_STATE_COUNT; i++) {
		set_count(stops, cairn_enum_text(&cairn_enum_motor_state, i), r->stops[i]);
		set_real(seconds, cairn_enum_text(&cairn_enum_motor_state, i), r->state_s[i]);
	}
	for (int i = 0; i < CAIRN_OUTCOME_COUNT; i++)
		set_count(outcomes, cairn_enum_text(&cairn_enum_outcome, i), r->outcomes[i]);
	for (int i = 0; i < CAIRN_HOSTILE_COUNT; i++)
		set_count(pilots, cairn_hostile_name((enum cairn_hostile)i), r->contacts_by_pilot[i]);
	json_object_set_new(figures, "contacts_by_pilot", pilots);
	json_object_set_new(figures, "motor_entered", stops);
	json_object_set_new(figures, "motor_seconds", seconds);
	json_object_set_new(figures, "outcomes", outcomes);
}

static void add_contacts(json_t *figures, const struct cairn_safety_report *r)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < r->kept_count; i++) {
		const struct cairn_safety_contact *c = &r->kept[i];
		json_t *o = json_object();
		set_count(o, "episode", c->episode);
		json_object_set_new(
		    o, "pilot", json_string(cairn_hostile_name((enum cairn_hostile)c->pilot)));
		json_object_set_new(o, "with", json_string(c->what));
		set_real(o, "at_s", c->t_s);
		set_real(o, "v_mps", c->v_mps);
		json_array_append_new(list, o);
	}
	json_object_set_new(figures, "first_contacts", list);
}

bool cairn_eval_safety(const struct cli *cli, json_t *figures)
{
	struct plan *p = calloc(1, sizeof(*p));
	struct cairn_safety_report sum;
	cairn_safety_report_init(&sum);
	if (p == NULL || !read_plan(cli, p)) {
		free(p);
		return false;
	}
	int64_t start_ns = cli_now_ns();
	bool ok = run_jobs(p, &sum);
	double took_s = (double)(cli_now_ns() - start_ns) * 1e-9;
	set_real(figures, "hours", sum.seconds / 3600.0);
	set_count(figures, "episodes", sum.episodes);
	set_count(figures, "skipped", sum.skipped);
	set_count(figures, "contacts", sum.contacts);
	set_real(figures, "clearance_min_m", sum.clearance_min_m);
	json_object_set_new(figures, "clearance_samples_while_moving", histogram(&sum));
	set_real(figures, "driven_m", sum.driven_m);
	set_real(figures, "moving_s", sum.moving_s);
	set_real(figures, "stood_while_executing_s", sum.stood_s);
	set_count(figures, "decisions", sum.decisions);
	add_states(figures, &sum);
	add_contacts(figures, &sum);
	set_count(figures, "jobs", (uint64_t)p->jobs);
	set_real(figures, "wall_s", took_s);
	set_real(figures, "speed_factor", took_s > 0.0 ? sum.seconds / took_s : 0.0);
	/* Not to move is no way to pass. */
	bool moved = sum.driven_m > 0.01 * sum.seconds;
	free(p);
	return ok && sum.contacts == 0 && moved && sum.skipped * 20 <= sum.episodes + sum.skipped;
}
