/* Properties of the triggers; what each one is, is shown in test_annotator.c. */
#include "common/percept/trigger.h"

#include <math.h>

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS
#define T0 (INT64_C(1000) * CAIRN_NS_PER_S)

static struct cairn_config cfg;
static struct cairn_triggers triggers;
static struct cairn_msg_percept scene;

static void begin(void)
{
	cairn_config_defaults(&cfg); /* cool-down 2 s, doorway 0.7 m, open 2 m, dead end 1 m, moved 1.5 m */
	struct cairn_trigger_params params = cairn_trigger_params_from_config(&cfg);
	cairn_triggers_init(&triggers, &params, T0);
	memset(&scene, 0, sizeof(scene));
	for (int k = 0; k < 12; k++)
		scene.sector_m[k] = 1.5f;
}

/* The reason the scene gives at this moment, taken at once. */
static enum cairn_trigger look(const struct cairn_msg_pose *pose, int64_t at_ms)
{
	cairn_triggers_on_scene(&triggers, &scene, pose, T0 + at_ms * MS);
	enum cairn_trigger found = triggers.scene;
	if (found != CAIRN_TRIGGER_NONE)
		cairn_triggers_taken(&triggers, T0 + at_ms * MS);
	return found;
}

static void set_doorway(bool there)
{
	scene.gaps_count = there ? 1 : 0;
	scene.gaps[0].width_m = 0.8;
}

static void set_dead_end(bool there)
{
	for (int k = 0; k < 12; k++)
		if (k <= 3 || k >= 9)
			scene.sector_m[k] = there ? 0.8f : 1.5f;
}

START_TEST(what_begins_in_the_cool_down_waits_for_its_end)
{
	begin();
	set_doorway(true);
	ck_assert_int_eq(look(NULL, 0), CAIRN_TRIGGER_DOORWAY);
	set_dead_end(true);
	ck_assert_int_eq(look(NULL, 1000), CAIRN_TRIGGER_NONE);
	ck_assert_int_eq(look(NULL, 1999), CAIRN_TRIGGER_NONE);
	ck_assert_int_eq(look(NULL, 2000), CAIRN_TRIGGER_DEAD_END);
	ck_assert_int_eq(look(NULL, 4000), CAIRN_TRIGGER_NONE); /* told */
}
END_TEST

START_TEST(what_ends_in_the_cool_down_is_never_told)
{
	begin();
	set_doorway(true);
	ck_assert_int_eq(look(NULL, 0), CAIRN_TRIGGER_DOORWAY);
	set_dead_end(true);
	ck_assert_int_eq(look(NULL, 1000), CAIRN_TRIGGER_NONE);
	set_dead_end(false);
	ck_assert_int_eq(look(NULL, 1500), CAIRN_TRIGGER_NONE);
	ck_assert_int_eq(look(NULL, 2500), CAIRN_TRIGGER_NONE);
}
END_TEST

START_TEST(what_begins_together_is_told_as_one_and_the_weightiest_names_it)
{
	begin();
	set_doorway(true);
	set_dead_end(true);
	scene.sector_m[5] = scene.sector_m[6] = scene.sector_m[7] = 2.0f;
	ck_assert_int_eq(look(NULL, 0), CAIRN_TRIGGER_DEAD_END);
	ck_assert_int_eq(look(NULL, 3000), CAIRN_TRIGGER_NONE);
	ck_assert_uint_eq(triggers.counts[CAIRN_TRIGGER_DEAD_END], 1);
	ck_assert_uint_eq(triggers.counts[CAIRN_TRIGGER_DOORWAY], 0);
}
END_TEST

static void score(double novelty, int64_t at_ms)
{
	struct cairn_msg_local m = {.novelty = novelty};
	cairn_triggers_on_local(&triggers, &m, T0 + at_ms * MS);
}

START_TEST(a_scene_that_is_new_is_told_once_until_it_is_known_again)
{
	begin();
	ck_assert_int_eq(look(NULL, 0), CAIRN_TRIGGER_NONE);
	score(0.49, 3000);
	ck_assert_int_eq(look(NULL, 3000), CAIRN_TRIGGER_NONE);
	score(0.5, 6000);
	ck_assert_int_eq(look(NULL, 6000), CAIRN_TRIGGER_NOVEL);
	score(0.3, 9000); /* wavers about the mark */
	ck_assert_int_eq(look(NULL, 9000), CAIRN_TRIGGER_NONE);
	score(0.9, 12000);
	ck_assert_int_eq(look(NULL, 12000), CAIRN_TRIGGER_NONE);
	score(0.1, 15000);
	ck_assert_int_eq(look(NULL, 15000), CAIRN_TRIGGER_NONE);
	score(0.9, 18000);
	ck_assert_int_eq(look(NULL, 18000), CAIRN_TRIGGER_NOVEL);
}
END_TEST

START_TEST(a_score_that_is_old_or_knows_nothing_is_no_news)
{
	begin();
	score(0.9, 0);
	ck_assert_int_eq(look(NULL, 3100), CAIRN_TRIGGER_NONE);
	score(-1.0, 6000);
	ck_assert_int_eq(look(NULL, 6000), CAIRN_TRIGGER_NONE);
	score((double)NAN, 9000);
	ck_assert_int_eq(look(NULL, 9000), CAIRN_TRIGGER_NONE);
}
END_TEST

START_TEST(an_intersection_has_as_many_sectors_as_configured)
{
	for (int needed = 1; needed <= 12; needed++) {
		for (int open = 0; open <= 12; open++) {
			begin();
			triggers.params.intersection_sectors = needed;
			for (int k = 0; k < open; k++)
				scene.sector_m[(10 + k) % 12] = 2.5f; /* across the front */
			ck_assert_int_eq(
			    look(NULL, 0), open >= needed ? CAIRN_TRIGGER_INTERSECTION : CAIRN_TRIGGER_NONE);
		}
	}
}
END_TEST

START_TEST(an_operator_who_sends_the_robot_off_is_a_reason)
{
	struct cairn_msg_mission m = {
	    .state = CAIRN_MISSION_STATE_EXPLORING, .wants_decision = true, .decisions = 4};
	begin();
	cairn_triggers_on_mission(&triggers, &m, T0); /* heard for the first time: nobody did anything */
	ck_assert_int_eq(cairn_triggers_due(&triggers, true, T0), CAIRN_TRIGGER_TIMER);
	m.state = CAIRN_MISSION_STATE_PAUSED;
	m.wants_decision = false;
	cairn_triggers_on_mission(&triggers, &m, T0 + 100 * MS);
	m.state = CAIRN_MISSION_STATE_EXPLORING;
	m.wants_decision = true;
	cairn_triggers_on_mission(&triggers, &m, T0 + 200 * MS);
	ck_assert_int_eq(cairn_triggers_due(&triggers, true, T0 + 200 * MS), CAIRN_TRIGGER_OPERATOR);
	ck_assert_uint_eq(triggers.counts[CAIRN_TRIGGER_OPERATOR], 1);
}
END_TEST

START_TEST(a_decision_that_is_asked_for_ahead_of_the_end_of_one_has_that_as_its_reason)
{
	struct cairn_msg_mission m = {
	    .state = CAIRN_MISSION_STATE_EXPLORING, .decisions = 4, .decision_id = 9};
	begin();
	cairn_triggers_on_mission(&triggers, &m, T0);
	ck_assert_int_eq(cairn_triggers_due(&triggers, true, T0), CAIRN_TRIGGER_NONE);
	m.wants_decision = true;
	cairn_triggers_on_mission(&triggers, &m, T0 + 100 * MS);
	ck_assert_int_eq(cairn_triggers_due(&triggers, true, T0 + 100 * MS), CAIRN_TRIGGER_RESULT);
}
END_TEST

START_TEST(what_holds_the_robot_up_is_a_reason_that_weighs_most_and_is_told_once)
{
	struct cairn_msg_mission m = {
	    .state = CAIRN_MISSION_STATE_EXPLORING, .decisions = 4, .decision_id = 9, .held_up = true};
	begin();
	set_dead_end(true);
	cairn_triggers_on_mission(&triggers, &m, T0);
	ck_assert_int_eq(look(NULL, 0), CAIRN_TRIGGER_BLOCKED);
	ck_assert_int_eq(look(NULL, 3000), CAIRN_TRIGGER_NONE);
	m.held_up = false;
	cairn_triggers_on_mission(&triggers, &m, T0 + 3100 * MS);
	ck_assert_int_eq(look(NULL, 3200), CAIRN_TRIGGER_NONE);
	m.held_up = true;
	cairn_triggers_on_mission(&triggers, &m, T0 + 3300 * MS);
	ck_assert_int_eq(look(NULL, 3400), CAIRN_TRIGGER_BLOCKED);
}
END_TEST

START_TEST(the_start_of_an_exploration_is_no_operators_word)
{
	struct cairn_msg_mission m = {.state = CAIRN_MISSION_STATE_IDLE};
	begin();
	cairn_triggers_on_mission(&triggers, &m, T0);
	m.state = CAIRN_MISSION_STATE_EXPLORING;
	m.wants_decision = true;
	cairn_triggers_on_mission(&triggers, &m, T0 + 100 * MS);
	ck_assert_int_eq(cairn_triggers_due(&triggers, true, T0 + 100 * MS), CAIRN_TRIGGER_TIMER);
}
END_TEST

START_TEST(a_stop_that_was_carried_out_is_no_reason)
{
	struct cairn_msg_result r = {
	    .source = CAIRN_SOURCE_MODEL, .tool = CAIRN_TOOL_STOP_ROBOT, .outcome = CAIRN_OUTCOME_SUCCESS};
	ck_assert_int_eq(cairn_trigger_of_result(&r), CAIRN_TRIGGER_NONE);
	r.overridden = true;
	ck_assert_int_eq(cairn_trigger_of_result(&r), CAIRN_TRIGGER_BLOCKED);
	r.overridden = false;
	r.source = CAIRN_SOURCE_OPERATOR;
	ck_assert_int_eq(cairn_trigger_of_result(&r), CAIRN_TRIGGER_OPERATOR);
	r.source = CAIRN_SOURCE_LOCAL;
	ck_assert_int_eq(cairn_trigger_of_result(&r), CAIRN_TRIGGER_RESULT);
}
END_TEST

static float any_distance(struct cairn_rng *rng)
{
	return cairn_rng_uniform(rng) < 0.05 ? 0.0f : (float)(0.3 + 3.0 * cairn_rng_uniform(rng));
}

static void change_scene(struct cairn_rng *rng)
{
	if (cairn_rng_uniform(rng) < 0.02)
		set_dead_end(cairn_rng_uniform(rng) < 0.5);
	for (int k = 0; k < 12; k++) {
		if (cairn_rng_uniform(rng) < 0.05)
			scene.sector_m[k] = any_distance(rng);
	}
	scene.gaps_count = cairn_rng_uniform(rng) < 0.1;
	scene.gaps[0].width_m = 0.6 + 0.4 * cairn_rng_uniform(rng);
}

static bool justified(enum cairn_trigger found)
{
	const float *s = scene.sector_m;
	bool open = false;
	for (int k = 0; k < 12; k++)
		open |= s[k] >= 2.0f && s[(k + 1) % 12] >= 2.0f && s[(k + 2) % 12] >= 2.0f;
	switch (found) {
	case CAIRN_TRIGGER_DEAD_END:
		for (int k = 0; k < 12; k++)
			if ((k <= 3 || k >= 9) && !(s[k] > 0 && s[k] < 1))
				return false;
		return true;
	case CAIRN_TRIGGER_DOORWAY:
		return scene.gaps_count == 1 && scene.gaps[0].width_m >= 0.7;
	case CAIRN_TRIGGER_INTERSECTION:
		return open;
	default:
		return false;
	}
}

START_TEST(at_ten_hertz_reasons_are_true_and_keep_their_distance_for_an_hour)
{
	struct cairn_rng rng;
	int told = 0;
	int64_t last_ms = -2000;
	begin();
	cairn_rng_seed(&rng, 3, 0);
	for (int64_t at_ms = 0; at_ms < 3600 * 1000; at_ms += 100) {
		change_scene(&rng);
		enum cairn_trigger found = look(NULL, at_ms);
		if (found == CAIRN_TRIGGER_NONE)
			continue;
		ck_assert(justified(found));
		ck_assert_int_ge(at_ms - last_ms, 2000);
		last_ms = at_ms;
		told++;
	}
	uint32_t sum = 0;
	for (int t = 0; t < CAIRN_TRIGGER_COUNT; t++)
		sum += triggers.counts[t];
	ck_assert_uint_eq(sum, (uint32_t)told);
	ck_assert_int_gt(told, 200);
}
END_TEST

START_TEST(a_scene_that_does_not_change_is_told_once)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 4, 0);
	for (int round = 0; round < 300; round++) {
		int told = 0;
		begin();
		for (int k = 0; k < 12; k++)
			scene.sector_m[k] = any_distance(&rng);
		scene.gaps_count = cairn_rng_uniform(&rng) < 0.5;
		scene.gaps[0].width_m = 0.8;
		for (int64_t at_ms = 0; at_ms < 10000; at_ms += 100)
			told += look(NULL, at_ms) != CAIRN_TRIGGER_NONE;
		ck_assert_int_le(told, 1);
		bool any = justified(CAIRN_TRIGGER_DEAD_END) || justified(CAIRN_TRIGGER_DOORWAY) ||
			   justified(CAIRN_TRIGGER_INTERSECTION);
		ck_assert_int_eq(told, any);
	}
}
END_TEST

START_TEST(left_and_right_do_not_matter)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 0);
	for (int round = 0; round < 2000; round++) {
		struct cairn_msg_percept mirrored;
		begin();
		for (int k = 0; k < 12; k++)
			scene.sector_m[k] = any_distance(&rng);
		mirrored = scene;
		for (int k = 0; k < 12; k++)
			mirrored.sector_m[k] = scene.sector_m[(12 - k) % 12];
		enum cairn_trigger one = look(NULL, 0);
		begin();
		scene = mirrored;
		ck_assert_int_eq(look(NULL, 0), one);
	}
}
END_TEST

START_TEST(driving_straight_is_told_every_metre_and_a_half_at_most)
{
	struct cairn_msg_pose pose = {0};
	int told = 0;
	begin();
	for (int i = 0; i <= 1000; i++) { /* 100 s at 0.3 m/s: 30 m, 5 s for 1.5 m */
		pose.x_m = pose.distance_m = 0.03 * i;
		enum cairn_trigger found = look(&pose, 100 * (int64_t)i);
		ck_assert(found == CAIRN_TRIGGER_NONE || found == CAIRN_TRIGGER_MOVED);
		told += found == CAIRN_TRIGGER_MOVED;
	}
	/* The 51st step is the first beyond 1.5 m; rounding may make it the 50th: 1000 / 51 and 1000 / 50. */
	ck_assert_int_ge(told, 19);
	ck_assert_int_le(told, 20);
}
END_TEST

START_TEST(a_wall_ahead_with_a_way_on_beside_it_is_no_dead_end)
{
	for (int open = 0; open < 12; open++) {
		bool ahead_or_beside = open <= 3 || open >= 9;
		begin();
		set_dead_end(true);
		scene.sector_m[open] = 1.2f;
		ck_assert_int_eq(
		    look(NULL, 0), ahead_or_beside ? CAIRN_TRIGGER_NONE : CAIRN_TRIGGER_DEAD_END);
	}
}
END_TEST

/* Out for out_m, back over the same floor, and on over new floor; how often the robot is told that it was here before. */
static int revisits(double out_m, double back_m, double on_m)
{
	struct cairn_msg_pose pose = {0};
	int told = 0;
	begin();
	triggers.params.moved_m = 1000.0;
	for (int i = 0; i <= (int)(10.0 * (out_m + back_m + on_m));
	     i++) { /* a tenth of a metre in a second */
		double s = 0.1 * i;
		pose.distance_m = s;
		pose.x_m = s <= out_m ? s : fmax(2.0 * out_m - s, out_m - back_m);
		pose.y_m = s <= out_m + back_m ? 0.0 : s - out_m - back_m;
		told += look(&pose, 1000 * (int64_t)i) == CAIRN_TRIGGER_REVISIT;
	}
	return told;
}

START_TEST(known_floor_is_news_when_the_robot_comes_to_it_and_not_with_each_metre_of_it)
{
	ck_assert_int_eq(revisits(20.0, 20.0, 0.0), 1);
	ck_assert_int_eq(revisits(20.0, 5.0, 30.0), 1);
	/* Off it for four metres only, and back to it: still the same way over known floor. For six: another one. */
	struct cairn_msg_pose pose = {0};
	for (int off_m = 4; off_m <= 6; off_m += 2) {
		int told = 0;
		begin();
		triggers.params.moved_m = 1000.0;
		triggers.places[0].travel_m = 0.0; /* was at 0 0 */
		triggers.place_count = 1;
		for (int i = 0; i <= 10 * (off_m + 20); i++) {
			double s = 0.1 * i;
			pose.distance_m = 10.0 + s;
			pose.x_m = s < 10.0 ? 0.0 : s < 10.0 + off_m ? 50.0 + s : 0.0;
			told += look(&pose, 1000 * (int64_t)i) == CAIRN_TRIGGER_REVISIT;
		}
		ck_assert_int_eq(told, off_m < 5 ? 1 : 2);
	}
}
END_TEST

CAIRN_TEST_MAIN("trigger", a_wall_ahead_with_a_way_on_beside_it_is_no_dead_end,
    known_floor_is_news_when_the_robot_comes_to_it_and_not_with_each_metre_of_it,
    what_begins_in_the_cool_down_waits_for_its_end, what_ends_in_the_cool_down_is_never_told,
    what_begins_together_is_told_as_one_and_the_weightiest_names_it,
    a_scene_that_is_new_is_told_once_until_it_is_known_again, a_score_that_is_old_or_knows_nothing_is_no_news,
    an_intersection_has_as_many_sectors_as_configured, an_operator_who_sends_the_robot_off_is_a_reason,
    a_decision_that_is_asked_for_ahead_of_the_end_of_one_has_that_as_its_reason,
    what_holds_the_robot_up_is_a_reason_that_weighs_most_and_is_told_once,
    the_start_of_an_exploration_is_no_operators_word, a_stop_that_was_carried_out_is_no_reason,
    at_ten_hertz_reasons_are_true_and_keep_their_distance_for_an_hour,
    a_scene_that_does_not_change_is_told_once, left_and_right_do_not_matter,
    driving_straight_is_told_every_metre_and_a_half_at_most)
