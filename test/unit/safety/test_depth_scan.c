/* Where the obstacles of a depth picture stand, for cameras mounted askew. The picture is drawn by the simulator's own geometry. */
#include <stdlib.h>

#include "common/safety/depth_layer.h"
#include "common/safety/depth_scan.h"
#include "common/sim/render/render.h"
#include "common/sim/robot/sim.h"
#include "common/sim/world/build.h"
#include "test/support/runner.h"

/* A box of 8 cm, which no LiDAR of this robot sees, in a room so large that its walls are out of range. */
#define BOX_X_M 1.4
#define BOX_Y_M 0.4
#define HALF_M 0.15

static struct cairn_config cfg;

static struct cairn_world *room(void)
{
	struct cairn_builder b;
	struct cairn_error err = {""};
	const struct cairn_vec2 walls[4] = {{-6, -6}, {6, -6}, {6, 6}, {-6, 6}};
	ck_assert(cairn_build_init(&b, "room", &err));
	(void)cairn_build_thing(&b, "wall", "wall", 0, 0);
	cairn_build_outline(&b, walls, 4, true, 0.0, 2.5, CAIRN_PAINT(200, 200, 200, PLASTER));
	(void)cairn_build_thing(&b, "box", "box", BOX_X_M, BOX_Y_M);
	cairn_build_box(&b, (struct cairn_box){BOX_X_M, BOX_Y_M, 2 * HALF_M, 2 * HALF_M, 0.0, 0.0, 0.08},
	    CAIRN_PAINT(90, 60, 30, WOOD));
	b.world->has_start = true;
	struct cairn_world *w = cairn_build_finish(&b, &err);
	ck_assert_msg(w != NULL, "%s", err.text);
	return w;
}

/* What the robot makes of the picture that its camera, as it is truly mounted, takes at a pose. */
static void picture_scan(
    const struct cairn_world *w, struct cairn_pose2 pose, struct cairn_msg_depth_scan *ret)
{
	struct cairn_camera camera = cairn_camera_of(&cfg, cfg.camera.width_px, cfg.camera.height_px);
	size_t pixels = (size_t)camera.width_px * (size_t)camera.height_px;
	uint8_t *rgb = malloc(pixels * 3);
	uint16_t *mm = malloc(pixels * 2);
	struct cairn_renderer *r = cairn_renderer_new(w, &camera);
	ck_assert(rgb != NULL && mm != NULL && r != NULL);
	cairn_renderer_draw(r, pose, NULL, 0, rgb, mm);
	cairn_depth_scan_make(ret, &cfg, mm, camera.width_px, camera.height_px, (size_t)camera.width_px * 2);
	cairn_renderer_destroy(&r);
	free(rgb);
	free(mm);
}

static struct cairn_vec2 hit_at(const struct cairn_msg_depth_scan *s, uint32_t i)
{
	double a = (double)s->angle_rad[i], r = (double)s->free_to_m[i];
	return (struct cairn_vec2){(double)s->x_m + r * cos(a), (double)s->y_m + r * sin(a)};
}

/* How far a point is from the box's outside. */
static double off_box_m(struct cairn_vec2 p)
{
	double dx = fabs(p.x_m - BOX_X_M) - HALF_M, dy = fabs(p.y_m - BOX_Y_M) - HALF_M;
	return dx > 0.0 || dy > 0.0 ? hypot(fmax(dx, 0.0), fmax(dy, 0.0)) : -fmax(dx, dy);
}

static void given(struct cairn_camera_mount truly)
{
	cfg.sim.mounting = CAIRN_CHOICE_MOUNTING_GIVEN;
	cfg.robot.camera_x_m = truly.x_m;
	cfg.sim.camera_y_m = truly.y_m;
	cfg.sim.camera_z_m = truly.z_m;
	cfg.sim.camera_yaw_rad = truly.yaw_rad;
	cfg.sim.camera_pitch_rad = truly.pitch_rad;
	cfg.sim.camera_roll_rad = truly.roll_rad;
}

static void believed(struct cairn_camera_mount m)
{
	cfg.robot.camera_y_m = m.y_m;
	cfg.robot.camera_z_m = m.z_m;
	cfg.robot.camera_yaw_rad = m.yaw_rad;
	cfg.robot.camera_pitch_rad = m.pitch_rad;
	cfg.robot.camera_roll_rad = m.roll_rad;
}

static const struct cairn_camera_mount mounts[] = {{0.2, 0.0, 0.16, 0.0, 0.0, 0.0},
    {0.2, 0.1, 0.16, 0.35, 0.0, 0.0}, {0.2, -0.15, 0.3, 0.7, 0.2, 0.0}, {0.1, 0.1, 0.16, 0.2, 0.0, 0.25},
    {0.2, 0.05, 0.3, -0.1, 0.3, -0.3}, {0.2, 0.1, 0.2, 0.35, 0.1, M_PI}, {0.2, 0.0, 0.2, 0.3, 0.0, M_PI / 2},
    {0.2, 0.0, 0.8, 0.1, 0.5, 0.0}};
#define MOUNTS (sizeof(mounts) / sizeof(mounts[0]))

START_TEST(however_the_camera_is_mounted_an_obstacle_stands_where_it_is)
{
	struct cairn_world *w = room();
	for (size_t k = 0; k < MOUNTS; k++) {
		struct cairn_msg_depth_scan seen;
		uint32_t hits = 0;
		double low_y_m = INFINITY, high_y_m = -INFINITY;
		cairn_config_defaults(&cfg);
		given(mounts[k]);
		believed(mounts[k]);
		picture_scan(w, (struct cairn_pose2){0}, &seen);
		for (uint32_t i = 0; i < seen.hit_count; i++) {
			struct cairn_vec2 p = hit_at(&seen, i);
			if (!seen.hit[i])
				continue;
			hits++;
			low_y_m = fmin(low_y_m, p.y_m);
			high_y_m = fmax(high_y_m, p.y_m);
			ck_assert_msg(
			    off_box_m(p) < 0.04, "mounting %zu, column %u: (%.3f, %.3f)", k, i, p.x_m, p.y_m);
			ck_assert_float_eq_tol(seen.top_m[i], 0.08f, 0.02f);
		}
		ck_assert_msg(hits >= 5, "mounting %zu: %u columns", k, hits);
		ck_assert_msg(low_y_m < BOX_Y_M - HALF_M + 0.06 && high_y_m > BOX_Y_M + HALF_M - 0.06,
		    "mounting %zu: from %.3f to %.3f m", k, low_y_m, high_y_m);
	}
	cairn_world_destroy(&w);
}
END_TEST

/* The simulator's rays, which stand for picture and scan where nothing is drawn, see the same. */
START_TEST(rays_see_what_pictures_show)
{
	struct cairn_world *w = room();
	for (size_t k = 0; k <= MOUNTS; k++) { /* the last is believed to be mounted as the first */
		struct cairn_error err = {""};
		struct cairn_msg_depth_scan seen, rays;
		uint32_t apart = 0;
		cairn_config_defaults(&cfg);
		cfg.sim.noise = false;
		given(mounts[k < MOUNTS ? k : 1]);
		believed(mounts[k < MOUNTS ? k : 0]);
		struct cairn_sim *sim = cairn_sim_new(&cfg, w, &err);
		ck_assert_msg(sim != NULL, "%s", err.text);
		picture_scan(w, (struct cairn_pose2){0}, &seen);
		cairn_sim_depth_scan(sim, &rays);
		ck_assert_float_eq(rays.x_m, seen.x_m);
		ck_assert_float_eq(rays.y_m, seen.y_m);
		for (uint32_t i = 0; i < 64; i++) {
			ck_assert_float_eq_tol(seen.angle_rad[i], rays.angle_rad[i], 1e-3f);
			ck_assert_float_eq_tol(seen.free_from_m[i], rays.free_from_m[i], 1e-3f);
			apart += seen.hit[i] != rays.hit[i] ||
				 (seen.hit[i] && fabsf(seen.free_to_m[i] - rays.free_to_m[i]) > 0.05f);
		}
		ck_assert_msg(apart <= 3, "mounting %zu: %u columns apart", k, apart);
		cairn_sim_destroy(&sim);
	}
	cairn_world_destroy(&w);
}
END_TEST

/* Mean of what is hit. */
static struct cairn_vec2 mean_hit(
    const struct cairn_world *w, struct cairn_camera_mount truly, struct cairn_camera_mount told)
{
	struct cairn_msg_depth_scan seen;
	struct cairn_vec2 mean = {0.0, 0.0};
	uint32_t hits = 0;
	cairn_config_defaults(&cfg);
	given(truly);
	believed(told);
	picture_scan(w, (struct cairn_pose2){0}, &seen);
	for (uint32_t i = 0; i < seen.hit_count; i++) {
		struct cairn_vec2 p = hit_at(&seen, i);
		mean.x_m += seen.hit[i] ? p.x_m : 0.0;
		mean.y_m += seen.hit[i] ? p.y_m : 0.0;
		hits += seen.hit[i];
	}
	ck_assert_uint_ge(hits, 5);
	return (struct cairn_vec2){mean.x_m / hits, mean.y_m / hits};
}

/* Turned by 0.35 rad more than it is told, the camera has the box as much less to the left than it is; told a place 0.2 m beside its own,
 * it has it there. */
START_TEST(a_wrong_yaw_or_place_puts_the_obstacle_elsewhere)
{
	struct cairn_world *w = room();
	static const struct cairn_camera_mount truly = {0.2, 0.1, 0.16, 0.35, 0.0, 0.0},
					       yaw = {0.2, 0.1, 0.16, 0.0, 0.0, 0.0},
					       place = {0.2, -0.1, 0.16, 0.35, 0.0, 0.0};
	struct cairn_vec2 right = mean_hit(w, truly, truly), turned = mean_hit(w, truly, yaw),
			  beside = mean_hit(w, truly, place);
	double right_rad = atan2(right.y_m - truly.y_m, right.x_m - truly.x_m),
	       turned_rad = atan2(turned.y_m - truly.y_m, turned.x_m - truly.x_m);
	ck_assert_double_eq_tol(right_rad - turned_rad, 0.35, 0.01);
	ck_assert_double_gt(off_box_m(turned), 0.15);
	ck_assert_double_eq_tol(right.x_m - beside.x_m, 0.0, 0.01);
	ck_assert_double_eq_tol(right.y_m - beside.y_m, 0.2, 0.01);
	cairn_world_destroy(&w);
}
END_TEST

/* Driving straight at the box: the depth layer has it in the way, at its true distance, also after the camera has passed it by. */
START_TEST(a_camera_turned_aside_stops_the_robot_for_what_it_has_seen)
{
	static struct cairn_depth_layer layer;
	static struct cairn_points points, lidar;
	struct cairn_world *w = room();
	cairn_config_defaults(&cfg);
	given(mounts[1]);
	believed(mounts[1]);
	struct cairn_depth_layer_params params = cairn_depth_layer_params_from(&cfg);
	cairn_depth_layer_init(&layer, &params);
	for (double way_m = 0.0; way_m < 0.81; way_m += 0.1) {
		struct cairn_pose2 pose = {way_m, BOX_Y_M, 0.0};
		struct cairn_msg_depth_scan seen;
		picture_scan(w, pose, &seen);
		cairn_depth_layer_drive(&layer, pose);
		cairn_depth_layer_see(&layer, &seen, pose, &lidar);
		points.count = 0;
		cairn_depth_layer_points(&layer, pose, &points);
		double free_m = cairn_arc_clearance(&points, &params.body, 0.0, 0.0, true, 3.0).free_m,
		       true_m = BOX_X_M - HALF_M - way_m - cfg.robot.footprint_front_m;
		ck_assert_msg(fabs(free_m - true_m) < 0.08, "after %.1f m: %.3f m free, truly %.3f", way_m,
		    free_m, true_m);
	}
	cairn_world_destroy(&w);
}
END_TEST

CAIRN_TEST_MAIN("depth-scan", however_the_camera_is_mounted_an_obstacle_stands_where_it_is,
    rays_see_what_pictures_show, a_wrong_yaw_or_place_puts_the_obstacle_elsewhere,
    a_camera_turned_aside_stops_the_robot_for_what_it_has_seen)
