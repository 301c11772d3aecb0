/* truth.h - what of a world the robot can reach, and how much of that its LiDAR has swept.
 *
 * Reachable floor: cells of CAIRN_TRUTH_CELL_M where a disc of the footprint's half width and 2 cm fits,
 * connected (4 neighbours) with the start, widened again by the disc. Coverage: the share of it crossed by
 * LiDAR rays, up to CAIRN_TRUTH_RANGE_M from the sensor. It never falls. */
#ifndef CAIRN_COMMON_SIM_ROBOT_TRUTH_H
#define CAIRN_COMMON_SIM_ROBOT_TRUTH_H

#include "common/sim/world/world.h"

#define CAIRN_TRUTH_CELL_M 0.05
#define CAIRN_TRUTH_RANGE_M 8.0
#define CAIRN_TRUTH_MARGIN_M 0.02

struct cairn_truth;

/* start: of the robot; the disc's centre is the footprint's. NULL without memory. */
struct cairn_truth *cairn_truth_new(const struct cairn_world *world, const struct cairn_footprint *body,
    double height_m, struct cairn_pose2 start);
void cairn_truth_destroy(struct cairn_truth **truth_p);

double cairn_truth_reachable_m2(const struct cairn_truth *truth);
bool cairn_truth_reachable_at(const struct cairn_truth *truth, double x_m, double y_m);
bool cairn_truth_seen_at(const struct cairn_truth *truth, double x_m, double y_m);
double cairn_truth_coverage(const struct cairn_truth *truth);
/* A true ray from (x, y) along the unit vector (dx, dy), length range_m. */
void cairn_truth_sweep(
    struct cairn_truth *truth, double x_m, double y_m, double dx, double dy, double range_m);

/* The swept cells as bits, for keeping them elsewhere: the truth copies what the memory holds and then works
 * in it. */
size_t cairn_truth_bitmap_bytes(const struct cairn_truth *truth);
void cairn_truth_use_bitmap(struct cairn_truth *truth, uint8_t *bitmap);

#endif
