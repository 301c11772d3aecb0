/* What a recorded decision led to, told from what was heard while it was driven. */
#include "procs/gateway/decision_consequence.h"
#include "test/support/runner.h"

#define MS INT64_C(1000000)

static struct pursuit p;

static struct cairn_header at(int64_t t_ns)
{
	return (struct cairn_header){.t_ns = t_ns, .epoch = 1, .valid = true};
}

static struct cairn_msg_nav_goal goal_to(uint64_t id, double x_m)
{
	return (struct cairn_msg_nav_goal){.id = id, .active = true, .x_m = x_m};
}

static void hear_goal(uint64_t id, double x_m, int64_t t_ns)
{
	struct cairn_msg_nav_goal g = goal_to(id, x_m);
	struct cairn_header hdr = at(t_ns);
	consequence_goal(&p, &g, &hdr);
}

static void hear_cmd(uint64_t decision_id, double v_mps, int64_t t_ns)
{
	struct cairn_msg_cmd_vel c = {.v_mps = v_mps, .decision_id = decision_id};
	struct cairn_header hdr = at(t_ns);
	consequence_cmd(&p, &c, &hdr);
}

static void hear_path(uint64_t goal_id, int64_t t_ns)
{
	static struct cairn_msg_nav_path path;
	struct cairn_header hdr = at(t_ns);
	path.goal_id = goal_id;
	path.points_count = 2;
	consequence_path(&p, &path, &hdr);
}

static void hear_status(uint64_t goal_id, enum cairn_nav_state state, int64_t t_ns)
{
	struct cairn_msg_nav_status s = {.goal_id = goal_id, .state = state};
	struct cairn_header hdr = at(t_ns);
	consequence_status(&p, &s, &hdr);
}

static void decide_while_nothing_is_driven_to(uint64_t id)
{
	struct cairn_msg_nav_goal none = {.id = 3};
	struct cairn_header hdr = at(1 * MS);
	consequence_begin(&p, id, &none, &hdr);
}

static void decide_on_the_way_to(uint64_t id, uint64_t goal_id, double x_m)
{
	struct cairn_msg_nav_goal g = goal_to(goal_id, x_m);
	struct cairn_header hdr = at(1 * MS);
	consequence_begin(&p, id, &g, &hdr);
}

START_TEST(a_decision_from_a_standstill_has_the_goal_the_path_and_the_velocity_that_follow_it)
{
	decide_while_nothing_is_driven_to(70);
	hear_goal(4, 2.0, 10 * MS);
	hear_cmd(70, 0.0, 10 * MS);
	hear_status(4, CAIRN_NAV_STATE_PLANNING, 20 * MS);
	ck_assert(!p.has_status);
	hear_path(9, 25 * MS); /* to somewhere else */
	ck_assert(!p.has_path);
	hear_path(4, 30 * MS);
	hear_status(4, CAIRN_NAV_STATE_FOLLOWING, 30 * MS);
	hear_cmd(69, 0.2, 40 * MS); /* of another */
	ck_assert(!p.has_cmd);
	hear_cmd(70, 0.3, 60 * MS);
	hear_cmd(70, 0.4, 80 * MS);
	ck_assert(p.has_goal && p.has_path && p.has_status && p.has_cmd && !p.kept);
	ck_assert_double_eq(p.goal.x_m, 2.0);
	ck_assert_double_eq(p.cmd.v_mps, 0.3);
	ck_assert_int_eq(p.path_hdr.t_ns, 30 * MS);
}
END_TEST

START_TEST(a_decision_that_goes_on_to_the_same_place_has_the_goal_that_is_driven_to)
{
	decide_on_the_way_to(71, 4, 2.0);
	hear_cmd(71, 0.4, 10 * MS);
	hear_goal(4, 2.0, 50 * MS); /* repeated */
	hear_path(4, 60 * MS);
	hear_status(4, CAIRN_NAV_STATE_FOLLOWING, 60 * MS);
	ck_assert(p.has_goal && p.kept && p.has_cmd);
	ck_assert_double_eq(p.goal.x_m, 2.0);
	ck_assert(!p.has_path && !p.has_status); /* they are of the decision before */
}
END_TEST

START_TEST(a_goal_set_on_the_way_is_not_what_was_decided)
{
	decide_on_the_way_to(72, 4, 2.0);
	hear_cmd(72, 0.4, 10 * MS);
	hear_goal(5, 9.0, 600 * MS);
	ck_assert_double_eq(p.goal.x_m, 2.0);
	decide_while_nothing_is_driven_to(73);
	hear_cmd(73, 0.0, 10 * MS);
	hear_goal(6, 3.0, 10 * MS);
	hear_goal(7, 9.0, 600 * MS);
	ck_assert_double_eq(p.goal.x_m, 3.0);
}
END_TEST

START_TEST(a_decision_that_takes_over_with_another_place_has_that_whichever_is_heard_first)
{
	decide_on_the_way_to(74, 4, 2.0);
	hear_goal(5, 3.0, 10 * MS);
	hear_cmd(74, 0.4, 10 * MS);
	ck_assert(!p.kept);
	ck_assert_double_eq(p.goal.x_m, 3.0);
	decide_on_the_way_to(75, 4, 2.0);
	hear_cmd(75, 0.4, 10 * MS);
	hear_goal(5, 3.0, 10 * MS);
	ck_assert(!p.kept);
	ck_assert_double_eq(p.goal.x_m, 3.0);
	hear_path(5, 20 * MS);
	ck_assert(p.has_path);
}
END_TEST

START_TEST(a_goal_that_changes_before_the_decision_is_driven_is_the_one_it_goes_on_to)
{
	decide_on_the_way_to(76, 4, 2.0);
	hear_cmd(75, 0.4, 5 * MS);
	hear_goal(5, 3.0, 8 * MS);
	hear_cmd(76, 0.4, 12 * MS);
	ck_assert_double_eq(p.goal.x_m, 3.0);
}
END_TEST

START_TEST(nothing_is_kept_where_no_decision_is_pursued)
{
	memset(&p, 0, sizeof(p));
	hear_goal(4, 2.0, 10 * MS);
	hear_cmd(0, 0.3, 10 * MS);
	hear_path(4, 10 * MS);
	hear_status(4, CAIRN_NAV_STATE_FOLLOWING, 10 * MS);
	ck_assert(!p.has_goal && !p.has_cmd && !p.has_path && !p.has_status);
}
END_TEST

CAIRN_TEST_MAIN("pursuit", a_decision_from_a_standstill_has_the_goal_the_path_and_the_velocity_that_follow_it,
    a_decision_that_goes_on_to_the_same_place_has_the_goal_that_is_driven_to,
    a_goal_set_on_the_way_is_not_what_was_decided,
    a_decision_that_takes_over_with_another_place_has_that_whichever_is_heard_first,
    a_goal_that_changes_before_the_decision_is_driven_is_the_one_it_goes_on_to,
    nothing_is_kept_where_no_decision_is_pursued)
