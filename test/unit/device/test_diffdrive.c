/* The lines of a base with two driven wheels, and how it comes into service. */
#include <math.h>

#include "common/base/rng.h"
#include "common/device/base_link.h"
#include "common/device/port_probe.h"
#include "common/sim/robot/dev_diffdrive.h"
#include "test/support/runner.h"

#define MS INT64_C(1000000)

static void check_line(size_t n, const char *line, const char *want)
{
	ck_assert_uint_eq(n, strlen(want));
	ck_assert_int_eq(memcmp(line, want, n), 0);
}

START_TEST(commands_are_lines_with_the_exclusive_or_of_what_they_say)
{
	char out[CAIRN_DIFFDRIVE_LINE_MAX];
	/* V ^ , ^ 0 ^ , ^ 0 = 0x56; worked out by hand */
	check_line(cairn_diffdrive_speed(out, 0.0, 0.0), out, "$V,0,0*56\r\n");
	check_line(cairn_diffdrive_stop(out), out, "$S*53\r\n");
	check_line(cairn_diffdrive_ask(out), out, "$Q*51\r\n");
	check_line(cairn_diffdrive_speed(out, 0.25, -0.1), out, "$V,250,-100*7D\r\n");
	check_line(cairn_diffdrive_speed(out, NAN, 0.0), out, "$V,0,0*56\r\n");
	check_line(cairn_diffdrive_speed(out, INFINITY, -1e9), out, "$V,5000,-5000*7B\r\n");
	/* 0.2 m apart, 0.3 m/s and 1 rad/s to the left: 0.2 and 0.4 m/s */
	check_line(cairn_diffdrive_twist(out, 0.2, 0.3, 1.0), out, "$V,200,400*50\r\n");
	check_line(cairn_diffdrive_twist(out, 0.2, 0.3, NAN), out, "$V,0,0*56\r\n");
}
END_TEST

/* ---- reports ---- */

static struct cairn_diffdrive_parser parser;
static struct cairn_diffdrive_report last;

/* Reports in the bytes, which come in pieces of so many; the newest is in last. */
static int parse(const char *bytes, size_t len, size_t piece)
{
	int count = 0;
	for (size_t at = 0; at < len;) {
		bool some;
		size_t n = len - at < piece ? len - at : piece;
		size_t used = cairn_diffdrive_feed(&parser, (const uint8_t *)bytes + at, n, &last, &some);
		ck_assert_uint_le(used, n);
		ck_assert_uint_gt(used, 0);
		count += some;
		at += used;
	}
	return count;
}

static int parse_text(const char *text)
{
	char out[CAIRN_DIFFDRIVE_LINE_MAX];
	return parse(out, cairn_diffdrive_line(out, text), 1000);
}

START_TEST(reports_are_read_in_whatever_pieces_they_come)
{
	static const char stream[] = "noise $E,1,2$E,100,-200,250,-250*46\r\n\n$I,1,1*49\n$B,12100*5C\r";
	for (size_t piece = 1; piece <= sizeof(stream); piece++) {
		cairn_diffdrive_parser_init(&parser);
		int reports = parse(stream, sizeof(stream) - 1, piece);
		ck_assert_int_eq(reports, (int)parser.reports);
		ck_assert_uint_eq(parser.lines_bad + parser.reports, 4); /* the one cut off is a bad one */
	}
	cairn_diffdrive_parser_init(&parser);
	ck_assert_int_eq(parse_text("E,100,-200,250,-250"), 1);
	ck_assert_int_eq(last.kind, CAIRN_DIFFDRIVE_WHEELS);
	ck_assert_int_eq(last.wheels.count[1], -200);
	ck_assert_double_eq_tol(last.wheels.mps[0], 0.25, 1e-12);
	ck_assert_int_eq(parse_text("E,4294967295,2147483648,0,0"), 1); /* unsigned ones wrap, too */
	ck_assert_int_eq(last.wheels.count[0], -1);
	ck_assert_int_eq(last.wheels.count[1], INT32_MIN);
	ck_assert_int_eq(parse_text("G,10,-20,1500,0,0,9810"), 1);
	ck_assert_double_eq_tol(last.inertial.gyro_radps[2], 1.5, 1e-12);
	ck_assert_double_eq_tol(last.inertial.accel_mps2[2], 9.81, 1e-12);
	ck_assert_int_eq(parse_text("B,12100"), 1);
	ck_assert_double_eq_tol(last.battery_v, 12.1, 1e-12);
	ck_assert_int_eq(parse_text("I,1,0"), 1);
	ck_assert(!last.identity.gyro);
}
END_TEST

START_TEST(what_is_wrong_in_a_line_is_counted_and_nothing_is_made_of_it)
{
	static const char *const bad[] = {"E,1,2,3", "E,1,2,3,4,5", "E,1,2,3,", "E,,2,3,4", "E,1,2,3,x",
	    "E,1,2,3,-", "E,1,2,5001,0", "E,99999999999,0,0,0", "G,1,2,3,4,5", "G,40001,0,0,0,0,0", "B,-1",
	    "B,100001", "I,1", "I,1,2", "E,1 ,2,3,4", "E,0x1,2,3,4", "B,1e3"};
	cairn_diffdrive_parser_init(&parser);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(parse_text(bad[i]), 0);
		ck_assert_uint_eq(parser.lines_bad + parser.lines_unknown, i + 1);
	}
	ck_assert_int_eq(parse_text("Z,1"), 0); /* of a later version */
	ck_assert_uint_ge(parser.lines_unknown, 1);
	static const char sums[] = "$B,12100*51\r\n$B,12100\r\n$B,12100*5\r\n$B,12100*500\r\n$B,12100*GG\r\n";
	uint64_t before = parser.lines_bad;
	ck_assert_int_eq(parse(sums, sizeof(sums) - 1, 7), 0);
	ck_assert_uint_eq(parser.lines_bad - before, 5);
}
END_TEST

START_TEST(a_good_line_behind_any_garbage_is_read)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 1);
	for (int i = 0; i < 20000; i++) {
		char junk[160];
		size_t n = cairn_rng_u32(&rng) % sizeof(junk);
		for (size_t k = 0; k < n; k++)
			junk[k] = cairn_rng_u32(&rng) % 3 == 0 ? "$*,0E\r\n-"[cairn_rng_u32(&rng) % 8]
							       : (char)cairn_rng_u32(&rng);
		cairn_diffdrive_parser_init(&parser);
		(void)parse(junk, n, 1 + cairn_rng_u32(&rng) % 20);
		ck_assert_int_eq(parse_text("B,7400"), 1);
		ck_assert_double_eq_tol(last.battery_v, 7.4, 1e-12);
	}
}
END_TEST

START_TEST(no_line_with_one_wrong_byte_is_believed)
{
	char line[CAIRN_DIFFDRIVE_LINE_MAX];
	size_t n = cairn_diffdrive_line(line, "E,100,-200,250,-250");
	for (size_t at = 1; at + 2 < n; at++) {
		for (int flip = 1; flip < 256; flip++) {
			char wrong[CAIRN_DIFFDRIVE_LINE_MAX];
			memcpy(wrong, line, n);
			wrong[at] = (char)(wrong[at] ^ flip);
			cairn_diffdrive_parser_init(&parser);
			ck_assert_int_eq(parse(wrong, n, n), 0);
		}
	}
}
END_TEST

/* ---- into service ---- */

static struct cairn_base_link base;
static struct cairn_dev_diffdrive device;

static void begin(bool gyro)
{
	struct cairn_config_robot robot = {
	    .base_model = CAIRN_CHOICE_BASE_MODEL_DIFFDRIVE_SERIAL, .wheel_separation_m = 0.2};
	cairn_base_link_init(&base, &robot, 0);
	cairn_dev_diffdrive_init(&device, gyro);
	cairn_base_link_opened(&base, 0);
}

/* ms of both, the base told v and w every 20 ms unless v is not a number. */
static void talk(int64_t *now_ns, int ms, double v, double w)
{
	for (int t = 0; t < ms; t += 10, *now_ns += 10 * MS) {
		uint8_t buf[256];
		size_t n = 0;
		if (t % 20 == 0) {
			n = cairn_base_link_poll(&base, *now_ns, buf);
			cairn_dev_diffdrive_receive(&device, buf, n);
			n = isnan(v) ? 0 : cairn_base_link_motion(&base, v, w, buf);
			cairn_dev_diffdrive_receive(&device, buf, n);
		}
		struct cairn_dev_diffdrive_sense sense = {.battery_v = 12.0, .accel_mps2 = {0.0, 0.0, 9.81}};
		n = cairn_dev_diffdrive_take(&device, buf, sizeof(buf));
		n += cairn_dev_diffdrive_report(&device, &sense, 10.0, buf + n, sizeof(buf) - n);
		for (size_t at = 0; at < n;) {
			struct cairn_base_report r;
			bool some;
			at += cairn_base_link_feed(&base, buf + at, n - at, *now_ns, &r, &some);
		}
	}
}

START_TEST(a_base_is_in_service_when_it_has_said_who_it_is_and_reports)
{
	int64_t now = 0;
	begin(true);
	ck_assert_str_eq(cairn_base_link_note(&base, now), "has not told who it is");
	talk(&now, 100, 0.0, 0.0);
	ck_assert(cairn_base_link_in_service(&base, now));
	ck_assert(!base.without_gyro);
	talk(&now, 200, 0.3, 1.0);
	ck_assert_double_eq_tol(cairn_dev_diffdrive_v_mps(&device), 0.3, 1e-9);
	ck_assert_double_eq_tol(cairn_dev_diffdrive_w_radps(&device, 0.2), 1.0, 1e-9);
	device.faults.gyro_silent = true;
	talk(&now, 300, 0.0, 0.0);
	ck_assert_str_eq(cairn_base_link_note(&base, now), "has a gyro that is silent");
	device.faults.gyro_silent = false;
	talk(&now, 100, 0.0, 0.0);
	ck_assert(cairn_base_link_in_service(&base, now));
	device.faults.mute = true;
	talk(&now, 300, 0.0, 0.0);
	ck_assert_str_eq(cairn_base_link_note(&base, now), "silent");
	talk(&now, 1000, 0.0, 0.0);
	ck_assert(cairn_base_link_silent(&base, now));
	device.faults.mute = false; /* it says who it is before it is believed again */
	talk(&now, 10, NAN, 0.0);
	ck_assert(!cairn_base_link_in_service(&base, now));
	talk(&now, 400, 0.0, 0.0);
	ck_assert(cairn_base_link_in_service(&base, now));
	begin(false);
	now = 0;
	talk(&now, 100, 0.0, 0.0);
	ck_assert(cairn_base_link_in_service(&base, now));
	ck_assert(base.without_gyro);
}
END_TEST

START_TEST(noise_on_the_line_costs_reports_and_not_the_service)
{
	int64_t now = 0;
	begin(true);
	device.faults.corrupt_every = 3;
	talk(&now, 300, 0.1, 0.0);
	for (int i = 0; i < 200; i++) {
		talk(&now, 20, 0.1, 0.0);
		ck_assert(cairn_base_link_in_service(&base, now));
	}
	ck_assert_uint_gt(base.lines.lines_bad, 100);
}
END_TEST

START_TEST(a_base_that_hears_nothing_stands_by_itself_and_a_stop_is_at_once)
{
	int64_t now = 0;
	uint8_t stop[CAIRN_BASE_FRAME_MAX];
	begin(true);
	talk(&now, 300, 0.2, 0.0);
	talk(&now, 180, NAN, 0.0);
	ck_assert_double_gt(cairn_dev_diffdrive_v_mps(&device), 0.1);
	talk(&now, 60, NAN, 0.0);
	ck_assert_double_eq(cairn_dev_diffdrive_v_mps(&device), 0.0);
	talk(&now, 100, 0.2, 0.0);
	size_t n = cairn_base_stop_frame(CAIRN_CHOICE_BASE_MODEL_DIFFDRIVE_SERIAL, stop);
	cairn_dev_diffdrive_receive(&device, stop, n);
	ck_assert_double_eq(cairn_dev_diffdrive_v_mps(&device), 0.0);
}
END_TEST

START_TEST(it_is_known_by_what_it_says_at_its_port)
{
	struct cairn_port_probe probe;
	uint8_t buf[CAIRN_PORT_ASK_MAX];
	cairn_port_probe_begin(&probe, CAIRN_PORT_DIFFDRIVE);
	cairn_dev_diffdrive_init(&device, true);
	cairn_dev_diffdrive_receive(&device, buf, cairn_port_probe_ask(&probe, buf));
	size_t n = cairn_dev_diffdrive_take(&device, buf, sizeof(buf));
	ck_assert(cairn_port_probe_feed(&probe, buf, n, 0));
	ck_assert_str_eq(probe.said, "version 1, with gyro");
	cairn_port_probe_begin(&probe, CAIRN_PORT_ROSMASTER);
	ck_assert(!cairn_port_probe_feed(&probe, buf, n, 0));
}
END_TEST

CAIRN_TEST_MAIN("diffdrive", commands_are_lines_with_the_exclusive_or_of_what_they_say,
    reports_are_read_in_whatever_pieces_they_come,
    what_is_wrong_in_a_line_is_counted_and_nothing_is_made_of_it, a_good_line_behind_any_garbage_is_read,
    no_line_with_one_wrong_byte_is_believed, a_base_is_in_service_when_it_has_said_who_it_is_and_reports,
    noise_on_the_line_costs_reports_and_not_the_service,
    a_base_that_hears_nothing_stands_by_itself_and_a_stop_is_at_once, it_is_known_by_what_it_says_at_its_port)
