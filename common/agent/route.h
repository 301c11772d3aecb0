/* route.h - a way that is told part by part ("turn round, take the second door on the left, stop at the lamp"), as the model has divided it,
 * and which of the map's doorways a part means. Pure.
 *
 * A part is a line of the plan, so that it is shown, kept over a restart and told with every query:
 *   turn round | door N left | door N right | pass THING | stop at THING, with " (done: ...)" or " (left out: ...)" behind it. */
#ifndef CAIRN_COMMON_AGENT_ROUTE_H
#define CAIRN_COMMON_AGENT_ROUTE_H

#include "common/agent/agent_tools.h"
#include "common/base/geom.h"
#include "ipc/messages.h"

#define CAIRN_ROUTE_PARTS_MAX 12
#define CAIRN_ROUTE_NTH_MAX 9

enum cairn_route_kind { CAIRN_ROUTE_TURN, CAIRN_ROUTE_DOOR, CAIRN_ROUTE_PASS, CAIRN_ROUTE_STOP };
enum cairn_route_state { CAIRN_ROUTE_OPEN, CAIRN_ROUTE_DONE, CAIRN_ROUTE_LEFT_OUT };

struct cairn_route_part {
	enum cairn_route_kind kind;
	enum cairn_route_state state;
	uint32_t nth; /* DOOR, from 1 */
	bool left;
	char thing[40]; /* PASS, STOP */
	char note[96];  /* by what it is done, or why it is left out */
};

struct cairn_route {
	struct cairn_route_part parts[CAIRN_ROUTE_PARTS_MAX];
	uint32_t count; /* 0: the task is no route */
};

/* Reads parts, with numbers in front or without. False with the reason, for the model; *ret is as it was then. */
bool cairn_route_read(
    const struct cairn_agent_lines *lines, struct cairn_route *ret, struct cairn_error *why);
/* Takes other parts for those that are still open. What is done stays; an open part that is not among the new ones counts as left out. */
bool cairn_route_revise(
    struct cairn_route *r, const struct cairn_agent_lines *lines, struct cairn_error *why);
void cairn_route_tell(const struct cairn_route *r, struct cairn_agent_lines *ret);
/* The first open part; count: none is. */
uint32_t cairn_route_at(const struct cairn_route *r);

/* Which doorway a part means for who goes on from leg along its heading: of those of the same room (here[i] is not 0) that are ahead, on the
 * part's side and in a wall along the way, the nth. -1: there are fewer; *ret_found: how many. */
int cairn_route_door(const struct cairn_route_part *part, const struct cairn_msg_doorway *doors,
    uint32_t count, const uint8_t *here, struct cairn_pose2 leg, uint32_t *ret_found);
/* Unit vector through a doorway, away from the side that a part's way comes from. */
struct cairn_vec2 cairn_route_through(
    const struct cairn_route_part *part, const struct cairn_msg_doorway *door, struct cairn_pose2 leg);
/* Does a step lead through the doorway? */
bool cairn_route_passed(const struct cairn_msg_doorway *door, struct cairn_vec2 from, struct cairn_vec2 to);

#endif
