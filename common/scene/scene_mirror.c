/* scene_mirror.c - a graph taken from its message, for a stage that has only that and reasons over it as its owner does. Things keep
 * their numbers from one message to the next by their id; rooms and places are found anew from the map (cairn_scene_on_grid). */
#include <stdio.h>
#include <string.h>

#include "common/scene/scene_private.h"

static struct cairn_scene_object *slot_of(struct cairn_scene *s, const char *id)
{
	struct cairn_scene_object *empty = NULL;
	for (uint32_t i = 0; i < s->object_count; i++) {
		if (s->objects[i].number != 0 && strcmp(s->objects[i].id, id) == 0)
			return &s->objects[i];
		if (s->objects[i].number == 0 && empty == NULL)
			empty = &s->objects[i];
	}
	if (empty == NULL && s->object_count < (uint32_t)s->cfg->scene.objects_max)
		empty = &s->objects[s->object_count++];
	if (empty != NULL)
		*empty = (struct cairn_scene_object){.number = s->next_number++};
	return empty;
}

/* Numbers of rooms are this graph's own, too: that of the room where the message has the middle of the thing's. */
static uint32_t room_of(
    const struct cairn_scene *s, const struct cairn_msg_scene *m, const struct cairn_msg_scene_node *n)
{
	for (uint32_t i = 0; i < m->nodes_count && n->room[0] != '\0'; i++)
		if (m->nodes[i].kind == CAIRN_SCENE_KIND_ROOM && strcmp(m->nodes[i].id, n->room) == 0) {
			const struct cairn_scene_room *r =
			    cairn_scene_room_at(s, (struct cairn_vec2){m->nodes[i].x_m, m->nodes[i].y_m});
			return r != NULL ? r->number : 0;
		}
	return 0;
}

static void take(struct cairn_scene *s, const struct cairn_msg_scene *m, const struct cairn_msg_scene_node *n)
{
	struct cairn_scene_object *o = slot_of(s, n->id);
	if (o == NULL)
		return;
	o->kind = n->kind;
	o->room = room_of(s, m, n);
	snprintf(o->id, sizeof(o->id), "%s", n->id);
	snprintf(o->votes[0].label, sizeof(o->votes[0].label), "%s", n->label);
	o->votes[0].count = n->seen;
	snprintf(o->colour, sizeof(o->colour), "%s", n->colour);
	snprintf(o->state, sizeof(o->state), "%.23s", n->state);
	for (int k = 0; k < 3; k++) {
		o->box.min[k] = (double)n->box_m[k];
		o->box.max[k] = (double)n->box_m[k + 3];
	}
	o->confidence = n->confidence;
	o->first_unix_s = n->first_unix_s;
	o->last_unix_s = n->last_unix_s;
	o->seen = o->whole = n->seen;
	o->confirmed = true;
	o->stale = n->stale;
	o->open = n->open;
	o->picture = n->picture;
	o->t_update = s->updates;
}

void cairn_scene_mirror(struct cairn_scene *s, const struct cairn_msg_scene *m)
{
	s->updates++;
	s->map_id = m->map_id;
	for (uint32_t i = 0; i < m->nodes_count; i++) {
		const struct cairn_msg_scene_node *n = &m->nodes[i];
		bool thing = n->kind == CAIRN_SCENE_KIND_OBJECT || n->kind == CAIRN_SCENE_KIND_AGENT;
		if (thing && n->box_m_count == 6 && n->id[0] != '\0')
			take(s, m, n);
	}
	for (uint32_t i = 0; i < s->object_count; i++)
		if (s->objects[i].number != 0 && s->objects[i].t_update != s->updates)
			s->objects[i].number = 0; /* joined with another, or forgotten */
	s->version++;
}
