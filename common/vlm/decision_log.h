/* decision_log.h - every decision can be explained: one JSON object a line, for each decision and for what
 * became of it.
 *
 * A line of a decision: {"t": unix s, "id", "what": "navigate_to_goal F3", "by", "decider", "reasoning", "why_stop",
 * "trigger", "snapshot": {"id", "hash", "epoch", "x_m", "y_m", "yaw_rad", "age_s"}, "prompt": {"hash",
 * "context"}, "provider", "model", "latency_s", "shadow", "local"}. A line of a result: {"t", "result_of":
 * id, "outcome", "reason", ...}. Hashes are hexadecimal texts. The file is kept below a size: the one before
 * it stays as PATH.1. */
#ifndef CAIRN_COMMON_VLM_DECISION_LOG_H
#define CAIRN_COMMON_VLM_DECISION_LOG_H

#include "common/base/error.h"
#include "common/base/text.h"
#include "ipc/messages.h"

struct cairn_decision_note {
	const struct cairn_msg_decision *decision;
	const char *provider, *model;
	const char *context; /* the dynamic part of the prompt; may be NULL */
	const char *problem; /* why it is a STOP, empty if the model chose it */
	enum cairn_trigger trigger;
	double snapshot_age_s; /* when the model was asked */
	bool shadow;
	const char *local; /* shadow: what local exploration does, and whether they agree; may be NULL */
};

/* One line each, with its end; out is cleared first. */
void cairn_decision_log_decision(
    struct cairn_text *out, double unix_s, const struct cairn_decision_note *note);
void cairn_decision_log_result(struct cairn_text *out, double unix_s, const struct cairn_msg_result *result);

/* Appends a line; a file that would grow beyond max_bytes becomes path.1 first. False with the reason. */
bool cairn_decision_log_append(
    const char *path, const struct cairn_text *line, size_t max_bytes, struct cairn_error *err);

#endif
