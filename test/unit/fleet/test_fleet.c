/* A robot under master control of a fleet: what it tells, how it drives nodes, actions, zones and updates of an order. */
#include "test/support/fleet_rig.h"

START_TEST(topics_and_last_will_are_those_of_the_version)
{
	char topic[128];
	for (int v = V2; v <= (int)V3; v++) {
		start((enum cairn_choice_fleet_version)v);
		cairn_fleet_topic(r.fleet, CAIRN_VDA_STATE, topic, sizeof(topic));
		ck_assert_str_eq(
		    topic, v == (int)V2 ? "uagv/v2/cairn/r1/state" : "vda5050/v3/cairn/r1/state");
		char *will = cairn_fleet_last_will(r.fleet, T0_NS);
		ck_assert_ptr_ne(
		    strstr(will, v == (int)V2 ? "\"CONNECTIONBROKEN\"" : "\"CONNECTION_BROKEN\""), NULL);
		free(will);
		/* 100 s of 1970, the first of its topic */
		ck_assert_ptr_ne(
		    strstr(r.connection, "{\"headerId\":0,\"timestamp\":\"1970-01-01T00:01:40.000Z\""), NULL);
		ck_assert_ptr_ne(strstr(r.connection, "\"connectionState\":\"ONLINE\""), NULL);
		ck_assert_ptr_ne(
		    json_object_get(r.state, v == (int)V2 ? "batteryState" : "powerSupply"), NULL);
		ck_assert_ptr_eq(
		    json_object_get(r.state, v == (int)V2 ? "powerSupply" : "batteryState"), NULL);
		end();
	}
}
END_TEST

START_TEST(an_order_is_driven_node_by_node_to_its_end)
{
	start(V2);
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 3, 3));
	run(0.2);
	ck_assert_str_eq(text_of("orderId"), "a");
	ck_assert_str_eq(text_of("lastNodeId"), "n0");
	ck_assert_uint_eq(count_of("nodeStates"), 2);
	ck_assert_uint_eq(count_of("edgeStates"), 2);
	run(6.0);
	ck_assert_str_eq(r.gotos[0], "2.00 0.00");
	ck_assert_str_eq(r.gotos[1], "4.00 0.00");
	ck_assert_int_eq(r.goto_count, 2);
	ck_assert_str_eq(text_of("lastNodeId"), "n2");
	ck_assert_uint_eq(count_of("nodeStates") + count_of("edgeStates"), 0);
	ck_assert(json_is_false(json_object_get(r.state, "driving")));
	end();
}
END_TEST

/* Four decimals of pi are more than pi, which the schemas of 3.0 do not allow. */
START_TEST(a_heading_of_half_a_turn_is_within_what_the_standard_allows)
{
	for (int side = -1; side <= 1; side += 2) {
		start(V3);
		r.pose.yaw_rad = side * M_PI;
		run(31.0);
		double theta_rad = json_number_value(
		    json_object_get(json_object_get(r.state, "mobileRobotPosition"), "theta"));
		ck_assert_double_le(fabs(theta_rad), 3.14159265359);
		ck_assert_double_eq_tol(fabs(theta_rad), M_PI, 1e-3);
		end();
	}
}
END_TEST

START_TEST(the_horizon_is_driven_only_when_an_update_releases_it)
{
	start(V2);
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 4, 2));
	run(6.0);
	ck_assert_int_eq(r.goto_count, 1);
	ck_assert_uint_eq(count_of("nodeStates"), 2);
	ck_assert(json_is_true(json_object_get(r.state, "newBaseRequest")));
	send(CAIRN_VDA_ORDER,
	    order("a", 1, 1, 2, 2)); /* n1 is where the base ends; n3 is not to be any more */
	run(4.0);
	ck_assert_int_eq(r.goto_count, 2);
	ck_assert_str_eq(text_of("lastNodeId"), "n2");
	ck_assert_int_eq(json_integer_value(json_object_get(r.state, "orderUpdateId")), 1);
	ck_assert_uint_eq(count_of("nodeStates"), 0);
	end();
}
END_TEST

START_TEST(an_action_that_blocks_is_done_before_the_robot_drives_on)
{
	start(V2);
	json_t *m = order("a", 0, 0, 2, 2);
	add_wait(m, 0, "w1", "NONE", 30.0);
	add_wait(m, 0, "w2", "SOFT", 2.0);
	send(CAIRN_VDA_ORDER, m);
	run(1.5);
	ck_assert_str_eq(action_status("actionStates", "w1"), "RUNNING");
	ck_assert_str_eq(action_status("actionStates", "w2"), "RUNNING");
	ck_assert_int_eq(r.goto_count, 0);
	run(1.5);
	ck_assert_str_eq(action_status("actionStates", "w2"), "FINISHED");
	ck_assert_int_eq(r.goto_count, 1);
	run(3.0);
	ck_assert_str_eq(text_of("lastNodeId"), "n1");
	ck_assert_str_eq(action_status("actionStates", "w1"), "RUNNING");
	end();
}
END_TEST

START_TEST(a_hard_action_is_done_alone_and_in_its_turn)
{
	start(V2);
	json_t *m = order("a", 0, 0, 1, 1);
	add_wait(m, 0, "w1", "NONE", 1.0);
	add_wait(m, 0, "w2", "HARD", 1.0);
	add_wait(m, 0, "w3", "NONE", 1.0);
	send(CAIRN_VDA_ORDER, m);
	run(0.5);
	ck_assert_str_eq(action_status("actionStates", "w2"), "WAITING");
	run(1.0);
	ck_assert_str_eq(action_status("actionStates", "w2"), "RUNNING");
	ck_assert_str_eq(action_status("actionStates", "w3"), "WAITING");
	run(3.0);
	ck_assert_str_eq(action_status("actionStates", "w3"), "FINISHED");
	end();
}
END_TEST

START_TEST(a_node_that_cannot_be_reached_is_told_and_tried_again)
{
	start(V3);
	r.stuck = true;
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 2, 2));
	run(5.0);
	ck_assert(has_error("NODE_UNREACHABLE"));
	ck_assert_int_eq(r.goto_count, 1);
	r.stuck = false;
	run(35.0);
	ck_assert_int_eq(r.goto_count, 2);
	ck_assert(!has_error("NODE_UNREACHABLE"));
	ck_assert_str_eq(text_of("lastNodeId"), "n1");
	end();
}
END_TEST

START_TEST(a_sequencer_that_does_not_answer_is_asked_again)
{
	start(V2);
	r.away = true;
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 2, 2));
	run(5.0);
	r.away = false;
	run(8.0);
	ck_assert_str_eq(text_of("lastNodeId"), "n1");
	end();
}
END_TEST

START_TEST(nodes_are_on_the_fleets_map_and_goals_on_the_robots)
{
	start(V2);
	end();
	struct cairn_error err = {""};
	r.cfg.fleet.map_x_m = 10.0;
	r.cfg.fleet.map_yaw_deg = 90.0;
	r.state = r.visualization = NULL;
	r.connection = r.record = NULL;
	r.fleet = cairn_fleet_new(&r.cfg, NULL, &err);
	cairn_fleet_connected(r.fleet, true, r.now_ns);
	json_t *m = order("a", 0, 0, 2, 2);
	json_object_set_new(json_object_get(node_of(m, 0), "nodePosition"), "x", json_real(10.0));
	json_object_set_new(json_object_get(node_of(m, 1), "nodePosition"), "x", json_real(10.0));
	json_object_set_new(json_object_get(node_of(m, 1), "nodePosition"), "y", json_real(3.0));
	run(0.2);
	send(CAIRN_VDA_ORDER, m);
	run(1.0);
	ck_assert_str_eq(r.gotos[0], "3.00 0.00"); /* north on the fleet's map is ahead on the robot's */
	double y = json_number_value(json_object_get(json_object_get(r.state, "agvPosition"), "y"));
	ck_assert_double_gt(y, 0.0);
	end();
}
END_TEST

START_TEST(a_zone_set_needs_the_right_and_replaces_the_one_before)
{
	const char *set = "{\"zoneSetId\":\"z1\",\"mapId\":\"map\",\"zones\":[{\"zoneId\":\"a\",\"zoneType\":"
			  "\"BLOCKED\",\"vertices\":"
			  "[{\"x\":1,\"y\":1},{\"x\":2,\"y\":1},{\"x\":2,\"y\":2}]}]}";
	start(V3);
	json_t *m = header();
	json_object_set_new(m, "zoneSet", json_loads(set, 0, NULL));
	json_incref(m);
	send(CAIRN_VDA_ZONE_SET, m);
	run(0.5);
	ck_assert_int_eq(r.zone_count, 0);
	ck_assert(has_error("INVALID_ZONE_SET"));
	json_incref(m);
	end();
	start(V3);
	cairn_fleet_destroy(&r.fleet);
	struct cairn_error err = {""};
	snprintf(r.cfg.fleet.rights, sizeof(r.cfg.fleet.rights), "drive,configure");
	r.fleet = cairn_fleet_new(&r.cfg, NULL, &err);
	cairn_fleet_connected(r.fleet, true, r.now_ns);
	send(CAIRN_VDA_ZONE_SET, m);
	run(0.5);
	ck_assert_str_eq(r.zones[0], "keepout fleet-0 1.00,1.00 2.00,1.00 2.00,2.00");
	ck_assert_uint_eq(count_of("zoneSets"), 1);
	json_t *next = json_deep_copy(m);
	json_object_set_new(json_object_get(next, "zoneSet"), "zones", json_array());
	send(CAIRN_VDA_ZONE_SET, next);
	run(0.5);
	ck_assert_str_eq(r.zones[1], "forget fleet-0");
	ck_assert_int_eq(r.zone_count, 2);
	json_decref(m);
	end();
}
END_TEST

START_TEST(a_visualization_of_3_0_names_the_state_that_it_adds_to)
{
	start(V3);
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 3, 3));
	run(2.5);
	ck_assert_ptr_ne(r.visualization, NULL);
	ck_assert_int_ge(json_integer_value(json_object_get(r.visualization, "referenceStateHeaderId")), 1);
	ck_assert_int_le(json_integer_value(json_object_get(r.visualization, "referenceStateHeaderId")),
	    json_integer_value(json_object_get(r.state, "headerId")));
	end();
}
END_TEST

START_TEST(the_state_is_sent_again_before_thirty_seconds_are_over)
{
	start(V2);
	run(1.0);
	int before = r.states;
	run(29.0);
	ck_assert_int_ge(r.states, before);
	run(2.0);
	ck_assert_int_ge(r.states, before + 1);
	ck_assert_int_le(r.states, before + 2);
	end();
}
END_TEST

CAIRN_TEST_MAIN("fleet", topics_and_last_will_are_those_of_the_version,
    an_order_is_driven_node_by_node_to_its_end, a_heading_of_half_a_turn_is_within_what_the_standard_allows,
    the_horizon_is_driven_only_when_an_update_releases_it,
    an_action_that_blocks_is_done_before_the_robot_drives_on, a_hard_action_is_done_alone_and_in_its_turn,
    a_node_that_cannot_be_reached_is_told_and_tried_again, a_sequencer_that_does_not_answer_is_asked_again,
    nodes_are_on_the_fleets_map_and_goals_on_the_robots,
    a_zone_set_needs_the_right_and_replaces_the_one_before,
    a_visualization_of_3_0_names_the_state_that_it_adds_to,
    the_state_is_sent_again_before_thirty_seconds_are_over)
