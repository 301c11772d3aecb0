/* validate_private.h - the chain a decision goes through: validate.c, decision_basis.c, model_claims.c. */
#ifndef CAIRN_COMMON_SEQUENCER_VALIDATE_PRIVATE_H
#define CAIRN_COMMON_SEQUENCER_VALIDATE_PRIVATE_H

#include "common/sequencer/task_private.h"

struct cairn_sequencer;

struct seq_refusal {
	char reason[160];
	char suggestion[160];
	bool counts; /* as an attempt that got nowhere */
	struct seq_cause by;
};

/* An action that was blocked. */
struct seq_blocked_action {
	int64_t t_ns;
	enum cairn_tool tool;
	int way; /* direction, or sign of the turn, or kind of the goal */
	struct cairn_pose2 at;
	double x_m, y_m; /* of a goal */
	uint32_t candidate_id;
	uint32_t count;
};

#define SEQ_MEMORY_MAX 24
struct seq_memory {
	struct seq_blocked_action items[SEQ_MEMORY_MAX];
	uint32_t count;
};

/* False: refused, *refusal filled. On success *task is what to execute. */
bool seq_check(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal);
/* True when a model that says this counts as one that answers: well-formed, in time, and not about a frontier
 * or a candidate that does not exist; sensible or not. */
bool seq_is_answer(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns);
void seq_refuse(
    struct cairn_sequencer *seq, const struct cairn_msg_decision *d, const struct seq_refusal *refusal);
void seq_remember_blocked(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns);
/* True for what moves the robot. */
bool seq_tool_moves(enum cairn_tool tool);
/* The place that a way leads to; false where it names none, or none that is there now. */
bool seq_goal_of(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct cairn_vec2 *ret);

/* decision_basis.c: what a decision rests on still holds. */
bool seq_basis_check(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal);
bool seq_basis_corridor(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal);
/* The answer took long, or the robot has moved on: it leans on its corridor being as it was. */
bool seq_basis_leans(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns);
/* Of a way that leans on its corridor: the path that the planner tells of it, the next 3 m, is held against the snapshot, once.
 * UNKNOWN: there is no path of it yet. CHANGED: the refusal says what has come into it. */
enum seq_way { SEQ_WAY_HOLDS, SEQ_WAY_UNKNOWN, SEQ_WAY_CHANGED };
enum seq_way seq_basis_way(struct cairn_sequencer *seq, struct seq_refusal *refusal);
/* It moves nothing, or its snapshot is young enough for its provider. */
bool seq_basis_timely(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns);

/* model_claims.c: the reasons of stop_robot that claim something: false, with the reason, where it is not so. */
bool seq_model_claim(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_refusal *refusal);
/* What an operator's word does to a task that waits for people: false when nobody was asked. */
bool seq_model_answered(struct cairn_sequencer *seq, int64_t now_ns);
/* What a decision would do instead, as it came; false when it names nothing. */
bool seq_model_other(const struct cairn_msg_decision *d, struct cairn_msg_decision *ret);
/* What a decision would have done instead, as a checked task; false when there is nothing, or that is refused too (refusal says
 * why, empty where there is nothing). */
bool seq_model_fallback(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, const char *why,
    int64_t now_ns, struct seq_task *task, struct seq_refusal *refusal);
/* The same for the way that is driven and has failed: begins it in its place. False: whoever ends the way says why
 * (task.fallback_refused). */
bool seq_model_fall_back(
    struct cairn_sequencer *seq, enum cairn_outcome outcome, const char *why, int64_t now_ns);

#endif
