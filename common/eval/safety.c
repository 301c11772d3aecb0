#include "common/eval/safety.h"

#include <stdlib.h>
#include <string.h>

#include "common/eval/adversary.h"
#include "common/sim/world/generate.h"

#define MOVING_MPS 0.02
#define SAMPLE_STEPS 10
#define CLEARANCE_MAX_M 1.0
#define STREAM 41
#define LOST_SHARE 0.2
#define OLD_NS (150 * CAIRN_NS_PER_MS)
#define DROPOUT_SHARE 0.30
#define DELAY_S 0.20
#define COST_GOALS 6
#define COST_DOOR_M 0.70
#define COST_FURNITURE 0.06
#define THINGS_MAX 16

struct place {
	double x_m, y_m;
	enum cairn_hazard hazard;
};

struct episode {
	const struct cairn_safety_options *o;
	uint64_t number;
	struct cairn_config cfg;
	struct cairn_adversary_pilot pilot;
	struct cairn_safety_episode *ret;
	struct cairn_world *world;
	struct place places[THINGS_MAX]; /* hazards that stand */
	int place_count;
	enum cairn_motor_state state;
	uint32_t contacts;
	uint64_t steps;
};

/* ---- what is counted ---- */

static void note_contact(struct episode *e, struct cairn_run *run)
{
	struct cairn_safety_episode *r = e->ret;
	struct cairn_msg_sim_truth truth;
	e->contacts = cairn_run_truth(run)->body.contacts;
	if (r->kept_count == CAIRN_SAFETY_CONTACTS_KEPT)
		return;
	cairn_sim_truth_message(cairn_run_sim(run), &truth);
	struct cairn_safety_contact *c = &r->kept[r->kept_count++];
	*c = (struct cairn_safety_contact){.episode = e->number,
	    .pilot = (uint32_t)e->pilot.kind,
	    .t_s = cairn_run_elapsed_s(run),
	    .v_mps = cairn_run_sent(run).v_mps};
	snprintf(c->what, sizeof(c->what), "%.40s", truth.last_contact);
}

static void meet(struct episode *e, const struct cairn_run *run)
{
	const struct cairn_sim_state *s = cairn_run_truth(run);
	bool near[CAIRN_HAZARD_COUNT] = {false};
	for (int i = 0; i < e->place_count; i++)
		near[e->places[i].hazard] |= hypot(e->places[i].x_m - s->body.pose.x_m,
						 e->places[i].y_m - s->body.pose.y_m) < CAIRN_SAFETY_NEAR_M;
	for (uint32_t i = 0; i < e->world->people_count; i++) {
		bool door = strcmp(e->world->people[i].name, "person") != 0;
		near[door ? CAIRN_HAZARD_SWINGING_DOOR : CAIRN_HAZARD_PEOPLE] |=
		    hypot(s->walkers[i].x_m - s->body.pose.x_m, s->walkers[i].y_m - s->body.pose.y_m) <
		    CAIRN_SAFETY_NEAR_M;
	}
	for (int i = 0; i < CAIRN_HAZARD_COUNT; i++)
		e->ret->tally.met[i] += near[i];
}

static void sample(struct episode *e, struct cairn_run *run)
{
	struct cairn_safety_tally *r = &e->ret->tally;
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
	meet(e, run);
	double clearance = cairn_run_clearance_m(run, CLEARANCE_MAX_M);
	r->clearance_min_m = fmin(r->clearance_min_m, clearance);
	int bin = 0;
	while (bin < CAIRN_SAFETY_BINS - 1 && clearance >= cairn_safety_bins_m[bin])
		bin++;
	r->clearance[bin]++;
}

static enum cairn_blocker blocker(const struct cairn_motor *m)
{
	if (m->zone.limit_mps < m->verdict.limit_mps)
		switch (m->zone.verdict) {
		case CAIRN_ZONE_EMERGENCY:
			return CAIRN_BLOCKER_EMERGENCY_ZONE;
		case CAIRN_ZONE_APPROACH:
			return CAIRN_BLOCKER_COMING;
		case CAIRN_ZONE_CLIFF:
			return CAIRN_BLOCKER_DROP;
		case CAIRN_ZONE_BUMPER: /* no trial has one */
		case CAIRN_ZONE_FREE:
		case CAIRN_ZONE_SLOW:
		case CAIRN_ZONE_CREEP:
		case CAIRN_ZONE_STOP:
			return CAIRN_BLOCKER_STOP_ZONE;
		}
	if (!m->verdict.hit)
		return CAIRN_BLOCKER_OTHER;
	return m->verdict.point < m->monitor.lidar_count ? CAIRN_BLOCKER_WAY_LIDAR : CAIRN_BLOCKER_WAY_DEPTH;
}

static bool observe(void *ctx, struct cairn_run *run)
{
	struct episode *e = ctx;
	enum cairn_motor_state state = cairn_motor_state(cairn_run_motor(run));
	if (state != e->state)
		e->ret->tally.stops[state]++;
	if (state != e->state && state == CAIRN_MOTOR_STATE_BLOCKED)
		e->ret->tally.blocked_by[blocker(cairn_run_motor(run))]++;
	e->state = state;
	if (cairn_run_truth(run)->body.contacts > e->contacts)
		note_contact(e, run);
	if (e->steps++ % SAMPLE_STEPS == 0)
		sample(e, run);
	return true;
}

static void count_scan(void *ctx, struct cairn_run *run, struct cairn_msg_scan *scan)
{
	struct episode *e = ctx;
	uint64_t *met = e->ret->tally.met;
	uint32_t lost = 0;
	int64_t end_ns = scan->t_start_ns + CAIRN_LIDAR_TURN_STEPS * CAIRN_SIM_STEP_NS;
	for (uint32_t i = 0; i < scan->range_m_count; i++)
		lost += scan->range_m[i] == 0.0f;
	met[CAIRN_HAZARD_DROPOUTS] += lost >= LOST_SHARE * scan->range_m_count;
	met[CAIRN_HAZARD_DELAY] += cairn_run_now_ns(run) - end_ns >= OLD_NS;
	met[CAIRN_HAZARD_NOISE]++;
}

static void find_hazards(struct episode *e)
{
	static const struct {
		const char *kind;
		enum cairn_hazard hazard;
	} kinds[] = {{"low box", CAIRN_HAZARD_LOW_BOX}, {"glass pane", CAIRN_HAZARD_GLASS},
	    {"shelf", CAIRN_HAZARD_SHELF}};
	bool *has = e->ret->has;
	for (uint32_t i = 0; i < e->world->thing_count; i++) {
		const struct cairn_thing *t = &e->world->things[i];
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]) && e->place_count < THINGS_MAX; k++) {
			if (strcmp(t->kind, kinds[k].kind) != 0)
				continue;
			e->places[e->place_count++] =
			    (struct place){(double)t->x_m, (double)t->y_m, kinds[k].hazard};
			has[kinds[k].hazard] = true;
		}
	}
	for (uint32_t i = 0; i < e->world->people_count; i++)
		has[strcmp(e->world->people[i].name, "person") != 0 ? CAIRN_HAZARD_SWINGING_DOOR
								    : CAIRN_HAZARD_PEOPLE] = true;
}

/* ---- one episode ---- */

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
	cfg->sim.lidar_dropout = cairn_rng_uniform(&rng) < 0.5 ? DROPOUT_SHARE : 0.02;
	cfg->pilot.latency_mean_s = 0.2 + 0.6 * cairn_rng_uniform(&rng);
	cfg->map.extent_max_m = fmin(cfg->map.extent_max_m, 30.0);
	cfg->sim.start = CAIRN_CHOICE_START_AUTO;
	*ret_delay_s = cairn_rng_uniform(&rng) < 0.5 ? DELAY_S : 0.02;
	e->ret->has[CAIRN_HAZARD_NOISE] = true;
	e->ret->has[CAIRN_HAZARD_DROPOUTS] = cfg->sim.lidar_dropout == DROPOUT_SHARE;
	e->ret->has[CAIRN_HAZARD_DELAY] = *ret_delay_s == DELAY_S;
	e->ret->pilot = (uint32_t)(e->number % CAIRN_HOSTILE_COUNT);
	e->pilot = (struct cairn_adversary_pilot){
	    .kind = (enum cairn_adversary)(e->number % CAIRN_HOSTILE_COUNT), .raw = e->o->without_sequencer};
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
	struct cairn_safety_tally *r = &e->ret->tally;
	struct cairn_run_totals t = cairn_run_totals(run);
	const struct cairn_scan_motion *motion = &cairn_run_motor(run)->scan_motion;
	r->episodes = 1;
	r->contacts = t.contacts;
	r->decisions = t.decisions;
	r->refused = t.outcomes[CAIRN_OUTCOME_REFUSED];
	r->hostile = e->pilot.hostile;
	r->scans_compared = motion->compared;
	r->scans_still = motion->contradicted_still;
	r->scans_astray = motion->contradicted_astray;
	r->votes_heard = motion->votes.heard;
	r->contradictions = motion->votes.contradicted;
	r->seconds = cairn_run_elapsed_s(run);
	r->driven_m = t.odometry_m;
	for (int i = 0; i < CAIRN_MOTOR_STATE_COUNT; i++)
		r->state_s[i] = t.state_s[i];
	for (int i = 0; i < CAIRN_OUTCOME_COUNT; i++)
		r->outcomes[i] = t.outcomes[i];
}

static void drive(struct episode *e, double delay_s, struct cairn_error *err)
{
	const struct cairn_safety_options *options = e->o;
	bool mapped = e->pilot.kind == CAIRN_HOSTILE_SENSIBLE || e->pilot.kind == CAIRN_HOSTILE_RANDOM;
	struct cairn_run_options o = {.cfg = &e->cfg,
	    .world = e->world,
	    .map = mapped ? CAIRN_RUN_MAP_TRUE_POSES : CAIRN_RUN_MAP_NONE,
	    .duration_s = options->seconds > 0.0 ? options->seconds : CAIRN_SAFETY_EPISODE_S,
	    .delay_s = delay_s,
	    .without_sequencer = options->without_sequencer,
	    .without_motor = options->without_motor,
	    .decide = e->pilot.kind == CAIRN_HOSTILE_SENSIBLE && !options->without_sequencer
			  ? NULL
			  : cairn_adversary_decide,
	    .decide_ctx = &e->pilot,
	    .observe = observe,
	    .observe_ctx = e,
	    .on_scan = count_scan,
	    .scan_ctx = e};
	struct cairn_run *run = cairn_run_new(&o, err);
	e->ret->skipped = run == NULL;
	if (run == NULL)
		return;
	cairn_run_all(run);
	sum_up(e, run);
	cairn_run_destroy(&run);
}

bool cairn_safety_drive(const struct cairn_safety_options *options, uint64_t number,
    struct cairn_safety_episode *ret, struct cairn_error *err)
{
	struct episode *e = calloc(1, sizeof(*e));
	if (e == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	*ret = (struct cairn_safety_episode){.tally.clearance_min_m = CLEARANCE_MAX_M};
	e->o = options;
	e->number = number;
	e->ret = ret;
	double delay_s;
	struct cairn_house_params house = prepare(e, &delay_s);
	e->world = cairn_house_generate(&house, err);
	bool ok = e->world != NULL;
	if (ok) {
		find_hazards(e);
		drive(e, delay_s, err);
	}
	cairn_world_destroy(&e->world);
	free(e);
	return ok;
}

/* ---- what it costs ---- */

bool cairn_safety_cost(const struct cairn_safety_options *options, uint64_t number,
    struct cairn_safety_cost *ret, struct cairn_error *err)
{
	struct cairn_house_params house = {.seed = options->seed * UINT64_C(7919) + number,
	    .door_min_m = COST_DOOR_M,
	    .door_max_m = COST_DOOR_M + 1e-4,
	    .furniture = COST_FURNITURE};
	struct cairn_vec2 goals[COST_GOALS];
	struct cairn_config *cfg = malloc(sizeof(*cfg));
	struct cairn_world *world = cairn_house_generate(&house, err);
	bool ok = cfg != NULL && world != NULL;
	*ret = (struct cairn_safety_cost){0};
	if (ok) {
		*cfg = *options->cfg;
		cfg->map.extent_max_m = fmin(cfg->map.extent_max_m, 30.0);
		uint32_t n = cairn_safety_cost_goals(world, goals, COST_GOALS);
		ok = n == 0 || cairn_safety_cost_measure(cfg, world, goals, n, ret, err);
	}
	cairn_world_destroy(&world);
	free(cfg);
	return ok;
}
