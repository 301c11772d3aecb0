/* agent_private.h - the parts of an agent: what is asked (agent_ask.c), what becomes of an answer (agent_take.c), what is driven
 * (agent_act.c). */
#ifndef CAIRN_COMMON_AGENT_AGENT_PRIVATE_H
#define CAIRN_COMMON_AGENT_AGENT_PRIVATE_H

#include "common/agent/agent.h"
#include "common/agent/memory.h"
#include "common/agent/memory_map.h"
#include "common/agent/queries.h"
#include "common/agent/route.h"
#include "common/agent/survey.h"
#include "common/base/retry.h"
#include "common/reasoner/reasoner.h"
#include "common/vlm/provider.h"
#include "common/vlm/usage_bounds.h"

#define AGENT_KEPT_ANSWERS 32
#define AGENT_DECISIONS_MAX 4
#define AGENT_TURNS_MAX 100 /* agent.function_turns */
#define AGENT_SERVICE_TRIES 6
#define AGENT_STEP_M 0.25
#define AGENT_STEP_DEG 30.0
#define AGENT_LOOKS 2 /* pictures searched from a place before what is seen there is believed to be all */

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

/* Why the drive of a tour was broken off. */
enum agent_cut {
	AGENT_CUT_NOT,
	AGENT_CUT_FOUND, /* what is looked for is in sight */
	AGENT_CUT_SEEN   /* its floor was seen on the way */
};

/* Decisions in a row for one call, and what came of them. */
struct agent_act {
	struct cairn_msg_decision queue[AGENT_DECISIONS_MAX];
	uint32_t count, at;
	uint64_t decision_id; /* being driven; 0 = none */
	int64_t since_ns;
	bool publish; /* queue[at] has not been taken yet */
	bool ok;      /* all so far were driven */
	bool over;    /* the opening of a tour was driven to, or not */
	bool held;    /* a person has taken the robot meanwhile: no failure */
	enum agent_cut cut;
	uint64_t cut_id;      /* decision that was broken off: its way is still to be told; 0 = none */
	int64_t t_over_ns;    /* since then the robot is there */
	uint64_t scenes_from; /* graphs told before; UINT64_MAX: it has not looked yet */
	const struct cairn_agent_opening *opening; /* that is looked into: &tour.now; NULL: none */
	char what[96];
	char outcome[320];
	uint64_t gained_before;
};

#define AGENT_TOUR_VISITS 48

/* Openings looked into one after the other by one choice of the model: no query between them. */
struct agent_tour {
	bool on;
	enum cairn_agent_until until;
	struct cairn_agent_opening told[CAIRN_AGENT_LETTERS], visits[AGENT_TOUR_VISITS], now;
	int ranks[CAIRN_AGENT_LETTERS]; /* what the model has said of those told */
	uint32_t told_count, visit_count, looked_into, failed, failed_in_row;
	uint32_t labelled, named_rooms; /* when it began */
};

/* A task that is a route: how far it was followed. */
struct agent_route {
	struct cairn_route route;
	struct cairn_pose2 leg; /* sides are told from there: where the task began, or behind the last door */
	struct cairn_vec2 last; /* pose before */
	bool has_leg;
	bool turned;                   /* the leg is told the other way round */
	bool inside, looked;           /* for the part that is open now: farther in, all round */
	uint32_t tries, explored;      /* the same: drives, explorations */
	struct cairn_msg_doorway door; /* that is driven through */
	bool has_door, before;         /* before: the robot stands in front of it */
	uint64_t scenes_from;          /* graphs told when it last stopped */
	int64_t t_over_ns;             /* when that was; 0: never */
	uint32_t verdicts;             /* asked for */
};

/* A task that is a survey. */
struct agent_survey {
	bool on;
	struct cairn_survey core; /* coverage NULL: it waits for what it goes by */
	int64_t since_ns;         /* for that */
	uint32_t looks_before;    /* of a process before this one */
	bool has_known;
	uint32_t known_before; /* things, when it began */
	int64_t t_over_ns;     /* the last look has ended; 0: not yet */
	uint64_t scenes_from;  /* graphs told then */
	char why[96];          /* of the last way that failed */
};

/* A call that the reasoner carries out: ways, looks and skills, until it tells what has come of it. */
struct agent_deed {
	bool on, waiting, ended;
	enum cairn_reasoner_end end;
	char reason[160];
	bool publish; /* wish has not been taken yet */
	struct cairn_msg_skill_request wish;
	uint64_t scenes_from;
	int64_t since_ns;
};

#define AGENT_DONE_MAX 24

/* A skill that the arm has told to have succeeded with. */
struct agent_done {
	enum cairn_skill_verb verb;
	char id[48], label[48]; /* of what it was done to; id: of the graph, may be empty */
	char thing[48];         /* what was in the hand for it; empty: nothing */
	double t_unix_s;
};

struct agent_spent {
	uint32_t queries, repeated, errors, errors_in_row, revisions, says;
	uint64_t tokens_in, tokens_out, by_query[CAIRN_AGENT_QUERY_COUNT];
	uint32_t calls_by_query[CAIRN_AGENT_QUERY_COUNT];
	double usd, steps, usd_by_query[CAIRN_AGENT_QUERY_COUNT];
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
	bool looked_round;        /* before the first drive of a tour */
	bool in_vain;             /* it was called finished, and is not */
	struct agent_turn *turns; /* AGENT_TURNS_MAX of them */
	uint32_t turn_count;
	struct agent_act act;
	struct agent_tour tour;
	struct agent_route route;
	struct agent_deed deed;
	struct agent_survey survey;
	struct cairn_msg_doorway
	    doorways[sizeof(((struct cairn_msg_features *)0)->doorways) / sizeof(struct cairn_msg_doorway)];
	uint32_t doorway_count;
	struct cairn_scene *mirror; /* the graph as the reasoner reads it */
	struct cairn_reasoner reasoner;
	int64_t look_ns
	    [AGENT_LOOKS];    /* when the pictures searched last were taken, the newest first; 0: none yet */
	uint64_t scenes;      /* graphs told */
	uint32_t events_told; /* of the reasoner's trace */
	int64_t t_listening_ns;                 /* since when a task is there, in this process; 0 = not yet */
	bool drives_on, arm_on;                 /* what the process before has begun goes on still */
	struct agent_done done[AGENT_DONE_MAX]; /* for this task; the oldest are overwritten */
	uint32_t done_count;
	char held[48]; /* in the hand after the last of them, by the arm's word */
	int64_t t_polled_ns;
	int64_t t_voice_ns;       /* when the voice was heard of last; 0: never */
	struct cairn_msg_say say; /* to be said; no text: nothing */
	bool has_requester;
	struct cairn_vec2 requester; /* where the one who has asked was then */
	double unix_less_mono_s;
	uint64_t wish_id;
	struct cairn_agent_ids look_ids; /* pictures to look at */
	char look_question[480];

	struct cairn_memory_map *map;
	uint32_t map_sent,
	    map_in_body; /* numbers of its picture: taken by the model last; in the query under way */

	/* the query under way */
	struct cairn_text body, context, prefix;
	uint64_t body_hash;
	uint32_t picture_count; /* in the body */
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

/* agent.c: of the task, pauses apart. */
double agent_elapsed_s(const struct cairn_agent *a, int64_t now_ns);

/* agent_ask.c */
/* Makes the body of a->query. False: out of memory. */
bool agent_make_body(struct cairn_agent *a);
/* Rows of cairn_agent_tools that may answer it now. */
uint64_t agent_allowed(const struct cairn_agent *a);
/* What it may cost at most (USD). */
/* What the query in a->body, or the one that has just ended, asks for. */
struct cairn_asked agent_asked(const struct cairn_agent *a);
/* Counts a call that gave no answer, as cairn_usage_unanswered has it. */
void agent_charge_unanswered(struct cairn_agent *a, const struct cairn_asked *asked, int status, bool sent);
double agent_price_usd(const struct cairn_agent *a);
int agent_output_tokens(const struct cairn_agent *a);
/* True for a kept answer to an equal body: it is in a->call and *ret_as. */
bool agent_recall(struct cairn_agent *a, struct agent_turn **ret_as);
void agent_keep(struct cairn_agent *a, const struct agent_turn *as);

static inline bool agent_has_arm(const struct cairn_agent *a)
{
	return a->all->robot.arm_reach_m > 0.0;
}

/* Works without a plan, by one call of a tool after the other. */
static inline bool agent_is_reasoner(const struct cairn_agent *a)
{
	int mode = a->cfg->mode;
	return mode == CAIRN_CHOICE_AGENT_MODE_AUTO ? agent_has_arm(a)
						    : mode == CAIRN_CHOICE_AGENT_MODE_REASONER;
}

/* agent_space.c: the answer to a->call, where that is a question about space; false: it is none. */
bool agent_read_space(struct cairn_text *out, const struct cairn_agent *a);

/* agent_say.c: the answer to a call of say; the words go out, or the reason why they do not. */
void agent_take_say(struct cairn_agent *a, int64_t now_ns, char *ret, size_t bytes);

/* agent_take.c */
/* Takes a->call, which answers a->query. */
void agent_take(struct cairn_agent *a, const struct agent_turn *as, int64_t now_ns);
/* The answer cannot be used: it is told so with the next query; too many in a row end the episode. */
void agent_error(struct cairn_agent *a, const char *why, int64_t now_ns);
void agent_ask_next(struct cairn_agent *a, enum cairn_agent_query query);
/* Ends with "I do not know", with what was tried. */
void agent_hand_off(struct cairn_agent *a, const char *why);
void agent_end(
    struct cairn_agent *a, enum cairn_agent_state end, enum cairn_agent_limit limit, const char *answer);
/* What was said to the call of this step that was made last. */
void agent_answer_turn(struct cairn_agent *a, const char *text);
void agent_clear_turns(struct cairn_agent *a);

/* AGENT_LOOKS pictures that were taken since then have been searched. */
static inline bool agent_looked_since(const struct cairn_agent *a, int64_t t_ns)
{
	return a->look_ns[AGENT_LOOKS - 1] >= t_ns;
}

/* agent_tour.c */
/* Begins what CHOOSE_OPENING has chosen. False with the reason, for the model. */
bool agent_begin_tour(struct cairn_agent *a, int64_t now_ns, struct cairn_error *why);
/* One opening has been looked into, or could not be: on to the next one, or to the next query, once what is seen there is in the graph. */
void agent_tour_next(struct cairn_agent *a, int64_t now_ns);
/* Is the drive under way not needed any more? */
enum agent_cut agent_tour_cut(const struct cairn_agent *a);

/* agent_route.c */
static inline bool agent_is_route(const struct cairn_agent *a)
{
	return a->route.route.count > 0;
}
/* The task is a route of these parts. False with the reason, for the model. */
bool agent_route_begin(struct cairn_agent *a, const struct cairn_agent_lines *lines, struct cairn_error *why);
/* Other parts for those that are open. */
bool agent_route_revise(
    struct cairn_agent *a, const struct cairn_agent_lines *lines, struct cairn_error *why);
/* Goes on with the open part. True: a query is to be asked. */
bool agent_route_step(struct cairn_agent *a, int64_t now_ns);
/* The robot has moved. */
void agent_route_on_pose(struct cairn_agent *a);
/* May the task be called accomplished? False with the reason, for the model. */
bool agent_route_ok(const struct cairn_agent *a, char *why, size_t bytes);
/* What was driven for it has ended. */
void agent_route_acted(struct cairn_agent *a, int64_t now_ns);

/* agent_survey.c */
void agent_survey_begin(struct cairn_agent *a);
/* Nothing is driven: on with it. */
void agent_survey_tick(struct cairn_agent *a, int64_t now_ns);
/* What was driven for it has ended. */
void agent_survey_drove(struct cairn_agent *a, int64_t now_ns);
/* What has come of it so far, for people. */
void agent_survey_text(const struct cairn_agent *a, char *ret, size_t bytes);

/* agent_do.c */
/* Begins a call that the reasoner carries out. */
void agent_begin_deed(struct cairn_agent *a, int64_t now_ns);
void agent_deed_tick(struct cairn_agent *a, int64_t now_ns);
/* A decision of it has ended. */
void agent_deed_drove(struct cairn_agent *a);
void agent_deed_skill(struct cairn_agent *a, const struct cairn_msg_skill_result *result);
/* Begins the reasoner anew for a task: with the requester as saved, or as seen now. */
void agent_deeds_begin(struct cairn_agent *a, bool saved);

/* agent_done.c */
/* The arm has succeeded. */
void agent_done_note(struct cairn_agent *a, const struct cairn_msg_skill_result *result);
/* May the task be called accomplished? said_done: the answer says that something was done. False with the reason, for the model. */
bool agent_done_ok(const struct cairn_agent *a, bool said_done, char *why, size_t bytes);
json_t *agent_done_json(const struct cairn_agent *a);
void agent_done_read(struct cairn_agent *a, const json_t *root);

/* agent_act.c */
/* One decision for the reasoner: to a point, or (turn) to a heading. */
void agent_send_way(struct cairn_agent *a, struct cairn_pose2 to, bool turn, int64_t now_ns);
/* The query that a step's calls are made in. */
enum cairn_agent_query agent_step_query(const struct cairn_agent *a);
/* Drives to an opening. False: the robot does not know where it is. */
bool agent_begin_opening(struct cairn_agent *a, const struct cairn_agent_opening *opening, int64_t now_ns);
/* Turns once all round. False: as above. */
bool agent_begin_round(struct cairn_agent *a, int64_t now_ns);
/* Begins what an acting call asks for. False with the reason, for the model. */
bool agent_begin_act(
    struct cairn_agent *a, const struct cairn_agent_call *call, int64_t now_ns, struct cairn_error *why);
void agent_act_tick(struct cairn_agent *a, int64_t now_ns);
void agent_act_result(struct cairn_agent *a, const struct cairn_msg_result *result, int64_t now_ns);

#endif
