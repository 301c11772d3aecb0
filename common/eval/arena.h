/* arena.h - small rooms with a task and limits, driven by the scripted pilot through the real cores.
 *
 * An arena is a YAML file (docs/arenas.md): a world in the simulator's own format, a goal or none, limits. A
 * run counts in cycles: perceive, decide, act for one step. A cycle is over when the robot has moved
 * CAIRN_ARENA_STEP_M since the last one, when the decision under way has ended, or after CAIRN_ARENA_CYCLE_S,
 * so that standing costs cycles, too. The body is a disc of CAIRN_ARENA_RADIUS_M about the robot's origin:
 * that disc must not touch anything, and the cores are told a footprint that is the square around it.
 *
 * Modes: gt has poses from the truth, and where there is a goal the floor is known beforehand. vision has
 * only what the sensors saw, with noise, slip and drift: the robot first turns once around on the spot,
 * CAIRN_ARENA_LOOKS times 60 degrees, one cycle each. The seed is that of the sensors' and wheels' noise and
 * of the pilot's latency. */
#ifndef CAIRN_COMMON_EVAL_ARENA_H
#define CAIRN_COMMON_EVAL_ARENA_H

#include <stdio.h>

#include "common/base/error.h"
#include "common/eval/model_client.h"
#include "common/eval/run.h"

#define CAIRN_ARENA_STEP_M 0.3
#define CAIRN_ARENA_CYCLE_S 3.0
#define CAIRN_ARENA_RADIUS_M 0.15
#define CAIRN_ARENA_LOOKS 6
#define CAIRN_ARENA_PATH                                                                                     \
	800 /* points kept of the way driven, CAIRN_ARENA_PATH_M apart, of a long one more (path_thinning.h) */
#define CAIRN_ARENA_PATH_M 0.03

struct cairn_arena {
	char name[32]; /* of the file, without its ending */
	char title[64];
	struct cairn_world *world;
	bool has_goal, reachable;
	double goal_x_m, goal_y_m, tolerance_m; /* world frame */
	uint32_t cycles_max, contacts_max;
	double known_share_min; /* 0: is not asked */
};

/* NULL with "FILE: key: reason" in err. */
struct cairn_arena *cairn_arena_load(const char *path, struct cairn_error *err);
void cairn_arena_destroy(struct cairn_arena **arena_p);

enum cairn_arena_mode { CAIRN_ARENA_GT, CAIRN_ARENA_VISION, CAIRN_ARENA_MODE_COUNT };
const char *cairn_arena_mode_name(enum cairn_arena_mode mode);
/* -1: there is none of that name. */
int cairn_arena_mode_parse(const char *name);

/* ---- cycles ---- */

struct cairn_arena_cycles {
	uint32_t count;
	double since_m, since_s; /* of the cycle under way */
	bool placed;
	struct cairn_vec2 place;     /* from which it has to get away */
	uint32_t idle, idle_longest; /* cycles in a row that ended less than CAIRN_ARENA_STEP_M from there */
};
#define CAIRN_ARENA_STUCK 4 /* so many of those are being stuck: driving to and fro gets nowhere, too */

/* Adds a bit of way and time; ended: the decision under way has come to its end; at: where the robot is. True when that
 * ended a cycle. */
bool cairn_arena_cycles_add(
    struct cairn_arena_cycles *cycles, double way_m, double time_s, bool ended, struct cairn_vec2 at);
/* It does not want to get away from there: it looks round, or was not asked to go anywhere. Who is stuck stays so until it
 * gets away: not to be asked any more is no way out. */
void cairn_arena_cycles_rest(struct cairn_arena_cycles *cycles, struct cairn_vec2 at);

/* ---- goals one after the other ---- */

/* A goal taken up again that had been left for another, which was not reached, is dithering. */
struct cairn_arena_choices {
	struct cairn_vec2 last[2]; /* newest first */
	uint32_t count;
	bool reached; /* the newest */
	uint32_t dithers;
};
void cairn_arena_choices_add(struct cairn_arena_choices *choices, struct cairn_vec2 goal);
/* Where the robot is now. */
void cairn_arena_choices_at(struct cairn_arena_choices *choices, struct cairn_vec2 place, double tolerance_m);

/* ---- a run ---- */

/* Plain data, so that one process may hand it to another. */
struct cairn_arena_result {
	uint32_t mode, seed;
	uint32_t cycles, contacts, decisions, refused, dithers, idle_longest;
	uint32_t
	    gone; /* of those refused: the place had gone from the list, or the exploration ended, while the answer was on its way */
	uint32_t stuck, stuck_left; /* times stuck; those that did not end with getting away */
	bool reached;               /* the goal, by the truth */
	bool given_up;              /* the goal was reported unreachable */
	bool over;                  /* ended by itself, not by a limit */
	double goal_m;              /* distance left to the goal */
	double known_share;         /* of the floor that can be reached */
	double path_m, seconds, clearance_min_m;
	char end[128];           /* why it ended */
	uint64_t trace;          /* of poses, commands and decisions, every 10 ms */
	struct cairn_pose2 pose; /* at the end, world frame */
	struct cairn_vec2 contact_at;
	uint32_t path_count;
	float path_xy_m[2 * CAIRN_ARENA_PATH];
};

/* What sees the run while it is still there; both may be NULL. */
typedef void cairn_arena_end_fn(void *ctx, struct cairn_run *run, const struct cairn_arena_result *result);

/* Who drives in the place of the scripted pilot, and who is told of each cycle. All borrowed. */
struct cairn_arena_driver {
	const struct cairn_model_client_model
	    *model; /* asked with the prompt and pictures of the robot; NULL: the pilot drives */
	const struct cairn_config_vlm *vlm; /* how it is asked; with model */
	FILE *log; /* a line of JSON for each cycle and one at the end (docs/arenas.md); NULL: none */
};

/* The same by this driver. False, too, when the model cannot be asked any more, with the reason. */
bool cairn_arena_drive(const struct cairn_arena *arena, enum cairn_arena_mode mode, uint32_t seed,
    const struct cairn_arena_driver *driver, struct cairn_arena_result *ret, cairn_arena_end_fn *at_end,
    void *ctx, struct cairn_error *err);
/* False with the reason: no memory, the robot cannot stand at its start. */
bool cairn_arena_run(const struct cairn_arena *arena, enum cairn_arena_mode mode, uint32_t seed,
    struct cairn_arena_result *ret, cairn_arena_end_fn *at_end, void *ctx, struct cairn_error *err);

/* The configuration of arenas: everything by default, but for the body, the noise's seed and what a mission
 * with a goal needs. */
void cairn_arena_config(
    struct cairn_config *cfg, const struct cairn_arena *arena, enum cairn_arena_mode mode, uint32_t seed);

/* ---- criteria ---- */

enum cairn_arena_criterion {
	CAIRN_ARENA_GOAL,
	CAIRN_ARENA_CONTACTS,
	CAIRN_ARENA_KNOWN,
	CAIRN_ARENA_CYCLES,
	CAIRN_ARENA_RECOVERY,
	CAIRN_ARENA_COHERENCE,
	CAIRN_ARENA_CRITERIA
};

struct cairn_arena_verdict {
	bool asked, passed;
	double value, threshold;
};

struct cairn_arena_rule {
	const char *name, *text; /* what is measured and asked */
	const char *sign;        /* between value and threshold: "<=" or ">=" */
	double scale;            /* to the unit it is shown in */
	const char *unit;
};
extern const struct cairn_arena_rule cairn_arena_rules[CAIRN_ARENA_CRITERIA];

/* True when every criterion that is asked is met. */
bool cairn_arena_judge(const struct cairn_arena *arena, const struct cairn_arena_result *result,
    struct cairn_arena_verdict verdicts[CAIRN_ARENA_CRITERIA]);

#endif
