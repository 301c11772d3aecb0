#include "common/base/polygon.h"
#include "common/sequencer/zone_text.h"
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
	ck_assert_msg(
	    r->last_model_result.outcome == CAIRN_OUTCOME_SUCCESS, "%s", r->last_model_result.reason);
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
	ck_assert_uint_eq(
	    cairn_sequencer_zones(r->seq)->items_count, 6); /* the other places are for people */
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

static bool command(struct rig *r, const char *text, const char **ret_text)
{
	static struct cairn_msg_reply reply;
	struct cairn_msg_command cmd = {.verb = "zone"};
	snprintf(cmd.arg, sizeof(cmd.arg), "%s", text);
	cairn_sequencer_on_command(r->seq, &cmd, r->now_ns, &reply);
	*ret_text = reply.text;
	return reply.ok;
}

static uint32_t count_by(const struct rig *r, enum cairn_zone_author author)
{
	const struct cairn_msg_zones *zones = cairn_sequencer_zones(r->seq);
	uint32_t count = 0;
	for (uint32_t i = 0; i < zones->items_count; i++)
		count += zones->items[i].author == author;
	return count;
}

START_TEST(the_model_never_moves_a_zone_of_a_person_or_of_the_configuration)
{
	struct rig *r = rig_exploring_furnished();
	const char *text;
	ck_assert(command(r, "keepout stairs 3,1 4,1 4,2", &text));
	struct cairn_msg_zone before = cairn_sequencer_zones(r->seq)->items[0];
	define(r, CAIRN_ZONE_KIND_KEEPOUT, "stairs");
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_SUCCESS);
	const struct cairn_msg_zones *zones = cairn_sequencer_zones(r->seq);
	ck_assert_uint_eq(zones->items_count, 2);
	ck_assert_int_eq(zones->items[0].author, CAIRN_ZONE_AUTHOR_OPERATOR);
	ck_assert_int_eq(zones->items[1].author, CAIRN_ZONE_AUTHOR_MODEL);
	ck_assert_int_eq(memcmp(&before, &zones->items[0], sizeof(before)), 0);
	ck_assert(command(r, "forget stairs", &text)); /* an operator outranks the model */
	ck_assert_uint_eq(zones->items_count, 0);
	rig_free(r);
}
END_TEST

START_TEST(people_find_a_place_when_the_model_has_filled_its_own_and_evict_it_when_all_are_full)
{
	struct rig *r = rig_exploring_furnished();
	const char *text;
	char name[64];
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "zone %d", i);
		define(r, CAIRN_ZONE_KIND_SLOWDOWN, name);
	}
	ck_assert_uint_eq(count_by(r, CAIRN_ZONE_AUTHOR_MODEL), 6);
	for (int i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "keepout place%d 3,1 4,1 4,2", i);
		ck_assert_msg(command(r, name, &text), "%s", text);
	}
	ck_assert_uint_eq(count_by(r, CAIRN_ZONE_AUTHOR_OPERATOR), 16);
	ck_assert(!command(r, "keepout onemore 3,1 4,1 4,2", &text));
	define(r, CAIRN_ZONE_KIND_SLOWDOWN, "again");
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_FAILED);
	ck_assert_uint_eq(count_by(r, CAIRN_ZONE_AUTHOR_OPERATOR), 16);
	rig_free(r);
}
END_TEST

START_TEST(zones_of_the_configuration_hold_as_long_as_they_stand_there_whoever_says_what)
{
	struct rig *r = rig_exploring_furnished();
	const char *text;
	snprintf(r->cfg.safety.zones, sizeof(r->cfg.safety.zones), "keepout stairs 3,1 4,1 4,2");
	static struct cairn_mission_record record;
	record = *cairn_sequencer_record(r->seq);
	cairn_sequencer_destroy(&r->seq);
	r->seq = cairn_sequencer_new(&r->cfg, &record, r->now_ns);
	ck_assert_uint_eq(count_by(r, CAIRN_ZONE_AUTHOR_CONFIG), 1);
	ck_assert(!command(r, "forget stairs", &text));
	ck_assert_ptr_nonnull(strstr(text, "safety.zones"));
	ck_assert(command(r, "keepout stairs 5,1 6,1 6,2", &text)); /* a second one of that name */
	ck_assert_uint_eq(count_by(r, CAIRN_ZONE_AUTHOR_CONFIG), 1);
	ck_assert(command(r, "forget stairs", &text));
	ck_assert_uint_eq(count_by(r, CAIRN_ZONE_AUTHOR_OPERATOR), 0);
	ck_assert_uint_eq(count_by(r, CAIRN_ZONE_AUTHOR_CONFIG), 1);
	record = *cairn_sequencer_record(r->seq);
	r->cfg.safety.zones[0] = '\0'; /* taken out of the configuration: gone with the next start */
	cairn_sequencer_destroy(&r->seq);
	r->seq = cairn_sequencer_new(&r->cfg, &record, r->now_ns);
	ck_assert_uint_eq(cairn_sequencer_zones(r->seq)->items_count, 0);
	rig_free(r);
}
END_TEST

/* Asked to drive, what it says that it does. */
static const char *holds(struct rig *r)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	d.speed = CAIRN_SPEED_SLOW;
	d.duration_s = 1.0;
	rig_decide(r, &d);
	rig_run(r, 0.3);
	return r->out.mission.activity;
}

static void say_map(struct rig *r, uint64_t map_id)
{
	struct cairn_msg_pose pose = {.x_m = r->pose.x_m,
	    .y_m = r->pose.y_m,
	    .yaw_rad = r->pose.yaw_rad,
	    .tracking = CAIRN_TRACKING_GOOD,
	    .map_id = map_id};
	r->now_ns += CAIRN_NS_PER_MS;
	cairn_sequencer_on_pose(r->seq, &pose, r->now_ns);
}

START_TEST(zones_of_another_map_make_the_robot_stand_until_an_operator_confirms_them)
{
	struct rig *r = rig_exploring_furnished();
	const char *text;
	say_map(r, 7);
	ck_assert(command(r, "keepout stairs 3,1 4,1 4,2", &text));
	ck_assert_ptr_null(strstr(holds(r), "zones"));
	say_map(r, 7);
	ck_assert_ptr_null(strstr(holds(r), "zones"));
	say_map(r, 8); /* the map was lost, and another one begun */
	ck_assert_ptr_nonnull(strstr(holds(r), "zones are of another map"));
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	static struct cairn_mission_record record;
	record = *cairn_sequencer_record(r->seq);
	ck_assert_uint_eq(record.zones_doubt, CAIRN_ZONE_DOUBT_MAP); /* and its death does not end it */
	ck_assert(command(r, "confirm", &text));
	ck_assert_ptr_null(strstr(holds(r), "zones"));
	ck_assert_double_ne(r->out.cmd_vel.v_mps, 0.0);
	ck_assert_uint_eq(cairn_sequencer_record(r->seq)->zones_map_id, 8);
	rig_free(r);
}
END_TEST

START_TEST(zones_that_cannot_be_read_make_the_robot_stand_and_drawing_one_alone_does_not_end_that)
{
	struct rig *r = rig_exploring_furnished();
	const char *text;
	cairn_sequencer_zones_saved(r->seq, 0, CAIRN_ZONE_DOUBT_LOST);
	ck_assert_ptr_nonnull(strstr(holds(r), "zones of the house cannot be read"));
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	ck_assert(command(r, "keepout stairs 3,1 4,1 4,2", &text));
	say_map(r, 7);
	ck_assert_ptr_nonnull(strstr(holds(r), "zones of the house cannot be read"));
	ck_assert(command(r, "confirm", &text));
	ck_assert_ptr_null(strstr(holds(r), "zones"));
	ck_assert_double_ne(r->out.cmd_vel.v_mps, 0.0);
	rig_free(r);
}
END_TEST

START_TEST(a_file_of_zones_that_is_cut_changed_or_foreign_is_refused_at_every_byte)
{
	static struct cairn_zone_file file, back;
	static unsigned char bytes[CAIRN_ZONES_FILE_BYTES_MAX];
	struct cairn_error err = {""};
	file = (struct cairn_zone_file){.map_id = 7};
	file.zones.items_count = 1;
	ck_assert(cairn_zone_parse(&file.zones.items[0], "keepout stairs 3,1 4,1 4,2", &err));
	int n = cairn_zone_file_encode(&file, 1000, bytes, sizeof(bytes));
	ck_assert_int_gt(n, 0);
	ck_assert(cairn_zone_file_decode(&back, bytes, (size_t)n, &err));
	ck_assert_uint_eq(back.map_id, 7);
	ck_assert_str_eq(back.zones.items[0].name, "stairs");
	for (int i = 0; i < n; i++) {
		ck_assert(!cairn_zone_file_decode(&back, bytes, (size_t)i, &err));
		bytes[i] ^= 0x20;
		ck_assert_msg(!cairn_zone_file_decode(&back, bytes, (size_t)n, &err), "byte %d", i);
		bytes[i] ^= 0x20;
	}
	ck_assert(cairn_zone_file_decode(&back, bytes, (size_t)n, &err));
}
END_TEST

CAIRN_TEST_MAIN("sequencer zones", a_zone_is_the_floor_that_the_robot_sees_ahead,
    the_same_name_is_drawn_anew_and_only_so_many_are_kept,
    zones_of_a_run_before_are_taken_but_for_those_that_cannot_be,
    no_zone_to_keep_out_of_shuts_the_robot_off_from_its_start,
    zones_survive_a_kill_and_broken_ones_are_refused,
    the_model_never_moves_a_zone_of_a_person_or_of_the_configuration,
    people_find_a_place_when_the_model_has_filled_its_own_and_evict_it_when_all_are_full,
    zones_of_the_configuration_hold_as_long_as_they_stand_there_whoever_says_what,
    zones_of_another_map_make_the_robot_stand_until_an_operator_confirms_them,
    zones_that_cannot_be_read_make_the_robot_stand_and_drawing_one_alone_does_not_end_that,
    a_file_of_zones_that_is_cut_changed_or_foreign_is_refused_at_every_byte)
