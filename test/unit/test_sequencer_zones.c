#include "common/base/polygon.h"
#include "common/safety/zone_text.h"
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

static void define(struct rig *r, enum cairn_zone_kind kind, const char *name)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_DEFINE_ZONE);
	d.zone_kind = kind;
	snprintf(d.zone_name, sizeof(d.zone_name), "%s", name);
	rig_decide(r, &d);
	rig_run(r, 0.2);
}

static size_t corners_of(const struct cairn_msg_zone *z, struct cairn_vec2 *corners)
{
	for (uint32_t i = 0; i < z->corners_count; i++)
		corners[i] = (struct cairn_vec2){(double)z->corners[i].x_m, (double)z->corners[i].y_m};
	return z->corners_count;
}

START_TEST(a_zone_is_the_floor_that_the_robot_sees_ahead)
{
	struct cairn_vec2 corners[CAIRN_POLYGON_CORNERS_MAX];
	struct rig *r = rig_exploring_furnished();
	define(r, CAIRN_ZONE_KIND_KEEPOUT, "stairs");
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_SUCCESS);
	const struct cairn_msg_zones *zones = cairn_sequencer_zones(r->seq);
	ck_assert_uint_eq(zones->items_count, 1);
	ck_assert_str_eq(zones->items[0].name, "stairs");
	size_t n = corners_of(&zones->items[0], corners);
	ck_assert(cairn_polygon_contains(corners, n, r->pose.x_m + 1.5, r->pose.y_m));
	ck_assert(!cairn_polygon_contains(corners, n, r->pose.x_m, r->pose.y_m));
	rig_free(r);
}
END_TEST

START_TEST(the_same_name_is_drawn_anew_and_only_so_many_are_kept)
{
	struct rig *r = rig_exploring_furnished();
	char name[16];
	define(r, CAIRN_ZONE_KIND_SLOWDOWN, "toys");
	define(r, CAIRN_ZONE_KIND_SLOWDOWN, "toys");
	ck_assert_uint_eq(cairn_sequencer_zones(r->seq)->items_count, 1);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "zone %d", i);
		define(r, CAIRN_ZONE_KIND_SLOWDOWN, name);
	}
	ck_assert_uint_eq(cairn_sequencer_zones(r->seq)->items_count, 16);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_FAILED);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "as many as can be kept"));
	rig_free(r);
}
END_TEST

START_TEST(zones_of_a_run_before_are_taken_but_for_those_that_cannot_be)
{
	struct rig *r = rig_exploring_furnished();
	struct cairn_msg_zones zones = {.items_count = 3};
	static const char *const texts[] = {"keepout stairs 3,1 4,1 4,2", "keepout start -1,-1 1,-1 1,1 -1,1",
	    "slowdown toys 2,-2 3,-2 3,-1"};
	for (int i = 0; i < 3; i++)
		ck_assert(cairn_zone_parse(&zones.items[i], texts[i], NULL));
	ck_assert_uint_eq(
	    cairn_sequencer_keep_zones(r->seq, &zones), 2); /* not the one that holds the start */
	zones.items[0].corners_count = 2;
	zones.items_count = 1;
	ck_assert_uint_eq(cairn_sequencer_keep_zones(r->seq, &zones), 0);
	const struct cairn_msg_zones *kept = cairn_sequencer_zones(r->seq);
	ck_assert_uint_eq(kept->items_count, 2);
	ck_assert_str_eq(kept->items[0].name, "stairs");
	ck_assert_str_eq(kept->items[1].name, "toys");
	ck_assert_uint_ne(kept->items[0].id, kept->items[1].id);
	rig_free(r);
}
END_TEST

START_TEST(no_zone_to_keep_out_of_shuts_the_robot_off_from_its_start)
{
	struct rig *r = rig_exploring_furnished();
	r->pose = (struct cairn_pose2){-1.5, 0.0, 0.0}; /* faces its start */
	rig_run(r, 0.3);
	define(r, CAIRN_ZONE_KIND_KEEPOUT, "carpet");
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_FAILED);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "the start lies in it"));
	ck_assert_uint_eq(cairn_sequencer_zones(r->seq)->items_count, 0);
	rig_free(r);
}
END_TEST

START_TEST(zones_survive_a_kill_and_broken_ones_are_refused)
{
	struct rig *r = rig_exploring_furnished();
	define(r, CAIRN_ZONE_KIND_KEEPOUT, "stairs");
	static unsigned char file[CAIRN_MISSION_RECORD_BYTES];
	static struct cairn_mission_record record, bad;
	struct cairn_error err = {""};
	ck_assert_int_gt(cairn_mission_record_encode(cairn_sequencer_record(r->seq), file, sizeof(file)), 0);
	ck_assert(cairn_mission_record_decode(&record, file, sizeof(file), r->now_ns, &err));
	struct cairn_sequencer *again = cairn_sequencer_new(&r->cfg, &record, r->now_ns);
	ck_assert_str_eq(cairn_sequencer_zones(again)->items[0].name, "stairs");
	cairn_sequencer_destroy(&again);
	bad = record;
	bad.zones.items[0].corners[2].x_m = NAN;
	cairn_mission_record_encode(&bad, file, sizeof(file));
	ck_assert(!cairn_mission_record_decode(&record, file, sizeof(file), r->now_ns, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "zone"));
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("sequencer zones", a_zone_is_the_floor_that_the_robot_sees_ahead,
    the_same_name_is_drawn_anew_and_only_so_many_are_kept,
    zones_of_a_run_before_are_taken_but_for_those_that_cannot_be,
    no_zone_to_keep_out_of_shuts_the_robot_off_from_its_start,
    zones_survive_a_kill_and_broken_ones_are_refused)
