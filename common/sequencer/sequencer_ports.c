#include "common/sequencer/sequencer_ports.h"

#define TAKE(msg, call) CAIRN_TAKE(take_##msg, cairn_sequencer, msg, call)
TAKE(scan, cairn_sequencer_on_scan(core, m, hdr->t_ns))
TAKE(depth_scan, cairn_sequencer_on_depth(core, m, hdr->t_ns))
TAKE(pose, cairn_sequencer_on_pose(core, m, hdr->t_ns))
TAKE(motion, cairn_sequencer_on_motion(core, m, hdr->t_ns))
TAKE(battery, cairn_sequencer_on_battery(core, m, hdr->t_ns))
TAKE(guard, cairn_sequencer_on_guard(core, m, hdr->t_ns))
TAKE(frontiers, cairn_sequencer_on_frontiers(core, m, hdr->t_ns))
TAKE(candidates, cairn_sequencer_on_candidates(core, m, hdr->t_ns))
TAKE(nav_velocity, cairn_sequencer_on_nav_velocity(core, m, hdr->t_ns))
TAKE(nav_status, cairn_sequencer_on_nav_status(core, m, hdr->t_ns))
TAKE(nav_path, cairn_sequencer_on_nav_path(core, m, hdr->t_ns))
TAKE(discoveries, cairn_sequencer_on_discoveries(core, m, hdr->t_ns))
TAKE(agent, cairn_sequencer_on_agent(core, m, hdr->t_ns))
TAKE(stages, cairn_sequencer_on_stages(core, m, hdr->t_ns))
CAIRN_TAKE(take_teleop_page, cairn_sequencer, teleop, cairn_sequencer_on_teleop(core, m, 0, hdr->t_ns))
CAIRN_TAKE(take_teleop_local, cairn_sequencer, teleop, cairn_sequencer_on_teleop(core, m, 1, hdr->t_ns))
CAIRN_TAKE(take_teleop_ros2, cairn_sequencer, teleop, cairn_sequencer_on_teleop(core, m, 2, hdr->t_ns))

TAKE(skills, cairn_sequencer_on_skills(core, m, hdr->t_ns))
TAKE(detections, cairn_sequencer_on_detections(core, m, hdr->t_ns))
CAIRN_TAKE(take_skill_done, cairn_sequencer, skill_result, cairn_sequencer_on_skill_done(core, m, now_ns))

static bool take_skill_wish(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	cairn_sequencer_on_skill_wish(core, m, hdr->epoch, now_ns);
	return true;
}

/* What became of it is told at once. */
static bool take_decision(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	cairn_sequencer_on_decision(core, m, hdr->epoch, now_ns);
	return true;
}

static bool take_agent_decision(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	cairn_sequencer_on_agent_decision(core, m, hdr->epoch, now_ns);
	return true;
}

const struct cairn_in cairn_sequencer_in[] = {
    {CAIRN_TOPIC_SCAN, CAIRN_ACCEPT_PLAUSIBLE, take_scan},
    {CAIRN_TOPIC_SCAN_DEPTH, CAIRN_ACCEPT_PLAUSIBLE, take_depth_scan},
    {CAIRN_TOPIC_POSE, CAIRN_ACCEPT_PLAUSIBLE, take_pose},
    {CAIRN_TOPIC_MOTION, CAIRN_ACCEPT_PLAUSIBLE, take_motion},
    {CAIRN_TOPIC_GUARD, CAIRN_ACCEPT_PLAUSIBLE, take_guard},
    {CAIRN_TOPIC_BATTERY, CAIRN_ACCEPT_PLAUSIBLE, take_battery},
    {CAIRN_TOPIC_FRONTIERS, CAIRN_ACCEPT_PLAUSIBLE, take_frontiers},
    {CAIRN_TOPIC_CANDIDATES, CAIRN_ACCEPT_PLAUSIBLE, take_candidates},
    {CAIRN_TOPIC_NAV_VELOCITY, CAIRN_ACCEPT_PLAUSIBLE, take_nav_velocity},
    {CAIRN_TOPIC_NAV_STATUS, CAIRN_ACCEPT_PLAUSIBLE, take_nav_status},
    {CAIRN_TOPIC_NAV_PATH, CAIRN_ACCEPT_PLAUSIBLE, take_nav_path},
    {CAIRN_TOPIC_DECISION, CAIRN_ACCEPT_PLAUSIBLE, take_decision},
    {CAIRN_TOPIC_AGENT_DECISION, CAIRN_ACCEPT_PLAUSIBLE, take_agent_decision},
    {CAIRN_TOPIC_AGENT, CAIRN_ACCEPT_PLAUSIBLE, take_agent},
    {CAIRN_TOPIC_DISCOVERIES, CAIRN_ACCEPT_PLAUSIBLE, take_discoveries},
    {CAIRN_TOPIC_TELEOP, CAIRN_ACCEPT_PLAUSIBLE, take_teleop_page},
    {CAIRN_TOPIC_TELEOP_LOCAL, CAIRN_ACCEPT_PLAUSIBLE, take_teleop_local},
    {CAIRN_TOPIC_TELEOP_ROS2, CAIRN_ACCEPT_PLAUSIBLE, take_teleop_ros2},
    {CAIRN_TOPIC_STAGES, CAIRN_ACCEPT_PLAUSIBLE, take_stages},
    {CAIRN_TOPIC_DETECTIONS, CAIRN_ACCEPT_PLAUSIBLE, take_detections},
    {CAIRN_TOPIC_SKILLS, CAIRN_ACCEPT_FRESH, take_skills},
    {CAIRN_TOPIC_SKILL_DONE, CAIRN_ACCEPT_PLAUSIBLE, take_skill_done},
    {CAIRN_TOPIC_SKILL_WISH, CAIRN_ACCEPT_PLAUSIBLE, take_skill_wish},
    {.take = NULL},
};

static bool take_arm(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	(void)now_ns;
	cairn_sequencer_on_skills(core, message, hdr->t_ns);
	return true;
}

static bool take_arm_done(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	(void)hdr;
	cairn_sequencer_on_skill_done(core, message, now_ns);
	return true;
}

const struct cairn_in cairn_sequencer_arms_in[] = {
    {CAIRN_TOPIC_ARM, CAIRN_ACCEPT_PLAUSIBLE, take_arm},
    {CAIRN_TOPIC_ARM_DONE, CAIRN_ACCEPT_PLAUSIBLE, take_arm_done},
    {.take = NULL},
};

const struct cairn_out cairn_sequencer_out[] = {
    {CAIRN_TOPIC_CMD_VEL, 0},
    {CAIRN_TOPIC_NAV_GOAL, 200},
    {CAIRN_TOPIC_MISSION, 200},
    {CAIRN_TOPIC_TIER, 1000},
    {CAIRN_TOPIC_ZONES, 1000},
    {CAIRN_TOPIC_RESULT, 0},
    {CAIRN_TOPIC_PATHS_CLEAR, 200},
    {CAIRN_TOPIC_SKILL_REQUEST, 0},
    {CAIRN_TOPIC_SKILL_RESULT, 0},
    {CAIRN_TOPIC_COUNT, 0},
};

void cairn_sequencer_put_skills(struct cairn_sequencer *seq, struct cairn_outbox *box, int64_t now_ns)
{
	struct cairn_msg_skill_request order;
	struct cairn_msg_skill_result result;
	while (cairn_sequencer_next_skill_order(seq, &order))
		cairn_outbox_put(box, CAIRN_TOPIC_SKILL_REQUEST, &order, true, now_ns);
	while (cairn_sequencer_next_skill_result(seq, &result))
		cairn_outbox_put(box, CAIRN_TOPIC_SKILL_RESULT, &result, true, now_ns);
}

void cairn_sequencer_put(const struct cairn_sequencer *seq, const struct cairn_sequencer_output *out,
    struct cairn_outbox *box, int64_t now_ns)
{
	cairn_outbox_put(box, CAIRN_TOPIC_CMD_VEL, &out->cmd_vel, true, now_ns);
	cairn_outbox_put(box, CAIRN_TOPIC_NAV_GOAL, &out->nav_goal, out->nav_goal_changed, now_ns);
	cairn_outbox_put(box, CAIRN_TOPIC_MISSION, &out->mission, out->mission_changed, now_ns);
	cairn_outbox_put(box, CAIRN_TOPIC_TIER, &out->tier, out->tier_changed, now_ns);
	cairn_outbox_put(box, CAIRN_TOPIC_ZONES, cairn_sequencer_zones(seq), out->record_changed, now_ns);
	struct cairn_msg_paths_clear paths;
	if (cairn_outbox_due(box, CAIRN_TOPIC_PATHS_CLEAR, false, now_ns) &&
	    cairn_sequencer_paths_clear(seq, now_ns, &paths))
		cairn_outbox_put(box, CAIRN_TOPIC_PATHS_CLEAR, &paths, false, now_ns);
}
