#include "common/plan/hybrid.h"

#include "common/base/rng.h"
#include "common/plan/shot.h"
#include "test/support/grids.h"
#include "test/support/runner.h"

static const struct cairn_footprint body = {0.27, 0.08, 0.10};
static const struct cairn_hybrid_params params = {.body = {0.27, 0.08, 0.10},
    .turn_radius_m = 0.33,
    .clearance_m = 0.04,
    .lead_m = 0.10,
    .reverse_factor = 2.0,
    .switch_m = 0.6,
    .turn_factor = 1.3,
    .nodes_max = 120000};
static struct cairn_path path;

static void load(struct cairn_costmap *cm, const struct test_grid *g)
{
	const struct cairn_costmap_params costs = {0.35, 0.10, 20.0, 50.0, 3.0, 0.0};
	struct cairn_plan_grid view = test_grid_view(g);
	cairn_costmap_init(cm, &costs);
	ck_assert_int_eq(cairn_costmap_set_grid(cm, &view, NULL, &body), 0);
}

/* Can the base drive it: steps along arcs no tighter than the limit, in the direction that is said, free of
 * obstacles? */
static void check_path(const struct test_grid *g, const struct cairn_pose2 *start)
{
	ck_assert_int_ge(path.count, 2);
	ck_assert_double_le(hypot(path.poses[0].x_m - start->x_m, path.poses[0].y_m - start->y_m), 1e-6);
	ck_assert_double_le(fabs(cairn_wrap_rad(path.poses[0].yaw_rad - start->yaw_rad)), 1e-6);
	for (int i = 1; i < path.count; i++) {
		struct cairn_pose2 step = cairn_pose_between(
		    cairn_path_pose2(&path.poses[i - 1]), cairn_path_pose2(&path.poses[i]));
		double travel = hypot(step.x_m, step.y_m);
		ck_assert_double_le(travel, 0.10);
		if (travel > 1e-4) {
			ck_assert(path.poses[i].reverse == (step.x_m < 0.0));
			/* The chord of an arc points half way through its turn (a little off where an arc
			 * meets a line). */
			double along = atan2(path.poses[i].reverse ? -step.y_m : step.y_m, fabs(step.x_m));
			ck_assert_double_le(fabs(along - 0.5 * step.yaw_rad), 0.06);
		}
		ck_assert_double_le(fabs(step.yaw_rad), travel / 0.33 * 1.02 + 1e-6);
		ck_assert(!test_grid_touches(g, cairn_path_pose2(&path.poses[i]), &body));
	}
}

START_TEST(shots_end_where_they_should)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 2, 1);
	for (int i = 0; i < 2000; i++) {
		struct cairn_pose2 from = {
		    cairn_rng_uniform(&rng), cairn_rng_uniform(&rng), 7.0 * cairn_rng_uniform(&rng)};
		struct cairn_pose2 to = {4.0 * cairn_rng_uniform(&rng) - 2.0,
		    4.0 * cairn_rng_uniform(&rng) - 2.0, 7.0 * cairn_rng_uniform(&rng)};
		struct cairn_shot shot;
		for (int rev = 0; rev < 2; rev++) {
			ck_assert(cairn_shot_to_pose(&shot, &from, &to, 0.4, rev == 1));
			struct cairn_pose2 end = cairn_shot_at(&shot, &from, shot.length_m);
			ck_assert_double_le(hypot(end.x_m - to.x_m, end.y_m - to.y_m), 1e-5);
			ck_assert_double_le(fabs(cairn_wrap_rad(end.yaw_rad - to.yaw_rad)), 1e-5);
			double with_heading = shot.length_m;
			if (!cairn_shot_to_point(&shot, &from, to.x_m, to.y_m, 0.4, rev == 1))
				continue;
			end = cairn_shot_at(&shot, &from, shot.length_m);
			ck_assert_double_le(hypot(end.x_m - to.x_m, end.y_m - to.y_m), 1e-6);
			/* Near the turning circles two turns can be shorter than a turn and a line. */
			if (hypot(to.x_m - from.x_m, to.y_m - from.y_m) > 4.0 * 0.4)
				ck_assert_double_le(shot.length_m, with_heading + 1e-6);
		}
	}
}
END_TEST

START_TEST(walking_a_shot_meets_the_poses_along_it_and_the_sine_and_cosine_of_their_yaw)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 1);
	for (int i = 0; i < 500; i++) {
		struct cairn_pose2 from = {
		    cairn_rng_uniform(&rng), cairn_rng_uniform(&rng), 7.0 * cairn_rng_uniform(&rng)};
		struct cairn_pose2 to = {4.0 * cairn_rng_uniform(&rng) - 2.0,
		    4.0 * cairn_rng_uniform(&rng) - 2.0, 7.0 * cairn_rng_uniform(&rng)};
		struct cairn_shot shot;
		ck_assert(cairn_shot_to_pose(&shot, &from, &to, 0.4, i % 2 == 1));
		struct cairn_shot_walk walk = cairn_shot_walk_begin(&shot, &from);
		struct cairn_pose2 before = from;
		for (int k = 1; k <= 40; k++) {
			double c, s, step_m = shot.length_m / 40.0, at_m = step_m * k;
			struct cairn_pose2 pose = cairn_shot_walk_to(&walk, at_m, &c, &s);
			struct cairn_pose2 alone = cairn_shot_at(&shot, &from, at_m);
			ck_assert_double_le(hypot(pose.x_m - alone.x_m, pose.y_m - alone.y_m), 1e-12);
			ck_assert_double_eq_tol(pose.yaw_rad, alone.yaw_rad, 1e-12);
			ck_assert_double_eq(c, cos(pose.yaw_rad));
			ck_assert_double_eq(s, sin(pose.yaw_rad));
			struct cairn_vec2 place = cairn_shot_walk_place(&walk, at_m);
			ck_assert_double_eq(place.x_m, pose.x_m);
			ck_assert_double_eq(place.y_m, pose.y_m);
			double moved_m = hypot(pose.x_m - before.x_m, pose.y_m - before.y_m);
			ck_assert_double_le(moved_m, step_m + 1e-9);
			ck_assert_double_ge(moved_m, 0.6 * fmin(step_m, 0.4));
			before = pose;
		}
	}
}
END_TEST

START_TEST(known_shots_have_known_lengths)
{
	struct cairn_pose2 from = {0.0, 0.0, 0.0};
	struct cairn_shot shot;
	/* Straight ahead; a quarter turn left and one metre; straight back. */
	ck_assert(cairn_shot_to_point(&shot, &from, 2.0, 0.0, 0.5, false));
	ck_assert_double_eq_tol(shot.length_m, 2.0, 1e-9);
	ck_assert(cairn_shot_to_point(&shot, &from, 0.5, 1.5, 0.5, false));
	ck_assert_double_eq_tol(shot.length_m, 0.25 * M_PI + 1.0, 1e-9);
	ck_assert(cairn_shot_to_point(&shot, &from, -1.0, 0.0, 0.5, true));
	ck_assert_double_eq_tol(shot.length_m, 1.0, 1e-9);
	ck_assert(
	    !cairn_shot_to_point(&shot, &from, 0.0, 0.5, 0.5, false) || shot.part[0].curvature_1pm < 0.0);
	/* Turn on the spot of the textbooks: two circles touching, left-right-left is shorter than a straight
	 * part. */
	struct cairn_pose2 to = {0.0, 1.0, M_PI};
	ck_assert(cairn_shot_to_pose(&shot, &from, &to, 0.5, false));
	ck_assert_double_eq_tol(shot.length_m, 0.5 * M_PI, 1e-6);
}
END_TEST

/* Waypoints are few, lead to the end, keep the changes of direction, and their lines stay in free space with
 * half the body's width about them. */
static void check_waypoints(const struct cairn_costmap *cm)
{
	static int at[CAIRN_PATH_MAX];
	int count = cairn_path_waypoints(&path, 0, 0.02, at, CAIRN_PATH_MAX), kept = 0, turns = 0;
	ck_assert_int_eq(at[0], 0);
	ck_assert_int_eq(at[count - 1], path.count - 1);
	ck_assert_int_le(count, path.count < 10 ? path.count : path.count / 2);
	for (int i = 2; i < path.count; i++)
		turns += path.poses[i].reverse != path.poses[i - 1].reverse;
	for (int i = 1; i < count; i++) {
		const struct cairn_path_pose *a = &path.poses[at[i - 1]], *b = &path.poses[at[i]];
		kept += i > 1 && at[i - 1] > 0 && path.poses[at[i - 1] + 1].reverse != a->reverse;
		for (double t = 0.0; t <= 1.0; t += 0.01) {
			int cell = cairn_costmap_index(
			    cm, a->x_m + t * (b->x_m - a->x_m), a->y_m + t * (b->y_m - a->y_m));
			ck_assert_int_ge(cell, 0);
			/* Half a cell for the disc, half a diagonal for the place in the cell. */
			ck_assert_float_ge(cm->dist[cell] * 0.05f, 0.08f);
		}
	}
	ck_assert_int_eq(kept, turns);
	ck_assert_int_le(cairn_path_waypoints(&path, 0, 0.02, at, turns + 5), turns + 5);
}

START_TEST(paths_in_a_flat_can_be_driven)
{
	struct test_grid g = test_grid_flat(0.05, 0.70);
	struct cairn_costmap cm;
	load(&cm, &g);
	struct cairn_hybrid *h = cairn_hybrid_new(&params);
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 8, 1);
	struct cairn_rect room = cairn_rect_around(&body, 0.05);
	for (int n = 0; n < CAIRN_ROUNDS(200);) {
		struct cairn_pose2 s = {12.0 * cairn_rng_uniform(&rng), 9.0 * cairn_rng_uniform(&rng),
		    6.2 * cairn_rng_uniform(&rng)};
		struct cairn_hybrid_query q = {.start = s,
		    .goal_x_m = 12.0 * cairn_rng_uniform(&rng),
		    .goal_y_m = 9.0 * cairn_rng_uniform(&rng),
		    .tolerance_m = 0.15};
		int goal = cairn_costmap_index(&cm, q.goal_x_m, q.goal_y_m);
		if (!cairn_costmap_fits(&cm, &s, &room) || cm.dist[goal] < 5.0f ||
		    (cm.cells[goal] & CAIRN_CELL_OBSTACLE) != 0)
			continue;
		ck_assert_int_eq(cairn_hybrid_search(h, &cm, &q, &path, NULL), CAIRN_PLAN_OK);
		check_path(&g, &s);
		const struct cairn_path_pose *end = &path.poses[path.count - 1];
		ck_assert_double_le(hypot(end->x_m - q.goal_x_m, end->y_m - q.goal_y_m), 0.15);
		ck_assert(isfinite(cairn_hybrid_path_cost(h, &cm, &path, 1, 0.03, INFINITY, NULL)));
		check_waypoints(&cm);
		n++;
	}
	cairn_hybrid_destroy(&h);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

START_TEST(the_same_query_gives_the_same_path)
{
	static struct cairn_path again;
	struct test_grid g = test_grid_flat(0.05, 0.70);
	struct cairn_costmap cm;
	load(&cm, &g);
	struct cairn_hybrid *h = cairn_hybrid_new(&params);
	struct cairn_hybrid_query q = {
	    .start = {0.5, 3.2, 0.3}, .goal_x_m = 11.0, .goal_y_m = 8.3, .tolerance_m = 0.2};
	ck_assert_int_eq(cairn_hybrid_search(h, &cm, &q, &path, NULL), CAIRN_PLAN_OK);
	struct cairn_hybrid_query other = {
	    .start = {6.0, 4.5, 2.0}, .goal_x_m = 1.0, .goal_y_m = 6.0, .tolerance_m = 0.2};
	ck_assert_int_eq(cairn_hybrid_search(h, &cm, &other, &again, NULL), CAIRN_PLAN_OK);
	ck_assert_int_eq(cairn_hybrid_search(h, &cm, &q, &again, NULL), CAIRN_PLAN_OK);
	ck_assert_int_eq(path.count, again.count);
	ck_assert_mem_eq(&path.poses[path.count - 1].x_m, &again.poses[again.count - 1].x_m, sizeof(double));
	ck_assert_double_eq(path.cost, again.cost);
	cairn_hybrid_destroy(&h);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

START_TEST(what_could_not_be_cheap_enough_is_not_looked_for_and_what_could_is_found_as_before)
{
	static struct cairn_path again;
	struct test_grid g = test_grid_flat(0.05, 0.70);
	struct cairn_costmap cm;
	load(&cm, &g);
	struct cairn_hybrid *h = cairn_hybrid_new(&params);
	struct cairn_rng rng;
	struct cairn_hybrid_stats stats;
	cairn_rng_seed(&rng, 12, 1);
	struct cairn_rect room = cairn_rect_around(&body, 0.05);
	int asked = 0, found = 0, spared = 0;
	while (asked < 60) {
		struct cairn_hybrid_query q = {
		    .start = {12.0 * cairn_rng_uniform(&rng), 9.0 * cairn_rng_uniform(&rng),
			6.2 * cairn_rng_uniform(&rng)},
		    .goal_x_m = 12.0 * cairn_rng_uniform(&rng),
		    .goal_y_m = 9.0 * cairn_rng_uniform(&rng),
		    .tolerance_m = 0.15};
		if (!cairn_costmap_fits(&cm, &q.start, &room) ||
		    cairn_hybrid_search(h, &cm, &q, &path, NULL) != CAIRN_PLAN_OK)
			continue;
		asked++;
		double cost = path.cost;
		q.cost_max =
		    1.001 * cost; /* this path is cheap enough: as good as one is found, nearly always */
		q.expansions_max = 20000;
		if (cairn_hybrid_search(h, &cm, &q, &again, NULL) == CAIRN_PLAN_OK) {
			ck_assert_double_lt(again.cost, q.cost_max);
			found++;
		}
		q.cost_max = 0.5 * cost;
		if (cairn_hybrid_search(h, &cm, &q, &again, &stats) == CAIRN_PLAN_NO_PATH) {
			ck_assert_int_le(stats.expansions, 20000);
			spared += stats.expansions == 0;
		}
	}
	printf("# found %d, spared %d of %d\n", found, spared, asked);
	ck_assert_int_gt(found, 54);
	ck_assert_int_gt(spared, 40);
	cairn_hybrid_destroy(&h);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

/* Poses driven backward that have an unseen point under the body. */
static int backed_over(const struct cairn_vec2 *unseen, int count)
{
	int over = 0;
	for (int i = 1; i < path.count; i++) {
		const struct cairn_path_pose *p = &path.poses[i];
		double c = cos(p->yaw_rad), s = sin(p->yaw_rad);
		for (int k = 0; k < count && p->reverse; k++) {
			double dx = unseen[k].x_m - p->x_m, dy = unseen[k].y_m - p->y_m;
			double ahead = c * dx + s * dy, left = c * dy - s * dx;
			over +=
			    ahead < body.front_m && ahead > -body.rear_m && fabs(left) < body.half_width_m;
		}
	}
	return over;
}

START_TEST(no_path_backs_over_floor_that_was_never_seen)
{
	struct test_grid g = test_grid_flat(0.05, 0.70);
	struct cairn_costmap cm;
	load(&cm, &g);
	struct cairn_hybrid *h = cairn_hybrid_new(&params);
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 31, 1);
	struct cairn_rect room = cairn_rect_around(&body, 0.05);
	int found = 0, over_before = 0;
	while (found < 30) {
		struct cairn_vec2 unseen[40];
		struct cairn_pose2 start = {12.0 * cairn_rng_uniform(&rng), 9.0 * cairn_rng_uniform(&rng),
		    6.2 * cairn_rng_uniform(&rng)};
		if (!cairn_costmap_fits(&cm, &start, &room))
			continue;
		double c = cos(start.yaw_rad), s = sin(start.yaw_rad);
		for (int k = 0; k < 40; k++) { /* a line across, close behind */
			double left = -0.5 + 0.025 * k;
			unseen[k] = (struct cairn_vec2){
			    start.x_m - 0.3 * c - left * s, start.y_m - 0.3 * s + left * c};
		}
		struct cairn_hybrid_query q = {.start = start,
		    .goal_x_m = start.x_m - 1.5 * c,
		    .goal_y_m = start.y_m - 1.5 * s,
		    .tolerance_m = 0.15,
		    .expansions_max = 8000};
		cairn_costmap_set_unseen(&cm, unseen, 0);
		if (cairn_hybrid_search(h, &cm, &q, &path, NULL) != CAIRN_PLAN_OK)
			continue;
		over_before += backed_over(unseen, 40) > 0;
		cairn_costmap_set_unseen(&cm, unseen, 40);
		if (cairn_hybrid_search(h, &cm, &q, &path, NULL) != CAIRN_PLAN_OK)
			continue;
		found++;
		ck_assert_int_eq(backed_over(unseen, 40), 0);
	}
	ck_assert_int_gt(over_before, 15);
	cairn_hybrid_destroy(&h);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

START_TEST(a_goal_heading_is_kept)
{
	struct test_grid g = test_grid_new(4.0, 4.0, 0.05);
	test_grid_border(&g);
	struct cairn_costmap cm;
	load(&cm, &g);
	struct cairn_hybrid *h = cairn_hybrid_new(&params);
	for (int i = 0; i < 8; i++) {
		struct cairn_hybrid_query q = {.start = {1.0, 1.0, 0.0},
		    .goal_x_m = 2.6,
		    .goal_y_m = 2.4,
		    .tolerance_m = 0.1,
		    .heading_given = true,
		    .goal_yaw_rad = cairn_wrap_rad(i * M_PI / 4.0),
		    .yaw_tolerance_rad = 0.2};
		ck_assert_int_eq(cairn_hybrid_search(h, &cm, &q, &path, NULL), CAIRN_PLAN_OK);
		check_path(&g, &q.start);
		const struct cairn_path_pose *end = &path.poses[path.count - 1];
		ck_assert_double_le(hypot(end->x_m - 2.6, end->y_m - 2.4), 0.1);
		ck_assert_double_le(fabs(cairn_wrap_rad(end->yaw_rad - q.goal_yaw_rad)), 0.2);
	}
	cairn_hybrid_destroy(&h);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

START_TEST(the_nearest_reachable_point_will_do_when_asked)
{
	struct test_grid g = test_grid_new(5.0, 3.0, 0.05);
	test_grid_border(&g);
	test_grid_box(&g, 3.0, 0.0, 5.0, 3.0, 100);
	struct cairn_costmap cm;
	load(&cm, &g);
	struct cairn_hybrid *h = cairn_hybrid_new(&params);
	struct cairn_hybrid_query q = {
	    .start = {1.0, 1.5, 0.0}, .goal_x_m = 3.3, .goal_y_m = 1.5, .tolerance_m = 0.2};
	ck_assert_int_eq(cairn_hybrid_search(h, &cm, &q, &path, NULL), CAIRN_PLAN_GOAL_BLOCKED);
	q.nearest_m = 1.0;
	struct cairn_hybrid_stats st;
	ck_assert_int_eq(cairn_hybrid_search(h, &cm, &q, &path, &st), CAIRN_PLAN_NEAREST);
	check_path(&g, &q.start);
	ck_assert_double_le(st.goal_x_m, 3.0 - 0.10);
	ck_assert_double_ge(st.goal_x_m, 2.5);
	cairn_hybrid_destroy(&h);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

static int64_t ticking(void *ctx)
{
	return (*(int64_t *)ctx)++;
}

START_TEST(searches_end_at_their_limits)
{
	struct test_grid g = test_grid_flat(0.05, 0.70);
	struct cairn_costmap cm;
	load(&cm, &g);
	struct cairn_hybrid *h = cairn_hybrid_new(&params);
	struct cairn_hybrid_query q = {
	    .start = {0.5, 3.2, 0.3}, .goal_x_m = 11.0, .goal_y_m = 8.3, .tolerance_m = 0.2};
	struct cairn_hybrid_stats st;
	q.expansions_max = 3;
	ck_assert_int_eq(cairn_hybrid_search(h, &cm, &q, &path, &st), CAIRN_PLAN_LIMIT);
	ck_assert_int_le(st.expansions, 3);
	int64_t now = 0;
	q.expansions_max = 0;
	q.now_ns = ticking;
	q.ctx = &now;
	q.deadline_ns = 0;
	enum cairn_plan_result r = cairn_hybrid_search(h, &cm, &q, &path, &st);
	ck_assert(r == CAIRN_PLAN_PARTIAL || r == CAIRN_PLAN_LIMIT || r == CAIRN_PLAN_OK);
	ck_assert_int_le(st.expansions, 128);
	if (r != CAIRN_PLAN_LIMIT)
		check_path(&g, &q.start);
	cairn_hybrid_destroy(&h);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

START_TEST(reasons_are_told_apart)
{
	struct test_grid g = test_grid_new(5.0, 3.0, 0.05);
	test_grid_border(&g);
	test_grid_box(&g, 2.4, 0.0, 2.5, 3.0, 100);
	struct cairn_costmap cm;
	load(&cm, &g);
	struct cairn_hybrid *h = cairn_hybrid_new(&params);
	struct cairn_hybrid_query q = {
	    .start = {1.0, 1.5, 0.0}, .goal_x_m = 4.0, .goal_y_m = 1.5, .tolerance_m = 0.2};
	ck_assert_int_eq(cairn_hybrid_search(h, &cm, &q, &path, NULL), CAIRN_PLAN_NO_PATH);
	q.goal_x_m = 40.0;
	ck_assert_int_eq(cairn_hybrid_search(h, &cm, &q, &path, NULL), CAIRN_PLAN_GOAL_BLOCKED);
	q.goal_x_m = 1.8;
	q.start.x_m = -4.0;
	ck_assert_int_eq(cairn_hybrid_search(h, &cm, &q, &path, NULL), CAIRN_PLAN_START_BLOCKED);
	cairn_costmap_free(&cm);
	/* Boxed in so tightly that no arc fits. */
	test_grid_box(&g, 0.8, 1.3, 1.45, 1.7, 100);
	test_grid_box(&g, 0.87, 1.37, 1.33, 1.63, 0);
	load(&cm, &g);
	q.start.x_m = 1.0;
	ck_assert(!test_grid_touches(&g, q.start, &body));
	enum cairn_plan_result r = cairn_hybrid_search(h, &cm, &q, &path, NULL);
	ck_assert(r == CAIRN_PLAN_NO_PATH || r == CAIRN_PLAN_START_BLOCKED);
	cairn_hybrid_destroy(&h);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

START_TEST(impossible_parameters_are_refused)
{
	struct cairn_hybrid_params bad = params;
	bad.turn_radius_m = 0.0;
	ck_assert_ptr_null(cairn_hybrid_new(&bad));
	bad = params;
	bad.lead_m = 0.0;
	ck_assert_ptr_null(cairn_hybrid_new(&bad));
	bad = params;
	bad.nodes_max = 3;
	ck_assert_ptr_null(cairn_hybrid_new(&bad));
}
END_TEST

CAIRN_TEST_MAIN("hybrid", shots_end_where_they_should,
    walking_a_shot_meets_the_poses_along_it_and_the_sine_and_cosine_of_their_yaw,
    known_shots_have_known_lengths, paths_in_a_flat_can_be_driven, the_same_query_gives_the_same_path,
    a_goal_heading_is_kept,
    what_could_not_be_cheap_enough_is_not_looked_for_and_what_could_is_found_as_before,
    no_path_backs_over_floor_that_was_never_seen, the_nearest_reachable_point_will_do_when_asked,
    searches_end_at_their_limits, reasons_are_told_apart, impossible_parameters_are_refused)
