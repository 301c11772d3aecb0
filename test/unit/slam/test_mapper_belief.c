#include "test/support/runner.h"

#include "common/map/belief.h"

static struct cairn_config cfg;
static struct cairn_grid grid;
static struct cairn_belief belief;

/* A known square of 2 m: floor left of x = 1, something at x = 1 to 1.5, never seen right of it. */
static void begin(void)
{
	cairn_config_defaults(&cfg);
	memset(&belief, 0, sizeof(belief));
	cairn_grid_init(&grid, 0.05, 20.0);
	ck_assert(cairn_grid_reserve(&grid, (struct cairn_cell_box){0, 0, 39, 39}));
	grid.known = (struct cairn_cell_box){0, 0, 39, 39};
	for (int32_t cy = 0; cy < 40; cy++)
		for (int32_t cx = 0; cx < 40; cx++)
			grid.odds[cairn_grid_index(&grid, cx, cy)] = cx < 20   ? -40
								     : cx < 30 ? 40
									       : CAIRN_ODDS_UNKNOWN;
}

static enum cairn_claim_verdict claim(double x_m, double y_m, enum cairn_cell_state state, double confidence)
{
	struct cairn_msg_cell_claim c = {.x_m = x_m, .y_m = y_m, .state = state, .confidence = confidence};
	return cairn_belief_claim(&belief, &grid, &cfg.map, &c);
}

static void put(int32_t cx, int32_t cy, int8_t odds)
{
	grid.odds[cairn_grid_index(&grid, cx, cy)] = odds;
}

START_TEST(a_claim_needs_a_confidence_of_six_tenths_and_counts_seven_at_most)
{
	begin();
	ck_assert_int_eq(claim(1.8, 1.0, CAIRN_CELL_STATE_FREE, 0.59), CAIRN_CLAIM_VERDICT_CONFIDENCE);
	ck_assert_ptr_null(cairn_belief_at(&belief, 36, 20));
	ck_assert_int_eq(claim(1.8, 1.0, CAIRN_CELL_STATE_FREE, 0.60), CAIRN_CLAIM_VERDICT_TAKEN);
	ck_assert_double_eq_tol((double)cairn_belief_at(&belief, 36, 20)->confidence, 0.60, 1e-6);
	ck_assert_int_eq(claim(1.8, 1.0, CAIRN_CELL_STATE_OCCUPIED, 0.99), CAIRN_CLAIM_VERDICT_TAKEN);
	ck_assert_uint_eq(belief.count, 1); /* the later one takes the earlier one's place */
	ck_assert_double_eq_tol((double)cairn_belief_at(&belief, 36, 20)->confidence, 0.70, 1e-6);
	ck_assert_int_eq(cairn_belief_at(&belief, 36, 20)->state, CAIRN_CELL_STATE_OCCUPIED);
	cairn_grid_free(&grid);
}
END_TEST

START_TEST(nothing_is_claimed_where_the_robot_has_been)
{
	begin();
	grid.visits[cairn_grid_index(&grid, 36, 20)] = 1; /* visited, though no ray has seen it */
	ck_assert_int_eq(claim(1.8, 1.0, CAIRN_CELL_STATE_OCCUPIED, 1.0), CAIRN_CLAIM_VERDICT_VISITED);
	ck_assert_int_eq(claim(1.86, 1.0, CAIRN_CELL_STATE_OCCUPIED, 1.0), CAIRN_CLAIM_VERDICT_TAKEN);
	cairn_grid_free(&grid);
}
END_TEST

START_TEST(nothing_is_claimed_where_the_sensors_are_surer_than_seven_tenths)
{
	/* p = 1 / (1 + exp(-odds / 20)): 0.7 lies between 16 (0.690) and 17 (0.7006), and -17 and -16. */
	static const struct {
		int8_t odds;
		enum cairn_claim_verdict verdict;
	} row[] = {{0, CAIRN_CLAIM_VERDICT_TAKEN}, {16, CAIRN_CLAIM_VERDICT_TAKEN},
	    {17, CAIRN_CLAIM_VERDICT_SENSORS}, {72, CAIRN_CLAIM_VERDICT_SENSORS},
	    {-16, CAIRN_CLAIM_VERDICT_TAKEN}, {-17, CAIRN_CLAIM_VERDICT_SENSORS},
	    {-48, CAIRN_CLAIM_VERDICT_SENSORS}, {CAIRN_ODDS_UNKNOWN, CAIRN_CLAIM_VERDICT_TAKEN}};
	begin();
	ck_assert_double_eq_tol(cairn_odds_confidence(17), 0.70057, 1e-5);
	ck_assert_double_eq_tol(cairn_odds_confidence(-17), 0.70057, 1e-5);
	ck_assert_double_eq(cairn_odds_confidence(CAIRN_ODDS_UNKNOWN), 0.5);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		put(10, 10, row[i].odds);
		ck_assert_int_eq(claim(0.52, 0.52, CAIRN_CELL_STATE_OCCUPIED, 0.9), row[i].verdict);
	}
	cairn_grid_free(&grid);
}
END_TEST

START_TEST(each_refusal_is_counted_by_its_reason_and_the_first_reason_counts)
{
	begin();
	grid.visits[cairn_grid_index(&grid, 5, 5)] = 1;
	ck_assert_int_eq(claim(0.27, 0.27, CAIRN_CELL_STATE_OCCUPIED, 0.5), CAIRN_CLAIM_VERDICT_CONFIDENCE);
	ck_assert_int_eq(claim(0.27, 0.27, CAIRN_CELL_STATE_OCCUPIED, 0.9), CAIRN_CLAIM_VERDICT_VISITED);
	ck_assert_int_eq(claim(0.37, 0.37, CAIRN_CELL_STATE_OCCUPIED, 0.9), CAIRN_CLAIM_VERDICT_SENSORS);
	ck_assert_int_eq(claim(4.1, 1.0, CAIRN_CELL_STATE_OCCUPIED, 0.9), CAIRN_CLAIM_VERDICT_OUTSIDE);
	ck_assert_int_eq(claim(3.9, 1.0, CAIRN_CELL_STATE_OCCUPIED, 0.9), CAIRN_CLAIM_VERDICT_TAKEN);
	ck_assert_int_eq(claim((double)NAN, 1.0, CAIRN_CELL_STATE_FREE, 0.9), CAIRN_CLAIM_VERDICT_MALFORMED);
	ck_assert_int_eq(claim(1e300, 1.0, CAIRN_CELL_STATE_FREE, 0.9), CAIRN_CLAIM_VERDICT_MALFORMED);
	ck_assert_int_eq(claim(1.8, 1.0, CAIRN_CELL_STATE_COUNT, 0.9), CAIRN_CLAIM_VERDICT_MALFORMED);
	ck_assert_int_eq(claim(1.8, 1.0, CAIRN_CELL_STATE_FREE, 1.01), CAIRN_CLAIM_VERDICT_MALFORMED);
	ck_assert_int_eq(claim(1.8, 1.0, CAIRN_CELL_STATE_FREE, (double)NAN), CAIRN_CLAIM_VERDICT_MALFORMED);
	static const uint64_t want[CAIRN_CLAIM_VERDICTS] = {1, 1, 1, 1, 1, 5, 0};
	for (int i = 0; i < CAIRN_CLAIM_VERDICTS; i++)
		ck_assert_uint_eq(belief.verdicts[i], want[i]);
	cairn_grid_free(&grid);
}
END_TEST

START_TEST(the_grid_is_never_touched_and_a_claim_ends_where_the_sensors_have_looked)
{
	begin();
	int8_t before[40 * 40];
	memcpy(before, grid.odds, sizeof(before));
	uint32_t free_cells = grid.free_cells;
	ck_assert_int_eq(claim(1.825, 1.025, CAIRN_CELL_STATE_FREE, 0.9), CAIRN_CLAIM_VERDICT_TAKEN);
	ck_assert_int_eq(claim(1.825, 1.125, CAIRN_CELL_STATE_OCCUPIED, 0.9), CAIRN_CLAIM_VERDICT_TAKEN);
	ck_assert_int_eq(claim(1.825, 1.225, CAIRN_CELL_STATE_FREE, 0.9), CAIRN_CLAIM_VERDICT_TAKEN);
	ck_assert_mem_eq(before, grid.odds, sizeof(before));
	ck_assert_uint_eq(grid.free_cells, free_cells);
	cairn_belief_refresh(&belief, &grid, &cfg.map);
	ck_assert_uint_eq(belief.count, 3);
	put(36, 20, 40);  /* the first is a wall: wrong */
	put(36, 22, 40);  /* so is the second: right */
	put(36, 24, -16); /* the third is not sure yet */
	cairn_belief_refresh(&belief, &grid, &cfg.map);
	ck_assert_uint_eq(belief.count, 1);
	ck_assert_uint_eq(belief.right, 1);
	ck_assert_uint_eq(belief.wrong, 1);
	ck_assert_ptr_nonnull(cairn_belief_at(&belief, 36, 24));
	cairn_grid_free(&grid);
}
END_TEST

START_TEST(an_update_is_judged_once_and_the_layer_has_an_end)
{
	begin();
	struct cairn_msg_world_update u = {.id = 7, .items_count = 2};
	u.items[0] = (struct cairn_msg_cell_claim){1.8, 1.0, CAIRN_CELL_STATE_FREE, 0.9};
	u.items[1] = (struct cairn_msg_cell_claim){1.8, 1.1, CAIRN_CELL_STATE_FREE, 0.1};
	ck_assert_int_eq(cairn_belief_update(&belief, &grid, &cfg.map, &u, 5), 1);
	ck_assert_int_eq(cairn_belief_update(&belief, &grid, &cfg.map, &u, 5), -1);
	ck_assert_uint_eq(belief.verdicts[CAIRN_CLAIM_VERDICT_CONFIDENCE], 1);
	ck_assert_int_eq(
	    cairn_belief_update(&belief, &grid, &cfg.map, &u, 6), 1); /* another sender counts anew */
	ck_assert_int_eq(cairn_belief_update(&belief, &grid, &cfg.map, &u, 6), -1);
	u.id = 8;
	ck_assert_int_eq(cairn_belief_update(&belief, &grid, &cfg.map, &u, 6), 1);
	for (int i = 0; i < 2 * CAIRN_BELIEF_MAX; i++)
		(void)claim(2.0 + 0.05 * (i % 40), -1.9 + 0.05 * (i / 40), CAIRN_CELL_STATE_FREE, 0.9);
	ck_assert_uint_eq(belief.count, CAIRN_BELIEF_MAX);
	ck_assert_uint_gt(belief.verdicts[CAIRN_CLAIM_VERDICT_FULL], 100);
	cairn_grid_free(&grid);
}
END_TEST

START_TEST(what_is_claimed_to_be_occupied_takes_half_of_a_gain_at_most)
{
	begin();
	ck_assert_double_eq(cairn_belief_gain_m2(NULL, 0.05, 1.8, 1.0, 0.5, 0.4), 0.4);
	for (int i = 0; i < 40; i++)
		(void)claim(1.525 + 0.05 * (i % 8), 1.025 + 0.05 * (i / 8), CAIRN_CELL_STATE_OCCUPIED, 0.9);
	(void)claim(1.525, 0.525, CAIRN_CELL_STATE_FREE, 0.9); /* counted as unknown floor already */
	ck_assert_uint_eq(belief.count, 41);
	ck_assert_double_eq_tol(
	    cairn_belief_gain_m2(&belief, 0.05, 1.8, 1.0, 1.0, 0.4), 0.4 - 40 * 0.0025, 1e-9);
	ck_assert_double_eq_tol(cairn_belief_gain_m2(&belief, 0.05, 1.8, 1.0, 1.0, 0.1), 0.05, 1e-9);
	ck_assert_double_eq(cairn_belief_gain_m2(&belief, 0.05, 9.0, 9.0, 1.0, 0.4), 0.4); /* far from here */
}
END_TEST

CAIRN_TEST_MAIN("map_belief", what_is_claimed_to_be_occupied_takes_half_of_a_gain_at_most,
    a_claim_needs_a_confidence_of_six_tenths_and_counts_seven_at_most,
    nothing_is_claimed_where_the_robot_has_been,
    nothing_is_claimed_where_the_sensors_are_surer_than_seven_tenths,
    each_refusal_is_counted_by_its_reason_and_the_first_reason_counts,
    the_grid_is_never_touched_and_a_claim_ends_where_the_sensors_have_looked,
    an_update_is_judged_once_and_the_layer_has_an_end)
