#include "common/percept/text.h"

#include <math.h>

#include "common/base/geom.h"
#include "common/vlm/pilot_policy.h"
#include "test/support/runner.h"

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
	battery = (struct cairn_msg_battery){11.8};
	return (struct cairn_text_inputs){
	    &percept, &pose, &frontiers, &mission, &imu, &battery, CAIRN_TEXT_CAMERA_FULL, 0.0, NULL};
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
	    "SENSORS (LiDAR, 12 sectors of 30 deg, clockwise from the front)\n"
	    "0 2.4m CLEAR\n"
	    "30 1.3m NEAR\n"
	    "60 0.8m OBSTACLE\n"
	    "90 -- EMPTY\n"
	    "120 0.4m WALL\n"
	    "150 0.6m OBSTACLE\n"
	    "180 1.1m NEAR\n"
	    "210 0.7m OBSTACLE\n"
	    "240 0.5m OBSTACLE\n"
	    "270 0.9m OBSTACLE\n"
	    "300 3.2m CLEAR\n"
	    "330 4.1m CLEAR\n"
	    "Nearest obstacle: 0.42m at 130 deg right\n"
	    "Gaps: 0.85m wide at 20 deg left, 1.9m away; 0.70m wide at 45 deg right, 2.4m away\n"
	    "Feasibility: forward 0.80, forward_left 0.55, forward_right 0.40, left 0.30, "
	    "right 1.00, backward 0.10\n"
	    "ROBOT\n"
	    "Position: x 1.20 m, y -0.40 m from the start; heading 47 deg (NE); speed 0.12 m/s\n"
	    "Travelled 12.3 m in 95 s; map 6.2 x 4.1 m, coverage 63%, 4 frontiers; tracking good\n"
	    "Tilt: roll 0.5 deg, pitch -0.2 deg\n"
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
	ck_assert_ptr_nonnull(strstr(text, "\n0 2.0m NEAR\n30 12.0m CLEAR\n"));
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
	ck_assert_str_eq(small, "SENSORS (LiDAR, 12 sectors of 30 deg, c");
	ck_assert(small[40] == '#');
	ck_assert_uint_eq(cairn_text_write(small, 0, &in), 0);
}
END_TEST

/* Counted by hand: "0| 2|.|4|m| CLEAR|\n" with one more for the blank before the number. */
START_TEST(the_token_estimate_counts_words_numbers_and_marks)
{
	ck_assert_int_eq(cairn_text_tokens_estimate("0 2.4m CLEAR\n", 13), 8);
	ck_assert_int_eq(cairn_text_tokens_estimate("", 0), 0);
	ck_assert_int_eq(cairn_text_tokens_estimate("coverage", 8), 2);
	ck_assert_int_eq(cairn_text_tokens_estimate("1234", 4), 2);
	ck_assert_int_eq(cairn_text_tokens_estimate(" ", 1), 1);
}
END_TEST

START_TEST(the_whole_stays_within_350_tokens)
{
	struct cairn_text_inputs in = typical();
	percept.gaps_count = 3;
	percept.gaps[2] = (struct cairn_msg_gap){cairn_deg_to_rad(-71.0), 1.15, 3.3};
	write_text(&in);
	int tokens = cairn_text_tokens_estimate(text, strlen(text));
	ck_assert_int_le(tokens, 350);
	ck_assert_int_ge(tokens, 318 + 17); /* what the o200k tokenizer counts for this text */
}
END_TEST

/* The other end of the same agreement. */
START_TEST(the_scripted_pilot_reads_what_is_written)
{
	static struct cairn_pilot_view view;
	struct cairn_text_inputs in = typical();
	percept.gaps[0].bearing_rad = 0.001; /* straight ahead */
	write_text(&in);
	cairn_pilot_read(&view, text, strlen(text));
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

CAIRN_TEST_MAIN("text", a_typical_scene_reads_as_agreed, missing_inputs_say_so, an_empty_scan_says_so,
    bearings_are_told_by_side, heading_runs_from_0_to_359_degrees, no_number_is_minus_zero,
    labels_follow_the_measured_distance, only_the_nearest_gaps_are_told, parts_of_the_robot_may_be_missing,
    the_camera_is_mentioned_when_something_is_missing, numbers_from_nowhere_stay_short,
    a_short_buffer_cuts_the_text, the_token_estimate_counts_words_numbers_and_marks,
    the_whole_stays_within_350_tokens, the_scripted_pilot_reads_what_is_written)
