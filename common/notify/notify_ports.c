#include "common/notify/notify_ports.h"

CAIRN_TAKE(take_tier, cairn_notify, tier, (cairn_news_tier(&core->news, m), 0))
CAIRN_TAKE(take_mission, cairn_notify, mission, (cairn_news_mission(&core->news, m), 0))
CAIRN_TAKE(take_agent, cairn_notify, agent, (cairn_news_agent(&core->news, m), 0))
CAIRN_TAKE(take_motion, cairn_notify, motion, (cairn_news_motion(&core->news, m, now_ns), 0))
CAIRN_TAKE(take_battery, cairn_notify, battery, (cairn_news_battery(&core->news, m), 0))
CAIRN_TAKE(take_discoveries, cairn_notify, discoveries, (cairn_news_discoveries(&core->news, m), 0))

const struct cairn_in cairn_notify_in[] = {
    {CAIRN_TOPIC_TIER, CAIRN_ACCEPT_PLAUSIBLE, take_tier},
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_PLAUSIBLE, take_mission},
    {CAIRN_TOPIC_AGENT, CAIRN_ACCEPT_PLAUSIBLE, take_agent},
    {CAIRN_TOPIC_MOTION, CAIRN_ACCEPT_PLAUSIBLE, take_motion},
    {CAIRN_TOPIC_BATTERY, CAIRN_ACCEPT_PLAUSIBLE, take_battery},
    {CAIRN_TOPIC_DISCOVERIES, CAIRN_ACCEPT_PLAUSIBLE, take_discoveries},
    {.take = NULL},
};

const struct cairn_out cairn_notify_out[] = {
    {CAIRN_TOPIC_NOTIFY, 1000},
    {CAIRN_TOPIC_COUNT, 0},
};
