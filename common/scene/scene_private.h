/* scene_private.h - the graph's state, shared by the files of this folder; not for others. */
#ifndef CAIRN_COMMON_SCENE_SCENE_PRIVATE_H
#define CAIRN_COMMON_SCENE_SCENE_PRIVATE_H

#include "common/scene/rooms.h"
#include "common/scene/scene.h"

/* What a person has called the floor at a point. */
struct cairn_scene_call {
	char name[CAIRN_SCENE_LABEL_CAP];
	struct cairn_vec2 at;
	uint32_t room;      /* number of the room */
	uint32_t next_room; /* rooms with this number and greater ones came to be later */
};

struct cairn_scene {
	const struct cairn_config *cfg;
	struct cairn_scene_object *objects; /* objects_max of them; 0 .. object_count - 1 may be in use */
	uint32_t object_count, next_number;
	struct cairn_scene_room rooms[CAIRN_SCENE_ROOMS];
	uint32_t room_count, next_room;
	struct cairn_msg_places names;                    /* given by the model */
	struct cairn_scene_call calls[CAIRN_SCENE_ROOMS]; /* by people, oldest first */
	uint32_t call_count;
	struct cairn_scene_place places[CAIRN_SCENE_PLACES];
	uint32_t place_count;
	struct cairn_rooms floor;
	uint32_t *
	    area; /* of each cell of the floor: which part of it that the robot fits on; 0 none. NULL: not known */
	uint64_t version, updates, map_id, forgotten;
	double now_unix_s; /* of the newest picture */
};

/* ---- boxes (box.c) ---- */

struct cairn_scene_box cairn_scene_box_of(const float box_m[6]);
double cairn_scene_box_middle(const struct cairn_scene_box *box, int axis);
double cairn_scene_box_size(const struct cairn_scene_box *box, int axis);
/* Largest horizontal side. */
double cairn_scene_box_width(const struct cairn_scene_box *box);
/* From a point to the box; 0 inside. */
double cairn_scene_box_distance(const struct cairn_scene_box *box, const double point[3]);
/* Between two boxes; 0 where they touch. */
double cairn_scene_box_gap(const struct cairn_scene_box *a, const struct cairn_scene_box *b);
/* Of the smaller one, how much lies in the other: the product of the shares along each axis, 0..1. */
double cairn_scene_box_shared(const struct cairn_scene_box *a, const struct cairn_scene_box *b);
void cairn_scene_box_join(struct cairn_scene_box *box, const struct cairn_scene_box *with);
/* Moves the sides some way to what was seen: outward where more was seen, inward (slowly, and only for a whole view)
 * where less was. */
void cairn_scene_box_refine(
    struct cairn_scene_box *box, const struct cairn_scene_box *seen, bool whole, bool known_whole);

/* ---- things (ingest.c, upkeep.c) ---- */

bool cairn_scene_is_agent(const char *label);
/* A vote for what it is called; the leader comes first and says whether it is a thing or an agent. */
void cairn_scene_vote(struct cairn_scene_object *o, const char *label, uint32_t count);
/* Makes it believed, with an id, where enough pictures agree. */
void cairn_scene_confirm(struct cairn_scene *s, struct cairn_scene_object *o);
/* After a picture: joins what is one thing, and marks what is not where it should be. */
void cairn_scene_join_doubles(struct cairn_scene *s);
void cairn_scene_miss(struct cairn_scene *s, const struct cairn_msg_detections *seen);
struct cairn_scene_object *cairn_scene_find_moved(
    struct cairn_scene *s, const char *label, const char *colour, const struct cairn_scene_box *box);
bool cairn_scene_knows_beside(const struct cairn_scene_object *a, uint32_t number);
/* Did a picture show both? Each gets the other's number. */
void cairn_scene_set_beside(struct cairn_scene_object *a, struct cairn_scene_object *b);
/* The room of a thing: the first floor with a room on the way from its middle to where it was seen from. */
uint32_t cairn_scene_room_of(
    const struct cairn_scene *s, const struct cairn_scene_box *box, struct cairn_vec2 seen_from);

/* ---- rooms and places (room_names.c, places.c) ---- */

void cairn_scene_name_rooms(struct cairn_scene *s);
void cairn_scene_find_places(
    struct cairn_scene *s, struct cairn_pose2 robot, const struct cairn_msg_features *doorways);
/* Does free floor that the robot fits on lead from one point to the other? */
bool cairn_scene_reaches(const struct cairn_scene *s, struct cairn_vec2 from, struct cairn_vec2 to);
/* What a thing stands on, or NULL. */
const struct cairn_scene_object *cairn_scene_support(
    const struct cairn_scene *s, const struct cairn_scene_object *o);
bool cairn_scene_stands_on(const struct cairn_scene_object *o, const struct cairn_scene_object *support);
/* The container that a thing is in, or NULL. */
const struct cairn_scene_object *cairn_scene_container(
    const struct cairn_scene *s, const struct cairn_scene_object *o);
/* "Living room" and 2 as "living_room_2". */
void cairn_scene_make_id(char ret[CAIRN_SCENE_ID_CAP], const char *label, uint32_t number);

#endif
