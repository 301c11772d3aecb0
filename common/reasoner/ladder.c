/* ladder.c - what is tried when something fails: once more, from elsewhere, with another one, by a search, by the model, by a person. */
#include <stdio.h>

#include "common/reasoner/reasoner_private.h"

static void fail_call(struct cairn_reasoner *r, const char *why, double now_s)
{
	r->replans++;
	reasoner_note(r, now_s, "rung", r->call.target, "the model is told: %.80s", why);
	if (r->replans > r->cfg->reasoner.replans_max) {
		char text[200];
		snprintf(text, sizeof(text), "'%.40s' has failed %d times: %.100s", r->call.target,
		    r->replans, why);
		reasoner_ask_person(r, now_s, text);
		return;
	}
	reasoner_tell(r, false,
	    "'%s' failed: %s. What can be tried without you has been tried; find another way, or hand the "
	    "task to a person",
	    r->call.target, why);
}

/* The thing itself, or what leads to it, cannot be had: another one of the name, or one that is not known yet. */
static void other_thing(struct cairn_reasoner *r, const struct cairn_scene *scene, struct cairn_pose2 robot,
    const char *why, double now_s)
{
	uint32_t inside, number = r->steps[0].object;
	enum cairn_skill_verb verb = r->steps[0].verb;
	bool once = r->search.count > 0; /* this call has searched already */
	if (r->tried_count < CAIRN_REASONER_TRIED)
		r->tried[r->tried_count++] = number;
	r->depth = 0;
	if (number == REASONER_REQUESTER || verb == CAIRN_SKILL_VERB_CLOSE) {
		fail_call(r, why, now_s);
		return;
	}
	uint32_t other =
	    reasoner_find(r, scene, r->call.target, (struct cairn_vec2){robot.x_m, robot.y_m}, &inside);
	if (other != 0) {
		const struct cairn_scene_object *o = reasoner_object(r, scene, other);
		reasoner_note(r, now_s, "rung", o->id, "another one is taken: %.70s", why);
		reasoner_aim(r, scene, other, inside);
	} else if (!once && (verb == CAIRN_SKILL_VERB_GRASP || verb == CAIRN_SKILL_VERB_NAVIGATE)) {
		reasoner_note(r, now_s, "rung", r->call.target, "it is searched for: %.70s", why);
		reasoner_search_begin(r, scene, robot, now_s);
	} else {
		fail_call(r, why, now_s);
	}
}

void reasoner_step_failed(struct cairn_reasoner *r, const struct cairn_scene *scene, struct cairn_pose2 robot,
    const char *why, double now_s)
{
	struct cairn_reasoner_step *s = &r->steps[r->depth - 1];
	const struct cairn_scene_object *o = reasoner_object(r, scene, s->object);
	const char *name = o != NULL ? o->id : r->call.target;
	snprintf(r->failure, sizeof(r->failure), "%s", why);
	if (s->retries < r->cfg->reasoner.retries_max) {
		s->retries++;
		s->phase = s->phase == REASONER_DO ? REASONER_LOOK : s->phase;
		reasoner_note(r, now_s, "rung", name, "once more: %.80s", why);
		return;
	}
	if (s->tweaks < r->cfg->reasoner.tweaks_max) {
		s->tweaks++;
		s->phase = REASONER_GO;
		if (r->stood_count < CAIRN_REASONER_TRIED)
			r->stood[r->stood_count++] = (struct cairn_vec2){s->at.x_m, s->at.y_m};
		reasoner_note(r, now_s, "rung", name, "from elsewhere: %.80s", why);
		return;
	}
	reasoner_note(r, now_s, "failed", name, "%.100s", why);
	if (r->to_close != 0 && s->object == r->to_close) { /* what was wanted is in the hand all the same */
		reasoner_step_done(r, scene, now_s);
		return;
	}
	if (r->search.on) { /* one place less; the search goes on */
		r->depth = 0;
		return;
	}
	other_thing(r, scene, robot, why, now_s);
}
