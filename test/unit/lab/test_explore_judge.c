/* What an evaluation of explorations fails for, and which pairs its differences leave out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procs/lab/eval_explore.h"
#include "test/support/runner.h"

enum { HOUSES = 3, MODES = 3 };

static struct explore_plan *plan;
static struct explore_verdict verdict;

/* Three houses, three ways, one seed: all is well. */
static void all_well(void)
{
	static const enum cairn_trial_mode modes[] = {
	    CAIRN_TRIAL_FRONTIER, CAIRN_TRIAL_NEAREST, CAIRN_TRIAL_HYBRID};
	plan = calloc(1, sizeof(*plan));
	plan->results = calloc(HOUSES * MODES, sizeof(*plan->results));
	plan->done = calloc(HOUSES * MODES, sizeof(*plan->done));
	plan->baseline = calloc(1, sizeof(*plan->baseline));
	plan->world_count = HOUSES;
	plan->mode_count = MODES;
	plan->seeds = plan->first_seed = 1;
	plan->scripted = true;
	memcpy(plan->modes, modes, sizeof(modes));
	plan->baseline->allowance_points = 2.0;
	for (uint32_t i = 0; i < HOUSES * MODES; i++) {
		struct cairn_trial_result *r = &plan->results[i].trial;
		struct explore_baseline_row *row = &plan->baseline->rows[plan->baseline->count++];
		snprintf(plan->worlds[i / MODES].name, sizeof(plan->worlds[0].name), "house%u", i / MODES);
		snprintf(row->world, sizeof(row->world), "house%u", i / MODES);
		row->mode = modes[i % MODES];
		row->seed = 1;
		row->seen_percent = 99.0;
		*r = (struct cairn_trial_result){.mode = modes[i % MODES],
		    .seed = 1,
		    .explored = true,
		    .coverage = 0.985,
		    .seconds = 100.0,
		    .path_m = 30.0,
		    .limit_s = 600.0};
		if (r->mode == CAIRN_TRIAL_HYBRID)
			r->decisions = r->calls = 12;
		for (int k = 0; k <= CAIRN_TRIAL_SHARES; k++) /* a percent a second */
			r->reach_s[k] = k <= 985 ? 0.1 * k : -1.0;
		plan->done[i] = true;
	}
}

static void leave(void)
{
	free(plan->results);
	free(plan->done);
	free(plan->baseline);
	free(plan->bad);
	free(plan);
}

static struct cairn_trial_result *trial(uint32_t house, uint32_t mode)
{
	return &plan->results[house * MODES + mode].trial;
}

/* The verdict fails for this and for nothing else. */
static void fails_for(enum explore_fault_kind kind, const char *words)
{
	char text[400];
	explore_judge(plan, &verdict);
	ck_assert(!verdict.passed);
	ck_assert_uint_eq(verdict.count, 1);
	explore_fault_words(plan, &verdict.faults[0], text, sizeof(text));
	ck_assert_msg(
	    verdict.faults[0].kind == kind, "%s: %s", explore_fault_name(verdict.faults[0].kind), text);
	ck_assert_msg(strstr(text, words) != NULL, "%s", text);
	leave();
}

START_TEST(an_evaluation_without_fault_passes)
{
	all_well();
	explore_judge(plan, &verdict);
	ck_assert(verdict.passed);
	ck_assert_uint_eq(verdict.count, 0);
	leave();
}
END_TEST

START_TEST(a_contact_of_any_way_fails)
{
	all_well();
	trial(1, 1)->contacts = 1;
	fails_for(EXPLORE_FAULT_CONTACT, "house1, nearest, seed 1: 1 contacts");
}
END_TEST

START_TEST(an_early_end_fails)
{
	all_well();
	trial(2, 2)->early = true;
	fails_for(EXPLORE_FAULT_EARLY, "house2, hybrid");
}
END_TEST

START_TEST(a_frontier_without_a_reason_fails)
{
	all_well();
	trial(0, 0)->unexplained = 2;
	fails_for(EXPLORE_FAULT_UNEXPLAINED, "2 frontiers");
}
END_TEST

START_TEST(a_trial_without_result_fails_with_what_it_said)
{
	all_well();
	plan->done[3] = false;
	fails_for(EXPLORE_FAULT_MISSING, "house1, frontier, seed 1: no result: not driven");
	all_well();
	plan->results[3].failed = true;
	snprintf(plan->results[3].why, sizeof(plan->results[3].why), "the robot cannot stand there");
	fails_for(EXPLORE_FAULT_MISSING, "cannot stand");
}
END_TEST

START_TEST(a_file_that_is_no_house_fails_the_others_aside)
{
	all_well();
	plan->bad = calloc(1, sizeof(*plan->bad));
	plan->bad_count = 1;
	snprintf(plan->bad[0].path, sizeof(plan->bad[0].path), "x.yaml");
	fails_for(EXPLORE_FAULT_WORLD, "x.yaml");
}
END_TEST

START_TEST(one_house_that_was_hardly_seen_fails_whatever_the_others_make_of_the_mean)
{
	all_well();
	plan->baseline->allowance_points = 100.0;
	trial(0, 1)->coverage = 0.79; /* nearest: 92 on average */
	trial(1, 1)->coverage = trial(2, 1)->coverage = 0.99;
	fails_for(EXPLORE_FAULT_HOUSE_SEEN, "house0, nearest, seed 1: 79.0 % seen");
}
END_TEST

START_TEST(the_mean_of_every_way_is_judged_not_of_frontier_alone)
{
	all_well();
	plan->baseline->allowance_points = 100.0;
	for (uint32_t h = 0; h < HOUSES; h++)
		trial(h, 1)->coverage = 0.89;
	fails_for(EXPLORE_FAULT_MODE_SEEN, "nearest: 89.0 %");
}
END_TEST

START_TEST(hybrid_may_not_see_much_less_than_frontier)
{
	all_well();
	plan->baseline->allowance_points = 100.0;
	trial(1, 2)->coverage = 0.93;
	fails_for(EXPLORE_FAULT_HYBRID_SEEN, "house1, hybrid: 5.5 points");
}
END_TEST

/* So many houses, one seed, frontier and hybrid, which takes so much longer. */
static void many_houses(uint32_t houses, double hybrid_s)
{
	all_well();
	free(plan->baseline);
	plan->baseline = NULL;
	struct explore_outcome good = plan->results[0];
	plan->results = realloc(plan->results, 2 * houses * sizeof(*plan->results));
	plan->done = realloc(plan->done, 2 * houses * sizeof(*plan->done));
	plan->world_count = houses;
	plan->mode_count = 2;
	plan->modes[1] = CAIRN_TRIAL_HYBRID;
	for (uint32_t i = 0; i < 2 * houses; i++) {
		plan->results[i] = good;
		plan->results[i].trial.mode = plan->modes[i % 2];
		plan->results[i].trial.decisions = plan->results[i].trial.calls = 12;
		plan->results[i].trial.seconds = i % 2 == 1 ? hybrid_s : 100.0;
		plan->done[i] = true;
	}
}

START_TEST(hybrid_may_not_take_much_longer_than_frontier_in_ten_houses_and_of_fewer_nothing_is_said)
{
	char words[300];
	many_houses(10, 106.0);
	fails_for(EXPLORE_FAULT_HYBRID_TIME, "6.0 % longer");
	many_houses(10, 104.0);
	explore_judge(plan, &verdict);
	ck_assert(verdict.passed && verdict.hybrid_time == EXPLORE_JUDGED);
	explore_unjudged_words(&verdict, words, sizeof(words));
	ck_assert_str_eq(words, "");
	leave();
	many_houses(9, 106.0);
	explore_judge(plan, &verdict);
	ck_assert(verdict.passed && verdict.hybrid_time == EXPLORE_TOO_FEW);
	explore_unjudged_words(&verdict, words, sizeof(words));
	ck_assert_ptr_nonnull(strstr(words, "takes 10 houses, or 8 seeds of one"));
	ck_assert_ptr_nonnull(strstr(words, "and 9 can be compared"));
	leave();
	many_houses(10, 160.0);
	plan->scripted = false; /* a real model may be slow */
	explore_judge(plan, &verdict);
	ck_assert(verdict.passed && verdict.hybrid_time == EXPLORE_NOT_ASKED);
	leave();
}
END_TEST

static const struct explore_contrast *contrast(const char *name)
{
	for (uint32_t i = 0; i < explore_contrast_count; i++)
		if (strcmp(explore_contrasts[i].name, name) == 0)
			return &explore_contrasts[i];
	ck_abort_msg("%s", name);
}

/* So many seeds of two houses and two ways: frontier 100 s, hybrid as given in house1 and 50 s in house0. */
static void seeds_of_one_house(uint32_t seeds, const double *hybrid_s)
{
	all_well();
	free(plan->baseline);
	plan->baseline = NULL;
	struct explore_outcome good = plan->results[0];
	plan->results = realloc(plan->results, 4 * seeds * sizeof(*plan->results));
	plan->done = realloc(plan->done, 4 * seeds * sizeof(*plan->done));
	plan->world_count = plan->mode_count = 2;
	plan->seeds = seeds;
	plan->modes[1] = CAIRN_TRIAL_HYBRID;
	for (uint32_t i = 0; i < 4 * seeds; i++) {
		plan->results[i] = good;
		plan->results[i].trial.mode = plan->modes[i / seeds % 2];
		plan->results[i].trial.decisions = plan->results[i].trial.calls = 12;
		plan->results[i].trial.seconds = i < 3 * seeds ? 100.0 : hybrid_s[i - 3 * seeds];
		plan->done[i] = true;
	}
	for (uint32_t i = seeds; i < 2 * seeds; i++)
		plan->results[i].trial.seconds = 50.0; /* the other house makes up for it in the mean */
}

START_TEST(a_house_in_which_hybrid_surely_takes_longer_fails_and_chance_does_not)
{
	static const double longer_s[] = {108, 112, 109, 111, 107, 113, 110, 110}, /* 10 % by every seed */
	    chance_s[] = {60, 180, 90, 130, 80, 150, 70, 120}; /* 10 % as well: from -18 to 40 */
	seeds_of_one_house(8, longer_s);
	fails_for(EXPLORE_FAULT_HYBRID_HOUSE, "house1, hybrid: takes 10.0 % longer");
	seeds_of_one_house(7, longer_s);
	explore_judge(plan, &verdict);
	ck_assert(verdict.passed);
	leave();
	seeds_of_one_house(8, chance_s);
	explore_judge(plan, &verdict);
	ck_assert(verdict.passed);
	struct cairn_interval i = explore_compare_house(plan, 1, 0, 1, contrast("seconds_percent"));
	ck_assert_uint_eq(i.count, 8);
	ck_assert_double_eq_tol(i.mean, 10.0, 1e-9);
	leave();
}
END_TEST

START_TEST(a_model_that_hardly_answers_is_not_passed_for_what_drove_in_its_place)
{
	all_well();
	trial(1, 2)->calls = trial(1, 2)->failures = 55;
	trial(1, 2)->decisions = 0;
	fails_for(EXPLORE_FAULT_MODEL_SILENT, "house1, hybrid, seed 1: 55 of 55 calls of the model without a "
					      "usable answer, 0 of its decisions driven");
	all_well();
	trial(1, 2)->decisions = 0; /* it answered, and nothing came of it */
	fails_for(EXPLORE_FAULT_MODEL_SILENT, "0 of 12 calls");
	all_well();
	trial(1, 2)->failures = 6; /* of 12 */
	explore_judge(plan, &verdict);
	ck_assert(verdict.passed);
	trial(1, 2)->failures = 7;
	fails_for(EXPLORE_FAULT_MODEL_SILENT, "7 of 12 calls");
	all_well();
	trial(1, 2)->decisions = trial(1, 2)->calls = 0;
	trial(1, 2)->path_m = 0.9; /* seen at a glance: there was nothing to ask */
	explore_judge(plan, &verdict);
	ck_assert(verdict.passed);
	trial(1, 2)->path_m = 1.1;
	fails_for(EXPLORE_FAULT_MODEL_SILENT, "0 of 0 calls");
}
END_TEST

START_TEST(a_model_that_is_only_watched_must_answer_and_drives_nothing)
{
	all_well();
	free(plan->baseline);
	plan->baseline = NULL;
	plan->modes[2] = CAIRN_TRIAL_SHADOW;
	for (uint32_t h = 0; h < HOUSES; h++) {
		trial(h, 2)->mode = CAIRN_TRIAL_SHADOW;
		trial(h, 2)->decisions = 0;
	}
	explore_judge(plan, &verdict);
	ck_assert(verdict.passed);
	trial(0, 2)->failures = 12;
	fails_for(EXPLORE_FAULT_MODEL_SILENT, "house0, shadow, seed 1: 12 of 12 calls");
}
END_TEST

START_TEST(less_than_the_baseline_allows_fails_in_each_house_and_way)
{
	all_well();
	trial(2, 1)->coverage = 0.9701; /* 99 less 2 points */
	explore_judge(plan, &verdict);
	ck_assert(verdict.passed);
	trial(2, 1)->coverage = 0.9699;
	fails_for(EXPLORE_FAULT_BASELINE, "house2, nearest, seed 1: 97.0 % seen");
}
END_TEST

START_TEST(what_the_baseline_does_not_know_or_nobody_drove_fails)
{
	all_well();
	plan->baseline->count--;
	fails_for(EXPLORE_FAULT_NO_BASELINE, "house2, hybrid, seed 1");
	all_well();
	plan->baseline->rows[plan->baseline->count] = plan->baseline->rows[0];
	plan->baseline->rows[plan->baseline->count++].seed = 2;
	fails_for(EXPLORE_FAULT_NOT_DRIVEN, "house0, frontier, seed 2");
}
END_TEST

static bool reads(const char *text, struct explore_baseline *ret, struct cairn_error *err)
{
	char path[] = "/tmp/cairn-baseline-XXXXXX";
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	bool ok = explore_baseline_load(path, ret, err);
	unlink(path);
	return ok;
}

START_TEST(a_baseline_is_read_and_what_is_wrong_in_it_is_named_by_its_line)
{
	static struct explore_baseline b;
	struct cairn_error err = {""};
	ck_assert(reads(
	    "# remark\nallowance 2.5\n\nhome frontier 1 98.2 # as of now\nhome hybrid 1 97\n", &b, &err));
	ck_assert_uint_eq(b.count, 2);
	ck_assert_double_eq(b.allowance_points, 2.5);
	ck_assert_str_eq(b.rows[1].world, "home");
	ck_assert_int_eq(b.rows[1].mode, CAIRN_TRIAL_HYBRID);
	ck_assert_double_eq(b.rows[0].seen_percent, 98.2);
	ck_assert(!reads("allowance 2\nhome forward 1 98\n", &b, &err));
	ck_assert_ptr_nonnull(strstr(err.text, ":2: "));
	ck_assert(!reads("home frontier 1 98\n", &b, &err)); /* no allowance */
	ck_assert(!reads("allowance 2\n", &b, &err));
	ck_assert(!reads("allowance 2\nhome frontier 1 98\nhome frontier 1 97\n", &b, &err));
	ck_assert(!reads("allowance nan\nhome frontier 1 98\n", &b, &err));
	ck_assert(!reads("allowance 2\nhome frontier 1 198\n", &b, &err));
	ck_assert(!explore_baseline_load("/nowhere", &b, &err));
}
END_TEST

START_TEST(a_pair_that_is_left_out_of_a_difference_is_named_with_its_reason)
{
	struct explore_gap gaps[4];
	uint32_t pairs;
	all_well();
	ck_assert_uint_eq(
	    explore_left_out(plan, 0, 1, EXPLORE_ALL, contrast("seen_when_90_percent"), gaps, 4, &pairs), 0);
	ck_assert_uint_eq(pairs, 3);
	for (int k = 890; k <= CAIRN_TRIAL_SHARES; k++)
		trial(1, 1)->reach_s[k] = -1.0;
	trial(1, 1)->coverage = 0.889;
	trial(1, 1)->seconds = 600.0;
	trial(1, 1)->explored = false;
	ck_assert_uint_eq(
	    explore_left_out(plan, 0, 1, EXPLORE_ALL, contrast("seen_when_90_percent"), gaps, 4, &pairs), 1);
	ck_assert_uint_eq(pairs, 2);
	ck_assert_uint_eq(gaps[0].world, 1);
	ck_assert_str_eq(gaps[0].why, "nearest never saw 90 %: 88.9 % after 600 s");
	ck_assert_uint_eq(
	    explore_compare(plan, 0, 1, EXPLORE_ALL, contrast("seen_when_90_percent")).count, 2);
	ck_assert_uint_eq(
	    explore_left_out(plan, 0, 1, EXPLORE_ALL, contrast("path_percent"), gaps, 4, &pairs), 1);
	ck_assert_str_eq(gaps[0].why, "nearest ended by time after 600 s, 88.9 % seen");
	plan->done[6] = false;
	ck_assert_uint_eq(
	    explore_left_out(plan, 0, 1, EXPLORE_ALL, contrast("path_percent"), gaps, 4, &pairs), 2);
	ck_assert_str_eq(gaps[1].why, "frontier has no result");
	ck_assert_uint_eq(
	    explore_left_out(plan, 0, 1, EXPLORE_FIRST_HALF, contrast("path_percent"), NULL, 0, &pairs), 1);
	leave();
}
END_TEST

static double metric(const char *name, uint32_t mode)
{
	for (uint32_t i = 0; i < explore_metric_count; i++)
		if (strcmp(explore_metrics[i].name, name) == 0)
			return explore_mean(plan, mode, &explore_metrics[i]).count > 0
				   ? explore_mean(plan, mode, &explore_metrics[i]).mean
				   : NAN;
	ck_abort_msg("%s", name);
}

START_TEST(what_was_seen_after_a_time_that_no_trial_was_allowed_is_not_known)
{
	all_well();
	ck_assert_double_eq(metric("seen_10_min_percent", 0), 98.5);
	for (uint32_t h = 0; h < HOUSES; h++)
		trial(h, 0)->limit_s = 240.0;
	ck_assert_double_eq(metric("seen_2_min_percent", 0), 98.5);
	ck_assert_double_nan(metric("seen_5_min_percent", 0));
	ck_assert_double_nan(metric("seen_10_min_percent", 0));
	leave();
}
END_TEST

/* 40 % in the first second, 0.24 % a second from there on until 98.895 %, then nothing new until its end. */
static void see_slowly(struct cairn_trial_result *r, double seconds, double coverage)
{
	r->seconds = seconds;
	r->coverage = coverage;
	for (int k = 0; k <= CAIRN_TRIAL_SHARES; k++) {
		double share = (double)k / CAIRN_TRIAL_SHARES;
		r->reach_s[k] = share > coverage ? -1.0 : share <= 0.4 ? 1.0 : 1.0 + (share - 0.4) / 0.0024;
	}
}

START_TEST(what_was_seen_by_a_time_is_no_whole_number_of_percent)
{
	all_well();
	for (uint32_t h = 0; h < HOUSES; h++)
		see_slowly(trial(h, 0), 32.0, 0.98895);
	ck_assert_double_eq_tol(metric("seen_2_min_percent", 0), 98.895, 1e-9); /* ended before */
	for (uint32_t h = 0; h < HOUSES; h++)
		see_slowly(trial(h, 0), 400.0, 0.98895);
	ck_assert_double_eq_tol(metric("seen_2_min_percent", 0), 40.0 + 0.24 * 119.0, 1e-9); /* 68.56 */
	ck_assert_double_eq_tol(metric("seen_5_min_percent", 0), 98.895, 0.1);
	ck_assert_double_eq_tol(metric("seen_10_min_percent", 0), 98.895, 1e-9);
	/* The other has seen 90 % after 90 s; the same trial beside itself has seen what it has. */
	ck_assert_double_eq_tol(
	    explore_compare(plan, 0, 1, EXPLORE_ALL, contrast("seen_when_90_percent")).mean,
	    40.0 + 0.24 * 89.0, 1e-9);
	ck_assert_double_eq_tol(
	    explore_compare(plan, 0, 0, EXPLORE_ALL, contrast("seen_when_90_percent")).mean, 90.0, 1e-9);
	leave();
}
END_TEST

START_TEST(starts_are_told_and_those_that_had_to_be_the_worlds_own_are_counted)
{
	static const char line[] = "trials started at the world's own start: no other place fits.\n";
	json_t *figures = json_object();
	all_well();
	explore_judge(plan, &verdict);
	char *text = explore_text(plan, &verdict);
	ck_assert_ptr_null(strstr(text, line));
	free(text);
	trial(0, 1)->no_other_start = trial(2, 0)->no_other_start = trial(2, 2)->no_other_start = true;
	plan->done[8] = false; /* the last of them is not known of */
	trial(0, 1)->start = (struct cairn_pose2){1.25, -2.5, 0.75};
	text = explore_text(plan, &verdict);
	const char *at = strstr(text, line);
	ck_assert_ptr_nonnull(at);
	ck_assert_int_eq(strncmp(at - 3, "\n2 ", 3), 0);
	free(text);
	explore_figures(plan, &verdict, figures);
	json_t *told = json_array_get(json_object_get(figures, "trials"), 1),
	       *start = json_object_get(told, "start");
	ck_assert(json_is_true(json_object_get(told, "no_other_start")));
	ck_assert_double_eq(json_real_value(json_object_get(start, "x_m")), 1.25);
	ck_assert_double_eq(json_real_value(json_object_get(start, "y_m")), -2.5);
	ck_assert_double_eq(json_real_value(json_object_get(start, "yaw_rad")), 0.75);
	ck_assert(json_is_false(
	    json_object_get(json_array_get(json_object_get(figures, "trials"), 0), "no_other_start")));
	json_decref(figures);
	leave();
}
END_TEST

START_TEST(discoveries_of_houses_that_tell_nothing_are_no_zeros)
{
	all_well();
	ck_assert_double_nan(metric("discoveries_right", 0));
	trial(1, 0)->discoveries_known = true;
	trial(1, 0)->discoveries[CAIRN_DISCOVERY_RIGHT] = 4;
	ck_assert_double_eq(metric("discoveries_right", 0), 4.0);
	leave();
}
END_TEST

CAIRN_TEST_MAIN("explore_judge", an_evaluation_without_fault_passes, a_contact_of_any_way_fails,
    an_early_end_fails, a_frontier_without_a_reason_fails, a_trial_without_result_fails_with_what_it_said,
    a_file_that_is_no_house_fails_the_others_aside,
    one_house_that_was_hardly_seen_fails_whatever_the_others_make_of_the_mean,
    the_mean_of_every_way_is_judged_not_of_frontier_alone, hybrid_may_not_see_much_less_than_frontier,
    hybrid_may_not_take_much_longer_than_frontier_in_ten_houses_and_of_fewer_nothing_is_said,
    a_house_in_which_hybrid_surely_takes_longer_fails_and_chance_does_not,
    a_model_that_hardly_answers_is_not_passed_for_what_drove_in_its_place,
    a_model_that_is_only_watched_must_answer_and_drives_nothing,
    less_than_the_baseline_allows_fails_in_each_house_and_way,
    what_the_baseline_does_not_know_or_nobody_drove_fails,
    a_baseline_is_read_and_what_is_wrong_in_it_is_named_by_its_line,
    a_pair_that_is_left_out_of_a_difference_is_named_with_its_reason,
    what_was_seen_after_a_time_that_no_trial_was_allowed_is_not_known,
    what_was_seen_by_a_time_is_no_whole_number_of_percent,
    starts_are_told_and_those_that_had_to_be_the_worlds_own_are_counted,
    discoveries_of_houses_that_tell_nothing_are_no_zeros)
