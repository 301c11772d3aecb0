/* Decisions that the planner drives: the way to a frontier, and what comes in between. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

static struct cairn_msg_decision to_frontier(struct rig *r, uint32_t id)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_FRONTIER;
	d.frontier_id = id;
	return d;
}

/* Sends it to frontier 1 whenever it wants to know. True: a way there failed. */
static bool fails_within(struct rig *r, double seconds)
{
	uint32_t before = r->outcomes[CAIRN_OUTCOME_FAILED];
	for (uint64_t end = r->steps + (uint64_t)(20.0 * seconds); r->steps < end;) {
		rig_step(r);
		if (r->outcomes[CAIRN_OUTCOME_FAILED] > before)
			return true;
		struct cairn_msg_decision d = to_frontier(r, 1);
		if (r->out.mission.wants_decision)
			rig_decide(r, &d);
	}
	return false;
}

START_TEST(a_frontier_is_driven_to_by_the_planner)
{
	struct rig *r = rig_exploring_furnished();
	r->cfg.safety.decision_stretch_s = 0.0;
	r->frontiers.items[1].goal_x_m =
	    1.8; /* nothing stands on the straight line, which is all this planner knows */
	r->frontiers.items[1].goal_y_m = -0.6;
	rig_run(r, 1.0);
	struct cairn_msg_decision d = to_frontier(r, 2);
	rig_decide(r, &d);
	rig_step(r);
	ck_assert(r->out.nav_goal.active);
	ck_assert_double_eq(r->out.nav_goal.x_m, 1.8);
	ck_assert_double_eq(r->out.nav_goal.y_m, -0.6);
	ck_assert(rig_until_result(r, d.id, 60.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_double_lt(hypot(r->pose.x_m - 1.8, r->pose.y_m + 0.6), 0.5);
	rig_step(r);
	ck_assert(!r->out.nav_goal.active);
	ck_assert_uint_eq(r->contacts, 0);
	rig_free(r);
}
END_TEST

START_TEST(a_silent_planner_fails_the_way_but_not_the_frontier)
{
	struct rig *r = rig_exploring_furnished();
	r->planner = RIG_PLANNER_SILENT;
	struct cairn_msg_decision d = to_frontier(r, 1);
	rig_decide(r, &d);
	rig_run(r, 7.5);
	ck_assert_uint_eq(r->results, 0);
	ck_assert(rig_until_result(r, d.id, 1.5));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_FAILED);
	ck_assert_uint_eq(cairn_sequencer_record(r->seq)->explore.count, 0);
	rig_free(r);
}
END_TEST

START_TEST(a_long_way_is_driven_in_stretches_and_blames_nobody)
{
	struct rig *r = rig_exploring_furnished();
	r->cfg.safety.decision_stretch_s = 3.0;
	r->frontiers.items[1].goal_x_m = 1.8; /* as above: nothing on the straight line */
	r->frontiers.items[1].goal_y_m = -0.6;
	struct cairn_msg_decision d = to_frontier(r, 2);
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 60.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_PARTIAL);
	ck_assert_ptr_nonnull(strstr(r->last_result.reason, "on the way"));
	ck_assert_double_gt(r->last_result.distance_m, 0.0);
	rig_step(r);
	ck_assert(r->out.mission.wants_decision);
	ck_assert_uint_eq(r->out.mission.given_up_count, 0);
	int stretches = 1;
	for (; r->last_result.outcome == CAIRN_OUTCOME_PARTIAL && stretches < 20; stretches++) {
		d = to_frontier(r, 2);
		rig_decide(r, &d);
		ck_assert(rig_until_result(r, d.id, 60.0));
	}
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_uint_eq(r->contacts, 0);
	rig_free(r);
}
END_TEST

/* The same place by a map that was drawn anew: turned by 0.1 rad about the start, then shifted. */
static void draw_anew(struct rig *r, enum cairn_tracking tracking)
{
	const struct cairn_pose2 correction = {0.2, -0.3, 0.1};
	struct cairn_pose2 now = cairn_pose_compose(correction, r->pose);
	struct cairn_msg_pose pose = {.x_m = now.x_m,
	    .y_m = now.y_m,
	    .yaw_rad = now.yaw_rad,
	    .tracking = tracking,
	    .distance_m = r->path_m,
	    .map_epoch = 1};
	r->now_ns += RIG_STEP_NS;
	cairn_sequencer_on_pose(r->seq, &pose, r->now_ns);
	cairn_sequencer_step(r->seq, r->now_ns, &r->out);
}

START_TEST(a_goal_moves_with_the_map_and_the_start_does_not)
{
	static const struct {
		double x_m, y_m;
		enum cairn_tracking tracking;
		bool retrace, moves;
	} rows[] = {{3.0, 0.5, CAIRN_TRACKING_GOOD, false, true},
	    {3.0, 0.5, CAIRN_TRACKING_WEAK, false, false}, {8.0, 0.0, CAIRN_TRACKING_GOOD, false, false},
	    {0.0, 0.0, CAIRN_TRACKING_GOOD, true, false}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig *r = rig_exploring_furnished();
		r->noise = false;
		if (rows[i].retrace) {
			rig_command(r, "goto", 1.0, -0.3, 0.0);
			rig_run(r, 12.0);
		}
		struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
		d.goal_kind = rows[i].retrace ? CAIRN_GOAL_KIND_START : CAIRN_GOAL_KIND_COORDINATES;
		d.x_m = rows[i].x_m;
		d.y_m = rows[i].y_m;
		r->planner = RIG_PLANNER_SILENT; /* stands meanwhile */
		rig_decide(r, &d);
		rig_run(r, 0.5);
		ck_assert(r->out.nav_goal.active);
		struct cairn_msg_nav_goal before = r->out.nav_goal;
		draw_anew(r, rows[i].tracking);
		struct cairn_vec2 want = {rows[i].x_m, rows[i].y_m};
		if (rows[i].moves) /* 0.2 + 3 cos 0.1 - 0.5 sin 0.1, -0.3 + 3 sin 0.1 + 0.5 cos 0.1 */
			want = (struct cairn_vec2){3.135096, 0.497002};
		ck_assert_double_eq_tol(r->out.nav_goal.x_m, want.x_m, 0.01);
		ck_assert_double_eq_tol(r->out.nav_goal.y_m, want.y_m, 0.01);
		ck_assert_int_eq(r->out.nav_goal.id != before.id, rows[i].moves);
		rig_free(r);
	}
}
END_TEST

START_TEST(a_planner_that_dies_on_the_way_may_come_back)
{
	struct rig *r = rig_exploring();
	r->cfg.safety.decision_stretch_s = 0.0;
	struct cairn_msg_decision d = to_frontier(r, 2);
	rig_decide(r, &d);
	rig_run(r, 2.0);
	r->planner = RIG_PLANNER_SILENT;
	rig_run(r, 1.0);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	r->planner = RIG_PLANNER_DRIVES;
	ck_assert(rig_until_result(r, d.id, 60.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
	rig_free(r);
}
END_TEST

START_TEST(a_frontier_without_a_path_is_given_up_after_two_tries)
{
	struct rig *r = rig_exploring_furnished();
	r->planner = RIG_PLANNER_NO_PATH;
	snprintf(r->planner_reason, sizeof(r->planner_reason), "a wall");
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(r->out.mission.given_up_count, 0);
		struct cairn_msg_decision d = to_frontier(r, 1);
		rig_decide(r, &d);
		ck_assert(rig_until_result(r, d.id, 5.0));
		ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_FAILED);
		ck_assert_str_eq(r->last_result.reason, "no_path: a wall");
	}
	rig_run(r, 0.2);
	ck_assert_uint_eq(r->out.mission.given_up_count, 1);
	ck_assert_double_eq(r->out.mission.given_up[0].x_m, 3.5);
	ck_assert_str_eq(r->out.mission.given_up[0].reason, "no_path: a wall");
	struct cairn_msg_decision d = to_frontier(r, 1);
	rig_decide(r, &d);
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_str_eq(r->last_result.reason, "frontier 1 was given up: no_path: a wall");
	ck_assert_ptr_nonnull(strstr(r->last_result.suggestion, "frontier 2"));
	rig_free(r);
}
END_TEST

START_TEST(a_robot_that_is_boxed_in_gives_no_frontier_up_and_goes_on_when_it_is_free)
{
	struct rig *r = rig_exploring();
	int walls = r->segment_count;
	r->cfg.safety.decision_stretch_s = 0.0;
	rig_box(r, -0.22, -0.17, 0.36, 0.17); /* somebody has put a chair over it */
	r->planner = RIG_PLANNER_BOXED_IN;
	for (int i = 0; i < 4; i++) {
		struct cairn_msg_decision d = to_frontier(r, 1);
		rig_decide(r, &d);
		ck_assert(rig_until_result(r, d.id, 30.0));
		ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_FAILED);
		ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "start_blocked"));
		rig_run(r, 20.0); /* what it does to free itself */
	}
	ck_assert_uint_eq(r->out.mission.given_up_count, 0);
	ck_assert_int_eq((int)r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	ck_assert_uint_eq(r->contacts, 0);
	r->segment_count = walls;
	r->planner = RIG_PLANNER_DRIVES;
	rig_run(r, 1.0); /* what it had begun by itself ends */
	struct cairn_msg_decision d = to_frontier(r, 1);
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 60.0));
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_SUCCESS);
	rig_free(r);
}
END_TEST

START_TEST(a_robot_that_nobody_frees_gives_up_after_two_minutes_and_says_why)
{
	struct rig *r = rig_exploring();
	r->cfg.safety.silent_local_s = 3000.0;
	rig_box(r, -0.22, -0.17, 0.36, 0.17);
	r->planner = RIG_PLANNER_BOXED_IN;
	rig_run(r, 100.0);
	ck_assert_uint_eq(r->out.mission.given_up_count, 0);
	rig_run(r, 200.0);
	ck_assert_uint_eq(r->out.mission.given_up_count, 2);
	ck_assert_ptr_nonnull(strstr(r->out.mission.given_up[0].reason, "start_blocked"));
	ck_assert_int_ne((int)r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	rig_free(r);
}
END_TEST

START_TEST(a_robot_that_is_boxed_in_where_it_has_been_before_has_its_two_minutes_anew)
{
	struct rig *r = rig_exploring();
	r->cfg.safety.silent_local_s = 3000.0;
	const struct cairn_pose2 shut_in = r->pose;
	const int walls = r->segment_count;
	for (int i = 0; i < 2; i++) {
		r->pose = shut_in;
		rig_box(r, -0.22, -0.17, 0.36, 0.17);
		r->planner = RIG_PLANNER_BOXED_IN;
		rig_run(r, 90.0);
		ck_assert_uint_eq(r->out.mission.given_up_count, 0);
		r->segment_count = walls;
		r->planner = RIG_PLANNER_DRIVES;
		rig_run(r, 15.0); /* it drives off */
		ck_assert_double_gt(hypot(r->pose.x_m - shut_in.x_m, r->pose.y_m - shut_in.y_m), 0.2);
	}
	ck_assert_int_eq((int)r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	rig_free(r);
}
END_TEST

START_TEST(the_first_way_may_lead_to_where_the_robot_started)
{
	struct rig *r = rig_exploring();
	r->cfg.safety.decision_stretch_s = 0.0;
	r->cfg.nav.progress_s = 1.0;
	r->noise = false;
	r->pose = (struct cairn_pose2){1.8, 0.0, M_PI}; /* carried there, and the process began anew */
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	rig_run(r, 0.5);
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 60.0));
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_SUCCESS);
	rig_free(r);
}
END_TEST

START_TEST(a_frontier_that_has_been_seen_into_ends_the_way_well_whatever_comes_after_it)
{
	struct rig *r = rig_exploring_furnished();
	struct cairn_msg_decision d = to_frontier(r, 1);
	rig_decide(r, &d);
	rig_run(r, 1.0);
	r->frontiers.items[0] = r->frontiers.items[1]; /* only frontier 2 is left */
	r->frontiers.items_count = 1;
	ck_assert(rig_until_result(r, d.id, r->cfg.safety.decision_stretch_s + 1.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_ptr_nonnull(strstr(r->last_result.reason, "seen into"));
	rig_free(r);
}
END_TEST

START_TEST(a_frontier_that_the_robot_gets_no_nearer_to_is_given_up_whoever_asks_how_often)
{
	static const double stretches_s[] = {0.0, 3.0};
	for (int k = 0; k < 2; k++) {
		struct rig *r = rig_exploring_furnished();
		r->cfg.safety.decision_stretch_s = stretches_s[k];
		r->planner = RIG_PLANNER_TO_AND_FRO;
		for (int i = 0; i < 2; i++) {
			ck_assert_uint_eq(r->out.mission.given_up_count, 0);
			ck_assert(!fails_within(r, 0.8 * r->cfg.nav.progress_s));
			ck_assert(fails_within(r, r->cfg.nav.progress_s));
			ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "no nearer"));
		}
		rig_run(r, 0.2);
		ck_assert_uint_eq(r->out.mission.given_up_count, 1);
		ck_assert_uint_eq(r->contacts, 0);
		rig_free(r);
	}
}
END_TEST

START_TEST(the_end_of_a_part_of_a_path_is_not_taken_for_the_goal)
{
	struct rig *r = rig_exploring_furnished();
	r->cfg.nav.progress_s = 4.0;
	r->part_m = 0.2;
	ck_assert(!fails_within(r, 1.5));
	r->part_m = 0.0; /* 3 m are left of the whole, less with each second */
	ck_assert_msg(!fails_within(r, 6.0), "%s", r->last_model_result.reason);
	r->planner = RIG_PLANNER_TO_AND_FRO;
	r->part_m = 0.2;
	ck_assert(fails_within(r, 12.0)); /* nor is a part of a path that leads nowhere followed for ever */
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "no nearer"));
	rig_free(r);
}
END_TEST

START_TEST(coming_nearer_or_another_goal_begins_the_wait_anew)
{
	struct rig *r = rig_exploring_furnished();
	r->cfg.safety.decision_stretch_s = 1.0;
	r->cfg.nav.progress_s = 4.0;
	r->planner = RIG_PLANNER_TO_AND_FRO;
	ck_assert(!fails_within(r, 3.0));
	r->planner =
	    RIG_PLANNER_DRIVES; /* the way is more than 3 s long, and each of them brings it nearer */
	ck_assert(!fails_within(r, 3.0));
	r->planner = RIG_PLANNER_TO_AND_FRO;
	ck_assert(!fails_within(r, 3.0));
	r->frontiers.items[0].y_m += 0.6; /* the same id, and not the same place */
	ck_assert(!fails_within(r, 3.5));
	ck_assert(fails_within(r, 3.5));
	rig_free(r);
}
END_TEST

START_TEST(nothing_is_given_up_from_a_tight_place_before_the_planner_has_had_time_to_back_out)
{
	for (int part = 0; part < 2; part++) {
		struct rig *r = rig_exploring_furnished();
		r->cfg.safety.decision_stretch_s = 0.0;
		r->planner = RIG_PLANNER_TO_AND_FRO;
		r->part_m = part ? 0.2 : 0.0;
		ck_assert(!fails_within(r, 0.8 * r->cfg.nav.progress_s));
		for (int i = 0; i < (part ? 3 : 1); i++) { /* in it goes, and waits there as long again */
			r->tight = true;
			ck_assert_msg(
			    !fails_within(r, 0.9 * r->cfg.nav.progress_s), "part %d, time %d", part, i);
			r->tight = false;
			rig_run(r, 0.1);
		}
		r->tight = true; /* to and fro at the mouth does not begin the wait anew for ever */
		ck_assert(fails_within(r, 0.3 * r->cfg.nav.progress_s));
		ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "no nearer"));
		rig_free(r);
	}
}
END_TEST

START_TEST(who_creeps_on_in_a_tight_place_gets_somewhere)
{
	for (int tight = 0; tight < 2; tight++) {
		struct rig *r = rig_exploring_furnished();
		r->cfg.safety.decision_stretch_s = 0.0;
		r->planner = RIG_PLANNER_CREEPS;
		r->part_m = 0.2; /* of a part of a path: how far it is to the goal nobody knows */
		r->tight = tight;
		ck_assert_int_eq(fails_within(r, 1.4 * r->cfg.nav.progress_s), !tight);
		ck_assert_double_lt(r->path_m, r->cfg.nav.progress_m);
		rig_free(r);
	}
}
END_TEST

/* Exploring by itself, on the way to frontier 1, with frontier 2 worth more from now on. */
static struct rig *rig_tempted(void)
{
	struct rig *r = rig_exploring_furnished();
	r->cfg.safety.silent_coast_s = 0.1;
	r->cfg.safety.silent_wait_s = 0.2;
	r->frontiers.items[0].detour_m = 1.0;
	r->frontiers.items[1].detour_m = 2.0;
	rig_run(r, 2.0);
	ck_assert(r->out.nav_goal.active);
	ck_assert_double_eq(r->out.nav_goal.x_m, r->frontiers.items[0].goal_x_m);
	r->frontiers.items[1].detour_m = 0.5;
	return r;
}

START_TEST(in_a_tight_place_what_it_went_in_for_is_looked_into_first)
{
	struct rig *r = rig_tempted();
	rig_run(r, 1.0);
	ck_assert_double_eq(r->out.nav_goal.x_m, r->frontiers.items[1].goal_x_m);
	rig_free(r);
	r = rig_tempted();
	r->tight = true;
	rig_run(r, 2.0);
	ck_assert_double_eq(r->out.nav_goal.x_m, r->frontiers.items[0].goal_x_m);
	r->frontiers.items[0] = r->frontiers.items[1]; /* seen into */
	r->frontiers.items_count = 1;
	rig_run(r, 1.5);
	ck_assert_double_eq(r->out.nav_goal.x_m, r->frontiers.items[0].goal_x_m);
	rig_free(r);
	r = rig_tempted();
	r->planner = RIG_PLANNER_BACKS_OUT; /* nor does it turn back in there under way */
	rig_run(r, 2.0);
	ck_assert_double_eq(r->out.nav_goal.x_m, r->frontiers.items[0].goal_x_m);
	rig_free(r);
}
END_TEST

START_TEST(a_person_that_sends_the_robot_somewhere_decides_how_long_it_tries)
{
	struct rig *r = rig_exploring_furnished();
	r->planner = RIG_PLANNER_TO_AND_FRO;
	rig_command(r, "goto", 3.0, 0.5, 0.0);
	rig_run(r, 1.0);
	ck_assert(r->out.nav_goal.active);
	uint64_t id = r->out.nav_goal.id;
	rig_run(r, 2.0 * r->cfg.nav.progress_s);
	ck_assert(r->out.nav_goal.active);
	ck_assert_uint_eq(r->out.nav_goal.id, id); /* the first attempt still */
	rig_free(r);
}
END_TEST

/* The goal is less than 2 m away: about a minute for the straight way. Of a way round of 24 m, 40 s + 6 * 24 m / 0.45 m/s. */
START_TEST(a_way_that_leads_round_has_the_time_that_its_length_takes)
{
	for (int round = 0; round < 2; round++) {
		struct rig *r = rig_exploring_furnished();
		r->cfg.safety.decision_stretch_s = 0.0;
		r->cfg.nav.progress_s = 1000.0;
		r->planner = RIG_PLANNER_TO_AND_FRO;
		r->way_m = round == 1 ? 24.0 : 0.0;
		rig_run(r, 1.0);
		struct cairn_msg_decision d = to_frontier(r, 1);
		rig_decide(r, &d);
		ck_assert_int_eq(rig_until_result(r, d.id, 100.0), round == 0);
		if (round == 0)
			ck_assert_msg(strstr(r->last_result.reason, "took longer than") != NULL, "%s",
			    r->last_result.reason);
		rig_free(r);
	}
}
END_TEST

START_TEST(the_planner_is_told_what_lets_nothing_pass_of_its_velocity)
{
	struct rig *r = rig_exploring_furnished();
	r->cfg.safety.decision_stretch_s = 0.0;
	r->noise = false;
	rig_run(r, 1.0);
	struct cairn_msg_decision d = to_frontier(r, 1);
	rig_decide(r, &d);
	for (int i = 0; i < 100 && r->v_mps < 0.1; i++)
		rig_step(r);
	ck_assert_int_eq(r->out.nav_goal.held_by, CAIRN_SENSOR_NONE);
	ck_assert_double_lt(r->out.nav_goal.held_m, 0.0);
	double front_m = r->cfg.robot.footprint_front_m + 0.5 * r->cfg.safety.stop_distance_m;
	struct cairn_vec2 a = cairn_pose_apply(r->pose, (struct cairn_vec2){front_m, -0.3}),
			  b = cairn_pose_apply(r->pose, (struct cairn_vec2){front_m, 0.3});
	rig_wall(r, a.x_m, a.y_m, b.x_m, b.y_m);
	for (int i = 0; i < 10 && r->out.nav_goal.held_by == CAIRN_SENSOR_NONE; i++)
		rig_step(r);
	ck_assert(r->out.nav_goal_changed);
	ck_assert_int_eq(r->out.nav_goal.held_by, CAIRN_SENSOR_LIDAR);
	ck_assert_double_lt(fabs(r->out.nav_goal.held_bearing_rad), 0.8);
	ck_assert_double_lt(r->out.nav_goal.held_m, front_m + 0.15);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	r->segment_count--;
	for (int i = 0; i < 10 && r->out.nav_goal.held_by != CAIRN_SENSOR_NONE; i++)
		rig_step(r);
	ck_assert_int_eq(r->out.nav_goal.held_by, CAIRN_SENSOR_NONE);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("sequencer-ways", a_frontier_is_driven_to_by_the_planner,
    a_silent_planner_fails_the_way_but_not_the_frontier, a_long_way_is_driven_in_stretches_and_blames_nobody,
    a_goal_moves_with_the_map_and_the_start_does_not, a_planner_that_dies_on_the_way_may_come_back,
    a_frontier_without_a_path_is_given_up_after_two_tries,
    a_robot_that_is_boxed_in_gives_no_frontier_up_and_goes_on_when_it_is_free,
    a_robot_that_is_boxed_in_where_it_has_been_before_has_its_two_minutes_anew,
    a_robot_that_nobody_frees_gives_up_after_two_minutes_and_says_why,
    the_first_way_may_lead_to_where_the_robot_started,
    a_frontier_that_has_been_seen_into_ends_the_way_well_whatever_comes_after_it,
    a_frontier_that_the_robot_gets_no_nearer_to_is_given_up_whoever_asks_how_often,
    the_end_of_a_part_of_a_path_is_not_taken_for_the_goal, coming_nearer_or_another_goal_begins_the_wait_anew,
    nothing_is_given_up_from_a_tight_place_before_the_planner_has_had_time_to_back_out,
    who_creeps_on_in_a_tight_place_gets_somewhere, in_a_tight_place_what_it_went_in_for_is_looked_into_first,
    a_person_that_sends_the_robot_somewhere_decides_how_long_it_tries,
    a_way_that_leads_round_has_the_time_that_its_length_takes,
    the_planner_is_told_what_lets_nothing_pass_of_its_velocity)
