/* Two models: a strong one for hard decisions, by rule and budget; and a small one on the robot while the network is away. */
#include "common/vlm/stand_in.h"
#include "test/support/dialog_rig.h"

static struct cairn_lineup lineup;
static struct cairn_msg_vlm_stats stats;

static void row(uint32_t i, const char *name, double usd_per_mtok)
{
	struct cairn_profile *p = &lineup.rows[i];
	cairn_profile_defaults(p);
	snprintf(p->name, sizeof(p->name), "%s", name);
	snprintf(p->model, sizeof(p->model), "%s-model", name);
	p->price_in_usd_per_mtok = p->price_out_usd_per_mtok = usd_per_mtok;
}

/* cheap, and strong (1), or small on the robot (2), or both. */
static void begin(bool strong, bool small)
{
	struct cairn_error err = {""};
	setup();
	lineup = (struct cairn_lineup){.count = 1};
	row(0, "cheap", 0.03);
	row(1, "strong", 6.0);
	row(2, "small", 0.0);
	lineup.strong = strong ? 1 : 0;
	lineup.local = small ? 2 : 0;
	ck_assert_msg(cairn_dialog_use(dialog, &lineup, &err), "%s", err.text);
}

static void end(void)
{
	cairn_dialog_destroy(&dialog);
}

static const char *asked(void)
{
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	return lineup.rows[cairn_dialog_provider(dialog)].name;
}

static void candidates(void)
{
	struct cairn_msg_candidates c = {.items_count = 2, .set = 9};
	c.items[0] = (struct cairn_msg_candidate){
	    .id = 12, .x_m = 1.0, .y_m = 4.0, .path_m = 2.1, .kind = CAIRN_CANDIDATE_KIND_FRONTIER};
	c.items[1] = (struct cairn_msg_candidate){
	    .id = 14, .x_m = 4.0, .y_m = 2.0, .path_m = 3.0, .kind = CAIRN_CANDIDATE_KIND_FRONTIER};
	cairn_dialog_candidates(dialog, &c, now_ns);
}

START_TEST(each_has_a_row_of_its_own_or_one_of_the_line_up)
{
	struct cairn_profiles profiles;
	struct cairn_error err = {""};
	struct cairn_config_vlm *v = &cfg.vlm;
	cairn_config_defaults(&cfg);
	ck_assert_msg(
	    cairn_profiles_load(&profiles, CAIRN_SOURCE_ROOT "/config/providers.yaml", &err), "%s", err.text);
	snprintf(v->provider, sizeof(v->provider), "openai");
	snprintf(v->fallbacks, sizeof(v->fallbacks), "gemini, ollama, pilot");
	snprintf(v->observe_provider, sizeof(v->observe_provider), "vllm");
	snprintf(v->strong_provider, sizeof(v->strong_provider), "anthropic");
	snprintf(v->local_provider, sizeof(v->local_provider), "smolvlm");
	ck_assert_msg(cairn_lineup_pick(&lineup, &profiles, v, &err), "%s", err.text);
	ck_assert(lineup.count == 4 && lineup.observer == 4 && cairn_lineup_rows(&lineup) == 7);
	ck_assert_str_eq(lineup.rows[lineup.strong].name, "anthropic");
	ck_assert_str_eq(lineup.rows[lineup.local].name, "smolvlm");
	ck_assert(cairn_lineup_names(v, "anthropic") && cairn_lineup_names(v, "smolvlm"));
	snprintf(v->strong_provider, sizeof(v->strong_provider), "gemini");
	ck_assert_msg(cairn_lineup_pick(&lineup, &profiles, v, &err), "%s", err.text);
	ck_assert(lineup.strong == 1 && lineup.local == 5 && cairn_lineup_rows(&lineup) == 6);
	cairn_lineup_alone(&lineup);
	ck_assert(lineup.strong == 0 && lineup.local == 0 && cairn_lineup_rows(&lineup) == 1);
	snprintf(v->local_provider, sizeof(v->local_provider), "ollama");
	ck_assert(!cairn_lineup_pick(&lineup, &profiles, v, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "vlm.local_provider: 'ollama' is vlm.provider or one of"));
	snprintf(v->local_provider, sizeof(v->local_provider), "who");
	ck_assert(!cairn_lineup_pick(&lineup, &profiles, v, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "vlm.local_provider: 'who' is not a provider"));
}
END_TEST

/* ---- the strong one ---- */

START_TEST(an_ordinary_decision_goes_to_the_usual_model)
{
	begin(true, false);
	ck_assert_str_eq(asked(), "cheap");
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(decision.decider, CAIRN_DECIDER_MODEL);
	ck_assert_str_eq(decision.provider, "cheap");
	end();
}
END_TEST

START_TEST(a_goal_in_words_trouble_stuck_and_many_rooms_are_hard)
{
	struct cairn_msg_candidates stuck = {.stuck = true, .set = 1};
	struct cairn_msg_result blocked = {
	    .outcome = CAIRN_OUTCOME_BLOCKED, .source = CAIRN_SOURCE_MODEL, .tool = CAIRN_TOOL_MOVE_TOWARD};
	begin(true, false);
	snprintf(mission.goal, sizeof(mission.goal), "find the cup");
	say_mission(true);
	ck_assert_str_eq(asked(), "strong");
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(decision.decider, CAIRN_DECIDER_STRONG_MODEL);
	ck_assert_str_eq(decision.provider, "strong");
	end();
	begin(true, false);
	cairn_dialog_candidates(dialog, &stuck, now_ns);
	ck_assert_str_eq(asked(), "strong");
	end();
	begin(true, false);
	cairn_dialog_result(dialog, &blocked, now_ns);
	snapshot(true, CAIRN_TRIGGER_BLOCKED);
	frontiers();
	ck_assert_str_eq(asked(), "strong");
	end();
	begin(true, false);
	cairn_dialog_memory(dialog)->rooms_count = 4;
	ck_assert_str_eq(asked(), "cheap");
	answer(200, REPLY(GO));
	cairn_dialog_memory(dialog)->rooms_count = 5;
	again();
	ck_assert_str_eq(asked(), "strong");
	end();
}
END_TEST

START_TEST(what_it_costs_is_counted_in_the_same_purse_and_bounded_by_its_share)
{
	begin(true, false);
	snprintf(mission.goal, sizeof(mission.goal), "find the cup");
	say_mission(true);
	int strong = 0, cheap = 0;
	for (int i = 0; i < 30; i++) {
		strcmp(asked(), "strong") == 0 ? strong++ : cheap++;
		answer(200, REPLY(GO));
		ck_assert(cairn_dialog_take_decision(dialog, &decision));
		struct cairn_msg_result r = {.decision_id = decision.id,
		    .outcome = CAIRN_OUTCOME_SUCCESS,
		    .source = CAIRN_SOURCE_MODEL,
		    .tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
		    .distance_m = 2.0};
		cairn_dialog_result(dialog, &r, now_ns);
		again();
	}
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert_str_eq(stats.strong_provider, "strong");
	ck_assert_uint_eq(stats.strong_calls, strong);
	ck_assert_uint_eq(stats.calls, 30);
	ck_assert(strong >= 1 && cheap >= 1);
	/* Half of 0.30 USD an hour, and one more might go beyond it; all of it is in the purse. */
	ck_assert_double_le(stats.strong_usd, 0.15);
	ck_assert_double_gt(stats.strong_usd, 0.10);
	ck_assert_double_gt(stats.cost_usd, stats.strong_usd);
	ck_assert_double_eq_tol(stats.usd_hour, stats.cost_usd, 1e-9);
	now_ns += (int64_t)3700 * CAIRN_NS_PER_S; /* an hour on it may be asked again */
	again();
	ck_assert_str_eq(asked(), "strong");
	end();
}
END_TEST

START_TEST(where_it_fails_the_usual_model_is_asked_and_it_is_no_fallback)
{
	begin(true, false);
	snprintf(mission.goal, sizeof(mission.goal), "find the cup");
	say_mission(true);
	for (int i = 0; i < 2; i++) {
		ck_assert_str_eq(asked(), "strong");
		answer(503, "");
		again();
	}
	ck_assert_str_eq(asked(), "cheap");
	answer(200, REPLY(GO));
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert_uint_eq(stats.fallback_calls, 0);
	ck_assert_uint_eq(stats.switches, 0);
	end();
}
END_TEST

START_TEST(without_one_hard_decisions_go_where_all_go)
{
	begin(false, false);
	snprintf(mission.goal, sizeof(mission.goal), "find the cup");
	say_mission(true);
	ck_assert_str_eq(asked(), "cheap");
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert_str_eq(stats.strong_provider, "");
	end();
}
END_TEST

/* ---- the one on the robot ---- */

#define SAYS(text) "{\"choices\":[{\"message\":{\"content\":\"" text "\"}}]}"

/* Nobody of the line-up has answered for more than ten seconds; until then they are asked on. */
static void network_away(void)
{
	int64_t until_ns = now_ns + 9 * CAIRN_NS_PER_S;
	while (now_ns < until_ns) {
		ck_assert_str_eq(asked(), "cheap");
		answer(0, "");
		again();
		candidates();
	}
	now_ns += 1500 * MS;
	again();
	candidates();
}

START_TEST(it_chooses_among_the_candidates_when_the_network_has_been_away_for_ten_seconds)
{
	begin(true, true);
	candidates();
	network_away();
	ck_assert_str_eq(asked(), "small");
	ck_assert_ptr_null(strstr(body, "\"tools\""));
	ck_assert_ptr_nonnull(strstr(body, "C12: frontier, 2.1 m, 90 degrees to the left"));
	ck_assert_ptr_nonnull(strstr(body, "C14: frontier, 3.0 m, ahead"));
	ck_assert_ptr_nonnull(strstr(body, "image_url"));
	answer(200, SAYS("C14, it leads on."));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(decision.decider, CAIRN_DECIDER_LOCAL_MODEL);
	ck_assert_str_eq(decision.provider, "small");
	ck_assert_int_eq(decision.goal_kind, CAIRN_GOAL_KIND_CANDIDATE);
	ck_assert_uint_eq(decision.candidate_id, 14);
	ck_assert_uint_eq(decision.candidate_set, 9);
	ck_assert_str_eq(decision.reasoning, "C14, it leads on.");
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert(stats.local_decides);
	ck_assert_uint_eq(stats.local_calls, 1);
	ck_assert_int_eq(stats.net_tier, CAIRN_NET_TIER_DEGRADED); /* the network is away all the same */
	end();
}
END_TEST

START_TEST(the_network_is_asked_again_when_a_probe_has_found_it)
{
	begin(false, true);
	candidates();
	network_away();
	ck_assert_str_eq(asked(), "small");
	answer(200, SAYS("C12"));
	ck_assert_int_eq(
	    cairn_failover_probe_due(cairn_dialog_route(dialog), now_ns + 60 * CAIRN_NS_PER_S), 0);
	cairn_failover_probe_ended(cairn_dialog_route(dialog), 0, true, now_ns);
	again();
	candidates();
	ck_assert_str_eq(asked(), "cheap");
	end();
}
END_TEST

START_TEST(what_names_no_place_is_no_decision_and_after_two_it_is_left_alone)
{
	begin(false, true);
	candidates();
	network_away();
	for (int i = 0; i < 2; i++) {
		ck_assert_str_eq(asked(), "small");
		answer(200, i == 0 ? SAYS("I see a room.") : SAYS("C99"));
		ck_assert(!cairn_dialog_take_decision(dialog, &decision));
		again();
		candidates();
	}
	ck_assert_ptr_nonnull(strstr(last_error(), "C99, which is not offered"));
	ck_assert_str_eq(asked(), "cheap");
	end();
}
END_TEST

START_TEST(without_candidates_and_at_events_it_is_not_asked)
{
	begin(false, true);
	candidates();
	network_away();
	struct cairn_msg_candidates none = {.items_count = 0};
	cairn_dialog_candidates(dialog, &none, now_ns);
	ck_assert_str_eq(asked(), "cheap");
	end();
}
END_TEST

START_TEST(a_refused_key_makes_it_decide_at_once)
{
	begin(false, true);
	candidates();
	ck_assert_str_eq(asked(), "cheap");
	answer(401, "");
	again();
	candidates();
	ck_assert_str_eq(asked(), "small");
	end();
}
END_TEST

START_TEST(an_answer_is_read_as_small_models_write_it)
{
	static const struct {
		const char *text;
		unsigned id; /* 0: refused */
	} rows[] = {{"C12", 12}, {"c14.", 14}, {"I choose C12 rather than C14", 12}, {" 12 \n", 12},
	    {"14.", 14}, {"**C14** because", 14}, {"{\"to\": \"C12\"}", 12}, {"C13 or C12", 0}, {"ABC12", 0},
	    {"C12x", 0}, {"12 m ahead", 0}, {"", 0}, {"C", 0}, {"C99999999999999999999", 0}, {"forward", 0}};
	struct cairn_msg_candidates c = {.items_count = 2};
	c.items[0].id = 12;
	c.items[1].id = 14;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_tool_call call = {0};
		struct cairn_error err = {""};
		bool ok = cairn_stand_in_read(rows[i].text, &c, &call, &err);
		ck_assert_msg(ok == (rows[i].id != 0), "'%s': %s", rows[i].text, err.text);
		ck_assert_msg(!ok || call.candidate_id == (double)rows[i].id, "'%s'", rows[i].text);
		ck_assert(ok || err.text[0] != '\0');
	}
}
END_TEST

START_TEST(a_goal_in_its_question_is_one_cleaned_line)
{
	struct cairn_text text = {0};
	struct cairn_msg_candidates c = {.items_count = 1};
	struct cairn_msg_mission m = {.goal = "the \"cup\"\nPlaces: C9"};
	cairn_stand_in_question(&text, &c, &m, (struct cairn_pose2){0.0, 0.0, 0.0});
	ck_assert_msg(
	    strncmp(text.data, "The robot looks for: \"the 'cup' Places: C9\"\n", 44) == 0, "%s", text.data);
	cairn_text_free(&text);
}
END_TEST

CAIRN_TEST_MAIN("dialog-strong", each_has_a_row_of_its_own_or_one_of_the_line_up,
    an_ordinary_decision_goes_to_the_usual_model, a_goal_in_words_trouble_stuck_and_many_rooms_are_hard,
    what_it_costs_is_counted_in_the_same_purse_and_bounded_by_its_share,
    where_it_fails_the_usual_model_is_asked_and_it_is_no_fallback, without_one_hard_decisions_go_where_all_go,
    it_chooses_among_the_candidates_when_the_network_has_been_away_for_ten_seconds,
    the_network_is_asked_again_when_a_probe_has_found_it,
    what_names_no_place_is_no_decision_and_after_two_it_is_left_alone,
    without_candidates_and_at_events_it_is_not_asked, a_refused_key_makes_it_decide_at_once,
    an_answer_is_read_as_small_models_write_it, a_goal_in_its_question_is_one_cleaned_line)
