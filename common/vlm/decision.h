/* decision.h - from a provider's reply to one checked answer, and from that to a decision.
 *
 * Whatever comes in, something defined comes out: an action, a perception question, a report, or a STOP with
 * the reason. At most one tool that is not report_discovery, any number of reports beside it, of which the first
 * CAIRN_ANSWER_REPORTS_MAX are kept and the others are counted. */
#ifndef CAIRN_COMMON_VLM_DECISION_H
#define CAIRN_COMMON_VLM_DECISION_H

#include "common/vlm/provider.h"

enum cairn_answer_kind {
	CAIRN_ANSWER_STOP,     /* nothing usable: stand still; problem says why */
	CAIRN_ANSWER_ACTION,   /* main acts; reports may be beside it */
	CAIRN_ANSWER_PERCEIVE, /* main asks the sensors; reports may be beside it */
	CAIRN_ANSWER_REPORT    /* reports alone */
};

#define CAIRN_ANSWER_REPORTS_MAX CAIRN_REPLY_REPORTS_MAX

/* What goes back with a call in a follow-up. */
struct cairn_answer_handle {
	char id[80];
	char signature[CAIRN_SIGNATURE_CAP];
};

struct cairn_answer {
	enum cairn_answer_kind kind;
	struct cairn_tool_call main;
	struct cairn_answer_handle main_handle;
	uint32_t reports_count;
	struct cairn_tool_call reports[CAIRN_ANSWER_REPORTS_MAX];
	struct cairn_answer_handle report_handles[CAIRN_ANSWER_REPORTS_MAX];
	uint32_t calls, calls_without_reasoning; /* of tools; a JSON answer is one */
	uint32_t left_out; /* parts that could not be used: a fallback, reports beyond the bound */
	bool has_fallback; /* what the model would do instead if there is no way to the goal, an action */
	struct cairn_tool_call fallback;
	struct cairn_msg_world_update
	    update; /* JSON mode: claims about the map; its id is the caller's to fill */
	char reasoning[512];
	char problem[160];
	struct cairn_usage usage;
};

/* Makes a STOP of *ret that says why; what else was in the answer is not trusted either. */
__attribute__((format(printf, 2, 3))) void cairn_answer_stop(struct cairn_answer *ret, const char *fmt, ...);

/* actions_only: a tool that does not act is a mistake now (the follow-up of a sub-loop). */
void cairn_answer_from_reply(const struct cairn_reply *reply, bool actions_only, struct cairn_answer *ret);

/* Reads and checks a whole response body. */
void cairn_answer_parse(const struct cairn_provider *provider, const char *body, size_t count,
    bool actions_only, struct cairn_answer *ret);

/* The same for a model that answers with a JSON object; candidates: see json_answer.h. */
void cairn_answer_parse_text(const struct cairn_provider *provider, const char *body, size_t count,
    bool actions_only, bool candidates, struct cairn_answer *ret);

/* Tools that a fallback may name: those that get the robot on where a place is gone or without a path, or have it stand. */
bool cairn_answer_may_fall_back(enum cairn_tool tool);

/* The decision of an ACTION or a STOP answer; id, snapshot and latency are the caller's to fill. Source is
 * the model. */
void cairn_decision_from_answer(const struct cairn_answer *answer, struct cairn_msg_decision *ret);

/* "navigate_to_goal F3", "rotate -90 deg", for logs and prompts. */
void cairn_decision_words(const struct cairn_msg_decision *decision, char *dst, size_t cap);

#endif
