#include "common/scene/rooms.h"

#include <math.h>

#include "common/scene/scene.h"
#include "common/scene/scene_answer.h"
#include "common/scene/scene_file.h"
#include "test/support/runner.h"

#define SIDE 260
#define CELL_M 0.05

static uint8_t cells[SIDE * SIDE];

static void fill(double x0, double y0, double x1, double y1, uint8_t value)
{
	for (int y = (int)lround(y0 / CELL_M); y < (int)lround(y1 / CELL_M); y++)
		for (int x = (int)lround(x0 / CELL_M); x < (int)lround(x1 / CELL_M); x++)
			cells[y * SIDE + x] = value;
}

/* Two rooms of 4 m by 4 m side by side, a wall of 10 cm with a doorway of 0.9 m between them, a table on four legs in the one. */
static void draw_flat(void)
{
	memset(cells, 255, sizeof(cells));
	fill(1.9, 1.9, 10.2, 6.1, 100);
	fill(2.0, 2.0, 6.0, 6.0, 0);
	fill(6.1, 2.0, 10.1, 6.0, 0);
	fill(6.0, 3.5, 6.1, 4.4, 0);
	for (int i = 0; i < 4; i++) {
		double x = i & 1 ? 3.0 : 4.0, y = i & 2 ? 4.0 : 4.6;
		fill(x, y, x + 0.1, y + 0.1, 100);
	}
}

static struct cairn_rooms_grid grid(void)
{
	return (struct cairn_rooms_grid){.cells = cells, .width = SIDE, .height = SIDE, .cell_m = CELL_M};
}

/* The same flat, turned about the middle of the grid. */
static void turn(double angle)
{
	static uint8_t straight[SIDE * SIDE];
	memcpy(straight, cells, sizeof(cells));
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++) {
			double dx = x - SIDE / 2, dy = y - SIDE / 2;
			int u = (int)lround(SIDE / 2 + cos(angle) * dx + sin(angle) * dy),
			    v = (int)lround(SIDE / 2 - sin(angle) * dx + cos(angle) * dy);
			cells[y * SIDE + x] =
			    u >= 0 && v >= 0 && u < SIDE && v < SIDE ? straight[v * SIDE + u] : 255;
		}
}

START_TEST(a_doorway_divides_two_rooms_whichever_way_the_walls_run)
{
	for (int k = 0; k < 6; k++) {
		struct cairn_rooms r = {0};
		uint32_t next = 1;
		double angle = 0.13 * k;
		draw_flat();
		turn(angle);
		struct cairn_rooms_grid g = grid();
		ck_assert(cairn_rooms_find(&r, &g, &next));
		ck_assert_msg(r.count == 2, "turned by %.2f: %u rooms", angle, r.count);
		double area = r.items[1].cells * CELL_M * CELL_M;
		ck_assert_msg(area > 14.0 && area < 17.0, "turned by %.2f: %.1f m2", angle, area);
		cairn_rooms_free(&r);
	}
}
END_TEST

START_TEST(a_table_in_a_room_and_an_open_door_leaf_divide_nothing)
{
	struct cairn_rooms r = {0};
	uint32_t next = 1;
	draw_flat();
	fill(
	    6.1, 3.45, 6.95, 3.5, 100); /* the leaf, at a right angle to the wall; 1.4 m are left beside it */
	struct cairn_rooms_grid g = grid();
	ck_assert(cairn_rooms_find(&r, &g, &next));
	ck_assert_uint_eq(r.count, 2);
	cairn_rooms_free(&r);
}
END_TEST

static uint32_t rooms_of_drawn(void)
{
	struct cairn_rooms r = {0};
	uint32_t next = 1;
	struct cairn_rooms_grid g = grid();
	ck_assert(cairn_rooms_find(&r, &g, &next));
	uint32_t count = r.count;
	cairn_rooms_free(&r);
	return count;
}

START_TEST(an_opening_of_two_metres_in_a_wall_and_a_closet_s_narrow_door_divide)
{
	draw_flat();
	fill(6.0, 3.0, 6.1, 4.9, 0);
	ck_assert_uint_eq(rooms_of_drawn(), 2);
	fill(6.0, 2.5, 6.1, 5.4, 0); /* 2.9 m: one room with a piece of wall in it */
	ck_assert_uint_eq(rooms_of_drawn(), 1);
	draw_flat();
	fill(6.0, 2.0, 6.1, 6.0, 100);
	fill(7.0, 1.9, 10.2, 6.1, 255);
	fill(7.0, 1.9, 7.1, 6.1, 100);
	fill(6.0, 3.5, 6.1, 4.0, 0);
	ck_assert_uint_eq(rooms_of_drawn(), 2);
}
END_TEST

/* A wardrobe before the wall on one side of the doorway, and a shelf behind it on the other. */
START_TEST(a_doorway_divides_though_furniture_hides_one_side_of_each_wall_beside_it)
{
	draw_flat();
	fill(7.5, 1.9, 10.2, 6.1, 255);
	fill(7.5, 1.9, 7.6, 6.1, 100);
	fill(5.4, 2.0, 6.0, 3.5, 255);
	fill(5.4, 2.0, 5.45, 3.5, 100);
	fill(5.4, 3.45, 6.0, 3.5, 100);
	fill(6.1, 4.4, 6.7, 6.0, 255);
	fill(6.65, 4.4, 6.7, 6.0, 100);
	fill(6.1, 4.4, 6.7, 4.45, 100);
	ck_assert_uint_eq(rooms_of_drawn(), 2);
}
END_TEST

/* Between the walls beside the doors a corridor of 1.2 m looks like an opening that gets wider on both sides. */
START_TEST(doors_on_both_sides_of_a_corridor_do_not_divide_it)
{
	memset(cells, 255, sizeof(cells));
	fill(1.9, 0.4, 10.1, 6.1, 100);
	fill(2.0, 2.0, 10.0, 3.2, 0);
	fill(2.0, 0.5, 6.1, 1.9, 0);
	fill(5.1, 1.9, 6.0, 2.0, 0);
	fill(6.2, 3.3, 10.0, 6.0, 0);
	fill(6.2, 3.2, 7.1, 3.3, 0);
	fill(2.0, 3.3, 6.1, 6.0, 0); /* the way into this one is not seen */
	ck_assert_uint_eq(rooms_of_drawn(), 4);
}
END_TEST

START_TEST(rooms_keep_their_numbers_while_the_map_grows_and_moves)
{
	struct cairn_rooms r = {0};
	uint32_t next = 1;
	draw_flat();
	fill(6.1, 1.9, 10.2, 6.1, 255); /* the second room is not seen yet */
	struct cairn_rooms_grid g = grid();
	ck_assert(cairn_rooms_find(&r, &g, &next));
	ck_assert_uint_eq(r.count, 1);
	uint32_t first = r.items[cairn_rooms_at(&r, 3.0, 3.0)].number;
	draw_flat();
	ck_assert(cairn_rooms_find(&r, &g, &next));
	uint32_t second = r.items[cairn_rooms_at(&r, 8.0, 3.0)].number;
	ck_assert_uint_eq(r.items[cairn_rooms_at(&r, 3.0, 3.0)].number, first);
	ck_assert_uint_ne(second, first);
	/* A loop was closed: all has moved by 0.3 m; and the arrays begin elsewhere. */
	memmove(cells, cells + 6, sizeof(cells) - 6);
	g.cx0 = 0;
	ck_assert(cairn_rooms_find(&r, &g, &next));
	ck_assert_uint_eq(r.items[cairn_rooms_at(&r, 2.7, 3.0)].number, first);
	ck_assert_uint_eq(r.items[cairn_rooms_at(&r, 7.7, 3.0)].number, second);
	g.cx0 = g.cy0 = -40;
	memset(cells, 255, sizeof(cells)); /* another flat, where none of them was */
	fill(9.0, 9.0, 12.0, 12.0, 0);
	ck_assert(cairn_rooms_find(&r, &g, &next));
	ck_assert_uint_gt(r.items[0].number, second);
	cairn_rooms_free(&r);
}
END_TEST

static struct cairn_config cfg;

/* A mug on the floor of the second room, and a robot in the first. */
static struct cairn_scene *make_scene(double mug_x, double mug_y)
{
	static struct cairn_msg_detections m;
	static struct cairn_msg_features doors = {.doorways_count = 1};
	doors.doorways[0] = (struct cairn_msg_doorway){.id = 1, .x_m = 6.05, .y_m = 3.95, .width_m = 0.9};
	cairn_config_defaults(&cfg);
	struct cairn_scene *s = cairn_scene_new(&cfg);
	ck_assert_ptr_nonnull(s);
	m = (struct cairn_msg_detections){
	    .x_m = mug_x - 1.0, .y_m = mug_y, .hfov_rad = 1.2, .vfov_rad = 0.9, .items_count = 1};
	struct cairn_msg_detection *d = &m.items[0];
	*d = (struct cairn_msg_detection){
	    .label = "mug", .confidence = 0.9f, .x_m = mug_x, .y_m = mug_y, .box_m_count = 6};
	const float box[6] = {(float)mug_x - 0.05f, (float)mug_y - 0.05f, 0.0f, (float)mug_x + 0.05f,
	    (float)mug_y + 0.05f, 0.1f};
	memcpy(d->box_m, box, sizeof(box));
	cairn_scene_see(s, &m, 1.0);
	cairn_scene_see(s, &m, 2.0);
	struct cairn_scene_grid g = {cells, SIDE, SIDE, 0.0, 0.0, CELL_M};
	ck_assert(cairn_scene_on_grid(s, &g, (struct cairn_pose2){3.0, 3.0, 0.0}, &doors));
	return s;
}

START_TEST(an_approach_stands_free_faces_the_thing_and_can_be_reached)
{
	draw_flat();
	fill(7.95, 2.95, 8.05, 3.05, 100);
	struct cairn_scene *s = make_scene(8.0, 3.0);
	struct cairn_scene_resolved r;
	ck_assert(cairn_scene_resolve(s, "mug", (struct cairn_pose2){3.0, 3.0, 0.0}, &r));
	ck_assert_msg(!r.view.blocked, "%s", r.view.why);
	double dx = 8.0 - r.view.at.x_m, dy = 3.0 - r.view.at.y_m;
	ck_assert_double_lt(fabs(cairn_wrap_rad(atan2(dy, dx) - r.view.at.yaw_rad)), 0.05);
	ck_assert_double_ge(hypot(dx, dy), cfg.scene.standoff_m + cfg.robot.footprint_front_m);
	ck_assert_double_gt(cairn_rooms_clear_m(cairn_scene_floor(s), r.view.at.x_m, r.view.at.y_m),
	    cfg.robot.footprint_half_width_m);
	ck_assert_int_eq(cairn_rooms_at(cairn_scene_floor(s), r.view.at.x_m, r.view.at.y_m),
	    cairn_rooms_at(cairn_scene_floor(s), 8.0, 2.5));
	ck_assert_uint_ge(r.path_count, 3); /* through both sides of the doorway */
	cairn_scene_destroy(&s);
}
END_TEST

START_TEST(what_no_way_leads_to_is_blocked_and_says_why)
{
	draw_flat();
	fill(6.0, 3.5, 6.1, 4.4, 100); /* the door is shut */
	struct cairn_scene *s = make_scene(8.0, 3.0);
	struct cairn_scene_resolved r;
	ck_assert(cairn_scene_resolve(s, "mug", (struct cairn_pose2){3.0, 3.0, 0.0}, &r));
	ck_assert(r.view.blocked);
	ck_assert_ptr_nonnull(strstr(r.view.why, "way"));
	cairn_scene_destroy(&s);
}
END_TEST

/* ---- names ---- */

static const struct cairn_vec2 LEFT = {3.0, 3.0}, RIGHT = {8.0, 3.0};

/* The flat without a thing in it. */
static struct cairn_scene *empty_flat(void)
{
	cairn_config_defaults(&cfg);
	struct cairn_scene *s = cairn_scene_new(&cfg);
	ck_assert_ptr_nonnull(s);
	draw_flat();
	struct cairn_scene_grid g = {cells, SIDE, SIDE, 0.0, 0.0, CELL_M};
	ck_assert(cairn_scene_on_grid(s, &g, (struct cairn_pose2){3.0, 3.0, 0.0}, NULL));
	return s;
}

static const struct cairn_scene_room *right(const struct cairn_scene *s)
{
	const struct cairn_scene_room *r = cairn_scene_room_at(s, RIGHT);
	ck_assert_ptr_nonnull(r);
	return r;
}

/* One more thing in the right room, seen from its middle and believed. */
static void put_right(struct cairn_scene *s, const char *label, double y)
{
	static struct cairn_msg_detections m;
	m = (struct cairn_msg_detections){
	    .x_m = 7.0, .y_m = y, .hfov_rad = 1.2, .vfov_rad = 0.9, .items_count = 1, .map_id = 1};
	struct cairn_msg_detection *d = &m.items[0];
	*d = (struct cairn_msg_detection){.confidence = 0.9f, .x_m = 9.0, .y_m = y, .box_m_count = 6};
	snprintf(d->label, sizeof(d->label), "%s", label);
	const float box[6] = {8.8f, (float)y - 0.2f, 0.0f, 9.2f, (float)y + 0.2f, 0.8f};
	memcpy(d->box_m, box, sizeof(box));
	cairn_scene_told(s, &m, 1.0);
}

static void report(struct cairn_msg_places *m, const char *name, struct cairn_vec2 at)
{
	struct cairn_msg_place *p = &m->items[m->items_count++];
	*p = (struct cairn_msg_place){.x_m = at.x_m, .y_m = at.y_m};
	snprintf(p->name, sizeof(p->name), "%s", name);
}

static void person_says(struct cairn_scene *s, const char *name, struct cairn_vec2 at)
{
	struct cairn_error err = {""};
	ck_assert_msg(cairn_scene_call(s, name, at, &err), "%s", err.text);
}

START_TEST(things_and_the_model_vote_for_a_room_s_name_and_a_person_outranks_them)
{
	static struct cairn_msg_places m;
	struct cairn_scene *s = empty_flat();
	ck_assert_int_eq((int)right(s)->named_by, CAIRN_SCENE_WITNESS_NONE);
	put_right(s, "fridge", 2.5);
	cairn_scene_call_rooms(s, &m);
	ck_assert_str_eq(right(s)->name, "kitchen");
	ck_assert_int_eq((int)right(s)->named_by, CAIRN_SCENE_WITNESS_THINGS);
	m.items_count = 0;
	report(&m, "bathroom", RIGHT);
	report(&m, "hall", LEFT);
	cairn_scene_call_rooms(s, &m);
	ck_assert_str_eq(right(s)->id, "bathroom"); /* one thing does not outweigh the model */
	ck_assert_str_eq(cairn_scene_room_at(s, LEFT)->name, "hall");
	put_right(s, "stove", 3.5);
	put_right(s, "dishwasher", 4.5);
	cairn_scene_call_rooms(s, &m);
	ck_assert_str_eq(right(s)->name, "kitchen"); /* three telling ones do */
	report(&m, "small kitchen", (struct cairn_vec2){9.0, 2.5});
	cairn_scene_call_rooms(
	    s, &m); /* its newest word replaces the older one, and the things speak for it */
	ck_assert_str_eq(right(s)->name, "small kitchen");
	ck_assert_int_eq((int)right(s)->named_by, CAIRN_SCENE_WITNESS_MODEL);
	person_says(s, "Anna's workshop", RIGHT);
	report(&m, "kitchen", RIGHT);
	cairn_scene_call_rooms(s, &m);
	ck_assert_str_eq(right(s)->name, "Anna's workshop");
	ck_assert_str_eq(right(s)->id, "annas_workshop");
	ck_assert_int_eq((int)right(s)->named_by, CAIRN_SCENE_WITNESS_PERSON);
	person_says(s, "studio", RIGHT);
	ck_assert_str_eq(right(s)->name, "studio");
	ck_assert_str_eq(cairn_scene_room_at(s, LEFT)->name, "hall");
	person_says(s, "-", RIGHT);
	ck_assert_str_eq(right(s)->name, "kitchen");
	cairn_scene_destroy(&s);
}
END_TEST

START_TEST(names_of_rooms_outlive_a_restart_and_a_new_division)
{
	static struct cairn_msg_places m;
	struct cairn_error err = {""};
	size_t bytes;
	struct cairn_scene *s = empty_flat(), *next = cairn_scene_new(&cfg);
	report(&m, "hall", LEFT);
	cairn_scene_call_rooms(s, &m);
	person_says(s, "studio", RIGHT);
	char *text = cairn_scene_write(s, &bytes);
	ck_assert_msg(cairn_scene_read(next, text, bytes, &err), "%s", err.text);
	free(text);
	struct cairn_scene_grid g = {cells, SIDE, SIDE, 0.0, 0.0, CELL_M};
	ck_assert(cairn_scene_on_grid(next, &g, (struct cairn_pose2){3.0, 3.0, 0.0}, NULL));
	ck_assert_str_eq(right(next)->name, "studio");
	ck_assert_int_eq((int)right(next)->named_by, CAIRN_SCENE_WITNESS_PERSON);
	ck_assert_str_eq(cairn_scene_room_at(next, LEFT)->name, "hall");
	m.items_count = 0;
	report(&m, "kitchen", RIGHT); /* the first report of the new run is of another room */
	cairn_scene_call_rooms(next, &m);
	ck_assert_str_eq(right(next)->name, "studio");
	ck_assert_str_eq(cairn_scene_room_at(next, LEFT)->name, "hall");
	cairn_scene_destroy(&next);
	cairn_scene_destroy(&s);
}
END_TEST

START_TEST(a_person_s_word_goes_with_the_floor_that_it_was_said_of)
{
	cairn_config_defaults(&cfg);
	struct cairn_scene *s = cairn_scene_new(&cfg);
	struct cairn_scene_grid g = {cells, SIDE, SIDE, 0.0, 0.0, CELL_M};
	struct cairn_pose2 robot = {3.0, 3.0, 0.0};
	draw_flat();
	fill(6.0, 2.0, 6.1, 6.0, 0); /* the wall is not seen yet: one room */
	ck_assert(cairn_scene_on_grid(s, &g, robot, NULL));
	ck_assert_ptr_eq(cairn_scene_room_at(s, LEFT), right(s));
	person_says(s, "studio", RIGHT);
	ck_assert_str_eq(cairn_scene_room_at(s, LEFT)->name, "studio");
	draw_flat();
	ck_assert(cairn_scene_on_grid(s, &g, robot, NULL));
	ck_assert_str_eq(right(s)->name, "studio");
	ck_assert_str_eq(cairn_scene_room_at(s, LEFT)->name, "");
	cairn_scene_map(s, 1);
	cairn_scene_map(s, 2); /* another home */
	ck_assert(cairn_scene_on_grid(s, &g, robot, NULL));
	ck_assert_str_eq(right(s)->name, "");
	cairn_scene_destroy(&s);
}
END_TEST

static const char *command(
    struct cairn_scene *s, const char *arg, const struct cairn_pose2 *robot, bool expect)
{
	static struct cairn_msg_reply reply;
	struct cairn_msg_command c = {.verb = "call"};
	snprintf(c.arg, sizeof(c.arg), "%s", arg);
	reply = (struct cairn_msg_reply){.ok = false};
	cairn_scene_command(s, &c, robot, 1.0, &reply);
	ck_assert_msg(reply.ok == expect, "%s: %s", arg, reply.text);
	return reply.text;
}

START_TEST(the_service_names_the_robot_s_room_or_the_one_at_a_point_and_refuses_the_rest)
{
	struct cairn_scene *s = empty_flat();
	const struct cairn_pose2 robot = {3.0, 3.0, 0.0};
	(void)command(s, "living room", &robot, true);
	ck_assert_str_eq(cairn_scene_room_at(s, LEFT)->name, "living room");
	(void)command(s, "desk at the window at 8.0 3", NULL, true);
	ck_assert_str_eq(right(s)->name, "desk at the window");
	uint64_t version = cairn_scene_version(s);
	ck_assert_ptr_nonnull(strstr(command(s, "study", NULL, false), "where the robot is"));
	ck_assert_ptr_nonnull(strstr(command(s, "study at 8", &robot, false), "at X Y"));
	ck_assert_ptr_nonnull(strstr(command(s, "study at 8 nan", &robot, false), "at X Y"));
	ck_assert_ptr_nonnull(strstr(command(s, "study at 8 3 1", &robot, false), "at X Y"));
	ck_assert_ptr_nonnull(strstr(command(s, "study at 80 3", &robot, false), "no room is known"));
	ck_assert_ptr_nonnull(strstr(command(s, "", &robot, false), "1 to 39 bytes"));
	ck_assert_ptr_nonnull(
	    strstr(command(s, "a name of a room that has more than 39 bytes", &robot, false), "1 to 39"));
	ck_assert_uint_eq(cairn_scene_version(s), version); /* nothing was changed by what was refused */
	(void)command(s, "\x1b[31mred\x07 room", &robot, true);
	ck_assert_ptr_null(strchr(cairn_scene_room_at(s, LEFT)->name, '\x1b'));
	(void)command(s, "-", &robot, true);
	ck_assert_ptr_nonnull(strstr(command(s, "-", &robot, false), "nobody"));
	cairn_scene_destroy(&s);
}
END_TEST

CAIRN_TEST_MAIN("rooms", a_doorway_divides_two_rooms_whichever_way_the_walls_run,
    a_table_in_a_room_and_an_open_door_leaf_divide_nothing,
    an_opening_of_two_metres_in_a_wall_and_a_closet_s_narrow_door_divide,
    a_doorway_divides_though_furniture_hides_one_side_of_each_wall_beside_it,
    doors_on_both_sides_of_a_corridor_do_not_divide_it,
    rooms_keep_their_numbers_while_the_map_grows_and_moves,
    an_approach_stands_free_faces_the_thing_and_can_be_reached, what_no_way_leads_to_is_blocked_and_says_why,
    things_and_the_model_vote_for_a_room_s_name_and_a_person_outranks_them,
    names_of_rooms_outlive_a_restart_and_a_new_division,
    a_person_s_word_goes_with_the_floor_that_it_was_said_of,
    the_service_names_the_robot_s_room_or_the_one_at_a_point_and_refuses_the_rest)
