/* places.c - where to stand: rooms' middles, both sides of doorways, in front of containers and surfaces. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/scene/scene_private.h"
#include "common/scene/words.h"

#define DOOR_SIDE_M 0.55
#define START_REACH_M 0.3

/* Cells where the robot's middle fits whatever way it faces, numbered by what hangs together. */
static uint32_t *areas_of(const struct cairn_scene *s)
{
	const struct cairn_rooms *f = &s->floor;
	size_t all = (size_t)f->width * (size_t)f->height;
	uint32_t *area = calloc(all, sizeof(*area)), next = 0;
	int32_t *queue = malloc(all * sizeof(*queue));
	float half = (float)s->cfg->robot.footprint_half_width_m + 0.5f * (float)f->cell_m;
	for (size_t start = 0; area != NULL && queue != NULL && start < all; start++) {
		if (area[start] != 0 || f->clear_m[start] < half)
			continue;
		int32_t n = 0;
		queue[n++] = (int32_t)start;
		area[start] = ++next;
		for (int32_t i = 0; i < n; i++) {
			int32_t x = queue[i] % f->width, y = queue[i] / f->width;
			const int32_t to[4][2] = {{x + 1, y}, {x - 1, y}, {x, y + 1}, {x, y - 1}};
			for (int k = 0; k < 4; k++) {
				size_t at = (size_t)to[k][1] * (size_t)f->width + (size_t)to[k][0];
				if (to[k][0] < 0 || to[k][1] < 0 || to[k][0] >= f->width ||
				    to[k][1] >= f->height || area[at] != 0 || f->clear_m[at] < half)
					continue;
				area[at] = next;
				queue[n++] = (int32_t)at;
			}
		}
	}
	if (queue == NULL) {
		free(area);
		area = NULL;
	}
	free(queue);
	return area;
}

static uint32_t area_at(const struct cairn_rooms *f, const uint32_t *area, struct cairn_vec2 p)
{
	if (area == NULL)
		return 0;
	int32_t x = (int32_t)floor(p.x_m / f->cell_m) - f->cx0,
		y = (int32_t)floor(p.y_m / f->cell_m) - f->cy0;
	return x >= 0 && y >= 0 && x < f->width && y < f->height
		   ? area[(size_t)y * (size_t)f->width + (size_t)x]
		   : 0;
}

bool cairn_scene_reaches(const struct cairn_scene *s, struct cairn_vec2 from, struct cairn_vec2 to)
{
	uint32_t goal = area_at(&s->floor, s->area, to), start = area_at(&s->floor, s->area, from);
	/* A robot beside a wall stands where it fits only the way that it faces: the floor around it counts. */
	for (double d = s->floor.cell_m; start == 0 && d <= START_REACH_M && s->floor.cell_m > 0.0;
	     d += s->floor.cell_m)
		for (int i = 0; start == 0 && i < 16; i++)
			start = area_at(&s->floor, s->area,
			    (struct cairn_vec2){
				from.x_m + d * cos(i * M_PI / 8.0), from.y_m + d * sin(i * M_PI / 8.0)});
	return goal != 0 && goal == start;
}

static struct cairn_scene_place *new_place(struct cairn_scene *s, struct cairn_pose2 at)
{
	if (s->place_count >= CAIRN_SCENE_PLACES)
		return NULL;
	struct cairn_scene_place *p = &s->places[s->place_count];
	int32_t room = cairn_rooms_near(&s->floor, at.x_m, at.y_m, 0.3);
	*p = (struct cairn_scene_place){.at = at,
	    .room = room >= 0 ? s->floor.items[room].number : 0,
	    .area = area_at(&s->floor, s->area, (struct cairn_vec2){at.x_m, at.y_m})};
	if (p->area == 0)
		return NULL; /* the robot does not fit there */
	s->place_count++;
	return p;
}

static void door_sides(struct cairn_scene *s, const struct cairn_msg_features *m)
{
	for (uint32_t i = 0; i < m->doorways_count; i++)
		for (uint32_t side = 1; side <= 2; side++) {
			const struct cairn_msg_doorway *d = &m->doorways[i];
			double way = side == 1 ? DOOR_SIDE_M : -DOOR_SIDE_M;
			/* Facing the doorway. */
			struct cairn_pose2 at = {d->x_m + way * cos(d->yaw_rad),
			    d->y_m + way * sin(d->yaw_rad),
			    cairn_wrap_rad(side == 1 ? d->yaw_rad + M_PI : d->yaw_rad)};
			struct cairn_scene_place *p = new_place(s, at);
			if (p == NULL)
				continue;
			p->door = d->id;
			p->side = side;
			snprintf(p->id, sizeof(p->id), "doorway_%u_%s", d->id, side == 1 ? "front" : "back");
		}
}

static void fronts(struct cairn_scene *s, struct cairn_pose2 robot)
{
	for (uint32_t i = 0; i < s->object_count; i++) {
		const struct cairn_scene_object *o = &s->objects[i];
		const struct cairn_scene_word *w =
		    o->number != 0 ? cairn_scene_word(o->votes[0].label) : NULL;
		if (w == NULL || !(w->container || w->surface) || !o->confirmed || o->stale)
			continue;
		struct cairn_scene_view v = cairn_scene_approach(s, o, robot);
		struct cairn_scene_place *p = v.blocked ? NULL : new_place(s, v.at);
		if (p == NULL)
			continue;
		p->object = o->number;
		snprintf(p->id, sizeof(p->id), "at_%.40s", o->id);
	}
}

void cairn_scene_find_places(
    struct cairn_scene *s, struct cairn_pose2 robot, const struct cairn_msg_features *doorways)
{
	free(s->area);
	s->area = areas_of(s);
	s->place_count = 0;
	if (s->area == NULL)
		return;
	for (uint32_t i = 0; i < s->room_count; i++) {
		struct cairn_scene_room *r = &s->rooms[i];
		struct cairn_scene_place *p = new_place(s, (struct cairn_pose2){r->at.x_m, r->at.y_m, 0.0});
		if (p == NULL)
			continue;
		p->room = r->number;
		snprintf(p->id, sizeof(p->id), "middle_of_%.36s", r->id);
	}
	if (doorways != NULL)
		door_sides(s, doorways);
	fronts(s, robot);
}
