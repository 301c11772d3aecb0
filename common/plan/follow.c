#include "common/plan/follow.h"

#include <stddef.h>

#define SPEED_MIN_MPS 0.05
#define LOOKAHEAD_CURVE_M 0.20
#define CURVE_AHEAD_M 0.30    /* slow down for a curve this far ahead */
#define ROOM_SPEED_MPS 0.06   /* speed allowed without any room, */
#define ROOM_SPEED_PER_M 1.45 /* and so much more with each metre of it */
#define SWITCH_M 0.02         /* a leg ends this near to its last pose */
#define WINDOW_M 0.8          /* progress is looked for this far ahead */
#define OFF_TRACK_M 0.25
#define OFF_TRACK_RAD 1.0
#define TURN_DONE_RAD 0.05
#define TURN_GAIN_1PS 1.5
#define TURN_MIN_RADPS 0.25
#define BLOCKED_END_M 0.15 /* a leg whose end is this near may end where the safety layers stop the robot */
#define BLOCKED_END_S 1.0

void cairn_follower_init(struct cairn_follower *f, const struct cairn_follow_params *params)
{
	f->params = *params;
	cairn_follower_set_path(f, NULL);
}

static int end_of_leg(const struct cairn_path *path, int from)
{
	int i = from + 1;
	while (i + 1 < path->count && cairn_path_same_leg(path, i, i + 1))
		i++;
	return i < path->count ? i : path->count - 1;
}

void cairn_follower_set_path(struct cairn_follower *f, const struct cairn_path *path)
{
	f->path = path != NULL && path->count > 0 ? path : NULL;
	f->at = 0;
	f->slow.set = f->quick.set = false;
	if (f->path == NULL)
		return;
	f->along_m[0] = 0.0;
	for (int i = 1; i < path->count; i++)
		f->along_m[i] = f->along_m[i - 1] + cairn_path_step(path, i);
	f->leg_end = end_of_leg(path, 0);
}

double cairn_safety_cost_idle_s(
    struct cairn_safety_cost *mark, const struct cairn_pose2 *pose, double step_m, int64_t now_ns)
{
	double moved = hypot(pose->x_m - mark->pose.x_m, pose->y_m - mark->pose.y_m);
	double turned = fabs(cairn_wrap_rad(pose->yaw_rad - mark->pose.yaw_rad));
	if (!mark->set || moved >= step_m || turned >= 3.0 * step_m)
		*mark = (struct cairn_safety_cost){*pose, now_ns, true};
	return (double)(now_ns - mark->t_ns) * 1e-9;
}

/* Moves `at` to the nearest pose within the leg, never back. */
static void advance(struct cairn_follower *f, const struct cairn_pose2 *pose)
{
	double best = INFINITY;
	int best_i = f->at;
	for (int i = f->at; i <= f->leg_end && f->along_m[i] <= f->along_m[f->at] + WINDOW_M; i++) {
		const struct cairn_path_pose *p = &f->path->poses[i];
		double d = hypot(p->x_m - pose->x_m, p->y_m - pose->y_m);
		if (d < best) {
			best = d;
			best_i = i;
		}
	}
	f->at = best_i;
}

/* Pose of the path in the robot frame. */
static struct cairn_pose2 seen(const struct cairn_follower *f, const struct cairn_pose2 *pose, int i)
{
	return cairn_pose_between(*pose, cairn_path_pose2(&f->path->poses[i]));
}

/* What is left of the leg, along the direction of travel at its end once that is near. */
static double leg_left(const struct cairn_follower *f, const struct cairn_pose2 *pose, bool reverse)
{
	double left = f->along_m[f->leg_end] - f->along_m[f->at];
	if (left > 0.12)
		return left;
	struct cairn_pose2 robot = cairn_pose_between(cairn_path_pose2(&f->path->poses[f->leg_end]), *pose);
	return reverse ? robot.x_m : -robot.x_m;
}

/* The point `ahead` metres on along the leg, straight on beyond its end, in the robot frame. */
static struct cairn_vec2 carrot(
    const struct cairn_follower *f, const struct cairn_pose2 *pose, double ahead, bool reverse)
{
	double want = f->along_m[f->at] + ahead;
	int i = f->at;
	while (i < f->leg_end && f->along_m[i] < want)
		i++;
	struct cairn_pose2 p = cairn_path_pose2(&f->path->poses[i]);
	double over = want - f->along_m[i];
	if (i > f->at && over < 0.0) { /* between two poses */
		const struct cairn_path_pose *a = &f->path->poses[i - 1], *b = &f->path->poses[i];
		double step = f->along_m[i] - f->along_m[i - 1], t = step > 0.0 ? 1.0 + over / step : 1.0;
		p.x_m = a->x_m + t * (b->x_m - a->x_m);
		p.y_m = a->y_m + t * (b->y_m - a->y_m);
	} else if (over > 0.0) {
		p = cairn_pose_compose(p, (struct cairn_pose2){reverse ? -over : over, 0.0, 0.0});
	}
	p = cairn_pose_between(*pose, p);
	return (struct cairn_vec2){p.x_m, p.y_m};
}

/* Mean curvature of the path from here to `ahead` metres on, whichever way it bends. */
static double path_curvature(const struct cairn_follower *f, double ahead)
{
	double turned = 0.0;
	for (int i = f->at + 1; i <= f->leg_end && f->along_m[i] <= f->along_m[f->at] + ahead; i++)
		turned += fabs(cairn_wrap_rad(f->path->poses[i].yaw_rad - f->path->poses[i - 1].yaw_rad));
	return turned / ahead;
}

double cairn_follow_speed_mps(const struct cairn_follow_params *params, double top_mps, double curvature_1pm,
    double room_m, double left_m)
{
	double v = fmin(top_mps, CAIRN_FOLLOW_TURN_RADPS / fmax(fabs(curvature_1pm), 1e-3));
	v = fmin(v, ROOM_SPEED_MPS + ROOM_SPEED_PER_M * fmax(room_m, 0.0));
	v = fmin(v, sqrt(2.0 * params->decel_mps2 * fmax(left_m, 0.0)));
	return fmax(v, fmin(SPEED_MIN_MPS, top_mps));
}

static double regulated_speed(const struct cairn_follower *f, const struct cairn_follow_input *in,
    bool reverse, double curvature, double left_m)
{
	double top = reverse ? f->params.speed_reverse_mps : f->params.speed_mps;
	double bend = fmax(fabs(curvature), path_curvature(f, CURVE_AHEAD_M));
	return cairn_follow_speed_mps(&f->params, fmin(top, in->speed_max_mps), bend, in->room_m, left_m);
}

/* ---- turning in place ---- */

static bool turns(const struct cairn_follower *f)
{
	return f->path->poses[f->leg_end].turn;
}

static double turn_left(const struct cairn_follower *f, const struct cairn_pose2 *pose)
{
	return cairn_wrap_rad(f->path->poses[f->leg_end].yaw_rad - pose->yaw_rad);
}

static bool turn_done(const struct cairn_follower *f, const struct cairn_pose2 *pose)
{
	return fabs(turn_left(f, pose)) <= TURN_DONE_RAD;
}

static struct cairn_twist turn_twist(const struct cairn_follower *f, double left_rad)
{
	double most = fmin(CAIRN_FOLLOW_TURN_RADPS, f->params.turn_rate_max_radps);
	double rate = fmin(fmax(TURN_GAIN_1PS * fabs(left_rad), TURN_MIN_RADPS), most);
	return (struct cairn_twist){0.0, copysign(rate, left_rad)};
}

static bool leg_done(struct cairn_follower *f, const struct cairn_follow_input *in, double left_m)
{
	if (left_m <= SWITCH_M)
		return true;
	if (in->held) {
		f->quick.set = false;
		return false;
	}
	double idle = cairn_safety_cost_idle_s(&f->quick, &in->pose, 0.012, in->now_ns);
	return left_m <= BLOCKED_END_M && idle >= BLOCKED_END_S;
}

void cairn_follower_step(
    struct cairn_follower *f, const struct cairn_follow_input *in, struct cairn_follow_output *out)
{
	*out = (struct cairn_follow_output){.status = CAIRN_FOLLOW_IDLE};
	if (f->path == NULL)
		return;
	const int last = f->path->count - 1;
	double left;
	bool reverse;
	for (;;) {
		reverse = f->path->poses[f->leg_end].reverse;
		left = 0.0;
		if (!turns(f)) {
			advance(f, &in->pose);
			left = leg_left(f, &in->pose, reverse);
		}
		if (turns(f) ? !turn_done(f, &in->pose) : !leg_done(f, in, left))
			break;
		f->quick.set = false;
		if (f->leg_end == last) {
			out->status = CAIRN_FOLLOW_ENDED;
			return;
		}
		f->at = f->leg_end;
		f->leg_end = end_of_leg(f->path, f->at);
	}
	out->remaining_m = fmax(left, 0.0) + f->along_m[last] - f->along_m[f->leg_end];
	struct cairn_pose2 near = seen(f, &in->pose, f->at);
	if (hypot(near.x_m, near.y_m) > OFF_TRACK_M || (!turns(f) && fabs(near.yaw_rad) > OFF_TRACK_RAD)) {
		out->status = CAIRN_FOLLOW_OFF_TRACK;
		return;
	}
	double ahead = path_curvature(f, f->params.lookahead_m) > 1.0
			   ? fmin(LOOKAHEAD_CURVE_M, f->params.lookahead_m)
			   : f->params.lookahead_m;
	struct cairn_vec2 c = carrot(f, &in->pose, ahead, reverse);
	double d2 = c.x_m * c.x_m + c.y_m * c.y_m;
	double limit = 1.0 / f->params.turn_radius_min_m;
	double curvature = d2 > 1e-6 ? cairn_clamp(2.0 * c.y_m / d2, -limit, limit) : 0.0;
	double v = regulated_speed(f, in, reverse, curvature, left) * (reverse ? -1.0 : 1.0);
	if (in->held)
		f->slow.set = false;
	else if (cairn_safety_cost_idle_s(&f->slow, &in->pose, 0.05, in->now_ns) >= f->params.stuck_s) {
		out->status = CAIRN_FOLLOW_STUCK;
		return;
	}
	out->status = CAIRN_FOLLOW_DRIVING;
	out->twist =
	    turns(f) ? turn_twist(f, turn_left(f, &in->pose)) : (struct cairn_twist){v, v * curvature};
}
