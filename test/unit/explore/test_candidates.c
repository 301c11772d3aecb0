/* Which places are offered, in what order, and under which numbers. */
#include "test/support/choice_set.h"

static uint32_t of_kind(const struct cairn_msg_candidates *s, enum cairn_candidate_kind kind)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->items_count; i++)
		n += s->items[i].kind == kind;
	return n;
}

static const struct cairn_msg_candidate *named(const struct cairn_msg_candidates *s, const char *word)
{
	for (uint32_t i = 0; i < s->items_count; i++) {
		if (strcmp(s->items[i].name, word) == 0)
			return &s->items[i];
	}
	return NULL;
}

/* An empty hall of 8 by 8 m that the robot stands in the middle of. */
static struct cairn_candidates_inputs hall(struct ground *g)
{
	ground_init(g, 5.0);
	ground_floor(g, -4.0, -4.0, 4.0, 4.0);
	cairn_candidates_init(&choice, &g->cfg, 1000);
	return ground_stand(g, (struct cairn_pose2){0});
}

START_TEST(places_half_a_metre_apart_are_two_and_nearer_ones_are_one)
{
	for (int i = 0; i < 2; i++) {
		struct ground g;
		struct cairn_candidates_inputs in = hall(&g);
		struct cairn_msg_place p[2];
		name(&p[0], "near", 2.0, 0.0);
		name(&p[1], "far", 2.0 + (i == 0 ? 0.49 : 0.51), 0.0);
		in.places = p;
		in.place_count = 2;
		update(&in);
		ck_assert_uint_eq(of_kind(&set, CAIRN_CANDIDATE_KIND_WAYPOINT), i == 0 ? 1 : 2);
		ck_assert_ptr_nonnull(named(&set, "near")); /* the nearer one scores higher */
		ground_free(&g);
	}
}
END_TEST

START_TEST(three_to_five_are_offered_and_three_of_a_kind_at_most)
{
	struct ground g;
	struct cairn_candidates_inputs in = hall(&g);
	static struct cairn_msg_frontiers f;
	struct cairn_msg_place p[6];
	memset(&f, 0, sizeof(f));
	update(&in);
	ck_assert_uint_eq(
	    set.items_count, CAIRN_CANDIDATES_MIN); /* nothing to do: places to look around from */
	ck_assert_uint_eq(of_kind(&set, CAIRN_CANDIDATE_KIND_RECOVERY), 3);
	ck_assert(!set.stuck && !set.has_goal);
	in.frontiers = &f;
	f.items[f.items_count++] = opening(1, 3.5, 0.0);
	update(&in);
	ck_assert_uint_eq(set.items_count, CAIRN_CANDIDATES_MIN);
	ck_assert_uint_eq(of_kind(&set, CAIRN_CANDIDATE_KIND_FRONTIER), 1);
	for (uint32_t i = 2; i < 6; i++)
		f.items[f.items_count++] = opening(i, 3.5, 0.7 * i);
	update(&in);
	ck_assert_uint_eq(set.items_count, 3); /* three of a kind, and no reason for others */
	for (int i = 0; i < 6; i++) {
		char word[8] = {(char)('a' + i)};
		name(&p[i], word, -2.0, -2.0 + 0.8 * i);
	}
	in.places = p;
	in.place_count = 6;
	update(&in);
	ck_assert_uint_eq(set.items_count, CAIRN_CANDIDATES_MAX);
	ck_assert_uint_le(of_kind(&set, CAIRN_CANDIDATE_KIND_FRONTIER), 3);
	ck_assert_uint_le(of_kind(&set, CAIRN_CANDIDATE_KIND_WAYPOINT), 3);
	ck_assert_uint_eq(of_kind(&set, CAIRN_CANDIDATE_KIND_RECOVERY), 0);
	ground_free(&g);
}
END_TEST

START_TEST(the_scores_of_an_offered_place_are_those_of_the_formulas)
{
	struct ground g;
	struct cairn_candidates_inputs in = hall(&g);
	struct cairn_msg_place p;
	const struct cairn_vec2 goal = {3.0, 0.0};
	name(&p, "desk", 2.0, 0.0);
	in.places = &p;
	in.place_count = 1;
	in.goal = &goal;
	update(&in);
	const struct cairn_msg_candidate *m = named(&set, "desk");
	ck_assert_ptr_nonnull(m);
	ck_assert_double_eq_tol(m->goal, 1.0 - 1.0 / 3.0, 1e-9);
	ck_assert_double_eq_tol(m->clearance, 1.0, 1e-9);
	ck_assert_double_eq_tol(m->novelty, 0.5, 1e-9);     /* known all around, never visited */
	ck_assert_double_eq_tol(m->feasibility, 1.0, 0.03); /* the wavefront counts in squares of 10 cm */
	ck_assert_double_eq_tol(m->score, 0.4 * (2.0 / 3.0) + 0.2 + 0.25 * 0.5 + 0.15 * m->feasibility, 1e-9);
	ck_assert_double_eq_tol(m->path_m, 2.0, 0.11);
	ck_assert_double_eq_tol(m->bearing_rad, 0.0, 1e-9);
	ck_assert(set.has_goal);
	ck_assert_int_eq(
	    set.items[0].kind, CAIRN_CANDIDATE_KIND_GOAL); /* 1 for the goal term, all else equal */
	ground_free(&g);
}
END_TEST

START_TEST(ties_keep_the_order_of_the_sources)
{
	for (int turn = 0; turn < 2; turn++) {
		struct ground g;
		struct cairn_candidates_inputs in = hall(&g);
		struct cairn_msg_place p[2];
		name(&p[turn], "left", 0.0, 2.0);
		name(&p[1 - turn], "right", 0.0, -2.0);
		choice.cfg.weight_goal = choice.cfg.weight_feasibility =
		    0.0; /* what is left is the same for both */
		in.places = p;
		in.place_count = 2;
		for (int again = 0; again < 3; again++) {
			update(&in);
			const struct cairn_msg_candidate *l = named(&set, "left"), *r = named(&set, "right");
			ck_assert_ptr_nonnull(l);
			ck_assert_ptr_nonnull(r);
			ck_assert_double_eq(l->score, r->score);
			ck_assert(turn == 0 ? l < r : r < l);
		}
		ground_free(&g);
	}
}
END_TEST

START_TEST(subgoals_lie_every_metre_of_the_path_ahead)
{
	struct ground g;
	struct cairn_candidates_inputs in = hall(&g);
	struct cairn_msg_path_point path[46];
	const struct cairn_vec2 goal = {3.5, 0.0};
	memset(path, 0, sizeof(path));
	for (int i = 0; i < 46; i++) /* 4.5 m from (-1, 0) */
		path[i].x_m = -1.0f + 0.1f * (float)i;
	in.goal = &goal;
	in.path = path;
	in.path_count = 46;
	in.pose = (struct cairn_pose2){-1.0, 0.0, 0.0};
	update(&in);
	ck_assert_uint_eq(of_kind(&set, CAIRN_CANDIDATE_KIND_SUBGOAL), 3);
	ck_assert_uint_eq(of_kind(&set, CAIRN_CANDIDATE_KIND_GOAL), 1);
	ck_assert_double_eq_tol(set.items[0].x_m, 3.5, 1e-6);
	ck_assert_double_eq_tol(set.items[1].x_m, 2.0, 1e-5); /* nearer to the goal is better */
	ck_assert_double_eq_tol(set.items[2].x_m, 1.0, 1e-5);
	ck_assert_double_eq_tol(set.items[3].x_m, 0.0, 1e-5);
	uint32_t id = set.items[1].id;
	in.pose.x_m = 0.7; /* driven 1.7 m: the first is behind, the second 0.3 m ahead */
	update(&in);
	ck_assert_uint_eq(of_kind(&set, CAIRN_CANDIDATE_KIND_SUBGOAL), 2);
	ck_assert_double_eq_tol(set.items[1].x_m, 3.0, 1e-5);
	ck_assert_double_eq_tol(set.items[2].x_m, 2.0, 1e-5);
	ck_assert_uint_eq(set.items[2].id, id);
	ground_free(&g);
}
END_TEST

START_TEST(a_stuck_robot_is_offered_two_ways_out_at_least)
{
	struct ground g;
	struct cairn_candidates_inputs in = hall(&g);
	static struct cairn_msg_frontiers f;
	memset(&f, 0, sizeof(f));
	for (uint32_t i = 1; i < 4; i++)
		f.items[f.items_count++] = opening(i, 3.5, 0.7 * i);
	in.frontiers = &f;
	update(&in);
	ck_assert_uint_eq(of_kind(&set, CAIRN_CANDIDATE_KIND_RECOVERY), 0);
	in.stuck = true;
	update(&in);
	ck_assert(set.stuck);
	ck_assert_uint_ge(of_kind(&set, CAIRN_CANDIDATE_KIND_RECOVERY), 2);
	ck_assert_uint_ge(of_kind(&set, CAIRN_CANDIDATE_KIND_FRONTIER), 2);
	ground_free(&g);
}
END_TEST

START_TEST(recovery_places_are_the_wide_and_unvisited_ones_first)
{
	struct ground g;
	struct cairn_msg_candidate out[CAIRN_CANDIDATES_RECOVERY_MAX];
	ground_init(&g, 4.0);
	/* A crossing: arms of 2 m and of 0.6 m width, the wide one to the left and the narrow one ahead
	 * visited. */
	ground_wall(&g, -3.5, -3.5, 3.5, 3.5);
	ground_floor(&g, -1.0, -3.2, 1.0, 3.2);
	ground_floor(&g, -3.2, -0.3, 3.2, 0.3);
	ground_visit(&g, -1.0, 0.3, 1.0, 3.2);
	ground_visit(&g, 1.0, -0.3, 3.2, 0.3);
	cairn_candidates_init(&choice, &g.cfg, 1);
	struct cairn_candidates_inputs in = ground_stand(&g, (struct cairn_pose2){0.0, 0.0, 0.0});
	uint32_t count = cairn_candidates_recovery(&choice, &in, out);
	ck_assert_uint_ge(count, 6);
	ck_assert_double_lt(out[0].y_m, -0.3); /* wide and unvisited */
	ck_assert_double_lt(fabs(out[0].x_m), 0.6);
	double last = INFINITY;
	for (uint32_t i = 0; i < count; i++) {
		double v = cairn_ground_visited_share(&in.ground, out[i].x_m, out[i].y_m);
		double worth = fmin(1.0, out[i].clearance_m / 0.5) + 1.0 - fmin(1.0, v / 0.25);
		double away = hypot(out[i].x_m, out[i].y_m);
		ck_assert_double_gt(out[i].clearance_m, 0.10);
		ck_assert(away >= 0.6 && away <= 2.5);
		ck_assert_double_le(worth, last);
		last = worth;
		for (uint32_t k = 0; k < i; k++)
			ck_assert_double_ge(hypot(out[i].x_m - out[k].x_m, out[i].y_m - out[k].y_m), 0.5);
	}
	ground_free(&g);
}
END_TEST

START_TEST(a_place_with_a_tenth_of_a_metre_beside_the_robot_is_too_narrow)
{
	/* Corridors whose middle is 4, 5 and 6 cells from the walls: 0.075, 0.125 and 0.175 m beside the
	 * robot. */
	const double half[] = {0.17, 0.22, 0.27};
	for (int i = 0; i < 3; i++) {
		struct ground g;
		struct cairn_msg_candidate out[CAIRN_CANDIDATES_RECOVERY_MAX];
		ground_init(&g, 4.0);
		ground_wall(&g, -3.5, -1.0, 3.5, 1.0);
		ground_fill(&g, -3.2, 0.02 - half[i], 3.2, 0.03 + half[i], CAIRN_ODDS_MIN);
		cairn_candidates_init(&choice, &g.cfg, 1);
		struct cairn_candidates_inputs in = ground_stand(&g, (struct cairn_pose2){0.0, 0.02, 0.0});
		uint32_t count = cairn_candidates_recovery(&choice, &in, out);
		ck_assert_uint_eq(count > 0, i > 0);
		ground_free(&g);
	}
}
END_TEST

START_TEST(frontiers_out_of_reach_or_given_up_are_not_offered)
{
	struct ground g;
	struct cairn_candidates_inputs in = hall(&g);
	static struct cairn_msg_frontiers f;
	const struct cairn_msg_given_up vain = {.x_m = 3.0, .y_m = 0.4};
	memset(&f, 0, sizeof(f));
	f.items[f.items_count++] = opening(1, 3.0, 0.0);
	f.items[f.items_count++] = opening(2, 0.0, 3.0);
	f.items[f.items_count++] = opening(3, 0.0, 4.5); /* in the unknown */
	f.items[f.items_count++] = opening(4, 0.0, -3.0);
	f.items[3].distance_m = -1.0;
	in.frontiers = &f;
	in.given_up = &vain;
	in.given_up_count = 1;
	update(&in);
	ck_assert_uint_eq(of_kind(&set, CAIRN_CANDIDATE_KIND_FRONTIER), 1);
	for (uint32_t i = 0; i < set.items_count; i++)
		ck_assert(
		    set.items[i].kind != CAIRN_CANDIDATE_KIND_FRONTIER || set.items[i].frontier_id == 2);
	ground_free(&g);
}
END_TEST

START_TEST(an_id_means_one_place_and_a_set_its_ids)
{
	struct ground g;
	struct cairn_candidates_inputs in = hall(&g);
	static struct cairn_msg_frontiers f;
	memset(&f, 0, sizeof(f));
	f.items[0] = opening(1, 3.0, 0.0);
	f.items_count = 1;
	in.frontiers = &f;
	update(&in);
	ck_assert_uint_eq(set.first_set, 1000);
	ck_assert_uint_eq(set.set, 1001);
	uint32_t id = 0;
	for (uint32_t i = 0; i < set.items_count; i++) {
		ck_assert_uint_eq(set.items[i].since, 1001);
		if (set.items[i].kind == CAIRN_CANDIDATE_KIND_FRONTIER)
			id = set.items[i].id;
	}
	f.items[0].goal_y_m = 0.2; /* the mapper sees it a little aside */
	update(&in);
	ck_assert_uint_eq(set.set, 1001);
	for (uint32_t i = 0; i < set.items_count; i++) {
		if (set.items[i].id == id)
			ck_assert_double_eq(set.items[i].y_m, 0.0); /* the same place */
	}
	f.items[0].goal_y_m = 0.3; /* elsewhere: another number */
	update(&in);
	ck_assert_uint_eq(set.set, 1002);
	uint32_t second = 0;
	for (uint32_t i = 0; i < set.items_count; i++) {
		ck_assert_uint_ne(set.items[i].id, id);
		if (set.items[i].kind == CAIRN_CANDIDATE_KIND_FRONTIER) {
			second = set.items[i].id;
			ck_assert_uint_eq(set.items[i].since, 1002);
		}
	}
	f.items[0].id = 2; /* another frontier at the very place is another candidate */
	update(&in);
	for (uint32_t i = 0; i < set.items_count; i++)
		ck_assert_uint_ne(set.items[i].id, second);
	f.items[0] = opening(1, 3.0, 0.0); /* back where it was: the old number */
	update(&in);
	bool again = false;
	for (uint32_t i = 0; i < set.items_count; i++)
		again |= set.items[i].id == id && set.items[i].since == 1001;
	ck_assert(again);
	ground_free(&g);
}
END_TEST

START_TEST(a_known_place_that_has_become_an_obstacle_is_not_offered_again)
{
	struct ground g;
	struct cairn_candidates_inputs in = hall(&g);
	struct cairn_msg_place p;
	name(&p, "door", 2.0, 0.0);
	in.places = &p;
	in.place_count = 1;
	update(&in);
	ck_assert_ptr_nonnull(named(&set, "door"));
	ground_wall(&g, 1.9, -0.1, 2.1, 0.1);
	struct cairn_candidates_inputs now = ground_stand(&g, in.pose);
	now.places = &p;
	now.place_count = 1;
	update(&now);
	ck_assert_ptr_null(named(&set, "door"));
	ground_free(&g);
}
END_TEST

START_TEST(a_place_beside_one_that_is_blocked_now_is_a_new_one)
{
	struct ground g;
	struct cairn_candidates_inputs in = hall(&g);
	static struct cairn_msg_frontiers f;
	memset(&f, 0, sizeof(f));
	f.items[0] = opening(1, 2.02, 0.02);
	f.items_count = 1;
	in.frontiers = &f;
	update(&in);
	ck_assert_uint_eq(of_kind(&set, CAIRN_CANDIDATE_KIND_FRONTIER), 1);
	ground_wall(&g, 2.01, 0.01, 2.04, 0.04); /* a chair leg */
	f.items[0] = opening(1, 1.82, 0.02);
	struct cairn_candidates_inputs now = ground_stand(&g, in.pose);
	now.frontiers = &f;
	update(&now);
	ck_assert_uint_eq(of_kind(&set, CAIRN_CANDIDATE_KIND_FRONTIER), 1);
	for (uint32_t i = 0; i < set.items_count; i++) {
		if (set.items[i].kind == CAIRN_CANDIDATE_KIND_FRONTIER)
			ck_assert_double_eq(set.items[i].x_m, 1.82);
	}
	ground_free(&g);
}
END_TEST

START_TEST(a_place_the_robot_is_too_wide_for_is_not_offered)
{
	struct ground g;
	struct cairn_candidates_inputs in = hall(&g);
	struct cairn_msg_place p;
	ground_wall(&g, 2.31, -1.0, 2.34, 1.0); /* 6 cells from the place: 0.275 m to its edge */
	in = ground_stand(&g, in.pose);
	name(&p, "niche", 2.02, 0.02);
	in.places = &p;
	in.place_count = 1;
	choice.half_width_m = 0.27;
	update(&in);
	ck_assert_ptr_nonnull(named(&set, "niche"));
	choice.half_width_m = 0.28;
	update(&in);
	ck_assert_ptr_null(named(&set, "niche"));
	ground_free(&g);
}
END_TEST

START_TEST(a_place_offered_last_time_stays_before_one_that_is_hardly_better)
{
	struct ground g;
	struct cairn_candidates_inputs in = hall(&g);
	struct cairn_msg_place p[2];
	const struct cairn_vec2 goal = {0.0, 3.5};
	name(&p[0], "old", 2.0, 2.0);
	name(&p[1], "new", 2.0, 2.4); /* 0.4 m apart: one of them */
	in.places = p;
	in.place_count = 1;
	in.goal = &goal;
	update(&in);
	ck_assert_ptr_nonnull(named(&set, "old"));
	double old = named(&set, "old")->score;
	uint64_t before = set.set;
	in.place_count = 2;
	update(&in);
	ck_assert_ptr_nonnull(named(&set, "old"));
	ck_assert_ptr_null(named(&set, "new"));
	ck_assert_uint_eq(set.set, before);
	cairn_candidates_init(&choice, &g.cfg, 1); /* without a past the better one is offered */
	update(&in);
	ck_assert_ptr_null(named(&set, "old"));
	double better = named(&set, "new")->score - old;
	ck_assert(better > 0.0 && better < 0.05);
	ground_free(&g);
}
END_TEST

CAIRN_TEST_MAIN("choice", places_half_a_metre_apart_are_two_and_nearer_ones_are_one,
    three_to_five_are_offered_and_three_of_a_kind_at_most,
    the_scores_of_an_offered_place_are_those_of_the_formulas, ties_keep_the_order_of_the_sources,
    subgoals_lie_every_metre_of_the_path_ahead, a_stuck_robot_is_offered_two_ways_out_at_least,
    recovery_places_are_the_wide_and_unvisited_ones_first,
    a_place_with_a_tenth_of_a_metre_beside_the_robot_is_too_narrow,
    frontiers_out_of_reach_or_given_up_are_not_offered, an_id_means_one_place_and_a_set_its_ids,
    a_known_place_that_has_become_an_obstacle_is_not_offered_again,
    a_place_beside_one_that_is_blocked_now_is_a_new_one, a_place_the_robot_is_too_wide_for_is_not_offered,
    a_place_offered_last_time_stays_before_one_that_is_hardly_better)
