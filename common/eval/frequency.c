#include "common/eval/frequency.h"

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
};

static bool watch_step(void *ctx, struct cairn_run *run)
{
	struct watch *w = ctx;
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
	    .observe = watch_step,
	    .observe_ctx = w};
	struct cairn_run *run = cairn_run_new(&options, err);
	if (run == NULL)
		return false;
	cairn_run_all(run);
	struct cairn_run_totals totals = cairn_run_totals(run);
	*ret = (struct cairn_frequency_run){.finished = w->finished,
	    .seconds = cairn_run_elapsed_s(run),
	    .coverage = cairn_truth_coverage(cairn_sim_truth(cairn_run_sim(run))),
	    .contacts = totals.contacts,
	    .calls = totals.calls,
	    .event_calls = totals.event_calls,
	    .events = totals.events,
	    .events_thinking = totals.events_thinking,
	    .events_known = totals.events_known,
	    .reactions = totals.reactions};
	memcpy(ret->asked, totals.asked, sizeof(ret->asked));
	memcpy(ret->reaction_s, totals.reaction_s, sizeof(ret->reaction_s));
	cairn_run_destroy(&run);
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

static void compare(
    const struct watch *by_need, const struct watch *fixed, struct cairn_frequency_report *ret)
{
	double same = fmin(ret->adaptive.coverage, ret->fixed.coverage) - CAIRN_FREQUENCY_SLACK;
	until(by_need, same, &ret->adaptive);
	until(fixed, same, &ret->fixed);
	ret->saved = ret->fixed.same_calls > 0
			 ? 1.0 - (double)ret->adaptive.same_calls / (double)ret->fixed.same_calls
			 : 0.0;
}

bool cairn_frequency_compare(const struct cairn_config *cfg, const struct cairn_world *world,
    const double *periods_s, uint32_t count, double limit_s, struct cairn_frequency_report *ret,
    struct cairn_error *err)
{
	struct cairn_frequency_run adaptive, without;
	struct cairn_config quiet = *cfg;
	quiet.vlm.ask_at_events = false;
	struct watch by_need = {.samples = calloc(SAMPLES_MAX, sizeof(struct sample))};
	struct watch fixed = {.samples = calloc(SAMPLES_MAX, sizeof(struct sample))};
	bool ok = by_need.samples != NULL && fixed.samples != NULL;
	if (!ok)
		cairn_error_set(err, "out of memory");
	ok = ok && run_once(&quiet, world, 0.0, limit_s, &fixed, &without, err) &&
	     run_once(cfg, world, 0.0, limit_s, &by_need, &adaptive, err);
	for (uint32_t i = 0; ok && i < count; i++) {
		fixed = (struct watch){.samples = fixed.samples};
		ret[i] = (struct cairn_frequency_report){.adaptive = adaptive, .without = without};
		ok = run_once(cfg, world, periods_s[i], limit_s, &fixed, &ret[i].fixed, err);
		if (ok)
			compare(&by_need, &fixed, &ret[i]);
	}
	free(by_need.samples);
	free(fixed.samples);
	return ok;
}
