/* agent_route.c - follows a route that the model has divided into parts (route.h): each is grounded in the scene graph or the map, driven,
 * and checked off by where the robot has been. No query is needed for a part that fits; a thing to stop at is searched for as in any
 * task, and a part that does not fit goes back to the model. Sides are told from where the last leg began: the start, or behind a door. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/agent/agent_private.h"
#include "common/agent/agent_route_map.h"

#define PASSED_M 1.3  /* from the edge of a thing that is passed */
#define STOPPED_M 1.1 /* the same, of one that the robot has stopped at */
#define BEFORE_M 0.45 /* a doorway: from there it is driven through */
#define BEHIND_M 0.7
#define INTO_M 0.5 /* where the next leg begins */
#define SAME_DOOR_M 0.5
#define TRIES_MAX 5              /* drives for one part */
#define LOOKS_MAX 3              /* explorations for one part */
#define FACING_RAD (0.25 * M_PI) /* of the new heading: turned round */
#define GRAPHS 2                 /* after a drive: then what was seen from there is known */
#define WAIT_MAX_S 5.0
#define VERDICTS_MAX 2 /* that it is not accomplished although no part is open */

static struct cairn_route_part *part_of(struct cairn_agent *a)
{
	uint32_t at = cairn_route_at(&a->route.route);
	return at < a->route.route.count ? &a->route.route.parts[at] : NULL;
}

static struct cairn_vec2 here(const struct cairn_agent *a)
{
	return (struct cairn_vec2){a->world.robot.x_m, a->world.robot.y_m};
}

/* ---- parts ---- */

static void tell(struct cairn_agent *a)
{
	cairn_route_tell(&a->route.route, &a->memory.plan);
	a->changed = true;
}

bool agent_route_begin(struct cairn_agent *a, const struct cairn_agent_lines *lines, struct cairn_error *why)
{
	struct cairn_route route;
	if (!cairn_route_read(lines, &route, why))
		return false;
	a->route = (struct agent_route){.route = route};
	tell(a);
	return true;
}

bool agent_route_revise(struct cairn_agent *a, const struct cairn_agent_lines *lines, struct cairn_error *why)
{
	if (!cairn_route_revise(&a->route.route, lines, why))
		return false;
	a->route.looked = a->route.has_door = false;
	a->route.tries = a->route.explored = 0;
	tell(a);
	return true;
}

static void done(struct cairn_agent *a, struct cairn_route_part *p, const char *fmt, const char *what,
    double x_m, double y_m)
{
	struct agent_route *r = &a->route;
	p->state = CAIRN_ROUTE_DONE;
	snprintf(p->note, sizeof(p->note), fmt, what, x_m, y_m);
	r->looked = r->inside = r->has_door = false;
	r->tries = r->explored = 0;
	a->news = true;
	cairn_agent_log_add(
	    &a->memory.progress, "part %u of the route: %s", (unsigned)(p - r->route.parts) + 1, p->note);
	tell(a);
}

/* The part does not fit what is known: the model says how it goes on. */
static void does_not_fit(struct cairn_agent *a, const char *why)
{
	const struct agent_route *r = &a->route;
	cairn_agent_log_add(
	    &a->memory.progress, "part %u of the route does not fit: %s", cairn_route_at(&r->route) + 1, why);
	if (a->spent.revisions >= (uint32_t)a->cfg->revisions_max) {
		agent_hand_off(
		    a, "A part of the route does not fit, and it was revised as often as it may be.");
		return;
	}
	a->spent.revisions++;
	agent_ask_next(a, CAIRN_AGENT_QUERY_REVISE);
}

/* ---- what is checked off on the way ---- */

static double off_m(const struct cairn_agent *a, const struct cairn_msg_scene_node *n)
{
	return agent_box_off_m(n, here(a));
}

/* The nearest thing of that name that is where it was. */
static const struct cairn_msg_scene_node *thing_of(
    const struct cairn_agent *a, const struct cairn_route_part *p)
{
	const struct cairn_msg_scene_node *best = NULL;
	for (uint32_t i = 0; i < a->world.scene.nodes_count && a->world.use_scene; i++) {
		const struct cairn_msg_scene_node *n = &a->world.scene.nodes[i];
		bool called =
		    n->kind == CAIRN_SCENE_KIND_OBJECT && !n->stale && strcasecmp(n->label, p->thing) == 0;
		if (called && (best == NULL || off_m(a, n) < off_m(a, best)))
			best = n;
	}
	return best;
}

void agent_route_on_pose(struct cairn_agent *a)
{
	struct agent_route *r = &a->route;
	struct cairn_route_part *p = part_of(a);
	struct cairn_vec2 at = here(a);
	if (p == NULL || !a->world.has_pose)
		return;
	if (!r->has_leg) {
		r->leg = a->world.robot;
		r->has_leg = true;
	} else if (p->kind == CAIRN_ROUTE_TURN && r->turned &&
		   fabs(cairn_wrap_rad(a->world.robot.yaw_rad - r->leg.yaw_rad)) <= FACING_RAD) {
		done(a, p, "turned round%s, at (%.1f, %.1f)", "", at.x_m, at.y_m);
	} else if (p->kind == CAIRN_ROUTE_DOOR && r->has_door && cairn_route_passed(&r->door, r->last, at)) {
		struct cairn_vec2 way = cairn_route_through(p, &r->door, r->leg);
		r->leg = (struct cairn_pose2){
		    r->door.x_m + INTO_M * way.x_m, r->door.y_m + INTO_M * way.y_m, atan2(way.y_m, way.x_m)};
		done(a, p, "through the doorway%s at (%.1f, %.1f)", "", r->door.x_m, r->door.y_m);
	} else if (p->kind == CAIRN_ROUTE_PASS) {
		const struct cairn_msg_scene_node *n = thing_of(a, p);
		if (n != NULL && off_m(a, n) <= PASSED_M)
			done(a, p, "passed %s at (%.1f, %.1f)", n->id, n->x_m, n->y_m);
	}
	r->last = at;
}

/* ---- driving ---- */

static void drive(struct cairn_agent *a, struct cairn_vec2 to, const char *what, int64_t now_ns)
{
	agent_send_way(a, (struct cairn_pose2){to.x_m, to.y_m, 0.0}, false, now_ns);
	snprintf(a->act.what, sizeof(a->act.what), "%s (%.1f, %.1f)", what, to.x_m, to.y_m);
	a->phase = AGENT_PHASE_ACTING;
}

/* Where the room goes on along the leg. */
static bool find_on(const struct cairn_agent *a, struct cairn_vec2 *ret)
{
	struct agent_doors doors;
	struct agent_region g = {.in = NULL};
	agent_find_doors(a, false, &doors);
	bool ok = agent_find_region(a, &doors, (struct cairn_vec2){a->route.leg.x_m, a->route.leg.y_m}, &g) &&
		  agent_find_on(a, &g, ret);
	free(g.in);
	return ok;
}

/* On the spot; where there is no room for that, the way back itself turns the robot. */
static void turn_round(struct cairn_agent *a, int64_t now_ns)
{
	struct agent_route *r = &a->route;
	struct cairn_vec2 on;
	if (!r->turned)
		r->leg.yaw_rad = cairn_wrap_rad(r->leg.yaw_rad + M_PI);
	r->turned = true;
	if (r->tries > 1 && find_on(a, &on)) {
		drive(a, on, "back to", now_ns);
	} else {
		agent_send_way(a, r->leg, true, now_ns);
		snprintf(a->act.what, sizeof(a->act.what), "turn round");
		a->phase = AGENT_PHASE_ACTING;
	}
}

static void go_through(struct cairn_agent *a, const struct cairn_route_part *p,
    const struct cairn_msg_doorway *d, int64_t now_ns)
{
	struct agent_route *r = &a->route;
	struct cairn_vec2 way = cairn_route_through(p, d, r->leg);
	bool same = r->has_door && hypot(r->door.x_m - d->x_m, r->door.y_m - d->y_m) < SAME_DOOR_M;
	bool before = same && r->before;
	double m = before ? BEHIND_M : -BEFORE_M;
	r->door = *d;
	r->has_door = true;
	r->before = !before; /* the next drive leads through it, unless another one is meant by then */
	drive(a, (struct cairn_vec2){d->x_m + m * way.x_m, d->y_m + m * way.y_m},
	    before ? "through the doorway to" : "to the doorway at", now_ns);
}

/* The doorway that a part means; -1: it is not known. */
static int find_door(const struct cairn_agent *a, const struct cairn_route_part *p, bool gaps,
    struct agent_doors *doors, uint32_t *ret_found)
{
	struct agent_region g = {.in = NULL};
	uint8_t beside[AGENT_DOORS_MAX];
	int at = -1;
	*ret_found = 0;
	agent_find_doors(a, gaps, doors);
	if (agent_find_region(a, doors, (struct cairn_vec2){a->route.leg.x_m, a->route.leg.y_m}, &g)) {
		for (uint32_t i = 0; i < doors->count; i++)
			beside[i] = agent_touches(&g, &doors->items[i]);
		at = cairn_route_door(p, doors->items, doors->count, beside, a->route.leg, ret_found);
	}
	free(g.in);
	return at;
}

static void door(struct cairn_agent *a, const struct cairn_route_part *p, int64_t now_ns)
{
	struct agent_doors doors;
	uint32_t found = 0, tries = ++a->route.tries;
	struct cairn_vec2 on;
	char why[96];
	int at = a->world.use_map ? find_door(a, p, false, &doors, &found) : -1;
	if (at < 0 && a->world.use_map && tries <= TRIES_MAX && find_on(a, &on)) {
		drive(a, on, "on to", now_ns);
		return;
	}
	if (at < 0 && a->world.use_map)
		at = find_door(a, p, true, &doors, &found);
	if (at >= 0 && tries <= 2 * TRIES_MAX) {
		go_through(a, p, &doors.items[at], now_ns);
		return;
	}
	if (at >= 0)
		snprintf(why, sizeof(why), "the way through that doorway was not driven");
	else
		snprintf(why, sizeof(why), "on that side ahead the map has %u doorways", found);
	does_not_fit(a, why);
}

/* A thing that is not known yet: it may be in sight from here, or has to be searched for. */
static void unknown(struct cairn_agent *a, const struct cairn_route_part *p, int64_t now_ns)
{
	struct agent_route *r = &a->route;
	struct cairn_vec2 on = {0};
	bool inside = p->kind != CAIRN_ROUTE_STOP || r->inside;
	if (!r->looked) {
		r->inside = true; /* more shows from farther in, and there is more room to turn */
		r->looked = inside;
		bool further = !inside && find_on(a, &on);
		if (further)
			drive(a, on, "further in, to", now_ns);
		r->looked |= !further;
		if (further || agent_begin_round(a, now_ns))
			return;
	}
	cairn_agent_letter_openings(&a->world);
	if (p->kind == CAIRN_ROUTE_STOP && a->world.opening_count > 0 && r->explored++ < LOOKS_MAX)
		agent_ask_next(a, CAIRN_AGENT_QUERY_EXPLORE);
	else
		does_not_fit(a, p->kind == CAIRN_ROUTE_STOP ? "no such thing was found"
							    : "no such thing is in sight here");
}

static void thing(struct cairn_agent *a, struct cairn_route_part *p, int64_t now_ns)
{
	struct cairn_error why = {""};
	struct cairn_vec2 stand;
	struct cairn_agent_call call = {.head.tool = CAIRN_AGENT_GO_TO, .has_name = true};
	const struct cairn_msg_scene_node *n = thing_of(a, p);
	if (n == NULL) {
		unknown(a, p, now_ns);
		return;
	}
	if (p->kind == CAIRN_ROUTE_STOP && a->route.tries > 0 && off_m(a, n) <= STOPPED_M &&
	    agent_is_beside(a, here(a), agent_room_of(a, n), n)) {
		done(a, p, "stands at %s, which is at (%.1f, %.1f)", n->id, n->x_m, n->y_m);
		return;
	}
	snprintf(call.name, sizeof(call.name), "%s", n->id);
	bool near =
	    a->route.tries >
	    0; /* where the graph would have it stand the robot does not get, or that is too far off */
	if (a->route.tries++ >= TRIES_MAX)
		does_not_fit(a, "the robot did not get there");
	else if (near && agent_find_stand(a, n, a->route.tries > 2, &stand))
		drive(a, stand, "to it, by", now_ns);
	else if (!agent_begin_act(a, &call, now_ns, &why) &&
		 !agent_find_stand(a, n, a->route.tries > 2, &stand))
		unknown(a, p, now_ns); /* nobody has seen yet where one could stand */
	else if (a->phase != AGENT_PHASE_ACTING)
		drive(a, stand, "to it, by", now_ns);
}

void agent_route_acted(struct cairn_agent *a, int64_t now_ns)
{
	struct agent_route *r = &a->route;
	cairn_agent_log_add(&a->memory.actions, "%s: %s", a->act.what, a->act.outcome);
	r->before = r->before && a->act.ok;
	r->scenes_from = a->scenes;
	r->t_over_ns = now_ns;
	agent_ask_next(a, CAIRN_AGENT_QUERY_NEXT);
}

/* What the last drive has shown is in the graph. */
static bool has_seen(const struct cairn_agent *a, int64_t now_ns)
{
	const struct agent_route *r = &a->route;
	return r->t_over_ns == 0 || a->look_ns[0] == 0 || a->scenes >= r->scenes_from + GRAPHS ||
	       (double)(now_ns - r->t_over_ns) * 1e-9 > WAIT_MAX_S;
}

bool agent_route_step(struct cairn_agent *a, int64_t now_ns)
{
	if (a->query != CAIRN_AGENT_QUERY_NEXT && a->query != CAIRN_AGENT_QUERY_REMEMBER)
		return true;
	struct cairn_route_part *p = part_of(a);
	if (!a->world.has_pose || !a->route.has_leg || !has_seen(a, now_ns)) {
		agent_route_on_pose(a);
		return false;
	}
	if (p == NULL && a->route.verdicts++ >= VERDICTS_MAX) {
		agent_hand_off(a, "No part of the route is open, and yet it was not judged accomplished.");
		return false;
	}
	snprintf(
	    a->step, sizeof(a->step), "%s", p != NULL ? a->memory.plan.items[p - a->route.route.parts] : "");
	if (p == NULL)
		agent_ask_next(a, CAIRN_AGENT_QUERY_VERIFY);
	else if (p->kind == CAIRN_ROUTE_TURN && a->route.tries++ < TRIES_MAX) /* on_pose checks it off */
		turn_round(a, now_ns);
	else if (p->kind == CAIRN_ROUTE_TURN)
		does_not_fit(a, "the robot could not turn round");
	else if (p->kind == CAIRN_ROUTE_DOOR)
		door(a, p, now_ns);
	else
		thing(a, p, now_ns);
	return a->phase == AGENT_PHASE_READY && a->query != CAIRN_AGENT_QUERY_NEXT;
}

/* Where it has not stopped at what it was to stop at, a route was not followed. */
bool agent_route_ok(const struct cairn_agent *a, char *why, size_t bytes)
{
	const struct cairn_route *r = &a->route.route;
	bool ok = true;
	for (uint32_t i = 0; i < r->count; i++)
		if (r->parts[i].kind == CAIRN_ROUTE_STOP)
			ok = r->parts[i].state == CAIRN_ROUTE_DONE;
	if (!ok)
		snprintf(
		    why, bytes, "the robot does not stand where the route ends: judge cannot, and say why");
	return ok;
}
