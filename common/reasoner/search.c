/* search.c - where a thing may be that nobody has seen. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/reasoner/reasoner.h"
#include "common/scene/words.h"

#define RANK_OCCLUDES 0.9
#define RANK_OPEN 0.6 /* what hides nothing: looked at in passing */
#define SHARE_PRIOR 0.3
#define SHARE_MODEL 0.3
#define LIKELY 4
#define MISNAMED 5 /* times as many pictures have given what is there another name */

/* 1 for what the model names first, less for each behind it. */
static double model_rank(const struct cairn_reasoner_call *c, const struct cairn_scene_object *o)
{
	for (int i = 0; i < LIKELY && c->likely[i][0] != '\0'; i++)
		if (strcasecmp(c->likely[i], o->id) == 0 ||
		    cairn_scene_has_word(o->votes[0].label, c->likely[i]))
			return 1.0 - 0.25 * i;
	return 0.0;
}

static double far_m(const struct cairn_scene_object *o, struct cairn_vec2 from)
{
	return hypot(0.5 * (o->box.min[0] + o->box.max[0]) - from.x_m,
	    0.5 * (o->box.min[1] + o->box.max[1]) - from.y_m);
}

static bool holds_middle(const struct cairn_scene_object *a, const struct cairn_scene_object *b)
{
	for (int k = 0; k < 3; k++) {
		double middle = 0.5 * (b->box.min[k] + b->box.max[k]);
		if (middle < a->box.min[k] || middle > a->box.max[k])
			return false;
	}
	return true;
}

/* Is it there at all? The detector may have called another thing so now and then, which is in the graph by its right name, too. */
static bool misnamed(const struct cairn_scene_object *o, const struct cairn_scene_object *objects, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct cairn_scene_object *b = &objects[i];
		if (b->number != 0 && b != o && b->confirmed && !b->stale &&
		    b->votes[0].count >= MISNAMED * o->votes[0].count && holds_middle(b, o) &&
		    holds_middle(o, b))
			return true;
	}
	return false;
}

void cairn_reasoner_candidates(
    struct cairn_reasoner *r, const struct cairn_scene *scene, const char *what, struct cairn_vec2 from)
{
	const struct cairn_scene_object *objects;
	uint32_t n = cairn_scene_objects(scene, &objects), max = (uint32_t)r->cfg->reasoner.candidates_max;
	struct cairn_reasoner_search *s = &r->search;
	const struct cairn_scene_object *in_order[CAIRN_REASONER_CANDIDATES];
	s->count = s->next = 0;
	max = max < CAIRN_REASONER_CANDIDATES ? max : CAIRN_REASONER_CANDIDATES;
	for (uint32_t i = 0; i < n; i++) {
		const struct cairn_scene_object *o = &objects[i];
		const struct cairn_scene_word *w = cairn_scene_word(o->votes[0].label);
		if (o->number == 0 || !o->confirmed || o->stale || w == NULL ||
		    !(w->container || w->surface) || misnamed(o, objects, n))
			continue;
		double rank = (w->occludes ? RANK_OCCLUDES : RANK_OPEN) +
			      SHARE_PRIOR * cairn_placement_prior(what, o->votes[0].label) +
			      SHARE_MODEL * model_rank(&r->call, o);
		uint32_t at = s->count < max ? s->count++ : max;
		for (; at > 0; at--) {
			double apart = rank - s->items[at - 1].rank,
			       near = far_m(in_order[at - 1], from) - far_m(o, from);
			bool before = fabs(apart) > 1e-9  ? apart > 0.0
				      : fabs(near) > 1e-9 ? near > 0.0
							  : strcmp(o->id, in_order[at - 1]->id) < 0;
			if (!before)
				break;
			if (at < max) {
				s->items[at] = s->items[at - 1];
				in_order[at] = in_order[at - 1];
			}
		}
		if (at < max) {
			s->items[at].object = o->number;
			s->items[at].rank = rank;
			s->items[at].opens = w->occludes;
			s->items[at].looks = 0;
			in_order[at] = o;
		}
	}
}
