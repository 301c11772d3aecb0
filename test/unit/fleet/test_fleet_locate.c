/* Master control says where the robot is: a lost robot looks there, one that knows its place keeps it. */
#include "test/support/fleet_rig.h"

static void say_place(
    const char *type, const char *id, double x_m, double y_m, double theta_rad, const char *map)
{
	json_t *m = header();
	json_object_set_new(m, "actions",
	    json_pack("[{s:s, s:s, s:s, s:[{s:s, s:f}, {s:s, s:f}, {s:s, s:f}, {s:s, s:s}, {s:s, s:s}]}]",
		"actionType", type, "actionId", id, "blockingType", "NONE", "actionParameters", "key", "x",
		"value", x_m, "key", "y", "value", y_m, "key", "theta", "value", theta_rad, "key", "mapId",
		"value", map, "key", "lastNodeId", "value", "dock"));
	send(CAIRN_VDA_INSTANT_ACTIONS, m);
}

START_TEST(a_lost_robot_looks_where_master_control_says_and_finds_itself)
{
	start(V3);
	r.pose.tracking = CAIRN_TRACKING_LOST;
	run(0.3);
	say_place("initializePosition", "i", 3.0, 4.0, 1.5707963, "map");
	ck_assert_str_eq(r.located, "3.000 4.000 90.0");
	run(1.0);
	ck_assert_str_eq(action_status("instantActionStates", "i"), "RUNNING");
	r.pose =
	    (struct cairn_msg_pose){.x_m = 3.1, .y_m = 4.1, .yaw_rad = 1.5, .tracking = CAIRN_TRACKING_GOOD};
	run(0.3);
	ck_assert_str_eq(action_status("instantActionStates", "i"), "FINISHED");
	ck_assert_str_eq(text_of("lastNodeId"), "dock");
	ck_assert(!has_error("INVALID_INSTANT_ACTION"));
	end();
}
END_TEST

START_TEST(the_place_is_on_the_fleets_map)
{
	start(V2);
	cairn_fleet_destroy(&r.fleet);
	r.cfg.fleet.map_x_m = 10.0;
	r.cfg.fleet.map_yaw_deg = 90.0;
	struct cairn_error err = {""};
	r.fleet = cairn_fleet_new(&r.cfg, NULL, &err);
	r.pose.tracking = CAIRN_TRACKING_LOST;
	run(0.3);
	/* The robot's origin is at (10, 0) there, and its x axis is the fleet's y axis. */
	say_place("initPosition", "i", 10.0, 2.0, 1.6, "map");
	ck_assert_str_eq(r.located, "2.000 0.000 1.7");
	end();
}
END_TEST

START_TEST(a_place_that_does_not_fit_fails_after_a_while)
{
	start(V2);
	r.pose.tracking = CAIRN_TRACKING_LOST;
	run(0.3);
	say_place("initPosition", "i", 3.0, 4.0, 0.0, "map");
	run(19.0);
	ck_assert_str_eq(action_status("actionStates", "i"), "RUNNING");
	run(2.0);
	ck_assert_str_eq(action_status("actionStates", "i"), "FAILED");
	ck_assert(has_error("instantActionError"));
	ck_assert_str_ne(text_of("lastNodeId"), "dock");
	end();
}
END_TEST

START_TEST(a_robot_that_knows_its_place_keeps_it)
{
	start(V2);
	say_place("initPosition", "far", 3.0, 4.0, 0.0, "map");
	run(0.3);
	ck_assert_str_eq(action_status("actionStates", "far"), "FAILED");
	ck_assert(has_error("instantActionError"));
	r.located[0] = '\0';
	say_place("initPosition", "here", 0.1, -0.1, 0.1, "map");
	run(0.3);
	ck_assert_str_eq(action_status("actionStates", "here"), "FINISHED");
	ck_assert_str_eq(r.located, ""); /* nothing had to be asked */
	end();
}
END_TEST

START_TEST(the_newest_place_counts)
{
	start(V2);
	r.pose.tracking = CAIRN_TRACKING_LOST;
	run(0.3);
	say_place("initPosition", "one", 3.0, 4.0, 0.0, "map");
	say_place("initPosition", "two", 5.0, 6.0, 0.0, "map");
	run(0.3);
	ck_assert_str_eq(action_status("actionStates", "one"), "FAILED");
	ck_assert_str_eq(action_status("actionStates", "two"), "RUNNING");
	ck_assert_str_eq(r.located, "5.000 6.000 0.0");
	end();
}
END_TEST

START_TEST(another_map_or_no_number_is_refused_and_nothing_is_asked)
{
	start(V2);
	r.pose.tracking = CAIRN_TRACKING_LOST;
	run(0.3);
	say_place("initPosition", "m", 3.0, 4.0, 0.0, "cellar");
	send_instant("initPosition", "n");
	run(0.3);
	ck_assert(has_error("instantActionError"));
	ck_assert_str_eq(r.located, "");
	ck_assert_str_eq(action_status("actionStates", "m"), "none");
	end();
}
END_TEST

START_TEST(a_fleet_that_may_only_watch_tells_no_place)
{
	start(V2);
	cairn_fleet_destroy(&r.fleet);
	snprintf(r.cfg.fleet.rights, sizeof(r.cfg.fleet.rights), "watch");
	struct cairn_error err = {""};
	r.fleet = cairn_fleet_new(&r.cfg, NULL, &err);
	ck_assert_msg(r.fleet != NULL, "%s", err.text);
	cairn_fleet_connected(r.fleet, true, r.now_ns);
	r.pose.tracking = CAIRN_TRACKING_LOST;
	run(0.3);
	say_place("initPosition", "i", 3.0, 4.0, 0.0, "map");
	run(0.3);
	ck_assert_str_eq(r.located, "");
	ck_assert_str_eq(action_status("actionStates", "i"), "FAILED");
	end();
}
END_TEST

CAIRN_TEST_MAIN("fleet: where the robot is", a_lost_robot_looks_where_master_control_says_and_finds_itself,
    the_place_is_on_the_fleets_map, a_place_that_does_not_fit_fails_after_a_while,
    a_robot_that_knows_its_place_keeps_it, the_newest_place_counts,
    another_map_or_no_number_is_refused_and_nothing_is_asked, a_fleet_that_may_only_watch_tells_no_place)
