/* witness.h - for a recording: sees what the sequencer and the planner see, and writes down what each question was made
 * of, what the robot saw when the decision came, and what became of it (common/vlm/recording.h).
 *
 * Only there while something is recorded: nobody else pays for the subscriptions. */
#ifndef CAIRN_PROCS_GATEWAY_WITNESS_H
#define CAIRN_PROCS_GATEWAY_WITNESS_H

#include "common/vlm/dialog.h"
#include "ipc/frames.h"
#include "procs/gateway/recorder.h"
#include "procs/shell/stage.h"

struct witness;

/* All borrowed. Writes the line "begun". NULL with err set. */
struct witness *witness_new(struct cairn_stage *stage, struct recorder *recorder, struct cairn_frames *frames,
    const struct cairn_dialog *dialog, const struct cairn_profile *profile, const char *system,
    struct cairn_error *err);
void witness_destroy(struct witness **witness_p);

/* The dialog has just made a request. */
void witness_asked(struct witness *witness);
/* The dialog has just made a decision. */
void witness_decided(struct witness *witness, const struct cairn_msg_decision *decision);
void witness_result(
    struct witness *witness, const struct cairn_msg_result *result, const struct cairn_header *hdr);

#endif
