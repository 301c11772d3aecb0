/* eval_explore_measures.c - what is measured of a trial, and of two in the same house from the same start. */
#include <math.h>
#include <string.h>

#include "procs/lab/eval_explore.h"

const struct cairn_trial_result *explore_result(
    const struct explore_plan *p, uint32_t world, uint32_t mode, uint32_t seed)
{
	size_t i = ((size_t)world * p->mode_count + mode) * p->seeds + seed;
	return p->done[i] && !p->results[i].failed ? &p->results[i].trial : NULL;
}

int explore_mode(const struct explore_plan *p, enum cairn_trial_mode mode)
{
	for (uint32_t i = 0; i < p->mode_count; i++)
		if (p->modes[i] == mode)
			return (int)i;
	return -1;
}

/* ---- of one trial ---- */

/* Of a trial that was not allowed so long nothing is known, even if it ended before: the mean would be of those alone. */
static double within(const struct cairn_trial_result *r, double minutes)
{
	return r->limit_s >= 60.0 * minutes ? 100.0 * cairn_trial_seen(r, 60.0 * minutes) : NAN;
}

static double area_rate(const struct cairn_trial_result *r)
{
	return r->seconds > 0.0 ? r->reachable_m2 * r->coverage / (r->seconds / 60.0) : NAN;
}

static double at_2(const struct cairn_trial_result *r)
{
	return within(r, 2.0);
}

static double at_5(const struct cairn_trial_result *r)
{
	return within(r, 5.0);
}

static double at_10(const struct cairn_trial_result *r)
{
	return within(r, 10.0);
}

static double coverage(const struct cairn_trial_result *r)
{
	return 100.0 * r->coverage;
}

static double explored(const struct cairn_trial_result *r)
{
	return r->explored ? 100.0 : 0.0;
}

static double seconds(const struct cairn_trial_result *r)
{
	return r->seconds;
}

static double path(const struct cairn_trial_result *r)
{
	return r->path_m;
}

static double revisit(const struct cairn_trial_result *r)
{
	return 100.0 * r->revisit_share;
}

static double stuck(const struct cairn_trial_result *r)
{
	return 100.0 * r->stuck_share;
}

static double standing(const struct cairn_trial_result *r)
{
	return 100.0 * r->standing_share;
}

static double contacts(const struct cairn_trial_result *r)
{
	return r->contacts;
}

static double overrides(const struct cairn_trial_result *r)
{
	return r->overrides;
}

/* Where no model is asked there is nothing to count. */
static double of_model(const struct cairn_trial_result *r, double value)
{
	return cairn_trial_asks(r->mode) ? value : NAN;
}

static double decisions(const struct cairn_trial_result *r)
{
	return of_model(r, r->decisions);
}

static double calls(const struct cairn_trial_result *r)
{
	return of_model(r, r->calls);
}

static double failures(const struct cairn_trial_result *r)
{
	return of_model(r, r->failures);
}

static double discoveries(const struct cairn_trial_result *r, enum cairn_discovery verdict)
{
	return r->discoveries_known ? r->discoveries[verdict] : NAN;
}

static double discoveries_right(const struct cairn_trial_result *r)
{
	return discoveries(r, CAIRN_DISCOVERY_RIGHT);
}

static double discoveries_wrong(const struct cairn_trial_result *r)
{
	return discoveries(r, CAIRN_DISCOVERY_WRONG);
}

static double discoveries_unjudged(const struct cairn_trial_result *r)
{
	return r->discoveries[CAIRN_DISCOVERY_UNJUDGED];
}

static double agreement(const struct cairn_trial_result *r)
{
	return r->shadow_compared > 0 ? 100.0 * r->shadow_agreed / r->shadow_compared : NAN;
}

static double next_of_round(const struct cairn_trial_result *r)
{
	return r->choices > 0 ? 100.0 * r->choices_next / r->choices : NAN;
}

static double early(const struct cairn_trial_result *r)
{
	return r->early ? 1.0 : 0.0;
}

static double left_all(const struct cairn_trial_result *r)
{
	return r->left_all_m2;
}

static double early_floor(const struct cairn_trial_result *r)
{
	return r->early_m2;
}

static double unexplained(const struct cairn_trial_result *r)
{
	return r->unexplained;
}

static double tokens(const struct cairn_trial_result *r)
{
	return r->tokens_in + r->tokens_out > 0 ? (double)(r->tokens_in + r->tokens_out) : NAN;
}

static double cost(const struct cairn_trial_result *r)
{
	return r->tokens_in + r->tokens_out > 0 ? r->usd : NAN;
}

const struct explore_metric explore_metrics[] = {
    {"area_m2_per_min", "area, m²/min", 1, area_rate},
    {"seen_2_min_percent", "seen at 2 min, %", 1, at_2},
    {"seen_5_min_percent", "at 5 min, %", 1, at_5},
    {"seen_10_min_percent", "at 10 min, %", 1, at_10},
    {"seen_percent", "at the end, %", 1, coverage},
    {"explored_percent", "ended explored, %", 0, explored},
    {"seconds", "time, s", 0, seconds},
    {"path_m", "path, m", 1, path},
    {"revisit_percent", "path driven over again, %", 1, revisit},
    {"stuck_percent", "time stuck, %", 2, stuck},
    {"standing_percent", "time standing, %", 1, standing},
    {"contacts", "contacts", 2, contacts},
    {"overrides", "overrides", 2, overrides},
    {"decisions", "decisions", 1, decisions},
    {"calls", "calls", 1, calls},
    {"failures", "calls without a usable answer", 1, failures},
    {"tokens", "tokens", 0, tokens},
    {"usd", "cost, USD", 4, cost},
    {"discoveries_right", "discoveries right", 2, discoveries_right},
    {"discoveries_wrong", "discoveries wrong", 2, discoveries_wrong},
    {"discoveries_unjudged", "discoveries not judged", 2, discoveries_unjudged},
    {"agreement_percent", "shadow agrees, %", 0, agreement},
    {"next_of_round_percent", "chose the round's next, %", 0, next_of_round},
    {"left_all_m2", "reachable floor left unseen, m²", 2, left_all},
    {"early_ends", "ended early", 2, early},
    {"early_m2", "left without a reason, m²", 2, early_floor},
    {"unexplained", "frontiers left without a reason", 2, unexplained},
};
const uint32_t explore_metric_count = sizeof(explore_metrics) / sizeof(explore_metrics[0]);

const char *explore_metric_none(const struct explore_metric *m)
{
	return m->of == discoveries_right || m->of == discoveries_wrong ? "unjudged" : NULL;
}

/* ---- of pairs ---- */

static double path_change(const struct cairn_trial_result *a, const struct cairn_trial_result *b)
{
	return a->explored && b->explored && b->path_m > 1.0 ? 100.0 * (a->path_m / b->path_m - 1.0) : NAN;
}

static double time_change(const struct cairn_trial_result *a, const struct cairn_trial_result *b)
{
	return a->explored && b->explored && b->seconds > 1.0 ? 100.0 * (a->seconds / b->seconds - 1.0) : NAN;
}

/* What the one has seen by the time the other has seen 90 %. */
static double seen_by_then(const struct cairn_trial_result *a, const struct cairn_trial_result *b)
{
	double then_s = cairn_trial_reach_s(b, 90);
	return then_s > 0.0 ? 100.0 * cairn_trial_seen(a, then_s) : NAN;
}

static double end_change(const struct cairn_trial_result *a, const struct cairn_trial_result *b)
{
	return 100.0 * (a->coverage - b->coverage);
}

static double time_to_95(const struct cairn_trial_result *a, const struct cairn_trial_result *b)
{
	double a_s = cairn_trial_reach_s(a, 95), b_s = cairn_trial_reach_s(b, 95);
	return a_s > 0.0 && b_s > 1.0 ? 100.0 * (a_s / b_s - 1.0) : NAN;
}

const struct explore_contrast explore_contrasts[] = {
    {"path_percent", "path, % longer", path_change, true, 0, 0},
    {"seconds_percent", "time, % longer", time_change, true, 0, 0},
    {"seconds_to_95_percent", "time until 95 % are seen, % longer", time_to_95, false, 95, 95},
    {"seen_when_90_percent", "seen when the other has seen 90 %, %", seen_by_then, false, 0, 90},
    {"seen_points", "seen at the end, percentage points more", end_change, false, 0, 0},
};
const uint32_t explore_contrast_count = sizeof(explore_contrasts) / sizeof(explore_contrasts[0]);
