/* How far an arc or a turn in place may be driven between the points of a scan. */
#include <math.h>

#include "common/base/rng.h"
#include "test/support/runner.h"
#include "test/support/scan_points.h"

/* ---- arcs, worked out by hand ---- */

static double free_to(double x_m, double y_m, double curvature_1pm, bool forward)
{
	one_point(x_m, y_m);
	struct cairn_arc_hit hit = cairn_arc_clearance(&points, &body, 0.02, curvature_1pm, forward, 10.0);
	return hit.hit ? hit.free_m : INFINITY;
}

START_TEST(straight_travel_ends_at_the_widened_ends)
{
	ck_assert_double_eq_tol(free_to(1.29, 0.0, 0.0, true), 1.0, 1e-6);    /* 1.29 - 0.27 - 0.02 */
	ck_assert_double_eq_tol(free_to(1.29, 0.119, 0.0, true), 1.0, 1e-6);  /* just inside the width */
	ck_assert_double_infinite(free_to(1.29, 0.121, 0.0, true));           /* just outside */
	ck_assert_double_eq_tol(free_to(-1.10, 0.05, 0.0, false), 1.0, 1e-6); /* 1.10 - 0.08 - 0.02 */
	ck_assert_double_infinite(free_to(-1.10, 0.0, 0.0, true));
	ck_assert_double_infinite(free_to(1.29, 0.0, 0.0, false));
}
END_TEST

/* ---- turns in place ---- */

static double free_turn(double x_m, double y_m, bool left)
{
	one_point(x_m, y_m);
	struct cairn_spin_hit hit = cairn_spin_clearance(&points, &body, 0.02, left);
	return hit.hit ? hit.free_rad : INFINITY;
}

START_TEST(a_turn_in_place_ends_where_a_side_meets_the_point)
{
	/* 0.25 m to the right; the widened right side y = -0.12 reaches that radius at x = 0.2193, 0.5007 rad from ahead. */
	const double side_rad = asin(0.12 / 0.25);
	ck_assert_double_eq_tol(free_turn(0.0, -0.25, false), 0.5 * M_PI - side_rad, 1e-6);
	/* The other way the rear passes it (its corners are 0.156 m out), and the left side comes round. */
	ck_assert_double_eq_tol(free_turn(0.0, -0.25, true), 1.5 * M_PI - side_rad, 1e-6);
	ck_assert_double_infinite(free_turn(0.0, -0.32, true)); /* beyond the corners: 0.3138 m */
	ck_assert_double_infinite(free_turn(0.0, -0.32, false));
	ck_assert_double_eq_tol(free_turn(0.2, 0.2, true), 0.25 * M_PI - asin(0.12 / hypot(0.2, 0.2)), 1e-6);
	ck_assert_double_eq(
	    free_turn(0.1, 0.05, true), 0.0); /* inside the body, left of its middle: it may only */
	ck_assert_double_infinite(free_turn(0.1, 0.05, false)); /* turn so that it comes out on the left */
}
END_TEST

START_TEST(floor_never_seen_ends_a_turn_in_place_and_no_number_is_no_licence)
{
	one_point(0.0, -0.25);
	points.count = 0;
	points.behind = 1;
	ck_assert(cairn_spin_clearance(&points, &body, 0.02, false).hit);
	ck_assert(!cairn_arc_clearance(&points, &body, 0.02, 0.0, true, 1.0).hit);
	points.behind = 0;
	ck_assert(!cairn_spin_clearance(&points, &body, 0.02, false).hit);
	struct cairn_spin_hit hit = cairn_spin_clearance(&points, &body, NAN, false);
	ck_assert(hit.hit && hit.free_rad == 0.0);
}
END_TEST

/* By small steps: the angle at which the point first lies in the widened body. */
static double turned_by_steps(double x_m, double y_m, bool left)
{
	const double step = 2e-4;
	for (double a = 0.0; a < 2.0 * M_PI; a += step) {
		double b = left ? -a : a, x = cos(b) * x_m - sin(b) * y_m, y = sin(b) * x_m + cos(b) * y_m;
		if (x < 0.27 + 0.02 && x > -0.08 - 0.02 && fabs(y) < 0.10 + 0.02)
			return a;
	}
	return INFINITY;
}

START_TEST(turns_in_place_agree_with_small_steps)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 8, 1);
	int met = 0;
	for (int i = 0; i < 400; i++) {
		double a = 2.0 * M_PI * cairn_rng_uniform(&rng), r = 0.1 + 0.3 * cairn_rng_uniform(&rng);
		double x = r * cos(a), y = r * sin(a);
		bool left = i % 2 == 0, beside = x < 0.27 + 0.045 && x > -0.08 - 0.045 && fabs(y) < 0.145;
		if (beside)
			continue; /* near points have half their gap: see above */
		double want = turned_by_steps(x, y, left), got = free_turn(x, y, left);
		met += isfinite(want);
		if (fabs(r - hypot(0.29, 0.12)) > 1e-3) /* a corner that just passes */
			ck_assert((isinf(want) && isinf(got)) || fabs(want - got) < 2e-3);
	}
	ck_assert_int_gt(met, 50);
}
END_TEST

/* ---- arcs, worked out by hand ---- */

START_TEST(left_circle_of_half_a_metre_meets_the_front_edge)
{
	/* Centre (0, 0.5). The middle of the widened front edge (0.29, 0) lies at radius sqrt(0.29^2 +
	 * 0.5^2); turned by 90 degrees about the centre it comes to (0.5, 0.79). The quarter circle is 0.25
	 * pi long. */
	ck_assert_double_eq_tol(free_to(0.5, 0.79, 2.0, true), 0.25 * M_PI, 1e-6);
	/* Mirrored for the right turn, and the same circle the other way round when backing: from the rear
	 * edge. */
	ck_assert_double_eq_tol(free_to(0.5, -0.79, -2.0, true), 0.25 * M_PI, 1e-6);
	/* Rear edge middle (-0.10, 0) relative to the centre is (-0.1, -0.5); backing left turns clockwise:
	 * 90 degrees clockwise gives (-0.5, 0.1), that is (-0.5, 0.6). */
	ck_assert_double_eq_tol(free_to(-0.5, 0.6, 2.0, false), 0.25 * M_PI, 1e-6);
}
END_TEST

START_TEST(full_circle_reaches_a_point_just_behind)
{
	/* The rear edge middle (-0.10, 0); a point 0.2 rad of the 0.5 m circle behind it is met by the front,
	 * the long way: the front edge point of the same radius leads by the angle between (0.29, y) and that
	 * rear point. */
	double radius2 = 0.1 * 0.1 + 0.5 * 0.5;
	double lag = 0.2;
	double rear_angle = atan2(-0.5, -0.1) - lag;
	double x = sqrt(radius2) * cos(rear_angle), y = 0.5 + sqrt(radius2) * sin(rear_angle);
	double front_angle = atan2(-sqrt(radius2 - 0.29 * 0.29), 0.29);
	double turn = fmod(rear_angle - front_angle + 4.0 * M_PI, 2.0 * M_PI);
	ck_assert_double_eq_tol(free_to(x, y, 2.0, true), 0.5 * turn, 1e-5);
}
END_TEST

START_TEST(points_outside_the_swept_ring_are_never_met)
{
	/* Left circle of 0.5 m: the ring reaches from 0.38 (inner side) to hypot(0.29, 0.62) = 0.684 around
	 * (0, 0.5). */
	ck_assert_double_infinite(free_to(0.0, 0.5, 2.0, true));
	ck_assert_double_infinite(free_to(0.0, 0.5 + 0.37, 2.0, true));
	ck_assert_double_infinite(free_to(0.0, 0.5 + 0.69, 2.0, true));
	ck_assert_double_lt(free_to(0.0, 0.5 + 0.68, 2.0, true), 10.0);
	ck_assert_double_lt(free_to(0.0, 0.5 + 0.39, 2.0, true), 10.0);
}
END_TEST

START_TEST(an_arc_straightens_into_the_line)
{
	for (double k = 1e-9; k < 1e-3; k *= 7.0) {
		double slack = 2.0 * k + 1e-6; /* the arc leaves the line by k s^2 / 2 over 1 m */
		ck_assert_double_eq_tol(free_to(1.29, 0.0, k, true), 1.0, slack);
		ck_assert_double_eq_tol(free_to(1.29, 0.0, -k, true), 1.0, slack);
		ck_assert_double_eq_tol(free_to(-1.10, 0.0, k, false), 1.0, slack);
		ck_assert_double_infinite(free_to(1.29, 0.125, k, true));
	}
}
END_TEST

START_TEST(the_horizon_bounds_the_answer)
{
	one_point(5.0, 0.0);
	struct cairn_arc_hit hit = cairn_arc_clearance(&points, &body, 0.02, 0.0, true, 2.0);
	ck_assert(!hit.hit);
	ck_assert_double_eq(hit.free_m, 2.0);
	points.count = 0;
	hit = cairn_arc_clearance(&points, &body, 0.02, 1.0, true, 2.0);
	ck_assert(!hit.hit);
	ck_assert_double_eq(hit.free_m, 2.0);
}
END_TEST

START_TEST(the_hit_names_the_direction_of_its_point)
{
	points.count = 2;
	points.x_m[0] = 2.0f, points.y_m[0] = 0.0f;
	points.x_m[1] = 1.0f, points.y_m[1] = -0.1f;
	struct cairn_arc_hit hit = cairn_arc_clearance(&points, &body, 0.02, 0.0, true, 5.0);
	ck_assert(hit.hit);
	ck_assert_double_eq_tol(hit.bearing_rad, atan2(-0.1, 1.0), 1e-6);
}
END_TEST

START_TEST(arguments_that_are_not_finite_never_allow_motion)
{
	points.count = 0;
	const double bad[] = {NAN, INFINITY, -INFINITY};
	for (int i = 0; i < 3; i++) {
		struct cairn_arc_hit a = cairn_arc_clearance(&points, &body, bad[i], 0.0, true, 1.0);
		struct cairn_arc_hit b = cairn_arc_clearance(&points, &body, 0.0, bad[i], true, 1.0);
		struct cairn_arc_hit c = cairn_arc_clearance(&points, &body, 0.0, 0.0, true, bad[i]);
		ck_assert(a.hit && b.hit && c.hit);
		ck_assert_double_eq(a.free_m + b.free_m + c.free_m, 0.0);
	}
}
END_TEST

/* ---- near points ---- */

START_TEST(a_point_too_near_halves_its_gap_at_most)
{
	/* 1 cm ahead: half of it may be driven; 3 cm ahead (below twice the margin): half of it. */
	ck_assert_double_eq_tol(free_to(0.28, 0.0, 0.0, true), 0.005, 1e-6);
	ck_assert_double_eq_tol(free_to(0.30, 0.0, 0.0, true), 0.015, 1e-6);
	ck_assert_double_eq_tol(free_to(0.31, 0.0, 0.0, true), 0.02, 1e-6); /* both rules agree at 4 cm */
	/* Away from it: free. */
	ck_assert_double_infinite(free_to(0.28, 0.0, 0.0, false));
}
END_TEST

START_TEST(a_wall_alongside_within_the_margin_lets_the_robot_pass)
{
	ck_assert_double_infinite(free_to(0.10, 0.11, 0.0, true));
	ck_assert_double_infinite(free_to(0.10, -0.105, 0.0, false));
	/* Turning the front into it does not. */
	ck_assert_double_lt(free_to(0.25, 0.11, 2.0, true), 0.05);
	/* Swinging the rear corner out into it neither: 4 mm of gap, the corner swings out by 6 mm at x = 0.
	 */
	ck_assert_double_lt(free_to(-0.01, -0.104, 1.0 / 0.4, true), 0.1);
}
END_TEST

START_TEST(a_robot_parked_along_a_wall_can_leave_it)
{
	/* A wall 8 mm to the right, endless; walls nearer than the margin must not lock the robot in. */
	points.count = 801;
	for (int i = 0; i <= 800; i++) {
		points.x_m[i] = (float)(0.01 * (i - 400));
		points.y_m[i] = -0.108f;
	}
	ck_assert(!cairn_arc_clearance(&points, &body, 0.02, 0.0, true, 2.0).hit);
	ck_assert(!cairn_arc_clearance(&points, &body, 0.02, 0.0, false, 2.0).hit);
	/* A gentle left turn leaves it: the rear corner swings out by 0.08^2 / 2 r = 1.6 mm at r = 2 m. */
	ck_assert_double_ge(cairn_arc_clearance(&points, &body, 0.02, 0.5, true, 2.0).free_m, 2.0);
	/* A tight one would swing out by 8 mm. */
	ck_assert_double_lt(cairn_arc_clearance(&points, &body, 0.02, 1.0 / 0.3, true, 2.0).free_m, 0.1);
	/* Turning into it ends soon. */
	ck_assert_double_lt(cairn_arc_clearance(&points, &body, 0.02, -1.0, true, 2.0).free_m, 0.05);
}
END_TEST

START_TEST(a_point_inside_the_body_stops_all_but_the_way_out)
{
	ck_assert_double_eq(free_to(0.26, 0.0, 0.0, true), 0.0);
	ck_assert_double_infinite(free_to(0.26, 0.0, 0.0, false));
	ck_assert_double_eq(free_to(-0.07, 0.0, 0.0, false), 0.0);
	ck_assert_double_infinite(free_to(-0.07, 0.0, 0.0, true));
	/* At the left flank: forward right turns the front away from it, forward left into it. */
	ck_assert_double_eq(free_to(0.2, 0.099, 2.0, true), 0.0);
	ck_assert_double_infinite(free_to(0.2, 0.099, -2.0, true));
}
END_TEST

START_TEST(nearer_points_never_allow_more_travel)
{
	double last = 0.0;
	for (double gap = 0.001; gap < 0.2; gap += 0.001) {
		double now = free_to(0.27 + gap, 0.08, 1.5, true);
		ck_assert_double_ge(now, last);
		last = now;
	}
}
END_TEST

/* ---- against a simulation of the footprint ---- */

/* First travel, in steps of 1 mm, at which the rectangle grown by grow_m holds the point; infinite within the
 * horizon. */
static double brute(
    double x_m, double y_m, const double margin_m[4], double grow_m, double k, bool forward, double horizon_m)
{
	for (double s = 0.0; s <= horizon_m; s += 0.001) {
		double d = forward ? s : -s;
		struct cairn_pose2 at =
		    cairn_pose_advance((struct cairn_pose2){0}, (struct cairn_twist){d, d * k}, 1.0);
		struct cairn_vec2 p = cairn_pose_apply(cairn_pose_inverse(at), (struct cairn_vec2){x_m, y_m});
		if (p.x_m <= body.front_m + margin_m[0] + grow_m &&
		    p.x_m >= -body.rear_m - margin_m[1] - grow_m &&
		    p.y_m <= body.half_width_m + margin_m[2] + grow_m &&
		    p.y_m >= -body.half_width_m - margin_m[3] - grow_m)
			return s;
	}
	return INFINITY;
}

static void check_against_brute(struct cairn_rng *rng, double reach_m)
{
	const double margin = 0.02, horizon = 1.5;
	double x = (2.0 * cairn_rng_uniform(rng) - 1.0) * reach_m;
	double y = (2.0 * cairn_rng_uniform(rng) - 1.0) * reach_m;
	double gap = fmax(fmax(x - body.front_m, -body.rear_m - x), fabs(y) - body.half_width_m);
	if (gap <= 0.002)
		return;
	double k = (2.0 * cairn_rng_uniform(rng) - 1.0) / 0.3;
	if (cairn_rng_uniform(rng) < 0.2)
		k *= 1e-4;
	bool forward = cairn_rng_uniform(rng) < 0.5;
	one_point(x, y);
	struct cairn_arc_hit hit = cairn_arc_clearance(&points, &body, margin, k, forward, horizon);
	double exact = hit.hit ? hit.free_m : INFINITY;
	double along = fmax(x - body.front_m, -body.rear_m - x), across = fabs(y) - body.half_width_m;
	double m[4] = {margin, margin, margin, margin};
	int side = along > across ? (x > 0.0 ? 0 : 1) : (y > 0.0 ? 2 : 3);
	m[side] = fmin(margin, 0.5 * gap);
	/* Whatever a millimetre step finds inside has been met before; and what is met exactly is inside a
	 * rectangle that is grown by the way a point can move in one step: 1 mm times its lever about the
	 * centre, at most 3.5 here. */
	double within = brute(x, y, m, -1e-6, k, forward, horizon);
	double around = brute(x, y, m, 0.0035, k, forward, horizon);
	ck_assert_msg(
	    exact <= within + 1e-9, "point %g %g curvature %g: %g after %g", x, y, k, exact, within);
	ck_assert_msg(
	    exact >= fmin(around, horizon), "point %g %g curvature %g: %g before %g", x, y, k, exact, around);
}

START_TEST(travel_agrees_with_a_simulated_footprint)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 20, 1);
	for (int i = 0; i < 1500; i++)
		check_against_brute(&rng, 1.0);
	for (int i = 0; i < 1500; i++)
		check_against_brute(&rng, 0.35); /* near the body, where the margin gives way */
}
END_TEST

START_TEST(many_points_give_the_least_of_the_single_ones)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 3, 1);
	static struct cairn_points all;
	for (int turn = 0; turn < 200; turn++) {
		double k = (2.0 * cairn_rng_uniform(&rng) - 1.0) / 0.3;
		k = turn % 5 == 0 ? 1e-4 * k : turn % 7 == 0 ? 0.0 : k;
		bool forward = turn % 2 == 0;
		all.count = 1 + (size_t)turn * 3; /* whole blocks of points and parts of one */
		double least = 3.0;
		for (size_t i = 0; i < all.count; i++) {
			double a = 2.0 * M_PI * cairn_rng_uniform(&rng),
			       r = 0.5 + 2.0 * cairn_rng_uniform(&rng);
			all.x_m[i] = (float)(r * cos(a));
			all.y_m[i] = (float)(r * sin(a));
			one_point((double)all.x_m[i], (double)all.y_m[i]);
			least =
			    fmin(least, cairn_arc_clearance(&points, &body, 0.02, k, forward, 3.0).free_m);
		}
		ck_assert_double_eq_tol(
		    cairn_arc_clearance(&all, &body, 0.02, k, forward, 3.0).free_m, least, 1e-12);
	}
}
END_TEST

/* ---- floor that the camera has never shown ---- */

static const struct cairn_sight sight = {.at = {0.20, 0.0, 0.0}, .near_m = 0.26, .tan_half = 0.61};

/* The place of one cell never seen; nothing else anywhere. */
static struct cairn_arc_hit unseen_at(double x_m, double y_m, bool has_sight, double k, bool forward)
{
	one_point(x_m, y_m);
	points.count = 0;
	points.behind = 1;
	points.sight = has_sight ? sight : (struct cairn_sight){0};
	struct cairn_arc_hit hit = cairn_arc_clearance(&points, &body, 0.0, k, forward, 1.5);
	points.behind = 0;
	points.sight = (struct cairn_sight){0};
	return hit;
}

/* The corner inside a turn of 1/3 m about (0, 1/3) runs on a circle of hypot(0.27, 0.2333) = 0.3569 m from
 * -40.83 degrees on; at 20 degrees it is at (0.3353, 0.4554), after 60.83 degrees or 0.3539 m. */
START_TEST(floor_never_seen_ends_a_tight_arc_whose_inner_corner_comes_there)
{
	struct cairn_arc_hit hit = unseen_at(0.3353, 0.4554, true, 3.0, true);
	ck_assert(hit.hit);
	ck_assert_double_eq_tol(hit.free_m, 0.3539, 0.002);
	ck_assert_uint_eq(hit.point, 0);
	ck_assert(unseen_at(0.3353, -0.4554, true, -3.0, true).hit);
	ck_assert(!unseen_at(0.3353, 0.4554, false, 3.0, true).hit); /* nothing is known of a camera */
	ck_assert(!unseen_at(0.3353, -0.4554, true, 3.0, true).hit); /* the side it turns from */
	ck_assert(
	    !unseen_at(0.8, 0.0, true, 0.0, true).hit); /* straight on it comes into the picture first */
	ck_assert(!unseen_at(0.9, 0.45, true, 0.9, true).hit); /* so it does on a wide arc */
	ck_assert(unseen_at(-0.8, 0.0, true, 0.0, false).hit); /* backward nothing does */
}
END_TEST

/* Turned to the left by 0.9 rad, a camera 0.1 m to the left sees (0.3353, 0.4554), where the inner corner comes: 0.36 m ahead of it and
 * 0.12 m to its left. Its mirror image, to the right, it does not. */
START_TEST(a_camera_turned_aside_shows_what_lies_there)
{
	const struct cairn_sight aside = {.at = {0.20, 0.10, 0.9}, .near_m = 0.26, .tan_half = 0.61};
	ck_assert(cairn_sight_shows(&aside, 0.3353, 0.4554, 0.0, 0.0));
	ck_assert(!cairn_sight_shows(&aside, 0.3353, -0.4554, 0.0, 0.0));
	ck_assert(!cairn_sight_shows(&aside, 1.0, 0.0, 0.0, 0.0));
	ck_assert(!cairn_sight_shows(&sight, 0.3353, 0.4554, 0.0, 0.0));
	ck_assert(cairn_sight_shows(&sight, 1.0, 0.0, 0.0, 0.0));
}
END_TEST

/* In steps of 5 mm: does the body come there, and did the camera show the place before it did? */
static void walk_over(double x_m, double y_m, double k, bool *ret_comes, bool *ret_shown)
{
	*ret_comes = *ret_shown = false;
	for (double s = 0.0; s <= 1.4 && !*ret_comes; s += 0.005) {
		struct cairn_pose2 at =
		    cairn_pose_advance((struct cairn_pose2){0}, (struct cairn_twist){s, s * k}, 1.0);
		struct cairn_vec2 p = cairn_pose_apply(cairn_pose_inverse(at), (struct cairn_vec2){x_m, y_m});
		double ahead = p.x_m - sight.at.x_m;
		*ret_comes =
		    p.x_m <= body.front_m && p.x_m >= -body.rear_m && fabs(p.y_m) <= body.half_width_m;
		*ret_shown |= ahead > sight.near_m && fabs(p.y_m) < sight.tan_half * ahead;
	}
}

START_TEST(on_a_tight_arc_the_inner_side_is_seen_before_it_is_driven_on_or_not_driven_on)
{
	struct cairn_rng rng;
	int blind = 0, shown_in_time = 0;
	cairn_rng_seed(&rng, 11, 1);
	for (int i = 0; i < 20000; i++) {
		double k = (1.0 + 2.0 * cairn_rng_uniform(&rng)) * (i % 2 == 0 ? 1.0 : -1.0);
		double x = -0.5 + 1.7 * cairn_rng_uniform(&rng),
		       y = copysign(1.2 * cairn_rng_uniform(&rng), k);
		bool comes, shown;
		if (fmax(fmax(x - body.front_m, -body.rear_m - x), fabs(y) - body.half_width_m) <= 0.01)
			continue;
		walk_over(x, y, k, &comes, &shown);
		if (!comes)
			continue;
		bool held = unseen_at(x, y, true, k, true).hit;
		ck_assert_msg(held || shown, "point %g %g curvature %g is driven on unseen", x, y, k);
		blind += !shown;
		shown_in_time += shown && !held;
	}
	ck_assert_int_gt(blind, 100);
	ck_assert_int_gt(shown_in_time, 100); /* and what will be seen is no obstacle */
}
END_TEST

CAIRN_TEST_MAIN("scan-arc", straight_travel_ends_at_the_widened_ends,
    a_turn_in_place_ends_where_a_side_meets_the_point,
    floor_never_seen_ends_a_turn_in_place_and_no_number_is_no_licence, turns_in_place_agree_with_small_steps,
    left_circle_of_half_a_metre_meets_the_front_edge, full_circle_reaches_a_point_just_behind,
    points_outside_the_swept_ring_are_never_met, an_arc_straightens_into_the_line,
    the_horizon_bounds_the_answer, the_hit_names_the_direction_of_its_point,
    arguments_that_are_not_finite_never_allow_motion, a_point_too_near_halves_its_gap_at_most,
    a_wall_alongside_within_the_margin_lets_the_robot_pass, a_robot_parked_along_a_wall_can_leave_it,
    a_point_inside_the_body_stops_all_but_the_way_out, nearer_points_never_allow_more_travel,
    travel_agrees_with_a_simulated_footprint, many_points_give_the_least_of_the_single_ones,
    floor_never_seen_ends_a_tight_arc_whose_inner_corner_comes_there,
    a_camera_turned_aside_shows_what_lies_there,
    on_a_tight_arc_the_inner_side_is_seen_before_it_is_driven_on_or_not_driven_on)
