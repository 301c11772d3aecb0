/* Whole episodes of the agent's core against the scripted scholar, and each way in which one ends. */
#include <math.h>

#include "test/support/agent_rig.h"
#include "test/support/runner.h"

START_TEST(a_thing_is_searched_for_found_and_told_with_its_evidence)
{
	struct rig *r = rig_house();
	rig_task(r, "Where is the sofa?");
	ck_assert(rig_run(r, 120.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_DONE);
	ck_assert_str_eq(r->out.answer, "The sofa is in the hall (room_1).");
	ck_assert_str_eq(r->out.evidence, "sofa_1 room_1");
	ck_assert_uint_eq(r->decisions, 3);  /* the nearest openings first; the fourth was not needed */
	ck_assert_uint_eq(r->out.steps, 24); /* three drives of 2 m */
	ck_assert_uint_eq(r->out.queries, r->calls);
	ck_assert_uint_gt(r->out.tokens_in, 10000);
	ck_assert_double_gt(r->out.usd, 0.0);
	uint64_t sum = 0;
	for (int q = 0; q < CAIRN_AGENT_QUERY_COUNT; q++)
		sum += cairn_agent_tokens_in(r->agent, q);
	ck_assert_uint_eq(sum, r->out.tokens_in);
	ck_assert_uint_gt(cairn_agent_tokens_in(r->agent, CAIRN_AGENT_QUERY_EXPLORE), 0);
	rig_free(r);
}
END_TEST

START_TEST(what_is_not_there_is_only_denied_when_nothing_is_left_to_see)
{
	struct rig *r = rig_house();
	rig_task(r, "Is there a bathtub?");
	ck_assert(rig_run(r, 120.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_DONE);
	ck_assert_uint_eq(r->decisions, RIG_OPENINGS);
	ck_assert_ptr_nonnull(strstr(r->out.answer, "No bathtub was seen"));
	ck_assert_str_eq(r->out.evidence, "room_1");
	rig_free(r);
}
END_TEST

START_TEST(things_are_counted_when_all_was_seen)
{
	struct rig *r = rig_house();
	rig_task(r, "how many chairs are in the hall?");
	ck_assert(rig_run(r, 120.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_DONE);
	ck_assert_str_eq(r->out.answer, "2 chairs were seen.");
	ck_assert_str_eq(r->out.evidence, "chair_1 chair_2");
	rig_free(r);
}
END_TEST

START_TEST(what_is_seen_decides_and_not_what_is_usual)
{
	struct rig *r = rig_house();
	r->hidden[2] = (struct rig_hidden){"kettle_1", "kettle", "red", "room_1"}; /* names changed round */
	rig_task(r, "What colour is the sofa?");
	ck_assert(rig_run(r, 120.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_HANDOFF);
	rig_task(r, "What colour is the kettle?");
	ck_assert(rig_run(r, 120.0));
	ck_assert_str_eq(r->out.answer, "The kettle is red.");
	ck_assert_str_eq(r->out.evidence, "kettle_1");
	rig_free(r);
}
END_TEST

START_TEST(what_it_does_not_know_it_hands_back_with_what_was_tried)
{
	struct rig *r = rig_house();
	rig_task(r, "Make me happy");
	ck_assert(rig_run(r, 60.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_HANDOFF);
	ck_assert_ptr_nonnull(strstr(r->out.answer, "I do not know"));
	rig_task(r, "Where is the piano?");
	ck_assert(rig_run(r, 120.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_HANDOFF);
	ck_assert_ptr_nonnull(strstr(r->out.answer, "Tried: "));
	ck_assert_str_eq(r->out.evidence, "");
	rig_free(r);
}
END_TEST

START_TEST(a_plan_that_brings_nothing_is_revised_and_given_up_in_the_end)
{
	struct rig *r = rig_house();
	r->refuses = true;
	rig_task(r, "Where is the sofa?");
	ck_assert(rig_run(r, 300.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_HANDOFF);
	ck_assert_uint_eq(r->out.revisions, (unsigned)r->cfg.agent.revisions_max);
	ck_assert_ptr_nonnull(strstr(r->out.answer, "nothing new"));
	ck_assert_uint_le(r->out.queries, 60);
	rig_free(r);
}
END_TEST

START_TEST(a_service_that_does_not_count_or_does_not_answer_costs_what_we_estimate)
{
	double usd[2];
	for (int uncounted = 0; uncounted < 2; uncounted++) {
		struct rig *r = rig_house();
		r->uncounted = uncounted == 1;
		rig_task(r, "Where is the sofa?");
		ck_assert(rig_run(r, 120.0));
		ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_DONE);
		usd[uncounted] = r->out.usd;
		rig_free(r);
	}
	ck_assert_double_ge(usd[1], 0.9 * usd[0]);
	struct rig *r = rig_house();
	r->status = 503;
	rig_task(r, "Where is the sofa?");
	ck_assert(rig_run(r, 300.0));
	ck_assert_int_eq(r->out.limit, CAIRN_AGENT_LIMIT_SERVICE);
	ck_assert_uint_gt(r->out.tokens_in, 1000 * r->out.queries);
	ck_assert_double_gt(r->out.usd, 0.0);
	rig_free(r);
}
END_TEST

START_TEST(each_limit_ends_an_episode_and_is_told_apart)
{
	static const enum cairn_agent_limit limits[] = {CAIRN_AGENT_LIMIT_STEPS, CAIRN_AGENT_LIMIT_USD,
	    CAIRN_AGENT_LIMIT_WALL, CAIRN_AGENT_LIMIT_QUERIES, CAIRN_AGENT_LIMIT_ERRORS,
	    CAIRN_AGENT_LIMIT_SERVICE};
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct rig *r = rig_house();
		struct cairn_config_agent *c = &r->cfg.agent;
		c->limit_steps = limits[i] == CAIRN_AGENT_LIMIT_STEPS ? 10 : c->limit_steps;
		c->limit_usd = limits[i] == CAIRN_AGENT_LIMIT_USD ? 0.002 : c->limit_usd;
		c->limit_wall_s = limits[i] == CAIRN_AGENT_LIMIT_WALL ? 3.0 : c->limit_wall_s;
		c->limit_queries = limits[i] == CAIRN_AGENT_LIMIT_QUERIES ? 4 : c->limit_queries;
		r->status = limits[i] == CAIRN_AGENT_LIMIT_SERVICE ? 503 : 200;
		if (limits[i] == CAIRN_AGENT_LIMIT_ERRORS) {
			r->reply_to = CAIRN_AGENT_NEXT_STEP;
			r->reply = "{\"kind\":\"fly\",\"step\":\"1\"}";
		}
		rig_task(r, "Where is the sofa?");
		ck_assert_msg(rig_run(r, 300.0), "%d", (int)limits[i]);
		ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_FAILED);
		ck_assert_msg(r->out.limit == limits[i], "%s instead of %s: %s",
		    cairn_enum_text(&cairn_enum_agent_limit, (int)r->out.limit),
		    cairn_enum_text(&cairn_enum_agent_limit, (int)limits[i]), r->out.answer);
		ck_assert_str_ne(r->out.answer, "");
		ck_assert_double_le(r->out.usd, c->limit_usd);
		ck_assert_uint_le(r->out.queries, (unsigned)c->limit_queries);
		rig_free(r);
	}
}
END_TEST

START_TEST(a_day_that_is_spent_ends_an_episode_before_it_asks)
{
	struct rig *r = rig_house();
	struct cairn_msg_vlm_stats stats = {.usd_day = 2.9999};
	rig_task(r, "Where is the sofa?");
	cairn_agent_on_vlm_stats(r->agent, &stats);
	ck_assert(rig_run(r, 300.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_FAILED);
	ck_assert_int_eq(r->out.limit, CAIRN_AGENT_LIMIT_USD);
	ck_assert_ptr_nonnull(strstr(r->out.answer, "vlm.limit_usd_per_day"));
	ck_assert_uint_eq(r->out.queries, 0);
	rig_free(r);
}
END_TEST

START_TEST(an_answer_needs_evidence_that_the_graph_has)
{
	static const char *const lies[] = {
	    "{\"verdict\":\"accomplished\",\"claim\":\"found\",\"answer\":\"on the "
	    "moon\",\"evidence\":[\"sofa_9\"],\"confidence\":1,\"missing\":null}",
	    "{\"verdict\":\"accomplished\",\"claim\":\"found\",\"answer\":\"here\",\"evidence\":[],"
	    "\"confidence\":1,\"missing\":"
	    "null}",
	    "{\"verdict\":\"accomplished\",\"claim\":\"found\",\"answer\":null,\"evidence\":[\"room_1\"],"
	    "\"confidence\":1,"
	    "\"missing\":null}"};
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct rig *r = rig_house();
		r->reply_to = CAIRN_AGENT_VERIFY_TASK;
		r->reply = lies[i];
		rig_task(r, "Where is the sofa?");
		ck_assert(rig_run(r, 120.0));
		ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_FAILED);
		ck_assert_int_eq(r->out.limit, CAIRN_AGENT_LIMIT_ERRORS);
		rig_free(r);
	}
}
END_TEST

START_TEST(a_model_that_loops_is_not_paid_for_the_same_query_twice)
{
	struct rig *r = rig_house();
	r->reply_to = CAIRN_AGENT_VERIFY_TASK; /* never content, and never says anything new */
	r->reply = "{\"verdict\":\"not_yet\",\"claim\":\"found\",\"answer\":null,\"evidence\":[],"
		   "\"confidence\":0,\"missing\":\"x\"}";
	r->frontiers.items_count = 0;
	rig_tell_all(r);
	rig_task(r, "Where is the sofa?");
	ck_assert(rig_run(r, 600.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_HANDOFF);
	ck_assert_uint_eq(r->out.revisions, (unsigned)r->cfg.agent.revisions_max);
	ck_assert_uint_le(r->out.queries, 30);
	ck_assert_uint_gt(r->out.repeated, 5); /* its finish and its doubt, over and over, for nothing */
	rig_free(r);
}
END_TEST

START_TEST(what_was_answered_in_one_episode_is_not_taken_for_another)
{
	struct rig *r = rig_house();
	r->frontiers.items_count = 0;
	rig_tell_all(r);
	rig_task(r, "Is there a sofa?");
	ck_assert(rig_run(r, 60.0));
	uint32_t calls = r->calls;
	/* The same task again is an episode of its own, and paid; nothing of the first is taken for it. */
	rig_task(r, "Is there a sofa?");
	ck_assert(rig_run(r, 60.0));
	ck_assert_uint_eq(r->calls, 2 * calls);
	ck_assert_uint_eq(r->out.queries + r->out.repeated, calls);
	rig_free(r);
}
END_TEST

START_TEST(one_choice_of_openings_is_driven_on_until_a_thing_of_the_labels_is_seen)
{
	struct rig *r = rig_house();
	r->reply_to = CAIRN_AGENT_CHOOSE_OPENING;
	r->reply =
	    "{\"analysis\":\"-\",\"letters\":[\"D\",\"B\",\"C\",\"A\"],\"later\":[],\"until\":\"thing\"}";
	rig_task(r, "Where is the sofa?"); /* behind the third opening, C */
	ck_assert(rig_run(r, 120.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_DONE);
	ck_assert_uint_eq(
	    r->decisions, 3); /* A, B, C: all are promising, and the nearest shows the most for its way */
	const char *asked = r->bodies.data;
	uint32_t times = 0;
	for (; (asked = strstr(asked, "\"function\":{\"name\":\"choose_opening\"}}")) != NULL; asked++)
		times++;
	ck_assert_uint_eq(times, 1);
	rig_free(r);
}
END_TEST

START_TEST(letters_that_are_none_are_told_so_and_move_nothing)
{
	struct rig *r = rig_house();
	r->reply_to = CAIRN_AGENT_CHOOSE_OPENING;
	r->reply = "{\"analysis\":\"-\",\"letters\":[\"Z\",\"the door\"],\"later\":[],\"until\":\"all\"}";
	rig_task(r, "Where is the sofa?");
	ck_assert(rig_run(r, 120.0));
	ck_assert_int_eq(r->out.limit, CAIRN_AGENT_LIMIT_ERRORS);
	ck_assert_uint_eq(r->decisions, 0);
	rig_free(r);
}
END_TEST

START_TEST(what_is_absent_and_how_many_is_not_believed_while_openings_are_left)
{
	static const char *const claims[] = {
	    "{\"verdict\":\"accomplished\",\"claim\":\"absent\",\"answer\":\"There is "
	    "none.\",\"evidence\":[\"room_1\"],\"confidence\":1,\"missing\":null}",
	    "{\"verdict\":\"accomplished\",\"claim\":\"count\",\"answer\":\"One.\",\"evidence\":[\"room_1\"],"
	    "\"confidence\":1,\"missing\":null}",
	    "{\"verdict\":\"accomplished\",\"claim\":\"found\",\"answer\":\"No, it is "
	    "not.\",\"evidence\":[\"room_1\"],\"confidence\":1,\"missing\":null}"};
	for (size_t i = 0; i < 2 * sizeof(claims) / sizeof(claims[0]); i++) {
		struct rig *r = rig_house();
		bool left = i % 2 == 0;
		rig_node(r, CAIRN_SCENE_KIND_OBJECT, "sofa_1", "sofa", "", "room_1", 3.0, 1.0);
		r->frontiers.items_count = left ? 2 : 0;
		rig_tell_all(r);
		r->reply_to = CAIRN_AGENT_VERIFY_TASK;
		r->reply = claims[i / 2];
		rig_task(r, "Where is the sofa?");
		ck_assert(rig_run(r, 120.0));
		ck_assert_int_eq(r->out.state, left ? CAIRN_AGENT_STATE_FAILED : CAIRN_AGENT_STATE_DONE);
		ck_assert(!left || strstr(r->bodies.data, "2 openings are left") != NULL);
		rig_free(r);
	}
}
END_TEST

static bool picture(void *ctx, uint64_t number, const uint8_t **ret_jpeg, size_t *ret_bytes)
{
	static const uint8_t jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9};
	(void)ctx;
	*ret_jpeg = jpeg;
	*ret_bytes = sizeof(jpeg);
	return number == 12;
}

START_TEST(a_picture_is_sent_once_and_told_in_words_afterwards)
{
	struct rig *r = rig_house();
	cairn_agent_on_picture(r->agent, picture, NULL);
	rig_node(r, CAIRN_SCENE_KIND_OBJECT, "sofa_1", "sofa", "", "room_1", 1.0, 1.0);
	r->scene.nodes[r->scene.nodes_count - 1].picture = 12;
	rig_tell_all(r);
	r->act_tool = "look_at_pictures";
	r->act_reply = "{\"pictures\":[\"sofa_1\",\"99\"],\"question\":\"Is it red?\"}";
	rig_task(r, "Where is the sofa?");
	ck_assert(rig_run(r, 60.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_DONE);
	const char *first = strstr(r->bodies.data, "data:image/jpeg;base64,");
	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_null(strstr(first + 1, "data:image/jpeg;base64,"));
	ck_assert_ptr_nonnull(strstr(r->bodies.data, "Picture 12:"));
	ck_assert_ptr_nonnull(strstr(first, "Overall: I am a script and cannot see pictures"));
	ck_assert_uint_gt(cairn_agent_tokens_in(r->agent, CAIRN_AGENT_QUERY_LOOK), 0);
	rig_free(r);
}
END_TEST

START_TEST(it_drives_to_where_a_thing_is_seen_from_and_faces_it)
{
	struct rig *r = rig_house();
	rig_node(r, CAIRN_SCENE_KIND_OBJECT, "sofa_1", "sofa", "", "room_1", 3.0, 1.0);
	rig_node(r, CAIRN_SCENE_KIND_PLACE, "place_4", "", "", "room_1", 3.0, 2.0);
	r->scene.nodes[r->scene.nodes_count - 1].yaw_rad = -M_PI / 2.0;
	r->scene.edges[r->scene.edges_count++] =
	    (struct cairn_msg_scene_edge){"sofa_1", CAIRN_SCENE_RELATION_AT_PLACE, "place_4"};
	rig_node(r, CAIRN_SCENE_KIND_OBJECT, "cat_2", "cat", "", "room_1", 3.0, 1.0);
	r->scene.edges[r->scene.edges_count++] =
	    (struct cairn_msg_scene_edge){"cat_2", CAIRN_SCENE_RELATION_ON, "sofa_1"};
	rig_tell_all(r);
	r->act_tool = "go_to";
	r->act_reply = "{\"name\":\"sofa_1\",\"x_m\":null,\"y_m\":null}";
	rig_task(r, "Where is the sofa?");
	struct cairn_msg_decision d[2];
	uint32_t n = 0;
	for (int i = 0; i < 600 && !rig_over(r); i++) {
		uint32_t before = r->decisions;
		rig_tick(r);
		if (r->decisions > before && n < 2)
			d[n++] = r->driving;
	}
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_DONE);
	ck_assert_uint_eq(r->decisions, 2);
	ck_assert_ptr_nonnull(strstr(r->bodies.data, "at (3.0, 1.0), seen 4 times, with cat_2 on it"));
	ck_assert_int_eq(d[0].tool, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	ck_assert(d[0].x_m == 3.0 && d[0].y_m == 2.0 && d[0].source == CAIRN_SOURCE_AGENT);
	ck_assert_int_eq(d[1].tool, CAIRN_TOOL_ROTATE);
	ck_assert(d[1].absolute &&
		  fabs(d[1].angle_deg - 90.0) < 1e-9); /* to the right of the start's heading: east */
	ck_assert_uint_gt(d[1].id, d[0].id);
	ck_assert_int_ge(d[1].t_snapshot_ns, d[0].t_snapshot_ns + 2 * CAIRN_NS_PER_S);
	rig_free(r);
}
END_TEST

START_TEST(what_cannot_be_driven_to_is_told_and_moves_nothing)
{
	static const char *const calls[][2] = {{"go_to", "{\"name\":\"piano\",\"x_m\":null,\"y_m\":null}"},
	    {"go_to", "{\"name\":null,\"x_m\":1,\"y_m\":null}"}, {"explore", "{\"letter\":\"Z\"}"},
	    {"object", "{\"id\":\"piano_1\"}"}, {"room", "{\"name\":\"cellar\"}"}};
	static const char *const says[] = {"nothing known is called 'piano'", "needs a name",
	    "there is no opening 'Z'", "No thing 'piano_1' is known. Known things: sofa_1",
	    "No room 'cellar' is known. Known rooms: room_1"};
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct rig *r = rig_house();
		rig_node(r, CAIRN_SCENE_KIND_OBJECT, "sofa_1", "sofa", "", "room_1", 3.0, 1.0);
		rig_tell_all(r);
		r->act_tool = calls[i][0];
		r->act_reply = calls[i][1];
		rig_task(r, "Where is the sofa?");
		ck_assert(rig_run(r, 60.0));
		ck_assert_msg(strstr(r->bodies.data, says[i]) != NULL, "%s %s is not answered '%s'",
		    calls[i][0], calls[i][1], says[i]);
		ck_assert_uint_eq(r->decisions, 0);
		ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_DONE);
		rig_free(r);
	}
}
END_TEST

START_TEST(the_static_prefix_is_the_same_for_every_query)
{
	struct rig *r = rig_house();
	rig_task(r, "Where is the sofa?");
	ck_assert(rig_run(r, 120.0));
	const char *first = NULL;
	size_t lines = 0, same = 0, n = 0;
	for (char *at = r->bodies.data, *end; (end = strchr(at, '\n')) != NULL; at = end + 1, lines++) {
		char *tools = strstr(at, "\"tools\":"), *user = strstr(at, "{\"role\":\"user\"");
		ck_assert(tools != NULL && user != NULL && user < end);
		n = first == NULL ? (size_t)(user - tools) : n;
		first = first == NULL ? tools : first;
		same += (size_t)(user - tools) == n && memcmp(first, tools, n) == 0;
	}
	ck_assert_uint_gt(lines, 8);
	ck_assert_uint_eq(same, lines);
	ck_assert_uint_gt(n / 4, 1024); /* tokens, roughly: what providers cache from on */
	rig_free(r);
}
END_TEST

/* A sofa comes in sight one second into the first drive, which would take two. */
START_TEST(a_drive_is_broken_off_when_what_is_looked_for_comes_in_sight)
{
	struct rig *r = rig_house();
	rig_task(r, "Where is the sofa?");
	for (int i = 0; i < 600 && r->driving.id == 0; i++)
		rig_tick(r);
	ck_assert_uint_ne(r->driving.id, 0);
	for (int i = 0; i < 10; i++)
		rig_tick(r);
	rig_node(r, CAIRN_SCENE_KIND_OBJECT, "sofa_7", "sofa", "red", "room_1", 3.0, 1.0);
	cairn_agent_on_scene(r->agent, &r->scene);
	ck_assert(rig_run(r, 60.0));
	ck_assert_uint_eq(r->called_off, 1);
	ck_assert_uint_eq(r->busy_refusals, 0);
	ck_assert_str_eq(r->out.evidence, "sofa_7 room_1");
	ck_assert_uint_eq(r->out.steps, 4);                        /* the metre that was driven counts */
	ck_assert_uint_eq(r->frontiers.items_count, RIG_OPENINGS); /* nothing was looked into */
	rig_free(r);
}
END_TEST

START_TEST(what_is_kept_for_later_is_looked_into_last)
{
	struct rig *r = rig_house();
	r->reply_to = CAIRN_AGENT_CHOOSE_OPENING;
	r->reply = "{\"reasoning\":\"r\",\"analysis\":\"a\",\"letters\":[\"D\"],\"later\":[\"A\"],\"until\":"
		   "\"all\"}";
	r->hidden[3] = (struct rig_hidden){0};
	rig_task(r, "Where is the piano?");
	for (int i = 0; i < 600 && r->driving.id == 0; i++)
		rig_tick(r);
	ck_assert_uint_eq(r->driving.frontier_id, 13); /* the farthest: it is the promising one */
	uint32_t first = r->decisions;
	for (int i = 0; i < 600 && r->decisions == first; i++)
		rig_tick(r);
	ck_assert_uint_eq(r->driving.frontier_id, 10);
	rig_free(r);
}
END_TEST

START_TEST(it_speaks_where_there_is_a_voice_and_is_told_where_there_is_none)
{
	for (int voice = 0; voice < 2; voice++) {
		struct rig *r = rig_house();
		struct cairn_msg_spoken spoken = {0};
		struct cairn_msg_say say = {0};
		bool said = false;
		r->frontiers.items_count = 0;
		rig_tell_all(r);
		r->act_tool = "say";
		r->act_reply = "{\"words\":\"I am looking for the sofa.\"}";
		rig_task(r, "Where is the sofa?");
		for (int i = 0; i < 300 && !rig_over(r); i++) {
			if (voice == 1)
				cairn_agent_on_spoken(r->agent, &spoken, r->now_ns);
			rig_tick(r);
			said |= cairn_agent_take_say(r->agent, &say);
		}
		ck_assert_int_eq(said, voice);
		ck_assert_str_eq(say.text, voice == 1 ? "I am looking for the sofa." : "");
		ck_assert(!say.hush && say.urgency == CAIRN_URGENCY_NEWS);
		ck_assert_ptr_nonnull(
		    strstr(r->bodies.data, voice == 1 ? "It is being said" : "this robot has no voice now"));
		ck_assert(!cairn_agent_take_say(r->agent, &say)); /* once */
		rig_free(r);
	}
}
END_TEST

CAIRN_TEST_MAIN("agent", one_choice_of_openings_is_driven_on_until_a_thing_of_the_labels_is_seen,
    letters_that_are_none_are_told_so_and_move_nothing,
    what_is_absent_and_how_many_is_not_believed_while_openings_are_left,
    a_thing_is_searched_for_found_and_told_with_its_evidence,
    what_is_not_there_is_only_denied_when_nothing_is_left_to_see, things_are_counted_when_all_was_seen,
    what_is_seen_decides_and_not_what_is_usual, what_it_does_not_know_it_hands_back_with_what_was_tried,
    a_plan_that_brings_nothing_is_revised_and_given_up_in_the_end,
    a_service_that_does_not_count_or_does_not_answer_costs_what_we_estimate,
    each_limit_ends_an_episode_and_is_told_apart, a_day_that_is_spent_ends_an_episode_before_it_asks,
    an_answer_needs_evidence_that_the_graph_has, a_model_that_loops_is_not_paid_for_the_same_query_twice,
    what_was_answered_in_one_episode_is_not_taken_for_another,
    a_picture_is_sent_once_and_told_in_words_afterwards, it_drives_to_where_a_thing_is_seen_from_and_faces_it,
    what_cannot_be_driven_to_is_told_and_moves_nothing, the_static_prefix_is_the_same_for_every_query,
    a_drive_is_broken_off_when_what_is_looked_for_comes_in_sight, what_is_kept_for_later_is_looked_into_last,
    it_speaks_where_there_is_a_voice_and_is_told_where_there_is_none)
