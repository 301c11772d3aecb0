#include "test/support/runner.h"

#include <math.h>

#include "common/vlm/tools.h"

static bool check(
    enum cairn_tool tool, const char *json, struct cairn_tool_call *call, struct cairn_error *err)
{
	json_t *args = json_loads(json, JSON_DECODE_ANY, NULL);
	bool ok = cairn_tool_check(tool, args, call, err);
	json_decref(args);
	return ok;
}

static void expect_refused(enum cairn_tool tool, const char *json, const char *why)
{
	struct cairn_tool_call call;
	struct cairn_error err = {""};
	ck_assert_msg(!check(tool, json, &call, &err), "%s was taken", json);
	ck_assert_msg(strstr(err.text, why) != NULL, "%s: '%s' does not say '%s'", json, err.text, why);
}

START_TEST(words_of_the_table_are_those_of_the_enums)
{
	const struct {
		enum cairn_tool tool;
		int param;
		const struct cairn_enum_desc *desc;
	} rows[] = {{CAIRN_TOOL_MOVE_TOWARD, 0, &cairn_enum_direction},
	    {CAIRN_TOOL_MOVE_TOWARD, 1, &cairn_enum_speed},
	    {CAIRN_TOOL_CHECK_PATH_CLEAR, 0, &cairn_enum_direction},
	    {CAIRN_TOOL_DEFINE_ZONE, 1, &cairn_enum_zone_kind}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct cairn_tool_param *p = &cairn_tools[rows[i].tool].params[rows[i].param];
		int n = 0;
		for (; p->words[n] != NULL; n++)
			ck_assert_str_eq(p->words[n], cairn_enum_text(rows[i].desc, n));
		ck_assert_int_eq(n, rows[i].desc->count);
	}
	for (int t = 0; t < CAIRN_TOOL_COUNT; t++) {
		ck_assert_int_eq((int)cairn_tools[t].tool, t);
		ck_assert_str_eq(cairn_tools[t].name, cairn_tool_name((enum cairn_tool)t));
		ck_assert_int_eq(cairn_tool_find(&cairn_explorer_tools, cairn_tools[t].name), t);
	}
	ck_assert_int_eq(cairn_tool_find(&cairn_explorer_tools, "fly"), -1);
}
END_TEST

START_TEST(schemas_keep_to_the_strict_subset)
{
	struct cairn_text text = {0};
	for (int t = 0; t < CAIRN_TOOL_COUNT; t++) {
		cairn_text_clear(&text);
		cairn_tool_schema(&text, &cairn_tools[t]);
		json_t *schema = json_loads(text.data, JSON_REJECT_DUPLICATES, NULL);
		ck_assert_ptr_nonnull(schema);
		ck_assert(json_is_false(json_object_get(schema, "additionalProperties")));
		json_t *properties = json_object_get(schema, "properties");
		ck_assert_uint_eq(json_object_size(properties), (size_t)cairn_tools[t].param_count + 1);
		ck_assert_str_eq(json_object_iter_key(json_object_iter(properties)), "reasoning");
		ck_assert_uint_eq(
		    json_array_size(json_object_get(schema, "required")), json_object_size(properties));
		const char *key;
		json_t *value;
		json_object_foreach(properties, key, value)
		{
			ck_assert_ptr_nonnull(json_object_get(value, "description"));
			ck_assert_ptr_null(json_object_get(value, "minimum"));
			ck_assert_ptr_null(json_object_get(value, "maxLength"));
		}
		json_decref(schema);
	}
	cairn_text_free(&text);
}
END_TEST

START_TEST(arguments_in_range_are_taken)
{
	struct cairn_tool_call c;
	struct cairn_error err = {""};
	ck_assert(check(CAIRN_TOOL_MOVE_TOWARD,
	    "{\"direction\":\"left\",\"speed\":\"fast\",\"duration_s\":8}", &c, &err));
	ck_assert_int_eq(c.direction, CAIRN_DIRECTION_LEFT);
	ck_assert_int_eq(c.speed, CAIRN_SPEED_FAST);
	ck_assert_double_eq(c.duration_s, 8.0);
	ck_assert(check(CAIRN_TOOL_ROTATE, "{\"angle_deg\":-135}", &c, &err));
	ck_assert_double_eq(c.angle_deg, -135.0);
	ck_assert(check(CAIRN_TOOL_NAVIGATE_TO_GOAL,
	    "{\"kind\":\"frontier\",\"frontier_id\":7,\"x_m\":null,\"y_m\":null,\"reason\":null}", &c, &err));
	ck_assert(c.has_frontier_id && !c.has_x && c.frontier_id == 7.0);
	/* A server without strict mode: optional ones missing, one too many. */
	ck_assert(check(CAIRN_TOOL_NAVIGATE_TO_GOAL, "{\"kind\":\"retrace\",\"why\":[1]}", &c, &err));
}
END_TEST

START_TEST(arguments_out_of_range_or_type_are_refused_with_the_reason)
{
	expect_refused(
	    CAIRN_TOOL_MOVE_TOWARD, "{\"direction\":\"up\",\"speed\":\"fast\",\"duration_s\":2}", "'up'");
	expect_refused(CAIRN_TOOL_MOVE_TOWARD,
	    "{\"direction\":\"left\",\"speed\":\"fast\",\"duration_s\":8.01}", "1 to 8");
	expect_refused(
	    CAIRN_TOOL_MOVE_TOWARD, "{\"direction\":\"left\",\"speed\":\"fast\"}", "duration_s is missing");
	expect_refused(CAIRN_TOOL_MOVE_TOWARD, "{\"direction\":4,\"speed\":\"fast\",\"duration_s\":2}",
	    "must be a text");
	expect_refused(CAIRN_TOOL_MOVE_TOWARD,
	    "{\"direction\":\"left\",\"speed\":\"fast\",\"duration_s\":\"2\"}", "a number");
	expect_refused(CAIRN_TOOL_ROTATE, "{\"angle_deg\":30}", "steps");
	expect_refused(CAIRN_TOOL_ROTATE, "{\"angle_deg\":0}", "steps");
	expect_refused(
	    CAIRN_TOOL_NAVIGATE_TO_GOAL, "{\"kind\":\"frontier\",\"frontier_id\":null}", "needs frontier_id");
	expect_refused(CAIRN_TOOL_NAVIGATE_TO_GOAL, "{\"kind\":\"frontier\",\"frontier_id\":1.5}", "whole");
	expect_refused(CAIRN_TOOL_NAVIGATE_TO_GOAL, "{\"kind\":\"frontier\",\"frontier_id\":-1}", "not in");
	expect_refused(
	    CAIRN_TOOL_NAVIGATE_TO_GOAL, "{\"kind\":\"coordinates\",\"x_m\":1}", "needs x_m and y_m");
	expect_refused(
	    CAIRN_TOOL_NAVIGATE_TO_GOAL, "{\"kind\":\"coordinates\",\"x_m\":1e9,\"y_m\":0}", "not in");
	expect_refused(CAIRN_TOOL_REPORT_DISCOVERY,
	    "{\"label\":\" \\n \",\"notes\":null,\"significance\":\"room\"}", "empty");
	expect_refused(CAIRN_TOOL_STOP_ROBOT, "[]", "not an object");
	expect_refused(CAIRN_TOOL_STOP_ROBOT, "null", "not an object");
}
END_TEST

START_TEST(a_hostile_label_becomes_one_plain_bounded_line)
{
	struct cairn_tool_call c;
	struct cairn_error err = {""};
	ck_assert(check(CAIRN_TOOL_REPORT_DISCOVERY,
	    "{\"label\":\"kit\\nchen\\u202e \\\"x\\\" `rm` %s "
	    "%n\\u0007\",\"notes\":null,\"significance\":\"room\"}",
	    &c, &err));
	ck_assert_str_eq(c.label, "kit chen 'x' 'rm' %s %n");
	char json[600] = "{\"label\":\"", *end = json + strlen(json);
	for (int i = 0; i < 200; i++)
		*end++ = 'a';
	strcpy(end, "\",\"notes\":null,\"significance\":\"room\"}");
	ck_assert(check(CAIRN_TOOL_REPORT_DISCOVERY, json, &c, &err));
	ck_assert_uint_eq(strlen(c.label), CAIRN_TOOL_LABEL_CAP - 1);
}
END_TEST

START_TEST(a_place_is_a_name_of_the_lists_a_point_or_the_way_back)
{
	struct cairn_tool_call c;
	struct cairn_error err = {""};
	ck_assert(check(CAIRN_TOOL_NAVIGATE_TO_GOAL, "{\"to\":\"F12\",\"reason\":null}", &c, &err));
	ck_assert(c.goal_kind == CAIRN_GOAL_KIND_FRONTIER && c.has_frontier_id && c.frontier_id == 12.0);
	ck_assert(check(CAIRN_TOOL_NAVIGATE_TO_GOAL, "{\"to\":\"C7\"}", &c, &err));
	ck_assert(c.goal_kind == CAIRN_GOAL_KIND_CANDIDATE && c.has_candidate_id && c.candidate_id == 7.0);
	ck_assert(check(CAIRN_TOOL_NAVIGATE_TO_GOAL, "{\"to\":\"(1.5, -2)\"}", &c, &err));
	ck_assert(c.goal_kind == CAIRN_GOAL_KIND_COORDINATES && c.has_x && c.x_m == 1.5 && c.y_m == -2.0);
	ck_assert(check(CAIRN_TOOL_NAVIGATE_TO_GOAL, "{\"to\":\"retrace\"}", &c, &err));
	ck_assert_int_eq(c.goal_kind, CAIRN_GOAL_KIND_RETRACE);
	static const struct {
		const char *text;
		enum cairn_goal_kind kind;
	} words[] = {{"{\"to\":\"start\"}", CAIRN_GOAL_KIND_START},
	    {"{\"to\":\"explore\"}", CAIRN_GOAL_KIND_EXPLORE}, {"{\"to\":\"r1\"}", CAIRN_GOAL_KIND_CANDIDATE},
	    {"{\"to\":\"w1\"}", CAIRN_GOAL_KIND_CANDIDATE}, {"{\"to\":\"f1\"}", CAIRN_GOAL_KIND_FRONTIER},
	    {"{\"to\":\"frontier 1\"}", CAIRN_GOAL_KIND_FRONTIER}};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		ck_assert_msg(
		    check(CAIRN_TOOL_NAVIGATE_TO_GOAL, words[i].text, &c, &err), "%s", words[i].text);
		ck_assert_int_eq(c.goal_kind, words[i].kind);
	}
	ck_assert(check(CAIRN_TOOL_ROTATE, "{\"heading_deg\":30}", &c, &err) && c.has_heading_deg);
	expect_refused(CAIRN_TOOL_ROTATE, "{\"heading_deg\":30,\"angle_deg\":90}", "not both");
	expect_refused(CAIRN_TOOL_ROTATE, "{}", "angle_deg is missing");
	static const char *const wrong[] = {"\"F\"", "\"F-1\"", "\"F1.5\"", "\"F12 now\"", "\"C99999999999\"",
	    "\"1e9,0\"", "\"nan,0\"", "\"1.5\"", "\"1,2,3\"", "\"kitchen\"", "\"\"", "12", "{}", "null"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[64];
		snprintf(text, sizeof(text), "{\"to\":%s}", wrong[i]);
		ck_assert_msg(!check(CAIRN_TOOL_NAVIGATE_TO_GOAL, text, &c, &err), "%s", text);
	}
}
END_TEST

START_TEST(what_models_write_for_a_place_or_a_heading_is_understood_without_guessing)
{
	struct cairn_tool_call c;
	struct cairn_error err = {""};
	static const struct {
		const char *json;
		enum cairn_goal_kind kind;
	} rows[] = {{"{\"to\":\"EXPLORE\"}", CAIRN_GOAL_KIND_EXPLORE},
	    {"{\"to\":\"Retrace\"}", CAIRN_GOAL_KIND_RETRACE}, {"{\"to\":\"home\"}", CAIRN_GOAL_KIND_START},
	    {"{\"to\":\"HOME\"}", CAIRN_GOAL_KIND_START},
	    {"{\"to\":\"[1.5, 2]\"}", CAIRN_GOAL_KIND_COORDINATES},
	    {"{\"to\":[1.5, 2]}", CAIRN_GOAL_KIND_COORDINATES},
	    {"{\"pos_m\":[1.5, 2]}", CAIRN_GOAL_KIND_COORDINATES},
	    {"{\"position\":\"1.5, 2\"}", CAIRN_GOAL_KIND_COORDINATES},
	    {"{\"target\":\"C3\"}", CAIRN_GOAL_KIND_CANDIDATE},
	    {"{\"to\":\"C3\",\"goal\":\"F9\",\"pos_m\":[1,2]}", CAIRN_GOAL_KIND_CANDIDATE},
	    {"{\"to\":null,\"pos_m\":[1.5,2]}", CAIRN_GOAL_KIND_COORDINATES}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_msg(check(CAIRN_TOOL_NAVIGATE_TO_GOAL, rows[i].json, &c, &err), "%s: %s",
		    rows[i].json, err.text);
		ck_assert_msg(c.goal_kind == (int)rows[i].kind, "%s", rows[i].json);
		ck_assert(rows[i].kind != CAIRN_GOAL_KIND_COORDINATES || (c.x_m == 1.5 && c.y_m == 2.0));
	}
	/* A yaw of the map turns left; a heading of the compass right. */
	ck_assert(check(CAIRN_TOOL_ROTATE, "{\"yaw_deg\":90}", &c, &err) && c.has_heading_deg);
	ck_assert_double_eq(c.heading_deg, 270.0);
	ck_assert(check(CAIRN_TOOL_ROTATE, "{\"yaw_deg\":-45,\"angle_deg\":null}", &c, &err));
	ck_assert_double_eq(c.heading_deg, 45.0);
	ck_assert(check(CAIRN_TOOL_ROTATE, "{\"angle_deg\":90,\"heading_deg\":\"null\"}", &c, &err));
	ck_assert(c.has_angle_deg && !c.has_heading_deg);
	ck_assert(check(CAIRN_TOOL_MOVE_TOWARD,
	    "{\"direction\":\"Left\",\"speed\":\"SLOW\",\"duration_s\":2}", &c, &err));
	ck_assert_int_eq(c.speed, CAIRN_SPEED_SLOW);
	static const char *const wrong[] = {"{\"target\":7}", "{\"target\":\"7\"}", "{\"to\":[1]}",
	    "{\"to\":[1,\"2\"]}", "{\"to\":[1,2,3]}", "{\"to\":\"[1,2\"}", "{\"pos_m\":[1e9,0]}"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!check(CAIRN_TOOL_NAVIGATE_TO_GOAL, wrong[i], &c, &err), "%s", wrong[i]);
	expect_refused(CAIRN_TOOL_ROTATE, "{\"yaw_deg\":\"east\"}", "angle_deg is missing");
	expect_refused(CAIRN_TOOL_ROTATE, "{\"yaw_deg\":90,\"angle_deg\":90}", "not both");
}
END_TEST

START_TEST(a_second_choice_or_a_spot_that_cannot_be_read_counts_as_none_and_is_counted)
{
	struct cairn_tool_call c;
	struct cairn_error err = {""};
	static const char *const none[] = {"null", "\"\"", "\"null\"", "\"None\""};
	static const char *const unreadable[] = {"\"nowhere\"", "7", "{}", "[1]"};
	char json[200];
	for (size_t i = 0; i < 4; i++) {
		for (int readable = 0; readable < 2; readable++) {
			const char *value = readable ? none[i] : unreadable[i];
			snprintf(json, sizeof(json), "{\"to\":\"C7\",\"if_failed\":%s}", value);
			ck_assert_msg(
			    check(CAIRN_TOOL_NAVIGATE_TO_GOAL, json, &c, &err), "%s: %s", json, err.text);
			ck_assert(c.candidate_id == 7.0 && !c.has_if_failed);
			ck_assert_uint_eq(c.left_out, readable ? 0 : 1);
			snprintf(json, sizeof(json),
			    "{\"label\":\"door\",\"notes\":null,\"significance\":\"object\",\"at\":%s}",
			    value);
			ck_assert_msg(
			    check(CAIRN_TOOL_REPORT_DISCOVERY, json, &c, &err), "%s: %s", json, err.text);
			ck_assert(!c.has_spot);
			ck_assert_uint_eq(c.left_out, readable ? 0 : 1);
		}
	}
	ck_assert(check(CAIRN_TOOL_NAVIGATE_TO_GOAL, "{\"to\":\"C7\",\"if_failed\":\"F5\"}", &c, &err));
	ck_assert(c.has_if_failed && c.left_out == 0);
}
END_TEST

START_TEST(a_spot_of_the_picture_is_a_point_or_a_box_in_thousandths)
{
	struct cairn_tool_call c;
	struct cairn_error err = {""};
	ck_assert(check(CAIRN_TOOL_FIND_OBJECT_DISTANCE, "{\"what\":\"door\",\"at\":\"500,250\"}", &c, &err));
	ck_assert(c.has_spot);
	ck_assert_double_eq_tol(c.spot.left, 0.5, 1e-9);
	ck_assert_double_eq_tol(c.spot.right, 0.5, 1e-9);
	ck_assert_double_eq_tol(c.spot.bottom, 0.25, 1e-9);
	ck_assert(check(
	    CAIRN_TOOL_FIND_OBJECT_DISTANCE, "{\"what\":\"door\",\"at\":[100, 200, 300, 1000]}", &c, &err));
	ck_assert_double_eq_tol(c.spot.top, 0.2, 1e-9);
	ck_assert_double_eq_tol(c.spot.bottom, 1.0, 1e-9);
	ck_assert(check(CAIRN_TOOL_FIND_OBJECT_DISTANCE, "{\"what\":\"door\",\"at\":null}", &c, &err));
	ck_assert(!c.has_spot);
	ck_assert(check(CAIRN_TOOL_REPORT_DISCOVERY,
	    "{\"label\":\"door\",\"notes\":null,\"significance\":\"object\",\"at\":\"(10, 20, 30, 40)\"}", &c,
	    &err));
	ck_assert(c.has_spot);
	static const char *const wrong[] = {"\"left\"", "\"500\"", "\"500,1001\"", "\"300,0,200,10\"",
	    "[1,2,3]", "[1,\"2\"]", "\"1,2,3,4,5\"", "\"nan,1\"", "7"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char json[128];
		snprintf(json, sizeof(json), "{\"what\":\"door\",\"at\":%s}", wrong[i]);
		expect_refused(CAIRN_TOOL_FIND_OBJECT_DISTANCE, json, "at is neither");
	}
}
END_TEST

START_TEST(arguments_written_are_read_back_the_same)
{
	struct cairn_text text = {0};
	struct cairn_error err = {""};
	struct cairn_tool_call in = {.tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
				   .goal_kind = CAIRN_GOAL_KIND_COORDINATES,
				   .x_m = -1.25,
				   .y_m = 3.5,
				   .has_x = true,
				   .has_y = true,
				   .reasoning = "the 'far' corner",
				   .has_if_failed = true,
				   .if_failed = {.kind = CAIRN_GOAL_KIND_FRONTIER, .id = 4.0}},
			       out;
	cairn_tool_arguments(&text, &in);
	ck_assert_str_eq(
	    text.data, "{\"reasoning\":\"the 'far' corner\",\"to\":\"-1.25,3.5\",\"if_failed\":\"F4\"}");
	ck_assert(check(CAIRN_TOOL_NAVIGATE_TO_GOAL, text.data, &out, &err));
	ck_assert(out.x_m == in.x_m && out.y_m == in.y_m && !out.has_frontier_id);
	ck_assert_str_eq(out.reasoning, in.reasoning);
	ck_assert(
	    out.has_if_failed && out.if_failed.kind == CAIRN_GOAL_KIND_FRONTIER && out.if_failed.id == 4.0);
	cairn_text_free(&text);
}
END_TEST

START_TEST(the_documentation_is_the_table)
{
	struct cairn_text want = {0}, have = {0};
	char buf[4096];
	cairn_tools_markdown(&want);
	FILE *in = fopen(CAIRN_SOURCE_ROOT "/docs/tools.md", "r");
	ck_assert_ptr_nonnull(in);
	for (size_t n; (n = fread(buf, 1, sizeof(buf), in)) > 0;)
		cairn_text_bytes(&have, buf, n);
	fclose(in);
	const char *write = getenv("CAIRN_WRITE_DOCS");
	if (strstr(have.data, want.data) == NULL && write != NULL) {
		FILE *out = fopen(write, "w");
		fputs(want.data, out);
		fclose(out);
	}
	ck_assert_msg(strstr(have.data, want.data) != NULL,
	    "docs/tools.md does not hold the table of common/vlm/tools.c; CAIRN_WRITE_DOCS=FILE writes the "
	    "present one");
	cairn_text_free(&want);
	cairn_text_free(&have);
}
END_TEST

START_TEST(clean_text_is_cut_at_a_character)
{
	char out[8];
	cairn_text_clean(out, sizeof(out), "ab\xC3\xA9\xC3\xA9\xC3\xA9", 8);
	ck_assert_str_eq(out, "ab\xC3\xA9\xC3\xA9");
	cairn_text_clean(out, sizeof(out),
	    "\xFF"
	    "a\xC3",
	    3);
	ck_assert_str_eq(out, "a");
}
END_TEST

START_TEST(json_text_and_base64_follow_their_rules)
{
	struct cairn_text t = {0};
	cairn_text_json(&t, "a\"\\\n\x01\xC3\xA9\xFF", 8);
	ck_assert_str_eq(t.data, "a\\\"\\\\\\n\\u0001\xC3\xA9\xEF\xBF\xBD");
	/* RFC 4648 section 10. */
	const char *const plain[] = {"f", "fo", "foo", "foob", "fooba", "foobar"};
	const char *const coded[] = {"Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
	for (int i = 0; i < 6; i++) {
		uint8_t back[8];
		cairn_text_clear(&t);
		cairn_text_base64(&t, (const uint8_t *)plain[i], strlen(plain[i]));
		ck_assert_str_eq(t.data, coded[i]);
		ck_assert_int_eq(cairn_base64_decode(t.data, t.len, back, sizeof(back)), i + 1);
		ck_assert_mem_eq(back, plain[i], (size_t)i + 1);
	}
	uint8_t none[4];
	ck_assert_int_eq(cairn_base64_decode("Zm*v", 4, none, 4), -1);
	cairn_text_free(&t);
}
END_TEST

START_TEST(base64_of_every_twelve_bits_reads_back)
{
	static uint8_t all[2 * 4096 * 3 / 2 + 1], back[sizeof(all)];
	struct cairn_text t = {0};
	for (uint32_t i = 0; i < 4096; i++) { /* each as the first and as the second half of three bytes */
		uint32_t v = i << 12 | (4095 - i);
		uint8_t *at = all + 3 * i;
		at[0] = (uint8_t)(v >> 16);
		at[1] = (uint8_t)(v >> 8);
		at[2] = (uint8_t)v;
	}
	all[sizeof(all) - 1] = 0xA5;
	cairn_text_base64(&t, all, sizeof(all));
	ck_assert(!t.failed);
	ck_assert_uint_eq(t.len, (sizeof(all) + 2) / 3 * 4);
	ck_assert_int_eq(cairn_base64_decode(t.data, t.len, back, sizeof(back)), (int)sizeof(all));
	ck_assert_mem_eq(back, all, sizeof(all));
	cairn_text_free(&t);
}
END_TEST

CAIRN_TEST_MAIN("vlm tools", words_of_the_table_are_those_of_the_enums, schemas_keep_to_the_strict_subset,
    arguments_in_range_are_taken, arguments_out_of_range_or_type_are_refused_with_the_reason,
    a_hostile_label_becomes_one_plain_bounded_line, a_place_is_a_name_of_the_lists_a_point_or_the_way_back,
    what_models_write_for_a_place_or_a_heading_is_understood_without_guessing,
    a_second_choice_or_a_spot_that_cannot_be_read_counts_as_none_and_is_counted,
    a_spot_of_the_picture_is_a_point_or_a_box_in_thousandths, arguments_written_are_read_back_the_same,
    the_documentation_is_the_table, clean_text_is_cut_at_a_character, base64_of_every_twelve_bits_reads_back,
    json_text_and_base64_follow_their_rules)
