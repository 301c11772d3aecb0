#include "common/scene/pictures.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "common/scene/scene_private.h"

#define MUCH_BETTER 2.0f /* a thing fills this many times more of the picture than of the one kept */

static bool in_last(const struct cairn_scene *s, const struct cairn_scene_object *o)
{
	return o->number != 0 && o->confirmed && o->t_update == s->updates;
}

static bool is_better(const struct cairn_scene_object *o)
{
	return o->picture == 0 || o->got_worth > MUCH_BETTER * o->picture_worth;
}

static void forget(struct cairn_scene *s, uint64_t id)
{
	for (uint32_t i = 0; i < s->object_count; i++)
		if (s->objects[i].picture == id) {
			s->objects[i].picture = 0;
			s->objects[i].picture_worth = 0.0f;
		}
}

static bool is_best(const struct cairn_scene *s, uint64_t id)
{
	for (uint32_t i = 0; i < s->object_count; i++)
		if (s->objects[i].number != 0 && s->objects[i].picture == id)
			return true;
	return false;
}

static void append(struct cairn_scene_pictures *p, uint64_t id, uint64_t bytes)
{
	uint32_t at = p->count++;
	for (; at > 0 && p->items[at - 1].id > id; at--)
		p->items[at] = p->items[at - 1];
	p->items[at].id = id;
	p->items[at].bytes = bytes;
	p->bytes += bytes;
	if (id >= p->next_id)
		p->next_id = id + 1;
}

void cairn_scene_picture_found(struct cairn_scene_pictures *p, uint64_t id, uint64_t bytes)
{
	if (id > 0 && p->count < CAIRN_SCENE_PICTURES)
		append(p, id, bytes);
}

void cairn_scene_pictures_settle(struct cairn_scene *s, const struct cairn_scene_pictures *p)
{
	for (uint32_t i = 0; i < s->object_count; i++) {
		uint64_t id = s->objects[i].picture;
		bool there = id == 0;
		for (uint32_t k = 0; k < p->count && !there; k++)
			there = p->items[k].id == id;
		if (!there)
			forget(s, id);
	}
}

bool cairn_scene_picture_is_news(
    const struct cairn_scene *s, const struct cairn_scene_pictures *p, double known_m2)
{
	if (!(s->cfg->scene.pictures_mb > 0.0))
		return false;
	for (uint32_t i = 0; i < s->object_count; i++)
		if (in_last(s, &s->objects[i]) && is_better(&s->objects[i]))
			return true;
	return known_m2 - p->known_m2 >= s->cfg->scene.picture_new_m2;
}

uint64_t cairn_scene_keep_picture(
    struct cairn_scene *s, struct cairn_scene_pictures *p, uint64_t bytes, double known_m2)
{
	uint64_t id = p->next_id > 0 ? p->next_id : 1;
	if (p->count == CAIRN_SCENE_PICTURES)
		return 0; /* those that make room have not been taken away */
	append(p, id, bytes);
	p->known_m2 = known_m2;
	for (uint32_t i = 0; i < s->object_count; i++) {
		struct cairn_scene_object *o = &s->objects[i];
		if (!in_last(s, o) || !(o->picture == 0 || o->got_worth > o->picture_worth))
			continue;
		o->picture = id;
		o->picture_worth = o->got_worth;
	}
	s->version++;
	return id;
}

uint64_t cairn_scene_drop_picture(struct cairn_scene *s, struct cairn_scene_pictures *p)
{
	if (p->count == 0 ||
	    ((double)p->bytes <= s->cfg->scene.pictures_mb * 1e6 && p->count < CAIRN_SCENE_PICTURES))
		return 0;
	uint32_t at = 0;
	while (at < p->count && is_best(s, p->items[at].id))
		at++;
	if (at == p->count)
		at = 0;
	uint64_t id = p->items[at].id;
	p->bytes -= p->items[at].bytes;
	memmove(&p->items[at], &p->items[at + 1], (p->count - at - 1) * sizeof(p->items[0]));
	p->count--;
	forget(s, id);
	s->version++;
	return id;
}

char *cairn_scene_picture_json(const struct cairn_scene *s, uint64_t id, const struct cairn_msg_detections *m,
    double unix_s, size_t *ret_bytes)
{
	json_t *o = json_object(), *shows = json_array();
	for (uint32_t i = 0; i < s->object_count; i++) {
		const struct cairn_scene_object *n = &s->objects[i];
		if (!in_last(s, n))
			continue;
		json_array_append_new(
		    shows, json_pack("{s:s,s:s,s:[i,i,i,i]}", "id", n->id, "label", n->votes[0].label, "box",
			       (int)n->got_px[0], (int)n->got_px[1], (int)n->got_px[2], (int)n->got_px[3]));
	}
	json_object_set_new(o, "id", json_integer((json_int_t)id));
	json_object_set_new(o, "unix_s", json_real(unix_s));
	json_object_set_new(o, "map_id", json_sprintf("%016" PRIx64, m->map_id));
	json_object_set_new(o, "camera",
	    json_pack("{s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "x_m", m->x_m, "y_m", m->y_m, "z_m", m->z_m,
		"yaw_rad", m->yaw_rad, "pitch_rad", m->pitch_rad, "roll_rad", m->roll_rad, "hfov_rad",
		m->hfov_rad, "vfov_rad", m->vfov_rad));
	json_object_set_new(o, "shows", shows);
	char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(13));
	json_decref(o);
	if (text != NULL)
		*ret_bytes = strlen(text);
	return text;
}
