#include "common/safety/collision_monitor.h"

#include <math.h>

#include "common/config/speeds.h"

#define DRIVEN_MIN_MPS 0.05 /* slower than this the measured curvature is noise */

#define HORIZON_SPARE_M 0.01 /* more than rounding makes of it */
#define SPIN_SPARE_M 0.005   /* way of a corner that is left when a turn in place has ended */
#define DRIFT_SHARE 0.10     /* of the way: what slipping wheels make of dead reckoning */

void cairn_monitor_params_from(struct cairn_monitor_params *p, const struct cairn_config *cfg)
{
	*p = (struct cairn_monitor_params){
	    .body = {cfg->robot.footprint_front_m, cfg->robot.footprint_rear_m,
		cfg->robot.footprint_half_width_m},
	    .lidar = {cfg->robot.lidar_x_m, cfg->robot.lidar_y_m},
	    .floor = cairn_depth_layer_params_from(cfg),
	    .zones = cairn_monitor_polygons_params_from(cfg),
	    .movers = cairn_dynamic_obstacles_params_from(cfg, cfg->safety.reaction_s),
	    .margin_m = cfg->safety.margin_m,
	    .stop_distance_m = cfg->safety.stop_distance_m,
	    .slow_distance_m = cfg->safety.slow_distance_m,
	    .ttc_min_s = cfg->safety.ttc_min_s,
	    .ttc_slow_s = cfg->safety.ttc_slow_s,
	    .ttc_slow_share = cfg->safety.ttc_slow_share,
	    .reaction_s = cfg->safety.reaction_s,
	    .decel_mps2 = cfg->robot.decel_max_mps2,
	    .speed_max_mps = cfg->robot.speed_max_mps,
	    .curvature_max_1pm = 1.0 / cfg->robot.turn_radius_min_m,
	    .turn_rate_max_radps = cairn_turn_rate_max_radps(cfg),
	};
	p->reach_m = cairn_footprint_reach_m(&p->body);
	p->floor.drift_share = DRIFT_SHARE;
}

double cairn_monitor_speed(const struct cairn_monitor_params *p, double free_m)
{
	double room = free_m - p->stop_distance_m;
	if (!(room > 0.0))
		return 0.0;
	double v = fmin(p->speed_max_mps, sqrt(2.0 * p->decel_mps2 * room));
	v = fmin(v, room / p->ttc_min_s);
	if (free_m < p->slow_distance_m)
		v = fmin(v, p->speed_max_mps * room / (p->slow_distance_m - p->stop_distance_m));
	return v;
}

double cairn_monitor_ttc_speed(const struct cairn_monitor_params *p, double free_m, double speed_mps)
{
	double room = free_m - p->stop_distance_m;
	if (!(speed_mps > 0.0) || !(room > 0.0))
		return 0.0;
	double share = room / speed_mps / p->ttc_slow_s;
	if (!(p->ttc_slow_s > 0.0) || share >= 1.0)
		return speed_mps;
	return speed_mps * (p->ttc_slow_share + (1.0 - p->ttc_slow_share) * share);
}

void cairn_monitor_init(struct cairn_monitor *m, const struct cairn_monitor_params *params)
{
	m->params = *params;
	m->directions.count = 0;
	m->scan_pose = (struct cairn_pose2){0};
	m->scanned.count = m->points.count = m->lidar_count = m->solid_count = 0;
	cairn_depth_layer_init(&m->floor, &params->floor);
	cairn_monitor_polygons_init(&m->zones, &params->zones);
	cairn_dynamic_obstacles_init(&m->movers, &params->movers);
	m->before.count = 0;
	m->t_scan_ns = 0;
}

void cairn_monitor_scan(struct cairn_monitor *m, const struct cairn_msg_scan *scan, int64_t t_end_ns,
    struct cairn_twist twist, struct cairn_pose2 pose)
{
	cairn_points_move(&m->before, &m->scanned, cairn_pose_between(m->scan_pose, pose));
	cairn_points_from_scan_moving(
	    &m->scanned, scan, &m->directions, t_end_ns, twist, m->params.lidar, &m->params.body);
	m->scan_pose = pose;
	cairn_monitor_polygons_scan(&m->zones, &m->scanned, &m->before, t_end_ns, m->t_scan_ns);
	cairn_dynamic_obstacles_scan(&m->movers, &m->scanned, pose, scan->t_start_ns, t_end_ns);
	m->t_scan_ns = t_end_ns;
}

void cairn_monitor_depth(
    struct cairn_monitor *m, const struct cairn_msg_depth_scan *scan, struct cairn_pose2 pose)
{
	cairn_points_move(&m->points, &m->scanned, cairn_pose_between(m->scan_pose, pose));
	cairn_depth_layer_see(&m->floor, scan, pose, &m->points);
}

void cairn_monitor_move(struct cairn_monitor *m, struct cairn_pose2 pose)
{
	cairn_points_move(&m->points, &m->scanned, cairn_pose_between(m->scan_pose, pose));
	m->lidar_count = m->points.count;
	cairn_depth_layer_drive(&m->floor, pose);
	cairn_depth_layer_points(&m->floor, pose, &m->points);
	m->solid_count = m->points.count;
}

double cairn_monitor_nearest(struct cairn_monitor *m)
{
	size_t all = m->points.count;
	m->points.count = m->lidar_count;
	double nearest_m = cairn_points_nearest(&m->points, &m->params.body, NULL);
	m->points.count = all;
	return nearest_m;
}

/* Beyond this free arc the limit is speed_max, whatever the speed. */
static double horizon(const struct cairn_monitor_params *p)
{
	double v = p->speed_max_mps;
	double need = fmax(v * fmax(p->ttc_min_s, p->ttc_slow_s), v * v / (2.0 * p->decel_mps2));
	return fmax(p->slow_distance_m, p->stop_distance_m + need) + v * p->reaction_s + 0.05;
}

/* Beyond this free arc braking limits the speed less than limit_mps does. */
static double braking_horizon(const struct cairn_monitor_params *p, double lead_m, double limit_mps)
{
	double need = limit_mps * limit_mps / (2.0 * p->decel_mps2) + lead_m + HORIZON_SPARE_M;
	return fmin(horizon(p), need);
}

struct cairn_monitor_verdict cairn_monitor_limit(
    const struct cairn_monitor *m, double curvature_1pm, bool forward, struct cairn_twist driven)
{
	const struct cairn_monitor_params *p = &m->params;
	double speed = forward ? driven.v_mps : -driven.v_mps; /* negative while still moving the other way */
	double lead_m = fmax(speed, 0.0) * p->reaction_s;
	struct cairn_arc_hit hit =
	    cairn_arc_clearance(&m->points, &p->body, p->margin_m, curvature_1pm, forward, horizon(p));
	struct cairn_monitor_verdict v = {.limit_mps = cairn_monitor_speed(p, hit.free_m - lead_m),
	    .free_m = hit.free_m,
	    .bearing_rad = hit.bearing_rad,
	    .hit = hit.hit,
	    .point = hit.point};
	if (speed < DRIVEN_MIN_MPS)
		return v;
	double k = cairn_clamp(driven.w_radps / driven.v_mps, -p->curvature_max_1pm, p->curvature_max_1pm);
	if (k != curvature_1pm)
		hit = cairn_arc_clearance(
		    &m->points, &p->body, p->margin_m, k, forward, braking_horizon(p, lead_m, v.limit_mps));
	double brake_m = fmax(hit.free_m - lead_m, 0.0);
	double limit = fmin(p->speed_max_mps, sqrt(2.0 * p->decel_mps2 * brake_m));
	if (limit < v.limit_mps)
		v = (struct cairn_monitor_verdict){limit, hit.free_m, hit.bearing_rad, hit.hit, hit.point};
	return v;
}

struct cairn_monitor_verdict cairn_monitor_spin_limit(
    const struct cairn_monitor *m, bool left, double driven_radps)
{
	const struct cairn_monitor_params *p = &m->params;
	struct cairn_spin_hit hit = cairn_spin_clearance(&m->points, &p->body, p->margin_m, left);
	double tip_mps = (left ? driven_radps : -driven_radps) * p->reach_m;
	struct cairn_monitor_verdict v = {.limit_mps = p->turn_rate_max_radps * p->reach_m,
	    .free_m = hit.free_rad * p->reach_m,
	    .bearing_rad = hit.bearing_rad,
	    .hit = hit.hit,
	    .point = hit.point};
	if (!hit.hit)
		return v;
	double room_m = v.free_m - fmax(tip_mps, 0.0) * p->reaction_s - SPIN_SPARE_M;
	double most = fmin(sqrt(2.0 * p->decel_mps2 * fmax(room_m, 0.0)), fmax(room_m, 0.0) / p->ttc_min_s);
	v.limit_mps = fmin(v.limit_mps, most);
	return v;
}
