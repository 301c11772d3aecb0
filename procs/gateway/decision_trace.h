/* decision_trace.h - for a recording: sees what the sequencer and the planner see, and writes down what each question was made
 * of, what the robot saw when the decision came, and what became of it (common/vlm/recording.h).
 *
 * Only there while something is recorded: nobody else pays for the subscriptions. */
#ifndef CAIRN_PROCS_GATEWAY_DECISION_TRACE_H
#define CAIRN_PROCS_GATEWAY_DECISION_TRACE_H

#include "common/vlm/dialog.h"
#include "ipc/frames.h"
#include "procs/gateway/recorder.h"
#include "procs/shell/stage.h"

struct witness;

/* All borrowed. Writes the line "begun". NULL with err set. */
struct witness *trace_new(struct cairn_stage *stage, struct recorder *recorder,
    const struct cairn_dialog *dialog, const struct cairn_profile *profile, const char *system,
    struct cairn_error *err);
void trace_destroy(struct witness **trace_p);

/* The dialog has taken a snapshot of this stamp. */
void trace_snapshot(struct witness *witness, int64_t t_ns);
/* The dialog has just made a request. */
void trace_asked(struct witness *witness);
/* The dialog has just made a decision. */
void trace_decided(struct witness *witness, const struct cairn_msg_decision *decision);
void trace_result(
    struct witness *witness, const struct cairn_msg_result *result, const struct cairn_header *hdr);

#endif
