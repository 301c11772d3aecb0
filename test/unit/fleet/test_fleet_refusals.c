/* What a fleet sends and the robot does not take: orders that do not fit, are not whole, cannot be heeded or were done before. */
#include "test/support/fleet_rig.h"

START_TEST(an_update_that_does_not_fit_changes_nothing)
{
	start(V2);
	send(CAIRN_VDA_ORDER, order("a", 2, 0, 2, 2));
	send(CAIRN_VDA_ORDER, order("a", 3, 2, 2, 2)); /* begins at n2, the base ends at n1 */
	run(0.2);
	ck_assert(has_error("orderUpdateError"));
	ck_assert_int_eq(json_integer_value(json_object_get(r.state, "orderUpdateId")), 2);
	ck_assert_uint_eq(count_of("nodeStates"), 1);
	send(CAIRN_VDA_ORDER, order("a", 1, 1, 2, 2)); /* older than what was accepted */
	run(4.0);
	ck_assert_int_eq(r.goto_count, 1);
	ck_assert_int_eq(json_integer_value(json_object_get(r.state, "orderUpdateId")), 2);
	end();
}
END_TEST

START_TEST(no_order_is_driven_twice)
{
	start(V3);
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 2, 2));
	run(4.0);
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 2, 2));
	run(2.0);
	ck_assert_int_eq(r.goto_count, 1);
	ck_assert(has_error("SAME_ORDER_UPDATE_ID"));
	send(CAIRN_VDA_ORDER, order("b", 0, 1, 2, 2));
	run(4.0);
	ck_assert_int_eq(r.goto_count, 2);
	ck_assert(!has_error("SAME_ORDER_UPDATE_ID")); /* until an order is accepted */
	send(CAIRN_VDA_ORDER, order("a", 0, 2, 2, 2));
	run(2.0);
	ck_assert_int_eq(r.goto_count, 2);
	ck_assert(has_error("OUTDATED_ORDER_UPDATE"));
	end();
}
END_TEST

START_TEST(another_order_waits_until_the_present_one_is_done)
{
	start(V3);
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 2, 2));
	send(CAIRN_VDA_ORDER, order("b", 0, 0, 2, 2));
	run(0.2);
	ck_assert_str_eq(text_of("orderId"), "a");
	ck_assert(has_error("OTHER_ORDER_ACTIVE"));
	end();
}
END_TEST

START_TEST(a_record_that_is_spoilt_is_refused_in_words)
{
	struct cairn_error err = {""};
	start(V2);
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 3, 3));
	size_t n = strlen(r.record);
	for (size_t cut = 0; cut < n; cut += 7) {
		char *part = strndup(r.record, cut);
		ck_assert_ptr_eq(cairn_fleet_new(&r.cfg, part, &err), NULL);
		ck_assert_str_ne(err.text, "");
		free(part);
	}
	end();
}
END_TEST

START_TEST(what_the_robot_cannot_heed_is_refused)
{
	static const struct {
		const char *json, *error;
		bool edge;
	} cases[] = {
	    {"{\"theta\":0.5}", "UNSUPPORTED_PARAMETER", false},
	    {"{\"mapId\":\"cellar\"}", "UNKNOWN_MAP_ID", false},
	    {"{\"allowedDeviationXY\":{\"a\":-1,\"b\":1,\"theta\":0}}", "VALIDATION_FAILURE", false},
	    {"{\"x\":\"2\"}", "VALIDATION_FAILURE", false},
	    {"{\"corridor\":{\"leftWidth\":1,\"rightWidth\":1}}", "UNSUPPORTED_PARAMETER", true},
	    {"{\"maximumSpeed\":0.1}", "UNSUPPORTED_PARAMETER", true},
	    {"{\"maximumMobileRobotHeight\":0.1}", "UNSUPPORTED_PARAMETER", true},
	    {"{\"endNodeId\":\"n7\"}", "VALIDATION_FAILURE", true},
	    {"{\"sequenceId\":2}", "VALIDATION_FAILURE", true},
	    {"{\"released\":false}", "VALIDATION_FAILURE", true},
	    {"{\"actions\":[{\"actionType\":\"wait\",\"actionId\":\"w\",\"blockingType\":\"HARD\"}]}",
		"INVALID_ORDER_ACTION", true},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		start(V3);
		json_t *m = order("a", 0, 0, 2, 2), *more = json_loads(cases[i].json, 0, NULL);
		json_object_update(cases[i].edge ? json_array_get(json_object_get(m, "edges"), 0)
						 : json_object_get(node_of(m, 1), "nodePosition"),
		    more);
		json_decref(more);
		send(CAIRN_VDA_ORDER, m);
		run(1.0);
		ck_assert_msg(has_error(cases[i].error), "%s: %s", cases[i].json,
		    json_dumps(json_object_get(r.state, "errors"), 0));
		ck_assert_int_eq(r.goto_count, 0);
		ck_assert_uint_eq(cairn_fleet_rejects(r.fleet), 1);
		end();
	}
}
END_TEST

START_TEST(a_heading_that_may_be_any_is_no_hindrance)
{
	start(V2);
	json_t *m = order("a", 0, 0, 2, 2), *p = json_object_get(node_of(m, 1), "nodePosition");
	json_object_set_new(p, "theta", json_real(0.5));
	json_object_set_new(p, "allowedDeviationTheta", json_real(3.1415926535));
	send(CAIRN_VDA_ORDER, m);
	run(1.0);
	ck_assert_int_eq(r.goto_count, 1);
	end();
}
END_TEST

START_TEST(what_is_no_order_is_counted_and_told)
{
	static const char *const bad[] = {"", "{", "[]", "null", "{\"version\":\"1.1\"}",
	    "{\"version\":\"2.1.0\",\"serialNumber\":\"other\"}",
	    "{\"version\":\"2.1.0\",\"serialNumber\":\"r1\"}",
	    "{\"version\":\"2.1.0\",\"serialNumber\":\"r1\",\"orderId\":\"a\",\"orderUpdateId\":-1,\"nodes\":"
	    "[],\"edges\":[]}",
	    "{\"version\":\"2.1.0\",\"serialNumber\":\"r1\",\"orderId\":\"a\",\"orderUpdateId\":0,\"nodes\":["
	    "],\"edges\":[]}",
	    "{\"version\":\"2.1.0\",\"serialNumber\":\"r1\",\"orderId\":\"a\",\"orderUpdateId\":0,\"nodes\":["
	    "7],\"edges\":[]}"};
	start(V2);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cairn_fleet_receive(r.fleet, CAIRN_VDA_ORDER, bad[i], strlen(bad[i]), r.now_ns);
		ck_assert_uint_eq(cairn_fleet_rejects(r.fleet), i + 1);
	}
	run(0.2);
	ck_assert(has_error("validationError"));
	ck_assert_str_eq(text_of("orderId"), "");
	end();
}
END_TEST

START_TEST(the_first_node_must_be_where_the_robot_is)
{
	start(V2);
	r.pose.x_m = 1.2; /* fleet.first_node_m is 1 */
	run(0.2);
	send(CAIRN_VDA_ORDER, order("a", 0, 0, 2, 2));
	run(0.2);
	ck_assert(has_error("noRouteError"));
	json_t *m = order("b", 0, 0, 2, 2);
	json_object_set_new(
	    json_object_get(node_of(m, 0), "nodePosition"), "allowedDeviationXY", json_real(1.5));
	send(CAIRN_VDA_ORDER, m);
	run(0.2);
	ck_assert_str_eq(text_of("orderId"), "b");
	end();
}
END_TEST

CAIRN_TEST_MAIN("fleet-refusals", an_update_that_does_not_fit_changes_nothing, no_order_is_driven_twice,
    another_order_waits_until_the_present_one_is_done, a_record_that_is_spoilt_is_refused_in_words,
    what_the_robot_cannot_heed_is_refused, a_heading_that_may_be_any_is_no_hindrance,
    what_is_no_order_is_counted_and_told, the_first_node_must_be_where_the_robot_is)
