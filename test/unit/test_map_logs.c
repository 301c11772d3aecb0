#include "test/support/runner.h"

#include "common/map/mapper.h"
#include "test/support/carmen_log.h"

#define SCANS 400

static struct cairn_config cfg;
static struct cairn_msg_scan scan;
static struct carmen_log record;

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static double median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(double), by_value);
	return values[n / 2];
}

struct steps {
	double m[SCANS], rad[SCANS];
};

static void add_error(struct steps *s, int i, struct cairn_pose2 true_step, struct cairn_pose2 step)
{
	struct cairn_pose2 e = cairn_pose_between(true_step, step);
	s->m[i] = hypot(e.x_m, e.y_m);
	s->rad[i] = fabs(e.yaw_rad);
}

/* Maps the first scans of a real log from its odometry, and compares each step with the reference. */
static void map_log(const char *name)
{
	static struct steps mapped, odometry;
	char log_path[1100], below[128];
	snprintf(below, sizeof(below), "lidar/%s-corrected.log.gz", name);
	if (cairn_shared_path(below) == NULL)
		CAIRN_SKIP("no LiDAR logs");
	snprintf(log_path, sizeof(log_path), "%s", cairn_shared_path(below));
	snprintf(below, sizeof(below), "lidar/%s.traj.txt.gz", name);
	ck_assert(carmen_open(&record, log_path, cairn_shared_path(below)));
	cairn_config_defaults(&cfg);
	cfg.robot.lidar_x_m = 0.0;
	cfg.robot.speed_max_mps = 3.0;
	cfg.map.range_use_m = 20.0;
	cfg.map.extent_max_m = 200.0;
	struct cairn_mapper *mapper = cairn_mapper_new(&cfg);
	struct cairn_pose2 reference = {0}, odom = {0}, pose = {0};
	int n = 0;
	int64_t t_ns = CAIRN_NS_PER_S;
	for (; n < SCANS && carmen_next(&record, &scan); n++) {
		t_ns += 300 * CAIRN_NS_PER_MS;
		scan.t_start_ns = t_ns;
		struct cairn_msg_odom o = {
		    .x_m = record.odom.x_m, .y_m = record.odom.y_m, .yaw_rad = record.odom.yaw_rad};
		ck_assert(cairn_mapper_odom(mapper, &o, t_ns, 1, NULL));
		cairn_mapper_scan(mapper, &scan, t_ns);
		struct cairn_msg_pose p;
		cairn_mapper_pose(mapper, &p);
		struct cairn_pose2 now = {p.x_m, p.y_m, p.yaw_rad};
		if (n > 0) {
			struct cairn_pose2 true_step = cairn_pose_between(reference, record.reference);
			add_error(&mapped, n - 1, true_step, cairn_pose_between(pose, now));
			add_error(&odometry, n - 1, true_step, cairn_pose_between(odom, record.odom));
		}
		reference = record.reference;
		odom = record.odom;
		pose = now;
	}
	struct cairn_pose2 end = cairn_pose_between(reference, pose),
			   drift = cairn_pose_between(reference, odom);
	double step_m = median(mapped.m, n - 1), step_rad = median(mapped.rad, n - 1);
	double odom_m = median(odometry.m, n - 1), odom_rad = median(odometry.rad, n - 1);
	printf(
	    "# %s: %d scans, step %.3f m %.2f deg (odometry %.3f m %.2f deg), end %.2f m (odometry %.2f m)\n",
	    name, n, step_m, cairn_rad_to_deg(step_rad), odom_m, cairn_rad_to_deg(odom_rad),
	    hypot(end.x_m, end.y_m), hypot(drift.x_m, drift.y_m));
	ck_assert_double_lt(step_m, odom_m);
	ck_assert_double_lt(step_rad, odom_rad);
	ck_assert_double_lt(hypot(end.x_m, end.y_m), 0.5);
	ck_assert_double_lt(fabs(end.yaw_rad), cairn_deg_to_rad(2.0));
	cairn_mapper_destroy(&mapper);
	carmen_close(&record);
}

START_TEST(an_office_is_mapped_better_than_odometry_has_it)
{
	map_log("freiburg-079");
}
END_TEST

START_TEST(a_building_with_long_corridors_is_mapped_better_than_odometry_has_it)
{
	map_log("freiburg-101");
}
END_TEST

CAIRN_TEST_MAIN("map_logs", an_office_is_mapped_better_than_odometry_has_it,
    a_building_with_long_corridors_is_mapped_better_than_odometry_has_it)
