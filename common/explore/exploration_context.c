#include "common/explore/exploration_context.h"

#include <string.h>

#define GOAL_KEEP_S 30.0

bool cairn_exploration_context_init(
    struct cairn_exploration_context *w, const struct cairn_config *cfg, struct cairn_error *err)
{
	memset(w, 0, sizeof(*w));
	w->stuck_decisions = (uint32_t)cfg->choice.stuck_decisions;
	w->stuck_m = cfg->choice.stuck_m;
	int count = cairn_places_parse(cfg->choice.waypoints, w->places, err);
	if (count < 0)
		return false;
	w->configured = w->place_count = (uint32_t)count;
	return true;
}

static bool asks_to_move(const struct cairn_msg_result *r)
{
	return r->tool == CAIRN_TOOL_MOVE_TOWARD || r->tool == CAIRN_TOOL_ROTATE ||
	       r->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL;
}

void cairn_exploration_context_result(struct cairn_exploration_context *w, const struct cairn_msg_result *r)
{
	if (!isfinite(r->x_m) || !isfinite(r->y_m) || !isfinite(r->distance_m))
		return;
	double moved_m = w->placed ? hypot(r->x_m - w->x_m, r->y_m - w->y_m) : r->distance_m;
	bool model = r->source == CAIRN_SOURCE_MODEL,
	     replaced = model && r->outcome == CAIRN_OUTCOME_REPLACED;
	if (moved_m >= w->stuck_m)
		w->idle = 0;
	else if (replaced)
		return; /* what replaced it may be the same way, which is measured from its beginning */
	else if (model && asks_to_move(r))
		w->idle++;
	w->placed = true;
	w->x_m = r->x_m;
	w->y_m = r->y_m;
	bool interrupted = replaced || (model && r->outcome == CAIRN_OUTCOME_PARTIAL);
	bool driven = r->outcome != CAIRN_OUTCOME_REFUSED && r->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL;
	if (driven && !interrupted)
		w->has_goal = false;
}

bool cairn_exploration_context_stuck(const struct cairn_exploration_context *w)
{
	return w->idle >= w->stuck_decisions;
}

void cairn_exploration_context_goal(
    struct cairn_exploration_context *w, const struct cairn_msg_nav_goal *goal, int64_t t_ns)
{
	if (!goal->active || !isfinite(goal->x_m) || !isfinite(goal->y_m))
		return;
	w->goal = *goal;
	w->t_goal_ns = t_ns;
	w->has_goal = true;
}

void cairn_exploration_context_path(
    struct cairn_exploration_context *w, const struct cairn_msg_nav_path *path)
{
	for (uint32_t i = 0; i < path->points_count; i++) {
		if (!isfinite(path->points[i].x_m) || !isfinite(path->points[i].y_m))
			return;
	}
	w->path = *path;
}

void cairn_exploration_context_mission(
    struct cairn_exploration_context *w, const struct cairn_msg_mission *mission)
{
	w->given_up_count = mission->given_up_count;
	memcpy(w->given_up, mission->given_up, sizeof(w->given_up));
	w->mission_goal = mission->goal_known && mission->state == CAIRN_MISSION_STATE_EXPLORING &&
			  isfinite(mission->goal_x_m) && isfinite(mission->goal_y_m);
	w->mission_at = (struct cairn_vec2){mission->goal_x_m, mission->goal_y_m};
	if (mission->state != CAIRN_MISSION_STATE_EXPLORING)
		w->has_goal = false; /* the mission's own ways are nothing to choose about */
}

void cairn_exploration_context_rooms(
    struct cairn_exploration_context *w, const struct cairn_msg_places *rooms)
{
	w->place_count = w->configured;
	for (uint32_t i = 0; i < rooms->items_count && i < CAIRN_PLACES_MAX; i++)
		w->places[w->place_count++] = rooms->items[i];
}

void cairn_exploration_context_fill(
    struct cairn_exploration_context *w, int64_t now_ns, struct cairn_candidates_inputs *in)
{
	in->given_up = w->given_up;
	in->given_up_count = w->given_up_count;
	in->places = w->places;
	in->place_count = w->place_count;
	in->stuck = cairn_exploration_context_stuck(w);
	in->path = w->path.points;
	in->path_count = 0;
	if (w->mission_goal) {
		in->goal = &w->mission_at;
		return;
	}
	w->goal_at = (struct cairn_vec2){w->goal.x_m, w->goal.y_m};
	bool keep = w->has_goal && ((double)now_ns - (double)w->t_goal_ns) / 1e9 <= GOAL_KEEP_S;
	in->goal = keep ? &w->goal_at : NULL;
	in->path_count = keep && w->path.goal_id == w->goal.id ? w->path.points_count : 0;
}
