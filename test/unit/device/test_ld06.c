/* The stream of an LD06: a frame of the maker's manual, turns, and what becomes of lost and mutated bytes. */
#include <math.h>

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/device/lidar_link.h"
#include "common/sim/robot/dev_ld06.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS
#define POINTS 450 /* a turn at ten a second */
#define FRAME CAIRN_LD06_FRAME

static struct cairn_ld06 parser;
static struct cairn_dev_ld06 device;

/* The manual's example: 2152 degrees a second, from 324.27 to 334.70 degrees, 224 mm to 192 mm. */
static const uint8_t manual[FRAME] = {0x54, 0x2C, 0x68, 0x08, 0xAB, 0x7E, 0xE0, 0x00, 0xE4, 0xDC, 0x00, 0xE2,
    0xD9, 0x00, 0xE5, 0xD5, 0x00, 0xE3, 0xD3, 0x00, 0xE4, 0xD0, 0x00, 0xE9, 0xCD, 0x00, 0xE4, 0xCA, 0x00,
    0xE2, 0xC7, 0x00, 0xE9, 0xC5, 0x00, 0xE5, 0xC2, 0x00, 0xE5, 0xC0, 0x00, 0xE5, 0xBE, 0x82, 0x3A, 0x1A,
    0x50};

static double range_at(double deg)
{
	return 2.0 + cos(cairn_deg_to_rad(deg));
}

/* Frames from point `from` on until at least `count` points are in them. Bytes. */
static size_t frames(int from, int count, uint8_t *out)
{
	size_t n = 0;
	for (int i = from; i < from + count; i++) {
		double deg = fmod(i, POINTS) * 360.0 / POINTS;
		n += cairn_dev_ld06_point(&device, deg, range_at(deg), 3600.0, i * 100 / POINTS, out + n);
	}
	return n;
}

static int turns_of(const uint8_t *bytes, size_t n, size_t piece)
{
	int turns = 0;
	for (size_t at = 0; at < n;) {
		size_t now = n - at < piece ? n - at : piece;
		bool turn;
		at += cairn_ld06_feed(&parser, bytes + at, now, (int64_t)at, &turn);
		turns += turn;
	}
	return turns;
}

START_TEST(the_frame_of_the_makers_manual_is_read)
{
	static const uint16_t mm[12] = {224, 220, 217, 213, 211, 208, 205, 202, 199, 197, 194, 192};
	cairn_ld06_init(&parser);
	ck_assert_uint_eq(cairn_ld06_crc(manual, FRAME - 1), 0x50);
	parser.turn_open = true; /* as if a turn had begun before it */
	ck_assert_int_eq(turns_of(manual, FRAME, FRAME), 0);
	ck_assert_uint_eq(parser.counts.frames, 1);
	const struct cairn_lidar_turn *t = &parser.turns[parser.building];
	ck_assert_uint_eq(t->count, 12);
	for (int i = 0; i < 12; i++) {
		ck_assert_double_eq_tol((double)t->range_m[i], mm[i] * 1e-3, 1e-6);
		ck_assert_double_eq_tol(t->angle_q6[i] / 64.0, 324.27 + i * (334.70 - 324.27) / 11.0, 0.03);
	}
}
END_TEST

START_TEST(the_emulator_writes_frames_as_the_manual_has_them)
{
	static const double mm[12] = {224, 220, 217, 213, 211, 208, 205, 202, 199, 197, 194, 192};
	uint8_t frame[FRAME];
	device = (struct cairn_dev_ld06){0};
	for (int i = 0; i < 12; i++)
		ck_assert_uint_eq(cairn_dev_ld06_point(&device, 324.27 + i * (334.70 - 324.27) / 11.0,
				      mm[i] * 1e-3, 2152.0, 30000 + 6714, frame),
		    i == 11 ? FRAME : 0);
	for (int i = 0; i < 12; i++)
		frame[8 + 3 * i] = manual[8 + 3 * i]; /* strengths are not simulated */
	ck_assert_mem_eq(frame, manual, FRAME - 1);
}
END_TEST

START_TEST(a_turn_is_whole_in_order_and_where_the_device_saw_it_in_any_pieces)
{
	static uint8_t bytes[3 * POINTS * 4];
	static struct cairn_msg_scan scan;
	device = (struct cairn_dev_ld06){0};
	size_t n =
	    frames(7, 3 * POINTS, bytes); /* from anywhere: two wraps and a half turn before and behind */
	for (size_t piece = 1; piece < 200; piece += 13) {
		cairn_ld06_init(&parser);
		ck_assert_int_eq(turns_of(bytes, n, piece), 2);
		ck_assert_uint_eq(parser.counts.turns_refused, 0);
		const struct cairn_lidar_turn *t = cairn_ld06_turn(&parser);
		ck_assert_int_le(abs((int)t->count - POINTS), 1); /* angles are rounded where a turn begins */
		ck_assert_int_gt(t->t_end_ns, t->t_start_ns);
		for (uint32_t i = 0; i < t->count; i++) {
			ck_assert(i == 0 || t->angle_q6[i] > t->angle_q6[i - 1]);
			ck_assert_double_eq_tol((double)t->range_m[i], range_at(t->angle_q6[i] / 64.0), 2e-3);
		}
	}
	cairn_lidar_scan(&scan, cairn_ld06_turn(&parser), 0.0, false, 0.02, 12.0);
	uint32_t quarter = POINTS / 4; /* clockwise: to the right */
	ck_assert_double_eq_tol((double)scan.angle_rad[quarter], -M_PI / 2.0, 0.02);
}
END_TEST

START_TEST(a_lost_frame_costs_the_turn_it_was_in_and_no_other)
{
	static uint8_t bytes[4 * POINTS * 4];
	device = (struct cairn_dev_ld06){0};
	size_t n = frames(0, 4 * POINTS, bytes);
	size_t at = 60 * FRAME; /* in the second turn */
	memmove(bytes + at, bytes + at + FRAME, n - at - FRAME);
	cairn_ld06_init(&parser);
	/* The first turn began before the stream, the last one does not end. */
	ck_assert_int_eq(turns_of(bytes, n - FRAME, 100), 1);
	ck_assert_uint_eq(parser.counts.turns_refused, 1);
	bytes[at + 20] ^= 1; /* and a frame with a wrong byte */
	cairn_ld06_init(&parser);
	ck_assert_int_eq(turns_of(bytes, n - FRAME, 100), 1);
	ck_assert_uint_eq(parser.counts.frames_refused, 1);
}
END_TEST

START_TEST(bytes_between_two_frames_cost_the_turn_and_a_frame_behind_a_false_head_is_found)
{
	static uint8_t bytes[4 * POINTS * 4 + 8];
	device = (struct cairn_dev_ld06){0};
	size_t n = frames(0, 3 * POINTS, bytes), at = 60 * FRAME;
	memmove(bytes + at + 4, bytes + at, n - at);
	memcpy(bytes + at, (const uint8_t[]){0x54, 0x2C, 0x54, 0x2C}, 4); /* with the next bytes no frame */
	cairn_ld06_init(&parser);
	ck_assert_int_eq(turns_of(bytes, n + 4, 100), 0); /* of three only the middle one could be whole */
	ck_assert_uint_eq(parser.counts.turns_refused, 1);
	ck_assert_uint_eq(parser.counts.frames, n / FRAME); /* none is lost to the false heads */
}
END_TEST

START_TEST(after_any_garbage_there_is_a_turn_within_two_revolutions)
{
	static uint8_t bytes[4 * POINTS * 4 + 4096];
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 31, 6);
	for (int round = 0; round < CAIRN_ROUNDS(400); round++) {
		size_t junk = cairn_rng_u32(&rng) % 4096;
		for (size_t i = 0; i < junk; i++) /* heads more often than chance has them */
			bytes[i] =
			    (uint8_t[]){0x54, 0x2C, (uint8_t)cairn_rng_u32(&rng), 0}[cairn_rng_u32(&rng) % 4];
		device = (struct cairn_dev_ld06){0};
		size_t n = frames((int)(cairn_rng_u32(&rng) % POINTS), 2 * POINTS + 24, bytes + junk);
		cairn_ld06_init(&parser);
		(void)turns_of(bytes, junk, 64);
		uint64_t before = parser.counts.turns;
		(void)turns_of(bytes + junk, n, 64);
		ck_assert_uint_ge(parser.counts.turns, before + 1);
	}
}
END_TEST

/* Ten million bytes of a stream with errors in it: nothing breaks, and a turn is a turn. */
START_TEST(mutated_bytes_are_turns_or_nothing)
{
	static uint8_t bytes[4 * POINTS * 4];
	struct cairn_rng rng;
	uint64_t fed = 0;
	int turns = 0;
	cairn_rng_seed(&rng, 31, 7);
	cairn_ld06_init(&parser);
	while (fed < CAIRN_ROUNDS(10000000)) {
		device = (struct cairn_dev_ld06){0};
		size_t n = frames((int)(cairn_rng_u32(&rng) % POINTS), 3 * POINTS, bytes);
		for (unsigned i = cairn_rng_u32(&rng) % 12; i > 0; i--)
			bytes[cairn_rng_u32(&rng) % n] = (uint8_t)cairn_rng_u32(&rng);
		size_t cut = cairn_rng_u32(&rng) % 64;
		for (size_t at = cut; at < n;) {
			bool turn;
			at += cairn_ld06_feed(&parser, bytes + at, n - at, (int64_t)(fed + at), &turn);
			if (!turn)
				continue;
			const struct cairn_lidar_turn *t = cairn_ld06_turn(&parser);
			turns++;
			ck_assert(t->count >= CAIRN_LIDAR_TURN_MIN && t->count <= CAIRN_LIDAR_TURN_MAX);
			ck_assert_int_ge(t->angle_q6[t->count - 1] - t->angle_q6[0], 350 * 64);
			for (uint32_t i = 0; i < t->count; i++) {
				ck_assert_uint_lt(t->angle_q6[i], CAIRN_LIDAR_Q6_TURN);
				ck_assert(i == 0 || t->angle_q6[i] >= t->angle_q6[i - 1]);
				ck_assert(t->range_m[i] >= 0.0f && t->range_m[i] <= 65.535f);
			}
		}
		fed += n;
	}
	ck_assert_int_gt(turns, CAIRN_ROUNDS(600));
}
END_TEST

/* ---- the link ---- */

static struct cairn_lidar_link lidar;

/* A turn and a bit of it, as it arrives between two times. Turns that come out. */
static int stream(int from, int count, int64_t begin_ns, int64_t end_ns)
{
	static uint8_t bytes[4 * POINTS * 4];
	size_t n = frames(from, count, bytes);
	int turns = 0;
	for (size_t at = 0; at < n;) {
		size_t piece = n - at < FRAME ? n - at : FRAME;
		enum cairn_rplidar_event event;
		int64_t now_ns = begin_ns + (end_ns - begin_ns) * (int64_t)at / (int64_t)n;
		at += cairn_lidar_link_feed(&lidar, bytes + at, piece, now_ns, &event);
		turns += event == CAIRN_RPLIDAR_EVENT_TURN;
	}
	return turns;
}

static void begin(void)
{
	device = (struct cairn_dev_ld06){0};
	cairn_lidar_link_init(&lidar, CAIRN_CHOICE_LIDAR_MODEL_LD06, false, 0);
	ck_assert(cairn_lidar_link_wants_open(&lidar, 0));
	ck_assert_int_eq(cairn_lidar_link_baud(&lidar), 230400);
	cairn_lidar_link_opened(&lidar, 0);
	struct cairn_lidar_todo todo = cairn_lidar_link_take(&lidar);
	ck_assert(todo.flush_input && todo.send_bytes == 0 && !todo.close); /* it is never asked */
}

START_TEST(the_link_scans_without_a_question_and_opens_the_port_again_when_it_is_silent)
{
	uint8_t bytes[CAIRN_RPLIDAR_REQUEST_MAX];
	begin();
	ck_assert_int_eq(stream(0, 2 * POINTS + 24, 0, 200 * MS), 1);
	ck_assert_int_eq(lidar.phase, CAIRN_LIDAR_SCANNING);
	ck_assert(!cairn_lidar_link_stale(&lidar, 300 * MS));
	ck_assert(cairn_lidar_link_stale(&lidar, 800 * MS));
	cairn_lidar_link_tick(&lidar, 2100 * MS);
	ck_assert(!cairn_lidar_link_take(&lidar).close);
	cairn_lidar_link_tick(&lidar, 2300 * MS);
	ck_assert(cairn_lidar_link_take(&lidar).close);
	cairn_lidar_link_lost(&lidar, 2300 * MS);
	ck_assert(cairn_lidar_link_wants_open(&lidar, 2400 * MS));
	ck_assert_uint_eq(cairn_lidar_link_farewell(&lidar, bytes), 0);
}
END_TEST

START_TEST(a_port_where_no_ld06_speaks_is_given_up)
{
	static const uint8_t other[400] = {0xA5, 0x5A};
	enum cairn_rplidar_event event;
	begin();
	(void)cairn_lidar_link_feed(&lidar, other, sizeof(other), MS, &event);
	cairn_lidar_link_tick(&lidar, 2001 * MS);
	ck_assert(cairn_lidar_link_take(&lidar).close);
}
END_TEST

START_TEST(a_turn_that_waited_in_a_buffer_is_refused)
{
	begin();
	ck_assert_int_eq(stream(0, 2 * POINTS + 24, 100 * MS, 101 * MS), 0);
	ck_assert_uint_ge(cairn_lidar_link_turns_refused(&lidar), 1);
}
END_TEST

CAIRN_TEST_MAIN("ld06", the_frame_of_the_makers_manual_is_read,
    the_emulator_writes_frames_as_the_manual_has_them,
    a_turn_is_whole_in_order_and_where_the_device_saw_it_in_any_pieces,
    a_lost_frame_costs_the_turn_it_was_in_and_no_other,
    bytes_between_two_frames_cost_the_turn_and_a_frame_behind_a_false_head_is_found,
    after_any_garbage_there_is_a_turn_within_two_revolutions, mutated_bytes_are_turns_or_nothing,
    the_link_scans_without_a_question_and_opens_the_port_again_when_it_is_silent,
    a_port_where_no_ld06_speaks_is_given_up, a_turn_that_waited_in_a_buffer_is_refused)
