#include "common/scene/scene.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/scene/scene_private.h"

#define ROOM_WITHIN_M 1.0
#define ROOM_STEP_M 0.05
#define ROOM_REACH_M 3.0

struct cairn_scene *cairn_scene_new(const struct cairn_config *cfg)
{
	struct cairn_scene *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->cfg = cfg;
	s->next_number = s->next_room = 1;
	s->objects = calloc((size_t)cfg->scene.objects_max, sizeof(*s->objects));
	if (s->objects == NULL)
		cairn_scene_destroy(&s);
	return s;
}

void cairn_scene_destroy(struct cairn_scene **scene_p)
{
	struct cairn_scene *s = *scene_p;
	*scene_p = NULL;
	if (s == NULL)
		return;
	cairn_rooms_free(&s->floor);
	free(s->area);
	free(s->objects);
	free(s);
}

void cairn_scene_make_id(char ret[CAIRN_SCENE_ID_CAP], const char *label, uint32_t number)
{
	char stem[CAIRN_SCENE_ID_CAP - 12];
	size_t n = 0;
	for (const char *p = label; *p != '\0' && n + 1 < sizeof(stem); p++) {
		unsigned char c = (unsigned char)*p;
		if (isalnum(c) != 0 && c < 0x80)
			stem[n++] = (char)tolower(c);
		else if (c != '\'' && n > 0 && stem[n - 1] != '_')
			stem[n++] = '_';
	}
	while (n > 0 && stem[n - 1] == '_')
		n--;
	stem[n] = '\0';
	snprintf(ret, CAIRN_SCENE_ID_CAP, "%s_%u", n > 0 ? stem : "thing", number);
}

/* ---- the map ---- */

void cairn_scene_map(struct cairn_scene *s, uint64_t map_id)
{
	if (map_id == 0 || map_id == s->map_id)
		return;
	bool other = s->map_id != 0;
	s->map_id = map_id;
	if (!other)
		return;
	for (uint32_t i = 0; i < s->object_count; i++) {
		if (s->objects[i].number != 0 && s->objects[i].confirmed)
			s->objects[i].stale = true;
		else
			s->objects[i].number = 0;
		s->objects[i].room = 0;
	}
	cairn_rooms_free(&s->floor);
	free(s->area);
	s->area = NULL;
	s->room_count = s->place_count = s->call_count = 0;
	s->version++;
}

static struct cairn_scene_room *room_by_number(struct cairn_scene *s, uint32_t number)
{
	for (uint32_t i = 0; i < s->room_count; i++)
		if (s->rooms[i].number == number)
			return &s->rooms[i];
	return NULL;
}

const struct cairn_scene_room *cairn_scene_room_by_number(const struct cairn_scene *s, uint32_t number)
{
	for (uint32_t i = 0; i < s->room_count; i++)
		if (s->rooms[i].number == number)
			return &s->rooms[i];
	return NULL;
}

uint32_t cairn_scene_room_of(
    const struct cairn_scene *s, const struct cairn_scene_box *box, struct cairn_vec2 from)
{
	double x = cairn_scene_box_middle(box, 0), y = cairn_scene_box_middle(box, 1);
	double dx = from.x_m - x, dy = from.y_m - y, n = hypot(dx, dy);
	for (double d = 0.0; n > 0.0 && d <= n && d <= ROOM_REACH_M; d += ROOM_STEP_M) {
		int32_t at = cairn_rooms_at(&s->floor, x + dx / n * d, y + dy / n * d);
		if (at >= 0)
			return s->floor.items[at].number;
	}
	return 0;
}

/* What the floor says becomes the list of rooms; names stay with numbers. */
static void take_rooms(struct cairn_scene *s)
{
	struct cairn_scene_room old[CAIRN_SCENE_ROOMS];
	uint32_t count = s->room_count;
	memcpy(old, s->rooms, sizeof(old));
	s->room_count = 0;
	for (uint32_t i = 0; i < s->floor.count; i++) {
		struct cairn_scene_room r = {.number = s->floor.items[i].number};
		for (uint32_t k = 0; k < count; k++)
			if (old[k].number == r.number)
				r = old[k];
		double cell = s->floor.cell_m;
		r.area_m2 = s->floor.items[i].cells * cell * cell;
		r.at = (struct cairn_vec2){
		    (s->floor.items[i].at_cx + 0.5) * cell, (s->floor.items[i].at_cy + 0.5) * cell};
		r.clear_m = cairn_rooms_clear_m(&s->floor, r.at.x_m, r.at.y_m);
		s->rooms[s->room_count++] = r;
	}
}

bool cairn_scene_on_grid(struct cairn_scene *s, const struct cairn_scene_grid *g, struct cairn_pose2 robot,
    const struct cairn_msg_features *doorways)
{
	struct cairn_vec2 doors[CAIRN_ROOMS_DOORS_MAX];
	struct cairn_rooms_grid grid = {.cells = g->cells,
	    .width = (int32_t)g->width,
	    .height = (int32_t)g->height,
	    .cx0 = (int32_t)lround(g->origin_x_m / g->cell_m),
	    .cy0 = (int32_t)lround(g->origin_y_m / g->cell_m),
	    .cell_m = g->cell_m,
	    .doors = doors};
	for (uint32_t i = 0; doorways != NULL && i < doorways->doorways_count && i < CAIRN_ROOMS_DOORS_MAX;
	     i++)
		doors[grid.door_count++] =
		    (struct cairn_vec2){doorways->doorways[i].x_m, doorways->doorways[i].y_m};
	if (!cairn_rooms_find(&s->floor, &grid, &s->next_room))
		return false;
	take_rooms(s);
	for (uint32_t i = 0; i < s->object_count; i++) { /* in a room that is gone, or in none yet */
		struct cairn_scene_object *o = &s->objects[i];
		if (o->number == 0 || o->stale || (o->room != 0 && room_by_number(s, o->room) != NULL))
			continue;
		int32_t at = cairn_rooms_near(&s->floor, cairn_scene_box_middle(&o->box, 0),
		    cairn_scene_box_middle(&o->box, 1), ROOM_WITHIN_M);
		o->room = at >= 0 ? s->floor.items[at].number : 0;
	}
	cairn_scene_name_rooms(s);
	cairn_scene_find_places(s, robot, doorways);
	s->version++;
	return true;
}

/* ---- reading ---- */

uint32_t cairn_scene_objects(const struct cairn_scene *s, const struct cairn_scene_object **ret)
{
	*ret = s->objects;
	return s->object_count;
}

uint32_t cairn_scene_rooms(const struct cairn_scene *s, const struct cairn_scene_room **ret)
{
	*ret = s->rooms;
	return s->room_count;
}

uint32_t cairn_scene_places(const struct cairn_scene *s, const struct cairn_scene_place **ret)
{
	*ret = s->places;
	return s->place_count;
}

const struct cairn_rooms *cairn_scene_floor(const struct cairn_scene *s)
{
	return &s->floor;
}

uint64_t cairn_scene_version(const struct cairn_scene *s)
{
	return s->version;
}

const struct cairn_scene_room *cairn_scene_room_at(const struct cairn_scene *s, struct cairn_vec2 at)
{
	int32_t i = cairn_rooms_near(&s->floor, at.x_m, at.y_m, ROOM_WITHIN_M);
	return i >= 0 ? cairn_scene_room_by_number(s, s->floor.items[i].number) : NULL;
}
