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
			ck_assert_uint_gt(q[i].options, 1);
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
	for (int k = 0; k < CAIRN_QUESTION_KINDS; k++) /* nothing in this house opens or shines */
		ck_assert(k == CAIRN_QUESTION_STATE ? kinds[k] == 0 : kinds[k] > 10);
	ck_assert_uint_gt(absent, 10);
	cairn_world_destroy(&w);
	cairn_world_destroy(&other);
}
END_TEST

/* The den's middle is (3, 2). From there the fridge is at (-0.5, 1.5), the sofa at (0, -1.5), table and cup at (2.2, 0): who faces
 * the table has the fridge on the left and the sofa on the right; fridge and sofa are opposite, table and cup in one line. */
static const char den[] = "name: den\n"
			  "start: {x_m: 3.0, y_m: 2.0, yaw_deg: 0}\n"
			  "rooms:\n"
			  "  - {name: den, polygon: [[0, 0], [6, 0], [6, 4], [0, 4]]}\n"
			  "  - {name: hall, polygon: [[6, 0], [9, 0], [9, 4], [6, 4]]}\n"
			  "walls:\n"
			  "  - {path: [[0, 0], [9, 0], [9, 4], [0, 4]], closed: true}\n"
			  "furniture:\n"
			  "  - {name: sofa, kind: sofa, at: [3.0, 0.5]}\n"
			  "  - {name: fridge, kind: fridge, at: [2.5, 3.5], container: {shelf_m: 0.85}}\n"
			  "  - {name: table, kind: table, at: [5.2, 2.0], size: [0.6, 1.0]}\n"
			  "  - {name: desk, kind: desk, at: [8.0, 0.5], size: [1.2, 0.62]}\n"
			  "  - {name: floor lamp, kind: lamp, at: [5.6, 3.6], state: {light: \"on\"}}\n"
			  "  - {name: floor lamp, kind: lamp, at: [8.6, 3.6], state: {light: \"off\"}}\n"
			  "objects:\n"
			  "  - {name: red cup, kind: cylinder, on: table, at: [5.2, 2.0], size: [0.1, 0.1], "
			  "tall_m: 0.1, colour: red}\n"
			  "  - {name: grey suitcase, kind: box, at: [7.0, 3.5], size: [0.5, 0.26], height_m: "
			  "0.7, colour: \"#5b6270\"}\n"
			  "  - {name: laptop, kind: laptop, on: desk, at: [8.0, 0.5], state: {lid: open}}\n"
			  "  - {name: keys, kind: box, size: [0.16, 0.10], tall_m: 0.05, graspable: true,\n"
			  "     places: [{on: fridge, at: [2.5, 3.5]}, {on: sofa, at: [3.0, 0.5]}]}\n";

static struct cairn_world *small_world(void)
{
	char path[] = "/tmp/cairn-den-XXXXXX";
	struct cairn_error err = {""};
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, den, sizeof(den) - 1), (ssize_t)sizeof(den) - 1);
	close(fd);
	struct cairn_world *w = cairn_world_load_yaml(path, &err);
	unlink(path);
	ck_assert_msg(w != NULL, "%s", err.text);
	return w;
}

START_TEST(state_place_side_and_colour_of_a_small_world_are_as_worked_out_by_hand)
{
	static const struct {
		enum cairn_question_kind kind;
		const char *begins, *truth, *right, *wrong;
	} rows[] = {{CAIRN_QUESTION_STATE, "Is the fridge ", "closed", "It is closed.", "It is open."},
	    {CAIRN_QUESTION_STATE, "Is the floor lamp in the den ", "on", "It is on.", "It is not on."},
	    {CAIRN_QUESTION_STATE, "Is the floor lamp in the hall ", "off", "It is OFF", "The lamp is on."},
	    {CAIRN_QUESTION_STATE, "Is the lid of the laptop ", "open", "Open!", "It has been reopened."},
	    {CAIRN_QUESTION_SPATIAL, "What is on the table?", "cup", "A red cup.", "A cupboard."},
	    {CAIRN_QUESTION_SPATIAL, "What is on the desk?", "laptop", "The laptop is.", "Yes."},
	    {CAIRN_QUESTION_SPATIAL, "Seen from the middle of the den, is the sofa left of the table?",
		"right", "No.", "Yes: it is left."},
	    {CAIRN_QUESTION_SPATIAL, "Seen from the middle of the den, is the sofa left of the cup?", "right",
		"It is right of it.", "It is left of it."},
	    {CAIRN_QUESTION_SPATIAL, "Seen from the middle of the den, is the fridge left of the table?",
		"left", "Yes", "No, it is right of it."},
	    {CAIRN_QUESTION_SPATIAL, "Seen from the middle of the den, is the fridge left of the cup?",
		"left", "left", "left or right"},
	    {CAIRN_QUESTION_IDENTIFICATION, "What colour is the cup?", "red", "It is red.", "It is orange."}};
	static struct cairn_question q[64];
	struct cairn_world *w = small_world();
	uint32_t rejected, facts = 0, n = cairn_questions_make(w, NULL, 0, 3, q, 64, &rejected);
	for (uint32_t i = 0; i < n; i++) {
		ck_assert_msg(
		    strstr(q[i].text, "keys") == NULL, "the seed puts them somewhere: %s", q[i].text);
		if (q[i].kind < CAIRN_QUESTION_STATE)
			continue;
		size_t k = 0, count = sizeof(rows) / sizeof(rows[0]);
		while (k < count && strncmp(q[i].text, rows[k].begins, strlen(rows[k].begins)) != 0)
			k++;
		ck_assert_msg(k < count, "nobody has worked out: %s", q[i].text);
		ck_assert_msg(q[i].kind == rows[k].kind && strcmp(q[i].truth, rows[k].truth) == 0, "%s %s",
		    q[i].text, q[i].truth);
		ck_assert_msg(cairn_question_says(&q[i], rows[k].right), "%s %s", q[i].text, rows[k].right);
		ck_assert_msg(!cairn_question_says(&q[i], rows[k].wrong), "%s %s", q[i].text, rows[k].wrong);
		if (q[i].kind == CAIRN_QUESTION_STATE) {
			bool so =
			    strncmp(q[i].text + strlen(rows[k].begins), q[i].truth, strlen(q[i].truth)) == 0;
			ck_assert_msg(cairn_question_says(&q[i], so ? "Yes." : "No."), "%s", q[i].text);
			ck_assert_msg(!cairn_question_says(&q[i], so ? "No." : "Yes."), "%s", q[i].text);
		}
		facts++;
	}
	ck_assert_uint_eq(facts, sizeof(rows) / sizeof(rows[0]));
	cairn_world_destroy(&w);
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
		cairn_episode_clear(&r[i]);
		cairn_text_free(&s[i].said.body);
	}
	cairn_world_destroy(&w);
}
END_TEST

CAIRN_TEST_MAIN("eval-eqa", every_question_is_true_of_the_house_and_asked_once,
    state_place_side_and_colour_of_a_small_world_are_as_worked_out_by_hand,
    a_task_is_answered_in_simulated_time_and_the_same_each_time)
