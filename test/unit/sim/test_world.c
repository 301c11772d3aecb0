/* Worlds: rays, touching, polygons, doors, and what is said about a file that is wrong. */
#include "test/support/runner.h"

#include "common/base/rng.h"
#include "common/sim/world/build.h"
#include "common/sim/world/floorplan.h"
#include "common/sim/world/furniture.h"
#include "common/sim/world/outline.h"
#include "common/sim/world/walls.h"

#define NEAR(a, b) ck_assert_double_eq_tol(a, b, 1e-5)

static const struct cairn_footprint body = {0.27, 0.08, 0.10};

/* A room of 4 by 3 m with its corner at the origin, free inside; a box 0.5 m wide in the middle, 0.4 m high.
 */
static struct cairn_world *square_room(void)
{
	struct cairn_builder b;
	struct cairn_vec2 c[4] = {{0, 0}, {4, 0}, {4, 3}, {0, 3}};
	ck_assert(cairn_build_init(&b, "room", NULL));
	(void)cairn_build_thing(&b, "wall", "wall", 0, 0);
	cairn_build_outline(&b, c, 4, true, 0.0, 2.5, CAIRN_PAINT(200, 200, 200, PLASTER));
	(void)cairn_build_thing(&b, "crate", "box", 2, 1.5);
	cairn_build_box(
	    &b, (struct cairn_box){2.0, 1.5, 0.5, 0.5, 0.0, 0.0, 0.4}, CAIRN_PAINT(200, 80, 80, PLAIN));
	struct cairn_world *w = cairn_build_finish(&b, NULL);
	ck_assert_ptr_nonnull(w);
	return w;
}

START_TEST(rays_measure_a_square_room)
{
	struct cairn_world *w = square_room();
	NEAR(cairn_world_cast(w, 1.0, 1.0, 1.0, 0.0, 0.2, 16.0).range_m, 3.0);
	NEAR(cairn_world_cast(w, 1.0, 1.0, -1.0, 0.0, 0.2, 16.0).range_m, 1.0);
	NEAR(cairn_world_cast(w, 1.0, 1.0, 0.0, 1.0, 0.2, 16.0).range_m, 2.0);
	NEAR(cairn_world_cast(w, 1.0, 1.0, 0.0, -1.0, 0.2, 16.0).range_m, 1.0);
	NEAR(cairn_world_cast(w, 1.0, 1.0, -M_SQRT1_2, -M_SQRT1_2, 0.2, 16.0).range_m, M_SQRT2);
	NEAR(cairn_world_cast(w, 1.0, 1.5, 1.0, 0.0, 0.2, 16.0).range_m,
	    0.75); /* the crate's left side at 1.75 */
	NEAR(cairn_world_cast(w, 1.0, 1.5, 1.0, 0.0, 0.5, 16.0).range_m, 3.0); /* over it */
	struct cairn_ray_hit h = cairn_world_cast(w, 1.0, 1.5, 1.0, 0.0, 0.2, 0.5);
	ck_assert_int_eq(h.edge, -1);
	NEAR(h.range_m, 0.5);
	cairn_world_destroy(&w);
	ck_assert_ptr_null(w);
}
END_TEST

START_TEST(rays_through_the_grid_find_what_a_search_of_all_edges_finds)
{
	struct cairn_builder b;
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 7, 1);
	ck_assert(cairn_build_init(&b, "boxes", NULL));
	for (int i = 0; i < 40; i++)
		cairn_build_box(&b,
		    (struct cairn_box){10 * cairn_rng_uniform(&rng), 8 * cairn_rng_uniform(&rng),
			0.1 + cairn_rng_uniform(&rng), 0.1 + cairn_rng_uniform(&rng),
			6.28 * cairn_rng_uniform(&rng), 0.0, 1.0},
		    CAIRN_PAINT(1, 1, 1, PLAIN));
	struct cairn_world *w = cairn_build_finish(&b, NULL);
	for (int k = 0; k < 2000; k++) {
		double x = 10 * cairn_rng_uniform(&rng), y = 8 * cairn_rng_uniform(&rng),
		       a = 6.28 * cairn_rng_uniform(&rng);
		double best = 16.0;
		for (uint32_t i = 0; i < w->edge_count; i++) {
			const struct cairn_edge *e = &w->edges[i];
			double ex = e->bx_m - e->ax_m, ey = e->by_m - e->ay_m,
			       det = ex * sin(a) - ey * cos(a);
			double u = ((x - e->ax_m) * sin(a) - (y - e->ay_m) * cos(a)) / det;
			double t = (ey * (x - e->ax_m) - ex * (y - e->ay_m)) / det;
			if (u >= 0 && u <= 1 && t >= 0 && t < best)
				best = t;
		}
		double got = cairn_world_cast(w, x, y, cos(a), sin(a), 0.5, 16.0).range_m;
		ck_assert_msg(fabs(got - best) < 1e-4, "ray %d: %f instead of %f", k, got, best);
	}
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(a_disc_is_hit_at_its_near_side_and_only_at_its_heights)
{
	struct cairn_disc d = {3.0, 0.0, 0.5, 0.0, 1.7};
	NEAR(cairn_disc_cast(&d, 0, 0, 1, 0, 0.2, 16.0), 2.5);
	NEAR(cairn_disc_cast(&d, 0, 0, 1, 0, 1.8, 16.0), 16.0);
	NEAR(cairn_disc_cast(&d, 0, 0.6, 1, 0, 0.2, 16.0), 16.0);
	NEAR(cairn_disc_cast(&d, 0, 0, -1, 0, 0.2, 16.0), 16.0);
	NEAR(cairn_disc_clearance(&d, (struct cairn_pose2){0, 0, 0}, &body), 3.0 - 0.5 - 0.27);
	NEAR(cairn_disc_clearance(&d, (struct cairn_pose2){2.4, 0, 0}, &body), 0.0);
}
END_TEST

START_TEST(the_footprint_touches_what_it_overlaps)
{
	struct cairn_world *w = square_room();
	struct cairn_pose2 free_at = {1.0, 1.0, 0.0};
	ck_assert_int_eq(cairn_world_touch(w, free_at, &body, 0.2), -1);
	NEAR(cairn_world_clearance(w, (struct cairn_pose2){1.0, 1.5, 0.0}, &body, 0.2, 5.0),
	    0.48); /* 1.75 - 1.27 */
	NEAR(cairn_world_clearance(w, free_at, &body, 0.2, 0.3), 0.3);
	int32_t t = cairn_world_touch(w, (struct cairn_pose2){1.5, 1.5, 0.0}, &body, 0.2);
	ck_assert_int_ge(t, 0);
	ck_assert_str_eq(w->things[t].name, "crate");
	t = cairn_world_touch(w, (struct cairn_pose2){0.09, 1.0, M_PI / 2}, &body, 0.2);
	ck_assert_str_eq(w->things[t].name, "wall");
	ck_assert_int_eq(cairn_world_touch(w, (struct cairn_pose2){0.11, 1.0, M_PI / 2}, &body, 0.2), -1);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(things_above_the_robot_and_flat_things_are_not_touched)
{
	struct cairn_builder b;
	ck_assert(cairn_build_init(&b, "shelf", NULL));
	cairn_build_box(&b, (struct cairn_box){1, 0, 0.4, 0.4, 0, 0.30, 0.35}, CAIRN_PAINT(1, 1, 1, PLAIN));
	cairn_build_box(&b, (struct cairn_box){2, 0, 0.4, 0.4, 0, 0.0, 0.008}, CAIRN_PAINT(1, 1, 1, PLAIN));
	cairn_build_box(&b, (struct cairn_box){3, 0, 0.4, 0.4, 0, 0.19, 0.5}, CAIRN_PAINT(1, 1, 1, PLAIN));
	struct cairn_world *w = cairn_build_finish(&b, NULL);
	ck_assert_int_eq(cairn_world_touch(w, (struct cairn_pose2){1, 0.2, 0}, &body, 0.2), -1);
	ck_assert_int_eq(cairn_world_touch(w, (struct cairn_pose2){2, 0.2, 0}, &body, 0.2), -1);
	ck_assert_int_ge(cairn_world_touch(w, (struct cairn_pose2){3, 0.2, 0}, &body, 0.2), 0);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(polygons_are_cut_into_triangles)
{
	struct cairn_vec2 l[6] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
	size_t scratch[6], index[12];
	NEAR(cairn_polygon_area(l, 6), 3.0);
	ck_assert(!cairn_polygon_convex(l, 6));
	ck_assert(cairn_polygon_convex(l, 3));
	ck_assert_uint_eq(cairn_polygon_triangulate(l, 6, scratch, index), 4);
	double area = 0.0;
	for (int t = 0; t < 4; t++) {
		struct cairn_vec2 c[3] = {l[index[3 * t]], l[index[3 * t + 1]], l[index[3 * t + 2]]};
		ck_assert_double_gt(cairn_polygon_area(c, 3), 0.0);
		area += cairn_polygon_area(c, 3);
	}
	NEAR(area, 3.0);
}
END_TEST

START_TEST(a_door_leaves_a_way_through_and_a_lintel_above)
{
	struct cairn_builder b;
	struct cairn_door door = {.name = "door", .from = {1.5, 0}, .to = {2.4, 0}, .height_m = 2.0};
	struct cairn_wall wall = {.from = {0, 0}, .to = {4, 0}, .thickness_m = 0.12, .height_m = 2.5};
	ck_assert(cairn_build_init(&b, "wall", NULL));
	cairn_wall_build(&b, &wall, &door, 1);
	ck_assert(door.used);
	struct cairn_world *w = cairn_build_finish(&b, NULL);
	NEAR(cairn_world_cast(w, 1.0, -1, 0, 1, 0.2, 9.0).range_m, 0.94);
	ck_assert_int_eq(cairn_world_cast(w, 2.0, -0.5, 0, 1, 0.2, 9.0).edge, -1);
	ck_assert_int_eq(cairn_world_cast(w, 1.52, -0.5, 0, 1, 0.2, 9.0).edge, -1);
	NEAR(cairn_world_cast(w, 2.0, -0.5, 0, 1, 2.2, 9.0).range_m, 0.44);
	NEAR(cairn_world_cast(w, 2.45, -0.5, 0, 1, 0.2, 9.0).range_m, 0.44);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(every_kind_of_furniture_stands_within_its_size)
{
	for (int k = 0; k < cairn_furniture_kinds(); k++) {
		struct cairn_builder b;
		struct cairn_vec2 tri[3] = {{-0.4, -0.4}, {0.4, -0.4}, {0.0, 0.4}};
		struct cairn_item item = {.name = "it",
		    .width_m = 0.9,
		    .depth_m = 0.9,
		    .height_m = 2.2,
		    .corners = tri,
		    .corner_count = 3};
		struct cairn_error err = {""};
		ck_assert(cairn_build_init(&b, "piece", NULL));
		cairn_build_box(&b, (struct cairn_box){9, 9, 1, 1, 0, 0, 1}, CAIRN_PAINT(1, 1, 1, PLAIN));
		ck_assert_msg(cairn_furniture_build(&b, k, &item, &err), "%s", err.text);
		struct cairn_world *w = cairn_build_finish(&b, &err);
		for (uint32_t i = 4; i < w->edge_count; i++) {
			ck_assert_float_lt(fabsf(w->edges[i].ax_m), 0.5f);
			ck_assert_float_lt(fabsf(w->edges[i].ay_m), 0.5f);
			ck_assert_float_ge(w->edges[i].z0_m, 0.0f);
			ck_assert_float_le(w->edges[i].z1_m, 2.3f);
			ck_assert_float_gt(w->edges[i].z1_m, w->edges[i].z0_m);
		}
		cairn_world_destroy(&w);
	}
}
END_TEST

START_TEST(a_free_start_is_chosen_in_the_largest_room)
{
	struct cairn_builder b;
	struct cairn_vec2 outline[8] = {
	    {0, 0}, {2, 0}, {2, 0.9}, {2.1, 0.9}, {2.1, 0}, {8, 0}, {8, 4}, {0, 4}};
	struct cairn_vec2 small[4] = {{0, 0}, {2, 0}, {2, 4}, {0, 4}},
			  large[4] = {{2, 0}, {8, 0}, {8, 4}, {2, 4}};
	ck_assert(cairn_build_init(&b, "two rooms", NULL));
	cairn_build_room(&b, "small", small, 4, NULL, NULL);
	cairn_build_room(&b, "large", large, 4, NULL, NULL);
	cairn_build_outline(&b, outline, 8, true, 0.0, 2.5, CAIRN_PAINT(1, 1, 1, PLAIN));
	struct cairn_world *w = cairn_build_finish(&b, NULL);
	struct cairn_pose2 start;
	ck_assert(cairn_world_choose_start(w, 0.3, 0.2, &start));
	ck_assert_str_eq(cairn_world_room_at(w, start.x_m, start.y_m)->name, "large");
	ck_assert_double_ge(cairn_world_clearance(w, start, &body, 0.2, 5.0), 0.8);
	ck_assert(!cairn_world_choose_start(w, 9.0, 0.2, &start));
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(a_point_inside_a_thing_or_behind_the_walls_is_inside_something_and_free_floor_is_not)
{
	struct cairn_builder b;
	struct cairn_vec2 outline[4] = {{0, 0}, {8, 0}, {8, 4}, {0, 4}};
	ck_assert(cairn_build_init(&b, "room", NULL));
	cairn_build_outline(&b, outline, 4, true, 0.0, 2.5, CAIRN_PAINT(1, 1, 1, PLAIN));
	(void)cairn_build_thing(&b, "big one", "bed", 6.0, 2.0);
	cairn_build_box(&b, (struct cairn_box){6, 2, 3, 3, 0, 0.0, 0.5}, CAIRN_PAINT(1, 1, 1, PLAIN));
	struct cairn_world *w = cairn_build_finish(&b, NULL);
	int32_t bed = cairn_world_inside(w, 6.0, 2.0, 0.1);
	ck_assert_int_ge(bed, 0);
	ck_assert_str_eq(w->things[bed].kind, "bed");
	ck_assert_int_lt(cairn_world_inside(w, 6.0, 2.0, 0.6), 0); /* above it */
	ck_assert_int_lt(cairn_world_inside(w, 2.0, 2.0, 0.1), 0);
	int32_t wall = cairn_world_inside(w, -1.0, 2.0, 0.1);
	ck_assert_int_ge(wall, 0);
	ck_assert_str_eq(w->things[wall].kind, "wall");
	cairn_world_destroy(&w);
}
END_TEST

/* ---- files ---- */

static const char *write_file(const char *text)
{
	static char path[64];
	strcpy(path, "/tmp/cairn-test-world-XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return path;
}

static void refused(const char *text, const char *because)
{
	struct cairn_error err = {""};
	const char *path = write_file(text);
	struct cairn_world *w = cairn_world_load(path, &err);
	ck_assert_msg(w == NULL, "accepted: %s", text);
	ck_assert_msg(strncmp(err.text, path, strlen(path)) == 0, "no file in: %s", err.text);
	ck_assert_msg(strstr(err.text, because) != NULL, "'%s' is not in: %s", because, err.text);
	ck_assert_msg(strchr(err.text, '\n') == NULL, "more than a line: %s", err.text);
	unlink(path);
}

#define WALLS "walls: [{path: [[0, 0], [4, 0], [4, 3], [0, 3]], closed: true}]\n"

START_TEST(a_small_yaml_world_loads)
{
	struct cairn_error err = {""};
	const char *path =
	    write_file("name: box\n" WALLS "doors: [{name: exit, from: [1, 0], to: [1.9, 0], leaf_deg: 90}]\n"
		       "furniture: [{name: desk, kind: table, at: [2, 2]}]\n"
		       "people: [{name: Eve, path: [[3, 1], [1, 1]], speed_mps: 0.5}]\n"
		       "start: {x_m: 1, y_m: 1, yaw_deg: 90}\n");
	struct cairn_world *w = cairn_world_load(path, &err);
	ck_assert_msg(w != NULL, "%s", err.text);
	unlink(path);
	ck_assert(w->has_start);
	NEAR(w->start.yaw_rad, M_PI / 2);
	ck_assert_uint_eq(w->people_count, 1);
	ck_assert_uint_eq(w->people[0].path_count, 2);
	NEAR(cairn_world_cast(w, 3.0, 1.0, 1, 0, 0.2, 9).range_m, 0.94);
	ck_assert_int_eq(cairn_world_cast(w, 1.5, 1.0, 0, -1, 0.2, 9).edge, -1);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(a_wrong_world_is_refused_with_file_key_and_reason)
{
	struct cairn_error err = {""};
	ck_assert_ptr_null(cairn_world_load("/nonexistent/world.yaml", &err));
	ck_assert_str_eq(err.text, "/nonexistent/world.yaml: No such file or directory");
	refused("", "empty");
	refused("name: x\nwals: []\n", "wals");
	refused(WALLS, "name");
	refused("name: x\n", "walls");
	refused("name: x\nwalls: [{path: [[0, 0], [1, zwei]]}]\n", "walls[1].path[2][2]");
	refused("name: x\nwalls: [{path: [[0, 0]]}]\n", "path");
	refused("name: x\nwalls: [{path: [[0, 0], [.nan, 1]]}]\n", "walls[1].path");
	refused("name: x\nwalls: [{path: [[0, 0], [99999, 1]]}]\n", "outside");
	refused("name: x\n" WALLS "furniture: [{name: y, kind: throne}]\n", "furniture[1].kind");
	refused("name: x\n" WALLS "furniture: [{name: y, kind: box, size: [1, 1]}]\n", "height_m");
	refused("name: x\n" WALLS "furniture: [{name: y, kind: box, height_m: 1}]\n", "size");
	refused("name: x\n" WALLS "objects: [{name: y, kind: ball, colour: rd}]\n", "colour");
	refused("name: x\n" WALLS "doors: [{name: d, from: [1, 1], to: [2, 1]}]\n", "doors[1].from");
	refused("name: x\nceiling_m: 99\n" WALLS, "ceiling_m");
	refused("{\"verts\": [[0, 0], [1, 0]]}", "verts");
	refused("{\"verts\": [[0, 0], [1, 0], [1, \"a\"]]}", "verts[2]");
	refused("{\"verts\": [[0, 0],", "line 1");
	refused("P5\n4 4\n255\nab", "pixels");
	refused("P5\n4 4\n65535\nab", "header");
}
END_TEST

static void collect(void *ctx, const struct cairn_vec2 *corners, size_t count)
{
	double *sum = ctx;
	sum[0] += cairn_polygon_area(corners, count);
	sum[1] += 1.0;
	sum[2] += (double)count;
}

START_TEST(borders_of_a_raster_enclose_its_free_pixels)
{
	/* A free block of 6 by 5 pixels with a pillar of 2 by 1 in it, and a pixel that touches it at a
	 * corner alone. */
	uint8_t px[8 * 8] = {0};
	for (int r = 1; r < 6; r++)
		for (int c = 1; c < 7; c++)
			px[r * 8 + c] = 1;
	px[3 * 8 + 3] = px[3 * 8 + 4] = 0;
	px[6 * 8 + 7] = 1;
	struct cairn_raster raster = {8, 8, px};
	double sum[3] = {0};
	int64_t largest;
	ck_assert(cairn_raster_borders(&raster, 0.0, collect, sum));
	NEAR(-sum[0] * 1e4,
	    29.0); /* outlines clockwise, pillars counter-clockwise, as their free side is on the right */
	NEAR(sum[1], 3.0);
	NEAR(sum[2], 12.0);
	ck_assert_int_eq(cairn_raster_free_count(&raster), 29);
	ck_assert_int_eq(cairn_raster_components(&raster, &largest), 2);
	ck_assert_int_eq(largest, 28);
}
END_TEST

CAIRN_TEST_MAIN("world", rays_measure_a_square_room,
    rays_through_the_grid_find_what_a_search_of_all_edges_finds,
    a_disc_is_hit_at_its_near_side_and_only_at_its_heights, the_footprint_touches_what_it_overlaps,
    things_above_the_robot_and_flat_things_are_not_touched, polygons_are_cut_into_triangles,
    a_door_leaves_a_way_through_and_a_lintel_above, every_kind_of_furniture_stands_within_its_size,
    a_free_start_is_chosen_in_the_largest_room,
    a_point_inside_a_thing_or_behind_the_walls_is_inside_something_and_free_floor_is_not,
    a_small_yaml_world_loads, a_wrong_world_is_refused_with_file_key_and_reason,
    borders_of_a_raster_enclose_its_free_pixels)
