/* When a run has passed, and what is said of one that has not. */
#include "procs/cairn/up.h"

#include "common/base/geom.h"
#include "test/support/runner.h"

static struct up_run run;
static char why[256];

static void add_stage(const char *name, enum cairn_stage_state state, uint32_t restarts, const char *note)
{
	struct cairn_msg_stage *st = &run.stages.items[run.stages.items_count];
	snprintf(st->name, sizeof(st->name), "%s", name);
	snprintf(st->note, sizeof(st->note), "%s", note);
	st->state = state;
	st->restarts = restarts;
	if (state == CAIRN_STAGE_STATE_UP)
		run.seen.stages_up |= UINT32_C(1) << run.stages.items_count;
	run.stages.items_count++;
	run.have_stages = true;
}

/* A run of a minute as it should be. */
static void begin(void)
{
	run = (struct up_run){.have_mission = true, .have_vlm = true, .have_truth = true, .as_asked = true};
	cairn_config_defaults(&run.cfg);
	run.start_ns = CAIRN_NS_PER_S;
	run.mission.state = CAIRN_MISSION_STATE_EXPLORING;
	run.vlm.calls = 20;
	run.seen =
	    (struct up_seen){.scans = 500, .decisions = 18, .answers = 20, .mission = true, .wanted = true};
	snprintf(run.end_reason, sizeof(run.end_reason), "explored");
	add_stage("motor", CAIRN_STAGE_STATE_UP, 0, "");
}

static bool passed(void)
{
	up_mark_end(&run, 61 * CAIRN_NS_PER_S);
	return up_passed(&run, why, sizeof(why));
}

static void fails(const char *text)
{
	ck_assert(!passed());
	ck_assert_msg(strstr(why, text) != NULL, "'%s' does not say '%s'", why, text);
	ck_assert_int_eq(up_exit_status(&run), 1);
}

START_TEST(a_run_that_drove_by_the_models_word_has_passed)
{
	begin();
	ck_assert_msg(passed(), "%s", why);
	ck_assert_str_eq(why, "");
	ck_assert_int_eq(up_exit_status(&run), 0);
}
END_TEST

START_TEST(contacts_and_an_end_that_nobody_asked_for_fail_as_ever)
{
	begin();
	run.truth.contacts = 1;
	fails("touched");
	begin();
	run.as_asked = false;
	fails("explored");
}
END_TEST

START_TEST(without_a_scan_or_a_decision_nothing_has_passed)
{
	begin();
	run.seen.scans = 0;
	fails("no scan has come");
	begin();
	run.seen.decisions = 0;
	fails("no decision was executed");
}
END_TEST

START_TEST(a_model_that_gave_nothing_usable_fails_though_local_exploration_drove)
{
	begin();
	run.seen.answers = 0;
	run.vlm.calls = run.vlm.failures = 24;
	snprintf(run.vlm.last_error, sizeof(run.vlm.last_error), "HTTP 401: no such key");
	fails("the model gave no usable answer (24 calls): HTTP 401: no such key");
	begin();
	run.seen.answers = 0;
	run.vlm.calls = 0;
	fails("the model was never asked");
}
END_TEST

START_TEST(what_a_person_or_the_budget_wanted_is_an_allowed_reason)
{
	static const char *const reasons[] = {"an emergency stop held", "the mission was paused",
	    "no mission was asked for", "nothing was left to explore"};
	for (int i = 0; i < 4; i++) {
		begin();
		run.seen.decisions = run.seen.answers = 0;
		run.seen.estop = i == 0;
		run.seen.paused = i == 1;
		run.seen.mission = i != 2;
		run.cfg.mission.autostart =
		    i != 2 ? CAIRN_CHOICE_AUTOSTART_ALWAYS : CAIRN_CHOICE_AUTOSTART_NEVER;
		run.mission.state = i == 3 ? CAIRN_MISSION_STATE_FINISHED : CAIRN_MISSION_STATE_IDLE;
		snprintf(run.mission.reason, sizeof(run.mission.reason), "explored");
		ck_assert_msg(passed(), "%s", why);
		ck_assert_str_eq(why, reasons[i]);
	}
	begin(); /* a stop for a while does not excuse a model that was silent throughout */
	run.seen.answers = 0;
	run.seen.estop = true;
	fails("the model gave no usable answer");
	begin();
	run.seen.answers = 0;
	run.seen.budget = true;
	ck_assert_msg(passed(), "%s", why);
}
END_TEST

START_TEST(a_model_that_is_compared_only_drives_nothing_and_has_to_answer)
{
	begin();
	run.cfg.vlm.shadow = true;
	run.seen.decisions = 0;
	ck_assert_msg(passed(), "%s", why);
	ck_assert_str_eq(why, "the model was compared only (vlm.shadow)");
	run.seen.answers = 0;
	fails("no decision was executed: the model gave no usable answer");
}
END_TEST

START_TEST(a_stage_that_kept_dying_or_never_came_up_fails_the_run_and_is_named)
{
	begin();
	add_stage("mapper", CAIRN_STAGE_STATE_FAILED, 4, "killed by signal 6 (Aborted)");
	fails("mapper kept dying: killed by signal 6 (Aborted)");
	begin();
	add_stage("roudi", CAIRN_STAGE_STATE_STARTING, 238, "RouDi ended: no such user");
	fails("roudi kept dying: RouDi ended: no such user");
	begin();
	add_stage("camera-bridge", CAIRN_STAGE_STATE_DOWN, 0, "");
	fails("camera-bridge has not come up");
	begin(); /* up just now, as it is every two seconds */
	add_stage("gateway", CAIRN_STAGE_STATE_UP, 30, "killed by signal 11");
	fails("gateway kept dying");
	begin(); /* once in a while is what restarts are for */
	add_stage("gateway", CAIRN_STAGE_STATE_UP, 3, "killed by signal 11");
	add_stage("planner", CAIRN_STAGE_STATE_UP, 2, "");
	ck_assert_msg(passed(), "%s", why);
}
END_TEST

START_TEST(the_most_serious_trouble_is_told_and_the_last_one_is_kept)
{
	char text[200];
	begin();
	up_trouble(&run, text, sizeof(text));
	ck_assert_str_eq(text, "");
	run.vlm.net_tier = CAIRN_NET_TIER_DEGRADED;
	run.vlm.failures = 3;
	snprintf(run.vlm.provider, sizeof(run.vlm.provider), "openai");
	snprintf(run.vlm.last_error, sizeof(run.vlm.last_error), "HTTP 401\033[2J");
	up_trouble(&run, text, sizeof(text));
	ck_assert_str_eq(text, "openai: HTTP 401 [2J"); /* no terminal is cleared by it */
	run.have_motion = true;
	run.motion.state = CAIRN_MOTOR_STATE_NO_DEVICE;
	up_trouble(&run, text, sizeof(text));
	ck_assert_str_eq(text, "motor: no_device");
	add_stage("mapper", CAIRN_STAGE_STATE_BACKOFF, 1, "killed by signal 9");
	up_trouble(&run, text, sizeof(text));
	ck_assert_str_eq(text, "mapper: killed by signal 9");
	run.have_health = true;
	snprintf(run.health.problem, sizeof(run.health.problem), "mapper: cannot save the map: disk full");
	up_trouble(&run, text, sizeof(text));
	ck_assert_str_eq(text, "mapper: cannot save the map: disk full");
	up_note_error(&run);
	ck_assert_str_eq(run.seen.error, "mapper: cannot save the map: disk full");
	run.health.ok = true; /* it is over, and still the last */
	run.stages.items[1].state = CAIRN_STAGE_STATE_UP;
	run.motion.state = CAIRN_MOTOR_STATE_DRIVING;
	run.vlm.net_tier = CAIRN_NET_TIER_NORMAL;
	up_note_error(&run);
	ck_assert_str_eq(run.seen.error, "mapper: cannot save the map: disk full");
	run.motion.state =
	    CAIRN_MOTOR_STATE_ESTOP; /* a person's stop is told while it lasts, and is no error */
	snprintf(run.motion.reason, sizeof(run.motion.reason), "operator: the dog");
	run.health.ok = false;
	snprintf(run.health.problem, sizeof(run.health.problem), "emergency stop: operator");
	up_trouble(&run, text, sizeof(text));
	ck_assert_str_eq(text, "emergency stop: operator");
	up_note_error(&run);
	ck_assert_str_eq(run.seen.error, "mapper: cannot save the map: disk full");
	run.motion.state = CAIRN_MOTOR_STATE_DRIVING; /* it is released, and health does not know yet */
	up_note_error(&run);
	ck_assert_str_eq(run.seen.error, "mapper: cannot save the map: disk full");
	run.health.ok = true;
	run.vlm.failures++; /* a single failure of the model is no trouble, but an error */
	up_note_error(&run);
	ck_assert_ptr_nonnull(strstr(run.seen.error, "openai: HTTP 401"));
}
END_TEST

START_TEST(what_is_not_there_yet_while_the_stack_comes_up_is_no_error)
{
	begin();
	run.seen.decisions = 0;
	run.stages.uptime_s = 3.0;
	run.have_motion = true;
	run.motion.state = CAIRN_MOTOR_STATE_NO_SCAN;
	up_note_error(&run);
	ck_assert_str_eq(run.seen.error, "");
	run.stages.uptime_s = 11.0;
	up_note_error(&run);
	ck_assert_str_eq(run.seen.error, "motor: no_scan");
}
END_TEST

CAIRN_TEST_MAIN("up-verdict", a_run_that_drove_by_the_models_word_has_passed,
    contacts_and_an_end_that_nobody_asked_for_fail_as_ever, without_a_scan_or_a_decision_nothing_has_passed,
    a_model_that_gave_nothing_usable_fails_though_local_exploration_drove,
    what_a_person_or_the_budget_wanted_is_an_allowed_reason,
    a_model_that_is_compared_only_drives_nothing_and_has_to_answer,
    a_stage_that_kept_dying_or_never_came_up_fails_the_run_and_is_named,
    the_most_serious_trouble_is_told_and_the_last_one_is_kept,
    what_is_not_there_yet_while_the_stack_comes_up_is_no_error)
