/* Doorways, visits and guesses, on maps drawn by hand: # wall, . free, everything else unknown; 5 cm a cell.
 */
#include "test/support/runner.h"

#include "common/base/rng.h"
#include "common/map/predict.h"
#include "common/map/visits.h"

static struct cairn_wavefront wave;
static struct cairn_doorway_view view;
static struct cairn_doorways *doorways;
static struct cairn_doorway_memory memory;
static struct cairn_msg_doorway found[16];

static void begin(int32_t w, int32_t h)
{
	ck_assert(cairn_wavefront_resize(&wave, w, h));
	memset(wave.cell, CAIRN_WAVEFRONT_UNKNOWN, (size_t)w * (size_t)h);
	memset(&memory, 0, sizeof(memory));
	view = (struct cairn_doorway_view){&wave, -10, 20, 0.05};
	doorways = cairn_doorways_new();
	ck_assert_ptr_nonnull(doorways);
}

static void end(void)
{
	cairn_doorways_destroy(&doorways);
	cairn_wavefront_free(&wave);
}

static void area(int32_t x0, int32_t y0, int32_t x1, int32_t y1, uint8_t cell)
{
	for (int32_t y = y0; y <= y1; y++)
		memset(wave.cell + y * wave.width + x0, cell, (size_t)(x1 - x0 + 1));
}

static int look_from(int32_t x, int32_t y)
{
	cairn_wavefront_clearances(&wave, 6);
	cairn_wavefront_spread(&wave, x, y, 9, 6);
	struct cairn_pose2 pose = {(x - 10 + 0.5) * 0.05, (y + 20 + 0.5) * 0.05, 0.0};
	return cairn_doorways_find(doorways, &memory, &view, pose, found, 16);
}

/* Two rooms side by side; a wall of the given thickness from x = 60 with a door at y = 30 to 30 + width - 1.
 */
static void two_rooms(int32_t thickness, int32_t width)
{
	begin(140, 80);
	area(5, 5, 134, 74, CAIRN_WAVEFRONT_OCCUPIED);
	area(6, 6, 133, 73, CAIRN_WAVEFRONT_FREE);
	area(60, 6, 59 + thickness, 73, CAIRN_WAVEFRONT_OCCUPIED);
	area(60, 30, 59 + thickness, 29 + width, CAIRN_WAVEFRONT_FREE);
}

START_TEST(a_door_between_two_rooms_is_found_with_place_width_and_direction)
{
	for (int32_t thickness = 1; thickness <= 5; thickness++) {
		two_rooms(thickness, 17);
		ck_assert_int_eq(look_from(30, 38), 1);
		const struct cairn_msg_doorway *d = &found[0];
		ck_assert_double_eq_tol(d->x_m, (60 + 0.5 * thickness - 10) * 0.05, 0.06);
		ck_assert_double_eq_tol(d->y_m, (38.5 + 20) * 0.05, 0.06);
		ck_assert_double_eq_tol(d->width_m, 0.85, 0.051);
		ck_assert_double_eq_tol(fabs(cos(d->yaw_rad)), 1.0, 0.01); /* the way through is along x */
		ck_assert(d->seen_front && d->seen_back && !d->visited_front && !d->visited_back);
		ck_assert_double_eq_tol(d->distance_m, d->x_m - (30 - 10 + 0.5) * 0.05, 0.1);
		end();
	}
}
END_TEST

START_TEST(only_gaps_of_door_width_are_doorways)
{
	for (int32_t width = 4; width <= 40; width++) {
		two_rooms(2, width);
		int n = look_from(30, 38);
		if (width >= 12 && width <= 24) /* 0.6 to 1.2 m */
			ck_assert_int_eq(n, 1);
		if (width < 10 || width > 26)
			ck_assert_int_eq(n, 0);
		end();
	}
}
END_TEST

START_TEST(a_corridor_and_a_niche_are_no_doorways)
{
	begin(160, 60);
	area(5, 20, 154, 40, CAIRN_WAVEFRONT_OCCUPIED);
	area(6, 21, 153, 39, CAIRN_WAVEFRONT_FREE); /* 0.95 m wide, 7.4 m long */
	ck_assert_int_eq(look_from(30, 30), 0);
	end();
	begin(100, 80);
	area(5, 5, 94, 74, CAIRN_WAVEFRONT_OCCUPIED);
	area(6, 6, 60, 73, CAIRN_WAVEFRONT_FREE);
	area(61, 30, 66, 46, CAIRN_WAVEFRONT_FREE); /* 0.3 m deep */
	ck_assert_int_eq(look_from(30, 30), 0);
	end();
}
END_TEST

START_TEST(legs_of_chairs_make_no_doorway)
{
	begin(140, 80);
	area(5, 5, 134, 74, CAIRN_WAVEFRONT_OCCUPIED);
	area(6, 6, 133, 73, CAIRN_WAVEFRONT_FREE);
	area(60, 30, 61, 31, CAIRN_WAVEFRONT_OCCUPIED);
	area(60, 48, 61, 49, CAIRN_WAVEFRONT_OCCUPIED);
	ck_assert_int_eq(look_from(30, 38), 0);
	end();
}
END_TEST

START_TEST(a_door_whose_other_side_is_not_seen_yet_says_so)
{
	two_rooms(2, 17);
	area(62, 6, 133, 73, CAIRN_WAVEFRONT_UNKNOWN);
	ck_assert_int_eq(look_from(30, 38), 1);
	ck_assert(found[0].seen_front != found[0].seen_back);
	uint32_t id = found[0].id;
	bool front = found[0].seen_front;
	for (int32_t x = 40; x < 58; x++)
		wave.driven[38 * wave.width + x] = 1;
	area(62, 6, 133, 73, CAIRN_WAVEFRONT_FREE); /* the robot has looked in, and the other wall is seen */
	ck_assert_int_eq(look_from(40, 38), 1);
	ck_assert_uint_eq(found[0].id, id);
	ck_assert(found[0].seen_front && found[0].seen_back);
	ck_assert(front ? found[0].visited_front && !found[0].visited_back
			: found[0].visited_back && !found[0].visited_front);
	end();
}
END_TEST

START_TEST(doors_in_slanted_walls_are_found_and_keep_their_ids)
{
	for (int turn = 0; turn < 12; turn++) {
		double a = turn * M_PI / 12.0, c = cos(a), s = sin(a);
		begin(160, 160);
		area(2, 2, 157, 157, CAIRN_WAVEFRONT_FREE);
		for (double t = -70.0; t <= 70.0; t += 0.25)
			for (double d = 0.0; d < 2.0; d += 0.5)
				if (fabs(t) > 9.0) {
					int32_t x = (int32_t)floor(80.0 + t * c - d * s),
						y = (int32_t)floor(80.0 + t * s + d * c);
					area(x, y, x, y, CAIRN_WAVEFRONT_OCCUPIED);
				}
		ck_assert_int_eq(look_from((int32_t)(80.0 + 30.0 * s), (int32_t)(80.0 - 30.0 * c)), 1);
		ck_assert_double_eq_tol(found[0].width_m, 0.9, 0.11);
		ck_assert_double_eq_tol(found[0].x_m, (80.0 - s - 10.0) * 0.05, 0.08);
		ck_assert_double_eq_tol(found[0].y_m, (80.0 + c + 20.0) * 0.05, 0.08);
		ck_assert_double_ge(fabs(-s * cos(found[0].yaw_rad) + c * sin(found[0].yaw_rad)), 0.97);
		uint32_t id = found[0].id;
		area(100, 100, 101, 101, CAIRN_WAVEFRONT_UNKNOWN);
		ck_assert_int_ge(look_from((int32_t)(80.0 - 30.0 * s), (int32_t)(80.0 + 30.0 * c)), 1);
		ck_assert_uint_eq(found[0].id, id);
		end();
	}
}
END_TEST

/* ---- visits ---- */

#define HOUSE_W 260
#define HOUSE_H 180
static uint8_t house[HOUSE_H][HOUSE_W];

static void house_area(int32_t x0, int32_t y0, int32_t x1, int32_t y1, uint8_t cell)
{
	for (int32_t y = y0 < 0 ? 0 : y0; y <= y1 && y < HOUSE_H; y++)
		for (int32_t x = x0 < 0 ? 0 : x0; x <= x1 && x < HOUSE_W; x++)
			house[y][x] = cell;
}

/* The window [x0, x1) x [y0, y1) of the house, as the frontier finder would have it. */
static void show_window(int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
	ck_assert(cairn_wavefront_resize(&wave, x1 - x0, y1 - y0));
	for (int32_t y = y0; y < y1; y++)
		memcpy(wave.cell + (size_t)(y - y0) * (size_t)wave.width, &house[y][x0], (size_t)(x1 - x0));
	view.cx0 = x0 - 100;
	view.cy0 = y0 - 50;
}

START_TEST(after_any_change_the_doorways_are_those_of_a_fresh_look)
{
	struct cairn_rng rng;
	struct cairn_msg_doorway now[16], fresh[16];
	uint32_t most = 0;
	cairn_rng_seed(&rng, 5, 5);
	begin(40, 40);
	for (int round = 0; round < 12; round++) {
		int32_t x0 = 90, y0 = 60, x1 = 170, y1 = 120; /* the window grows as the house is seen */
		memset(house, CAIRN_WAVEFRONT_UNKNOWN, sizeof(house));
		for (int step = 0; step < 25; step++) {
			int32_t x = (int32_t)(cairn_rng_u32(&rng) % (HOUSE_W - 60)),
				y = (int32_t)(cairn_rng_u32(&rng) % (HOUSE_H - 50));
			int32_t w = 30 + (int32_t)(cairn_rng_u32(&rng) % 40),
				h = 25 + (int32_t)(cairn_rng_u32(&rng) % 30);
			if (step % 4 != 3) { /* a room with a door, in whatever was there */
				house_area(x, y, x + w, y + h, CAIRN_WAVEFRONT_OCCUPIED);
				house_area(x + 2, y + 2, x + w - 2, y + h - 2, CAIRN_WAVEFRONT_FREE);
				int32_t door = y + 4 + (int32_t)(cairn_rng_u32(&rng) % 6);
				house_area(x + w - 2, door, x + w,
				    door + 11 + (int32_t)(cairn_rng_u32(&rng) % 12), CAIRN_WAVEFRONT_FREE);
			} else { /* a thing, or a patch that is forgotten */
				house_area(x, y, x + w / 8, y + h / 8, (uint8_t)(cairn_rng_u32(&rng) % 4));
			}
			if (step % 5 == 4) {
				x0 = x0 > 15 ? x0 - 15 : 0, y0 = y0 > 10 ? y0 - 10 : 0;
				x1 = x1 + 20 < HOUSE_W ? x1 + 20 : HOUSE_W,
				y1 = y1 + 15 < HOUSE_H ? y1 + 15 : HOUSE_H;
			}
			house_area(125, 85, 135, 95, CAIRN_WAVEFRONT_FREE); /* where the robot stands */
			show_window(x0, y0, x1, y1);
			cairn_wavefront_clearances(&wave, 6);
			cairn_wavefront_spread(&wave, 130 - x0, 90 - y0, 9, 6);
			struct cairn_doorway_memory before = memory;
			struct cairn_pose2 pose = {1.5, 2.0, 0.0};
			int count = cairn_doorways_find(doorways, &memory, &view, pose, now, 16);
			struct cairn_doorways *other = cairn_doorways_new();
			ck_assert_int_eq(cairn_doorways_find(other, &before, &view, pose, fresh, 16), count);
			cairn_doorways_destroy(&other);
			ck_assert_mem_eq(&memory, &before, sizeof(memory));
			ck_assert_mem_eq(now, fresh, (size_t)(count < 16 ? count : 16) * sizeof(now[0]));
			most = (uint32_t)count > most ? (uint32_t)count : most;
		}
	}
	ck_assert_uint_gt(most, 4);
	end();
}
END_TEST

START_TEST(visits_rise_on_coming_back_only)
{
	struct cairn_visits v;
	cairn_visits_init(&v, 0.25);
	float path[512];
	uint32_t n = 0;
	for (int i = 0; i <= 20; i++) /* 1 m out in steps of 5 cm, then back */
		path[2 * n] = 0.05F * (float)i + 0.01F, path[2 * n++ + 1] = 0.1F;
	ck_assert(cairn_visits_follow(&v, path, n, 0));
	ck_assert_uint_eq(v.places, 4 + 1 - (cairn_visits_at(&v, 1.1, 0.1) == 0));
	ck_assert_uint_eq(cairn_visits_at(&v, 0.1, 0.1), 1);
	ck_assert_uint_eq(cairn_visits_at(&v, 0.6, 0.1), 1);
	for (int i = 20; i >= 0; i--)
		path[2 * n] = 0.05F * (float)i + 0.01F, path[2 * n++ + 1] = 0.1F;
	ck_assert(cairn_visits_follow(&v, path, n, 0));
	ck_assert_uint_eq(cairn_visits_at(&v, 0.1, 0.1), 2);
	ck_assert_uint_eq(cairn_visits_at(&v, 0.6, 0.1), 2);
	ck_assert_uint_eq(cairn_visits_at(&v, 0.1, 0.4), 0);
	uint32_t total = v.total;
	for (int i = 0; i < 30; i++) /* standing on the border between two squares, shaking by 2 cm */
		path[2 * n] = 0.25F + (i % 2 == 0 ? 0.02F : -0.02F), path[2 * n++ + 1] = 0.1F;
	ck_assert(cairn_visits_follow(&v, path, n, 0));
	ck_assert_uint_le(v.total, total + 1);
	total = v.total;
	ck_assert(cairn_visits_follow(&v, path, n, 0)); /* nothing new */
	ck_assert_uint_eq(v.total, total);
	ck_assert(
	    cairn_visits_follow(&v, path, n, 1)); /* the map was drawn anew: counted anew, to the same */
	ck_assert_uint_eq(v.total, total);
	cairn_visits_free(&v);
}
END_TEST

START_TEST(thousands_of_squares_are_told_apart)
{
	struct cairn_visits v;
	cairn_visits_init(&v, 0.25);
	static float path[2 * 100 * 100];
	uint32_t n = 0;
	for (int y = -50; y < 50; y++)
		for (int x = -50; x < 50; x++)
			path[2 * n] = 0.25F * (float)x + 0.125F,
				 path[2 * n++ + 1] = 0.25F * (float)y + 0.125F;
	ck_assert(cairn_visits_follow(&v, path, n, 0));
	ck_assert_uint_eq(v.places, 10000);
	ck_assert_uint_eq(v.total, 10000);
	ck_assert_uint_eq(cairn_visits_at(&v, -12.4, 12.4), 1);
	ck_assert_uint_eq(cairn_visits_at(&v, -12.6, 12.4), 0);
	cairn_visits_free(&v);
}
END_TEST

/* ---- guesses ---- */

static struct cairn_predictions guesses;
static struct cairn_msg_frontiers openings;

static const struct cairn_guess *guessed(int32_t x, int32_t y)
{
	for (uint32_t i = 0; i < guesses.count; i++)
		if (guesses.guesses[i].cx - view.cx0 == x && guesses.guesses[i].cy - view.cy0 == y)
			return &guesses.guesses[i];
	return NULL;
}

static void guess_now(void)
{
	ck_assert(cairn_predictions_update(&guesses, &view, &openings));
}

static void begin_guessing(void)
{
	begin(60, 60);
	cairn_predictions_init(&guesses);
	memset(&openings, 0, sizeof(openings));
}

static void end_guessing(void)
{
	cairn_predictions_free(&guesses);
	end();
}

START_TEST(a_straight_wall_is_guessed_to_go_on_for_half_a_metre)
{
	begin_guessing();
	area(10, 30, 17, 30, CAIRN_WAVEFRONT_OCCUPIED); /* 0.4 m */
	area(10, 40, 16, 40, CAIRN_WAVEFRONT_OCCUPIED); /* 0.35 m: too little to tell */
	area(22, 30, 22, 30, CAIRN_WAVEFRONT_FREE);     /* seen: the guess ends before it */
	guess_now();
	ck_assert_uint_eq(
	    guesses.by_kind[CAIRN_PREDICTION_WALL], 4 + 10); /* 18 .. 21 on one side, 9 .. 0 on the other */
	ck_assert(guessed(21, 30)->wall && guessed(9, 30)->wall && guessed(1, 30)->wall);
	ck_assert_ptr_null(guessed(23, 30));
	ck_assert_ptr_null(guessed(17, 40));
	ck_assert_double_eq(cairn_prediction_confidence(CAIRN_PREDICTION_WALL), 0.30);
	end_guessing();
}
END_TEST

START_TEST(a_short_hole_in_a_wall_is_guessed_to_be_wall)
{
	begin_guessing();
	area(10, 30, 20, 30, CAIRN_WAVEFRONT_OCCUPIED);
	area(31, 30, 40, 30, CAIRN_WAVEFRONT_OCCUPIED); /* ten cells between them */
	guess_now();
	ck_assert_uint_eq(guesses.by_kind[CAIRN_PREDICTION_BOUNDARY], 10);
	ck_assert(guessed(21, 30)->wall && guessed(30, 30)->kind == CAIRN_PREDICTION_BOUNDARY);
	area(31, 30, 31, 30,
	    CAIRN_WAVEFRONT_UNKNOWN); /* eleven: no hole any more, but two walls that may go on */
	guess_now();
	ck_assert_uint_eq(guesses.by_kind[CAIRN_PREDICTION_BOUNDARY], 0);
	ck_assert_int_eq(guessed(21, 30)->kind, CAIRN_PREDICTION_WALL);
	area(25, 30, 25, 30, CAIRN_WAVEFRONT_FREE);
	area(31, 30, 31, 30, CAIRN_WAVEFRONT_OCCUPIED);
	guess_now();
	ck_assert_uint_eq(guesses.by_kind[CAIRN_PREDICTION_BOUNDARY], 0); /* it has been seen to be open */
	end_guessing();
}
END_TEST

/* An opening at the right edge of known floor that ends at x = 29, looking along +x. */
static void opening(double width_m, enum cairn_frontier_kind kind)
{
	area(20, 10, 29, 50, CAIRN_WAVEFRONT_FREE);
	openings.items_count = 1;
	openings.items[0] = (struct cairn_msg_frontier){.x_m = (30 - 10) * 0.05,
	    .y_m = (30.5 + 20) * 0.05,
	    .goal_x_m = (22 - 10) * 0.05,
	    .goal_y_m = (30.5 + 20) * 0.05,
	    .width_m = width_m,
	    .kind = kind,
	    .distance_m = 1.0};
}

START_TEST(a_corridor_is_guessed_to_go_on_between_its_walls)
{
	begin_guessing();
	opening(1.4, CAIRN_FRONTIER_KIND_CORRIDOR); /* 28 cells: y 17 to 44 */
	guess_now();
	ck_assert_uint_eq(guesses.by_kind[CAIRN_PREDICTION_OPEN], 0);
	ck_assert(guessed(31, 30) != NULL && !guessed(31, 30)->wall &&
		  guessed(31, 30)->kind == CAIRN_PREDICTION_CORRIDOR);
	ck_assert_ptr_nonnull(guessed(49, 30)); /* a metre on */
	ck_assert_ptr_null(guessed(52, 30));
	ck_assert(guessed(40, 45)->wall && guessed(40, 15)->wall);
	ck_assert(!guessed(40, 20)->wall && !guessed(40, 41)->wall);
	ck_assert_ptr_null(guessed(40, 48));
	ck_assert_double_eq(cairn_prediction_confidence(CAIRN_PREDICTION_CORRIDOR), 0.25);
	end_guessing();
}
END_TEST

START_TEST(open_floor_is_guessed_to_go_on_a_little)
{
	begin_guessing();
	opening(1.0, CAIRN_FRONTIER_KIND_OPEN);
	guess_now();
	ck_assert_uint_eq(guesses.count, guesses.by_kind[CAIRN_PREDICTION_OPEN]);
	ck_assert(guessed(31, 30) != NULL && !guessed(31, 30)->wall);
	ck_assert_ptr_nonnull(guessed(39, 30));
	ck_assert_ptr_null(guessed(42, 30));
	ck_assert_ptr_null(guessed(31, 43));
	for (uint32_t i = 0; i < guesses.count; i++)
		ck_assert(!guesses.guesses[i].wall);
	ck_assert_double_eq(cairn_prediction_confidence(CAIRN_PREDICTION_OPEN), 0.20);
	openings.items[0].distance_m = -1.0; /* out of reach: which way it opens is not known */
	guess_now();
	ck_assert_uint_eq(guesses.count, 0);
	end_guessing();
}
END_TEST

START_TEST(what_is_seen_later_counts_once_for_its_kind_and_the_map_is_not_touched)
{
	begin_guessing();
	area(10, 30, 19, 30, CAIRN_WAVEFRONT_OCCUPIED);
	uint8_t before[60 * 60];
	memcpy(before, wave.cell, sizeof(before));
	guess_now();
	ck_assert_mem_eq(before, wave.cell, sizeof(before));
	area(20, 30, 22, 30, CAIRN_WAVEFRONT_OCCUPIED); /* three borne out */
	area(23, 30, 24, 30, CAIRN_WAVEFRONT_FREE);     /* two not */
	area(25, 30, 25, 30, CAIRN_WAVEFRONT_UNSURE);   /* one not settled */
	guess_now();
	ck_assert_uint_eq(guesses.right[CAIRN_PREDICTION_WALL], 3);
	ck_assert_uint_eq(guesses.wrong[CAIRN_PREDICTION_WALL], 2);
	guess_now();
	ck_assert_uint_eq(guesses.right[CAIRN_PREDICTION_WALL], 3);
	ck_assert_uint_eq(guesses.wrong[CAIRN_PREDICTION_WALL], 2);
	end_guessing();
}
END_TEST

START_TEST(what_an_opening_may_show_is_the_unknown_without_guessed_walls)
{
	begin_guessing();
	area(0, 0, 59, 29, CAIRN_WAVEFRONT_FREE); /* the upper half is unknown */
	double x_m = (30.5 - 10) * 0.05, y_m = (30.5 + 20) * 0.05;
	double all = cairn_expected_gain_m2(NULL, &view, x_m, y_m, 0.5);
	ck_assert_double_eq_tol(all, 0.5 * M_PI * 0.25, 0.06); /* half a disc */
	area(20, 31, 28, 31, CAIRN_WAVEFRONT_OCCUPIED);
	guess_now();
	ck_assert_double_eq_tol(cairn_expected_gain_m2(NULL, &view, x_m, y_m, 0.5) -
				    cairn_expected_gain_m2(&guesses, &view, x_m, y_m, 0.5),
	    0.0025 * 10.0, 1e-9); /* ten cells of wall go on from there */
	end_guessing();
}
END_TEST

CAIRN_TEST_MAIN("map_features", a_door_between_two_rooms_is_found_with_place_width_and_direction,
    only_gaps_of_door_width_are_doorways, a_corridor_and_a_niche_are_no_doorways,
    legs_of_chairs_make_no_doorway, a_door_whose_other_side_is_not_seen_yet_says_so,
    doors_in_slanted_walls_are_found_and_keep_their_ids,
    after_any_change_the_doorways_are_those_of_a_fresh_look, visits_rise_on_coming_back_only,
    thousands_of_squares_are_told_apart, a_straight_wall_is_guessed_to_go_on_for_half_a_metre,
    a_short_hole_in_a_wall_is_guessed_to_be_wall, a_corridor_is_guessed_to_go_on_between_its_walls,
    open_floor_is_guessed_to_go_on_a_little,
    what_is_seen_later_counts_once_for_its_kind_and_the_map_is_not_touched,
    what_an_opening_may_show_is_the_unknown_without_guessed_walls)
