#include "common/percept/text.h"

#include <math.h>

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/sim/pilot/pilot_policy.h"
#include "common/vlm/prompt.h"
#include "test/support/runner.h"

#define TYPICAL_O200K 301 /* tokens of the typical text */

static struct cairn_msg_percept percept;
static struct cairn_msg_pose pose;
static struct cairn_msg_frontiers frontiers;
static struct cairn_msg_mission mission;
static struct cairn_msg_imu imu;
static struct cairn_msg_battery battery;
static char text[CAIRN_TEXT_CAP];

/* All distances are binary fractions or well away from a rounding edge. */
static struct cairn_text_inputs typical(void)
{
	static const float sector_m[12] = {2.375f, 1.3125f, 0.78125f, 0.0f, 0.4375f, 0.625f, 1.0625f, 0.6875f,
	    0.5f, 0.90625f, 3.1875f, 4.125f};
	static const float feasibility[6] = {0.8f, 0.55f, 0.4f, 0.3f, 1.0f, 0.1f};
	percept = (struct cairn_msg_percept){.nearest_m = 0.42,
	    .nearest_bearing_rad = cairn_deg_to_rad(-130.0),
	    .gaps_count = 2,
	    .gaps = {{cairn_deg_to_rad(20.0), 0.85, 1.9}, {cairn_deg_to_rad(-45.0), 0.70, 2.4}}};
	memcpy(percept.sector_m, sector_m, sizeof(sector_m));
	memcpy(percept.feasibility, feasibility, sizeof(feasibility));
	pose = (struct cairn_msg_pose){.x_m = 1.2,
	    .y_m = -0.4,
	    .yaw_rad = cairn_deg_to_rad(-47.0),
	    .v_mps = 0.12,
	    .distance_m = 12.3,
	    .tracking = CAIRN_TRACKING_GOOD};
	frontiers = (struct cairn_msg_frontiers){
	    .map_width_m = 6.2, .map_height_m = 4.1, .coverage = 0.63, .reachable = 4, .total = 9};
	mission = (struct cairn_msg_mission){.elapsed_s = 95.2};
	imu = (struct cairn_msg_imu){.roll_rad = cairn_deg_to_rad(0.5), .pitch_rad = cairn_deg_to_rad(-0.2)};
	battery = (struct cairn_msg_battery){.voltage_v = 11.8, .percent = -1.0};
	return (struct cairn_text_inputs){&percept, &pose, &frontiers, &mission, &imu, &battery, 0.0,
	    CAIRN_TEXT_CAMERA_FULL, 0.0, 0.0, NULL};
}

static void write_text(const struct cairn_text_inputs *in)
{
	memset(text, '#', sizeof(text));
	size_t n = cairn_text_write(text, sizeof(text), in);
	ck_assert_uint_lt(n, sizeof(text) - 1);
	ck_assert_uint_eq(strlen(text), n);
	ck_assert(text[n - 1] == '\n');
}

START_TEST(a_typical_scene_reads_as_agreed)
{
	struct cairn_text_inputs in = typical();
	write_text(&in);
	ck_assert_str_eq(text,
	    "SENSORS (LiDAR: degrees clockwise from the front, metres)\n"
	    "0 2.4 CLEAR\n"
	    "30 1.3 NEAR\n"
	    "60 0.8 OBSTACLE\n"
	    "90 -- EMPTY\n"
	    "120 0.4 WALL\n"
	    "150 0.6 OBSTACLE\n"
	    "180 1.1 NEAR\n"
	    "210 0.7 OBSTACLE\n"
	    "240 0.5 OBSTACLE\n"
	    "270 0.9 OBSTACLE\n"
	    "300 3.2 CLEAR\n"
	    "330 4.1 CLEAR\n"
	    "Nearest obstacle: 0.42m at 130 deg right\n"
	    "Gaps: 0.85m wide at 20 deg left, 1.9m away; 0.70m wide at 45 deg right, 2.4m away\n"
	    "Feasibility: forward 0.80, forward_left 0.55, forward_right 0.40, left 0.30, "
	    "right 1.00, backward 0.10\n"
	    "ROBOT\n"
	    "Position: x 1.20 m, y -0.40 m from the start; heading 47 deg (NE); speed 0.12 m/s\n"
	    "Travelled 12.3 m in 95 s; map 6.2 x 4.1 m, coverage 63%, 4 frontiers; tracking good\n"
	    "Tilt: roll 0.5, pitch -0.2 deg\n"
	    "Battery: 11.8 V\n");
}
END_TEST

START_TEST(missing_inputs_say_so)
{
	struct cairn_text_inputs in = {.camera = CAIRN_TEXT_CAMERA_NONE};
	write_text(&in);
	ck_assert_str_eq(text, "SENSORS: no scan\n"
			       "ROBOT\n"
			       "Position: unknown\n"
			       "Travelled unknown; map unknown; tracking none\n"
			       "Camera: none\n");
}
END_TEST

START_TEST(an_empty_scan_says_so)
{
	struct cairn_text_inputs in = typical();
	memset(percept.sector_m, 0, sizeof(percept.sector_m));
	percept.nearest_m = -1.0;
	percept.gaps_count = 0;
	write_text(&in);
	ck_assert_ptr_nonnull(strstr(text, "\n0 -- EMPTY\n30 -- EMPTY\n"));
	ck_assert_ptr_nonnull(strstr(text, "\nNearest obstacle: none\nGaps: none\nFeasibility: "));
}
END_TEST

START_TEST(bearings_are_told_by_side)
{
	static const struct {
		double deg;
		const char *line;
	} cases[] = {{0.0, "Nearest obstacle: 0.42m ahead\n"}, {0.99, "0.42m ahead\n"},
	    {-0.99, "0.42m ahead\n"}, {1.0001, "0.42m at 1 deg left\n"}, {-1.0001, "0.42m at 1 deg right\n"},
	    {89.6, "0.42m at 90 deg left\n"}, {-179.2, "0.42m at 179 deg right\n"},
	    {180.0, "0.42m at 180 deg left\n"}, {270.0, "0.42m at 90 deg right\n"}};
	struct cairn_text_inputs in = typical();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		percept.nearest_bearing_rad = cairn_deg_to_rad(cases[i].deg);
		write_text(&in);
		ck_assert_ptr_nonnull(strstr(text, cases[i].line));
	}
}
END_TEST

START_TEST(heading_runs_from_0_to_359_degrees)
{
	static const struct {
		double yaw_deg;
		const char *words;
	} cases[] = {{0.0, "heading 0 deg (N)"}, {0.4, "heading 0 deg (N)"}, {-90.0, "heading 90 deg (E)"},
	    {90.0, "heading 270 deg (W)"}, {180.0, "heading 180 deg (S)"}, {-22.6, "heading 23 deg (NE)"},
	    {1.0, "heading 359 deg (N)"}};
	struct cairn_text_inputs in = typical();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pose.yaw_rad = cairn_deg_to_rad(cases[i].yaw_deg);
		write_text(&in);
		ck_assert_ptr_nonnull(strstr(text, cases[i].words));
	}
}
END_TEST

START_TEST(no_number_is_minus_zero)
{
	struct cairn_text_inputs in = typical();
	pose.x_m = -0.004;
	pose.y_m = -0.006;
	pose.v_mps = -0.0;
	write_text(&in);
	ck_assert_ptr_nonnull(strstr(text, "x 0.00 m, y -0.01 m from the start; "));
	ck_assert_ptr_nonnull(strstr(text, "; speed 0.00 m/s\n"));
}
END_TEST

START_TEST(labels_follow_the_measured_distance)
{
	struct cairn_text_inputs in = typical();
	percept.sector_m[0] = 1.96875f;
	percept.sector_m[1] = 12.0f;
	write_text(&in);
	ck_assert_ptr_nonnull(strstr(text, "\n0 2.0 NEAR\n30 12.0 CLEAR\n"));
}
END_TEST

START_TEST(only_the_nearest_gaps_are_told)
{
	struct cairn_text_inputs in = typical();
	percept.gaps_count = 8;
	for (int i = 0; i < 8; i++)
		percept.gaps[i] = (struct cairn_msg_gap){0.0, 0.75, 1.0 + i};
	write_text(&in);
	ck_assert_ptr_nonnull(
	    strstr(text, "\nGaps: 0.75m wide at 0 deg left, 1.0m away; 0.75m wide at 0 deg left, 2.0m away; "
			 "0.75m wide at 0 deg left, 3.0m away\n"));
}
END_TEST

START_TEST(parts_of_the_robot_may_be_missing)
{
	struct cairn_text_inputs in = typical();
	in.mission = NULL;
	in.imu = NULL;
	in.battery = NULL;
	write_text(&in);
	ck_assert_ptr_nonnull(strstr(text, "\nTravelled 12.3 m; map 6.2 x 4.1 m, "));
	ck_assert_ptr_null(strstr(text, "Tilt"));
	ck_assert_ptr_null(strstr(text, "Battery"));
	ck_assert_ptr_null(strstr(text, "Camera"));
	in = typical();
	in.pose = NULL;
	in.frontiers = NULL;
	write_text(&in);
	ck_assert_ptr_nonnull(
	    strstr(text, "\nPosition: unknown\nTravelled unknown in 95 s; map unknown; tracking none\n"));
}
END_TEST

START_TEST(the_camera_is_mentioned_when_something_is_missing)
{
	struct cairn_text_inputs in = typical();
	in.camera = CAIRN_TEXT_CAMERA_NO_DEPTH;
	write_text(&in);
	ck_assert_ptr_nonnull(strstr(text, "\nCamera: picture without depth\n"));
	in.camera = CAIRN_TEXT_CAMERA_UNPAIRED;
	in.pair_apart_s = 0.23;
	write_text(&in);
	ck_assert_ptr_nonnull(strstr(text, "\nCamera: picture without depth (depth 0.23 s apart)\n"));
	ck_assert_ptr_null(strstr(text, "Picture:"));
	in.legend = "arrows to F3";
	write_text(&in);
	ck_assert_ptr_nonnull(strstr(text, " s apart)\nPicture: arrows to F3\n"));
	in.legend = "";
	write_text(&in);
	ck_assert_ptr_null(strstr(text, "Picture:"));
}
END_TEST

START_TEST(numbers_from_nowhere_stay_short)
{
	struct cairn_text_inputs in = typical();
	pose.x_m = 1e300;
	pose.y_m = -INFINITY;
	pose.yaw_rad = NAN;
	pose.v_mps = NAN;
	mission.elapsed_s = 1e300;
	frontiers.coverage = NAN;
	frontiers.reachable = UINT32_MAX;
	battery.voltage_v = -1e300;
	imu.roll_rad = INFINITY;
	for (int k = 0; k < 12; k++)
		percept.sector_m[k] = INFINITY;
	percept.nearest_m = NAN;
	percept.nearest_bearing_rad = NAN;
	percept.feasibility[0] = NAN;
	percept.gaps_count = UINT32_MAX;
	pose.tracking = (enum cairn_tracking)77;
	write_text(&in);
	ck_assert_ptr_nonnull(strstr(text, "x 99999.00 m, y ? m"));
	ck_assert_ptr_nonnull(strstr(text, "coverage ?%, 99999 frontiers; tracking ?\n"));
	ck_assert_ptr_nonnull(strstr(text, "Battery: -99999.0 V\n"));
}
END_TEST

START_TEST(a_short_buffer_cuts_the_text)
{
	struct cairn_text_inputs in = typical();
	char small[41];
	memset(small, '#', sizeof(small));
	ck_assert_uint_eq(cairn_text_write(small, 40, &in), 39);
	ck_assert_str_eq(small, "SENSORS (LiDAR: degrees clockwise from ");
	ck_assert(small[40] == '#');
	ck_assert_uint_eq(cairn_text_write(small, 0, &in), 0);
}
END_TEST

/* Counted by hand: "0| |2|.|4| CLE|AR|\n". */
START_TEST(the_token_estimate_counts_words_numbers_and_marks)
{
	ck_assert_int_eq(cairn_text_tokens_estimate("0 2.4 CLEAR\n", 12), 8);
	ck_assert_int_eq(cairn_text_tokens_estimate("frontiers", 9), 2);
	ck_assert_int_eq(cairn_text_tokens_estimate("", 0), 0);
	ck_assert_int_eq(cairn_text_tokens_estimate("coverage", 8), 1);
	ck_assert_int_eq(cairn_text_tokens_estimate("1234", 4), 2);
	ck_assert_int_eq(cairn_text_tokens_estimate(" ", 1), 1);
}
END_TEST

/* What the o200k tokenizer of the GPT-4o family counts for texts of this test: never less than nine tenths of
 * the estimate and never more than it. */
START_TEST(the_estimate_lies_a_little_above_a_real_tokenizer)
{
	struct cairn_text_inputs in = typical();
	write_text(&in);
	int estimate = cairn_text_tokens_estimate(text, strlen(text));
	ck_assert_int_ge(estimate, TYPICAL_O200K);
	ck_assert_int_le(estimate, TYPICAL_O200K * 106 / 100);
}
END_TEST

static double between(struct cairn_rng *rng, double lo, double hi)
{
	return lo + (hi - lo) * cairn_rng_uniform(rng);
}

/* Anything a house, a robot and a broken sensor could bring, all lines there. */
static struct cairn_text_inputs random_scene(struct cairn_rng *rng, char legend[160])
{
	struct cairn_text_inputs in = typical();
	for (int k = 0; k < 12; k++)
		percept.sector_m[k] =
		    (float)(cairn_rng_u32(rng) % 2 ? between(rng, 0.3, 1.0) : between(rng, 0.0, 40.0));
	percept.nearest_m = between(rng, 0.05, 40.0);
	percept.nearest_bearing_rad = between(rng, -M_PI, M_PI);
	percept.gaps_count = cairn_rng_u32(rng) % 9;
	for (int i = 0; i < 8; i++)
		percept.gaps[i] = (struct cairn_msg_gap){
		    between(rng, -M_PI, M_PI), between(rng, 0.6, 2.5), between(rng, 0.3, 39.0)};
	pose.x_m = between(rng, -999.0, 999.0);
	pose.y_m = between(rng, -999.0, 999.0);
	pose.yaw_rad = between(rng, -M_PI, M_PI);
	pose.v_mps = between(rng, -0.5, 0.5);
	pose.distance_m = between(rng, 0.0, 9999.0);
	pose.tracking = (enum cairn_tracking)(cairn_rng_u32(rng) % 3);
	frontiers.map_width_m = between(rng, 1.0, 200.0);
	frontiers.map_height_m = between(rng, 1.0, 200.0);
	frontiers.coverage = between(rng, 0.0, 1.0);
	frontiers.reachable = cairn_rng_u32(rng) % 100;
	mission.elapsed_s = between(rng, 0.0, 86400.0);
	imu.roll_rad = between(rng, -1.0, 1.0);
	imu.pitch_rad = between(rng, -1.0, 1.0);
	battery.voltage_v = between(rng, 5.0, 60.0);
	battery.percent = between(rng, -100.0, 100.0); /* below 0: not known */
	in.camera = (enum cairn_text_camera)(cairn_rng_u32(rng) % 4);
	in.pair_apart_s = between(rng, 0.0, 0.5);
	int n = snprintf(legend, 160, "arrows to F%u", cairn_rng_u32(rng) % 1000);
	uint32_t marks = cairn_rng_u32(rng) % 6, hidden = cairn_rng_u32(rng) % 6;
	for (uint32_t i = 0; i < marks; i++)
		n += snprintf(legend + n, 160 - (size_t)n, "%sF%u", i == hidden ? "; hidden " : ", ",
		    cairn_rng_u32(rng) % 1000);
	in.battery_min = between(rng, -500.0, 500.0);
	in.legend = legend;
	return in;
}

START_TEST(every_scene_stays_within_350_tokens_and_tells_the_nearest_gap)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 5);
	int all_told = 0, most = 0;
	for (int i = 0; i < 20000; i++) {
		char legend[160], first[64];
		struct cairn_text_inputs in = random_scene(&rng, legend);
		write_text(&in);
		int tokens = cairn_text_tokens_estimate(text, strlen(text)), told = 0;
		ck_assert_msg(tokens <= CAIRN_TEXT_TOKENS_MAX, "%d tokens:\n%s", tokens, text);
		most = tokens > most ? tokens : most;
		for (const char *at = text; (at = strstr(at, "m wide at ")) != NULL; at++)
			told++;
		snprintf(first, sizeof(first), "\nGaps: %.2fm wide", percept.gaps[0].width_m);
		ck_assert_msg((told > 0) == (percept.gaps_count > 0), "%d told:\n%s", told, text);
		ck_assert(percept.gaps_count == 0 || strstr(text, first) != NULL);
		all_told += told == (percept.gaps_count < 3 ? (int)percept.gaps_count : 3);
	}
	ck_assert_int_gt(most, 340);       /* the limit was felt */
	ck_assert_int_gt(all_told, 10000); /* and gaps are rarely left out for it */
}
END_TEST

START_TEST(a_drive_with_every_line_tells_three_gaps)
{
	struct cairn_text_inputs in = typical();
	percept.gaps_count = 3;
	percept.gaps[2] = (struct cairn_msg_gap){cairn_deg_to_rad(-71.0), 1.15, 3.3};
	in.camera = CAIRN_TEXT_CAMERA_UNPAIRED;
	in.pair_apart_s = 0.23;
	write_text(&in);
	ck_assert_ptr_nonnull(strstr(text, "; 1.15m wide at 71 deg right, 3.3m away\n"));
}
END_TEST

/* The other end of the same agreement. */
START_TEST(the_scripted_pilot_reads_what_is_written)
{
	static struct cairn_pilot_view view;
	struct cairn_text_inputs in = typical();
	percept.gaps[0].bearing_rad = 0.001; /* straight ahead */
	static struct cairn_memory memory;
	struct cairn_text prompt = {0};
	write_text(&in);
	struct cairn_prompt_view shown = {.text = text, .text_bytes = strlen(text)};
	cairn_prompt_context(&prompt, &shown, NULL, NULL, &memory, NULL);
	cairn_pilot_read(&view, prompt.data, prompt.len);
	cairn_text_free(&prompt);
	ck_assert_int_eq(view.sector_count, 12);
	ck_assert_double_eq_tol(view.nearest_m, 0.42, 1e-9);
	ck_assert_int_eq(view.gap_count, 2);
	ck_assert_double_eq_tol(view.gaps[0].width_m, 0.85, 1e-9);
	ck_assert_double_eq_tol(view.gaps[0].bearing_deg, 0.0, 1e-9);
	ck_assert_double_eq_tol(view.gaps[0].distance_m, 1.9, 1e-9);
	ck_assert_double_eq_tol(view.gaps[1].bearing_deg, -45.0, 1e-9);
	ck_assert(view.has_feasibility);
	for (int d = 0; d < 6; d++)
		ck_assert_double_eq_tol(view.feasibility[d], (double)percept.feasibility[d], 1e-6);
}
END_TEST

START_TEST(a_camera_that_is_turned_aside_is_told_beside_its_picture)
{
	struct cairn_text_inputs in = typical();
	in.camera_yaw_rad = cairn_deg_to_rad(20.0);
	write_text(&in);
	ck_assert_ptr_nonnull(strstr(text, "\nCamera: looks 20 deg left of the heading\n"));
	in.camera_yaw_rad = cairn_deg_to_rad(-90.0);
	in.camera = CAIRN_TEXT_CAMERA_NO_DEPTH;
	write_text(&in);
	ck_assert_ptr_nonnull(
	    strstr(text, "\nCamera: looks 90 deg right of the heading\nCamera: picture without depth\n"));
	in.camera = CAIRN_TEXT_CAMERA_NONE;
	write_text(&in);
	ck_assert_ptr_null(strstr(text, "looks"));
}
END_TEST

CAIRN_TEST_MAIN("text", a_typical_scene_reads_as_agreed, missing_inputs_say_so, an_empty_scan_says_so,
    bearings_are_told_by_side, heading_runs_from_0_to_359_degrees, no_number_is_minus_zero,
    labels_follow_the_measured_distance, only_the_nearest_gaps_are_told, parts_of_the_robot_may_be_missing,
    the_camera_is_mentioned_when_something_is_missing, numbers_from_nowhere_stay_short,
    a_short_buffer_cuts_the_text, the_token_estimate_counts_words_numbers_and_marks,
    the_estimate_lies_a_little_above_a_real_tokenizer,
    every_scene_stays_within_350_tokens_and_tells_the_nearest_gap, a_drive_with_every_line_tells_three_gaps,
    the_scripted_pilot_reads_what_is_written, a_camera_that_is_turned_aside_is_told_beside_its_picture)
