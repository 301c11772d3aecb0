#include "common/percept/detect.h"

#include <math.h>

#include "common/percept/detect_wire.h"
#include "test/support/runner.h"

static struct cairn_config cfg;
static struct cairn_detector d;
static struct cairn_detected_list list;
static struct cairn_msg_detections msg;
static struct cairn_error err;
static int64_t now_ns;

static void pose(double x, double yaw)
{
	struct cairn_msg_pose p = {.x_m = x, .yaw_rad = yaw, .tracking = CAIRN_TRACKING_GOOD, .map_id = 5};
	cairn_detector_on_pose(&d, &p, now_ns);
}

static void set_up(void)
{
	cairn_config_defaults(&cfg);
	cairn_detector_init(&d, &cfg);
	now_ns = 100 * CAIRN_NS_PER_S;
	pose(0.0, 0.0);
}

static void answer_of(uint64_t look)
{
	list = (struct cairn_detected_list){
	    .look = look, .t_ns = now_ns, .width_px = 640, .height_px = 480, .count = 1};
	list.items[0] = (struct cairn_detected){.label = "mug",
	    .confidence = 0.9f,
	    .px = {100, 100, 150, 160},
	    .points = {{0.0f, 0.0f, 2.0f}, {0.1f, 0.1f, 2.1f}},
	    .point_count = 2};
}

START_TEST(a_thing_ahead_is_put_ahead_of_the_camera_in_the_map)
{
	uint64_t look;
	set_up();
	now_ns += 50 * CAIRN_NS_PER_MS;
	pose(1.0, M_PI / 2.0); /* looks along +y */
	ck_assert(cairn_detector_due(&d, now_ns, &look));
	answer_of(look);
	ck_assert_msg(cairn_detector_answer(&d, &list, now_ns, &msg, &err), "%s", err.text);
	ck_assert_uint_eq(msg.items_count, 1);
	/* 2 to 2.1 m ahead of the camera, which is camera_x_m ahead of the robot; 0 to 0.1 m to its right, which is +x here. */
	ck_assert_double_eq_tol(msg.items[0].x_m, 1.05, 1e-3);
	ck_assert_double_eq_tol(msg.items[0].y_m, cfg.robot.camera_x_m + 2.05, 1e-3);
	ck_assert_double_eq_tol(msg.items[0].z_m, cfg.robot.camera_z_m - 0.05, 1e-3);
	ck_assert(!msg.items[0].cut);
	ck_assert_uint_eq(msg.map_id, 5);
}
END_TEST

START_TEST(the_pose_is_that_of_the_time_of_the_picture)
{
	uint64_t look;
	set_up();
	int64_t t0_ns = now_ns;
	now_ns += 100 * CAIRN_NS_PER_MS;
	pose(1.0, 0.0);
	ck_assert(cairn_detector_due(&d, now_ns, &look));
	answer_of(look);
	list.t_ns = t0_ns + 25 * CAIRN_NS_PER_MS;
	ck_assert(cairn_detector_answer(&d, &list, now_ns, &msg, &err));
	ck_assert_double_eq_tol(msg.x_m, 0.25 + cfg.robot.camera_x_m, 1e-6);
}
END_TEST

START_TEST(what_was_not_asked_for_is_late_or_makes_no_sense_is_refused_and_counted)
{
	uint64_t look;
	set_up();
	answer_of(1);
	ck_assert(!cairn_detector_answer(&d, &list, now_ns, &msg, &err));
	ck_assert(cairn_detector_due(&d, now_ns, &look));
	ck_assert(!cairn_detector_due(&d, now_ns, &look)); /* one question at a time */
	answer_of(look + 1);
	ck_assert(!cairn_detector_answer(&d, &list, now_ns, &msg, &err));
	answer_of(look);
	list.t_ns = now_ns - 60 * CAIRN_NS_PER_S;
	ck_assert(!cairn_detector_answer(&d, &list, now_ns, &msg, &err));
	ck_assert_uint_eq(d.refused, 3);
	now_ns += CAIRN_NS_PER_S;
	pose(1.0, 0.0);
	ck_assert(cairn_detector_due(&d, now_ns, &look));
	now_ns += (int64_t)(cfg.detect.answer_max_s * 1e9) + 1;
	pose(2.0, 0.0);
	ck_assert(cairn_detector_due(&d, now_ns, &look));
	ck_assert_uint_eq(d.late, 1);
	answer_of(look);
	list.items[0].points[0].ahead_m = NAN;
	ck_assert(cairn_detector_answer(&d, &list, now_ns, &msg, &err));
	ck_assert_uint_eq(msg.items_count, 0);
	ck_assert_uint_eq(msg.left_out, 1);
}
END_TEST

START_TEST(it_pauses_where_nothing_moves)
{
	uint64_t look, asked = 0;
	set_up();
	for (int i = 0; i < 400; i++, now_ns += 50 * CAIRN_NS_PER_MS) { /* 20 s */
		pose(0.0, 0.0);
		if (!cairn_detector_due(&d, now_ns, &look))
			continue;
		asked++;
		answer_of(look);
		ck_assert(cairn_detector_answer(&d, &list, now_ns, &msg, &err));
	}
	ck_assert_uint_ge(asked, (uint64_t)cfg.detect.still_looks + 3);
	ck_assert_uint_le(asked, (uint64_t)cfg.detect.still_looks + 6);
	for (int i = 0; i < 40; i++, now_ns += 50 * CAIRN_NS_PER_MS, asked++) { /* it drives again: 2 s */
		pose(0.1 * i, 0.0);
		if (!cairn_detector_due(&d, now_ns, &look)) {
			asked--;
			continue;
		}
		answer_of(look);
		ck_assert(cairn_detector_answer(&d, &list, now_ns, &msg, &err));
	}
	ck_assert_uint_ge(asked, (uint64_t)cfg.detect.still_looks + 6);
}
END_TEST

START_TEST(labels_are_cleaned_doubles_dropped_and_cuts_noticed)
{
	uint64_t look;
	set_up();
	ck_assert(cairn_detector_due(&d, now_ns, &look));
	answer_of(look);
	snprintf(list.items[0].label, sizeof(list.items[0].label), "\033[2Jmug\n\"now\"");
	list.items[1] = list.items[0];
	list.items[1].confidence = 0.5f;
	list.items[1].px[0] = 105;
	list.items[2] = list.items[0];
	list.items[2].px[0] = 0;
	list.items[2].px[2] = 50;
	list.count = 3;
	ck_assert(cairn_detector_answer(&d, &list, now_ns, &msg, &err));
	ck_assert_uint_eq(msg.items_count, 2);
	ck_assert_ptr_null(strpbrk(msg.items[0].label, "\033\n\""));
	ck_assert(msg.items[0].cut != msg.items[1].cut);
}
END_TEST

START_TEST(depth_gives_points_to_a_box_without_any)
{
	static uint16_t depth_mm[640 * 480];
	set_up();
	for (int i = 0; i < 640 * 480; i++)
		depth_mm[i] = 4000;
	for (int y = 200; y < 280; y++)
		for (int x = 280; x < 360; x++)
			depth_mm[y * 640 + x] = 1500;
	answer_of(1);
	list.items[0].point_count = 0;
	const float box[4] = {275, 195, 365, 285}; /* looser than the thing: its rim shows the wall behind */
	memcpy(list.items[0].px, box, sizeof(box));
	cairn_detect_depth(&cfg, depth_mm, &list);
	ck_assert_uint_ge(list.items[0].point_count, 1);
	for (uint32_t i = 0; i < list.items[0].point_count; i++)
		ck_assert_double_eq_tol((double)list.items[0].points[i].ahead_m, 1.5, 1e-3);
}
END_TEST

/* A chair's back 2 m away in a box whose corners show the table in front of it and the wall behind it. */
START_TEST(what_a_box_shows_around_a_thing_does_not_move_it)
{
	static uint16_t depth_mm[640 * 480];
	set_up();
	answer_of(1);
	list.items[0].point_count = 0;
	memcpy(list.items[0].px, (float[4]){280, 200, 360, 280}, sizeof(list.items[0].px));
	for (int y = 200; y < 280; y++)
		for (int x = 280; x < 360; x++) {
			int down = y - 200, right = x - 280;
			bool table = down > 70 && right < 12, slat = right % 20 < 12;
			depth_mm[y * 640 + x] = (uint16_t)(table ? 1750 : slat ? 2000 : 2350);
		}
	cairn_detect_depth(&cfg, depth_mm, &list);
	ck_assert_uint_eq(list.items[0].point_count, 4);
	for (int i = 0; i < 4; i++)
		ck_assert_float_eq_tol(list.items[0].points[i].ahead_m, 2.0f, 1e-3f);
}
END_TEST

START_TEST(depth_tells_what_hides_things_and_the_floor_hides_nothing)
{
	static uint16_t depth_mm[640 * 480];
	set_up();
	answer_of(1);
	float focal_px = 320.0f / tanf(0.5f * (float)cfg.robot.camera_hfov_rad);
	for (int y = 0; y < 480; y++)
		for (int x = 0; x < 640; x++) {
			/* The floor below the horizon, a wall 4 m away above it, a box of 1 m before the left side. */
			float below = ((float)y + 0.5f - 240.0f) / focal_px,
			      dip = tanf((float)cfg.robot.camera_pitch_rad);
			float ahead = (float)cfg.robot.camera_z_m * (1.0f + dip * dip) /
				      fmaxf(below * 1.0f + dip, 1e-3f);
			depth_mm[y * 640 + x] = (uint16_t)(1000.0f * fminf(ahead, 4.0f));
			if (x < 80 && y < 240)
				depth_mm[y * 640 + x] = 1000;
		}
	cairn_detect_depth(&cfg, depth_mm, &list);
	ck_assert_float_eq_tol(list.nearest_m[5 * CAIRN_DETECT_TILE_COLS], 1.0f, 1e-3f);
	ck_assert_float_eq_tol(list.nearest_m[2 * CAIRN_DETECT_TILE_COLS + 8], 4.0f, 1e-3f);
	ck_assert_float_eq_tol(list.nearest_m[11 * CAIRN_DETECT_TILE_COLS + 8], 0.0f, 1e-3f);
}
END_TEST

START_TEST(lines_are_written_and_read)
{
	static struct cairn_detected_list back;
	size_t n;
	set_up();
	answer_of(3);
	list.nearest_m[7] = 1.25f;
	strcpy(list.items[0].state, "open");
	list.items[0].track = UINT32_MAX;
	char *line = cairn_detect_write_answer(&list, &n);
	ck_assert_ptr_nonnull(line);
	ck_assert_msg(cairn_detect_read_answer(line, n, &back, &err), "%s", err.text);
	ck_assert_uint_eq(back.count, 1);
	ck_assert_str_eq(back.items[0].label, "mug");
	ck_assert_str_eq(back.items[0].state, "open");
	ck_assert_uint_eq(back.items[0].track, UINT32_MAX);
	ck_assert_uint_eq(back.items[0].point_count, 2);
	ck_assert_double_eq_tol((double)back.nearest_m[7], 1.25, 1e-6);
	free(line);
	char ask[512];
	uint64_t look;
	int64_t t_ns;
	n = cairn_detect_write_look(
	    9, 77, "cup, red chair,", "find the cup", "is the \"cup\" full?", ask, sizeof(ask));
	ck_assert_uint_gt(n, 0);
	ck_assert(cairn_detect_read_look(ask, n, &look, &t_ns, &err));
	ck_assert_uint_eq(look, 9);
	ck_assert_ptr_nonnull(strstr(ask, "[\"cup\",\"red chair\"]"));
	ck_assert_ptr_nonnull(strstr(ask, "\"goal\":\"find the cup\""));
	ck_assert_ptr_nonnull(strstr(ask, "\"task\":\"is the \\\"cup\\\" full?\""));
	ck_assert_uint_eq(cairn_detect_write_look(9, 77, "cup", "", "", ask, 8), 0);
	n = cairn_detect_write_look(9, 77, "cup", "", "", ask, sizeof(ask));
	ck_assert_uint_gt(n, 0);
	ask[n] = '\0';
	ck_assert_ptr_null(strstr(ask, "task"));
}
END_TEST

START_TEST(a_helper_is_told_the_agent_s_task_while_the_agent_works_at_it)
{
	static const struct {
		enum cairn_agent_state state;
		bool works;
	} rows[] = {{CAIRN_AGENT_STATE_IDLE, false}, {CAIRN_AGENT_STATE_PLANNING, true},
	    {CAIRN_AGENT_STATE_THINKING, true}, {CAIRN_AGENT_STATE_ACTING, true},
	    {CAIRN_AGENT_STATE_SEARCHING, true}, {CAIRN_AGENT_STATE_DONE, false},
	    {CAIRN_AGENT_STATE_HANDOFF, false}, {CAIRN_AGENT_STATE_FAILED, false}};
	static char longest[CAIRN_DETECT_LOOK_MAX];
	struct cairn_msg_agent m = {.task = "where is the milk?"};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		m.state = rows[i].state;
		ck_assert_str_eq(cairn_detector_task(&m), rows[i].works ? "where is the milk?" : "");
	}
	/* The worst there can be: every byte is escaped. */
	char labels[sizeof(cfg.detect.labels)], goal[160], task[sizeof(m.task)];
	memset(labels, 1, sizeof(labels));
	memset(goal, 1, sizeof(goal));
	memset(task, 1, sizeof(task));
	labels[sizeof(labels) - 1] = goal[sizeof(goal) - 1] = task[sizeof(task) - 1] = '\0';
	ck_assert_uint_gt(cairn_detect_write_look(9, 77, labels, goal, task, longest, sizeof(longest)), 0);
}
END_TEST

START_TEST(a_thing_whose_number_is_none_is_left_out)
{
	static const char *const tracks[] = {"-1", "4294967296", "1.5", "\"7\"", "null"};
	char line[256];
	for (size_t i = 0; i < sizeof(tracks) / sizeof(tracks[0]); i++) {
		int n = snprintf(line, sizeof(line),
		    "{\"look\":1,\"t_ns\":1,\"width\":640,\"height\":480,\"things\":[{\"label\":\"cup\","
		    "\"score\":1,"
		    "\"box\":[1,1,9,9]},{\"label\":\"cup\",\"score\":1,\"box\":[1,1,9,9],\"track\":%s}]}",
		    tracks[i]);
		ck_assert_msg(cairn_detect_read_answer(line, (size_t)n, &list, &err), "%s", err.text);
		ck_assert_uint_eq(list.count, 1);
		ck_assert_uint_eq(list.items[0].track, 0);
		ck_assert_uint_eq(list.left_out, 1);
	}
}
END_TEST

START_TEST(nonsense_on_the_line_is_refused_with_a_reason)
{
	static const char *const bad[] = {"", "{", "[]", "{\"look\":0}",
	    "{\"look\":1,\"t_ns\":1,\"width\":640,\"height\":480}",
	    "{\"look\":1,\"t_ns\":1,\"width\":0,\"height\":480,\"things\":[]}",
	    "{\"look\":1,\"t_ns\":1,\"width\":640,\"height\":480,\"things\":[],\"nearest_m\":[1]}"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err.text[0] = '\0';
		ck_assert_msg(!cairn_detect_read_answer(bad[i], strlen(bad[i]), &list, &err), "%s", bad[i]);
		ck_assert(err.text[0] != '\0');
	}
	static struct cairn_detect_lines lines;
	static char flood[CAIRN_DETECT_LINE_MAX + 100];
	const char *line;
	size_t n, at = 0, whole = 0;
	memset(flood, 'x', sizeof(flood));
	memcpy(flood + sizeof(flood) - 4, "\nok\n", 4);
	while (at < sizeof(flood)) {
		at += cairn_detect_lines_take(&lines, flood + at, sizeof(flood) - at, &line, &n);
		whole += line != NULL;
	}
	ck_assert_uint_eq(whole, 1);
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(lines.too_long, 1);
}
END_TEST

/* Turned left by a quarter on a robot that looks along +x, and 0.1 m to the left: 2 m ahead of the camera is along +y. With its right
 * side down by a quarter, what is right in the picture is down. */
START_TEST(a_camera_mounted_askew_puts_things_where_they_are)
{
	uint64_t look;
	set_up();
	cfg.robot.camera_y_m = 0.1;
	cfg.robot.camera_z_m = 0.5;
	cfg.robot.camera_yaw_rad = M_PI / 2.0;
	cfg.robot.camera_roll_rad = M_PI / 2.0;
	now_ns += 50 * CAIRN_NS_PER_MS;
	pose(1.0, 0.0);
	ck_assert(cairn_detector_due(&d, now_ns, &look));
	answer_of(look); /* 0 to 0.1 m right, 0 to 0.1 m down, 2 to 2.1 m ahead */
	ck_assert_msg(cairn_detector_answer(&d, &list, now_ns, &msg, &err), "%s", err.text);
	ck_assert_double_eq_tol(msg.x_m, 1.0 + cfg.robot.camera_x_m, 1e-6);
	ck_assert_double_eq_tol(msg.y_m, 0.1, 1e-6);
	ck_assert_double_eq_tol(msg.yaw_rad, M_PI / 2.0, 1e-6);
	ck_assert_double_eq_tol(msg.roll_rad, M_PI / 2.0, 1e-6);
	ck_assert_double_eq_tol(msg.items[0].x_m, 1.0 + cfg.robot.camera_x_m - 0.05, 1e-3);
	ck_assert_double_eq_tol(msg.items[0].y_m, 0.1 + 2.05, 1e-3);
	ck_assert_double_eq_tol(msg.items[0].z_m, 0.45, 1e-3);
}
END_TEST

CAIRN_TEST_MAIN("detect", a_thing_ahead_is_put_ahead_of_the_camera_in_the_map,
    the_pose_is_that_of_the_time_of_the_picture,
    what_was_not_asked_for_is_late_or_makes_no_sense_is_refused_and_counted, it_pauses_where_nothing_moves,
    labels_are_cleaned_doubles_dropped_and_cuts_noticed, depth_gives_points_to_a_box_without_any,
    what_a_box_shows_around_a_thing_does_not_move_it,
    depth_tells_what_hides_things_and_the_floor_hides_nothing, lines_are_written_and_read,
    a_helper_is_told_the_agent_s_task_while_the_agent_works_at_it, a_thing_whose_number_is_none_is_left_out,
    nonsense_on_the_line_is_refused_with_a_reason, a_camera_mounted_askew_puts_things_where_they_are)
