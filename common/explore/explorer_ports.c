#include "common/explore/explorer_ports.h"

#include "common/explore/exploration_context.h"

#define TAKE(msg, call) CAIRN_TAKE(take_##msg, cairn_explorer, msg, call)
TAKE(result, cairn_exploration_context_result(cairn_explorer_context(core), m))
TAKE(nav_goal, cairn_exploration_context_goal(cairn_explorer_context(core), m, hdr->t_ns))
TAKE(nav_path, cairn_exploration_context_path(cairn_explorer_context(core), m))
TAKE(mission, cairn_exploration_context_mission(cairn_explorer_context(core), m))
TAKE(places, cairn_exploration_context_rooms(cairn_explorer_context(core), m))

const struct cairn_in cairn_explorer_in[] = {
    {CAIRN_TOPIC_RESULT, CAIRN_ACCEPT_PLAUSIBLE, take_result},
    {CAIRN_TOPIC_NAV_GOAL, CAIRN_ACCEPT_PLAUSIBLE, take_nav_goal},
    {CAIRN_TOPIC_NAV_PATH, CAIRN_ACCEPT_PLAUSIBLE, take_nav_path},
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_PLAUSIBLE, take_mission},
    {CAIRN_TOPIC_ROOMS, CAIRN_ACCEPT_PLAUSIBLE, take_places},
    {.take = NULL},
};

bool cairn_explorer_report(struct cairn_explorer *e, const struct cairn_ground *ground,
    struct cairn_pose2 pose, struct cairn_outbox *box, int64_t now_ns, struct cairn_msg_frontiers *frontiers,
    struct cairn_msg_candidates *ret)
{
	bool ranked = ground->reach == NULL || cairn_explorer_rank(e, ground, pose, frontiers);
	cairn_outbox_put(box, CAIRN_TOPIC_FRONTIERS, frontiers, true, now_ns);
	if (ground->reach == NULL)
		return true;
	cairn_explorer_candidates(e, ground, pose, frontiers, now_ns, ret);
	cairn_outbox_put(box, CAIRN_TOPIC_CANDIDATES, ret, true, now_ns);
	return ranked;
}
