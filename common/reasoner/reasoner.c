#include "common/reasoner/reasoner.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/reasoner/reasoner_private.h"
#include "common/scene/words.h"
#include "common/skill/skill.h"

#define PERSON_HALF_M 0.2
#define PERSON_TALL_M 1.7
#define REQUESTER_M 0.8 /* who stands so near to where the one who asked was is the one */
#define MATCHES 8
#define NAMED                                                                                                \
	0.69 /* of the score by the confidence: what was called so only now and then by mistake is not it */

void cairn_reasoner_init(struct cairn_reasoner *r, const struct cairn_config *cfg)
{
	*r = (struct cairn_reasoner){.cfg = cfg};
}

void cairn_reasoner_requester(struct cairn_reasoner *r, struct cairn_vec2 at)
{
	r->requester = (struct cairn_scene_object){.number = REASONER_REQUESTER,
	    .kind = CAIRN_SCENE_KIND_AGENT,
	    .id = "requester",
	    .box = {{at.x_m - PERSON_HALF_M, at.y_m - PERSON_HALF_M, 0.0},
		{at.x_m + PERSON_HALF_M, at.y_m + PERSON_HALF_M, PERSON_TALL_M}},
	    .confirmed = true};
	snprintf(r->requester.votes[0].label, sizeof(r->requester.votes[0].label), "person");
}

/* ---- trace and answers ---- */

void reasoner_note(
    struct cairn_reasoner *r, double now_s, const char *what, const char *target, const char *fmt, ...)
{
	struct cairn_reasoner_event *e = &r->trace[r->trace_count++ % CAIRN_REASONER_TRACE];
	va_list args;
	*e = (struct cairn_reasoner_event){.t_s = now_s};
	snprintf(e->what, sizeof(e->what), "%.15s", what);
	snprintf(e->target, sizeof(e->target), "%.47s", target);
	va_start(args, fmt);
	vsnprintf(e->outcome, sizeof(e->outcome), fmt, args);
	va_end(args);
}

void reasoner_tell(struct cairn_reasoner *r, bool ok, const char *fmt, ...)
{
	va_list args;
	r->action = (struct cairn_reasoner_action){.act = CAIRN_REASONER_TELL, .ok = ok};
	va_start(args, fmt);
	vsnprintf(r->action.text, sizeof(r->action.text), fmt, args);
	va_end(args);
	r->busy = false;
	r->depth = 0;
	r->search.on = false;
}

void reasoner_ask_person(struct cairn_reasoner *r, double now_s, const char *why)
{
	char list[CAIRN_REASONER_TEXT] = "";
	size_t used = 0;
	for (uint32_t i = 0; i < r->trace_count && i < CAIRN_REASONER_TRACE && used < 400; i++) {
		const struct cairn_reasoner_event *e =
		    &r->trace[(r->trace_count - 1 - i) % CAIRN_REASONER_TRACE];
		if (strcmp(e->what, "candidate") == 0 || strcmp(e->what, "failed") == 0)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%.40s: %.60s",
			    used > 0 ? "; " : "", e->target, e->outcome);
	}
	r->action = (struct cairn_reasoner_action){.act = CAIRN_REASONER_ASK_PERSON};
	snprintf(r->action.text, sizeof(r->action.text), "%.150s. Tried, newest first: %.420s", why,
	    used > 0 ? list : "nothing");
	r->busy = false;
	r->over = true;
	r->depth = 0;
	reasoner_note(r, now_s, "ask", r->call.target, "%.100s", why);
}

/* ---- things ---- */

const struct cairn_scene_object *reasoner_object(
    const struct cairn_reasoner *r, const struct cairn_scene *scene, uint32_t number)
{
	const struct cairn_scene_object *objects;
	uint32_t n = cairn_scene_objects(scene, &objects);
	if (number == REASONER_REQUESTER)
		return r->requester.number != 0 ? &r->requester : NULL;
	for (uint32_t i = 0; number != 0 && i < n; i++)
		if (objects[i].number == number)
			return &objects[i];
	return NULL;
}

static bool listed(const uint32_t *list, uint32_t count, uint32_t number)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == number)
			return true;
	return false;
}

static void list(uint32_t *items, uint32_t *count, uint32_t number)
{
	if (!listed(items, *count, number) && *count < CAIRN_REASONER_TRIED)
		items[(*count)++] = number;
}

bool reasoner_stands_open(const struct cairn_reasoner *r, const struct cairn_scene_object *o)
{
	return listed(r->opened, r->opened_count, o->number) || strcmp(o->state, "open") == 0;
}

uint32_t reasoner_find(const struct cairn_reasoner *r, const struct cairn_scene *scene, const char *what,
    struct cairn_vec2 near_at, uint32_t *ret_inside)
{
	struct cairn_scene_match m[MATCHES];
	struct cairn_scene_query q = {.text = what, .has_near = true, .near_at = near_at};
	*ret_inside = 0;
	if (strcasecmp(what, "requester") == 0 && r->requester.number != 0)
		return REASONER_REQUESTER;
	uint32_t n = what[0] != '\0' ? cairn_scene_recall(scene, &q, m, MATCHES) : 0;
	for (uint32_t i = 0; i < n; i++)
		if (m[i].score >= NAMED * m[i].object->confidence &&
		    !listed(r->tried, r->tried_count, m[i].object->number)) {
			*ret_inside = m[i].inside != NULL ? m[i].inside->number : 0;
			return m[i].object->number;
		}
	return 0;
}

/* ---- steps ---- */

struct cairn_reasoner_step *reasoner_push(
    struct cairn_reasoner *r, enum cairn_skill_verb verb, uint32_t object)
{
	if (r->depth == CAIRN_REASONER_DEPTH)
		return NULL;
	r->stood_count = 0;
	r->steps[r->depth] = (struct cairn_reasoner_step){.verb = verb, .object = object};
	return &r->steps[r->depth++];
}

/* The thing of the call, and in front of it the door that it is behind. */
void reasoner_aim(struct cairn_reasoner *r, const struct cairn_scene *scene, uint32_t object, uint32_t inside)
{
	const struct cairn_scene_object *box = reasoner_object(r, scene, inside);
	enum cairn_skill_verb verb =
	    r->call.tool == CAIRN_REASONER_DO ? r->call.verb : CAIRN_SKILL_VERB_NAVIGATE;
	r->depth = 0;
	(void)reasoner_push(r, verb, object);
	const struct cairn_scene_word *w = box != NULL ? cairn_scene_word(box->votes[0].label) : NULL;
	if (w != NULL && w->occludes && !reasoner_stands_open(r, box))
		(void)reasoner_push(r, CAIRN_SKILL_VERB_OPEN, inside);
}

static void begin(
    struct cairn_reasoner *r, const struct cairn_scene *scene, struct cairn_pose2 robot, double now_s)
{
	uint32_t inside, object = reasoner_find(
			     r, scene, r->call.target, (struct cairn_vec2){robot.x_m, robot.y_m}, &inside);
	const struct cairn_scene_object *o = reasoner_object(r, scene, object),
					*in = reasoner_object(r, scene, inside);
	r->fresh = false;
	if (r->call.tool == CAIRN_REASONER_DONE) {
		reasoner_tell(r, true, "the task is ended by your word");
		r->over = true;
	} else if (r->call.tool == CAIRN_REASONER_HAND_OFF) {
		reasoner_ask_person(
		    r, now_s, r->call.target[0] != '\0' ? r->call.target : "the model asks for help");
	} else if (r->call.tool == CAIRN_REASONER_RECALL && o == NULL) {
		reasoner_tell(r, false, "'%s' is not in memory", r->call.target);
	} else if (r->call.tool == CAIRN_REASONER_RECALL) {
		reasoner_tell(r, true, "from memory: %s at (%.1f, %.1f)%s%s%s", o->id,
		    0.5 * (o->box.min[0] + o->box.max[0]), 0.5 * (o->box.min[1] + o->box.max[1]),
		    in != NULL ? ", in the " : "", in != NULL ? in->id : "",
		    in != NULL && !reasoner_stands_open(r, in) ? ", which has to be opened first" : "");
	} else if (object != 0) {
		reasoner_aim(r, scene, object, inside);
	} else {
		reasoner_search_begin(r, scene, robot, now_s);
	}
}

bool cairn_reasoner_call(struct cairn_reasoner *r, const struct cairn_reasoner_call *call, double now_s)
{
	if (r->busy || r->over)
		return false;
	bool equal = memcmp(call, &r->last_call, sizeof(*call)) == 0;
	r->equal_calls = equal ? r->equal_calls + 1 : 1;
	r->call = r->last_call = *call;
	r->busy = r->fresh = true;
	r->depth = r->tried_count = r->stood_count = 0;
	r->search = (struct cairn_reasoner_search){0};
	r->failure[0] = '\0';
	r->action.act = CAIRN_REASONER_IDLE;
	reasoner_note(r, now_s, "call", call->target, "%s",
	    call->tool == CAIRN_REASONER_DO ? cairn_enum_text(&cairn_enum_skill_verb, (int)call->verb) : "");
	bool known = call->tool <= CAIRN_REASONER_HAND_OFF &&
		     (call->tool != CAIRN_REASONER_DO || cairn_skill_of(call->verb) != NULL);
	if (!known)
		reasoner_tell(r, false,
		    "failed: there is no such call; use recall, do with a verb of the list, search, done or "
		    "hand_off");
	else if (r->equal_calls > r->cfg->reasoner.equal_calls_max)
		reasoner_tell(
		    r, false, "this was asked %d times in a row: do something else", r->equal_calls - 1);
	return true;
}

/* ---- the next action ---- */

static void set_action(struct cairn_reasoner *r, enum cairn_reasoner_act act,
    const struct cairn_reasoner_step *s, const struct cairn_scene_object *o)
{
	r->action = (struct cairn_reasoner_action){.act = act,
	    .pose = s->at,
	    .verb = s->verb,
	    .x_m = 0.5 * (o->box.min[0] + o->box.max[0]),
	    .y_m = 0.5 * (o->box.min[1] + o->box.max[1]),
	    .z_m = 0.5 * (o->box.min[2] + o->box.max[2])};
	snprintf(r->action.target, sizeof(r->action.target), "%.39s", o->votes[0].label);
}

/* The phase's action, or on to the next one where it is not needed. */
static void act(
    struct cairn_reasoner *r, const struct cairn_scene *scene, struct cairn_pose2 robot, double now_s)
{
	struct cairn_reasoner_step *s = &r->steps[r->depth - 1];
	const struct cairn_scene_object *o = reasoner_object(r, scene, s->object);
	if (o == NULL) {
		reasoner_step_failed(r, scene, robot, "it is not in memory any more", now_s);
		return;
	}
	double dx = 0.5 * (o->box.min[0] + o->box.max[0]) - robot.x_m,
	       dy = 0.5 * (o->box.min[1] + o->box.max[1]) - robot.y_m;
	double yaw = cairn_wrap_rad(atan2(dy, dx) - reasoner_faces_rad(r, s->verb, hypot(dx, dy)));
	if (s->phase == REASONER_GO) {
		if (!cairn_reasoner_approach(r, scene, o, s->verb, robot, &s->at)) {
			s->tweaks = r->cfg->reasoner.tweaks_max; /* there is no other place to try */
			s->retries = r->cfg->reasoner.retries_max;
			reasoner_step_failed(
			    r, scene, robot, "no place from which it is in reach is known", now_s);
			return;
		}
		set_action(r, CAIRN_REASONER_GO, s, o);
	} else if (s->phase == REASONER_TURN) {
		if (fabs(cairn_wrap_rad(yaw - robot.yaw_rad)) < 0.2) {
			s->phase = REASONER_LOOK;
			return;
		}
		set_action(r, CAIRN_REASONER_TURN, s, o);
		r->action.pose.yaw_rad = yaw;
	} else if (s->phase == REASONER_LOOK) {
		s->t_arrived_s = now_s;
		set_action(r, CAIRN_REASONER_LOOK, s, o);
	} else {
		set_action(r, CAIRN_REASONER_SKILL, s, o);
	}
}

const struct cairn_reasoner_action *cairn_reasoner_next(
    struct cairn_reasoner *r, const struct cairn_scene *scene, struct cairn_pose2 robot, double now_s)
{
	for (int i = 0; i < 64 && r->busy && r->action.act == CAIRN_REASONER_IDLE; i++) {
		if (r->fresh)
			begin(r, scene, robot, now_s);
		else if (r->depth > 0)
			act(r, scene, robot, now_s);
		else
			reasoner_search_next(r, scene, robot, now_s);
	}
	return &r->action;
}

/* ---- outcomes ---- */

static void took(
    struct cairn_reasoner *r, const struct cairn_scene *scene, const struct cairn_reasoner_step *s)
{
	const struct cairn_scene_object *o = reasoner_object(r, scene, s->object);
	if (s->verb == CAIRN_SKILL_VERB_OPEN)
		list(r->opened, &r->opened_count, s->object);
	for (uint32_t i = 0; s->verb == CAIRN_SKILL_VERB_CLOSE && i < r->opened_count; i++)
		if (r->opened[i] == s->object)
			r->opened[i--] = r->opened[--r->opened_count];
	if (s->verb == CAIRN_SKILL_VERB_GRASP)
		snprintf(r->held, sizeof(r->held), "%.39s", o != NULL ? o->votes[0].label : r->call.target);
	if (s->verb == CAIRN_SKILL_VERB_PLACE || s->verb == CAIRN_SKILL_VERB_HAND_OVER)
		r->held[0] = '\0';
}

/* The container that was opened for this call and stands open still; 0: none. */
static uint32_t to_close(struct cairn_reasoner *r, const struct cairn_scene *scene, uint32_t object)
{
	struct cairn_scene_match m[MATCHES];
	struct cairn_scene_query q = {.text = r->call.target};
	uint32_t n = cairn_scene_recall(scene, &q, m, MATCHES);
	for (uint32_t i = 0; i < n; i++)
		if (m[i].object->number == object && m[i].inside != NULL &&
		    listed(r->opened, r->opened_count, m[i].inside->number))
			return m[i].inside->number;
	return 0;
}

void reasoner_step_done(struct cairn_reasoner *r, const struct cairn_scene *scene, double now_s)
{
	struct cairn_reasoner_step s = r->steps[--r->depth];
	const struct cairn_scene_object *o = reasoner_object(r, scene, s.object);
	took(r, scene, &s);
	if (r->depth > 0)
		return;
	if (r->search.on) /* a place was looked at */
		return;
	if (r->to_close != 0 && s.object == r->to_close) {
		r->to_close = 0;
	} else if (s.verb == CAIRN_SKILL_VERB_GRASP && (r->to_close = to_close(r, scene, s.object)) != 0) {
		reasoner_push(r, CAIRN_SKILL_VERB_CLOSE, r->to_close)->phase = REASONER_DO;
		return;
	}
	r->replans = 0;
	enum cairn_skill_verb verb =
	    r->call.tool == CAIRN_REASONER_DO ? r->call.verb : CAIRN_SKILL_VERB_NAVIGATE;
	reasoner_note(
	    r, now_s, "done", r->call.target, "%s", cairn_enum_text(&cairn_enum_skill_verb, (int)verb));
	reasoner_tell(r, true, "%s %s: done%s%s%s", cairn_enum_text(&cairn_enum_skill_verb, (int)verb),
	    o != NULL ? o->id : r->call.target,
	    r->held[0] != '\0' ? ". The hand holds: " : ". The hand is empty", r->held, "");
}

/* Was what is to be acted on seen since the robot stands here? */
static bool seen_here(
    const struct cairn_reasoner *r, const struct cairn_scene *scene, const struct cairn_reasoner_step *s)
{
	const struct cairn_scene_object *o = reasoner_object(r, scene, s->object), *objects;
	uint32_t n = cairn_scene_objects(scene, &objects);
	if (s->object != REASONER_REQUESTER)
		return o != NULL && o->last_unix_s >= s->t_arrived_s;
	for (uint32_t i = 0; i < n; i++) {
		const struct cairn_scene_object *p = &objects[i];
		if (p->number != 0 && p->kind == CAIRN_SCENE_KIND_AGENT && p->last_unix_s >= s->t_arrived_s &&
		    hypot(p->box.min[0] - o->box.min[0], p->box.min[1] - o->box.min[1]) < REQUESTER_M)
			return true;
	}
	return false;
}

/* What stands in the way passes by itself: it is looked at and asked again for a while, which is no rung of the ladder. */
static bool waits(struct cairn_reasoner *r, struct cairn_reasoner_step *s, const char *reason, double now_s)
{
	if (s->t_waits_s == 0.0) {
		s->t_waits_s = now_s;
		reasoner_note(r, now_s, "wait", r->action.target, "%.100s", reason);
	}
	if (now_s - s->t_waits_s > r->cfg->reasoner.wait_s)
		return false;
	s->phase = REASONER_LOOK;
	return true;
}

void cairn_reasoner_ended(struct cairn_reasoner *r, const struct cairn_scene *scene,
    enum cairn_reasoner_end end, const char *reason, double now_s)
{
	bool ok = end == CAIRN_REASONER_DID;
	enum cairn_reasoner_act done = r->action.act;
	r->action.act = CAIRN_REASONER_IDLE;
	if (!r->busy || r->depth == 0 || done < CAIRN_REASONER_GO || done > CAIRN_REASONER_SKILL)
		return;
	struct cairn_reasoner_step *s = &r->steps[r->depth - 1];
	if (end == CAIRN_REASONER_WAITS && waits(r, s, reason, now_s))
		return;
	static const char *const words[] = {"", "go", "turn", "look"};
	reasoner_note(r, now_s,
	    done == CAIRN_REASONER_SKILL ? cairn_enum_text(&cairn_enum_skill_verb, (int)s->verb)
					 : words[done],
	    r->action.target, "%s: %.90s", ok ? "ok" : "failed", reason);
	if (!ok && done == CAIRN_REASONER_TURN)
		ok = true; /* a robot that cannot turn here looks as it stands */
	s->t_waits_s = done == CAIRN_REASONER_SKILL ? 0.0 : s->t_waits_s;
	if (!ok)
		reasoner_step_failed(r, scene, r->action.pose, reason, now_s);
	else if (done == CAIRN_REASONER_GO)
		s->phase = REASONER_TURN;
	else if (done == CAIRN_REASONER_TURN)
		s->phase = REASONER_LOOK;
	else if (done == CAIRN_REASONER_LOOK && s->verb == CAIRN_SKILL_VERB_NAVIGATE && r->search.on)
		reasoner_step_done(r, scene, now_s); /* what matters is what else was seen there */
	else if (done == CAIRN_REASONER_LOOK && !seen_here(r, scene, s))
		reasoner_step_failed(r, scene, r->action.pose,
		    s->object == REASONER_REQUESTER ? "nobody is where the one who asked was"
						    : "it is not seen from here",
		    now_s);
	else if (done == CAIRN_REASONER_LOOK && s->verb != CAIRN_SKILL_VERB_NAVIGATE)
		s->phase = REASONER_DO;
	else
		reasoner_step_done(r, scene, now_s);
}
