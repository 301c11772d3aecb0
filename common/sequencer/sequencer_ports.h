/* sequencer_ports.h - what goes into the sequencer and comes out of it, as tables (ipc/ports.h). */
#ifndef CAIRN_COMMON_SEQUENCER_SEQUENCER_PORTS_H
#define CAIRN_COMMON_SEQUENCER_SEQUENCER_PORTS_H

#include "common/sequencer/sequencer.h"
#include "ipc/ports.h"

extern const struct cairn_in cairn_sequencer_in[]; /* core: struct cairn_sequencer */
/* Arms that programs outside move (external.topics); the same core. */
extern const struct cairn_in cairn_sequencer_arms_in[];
extern const struct cairn_out cairn_sequencer_out[];

/* Orders to the arm and results of wishes, after each call. */
void cairn_sequencer_put_skills(struct cairn_sequencer *seq, struct cairn_outbox *box, int64_t now_ns);
/* What a step has brought. */
void cairn_sequencer_put(const struct cairn_sequencer *seq, const struct cairn_sequencer_output *out,
    struct cairn_outbox *box, int64_t now_ns);

#endif
