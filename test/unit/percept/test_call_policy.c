#include "common/percept/call_policy.h"

#include <math.h>

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/vlm/stats.h"
#include "test/support/runner.h"

#define S CAIRN_NS_PER_S

static struct cairn_config cfg; /* 0.92, 2 m, 10 s, 10 s, base timer 5 s; picture 0.95, 3 m */

/* A robot that stands before the same view, with room around it, four seconds after its last decision. */
static struct cairn_call_policy_facts nothing_new(void)
{
	cairn_config_defaults(&cfg);
	return (struct cairn_call_policy_facts){.trigger = CAIRN_TRIGGER_TIMER,
	    .similarity = 0.99,
	    .nearest_m = 2.5,
	    .decision_age_ns = 4 * S,
	    .trouble_age_ns = CAIRN_CALL_POLICY_NEVER,
	    .wanted_age_ns = 3 * S};
}

static bool may_skip(struct cairn_call_policy_facts facts)
{
	return cairn_call_policy_may_skip(&cfg.vlm, &facts);
}

START_TEST(nothing_new_may_be_skipped)
{
	ck_assert(may_skip(nothing_new()));
	struct cairn_call_policy_facts f = nothing_new();
	f.trigger = CAIRN_TRIGGER_NONE;
	ck_assert(may_skip(f));
}
END_TEST

START_TEST(every_trigger_asks)
{
	int asked = 0;
	for (int t = 0; t < CAIRN_TRIGGER_COUNT; t++) {
		struct cairn_call_policy_facts f = nothing_new();
		f.trigger = (enum cairn_trigger)t;
		bool reason = t != CAIRN_TRIGGER_NONE && t != CAIRN_TRIGGER_TIMER;
		ck_assert_int_eq(may_skip(f), !reason);
		asked += reason;
	}
	ck_assert_int_eq(asked, 10);
}
END_TEST

START_TEST(the_picture_must_be_more_similar_than_the_limit)
{
	static const double values[] = {0.92, 0.9, 0.0, -1.0, (double)NAN, (double)INFINITY};
	struct cairn_call_policy_facts f = nothing_new();
	f.similarity = nextafter(0.92, 1.0);
	ck_assert(may_skip(f));
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		f.similarity = values[i];
		ck_assert_msg(!may_skip(f), "%g", values[i]);
	}
}
END_TEST

START_TEST(the_nearest_obstacle_must_be_known_and_far)
{
	static const double values[] = {2.0, 0.3, 0.0, -1.0, (double)NAN, (double)INFINITY};
	struct cairn_call_policy_facts f = nothing_new();
	f.nearest_m = 2.001;
	ck_assert(may_skip(f));
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		f.nearest_m = values[i];
		ck_assert_msg(!may_skip(f), "%g", values[i]);
	}
}
END_TEST

START_TEST(an_old_decision_or_none_asks)
{
	struct cairn_call_policy_facts f = nothing_new();
	f.decision_age_ns = 10 * S;
	ck_assert(may_skip(f));
	f.decision_age_ns = 10 * S + 1;
	ck_assert(!may_skip(f));
	f.decision_age_ns = CAIRN_CALL_POLICY_NEVER;
	ck_assert(!may_skip(f));
}
END_TEST

START_TEST(recent_trouble_asks)
{
	struct cairn_call_policy_facts f = nothing_new();
	f.trouble_age_ns = 0;
	ck_assert(!may_skip(f));
	f.trouble_age_ns = 10 * S;
	ck_assert(!may_skip(f));
	f.trouble_age_ns = 10 * S + 1;
	ck_assert(may_skip(f));
}
END_TEST

START_TEST(the_base_timer_and_a_bad_answer_ask)
{
	struct cairn_call_policy_facts f = nothing_new();
	f.wanted_age_ns = 5 * S - 1;
	ck_assert(may_skip(f));
	f.wanted_age_ns = 5 * S;
	ck_assert(!may_skip(f));
	f = nothing_new();
	f.answer_was_bad = true;
	ck_assert(!may_skip(f));
}
END_TEST

START_TEST(every_limit_is_configuration)
{
	struct cairn_call_policy_facts f = nothing_new();
	cfg.vlm.skip_similarity = 0.995;
	ck_assert(!may_skip(f));
	f = nothing_new();
	cfg.vlm.skip_nearest_m = 2.6;
	ck_assert(!may_skip(f));
	f = nothing_new();
	cfg.vlm.skip_age_max_s = 3.9;
	ck_assert(!may_skip(f));
	f = nothing_new();
	cfg.vlm.base_timer_s = 2.5;
	ck_assert(!may_skip(f));
	f = nothing_new();
	f.trouble_age_ns = 6 * S;
	ck_assert(!may_skip(f));
	cfg.vlm.skip_trouble_s = 5.0;
	ck_assert(may_skip(f));
}
END_TEST

static struct cairn_call_policy_facts any_facts(struct cairn_rng *rng)
{
	return (struct cairn_call_policy_facts){
	    .trigger = cairn_rng_uniform(rng) < 0.7
			   ? CAIRN_TRIGGER_TIMER
			   : (enum cairn_trigger)(cairn_rng_u32(rng) % CAIRN_TRIGGER_COUNT),
	    .similarity = 0.85 + 0.15 * cairn_rng_uniform(rng),
	    .nearest_m = 5.0 * cairn_rng_uniform(rng) - 0.5,
	    .decision_age_ns = (int64_t)(14e9 * cairn_rng_uniform(rng)) - S,
	    .trouble_age_ns = cairn_rng_uniform(rng) < 0.5 ? CAIRN_CALL_POLICY_NEVER
							   : (int64_t)(20e9 * cairn_rng_uniform(rng)),
	    .wanted_age_ns = (int64_t)(8e9 * cairn_rng_uniform(rng)),
	    .answer_was_bad = cairn_rng_uniform(rng) < 0.1};
}

/* What makes the case for a call stronger never turns a call into a skip. */
START_TEST(more_reason_to_ask_never_skips)
{
	struct cairn_rng rng;
	int skipped = 0;
	cairn_config_defaults(&cfg);
	cairn_rng_seed(&rng, 7, 0);
	for (int i = 0; i < 20000; i++) {
		struct cairn_call_policy_facts f = any_facts(&rng);
		if (may_skip(f)) {
			skipped++;
			continue;
		}
		struct cairn_call_policy_facts more[6] = {f, f, f, f, f, f};
		more[0].similarity *= cairn_rng_uniform(&rng);
		more[1].nearest_m -= cairn_rng_uniform(&rng);
		more[2].wanted_age_ns += (int64_t)(5e9 * cairn_rng_uniform(&rng));
		more[3].trouble_age_ns = 0;
		more[4].trigger = CAIRN_TRIGGER_DEAD_END;
		more[5].decision_age_ns =
		    f.decision_age_ns < 0 ? CAIRN_CALL_POLICY_NEVER : f.decision_age_ns + 3 * S;
		for (int k = 0; k < 6; k++)
			ck_assert(!may_skip(more[k]));
	}
	ck_assert_int_gt(skipped, 500); /* the property was not tested on nothing */
}
END_TEST

START_TEST(what_is_skipped_meets_every_condition)
{
	struct cairn_rng rng;
	int skipped = 0;
	cairn_config_defaults(&cfg);
	cairn_rng_seed(&rng, 8, 0);
	for (int i = 0; i < 20000; i++) {
		struct cairn_call_policy_facts f = any_facts(&rng);
		if (!may_skip(f))
			continue;
		skipped++;
		ck_assert(f.trigger == CAIRN_TRIGGER_NONE || f.trigger == CAIRN_TRIGGER_TIMER);
		ck_assert(f.similarity > 0.92 && f.nearest_m > 2.0 && !f.answer_was_bad);
		ck_assert(f.decision_age_ns >= 0 && f.decision_age_ns <= 10 * S && f.wanted_age_ns < 5 * S);
		ck_assert(f.trouble_age_ns < 0 || f.trouble_age_ns > 10 * S);
	}
	ck_assert_int_gt(skipped, 500);
}
END_TEST

START_TEST(the_picture_goes_unless_it_is_alike_and_nothing_is_near)
{
	static const struct {
		double similarity, nearest_m;
		bool needed;
	} cases[] = {{0.96, 3.01, false}, {0.95, 3.01, true}, {0.96, 3.0, true}, {1.0, -1.0, true},
	    {0.0, 10.0, true}, {(double)NAN, 10.0, true}, {1.0, (double)NAN, true},
	    {1.0, (double)INFINITY, true}};
	cairn_config_defaults(&cfg);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_int_eq(
		    cairn_call_policy_image_needed(&cfg.percept, cases[i].similarity, cases[i].nearest_m),
		    cases[i].needed);
	cfg.percept.image_similarity = 0.97;
	ck_assert(cairn_call_policy_image_needed(&cfg.percept, 0.96, 3.01));
	cfg.percept.image_similarity = 0.95;
	cfg.percept.image_nearest_m = 4.0;
	ck_assert(cairn_call_policy_image_needed(&cfg.percept, 0.96, 3.01));
}
END_TEST

START_TEST(novelty_falls_into_the_bands_of_the_table)
{
	static const struct {
		double novelty;
		enum cairn_novelty_band band;
	} rows[] = {{0.0, CAIRN_NOVELTY_KNOWN}, {0.199, CAIRN_NOVELTY_KNOWN}, {0.2, CAIRN_NOVELTY_USUAL},
	    {0.499, CAIRN_NOVELTY_USUAL}, {0.5, CAIRN_NOVELTY_NEW}, {0.799, CAIRN_NOVELTY_NEW},
	    {0.8, CAIRN_NOVELTY_VERY_NEW}, {1.0, CAIRN_NOVELTY_VERY_NEW}, {-1.0, CAIRN_NOVELTY_UNKNOWN},
	    {(double)NAN, CAIRN_NOVELTY_UNKNOWN}, {(double)INFINITY, CAIRN_NOVELTY_UNKNOWN}};
	cairn_config_defaults(&cfg);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_int_eq(cairn_novelty_band(&cfg.vlm, rows[i].novelty), rows[i].band);
	cfg.vlm.novelty_quiet_s = 0.0; /* switched off */
	ck_assert_int_eq(cairn_novelty_band(&cfg.vlm, 0.1), CAIRN_NOVELTY_UNKNOWN);
}
END_TEST

/* A known scene, a while after an answer, without trouble. */
static struct cairn_call_policy_wish ordinary(void)
{
	cairn_config_defaults(&cfg);
	return (struct cairn_call_policy_wish){.band = CAIRN_NOVELTY_KNOWN,
	    .trigger = CAIRN_TRIGGER_GOAL,
	    .question_age_ns = 20 * S,
	    .trouble_age_ns = CAIRN_CALL_POLICY_NEVER};
}

START_TEST(only_an_ordinary_wish_in_a_known_scene_is_left_to_the_rule)
{
	struct cairn_call_policy_wish w = ordinary();
	ck_assert(cairn_call_policy_left_to_rule(&cfg.vlm, &w));
	for (int t = 0; t < CAIRN_TRIGGER_COUNT; t++) {
		w = ordinary();
		w.trigger = (enum cairn_trigger)t;
		bool asks = cairn_call_policy_is_event((enum cairn_trigger)t) || t == CAIRN_TRIGGER_OPERATOR;
		ck_assert_int_eq(cairn_call_policy_left_to_rule(&cfg.vlm, &w), !asks);
	}
	for (int i = 0; i < 8; i++) {
		w = ordinary();
		w.has_goal = i == 0;
		w.stuck = i == 1;
		w.answer_was_bad = i == 2;
		w.trouble_age_ns = i == 3 ? 9 * S : CAIRN_CALL_POLICY_NEVER;
		w.question_age_ns = i == 4 ? CAIRN_CALL_POLICY_NEVER : i == 5 ? 60 * S : 20 * S;
		w.band = i == 6 ? CAIRN_NOVELTY_NEW : i == 7 ? CAIRN_NOVELTY_UNKNOWN : CAIRN_NOVELTY_KNOWN;
		ck_assert_msg(!cairn_call_policy_left_to_rule(&cfg.vlm, &w), "%d", i);
	}
}
END_TEST

START_TEST(more_novelty_and_more_time_never_leave_out_more)
{
	struct cairn_rng rng;
	int left = 0;
	cairn_rng_seed(&rng, 5, 1);
	for (int i = 0; i < 20000; i++) {
		struct cairn_call_policy_wish w = ordinary(), more;
		w.band = (enum cairn_novelty_band)(CAIRN_NOVELTY_KNOWN + cairn_rng_u32(&rng) % 4);
		w.trigger = (enum cairn_trigger)(cairn_rng_u32(&rng) % CAIRN_TRIGGER_COUNT);
		w.question_age_ns = (int64_t)(cairn_rng_uniform(&rng) * 80.0 * 1e9);
		more = w;
		more.band = w.band < CAIRN_NOVELTY_VERY_NEW ? w.band + 1 : w.band;
		more.question_age_ns += (int64_t)(cairn_rng_uniform(&rng) * 20.0 * 1e9);
		bool rule = cairn_call_policy_left_to_rule(&cfg.vlm, &w);
		left += rule;
		ck_assert(rule || !cairn_call_policy_left_to_rule(&cfg.vlm, &more));
	}
	ck_assert_int_gt(left, 1000);
}
END_TEST

START_TEST(the_regular_line_tells_what_was_added)
{
	struct cairn_msg_vlm_stats before = {.calls = 30,
	    .failures = 2,
	    .decisions = 27,
	    .skips = 1,
	    .images_left_out = 5,
	    .tokens_in = 40000,
	    .tokens_out = 900,
	    .cost_usd = 0.01,
	    .latency_mean_s = 0.5,
	    .triggers = {[CAIRN_TRIGGER_RESULT] = 20, [CAIRN_TRIGGER_GOAL] = 8}};
	struct cairn_msg_vlm_stats now = before;
	char line[CAIRN_VLM_STATS_LINE];
	now.calls = 42;
	now.failures = 3;
	now.decisions = 38;
	now.skips = 4;
	now.images_left_out = 9;
	now.tokens_in = 55000;
	now.tokens_out = 1500;
	now.cost_usd = 0.0121;
	now.latency_mean_s = 0.41;
	now.triggers[CAIRN_TRIGGER_RESULT] = 30;
	now.triggers[CAIRN_TRIGGER_DEAD_END] = 2;
	cairn_vlm_stats_line(&now, &before, line, sizeof(line));
	ck_assert_str_eq(line, "12 calls (2 dead_end, 10 result), 1 failed, 11 decisions, 3 skipped, 4 "
			       "without picture, 0.41 s each, "
			       "15000 + 600 tokens, 0.0021 USD");
	cairn_vlm_stats_line(&before, &now, line, sizeof(line)); /* another ledger */
	ck_assert_str_eq(line,
	    "0 calls (none), 0 failed, 0 decisions, 0 skipped, 0 without picture, 0.50 s each, 0 + 0 tokens, "
	    "0.0000 USD");
}
END_TEST

START_TEST(counts_that_do_not_fit_are_cut)
{
	uint32_t counts[CAIRN_TRIGGER_COUNT];
	char text[16];
	memset(counts, 0xFF, sizeof(counts));
	cairn_trigger_counts_text(counts, text, sizeof(text));
	ck_assert_str_eq(text, "4294967295 none");
}
END_TEST

CAIRN_TEST_MAIN("ask", nothing_new_may_be_skipped, every_trigger_asks,
    the_picture_must_be_more_similar_than_the_limit, the_nearest_obstacle_must_be_known_and_far,
    an_old_decision_or_none_asks, recent_trouble_asks, the_base_timer_and_a_bad_answer_ask,
    every_limit_is_configuration, more_reason_to_ask_never_skips, what_is_skipped_meets_every_condition,
    the_picture_goes_unless_it_is_alike_and_nothing_is_near, novelty_falls_into_the_bands_of_the_table,
    only_an_ordinary_wish_in_a_known_scene_is_left_to_the_rule,
    more_novelty_and_more_time_never_leave_out_more, the_regular_line_tells_what_was_added,
    counts_that_do_not_fit_are_cut)
