/* What faults did to a driving robot, as the chaos evaluation counts it. Stamps in milliseconds. */
#include "procs/lab/chaos_meter.h"

#include "common/base/geom.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS

static struct chaos_meter meter;

static void motion(int64_t t_ms, enum cairn_motor_state state, double v_mps)
{
	struct cairn_msg_motion msg = {.state = state, .v_mps = v_mps};
	chaos_meter_motion(&meter, &msg, t_ms * MS, false);
}

static void truth(int64_t t_ms, int64_t braked_ms, int64_t stood_ms)
{
	struct cairn_msg_sim_truth msg = {.braked_ns = braked_ms * MS, .stood_ns = stood_ms * MS};
	chaos_meter_truth(&meter, &msg, t_ms * MS);
}

static void driving_at(int64_t t_ms)
{
	meter = (struct chaos_meter){0};
	motion(t_ms, CAIRN_MOTOR_STATE_DRIVING, 0.2);
}

START_TEST(an_outage_runs_from_the_last_fault_to_the_first_turn_of_the_wheels)
{
	driving_at(1000);
	chaos_meter_fault(&meter, 1010 * MS, true, false);
	motion(1050, CAIRN_MOTOR_STATE_NO_COMMAND, 0.1);
	chaos_meter_fault(&meter, 1100 * MS, false, false);
	motion(1150, CAIRN_MOTOR_STATE_REARMING, 0.0);
	motion(1400, CAIRN_MOTOR_STATE_IDLE, 0.0); /* waits for a decision: still out */
	motion(1600, CAIRN_MOTOR_STATE_DRIVING, 0.05);
	motion(1650, CAIRN_MOTOR_STATE_DRIVING, 0.1);
	ck_assert_uint_eq(meter.again.count, 1);
	ck_assert_double_eq_tol(meter.again.s[0], 0.5, 1e-9);
	ck_assert_uint_eq(meter.again_plane.count, 0);
}
END_TEST

START_TEST(an_outage_with_a_fault_of_the_data_plane_counts_apart)
{
	driving_at(1000);
	chaos_meter_fault(&meter, 1010 * MS, false, true);
	motion(1050, CAIRN_MOTOR_STATE_REARMING, 0.0);
	motion(2010, CAIRN_MOTOR_STATE_SLOWED, 0.1);
	ck_assert_uint_eq(meter.again.count, 0);
	ck_assert_double_eq_tol(meter.again_plane.s[0], 1.0, 1e-9);
}
END_TEST

static void drives_until(int64_t from_ms, int64_t to_ms)
{
	for (int64_t t_ms = from_ms; t_ms <= to_ms; t_ms += 50)
		motion(t_ms, CAIRN_MOTOR_STATE_DRIVING, 0.2);
}

START_TEST(the_loss_of_the_data_plane_is_noticed_late_or_driven_through)
{
	driving_at(1000);
	chaos_meter_fault(&meter, 1010 * MS, false, true);
	drives_until(1050, 2850);
	motion(2900, CAIRN_MOTOR_STATE_REARMING, 0.0); /* 1.89 s later */
	motion(3400, CAIRN_MOTOR_STATE_DRIVING, 0.1);
	ck_assert_uint_eq(meter.again.count, 0);
	ck_assert_double_eq_tol(meter.again_plane.s[0], 2.39, 1e-9);
	drives_until(3450, 9050);
	ck_assert_uint_eq(meter.plane_bridged, 0); /* the same one is not counted twice */
	chaos_meter_fault(&meter, 9100 * MS, false, true);
	drives_until(9150, 11100);
	ck_assert_uint_eq(meter.plane_bridged, 0);
	motion(11150, CAIRN_MOTOR_STATE_DRIVING, 0.2);
	ck_assert_uint_eq(meter.plane_bridged, 1);
	motion(11200, CAIRN_MOTOR_STATE_REARMING, 0.0); /* another fault's, by its time */
	motion(11300, CAIRN_MOTOR_STATE_DRIVING, 0.2);
	ck_assert_uint_eq(meter.again.count, 1);
	motion(11350, CAIRN_MOTOR_STATE_IDLE, 0.0);
	chaos_meter_fault(&meter, 20010 * MS, false, true); /* it stood: nothing is shown by that */
	motion(23000, CAIRN_MOTOR_STATE_DRIVING, 0.2);
	ck_assert_uint_eq(meter.plane_bridged, 1);
	ck_assert_uint_eq(meter.again_plane.count, 1);
}
END_TEST

START_TEST(a_motor_stage_that_was_silent_is_an_outage_too)
{
	driving_at(1000);
	chaos_meter_fault(&meter, 1010 * MS, true, false);
	motion(1400, CAIRN_MOTOR_STATE_IDLE, 0.0);
	motion(1510, CAIRN_MOTOR_STATE_DRIVING, 0.1);
	ck_assert_double_eq_tol(meter.again.s[0], 0.5, 1e-9);
}
END_TEST

START_TEST(a_fault_that_nothing_came_of_is_none)
{
	driving_at(1000);
	chaos_meter_fault(&meter, 1010 * MS, false, false);
	motion(1050, CAIRN_MOTOR_STATE_DRIVING, 0.2);
	motion(1100, CAIRN_MOTOR_STATE_IDLE, 0.0); /* arrived */
	motion(1150, CAIRN_MOTOR_STATE_DRIVING, 0.2);
	ck_assert_uint_eq(meter.again.count, 0);
}
END_TEST

START_TEST(a_mission_that_is_over_ends_an_outage_without_a_sample)
{
	driving_at(1000);
	chaos_meter_fault(&meter, 1010 * MS, true, false);
	motion(1050, CAIRN_MOTOR_STATE_NO_COMMAND, 0.0);
	struct cairn_msg_motion idle = {0};
	chaos_meter_motion(&meter, &idle, 1100 * MS, true);
	motion(9000, CAIRN_MOTOR_STATE_DRIVING, 0.1);
	ck_assert_uint_eq(meter.again.count, 0);
}
END_TEST

START_TEST(a_stop_is_measured_from_the_fault_to_the_brakes_and_to_the_standstill)
{
	driving_at(1000);
	chaos_meter_fault(&meter, 1010 * MS, true, false);
	truth(1200, 400, 500); /* an older stop */
	ck_assert_uint_eq(meter.braked.count, 0);
	truth(1400, 1220, 1380);
	ck_assert_double_eq_tol(meter.braked.s[0], 0.21, 1e-9);
	ck_assert_double_eq_tol(meter.stood.s[0], 0.37, 1e-9);
	truth(1600, 1220, 1380); /* the same again */
	ck_assert_uint_eq(meter.braked.count, 1);
}
END_TEST

START_TEST(a_robot_that_stands_or_brakes_already_makes_no_sample)
{
	meter = (struct chaos_meter){0};
	motion(1000, CAIRN_MOTOR_STATE_IDLE, 0.0);
	chaos_meter_fault(&meter, 1010 * MS, true, false);
	truth(1400, 1220, 1380);
	driving_at(2000);
	chaos_meter_fault(&meter, 2010 * MS, true, false);
	truth(2400, 1990, 2100);
	ck_assert_uint_eq(meter.braked.count, 0);
	ck_assert_int_eq(meter.stop_fault_ns, 0);
}
END_TEST

START_TEST(a_fault_that_does_not_make_it_stand_is_counted_as_bridged)
{
	driving_at(1000);
	chaos_meter_fault(&meter, 1010 * MS, true, false);
	truth(4000, 0, 0);
	ck_assert_uint_eq(meter.bridged, 0);
	truth(4020, 0, 0);
	ck_assert_uint_eq(meter.bridged, 1);
}
END_TEST

START_TEST(a_stop_that_the_simulated_robot_did_not_live_to_tell_makes_no_sample)
{
	driving_at(1000);
	chaos_meter_fault(&meter, 1010 * MS, true, false);
	chaos_meter_blind(&meter);
	ck_assert_uint_eq(meter.unseen, 1);
	truth(2400, 2220, 2380); /* of a later stop */
	ck_assert_uint_eq(meter.braked.count, 0);
	chaos_meter_blind(&meter); /* nothing was awaited */
	ck_assert_uint_eq(meter.unseen, 1);
}
END_TEST

START_TEST(the_stop_after_it_drove_again_is_not_that_faults)
{
	driving_at(1000);
	chaos_meter_fault(&meter, 1010 * MS, true, false);
	motion(1250, CAIRN_MOTOR_STATE_NO_COMMAND, 0.1);
	motion(1500, CAIRN_MOTOR_STATE_DRIVING, 0.2); /* before it stood */
	truth(1900, 400, 500);
	ck_assert_uint_eq(meter.unseen, 0);
	truth(2000, 1800, 1990); /* the next stop, told within the time */
	ck_assert_uint_eq(meter.braked.count, 0);
	ck_assert_uint_eq(meter.unseen, 1);

	driving_at(3000);
	chaos_meter_fault(&meter, 3010 * MS, true, false);
	motion(3250, CAIRN_MOTOR_STATE_NO_COMMAND, 0.1);
	motion(3500, CAIRN_MOTOR_STATE_DRIVING, 0.2);
	truth(3510, 3220, 3400); /* its own stop, told after the wheels turned */
	ck_assert_double_eq_tol(meter.braked.s[0], 0.21, 1e-9);

	driving_at(5000);
	chaos_meter_fault(&meter, 5010 * MS, true, false);
	motion(5250, CAIRN_MOTOR_STATE_NO_COMMAND, 0.1);
	motion(5500, CAIRN_MOTOR_STATE_DRIVING, 0.2);
	truth(6010, 400, 500); /* nothing told: the next fault is measured again */
	ck_assert_uint_eq(meter.unseen, 1);
	chaos_meter_fault(&meter, 5650 * MS, true, false);
	ck_assert_int_eq(meter.stop_fault_ns, 5650 * MS);
}
END_TEST

START_TEST(an_outage_ends_with_its_house)
{
	driving_at(1000);
	chaos_meter_fault(&meter, 1010 * MS, true, true);
	motion(1250, CAIRN_MOTOR_STATE_NO_COMMAND, 0.1);
	chaos_meter_house(&meter);
	motion(9000, CAIRN_MOTOR_STATE_REARMING, 0.0); /* a new stack stands before it drives */
	motion(10000, CAIRN_MOTOR_STATE_DRIVING, 0.1);
	truth(10500, 10200, 10400);
	ck_assert_uint_eq(meter.again.count + meter.again_plane.count, 0);
	ck_assert_uint_eq(meter.braked.count, 0);
	chaos_meter_fault(&meter, 11000 * MS, false, false);
	ck_assert_int_eq(meter.plane_ns, 0);
}
END_TEST

START_TEST(quantiles_are_nearest_ranks)
{
	struct chaos_samples samples = {4, {4.0, 1.0, 3.0, 2.0}};
	ck_assert_double_eq(chaos_quantile(&samples, 0.5), 2.0);
	ck_assert_double_eq(chaos_quantile(&samples, 0.99), 4.0);
	ck_assert_double_eq(chaos_quantile(&samples, 0.0), 1.0);
	samples.count = 0;
	ck_assert_double_nan(chaos_quantile(&samples, 0.5));
}
END_TEST

START_TEST(a_mark_that_too_few_samples_speak_for_is_not_shown)
{
	struct chaos_samples samples = {4, {0.1, 0.1, 0.1, 0.9}};
	ck_assert_int_eq(chaos_mark(&samples, 0, 0.5, 0.2, 4), CHAOS_MARK_MET);
	ck_assert_int_eq(chaos_mark(&samples, 0, 0.99, 0.2, 4), CHAOS_MARK_MISSED);
	ck_assert_int_eq(chaos_mark(&samples, 0, 0.5, 0.2, 5), CHAOS_MARK_NOT_SHOWN);
	ck_assert_int_eq(chaos_mark(&samples, 1, 0.5, 0.2, 5), CHAOS_MARK_MET);
	ck_assert_int_eq(
	    chaos_mark(&samples, 99, 0.99, 0.2, 5), CHAOS_MARK_MISSED); /* the late one stays late */
	samples.count = 0;
	ck_assert_int_eq(chaos_mark(&samples, 0, 0.5, 0.2, 0), CHAOS_MARK_NOT_SHOWN);
	ck_assert_int_eq(chaos_mark(&samples, 1, 0.5, 0.2, 2), CHAOS_MARK_NOT_SHOWN);
	ck_assert_int_eq(chaos_mark(&samples, 2, 0.5, 0.2, 2), CHAOS_MARK_MET);
}
END_TEST

static void executes(uint64_t id)
{
	struct cairn_msg_mission msg = {.decision_id = id};
	chaos_meter_mission(&meter, &msg);
}

START_TEST(a_decision_is_lost_unless_the_next_sequencer_goes_on_with_it)
{
	driving_at(1000);
	executes(7);
	chaos_meter_decision(&meter, 0); /* nothing was under way */
	ck_assert_uint_eq(meter.decisions_hit, 0);
	chaos_meter_decision(&meter, 7);
	executes(7); /* a message of the one that died */
	ck_assert_uint_eq(meter.decisions_resumed, 0);
	executes(0);
	executes(7);
	executes(0); /* done */
	executes(8);
	ck_assert_uint_eq(meter.decisions_hit, 1);
	ck_assert_uint_eq(meter.decisions_resumed, 1);
	chaos_meter_decision(&meter, 8);
	executes(0);
	chaos_meter_decision(&meter, 8); /* killed again before it could go on */
	executes(0);
	executes(9); /* asked anew */
	ck_assert_uint_eq(meter.decisions_hit, 2);
	ck_assert_uint_eq(meter.decisions_resumed, 1);
	chaos_meter_decision(&meter, 9);
	chaos_meter_house(&meter);
	executes(0);
	executes(9); /* of another house */
	ck_assert_uint_eq(meter.decisions_hit, 3);
	ck_assert_uint_eq(meter.decisions_resumed, 1);
}
END_TEST

CAIRN_TEST_MAIN("chaos-meter", an_outage_runs_from_the_last_fault_to_the_first_turn_of_the_wheels,
    an_outage_with_a_fault_of_the_data_plane_counts_apart,
    the_loss_of_the_data_plane_is_noticed_late_or_driven_through,
    a_motor_stage_that_was_silent_is_an_outage_too, a_fault_that_nothing_came_of_is_none,
    a_mission_that_is_over_ends_an_outage_without_a_sample,
    a_stop_is_measured_from_the_fault_to_the_brakes_and_to_the_standstill,
    a_robot_that_stands_or_brakes_already_makes_no_sample,
    a_fault_that_does_not_make_it_stand_is_counted_as_bridged,
    a_stop_that_the_simulated_robot_did_not_live_to_tell_makes_no_sample,
    the_stop_after_it_drove_again_is_not_that_faults, an_outage_ends_with_its_house,
    quantiles_are_nearest_ranks, a_mark_that_too_few_samples_speak_for_is_not_shown,
    a_decision_is_lost_unless_the_next_sequencer_goes_on_with_it)
