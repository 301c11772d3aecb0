#include "common/sim/skills/skills.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/skill/skill.h"

#define STREAM 83       /* of chance: apart from sensors, detector and house */
#define AT_PLACE_M 0.35 /* what an order names is what is so near to its place */
#define PERSON_AT_M 0.60

void cairn_sim_arm_init(struct cairn_sim_arm *a, const struct cairn_config *cfg,
    const struct cairn_world *world, struct cairn_sim *sim)
{
	*a = (struct cairn_sim_arm){.cfg = cfg, .sim = sim, .world = world};
	cairn_rng_seed(&a->rng, (uint64_t)cfg->sim.seed, STREAM);
}

static void fill_held(const struct cairn_sim_arm *a, char held[48])
{
	int32_t prop = cairn_props_held(a->world, cairn_sim_props(a->sim));
	snprintf(held, 48, "%.47s", prop >= 0 ? a->world->things[a->world->props[prop].thing].name : "");
}

bool cairn_sim_arm_offer(const struct cairn_sim_arm *a, struct cairn_msg_skills *ret)
{
	*ret = (struct cairn_msg_skills){.driver = "simulated", .busy_id = a->order.id};
	if (!(a->cfg->robot.arm_reach_m > 0.0))
		return false;
	for (int v = 1; v < CAIRN_SKILL_VERB_COUNT; v++) {
		const struct cairn_skill *k = cairn_skill_of((enum cairn_skill_verb)v);
		if (k != NULL && k->arm)
			ret->items[ret->items_count++] = (struct cairn_msg_skill_offer){k->verb, k->usual_s};
	}
	fill_held(a, ret->held);
	return true;
}

/* ---- what is there ---- */

static struct cairn_vec2 place_of(const struct cairn_sim_arm *a)
{
	return cairn_pose_apply(
	    cairn_sim_state(a->sim)->start, (struct cairn_vec2){a->order.x_m, a->order.y_m});
}

/* A thing's extent as it is now. */
static bool extent(const struct cairn_sim_arm *a, uint32_t thing, double min[3], double max[3])
{
	int32_t prop = cairn_prop_of_thing(a->world, thing);
	if (!cairn_world_extent(a->world, thing, min, max))
		return false;
	for (int k = 0; prop >= 0 && k < 3; k++) {
		const struct cairn_prop_place *built = &a->world->props[prop].places[0];
		const struct cairn_prop_state *s = &cairn_sim_props(a->sim)->items[prop];
		double by = k == 0   ? s->x_m - built->at.x_m
			    : k == 1 ? s->y_m - built->at.y_m
				     : s->z_m - built->z_m;
		min[k] += by;
		max[k] += by;
	}
	return true;
}

static double from_box(const double min[3], const double max[3], struct cairn_vec2 p, double z_m)
{
	double dx = fmax(0.0, fmax(min[0] - p.x_m, p.x_m - max[0])),
	       dy = fmax(0.0, fmax(min[1] - p.y_m, p.y_m - max[1]));
	return hypot(hypot(dx, dy), fmax(0.0, fmax(min[2] - z_m, z_m - max[2])));
}

/* Can the verb be done to a thing of this sort at all? */
static bool fits(const struct cairn_sim_arm *a, uint32_t thing)
{
	int32_t prop = cairn_prop_of_thing(a->world, thing);
	const struct cairn_prop *p = prop >= 0 ? &a->world->props[prop] : NULL;
	if (prop >= 0 &&
	    (cairn_sim_props(a->sim)->items[prop].held || cairn_sim_props(a->sim)->items[prop].given))
		return false;
	switch (a->order.verb) {
	case CAIRN_SKILL_VERB_OPEN:
	case CAIRN_SKILL_VERB_CLOSE:
		return p != NULL && (p->word == CAIRN_PROP_DOOR || p->word == CAIRN_PROP_LID);
	case CAIRN_SKILL_VERB_GRASP:
		return p != NULL && p->graspable;
	case CAIRN_SKILL_VERB_POUR:
		return p != NULL && p->holds_l > 0.0;
	default:
		return strcmp(a->world->things[thing].kind, "wall") != 0 &&
		       strcmp(a->world->things[thing].kind, "leaf") != 0;
	}
}

/* The thing at the order's place: one of its name first, then the nearest; -1: none. */
static int32_t find_thing(const struct cairn_sim_arm *a)
{
	struct cairn_vec2 at = place_of(a);
	double best = INFINITY, min[3], max[3];
	int32_t found = -1;
	for (uint32_t i = 0; i < a->world->thing_count; i++) {
		if (!fits(a, i) || !extent(a, i, min, max))
			continue;
		double d = from_box(min, max, at, a->order.z_m);
		if (d > AT_PLACE_M)
			continue;
		d += strstr(a->world->things[i].name, a->order.target) != NULL ? 0.0 : 1.0;
		if (d < best) {
			best = d;
			found = (int32_t)i;
		}
	}
	return found;
}

static struct cairn_footprint body_of(const struct cairn_sim_arm *a)
{
	return (struct cairn_footprint){a->cfg->robot.footprint_front_m, a->cfg->robot.footprint_rear_m,
	    a->cfg->robot.footprint_half_width_m};
}

/* ---- the end of an order ---- */

__attribute__((format(printf, 3, 4))) static bool ends(
    struct cairn_msg_skill_result *ret, enum cairn_outcome outcome, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(ret->reason, sizeof(ret->reason), fmt, args);
	va_end(args);
	ret->outcome = outcome;
	return true;
}

static bool swing(struct cairn_sim_arm *a, uint32_t prop, bool open, struct cairn_msg_skill_result *ret)
{
	const char *name = a->world->things[a->world->props[prop].thing].name;
	struct cairn_footprint body = body_of(a);
	struct cairn_props *props = cairn_sim_props(a->sim);
	if (props->items[prop].open == open)
		return ends(
		    ret, CAIRN_OUTCOME_SUCCESS, "the %.40s is %s already", name, open ? "open" : "closed");
	if (cairn_prop_sweeps(
		a->world, prop, cairn_sim_state(a->sim)->body.pose, &body, a->cfg->robot.height_m))
		return ends(
		    ret, CAIRN_OUTCOME_FAILED, "the robot stands in the way of the door of the %.40s", name);
	(void)cairn_prop_set_open(a->world, props, prop, open);
	return ends(ret, CAIRN_OUTCOME_SUCCESS, "the %.40s is %s", name, open ? "open" : "closed");
}

static bool grasp(struct cairn_sim_arm *a, uint32_t prop, struct cairn_msg_skill_result *ret)
{
	struct cairn_props *props = cairn_sim_props(a->sim);
	const char *name = a->world->things[a->world->props[prop].thing].name;
	if (cairn_props_held(a->world, props) >= 0)
		return ends(ret, CAIRN_OUTCOME_FAILED, "the hand holds something already");
	if (cairn_prop_shut_in(a->world, props, prop, false))
		return ends(ret, CAIRN_OUTCOME_FAILED, "the %.40s is in something that is closed", name);
	if (!cairn_prop_grasp(a->world, props, prop))
		return ends(ret, CAIRN_OUTCOME_FAILED, "the %.40s cannot be taken as it stands", name);
	return ends(ret, CAIRN_OUTCOME_SUCCESS, "the %.40s is in the hand", name);
}

static bool put(struct cairn_sim_arm *a, uint32_t thing, struct cairn_msg_skill_result *ret)
{
	struct cairn_props *props = cairn_sim_props(a->sim);
	struct cairn_pose2 pose = cairn_sim_state(a->sim)->body.pose;
	const char *name = a->world->things[thing].name;
	struct cairn_vec2 front =
	    cairn_pose_apply(pose, (struct cairn_vec2){a->cfg->robot.footprint_front_m + 0.3, 0.0});
	int32_t prop = cairn_props_held(a->world, props);
	if (prop < 0)
		return ends(ret, CAIRN_OUTCOME_FAILED, "the hand is empty");
	struct cairn_props was = *props;
	if (!cairn_prop_put(a->world, props, thing, front))
		return ends(
		    ret, CAIRN_OUTCOME_FAILED, "there is no room on or in the %.40s, or it is closed", name);
	double at[2] = {props->items[prop].x_m, props->items[prop].y_m};
	struct cairn_footprint body = body_of(a);
	if (cairn_skill_distance_m(&body, pose, at, at) > a->cfg->robot.arm_reach_m) {
		*props = was;
		return ends(ret, CAIRN_OUTCOME_FAILED, "no free spot of the %.40s is within reach", name);
	}
	return ends(ret, CAIRN_OUTCOME_SUCCESS, "the %.40s stands on or in the %.40s",
	    a->world->things[a->world->props[prop].thing].name, name);
}

static bool pour(struct cairn_sim_arm *a, uint32_t prop, struct cairn_msg_skill_result *ret)
{
	struct cairn_props *props = cairn_sim_props(a->sim);
	int32_t held = cairn_props_held(a->world, props);
	const char *name = a->world->things[a->world->props[prop].thing].name;
	if (held < 0 || !(props->items[held].filled_l > 0.0))
		return ends(ret, CAIRN_OUTCOME_FAILED, "the hand holds nothing to pour from");
	if (cairn_prop_shut_in(a->world, props, prop, false))
		return ends(ret, CAIRN_OUTCOME_FAILED, "the %.40s is in something that is closed", name);
	double litres = cairn_prop_pour(a->world, props, prop);
	if (!(litres > 0.0))
		return ends(ret, CAIRN_OUTCOME_FAILED, "nothing more goes into the %.40s", name);
	return ends(ret, CAIRN_OUTCOME_SUCCESS, "%.2f litres are in the %.40s", litres, name);
}

static bool hand_over(struct cairn_sim_arm *a, struct cairn_msg_skill_result *ret)
{
	struct cairn_disc people[CAIRN_WORLD_PEOPLE_MAX];
	size_t n = cairn_sim_people(a->sim, people);
	struct cairn_vec2 at = place_of(a);
	struct cairn_footprint body = body_of(a);
	const struct cairn_skill *k = cairn_skill_of(CAIRN_SKILL_VERB_HAND_OVER);
	for (size_t i = 0; i < n; i++) {
		if (hypot(people[i].x_m - at.x_m, people[i].y_m - at.y_m) > PERSON_AT_M)
			continue;
		double far_m = cairn_disc_clearance(&people[i], cairn_sim_state(a->sim)->body.pose, &body);
		if (far_m > a->cfg->robot.arm_reach_m + k->reach_more_m)
			return ends(ret, CAIRN_OUTCOME_FAILED, "%.40s is %.2f m away",
			    a->world->people[i].name, far_m);
		if (!cairn_prop_give(a->world, cairn_sim_props(a->sim)))
			return ends(ret, CAIRN_OUTCOME_FAILED, "the hand is empty");
		return ends(ret, CAIRN_OUTCOME_SUCCESS, "%.40s has taken it", a->world->people[i].name);
	}
	return ends(ret, CAIRN_OUTCOME_FAILED, "nobody is there");
}

static bool carry_out(struct cairn_sim_arm *a, struct cairn_msg_skill_result *ret)
{
	double min[3], max[3];
	struct cairn_footprint body = body_of(a);
	bool unlucky = cairn_rng_uniform(&a->rng) < a->cfg->sim.skill_fail;
	if (a->fail_next > 0 || unlucky) {
		a->fail_next -= a->fail_next > 0;
		return ends(ret, CAIRN_OUTCOME_FAILED, "the arm could not do it");
	}
	if (a->lies)
		return ends(ret, CAIRN_OUTCOME_SUCCESS, "done");
	if (a->order.verb == CAIRN_SKILL_VERB_HAND_OVER)
		return hand_over(a, ret);
	int32_t thing = find_thing(a);
	if (thing < 0 || !extent(a, (uint32_t)thing, min, max))
		return ends(ret, CAIRN_OUTCOME_FAILED, "there is nothing there to %s",
		    cairn_enum_text(&cairn_enum_skill_verb, (int)a->order.verb));
	double far_m = cairn_skill_distance_m(&body, cairn_sim_state(a->sim)->body.pose, min, max);
	if (far_m > a->cfg->robot.arm_reach_m)
		return ends(ret, CAIRN_OUTCOME_FAILED, "the %.40s is %.2f m away; the arm reaches %.2f m",
		    a->world->things[thing].name, far_m, a->cfg->robot.arm_reach_m);
	int32_t prop = cairn_prop_of_thing(a->world, (uint32_t)thing);
	switch (a->order.verb) {
	case CAIRN_SKILL_VERB_OPEN:
		return swing(a, (uint32_t)prop, true, ret);
	case CAIRN_SKILL_VERB_CLOSE:
		return swing(a, (uint32_t)prop, false, ret);
	case CAIRN_SKILL_VERB_GRASP:
		return grasp(a, (uint32_t)prop, ret);
	case CAIRN_SKILL_VERB_POUR:
		return pour(a, (uint32_t)prop, ret);
	case CAIRN_SKILL_VERB_PLACE:
		return put(a, (uint32_t)thing, ret);
	default:
		return ends(ret, CAIRN_OUTCOME_FAILED, "that is nothing this arm does");
	}
}

static struct cairn_msg_skill_result about(const struct cairn_msg_skill_request *q)
{
	struct cairn_msg_skill_result r = {.id = q->id, .task_id = q->task_id, .verb = q->verb};
	memcpy(r.target, q->target, sizeof(r.target));
	return r;
}

bool cairn_sim_arm_take(
    struct cairn_sim_arm *a, const struct cairn_msg_skill_request *q, struct cairn_msg_skill_result *ret)
{
	const struct cairn_skill *k = cairn_skill_of(q->verb);
	*ret = about(q);
	if (q->abort) {
		if (q->id != a->order.id)
			return false;
		a->order.id = 0;
		fill_held(a, ret->held);
		return ends(ret, CAIRN_OUTCOME_FAILED, "stopped");
	}
	if (a->order.id != 0 || k == NULL || !k->arm)
		return ends(ret, CAIRN_OUTCOME_FAILED,
		    a->order.id != 0 ? "the arm is busy" : "that is nothing this arm does");
	a->order = *q;
	a->order.target[sizeof(a->order.target) - 1] = '\0';
	a->left_s = k->usual_s;
	a->took_s = 0.0;
	return false;
}

bool cairn_sim_arm_step(struct cairn_sim_arm *a, double dt_s, struct cairn_msg_skill_result *ret)
{
	if (a->order.id == 0)
		return false;
	a->left_s -= dt_s;
	a->took_s += dt_s;
	if (a->left_s > 0.0 && a->took_s <= a->order.deadline_s)
		return false;
	*ret = about(&a->order);
	if (a->left_s > 0.0)
		(void)ends(ret, CAIRN_OUTCOME_FAILED, "it took longer than its deadline");
	else
		(void)carry_out(a, ret);
	ret->duration_s = a->took_s;
	fill_held(a, ret->held);
	a->order.id = 0;
	return true;
}
