/* run_choice.c - the candidates, as the mapper's stage publishes them. */
#include "common/eval/run_private.h"

bool run_choice_init(struct cairn_run *r, struct cairn_error *err)
{
	cairn_candidates_init(&r->choice, r->cfg, 1);
	r->tour = cairn_frontier_route_new(r->cfg);
	if (r->tour == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	return cairn_exploration_context_init(&r->watch, r->cfg, err);
}

static bool ground_of(const struct cairn_run *r, struct cairn_ground *ret)
{
	ret->grid = cairn_run_grid(r);
	ret->belief = r->mapper != NULL ? cairn_mapper_belief(r->mapper) : NULL;
	ret->reach = r->mapper != NULL
			 ? cairn_mapper_reach(r->mapper, &ret->reach_cx0, &ret->reach_cy0)
			 : cairn_frontier_reach(r->true_map->finder, &ret->reach_cx0, &ret->reach_cy0);
	return ret->reach != NULL && r->seq != NULL;
}

void run_choice_rank(struct cairn_run *r)
{
	struct cairn_ground ground;
	struct cairn_pose2 pose = {r->pose.x_m, r->pose.y_m, r->pose.yaw_rad};
	if (ground_of(r, &ground))
		(void)cairn_frontier_route_rank(
		    r->tour, &ground, pose, r->watch.given_up, r->watch.given_up_count, &r->frontiers);
}

void run_choice_step(struct cairn_run *r)
{
	/* With a goal of the mission a frontier is worth what it brings nearer to it, not its place in the
	 * round. */
	struct cairn_candidates_inputs in = {.frontiers = &r->frontiers,
	    .ranked = r->o.goal == NULL,
	    .pose = {r->pose.x_m, r->pose.y_m, r->pose.yaw_rad}};
	if (!ground_of(r, &in.ground))
		return;
	cairn_planner_path(r->planner, &r->path);
	cairn_exploration_context_path(&r->watch, &r->path);
	cairn_exploration_context_goal(&r->watch, &r->out.nav_goal, r->now_ns);
	cairn_exploration_context_fill(&r->watch, r->now_ns, &in);
	if (r->o.goal != NULL && in.goal == NULL)
		in.path_count = 0;
	if (r->o.goal != NULL)
		in.goal = r->o.goal;
	cairn_candidates_update(&r->choice, &in, &r->candidates);
	r->candidates_ns = r->now_ns;
	cairn_lockstep_send(&r->bus, CAIRN_TOPIC_CANDIDATES, &r->candidates, r->now_ns);
}
