/* reasoner_private.h - what the files of the reasoner share; not for others. */
#ifndef CAIRN_COMMON_REASONER_REASONER_PRIVATE_H
#define CAIRN_COMMON_REASONER_REASONER_PRIVATE_H

#include "common/reasoner/reasoner.h"

#define REASONER_REQUESTER UINT32_MAX /* number of the place where the one who asked was */

enum { REASONER_GO, REASONER_TURN, REASONER_LOOK, REASONER_DO };

__attribute__((format(printf, 5, 6))) void reasoner_note(
    struct cairn_reasoner *r, double now_s, const char *what, const char *target, const char *fmt, ...);
__attribute__((format(printf, 3, 4))) void reasoner_tell(
    struct cairn_reasoner *r, bool ok, const char *fmt, ...);
void reasoner_ask_person(struct cairn_reasoner *r, double now_s, const char *why);
const struct cairn_scene_object *reasoner_object(
    const struct cairn_reasoner *r, const struct cairn_scene *scene, uint32_t number);
bool reasoner_stands_open(const struct cairn_reasoner *r, const struct cairn_scene_object *o);
/* The best match that the call has not failed with; 0: none. *ret_inside: the container it is in, or 0. */
uint32_t reasoner_find(const struct cairn_reasoner *r, const struct cairn_scene *scene, const char *what,
    struct cairn_vec2 near_at, uint32_t *ret_inside);
struct cairn_reasoner_step *reasoner_push(
    struct cairn_reasoner *r, enum cairn_skill_verb verb, uint32_t object);
void reasoner_aim(
    struct cairn_reasoner *r, const struct cairn_scene *scene, uint32_t object, uint32_t inside);
void reasoner_step_done(struct cairn_reasoner *r, const struct cairn_scene *scene, double now_s);

/* approach.c: in which direction from the robot a thing so far away is to lie: ahead for the arm, else where the camera looks. */
double reasoner_faces_rad(const struct cairn_reasoner *r, enum cairn_skill_verb verb, double distance_m);

/* ladder.c: the step on top has failed: the next rung. */
void reasoner_step_failed(struct cairn_reasoner *r, const struct cairn_scene *scene, struct cairn_pose2 robot,
    const char *why, double now_s);
/* search_run.c */
void reasoner_search_begin(
    struct cairn_reasoner *r, const struct cairn_scene *scene, struct cairn_pose2 robot, double now_s);
void reasoner_search_next(
    struct cairn_reasoner *r, const struct cairn_scene *scene, struct cairn_pose2 robot, double now_s);

#endif
