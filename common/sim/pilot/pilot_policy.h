/* pilot_policy.h - what the scripted pilot chooses: a stand-in for a model, never called one.
 *
 * Pure. It reads the same prompt text a model would get (nothing else), and answers one tool call with a
 * sentence or two. Its chance is seeded; the same prompts give the same answers. */
#ifndef CAIRN_COMMON_SIM_PILOT_PILOT_POLICY_H
#define CAIRN_COMMON_SIM_PILOT_PILOT_POLICY_H

#include "common/config/config.h"
#include "common/base/rng.h"
#include "common/vlm/tools.h"

#define CAIRN_PILOT_FRONTIERS_MAX 16
#define CAIRN_PILOT_ACTIONS_MAX 5
#define CAIRN_PILOT_GAPS_MAX 8
#define CAIRN_PILOT_THINGS_MAX 16
#define CAIRN_PILOT_CANDIDATES_MAX 8

struct cairn_pilot_frontier {
	uint32_t id;
	double bearing_deg; /* left positive */
	double path_m, width_m;
	enum cairn_frontier_kind kind;
};

struct cairn_pilot_action {
	enum cairn_tool tool;
	uint32_t frontier_id;  /* 0 = none named */
	uint32_t candidate_id; /* 0 = none named */
	int direction;         /* enum cairn_direction, -1 = none named */
	enum cairn_outcome outcome;
	double distance_m;
};

struct cairn_pilot_candidate {
	uint32_t id, frontier_id; /* 0 = no frontier */
	enum cairn_candidate_kind kind;
	double path_m, score;
	bool next; /* the best round through all frontiers goes on there */
};

struct cairn_pilot_gap {
	double bearing_deg, width_m, distance_m;
};

/* Of the memory: what was seen, and where. */
struct cairn_pilot_thing {
	char label[40];
	bool room;
	double x_m, y_m;
};

/* The prompt as understood. What was not found is zero, or negative where that is said. */
struct cairn_pilot_view {
	int sector_count;
	double sector_m[12]; /* clockwise from the front; 0 = empty */
	bool has_feasibility;
	double feasibility[CAIRN_DIRECTION_COUNT];
	double nearest_m; /* negative = unknown */
	uint32_t gap_count, frontier_count, candidate_count, action_count, room_count;
	bool stuck;
	bool has_position;
	double x_m, y_m;
	char goal[96]; /* of the mission, in words; empty = none */
	bool goal_known;
	double goal_x_m, goal_y_m;
	char here[48]; /* the room that the memory says it is in; empty = it does not */
	uint32_t thing_count;
	struct cairn_pilot_thing things[CAIRN_PILOT_THINGS_MAX];
	uint32_t driven_frontier_id, driven_candidate_id; /* its last choice, still driven; 0 = none */
	struct cairn_pilot_gap gaps[CAIRN_PILOT_GAPS_MAX];
	struct cairn_pilot_frontier frontiers[CAIRN_PILOT_FRONTIERS_MAX];
	struct cairn_pilot_candidate candidates[CAIRN_PILOT_CANDIDATES_MAX];
	struct cairn_pilot_action actions[CAIRN_PILOT_ACTIONS_MAX]; /* newest first */
};

struct cairn_pilot_choice {
	struct cairn_tool_call call;
	bool has_report;
	struct cairn_tool_call report;
	char text[320]; /* one or two sentences */
};

struct cairn_pilot {
	enum cairn_choice_pilot profile;
	struct cairn_rng rng;
	uint64_t choices;
	struct cairn_pilot_choice last;
	bool has_last;
	bool last_was_doorway; /* the frontier of the last sensible choice */
};

void cairn_pilot_init(struct cairn_pilot *pilot, enum cairn_choice_pilot profile, uint64_t seed);
void cairn_pilot_read(struct cairn_pilot_view *view, const char *text, size_t count);
/* The choice of the pilot's profile. */
void cairn_pilot_choose(
    struct cairn_pilot *pilot, const struct cairn_pilot_view *view, struct cairn_pilot_choice *ret);
/* The same as another profile would choose, for faults. */
void cairn_pilot_choose_as(struct cairn_pilot *pilot, enum cairn_choice_pilot profile,
    const struct cairn_pilot_view *view, struct cairn_pilot_choice *ret);

#endif
