/* pose_graph_private.h - the sparse solver behind the pose graph; not for others. */
#ifndef CAIRN_COMMON_SLAM_POSE_GRAPH_PRIVATE_H
#define CAIRN_COMMON_SLAM_POSE_GRAPH_PRIVATE_H

#include "common/slam/pose_graph.h"

/* A symmetric positive definite system of 3x3 blocks, its structure given by pairs of unknowns. */
struct cairn_pose_graph_solver;

struct cairn_pose_graph_solver *cairn_pose_graph_solver_new(void);
void cairn_pose_graph_solver_destroy(struct cairn_pose_graph_solver **solver_p);
/* Memory for n unknowns, as many as there are in a house's graph. False without. */
bool cairn_pose_graph_solver_take(struct cairn_pose_graph_solver *solver, uint32_t n);

/* Structure of n unknowns; pair i of count ties pairs[2 * i] and pairs[2 * i + 1] (different, below n).
 * Chooses the order of elimination. False without memory. */
bool cairn_pose_graph_solver_shape(
    struct cairn_pose_graph_solver *solver, uint32_t n, const uint32_t *pairs, uint32_t count);

/* All blocks and the right side to 0. */
void cairn_pose_graph_solver_clear(struct cairn_pose_graph_solver *solver);

/* Adds to the block of row u, column v (and, by symmetry, of v and u). The pair must be in the structure. */
void cairn_pose_graph_solver_add(
    struct cairn_pose_graph_solver *solver, uint32_t u, uint32_t v, const double block[3][3]);
void cairn_pose_graph_solver_add_right(
    struct cairn_pose_graph_solver *solver, uint32_t u, const double right[3]);

/* Scales the diagonals by 1 + damping, factors, solves. False when the matrix is not positive definite. The
 * solution is read with cairn_pose_graph_solver_solution; the system is used up. */
bool cairn_pose_graph_solver_solve(struct cairn_pose_graph_solver *solver, double damping);
const double *cairn_pose_graph_solver_solution(const struct cairn_pose_graph_solver *solver, uint32_t u);

/* Blocks of the factor below the diagonal. */
uint32_t cairn_pose_graph_solver_fill(const struct cairn_pose_graph_solver *solver);

/* ---- pose_graph.c ---- */

/* Inverse of a symmetric positive definite 3x3 matrix, as its upper triangle. False if it is none. */
bool cairn_pose_graph_invert(const double m[3][3], double out[6]);
/* e' w e. */
double cairn_pose_graph_weighed(const double w[6], const double e[3]);

#endif
