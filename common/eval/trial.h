/* trial.h - one exploration of one house by one way of choosing where to go next, and what came of it.
 *
 * The ways share everything that drives (common/eval/run.h); they differ in who chooses:
 *   frontier  the robot's own local exploration (common/explore/frontier_route.h), no model asked
 *   vlm       a model that may name any frontier, point or move; here the scripted pilot "sensible"
 *   hybrid    a model that chooses among the candidates offered; here the scripted pilot "hybrid"
 *   shadow    a model is asked, local exploration drives; how often they agree is counted
 *   nearest   the textbook (Yamauchi 1997): to the nearest frontier by way of the known floor, and when the robot is
 *             there to the next; no model asked
 *   greedy    the same, but a frontier that has been seen into on the way is not driven to any more (as in all modes above)
 *
 * Seed 1 starts where the world says, with any other seed the robot starts somewhere else that it can reach from there,
 * drawn by the seed alone: so trials of the same house and seed are pairs. Where no other place fits it starts at the world's
 * own all the same, and the result says so. The exploration is over when the mission says so
 * or the time is up; the way home is not part of it. */
#ifndef CAIRN_COMMON_EVAL_TRIAL_H
#define CAIRN_COMMON_EVAL_TRIAL_H

#include "common/eval/model_client.h"
#include "common/eval/discovery.h"
#include "common/eval/run.h"

#define CAIRN_TRIAL_SHARES 1000 /* equal parts of the floor, each with the time at which so much was seen */
#define CAIRN_TRIAL_PATH                                                                                     \
	1500 /* points of the true path, CAIRN_TRIAL_PATH_M apart, of a long one more (path_thinning.h) */
#define CAIRN_TRIAL_PATH_M 0.15
#define CAIRN_TRIAL_LEFT_M2 0.30 /* a patch of floor smaller than this is not worth a way */
#define CAIRN_TRIAL_EARLY_KEPT 8

enum cairn_trial_mode {
	CAIRN_TRIAL_FRONTIER,
	CAIRN_TRIAL_VLM,
	CAIRN_TRIAL_HYBRID,
	CAIRN_TRIAL_SHADOW,
	CAIRN_TRIAL_NEAREST,
	CAIRN_TRIAL_GREEDY,
	CAIRN_TRIAL_MODE_COUNT
};

const char *cairn_trial_mode_name(enum cairn_trial_mode mode);
/* -1: there is none of that name. */
int cairn_trial_mode_parse(const char *name);
/* Whether a model drives in it, and whether one is asked at all. */
bool cairn_trial_driven(enum cairn_trial_mode mode);
bool cairn_trial_asks(enum cairn_trial_mode mode);

struct cairn_trial_options;
/* The profile of the scripted pilot: the one asked for, or hybrid in the mode of this name and sensible in others. False
 * with the reason: there is none of this name. */
bool cairn_trial_pilot(
    const struct cairn_trial_options *options, enum cairn_choice_pilot *ret, struct cairn_error *err);

struct cairn_trial_options {
	const struct cairn_config *cfg; /* what the mode and the seed decide is overwritten */
	const struct cairn_world *world;
	enum cairn_trial_mode mode;
	enum cairn_run_map map; /* not CAIRN_RUN_MAP_NONE */
	const char *pilot;      /* profile of vlm, hybrid and shadow; NULL: as above */
	const struct cairn_model_client_model
	    *model; /* asked in the pilot's place in these modes; NULL: the pilot */
	uint32_t seed;
	double duration_s;
	bool (*keep_on)(void *ctx); /* asked now and then; false ends the trial. May be NULL */
	void *ctx;
};

/* Why frontiers were given up. */
enum cairn_trial_cause {
	CAIRN_TRIAL_UNREACHABLE, /* no way over known floor that the robot fits through */
	CAIRN_TRIAL_NARROW,
	CAIRN_TRIAL_BLOCKED, /* tried, and did not get there */
	CAIRN_TRIAL_OPEN,    /* been there, nothing new to be seen */
	CAIRN_TRIAL_FENCED,
	CAIRN_TRIAL_TIME,
	CAIRN_TRIAL_BLIND, /* looked into, nothing to be seen */
	CAIRN_TRIAL_CAUSE_COUNT
};
const char *cairn_trial_cause_name(enum cairn_trial_cause cause);

/* Plain data, so that one process may hand it to another. Lengths and areas of the truth. */
struct cairn_trial_result {
	uint32_t mode, seed;
	struct cairn_pose2 start; /* world frame */
	bool
	    no_other_start; /* the seed asks for another start than the world's own, and no other place was found to fit */
	bool explored; /* ended because nothing was left; else the time was up */
	bool
	    interrupted; /* by keep_on, or because the model is not asked any more: not a result, and err says why */
	double reachable_m2; /* floor that the robot can reach */
	double coverage;     /* seen share of it at the end */
	double limit_s;      /* that it was allowed */
	double seconds;      /* of the exploration */
	double path_m;
	double revisit_share; /* of the path, over floor driven over before */
	double
	    stuck_share; /* of the time: wanted to move, and for 10 s had not got 0.5 m away from one place */
	double standing_share; /* of the time: stood still */
	uint32_t contacts, decisions, refused, overrides, calls;
	uint32_t failures; /* calls without an answer that was of use */
	/* Reported discoveries against the world's rooms and things (common/eval/discovery.h). */
	uint32_t discoveries[CAIRN_DISCOVERY_COUNT];
	bool discoveries_known; /* the world knows something that they can be judged by */
	uint32_t shadow_compared, shadow_agreed;
	uint32_t choices,
	    choices_next; /* the model's ways; those to the frontier that the round goes on to */
	uint32_t pictures, pictures_by_rule,
	    pictures_for_money; /* calls with one; without, as it showed nothing new; for money */
	uint64_t tokens_in, tokens_out;
	double usd;
	uint32_t causes[CAIRN_TRIAL_CAUSE_COUNT];
	double
	    left_m2; /* largest connected patch not seen, of the floor that the robot fits on with the room it asks for */
	double left_x_m, left_y_m; /* a point of it, world frame */
	double left_all_m2;        /* all such patches of CAIRN_TRIAL_LEFT_M2 or more */
	double early_m2;           /* of these, those that no reason given nearby excuses (trial_verdict.c) */
	uint32_t early_count;      /* their number, and places of the first of them, world frame */
	struct cairn_vec2 early_at[CAIRN_TRIAL_EARLY_KEPT];
	uint32_t unexplained; /* explored: frontiers open at the end without a reason why */
	bool early; /* explored, although such a patch was left and no reason given nearby excuses it */
	double reach_s[CAIRN_TRIAL_SHARES +
		       1]; /* when so many of CAIRN_TRIAL_SHARES were seen; negative: never */
	uint32_t path_count;
	float path_xy_m[CAIRN_TRIAL_PATH][2]; /* world frame */
};

/* When so many whole percent were seen, 0 to 100; negative: never. */
double cairn_trial_reach_s(const struct cairn_trial_result *result, int percent);

/* Share seen after so many seconds, in a straight line between those of reach_s, and at the end and after it what was seen at
 * the end. */
double cairn_trial_seen(const struct cairn_trial_result *result, double seconds);

/* False with the reason: no memory, or the robot cannot stand at its start. */
bool cairn_trial_run(
    const struct cairn_trial_options *options, struct cairn_trial_result *ret, struct cairn_error *err);

#endif
