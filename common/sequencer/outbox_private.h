/* outbox_private.h - what the sequencer has to tell: results waiting to be taken, and the output of the last step; task.c. */
#ifndef CAIRN_COMMON_SEQUENCER_OUTBOX_PRIVATE_H
#define CAIRN_COMMON_SEQUENCER_OUTBOX_PRIVATE_H

#include "common/sequencer/sequencer.h"

struct cairn_sequencer;

#define SEQ_RESULTS_MAX 16

struct seq_outbox {
	struct cairn_msg_result results[SEQ_RESULTS_MAX]; /* a ring */
	uint32_t results_head, results_count;
	uint64_t rejects, duplicates;
	struct cairn_sequencer_output last; /* for the changed flags */
};

void seq_result_push(struct cairn_sequencer *seq, const struct cairn_msg_result *result);

#endif
