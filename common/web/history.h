/* history.h - what a page that is opened later wants to know of before: the way driven, and which messages were events. Pure:
 * messages in. All zero is a start.
 *
 * Of the way a point a step apart is kept, the oldest makes room, and another map begins it anew. */
#ifndef CAIRN_COMMON_WEB_HISTORY_H
#define CAIRN_COMMON_WEB_HISTORY_H

#include "common/base/text.h"
#include "ipc/topics.h"

#define CAIRN_WEB_TRAIL_MAX 4000   /* points: 400 m at least */
#define CAIRN_WEB_TRAIL_STEP_M 0.1 /* between two of them */
#define CAIRN_WEB_COMMANDERS_MAX 8

struct cairn_web_history {
	uint64_t map_id;
	uint32_t first, count; /* a ring */
	struct {
		float x_m, y_m;
	} trail[CAIRN_WEB_TRAIL_MAX];
	/* Hashes of what each kind of event said last; 0 = nothing yet. */
	uint64_t motion, estop, health, tier;
	struct {
		uint64_t service, id;
	} commanded
	    [CAIRN_WEB_COMMANDERS_MAX]; /* of each stage that takes commands: the newest, which it repeats */
};

void cairn_web_history_pose(
    struct cairn_web_history *h, const struct cairn_header *hdr, const struct cairn_msg_pose *pose);
/* True when this message of a topic is an event: something that held the robot back or demanded a stop, a decision that was refused
 * or overruled, a command, a change of health or tier. The same but for its figures is the same event. */
bool cairn_web_history_event(struct cairn_web_history *h, enum cairn_topic topic, const void *msg);
/* The topics that those two are made from. */
bool cairn_web_history_wants(enum cairn_topic topic);
/* "map_id":"7","trail":[[x,y],...], oldest first, metres in the map frame. */
void cairn_web_history_add_trail(struct cairn_text *t, const struct cairn_web_history *h);

#endif
