#include "common/base/geom.h"
#include "common/device/lidar_link.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS

static struct cairn_lidar_link lidar;

static void check_todo(bool flush, const char *want_hex, bool close)
{
	struct cairn_lidar_todo todo = cairn_lidar_link_take(&lidar);
	char hex[256] = "";
	for (size_t i = 0; i < todo.send_bytes; i++)
		sprintf(hex + 3 * i, "%02X ", todo.send[i]);
	ck_assert_str_eq(hex, want_hex);
	ck_assert_int_eq(todo.flush_input, flush);
	ck_assert_int_eq(todo.close, close);
}

static int feed(const uint8_t *bytes, size_t n, int64_t now_ns)
{
	int turns = 0;
	for (size_t at = 0; at < n;) {
		enum cairn_rplidar_event event;
		at += cairn_lidar_link_feed(&lidar, bytes + at, n - at, now_ns, &event);
		turns += event == CAIRN_RPLIDAR_EVENT_TURN;
	}
	return turns;
}

static void answer_info(int64_t now_ns)
{
	uint8_t b[27] = {0xA5, 0x5A, 20, 0, 0, 0, 0x04, 0x41};
	feed(b, sizeof(b), now_ns);
}

static void answer_health(uint8_t status, int64_t now_ns)
{
	const uint8_t b[10] = {0xA5, 0x5A, 3, 0, 0, 0, 0x06, status, 0, 0};
	feed(b, sizeof(b), now_ns);
}

static void answer_conf(const uint8_t *data, uint8_t n, int64_t now_ns)
{
	uint8_t b[32] = {0xA5, 0x5A, n, 0, 0, 0, 0x20};
	memcpy(b + 7, data, n);
	feed(b, 7u + n, now_ns);
}

static void begin_stream(int64_t now_ns)
{
	feed((const uint8_t[]){0xA5, 0x5A, 5, 0, 0, 0x40, 0x81}, 7, now_ns);
}

/* Nodes of a turn of 360, as they arrive between two times: number 360 is the first of the next turn. */
static int nodes(unsigned from, unsigned to, int64_t begin_ns, int64_t end_ns)
{
	int turns = 0;
	for (unsigned i = from; i <= to; i++) {
		unsigned a = (i % 360) * 64;
		uint8_t node[5] = {
		    i % 360 == 0 ? 1 : 2, (uint8_t)(((a & 127) << 1) | 1), (uint8_t)(a >> 7), 0, 4};
		turns += feed(node, sizeof(node), begin_ns + (end_ns - begin_ns) * (i - from) / (to - from));
	}
	return turns;
}

/* One turn of 80 ms that ends now, and the first node of the next. */
static int turn(int64_t now_ns)
{
	return nodes(0, 360, now_ns - 80 * MS, now_ns);
}

static void up_to_scanning(void)
{
	cairn_lidar_link_init(&lidar, CAIRN_CHOICE_LIDAR_MODEL_SLLIDAR, false, 0);
	cairn_lidar_link_opened(&lidar, 0);
	cairn_lidar_link_tick(&lidar, 100 * MS);
	answer_info(101 * MS);
	answer_health(0, 102 * MS);
	begin_stream(103 * MS);
	ck_assert_int_eq(turn(200 * MS), 1);
	ck_assert_int_eq(lidar.phase, CAIRN_LIDAR_SCANNING);
	cairn_lidar_link_take(&lidar);
}

START_TEST(start_up_goes_stop_info_health_scan)
{
	cairn_lidar_link_init(&lidar, CAIRN_CHOICE_LIDAR_MODEL_SLLIDAR, false, 0);
	ck_assert(cairn_lidar_link_wants_open(&lidar, 0));
	ck_assert(cairn_lidar_link_stale(&lidar, 0));
	cairn_lidar_link_opened(&lidar, 0);
	check_todo(false, "A5 25 ", false);
	begin_stream(50 * MS); /* remains of an old stream */
	turn(60 * MS);
	cairn_lidar_link_tick(&lidar, 99 * MS);
	check_todo(false, "", false);
	cairn_lidar_link_tick(&lidar, 100 * MS);
	check_todo(true, "A5 50 ", false);
	answer_info(105 * MS);
	check_todo(false, "A5 52 ", false);
	answer_health(0, 110 * MS);
	check_todo(false, "A5 20 ", false);
	begin_stream(111 * MS);
	ck_assert(cairn_lidar_link_stale(&lidar, 112 * MS));
	ck_assert_int_eq(turn(220 * MS), 1);
	ck_assert(!cairn_lidar_link_stale(&lidar, 230 * MS));
	ck_assert_uint_eq(lidar.parser.info.model, 0x41);
}
END_TEST

START_TEST(a_device_that_answers_no_question_is_scanned_all_the_same)
{
	cairn_lidar_link_init(&lidar, CAIRN_CHOICE_LIDAR_MODEL_SLLIDAR, false, 0);
	cairn_lidar_link_opened(&lidar, 0);
	cairn_lidar_link_tick(&lidar, 100 * MS);
	cairn_lidar_link_tick(&lidar, 600 * MS);
	check_todo(true, "A5 52 ", false);
	cairn_lidar_link_tick(&lidar, 1100 * MS);
	check_todo(false, "A5 20 ", false);
	begin_stream(1110 * MS);
	ck_assert_int_eq(turn(1200 * MS), 1);
}
END_TEST

START_TEST(a_fault_is_reset_once_then_the_port_is_given_up)
{
	cairn_lidar_link_init(&lidar, CAIRN_CHOICE_LIDAR_MODEL_SLLIDAR, false, 0);
	cairn_lidar_link_opened(&lidar, 0);
	cairn_lidar_link_tick(&lidar, 100 * MS);
	answer_info(105 * MS);
	cairn_lidar_link_take(&lidar);
	answer_health(2, 110 * MS);
	check_todo(false, "A5 40 ", false);
	cairn_lidar_link_tick(&lidar, 1610 * MS);
	check_todo(true, "A5 50 ", false);
	answer_info(1615 * MS);
	cairn_lidar_link_take(&lidar);
	answer_health(2, 1620 * MS);
	check_todo(false, "", true);
	ck_assert_str_eq(lidar.note, "reports a hardware fault");
}
END_TEST

START_TEST(silence_is_stale_then_asked_again_then_reset_and_reopened)
{
	up_to_scanning();
	cairn_lidar_link_tick(&lidar, 650 * MS);
	ck_assert(!cairn_lidar_link_stale(&lidar, 650 * MS));
	ck_assert(cairn_lidar_link_stale(&lidar, 750 * MS));
	cairn_lidar_link_tick(&lidar, 2150 * MS);
	check_todo(false, "", false);
	int64_t now = 2250 * MS;
	for (int i = 0; i < 2; i++) {
		cairn_lidar_link_tick(&lidar, now);
		check_todo(false, "A5 25 ", false);
		now += 100 * MS;
		cairn_lidar_link_tick(&lidar, now);
		check_todo(true, "A5 20 ", false);
		now += 2000 * MS;
	}
	cairn_lidar_link_tick(&lidar, now);
	check_todo(false, "A5 40 ", true);
	cairn_lidar_link_lost(&lidar, now);
	ck_assert(!cairn_lidar_link_wants_open(&lidar, now + 99 * MS));
	ck_assert(cairn_lidar_link_wants_open(&lidar, now + 100 * MS));
}
END_TEST

START_TEST(garbage_in_place_of_nodes_counts_as_silence)
{
	up_to_scanning();
	uint8_t zeros[1000] = {0};
	for (int64_t now = 210 * MS; now < 2190 * MS; now += 20 * MS) {
		feed(zeros, sizeof(zeros), now);
		cairn_lidar_link_tick(&lidar, now);
	}
	ck_assert(cairn_lidar_link_stale(&lidar, 2190 * MS));
	check_todo(false, "", false);
	cairn_lidar_link_tick(&lidar, 2210 * MS);
	check_todo(false, "A5 25 ", false);
}
END_TEST

START_TEST(a_turn_forgives_earlier_failures)
{
	up_to_scanning();
	int64_t now = 200 * MS;
	for (int i = 0; i < 10; i++) { /* never three in a row: never a reset */
		now += 2001 * MS;
		cairn_lidar_link_tick(&lidar, now);
		check_todo(false, "A5 25 ", false);
		now += 100 * MS;
		cairn_lidar_link_tick(&lidar, now);
		check_todo(true, "A5 20 ", false);
		begin_stream(now);
		now += 100 * MS;
		ck_assert_int_eq(turn(now), 1);
	}
	ck_assert_uint_eq(lidar.restarts, 10);
}
END_TEST

START_TEST(turns_that_waited_in_a_buffer_are_refused)
{
	up_to_scanning();
	/* half a turn in time; then nobody reads for a second and what has gathered comes at once */
	ck_assert_int_eq(nodes(1, 180, 200 * MS, 250 * MS), 0);
	uint64_t refused = cairn_lidar_link_turns_refused(&lidar);
	ck_assert_int_eq(nodes(181, 360, 1250 * MS, 1250 * MS), 0);
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(nodes(1, 360, 1250 * MS, 1251 * MS), 0);
	ck_assert_uint_eq(cairn_lidar_link_turns_refused(&lidar), refused + 6);
	ck_assert_int_eq(nodes(1, 360, 1251 * MS, 1351 * MS), 1); /* in time again */
	ck_assert_uint_eq(lidar.restarts, 0);
}
END_TEST

START_TEST(a_lidar_that_measures_but_does_not_turn_is_asked_again)
{
	up_to_scanning();
	int64_t now = 200 * MS;
	for (int round = 0; round < 3; round++) {
		int64_t until = now + 2990 * MS;
		for (; now < until; now += 10 * MS) { /* always the same direction */
			nodes(90, 91, now, now);
			feed((const uint8_t[]){2, 1 | (90 * 64 & 127) << 1, 90 * 64 >> 7, 0, 4}, 5, now);
			cairn_lidar_link_tick(&lidar, now);
		}
		check_todo(false, "", false);
		now += 20 * MS;
		cairn_lidar_link_tick(&lidar, now);
		if (round == 2)
			break;
		check_todo(false, "A5 25 ", false);
		now += 100 * MS;
		cairn_lidar_link_tick(&lidar, now);
		check_todo(true, "A5 20 ", false);
		begin_stream(now);
	}
	check_todo(false, "A5 40 ", true);
}
END_TEST

START_TEST(a_vanished_device_is_tried_every_100_ms_then_twice_a_second)
{
	up_to_scanning();
	int64_t now = 300 * MS;
	for (int i = 0; i < 100; i++) {
		cairn_lidar_link_lost(&lidar, now);
		ck_assert(!cairn_lidar_link_wants_open(&lidar, now + 99 * MS));
		now += 100 * MS;
		ck_assert(cairn_lidar_link_wants_open(&lidar, now));
	}
	cairn_lidar_link_lost(&lidar, now);
	ck_assert(!cairn_lidar_link_wants_open(&lidar, now + 499 * MS));
	ck_assert(cairn_lidar_link_wants_open(&lidar, now + 500 * MS));
	ck_assert_uint_eq(lidar.restarts, 1);
}
END_TEST

START_TEST(dense_mode_is_looked_for_among_the_modes)
{
	cairn_lidar_link_init(&lidar, CAIRN_CHOICE_LIDAR_MODEL_SLLIDAR, true, 0);
	cairn_lidar_link_opened(&lidar, 0);
	cairn_lidar_link_tick(&lidar, 100 * MS);
	answer_info(101 * MS);
	cairn_lidar_link_take(&lidar);
	answer_health(0, 102 * MS);
	check_todo(false, "A5 84 04 70 00 00 00 55 ", false);
	answer_conf((const uint8_t[]){0x70, 0, 0, 0, 2, 0}, 6, 103 * MS);
	check_todo(false, "A5 84 06 75 00 00 00 00 00 52 ", false);
	answer_conf((const uint8_t[]){0x75, 0, 0, 0, 0x81}, 5, 104 * MS);
	check_todo(false, "A5 84 06 75 00 00 00 01 00 53 ", false);
	answer_conf((const uint8_t[]){0x75, 0, 0, 0, 0x85}, 5, 105 * MS);
	check_todo(false, "A5 82 05 01 00 00 00 00 23 ", false);
	ck_assert_int_eq(lidar.phase, CAIRN_LIDAR_STARTING);
}
END_TEST

START_TEST(without_a_dense_mode_the_standard_one_is_used_and_said)
{
	cairn_lidar_link_init(&lidar, CAIRN_CHOICE_LIDAR_MODEL_SLLIDAR, true, 0);
	cairn_lidar_link_opened(&lidar, 0);
	cairn_lidar_link_tick(&lidar, 100 * MS);
	answer_info(101 * MS);
	answer_health(0, 102 * MS);
	answer_conf((const uint8_t[]){0x70, 0, 0, 0, 1, 0}, 6, 103 * MS);
	cairn_lidar_link_take(&lidar);
	answer_conf((const uint8_t[]){0x75, 0, 0, 0, 0x81}, 5, 104 * MS);
	check_todo(false, "A5 20 ", false);
	ck_assert_str_eq(lidar.note, "has no dense mode: scanning in standard mode");
}
END_TEST

CAIRN_TEST_MAIN("lidar-link", start_up_goes_stop_info_health_scan,
    a_device_that_answers_no_question_is_scanned_all_the_same,
    a_fault_is_reset_once_then_the_port_is_given_up,
    silence_is_stale_then_asked_again_then_reset_and_reopened, garbage_in_place_of_nodes_counts_as_silence,
    a_turn_forgives_earlier_failures, turns_that_waited_in_a_buffer_are_refused,
    a_lidar_that_measures_but_does_not_turn_is_asked_again,
    a_vanished_device_is_tried_every_100_ms_then_twice_a_second, dense_mode_is_looked_for_among_the_modes,
    without_a_dense_mode_the_standard_one_is_used_and_said)
