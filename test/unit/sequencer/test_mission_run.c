/* Tiers, exploration, the way home, and operators, by the clock. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

START_TEST(tiers_follow_the_clock)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	static const struct {
		double silent_s;
		enum cairn_tier tier;
	} rows[] = {{0.0, CAIRN_TIER_NORMAL}, {1.0, CAIRN_TIER_NORMAL}, {1.1, CAIRN_TIER_COASTING},
	    {3.0, CAIRN_TIER_COASTING}, {3.1, CAIRN_TIER_WAITING}, {10.0, CAIRN_TIER_WAITING},
	    {10.1, CAIRN_TIER_LOCAL}, {30.0, CAIRN_TIER_LOCAL}, {30.1, CAIRN_TIER_RETURNING},
	    {1e9, CAIRN_TIER_RETURNING}, {NAN, CAIRN_TIER_NORMAL}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_int_eq(cairn_sequencer_tier(&cfg, rows[i].silent_s, 0.0), rows[i].tier);
	cfg.mission.return_home = false;
	ck_assert_int_eq(cairn_sequencer_tier(&cfg, 1e9, 0.0), CAIRN_TIER_LOCAL);
	enum cairn_tier last = CAIRN_TIER_NORMAL;
	static const int order[CAIRN_TIER_COUNT] = {[CAIRN_TIER_COASTING] = 1,
	    [CAIRN_TIER_WAITING] = 2,
	    [CAIRN_TIER_LOCAL] = 3,
	    [CAIRN_TIER_RETURNING] = 4};
	for (int ms = 0; ms < 60000; ms += 10) { /* never back while it is silent */
		enum cairn_tier t = cairn_sequencer_tier(&cfg, ms * 1e-3, 0.0);
		ck_assert_int_ge(order[t], order[last]);
		last = t;
	}
}
END_TEST

START_TEST(a_slow_model_is_waited_for_until_it_is_late)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	ck_assert_int_eq(cairn_sequencer_tier(&cfg, 10.1, 3.0), CAIRN_TIER_LOCAL);
	ck_assert_int_eq(cairn_sequencer_tier(&cfg, 15.5, 12.0), CAIRN_TIER_WAITING); /* 15.6 s */
	ck_assert_int_eq(cairn_sequencer_tier(&cfg, 15.7, 12.0), CAIRN_TIER_LOCAL);
	ck_assert_int_eq(cairn_sequencer_tier(&cfg, 35.5, 12.0), CAIRN_TIER_LOCAL);
	ck_assert_int_eq(cairn_sequencer_tier(&cfg, 35.7, 12.0), CAIRN_TIER_RETURNING);
	ck_assert_int_eq(cairn_sequencer_tier(&cfg, 60.1, 500.0), CAIRN_TIER_LOCAL); /* not for ever */
	ck_assert_int_eq(cairn_sequencer_tier(&cfg, 10.1, NAN), CAIRN_TIER_LOCAL);
}
END_TEST

START_TEST(with_a_stand_in_on_the_robot_it_is_waited_for_before_local_exploration)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	snprintf(cfg.vlm.local_provider, sizeof(cfg.vlm.local_provider), "smolvlm");
	double wait_s = cfg.safety.silent_wait_s + cfg.vlm.local_wait_s,
	       local_s = cfg.safety.silent_local_s + cfg.vlm.local_wait_s;
	ck_assert_int_eq(cairn_sequencer_tier(&cfg, wait_s, 0.0), CAIRN_TIER_WAITING);
	ck_assert_int_eq(cairn_sequencer_tier(&cfg, wait_s + 0.01, 0.0), CAIRN_TIER_LOCAL);
	ck_assert_int_eq(cairn_sequencer_tier(&cfg, local_s, 0.0), CAIRN_TIER_LOCAL);
	ck_assert_int_eq(cairn_sequencer_tier(&cfg, local_s + 0.01, 0.0), CAIRN_TIER_RETURNING);
	ck_assert_int_eq(cairn_sequencer_tier(&cfg, cfg.safety.silent_coast_s, 0.0), CAIRN_TIER_COASTING);
}
END_TEST

START_TEST(it_starts_by_itself_only_with_a_good_pose)
{
	struct rig *r = rig_room(1);
	rig_frontier(r, 1, 0.5, 1.8, 1.0);
	rig_start(r);
	r->tracking = CAIRN_TRACKING_WEAK;
	rig_run(r, 5.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_IDLE);
	ck_assert(!r->out.mission.wants_decision);
	r->tracking = CAIRN_TRACKING_GOOD;
	rig_run(r, 0.1);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	ck_assert(r->out.mission.wants_decision);
	rig_free(r);
	r = rig_room(1);
	r->cfg.mission.autostart = CAIRN_CHOICE_AUTOSTART_NEVER;
	rig_frontier(r, 1, 0.5, 1.8, 1.0);
	rig_start(r);
	rig_run(r, 5.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_IDLE);
	ck_assert(rig_command(r, "explore", 0, 0, 60.0).ok);
	rig_step(r);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	ck_assert_double_eq(r->out.mission.limit_s, 60.0);
	rig_free(r);
}
END_TEST

START_TEST(a_silent_model_is_waited_for_then_replaced_then_the_robot_goes_home)
{
	struct rig *r = rig_exploring();
	rig_run(r, 9.0);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_WAITING);
	ck_assert_double_eq(r->path_m, 0.0);
	rig_run(r, 3.0);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_LOCAL);
	ck_assert_int_eq(r->out.cmd_vel.source, CAIRN_SOURCE_LOCAL);
	ck_assert(r->out.mission.wants_decision); /* it is still asked */
	rig_run(r, 19.0);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_RETURNING);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_RETURNING);
	ck_assert_str_eq(r->out.mission.reason, "model_silent");
	ck_assert_double_gt(r->path_m, 0.5);
	rig_run(r, 60.0); /* waits at home, for as long as it takes */
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_RETURNING);
	ck_assert_double_lt(r->out.mission.home_m, 0.25);
	uint64_t id = rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_SLOW, 1.0);
	rig_step(r);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_NORMAL);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	ck_assert(rig_until_result(r, id, 3.0));
	ck_assert_uint_eq(r->contacts, 0);
	rig_free(r);
}
END_TEST

START_TEST(a_model_that_answers_takes_over_from_local_exploration_at_once)
{
	struct rig *r = rig_exploring();
	rig_run(r, 11.5);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_LOCAL);
	ck_assert_int_eq(r->out.cmd_vel.source, CAIRN_SOURCE_LOCAL);
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_OBSERVE_SCENE);
	rig_decide(r, &d);
	ck_assert_int_eq(r->last_result.source, CAIRN_SOURCE_LOCAL);
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_REPLACED);
	rig_step(r);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_NORMAL);
	ck_assert_uint_eq(r->out.mission.decision_id, d.id);
	rig_free(r);
}
END_TEST

START_TEST(without_a_planner_it_explores_by_the_scan_alone)
{
	struct rig *r = rig_room(1);
	r->cfg.safety.silent_local_s = 3000.0;
	rig_frontier(r, 1, 0.5, 1.8, 1.0);
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	r->planner = RIG_PLANNER_SILENT;
	rig_run(r, 18.0); /* waits for the model, then for the planner */
	ck_assert_double_eq(r->path_m, 0.0);
	rig_run(r, 12.0);
	ck_assert_double_gt(r->path_m, 0.6);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_LOCAL);
	double far_m = 0.0;
	for (int i = 0; i < 20 * 120; i++) {
		rig_step(r);
		far_m = fmax(far_m, r->pose.x_m);
	}
	ck_assert_double_gt(far_m, 2.7); /* through the door of 0.8 m at x = 2.5 */
	ck_assert_uint_eq(r->contacts, 0);
	r->planner = RIG_PLANNER_DRIVES; /* and by paths again as soon as there are some */
	rig_run(r, 12.0);
	ck_assert(r->out.nav_goal.active);
	rig_free(r);
}
END_TEST

START_TEST(answers_that_are_nonsense_or_too_late_count_as_silence)
{
	struct rig *r = rig_exploring();
	for (int i = 0; i < 20 * 11; i++) {
		rig_step(r);
		if (i % 20 != 0)
			continue;
		struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
		if (i % 40 == 0)
			d.duration_s = NAN;
		else
			d.t_snapshot_ns = r->now_ns - 7 * CAIRN_NS_PER_S;
		rig_decide(r, &d);
	}
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_LOCAL);
	ck_assert_int_eq(r->out.cmd_vel.source, CAIRN_SOURCE_LOCAL);
	rig_free(r);
}
END_TEST

START_TEST(the_time_that_a_decision_takes_is_not_silence)
{
	struct rig *r = rig_exploring();
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	d.x_m = -1.0;
	d.y_m = -2.0;
	r->planner = RIG_PLANNER_STUCK; /* takes its time */
	rig_decide(r, &d);
	while (r->seen[d.id] == 0) {
		rig_step(r);
		ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_NORMAL);
	}
	ck_assert_double_gt(r->last_result.duration_s, 3.0);
	rig_free(r);
}
END_TEST

/* Leads a robot with 40 s allowed to a place and lets it look around there until it is called home; seconds. */
static double called_home_after_s(struct rig *r)
{
	r->cfg.mission.limit_s = 40.0;
	rig_frontier(r, 1, 0.5, 1.8, 1.0);
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	d.x_m = 1.0;
	d.y_m = -0.8;
	rig_run(r, 0.5);
	rig_decide(r, &d);
	for (int i = 0; i < 20 * 60 && r->out.mission.state == CAIRN_MISSION_STATE_EXPLORING; i++) {
		rig_step(r);
		if (r->out.mission.wants_decision) {
			d = rig_decision(r, CAIRN_TOOL_OBSERVE_SCENE);
			rig_decide(r, &d);
		}
	}
	ck_assert_str_eq(r->out.mission.reason, "time_up");
	return r->out.mission.elapsed_s;
}

START_TEST(the_time_allowed_includes_the_way_home)
{
	struct rig *r = rig_room(1);
	double called_s = called_home_after_s(r);
	/* of the way nothing is known: 1.5 * 1.0..1.3 m / (0.7 * 0.45 m/s) + 5 s before the end */
	double way_s = 1.5 * r->out.mission.home_m / (0.7 * 0.45) + 5.0;
	ck_assert_double_eq_tol(called_s, 40.0 - way_s, 0.3);
	ck_assert(rig_until(r, CAIRN_MISSION_STATE_FINISHED, 20.0));
	ck_assert_double_lt(r->out.mission.elapsed_s, 40.0);
	ck_assert_str_eq(r->out.mission.reason, "time_up");
	ck_assert_double_le(r->out.mission.home_m, 0.25);
	rig_free(r);
}
END_TEST

START_TEST(a_battery_that_gets_low_ends_the_exploration_with_a_way_home)
{
	struct rig *r = rig_room(1);
	rig_frontier(r, 1, 0.5, 1.8, 1.0);
	rig_start(r);
	rig_run(r, 1.0);
	cairn_sequencer_on_battery(r->seq, &(struct cairn_msg_battery){11.4, 15.0}, r->now_ns);
	rig_run(r, 1.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING); /* at the limit, not below */
	cairn_sequencer_on_battery(r->seq, &(struct cairn_msg_battery){11.0, 14.9}, r->now_ns);
	ck_assert(rig_until(r, CAIRN_MISSION_STATE_FINISHED, 60.0));
	ck_assert_str_eq(r->out.mission.reason, "battery_low");
	ck_assert_double_le(r->out.mission.home_m, 0.25);
	rig_free(r);
}
END_TEST

START_TEST(a_way_home_that_the_map_knows_counts_by_its_length)
{
	struct rig *r = rig_room(1);
	r->frontiers.home_m = 4.0; /* three times the straight line */
	ck_assert_double_eq_tol(called_home_after_s(r), 40.0 - (1.1 * 4.0 / (0.7 * 0.45) + 5.0), 0.3);
	rig_free(r);
	r = rig_room(1);
	r->frontiers.home_m = -1.0; /* no way known: as without a map */
	double called_s = called_home_after_s(r);
	ck_assert_double_eq_tol(called_s, 40.0 - (1.5 * r->out.mission.home_m / (0.7 * 0.45) + 5.0), 0.3);
	rig_free(r);
}
END_TEST

START_TEST(a_home_that_cannot_be_reached_is_said_so_after_every_attempt)
{
	struct rig *r = rig_exploring();
	rig_command(r, "goto", 1.0, -0.8, 0.0);
	rig_run(r, 20.0);
	r->planner = RIG_PLANNER_NO_PATH;
	ck_assert(rig_command(r, "home", 0, 0, 0).ok);
	uint64_t goals = 0, last = 0;
	bool other_side = false;
	for (int i = 0; i < 20 * 240 && r->out.mission.state != CAIRN_MISSION_STATE_FINISHED; i++) {
		rig_step(r);
		goals += r->out.nav_goal.active && r->out.nav_goal.id != last ? 1 : 0;
		last = r->out.nav_goal.id;
		other_side |= r->out.nav_goal.active && hypot(r->out.nav_goal.x_m, r->out.nav_goal.y_m) > 0.5;
	}
	ck_assert_str_eq(r->out.mission.reason, "home_unreachable");
	ck_assert_uint_ge(goals, 10);
	ck_assert(other_side);
	ck_assert_uint_eq(r->contacts, 0);
	rig_free(r);
}
END_TEST

START_TEST(the_way_home_outlives_a_planner_that_is_stuck_for_a_while)
{
	struct rig *r = rig_exploring();
	rig_command(r, "goto", 1.0, -0.8, 0.0);
	rig_run(r, 20.0);
	rig_command(r, "home", 0, 0, 0);
	r->planner = RIG_PLANNER_STUCK;
	rig_run(r, 15.0);
	r->planner = RIG_PLANNER_SILENT;
	rig_run(r, 30.0);
	r->planner = RIG_PLANNER_DRIVES;
	ck_assert(rig_until(r, CAIRN_MISSION_STATE_FINISHED, 60.0));
	ck_assert_str_eq(r->out.mission.reason, "home");
	ck_assert_double_le(r->out.mission.home_m, 0.25);
	ck_assert_uint_eq(r->contacts, 0);
	rig_free(r);
}
END_TEST

/* ---- operators ---- */

START_TEST(stop_stands_still_at_once_and_for_good)
{
	struct rig *r = rig_exploring();
	uint64_t id = rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_FAST, 5.0);
	rig_run(r, 1.0);
	ck_assert(rig_command(r, "stop", 0, 0, 0).ok);
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_REPLACED);
	ck_assert_uint_eq(r->last_result.decision_id, id);
	for (int i = 0; i < 20 * 60; i++) {
		rig_step(r);
		ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	}
	ck_assert_str_eq(r->out.mission.reason, "stopped");
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	rig_decide(r, &d);
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert(!rig_command(r, "stop", 0, 0, 0).ok);
	ck_assert(rig_command(r, "explore", 0, 0, 0).ok);
	rig_run(r, 0.2);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	ck_assert_double_lt(r->out.mission.elapsed_s, 1.0);
	rig_free(r);
}
END_TEST

START_TEST(a_pause_stops_the_clock_and_a_resume_goes_on)
{
	struct rig *r = rig_exploring();
	double before = r->out.mission.elapsed_s;
	ck_assert(!rig_command(r, "resume", 0, 0, 0).ok);
	ck_assert(rig_command(r, "pause", 0, 0, 0).ok);
	rig_run(r, 100.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_PAUSED);
	ck_assert(!r->out.mission.wants_decision);
	ck_assert_double_eq(r->path_m, 0.0);
	ck_assert_double_eq_tol(r->out.mission.elapsed_s, before, 0.06);
	ck_assert(rig_command(r, "resume", 0, 0, 0).ok);
	rig_run(r, 1.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	ck_assert_double_eq_tol(r->out.mission.elapsed_s, before + 1.0, 0.11);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_NORMAL);
	rig_free(r);
}
END_TEST

START_TEST(goto_interrupts_and_goes_back_to_what_was)
{
	struct rig *r = rig_exploring();
	ck_assert(!rig_command(r, "goto", NAN, 0, 0).ok);
	ck_assert(!rig_command(r, "goto", 1e6, 0, 0).ok);
	ck_assert(!rig_command(r, "fly", 0, 0, 0).ok);
	ck_assert(!rig_command(r, "explore", 0, 0, -1.0).ok);
	ck_assert(rig_command(r, "goto", 1.0, -0.8, 0).ok);
	rig_run(r, 1.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_GOTO);
	ck_assert_int_eq(r->out.cmd_vel.source, CAIRN_SOURCE_OPERATOR);
	rig_command(r, "pause", 0, 0, 0);
	rig_run(r, 1.0);
	rig_command(r, "resume", 0, 0, 0);
	rig_run(r, 0.2);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_GOTO);
	ck_assert(rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 60.0));
	ck_assert_ptr_nonnull(strstr(r->out.mission.reason, "reached"));
	ck_assert_double_lt(hypot(r->pose.x_m - 1.0, r->pose.y_m + 0.8), 0.4);
	/* and from a mission that has ended, back to its end */
	rig_command(r, "stop", 0, 0, 0);
	rig_command(r, "goto", 0.0, 0.0, 0);
	r->planner = RIG_PLANNER_NO_PATH;
	ck_assert(rig_until(r, CAIRN_MISSION_STATE_FINISHED, 60.0));
	ck_assert_str_eq(r->out.mission.reason, "stopped");
	rig_free(r);
}
END_TEST

START_TEST(every_verb_of_the_operator_service_is_understood)
{
	static const struct {
		const char *service, *verb;
	} rows[] = {
#define COMMAND(id, service, verb, right, args, usage, doc) {#service, verb},
#include "ipc/commands.def"
	};
	struct rig *r = rig_exploring();
	uint32_t verbs = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].service, "OPERATOR") != 0)
			continue;
		struct cairn_msg_reply reply = rig_command(r, rows[i].verb, 0.5, 0.5, 10.0);
		ck_assert_ptr_null(strstr(reply.text, "unknown"));
		ck_assert_uint_gt(strlen(reply.text), 0);
		verbs++;
	}
	ck_assert_uint_eq(verbs, 9);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("sequencer_mission", tiers_follow_the_clock, a_slow_model_is_waited_for_until_it_is_late,
    with_a_stand_in_on_the_robot_it_is_waited_for_before_local_exploration,
    it_starts_by_itself_only_with_a_good_pose,
    a_silent_model_is_waited_for_then_replaced_then_the_robot_goes_home,
    a_model_that_answers_takes_over_from_local_exploration_at_once,
    without_a_planner_it_explores_by_the_scan_alone, answers_that_are_nonsense_or_too_late_count_as_silence,
    the_time_that_a_decision_takes_is_not_silence, the_time_allowed_includes_the_way_home,
    a_battery_that_gets_low_ends_the_exploration_with_a_way_home,
    a_way_home_that_the_map_knows_counts_by_its_length,
    a_home_that_cannot_be_reached_is_said_so_after_every_attempt,
    the_way_home_outlives_a_planner_that_is_stuck_for_a_while, stop_stands_still_at_once_and_for_good,
    a_pause_stops_the_clock_and_a_resume_goes_on, goto_interrupts_and_goes_back_to_what_was,
    every_verb_of_the_operator_service_is_understood)
