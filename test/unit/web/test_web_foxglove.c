/* Foxglove's protocol: what a client sends, and the bytes that it is sent. */
#include "common/web/foxglove.h"

#include <jansson.h>

#include "test/support/runner.h"

static struct cairn_foxglove_request r;
static struct cairn_error err;

static bool parse_text(const char *text)
{
	err.text[0] = '\0';
	return cairn_foxglove_parse_text(text, strlen(text), &r, &err);
}

static bool parse_binary(const char *bytes, size_t count)
{
	err.text[0] = '\0';
	return cairn_foxglove_parse_binary(bytes, count, &r, &err);
}

START_TEST(only_the_two_names_of_the_protocol_are_an_offer)
{
	ck_assert(cairn_foxglove_offered("foxglove.sdk.v1"));
	ck_assert(cairn_foxglove_offered("foxglove.websocket.v1"));
	ck_assert(cairn_foxglove_offered("foxglove.sdk.v1, foxglove.websocket.v1"));
	ck_assert(!cairn_foxglove_offered(""));
	ck_assert(!cairn_foxglove_offered("cairn.v1"));
	ck_assert(!cairn_foxglove_offered("foxglove.sdk.v1, cairn.v1"));
	ck_assert(!cairn_foxglove_offered("foxglove.sdk.v10"));
	ck_assert(!cairn_foxglove_offered(", ,"));
}
END_TEST

START_TEST(subscriptions_are_read_with_their_channels)
{
	ck_assert(parse_text("{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":0,\"channelId\":4294967295},"
			     "{\"id\":7,\"channelId\":2}]}"));
	ck_assert_int_eq(r.op, CAIRN_FOXGLOVE_SUBSCRIBE);
	ck_assert_int_eq(r.count, 2);
	ck_assert_uint_eq(r.items[0].id, 0);
	ck_assert_uint_eq(r.items[0].channel, UINT32_MAX);
	ck_assert_uint_eq(r.items[1].id, 7);
	ck_assert(parse_text("{\"op\":\"unsubscribe\",\"subscriptionIds\":[7]}"));
	ck_assert_int_eq(r.op, CAIRN_FOXGLOVE_UNSUBSCRIBE);
	ck_assert_uint_eq(r.items[0].id, 7);
	ck_assert(parse_text("{\"op\":\"unsubscribeConnectionGraph\"}"));
	ck_assert(r.op == CAIRN_FOXGLOVE_GRAPH && !r.on);
}
END_TEST

START_TEST(what_is_not_offered_or_not_understood_is_refused_with_the_reason)
{
	static const char *const cases[][2] = {{"", "not JSON"}, {"[]", "\"op\" is missing"},
	    {"{\"op\":7}", "\"op\" is missing"}, {"{\"op\":\"setParameters\"}", "read-only"},
	    {"{\"op\":\"advertise\",\"channels\":[]}", "read-only"},
	    {"{\"op\":\"subscribe\"}", "must be a list"},
	    {"{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1}]}", "\"channelId\""},
	    {"{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":-1,\"channelId\":1}]}", "\"channelId\""},
	    {"{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":4294967296}]}",
		"\"channelId\""},
	    {"{\"op\":\"unsubscribe\",\"subscriptionIds\":[1.5]}", "numbers"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r.count = -7;
		ck_assert_msg(
		    !parse_text(cases[i][0]) && strstr(err.text, cases[i][1]) != NULL && r.count == -7,
		    "%s: %s", cases[i][0], err.text);
	}
	char many[CAIRN_WEB_REQUEST_MAX] = "{\"op\":\"unsubscribe\",\"subscriptionIds\":[1";
	for (int i = 0; i < CAIRN_FOXGLOVE_CHANNELS_MAX; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many), ",1");
	snprintf(many + strlen(many), sizeof(many) - strlen(many), "]}");
	ck_assert(!parse_text(many));
	ck_assert_ptr_nonnull(strstr(err.text, "at most"));
}
END_TEST

/* opcode, service 1, call 0x04030201, length of "json" */
#define CALL "\2\1\0\0\0\1\2\3\4\4\0\0\0json"
#define CALL_BYTES (sizeof(CALL) - 1)

START_TEST(a_call_is_read_with_its_reason_or_without)
{
	static const char with[] = CALL "{\"reason\":\"a cat\"}";
	ck_assert(parse_binary(with, sizeof(with) - 1));
	ck_assert_int_eq(r.op, CAIRN_FOXGLOVE_CALL);
	ck_assert_uint_eq(r.service, 1);
	ck_assert_uint_eq(r.call, 0x04030201);
	ck_assert_str_eq(r.args, "a cat");
	ck_assert(parse_binary(CALL, CALL_BYTES));
	ck_assert_int_eq(r.op, CAIRN_FOXGLOVE_CALL);
	ck_assert_str_eq(r.args, "");
}
END_TEST

START_TEST(a_bad_call_is_known_by_its_number_so_that_it_can_be_answered)
{
	static const char *const payloads[] = {"{", "[1]", "{\"reason\":7}"};
	char bytes[64];
	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		memcpy(bytes, CALL, CALL_BYTES);
		strcpy(bytes + CALL_BYTES, payloads[i]);
		ck_assert(parse_binary(bytes, CALL_BYTES + strlen(payloads[i])));
		ck_assert_int_eq(r.op, CAIRN_FOXGLOVE_BAD_CALL);
		ck_assert_uint_eq(r.call, 0x04030201);
		ck_assert_str_ne(r.args, "");
	}
	memcpy(bytes, CALL, CALL_BYTES);
	bytes[9] = 127; /* an encoding longer than the message */
	ck_assert(parse_binary(bytes, CALL_BYTES));
	ck_assert_int_eq(r.op, CAIRN_FOXGLOVE_BAD_CALL);
	ck_assert_ptr_nonnull(strstr(r.args, "\"json\""));
	for (size_t n = 0; n < 13; n++) /* cut in its head */
		ck_assert(!parse_binary(CALL, n) && err.text[0] != '\0');
	ck_assert(!parse_binary("\1\1\0\0\0{}", 7));
	ck_assert_ptr_nonnull(strstr(err.text, "read-only"));
	ck_assert(!parse_binary("\3", 1));
}
END_TEST

START_TEST(messages_and_responses_have_the_bytes_of_the_protocol)
{
	static const uint8_t expected[] = {1, 5, 1, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1};
	static const char response[] = "\3\1\0\0\0\1\2\3\4\4\0\0\0json{\"ok\":true,\"text\":\"done\"}";
	uint8_t head[CAIRN_FOXGLOVE_HEAD_BYTES];
	cairn_foxglove_message_head(head, 0x105, INT64_C(0x0102030405060708));
	ck_assert_mem_eq(head, expected, sizeof(expected));
	struct cairn_text t = {0};
	cairn_foxglove_add_call_response(&t, 1, 0x04030201, "done");
	ck_assert_uint_eq(t.len, sizeof(response) - 1);
	ck_assert_mem_eq(t.data, response, t.len);
	cairn_text_free(&t);
}
END_TEST

static const struct cairn_msg_playback replay = {.state = CAIRN_PLAYBACK_STATE_ENDED,
    .first_ns = INT64_C(1700000000000000005),
    .last_ns = INT64_C(1700000060000000000),
    .place_ns = INT64_C(0x0102030405060708),
    .rate = 1.5};

/* opcode, pause, 2.0 as a float, a seek, to 0x0102030405060708, an id of 3 bytes */
#define BAR "\3\1\0\0\0\x40\1\x8\7\6\5\4\3\2\1\3\0\0\0a-b"
#define BAR_BYTES (sizeof(BAR) - 1)

START_TEST(a_play_bar_is_read_and_told_where_the_replay_is)
{
	static const char state[] = "\5\3\x8\7\6\5\4\3\2\1\0\0\xc0\x3f\1\3\0\0\0a-b";
	ck_assert(parse_binary(BAR, BAR_BYTES));
	ck_assert_int_eq(r.op, CAIRN_FOXGLOVE_PLAYBACK);
	ck_assert(!r.playback.play && r.playback.seek);
	ck_assert_float_eq(r.playback.rate, 2.0f);
	ck_assert_int_eq(r.playback.to_ns, INT64_C(0x0102030405060708));
	ck_assert_str_eq(r.args, "a-b");
	struct cairn_text t = {0};
	cairn_foxglove_add_playback(&t, &replay, true, r.args);
	ck_assert_uint_eq(t.len, sizeof(state) - 1);
	ck_assert_mem_eq(t.data, state, t.len);
	cairn_text_free(&t);
}
END_TEST

START_TEST(a_play_bar_that_is_cut_or_says_nonsense_is_refused_with_the_reason)
{
	static const struct {
		size_t at;
		char value;
		const char *why;
	} wrong[] = {{1, 2, "not 2"}, {5, 0, "no number above 0"}, {5, -64, "no number above 0"},
	    {15, 4, "cut or too long"}, {18, 127, "cut or too long"}, {20, 0, "no text"}};
	for (size_t n = 0; n < BAR_BYTES; n++)
		ck_assert(!parse_binary(BAR, n) && err.text[0] != '\0');
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char bytes[BAR_BYTES];
		memcpy(bytes, BAR, BAR_BYTES);
		bytes[wrong[i].at] = wrong[i].value;
		ck_assert(!parse_binary(bytes, BAR_BYTES));
		ck_assert_msg(strstr(err.text, wrong[i].why) != NULL, "%s", err.text);
	}
}
END_TEST

START_TEST(what_is_offered_is_one_object_of_json_each)
{
	static const struct cairn_foxglove_channel channels[] = {
	    {1, "/scan", "cdr", "sensor_msgs/msg/LaserScan", "float32 x\n", "ros2msg"},
	    {9, "/cairn/\"x\"", "json", "cairn.x", "{\"type\":\"object\"}", "jsonschema"}};
	static const struct cairn_foxglove_service services[] = {{1, "/stop"}, {2, "/estop"}};
	struct cairn_text t = {0};
	cairn_foxglove_begin_channels(&t);
	cairn_foxglove_add_channel(&t, &channels[0]);
	cairn_foxglove_add_channel(&t, &channels[1]);
	cairn_foxglove_end_channels(&t);
	json_t *root = json_loadb(t.data, t.len, 0, NULL);
	json_t *list = json_object_get(root, "channels");
	ck_assert_uint_eq(json_array_size(list), 2);
	const json_t *second = json_array_get(list, 1);
	ck_assert_int_eq(json_integer_value(json_object_get(second, "id")), 9);
	ck_assert_str_eq(json_string_value(json_object_get(second, "topic")), "/cairn/\"x\"");
	ck_assert_str_eq(json_string_value(json_object_get(second, "schema")), "{\"type\":\"object\"}");
	json_decref(root);
	cairn_text_clear(&t);
	cairn_foxglove_add_services(&t, services, 2);
	root = json_loadb(t.data, t.len, 0, NULL);
	ck_assert_uint_eq(json_array_size(json_object_get(root, "services")), 2);
	json_decref(root);
	cairn_text_clear(&t);
	cairn_foxglove_add_server_info(&t, "the \"robot\"", "1", NULL);
	root = json_loadb(t.data, t.len, 0, NULL);
	ck_assert_str_eq(json_string_value(json_object_get(root, "name")), "the \"robot\"");
	ck_assert_uint_eq(json_array_size(json_object_get(root, "capabilities")), 2);
	ck_assert_ptr_null(json_object_get(root, "dataStartTime"));
	json_decref(root);
	cairn_text_clear(&t);
	cairn_foxglove_add_server_info(&t, "r", "1", &replay);
	root = json_loadb(t.data, t.len, 0, NULL);
	ck_assert_str_eq(
	    json_string_value(json_array_get(json_object_get(root, "capabilities"), 2)), "playbackControl");
	const json_t *start = json_object_get(root, "dataStartTime"),
		     *end = json_object_get(root, "dataEndTime");
	ck_assert_int_eq(json_integer_value(json_object_get(start, "sec")), 1700000000);
	ck_assert_int_eq(json_integer_value(json_object_get(start, "nsec")), 5);
	ck_assert_int_eq(json_integer_value(json_object_get(end, "sec")), 1700000060);
	json_decref(root);
	cairn_text_free(&t);
}
END_TEST

CAIRN_TEST_MAIN("web-foxglove", only_the_two_names_of_the_protocol_are_an_offer,
    subscriptions_are_read_with_their_channels,
    what_is_not_offered_or_not_understood_is_refused_with_the_reason,
    a_call_is_read_with_its_reason_or_without, a_bad_call_is_known_by_its_number_so_that_it_can_be_answered,
    a_play_bar_is_read_and_told_where_the_replay_is,
    a_play_bar_that_is_cut_or_says_nonsense_is_refused_with_the_reason,
    messages_and_responses_have_the_bytes_of_the_protocol, what_is_offered_is_one_object_of_json_each)
