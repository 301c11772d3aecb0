#include "common/explore/candidates.h"

#include "common/config/speeds.h"
#include "common/explore/frontier.h"

#include <stdio.h>
#include <string.h>

#define SAME_M 0.25  /* so near to one of its kind it is the same place */
#define THERE_M 0.3  /* nobody is sent to where the robot stands, or less than nav.goal_tolerance_m away */
#define PASSED_M 0.5 /* points of the path from here on are ahead */
#define STUCK_RECOVERY 2
#define STAY 0.05 /* a place offered last time is kept before one that is so little better */

void cairn_candidates_init(struct cairn_candidates *c, const struct cairn_config *cfg, uint64_t first_set)
{
	memset(c, 0, sizeof(*c));
	c->cfg = cfg->choice;
	c->half_width_m = cfg->robot.footprint_half_width_m;
	c->turn_radius_m = cairn_is_differential(cfg) ? 0.0 : cfg->robot.turn_radius_min_m;
	c->tolerance_m = fmax(cfg->nav.goal_tolerance_m, THERE_M);
	c->set = c->first_set = first_set;
}

/* ---- what is known ---- */

static bool same_thing(const struct cairn_msg_candidate *a, const struct cairn_msg_candidate *b)
{
	return a->kind == b->kind && a->frontier_id == b->frontier_id && strcmp(a->name, b->name) == 0;
}

/* A place offered lately takes the place of one found beside it. */
static void snap(
    const struct cairn_candidates *c, const struct cairn_candidates_inputs *in, struct cairn_msg_candidate *m)
{
	const struct cairn_msg_candidate *best = NULL;
	double best_m = SAME_M;
	for (uint32_t i = 0; i < c->known_count; i++) {
		const struct cairn_msg_candidate *k = &c->known[i].as;
		if (cairn_compare_distance(k->x_m - m->x_m, k->y_m - m->y_m, best_m) > 0 ||
		    !same_thing(k, m) || cairn_ground_way_m(&in->ground, k->x_m, k->y_m) < 0.0)
			continue;
		best = k;
		best_m = hypot(k->x_m - m->x_m, k->y_m - m->y_m);
	}
	if (best == NULL)
		return;
	m->id = best->id;
	m->since = best->since;
	m->x_m = best->x_m;
	m->y_m = best->y_m;
}

/* Room for one more: the one that was offered longest ago goes. */
static struct cairn_candidates_known *slot(struct cairn_candidates *c)
{
	if (c->known_count < CAIRN_CANDIDATES_KNOWN)
		return &c->known[c->known_count++];
	struct cairn_candidates_known *oldest = &c->known[0];
	for (uint32_t i = 1; i < CAIRN_CANDIDATES_KNOWN; i++)
		oldest = c->known[i].set < oldest->set ? &c->known[i] : oldest;
	return oldest;
}

static void remember(struct cairn_candidates *c, const struct cairn_msg_candidate *m)
{
	struct cairn_candidates_known *k = NULL;
	for (uint32_t i = 0; i < c->known_count; i++)
		k = c->known[i].as.id == m->id ? &c->known[i] : k;
	if (k == NULL) {
		k = slot(c);
		k->as = *m;
	}
	k->set = c->set;
}

/* ---- the sources ---- */

static double goal_term(const struct cairn_candidates *c, const struct cairn_candidates_inputs *in,
    const struct cairn_msg_candidate *m, const struct cairn_msg_frontier *f)
{
	if (f != NULL && in->ranked && f->detour_m >= 0.0)
		return cairn_score_detour(f->detour_m);
	return cairn_score_goal(&c->cfg, in->pose, in->goal, m->x_m, m->y_m, m->path_m);
}

/* Scores a place and takes it into the raw list; false when it is no place to go to. f: the frontier that it opens, or
 * NULL. */
static bool add(struct cairn_candidates *c, const struct cairn_candidates_inputs *in,
    struct cairn_msg_candidate m, const struct cairn_msg_frontier *f)
{
	const struct cairn_ground *g = &in->ground;
	bool near_is_fine = m.kind == CAIRN_CANDIDATE_KIND_FRONTIER; /* to be looked into from here */
	if (c->raw_count == CAIRN_CANDIDATES_RAW)
		return false;
	snap(c, in, &m);
	m.path_m = cairn_ground_way_m(g, m.x_m, m.y_m);
	if (m.path_m < 0.0 ||
	    (!near_is_fine && hypot(m.x_m - in->pose.x_m, m.y_m - in->pose.y_m) < c->tolerance_m))
		return false;
	m.clearance_m = cairn_ground_clearance_m(g, c->half_width_m, m.x_m, m.y_m);
	if (m.clearance_m <= 0.0)
		return false;
	m.bearing_rad = cairn_wrap_rad(atan2(m.y_m - in->pose.y_m, m.x_m - in->pose.x_m) - in->pose.yaw_rad);
	m.goal = goal_term(c, in, &m, f);
	m.clearance = cairn_score_clearance(&c->cfg, m.clearance_m);
	m.novelty = cairn_score_novelty(cairn_ground_unknown_share(g, &c->score, m.x_m, m.y_m),
	    cairn_ground_visited_share(g, m.x_m, m.y_m));
	m.feasibility = cairn_score_feasibility(c->turn_radius_m, in->pose, m.x_m, m.y_m, m.path_m);
	m.score = cairn_score_sum(&c->cfg, m.goal, m.clearance, m.novelty, m.feasibility);
	c->raw[c->raw_count++] = m;
	return true;
}

/* Index of the path's point nearest to the robot. */
static uint32_t here(const struct cairn_candidates_inputs *in)
{
	uint32_t best = 0;
	double best_m = INFINITY;
	for (uint32_t i = 0; i < in->path_count; i++) {
		double d =
		    hypot((double)in->path[i].x_m - in->pose.x_m, (double)in->path[i].y_m - in->pose.y_m);
		if (d < best_m) {
			best_m = d;
			best = i;
		}
	}
	return best;
}

/* The points at whole multiples of step_m from where the path was planned, so that they stay while it is
 * driven. */
static void add_subgoals(struct cairn_candidates *c, const struct cairn_candidates_inputs *in)
{
	uint32_t robot = here(in), found = 0;
	double along_m = 0.0, robot_m = 0.0, mark_m = c->cfg.step_m;
	for (uint32_t i = 1; i <= robot && i < in->path_count; i++)
		robot_m += hypot((double)(in->path[i].x_m - in->path[i - 1].x_m),
		    (double)(in->path[i].y_m - in->path[i - 1].y_m));
	for (uint32_t i = 1; i < in->path_count && found < CAIRN_CANDIDATES_OF_A_KIND; i++) {
		double ax = (double)in->path[i - 1].x_m, ay = (double)in->path[i - 1].y_m;
		double dx = (double)in->path[i].x_m - ax, dy = (double)in->path[i].y_m - ay,
		       length = hypot(dx, dy);
		for (; length > 0.0 && mark_m <= along_m + length && found < CAIRN_CANDIDATES_OF_A_KIND;
		     mark_m += c->cfg.step_m) {
			double share = (mark_m - along_m) / length;
			struct cairn_msg_candidate m = {.kind = CAIRN_CANDIDATE_KIND_SUBGOAL,
			    .x_m = ax + share * dx,
			    .y_m = ay + share * dy};
			if (mark_m >= robot_m + PASSED_M)
				found += add(c, in, m, NULL);
		}
		along_m += length;
	}
}

static void add_frontiers(struct cairn_candidates *c, const struct cairn_candidates_inputs *in)
{
	for (uint32_t i = 0; in->frontiers != NULL && i < in->frontiers->items_count; i++) {
		const struct cairn_msg_frontier *f = &in->frontiers->items[i];
		if (!(f->distance_m >= 0.0) ||
		    cairn_frontier_is_given_up(in->given_up, in->given_up_count, f))
			continue;
		add(c, in,
		    (struct cairn_msg_candidate){.kind = CAIRN_CANDIDATE_KIND_FRONTIER,
			.x_m = f->goal_x_m,
			.y_m = f->goal_y_m,
			.frontier_id = f->id},
		    f);
	}
}

/* Unless a frontier is looked into from there: its candidate says more. */
static void add_goal(struct cairn_candidates *c, const struct cairn_candidates_inputs *in)
{
	for (uint32_t i = 0; i < c->raw_count; i++) {
		const struct cairn_msg_candidate *m = &c->raw[i];
		if (m->kind == CAIRN_CANDIDATE_KIND_FRONTIER &&
		    hypot(m->x_m - in->goal->x_m, m->y_m - in->goal->y_m) < c->cfg.apart_m)
			return;
	}
	add(c, in,
	    (struct cairn_msg_candidate){
		.kind = CAIRN_CANDIDATE_KIND_GOAL, .x_m = in->goal->x_m, .y_m = in->goal->y_m},
	    NULL);
}

static void add_places(struct cairn_candidates *c, const struct cairn_candidates_inputs *in)
{
	for (uint32_t i = 0; i < in->place_count; i++) {
		struct cairn_msg_candidate m = {.kind = CAIRN_CANDIDATE_KIND_WAYPOINT,
		    .x_m = in->places[i].x_m,
		    .y_m = in->places[i].y_m};
		snprintf(m.name, sizeof(m.name), "%s", in->places[i].name);
		add(c, in, m, NULL);
	}
}

/* ---- the choice ---- */

struct pick {
	struct cairn_msg_candidate items[CAIRN_CANDIDATES_MAX];
	uint32_t count, of_kind[CAIRN_CANDIDATE_KIND_COUNT];
};

static bool take(const struct cairn_candidates *c, struct pick *p, const struct cairn_msg_candidate *m)
{
	if (p->count == CAIRN_CANDIDATES_MAX || p->of_kind[m->kind] == CAIRN_CANDIDATES_OF_A_KIND)
		return false;
	for (uint32_t i = 0; i < p->count; i++) {
		if (hypot(p->items[i].x_m - m->x_m, p->items[i].y_m - m->y_m) < c->cfg.apart_m)
			return false;
	}
	p->items[p->count++] = *m;
	p->of_kind[m->kind]++;
	return true;
}

static double wish(const struct cairn_candidates *c, const struct cairn_msg_candidate *m)
{
	for (uint32_t i = 0; m->id != 0 && i < c->last_count; i++) {
		if (c->last_ids[i] == m->id)
			return m->score + STAY;
	}
	return m->score;
}

/* The best of what is left, taken or dropped, until the pick is full. */
static void take_best(struct cairn_candidates *c, struct pick *p)
{
	double wishes[CAIRN_CANDIDATES_RAW];
	for (uint32_t i = 0; i < c->raw_count; i++)
		wishes[i] = wish(c, &c->raw[i]);
	for (uint32_t n = 0; n < c->raw_count && p->count < CAIRN_CANDIDATES_MAX; n++) {
		uint32_t best = 0;
		for (uint32_t i = 1; i < c->raw_count; i++)
			best = wishes[i] > wishes[best] ? i : best;
		wishes[best] = -1.0;
		take(c, p, &c->raw[best]);
	}
}

/* Scored recovery places in their own order, until the pick holds so many of them or so many in all. */
static void take_recovery(struct cairn_candidates *c, const struct cairn_candidates_inputs *in,
    struct pick *p, uint32_t of_them, uint32_t in_all)
{
	struct cairn_msg_candidate list[CAIRN_CANDIDATES_RECOVERY_MAX];
	uint32_t count = cairn_candidates_recovery(c, in, list);
	for (uint32_t i = 0; i < count; i++) {
		if (p->of_kind[CAIRN_CANDIDATE_KIND_RECOVERY] >= of_them && p->count >= in_all)
			return;
		if (add(c, in, list[i], NULL))
			take(c, p, &c->raw[--c->raw_count]);
	}
}

/* Best first; equal ones stay as they are. */
static void rank(struct pick *p)
{
	for (uint32_t i = 1; i < p->count; i++) {
		struct cairn_msg_candidate m = p->items[i];
		uint32_t at = i;
		for (; at > 0 && p->items[at - 1].score < m.score; at--)
			p->items[at] = p->items[at - 1];
		p->items[at] = m;
	}
}

/* Numbers the places and the set. */
static void publish(struct cairn_candidates *c, struct pick *p, struct cairn_msg_candidates *ret)
{
	bool changed = p->count != c->last_count;
	for (uint32_t i = 0; i < p->count && !changed; i++)
		changed = p->items[i].id == 0 || p->items[i].id != c->last_ids[i];
	c->set += changed;
	c->last_count = p->count;
	for (uint32_t i = 0; i < p->count; i++) {
		struct cairn_msg_candidate *m = &p->items[i];
		if (m->id == 0) {
			m->id = ++c->next_id;
			m->since = c->set;
		}
		remember(c, m);
		c->last_ids[i] = m->id;
		ret->items[ret->items_count++] = *m;
	}
	ret->set = c->set;
	ret->first_set = c->first_set;
}

void cairn_candidates_update(
    struct cairn_candidates *c, const struct cairn_candidates_inputs *in, struct cairn_msg_candidates *ret)
{
	struct pick pick = {.count = 0};
	memset(ret, 0, sizeof(*ret));
	c->raw_count = 0;
	if (in->stuck)
		take_recovery(c, in, &pick, STUCK_RECOVERY, 0);
	add_frontiers(c, in);
	if (in->goal != NULL) {
		add_goal(c, in);
		add_subgoals(c, in);
	}
	add_places(c, in);
	take_best(c, &pick);
	if (pick.count < CAIRN_CANDIDATES_MIN)
		take_recovery(c, in, &pick, 0, CAIRN_CANDIDATES_MIN);
	rank(&pick);
	publish(c, &pick, ret);
	ret->stuck = in->stuck;
	ret->has_goal = in->goal != NULL;
}
