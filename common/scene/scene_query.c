#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/scene/scene_private.h"
#include "common/scene/words.h"

#define EXACT 1.0
#define PART 0.7
#define OTHER_NAME 0.5   /* a name that it was given now and then */
#define OTHER_COLOUR 0.5 /* factor: a colour was asked for, and it has another one */
#define INSIDE_SHARE 0.7
#define LABELS_KNOWN 256
#define MEANT_MAX 64 /* tables that "on the table" may mean */
#define NEAR_EDGES 3 /* near edges of one thing */

static bool holds(const struct cairn_scene_object *b, const struct cairn_scene_object *o)
{
	const struct cairn_scene_word *w;
	if (b->box.min[0] > o->box.max[0] || b->box.max[0] < o->box.min[0])
		return false; /* nearly all */
	return b->number != 0 && b != o && b->confirmed && !b->stale && b->kind == CAIRN_SCENE_KIND_OBJECT &&
	       !(cairn_scene_box_gap(&b->box, &o->box) > 0.0) &&
	       cairn_scene_box_width(&b->box) > cairn_scene_box_width(&o->box) &&
	       (w = cairn_scene_word(b->votes[0].label)) != NULL && w->container &&
	       cairn_scene_box_shared(&b->box, &o->box) >= INSIDE_SHARE;
}

const struct cairn_scene_object *cairn_scene_container(
    const struct cairn_scene *s, const struct cairn_scene_object *o)
{
	for (uint32_t i = 0; i < s->object_count; i++)
		if (holds(&s->objects[i], o))
			return &s->objects[i];
	return NULL;
}

/* Of all matches in one pass through the things. */
static void find_containers(const struct cairn_scene *s, struct cairn_scene_match *m, uint32_t count)
{
	for (uint32_t i = 0; i < s->object_count && count > 0; i++)
		for (uint32_t k = 0; k < count; k++)
			if (m[k].inside == NULL && holds(&s->objects[i], m[k].object))
				m[k].inside = &s->objects[i];
}

/* ---- recall ---- */

/* How well labels fit a text. A house has far fewer labels than things: each is compared once a question. */
struct labels {
	const char *text;
	struct {
		const char *label; /* of a thing; NULL: not used yet */
		size_t colour;     /* bytes of the text that name its colour; 0: none */
		double fit;
	} known[LABELS_KNOWN];
};

static double compare(const char *label, const char *text, size_t colour)
{
	const char *rest = colour > 0 ? text + colour + 1 : text;
	if (strcasecmp(label, text) == 0 || (colour > 0 && strcasecmp(label, rest) == 0))
		return EXACT;
	/* "red mug" of a mug of another colour is better than nothing, and worse than a red one. */
	double factor =
	    colour > 0 || strchr(text, ' ') == NULL || cairn_scene_has_word(label, text) ? 1.0 : OTHER_COLOUR;
	if (cairn_scene_has_word(label, rest) || cairn_scene_has_word(rest, label))
		return PART * factor;
	return 0.0;
}

static double fit_of(struct labels *l, const char *label, size_t colour)
{
	uint32_t hash = (uint32_t)colour;
	for (const char *p = label; *p != '\0'; p++)
		hash = hash * 31 + (unsigned char)*p;
	size_t at = hash % LABELS_KNOWN;
	if (l->known[at].label == NULL || l->known[at].colour != colour ||
	    strcmp(l->known[at].label, label) != 0) {
		l->known[at].label = label;
		l->known[at].colour = colour;
		l->known[at].fit = compare(label, l->text, colour);
	}
	return l->known[at].fit;
}

/* 0: no match. */
static double quality(const struct cairn_scene_object *o, struct labels *l)
{
	const char *text = l->text;
	if (text == NULL || text[0] == '\0')
		return EXACT;
	size_t n = strlen(o->colour);
	bool coloured = n > 0 && strncasecmp(text, o->colour, n) == 0 && text[n] == ' ';
	if (strcasecmp(o->id, text) == 0)
		return EXACT;
	double fit = fit_of(l, o->votes[0].label, coloured ? n : 0);
	for (int i = 1; !(fit > 0.0) && i < CAIRN_SCENE_VOTES && o->votes[i].count > 0; i++)
		if (strcasecmp(o->votes[i].label, coloured ? text + n + 1 : text) == 0)
			return OTHER_NAME;
	return fit;
}

static bool better(const struct cairn_scene_match *a, const struct cairn_scene_match *b)
{
	if (a->object->stale != b->object->stale)
		return b->object->stale;
	if (fabs(a->score - b->score) > 1e-6)
		return a->score > b->score;
	if (fabs(a->distance_m - b->distance_m) > 1e-6)
		return a->distance_m < b->distance_m;
	return a->object->last_unix_s > b->object->last_unix_s;
}

static bool in_room(const struct cairn_scene *s, const struct cairn_scene_object *o, const char *room)
{
	const struct cairn_scene_room *r = cairn_scene_room_by_number(s, o->room);
	return r != NULL && (strcasecmp(r->id, room) == 0 || strcasecmp(r->name, room) == 0);
}

/* The things that a question means by "on the table" or "in the cupboard": those that the text fits best. */
struct meant {
	const struct cairn_scene_object *items[MEANT_MAX];
	uint32_t count;
};

static struct meant things_meant(const struct cairn_scene *s, const char *text)
{
	struct meant m = {.count = 0};
	struct labels labels = {.text = text};
	double best = 0.0;
	for (uint32_t i = 0; text != NULL && i < s->object_count; i++) {
		const struct cairn_scene_object *o = &s->objects[i];
		double fit = o->number != 0 && o->confirmed && !o->stale ? quality(o, &labels) : 0.0;
		if (fit > best + 1e-6) {
			best = fit;
			m.count = 0;
		}
		if (fit > 0.0 && fit >= best - 1e-6 && m.count < MEANT_MAX)
			m.items[m.count++] = o;
	}
	return m;
}

static bool is_on(const struct cairn_scene *s, const struct cairn_scene_object *o, const struct meant *m)
{
	double x = cairn_scene_box_middle(&o->box, 0);
	for (uint32_t i = 0; i < m->count; i++)
		if (x >= m->items[i]->box.min[0] && x <= m->items[i]->box.max[0] &&
		    cairn_scene_stands_on(o, m->items[i]))
			return cairn_scene_container(s, o) ==
			       NULL; /* a cup in a cupboard is not on its counter */
	return false;
}

static bool is_in(const struct cairn_scene_object *o, const struct meant *m)
{
	for (uint32_t i = 0; i < m->count; i++)
		if (holds(m->items[i], o))
			return true;
	return false;
}

uint32_t cairn_scene_recall(const struct cairn_scene *s, const struct cairn_scene_query *q,
    struct cairn_scene_match *ret, uint32_t max)
{
	struct meant on = things_meant(s, q->on), in = things_meant(s, q->in);
	struct labels labels = {.text = q->text};
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->object_count; i++) {
		const struct cairn_scene_object *o = &s->objects[i];
		struct cairn_scene_match m = {.object = o};
		if (o->number == 0 || !o->confirmed || (o->stale && !q->with_stale) ||
		    o->last_unix_s < q->since_unix_s)
			continue;
		m.score = quality(o, &labels) * o->confidence;
		if (!(m.score > 0.0) || (q->room != NULL && !in_room(s, o, q->room)) ||
		    (q->in != NULL && !is_in(o, &in)) || (q->on != NULL && !is_on(s, o, &on)))
			continue;
		if (q->has_near) {
			double p[3] = {q->near_at.x_m, q->near_at.y_m, cairn_scene_box_middle(&o->box, 2)};
			m.distance_m = cairn_scene_box_distance(&o->box, p);
			if (q->near_m > 0.0 && m.distance_m > q->near_m)
				continue;
		}
		uint32_t at = n < max ? n++ : max;
		for (; at > 0 && better(&m, &ret[at - 1]); at--)
			if (at < max)
				ret[at] = ret[at - 1];
		if (at < max)
			ret[at] = m;
	}
	find_containers(s, ret, n);
	for (uint32_t i = 0; i < n && q->robot != NULL; i++)
		ret[i].view = cairn_scene_approach(s, ret[i].object, *q->robot);
	return n;
}

/* ---- resolve ---- */

/* Do the two places lead to each other directly? In one room, or through one doorway. */
static bool leads_to(const struct cairn_scene_place *a, const struct cairn_scene_place *b)
{
	if (a == b || a->area == 0 || a->area != b->area)
		return false;
	return (a->room != 0 && a->room == b->room) || (a->door != 0 && a->door == b->door);
}

/* Fewest places from one to another (breadth first). */
static void find_path(
    const struct cairn_scene *s, uint32_t from, uint32_t to, struct cairn_scene_resolved *ret)
{
	int32_t back[CAIRN_SCENE_PLACES];
	uint32_t queue[CAIRN_SCENE_PLACES], n = 0, steps[CAIRN_SCENE_PLACES], count = 0;
	for (uint32_t i = 0; i < s->place_count; i++)
		back[i] = -1;
	back[from] = (int32_t)from;
	queue[n++] = from;
	for (uint32_t i = 0; i < n && back[to] < 0; i++)
		for (uint32_t k = 0; k < s->place_count; k++)
			if (back[k] < 0 && leads_to(&s->places[queue[i]], &s->places[k])) {
				back[k] = (int32_t)queue[i];
				queue[n++] = k;
			}
	if (back[to] < 0)
		return;
	for (uint32_t at = to;; at = (uint32_t)back[at]) {
		steps[count++] = at;
		if (at == from)
			break;
	}
	while (count > 0 && ret->path_count < sizeof(ret->path) / sizeof(ret->path[0]))
		memcpy(ret->path[ret->path_count++], s->places[steps[--count]].id, CAIRN_SCENE_ID_CAP);
}

static void find_way(const struct cairn_scene *s, struct cairn_pose2 from, struct cairn_scene_resolved *ret)
{
	double near = INFINITY, far = INFINITY;
	uint32_t start = 0, goal = 0;
	if (ret->view.blocked || s->place_count == 0)
		return;
	for (uint32_t i = 0; i < s->place_count; i++) {
		struct cairn_pose2 p = s->places[i].at;
		double a = hypot(p.x_m - from.x_m, p.y_m - from.y_m),
		       b = hypot(p.x_m - ret->view.at.x_m, p.y_m - ret->view.at.y_m);
		if (a < near) {
			near = a;
			start = i;
		}
		if (b < far) {
			far = b;
			goal = i;
		}
	}
	find_path(s, start, goal, ret);
}

static struct cairn_scene_view stand_at(
    const struct cairn_scene *s, struct cairn_pose2 at, struct cairn_pose2 from)
{
	struct cairn_scene_view v = {.at = at};
	if (!cairn_scene_reaches(
		s, (struct cairn_vec2){from.x_m, from.y_m}, (struct cairn_vec2){at.x_m, at.y_m})) {
		v.blocked = true;
		v.why = "no known way leads there";
	}
	return v;
}

static bool resolve_room(
    const struct cairn_scene *s, const char *name, struct cairn_pose2 from, struct cairn_scene_resolved *ret)
{
	for (uint32_t i = 0; i < s->room_count; i++) {
		const struct cairn_scene_room *r = &s->rooms[i];
		if (strcasecmp(r->id, name) != 0 && (r->name[0] == '\0' || strcasecmp(r->name, name) != 0))
			continue;
		memcpy(ret->id, r->id, sizeof(ret->id));
		ret->kind = CAIRN_SCENE_KIND_ROOM;
		ret->view = stand_at(s, (struct cairn_pose2){r->at.x_m, r->at.y_m, 0.0}, from);
		return true;
	}
	return false;
}

bool cairn_scene_resolve(const struct cairn_scene *s, const char *reference, struct cairn_pose2 from,
    struct cairn_scene_resolved *ret)
{
	struct cairn_scene_match m;
	struct cairn_scene_query q = {
	    .text = reference, .has_near = true, .near_at = {from.x_m, from.y_m}, .robot = &from};
	*ret = (struct cairn_scene_resolved){.kind = CAIRN_SCENE_KIND_NONE};
	if (reference == NULL || reference[0] == '\0')
		return false;
	bool found = resolve_room(s, reference, from, ret);
	for (uint32_t i = 0; !found && i < s->place_count; i++)
		if (strcasecmp(s->places[i].id, reference) == 0) {
			memcpy(ret->id, s->places[i].id, sizeof(ret->id));
			ret->kind = CAIRN_SCENE_KIND_PLACE;
			ret->view = stand_at(s, s->places[i].at, from);
			found = true;
		}
	if (!found && cairn_scene_recall(s, &q, &m, 1) == 1) {
		memcpy(ret->id, m.object->id, sizeof(ret->id));
		ret->kind = m.object->kind;
		ret->view = m.view;
		found = true;
	}
	if (found)
		find_way(s, from, ret);
	return found;
}

/* ---- edges ---- */

struct edges {
	struct cairn_scene_edge *list;
	uint32_t count, max;
};

static void add(struct edges *e, const char *src, enum cairn_scene_relation relation, const char *dst)
{
	if (e->count >= e->max)
		return;
	struct cairn_scene_edge *n = &e->list[e->count++];
	snprintf(n->src, sizeof(n->src), "%s", src);
	snprintf(n->dst, sizeof(n->dst), "%s", dst);
	n->relation = relation;
}

static void object_edges(const struct cairn_scene *s, const struct cairn_scene_object *o, struct edges *e)
{
	const struct cairn_scene_room *room = cairn_scene_room_by_number(s, o->room);
	const struct cairn_scene_object *in = cairn_scene_container(s, o),
					*on = in == NULL ? cairn_scene_support(s, o) : NULL,
					*near[NEAR_EDGES];
	double far[NEAR_EDGES];
	uint32_t n = 0;
	if (room != NULL)
		add(e, room->id, CAIRN_SCENE_RELATION_CONTAINS, o->id);
	if (in != NULL)
		add(e, in->id, CAIRN_SCENE_RELATION_CONTAINS, o->id);
	if (on != NULL)
		add(e, o->id, CAIRN_SCENE_RELATION_ON, on->id);
	for (uint32_t i = 0; i < s->place_count; i++)
		if (s->places[i].object == o->number)
			add(e, o->id, CAIRN_SCENE_RELATION_AT_PLACE, s->places[i].id);
	for (uint32_t i = 0; i < s->object_count; i++) {
		const struct cairn_scene_object *b = &s->objects[i];
		if (b->number == 0 || b == o || b == in || b == on || !b->confirmed || b->stale ||
		    b->room != o->room)
			continue;
		double d = cairn_scene_box_gap(&o->box, &b->box);
		if (d > s->cfg->scene.near_m)
			continue;
		uint32_t at = n < NEAR_EDGES ? n++ : NEAR_EDGES;
		for (; at > 0 && d < far[at - 1]; at--)
			if (at < NEAR_EDGES) {
				far[at] = far[at - 1];
				near[at] = near[at - 1];
			}
		if (at < NEAR_EDGES) {
			far[at] = d;
			near[at] = b;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		add(e, o->id, CAIRN_SCENE_RELATION_NEAR, near[i]->id);
}

/* To the middle of its room, and through its doorway: the rest follows from these. */
static void place_edges(const struct cairn_scene *s, const struct cairn_scene_place *p, struct edges *e)
{
	const struct cairn_scene_room *room = cairn_scene_room_by_number(s, p->room);
	if (room != NULL)
		add(e, room->id, CAIRN_SCENE_RELATION_CONTAINS, p->id);
	for (uint32_t i = 0; i < s->place_count; i++) {
		const struct cairn_scene_place *b = &s->places[i];
		bool middle = b->object == 0 && b->door == 0;
		if (leads_to(p, b) && (middle || (p->door != 0 && b->door == p->door)))
			add(e, p->id, CAIRN_SCENE_RELATION_TRAVERSABLE_TO, b->id);
	}
}

uint32_t cairn_scene_edges(
    const struct cairn_scene *s, const char *id, struct cairn_scene_edge *ret, uint32_t max)
{
	struct edges e = {ret, 0, max};
	for (uint32_t i = 0; i < s->object_count; i++)
		if (s->objects[i].number != 0 && s->objects[i].confirmed && strcmp(s->objects[i].id, id) == 0)
			object_edges(s, &s->objects[i], &e);
	for (uint32_t i = 0; i < s->place_count; i++)
		if (strcmp(s->places[i].id, id) == 0)
			place_edges(s, &s->places[i], &e);
	return e.count;
}
