/* mapping.h - how true are pose and map after exploring a house with odometry that slips and drifts? */
#ifndef CAIRN_COMMON_EVAL_MAPPING_H
#define CAIRN_COMMON_EVAL_MAPPING_H

#include "common/eval/run.h"

struct cairn_mapping_report {
	double seconds, driven_m; /* simulated, truly */
	bool finished;            /* the mission ended by itself within the time */
	double worst_m, worst_rad, mean_m;
	double end_m, end_rad;           /* pose against truth at the end */
	double odometry_m, odometry_rad; /* what wheels and gyro alone would have at the end */
	uint32_t poses, not_good;        /* judged; of these with tracking worse than good */
	uint32_t occupied,
	    near_walls; /* cells; of these within a cell of a true surface at the LiDAR's height */
	double free_m2;
	uint32_t loops, loops_dropped, keyframes, epochs;
	uint64_t refused, wild;
};

/* Explores the world with cfg's robot, noise, slip and drift, by the scripted pilot, until the mission ends
 * or limit_s. False with the reason. */
bool cairn_mapping_run(const struct cairn_config *cfg, const struct cairn_world *world, double limit_s,
    struct cairn_mapping_report *ret, struct cairn_error *err);

/* Of the occupied cells of a grid, how many have a true surface within a cell of their centre.
 * world_from_map: where the map's origin stands in the world. */
uint32_t cairn_mapping_near_walls(const struct cairn_grid *grid, const struct cairn_world *world,
    double lidar_z_m, struct cairn_pose2 world_from_map);

#endif
