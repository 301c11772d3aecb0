#include "common/signal/signal_ports.h"

CAIRN_TAKE(take_motion, cairn_signals, motion, (cairn_signals_motion(core, m, hdr->t_ns), 0))
CAIRN_TAKE(take_mission, cairn_signals, mission, (cairn_signals_mission(core, m, hdr->t_ns), 0))
CAIRN_TAKE(take_vlm_stats, cairn_signals, vlm_stats, (cairn_signals_model(core, m, hdr->t_ns), 0))
CAIRN_TAKE(take_battery, cairn_signals, battery, (cairn_signals_battery(core, m), 0))

const struct cairn_in cairn_signals_in[] = {
    {CAIRN_TOPIC_MOTION, CAIRN_ACCEPT_PLAUSIBLE, take_motion},
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_PLAUSIBLE, take_mission},
    {CAIRN_TOPIC_VLM_STATS, CAIRN_ACCEPT_PLAUSIBLE, take_vlm_stats},
    {CAIRN_TOPIC_BATTERY, CAIRN_ACCEPT_FRESH, take_battery},
    {.take = NULL},
};

const struct cairn_out cairn_signals_out[] = {
    {CAIRN_TOPIC_SIGNAL, 500},
    {CAIRN_TOPIC_COUNT, 0},
};
