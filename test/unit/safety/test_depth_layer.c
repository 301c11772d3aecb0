/* What the depth camera says of the floor: from pictures to columns, and what is remembered of it. */
#include <stdlib.h>

#include "common/base/rng.h"
#include "common/safety/depth_scan.h"
#include "common/safety/depth_layer.h"
#include "common/sim/render/render.h"
#include "common/sim/robot/sim.h"
#include "common/sim/world/build.h"
#include "test/support/runner.h"

static struct cairn_config cfg;

static struct cairn_world *room_with_box(double x_m, double z0_m, double z1_m, bool glass)
{
	struct cairn_builder b;
	struct cairn_error err = {""};
	const struct cairn_vec2 walls[4] = {{-3, -3}, {5, -3}, {5, 3}, {-3, 3}};
	ck_assert(cairn_build_init(&b, "box", &err));
	(void)cairn_build_thing(&b, "wall", "wall", 0, 0);
	cairn_build_outline(&b, walls, 4, true, 0.0, 2.5, CAIRN_PAINT(200, 200, 200, PLASTER));
	(void)cairn_build_thing(&b, "box", "box", x_m, 0);
	b.glass = glass;
	cairn_build_box(
	    &b, (struct cairn_box){x_m, 0.0, 0.2, 0.4, 0.0, z0_m, z1_m}, CAIRN_PAINT(90, 60, 30, WOOD));
	b.world->has_start = true;
	struct cairn_world *w = cairn_build_finish(&b, &err);
	ck_assert_msg(w != NULL, "%s", err.text);
	return w;
}

static void picture_scan(const struct cairn_world *w, struct cairn_msg_depth_scan *out)
{
	struct cairn_camera camera = cairn_camera_of(&cfg, cfg.camera.width_px, cfg.camera.height_px);
	size_t pixels = (size_t)camera.width_px * (size_t)camera.height_px;
	uint8_t *rgb = malloc(pixels * 3);
	uint16_t *mm = malloc(pixels * 2);
	struct cairn_renderer *r = cairn_renderer_new(w, &camera);
	cairn_renderer_draw(r, (struct cairn_pose2){0}, NULL, 0, rgb, mm);
	cairn_depth_scan_make(out, &cfg, mm, camera.width_px, camera.height_px, (size_t)camera.width_px * 2);
	cairn_renderer_destroy(&r);
	free(rgb);
	free(mm);
}

START_TEST(a_low_box_a_shelf_and_glass_are_seen_in_the_picture_where_rays_find_them)
{
	static const struct {
		double z0, z1;
		bool glass, hit;
		double top_m; /* of it, as far as the robot is high */
	} things[] = {{0.0, 0.10, false, true, 0.10}, {0.185, 0.6, false, true, 0.20},
	    {0.0, 2.0, true, true, 0.20}, {0.0, 0.03, false, false, 0.0}, {0.30, 0.6, false, false, 0.0}};
	for (size_t k = 0; k < sizeof(things) / sizeof(things[0]); k++) {
		cairn_config_defaults(&cfg);
		cfg.sim.noise = false;
		struct cairn_world *w = room_with_box(1.2, things[k].z0, things[k].z1, things[k].glass);
		struct cairn_error err = {""};
		struct cairn_sim *sim = cairn_sim_new(&cfg, w, &err);
		ck_assert_msg(sim != NULL, "%s", err.text);
		struct cairn_msg_depth_scan seen, rays;
		picture_scan(w, &seen);
		cairn_sim_depth_scan(sim, &rays);
		uint32_t hits = 0, apart = 0;
		for (uint32_t i = 0; i < 64; i++) {
			ck_assert_double_eq_tol((double)seen.angle_rad[i], (double)rays.angle_rad[i], 1e-3);
			ck_assert_double_eq_tol(
			    (double)seen.free_from_m[i], (double)rays.free_from_m[i], 1e-3);
			hits += seen.hit[i];
			apart += seen.hit[i] != rays.hit[i] ||
				 fabs((double)seen.free_to_m[i] - (double)rays.free_to_m[i]) > 0.05;
		}
		ck_assert_uint_le(apart, 2); /* at the box's edges a column is half of each */
		if (things[k].hit) {
			ck_assert_uint_gt(hits, 8);
			/* its front is at 1.10 m, the camera at 0.20 m */
			ck_assert_double_eq_tol((double)seen.free_to_m[32], 0.90, 0.02);
			ck_assert_double_eq_tol((double)seen.top_m[32], things[k].top_m, 0.02);
			ck_assert_double_eq_tol((double)rays.top_m[32], things[k].top_m, 0.03);
		} else {
			ck_assert_uint_eq(hits, 0);
		}
		cairn_sim_destroy(&sim);
		cairn_world_destroy(&w);
	}
}
END_TEST

START_TEST(a_picture_without_depth_says_that_nothing_is_known)
{
	static const uint16_t blank[64 * 48];
	struct cairn_msg_depth_scan scan;
	cairn_config_defaults(&cfg);
	cairn_depth_scan_make(&scan, &cfg, blank, 64, 48, 128);
	for (uint32_t i = 0; i < scan.free_to_m_count; i++) {
		ck_assert(!scan.hit[i]);
		ck_assert_double_lt((double)scan.free_to_m[i], 0.0);
	}
}
END_TEST

static struct cairn_depth_layer memory;
static struct cairn_points points;

static void fresh_floor(void)
{
	cairn_config_defaults(&cfg);
	struct cairn_depth_layer_params params = cairn_depth_layer_params_from(&cfg);
	cairn_depth_layer_init(&memory, &params);
}

/* Nothing in sight, or a wall across at so far ahead of the camera. */
static struct cairn_msg_depth_scan columns(double wall_m)
{
	struct cairn_msg_depth_scan s = {.x_m = 0.2f, .range_max_m = 2.0f};
	s.angle_rad_count = s.free_from_m_count = s.free_to_m_count = s.hit_count = 64;
	for (int i = 0; i < 64; i++) {
		double a = 0.6 - 1.2 * (i + 0.5) / 64, r = wall_m / cos(a);
		s.angle_rad[i] = (float)a;
		s.free_from_m[i] = 0.22f;
		s.hit[i] = r < 2.0;
		s.free_to_m[i] = (float)fmin(r, 2.0);
	}
	return s;
}

static double free_m(struct cairn_pose2 pose, double curvature, bool forward)
{
	struct cairn_footprint body = memory.params.body;
	points.count = 0;
	cairn_depth_layer_points(&memory, pose, &points);
	return cairn_arc_clearance(&points, &body, 0.02, curvature, forward, 3.0).free_m;
}

static uint8_t *floor_cell(int32_t cx, int32_t cy)
{
	return &memory.cells[(cy & (CAIRN_DEPTH_LAYER_CELLS - 1)) * CAIRN_DEPTH_LAYER_CELLS +
			     (cx & (CAIRN_DEPTH_LAYER_CELLS - 1))];
}

/* All floor within 1 m has been seen free but for the cells behind the robot that unseen() names, from its
 * own cell. */
static void seen_but_for(bool (*unseen)(int32_t behind, int32_t left))
{
	struct cairn_msg_depth_scan nothing = columns(9.0);
	fresh_floor();
	cairn_depth_layer_drive(&memory, (struct cairn_pose2){0});
	for (int32_t cy = -20; cy < 20; cy++)
		for (int32_t cx = -20; cx < 20; cx++)
			*floor_cell(cx, cy) = unseen(-cx, cy) ? 0 : 1;
	cairn_depth_layer_see(&memory, &nothing, (struct cairn_pose2){0}, NULL);
}

/* On its corner, which is one cell wide. */
static bool diamond(int32_t behind, int32_t left)
{
	return abs(behind - 15) + abs(left) <= 4;
}

static bool slit_along(int32_t behind, int32_t left)
{
	return left == 0 && behind >= 10 && behind <= 16;
}

static bool slit_across(int32_t behind, int32_t left)
{
	return behind == 12 && abs(left) <= 3;
}

START_TEST(the_tip_of_something_unseen_stops_as_its_sides_do_and_a_slit_in_the_picture_does_not)
{
	seen_but_for(diamond);
	double rear = memory.params.body.rear_m;
	double tip_m = (11 - 0.5) * CAIRN_DEPTH_LAYER_CELL_M; /* the middle of its first cell */
	ck_assert_double_le(free_m((struct cairn_pose2){0}, 0.0, false), tip_m - rear);
	seen_but_for(slit_along);
	ck_assert_double_gt(free_m((struct cairn_pose2){0}, 0.0, false), 0.60);
	seen_but_for(slit_across);
	ck_assert_double_gt(free_m((struct cairn_pose2){0}, 0.0, false), 0.60);
}
END_TEST

#define TURN_M 0.83 /* about a point on the right */

/* Beside the inner side of that turn, which it comes near to by a bit at a time. */
static bool inside_of_the_turn(int32_t behind, int32_t left)
{
	double x = (0.5 - behind) * CAIRN_DEPTH_LAYER_CELL_M,
	       y = (left + 0.5) * CAIRN_DEPTH_LAYER_CELL_M + TURN_M;
	double around = atan2(-x, y);
	return hypot(x, y) < TURN_M - memory.params.body.half_width_m + 0.02 && around > 0.5 && around < 0.8;
}

START_TEST(unseen_floor_beside_a_backward_arc_is_not_free_because_the_robot_has_come_near)
{
	seen_but_for(inside_of_the_turn);
	double first_m = free_m((struct cairn_pose2){0}, -1.0 / TURN_M, false);
	ck_assert_double_gt(first_m, 0.10);
	ck_assert_double_lt(first_m, 0.60);
	for (double driven_m = 0.0; driven_m < first_m; driven_m += 0.01) {
		double yaw = driven_m / TURN_M;
		struct cairn_pose2 pose = {-TURN_M * sin(yaw), TURN_M * (cos(yaw) - 1.0), yaw};
		struct cairn_msg_depth_scan dark = columns(9.0);
		for (uint32_t i = 0; i < dark.free_to_m_count; i++)
			dark.free_to_m[i] = -1.0f;
		cairn_depth_layer_drive(&memory, pose);
		cairn_depth_layer_see(&memory, &dark, pose, NULL);
		ck_assert_double_le(free_m(pose, -1.0 / TURN_M, false), first_m - driven_m + 0.01);
	}
}
END_TEST

START_TEST(without_a_depth_camera_nothing_is_held_against_anybody)
{
	fresh_floor();
	cairn_depth_layer_drive(&memory, (struct cairn_pose2){0});
	ck_assert_double_eq(free_m((struct cairn_pose2){0}, 0.0, true), 3.0);
}
END_TEST

START_TEST(floor_is_driven_on_as_far_as_it_was_seen)
{
	fresh_floor();
	struct cairn_msg_depth_scan s = columns(9.0);
	cairn_depth_layer_see(&memory, &s, (struct cairn_pose2){0}, NULL);
	/* seen to 2.2 m, listed to 1.4 m: farther the way is judged when the robot is nearer */
	ck_assert_double_eq(free_m((struct cairn_pose2){0}, 0.0, true), 3.0);
	/* behind: 0.60 m around the middle at 0.095 are free, less the rear at 0.08, the margin and a cell */
	double back = free_m((struct cairn_pose2){0}, 0.0, false);
	ck_assert_double_gt(back, 0.30);
	ck_assert_double_lt(back, 0.45);
	s = columns(0.8);
	cairn_depth_layer_see(&memory, &s, (struct cairn_pose2){0}, NULL);
	ck_assert_double_eq_tol(free_m((struct cairn_pose2){0}, 0.0, true), 1.0 - 0.27 - 0.02, 0.06);
}
END_TEST

START_TEST(what_left_the_picture_is_remembered_and_what_was_driven_over_is_free)
{
	fresh_floor();
	struct cairn_msg_depth_scan s = columns(9.0);
	struct cairn_pose2 at = {0};
	for (int i = 0; i < 40; i++) { /* two metres straight on */
		cairn_depth_layer_drive(&memory, at);
		cairn_depth_layer_see(&memory, &s, at, NULL);
		at.x_m += 0.05;
	}
	ck_assert_double_eq(free_m(at, 0.0, false), 3.0);
	/* a low thing ahead, then a turn away from it: it is beside the robot now and out of the picture */
	s = columns(0.35);
	cairn_depth_layer_see(&memory, &s, at, NULL);
	struct cairn_pose2 turned = {at.x_m, at.y_m, 1.57};
	s = columns(9.0);
	cairn_depth_layer_see(&memory, &s, turned, NULL);
	ck_assert_double_lt(free_m(turned, -3.0, true), 0.6);
}
END_TEST

START_TEST(what_the_lidar_sees_too_is_not_remembered)
{
	fresh_floor();
	struct cairn_msg_depth_scan s = columns(0.8);
	struct cairn_points lidar = {.count = 0};
	for (int i = 0; i < 60; i++) {
		lidar.x_m[lidar.count] = 1.0f;
		lidar.y_m[lidar.count++] = (float)(-1.5 + 0.05 * i);
	}
	cairn_depth_layer_see(&memory, &s, (struct cairn_pose2){0}, &lidar);
	ck_assert_uint_eq(memory.solid, 0);
	cairn_depth_layer_see(&memory, &s, (struct cairn_pose2){0}, NULL);
	ck_assert_uint_gt(memory.solid, 10);
}
END_TEST

/* The columns' far ends are at 1.0 m; what the camera saw there and whether it is remembered. */
static uint32_t remembered_with(const struct cairn_points *lidar)
{
	fresh_floor();
	struct cairn_msg_depth_scan s = columns(0.8);
	cairn_depth_layer_see(&memory, &s, (struct cairn_pose2){0}, lidar);
	uint32_t cells = 0;
	for (int32_t y = -20; y <= 20; y++)
		cells += *floor_cell(20, y) == 2 || *floor_cell(19, y) == 2;
	return cells;
}

START_TEST(glass_is_remembered_though_the_lidar_sees_a_wall_behind_it_or_a_leg_within)
{
	uint32_t all = remembered_with(NULL);
	ck_assert_uint_gt(all, 15);
	struct cairn_points wall = {.count = 0}, leg = {.count = 0};
	for (int i = 0; i < 120; i++) {
		wall.x_m[wall.count] = 1.12f;
		wall.y_m[wall.count++] = (float)(-1.5 + 0.025 * i);
	}
	ck_assert_uint_eq(remembered_with(&wall), all);
	for (int i = 0; i < 3; i++) {
		leg.x_m[leg.count] = 0.99f;
		leg.y_m[leg.count++] = (float)(0.01 * i - 0.01);
	}
	ck_assert_uint_ge(remembered_with(&leg), all - 4);
	ck_assert_uint_lt(remembered_with(&leg), all);
}
END_TEST

START_TEST(a_pane_seen_from_its_edge_is_remembered_without_gaps)
{
	fresh_floor();
	struct cairn_msg_depth_scan s = columns(9.0);
	for (uint32_t i = 0; i < s.angle_rad_count; i++) {
		double r = 0.11 / sin((double)s.angle_rad[i]); /* along y = 0.11 m */
		if (r > 0.0 && r < 2.0) {
			s.hit[i] = true;
			s.free_to_m[i] = (float)r;
		}
	}
	for (int k = 0; k < 3; k++)
		cairn_depth_layer_see(&memory, &s, (struct cairn_pose2){0}, NULL);
	for (int32_t cx = 9; cx <= 34; cx++) /* to 1.75 m: 1.55 m before the camera */
		ck_assert_msg(*floor_cell(cx, 2) == 2, "cell %d of the pane is %d", cx, *floor_cell(cx, 2));
	ck_assert_uint_eq(*floor_cell(30, 0), 1);
}
END_TEST

/* A pane 2 cm thick along y = 0.0125 m from 0.6 to 1.1 m ahead, seen from its end by columns a hundredth apart: one
 * meets the end, the others pass on both sides, through the cells that hold the pane. */
START_TEST(a_pane_that_hides_behind_its_own_end_is_not_forgotten)
{
	fresh_floor();
	struct cairn_msg_depth_scan s = columns(9.0);
	for (uint32_t i = 0; i < s.angle_rad_count; i++) {
		double y = 0.4 * tan((double)s.angle_rad[i]);
		if (fabs(y - 0.0125) > 0.01)
			continue;
		s.hit[i] = true;
		s.free_to_m[i] = (float)hypot(0.4, y);
	}
	for (int32_t cx = 12; cx < 22; cx++)
		*floor_cell(cx, 0) = 2;
	*floor_cell(16, 4) = 2; /* nothing is before that one */
	for (int k = 0; k < 5; k++)
		cairn_depth_layer_see(&memory, &s, (struct cairn_pose2){0}, NULL);
	for (int32_t cx = 12; cx < 22; cx++)
		ck_assert_msg(*floor_cell(cx, 0) == 2, "cell %d of the pane is %d", cx, *floor_cell(cx, 0));
	ck_assert_uint_eq(*floor_cell(16, 4), 1);
	struct cairn_msg_depth_scan nothing = columns(9.0); /* and when its end is gone, so is the pane */
	cairn_depth_layer_see(&memory, &nothing, (struct cairn_pose2){0}, NULL);
	ck_assert_uint_eq(*floor_cell(20, 0), 1);
}
END_TEST

START_TEST(a_cell_half_out_of_the_picture_keeps_what_stands_in_it)
{
	fresh_floor();
	struct cairn_msg_depth_scan s = columns(9.0);
	cairn_depth_layer_see(&memory, &s, (struct cairn_pose2){0}, NULL);
	double edge = (double)s.angle_rad[0], within = edge - 0.2;
	int32_t at_edge[2] = {
	    (int32_t)floor((0.2 + 0.6 * cos(edge)) / 0.05), (int32_t)floor(0.6 * sin(edge) / 0.05)};
	int32_t inside[2] = {
	    (int32_t)floor((0.2 + 0.6 * cos(within)) / 0.05), (int32_t)floor(0.6 * sin(within) / 0.05)};
	ck_assert_uint_eq(*floor_cell(at_edge[0], at_edge[1]), 1);
	*floor_cell(at_edge[0], at_edge[1]) = 2;
	*floor_cell(inside[0], inside[1]) = 2;
	cairn_depth_layer_see(&memory, &s, (struct cairn_pose2){0}, NULL);
	ck_assert_uint_eq(*floor_cell(at_edge[0], at_edge[1]), 2);
	ck_assert_uint_eq(*floor_cell(inside[0], inside[1]), 1);
}
END_TEST

/* Seen a finger's breadth farther to the side than before: the columns beside it touch the cell that its tip reaches into. */
START_TEST(a_corner_that_points_at_the_camera_is_not_taken_away_by_columns_that_pass_it)
{
	fresh_floor();
	struct cairn_msg_depth_scan s = columns(9.0);
	const uint32_t tip = 32;
	uint8_t *kept = NULL, *gone = NULL;
	for (uint32_t i = tip - 2; i >= tip - 11; i -= 9) { /* 3 cm and 14 cm beside it */
		double a = (double)s.angle_rad[i];
		uint8_t *cell = floor_cell(
		    (int32_t)floor((0.2 + 0.62 * cos(a)) / 0.05), (int32_t)floor(0.62 * sin(a) / 0.05));
		*(kept == NULL ? &kept : &gone) = cell;
		*cell = 2;
	}
	s.hit[tip] = true;
	s.free_to_m[tip] = 0.62f;
	cairn_depth_layer_see(&memory, &s, (struct cairn_pose2){0}, NULL);
	ck_assert_uint_eq(*kept, 2);
	ck_assert_uint_eq(*gone, 1);
	s = columns(9.0); /* it is carried away */
	cairn_depth_layer_see(&memory, &s, (struct cairn_pose2){0}, NULL);
	ck_assert_uint_eq(*kept, 1);
}
END_TEST

/* Straight on for so far, seeing all floor ahead. */
static struct cairn_pose2 drive_in(double far_m)
{
	struct cairn_msg_depth_scan s = columns(9.0);
	struct cairn_pose2 at = {0};
	for (; at.x_m < far_m; at.x_m += 0.05) {
		cairn_depth_layer_drive(&memory, at);
		cairn_depth_layer_see(&memory, &s, at, NULL);
	}
	return at;
}

START_TEST(the_way_back_stays_free_however_far_the_robot_went)
{
	fresh_floor();
	struct cairn_pose2 at = drive_in(10.0);
	struct cairn_msg_depth_scan s = columns(0.5); /* a wall at the end: nothing new is seen */
	for (; at.x_m > 0.5; at.x_m -= 0.02) {
		cairn_depth_layer_drive(&memory, at);
		cairn_depth_layer_see(&memory, &s, at, NULL);
		ck_assert_msg(free_m(at, 0.0, false) > fmin(at.x_m - 0.2, 1.0), "at %.2f m", at.x_m);
		/* but not beside it: what was seen there is forgotten */
		if (at.x_m > 4.0 && at.x_m < 6.0)
			ck_assert_double_lt(free_m((struct cairn_pose2){at.x_m, 0.3, 0.0}, 0.0, false), 0.6);
	}
}
END_TEST

START_TEST(what_came_onto_the_way_back_meanwhile_is_not_overlooked)
{
	fresh_floor();
	struct cairn_pose2 at = drive_in(6.0);
	for (; at.x_m > 4.0; at.x_m -= 0.02)
		cairn_depth_layer_drive(&memory, at);
	/* seen by the camera since, as a thing in the grid is: 1.2 m behind the robot */
	*floor_cell(56, 0) = 2;
	for (; at.x_m > 3.6; at.x_m -= 0.02) {
		struct cairn_msg_depth_scan s = columns(0.5);
		cairn_depth_layer_drive(&memory, at);
		cairn_depth_layer_see(&memory, &s, at, NULL);
		ck_assert_double_lt(free_m(at, 0.0, false), at.x_m - 2.85 - memory.params.body.rear_m + 0.03);
	}
}
END_TEST

#define LOST_RADPM 0.006 /* 0.34 degrees a metre, more than a gyro's bias */

/* Backs along the way by dead reckoning whose heading is lost bit by bit; aside_rad: the robot turns off it by so much. */
static double least_free_on_the_way_back(double aside_rad)
{
	fresh_floor();
	memory.params.drift_share = 0.10;
	struct cairn_pose2 at = drive_in(9.0);
	double least = INFINITY, true_x_m = at.x_m;
	struct cairn_msg_depth_scan s = columns(0.5);
	at.yaw_rad += aside_rad;
	while (true_x_m > 1.5) {
		true_x_m -= 0.02;
		at.yaw_rad += 0.02 * LOST_RADPM;
		at = cairn_pose_advance(at, (struct cairn_twist){-0.02, 0.0}, 1.0);
		cairn_depth_layer_drive(&memory, at);
		cairn_depth_layer_see(&memory, &s, at, NULL);
		least = fmin(least, free_m(at, 0.0, false));
	}
	return least;
}

START_TEST(dead_reckoning_does_not_close_the_way_back_and_leaving_the_way_does)
{
	ck_assert_double_gt(least_free_on_the_way_back(0.0), 0.5);
	ck_assert_double_lt(least_free_on_the_way_back(0.35), 0.2);
}
END_TEST

START_TEST(another_frame_takes_along_what_is_known)
{
	fresh_floor();
	struct cairn_pose2 at = drive_in(2.0);
	*floor_cell(20, 10) = 2; /* 1.025, 0.525 */
	struct cairn_pose2 moved = {7.0, -3.0, 1.0};
	cairn_depth_layer_move(&memory, at, moved);
	ck_assert_double_eq(free_m(moved, 0.0, false), 3.0);
	struct cairn_pose2 to = cairn_pose_between(at, (struct cairn_pose2){1.025, 0.525, 0.0});
	struct cairn_vec2 thing = cairn_pose_apply(moved, (struct cairn_vec2){to.x_m, to.y_m});
	ck_assert_uint_eq(*floor_cell((int32_t)floor(thing.x_m / CAIRN_DEPTH_LAYER_CELL_M),
			      (int32_t)floor(thing.y_m / CAIRN_DEPTH_LAYER_CELL_M)),
	    2);
}
END_TEST

START_TEST(broken_scans_change_nothing)
{
	fresh_floor();
	const char *why;
	struct cairn_msg_depth_scan s = columns(9.0);
	s.hit_count = 3;
	ck_assert(!cairn_depth_scan_ok(&s, &why));
	s = columns(9.0);
	s.angle_rad[5] = NAN;
	ck_assert(!cairn_depth_scan_ok(&s, &why));
	s = columns(9.0);
	s.range_max_m = INFINITY;
	ck_assert(!cairn_depth_scan_ok(&s, &why));
	cairn_depth_layer_see(&memory, &s, (struct cairn_pose2){0}, NULL);
	s = columns(9.0);
	cairn_depth_layer_see(&memory, &s, (struct cairn_pose2){NAN, 0, 0}, NULL);
	ck_assert(!memory.some);
}
END_TEST

CAIRN_TEST_MAIN("floor", a_low_box_a_shelf_and_glass_are_seen_in_the_picture_where_rays_find_them,
    a_picture_without_depth_says_that_nothing_is_known,
    the_tip_of_something_unseen_stops_as_its_sides_do_and_a_slit_in_the_picture_does_not,
    unseen_floor_beside_a_backward_arc_is_not_free_because_the_robot_has_come_near,
    without_a_depth_camera_nothing_is_held_against_anybody, floor_is_driven_on_as_far_as_it_was_seen,
    what_left_the_picture_is_remembered_and_what_was_driven_over_is_free,
    what_the_lidar_sees_too_is_not_remembered,
    glass_is_remembered_though_the_lidar_sees_a_wall_behind_it_or_a_leg_within,
    a_pane_seen_from_its_edge_is_remembered_without_gaps,
    a_pane_that_hides_behind_its_own_end_is_not_forgotten,
    a_cell_half_out_of_the_picture_keeps_what_stands_in_it,
    a_corner_that_points_at_the_camera_is_not_taken_away_by_columns_that_pass_it,
    the_way_back_stays_free_however_far_the_robot_went,
    what_came_onto_the_way_back_meanwhile_is_not_overlooked,
    dead_reckoning_does_not_close_the_way_back_and_leaving_the_way_does,
    another_frame_takes_along_what_is_known, broken_scans_change_nothing)
