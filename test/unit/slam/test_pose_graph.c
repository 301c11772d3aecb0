#include "test/support/runner.h"

#include "common/base/rng.h"
#include "common/slam/pose_graph_private.h"

#include <errno.h>

static struct cairn_pose_graph graph;
static struct cairn_rng rng;

static void begin(void)
{
	cairn_pose_graph_init(&graph);
	cairn_rng_seed(&rng, 5, 3);
}

static void tie(
    uint32_t a, uint32_t b, enum cairn_edge_kind kind, struct cairn_pose2 z, double sigma_m, double sigma_rad)
{
	const double cov[3][3] = {
	    {sigma_m * sigma_m, 0.0, 0.0}, {0.0, sigma_m * sigma_m, 0.0}, {0.0, 0.0, sigma_rad * sigma_rad}};
	ck_assert_int_eq(cairn_pose_graph_add_edge(&graph, a, b, kind, z, cov), 0);
}

static double uniform(double most)
{
	return most * (2.0 * cairn_rng_uniform(&rng) - 1.0);
}

static struct cairn_pose2 any_pose(double far_m)
{
	return (struct cairn_pose2){uniform(far_m), uniform(far_m), uniform(M_PI)};
}

START_TEST(derivatives_are_those_of_finite_differences)
{
	begin();
	for (int round = 0; round < 200; round++) {
		struct cairn_pose2 p[2] = {any_pose(10.0), any_pose(10.0)}, z = any_pose(5.0);
		double e[3], j[2][3][3];
		z.yaw_rad =
		    cairn_wrap_rad(p[1].yaw_rad - p[0].yaw_rad + uniform(2.0)); /* away from the wrap */
		cairn_pose_graph_error(p[0], p[1], z, e, j[0], j[1]);
		for (int side = 0; side < 2; side++) {
			for (int axis = 0; axis < 3; axis++) {
				const double h = 1e-6;
				struct cairn_pose2 q[2] = {p[0], p[1]};
				double *value = axis == 0   ? &q[side].x_m
						: axis == 1 ? &q[side].y_m
							    : &q[side].yaw_rad;
				double up[3], down[3];
				*value += h;
				cairn_pose_graph_error(q[0], q[1], z, up, NULL, NULL);
				*value -= 2.0 * h;
				cairn_pose_graph_error(q[0], q[1], z, down, NULL, NULL);
				for (int row = 0; row < 3; row++)
					ck_assert_double_eq_tol(
					    j[side][row][axis], (up[row] - down[row]) / (2.0 * h), 1e-6);
			}
		}
	}
}
END_TEST

/* Two steps of 1 m, and the way as a whole measured as 2.3 m, all equally sure: the 0.3 m too much are shared
 * by three, so each step becomes 1.1 m. */
START_TEST(a_misfit_is_shared_by_equal_edges)
{
	begin();
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(
		    cairn_pose_graph_add_node(&graph, (struct cairn_pose2){1.0 * i, 0.0, 0.0}), i);
	tie(0, 1, CAIRN_EDGE_CHAIN, (struct cairn_pose2){1.0, 0.0, 0.0}, 0.1, 0.1);
	tie(1, 2, CAIRN_EDGE_CHAIN, (struct cairn_pose2){1.0, 0.0, 0.0}, 0.1, 0.1);
	tie(0, 2, CAIRN_EDGE_NEAR, (struct cairn_pose2){2.3, 0.0, 0.0}, 0.1, 0.1);
	struct cairn_pose_graph_report report;
	ck_assert_int_eq(cairn_pose_graph_optimise(&graph, &report), 0);
	ck_assert_double_eq_tol(graph.nodes[1].x_m, 1.1, 1e-6);
	ck_assert_double_eq_tol(graph.nodes[2].x_m, 2.2, 1e-6);
	ck_assert_double_eq_tol(graph.nodes[2].y_m, 0.0, 1e-9);
	ck_assert_double_eq_tol(report.chi2_before, 9.0, 1e-9); /* (0.3 / 0.1)^2 */
	ck_assert_double_eq_tol(report.chi2_after, 3.0, 1e-6);  /* 3 (0.1 / 0.1)^2 */
	ck_assert_double_eq_tol(report.moved_m, 0.2, 1e-6);
	cairn_pose_graph_free(&graph);
}
END_TEST

/* Of one step measured as 1 m (sigma 0.1) and as 1.5 m (sigma 0.2) the weights are 4 : 1: 1.1 m. */
START_TEST(the_surer_edge_counts_more)
{
	begin();
	for (int i = 0; i < 2; i++)
		cairn_pose_graph_add_node(&graph, (struct cairn_pose2){1.0 * i, 0.0, 0.0});
	tie(0, 1, CAIRN_EDGE_CHAIN, (struct cairn_pose2){1.0, 0.0, 0.0}, 0.1, 0.1);
	tie(0, 1, CAIRN_EDGE_NEAR, (struct cairn_pose2){1.5, 0.0, 0.0}, 0.2, 0.1);
	ck_assert_int_eq(cairn_pose_graph_optimise(&graph, NULL), 0);
	ck_assert_double_eq_tol(graph.nodes[1].x_m, 1.1, 1e-6);
	cairn_pose_graph_free(&graph);
}
END_TEST

/* Random graphs whose edges all agree: from a bad start the true poses are found again. */
START_TEST(poses_that_fit_all_edges_are_found)
{
	for (int round = 0; round < 20; round++) {
		struct cairn_pose2 truth[60];
		begin();
		cairn_rng_seed(&rng, 100 + (uint64_t)round, 1);
		for (uint32_t i = 0; i < 60; i++) {
			truth[i] =
			    i == 0 ? (struct cairn_pose2){0}
				   : cairn_pose_compose(truth[i - 1], (struct cairn_pose2){0.5 + uniform(0.2),
									  uniform(0.1), uniform(0.5)});
			struct cairn_pose2 start =
			    i == 0 ? truth[0]
				   : cairn_pose_compose(truth[i],
					 (struct cairn_pose2){uniform(0.3), uniform(0.3), uniform(0.2)});
			cairn_pose_graph_add_node(&graph, start);
		}
		for (uint32_t i = 1; i < 60; i++)
			tie(i - 1, i, CAIRN_EDGE_CHAIN, cairn_pose_between(truth[i - 1], truth[i]), 0.02,
			    0.01);
		for (int k = 0; k < 30; k++) {
			uint32_t a = cairn_rng_u32(&rng) % 60, b = cairn_rng_u32(&rng) % 60;
			if (a != b)
				tie(a, b, CAIRN_EDGE_NEAR, cairn_pose_between(truth[a], truth[b]), 0.05,
				    0.02);
		}
		ck_assert_int_eq(cairn_pose_graph_optimise(&graph, NULL), 0);
		for (uint32_t i = 0; i < 60; i++) {
			ck_assert_double_eq_tol(graph.nodes[i].x_m, truth[i].x_m, 1e-3);
			ck_assert_double_eq_tol(graph.nodes[i].y_m, truth[i].y_m, 1e-3);
			ck_assert_double_eq_tol(
			    cairn_wrap_rad(graph.nodes[i].yaw_rad - truth[i].yaw_rad), 0.0, 1e-3);
		}
		cairn_pose_graph_free(&graph);
	}
}
END_TEST

/* Rounds of 20 m by 20 m in steps of 0.5 m, of which odometry gets the heading wrong by 0.15 degrees each. */
#define ROUND_STEPS 160
static struct cairn_pose2 on_round(uint32_t i)
{
	double at = 0.5 * (i % ROUND_STEPS);
	int side = (int)(at / 20.0);
	double along = at - 20.0 * side;
	static const double corner[4][2] = {{0.0, 0.0}, {20.0, 0.0}, {20.0, 20.0}, {0.0, 20.0}};
	double yaw = side * M_PI / 2.0;
	return (struct cairn_pose2){
	    corner[side][0] + along * cos(yaw), corner[side][1] + along * sin(yaw), cairn_wrap_rad(yaw)};
}

static void drift_around(uint32_t steps)
{
	struct cairn_pose2 pose = {0};
	cairn_pose_graph_add_node(&graph, pose);
	for (uint32_t i = 1; i < steps; i++) {
		struct cairn_pose2 z = cairn_pose_between(on_round(i - 1), on_round(i));
		z.yaw_rad += cairn_deg_to_rad(0.15);
		pose = cairn_pose_compose(pose, z);
		cairn_pose_graph_add_node(&graph, pose);
		tie(i - 1, i, CAIRN_EDGE_CHAIN, z, 0.01, 0.005);
	}
}

static double off_m(uint32_t i)
{
	struct cairn_pose2 t = on_round(i);
	return hypot(graph.nodes[i].x_m - t.x_m, graph.nodes[i].y_m - t.y_m);
}

START_TEST(a_loop_far_off_is_closed)
{
	begin();
	drift_around(ROUND_STEPS);
	ck_assert_double_gt(off_m(ROUND_STEPS - 1), 3.0);
	tie(0, ROUND_STEPS - 1, CAIRN_EDGE_LOOP, cairn_pose_between(on_round(0), on_round(ROUND_STEPS - 1)),
	    0.03, 0.006);
	struct cairn_pose_graph_report report;
	ck_assert_int_eq(cairn_pose_graph_optimise(&graph, &report), 0);
	ck_assert_double_lt(off_m(ROUND_STEPS - 1), 0.1);
	ck_assert_double_lt(off_m(ROUND_STEPS / 2), 0.6);
	ck_assert_double_gt(graph.edges[graph.edge_count - 1].scale, 0.5);
	cairn_pose_graph_free(&graph);
}
END_TEST

START_TEST(a_wrong_loop_among_right_ones_does_not_bend_the_graph)
{
	begin();
	drift_around(2 * ROUND_STEPS);
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t a = 20 * i, b = a + ROUND_STEPS;
		tie(a, b, CAIRN_EDGE_LOOP, cairn_pose_between(on_round(a), on_round(b)), 0.03, 0.006);
	}
	ck_assert_int_eq(cairn_pose_graph_optimise(&graph, NULL), 0);
	double before_m = 0.0, after_m = 0.0;
	for (uint32_t i = 0; i < graph.node_count; i++)
		before_m = fmax(before_m, off_m(i));
	/* Opposite corners taken for one place. */
	tie(40, 120, CAIRN_EDGE_LOOP, (struct cairn_pose2){0.1, 0.0, 0.0}, 0.03, 0.006);
	ck_assert_int_eq(cairn_pose_graph_optimise(&graph, NULL), 0);
	for (uint32_t i = 0; i < graph.node_count; i++)
		after_m = fmax(after_m, off_m(i));
	printf("# farthest off: %.3f m, with a wrong loop %.3f m\n", before_m, after_m);
	ck_assert_double_lt(after_m, before_m + 0.05);
	ck_assert_double_lt(graph.edges[graph.edge_count - 1].scale, 0.01);
	for (uint32_t i = 1; i <= 8; i++)
		ck_assert_double_gt(graph.edges[graph.edge_count - 1 - i].scale, 0.25);
	cairn_pose_graph_free(&graph);
}
END_TEST

static bool is_loop(const struct cairn_pose_graph_edge *edge, void *ctx)
{
	(void)ctx;
	return edge->kind == CAIRN_EDGE_LOOP;
}

START_TEST(edges_that_are_dropped_are_gone_from_their_nodes)
{
	begin();
	drift_around(10);
	tie(0, 9, CAIRN_EDGE_LOOP, (struct cairn_pose2){4.5, 0.0, 0.0}, 0.03, 0.006);
	ck_assert_uint_eq(graph.first_edge[0] / 2, 9);
	cairn_pose_graph_drop_edges(&graph, is_loop, NULL);
	ck_assert_uint_eq(graph.edge_count, 9);
	ck_assert_uint_eq(graph.first_edge[0] / 2, 0);
	ck_assert_uint_eq(graph.first_edge[9] / 2, 8);
	cairn_pose_graph_free(&graph);
}
END_TEST

START_TEST(edges_without_sense_are_refused)
{
	begin();
	drift_around(3);
	const double good[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
	const double flat[3][3] = {{1.0, 1.0, 0.0}, {1.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
	struct cairn_pose2 z = {0};
	ck_assert_int_eq(cairn_pose_graph_add_edge(&graph, 1, 1, CAIRN_EDGE_NEAR, z, good), -EINVAL);
	ck_assert_int_eq(cairn_pose_graph_add_edge(&graph, 0, 3, CAIRN_EDGE_NEAR, z, good), -EINVAL);
	ck_assert_int_eq(cairn_pose_graph_add_edge(&graph, 0, 2, CAIRN_EDGE_NEAR, z, flat), -EINVAL);
	z.x_m = NAN;
	ck_assert_int_eq(cairn_pose_graph_add_edge(&graph, 0, 2, CAIRN_EDGE_NEAR, z, good), -EINVAL);
	ck_assert_uint_eq(graph.edge_count, 2);
	cairn_pose_graph_free(&graph);
}
END_TEST

/* A long chain with loops: the factor stays as sparse as the graph. */
START_TEST(a_chain_with_loops_hardly_fills_in)
{
	struct cairn_pose_graph_solver *solver = cairn_pose_graph_solver_new();
	static uint32_t pairs[2 * 3000];
	const uint32_t n = 2000;
	uint32_t count = 0;
	for (uint32_t i = 1; i < n; i++) {
		pairs[2 * count] = i - 1;
		pairs[2 * count++ + 1] = i;
	}
	for (uint32_t i = 0; i < 40; i++) { /* the second half runs along the first */
		pairs[2 * count] = 25 * i;
		pairs[2 * count++ + 1] = n / 2 + 25 * i;
	}
	ck_assert(cairn_pose_graph_solver_shape(solver, n, pairs, count));
	ck_assert_uint_lt(cairn_pose_graph_solver_fill(solver), 2 * count);
	cairn_pose_graph_solver_destroy(&solver);
}
END_TEST

CAIRN_TEST_MAIN("graph", derivatives_are_those_of_finite_differences, a_misfit_is_shared_by_equal_edges,
    the_surer_edge_counts_more, poses_that_fit_all_edges_are_found, a_loop_far_off_is_closed,
    a_wrong_loop_among_right_ones_does_not_bend_the_graph, edges_that_are_dropped_are_gone_from_their_nodes,
    edges_without_sense_are_refused, a_chain_with_loops_hardly_fills_in)
