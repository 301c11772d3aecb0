/* exploration_context.h - what the other stages say that the choice of candidates depends on: whether the robot is stuck,
 * where it was going, which frontiers were given up, and what places have names.
 *
 * Stuck: choice.stuck_decisions decisions of the model in a row that asked to move, each of which left the
 * robot less than choice.stuck_m from where the one before it had left it (the first one: by what it has
 * driven). Refused ones count. Whatever moves the robot that far ends it, also what others decided.
 *
 * Goal: the place that the mission's goal names, as soon as one is known. Else the last one the planner was given, while it is driven to, and for GOAL_KEEP_S (30 s) after a way of
 * the model's that was interrupted before its end; forgotten when it was reached or failed. */
#ifndef CAIRN_COMMON_EXPLORE_EXPLORATION_CONTEXT_H
#define CAIRN_COMMON_EXPLORE_EXPLORATION_CONTEXT_H

#include "common/explore/candidates.h"

#define CAIRN_PLACES_MAX 24

struct cairn_exploration_context {
	uint32_t stuck_decisions;
	double stuck_m;
	uint32_t idle; /* decisions in a row without getting anywhere */
	bool placed;
	double x_m, y_m; /* at the last result */

	bool mission_goal; /* a place is known that the goal of the mission names */
	struct cairn_vec2 mission_at;

	bool has_goal;
	int64_t t_goal_ns; /* it was active last */
	struct cairn_msg_nav_goal goal;
	struct cairn_msg_nav_path path;
	struct cairn_vec2 goal_at;

	uint32_t given_up_count;
	struct cairn_msg_given_up given_up[32];
	uint32_t configured; /* first of places; the rest are rooms */
	uint32_t place_count;
	struct cairn_msg_place places[2 * CAIRN_PLACES_MAX];
};

/* False with the reason when choice.waypoints cannot be read. */
bool cairn_exploration_context_init(
    struct cairn_exploration_context *watch, const struct cairn_config *cfg, struct cairn_error *err);
void cairn_exploration_context_result(
    struct cairn_exploration_context *watch, const struct cairn_msg_result *result);
void cairn_exploration_context_goal(
    struct cairn_exploration_context *watch, const struct cairn_msg_nav_goal *goal, int64_t t_ns);
void cairn_exploration_context_path(
    struct cairn_exploration_context *watch, const struct cairn_msg_nav_path *path);
void cairn_exploration_context_mission(
    struct cairn_exploration_context *watch, const struct cairn_msg_mission *mission);
void cairn_exploration_context_rooms(
    struct cairn_exploration_context *watch, const struct cairn_msg_places *rooms);

bool cairn_exploration_context_stuck(const struct cairn_exploration_context *watch);
/* Fills goal, path, given_up, places and stuck; the pointers are good until the watch changes. */
void cairn_exploration_context_fill(
    struct cairn_exploration_context *watch, int64_t now_ns, struct cairn_candidates_inputs *in);

/* Reads "NAME X Y; NAME X Y": names without ';' of at most 39 bytes, numbers in metres, map frame. The number
 * of places, or -1 with the reason. */
int cairn_places_parse(
    const char *text, struct cairn_msg_place places[CAIRN_PLACES_MAX], struct cairn_error *err);

#endif
