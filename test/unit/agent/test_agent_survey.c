/* The survey: views of floor that no picture has shown, one after the other; and a task of the agent that is one. */
#include <math.h>

#include "common/agent/survey.h"
#include "test/support/agent_rig.h"
#include "test/support/runner.h"
#include "test/support/two_rooms.h"

#define AROUND 16
#define YAW_RAD 0.3 /* of the camera on the robot */

static struct cairn_coverage *coverage;
static struct cairn_survey survey;
static struct cairn_pose2 at;
static int64_t now_ns;

static void take_picture(void)
{
	struct cairn_msg_detections seen =
	    two_rooms_picture(at.x_m, at.y_m, at.yaw_rad + survey.camera_yaw_rad);
	cairn_coverage_on_picture(coverage, &seen);
	cairn_survey_on_picture(&survey, now_ns);
}

/* From the first room, which two pictures each way have shown. */
static void set_up(void)
{
	struct cairn_scene_grid grid = two_rooms();
	coverage = cairn_coverage_new();
	at = (struct cairn_pose2){0.0, 0.0, 0.0};
	now_ns = 1000 * CAIRN_NS_PER_S;
	cairn_coverage_map(coverage, TWO_ROOMS_MAP);
	cairn_coverage_on_grid(coverage, &grid);
	survey = (struct cairn_survey){.camera_yaw_rad = 0.0};
	for (int i = 0; i < 2 * AROUND; i++) {
		at.yaw_rad = i * 2.0 * M_PI / AROUND;
		take_picture();
	}
	at.yaw_rad = 0.0;
	cairn_survey_begin(&survey, coverage, YAW_RAD);
}

static void tear_down(void)
{
	cairn_coverage_free(&coverage);
}

static struct cairn_survey_step next(void)
{
	return cairn_survey_next(&survey, at, now_ns);
}

static void expect(enum cairn_survey_act act)
{
	ck_assert_int_eq((int)next().act, (int)act);
}

/* Drives there and turns to it, both as asked. */
static void go_and_turn(void)
{
	struct cairn_survey_step s = next();
	if (s.act == CAIRN_SURVEY_GO) {
		at.x_m = s.to.x_m;
		at.y_m = s.to.y_m;
		expect(CAIRN_SURVEY_WAIT);
		cairn_survey_ended(&survey, CAIRN_SURVEY_DROVE, now_ns);
		s = next();
	}
	ck_assert_int_eq((int)s.act, (int)CAIRN_SURVEY_TURN);
	at.yaw_rad = s.to.yaw_rad;
	expect(CAIRN_SURVEY_WAIT);
	cairn_survey_ended(&survey, CAIRN_SURVEY_DROVE, now_ns);
}

START_TEST(the_view_that_shows_most_for_the_way_comes_first_and_the_camera_faces_it)
{
	struct cairn_unseen list[8];
	uint32_t closed;
	set_up();
	uint32_t n = cairn_coverage_unseen(coverage, at, list, 8, &closed);
	const struct cairn_unseen *best = &list[0];
	for (uint32_t i = 1; i < n; i++)
		if (list[i].area_m2 / (1.0 + list[i].distance_m) > best->area_m2 / (1.0 + best->distance_m))
			best = &list[i];
	ck_assert_uint_ge(n, 2);
	struct cairn_survey_step s = next();
	ck_assert_int_eq((int)s.act, (int)CAIRN_SURVEY_GO);
	ck_assert_double_eq_tol(s.to.x_m, best->stand.x_m, 1e-9);
	ck_assert_double_eq_tol(s.to.y_m, best->stand.y_m, 1e-9);
	at.x_m = s.to.x_m;
	at.y_m = s.to.y_m;
	cairn_survey_ended(&survey, CAIRN_SURVEY_DROVE, now_ns);
	s = next();
	ck_assert_int_eq((int)s.act, (int)CAIRN_SURVEY_TURN);
	ck_assert_double_eq_tol(cairn_wrap_rad(s.to.yaw_rad + YAW_RAD - best->stand.yaw_rad), 0.0, 1e-9);
	tear_down();
}
END_TEST

START_TEST(a_look_takes_two_pictures_and_not_those_of_the_way)
{
	set_up();
	go_and_turn();
	cairn_survey_on_picture(&survey, now_ns - 1);
	expect(CAIRN_SURVEY_WAIT);
	take_picture();
	expect(CAIRN_SURVEY_WAIT);
	take_picture();
	ck_assert_int_ne((int)next().act, (int)CAIRN_SURVEY_WAIT);
	ck_assert_uint_eq(survey.looks, 1);
	tear_down();
}
END_TEST

START_TEST(who_gets_no_picture_waits_five_seconds_and_has_not_looked)
{
	for (uint32_t pictures = 0; pictures < 2; pictures++) {
		set_up();
		go_and_turn();
		if (pictures == 1)
			take_picture();
		now_ns += 5 * CAIRN_NS_PER_S - 1;
		expect(CAIRN_SURVEY_WAIT);
		now_ns++;
		ck_assert_int_ne((int)next().act, (int)CAIRN_SURVEY_WAIT);
		ck_assert_uint_eq(survey.looks, pictures);
		ck_assert_uint_eq(survey.failed, 1 - pictures);
		tear_down();
	}
}
END_TEST

START_TEST(the_second_room_is_seen_in_six_looks_and_then_it_is_over)
{
	set_up();
	ck_assert(!cairn_coverage_is_seen(coverage, 4.0, 1.5));
	for (uint32_t i = 0; i < 40 && survey.state != CAIRN_SURVEY_ENDED; i++) {
		go_and_turn();
		take_picture();
		take_picture();
		if (cairn_coverage_unseen(coverage, at, (struct cairn_unseen[1]){0}, 1, &(uint32_t){0}) == 0)
			expect(CAIRN_SURVEY_OVER);
	}
	expect(CAIRN_SURVEY_OVER);
	ck_assert_uint_eq(survey.looks, 6);
	ck_assert_uint_eq(survey.failed, 0);
	ck_assert_uint_eq(survey.closed, 0);
	ck_assert(!survey.gave_up);
	for (double x = 2.5; x < 5.8; x += 0.5)
		ck_assert(cairn_coverage_is_seen(coverage, x, 0.0));
	ck_assert(cairn_coverage_is_seen(coverage, 4.0, 1.5) && cairn_coverage_is_seen(coverage, 4.0, -1.5));
	tear_down();
}
END_TEST

START_TEST(a_view_that_fails_is_left_out_and_one_that_a_person_held_up_is_not)
{
	set_up();
	struct cairn_survey_step first = next();
	cairn_survey_ended(&survey, CAIRN_SURVEY_HELD, now_ns);
	struct cairn_survey_step again = next();
	ck_assert_double_eq_tol(again.to.x_m, first.to.x_m, 1e-9);
	ck_assert_double_eq_tol(again.to.y_m, first.to.y_m, 1e-9);
	ck_assert_uint_eq(survey.failed, 0);
	cairn_survey_ended(&survey, CAIRN_SURVEY_FAILED, now_ns);
	expect(CAIRN_SURVEY_WAIT); /* two seconds */
	now_ns += 2 * CAIRN_NS_PER_S;
	struct cairn_survey_step other = next();
	ck_assert(
	    other.act != CAIRN_SURVEY_GO || other.to.x_m != first.to.x_m || other.to.y_m != first.to.y_m);
	ck_assert_uint_eq(survey.failed, 1);
	tear_down();
}
END_TEST

START_TEST(what_failed_is_tried_again_by_the_next_survey)
{
	set_up();
	struct cairn_survey_step first = next();
	cairn_survey_ended(&survey, CAIRN_SURVEY_FAILED, now_ns);
	cairn_survey_begin(&survey, coverage, YAW_RAD);
	struct cairn_survey_step again = next();
	ck_assert_double_eq_tol(again.to.x_m, first.to.x_m, 1e-9);
	ck_assert_double_eq_tol(again.to.y_m, first.to.y_m, 1e-9);
	tear_down();
}
END_TEST

START_TEST(a_robot_that_cannot_drive_gives_up)
{
	uint32_t tries = 0;
	struct cairn_scene_grid grid = two_rooms();
	coverage = cairn_coverage_new(); /* nothing was seen yet: there is much to fail at */
	cairn_coverage_map(coverage, TWO_ROOMS_MAP);
	cairn_coverage_on_grid(coverage, &grid);
	at = (struct cairn_pose2){0.0, 0.0, 0.0};
	now_ns = 1000 * CAIRN_NS_PER_S;
	cairn_survey_begin(&survey, coverage, 0.0);
	for (int i = 0; i < 100 && survey.state != CAIRN_SURVEY_ENDED; i++) {
		struct cairn_survey_step s = next();
		tries += s.act == CAIRN_SURVEY_GO || s.act == CAIRN_SURVEY_TURN;
		cairn_survey_ended(&survey, CAIRN_SURVEY_FAILED, now_ns);
		now_ns += CAIRN_NS_PER_S;
	}
	ck_assert_uint_eq(tries, 8);
	ck_assert(survey.gave_up);
	expect(CAIRN_SURVEY_OVER);
	tear_down();
}
END_TEST

/* ---- as a task ---- */

static struct rig *begin_survey(bool with_pictures)
{
	struct rig *r = rig_house();
	struct cairn_scene_grid grid = two_rooms();
	r->moves = true;
	r->map_id = TWO_ROOMS_MAP;
	rig_tell_all(r);
	cairn_agent_on_grid(r->agent, &grid);
	if (with_pictures) {
		struct cairn_msg_detections seen = two_rooms_picture(0.0, 0.0, 0.0);
		cairn_agent_on_detections(r->agent, &seen, r->now_ns);
	}
	r->mission.survey = true;
	rig_task(r, "look at what no picture has shown");
	return r;
}

/* Two pictures a second where it stands; the first look into the second room shows the sofa. */
static bool run_survey(struct rig *r, double seconds)
{
	for (int i = 0; i < (int)(seconds * 10.0) && !rig_over(r); i++) {
		rig_tick(r);
		if (i % 5 == 0 && r->driving.id == 0) {
			struct cairn_msg_detections seen =
			    two_rooms_picture(r->at.x_m, r->at.y_m, r->at.yaw_rad);
			cairn_agent_on_detections(r->agent, &seen, r->now_ns);
			if (r->at.x_m > 2.2 && r->scene.objects == 0)
				rig_node(
				    r, CAIRN_SCENE_KIND_OBJECT, "sofa_1", "sofa", "red", "room_1", 4.0, 1.0);
			cairn_agent_on_scene(r->agent, &r->scene);
		}
	}
	return rig_over(r);
}

START_TEST(a_survey_asks_no_model_and_sums_up)
{
	struct rig *r = begin_survey(true);
	cairn_agent_give_up(r->agent, "no key", r->now_ns); /* nobody is asked */
	ck_assert(run_survey(r, 600.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_DONE);
	ck_assert_ptr_nonnull(
	    strstr(r->out.answer, ", things found 1, known now 1; all the floor that can be looked at was"));
	ck_assert_uint_eq(r->calls, 0);
	ck_assert_uint_eq(r->out.queries, 0);
	ck_assert_double_eq(r->out.usd, 0.0);
	ck_assert_uint_ge(r->decisions, 10);
	rig_free(r);
}
END_TEST

START_TEST(a_survey_that_is_paused_goes_on_and_one_that_is_stopped_is_over)
{
	struct rig *r = begin_survey(true);
	ck_assert(!run_survey(r, 12.0));
	uint32_t decisions = r->decisions;
	ck_assert_uint_ge(decisions, 2);
	ck_assert_ptr_nonnull(strstr(r->out.step, "looks so far"));
	r->mission.state = CAIRN_MISSION_STATE_PAUSED;
	ck_assert(!run_survey(r, 30.0));
	ck_assert_uint_le(r->decisions, decisions + 1);
	r->mission.state = CAIRN_MISSION_STATE_TASK;
	decisions = r->decisions;
	ck_assert(!run_survey(r, 10.0));
	ck_assert_uint_gt(r->decisions, decisions);
	r->mission.state = CAIRN_MISSION_STATE_FINISHED;
	ck_assert(run_survey(r, 1.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_FAILED);
	rig_free(r);
}
END_TEST

START_TEST(without_pictures_a_survey_says_why_it_cannot)
{
	struct rig *r = begin_survey(false);
	ck_assert(rig_run(r, 12.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_FAILED);
	ck_assert_ptr_nonnull(strstr(r->out.answer, "no picture is searched for things"));
	ck_assert_uint_eq(r->decisions, 0);
	rig_free(r);
}
END_TEST

START_TEST(a_survey_goes_on_after_its_process_was_killed)
{
	struct rig *r = begin_survey(true);
	struct cairn_text file = {0};
	struct cairn_error err = {""};
	ck_assert(!run_survey(r, 20.0));
	ck_assert(cairn_agent_save(r->agent, &file));
	cairn_agent_destroy(&r->agent);
	rig_agent(r);
	ck_assert_msg(cairn_agent_load(r->agent, file.data, file.len, &err), "%s", err.text);
	struct cairn_scene_grid grid = two_rooms();
	r->driving.id = r->mission.decision_id = 0;
	rig_tell_all(r);
	cairn_agent_on_grid(r->agent, &grid);
	uint32_t calls = r->calls;
	ck_assert(run_survey(r, 600.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_DONE);
	ck_assert_uint_eq(r->calls, calls);
	cairn_text_free(&file);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("agent survey", the_view_that_shows_most_for_the_way_comes_first_and_the_camera_faces_it,
    a_look_takes_two_pictures_and_not_those_of_the_way,
    who_gets_no_picture_waits_five_seconds_and_has_not_looked,
    the_second_room_is_seen_in_six_looks_and_then_it_is_over,
    a_view_that_fails_is_left_out_and_one_that_a_person_held_up_is_not,
    what_failed_is_tried_again_by_the_next_survey, a_robot_that_cannot_drive_gives_up,
    a_survey_asks_no_model_and_sums_up, a_survey_that_is_paused_goes_on_and_one_that_is_stopped_is_over,
    without_pictures_a_survey_says_why_it_cannot, a_survey_goes_on_after_its_process_was_killed)
