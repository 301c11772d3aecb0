/* Turns that a helper writes: what is whole comes as it was, what is not is refused, and bytes of any kind harm nothing. */
#include "common/device/scan_stream.h"

#include <math.h>

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/device/lidar_link.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS
#define POINTS 360
#define NOW_NS (100 * CAIRN_NS_PER_S)

static struct cairn_scan_stream parser;
static struct cairn_lidar_turn turn;
static uint8_t frame[CAIRN_SCAN_STREAM_FRAME_MAX];

/* A point a degree, clockwise or not, which ends at t_ns. */
static size_t make(int64_t t_ns, bool clockwise)
{
	turn.count = POINTS;
	turn.t_end_ns = t_ns;
	turn.t_start_ns = t_ns - 90 * MS;
	for (int i = 0; i < POINTS; i++) {
		int deg = clockwise ? (180 + i) % 360 : (540 - i) % 360;
		turn.angle_q6[i] = (uint16_t)(64 * deg);
		turn.range_m[i] = i % 7 == 0 ? 0.0f : 1.0f + 0.01f * (float)i;
	}
	return cairn_scan_stream_write(frame, &turn);
}

static int feed(const uint8_t *bytes, size_t n, size_t piece, int64_t now_ns)
{
	int turns = 0;
	for (size_t at = 0; at < n;) {
		bool some;
		size_t now = n - at < piece ? n - at : piece;
		at += cairn_scan_stream_feed(&parser, bytes + at, now, now_ns, &some);
		turns += some;
	}
	return turns;
}

START_TEST(a_turn_comes_as_it_was_written_in_any_pieces_and_either_direction)
{
	for (int round = 0; round < 20; round++) {
		cairn_scan_stream_init(&parser);
		size_t n = make(NOW_NS, round % 2 == 0);
		ck_assert_uint_eq(n, 24 + 4 * POINTS + 4);
		ck_assert_int_eq(feed(frame, n, 1 + 37 * (size_t)round, NOW_NS + 5 * MS), 1);
		const struct cairn_lidar_turn *t = cairn_scan_stream_turn(&parser);
		ck_assert_int_eq(t->t_end_ns, NOW_NS);
		ck_assert_int_eq(t->t_start_ns, NOW_NS - 90 * MS);
		ck_assert_uint_eq(t->count, POINTS);
		for (int i = 0; i < POINTS; i++) {
			ck_assert_uint_eq(t->angle_q6[i], turn.angle_q6[i]);
			ck_assert_double_eq_tol((double)t->range_m[i], (double)turn.range_m[i], 0.00051);
		}
	}
}
END_TEST

START_TEST(the_frame_has_the_bytes_of_the_documentation)
{
	static const uint8_t head[] = {'C', 'L', 'S', 'C', 1, 0, 0x68, 0x01};
	size_t n = make(0x0102030405060708, true);
	ck_assert_mem_eq(frame, head, sizeof(head));
	static const uint8_t end[] = {8, 7, 6, 5, 4, 3, 2, 1};
	ck_assert_mem_eq(frame + 16, end, sizeof(end));
	/* The second point: 181 degrees, 1.01 m */
	ck_assert_uint_eq(frame[28] | frame[29] << 8, 181 * 64);
	ck_assert_uint_eq(frame[30] | frame[31] << 8, 1010);
	ck_assert_uint_eq(n, 1468);
}
END_TEST

static void refused(const char *why, size_t n, int64_t now_ns)
{
	uint64_t before = parser.counts.turns_refused + parser.counts.frames_refused;
	ck_assert_msg(feed(frame, n, n, now_ns) == 0, "taken although %s", why);
	ck_assert_msg(
	    parser.counts.turns_refused + parser.counts.frames_refused > before, "not counted: %s", why);
}

START_TEST(what_is_late_repeated_from_the_future_or_not_the_whole_circle_is_refused)
{
	cairn_scan_stream_init(&parser);
	refused("it is late", make(NOW_NS, true), NOW_NS + 301 * MS);
	refused("it is from the future", make(NOW_NS, true), NOW_NS - 51 * MS);
	size_t n = make(NOW_NS, true);
	ck_assert_int_eq(feed(frame, n, n, NOW_NS), 1);
	refused("it came before", n, NOW_NS + MS);
	refused("it is older than the last one", make(NOW_NS - MS, true), NOW_NS + MS);
	(void)make(NOW_NS + 10 * MS, true);
	turn.count = 340; /* 20 degrees are missing */
	refused("it does not see all round", cairn_scan_stream_write(frame, &turn), NOW_NS + 10 * MS);
	(void)make(NOW_NS + 10 * MS, true);
	turn.angle_q6[100] = turn.angle_q6[90];
	refused("it goes back and forth", cairn_scan_stream_write(frame, &turn), NOW_NS + 10 * MS);
	(void)make(NOW_NS + 10 * MS, true);
	memmove(turn.angle_q6 + 100, turn.angle_q6 + 120, sizeof(turn.angle_q6[0]) * (POINTS - 120));
	turn.count = POINTS - 20;
	refused("it has a hole of 21 degrees", cairn_scan_stream_write(frame, &turn), NOW_NS + 10 * MS);
	(void)make(NOW_NS + 10 * MS, true);
	turn.t_start_ns = turn.t_end_ns + 1;
	refused("it ends before it begins", cairn_scan_stream_write(frame, &turn), NOW_NS + 10 * MS);
	n = make(NOW_NS + 10 * MS, true);
	frame[200] ^= 4;
	refused("a bit is wrong", n, NOW_NS + 10 * MS);
	n = make(NOW_NS + 10 * MS, true);
	ck_assert_int_eq(feed(frame, n, n, NOW_NS + 10 * MS), 1);
}
END_TEST

START_TEST(the_reason_is_said_to_who_writes_them)
{
	struct cairn_error err = {""};
	(void)make(NOW_NS, true);
	ck_assert(cairn_scan_stream_whole(&turn, &err));
	turn.count = 80;
	ck_assert(!cairn_scan_stream_whole(&turn, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "80 points"));
	turn.count = 270;
	ck_assert(!cairn_scan_stream_whole(&turn, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "sweeps 270 degrees"));
}
END_TEST

START_TEST(whatever_bytes_come_a_good_turn_behind_them_is_read)
{
	static uint8_t junk[5000];
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 1);
	cairn_scan_stream_init(&parser);
	for (int round = 0; round < CAIRN_ROUNDS(400); round++) {
		size_t n = cairn_rng_u32(&rng) % sizeof(junk);
		size_t whole = make(NOW_NS + round * MS, true);
		for (size_t i = 0; i < n; i++)
			junk[i] = i < whole ? frame[i] : (uint8_t)cairn_rng_u32(&rng);
		for (int wrong = 0; wrong < 3 && n > 0; wrong++)
			junk[cairn_rng_u32(&rng) % n] = (uint8_t)cairn_rng_u32(&rng);
		(void)feed(junk, n, 1 + cairn_rng_u32(&rng) % 700, NOW_NS + round * MS);
		/* What was cut off may swallow frames as long as the longest. */
		int turns = 0;
		for (int more = 0; more < 13 && turns == 0; more++) {
			whole = make(NOW_NS + round * MS + 1000 * (more + 1), true);
			turns = feed(frame, whole, whole, NOW_NS + round * MS + MS / 2);
		}
		ck_assert_int_eq(turns, 1);
	}
}
END_TEST

START_TEST(the_link_is_stale_without_turns_and_opens_the_port_again)
{
	static struct cairn_lidar_link lidar;
	enum cairn_rplidar_event event;
	cairn_lidar_link_init(&lidar, CAIRN_CHOICE_LIDAR_MODEL_HELPER, false, NOW_NS);
	cairn_lidar_link_opened(&lidar, NOW_NS);
	struct cairn_lidar_todo todo = cairn_lidar_link_take(&lidar);
	ck_assert_uint_eq(todo.send_bytes, 0); /* it takes no requests */
	ck_assert(cairn_lidar_link_stale(&lidar, NOW_NS));
	size_t n = make(NOW_NS + 10 * MS, true);
	turn.t_start_ns = turn.t_end_ns; /* of a simulator, all at once */
	n = cairn_scan_stream_write(frame, &turn);
	ck_assert_uint_eq(cairn_lidar_link_feed(&lidar, frame, n, NOW_NS + 12 * MS, &event), n);
	ck_assert_int_eq((int)event, CAIRN_RPLIDAR_EVENT_TURN);
	ck_assert_int_eq(cairn_lidar_link_turn(&lidar)->t_end_ns, NOW_NS + 10 * MS);
	ck_assert(!cairn_lidar_link_stale(&lidar, NOW_NS + 400 * MS));
	ck_assert(cairn_lidar_link_stale(&lidar, NOW_NS + 600 * MS));
	cairn_lidar_link_tick(&lidar, NOW_NS + 2100 * MS);
	ck_assert(cairn_lidar_link_take(&lidar).close);
}
END_TEST

CAIRN_TEST_MAIN("scan-stream", a_turn_comes_as_it_was_written_in_any_pieces_and_either_direction,
    the_frame_has_the_bytes_of_the_documentation,
    what_is_late_repeated_from_the_future_or_not_the_whole_circle_is_refused,
    the_reason_is_said_to_who_writes_them, whatever_bytes_come_a_good_turn_behind_them_is_read,
    the_link_is_stale_without_turns_and_opens_the_port_again)
