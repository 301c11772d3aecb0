/* scene.h - what is in the house: things, rooms, places to stand, and what they are to each other.
 *
 * A graph of nodes (object, place, room, agent) and edges (contains, on, at_place, near, traversable_to) that is kept over
 * restarts (scene_file.h). Things come from detections: each is matched to a known one by label, distance and extent over
 * a whole picture at once (Hungarian method), or becomes a new one. A box that the edge of the picture cuts off is a weaker
 * observation, not none: it places the thing by the part that shows, and later ones extend it. A thing is believed after
 * scene.confirm_seen pictures; one that is not where it should be becomes stale, never deleted; one that turns up
 * elsewhere keeps its id. Rooms and places come from the map (rooms.h, places.c).
 *
 * The graph is advice for models and people. The planner, the sequencer and the motor stage do not read it.
 * Map frame, metres. Time is passed in: unix seconds for what is kept. No clock, no allocation after cairn_scene_new, except
 * for rooms. */
#ifndef CAIRN_COMMON_SCENE_SCENE_H
#define CAIRN_COMMON_SCENE_SCENE_H

#include "common/base/geom.h"
#include "common/config/config.h"
#include "ipc/messages.h"

#define CAIRN_SCENE_LABEL_CAP 40
#define CAIRN_SCENE_ID_CAP 48
#define CAIRN_SCENE_VOTES 4
#define CAIRN_SCENE_BESIDE 12
#define CAIRN_SCENE_ROOMS 64
#define CAIRN_SCENE_PLACES 512

/* A box along the axes of the map frame. */
struct cairn_scene_box {
	double min[3], max[3];
};

struct cairn_scene_vote {
	char label[CAIRN_SCENE_LABEL_CAP];
	uint32_t count;
};

/* Another thing of the same label that one picture has shown with it, so that the two are not one. */
struct cairn_scene_beside {
	uint32_t number;
	float gap_m; /* between the two when a picture last showed both; INFINITY: not in this run yet */
};

/* A thing or a person. */
struct cairn_scene_object {
	/* What every search looks at comes first, side by side: 5,000 things do not fit into a cache. */
	uint32_t number; /* never given again; 0 = a free slot */
	enum cairn_scene_kind kind;
	bool confirmed, stale, open;
	uint32_t room;              /* number; 0 = not known */
	struct cairn_scene_box box; /* of all that has been seen of it */
	double confidence;          /* highest */
	double first_unix_s, last_unix_s;
	struct cairn_scene_vote votes[CAIRN_SCENE_VOTES]; /* votes[0] leads */
	char id[CAIRN_SCENE_ID_CAP];                      /* of the label that led when it was confirmed */
	char colour[16];
	char source[24]; /* who has seen it last; "" = the robot's own detector */
	uint32_t colour_votes;
	uint32_t seen, whole; /* pictures it was seen in; of these not cut off */
	uint32_t missed;      /* pictures in a row that should have shown it and did not */
	uint32_t track;       /* the detector's number of it in that picture; 0 = none */
	uint32_t moves;       /* times that it was found elsewhere */
	struct cairn_scene_beside beside[CAIRN_SCENE_BESIDE]; /* the nearest of them */
	uint32_t beside_count;
	char state[24];             /* open, closed, on, ..., as it was told last; may be empty */
	uint64_t picture;           /* kept picture that shows it best; 0 = none (pictures.h) */
	float picture_worth;        /* of that one: pixels, by confidence */
	float got_px[4], got_worth; /* in the picture that has shown it last */
	uint64_t t_update;          /* number of the update that has seen it last */
	struct cairn_scene_box got; /* what was seen of it then */
};

/* Whose vote a room's name is. */
enum cairn_scene_witness {
	CAIRN_SCENE_WITNESS_NONE,
	CAIRN_SCENE_WITNESS_THINGS, /* what stands in it */
	CAIRN_SCENE_WITNESS_MODEL,
	CAIRN_SCENE_WITNESS_PERSON
};

struct cairn_scene_room {
	uint32_t number; /* never given again */
	char id[CAIRN_SCENE_ID_CAP];
	char name[CAIRN_SCENE_LABEL_CAP]; /* "" = not known */
	enum cairn_scene_witness named_by;
	char model_word[CAIRN_SCENE_LABEL_CAP], person_word[CAIRN_SCENE_LABEL_CAP]; /* newest; "" = none */
	bool model_now;       /* model_word is of this run */
	struct cairn_vec2 at; /* the point of its floor farthest from obstacles */
	double clear_m;       /* its distance from them */
	double area_m2;
};

/* Somewhere to stand. */
struct cairn_scene_place {
	char id[CAIRN_SCENE_ID_CAP];
	struct cairn_pose2 at;
	uint32_t room;   /* number; 0 = not known */
	uint32_t object; /* number of the thing one stands at; 0 = a room's middle or a side of a doorway */
	uint32_t door, side; /* doorway and which side of it, 1 in front and 2 behind; 0 = none */
	uint32_t
	    area; /* places with the same number are connected by free floor that the robot fits on; 0 = none */
};

struct cairn_scene_edge {
	char src[CAIRN_SCENE_ID_CAP], dst[CAIRN_SCENE_ID_CAP];
	enum cairn_scene_relation relation;
};

struct cairn_rooms; /* rooms.h */
struct cairn_scene;

/* cfg is borrowed. NULL without memory. */
struct cairn_scene *cairn_scene_new(const struct cairn_config *cfg);
void cairn_scene_destroy(struct cairn_scene **scene_p);

/* One picture's detections. */
void cairn_scene_see(struct cairn_scene *scene, const struct cairn_msg_detections *seen, double unix_s);
/* What somebody has pointed to who knows what things are (a model, a person): believed at once. */
void cairn_scene_told(struct cairn_scene *scene, const struct cairn_msg_detections *seen, double unix_s);
/* Another map than that of the things: all of them are stale, at unknown places, until they are seen again. */
void cairn_scene_map(struct cairn_scene *scene, uint64_t map_id);
/* What the model calls the rooms, each at a place in it, oldest first: one vote a room, the newest. All that is known: a room
 * that is not among them has no vote of the model, except one of an earlier run. Things that stand in the room vote, too. */
void cairn_scene_call_rooms(struct cairn_scene *scene, const struct cairn_msg_places *names);
/* What a person calls the room at that point, or the nearest within 1 m; "-" takes it back. It outranks all other votes, replaces
 * what a person has called the room before, and is kept over restarts. False with the reason: no room is there, or the name is
 * empty or too long. */
bool cairn_scene_call(
    struct cairn_scene *scene, const char *name, struct cairn_vec2 at, struct cairn_error *err);

/* The map as in a map.grid frame: width * height bytes, 0 free to 100 occupied, 255 unknown; row 0 has the smallest y. Rooms and
 * places are found anew, rooms keep their numbers (rooms.h). robot: any place that it can reach. doorways may be NULL. False
 * without memory: all is as before. */
struct cairn_scene_grid {
	const uint8_t *cells;
	uint32_t width, height;
	double origin_x_m, origin_y_m, cell_m; /* origin: corner of the first cell, a multiple of cell_m */
};
bool cairn_scene_on_grid(struct cairn_scene *scene, const struct cairn_scene_grid *grid,
    struct cairn_pose2 robot, const struct cairn_msg_features *doorways);

/* ---- reading ---- */

uint32_t cairn_scene_objects(const struct cairn_scene *scene, const struct cairn_scene_object **ret);
uint32_t cairn_scene_rooms(const struct cairn_scene *scene, const struct cairn_scene_room **ret);
uint32_t cairn_scene_places(const struct cairn_scene *scene, const struct cairn_scene_place **ret);
const struct cairn_scene_room *cairn_scene_room_by_number(const struct cairn_scene *scene, uint32_t number);
/* The room that holds the point, or the nearest one within 1 m of it; NULL where there is none. */
const struct cairn_scene_room *cairn_scene_room_at(const struct cairn_scene *scene, struct cairn_vec2 at);
const struct cairn_rooms *cairn_scene_floor(const struct cairn_scene *scene);
uint64_t cairn_scene_version(const struct cairn_scene *scene);
/* Edges of one node, by its id, as many as fit. */
uint32_t cairn_scene_edges(
    const struct cairn_scene *scene, const char *id, struct cairn_scene_edge *ret, uint32_t max);

/* The message: rooms, the things seen last, places, and the edges between them. update_ms is the caller's to fill in. */
void cairn_scene_message(
    const struct cairn_scene *scene, struct cairn_pose2 robot, struct cairn_msg_scene *ret);

/* The things of a message in place of those that are known, with the same ids; numbers are this graph's own (scene_mirror.c). For a
 * stage that has only the message; it gives the map by cairn_scene_on_grid. */
void cairn_scene_mirror(struct cairn_scene *scene, const struct cairn_msg_scene *message);

/* ---- asking (scene_query.c) ---- */

struct cairn_scene_query {
	const char *text; /* label, colour and label, or id; "" = everything */
	const char *room; /* id or name; NULL = everywhere */
	const char *on,
	    *in; /* what it stands on, the container that it is in: as text, up to 64 things that it fits best; NULL = whatever */
	bool has_near; /* nearest to near_at first, and within near_m where that is positive */
	struct cairn_vec2 near_at;
	double near_m;
	double since_unix_s; /* seen since then; 0 = ever */
	bool with_stale;
	const struct cairn_pose2 *robot; /* with the map: an approach is worked out. NULL = none */
};

/* Where to stand to see a thing. */
struct cairn_scene_view {
	bool blocked; /* there is no such place that can be reached: why says it */
	struct cairn_pose2 at;
	double standoff_m; /* from the robot's front to the thing */
	const char *why;
};

struct cairn_scene_match {
	const struct cairn_scene_object *object;
	double score, distance_m;                /* distance from near_at; 0 without one */
	const struct cairn_scene_object *inside; /* container it is in, or NULL */
	struct cairn_scene_view view;            /* where the query had a robot */
};

/* Things that match, best first: 1.0 for the label itself, 0.7 for a part of it either way, times the confidence; among equals
 * the nearer, then the one seen later. 0: not in memory. */
uint32_t cairn_scene_recall(const struct cairn_scene *scene, const struct cairn_scene_query *query,
    struct cairn_scene_match *ret, uint32_t max);

/* Where to go for a name: a room, a place, a thing or a person, by id or name. The way: ids of places from the one nearest to
 * `from` to the goal, over traversable_to. */
struct cairn_scene_resolved {
	char id[CAIRN_SCENE_ID_CAP];
	enum cairn_scene_kind kind;
	struct cairn_scene_view view;
	char path[32][CAIRN_SCENE_ID_CAP];
	uint32_t path_count;
};
/* False: not in memory. */
bool cairn_scene_resolve(const struct cairn_scene *scene, const char *reference, struct cairn_pose2 from,
    struct cairn_scene_resolved *ret);

/* Where the robot fits, stands scene.standoff_m and more from the thing, faces it, and has it in sight over the map and over the
 * edge of what it stands on. from: the robot, who has to get there. */
struct cairn_scene_view cairn_scene_approach(
    const struct cairn_scene *scene, const struct cairn_scene_object *object, struct cairn_pose2 from);

/* The line for a prompt: the room that the robot is in, where the room is that the goal names, and of the things known those
 * first that the goal names, then those of the room that the robot is in, then those seen last; no more than about tokens_max tokens. Labels are data: they are cleaned and stand in quotes.
 * Made from the message, so that whoever has only that can write it. "" where nothing is known. */
void cairn_scene_prompt_line(
    const struct cairn_msg_scene *scene, const char *goal, uint32_t tokens_max, char *ret, size_t ret_bytes);

#endif
