/* eval_frequency_novelty.c - what the score of the stage local saves: the runs by need, with it and without. */
#include "common/eval/interval.h"
#include "procs/lab/eval_frequency.h"

#define SEEDS_MAX FREQUENCY_SEEDS_MAX
#define SAVED_MIN 0.30 /* of the calls by need */

static const struct cairn_frequency_report *run_of(const struct frequency_runs *p, uint32_t i)
{
	return (const struct cairn_frequency_report *)((const char *)p->first + i * p->stride_bytes);
}

static const struct cairn_frequency_report *report_of(
    const struct frequency_runs *p, uint32_t home, uint32_t seed)
{
	return run_of(p, home * p->seeds + seed);
}

/* Means of the runs by need, with the score of the stage local and without it. */
struct novelty {
	double saved[SEEDS_MAX]; /* of each seed: share of the calls of all homes, until the same was seen */
	double calls, calls_with, rule, things, things_with, rooms, rooms_with, reports, reports_with;
	double coverage, coverage_with, seconds, seconds_with, contacts_with, mean;
};

static void novelty_of(const struct frequency_runs *p, struct novelty *ret)
{
	uint32_t runs = p->home_count * p->seeds;
	*ret = (struct novelty){.calls = 0.0};
	for (uint32_t s = 0; s < p->seeds; s++) {
		uint64_t with = 0, without = 0;
		for (uint32_t h = 0; h < p->home_count; h++) {
			const struct cairn_frequency_report *r = report_of(p, h, s);
			with += r->novelty.same_calls;
			without += r->need_calls;
		}
		ret->saved[s] = without > 0 ? 1.0 - (double)with / (double)without : 0.0;
	}
	for (uint32_t i = 0; i < runs; i++) {
		const struct cairn_frequency_run *w = &run_of(p, i)->novelty;
		const struct cairn_frequency_run *r = &run_of(p, i)->adaptive;
		ret->calls += (double)r->calls / runs;
		ret->calls_with += (double)w->calls / runs;
		ret->rule += (double)w->rule_decisions / runs;
		ret->things += (double)r->things_shown / runs;
		ret->things_with += (double)w->things_shown / runs;
		ret->rooms += (double)r->rooms_asked / runs;
		ret->rooms_with += (double)w->rooms_asked / runs;
		ret->reports += (double)r->reports / runs;
		ret->reports_with += (double)w->reports / runs;
		ret->coverage += r->coverage / runs;
		ret->coverage_with += w->coverage / runs;
		ret->seconds += r->seconds / runs;
		ret->seconds_with += w->seconds / runs;
		ret->contacts_with += (double)w->contacts / runs;
		ret->mean += w->novelty_mean / runs;
	}
}

void frequency_tell_novelty(const struct frequency_runs *p, FILE *out, json_t *figures)
{
	struct novelty n;
	novelty_of(p, &n);
	struct cairn_interval i = cairn_interval_of_mean(n.saved, p->seeds);
	fprintf(out,
	    "with novelty: %.0f %% fewer calls than by need (%.0f ... %.0f) for the same floor; mean score "
	    "%.2f\n",
	    100.0 * i.mean, 100.0 * i.low, 100.0 * i.high, n.mean);
	for (uint32_t h = 0; h < p->home_count; h++) {
		double with = 0.0, without = 0.0;
		for (uint32_t s = 0; s < p->seeds; s++) {
			with += (double)report_of(p, h, s)->novelty.same_calls / p->seeds;
			without += (double)report_of(p, h, s)->need_calls / p->seeds;
		}
		fprintf(out, "  %-8s calls %5.1f with, %5.1f without\n", p->homes[h], with, without);
	}
	fprintf(out,
	    "  whole runs, with and without: calls %.1f, %.1f; by rule %.1f; things shown to the model %.1f, "
	    "%.1f; rooms asked in %.2f, %.2f; reports %.2f, %.2f; seen %.1f %%, %.1f %%; time %.0f s, %.0f "
	    "s; "
	    "contacts %.2f\n",
	    n.calls_with, n.calls, n.rule, n.things_with, n.things, n.rooms_with, n.rooms, n.reports_with,
	    n.reports, 100.0 * n.coverage_with, 100.0 * n.coverage, n.seconds_with, n.seconds,
	    n.contacts_with);
	json_object_set_new(figures, "novelty",
	    json_pack("{s:o,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "saved",
		json_pack(
		    "{s:f,s:f,s:f,s:i}", "mean", i.mean, "low", i.low, "high", i.high, "seeds", (int)i.count),
		"calls_with", n.calls_with, "calls_without", n.calls, "rule_decisions", n.rule,
		"things_shown_with", n.things_with, "things_shown_without", n.things, "rooms_asked_with",
		n.rooms_with, "rooms_asked_without", n.rooms, "coverage_with", n.coverage_with,
		"coverage_without", n.coverage, "seconds_with", n.seconds_with, "seconds_without",
		n.seconds));
}

bool frequency_novelty_ok(const struct frequency_runs *p, double less_seen_max)
{
	struct novelty n;
	novelty_of(p, &n);
	return n.contacts_with == 0.0 && n.coverage_with - n.coverage >= -less_seen_max &&
	       cairn_interval_of_mean(n.saved, p->seeds).mean >= SAVED_MIN;
}
