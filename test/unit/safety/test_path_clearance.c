/* What check_path_clear is answered with: how far, what kind of thing, how much room, for each kind by itself. */
#include "common/safety/path_clearance.h"
#include "common/safety/safe_velocity.h"
#include "common/vlm/prompt.h"
#include "test/support/runner.h"

static struct cairn_config cfg;
static struct cairn_points points;
static struct cairn_depth_layer layer;
static struct cairn_msg_path_clear paths[CAIRN_DIRECTION_COUNT];
static const struct cairn_msg_path_clear *const ahead = &paths[CAIRN_DIRECTION_FORWARD];

static void begin(void)
{
	cairn_config_defaults(&cfg);
	struct cairn_depth_layer_params params = cairn_depth_layer_params_from(&cfg);
	cairn_depth_layer_init(&layer, &params);
	points.count = points.behind = 0;
	points.sight = (struct cairn_sight){{cfg.robot.camera_x_m, 0.0, 0.0}, 0.25, 0.6};
}

static void add(double x_m, double y_m)
{
	points.x_m[points.count] = (float)x_m;
	points.y_m[points.count++] = (float)y_m;
}

static void wall_across(double x_m)
{
	for (int i = -40; i <= 40; i++)
		add(x_m, 0.05 * i);
}

/* What the depth camera shows at the start: something across at so far ahead of it, so high; then the robot is at pose. */
static void see(double thing_m, double top_m)
{
	struct cairn_msg_depth_scan s = {.x_m = (float)cfg.robot.camera_x_m, .range_max_m = 2.0f};
	s.angle_rad_count = s.free_from_m_count = s.free_to_m_count = s.hit_count = s.top_m_count = 64;
	for (int i = 0; i < 64; i++) {
		double a = 0.5 - 1.0 * (i + 0.5) / 64, r = thing_m / cos(a);
		s.angle_rad[i] = (float)a;
		s.free_from_m[i] = 0.22f;
		s.hit[i] = r < 2.0;
		s.free_to_m[i] = (float)fmin(r, 2.0);
		s.top_m[i] = s.hit[i] ? (float)top_m : 0.0f;
	}
	cairn_depth_layer_see(&layer, &s, (struct cairn_pose2){0}, NULL);
}

static void measure(double x_m, bool drop)
{
	struct cairn_path_clearance_view view = {.points = &points,
	    .lidar_count = points.count,
	    .floor = &layer,
	    .pose = {x_m, 0.0, 0.0},
	    .drop = drop};
	cairn_depth_layer_drive(&layer, view.pose);
	cairn_depth_layer_points(&layer, view.pose, &points);
	cairn_path_clearance(&cfg, &view, paths);
}

START_TEST(a_wall_is_what_the_lidar_sees)
{
	begin();
	wall_across(2.0);
	measure(0.0, false);
	double free_m = 2.0 - cfg.robot.footprint_front_m - cfg.safety.margin_m;
	ck_assert_int_eq(ahead->obstacle, CAIRN_PATH_OBSTACLE_WALL);
	ck_assert_double_eq_tol(ahead->free_m, free_m, 1e-3);
	ck_assert_double_eq_tol(ahead->drive_m, free_m - cfg.safety.stop_distance_m, 1e-3);
	ck_assert_double_eq_tol(ahead->obstacle_m, 2.0, 0.02);
	ck_assert(!ahead->remembered);
	/* Behind nothing is seen, as far as is looked. */
	ck_assert_int_eq(paths[CAIRN_DIRECTION_BACKWARD].obstacle, CAIRN_PATH_OBSTACLE_NONE);
	ck_assert_double_eq(paths[CAIRN_DIRECTION_BACKWARD].free_m, CAIRN_PATH_CLEARANCE_HORIZON_M);
	ck_assert_double_eq(paths[CAIRN_DIRECTION_BACKWARD].drive_m, CAIRN_PATH_CLEARANCE_HORIZON_M);
}
END_TEST

START_TEST(a_low_box_and_glass_are_told_apart_by_how_high_they_reach)
{
	static const struct {
		double top_m;
		enum cairn_path_obstacle kind;
	} rows[] = {{0.08, CAIRN_PATH_OBSTACLE_LOW_BOX}, {0.16, CAIRN_PATH_OBSTACLE_LOW_BOX},
	    {0.19, CAIRN_PATH_OBSTACLE_GLASS},
	    {0.0, CAIRN_PATH_OBSTACLE_LOW_BOX}}; /* not known: the harmless word */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		wall_across(3.0); /* the LiDAR looks over or through it */
		see(0.8, rows[i].top_m);
		measure(0.0, false);
		ck_assert_int_eq(ahead->obstacle, rows[i].kind);
		ck_assert_double_eq_tol(ahead->free_m,
		    cfg.robot.camera_x_m + 0.8 - cfg.robot.footprint_front_m - cfg.safety.margin_m, 0.06);
		ck_assert(!ahead->remembered);
	}
}
END_TEST

START_TEST(what_the_camera_does_not_show_any_more_is_remembered_and_said_so)
{
	begin();
	wall_across(3.0);
	see(0.8, 0.19);
	measure(0.65, false); /* 0.15 m before the camera: below its picture */
	ck_assert_int_eq(ahead->obstacle, CAIRN_PATH_OBSTACLE_GLASS);
	ck_assert(ahead->remembered);
	ck_assert_double_lt(ahead->free_m, 0.3);
}
END_TEST

START_TEST(a_drop_ends_every_way_ahead_at_once)
{
	begin();
	measure(0.0, true);
	for (int d = 0; d < CAIRN_DIRECTION_COUNT; d++) {
		bool forward = d != CAIRN_DIRECTION_BACKWARD;
		ck_assert_int_eq(paths[d].obstacle == CAIRN_PATH_OBSTACLE_DROP, forward);
		ck_assert_int_eq(paths[d].free_m > 0.0, !forward);
	}
}
END_TEST

START_TEST(floor_that_was_never_seen_ends_the_way_back)
{
	begin();
	see(5.0, 0.0); /* only what is ahead */
	measure(0.0, false);
	const struct cairn_msg_path_clear *back = &paths[CAIRN_DIRECTION_BACKWARD];
	ck_assert_int_eq(back->obstacle, CAIRN_PATH_OBSTACLE_UNSEEN_FLOOR);
	ck_assert_double_lt(back->free_m, cfg.safety.floor_start_m + 0.1);
	ck_assert_int_eq(ahead->obstacle, CAIRN_PATH_OBSTACLE_NONE);
}
END_TEST

START_TEST(the_room_beside_the_body_is_that_of_the_narrowest_place_on_the_way)
{
	double half_m;
	begin();
	half_m = cfg.robot.footprint_half_width_m;
	for (int i = 0; i < 60; i++)
		add(0.05 * i,
		    half_m + 0.5); /* a wall on the left; on the right one post, 1 m ahead of the body */
	add(cfg.robot.footprint_front_m + 1.0, -half_m - 0.2);
	add(cfg.robot.footprint_front_m + 4.0,
	    -half_m - 0.01 - cfg.safety.margin_m); /* beyond the way's end */
	wall_across(3.0);
	measure(0.0, false);
	ck_assert_double_eq_tol(ahead->left_m, 0.5, 1e-3);
	ck_assert_double_eq_tol(ahead->right_m, 0.2, 1e-3);
	ck_assert_double_eq_tol(ahead->narrow_at_m, 1.0, 1e-3);
	/* Nothing on the other side of the circle of an arc to the right counts for the left of it. */
	begin();
	double c = 1.05 * cfg.robot.turn_radius_min_m; /* centre of the tightest arc to the left */
	add(0.0, c + (c - half_m - 0.15));             /* opposite, 0.15 m inside the strip */
	measure(0.0, false);
	ck_assert_double_eq_tol(paths[CAIRN_DIRECTION_LEFT].left_m, 0.15, 1e-3);
	ck_assert_double_eq_tol(paths[CAIRN_DIRECTION_LEFT].right_m, CAIRN_PATH_CLEARANCE_BESIDE_M, 1e-9);
}
END_TEST

/* The answer in words. */
static const char *said(enum cairn_direction direction, double distance_m)
{
	static char text[400];
	struct cairn_tool_call call = {
	    .tool = CAIRN_TOOL_CHECK_PATH_CLEAR, .direction = (int)direction, .distance_m = distance_m};
	struct cairn_msg_paths_clear all = {.items_count = CAIRN_DIRECTION_COUNT};
	memcpy(all.items, paths, sizeof(paths));
	cairn_prompt_path_clear(text, sizeof(text), &call, &all);
	return text;
}

START_TEST(in_an_empty_room_every_direction_is_clear_for_every_distance_that_can_be_asked_for)
{
	static const double distances_m[] = {0.5, 1.0, 3.0, 4.5, 5.0};
	begin();
	measure(0.0, false);
	for (int d = 0; d < CAIRN_DIRECTION_COUNT; d++) {
		bool straight = d == CAIRN_DIRECTION_FORWARD || d == CAIRN_DIRECTION_BACKWARD;
		for (size_t i = 0; i < sizeof(distances_m) / sizeof(distances_m[0]); i++) {
			char want[80];
			bool judged = paths[d].drive_m >= distances_m[i];
			const char *text = said((enum cairn_direction)d, distances_m[i]);
			ck_assert(judged || !straight);
			if (judged)
				snprintf(want, sizeof(want),
				    " now: clear for %.1f m; free %.2f m, as far as this is judged; ",
				    distances_m[i], paths[d].free_m);
			else
				snprintf(want, sizeof(want),
				    " now: clear for %.2f m, as far as this is judged; ", paths[d].free_m);
			ck_assert_msg(
			    strstr(text, want) != NULL && strstr(text, "Recommended: drive.") != NULL,
			    "%s is not:%s", text, want);
		}
	}
	/* Something that stands just beyond the distance asked for is named, and ends the way. */
	begin();
	wall_across(cfg.robot.footprint_front_m + cfg.safety.margin_m + 5.05);
	measure(0.0, false);
	ck_assert_ptr_nonnull(strstr(said(CAIRN_DIRECTION_FORWARD, 5.0),
	    "forward now: NOT clear for 5.0 m; free 5.05 m, then wall or furniture ahead; "));
	ck_assert_ptr_nonnull(strstr(said(CAIRN_DIRECTION_FORWARD, 4.5),
	    "forward now: clear for 4.5 m; free 5.05 m, then wall or furniture ahead; "));
}
END_TEST

CAIRN_TEST_MAIN("path-clearance", a_wall_is_what_the_lidar_sees,
    a_low_box_and_glass_are_told_apart_by_how_high_they_reach,
    what_the_camera_does_not_show_any_more_is_remembered_and_said_so, a_drop_ends_every_way_ahead_at_once,
    floor_that_was_never_seen_ends_the_way_back,
    the_room_beside_the_body_is_that_of_the_narrowest_place_on_the_way,
    in_an_empty_room_every_direction_is_clear_for_every_distance_that_can_be_asked_for)
