#include "common/percept/project.h"

#include "test/support/runner.h"

/* A view 90 degrees wide has a focal length of half the width: 320 px. Camera 0.2 m ahead of the rear axle
 * and 0.16 m high. */
static struct cairn_lens level(void)
{
	return cairn_lens_make(640, 480, M_PI / 2.0, 0.2, 0.16, 0.0);
}

static void expect_at(const struct cairn_lens *lens, double x_m, double y_m, double z_m, double u, double v)
{
	struct cairn_pixel pixel = {-1.0, -1.0};
	ck_assert(cairn_lens_project(lens, (struct cairn_vec2){x_m, y_m}, z_m, &pixel));
	ck_assert_double_eq_tol(pixel.u, u, 1e-9);
	ck_assert_double_eq_tol(pixel.v, v, 1e-9);
}

START_TEST(a_level_camera_sees_its_own_height_at_the_horizon)
{
	struct cairn_lens lens = level();
	ck_assert_double_eq_tol(lens.focal_px, 320.0, 1e-9);
	expect_at(&lens, 1.2, 0.0, 0.16, 320.0, 240.0);
	expect_at(&lens, 9.2, 0.0, 0.16, 320.0, 240.0);
}
END_TEST

/* 1 m ahead of the camera the floor is 0.16 m down: 240 + 320 x 0.16 = 291.2; half a metre to the left is
 * 320 - 320 x 0.5 = 160. At 2 m: 265.6 and 240. */
START_TEST(floor_points_of_a_level_camera_are_worked_out_by_hand)
{
	struct cairn_lens lens = level();
	expect_at(&lens, 1.2, 0.0, 0.0, 320.0, 291.2);
	expect_at(&lens, 1.2, 0.5, 0.0, 160.0, 291.2);
	expect_at(&lens, 1.2, -0.5, 0.0, 480.0, 291.2);
	expect_at(&lens, 2.2, 0.5, 0.0, 240.0, 265.6);
	expect_at(&lens, 1.2, 0.0, 0.32, 320.0, 188.8);
}
END_TEST

/* Pitched down by 45 degrees the optical axis meets the floor 0.16 m ahead of the camera; the horizon lies
 * f tan 45 = 320 px above the middle. 0.48 m ahead: depth (0.48 + 0.16) / sqrt 2, down (-0.48 + 0.16) / sqrt
 * 2, v = 240 + 320 x -0.32 / 0.64 = 80. */
START_TEST(a_pitched_camera_looks_down)
{
	struct cairn_lens lens = cairn_lens_make(640, 480, M_PI / 2.0, 0.2, 0.16, M_PI / 4.0);
	struct cairn_vec2 far = {1e9, 0.0};
	struct cairn_pixel pixel;
	expect_at(&lens, 0.36, 0.0, 0.0, 320.0, 240.0);
	expect_at(&lens, 0.68, 0.0, 0.0, 320.0, 80.0);
	expect_at(&lens, 0.68, 0.16, 0.0, 320.0 - 320.0 * 0.16 / (0.64 / sqrt(2.0)), 80.0);
	ck_assert(cairn_lens_project(&lens, far, 0.0, &pixel));
	ck_assert_double_eq_tol(pixel.v, -80.0, 1e-6);
}
END_TEST

/* robot.camera_* of the reference: 640 x 480, 1.2 rad: f = 320 / tan 0.6 = 467.7. */
START_TEST(the_lens_comes_from_the_configuration)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	struct cairn_lens lens = cairn_lens_from_config(&cfg);
	ck_assert_double_eq_tol(lens.focal_px, 467.7, 0.1);
	expect_at(&lens, 1.2, 0.0, 0.0, 320.0, 240.0 + lens.focal_px * 0.16);
	cfg.camera.width_px = 320;
	cfg.camera.height_px = 240;
	cfg.robot.camera_z_m = 0.5;
	lens = cairn_lens_from_config(&cfg);
	ck_assert_double_eq_tol(lens.focal_px, 233.9, 0.1);
	expect_at(&lens, 1.2, 0.0, 0.0, 160.0, 120.0 + lens.focal_px * 0.5);
}
END_TEST

START_TEST(what_is_not_ahead_has_no_place)
{
	struct cairn_lens lens = level();
	struct cairn_pixel pixel;
	static const struct cairn_vec2 none[] = {
	    {-1.0, 0.0}, {0.2, 0.0}, {0.24, 0.1}, {NAN, 0.0}, {1.0, NAN}, {INFINITY, 0.0}, {1.0, INFINITY}};
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		ck_assert(!cairn_lens_project(&lens, none[i], 0.0, &pixel));
	ck_assert(cairn_lens_project(&lens, (struct cairn_vec2){0.26, 0.0}, 0.0, &pixel));
}
END_TEST

/* From 1 m behind the camera to 1 m ahead of it, y from 0 to 1: the near plane at 0.05 m is met after 1.05 /
 * 2 of the way, at y = 0.525, so u = 320 - 320 x 0.525 / 0.05 = -3040 and v = 240 + 320 x 0.16 / 0.05 = 1264.
 */
START_TEST(a_line_is_cut_off_at_the_camera)
{
	struct cairn_lens lens = level();
	struct cairn_vec2 behind = {-0.8, 0.0}, ahead = {1.2, 1.0}, also_behind = {-2.0, 1.0};
	struct cairn_pixel a, b;
	for (int swap = 0; swap < 2; swap++) {
		ck_assert(swap == 0 ? cairn_lens_floor_line(&lens, behind, ahead, &a, &b)
				    : cairn_lens_floor_line(&lens, ahead, behind, &b, &a));
		ck_assert_double_eq_tol(a.u, -3040.0, 1e-6);
		ck_assert_double_eq_tol(a.v, 1264.0, 1e-6);
		ck_assert_double_eq_tol(b.u, 0.0, 1e-9);
		ck_assert_double_eq_tol(b.v, 291.2, 1e-9);
	}
	ck_assert(!cairn_lens_floor_line(&lens, behind, also_behind, &a, &b));
	ck_assert(!cairn_lens_floor_line(&lens, ahead, (struct cairn_vec2){NAN, 0.0}, &a, &b));
}
END_TEST

START_TEST(the_floor_at_a_pixel_projects_back_to_it)
{
	for (double pitch = -0.3; pitch <= 0.9; pitch += 0.3) {
		struct cairn_lens lens = cairn_lens_make(640, 480, 1.2, 0.2, 0.16, pitch);
		int seen = 0;
		for (double v = 10.0; v < 480.0; v += 23.0) {
			for (double u = 5.0; u < 640.0; u += 45.0) {
				struct cairn_vec2 floor_m;
				struct cairn_pixel back;
				if (!cairn_lens_floor_at(&lens, (struct cairn_pixel){u, v}, &floor_m))
					continue;
				if (!cairn_lens_project(&lens, floor_m, 0.0, &back))
					continue; /* looks down upon the robot itself */
				ck_assert_double_eq_tol(back.u, u, 1e-6);
				ck_assert_double_eq_tol(back.v, v, 1e-6);
				seen++;
			}
		}
		ck_assert_int_gt(seen, 20);
	}
}
END_TEST

START_TEST(there_is_no_floor_at_the_horizon)
{
	struct cairn_lens lens = level();
	struct cairn_vec2 floor_m;
	ck_assert(!cairn_lens_floor_at(&lens, (struct cairn_pixel){320.0, 240.0}, &floor_m));
	ck_assert(!cairn_lens_floor_at(&lens, (struct cairn_pixel){320.0, 100.0}, &floor_m));
	ck_assert(!cairn_lens_floor_at(&lens, (struct cairn_pixel){320.0, NAN}, &floor_m));
	ck_assert(cairn_lens_floor_at(&lens, (struct cairn_pixel){160.0, 291.2}, &floor_m));
	ck_assert_double_eq_tol(floor_m.x_m, 1.2, 1e-9);
	ck_assert_double_eq_tol(floor_m.y_m, 0.5, 1e-9);
}
END_TEST

CAIRN_TEST_MAIN("project", a_level_camera_sees_its_own_height_at_the_horizon,
    floor_points_of_a_level_camera_are_worked_out_by_hand, a_pitched_camera_looks_down,
    the_lens_comes_from_the_configuration, what_is_not_ahead_has_no_place, a_line_is_cut_off_at_the_camera,
    the_floor_at_a_pixel_projects_back_to_it, there_is_no_floor_at_the_horizon)
