/* How far two keyframes may be off each other, along a way of which nothing but odometry knows the length. */
#include "test/support/runner.h"

#include "common/slam/pose_uncertainty.h"

static struct cairn_pose_graph graph;
static struct cairn_pose_uncertainty reach;

/* A chain along x, a step a metre; along: the deviation of each step's length. */
static void chain(uint32_t steps, double along_m, double aside_m, double rad)
{
	const double cov[3][3] = {
	    {along_m * along_m, 0.0, 0.0}, {0.0, aside_m * aside_m, 0.0}, {0.0, 0.0, rad * rad}};
	cairn_pose_graph_init(&graph);
	cairn_pose_uncertainty_init(&reach);
	for (uint32_t i = 0; i <= steps; i++)
		ck_assert_int_ge(cairn_pose_graph_add_node(&graph, (struct cairn_pose2){i, 0.0, 0.0}), 0);
	for (uint32_t i = 0; i < steps; i++)
		ck_assert_int_eq(cairn_pose_graph_add_edge(&graph, i, i + 1, CAIRN_EDGE_CHAIN,
				     (struct cairn_pose2){1.0, 0.0, 0.0}, cov),
		    0);
	ck_assert(cairn_pose_uncertainty_from(&reach, &graph, 0, INFINITY));
}

static void end(void)
{
	cairn_pose_uncertainty_free(&reach);
	cairn_pose_graph_free(&graph);
}

START_TEST(what_scans_measure_grows_with_the_root_of_the_way_and_what_odometry_measures_with_the_way)
{
	chain(100, 0.01, 0.01, 1e-6);
	ck_assert_double_eq_tol(cairn_pose_uncertainty_sigma_m(&reach, 100), 0.1, 0.001); /* sqrt(100) 0.01 */
	end();
	chain(100, 0.5, 0.01, 1e-6); /* the share of the way, and across it sqrt(100) 0.015 */
	ck_assert_double_eq_tol(
	    cairn_pose_uncertainty_sigma_m(&reach, 100), hypot(100.0 * CAIRN_BLIND_SHARE, 0.15), 0.01);
	ck_assert_double_eq_tol(reach.nodes[100].blind_xx_m, 100.0, 1e-6);
	ck_assert_double_eq_tol(reach.nodes[100].blind_yy_m, 0.0, 1e-6);
	end();
}
END_TEST

START_TEST(a_way_between_bare_walls_may_be_longer_and_does_not_lie_elsewhere)
{
	chain(50, 0.5, 0.01, 0.001);
	const struct cairn_pose2 longer = {3.0, 0.0, 0.0}, beside = {0.0, 3.0, 0.0};
	/* 3 m of 50 at a share of 0.07: (3 / 3.5) squared, and a little less for what else there is */
	ck_assert_double_eq_tol(cairn_pose_uncertainty_chi2(&reach, 50, longer, 0.1, 0.01), 0.73, 0.01);
	ck_assert_double_gt(cairn_pose_uncertainty_chi2(&reach, 50, beside, 0.1, 0.01), 50.0);
	end();
}
END_TEST

/* With a heading of 0.01 rad a step, 50 m aside come to 0.01 sqrt(50^3 / 3) = 2 m: that is one deviation when the heading has
 * turned with it (by 3 / (2 L) of it), and two when the way would have had to bend back. */
START_TEST(a_way_that_would_have_to_bend_to_and_fro_is_less_likely_than_one_that_turned)
{
	chain(50, 0.01, 0.001, 0.01);
	const struct cairn_pose2 turned = {0.0, 2.04, 1.5 * 2.04 / 50.0}, bent = {0.0, 2.04, 0.0};
	double as_turned = cairn_pose_uncertainty_chi2(&reach, 50, turned, 0.01, 0.001),
	       as_bent = cairn_pose_uncertainty_chi2(&reach, 50, bent, 0.01, 0.001);
	ck_assert_double_eq_tol(as_turned, 1.0, 0.1);
	ck_assert_double_eq_tol(as_bent, 4.0, 0.3);
	end();
}
END_TEST

CAIRN_TEST_MAIN("pose_uncertainty",
    what_scans_measure_grows_with_the_root_of_the_way_and_what_odometry_measures_with_the_way,
    a_way_between_bare_walls_may_be_longer_and_does_not_lie_elsewhere,
    a_way_that_would_have_to_bend_to_and_fro_is_less_likely_than_one_that_turned)
