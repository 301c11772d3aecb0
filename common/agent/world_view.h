/* world_view.h - what the agent knows of the house, from the messages of scene graph and mapper, and the texts that its reading
 * tools answer with. Nothing here moves anything. Labels are data: they are cleaned where they come from (scene). */
#ifndef CAIRN_COMMON_AGENT_WORLD_VIEW_H
#define CAIRN_COMMON_AGENT_WORLD_VIEW_H

#include <math.h>

#include "common/agent/agent_tools.h"
#include "common/agent/coverage.h"
#include "common/base/geom.h"
#include "ipc/messages.h"

#define CAIRN_AGENT_LETTERS 26
#define CAIRN_AGENT_GIVEN_UP                                                                                 \
	(sizeof(((struct cairn_msg_mission *)0)->given_up) / sizeof(struct cairn_msg_given_up))

/* An opening into the unknown as it was told by letter: a frontier of the map, or floor that no picture has shown. */
struct cairn_agent_opening {
	bool unseen;
	uint32_t frontier_id; /* of a frontier */
	double x_m, y_m, distance_m;
	double gain_m2;            /* floor that it may show, about */
	struct cairn_unseen floor; /* where unseen */
};

struct cairn_agent_world {
	struct cairn_msg_scene scene;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_given_up
	    given_up[CAIRN_AGENT_GIVEN_UP]; /* openings that the sequencer has tried in vain */
	uint32_t given_up_count;
	struct cairn_coverage *coverage; /* borrowed; NULL: what the camera has looked at is not known */
	struct cairn_pose2 robot;
	bool has_scene, has_frontiers, has_pose, has_grid;
	bool use_scene, use_map;                                  /* agent.use_scene, agent.use_map */
	struct cairn_agent_opening openings[CAIRN_AGENT_LETTERS]; /* as told last: letter A is the first */
	uint32_t opening_count,
	    closed_count; /* closed: not told, as they cannot be reached or were tried in vain */
};

/* A node by id, or by name: of rooms and places their label, of things the nearest that is called so. NULL: not known. */
const struct cairn_msg_scene_node *cairn_agent_node(const struct cairn_agent_world *w, const char *name);
/* True for the id of a node, or the number of a picture that a node has. */
bool cairn_agent_is_evidence(const struct cairn_agent_world *w, const char *id);
/* Where to stand for a node: at its place, or in the middle of a room. *ret_face: it has a way to face. False with the reason. */
bool cairn_agent_stand(const struct cairn_agent_world *w, const struct cairn_msg_scene_node *node,
    struct cairn_pose2 *ret, bool *ret_face, struct cairn_error *why);
/* The openings that can be reached get letters anew, nearest first. */
void cairn_agent_letter_openings(struct cairn_agent_world *w);
/* The same opening in another list, by its number or by where it is. */
bool cairn_agent_same_opening(const struct cairn_agent_opening *a, const struct cairn_agent_opening *b);
const struct cairn_agent_opening *cairn_agent_opening_by(
    const struct cairn_agent_world *w, const char *letter);

/* ---- texts ---- */

/* As a model is told it: clockwise from the map's x axis, 0 to 360. */
static inline double cairn_agent_heading_deg(double yaw_rad)
{
	return fmod(720.0 - cairn_rad_to_deg(yaw_rad), 360.0);
}

/* Robot, rooms, things (those with one of the labels in full, of the others the ids by room) and openings, for every query. */
void cairn_agent_graph_text(
    struct cairn_text *out, const struct cairn_agent_world *w, const struct cairn_agent_ids *labels);
/* The answer to a call of a reading tool but look_at_pictures. False: what it asks for does not exist; the text says what does. */
bool cairn_agent_read(
    struct cairn_text *out, const struct cairn_agent_world *w, const struct cairn_agent_call *call);
/* A number that differs when map or graph have gained something worth a step. */
uint64_t cairn_agent_gained(const struct cairn_agent_world *w);
/* How many things have one of the labels, and how many rooms have a name. */
uint32_t cairn_agent_labelled(const struct cairn_agent_world *w, const struct cairn_agent_ids *labels);
uint32_t cairn_agent_named_rooms(const struct cairn_agent_world *w);

#endif
