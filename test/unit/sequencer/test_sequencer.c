/* What happens to a single decision: refused, held, driven, reported. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

static void expect_refused(struct rig *r, const struct cairn_msg_decision *d, const char *why)
{
	uint64_t refused = r->out.mission.refused;
	double path = r->path_m;
	rig_decide(r, d);
	ck_assert_uint_eq(r->last_result.decision_id, d->id);
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_msg(
	    strstr(r->last_result.reason, why) != NULL, "'%s' instead of '%s'", r->last_result.reason, why);
	rig_run(r, 1.0);
	ck_assert_uint_eq(r->out.mission.refused, refused + 1);
	ck_assert_double_eq(r->path_m, path);
}

START_TEST(a_move_is_driven_for_its_time_and_reported)
{
	struct rig *r = rig_exploring_furnished();
	uint64_t id = rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_MEDIUM, 3.0);
	rig_step(r);
	ck_assert_uint_eq(r->out.cmd_vel.decision_id, id);
	ck_assert_int_eq(r->out.cmd_vel.source, CAIRN_SOURCE_MODEL);
	ck_assert(!r->out.mission.wants_decision);
	ck_assert_str_eq(r->out.mission.activity, "move_toward forward medium 3 s");
	ck_assert(rig_until_result(r, id, 5.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_double_eq_tol(r->last_result.distance_m, 0.36, 0.04);
	ck_assert_double_eq_tol(r->last_result.duration_s, 3.0, 0.11);
	ck_assert(!r->last_result.overridden);
	ck_assert_str_eq(r->last_result.asked, "move_toward forward medium 3 s");
	ck_assert_uint_eq(r->out.mission.decisions, 1);
	ck_assert_double_gt(r->out.mission.first_decision_s, 0.0);
	rig_free(r);
}
END_TEST

START_TEST(directions_are_the_arcs_they_say)
{
	static const double curvature_1pm[CAIRN_DIRECTION_COUNT] = {
	    0.0, 1.25, -1.25, 1.0 / 0.315, -1.0 / 0.315, 0.0};
	for (int d = 0; d < CAIRN_DIRECTION_COUNT; d++) {
		struct rig *r = rig_exploring_furnished();
		rig_move(r, (enum cairn_direction)d, CAIRN_SPEED_SLOW, 2.0);
		rig_step(r);
		double v = r->out.cmd_vel.v_mps;
		ck_assert_double_eq_tol(v, d == CAIRN_DIRECTION_BACKWARD ? -0.08 : 0.08, 1e-9);
		ck_assert_double_eq_tol(r->out.cmd_vel.w_radps, v * curvature_1pm[d], 1e-9);
		rig_free(r);
	}
}
END_TEST

START_TEST(stale_snapshots_are_refused)
{
	struct rig *r = rig_exploring_furnished();
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	d.t_snapshot_ns = r->now_ns - 51 * CAIRN_NS_PER_S / 10;
	expect_refused(r, &d, "5.1 s old");
	d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	d.t_snapshot_ns = r->now_ns + CAIRN_NS_PER_S;
	expect_refused(r, &d, "future");
	d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	d.snapshot_x_m -= 0.81;
	expect_refused(r, &d, "moved 0.81 m");
	d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL); /* its corridor is compared */
	d.snapshot_x_m -= 1.51;
	expect_refused(r, &d, "moved 1.51 m");
	d = rig_decision(r, CAIRN_TOOL_ROTATE);
	d.angle_deg = 30.0;
	d.snapshot_yaw_rad = 1.0;
	expect_refused(r, &d, "turned 57 deg");
	d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	d.snapshot_y_m = NAN;
	expect_refused(r, &d, "moved");
	/* to stand still needs no fresh eyes */
	d = rig_decision(r, CAIRN_TOOL_STOP_ROBOT);
	d.t_snapshot_ns = 1;
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 2.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
	rig_free(r);
}
END_TEST

START_TEST(malformed_arguments_are_refused)
{
	struct rig *r = rig_exploring_furnished();
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	d.duration_s = NAN;
	expect_refused(r, &d, "duration_s");
	d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	d.duration_s = 8.1;
	expect_refused(r, &d, "duration_s");
	d = rig_decision(r, CAIRN_TOOL_ROTATE);
	d.angle_deg = -INFINITY;
	expect_refused(r, &d, "angle_deg");
	d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	d.x_m = 1e9;
	expect_refused(r, &d, "outside the map");
	d = rig_decision(r, (enum cairn_tool)200);
	expect_refused(r, &d, "unknown");
	d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.frontier_id = 77;
	expect_refused(r, &d, "no frontier 77");
	ck_assert_ptr_nonnull(strstr(r->last_result.suggestion, "frontier"));
	rig_free(r);
}
END_TEST

START_TEST(an_id_is_executed_once)
{
	struct rig *r = rig_exploring_furnished();
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_REPORT_DISCOVERY);
	for (int i = 0; i < 3; i++) {
		rig_decide(r, &d);
		rig_run(r, 0.2);
	}
	ck_assert_uint_eq(r->outcomes[CAIRN_OUTCOME_SUCCESS], 1);
	ck_assert_uint_eq(r->results, 1);
	ck_assert_uint_eq(cairn_sequencer_duplicates(r->seq), 2);
	d.id = 0; /* never valid */
	rig_decide(r, &d);
	ck_assert_uint_eq(cairn_sequencer_duplicates(r->seq), 3);
	/* a publisher that was reborn may count from one again */
	d.id = 1;
	cairn_sequencer_on_decision(r->seq, &d, 78, r->now_ns);
	rig_run(r, 0.2);
	ck_assert_uint_eq(r->results, 2);
	rig_free(r);
}
END_TEST

START_TEST(a_second_decision_does_not_interrupt_the_first)
{
	struct rig *r = rig_exploring_furnished();
	uint64_t first = rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_SLOW, 3.0);
	rig_run(r, 1.0);
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	rig_decide(r, &d);
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert(rig_until_result(r, first, 4.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_uint_eq(r->last_result.decision_id, first);
	rig_free(r);
}
END_TEST

START_TEST(a_stop_takes_back_the_move_before_it)
{
	struct rig *r = rig_exploring_furnished();
	uint64_t first = rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_SLOW, 8.0);
	rig_run(r, 1.0);
	ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.0);
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_STOP_ROBOT);
	rig_decide(r, &d);
	ck_assert_uint_eq(r->last_result.decision_id, first);
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_REPLACED);
	rig_step(r);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	ck_assert(rig_until_result(r, d.id, 1.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_uint_eq(r->result_errors, 0);
	rig_free(r);
}
END_TEST

START_TEST(a_move_that_fades_out_does_not_go_on_after_a_stop)
{
	static const enum cairn_motor_state holds[] = {CAIRN_MOTOR_STATE_ESTOP, CAIRN_MOTOR_STATE_NO_SCAN};
	for (size_t i = 0; i < sizeof(holds) / sizeof(holds[0]); i++) {
		struct rig *r = rig_exploring_furnished();
		uint64_t id = rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_FAST, 1.0);
		ck_assert(rig_until_result(r, id, 3.0));
		rig_run(r, 0.2);
		ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.0); /* it does fade out */
		r->motor_state = holds[i];
		rig_run(r, 0.2);
		r->motor_state = CAIRN_MOTOR_STATE_IDLE;
		for (int k = 0; k < 60; k++) {
			rig_step(r);
			ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
		}
		rig_free(r);
	}
}
END_TEST

START_TEST(standing_decisions_take_half_a_second_and_say_what_they_saw)
{
	struct rig *r = rig_exploring_furnished();
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_CHECK_PATH_CLEAR);
	d.direction = CAIRN_DIRECTION_BACKWARD; /* the wall is at -1.5 m, the rear end at -0.08 m */
	rig_decide(r, &d);
	rig_run(r, 0.4);
	ck_assert_uint_eq(r->results, 0);
	ck_assert(rig_until_result(r, d.id, 1.0));
	double free_m = 0.0;
	ck_assert_int_eq(sscanf(r->last_result.reason, "backward is clear for %lf m", &free_m), 1);
	ck_assert_double_eq_tol(free_m, 1.40, 0.05);
	rig_free(r);
}
END_TEST

/* Facing a wall with its front end this far from it. */
static struct rig *facing_wall(double gap_m)
{
	struct rig *r = rig_new(2);
	rig_box(r, -2.0, -2.0, 0.27 + gap_m, 2.0);
	rig_frontier(r, 1, -1.5, 1.5, 1.0);
	r->noise = false;
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	rig_run(r, 0.5);
	return r;
}

START_TEST(no_room_is_refused_and_little_room_is_driven_slowly)
{
	struct rig *r = facing_wall(0.12);
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	expect_refused(r, &d, "free that way: lidar obstacle ahead");
	ck_assert_ptr_nonnull(strstr(r->last_result.suggestion, "backward is clear"));
	rig_free(r);
	r = facing_wall(0.45);
	d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	d.speed = CAIRN_SPEED_FAST;
	rig_decide(r, &d);
	rig_step(r);
	ck_assert_double_eq_tol(r->out.cmd_vel.v_mps, 0.08, 1e-9);
	rig_free(r);
}
END_TEST

START_TEST(a_move_into_a_wall_ends_blocked_and_counts_one_override)
{
	struct rig *r = facing_wall(0.55);
	uint64_t id = rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_FAST, 8.0);
	ck_assert(rig_until_result(r, id, 10.0));
	ck_assert(r->last_result.outcome == CAIRN_OUTCOME_BLOCKED ||
		  r->last_result.outcome == CAIRN_OUTCOME_PARTIAL);
	ck_assert(r->last_result.overridden);
	ck_assert_ptr_nonnull(strstr(r->last_result.reason, "obstacle ahead"));
	ck_assert_uint_eq(r->out.mission.overrides, 1);
	ck_assert_uint_eq(r->contacts, 0);
	double gap = 0.55 - r->pose.x_m;
	ck_assert_double_gt(gap, 0.06); /* the wheels lag behind, and so stop within safety.stop_distance_m */
	ck_assert_double_lt(gap, 0.20);
	rig_free(r);
}
END_TEST

START_TEST(a_blocked_action_is_tried_three_times_and_then_remembered)
{
	struct rig *r = facing_wall(0.5);
	r->motor_state =
	    CAIRN_MOTOR_STATE_BLOCKED; /* the last gate sees something that the scan does not show */
	r->cfg.safety.silent_coast_s = 600.0;
	uint32_t blocked = 0;
	for (int i = 0; i < 3; i++) {
		uint64_t id = rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_SLOW, 1.0);
		r->out.cmd_vel.v_mps = 0.0;
		for (int k = 0; k < 60 && r->seen[id] == 0; k++) {
			r->v_mps = 0.0;
			r->out.cmd_vel.v_mps = 0.0; /* it is not driven */
			rig_step(r);
		}
		blocked += r->last_model_result.outcome == CAIRN_OUTCOME_BLOCKED ? 1 : 0;
	}
	ck_assert_uint_eq(blocked, 3);
	for (int k = 0; k < 200 && !r->out.mission.wants_decision; k++) { /* its own attempt to get out */
		r->out.cmd_vel.v_mps = 0.0;
		rig_step(r);
	}
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	expect_refused(r, &d, "blocked 3 times");
	r->motor_state = CAIRN_MOTOR_STATE_IDLE;
	d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	d.direction = CAIRN_DIRECTION_BACKWARD; /* another action is another matter */
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 4.0));
	ck_assert_int_ne(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	rig_free(r);
}
END_TEST

START_TEST(a_blocked_action_is_forgotten_in_time)
{
	struct rig *r = facing_wall(0.5);
	r->cfg.safety.silent_coast_s = r->cfg.safety.silent_wait_s = r->cfg.safety.silent_local_s = 600.0;
	r->motor_state = CAIRN_MOTOR_STATE_BLOCKED;
	for (int i = 0; i < 3; i++) {
		uint64_t id = rig_move(r, CAIRN_DIRECTION_LEFT, CAIRN_SPEED_SLOW, 1.0);
		for (int k = 0; k < 60 && r->seen[id] == 0; k++) {
			r->out.cmd_vel.v_mps = 0.0;
			rig_step(r);
		}
	}
	for (int k = 0; k < 20 * 16; k++) {
		r->out.cmd_vel.v_mps = 0.0;
		rig_step(r);
	}
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	d.direction = CAIRN_DIRECTION_LEFT;
	uint64_t before = r->results;
	rig_decide(r, &d);
	ck_assert_uint_eq(r->results, before); /* not refused */
	rig_free(r);
}
END_TEST

/* ---- stale inputs ---- */

static void interrupt_and_go_on(struct rig *r, bool *off)
{
	uint64_t id = rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_SLOW, 4.0);
	rig_run(r, 1.0);
	*off = true;
	rig_run(r, 2.0);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	ck_assert_uint_eq(r->out.mission.decision_id, id); /* kept */
	ck_assert_ptr_nonnull(strstr(r->out.mission.activity, "waiting"));
	*off = false;
	ck_assert(rig_until_result(r, id, 5.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_double_gt(r->last_result.duration_s, 5.0); /* the time it stood does not count */
}

START_TEST(a_decision_survives_a_gap_in_its_inputs)
{
	struct rig *r = rig_exploring_furnished();
	interrupt_and_go_on(r, &r->scan_off);
	interrupt_and_go_on(r, &r->pose_off);
	interrupt_and_go_on(r, &r->motion_off);
	ck_assert_uint_eq(r->contacts, 0);
	rig_free(r);
}
END_TEST

START_TEST(a_gap_that_lasts_ends_the_decision)
{
	struct rig *r = rig_exploring_furnished();
	uint64_t id = rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_SLOW, 4.0);
	rig_run(r, 1.0);
	r->scan_off = true;
	rig_run(r, 7.9);
	ck_assert_uint_eq(r->results, 0);
	ck_assert(rig_until_result(r, id, 1.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_FAILED);
	ck_assert_ptr_nonnull(strstr(r->last_result.reason, "scan"));
	rig_free(r);
}
END_TEST

START_TEST(a_lidar_that_sees_nothing_holds_the_robot)
{
	struct rig *r = rig_exploring_furnished();
	r->segment_count = 0;
	rig_run(r, 0.2);
	rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_FAST, 4.0);
	double path = r->path_m;
	rig_run(r, 2.0);
	ck_assert_double_eq_tol(r->path_m, path, 1e-9);
	rig_free(r);
}
END_TEST

START_TEST(an_emergency_stop_ends_the_decision_and_asks_for_none)
{
	struct rig *r = rig_exploring_furnished();
	uint64_t id = rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_SLOW, 4.0);
	rig_run(r, 1.0);
	r->motor_state = CAIRN_MOTOR_STATE_ESTOP;
	rig_run(r, 0.2);
	ck_assert_uint_eq(r->seen[id], 1);
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_BLOCKED);
	ck_assert(!r->out.mission.wants_decision);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	expect_refused(r, &d, "emergency stop");
	rig_run(r, 60.0); /* nothing happens by itself however long it lasts */
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	r->motor_state = CAIRN_MOTOR_STATE_IDLE;
	rig_run(r, 0.2);
	ck_assert(r->out.mission.wants_decision);
	rig_free(r);
}
END_TEST

/* ---- navigating ---- */

START_TEST(messages_that_make_no_sense_are_counted_and_ignored)
{
	struct rig *r = rig_exploring_furnished();
	struct cairn_msg_pose pose = {.x_m = NAN};
	struct cairn_msg_motion motion = {.v_mps = INFINITY};
	struct cairn_msg_nav_velocity velocity = {.v_mps = NAN};
	uint64_t before = cairn_sequencer_rejects(r->seq);
	cairn_sequencer_on_pose(r->seq, &pose, r->now_ns + 1);
	cairn_sequencer_on_motion(r->seq, &motion, r->now_ns + 1);
	cairn_sequencer_on_nav_velocity(r->seq, &velocity, r->now_ns + 1);
	pose.x_m = 3.0;
	cairn_sequencer_on_pose(r->seq, &pose, INT64_MAX); /* would shut out all that follow */
	cairn_sequencer_on_pose(r->seq, &pose, r->now_ns - CAIRN_NS_PER_S);
	ck_assert_uint_eq(cairn_sequencer_rejects(r->seq), before + 5);
	uint64_t id = rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_SLOW, 2.0);
	ck_assert(rig_until_result(r, id, 4.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("sequencer", a_move_is_driven_for_its_time_and_reported, directions_are_the_arcs_they_say,
    stale_snapshots_are_refused, malformed_arguments_are_refused, an_id_is_executed_once,
    a_second_decision_does_not_interrupt_the_first, a_stop_takes_back_the_move_before_it,
    a_move_that_fades_out_does_not_go_on_after_a_stop,
    standing_decisions_take_half_a_second_and_say_what_they_saw,
    no_room_is_refused_and_little_room_is_driven_slowly,
    a_move_into_a_wall_ends_blocked_and_counts_one_override,
    a_blocked_action_is_tried_three_times_and_then_remembered, a_blocked_action_is_forgotten_in_time,
    a_decision_survives_a_gap_in_its_inputs, a_gap_that_lasts_ends_the_decision,
    a_lidar_that_sees_nothing_holds_the_robot, an_emergency_stop_ends_the_decision_and_asks_for_none,
    messages_that_make_no_sense_are_counted_and_ignored)
