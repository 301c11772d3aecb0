/* driven_path.h - the poses the robot came by, newest last: the way back out of where it drove into.
 *
 * A pose is kept every few centimetres. A robot that comes to a kept pose again, on the way back or after a round, has
 * shortened its way back: what lies between is dropped. Plain data; the frame is that of the map. */
#ifndef CAIRN_COMMON_PLAN_DRIVEN_PATH_H
#define CAIRN_COMMON_PLAN_DRIVEN_PATH_H

#include <stdint.h>

#include "common/plan/path.h"

#define CAIRN_DRIVEN_PATH_MAX 1024 /* about 50 m */
#define CAIRN_DRIVEN_PATH_STEP_M 0.05
#define CAIRN_DRIVEN_PATH_STEP_RAD 0.15

struct cairn_driven_path {
	uint32_t count;
	struct cairn_pose2 at[CAIRN_DRIVEN_PATH_MAX];
};

/* The robot is here. A pose that is not finite is ignored. */
void cairn_driven_path_add(struct cairn_driven_path *driven, struct cairn_pose2 pose);

/* The map was drawn anew: where the robot is now, it was `was` by the map before. */
void cairn_driven_path_move(struct cairn_driven_path *driven, struct cairn_pose2 was, struct cairn_pose2 now);

/* The way from pose back to the kept pose with this index, along all between, with turns in place where the
 * base can make them (in_place); *ret is written from its first pose on. */
void cairn_driven_path_back(const struct cairn_driven_path *driven, struct cairn_pose2 pose, uint32_t to,
    bool in_place, struct cairn_path *ret);

#endif
