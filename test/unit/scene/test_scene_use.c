/* What others get of the scene graph: answers, distances, pictures; and what becomes of it over nights and kills. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/rng.h"
#include "common/scene/find.h"
#include "common/scene/pictures.h"
#include "common/scene/scene_answer.h"
#include "common/scene/scene_file.h"
#include "test/support/run_dir.h"
#include "test/support/scene_rig.h"

static struct cairn_msg_reply reply;

static double middle_x(const struct cairn_scene_object *o)
{
	return 0.5 * (o->box.min[0] + o->box.max[0]);
}

/* A table, a blue and a red mug on the left and right of it, two metres ahead. */
static void kitchen(void)
{
	for (int i = 0; i < 3; i++) {
		picture();
		sight("mug", "blue", 2.0, 0.6, 0.1);
		sight("mug", "red", 2.0, -0.6, 0.1);
		sight("table", "brown", 3.0, 0.0, 0.8);
		take();
	}
}

static json_t *ask(const char *verb, const char *arg, bool expect)
{
	struct cairn_msg_command c = {.limit_s = 0.0};
	struct cairn_pose2 robot = {0.0, 0.0, 0.0};
	snprintf(c.verb, sizeof(c.verb), "%s", verb);
	snprintf(c.arg, sizeof(c.arg), "%s", arg);
	reply = (struct cairn_msg_reply){.ok = false};
	cairn_scene_command(scene, &c, &robot, now_s + 10.0, &reply);
	ck_assert_msg(reply.ok == expect, "%s %s: %s", verb, arg, reply.text);
	return reply.data[0] != '\0' ? json_loads(reply.data, 0, NULL) : NULL;
}

START_TEST(the_service_answers_by_label_room_nearness_and_time)
{
	set_up();
	kitchen();
	json_t *j = ask("recall", "red mug", true);
	json_t *first = json_array_get(json_object_get(j, "matches"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(first, "colour")), "red");
	ck_assert_str_eq(json_string_value(json_object_get(first, "id")), "mug_2");
	ck_assert(json_is_true(json_object_get(first, "blocked"))); /* there is no map to stand on */
	json_decref(j);
	j = ask("recall", "{\"text\":\"mug\",\"near\":[2.0,0.6],\"within_m\":0.3}", true);
	ck_assert_uint_eq(json_array_size(json_object_get(j, "matches")), 1);
	json_decref(j);
	j = ask("recall", "{\"seen_since_s\":20,\"limit\":2}", true);
	ck_assert_uint_eq(json_array_size(json_object_get(j, "matches")), 2);
	json_decref(j);
	json_decref(ask("recall", "{\"seen_since_s\":5}", false));
	ck_assert_str_eq(reply.text, "not in memory");
	json_decref(ask("recall", "{\"room\":\"kitchen\"}", false));
	ck_assert_ptr_null(ask("recall", "{\"colour\":\"red\"}", false));
	ck_assert_ptr_nonnull(strstr(reply.text, "'colour'"));
	ck_assert_ptr_null(ask("recall", "{\"text\":", false));
	j = ask("resolve", "table", true);
	ck_assert_str_eq(json_string_value(json_object_get(j, "id")), "table_1");
	json_decref(j);
	json_decref(ask("resolve", "piano", false));
	tear_down();
}
END_TEST

/* As many matches with as long names as there can be: what does not fit goes, the best first. */
START_TEST(an_answer_always_fits)
{
	set_up();
	char label[40];
	for (int i = 0; i < 3; i++) {
		picture();
		for (int k = 0; k < 20; k++) {
			snprintf(label, sizeof(label),
			    "%02d\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"", k);
			sight(label, "\"\"\"\"\"\"\"", 2.0 + 0.3 * (k % 5), 0.4 * (k / 5) - 0.8, 0.1);
		}
		take();
	}
	json_t *j = ask("recall", "{\"text\":\"\"}", true);
	ck_assert_uint_ge(json_array_size(json_object_get(j, "matches")), 3);
	json_decref(j);
	tear_down();
}
END_TEST

START_TEST(how_far_a_thing_is_and_in_which_direction)
{
	set_up();
	kitchen();
	json_t *j = ask("find", "red mug", true);
	double x = 1.95 - cfg.robot.camera_x_m, y = 0.55; /* its nearest corner, from the camera */
	ck_assert_double_eq_tol(json_number_value(json_object_get(j, "distance_m")), hypot(x, y), 0.02);
	ck_assert_double_eq_tol(
	    json_number_value(json_object_get(j, "bearing_deg")), -atan2(0.6, 2.0) * 180.0 / M_PI, 0.1);
	ck_assert_ptr_nonnull(strstr(reply.text, "to the right"));
	ck_assert_ptr_nonnull(strstr(reply.text, "mug_2"));
	json_decref(j);
	json_decref(ask("find", "piano", false));
	ck_assert_ptr_nonnull(strstr(reply.text, "not"));
	tear_down();
}
END_TEST

START_TEST(what_somebody_points_to_in_the_picture_is_placed_by_depth_and_believed)
{
	static uint16_t depth_mm[640 * 480];
	static struct cairn_msg_detections seen;
	struct cairn_found found;
	char text[256];
	set_up();
	for (size_t i = 0; i < 640 * 480; i++)
		depth_mm[i] = 4000;
	for (int y = 200; y < 300; y++)
		for (int x = 400; x < 480; x++)
			depth_mm[y * 640 + x] = 2000;
	struct cairn_find_view view = {depth_mm, 640, 480, {1.0, 0.0, 0.0}, 7};
	const double point[4] = {440.0 / 640.0, 250.0 / 480.0, 440.0 / 640.0, 250.0 / 480.0};
	ck_assert(cairn_find_in_picture(&cfg, &view, "kettle", point, &found, &seen));
	ck_assert_double_eq_tol(found.distance_m, 2.0, 0.05 + 0.1);
	ck_assert_double_eq_tol(found.at_m[0], 1.0 + cfg.robot.camera_x_m + 2.0, 0.05);
	ck_assert_double_lt(found.bearing_rad, -0.1); /* on the right of the picture */
	cairn_found_text(&found, "kettle", text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "by the depth of this picture"));
	cairn_scene_told(scene, &seen, now_s);
	ck_assert_double_eq_tol(middle_x(thing("kettle_1")), found.at_m[0], 0.05);
	/* Where no depth is known there is no answer. */
	memset(depth_mm, 0, sizeof(depth_mm));
	ck_assert(!cairn_find_in_picture(&cfg, &view, "kettle", point, &found, &seen));
	tear_down();
}
END_TEST

START_TEST(a_state_in_front_of_a_label_is_the_thing_s_state)
{
	set_up();
	struct cairn_msg_scene *out = malloc(sizeof(*out));
	for (int i = 0; i < 4; i++) {
		picture();
		sight(i < 2 ? "closed fridge" : "Open fridge", "white", 2.0, 0.0, 0.6);
		sight("open", "", 3.0, 1.0, 0.2); /* a word alone is a name */
		take();
	}
	ck_assert_str_eq(thing("fridge_1")->state, "open");
	ck_assert(thing("fridge_1")->open);
	ck_assert_str_eq(thing("open_1")->state, "");
	cairn_scene_message(scene, (struct cairn_pose2){0}, out);
	bool shown = false;
	for (uint32_t i = 0; i < out->nodes_count; i++)
		shown = shown || (out->nodes[i].open && strcmp(out->nodes[i].state, "open") == 0);
	ck_assert(shown);
	free(out);
	tear_down();
}
END_TEST

/* ---- pictures ---- */

START_TEST(a_picture_is_kept_for_a_new_thing_a_much_better_view_and_a_larger_map)
{
	static struct cairn_scene_pictures p;
	p = (struct cairn_scene_pictures){.count = 0};
	set_up();
	picture();
	sight("mug", "red", 2.0, 0.0, 0.1);
	take();
	ck_assert(!cairn_scene_picture_is_news(scene, &p, 0.0)); /* nobody believes in it yet */
	take();
	ck_assert(cairn_scene_picture_is_news(scene, &p, 0.0));
	uint64_t id = cairn_scene_keep_picture(scene, &p, 1000, 0.0);
	ck_assert_uint_eq(thing("mug_1")->picture, id);
	take();
	ck_assert(!cairn_scene_picture_is_news(scene, &p, 0.0));
	m.items[0].px[2] = m.items[0].px[3] = 160; /* three times as wide in the picture */
	take();
	ck_assert(cairn_scene_picture_is_news(scene, &p, 0.0));
	uint64_t better = cairn_scene_keep_picture(scene, &p, 1000, 0.0);
	ck_assert_uint_gt(better, id);
	ck_assert_uint_eq(thing("mug_1")->picture, better);
	take();
	ck_assert(!cairn_scene_picture_is_news(scene, &p, cfg.scene.picture_new_m2 - 0.1));
	ck_assert(cairn_scene_picture_is_news(scene, &p, cfg.scene.picture_new_m2 + 0.1));
	size_t bytes;
	char *text = cairn_scene_picture_json(scene, better, &m, now_s, &bytes);
	ck_assert_ptr_nonnull(strstr(text, "\"mug_1\""));
	free(text);
	tear_down();
}
END_TEST

START_TEST(the_quota_drops_the_oldest_that_is_no_thing_s_best)
{
	static struct cairn_scene_pictures p;
	p = (struct cairn_scene_pictures){.count = 0};
	set_up();
	cfg.scene.pictures_mb = 0.0031;
	kitchen();
	uint64_t best = cairn_scene_keep_picture(scene, &p, 1000, 0.0); /* of all three */
	picture();
	take();
	uint64_t second = cairn_scene_keep_picture(scene, &p, 1000, 3.0),
		 third = cairn_scene_keep_picture(scene, &p, 1000, 6.0);
	ck_assert_uint_eq(cairn_scene_drop_picture(scene, &p), 0);
	(void)cairn_scene_keep_picture(scene, &p, 1000, 9.0);
	ck_assert_uint_eq(cairn_scene_drop_picture(scene, &p), second);
	ck_assert_uint_eq(cairn_scene_drop_picture(scene, &p), 0);
	cfg.scene.pictures_mb = 0.0001;
	ck_assert_uint_eq(cairn_scene_drop_picture(scene, &p), third);
	ck_assert_uint_gt(cairn_scene_drop_picture(scene, &p), third);
	ck_assert_uint_eq(thing("table_1")->picture, best);
	ck_assert_uint_eq(cairn_scene_drop_picture(scene, &p), best); /* at last the things forget theirs */
	ck_assert_uint_eq(thing("table_1")->picture, 0);
	tear_down();
}
END_TEST

START_TEST(things_remember_their_pictures_over_a_restart_and_forget_those_that_are_gone)
{
	static struct cairn_scene_pictures p, found;
	p = found = (struct cairn_scene_pictures){.count = 0};
	set_up();
	kitchen();
	uint64_t id = cairn_scene_keep_picture(scene, &p, 1000, 0.0);
	size_t bytes;
	struct cairn_error err = {""};
	char *text = cairn_scene_write(scene, &bytes);
	ck_assert_msg(cairn_scene_read(scene, text, bytes, &err), "%s", err.text);
	ck_assert_uint_eq(thing("table_1")->picture, id);
	cairn_scene_picture_found(&found, id, 1000);
	cairn_scene_pictures_settle(scene, &found);
	ck_assert_uint_eq(thing("table_1")->picture, id);
	ck_assert_uint_gt(cairn_scene_keep_picture(scene, &found, 1000, 0.0), id); /* numbers go on */
	found = (struct cairn_scene_pictures){.count = 0};
	cairn_scene_pictures_settle(scene, &found);
	ck_assert_uint_eq(thing("table_1")->picture, 0);
	free(text);
	tear_down();
}
END_TEST

/* ---- nights and kills ---- */

/* ---- ten things around the robot ---- */

static const char *const names[10] = {
    "sofa", "lamp", "chair", "chair", "plant", "mug", "box", "stool", "vase", "fan"};
static struct {
	double x_m, y_m;
} where[10];

static void put_around(void)
{
	for (int i = 0; i < 10; i++) {
		where[i].x_m = 2.0 * cos(-M_PI + 2.0 * M_PI * i / 10.0);
		where[i].y_m = 2.0 * sin(-M_PI + 2.0 * M_PI * i / 10.0);
	}
}

/* Turns on the spot, several times, and sees what is in view. */
static void look_around(int rounds)
{
	for (int look = 0; look < 20 * rounds; look++) {
		double yaw = -M_PI + 2.0 * M_PI * look / 20.0;
		picture();
		m.yaw_rad = yaw;
		for (int i = 0; i < 10; i++)
			if (fabs(remainder(atan2(where[i].y_m, where[i].x_m) - yaw, 2.0 * M_PI)) < 0.45)
				sight(names[i], "", where[i].x_m, where[i].y_m, 0.3);
		take();
	}
}

/* Each is there once, under the id that it got first, and where it is. */
static void assert_each_once(void)
{
	ck_assert_uint_eq(believed(NULL, NULL), 10);
	for (int i = 0; i < 10; i++) {
		char id[48];
		snprintf(id, sizeof(id), "%s_%d", names[i], i == 3 ? 2 : 1);
		const struct cairn_scene_object *o = thing(id);
		ck_assert_msg(!o->stale, "%s", id);
		if (i != 2 && i != 3) /* of two chairs that change places nobody can tell which is which */
			ck_assert_double_eq_tol(middle_x(o), where[i].x_m, cfg.scene.associate_m);
	}
}

START_TEST(a_house_kept_from_yesterday_with_three_things_moved_has_each_once)
{
	set_up();
	size_t bytes;
	struct cairn_error err = {""};
	put_around();
	look_around(8);
	assert_each_once();
	char *text = cairn_scene_write(scene, &bytes);
	ck_assert_msg(cairn_scene_read(scene, text, bytes, &err), "%s", err.text);
	free(text);
	where[0].x_m = 1.2; /* the sofa, a chair and the vase */
	where[0].y_m = 2.9;
	where[2].x_m *= 1.8;
	where[2].y_m *= 1.8;
	where[8].x_m = -1.0;
	where[8].y_m = 2.8;
	now_s += 86400.0;
	look_around(8);
	assert_each_once();
	tear_down();
}
END_TEST

/* The map is pulled straight: what was seen on one side of it lies half a metre elsewhere from now on. */
START_TEST(a_loop_closure_loses_and_doubles_no_thing)
{
	for (int shift = 0; shift < 4; shift++) {
		set_up();
		put_around();
		look_around(4);
		for (int i = 0; i < 10; i++)
			if (where[i].y_m > 0.1) {
				where[i].x_m += 0.15 * (shift + 1);
				where[i].y_m += 0.1 * (shift + 1);
			}
		look_around(8);
		assert_each_once();
		tear_down();
	}
}
END_TEST

/* Saves for ever, each time with one sight more, and says so. */
static void save_for_ever(const char *path, int told)
{
	struct cairn_error err = {""};
	for (;;) {
		picture();
		sight("mug", "red", 2.0, -0.6, 0.1);
		take();
		if (!cairn_scene_save(scene, path, &err) || write(told, "s", 1) != 1)
			_exit(1);
	}
}

START_TEST(a_kill_at_any_write_leaves_a_whole_file)
{
	char dir[CAIRN_RUN_DIR_BYTES], path[CAIRN_RUN_DIR_BYTES + 16], byte;
	struct cairn_rng rng;
	bool damaged;
	cairn_rng_seed(&rng, 7, 1);
	cairn_run_dir_make(dir, "scene");
	snprintf(path, sizeof(path), "%s/scene.json", dir);
	set_up();
	kitchen();
	struct cairn_error err = {""};
	ck_assert(cairn_scene_save(scene, path, &err));
	uint32_t seen = thing("mug_2")->seen;
	for (int i = 0; i < CAIRN_ROUNDS(40); i++) {
		int told[2];
		ck_assert_int_eq(pipe(told), 0);
		pid_t pid = fork();
		ck_assert_int_ge(pid, 0);
		if (pid == 0)
			save_for_ever(path, told[1]);
		ck_assert_int_eq(close(told[1]), 0);
		ck_assert_int_eq(
		    read(told[0], &byte, 1), 1); /* it has saved once; the next saves are under way */
		(void)usleep((useconds_t)(cairn_rng_uniform(&rng) * 3000.0));
		ck_assert_int_eq(kill(pid, SIGKILL), 0);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
		ck_assert_int_eq(close(told[0]), 0);
		ck_assert_msg(cairn_scene_load(scene, path, &damaged, &err), "kill %d: %s", i, err.text);
		ck_assert(!damaged);
		ck_assert_uint_eq(believed(NULL, NULL), 3);
		ck_assert_uint_gt(
		    thing("mug_2")->seen, seen); /* what was saved is there, or what came after */
		seen = thing("mug_2")->seen;
	}
	cairn_run_dir_remove(dir);
	tear_down();
}
END_TEST

/* In the middle of the picture, 2 m away, seen by a camera that is 0.1 m to the left and turned left by 0.5 rad. */
START_TEST(what_a_camera_turned_aside_shows_is_placed_by_where_it_looks)
{
	static uint16_t depth_mm[640 * 480];
	static struct cairn_msg_detections seen;
	struct cairn_found found;
	set_up();
	cfg.robot.camera_y_m = 0.1;
	cfg.robot.camera_yaw_rad = 0.5;
	for (size_t i = 0; i < 640 * 480; i++)
		depth_mm[i] = 2000;
	struct cairn_find_view view = {depth_mm, 640, 480, {1.0, 0.0, 0.0}, 7};
	ck_assert(
	    cairn_find_in_picture(&cfg, &view, "kettle", (double[4]){0.5, 0.5, 0.5, 0.5}, &found, &seen));
	ck_assert_double_eq_tol(found.at_m[0], 1.0 + cfg.robot.camera_x_m + 2.0 * cos(0.5), 0.02);
	ck_assert_double_eq_tol(found.at_m[1], 0.1 + 2.0 * sin(0.5), 0.02);
	ck_assert_double_eq_tol(found.distance_m, 2.0, 0.1);
	ck_assert_double_eq_tol(found.bearing_rad, atan2(found.at_m[1], found.at_m[0] - 1.0), 1e-6);
	tear_down();
}
END_TEST

START_TEST(a_mirror_has_each_thing_in_the_room_of_the_message)
{
	enum { SIDE = 160 };
	static uint8_t cells[SIDE * SIDE];
	static struct cairn_msg_scene message;
	const struct cairn_scene_object *o;
	set_up();
	for (int i = 0; i < SIDE * SIDE; i++) { /* two rooms: a wall along the y axis, with a doorway */
		int x = i % SIDE, y = i / SIDE;
		bool wall = x / 2 == SIDE / 4 && (y < 120 || y >= 138);
		cells[i] = wall || x < 2 || y < 2 || x >= SIDE - 2 || y >= SIDE - 2 ? 100 : 0;
	}
	struct cairn_scene_grid grid = {cells, SIDE, SIDE, -4.0, -4.0, 0.05};
	cairn_scene_map(scene, 1);
	ck_assert(cairn_scene_on_grid(scene, &grid, (struct cairn_pose2){-2.0, 0.0, 0.0}, NULL));
	picture();
	m.x_m = 1.0;
	(void)sight("sofa", "", 3.0, 0.0, 0.5);
	take();
	take();
	cairn_scene_message(scene, (struct cairn_pose2){-2.0, 0.0, 0.0}, &message);
	struct cairn_scene *mirror = cairn_scene_new(&cfg);
	ck_assert_ptr_nonnull(mirror);
	ck_assert(cairn_scene_on_grid(mirror, &grid, (struct cairn_pose2){-2.0, 0.0, 0.0}, NULL));
	cairn_scene_mirror(mirror, &message);
	ck_assert_uint_eq(cairn_scene_objects(mirror, &o), 1);
	const struct cairn_scene_room *room = cairn_scene_room_at(mirror, (struct cairn_vec2){2.0, 0.0}),
				      *other = cairn_scene_room_at(mirror, (struct cairn_vec2){-2.0, 0.0});
	ck_assert_ptr_nonnull(room);
	ck_assert_ptr_ne(room, other);
	ck_assert_uint_eq(o->room, room->number);
	cairn_scene_destroy(&mirror);
	tear_down();
}
END_TEST

CAIRN_TEST_MAIN("scene-use", the_service_answers_by_label_room_nearness_and_time, an_answer_always_fits,
    how_far_a_thing_is_and_in_which_direction,
    what_somebody_points_to_in_the_picture_is_placed_by_depth_and_believed,
    a_state_in_front_of_a_label_is_the_thing_s_state,
    a_picture_is_kept_for_a_new_thing_a_much_better_view_and_a_larger_map,
    the_quota_drops_the_oldest_that_is_no_thing_s_best,
    things_remember_their_pictures_over_a_restart_and_forget_those_that_are_gone,
    a_house_kept_from_yesterday_with_three_things_moved_has_each_once,
    a_loop_closure_loses_and_doubles_no_thing, a_kill_at_any_write_leaves_a_whole_file,
    what_a_camera_turned_aside_shows_is_placed_by_where_it_looks,
    a_mirror_has_each_thing_in_the_room_of_the_message)
