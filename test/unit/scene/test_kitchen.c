/* One kitchen, by hand: a counter along the wall, a cupboard on it with a cup inside, cups at the counter's edge and at its back, a low table
 * with a bowl; beyond a doorway an empty hall. What the graph says of it, and where to stand. */
#include <math.h>
#include <stdlib.h>

#include "common/scene/rooms.h"
#include "common/scene/scene.h"
#include "common/scene/scene_answer.h"
#include "test/support/runner.h"

#define SIDE 260
#define CELL_M 0.05
#define EDGES 64

static uint8_t cells[SIDE * SIDE];
static struct cairn_config cfg;
static struct cairn_scene *scene;
static struct cairn_msg_detections m;
static struct cairn_msg_reply reply;
static const struct cairn_pose2 robot = {3.0, 3.0, 0.0};

static void fill(double x0, double y0, double x1, double y1, uint8_t value)
{
	for (int y = (int)lround(y0 / CELL_M); y < (int)lround(y1 / CELL_M); y++)
		for (int x = (int)lround(x0 / CELL_M); x < (int)lround(x1 / CELL_M); x++)
			cells[y * SIDE + x] = value;
}

static void put(const char *label, const char *colour, const float box[6])
{
	struct cairn_msg_detection *d = &m.items[m.items_count++];
	*d = (struct cairn_msg_detection){.confidence = 0.9f,
	    .x_m = 0.5 * (double)(box[0] + box[3]),
	    .y_m = 0.5 * (double)(box[1] + box[4]),
	    .z_m = 0.5 * (double)(box[2] + box[5]),
	    .box_m_count = 6};
	snprintf(d->label, sizeof(d->label), "%s", label);
	snprintf(d->colour, sizeof(d->colour), "%s", colour);
	memcpy(d->box_m, box, 6 * sizeof(*box));
}

static void divide(void)
{
	static struct cairn_msg_features doors = {.doorways_count = 1};
	doors.doorways[0] = (struct cairn_msg_doorway){.id = 1, .x_m = 6.05, .y_m = 3.95, .width_m = 0.9};
	struct cairn_scene_grid g = {cells, SIDE, SIDE, 0.0, 0.0, CELL_M};
	ck_assert(cairn_scene_on_grid(scene, &g, robot, &doors));
}

/* All things that are there, moved by dx: the whole picture, from the middle of the kitchen. */
static void look(float dx, double unix_s)
{
	m = (struct cairn_msg_detections){
	    .x_m = 7.2, .y_m = 3.5, .hfov_rad = 1.2, .vfov_rad = 0.95, .map_id = 1};
	put("counter", "white", (float[]){9.3f, 2.2f, 0.0f, 10.1f, 4.6f, 0.9f});
	put("cupboard", "brown", (float[]){9.5f, 2.3f, 0.9f, 10.0f, 2.9f, 1.5f});
	put("cup", "red", (float[]){9.7f + dx, 2.5f, 1.0f, 9.8f + dx, 2.6f, 1.1f});
	put("mug", "blue", (float[]){9.32f + dx, 3.4f, 0.9f, 9.42f + dx, 3.5f, 1.0f});
	put("kettle", "", (float[]){9.96f, 4.2f, 0.9f, 10.06f, 4.3f, 1.0f});
	put("table", "brown", (float[]){7.5f, 4.9f, 0.0f, 8.3f, 5.5f, 0.4f});
	put("bowl", "green", (float[]){7.8f + dx, 5.1f, 0.4f, 7.95f + dx, 5.25f, 0.5f});
	cairn_scene_told(scene, &m, unix_s);
}

static void set_up(void)
{
	cairn_config_defaults(&cfg);
	scene = cairn_scene_new(&cfg);
	ck_assert_ptr_nonnull(scene);
	memset(cells, 255, sizeof(cells));
	fill(1.9, 1.9, 10.2, 6.1, 100);
	fill(2.0, 2.0, 6.0, 6.0, 0);
	fill(6.1, 2.0, 10.1, 6.0, 0);
	fill(6.0, 3.5, 6.1, 4.4, 0);
	fill(9.3, 2.2, 10.1, 4.6, 100); /* the counter reaches down to the floor */
	fill(7.5, 4.9, 8.3, 5.5, 100);
	divide();
	look(0.0f, 1000.0);
	divide();
}

static void tear_down(void)
{
	cairn_scene_destroy(&scene);
}

static bool has_edge(const char *src, enum cairn_scene_relation relation, const char *dst)
{
	struct cairn_scene_edge e[EDGES];
	for (int side = 0; side < 2; side++) {
		uint32_t n = cairn_scene_edges(scene, side == 0 ? src : dst, e, EDGES);
		for (uint32_t i = 0; i < n; i++)
			if (e[i].relation == relation && strcmp(e[i].src, src) == 0 &&
			    strcmp(e[i].dst, dst) == 0)
				return true;
	}
	return false;
}

static const struct cairn_scene_place *place(const char *id)
{
	const struct cairn_scene_place *p;
	uint32_t n = cairn_scene_places(scene, &p);
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(p[i].id, id) == 0)
			return &p[i];
	return NULL;
}

static struct cairn_scene_match recall(const char *text)
{
	struct cairn_scene_match found;
	struct cairn_scene_query q = {.text = text, .robot = &robot};
	ck_assert_msg(cairn_scene_recall(scene, &q, &found, 1) == 1, "no %s", text);
	return found;
}

START_TEST(things_of_a_kitchen_have_the_attributes_of_what_they_are)
{
	set_up();
	struct cairn_msg_scene *out = malloc(sizeof(*out));
	int seen = 0;
	cairn_scene_message(scene, robot, out);
	for (uint32_t i = 0; i < out->nodes_count; i++) {
		const struct cairn_msg_scene_node *n = &out->nodes[i];
		bool cupboard = strcmp(n->id, "cupboard_1") == 0, cup = strcmp(n->id, "cup_1") == 0;
		if (n->kind != CAIRN_SCENE_KIND_OBJECT)
			continue;
		ck_assert_msg(n->container == cupboard || strcmp(n->id, "bowl_1") == 0, "%s", n->id);
		ck_assert_msg(n->occludes == cupboard, "%s", n->id);
		ck_assert_str_eq(n->room, "kitchen");
		if (cup)
			ck_assert_str_eq(n->colour, "red");
		seen += cupboard || cup;
	}
	ck_assert_int_eq(seen, 2);
	ck_assert_str_eq(out->here, "room_1");
	free(out);
	tear_down();
}
END_TEST

START_TEST(a_cup_in_a_cupboard_on_a_counter_is_in_the_one_and_the_cupboard_on_the_other)
{
	set_up();
	ck_assert(has_edge("cupboard_1", CAIRN_SCENE_RELATION_CONTAINS, "cup_1"));
	ck_assert(has_edge("cupboard_1", CAIRN_SCENE_RELATION_ON, "counter_1"));
	ck_assert(!has_edge("cup_1", CAIRN_SCENE_RELATION_ON, "counter_1")); /* a shelf is between them */
	ck_assert(has_edge("mug_1", CAIRN_SCENE_RELATION_ON, "counter_1"));
	ck_assert(!has_edge("cupboard_1", CAIRN_SCENE_RELATION_CONTAINS, "mug_1"));
	ck_assert(has_edge("bowl_1", CAIRN_SCENE_RELATION_ON, "table_1"));
	ck_assert(!has_edge("bowl_1", CAIRN_SCENE_RELATION_ON, "counter_1"));
	ck_assert(has_edge("kitchen", CAIRN_SCENE_RELATION_CONTAINS, "cup_1"));
	ck_assert(!has_edge("room_1", CAIRN_SCENE_RELATION_CONTAINS, "cup_1"));
	ck_assert(has_edge("mug_1", CAIRN_SCENE_RELATION_NEAR, "cupboard_1"));
	ck_assert(!has_edge("mug_1", CAIRN_SCENE_RELATION_NEAR, "table_1")); /* 1.8 m */
	tear_down();
}
END_TEST

START_TEST(places_are_in_the_middle_of_rooms_beside_doorways_and_in_front_of_containers_and_surfaces)
{
	set_up();
	static const char *const kitchen[] = {
	    "middle_of_kitchen", "doorway_1_front", "at_counter_1", "at_table_1"};
	for (size_t i = 0; i < sizeof(kitchen) / sizeof(kitchen[0]); i++) {
		const struct cairn_scene_place *p = place(kitchen[i]);
		ck_assert_msg(p != NULL, "no %s", kitchen[i]);
		ck_assert_msg(p->at.x_m > 6.1 && p->at.x_m < 10.1, "%s", kitchen[i]);
		ck_assert_msg(cairn_rooms_clear_m(cairn_scene_floor(scene), p->at.x_m, p->at.y_m) >
				  cfg.robot.footprint_half_width_m,
		    "%s", kitchen[i]);
		ck_assert(has_edge("kitchen", CAIRN_SCENE_RELATION_CONTAINS, kitchen[i]));
		if (i > 0)
			ck_assert_msg(has_edge(kitchen[i], CAIRN_SCENE_RELATION_TRAVERSABLE_TO, kitchen[0]),
			    "%s", kitchen[i]);
	}
	ck_assert(has_edge("counter_1", CAIRN_SCENE_RELATION_AT_PLACE, "at_counter_1"));
	ck_assert(has_edge("table_1", CAIRN_SCENE_RELATION_AT_PLACE, "at_table_1"));
	ck_assert_ptr_null(place("at_mug_1"));
	const struct cairn_scene_place *p = place("at_counter_1");
	ck_assert_double_lt(p->at.x_m, 9.3 - cfg.scene.standoff_m);
	ck_assert_double_lt(
	    fabs(cairn_wrap_rad(atan2(3.4 - p->at.y_m, 9.7 - p->at.x_m) - p->at.yaw_rad)), 0.35);
	/* Through the doorway, and to no place on the other side but that. */
	ck_assert(has_edge("doorway_1_front", CAIRN_SCENE_RELATION_TRAVERSABLE_TO, "doorway_1_back"));
	ck_assert(has_edge("doorway_1_back", CAIRN_SCENE_RELATION_TRAVERSABLE_TO, "middle_of_room_1"));
	ck_assert(!has_edge("at_table_1", CAIRN_SCENE_RELATION_TRAVERSABLE_TO, "middle_of_room_1"));
	fill(6.0, 3.5, 6.1, 4.4, 100); /* the door is shut */
	divide();
	ck_assert(!has_edge("doorway_1_front", CAIRN_SCENE_RELATION_TRAVERSABLE_TO, "doorway_1_back"));
	tear_down();
}
END_TEST

START_TEST(what_stands_at_the_edge_of_a_counter_is_seen_from_below_and_what_stands_at_its_back_is_not)
{
	set_up();
	struct cairn_scene_match edge = recall("mug"), back = recall("kettle");
	ck_assert_msg(!edge.view.blocked, "%s", edge.view.why);
	/* From the camera over the counter's edge to the mug's top: similar triangles, by hand. */
	double far = 9.37 - edge.view.at.x_m - cfg.robot.camera_x_m, over = far - 0.07;
	ck_assert_double_ge((1.0 - cfg.robot.camera_z_m) * over, (0.9 - cfg.robot.camera_z_m) * far - 0.05);
	ck_assert(back.view.blocked);
	ck_assert_ptr_nonnull(strstr(back.view.why, "hidden"));
	cfg.robot.camera_z_m = 1.2; /* a camera that looks down on the counter sees it */
	back = recall("kettle");
	ck_assert_msg(!back.view.blocked, "%s", back.view.why);
	tear_down();
}
END_TEST

START_TEST(ids_and_places_stay_when_things_move_a_little)
{
	set_up();
	for (int i = 1; i <= 4; i++) {
		look(i % 2 == 0 ? 0.0f : 0.04f, 1000.0 + i);
		divide();
	}
	const struct cairn_scene_object *o;
	uint32_t n = cairn_scene_objects(scene, &o), believed = 0;
	for (uint32_t i = 0; i < n; i++)
		believed += o[i].number != 0 && o[i].confirmed;
	ck_assert_uint_eq(believed, 7);
	ck_assert_str_eq(recall("cup").object->id, "cup_1");
	ck_assert_uint_eq(recall("cup").object->seen, 5);
	ck_assert(has_edge("cupboard_1", CAIRN_SCENE_RELATION_CONTAINS, "cup_1"));
	ck_assert_ptr_nonnull(place("at_counter_1"));
	ck_assert_ptr_nonnull(place("middle_of_kitchen"));
	tear_down();
}
END_TEST

/* The ids of the matches, in alphabetical order, or what was said where there are none. */
static const char *ask(const char *question)
{
	static char ids[256];
	const char *names[8] = {NULL};
	struct cairn_msg_command c = {.verb = "recall"};
	snprintf(c.arg, sizeof(c.arg), "%s", question);
	reply = (struct cairn_msg_reply){.ok = false};
	cairn_scene_command(scene, &c, &robot, 1010.0, &reply);
	if (!reply.ok)
		return reply.text;
	json_t *j = json_loads(reply.data, 0, NULL), *list = json_object_get(j, "matches");
	size_t count = json_array_size(list), used = 0;
	for (size_t i = 0; i < count; i++) {
		const char *id = json_string_value(json_object_get(json_array_get(list, i), "id"));
		size_t at = i;
		for (; at > 0 && strcmp(id, names[at - 1]) < 0; at--)
			names[at] = names[at - 1];
		names[at] = id;
	}
	ids[0] = '\0';
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(ids + used, sizeof(ids) - used, "%s%s", i > 0 ? " " : "", names[i]);
	json_decref(j);
	return ids;
}

START_TEST(one_asks_what_is_on_a_table_in_a_cupboard_and_in_a_room)
{
	set_up();
	ck_assert_str_eq(ask("{\"on\":\"table\"}"), "bowl_1");
	ck_assert_str_eq(ask("{\"on\":\"counter_1\"}"), "cupboard_1 kettle_1 mug_1");
	ck_assert_str_eq(ask("{\"on\":\"counter\",\"text\":\"mug\"}"), "mug_1");
	ck_assert_str_eq(ask("{\"in\":\"cupboard\"}"), "cup_1");
	ck_assert_str_eq(ask("{\"in\":\"brown cupboard\"}"), "cup_1");
	ck_assert_str_eq(ask("{\"in\":\"cupboard\",\"text\":\"mug\"}"), "not in memory");
	ck_assert_str_eq(ask("{\"in\":\"table\"}"), "not in memory");
	ck_assert_str_eq(ask("{\"on\":\"piano\"}"), "not in memory");
	ck_assert_str_eq(
	    ask("{\"room\":\"kitchen\"}"), "bowl_1 counter_1 cup_1 cupboard_1 kettle_1 mug_1 table_1");
	ck_assert_str_eq(ask("{\"room\":\"Kitchen\",\"text\":\"cup\"}"), "cup_1");
	ck_assert_str_eq(ask("{\"room\":\"room_1\"}"), "not in memory");
	ck_assert_ptr_nonnull(strstr(ask("{\"on\":7}"), "on, in"));
	tear_down();
}
END_TEST

/* The robot stands so that the line of sight, not its own heading, meets the thing. */
START_TEST(a_camera_turned_aside_is_turned_to_what_is_to_be_seen)
{
	set_up();
	cfg.robot.camera_y_m = 0.1;
	cfg.robot.camera_yaw_rad = 0.6;
	struct cairn_scene_match mug = recall("mug");
	ck_assert_msg(!mug.view.blocked, "%s", mug.view.why);
	const struct cairn_scene_box *box = &mug.object->box;
	struct cairn_vec2 eye =
	    cairn_pose_apply(mug.view.at, (struct cairn_vec2){cfg.robot.camera_x_m, cfg.robot.camera_y_m});
	double to_mug_rad =
	    atan2(0.5 * (box->min[1] + box->max[1]) - eye.y_m, 0.5 * (box->min[0] + box->max[0]) - eye.x_m);
	ck_assert_double_eq_tol(cairn_wrap_rad(to_mug_rad - mug.view.at.yaw_rad), 0.6, 1e-6);
	tear_down();
}
END_TEST

CAIRN_TEST_MAIN("kitchen", things_of_a_kitchen_have_the_attributes_of_what_they_are,
    a_cup_in_a_cupboard_on_a_counter_is_in_the_one_and_the_cupboard_on_the_other,
    places_are_in_the_middle_of_rooms_beside_doorways_and_in_front_of_containers_and_surfaces,
    what_stands_at_the_edge_of_a_counter_is_seen_from_below_and_what_stands_at_its_back_is_not,
    ids_and_places_stay_when_things_move_a_little, one_asks_what_is_on_a_table_in_a_cupboard_and_in_a_room,
    a_camera_turned_aside_is_turned_to_what_is_to_be_seen)
