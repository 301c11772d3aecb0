#include "common/eval/trial.h"

#include <stdlib.h>
#include <string.h>

#include "common/eval/path_thinning.h"
#include "common/eval/start_draw.h"
#include "common/eval/trial_private.h"
#include "common/vlm/decision.h"
#include "common/vlm/shadow.h"

#define SAMPLE_STEPS 10 /* 0.1 s */
#define KEEP_STEPS 500
#define STUCK_S 10.0 /* as nav.progress_s */
#define STUCK_M 0.5  /* nobody has got anywhere who is no farther from where it was, however much it drove */
#define STANDING_MPS 0.01
#define SQUARE_M 0.25 /* revisits are told by squares of this size */
#define AGAIN_M 2.0   /* driven since it came into the square first */

static const char *const mode_names[] = {"frontier", "vlm", "hybrid", "shadow", "nearest", "greedy"};
_Static_assert(
    sizeof(mode_names) / sizeof(mode_names[0]) == CAIRN_TRIAL_MODE_COUNT, "one name for each mode");

const char *cairn_trial_mode_name(enum cairn_trial_mode mode)
{
	return mode_names[mode];
}

bool cairn_trial_pilot(
    const struct cairn_trial_options *o, enum cairn_choice_pilot *ret, struct cairn_error *err)
{
	int profile = o->mode == CAIRN_TRIAL_HYBRID ? CAIRN_CHOICE_PILOT_HYBRID : CAIRN_CHOICE_PILOT_SENSIBLE;
	if (o->pilot != NULL)
		profile = cairn_choice_find(cairn_choice_pilot_words, o->pilot);
	if (profile < 0)
		cairn_error_set(err, "pilot.profile: '%s' is none", o->pilot);
	else
		*ret = (enum cairn_choice_pilot)profile;
	return profile >= 0;
}

int cairn_trial_mode_parse(const char *name)
{
	for (int i = 0; i < CAIRN_TRIAL_MODE_COUNT; i++)
		if (strcmp(mode_names[i], name) == 0)
			return i;
	return -1;
}

/* ---- seen by a time ---- */

double cairn_trial_reach_s(const struct cairn_trial_result *r, int percent)
{
	return r->reach_s[percent * CAIRN_TRIAL_SHARES / 100];
}

double cairn_trial_seen(const struct cairn_trial_result *r, double seconds)
{
	double from_s = 0.0, from = 0.0, to_s = r->seconds, to = r->coverage;
	if (seconds >= r->seconds)
		return r->coverage;
	for (int i = 0; i <= CAIRN_TRIAL_SHARES && r->reach_s[i] >= 0.0; i++) {
		if (r->reach_s[i] > seconds) {
			to_s = r->reach_s[i];
			to = (double)i / CAIRN_TRIAL_SHARES;
			break;
		}
		from_s = r->reach_s[i];
		from = (double)i / CAIRN_TRIAL_SHARES;
	}
	return from + (to - from) * (seconds - from_s) / (to_s - from_s);
}

bool cairn_trial_driven(enum cairn_trial_mode mode)
{
	return mode == CAIRN_TRIAL_VLM || mode == CAIRN_TRIAL_HYBRID;
}

bool cairn_trial_asks(enum cairn_trial_mode mode)
{
	return cairn_trial_driven(mode) || mode == CAIRN_TRIAL_SHADOW;
}

struct trial {
	const struct cairn_trial_options *o;
	struct cairn_config cfg;
	struct cairn_trial_result *r;
	struct cairn_pilot pilot;         /* shadow */
	struct cairn_model_client *asker; /* NULL: the scripted pilot */
	struct cairn_discoveries *found;
	struct cairn_pose2 at; /* where the model is being asked */
	uint64_t steps;
	uint32_t samples, stuck, standing;
	int share; /* next to be reached */
	double last_m, again_m;
	struct cairn_path_thinning trail;
	struct cairn_vec2 mark; /* where and when it last got somewhere */
	double mark_s;
	float *first_m; /* path length when it first came into a square; negative: never */
	int32_t cols, rows;
};

/* ---- while it runs ---- */

static void note_coverage(struct trial *t, struct cairn_run *run, double now_s)
{
	struct cairn_trial_result *r = t->r;
	r->coverage = cairn_truth_coverage(cairn_sim_truth(cairn_run_sim(run)));
	for (; t->share <= CAIRN_TRIAL_SHARES && r->coverage * CAIRN_TRIAL_SHARES >= t->share - 1e-9;
	     t->share++)
		r->reach_s[t->share] = now_s;
}

static void note_path(struct trial *t, const struct cairn_body *b)
{
	double step_m = b->distance_m - t->last_m;
	int32_t c = (int32_t)((b->pose.x_m - t->o->world->x_min_m) / SQUARE_M);
	int32_t w = (int32_t)((b->pose.y_m - t->o->world->y_min_m) / SQUARE_M);
	t->last_m = b->distance_m;
	if (c >= 0 && w >= 0 && c < t->cols && w < t->rows) {
		float *first = &t->first_m[(size_t)w * (size_t)t->cols + (size_t)c];
		if (*first < 0.0F)
			*first = (float)b->distance_m;
		else if (b->distance_m - (double)*first > AGAIN_M)
			t->again_m += step_m;
	}
	cairn_path_thinning_add(&t->trail, b->pose.x_m, b->pose.y_m);
	t->r->path_count = t->trail.count;
}

static void note_stuck(struct trial *t, const struct cairn_run *run, double now_s)
{
	const struct cairn_sequencer_output *out = cairn_run_output(run);
	const struct cairn_body *b = &cairn_run_truth(run)->body;
	bool wants = out->nav_goal.active || out->cmd_vel.v_mps != 0.0;
	t->standing += fabs(b->v_mps) < STANDING_MPS;
	if (!wants || hypot(b->pose.x_m - t->mark.x_m, b->pose.y_m - t->mark.y_m) >= STUCK_M) {
		t->mark = (struct cairn_vec2){b->pose.x_m, b->pose.y_m};
		t->mark_s = now_s;
	}
	t->stuck += now_s - t->mark_s > STUCK_S;
}

static bool watch(void *ctx, struct cairn_run *run)
{
	struct trial *t = ctx;
	const struct cairn_body *b = &cairn_run_truth(run)->body;
	enum cairn_mission_state state = cairn_run_output(run)->mission.state;
	bool over = state == CAIRN_MISSION_STATE_FINISHED || state == CAIRN_MISSION_STATE_RETURNING;
	t->steps++;
	if (t->asker != NULL)
		cairn_model_client_watch(t->asker, run);
	if (t->o->keep_on != NULL && t->steps % KEEP_STEPS == 0 && !t->o->keep_on(t->o->ctx)) {
		t->r->interrupted = true;
		return false;
	}
	if (t->steps % SAMPLE_STEPS != 0 && !over)
		return true;
	if (t->asker != NULL && cairn_model_client_stopped(t->asker) != NULL) {
		t->r->interrupted = true;
		return false;
	}
	double now_s = cairn_run_elapsed_s(run);
	t->samples++;
	note_path(t, b);
	note_stuck(t, run, now_s);
	note_coverage(t, run, now_s);
	t->r->seconds = now_s;
	t->r->explored = over;
	return !over;
}

/* ---- who chooses ---- */

static bool nobody(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	(void)ctx, (void)run, (void)view, (void)ret;
	return false;
}

/* Of a model that is only watched. */
static bool compare(struct trial *t, const struct cairn_run *run, const struct cairn_msg_decision *said)
{
	const struct cairn_msg_nav_goal *goal = &cairn_run_output(run)->nav_goal;
	if (!goal->active)
		return false;
	enum cairn_shadow verdict = cairn_shadow_judge(said, cairn_run_frontiers(run),
	    cairn_run_candidates(run), (struct cairn_vec2){goal->x_m, goal->y_m});
	t->r->shadow_compared += verdict != CAIRN_SHADOW_UNKNOWN;
	t->r->shadow_agreed += verdict == CAIRN_SHADOW_AGREES;
	return false;
}

static bool shadow(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	struct trial *t = ctx;
	struct cairn_pilot_choice choice;
	struct cairn_answer said = {.kind = CAIRN_ANSWER_ACTION};
	struct cairn_msg_decision made;
	cairn_pilot_choose(&t->pilot, view, &choice);
	said.main = choice.call;
	cairn_decision_from_answer(&said, &made);
	made.snapshot_x_m = ret->snapshot_x_m;
	made.snapshot_y_m = ret->snapshot_y_m;
	made.snapshot_yaw_rad = ret->snapshot_yaw_rad;
	t->r->calls++;
	return compare(t, run, &made);
}

static void judge(struct trial *t, const struct cairn_tool_call *call);

static void report_asked(void *ctx, const struct cairn_tool_call *call)
{
	judge(ctx, call);
}

/* A model that is really asked. */
static bool asked(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	struct trial *t = ctx;
	struct cairn_msg_decision made = *ret;
	t->at = cairn_run_truth(run)->body.pose;
	if (!cairn_model_client_decide(t->asker, run, view, &made))
		return false;
	if (t->o->mode == CAIRN_TRIAL_SHADOW)
		return compare(t, run, &made);
	*ret = made;
	return true;
}

static void on_result(void *ctx, const struct cairn_run *run, const struct cairn_msg_result *result)
{
	struct trial *t = ctx;
	if (t->asker != NULL)
		cairn_model_client_result(t->asker, run, result);
}

static void judge(struct trial *t, const struct cairn_tool_call *call)
{
	t->r->discoveries[cairn_discoveries_judge(t->found, call, t->at.x_m, t->at.y_m)]++;
}

/* Of the scripted pilot. */
static void report(void *ctx, const struct cairn_run *run, const struct cairn_tool_call *call)
{
	struct trial *t = ctx;
	t->at = cairn_run_truth(run)->body.pose;
	judge(t, call);
}

static bool configure(struct trial *t, struct cairn_error *err)
{
	const struct cairn_trial_options *o = t->o;
	t->cfg = *o->cfg;
	if (!cairn_trial_pilot(o, &t->cfg.pilot.profile, err))
		return false;
	bool nearest = o->mode == CAIRN_TRIAL_NEAREST || o->mode == CAIRN_TRIAL_GREEDY;
	t->cfg.mission.order = nearest ? CAIRN_CHOICE_ORDER_NEAREST : CAIRN_CHOICE_ORDER_TOUR;
	t->cfg.mission.recheck = o->mode != CAIRN_TRIAL_NEAREST;
	cairn_pilot_init(&t->pilot, t->cfg.pilot.profile, o->seed);
	t->cfg.pilot.seed = (int)o->seed;
	t->cfg.sim.seed = (int)o->seed;
	t->cfg.mission.return_home = false;
	t->cfg.mission.limit_s = 0.0;
	if (!cairn_trial_driven(o->mode)) { /* nobody is waited for */
		t->cfg.safety.silent_coast_s = 0.1;
		t->cfg.safety.silent_wait_s = 0.2;
		t->cfg.safety.silent_local_s = 3600.0;
	}
	return cairn_draw_start(&t->cfg, t->o->world, t->o->seed, &t->r->start, &t->r->no_other_start, err);
}

static void finish(struct trial *t, struct cairn_run *run)
{
	struct cairn_trial_result *r = t->r;
	const struct cairn_msg_mission *m = &cairn_run_output(run)->mission;
	struct cairn_run_totals totals = cairn_run_totals(run);
	double samples = t->samples > 0 ? t->samples : 1;
	r->reachable_m2 = cairn_truth_reachable_m2(cairn_sim_truth(cairn_run_sim(run)));
	r->path_m = totals.odometry_m;
	r->revisit_share = r->path_m > 0.0 ? t->again_m / r->path_m : 0.0;
	r->stuck_share = t->stuck / samples;
	r->standing_share = t->standing / samples;
	r->contacts = totals.contacts;
	if (cairn_trial_driven(t->o->mode)) {
		r->decisions = (uint32_t)m->decisions;
		r->refused = (uint32_t)m->refused;
		r->calls = (uint32_t)totals.calls;
		r->choices = (uint32_t)totals.choices;
		r->choices_next = (uint32_t)totals.choices_next;
	}
	r->overrides = (uint32_t)m->overrides;
	if (t->asker != NULL) {
		const struct cairn_ledger *ledger = cairn_model_client_ledger(t->asker);
		r->calls = (uint32_t)ledger->calls;
		r->failures = (uint32_t)ledger->failures;
		r->tokens_in = ledger->tokens.tokens_in;
		r->tokens_out = ledger->tokens.tokens_out;
		r->usd = ledger->cost_usd;
		struct cairn_msg_vlm_stats stats;
		cairn_model_client_stats(t->asker, &stats);
		r->pictures = (uint32_t)stats.pictures;
		r->pictures_for_money = (uint32_t)stats.images_for_money;
		r->pictures_by_rule = (uint32_t)(stats.images_left_out - stats.images_for_money);
	}
	cairn_trial_judge_end(run, &t->cfg, t->o->world, r);
}

/* The model is told of candidates where it is to choose among them. */
static bool open_asker(struct trial *t, struct cairn_error *err)
{
	enum cairn_trial_mode mode = t->o->mode;
	if (t->o->model == NULL || !cairn_trial_asks(mode))
		return true;
	t->asker = cairn_model_client_new(&t->cfg, t->o->world, t->o->model, mode != CAIRN_TRIAL_VLM, err);
	if (t->asker != NULL)
		cairn_model_client_on_report(t->asker, report_asked, t);
	return t->asker != NULL;
}

static bool drive(struct trial *t, struct cairn_error *err)
{
	struct cairn_run_options options = {.cfg = &t->cfg,
	    .world = t->o->world,
	    .map = t->o->map,
	    .duration_s = t->o->duration_s,
	    .coverage = true,
	    .decide = t->asker != NULL                   ? asked
		      : cairn_trial_driven(t->o->mode)   ? NULL
		      : t->o->mode == CAIRN_TRIAL_SHADOW ? shadow
							 : nobody,
	    .decide_ctx = t,
	    .answer_s = t->asker != NULL ? cairn_model_client_answer_s(t->asker) : NULL,
	    .on_result = on_result,
	    .on_report = report,
	    .report_ctx = t,
	    .observe = watch,
	    .observe_ctx = t};
	struct cairn_run *run = cairn_run_new(&options, err);
	if (run == NULL)
		return false;
	t->r->start = cairn_run_truth(run)->start;
	cairn_run_all(run);
	finish(t, run);
	cairn_run_destroy(&run);
	return true;
}

bool cairn_trial_run(
    const struct cairn_trial_options *options, struct cairn_trial_result *ret, struct cairn_error *err)
{
	struct trial *t = calloc(1, sizeof(*t));
	const struct cairn_world *w = options->world;
	*ret = (struct cairn_trial_result){
	    .mode = options->mode, .seed = options->seed, .limit_s = options->duration_s};
	for (int i = 0; i <= CAIRN_TRIAL_SHARES; i++)
		ret->reach_s[i] = -1.0;
	if (t == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	t->o = options;
	t->r = ret;
	t->trail = (struct cairn_path_thinning){
	    .xy_m = &ret->path_xy_m[0][0], .points_max = CAIRN_TRIAL_PATH, .spacing_m = CAIRN_TRIAL_PATH_M};
	t->cols = (int32_t)((w->x_max_m - w->x_min_m) / SQUARE_M) + 1;
	t->rows = (int32_t)((w->y_max_m - w->y_min_m) / SQUARE_M) + 1;
	size_t squares = (size_t)t->cols * (size_t)t->rows;
	t->first_m = malloc(squares * sizeof(*t->first_m));
	for (size_t i = 0; t->first_m != NULL && i < squares; i++)
		t->first_m[i] = -1.0F;
	t->found = cairn_discoveries_new(w);
	ret->discoveries_known = cairn_discoveries_known(w);
	bool ok = t->first_m != NULL && t->found != NULL;
	if (!ok)
		cairn_error_set(err, "out of memory");
	ok = ok && configure(t, err) && open_asker(t, err) && drive(t, err);
	if (ok && ret->interrupted && t->asker != NULL && cairn_model_client_stopped(t->asker) != NULL)
		cairn_error_set(err, "%s", cairn_model_client_stopped(t->asker));
	cairn_model_client_destroy(&t->asker);
	cairn_discoveries_destroy(&t->found);
	free(t->first_m);
	free(t);
	return ok;
}
