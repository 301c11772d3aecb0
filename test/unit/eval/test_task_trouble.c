/* Tasks when all goes wrong: what the trials of them look at, and that malice is malice. */
#include "common/eval/hostile_answer.h"
#include "common/eval/shortest_view.h"
#include "common/eval/task_trouble.h"
#include "test/support/runner.h"

static struct cairn_world *load(const char *name, struct cairn_config *cfg)
{
	struct cairn_error err = {""};
	char path[512];
	snprintf(path, sizeof(path), CAIRN_SOURCE_ROOT "/config/worlds/%s.yaml", name);
	struct cairn_world *w = cairn_world_load(path, &err);
	ck_assert_msg(w != NULL, "%s", err.text);
	cairn_config_defaults(cfg);
	ck_assert_msg(
	    cairn_config_load(cfg, CAIRN_SOURCE_ROOT "/config/robots/task-sim.yaml", &err), "%s", err.text);
	return w;
}

START_TEST(an_agent_killed_once_with_a_damaged_file_and_with_nobody_to_ask_ends_and_tells_no_lie)
{
	struct cairn_config cfg;
	struct cairn_profile profile;
	struct cairn_error err = {""};
	struct cairn_task_trouble t = {0};
	struct cairn_world *w = load("home-tasks", &cfg);
	cairn_profile_defaults(&profile);
	ck_assert_msg(cairn_task_kills(&cfg, w, &profile, 1, &t, &err), "%s", err.text);
	ck_assert_msg(cairn_task_trouble_ok(&t) && t.false_done == 0, "%s", t.why);
	ck_assert_uint_eq(t.runs, 4);
	ck_assert_uint_eq(t.kills, 2);
	ck_assert_uint_ge(t.done, 2);   /* undisturbed, and killed at its first query */
	ck_assert_uint_eq(t.failed, 1); /* nobody answers */
	ck_assert_uint_ge(t.orders, 2);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(malice_is_of_many_sorts_and_the_same_by_its_seed)
{
	static const char body[] =
	    "{\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"verify_task\"}},"
	    "\"messages\":[{\"content\":\"<graph>\\n- sofa_1: sofa at (1.0, 2.0)\\n</graph>\"}]}";
	struct cairn_config cfg;
	struct cairn_error err = {""};
	struct cairn_hostile h[2];
	cairn_config_defaults(&cfg);
	cfg.pilot.profile = CAIRN_CHOICE_PILOT_SCHOLAR;
	uint32_t lies = 0, unknown = 0, known = 0, broken = 0;
	for (int i = 0; i < 2; i++)
		ck_assert(cairn_hostile_init(&h[i], &cfg, 7, &err));
	for (int n = 0; n < 2000; n++) {
		struct cairn_dialog_outcome o[2];
		double s[2];
		for (int i = 0; i < 2; i++)
			cairn_hostile_answer(&h[i], body, sizeof(body) - 1, &o[i], &s[i]);
		ck_assert_int_eq(o[0].status, o[1].status);
		ck_assert_uint_eq(o[0].body_bytes, o[1].body_bytes);
		ck_assert(o[0].body == NULL || memcmp(o[0].body, o[1].body, o[0].body_bytes) == 0);
		ck_assert_double_eq(s[0], s[1]);
		lies +=
		    o[0].body != NULL && strstr(o[0].body, "\\\"verdict\\\":\\\"accomplished\\\"") != NULL;
		unknown += o[0].body != NULL && strstr(o[0].body, "set_velocity") != NULL;
		known += o[0].body != NULL && strstr(o[0].body, "sofa_1") != NULL;
		broken += o[0].body == NULL || o[0].body[0] != '{';
	}
	ck_assert_uint_gt(lies, 100);
	ck_assert_uint_gt(unknown, 10);
	ck_assert_uint_gt(known, 100);
	ck_assert_uint_gt(broken, 20);
	ck_assert_uint_gt(h[0].spoilt, 1000);
	ck_assert_uint_lt(h[0].spoilt, h[0].answers);
	cairn_hostile_free(&h[0]);
	cairn_hostile_free(&h[1]);
}
END_TEST

START_TEST(the_shortest_way_to_see_a_thing_is_none_in_front_of_it_and_longer_from_afar)
{
	struct cairn_config cfg;
	struct cairn_world *w = load("home-tasks", &cfg);
	struct cairn_pose2 start = {0.8, 4.15, 0.0}, kitchen = {7.4, 2.05, 0.0};
	double far_m = -1.0, near_m = -1.0, none_m = 1.0;
	ck_assert(cairn_shortest_view(&cfg, w, kitchen, "kettle", &near_m));
	ck_assert(cairn_shortest_view(&cfg, w, start, "kettle", &far_m));
	ck_assert(cairn_shortest_view(&cfg, w, start, "piano", &none_m));
	ck_assert_double_eq(near_m, 0.0); /* 1.15 m in front of it */
	ck_assert_double_lt(none_m, 0.0);
	/* It stands behind the kitchen's walls: through the door at (6.7, 3.3) 6 m away, or the living room. */
	ck_assert_double_gt(far_m, 4.0);
	ck_assert_double_lt(far_m, 9.0);
	cairn_world_destroy(&w);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("task trouble", 600.0,
    an_agent_killed_once_with_a_damaged_file_and_with_nobody_to_ask_ends_and_tells_no_lie,
    malice_is_of_many_sorts_and_the_same_by_its_seed,
    the_shortest_way_to_see_a_thing_is_none_in_front_of_it_and_longer_from_afar)
