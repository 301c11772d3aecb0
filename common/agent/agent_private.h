/* agent_private.h - the parts of an agent: what is asked (agent_ask.c), what becomes of an answer (agent_take.c), what is driven
 * (agent_act.c). */
#ifndef CAIRN_COMMON_AGENT_AGENT_PRIVATE_H
#define CAIRN_COMMON_AGENT_AGENT_PRIVATE_H

#include "common/agent/agent.h"
#include "common/agent/memory.h"
#include "common/agent/queries.h"
#include "common/base/retry.h"
#include "common/vlm/provider.h"

#define AGENT_KEPT_ANSWERS 32
#define AGENT_DECISIONS_MAX 4
#define AGENT_TURNS_MAX 100 /* agent.function_turns */
#define AGENT_SERVICE_TRIES 6
#define AGENT_STEP_M 0.25
#define AGENT_STEP_DEG 30.0

enum agent_phase {
	AGENT_PHASE_IDLE,   /* no task, or it is over */
	AGENT_PHASE_READY,  /* the query is to be asked */
	AGENT_PHASE_ASKING, /* it is on its way */
	AGENT_PHASE_ACTING  /* a decision is being driven */
};

/* One call of this step of the plan, and what was said to it. */
struct agent_turn {
	char id[80];
	char signature[CAIRN_SIGNATURE_CAP];
	char name[64];
	struct cairn_text arguments, answer;
};

/* An answer of this episode, for a query that is equal. */
struct agent_kept {
	uint64_t hash; /* of the body; 0 = none */
	struct cairn_agent_call call;
	struct agent_turn as; /* id, signature and name alone */
};

/* Decisions in a row for one call, and what came of them. */
struct agent_act {
	struct cairn_msg_decision queue[AGENT_DECISIONS_MAX];
	uint32_t count, at;
	uint64_t decision_id; /* being driven; 0 = none */
	int64_t since_ns;
	bool publish;   /* queue[at] has not been taken yet */
	bool ok;        /* all so far were driven */
	bool exploring; /* for EXPLORE; else the answer goes to the step's history */
	char what[96];
	char outcome[320];
	uint64_t gained_before, news_before;
};

struct agent_spent {
	uint32_t queries, repeated, errors, errors_in_row, revisions;
	uint64_t tokens_in, tokens_out, by_query[CAIRN_AGENT_QUERY_COUNT];
	double usd, steps;
};

struct cairn_agent {
	const struct cairn_config_agent *cfg;
	const struct cairn_config *all;
	struct cairn_profile profile;
	const struct cairn_provider *format;
	struct cairn_prices prices;
	struct cairn_agent_world world;
	cairn_agent_picture_fn *picture;
	void *picture_ctx;

	/* the episode */
	uint64_t task_id;
	char task[256];
	int64_t t_begin_ns, t_paused_ns; /* monotonic; paused since, 0 = not */
	enum agent_phase phase;
	enum cairn_agent_query query, after_look;
	enum cairn_agent_state end; /* IDLE: it is not over */
	enum cairn_agent_limit limit;
	char answer[256], evidence[160], step[200], problem[200];
	double confidence;
	struct cairn_agent_memory memory;
	struct agent_spent spent;
	double day_usd; /* of the exploration and all tasks: the gateway keeps the books of a day */
	uint32_t stalled;
	uint64_t gained;          /* at the last NEXT */
	bool news;                /* a step has concluded something since */
	bool in_vain;             /* it was called finished, and is not */
	struct agent_turn *turns; /* AGENT_TURNS_MAX of them */
	uint32_t turn_count;
	struct agent_act act;
	struct cairn_agent_ids look_ids; /* pictures to look at */
	char look_question[480];

	/* the query under way */
	struct cairn_text body, context, prefix;
	uint64_t body_hash;
	bool cancel;
	struct cairn_retry retry;
	uint32_t service_failures;
	struct agent_kept *kept; /* AGENT_KEPT_ANSWERS of them */
	uint32_t kept_next;

	uint64_t decision_id;
	bool changed; /* worth saving */
	bool told;    /* a mission has been heard */
	enum cairn_mission_state mission_state;
	struct cairn_agent_call call; /* of the answer being taken */
	struct agent_turn as;         /* its id, signature and name; the texts are not used */
};

/* agent_ask.c */
/* Makes the body of a->query. False: out of memory. */
bool agent_make_body(struct cairn_agent *a);
/* Rows of cairn_agent_tools that may answer it now. */
uint64_t agent_allowed(const struct cairn_agent *a);
/* What it may cost at most (USD). */
double agent_price_usd(const struct cairn_agent *a);
int agent_output_tokens(const struct cairn_agent *a);
/* True for a kept answer to an equal body: it is in a->call and *ret_as. */
bool agent_recall(struct cairn_agent *a, struct agent_turn **ret_as);
void agent_keep(struct cairn_agent *a, const struct agent_turn *as);

/* agent_take.c */
/* Takes a->call, which answers a->query. */
void agent_take(struct cairn_agent *a, const struct agent_turn *as, int64_t now_ns);
/* The answer cannot be used: it is told so with the next query; too many in a row end the episode. */
void agent_error(struct cairn_agent *a, const char *why, int64_t now_ns);
void agent_ask_next(struct cairn_agent *a, enum cairn_agent_query query);
void agent_end(
    struct cairn_agent *a, enum cairn_agent_state end, enum cairn_agent_limit limit, const char *answer);
/* What was said to the call of this step that was made last. */
void agent_answer_turn(struct cairn_agent *a, const char *text);
void agent_clear_turns(struct cairn_agent *a);

/* agent_act.c */
/* Begins what an acting call asks for. False with the reason, for the model. */
bool agent_begin_act(
    struct cairn_agent *a, const struct cairn_agent_call *call, int64_t now_ns, struct cairn_error *why);
void agent_act_tick(struct cairn_agent *a, int64_t now_ns);
void agent_act_result(struct cairn_agent *a, const struct cairn_msg_result *result, int64_t now_ns);

#endif
