/* When a snapshot is due, and for which reason. */
#include "common/base/geom.h"
#include "common/percept/trigger.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS
#define T0 (INT64_C(1000) * CAIRN_NS_PER_S) /* start of every test */

static struct cairn_triggers triggers;
static struct cairn_msg_percept scene;

static void triggers_begin(void)
{
	struct cairn_config cfg;
	cairn_config_defaults(
	    &cfg); /* refresh 0.5 s, base timer 5 s, cool-down 2 s, mission stale after 2 s */
	struct cairn_trigger_params params = cairn_trigger_params_from_config(&cfg);
	cairn_triggers_init(&triggers, &params, T0);
	memset(&scene, 0, sizeof(scene));
	for (int k = 0; k < 12; k++)
		scene.sector_m[k] = 1.5f; /* nothing special */
}

static void mission(bool wants, int64_t at_ms)
{
	struct cairn_msg_mission msg = {.wants_decision = wants};
	cairn_triggers_on_mission(&triggers, &msg, T0 + at_ms * MS);
}

static enum cairn_trigger due(int64_t at_ms)
{
	return cairn_triggers_due(&triggers, true, T0 + at_ms * MS);
}

static void taken(int64_t at_ms)
{
	cairn_triggers_taken(&triggers, T0 + at_ms * MS);
}

static void scene_at(int64_t at_ms, const struct cairn_msg_pose *pose)
{
	cairn_triggers_on_scene(&triggers, &scene, pose, T0 + at_ms * MS);
}

START_TEST(watchers_get_a_snapshot_every_half_base_timer)
{
	triggers_begin();
	ck_assert_int_eq(due(2499), CAIRN_TRIGGER_NONE);
	ck_assert_int_eq(due(2500), CAIRN_TRIGGER_TIMER);
	taken(2500);
	ck_assert_int_eq(due(2600), CAIRN_TRIGGER_NONE);
	ck_assert_int_eq(due(5000), CAIRN_TRIGGER_TIMER);
}
END_TEST

START_TEST(a_wanted_decision_gets_one_at_once_and_then_twice_a_second)
{
	triggers_begin();
	mission(false, 100);
	ck_assert_int_eq(due(100), CAIRN_TRIGGER_NONE);
	mission(true, 300);
	ck_assert_int_eq(due(300), CAIRN_TRIGGER_TIMER);
	taken(300);
	mission(true, 500); /* repeated, not new */
	ck_assert_int_eq(due(500), CAIRN_TRIGGER_NONE);
	ck_assert_int_eq(due(799), CAIRN_TRIGGER_NONE);
	ck_assert_int_eq(due(800), CAIRN_TRIGGER_TIMER);
	taken(800);
	mission(false, 900);
	ck_assert_int_eq(due(1400), CAIRN_TRIGGER_NONE);
	mission(true, 1450);
	ck_assert_int_eq(due(1450), CAIRN_TRIGGER_TIMER);
}
END_TEST

START_TEST(a_result_during_the_wish_gets_one_at_once)
{
	struct cairn_msg_result result = {.tool = CAIRN_TOOL_MOVE_TOWARD, .outcome = CAIRN_OUTCOME_BLOCKED};
	triggers_begin();
	mission(true, 0);
	taken(0);
	ck_assert_int_eq(due(100), CAIRN_TRIGGER_NONE);
	cairn_triggers_on_result(&triggers, &result, T0 + 100 * MS);
	ck_assert_int_eq(due(100), CAIRN_TRIGGER_BLOCKED);
	taken(100);
	ck_assert_int_eq(due(200), CAIRN_TRIGGER_NONE);
	ck_assert_int_eq(
	    due(600), CAIRN_TRIGGER_BLOCKED); /* still the reason of the decision that is wanted */
	taken(600);
	mission(false, 700);
	mission(true, 800);
	ck_assert_int_eq(due(800), CAIRN_TRIGGER_TIMER); /* that decision came */
}
END_TEST

START_TEST(a_result_before_the_wish_is_its_reason)
{
	struct cairn_msg_result result = {
	    .tool = CAIRN_TOOL_NAVIGATE_TO_GOAL, .outcome = CAIRN_OUTCOME_SUCCESS};
	triggers_begin();
	mission(false, 0);
	cairn_triggers_on_result(&triggers, &result, T0 + 10 * MS);
	ck_assert_int_eq(due(10), CAIRN_TRIGGER_NONE);
	mission(true, 20);
	ck_assert_int_eq(due(20), CAIRN_TRIGGER_GOAL);
}
END_TEST

START_TEST(a_silent_mission_wants_nothing)
{
	triggers_begin();
	mission(true, 0);
	taken(0);
	ck_assert_int_eq(due(2000), CAIRN_TRIGGER_TIMER);
	ck_assert_int_eq(due(2001), CAIRN_TRIGGER_NONE);
	mission(true, 2400); /* it comes back: a new wish */
	ck_assert_int_eq(due(2400), CAIRN_TRIGGER_TIMER);
}
END_TEST

START_TEST(the_first_one_waits_a_little_for_a_scan)
{
	triggers_begin();
	mission(true, 0);
	ck_assert_int_eq(cairn_triggers_due(&triggers, false, T0 + 100 * MS), CAIRN_TRIGGER_NONE);
	ck_assert_int_eq(cairn_triggers_due(&triggers, true, T0 + 100 * MS), CAIRN_TRIGGER_TIMER);
	ck_assert_int_eq(cairn_triggers_due(&triggers, false, T0 + 500 * MS), CAIRN_TRIGGER_TIMER);
}
END_TEST

START_TEST(results_are_told_apart)
{
	static const struct {
		enum cairn_tool tool;
		enum cairn_outcome outcome;
		enum cairn_source source;
		bool overridden;
		enum cairn_trigger trigger;
	} cases[] = {
	    {CAIRN_TOOL_MOVE_TOWARD, CAIRN_OUTCOME_SUCCESS, CAIRN_SOURCE_MODEL, false, CAIRN_TRIGGER_RESULT},
	    {CAIRN_TOOL_MOVE_TOWARD, CAIRN_OUTCOME_SUCCESS, CAIRN_SOURCE_MODEL, true, CAIRN_TRIGGER_BLOCKED},
	    {CAIRN_TOOL_ROTATE, CAIRN_OUTCOME_PARTIAL, CAIRN_SOURCE_LOCAL, false, CAIRN_TRIGGER_RESULT},
	    {CAIRN_TOOL_ROTATE, CAIRN_OUTCOME_FAILED, CAIRN_SOURCE_MODEL, false, CAIRN_TRIGGER_BLOCKED},
	    {CAIRN_TOOL_ROTATE, CAIRN_OUTCOME_REFUSED, CAIRN_SOURCE_MODEL, false, CAIRN_TRIGGER_BLOCKED},
	    {CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_OUTCOME_SUCCESS, CAIRN_SOURCE_MODEL, false,
		CAIRN_TRIGGER_GOAL},
	    {CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_OUTCOME_BLOCKED, CAIRN_SOURCE_MODEL, false,
		CAIRN_TRIGGER_BLOCKED},
	    {CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_OUTCOME_SUCCESS, CAIRN_SOURCE_OPERATOR, false,
		CAIRN_TRIGGER_OPERATOR},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cairn_msg_result result = {.tool = cases[i].tool,
		    .outcome = cases[i].outcome,
		    .source = cases[i].source,
		    .overridden = cases[i].overridden};
		ck_assert_int_eq(cairn_trigger_of_result(&result), cases[i].trigger);
	}
}
END_TEST

START_TEST(a_doorway_that_comes_in_sight_is_told_once)
{
	triggers_begin();
	scene_at(0, NULL);
	ck_assert_int_eq(due(0), CAIRN_TRIGGER_NONE);
	scene.gaps_count = 1;
	scene.gaps[0].width_m = 0.69;
	scene_at(100, NULL);
	ck_assert_int_eq(due(100), CAIRN_TRIGGER_NONE);
	scene.gaps[0].width_m = 0.7;
	scene_at(200, NULL);
	ck_assert_int_eq(due(200), CAIRN_TRIGGER_DOORWAY);
	taken(200);
	scene_at(2300, NULL); /* still there */
	ck_assert_int_eq(due(2300), CAIRN_TRIGGER_NONE);
}
END_TEST

START_TEST(three_open_sectors_side_by_side_are_an_intersection)
{
	static const int rows[][3] = {{2, 3, 4}, {11, 0, 1}, {10, 11, 0}, {9, 10, 11}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		triggers_begin();
		scene.sector_m[rows[i][0]] = 2.0f;
		scene.sector_m[rows[i][1]] = 2.5f;
		scene.sector_m[rows[i][2]] = 1.99f;
		scene_at(0, NULL);
		ck_assert_int_eq(due(0), CAIRN_TRIGGER_NONE);
		scene.sector_m[rows[i][2]] = 2.0f;
		scene_at(100, NULL);
		ck_assert_int_eq(due(100), CAIRN_TRIGGER_INTERSECTION);
	}
	triggers_begin();
	scene.sector_m[1] = scene.sector_m[3] = scene.sector_m[5] = scene.sector_m[7] = 5.0f;
	scene_at(0, NULL);
	ck_assert_int_eq(due(0), CAIRN_TRIGGER_NONE);
}
END_TEST

START_TEST(a_dead_end_is_near_ahead_and_to_both_sides)
{
	triggers_begin();
	for (int k = 0; k < 12; k++)
		scene.sector_m[k] = k <= 3 || k >= 9 ? 0.9f : 3.0f;
	scene.sector_m[5] = scene.sector_m[7] = 1.5f;
	scene.sector_m[1] = 1.0f;
	scene_at(0, NULL);
	ck_assert_int_eq(due(0), CAIRN_TRIGGER_NONE);
	scene.sector_m[1] = 0.0f; /* empty: nobody knows */
	scene_at(100, NULL);
	ck_assert_int_eq(due(100), CAIRN_TRIGGER_NONE);
	scene.sector_m[1] = 0.99f;
	scene_at(200, NULL);
	ck_assert_int_eq(due(200), CAIRN_TRIGGER_DEAD_END);
}
END_TEST

START_TEST(reasons_of_the_scene_keep_their_cool_down)
{
	triggers_begin();
	scene.gaps_count = 1;
	scene.gaps[0].width_m = 0.9;
	scene_at(0, NULL);
	ck_assert_int_eq(due(0), CAIRN_TRIGGER_DOORWAY);
	taken(0);
	scene.gaps_count = 0;
	scene_at(1000, NULL);
	scene.gaps_count = 1;
	scene_at(1999, NULL);
	ck_assert_int_eq(due(1999), CAIRN_TRIGGER_NONE);
	scene.gaps_count = 0;
	scene_at(2000, NULL);
	scene.gaps_count = 1;
	scene_at(2100, NULL);
	ck_assert_int_eq(due(2100), CAIRN_TRIGGER_DOORWAY);
}
END_TEST

START_TEST(moving_far_from_the_last_decision_is_a_reason)
{
	struct cairn_msg_pose pose = {.x_m = 1.0};
	triggers_begin();
	scene_at(0, &pose); /* the first anchor */
	pose.x_m = 2.5;     /* 1.5 m are not more than 1.5 m */
	scene_at(100, &pose);
	ck_assert_int_eq(due(100), CAIRN_TRIGGER_NONE);
	pose.x_m = 2.51;
	scene_at(200, &pose);
	ck_assert_int_eq(due(200), CAIRN_TRIGGER_MOVED);
	taken(200);
	scene_at(2300, &pose); /* counted from here now */
	ck_assert_int_eq(due(2300), CAIRN_TRIGGER_NONE);
	cairn_triggers_on_decision(&triggers, (struct cairn_vec2){2.5, -1.5});
	scene_at(2400, &pose);
	ck_assert_int_eq(due(2400), CAIRN_TRIGGER_MOVED);
}
END_TEST

START_TEST(coming_back_after_a_long_way_is_a_revisit)
{
	struct cairn_msg_pose pose = {0};
	triggers_begin();
	triggers.params.moved_m = 100.0;
	for (int i = 0; i <= 8; i++) { /* four metres out, four metres back */
		pose.x_m = i <= 4 ? i : 8 - i;
		pose.distance_m = i;
		scene_at(i * 3000, &pose);
		enum cairn_trigger expected = i < 7 ? CAIRN_TRIGGER_NONE : CAIRN_TRIGGER_REVISIT;
		if (i == 8) /* x = 1 was left 6 m ago; at x = 0 it is still a revisit, not a new one */
			expected = CAIRN_TRIGGER_NONE;
		enum cairn_trigger now = triggers.scene;
		ck_assert_int_eq(now, expected);
		if (now != CAIRN_TRIGGER_NONE)
			taken(i * 3000);
	}
}
END_TEST

CAIRN_TEST_MAIN("annotator-due", watchers_get_a_snapshot_every_half_base_timer,
    a_wanted_decision_gets_one_at_once_and_then_twice_a_second, a_result_during_the_wish_gets_one_at_once,
    a_result_before_the_wish_is_its_reason, a_silent_mission_wants_nothing,
    the_first_one_waits_a_little_for_a_scan, results_are_told_apart,
    a_doorway_that_comes_in_sight_is_told_once, three_open_sectors_side_by_side_are_an_intersection,
    a_dead_end_is_near_ahead_and_to_both_sides, reasons_of_the_scene_keep_their_cool_down,
    moving_far_from_the_last_decision_is_a_reason, coming_back_after_a_long_way_is_a_revisit)
