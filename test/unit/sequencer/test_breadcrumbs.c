/* The way back: its points, its junctions, and what is dropped. */
#include "test/support/runner.h"

#include <math.h>

#include "common/base/rng.h"
#include "common/sequencer/breadcrumbs.h"
#include "common/sequencer/follow_wall.h"

static struct cairn_breadcrumbs trail;

static void drive(double x0, double y0, double x1, double y1)
{
	double n = ceil(hypot(x1 - x0, y1 - y0) / 0.05);
	for (int i = 0; i <= (int)n; i++)
		cairn_breadcrumbs_drive(&trail, x0 + (x1 - x0) * i / n, y0 + (y1 - y0) * i / n, false);
}

static double end_m(double x, double y)
{
	const struct cairn_breadcrumb *p = &trail.at[trail.count - 1];
	return hypot((double)p->x_m - x, (double)p->y_m - y);
}

START_TEST(a_dead_end_that_was_left_is_on_the_trail_no_more)
{
	trail = (struct cairn_breadcrumbs){0};
	drive(0, 0, 3, 0);
	cairn_breadcrumbs_drive(&trail, 3, 0, true);
	drive(3, 0, 3, 4); /* into the dead end, and out again */
	uint32_t deepest = trail.count;
	drive(3, 4, 3, 0);
	ck_assert_uint_lt(trail.count, deepest - 8);
	ck_assert_double_lt(end_m(3, 0), 0.6);
	drive(3, 0, 6, 0);
	for (uint32_t i = 0; i < trail.count; i++)
		ck_assert_double_lt(fabs((double)trail.at[i].y_m), 0.6);
}
END_TEST

START_TEST(the_last_junction_is_one_that_was_left_behind)
{
	trail = (struct cairn_breadcrumbs){0};
	drive(0, 0, 2, 0);
	cairn_breadcrumbs_drive(&trail, 2.0, 0, true);
	drive(2, 0, 4, 0);
	cairn_breadcrumbs_drive(&trail, 4.0, 0, true);
	drive(4, 0, 4, 3);
	int i = cairn_breadcrumbs_junction(&trail, 4, 3, 1.0);
	ck_assert_double_eq_tol((double)trail.at[i].x_m, 4.0, 0.31);
	i = cairn_breadcrumbs_junction(&trail, 4, 0.2, 1.0); /* that one is where the robot is */
	ck_assert_double_eq_tol((double)trail.at[i].x_m, 2.0, 0.31);
	ck_assert_int_eq(cairn_breadcrumbs_junction(&trail, 1.9, 0, 1.0), 0);
	/* By points along the way, and no shorter. */
	int via = cairn_breadcrumbs_via(&trail, 4, 3, 0, 1.5);
	ck_assert_double_eq_tol((double)trail.at[via].y_m, 1.5, 0.31);
	ck_assert_int_eq(cairn_breadcrumbs_via(&trail, 1.0, 0, 0, 1.5), 0);
	trail.count = 0;
	ck_assert_int_eq(cairn_breadcrumbs_junction(&trail, 0, 0, 1.0), -1);
}
END_TEST

START_TEST(however_it_is_driven_it_stays_bounded_sane_and_leads_to_the_start)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 1);
	for (int run = 0; run < 20; run++) {
		double x = 0.0, y = 0.0, yaw = 0.0;
		trail = (struct cairn_breadcrumbs){0};
		for (int i = 0; i < 20000; i++) {
			yaw += 0.1 * cairn_rng_normal(&rng);
			x += 0.05 * cos(yaw);
			y += 0.05 * sin(yaw);
			cairn_breadcrumbs_drive(&trail, x, y, cairn_rng_uniform(&rng) < 0.05);
			if (i % 1000 != 0)
				continue;
			ck_assert(cairn_breadcrumbs_sane(&trail));
			ck_assert(trail.at[0].x_m == 0.05f * (float)cos((double)trail.at[0].y_m) ||
				  hypot((double)trail.at[0].x_m, (double)trail.at[0].y_m) < 0.1);
			int j = cairn_breadcrumbs_junction(&trail, x, y, 1.0);
			ck_assert_int_ge(j, 0);
			ck_assert(j == 0 || trail.at[j].junction);
		}
	}
	ck_assert(!cairn_breadcrumbs_drive(&trail, NAN, 0, false));
	trail.at[0].x_m = NAN;
	ck_assert(!cairn_breadcrumbs_sane(&trail));
}
END_TEST

static struct cairn_points points;

/* A return every 2 cm of a wall. */
static void wall(double ax, double ay, double bx, double by)
{
	int n = (int)(hypot(bx - ax, by - ay) / 0.02);
	for (int i = 0; i <= n && points.count < CAIRN_POINTS_MAX; i++) {
		points.x_m[points.count] = (float)(ax + (bx - ax) * i / n);
		points.y_m[points.count++] = (float)(ay + (by - ay) * i / n);
	}
}

START_TEST(passages_are_counted_by_what_the_lidar_sees)
{
	points.count = 0;
	ck_assert_uint_eq(cairn_breadcrumbs_passages(&points, 0, 0.12), 1); /* out in the open */
	wall(-2, 0.5, 2, 0.5);
	wall(-2, -0.5, 2, -0.5);
	ck_assert_uint_eq(cairn_breadcrumbs_passages(&points, points.count, 0.12), 2); /* a corridor */
	points.count = 0;
	wall(-2, 0.5, -0.5, 0.5);
	wall(0.5, 0.5, 2, 0.5);
	wall(-0.5, 0.5, -0.5, 2);
	wall(0.5, 0.5, 0.5, 2);
	wall(-2, -0.5, 2, -0.5);
	ck_assert_uint_eq(cairn_breadcrumbs_passages(&points, points.count, 0.12), 3); /* a T */
	points.count = 0;
	wall(-0.5, 0.5, 2, 0.5);
	wall(-0.5, -0.5, 2, -0.5);
	wall(-0.5, -0.5, -0.5, 0.5);
	ck_assert_uint_eq(cairn_breadcrumbs_passages(&points, points.count, 0.12), 1); /* a dead end */
}
END_TEST

START_TEST(a_wall_is_a_line_and_the_steering_keeps_a_gap_to_it)
{
	struct cairn_footprint body = {0.25, 0.10, 0.10};
	double curvature;
	for (int side = -1; side <= 1; side += 2) {
		struct cairn_wall w = {.side = side};
		points.count = 0;
		wall(-1, side * 0.6, 2, side * 0.6);
		struct cairn_wall_line line = cairn_wall_line(&points, points.count, &body, side);
		ck_assert(line.there);
		ck_assert_double_eq_tol(line.gap_m, 0.5, 1e-3);
		ck_assert_double_eq_tol(line.angle_rad, 0.0, 1e-3);
		ck_assert(!cairn_wall_line(&points, points.count, &body, -side).there);
		/* 0.5 m is 0.2 m too far: towards it */
		ck_assert_int_eq(cairn_wall_step(&w, &points, points.count, &body, 2.0, 0.0,
				     (struct cairn_vec2){0, 0}, 1.5, &curvature),
		    CAIRN_WALL_GOES_ON);
		ck_assert_double_eq_tol(curvature, side * 0.3, 1e-2);
		/* Its ends. */
		ck_assert_int_eq(cairn_wall_step(&w, &points, points.count, &body, 2.0, 0.5,
				     (struct cairn_vec2){0.5, 0}, 0.4, &curvature),
		    CAIRN_WALL_CORNER);
		ck_assert_int_eq(cairn_wall_step(&w, &points, 0, &body, 2.0, 0.7, (struct cairn_vec2){0.7, 0},
				     1.5, &curvature),
		    CAIRN_WALL_GOES_ON);
		ck_assert_int_eq(cairn_wall_step(&w, &points, 0, &body, 2.0, 0.9, (struct cairn_vec2){0.9, 0},
				     1.5, &curvature),
		    CAIRN_WALL_ENDED);
		ck_assert_int_eq(cairn_wall_step(&w, &points, points.count, &body, 2.0, 8.0,
				     (struct cairn_vec2){0.2, 0}, 1.5, &curvature),
		    CAIRN_WALL_ROUND);
	}
	points.count = 4; /* points that are none */
	for (int i = 0; i < 4; i++) {
		points.x_m[i] = i % 2 == 0 ? NAN : INFINITY;
		points.y_m[i] = i < 2 ? NAN : 0.5f;
	}
	ck_assert(!cairn_wall_line(&points, points.count, &body, 1).there);
	ck_assert_uint_eq(cairn_breadcrumbs_passages(&points, points.count, 0.12), 1);
	struct cairn_wall none = {.side = 1};
	ck_assert_int_eq(
	    cairn_wall_step(&none, &points, 0, &body, 2.0, 0.0, (struct cairn_vec2){0, 0}, 1.5, &curvature),
	    CAIRN_WALL_NONE);
}
END_TEST

CAIRN_TEST_MAIN("breadcrumbs", a_dead_end_that_was_left_is_on_the_trail_no_more,
    the_last_junction_is_one_that_was_left_behind,
    however_it_is_driven_it_stays_bounded_sane_and_leads_to_the_start,
    passages_are_counted_by_what_the_lidar_sees, a_wall_is_a_line_and_the_steering_keeps_a_gap_to_it)
