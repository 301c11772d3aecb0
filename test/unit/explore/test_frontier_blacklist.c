/* Which openings are worth a visit. */
#include <math.h>
#include <string.h>

#include "common/explore/frontier_blacklist.h"
#include "test/support/runner.h"

static struct cairn_msg_frontier frontier(uint32_t id, double x, double y, double width, double distance)
{
	return (struct cairn_msg_frontier){.id = id,
	    .x_m = x,
	    .y_m = y,
	    .goal_x_m = x,
	    .goal_y_m = y,
	    .width_m = width,
	    .distance_m = distance};
}

START_TEST(two_failures_at_a_place_give_it_up)
{
	struct cairn_frontier_blacklist e = {0};
	ck_assert(!cairn_frontier_blacklist_failed(&e, 1.0, 1.0, 5.0, 0.5, "no_path"));
	ck_assert_ptr_null(cairn_frontier_blacklist_given_up(&e, 1.0, 1.0));
	ck_assert(cairn_frontier_blacklist_failed(
	    &e, 1.2, 1.2, 5.0, 0.5, "stuck")); /* 0.28 m off: the same place */
	ck_assert_str_eq(cairn_frontier_blacklist_given_up(&e, 1.0, 1.0), "stuck");
	ck_assert_ptr_null(cairn_frontier_blacklist_given_up(&e, 1.0, 1.5)); /* 0.5 m off: another one */
	ck_assert(!cairn_frontier_blacklist_failed(&e, 1.0, 1.0, 5.0, 0.5, "again")); /* said once */
}
END_TEST

START_TEST(two_arrivals_that_change_nothing_give_it_up)
{
	struct cairn_frontier_blacklist e = {0};
	struct cairn_msg_frontiers f = {.items_count = 1, .items = {frontier(1, 2.0, 0.0, 1.0, 1.0)}};
	ck_assert(!cairn_frontier_blacklist_arrived(&e, 2.0, 0.0, 5.0, CAIRN_NS_PER_S));
	ck_assert(
	    !cairn_frontier_blacklist_arrived(&e, 2.0, 0.0, 5.0, 19 * CAIRN_NS_PER_S / 10)); /* too soon */
	ck_assert(!cairn_frontier_blacklist_update(&e, &f));                                 /* still there */
	ck_assert(cairn_frontier_blacklist_arrived(&e, 2.1, 0.0, 5.0, 3 * CAIRN_NS_PER_S));
	ck_assert_str_eq(cairn_frontier_blacklist_given_up(&e, 2.0, 0.0), "visited 2 times, still open");
	ck_assert_uint_eq(cairn_frontier_blacklist_left(&e, &f, 0.3), 0);
}
END_TEST

START_TEST(an_arrival_is_forgotten_when_the_frontier_is_gone)
{
	struct cairn_frontier_blacklist e = {0};
	struct cairn_msg_frontiers none = {0};
	cairn_frontier_blacklist_arrived(&e, 2.0, 0.0, 5.0, 0);
	ck_assert(cairn_frontier_blacklist_update(&e, &none));
	ck_assert(!cairn_frontier_blacklist_arrived(
	    &e, 2.0, 0.0, 5.0, 9 * CAIRN_NS_PER_S)); /* counts from one again */
	cairn_frontier_blacklist_failed(&e, -3.0, 0.0, 5.0, 0.5, "stuck");
	cairn_frontier_blacklist_update(&e, &none);
	ck_assert(cairn_frontier_blacklist_failed(&e, -3.0, 0.0, 5.0, 0.5, "stuck")); /* failures stay */
}
END_TEST

START_TEST(only_reachable_wide_and_new_frontiers_are_worthwhile)
{
	struct cairn_frontier_blacklist e = {0};
	struct cairn_msg_frontiers f = {.items_count = 5,
	    .items = {frontier(1, 0.0, 5.0, 1.0, 5.0), frontier(2, 3.0, 0.0, 0.2, 3.0),
		frontier(3, -3.0, 0.0, 1.0, -1.0), frontier(4, NAN, 0.0, 1.0, 1.0),
		frontier(5, 0.0, -4.0, 1.0, 4.0)}};
	ck_assert_uint_eq(cairn_frontier_blacklist_left(&e, &f, 0.3), 2);
	ck_assert_int_eq(cairn_frontier_blacklist_best(&e, &f, 0.3), 4);
	cairn_frontier_blacklist_failed(&e, 0.0, -4.0, 1.0, 0.5, "x");
	cairn_frontier_blacklist_failed(&e, 0.0, -4.0, 1.0, 0.5, "x");
	ck_assert_int_eq(cairn_frontier_blacklist_best(&e, &f, 0.3), 0);
	cairn_frontier_blacklist_failed(&e, 0.0, 5.0, 1.0, 0.5, "x");
	cairn_frontier_blacklist_failed(&e, 0.0, 5.0, 1.0, 0.5, "x");
	ck_assert_int_eq(cairn_frontier_blacklist_best(&e, &f, 0.3), -1);
}
END_TEST

START_TEST(a_doorway_is_worth_a_detour)
{
	struct cairn_frontier_blacklist e = {0};
	struct cairn_msg_frontiers f = {
	    .items_count = 2, .items = {frontier(1, 2.0, 0.0, 0.8, 2.0), frontier(2, 0.0, 2.3, 0.8, 2.3)}};
	ck_assert_int_eq(cairn_frontier_blacklist_best(&e, &f, 0.3), 0);
	f.items[1].kind = CAIRN_FRONTIER_KIND_DOORWAY;
	ck_assert_int_eq(cairn_frontier_blacklist_best(&e, &f, 0.3), 1);
}
END_TEST

START_TEST(a_grown_map_gives_one_more_chance_and_only_one)
{
	struct cairn_frontier_blacklist e = {0};
	cairn_frontier_blacklist_failed(&e, 1.0, 1.0, 20.0, 0.5, "no_path");
	cairn_frontier_blacklist_failed(&e, 1.0, 1.0, 20.0, 0.5, "no_path");
	ck_assert_uint_eq(cairn_frontier_blacklist_retry(&e, 21.9), 0);
	ck_assert_uint_eq(cairn_frontier_blacklist_retry(&e, 22.0), 1);
	ck_assert_ptr_null(cairn_frontier_blacklist_given_up(&e, 1.0, 1.0));
	ck_assert(cairn_frontier_blacklist_failed(
	    &e, 1.0, 1.0, 22.0, 0.5, "no_path")); /* the chance is used up at once */
	ck_assert_uint_eq(cairn_frontier_blacklist_retry(&e, 200.0), 0);
}
END_TEST

START_TEST(the_memory_never_overflows_and_lists_the_newest)
{
	struct cairn_frontier_blacklist e = {0};
	struct cairn_msg_mission m = {0};
	for (int i = 0; i < 3 * CAIRN_FRONTIER_BLACKLIST_MEMORY; i++) {
		cairn_frontier_blacklist_failed(&e, i, 0.0, 1.0, 0.5, "x");
		cairn_frontier_blacklist_failed(&e, i, 0.0, 1.0, 0.5, "x");
	}
	ck_assert_uint_eq(e.count, CAIRN_FRONTIER_BLACKLIST_MEMORY);
	ck_assert(cairn_frontier_blacklist_sane(&e));
	cairn_frontier_blacklist_list(&e, &m);
	ck_assert_uint_eq(m.given_up_count, 32);
	ck_assert_double_eq_tol(m.given_up[31].x_m, 3 * CAIRN_FRONTIER_BLACKLIST_MEMORY - 1, 1e-9);
	ck_assert(!cairn_frontier_blacklist_failed(&e, NAN, 0.0, 1.0, 0.5, "x"));
	ck_assert(cairn_frontier_blacklist_sane(&e));
}
END_TEST

START_TEST(the_ranked_order_wins_over_nearness_and_what_is_not_ranked_comes_last)
{
	struct cairn_frontier_blacklist e = {0};
	struct cairn_msg_frontiers f = {.items_count = 3,
	    .items = {frontier(1, 1.0, 0.0, 1.0, 1.0), frontier(2, 5.0, 0.0, 1.0, 5.0),
		frontier(3, 0.5, 5.0, 1.0, 0.5)}};
	f.items[0].detour_m = 2.0;
	f.items[1].detour_m = 0.0;
	f.items[2].detour_m = -1.0;
	ck_assert_int_eq(cairn_frontier_blacklist_best(&e, &f, 0.3), 1);
	f.items[1].detour_m = -1.0;
	ck_assert_int_eq(cairn_frontier_blacklist_best(&e, &f, 0.3), 0);
}
END_TEST

START_TEST(the_nearest_is_the_one_with_the_shortest_way_of_those_worth_it)
{
	struct cairn_frontier_blacklist e = {0};
	struct cairn_msg_frontiers f = {.items_count = 4,
	    .items = {frontier(1, 1.0, 0.0, 1.0, 3.0), frontier(2, 2.0, 0.0, 1.0, 2.0),
		frontier(3, 3.0, 0.0, 1.0, -1.0), frontier(4, 4.0, 0.0, 0.2, 0.5)}};
	f.items[0].detour_m = 0.1;
	f.items[1].detour_m = 5.0;
	ck_assert_int_eq(cairn_frontier_blacklist_nearest(&e, &f, 0.3), 1);
	cairn_frontier_blacklist_failed(&e, 2.0, 0.0, 5.0, 0.5, "stuck");
	cairn_frontier_blacklist_failed(&e, 2.0, 0.0, 5.0, 0.5, "stuck");
	ck_assert_int_eq(cairn_frontier_blacklist_nearest(&e, &f, 0.3), 0);
	f.items_count = 0;
	ck_assert_int_eq(cairn_frontier_blacklist_nearest(&e, &f, 0.3), -1);
}
END_TEST

START_TEST(the_end_says_of_every_open_frontier_why_it_was_not_visited)
{
	struct cairn_frontier_blacklist e = {0};
	struct cairn_msg_frontiers f = {.items_count = 4,
	    .items = {frontier(1, 1.0, 0.0, 1.0, -1.0), frontier(2, 5.0, 0.0, 0.2, 5.0),
		frontier(3, 0.5, 5.0, 1.0, 0.5), frontier(4, -3.0, 0.0, 1.0, 3.0)}};
	cairn_frontier_blacklist_failed(&e, -3.0, 0.0, 5.0, 0.5, "stuck");
	cairn_frontier_blacklist_failed(&e, -3.0, 0.0, 5.0, 0.5, "stuck");
	f.blind_count = 2;
	f.blind[0] = (struct cairn_msg_blind_spot){8.0, 1.0};
	f.blind[1] =
	    (struct cairn_msg_blind_spot){-3.1, 0.0}; /* was tried in vain before: that reason stays */
	cairn_frontier_blacklist_close(&e, &f, 0.3, false);
	ck_assert_str_eq(
	    cairn_frontier_blacklist_given_up(&e, 8.0, 1.0), "blind: looked into, nothing more to be seen");
	ck_assert_int_eq(strncmp(cairn_frontier_blacklist_given_up(&e, 1.0, 0.0), "unreachable: ", 13), 0);
	ck_assert_str_eq(cairn_frontier_blacklist_given_up(&e, 5.0, 0.0), "narrow: 0.20 m wide");
	ck_assert_ptr_null(
	    cairn_frontier_blacklist_given_up(&e, 0.5, 5.0)); /* it would not have been the end */
	ck_assert_str_eq(cairn_frontier_blacklist_given_up(&e, -3.0, 0.0), "stuck");
	cairn_frontier_blacklist_close(&e, &f, 0.3, true);
	ck_assert_str_eq(cairn_frontier_blacklist_given_up(&e, 0.5, 5.0), "time: it was up, 0.5 m away");
}
END_TEST

START_TEST(what_failed_from_afar_has_one_last_chance_and_what_failed_before_it_has_none)
{
	struct cairn_frontier_blacklist e = {0};
	struct cairn_msg_frontiers f = {.items_count = 3,
	    .items = {frontier(1, 1.0, 0.0, 2.1, -1.0), frontier(2, 5.0, 5.0, 1.0, 5.0),
		frontier(3, -3.0, 0.0, 1.0, 2.0)}};
	for (int i = 0; i < CAIRN_FRONTIER_BLACKLIST_TRIES; i++) {
		cairn_frontier_blacklist_failed(&e, 1.0, 0.0, 9.0, 0.5, "near");
		cairn_frontier_blacklist_failed(&e, 5.0, 0.0, 9.0, i == 0 ? 4.0 : 0.5, "afar");
		cairn_frontier_blacklist_arrived(&e, -3.0, 0.0, 9.0, (i + 1) * INT64_C(5000000000));
	}
	ck_assert_ptr_nonnull(cairn_frontier_blacklist_given_up(&e, 5.0, 0.0));
	ck_assert_ptr_nonnull(cairn_frontier_blacklist_given_up(&e, -3.0, 0.0));
	ck_assert_uint_eq(
	    cairn_frontier_blacklist_last_chance(&e, &f), 0); /* nothing is open there any more */
	f.items[1].y_m = 0.3;
	ck_assert_uint_eq(cairn_frontier_blacklist_last_chance(&e, &f), 1);
	ck_assert_ptr_null(cairn_frontier_blacklist_given_up(&e, 5.0, 0.0));
	ck_assert_str_eq(cairn_frontier_blacklist_given_up(&e, 1.0, 0.0), "near");
	ck_assert_ptr_nonnull(cairn_frontier_blacklist_given_up(&e, -3.0, 0.0));
	ck_assert(cairn_frontier_blacklist_failed(&e, 5.0, 0.0, 9.0, 4.0, "again")); /* one more, not two */
	ck_assert_uint_eq(cairn_frontier_blacklist_last_chance(&e, &f), 0);
	ck_assert_uint_eq(cairn_frontier_blacklist_retry(&e, 100.0),
	    2); /* the floor has grown: the others, which had none */
}
END_TEST

START_TEST(of_what_cannot_be_reached_the_widest_with_a_place_to_look_from_is_looked_at_and_each_once)
{
	struct cairn_frontier_blacklist e = {0};
	struct cairn_msg_frontiers f = {.items_count = 5,
	    .items = {frontier(1, 1.0, 0.0, 2.1, -1.0), frontier(2, 5.0, 0.0, 9.0, 5.0),
		frontier(3, 0.5, 5.0, 3.0, -1.0), frontier(4, -3.0, 0.0, 8.0, NAN),
		frontier(5, -3.0, 4.0, 7.0, -1.0)}};
	for (uint32_t i = 0; i < 4; i++)
		f.items[i].goal_x_m = f.items[i].x_m + 1.0;
	f.items[3].goal_x_m = NAN; /* no place to look from, and none told */
	f.items[4].goal_x_m = f.items[4].x_m;
	f.items[4].goal_y_m = f.items[4].y_m;
	struct cairn_frontier_looked looked = {.at = {{0.5, 5.0}, {1.0, 0.3}}}, none = {.count = 0};
	ck_assert_int_eq(cairn_frontier_blacklist_approach(&e, &f, &looked), 2);
	looked.count = 1;
	ck_assert_int_eq(cairn_frontier_blacklist_approach(&e, &f, &looked), 0);
	looked.count = 2;
	ck_assert_int_eq(cairn_frontier_blacklist_approach(&e, &f, &looked), -1);
	cairn_frontier_blacklist_close(
	    &e, &(struct cairn_msg_frontiers){.items_count = 1, .items = {f.items[2]}}, 0.3, false);
	ck_assert_int_eq(cairn_frontier_blacklist_approach(&e, &f, &none), 0);
}
END_TEST

/* Frontiers 1 and 2 lie behind the same gap, 3 behind another. */
START_TEST(a_gap_that_was_looked_at_from_near_is_not_looked_at_again_whatever_lies_behind)
{
	struct cairn_frontier_blacklist e = {0};
	struct cairn_frontier_looked looked = {.count = 0};
	struct cairn_msg_frontiers f = {.items_count = 3,
	    .items = {frontier(1, 4.0, 0.0, 2.5, -1.0), frontier(2, 5.0, 2.0, 3.0, -1.0),
		frontier(3, -4.0, 0.0, 2.0, -1.0)}};
	const double gap_x_m[3] = {2.0, 2.1, -2.0};
	for (int i = 0; i < 3; i++) {
		f.items[i].goal_x_m = gap_x_m[i] < 0.0 ? -1.5 : 1.5;
		f.items[i].gap_m = 0.3;
		f.items[i].gap_x_m = gap_x_m[i];
	}
	ck_assert_int_eq(cairn_frontier_blacklist_approach(&e, &f, &looked), 1);
	ck_assert(cairn_frontier_looked_add(&looked, &f.items[1]));
	ck_assert_int_eq(cairn_frontier_blacklist_approach(&e, &f, &looked), 2);
	looked.count = 0; /* the map has grown */
	ck_assert_int_eq(cairn_frontier_blacklist_approach(&e, &f, &looked), 2);
	f.items[0].gap_m = 0.0; /* another way leads there, for all that is known */
	ck_assert_int_eq(cairn_frontier_blacklist_approach(&e, &f, &looked), 0);
}
END_TEST

START_TEST(of_an_opening_behind_a_gap_it_is_said_by_how_much_that_is_too_narrow)
{
	struct cairn_frontier_blacklist e = {0};
	struct cairn_msg_frontiers f = {
	    .items_count = 1, .items = {frontier(1, 1.0, 0.0, 1.0, -1.0)}, .needs_m = 0.38};
	f.items[0].gap_m = 0.30;
	f.items[0].gap_x_m = -12.34;
	f.items[0].gap_y_m = 0.5;
	cairn_frontier_blacklist_close(&e, &f, 0.3, false);
	ck_assert_str_eq(cairn_frontier_blacklist_given_up(&e, 1.0, 0.0),
	    "narrow: 0.30 m at (-12.34, 0.50), 0.08 m too narrow");
}
END_TEST

START_TEST(an_opening_is_cut_off_while_no_way_leads_to_it_and_it_is_not_given_up)
{
	struct cairn_frontier_blacklist e = {0};
	struct cairn_msg_frontiers f = {
	    .items_count = 2, .items = {frontier(1, 1.0, 0.0, 2.1, -1.0), frontier(2, 5.0, 0.0, 9.0, 5.0)}};
	ck_assert(cairn_frontier_blacklist_cut_off(&e, &f, 2.0));
	ck_assert(!cairn_frontier_blacklist_cut_off(&e, &f, 2.2));
	cairn_frontier_blacklist_close(&e, &f, 0.3, false);
	ck_assert(!cairn_frontier_blacklist_cut_off(&e, &f, 0.3));
}
END_TEST

CAIRN_TEST_MAIN("explore", what_failed_from_afar_has_one_last_chance_and_what_failed_before_it_has_none,
    of_what_cannot_be_reached_the_widest_with_a_place_to_look_from_is_looked_at_and_each_once,
    a_gap_that_was_looked_at_from_near_is_not_looked_at_again_whatever_lies_behind,
    of_an_opening_behind_a_gap_it_is_said_by_how_much_that_is_too_narrow,
    an_opening_is_cut_off_while_no_way_leads_to_it_and_it_is_not_given_up,
    the_ranked_order_wins_over_nearness_and_what_is_not_ranked_comes_last,
    the_nearest_is_the_one_with_the_shortest_way_of_those_worth_it,
    the_end_says_of_every_open_frontier_why_it_was_not_visited, two_failures_at_a_place_give_it_up,
    two_arrivals_that_change_nothing_give_it_up, an_arrival_is_forgotten_when_the_frontier_is_gone,
    only_reachable_wide_and_new_frontiers_are_worthwhile, a_doorway_is_worth_a_detour,
    a_grown_map_gives_one_more_chance_and_only_one, the_memory_never_overflows_and_lists_the_newest)
