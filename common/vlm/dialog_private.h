/* dialog_private.h - what the files of the dialog share; nobody else includes it.
 *
 * dialog.c takes in what the bus brings; dialog_peers.c knows whom to ask; dialog_when.c knows when to ask;
 * dialog_send.c makes the request; dialog_answer.c makes something of what came back; dialog_stats.c tells
 * people; dialog_question.c keeps a question and puts it once more; dialog_observe.c has a picture described; dialog_rule.c
 * decides without a question where nothing is new; dialog_strong.c knows which decisions are hard; dialog_stand_in.c asks the
 * model on the robot while the network is away. */
#ifndef CAIRN_COMMON_VLM_DIALOG_PRIVATE_H
#define CAIRN_COMMON_VLM_DIALOG_PRIVATE_H

#include "common/base/geom.h"
#include "common/percept/call_policy.h"
#include "common/vlm/dialog.h"
#include "common/vlm/cost_limiter.h"
#include "common/vlm/prompt.h"
#include "common/vlm/shadow.h"
#include "common/vlm/spending.h"

/* A snapshot is made from a picture taken a little before the result that asked for it. */
#define DIALOG_RESULT_SLACK_NS (300 * CAIRN_NS_PER_MS)

struct snapshot {
	bool there;
	int64_t t_ns;
	uint64_t epoch, hash;
	struct cairn_snapshot_head head;
	struct cairn_text bytes; /* text, then the pictures */
};

/* One provider that may be asked, and the static beginnings of what is sent to it. */
struct dialog_peer {
	struct cairn_profile profile;
	const struct cairn_provider *format;
	struct cairn_text prefix, prefix_actions;
	struct cairn_text prefix_observe;  /* of the call that describes a picture: no tools */
	struct cairn_text prefix_stand_in; /* of the call that asks a small model to choose: no tools */
};

/* What the bus has brought. */
struct dialog_in {
	struct cairn_msg_mission mission;
	struct cairn_header mission_hdr;
	struct cairn_msg_frontiers frontiers;
	int64_t frontiers_ns;
	struct cairn_msg_candidates candidates;
	int64_t candidates_ns;
	struct cairn_msg_paths_clear paths;
	int64_t paths_ns; /* 0 = none were told */
	struct snapshot snap;
	struct cairn_msg_nav_goal local; /* what local exploration drives to */
	int64_t local_ns;
	double novelty;           /* newest score of the stage local; negative = it does not know */
	int64_t novelty_ns;       /* its stamp; 0 = never heard */
	int64_t result_ns;        /* newest result */
	int64_t trouble_ns;       /* newest result that tells of being stuck or overridden; 0 = none */
	enum cairn_trigger ended; /* kind of the newest result since the last decision */
};

/* Whom it may ask. */
struct dialog_who {
	struct dialog_peer peers[CAIRN_LINEUP_ROWS_MAX];
	struct cairn_failover route;
	uint32_t peer;                      /* asked last */
	uint32_t observer;                  /* describes pictures */
	uint32_t strong;                    /* for hard decisions; 0: none */
	uint32_t stand_in;                  /* on the robot, while the network is away; 0: none */
	struct cairn_spending strong_spent; /* on it, by the monotonic clock; of this process */
	double strong_dearest_usd;
	uint32_t asker; /* whose observe_scene is being answered: gets the follow-up */
};

/* Since when an answer is wanted, and what it waits for. */
struct dialog_wish {
	int64_t wanted_since_ns;    /* a decision is wanted; 0 = none is */
	int64_t unwanted_since_ns;  /* nor would an answer to an event be taken; 0 = one of both */
	int64_t frontiers_since_ns; /* waiting for frontiers since; 0 = not waiting */
	int64_t not_before_ns;      /* snapshots older than this are of the past */
	int64_t hold_until_ns;
	bool skipping; /* this wish has had a call left out */
};

/* Places by their ids. */
struct dialog_offer {
	uint32_t frontiers_count, candidates_count;
	uint32_t
	    frontiers[sizeof(((struct cairn_msg_frontiers *)0)->items) / sizeof(struct cairn_msg_frontier)];
	uint32_t candidates[sizeof(((struct cairn_msg_candidates *)0)->items) /
			    sizeof(struct cairn_msg_candidate)];
};

/* What is sent. */
struct dialog_request {
	struct cairn_text context, body;
	struct cairn_text observe_context;
	struct cairn_text previous; /* camera picture of the last decision */
	uint64_t picture_tokens;    /* estimate for the picture in body */
	uint64_t prompt_hash;       /* of body */
	uint64_t shown_set;         /* of candidates in the context; 0 = none */
	struct dialog_offer shown;  /* when the context was made */
	uint32_t since_view;        /* decisions since the picture from above was shown */
	bool shows_view;            /* in the present request */
	bool pictures;              /* go with the present question and its follow-up */
	bool detail_high;           /* the camera's in full detail */
};

/* The question under way, or the last one. */
struct dialog_call {
	bool in_flight;
	bool event;     /* it and its follow-up were started by the snapshot's trigger */
	bool followup;  /* the next (or present) call is the follow-up of the answer */
	bool observing; /* before it: the next (or present) call describes the picture for observe_scene */
	bool strong;    /* it goes to the strong model by rule, and not because others fail */
	bool stand_in;  /* it goes to the model on the robot, in place of those of the network */
	enum cairn_decider decider;
	uint64_t replaces_id; /* decision being driven when it was asked, that may be replaced; 0 = none */
	enum cairn_mission_state state; /* of the mission, when it was asked */
	enum cairn_trigger why;
	int64_t since_ns; /* first call of this decision */
	int64_t snapshot_age_ns;
};

/* What the model said to it. */
struct dialog_answer {
	struct cairn_answer parsed;
	char text[480]; /* to the question of parsed.main */
	char report_text[CAIRN_ANSWER_REPORTS_MAX][32];
	uint32_t bad_streak;
	char problem[160]; /* for the next prompt */
};

/* What was made of it. */
struct dialog_decided {
	struct cairn_msg_decision message;
	bool fresh; /* not yet taken */
	bool has_update;
	struct cairn_msg_world_update update; /* claims about the map */
	int64_t t_ns;                         /* last decision; 0 = none */
	int64_t model_ns;                     /* the same of a model; 0 = none */
	int64_t used_ns;                      /* snapshot of the last decision */
	uint64_t last_id;
	uint64_t await_id; /* published, not yet taken up; 0 = none */
	uint64_t open_id;  /* published, its result not yet heard; 0 = none */
	int64_t await_until_ns;
	enum cairn_shadow shadow;
};

/* Equal decisions that move nothing. */
struct dialog_loop {
	char words[160]; /* of the last decision */
	uint32_t equal;
	bool moved; /* since the last decision */
};

struct dialog_hooks {
	cairn_dialog_report_fn *on_report; /* may be NULL */
	void *report_ctx;
	cairn_dialog_locate_fn *locate; /* may be NULL */
	void *locate_ctx;
};

/* Since the start, for people. */
struct dialog_tally {
	uint64_t calls_answered, calls_without_reasoning; /* tool calls of the model */
	uint64_t left_out;                                /* parts of usable answers */
	uint64_t skips, images_left_out, images_for_money, pictures_sent;
	uint32_t triggers[CAIRN_TRIGGER_COUNT];       /* of the calls */
	struct cairn_call_policy_events events_asked; /* about */
	uint64_t event_calls;                         /* started by an event while a decision was driven */
	uint64_t loops_broken;
	uint64_t rule_decisions, strong_calls, stand_in_calls;
	double strong_usd;
	uint64_t shadow_compared, shadow_agreed;
	char last_error[160];
	char last_reasoning[256];
};

struct cairn_dialog {
	struct cairn_config_vlm cfg;
	int64_t snapshot_max_age_ns;
	char *system;
	bool json; /* vlm.mode: the model answers with an object */
	struct dialog_in in;
	struct dialog_who who;
	struct dialog_wish wish;
	struct dialog_request request;
	struct dialog_call call;
	struct dialog_answer answer;
	struct dialog_decided decided;
	struct dialog_loop loop;
	struct dialog_hooks hooks;
	struct dialog_tally tally;
	struct cairn_memory memory;
	struct cairn_budget budget;
	struct cairn_cost_limiter pace;
	bool changed; /* memory or budget */
	bool final;   /* never call again */
};

/* ---- dialog.c ---- */

/* Keeps the later of two times. */
void dialog_later(int64_t *t_ns, int64_t other_ns);
/* What was under discussion is dropped: the next call is a question of its own. */
static inline void dialog_drop(struct cairn_dialog *d)
{
	d->call.followup = d->call.observing = false;
}
/* The newest trouble, for people and for the prompt: one cleaned line. */
void dialog_fail(struct cairn_dialog *d, const char *why);

/* ---- dialog_peers.c ---- */

/* Chooses who is asked now; false: nobody may be, with d->tally.last_error set. A follow-up goes to whom the
 * question went; a picture is described by the observer, and where that one may not be asked now by whoever called for it. */
bool dialog_choose_peer(struct cairn_dialog *d, int64_t now_ns);
/* What became of the call: for the choice of the next. hold_ns: 0 = the service did not say. */
void dialog_peer_ended(
    struct cairn_dialog *d, enum cairn_failover_outcome outcome, int64_t hold_ns, int64_t now_ns);
void dialog_free_peers(struct cairn_dialog *d);

/* ---- dialog_when.c ---- */

bool dialog_frontiers_fresh(const struct cairn_dialog *d, int64_t now_ns);
/* Why the model is being asked. The snapshot may have been made just before the result that it was wanted
 * for. */
/* The call in flight was given up: it is charged. */
void dialog_cancelled(struct cairn_dialog *d, int64_t now_ns);
enum cairn_trigger dialog_reason(const struct cairn_dialog *d);

/* ---- dialog_rule.c ---- */

/* The newest score of the stage local; negative: none, or too old. */
double dialog_novelty(const struct cairn_dialog *d, int64_t now_ns);
enum cairn_novelty_band dialog_novelty_band(const struct cairn_dialog *d, int64_t now_ns);
/* The decision that is wanted needs no question. */
bool dialog_rule_due(const struct cairn_dialog *d, int64_t now_ns);
void dialog_decide_by_rule(struct cairn_dialog *d, int64_t now_ns);

/* ---- dialog_answer.c ---- */

/* Makes the decision of d->answer.parsed, by d->call.decider. */
void dialog_publish(struct cairn_dialog *d, int64_t now_ns);

/* ---- dialog_strong.c ---- */

/* The decision that is due is hard. */
bool dialog_is_hard(const struct cairn_dialog *d, int64_t now_ns);
/* It is, and the strong model can be asked and paid. */
bool dialog_strong_due(const struct cairn_dialog *d, int64_t now_ns);
/* A call has cost so much; counted if it went to the strong model. */
void dialog_strong_spend(struct cairn_dialog *d, double usd, int64_t now_ns);

/* ---- dialog_stand_in.c ---- */

/* The network has been away for long enough that the model on the robot is asked. */
bool dialog_stands_in(const struct cairn_dialog *d, int64_t now_ns);
/* It is, for the decision that is wanted: there is something to choose from, and it is well. */
bool dialog_stand_in_due(const struct cairn_dialog *d, int64_t now_ns);
/* Writes d->request.body, context and what goes with it. */
void dialog_stand_in_body(struct cairn_dialog *d);
/* What it has answered: a decision, or nothing. */
void dialog_stand_in_ended(struct cairn_dialog *d, int64_t now_ns, const struct cairn_dialog_outcome *o);

/* ---- dialog_loop.c ---- */

/* A decision was made. */
void dialog_loop_decided(struct cairn_dialog *d);
void dialog_loop_result(struct cairn_dialog *d, const struct cairn_msg_result *result);
/* True once the last decisions were equal and moved nothing: then no call is made for vlm.equal_hold_s, so
 * that the sequencer's silent-model tiers let local exploration take over. */
bool dialog_loop_broken(struct cairn_dialog *d, int64_t now_ns);

/* ---- dialog_observe.c ---- */

/* observe_scene was called: the picture is described first. */
void dialog_observe(struct cairn_dialog *d);
/* Writes d->request.body for the call that describes it. */
void dialog_observe_body(struct cairn_dialog *d);
/* What came of that call: the text goes to the memory and into the follow-up. failed: why there is none, else NULL. */
void dialog_observed(struct cairn_dialog *d, const char *text, const char *failed);

/* ---- dialog_send.c ---- */

/* Writes d->request.body for the question or the follow-up that is due; false with d->tally.last_error set. */
bool dialog_make_request(struct cairn_dialog *d, int64_t now_ns);

#endif
