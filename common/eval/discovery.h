/* discovery.h - what a model reports (report_discovery) against what the world really holds.
 *
 * A room is right when its name is that of a room within CAIRN_DISCOVERY_ROOM_M of the robot that was not
 * reported before; an object, a landmark or a hazard when a thing of that name or kind, not reported before,
 * can be seen from there within CAIRN_DISCOVERY_THING_M. Names are compared word by word without case and
 * number of items, by a table of words that mean the same ("couch" a sofa, "hallway" a hall); of a room all
 * words that name a kind have to fit, of a thing the word that says what it is ("kitchen table": table).
 *
 * Nothing is judged where the world does not know: it has no rooms, or no furniture; a room called just
 * "Room"; a label that names no kind ("room 3"); a landmark or a hazard of a kind that the world has no word
 * for. */
#ifndef CAIRN_COMMON_EVAL_DISCOVERY_H
#define CAIRN_COMMON_EVAL_DISCOVERY_H

#include "common/vlm/tools.h"
#include "common/sim/world/world.h"

#define CAIRN_DISCOVERY_ROOM_M 0.75 /* it is reported on the way in */
#define CAIRN_DISCOVERY_THING_M 5.0

enum cairn_discovery {
	CAIRN_DISCOVERY_RIGHT,
	CAIRN_DISCOVERY_WRONG,
	CAIRN_DISCOVERY_UNJUDGED,
	CAIRN_DISCOVERY_COUNT
};

struct cairn_discoveries;

/* world is borrowed. NULL: no memory. */
struct cairn_discoveries *cairn_discoveries_new(const struct cairn_world *world);
void cairn_discoveries_destroy(struct cairn_discoveries **discoveries_p);
/* Judges one made at a place of the world, and remembers what was found. */
enum cairn_discovery cairn_discoveries_judge(
    struct cairn_discoveries *discoveries, const struct cairn_tool_call *report, double x_m, double y_m);

/* Something of this world can be judged: a room with a name, or a piece of furniture. */
bool cairn_discoveries_known(const struct cairn_world *world);

#endif
