/* scene_answer.h - questions to the graph and their answers as JSON: for the service `scene.query`, the command line and agents.
 *
 *   recall TEXT, or {"text": "red mug", "room": "kitchen", "on": "table", "in": "cupboard", "near": [x_m, y_m], "within_m": 2, "seen_since_s": 3600, "stale": true, "limit": 4}
 *   resolve NAME
 *   find WHAT
 *   call NAME [at X Y]     names a room, for good; "-" takes the name back
 *
 * Every key of a question may be missing. seen_since_s counts back from now. See docs/scene.md for the answers. */
#ifndef CAIRN_COMMON_SCENE_SCENE_ANSWER_H
#define CAIRN_COMMON_SCENE_SCENE_ANSWER_H

#include <jansson.h>

#include "common/scene/scene.h"

#define CAIRN_SCENE_ANSWER_MATCHES 8

/* A question that came as text. The query borrows the texts of *ret_json, which the caller gives back with json_decref (NULL:
 * it borrows text itself). False with the reason. */
bool cairn_scene_read_query(const char *text, double now_unix_s, struct cairn_scene_query *ret,
    uint32_t *ret_limit, json_t **ret_json, struct cairn_error *err);

/* {"found", "matches": [{"id", "label", "colour", "state", "x_m", "y_m", "z_m", "score", "seen", "last_unix_s", "stale", "room", "inside",
 * "on", "picture", "blocked", "why", "approach": {"x_m", "y_m", "yaw_rad", "standoff_m"} or null}]}. NULL without memory. */
json_t *cairn_scene_recall_json(
    const struct cairn_scene *scene, const struct cairn_scene_query *query, uint32_t limit);
/* {"found", "id", "kind", "blocked", "why", "approach", "path": [ids of places]}. NULL without memory. */
json_t *cairn_scene_resolve_json(
    const struct cairn_scene *scene, const char *reference, struct cairn_pose2 from);

/* {"found", "id", "label", "distance_m", "bearing_deg" (left positive), "at_m", "age_s", "stale", "picture"}; the same in words into
 * text. NULL without memory. */
json_t *cairn_scene_find_json(const struct cairn_scene *scene, const char *what, struct cairn_pose2 robot,
    double now_unix_s, char *text, size_t text_bytes);

/* A command of the service: robot NULL where it is not known, then no way to stand is worked out. "call" changes the graph, others do
 * not. */
void cairn_scene_command(struct cairn_scene *scene, const struct cairn_msg_command *command,
    const struct cairn_pose2 *robot, double now_unix_s, struct cairn_msg_reply *reply);

#endif
