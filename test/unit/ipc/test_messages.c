/* The codec, checked against the msgpack library's own unpacker and against hostile bytes. */
#include "ipc/topics.h"

#include <errno.h>
#include <math.h>
#include <msgpack.h>

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "test/support/runner.h"

static const struct cairn_header header = {CAIRN_SCHEMA_VERSION, 7, 99, 123456789, true};
static char buf[256 * 1024];

static int encode_result(void)
{
	struct cairn_msg_result r = {.decision_id = 42,
	    .tool = CAIRN_TOOL_ROTATE,
	    .outcome = CAIRN_OUTCOME_PARTIAL,
	    .overridden = true,
	    .distance_m = 1.25,
	    .turned_rad = -0.5};
	snprintf(r.reason, sizeof(r.reason), "an obstacle \"left\"\n");
	return cairn_msg_encode(&cairn_desc_result, "result", &header, &r, buf, sizeof(buf));
}

START_TEST(what_is_encoded_decodes_to_the_same)
{
	int n = encode_result();
	ck_assert_int_gt(n, 0);
	struct cairn_header h;
	struct cairn_msg_result r;
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_result, buf, (size_t)n, &h, &r, NULL), 0);
	ck_assert_uint_eq(h.seq, 7);
	ck_assert_uint_eq(h.epoch, 99);
	ck_assert_int_eq(h.t_ns, 123456789);
	ck_assert(h.valid);
	ck_assert_uint_eq(r.decision_id, 42);
	ck_assert_int_eq(r.tool, CAIRN_TOOL_ROTATE);
	ck_assert_int_eq(r.outcome, CAIRN_OUTCOME_PARTIAL);
	ck_assert(r.overridden);
	ck_assert_double_eq(r.distance_m, 1.25);
	ck_assert_str_eq(r.reason, "an obstacle \"left\"?"); /* no control characters come in */
	ck_assert_str_eq(r.asked, "");
}
END_TEST

START_TEST(the_library_reads_what_we_write)
{
	int n = encode_result();
	msgpack_unpacked u;
	msgpack_unpacked_init(&u);
	size_t off = 0;
	ck_assert_int_eq(msgpack_unpack_next(&u, buf, (size_t)n, &off), MSGPACK_UNPACK_SUCCESS);
	ck_assert_uint_eq(off, (size_t)n);
	ck_assert_int_eq(u.data.type, MSGPACK_OBJECT_MAP);
	const msgpack_object_kv *last = &u.data.via.map.ptr[u.data.via.map.size - 1];
	ck_assert_int_eq(strncmp(last->key.via.str.ptr, "data", 4), 0);
	ck_assert_uint_eq(last->val.via.map.size, (unsigned)cairn_desc_result.field_count);
	msgpack_unpacked_destroy(&u);
}
END_TEST

START_TEST(a_scan_keeps_every_point_and_not_a_number)
{
	static struct cairn_msg_scan in, out;
	in.angle_rad_count = in.range_m_count = 8192;
	for (int i = 0; i < 8192; i++) {
		in.angle_rad[i] = (float)i * 0.001f;
		in.range_m[i] = (float)i * 0.01f;
	}
	in.range_m[5] = NAN;
	int n = cairn_msg_encode(&cairn_desc_scan, "scan", &header, &in, buf, sizeof(buf));
	ck_assert_int_gt(n, 8192 * 10);
	struct cairn_header h;
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_scan, buf, (size_t)n, &h, &out, NULL), 0);
	ck_assert_uint_eq(out.range_m_count, 8192);
	ck_assert(isnan(out.range_m[5]));
	ck_assert_float_eq(out.range_m[8191], in.range_m[8191]);
	ck_assert_float_eq(out.angle_rad[100], in.angle_rad[100]);
}
END_TEST

START_TEST(a_buffer_too_small_is_an_error)
{
	struct cairn_msg_pose p = {0};
	ck_assert_int_eq(cairn_msg_encode(&cairn_desc_pose, "pose", &header, &p, buf, 20), -ENOBUFS);
}
END_TEST

START_TEST(a_second_version_behind_the_data_is_refused_too)
{
	struct cairn_header got = {0};
	struct cairn_msg_pose p = {0};
	struct cairn_error err = {""};
	int n = cairn_msg_encode(&cairn_desc_pose, "pose", &header, &p, buf, sizeof(buf));
	ck_assert_int_eq(buf[0] & 0xF0, 0x80); /* a msgpack map of up to 15 entries */
	buf[0]++;
	memcpy(buf + n, "\xA1v\x02", 3);
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_pose, buf, (size_t)n + 3, &got, &p, &err), -EPROTO);
	ck_assert_uint_eq(got.version, 0); /* untouched */
	buf[n + 2] = CAIRN_SCHEMA_VERSION; /* the right one once more does no harm */
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_pose, buf, (size_t)n + 3, &got, &p, &err), 0);
}
END_TEST

START_TEST(another_schema_version_is_refused)
{
	struct cairn_header h = header, got;
	struct cairn_msg_pose p = {0};
	struct cairn_error err = {""};
	h.version = 2;
	int n = cairn_msg_encode(&cairn_desc_pose, "pose", &h, &p, buf, sizeof(buf));
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_pose, buf, (size_t)n, &got, &p, &err), -EPROTO);
	ck_assert_ptr_nonnull(strstr(err.text, "version 2"));
}
END_TEST

/* Outer map with a data map of one pair, made with the library. */
static int craft(const char *key, void (*value)(msgpack_packer *))
{
	msgpack_sbuffer sb;
	msgpack_packer pk;
	msgpack_sbuffer_init(&sb);
	msgpack_packer_init(&pk, &sb, msgpack_sbuffer_write);
	msgpack_pack_map(&pk, 3);
	msgpack_pack_str_with_body(&pk, "v", 1);
	msgpack_pack_int(&pk, 1);
	msgpack_pack_str_with_body(&pk, "epoch", 5);
	msgpack_pack_int(&pk, 5);
	msgpack_pack_str_with_body(&pk, "data", 4);
	msgpack_pack_map(&pk, 1);
	msgpack_pack_str_with_body(&pk, key, strlen(key));
	value(&pk);
	memcpy(buf, sb.data, sb.size);
	int n = (int)sb.size;
	msgpack_sbuffer_destroy(&sb);
	return n;
}

static void nested(msgpack_packer *pk)
{
	msgpack_pack_array(pk, 2);
	msgpack_pack_map(pk, 1);
	msgpack_pack_int(pk, 1);
	msgpack_pack_nil(pk);
	msgpack_pack_str_with_body(pk, "x", 1);
}

static void text(msgpack_packer *pk)
{
	msgpack_pack_str_with_body(pk, "fast", 4);
}

static void more_sectors_than_fit(msgpack_packer *pk)
{
	msgpack_pack_array(pk, 21);
	for (int i = 0; i < 21; i++)
		msgpack_pack_int(pk, i);
}

static void integer(msgpack_packer *pk)
{
	msgpack_pack_int(pk, -3);
}

START_TEST(unknown_fields_are_skipped_and_missing_ones_are_zero)
{
	struct cairn_msg_percept p;
	struct cairn_header h;
	memset(&p, 0x55, sizeof(p));
	int n = craft("colour of the sky", nested);
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_percept, buf, (size_t)n, &h, &p, NULL), 0);
	ck_assert_uint_eq(p.sector_m_count, 0);
	ck_assert_double_eq(p.nearest_m, 0.0);
}
END_TEST

START_TEST(an_integer_is_a_number_where_a_real_is_expected)
{
	struct cairn_msg_percept p;
	struct cairn_header h;
	int n = craft("nearest_m", integer);
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_percept, buf, (size_t)n, &h, &p, NULL), 0);
	ck_assert_double_eq(p.nearest_m, -3.0);
}
END_TEST

START_TEST(wrong_types_names_and_counts_are_refused_by_field)
{
	struct cairn_msg_percept p;
	struct cairn_header h;
	struct cairn_error err = {""};
	int n = craft("nearest_m", text);
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_percept, buf, (size_t)n, &h, &p, &err), -EBADMSG);
	ck_assert_ptr_nonnull(strstr(err.text, "percept.nearest_m"));
	n = craft("trigger", text); /* "fast" is no trigger */
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_percept, buf, (size_t)n, &h, &p, &err), -EBADMSG);
	n = craft("snapshot_id", integer); /* negative where unsigned */
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_percept, buf, (size_t)n, &h, &p, &err), -EBADMSG);
	n = craft("sector_m", more_sectors_than_fit);
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_percept, buf, (size_t)n, &h, &p, &err), -EBADMSG);
	ck_assert_ptr_nonnull(strstr(err.text, "percept.sector_m"));
}
END_TEST

START_TEST(text_is_cut_between_characters)
{
	struct cairn_msg_given_up out;
	struct cairn_msg_estop longer = {0};
	for (size_t i = 0; i + 2 < sizeof(longer.reason); i += 2)
		memcpy(longer.reason + i, "\xc3\xa9", 2); /* 47 times é: 94 bytes */
	int n = cairn_msg_encode(&cairn_desc_estop, "estop", &header, &longer, buf, sizeof(buf));
	struct cairn_header h;
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_given_up, buf, (size_t)n, &h, &out, NULL), 0);
	ck_assert_uint_eq(strlen(out.reason), 62); /* 63 would cut the 32nd character in two */
}
END_TEST

static const char *bad_text;

static void pack_bad_text(msgpack_packer *pk)
{
	msgpack_pack_str_with_body(pk, bad_text, strlen(bad_text));
}

START_TEST(text_that_is_not_utf8_is_refused)
{
	static const char *const bad[] = {"\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80",
	    "\xf4\x90\x80\x80", "\xff", "cut \xe2\x82", "\xc3(", "\xe2(\xa1", "\xf0\x9f\x98("};
	static const char *const good[] = {
	    "", "plain", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\xa4\x96", "\xed\x9f\xbf\xee\x80\x80"};
	struct cairn_msg_estop e;
	struct cairn_header h;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		bad_text = bad[i];
		int n = craft("reason", pack_bad_text);
		ck_assert_int_eq(cairn_msg_decode(&cairn_desc_estop, buf, (size_t)n, &h, &e, NULL), -EBADMSG);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		bad_text = good[i];
		int n = craft("reason", pack_bad_text);
		ck_assert_int_eq(cairn_msg_decode(&cairn_desc_estop, buf, (size_t)n, &h, &e, NULL), 0);
		ck_assert_str_eq(e.reason, good[i]);
	}
}
END_TEST

START_TEST(every_prefix_and_random_damage_is_survived)
{
	int n = encode_result();
	char copy[2048];
	ck_assert_int_lt(n, (int)sizeof(copy));
	memcpy(copy, buf, (size_t)n);
	struct cairn_header h;
	static struct cairn_msg_result r;
	for (int cut = 0; cut < n; cut++)
		ck_assert_int_lt(cairn_msg_decode(&cairn_desc_result, copy, (size_t)cut, &h, &r, NULL), 0);
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 1, 1);
	int refused = 0;
	for (int i = 0; i < 20000; i++) {
		memcpy(buf, copy, (size_t)n);
		for (int k = 0; k < 3; k++)
			buf[cairn_rng_u32(&rng) % (unsigned)n] = (char)cairn_rng_u32(&rng);
		refused += cairn_msg_decode(&cairn_desc_result, buf, (size_t)n, &h, &r, NULL) < 0;
		ck_assert_ptr_nonnull(memchr(r.reason, 0, sizeof(r.reason)));
	}
	ck_assert_int_gt(refused, 1000);
}
END_TEST

START_TEST(a_text_neither_writes_into_a_terminal_nor_forges_a_line)
{
	static const struct {
		const char *sent, *got;
	} cases[] = {{"plain \xC3\xA4 text", "plain \xC3\xA4 text"}, {"\033[2J\033]0;x\007", "?[2J?]0;x?"},
	    {"a\n12:00 command estop", "a?12:00 command estop"}, {"\r\t\x7F", "???"},
	    {"\xC2\x9B"
	     "31m",
		"?31m"},
	    {"\xE2\x80\xAE"
	     "evil",
		"?evil"},
	    {"z\xE2\x80\x8Bw", "z?w"}, {"\xF3\xA0\x81\x81", "?"}, {"", ""}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cairn_msg_command cmd = {.verb = "goto"}, got;
		struct cairn_header h = {CAIRN_SCHEMA_VERSION, 1, 1, 1, true};
		snprintf(cmd.arg, sizeof(cmd.arg), "%s", cases[i].sent);
		snprintf(cmd.who, sizeof(cmd.who), "%s", cases[i].sent);
		int n = cairn_msg_encode(&cairn_desc_command, "operator", &h, &cmd, buf, sizeof(buf));
		ck_assert_int_gt(n, 0);
		ck_assert_int_eq(cairn_msg_decode(&cairn_desc_command, buf, (size_t)n, &h, &got, NULL), 0);
		ck_assert_str_eq(got.arg, cases[i].got);
		ck_assert_str_eq(got.who, cases[i].got);
		for (size_t k = strlen(got.arg); k < sizeof(got.arg); k++)
			ck_assert_int_eq(got.arg[k], 0); /* nothing is left behind */
	}
}
END_TEST

START_TEST(json_is_escaped_and_has_no_nan)
{
	int n = encode_result();
	struct cairn_header h;
	struct cairn_msg_result r;
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_result, buf, (size_t)n, &h, &r, NULL), 0);
	r.distance_m = NAN;
	snprintf(
	    r.reason, sizeof(r.reason), "an obstacle \"left\"\n\xC2\x9B\xE2\x80\xAE\xF3\xA0\x81\x81\xFF");
	char json[2048];
	ck_assert_int_gt(cairn_msg_to_json(&cairn_desc_result, &h, &r, json, sizeof(json)), 0);
	ck_assert_ptr_nonnull(strstr(
	    json, "\"reason\":\"an obstacle \\\"left\\\"\\u000a\\u009b\\u202e\\udb40\\udc41\\ufffd\""));
	ck_assert_ptr_nonnull(strstr(json, "\"distance_m\":null"));
	ck_assert_ptr_nonnull(strstr(json, "\"tool\":\"rotate\""));
	h.epoch = UINT64_MAX; /* a double has no such number */
	r.decision_id = UINT64_C(9007199254740993);
	ck_assert_int_gt(cairn_msg_to_json(&cairn_desc_result, &h, &r, json, sizeof(json)), 0);
	ck_assert_ptr_nonnull(strstr(json, "\"epoch\":\"18446744073709551615\""));
	ck_assert_ptr_nonnull(strstr(json, "\"decision_id\":\"9007199254740993\""));
	ck_assert_int_eq(cairn_msg_to_json(&cairn_desc_result, &h, &r, json, 100), -ENOBUFS);
}
END_TEST

START_TEST(each_topic_has_one_publisher_and_a_name_of_its_own)
{
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++) {
		ck_assert_int_eq(cairn_topic_find(cairn_topics[i].name), i);
		ck_assert_uint_gt(strlen(cairn_topics[i].stage), 0);
		for (int k = 0; k < CAIRN_SERVICE_COUNT; k++)
			ck_assert_str_ne(cairn_topics[i].name, cairn_services[k].name);
	}
}
END_TEST

START_TEST(age_is_judged_by_the_stamp_and_the_future_is_refused)
{
	int64_t now = 100 * CAIRN_NS_PER_S;
	ck_assert(cairn_topic_fresh(CAIRN_TOPIC_SCAN, now - 300 * CAIRN_NS_PER_MS, now));
	ck_assert(!cairn_topic_fresh(CAIRN_TOPIC_SCAN, now - 301 * CAIRN_NS_PER_MS, now));
	ck_assert(cairn_topic_fresh(CAIRN_TOPIC_SCAN, now + 50 * CAIRN_NS_PER_MS, now));
	ck_assert(!cairn_topic_fresh(CAIRN_TOPIC_SCAN, now + 51 * CAIRN_NS_PER_MS, now));
	ck_assert(!cairn_topic_fresh(CAIRN_TOPIC_SCAN, INT64_MIN, now));
	ck_assert(cairn_topic_fresh(CAIRN_TOPIC_NAV_PATH, 0, now)); /* never stale */
}
END_TEST

CAIRN_TEST_MAIN("messages", what_is_encoded_decodes_to_the_same, the_library_reads_what_we_write,
    a_scan_keeps_every_point_and_not_a_number, a_buffer_too_small_is_an_error,
    another_schema_version_is_refused, a_second_version_behind_the_data_is_refused_too,
    unknown_fields_are_skipped_and_missing_ones_are_zero, an_integer_is_a_number_where_a_real_is_expected,
    wrong_types_names_and_counts_are_refused_by_field, text_is_cut_between_characters,
    text_that_is_not_utf8_is_refused, every_prefix_and_random_damage_is_survived,
    a_text_neither_writes_into_a_terminal_nor_forges_a_line, json_is_escaped_and_has_no_nan,
    each_topic_has_one_publisher_and_a_name_of_its_own, age_is_judged_by_the_stamp_and_the_future_is_refused)
