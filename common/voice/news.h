/* news.h - what happens, in words to be said aloud: changes of what the stages tell. Each is said once, when it begins; repeated
 * messages say nothing new. Pure. */
#ifndef CAIRN_COMMON_VOICE_NEWS_H
#define CAIRN_COMMON_VOICE_NEWS_H

#include "common/signal/signal.h"
#include "ipc/ports.h"

#define CAIRN_NEWS_MAX 8
#define CAIRN_NEWS_BATTERY_PERCENT 20.0      /* low from here on, */
#define CAIRN_NEWS_BATTERY_BACK_PERCENT 30.0 /* and told again when it has been above this */
#define CAIRN_NEWS_CALLED_MS 10000           /* the same call again only when it has not held for so long */
#define CAIRN_NEWS_BLOCKED_MS 2000           /* so long the motor stage has to hold the wheels */

struct cairn_news {
	struct cairn_msg_say items[CAIRN_NEWS_MAX];
	uint32_t count, lost;
	bool has_tier, has_mission, has_agent, has_discoveries;
	enum cairn_tier tier;
	enum cairn_mission_state mission;
	enum cairn_agent_state agent;
	uint64_t agent_task;
	char help[160];
	uint64_t discovery;
	bool battery_low, estop, blocked_told;
	enum cairn_signal called; /* the last for which a person has to come, */
	int64_t t_called_ns;      /* and when it held last */
	int64_t t_blocked_ns;     /* 0: the wheels are not held */
};

void cairn_news_tier(struct cairn_news *n, const struct cairn_msg_tier *m);
void cairn_news_mission(struct cairn_news *n, const struct cairn_msg_mission *m);
void cairn_news_agent(struct cairn_news *n, const struct cairn_msg_agent *m);
void cairn_news_motion(struct cairn_news *n, const struct cairn_msg_motion *m, int64_t now_ns);
void cairn_news_battery(struct cairn_news *n, const struct cairn_msg_battery *m);
void cairn_news_discoveries(struct cairn_news *n, const struct cairn_msg_discoveries *m);
/* All of them, for the stages that tell news. */
extern const struct cairn_in cairn_news_in[]; /* core: struct cairn_news */

/* The next thing to say; false: none. */
bool cairn_news_take(struct cairn_news *n, struct cairn_msg_say *ret);

#endif
