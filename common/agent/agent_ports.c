#include "common/agent/agent.h"

CAIRN_TAKE(take_mission, cairn_agent, mission, (cairn_agent_on_mission(core, m, now_ns), 0))
CAIRN_TAKE(take_scene, cairn_agent, scene, (cairn_agent_on_scene(core, m), 0))
CAIRN_TAKE(take_frontiers, cairn_agent, frontiers, (cairn_agent_on_frontiers(core, m), 0))
CAIRN_TAKE(take_features, cairn_agent, features, (cairn_agent_on_features(core, m), 0))
CAIRN_TAKE(take_pose, cairn_agent, pose, (cairn_agent_on_pose(core, m), 0))

CAIRN_TAKE(take_detections, cairn_agent, detections, (cairn_agent_on_detections(core, m, hdr->t_ns), 0))
CAIRN_TAKE(take_vlm_stats, cairn_agent, vlm_stats, (cairn_agent_on_vlm_stats(core, m), 0))

CAIRN_TAKE(take_skills, cairn_agent, skills, (cairn_agent_on_skills(core, m), 0))
CAIRN_TAKE(take_skill_result, cairn_agent, skill_result, (cairn_agent_on_skill_result(core, m), 0))

CAIRN_TAKE(take_spoken, cairn_agent, spoken, (cairn_agent_on_spoken(core, m, now_ns), 0))

static bool take_result(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	(void)hdr;
	cairn_agent_on_result(core, m, now_ns);
	return true;
}

const struct cairn_in cairn_agent_in[] = {
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_PLAUSIBLE, take_mission},
    {CAIRN_TOPIC_SCENE, CAIRN_ACCEPT_PLAUSIBLE, take_scene},
    {CAIRN_TOPIC_FRONTIERS, CAIRN_ACCEPT_PLAUSIBLE, take_frontiers},
    {CAIRN_TOPIC_FEATURES, CAIRN_ACCEPT_PLAUSIBLE, take_features},
    {CAIRN_TOPIC_POSE, CAIRN_ACCEPT_PLAUSIBLE, take_pose},
    {CAIRN_TOPIC_DETECTIONS, CAIRN_ACCEPT_FRESH, take_detections},
    {CAIRN_TOPIC_VLM_STATS, CAIRN_ACCEPT_PLAUSIBLE, take_vlm_stats},
    {CAIRN_TOPIC_SKILLS, CAIRN_ACCEPT_PLAUSIBLE, take_skills},
    {CAIRN_TOPIC_SKILL_RESULT, CAIRN_ACCEPT_PLAUSIBLE, take_skill_result},
    {CAIRN_TOPIC_SPOKEN, CAIRN_ACCEPT_FRESH, take_spoken},
    {CAIRN_TOPIC_RESULT, CAIRN_ACCEPT_PLAUSIBLE, take_result},
    {.take = NULL},
};

const struct cairn_out cairn_agent_out[] = {
    {CAIRN_TOPIC_AGENT, 500},
    {CAIRN_TOPIC_AGENT_DECISION, 0},
    {CAIRN_TOPIC_SKILL_WISH, 0},
    {CAIRN_TOPIC_COUNT, 0},
};
