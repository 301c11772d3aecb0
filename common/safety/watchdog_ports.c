#include "common/safety/watchdog_ports.h"

#define TAKE(msg, call) CAIRN_TAKE(take_##msg, cairn_watchdog, msg, call)
TAKE(scan, cairn_watchdog_on_scan(core, hdr->t_ns, now_ns))
TAKE(motion, cairn_watchdog_on_motion(core, m, hdr->t_ns, now_ns))
TAKE(odom, cairn_watchdog_on_odom(core, m, hdr->t_ns, now_ns))
TAKE(canary, cairn_watchdog_on_canary(core, m, hdr->t_ns, now_ns))
TAKE(stages, cairn_watchdog_on_stages(core, m, hdr->t_ns, now_ns))
TAKE(vlm_stats, cairn_watchdog_on_model(core, m))

/* A stage that calls its own message invalid is alive all the same. */
const struct cairn_in cairn_watchdog_in[] = {
    {CAIRN_TOPIC_SCAN, CAIRN_ACCEPT_PLAUSIBLE, take_scan},
    {CAIRN_TOPIC_MOTION, CAIRN_ACCEPT_ALL, take_motion},
    {CAIRN_TOPIC_ODOM, CAIRN_ACCEPT_PLAUSIBLE, take_odom},
    {CAIRN_TOPIC_CANARY, CAIRN_ACCEPT_ALL, take_canary},
    {CAIRN_TOPIC_STAGES, CAIRN_ACCEPT_ALL, take_stages},
    {CAIRN_TOPIC_VLM_STATS, CAIRN_ACCEPT_PLAUSIBLE, take_vlm_stats},
    {.take = NULL},
};

const struct cairn_out cairn_watchdog_out[] = {
    {CAIRN_TOPIC_ESTOP, 200},
    {CAIRN_TOPIC_HEALTH, 500},
    {CAIRN_TOPIC_COUNT, 0},
};
