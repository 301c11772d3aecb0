/* dynamic_obstacles.h - what moves by itself, and how fast the robot may be beside it. Both layers have one of their
 * own, each in the frame that it trusts: the motor stage dead reckoning, the sequencer the map.
 *
 * Seen by space, not by shape: a return that stands where earlier turns looked through free air belongs to
 * something that has come there. Earlier means 0.25 to 0.45 s ago, so that 0.3 m/s are told from noise and
 * from what dead reckoning gets wrong; all turns of that age must have seen the place free.
 *
 * Such a thing may come nearer at person_mps, whatever it did last, from the moment it was measured until the
 * robot stands. With the gap g between it and the footprint, age since the beginning of the turn that
 * showed it, the reaction time r, the deceleration a, and the share f of the robot's travel that closes the
 * gap, the highest speed v is that of
 *     f (v r + v^2 / 2a) + person_mps (age + r + v / a) + spare <= g
 * which is the separation of ISO 13855 (and of ISO/TS 15066, speed and separation monitoring) turned round to
 * the speed. Walls are not movers: they bound the speed as collision_monitor.h says.
 *
 * Who has come may come to stand, and set out again, and so does a door. With lately_s turns are kept for
 * that long, one a second and, when these are old, one in four. What stands where more of that time looked
 * past than saw it is somebody who stands. This asks for poses that do not drift over such a time, as those
 * in the map. He counts by the gap to the side of the footprint that goes ahead, as nobody is touched by
 * another, and never holds the robot for good: should he be there before it has even begun to brake, the rest
 * of its way must be shorter than what people leave to it, v (age + r - g / person_mps) + v^2 / 2a <= spare
 *
 * What comes out of hiding counts from the first turn that shows it, not before. Plain data, about 32 kB. */
#ifndef CAIRN_COMMON_SAFETY_DYNAMIC_OBSTACLES_H
#define CAIRN_COMMON_SAFETY_DYNAMIC_OBSTACLES_H

#include "common/scan/scan.h"
#include "common/config/config.h"

#define CAIRN_DYNAMIC_OBSTACLES_BINS 240 /* 1.5 degrees */
#define CAIRN_DYNAMIC_OBSTACLES_VIEWS 6
#define CAIRN_DYNAMIC_OBSTACLES_LATELY 12 /* turns a second apart, and as many four seconds apart */
#define CAIRN_DYNAMIC_OBSTACLES_MAX 256

struct cairn_dynamic_obstacles_params {
	struct cairn_footprint body;
	struct cairn_vec2 lidar;
	double person_mps; /* 0: nothing is a mover */
	double reaction_s, decel_mps2;
	double lately_s; /* who came to stand less long ago is a mover; 0: nobody is that stands */
};

/* How far one could see from one place: the nearest return of each direction and those beside it, infinity
 * without any. */
struct cairn_dynamic_obstacles_view {
	int64_t t_ns;
	struct cairn_pose2
	    back; /* the frame of the poses as the LiDAR saw it, with the direction of its yaw */
	double back_c, back_s;
	float range_m[CAIRN_DYNAMIC_OBSTACLES_BINS];
};

struct cairn_dynamic_obstacles {
	struct cairn_dynamic_obstacles_params params;
	struct cairn_dynamic_obstacles_view views[CAIRN_DYNAMIC_OBSTACLES_VIEWS];
	uint32_t next, count; /* of views */
	struct cairn_dynamic_obstacles_ring {
		uint32_t next, count;
		struct cairn_dynamic_obstacles_view views[CAIRN_DYNAMIC_OBSTACLES_LATELY];
	} lately, before; /* the latter are used when the former are too young */
	uint32_t points;  /* movers of the newest turn */
	float x_m[CAIRN_DYNAMIC_OBSTACLES_MAX], y_m[CAIRN_DYNAMIC_OBSTACLES_MAX]; /* frame of the poses */
	bool stands[CAIRN_DYNAMIC_OBSTACLES_MAX]; /* came lately, and moves no more */
	int64_t t_ns;                             /* when that turn began */
};

struct cairn_dynamic_obstacles_limit {
	double limit_mps;               /* infinity: none */
	double bearing_rad, distance_m; /* of the one that sets it, from the robot's origin */
};

/* reaction_s: from the decision until the wheels follow. */
struct cairn_dynamic_obstacles_params cairn_dynamic_obstacles_params_from(
    const struct cairn_config *cfg, double reaction_s);
void cairn_dynamic_obstacles_init(
    struct cairn_dynamic_obstacles *movers, const struct cairn_dynamic_obstacles_params *params);

/* A turn: its returns in the robot frame of pose, which is that of the robot at t_end_ns. */
void cairn_dynamic_obstacles_scan(struct cairn_dynamic_obstacles *movers, const struct cairn_points *points,
    struct cairn_pose2 pose, int64_t t_start_ns, int64_t t_end_ns);

/* Limit for turning in place at pose: on the speed of the footprint's farthest corner. */
struct cairn_dynamic_obstacles_limit cairn_dynamic_obstacles_spin_limit(
    const struct cairn_dynamic_obstacles *movers, struct cairn_pose2 pose, int64_t now_ns);

/* Limit for driving on along curvature_1pm from pose, at now_ns. */
struct cairn_dynamic_obstacles_limit cairn_dynamic_obstacles_limit(
    const struct cairn_dynamic_obstacles *movers, struct cairn_pose2 pose, double curvature_1pm, bool forward,
    int64_t now_ns);

#endif
