/* notify.h - what happens, for a web address that a person has named: what is told, when, and what becomes of what cannot be told.
 *
 * It tells what the stage speak would say (common/voice/news.h). What waits is told together; what a service does not take is told again,
 * later each time, and a newer warning never waits behind older news. Pure: no sockets, no clock. */
#ifndef CAIRN_COMMON_NOTIFY_NOTIFY_H
#define CAIRN_COMMON_NOTIFY_NOTIFY_H

#include "common/config/config.h"
#include "common/voice/news.h"

#define CAIRN_NOTICES_MAX 16
#define CAIRN_NOTIFY_BODY_MAX 8192

struct cairn_notice {
	char text[256];
	enum cairn_urgency urgency;
	bool waits;   /* the robot waits for a person from then on */
	int64_t t_ns; /* when it happened */
};

struct cairn_notify {
	const struct cairn_config *cfg; /* borrowed */
	struct cairn_news news;
	struct cairn_notice items[CAIRN_NOTICES_MAX]; /* oldest first */
	uint32_t count, under_way;                    /* so many of the oldest are being told */
	uint32_t failures;                            /* in a row */
	int64_t t_next_ns;                            /* nothing is told before */
	struct cairn_msg_notify told;
};

void cairn_notify_init(struct cairn_notify *c, const struct cairn_config *cfg);

/* The body of what is to be told now, all that waits; its length, 0: nothing. Then cairn_notify_ended is called, once.
 * notify.format json: {"text", "robot", "notices": [{"time", "urgency", "waits", "text"}]}, text being all of them, a line each, behind the robot's
 * name; text: these lines. unix_less_mono_ns: wall clock minus monotonic. */
size_t cairn_notify_begin(
    struct cairn_notify *c, int64_t now_ns, int64_t unix_less_mono_ns, char body[CAIRN_NOTIFY_BODY_MAX]);
/* status of HTTP, 0: there was no answer, for the reason why. A refusal that will be the same again (4xx but 408, 425 and 429) loses what was
 * told; else it is told again. */
void cairn_notify_ended(struct cairn_notify *c, int status, const char *why, int64_t now_ns);

#endif
