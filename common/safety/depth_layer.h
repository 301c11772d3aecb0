/* depth_layer.h - what the depth camera has said about the floor around the robot: free, an obstacle, or never
 * seen.
 *
 * The camera looks ahead in a cone and not right in front of the wheels, so what it saw has to be remembered:
 * a low box that leaves the picture is still there. A grid of 5 cm that goes along with the robot keeps, for
 * each cell, whether it was seen free, or an obstacle stands in it, or neither. Floor that was never seen
 * is not driven on backward: its border counts as an obstacle there; within 0.2 m of an obstacle, which may
 * go on beside the picture, forward as well. (Ahead the camera sees it before the wheels come to it; to hold
 * it against forward arcs as well costs half of the time in a house.) Around the start the floor is taken to
 * be free, and so is what the robot has driven over, the last 50 m of it even where it has left the grid meanwhile: that is
 * the way back; so are slits one cell wide between seen cells.
 *
 * Obstacles that the LiDAR sees as well are not remembered: they are the LiDAR's business, and may walk away.
 * A return behind them is not of them: a LiDAR looks through glass, and over the foot of a thing to its body.
 * What stands behind such an obstacle, seen from the camera, is not forgotten because columns beside it pass.
 *
 * Poses are in a frame that does not jump over short ways (dead reckoning or the map). Dead reckoning goes
 * astray: what was seen last so many metres ago may be drift_share of them nearer than it is remembered, and
 * a cell's thing may fill the cell. So obstacles are told twice, where they are and where they may begin.
 * Pure; about 120 kB. */
#ifndef CAIRN_COMMON_SAFETY_DEPTH_LAYER_H
#define CAIRN_COMMON_SAFETY_DEPTH_LAYER_H

#include "common/scan/scan.h"
#include "common/config/config.h"

#define CAIRN_DEPTH_LAYER_CELL_M 0.05
#define CAIRN_DEPTH_LAYER_CELLS 128 /* a side; a power of two: cells wrap round */
#define CAIRN_DEPTH_LAYER_POINTS_MAX 2048
#define CAIRN_DEPTH_LAYER_COLUMNS_MAX (sizeof(((struct cairn_msg_depth_scan *)0)->hit) / sizeof(bool))

struct cairn_depth_layer_params {
	struct cairn_footprint body;
	double start_m;
	double drift_share; /* of the way driven; 0: the poses are those of a map */
};

/* Directions of a camera's columns, as the newest scan told them. */
struct cairn_depth_layer_looks {
	uint32_t count;
	float rad[CAIRN_DEPTH_LAYER_COLUMNS_MAX];
	double c[CAIRN_DEPTH_LAYER_COLUMNS_MAX], s[CAIRN_DEPTH_LAYER_COLUMNS_MAX];
};

/* A pose that the robot had, and how far beyond its sides the floor was known to be free. */
struct cairn_depth_layer_track {
	float x_m, y_m, yaw_rad, left_m, right_m;
};
#define CAIRN_DEPTH_LAYER_TRACK_MAX 1024 /* about 50 m of way */

struct cairn_depth_layer {
	struct cairn_depth_layer_params params;
	bool some; /* a depth scan has come: otherwise nothing is known and nothing is held against anybody */
	bool begun; /* the start is marked */
	struct cairn_depth_layer_looks looks;
	struct cairn_pose2 fix;  /* of the poses handed in, to those of the grid (depth_layer_track.c) */
	double astray_m;         /* driven since the robot was last known to be on its own way */
	struct cairn_pose2 last; /* of the grid's frame, as all that follows */
	double driven_m;
	int32_t cx, cy; /* cell of the robot: the grid holds what is within half its side of it */
	uint8_t cells[CAIRN_DEPTH_LAYER_CELLS * CAIRN_DEPTH_LAYER_CELLS];
	uint16_t seen_at[CAIRN_DEPTH_LAYER_CELLS *
			 CAIRN_DEPTH_LAYER_CELLS]; /* obstacles: driven_m then, in cells; wraps */
	uint8_t top_cm[CAIRN_DEPTH_LAYER_CELLS *
		       CAIRN_DEPTH_LAYER_CELLS]; /* obstacles: how high they reach; 0: not known */
	struct cairn_depth_layer_track
	    track[CAIRN_DEPTH_LAYER_TRACK_MAX]; /* newest last; what was gone back over is dropped */
	uint32_t track_count;
	bool track_shifted; /* the grid has gained cells since they were looked through */
	uint32_t count; /* of points: obstacles, then the border of the unseen, near the robot, in the poses'
			   frame */
	uint32_t solid; /* of these obstacles */
	float x_m[CAIRN_DEPTH_LAYER_POINTS_MAX], y_m[CAIRN_DEPTH_LAYER_POINTS_MAX];
	float
	    reach_m[CAIRN_DEPTH_LAYER_POINTS_MAX]; /* so much nearer an obstacle may begin; 0: it does not */
};

struct cairn_depth_layer_params cairn_depth_layer_params_from(const struct cairn_config *cfg);
void cairn_depth_layer_init(struct cairn_depth_layer *floor, const struct cairn_depth_layer_params *params);

/* The robot is here: what its footprint covers is free. */
void cairn_depth_layer_drive(struct cairn_depth_layer *floor, struct cairn_pose2 pose);
/* The frame has changed: what was at `was` is at `now`. */
void cairn_depth_layer_move(struct cairn_depth_layer *floor, struct cairn_pose2 was, struct cairn_pose2 now);
/* A depth scan taken at pose. lidar: returns in the robot frame at that pose, NULL = none. */
void cairn_depth_layer_see(struct cairn_depth_layer *floor, const struct cairn_msg_depth_scan *scan,
    struct cairn_pose2 pose, const struct cairn_points *lidar);
/* Adds what stands in the way, in the robot frame of pose; as many as there is room for. */
void cairn_depth_layer_points(
    const struct cairn_depth_layer *floor, struct cairn_pose2 pose, struct cairn_points *points);

/* The thing that the point (x_m, y_m), robot frame of pose, is of: how high it reaches, 0 where that is not known. False:
 * there is none, the point is of floor never seen. For words only. */
bool cairn_depth_layer_thing(const struct cairn_depth_layer *floor, struct cairn_pose2 pose, double x_m,
    double y_m, double *ret_top_m);

/* False, with the reason, for a scan that is malformed. */
bool cairn_depth_scan_ok(const struct cairn_msg_depth_scan *scan, const char **ret_why);

#endif
