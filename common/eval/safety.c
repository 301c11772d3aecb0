#include "common/eval/safety.h"

#include <stdlib.h>
#include <string.h>

#include "common/eval/hostile.h"
#include "common/world/generate.h"

#define MOVING_MPS 0.02
#define SAMPLE_STEPS 10
#define CLEARANCE_MAX_M 1.0
#define STREAM 41

const double cairn_safety_bins_m[CAIRN_SAFETY_BINS - 1] = {0.01, 0.02, 0.03, 0.05, 0.10, 0.20, 0.50};

const char *cairn_hostile_name(enum cairn_hostile pilot)
{
	static const char *const names[CAIRN_HOSTILE_COUNT] = {
	    "forward", "random", "flip", "unsafe", "stale", "replay", "absurd", "sensible"};
	return (unsigned)pilot < CAIRN_HOSTILE_COUNT ? names[pilot] : "?";
}

void cairn_safety_report_init(struct cairn_safety_report *report)
{
	*report = (struct cairn_safety_report){.clearance_min_m = CLEARANCE_MAX_M};
}

static void keep_contact(struct cairn_safety_report *r, const struct cairn_safety_contact *c)
{
	if (r->kept_count < CAIRN_SAFETY_CONTACTS_KEPT)
		r->kept[r->kept_count++] = *c;
}

void cairn_safety_report_add(struct cairn_safety_report *sum, const struct cairn_safety_report *more)
{
	sum->episodes += more->episodes;
	sum->skipped += more->skipped;
	sum->contacts += more->contacts;
	sum->decisions += more->decisions;
	sum->refused += more->refused;
	sum->seconds += more->seconds;
	sum->driven_m += more->driven_m;
	sum->moving_s += more->moving_s;
	sum->stood_s += more->stood_s;
	sum->clearance_min_m = fmin(sum->clearance_min_m, more->clearance_min_m);
	for (int i = 0; i < CAIRN_SAFETY_BINS; i++)
		sum->clearance[i] += more->clearance[i];
	for (int i = 0; i < CAIRN_MOTOR_STATE_COUNT; i++) {
		sum->stops[i] += more->stops[i];
		sum->state_s[i] += more->state_s[i];
	}
	for (int i = 0; i < CAIRN_OUTCOME_COUNT; i++)
		sum->outcomes[i] += more->outcomes[i];
	for (int i = 0; i < CAIRN_HOSTILE_COUNT; i++)
		sum->contacts_by_pilot[i] += more->contacts_by_pilot[i];
	for (uint32_t i = 0; i < more->kept_count; i++)
		keep_contact(sum, &more->kept[i]);
}

/* ---- one episode ---- */

struct episode {
	const struct cairn_safety_options *o;
	uint64_t number;
	struct cairn_config cfg;
	struct cairn_hostile_pilot pilot;
	struct cairn_safety_report *report;
	struct cairn_world *world;
	enum cairn_motor_state state;
	uint32_t contacts;
	uint64_t steps;
};

static void note_contact(struct episode *e, struct cairn_run *run)
{
	const struct cairn_body *b = &cairn_run_truth(run)->body;
	struct cairn_safety_contact c = {.episode = e->number,
	    .pilot = (uint32_t)e->pilot.kind,
	    .t_s = cairn_run_elapsed_s(run),
	    .v_mps = cairn_run_sent(run).v_mps};
	struct cairn_msg_sim_truth truth;
	cairn_sim_truth_message(cairn_run_sim(run), &truth);
	snprintf(c.what, sizeof(c.what), "%.40s", truth.last_contact);
	e->contacts = b->contacts;
	e->report->contacts_by_pilot[e->pilot.kind]++;
	keep_contact(e->report, &c);
	if (e->o->on_contact != NULL)
		e->o->on_contact(e->o->ctx, &c);
}

static void sample(struct episode *e, struct cairn_run *run)
{
	struct cairn_safety_report *r = e->report;
	bool moving = fabs(cairn_run_truth(run)->body.v_mps) > MOVING_MPS;
	double dt_s = SAMPLE_STEPS * CAIRN_SIM_STEP_S;
	if (!moving) {
		const struct cairn_sequencer_output *out = cairn_run_output(run);
		bool busy = out->mission.decision_source != CAIRN_SOURCE_NONE &&
			    strcmp(out->mission.activity, "standing") != 0;
		r->stood_s += busy ? dt_s : 0.0;
		return;
	}
	r->moving_s += dt_s;
	double clearance = cairn_run_clearance_m(run, CLEARANCE_MAX_M);
	r->clearance_min_m = fmin(r->clearance_min_m, clearance);
	int bin = 0;
	while (bin < CAIRN_SAFETY_BINS - 1 && clearance >= cairn_safety_bins_m[bin])
		bin++;
	r->clearance[bin]++;
}

static bool observe(void *ctx, struct cairn_run *run)
{
	struct episode *e = ctx;
	enum cairn_motor_state state = cairn_motor_state(cairn_run_motor(run));
	if (state != e->state)
		e->report->stops[state]++;
	e->state = state;
	if (cairn_run_truth(run)->body.contacts > e->contacts)
		note_contact(e, run);
	if (e->steps++ % SAMPLE_STEPS == 0)
		sample(e, run);
	return true;
}

/* What chance decides about house, sensors and pilot. */
static struct cairn_house_params prepare(struct episode *e, double *ret_delay_s)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, e->o->seed * UINT64_C(1000003) + e->number, STREAM);
	struct cairn_config *cfg = &e->cfg;
	*cfg = *e->o->cfg;
	cfg->sim.seed = (int)(cairn_rng_u32(&rng) >> 2);
	cfg->pilot.seed = (int)(cairn_rng_u32(&rng) >> 2);
	cfg->sim.noise = true;
	cfg->sim.slip = 0.10 * cairn_rng_uniform(&rng);
	cfg->sim.lidar_noise_m = 0.005 + 0.015 * cairn_rng_uniform(&rng);
	cfg->sim.lidar_dropout = cairn_rng_uniform(&rng) < 0.5 ? 0.30 : 0.02;
	cfg->pilot.latency_mean_s = 0.2 + 0.6 * cairn_rng_uniform(&rng);
	cfg->map.extent_max_m = fmin(cfg->map.extent_max_m, 30.0);
	snprintf(cfg->sim.start, sizeof(cfg->sim.start), "auto");
	*ret_delay_s = cairn_rng_uniform(&rng) < 0.5 ? 0.20 : 0.02;
	e->pilot = (struct cairn_hostile_pilot){
	    .kind = (enum cairn_hostile)(e->number % CAIRN_HOSTILE_COUNT), .raw = e->o->without_sequencer};
	cairn_rng_seed(&e->pilot.rng, (uint64_t)cfg->pilot.seed, STREAM + 1);
	return (struct cairn_house_params){.seed = e->o->seed * UINT64_C(7919) + e->number,
	    .people = cairn_rng_u32(&rng) % 4,
	    .person_speed_mps = 1.0,
	    .heedless_m = 1.0,
	    .low_boxes = cairn_rng_u32(&rng) % 4,
	    .glass_panes = cairn_rng_u32(&rng) % 2,
	    .shelves = cairn_rng_u32(&rng) % 2,
	    .swinging_door = cairn_rng_uniform(&rng) < 0.5};
}

static void sum_up(struct episode *e, struct cairn_run *run)
{
	struct cairn_safety_report *r = e->report;
	struct cairn_run_totals t = cairn_run_totals(run);
	r->episodes++;
	r->contacts += t.contacts;
	r->decisions += t.decisions;
	r->refused += t.outcomes[CAIRN_OUTCOME_REFUSED];
	r->seconds += cairn_run_elapsed_s(run);
	r->driven_m += t.odometry_m;
	for (int i = 0; i < CAIRN_MOTOR_STATE_COUNT; i++)
		r->state_s[i] += t.state_s[i];
	for (int i = 0; i < CAIRN_OUTCOME_COUNT; i++)
		r->outcomes[i] += t.outcomes[i];
}

bool cairn_safety_episode(const struct cairn_safety_options *options, uint64_t episode,
    struct cairn_safety_report *report, struct cairn_error *err)
{
	struct episode *e = calloc(1, sizeof(*e));
	if (e == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	e->o = options;
	e->number = episode;
	e->report = report;
	double delay_s;
	struct cairn_house_params house = prepare(e, &delay_s);
	e->world = cairn_house_generate(&house, err);
	bool ok = e->world != NULL,
	     mapped = e->pilot.kind == CAIRN_HOSTILE_SENSIBLE || e->pilot.kind == CAIRN_HOSTILE_RANDOM;
	struct cairn_run_options o = {.cfg = &e->cfg,
	    .world = e->world,
	    .map = mapped ? CAIRN_RUN_MAP_TRUE_POSES : CAIRN_RUN_MAP_NONE,
	    .duration_s = options->seconds > 0.0 ? options->seconds : CAIRN_SAFETY_EPISODE_S,
	    .delay_s = delay_s,
	    .without_sequencer = options->without_sequencer,
	    .without_motor = options->without_motor,
	    .decide = e->pilot.kind == CAIRN_HOSTILE_SENSIBLE && !options->without_sequencer
			  ? NULL
			  : cairn_hostile_decide,
	    .decide_ctx = &e->pilot,
	    .observe = observe,
	    .observe_ctx = e};
	struct cairn_run *run = ok ? cairn_run_new(&o, err) : NULL;
	if (run != NULL) {
		cairn_run_all(run);
		sum_up(e, run);
		cairn_run_destroy(&run);
	} else if (ok) {
		report->skipped++;
	}
	cairn_world_destroy(&e->world);
	free(e);
	return ok;
}
