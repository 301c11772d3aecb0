/* The numbers that a detector gives to the things that it follows: a hint that tells equal things apart, and no more than that. */
#include <math.h>

#include "common/base/rng.h"
#include "test/support/scene_rig.h"

#define BOOKS 10

static void set_up_hint(double hint_m)
{
	set_up();
	cfg.scene.track_hint_m = hint_m;
}

static double y_of(const char *id)
{
	const struct cairn_scene_box *b = &thing(id)->box;
	return 0.5 * (b->min[1] + b->max[1]);
}

/* Two equal cups, cup_1 at the left (+y) with the one number, cup_2 at the right with the other. */
static void two_cups(uint32_t left, uint32_t right, double apart_m, int pictures)
{
	for (int i = 0; i < pictures; i++) {
		picture();
		sight("cup", "", 2.0, 0.5 * apart_m, 0.08)->track = left;
		sight("cup", "", 2.0, -0.5 * apart_m, 0.08)->track = right;
		take();
	}
}

START_TEST(two_equal_cups_that_swap_places_while_they_are_followed_keep_their_ids)
{
	static const struct {
		double hint_m;
		uint32_t first, second; /* numbers; 0: not followed */
		bool swap;
	} cases[] = {{0.3, 7, 9, true}, {0.3, 0, 0, false}, {0.0, 7, 9, false}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up_hint(cases[i].hint_m);
		two_cups(cases[i].first, cases[i].second, 0.24, 4);
		ck_assert_double_eq_tol(y_of("cup_1"), 0.12, 0.01);
		two_cups(cases[i].second, cases[i].first, 0.24, 3);
		ck_assert_uint_eq(believed(NULL, NULL), 2);
		ck_assert_double_eq_tol(y_of("cup_1"), cases[i].swap ? -0.12 : 0.12, 0.01);
		ck_assert_double_eq_tol(y_of("cup_2"), cases[i].swap ? 0.12 : -0.12, 0.01);
		ck_assert_double_eq_tol(thing("cup_1")->box.max[1] - thing("cup_1")->box.min[1], 0.08, 0.02);
		tear_down();
	}
}
END_TEST

START_TEST(a_cup_that_is_followed_is_found_beside_one_that_the_picture_misses)
{
	set_up_hint(0.3);
	two_cups(7, 9, 0.24, 4);
	picture();
	sight("cup", "", 2.0, -0.12, 0.08)->track = 7;
	take();
	ck_assert_double_eq_tol(y_of("cup_1"), -0.12, 0.01);
	ck_assert_uint_eq(thing("cup_2")->seen, 4);
	tear_down();
}
END_TEST

START_TEST(a_number_outweighs_no_more_distance_than_the_configuration_says)
{
	set_up_hint(0.1); /* places fit by 0.3 m better than numbers */
	two_cups(7, 9, 0.34, 4);
	two_cups(9, 7, 0.34, 3);
	ck_assert_double_eq_tol(y_of("cup_1"), 0.17, 0.01);
	tear_down();
	set_up_hint(2.0); /* farther than any thing is looked for */
	two_cups(7, 9, 1.0, 4);
	two_cups(9, 7, 1.0, 3);
	ck_assert_double_eq_tol(y_of("cup_1"), 0.5, 0.01);
	ck_assert_uint_eq(believed(NULL, NULL), 2);
	tear_down();
}
END_TEST

START_TEST(a_number_that_another_program_gave_or_that_is_old_says_nothing)
{
	for (int k = 0; k < 2; k++) {
		set_up_hint(0.3);
		two_cups(7, 9, 0.24, 4);
		now_s += k == 0 ? 60.0 : 0.0;
		picture();
		if (k == 1)
			snprintf(m.source, sizeof(m.source), "other");
		sight("cup", "", 2.0, 0.12, 0.08)->track = 9;
		sight("cup", "", 2.0, -0.12, 0.08)->track = 7;
		take();
		ck_assert_double_eq_tol(y_of("cup_1"), 0.12, 0.01);
		tear_down();
	}
}
END_TEST

enum lie { HONEST, NONE, RANDOM, ALL_THE_SAME, NEW_EACH_TIME, LIES };

static uint32_t number_by(enum lie lie, struct cairn_rng *rng, int thing)
{
	static uint32_t next = 1000;
	switch (lie) {
	case HONEST:
		return (uint32_t)thing + 1;
	case RANDOM:
		return cairn_rng_u32(rng) % 5;
	case ALL_THE_SAME:
		return 4;
	case NEW_EACH_TIME:
		return next++;
	default:
		return 0;
	}
}

/* Nine things of three labels, farther apart than any is looked for, a tenth of them missed. */
static void nine_things(enum lie lie)
{
	static const char *const labels[] = {"cup", "vase", "book"};
	struct cairn_rng rng, lies;
	cairn_rng_seed(&rng, 5, 1);
	cairn_rng_seed(&lies, 6, (uint64_t)lie);
	for (int round = 0; round < 40; round++) {
		picture();
		for (int i = 0; i < 9; i++) {
			double dx = 0.01 * cairn_rng_normal(&rng), dy = 0.01 * cairn_rng_normal(&rng);
			if (cairn_rng_uniform(&rng) > 0.1)
				sight(labels[i % 3], "", 2.0 + 0.8 * (i / 3) + dx, -0.8 + 0.8 * (i % 3) + dy,
				    0.2)
				    ->track = number_by(lie, &lies, i);
		}
		take();
	}
}

START_TEST(numbers_that_lie_change_nothing_of_things_that_stand_apart)
{
	struct cairn_scene_object want[9];
	for (enum lie lie = HONEST; lie < LIES; lie++) {
		const struct cairn_scene_object *o;
		set_up_hint(2.0);
		nine_things(lie);
		ck_assert_uint_eq(believed(NULL, NULL), 9);
		ck_assert_uint_eq(cairn_scene_objects(scene, &o), 9);
		for (int i = 0; i < 9; i++) {
			if (lie == HONEST)
				want[i] = o[i];
			ck_assert_str_eq(o[i].id, want[i].id);
			ck_assert_mem_eq(&o[i].box, &want[i].box, sizeof(want[i].box));
			ck_assert_uint_eq(o[i].seen, want[i].seen);
		}
		tear_down();
	}
}
END_TEST

/* Books 8 cm apart: a lie can take one for its neighbour, and makes none more, none less, none elsewhere. */
START_TEST(numbers_that_lie_neither_double_nor_lose_nor_move_things_of_a_crowded_shelf)
{
	for (enum lie lie = HONEST; lie < LIES; lie++) {
		struct cairn_rng rng, lies;
		const struct cairn_scene_object *o;
		set_up_hint(2.0);
		cairn_rng_seed(&rng, 2, 1);
		cairn_rng_seed(&lies, 3, (uint64_t)lie);
		for (int round = 0; round < 60; round++) {
			picture();
			for (int i = 0; i < BOOKS; i++)
				if (round < 4 || cairn_rng_uniform(&rng) > 0.1)
					sight("book", "", 2.0 + 0.01 * cairn_rng_normal(&rng),
					    -0.36 + 0.08 * i + 0.01 * cairn_rng_normal(&rng), 0.06)
					    ->track = number_by(lie, &lies, i);
			take();
		}
		ck_assert_msg(
		    believed(NULL, NULL) == BOOKS, "lie %d: %u books", (int)lie, believed(NULL, NULL));
		uint32_t all = cairn_scene_objects(scene, &o);
		for (uint32_t i = 0; i < all; i++)
			if (o[i].number != 0)
				ck_assert_msg(o[i].box.min[1] > -0.47 && o[i].box.max[1] < 0.47 &&
						  o[i].box.min[0] > 1.85,
				    "lie %d: book at %.2f..%.2f", (int)lie, o[i].box.min[1], o[i].box.max[1]);
		tear_down();
	}
}
END_TEST

CAIRN_TEST_MAIN("scene-tracks", two_equal_cups_that_swap_places_while_they_are_followed_keep_their_ids,
    a_cup_that_is_followed_is_found_beside_one_that_the_picture_misses,
    a_number_outweighs_no_more_distance_than_the_configuration_says,
    a_number_that_another_program_gave_or_that_is_old_says_nothing,
    numbers_that_lie_change_nothing_of_things_that_stand_apart,
    numbers_that_lie_neither_double_nor_lose_nor_move_things_of_a_crowded_shelf)
