/* sim.h - a simulated robot in a simulated house, stepped in fixed time: truth, LiDAR, camera, people.
 *
 * No clock, no devices: the caller steps it as fast as it likes and passes the drive in. robot-sim puts the
 * devices' protocols around it; an evaluator can use it as it is. The same configuration, world and drives
 * give the same run. */
#ifndef CAIRN_COMMON_SIM_ROBOT_SIM_H
#define CAIRN_COMMON_SIM_ROBOT_SIM_H

#include "common/sim/robot/body.h"
#include "common/sim/robot/mounting.h"
#include "common/sim/robot/truth.h"
#include "common/sim/world/props.h"
#include "ipc/messages.h"

#define CAIRN_SIM_STEP_S 0.01
#define CAIRN_SIM_STEP_NS (10 * CAIRN_NS_PER_MS)
#define CAIRN_LIDAR_POINTS 720 /* a turn */
#define CAIRN_LIDAR_TURN_STEPS 10
#define CAIRN_LIDAR_STEP_POINTS (CAIRN_LIDAR_POINTS / CAIRN_LIDAR_TURN_STEPS)
#define CAIRN_LIDAR_MIN_M 0.05
#define CAIRN_LIDAR_MAX_M 16.0
#define CAIRN_LIDAR_QUANTUM_M 0.00025 /* steps in which the device tells ranges */

/* One measurement; the device counts its angle clockwise from its mark. */
struct cairn_lidar_point {
	uint16_t index; /* 0 .. 719; half degrees */
	float range_m;  /* 0 = no return */
};

struct cairn_walker {
	double x_m, y_m;
	uint32_t next; /* waypoint */
	bool back;
	double waiting_s;
};

/* All that a run is, apart from the world and the swept floor: plain data, to be kept and put back. */
struct cairn_sim_state {
	uint64_t steps;
	struct cairn_rng rng;
	struct cairn_pose2 start;
	struct cairn_body body;
	struct cairn_walker walkers[CAIRN_WORLD_PEOPLE_MAX];
	double battery_v;
	struct cairn_props props;
};

struct cairn_sim;

/* The start pose by sim.start: the world's (chosen where it has none), chosen, or given. cfg and world are
 * borrowed and must stay. NULL with "sim.start: reason" in err when the robot cannot stand there. */
struct cairn_sim *cairn_sim_new(
    const struct cairn_config *cfg, const struct cairn_world *world, struct cairn_error *err);
void cairn_sim_destroy(struct cairn_sim **sim_p);

const struct cairn_sim_state *cairn_sim_state(const struct cairn_sim *sim);
/* How its sensors and wheels truly are. */
const struct cairn_mounting *cairn_sim_mounting(const struct cairn_sim *sim);
/* Puts a kept state back; the robot stands still. The start must be the same as this simulation's. */
void cairn_sim_restore(struct cairn_sim *sim, const struct cairn_sim_state *state);
struct cairn_truth *cairn_sim_truth(struct cairn_sim *sim);
/* Whether rays are entered into the truth's swept floor (they are, unless told otherwise): it costs time. */
void cairn_sim_sweeps(struct cairn_sim *sim, bool on);
/* Distance from the footprint to the nearest thing or person now, at most max_m. */
double cairn_sim_clearance(const struct cairn_sim *sim, double max_m);

/* One step of CAIRN_SIM_STEP_S. Returns the LiDAR points measured during it (CAIRN_LIDAR_STEP_POINTS, evenly
 * spaced in time, valid until the next step), or NULL when the LiDAR does not turn. */
const struct cairn_lidar_point *cairn_sim_step(
    struct cairn_sim *sim, struct cairn_drive drive, bool lidar_on);

/* The turn whose last point came with the last step, as the scan message a sensor bridge would make of it:
 * true once every CAIRN_LIDAR_TURN_STEPS steps with the LiDAR on. */
bool cairn_sim_scan(const struct cairn_sim *sim, struct cairn_msg_scan *scan);

/* What the depth camera's virtual scan would say now (ipc/messages.def), worked out from the world by rays at
 * a few heights instead of from a picture: the same to within a column's width and the noise. */
void cairn_sim_depth_scan(struct cairn_sim *sim, struct cairn_msg_depth_scan *scan);

/* Whether one of the cliff sensors sees no floor: sim.cliff_x_m ahead, in the middle and at both sides of the body. */
bool cairn_sim_cliff(const struct cairn_sim *sim);

/* Steering angle of the bicycle model for a twist, limited to what the axle allows; standing keeps hold_rad.
 */
double cairn_sim_steer_for(const struct cairn_config *cfg, double v_mps, double w_radps, double hold_rad);

/* Turns the body on the spot at this rate in every step from now on, as no Ackermann robot can: for bodies
 * that are abstract. 0 ends it. */
void cairn_sim_spin(struct cairn_sim *sim, double w_radps);

/* Puts a person elsewhere, from where it goes on as before. False, and it stays: it would touch the robot there. */
bool cairn_sim_put_person(struct cairn_sim *sim, uint32_t person, struct cairn_vec2 at);

/* What the hand changes of the house. */
struct cairn_props *cairn_sim_props(struct cairn_sim *sim);

/* People where they are now; the number of them. */
size_t cairn_sim_people(const struct cairn_sim *sim, struct cairn_disc discs[CAIRN_WORLD_PEOPLE_MAX]);
/* The same, and behind them the doors of cupboards that stand open: all that is felt and not of the world. */
#define CAIRN_SIM_DISCS (CAIRN_WORLD_PEOPLE_MAX + CAIRN_PROPS_DISCS)
size_t cairn_sim_discs(const struct cairn_sim *sim, struct cairn_disc discs[CAIRN_SIM_DISCS]);
void cairn_sim_truth_message(const struct cairn_sim *sim, struct cairn_msg_sim_truth *out);

#endif
