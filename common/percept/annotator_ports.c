#include "common/percept/annotator_ports.h"

#define TAKE(msg, call) CAIRN_TAKE(take_##msg, cairn_annotator, msg, call)
TAKE(frontiers, cairn_annotator_on_frontiers(core, m, hdr->t_ns))
TAKE(imu, cairn_annotator_on_imu(core, m, hdr->t_ns))
TAKE(battery, cairn_annotator_on_battery(core, m, hdr->t_ns))
TAKE(nav_path, cairn_annotator_on_path(core, m, hdr->t_ns))
TAKE(candidates, cairn_annotator_on_candidates(core, m, hdr->t_ns))
TAKE(local, cairn_annotator_on_local(core, m, hdr->t_ns))
TAKE(decision, cairn_annotator_on_decision(core, m))

static bool take_mission(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	(void)now_ns;
	cairn_annotator_on_mission(core, m, hdr->t_ns);
	return true;
}

static bool take_result(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	(void)hdr;
	cairn_annotator_on_result(core, m, now_ns);
	return true;
}

const struct cairn_in cairn_annotator_in[] = {
    {CAIRN_TOPIC_FRONTIERS, CAIRN_ACCEPT_PLAUSIBLE, take_frontiers},
    {CAIRN_TOPIC_IMU, CAIRN_ACCEPT_PLAUSIBLE, take_imu},
    {CAIRN_TOPIC_BATTERY, CAIRN_ACCEPT_PLAUSIBLE, take_battery},
    {CAIRN_TOPIC_DECISION, CAIRN_ACCEPT_PLAUSIBLE, take_decision},
    {CAIRN_TOPIC_RESULT, CAIRN_ACCEPT_PLAUSIBLE, take_result},
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_PLAUSIBLE, take_mission},
    {.take = NULL},
};

const struct cairn_in cairn_annotator_path_in[] = {
    {CAIRN_TOPIC_NAV_PATH, CAIRN_ACCEPT_PLAUSIBLE, take_nav_path}, {.take = NULL}};
const struct cairn_in cairn_annotator_candidates_in[] = {
    {CAIRN_TOPIC_CANDIDATES, CAIRN_ACCEPT_PLAUSIBLE, take_candidates}, {.take = NULL}};
const struct cairn_in cairn_annotator_local_in[] = {
    {CAIRN_TOPIC_LOCAL, CAIRN_ACCEPT_PLAUSIBLE, take_local}, {.take = NULL}};
