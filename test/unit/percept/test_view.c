/* The second picture: what is on it, where, and what is refused. Colours are read from the JPEG, so they are
 * compared with some slack. */
#include "common/percept/view.h"

#include <math.h>
#include <stdlib.h>

#include <turbojpeg.h>

#include "common/drawing/font.h"
#include "test/support/runner.h"

#define SIDE CAIRN_SNAPSHOT_VIEW_PX
#define CELLS 100 /* a side: 5 m */

static struct cairn_config cfg;
static struct cairn_view *view;
static struct cairn_error err;
static uint8_t cells[CELLS][CELLS];
static struct cairn_frame_header hdr;
static struct cairn_msg_scan scan;
static struct cairn_view_picture picture;
static uint8_t rgb[SIDE][SIDE][3];

/* A room from (-2, -2) to (2, 2) with walls of one cell in a map from (-2.5, -2.5) on; outside nothing is
 * known. */
static void begin(bool map, bool polar)
{
	cairn_config_defaults(&cfg);
	cfg.percept.show_map = map;
	cfg.percept.show_polar = polar;
	view = cairn_view_new(&cfg, CAIRN_FONT_FILE, &err);
	ck_assert_msg(view != NULL, "%s", err.text);
	memset(cells, 255, sizeof(cells));
	for (int y = 10; y < 90; y++)
		for (int x = 10; x < 90; x++)
			cells[y][x] = x == 10 || x == 89 || y == 10 || y == 89 ? 100 : 0;
	hdr = (struct cairn_frame_header){.format = CAIRN_FORMAT_GRID8,
	    .t_ns = 1000,
	    .width = CELLS,
	    .height = CELLS,
	    .stride_bytes = CELLS,
	    .payload_bytes = sizeof(cells),
	    .origin_x_m = -2.5,
	    .origin_y_m = -2.5,
	    .cell_m = 0.05};
	scan = (struct cairn_msg_scan){.range_min_m = 0.05f, .range_max_m = 12.0f};
}

static bool draw(const struct cairn_view_inputs *in)
{
	err.text[0] = '\0';
	if (!cairn_view_draw(view, in, &picture, &err))
		return false;
	tjhandle tj = tjInitDecompress();
	int ok =
	    tjDecompress2(tj, picture.jpeg, picture.bytes, &rgb[0][0][0], SIDE, SIDE * 3, SIDE, TJPF_RGB, 0);
	tjDestroy(tj);
	ck_assert_int_eq(ok, 0);
	return true;
}

static bool near_colour(int x, int y, int r, int g, int b, int slack)
{
	return abs(rgb[y][x][0] - r) <= slack && abs(rgb[y][x][1] - g) <= slack &&
	       abs(rgb[y][x][2] - b) <= slack;
}

static int count_near(int x0, int y0, int x1, int y1, int r, int g, int b)
{
	int n = 0;
	for (int y = y0; y < y1; y++)
		for (int x = x0; x < x1; x++)
			n += near_colour(x, y, r, g, b, 45);
	return n;
}

/* 80 known cells with 4 of margin on each side make 88. In height 512 - 12 - 34 = 466 px are left, 5.3 a
 * cell, so 5; the map is 440 px wide and begins at 36 and at 12 + 13 = 25. Cell 0 of the picture is cell 93
 * of the map: (x, y) metres lie at column 36 + (2.2 - y) / 0.05 * 5 and row 25 + (2.2 - x) / 0.05 * 5. The
 * middle is (256, 245). */
START_TEST(the_map_has_north_up_and_everything_in_its_place)
{
	begin(true, false);
	ck_assert(cairn_view_on_map(view, &hdr, cells, &err));
	struct cairn_pose2 pose = {1.0, -1.0, 0.0};
	struct cairn_msg_frontiers frontiers = {.items_count = 2,
	    .items = {{.id = 7, .x_m = -1.0, .y_m = 1.0, .distance_m = 3.0},
		{.id = 8, .x_m = 1.0, .y_m = 1.0, .distance_m = -1.0}}};
	struct cairn_msg_nav_path path = {
	    .points_count = 2, .points = {{.x_m = -1.5f, .y_m = -1.5f}, {.x_m = -1.5f, .y_m = 0.0f}}};
	struct cairn_view_inputs in = {
	    .map_fresh = true, .scan_fresh = true, .pose = &pose, .frontiers = &frontiers, .path = &path};
	ck_assert(draw(&in));
	ck_assert(picture.map && !picture.polar);
	ck_assert(near_colour(100, 245, 255, 255, 255, 12));               /* floor */
	ck_assert(near_colour(256, 25 + 22, 20, 20, 20, 45));              /* wall at x = 2 */
	ck_assert(near_colour(256, 25 + 8, 184, 189, 194, 12));            /* unknown */
	ck_assert_int_gt(count_near(340, 130, 372, 160, 26, 158, 64), 60); /* robot: ahead and to the right */
	ck_assert_int_gt(count_near(240, 230, 272, 260, 204, 38, 38), 60); /* start in the middle */
	ck_assert_int_gt(
	    count_near(145, 333, 168, 357, 237, 125, 26), 150);            /* frontier: behind, on the left */
	ck_assert_int_eq(count_near(140, 130, 172, 160, 237, 125, 26), 0); /* the one out of reach */
	ck_assert_int_gt(count_near(256, 390, 410, 400, 217, 64, 191), 60); /* path */
	cairn_view_destroy(&view);
	ck_assert_ptr_null(view);
}
END_TEST

START_TEST(candidates_are_squares_on_the_map_and_nowhere_else)
{
	begin(true, false);
	ck_assert(cairn_view_on_map(view, &hdr, cells, &err));
	struct cairn_msg_candidates set = {.items_count = 2,
	    .items = {{.id = 7, .x_m = -1.0, .y_m = 1.0}, {.id = 8, .x_m = NAN, .y_m = 1.0}}};
	struct cairn_view_inputs in = {.map_fresh = true, .scan_fresh = true, .candidates = &set};
	ck_assert(draw(&in));
	/* column 36 + 1.2 / 0.05 * 5 = 156, row 25 + 3.2 / 0.05 * 5 = 345, or beside it */
	ck_assert_int_gt(count_near(120, 310, 195, 380, 115, 64, 191), 200);
	ck_assert_int_eq(count_near(200, 40, 480, 440, 115, 64, 191), 0);
	set.items_count = 0;
	ck_assert(draw(&in));
	ck_assert_int_eq(count_near(120, 310, 195, 380, 115, 64, 191), 0);
	cairn_view_destroy(&view);
}
END_TEST

START_TEST(a_goal_whose_place_is_known_is_a_ring_on_the_map)
{
	begin(true, false);
	ck_assert(cairn_view_on_map(view, &hdr, cells, &err));
	struct cairn_msg_mission mission = {
	    .goal = "the bathroom", .goal_known = true, .goal_x_m = -1.0, .goal_y_m = 1.0};
	struct cairn_view_inputs in = {.map_fresh = true, .mission = &mission};
	ck_assert(draw(&in));
	/* around column 156, row 345, as above */
	ck_assert_int_gt(count_near(130, 320, 182, 370, 191, 26, 115), 100);
	ck_assert_int_eq(
	    count_near(290, 40, 480, 440, 191, 26, 115), 0); /* the red cross of the start is left out */
	mission.goal_known = false;
	ck_assert(draw(&in));
	ck_assert_int_eq(count_near(130, 320, 182, 370, 191, 26, 115), 0);
	cairn_view_destroy(&view);
}
END_TEST

START_TEST(the_way_driven_is_shown_however_long_it_is)
{
	begin(true, false);
	ck_assert(cairn_view_on_map(view, &hdr, cells, &err));
	for (int i = 0; i < 40000; i++) /* to and fro at x = -1, from y = -1.5 to 1.5 */
		cairn_view_on_pose(view, -1.0, 1.5 * sin(0.05 * i));
	cairn_view_on_pose(view, NAN, 0.0);
	cairn_view_on_pose(view, 0.0, INFINITY);
	struct cairn_view_inputs in = {.map_fresh = true};
	ck_assert(draw(&in));
	ck_assert_int_gt(count_near(120, 340, 390, 350, 41, 115, 217), 300);
	ck_assert_int_eq(count_near(120, 130, 390, 330, 41, 115, 217), 0);
	cairn_view_destroy(&view);
}
END_TEST

/* Radius 250 px is 4 m: 62.5 px a metre around (256, 256). */
START_TEST(the_turn_has_ahead_up_and_left_left)
{
	begin(false, true);
	struct cairn_view_inputs in = {.scan_fresh = true};
	scan.angle_rad_count = scan.range_m_count = 1;
	scan.range_m[0] = 2.5f; /* 156 px */
	for (int turn = 0; turn < 4; turn++) {
		static const int at[4][2] = {{256, 100}, {100, 256}, {256, 412}, {412, 256}};
		scan.angle_rad[0] = (float)(turn * M_PI / 2.0);
		cairn_view_on_scan(view, &scan);
		ck_assert(draw(&in));
		ck_assert(!picture.map && picture.polar);
		for (int k = 0; k < 4; k++)
			ck_assert_int_eq(near_colour(at[k][0], at[k][1], 255, 255, 255, 60), k == turn);
	}
	const uint8_t *red = rgb[256][256 - 62], *yellow = rgb[256][256 - 125]; /* rings at 1 and 2 m */
	ck_assert(red[0] > 150 && red[0] > red[1] + 60);
	ck_assert(yellow[0] > 150 && yellow[1] > 130 && yellow[1] > yellow[2] + 60);
	cairn_view_destroy(&view);
}
END_TEST

START_TEST(with_both_the_map_stands_beside_the_turn)
{
	begin(true, true);
	ck_assert(cairn_view_on_map(view, &hdr, cells, &err));
	scan.angle_rad_count = scan.range_m_count = 1;
	scan.range_m[0] = 2.5f;
	cairn_view_on_scan(view, &scan);
	struct cairn_view_inputs in = {.map_fresh = true, .scan_fresh = true};
	ck_assert(draw(&in));
	ck_assert(picture.map && picture.polar);
	ck_assert(near_colour(416, 380, 28, 32, 38, 25)); /* the disc, above its middle at (416, 416) */
	ck_assert_int_gt(count_near(0, 0, 320, 512, 255, 255, 255), 20000); /* floor */
	in.map_fresh = false;
	ck_assert(draw(&in));
	ck_assert(!picture.map && picture.polar);
	ck_assert(near_colour(256, 30, 28, 32, 38, 60)); /* alone it takes the whole */
	in.scan_fresh = false;
	ck_assert(!draw(&in));
	ck_assert_str_eq(err.text, "");
	cairn_view_destroy(&view);
}
END_TEST

START_TEST(maps_that_are_none_are_refused_and_the_last_one_stays)
{
	begin(true, false);
	struct cairn_view_inputs in = {.map_fresh = true};
	ck_assert(!draw(&in)); /* none yet */
	ck_assert_int_eq(cairn_view_map_ns(view), 0);
	ck_assert(cairn_view_on_map(view, &hdr, cells, &err));
	const struct cairn_frame_header good = hdr;
	struct cairn_frame_header bad[9];
	for (int i = 0; i < 9; i++) {
		bad[i] = good;
		bad[i].t_ns = 2000;
	}
	bad[0].format = CAIRN_FORMAT_RGB8;
	bad[1].width = 0;
	bad[2].height = 0;
	bad[3].stride_bytes = CELLS - 1;
	bad[4].payload_bytes = sizeof(cells) - 1;
	bad[5].cell_m = NAN;
	bad[6].origin_y_m = INFINITY;
	bad[7].height = bad[7].width = bad[7].stride_bytes = 1u << 16;
	bad[7].payload_bytes = UINT32_MAX;
	bad[8].t_ns = 0;
	for (int i = 0; i < 9; i++) {
		err.text[0] = '\0';
		ck_assert_msg(!cairn_view_on_map(view, &bad[i], cells, &err), "bad map %d", i);
		ck_assert_str_ne(err.text, "");
	}
	ck_assert_int_eq(cairn_view_map_ns(view), 1000);
	ck_assert(draw(&in));
	cairn_view_destroy(&view);
}
END_TEST

START_TEST(numbers_that_are_none_draw_nothing_and_break_nothing)
{
	begin(true, true);
	ck_assert(cairn_view_on_map(view, &hdr, cells, &err));
	struct cairn_pose2 pose = {1e300, 0.0, 0.0};
	struct cairn_msg_frontiers frontiers = {.items_count = 2,
	    .items = {{.id = 7, .x_m = NAN, .distance_m = 3.0}, {.id = 8, .x_m = 1e300, .distance_m = 1.0}}};
	struct cairn_msg_nav_path path = {
	    .points_count = 3, .points = {{.x_m = NAN}, {.x_m = 1.0f}, {.y_m = INFINITY}}};
	struct cairn_view_inputs in = {
	    .map_fresh = true, .scan_fresh = true, .pose = &pose, .frontiers = &frontiers, .path = &path};
	ck_assert(draw(&in));
	ck_assert_int_eq(count_near(0, 0, 320, 512, 237, 125, 26), 0);
	pose.x_m = 0.0;
	frontiers.items[0].x_m = 1.0;
	ck_assert(draw(&in)); /* the board is as good as before */
	ck_assert_int_gt(count_near(0, 0, 320, 512, 237, 125, 26), 100);
	cairn_view_destroy(&view);
}
END_TEST

/* One cell of wall in a map of 40 m, which is drawn smaller than a pixel a cell. */
START_TEST(thin_walls_survive_in_large_maps)
{
	static uint8_t large[800][800];
	begin(true, false);
	memset(large, 0, sizeof(large));
	for (int x = 0; x < 800; x++)
		large[333][x] = 100;
	hdr.width = hdr.height = hdr.stride_bytes = 800;
	hdr.payload_bytes = sizeof(large);
	ck_assert_msg(cairn_view_on_map(view, &hdr, large, &err), "%s", err.text);
	struct cairn_view_inputs in = {.map_fresh = true};
	ck_assert(draw(&in));
	for (int row = 60; row < 400; row++) {
		int dark = 255;
		for (int x = 30; x < 480; x++)
			dark = rgb[row][x][1] < dark ? rgb[row][x][1] : dark;
		ck_assert_msg(dark < 120, "row %d: no wall", row);
	}
	cairn_view_destroy(&view);
}
END_TEST

CAIRN_TEST_MAIN("view", the_map_has_north_up_and_everything_in_its_place,
    candidates_are_squares_on_the_map_and_nowhere_else, a_goal_whose_place_is_known_is_a_ring_on_the_map,
    the_way_driven_is_shown_however_long_it_is, the_turn_has_ahead_up_and_left_left,
    with_both_the_map_stands_beside_the_turn, maps_that_are_none_are_refused_and_the_last_one_stays,
    numbers_that_are_none_draw_nothing_and_break_nothing, thin_walls_survive_in_large_maps)
