/* room_names.c - what a room is called: by what stands in it, or by somebody who knows. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/scene/scene_private.h"
#include "common/scene/words.h"
#include "common/base/text.h"

#define KINDS_MAX 16
#define NO_NAME "start room" /* says where the run began, not what the room is */
#define WEIGHT_MIN 3         /* a kettle alone makes no kitchen */

struct tally {
	const char *room;
	int weight;
};

static void vote(struct tally *t, const struct cairn_scene_word *w, const char *label,
    char seen[][CAIRN_SCENE_LABEL_CAP], uint32_t *seen_count)
{
	for (uint32_t i = 0; i < *seen_count; i++)
		if (strcmp(seen[i], label) == 0)
			return; /* four chairs are no better witness than one */
	if (*seen_count < 32)
		snprintf(seen[(*seen_count)++], CAIRN_SCENE_LABEL_CAP, "%s", label);
	for (int i = 0; i < KINDS_MAX; i++)
		if (t[i].room == NULL || strcmp(t[i].room, w->room) == 0) {
			t[i].room = w->room;
			t[i].weight += w->weight;
			return;
		}
}

static void name_by_things(struct cairn_scene *s, struct cairn_scene_room *r)
{
	struct tally t[KINDS_MAX] = {{NULL, 0}};
	char seen[32][CAIRN_SCENE_LABEL_CAP];
	uint32_t seen_count = 0;
	int best = 0;
	for (uint32_t i = 0; i < s->object_count; i++) {
		const struct cairn_scene_object *o = &s->objects[i];
		const struct cairn_scene_word *w;
		if (o->number != 0 && o->confirmed && !o->stale && o->room == r->number &&
		    (w = cairn_scene_word(o->votes[0].label)) != NULL && w->room != NULL)
			vote(t, w, o->votes[0].label, seen, &seen_count);
	}
	for (int i = 1; i < KINDS_MAX; i++)
		if (t[i].weight > t[best].weight)
			best = i;
	r->name_votes = (uint32_t)t[best].weight;
	snprintf(r->name, sizeof(r->name), "%s", t[best].weight >= WEIGHT_MIN ? t[best].room : "");
}

/* The name that was given in it last, or false. */
static bool name_by_call(struct cairn_scene *s, struct cairn_scene_room *r)
{
	bool named = false;
	for (uint32_t i = 0; i < s->names.items_count; i++) {
		const struct cairn_msg_place *p = &s->names.items[i];
		int32_t at = cairn_rooms_at(&s->floor, p->x_m, p->y_m);
		char clean[CAIRN_SCENE_LABEL_CAP];
		if (at < 0 || s->floor.items[at].number != r->number || strcasecmp(p->name, NO_NAME) == 0)
			continue;
		cairn_text_clean(clean, sizeof(clean), p->name, strnlen(p->name, sizeof(p->name)));
		if (clean[0] == '\0')
			continue;
		memcpy(r->name, clean, sizeof(r->name));
		named = true;
	}
	return named;
}

void cairn_scene_name_rooms(struct cairn_scene *s)
{
	for (uint32_t i = 0; i < s->room_count; i++) {
		struct cairn_scene_room *r = &s->rooms[i];
		char before[CAIRN_SCENE_LABEL_CAP];
		memcpy(before, r->name, sizeof(before));
		/* Before anybody has called it anything, a name of an earlier run stays. */
		bool kept = r->named && s->names.items_count == 0;
		r->named = kept || name_by_call(s, r);
		if (!r->named)
			name_by_things(s, r);
		s->version += strcmp(before, r->name) != 0;
	}
	for (uint32_t i = 0; i < s->room_count; i++) {
		struct cairn_scene_room *r = &s->rooms[i];
		/* The name, and the number where it has none or shares it. */
		uint32_t same = 0;
		for (uint32_t k = 0; k < s->room_count; k++)
			same += strcasecmp(s->rooms[k].name, r->name) == 0;
		cairn_scene_make_id(r->id, r->name[0] != '\0' ? r->name : "room", r->number);
		if (r->name[0] != '\0' && same == 1) {
			char *cut = strrchr(r->id, '_');
			if (cut != NULL)
				*cut = '\0';
		}
	}
}

void cairn_scene_call_rooms(struct cairn_scene *s, const struct cairn_msg_places *names)
{
	s->names = *names;
	cairn_scene_name_rooms(s);
}
