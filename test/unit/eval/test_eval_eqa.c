/* Questions about a house are true of it, and an episode is the same for the same options. */
#include "common/eval/episode.h"
#include "common/eval/questions.h"
#include "common/sim/detector/detect.h"
#include "common/sim/pilot/pilot_api.h"
#include "test/support/runner.h"

static struct cairn_world *home(const char *name)
{
	char path[256];
	struct cairn_error err = {""};
	snprintf(path, sizeof(path), CAIRN_SOURCE_ROOT "/config/worlds/%s.yaml", name);
	struct cairn_world *w = cairn_world_load(path, &err);
	ck_assert_msg(w != NULL, "%s", err.text);
	return w;
}

static uint32_t count_of(const struct cairn_world *w, const char *label, char room[40])
{
	uint32_t n = 0;
	char is[40];
	for (uint32_t i = 0; i < w->thing_count; i++)
		if (cairn_sim_thing_label(&w->things[i], is) && strcmp(is, label) == 0) {
			const struct cairn_room *at =
			    cairn_world_room_at(w, (double)w->things[i].x_m, (double)w->things[i].y_m);
			snprintf(room, 40, "%.39s", at != NULL ? at->name : "");
			n++;
		}
	return n;
}

START_TEST(every_question_is_true_of_the_house_and_asked_once)
{
	struct cairn_world *w = home("home"), *other = home("studio");
	char foreign[64][40], room[40] = "";
	struct cairn_question q[30], again[30];
	uint32_t rejected, kinds[CAIRN_QUESTION_KINDS] = {0}, absent = 0;
	uint32_t foreign_count = cairn_questions_labels(other, foreign, 64);
	ck_assert_uint_gt(foreign_count, 5);
	for (uint64_t seed = 1; seed <= 5; seed++) {
		uint32_t n = cairn_questions_make(
		    w, (const char(*)[40])foreign, foreign_count, seed, q, 30, &rejected);
		ck_assert_uint_gt(n, 15);
		ck_assert_uint_gt(rejected, 0);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t count = count_of(w, q[i].label, room);
			kinds[q[i].kind]++;
			absent += count == 0;
			ck_assert_uint_eq(q[i].count, count);
			ck_assert_msg(strstr(q[i].text, "?") != NULL, "%s", q[i].text);
			ck_assert(q[i].kind != CAIRN_QUESTION_LOCATION ||
				  (count == 1 && strcmp(q[i].room, room) == 0));
			ck_assert(q[i].kind != CAIRN_QUESTION_COUNT || (count >= 2 && count <= 6));
			ck_assert(count > 0 || q[i].kind == CAIRN_QUESTION_EXISTENCE);
			for (uint32_t k = 0; k < i; k++)
				ck_assert_msg(strcmp(q[i].text, q[k].text) != 0, "%s twice", q[i].text);
		}
		ck_assert_uint_eq(cairn_questions_make(w, (const char(*)[40])foreign, foreign_count, seed,
				      again, 30, &rejected),
		    n);
		ck_assert_mem_eq(q, again, n * sizeof(q[0]));
	}
	for (int k = 0; k < CAIRN_QUESTION_KINDS; k++)
		ck_assert_uint_gt(kinds[k], 10);
	ck_assert_uint_gt(absent, 10);
	cairn_world_destroy(&w);
	cairn_world_destroy(&other);
}
END_TEST

struct scholar {
	struct cairn_pilot_api api;
	struct cairn_pilot_answer said;
};

static void answer(
    void *ctx, const char *body, size_t bytes, struct cairn_dialog_outcome *ret, double *ret_latency_s)
{
	struct scholar *s = ctx;
	cairn_pilot_api_answer(&s->api, "POST", "/v1/chat/completions", body, bytes, 0, &s->said);
	*ret = (struct cairn_dialog_outcome){.status = s->said.status,
	    .body = s->said.body.data,
	    .body_bytes = s->said.body.len,
	    .retry_after_s = -1.0,
	    .sent = true};
	*ret_latency_s = s->said.delay_s;
}

START_TEST(a_task_is_answered_in_simulated_time_and_the_same_each_time)
{
	static struct cairn_episode_result r[2];
	static struct scholar s[2];
	struct cairn_config cfg;
	struct cairn_profile profile;
	struct cairn_error err = {""};
	struct cairn_world *w = home("studio");
	cairn_config_defaults(&cfg);
	cairn_profile_defaults(&profile);
	cfg.mission.autostart = CAIRN_CHOICE_AUTOSTART_NEVER;
	cfg.agent.enabled = true;
	cfg.pilot.profile = CAIRN_CHOICE_PILOT_SCHOLAR;
	for (int i = 0; i < 2; i++) {
		struct cairn_episode_options o = {.cfg = &cfg,
		    .world = w,
		    .profile = &profile,
		    .task = "Where is the lighthouse picture?",
		    .map = CAIRN_RUN_MAP_TRUE_POSES,
		    .limit_s = 600.0,
		    .answer = answer,
		    .ctx = &s[i]};
		ck_assert(cairn_pilot_api_init(&s[i].api, &cfg.pilot, &err));
		ck_assert_msg(cairn_episode_run(&o, &r[i], &err), "%s", err.text);
	}
	ck_assert_msg(r[0].agent.state == CAIRN_AGENT_STATE_DONE, "%s", r[0].agent.answer);
	ck_assert_ptr_nonnull(strstr(r[0].agent.evidence, "lighthouse_picture_1"));
	ck_assert_uint_eq(r[0].contacts, 0);
	ck_assert_mem_eq(&r[0].agent, &r[1].agent, sizeof(r[0].agent));
	ck_assert_double_eq(r[0].path_m, r[1].path_m);
	for (int i = 0; i < 2; i++) {
		free(r[i].shown);
		cairn_text_free(&s[i].said.body);
	}
	cairn_world_destroy(&w);
}
END_TEST

CAIRN_TEST_MAIN("eval-eqa", every_question_is_true_of_the_house_and_asked_once,
    a_task_is_answered_in_simulated_time_and_the_same_each_time)
