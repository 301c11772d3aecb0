/* tell.h - what the robot knows of itself, and its answers to questions about it. Pure. */
#ifndef CAIRN_COMMON_VOICE_TELL_H
#define CAIRN_COMMON_VOICE_TELL_H

#include "common/voice/intents.h"

struct cairn_facts {
	enum cairn_mission_state mission; /* IDLE while nothing is known */
	char activity[96];
	double battery_percent; /* negative or 0: not known */
	bool troubled;
	char problem[160];
	char here[40];    /* label of the room; empty: not known */
	char things[160]; /* in that room, for people; empty: none known */
};

void cairn_facts_mission(struct cairn_facts *f, const struct cairn_msg_mission *m);
void cairn_facts_scene(struct cairn_facts *f, const struct cairn_msg_scene *m);
void cairn_facts_health(struct cairn_facts *f, const struct cairn_msg_health *m);

/* True while the mission moves the robot: it may be paused. */
bool cairn_facts_runs(const struct cairn_facts *f);
/* The answer to an intent of the kind TELL. Returns buf. */
const char *cairn_facts_answer(
    const struct cairn_facts *f, enum cairn_intent intent, char *buf, size_t bytes);

#endif
