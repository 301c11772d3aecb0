#include "common/safety/path_clearance.h"

#include <math.h>

#include "common/safety/safe_velocity.h"

#define STRAIGHT_1PM 1e-6
#define LIDAR_SLACK_M 0.01 /* a thing that ends so little below the LiDAR's plane is one that it should see */

struct arc {
	struct cairn_footprint body;
	double curvature_1pm;
	bool forward;
	double length_m;
};

/* How far along the arc a point lies, and how far beside the strip that the body sweeps; left positive. False: it is not
 * beside that part of the arc that is free. */
static bool beside(const struct arc *a, double x_m, double y_m, double *ret_left_m, double *ret_along_m)
{
	const struct cairn_footprint *b = &a->body;
	double ahead = a->forward ? x_m : -x_m, front = a->forward ? b->front_m : b->rear_m,
	       rear = a->forward ? b->rear_m : b->front_m;
	if (fabs(a->curvature_1pm) < STRAIGHT_1PM) {
		*ret_along_m = ahead - front;
		*ret_left_m = copysign(fabs(y_m) - b->half_width_m, y_m);
		return fabs(y_m) >= b->half_width_m && ahead >= -rear && ahead <= front + a->length_m;
	}
	double c = 1.0 / a->curvature_1pm,
	       toward = c > 0.0 ? 1.0 : -1.0; /* the side of the centre: left is +1 */
	double radius = hypot(x_m, y_m - c), angle = atan2(ahead, toward * (c - y_m));
	double inner = fabs(c) - b->half_width_m, outer = hypot(front, fabs(c) + b->half_width_m);
	*ret_along_m = angle * fabs(c);
	*ret_left_m = radius < inner ? toward * (inner - radius) : -toward * (radius - outer);
	return (radius < inner || radius > outer) && angle >= 0.0 && *ret_along_m <= a->length_m;
}

/* The narrowest places on both sides. */
static void measure_room(
    const struct arc *a, const struct cairn_points *points, struct cairn_msg_path_clear *ret)
{
	ret->left_m = ret->right_m = CAIRN_PATH_CLEARANCE_BESIDE_M;
	ret->narrow_at_m = -1.0;
	for (size_t i = 0; i < points->count; i++) {
		double left_m, along_m;
		if (!beside(a, (double)points->x_m[i], (double)points->y_m[i], &left_m, &along_m))
			continue;
		double *side = left_m >= 0.0 ? &ret->left_m : &ret->right_m;
		if (fabs(left_m) >= *side)
			continue;
		if (fabs(left_m) < fmin(ret->left_m, ret->right_m))
			ret->narrow_at_m = fmax(along_m, 0.0);
		*side = fabs(left_m);
	}
}

/* What the depth camera has seen at this point, and the LiDAR not. */
static enum cairn_path_obstacle kind_of(
    const struct cairn_config *cfg, const struct cairn_path_clearance_view *v, double x_m, double y_m)
{
	double top_m;
	if (v->floor == NULL || !cairn_depth_layer_thing(v->floor, v->pose, x_m, y_m, &top_m))
		return CAIRN_PATH_OBSTACLE_UNSEEN_FLOOR;
	return top_m >= cfg->robot.lidar_z_m - LIDAR_SLACK_M ? CAIRN_PATH_OBSTACLE_GLASS
							     : CAIRN_PATH_OBSTACLE_LOW_BOX;
}

/* Where the depth camera does not look now it remembers. */
static bool in_sight(const struct cairn_points *points, double x_m, double y_m)
{
	const struct cairn_sight *s = &points->sight;
	return s->tan_half > 0.0 && cairn_sight_shows(s, x_m, y_m, 0.0, 0.0);
}

/* It is looked farther than is judged, by the distance at which the robot stops: what stands that near behind the end
 * stops it before. */
static void find_end(const struct cairn_config *cfg, const struct cairn_path_clearance_view *v,
    const struct arc *a, double horizon_m, struct cairn_msg_path_clear *ret)
{
	const struct cairn_points *p = v->points;
	double stop_m = cfg->safety.stop_distance_m;
	struct cairn_arc_hit hit = cairn_arc_clearance(
	    p, &a->body, cfg->safety.margin_m, a->curvature_1pm, a->forward, horizon_m + stop_m);
	ret->free_m = hit.hit ? hit.free_m : horizon_m;
	ret->drive_m = hit.hit ? fmax(hit.free_m - stop_m, 0.0) : horizon_m;
	ret->obstacle_m = -1.0;
	if (!hit.hit)
		return;
	if (hit.point >= p->count + p->behind) {
		ret->obstacle = CAIRN_PATH_OBSTACLE_UNSEEN_FLOOR;
		return;
	}
	double x = (double)p->x_m[hit.point], y = (double)p->y_m[hit.point];
	bool lidar = hit.point < v->lidar_count;
	ret->obstacle = lidar ? CAIRN_PATH_OBSTACLE_WALL : kind_of(cfg, v, x, y);
	ret->bearing_rad = hit.bearing_rad;
	ret->obstacle_m = hypot(x, y);
	ret->remembered = !lidar && ret->obstacle != CAIRN_PATH_OBSTACLE_UNSEEN_FLOOR && !in_sight(p, x, y);
}

void cairn_path_clearance(const struct cairn_config *cfg, const struct cairn_path_clearance_view *view,
    struct cairn_msg_path_clear ret[CAIRN_DIRECTION_COUNT])
{
	for (int d = 0; d < CAIRN_DIRECTION_COUNT; d++) {
		struct arc a = {.body = cairn_safe_footprint(cfg)};
		a.curvature_1pm = cairn_safe_curvature(cfg, (enum cairn_direction)d, &a.forward);
		bool straight = fabs(a.curvature_1pm) < STRAIGHT_1PM;
		double horizon_m = straight
				       ? CAIRN_PATH_CLEARANCE_HORIZON_M
				       : fmin(CAIRN_PATH_CLEARANCE_HORIZON_M, M_PI / fabs(a.curvature_1pm));
		ret[d] = (struct cairn_msg_path_clear){
		    .direction = (enum cairn_direction)d, .obstacle = CAIRN_PATH_OBSTACLE_NONE};
		find_end(cfg, view, &a, horizon_m, &ret[d]);
		if (view->drop && a.forward) {
			ret[d].free_m = ret[d].drive_m = 0.0;
			ret[d].obstacle = CAIRN_PATH_OBSTACLE_DROP;
			ret[d].bearing_rad = 0.0;
			ret[d].obstacle_m = a.body.front_m;
			ret[d].remembered = false;
		}
		a.length_m = ret[d].free_m;
		measure_room(&a, view->points, &ret[d]);
	}
}
