/* Tasks for an arm: the agent's core, its reasoner, and what it believes of what was done. */
#include <math.h>

#include "test/support/agent_rig.h"
#include "test/support/runner.h"

/* A cabinet that is known, a floor around it, and an arm that does what it is asked for. */
static struct rig *workshop_with(bool arm, bool wall)
{
	static uint8_t cells[160 * 160];
	struct rig *r = rig_new();
	struct cairn_scene_grid grid = {cells, 160, 160, -4.0, -4.0, 0.05};
	r->cfg.robot.arm_reach_m = arm ? 0.8 : 0.0;
	r->cfg.robot.camera_z_m = 0.6;
	r->frontiers.items_count = 0;
	rig_node(r, CAIRN_SCENE_KIND_OBJECT, "cabinet_1", "cabinet", "", "room_1", 2.0, 0.0);
	struct cairn_msg_scene_node *n = &r->scene.nodes[r->scene.nodes_count - 1];
	const float box[6] = {1.8f, -0.4f, 0.0f, 2.2f, 0.4f, 0.9f};
	memcpy(n->box_m, box, sizeof(box));
	n->box_m_count = 6;
	n->container = n->occludes = true;
	for (int y = 0; y < 160; y++)
		for (int x = 0; x < 160; x++)
			cells[y * 160 + x] = x == 0 || y == 0 || x == 159 || y == 159 ||
						     (x >= 116 && x < 124 && y >= 72 && y < 88)
						 ? 100
						 : 0;
	for (int y = 0; y < 160 && wall; y++)
		for (int x = 98; x < 106; x++)
			cells[y * 160 + x] = 100;
	rig_tell_all(r);
	cairn_agent_on_grid(r->agent, &grid);
	return r;
}

static struct rig *workshop(bool arm)
{
	return workshop_with(arm, false);
}

/* The detector's answers come late_ns behind their pictures. */
static uint32_t work_late(
    struct rig *r, double seconds, enum cairn_outcome outcome, int64_t late_ns, int64_t *ret_wish_ns)
{
	struct cairn_msg_skill_request wish;
	struct cairn_msg_detections seen = {.hfov_rad = 1.0};
	uint32_t wishes = 0;
	for (int i = 0; i < (int)(seconds * 10.0) && !rig_over(r); i++) {
		struct cairn_msg_scene_node *n = &r->scene.nodes[r->scene.nodes_count - 1];
		n->last_unix_s = (double)r->now_ns * 1e-9;
		if (i % 5 == 0) {
			cairn_agent_on_detections(r->agent, &seen, r->now_ns - late_ns);
			cairn_agent_on_scene(r->agent, &r->scene);
		}
		rig_tick(r);
		if (!cairn_agent_take_wish(r->agent, &wish))
			continue;
		wishes++;
		*ret_wish_ns = r->now_ns;
		ck_assert(wish.verb == CAIRN_SKILL_VERB_OPEN || wish.verb == CAIRN_SKILL_VERB_GRASP);
		ck_assert_str_eq(wish.target, "cabinet");
		ck_assert(fabs(wish.x_m - 2.0) < 1e-6 && wish.task_id == r->mission.task_id);
		struct cairn_msg_skill_result result = {
		    .id = wish.id, .task_id = wish.task_id, .verb = wish.verb, .outcome = outcome};
		snprintf(result.reason, sizeof(result.reason), "as the test says");
		cairn_agent_on_skill_result(r->agent, &result);
	}
	return wishes;
}

/* Until it is over: each half second a picture that shows the cabinet. Wishes are answered; how many there were. */
static uint32_t work(struct rig *r, double seconds, enum cairn_outcome outcome)
{
	int64_t wish_ns;
	return work_late(r, seconds, outcome, 0, &wish_ns);
}

static int64_t wish_of_a_cabinet_ns(int64_t late_ns)
{
	int64_t wish_ns = 0;
	struct rig *r = workshop(true);
	int64_t begun_ns = r->now_ns;
	rig_task(r, "Open the cabinet");
	ck_assert_uint_eq(work_late(r, 120.0, CAIRN_OUTCOME_SUCCESS, late_ns, &wish_ns), 1);
	rig_free(r);
	return wish_ns - begun_ns;
}

START_TEST(a_picture_from_before_the_robot_stood_is_no_look)
{
	const int64_t late_ns = 4000000000;
	ck_assert_int_ge(wish_of_a_cabinet_ns(late_ns), wish_of_a_cabinet_ns(0) + late_ns);
}
END_TEST

START_TEST(a_reasoner_goes_looks_and_asks_the_arm)
{
	struct rig *r = workshop(true);
	rig_task(r, "Open the cabinet");
	ck_assert_uint_eq(work(r, 120.0, CAIRN_OUTCOME_SUCCESS), 1);
	ck_assert_msg(r->out.state == CAIRN_AGENT_STATE_DONE, "%s", r->out.answer);
	ck_assert_str_eq(r->out.answer, "Done: open cabinet.");
	ck_assert_ptr_nonnull(strstr(r->out.evidence, "cabinet_1"));
	ck_assert_uint_ge(r->decisions, 1);
	ck_assert_uint_le(r->out.queries, 4); /* open, conclude, verify */
	rig_free(r);
}
END_TEST

START_TEST(what_the_arm_refuses_is_tried_otherwise_and_never_called_done)
{
	struct rig *r = workshop(true);
	rig_task(r, "Open the cabinet");
	ck_assert_uint_gt(work(r, 600.0, CAIRN_OUTCOME_REFUSED), 2); /* once more, from elsewhere */
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_HANDOFF);
	/* A person answers, and it goes on with the same task. */
	rig_task(r, "answer: it was stuck, try again");
	uint32_t calls = r->calls;
	(void)work(r, 600.0, CAIRN_OUTCOME_SUCCESS);
	ck_assert_uint_gt(r->calls, calls);
	ck_assert_ptr_nonnull(
	    strstr(r->bodies.data, "a person was asked, and says: it was stuck, try again"));
	ck_assert_str_eq(r->out.task, "Open the cabinet");
	rig_free(r);
}
END_TEST

START_TEST(a_model_that_says_done_is_not_believed_where_no_skill_has_succeeded)
{
	struct rig *r = workshop(true);
	r->act_tool = "conclude";
	r->act_reply = "{\"summary\":\"it is open\",\"new_information\":true}";
	r->reply_to = CAIRN_AGENT_VERIFY_TASK;
	r->reply = "{\"verdict\":\"accomplished\",\"claim\":\"done\",\"answer\":\"It is open.\","
		   "\"evidence\":[\"cabinet_1\"],\"confidence\":1,\"missing\":null}";
	rig_task(r, "Open the cabinet");
	ck_assert_uint_eq(work(r, 60.0, CAIRN_OUTCOME_SUCCESS), 0);
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_FAILED);
	ck_assert_int_eq(r->out.limit, CAIRN_AGENT_LIMIT_ERRORS);
	ck_assert_ptr_nonnull(strstr(r->bodies.data, "no skill 'open' has succeeded"));
	rig_free(r);
}
END_TEST

static const char says_done[] = "{\"verdict\":\"accomplished\",\"claim\":\"done\",\"answer\":\"Done.\","
				"\"evidence\":[\"cabinet_1\"],\"confidence\":1,\"missing\":null}";

/* The arm opens the cabinet, and the model says that it has done what the task asks for. Believed: only what it is. */
START_TEST(a_skill_that_has_succeeded_proves_only_what_it_did)
{
	static const struct {
		const char *task;
		bool believed;
	} cases[] = {{"Open the cabinet", true}, {"Please open the cabinets!", true},
	    {"can you open the cupboard?", true}, /* another word for it */
	    {"Close the cabinet", false}, {"Open the fridge", false}, {"Bring me the cabinet", false},
	    {"Open the cabinet and bring me the glass", false}, {"Make the cabinet accessible", true},
	    {"Make coffee", false}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig *r = workshop(true);
		r->act_tool = "open";
		r->act_reply = "{\"thing\":\"cabinet\",\"likely\":[]}";
		rig_task(r, cases[i].task);
		for (int k = 0; k < 60 && r->act_tool != NULL; k++)
			(void)work(r, 0.5, CAIRN_OUTCOME_SUCCESS);
		(void)work(r, 1.0, CAIRN_OUTCOME_SUCCESS);
		r->act_tool = "conclude";
		r->act_reply = "{\"summary\":\"it is done\",\"new_information\":true}";
		r->reply_to = CAIRN_AGENT_VERIFY_TASK;
		r->reply = says_done;
		(void)work(r, 60.0, CAIRN_OUTCOME_SUCCESS);
		ck_assert_msg((r->out.state == CAIRN_AGENT_STATE_DONE) == cases[i].believed, "%s: %s",
		    cases[i].task, r->out.answer);
		rig_free(r);
	}
}
END_TEST

/* An arm of somebody's own, which does not tell what is in its hand. */
START_TEST(what_was_taken_is_in_the_hand_and_not_put_anywhere)
{
	static const struct {
		const char *task;
		bool believed;
	} cases[] = {{"Take the cabinet", true}, {"Put the cabinet into the hall", false}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig *r = workshop(true);
		r->act_tool = "grasp";
		r->act_reply = "{\"thing\":\"cabinet\",\"likely\":[]}";
		r->reply_to = CAIRN_AGENT_VERIFY_TASK;
		r->reply = says_done;
		rig_task(r, cases[i].task);
		ck_assert_uint_ge(work(r, 120.0, CAIRN_OUTCOME_SUCCESS), 1);
		ck_assert_msg((r->out.state == CAIRN_AGENT_STATE_DONE) == cases[i].believed, "%s: %s",
		    cases[i].task, r->out.answer);
		rig_free(r);
	}
}
END_TEST

START_TEST(what_was_found_is_no_proof_of_what_was_to_be_done)
{
	struct rig *r = workshop(true);
	r->act_tool = "conclude";
	r->act_reply = "{\"summary\":\"there it is\",\"new_information\":true}";
	r->reply_to = CAIRN_AGENT_VERIFY_TASK;
	r->reply = "{\"verdict\":\"accomplished\",\"claim\":\"found\",\"answer\":\"The cabinet is open.\","
		   "\"evidence\":[\"cabinet_1\"],\"confidence\":1,\"missing\":null}";
	rig_task(r, "Open the cabinet");
	(void)work(r, 60.0, CAIRN_OUTCOME_SUCCESS);
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_FAILED);
	rig_free(r);
}
END_TEST

START_TEST(a_robot_without_an_arm_offers_no_skill_and_says_so)
{
	struct rig *r = workshop(false);
	r->act_tool = "open";
	r->act_reply = "{\"thing\":\"cabinet\",\"likely\":[]}";
	rig_task(r, "Open the cabinet");
	ck_assert_uint_eq(work(r, 60.0, CAIRN_OUTCOME_SUCCESS), 0);
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_HANDOFF);
	ck_assert_ptr_nonnull(strstr(r->bodies.data, "This robot has no arm"));
	ck_assert_ptr_nonnull(strstr(r->bodies.data, "'open' is no tool that may be called now"));
	ck_assert_uint_eq(r->decisions, 0);
	rig_free(r);
}
END_TEST

START_TEST(a_reasoner_that_was_killed_goes_on_with_what_is_done)
{
	for (double after_s = 0.3; after_s < 9.0; after_s += 0.9) {
		struct rig *r = workshop(true);
		struct cairn_text file = {0};
		struct cairn_error err = {""};
		rig_task(r, "Open the cabinet");
		(void)work(r, after_s, CAIRN_OUTCOME_SUCCESS);
		if (rig_over(r)) {
			rig_free(r);
			break;
		}
		ck_assert(cairn_agent_save(r->agent, &file));
		r->driving.id = r->mission.decision_id = 0;
		struct rig *again = workshop(true);
		again->mission = r->mission;
		again->now_ns = r->now_ns;
		ck_assert_msg(cairn_agent_load(again->agent, file.data, file.len, &err), "%s", err.text);
		(void)work(again, 120.0, CAIRN_OUTCOME_SUCCESS);
		ck_assert_msg(again->out.state == CAIRN_AGENT_STATE_DONE, "after %.1f s: %s", after_s,
		    again->out.answer);
		cairn_text_free(&file);
		rig_free(r);
		rig_free(again);
	}
}
END_TEST

/* The cabinet's middle is 2 m ahead of the robot, its face 1.8 m; the walls of the room are 4 m off. */
START_TEST(questions_about_space_are_answered_from_graph_and_map)
{
	static const struct {
		const char *tool, *about, *says;
		double yaw_rad;
		bool wall; /* 1 m ahead of the robot, as wide as the room */
		double camera_yaw_rad;
	} cases[] = {
	    {"can_see", "cabinet",
		"cabinet_1 is 2.0 m away, 0 deg to the right of the camera's middle: in sight", 0.0, false,
		0.0},
	    {"can_see", "cabinet",
		"cabinet_1 is 2.0 m away, 90 deg to the right of the camera's middle: not in the picture; "
		"turn to it",
		0.0, false, M_PI_2},
	    {"can_see", "cabinet",
		"cabinet_1 is 2.0 m away, 90 deg to the right of the camera's middle: not in the picture; "
		"turn to it",
		M_PI_2, false, 0.0},
	    {"can_see", "cabinet", "hidden by what the map shows between", 0.0, true, 0.0},
	    {"can_see", "fridge", "'fridge' is not in memory", 0.0, false, 0.0},
	    {"can_reach", "cabinet_1", "The arm gets at cabinet_1 from (", 0.0, false, 0.0},
	    {"best_view", "cabinet_1", "cabinet_1 is seen best from (", 0.0, false, 0.0},
	    {"way_to", "cabinet_1", "To cabinet_1: to (", 0.0, false, 0.0},
	    {"way_to", "attic", "'attic' is not in memory", 0.0, false, 0.0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig *r = workshop_with(true, cases[i].wall);
		char reply[96];
		r->cfg.robot.camera_yaw_rad = cases[i].camera_yaw_rad;
		struct cairn_msg_pose pose = {.tracking = CAIRN_TRACKING_GOOD, .yaw_rad = cases[i].yaw_rad};
		cairn_agent_on_pose(r->agent, &pose);
		snprintf(reply, sizeof(reply), "{\"%s\":\"%s\"}",
		    strcmp(cases[i].tool, "way_to") == 0 ? "name" : "thing", cases[i].about);
		r->act_tool = cases[i].tool;
		r->act_reply = reply;
		rig_task(r, "Where is the cabinet?");
		ck_assert(rig_run(r, 60.0));
		ck_assert_msg(strstr(r->bodies.data, cases[i].says) != NULL, "%s %s: %s", cases[i].tool,
		    cases[i].about, r->bodies.data);
		rig_free(r);
	}
}
END_TEST

START_TEST(the_mode_says_whether_a_plan_is_made)
{
	for (int plan = 0; plan < 2; plan++) {
		struct rig *r = workshop(plan == 1); /* each against what the arm would say */
		r->cfg.agent.mode =
		    plan == 1 ? CAIRN_CHOICE_AGENT_MODE_WORKFLOW : CAIRN_CHOICE_AGENT_MODE_REASONER;
		rig_task(r, "Where is the cabinet?");
		ck_assert(rig_run(r, 60.0));
		ck_assert_msg(r->out.state == CAIRN_AGENT_STATE_DONE, "%s", r->out.answer);
		ck_assert_int_eq(r->out.plan_count > 0, plan);
		ck_assert_int_eq(strstr(r->bodies.data, "This robot has no arm") != NULL, 1 - plan);
		rig_free(r);
	}
}
END_TEST

CAIRN_TEST_MAIN("agent deeds", a_picture_from_before_the_robot_stood_is_no_look,
    a_reasoner_goes_looks_and_asks_the_arm, what_the_arm_refuses_is_tried_otherwise_and_never_called_done,
    a_model_that_says_done_is_not_believed_where_no_skill_has_succeeded,
    a_skill_that_has_succeeded_proves_only_what_it_did, what_was_found_is_no_proof_of_what_was_to_be_done,
    what_was_taken_is_in_the_hand_and_not_put_anywhere, a_robot_without_an_arm_offers_no_skill_and_says_so,
    a_reasoner_that_was_killed_goes_on_with_what_is_done,
    questions_about_space_are_answered_from_graph_and_map, the_mode_says_whether_a_plan_is_made)
