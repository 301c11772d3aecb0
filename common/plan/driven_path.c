#include "common/plan/driven_path.h"

#include <math.h>
#include <string.h>

#define SAME_M 0.08 /* as near to a kept pose as a follower keeps to its path */
#define SAME_RAD 0.2
#define TURN_MIN_RAD 0.1

static double away_m(struct cairn_pose2 a, struct cairn_pose2 b)
{
	return hypot(a.x_m - b.x_m, a.y_m - b.y_m);
}

static double turned_rad(struct cairn_pose2 a, struct cairn_pose2 b)
{
	return fabs(cairn_wrap_rad(a.yaw_rad - b.yaw_rad));
}

void cairn_driven_path_add(struct cairn_driven_path *c, struct cairn_pose2 pose)
{
	if (!isfinite(pose.x_m) || !isfinite(pose.y_m) || !isfinite(pose.yaw_rad))
		return;
	if (c->count > 0 && away_m(c->at[c->count - 1], pose) < CAIRN_DRIVEN_PATH_STEP_M &&
	    turned_rad(c->at[c->count - 1], pose) < CAIRN_DRIVEN_PATH_STEP_RAD)
		return;
	for (uint32_t i = 0; i + 1 < c->count; i++)
		if (away_m(c->at[i], pose) < SAME_M && turned_rad(c->at[i], pose) < SAME_RAD) {
			c->count = i + 1;
			return;
		}
	if (c->count == CAIRN_DRIVEN_PATH_MAX) { /* the oldest make room */
		c->count -= CAIRN_DRIVEN_PATH_MAX / 4;
		memmove(c->at, c->at + CAIRN_DRIVEN_PATH_MAX / 4, c->count * sizeof(c->at[0]));
	}
	c->at[c->count++] = pose;
}

void cairn_driven_path_move(struct cairn_driven_path *c, struct cairn_pose2 was, struct cairn_pose2 now)
{
	for (uint32_t i = 0; i < c->count; i++)
		c->at[i] = cairn_pose_compose(now, cairn_pose_between(was, c->at[i]));
}

void cairn_driven_path_back(const struct cairn_driven_path *c, struct cairn_pose2 pose, uint32_t to,
    bool in_place, struct cairn_path *ret)
{
	ret->count = 0;
	ret->length_m = ret->cost = 0.0;
	ret->poses[ret->count++] = (struct cairn_path_pose){pose.x_m, pose.y_m, pose.yaw_rad, true, false};
	for (uint32_t i = c->count; i-- > to && ret->count < CAIRN_PATH_MAX;) {
		const struct cairn_path_pose *last = &ret->poses[ret->count - 1];
		struct cairn_pose2 from = cairn_path_pose2(last), step = cairn_pose_between(from, c->at[i]);
		double length = hypot(step.x_m, step.y_m);
		if (length < 0.2 * CAIRN_DRIVEN_PATH_STEP_M) {
			/* the pose itself, or a turn in place */
			if (in_place && fabs(step.yaw_rad) > TURN_MIN_RAD)
				ret->poses[ret->count++] = (struct cairn_path_pose){
				    last->x_m, last->y_m, c->at[i].yaw_rad, last->reverse, true};
			continue;
		}
		ret->poses[ret->count++] = (struct cairn_path_pose){
		    c->at[i].x_m, c->at[i].y_m, c->at[i].yaw_rad, step.x_m < 0.0, false};
		ret->length_m += length;
	}
	if (ret->count > 1) {
		ret->poses[0].reverse = ret->poses[1].reverse;
		ret->poses[0].turn = ret->poses[1].turn;
	}
}
