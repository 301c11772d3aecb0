#include <math.h>

#include "common/sim/robot/sim_private.h"

#define PERSON_KEEPS_M 0.35 /* a walker does not come nearer to the robot than this */
#define PERSON_PATIENCE_S 3.0
#define PERSON_SHORT_OF_M 0.02 /* nobody walks into the robot */

static void turn_round(const struct cairn_person *p, struct cairn_walker *w)
{
	w->back = !w->back;
	if (w->back)
		w->next = w->next > 0 ? w->next - 1 : 0;
	else
		w->next = w->next + 1 < p->path_count ? w->next + 1 : p->path_count - 1;
	w->waiting_s = 0.0;
}

/* True when a step to there would bring it nearer to the robot than it comes. */
static bool robot_in_the_way(const struct cairn_sim *s, uint32_t i, struct cairn_vec2 to)
{
	const struct cairn_person *p = &s->world->people[i];
	const struct cairn_walker *w = &s->state.walkers[i];
	const struct cairn_footprint *body = &s->params.footprint;
	struct cairn_disc ahead = {to.x_m, to.y_m, p->radius_m, 0.0, p->height_m};
	struct cairn_disc now = {w->x_m, w->y_m, p->radius_m, 0.0, p->height_m};
	double d = cairn_disc_clearance(&ahead, s->state.body.pose, body);
	double keeps_m = fmax(PERSON_KEEPS_M - p->heedless_m, PERSON_SHORT_OF_M);
	return d < keeps_m && d < cairn_disc_clearance(&now, s->state.body.pose, body);
}

/* Where the k-th of those that i carries is when i itself is there; 0 is i. */
static struct cairn_vec2 carried_to(const struct cairn_person *leader, uint32_t k, struct cairn_vec2 there)
{
	if (k == 0)
		return there;
	double share = leader[k].share;
	return (struct cairn_vec2){leader->hinge.x_m + share * (there.x_m - leader->hinge.x_m),
	    leader->hinge.y_m + share * (there.y_m - leader->hinge.y_m)};
}

/* Person i and what it carries at the k-th point of its way; false when one of them would be in the robot there. */
static bool place(struct cairn_sim *s, uint32_t i, uint32_t k)
{
	const struct cairn_person *p = &s->world->people[i];
	bool free = true;
	for (uint32_t c = 0; c <= p->carried; c++) {
		struct cairn_vec2 at = k == 0 ? p[c].path[0] : carried_to(p, c, p->path[k]);
		struct cairn_disc disc = {at.x_m, at.y_m, p[c].radius_m, 0.0, p[c].height_m};
		s->state.walkers[i + c] = (struct cairn_walker){
		    .x_m = at.x_m, .y_m = at.y_m, .next = k + 1 < p->path_count ? k + 1 : p->path_count - 1};
		free = free && cairn_disc_clearance(&disc, s->state.body.pose, &s->params.footprint) >=
				   PERSON_SHORT_OF_M;
	}
	return free;
}

int32_t cairn_sim_place_people(struct cairn_sim *sim)
{
	for (uint32_t i = 0; i < sim->world->people_count; i += 1 + sim->world->people[i].carried) {
		uint32_t k = 0;
		while (!place(sim, i, k))
			if (++k >= sim->world->people[i].path_count)
				return (int32_t)i;
	}
	return -1;
}

bool cairn_sim_put_person(struct cairn_sim *sim, uint32_t person, struct cairn_vec2 at)
{
	const struct cairn_person *p = &sim->world->people[person];
	struct cairn_disc disc = {at.x_m, at.y_m, p->radius_m, 0.0, p->height_m};
	if (cairn_disc_clearance(&disc, sim->state.body.pose, &sim->params.footprint) < PERSON_SHORT_OF_M)
		return false;
	sim->state.walkers[person].x_m = at.x_m;
	sim->state.walkers[person].y_m = at.y_m;
	return true;
}

static void walk(struct cairn_sim *s, uint32_t i)
{
	const struct cairn_person *p = &s->world->people[i];
	struct cairn_walker *w = &s->state.walkers[i];
	if (p->path_count < 2 || p->speed_mps <= 0.0)
		return;
	struct cairn_vec2 to = p->path[w->next];
	double dx = to.x_m - w->x_m, dy = to.y_m - w->y_m, left = hypot(dx, dy),
	       step = p->speed_mps * CAIRN_SIM_STEP_S;
	if (left <= step) {
		bool at_end = w->back ? w->next == 0 : w->next + 1 == p->path_count;
		w->waiting_s = at_end ? w->waiting_s + CAIRN_SIM_STEP_S : 0.0;
		if (at_end && w->waiting_s < p->pause_s)
			return;
		if (at_end)
			turn_round(p, w);
		else
			w->next += w->back ? UINT32_MAX : 1u;
		return;
	}
	struct cairn_vec2 there = {w->x_m + dx / left * step, w->y_m + dy / left * step};
	bool held = false;
	for (uint32_t k = 0; k <= p->carried; k++)
		held = held || robot_in_the_way(s, i + k, carried_to(p, k, there));
	if (held) {
		w->waiting_s += CAIRN_SIM_STEP_S;
		if (w->waiting_s > PERSON_PATIENCE_S)
			turn_round(p, w);
		return;
	}
	w->waiting_s = 0.0;
	for (uint32_t k = 0; k <= p->carried; k++) {
		struct cairn_vec2 at = carried_to(p, k, there);
		w[k].x_m = at.x_m;
		w[k].y_m = at.y_m;
	}
}

void cairn_sim_walk(struct cairn_sim *sim)
{
	for (uint32_t i = 0; i < sim->world->people_count; i++)
		walk(sim, i);
}
