/* What a search looks up of the room around a pose: against the distances themselves and the footprint laid
 * on the map. */
#include "common/base/rng.h"
#include "common/plan/hybrid_private.h"
#include "test/support/grids.h"
#include "test/support/runner.h"

static const struct cairn_footprint body = {0.27, 0.08, 0.10};

/* A search in a flat, which leaves its tables behind. */
static struct cairn_hybrid *searched(struct cairn_costmap *cm, const struct test_grid *g)
{
	static struct cairn_path path;
	const struct cairn_costmap_params costs = {0.35, 0.10, 20.0, 50.0, 3.0, 0.0};
	const struct cairn_hybrid_params params = {.body = body,
	    .turn_radius_m = 0.33,
	    .clearance_m = 0.04,
	    .lead_m = 0.10,
	    .reverse_factor = 2.0,
	    .switch_m = 0.6,
	    .turn_factor = 1.3,
	    .nodes_max = 120000};
	struct cairn_plan_grid view = test_grid_view(g);
	const struct cairn_hybrid_query q = {
	    .start = {0.5, 3.2, 0.3}, .goal_x_m = 11.0, .goal_y_m = 8.3, .tolerance_m = 0.2};
	cairn_costmap_init(cm, &costs);
	ck_assert_int_eq(cairn_costmap_set_grid(cm, &view, NULL, &body), 0);
	struct cairn_hybrid *h = cairn_hybrid_new(&params);
	ck_assert_int_eq(cairn_hybrid_search(h, cm, &q, &path, NULL), CAIRN_PLAN_OK);
	return h;
}

START_TEST(squares_are_those_of_the_distances)
{
	struct test_grid g = test_grid_flat(0.05, 0.70);
	struct cairn_costmap cm;
	struct cairn_hybrid *h = searched(&cm, &g);
	for (int i = 0; i < cm.width * cm.height; i++)
		ck_assert(sqrtf((float)h->room.square[i]) == cm.dist[i]);
	cairn_hybrid_destroy(&h);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

/* What a pose costs by the place of it that is nearest to something. */
static float plain_factor(const struct cairn_hybrid *h, const struct cairn_pose2 *pose)
{
	const struct cairn_costmap *cm = h->cm;
	float nearest = INFINITY;
	for (int i = 0; i < HYBRID_PLACES; i++) {
		struct cairn_vec2 at = cairn_pose_apply(*pose, (struct cairn_vec2){h->body_x_m[i], 0.0});
		int index = cairn_costmap_index(cm, at.x_m, at.y_m);
		if (index >= 0 && cm->dist[index] < nearest)
			nearest = cm->dist[index];
	}
	return cairn_costmap_dearer(cm, cairn_costmap_index(cm, pose->x_m, pose->y_m),
	    cairn_costmap_near(cm, nearest * (float)cm->cell_m));
}

START_TEST(a_look_tells_no_more_than_the_footprint_itself)
{
	int told[3] = {0};
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 7, 1);
	struct test_grid g = test_grid_flat(0.05, 0.70);
	struct cairn_costmap cm;
	struct cairn_hybrid *h = searched(&cm, &g);
	for (int i = 0; i < 20000; i++) {
		/* All of the footprint on the map: beside it nothing is known to stand. */
		struct cairn_pose2 pose = {0.6 + (g.width * g.cell_m - 1.2) * cairn_rng_uniform(&rng),
		    0.6 + (g.height * g.cell_m - 1.2) * cairn_rng_uniform(&rng),
		    2.0 * M_PI * cairn_rng_uniform(&rng)};
		bool reverse = i % 2 == 1;
		struct hybrid_look look;
		hybrid_pose_look(h, &pose, cos(pose.yaw_rad), sin(pose.yaw_rad),
		    reverse ? HYBRID_BACKWARD : HYBRID_FORWARD, &look);
		bool fits = cairn_costmap_fits(&cm, &pose, &h->cover[reverse ? 1 : 0].rect);
		told[look.room]++;
		ck_assert(look.room != HYBRID_FITS || fits);
		ck_assert(look.room != HYBRID_BLOCKED || !fits);
		ck_assert(look.factor == plain_factor(h, &pose));
	}
	ck_assert_int_gt(told[HYBRID_FITS], 1000);
	ck_assert_int_gt(told[HYBRID_PERHAPS], 1000);
	ck_assert_int_gt(told[HYBRID_BLOCKED], 1000);
	cairn_hybrid_destroy(&h);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

CAIRN_TEST_MAIN(
    "hybrid_room", squares_are_those_of_the_distances, a_look_tells_no_more_than_the_footprint_itself)
