/* A person steers by hand. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

static void steer(struct rig *r, double v_mps, double steer_rad)
{
	struct cairn_msg_teleop m = {.who = "anna", .v_mps = v_mps, .steer_rad = steer_rad};
	cairn_sequencer_on_teleop(r->seq, &m, 0, r->now_ns);
}

/* Holds on for so long, ten times a second. */
static void hold(struct rig *r, double v_mps, double steer_rad, double s)
{
	for (int i = 0; i < (int)(s * 10.0 + 0.5); i++) {
		steer(r, v_mps, steer_rad);
		rig_run(r, 0.1);
	}
}

static struct cairn_msg_reply command(struct rig *r, const char *verb)
{
	struct cairn_msg_command cmd = {.limit_s = 0.0};
	struct cairn_msg_reply reply;
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", verb);
	cairn_sequencer_on_command(r->seq, &cmd, r->now_ns, &reply);
	return reply;
}

START_TEST(it_drives_as_steered_and_stops_when_let_go)
{
	struct rig *r = rig_exploring_furnished();
	hold(r, 0.1, 0.2, 1.0);
	ck_assert_double_eq_tol(r->out.cmd_vel.v_mps, 0.1, 1e-9);
	ck_assert_double_eq_tol(r->out.cmd_vel.w_radps, 0.1 * tan(0.2) / r->cfg.robot.wheelbase_m, 1e-9);
	ck_assert_int_eq(r->out.cmd_vel.source, CAIRN_SOURCE_OPERATOR);
	ck_assert_ptr_nonnull(strstr(r->out.mission.activity, "steered by hand"));
	ck_assert_str_eq(cairn_sequencer_steered_by(r->seq), "anna");
	steer(r, 0.0, 0.0);
	rig_step(r);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	rig_run(r, 0.5);
	ck_assert_ptr_null(cairn_sequencer_steered_by(r->seq));
	ck_assert_ptr_nonnull(strstr(r->last_result.reason, "let go"));
	rig_free(r);
}
END_TEST

START_TEST(who_falls_silent_stops_within_the_dead_man)
{
	struct rig *r = rig_exploring_furnished();
	hold(r, 0.1, 0.0, 1.0);
	int64_t silent_ns = r->now_ns - 100 * CAIRN_NS_PER_MS; /* of the last word */
	while (r->out.cmd_vel.v_mps > 0.0)
		rig_step(r);
	ck_assert_int_le(r->now_ns - silent_ns, 350 * CAIRN_NS_PER_MS); /* 0.3 s, and a step */
	rig_run(r, 3.0);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	/* words that are late by their stamps move nothing */
	struct cairn_msg_teleop m = {.who = "anna", .v_mps = 0.1};
	for (int i = 0; i < 10; i++) {
		cairn_sequencer_on_teleop(r->seq, &m, 0, r->now_ns - 400 * CAIRN_NS_PER_MS);
		rig_step(r);
		ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	}
	rig_free(r);
}
END_TEST

START_TEST(a_mission_is_paused_and_goes_on_when_resumed)
{
	struct rig *r = rig_exploring_furnished();
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_SLOW, 5.0);
	rig_step(r);
	hold(r, -0.05, 0.0, 0.5);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_PAUSED);
	ck_assert_double_lt(r->out.cmd_vel.v_mps, 0.0);
	/* nobody else drives meanwhile */
	ck_assert(!command(r, "resume").ok && !command(r, "explore").ok && !command(r, "home").ok);
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	rig_decide(r, &d);
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_REFUSED);
	rig_run(r, 1.0);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	ck_assert_int_eq(
	    r->out.mission.state, CAIRN_MISSION_STATE_PAUSED); /* it does not set out by itself */
	ck_assert(command(r, "resume").ok);
	rig_run(r, 0.2);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	rig_free(r);
}
END_TEST

START_TEST(a_stop_holds_until_he_has_let_go)
{
	struct rig *r = rig_exploring_furnished();
	hold(r, 0.1, 0.0, 0.5);
	ck_assert(command(r, "stop").ok);
	hold(r, 0.1, 0.0, 1.0); /* the key is still held */
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_FINISHED);
	hold(r, 0.0, 0.0, 0.2);
	hold(r, 0.1, 0.0, 0.5);
	ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.0);
	/* the mission has ended, so that only this is left to be stopped */
	struct cairn_msg_reply reply = command(r, "stop");
	ck_assert_msg(reply.ok, "%s", reply.text);
	hold(r, 0.1, 0.0, 0.3);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	rig_free(r);
}
END_TEST

START_TEST(the_emergency_stop_and_missing_inputs_hold_it)
{
	struct rig *r = rig_exploring_furnished();
	r->motor_state = CAIRN_MOTOR_STATE_ESTOP;
	hold(r, 0.1, 0.0, 0.5);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	r->motor_state = CAIRN_MOTOR_STATE_IDLE;
	hold(r, 0.1, 0.0, 0.5);
	ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.0);
	r->scan_off = true;
	hold(r, 0.1, 0.0, 0.6);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	rig_free(r);
}
END_TEST

START_TEST(it_touches_nothing_however_it_is_steered)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct rig *r = rig_exploring_furnished();
		struct cairn_rng rng;
		cairn_rng_seed(&rng, seed, 3);
		double driven_m = r->path_m;
		for (int i = 0; i < CAIRN_ROUNDS(150); i++)
			hold(
			    r, cairn_rng_uniform(&rng) * 4.0 - 1.5, cairn_rng_uniform(&rng) * 2.4 - 1.2, 0.5);
		ck_assert_uint_eq(r->contacts, 0);
		ck_assert_double_gt(r->path_m - driven_m, 1.0);
		rig_free(r);
	}
}
END_TEST

START_TEST(limits_hold_and_nonsense_is_refused)
{
	struct rig *r = rig_exploring_furnished();
	hold(r, 50.0, 0.0, 0.3);
	ck_assert_double_le(r->out.cmd_vel.v_mps, r->cfg.nav.speed_mps + 1e-9);
	hold(r, 0.1, 1.4, 0.3);
	ck_assert_double_le(
	    fabs(r->out.cmd_vel.w_radps), fabs(r->out.cmd_vel.v_mps) / r->cfg.robot.turn_radius_min_m + 1e-9);
	hold(r, 0.0, 0.0, 0.2);
	rig_run(r, 0.5);
	uint64_t rejects = cairn_sequencer_rejects(r->seq);
	hold(r, NAN, 0.0, 0.1);
	hold(r, 0.1, INFINITY, 0.1);
	hold(r, 0.1, 3.0, 0.1);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	ck_assert_uint_eq(cairn_sequencer_rejects(r->seq), rejects + 3);
	rig_free(r);
}
END_TEST

START_TEST(a_second_hand_is_not_listened_to)
{
	struct rig *r = rig_exploring_furnished();
	struct cairn_msg_teleop bob = {.who = "bob", .v_mps = -0.1};
	for (int i = 0; i < 10; i++) {
		steer(r, 0.1, 0.0);
		rig_step(r);
		cairn_sequencer_on_teleop(r->seq, &bob, 1, r->now_ns);
		rig_step(r);
		ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.0);
	}
	ck_assert_str_eq(cairn_sequencer_steered_by(r->seq), "anna");
	rig_run(r, 0.5); /* she has let go */
	cairn_sequencer_on_teleop(r->seq, &bob, 1, r->now_ns);
	rig_step(r);
	rig_step(r);
	ck_assert_str_eq(cairn_sequencer_steered_by(r->seq), "bob");
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("teleop", it_drives_as_steered_and_stops_when_let_go,
    who_falls_silent_stops_within_the_dead_man, a_mission_is_paused_and_goes_on_when_resumed,
    a_stop_holds_until_he_has_let_go, the_emergency_stop_and_missing_inputs_hold_it,
    it_touches_nothing_however_it_is_steered, limits_hold_and_nonsense_is_refused,
    a_second_hand_is_not_listened_to)
