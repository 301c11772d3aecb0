/* The camera's pictures: depth against rays, colours, and what lies in front of what. */
#include "test/support/runner.h"

#include "common/base/rng.h"
#include "common/sim/render/render.h"
#include "common/sim/world/build.h"

#define W 160
#define H 120

static uint8_t rgb[W * H * 3];
static uint16_t depth[W * H];

static const struct cairn_camera lens = {W, H, 1.2, 0.2, 0.0, 0.16, 0.0, 0.0, 0.0};

static struct cairn_world *load_home(void)
{
	struct cairn_error err = {""};
	struct cairn_world *w = cairn_world_load(CAIRN_SOURCE_ROOT "/config/worlds/home.yaml", &err);
	ck_assert_msg(w != NULL, "%s", err.text);
	return w;
}

/* Pixels of the row just above the horizon look level, so their depth is that of a ray at the camera's
 * height. */
START_TEST(depth_is_that_of_a_ray_cast_through_the_pixel)
{
	struct cairn_world *w = load_home();
	struct cairn_camera level = lens;
	level.height_px = H + 1; /* a middle row that looks exactly level */
	static uint8_t pic[W * (H + 1) * 3];
	static uint16_t mm[W * (H + 1)];
	struct cairn_renderer *r = cairn_renderer_new(w, &level);
	static const struct cairn_pose2 poses[] = {
	    {0.8, 4.15, 0}, {3, 1.8, M_PI}, {2.2, 2.6, -1.0}, {6, 2.2, -0.5}, {2.9, 5.2, 2.1}};
	double focal = 0.5 * W / tan(0.6);
	for (size_t k = 0; k < sizeof(poses) / sizeof(poses[0]); k++) {
		struct cairn_pose2 p = poses[k];
		cairn_renderer_draw(r, p, NULL, 0, pic, mm);
		struct cairn_vec2 eye = cairn_pose_apply(p, (struct cairn_vec2){lens.x_m, 0});
		int wrong = 0;
		for (int u = 0; u < W; u++) {
			double across = (0.5 * W - u - 0.5) / focal, a = p.yaw_rad + atan(across);
			struct cairn_ray_hit h =
			    cairn_world_cast(w, eye.x_m, eye.y_m, cos(a), sin(a), lens.z_m, 50.0);
			double want = 1000.0 * h.range_m * cos(atan(across)), got = mm[(H / 2) * W + u];
			wrong += fabs(got - want) > 2.0 + 1e-3 * want;
		}
		ck_assert_int_le(wrong, 3); /* rays that pass an edge within a hair */
	}
	cairn_renderer_destroy(&r);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(the_floor_below_the_horizon_has_its_depth)
{
	struct cairn_world *w = load_home();
	struct cairn_renderer *r = cairn_renderer_new(w, &lens);
	cairn_renderer_draw(r, (struct cairn_pose2){0.8, 4.15, 0}, NULL, 0, rgb, depth);
	double focal = 0.5 * W / tan(0.6);
	for (int v = H - 20; v < H; v++) {
		double want = 1000.0 * lens.z_m * focal / (v + 0.5 - 0.5 * H);
		ck_assert_double_eq_tol(depth[v * W + W / 2], want, 1.5);
	}
	cairn_renderer_destroy(&r);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(a_camera_that_looks_down_sees_the_floor_where_it_points)
{
	struct cairn_world *w = load_home();
	struct cairn_camera down = lens;
	down.pitch_rad = 0.4;
	struct cairn_renderer *r = cairn_renderer_new(w, &down);
	cairn_renderer_draw(r, (struct cairn_pose2){0.8, 4.15, 0}, NULL, 0, rgb, depth);
	double focal = 0.5 * W / tan(0.6);
	for (int v = H / 2; v < H;
	     v++) { /* along the middle column: depth z with z sin(pitch) + z y / f cos(pitch) = height */
		double y = (v + 0.5 - 0.5 * H) / focal, want = 1000.0 * down.z_m / (sin(0.4) + y * cos(0.4));
		ck_assert_double_eq_tol(depth[v * W + W / 2], want, 1.5);
	}
	cairn_renderer_destroy(&r);
	cairn_world_destroy(&w);
}
END_TEST

/* Mean colour of a block of pixels. */
static void mean_colour(int u0, int v0, int u1, int v1, double out[3])
{
	int n = 0;
	out[0] = out[1] = out[2] = 0.0;
	for (int v = v0; v < v1; v++)
		for (int u = u0; u < u1; u++, n++)
			for (int c = 0; c < 3; c++)
				out[c] += rgb[(v * W + u) * 3 + c];
	for (int c = 0; c < 3; c++)
		out[c] /= n;
}

START_TEST(things_keep_their_colour_and_hide_what_is_behind)
{
	struct cairn_builder b;
	struct cairn_vec2 c[4] = {{0, 0}, {6, 0}, {6, 4}, {0, 4}};
	ck_assert(cairn_build_init(&b, "room", NULL));
	(void)cairn_build_thing(&b, "wall", "wall", 0, 0);
	cairn_build_outline(&b, c, 4, true, 0.0, 2.5, CAIRN_PAINT(220, 220, 220, PLASTER));
	(void)cairn_build_thing(&b, "red box", "box", 3, 2);
	cairn_build_box(
	    &b, (struct cairn_box){3.0, 2.0, 0.4, 0.6, 0, 0, 0.5}, CAIRN_PAINT(204, 44, 40, PLAIN));
	(void)cairn_build_thing(&b, "blue box", "box", 4, 2);
	cairn_build_box(
	    &b, (struct cairn_box){4.0, 2.0, 0.4, 0.5, 0, 0, 0.3}, CAIRN_PAINT(44, 92, 190, PLAIN));
	struct cairn_world *w = cairn_build_finish(&b, NULL);
	struct cairn_renderer *r = cairn_renderer_new(w, &lens);
	double m[3];
	cairn_renderer_draw(r, (struct cairn_pose2){1.0, 2.0, 0}, NULL, 0, rgb, depth);
	mean_colour(70, 52, 90, 64, m);
	ck_assert_double_gt(m[0], 2.5 * m[1]); /* red, and no blue shines through */
	ck_assert_double_gt(m[0], 2.5 * m[2]);
	ck_assert_double_eq_tol(depth[(H / 2) * W + W / 2], 1600, 2);
	struct cairn_figure eve = {{2.0, 2.0, 0.2, 0.0, 1.7}, {60, 160, 70, CAIRN_TEXTURE_FABRIC}};
	cairn_renderer_draw(r, (struct cairn_pose2){1.0, 2.0, 0}, &eve, 1, rgb, depth);
	ck_assert_double_eq_tol(
	    depth[(H / 2) * W + W / 2], 600, 12); /* twelve sides come nearer by up to 7 mm */
	mean_colour(0, 40, 20, 60, m);
	ck_assert_double_gt(m[0], 120.0); /* the wall is light */
	cairn_renderer_destroy(&r);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(every_pixel_is_drawn_wherever_the_camera_stands)
{
	struct cairn_world *w = load_home();
	struct cairn_renderer *r = cairn_renderer_new(w, &lens);
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 3, 1);
	for (int k = 0; k < 60; k++) { /* also inside walls and outside the house */
		struct cairn_pose2 p = {-1 + 11 * cairn_rng_uniform(&rng), -1 + 10 * cairn_rng_uniform(&rng),
		    6.28 * cairn_rng_uniform(&rng)};
		memset(rgb, 0, sizeof(rgb));
		cairn_renderer_draw(r, p, NULL, 0, rgb, depth);
		int black = 0;
		for (int i = 0; i < W * H; i++)
			black += rgb[3 * i] == 0 && rgb[3 * i + 1] == 0 && rgb[3 * i + 2] == 0;
		ck_assert_int_eq(black, 0);
	}
	cairn_renderer_destroy(&r);
	cairn_world_destroy(&w);
}
END_TEST

CAIRN_TEST_MAIN("sim render", depth_is_that_of_a_ray_cast_through_the_pixel,
    the_floor_below_the_horizon_has_its_depth, a_camera_that_looks_down_sees_the_floor_where_it_points,
    things_keep_their_colour_and_hide_what_is_behind, every_pixel_is_drawn_wherever_the_camera_stands)
