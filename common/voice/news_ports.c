#include "common/voice/news.h"

CAIRN_TAKE(take_tier, cairn_news, tier, (cairn_news_tier(core, m), 0))
CAIRN_TAKE(take_mission, cairn_news, mission, (cairn_news_mission(core, m), 0))
CAIRN_TAKE(take_agent, cairn_news, agent, (cairn_news_agent(core, m), 0))
CAIRN_TAKE(take_motion, cairn_news, motion, (cairn_news_motion(core, m, now_ns), 0))
CAIRN_TAKE(take_battery, cairn_news, battery, (cairn_news_battery(core, m), 0))
CAIRN_TAKE(take_discoveries, cairn_news, discoveries, (cairn_news_discoveries(core, m), 0))

const struct cairn_in cairn_news_in[] = {
    {CAIRN_TOPIC_TIER, CAIRN_ACCEPT_PLAUSIBLE, take_tier},
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_PLAUSIBLE, take_mission},
    {CAIRN_TOPIC_AGENT, CAIRN_ACCEPT_PLAUSIBLE, take_agent},
    {CAIRN_TOPIC_MOTION, CAIRN_ACCEPT_PLAUSIBLE, take_motion},
    {CAIRN_TOPIC_BATTERY, CAIRN_ACCEPT_PLAUSIBLE, take_battery},
    {CAIRN_TOPIC_DISCOVERIES, CAIRN_ACCEPT_PLAUSIBLE, take_discoveries},
    {.take = NULL},
};
