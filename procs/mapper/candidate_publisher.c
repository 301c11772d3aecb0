#include "procs/mapper/candidate_publisher.h"

#include <stdlib.h>

#include "common/explore/frontier_route.h"
#include "common/explore/exploration_context.h"

struct offer {
	struct cairn_exploration_context watch;
	struct cairn_candidates choice;
	struct cairn_frontier_route *tour;
	struct cairn_pub *pub;
	struct cairn_msg_candidates out;
	bool said_stuck;
};

#define TAKE(msg, call) CAIRN_TAKE(take_##msg, cairn_exploration_context, msg, call)
TAKE(result, cairn_exploration_context_result(core, m))
TAKE(nav_goal, cairn_exploration_context_goal(core, m, hdr->t_ns))
TAKE(nav_path, cairn_exploration_context_path(core, m))
TAKE(mission, cairn_exploration_context_mission(core, m))
TAKE(places, cairn_exploration_context_rooms(core, m))

static const struct cairn_in inputs[] = {
    {CAIRN_TOPIC_RESULT, CAIRN_ACCEPT_PLAUSIBLE, take_result},
    {CAIRN_TOPIC_NAV_GOAL, CAIRN_ACCEPT_PLAUSIBLE, take_nav_goal},
    {CAIRN_TOPIC_NAV_PATH, CAIRN_ACCEPT_PLAUSIBLE, take_nav_path},
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_PLAUSIBLE, take_mission},
    {CAIRN_TOPIC_ROOMS, CAIRN_ACCEPT_PLAUSIBLE, take_places},
    {.take = NULL},
};

struct offer *offer_new(struct cairn_stage *stage, struct cairn_error *err)
{
	const struct cairn_config *cfg = cairn_stage_config(stage);
	struct offer *o = calloc(1, sizeof(*o));
	if (o == NULL) {
		cairn_error_set(err, "no memory for candidates");
		return NULL;
	}
	o->tour = cairn_frontier_route_new(cfg);
	if (o->tour == NULL)
		cairn_error_set(err, "no memory for the order of the frontiers");
	if (o->tour == NULL || !cairn_exploration_context_init(&o->watch, cfg, err)) {
		offer_destroy(&o);
		return NULL;
	}
	/* Milliseconds since boot: rises over restarts, as one set a report is far less than that. */
	cairn_candidates_init(&o->choice, cfg, (uint64_t)(cairn_now_ns() / CAIRN_NS_PER_MS));
	o->pub = cairn_stage_publish(stage, CAIRN_TOPIC_CANDIDATES);
	cairn_stage_inputs(stage, inputs, &o->watch, NULL, NULL);
	return o;
}

void offer_destroy(struct offer **offer_p)
{
	if (*offer_p != NULL)
		cairn_frontier_route_destroy(&(*offer_p)->tour);
	free(*offer_p);
	*offer_p = NULL;
}

static bool ground_of(const struct cairn_mapper *mapper, struct cairn_ground *ret)
{
	ret->grid = cairn_mapper_grid(mapper);
	ret->belief = cairn_mapper_belief(mapper);
	ret->reach = cairn_mapper_reach(mapper, &ret->reach_cx0, &ret->reach_cy0);
	return ret->reach != NULL;
}

static struct cairn_pose2 pose_of(const struct cairn_mapper *mapper)
{
	struct cairn_msg_pose pose;
	cairn_mapper_pose(mapper, &pose);
	return (struct cairn_pose2){pose.x_m, pose.y_m, pose.yaw_rad};
}

void offer_given_up(const struct offer *o, struct cairn_mapper *mapper)
{
	cairn_mapper_given_up(mapper, o->watch.given_up, o->watch.given_up_count);
}

void offer_rank(struct offer *o, const struct cairn_mapper *mapper, struct cairn_msg_frontiers *frontiers)
{
	struct cairn_ground ground;
	if (ground_of(mapper, &ground) && !cairn_frontier_route_rank(o->tour, &ground, pose_of(mapper),
					      o->watch.given_up, o->watch.given_up_count, frontiers))
		cairn_log_warn("no memory to order the frontiers: the nearest comes first");
}

void offer_publish(struct offer *o, const struct cairn_mapper *mapper,
    const struct cairn_msg_frontiers *frontiers, int64_t now_ns)
{
	struct cairn_candidates_inputs in = {.frontiers = frontiers, .ranked = true, .pose = pose_of(mapper)};
	if (!ground_of(mapper, &in.ground))
		return;
	cairn_exploration_context_fill(&o->watch, now_ns, &in);
	cairn_candidates_update(&o->choice, &in, &o->out);
	cairn_pub_send(o->pub, &o->out, now_ns, true);
	if (o->out.stuck != o->said_stuck)
		cairn_log_info(
		    o->out.stuck ? "stuck: %u places are offered" : "not stuck any more, %u places",
		    o->out.items_count);
	o->said_stuck = o->out.stuck;
}
