/* Loops, lost robots and what becomes of the map: the mapper in a world of walls, with odometry that drifts.
 */
#include "test/support/runner.h"

#include "common/slam/mapper_private.h"
#include "test/support/map_world.h"

static struct map_world world;
static struct cairn_config cfg;
static struct cairn_msg_scan scan;

struct drive {
	struct map_robot robot;
	struct cairn_mapper *mapper;
	double worst_m, worst_jump_m;
	uint32_t jumps; /* of the pose, by more than its own motion */
	struct cairn_pose2 seen;
	int scans, lost;
};

static void begin(struct drive *d)
{
	memset(d, 0, sizeof(*d));
	map_robot_init(&d->robot, &world, &cfg);
	d->robot.slip = 0.05;
	d->robot.yaw_drift_rad_per_m = cairn_deg_to_rad(1.0);
	d->mapper = cairn_mapper_new(&cfg);
	ck_assert_ptr_nonnull(d->mapper);
}

static void tell_odom(struct drive *d, struct cairn_twist t)
{
	struct cairn_msg_odom odom;
	map_robot_odom(&d->robot, t, &odom);
	(void)cairn_mapper_odom(d->mapper, &odom, d->robot.t_ns, 11, NULL);
}

static double off_m(const struct drive *d)
{
	struct cairn_msg_pose pose;
	cairn_mapper_pose(d->mapper, &pose);
	return hypot(pose.x_m - d->robot.truth.x_m, pose.y_m - d->robot.truth.y_m);
}

static enum cairn_tracking tracking(const struct drive *d)
{
	struct cairn_msg_pose pose;
	cairn_mapper_pose(d->mapper, &pose);
	return pose.tracking;
}

/* A tenth of a second. */
static void step(struct drive *d, struct cairn_twist t)
{
	struct cairn_pose2 from = d->robot.truth;
	struct cairn_msg_pose pose;
	uint32_t epoch = cairn_mapper_epoch(d->mapper);
	bool good = tracking(d) == CAIRN_TRACKING_GOOD;
	if (d->scans == 0)
		tell_odom(d, t);
	for (int i = 0; i < 2; i++) {
		map_robot_move(&d->robot, t, 0.05);
		tell_odom(d, t);
	}
	map_robot_scan(&d->robot, from, t, &scan);
	cairn_mapper_scan(d->mapper, &scan, d->robot.t_ns);
	cairn_mapper_pose(d->mapper, &pose);
	double moved_m = hypot(pose.x_m - d->seen.x_m, pose.y_m - d->seen.y_m);
	if (good && moved_m > 0.15) { /* a lost robot that is found may be anywhere */
		d->jumps++;
		d->worst_jump_m = fmax(d->worst_jump_m, moved_m);
		ck_assert_uint_gt(cairn_mapper_epoch(d->mapper), epoch); /* a jump is never unannounced */
	}
	d->seen = (struct cairn_pose2){pose.x_m, pose.y_m, pose.yaw_rad};
	d->worst_m = fmax(d->worst_m, off_m(d));
	d->lost += pose.tracking == CAIRN_TRACKING_LOST;
	d->scans++;
}

static void drive_to(struct drive *d, double x_m, double y_m)
{
	for (int i = 0; i < 1500 && hypot(x_m - d->robot.truth.x_m, y_m - d->robot.truth.y_m) > 0.1; i++)
		step(d, map_robot_steer(&d->robot, x_m, y_m));
}

static void stand(struct drive *d, int steps)
{
	for (int i = 0; i < steps; i++)
		step(d, (struct cairn_twist){0.0, 0.0});
}

/* Share of the occupied cells with a wall within a cell of their centre. */
static double near_walls(const struct drive *d)
{
	const struct cairn_grid *g = cairn_mapper_grid(d->mapper);
	uint32_t near = 0;
	for (int32_t cy = g->known.min_cy; cy <= g->known.max_cy; cy++) {
		for (int32_t cx = g->known.min_cx; cx <= g->known.max_cx; cx++) {
			if (!cairn_odds_occupied(cairn_grid_odds(g, cx, cy)))
				continue;
			double x = (cx + 0.5) * g->cell_m, y = (cy + 0.5) * g->cell_m, best = 1.0;
			for (int i = 0; i < world.count; i++) {
				const double *w = world.wall[i];
				double dx = w[2] - w[0], dy = w[3] - w[1];
				double t = ((x - w[0]) * dx + (y - w[1]) * dy) / (dx * dx + dy * dy);
				t = cairn_clamp(t, 0.0, 1.0);
				best = fmin(best, hypot(w[0] + t * dx - x, w[1] + t * dy - y));
			}
			near += best <= g->cell_m;
		}
	}
	return (double)near / g->occupied_cells;
}

/* Corridors around a block of 14 m by 10 m, 1.6 m wide, with niches of different sizes; the LiDAR sees 4 m.
 */
static void ring_of_corridors(void)
{
	world.count = 0;
	map_world_box(&world, -1.0, -0.8, 16.2, 12.4);
	map_world_box(&world, 0.6, 0.8, 14.6, 10.8);
	static const double boxes[][4] = {{2.0, 0.55, 2.5, 0.8}, {5.2, -0.8, 5.5, -0.45},
	    {8.0, 0.5, 8.9, 0.8}, {11.5, -0.8, 12.5, -0.6}, {15.8, 3.0, 16.2, 3.4}, {14.6, 5.5, 14.9, 6.5},
	    {15.9, 8.5, 16.2, 9.7}, {12.0, 12.1, 12.7, 12.4}, {9.0, 10.8, 9.4, 11.1}, {4.0, 12.0, 4.3, 12.4},
	    {2.0, 10.8, 3.2, 11.0}, {-1.0, 8.0, -0.7, 8.4}, {0.3, 5.0, 0.6, 5.9}, {-1.0, 2.5, -0.6, 3.5}};
	for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++)
		map_world_box(&world, boxes[i][0], boxes[i][1], boxes[i][2], boxes[i][3]);
	cairn_config_defaults(&cfg);
	cfg.map.range_use_m = 4.0;
}

START_TEST(a_loop_of_corridors_closes_without_a_double_wall)
{
	struct drive d;
	ring_of_corridors();
	begin(&d);
	static const double way[][2] = {
	    {14.8, 0.0}, {15.3, 11.2}, {0.2, 11.6}, {-0.2, 0.5}, {3.0, 0.0}, {9.0, 0.0}};
	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		drive_to(&d, way[i][0], way[i][1]);
	stand(&d, 60); /* what is being drawn is finished */
	struct cairn_mapper_counts c = cairn_mapper_counts(d.mapper);
	double odom_m = hypot(d.robot.odom.x_m - d.robot.truth.x_m, d.robot.odom.y_m - d.robot.truth.y_m);
	printf("# %.1f m: %d loops of %d tried, worst %.3f m, end %.3f m, odometry %.2f m, %u epochs, %u "
	       "jumps (%.2f m), "
	       "walls %.3f\n",
	    d.robot.odom_distance_m, (int)c.loops, (int)c.loops_tried, d.worst_m, off_m(&d), odom_m,
	    cairn_mapper_epoch(d.mapper), d.jumps, d.worst_jump_m, near_walls(&d));
	ck_assert_uint_ge(c.loops, 1);
	ck_assert_double_gt(odom_m, 2.0); /* or the test would prove nothing */
	ck_assert_double_lt(off_m(&d), 0.10);
	ck_assert_double_gt(near_walls(&d), 0.92); /* 0.80 without the loop */
	ck_assert_int_eq(d.lost, 0);
	ck_assert_uint_le(d.jumps, cairn_mapper_epoch(d.mapper));
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

START_TEST(claims_move_with_the_nearest_keyframe_when_the_map_is_drawn_anew)
{
	struct drive d;
	ring_of_corridors();
	begin(&d);
	drive_to(&d, 6.0, 0.0);
	struct cairn_mapper *m = d.mapper;
	const struct cairn_keyframe *last = &m->keyframes[m->keyframe_count - 1];
	ck_assert_double_gt(last->pose.x_m, 4.0);
	/* within the block, where no ray comes: one beside the start, two side by side at the other end */
	struct cairn_msg_world_update update = {.id = 1, .items_count = 3};
	const struct cairn_vec2 at[3] = {
	    {0.925, 1.425}, {last->pose.x_m, 1.425}, {last->pose.x_m + cfg.map.cell_m, 1.425}};
	for (int i = 0; i < 3; i++)
		update.items[i] = (struct cairn_msg_cell_claim){.x_m = at[i].x_m,
		    .y_m = at[i].y_m,
		    .state = CAIRN_CELL_STATE_OCCUPIED,
		    .confidence = 0.9};
	ck_assert_int_eq(cairn_mapper_claims(m, &update, 1), 3);
	for (uint32_t i = 0; i < m->keyframe_count; i++) { /* the far half is found to lie elsewhere */
		struct cairn_keyframe *k = &m->keyframes[i];
		k->next = k->pose;
		k->next.x_m += k->pose.x_m > 3.0 ? 0.5 : 0.0;
		k->next.y_m += k->pose.x_m > 3.0 ? -0.25 : 0.0;
	}
	cairn_mapper_features_move(m);
	const struct cairn_belief *b = cairn_mapper_belief(m);
	ck_assert_uint_eq(b->count, 3);
	ck_assert_int_eq(b->cells[0].cx, cairn_grid_cell(&m->grid, at[0].x_m));
	ck_assert_int_eq(b->cells[0].cy, cairn_grid_cell(&m->grid, at[0].y_m));
	for (int i = 1; i < 3; i++) {
		ck_assert_int_eq(b->cells[i].cx, cairn_grid_cell(&m->grid, at[i].x_m) + 10);
		ck_assert_int_eq(b->cells[i].cy, cairn_grid_cell(&m->grid, at[i].y_m) - 5);
	}
	for (uint32_t i = 0; i < m->keyframe_count;
	     i++) { /* all to one place: two claims for a cell are one */
		m->keyframes[i].pose = (struct cairn_pose2){i * 0.01, 0.0, 0.0};
		m->keyframes[i].next = m->keyframes[i].pose;
	}
	m->features.belief.cells[2] = m->features.belief.cells[1];
	cairn_mapper_features_move(m);
	ck_assert_uint_eq(b->count, 2);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

/* Two rooms alike off one corridor, 9 m apart: the second is not taken for the first. */
START_TEST(rooms_that_look_alike_are_not_taken_for_one)
{
	struct drive d;
	world.count = 0;
	cairn_config_defaults(&cfg);
	cfg.map.range_use_m = 4.0;
	map_world_wall(&world, -1.0, -0.7, 16.0, -0.7);
	map_world_wall(&world, -1.0, -0.7, -1.0, 0.7);
	map_world_wall(&world, 16.0, -0.7, 16.0, 0.7);
	map_world_wall(&world, -1.0, 0.7, 1.5, 0.7);
	map_world_wall(&world, 2.5, 0.7, 10.5, 0.7);
	map_world_wall(&world, 11.5, 0.7, 16.0, 0.7);
	for (int i = 0; i < 2; i++) {
		double x = 9.0 * i;
		map_world_wall(&world, x, 0.7, x, 4.0);
		map_world_wall(&world, x, 4.0, x + 4.0, 4.0);
		map_world_wall(&world, x + 4.0, 4.0, x + 4.0, 0.7);
		map_world_box(&world, x + 0.3, 2.8, x + 1.5, 3.6);
		map_world_box(&world, x + 3.0, 1.2, x + 3.6, 1.8);
	}
	begin(&d);
	for (int i = 0; i < 2; i++) {
		double x = 9.0 * i;
		drive_to(&d, x + 2.0, 0.0);
		drive_to(&d, x + 2.0, 2.0);
		drive_to(&d, x + 2.6, 3.0);
		drive_to(&d, x + 2.0, 1.2);
		drive_to(&d, x + 2.1, 0.1);
	}
	printf("# %.1f m: end %.3f m, worst %.3f m\n", d.robot.odom_distance_m, off_m(&d), d.worst_m);
	ck_assert_double_lt(
	    off_m(&d), 0.40); /* the bare corridor between says nothing of its length: 5 % of 9 m */
	ck_assert_double_gt(d.robot.odom_distance_m, 20.0);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

static void see_hall_and_first_rooms(struct drive *d)
{
	map_world_flat(&world);
	cairn_config_defaults(&cfg);
	begin(d);
	drive_to(d, 1.0, 0.0);
	drive_to(d, 1.05, 1.5);
	drive_to(d, 2.0, 1.9);
	drive_to(d, 1.05, 1.4);
	drive_to(d, 1.05, 0.3);
	drive_to(d, 2.2, 0.0);
	drive_to(d, 2.25, -1.4);
	drive_to(d, 3.4, -2.2);
	drive_to(d, 2.25, -1.4);
	drive_to(d, 2.25, -0.3);
	drive_to(d, 5.0, 0.0);
}

START_TEST(a_robot_carried_to_another_known_room_is_found_there)
{
	struct drive d;
	see_hall_and_first_rooms(&d);
	uint32_t free_before = cairn_mapper_grid(d.mapper)->free_cells;
	d.robot.truth = (struct cairn_pose2){1.9, 1.6, -2.0};
	stand(&d, 12);
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_LOST);
	stand(&d, 60);
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_GOOD);
	ck_assert_double_lt(off_m(&d), 0.05);
	ck_assert_uint_eq(cairn_mapper_counts(d.mapper).found, 1);
	ck_assert_double_eq_tol(cairn_mapper_grid(d.mapper)->free_cells, free_before, 0.02 * free_before);
	ck_assert_double_gt(near_walls(&d), 0.95);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

START_TEST(a_lost_robot_that_is_told_where_it_is_looks_there_first_and_believes_it_when_that_fits)
{
	struct drive d;
	double quality;
	struct cairn_error err = {""};
	see_hall_and_first_rooms(&d);
	d.robot.truth = (struct cairn_pose2){1.9, 1.6, -2.0};
	stand(&d, 12); /* with so many scans alone it has not found itself */
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_LOST);
	ck_assert(cairn_mapper_hint(d.mapper, (struct cairn_pose2){1.5, 1.3, 0.0}, &err));
	ck_assert_int_eq(cairn_mapper_hinted(d.mapper, &quality), CAIRN_HINT_TRYING);
	stand(&d, 1);
	ck_assert_int_eq(cairn_mapper_hinted(d.mapper, &quality), CAIRN_HINT_FITS);
	ck_assert_double_ge(quality, 0.86);
	ck_assert_int_ne(tracking(&d), CAIRN_TRACKING_GOOD); /* not without further scans */
	stand(&d, 4);
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_GOOD);
	ck_assert_double_lt(off_m(&d), 0.05);
	ck_assert_uint_eq(cairn_mapper_counts(d.mapper).found, 1);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

START_TEST(a_hint_never_puts_the_robot_where_what_it_sees_does_not_fit)
{
	struct drive d;
	double quality;
	struct cairn_error err = {""};
	struct cairn_msg_pose before, after;
	see_hall_and_first_rooms(&d);
	ck_assert(!cairn_mapper_hint(d.mapper, (struct cairn_pose2){1.9, 1.6, 0.0}, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "is not lost"));
	d.robot.truth = (struct cairn_pose2){1.9, 1.6, -2.0};
	stand(&d, 12);
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_LOST);
	ck_assert(!cairn_mapper_hint(d.mapper, (struct cairn_pose2){30.0, 0.0, 0.0}, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "never been within"));
	cairn_mapper_pose(d.mapper, &before);
	uint32_t keyframes, keyframes_after;
	(void)cairn_mapper_keyframes(d.mapper, &keyframes);
	ck_assert(cairn_mapper_hint(
	    d.mapper, (struct cairn_pose2){4.5, 0.0, 0.0}, &err)); /* the hall, and not that room */
	stand(&d, 1);
	ck_assert_int_eq(cairn_mapper_hinted(d.mapper, &quality), CAIRN_HINT_MISFITS);
	ck_assert_double_lt(quality, 0.86);
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_LOST);
	cairn_mapper_pose(d.mapper, &after);
	(void)cairn_mapper_keyframes(d.mapper, &keyframes_after);
	ck_assert_double_eq_tol(after.x_m, before.x_m, 0.01);
	ck_assert_uint_eq(keyframes_after, keyframes);
	stand(&d, 60); /* and it finds itself all the same */
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_GOOD);
	ck_assert_double_lt(off_m(&d), 0.05);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

/* Carried into a room never seen, it says that it is lost; what it maps there is shown when it comes back to
 * what it knows, and then in the right place. */
START_TEST(a_lost_robot_joins_what_it_mapped_meanwhile_when_it_comes_back)
{
	struct drive d;
	see_hall_and_first_rooms(&d);
	d.robot.truth = (struct cairn_pose2){6.8, 2.4, -1.8};
	stand(&d, 20);
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_LOST);
	drive_to(&d, 6.4, 1.4);
	ck_assert_int_lt(tracking(&d), CAIRN_TRACKING_GOOD); /* it may suspect a place */
	ck_assert(
	    !cairn_odds_free(cairn_grid_odds(cairn_mapper_grid(d.mapper), 74, 52))); /* 3.7 2.6: not shown */
	drive_to(&d, 5.7, 1.2);
	drive_to(&d, 5.6, 0.5);
	drive_to(&d, 5.0, 0.0);
	drive_to(&d, 4.0, 0.0);
	drive_to(&d, 2.5, 0.0);
	stand(&d, 80);
	struct cairn_mapper_counts c = cairn_mapper_counts(d.mapper);
	printf("# lost in %d scans, found %d, chains %d, end %.3f m, walls %.3f\n", d.lost, (int)c.found,
	    (int)c.chains, off_m(&d), near_walls(&d));
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_GOOD);
	ck_assert_double_lt(off_m(&d), 0.05);
	ck_assert_uint_ge(c.found, 1);
	ck_assert(cairn_odds_free(cairn_grid_odds(cairn_mapper_grid(d.mapper), 74, 52))); /* and now it is */
	ck_assert_double_gt(near_walls(&d), 0.95);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

/* The LiDAR is blind for 2 m around a corner; behind it nothing is known, and nothing is contradicted. */
START_TEST(in_unseen_space_odometry_carries_on)
{
	struct drive d;
	ring_of_corridors();
	begin(&d);
	drive_to(&d, 13.0, 0.0);
	d.robot.dropout = 1.0;
	drive_to(&d, 14.8, 0.4);
	drive_to(&d, 15.3, 2.0);
	d.robot.dropout = 0.01;
	ck_assert_int_ne(tracking(&d), CAIRN_TRACKING_LOST);
	drive_to(&d, 15.3, 6.0);
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_GOOD);
	ck_assert_int_eq(d.lost, 0);
	ck_assert(cairn_odds_free(cairn_grid_odds(
	    cairn_mapper_grid(d.mapper), (int32_t)(d.seen.x_m / 0.05), (int32_t)(d.seen.y_m / 0.05))));
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

CAIRN_TEST_MAIN("map_loops", a_loop_of_corridors_closes_without_a_double_wall,
    claims_move_with_the_nearest_keyframe_when_the_map_is_drawn_anew,
    rooms_that_look_alike_are_not_taken_for_one, a_robot_carried_to_another_known_room_is_found_there,
    a_lost_robot_that_is_told_where_it_is_looks_there_first_and_believes_it_when_that_fits,
    a_hint_never_puts_the_robot_where_what_it_sees_does_not_fit,
    a_lost_robot_joins_what_it_mapped_meanwhile_when_it_comes_back, in_unseen_space_odometry_carries_on)
