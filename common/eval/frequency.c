#include "common/eval/frequency.h"

#include "common/eval/local_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_STEPS 100 /* one a second */
#define SAMPLES_MAX 4000

struct sample {
	double seconds, coverage;
	uint64_t calls;
};

struct watch {
	uint32_t steps, count;
	struct sample *samples;
	bool finished;
	struct cairn_local_rig *rig;
	uint32_t reports;
};

static void count_report(void *ctx, const struct cairn_run *run, const struct cairn_tool_call *report)
{
	struct watch *w = ctx;
	(void)run, (void)report;
	w->reports++;
}

static bool watch_step(void *ctx, struct cairn_run *run)
{
	struct watch *w = ctx;
	cairn_local_rig_step(w->rig, run);
	enum cairn_mission_state state = cairn_run_output(run)->mission.state;
	/* On the way home nothing is decided any more. */
	w->finished = state == CAIRN_MISSION_STATE_FINISHED || state == CAIRN_MISSION_STATE_RETURNING;
	if ((w->steps++ % SAMPLE_STEPS == 0 || w->finished) && w->count < SAMPLES_MAX)
		w->samples[w->count++] = (struct sample){cairn_run_elapsed_s(run),
		    cairn_truth_coverage(cairn_sim_truth(cairn_run_sim(run))), cairn_run_totals(run).calls};
	return !w->finished || cairn_run_elapsed_s(run) < 1.0;
}

static bool run_once(const struct cairn_config *cfg, const struct cairn_world *world, double period_s,
    double limit_s, struct watch *w, struct cairn_frequency_run *ret, struct cairn_error *err)
{
	struct cairn_run_options options = {.cfg = cfg,
	    .world = world,
	    .map = CAIRN_RUN_MAP_MAPPER,
	    .duration_s = limit_s,
	    .coverage = true,
	    .ask_period_s = period_s,
	    .on_report = count_report,
	    .report_ctx = w,
	    .observe = watch_step,
	    .observe_ctx = w};
	w->rig = cairn_local_rig_new(cfg, world, cfg->local.enabled);
	struct cairn_run *run = w->rig != NULL ? cairn_run_new(&options, err) : NULL;
	if (w->rig == NULL)
		cairn_error_set(err, "out of memory");
	if (run == NULL) {
		cairn_local_rig_destroy(&w->rig);
		return false;
	}
	cairn_run_all(run);
	struct cairn_run_totals totals = cairn_run_totals(run);
	struct cairn_local_rig_totals shown = cairn_local_rig_totals(w->rig);
	*ret = (struct cairn_frequency_run){.finished = w->finished,
	    .seconds = cairn_run_elapsed_s(run),
	    .coverage = cairn_truth_coverage(cairn_sim_truth(cairn_run_sim(run))),
	    .contacts = totals.contacts,
	    .calls = totals.calls,
	    .things_shown = shown.things,
	    .rooms_asked = shown.rooms,
	    .reports = w->reports,
	    .rule_decisions = totals.rule_decisions,
	    .novelty_mean = shown.novelty_mean,
	    .event_calls = totals.event_calls,
	    .events = totals.events,
	    .events_thinking = totals.events_thinking,
	    .events_known = totals.events_known,
	    .reactions = totals.reactions};
	memcpy(ret->asked, totals.asked, sizeof(ret->asked));
	memcpy(ret->reaction_s, totals.reaction_s, sizeof(ret->reaction_s));
	cairn_run_destroy(&run);
	cairn_local_rig_destroy(&w->rig);
	return true;
}

static void until(const struct watch *w, double coverage, struct cairn_frequency_run *ret)
{
	ret->same_coverage = coverage;
	for (uint32_t i = 0; i < w->count; i++) {
		ret->same_calls = w->samples[i].calls;
		ret->same_seconds = w->samples[i].seconds;
		if (w->samples[i].coverage >= coverage)
			return;
	}
}

static double saved_share(uint64_t calls, uint64_t of)
{
	return of > 0 ? 1.0 - (double)calls / (double)of : 0.0;
}

static void compare(
    const struct watch *by_need, const struct watch *fixed, struct cairn_frequency_report *ret)
{
	double same = fmin(ret->adaptive.coverage, ret->fixed.coverage) - CAIRN_FREQUENCY_SLACK;
	until(by_need, same, &ret->adaptive);
	until(fixed, same, &ret->fixed);
	ret->saved = saved_share(ret->adaptive.same_calls, ret->fixed.same_calls);
}

/* The three runs by need; their comparison with each other in ret. */
static bool run_by_need(const struct cairn_config *cfg, const struct cairn_world *world, double limit_s,
    struct watch *by_need, struct watch *other, struct cairn_frequency_report *ret, struct cairn_error *err)
{
	struct cairn_config plain = *cfg, quiet, scored;
	struct sample *samples = other->samples;
	plain.local.enabled = false;
	quiet = scored = plain;
	quiet.vlm.ask_at_events = false;
	scored.local.enabled = true;
	if (!run_once(&quiet, world, 0.0, limit_s, other, &ret->without, err))
		return false;
	*other = (struct watch){.samples = samples};
	if (!run_once(&plain, world, 0.0, limit_s, by_need, &ret->adaptive, err) ||
	    !run_once(&scored, world, 0.0, limit_s, other, &ret->novelty, err))
		return false;
	double same = fmin(ret->adaptive.coverage, ret->novelty.coverage) - CAIRN_FREQUENCY_SLACK;
	struct cairn_frequency_run plain_until = ret->adaptive;
	until(by_need, same, &plain_until);
	until(other, same, &ret->novelty);
	ret->saved_by_novelty = saved_share(ret->novelty.same_calls, plain_until.same_calls);
	ret->need_calls = plain_until.same_calls;
	ret->need_seconds = plain_until.same_seconds;
	return true;
}

bool cairn_frequency_compare(const struct cairn_config *cfg, const struct cairn_world *world,
    const double *periods_s, uint32_t count, double limit_s, struct cairn_frequency_report *ret,
    struct cairn_error *err)
{
	struct cairn_frequency_report runs = {.saved = 0.0};
	struct cairn_config plain = *cfg;
	plain.local.enabled = false;
	struct watch by_need = {.samples = calloc(SAMPLES_MAX, sizeof(struct sample))};
	struct watch fixed = {.samples = calloc(SAMPLES_MAX, sizeof(struct sample))};
	bool ok = by_need.samples != NULL && fixed.samples != NULL;
	if (!ok)
		cairn_error_set(err, "out of memory");
	ok = ok && run_by_need(cfg, world, limit_s, &by_need, &fixed, &runs, err);
	for (uint32_t i = 0; ok && i < count; i++) {
		fixed = (struct watch){.samples = fixed.samples};
		ret[i] = runs;
		ok = run_once(&plain, world, periods_s[i], limit_s, &fixed, &ret[i].fixed, err);
		if (ok)
			compare(&by_need, &fixed, &ret[i]);
	}
	free(by_need.samples);
	free(fixed.samples);
	return ok;
}
