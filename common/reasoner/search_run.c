/* search_run.c - the search under way: place by place, each opened where it hides what is in it, and looked at. */
#include <math.h>
#include <stdio.h>

#include "common/reasoner/reasoner_private.h"

#define LOOKS_IN 2 /* from where it was opened, and from in front */

void reasoner_search_begin(
    struct cairn_reasoner *r, const struct cairn_scene *scene, struct cairn_pose2 robot, double now_s)
{
	r->search = (struct cairn_reasoner_search){.on = true, .t_begin_s = now_s};
	cairn_reasoner_candidates(r, scene, r->call.target, (struct cairn_vec2){robot.x_m, robot.y_m});
	for (uint32_t i = 0; i < r->search.count; i++)
		reasoner_note(r, now_s, "rank", reasoner_object(r, scene, r->search.items[i].object)->id,
		    "%u: %.2f%s", i + 1, r->search.items[i].rank,
		    r->search.items[i].opens ? ", to be opened" : "");
	if (r->search.count == 0)
		reasoner_note(r, now_s, "search", r->call.target, "no place is known where it could be");
}

static void give_up(struct cairn_reasoner *r, double now_s, const char *why)
{
	char text[200];
	r->search.on = false;
	snprintf(text, sizeof(text), "'%.40s' was not found at %u places: %.80s", r->call.target,
	    r->search.next, why);
	reasoner_ask_person(r, now_s, text);
}

/* What the call has failed with and is seen in this search, as behind a door that is open now, counts again. It is failed with once more
 * at most: a call searches once. */
static void forgive_seen(struct cairn_reasoner *r, const struct cairn_scene *scene)
{
	for (uint32_t i = 0; i < r->tried_count; i++) {
		const struct cairn_scene_object *o = reasoner_object(r, scene, r->tried[i]);
		if (o != NULL && o->last_unix_s > r->search.t_begin_s)
			r->tried[i--] = r->tried[--r->tried_count];
	}
}

/* Who opens a door stands aside of it; it may then itself be in the way of sight. */
static void look_in(struct cairn_reasoner *r, uint32_t container, int looks, struct cairn_pose2 robot)
{
	struct cairn_reasoner_step *s = reasoner_push(r, CAIRN_SKILL_VERB_NAVIGATE, container);
	s->phase = looks == 0 ? REASONER_LOOK : REASONER_GO;
	s->retries = r->cfg->reasoner.retries_max;
	s->tweaks = r->cfg->reasoner.tweaks_max;
	r->stood[r->stood_count++] = (struct cairn_vec2){robot.x_m, robot.y_m};
}

void reasoner_search_next(
    struct cairn_reasoner *r, const struct cairn_scene *scene, struct cairn_pose2 robot, double now_s)
{
	struct cairn_reasoner_search *s = &r->search;
	forgive_seen(r, scene);
	uint32_t inside, found = reasoner_find(
			     r, scene, r->call.target, (struct cairn_vec2){robot.x_m, robot.y_m}, &inside);
	const struct cairn_scene_object *last =
	    s->next > 0 ? reasoner_object(r, scene, s->items[s->next - 1].object) : NULL;
	bool open = last != NULL && s->items[s->next - 1].opens && reasoner_stands_open(r, last);
	if (open && found == 0 && s->items[s->next - 1].looks < LOOKS_IN) {
		look_in(r, last->number, s->items[s->next - 1].looks++, robot);
		return;
	}
	if (last != NULL && !s->items[s->next - 1].told)
		reasoner_note(r, now_s, "candidate", last->id, "%s",
		    found != 0              ? "found"
		    : r->failure[0] != '\0' ? r->failure
					    : "not there");
	if (last != NULL)
		s->items[s->next - 1].told = true;
	r->failure[0] = '\0';
	if (found != 0) {
		s->on = false;
		reasoner_aim(r, scene, found, inside);
		return;
	}
	if (open) { /* as it was before */
		struct cairn_reasoner_step *close = reasoner_push(r, CAIRN_SKILL_VERB_CLOSE, last->number);
		close->phase = s->items[s->next - 1].looks > 1 ? REASONER_GO : REASONER_DO;
		close->retries = r->cfg->reasoner.retries_max;
		close->tweaks = r->cfg->reasoner.tweaks_max;
		s->items[s->next - 1].opens = false;
		return;
	}
	if (s->next >= s->count || s->attempts >= (uint32_t)r->cfg->reasoner.attempts_max) {
		give_up(r, now_s,
		    s->next >= s->count ? "no other place is likely" : "no more attempts are allowed");
		return;
	}
	if (now_s - s->t_begin_s > r->cfg->reasoner.search_s) {
		give_up(r, now_s, "the time allowed is over");
		return;
	}
	bool opens = s->items[s->next].opens;
	s->attempts++;
	struct cairn_reasoner_step *step = reasoner_push(
	    r, opens ? CAIRN_SKILL_VERB_OPEN : CAIRN_SKILL_VERB_NAVIGATE, s->items[s->next].object);
	/* One place of many: from one other side at most. */
	step->retries = r->cfg->reasoner.retries_max;
	step->tweaks = r->cfg->reasoner.tweaks_max > 1 ? r->cfg->reasoner.tweaks_max - 1 : step->tweaks;
	s->next++;
}
