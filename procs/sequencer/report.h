/* report.h - what is told of the sequencer's steps beside its topics: log, note, trouble, and who steers by hand. */
#ifndef CAIRN_PROCS_SEQUENCER_REPORT_H
#define CAIRN_PROCS_SEQUENCER_REPORT_H

#include "common/sequencer/sequencer.h"
#include "procs/shell/stage.h"

struct report {
	struct cairn_stage *stage;
	bool steered; /* by hand, at the last step */
};

void report_result(const struct cairn_msg_result *r);
void report_step(struct report *report, const struct cairn_sequencer *seq,
    const struct cairn_sequencer_output *was, const struct cairn_sequencer_output *is);

#endif
