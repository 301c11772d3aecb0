#include "common/percept/overlay.h"

#include <math.h>

#include "common/percept/annotate.h"
#include "common/percept/heat.h"
#include "common/drawing/stroke.h"
#include "test/support/runner.h"

#define W 640
#define H 480
#define GREY 100

static uint8_t drawn[H][W][3];
static const struct cairn_canvas canvas = {&drawn[0][0][0], W, H, W * 3};
static struct cairn_config cfg;
static struct cairn_msg_frontiers frontiers;
static struct cairn_msg_scan scan;
static char legend[CAIRN_OVERLAY_LEGEND_CAP];

/* Focal length 320 px, camera at x 0.2 m and 0.16 m high, level; LiDAR at x 0.1 m. */
static void begin(void)
{
	cairn_config_defaults(&cfg);
	cfg.robot.camera_hfov_rad = M_PI / 2.0;
	memset(drawn, GREY, sizeof(drawn));
	memset(&frontiers, 0, sizeof(frontiers));
	scan = (struct cairn_msg_scan){.range_min_m = 0.05f, .range_max_m = 16.0f};
}

static struct cairn_overlay *overlay_new(void)
{
	struct cairn_error err = {""};
	struct cairn_overlay *overlay = cairn_overlay_new(&cfg, CAIRN_FONT_FILE, &err);
	ck_assert_msg(overlay != NULL, "%s", err.text);
	return overlay;
}

/* A round room of this radius around the LiDAR, seen at every degree. */
static void round_room(double radius_m)
{
	scan.angle_rad_count = scan.range_m_count = 360;
	for (int i = 0; i < 360; i++) {
		scan.angle_rad[i] = (float)cairn_deg_to_rad(-i);
		scan.range_m[i] = (float)radius_m;
	}
}

static void add_frontier(uint32_t id, double x_m, double y_m, double distance_m)
{
	frontiers.items[frontiers.items_count++] =
	    (struct cairn_msg_frontier){.id = id, .x_m = x_m, .y_m = y_m, .distance_m = distance_m};
}

static int changed_in(int x0, int y0, int x1, int y1)
{
	int n = 0;
	for (int y = y0; y < y1; y++)
		for (int x = x0; x < x1; x++)
			n += drawn[y][x][0] != GREY || drawn[y][x][1] != GREY || drawn[y][x][2] != GREY;
	return n;
}

static bool is_colour(int x, int y, uint8_t r, uint8_t g, uint8_t b)
{
	return drawn[y][x][0] == r && drawn[y][x][1] == g && drawn[y][x][2] == b;
}

/* ---- candidates ---- */

/* Robot at (1, 2) looking along +y (yaw 90 deg). The frontier at (0.5, 3.2) is 1.2 m ahead and 0.5 m to the
 * left: 1 m in front of the camera, so u = 320 - 320 x 0.5 = 160, v = 240 + 320 x 0.16 = 291.2. */
START_TEST(candidates_lie_where_the_floor_is_seen)
{
	begin();
	cfg.percept.show_candidates = true;
	add_frontier(17, 0.5, 3.2, 1.3);
	struct cairn_overlay *overlay = overlay_new();
	struct cairn_pose2 pose = {1.0, 2.0, M_PI / 2.0};
	struct cairn_overlay_inputs in = {.pose = &pose, .frontiers = &frontiers};
	struct cairn_overlay_mark marks[CAIRN_OVERLAY_CANDIDATES];
	ck_assert_int_eq(cairn_overlay_marks(overlay, &in, marks), 1);
	ck_assert_uint_eq(marks[0].id, 17);
	ck_assert_double_eq_tol(marks[0].tip_u, 160.0, 1e-6);
	ck_assert_double_eq_tol(marks[0].tip_v, 291.2, 1e-6);
	ck_assert_double_eq_tol(marks[0].disc_u, 160.0, 1e-6);
	ck_assert_double_lt(marks[0].disc_v, marks[0].tip_v);
	ck_assert(!marks[0].hidden);
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert_str_eq(legend, "arrows to F17");
	ck_assert(is_colour(160, 291, 0, 229, 255));
	ck_assert_int_eq(changed_in(330, 0, W, H), 0);
	cairn_overlay_destroy(&overlay);
	ck_assert_ptr_null(overlay);
}
END_TEST

/* The same place as above, as a candidate: the frontier beside it is not drawn then. */
START_TEST(candidates_of_the_list_come_before_frontiers)
{
	begin();
	cfg.percept.show_candidates = true;
	add_frontier(17, 1.2, 3.5, 1.6);
	struct cairn_msg_candidates candidates = {.items_count = 3,
	    .items = {
		{.id = 7, .x_m = 0.5, .y_m = 3.2}, {.id = 8, .x_m = 1.0, .y_m = 0.0}, {.id = 9, .x_m = NAN}}};
	struct cairn_overlay *overlay = overlay_new();
	struct cairn_pose2 pose = {1.0, 2.0, M_PI / 2.0};
	struct cairn_overlay_inputs in = {.pose = &pose, .candidates = &candidates, .frontiers = &frontiers};
	struct cairn_overlay_mark marks[CAIRN_OVERLAY_CANDIDATES];
	ck_assert_int_eq(cairn_overlay_marks(overlay, &in, marks), 1);
	ck_assert_int_eq(marks[0].list, 'C');
	ck_assert_uint_eq(marks[0].id, 7);
	ck_assert_double_eq_tol(marks[0].tip_u, 160.0, 1e-6);
	ck_assert_double_eq_tol(marks[0].tip_v, 291.2, 1e-6);
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert_str_eq(legend, "arrows to C7");
	candidates.items_count = 0;
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert_str_eq(legend, "arrows to F17");
	cairn_overlay_destroy(&overlay);
}
END_TEST

START_TEST(candidates_out_of_view_or_reach_are_left_out)
{
	begin();
	cfg.percept.show_candidates = true;
	add_frontier(1, -2.0, 0.0, 2.0); /* behind */
	add_frontier(2, 1.2, 3.0, 3.0);  /* too far to the left */
	add_frontier(3, 2.0, 0.0, -1.0); /* not reachable */
	add_frontier(4, 0.3, 0.0, 0.3);  /* below the picture's foot */
	add_frontier(5, NAN, 0.0, 1.0);
	add_frontier(6, 2.2, 0.0, 2.2);
	struct cairn_overlay *overlay = overlay_new();
	struct cairn_pose2 pose = {0.0, 0.0, 0.0};
	struct cairn_overlay_inputs in = {.pose = &pose, .frontiers = &frontiers};
	struct cairn_overlay_mark marks[CAIRN_OVERLAY_CANDIDATES];
	ck_assert_int_eq(cairn_overlay_marks(overlay, &in, marks), 1);
	ck_assert_uint_eq(marks[0].id, 6);
	struct cairn_msg_mission mission = {.given_up_count = 1, .given_up = {{.x_m = 2.2, .y_m = 0.4}}};
	in.mission = &mission; /* the prompt does not list it either */
	ck_assert_int_eq(cairn_overlay_marks(overlay, &in, marks), 0);
	in.mission = NULL;
	in.pose = NULL;
	ck_assert_int_eq(cairn_overlay_marks(overlay, &in, marks), 0);
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert_str_eq(legend, "");
	ck_assert_int_eq(changed_in(0, 0, W, H), 0);
	cairn_overlay_destroy(&overlay);
}
END_TEST

/* The LiDAR stands at x 0.1 m in a round room of 1.5 m: what lies 1.4 m away is in sight, at 2.1 m it is not.
 */
START_TEST(what_lies_behind_a_return_is_hidden)
{
	begin();
	cfg.percept.show_candidates = true;
	add_frontier(1, 1.5, 0.3, 1.5);
	add_frontier(2, 2.2, -0.4, 2.2);
	round_room(1.5);
	struct cairn_overlay *overlay = overlay_new();
	struct cairn_pose2 pose = {0.0, 0.0, 0.0};
	struct cairn_overlay_inputs in = {.pose = &pose, .frontiers = &frontiers, .scan_fresh = true};
	struct cairn_overlay_mark marks[CAIRN_OVERLAY_CANDIDATES];
	cairn_overlay_on_scan(overlay, &scan);
	ck_assert_int_eq(cairn_overlay_marks(overlay, &in, marks), 2);
	ck_assert(!marks[0].hidden);
	ck_assert(marks[1].hidden);
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert_str_eq(legend, "arrows to F1; hidden F2");
	in.scan_fresh = false;
	ck_assert_int_eq(cairn_overlay_marks(overlay, &in, marks), 2);
	ck_assert(!marks[1].hidden);
	cairn_overlay_destroy(&overlay);
}
END_TEST

START_TEST(numbers_keep_clear_of_each_other_and_of_the_depths)
{
	begin();
	cfg.percept.show_candidates = true;
	for (uint32_t i = 0; i < 8; i++) /* a row of places close together, far off */
		add_frontier(10 + i, 4.0, 0.3 - 0.1 * i, 4.0 + i);
	struct cairn_overlay *overlay = overlay_new();
	struct cairn_pose2 pose = {0.0, 0.0, 0.0};
	struct cairn_overlay_inputs in = {.pose = &pose, .frontiers = &frontiers};
	struct cairn_overlay_mark marks[CAIRN_OVERLAY_CANDIDATES];
	ck_assert_int_eq(cairn_overlay_marks(overlay, &in, marks), CAIRN_OVERLAY_CANDIDATES);
	for (int i = 0; i < CAIRN_OVERLAY_CANDIDATES; i++) {
		ck_assert_uint_eq(marks[i].id, 10u + (unsigned)i);
		for (int j = 0; j < i; j++)
			ck_assert_double_gt(
			    hypot(marks[i].disc_u - marks[j].disc_u, marks[i].disc_v - marks[j].disc_v),
			    20.0);
		ck_assert(fabs(marks[i].disc_u - 320.0) > 40.0 || fabs(marks[i].disc_v - 240.0) > 20.0);
	}
	cairn_overlay_destroy(&overlay);
}
END_TEST

/* ---- LiDAR ---- */

/* Straight ahead of the LiDAR the circles lie 0.9, 1.9, 2.9 and 3.9 m in front of the camera: rows
 * 240 + 51.2 / that = 296.9, 266.9, 257.7, 253.1. */
START_TEST(arcs_lie_on_the_floor_as_far_as_it_is_free)
{
	begin();
	cfg.percept.show_arcs = true;
	round_room(2.5);
	struct cairn_overlay *overlay = overlay_new();
	struct cairn_overlay_inputs in = {.scan_fresh = true};
	cairn_overlay_on_scan(overlay, &scan);
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert(is_colour(320, 296, 255, 48, 48));
	ck_assert(is_colour(320, 266, 255, 221, 0));
	ck_assert_int_eq(changed_in(0, 0, W, 262), 0); /* the room ends before the green ones */

	memset(drawn, GREY, sizeof(drawn));
	round_room(8.0);
	cairn_overlay_on_scan(overlay, &scan);
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert(is_colour(320, 257, 64, 224, 64));
	ck_assert(is_colour(320, 253, 64, 224, 64));

	memset(drawn, GREY, sizeof(drawn));
	scan.angle_rad_count = scan.range_m_count = 0; /* nothing is known: nothing is claimed */
	cairn_overlay_on_scan(overlay, &scan);
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert_int_eq(changed_in(0, 0, W, H), 0);
	round_room(8.0);
	cairn_overlay_on_scan(overlay, &scan);
	in.scan_fresh = false;
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert_int_eq(changed_in(0, 0, W, H), 0);
	ck_assert_str_eq(legend, "");
	cairn_overlay_destroy(&overlay);
}
END_TEST

START_TEST(thirds_are_named)
{
	begin();
	cfg.percept.show_sectors = true;
	struct cairn_overlay *overlay = overlay_new();
	struct cairn_overlay_inputs in = {0};
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert_int_gt(changed_in(70, 450, 143, 475), 200);
	ck_assert_int_gt(changed_in(270, 450, 370, 475), 200);
	ck_assert_int_gt(changed_in(490, 450, 576, 475), 200);
	ck_assert_int_eq(changed_in(0, 0, 210, 440), 0);
	ck_assert_int_ge(changed_in(211, 0, 216, 440), 440);
	ck_assert_int_ge(changed_in(424, 0, 429, 440), 440);
	ck_assert_str_eq(legend, "");
	cairn_overlay_destroy(&overlay);
}
END_TEST

START_TEST(nothing_is_wanted_unless_asked_for)
{
	begin();
	ck_assert(!cairn_overlay_wanted(&cfg));
	bool *flags[] = {&cfg.percept.show_sectors, &cfg.percept.show_candidates, &cfg.percept.show_arcs,
	    &cfg.percept.show_heat};
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		*flags[i] = true;
		ck_assert(cairn_overlay_wanted(&cfg));
		*flags[i] = false;
	}
	struct cairn_error err = {""};
	ck_assert_ptr_null(cairn_overlay_new(&cfg, "/nowhere/font.ttf", &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/nowhere/font.ttf"));
}
END_TEST

/* ---- heat ---- */

/* Quarters of the way from 300 to 5000 mm: 1175 mm each. */
START_TEST(heat_runs_from_red_to_blue)
{
	static const struct {
		unsigned mm;
		struct cairn_rgb colour;
	} cases[] = {{0, {255, 0, 0}}, {300, {255, 0, 0}}, {1475, {255, 255, 0}}, {2650, {0, 255, 0}},
	    {3825, {0, 255, 255}}, {5000, {0, 0, 255}}, {9999, {0, 0, 255}}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cairn_rgb c = cairn_heat_colour(cases[i].mm);
		ck_assert_int_eq(c.r, cases[i].colour.r);
		ck_assert_int_eq(c.g, cases[i].colour.g);
		ck_assert_int_eq(c.b, cases[i].colour.b);
	}
}
END_TEST

START_TEST(heat_is_drawn_from_the_picture_of_that_stamp_alone)
{
	static uint16_t depth[H][W];
	begin();
	cfg.percept.show_heat = true;
	struct cairn_overlay *overlay = overlay_new();
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			depth[y][x] = x < W / 2 ? 300 : 0;
	cairn_overlay_on_depth(overlay, depth, sizeof(depth[0]), 1000);
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			depth[y][x] = 5000;
	cairn_overlay_on_depth(overlay, depth, sizeof(depth[0]), 2000);
	struct cairn_overlay_inputs in = {.t_depth_ns = 1000};
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert(is_colour(100, 200, (GREY + 255) / 2, GREY / 2, GREY / 2));
	ck_assert_int_eq(changed_in(W / 2, 0, W, H), 0); /* not known: as it was */
	memset(drawn, GREY, sizeof(drawn));
	for (int i = 0; i < CAIRN_HEAT_KEPT - 1; i++) /* the first one is forgotten */
		cairn_overlay_on_depth(overlay, depth, sizeof(depth[0]), 3000 + i);
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	in.t_depth_ns = 0;
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert_int_eq(changed_in(0, 0, W, H), 0);
	ck_assert_str_eq(legend, "");
	cairn_overlay_destroy(&overlay);
}
END_TEST

/* ---- strokes ---- */

START_TEST(a_line_covers_its_width)
{
	begin();
	const struct cairn_stroke stroke = {4.0f, {255, 0, 0}, 255};
	cairn_stroke_line(&canvas, 100.0, 50.0, 200.0, 50.0, &stroke); /* rows 48 to 51 */
	for (int y = 48; y <= 51; y++)
		ck_assert(is_colour(150, y, 255, 0, 0));
	ck_assert_int_eq(changed_in(101, 0, 199, 48) + changed_in(101, 52, 199, H), 0);
	ck_assert_int_eq(changed_in(0, 0, 98, H) + changed_in(203, 0, W, H), 0);
}
END_TEST

START_TEST(strokes_stay_on_the_canvas)
{
	static uint8_t guarded[64 * 48 * 3 + 64];
	struct cairn_canvas small = {guarded + 32, 64, 48, 64 * 3};
	const struct cairn_stroke stroke = {5.0f, {255, 0, 0}, 255};
	static const double ends[] = {-1e9, -3.0, 0.0, 30.0, 47.9, 64.0, 70.0, 1e9, INFINITY, NAN};
	const size_t n = sizeof(ends) / sizeof(ends[0]);
	memset(guarded, GREY, sizeof(guarded));
	for (size_t i = 0; i < n * n * n * n; i++)
		cairn_stroke_line(&small, ends[i % n], ends[i / n % n], ends[i / n / n % n],
		    ends[i / n / n / n % n], &stroke);
	for (size_t i = 0; i < n * n; i++)
		cairn_stroke_disc(&small, ends[i % n], ends[i / n], 9.0, stroke.colour, 255);
	for (size_t i = 0; i < 32; i++) {
		ck_assert_int_eq(guarded[i], GREY);
		ck_assert_int_eq(guarded[sizeof(guarded) - 1 - i], GREY);
	}
	ck_assert_int_eq(guarded[32], 255);
}
END_TEST

/* Turned to the left by 0.35 rad, the camera has what is 1/3 to the left for each metre ahead, atan 1/3 = 0.32175 rad, at 320 + 320
 * tan 0.02825 = 329, and what is as far to the right at 320 + 320 tan 0.67175 = 574. Turned by a quarter it shows the left alone. */
START_TEST(sectors_are_those_of_the_robot_where_the_camera_is_turned_aside)
{
	begin();
	cfg.percept.show_sectors = true;
	cfg.robot.camera_yaw_rad = 0.35;
	struct cairn_overlay *overlay = overlay_new();
	struct cairn_overlay_inputs in = {0};
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert_int_eq(changed_in(0, 0, 326, 440), 0);
	ck_assert_int_ge(changed_in(327, 0, 332, 440), 440);
	ck_assert_int_eq(changed_in(333, 0, 571, 440), 0);
	ck_assert_int_ge(changed_in(572, 0, 577, 440), 440);
	ck_assert_int_gt(changed_in(134, 450, 195, 475), 200); /* LEFT around 164 */
	ck_assert_int_gt(changed_in(402, 450, 502, 475), 200); /* CENTRE around 452 */
	ck_assert_int_eq(changed_in(580, 450, 640, 475), 0);   /* no room for RIGHT */
	cairn_overlay_destroy(&overlay);
	memset(drawn, GREY, sizeof(drawn));
	cfg.robot.camera_yaw_rad = M_PI / 2.0;
	overlay = overlay_new();
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert_int_eq(changed_in(0, 0, W, 440), 0);
	ck_assert_int_gt(changed_in(290, 450, 350, 475), 200); /* LEFT */
	ck_assert_int_eq(changed_in(0, 450, 280, 475), 0);
	ck_assert_int_eq(changed_in(360, 450, W, 475), 0);
	cairn_overlay_destroy(&overlay);
	memset(drawn, GREY, sizeof(drawn));
	cfg.robot.camera_yaw_rad = 0.0;
	cfg.robot.camera_roll_rad = M_PI; /* upside down: RIGHT is where LEFT was */
	overlay = overlay_new();
	cairn_overlay_draw(overlay, &canvas, &in, legend);
	ck_assert_int_gt(changed_in(106 - 45, 450, 106 + 45, 475), changed_in(106 - 26, 450, 106 + 26, 475));
	cairn_overlay_destroy(&overlay);
}
END_TEST

/* What is straight to the left of the robot, 1 m from the camera, is in the middle of a camera turned there, and 0.16 m down:
 * 240 + 320 x 0.16. */
START_TEST(arrows_point_where_the_camera_as_it_is_mounted_shows_the_place)
{
	begin();
	cfg.percept.show_candidates = true;
	cfg.robot.camera_y_m = 0.1;
	cfg.robot.camera_yaw_rad = M_PI / 2.0;
	struct cairn_overlay *overlay = overlay_new();
	struct cairn_pose2 pose = {0};
	struct cairn_overlay_mark marks[CAIRN_OVERLAY_CANDIDATES];
	struct cairn_overlay_inputs in = {.pose = &pose, .frontiers = &frontiers};
	add_frontier(1, 0.2, 1.1, 1.2);
	add_frontier(2, 1.2, 0.0, 1.2); /* ahead: not in the picture */
	ck_assert_int_eq(cairn_overlay_marks(overlay, &in, marks), 1);
	ck_assert_uint_eq(marks[0].id, 1);
	ck_assert_double_eq_tol(marks[0].tip_u, 320.0, 1e-6);
	ck_assert_double_eq_tol(marks[0].tip_v, 291.2, 1e-6);
	cairn_overlay_destroy(&overlay);
}
END_TEST

CAIRN_TEST_MAIN("overlay", candidates_lie_where_the_floor_is_seen,
    candidates_of_the_list_come_before_frontiers, candidates_out_of_view_or_reach_are_left_out,
    what_lies_behind_a_return_is_hidden, numbers_keep_clear_of_each_other_and_of_the_depths,
    arcs_lie_on_the_floor_as_far_as_it_is_free, thirds_are_named, nothing_is_wanted_unless_asked_for,
    heat_runs_from_red_to_blue, heat_is_drawn_from_the_picture_of_that_stamp_alone, a_line_covers_its_width,
    strokes_stay_on_the_canvas, sectors_are_those_of_the_robot_where_the_camera_is_turned_aside,
    arrows_point_where_the_camera_as_it_is_mounted_shows_the_place)
