/* Floor plans with furniture by chance: what stands about leaves the house as it was for a robot, and is a world like any other. */
#include "test/support/run_dir.h"
#include "test/support/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/sim/robot/truth.h"
#include "common/sim/world/furnish.h"
#include "common/sim/world/world.h"

/* Half as wide as the passages that stay. */
static const struct cairn_footprint body = {0.15, 0.15, CAIRN_FURNISH_PASS_M - CAIRN_TRUTH_MARGIN_M};
#define HIGH_M 1.0
#define DOORWAY_X_M 5.05
#define DOORWAY_Y_M 1.95

/* Of each case, which runs in a process of its own. */
static char dir[CAIRN_RUN_DIR_BYTES];

static void remove_dir(void)
{
	cairn_run_dir_remove(dir);
}

static void need_dir(void)
{
	if (dir[0] != '\0')
		return;
	cairn_run_dir_make(dir, "furnish");
	atexit(remove_dir);
}

/* Two rooms with a doorway of 0.9 m between them. */
static const char *two_rooms(const char *labels)
{
	static char path[128];
	need_dir();
	snprintf(path, sizeof(path), "%s/plan.json", dir);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f,
	    "{\"id\": \"two rooms\", \"room_num\": 2, \"verts\": "
	    "[[0,0],[5,0],[5,1.5],[5.1,1.5],[5.1,0],[9,0],[9,4],"
	    "[5.1,4],[5.1,2.4],[5,2.4],[5,4],[0,4]], \"room_category\": {%s}}",
	    labels);
	ck_assert_int_eq(fclose(f), 0);
	return path;
}

#define LABELS "\"Bedroom\": [[0,0,5,4]], \"Kitchen\": [[5.1,0,9,4]]"

static struct cairn_world *furnished(const char *plan, uint64_t seed, struct cairn_furnish_count *ret)
{
	char path[128];
	struct cairn_error err = {""};
	need_dir();
	char *text = cairn_furnish(plan, seed, ret, &err);
	ck_assert_msg(text != NULL, "%s", err.text);
	snprintf(path, sizeof(path), "%s/world.yaml", dir);
	ck_assert(cairn_file_replace(path, 0, 0600, text, strlen(text), &err));
	free(text);
	struct cairn_world *w = cairn_world_load(path, &err);
	ck_assert_msg(w != NULL, "%s", err.text);
	return w;
}

static double from_thing(const struct cairn_world *w, uint32_t thing, double x_m, double y_m)
{
	double low[3], high[3];
	if (!cairn_world_extent(w, thing, low, high))
		return INFINITY;
	return hypot(
	    fmax(0.0, fmax(low[0] - x_m, x_m - high[0])), fmax(0.0, fmax(low[1] - y_m, y_m - high[1])));
}

static uint32_t things_named(const struct cairn_world *w, const char *name)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < w->thing_count; i++)
		n += strcmp(w->things[i].name, name) == 0;
	return n;
}

static bool is_furniture(const struct cairn_world *w, uint32_t thing)
{
	return strcmp(w->things[thing].kind, "wall") != 0;
}

START_TEST(a_seed_always_gives_the_same_house_and_another_one_another)
{
	struct cairn_furnish_count n;
	struct cairn_error err = {""};
	const char *plan = two_rooms(LABELS);
	char *one = cairn_furnish(plan, 7, &n, &err), *again = cairn_furnish(plan, 7, &n, &err),
	     *other = cairn_furnish(plan, 8, &n, &err);
	ck_assert_str_eq(one, again);
	ck_assert_str_ne(one, other);
	free(one);
	free(again);
	free(other);
}
END_TEST

START_TEST(each_room_has_what_belongs_there)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct cairn_furnish_count n;
		struct cairn_world *w = furnished(two_rooms(LABELS), seed, &n);
		ck_assert_uint_eq(n.rooms, 2);
		ck_assert_uint_gt(n.things, 0);
		ck_assert_uint_eq(w->room_count, 2);
		ck_assert_double_eq_tol(n.labelled_m2, n.reachable_m2, 0.3); /* all but the doorway */
		for (uint32_t i = 0; i < w->thing_count; i++) {
			const struct cairn_thing *t = &w->things[i];
			bool bed = strcmp(t->name, "bed") == 0, stove = strcmp(t->name, "stove") == 0;
			ck_assert_msg(!bed || t->x_m < 5.0f, "seed %u", (unsigned)seed);
			ck_assert_msg(!stove || t->x_m > 5.1f, "seed %u", (unsigned)seed);
		}
		ck_assert_uint_le(things_named(w, "bed"), 1);
		ck_assert_uint_eq(things_named(w, "toilet"), 0);
		cairn_world_destroy(&w);
	}
}
END_TEST

START_TEST(a_doorway_and_the_start_stay_free)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct cairn_furnish_count n;
		struct cairn_world *w = furnished(two_rooms(LABELS), seed, &n);
		ck_assert(w->has_start);
		for (uint32_t i = 0; i < w->thing_count; i++) {
			if (!is_furniture(w, i))
				continue;
			ck_assert_msg(from_thing(w, i, DOORWAY_X_M, DOORWAY_Y_M) > 0.85, "seed %u: %s",
			    (unsigned)seed, w->things[i].name);
			ck_assert_double_gt(from_thing(w, i, w->start.x_m, w->start.y_m), 0.59);
		}
		cairn_world_destroy(&w);
	}
}
END_TEST

/* Floor that could be reached and is not under anything can be reached still; nothing stands in a wall or in another room. */
static void stays_explorable(const char *plan, uint64_t seed, struct cairn_furnish_count *sum)
{
	struct cairn_furnish_count n;
	struct cairn_error err = {""};
	struct cairn_world *bare = cairn_world_load(plan, &err), *w = furnished(plan, seed, &n);
	ck_assert_ptr_nonnull(bare);
	struct cairn_truth *before = cairn_truth_new(bare, &body, HIGH_M, w->start),
			   *after = cairn_truth_new(w, &body, HIGH_M, w->start);
	uint32_t could = 0, lost = 0;
	const double step_m = 0.1;
	for (double y = bare->y_min_m; y < bare->y_max_m; y += step_m)
		for (double x = bare->x_min_m; x < bare->x_max_m; x += step_m) {
			if (!cairn_truth_reachable_at(before, x, y))
				continue;
			double near = INFINITY;
			for (uint32_t i = 0; i < w->thing_count; i++)
				near = is_furniture(w, i) ? fmin(near, from_thing(w, i, x, y)) : near;
			could++;
			lost += near > 2.0 * CAIRN_FURNISH_PASS_M && !cairn_truth_reachable_at(after, x, y);
		}
	ck_assert_uint_gt(could, 100);
	ck_assert_msg(lost <= could / 100, "%s, seed %u: %u of %u", plan, (unsigned)seed, lost, could);
	for (uint32_t i = 0; i < w->thing_count; i++)
		if (is_furniture(w, i))
			ck_assert_msg(cairn_world_room_at(
					  w, (double)w->things[i].x_m, (double)w->things[i].y_m) != NULL &&
					  cairn_world_inside(bare, (double)w->things[i].x_m,
					      (double)w->things[i].y_m, 1.0) < 0,
			    "%s, seed %u: %s", plan, (unsigned)seed, w->things[i].name);
	sum->things += n.things;
	sum->unusual += n.unusual;
	sum->pieces += n.pieces;
	cairn_truth_destroy(&before);
	cairn_truth_destroy(&after);
	cairn_world_destroy(&bare);
	cairn_world_destroy(&w);
}

START_TEST(furniture_cuts_nothing_off)
{
	struct cairn_furnish_count sum = {0};
	const char *plan = two_rooms(LABELS);
	for (uint64_t seed = 1; seed <= (uint64_t)CAIRN_ROUNDS(20); seed++)
		stays_explorable(plan, seed, &sum);
}
END_TEST

START_TEST(labelled_floor_plans_can_be_furnished)
{
	static const char *const plans[] = {"2a34224a3673c72ce00e5bbeed8a9327",
	    "324c6aa597fb749ce5a1cafc2ef1228d", "7e80c5f4c9905bc273560854d8abe916",
	    "eb8fa38ac9142311df7cdb84766bf930", "0b9a23c76b61b23527e41156b65a9db1",
	    "0a1b29dba355df2ab02630133187bfab", "658e5214673c7a4e25b458e56bdb6144",
	    "272ac1837764eed0f84711e047b909a2", "2deaa98e9acd1293d5224e25715c1393",
	    "ac5ac75376e2e43d9bb14460e41271d0", "6749dcd581c3589b31e6441f67bf4f93",
	    "c5b8148a468f041ac12953f7b6bf672f"};
	const uint32_t count = sizeof(plans) / sizeof(plans[0]);
	struct cairn_furnish_count sum = {0};
	for (uint32_t i = 0; i < (uint32_t)CAIRN_ROUNDS((int)count); i++) {
		char below[128];
		snprintf(below, sizeof(below), "houses/%s.json", plans[i]);
		const char *plan = cairn_shared_path(below);
		if (plan == NULL)
			CAIRN_SKIP("no floor plans in ../shared/data/houses");
		stays_explorable(plan, 1 + i, &sum);
	}
	ck_assert_uint_gt(sum.pieces, 10 * (uint32_t)CAIRN_ROUNDS((int)count));
	ck_assert_uint_ge(5 * sum.unusual, sum.things); /* one in five at least */
	ck_assert_uint_le(2 * sum.unusual, sum.things);
}
END_TEST

START_TEST(nothing_is_put_where_two_labels_hold_or_none_does)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct cairn_furnish_count n;
		struct cairn_world *w =
		    furnished(two_rooms("\"Bedroom\": [[0,0,5,4]], \"Kitchen\": [[5.1,0,9,4], [6.5,0,9,4]], "
					"\"Room\": [[0,0,9,4]]"),
			seed, &n);
		for (uint32_t i = 0; i < w->thing_count; i++)
			ck_assert_msg(!is_furniture(w, i) || from_thing(w, i, 7.75, 2.0) > 0.01,
			    "seed %u: %s", (unsigned)seed, w->things[i].name);
		cairn_world_destroy(&w);
	}
}
END_TEST

static void refused(const char *labels, const char *reason)
{
	struct cairn_furnish_count n;
	struct cairn_error err = {""};
	ck_assert_ptr_null(cairn_furnish(two_rooms(labels), 1, &n, &err));
	ck_assert_msg(
	    strstr(err.text, reason) != NULL && strstr(err.text, "plan.json") != NULL, "%s", err.text);
}

START_TEST(a_plan_without_meaningful_labels_is_refused_with_the_reason)
{
	refused("", "no room has a label");
	refused("\"Room\": [[0,0,5,4]]", "no room has a label");
	refused("\"Bedroom\": [[0,0,5]]", "room_category");
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("world-furnish", 120, a_seed_always_gives_the_same_house_and_another_one_another,
    each_room_has_what_belongs_there, a_doorway_and_the_start_stay_free, furniture_cuts_nothing_off,
    labelled_floor_plans_can_be_furnished, nothing_is_put_where_two_labels_hold_or_none_does,
    a_plan_without_meaningful_labels_is_refused_with_the_reason)
