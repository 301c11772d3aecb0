#include "common/percept/sectors.h"

#include "common/base/rng.h"
#include "test/support/percept_scan.h"

START_TEST(sectors_run_clockwise_from_the_front)
{
	scan_clear();
	for (int k = 0; k < 12; k++)
		add(30.0 * k, 1.0 + 0.1 * k);
	compute();
	ck_assert_uint_eq(percept.sector_m_count, 12);
	for (int k = 0; k < 12; k++)
		ck_assert_float_eq_tol(percept.sector_m[k], (float)(1.0 + 0.1 * k), 1e-6f);
}
END_TEST

START_TEST(sector_edges_lie_at_fifteen_degrees)
{
	scan_clear();
	add(14.9, 1.0);
	add(15.1, 2.0);
	add(-14.9, 3.0); /* sector 0 across the wrap */
	add(-15.1, 4.0);
	add(344.9, 5.0); /* the same as -15.1 */
	add(164.9, 6.0);
	add(165.1, 7.0);
	add(180.0, 8.0);
	add(-180.0, 9.0);
	add(-164.9, 2.5);
	compute();
	ck_assert_float_eq(percept.sector_m[0], 1.0f);
	ck_assert_float_eq(percept.sector_m[1], 2.0f);
	ck_assert_float_eq(percept.sector_m[11], 4.0f);
	ck_assert_float_eq(percept.sector_m[5], 6.0f);
	ck_assert_float_eq(percept.sector_m[6], 7.0f);
	ck_assert_float_eq(percept.sector_m[7], 2.5f);
	ck_assert_float_eq(percept.sector_m[3], 0.0f);
}
END_TEST

START_TEST(angles_beyond_one_turn_wrap)
{
	scan_clear();
	add(360.0 * 5 + 90.0, 1.5);
	add(-360.0 * 7 - 90.0, 2.5);
	compute();
	ck_assert_float_eq(percept.sector_m[3], 1.5f);
	ck_assert_float_eq(percept.sector_m[9], 2.5f);
	ck_assert_double_eq_tol(percept.nearest_bearing_rad, -M_PI / 2.0, 1e-4);
}
END_TEST

/* Nearest rank: ceil(n / 10) counted from 1. Values 1.1, 1.2, ... in a shuffled order. */
START_TEST(percentile_is_the_nearest_rank)
{
	static const struct {
		int n, rank;
	} cases[] = {{1, 1}, {2, 1}, {9, 1}, {10, 1}, {11, 2}, {20, 2}, {21, 3}, {60, 6}, {61, 7}, {101, 11}};
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		int n = cases[c].n;
		scan_clear();
		for (int i = 0; i < n; i++) {
			int order = (i * 37 + 11) % 101; /* 37 and 101 have no common factor */
			int below = 0;                   /* rank of this point among the n */
			for (int j = 0; j < n; j++)
				below += (j * 37 + 11) % 101 < order;
			add(-10.0 + 20.0 * i / n, 1.0 + 0.1 * (below + 1));
		}
		compute();
		ck_assert_float_eq_tol(percept.sector_m[0], (float)(1.0 + 0.1 * cases[c].rank), 1e-5f);
	}
}
END_TEST

START_TEST(percentile_of_equal_values_is_that_value)
{
	scan_clear();
	for (int i = 0; i < 60; i++)
		add(-14.0 + 28.0 * i / 60.0, 2.25);
	compute();
	ck_assert_float_eq(percept.sector_m[0], 2.25f);
}
END_TEST

START_TEST(invalid_returns_are_left_out)
{
	static const float bad[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, -1.0f, 0.049f, 12.01f, 1e30f};
	scan_clear();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		add(90.0, 1.0);
		scan.range_m[scan.range_m_count - 1] = bad[i];
	}
	compute();
	ck_assert_float_eq(percept.sector_m[3], 0.0f);
	ck_assert(percept.nearest_m < 0.0);
	add(91.0, 12.0); /* both limits belong to the valid range */
	compute();
	ck_assert_float_eq(percept.sector_m[3], 12.0f);
	ck_assert_double_eq(percept.nearest_m, 12.0);
}
END_TEST

START_TEST(returns_without_a_finite_direction_are_left_out)
{
	static const float bad[] = {NAN, INFINITY, -INFINITY};
	scan_clear();
	for (int i = 0; i < 3; i++) {
		add(0.0, 1.0);
		scan.angle_rad[scan.angle_rad_count - 1] = bad[i];
	}
	compute();
	ck_assert(percept.nearest_m < 0.0);
	scan.angle_rad[0] = 1e30f; /* finite nonsense must not fall outside the table */
	compute();
	ck_assert_double_eq(percept.nearest_m, 1.0);
}
END_TEST

START_TEST(limits_that_are_not_positive_set_none)
{
	scan_clear();
	scan.range_min_m = NAN;
	scan.range_max_m = 0.0f;
	add(0.0, 30.0);
	compute();
	ck_assert_float_eq(percept.sector_m[0], 30.0f);
}
END_TEST

START_TEST(returns_from_the_robot_itself_are_left_out)
{
	scan_clear();
	add(0.0, 0.16);   /* LiDAR at x 0.10, front end at 0.27 */
	add(180.0, 0.17); /* rear end at -0.08 */
	add(90.0, 0.09);  /* half width 0.10 */
	compute();
	ck_assert(percept.nearest_m < 0.0);
	add(0.0, 0.18);
	add(180.0, 0.19);
	add(90.0, 0.11);
	compute();
	ck_assert_float_eq_tol(percept.sector_m[0], 0.18f, 1e-6f);
	ck_assert_float_eq_tol(percept.sector_m[6], 0.19f, 1e-6f);
	ck_assert_double_eq_tol(percept.nearest_m, 0.11, 1e-6);
	ck_assert_double_eq_tol(cairn_rad_to_deg(percept.nearest_bearing_rad), -90.0, 1e-4);
}
END_TEST

START_TEST(an_empty_scan_knows_nothing)
{
	scan_clear();
	compute();
	ck_assert(percept.nearest_m < 0.0);
	ck_assert_uint_eq(percept.gaps_count, 0);
	ck_assert_uint_eq(percept.feasibility_count, 6);
	for (int k = 0; k < 12; k++)
		ck_assert_float_eq(percept.sector_m[k], 0.0f);
	for (int d = 0; d < 6; d++)
		ck_assert_float_eq(percept.feasibility[d], 0.1f);
}
END_TEST

START_TEST(a_full_scan_of_8192_points_is_used)
{
	scan_clear();
	for (int i = 0; i < 8192; i++)
		add(i * 360.0 / 8192.0, 4.0);
	scan.range_m[5000] = 1.25f; /* 219.7 degrees: sector 7 */
	compute();
	for (int k = 0; k < 12; k++)
		ck_assert_float_eq(percept.sector_m[k], 4.0f); /* one of 682 is no tenth */
	ck_assert_double_eq(percept.nearest_m, 1.25);
	ck_assert_double_eq_tol(cairn_rad_to_deg(percept.nearest_bearing_rad), 360.0 - 219.7266, 1e-3);
}
END_TEST

START_TEST(a_malformed_scan_is_refused_and_counts_as_empty)
{
	struct cairn_percept_params params = params_default();
	scan_clear();
	add(0.0, 1.0);
	scan.angle_rad_count = 2;
	ck_assert(!cairn_percept_from_scan(&percept, &scan, &params));
	ck_assert(percept.nearest_m < 0.0);
	scan.angle_rad_count = scan.range_m_count = 8193;
	ck_assert(!cairn_percept_from_scan(&percept, &scan, &params));
	ck_assert(percept.nearest_m < 0.0);
}
END_TEST

START_TEST(labels_change_at_their_distances)
{
	ck_assert_int_eq(cairn_sector_label_of(0.0f), CAIRN_SECTOR_LABEL_EMPTY);
	ck_assert_int_eq(cairn_sector_label_of(NAN), CAIRN_SECTOR_LABEL_EMPTY);
	ck_assert_int_eq(cairn_sector_label_of(0.06f), CAIRN_SECTOR_LABEL_WALL);
	ck_assert_int_eq(cairn_sector_label_of(0.4999f), CAIRN_SECTOR_LABEL_WALL);
	ck_assert_int_eq(cairn_sector_label_of(0.5f), CAIRN_SECTOR_LABEL_OBSTACLE);
	ck_assert_int_eq(cairn_sector_label_of(0.9999f), CAIRN_SECTOR_LABEL_OBSTACLE);
	ck_assert_int_eq(cairn_sector_label_of(1.0f), CAIRN_SECTOR_LABEL_NEAR);
	ck_assert_int_eq(cairn_sector_label_of(1.9999f), CAIRN_SECTOR_LABEL_NEAR);
	ck_assert_int_eq(cairn_sector_label_of(2.0f), CAIRN_SECTOR_LABEL_CLEAR);
	ck_assert_int_eq(cairn_sector_label_of(12.0f), CAIRN_SECTOR_LABEL_CLEAR);
}
END_TEST

START_TEST(feasibility_is_linear_between_half_a_metre_and_two)
{
	ck_assert_float_eq(cairn_feasibility_of(0.0f), 0.1f);
	ck_assert_float_eq(cairn_feasibility_of(0.3f), 0.1f);
	ck_assert_float_eq(cairn_feasibility_of(0.5f), 0.1f);
	ck_assert_float_eq_tol(cairn_feasibility_of(0.75f), 0.25f, 1e-6f);
	ck_assert_float_eq_tol(cairn_feasibility_of(1.25f), 0.55f, 1e-6f);
	ck_assert_float_eq_tol(cairn_feasibility_of(1.5f), 0.70f, 1e-6f);
	ck_assert_float_eq(cairn_feasibility_of(2.0f), 1.0f);
	ck_assert_float_eq(cairn_feasibility_of(9.0f), 1.0f);
	ck_assert_float_eq(cairn_feasibility_of(NAN), 0.1f);
}
END_TEST

START_TEST(each_direction_reads_its_own_sectors)
{
	static const struct {
		int sector;
		enum cairn_direction direction;
	} feeds[] = {{0, CAIRN_DIRECTION_FORWARD}, {11, CAIRN_DIRECTION_FORWARD_LEFT},
	    {1, CAIRN_DIRECTION_FORWARD_RIGHT}, {9, CAIRN_DIRECTION_LEFT}, {10, CAIRN_DIRECTION_LEFT},
	    {2, CAIRN_DIRECTION_RIGHT}, {3, CAIRN_DIRECTION_RIGHT}, {6, CAIRN_DIRECTION_BACKWARD}};
	for (size_t i = 0; i < sizeof(feeds) / sizeof(feeds[0]); i++) {
		float sector_m[12], feasibility[6];
		for (int k = 0; k < 12; k++)
			sector_m[k] = 5.0f;
		sector_m[feeds[i].sector] = 1.25f;
		cairn_feasibility(feasibility, sector_m, 0.10);
		for (int d = 0; d < 6; d++)
			ck_assert_float_eq_tol(
			    feasibility[d], d == (int)feeds[i].direction ? 0.55f : 1.0f, 1e-6f);
		sector_m[feeds[i].sector] = 0.0f; /* nothing known is not feasible */
		cairn_feasibility(feasibility, sector_m, 0.10);
		ck_assert_float_eq(feasibility[feeds[i].direction], 0.1f);
	}
}
END_TEST

/* 0.10 / sin 15 degrees = 0.386 m */
START_TEST(what_stands_beside_a_direction_counts_when_it_is_very_near)
{
	float sector_m[12], feasibility[6];
	for (int k = 0; k < 12; k++)
		sector_m[k] = 5.0f;
	sector_m[5] = 0.39f;
	cairn_feasibility(feasibility, sector_m, 0.10);
	ck_assert_float_eq(feasibility[CAIRN_DIRECTION_BACKWARD], 1.0f);
	sector_m[5] = 0.38f;
	cairn_feasibility(feasibility, sector_m, 0.10);
	ck_assert_float_eq(feasibility[CAIRN_DIRECTION_BACKWARD], 0.1f);
	sector_m[5] = 5.0f;
	sector_m[7] = 0.38f;
	cairn_feasibility(feasibility, sector_m, 0.10);
	ck_assert_float_eq(feasibility[CAIRN_DIRECTION_BACKWARD], 0.1f);
	sector_m[7] = 0.0f; /* an empty sector beside it does not matter */
	cairn_feasibility(feasibility, sector_m, 0.10);
	ck_assert_float_eq(feasibility[CAIRN_DIRECTION_BACKWARD], 1.0f);
	ck_assert_float_eq(feasibility[CAIRN_DIRECTION_FORWARD], 1.0f);
}
END_TEST

START_TEST(nearest_obstacle_has_its_bearing)
{
	scan_clear();
	add(10.0, 2.0);
	add(130.0, 0.42);
	add(200.0, 0.43);
	compute();
	ck_assert_double_eq_tol(percept.nearest_m, 0.42, 1e-6);
	ck_assert_double_eq_tol(cairn_rad_to_deg(percept.nearest_bearing_rad), -130.0, 1e-4);
}
END_TEST

static void scan_random(uint64_t seed)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, seed, 7);
	scan_clear();
	for (int i = 0; i < 720; i++)
		add(i * 0.5 + 0.25,
		    cairn_rng_uniform(&rng) < 0.05 ? 0.0 : 0.4 + 5.0 * cairn_rng_uniform(&rng));
}

START_TEST(turning_the_scan_by_one_sector_turns_the_sectors)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		scan_random(seed);
		compute();
		other = percept;
		for (int i = 0; i < 720; i++) /* everything 30 degrees further clockwise */
			scan.angle_rad[i] = (float)cairn_deg_to_rad(-(i * 0.5 + 0.25 + 30.0));
		compute();
		for (int k = 0; k < 12; k++)
			ck_assert_float_eq(percept.sector_m[(k + 1) % 12], other.sector_m[k]);
		ck_assert_double_eq(percept.nearest_m, other.nearest_m);
	}
}
END_TEST

START_TEST(mirroring_the_scan_swaps_left_and_right)
{
	static const int swapped[6] = {CAIRN_DIRECTION_FORWARD, CAIRN_DIRECTION_FORWARD_RIGHT,
	    CAIRN_DIRECTION_FORWARD_LEFT, CAIRN_DIRECTION_RIGHT, CAIRN_DIRECTION_LEFT,
	    CAIRN_DIRECTION_BACKWARD};
	for (uint64_t seed = 1; seed <= 20; seed++) {
		scan_random(seed);
		compute();
		other = percept;
		for (int i = 0; i < 720; i++)
			scan.angle_rad[i] = -scan.angle_rad[i];
		compute();
		for (int k = 0; k < 12; k++)
			ck_assert_float_eq(percept.sector_m[(12 - k) % 12], other.sector_m[k]);
		for (int d = 0; d < 6; d++)
			ck_assert_float_eq(percept.feasibility[swapped[d]], other.feasibility[d]);
		ck_assert_double_eq(percept.nearest_m, other.nearest_m);
		ck_assert_double_eq_tol(percept.nearest_bearing_rad, -other.nearest_bearing_rad, 1e-5);
	}
}
END_TEST

START_TEST(the_order_of_the_points_does_not_matter)
{
	struct cairn_rng rng;
	scan_random(3);
	compute();
	other = percept;
	cairn_rng_seed(&rng, 1, 1);
	for (uint32_t i = 719; i > 0; i--) {
		uint32_t j = cairn_rng_u32(&rng) % (i + 1);
		float a = scan.angle_rad[i], r = scan.range_m[i];
		scan.angle_rad[i] = scan.angle_rad[j];
		scan.range_m[i] = scan.range_m[j];
		scan.angle_rad[j] = a;
		scan.range_m[j] = r;
	}
	compute();
	ck_assert_mem_eq(percept.sector_m, other.sector_m, sizeof(other.sector_m));
	ck_assert_uint_eq(percept.gaps_count, other.gaps_count);
	ck_assert_mem_eq(percept.gaps, other.gaps, sizeof(other.gaps));
}
END_TEST

START_TEST(hostile_scans_are_survived_in_bounded_time)
{
	struct cairn_rng rng;
	struct cairn_percept_params params = params_default();
	cairn_rng_seed(&rng, 99, 1);
	for (int round = 0; round < 50; round++) {
		scan_clear();
		scan.range_m_count = scan.angle_rad_count = 8192;
		for (int i = 0; i < 8192; i++) {
			uint32_t a = cairn_rng_u32(&rng), r = cairn_rng_u32(&rng); /* any bit pattern */
			memcpy(&scan.angle_rad[i], &a, 4);
			memcpy(&scan.range_m[i], &r, 4);
			if (round % 2 == 0) { /* every neighbour jumps */
				scan.angle_rad[i] = (float)(i * 2.0 * M_PI / 8192.0);
				scan.range_m[i] = i % 2 == 0 ? 1.0f : 3.0f;
			}
		}
		ck_assert(cairn_percept_from_scan(&percept, &scan, &params));
		ck_assert_uint_le(percept.gaps_count, 8);
		for (uint32_t g = 0; g < percept.gaps_count; g++) {
			ck_assert(percept.gaps[g].width_m >= 0.6 && percept.gaps[g].width_m <= 2.5);
			ck_assert(fabs(percept.gaps[g].bearing_rad) <= M_PI / 2.0);
			ck_assert(g == 0 || percept.gaps[g].distance_m >= percept.gaps[g - 1].distance_m);
		}
		for (int k = 0; k < 12; k++)
			ck_assert(percept.sector_m[k] >= 0.0f && percept.sector_m[k] <= 12.0f);
	}
}
END_TEST

CAIRN_TEST_MAIN("sectors", sectors_run_clockwise_from_the_front, sector_edges_lie_at_fifteen_degrees,
    angles_beyond_one_turn_wrap, percentile_is_the_nearest_rank, percentile_of_equal_values_is_that_value,
    invalid_returns_are_left_out, returns_without_a_finite_direction_are_left_out,
    limits_that_are_not_positive_set_none, returns_from_the_robot_itself_are_left_out,
    an_empty_scan_knows_nothing, a_full_scan_of_8192_points_is_used,
    a_malformed_scan_is_refused_and_counts_as_empty, labels_change_at_their_distances,
    feasibility_is_linear_between_half_a_metre_and_two, each_direction_reads_its_own_sectors,
    what_stands_beside_a_direction_counts_when_it_is_very_near, nearest_obstacle_has_its_bearing,
    turning_the_scan_by_one_sector_turns_the_sectors, mirroring_the_scan_swaps_left_and_right,
    the_order_of_the_points_does_not_matter, hostile_scans_are_survived_in_bounded_time)
