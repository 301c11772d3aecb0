/* dialog.h - the conversation with the model, without the network: when to ask, what to send, what to make of
 * the answer, when to ask again.
 *
 * The owner feeds what the bus brings, calls cairn_dialog_poll, sends the body it gets, and hands back what
 * came. One call is in flight at a time. A decision is due when the mission wants one and a snapshot is at
 * hand that is newer than the last decision and not older than the last result, and the call is not one that
 * may be left out (common/percept/call_policy.h); where the scene is known, a rule makes the decision. A question of the model to its sensors, or a report without an
 * action, is answered with one follow-up call restricted to actions; before that of observe_scene goes the call that has
 * the picture described. The first bad answer of a streak becomes
 * a STOP decision that says why; further ones are only counted and retried, so that the sequencer's
 * silent-model tiers take over from a model that talks nonsense for ever. */
#ifndef CAIRN_COMMON_VLM_DIALOG_H
#define CAIRN_COMMON_VLM_DIALOG_H

#include "common/base/geom.h"
#include "common/vlm/budget.h"
#include "common/vlm/decision.h"
#include "common/vlm/decision_log.h"
#include "common/vlm/memory.h"
#include "common/vlm/failover.h"
#include "ipc/frame_layout.h"

#define CAIRN_DIALOG_RETRY_NS (500 * CAIRN_NS_PER_MS)

struct cairn_dialog;

enum cairn_dialog_act {
	CAIRN_DIALOG_NOTHING,
	CAIRN_DIALOG_SEND,   /* send the body; one cairn_dialog_ended must follow */
	CAIRN_DIALOG_CANCEL, /* drop the call in flight; nothing follows */
	CAIRN_DIALOG_DECIDED /* a decision was made without a call: cairn_dialog_take_decision has it */
};

/* What became of a call. */
struct cairn_dialog_outcome {
	int status;       /* HTTP status; 0: there was no answer */
	const char *body; /* of any status */
	size_t body_bytes;
	double retry_after_s; /* negative: the service did not say */
	double quota_wait_s;  /* the service allows no further call for so long, as its headers say; 0 = it
				 does */
	const char *error;    /* status 0: why, one line */
	bool sent;            /* the whole request had gone out: it may have been worked on, and costs */
};

/* system: the static prompt (copied). It asks the scripted pilot until cairn_dialog_use says otherwise. NULL
 * with err set: prefix too short for the providers' caches, or no memory. */
struct cairn_dialog *cairn_dialog_new(const struct cairn_config_vlm *cfg, double snapshot_max_age_s,
    const char *system, struct cairn_error *err);
void cairn_dialog_destroy(struct cairn_dialog **dialog_p);

/* Who is asked: the primary and its fallbacks (copied). Only before the first call. False with the reason. */
bool cairn_dialog_use(
    struct cairn_dialog *dialog, const struct cairn_lineup *lineup, struct cairn_error *err);
/* Tokens of the static prefix that goes to the provider of this index, roughly. */
uint64_t cairn_dialog_prefix_tokens(const struct cairn_dialog *dialog, uint32_t index);
/* Index of the provider that the body of the last CAIRN_DIALOG_SEND is for. */
uint32_t cairn_dialog_provider(const struct cairn_dialog *dialog);
/* As what that provider is asked: the usual model, the strong one for a hard decision, the one on the robot. */
enum cairn_decider cairn_dialog_decider(const struct cairn_dialog *dialog);
/* That body asks to have a picture described: to whom it goes says nothing about who decides. */
bool cairn_dialog_observes(const struct cairn_dialog *dialog);
/* Who is well and whose probe is due: for the owner, who sends the probes. */
struct cairn_failover *cairn_dialog_route(struct cairn_dialog *dialog);

void cairn_dialog_mission(
    struct cairn_dialog *dialog, const struct cairn_msg_mission *mission, const struct cairn_header *hdr);
/* Of the newest mission, in words; empty: none. Valid until the next one. */
const char *cairn_dialog_goal(const struct cairn_dialog *dialog);
void cairn_dialog_result(struct cairn_dialog *dialog, const struct cairn_msg_result *result, int64_t t_ns);
void cairn_dialog_frontiers(
    struct cairn_dialog *dialog, const struct cairn_msg_frontiers *frontiers, int64_t t_ns);
/* Candidates to offer; never called where the model is not to be told of them. */
void cairn_dialog_candidates(
    struct cairn_dialog *dialog, const struct cairn_msg_candidates *candidates, int64_t t_ns);

/* What the stage local makes of the scene; never called where it does not run. */
void cairn_dialog_local(struct cairn_dialog *dialog, const struct cairn_msg_local *local, int64_t t_ns);
/* What the sensors say of each direction now, for check_path_clear. */
void cairn_dialog_paths_clear(
    struct cairn_dialog *dialog, const struct cairn_msg_paths_clear *paths, int64_t t_ns);

/* True when the owner should look for a newer snapshot: a decision is wanted and no call is under way. */
bool cairn_dialog_wants_snapshot(const struct cairn_dialog *dialog, int64_t now_ns);
/* Takes (copies) the payload of a snapshot frame stamped t_ns. False with the reason when it is broken: the
 * last good one is kept then. */
bool cairn_dialog_snapshot(
    struct cairn_dialog *dialog, const void *payload, size_t bytes, int64_t t_ns, struct cairn_error *err);
/* Who made the snapshots from now on, for the audit: the epoch of their frames. */
void cairn_dialog_snapshot_epoch(struct cairn_dialog *dialog, uint64_t epoch);
/* What the sequencer wants a path to, for the comparison of vlm.shadow. */
void cairn_dialog_nav_goal(struct cairn_dialog *dialog, const struct cairn_msg_nav_goal *goal, int64_t t_ns);
/* Time goes on, for the session's duration in the memory. */
void cairn_dialog_tick(struct cairn_dialog *dialog, double elapsed_s);

/* *ret_body is valid until the next call of cairn_dialog_poll. */
enum cairn_dialog_act cairn_dialog_poll(
    struct cairn_dialog *dialog, int64_t now_ns, const char **ret_body, size_t *ret_bytes);
void cairn_dialog_ended(
    struct cairn_dialog *dialog, int64_t now_ns, const struct cairn_dialog_outcome *outcome);
/* The decision made by the last cairn_dialog_ended, once; its id rises and is at least its time in
 * microseconds, so that it also rises over a restart. */
bool cairn_dialog_take_decision(struct cairn_dialog *dialog, struct cairn_msg_decision *ret);

/* With vlm.shadow the decision is not for the sequencer: it is only logged. */
/* Everything about the decision that was taken last, for the log; valid until the next call is sent. local:
 * room for words about local exploration. */
void cairn_dialog_decision_note(
    const struct cairn_dialog *dialog, struct cairn_decision_note *ret, char *local, size_t cap);
/* Claims about the map that came with the last answer, once. */
bool cairn_dialog_take_update(struct cairn_dialog *dialog, struct cairn_msg_world_update *ret);

/* rooms, discoveries, ledger, health, last words; provider and model from the configuration. */
void cairn_dialog_stats(const struct cairn_dialog *dialog, int64_t now_ns, struct cairn_msg_vlm_stats *ret);
/* Why nothing is being asked right now, or what is; for the heartbeat. */
const char *cairn_dialog_note(const struct cairn_dialog *dialog, int64_t now_ns);

/* What the last question was made of: for a recording, and to put it once more. Borrowed, valid until the dialog is told
 * something new. */
struct cairn_dialog_question {
	const struct cairn_msg_mission *mission;
	const struct cairn_header *mission_hdr;
	const struct cairn_msg_frontiers *frontiers;
	const struct cairn_msg_candidates *candidates;
	int64_t frontiers_ns, candidates_ns; /* 0 = there were none */
	const struct cairn_memory *memory;
	const struct cairn_snapshot_head *head;
	const char *parts; /* of the snapshot: text, then the pictures */
	size_t parts_bytes;
	int64_t snapshot_ns;
	bool pictures, view; /* went with it: pictures at all, the one from above */
	bool detail;         /* the camera's in full detail */
	const char *context; /* its dynamic text; unused by cairn_dialog_restore */
	const char *problem; /* with the answer before; empty: none */
	bool followup;       /* it is the follow-up of the question before; unused by cairn_dialog_restore */
};
void cairn_dialog_question(const struct cairn_dialog *dialog, struct cairn_dialog_question *ret);
/* Puts a fresh dialog to where it was when the question was asked, at now_ns: the next cairn_dialog_poll sends it. The
 * picture of the decision before is not kept. False with the reason: the snapshot is broken. */
bool cairn_dialog_restore(struct cairn_dialog *dialog, const struct cairn_dialog_question *question,
    int64_t now_ns, struct cairn_error *err);

/* Called with every report of the model that was new to the memory, as it comes. */
typedef void cairn_dialog_report_fn(void *ctx, const struct cairn_tool_call *report);
void cairn_dialog_on_report(struct cairn_dialog *dialog, cairn_dialog_report_fn *on_report, void *ctx);

/* Where the thing is that a call of find_object_distance asks for, as one line into answer, or that a report points to in the
 * picture (answer NULL). True: *ret_at is its place in the map. */
typedef bool cairn_dialog_locate_fn(
    void *ctx, const struct cairn_tool_call *call, char *answer, size_t bytes, struct cairn_vec2 *ret_at);
void cairn_dialog_on_locate(struct cairn_dialog *dialog, cairn_dialog_locate_fn *locate, void *ctx);

/* Memory and ledger, for saving and for what a file held; changed is set at each change and is the owner's to
 * clear. */
struct cairn_memory *cairn_dialog_memory(struct cairn_dialog *dialog);
struct cairn_budget *cairn_dialog_budget(struct cairn_dialog *dialog);
bool *cairn_dialog_changed(struct cairn_dialog *dialog);

/* What is spent, the call under way as if its answer never came: what a file has to say in case this process dies. */
void cairn_dialog_spending(const struct cairn_dialog *dialog, int64_t now_ns, struct cairn_spending *ret);

/* The provider of this index is never asked; why goes to the stats. For a missing key. */
void cairn_dialog_give_up(struct cairn_dialog *dialog, uint32_t index, const char *why);

#endif
