/* The floor plans of ../shared/data/houses against the figures that came with them. */
#include "test/support/runner.h"

#include <math.h>

#include "common/sim/robot/truth.h"
#include "common/sim/world/floorplan.h"
#include "common/sim/world/outline.h"
#include "common/sim/world/world.h"

static const struct cairn_footprint body = {0.27, 0.08, 0.10};

#define PLANS CAIRN_ROUNDS(100) /* of each table; there are fewer */
#define NEEDS_PLANS()                                                                                        \
	do {                                                                                                 \
		if (cairn_shared_path("houses/rasters.csv") == NULL)                                         \
			CAIRN_SKIP("no floor plans in ../shared/data/houses");                               \
	} while (0)

static FILE *open_table(const char *below)
{
	const char *path = cairn_shared_path(below);
	char line[512];
	FILE *f = path != NULL ? fopen(path, "r") : NULL;
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), f)); /* names of the columns */
	return f;
}

static const char *house_path(const char *id, const char *ending)
{
	char below[128];
	snprintf(below, sizeof(below), "houses/%s%s", id, ending);
	const char *path = cairn_shared_path(below);
	ck_assert_msg(path != NULL, "%s is missing", below);
	return path;
}

START_TEST(polygons_have_the_figures_of_the_table)
{
	NEEDS_PLANS();
	FILE *f = open_table("houses/houses.csv");
	char line[512], id[64];
	int houses = 0;
	for (int n = 0; n < PLANS && fgets(line, sizeof(line), f) != NULL; n++) {
		unsigned verts, room_num, boxes;
		double area, x0, y0, x1, y1;
		ck_assert_int_eq(sscanf(line, "%63[^,],%u,%lf,%*[a-z],%lf,%lf,%lf,%lf,%u,%u", id, &verts,
				     &area, &x0, &y0, &x1, &y1, &room_num, &boxes),
		    9);
		struct cairn_error err = {""};
		struct cairn_houseexpo h;
		ck_assert_msg(cairn_houseexpo_read(&h, house_path(id, ".json"), &err), "%s", err.text);
		ck_assert_str_eq(h.id, id);
		ck_assert_uint_eq(h.vert_count, verts);
		ck_assert_uint_eq((unsigned)h.room_num, room_num);
		ck_assert_uint_eq(h.box_count, boxes);
		ck_assert_double_eq_tol(fabs(cairn_polygon_area(h.verts, h.vert_count)), area, 0.0051);
		cairn_houseexpo_finish(&h);
		struct cairn_world *w = cairn_world_load(house_path(id, ".json"), &err);
		ck_assert_msg(w != NULL, "%s", err.text);
		ck_assert_uint_eq(w->edge_count, verts);
		ck_assert_double_eq_tol(w->x_min_m, x0, 1e-4);
		ck_assert_double_eq_tol(w->y_min_m, y0, 1e-4);
		ck_assert_double_eq_tol(w->x_max_m, x1, 1e-4);
		ck_assert_double_eq_tol(w->y_max_m, y1, 1e-4);
		cairn_world_destroy(&w);
		houses++;
	}
	fclose(f);
	ck_assert_int_ge(houses, PLANS < 20 ? PLANS : 20);
}
END_TEST

START_TEST(rasters_have_the_figures_of_the_table)
{
	NEEDS_PLANS();
	FILE *f = open_table("houses/rasters.csv");
	char line[512], id[64];
	int rasters = 0;
	for (int n = 0; n < PLANS && fgets(line, sizeof(line), f) != NULL; n++) {
		int width, height, components;
		long free_px, largest;
		double free_m2;
		ck_assert_int_eq(sscanf(line, "%63[^,],%d,%d,%ld,%lf,%d,%ld", id, &width, &height, &free_px,
				     &free_m2, &components, &largest),
		    7);
		struct cairn_error err = {""};
		struct cairn_raster r;
		int64_t got_largest;
		ck_assert_msg(cairn_raster_read(&r, house_path(id, ".pgm.gz"), &err), "%s", err.text);
		ck_assert_int_eq(r.width_px, width);
		ck_assert_int_eq(r.height_px, height);
		ck_assert_int_eq(cairn_raster_free_count(&r), free_px);
		ck_assert_int_eq(cairn_raster_components(&r, &got_largest), components);
		ck_assert_int_eq(got_largest, largest);
		cairn_raster_finish(&r);
		rasters++;
	}
	fclose(f);
	ck_assert_int_ge(rasters, PLANS < 30 ? PLANS : 30);
}
END_TEST

/* Area between the walls, by the edges of the loaded world: free side on the right means clockwise, so
 * negative. */
static double area_of_edges(const struct cairn_world *w)
{
	double twice = 0.0;
	for (uint32_t i = 0; i < w->edge_count; i++) {
		const struct cairn_edge *e = &w->edges[i];
		twice += (double)e->ax_m * e->by_m - (double)e->bx_m * e->ay_m;
	}
	return -0.5 * twice;
}

START_TEST(the_walls_of_a_raster_enclose_its_free_area)
{
	NEEDS_PLANS();
	FILE *f = open_table("houses/rasters.csv");
	char line[512], id[64];
	for (int n = 0; n < CAIRN_ROUNDS(12) && fgets(line, sizeof(line), f) != NULL; n++) {
		double free_m2;
		ck_assert_int_eq(sscanf(line, "%63[^,],%*d,%*d,%*d,%lf", id, &free_m2), 2);
		struct cairn_error err = {""};
		struct cairn_world *w = cairn_world_load(house_path(id, ".pgm.gz"), &err);
		ck_assert_msg(w != NULL, "%s", err.text);
		ck_assert_double_eq_tol(area_of_edges(w), free_m2, 0.004 * free_m2 + 0.01);
		cairn_world_destroy(&w);
	}
	fclose(f);
}
END_TEST

/* A start can be found in each, and the robot gets around from there. */
START_TEST(every_floor_plan_has_a_start)
{
	NEEDS_PLANS();
	static const char *const tables[2][2] = {
	    {"houses/houses.csv", ".json"}, {"houses/rasters.csv", ".pgm.gz"}};
	char line[512], id[64];
	for (int k = 0; k < 2; k++) {
		FILE *f = open_table(tables[k][0]);
		for (int n = 0; n < PLANS && fgets(line, sizeof(line), f) != NULL; n++) {
			struct cairn_error err = {""};
			struct cairn_pose2 start;
			ck_assert_int_eq(sscanf(line, "%63[^,]", id), 1);
			struct cairn_world *w = cairn_world_load(house_path(id, tables[k][1]), &err);
			ck_assert_msg(w != NULL, "%s", err.text);
			ck_assert_msg(cairn_world_choose_start(w, 0.29, 0.2, &start), "%s has no start", id);
			ck_assert_int_eq(cairn_world_touch(w, start, &body, 0.2), -1);
			struct cairn_truth *t = cairn_truth_new(w, &body, 0.2, start);
			ck_assert_double_gt(cairn_truth_reachable_m2(t), 4.0);
			cairn_truth_destroy(&t);
			cairn_world_destroy(&w);
		}
		fclose(f);
	}
}
END_TEST

CAIRN_TEST_MAIN("world plans", polygons_have_the_figures_of_the_table, rasters_have_the_figures_of_the_table,
    the_walls_of_a_raster_enclose_its_free_area, every_floor_plan_has_a_start)
