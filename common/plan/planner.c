#include "common/plan/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/config/speeds.h"
#include "common/base/prefault.h"
#include "common/plan/planner_private.h"

#define GOAL_MAX_AGE_S 2.0 /* the sequencer repeats it; silence means that nobody wants it any more */
#define PREDICT_MAX_S 0.25 /* a pose is carried forward by the measured motion for at most this long */
#define MOTION_MAX_AGE_S 1.0
#define RETRY_S 0.5
#define REPLAN_MIN_S 0.25
#define RECONSIDER_S 1.0
#define CHECK_AHEAD_M 2.5
#define STOP_BEFORE_M 0.30 /* stand when the path is blocked this near and there is no other yet */
#define REACHED_SHARE 0.8  /* of the tolerance, so that standing there is within it for everybody */
#define RETREAT_M 0.20
#define RETREAT_S 4.0
#define UNSEEN_S 20.0
#define ROOM_LIMIT_M 0.30
#define WAYPOINT_TOLERANCE_M 0.02 /* of the path as told to others; less than the room kept beside it */
#define SPIN_M_PER_RAD                                                                                       \
	0.35 /* a turn in place takes as long as this way: 0.7 rad/s against half of the cruising speed */
#define SPIN_M 0.15 /* to stop for it, and to set out again */
#define TURN_RADIUS_SPARE                                                                                    \
	1.1 /* planned arcs are wider than the tightest, to leave the follower something to steer with */

#define LIVE_MAX (CAIRN_POINTS_MAX + PLANNER_UNSEEN + PLANNER_CLOSED + CAIRN_DEPTH_LAYER_POINTS_MAX)

struct cairn_planner *cairn_planner_new(const struct cairn_config *cfg, struct cairn_error *err)
{
	struct cairn_planner *p = calloc(1, sizeof(*p));
	if (p == NULL) {
		cairn_error_set(err, "planner: out of memory");
		return NULL;
	}
	p->cfg = *cfg;
	p->body = (struct cairn_footprint){
	    cfg->robot.footprint_front_m, cfg->robot.footprint_rear_m, cfg->robot.footprint_half_width_m};
	struct cairn_costmap_params costs = {
	    .inflation_m = fmax(cfg->nav.inflation_m, p->body.half_width_m + 0.01),
	    .inscribed_m = p->body.half_width_m,
	    .near_cost = cfg->nav.near_cost,
	    .unknown_cost = cfg->map.resume ? cfg->nav.unknown_cost_known : cfg->nav.unknown_cost,
	    .slow_cost = cfg->nav.slow_zone_cost};
	costs.claimed_cost = costs.unknown_cost * cfg->nav.claimed_cost_factor;
	cairn_costmap_init(&p->costmap, &costs);
	struct cairn_hybrid_params search = {.body = p->body,
	    .turn_radius_m = TURN_RADIUS_SPARE * cfg->robot.turn_radius_min_m,
	    .clearance_m = cfg->nav.clearance_m,
	    .lead_m = fmax(cfg->nav.clearance_m, cfg->safety.stop_distance_m + 0.04),
	    .reverse_factor = cfg->nav.reverse_factor,
	    .switch_m = cfg->nav.switch_m,
	    .turn_factor = 1.3,
	    .spin_m_per_rad = cairn_is_differential(cfg) ? SPIN_M_PER_RAD : 0.0,
	    .spin_m = SPIN_M,
	    .nodes_max = 120000};
	p->hybrid = cairn_hybrid_new(&search);
	planner_forget_floor(p);
	p->live = calloc(LIVE_MAX, sizeof(*p->live));
	struct cairn_follow_params follow = {.speed_mps = cairn_cruise_mps(cfg),
	    .speed_reverse_mps = cairn_cruise_reverse_mps(cfg),
	    .lookahead_m = cfg->nav.lookahead_m,
	    .turn_radius_min_m = cfg->robot.turn_radius_min_m,
	    .turn_rate_max_radps = cairn_turn_rate_max_radps(cfg),
	    .decel_mps2 = 0.25 * cfg->robot.decel_max_mps2,
	    .stuck_s = cfg->nav.stuck_s};
	cairn_follower_init(&p->follower, &follow);
	if (p->hybrid == NULL || p->live == NULL) {
		cairn_error_set(err, "planner: out of memory, or impossible dimensions in robot.* or nav.*");
		cairn_planner_destroy(&p);
		return NULL;
	}
	cairn_prefault_touch(p, sizeof(*p)); /* not at the longest path, or the most points, so far */
	cairn_prefault_touch(p->live, LIVE_MAX * sizeof(*p->live));
	return p;
}

void cairn_planner_destroy(struct cairn_planner **p_p)
{
	if (*p_p == NULL)
		return;
	cairn_costmap_free(&(*p_p)->costmap);
	cairn_hybrid_destroy(&(*p_p)->hybrid);
	free((*p_p)->live);
	free(*p_p);
	*p_p = NULL;
}

void cairn_planner_set_clock(struct cairn_planner *p, int64_t (*now_ns)(void *ctx), void *ctx)
{
	p->clock_ns = now_ns;
	p->clock_ctx = ctx;
}

uint64_t cairn_planner_rejects(const struct cairn_planner *p)
{
	return p->rejects;
}

static struct cairn_pose2 pose_now(const struct cairn_planner *p, int64_t now_ns)
{
	struct cairn_pose2 pose = {p->pose.x_m, p->pose.y_m, p->pose.yaw_rad};
	double age = cairn_clamp((double)(now_ns - p->pose_t_ns) * 1e-9, 0.0, PREDICT_MAX_S);
	bool known = p->motion_t_ns != 0 && (double)(now_ns - p->motion_t_ns) < MOTION_MAX_AGE_S * 1e9;
	double w =
	    known && fabs(p->motion.v_mps) > 1e-3 ? p->motion.w_radps / p->motion.v_mps * p->pose.v_mps : 0.0;
	return cairn_pose_advance(pose, (struct cairn_twist){p->pose.v_mps, cairn_clamp(w, -3.0, 3.0)}, age);
}

static const char *missing_input(const struct cairn_planner *p, int64_t now_ns)
{
	if (!p->have_grid)
		return "no map yet";
	if (p->trace_count == 0)
		return "no pose yet";
	if ((double)(now_ns - p->pose_t_ns) > p->cfg.safety.pose_timeout_s * 1e9)
		return "pose too old";
	if (p->pose.tracking == CAIRN_TRACKING_LOST || p->pose.tracking == CAIRN_TRACKING_NONE)
		return "the mapper has lost the robot";
	return NULL;
}

/* The motor stage stands for a reason of its own (or is silent): not being stuck. */
static bool held(const struct cairn_planner *p, int64_t now_ns)
{
	if (p->motion_t_ns == 0 || (double)(now_ns - p->motion_t_ns) > MOTION_MAX_AGE_S * 1e9)
		return true;
	enum cairn_motor_state s = p->motion.state;
	return s != CAIRN_MOTOR_STATE_DRIVING && s != CAIRN_MOTOR_STATE_SLOWED &&
	       s != CAIRN_MOTOR_STATE_BLOCKED;
}

static void remember_unseen(
    struct cairn_planner *p, const struct cairn_pose2 *pose, bool reverse, int64_t now_ns)
{
	struct planner_unseen *slot = &p->unseen[0];
	for (int i = 1; i < PLANNER_UNSEEN; i++)
		if (p->unseen[i].until_ns < slot->until_ns)
			slot = &p->unseen[i];
	double ahead = reverse ? -p->body.rear_m - 0.08 : p->body.front_m + 0.08;
	enum cairn_sensor cause = p->motion.cause;
	*slot = (struct planner_unseen){.at = cairn_pose_apply(*pose, (struct cairn_vec2){ahead, 0.0}),
	    .until_ns = now_ns + (int64_t)(UNSEEN_S * 1e9),
	    .kept_off = cause == CAIRN_SENSOR_LIDAR || cause == CAIRN_SENSOR_DEPTH};
}

/* Longest straight way back, up to RETREAT_M, on which there is room. */
static double room_to_retreat(const struct cairn_planner *p, const struct cairn_pose2 *pose, bool reverse)
{
	struct cairn_rect rect = cairn_rect_around(&p->body, 0.01);
	double d = 0.0, step = 0.02;
	while (d < RETREAT_M) {
		double next = reverse ? -(d + step + p->cfg.safety.stop_distance_m)
				      : d + step + p->cfg.safety.stop_distance_m;
		struct cairn_pose2 at = cairn_pose_compose(*pose, (struct cairn_pose2){next, 0.0, 0.0});
		if (!cairn_costmap_fits(&p->costmap, &at, &rect))
			break;
		d += step;
	}
	return d;
}

static void recover(struct cairn_planner *p, const struct cairn_pose2 *pose, int64_t now_ns)
{
	bool was_reverse = p->follower.path != NULL && p->follower.path->poses[p->follower.leg_end].reverse;
	bool same_place =
	    p->tries > 0 && hypot(pose->x_m - p->stuck_at.x_m, pose->y_m - p->stuck_at.y_m) < 0.5;
	p->tries = same_place ? p->tries + 1 : 1;
	p->stuck_at = (struct cairn_vec2){pose->x_m, pose->y_m};
	planner_drop_path(p);
	if (planner_back_begin(p, pose, PLANNER_BACK_STUCK, now_ns))
		return;
	if (p->tries > PLANNER_TRIES_MAX) {
		p->finished = true;
		planner_say(p, CAIRN_NAV_STATE_STUCK, "no progress after %d recoveries", PLANNER_TRIES_MAX);
		return;
	}
	/* The motor stage stands before something that this costmap does not have: the way there is not
	 * planned again. */
	if (same_place || p->motion.state == CAIRN_MOTOR_STATE_BLOCKED)
		remember_unseen(p, pose, was_reverse, now_ns);
	planner_lay_live(p, now_ns);
	double back = room_to_retreat(p, pose, !was_reverse);
	p->want_plan = true;
	p->retreat = (struct planner_retreat){.active = back > 0.03,
	    .from = *pose,
	    .distance_m = back,
	    .reverse = !was_reverse,
	    .until_ns = now_ns + (int64_t)(RETREAT_S * 1e9)};
}

static bool retreat_step(
    struct cairn_planner *p, const struct cairn_pose2 *pose, int64_t now_ns, struct cairn_twist *twist)
{
	struct planner_retreat *r = &p->retreat;
	if (!r->active)
		return false;
	double moved = hypot(pose->x_m - r->from.x_m, pose->y_m - r->from.y_m);
	if (moved >= r->distance_m || now_ns >= r->until_ns) {
		r->active = false;
		return false;
	}
	double v = fmin(0.5 * (cairn_cruise_mps(&p->cfg) + cairn_cruise_reverse_mps(&p->cfg)),
	    cairn_cruise_reverse_mps(&p->cfg));
	v = fmin(v, p->goal.speed_max_mps);
	*twist = (struct cairn_twist){r->reverse ? -v : v, 0.0};
	planner_say(p, CAIRN_NAV_STATE_FOLLOWING, "stuck: moving back to try again (%d of %d)", p->tries,
	    PLANNER_TRIES_MAX);
	return true;
}

static void finish(struct cairn_planner *p, double miss_m)
{
	p->finished = true;
	p->status.remaining_m = 0.0;
	planner_drop_path(p);
	if (miss_m <= p->goal.tolerance_m)
		planner_say(p, CAIRN_NAV_STATE_REACHED, "within %.2f m", p->goal.tolerance_m);
	else
		planner_say(p, CAIRN_NAV_STATE_REACHED,
		    "%.2f m from the goal: nearest point that can be reached", miss_m);
}

/* The path has run out. */
static void path_ended(struct cairn_planner *p, const struct cairn_pose2 *pose, double miss_m, int64_t now_ns)
{
	bool nearest = p->found == CAIRN_PLAN_NEAREST && miss_m <= p->cfg.nav.nearest_m + p->goal.tolerance_m;
	if (miss_m <= p->goal.tolerance_m || nearest) {
		finish(p, miss_m);
		return;
	}
	p->ended_short = miss_m < p->ended_best_m - 0.2 ? 0 : p->ended_short + 1;
	p->ended_best_m = fmin(p->ended_best_m, miss_m);
	planner_drop_path(p);
	p->want_plan = true;
	if (p->ended_short < PLANNER_TRIES_MAX || planner_back_begin(p, pose, PLANNER_BACK_STUCK, now_ns))
		return;
	p->finished = true;
	planner_say(p, CAIRN_NAV_STATE_STUCK, "cannot get nearer than %.2f m", p->ended_best_m);
}

/* Is the path in use still good? Sets want_plan when not. Returns how far ahead it is blocked. */
static double check_path(struct cairn_planner *p, int64_t now_ns)
{
	if (!p->live_fresh && !p->grid_fresh)
		return INFINITY;
	planner_lay_live(p, now_ns);
	double blocked = planner_blocked_m(p, p->grid_fresh ? INFINITY : CHECK_AHEAD_M);
	p->live_fresh = p->grid_fresh = false;
	if (isfinite(blocked))
		p->want_plan = true;
	return blocked;
}

static void follow(struct cairn_planner *p, const struct cairn_pose2 *pose, double miss_m, int64_t now_ns,
    struct cairn_twist *twist)
{
	struct cairn_rect bare = cairn_rect_around(&p->body, 0.0);
	struct cairn_follow_input in = {.pose = *pose,
	    .speed_max_mps =
		fmin(p->goal.speed_max_mps, cairn_costmap_speed_max(&p->costmap, pose->x_m, pose->y_m)),
	    .room_m = cairn_costmap_clearance(&p->costmap, pose, &bare, ROOM_LIMIT_M),
	    .held = held(p, now_ns),
	    .now_ns = now_ns};
	struct cairn_follow_output out;
	cairn_follower_step(&p->follower, &in, &out);
	p->status.remaining_m = out.remaining_m;
	switch (out.status) {
	case CAIRN_FOLLOW_DRIVING:
		*twist = out.twist;
		planner_say(p, CAIRN_NAV_STATE_FOLLOWING, "%s",
		    p->found == CAIRN_PLAN_OK ? "on the way" : cairn_plan_result_text(p->found));
		p->status.tight = !planner_has_room(p, pose);
		break;
	case CAIRN_FOLLOW_ENDED:
		path_ended(p, pose, miss_m, now_ns);
		break;
	case CAIRN_FOLLOW_STUCK:
		recover(p, pose, now_ns);
		break;
	case CAIRN_FOLLOW_OFF_TRACK:
		planner_drop_path(p);
		p->want_plan = true;
		break;
	case CAIRN_FOLLOW_IDLE:
		break;
	}
}

static bool due(int64_t now_ns, int64_t since_ns, double s)
{
	return since_ns == 0 || (double)(now_ns - since_ns) >= s * 1e9;
}

/* One step toward the goal with all inputs there; the velocity to propose. */
static struct cairn_twist drive(struct cairn_planner *p, int64_t now_ns)
{
	struct cairn_twist twist = {0.0, 0.0};
	struct cairn_pose2 pose = pose_now(p, now_ns);
	double miss = hypot(pose.x_m - p->goal.x_m, pose.y_m - p->goal.y_m);
	if (p->finished)
		return twist;
	if (miss <= REACHED_SHARE * p->goal.tolerance_m) {
		finish(p, miss);
		return twist;
	}
	if (p->back.active)
		return planner_back_step(p, &pose, held(p, now_ns), now_ns);
	if (planner_back_due(p, &pose, held(p, now_ns), now_ns) &&
	    planner_back_begin(p, &pose, PLANNER_BACK_STUCK, now_ns))
		return planner_back_step(p, &pose, held(p, now_ns), now_ns);
	if (retreat_step(p, &pose, now_ns, &twist))
		return twist;
	bool grid_fresh = p->grid_fresh;
	double blocked = p->have_path ? check_path(p, now_ns) : INFINITY;
	if (!p->have_path && !p->want_plan)
		p->want_plan = due(now_ns, p->tried_ns, RETRY_S);
	if (p->want_plan && due(now_ns, p->tried_ns, REPLAN_MIN_S)) {
		if (!planner_plan(p, &pose, now_ns))
			return twist;
		blocked = INFINITY;
	} else if (p->have_path && !p->want_plan && due(now_ns, p->tried_ns, RECONSIDER_S) &&
		   (grid_fresh || p->costmap.live.x1 > p->costmap.live.x0)) {
		planner_reconsider(p, &pose, now_ns);
	}
	if (p->back.active)
		return planner_back_step(p, &pose, held(p, now_ns), now_ns);
	if (p->have_path)
		follow(p, &pose, miss, now_ns, &twist);
	return blocked < STOP_BEFORE_M ? (struct cairn_twist){0.0, 0.0} : twist;
}

void cairn_planner_step(struct cairn_planner *p, int64_t now_ns, struct cairn_planner_output *out)
{
	*out = (struct cairn_planner_output){0};
	struct cairn_twist twist = {0.0, 0.0};
	bool wanted = p->goal.active && (double)(now_ns - p->goal_t_ns) <= GOAL_MAX_AGE_S * 1e9;
	if (!wanted) {
		planner_drop_path(p);
		p->goal.active = false;
		p->status = (struct cairn_msg_nav_status){.goal_id = p->goal.id};
		planner_say(p, CAIRN_NAV_STATE_IDLE, "no goal");
	} else {
		const char *missing = p->finished ? NULL : missing_input(p, now_ns);
		if (missing != NULL)
			planner_say(p, CAIRN_NAV_STATE_NO_INPUT, "%s", missing);
		else
			twist = drive(p, now_ns);
	}
	p->proposed = twist;
	out->has_velocity = wanted;
	out->velocity = (struct cairn_msg_nav_velocity){p->goal.id, twist.v_mps, twist.w_radps};
	out->status = p->status;
	out->status_changed = p->status.state != p->told_state || p->status.goal_id != p->told_goal ||
			      strcmp(p->status.reason, p->told) != 0;
	out->path_changed = p->path_changed;
	p->path_changed = false;
	p->told_state = p->status.state;
	p->told_goal = p->status.goal_id;
	memcpy(p->told, p->status.reason, sizeof(p->told));
}

void cairn_planner_path(const struct cairn_planner *p, struct cairn_msg_nav_path *out)
{
	enum { MAX = sizeof(out->points) / sizeof(out->points[0]) };
	int at[MAX];
	out->goal_id = p->goal.id;
	out->points_count = 0;
	if (!p->have_path)
		return;
	const struct cairn_path *path = &p->paths[p->path_in_use];
	int count = cairn_path_waypoints(path, p->follower.at, WAYPOINT_TOLERANCE_M, at, MAX);
	for (int i = 0; i < count; i++) {
		const struct cairn_path_pose *q = &path->poses[at[i]];
		out->points[out->points_count++] = (struct cairn_msg_path_point){
		    (float)q->x_m, (float)q->y_m, (float)q->yaw_rad, q->reverse};
	}
}
