/* room_names.c - what a room is called: by the votes of what stands in it, of the model, and of people. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/scene/scene_private.h"
#include "common/scene/words.h"
#include "common/base/text.h"

#define KINDS_MAX 16
#define NO_NAME "start room" /* says where the run began, not what the room is */
#define WEIGHT_MIN 3         /* a kettle alone makes no kitchen */
#define MODEL_WEIGHT                                                                                         \
	10 /* a report of the model against things: one thing never outweighs it, three telling ones do */
#define TAKE_BACK "-"

struct tally {
	const char *room;
	int weight;
};

static void vote_by_thing(struct tally *t, const struct cairn_scene_word *w, const char *label,
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

static void tally_things(const struct cairn_scene *s, const struct cairn_scene_room *r, struct tally *t)
{
	char seen[32][CAIRN_SCENE_LABEL_CAP];
	uint32_t seen_count = 0;
	for (uint32_t i = 0; i < s->object_count; i++) {
		const struct cairn_scene_object *o = &s->objects[i];
		const struct cairn_scene_word *w;
		if (o->number != 0 && o->confirmed && !o->stale && o->room == r->number &&
		    (w = cairn_scene_word(o->votes[0].label)) != NULL && w->room != NULL)
			vote_by_thing(t, w, o->votes[0].label, seen, &seen_count);
	}
}

/* What the model has called the room last, of the names that are given now; false: it is not among them. */
static bool newest_report(
    const struct cairn_scene *s, const struct cairn_scene_room *r, char ret[CAIRN_SCENE_LABEL_CAP])
{
	bool reported = false;
	for (uint32_t i = 0; i < s->names.items_count; i++) {
		const struct cairn_msg_place *p = &s->names.items[i];
		int32_t at = cairn_rooms_at(&s->floor, p->x_m, p->y_m);
		char clean[CAIRN_SCENE_LABEL_CAP];
		if (at < 0 || s->floor.items[at].number != r->number || strcasecmp(p->name, NO_NAME) == 0)
			continue;
		cairn_text_clean(clean, sizeof(clean), p->name, strnlen(p->name, sizeof(p->name)));
		if (clean[0] == '\0')
			continue;
		memcpy(ret, clean, sizeof(clean));
		reported = true;
	}
	return reported;
}

/* A report of an earlier run stays until this run gives names and one of them is for the room; one of this run stays as long as
 * it is given. */
static void hear_model(const struct cairn_scene *s, struct cairn_scene_room *r)
{
	char name[CAIRN_SCENE_LABEL_CAP];
	if (newest_report(s, r, name)) {
		memcpy(r->model_word, name, sizeof(name));
		r->model_now = true;
	} else if (r->model_now && s->names.items_count > 0) {
		r->model_word[0] = '\0';
		r->model_now = false;
	}
}

/* A word stays with its room. It goes along where the floor that it was said of is a room of its own now, or has become part of
 * another room. */
static void follow_floor(struct cairn_scene *s, struct cairn_scene_call *c)
{
	int32_t at = cairn_rooms_at(&s->floor, c->at.x_m, c->at.y_m);
	uint32_t there = at >= 0 ? s->floor.items[at].number : 0;
	bool gone = cairn_scene_room_by_number(s, c->room) == NULL;
	if (there == 0 || there == c->room || !(gone || there >= c->next_room))
		return;
	c->room = there;
	c->next_room = s->next_room;
}

static void hear_people(struct cairn_scene *s)
{
	for (uint32_t i = 0; i < s->room_count; i++)
		s->rooms[i].person_word[0] = '\0';
	for (uint32_t i = 0; i < s->call_count; i++) { /* the newest comes last, and holds */
		follow_floor(s, &s->calls[i]);
		for (uint32_t k = 0; k < s->room_count; k++)
			if (s->rooms[k].number == s->calls[i].room)
				memcpy(s->rooms[k].person_word, s->calls[i].name,
				    sizeof(s->rooms[k].person_word));
	}
}

/* A person's word outranks. Else the model's report and the things vote; things that speak for the report add to it. */
static void decide(const struct cairn_scene *s, struct cairn_scene_room *r)
{
	struct tally t[KINDS_MAX] = {{NULL, 0}};
	int best = 0, report = r->model_word[0] != '\0' ? MODEL_WEIGHT : 0;
	tally_things(s, r, t);
	for (int i = 0; i < KINDS_MAX && t[i].room != NULL; i++) {
		if (t[i].weight > t[best].weight)
			best = i;
		if (report > 0 && cairn_scene_has_word(r->model_word, t[i].room))
			report += t[i].weight;
	}
	bool telling = t[best].weight >= WEIGHT_MIN;
	if (r->person_word[0] != '\0') {
		r->named_by = CAIRN_SCENE_WITNESS_PERSON;
		memcpy(r->name, r->person_word, sizeof(r->name));
	} else if (report > 0 && report >= t[best].weight) {
		r->named_by = CAIRN_SCENE_WITNESS_MODEL;
		memcpy(r->name, r->model_word, sizeof(r->name));
	} else {
		r->named_by = telling ? CAIRN_SCENE_WITNESS_THINGS : CAIRN_SCENE_WITNESS_NONE;
		snprintf(r->name, sizeof(r->name), "%s", telling ? t[best].room : "");
	}
}

/* The name, and the number where it has none or shares it. */
static void make_ids(struct cairn_scene *s)
{
	for (uint32_t i = 0; i < s->room_count; i++) {
		struct cairn_scene_room *r = &s->rooms[i];
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

void cairn_scene_name_rooms(struct cairn_scene *s)
{
	hear_people(s);
	for (uint32_t i = 0; i < s->room_count; i++) {
		struct cairn_scene_room *r = &s->rooms[i];
		char before[CAIRN_SCENE_LABEL_CAP];
		memcpy(before, r->name, sizeof(before));
		hear_model(s, r);
		decide(s, r);
		s->version += strcmp(before, r->name) != 0;
	}
	make_ids(s);
}

void cairn_scene_call_rooms(struct cairn_scene *s, const struct cairn_msg_places *names)
{
	s->names = *names;
	cairn_scene_name_rooms(s);
}

static void drop_call(struct cairn_scene *s, uint32_t at)
{
	memmove(&s->calls[at], &s->calls[at + 1], (s->call_count - at - 1) * sizeof(s->calls[0]));
	s->call_count--;
}

bool cairn_scene_call(struct cairn_scene *s, const char *name, struct cairn_vec2 at, struct cairn_error *err)
{
	struct cairn_scene_call c = {.at = at, .next_room = s->next_room};
	char clean[4 * CAIRN_SCENE_LABEL_CAP];
	cairn_text_clean(clean, sizeof(clean), name, strlen(name));
	if (clean[0] == '\0' || strlen(clean) >= sizeof(c.name)) {
		cairn_error_set(err, "the name of a room has 1 to %d bytes", CAIRN_SCENE_LABEL_CAP - 1);
		return false;
	}
	const struct cairn_scene_room *room = cairn_scene_room_at(s, at);
	if (room == NULL) {
		cairn_error_set(
		    err, "no room is known at %.2f %.2f: 'cairn scene' lists those that are", at.x_m, at.y_m);
		return false;
	}
	c.room = room->number;
	memcpy(c.name, clean, strlen(clean) + 1);
	uint32_t before = s->call_count;
	for (uint32_t i = s->call_count; i-- > 0;)
		if (s->calls[i].room == c.room)
			drop_call(s, i);
	if (strcmp(clean, TAKE_BACK) == 0 && before == s->call_count) {
		cairn_error_set(err, "nobody has called the room %s anything", room->id);
		return false;
	}
	if (s->call_count == CAIRN_SCENE_ROOMS)
		drop_call(s, 0);
	if (strcmp(clean, TAKE_BACK) != 0)
		s->calls[s->call_count++] = c;
	s->version++;
	cairn_scene_name_rooms(s);
	return true;
}
