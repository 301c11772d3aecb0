#include "common/slam/odometry_track.h"

#include <stddef.h>

#define EXTRAPOLATE_NS (200 * CAIRN_NS_PER_MS)
#define STEP_SLACK_M 0.05
#define STEP_SLACK_RAD 0.10
#define YAW_RATE_MAX_RADPS 6.0
#define SPEED_FACTOR 1.5
#define GAP_MAX_S 10.0

static bool finite_odom(const struct cairn_msg_odom *odom)
{
	return isfinite(odom->x_m) && isfinite(odom->y_m) && isfinite(odom->yaw_rad) &&
	       isfinite(odom->v_mps) && isfinite(odom->w_radps) && fabs(odom->x_m) < 1e6 &&
	       fabs(odom->y_m) < 1e6 && fabs(odom->yaw_rad) < 1e6;
}

static void push(struct cairn_odometry_track *track, struct cairn_odometry_track_point point)
{
	track->newest = track->count == 0 ? 0 : (track->newest + 1) % CAIRN_ODOMETRY_TRACK_POINTS;
	track->points[track->newest] = point;
	if (track->count < CAIRN_ODOMETRY_TRACK_POINTS)
		track->count++;
}

const struct cairn_odometry_track_point *cairn_odometry_track_newest(const struct cairn_odometry_track *track)
{
	return track->count > 0 ? &track->points[track->newest] : NULL;
}

enum cairn_odometry_track_step cairn_odometry_track_add(struct cairn_odometry_track *track,
    const struct cairn_msg_odom *odom, int64_t t_ns, uint64_t epoch, const struct cairn_config_robot *robot)
{
	const struct cairn_odometry_track_point *last = cairn_odometry_track_newest(track);
	if (!finite_odom(odom) || (last != NULL && t_ns < last->t_ns && epoch == track->epoch))
		return CAIRN_ODOMETRY_TRACK_IGNORED;
	/* Reports that were read from the wire in one go carry one stamp: the last of them is the one of now. */
	bool again = last != NULL && t_ns == last->t_ns && epoch == track->epoch;
	struct cairn_pose2 raw = {odom->x_m, odom->y_m, cairn_wrap_rad(odom->yaw_rad)};
	struct cairn_odometry_track_point point = {.t_ns = t_ns, .twist = {odom->v_mps, odom->w_radps}};
	point.twist.v_mps = cairn_clamp(odom->v_mps, -2.0 * robot->speed_max_mps, 2.0 * robot->speed_max_mps);
	point.twist.w_radps = cairn_clamp(odom->w_radps, -YAW_RATE_MAX_RADPS, YAW_RATE_MAX_RADPS);
	enum cairn_odometry_track_step result = CAIRN_ODOMETRY_TRACK_OK;
	if (last != NULL)
		point.pose = last->pose;
	if (track->epoch != epoch) {
		track->count = 0; /* what was before may even be of another clock */
		track->restarts += track->epoch != 0;
		result = CAIRN_ODOMETRY_TRACK_FIRST;
	} else {
		struct cairn_pose2 step = cairn_pose_between(track->raw, raw);
		double length = hypot(step.x_m, step.y_m);
		double dt = last == NULL ? GAP_MAX_S
					 : cairn_clamp((double)(t_ns - last->t_ns) * 1e-9, 0.0, GAP_MAX_S);
		if (length > SPEED_FACTOR * robot->speed_max_mps * dt + STEP_SLACK_M ||
		    fabs(step.yaw_rad) > YAW_RATE_MAX_RADPS * dt + STEP_SLACK_RAD) {
			track->wild++;
			result = CAIRN_ODOMETRY_TRACK_WILD;
		} else {
			point.pose = cairn_pose_compose(point.pose, step);
			track->distance_m += length;
		}
	}
	track->raw = raw;
	track->epoch = epoch;
	if (again)
		track->points[track->newest] = point;
	else
		push(track, point);
	return result;
}

struct cairn_pose2 cairn_odometry_track_at(const struct cairn_odometry_track *track, int64_t t_ns)
{
	if (track->count == 0)
		return (struct cairn_pose2){0};
	const struct cairn_odometry_track_point *after = &track->points[track->newest];
	if (t_ns >= after->t_ns) {
		int64_t ahead = t_ns - after->t_ns;
		ahead = ahead < EXTRAPOLATE_NS ? ahead : EXTRAPOLATE_NS;
		return cairn_pose_advance(after->pose, after->twist, (double)ahead * 1e-9);
	}
	for (int i = 1; i < track->count; i++) {
		const struct cairn_odometry_track_point *before =
		    &track->points[(track->newest - i + CAIRN_ODOMETRY_TRACK_POINTS) %
				   CAIRN_ODOMETRY_TRACK_POINTS];
		if (t_ns >= before->t_ns) {
			double f = (double)(t_ns - before->t_ns) / (double)(after->t_ns - before->t_ns);
			struct cairn_pose2 a = before->pose, b = after->pose;
			return (struct cairn_pose2){a.x_m + f * (b.x_m - a.x_m), a.y_m + f * (b.y_m - a.y_m),
			    cairn_wrap_rad(a.yaw_rad + f * cairn_wrap_rad(b.yaw_rad - a.yaw_rad))};
		}
		after = before;
	}
	return after->pose;
}
