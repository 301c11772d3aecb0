#include "common/vlm/dialog_ports.h"

#define TAKE(msg, call) CAIRN_TAKE(take_##msg, cairn_dialog, msg, call)
TAKE(frontiers, cairn_dialog_frontiers(core, m, hdr->t_ns))
TAKE(candidates, cairn_dialog_candidates(core, m, hdr->t_ns))
TAKE(paths_clear, cairn_dialog_paths_clear(core, m, hdr->t_ns))
TAKE(local, cairn_dialog_local(core, m, hdr->t_ns))
TAKE(nav_goal, cairn_dialog_nav_goal(core, m, hdr->t_ns))

static bool take_mission(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	(void)now_ns;
	cairn_dialog_mission(core, m, hdr);
	return true;
}

/* What became of the model's claims about the map: it is told. */
static bool take_features(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	const struct cairn_msg_features *features = message;
	struct cairn_memory *memory = cairn_dialog_memory(core);
	(void)hdr, (void)now_ns;
	memory->claims_held = features->claims_held;
	memory->claims_right = features->claims_right;
	memory->claims_wrong = features->claims_wrong;
	return false;
}

/* One purse: what the agent spends is spent today. */
static bool take_agent(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	const struct cairn_msg_agent *agent = message;
	(void)hdr;
	if (agent->task_id != 0 && agent->usd >= 0.0)
		cairn_budget_count_task(cairn_dialog_budget(core), now_ns, agent->task_id, agent->usd);
	return false;
}

const struct cairn_in cairn_dialog_in[] = {
    {CAIRN_TOPIC_AGENT, CAIRN_ACCEPT_PLAUSIBLE, take_agent},
    {CAIRN_TOPIC_FEATURES, CAIRN_ACCEPT_PLAUSIBLE, take_features},
    {CAIRN_TOPIC_PATHS_CLEAR, CAIRN_ACCEPT_PLAUSIBLE, take_paths_clear},
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_PLAUSIBLE, take_mission},
    {CAIRN_TOPIC_FRONTIERS, CAIRN_ACCEPT_PLAUSIBLE, take_frontiers},
    {.take = NULL},
};

const struct cairn_in cairn_dialog_candidates_in[] = {
    {CAIRN_TOPIC_CANDIDATES, CAIRN_ACCEPT_PLAUSIBLE, take_candidates},
    {.take = NULL},
};

const struct cairn_in cairn_dialog_local_in[] = {
    {CAIRN_TOPIC_LOCAL, CAIRN_ACCEPT_PLAUSIBLE, take_local},
    {.take = NULL},
};

const struct cairn_in cairn_dialog_shadow_in[] = {
    {CAIRN_TOPIC_NAV_GOAL, CAIRN_ACCEPT_PLAUSIBLE, take_nav_goal},
    {.take = NULL},
};
