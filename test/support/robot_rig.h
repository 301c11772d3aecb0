/* robot_rig.h - a sequencer in closed loop with a small room, a bicycle model and a naive planner, without
 * processes.
 *
 * The room is line segments in the map frame; the robot starts at (0, 0, 0). The LiDAR has noise and
 * dropouts, the wheels lag behind commands, the planner drives straight at its goal whatever is in the way.
 * Contacts are judged by geometry alone. */
#ifndef CAIRN_TEST_SUPPORT_ROBOT_RIG_H
#define CAIRN_TEST_SUPPORT_ROBOT_RIG_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/sequencer/sequencer.h"

#define RIG_STEP_NS (50 * CAIRN_NS_PER_MS)
#define RIG_SEGMENTS_MAX 64
#define RIG_RAYS 360

struct rig_segment {
	double ax_m, ay_m, bx_m, by_m;
};

enum rig_planner {
	RIG_PLANNER_DRIVES,
	RIG_PLANNER_SILENT,
	RIG_PLANNER_NO_PATH,
	RIG_PLANNER_STUCK,
	RIG_PLANNER_BOXED_IN,   /* start_blocked */
	RIG_PLANNER_TO_AND_FRO, /* two seconds each */
	RIG_PLANNER_CREEPS,     /* straight on */
	RIG_PLANNER_BACKS_OUT   /* or would, were the way back free */
};

struct rig {
	struct cairn_config cfg;
	struct cairn_sequencer *seq;
	struct cairn_sequencer_output out;
	struct rig_segment segments[RIG_SEGMENTS_MAX];
	int segment_count;
	struct cairn_rng rng;
	int64_t now_ns;
	uint64_t steps;

	struct cairn_pose2 pose; /* truth, map frame */
	double v_mps, curvature_1pm, path_m;
	uint32_t contacts;
	bool touching;
	bool noise;

	bool scan_off, pose_off, motion_off;
	enum cairn_motor_state motor_state; /* IDLE: by what is driven */
	enum cairn_tracking tracking;
	struct cairn_msg_frontiers frontiers;
	bool frontiers_seen_into; /* a frontier vanishes when the robot is at its goal */
	enum rig_planner planner;
	bool tells_no_path;
	bool detours; /* its path goes by way of this point */
	struct cairn_vec2 by_way;
	bool tight;    /* the planner says that there is no room to turn round */
	double part_m; /* above 0: the planner has a part of a path, and so much of that is left */
	double way_m;  /* above 0: so much is left of the whole path, which leads round */
	char planner_reason[64];
	uint64_t next_decision_id;
	uint64_t results, result_errors;
	struct cairn_msg_result last_result;       /* newest of any source */
	struct cairn_msg_result last_model_result; /* newest with an id */
	uint8_t seen[4096];                        /* results by decision id */
	uint32_t outcomes[CAIRN_OUTCOME_COUNT];    /* of decisions with an id */
	struct cairn_msg_scan scan;
};

static inline void rig_wall(struct rig *r, double ax, double ay, double bx, double by)
{
	r->segments[r->segment_count++] = (struct rig_segment){ax, ay, bx, by};
}

static inline void rig_box(struct rig *r, double x0, double y0, double x1, double y1)
{
	rig_wall(r, x0, y0, x1, y0);
	rig_wall(r, x1, y0, x1, y1);
	rig_wall(r, x1, y1, x0, y1);
	rig_wall(r, x0, y1, x0, y0);
}

/* An empty rig; add walls, then rig_start. */
static inline struct rig *rig_new(uint64_t seed)
{
	struct rig *r = calloc(1, sizeof(*r));
	cairn_config_defaults(&r->cfg);
	cairn_rng_seed(&r->rng, seed, 7);
	r->now_ns = 1000 * CAIRN_NS_PER_S;
	r->tracking = CAIRN_TRACKING_GOOD;
	r->noise = true;
	r->frontiers.free_m2 = 10.0;
	r->next_decision_id = 1;
	return r;
}

/* A room of 6 by 5 m with a table, a box and a wall with a door of 0.8 m. */
static inline struct rig *rig_room(uint64_t seed)
{
	struct rig *r = rig_new(seed);
	rig_box(r, -1.5, -2.5, 4.5, 2.5);
	rig_box(r, 1.5, 1.0, 2.2, 1.7);
	rig_box(r, 0.2, -1.8, 0.7, -1.2);
	rig_wall(r, 2.5, -2.5, 2.5, -0.4);
	rig_wall(r, 2.5, 0.4, 2.5, 2.5);
	return r;
}

static inline void rig_start(struct rig *r)
{
	r->seq = cairn_sequencer_new(&r->cfg, NULL, r->now_ns);
}

static inline void rig_free(struct rig *r)
{
	cairn_sequencer_destroy(&r->seq);
	free(r);
}

static inline double rig_ray(const struct rig *r, double x, double y, double dx, double dy)
{
	double best = INFINITY;
	for (int i = 0; i < r->segment_count; i++) {
		const struct rig_segment *s = &r->segments[i];
		double ex = s->bx_m - s->ax_m, ey = s->by_m - s->ay_m;
		double det = ex * dy - ey * dx;
		if (fabs(det) < 1e-12)
			continue;
		double qx = s->ax_m - x, qy = s->ay_m - y;
		double t = (ex * qy - ey * qx) / det;
		double u = (dx * qy - dy * qx) / det;
		if (t > 0.0 && t < best && u >= 0.0 && u <= 1.0)
			best = t;
	}
	return best;
}

/* r->scan as the LiDAR sees the room from here. */
static inline void rig_look(struct rig *r)
{
	struct cairn_msg_scan *s = &r->scan;
	struct cairn_vec2 lidar =
	    cairn_pose_apply(r->pose, (struct cairn_vec2){r->cfg.robot.lidar_x_m, r->cfg.robot.lidar_y_m});
	s->range_min_m = 0.05f;
	s->range_max_m = 12.0f;
	s->angle_rad_count = s->range_m_count = RIG_RAYS;
	for (int i = 0; i < RIG_RAYS; i++) {
		double a = i * 2.0 * M_PI / RIG_RAYS;
		double range =
		    rig_ray(r, lidar.x_m, lidar.y_m, cos(a + r->pose.yaw_rad), sin(a + r->pose.yaw_rad));
		if (r->noise)
			range += 0.01 * cairn_rng_normal(&r->rng);
		if (!isfinite(range) || (r->noise && cairn_rng_uniform(&r->rng) < 0.02))
			range = 0.0;
		s->angle_rad[i] = (float)a;
		s->range_m[i] = (float)range;
	}
}

static inline void rig_scan(struct rig *r)
{
	rig_look(r);
	cairn_sequencer_on_scan(r->seq, &r->scan, r->now_ns);
}

/* The body's rectangle against every wall: clip the segment to the rectangle in the robot frame. */
static inline bool rig_touches(const struct rig *r)
{
	double front = r->cfg.robot.footprint_front_m, rear = r->cfg.robot.footprint_rear_m;
	double half = r->cfg.robot.footprint_half_width_m;
	double c = cos(r->pose.yaw_rad), s = sin(r->pose.yaw_rad);
	for (int i = 0; i < r->segment_count; i++) {
		const struct rig_segment *g = &r->segments[i];
		double ax = g->ax_m - r->pose.x_m, ay = g->ay_m - r->pose.y_m;
		double bx = g->bx_m - r->pose.x_m, by = g->by_m - r->pose.y_m;
		double p[2] = {c * ax + s * ay, c * ay - s * ax}, q[2] = {c * bx + s * by, c * by - s * bx};
		double lo[2] = {-rear, -half}, hi[2] = {front, half}, t0 = 0.0, t1 = 1.0;
		for (int k = 0; k < 2 && t0 <= t1; k++) {
			double d = q[k] - p[k];
			if (fabs(d) < 1e-12) {
				if (p[k] < lo[k] || p[k] > hi[k])
					t1 = -1.0;
				continue;
			}
			double u = (lo[k] - p[k]) / d, w = (hi[k] - p[k]) / d;
			t0 = fmax(t0, fmin(u, w));
			t1 = fmin(t1, fmax(u, w));
		}
		if (t0 <= t1)
			return true;
	}
	return false;
}

/* 50 ms of wheels that follow with limits and steering that lags; a contact stops the body where it is. */
static inline void rig_drive(struct rig *r)
{
	const double dt = 0.01;
	double v = r->out.cmd_vel.v_mps, w = r->out.cmd_vel.w_radps;
	double curvature = fabs(v) > 1e-6 ? w / v : r->curvature_1pm;
	for (int i = 0; i < 5; i++) {
		bool faster = fabs(v) > fabs(r->v_mps) && v * r->v_mps >= 0.0;
		double step = (faster ? r->cfg.robot.accel_max_mps2 : r->cfg.robot.decel_max_mps2) * dt;
		r->v_mps += cairn_clamp(v - r->v_mps, -step, step);
		r->curvature_1pm += (curvature - r->curvature_1pm) * (dt / 0.10);
		struct cairn_pose2 before = r->pose;
		r->pose = cairn_pose_advance(
		    r->pose, (struct cairn_twist){r->v_mps, r->v_mps * r->curvature_1pm}, dt);
		bool touches = rig_touches(r);
		if (touches) {
			r->contacts += r->touching ? 0 : 1;
			r->pose = before;
			r->v_mps = 0.0;
		} else {
			r->path_m += fabs(r->v_mps) * dt;
		}
		r->touching = touches;
	}
}

/* Straight to the goal, or by way of a point. */
static inline void rig_path(struct rig *r, const struct cairn_msg_nav_goal *g)
{
	static struct cairn_msg_nav_path path;
	path = (struct cairn_msg_nav_path){.goal_id = g->id};
	path.points[path.points_count++] =
	    (struct cairn_msg_path_point){.x_m = (float)r->pose.x_m, .y_m = (float)r->pose.y_m};
	if (r->detours)
		path.points[path.points_count++] =
		    (struct cairn_msg_path_point){.x_m = (float)r->by_way.x_m, .y_m = (float)r->by_way.y_m};
	path.points[path.points_count++] =
	    (struct cairn_msg_path_point){.x_m = (float)g->x_m, .y_m = (float)g->y_m};
	cairn_sequencer_on_nav_path(r->seq, &path, r->now_ns);
}

static inline void rig_planner(struct rig *r)
{
	const struct cairn_msg_nav_goal *g = &r->out.nav_goal;
	if (r->planner == RIG_PLANNER_SILENT)
		return;
	struct cairn_msg_nav_status status = {.goal_id = g->id, .state = CAIRN_NAV_STATE_IDLE};
	struct cairn_msg_nav_velocity velocity = {.goal_id = g->id};
	if (g->active) {
		double d = hypot(g->x_m - r->pose.x_m, g->y_m - r->pose.y_m);
		double a =
		    cairn_wrap_rad(atan2(g->y_m - r->pose.y_m, g->x_m - r->pose.x_m) - r->pose.yaw_rad);
		double limit = 1.0 / (1.05 * r->cfg.robot.turn_radius_min_m);
		status.remaining_m = r->part_m > 0.0 ? r->part_m : r->way_m > 0.0 ? r->way_m : d;
		snprintf(status.reason, sizeof(status.reason), "%s", r->planner_reason);
		if (r->planner == RIG_PLANNER_NO_PATH)
			status.state = CAIRN_NAV_STATE_NO_PATH;
		else if (r->planner == RIG_PLANNER_STUCK)
			status.state = CAIRN_NAV_STATE_STUCK;
		else if (r->planner == RIG_PLANNER_BOXED_IN)
			status.state = CAIRN_NAV_STATE_START_BLOCKED;
		else
			status.state =
			    d <= g->tolerance_m ? CAIRN_NAV_STATE_REACHED : CAIRN_NAV_STATE_FOLLOWING;
		status.tight = r->tight;
		status.backing_out = r->planner == RIG_PLANNER_BACKS_OUT;
		status.partial = r->part_m > 0.0 && status.state == CAIRN_NAV_STATE_FOLLOWING;
		if (status.state == CAIRN_NAV_STATE_FOLLOWING) {
			velocity.v_mps = fabs(a) > 2.2 ? -0.15 : 0.3;
			velocity.w_radps = 0.3 * cairn_clamp(2.0 * sin(a) / fmax(d, 0.3), -limit, limit);
			if (fabs(a) > 1.2)
				velocity.w_radps = fabs(velocity.v_mps) * copysign(limit, a);
			if (r->planner == RIG_PLANNER_TO_AND_FRO)
				velocity = (struct cairn_msg_nav_velocity){
				    .goal_id = g->id, .v_mps = r->steps / 40 % 2 == 0 ? 0.2 : -0.2};
			if (r->planner == RIG_PLANNER_CREEPS)
				velocity = (struct cairn_msg_nav_velocity){.goal_id = g->id, .v_mps = 0.12};
			if (r->planner == RIG_PLANNER_BACKS_OUT)
				velocity = (struct cairn_msg_nav_velocity){.goal_id = g->id};
			cairn_sequencer_on_nav_velocity(r->seq, &velocity, r->now_ns);
			if (!r->tells_no_path)
				rig_path(r, g);
		}
	}
	cairn_sequencer_on_nav_status(r->seq, &status, r->now_ns);
}

static inline void rig_frontier(struct rig *r, uint32_t id, double x, double y, double width)
{
	struct cairn_msg_frontier *f = &r->frontiers.items[r->frontiers.items_count++];
	*f = (struct cairn_msg_frontier){
	    .id = id, .x_m = x, .y_m = y, .goal_x_m = x, .goal_y_m = y, .cells = 20, .width_m = width};
}

static inline void rig_frontiers(struct rig *r)
{
	struct cairn_msg_frontiers *f = &r->frontiers;
	for (uint32_t i = f->items_count; i-- > 0;) {
		double d = hypot(f->items[i].goal_x_m - r->pose.x_m, f->items[i].goal_y_m - r->pose.y_m);
		if (f->items[i].distance_m >= 0.0)
			f->items[i].distance_m = d;
		if (!r->frontiers_seen_into || d > 0.35)
			continue;
		memmove(&f->items[i], &f->items[i + 1], (f->items_count - i - 1) * sizeof(f->items[0]));
		f->items_count--;
		f->free_m2 += 3.0;
	}
	f->total = f->reachable = f->items_count;
	cairn_sequencer_on_frontiers(r->seq, f, r->now_ns);
}

static inline void rig_collect(struct rig *r)
{
	struct cairn_msg_result res;
	while (cairn_sequencer_next_result(r->seq, &res)) {
		r->results++;
		r->last_result = res;
		if (getenv("RIG_TRACE") != NULL)
			fprintf(stderr, "%.2f %s %s: %s; %s; %s at (%.2f %.2f %.2f)\n",
			    (double)r->steps * 0.05, cairn_enum_text(&cairn_enum_source, (int)res.source),
			    cairn_enum_text(&cairn_enum_outcome, (int)res.outcome), res.asked, res.executed,
			    res.reason, r->pose.x_m, r->pose.y_m, r->pose.yaw_rad);
		if (res.decision_id == 0)
			continue;
		r->last_model_result = res;
		r->outcomes[res.outcome]++;
		uint64_t slot = res.decision_id % sizeof(r->seen);
		if (r->seen[slot]++ != 0 || res.outcome == CAIRN_OUTCOME_NONE || res.reason[0] == '\0' ||
		    res.asked[0] == '\0')
			r->result_errors++;
	}
}

static inline void rig_pose_and_motion(struct rig *r)
{
	if (!r->pose_off) {
		struct cairn_msg_pose pose = {.x_m = r->pose.x_m,
		    .y_m = r->pose.y_m,
		    .yaw_rad = r->pose.yaw_rad,
		    .tracking = r->tracking,
		    .distance_m = r->path_m,
		    .v_mps = r->v_mps};
		cairn_sequencer_on_pose(r->seq, &pose, r->now_ns);
	}
	if (!r->motion_off) {
		struct cairn_msg_motion m = {
		    .state = r->motor_state, .v_mps = r->v_mps, .w_radps = r->v_mps * r->curvature_1pm};
		if (r->motor_state == CAIRN_MOTOR_STATE_IDLE && r->v_mps != 0.0)
			m.state = CAIRN_MOTOR_STATE_DRIVING;
		snprintf(m.reason, sizeof(m.reason), "test");
		cairn_sequencer_on_motion(r->seq, &m, r->now_ns);
	}
}

static inline void rig_step(struct rig *r)
{
	r->now_ns += RIG_STEP_NS;
	r->steps++;
	rig_drive(r);
	if (!r->scan_off && r->steps % 2 == 0)
		rig_scan(r);
	rig_pose_and_motion(r);
	if (r->steps % 10 == 0)
		rig_frontiers(r);
	rig_planner(r);
	cairn_sequencer_step(r->seq, r->now_ns, &r->out);
	rig_collect(r);
}

static inline void rig_run(struct rig *r, double seconds)
{
	for (int i = 0; i < (int)(seconds * 20.0 + 0.5); i++)
		rig_step(r);
}

/* A decision of the model about what it sees just now. */
static inline struct cairn_msg_decision rig_decision(struct rig *r, enum cairn_tool tool)
{
	return (struct cairn_msg_decision){.id = r->next_decision_id++,
	    .snapshot_id = 1,
	    .t_snapshot_ns = r->now_ns - 300 * CAIRN_NS_PER_MS,
	    .snapshot_x_m = r->pose.x_m,
	    .snapshot_y_m = r->pose.y_m,
	    .snapshot_yaw_rad = r->pose.yaw_rad,
	    .source = CAIRN_SOURCE_MODEL,
	    .tool = tool,
	    .duration_s = 2.0};
}

static inline void rig_decide(struct rig *r, const struct cairn_msg_decision *d)
{
	cairn_sequencer_on_decision(r->seq, d, 77, r->now_ns);
	rig_collect(r);
}

static inline uint64_t rig_move(
    struct rig *r, enum cairn_direction direction, enum cairn_speed speed, double duration_s)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	d.direction = direction;
	d.speed = speed;
	d.duration_s = duration_s;
	rig_decide(r, &d);
	return d.id;
}

static inline struct cairn_msg_reply rig_command(
    struct rig *r, const char *verb, double x, double y, double limit_s)
{
	struct cairn_msg_command cmd = {.x_m = x, .y_m = y, .limit_s = limit_s};
	struct cairn_msg_reply reply;
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", verb);
	cairn_sequencer_on_command(r->seq, &cmd, r->now_ns, &reply);
	rig_collect(r);
	return reply;
}

/* Steps until the mission is in state, at most seconds. */
static inline bool rig_until(struct rig *r, enum cairn_mission_state state, double seconds)
{
	for (int i = 0; i < (int)(seconds * 20.0); i++) {
		rig_step(r);
		if (r->out.mission.state == state)
			return true;
	}
	return false;
}

/* Steps until the decision has its result, at most seconds. */
static inline bool rig_until_result(struct rig *r, uint64_t id, double seconds)
{
	for (int i = 0; i < (int)(seconds * 20.0) && r->seen[id % sizeof(r->seen)] == 0; i++)
		rig_step(r);
	return r->seen[id % sizeof(r->seen)] != 0;
}

/* Exploring in an empty room with two frontiers, half a second after the start. */
static inline struct rig *rig_exploring(void)
{
	struct rig *r = rig_new(1);
	rig_box(r, -2.5, -2.5, 3.5, 2.5); /* empty: the planner knows nothing of obstacles */
	rig_frontier(r, 1, 0.5, 1.8, 1.0);
	rig_frontier(r, 2, -1.0, -1.6, 0.9);
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	rig_run(r, 0.5);
	return r;
}

/* The same in the furnished room. */
static inline struct rig *rig_exploring_furnished(void)
{
	struct rig *r = rig_room(1);
	rig_frontier(r, 1, 3.5, 1.5, 1.0);
	rig_frontier(r, 2, -1.0, -2.0, 0.9);
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	rig_run(r, 0.5);
	return r;
}

#endif
