/* geofence.c - zones of the map on the way: before something is begun, and at every step of it. */
#include <math.h>
#include <stdio.h>

#include "common/base/polygon.h"
#include "common/sequencer/sequencer_private.h"

#define STEP_M 0.05
#define INSIDE_M 0.03 /* the planner's cells do not end where the zone does */
#define DEEPER_M 0.01 /* a robot that is inside already may leave, not go on */
#define LOOK_M 0.60   /* farther than any way to stop */
#define TURN_STEP_RAD 0.1
#define TURN_LOOK_RAD 0.3

static size_t corners_of(const struct cairn_msg_zone *z, struct cairn_vec2 *ret)
{
	for (uint32_t i = 0; i < z->corners_count; i++)
		ret[i] = (struct cairn_vec2){(double)z->corners[i].x_m, (double)z->corners[i].y_m};
	return z->corners_count;
}

/* Distance of the body's middle and corners to the zone, the least of them; negative inside. */
static double body_distance(
    const struct cairn_footprint *b, const struct cairn_vec2 *corners, size_t count, struct cairn_pose2 pose)
{
	const struct cairn_vec2 marks[5] = {{0.5 * (b->front_m - b->rear_m), 0.0},
	    {b->front_m, b->half_width_m}, {b->front_m, -b->half_width_m}, {-b->rear_m, b->half_width_m},
	    {-b->rear_m, -b->half_width_m}};
	double least = INFINITY;
	for (int i = 0; i < 5; i++) {
		struct cairn_vec2 p = cairn_pose_apply(pose, marks[i]);
		least = fmin(least, cairn_polygon_distance_m(corners, count, p.x_m, p.y_m));
	}
	return least;
}

static double zone_free_m(const struct cairn_sequencer *seq, const struct cairn_msg_zone *z,
    double curvature_1pm, bool forward, double way_m)
{
	struct cairn_vec2 corners[CAIRN_POLYGON_CORNERS_MAX];
	size_t count = corners_of(z, corners);
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	struct cairn_pose2 pose = seq_pose(seq);
	double sign = forward ? 1.0 : -1.0, now_m = body_distance(&body, corners, count, pose);
	struct cairn_twist way = {sign, sign * curvature_1pm};
	if (now_m > way_m)
		return INFINITY;
	for (double s = STEP_M; s < way_m + STEP_M; s += STEP_M) {
		double then_m = body_distance(&body, corners, count, cairn_pose_advance(pose, way, s));
		if (then_m < -INSIDE_M && then_m < now_m - DEEPER_M)
			return s - STEP_M;
	}
	return INFINITY;
}

const struct cairn_msg_zone *seq_geofence_ahead(
    const struct cairn_sequencer *seq, double curvature_1pm, bool forward, double way_m, double *ret_free_m)
{
	const struct cairn_msg_zone *first = NULL;
	*ret_free_m = INFINITY;
	if (seq->inputs.t_pose_ns == 0)
		return NULL;
	for (uint32_t i = 0; i < seq->mission.record.zones.items_count; i++) {
		const struct cairn_msg_zone *z = &seq->mission.record.zones.items[i];
		if (z->kind != CAIRN_ZONE_KIND_KEEPOUT)
			continue;
		double free_m = zone_free_m(seq, z, curvature_1pm, forward, way_m);
		if (free_m < *ret_free_m) {
			*ret_free_m = free_m;
			first = z;
		}
	}
	return first;
}

const struct cairn_msg_zone *seq_geofence_at(
    const struct cairn_sequencer *seq, enum cairn_zone_kind kind, double x_m, double y_m)
{
	for (uint32_t i = 0; i < seq->mission.record.zones.items_count; i++) {
		struct cairn_vec2 corners[CAIRN_POLYGON_CORNERS_MAX];
		const struct cairn_msg_zone *z = &seq->mission.record.zones.items[i];
		if (z->kind == kind && cairn_polygon_contains(corners, corners_of(z, corners), x_m, y_m))
			return z;
	}
	return NULL;
}

/* A path that begins in a zone may lead out of it, and not into it again. */
static bool path_enters(const struct cairn_msg_zone *z, const struct cairn_msg_nav_path *path)
{
	struct cairn_vec2 corners[CAIRN_POLYGON_CORNERS_MAX];
	size_t count = corners_of(z, corners);
	bool outside = false;
	for (uint32_t i = 0; i < path->points_count; i++) {
		double off_m = cairn_polygon_distance_m(
		    corners, count, (double)path->points[i].x_m, (double)path->points[i].y_m);
		if (outside && off_m < -INSIDE_M)
			return true;
		outside |= off_m > 0.0;
	}
	return path->points_count > 0 && !outside;
}

const struct cairn_msg_zone *seq_geofence_on_path(
    const struct cairn_sequencer *seq, const struct cairn_msg_nav_path *path)
{
	for (uint32_t i = 0; i < seq->mission.record.zones.items_count; i++) {
		const struct cairn_msg_zone *z = &seq->mission.record.zones.items[i];
		if (z->kind == CAIRN_ZONE_KIND_KEEPOUT && path_enters(z, path))
			return z;
	}
	return NULL;
}

/* The least that any slow-down zone around the robot allows: one zone does not lift what another demands. */
static double slowest_here_mps(const struct cairn_sequencer *seq)
{
	double most_mps = INFINITY;
	for (uint32_t i = 0; i < seq->mission.record.zones.items_count; i++) {
		struct cairn_vec2 corners[CAIRN_POLYGON_CORNERS_MAX];
		const struct cairn_msg_zone *z = &seq->mission.record.zones.items[i];
		if (z->kind == CAIRN_ZONE_KIND_SLOWDOWN &&
		    cairn_polygon_contains(
			corners, corners_of(z, corners), seq->inputs.pose.x_m, seq->inputs.pose.y_m))
			most_mps = fmin(most_mps,
			    z->speed_max_mps > 0.0 ? z->speed_max_mps : seq->cfg->nav.slow_zone_mps);
	}
	return most_mps;
}

/* A corner that turns into a zone: whether it would within TURN_LOOK_RAD. */
static const struct cairn_msg_zone *turns_into(const struct cairn_sequencer *seq, double w_radps)
{
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	struct cairn_twist turn = {0.0, w_radps > 0.0 ? 1.0 : -1.0};
	struct cairn_pose2 pose = seq_pose(seq);
	for (uint32_t i = 0; seq->inputs.t_pose_ns != 0 && i < seq->mission.record.zones.items_count; i++) {
		const struct cairn_msg_zone *z = &seq->mission.record.zones.items[i];
		struct cairn_vec2 corners[CAIRN_POLYGON_CORNERS_MAX];
		size_t count = corners_of(z, corners);
		double now_m = body_distance(&body, corners, count, pose);
		for (double a = TURN_STEP_RAD; z->kind == CAIRN_ZONE_KIND_KEEPOUT && a <= TURN_LOOK_RAD;
		     a += TURN_STEP_RAD) {
			double then_m =
			    body_distance(&body, corners, count, cairn_pose_advance(pose, turn, a));
			if (then_m < -INSIDE_M && then_m < now_m - DEEPER_M)
				return z;
		}
	}
	return NULL;
}

static void hold_before(struct cairn_sequencer *seq, const struct cairn_msg_zone *z,
    struct cairn_safe_velocity *safe, double free_m, double bearing_rad)
{
	snprintf(seq->step.keepout, sizeof(seq->step.keepout), "%s", z->name);
	safe->free_m = free_m;
	safe->bearing_rad = bearing_rad;
	safe->twist = (struct cairn_twist){0};
	safe->ratio = 0.0;
}

void seq_geofence_hold(struct cairn_sequencer *seq, struct cairn_safe_velocity *safe)
{
	double v = safe->twist.v_mps, free_m;
	seq->step.keepout[0] = '\0';
	if (cairn_twist_in_place(safe->twist)) {
		const struct cairn_msg_zone *z = turns_into(seq, safe->twist.w_radps);
		if (z != NULL)
			hold_before(seq, z, safe, 0.0, safe->twist.w_radps > 0.0 ? 0.5 * M_PI : -0.5 * M_PI);
	}
	if (v == 0.0 || seq->mission.record.zones.items_count == 0)
		return;
	double most_mps = slowest_here_mps(seq);
	if (most_mps < fabs(v)) {
		safe->twist.v_mps *= most_mps / fabs(v);
		safe->twist.w_radps *= most_mps / fabs(v);
	}
	const struct cairn_msg_zone *z =
	    seq_geofence_ahead(seq, safe->twist.w_radps / safe->twist.v_mps, v > 0.0, LOOK_M, &free_m);
	double stop_m = fabs(v) * SEQ_REACTION_S + v * v / (2.0 * seq->cfg->robot.decel_max_mps2);
	if (z == NULL || free_m > stop_m + STEP_M)
		return;
	hold_before(seq, z, safe, free_m, v > 0.0 ? 0.0 : M_PI);
}
