/* eval_safety.c - hostile pilots in random houses: episodes dealt out to processes, added up, judged. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"

#include "common/eval/safety.h"
#include "common/rules/config_check.h"
#include "procs/lab/bench.h"
#include "procs/cli/cli.h"
#include "procs/lab/jobs.h"
#include "procs/lab/provenance.h"

#define HOURS_DEFAULT 5.0
#define HOURS_MAX 10000.0
#define HOUSES_MIN 12         /* one house alone may cost a quarter or nothing */
#define EPISODES_PER_HOUSE 20 /* of the houses that tell what safety costs */

/* Pieces 0 .. episodes - 1 are episodes, those after them houses. */
struct piece {
	struct cairn_safety_episode episode;
	struct cairn_safety_cost cost;
};
_Static_assert(sizeof(struct piece) <= CAIRN_JOB_BYTES_MAX, "a piece fits");

struct plan {
	double hours;
	uint64_t episodes, houses;
	long jobs;
	bool verbose;
	const char *state;
	struct cairn_config cfg;
	struct cairn_safety_options options;
	struct piece *pieces;
	bool *done;
	/* for the line of progress */
	uint64_t contacts;
	double seconds;
};

static bool read_without(const char *without, struct cairn_safety_options *o)
{
	if (without == NULL)
		return true;
	o->without_sequencer = strcmp(without, "sequencer") == 0 || strncmp(without, "sequencer,", 10) == 0 ||
			       strcmp(without, "motor,sequencer") == 0;
	o->without_motor = strcmp(without, "motor") == 0 || strncmp(without, "motor,", 6) == 0 ||
			   strcmp(without, "sequencer,motor") == 0;
	if (o->without_sequencer || o->without_motor)
		return true;
	fprintf(stderr, "cairn eval safety: --without takes sequencer, motor, or both with a comma\n");
	return false;
}

static bool read_plan(const struct cli *cli, struct plan *p)
{
	const char *hours = cli_value(cli, "hours");
	char *end = NULL;
	long seed = cli_count(cli, "seed", 1);
	struct cairn_error err = {""};
	const char *file = cli_value(cli, "config");
	cairn_config_defaults(&p->cfg);
	if (file != NULL && (!cairn_config_load(&p->cfg, file, &err) || !cairn_config_check(&p->cfg, &err))) {
		fprintf(stderr, "cairn eval safety: %s\n", err.text);
		return false;
	}
	p->hours = hours != NULL ? strtod(hours, &end) : HOURS_DEFAULT;
	p->jobs = cli_count(cli, "jobs", cairn_jobs_default());
	p->verbose = cli_value(cli, "verbose") != NULL;
	p->state = cli_value(cli, "state");
	if (seed < 0 || p->jobs < 1)
		return false;
	if ((end != NULL && *end != '\0') || !(p->hours > 0.0 && p->hours <= HOURS_MAX)) {
		fprintf(stderr, "cairn eval safety: --hours must be a number of hours up to %g\n", HOURS_MAX);
		return false;
	}
	p->episodes = (uint64_t)ceil(p->hours * 3600.0 / CAIRN_SAFETY_EPISODE_S);
	p->options = (struct cairn_safety_options){.cfg = &p->cfg, .seed = (uint64_t)seed};
	if (!read_without(cli_value(cli, "without"), &p->options))
		return false;
	/* What a layer costs is asked of the whole chain only. */
	bool whole = !p->options.without_sequencer && !p->options.without_motor;
	uint64_t houses = p->episodes / EPISODES_PER_HOUSE;
	p->houses = !whole ? 0 : houses > HOUSES_MIN ? houses : HOUSES_MIN;
	return true;
}

/* ---- running ---- */

static bool work(void *ctx, uint64_t number, void *result, struct cairn_error *err)
{
	struct plan *p = ctx;
	struct piece *piece = result;
	if (number < p->episodes)
		return cairn_safety_drive(&p->options, number, &piece->episode, err);
	return cairn_safety_cost(&p->options, number - p->episodes, &piece->cost, err);
}

static void take(void *ctx, uint64_t number, const void *result)
{
	struct plan *p = ctx;
	const struct cairn_safety_episode *e = &((const struct piece *)result)->episode;
	p->contacts += e->tally.contacts;
	p->seconds += e->tally.seconds;
	for (uint32_t i = 0; p->verbose && i < e->kept_count; i++)
		fprintf(stderr, "contact: episode %llu (%s) after %.2f s with %s at %.2f m/s\n",
		    (unsigned long long)number, cairn_adversary_name((enum cairn_adversary)e->kept[i].pilot),
		    e->kept[i].t_s, e->kept[i].what, e->kept[i].v_mps);
}

static void note(void *ctx, char *text, size_t bytes)
{
	const struct plan *p = ctx;
	snprintf(text, bytes, "%.1f h driven, %llu contacts", p->seconds / 3600.0,
	    (unsigned long long)p->contacts);
}

static enum cairn_jobs_end run(struct plan *p)
{
	const uint64_t what[] = {p->options.seed, p->options.without_sequencer, p->options.without_motor,
	    p->episodes, p->houses, cairn_provenance_config(&p->cfg)};
	uint64_t key = cairn_hash_bytes(CAIRN_HASH_START, what, sizeof(what));
	struct cairn_jobs shards = {.count = p->episodes + p->houses,
	    .bytes = sizeof(*p->pieces),
	    .jobs = p->jobs,
	    .work = work,
	    .take = take,
	    .note = note,
	    .ctx = p,
	    .interrupted = cli_interrupted,
	    .title = "cairn eval safety",
	    .state_path = p->state,
	    .key = cairn_hash_bytes(key, &p->cfg, sizeof(p->cfg))};
	void *pieces;
	enum cairn_jobs_end end = cairn_jobs_do(&shards, &pieces, &p->done);
	p->pieces = pieces;
	return end;
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

static json_t *histogram(const struct cairn_safety_tally *r)
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

/* States in which the motor stage holds or slows the robot, whoever asked for what. */
static double held_s(const struct cairn_safety_tally *r)
{
	double s = 0.0;
	for (int i = 0; i < CAIRN_MOTOR_STATE_COUNT; i++)
		s += i == CAIRN_MOTOR_STATE_IDLE || i == CAIRN_MOTOR_STATE_DRIVING ||
			     i == CAIRN_MOTOR_STATE_SLOWED
			 ? 0.0
			 : r->state_s[i];
	return s;
}

/* What all groups tell. */
static json_t *tally(const struct cairn_safety_tally *r)
{
	json_t *o = json_object(), *stops = json_object(), *seconds = json_object(),
	       *outcomes = json_object(), *blocked = json_object();
	set_count(o, "episodes", r->episodes);
	set_real(o, "hours", r->seconds / 3600.0);
	set_count(o, "contacts", r->contacts);
	set_real(o, "clearance_min_m", r->clearance_min_m);
	json_object_set_new(o, "clearance_samples_while_moving", histogram(r));
	set_real(o, "driven_m", r->driven_m);
	set_real(o, "moving_s", r->moving_s);
	set_real(o, "stood_while_executing_s", r->stood_s);
	set_real(o, "held_by_motor_s", held_s(r));
	set_count(o, "decisions", r->decisions);
	set_count(o, "refused", r->refused);
	set_count(o, "scans_compared_with_the_motion", r->scans_compared);
	set_count(o, "scans_taken_for_an_old_picture", r->scans_still);
	set_count(o, "scans_taken_for_another_picture", r->scans_astray);
	set_count(o, "motions_compared_by_sensors", r->votes_heard);
	set_count(o, "contradictions_of_sensors", r->contradictions);
	for (int i = 0; i < CAIRN_MOTOR_STATE_COUNT; i++) {
		set_count(stops, cairn_enum_text(&cairn_enum_motor_state, i), r->stops[i]);
		set_real(seconds, cairn_enum_text(&cairn_enum_motor_state, i), r->state_s[i]);
	}
	for (int i = 0; i < CAIRN_BLOCKER_COUNT; i++)
		set_count(blocked, cairn_blocker_name((enum cairn_blocker)i), r->blocked_by[i]);
	for (int i = 0; i < CAIRN_OUTCOME_COUNT; i++)
		set_count(outcomes, cairn_enum_text(&cairn_enum_outcome, i), r->outcomes[i]);
	json_object_set_new(o, "motor_entered", stops);
	json_object_set_new(o, "blocked_by", blocked);
	json_object_set_new(o, "motor_seconds", seconds);
	json_object_set_new(o, "outcomes", outcomes);
	return o;
}

static void add_groups(json_t *figures, const struct cairn_safety_report *r)
{
	json_t *pilots = json_object(), *hazards = json_object();
	for (int i = 0; i < CAIRN_HOSTILE_COUNT; i++) {
		json_t *o = tally(&r->by_pilot[i]);
		set_count(o, "hostile_answers", r->by_pilot[i].hostile);
		json_object_set_new(pilots, cairn_adversary_name((enum cairn_adversary)i), o);
	}
	for (int i = 0; i < CAIRN_HAZARD_COUNT; i++) {
		json_t *o = tally(&r->by_hazard[i]);
		set_count(o, "met", r->by_hazard[i].met[i]);
		json_object_set_new(hazards, cairn_hazard_name((enum cairn_hazard)i), o);
	}
	json_object_set_new(figures, "by_pilot", pilots);
	json_object_set_new(figures, "by_hazard", hazards);
}

static void add_contacts(json_t *figures, const struct plan *p)
{
	json_t *list = json_array();
	for (uint64_t k = 0; k < p->episodes; k++) {
		const struct cairn_safety_episode *e = &p->pieces[k].episode;
		for (uint32_t i = 0; p->done[k] && i < e->kept_count && json_array_size(list) < 32; i++) {
			const struct cairn_safety_contact *c = &e->kept[i];
			json_t *o = json_object();
			set_count(o, "episode", c->episode);
			json_object_set_new(
			    o, "pilot", json_string(cairn_adversary_name((enum cairn_adversary)c->pilot)));
			json_object_set_new(o, "with", json_string(c->what));
			set_real(o, "at_s", c->t_s);
			set_real(o, "v_mps", c->v_mps);
			json_array_append_new(list, o);
		}
	}
	json_object_set_new(figures, "first_contacts", list);
}

static struct cairn_safety_cost add_cost(json_t *figures, const struct plan *p)
{
	struct cairn_safety_cost sum = {0};
	uint64_t houses = 0;
	for (uint64_t k = p->episodes; k < p->episodes + p->houses; k++) {
		houses += p->done[k];
		if (p->done[k])
			cairn_safety_cost_add(&sum, &p->pieces[k].cost);
	}
	json_t *o = json_object();
	set_count(o, "houses", houses);
	set_count(o, "goals", sum.goals);
	set_count(o, "legs", sum.legs);
	set_count(o, "missed", sum.missed);
	set_count(o, "missed_by_follower", sum.missed_follower);
	set_real(o, "missed_share", cairn_safety_cost_missed_share(&sum));
	set_real(o, "missed_mark", CAIRN_SAFETY_MISSED_MAX);
	set_real(o, "chain_s", sum.chain_s);
	set_real(o, "map_follower_s", sum.follower_s);
	set_real(o, "time_lost_share", cairn_safety_cost_lost_share(&sum));
	set_real(o, "mark", CAIRN_SAFETY_LOST_MAX);
	set_count(o, "contacts", sum.contacts);
	json_object_set_new(figures, "against_map_follower", o);
	return sum;
}

static void add_verdict(json_t *figures, const struct cairn_safety_verdict *v)
{
	json_t *o = json_object();
	json_object_set_new(o, "untouched", json_boolean(v->untouched));
	json_object_set_new(o, "moved", json_boolean(v->moved));
	json_object_set_new(o, "housed", json_boolean(v->housed));
	json_object_set_new(o, "quick", json_boolean(v->quick));
	json_object_set_new(o, "arrived", json_boolean(v->arrived));
	json_object_set_new(figures, "judged", o);
}

static bool judge(const struct plan *p, json_t *figures, bool finished, double took_s)
{
	struct cairn_safety_report r;
	cairn_safety_report_init(&r);
	for (uint64_t k = 0; k < p->episodes; k++)
		if (p->done[k])
			cairn_safety_report_add(&r, &p->pieces[k].episode);
	json_t *all = tally(&r.all);
	json_object_update(figures, all);
	json_decref(all);
	set_count(figures, "skipped", r.skipped);
	json_object_set_new(figures, "finished", json_boolean(finished));
	struct cairn_safety_cost cost = add_cost(figures, p);
	struct cairn_safety_verdict verdict = cairn_safety_judge(&r, p->houses > 0 ? &cost : NULL);
	add_verdict(figures, &verdict);
	add_groups(figures, &r);
	add_contacts(figures, p);
	set_count(figures, "jobs", (uint64_t)p->jobs);
	set_real(figures, "wall_s", took_s);
	set_real(figures, "speed_factor", took_s > 0.0 ? r.all.seconds / took_s : 0.0);
	return finished && cairn_safety_passed(&verdict);
}

enum cairn_eval_end cairn_eval_safety(const struct cli *cli, json_t *figures)
{
	struct plan *p = calloc(1, sizeof(*p));
	bool passed = false;
	if (p == NULL || !read_plan(cli, p)) {
		free(p);
		return CAIRN_EVAL_USAGE;
	}
	cli_catch_signals();
	int64_t start_ns = cli_now_ns();
	enum cairn_jobs_end end = run(p);
	if (p->pieces != NULL && p->done != NULL)
		passed = judge(p, figures, end == CAIRN_JOBS_DONE, (double)(cli_now_ns() - start_ns) * 1e-9);
	free(p->pieces);
	free(p->done);
	free(p);
	return passed;
}
