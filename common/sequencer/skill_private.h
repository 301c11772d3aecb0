/* skill_private.h - what an arm is at, and what the gate knows of the moment; skill_hold.c. */
#ifndef CAIRN_COMMON_SEQUENCER_SKILL_PRIVATE_H
#define CAIRN_COMMON_SEQUENCER_SKILL_PRIVATE_H

#include "common/skill/skill.h"

struct cairn_sequencer;

#define SEQ_SKILL_ORDERS 4
#define SEQ_SKILL_RESULTS 8

struct seq_skill {
	struct cairn_skill_sights sights;
	struct cairn_msg_skills offer;
	int64_t t_offer_ns; /* 0: no arm has said anything */
	int64_t t_moved_ns; /* the wheels moved last */
	uint64_t wish_epoch, last_wish;
	struct cairn_msg_skill_request order; /* under way; id 0: none */
	int64_t t_order_ns, t_abort_ns;       /* t_abort_ns 0: it was not told to stop */
	char why_abort[64];
	bool orphan; /* the arm carries out an order that this process has not given */
	struct cairn_msg_skill_request orders[SEQ_SKILL_ORDERS]; /* not taken yet, oldest first */
	struct cairn_msg_skill_result results[SEQ_SKILL_RESULTS];
	uint32_t orders_count, results_count;
};

/* An arm moves, or was told to stop and has not said that it has: the wheels stay at zero. */
bool seq_skill_busy(const struct cairn_sequencer *seq);
void seq_skill_step(struct cairn_sequencer *seq, int64_t now_ns);

#endif
