#include "common/skill/skill.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"

#define SAME_M 0.25      /* a sight of one label within this of another one is of the same thing */
#define AT_TARGET_M 0.25 /* what was seen so near to where the target is said to be is the target */
#define RECEIVER_M 0.60  /* what is so near to the person who is handed to is that person */
#define REFUSE(...) return refuse(ret, __VA_ARGS__)

static const struct cairn_skill skills[] = {
#define SKILL(verb, arm, target, more, usual, needs, does)                                                   \
	{CAIRN_SKILL_VERB_##verb, arm, CAIRN_SKILL_TARGET_##target, more, usual, needs, does},
#include "common/skill/skill.def"
};

const struct cairn_skill *cairn_skill_of(enum cairn_skill_verb verb)
{
	for (size_t i = 0; i < sizeof(skills) / sizeof(skills[0]); i++)
		if (skills[i].verb == verb)
			return &skills[i];
	return NULL;
}

/* ---- what was seen ---- */

static bool is_person(const char *label)
{
	static const char *const words[] = {"person", "human", "dog", "cat"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(label, words[i]) != NULL)
			return true;
	return false;
}

static bool same_thing(const struct cairn_skill_sights *s, size_t i, const struct cairn_msg_detection *d)
{
	double sum = 0.0;
	for (int k = 0; k < 3; k++) {
		double apart = 0.5 * (s->items[i].min[k] + s->items[i].max[k] - (double)d->box_m[k] -
					 (double)d->box_m[k + 3]);
		sum += apart * apart;
	}
	return s->items[i].t_ns != 0 && sum < SAME_M * SAME_M && strcmp(s->items[i].label, d->label) == 0;
}

void cairn_skill_saw(struct cairn_skill_sights *s, const struct cairn_msg_detections *seen, int64_t t_ns)
{
	for (uint32_t k = 0; k < seen->items_count; k++) {
		const struct cairn_msg_detection *d = &seen->items[k];
		bool finite = d->box_m_count == 6;
		size_t at = 0;
		for (uint32_t a = 0; finite && a < 6; a++)
			finite = isfinite(d->box_m[a]);
		if (!finite)
			continue;
		for (size_t i = 0; i < CAIRN_SKILL_SIGHTS;
		     i++) { /* its own slot, else the one that is oldest */
			if (same_thing(s, i, d)) {
				at = i;
				break;
			}
			at = s->items[i].t_ns < s->items[at].t_ns ? i : at;
		}
		memcpy(s->items[at].label, d->label, sizeof(s->items[at].label));
		for (int a = 0; a < 3; a++) {
			s->items[at].min[a] = (double)d->box_m[a];
			s->items[at].max[a] = (double)d->box_m[a + 3];
		}
		s->items[at].t_ns = t_ns;
		s->items[at].person = is_person(d->label);
	}
}

/* ---- distances ---- */

static double to_box(double x, double y, const double min[2], const double max[2])
{
	return hypot(fmax(0.0, fmax(min[0] - x, x - max[0])), fmax(0.0, fmax(min[1] - y, y - max[1])));
}

static double to_body(const struct cairn_footprint *b, struct cairn_pose2 pose, double x_m, double y_m)
{
	double c = cos(pose.yaw_rad), s = sin(pose.yaw_rad), dx = x_m - pose.x_m, dy = y_m - pose.y_m;
	double x = c * dx + s * dy, y = -s * dx + c * dy;
	return hypot(fmax(fmax(-b->rear_m - x, x - b->front_m), 0.0), fmax(fabs(y) - b->half_width_m, 0.0));
}

/* Two convex figures that do not overlap are nearest at a corner of one of them. */
double cairn_skill_distance_m(
    const struct cairn_footprint *b, struct cairn_pose2 pose, const double min[2], const double max[2])
{
	double best =
	    to_body(b, pose, cairn_clamp(pose.x_m, min[0], max[0]), cairn_clamp(pose.y_m, min[1], max[1]));
	for (int i = 0; i < 4; i++) {
		struct cairn_vec2 corner =
		    cairn_pose_apply(pose, (struct cairn_vec2){i & 1 ? b->front_m : -b->rear_m,
					       i & 2 ? b->half_width_m : -b->half_width_m});
		best = fmin(best, to_box(corner.x_m, corner.y_m, min, max));
		best = fmin(best, to_body(b, pose, i & 1 ? max[0] : min[0], i & 2 ? max[1] : min[1]));
	}
	return best;
}

/* ---- the gate ---- */

__attribute__((format(printf, 3, 4))) static bool refuse(
    struct cairn_msg_skill_result *ret, const char *suggestion, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(ret->reason, sizeof(ret->reason), fmt, args);
	va_end(args);
	snprintf(ret->suggestion, sizeof(ret->suggestion), "%s", suggestion);
	ret->outcome = CAIRN_OUTCOME_REFUSED;
	return false;
}

static bool well_formed(const struct cairn_skill_now *n, const struct cairn_msg_skill_request *q,
    struct cairn_msg_skill_result *ret)
{
	const struct cairn_skill *k = cairn_skill_of(q->verb);
	bool offered = false;
	if (k == NULL || !k->arm)
		REFUSE("", "verb: that is nothing an arm does");
	if (n->offered == NULL || n->offered->items_count == 0)
		REFUSE("do it without an arm, or ask a person", "this robot has no arm");
	for (uint32_t i = 0; i < n->offered->items_count; i++)
		offered = offered || n->offered->items[i].verb == q->verb;
	if (!offered)
		REFUSE("use a skill that the arm offers", "the arm of this robot does not offer %s",
		    cairn_enum_text(&cairn_enum_skill_verb, (int)q->verb));
	if (q->target[0] == '\0' || !isfinite(q->x_m) || !isfinite(q->y_m) || !isfinite(q->z_m))
		REFUSE("name a target that is known", "target: a name and a finite place are expected");
	if (!(q->deadline_s > 0.0 && q->deadline_s <= n->cfg->skill.deadline_max_s))
		REFUSE("", "deadline_s: more than 0 and no more than %g s is expected",
		    n->cfg->skill.deadline_max_s);
	return true;
}

static bool at_rest(const struct cairn_skill_now *n, struct cairn_msg_skill_result *ret)
{
	if (n->forbidden != NULL)
		REFUSE("", "%.120s", n->forbidden);
	if (n->hold != NULL)
		REFUSE("wait until the robot may move again", "%.120s", n->hold);
	if (n->busy)
		REFUSE("wait for its result", "another skill is under way");
	if (n->driving)
		REFUSE("wait for its result", "the robot is driving");
	if (!(n->stood_s >= n->cfg->skill.stand_s))
		REFUSE("try again", "the robot has stood for %.1f s; %.1f s are needed",
		    fmax(n->stood_s, 0.0), n->cfg->skill.stand_s);
	if (!n->pose_ok)
		REFUSE(
		    "wait until the robot knows where it is", "the robot's place is not known well enough");
	return true;
}

static struct cairn_footprint body_of(const struct cairn_config *cfg)
{
	return (struct cairn_footprint){
	    cfg->robot.footprint_front_m, cfg->robot.footprint_rear_m, cfg->robot.footprint_half_width_m};
}

static bool in_reach(const struct cairn_skill_now *n, const struct cairn_msg_skill_request *q,
    struct cairn_msg_skill_result *ret)
{
	const struct cairn_skill *k = cairn_skill_of(q->verb);
	struct cairn_footprint body = body_of(n->cfg);
	double age_s = INFINITY, far_m = INFINITY, reach_m = n->cfg->robot.arm_reach_m + k->reach_more_m;
	for (size_t i = 0; i < CAIRN_SKILL_SIGHTS; i++) {
		const double *min = n->sights->items[i].min, *max = n->sights->items[i].max;
		double t_s = (double)(n->now_ns - n->sights->items[i].t_ns) * 1e-9;
		double above = fmax(0.0, fmax(min[2] - q->z_m, q->z_m - max[2]));
		if (n->sights->items[i].t_ns == 0 || t_s < -0.05 ||
		    hypot(to_box(q->x_m, q->y_m, min, max), above) > AT_TARGET_M ||
		    (k->target == CAIRN_SKILL_TARGET_PERSON && !n->sights->items[i].person))
			continue;
		/* What stands in front of the target is seen at its place, too: the name tells them apart. */
		bool named = strstr(q->target, n->sights->items[i].label) != NULL ||
			     strstr(n->sights->items[i].label, q->target) != NULL ||
			     k->target == CAIRN_SKILL_TARGET_PERSON;
		if (!named)
			continue;
		if (t_s <= n->cfg->skill.seen_max_s)
			far_m = fmin(far_m, cairn_skill_distance_m(&body, n->pose, min, max));
		age_s = fmin(age_s, t_s);
	}
	if (!(age_s <= n->cfg->skill.seen_max_s)) {
		if (isinf(age_s))
			REFUSE(
			    "go where it is seen and look", "no picture has shown '%.40s' there", q->target);
		REFUSE("look once more", "'%.40s' was seen last %.1f s ago; no more than %.1f s are allowed",
		    q->target, age_s, n->cfg->skill.seen_max_s);
	}
	if (!(far_m <= reach_m))
		REFUSE("go nearer", "'%.40s' is %.2f m from the robot; it reaches %.2f m", q->target, far_m,
		    reach_m);
	return true;
}

static bool nobody_near(const struct cairn_skill_now *n, const struct cairn_msg_skill_request *q,
    struct cairn_msg_skill_result *ret)
{
	const struct cairn_skill *k = cairn_skill_of(q->verb);
	struct cairn_footprint body = body_of(n->cfg);
	bool hands_over = k->target == CAIRN_SKILL_TARGET_PERSON;
	double near_m = INFINITY;
	for (size_t i = 0; i < CAIRN_SKILL_SIGHTS; i++) {
		const double *min = n->sights->items[i].min, *max = n->sights->items[i].max;
		double t_s = (double)(n->now_ns - n->sights->items[i].t_ns) * 1e-9;
		bool receiver = hands_over && to_box(q->x_m, q->y_m, min, max) <= RECEIVER_M;
		if (n->sights->items[i].t_ns != 0 && n->sights->items[i].person && !receiver &&
		    t_s <= n->cfg->skill.seen_max_s)
			near_m = fmin(near_m, cairn_skill_distance_m(&body, n->pose, min, max));
	}
	for (uint32_t i = 0; i < n->movers; i++) {
		double x = (double)n->mover_x_m[i], y = (double)n->mover_y_m[i];
		if (!(hands_over && hypot(x - q->x_m, y - q->y_m) <= RECEIVER_M))
			near_m = fmin(near_m, to_body(&body, n->pose, x, y));
	}
	ret->passing = near_m < n->cfg->skill.person_m;
	if (ret->passing)
		REFUSE("wait until nobody is near",
		    "somebody is %.2f m from the robot; %.2f m are kept while an arm moves", near_m,
		    n->cfg->skill.person_m);
	return true;
}

bool cairn_skill_gate(const struct cairn_skill_now *n, const struct cairn_msg_skill_request *q,
    struct cairn_msg_skill_result *ret)
{
	*ret = (struct cairn_msg_skill_result){.id = q->id, .task_id = q->task_id, .verb = q->verb};
	memcpy(ret->target, q->target, sizeof(ret->target));
	ret->target[sizeof(ret->target) - 1] = '\0';
	return well_formed(n, q, ret) && at_rest(n, ret) && in_reach(n, q, ret) && nobody_near(n, q, ret);
}
