/* A robot of a fleet is stopped, paused, taken by a person, cut off from its broker or killed: what then becomes of its order. */
#include "test/support/fleet_rig.h"

START_TEST(cancel_stands_still_and_fails_what_waits)
{
	start(V2);
	json_t *m = order("a", 0, 0, 3, 3);
	add_wait(m, 2, "w", "HARD", 1.0);
	send(CAIRN_VDA_ORDER, m);
	run(1.0);
	send_instant("cancelOrder", "c");
	ck_assert_int_eq(r.stop_count, 1);
	run(1.0);
	ck_assert_str_eq(action_status("actionStates", "c"), "FINISHED");
	ck_assert_str_eq(action_status("actionStates", "w"), "FAILED");
	ck_assert_uint_eq(count_of("nodeStates"), 0);
	ck_assert_str_eq(text_of("orderId"), "a");
	send_instant("cancelOrder", "c2");
	run(0.2);
	ck_assert_str_eq(action_status("actionStates", "c2"), "FAILED");
	ck_assert(has_error("noOrderToCancel"));
	double x_m = r.pose.x_m;
	send(CAIRN_VDA_ORDER, order("a", 1, 0, 2, 2)); /* an update of what is no more */
	run(2.0);
	ck_assert_double_eq(r.pose.x_m, x_m);
	end();
}
END_TEST

START_TEST(master_control_ends_its_own_pause_and_no_other)
{
	start(V3);
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 2, 2));
	run(0.5);
	send_instant("startPause", "p");
	run(1.0);
	ck_assert_int_eq(r.mission.state, CAIRN_MISSION_STATE_PAUSED);
	ck_assert(json_is_true(json_object_get(r.state, "paused")));
	send_instant("stopPause", "q");
	run(1.5);
	ck_assert_int_eq(r.resume_count, 1);
	r.mission.state = CAIRN_MISSION_STATE_PAUSED;
	person("pause");
	run(0.3);
	send_instant("stopPause", "q2");
	run(3.0);
	ck_assert_int_eq(r.resume_count, 1);
	ck_assert_int_eq(r.mission.state, CAIRN_MISSION_STATE_PAUSED);
	ck_assert_str_eq(action_status("instantActionStates", "q2"), "FAILED");
	r.mission.state = CAIRN_MISSION_STATE_GOTO;
	person("resume");
	run(4.0);
	ck_assert_uint_eq(count_of("nodeStates"), 0);
	end();
}
END_TEST

START_TEST(a_person_who_pauses_what_master_control_has_paused_has_it)
{
	start(V2);
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 2, 2));
	run(0.5);
	send_instant("startPause", "p");
	run(1.5);
	person("pause");
	send_instant("stopPause", "q");
	run(3.0);
	ck_assert_int_eq(r.resume_count, 0);
	ck_assert_str_eq(action_status("actionStates", "q"), "FAILED");
	end();
}
END_TEST

START_TEST(whatever_a_person_sends_the_robot_to_do_takes_it_from_the_fleet)
{
	static const char *const verbs[] = {"stop", "goto", "home", "explore", "task", "survey"};
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		start(V2);
		send(CAIRN_VDA_ORDER, order("a", 0, 0, 2, 2));
		run(0.5);
		person(verbs[i]);
		run(1.0);
		ck_assert_str_eq(text_of("operatingMode"), "MANUAL");
		end();
	}
}
END_TEST

START_TEST(a_persons_stop_holds_until_a_person_gives_the_robot_back)
{
	start(V2);
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 2, 2));
	run(0.5);
	r.mission = (struct cairn_msg_mission){.state = CAIRN_MISSION_STATE_FINISHED};
	person("stop");
	run(1.0);
	ck_assert_str_eq(text_of("operatingMode"), "MANUAL");
	ck_assert_uint_eq(count_of("nodeStates"), 0);
	send(CAIRN_VDA_ORDER, order("b", 0, 0, 2, 2));
	send_instant("stopPause", "q");
	run(5.0);
	ck_assert_int_eq(r.goto_count, 1);
	ck_assert(has_error("orderError"));
	ck_assert_int_eq(r.stop_count, 0);
	cairn_fleet_set_manual(r.fleet, false, r.now_ns);
	send(CAIRN_VDA_ORDER, order("c", 0, 0, 2, 2));
	run(4.0);
	ck_assert_int_eq(r.goto_count, 2);
	end();
}
END_TEST

START_TEST(a_stop_counts_while_the_robot_stands_without_an_order_too)
{
	start(V2);
	person("stop");
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 2, 2));
	run(2.0);
	ck_assert_int_eq(r.goto_count, 0);
	end();
}
END_TEST

START_TEST(without_a_broker_what_is_released_is_driven)
{
	start(V2);
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 3, 3));
	run(0.2);
	cairn_fleet_connected(r.fleet, false, r.now_ns);
	int before = r.states;
	run(6.0);
	ck_assert_int_eq(r.goto_count, 2);
	ck_assert_int_eq(r.states, before);
	cairn_fleet_connected(r.fleet, true, r.now_ns);
	run(0.1);
	ck_assert_int_eq(r.states, before + 1);
	ck_assert_str_eq(text_of("lastNodeId"), "n2");
	end();
}
END_TEST

START_TEST(an_order_survives_the_process_and_nothing_of_it_is_done_twice)
{
	struct cairn_error err = {""};
	start(V2);
	json_t *m = order("a", 0, 0, 3, 3);
	add_wait(m, 0, "w0", "HARD", 0.3);
	add_wait(m, 1, "w1", "HARD", 0.5);
	send(CAIRN_VDA_ORDER, m);
	run(1.5); /* on the way to n1, w0 done */
	ck_assert_str_eq(action_status("actionStates", "w0"), "FINISHED");
	cairn_fleet_destroy(&r.fleet);
	r.fleet = cairn_fleet_new(&r.cfg, r.record, &err);
	ck_assert_msg(r.fleet != NULL, "%s", err.text);
	cairn_fleet_connected(r.fleet, true, r.now_ns);
	run(0.3);
	ck_assert_str_eq(action_status("actionStates", "w0"), "FINISHED");
	ck_assert_int_eq(r.goto_count, 1); /* the mission was on its way there: it is let */
	run(8.0);
	ck_assert_int_eq(r.goto_count, 2);
	ck_assert_str_eq(action_status("actionStates", "w1"), "FINISHED");
	ck_assert_str_eq(text_of("lastNodeId"), "n2");
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 3, 3));
	run(2.0);
	ck_assert_int_eq(r.goto_count, 2);
	end();
}
END_TEST

START_TEST(no_message_of_a_fleet_gives_a_command_that_releases_a_stop)
{
	/* obey() knows goto, stop, pause, resume and zone, and fails on any other; every instant action is tried */
	for (int v = V2; v <= (int)V3; v++) {
		start((enum cairn_choice_fleet_version)v);
		r.motion.state = CAIRN_MOTOR_STATE_ESTOP;
		send(CAIRN_VDA_ORDER, order("a", 0, 0, 2, 2));
		for (int i = 0; i < CAIRN_VDA_ACTION_COUNT; i++)
			if (cairn_vda_actions[i].name[v][0] != '\0')
				send_instant(cairn_vda_actions[i].name[v], cairn_vda_actions[i].what);
		run(2.0);
		const json_t *safety = json_object_get(r.state, "safetyState");
		ck_assert_str_eq(json_string_value(
				     json_object_get(safety, v == (int)V2 ? "eStop" : "activeEmergencyStop")),
		    "MANUAL");
		end();
	}
}
END_TEST

CAIRN_TEST_MAIN("fleet-stops", cancel_stands_still_and_fails_what_waits,
    master_control_ends_its_own_pause_and_no_other, a_person_who_pauses_what_master_control_has_paused_has_it,
    whatever_a_person_sends_the_robot_to_do_takes_it_from_the_fleet,
    a_persons_stop_holds_until_a_person_gives_the_robot_back,
    a_stop_counts_while_the_robot_stands_without_an_order_too, without_a_broker_what_is_released_is_driven,
    an_order_survives_the_process_and_nothing_of_it_is_done_twice,
    no_message_of_a_fleet_gives_a_command_that_releases_a_stop)
