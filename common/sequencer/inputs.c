#include "common/sequencer/sequencer_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/camera/camera_pose.h"

#define MOTION_TIMEOUT_S 0.5
#define POINTS_MIN 8          /* a scan with fewer returns sees nothing: a covered or failing LiDAR */
#define COMPENSATE_MAX_S 0.35 /* older scans are not driven on anyway */
#define SIGHT_SPARE_RAD 0.05  /* at the picture's edge a column shows half a cell only */
#define JUMP_MAX_M 1.0        /* a mapper that was reborn counts its path anew */

/* Fresh: not older than limit_s and not from the future by more than 50 ms; t_ns 0 means never heard. */
static bool fresh(int64_t t_ns, int64_t now_ns, double limit_s)
{
	double age_s = seq_seconds(t_ns, now_ns);
	return t_ns != 0 && age_s <= limit_s && age_s >= -0.05;
}

/* What the motor stage says it drives; what was asked of it when it says nothing. */
static struct cairn_twist driven(const struct cairn_sequencer *seq)
{
	if (seq->inputs.now.motion_ok)
		return (struct cairn_twist){seq->inputs.motion.v_mps, seq->inputs.motion.w_radps};
	return seq->step.cmd;
}

struct cairn_pose2 seq_pose_at(const struct cairn_sequencer *seq, int64_t t_ns)
{
	double since_s =
	    cairn_clamp(seq_seconds(seq->inputs.t_pose_ns, t_ns), -COMPENSATE_MAX_S, COMPENSATE_MAX_S);
	return cairn_pose_advance(seq_pose(seq), driven(seq), since_s);
}

/* What the depth camera shows, a little less than its data sheet says: as far to both sides as its field of view, or, where it is
 * mounted with a roll, as the picture shows the floor on both sides. */
static struct cairn_sight sight_of(const struct cairn_config *cfg)
{
	struct cairn_camera_mount m = cairn_camera_mount_from(cfg);
	struct cairn_camera_pose camera =
	    cairn_camera_pose_from(cfg, cfg->camera.width_px, cfg->camera.height_px);
	double half_rad = 0.5 * cfg->robot.camera_hfov_rad, near_m = INFINITY;
	do {
		half_rad = fmax(half_rad - SIGHT_SPARE_RAD, SIGHT_SPARE_RAD);
		double left_m = cairn_camera_shown_from_m(
			   &camera, m.yaw_rad + half_rad, cfg->safety.depth_height_min_m),
		       right_m = cairn_camera_shown_from_m(
			   &camera, m.yaw_rad - half_rad, cfg->safety.depth_height_min_m);
		near_m = fmax(left_m, right_m) * cos(half_rad);
	} while (isinf(near_m) && half_rad > SIGHT_SPARE_RAD);
	return (struct cairn_sight){.at = {m.x_m, m.y_m, m.yaw_rad},
	    .near_m = near_m + CAIRN_DEPTH_LAYER_CELL_M,
	    .tan_half = tan(half_rad)};
}

/* The points as they lie now: the robot has moved since the scan by what the motor stage says it drives. */
static void compensate(struct cairn_sequencer *seq, int64_t now_ns)
{
	double age_s = cairn_clamp(seq_seconds(seq->inputs.t_scan_ns, now_ns), 0.0, COMPENSATE_MAX_S);
	struct cairn_twist t = driven(seq);
	struct cairn_pose2 moved = cairn_pose_advance((struct cairn_pose2){0}, t, age_s);
	cairn_points_move(&seq->inputs.points, &seq->inputs.scan_points, moved);
	seq->inputs.lidar_count = seq->inputs.points.count;
	if (seq->inputs.t_depth_ns == 0 || seq->inputs.t_pose_ns == 0)
		return;
	struct cairn_pose2 now = seq_pose_at(seq, now_ns);
	cairn_depth_layer_drive(&seq->inputs.depth_layer, now);
	cairn_depth_layer_points(&seq->inputs.depth_layer, now, &seq->inputs.points);
	seq->inputs.points.sight = sight_of(seq->cfg);
}

struct seq_cause seq_cause_of(const struct cairn_sequencer *seq, bool hit, size_t point)
{
	if (!hit || point >= seq->inputs.points.count + seq->inputs.points.behind)
		return (struct seq_cause){CAIRN_SENSOR_NONE, 0.0, -1.0};
	double x = (double)seq->inputs.points.x_m[point], y = (double)seq->inputs.points.y_m[point];
	enum cairn_sensor sensor = point < seq->inputs.lidar_count ? CAIRN_SENSOR_LIDAR : CAIRN_SENSOR_DEPTH;
	return (struct seq_cause){sensor, atan2(y, x), hypot(x, y)};
}

/* Path and turn of what is being executed, by the mapper's pose. */
static void odometry(struct cairn_sequencer *seq)
{
	struct cairn_pose2 pose = seq_pose(seq);
	if (seq->step.last_pose_valid && seq_executing(seq)) {
		double d = seq->inputs.pose.distance_m - seq->step.last_distance_m;
		if (d > 0.0 && d < JUMP_MAX_M)
			seq->task.distance_m += d;
		seq->task.turned_rad += cairn_wrap_rad(pose.yaw_rad - seq->step.last_pose.yaw_rad);
	}
	seq->step.last_pose = pose;
	seq->step.last_distance_m = seq->inputs.pose.distance_m;
	seq->step.last_pose_valid = true;
}

static void motor_hold(struct cairn_sequencer *seq)
{
	struct seq_fresh *s = &seq->inputs.now;
	if (seq->inputs.t_motion_ns == 0)
		return; /* never heard: not there yet, or not part of this set-up */
	if (!s->motion_ok) {
		snprintf(s->hold, sizeof(s->hold), "the motor stage is silent");
		return;
	}
	switch (seq->inputs.motion.state) {
	case CAIRN_MOTOR_STATE_ESTOP:
		s->estop = true;
		snprintf(s->hold, sizeof(s->hold), "emergency stop: %.64s", seq->inputs.motion.reason);
		return;
	case CAIRN_MOTOR_STATE_CONTRADICTION:
	case CAIRN_MOTOR_STATE_TILTED:
	case CAIRN_MOTOR_STATE_BATTERY_EMPTY:
		snprintf(s->hold, sizeof(s->hold), "%.90s", seq->inputs.motion.reason);
		return;
	case CAIRN_MOTOR_STATE_NO_SCAN:
	case CAIRN_MOTOR_STATE_REARMING:
	case CAIRN_MOTOR_STATE_NO_DEVICE:
	case CAIRN_MOTOR_STATE_NO_COMMAND:
	case CAIRN_MOTOR_STATE_WHEEL_FAULT:
		snprintf(s->hold, sizeof(s->hold), "the motor stage waits: %s",
		    cairn_enum_text(&cairn_enum_motor_state, (int)seq->inputs.motion.state));
		return;
	case CAIRN_MOTOR_STATE_IDLE:
	case CAIRN_MOTOR_STATE_DRIVING:
	case CAIRN_MOTOR_STATE_SLOWED:
	case CAIRN_MOTOR_STATE_BLOCKED:
	case CAIRN_MOTOR_STATE_COUNT:
		return;
	}
}

/* Keeps what is seen now, to be held against what is seen when an answer comes. */
static struct cairn_pose2 keep_look(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct cairn_pose2 pose = seq_pose_at(seq, seq->inputs.t_scan_ns);
	cairn_scene_change_add_all(&seq->inputs.scene, &seq->inputs.scan_points, pose, &seq->inputs.points,
	    seq_pose_at(seq, now_ns), seq->inputs.t_scan_ns, seq->cfg->safety.decision_max_age_s);
	return pose;
}

void cairn_sequencer_has_looked(struct cairn_sequencer *seq, int64_t t_ns)
{
	if (seq->inputs.t_scan_ns == 0 || seq->inputs.t_pose_ns == 0)
		return;
	compensate(seq, t_ns);
	(void)keep_look(seq, t_ns);
}

void seq_inputs_update(struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct cairn_config_safety *cfg = &seq->cfg->safety;
	struct seq_fresh *s = &seq->inputs.now;
	memset(s, 0, sizeof(*s));
	bool scan_fresh = fresh(seq->inputs.t_scan_ns, now_ns, cfg->scan_timeout_s);
	s->scan_ok = scan_fresh && seq->inputs.scan_points.count >= POINTS_MIN;
	s->pose_ok = fresh(seq->inputs.t_pose_ns, now_ns, cfg->pose_timeout_s);
	s->motion_ok = fresh(seq->inputs.t_motion_ns, now_ns, MOTION_TIMEOUT_S);
	motor_hold(seq);
	if (!s->estop && !s->scan_ok)
		snprintf(s->hold, sizeof(s->hold), "%s",
		    seq->inputs.t_scan_ns == 0 ? "no scan yet"
		    : scan_fresh               ? "the LiDAR sees nothing at all"
					       : "the scan is too old");
	else if (s->hold[0] == '\0' && !s->pose_ok)
		snprintf(s->hold, sizeof(s->hold), "%s",
		    seq->inputs.t_pose_ns == 0 ? "no pose yet" : "the pose is too old");
	if (!s->estop && seq->mission.record.zones_doubt != CAIRN_ZONE_DOUBT_NONE)
		snprintf(
		    s->hold, sizeof(s->hold), "%s", cairn_zone_doubt_text(seq->mission.record.zones_doubt));
	if (!s->estop &&
	    seq->degraded.in_force.wish == CAIRN_WITHOUT_STAND) /* the cause of what else is missing */
		snprintf(s->hold, sizeof(s->hold), "%s is held failed", seq->degraded.in_force.stage);
	compensate(seq, now_ns);
	if (s->pose_ok)
		odometry(seq);
	seq_trail_note(seq);
	if (s->pose_ok && s->scan_ok)
		seq_people_scan(seq, keep_look(seq, now_ns));
}

bool seq_rising(struct cairn_sequencer *seq, int64_t *newest_ns, int64_t t_ns, bool finite)
{
	/* one stamp from the future would shut out all that follow */
	bool future = seq->step.t_ns != 0 && t_ns > seq->step.t_ns + CAIRN_NS_PER_S;
	if (t_ns == *newest_ns)
		return false; /* a repeated one is no news and no fault */
	if (!finite || future || t_ns < *newest_ns) {
		seq->outbox.rejects++;
		return false;
	}
	*newest_ns = t_ns;
	return true;
}

void cairn_sequencer_on_scan(struct cairn_sequencer *seq, const struct cairn_msg_scan *scan, int64_t t_ns)
{
	if (!seq_rising(seq, &seq->inputs.t_scan_ns, t_ns, true))
		return;
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	struct cairn_vec2 lidar = {seq->cfg->robot.lidar_x_m, seq->cfg->robot.lidar_y_m};
	seq->inputs.t_turn_ns = scan->t_start_ns;
	cairn_points_from_scan_moving(
	    &seq->inputs.scan_points, scan, &seq->inputs.directions, t_ns, driven(seq), lidar, &body);
}

void cairn_sequencer_on_depth(
    struct cairn_sequencer *seq, const struct cairn_msg_depth_scan *scan, int64_t t_ns)
{
	const char *why;
	if (seq->cfg->safety.depth == CAIRN_CHOICE_DEPTH_OFF || seq->inputs.t_pose_ns == 0)
		return;
	if (!seq_rising(seq, &seq->inputs.t_depth_ns, t_ns, cairn_depth_scan_ok(scan, &why)))
		return;
	/* The LiDAR's points are those of a moment ago: the comparison allows for that. */
	seq->inputs.points.count = seq->inputs.points.count < seq->inputs.scan_points.count
				       ? seq->inputs.points.count
				       : seq->inputs.scan_points.count;
	cairn_depth_layer_see(&seq->inputs.depth_layer, scan, seq_pose_at(seq, t_ns), &seq->inputs.points);
}

void cairn_sequencer_on_battery(
    struct cairn_sequencer *seq, const struct cairn_msg_battery *battery, int64_t t_ns)
{
	if (seq_rising(seq, &seq->inputs.t_battery_ns, t_ns, isfinite(battery->percent)))
		seq->inputs.battery_percent = battery->percent;
}

void cairn_sequencer_on_pose(struct cairn_sequencer *seq, const struct cairn_msg_pose *pose, int64_t t_ns)
{
	bool finite = isfinite(pose->x_m) && isfinite(pose->y_m) && isfinite(pose->yaw_rad) &&
		      isfinite(pose->distance_m);
	int64_t t_before_ns = seq->inputs.t_pose_ns;
	if (!seq_rising(seq, &seq->inputs.t_pose_ns, t_ns, finite))
		return;
	struct cairn_msg_pose before = seq->inputs.pose;
	seq->inputs.pose = *pose;
	seq_zones_of_map(seq, pose->map_id);
	/* A robot that was lost and found has moved on the map, not the map under it. */
	if (t_before_ns == 0 || pose->map_epoch == before.map_epoch ||
	    before.tracking != CAIRN_TRACKING_GOOD || pose->tracking != CAIRN_TRACKING_GOOD)
		return;
	/* Where the robot would be by the map that was: what it has driven since is no correction. */
	double since_s = cairn_clamp(seq_seconds(t_before_ns, t_ns), 0.0, COMPENSATE_MAX_S);
	struct cairn_pose2 was = cairn_pose_advance(
	    (struct cairn_pose2){before.x_m, before.y_m, before.yaw_rad}, driven(seq), since_s);
	seq_nav_map_moved(seq, was, t_ns);
	cairn_depth_layer_move(&seq->inputs.depth_layer, was, seq_pose(seq));
	seq->step.last_pose_valid = false; /* nor has it turned by it */
	seq->inputs.scene.count = 0;
	seq_people_init(seq);
}

void cairn_sequencer_on_motion(
    struct cairn_sequencer *seq, const struct cairn_msg_motion *motion, int64_t t_ns)
{
	bool finite = isfinite(motion->v_mps) && isfinite(motion->w_radps) &&
		      isfinite(motion->cause_bearing_rad) && isfinite(motion->cause_m);
	if (seq_rising(seq, &seq->inputs.t_motion_ns, t_ns, finite))
		seq->inputs.motion = *motion;
}

void cairn_sequencer_on_frontiers(
    struct cairn_sequencer *seq, const struct cairn_msg_frontiers *frontiers, int64_t t_ns)
{
	if (!seq_rising(seq, &seq->offers.t_frontiers_ns, t_ns, isfinite(frontiers->free_m2)))
		return;
	seq_frontiers_gone(seq, frontiers, t_ns);
	seq->offers.frontiers = *frontiers;
	if (frontiers->free_m2 <= 0.0)
		return; /* a mapper that has just been reborn */
	if (cairn_frontier_blacklist_update(&seq->mission.record.explore, frontiers))
		seq->mission.changed = true;
	seq_nav_frontiers(seq, t_ns);
}

void cairn_sequencer_on_nav_velocity(
    struct cairn_sequencer *seq, const struct cairn_msg_nav_velocity *velocity, int64_t t_ns)
{
	bool finite = isfinite(velocity->v_mps) && isfinite(velocity->w_radps);
	if (seq_rising(seq, &seq->planner.t_velocity_ns, t_ns, finite))
		seq->planner.velocity = *velocity;
}

void cairn_sequencer_on_nav_path(
    struct cairn_sequencer *seq, const struct cairn_msg_nav_path *path, int64_t t_ns)
{
	if (!seq_rising(seq, &seq->planner.t_path_ns, t_ns, path->points_count <= 512))
		return;
	const struct cairn_msg_zone *z = seq_geofence_on_path(seq, path);
	seq->planner.path = *path;
	snprintf(seq->planner.path_zone, sizeof(seq->planner.path_zone), "%s", z != NULL ? z->name : "");
}

void cairn_sequencer_on_nav_status(
    struct cairn_sequencer *seq, const struct cairn_msg_nav_status *status, int64_t t_ns)
{
	if (seq_rising(seq, &seq->planner.t_status_ns, t_ns, true))
		seq->planner.status = *status;
}
