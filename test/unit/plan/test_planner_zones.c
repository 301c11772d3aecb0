#include "common/plan/planner.h"

#include "test/support/grids.h"
#include "test/support/runner.h"

static struct cairn_config cfg;
static struct cairn_planner_output out;

/* Two rooms with a gap of 0.8 m between; the robot in the left one, the goal in the right one. */
static struct cairn_planner *in_two_rooms(void)
{
	struct cairn_error err;
	struct test_grid g = test_grid_new(6.0, 4.0, 0.05);
	test_grid_border(&g);
	test_grid_box(&g, 2.95, 0.0, 3.1, 4.0, 100);
	test_grid_box(&g, 2.9, 1.6, 3.2, 2.4, 0);
	cairn_config_defaults(&cfg);
	struct cairn_planner *p = cairn_planner_new(&cfg, &err);
	ck_assert(p != NULL);
	struct cairn_msg_pose pose = {.x_m = 1.0, .y_m = 2.0, .tracking = CAIRN_TRACKING_GOOD};
	struct cairn_plan_grid grid = test_grid_view(&g);
	ck_assert(cairn_planner_pose(p, &pose, 1000));
	ck_assert(cairn_planner_grid(p, &grid, 1000));
	free(g.cells);
	return p;
}

static enum cairn_nav_state go(struct cairn_planner *p, uint64_t id)
{
	struct cairn_msg_nav_goal goal = {.id = id, .active = true, .x_m = 5.0, .y_m = 2.0};
	ck_assert(cairn_planner_goal(p, &goal, 2000));
	cairn_planner_step(p, 3000, &out);
	return out.status.state;
}

static void corners(struct cairn_msg_zone *z, float x0, float y0, float x1, float y1)
{
	const float x[4] = {x0, x1, x1, x0}, y[4] = {y0, y0, y1, y1};
	for (int i = 0; i < 4; i++)
		z->corners[i] = (struct cairn_msg_zone_point){x[i], y[i]};
	z->corners_count = 4;
}

START_TEST(a_keepout_zone_in_the_only_door_leaves_no_path_until_it_is_gone)
{
	static struct cairn_msg_zones zones;
	struct cairn_planner *p = in_two_rooms();
	ck_assert_int_eq(go(p, 1), CAIRN_NAV_STATE_FOLLOWING);
	zones = (struct cairn_msg_zones){.items_count = 1};
	zones.items[0].kind = CAIRN_ZONE_KIND_KEEPOUT;
	corners(&zones.items[0], 2.8f, 1.5f, 3.2f, 2.5f);
	ck_assert(cairn_planner_zones(p, &zones));
	ck_assert_int_eq(go(p, 2), CAIRN_NAV_STATE_NO_PATH);
	ck_assert_double_eq(out.velocity.v_mps, 0.0);
	zones.items_count = 0;
	ck_assert(cairn_planner_zones(p, &zones));
	ck_assert_int_eq(go(p, 3), CAIRN_NAV_STATE_FOLLOWING);
	cairn_planner_destroy(&p);
}
END_TEST

START_TEST(a_slowdown_zone_limits_the_speed_inside)
{
	static struct cairn_msg_zones zones;
	struct cairn_planner *p = in_two_rooms();
	ck_assert_int_eq(go(p, 1), CAIRN_NAV_STATE_FOLLOWING);
	ck_assert_double_gt(out.velocity.v_mps, 0.11);
	zones = (struct cairn_msg_zones){.items_count = 1};
	zones.items[0].kind = CAIRN_ZONE_KIND_SLOWDOWN;
	zones.items[0].speed_max_mps = 0.1;
	corners(&zones.items[0], 0.5f, 1.0f, 2.0f, 3.0f);
	ck_assert(cairn_planner_zones(p, &zones));
	ck_assert_int_eq(go(p, 2), CAIRN_NAV_STATE_FOLLOWING);
	ck_assert_double_le(out.velocity.v_mps, 0.1);
	cairn_planner_destroy(&p);
}
END_TEST

START_TEST(an_outline_that_encloses_nothing_is_refused_and_the_others_hold)
{
	static struct cairn_msg_zones zones;
	struct cairn_planner *p = in_two_rooms();
	zones = (struct cairn_msg_zones){.items_count = 2};
	zones.items[0].corners_count = 2;
	corners(&zones.items[1], 2.8f, 1.5f, 3.2f, 2.5f);
	ck_assert(cairn_planner_zones(p, &zones));
	ck_assert_uint_eq(cairn_planner_rejects(p), 1);
	ck_assert_int_eq(go(p, 1), CAIRN_NAV_STATE_NO_PATH);
	cairn_planner_destroy(&p);
}
END_TEST

CAIRN_TEST_MAIN("planner zones", a_keepout_zone_in_the_only_door_leaves_no_path_until_it_is_gone,
    a_slowdown_zone_limits_the_speed_inside, an_outline_that_encloses_nothing_is_refused_and_the_others_hold)
