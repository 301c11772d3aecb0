#include "common/explore/explorer.h"

#include <stdlib.h>

#include "common/explore/exploration_context.h"
#include "common/explore/frontier_route.h"

struct cairn_explorer {
	struct cairn_exploration_context context;
	struct cairn_candidates candidates;
	struct cairn_frontier_route *route;
	bool has_goal;
	struct cairn_vec2 goal;
};

struct cairn_explorer *cairn_explorer_new(
    const struct cairn_config *cfg, uint64_t first_set, struct cairn_error *err)
{
	struct cairn_explorer *e = calloc(1, sizeof(*e));
	if (e != NULL)
		e->route = cairn_frontier_route_new(cfg);
	if (e == NULL || e->route == NULL)
		cairn_error_set(err, "no memory for the choice of frontiers");
	if (e == NULL || e->route == NULL || !cairn_exploration_context_init(&e->context, cfg, err)) {
		cairn_explorer_destroy(&e);
		return NULL;
	}
	cairn_candidates_init(&e->candidates, cfg, first_set);
	return e;
}

void cairn_explorer_destroy(struct cairn_explorer **explorer_p)
{
	if (*explorer_p != NULL)
		cairn_frontier_route_destroy(&(*explorer_p)->route);
	free(*explorer_p);
	*explorer_p = NULL;
}

struct cairn_exploration_context *cairn_explorer_context(struct cairn_explorer *e)
{
	return &e->context;
}

void cairn_explorer_set_goal(struct cairn_explorer *e, struct cairn_vec2 goal)
{
	e->has_goal = true;
	e->goal = goal;
}

const struct cairn_msg_given_up *cairn_explorer_given_up(const struct cairn_explorer *e, uint32_t *ret_count)
{
	*ret_count = e->context.given_up_count;
	return e->context.given_up;
}

bool cairn_explorer_rank(struct cairn_explorer *e, const struct cairn_ground *ground, struct cairn_pose2 pose,
    struct cairn_msg_frontiers *frontiers)
{
	return cairn_frontier_route_rank(
	    e->route, ground, pose, e->context.given_up, e->context.given_up_count, frontiers);
}

void cairn_explorer_candidates(struct cairn_explorer *e, const struct cairn_ground *ground,
    struct cairn_pose2 pose, const struct cairn_msg_frontiers *frontiers, int64_t now_ns,
    struct cairn_msg_candidates *ret)
{
	struct cairn_candidates_inputs in = {.ground = *ground, .frontiers = frontiers, .pose = pose};
	cairn_exploration_context_fill(&e->context, now_ns, &in);
	if (e->has_goal) {
		in.goal = &e->goal;
		in.path_count = 0;
	}
	/* With a goal to get to, a frontier is worth what it brings nearer to it, not its place in the round of all. */
	in.ranked = !e->has_goal && !e->context.mission_goal;
	cairn_candidates_update(&e->candidates, &in, ret);
}
