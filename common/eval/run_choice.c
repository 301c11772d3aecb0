/* run_choice.c - the candidates, as the mapper's stage publishes them. */
#include "common/eval/run_parts.h"

bool run_choice_init(struct cairn_run *r, struct cairn_error *err)
{
	cairn_choice_init(&r->choice, r->cfg, 1);
	return cairn_choice_watch_init(&r->watch, r->cfg, err);
}

void run_choice_step(struct cairn_run *r)
{
	struct cairn_choice_inputs in = {.frontiers = &r->frontiers,
	    .pose = {r->pose.x_m, r->pose.y_m, r->pose.yaw_rad},
	    .ground.grid = cairn_run_grid(r)};
	int32_t *cx0 = &in.ground.reach_cx0, *cy0 = &in.ground.reach_cy0;
	in.ground.reach = r->mapper != NULL ? cairn_mapper_reach(r->mapper, cx0, cy0)
					    : cairn_frontier_reach(r->true_map->finder, cx0, cy0);
	if (in.ground.reach == NULL || r->seq == NULL)
		return;
	cairn_planner_path(r->planner, &r->path);
	cairn_choice_watch_path(&r->watch, &r->path);
	cairn_choice_watch_goal(&r->watch, &r->out.nav_goal, r->now_ns);
	cairn_choice_watch_mission(&r->watch, &r->out.mission);
	cairn_choice_watch_fill(&r->watch, r->now_ns, &in);
	if (r->o.goal != NULL && in.goal == NULL)
		in.path_count = 0;
	if (r->o.goal != NULL)
		in.goal = r->o.goal;
	cairn_choice_update(&r->choice, &in, &r->candidates);
	r->candidates_ns = r->now_ns;
	cairn_sequencer_on_candidates(r->seq, &r->candidates, r->now_ns);
}
