/* A map that is kept over a run: is it noticed that the home has changed, and only then? */
#include "common/slam/kept_map.h"
#include "test/support/map_world.h"
#include "test/support/runner.h"

static struct map_world homes[4];
enum { FLAT, CORRIDOR, HALL, HOMES };
static struct cairn_config cfg;
static struct map_robot robot;
static struct cairn_mapper *mapper;
static struct cairn_kept_map *kept;
static char path[64];

static void build_homes(void)
{
	map_world_flat(&homes[FLAT]);
	struct map_world *w = &homes[CORRIDOR];
	w->count = 0;
	map_world_box(w, -1.0, -3.0, 6.0, 3.0); /* a corridor with rooms on both sides */
	map_world_wall(w, -1.0, 0.8, 1.0, 0.8);
	map_world_wall(w, 1.9, 0.8, 6.0, 0.8);
	map_world_wall(w, -1.0, -0.8, 3.0, -0.8);
	map_world_wall(w, 3.9, -0.8, 6.0, -0.8);
	map_world_box(w, 4.6, -0.2, 5.2, 0.3);
	w = &homes[HALL];
	w->count = 0;
	map_world_box(w, -2.5, -3.5, 5.0, 2.5); /* one large room with furniture */
	map_world_box(w, 0.5, 1.0, 1.8, 1.8);
	map_world_box(w, -1.6, -2.8, -0.6, -1.8);
	map_world_box(w, 3.2, -0.8, 4.0, 0.8);
	map_world_box(w, 1.0, -2.6, 2.0, -2.0);
}

static void step(struct cairn_twist t)
{
	static struct cairn_msg_scan scan;
	struct cairn_pose2 from = robot.truth;
	struct cairn_msg_odom odom;
	map_robot_move(&robot, t, 0.1);
	map_robot_odom(&robot, t, &odom);
	ck_assert(cairn_mapper_odom(mapper, &odom, robot.t_ns, 7, NULL));
	map_robot_scan(&robot, from, t, &scan);
	cairn_mapper_scan(mapper, &scan, robot.t_ns);
	if (kept != NULL)
		cairn_kept_map_scan(kept, mapper, &scan, robot.t_ns);
}

/* To and fro before the start, with looks to the side. */
static void drive(int steps)
{
	for (int i = 0; i < steps; i++)
		step((struct cairn_twist){i / 40 % 2 == 0 ? 0.25 : -0.25, 0.25 * sin(0.05 * i)});
}

/* Learns a home, and wakes up at the start of another one, or of the same. */
static enum cairn_kept_map_state wakes_up(
    const struct map_world *learned, const struct map_world *now, int steps, double *ret_share)
{
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	snprintf(path, sizeof(path), "/tmp/cairn-kept-XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	map_robot_init(&robot, learned, &cfg);
	mapper = cairn_mapper_new(&cfg);
	kept = NULL;
	drive(160);
	ck_assert(cairn_mapper_save(mapper, path, &err));
	cairn_mapper_destroy(&mapper);
	int64_t t_ns = robot.t_ns;
	map_robot_init(&robot, now, &cfg);
	cairn_rng_seed(&robot.rng, 99, 1);
	robot.t_ns = t_ns + CAIRN_NS_PER_S;
	mapper = cairn_mapper_load(&cfg, path, &err);
	ck_assert_msg(mapper != NULL, "%s", err.text);
	unlink(path);
	kept = cairn_kept_map_new(mapper, &cfg);
	ck_assert_ptr_nonnull(kept);
	ck_assert_int_eq(cairn_kept_map_judge(kept, NULL), CAIRN_KEPT_MAP_STATE_UNSURE);
	drive(steps);
	enum cairn_kept_map_state state = cairn_kept_map_judge(kept, ret_share);
	cairn_kept_map_destroy(&kept);
	cairn_mapper_destroy(&mapper);
	return state;
}

START_TEST(the_same_home_fits_in_each_of_several)
{
	build_homes();
	for (int i = 0; i < HOMES; i++) {
		double share;
		enum cairn_kept_map_state state = wakes_up(&homes[i], &homes[i], 160, &share);
		ck_assert_msg(state == CAIRN_KEPT_MAP_STATE_FITS, "home %d: %d, %.3f", i, state, share);
		ck_assert_double_lt(share, 0.1);
	}
}
END_TEST

/* A chair that was moved is everyday life. */
START_TEST(one_piece_of_furniture_does_not_make_another_home)
{
	build_homes();
	struct map_world moved = homes[HALL];
	map_world_box(&moved, -1.0, 1.0, -0.6, 1.4);
	double share;
	enum cairn_kept_map_state state = wakes_up(&homes[HALL], &moved, 160, &share);
	ck_assert_msg(state == CAIRN_KEPT_MAP_STATE_FITS, "%d, %.3f", state, share);
}
END_TEST

START_TEST(another_home_is_noticed_whichever_it_is)
{
	build_homes();
	for (int i = 0; i < HOMES; i++) {
		for (int step = 1; step <= CAIRN_ROUNDS(HOMES - 1); step++) {
			double share;
			int k = (i + step) % HOMES;
			enum cairn_kept_map_state state = wakes_up(&homes[i], &homes[k], 300, &share);
			ck_assert_msg(
			    state == CAIRN_KEPT_MAP_STATE_DIFFERS || state == CAIRN_KEPT_MAP_STATE_LOST,
			    "learned %d, is in %d: %d, %.3f", i, k, state, share);
		}
	}
}
END_TEST

START_TEST(a_home_that_was_furnished_anew_is_noticed)
{
	build_homes();
	struct map_world *w = &homes[HALL], anew;
	anew.count = 0;
	map_world_box(&anew, -2.5, -3.5, 5.0, 2.5); /* the walls are the same, nothing else is */
	map_world_box(&anew, -1.8, 0.6, -0.8, 1.6);
	map_world_box(&anew, 2.0, -1.8, 3.0, -1.0);
	map_world_box(&anew, 2.2, 1.2, 3.4, 1.7);
	map_world_box(&anew, -0.4, -2.4, 0.4, -1.6);
	map_world_wall(&anew, -2.5, -0.9, -1.0, -0.9);
	double share;
	enum cairn_kept_map_state state = wakes_up(w, &anew, 300, &share);
	ck_assert_msg(state == CAIRN_KEPT_MAP_STATE_DIFFERS || state == CAIRN_KEPT_MAP_STATE_LOST, "%d, %.3f",
	    state, share);
}
END_TEST

START_TEST(without_a_kept_map_nothing_is_said)
{
	double share = 1.0;
	cairn_config_defaults(&cfg);
	mapper = cairn_mapper_new(&cfg);
	ck_assert_ptr_null(cairn_kept_map_new(mapper, &cfg)); /* nothing is on it */
	ck_assert_int_eq(cairn_kept_map_judge(NULL, &share), CAIRN_KEPT_MAP_STATE_NONE);
	ck_assert_double_eq(share, 0.0);
	cairn_mapper_destroy(&mapper);
}
END_TEST

CAIRN_TEST_MAIN("kept_map", the_same_home_fits_in_each_of_several,
    one_piece_of_furniture_does_not_make_another_home, another_home_is_noticed_whichever_it_is,
    a_home_that_was_furnished_anew_is_noticed, without_a_kept_map_nothing_is_said)
