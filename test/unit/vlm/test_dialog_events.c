/* A doorway, an intersection, a dead end, a place seen again or a blocked way starts a call while a decision is driven. */
#include "test/support/dialog_rig.h"

static uint64_t driven;

/* A decision was made so long ago and is being driven; nothing is wanted, and events are asked about. */
static void drive_for(int64_t ms)
{
	setup();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_uint_eq(decision.replaces, 0);
	mission.decision_id = driven = decision.id;
	mission.decision_source = CAIRN_SOURCE_MODEL;
	mission.takes_events = true;
	now_ns += ms * MS;
	say_mission(false);
}

static void drive(void)
{
	drive_for((int64_t)(cfg.vlm.base_timer_s * 1e3) + 6000);
}

static enum cairn_dialog_act look(enum cairn_trigger trigger, int64_t after_ms)
{
	now_ns += after_ms * MS;
	say_mission(false);
	frontiers();
	ck_assert(cairn_dialog_wants_snapshot(dialog, now_ns));
	snapshot(true, trigger);
	return poll_dialog();
}

START_TEST(an_event_starts_a_call_while_a_decision_is_driven)
{
	static const enum cairn_trigger events[] = {CAIRN_TRIGGER_DOORWAY, CAIRN_TRIGGER_INTERSECTION,
	    CAIRN_TRIGGER_DEAD_END, CAIRN_TRIGGER_REVISIT, CAIRN_TRIGGER_BLOCKED};
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct cairn_msg_vlm_stats stats;
		drive();
		ck_assert_int_eq(look(CAIRN_TRIGGER_TIMER, 1000), CAIRN_DIALOG_NOTHING);
		ck_assert_int_eq(look(CAIRN_TRIGGER_MOVED, 1000), CAIRN_DIALOG_NOTHING);
		ck_assert_int_eq(look(events[i], 1000), CAIRN_DIALOG_SEND);
		cairn_dialog_stats(dialog, now_ns, &stats);
		ck_assert_uint_eq(stats.triggers[events[i]], 1);
		answer(200, REPLY(GO));
		ck_assert(cairn_dialog_take_decision(dialog, &decision));
		ck_assert_uint_eq(decision.replaces, driven);
		ck_assert_uint_gt(decision.id, driven);
		cairn_dialog_destroy(&dialog);
	}
}
END_TEST

START_TEST(it_is_asked_without_waiting_for_new_frontiers)
{
	drive();
	struct cairn_msg_result r = {.decision_id = driven - 1, .outcome = CAIRN_OUTCOME_PARTIAL};
	frontiers();
	now_ns += 100 * MS;
	cairn_dialog_result(dialog, &r, now_ns);
	now_ns += 100 * MS;
	say_mission(false);
	snapshot(true, CAIRN_TRIGGER_DOORWAY);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(an_opening_in_view_of_what_was_just_decided_starts_no_call_but_trouble_does)
{
	struct cairn_msg_vlm_stats stats;
	static const enum cairn_trigger openings[] = {CAIRN_TRIGGER_DOORWAY, CAIRN_TRIGGER_INTERSECTION},
					news[] = {CAIRN_TRIGGER_DEAD_END, CAIRN_TRIGGER_BLOCKED,
					    CAIRN_TRIGGER_REVISIT};
	for (size_t i = 0; i < 2; i++) {
		drive_for(100);
		ck_assert_int_eq(look(openings[i], 1000), CAIRN_DIALOG_NOTHING);
		cairn_dialog_stats(dialog, now_ns, &stats);
		ck_assert_uint_eq(stats.skips, 1);
		cairn_dialog_destroy(&dialog);
	}
	for (size_t i = 0; i < 3; i++) {
		drive_for(100);
		ck_assert_int_eq(look(news[i], 1000), CAIRN_DIALOG_SEND);
		cairn_dialog_destroy(&dialog);
	}
	/* A doorway from nearer is an intersection: the same scene. */
	drive();
	ck_assert_int_eq(look(CAIRN_TRIGGER_DOORWAY, 1000), CAIRN_DIALOG_SEND);
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	mission.decision_id = decision.id;
	ck_assert_int_eq(look(CAIRN_TRIGGER_INTERSECTION, 20000), CAIRN_DIALOG_NOTHING);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(the_same_scene_is_asked_about_once)
{
	struct cairn_msg_vlm_stats stats;
	drive();
	ck_assert_int_eq(look(CAIRN_TRIGGER_DOORWAY, 1000), CAIRN_DIALOG_SEND);
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	mission.decision_id = decision.id;
	ck_assert_int_eq(look(CAIRN_TRIGGER_DOORWAY, 3000), CAIRN_DIALOG_NOTHING);
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert_uint_eq(stats.skips, 1);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert_uint_eq(stats.skips, 1);                                       /* once for each */
	ck_assert_int_eq(look(CAIRN_TRIGGER_DEAD_END, 1000), CAIRN_DIALOG_SEND); /* another kind */
	cairn_dialog_destroy(&dialog);

	drive();
	ck_assert_int_eq(look(CAIRN_TRIGGER_DOORWAY, 1000), CAIRN_DIALOG_SEND);
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	mission.decision_id = decision.id;
	ck_assert_int_eq(
	    look(CAIRN_TRIGGER_DOORWAY, (int64_t)(cfg.vlm.event_again_s * 1e3) + 1000), CAIRN_DIALOG_SEND);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(nothing_is_asked_where_the_answer_would_not_be_taken)
{
	drive();
	mission.takes_events = false;
	now_ns += 1000 * MS;
	say_mission(false);
	ck_assert(!cairn_dialog_wants_snapshot(dialog, now_ns));
	snapshot(true, CAIRN_TRIGGER_DOORWAY);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	mission.takes_events = true; /* an old event is none */
	now_ns += 1100 * MS;
	say_mission(false);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(a_call_goes_on_when_the_decision_ends_meanwhile_and_is_dropped_when_the_mission_does)
{
	drive();
	ck_assert_int_eq(look(CAIRN_TRIGGER_DOORWAY, 1000), CAIRN_DIALOG_SEND);
	now_ns += 900 * MS;
	mission.decision_id = 0;
	mission.takes_events = false;
	say_mission(true); /* it has ended: now a decision is wanted, and this one will do */
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	cairn_dialog_destroy(&dialog);

	drive();
	ck_assert_int_eq(look(CAIRN_TRIGGER_DOORWAY, 1000), CAIRN_DIALOG_SEND);
	now_ns += 900 * MS;
	say_mission(false); /* still driven */
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	mission.state = CAIRN_MISSION_STATE_RETURNING;
	mission.takes_events = false;
	say_mission(false);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_CANCEL);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(nonsense_about_an_event_stops_nothing_and_no_answer_is_not_asked_for_again)
{
	drive();
	ck_assert_int_eq(look(CAIRN_TRIGGER_DOORWAY, 1000), CAIRN_DIALOG_SEND);
	answer(200, "{}");
	ck_assert(!cairn_dialog_take_decision(dialog, &decision));
	now_ns += 600 * MS;
	say_mission(false);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	now_ns += 600 * MS;
	mission.decision_id = 0; /* once one is wanted, nonsense is a stop as ever */
	mission.takes_events = false;
	struct cairn_msg_result r = {.decision_id = driven, .outcome = CAIRN_OUTCOME_SUCCESS};
	cairn_dialog_result(dialog, &r, now_ns);
	again();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(200, "{}");
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_STOP_ROBOT);
	cairn_dialog_destroy(&dialog);

	drive();
	ck_assert_int_eq(look(CAIRN_TRIGGER_DOORWAY, 1000), CAIRN_DIALOG_SEND);
	answer(500, "{}");
	now_ns += 550 * MS;
	say_mission(false);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(the_key_switches_it_off)
{
	setup();
	cairn_dialog_destroy(&dialog);
	cfg.vlm.ask_at_events = false;
	struct cairn_text system = {0};
	struct cairn_error err = {""};
	ck_assert(cairn_prompt_load(&cfg, &system, &err));
	dialog = cairn_dialog_new(&cfg.vlm, cfg.safety.decision_max_age_s, system.data, &err);
	cairn_text_free(&system);
	mission.decision_id = 7;
	mission.takes_events = true;
	say_mission(false);
	frontiers();
	ck_assert(!cairn_dialog_wants_snapshot(dialog, now_ns));
	snapshot(true, CAIRN_TRIGGER_DOORWAY);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	cairn_dialog_destroy(&dialog);
}
END_TEST

CAIRN_TEST_MAIN("vlm_dialog_events", an_event_starts_a_call_while_a_decision_is_driven,
    it_is_asked_without_waiting_for_new_frontiers,
    an_opening_in_view_of_what_was_just_decided_starts_no_call_but_trouble_does,
    the_same_scene_is_asked_about_once, nothing_is_asked_where_the_answer_would_not_be_taken,
    a_call_goes_on_when_the_decision_ends_meanwhile_and_is_dropped_when_the_mission_does,
    nonsense_about_an_event_stops_nothing_and_no_answer_is_not_asked_for_again, the_key_switches_it_off)
