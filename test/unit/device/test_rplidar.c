#include <math.h>

#include "common/base/rng.h"
#include "common/device/rplidar.h"
#include "test/support/runner.h"

static struct cairn_rplidar parser;
static struct cairn_msg_scan scan;

/* ---- a stream to parse ---- */

struct stream {
	uint8_t bytes[1 << 17];
	size_t len;
};
static struct stream in;

static void put(const void *bytes, size_t n)
{
	memcpy(in.bytes + in.len, bytes, n);
	in.len += n;
}

static void put_descriptor(uint8_t type, uint32_t word)
{
	const uint8_t b[7] = {0xA5, 0x5A, (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
	    (uint8_t)(word >> 24), type};
	put(b, sizeof(b));
}

static void put_node(bool start, double deg, double mm)
{
	unsigned a = (unsigned)lround(deg * 64.0), d = (unsigned)lround(mm * 4.0);
	const uint8_t b[5] = {(uint8_t)((start ? 1 : 2) | (15 << 2)), (uint8_t)(((a & 127) << 1) | 1),
	    (uint8_t)(a >> 7), (uint8_t)d, (uint8_t)(d >> 8)};
	put(b, sizeof(b));
}

static void put_turn(int nodes, double mm)
{
	for (int i = 0; i < nodes; i++)
		put_node(i == 0, 360.0 * i / nodes, mm + i);
}

static void put_capsule(bool restart, double start_deg, unsigned mm)
{
	uint8_t c[84] = {0};
	unsigned a = (unsigned)lround(start_deg * 64.0) | (restart ? 0x8000u : 0u);
	c[2] = (uint8_t)a, c[3] = (uint8_t)(a >> 8);
	for (int i = 0; i < 40; i++)
		c[4 + 2 * i] = (uint8_t)mm, c[5 + 2 * i] = (uint8_t)(mm >> 8);
	uint8_t sum = 0;
	for (int i = 2; i < 84; i++)
		sum ^= c[i];
	c[0] = 0xA0 | (sum & 15), c[1] = 0x50 | (sum >> 4);
	put(c, sizeof(c));
}

struct seen {
	int turns, info, health, conf, streams;
};

/* Feeds everything in chunks of at most chunk bytes; the time is the offset in the stream. */
static struct seen feed(size_t chunk)
{
	struct seen seen = {0};
	for (size_t at = 0; at < in.len;) {
		size_t n = in.len - at < chunk ? in.len - at : chunk;
		enum cairn_rplidar_event event;
		size_t used = cairn_rplidar_feed(&parser, in.bytes + at, n, (int64_t)at, &event);
		ck_assert_uint_gt(used, 0);
		ck_assert_uint_le(used, n);
		at += used;
		seen.turns += event == CAIRN_RPLIDAR_EVENT_TURN;
		seen.info += event == CAIRN_RPLIDAR_EVENT_INFO;
		seen.health += event == CAIRN_RPLIDAR_EVENT_HEALTH;
		seen.conf += event == CAIRN_RPLIDAR_EVENT_CONF;
		seen.streams += event == CAIRN_RPLIDAR_EVENT_STREAM;
	}
	return seen;
}

static void fresh(void)
{
	cairn_rplidar_init(&parser);
	in.len = 0;
}

static void fresh_scan(void)
{
	fresh();
	put_descriptor(0x81, 0x40000005);
}

/* ---- requests ---- */

static void check_request(size_t n, const uint8_t *got, const char *want_hex)
{
	char hex[3 * CAIRN_RPLIDAR_REQUEST_MAX + 1] = "";
	for (size_t i = 0; i < n; i++)
		sprintf(hex + 3 * i, "%02X ", got[i]);
	ck_assert_str_eq(hex, want_hex);
}

START_TEST(requests_have_the_published_bytes)
{
	uint8_t b[CAIRN_RPLIDAR_REQUEST_MAX];
	check_request(cairn_rplidar_request(b, sizeof(b), CAIRN_RPLIDAR_STOP, NULL, 0), b, "A5 25 ");
	check_request(cairn_rplidar_request(b, sizeof(b), CAIRN_RPLIDAR_SCAN, NULL, 0), b, "A5 20 ");
	check_request(cairn_rplidar_request(b, sizeof(b), CAIRN_RPLIDAR_GET_INFO, NULL, 0), b, "A5 50 ");
	check_request(cairn_rplidar_request(b, sizeof(b), CAIRN_RPLIDAR_GET_HEALTH, NULL, 0), b, "A5 52 ");
	check_request(cairn_rplidar_request_express(b, sizeof(b), 0), b, "A5 82 05 00 00 00 00 00 22 ");
	check_request(cairn_rplidar_request_express(b, sizeof(b), 1), b, "A5 82 05 01 00 00 00 00 23 ");
	check_request(cairn_rplidar_request_conf(b, sizeof(b), 0x70, -1), b, "A5 84 04 70 00 00 00 55 ");
	check_request(cairn_rplidar_request_conf(b, sizeof(b), 0x7C, -1), b, "A5 84 04 7C 00 00 00 59 ");
	check_request(cairn_rplidar_request_conf(b, sizeof(b), 0x75, 0), b, "A5 84 06 75 00 00 00 00 00 52 ");
	ck_assert_uint_eq(cairn_rplidar_request_express(b, 8, 0), 0);
}
END_TEST

/* ---- answers ---- */

START_TEST(info_and_health_are_read)
{
	fresh();
	put("noise", 5);
	put_descriptor(0x04, 20);
	uint8_t info[20] = {0x41, 2, 1, 18, 0xDE, 0xAD};
	put(info, sizeof(info));
	put_descriptor(0x06, 3);
	put((const uint8_t[]){1, 0x34, 0x12}, 3);
	struct seen seen = feed(1);
	ck_assert_int_eq(seen.info, 1);
	ck_assert_int_eq(seen.health, 1);
	ck_assert_uint_eq(parser.info.model, 0x41);
	ck_assert_uint_eq(parser.info.firmware_major, 1);
	ck_assert_uint_eq(parser.info.firmware_minor, 2);
	ck_assert_uint_eq(parser.info.hardware, 18);
	ck_assert_str_eq(parser.info.serial, "DEAD0000000000000000000000000000");
	ck_assert_uint_eq(parser.health.status, 1);
	ck_assert_uint_eq(parser.health.code, 0x1234);
}
END_TEST

START_TEST(configuration_answers_are_read)
{
	fresh();
	put_descriptor(0x20, 6);
	put((const uint8_t[]){0x70, 0, 0, 0, 3, 0}, 6);
	ck_assert_int_eq(feed(4).conf, 1);
	ck_assert_uint_eq(parser.conf.entry, 0x70);
	ck_assert_uint_eq(parser.conf.value_bytes, 2);
	ck_assert_uint_eq(parser.conf.value[0], 3);
}
END_TEST

START_TEST(descriptors_of_another_length_are_refused)
{
	fresh();
	put_descriptor(0x81, 0x40000006);
	put_descriptor(0x04, 19);
	put_descriptor(0x20, 0x3FFFFFFF);
	put_descriptor(0x85, 0x40000005);
	put_descriptor(0x06, 3);
	put((const uint8_t[]){0, 0, 0}, 3);
	struct seen seen = feed(3);
	ck_assert_int_eq(seen.streams, 0);
	ck_assert_int_eq(seen.health, 1);
	ck_assert_uint_eq(parser.counts.answers_refused, 4);
}
END_TEST

/* ---- nodes ---- */

START_TEST(the_published_node_is_45_degrees_and_5_metres)
{
	fresh_scan();
	put_node(true, 0.0, 1000.0);
	for (int i = 1; i < 45; i++)
		put_node(false, i, 1000.0);
	put((const uint8_t[]){0x3E, 0x81, 0x16, 0x20, 0x4E}, 5);
	for (int i = 46; i < 360; i++)
		put_node(false, i, 1000.0);
	put_node(true, 0.0, 1000.0);
	ck_assert_int_eq(feed(64).turns, 1);
	const struct cairn_lidar_turn *turn = cairn_rplidar_turn(&parser);
	ck_assert_uint_eq(turn->count, 360);
	ck_assert_uint_eq(turn->angle_q6[45], 45 * 64);
	ck_assert_double_eq_tol((double)turn->range_m[45], 5.0, 1e-6);
}
END_TEST

START_TEST(turns_come_out_whole_in_any_chunking)
{
	for (size_t chunk = 1; chunk < 300; chunk = chunk * 3 + 1) {
		fresh_scan();
		for (int i = 0; i < 5; i++)
			put_turn(500, 1000.0 + i);
		put_node(true, 0.0, 1.0);
		struct seen seen = feed(chunk);
		ck_assert_int_eq(seen.streams, 1);
		ck_assert_int_eq(seen.turns, 5);
		const struct cairn_lidar_turn *turn = cairn_rplidar_turn(&parser);
		ck_assert_uint_eq(turn->count, 500);
		for (uint32_t i = 0; i < 500; i++)
			ck_assert_double_eq_tol((double)turn->range_m[i], 1.004 + 0.001 * i, 1e-6);
		ck_assert_uint_eq(parser.counts.resyncs, 0);
		ck_assert_uint_eq(parser.counts.turns_refused, 0);
		ck_assert_int_gt(turn->t_end_ns, turn->t_start_ns);
	}
}
END_TEST

START_TEST(a_stream_joined_in_the_middle_waits_for_a_whole_turn)
{
	fresh_scan();
	for (int i = 200; i < 500; i++)
		put_node(false, 360.0 * i / 500, 1000.0);
	put_turn(500, 1000.0);
	put_node(true, 0.0, 1.0);
	ck_assert_int_eq(feed(7).turns, 1);
	ck_assert_uint_eq(cairn_rplidar_turn(&parser)->count, 500);
}
END_TEST

/* Turns A B C D; what is done to B must cost B (and at most C), and nothing of B's points may come out. */
static void check_damage(size_t at, size_t lost, const void *extra, size_t extra_bytes)
{
	fresh_scan();
	for (int i = 0; i < 4; i++)
		put_turn(500, 1000.0 * (i + 1));
	put_node(true, 0.0, 1.0);
	size_t pos = 7 + 2500 + at;
	memmove(in.bytes + pos + extra_bytes, in.bytes + pos + lost, in.len - pos - lost);
	if (extra_bytes > 0)
		memcpy(in.bytes + pos, extra, extra_bytes);
	in.len = in.len - lost + extra_bytes;
	int turns = 0;
	for (size_t i = 0; i < in.len;) {
		enum cairn_rplidar_event event;
		i += cairn_rplidar_feed(&parser, in.bytes + i, in.len - i, 0, &event);
		if (event != CAIRN_RPLIDAR_EVENT_TURN)
			continue;
		turns++;
		const struct cairn_lidar_turn *t = cairn_rplidar_turn(&parser);
		double first = (double)t->range_m[0];
		ck_assert_msg(first < 1.5 || first > 2.6, "damage at %zu: turn from %g", at, first);
		for (uint32_t k = 1; k < t->count; k++)
			ck_assert_double_eq_tol((double)t->range_m[k], first + 0.001 * k, 1e-4);
	}
	ck_assert_int_ge(turns, 2);
	ck_assert_uint_ge(parser.counts.resyncs, 1);
}

START_TEST(a_turn_with_a_loss_of_sync_is_never_reported)
{
	uint8_t junk[64];
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 1);
	for (size_t at = 100; at < 2000; at += 77) {
		for (size_t lost = 1; lost < 5; lost++)
			check_damage(at, lost, NULL, 0);
		for (size_t i = 0; i < sizeof(junk); i++)
			junk[i] = (uint8_t)cairn_rng_u32(&rng);
		check_damage(at, 0, junk, sizeof(junk));
		check_damage(at, 600, NULL, 0); /* whole nodes: 86 degrees are missing */
	}
}
END_TEST

START_TEST(sparse_and_endless_turns_are_refused)
{
	fresh_scan();
	put_turn(60, 1000.0);
	put_turn(500, 1000.0);
	put_node(true, 0.0, 1.0);
	ck_assert_int_eq(feed(50).turns, 1);
	ck_assert_uint_eq(parser.counts.turns_refused, 1);
	fresh_scan();
	for (int i = 0; i < 3 * 500; i++) /* start flags 2 and 3 are missing */
		put_node(i == 0, fmod(360.0 * i / 500, 360.0), 1000.0);
	put_node(true, 0.0, 1.0);
	ck_assert_int_eq(feed(50).turns, 0);
	ck_assert_uint_eq(parser.counts.turns_refused, 1);
}
END_TEST

START_TEST(random_bytes_never_make_a_turn)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 11, 1);
	for (int round = 0; round < 40; round++) {
		fresh_scan();
		while (in.len < 60000) {
			uint32_t r = cairn_rng_u32(&rng);
			put(&r, 4);
		}
		ck_assert_int_eq(feed(1 + cairn_rng_u32(&rng) % 200).turns, 0);
	}
}
END_TEST

START_TEST(random_bytes_without_a_scan_are_survived_and_the_scan_found)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 12, 1);
	for (int round = 0; round < 40; round++) {
		fresh();
		for (int i = 0; i < 2000; i++) {
			uint8_t byte = cairn_rng_u32(&rng) % 3 == 0 ? 0xA5 : (uint8_t)cairn_rng_u32(&rng);
			put(&byte, 1);
		}
		feed(100);
		cairn_rplidar_reset(&parser);
		in.len = 0;
		put_descriptor(0x81, 0x40000005);
		put_turn(500, 1000.0);
		put_node(true, 0.0, 1.0);
		ck_assert_int_eq(feed(100).turns, 1);
	}
}
END_TEST

/* ---- capsules ---- */

START_TEST(dense_capsules_become_turns)
{
	fresh();
	put_descriptor(0x85, 0x40000054);
	for (int i = 0; i < 40; i++) /* 28.8 degrees each, 12.5 a turn */
		put_capsule(i == 0, fmod(28.8 * i, 360.0), 1500);
	struct seen seen = feed(33);
	ck_assert_int_eq(seen.streams, 1);
	ck_assert_int_eq(seen.turns, 2); /* the first begins at the first crossing of 360 degrees */
	const struct cairn_lidar_turn *turn = cairn_rplidar_turn(&parser);
	ck_assert_uint_ge(turn->count, 499);
	ck_assert_uint_le(turn->count, 501);
	ck_assert_double_eq_tol((double)turn->range_m[7], 1.5, 1e-6);
	for (uint32_t i = 1; i < turn->count; i++)
		ck_assert_double_eq_tol((turn->angle_q6[i] - turn->angle_q6[i - 1]) / 64.0, 0.72, 0.04);
}
END_TEST

START_TEST(a_broken_capsule_costs_its_turn)
{
	fresh();
	put_descriptor(0x85, 0x40000054);
	for (int i = 0; i < 60; i++) {
		put_capsule(i == 0, fmod(28.8 * i, 360.0), 1500);
		if (i == 20)
			in.bytes[in.len - 10] ^= 0x40;
	}
	ck_assert_int_eq(feed(84).turns, 2); /* of the three whole ones */
	ck_assert_uint_ge(parser.counts.answers_refused, 1);
	ck_assert_uint_ge(parser.counts.resyncs, 1);
}
END_TEST

/* ---- to the robot ---- */

START_TEST(clockwise_degrees_become_robot_angles)
{
	static struct cairn_lidar_turn turn = {.t_start_ns = 77, .count = 4};
	const int deg[4] = {0, 90, 180, 270};
	for (int i = 0; i < 4; i++) {
		turn.angle_q6[i] = (uint16_t)(deg[i] * 64);
		turn.range_m[i] = (float)(i + 1);
	}
	cairn_lidar_scan(&scan, &turn, 0.0, false, 0.05, 16.0);
	ck_assert_int_eq(scan.t_start_ns, 77);
	ck_assert_uint_eq(scan.angle_rad_count, 4);
	ck_assert_uint_eq(scan.range_m_count, 4);
	const double want[4] = {0.0, -M_PI / 2, M_PI, M_PI / 2}; /* 90 degrees clockwise is the right hand */
	for (int i = 0; i < 4; i++) {
		ck_assert_double_eq_tol((double)scan.angle_rad[i], want[i], 1e-6);
		ck_assert_double_eq((double)scan.range_m[i], i + 1.0);
	}
	cairn_lidar_scan(
	    &scan, &turn, M_PI / 2, false, 0.05, 16.0); /* the mark points left: device 90 is ahead */
	ck_assert_double_eq_tol((double)scan.angle_rad[1], 0.0, 1e-6);
	ck_assert_double_eq_tol((double)scan.angle_rad[0], M_PI / 2, 1e-6);
}
END_TEST

CAIRN_TEST_MAIN("rplidar", requests_have_the_published_bytes, info_and_health_are_read,
    configuration_answers_are_read, descriptors_of_another_length_are_refused,
    the_published_node_is_45_degrees_and_5_metres, turns_come_out_whole_in_any_chunking,
    a_stream_joined_in_the_middle_waits_for_a_whole_turn, a_turn_with_a_loss_of_sync_is_never_reported,
    sparse_and_endless_turns_are_refused, random_bytes_never_make_a_turn,
    random_bytes_without_a_scan_are_survived_and_the_scan_found, dense_capsules_become_turns,
    a_broken_capsule_costs_its_turn, clockwise_degrees_become_robot_angles)
