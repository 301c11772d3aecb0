/* Whole episodes of the agent's core against the scripted scholar, and each way in which one ends. */
#include <math.h>
#include <unistd.h>

#include "test/support/agent_rig.h"
#include "test/support/runner.h"

static struct rig *house(void)
{
	struct rig *r = rig_new();
	r->hidden[1] = (struct rig_hidden){"chair_1", "chair", "", "room_1"};
	r->hidden[2] = (struct rig_hidden){"sofa_1", "sofa", "red", "room_1"};
	r->hidden[3] = (struct rig_hidden){"chair_2", "chair", "", "room_1"};
	return r;
}

START_TEST(a_thing_is_searched_for_found_and_told_with_its_evidence)
{
	struct rig *r = house();
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
	struct rig *r = house();
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
	struct rig *r = house();
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
	struct rig *r = house();
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
	struct rig *r = house();
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
	struct rig *r = house();
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

START_TEST(each_limit_ends_an_episode_and_is_told_apart)
{
	static const enum cairn_agent_limit limits[] = {CAIRN_AGENT_LIMIT_STEPS, CAIRN_AGENT_LIMIT_USD,
	    CAIRN_AGENT_LIMIT_WALL, CAIRN_AGENT_LIMIT_QUERIES, CAIRN_AGENT_LIMIT_ERRORS,
	    CAIRN_AGENT_LIMIT_SERVICE};
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct rig *r = house();
		struct cairn_config_agent *c = &r->cfg.agent;
		c->limit_steps = limits[i] == CAIRN_AGENT_LIMIT_STEPS ? 10 : c->limit_steps;
		c->limit_usd = limits[i] == CAIRN_AGENT_LIMIT_USD ? 0.004 : c->limit_usd;
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
	struct rig *r = house();
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
	    "{\"verdict\":\"accomplished\",\"answer\":\"on the "
	    "moon\",\"evidence\":[\"sofa_9\"],\"confidence\":1,\"missing\":null}",
	    "{\"verdict\":\"accomplished\",\"answer\":\"here\",\"evidence\":[],\"confidence\":1,\"missing\":"
	    "null}",
	    "{\"verdict\":\"accomplished\",\"answer\":null,\"evidence\":[\"room_1\"],\"confidence\":1,"
	    "\"missing\":null}"};
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct rig *r = house();
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
	struct rig *r = house();
	r->reply_to = CAIRN_AGENT_VERIFY_TASK; /* never content, and never says anything new */
	r->reply =
	    "{\"verdict\":\"not_yet\",\"answer\":null,\"evidence\":[],\"confidence\":0,\"missing\":\"x\"}";
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
	struct rig *r = house();
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
	struct rig *r = house();
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
	struct rig *r = house();
	rig_node(r, CAIRN_SCENE_KIND_OBJECT, "sofa_1", "sofa", "", "room_1", 3.0, 1.0);
	rig_node(r, CAIRN_SCENE_KIND_PLACE, "place_4", "", "", "room_1", 3.0, 2.0);
	r->scene.nodes[r->scene.nodes_count - 1].yaw_rad = -M_PI / 2.0;
	r->scene.edges[r->scene.edges_count++] =
	    (struct cairn_msg_scene_edge){"sofa_1", CAIRN_SCENE_RELATION_AT_PLACE, "place_4"};
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
		struct rig *r = house();
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

START_TEST(an_agent_that_was_killed_goes_on_where_it_was)
{
	for (double after_s = 0.3; after_s < 8.0; after_s += 0.7) {
		struct rig *r = house();
		struct cairn_text file = {0};
		struct cairn_error err = {""};
		rig_task(r, "Where is the sofa?");
		(void)rig_run(r, after_s);
		ck_assert(cairn_agent_save(r->agent, &file));
		cairn_agent_message(r->agent, r->now_ns, &r->out);
		uint32_t spent = r->out.queries;
		r->driving.id = r->mission.decision_id = 0; /* the sequencer has ended what it drove */
		cairn_agent_destroy(&r->agent);
		rig_agent(r);
		ck_assert_msg(cairn_agent_load(r->agent, file.data, file.len, &err), "%s", err.text);
		rig_tell_all(r);
		ck_assert(rig_run(r, 120.0));
		ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_DONE);
		ck_assert_str_eq(r->out.answer, "The sofa is in the hall (room_1).");
		ck_assert_uint_gt(r->out.queries, spent);
		cairn_text_free(&file);
		rig_free(r);
	}
}
END_TEST

START_TEST(a_damaged_file_is_refused)
{
	struct rig *r = house();
	struct cairn_text file = {0};
	struct cairn_error err = {""};
	rig_task(r, "Where is the sofa?");
	(void)rig_run(r, 5.0);
	ck_assert(cairn_agent_save(r->agent, &file));
	ck_assert(!cairn_agent_save(r->agent, &file) || file.len > 0);
	for (size_t i = 0; i < file.len; i += 1 + file.len / 200) {
		file.data[i] ^= 4;
		ck_assert(!cairn_agent_load(r->agent, file.data, file.len, &err));
		file.data[i] ^= 4;
		ck_assert(!cairn_agent_load(r->agent, file.data, i, &err));
	}
	ck_assert(cairn_agent_load(r->agent, file.data, file.len, &err));
	cairn_text_free(&file);
	rig_free(r);
}
END_TEST

START_TEST(it_waits_while_a_person_has_the_robot_and_gives_up_when_it_was_taken)
{
	struct rig *r = house();
	rig_task(r, "Where is the sofa?");
	(void)rig_run(r, 1.0);
	r->mission.state = CAIRN_MISSION_STATE_PAUSED;
	uint32_t calls = r->calls;
	ck_assert(!rig_run(r, 3000.0)); /* of 1800 that a task may take */
	ck_assert_uint_eq(r->calls, calls);
	r->mission.state = CAIRN_MISSION_STATE_TASK;
	(void)rig_run(r, 1.0);
	ck_assert_uint_gt(r->calls, calls);
	r->mission.state = CAIRN_MISSION_STATE_FINISHED;
	ck_assert(rig_run(r, 1.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_FAILED);
	ck_assert_int_eq(r->out.limit, CAIRN_AGENT_LIMIT_NONE);
	ck_assert_ptr_nonnull(strstr(r->out.answer, "finished"));
	rig_free(r);
}
END_TEST

START_TEST(a_recorded_episode_is_replayed_bit_for_bit)
{
	char path[] = "/tmp/cairn-episode-XXXXXX";
	struct cairn_error err = {""};
	struct rig *a = house(), *b = house();
	rig_task(a, "Where is the sofa?");
	ck_assert(rig_run(a, 120.0));
	int fd = mkstemp(path);
	ck_assert_int_eq(write(fd, a->record.data, a->record.len), (ssize_t)a->record.len);
	close(fd);
	b->replay = cairn_replay_open(path, &err);
	ck_assert_msg(b->replay != NULL, "%s", err.text);
	rig_task(b, "Where is the sofa?");
	ck_assert(rig_run(b, 120.0));
	ck_assert_str_eq(a->bodies.data, b->bodies.data);
	ck_assert_uint_eq(b->same, b->calls);
	ck_assert_str_eq(a->out.answer, b->out.answer);
	ck_assert_mem_eq(&a->out, &b->out, sizeof(a->out));
	unlink(path);
	rig_free(a);
	rig_free(b);
}
END_TEST

START_TEST(the_static_prefix_is_the_same_for_every_query)
{
	struct rig *r = house();
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

CAIRN_TEST_MAIN("agent", a_thing_is_searched_for_found_and_told_with_its_evidence,
    what_is_not_there_is_only_denied_when_nothing_is_left_to_see, things_are_counted_when_all_was_seen,
    what_is_seen_decides_and_not_what_is_usual, what_it_does_not_know_it_hands_back_with_what_was_tried,
    a_plan_that_brings_nothing_is_revised_and_given_up_in_the_end,
    each_limit_ends_an_episode_and_is_told_apart, a_day_that_is_spent_ends_an_episode_before_it_asks,
    an_answer_needs_evidence_that_the_graph_has, a_model_that_loops_is_not_paid_for_the_same_query_twice,
    what_was_answered_in_one_episode_is_not_taken_for_another,
    a_picture_is_sent_once_and_told_in_words_afterwards, it_drives_to_where_a_thing_is_seen_from_and_faces_it,
    what_cannot_be_driven_to_is_told_and_moves_nothing, an_agent_that_was_killed_goes_on_where_it_was,
    a_damaged_file_is_refused, it_waits_while_a_person_has_the_robot_and_gives_up_when_it_was_taken,
    a_recorded_episode_is_replayed_bit_for_bit, the_static_prefix_is_the_same_for_every_query)
