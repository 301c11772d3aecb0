/* eval_explore_figures.c - what is told of trials: means, and differences of pairs, with their intervals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "procs/lab/eval_explore.h"
#include "procs/lab/provenance.h"

#define UNITS_MAX (EXPLORE_WORLDS_MAX > EXPLORE_SEEDS_MAX ? EXPLORE_WORLDS_MAX : EXPLORE_SEEDS_MAX)

/* ---- means ---- */

struct question {
	const struct explore_metric *metric; /* or */
	const struct explore_contrast *contrast;
	uint32_t mode, against;
	enum explore_half half;
};

static double answer(const struct explore_plan *p, const struct question *q, uint32_t world, uint32_t seed)
{
	const struct cairn_trial_result *a = explore_result(p, world, q->mode, seed);
	if (q->metric != NULL)
		return a != NULL ? q->metric->of(a) : NAN;
	const struct cairn_trial_result *b = explore_result(p, world, q->against, seed);
	return a != NULL && b != NULL ? q->contrast->of(a, b) : NAN;
}

static bool in_half(enum explore_half half, uint32_t world)
{
	return half == EXPLORE_ALL || world % 2 == (half == EXPLORE_SECOND_HALF);
}

static struct cairn_interval ask(const struct explore_plan *p, const struct question *q)
{
	double units[UNITS_MAX];
	uint32_t count = 0;
	for (uint32_t w = 0; w < p->world_count; w++) {
		double sum = 0.0;
		uint32_t n = 0;
		if (!in_half(q->half, w))
			continue;
		for (uint32_t s = 0; s < p->seeds; s++) {
			double x = answer(p, q, w, s);
			if (p->world_count == 1)
				units[count++] = x;
			else if (isfinite(x)) {
				sum += x;
				n++;
			}
		}
		if (p->world_count > 1)
			units[count++] = n > 0 ? sum / n : NAN;
	}
	return cairn_interval_of_mean(units, count);
}

struct cairn_interval explore_mean(
    const struct explore_plan *p, uint32_t mode, const struct explore_metric *metric)
{
	return ask(p, &(struct question){.metric = metric, .mode = mode});
}

struct cairn_interval explore_compare(const struct explore_plan *p, uint32_t mode, uint32_t against,
    enum explore_half half, const struct explore_contrast *contrast)
{
	return ask(
	    p, &(struct question){.contrast = contrast, .mode = mode, .against = against, .half = half});
}

struct cairn_interval explore_compare_house(const struct explore_plan *p, uint32_t mode, uint32_t against,
    uint32_t world, const struct explore_contrast *contrast)
{
	const struct question q = {.contrast = contrast, .mode = mode, .against = against};
	double seeds[UNITS_MAX];
	uint32_t count = p->seeds < UNITS_MAX ? p->seeds : UNITS_MAX;
	for (uint32_t s = 0; s < count; s++)
		seeds[s] = answer(p, &q, world, s);
	return cairn_interval_of_mean(seeds, count);
}

/* ---- pairs left out ---- */

/* Why this one of the pair cannot be compared; false: it can. */
static bool lacking(const struct explore_plan *p, uint32_t mode, const struct cairn_trial_result *r, bool end,
    int percent, char *ret, size_t cap)
{
	const char *name = cairn_trial_mode_name(p->modes[mode]);
	if (r == NULL)
		snprintf(ret, cap, "%s has no result", name);
	else if (end && !r->explored)
		snprintf(ret, cap, "%s ended by time after %.0f s, %.1f %% seen", name, r->seconds,
		    100.0 * r->coverage);
	else if (percent > 0 && cairn_trial_reach_s(r, percent) < 0.0)
		snprintf(ret, cap, "%s never saw %d %%: %.1f %% after %.0f s", name, percent,
		    100.0 * r->coverage, r->seconds);
	else
		return false;
	return true;
}

uint32_t explore_left_out(const struct explore_plan *p, uint32_t mode, uint32_t against,
    enum explore_half half, const struct explore_contrast *c, struct explore_gap *ret, uint32_t cap,
    uint32_t *ret_pairs)
{
	uint32_t count = 0;
	*ret_pairs = 0;
	for (uint32_t w = 0; w < p->world_count; w++)
		for (uint32_t s = 0; s < p->seeds && in_half(half, w); s++) {
			const struct cairn_trial_result *a = explore_result(p, w, mode, s),
							*b = explore_result(p, w, against, s);
			struct explore_gap gap = {.world = w, .seed = p->first_seed + s};
			if (a != NULL && b != NULL && isfinite(c->of(a, b))) {
				(*ret_pairs)++;
				continue;
			}
			if (!lacking(p, mode, a, c->both_end, c->percent, gap.why, sizeof(gap.why)) &&
			    !lacking(p, against, b, c->both_end, c->percent_other, gap.why, sizeof(gap.why)))
				snprintf(gap.why, sizeof(gap.why), "hardly any way or time to compare");
			if (ret != NULL && count < cap)
				ret[count] = gap;
			count++;
		}
	return count;
}

/* ---- as JSON ---- */

static void set_interval(json_t *o, const char *name, struct cairn_interval i)
{
	if (i.count == 0)
		return;
	json_t *v = json_object();
	json_object_set_new(v, "mean", json_real(i.mean));
	json_object_set_new(
	    v, "low", i.count > 1 ? json_real(i.low) : json_null()); /* of one value there is none */
	json_object_set_new(v, "high", i.count > 1 ? json_real(i.high) : json_null());
	json_object_set_new(v, "count", json_integer(i.count));
	json_object_set_new(o, name, v);
}

static json_t *nothing(const struct explore_metric *metric)
{
	const char *said = explore_metric_none(metric);
	return said != NULL ? json_string(said) : json_null();
}

static void add_left_out(json_t *o, const struct explore_plan *p, uint32_t against, enum explore_half half,
    const struct explore_contrast *c)
{
	uint32_t pairs, cap = p->world_count * p->seeds;
	struct explore_gap *gaps = calloc(cap, sizeof(*gaps));
	json_t *list = json_array();
	uint32_t count = explore_left_out(p, 0, against, half, c, gaps, gaps != NULL ? cap : 0, &pairs);
	for (uint32_t i = 0; gaps != NULL && i < count; i++)
		json_array_append_new(list, json_pack("{s:s,s:i,s:s}", "world", p->worlds[gaps[i].world].name,
						"seed", (int)gaps[i].seed, "why", gaps[i].why));
	free(gaps);
	json_object_set_new(o, "pairs", json_integer(pairs));
	json_object_set_new(o, "pairs_left_out", json_integer(count));
	json_object_set_new(o, "left_out", list);
}

static json_t *houses_of(const struct explore_plan *p, uint32_t against)
{
	json_t *list = json_array();
	for (uint32_t w = 0; w < p->world_count; w++) {
		json_t *o = json_object();
		json_object_set_new(o, "world", json_string(p->worlds[w].name));
		for (uint32_t i = 0; i < explore_contrast_count; i++)
			set_interval(o, explore_contrasts[i].name,
			    explore_compare_house(p, 0, against, w, &explore_contrasts[i]));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *contrasts_of(const struct explore_plan *p, uint32_t against)
{
	static const char *const halves[] = {"all", "first_half", "second_half"};
	json_t *o = json_object();
	for (int h = 0; h < EXPLORE_HALF_COUNT; h++) {
		json_t *part = json_object();
		for (uint32_t i = 0; i < explore_contrast_count; i++) {
			const struct explore_contrast *c = &explore_contrasts[i];
			set_interval(part, c->name, explore_compare(p, 0, against, (enum explore_half)h, c));
			if (json_object_get(part, c->name) == NULL)
				json_object_set_new(
				    part, c->name, json_pack("{s:n,s:i}", "mean", "count", 0));
			add_left_out(json_object_get(part, c->name), p, against, (enum explore_half)h, c);
		}
		json_object_set_new(o, halves[h], part);
	}
	json_object_set_new(o, "houses", houses_of(p, against));
	return o;
}

static json_t *trial_figures(const struct explore_plan *p, uint32_t w, const struct cairn_trial_result *r)
{
	json_t *o = json_object();
	json_object_set_new(o, "world", json_string(p->worlds[w].name));
	json_object_set_new(o, "mode", json_string(cairn_trial_mode_name((enum cairn_trial_mode)r->mode)));
	json_object_set_new(o, "seed", json_integer(r->seed));
	json_object_set_new(o, "start",
	    json_pack(
		"{s:f,s:f,s:f}", "x_m", r->start.x_m, "y_m", r->start.y_m, "yaw_rad", r->start.yaw_rad));
	json_object_set_new(o, "no_other_start", json_boolean(r->no_other_start));
	json_object_set_new(o, "reachable_m2", json_real(r->reachable_m2));
	json_object_set_new(o, "left_m2", json_real(r->left_m2));
	json_object_set_new(o, "seconds_to_90_percent", json_real(cairn_trial_reach_s(r, 90)));
	json_t *reached = json_array(); /* [percent]; -1: never */
	for (int i = 0; i <= 100; i++)
		json_array_append_new(reached, json_real(cairn_trial_reach_s(r, i)));
	json_object_set_new(o, "seconds_to_percent", reached);
	for (uint32_t i = 0; i < explore_metric_count; i++) {
		double x = explore_metrics[i].of(r);
		json_object_set_new(
		    o, explore_metrics[i].name, isfinite(x) ? json_real(x) : nothing(&explore_metrics[i]));
	}
	json_t *causes = json_object();
	for (int i = 0; i < CAIRN_TRIAL_CAUSE_COUNT; i++)
		if (r->causes[i] > 0)
			json_object_set_new(causes, cairn_trial_cause_name((enum cairn_trial_cause)i),
			    json_integer(r->causes[i]));
	json_object_set_new(o, "given_up", causes);
	return o;
}

static json_t *verdict_figures(const struct explore_plan *p, const struct explore_verdict *v)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < v->count && i < EXPLORE_FAULTS_MAX; i++) {
		char words[400];
		explore_fault_words(p, &v->faults[i], words, sizeof(words));
		json_array_append_new(list,
		    json_pack("{s:s,s:s}", "kind", explore_fault_name(v->faults[i].kind), "text", words));
	}
	return list;
}

/* Which houses, so that anybody can tell whether theirs are the same. */
static json_t *world_figures(const struct explore_plan *p)
{
	json_t *list = json_array();
	for (uint32_t w = 0; w < p->world_count; w++) {
		char digest[20];
		snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)p->worlds[w].hash);
		json_array_append_new(list, json_pack("{s:s,s:s,s:s}", "name", p->worlds[w].name, "path",
						p->worlds[w].path, "digest", digest));
	}
	return list;
}

void explore_figures(const struct explore_plan *p, const struct explore_verdict *verdict, json_t *figures)
{
	json_t *modes = json_object(), *against = json_object(), *trials = json_array();
	for (uint32_t m = 0; m < p->mode_count; m++) {
		json_t *o = json_object();
		for (uint32_t i = 0; i < explore_metric_count; i++) {
			struct cairn_interval mean = explore_mean(p, m, &explore_metrics[i]);
			set_interval(o, explore_metrics[i].name, mean);
			if (mean.count == 0)
				json_object_set_new(o, explore_metrics[i].name, nothing(&explore_metrics[i]));
		}
		json_object_set_new(modes, cairn_trial_mode_name(p->modes[m]), o);
		if (m > 0)
			json_object_set_new(against, cairn_trial_mode_name(p->modes[m]), contrasts_of(p, m));
	}
	for (uint32_t w = 0; w < p->world_count; w++)
		for (uint32_t m = 0; m < p->mode_count; m++)
			for (uint32_t s = 0; s < p->seeds; s++) {
				const struct cairn_trial_result *r = explore_result(p, w, m, s);
				if (r != NULL)
					json_array_append_new(trials, trial_figures(p, w, r));
			}
	json_object_set_new(figures, "faults", verdict_figures(p, verdict));
	json_object_set_new(figures, "fault_count", json_integer(verdict->count));
	json_object_set_new(figures, "hybrid_time_judged",
	    verdict->hybrid_time == EXPLORE_NOT_ASKED ? json_null()
						      : json_boolean(verdict->hybrid_time == EXPLORE_JUDGED));
	char digest[20];
	snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)cairn_provenance_config(&p->cfg));
	json_object_set_new(figures, "configuration", json_string(digest));
	json_object_set_new(figures, "worlds", world_figures(p));
	json_object_set_new(figures, "modes", modes);
	json_object_set_new(figures, "first_mode_against", against);
	json_object_set_new(figures, "trials", trials);
}
