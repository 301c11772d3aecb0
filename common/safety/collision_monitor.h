/* collision_monitor.h - collision monitor: how fast the robot may go along the arc it is on, by the last scan.
 *
 * Three zones along the swept arc: beyond slow_distance only time to collision and braking distance limit the
 * speed; between slow and stop distance the limit falls in proportion; at the stop distance it is zero.
 * Points are carried along with the robot's own motion since they were measured, so an old scan is judged
 * where the robot is now. Pure. */
#ifndef CAIRN_COMMON_SAFETY_COLLISION_MONITOR_H
#define CAIRN_COMMON_SAFETY_COLLISION_MONITOR_H

#include "common/scan/scan.h"
#include "common/config/config.h"
#include "common/safety/depth_layer.h"
#include "common/safety/dynamic_obstacles.h"
#include "common/safety/monitor_polygons.h"

struct cairn_monitor_params {
	struct cairn_footprint body;
	struct cairn_vec2 lidar;
	struct cairn_depth_layer_params floor;
	struct cairn_monitor_polygons_params zones;
	struct cairn_dynamic_obstacles_params movers;
	double margin_m, stop_distance_m, slow_distance_m, ttc_min_s, ttc_slow_s, ttc_slow_share;
	double reaction_s; /* from the motion now to the wheels' answer */
	double decel_mps2, speed_max_mps, curvature_max_1pm;
	double turn_rate_max_radps; /* in place; 0: the base cannot */
	double reach_m;             /* of the footprint's farthest corner */
};

void cairn_monitor_params_from(struct cairn_monitor_params *p, const struct cairn_config *cfg);

/* The limit for free_m of free arc: at most speed_max; 0 at and below the stop distance. */
double cairn_monitor_speed(const struct cairn_monitor_params *p, double free_m);

/* The speed that is left of speed_mps when the collision is free_m away: all of it from ttc_slow_s on,
 * falling evenly to ttc_slow_share of it; cairn_monitor_speed bounds it besides. */
double cairn_monitor_ttc_speed(const struct cairn_monitor_params *p, double free_m, double speed_mps);

struct cairn_monitor {
	struct cairn_monitor_params params;
	struct cairn_directions directions; /* of the scans */
	struct cairn_pose2 scan_pose; /* of the robot at the end of the turn, in the dead-reckoned frame */
	struct cairn_points scanned;  /* robot frame then */
	struct cairn_points
	    points; /* robot frame now: LiDAR, obstacles on the floor, border of unseen floor */
	size_t lidar_count, solid_count; /* of points: from the LiDAR; these and obstacles on the floor */
	struct cairn_depth_layer floor;
	struct cairn_monitor_polygons zones;
	struct cairn_dynamic_obstacles movers;
	struct cairn_points before; /* the turn before, in the frame of scanned */
	int64_t t_scan_ns;
};

struct cairn_monitor_verdict {
	double limit_mps; /* on the speed, in either direction */
	double free_m;
	double bearing_rad; /* of the point that sets the limit, 0 if none does */
	bool hit;
	size_t point; /* that point, if any */
};

void cairn_monitor_init(struct cairn_monitor *m, const struct cairn_monitor_params *params);
/* twist: of the robot during the turn; pose: at its end. */
void cairn_monitor_scan(struct cairn_monitor *m, const struct cairn_msg_scan *scan, int64_t t_end_ns,
    struct cairn_twist twist, struct cairn_pose2 pose);
/* A depth scan taken at pose. */
void cairn_monitor_depth(
    struct cairn_monitor *m, const struct cairn_msg_depth_scan *scan, struct cairn_pose2 pose);
/* Distance of the nearest LiDAR return to the footprint; negative without any. */
double cairn_monitor_nearest(struct cairn_monitor *m);
/* Carries the points to where the robot is now. */
void cairn_monitor_move(struct cairn_monitor *m, struct cairn_pose2 pose);
/* Limit for driving forward (or backward) along curvature_1pm while the robot in truth moves with driven: the
 * arc that is still being driven counts too, with the way needed to brake on it, because the steering follows
 * slower than the command. */
struct cairn_monitor_verdict cairn_monitor_limit(
    const struct cairn_monitor *m, double curvature_1pm, bool forward, struct cairn_twist driven);

/* Limit for turning in place to that side, while the robot turns by driven_radps: on the speed of the footprint's farthest
 * corner, whose way to the first point is free_m. */
struct cairn_monitor_verdict cairn_monitor_spin_limit(
    const struct cairn_monitor *m, bool left, double driven_radps);

#endif
