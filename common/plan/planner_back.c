/* planner_back.c - out of a place without room to turn by the way in.
 *
 * The way in is known to be free: the robot has driven it. So where no other way off is found, or one that would back for
 * long, the robot backs along the poses it came by until there is room, before anything is said to be out of reach. Only
 * the newest scan and the depth camera's floor are asked on the way: the map's cells make walls thicker than they are, and
 * a search finds no way between them. What the safety layers would refuse is not proposed: the arc driven is the one nearest
 * to the path of those that they let pass. */
#include <math.h>

#include "common/config/speeds.h"
#include "common/plan/planner_private.h"
#include "common/safety/monitor_polygons.h"
#include "common/safety/safe_velocity.h"

#define ROOM_SPARE_M 0.10 /* a disc of the robot's length and this in radius has room to turn */
#define ROOM_NEAR_M 0.30  /* its middle is this near to the rear axle */
#define ROOM_STEP_M 0.05
#define BEYOND_M 0.25     /* so much farther than to the first place with room */
#define WORTH_M 0.15      /* a shorter way back changes nothing */
#define LONG_M 0.60       /* a path that backs for longer within ... */
#define LONG_WITHIN_M 2.0 /* ... this is no better than the way it came */
#define ROUND_M 0.30      /* a path that comes so near to its start again leads back there */
#define AGAIN_M 1.0       /* so near is the same place */
#define IDLE_S 6.0        /* of driving to and fro within ... */
#define IDLE_M 0.40
#define IDLE_SHARE 0.8  /* of nav.progress_s */
#define PATIENCE_S 90.0 /* for what stands in the way back to go away */
#define MOVED_M 0.10
#define ASIDE_STEP_M 0.03
#define ASIDE_MAX_M 0.09
#define HEARD_SAME_M 0.02
#define LOOK_M 0.6
#define SLIM_M 0.02 /* the body less what pose and points are wrong by */
#define CURVATURES 9
#define SPEED_MPS 0.15
#define REALIGN_MPS 0.06
#define LEAST_MPS 0.05 /* what is let pass slower than this is stopped by the next who looks at it */
#define REALIGN_M 0.15 /* forward, to come to lie along the way back */
#define REALIGN_AHEAD_M 0.08
#define CREEP_M 0.02
#define STANDS_S 2.5
#define AT_END_S 1.0
#define REACTION_S 0.2

/* ---- where there is room ---- */

static bool disc_free(const struct cairn_costmap *cm, double x_m, double y_m, double radius_m)
{
	int index = cairn_costmap_index(cm, x_m, y_m);
	return index >= 0 && (cm->cells[index] & (CAIRN_CELL_UNKNOWN | CAIRN_CELL_OBSTACLE)) == 0 &&
	       ((double)cm->dist[index] - 0.5) * cm->cell_m >= radius_m;
}

bool planner_has_room(const struct cairn_planner *p, const struct cairn_pose2 *pose)
{
	double radius = (cairn_is_differential(&p->cfg) ? cairn_footprint_reach_m(&p->body)
							: p->body.front_m + p->body.rear_m) +
			ROOM_SPARE_M;
	for (double dx = -ROOM_NEAR_M; dx <= ROOM_NEAR_M + 1e-9; dx += ROOM_STEP_M)
		for (double dy = -ROOM_NEAR_M; dy <= ROOM_NEAR_M + 1e-9; dy += ROOM_STEP_M)
			if (dx * dx + dy * dy <= ROOM_NEAR_M * ROOM_NEAR_M &&
			    disc_free(&p->costmap, pose->x_m + dx, pose->y_m + dy, radius))
				return true;
	return false;
}

/* Index of the kept pose to back to; false: nowhere on the way is room, or it is hardly a way. */
static bool find_room(const struct cairn_planner *p, uint32_t *ret_to)
{
	const struct cairn_driven_path *c = &p->driven;
	double way = 0.0, beyond = -1.0;
	uint32_t to = c->count;
	for (uint32_t i = c->count; i-- > 0;) {
		if (i + 1 < c->count)
			way += hypot(c->at[i + 1].x_m - c->at[i].x_m, c->at[i + 1].y_m - c->at[i].y_m);
		bool room = planner_has_room(p, &c->at[i]);
		if (beyond >= 0.0 && (!room || way - beyond > BEYOND_M))
			break;
		if (!room)
			continue;
		to = i;
		beyond = beyond < 0.0 ? way : beyond;
	}
	*ret_to = to;
	return beyond >= WORTH_M;
}

bool planner_backs_long(const struct cairn_path *path)
{
	double way = 0.0, back = 0.0;
	for (int i = 1; i < path->count && way < LONG_WITHIN_M; i++) {
		double step = cairn_path_step(path, i);
		way += step;
		back += path->poses[i].reverse ? step : 0.0;
	}
	return back > LONG_M;
}

bool planner_turns_round(const struct cairn_path *path)
{
	double way = 0.0;
	if (!planner_backs_long(path))
		return false;
	for (int i = 1; i < path->count; i++) {
		way += cairn_path_step(path, i);
		double off_m =
		    hypot(path->poses[i].x_m - path->poses[0].x_m, path->poses[i].y_m - path->poses[0].y_m);
		if (way > LONG_WITHIN_M && off_m < ROUND_M)
			return true;
	}
	return false;
}

/* ---- beginning and ending ---- */

bool planner_back_begin(
    struct cairn_planner *p, const struct cairn_pose2 *pose, enum planner_back_why why, int64_t now_ns)
{
	uint32_t to;
	if (p->back.active)
		return true;
	if (planner_has_room(p, pose) || !find_room(p, &to))
		return false;
	struct cairn_path *path = &p->paths[1 - p->path_in_use];
	cairn_driven_path_back(&p->driven, *pose, to, cairn_is_differential(&p->cfg), path);
	if (path->count < 2)
		return false;
	bool again = why != PLANNER_BACK_ON_THE_WAY && p->turned_at.some &&
		     hypot(p->turned_at.x_m - pose->x_m, p->turned_at.y_m - pose->y_m) < AGAIN_M;
	bool in_vain = again || (why == PLANNER_BACK_NO_WAY && !p->started_tight);
	bool only_way = in_vain && planner_closing_cuts_off(p, pose, path);
	if (why == PLANNER_BACK_STUCK && only_way)
		return false; /* it has to get on here: to come again the same way would be the same again */
	p->path_in_use = 1 - p->path_in_use;
	p->have_path = p->path_changed = true;
	p->planned_ns = now_ns;
	p->retreat.active = false;
	cairn_follower_set_path(&p->follower, path);
	struct cairn_vec2 pressed = p->back.pressed_at;
	bool here = hypot(pressed.x_m - pose->x_m, pressed.y_m - pose->y_m) < AGAIN_M;
	/* Who has come in for this goal, or was here before, and has to go out again has found out that there is no way. */
	p->back = (struct planner_back){.active = true,
	    .in_vain = in_vain && !only_way,
	    .aside_m = here ? p->back.aside_m : 0.0, /* as far as it had to go here before */
	    .pressed_at = pressed};
	if (why != PLANNER_BACK_ON_THE_WAY)
		p->turned_at = (struct planner_place){true, pose->x_m, pose->y_m};
	if (p->back.in_vain)
		planner_close_way_in(p, pose, path, now_ns);
	return true;
}

void planner_back_end(struct cairn_planner *p)
{
	if (!p->back.active)
		return;
	p->back.active = p->started_tight = false;
	planner_drop_path(p);
	p->want_plan = true;
	p->tries = 0;
	p->idle.set = p->idle_far.set = false;
}

/* ---- what may be driven ---- */

/* What the safety layers let pass of a motion: 0, or up to its speed. */
static double let_pass_mps(struct cairn_planner *p, struct cairn_monitor_polygons *zones, double v_mps,
    double curvature, int64_t now_ns)
{
	struct cairn_twist want = {v_mps, v_mps * curvature};
	struct cairn_safe_velocity safe = cairn_safe_velocity(&p->cfg, &p->lidar, want, REACTION_S);
	cairn_monitor_polygons_init(zones, &zones->params);
	struct cairn_monitor_polygon_limit limit = cairn_monitor_polygons_limit(
	    zones, &p->lidar, p->lidar.count, curvature, v_mps > 0.0, fabs(v_mps), now_ns);
	return fmin(fabs(safe.twist.v_mps), limit.limit_mps);
}

/* The arc nearest to the wanted one that may be driven. */
static bool find_arc(struct cairn_planner *p, struct cairn_monitor_polygons *zones, double v_mps,
    double wanted, int64_t now_ns, struct cairn_twist *ret)
{
	double limit = 1.0 / p->cfg.robot.turn_radius_min_m, best = INFINITY;
	for (int i = 0; i < 2 * CURVATURES; i++) {
		double step = (i + 1) / 2 * limit / (CURVATURES - 1) * (i % 2 == 0 ? 1.0 : -1.0);
		double k = cairn_clamp(wanted + step, -limit, limit);
		if (fabs(k - wanted) >= best)
			continue;
		double v = let_pass_mps(p, zones, v_mps, k, now_ns);
		if (v < LEAST_MPS)
			continue;
		best = fabs(k - wanted);
		*ret = (struct cairn_twist){copysign(v, v_mps), copysign(v, v_mps) * k};
		return true; /* they come nearest first */
	}
	return false;
}

/* The pose as the way has it that is driven aside. */
static struct cairn_pose2 beside_way(const struct cairn_planner *p, const struct cairn_pose2 *pose)
{
	return cairn_pose_compose(*pose, (struct cairn_pose2){0.0, -p->back.aside_m, 0.0});
}

/* The other way a little, on the arc that leads nearest to how the way back lies. */
static bool find_realignment(struct cairn_planner *p, struct cairn_monitor_polygons *zones,
    const struct cairn_pose2 *pose, double v_mps, int64_t now_ns, struct cairn_twist *ret)
{
	const struct cairn_path *path = &p->paths[p->path_in_use];
	struct cairn_pose2 on =
	    cairn_pose_between(cairn_path_pose2(&path->poses[p->follower.at]), beside_way(p, pose));
	double limit = 1.0 / p->cfg.robot.turn_radius_min_m, best = INFINITY;
	for (int i = 0; i <= 2 * CURVATURES; i++) {
		double k = limit * (i - CURVATURES) / CURVATURES;
		struct cairn_pose2 then = cairn_pose_advance(
		    on, (struct cairn_twist){v_mps, v_mps * k}, REALIGN_AHEAD_M / fabs(v_mps));
		double off = fabs(then.y_m) + 0.3 * fabs(then.yaw_rad);
		if (off >= best)
			continue;
		double v = let_pass_mps(p, zones, v_mps, k, now_ns);
		if (v < LEAST_MPS)
			continue;
		best = off;
		*ret = (struct cairn_twist){copysign(v, v_mps), copysign(v, v_mps) * k};
	}
	return isfinite(best);
}

/* What the depth camera has shown, or never has, that holds the robot: the motor stage says so of itself; where that stands idle,
 * the sequencer may have let nothing pass. */
struct planner_held {
	bool some;
	double bearing_rad, distance_m;
};

static struct planner_held held_by_depth(const struct cairn_planner *p)
{
	const struct cairn_msg_motion *m = &p->motion;
	const struct cairn_msg_nav_goal *g = &p->goal;
	if (m->state == CAIRN_MOTOR_STATE_IDLE)
		return (struct planner_held){
		    g->held_by == CAIRN_SENSOR_DEPTH, g->held_bearing_rad, g->held_m};
	bool pressed = m->state == CAIRN_MOTOR_STATE_BLOCKED || m->state == CAIRN_MOTOR_STATE_SLOWED;
	return (struct planner_held){
	    pressed && m->cause == CAIRN_SENSOR_DEPTH, m->cause_bearing_rad, m->cause_m};
}

/* The same of a motion that this planner lets nothing pass of. */
static struct planner_held stopped_by_depth(const struct cairn_planner *p, double v_mps, double curvature)
{
	struct cairn_twist want = {v_mps, v_mps * curvature};
	struct cairn_safe_velocity safe = cairn_safe_velocity(&p->cfg, &p->lidar, want, REACTION_S);
	bool some = safe.hit && safe.ratio == 0.0 && safe.point >= p->lidar_count;
	return (struct planner_held){some, safe.bearing_rad, safe.free_m};
}

/* The motor stage remembers the floor by dead reckoning, in which the way back lies some centimetres beside where the map has it
 * when the robot has come round a bend. Pressed against the border of what was seen it would stand for good: so the way is driven
 * that much aside. What is there the LiDAR shows, and the motor stage judges every step. */
static void step_aside(struct cairn_planner *p, const struct cairn_pose2 *pose, struct planner_held held)
{
	if (!held.some)
		return;
	double step_m = sin(held.bearing_rad) > 0.0 ? -ASIDE_STEP_M : ASIDE_STEP_M;
	p->back.aside_m = cairn_clamp(p->back.aside_m + step_m, -ASIDE_MAX_M, ASIDE_MAX_M);
	p->back.pressed_at = (struct cairn_vec2){pose->x_m, pose->y_m};
}

/* What the depth camera has not seen lies in the motor stage's memory, and in the sequencer's, a little beside where it lies in this
 * one. The points that they name count here as well: so an arc is found that leads away from them. */
static void hear(struct cairn_planner *p, const struct cairn_pose2 *pose)
{
	struct planner_back *b = &p->back;
	struct planner_held held = held_by_depth(p);
	if (!held.some || p->motion.state == CAIRN_MOTOR_STATE_SLOWED || !(held.distance_m > 0.0))
		return;
	struct cairn_vec2 at = {
	    held.distance_m * cos(held.bearing_rad), held.distance_m * sin(held.bearing_rad)};
	at = cairn_pose_apply(*pose, at);
	for (uint32_t i = 0; i < b->heard_count && i < PLANNER_HEARD; i++)
		if (hypot(b->heard[i].x_m - at.x_m, b->heard[i].y_m - at.y_m) < HEARD_SAME_M)
			return;
	b->heard[b->heard_count++ % PLANNER_HEARD] = at;
}

static void add_heard(struct cairn_planner *p, const struct cairn_pose2 *pose)
{
	for (uint32_t i = 0; i < p->back.heard_count && i < PLANNER_HEARD; i++) {
		struct cairn_pose2 at = cairn_pose_between(
		    *pose, (struct cairn_pose2){p->back.heard[i].x_m, p->back.heard[i].y_m, 0.0});
		if (p->lidar.count == CAIRN_POINTS_MAX)
			return;
		p->lidar.x_m[p->lidar.count] = (float)at.x_m;
		p->lidar.y_m[p->lidar.count++] = (float)at.y_m;
	}
}

static void look(struct cairn_planner *p, const struct cairn_pose2 *pose)
{
	hear(p, pose);
	planner_see_lidar(p, pose);
	p->lidar_count = p->lidar.count;
	p->lidar.behind = 0;
	p->lidar.sight = (struct cairn_sight){0};
	add_heard(p, pose);
	cairn_depth_layer_points(
	    &p->floor, *pose, &p->lidar); /* last: the border of the unseen lies behind all others */
}

/* ---- whether it is due ---- */

/* The motor stage is idle because the planner proposed nothing, or what the sequencer lets nothing pass of. That is not being held. */
static bool idle_by_itself(struct cairn_planner *p, const struct cairn_pose2 *pose, int64_t now_ns)
{
	struct cairn_monitor_polygons zones = {.params = cairn_monitor_polygons_params_from(&p->cfg)};
	double v_mps = p->proposed.v_mps;
	if (p->motion.state != CAIRN_MOTOR_STATE_IDLE || p->motion_t_ns == 0)
		return false;
	look(p, pose);
	return v_mps == 0.0 ||
	       let_pass_mps(p, &zones, v_mps, p->proposed.w_radps / v_mps, now_ns) < LEAST_MPS;
}

/* It stays around one place without room, driving: to and fro in a small one, or, a little before the sequencer says so, in
 * a larger one without coming nearer to the goal. */
bool planner_back_due(struct cairn_planner *p, const struct cairn_pose2 *pose, bool held, int64_t now_ns)
{
	double left_m = p->have_path && p->found == CAIRN_PLAN_OK ? p->status.remaining_m : INFINITY;
	if (planner_has_room(p, pose) || (held && !idle_by_itself(p, pose, now_ns))) {
		p->idle.set = p->idle_far.set = false;
		return false;
	}
	if (left_m < p->idle_left_m - MOVED_M || !p->idle_far.set) {
		p->idle_left_m = left_m;
		p->idle_far.set = false;
	}
	bool near = cairn_safety_cost_idle_s(&p->idle, pose, IDLE_M, now_ns) >= IDLE_S;
	bool far = cairn_safety_cost_idle_s(&p->idle_far, pose, p->cfg.nav.progress_m, now_ns) >=
		   IDLE_SHARE * p->cfg.nav.progress_s;
	return near || far;
}

/* ---- driving ---- */

/* Does the LiDAR show something where the body is to go next? Walls stand beside it. */
static bool way_blocked(const struct cairn_planner *p, const struct cairn_pose2 *pose)
{
	const struct cairn_path *path = &p->paths[p->path_in_use];
	struct cairn_footprint slim = {
	    p->body.front_m - SLIM_M, p->body.rear_m, p->body.half_width_m - SLIM_M};
	double way = 0.0;
	for (int i = p->follower.at + 1; i <= p->follower.leg_end && way < LOOK_M; i++) {
		struct cairn_pose2 at = cairn_pose_between(*pose, cairn_path_pose2(&path->poses[i]));
		double c = cos(at.yaw_rad), s = sin(at.yaw_rad);
		way += cairn_path_step(path, i);
		for (size_t k = 0; k < p->lidar_count; k++) {
			double dx = (double)p->lidar.x_m[k] - at.x_m, dy = (double)p->lidar.y_m[k] - at.y_m;
			double x = c * dx + s * dy, y = c * dy - s * dx;
			if (x < slim.front_m && x > -slim.rear_m && fabs(y) < slim.half_width_m)
				return true;
		}
	}
	return false;
}

static void realign_from(struct planner_back *b, const struct cairn_pose2 *pose)
{
	b->realigning = true;
	b->realign = *pose;
	b->creep.set = false;
}

static struct cairn_twist steer(
    struct cairn_planner *p, const struct cairn_pose2 *pose, struct cairn_twist wanted, int64_t now_ns)
{
	struct planner_back *b = &p->back;
	struct cairn_monitor_polygons zones = {.params = cairn_monitor_polygons_params_from(&p->cfg)};
	struct cairn_twist twist = {0.0, 0.0};
	double speed = fmin(fmin(fabs(wanted.v_mps), SPEED_MPS), p->goal.speed_max_mps);
	double v = copysign(speed, wanted.v_mps), curvature = wanted.w_radps / wanted.v_mps;
	/* The motor stage may see what is not seen here, and reckons its own way: so what stands still is not let pass. */
	bool stands = cairn_safety_cost_idle_s(&b->creep, pose, CREEP_M, now_ns) > STANDS_S;
	look(p, pose);
	if (way_blocked(p, pose)) {
		b->realigning = b->creep.set = false;
		return twist;
	}
	if (!b->realigning && stands) {
		step_aside(p, pose, held_by_depth(p));
		realign_from(b, pose);
	} else if (b->realigning &&
		   (stands || hypot(pose->x_m - b->realign.x_m, pose->y_m - b->realign.y_m) >= REALIGN_M)) {
		b->realigning = b->creep.set = false;
	}
	if (!b->realigning && find_arc(p, &zones, v, curvature, now_ns, &twist))
		return twist;
	if (!b->realigning) {
		step_aside(p, pose, stopped_by_depth(p, v, curvature));
		realign_from(b, pose);
	}
	if (find_realignment(p, &zones, pose, -copysign(REALIGN_MPS, v), now_ns, &twist))
		return twist;
	b->realigning = false;
	(void)find_arc(p, &zones, v, curvature, now_ns, &twist);
	return twist;
}

/* Time without having come nearer to the end of the way. */
static double waited_s(struct planner_back *b, double left_m, bool held, int64_t now_ns)
{
	if (held)
		b->creep.set = false;
	if (held || b->t_nearer_ns == 0 || left_m < b->least_m - MOVED_M) {
		b->least_m = left_m;
		b->t_nearer_ns = now_ns;
	}
	return (double)(now_ns - b->t_nearer_ns) * 1e-9;
}

struct cairn_twist planner_back_step(
    struct cairn_planner *p, const struct cairn_pose2 *pose, bool held, int64_t now_ns)
{
	struct cairn_pose2 as_if = beside_way(p, pose);
	held = held && p->motion.state != CAIRN_MOTOR_STATE_IDLE; /* that is the planner's own doing */
	struct cairn_follow_input in = {
	    .pose = as_if, .speed_max_mps = SPEED_MPS, .room_m = ROOM_NEAR_M, .held = true, .now_ns = now_ns};
	struct cairn_follow_output out;
	struct cairn_twist zero = {0.0, 0.0};
	cairn_follower_step(&p->follower, &in, &out);
	p->status.remaining_m = out.remaining_m;
	bool ends = out.remaining_m < BEYOND_M && planner_has_room(p, pose) &&
		    cairn_safety_cost_idle_s(&p->back.creep, pose, CREEP_M, now_ns) > AT_END_S;
	if (out.status != CAIRN_FOLLOW_DRIVING || ends) { /* there, or off the way: it is looked for anew */
		bool in_vain = p->back.in_vain && out.remaining_m < BEYOND_M;
		planner_back_end(p);
		p->finished = in_vain;
		if (in_vain)
			planner_say(p, CAIRN_NAV_STATE_NO_PATH, "went in and had to back out again");
		return zero;
	}
	if (waited_s(&p->back, out.remaining_m, held, now_ns) > PATIENCE_S) {
		planner_back_end(p);
		p->finished = true;
		planner_say(p, CAIRN_NAV_STATE_START_BLOCKED, "the way back is blocked");
		return zero;
	}
	struct cairn_twist twist = steer(p, pose, out.twist, now_ns);
	planner_say(p, CAIRN_NAV_STATE_FOLLOWING,
	    twist.v_mps != 0.0 ? "backing out the way it came" : "something stands in the way back");
	p->status.backing_out = true;
	return twist;
}
