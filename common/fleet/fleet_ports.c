/* fleet_ports.c - what the fleet's core wants to know of the robot. */
#include <string.h>

#include "common/fleet/fleet_private.h"

#define KEEP(name, field)                                                                                    \
	static bool name(void *core_, const void *m, const struct cairn_header *hdr, int64_t now_ns)         \
	{                                                                                                    \
		struct cairn_fleet *f = core_;                                                               \
		(void)now_ns;                                                                                \
		memcpy(&f->field, m, sizeof(f->field));                                                      \
		f->t_##field##_ns = hdr->t_ns;                                                               \
		return false;                                                                                \
	}

KEEP(take_pose, pose)
KEEP(take_motion, motion)
KEEP(take_mission, mission)
KEEP(take_battery, battery)
CAIRN_TAKE(take_teleop, cairn_fleet, teleop, (core->t_teleop_ns = hdr->t_ns))

const struct cairn_in cairn_fleet_in[] = {
    {CAIRN_TOPIC_POSE, CAIRN_ACCEPT_PLAUSIBLE, take_pose},
    {CAIRN_TOPIC_MOTION, CAIRN_ACCEPT_PLAUSIBLE, take_motion},
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_PLAUSIBLE, take_mission},
    {CAIRN_TOPIC_BATTERY, CAIRN_ACCEPT_PLAUSIBLE, take_battery},
    {CAIRN_TOPIC_TELEOP, CAIRN_ACCEPT_FRESH, take_teleop},
    {CAIRN_TOPIC_TELEOP_LOCAL, CAIRN_ACCEPT_FRESH, take_teleop},
    {.take = NULL},
};
