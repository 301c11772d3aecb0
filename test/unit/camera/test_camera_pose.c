#include "common/camera/camera_pose.h"

#include "common/base/rng.h"
#include "test/support/runner.h"

/* A view 90 degrees wide has a focal length of half the width: 320 px. */
static struct cairn_camera_pose camera_at(
    double x_m, double y_m, double z_m, double yaw_rad, double pitch_rad, double roll_rad)
{
	struct cairn_camera_mount m = {x_m, y_m, z_m, yaw_rad, pitch_rad, roll_rad};
	return cairn_camera_pose_make(m, M_PI / 2.0, 640.0, 480.0);
}

/* 0.2 m ahead of the rear axle and 0.16 m high. */
static struct cairn_camera_pose level(void)
{
	return camera_at(0.2, 0.0, 0.16, 0.0, 0.0, 0.0);
}

/* Both ways. */
static void expect_at(const struct cairn_camera_pose *camera, double x_m, double y_m, double z_m, double u,
    double v, double depth_m)
{
	const double point[3] = {x_m, y_m, z_m};
	struct cairn_pixel pixel = {-1.0, -1.0};
	double is_m = -1.0, back[3];
	ck_assert(cairn_camera_pixel(camera, point, &pixel, &is_m));
	ck_assert_double_eq_tol(pixel.u, u, 1e-9);
	ck_assert_double_eq_tol(pixel.v, v, 1e-9);
	ck_assert_double_eq_tol(is_m, depth_m, 1e-9);
	cairn_camera_point(camera, (struct cairn_pixel){u, v}, depth_m, back);
	for (int k = 0; k < 3; k++)
		ck_assert_double_eq_tol(back[k], point[k], 1e-9);
}

/* 1 m ahead of the camera the floor is 0.16 m down: 240 + 320 x 0.16 = 291.2; half a metre to the left is
 * 320 - 320 x 0.5 = 160. At 2 m: 265.6 and 240. */
START_TEST(floor_points_of_a_level_camera_are_worked_out_by_hand)
{
	struct cairn_camera_pose camera = level();
	ck_assert_double_eq_tol(camera.focal_px, 320.0, 1e-9);
	expect_at(&camera, 1.2, 0.0, 0.16, 320.0, 240.0, 1.0);
	expect_at(&camera, 9.2, 0.0, 0.16, 320.0, 240.0, 9.0);
	expect_at(&camera, 1.2, 0.0, 0.0, 320.0, 291.2, 1.0);
	expect_at(&camera, 1.2, 0.5, 0.0, 160.0, 291.2, 1.0);
	expect_at(&camera, 1.2, -0.5, 0.0, 480.0, 291.2, 1.0);
	expect_at(&camera, 2.2, 0.5, 0.0, 240.0, 265.6, 2.0);
	expect_at(&camera, 1.2, 0.0, 0.32, 320.0, 188.8, 1.0);
}
END_TEST

/* Pitched down by 45 degrees the optical axis meets the floor 0.16 m ahead of the camera. 0.48 m ahead: depth (0.48 + 0.16) / sqrt 2,
 * down (-0.48 + 0.16) / sqrt 2, v = 240 + 320 x -0.32 / 0.64 = 80. */
START_TEST(a_pitched_camera_looks_down)
{
	struct cairn_camera_pose camera = camera_at(0.2, 0.0, 0.16, 0.0, M_PI / 4.0, 0.0);
	expect_at(&camera, 0.36, 0.0, 0.0, 320.0, 240.0, 0.16 * M_SQRT2);
	expect_at(&camera, 0.68, 0.0, 0.0, 320.0, 80.0, 0.64 / M_SQRT2);
	expect_at(&camera, 0.68, 0.16, 0.0, 320.0 - 320.0 * 0.16 / (0.64 / M_SQRT2), 80.0, 0.64 / M_SQRT2);
}
END_TEST

/* Turned to the left by a quarter, it has what is straight to the left in its middle; what lies 0.5 m farther ahead of the robot is to
 * its right: 320 + 320 x 0.5 / 2 = 400. */
START_TEST(a_camera_turned_to_the_left_sees_what_is_left_in_its_middle)
{
	struct cairn_camera_pose camera = camera_at(0.2, 0.1, 0.16, M_PI / 2.0, 0.0, 0.0);
	expect_at(&camera, 0.2, 2.1, 0.16, 320.0, 240.0, 2.0);
	expect_at(&camera, 0.7, 2.1, 0.16, 400.0, 240.0, 2.0);
	expect_at(&camera, 0.2, 2.1, 0.0, 320.0, 265.6, 2.0);
}
END_TEST

/* 0.1 m beside the axis, what is on the axis 1 m ahead is 0.1 m to its right: 320 + 32. */
START_TEST(a_camera_beside_the_axis_sees_the_axis_aside)
{
	struct cairn_camera_pose camera = camera_at(0.2, 0.1, 0.16, 0.0, 0.0, 0.0);
	expect_at(&camera, 1.2, 0.1, 0.16, 320.0, 240.0, 1.0);
	expect_at(&camera, 1.2, 0.0, 0.16, 352.0, 240.0, 1.0);
}
END_TEST

/* Upside down the picture of a level camera is turned by half: (160, 291.2) becomes (480, 188.8). With its right side down by a
 * quarter, down is right in the picture (0.16 m: 371.2), and left is down (0.5 m: 400). */
START_TEST(a_rolled_camera_turns_its_picture)
{
	struct cairn_camera_pose over = camera_at(0.2, 0.0, 0.16, 0.0, 0.0, M_PI),
				 aside = camera_at(0.2, 0.0, 0.16, 0.0, 0.0, M_PI / 2.0);
	expect_at(&over, 1.2, 0.5, 0.0, 480.0, 188.8, 1.0);
	expect_at(&aside, 1.2, 0.5, 0.0, 371.2, 400.0, 1.0);
}
END_TEST

/* Two metres high, turned left by a quarter, pitched down by 45 degrees, right side down by a quarter: it looks along (0, 1, -1), and
 * its right is what was down of it, (0, -1, -1). So (0, 1, -1) + (0, -0.5, -0.5) from it is sqrt 2 ahead and sqrt 2 / 2 to the right. */
START_TEST(roll_comes_first_then_pitch_then_yaw)
{
	struct cairn_camera_pose camera = camera_at(0.0, 0.0, 2.0, M_PI / 2.0, M_PI / 4.0, M_PI / 2.0);
	expect_at(&camera, 0.0, 0.5, 0.5, 480.0, 240.0, M_SQRT2);
}
END_TEST

/* 640 x 480, 1.2 rad: f = 320 / tan 0.6 = 467.7. */
START_TEST(the_camera_comes_from_the_configuration)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	struct cairn_camera_pose camera = cairn_camera_pose_from(&cfg, 640, 480);
	ck_assert_double_eq_tol(camera.focal_px, 467.7, 0.1);
	expect_at(&camera, 1.2, 0.0, 0.0, 320.0, 240.0 + camera.focal_px * 0.16, 1.0);
	cfg.robot.camera_x_m = 0.1;
	cfg.robot.camera_y_m = -0.2;
	cfg.robot.camera_z_m = 0.5;
	cfg.robot.camera_yaw_rad = -M_PI / 2.0;
	cfg.robot.camera_roll_rad = M_PI;
	camera = cairn_camera_pose_from(&cfg, 320, 240);
	ck_assert_double_eq_tol(camera.focal_px, 233.9, 0.1);
	expect_at(&camera, 0.1, -1.2, 0.0, 160.0, 120.0 - camera.focal_px * 0.5, 1.0);
	cfg.robot.camera_pitch_rad = M_PI / 2.0; /* at the floor below */
	camera = cairn_camera_pose_from(&cfg, 320, 240);
	expect_at(&camera, 0.1, -0.2, 0.0, 160.0, 120.0, 0.5);
}
END_TEST

START_TEST(what_is_not_ahead_has_no_place)
{
	struct cairn_camera_pose camera = level();
	struct cairn_pixel pixel;
	double depth_m;
	static const double none[][3] = {{-1.0, 0.0, 0.0}, {0.2, 0.0, 0.0}, {0.24, 0.1, 0.0}, {NAN, 0.0, 0.0},
	    {1.0, NAN, 0.0}, {1.0, 0.0, NAN}, {INFINITY, 0.0, 0.0}, {1.0, INFINITY, 0.0}};
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		ck_assert(!cairn_camera_pixel(&camera, none[i], &pixel, &depth_m));
	ck_assert(cairn_camera_pixel(&camera, (double[3]){0.26, 0.0, 0.0}, &pixel, &depth_m));
}
END_TEST

/* From 1 m behind the camera to 1 m ahead of it, y from 0 to 1: the near plane at 0.05 m is met after 1.05 /
 * 2 of the way, at y = 0.525, so u = 320 - 320 x 0.525 / 0.05 = -3040 and v = 240 + 320 x 0.16 / 0.05 = 1264.
 */
START_TEST(a_line_is_cut_off_at_the_camera)
{
	struct cairn_camera_pose camera = level();
	struct cairn_vec2 behind = {-0.8, 0.0}, ahead = {1.2, 1.0}, also_behind = {-2.0, 1.0};
	struct cairn_pixel a, b;
	for (int swap = 0; swap < 2; swap++) {
		ck_assert(swap == 0 ? cairn_camera_floor_line(&camera, behind, ahead, &a, &b)
				    : cairn_camera_floor_line(&camera, ahead, behind, &b, &a));
		ck_assert_double_eq_tol(a.u, -3040.0, 1e-6);
		ck_assert_double_eq_tol(a.v, 1264.0, 1e-6);
		ck_assert_double_eq_tol(b.u, 0.0, 1e-9);
		ck_assert_double_eq_tol(b.v, 291.2, 1e-9);
	}
	ck_assert(!cairn_camera_floor_line(&camera, behind, also_behind, &a, &b));
	ck_assert(!cairn_camera_floor_line(&camera, ahead, (struct cairn_vec2){NAN, 0.0}, &a, &b));
}
END_TEST

/* ---- any mounting ---- */

static double between(struct cairn_rng *rng, double low, double high)
{
	return low + (high - low) * cairn_rng_uniform(rng);
}

static struct cairn_camera_mount any_mount(struct cairn_rng *rng)
{
	return (struct cairn_camera_mount){between(rng, -1.0, 1.0), between(rng, -1.0, 1.0),
	    between(rng, 0.05, 2.0), between(rng, -M_PI, M_PI), between(rng, -1.5, 1.5),
	    between(rng, -M_PI, M_PI)};
}

START_TEST(a_pixel_and_its_depth_come_back_from_the_point_they_show)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 1, 1);
	for (size_t round = 0; round < CAIRN_ROUNDS(2000); round++) {
		struct cairn_camera_mount mount = any_mount(&rng);
		double hfov_rad = between(&rng, 0.3, 2.8);
		struct cairn_camera_pose camera = cairn_camera_pose_make(mount, hfov_rad, 640.0, 480.0);
		struct cairn_pose2 robot = {
		    between(&rng, -5.0, 5.0), between(&rng, -5.0, 5.0), between(&rng, -M_PI, M_PI)};
		struct cairn_camera_pose in_map = cairn_camera_pose_in_map(&camera, robot);
		struct cairn_pixel pixel = {between(&rng, 0.0, 640.0), between(&rng, 0.0, 480.0)}, back;
		double depth_m = between(&rng, 0.1, 10.0), is_m, point[3], on_map[3];
		cairn_camera_point(&camera, pixel, depth_m, point);
		ck_assert(cairn_camera_pixel(&camera, point, &back, &is_m));
		ck_assert_double_eq_tol(back.u, pixel.u, 1e-6);
		ck_assert_double_eq_tol(back.v, pixel.v, 1e-6);
		ck_assert_double_eq_tol(is_m, depth_m, 1e-9);
		/* The map has the same point. */
		cairn_camera_point(&in_map, pixel, depth_m, on_map);
		struct cairn_vec2 at = cairn_pose_apply(robot, (struct cairn_vec2){point[0], point[1]});
		ck_assert_double_eq_tol(on_map[0], at.x_m, 1e-9);
		ck_assert_double_eq_tol(on_map[1], at.y_m, 1e-9);
		ck_assert_double_eq_tol(on_map[2], point[2], 1e-9);
		struct cairn_camera_mount told = cairn_camera_pose_mount(&camera);
		ck_assert_double_eq_tol(cairn_wrap_rad(told.yaw_rad - mount.yaw_rad), 0.0, 1e-6);
		ck_assert_double_eq_tol(told.pitch_rad, mount.pitch_rad, 1e-6);
		ck_assert_double_eq_tol(cairn_wrap_rad(told.roll_rad - mount.roll_rad), 0.0, 1e-6);
	}
}
END_TEST

/* The last row of a level picture falls by 240 / 320 = 0.75 m for each metre ahead: from 0.16 m down to the floor in 0.2133 m. At 30
 * degrees to the side the same row is farther away by 1 / cos 30. */
START_TEST(where_the_floor_begins_is_worked_out_by_hand)
{
	struct cairn_camera_pose camera = level();
	ck_assert_double_eq_tol(cairn_camera_shown_from_m(&camera, 0.0, 0.0), 0.16 / 0.75, 1e-9);
	ck_assert_double_eq_tol(cairn_camera_shown_from_m(&camera, 0.0, 0.05), 0.11 / 0.75, 1e-9);
	ck_assert_double_eq_tol(
	    cairn_camera_shown_from_m(&camera, M_PI / 6.0, 0.0), 0.16 / 0.75 / cos(M_PI / 6.0), 1e-9);
	ck_assert(isinf(cairn_camera_shown_from_m(&camera, 0.8, 0.0))); /* not in the picture */
	ck_assert(isinf(cairn_camera_shown_from_m(&camera, M_PI, 0.0)));
	camera = camera_at(0.2, 0.1, 0.16, M_PI / 2.0, 0.0, M_PI);
	ck_assert_double_eq_tol(cairn_camera_shown_from_m(&camera, M_PI / 2.0, 0.0), 0.16 / 0.75, 1e-9);
	ck_assert(isinf(cairn_camera_shown_from_m(&camera, 0.0, 0.0)));
	camera = camera_at(0.2, 0.0, 0.16, 0.0, -0.7, 0.0); /* its last row rises by tan (0.7 - 0.6435) */
	ck_assert(isinf(cairn_camera_shown_from_m(&camera, 0.0, 0.0)));
	/* With its right side down by a quarter, the last column is the lowest: 320 / 320 = 1. */
	camera = camera_at(0.2, 0.0, 0.16, 0.0, 0.0, M_PI / 2.0);
	ck_assert_double_eq_tol(cairn_camera_shown_from_m(&camera, 0.0, 0.0), 0.16, 1e-9);
}
END_TEST

static bool shows_floor(const struct cairn_camera_pose *camera, double bearing_rad, double range_m)
{
	struct cairn_pixel at;
	double depth_m, point[3] = {camera->at[0] + range_m * cos(bearing_rad),
			    camera->at[1] + range_m * sin(bearing_rad), 0.0};
	return cairn_camera_pixel(camera, point, &at, &depth_m) && at.u >= 0.0 && at.u <= camera->width_px &&
	       at.v >= 0.0 && at.v <= camera->height_px;
}

START_TEST(the_floor_is_shown_from_there_on_and_not_nearer)
{
	struct cairn_rng rng;
	int shown = 0;
	cairn_rng_seed(&rng, 2, 1);
	for (size_t round = 0; round < CAIRN_ROUNDS(4000); round++) {
		struct cairn_camera_pose camera =
		    cairn_camera_pose_make(any_mount(&rng), between(&rng, 0.5, 2.0), 640.0, 480.0);
		double bearing_rad = between(&rng, -M_PI, M_PI),
		       from_m = cairn_camera_shown_from_m(&camera, bearing_rad, 0.0);
		bool steep = from_m < camera.at[2] / 14.0; /* the steepest that is told */
		for (double range_m = 0.2; range_m < fmin(from_m, 20.0) - 1e-6; range_m *= 1.1)
			ck_assert(steep || !shows_floor(&camera, bearing_rad, range_m));
		if (isinf(from_m) || steep || from_m < 0.2)
			continue;
		ck_assert(shows_floor(&camera, bearing_rad, from_m * (1.0 + 1e-9)));
		shown++;
	}
	ck_assert_uint_gt((unsigned)shown, CAIRN_ROUNDS(4000) / 20);
}
END_TEST

START_TEST(what_the_camera_faces_is_in_the_middle_column_of_a_camera_without_roll)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 3, 1);
	ck_assert_double_eq(
	    cairn_camera_faces_rad(&(struct cairn_camera_pose){.at = {0.3}, .ahead = {1.0}}, 2.0), 0.0);
	for (size_t round = 0; round < CAIRN_ROUNDS(500); round++) {
		struct cairn_camera_mount mount = any_mount(&rng);
		mount.pitch_rad = mount.roll_rad = 0.0;
		struct cairn_camera_pose camera = cairn_camera_pose_make(mount, 1.2, 640.0, 480.0);
		double far_m = between(&rng, 2.0, 5.0), b = cairn_camera_faces_rad(&camera, far_m), depth_m;
		struct cairn_pixel at;
		ck_assert(cairn_camera_pixel(
		    &camera, (double[3]){far_m * cos(b), far_m * sin(b), 0.3}, &at, &depth_m));
		ck_assert_double_eq_tol(at.u, 320.0, 1e-6);
	}
}
END_TEST

CAIRN_TEST_MAIN("camera-pose", floor_points_of_a_level_camera_are_worked_out_by_hand,
    a_pitched_camera_looks_down, a_camera_turned_to_the_left_sees_what_is_left_in_its_middle,
    a_camera_beside_the_axis_sees_the_axis_aside, a_rolled_camera_turns_its_picture,
    roll_comes_first_then_pitch_then_yaw, the_camera_comes_from_the_configuration,
    what_is_not_ahead_has_no_place, a_line_is_cut_off_at_the_camera,
    a_pixel_and_its_depth_come_back_from_the_point_they_show, where_the_floor_begins_is_worked_out_by_hand,
    the_floor_is_shown_from_there_on_and_not_nearer,
    what_the_camera_faces_is_in_the_middle_column_of_a_camera_without_roll)
