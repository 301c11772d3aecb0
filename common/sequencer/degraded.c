/* degraded.c - what the robot does while a stage is held failed. Which stage asks for what stands in
 * the launcher's table and its configuration and comes with every report; the most cautious wish wins. */
#include <stdio.h>

#include "common/sequencer/sequencer_private.h"

#define STAGES_TIMEOUT_S                                                                                     \
	3.0 /* of a launcher that is away nothing is known: then the ages of inputs decide alone */

void cairn_sequencer_on_stages(
    struct cairn_sequencer *seq, const struct cairn_msg_stages *stages, int64_t t_ns)
{
	if (!seq_rising(seq, &seq->degraded.t_ns, t_ns, true))
		return;
	seq->degraded.told = (struct seq_degraded_wish){.wish = CAIRN_WITHOUT_GO_ON};
	for (uint32_t i = 0; i < stages->items_count; i++) {
		const struct cairn_msg_stage *st = &stages->items[i];
		bool counts = st->state == CAIRN_STAGE_STATE_FAILED &&
			      (seq->degraded.told.stage[0] == '\0' || st->without < seq->degraded.told.wish);
		if (!counts)
			continue;
		seq->degraded.told.wish = st->without;
		snprintf(seq->degraded.told.stage, sizeof(seq->degraded.told.stage), "%s", st->name);
	}
}

void seq_degraded_update(struct cairn_sequencer *seq, int64_t now_ns)
{
	bool known = seq->degraded.t_ns != 0 && seq_seconds(seq->degraded.t_ns, now_ns) <= STAGES_TIMEOUT_S;
	seq->degraded.in_force =
	    known ? seq->degraded.told : (struct seq_degraded_wish){.wish = CAIRN_WITHOUT_GO_ON};
}

uint32_t seq_degraded_conditions(const struct cairn_sequencer *seq)
{
	switch (seq->degraded.in_force.wish) {
	case CAIRN_WITHOUT_HOME:
		return CAIRN_MISSION_BIT(DEGRADED);
	case CAIRN_WITHOUT_LOCAL:
		return CAIRN_MISSION_BIT(LOCAL);
	case CAIRN_WITHOUT_STAND:
	case CAIRN_WITHOUT_GO_ON:
	case CAIRN_WITHOUT_COUNT:
		break;
	}
	return 0;
}
