#include "common/safety/motor_ports.h"

#define TAKE(msg, call) CAIRN_TAKE(take_##msg, cairn_motor, msg, call)
TAKE(cmd_vel, cairn_motor_cmd(core, hdr, m, now_ns))
TAKE(pose, cairn_motor_pose(core, hdr, now_ns))
TAKE(depth_scan, cairn_motor_depth(core, hdr, m, now_ns))

static bool take_scan(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	return cairn_motor_scan(core, hdr, m, now_ns);
}

static bool take_guard(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	const struct cairn_motor *motor = core;
	const struct cairn_msg_guard *m = message;
	return cairn_motor_guard(core, hdr, m, now_ns) &&
	       (m->bumper || m->bumper_rear || m->floor_m > motor->params.cliff_m);
}

static bool take_estop(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	const struct cairn_motor *motor = core;
	bool before = motor->estop;
	(void)cairn_motor_estop(core, hdr, m, now_ns);
	return motor->estop && !before;
}

const struct cairn_in cairn_motor_in[] = {
    {CAIRN_TOPIC_CMD_VEL, CAIRN_ACCEPT_ALL, take_cmd_vel},
    {CAIRN_TOPIC_SCAN, CAIRN_ACCEPT_ALL, take_scan},
    {CAIRN_TOPIC_POSE, CAIRN_ACCEPT_ALL, take_pose},
    {CAIRN_TOPIC_SCAN_DEPTH, CAIRN_ACCEPT_ALL, take_depth_scan},
    {CAIRN_TOPIC_GUARD, CAIRN_ACCEPT_ALL, take_guard},
    {CAIRN_TOPIC_ESTOP, CAIRN_ACCEPT_ALL, take_estop},
    {.take = NULL},
};

const struct cairn_out cairn_motor_out[] = {
    {CAIRN_TOPIC_ODOM, 0},
    {CAIRN_TOPIC_IMU, 0},
    {CAIRN_TOPIC_BATTERY, 1000},
    {CAIRN_TOPIC_MOTION, 50},
    {CAIRN_TOPIC_COUNT, 0},
};
