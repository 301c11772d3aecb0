/* Whatever has happened, the robot gets going again: nothing that an operator, a model, a sensor or a kill
 * can do leaves it standing for ever, and no decision stays without its one result. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

static void maybe_decide(struct rig *r)
{
	if (cairn_rng_uniform(&r->rng) > 0.05)
		return;
	uint32_t any = cairn_rng_u32(&r->rng);
	struct cairn_msg_decision d = rig_decision(r, (enum cairn_tool)(any % CAIRN_TOOL_COUNT));
	d.direction = (enum cairn_direction)(any / 7 % CAIRN_DIRECTION_COUNT);
	d.speed = (enum cairn_speed)(any / 49 % CAIRN_SPEED_COUNT);
	d.goal_kind = (enum cairn_goal_kind)(any / 147 % CAIRN_GOAL_KIND_COUNT);
	d.source = any % 19 == 0 ? (enum cairn_source)(any / 19 % CAIRN_SOURCE_COUNT) : CAIRN_SOURCE_MODEL;
	d.frontier_id = any % 4;
	d.duration_s = 8.0 * cairn_rng_uniform(&r->rng);
	d.angle_deg = 720.0 * (cairn_rng_uniform(&r->rng) - 0.5);
	d.x_m = 8.0 * (cairn_rng_uniform(&r->rng) - 0.5);
	d.y_m = 6.0 * (cairn_rng_uniform(&r->rng) - 0.5);
	rig_decide(r, &d);
}

static void maybe_command(struct rig *r)
{
	static const char *const verbs[] = {"explore", "stop", "goto", "home", "pause", "resume"};
	if (cairn_rng_uniform(&r->rng) > 0.01)
		return;
	double limit_s = cairn_rng_uniform(&r->rng) < 0.5 ? 0.0 : 60.0;
	rig_command(r, verbs[cairn_rng_u32(&r->rng) % 6], 6.0 * (cairn_rng_uniform(&r->rng) - 0.5),
	    4.0 * (cairn_rng_uniform(&r->rng) - 0.5), limit_s);
}

static void maybe_fault(struct rig *r)
{
	if (cairn_rng_uniform(&r->rng) > 0.03)
		return;
	uint32_t any = cairn_rng_u32(&r->rng);
	r->scan_off = any % 5 == 0;
	r->pose_off = any % 7 == 0;
	r->motion_off = any % 11 == 0;
	r->planner = (enum rig_planner)(any / 77 % 4);
	r->motor_state = any % 3 == 0 ? (enum cairn_motor_state)(any / 3 % CAIRN_MOTOR_STATE_COUNT)
				      : CAIRN_MOTOR_STATE_IDLE;
}

static void maybe_kill(struct rig *r)
{
	if (cairn_rng_uniform(&r->rng) > 0.005)
		return;
	struct cairn_mission_record record = *cairn_sequencer_record(r->seq);
	cairn_sequencer_destroy(&r->seq);
	r->seq = cairn_sequencer_new(&r->cfg, &record, r->now_ns);
	memset(&r->out, 0, sizeof(r->out));
}

static struct rig *after_chaos(uint64_t seed, double seconds)
{
	struct rig *r = rig_room(seed);
	rig_frontier(r, 1, 3.5, 1.5, 1.0);
	rig_frontier(r, 2, -1.0, -2.0, 0.9);
	r->frontiers_seen_into = seed % 2 == 0;
	rig_start(r);
	for (int i = 0; i < (int)(seconds * 20.0); i++) {
		maybe_fault(r);
		maybe_command(r);
		maybe_kill(r);
		maybe_decide(r);
		rig_step(r);
		bool held =
		    r->motor_state != CAIRN_MOTOR_STATE_IDLE && r->motor_state < CAIRN_MOTOR_STATE_COUNT &&
		    r->motor_state != CAIRN_MOTOR_STATE_DRIVING &&
		    r->motor_state != CAIRN_MOTOR_STATE_SLOWED && r->motor_state != CAIRN_MOTOR_STATE_BLOCKED;
		if (held && !r->motion_off)
			ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	}
	r->scan_off = r->pose_off = r->motion_off = false;
	r->motor_state = CAIRN_MOTOR_STATE_IDLE;
	r->planner = RIG_PLANNER_DRIVES;
	return r;
}

static void everything_has_its_result(struct rig *r)
{
	ck_assert_uint_eq(r->contacts, 0);
	ck_assert_uint_eq(r->result_errors, 0);
	for (uint64_t id = 1; id < r->next_decision_id; id++)
		ck_assert_msg(r->seen[id % sizeof(r->seen)] == 1, "decision %llu has %d results",
		    (unsigned long long)id, r->seen[id % sizeof(r->seen)]);
}

START_TEST(a_silent_model_and_a_limit_end_the_mission_whatever_came_before)
{
	for (uint64_t seed = 1; seed <= CAIRN_ROUNDS(8); seed++) {
		struct rig *r = after_chaos(seed, 120.0);
		rig_command(r, "stop", 0.0, 0.0, 0.0);
		ck_assert(rig_command(r, "explore", 0.0, 0.0, 120.0).ok);
		rig_step(r);
		bool ended = rig_until(r, CAIRN_MISSION_STATE_FINISHED, 900.0);
		ck_assert_msg(ended, "seed %llu: %s, %s, %s; %s at (%.2f %.2f)", (unsigned long long)seed,
		    cairn_enum_text(&cairn_enum_mission_state, (int)r->out.mission.state),
		    r->out.mission.reason, r->out.mission.activity, r->last_result.reason, r->pose.x_m,
		    r->pose.y_m);
		everything_has_its_result(r);
		rig_free(r);
	}
}
END_TEST

START_TEST(a_decision_is_wanted_again_soon_whatever_came_before)
{
	for (uint64_t seed = 101; seed < 101 + CAIRN_ROUNDS(8); seed++) {
		struct rig *r = after_chaos(seed, 120.0);
		rig_command(r, "stop", 0.0, 0.0, 0.0);
		rig_frontier(r, 40, 3.9, -2.1, 1.0);
		rig_command(r, "explore", 0.0, 0.0, 0.0);
		bool wanted = false;
		for (int i = 0; i < 20 * 5 && !wanted; i++) {
			rig_step(r);
			wanted = r->out.mission.wants_decision;
		}
		ck_assert_msg(wanted, "seed %llu: %s", (unsigned long long)seed, r->out.mission.activity);
		struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_ROTATE);
		d.angle_deg = 90.0;
		rig_decide(r, &d);
		ck_assert(rig_until_result(r, d.id, 60.0));
		ck_assert_int_ne(r->last_model_result.outcome, CAIRN_OUTCOME_FAILED);
		everything_has_its_result(r);
		rig_free(r);
	}
}
END_TEST

CAIRN_TEST_MAIN("sequencer-liveness", a_silent_model_and_a_limit_end_the_mission_whatever_came_before,
    a_decision_is_wanted_again_soon_whatever_came_before)
