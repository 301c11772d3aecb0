#include "test/support/runner.h"

#include "common/slam/map_log.h"

#include <unistd.h>
#include <zlib.h>

static struct cairn_log_turn turn;
static struct cairn_error err;
static char path[256];

static const char *write_log(const char *text, bool zipped)
{
	snprintf(path, sizeof(path), "/tmp/cairn-log-%d.log", (int)getpid());
	gzFile f = gzopen(path, zipped ? "w" : "wT");
	ck_assert_int_eq(gzputs(f, text), (int)strlen(text));
	gzclose(f);
	return path;
}

/* The robot goes 1 m ahead by odometry between the scans; the corrected pose of the second is 0.2 m farther,
 * and must not show. The line behind each FLASER repeats its pose. */
static const char carmen[] = "# comment\n"
			     "PARAM robot_width 0.4\n"
			     "ODOM 5.0 5.0 0.0 0 0 0 1.0 host 1.0\n"
			     "FLASER 3 1.0 2.0 81.91 5.0 5.0 1.5707963 5.0 5.0 1.5707963 1.0 host 1.5\n"
			     "ODOM 5.0 5.0 1.5707963 0 0 0 0 host 0\n"
			     "ODOM 5.0 6.0 1.5707963 0 0 0 2.0 host 2.0\n"
			     "FLASER 3 1.0 1.0 1.0 5.0 6.2 1.5707963 5.0 6.2 1.5707963 2.0 host 2.5\n";

START_TEST(odometry_of_a_carmen_log_is_chained_without_its_corrected_poses)
{
	for (int zipped = 0; zipped < 2; zipped++) {
		struct cairn_log_reader *r = cairn_log_open(write_log(carmen, zipped != 0), NULL, &err);
		ck_assert_msg(r != NULL, "%s", err.text);
		ck_assert_int_eq(cairn_log_next(r, &turn, &err), 1);
		ck_assert_uint_eq(turn.number, 0);
		ck_assert_double_eq(turn.odom.x_m, 0.0);
		ck_assert_double_eq_tol(turn.t_s, 1.5, 1e-9);
		ck_assert_uint_eq(turn.scan.range_m_count, 3);
		ck_assert_float_eq_tol(turn.scan.angle_rad[0], (float)(-M_PI / 2), 1e-6F);
		ck_assert_float_eq_tol(turn.scan.angle_rad[1], 0.0F, 1e-6F);
		ck_assert_float_eq_tol(turn.scan.range_m[1], 2.0F, 1e-6F);
		ck_assert_float_lt(turn.scan.range_max_m, 81.91F);
		ck_assert_int_eq(cairn_log_next(r, &turn, &err), 1);
		ck_assert_double_eq_tol(turn.odom.x_m, 1.0, 1e-6);
		ck_assert_double_eq_tol(turn.odom.y_m, 0.0, 1e-6);
		ck_assert_double_eq_tol(turn.odom.yaw_rad, 0.0, 1e-6);
		ck_assert_int_eq(cairn_log_next(r, &turn, &err), 0);
		cairn_log_close(&r);
	}
	unlink(path);
}
END_TEST

START_TEST(a_broken_line_is_named)
{
	struct cairn_log_reader *r =
	    cairn_log_open(write_log("ODOM 0 0 0 0 0 0 1 host 1\nFLASER 3 1.0 2.0\n", false), NULL, &err);
	ck_assert_ptr_nonnull(r);
	ck_assert_int_lt(cairn_log_next(r, &turn, &err), 0);
	ck_assert_ptr_nonnull(strstr(err.text, ":2:"));
	cairn_log_close(&r);
	ck_assert_ptr_null(cairn_log_open(write_log("hello\n", false), NULL, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "neither"));
	unlink(path);
	ck_assert_ptr_null(cairn_log_open("/nonexistent/log", NULL, &err));
}
END_TEST

/* The share of odometry's path lengths in lidar.csv, and the trajectory file's own columns. */
START_TEST(odometry_is_that_of_the_trajectory_file)
{
	char log[1100], trajectory[1100];
	if (cairn_shared_path("lidar/aces-corrected.log.gz") == NULL)
		CAIRN_SKIP("no LiDAR logs");
	snprintf(log, sizeof(log), "%s", cairn_shared_path("lidar/aces-corrected.log.gz"));
	snprintf(trajectory, sizeof(trajectory), "%s", cairn_shared_path("lidar/aces.traj.txt.gz"));
	struct cairn_log_reader *own = cairn_log_open(log, NULL, &err);
	struct cairn_log_reader *other = cairn_log_open(log, trajectory, &err);
	struct cairn_pose2 before = {0};
	double way_m = 0.0;
	int n = 0;
	while (cairn_log_next(own, &turn, &err) > 0) {
		struct cairn_pose2 odom = turn.odom;
		way_m += hypot(odom.x_m - before.x_m, odom.y_m - before.y_m);
		before = odom;
		ck_assert_int_eq(cairn_log_next(other, &turn, &err), 1);
		ck_assert_double_eq_tol(odom.x_m, turn.odom.x_m, 0.01);
		ck_assert_double_eq_tol(odom.y_m, turn.odom.y_m, 0.01);
		n++;
	}
	ck_assert_int_eq(n, 440);
	ck_assert_double_eq_tol(way_m, 322.11, 0.05);
	cairn_log_close(&own);
	cairn_log_close(&other);
}
END_TEST

START_TEST(a_log_of_wheel_ticks_ends_where_dead_reckoning_does)
{
	if (cairn_shared_path("lidar/exp1.dat.gz") == NULL)
		CAIRN_SKIP("no LiDAR logs");
	struct cairn_log_reader *r = cairn_log_open(cairn_shared_path("lidar/exp1.dat.gz"), NULL, &err);
	int n = 0;
	while (cairn_log_next(r, &turn, &err) > 0)
		n++;
	ck_assert_int_eq(n, 756);
	ck_assert_double_eq_tol(turn.odom.x_m, -1.15, 0.01);
	ck_assert_double_eq_tol(turn.odom.y_m, 15.12, 0.01);
	ck_assert_double_eq_tol(turn.odom.yaw_rad, 0.93, 0.01);
	ck_assert_uint_eq(turn.scan.range_m_count, 682 - 2 * 70);
	ck_assert_double_eq(turn.lidar_x_m, 0.145);
	cairn_log_close(&r);
}
END_TEST

/* Poses on a line, relations of which one is 0.3 m and 0.1 rad off: mean and standard deviation by hand. */
START_TEST(relations_are_scored_as_defined)
{
	struct cairn_pose2 poses[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}};
	double times_s[3] = {10.0, 11.0, 12.0};
	struct cairn_map_log log = {.scans = 3, .times_s = times_s};
	struct cairn_relation_score s;
	const char *file = write_log("110.0 111.0 1.0 0 0 0 0 0\n"
				     "110.1 112.1 1.7 0 0 0 0 0.1\n"
				     "110.0 150.0 1.0 0 0 0 0 0\n",
	    false);
	ck_assert(cairn_map_log_score(&log, poses, file, 100.0, &s, &err));
	ck_assert_uint_eq(s.relations, 2);
	ck_assert_uint_eq(s.unmatched, 1);
	ck_assert_double_eq_tol(s.mean_m, 0.15, 1e-9);
	ck_assert_double_eq_tol(s.sd_m, 0.15, 1e-9);
	ck_assert_double_eq_tol(s.mean_rad, 0.05, 1e-9);
	ck_assert_double_eq_tol(s.sd_rad, 0.05, 1e-9);
	ck_assert(!cairn_map_log_score(&log, poses, file, 0.0, &s, &err));
	unlink(path);
}
END_TEST

CAIRN_TEST_MAIN("map_log", odometry_of_a_carmen_log_is_chained_without_its_corrected_poses,
    a_broken_line_is_named, odometry_is_that_of_the_trajectory_file,
    a_log_of_wheel_ticks_ends_where_dead_reckoning_does, relations_are_scored_as_defined)
