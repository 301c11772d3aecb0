/* Doors in a scan: what is one, how wide it is and where. */
#include "common/percept/gaps.h"

#include "test/support/percept_scan.h"

/* Range of the nearest of axis-aligned walls x = x0.. and y = y0.., as seen from the LiDAR. Segments {x1 y1
 * x2 y2}. */
static double ray(const double (*segments)[4], int count, double angle)
{
	double c = cos(angle), s = sin(angle), best = INFINITY;
	for (int i = 0; i < count; i++) {
		const double *g = segments[i];
		double ex = g[2] - g[0], ey = g[3] - g[1], det = c * ey - s * ex;
		if (fabs(det) < 1e-12)
			continue;
		double t = (g[0] * ey - g[1] * ex) / det, u = (g[0] * s - g[1] * c) / det;
		if (t > 0.0 && u >= 0.0 && u <= 1.0 && t < best)
			best = t;
	}
	return best;
}

static void scan_walls(const double (*segments)[4], int count, int points)
{
	scan_clear();
	for (int i = 0; i < points; i++) {
		double deg = (i + 0.5) * 360.0 / points, r = ray(segments, count, cairn_deg_to_rad(-deg));
		add(deg, r < 12.0 ? r : 0.0);
	}
}

/* A wall 2 m ahead with a door from 0.40 m left to 0.45 m right, another room behind it, 5 m ahead. */
static const double door_ahead[][4] = {
    {2, -3, 2, -0.45}, {2, 0.40, 2, 3}, {5, -3, 5, 3}, {-2, -3, 5, -3}, {-2, 3, 5, 3}, {-2, -3, -2, 3}};

START_TEST(a_door_ahead_is_one_gap_of_its_width)
{
	scan_walls(door_ahead, 6, 7200);
	compute();
	ck_assert_uint_eq(percept.gaps_count, 1);
	ck_assert_double_eq_tol(percept.gaps[0].width_m, 0.85, 0.01);
	ck_assert_double_eq_tol(percept.gaps[0].distance_m, sqrt(4.0 + 0.16), 0.01);
	ck_assert_double_eq_tol(percept.gaps[0].bearing_rad, atan2(-0.025, 2.0), 0.005);
}
END_TEST

START_TEST(a_gap_needs_its_width_and_its_jump)
{
	static const double slit[][4] = {{2, -3, 2, -0.28}, {2, 0.28, 2, 3}, {5, -3, 5, 3}, {-2, -3, 5, -3},
	    {-2, 3, 5, 3}, {-2, -3, -2, 3}};
	static const double niche[][4] = {{2, -3, 2, -0.45}, {2, 0.40, 2, 3}, {2.9, -3, 2.9, 3},
	    {-2, -3, 2.9, -3}, {-2, 3, 2.9, 3}, {-2, -3, -2, 3}};
	scan_walls(slit, 6, 7200); /* 0.56 m */
	compute();
	ck_assert_uint_eq(percept.gaps_count, 0);
	scan_walls(niche, 6, 7200); /* 0.9 m deep */
	compute();
	ck_assert_uint_eq(percept.gaps_count, 0);
}
END_TEST

START_TEST(a_gap_lies_in_the_front_half)
{
	scan_walls(door_ahead, 6, 7200);
	for (uint32_t i = 0; i < scan.angle_rad_count; i++)
		scan.angle_rad[i] += (float)cairn_deg_to_rad(80.0); /* the door is now 80 degrees left */
	compute();
	ck_assert_uint_eq(percept.gaps_count, 1);
	ck_assert_double_eq_tol(
	    percept.gaps[0].bearing_rad, cairn_deg_to_rad(80.0) + atan2(-0.025, 2.0), 0.005);
	for (uint32_t i = 0; i < scan.angle_rad_count; i++)
		scan.angle_rad[i] += (float)cairn_deg_to_rad(20.0);
	compute();
	ck_assert_uint_eq(percept.gaps_count, 0);
}
END_TEST

START_TEST(a_door_seen_across_the_end_of_the_arrays_is_found)
{
	scan_walls(door_ahead, 6, 720);
	compute();
	other = percept;
	scan_clear();
	struct cairn_msg_scan *s = &scan;
	for (int i = 0; i < 720;
	     i++) { /* the turn begins in the middle of the door, and runs counter-clockwise */
		double deg = -i * 0.5 - 0.25, r = ray(door_ahead, 6, cairn_deg_to_rad(-deg));
		add(deg, r);
	}
	ck_assert_uint_eq(s->range_m_count, 720);
	compute();
	ck_assert_uint_eq(percept.gaps_count, 1);
	ck_assert_double_eq_tol(percept.gaps[0].width_m, other.gaps[0].width_m, 1e-3);
}
END_TEST

/* A corridor 1 m wide: its walls jump by more than a metre between neighbours from 7.6 m on, and are no
 * doors. */
START_TEST(a_wall_at_a_grazing_angle_is_no_gap)
{
	static const double corridor[][4] = {
	    {-3, 0.5, 11.5, 0.5}, {-3, -0.5, 11.5, -0.5}, {11.5, -0.5, 11.5, 0.5}, {-3, -0.5, -3, 0.5}};
	scan_walls(corridor, 4, 720);
	compute();
	int jumps = 0;
	for (int i = 0; i < 40; i++)
		jumps += fabsf(scan.range_m[i + 1] - scan.range_m[i]) > 1.0f;
	ck_assert_int_gt(jumps, 0);
	ck_assert_uint_eq(percept.gaps_count, 0);
}
END_TEST

/* The same corridor with a side door 0.8 m wide on the left, from x = 1.0 to 1.8. Seen from the LiDAR its
 * near post is at (1.0, 0.5), its far post at (1.8, 0.5): middle (1.4, 0.5), nearer edge at 1.118 m. */
START_TEST(a_side_door_of_a_corridor_is_a_gap)
{
	static const double corridor[][4] = {{-3, 0.5, 1.0, 0.5}, {1.8, 0.5, 7, 0.5}, {-3, -0.5, 7, -0.5},
	    {7, -0.5, 7, 0.5}, {-3, -0.5, -3, 0.5}, {-1, 0.5, -1, 4}, {4, 0.5, 4, 4}, {-1, 4, 4, 4}};
	scan_walls(corridor, 8, 3600);
	compute();
	ck_assert_uint_eq(percept.gaps_count, 1);
	ck_assert_double_eq_tol(percept.gaps[0].width_m, 0.8, 0.02);
	ck_assert_double_eq_tol(percept.gaps[0].distance_m, hypot(1.0, 0.5), 0.02);
	ck_assert_double_eq_tol(percept.gaps[0].bearing_rad, atan2(0.5, 1.4), 0.02);
}
END_TEST

START_TEST(missing_returns_are_no_opening)
{
	scan_clear();
	for (int i = 0; i < 720; i++)
		add(i * 0.5 + 0.25, i > 690 || i < 30 ? 0.0 : 2.0); /* 1 m of glass ahead */
	compute();
	ck_assert_uint_eq(percept.gaps_count, 0);
}
END_TEST

START_TEST(two_doors_are_listed_nearest_first)
{
	static const double hall[][4] = {{3, -4, 3, -1.6}, {3, -0.9, 3, 4}, {6, -4, 6, 4}, {-2, 2, -0.4, 2},
	    {0.4, 2, 3, 2}, {-2, 5, 3, 5}, {-2, -4, 6, -4}, {-2, -4, -2, 5}};
	scan_walls(hall, 8, 7200);
	compute();
	ck_assert_uint_eq(percept.gaps_count, 2);
	ck_assert_double_eq_tol(percept.gaps[0].width_m, 0.8, 0.02); /* 90 degrees left, 2 m */
	ck_assert_double_eq_tol(percept.gaps[0].distance_m, hypot(2.0, 0.4), 0.02);
	ck_assert_double_eq_tol(percept.gaps[1].width_m, 0.7, 0.02); /* right */
	ck_assert_double_eq_tol(percept.gaps[1].bearing_rad, atan2(-1.25, 3.0), 0.02);
}
END_TEST

CAIRN_TEST_MAIN("gaps", a_door_ahead_is_one_gap_of_its_width, a_gap_needs_its_width_and_its_jump,
    a_gap_lies_in_the_front_half, a_door_seen_across_the_end_of_the_arrays_is_found,
    a_wall_at_a_grazing_angle_is_no_gap, a_side_door_of_a_corridor_is_a_gap, missing_returns_are_no_opening,
    two_doors_are_listed_nearest_first)
