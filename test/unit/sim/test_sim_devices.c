/* The device side of both serial protocols, by the vectors of docs/wire-formats.md and against the host side.
 */
#include "test/support/runner.h"

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/device/rosmaster.h"
#include "common/device/rplidar.h"
#include "common/sim/robot/dev_board.h"
#include "common/sim/robot/dev_lidar.h"

#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static void expect(const uint8_t *got, size_t got_bytes, const uint8_t *want, size_t want_bytes)
{
	ck_assert_uint_eq(got_bytes, want_bytes);
	ck_assert_mem_eq(got, want, want_bytes);
}

/* ---- LiDAR ---- */

static size_t ask_lidar(
    struct cairn_dev_lidar *d, const uint8_t *bytes, size_t count, uint8_t *out, size_t cap)
{
	for (size_t i = 0; i < count; i++)
		cairn_dev_lidar_receive(d, bytes + i, 1);
	return cairn_dev_lidar_take(d, out, cap);
}

START_TEST(the_lidar_answers_its_requests)
{
	struct cairn_dev_lidar d;
	uint8_t out[256];
	cairn_dev_lidar_init(&d);
	size_t n = ask_lidar(&d, BYTES(0xA5, 0x50), out, sizeof(out));
	ck_assert_uint_eq(n, 27);
	expect(out, 7, BYTES(0xA5, 0x5A, 0x14, 0x00, 0x00, 0x00, 0x04));
	ck_assert_uint_eq(out[7] >> 4, 4); /* major id of the C series */
	n = ask_lidar(&d, BYTES(0xA5, 0x52), out, sizeof(out));
	expect(out, n, BYTES(0xA5, 0x5A, 0x03, 0x00, 0x00, 0x00, 0x06, 0, 0, 0));
	n = ask_lidar(&d, BYTES(0xA5, 0x59), out, sizeof(out));
	expect(out, n, BYTES(0xA5, 0x5A, 0x04, 0x00, 0x00, 0x00, 0x15, 139, 0, 139, 0));
	n = ask_lidar(&d, BYTES(0xA5, 0x84, 0x04, 0x70, 0, 0, 0, 0x55), out, sizeof(out));
	expect(out, n, BYTES(0xA5, 0x5A, 0x06, 0, 0, 0, 0x20, 0x70, 0, 0, 0, 1, 0));
	n = ask_lidar(&d, BYTES(0xA5, 0x84, 0x06, 0x75, 0, 0, 0, 0, 0, 0x52), out, sizeof(out));
	expect(out, n, BYTES(0xA5, 0x5A, 0x05, 0, 0, 0, 0x20, 0x75, 0, 0, 0, 0x81));
	ck_assert(!d.scanning);
	n = ask_lidar(&d, BYTES(0xA5, 0x20), out, sizeof(out));
	expect(out, n, BYTES(0xA5, 0x5A, 0x05, 0x00, 0x00, 0x40, 0x81));
	ck_assert(d.scanning);
	n = ask_lidar(&d, BYTES(0xA5, 0x25), out, sizeof(out));
	ck_assert_uint_eq(n, 0);
	ck_assert(!d.scanning);
	n = ask_lidar(&d, BYTES(0xA5, 0x21), out, sizeof(out));
	ck_assert_uint_eq(n, 7);
	n = ask_lidar(&d, BYTES(0xA5, 0x40), out, sizeof(out));
	ck_assert(n > 0 && n <= 63 && out[0] == 'R');
	ck_assert(!d.scanning);
	ck_assert_uint_eq(d.rejects, 0);
}
END_TEST

START_TEST(the_lidar_reads_over_damaged_and_unknown_requests)
{
	struct cairn_dev_lidar d;
	uint8_t out[256];
	cairn_dev_lidar_init(&d);
	ck_assert_uint_eq(
	    ask_lidar(&d, BYTES(0xA5, 0x84, 0x04, 0x70, 0, 0, 0, 0x54), out, sizeof(out)), 0); /* wrong sum */
	ck_assert_uint_eq(ask_lidar(&d, BYTES(0xA5, 0x82, 0x05, 0, 0, 0, 0, 0, 0x22), out, sizeof(out)),
	    0); /* express: not offered */
	ck_assert_uint_eq(ask_lidar(&d, BYTES(0x00, 0xA5, 0xA5, 0x52), out, sizeof(out)), 10);
	ck_assert_uint_eq(d.rejects, 2);
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 1, 1);
	for (int i = 0; i < 20000; i++) {
		uint8_t b[32];
		for (size_t k = 0; k < sizeof(b); k++)
			b[k] = cairn_rng_u32(&rng) % 4 == 0 ? 0xA5 : (uint8_t)cairn_rng_u32(&rng);
		cairn_dev_lidar_receive(&d, b, sizeof(b));
		ck_assert_uint_le(d.out_bytes, sizeof(d.out));
	}
	while (cairn_dev_lidar_take(&d, out, sizeof(out)) > 0)
		;
	cairn_dev_lidar_receive(&d, (const uint8_t[260]){0}, 260); /* whatever was half read is over now */
	while (cairn_dev_lidar_take(&d, out, sizeof(out)) > 0)
		;
	ck_assert_uint_eq(ask_lidar(&d, BYTES(0xA5, 0x52), out, sizeof(out)), 10);
}
END_TEST

START_TEST(a_node_has_the_bytes_of_the_reference)
{
	uint8_t node[CAIRN_DEV_LIDAR_NODE];
	cairn_dev_lidar_node(node, 45.0, 5.0, false);
	expect(node, 5, BYTES(0xBE, 0x81, 0x16, 0x20, 0x4E)); /* 3E 81 16 20 4E but for the quality */
	cairn_dev_lidar_node(node, 0.0, 0.0, true);
	expect(node, 5, BYTES(0x01, 0x01, 0x00, 0x00, 0x00));
	cairn_dev_lidar_node(node, 359.999, 16.0, false);
	ck_assert_uint_eq(node[2], 0); /* wraps */
	ck_assert_uint_eq((unsigned)(node[3] | node[4] << 8), 64000);
}
END_TEST

START_TEST(the_host_side_understands_the_stream)
{
	struct cairn_dev_lidar d;
	static struct cairn_rplidar p;
	uint8_t out[64], node[CAIRN_DEV_LIDAR_NODE];
	enum cairn_rplidar_event event;
	int turns = 0;
	cairn_dev_lidar_init(&d);
	cairn_rplidar_init(&p);
	size_t n = ask_lidar(&d, BYTES(0xA5, 0x50), out, sizeof(out));
	for (size_t at = 0; at < n;) {
		at += cairn_rplidar_feed(&p, out + at, n - at, 1, &event);
		if (event == CAIRN_RPLIDAR_EVENT_INFO)
			turns = -1;
	}
	ck_assert_int_eq(turns, -1);
	turns = 0;
	n = ask_lidar(&d, BYTES(0xA5, 0x20), out, sizeof(out));
	for (size_t at = 0; at < n;)
		at += cairn_rplidar_feed(&p, out + at, n - at, 1, &event);
	for (int i = 0; i < 720 * 4; i++) {
		cairn_dev_lidar_node(node, (i % 720) * 0.5, 2.0 + (i % 720) * 0.01, i % 720 == 0);
		for (size_t at = 0; at < sizeof(node);) {
			at += cairn_rplidar_feed(&p, node + at, sizeof(node) - at, 1000 + i * 138889, &event);
			if (event != CAIRN_RPLIDAR_EVENT_TURN)
				continue;
			turns++;
			const struct cairn_lidar_turn *t = cairn_rplidar_turn(&p);
			ck_assert_uint_eq(t->count, 720);
			ck_assert_uint_eq(t->angle_q6[90], 45 * 64);
			ck_assert_float_eq_tol(t->range_m[90], 2.9f, 1e-3f);
		}
	}
	ck_assert_int_ge(turns, 2);
}
END_TEST

/* ---- motor board ---- */

static void tell(struct cairn_dev_board *b, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		cairn_dev_board_receive(b, bytes + i, 1);
}

START_TEST(the_board_obeys_the_reference_commands)
{
	struct cairn_dev_board b;
	uint8_t out[128];
	cairn_dev_board_init(&b);
	tell(&b, BYTES(0xFF, 0xFC, 0x05, 0x15, 0x09, 0x5F, 0x82)); /* car type 9 */
	ck_assert_uint_eq(b.car_type, 9);
	tell(&b, BYTES(0xFF, 0xFC, 0x0A, 0x12, 0x09, 0xC8, 0x00, 0x00, 0x00, 0x00, 0x00, 0xED)); /* 0.2 m/s */
	ck_assert_double_eq_tol(b.v_mps, 0.2, 1e-9);
	ck_assert_int_eq(b.mode, CAIRN_DEV_BOARD_TWIST);
	tell(&b, BYTES(0xFF, 0xFC, 0x0A, 0x12, 0x09, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x25));
	ck_assert_double_eq(b.v_mps, 0.0);
	tell(&b, BYTES(0xFF, 0xFC, 0x05, 0x31, 0x01, 0xF6, 0x2D)); /* 10 degrees left */
	ck_assert(b.steer_set);
	ck_assert_double_eq(b.steer_deg, 10.0);
	tell(&b, BYTES(0xFF, 0xFC, 0x0A, 0x12, 0x09, 0xC8, 0x00, 0x00, 0x00, 0x00, 0x00, 0xED));
	tell(&b, BYTES(0xFF, 0xFC, 0x04, 0x0F, 0x5F, 0x72)); /* reset state */
	ck_assert_double_eq(b.v_mps, 0.0);
	tell(&b, BYTES(0xFF, 0xFC, 0x0A, 0x12, 0x09, 0xC8, 0x00, 0x00, 0x00, 0x00, 0x00, 0xED));
	tell(&b, BYTES(0xFF, 0xFC, 0x07, 0x10, 0x00, 0x00, 0x00, 0x00, 0x17)); /* motors off */
	ck_assert_double_eq(b.v_mps, 0.0);
	tell(&b, BYTES(0xFF, 0xFC, 0x05, 0x50, 0x51, 0x00, 0xA6)); /* version? */
	size_t n = cairn_dev_board_take(&b, out, sizeof(out));
	expect(out, n, BYTES(0xFF, 0xFB, 0x05, 0x51, 0x03, 0x05, 0x5E));
	tell(&b, BYTES(0xFF, 0xFC, 0x05, 0x02, 0x64, 0x00, 0x6B)); /* beep */
	ck_assert_uint_eq(b.beep_ms, 100);
	tell(&b, BYTES(0xFF, 0xFC, 0x07, 0x05, 0xFF, 0xFF, 0x80, 0x01, 0x8B)); /* all lamps */
	ck_assert_uint_eq(b.lamps_rgb, 0xFF8001);
	ck_assert_uint_eq(b.rejects, 0);
}
END_TEST

START_TEST(a_board_of_the_wrong_type_does_not_steer)
{
	struct cairn_dev_board b;
	uint8_t frame[CAIRN_ROSMASTER_FRAME_MAX];
	cairn_dev_board_init(&b);
	ck_assert_uint_eq(b.car_type, 1); /* fresh from the box */
	cairn_dev_board_receive(&b, frame, cairn_rosmaster_motion(frame, 9, 0.2, 0.5));
	ck_assert_double_eq_tol(b.v_mps, 0.2, 1e-9);
	ck_assert_double_eq(b.w_radps, 0.0);
	cairn_dev_board_receive(&b, frame, cairn_rosmaster_set_car_type(frame, 9));
	cairn_dev_board_receive(&b, frame, cairn_rosmaster_motion(frame, 1, 0.2, 0.5));
	ck_assert_double_eq(b.w_radps, 0.0);
	cairn_dev_board_receive(&b, frame, cairn_rosmaster_motion(frame, 9, 0.2, 0.5));
	ck_assert_double_eq_tol(b.w_radps, 0.5, 1e-9);
}
END_TEST

START_TEST(the_board_keeps_its_last_command_whatever_noise_comes)
{
	struct cairn_dev_board b;
	uint8_t frame[CAIRN_ROSMASTER_FRAME_MAX], noise[16];
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 1);
	cairn_dev_board_init(&b);
	cairn_dev_board_receive(&b, frame, cairn_rosmaster_set_car_type(frame, 9));
	cairn_dev_board_receive(&b, frame, cairn_rosmaster_motion(frame, 9, 0.25, -0.5));
	for (int i = 0; i < 5000; i++) {
		for (size_t k = 0; k < sizeof(noise); k++)
			noise[k] = (uint8_t)cairn_rng_u32(&rng) & 0x7F; /* no FF in it, so no frame */
		cairn_dev_board_receive(&b, noise, sizeof(noise));
	}
	ck_assert_double_eq_tol(b.v_mps, 0.25, 1e-9);
	ck_assert_double_eq_tol(b.w_radps, -0.5, 1e-9);
	uint8_t stop[13];
	ck_assert_uint_eq(cairn_rosmaster_stop_frame(stop), 13);
	cairn_dev_board_receive(&b, stop, sizeof(stop));
	ck_assert_double_eq(b.v_mps, 0.0);
}
END_TEST

START_TEST(the_board_survives_any_bytes)
{
	struct cairn_dev_board b;
	struct cairn_rng rng;
	uint8_t bytes[64], out[64];
	cairn_rng_seed(&rng, 6, 1);
	cairn_dev_board_init(&b);
	for (int i = 0; i < 20000; i++) {
		for (size_t k = 0; k < sizeof(bytes); k++) {
			uint32_t r = cairn_rng_u32(&rng);
			bytes[k] = r % 8 == 0   ? 0xFF
				   : r % 8 == 1 ? 0xFC
				   : r % 8 == 2 ? (uint8_t)(r >> 8) % 12
						: (uint8_t)(r >> 8);
		}
		cairn_dev_board_receive(&b, bytes, sizeof(bytes));
		ck_assert(isfinite(b.v_mps) && isfinite(b.w_radps) && fabs(b.v_mps) < 400.0);
		(void)cairn_dev_board_take(&b, out, sizeof(out));
	}
	ck_assert_uint_gt(b.rejects, 0);
}
END_TEST

START_TEST(reports_come_in_turn_with_the_reference_bytes)
{
	struct cairn_dev_board b;
	uint8_t out[64];
	struct cairn_dev_board_sense s = {.v_mps = 0.2,
	    .steer_deg = 10.0,
	    .battery_v = 12.3,
	    .gyro_radps = {0, 0, -0.5},
	    .accel_mps2 = {0.1, 0, 9.81},
	    .yaw_rad = 1.5,
	    .counts = {-1, 2, 3, 70000}};
	cairn_dev_board_init(&b);
	size_t n = cairn_dev_board_report(&b, &s, out, sizeof(out));
	expect(out, n, BYTES(0xFF, 0xFB, 0x0A, 0x0A, 0xC8, 0x00, 0x0A, 0x00, 0x00, 0x00, 0x7B, 0x61));
	struct cairn_rosmaster_parser p;
	struct cairn_rosmaster_report r;
	bool some;
	cairn_rosmaster_parser_init(&p);
	n = cairn_dev_board_report(&b, &s, out, sizeof(out));
	ck_assert_uint_eq(cairn_rosmaster_feed(&p, out, n, &r, &some), n);
	ck_assert(some && r.func == CAIRN_ROSMASTER_IMU_ICM);
	ck_assert_double_eq_tol(r.imu.gyro_radps[2], -0.5, 1e-9);
	ck_assert_double_eq_tol(r.imu.accel_mps2[2], 9.81, 1e-9);
	n = cairn_dev_board_report(&b, &s, out, sizeof(out));
	(void)cairn_rosmaster_feed(&p, out, n, &r, &some);
	ck_assert(some && r.func == CAIRN_ROSMASTER_ATTITUDE);
	ck_assert_double_eq_tol(r.attitude.yaw_rad, 1.5, 1e-9);
	n = cairn_dev_board_report(&b, &s, out, sizeof(out));
	(void)cairn_rosmaster_feed(&p, out, n, &r, &some);
	ck_assert(some && r.func == CAIRN_ROSMASTER_ENCODERS);
	ck_assert_int_eq(r.encoder[0], -1);
	ck_assert_int_eq(r.encoder[3], 70000);
	tell(&b, BYTES(0xFF, 0xFC, 0x05, 0x01, 0x00, 0x00, 0x06)); /* auto report off */
	ck_assert_uint_eq(cairn_dev_board_report(&b, &s, out, sizeof(out)), 0);
	tell(&b, BYTES(0xFF, 0xFC, 0x05, 0x01, 0x01, 0x00, 0x07)); /* and on */
	ck_assert_uint_gt(cairn_dev_board_report(&b, &s, out, sizeof(out)), 0);
}
END_TEST

CAIRN_TEST_MAIN("sim devices", the_lidar_answers_its_requests,
    the_lidar_reads_over_damaged_and_unknown_requests, a_node_has_the_bytes_of_the_reference,
    the_host_side_understands_the_stream, the_board_obeys_the_reference_commands,
    a_board_of_the_wrong_type_does_not_steer, the_board_keeps_its_last_command_whatever_noise_comes,
    the_board_survives_any_bytes, reports_come_in_turn_with_the_reference_bytes)
