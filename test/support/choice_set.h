/* choice_set.h - a choice, the places that it is asked about, and the set that it offers. */
#ifndef CAIRN_TEST_SUPPORT_CHOICE_SET_H
#define CAIRN_TEST_SUPPORT_CHOICE_SET_H

#include "test/support/choice_world.h"
#include "test/support/runner.h"

static struct cairn_candidates choice;
static struct cairn_msg_candidates set;

static inline void name(struct cairn_msg_place *p, const char *word, double x, double y)
{
	memset(p, 0, sizeof(*p));
	memcpy(p->name, word, strlen(word));
	p->x_m = x;
	p->y_m = y;
}

static inline struct cairn_msg_frontier opening(uint32_t id, double x, double y)
{
	return (struct cairn_msg_frontier){
	    .id = id, .x_m = x, .y_m = y, .goal_x_m = x, .goal_y_m = y, .distance_m = 1.0, .width_m = 1.0};
}

static inline void update(const struct cairn_candidates_inputs *in)
{
	cairn_candidates_update(&choice, in, &set);
}

#endif
