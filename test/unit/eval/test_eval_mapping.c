/* The studio explored by the real cores with odometry that slips and drifts, judged by the truth. */
#include "test/support/runner.h"

#include "common/eval/mapping.h"

START_TEST(a_home_explored_with_slip_and_drift_is_mapped_true)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	struct cairn_mapping_report r;
	char path[512];
	cairn_config_defaults(&cfg);
	cfg.sim.slip = 0.05;
	cfg.sim.yaw_drift_deg_per_m = 1.0;
	snprintf(path, sizeof(path), "%s/config/worlds/studio.yaml", CAIRN_SOURCE_ROOT);
	struct cairn_world *world = cairn_world_load(path, &err);
	ck_assert_msg(world != NULL, "%s", err.text);
	ck_assert_msg(cairn_mapping_run(&cfg, world, 120.0, &r, &err), "%s", err.text);
	printf("# %.1f m: worst %.3f m %.2f deg, odometry %.2f m %.1f deg, walls %.3f\n", r.driven_m,
	    r.worst_m, cairn_rad_to_deg(r.worst_rad), r.odometry_m, cairn_rad_to_deg(r.odometry_rad),
	    (double)r.near_walls / r.occupied);
	ck_assert_double_gt(r.driven_m, 3.0);
	ck_assert_double_gt(r.odometry_rad, cairn_deg_to_rad(3.0)); /* or the test would prove nothing */
	ck_assert_double_lt(r.worst_m, 0.10);
	ck_assert_double_lt(r.worst_rad, cairn_deg_to_rad(2.0));
	ck_assert_double_gt(r.near_walls, 0.95 * r.occupied);
	cairn_world_destroy(&world);
}
END_TEST

/* A wall 2 cm beside a true surface counts, one 20 cm beside it does not: the same grid, moved. */
START_TEST(walls_off_their_place_are_not_counted)
{
	struct cairn_error err = {""};
	char path[512];
	snprintf(path, sizeof(path), "%s/config/worlds/studio.yaml", CAIRN_SOURCE_ROOT);
	struct cairn_world *world = cairn_world_load(path, &err);
	ck_assert_ptr_nonnull(world);
	struct cairn_edge e = world->edges[0];
	for (uint32_t i = 0; i < world->edge_count; i++) { /* the longest at the LiDAR's height */
		const struct cairn_edge *f = &world->edges[i];
		if (f->z0_m <= 0.18F && f->z1_m >= 0.18F && f->glass == 0 &&
		    hypotf(f->bx_m - f->ax_m, f->by_m - f->ay_m) > hypotf(e.bx_m - e.ax_m, e.by_m - e.ay_m))
			e = *f;
	}
	struct cairn_grid grid;
	cairn_grid_init(&grid, 0.05, 20.0);
	ck_assert(cairn_grid_reserve(&grid, (struct cairn_cell_box){-2, -2, 2, 2}));
	grid.odds[cairn_grid_index(&grid, 0, 0)] = CAIRN_ODDS_MAX;
	grid.known = (struct cairn_cell_box){0, 0, 0, 0};
	double dx = (double)(e.bx_m - e.ax_m), dy = (double)(e.by_m - e.ay_m), length = hypot(dx, dy);
	for (int k = 0; k < 2; k++) {
		double off_m = k == 0 ? 0.02 : 0.20; /* to the free side, the right of a -> b */
		double x = 0.5 * (double)(e.ax_m + e.bx_m) + dy / length * off_m;
		double y = 0.5 * (double)(e.ay_m + e.by_m) - dx / length * off_m;
		struct cairn_pose2 at = {x - 0.025, y - 0.025, 0.0}; /* the centre of cell 0 0 comes to x y */
		ck_assert_uint_eq(cairn_mapping_near_walls(&grid, world, 0.18, at), k == 0 ? 1 : 0);
	}
	cairn_grid_free(&grid);
	cairn_world_destroy(&world);
}
END_TEST

CAIRN_TEST_MAIN(
    "eval_mapping", a_home_explored_with_slip_and_drift_is_mapped_true, walls_off_their_place_are_not_counted)
