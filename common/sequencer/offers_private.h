/* offers_private.h - what can be named by a number: frontiers and candidates, those of now and those of before; candidate_choice.c. */
#ifndef CAIRN_COMMON_SEQUENCER_OFFERS_PRIVATE_H
#define CAIRN_COMMON_SEQUENCER_OFFERS_PRIVATE_H

#include "common/explore/candidates.h"
#include "common/sequencer/task_private.h"

struct cairn_sequencer;

/* A candidate that is not offered any more: the model may be thinking of it still. */
struct seq_gone {
	int64_t t_ns;
	struct cairn_msg_candidate as;
};

struct seq_gone_frontier {
	int64_t t_ns;
	uint32_t id;
	double x_m, y_m;
};

#define SEQ_GONE_MAX 64
struct seq_offers {
	int64_t t_frontiers_ns, t_candidates_ns;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_candidates candidates;
	struct seq_gone gone[SEQ_GONE_MAX]; /* a ring */
	uint32_t gone_count;
	struct seq_gone_frontier gone_frontiers[SEQ_GONE_MAX]; /* a ring */
	uint32_t gone_frontier_count;
};

const struct cairn_msg_frontier *seq_frontier(const struct cairn_sequencer *seq, uint32_t id);
/* The frontier that a decision names, or what has become of it since its snapshot: the one in its place. NULL: there is none. */
const struct cairn_msg_frontier *seq_frontier_named(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d);
/* It names a frontier that was there when its snapshot was taken, and has been seen into since. */
bool seq_named_in_time(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d);
/* Keeps those that are not among the newest any more; before these are taken. */
void seq_frontiers_gone(struct cairn_sequencer *seq, const struct cairn_msg_frontiers *newest, int64_t t_ns);
/* The candidate that a decision names; NULL with the reason when it is not offered, or not any more. */
const struct cairn_msg_candidate *seq_candidate(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns, char why[160]);
/* False for a decision about a frontier or a candidate that does not exist. */
bool seq_names_something(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns);
bool seq_prepare_candidate(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal);

#endif
