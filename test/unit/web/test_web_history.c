/* What a page that is opened later is told of before. */
#include "common/web/history.h"

#include <math.h>

#include "test/support/runner.h"

static struct cairn_web_history h;

static void drive(double x_m, uint64_t map_id, bool valid)
{
	struct cairn_header hdr = {.valid = valid};
	struct cairn_msg_pose pose = {.x_m = x_m, .map_id = map_id};
	cairn_web_history_pose(&h, &hdr, &pose);
}

static bool tell(const char *text, const char *expected)
{
	struct cairn_text t = {0};
	cairn_web_history_add_trail(&t, &h);
	bool same = strcmp(t.data, expected) == 0;
	if (!same)
		printf("# %s: %s\n", text, t.data);
	cairn_text_free(&t);
	return same;
}

START_TEST(the_way_is_kept_in_steps_and_begins_anew_with_another_map)
{
	memset(&h, 0, sizeof(h));
	drive(1.0, 7, true);
	drive(1.05, 7, true); /* less than a step */
	drive(1.2, 7, true);
	drive(9.0, 7, false);
	drive(NAN, 7, true);
	ck_assert(tell("a step", "\"map_id\":\"7\",\"trail\":[[1.00,0.00],[1.20,0.00]]"));
	drive(3.0, 8, true);
	ck_assert(tell("another map", "\"map_id\":\"8\",\"trail\":[[3.00,0.00]]"));
}
END_TEST

START_TEST(the_oldest_points_make_room)
{
	memset(&h, 0, sizeof(h));
	for (int i = 0; i < CAIRN_WEB_TRAIL_MAX + 3; i++)
		drive(i, 1, true);
	ck_assert_uint_eq(h.count, CAIRN_WEB_TRAIL_MAX);
	struct cairn_text t = {0};
	cairn_web_history_add_trail(&t, &h);
	ck_assert_ptr_nonnull(strstr(t.data, "\"trail\":[[3.00,0.00],[4.00,0.00]"));
	ck_assert_ptr_nonnull(strstr(t.data, "[4002.00,0.00]]"));
	cairn_text_free(&t);
}
END_TEST

START_TEST(what_holds_the_robot_back_is_an_event_once)
{
	memset(&h, 0, sizeof(h));
	struct cairn_msg_motion m = {.state = CAIRN_MOTOR_STATE_DRIVING};
	ck_assert(!cairn_web_history_event(&h, CAIRN_TOPIC_MOTION, &m)); /* calm from the start */
	m.state = CAIRN_MOTOR_STATE_BLOCKED;
	snprintf(m.reason, sizeof(m.reason), "an obstacle at 0.31 m");
	ck_assert(cairn_web_history_event(&h, CAIRN_TOPIC_MOTION, &m));
	snprintf(m.reason, sizeof(m.reason), "an obstacle at 0.30 m");
	ck_assert(!cairn_web_history_event(&h, CAIRN_TOPIC_MOTION, &m)); /* but for its figures the same */
	m.state = CAIRN_MOTOR_STATE_ESTOP;
	ck_assert(cairn_web_history_event(&h, CAIRN_TOPIC_MOTION, &m));
	m.state = CAIRN_MOTOR_STATE_IDLE;
	ck_assert(
	    cairn_web_history_event(&h, CAIRN_TOPIC_MOTION, &m)); /* its end, so that the next is another */
	m.state = CAIRN_MOTOR_STATE_ESTOP;
	ck_assert(cairn_web_history_event(&h, CAIRN_TOPIC_MOTION, &m));
}
END_TEST

START_TEST(stops_health_and_tier_are_events_when_they_change)
{
	memset(&h, 0, sizeof(h));
	struct cairn_msg_estop e = {.stop = false};
	ck_assert(!cairn_web_history_event(&h, CAIRN_TOPIC_ESTOP, &e));
	e = (struct cairn_msg_estop){.stop = true, .reason = "motor hangs"};
	ck_assert(cairn_web_history_event(&h, CAIRN_TOPIC_ESTOP, &e));
	ck_assert(!cairn_web_history_event(&h, CAIRN_TOPIC_ESTOP, &e));
	struct cairn_msg_health good = {.ok = true}, bad = {.ok = false, .problem = "no scan"};
	ck_assert(!cairn_web_history_event(&h, CAIRN_TOPIC_HEALTH, &good));
	ck_assert(cairn_web_history_event(&h, CAIRN_TOPIC_HEALTH, &bad));
	ck_assert(cairn_web_history_event(&h, CAIRN_TOPIC_HEALTH, &good));
	struct cairn_msg_tier tier = {.tier = 0};
	ck_assert(!cairn_web_history_event(&h, CAIRN_TOPIC_TIER, &tier));
	tier.tier = CAIRN_TIER_COUNT - 1;
	ck_assert(cairn_web_history_event(&h, CAIRN_TOPIC_TIER, &tier));
	ck_assert(!cairn_web_history_event(&h, CAIRN_TOPIC_TIER, &tier));
}
END_TEST

START_TEST(refusals_and_commands_are_events_and_repetitions_are_not)
{
	memset(&h, 0, sizeof(h));
	struct cairn_msg_result r = {.outcome = CAIRN_OUTCOME_SUCCESS};
	ck_assert(!cairn_web_history_event(&h, CAIRN_TOPIC_RESULT, &r));
	r.overridden = true;
	ck_assert(cairn_web_history_event(&h, CAIRN_TOPIC_RESULT, &r));
	r = (struct cairn_msg_result){.outcome = CAIRN_OUTCOME_REFUSED};
	ck_assert(cairn_web_history_event(&h, CAIRN_TOPIC_RESULT, &r));
	struct cairn_msg_commanded motor = {.id = 1, .service = "motor.ctl"},
				   other = {.id = 1, .service = "operator"};
	ck_assert(cairn_web_history_event(&h, CAIRN_TOPIC_COMMANDED, &motor));
	ck_assert(cairn_web_history_event(&h, CAIRN_TOPIC_COMMANDED, &other));
	ck_assert(!cairn_web_history_event(&h, CAIRN_TOPIC_COMMANDED, &motor));
	ck_assert(!cairn_web_history_event(&h, CAIRN_TOPIC_COMMANDED, &other));
	motor.id = 2;
	ck_assert(cairn_web_history_event(&h, CAIRN_TOPIC_COMMANDED, &motor));
	for (int t = 0; t < CAIRN_TOPIC_COUNT; t++) { /* of nothing else is read what it is not */
		if (!cairn_web_history_wants((enum cairn_topic)t))
			ck_assert(!cairn_web_history_event(&h, (enum cairn_topic)t, &motor));
	}
}
END_TEST

CAIRN_TEST_MAIN("web-history", the_way_is_kept_in_steps_and_begins_anew_with_another_map,
    the_oldest_points_make_room, what_holds_the_robot_back_is_an_event_once,
    stops_health_and_tier_are_events_when_they_change,
    refusals_and_commands_are_events_and_repetitions_are_not)
