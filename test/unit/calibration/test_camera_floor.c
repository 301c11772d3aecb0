/* Hidden poses of the camera, found from the depth pictures that the simulator draws. */
#include "test/support/runner.h"

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/calibration/camera_floor.h"
#include "common/sim/render/render.h"

#define W 320
#define H 240
#define HFOV_RAD 1.2
#define NOISE 0.01 /* of the depth */

static uint8_t rgb[W * H * 3];
static uint16_t depth[W * H];
static struct cairn_camera_floor found;
static struct cairn_error err;

static void draw(
    double pitch_rad, double roll_rad, double z_m, struct cairn_pose2 pose, struct cairn_rng *rng)
{
	struct cairn_world *w = cairn_world_load(CAIRN_SOURCE_ROOT "/config/worlds/home.yaml", &err);
	ck_assert_msg(w != NULL, "%s", err.text);
	struct cairn_camera lens = {W, H, HFOV_RAD, 0.2, 0.0, z_m, 0.0, pitch_rad, roll_rad};
	struct cairn_renderer *r = cairn_renderer_new(w, &lens);
	cairn_renderer_draw(r, pose, NULL, 0, rgb, depth);
	for (int i = 0; i < W * H; i++) {
		double off = 0.0;
		for (int k = 0; k < 12; k++)
			off += cairn_rng_u32(rng) * 0x1p-32 - 0.5;
		depth[i] = (uint16_t)cairn_clamp(depth[i] * (1.0 + NOISE * off), 0.0, 65535.0);
	}
	cairn_renderer_destroy(&r);
	cairn_world_destroy(&w);
}

START_TEST(a_hidden_pitch_and_height_are_found_within_what_it_says_of_itself)
{
	static const double pitches[] = {0.0, 0.15, 0.35, 0.6}, heights[] = {0.16, 0.3, 0.8};
	static const struct cairn_pose2 poses[] = {{0.8, 4.15, 0}, {3, 1.8, M_PI}, {2.9, 5.2, 2.1}};
	struct cairn_rng rng;
	int beyond = 0, all = 0;
	cairn_rng_seed(&rng, 7, 7);
	for (size_t p = 0; p < CAIRN_ROUNDS(4); p++)
		for (size_t h = 0; h < 3; h++)
			for (size_t k = 0; k < 3; k++) {
				draw(pitches[p], 0.0, heights[h], poses[k], &rng);
				if (!cairn_camera_floor_found(depth, W, H, HFOV_RAD, 0.0, 1, &found, &err))
					continue; /* furniture may fill the picture */
				double off_rad = fabs(found.pitch_rad - pitches[p]);
				double off_m = fabs(found.height_m - heights[h]);
				ck_assert_msg(off_rad < 0.03 && off_m < 0.02 && fabs(found.roll_rad) < 0.03,
				    "pitch %.2f, height %.2f, pose %zu: %.3f %.3f %.3f", pitches[p],
				    heights[h], k, found.pitch_rad, found.height_m, found.roll_rad);
				beyond +=
				    off_rad > 2.0 * found.sd_pitch_rad || off_m > 2.0 * found.sd_height_m;
				all++;
			}
	ck_assert_int_ge(all, 7 * CAIRN_ROUNDS(4));
	ck_assert_int_le(beyond, all / 10);
}
END_TEST

/* A plane at height h below a camera that leans to the right by roll, worked out: (sin r X + cos r Y) = h. */
START_TEST(a_camera_that_leans_is_told_by_how_much)
{
	double f = 0.5 * W / tan(0.5 * HFOV_RAD), roll = 0.1, h = 0.4;
	for (int v = 0; v < H; v++)
		for (int u = 0; u < W; u++) {
			double down = (sin(roll) * (u + 0.5 - 0.5 * W) + cos(roll) * (v + 0.5 - 0.5 * H)) / f;
			depth[v * W + u] = down > 0.08 ? (uint16_t)lround(1000.0 * h / down) : 0;
		}
	ck_assert(cairn_camera_floor_found(depth, W, H, HFOV_RAD, 0.0, 1, &found, &err));
	ck_assert_double_eq_tol(found.roll_rad, roll, 0.002);
	ck_assert_double_eq_tol(found.pitch_rad, 0.0, 0.002);
	ck_assert_double_eq_tol(found.height_m, h, 0.002);
}
END_TEST

/* A table top over two thirds of the picture, and the floor beyond its edge: the lower one is the floor. */
START_TEST(a_table_top_is_not_taken_for_the_floor)
{
	double f = 0.5 * W / tan(0.5 * HFOV_RAD);
	for (int v = 0; v < H; v++)
		for (int u = 0; u < W; u++) {
			double down = (v + 0.5 - 0.5 * H) / f;
			double h = u < 2 * W / 3 ? 0.3 : 0.9;
			depth[v * W + u] = down > 0.15 ? (uint16_t)lround(1000.0 * h / down) : 0;
		}
	ck_assert(cairn_camera_floor_found(depth, W, H, HFOV_RAD, 0.0, 1, &found, &err));
	ck_assert_double_eq_tol(found.height_m, 0.9, 0.01);
}
END_TEST

START_TEST(a_wall_alone_and_an_empty_picture_are_refused_with_what_to_do)
{
	for (int i = 0; i < W * H; i++)
		depth[i] = 1500;
	ck_assert(!cairn_camera_floor_found(depth, W, H, HFOV_RAD, 0.0, 1, &found, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "free, level floor"));
	memset(depth, 0, sizeof(depth));
	ck_assert(!cairn_camera_floor_found(depth, W, H, HFOV_RAD, 0.0, 1, &found, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "nearly empty"));
}
END_TEST

START_TEST(a_hidden_roll_is_found_as_well_near_what_it_is_believed_to_be)
{
	static const struct {
		double roll_rad, near_rad, pitch_rad;
	} cases[] = {{0.2, 0.0, 0.0}, {-0.3, 0.0, 0.35}, {M_PI - 0.1, M_PI, 0.15}, {M_PI / 2, 1.4, 0.3}};
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 9, 9);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		draw(cases[i].pitch_rad, cases[i].roll_rad, 0.3, (struct cairn_pose2){0.8, 4.15, 0}, &rng);
		ck_assert_msg(
		    cairn_camera_floor_found(depth, W, H, HFOV_RAD, cases[i].near_rad, 1, &found, &err), "%s",
		    err.text);
		ck_assert_double_eq_tol(found.roll_rad, cases[i].roll_rad, 0.03);
		ck_assert_double_eq_tol(found.pitch_rad, cases[i].pitch_rad, 0.03);
		ck_assert_double_eq_tol(found.height_m, 0.3, 0.02);
		ck_assert_double_lt(fabs(found.roll_rad - cases[i].roll_rad), 3.0 * found.sd_roll_rad);
	}
}
END_TEST

CAIRN_TEST_MAIN("camera-floor", a_hidden_pitch_and_height_are_found_within_what_it_says_of_itself,
    a_camera_that_leans_is_told_by_how_much, a_table_top_is_not_taken_for_the_floor,
    a_wall_alone_and_an_empty_picture_are_refused_with_what_to_do,
    a_hidden_roll_is_found_as_well_near_what_it_is_believed_to_be)
