/* scene_message.c - the graph as a message, and as a line of a prompt. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/scene/scene_private.h"
#include "common/scene/words.h"
#include "common/base/text.h"

#define OBJECTS_LISTED 160 /* of the nodes; rooms and places get the rest */
#define EDGES_OF_ONE 16

static struct cairn_msg_scene_node *new_node(
    struct cairn_msg_scene *m, uint32_t most, const char *id, enum cairn_scene_kind kind)
{
	if (m->nodes_count >= most)
		return NULL;
	struct cairn_msg_scene_node *n = &m->nodes[m->nodes_count++];
	*n = (struct cairn_msg_scene_node){.kind = kind};
	snprintf(n->id, sizeof(n->id), "%s", id);
	return n;
}

static void put_room_id(const struct cairn_scene *s, uint32_t number, char *ret, size_t bytes)
{
	const struct cairn_scene_room *r = cairn_scene_room_by_number(s, number);
	snprintf(ret, bytes, "%s", r != NULL ? r->id : "");
}

static void put_object(
    const struct cairn_scene *s, const struct cairn_scene_object *o, struct cairn_msg_scene_node *n)
{
	const struct cairn_scene_word *w = cairn_scene_word(o->votes[0].label);
	snprintf(n->label, sizeof(n->label), "%s", o->votes[0].label);
	snprintf(n->colour, sizeof(n->colour), "%s", o->colour);
	snprintf(n->source, sizeof(n->source), "%s", o->source);
	put_room_id(s, o->room, n->room, sizeof(n->room));
	n->x_m = cairn_scene_box_middle(&o->box, 0);
	n->y_m = cairn_scene_box_middle(&o->box, 1);
	n->z_m = cairn_scene_box_middle(&o->box, 2);
	n->box_m_count = 6;
	for (int k = 0; k < 3; k++) {
		n->box_m[k] = (float)o->box.min[k];
		n->box_m[k + 3] = (float)o->box.max[k];
	}
	n->confidence = o->confidence;
	n->container = w != NULL && w->container;
	n->occludes = w != NULL && w->occludes;
	n->open = o->open;
	snprintf(n->state, sizeof(n->state), "%s", o->state);
	n->picture = o->picture;
	n->first_unix_s = o->first_unix_s;
	n->last_unix_s = o->last_unix_s;
	n->seen = o->seen;
	n->stale = o->stale;
}

static int newer(const void *a, const void *b)
{
	const struct cairn_scene_object *const *x = a, *const *y = b;
	if ((*x)->last_unix_s != (*y)->last_unix_s)
		return (*x)->last_unix_s < (*y)->last_unix_s ? 1 : -1;
	return (*x)->number < (*y)->number ? -1 : (*x)->number > (*y)->number;
}

/* The ones seen last; a heap would be faster and is not needed once a second. */
static uint32_t newest(const struct cairn_scene *s, const struct cairn_scene_object **ret)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->object_count; i++) {
		const struct cairn_scene_object *o = &s->objects[i];
		if (o->number == 0 || !o->confirmed)
			continue;
		uint32_t at = n < OBJECTS_LISTED ? n++ : OBJECTS_LISTED;
		if (at == OBJECTS_LISTED && newer(&o, &ret[at - 1]) >= 0)
			continue;
		for (at = at == OBJECTS_LISTED ? at - 1 : at; at > 0 && newer(&o, &ret[at - 1]) < 0; at--)
			ret[at] = ret[at - 1];
		ret[at] = o;
	}
	return n;
}

static bool listed(const struct cairn_msg_scene *m, const char *id)
{
	for (uint32_t i = 0; i < m->nodes_count; i++)
		if (strcmp(m->nodes[i].id, id) == 0)
			return true;
	return false;
}

static void put_edges(const struct cairn_scene *s, struct cairn_msg_scene *m)
{
	const uint32_t most = sizeof(m->edges) / sizeof(m->edges[0]);
	struct cairn_scene_edge e[EDGES_OF_ONE];
	for (uint32_t i = 0; i < m->nodes_count && m->edges_count < most; i++) {
		if (m->nodes[i].kind == CAIRN_SCENE_KIND_ROOM || m->nodes[i].stale)
			continue;
		uint32_t n = cairn_scene_edges(s, m->nodes[i].id, e, EDGES_OF_ONE);
		for (uint32_t k = 0; k < n && m->edges_count < most; k++) {
			if (!listed(m, e[k].src) || !listed(m, e[k].dst))
				continue;
			struct cairn_msg_scene_edge *out = &m->edges[m->edges_count++];
			memcpy(out->src, e[k].src, sizeof(out->src));
			memcpy(out->dst, e[k].dst, sizeof(out->dst));
			out->relation = e[k].relation;
		}
	}
}

static void put_counts(const struct cairn_scene *s, struct cairn_msg_scene *m)
{
	m->version = s->version;
	m->rooms = s->room_count;
	m->places = s->place_count;
	m->map_id = s->map_id;
	m->forgotten = s->forgotten;
	for (uint32_t i = 0; i < s->object_count; i++) {
		const struct cairn_scene_object *o = &s->objects[i];
		m->objects += o->number != 0 && o->confirmed;
		m->stale += o->number != 0 && o->confirmed && o->stale;
		m->tentative += o->number != 0 && !o->confirmed;
	}
}

void cairn_scene_message(const struct cairn_scene *s, struct cairn_pose2 robot, struct cairn_msg_scene *m)
{
	const uint32_t most = sizeof(m->nodes) / sizeof(m->nodes[0]);
	const struct cairn_scene_object *list[OBJECTS_LISTED];
	struct cairn_msg_scene_node *n;
	*m = (struct cairn_msg_scene){0};
	put_counts(s, m);
	for (uint32_t i = 0;
	     i < s->room_count && (n = new_node(m, most, s->rooms[i].id, CAIRN_SCENE_KIND_ROOM)) != NULL;
	     i++) {
		snprintf(n->label, sizeof(n->label), "%s", s->rooms[i].name);
		n->x_m = s->rooms[i].at.x_m;
		n->y_m = s->rooms[i].at.y_m;
		n->area_m2 = s->rooms[i].area_m2;
		n->confidence = s->rooms[i].named_by >= CAIRN_SCENE_WITNESS_MODEL ? 1.0
				: s->rooms[i].name[0] != '\0'                     ? 0.7
										  : 0.0;
	}
	uint32_t count = newest(s, list);
	for (uint32_t i = 0; i < count && (n = new_node(m, most, list[i]->id, list[i]->kind)) != NULL; i++)
		put_object(s, list[i], n);
	for (uint32_t i = 0;
	     i < s->place_count && (n = new_node(m, most, s->places[i].id, CAIRN_SCENE_KIND_PLACE)) != NULL;
	     i++) {
		put_room_id(s, s->places[i].room, n->room, sizeof(n->room));
		n->x_m = s->places[i].at.x_m;
		n->y_m = s->places[i].at.y_m;
		n->yaw_rad = s->places[i].at.yaw_rad;
	}
	put_edges(s, m);
	const struct cairn_scene_room *here =
	    cairn_scene_room_at(s, (struct cairn_vec2){robot.x_m, robot.y_m});
	snprintf(m->here, sizeof(m->here), "%s", here != NULL ? here->id : "");
}

/* ---- the line of a prompt ---- */

#define BYTES_PER_TOKEN 3 /* of such text, on the safe side */

/* The larger, the sooner it is told: what the goal names, what is in the room that the robot is in, then what was seen last
 * (that is the order of the message). */
static int relevance(const struct cairn_msg_scene *m, const struct cairn_msg_scene_node *n, const char *goal)
{
	int r = m->here[0] != '\0' && strcmp(n->room, m->here) == 0;
	if (goal != NULL && n->label[0] != '\0' && cairn_scene_has_word(goal, n->label))
		r += 2;
	return r;
}

/* Text from outside, as it stands between quotes. */
static void quoted(const char *text, char *ret, size_t bytes)
{
	char clean[64];
	cairn_text_clean(clean, sizeof(clean), text, strnlen(text, 64));
	snprintf(ret, bytes, "\"%s\"", clean);
}

static const char *room_label(const struct cairn_msg_scene *m, const char *id)
{
	for (uint32_t i = 0; i < m->nodes_count; i++)
		if (m->nodes[i].kind == CAIRN_SCENE_KIND_ROOM && strcmp(m->nodes[i].id, id) == 0)
			return m->nodes[i].label[0] != '\0' ? m->nodes[i].label : m->nodes[i].id;
	return "";
}

static void put_thing(
    const struct cairn_msg_scene *m, const struct cairn_msg_scene_node *n, char *ret, size_t bytes)
{
	char label[72], name[72], colour[72] = "", room[72] = "";
	quoted(n->label, label, sizeof(label));
	if (n->colour[0] != '\0')
		cairn_text_clean(colour, sizeof(n->colour), n->colour, strnlen(n->colour, sizeof(n->colour)));
	if (n->room[0] != '\0' && strcmp(n->room, m->here) != 0) {
		quoted(room_label(m, n->room), name, sizeof(name));
		snprintf(room, sizeof(room), " in %.60s", name);
	}
	snprintf(ret, bytes, "%s%s%s x %.1f y %.1f%s", colour, colour[0] != '\0' ? " " : "", label, n->x_m,
	    n->y_m, room);
}

/* The most relevant thing that was not told yet; NULL: none. */
static const struct cairn_msg_scene_node *next_thing(
    const struct cairn_msg_scene *m, const char *goal, bool *told)
{
	const struct cairn_msg_scene_node *best = NULL;
	for (uint32_t i = 0; i < m->nodes_count; i++) {
		const struct cairn_msg_scene_node *n = &m->nodes[i];
		bool thing = n->kind == CAIRN_SCENE_KIND_OBJECT || n->kind == CAIRN_SCENE_KIND_AGENT;
		if (thing && !n->stale && !told[i] &&
		    (best == NULL || relevance(m, n, goal) > relevance(m, best, goal)))
			best = n;
	}
	if (best != NULL)
		told[best - m->nodes] = true;
	return best;
}

/* The room that the goal names, unless the robot is in it; NULL: none is known. */
static const struct cairn_msg_scene_node *goal_room(const struct cairn_msg_scene *m, const char *goal)
{
	for (uint32_t i = 0; goal != NULL && i < m->nodes_count; i++) {
		const struct cairn_msg_scene_node *n = &m->nodes[i];
		if (n->kind == CAIRN_SCENE_KIND_ROOM && n->label[0] != '\0' && strcmp(n->id, m->here) != 0 &&
		    cairn_scene_has_word(goal, n->label))
			return n;
	}
	return NULL;
}

/* "Here is "hall". The room "kitchen" is at x 5.7 y -1.6. Seen before, may have moved: " */
static void put_head(const struct cairn_msg_scene *m, const char *goal, char *ret, size_t bytes)
{
	const struct cairn_msg_scene_node *room = goal_room(m, goal);
	char name[72];
	size_t n = 0;
	if (m->here[0] != '\0') {
		quoted(room_label(m, m->here), name, sizeof(name));
		n += (size_t)snprintf(ret, bytes, "Here is %.70s. ", name);
	}
	if (room != NULL) {
		quoted(room->label, name, sizeof(name));
		n += (size_t)snprintf(
		    ret + n, bytes - n, "The room %.70s is at x %.1f y %.1f. ", name, room->x_m, room->y_m);
	}
	snprintf(ret + n, bytes - n, "Seen before, may have moved: ");
}

void cairn_scene_prompt_line(
    const struct cairn_msg_scene *m, const char *goal, uint32_t tokens_max, char *ret, size_t ret_bytes)
{
	bool told[sizeof(m->nodes) / sizeof(m->nodes[0])] = {false};
	size_t most = (size_t)tokens_max * BYTES_PER_TOKEN + 1, len = 0;
	const struct cairn_msg_scene_node *n;
	char head[280], part[240];
	if (ret_bytes == 0)
		return;
	ret[0] = '\0';
	most = most < ret_bytes ? most : ret_bytes;
	put_head(m, goal, head, sizeof(head));
	while ((n = next_thing(m, goal, told)) != NULL) {
		put_thing(m, n, part, sizeof(part));
		const char *lead = len == 0 ? head : "; ";
		if (len + strlen(lead) + strlen(part) + 1 >= most)
			break;
		len += (size_t)snprintf(ret + len, ret_bytes - len, "%s%s", lead, part);
	}
}
