/* The whole of the annotator: messages and frames in, snapshots out. */
#include "common/percept/annotator.h"
#include "common/percept/snapshot.h"

#include <math.h>

#include "common/base/geom.h"
#include "common/drawing/font.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS
#define T0 (INT64_C(1000) * CAIRN_NS_PER_S) /* start of every test */
#define W 640
#define H 480

static struct cairn_config cfg;
static struct cairn_annotator *annotator;
static struct cairn_msg_scan scan;
static struct cairn_msg_percept percept;
static uint8_t rgb[H][W][3];
static uint16_t depth[H][W];
static uint8_t buf[1 << 20];

static struct cairn_snapshot_head head;
static char text[8192];
static bool view_there; /* the second picture */

static void begin(void)
{
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	annotator = cairn_annotator_new(&cfg, CAIRN_FONT_FILE, 256, T0, &err);
	ck_assert_msg(annotator != NULL, "%s", err.text);
	memset(&scan, 0, sizeof(scan));
	for (int i = 0; i < 720; i++) {
		scan.angle_rad[i] = (float)cairn_deg_to_rad(-0.25 - 0.5 * i);
		scan.range_m[i] = 3.25f;
	}
	scan.angle_rad_count = scan.range_m_count = 720;
	scan.range_min_m = 0.05f;
	scan.range_max_m = 12.0f;
}

static void send_scan(int64_t at_ms)
{
	ck_assert(cairn_annotator_on_scan(annotator, &scan, T0 + at_ms * MS, T0 + at_ms * MS, &percept));
}

static struct cairn_frame_header rgb_header(int64_t at_ms)
{
	return (struct cairn_frame_header){.format = CAIRN_FORMAT_RGB8,
	    .t_ns = T0 + at_ms * MS,
	    .width = W,
	    .height = H,
	    .stride_bytes = W * 3,
	    .payload_bytes = sizeof(rgb)};
}

static struct cairn_frame_header depth_header(int64_t at_ms)
{
	return (struct cairn_frame_header){.format = CAIRN_FORMAT_DEPTH16,
	    .t_ns = T0 + at_ms * MS,
	    .width = W,
	    .height = H,
	    .stride_bytes = W * 2,
	    .payload_bytes = sizeof(depth)};
}

static void send_rgb(int64_t at_ms, uint8_t grey)
{
	struct cairn_frame_header hdr = rgb_header(at_ms);
	memset(rgb, grey, sizeof(rgb));
	ck_assert(cairn_annotator_on_rgb(annotator, &hdr, rgb, NULL));
}

static void send_depth(int64_t at_ms)
{
	struct cairn_frame_header hdr = depth_header(at_ms);
	ck_assert(cairn_annotator_on_depth(annotator, &hdr, depth, NULL));
}

static void send_pose(int64_t at_ms)
{
	struct cairn_msg_pose pose = {
	    .x_m = 1.25, .y_m = -0.5, .yaw_rad = 0.5, .distance_m = 4.0, .tracking = CAIRN_TRACKING_GOOD};
	ck_assert(cairn_annotator_on_pose(annotator, &pose, T0 + at_ms * MS));
}

/* Makes one and takes it apart. */
static void snapshot(int64_t at_ms)
{
	struct cairn_error err = {""};
	size_t bytes =
	    cairn_annotator_snapshot(annotator, CAIRN_TRIGGER_TIMER, T0 + at_ms * MS, buf, sizeof(buf), &err);
	ck_assert_msg(bytes > 0, "%s", err.text);
	struct cairn_snapshot parts;
	ck_assert_msg(cairn_snapshot_read(buf, bytes, &parts, &err), "%s", err.text);
	head = parts.head;
	ck_assert_uint_lt(head.text_bytes, sizeof(text));
	view_there = parts.view != NULL;
	memcpy(text, parts.text, head.text_bytes);
	text[head.text_bytes] = '\0';
}

START_TEST(a_snapshot_holds_head_text_and_jpeg)
{
	begin();
	send_scan(0);
	send_pose(0);
	send_rgb(0, 100);
	send_depth(0);
	snapshot(50);
	ck_assert_uint_eq(head.snapshot_id, 256);
	ck_assert_int_eq(head.t_scan_ns, T0);
	ck_assert_int_eq(head.t_rgb_ns, T0);
	ck_assert_int_eq(head.t_depth_ns, T0);
	ck_assert_int_eq(head.t_pose_ns, T0);
	ck_assert_double_eq(head.x_m, 1.25);
	ck_assert_double_eq(head.y_m, -0.5);
	ck_assert_double_eq(head.yaw_rad, 0.5);
	ck_assert_double_eq(head.nearest_m, 3.25);
	ck_assert_float_eq(head.sector_m[7], 3.25f);
	ck_assert_float_eq(head.feasibility[CAIRN_DIRECTION_BACKWARD], 1.0f);
	ck_assert_uint_eq(head.image_needed, 1);
	ck_assert_uint_eq(head.trigger, CAIRN_TRIGGER_TIMER);
	const uint8_t *jpeg = buf + sizeof(head) + head.text_bytes;
	ck_assert_uint_gt(head.jpeg_bytes, 1000);
	ck_assert(jpeg[0] == 0xFF && jpeg[1] == 0xD8);
	ck_assert(jpeg[head.jpeg_bytes - 2] == 0xFF && jpeg[head.jpeg_bytes - 1] == 0xD9);
	ck_assert_int_eq(strncmp(text, "SENSORS (LiDAR", 14), 0);
	ck_assert_ptr_null(strstr(text, "Camera"));
	snapshot(60);
	ck_assert_uint_eq(head.snapshot_id, 257);
	cairn_annotator_destroy(&annotator);
}
END_TEST

/* 2 m ahead of where the robot was when the picture was taken; by now it has turned round. */
START_TEST(options_are_drawn_as_seen_when_the_picture_was_taken)
{
	struct cairn_msg_frontiers frontiers = {
	    .items_count = 1, .items = {{.id = 7, .x_m = 2.0, .distance_m = 2.0}}};
	struct cairn_msg_pose pose = {.tracking = CAIRN_TRACKING_GOOD};
	begin();
	cairn_annotator_destroy(&annotator);
	cfg.percept.show_candidates = cfg.percept.show_heat = true;
	annotator = cairn_annotator_new(&cfg, CAIRN_FONT_FILE, 256, T0, NULL);
	ck_assert_ptr_nonnull(annotator);
	send_scan(0);
	cairn_annotator_on_frontiers(annotator, &frontiers, T0);
	ck_assert(cairn_annotator_on_pose(annotator, &pose, T0 - 10 * MS));
	pose.yaw_rad = M_PI;
	ck_assert(cairn_annotator_on_pose(annotator, &pose, T0 + 40 * MS));
	send_rgb(0, 100);
	send_depth(0);
	snapshot(50);
	ck_assert_ptr_nonnull(strstr(text, "\nPicture: arrows to F7\n"));
	send_rgb(50, 100); /* now it lies behind */
	send_pose(100);
	snapshot(100);
	ck_assert_ptr_null(strstr(text, "arrows"));
	cairn_annotator_destroy(&annotator);
}
END_TEST

/* The map is fresh for 3 s. */
START_TEST(the_second_picture_shows_what_is_fresh)
{
	static uint8_t cells[40][60];
	struct cairn_frame_header map = {.format = CAIRN_FORMAT_GRID8,
	    .t_ns = T0,
	    .width = 60,
	    .height = 40,
	    .stride_bytes = 60,
	    .payload_bytes = sizeof(cells),
	    .cell_m = 0.05};
	struct cairn_error err = {""};
	begin();
	send_scan(0);
	snapshot(0);
	ck_assert(!view_there); /* nobody asked for one */
	ck_assert(cairn_annotator_on_map(annotator, &map, cells, &err));
	cairn_annotator_destroy(&annotator);

	cfg.percept.show_map = true;
	annotator = cairn_annotator_new(&cfg, CAIRN_FONT_FILE, 256, T0, NULL);
	ck_assert_ptr_nonnull(annotator);
	send_scan(0);
	snapshot(0);
	ck_assert(!view_there); /* no map yet */
	ck_assert(cairn_annotator_on_map(annotator, &map, cells, &err));
	snapshot(2999);
	ck_assert(view_there);
	ck_assert_uint_eq(head.jpeg_bytes, 0); /* it does not need the camera */
	ck_assert_uint_eq(head.image_needed, 1);
	struct cairn_frame_header broken = map;
	broken.t_ns += 2000 * MS;
	broken.payload_bytes--;
	ck_assert(!cairn_annotator_on_map(annotator, &broken, cells, &err));
	ck_assert_str_ne(err.text, "");
	snapshot(3001);
	ck_assert(!view_there); /* the last good one is too old by now */
	cairn_annotator_destroy(&annotator);

	cfg.percept.show_map = false;
	cfg.percept.show_polar = true;
	annotator = cairn_annotator_new(&cfg, CAIRN_FONT_FILE, 256, T0, NULL);
	ck_assert_ptr_nonnull(annotator);
	ck_assert(cairn_annotator_on_map(annotator, &map, cells, &err)); /* not looked at */
	snapshot(0);
	ck_assert(!view_there); /* no scan yet */
	send_scan(0);
	snapshot(0);
	ck_assert(view_there);
	cairn_annotator_destroy(&annotator);
}
END_TEST

START_TEST(without_inputs_the_text_stands_alone)
{
	begin();
	snapshot(0);
	ck_assert_str_eq(text, "SENSORS: no scan\nROBOT\nPosition: unknown\n"
			       "Travelled unknown; map unknown; tracking none\nCamera: none\n");
	ck_assert_uint_eq(head.jpeg_bytes, 0);
	ck_assert_uint_eq(head.image_needed, 0);
	ck_assert_int_eq(head.t_scan_ns, 0);
	ck_assert_double_lt(head.nearest_m, 0.0);
	ck_assert_float_eq(head.feasibility[0], 0.1f);
	cairn_annotator_destroy(&annotator);
}
END_TEST

START_TEST(what_is_stale_is_missing)
{
	struct cairn_msg_frontiers frontiers = {
	    .map_width_m = 5.0, .map_height_m = 4.0, .coverage = 0.5, .reachable = 3};
	struct cairn_msg_imu imu = {.roll_rad = 0.01};
	struct cairn_msg_battery battery = {.voltage_v = 12.0, .percent = -1.0};
	struct cairn_msg_mission mission_msg = {.elapsed_s = 7.0};
	begin();
	send_scan(0);
	send_pose(0);
	send_rgb(0, 100);
	send_depth(0);
	cairn_annotator_on_frontiers(annotator, &frontiers, T0);
	cairn_annotator_on_imu(annotator, &imu, T0);
	cairn_annotator_on_battery(annotator, &battery, T0);
	cairn_annotator_on_mission(annotator, &mission_msg, T0);
	snapshot(150);
	ck_assert_ptr_nonnull(strstr(text,
	    "\nTravelled 4.0 m in 7 s; map 5.0 x 4.0 m, coverage 50%, 3 frontiers; tracking good\nTilt: "));
	snapshot(350); /* scan after 300 ms, imu after 200 */
	ck_assert_ptr_nonnull(strstr(text, "SENSORS: no scan"));
	ck_assert_ptr_null(strstr(text, "Tilt"));
	ck_assert_ptr_null(strstr(text, "Camera"));
	snapshot(550); /* pose and picture after 500 */
	ck_assert_ptr_nonnull(strstr(text, "Position: unknown\nTravelled unknown in 7 s; map 5.0"));
	ck_assert_ptr_nonnull(strstr(text, "Camera: none\n"));
	ck_assert_uint_eq(head.jpeg_bytes, 0);
	snapshot(3500); /* mission after 2 s, frontiers after 3 */
	ck_assert_ptr_nonnull(strstr(text, "\nTravelled unknown; map unknown;"));
	ck_assert_ptr_nonnull(strstr(text, "Battery: 12.0 V\n"));
	snapshot(5500);
	ck_assert_ptr_null(strstr(text, "Battery"));
	cairn_annotator_destroy(&annotator);
}
END_TEST

/* 3.1 % in ten minutes; from 76.9 % down to the 15 % at which it drives home: 200 minutes. */
START_TEST(how_long_the_battery_lasts_is_told_once_its_pace_is_known)
{
	struct cairn_msg_battery battery = {.voltage_v = 12.0, .percent = 80.0};
	begin();
	cairn_annotator_on_battery(annotator, &battery, T0);
	snapshot(150);
	ck_assert_ptr_nonnull(strstr(text, "Battery: 80%\n"));
	battery.percent = 76.9;
	cairn_annotator_on_battery(annotator, &battery, T0 + 600 * CAIRN_NS_PER_S);
	snapshot(600150);
	ck_assert_ptr_nonnull(strstr(text, "Battery: 77%, 200 min\n"));
	cairn_annotator_destroy(&annotator);
}
END_TEST

START_TEST(a_picture_is_paired_with_the_depth_nearest_in_time)
{
	begin();
	send_depth(0);
	send_depth(90);
	send_depth(200);
	send_rgb(100, 50);
	snapshot(210);
	ck_assert_int_eq(head.t_rgb_ns, T0 + 100 * MS);
	ck_assert_int_eq(head.t_depth_ns, T0 + 90 * MS);
	ck_assert_ptr_null(strstr(text, "Camera"));
	cairn_annotator_destroy(&annotator);
}
END_TEST

START_TEST(a_pair_too_far_apart_is_not_used_and_said)
{
	begin();
	send_depth(0);
	send_rgb(60, 50);
	snapshot(70);
	ck_assert_int_eq(head.t_depth_ns, T0); /* 60 ms is the limit */
	send_rgb(61, 50);
	snapshot(70);
	ck_assert_int_eq(head.t_depth_ns, 0);
	ck_assert_ptr_nonnull(strstr(text, "Camera: picture without depth (depth 0.06 s apart)\n"));
	ck_assert_uint_gt(head.jpeg_bytes, 0);
	send_rgb(501, 50);
	snapshot(510);
	ck_assert_ptr_nonnull(strstr(text, "Camera: picture without depth\n"));
	cairn_annotator_destroy(&annotator);
}
END_TEST

START_TEST(similarity_is_to_the_picture_last_decided_on)
{
	struct cairn_msg_decision decision = {0};
	begin();
	send_rgb(0, 100);
	send_scan(0);
	ck_assert_double_eq(percept.similarity, 0.0); /* nothing decided yet */
	snapshot(10);
	ck_assert_double_eq(head.similarity, 0.0);
	decision.snapshot_id = head.snapshot_id;
	send_rgb(100, 151);
	snapshot(110); /* seen by nobody */
	cairn_annotator_on_decision(annotator, &decision);
	send_scan(120);
	ck_assert_double_eq_tol(percept.similarity, 0.8, 1e-9); /* 51 / 255 */
	snapshot(130);
	ck_assert_double_eq_tol(head.similarity, 0.8, 1e-9);
	ck_assert_uint_eq(head.image_needed, 1);
	decision.snapshot_id = 99; /* unknown: changes nothing */
	cairn_annotator_on_decision(annotator, &decision);
	send_scan(140);
	ck_assert_double_eq_tol(percept.similarity, 0.8, 1e-9);
	cairn_annotator_destroy(&annotator);
}
END_TEST

START_TEST(the_picture_is_left_out_of_need_when_nothing_changed_and_nothing_is_near)
{
	struct cairn_msg_decision decision = {0};
	begin();
	send_rgb(0, 100);
	send_scan(0);
	snapshot(10);
	decision.snapshot_id = head.snapshot_id;
	cairn_annotator_on_decision(annotator, &decision);
	send_rgb(100, 112); /* 1 - 12 / 255 = 0.953 */
	snapshot(110);      /* nearest 3.25 m */
	ck_assert_uint_eq(head.image_needed, 0);
	ck_assert_uint_gt(head.jpeg_bytes, 0); /* others may still want it */
	send_rgb(120, 113);                    /* 0.949 */
	snapshot(130);
	ck_assert_uint_eq(head.image_needed, 1);
	send_rgb(140, 100);
	scan.range_m[3] = 2.9f;
	send_scan(140);
	snapshot(150);
	ck_assert_uint_eq(head.image_needed, 1);
	cairn_annotator_destroy(&annotator);
}
END_TEST

START_TEST(a_text_alone_does_not_move_the_reference)
{
	struct cairn_msg_decision decision = {0};
	begin();
	send_scan(0);
	send_rgb(0, 100);
	snapshot(10);
	decision.snapshot_id = head.snapshot_id;
	cairn_annotator_on_decision(annotator, &decision);
	send_rgb(100, 110);
	snapshot(110);
	ck_assert_uint_eq(head.image_needed, 0);
	decision.snapshot_id = head.snapshot_id;
	cairn_annotator_on_decision(annotator, &decision);
	send_rgb(200, 120); /* ten more: 20 from the one the model has seen */
	snapshot(210);
	ck_assert_double_eq_tol(head.similarity, 1.0 - 20.0 / 255.0, 1e-9);
	ck_assert_uint_eq(head.image_needed, 1);
	cairn_annotator_destroy(&annotator);
}
END_TEST

START_TEST(broken_frames_are_refused_and_the_last_good_one_stays)
{
	struct cairn_error err = {""};
	begin();
	send_rgb(0, 100);
	struct cairn_frame_header hdr = rgb_header(50);
	hdr.width = W / 2;
	ck_assert(!cairn_annotator_on_rgb(annotator, &hdr, rgb, &err));
	ck_assert_str_eq(err.text, "picture of 320 x 480 with 921600 bytes instead of 640 x 480");
	hdr = rgb_header(50);
	hdr.payload_bytes--;
	ck_assert(!cairn_annotator_on_rgb(annotator, &hdr, rgb, &err));
	hdr = rgb_header(50);
	hdr.stride_bytes = W * 3 - 1;
	ck_assert(!cairn_annotator_on_rgb(annotator, &hdr, rgb, &err));
	hdr = rgb_header(50);
	hdr.stride_bytes = UINT32_MAX;
	ck_assert(!cairn_annotator_on_rgb(annotator, &hdr, rgb, &err));
	hdr = rgb_header(50);
	hdr.format = CAIRN_FORMAT_DEPTH16;
	ck_assert(!cairn_annotator_on_rgb(annotator, &hdr, rgb, &err));
	hdr = depth_header(50);
	hdr.t_ns = INT64_MIN;
	ck_assert(!cairn_annotator_on_depth(annotator, &hdr, depth, &err));
	ck_assert_str_eq(err.text, "frame without a stamp");
	snapshot(60);
	ck_assert_int_eq(head.t_rgb_ns, T0);
	ck_assert_int_eq(head.t_depth_ns, 0);
	cairn_annotator_destroy(&annotator);
}
END_TEST

START_TEST(broken_messages_leave_the_last_good_ones)
{
	struct cairn_msg_pose pose = {.x_m = NAN};
	begin();
	send_scan(0);
	send_pose(0);
	ck_assert(!cairn_annotator_on_pose(annotator, &pose, T0 + 10 * MS));
	scan.range_m_count = 3;
	ck_assert(!cairn_annotator_on_scan(annotator, &scan, T0 + 10 * MS, T0 + 10 * MS, &percept));
	snapshot(20);
	ck_assert_int_eq(head.t_pose_ns, T0);
	ck_assert_int_eq(head.t_scan_ns, T0);
	ck_assert_double_eq(head.nearest_m, 3.25);
	cairn_annotator_destroy(&annotator);
}
END_TEST

START_TEST(a_picture_that_does_not_fit_is_left_out)
{
	struct cairn_error err = {""};
	begin();
	send_scan(0);
	send_rgb(0, 100);
	size_t bytes = cairn_annotator_snapshot(
	    annotator, CAIRN_TRIGGER_TIMER, T0, buf, sizeof(head) + 2048 + 100, &err);
	ck_assert_uint_gt(bytes, 0);
	memcpy(&head, buf, sizeof(head));
	ck_assert_uint_eq(head.jpeg_bytes, 0);
	ck_assert_int_eq(head.t_rgb_ns, 0);
	ck_assert_uint_eq(cairn_annotator_snapshot(annotator, CAIRN_TRIGGER_TIMER, T0, buf, 100, &err), 0);
	ck_assert_str_eq(err.text, "snapshot: 100 bytes are too few");
	cairn_annotator_destroy(&annotator);
}
END_TEST

START_TEST(the_same_inputs_give_the_same_bytes)
{
	static uint8_t first[1 << 20];
	size_t bytes[2];
	for (int round = 0; round < 2; round++) {
		begin();
		send_scan(0);
		send_pose(0);
		send_rgb(0, 100);
		send_depth(0);
		bytes[round] = cairn_annotator_snapshot(annotator, CAIRN_TRIGGER_MOVED, T0 + 10 * MS,
		    round == 0 ? first : buf, sizeof(buf), NULL);
		cairn_annotator_destroy(&annotator);
	}
	ck_assert_uint_eq(bytes[0], bytes[1]);
	ck_assert_mem_eq(first, buf, bytes[0]);
}
END_TEST

CAIRN_TEST_MAIN("annotator", a_snapshot_holds_head_text_and_jpeg,
    options_are_drawn_as_seen_when_the_picture_was_taken, the_second_picture_shows_what_is_fresh,
    without_inputs_the_text_stands_alone, what_is_stale_is_missing,
    how_long_the_battery_lasts_is_told_once_its_pace_is_known,
    a_picture_is_paired_with_the_depth_nearest_in_time, a_pair_too_far_apart_is_not_used_and_said,
    similarity_is_to_the_picture_last_decided_on,
    the_picture_is_left_out_of_need_when_nothing_changed_and_nothing_is_near,
    a_text_alone_does_not_move_the_reference, broken_frames_are_refused_and_the_last_good_one_stays,
    broken_messages_leave_the_last_good_ones, a_picture_that_does_not_fit_is_left_out,
    the_same_inputs_give_the_same_bytes)
