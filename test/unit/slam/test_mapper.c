#include "test/support/runner.h"

#include "common/slam/mapper.h"
#include "test/support/map_world.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>

static struct map_world flat;
static struct cairn_config cfg;
static struct cairn_msg_scan scan;

struct drive {
	struct map_robot robot;
	struct cairn_mapper *mapper;
	uint64_t epoch;
	double worst_m, worst_rad; /* pose against truth */
	int scans, good;
};

static void drive_begin(struct drive *d)
{
	map_world_flat(&flat);
	cairn_config_defaults(&cfg);
	memset(d, 0, sizeof(*d));
	map_robot_init(&d->robot, &flat, &cfg);
	d->mapper = cairn_mapper_new(&cfg);
	d->epoch = 11;
	ck_assert_ptr_nonnull(d->mapper);
}

static double off_m(const struct drive *d, struct cairn_msg_pose *pose)
{
	cairn_mapper_pose(d->mapper, pose);
	return hypot(pose->x_m - d->robot.truth.x_m, pose->y_m - d->robot.truth.y_m);
}

static void send_odom(struct drive *d, struct cairn_twist t)
{
	struct cairn_msg_odom odom;
	map_robot_odom(&d->robot, t, &odom);
	ck_assert(cairn_mapper_odom(d->mapper, &odom, d->robot.t_ns, d->epoch, NULL));
}

/* A tenth of a second: two odometry messages and, where asked, a scan. */
static enum cairn_scan_use drive_step(struct drive *d, struct cairn_twist t, bool with_scan)
{
	struct cairn_pose2 from = d->robot.truth;
	if (d->scans == 0)
		send_odom(d, t);
	map_robot_move(&d->robot, t, 0.05);
	send_odom(d, t);
	map_robot_move(&d->robot, t, 0.05);
	send_odom(d, t);
	if (!with_scan)
		return CAIRN_SCAN_REFUSED;
	map_robot_scan(&d->robot, from, t, &scan);
	enum cairn_scan_use use = cairn_mapper_scan(d->mapper, &scan, d->robot.t_ns);
	struct cairn_msg_pose pose;
	double m = off_m(d, &pose), rad = fabs(cairn_wrap_rad(pose.yaw_rad - d->robot.truth.yaw_rad));
	d->worst_m = m > d->worst_m ? m : d->worst_m;
	d->worst_rad = rad > d->worst_rad ? rad : d->worst_rad;
	d->scans++;
	d->good += pose.tracking == CAIRN_TRACKING_GOOD;
	return use;
}

static void drive_to(struct drive *d, double x_m, double y_m)
{
	for (int i = 0; i < 600 && hypot(x_m - d->robot.truth.x_m, y_m - d->robot.truth.y_m) > 0.1; i++)
		drive_step(d, map_robot_steer(&d->robot, x_m, y_m), true);
}

static void stand(struct drive *d, int steps)
{
	for (int i = 0; i < steps; i++)
		drive_step(d, (struct cairn_twist){0.0, 0.0}, true);
}

/* Through all rooms and back to the start, every point of the way moved by off_m. */
static void drive_round_beside(struct drive *d, double off_m)
{
	static const double way[][2] = {{1.0, 0.0}, {1.05, 1.5}, {2.0, 1.9}, {1.05, 1.5}, {1.05, 0.3},
	    {2.2, 0.0}, {2.25, -1.4}, {3.4, -2.2}, {2.25, -1.4}, {2.25, -0.3}, {5.2, 0.0}, {5.6, 0.4},
	    {5.6, 1.4}, {6.6, 2.4}, {6.2, 1.2}, {5.6, 0.9}, {5.7, 0.1}, {6.8, -0.4}, {6.85, -1.6},
	    {7.0, -2.4}, {6.0, -1.6}, {6.85, -1.0}, {6.85, -0.3}, {6.0, 0.0}, {1.0, 0.0}, {0.1, 0.0}};
	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		drive_to(d, way[i][0] + off_m, way[i][1] + off_m);
}

static void drive_round(struct drive *d)
{
	drive_round_beside(d, 0.0);
}

START_TEST(a_flat_is_driven_within_5_cm_and_1_degree)
{
	struct drive d;
	drive_begin(&d);
	drive_round(&d);
	struct cairn_msg_pose pose;
	double end_m = off_m(&d, &pose);
	double odom_m = hypot(d.robot.odom.x_m - d.robot.truth.x_m, d.robot.odom.y_m - d.robot.truth.y_m);
	printf("# %d scans, %.1f m: worst %.3f m %.2f deg, end %.3f m, odometry %.2f m, keyframes %u\n",
	    d.scans, d.robot.odom_distance_m, d.worst_m, cairn_rad_to_deg(d.worst_rad), end_m, odom_m,
	    pose.keyframes);
	ck_assert_double_lt(d.worst_m, 0.05);
	ck_assert_double_lt(d.worst_rad, cairn_deg_to_rad(1.0));
	ck_assert_int_ge(d.good, d.scans * 99 / 100);
	ck_assert_double_gt(odom_m, 0.3); /* or the test would prove nothing */
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

START_TEST(driving_about_in_a_known_flat_keeps_a_scan_every_other_metre_at_most)
{
	struct drive d;
	struct cairn_msg_pose pose;
	uint32_t before, after;
	drive_begin(&d);
	drive_round(&d);
	(void)cairn_mapper_keyframes(d.mapper, &before);
	double driven_m = d.robot.odom_distance_m;
	drive_round_beside(&d, 0.2); /* other tracks, other headings */
	drive_round_beside(&d, -0.2);
	driven_m = d.robot.odom_distance_m - driven_m;
	(void)cairn_mapper_keyframes(d.mapper, &after);
	printf("# %u scans kept on the first round, %u more on %.1f m about\n", before, after - before,
	    driven_m);
	ck_assert_double_gt(driven_m, 50.0);
	ck_assert_double_le((double)(after - before), 0.5 * driven_m);
	ck_assert_double_lt(off_m(&d, &pose), 0.05);
	ck_assert_double_lt(d.worst_m, 0.08);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

START_TEST(hours_in_a_known_flat_keep_no_more_scans_and_the_pose_stays_right)
{
	struct drive d;
	struct cairn_msg_pose pose;
	uint32_t before, after;
	drive_begin(&d);
	drive_round(&d);
	for (int i = 1; i <= 4; i++) /* until every place has enough */
		drive_round_beside(&d, 0.1 * (i % 3 - 1));
	(void)cairn_mapper_keyframes(d.mapper, &before);
	uint32_t edges = cairn_mapper_graph(d.mapper)->edge_count;
	double from_m = d.robot.odom_distance_m;
	for (int i = 0; i < 6; i++)
		drive_round_beside(&d, 0.1 * (i % 3 - 1));
	(void)cairn_mapper_keyframes(d.mapper, &after);
	const struct cairn_pose_graph *g = cairn_mapper_graph(d.mapper);
	printf("# %u scans kept, %u after %.0f m more; %u edges, %u; worst %.3f m %.2f deg\n", before, after,
	    d.robot.odom_distance_m - from_m, edges, g->edge_count, d.worst_m, cairn_rad_to_deg(d.worst_rad));
	ck_assert_double_gt(d.robot.odom_distance_m - from_m, 150.0);
	ck_assert_uint_le(after, before + before / 20);
	ck_assert_uint_le(g->edge_count, edges + edges / 20);
	ck_assert_uint_eq(g->node_count, after);
	ck_assert_double_lt(off_m(&d, &pose), 0.05);
	ck_assert_double_lt(d.worst_m, 0.08);
	ck_assert_int_ge(d.good, d.scans * 99 / 100);
	cairn_mapper_settle(d.mapper); /* the graph holds together: nothing flies apart */
	ck_assert_double_lt(off_m(&d, &pose), 0.05);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_ALLOCATOR false /* sanitizers bring their own, which keeps what was given back */
#else
#define OWN_ALLOCATOR true
#endif

struct memory {
	size_t taken_bytes;
	double resident_kb;
};

static struct memory memory_now(void)
{
	struct mallinfo2 info = mallinfo2();
	struct memory m = {.taken_bytes = info.uordblks + info.hblkhd};
	char line[128];
	FILE *f = fopen("/proc/self/status", "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f) != NULL)
		(void)sscanf(line, "RssAnon: %lf", &m.resident_kb);
	fclose(f);
	return m;
}

/* What the stage does beside: reports and saves. */
static void drive_round_reporting(struct drive *d, double off_m)
{
	static struct cairn_msg_frontiers frontiers;
	static struct cairn_msg_features features;
	struct cairn_error err;
	drive_round_beside(d, off_m);
	ck_assert(cairn_mapper_frontiers(d->mapper, d->robot.t_ns, &frontiers));
	ck_assert(cairn_mapper_features(d->mapper, &frontiers, &features));
	ck_assert(cairn_mapper_save(d->mapper, "/dev/shm/cairn-test-mapper.bin", &err));
}

START_TEST(a_robot_that_patrols_a_known_flat_takes_no_more_memory_nor_when_it_is_lost)
{
	struct drive d;
	if (!OWN_ALLOCATOR)
		CAIRN_SKIP("the sanitizer's allocator is not the one that is counted");
	drive_begin(&d);
	drive_round_reporting(&d, 0.0);
	drive_round_reporting(&d, 0.1);
	struct memory before = memory_now();
	for (int i = 0; i < 3; i++)
		drive_round_reporting(&d, 0.1 * (i - 1));
	cairn_mapper_settle(d.mapper); /* draws the whole map anew */
	struct memory after = memory_now();
	d.robot.truth.x_m = 6.0; /* carried away: it searches everywhere */
	d.robot.truth.y_m = 1.2;
	stand(&d, 60);
	struct memory lost = memory_now();
	unlink("/dev/shm/cairn-test-mapper.bin");
	printf("# taken %zu kB, %zu, lost %zu; resident %.0f kB, %.0f, lost %.0f\n", before.taken_bytes >> 10,
	    after.taken_bytes >> 10, lost.taken_bytes >> 10, before.resident_kb, after.resident_kb,
	    lost.resident_kb);
	ck_assert_uint_gt(cairn_mapper_counts(d.mapper).loops_tried + cairn_mapper_epoch(d.mapper), 0);
	ck_assert_uint_le(after.taken_bytes, before.taken_bytes + (32 << 10));
	ck_assert_double_le(after.resident_kb, before.resident_kb + 64.0);
	ck_assert_uint_le(lost.taken_bytes, before.taken_bytes + (32 << 10));
	ck_assert_double_le(lost.resident_kb, before.resident_kb + 64.0);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

/* Distances from the goal over the known floor, as a planner would have them. */
static bool plan(struct cairn_wavefront *wave, const struct cairn_grid *g, double x_m, double y_m)
{
	int32_t w = g->width, h = g->height;
	if (!cairn_wavefront_resize(wave, w, h))
		return false;
	for (size_t i = 0; i < (size_t)w * (size_t)h; i++)
		wave->cell[i] = g->odds[i] >= CAIRN_ODDS_OCCUPIED ? CAIRN_WAVEFRONT_OCCUPIED
				: cairn_odds_free(g->odds[i])     ? CAIRN_WAVEFRONT_FREE
								  : CAIRN_WAVEFRONT_UNKNOWN;
	cairn_wavefront_clearances(wave, 6);
	cairn_wavefront_spread(
	    wave, cairn_grid_cell(g, x_m) - g->cx0, cairn_grid_cell(g, y_m) - g->cy0, 8, 3);
	return true;
}

/* The point two steps of two cells down the distances from the robot. */
static struct cairn_vec2 aim(
    const struct cairn_wavefront *wave, const struct cairn_grid *g, struct cairn_pose2 at)
{
	int32_t x = cairn_grid_cell(g, at.x_m) - g->cx0, y = cairn_grid_cell(g, at.y_m) - g->cy0;
	for (int step = 0; step < 2; step++) {
		int32_t best_x = x, best_y = y;
		uint32_t best = UINT32_MAX;
		for (int k = 0; k < 9; k++) {
			int32_t u = x + 2 * (k % 3 - 1), v = y + 2 * (k / 3 - 1);
			uint32_t here = cairn_wavefront_distance(wave, u, v);
			if (here < best) {
				best = here;
				best_x = u;
				best_y = v;
			}
		}
		x = best_x;
		y = best_y;
	}
	return (struct cairn_vec2){(x + g->cx0 + 0.5) * g->cell_m, (y + g->cy0 + 0.5) * g->cell_m};
}

/* Nearest frontier first, until none is left; the number of tenths of a second it took, or -1. */
static int explore(struct drive *d, int steps_max)
{
	struct cairn_wavefront wave;
	struct cairn_msg_frontiers f;
	struct cairn_msg_pose pose;
	cairn_wavefront_init(&wave);
	int none = 0, step = 0;
	for (; step < steps_max && none < 6; step++) {
		if (step % 5 == 0) {
			ck_assert(cairn_mapper_frontiers(d->mapper, d->robot.t_ns, &f));
			none = f.reachable == 0 && step > 20 ? none + 1 : 0;
			if (f.reachable > 0)
				ck_assert(plan(&wave, cairn_mapper_grid(d->mapper), f.items[0].goal_x_m,
				    f.items[0].goal_y_m));
		}
		cairn_mapper_pose(d->mapper, &pose);
		struct cairn_twist t = {0.0, 0.0};
		if (f.reachable > 0 &&
		    hypot(f.items[0].goal_x_m - pose.x_m, f.items[0].goal_y_m - pose.y_m) > 0.08) {
			struct cairn_vec2 to = aim(&wave, cairn_mapper_grid(d->mapper),
			    (struct cairn_pose2){pose.x_m, pose.y_m, 0.0});
			t = map_robot_steer(&d->robot, to.x_m, to.y_m);
			t.v_mps = fabs(t.w_radps) > 0.6
				      ? 0.0
				      : t.v_mps; /* turns on the spot, so never off its path */
		}
		drive_step(d, t, true);
	}
	cairn_wavefront_free(&wave);
	for (uint32_t i = 0; i < f.items_count; i++)
		printf(
		    "#   frontier %u at %.2f %.2f goal %.2f %.2f cells %u width %.2f distance %.2f kind %d\n",
		    f.items[i].id, f.items[i].x_m, f.items[i].y_m, f.items[i].goal_x_m, f.items[i].goal_y_m,
		    f.items[i].cells, f.items[i].width_m, f.items[i].distance_m, f.items[i].kind);
	printf("# %.0f s, %.1f m: free %.1f m2, worst %.3f m %.2f deg, %u reachable of %u\n", d->scans / 10.0,
	    d->robot.odom_distance_m, f.free_m2, d->worst_m, cairn_rad_to_deg(d->worst_rad), f.reachable,
	    f.total);
	return none < 6 ? -1 : step;
}

START_TEST(exploring_a_flat_ends_with_all_of_it_seen)
{
	struct drive d;
	drive_begin(&d);
	int steps = explore(&d, 3000);
	ck_assert_int_gt(steps, 0);
	const struct cairn_grid *g = cairn_mapper_grid(d.mapper);
	ck_assert_double_gt(g->free_cells * 0.0025, 51.5); /* of 54 m2 of floor */
	ck_assert_double_lt(d.worst_m, 0.05);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

static enum cairn_tracking tracking(const struct drive *d)
{
	struct cairn_msg_pose pose;
	cairn_mapper_pose(d->mapper, &pose);
	return pose.tracking;
}

START_TEST(a_restart_of_the_odometry_on_the_way_is_survived)
{
	struct drive d;
	drive_begin(&d);
	drive_to(&d, 1.0, 0.0);
	d.robot.odom = (struct cairn_pose2){0};
	d.epoch = 12;
	drive_to(&d, 2.5, 0.0);
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_GOOD);
	ck_assert_double_lt(d.worst_m, 0.05);
	ck_assert_uint_eq(cairn_mapper_counts(d.mapper).restarts, 1);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

START_TEST(odometry_gone_wild_is_not_believed)
{
	struct drive d;
	drive_begin(&d);
	drive_to(&d, 1.0, 0.0);
	for (int i = 0; i < 20; i++) {
		d.robot.odom.x_m += 3.0; /* a jump each tenth of a second */
		d.robot.odom.yaw_rad += 2.0;
		drive_step(&d, map_robot_steer(&d.robot, 2.5, 0.0), true);
	}
	struct cairn_msg_pose pose;
	ck_assert_double_lt(off_m(&d, &pose), 0.08);
	ck_assert_uint_ge(cairn_mapper_counts(d.mapper).wild, 20);
	drive_to(&d, 2.5, 0.0);
	ck_assert_double_lt(off_m(&d, &pose), 0.05);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

START_TEST(without_scans_tracking_is_weak_until_they_come_back)
{
	struct drive d;
	drive_begin(&d);
	drive_to(&d, 1.0, 0.0);
	for (int i = 0; i < 25; i++)
		drive_step(&d, (struct cairn_twist){0.3, 0.0}, false);
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_WEAK);
	struct cairn_msg_pose pose;
	cairn_mapper_pose(d.mapper, &pose);
	ck_assert_double_gt(pose.sigma_xy_m, 0.05);
	stand(&d, 4);
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_GOOD);
	ck_assert_double_lt(off_m(&d, &pose), 0.03);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

START_TEST(broken_scans_and_odometry_change_nothing)
{
	struct drive d;
	drive_begin(&d);
	drive_to(&d, 0.6, 0.0);
	uint32_t known = cairn_mapper_grid(d.mapper)->free_cells;
	struct cairn_msg_odom odom = {.x_m = NAN};
	ck_assert(!cairn_mapper_odom(d.mapper, &odom, d.robot.t_ns + 1000, d.epoch, NULL));
	ck_assert_int_eq(
	    cairn_mapper_scan(d.mapper, &scan, d.robot.t_ns), CAIRN_SCAN_REFUSED); /* the same again */
	for (uint32_t i = 0; i < scan.range_m_count; i++)
		scan.range_m[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? 0.0F : 1e30F;
	d.robot.t_ns += 50 * CAIRN_NS_PER_MS;
	ck_assert_int_eq(cairn_mapper_scan(d.mapper, &scan, d.robot.t_ns), CAIRN_SCAN_UNFIT);
	scan.range_m_count = 0;
	d.robot.t_ns += 50 * CAIRN_NS_PER_MS;
	ck_assert_int_eq(cairn_mapper_scan(d.mapper, &scan, d.robot.t_ns), CAIRN_SCAN_UNFIT);
	ck_assert_uint_eq(cairn_mapper_grid(d.mapper)->free_cells, known);
	ck_assert_uint_eq(cairn_mapper_counts(d.mapper).refused, 2);
	stand(&d, 4);
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_GOOD);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

START_TEST(a_robot_carried_away_says_that_it_is_lost_and_is_found_when_it_is_back)
{
	struct drive d;
	drive_begin(&d);
	drive_to(&d, 1.0, 0.0);
	stand(&d, 5);
	struct cairn_pose2 here = d.robot.truth;
	uint32_t known = cairn_mapper_grid(d.mapper)->free_cells, keyframes, keyframes_lost;
	(void)cairn_mapper_keyframes(d.mapper, &keyframes);
	d.robot.truth = (struct cairn_pose2){7.6, 2.6, 2.2};
	stand(&d, 30);
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_LOST);
	ck_assert_uint_le(cairn_mapper_grid(d.mapper)->free_cells, known + 20);
	(void)cairn_mapper_keyframes(d.mapper, &keyframes_lost);
	ck_assert_uint_eq(keyframes_lost, keyframes);
	d.robot.truth = here;
	d.robot.truth.x_m += 0.5;
	d.robot.truth.yaw_rad += 0.7;
	stand(&d, 60);
	struct cairn_msg_pose pose;
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_GOOD);
	ck_assert_double_lt(off_m(&d, &pose), 0.03);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

START_TEST(a_door_that_is_shut_is_noticed_by_a_robot_that_stands)
{
	struct drive d;
	drive_begin(&d);
	drive_to(&d, 0.6, 0.0);
	stand(&d, 10);
	const struct cairn_grid *g = cairn_mapper_grid(d.mapper);
	ck_assert(cairn_odds_free(cairn_grid_odds(g, 21, 14))); /* in the doorway at 1.05, 0.7 */
	map_world_wall(&flat, 0.6, 0.72, 1.5, 0.72);
	stand(&d, 90);
	ck_assert(cairn_odds_occupied(cairn_grid_odds(g, 21, 14)));
	flat.count--;
	stand(&d, 120);
	ck_assert(cairn_odds_free(cairn_grid_odds(g, 21, 14)));
	ck_assert_int_eq(tracking(&d), CAIRN_TRACKING_GOOD);
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

/* 20 m of bare corridor: the length driven is what odometry says, within its slip, and the heading stays. */
START_TEST(a_bare_corridor_does_not_shorten)
{
	struct drive d;
	drive_begin(&d);
	flat.count = 0;
	map_world_box(&flat, -1.0, -0.8, 30.0, 0.8);
	drive_to(&d, 20.0, 0.0);
	struct cairn_msg_pose pose;
	cairn_mapper_pose(d.mapper, &pose);
	ck_assert_double_eq_tol(pose.x_m, d.robot.truth.x_m, 0.02 * 20.0 + 0.1);
	ck_assert_double_eq_tol(pose.y_m, d.robot.truth.y_m, 0.05);
	ck_assert_double_eq_tol(pose.yaw_rad, d.robot.truth.yaw_rad, cairn_deg_to_rad(0.5));
	cairn_mapper_destroy(&d.mapper);
}
END_TEST

CAIRN_TEST_MAIN("mapper", a_flat_is_driven_within_5_cm_and_1_degree,
    driving_about_in_a_known_flat_keeps_a_scan_every_other_metre_at_most,
    hours_in_a_known_flat_keep_no_more_scans_and_the_pose_stays_right,
    a_robot_that_patrols_a_known_flat_takes_no_more_memory_nor_when_it_is_lost,
    exploring_a_flat_ends_with_all_of_it_seen, a_restart_of_the_odometry_on_the_way_is_survived,
    odometry_gone_wild_is_not_believed, without_scans_tracking_is_weak_until_they_come_back,
    broken_scans_and_odometry_change_nothing,
    a_robot_carried_away_says_that_it_is_lost_and_is_found_when_it_is_back,
    a_door_that_is_shut_is_noticed_by_a_robot_that_stands, a_bare_corridor_does_not_shorten)
