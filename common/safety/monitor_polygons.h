/* monitor_polygons.h - the collision monitor's zones around the robot, beside the swept arc
 * (collision_monitor.h).
 *
 * In the manner of Nav2's collision monitor, with one rule of our own, without which an Ackermann robot that
 * has come too near could never leave again: a zone judges a motion, not a place. The first row that fits
 * decides:
 *
 *   approach    Something comes nearer by itself, faster than approach_mps, and could be there within
 *               approach_s: the robot stands for approach_s from then on. The only zone that also holds a
 *               turn in place.
 *   emergency   emergency_points or more are nearer than emergency_m to the footprint's centre, within
 *               emergency_rad of the direction of travel, and brought nearer by it: this direction is stopped
 *               until it has been clear for emergency_clear_s. The other one stays open, and so does sliding
 *               along a wall.
 *   stop zone   stop_points or more are in it: nothing is driven that brings the nearest of them nearer. What
 *               does not is driven at creep_mps at most.
 *   slow zone   slow_points or more are in it, ahead of the motion and within 0.10 m of the way (slow_beside:
 *               wherever in the zone they are): slow_share of the speed asked for at most, but not below
 *               creep_mps.
 *
 * A circle is about the footprint's centre, a polygon in the robot frame. */
#ifndef CAIRN_COMMON_SAFETY_MONITOR_POLYGONS_H
#define CAIRN_COMMON_SAFETY_MONITOR_POLYGONS_H

#include "common/base/error.h"
#include "common/scan/scan.h"
#include "common/config/config.h"

#define CAIRN_ZONE_CORNERS_MAX 16
#define CAIRN_APPROACH_BINS 72

struct cairn_monitor_polygon_shape {
	double radius_m; /* of a circle; 0 with no corners: no zone */
	uint32_t count;
	struct cairn_vec2 corners[CAIRN_ZONE_CORNERS_MAX];
};

/* "circle 0.25", "0.4,0.2 0.4,-0.2 -0.2,-0.2 -0.2,0.2", or "off". False with the reason. */
bool cairn_monitor_polygon_shape_parse(
    struct cairn_monitor_polygon_shape *ret, const char *text, struct cairn_error *err);

struct cairn_monitor_polygons_params {
	struct cairn_footprint body;
	struct cairn_monitor_polygon_shape stop, slow;
	int stop_points, slow_points, emergency_points;
	double slow_share, creep_mps;
	bool slow_beside;
	double emergency_m, emergency_rad, emergency_clear_s;
	double approach_mps, approach_s;
};

struct cairn_monitor_polygons_params cairn_monitor_polygons_params_from(const struct cairn_config *cfg);

struct cairn_monitor_polygons {
	struct cairn_monitor_polygons_params params;
	int64_t emergency_ns[2]; /* last seen behind, ahead; 0 = never */
	int64_t approach_ns;     /* stand until then */
	double approach_bearing_rad;
};

enum cairn_monitor_polygon_verdict {
	CAIRN_ZONE_FREE,
	CAIRN_ZONE_SLOW,
	CAIRN_ZONE_CREEP,
	CAIRN_ZONE_STOP,
	CAIRN_ZONE_EMERGENCY,
	CAIRN_ZONE_APPROACH,
	CAIRN_ZONE_CLIFF, /* the motor core's own: a drop ahead */
	CAIRN_ZONE_BUMPER /* and a bumper that is pressed */
};

struct cairn_monitor_polygon_limit {
	enum cairn_monitor_polygon_verdict verdict;
	double limit_mps;   /* infinity: none */
	double bearing_rad; /* of what sets it */
	double distance_m;  /* from the robot's origin; negative = unknown */
	size_t point;       /* its index among the points; CAIRN_ZONE_NO_POINT */
};
#define CAIRN_ZONE_NO_POINT ((size_t)-1)

void cairn_monitor_polygons_init(
    struct cairn_monitor_polygons *zones, const struct cairn_monitor_polygons_params *params);

/* A new turn: now and before are the returns of it and of the one before, both in the robot frame of now. */
void cairn_monitor_polygons_scan(struct cairn_monitor_polygons *zones, const struct cairn_points *now,
    const struct cairn_points *before, int64_t t_ns, int64_t t_before_ns);

struct cairn_monitor_polygon_limit cairn_monitor_polygon_free(void);

/* Limit for a motion asked at speed_mps along curvature; the first count points are solid things. */
struct cairn_monitor_polygon_limit cairn_monitor_polygons_limit(struct cairn_monitor_polygons *zones,
    const struct cairn_points *points, size_t count, double curvature_1pm, bool forward, double speed_mps,
    int64_t now_ns);

/* Of a turn in place: what comes near by itself holds it. Points in the zones do not, since what the corners sweep is judged
 * exactly (cairn_spin_clearance). */
struct cairn_monitor_polygon_limit cairn_monitor_polygons_spin_limit(
    const struct cairn_monitor_polygons *z, int64_t now_ns);

#endif
