/* What the robot does while a stage is held failed: the launcher's report decides, and a restart clears it.
 */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

static void report(struct rig *r, enum cairn_stage_state gateway, enum cairn_without without_gateway,
    enum cairn_stage_state mapper)
{
	static struct cairn_msg_stages m;
	m.items_count = 2;
	m.items[0] =
	    (struct cairn_msg_stage){.name = "gateway", .state = gateway, .without = without_gateway};
	m.items[1] =
	    (struct cairn_msg_stage){.name = "mapper", .state = mapper, .without = CAIRN_WITHOUT_STAND};
	cairn_sequencer_on_stages(r->seq, &m, r->now_ns);
}

/* As the launcher does: twice a second. */
static void run_reporting(struct rig *r, double s, enum cairn_stage_state gateway,
    enum cairn_without without_gateway, enum cairn_stage_state mapper)
{
	for (double t_s = 0.0; t_s < s; t_s += 0.5) {
		report(r, gateway, without_gateway, mapper);
		rig_run(r, 0.5);
	}
}

#define UP CAIRN_STAGE_STATE_UP
#define FAILED CAIRN_STAGE_STATE_FAILED

START_TEST(without_the_gateway_it_explores_by_itself_at_once_and_does_not_go_home_for_silence)
{
	struct rig *r = rig_exploring();
	run_reporting(r, 1.0, FAILED, CAIRN_WITHOUT_LOCAL, UP);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_LOCAL);
	ck_assert_ptr_nonnull(strstr(r->out.tier.reason, "gateway is held failed"));
	for (int i = 0; i < 120 && r->out.mission.state == CAIRN_MISSION_STATE_EXPLORING; i++)
		run_reporting(r, 0.5, FAILED, CAIRN_WITHOUT_LOCAL, UP);
	/* Its two frontiers do not vanish, so both are given up in the end; what counts is that it tried. */
	ck_assert_str_eq(r->out.mission.reason, "explored");
	ck_assert_double_gt(r->path_m, 1.0);
	ck_assert_uint_eq(r->contacts, 0);
	rig_free(r);
}
END_TEST

START_TEST(a_restart_of_the_gateway_gives_the_model_its_full_time)
{
	struct rig *r = rig_exploring();
	run_reporting(r, 8.0, FAILED, CAIRN_WITHOUT_LOCAL, UP);
	report(r, UP, CAIRN_WITHOUT_LOCAL, UP);
	rig_run(r, 0.5);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_NORMAL);
	rig_free(r);
}
END_TEST

START_TEST(without_the_mapper_it_stands_and_goes_on_when_it_is_back)
{
	struct rig *r = rig_exploring();
	run_reporting(r, 12.0, UP, CAIRN_WITHOUT_LOCAL, UP); /* a silent model: it explores by itself */
	rig_run(r, 1.0);
	ck_assert_double_gt(r->path_m, 0.1);
	run_reporting(r, 1.5, UP, CAIRN_WITHOUT_LOCAL, FAILED);
	double path_m = r->path_m;
	run_reporting(r, 20.0, UP, CAIRN_WITHOUT_LOCAL, FAILED);
	ck_assert_double_eq_tol(r->path_m, path_m, 1e-6);
	ck_assert_ptr_nonnull(strstr(r->out.mission.activity, "mapper is held failed"));
	run_reporting(r, 15.0, UP, CAIRN_WITHOUT_LOCAL, UP);
	ck_assert_double_gt(r->path_m, path_m + 0.1);
	rig_free(r);
}
END_TEST

START_TEST(a_stage_that_asks_for_the_way_home_ends_the_exploration)
{
	struct rig *r = rig_exploring();
	run_reporting(r, 12.0, UP, CAIRN_WITHOUT_HOME, UP);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	run_reporting(r, 1.0, FAILED, CAIRN_WITHOUT_HOME, UP);
	ck_assert_int_ne(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	run_reporting(r, 60.0, FAILED, CAIRN_WITHOUT_HOME, UP);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_FINISHED);
	ck_assert_str_eq(r->out.mission.reason, "stage_failed");
	rig_free(r);
}
END_TEST

START_TEST(the_most_cautious_of_several_wins)
{
	struct rig *r = rig_exploring();
	run_reporting(r, 30.0, FAILED, CAIRN_WITHOUT_LOCAL, FAILED);
	ck_assert(!r->out.mission.wants_decision); /* calls cost money */
	ck_assert_double_eq_tol(r->path_m, 0.0, 1e-6);
	ck_assert_ptr_nonnull(strstr(r->out.mission.activity, "mapper is held failed"));
	rig_free(r);
}
END_TEST

START_TEST(a_stage_that_may_be_missing_changes_nothing)
{
	struct rig *r = rig_exploring();
	run_reporting(r, 0.5, FAILED, CAIRN_WITHOUT_GO_ON, UP);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_NORMAL);
	ck_assert(r->out.mission.wants_decision);
	rig_free(r);
}
END_TEST

START_TEST(a_launcher_that_is_away_forbids_and_allows_nothing)
{
	struct rig *r = rig_exploring();
	report(r, FAILED, CAIRN_WITHOUT_LOCAL, UP);
	rig_run(r, 2.5);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_LOCAL);
	rig_run(r, 1.0); /* no report for more than 3 s */
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_NORMAL);
	rig_free(r);
}
END_TEST

START_TEST(one_that_drives_home_for_silence_turns_back_when_it_may_explore_without_the_model)
{
	struct rig *r = rig_exploring();
	rig_run(r, 32.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_RETURNING);
	report(r, FAILED, CAIRN_WITHOUT_LOCAL, UP);
	rig_run(r, 0.5);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_LOCAL);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("sequencer-without",
    without_the_gateway_it_explores_by_itself_at_once_and_does_not_go_home_for_silence,
    a_restart_of_the_gateway_gives_the_model_its_full_time,
    without_the_mapper_it_stands_and_goes_on_when_it_is_back,
    a_stage_that_asks_for_the_way_home_ends_the_exploration, the_most_cautious_of_several_wins,
    a_stage_that_may_be_missing_changes_nothing, a_launcher_that_is_away_forbids_and_allows_nothing,
    one_that_drives_home_for_silence_turns_back_when_it_may_explore_without_the_model)
