/* sim_private.h - the simulation's state, shared by its files; not for others. */
#ifndef CAIRN_COMMON_SIM_ROBOT_SIM_PRIVATE_H
#define CAIRN_COMMON_SIM_ROBOT_SIM_PRIVATE_H

#include "common/sim/robot/sim.h"
#include "common/sim/world/slice.h"

/* What a beam meets in the house, and from where. */
struct cairn_beam {
	struct cairn_vec2 from;
	double dx, dy, range_m;
};

/* The beams of one step of a turn. As long as the robot stands, the next turn's are the same. */
struct cairn_beams {
	bool known;
	struct cairn_pose2 before, after;
	struct cairn_beam beams[CAIRN_LIDAR_STEP_POINTS];
};

#define CAIRN_DEPTH_COLUMNS 64

/* One of the depth camera's picture, as directions over the floor. */
struct cairn_column {
	double angle_rad, free_from_m; /* as the robot believes */
	double ahead, left;            /* cosine and sine of where it truly looks, robot frame */
};

#define CAIRN_DEPTH_HEIGHTS 48

/* The world as the depth camera looks at it, at one height. */
struct cairn_depth_height {
	double z_m;
	struct cairn_slice *slice;
};

struct cairn_sim {
	const struct cairn_config *cfg;
	const struct cairn_world *world;
	struct cairn_body_params params;
	struct cairn_mounting mounting;
	struct cairn_sim_state state;
	struct cairn_truth *truth;
	struct cairn_slice *lidar; /* the world at its height */
	bool no_sweep;
	uint32_t turn_step; /* of the LiDAR */
	bool turn_done;
	double spin_radps;
	struct cairn_lidar_point points[CAIRN_LIDAR_STEP_POINTS];
	float turn_m[CAIRN_LIDAR_POINTS];                /* ranges of the turn under way */
	float angle_rad[CAIRN_LIDAR_POINTS];             /* in the robot frame */
	struct cairn_vec2 direction[CAIRN_LIDAR_POINTS]; /* the same, before it is rounded */
	struct cairn_beams beams[CAIRN_LIDAR_TURN_STEPS];
	struct cairn_camera_pose camera;                  /* as it truly is */
	struct cairn_column columns[CAIRN_DEPTH_COLUMNS]; /* of the depth camera */
	struct cairn_depth_height depths[CAIRN_DEPTH_HEIGHTS];
	int depth_count;
};

/* Works out where the depth camera looks. */
void cairn_sim_aim_columns(struct cairn_sim *sim);
/* Prepares the world at its heights. False without memory. */
bool cairn_sim_slice_depths(struct cairn_sim *sim);

/* Everybody at the first point of their way that the robot does not stand on. The first of those who have no such point,
 * or -1. */
int32_t cairn_sim_place_people(struct cairn_sim *sim);

/* One step of everybody who walks, and of what they carry. */
void cairn_sim_walk(struct cairn_sim *sim);

#endif
