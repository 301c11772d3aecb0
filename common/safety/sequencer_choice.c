#include "common/safety/sequencer_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define CANDIDATES_TIMEOUT_S 3.0

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

const struct cairn_msg_candidate *seq_candidate(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns, char why[160])
{
	const struct cairn_msg_candidates *set = &seq->candidates;
	const struct cairn_msg_candidate *c = NULL;
	char list[64];
	if (seq->t_candidates_ns == 0 || seq_seconds(seq->t_candidates_ns, now_ns) > CANDIDATES_TIMEOUT_S)
		return (void)refuse(why, "no candidates are offered now"), NULL;
	if (d->candidate_set == 0)
		return (void)refuse(why, "no list of candidates was shown"), NULL;
	if (d->candidate_set < set->first_set)
		return (void)refuse(why, "candidate %u stood in a list from before the mapper was restarted",
			   d->candidate_id),
		       NULL;
	for (uint32_t i = 0; i < set->items_count; i++)
		c = set->items[i].id == d->candidate_id ? &set->items[i] : c;
	if (c == NULL)
		return (void)refuse(why, "there is no candidate %u any more; offered are %s", d->candidate_id,
			   offered(set, list, sizeof(list))),
		       NULL;
	if (c->since > d->candidate_set)
		return (void)refuse(why, "candidate %u was not in the list that was shown", d->candidate_id),
		       NULL;
	if (!isfinite(c->x_m) || !isfinite(c->y_m) || !(c->path_m >= 0.0))
		return (void)refuse(why, "candidate %u cannot be reached", d->candidate_id), NULL;
	return c;
}

const struct cairn_msg_frontier *seq_frontier(const struct cairn_sequencer *seq, uint32_t id)
{
	for (uint32_t i = 0; i < seq->frontiers.items_count; i++) {
		if (seq->frontiers.items[i].id == id)
			return &seq->frontiers.items[i];
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
		return seq_frontier(seq, d->frontier_id) != NULL;
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
	const char *vain = cairn_explore_given_up(&seq->rec.explore, f->x_m, f->y_m);
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
	if (seq_rising(seq, &seq->t_candidates_ns, t_ns, true))
		seq->candidates = *candidates;
}
