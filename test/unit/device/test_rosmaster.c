#include <math.h>

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/device/base_link.h"
#include "common/device/rosmaster.h"
#include "test/support/runner.h"

static void check_frame(size_t n, const uint8_t *got, const char *want_hex)
{
	char flat[256] = "";
	for (size_t i = 0; i < n; i++)
		sprintf(flat + 3 * i, "%02X ", got[i]);
	flat[n > 0 ? 3 * n - 1 : 0] = '\0';
	ck_assert_str_eq(flat, want_hex);
}

/* ---- commands ---- */

START_TEST(commands_have_the_published_bytes)
{
	uint8_t b[CAIRN_ROSMASTER_FRAME_MAX];
	check_frame(cairn_rosmaster_auto_report(b, true), b, "FF FC 05 01 01 00 07");
	check_frame(cairn_rosmaster_frame(b, CAIRN_ROSMASTER_BEEP, (const uint8_t[]){100, 0}, 2), b,
	    "FF FC 05 02 64 00 6B");
	check_frame(cairn_rosmaster_frame(b, CAIRN_ROSMASTER_SERVO, (const uint8_t[]){2, 90}, 2), b,
	    "FF FC 05 03 02 5A 64");
	check_frame(cairn_rosmaster_frame(b, CAIRN_ROSMASTER_MOTORS, (const uint8_t[]){0, 0, 0, 0}, 4), b,
	    "FF FC 07 10 00 00 00 00 17");
	check_frame(cairn_rosmaster_motion(b, 9, 0.2, 0.0), b, "FF FC 0A 12 09 C8 00 00 00 00 00 ED");
	check_frame(cairn_rosmaster_motion(b, 9, 0.0, 0.0), b, "FF FC 0A 12 09 00 00 00 00 00 00 25");
	check_frame(cairn_rosmaster_set_car_type(b, 9), b, "FF FC 05 15 09 5F 82");
	check_frame(cairn_rosmaster_frame(b, CAIRN_ROSMASTER_STEERING, (const uint8_t[]){1, 0xF6}, 2), b,
	    "FF FC 05 31 01 F6 2D");
	check_frame(cairn_rosmaster_request(b, CAIRN_ROSMASTER_VERSION), b, "FF FC 05 50 51 00 A6");
	check_frame(cairn_rosmaster_frame(b, CAIRN_ROSMASTER_RESET_STATE, (const uint8_t[]){0x5F}, 1), b,
	    "FF FC 04 0F 5F 72");
}
END_TEST

START_TEST(the_stop_of_a_second_opener_is_13_bytes_of_whole_frames)
{
	uint8_t b[13];
	check_frame(cairn_rosmaster_stop_frame(b), b, "FF FC 04 0F 5F 72 FF FC 05 01 01 00 07");
}
END_TEST

START_TEST(motion_clamps_and_never_sends_nonsense)
{
	uint8_t b[CAIRN_ROSMASTER_FRAME_MAX];
	cairn_rosmaster_motion(b, 9, -0.2, 1.5);
	ck_assert_int_eq((int16_t)(b[5] | b[6] << 8), -200);
	ck_assert_int_eq((int16_t)(b[7] | b[8] << 8), 0);
	ck_assert_int_eq((int16_t)(b[9] | b[10] << 8), 1500);
	cairn_rosmaster_motion(b, 9, 1e9, -INFINITY);
	ck_assert_int_eq((int16_t)(b[5] | b[6] << 8), 32767);
	ck_assert_int_eq((int16_t)(b[9] | b[10] << 8), -32767);
	check_frame(cairn_rosmaster_motion(b, 9, NAN, NAN), b, "FF FC 0A 12 09 00 00 00 00 00 00 25");
	uint8_t big[64] = {0};
	ck_assert_uint_eq(cairn_rosmaster_frame(b, CAIRN_ROSMASTER_BEEP, big, 38), 0);
}
END_TEST

/* ---- reports ---- */

static uint8_t in[1 << 16];
static size_t in_len;

static void put_report(uint8_t func, const uint8_t *data, size_t n)
{
	uint8_t b[64] = {0xFF, 0xFB, (uint8_t)(n + 3), func};
	memcpy(b + 4, data, n);
	unsigned sum = 0;
	for (size_t i = 2; i < n + 4; i++)
		sum += b[i];
	b[4 + n] = (uint8_t)sum;
	memcpy(in + in_len, b, n + 5);
	in_len += n + 5;
}

/* Parses everything in chunks; the last report in *last; the number of reports. */
static int parse(struct cairn_rosmaster_parser *p, size_t chunk, struct cairn_rosmaster_report *last)
{
	int count = 0;
	size_t at = 0;
	bool some = true;
	while (at < in_len || some) {
		struct cairn_rosmaster_report r;
		size_t n = in_len - at < chunk ? in_len - at : chunk;
		size_t used = cairn_rosmaster_feed(p, in + at, n, &r, &some);
		ck_assert_uint_le(used, n);
		ck_assert(some || used == n);
		at += used;
		if (some) {
			count++;
			*last = r;
		}
	}
	return count;
}

START_TEST(the_published_speed_report_is_read)
{
	static const uint8_t frame[] = {
	    0xFF, 0xFB, 0x0A, 0x0A, 0xC8, 0x00, 0x0A, 0x00, 0x00, 0x00, 0x7B, 0x61};
	struct cairn_rosmaster_parser p;
	struct cairn_rosmaster_report r = {0};
	cairn_rosmaster_parser_init(&p);
	memcpy(in, frame, sizeof(frame));
	in_len = sizeof(frame);
	/* LEN 0A counts LEN, FUNC, seven data bytes and the sum. */
	ck_assert_int_eq(parse(&p, 1, &r), 1);
	ck_assert_int_eq(r.func, CAIRN_ROSMASTER_SPEED);
	ck_assert_double_eq_tol(r.speed.vx_mps, 0.2, 1e-12);
	ck_assert_int_eq(r.speed.steer_raw, 10);
	ck_assert_double_eq(r.speed.vz_radps, 0.0);
	ck_assert_double_eq_tol(r.speed.battery_v, 12.3, 1e-12);
}
END_TEST

START_TEST(both_imus_are_read_in_their_own_scale)
{
	struct cairn_rosmaster_parser p;
	struct cairn_rosmaster_report r = {0};
	cairn_rosmaster_parser_init(&p);
	uint8_t d[18] = {0};
	d[4] = 0xAB, d[5] = 0x0E;   /* gyro z raw 3755 */
	d[10] = 0x10, d[11] = 0x40; /* accel z raw 16400 */
	in_len = 0;
	put_report(0x0B, d, sizeof(d));
	ck_assert_int_eq(parse(&p, 5, &r), 1);
	ck_assert_double_eq_tol(r.imu.gyro_radps[2], -3755 / 3754.9, 1e-9);
	ck_assert_double_eq_tol(r.imu.accel_mps2[2], 16400 / 1671.84, 1e-9);
	in_len = 0;
	put_report(0x0E, d, sizeof(d));
	ck_assert_int_eq(parse(&p, 5, &r), 1);
	ck_assert_double_eq_tol(r.imu.gyro_radps[2], 3.755, 1e-9);
	ck_assert_double_eq_tol(r.imu.accel_mps2[2], 16.4, 1e-9);
}
END_TEST

START_TEST(attitude_encoders_version_and_type_are_read)
{
	struct cairn_rosmaster_parser p;
	struct cairn_rosmaster_report r = {0};
	cairn_rosmaster_parser_init(&p);
	in_len = 0;
	put_report(0x0C, (const uint8_t[]){0x10, 0x27, 0xF0, 0xD8, 0, 0}, 6);
	ck_assert_int_eq(parse(&p, 3, &r), 1);
	ck_assert_double_eq_tol(r.attitude.roll_rad, 1.0, 1e-12);
	ck_assert_double_eq_tol(r.attitude.pitch_rad, -1.0, 1e-12);
	in_len = 0;
	put_report(0x0D,
	    (const uint8_t[]){1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0x80, 0x40, 0x42, 0x0F, 0}, 16);
	ck_assert_int_eq(parse(&p, 3, &r), 1);
	ck_assert_int_eq(r.encoder[0], 1);
	ck_assert_int_eq(r.encoder[1], -1);
	ck_assert_int_eq(r.encoder[2], INT32_MIN);
	ck_assert_int_eq(r.encoder[3], 1000000);
	in_len = 0;
	put_report(0x51, (const uint8_t[]){3, 5}, 2);
	put_report(0x15, (const uint8_t[]){9}, 1);
	ck_assert_int_eq(parse(&p, 3, &r), 2);
	ck_assert_uint_eq(r.car_type, 9);
}
END_TEST

START_TEST(damaged_and_unknown_frames_are_skipped_and_counted)
{
	struct cairn_rosmaster_parser p;
	struct cairn_rosmaster_report r = {0};
	cairn_rosmaster_parser_init(&p);
	in_len = 0;
	put_report(0x15, (const uint8_t[]){9}, 1);
	in[4] ^= 1; /* sum no longer right */
	put_report(0x77, (const uint8_t[]){1}, 1);
	put_report(0x0A, (const uint8_t[]){1, 2}, 2); /* too short for its kind */
	put_report(0x51, (const uint8_t[]){1, 2}, 2);
	ck_assert_int_eq(parse(&p, 100, &r), 1);
	ck_assert_int_eq(r.func, CAIRN_ROSMASTER_VERSION);
	ck_assert_uint_eq(p.frames_unknown, 2);
	ck_assert_uint_eq(p.bytes_lost, 6);
}
END_TEST

START_TEST(frames_within_a_false_frame_are_found)
{
	/* A head whose length swallows two good frames before its sum fails. */
	struct cairn_rosmaster_parser p;
	struct cairn_rosmaster_report r = {0};
	cairn_rosmaster_parser_init(&p);
	in_len = 0;
	memcpy(in, (const uint8_t[]){0xFF, 0xFB, 0x14}, 3);
	in_len = 3;
	for (int i = 0; i < 4; i++)
		put_report(0x51, (const uint8_t[]){1, (uint8_t)i}, 2);
	ck_assert_int_eq(parse(&p, 100, &r), 4);
	ck_assert_uint_eq(r.version.minor, 3);
}
END_TEST

START_TEST(reports_survive_any_chunking_and_garbage_between_them)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 4, 1);
	for (int round = 0; round < 200; round++) {
		struct cairn_rosmaster_parser p;
		struct cairn_rosmaster_report r = {0};
		cairn_rosmaster_parser_init(&p);
		in_len = 0;
		for (int i = 0; i < 50; i++) {
			for (uint32_t n = cairn_rng_u32(&rng) % 20; n > 0; n--) {
				uint8_t b = (uint8_t)cairn_rng_u32(&rng);
				in[in_len++] = b == 0xFF ? 0 : b; /* no head: garbage swallows nothing */
			}
			put_report(0x15, (const uint8_t[]){9}, 1);
		}
		ck_assert_int_eq(parse(&p, 1 + cairn_rng_u32(&rng) % 60, &r), 50);
	}
}
END_TEST

START_TEST(random_bytes_are_survived)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 9, 1);
	for (int round = 0; round < 200; round++) {
		struct cairn_rosmaster_parser p;
		struct cairn_rosmaster_report r = {0};
		cairn_rosmaster_parser_init(&p);
		for (in_len = 0; in_len < 5000; in_len++) {
			uint32_t x = cairn_rng_u32(&rng);
			in[in_len] = x % 4 == 0 ? 0xFF : x % 4 == 1 ? 0xFB : (uint8_t)(x >> 8);
		}
		parse(&p, 1 + cairn_rng_u32(&rng) % 100, &r);
		put_report(0x0C, (const uint8_t[]){0, 0, 0, 0, 0, 0}, 6);
		for (int i = 0; i < 50; i++) /* a false head can swallow at most 42 bytes */
			in[in_len++] = 0;
		ck_assert_int_ge(parse(&p, 100, &r), 1);
	}
}
END_TEST

/* ---- bringing the board into service ---- */

#define MS CAIRN_NS_PER_MS

static void say(struct cairn_base_link *l, uint8_t func, const uint8_t *data, size_t n, int64_t now_ns)
{
	in_len = 0;
	put_report(func, data, n);
	struct cairn_base_report r;
	bool some;
	ck_assert_uint_eq(cairn_base_link_feed(l, in, in_len, now_ns, &r, &some), in_len);
	ck_assert(some);
}

static const uint8_t no_motion[7] = {0};

START_TEST(a_board_of_the_right_type_is_not_written_to)
{
	struct cairn_base_link l;
	uint8_t out[128];
	cairn_base_link_init(&l, &(struct cairn_config_robot){.car_type = 9}, 0);
	ck_assert(cairn_base_link_wants_open(&l, 0));
	ck_assert(!cairn_base_link_in_service(&l, 0));
	cairn_base_link_opened(&l, 10 * MS);
	size_t n = cairn_base_link_poll(&l, 10 * MS, out);
	check_frame(n, out, "FF FC 05 01 01 00 07 FF FC 05 50 51 00 A6 FF FC 05 50 15 00 6A");
	say(&l, 0x51, (const uint8_t[]){3, 3}, 2, 12 * MS);
	ck_assert(!cairn_base_link_in_service(&l, 12 * MS));
	say(&l, 0x15, (const uint8_t[]){9}, 1, 12 * MS);
	ck_assert(cairn_base_link_in_service(&l, 12 * MS));
	ck_assert_uint_eq(cairn_base_link_poll(&l, 5000 * MS, out), 0);
	ck_assert_uint_eq(l.type_writes, 0);
}
END_TEST

START_TEST(another_type_is_set_and_read_back_a_few_times_only)
{
	struct cairn_base_link l;
	uint8_t out[128];
	cairn_base_link_init(&l, &(struct cairn_config_robot){.car_type = 9}, 0);
	cairn_base_link_opened(&l, 0);
	cairn_base_link_poll(&l, 0, out);
	int64_t now = 0;
	for (int i = 0; i < 20; i++) {
		say(&l, 0x15, (const uint8_t[]){1}, 1, now);
		ck_assert(!cairn_base_link_in_service(&l, now));
		if (i == 0) /* at once the first time, then not before the flash is written */
			ck_assert_uint_gt(cairn_base_link_poll(&l, now, out), 0);
		else
			ck_assert_uint_eq(cairn_base_link_poll(&l, now + 10 * MS, out), 0);
		now += 160 * MS;
		ck_assert_uint_gt(cairn_base_link_poll(&l, now, out), 0);
	}
	ck_assert_uint_eq(l.type_writes, 5);
	ck_assert_str_eq(cairn_base_link_note(&l, now), "keeps another car type");
	say(&l, 0x15, (const uint8_t[]){9}, 1, now);
	ck_assert(cairn_base_link_in_service(&l, now));
}
END_TEST

START_TEST(silence_ends_service_and_its_return_asks_again)
{
	struct cairn_base_link l;
	uint8_t out[128];
	cairn_base_link_init(&l, &(struct cairn_config_robot){.car_type = 9}, 0);
	cairn_base_link_opened(&l, 0);
	say(&l, 0x15, (const uint8_t[]){9}, 1, 0);
	say(&l, 0x0A, no_motion, 7, 100 * MS);
	ck_assert(cairn_base_link_in_service(&l, 250 * MS));
	ck_assert(!cairn_base_link_in_service(&l, 350 * MS));
	ck_assert(!cairn_base_link_silent(&l, 1000 * MS));
	ck_assert(cairn_base_link_silent(&l, 1200 * MS));
	say(&l, 0x0A, no_motion, 7, 1300 * MS);
	ck_assert(!cairn_base_link_in_service(&l, 1300 * MS)); /* it may have forgotten its type */
	ck_assert_uint_gt(cairn_base_link_poll(&l, 1300 * MS, out), 0);
	say(&l, 0x15, (const uint8_t[]){9}, 1, 1310 * MS);
	ck_assert(cairn_base_link_in_service(&l, 1310 * MS));
}
END_TEST

START_TEST(a_lost_port_is_tried_every_100_ms)
{
	struct cairn_base_link l;
	cairn_base_link_init(&l, &(struct cairn_config_robot){.car_type = 9}, 0);
	cairn_base_link_opened(&l, 0);
	say(&l, 0x15, (const uint8_t[]){9}, 1, 0);
	cairn_base_link_lost(&l, 50 * MS);
	ck_assert(!cairn_base_link_in_service(&l, 50 * MS));
	ck_assert(!cairn_base_link_wants_open(&l, 149 * MS));
	ck_assert(cairn_base_link_wants_open(&l, 150 * MS));
	ck_assert_uint_eq(l.losses, 1);
	for (int i = 0; i < 200; i++)
		cairn_base_link_lost(&l, 1000 * MS);
	ck_assert(!cairn_base_link_wants_open(&l, 1499 * MS));
	ck_assert(cairn_base_link_wants_open(&l, 1500 * MS));
	ck_assert_uint_eq(l.losses, 1);
}
END_TEST

CAIRN_TEST_MAIN("rosmaster", commands_have_the_published_bytes,
    the_stop_of_a_second_opener_is_13_bytes_of_whole_frames, motion_clamps_and_never_sends_nonsense,
    the_published_speed_report_is_read, both_imus_are_read_in_their_own_scale,
    attitude_encoders_version_and_type_are_read, damaged_and_unknown_frames_are_skipped_and_counted,
    frames_within_a_false_frame_are_found, reports_survive_any_chunking_and_garbage_between_them,
    random_bytes_are_survived, a_board_of_the_right_type_is_not_written_to,
    another_type_is_set_and_read_back_a_few_times_only, silence_ends_service_and_its_return_asks_again,
    a_lost_port_is_tried_every_100_ms)
