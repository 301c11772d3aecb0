#include "common/sequencer/sequencer_private.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define CANDIDATES_TIMEOUT_S 3.0
#define HEIR_M 1.0 /* a frontier's place that has moved no farther than this is meant still */

__attribute__((format(printf, 2, 3))) static bool refuse(char why[160], const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, 160, fmt, ap);
	va_end(ap);
	return false;
}

/* "3, 4, 9" */
static const char *offered(const struct cairn_msg_candidates *set, char *buf, size_t bytes)
{
	size_t used = 0;
	snprintf(buf, bytes, "none");
	for (uint32_t i = 0; i < set->items_count && used < bytes; i++)
		used +=
		    (size_t)snprintf(buf + used, bytes - used, "%s%u", i > 0 ? ", " : "", set->items[i].id);
	return buf;
}

static const struct cairn_msg_candidate *find(const struct cairn_msg_candidates *set, uint32_t id)
{
	for (uint32_t i = 0; i < set->items_count; i++)
		if (set->items[i].id == id)
			return &set->items[i];
	return NULL;
}

/* Of the candidates offered now the one that looks into what the candidate d means looked into, or beside it:
 * while the map grows frontiers move, part and join, and their places get other ids meanwhile. NULL: there is
 * none, or it was never in a list that d may have been made from. */
static const struct cairn_msg_candidate *heir(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns)
{
	const struct cairn_msg_candidates *set = &seq->offers.candidates;
	const struct cairn_msg_candidate *was = NULL, *best = NULL;
	double best_m = HEIR_M;
	for (uint32_t i = 0; i < seq->offers.gone_count && i < SEQ_GONE_MAX; i++) {
		const struct seq_gone *g = &seq->offers.gone[i];
		if (g->as.id == d->candidate_id && g->as.since <= d->candidate_set &&
		    g->as.since >= set->first_set && g->as.kind == CAIRN_CANDIDATE_KIND_FRONTIER &&
		    seq_seconds(g->t_ns, now_ns) <=
			fmax(CANDIDATES_TIMEOUT_S, seq_seconds(d->t_snapshot_ns, now_ns)))
			was = &g->as;
	}
	for (uint32_t i = 0; was != NULL && i < set->items_count; i++) {
		const struct cairn_msg_candidate *c = &set->items[i];
		double off_m =
		    c->frontier_id == was->frontier_id ? 0.0 : hypot(c->x_m - was->x_m, c->y_m - was->y_m);
		if (c->kind != CAIRN_CANDIDATE_KIND_FRONTIER || !(off_m <= best_m))
			continue;
		best = c;
		best_m = off_m;
	}
	return best;
}

static bool offers(const struct cairn_msg_frontiers *set, uint32_t id)
{
	for (uint32_t i = 0; i < set->items_count; i++)
		if (set->items[i].id == id)
			return true;
	return false;
}

void seq_frontiers_gone(struct cairn_sequencer *seq, const struct cairn_msg_frontiers *newest, int64_t t_ns)
{
	struct seq_offers *o = &seq->offers;
	for (uint32_t i = 0; i < o->frontiers.items_count; i++) {
		const struct cairn_msg_frontier *f = &o->frontiers.items[i];
		if (!offers(newest, f->id))
			o->gone_frontiers[o->gone_frontier_count++ % SEQ_GONE_MAX] =
			    (struct seq_gone_frontier){t_ns, f->id, f->x_m, f->y_m};
	}
}

/* The frontier of a decision that has gone since its snapshot. */
static const struct seq_gone_frontier *gone_since(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d)
{
	const struct seq_offers *o = &seq->offers;
	for (uint32_t i = 0; i < o->gone_frontier_count && i < SEQ_GONE_MAX; i++)
		if (o->gone_frontiers[i].id == d->frontier_id && d->t_snapshot_ns != 0 &&
		    o->gone_frontiers[i].t_ns >= d->t_snapshot_ns)
			return &o->gone_frontiers[i];
	return NULL;
}

bool seq_named_in_time(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d)
{
	return d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && d->goal_kind == CAIRN_GOAL_KIND_FRONTIER &&
	       gone_since(seq, d) != NULL;
}

const struct cairn_msg_frontier *seq_frontier_named(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d)
{
	const struct seq_offers *o = &seq->offers;
	const struct cairn_msg_frontier *best = seq_frontier(seq, d->frontier_id);
	const struct seq_gone_frontier *was = best == NULL ? gone_since(seq, d) : NULL;
	double best_m = HEIR_M;
	for (uint32_t i = 0; was != NULL && i < o->frontiers.items_count; i++) {
		const struct cairn_msg_frontier *f = &o->frontiers.items[i];
		double off_m = hypot(f->x_m - was->x_m, f->y_m - was->y_m);
		if (!(off_m <= best_m))
			continue;
		best = f;
		best_m = off_m;
	}
	return best;
}

const struct cairn_msg_candidate *seq_candidate(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns, char why[160])
{
	const struct cairn_msg_candidates *set = &seq->offers.candidates;
	char list[64];
	if (seq->offers.t_candidates_ns == 0 ||
	    seq_seconds(seq->offers.t_candidates_ns, now_ns) > CANDIDATES_TIMEOUT_S)
		return (void)refuse(why, "no candidates are offered now"), NULL;
	if (d->candidate_set == 0)
		return (void)refuse(why, "no list of candidates was shown"), NULL;
	if (d->candidate_set < set->first_set)
		return (void)refuse(why, "candidate %u stood in a list from before the mapper was restarted",
			   d->candidate_id),
		       NULL;
	const struct cairn_msg_candidate *c = find(set, d->candidate_id),
					 *instead = c == NULL ? heir(seq, d, now_ns) : NULL;
	if (c == NULL && instead == NULL)
		return (void)refuse(why, "there is no candidate %u any more; offered are %s", d->candidate_id,
			   offered(set, list, sizeof(list))),
		       NULL;
	if (instead == NULL && c->since > d->candidate_set)
		return (void)refuse(why, "candidate %u was not in the list that was shown", d->candidate_id),
		       NULL;
	c = instead != NULL ? instead : c;
	if (!isfinite(c->x_m) || !isfinite(c->y_m) || !(c->path_m >= 0.0))
		return (void)refuse(why, "candidate %u cannot be reached", d->candidate_id), NULL;
	return c;
}

const struct cairn_msg_frontier *seq_frontier(const struct cairn_sequencer *seq, uint32_t id)
{
	for (uint32_t i = 0; i < seq->offers.frontiers.items_count; i++) {
		if (seq->offers.frontiers.items[i].id == id)
			return &seq->offers.frontiers.items[i];
	}
	return NULL;
}

bool seq_names_something(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns)
{
	char why[160];
	if (d->tool != CAIRN_TOOL_NAVIGATE_TO_GOAL)
		return true;
	if (d->goal_kind == CAIRN_GOAL_KIND_FRONTIER)
		return seq_frontier_named(seq, d) != NULL;
	return d->goal_kind != CAIRN_GOAL_KIND_CANDIDATE || seq_candidate(seq, d, now_ns, why) != NULL;
}

bool seq_prepare_candidate(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal)
{
	const struct cairn_msg_candidate *c = seq_candidate(seq, d, now_ns, refusal->reason);
	if (c == NULL)
		return false;
	task->nav.x_m = c->x_m;
	task->nav.y_m = c->y_m;
	task->nav.distance_m = c->path_m;
	if (c->kind != CAIRN_CANDIDATE_KIND_FRONTIER)
		return true;
	/* One that opens a frontier is judged as a way to that frontier is. */
	const struct cairn_msg_frontier *f = seq_frontier(seq, c->frontier_id);
	if (f == NULL)
		return refuse(refusal->reason, "the frontier behind candidate %u has been seen into", c->id);
	const char *vain = cairn_frontier_blacklist_given_up(&seq->mission.record.explore, f->x_m, f->y_m);
	if (vain != NULL) {
		refusal->counts = true;
		return refuse(
		    refusal->reason, "the frontier behind candidate %u was given up: %.64s", c->id, vain);
	}
	task->nav.frontier = true;
	task->nav.frontier_id = f->id;
	task->nav.frontier_x_m = f->x_m;
	task->nav.frontier_y_m = f->y_m;
	return true;
}

void cairn_sequencer_on_candidates(
    struct cairn_sequencer *seq, const struct cairn_msg_candidates *candidates, int64_t t_ns)
{
	if (!seq_rising(seq, &seq->offers.t_candidates_ns, t_ns, true))
		return;
	for (uint32_t i = 0; i < seq->offers.candidates.items_count; i++)
		if (find(candidates, seq->offers.candidates.items[i].id) == NULL)
			seq->offers.gone[seq->offers.gone_count++ % SEQ_GONE_MAX] =
			    (struct seq_gone){t_ns, seq->offers.candidates.items[i]};
	seq->offers.candidates = *candidates;
}
