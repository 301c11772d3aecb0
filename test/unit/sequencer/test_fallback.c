/* What a decision would do instead: taken where it passes the checks, told where it does not, and held against no place twice. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

/* A hall of 9 by 6 m with a frontier at its far end. */
static struct rig *hall(void)
{
	struct rig *r = rig_new(3);
	rig_box(r, -1.0, -3.0, 8.0, 3.0);
	rig_frontier(r, 1, 5.0, 0.0, 1.0);
	r->cfg.safety.decision_stretch_s = 0.0;
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	rig_run(r, 1.0);
	return r;
}

static struct cairn_msg_decision to_frontier(struct rig *r, uint32_t id)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_FRONTIER;
	d.frontier_id = id;
	return d;
}

static struct cairn_msg_decision to_point(struct rig *r, double x_m, double y_m)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	d.x_m = x_m;
	d.y_m = y_m;
	return d;
}

static void instead_frontier(struct cairn_msg_decision *d, uint32_t id)
{
	d->has_fallback = true;
	d->fallback_tool = CAIRN_TOOL_NAVIGATE_TO_GOAL;
	d->fallback_goal_kind = CAIRN_GOAL_KIND_FRONTIER;
	d->fallback_frontier_id = id;
}

static void instead_point(struct cairn_msg_decision *d, double x_m, double y_m)
{
	d->has_fallback = true;
	d->fallback_tool = CAIRN_TOOL_NAVIGATE_TO_GOAL;
	d->fallback_goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	d->fallback_x_m = x_m;
	d->fallback_y_m = y_m;
}

static void ends(struct rig *r, const struct cairn_msg_decision *d, const char *words)
{
	rig_decide(r, d);
	ck_assert(rig_until_result(r, d->id, 20.0));
	ck_assert_msg(strstr(r->last_result.reason, words) != NULL, "%s", r->last_result.reason);
}

/* Begins the way, and takes its path from it once so much of it is driven. */
static void loses_its_path_after(struct rig *r, const struct cairn_msg_decision *d, double driven_m)
{
	double x_m = r->pose.x_m;
	rig_decide(r, d);
	for (int i = 0; i < 2000 && r->pose.x_m < x_m + driven_m; i++)
		rig_step(r);
	ck_assert_double_ge(r->pose.x_m, x_m + driven_m);
	r->planner = RIG_PLANNER_NO_PATH;
}

START_TEST(a_place_without_a_path_has_failed_once_whatever_becomes_of_the_fallback)
{
	struct rig *r = hall();
	r->planner = RIG_PLANNER_NO_PATH;
	struct cairn_msg_decision d = to_frontier(r, 1);
	instead_frontier(&d, 98);
	ends(r, &d, "no_path; fallback refused: there is no frontier 98 any more");
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_FAILED);
	const struct cairn_mission_record *m = cairn_sequencer_record(r->seq);
	ck_assert_uint_eq(m->explore.count, 1);
	ck_assert_uint_eq(m->explore.places[0].failures, 1);
	ck_assert(!m->explore.places[0].given_up);
	rig_free(r);
	/* The same place by another name is none to go to instead. */
	r = hall();
	r->planner = RIG_PLANNER_NO_PATH;
	d = to_frontier(r, 1);
	instead_frontier(&d, 1);
	ends(r, &d, "no_path; fallback refused: it is the same place");
	m = cairn_sequencer_record(r->seq);
	ck_assert_uint_eq(m->explore.places[0].failures, 1);
	rig_free(r);
	/* Where it is taken, the place that it stands for has failed all the same. */
	r = hall();
	r->planner = RIG_PLANNER_NO_PATH;
	d = to_frontier(r, 1);
	instead_point(&d, 2.0, 1.0);
	ends(r, &d, "instead of");
	m = cairn_sequencer_record(r->seq);
	ck_assert_uint_eq(m->explore.count, 1);
	ck_assert_uint_eq(m->explore.places[0].failures, 1);
	rig_free(r);
}
END_TEST

START_TEST(another_place_is_gone_to_also_when_the_path_is_lost_far_on_the_way)
{
	struct rig *r = hall();
	struct cairn_msg_decision d = to_point(r, 6.5, 0.0);
	instead_point(&d, r->pose.x_m + 4.0, 1.0);
	loses_its_path_after(r, &d, 2.5);
	for (int i = 0; i < 100 && fabs(r->out.nav_goal.y_m - 1.0) > 1e-6; i++)
		rig_step(r);
	ck_assert_double_eq(r->out.nav_goal.y_m, 1.0);
	r->planner = RIG_PLANNER_DRIVES;
	ck_assert(rig_until_result(r, d.id, 60.0));
	ck_assert_msg(r->last_result.outcome == CAIRN_OUTCOME_SUCCESS, "%s", r->last_result.reason);
	ck_assert_uint_eq(r->contacts, 0);
	rig_free(r);
}
END_TEST

START_TEST(a_move_from_where_the_robot_was_is_refused_there_and_the_result_says_so)
{
	struct rig *r = hall();
	struct cairn_msg_decision d = to_point(r, 6.5, 0.0);
	d.has_fallback = true;
	d.fallback_tool = CAIRN_TOOL_MOVE_TOWARD;
	d.fallback_direction = CAIRN_DIRECTION_LEFT;
	d.fallback_duration_s = 2.0;
	loses_its_path_after(r, &d, 2.5);
	ck_assert(rig_until_result(r, d.id, 20.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_FAILED);
	ck_assert_msg(strstr(r->last_result.reason, "fallback refused: the robot has moved 2.") != NULL, "%s",
	    r->last_result.reason);
	rig_free(r);
}
END_TEST

START_TEST(where_both_are_refused_the_result_says_why_of_both)
{
	struct rig *r = hall();
	struct cairn_msg_decision d = to_frontier(r, 99);
	instead_frontier(&d, 98);
	rig_decide(r, &d);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_str_eq(r->last_model_result.reason,
	    "there is no frontier 99 any more; fallback refused: there is no frontier 98 any more");
	rig_free(r);
}
END_TEST

START_TEST(an_answer_whose_place_is_gone_and_whose_fallback_is_not_ends_the_models_silence)
{
	struct rig *r = hall();
	r->cfg.safety.silent_local_s = 12.0;
	ck_assert(rig_until(r, CAIRN_MISSION_STATE_RETURNING, 20.0));
	ck_assert_str_eq(r->out.mission.reason, "model_silent");
	struct cairn_msg_decision d = to_frontier(r, 99);
	instead_point(&d, r->pose.x_m + 1.0, r->pose.y_m);
	rig_decide(r, &d);
	rig_step(r);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	ck_assert_uint_eq(r->out.mission.decision_id, d.id);
	rig_free(r);
}
END_TEST

START_TEST(a_heading_is_turned_to_instead)
{
	struct rig *r = hall();
	r->planner = RIG_PLANNER_NO_PATH;
	struct cairn_msg_decision d = to_frontier(r, 1);
	d.has_fallback = true;
	d.fallback_tool = CAIRN_TOOL_ROTATE;
	d.fallback_absolute = true;
	d.fallback_angle_deg = 315.0; /* as an angle it would be nearly a whole turn to the right */
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 60.0));
	ck_assert_msg(strstr(r->last_result.reason, "instead of") != NULL, "%s", r->last_result.reason);
	ck_assert_double_eq_tol(r->last_result.turned_rad, cairn_deg_to_rad(45.0), 0.3);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("fallback", a_place_without_a_path_has_failed_once_whatever_becomes_of_the_fallback,
    another_place_is_gone_to_also_when_the_path_is_lost_far_on_the_way,
    a_move_from_where_the_robot_was_is_refused_there_and_the_result_says_so,
    where_both_are_refused_the_result_says_why_of_both,
    an_answer_whose_place_is_gone_and_whose_fallback_is_not_ends_the_models_silence,
    a_heading_is_turned_to_instead)
