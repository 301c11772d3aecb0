/* What the agent keeps: bounded, checked against the graph, and the same after a restart. */
#include "common/agent/memory.h"
#include "common/vlm/prompt.h"
#include "test/support/runner.h"

static struct cairn_agent_world world;

static void know(const char *id, uint64_t picture)
{
	struct cairn_msg_scene_node *n = &world.scene.nodes[world.scene.nodes_count++];
	*n = (struct cairn_msg_scene_node){.kind = CAIRN_SCENE_KIND_OBJECT, .picture = picture};
	snprintf(n->id, sizeof(n->id), "%s", id);
}

START_TEST(a_finding_that_the_graph_does_not_have_is_marked)
{
	static struct cairn_agent_memory m;
	static struct cairn_agent_call update = {
	    .findings = {3, {"sofa_1 is in the hall", "HYPOTHESIS kettle_7 may be near sofa_1",
				"nothing with a number 3"}}};
	world = (struct cairn_agent_world){.use_scene = true};
	know("sofa_1", 12);
	ck_assert_uint_eq(cairn_agent_memory_take(&m, &update, &world), 1);
	ck_assert_str_eq(m.findings.items[0], "sofa_1 is in the hall");
	ck_assert_ptr_nonnull(strstr(m.findings.items[1], "[the graph does not have this]"));
	ck_assert_str_eq(m.findings.items[2], "nothing with a number 3");
	know("kettle_7", 0); /* seen since: the mark is the model's to leave out */
	ck_assert_uint_eq(cairn_agent_memory_take(&m, &update, &world), 0);
	ck_assert_str_eq(m.findings.items[1], update.findings.items[1]);
}
END_TEST

START_TEST(evidence_is_a_thing_or_a_picture_of_the_graph)
{
	world = (struct cairn_agent_world){.use_scene = true};
	know("sofa_1", 12);
	ck_assert(cairn_agent_is_evidence(&world, "sofa_1") && cairn_agent_is_evidence(&world, "SOFA_1"));
	ck_assert(cairn_agent_is_evidence(&world, "12"));
	ck_assert(!cairn_agent_is_evidence(&world, "13") && !cairn_agent_is_evidence(&world, "0"));
	ck_assert(!cairn_agent_is_evidence(&world, "sofa_2") && !cairn_agent_is_evidence(&world, ""));
}
END_TEST

START_TEST(its_text_keeps_to_the_tokens_and_drops_what_is_oldest)
{
	static struct cairn_agent_memory m;
	struct cairn_text out = {0};
	m = (struct cairn_agent_memory){.plan = {1, {"1. Explore(sofa)"}}};
	for (int i = 0; i < 100; i++) {
		cairn_agent_log_add(&m.actions,
		    "explore number %d of a long day: drove a way to somewhere and saw a wall there", i);
		cairn_agent_log_add(
		    &m.progress, "finding number %d was that there is another wall behind the wall", i);
	}
	ck_assert_uint_eq(m.actions.count, CAIRN_AGENT_LOG_MAX);
	ck_assert_uint_eq(m.actions.total, 100);
	for (uint32_t most = 3000; most >= 200; most -= 100) {
		cairn_text_clear(&out);
		cairn_agent_memory_text(&out, &m, most);
		ck_assert_uint_le(cairn_prompt_tokens(out.len), most);
		ck_assert_ptr_nonnull(strstr(out.data, "1. Explore(sofa)"));
		ck_assert_ptr_nonnull(strstr(out.data, "explore number 99"));
		ck_assert_ptr_nonnull(strstr(out.data, "finding number 99"));
		ck_assert_ptr_null(strstr(out.data, "explore number 51 "));
	}
	cairn_text_free(&out);
}
END_TEST

START_TEST(what_is_saved_reads_back_and_nonsense_is_refused)
{
	static struct cairn_agent_memory m, back;
	m = (struct cairn_agent_memory){.labels = {2, {"sofa", "couch"}},
	    .plan = {2, {"1. Explore", "2. Finish"}},
	    .description = "a house"};
	cairn_agent_log_add(&m.progress, "found a \"thing\"");
	json_t *root = cairn_agent_memory_json(&m);
	ck_assert(cairn_agent_memory_read(&back, root));
	ck_assert_str_eq(back.plan.items[1], "2. Finish");
	ck_assert_str_eq(cairn_agent_log_at(&back.progress, 0), "found a 'thing'");
	const char *key;
	json_t *value;
	json_object_foreach(root, key, value)
	{
		json_t *less = json_copy(root), *other = json_copy(root);
		json_object_del(less, key);
		json_object_set_new(other, key, json_integer(7));
		ck_assert_msg(!cairn_agent_memory_read(&back, less), "without %s", key);
		ck_assert_msg(!cairn_agent_memory_read(&back, other), "%s a number", key);
		json_decref(less);
		json_decref(other);
	}
	json_decref(root);
}
END_TEST

CAIRN_TEST_MAIN("agent memory", a_finding_that_the_graph_does_not_have_is_marked,
    evidence_is_a_thing_or_a_picture_of_the_graph, its_text_keeps_to_the_tokens_and_drops_what_is_oldest,
    what_is_saved_reads_back_and_nonsense_is_refused)
