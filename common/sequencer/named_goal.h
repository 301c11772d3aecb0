/* named_goal.h - what words mean on the map: "kitchen", "find the red chair", "1.5 -0.5".
 *
 * A name is looked for among what was found in this home (topic discoveries) and the places of the configuration
 * (choice.waypoints). Letter case and articles do not count. */
#ifndef CAIRN_COMMON_SEQUENCER_NAMED_GOAL_H
#define CAIRN_COMMON_SEQUENCER_NAMED_GOAL_H

#include "common/base/error.h"
#include "common/base/geom.h"
#include "ipc/messages.h"

struct cairn_goal_place {
	char name[48];
	double x_m, y_m;
};

/* What may be named; each list may be empty (count 0). */
struct cairn_goal_names {
	const struct cairn_msg_discovery *found;
	uint32_t found_count;
	const struct cairn_msg_place *places;
	uint32_t place_count;
};

/* Two numbers, "X Y" or "X,Y", in metres of the map frame. False: it is something else. */
bool cairn_goal_coordinates(const char *text, double *ret_x_m, double *ret_y_m);

/* The place of a name: one that is called exactly so before one whose name has all the words of it; of several the
 * nearest to `from` in a straight line. False with the reason, which lists what is known. */
bool cairn_goal_find(const struct cairn_goal_names *names, const char *name, struct cairn_vec2 from,
    struct cairn_goal_place *ret, struct cairn_error *err);

/* The place that a goal in words is about: coordinates, or a place whose name has all words that say what is looked for
 * ("find the red chair in the hall": red, chair). One that is called exactly so comes first, then the nearest. False: no such place is known. */
bool cairn_goal_of_words(const struct cairn_goal_names *names, const char *goal, struct cairn_vec2 from,
    struct cairn_goal_place *ret);

#endif
