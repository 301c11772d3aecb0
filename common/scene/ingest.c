#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "common/scene/assign.h"
#include "common/scene/scene_private.h"
#include "common/scene/words.h"

#define RANGE_SLACK 0.03  /* a position is this much less certain for each metre of distance */
#define AGENT_REACH_M 1.5 /* who walks has gone on since the last picture */
#define MIDDLE_COST 0.1   /* among things that both fit the nearer middle wins */
#define VOTE_SHARE 0.3    /* a label with this share of the votes is one that the thing answers to */
#define SAME_PLACE_M                                                                                         \
	0.06 /* and SAME_SLACK for each metre of distance: seen under another name at this place, it is the same thing */
#define SAME_SLACK 0.02
#define SAME_SIZE 0.4  /* and of this share of its width at least */
#define LARGER_MAX 2.0 /* a whole thing does not grow by more than this factor */
#define LARGER_SLACK_M 0.4
#define TRACK_KEPT_S                                                                                         \
	5.0 /* a detector's number of a thing that was not seen for longer may be another one's by now */
#define CUT_WORTH 0.25f /* of a picture that shows a part of a thing */

bool cairn_scene_is_agent(const char *label)
{
	return cairn_scene_has_word(label, "person") || cairn_scene_has_word(label, "human") ||
	       cairn_scene_has_word(label, "dog") || cairn_scene_has_word(label, "cat");
}

/* ---- votes ---- */

void cairn_scene_vote(struct cairn_scene_object *o, const char *label, uint32_t count)
{
	struct cairn_scene_vote *v = o->votes;
	int at = 0;
	while (at < CAIRN_SCENE_VOTES - 1 && v[at].count > 0 && strcmp(v[at].label, label) != 0)
		at++;
	if (strcmp(v[at].label, label) != 0) { /* a new name: in the place of the one with the fewest votes */
		snprintf(v[at].label, sizeof(v[at].label), "%s", label);
		v[at].count = 0;
	}
	v[at].count += count;
	for (; at > 0 && v[at].count > v[at - 1].count; at--) {
		struct cairn_scene_vote swap = v[at];
		v[at] = v[at - 1];
		v[at - 1] = swap;
	}
	/* By the name that leads: who was called a cupboard at first is a person all the same. */
	o->kind = cairn_scene_is_agent(v[0].label) ? CAIRN_SCENE_KIND_AGENT : CAIRN_SCENE_KIND_OBJECT;
}

static bool answers_to(const struct cairn_scene_object *o, const char *label)
{
	uint32_t all = 0, mine = 0;
	for (int i = 0; i < CAIRN_SCENE_VOTES; i++) {
		all += o->votes[i].count;
		if (strcmp(o->votes[i].label, label) == 0)
			mine = o->votes[i].count;
	}
	return mine > 0 && (mine == o->votes[0].count || (double)mine >= VOTE_SHARE * (double)all);
}

static uint32_t next_of_label(const struct cairn_scene *s, const char *label)
{
	uint32_t most = 0;
	char id[CAIRN_SCENE_ID_CAP], stem[CAIRN_SCENE_ID_CAP];
	cairn_scene_make_id(id, label, 0);
	snprintf(stem, sizeof(stem), "%s", id);
	char *cut = strrchr(stem, '_');
	size_t n = cut != NULL ? (size_t)(cut - stem) + 1 : 0;
	for (uint32_t i = 0; i < s->object_count; i++) {
		unsigned k = 0;
		if (s->objects[i].number != 0 && n > 0 && strncmp(s->objects[i].id, stem, n) == 0 &&
		    sscanf(s->objects[i].id + n, "%u", &k) == 1 && k > most)
			most = k;
	}
	return most + 1;
}

void cairn_scene_confirm(struct cairn_scene *s, struct cairn_scene_object *o)
{
	if (o->confirmed || o->votes[0].count < (uint32_t)s->cfg->scene.confirm_seen)
		return;
	cairn_scene_make_id(o->id, o->votes[0].label, next_of_label(s, o->votes[0].label));
	o->confirmed = true;
}

/* ---- a picture ---- */

struct picture {
	const struct cairn_msg_detections *m;
	double unix_s;
	uint32_t weight; /* votes of one sight */
	struct cairn_scene_box box[CAIRN_ASSIGN_ROWS];
	struct cairn_scene_object *match[CAIRN_ASSIGN_ROWS];
	uint32_t count;
	float cost[CAIRN_ASSIGN_ROWS * CAIRN_ASSIGN_COLUMNS];
	uint32_t column[CAIRN_ASSIGN_COLUMNS]; /* places of objects */
	uint32_t columns;
};

static double reach_of(const struct cairn_scene *s, const struct picture *p, uint32_t i)
{
	const struct cairn_msg_detection *d = &p->m->items[i];
	double far = hypot(d->x_m - p->m->x_m, d->y_m - p->m->y_m);
	double reach = s->cfg->scene.associate_m + RANGE_SLACK * far;
	return cairn_scene_is_agent(d->label) ? fmax(reach, AGENT_REACH_M) : reach;
}

/* Does the detector that has seen the thing last still follow it, under whatever number? */
static bool is_followed(const struct picture *p, const struct cairn_scene_object *o)
{
	return o->track != 0 && p->unix_s - o->last_unix_s <= TRACK_KEPT_S &&
	       strncmp(o->source, p->m->source, sizeof(o->source)) == 0;
}

/* How badly a sight fits a thing of its name; CAIRN_ASSIGN_NEVER: not at all. */
static float misfit(
    const struct cairn_scene *s, const struct picture *p, uint32_t i, const struct cairn_scene_object *o)
{
	const struct cairn_scene_box *seen = &p->box[i];
	double mine[3], its[3], sum = 0.0;
	for (int k = 0; k < 3; k++) {
		mine[k] = cairn_scene_box_middle(seen, k);
		its[k] = cairn_scene_box_middle(&o->box, k);
		sum += (mine[k] - its[k]) * (mine[k] - its[k]);
	}
	/* A part lies in the whole, whichever of the two was seen first. */
	double d = fmin(cairn_scene_box_distance(&o->box, mine), cairn_scene_box_distance(seen, its));
	if (d > reach_of(s, p, i))
		return CAIRN_ASSIGN_NEVER;
	if (o->whole > 2 &&
	    cairn_scene_box_width(seen) > LARGER_MAX * cairn_scene_box_width(&o->box) + LARGER_SLACK_M)
		return CAIRN_ASSIGN_NEVER;
	uint32_t track = p->m->items[i].track;
	bool other = track != 0 && is_followed(p, o) && track != o->track;
	return (float)(d + MIDDLE_COST * sqrt(sum) + (other ? s->cfg->scene.track_hint_m : 0.0));
}

/* The things that any sight may be: near to all that was seen. */
static void gather(const struct cairn_scene *s, struct picture *p)
{
	if (p->count == 0)
		return;
	struct cairn_scene_box all = p->box[0];
	double most = 0.0;
	for (uint32_t i = 0; i < p->count; i++) {
		cairn_scene_box_join(&all, &p->box[i]);
		most = fmax(most, reach_of(s, p, i));
	}
	for (uint32_t k = 0; k < s->object_count && p->columns < CAIRN_ASSIGN_COLUMNS; k++)
		if (s->objects[k].number != 0 && cairn_scene_box_gap(&s->objects[k].box, &all) <= most)
			p->column[p->columns++] = k;
}

static void match_by_name(struct cairn_scene *s, struct picture *p)
{
	int32_t ret[CAIRN_ASSIGN_ROWS];
	if (p->count == 0 || p->columns == 0)
		return;
	for (uint32_t i = 0; i < p->count; i++)
		for (uint32_t c = 0; c < p->columns; c++) {
			const struct cairn_scene_object *o = &s->objects[p->column[c]];
			p->cost[i * p->columns + c] =
			    answers_to(o, p->m->items[i].label) ? misfit(s, p, i, o) : CAIRN_ASSIGN_NEVER;
		}
	cairn_assign(p->cost, p->count, p->columns, ret);
	for (uint32_t i = 0; i < p->count; i++)
		if (ret[i] >= 0) {
			p->match[i] = &s->objects[p->column[ret[i]]];
			p->match[i]->t_update = s->updates;
		}
}

/* How far off a thing may be seen and still not have moved. */
static double same_place_m(const struct picture *p, uint32_t i)
{
	return SAME_PLACE_M +
	       SAME_SLACK * hypot(p->m->items[i].x_m - p->m->x_m, p->m->items[i].y_m - p->m->y_m);
}

/* Seen where a known thing is that this picture does not show under its own name, and about as large: the detector has called
 * it something else this once. */
static struct cairn_scene_object *misnamed(struct cairn_scene *s, const struct picture *p, uint32_t i)
{
	struct cairn_scene_object *best = NULL;
	double low = same_place_m(p, i), mine[3];
	for (int k = 0; k < 3; k++)
		mine[k] = cairn_scene_box_middle(&p->box[i], k);
	for (uint32_t c = 0; c < p->columns; c++) {
		struct cairn_scene_object *o = &s->objects[p->column[c]];
		double width = cairn_scene_box_width(&p->box[i]), its = cairn_scene_box_width(&o->box),
		       d = cairn_scene_box_distance(&o->box, mine);
		bool alike = width >= SAME_SIZE * its || p->m->items[i].cut;
		bool fits = width <= its + 0.2 || !o->confirmed || o->whole == 0;
		if (o->t_update != s->updates && d < low && alike && fits &&
		    !cairn_scene_is_agent(o->votes[0].label)) {
			low = d;
			best = o;
		}
	}
	return best;
}

static struct cairn_scene_object *free_slot(struct cairn_scene *s)
{
	uint32_t most = (uint32_t)s->cfg->scene.objects_max, oldest = 0;
	for (uint32_t i = 0; i < s->object_count; i++)
		if (s->objects[i].number == 0)
			return &s->objects[i];
	if (s->object_count < most)
		return &s->objects[s->object_count++];
	for (uint32_t i = 1; i < s->object_count; i++) {
		const struct cairn_scene_object *a = &s->objects[i], *b = &s->objects[oldest];
		if (a->confirmed != b->confirmed ? !a->confirmed : a->last_unix_s < b->last_unix_s)
			oldest = i;
	}
	s->forgotten++;
	return &s->objects[oldest];
}

/* Has the detector followed it to another place? */
static bool was_followed(
    const struct cairn_scene *s, const struct picture *p, uint32_t i, const struct cairn_scene_object *o)
{
	double middle[3];
	for (int k = 0; k < 3; k++)
		middle[k] = cairn_scene_box_middle(&p->box[i], k);
	return is_followed(p, o) && p->m->items[i].track == o->track && s->cfg->scene.track_hint_m > 0.0 &&
	       cairn_scene_box_distance(&o->box, middle) > same_place_m(p, i);
}

static void see_object(
    struct cairn_scene *s, const struct picture *p, uint32_t i, struct cairn_scene_object *o)
{
	const struct cairn_msg_detection *d = &p->m->items[i];
	bool agent = o->kind == CAIRN_SCENE_KIND_AGENT;
	if (agent || o->stale || was_followed(s, p, i, o))
		o->box = p->box[i];
	else
		cairn_scene_box_refine(&o->box, &p->box[i], !d->cut, o->whole > 0);
	o->got = p->box[i];
	o->track = d->track;
	o->seen++;
	o->whole += !d->cut;
	o->missed = 0;
	o->stale = false;
	o->last_unix_s = p->unix_s;
	cairn_text_clean(
	    o->source, sizeof(o->source), p->m->source, strnlen(p->m->source, sizeof(p->m->source)));
	o->confidence = fmax(o->confidence, (double)d->confidence);
	o->t_update = s->updates;
	memcpy(o->got_px, d->px, sizeof(o->got_px));
	o->got_worth =
	    (d->px[2] - d->px[0]) * (d->px[3] - d->px[1]) * d->confidence * (d->cut ? CUT_WORTH : 1.0f);
	if (d->state[0] != '\0') {
		memcpy(o->state, d->state, sizeof(o->state));
		o->open = strcmp(d->state, "open") == 0;
	}
	if (d->colour[0] != '\0') { /* the one seen most, of the last two */
		bool same = strcmp(o->colour, d->colour) == 0;
		if (!same && o->colour_votes <= 1)
			snprintf(o->colour, sizeof(o->colour), "%s", d->colour);
		o->colour_votes += same ? o->colour_votes < 50 : o->colour_votes > 1 ? -1u : 0u;
		if (o->colour_votes == 0)
			o->colour_votes = 1;
	}
	uint32_t room = cairn_scene_room_of(s, &o->box, (struct cairn_vec2){p->m->x_m, p->m->y_m});
	if (room != 0)
		o->room = room;
	cairn_scene_confirm(s, o);
}

static struct cairn_scene_object *see_new(struct cairn_scene *s, const struct picture *p, uint32_t i)
{
	const struct cairn_msg_detection *d = &p->m->items[i];
	struct cairn_scene_object *o = cairn_scene_find_moved(s, d->label, d->colour, &p->box[i]);
	if (o != NULL) {
		o->box = p->box[i];
		o->moves++;
		cairn_scene_vote(o, d->label, p->weight);
		see_object(s, p, i, o);
		return o;
	}
	o = free_slot(s);
	*o = (struct cairn_scene_object){
	    .number = s->next_number++, .box = p->box[i], .first_unix_s = p->unix_s};
	cairn_scene_vote(o, d->label, p->weight);
	see_object(s, p, i, o);
	return o;
}

static bool usable(const struct cairn_msg_detection *d)
{
	bool ok = d->label[0] != '\0' && d->box_m_count == 6;
	for (uint32_t k = 0; ok && k < 3; k++)
		ok = isfinite(d->box_m[k]) && isfinite(d->box_m[k + 3]) && d->box_m[k] <= d->box_m[k + 3] &&
		     fabsf(d->box_m[k]) < 1e4f && fabsf(d->box_m[k + 3]) < 1e4f;
	return ok && isfinite(d->confidence);
}

/* Things of one name in one picture are not one thing. */
static void set_beside(struct picture *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		for (uint32_t k = i + 1; k < p->count; k++)
			if (p->match[i] != p->match[k] &&
			    strcasecmp(p->match[i]->votes[0].label, p->match[k]->votes[0].label) == 0)
				cairn_scene_set_beside(p->match[i], p->match[k]);
}

/* "open fridge" is a fridge that is open. */
static void split_state(struct cairn_msg_detection *d)
{
	static const char *const words[] = {
	    "open", "closed", "empty", "full", "broken", "lit", "dirty", "clean", "wet", "folded"};
	size_t n = strcspn(d->label, " ");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && d->label[n] == ' '; i++) {
		if (strlen(words[i]) != n || strncasecmp(d->label, words[i], n) != 0)
			continue;
		if (d->state[0] == '\0')
			snprintf(d->state, sizeof(d->state), "%s", words[i]);
		memmove(d->label, d->label + n + 1, strlen(d->label + n + 1) + 1);
		return;
	}
}

static void take(struct cairn_scene *s, const struct cairn_msg_detections *m, double unix_s, uint32_t weight)
{
	struct cairn_msg_detections usable_ones = *m;
	struct picture p = {.m = &usable_ones, .unix_s = unix_s, .weight = weight};
	for (uint32_t i = 0; i < m->items_count && p.count < CAIRN_ASSIGN_ROWS; i++) {
		if (!usable(&m->items[i]))
			continue;
		struct cairn_msg_detection *d = &usable_ones.items[p.count];
		*d = m->items[i];
		cairn_text_clean(d->label, sizeof(d->label), m->items[i].label,
		    strnlen(m->items[i].label, sizeof(d->label)));
		cairn_text_clean(d->colour, sizeof(d->colour), m->items[i].colour,
		    strnlen(m->items[i].colour, sizeof(d->colour)));
		cairn_text_clean(d->state, sizeof(d->state), m->items[i].state,
		    strnlen(m->items[i].state, sizeof(d->state)));
		split_state(d);
		if (d->label[0] == '\0')
			continue;
		p.box[p.count++] = cairn_scene_box_of(m->items[i].box_m);
	}
	usable_ones.items_count = p.count;
	s->updates++;
	s->now_unix_s = unix_s;
	cairn_scene_map(s, m->map_id);
	gather(s, &p);
	match_by_name(s, &p);
	for (uint32_t i = 0; i < p.count; i++) {
		if (p.match[i] != NULL) {
			cairn_scene_vote(p.match[i], usable_ones.items[i].label, weight);
			see_object(s, &p, i, p.match[i]);
		}
	}
	for (uint32_t i = 0; i < p.count; i++) {
		if (p.match[i] != NULL)
			continue;
		p.match[i] = misnamed(s, &p, i);
		if (p.match[i] == NULL) {
			p.match[i] = see_new(s, &p, i);
			continue;
		}
		cairn_scene_vote(p.match[i], usable_ones.items[i].label, weight);
		see_object(s, &p, i, p.match[i]);
	}
	set_beside(&p);
	cairn_scene_join_doubles(s);
	cairn_scene_miss(s, m);
	s->version++;
}

void cairn_scene_see(struct cairn_scene *s, const struct cairn_msg_detections *m, double unix_s)
{
	take(s, m, unix_s, 1);
}

void cairn_scene_told(struct cairn_scene *s, const struct cairn_msg_detections *m, double unix_s)
{
	take(s, m, unix_s, (uint32_t)s->cfg->scene.confirm_seen);
}
