/* Real logs, mapped from their odometry alone: pace of the errors, loops, and the true relations where there
 * are some. The figures are those of docs/mapping.md, with room for another machine's rounding. */
#include "test/support/runner.h"

#include "common/slam/map_log.h"

static struct cairn_map_log record;
static struct cairn_error err;

static bool map_log(const char *name)
{
	char below[128];
	struct cairn_config cfg;
	snprintf(below, sizeof(below), "lidar/%s.gz", name);
	if (cairn_shared_path(below) == NULL)
		return false;
	cairn_config_defaults(&cfg);
	cairn_map_log_config(&cfg, 15.0);
	ck_assert_msg(cairn_map_log_run(&record, cairn_shared_path(below), NULL, &cfg, &err), "%s", err.text);
	struct cairn_mapper_counts c = cairn_mapper_counts(record.mapper);
	struct cairn_loop_fit fit = cairn_map_log_loop_fit(record.mapper);
	printf("# %s: %u scans, %u weak, %u lost, %d loops, fit %.4f m %.3f deg, worst %.3f m\n", name,
	    record.scans, record.weak, record.lost, (int)c.loops, fit.rms_m, cairn_rad_to_deg(fit.rms_rad),
	    fit.worst_m);
	ck_assert_uint_eq(record.lost, 0);
	ck_assert_uint_le(record.weak, record.scans / 50);
	ck_assert_uint_gt(c.loops, 0);
	ck_assert_double_lt(fit.rms_m, 0.04);
	ck_assert_double_lt(fit.rms_rad, cairn_deg_to_rad(0.6));
	return true;
}

START_TEST(corridors_in_a_square_close)
{
	if (!map_log("aces-corrected.log"))
		CAIRN_SKIP("no LiDAR logs");
	cairn_map_log_free(&record);
}
END_TEST

START_TEST(a_hall_with_large_steps_between_scans_closes)
{
	if (!map_log("freiburg-101-corrected.log"))
		CAIRN_SKIP("no LiDAR logs");
	cairn_map_log_free(&record);
}
END_TEST

START_TEST(a_rover_with_a_short_sighted_lidar_is_mapped)
{
	if (!map_log("exp1.dat"))
		CAIRN_SKIP("no LiDAR logs");
	cairn_map_log_free(&record);
}
END_TEST

START_TEST(an_exhibition_hall_closes)
{
	if (!map_log("acapulco-corrected.log"))
		CAIRN_SKIP("no LiDAR logs");
	cairn_map_log_free(&record);
}
END_TEST

START_TEST(true_relations_are_met_as_by_published_graph_mappers)
{
	struct cairn_relation_score mapped, odometry;
	if (!map_log("freiburg-079-corrected.log"))
		CAIRN_SKIP("no LiDAR logs");
	const char *relations = cairn_shared_path("lidar/fr079.relations.gz");
	ck_assert_ptr_nonnull(relations);
	ck_assert(cairn_map_log_score(&record, record.poses, relations, 1211.404, &mapped, &err));
	ck_assert(cairn_map_log_score(&record, record.odom, relations, 1211.404, &odometry, &err));
	printf("# %u relations: %.4f m (sd %.4f), %.3f deg (sd %.3f); odometry %.2f m\n", mapped.relations,
	    mapped.mean_m, mapped.sd_m, cairn_rad_to_deg(mapped.mean_rad), cairn_rad_to_deg(mapped.sd_rad),
	    odometry.mean_m);
	ck_assert_uint_eq(mapped.relations, 1685);
	ck_assert_double_lt(mapped.mean_m, 0.056);
	ck_assert_double_lt(mapped.sd_m, 0.042);
	ck_assert_double_lt(mapped.mean_rad, cairn_deg_to_rad(0.6));
	ck_assert_double_gt(odometry.mean_m, 1.0);
	cairn_map_log_free(&record);
}
END_TEST

CAIRN_TEST_MAIN("map_logs", corridors_in_a_square_close, a_hall_with_large_steps_between_scans_closes,
    a_rover_with_a_short_sighted_lidar_is_mapped, an_exhibition_hall_closes,
    true_relations_are_met_as_by_published_graph_mappers)
