/* The map in the agent's memory: what its picture shows, and that the model is given it once each time that it has changed enough. */
#include <math.h>

#include "common/agent/memory_map.h"
#include "common/percept/jpeg.h"
#include "test/support/agent_rig.h"
#include "test/support/runner.h"

#define SIDE 80 /* cells of 0.1 m, from (-4, -4) */
#define MAP 7

static uint8_t cells[SIDE * SIDE];

/* A room with walls all round; what lies beyond x = `to` cells is unknown. */
static struct cairn_scene_grid room(int to)
{
	memset(cells, 255, sizeof(cells));
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < to; x++)
			cells[y * SIDE + x] = x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1 ? 100 : 0;
	return (struct cairn_scene_grid){cells, SIDE, SIDE, -4.0, -4.0, 0.1};
}

struct pixel {
	int r, g, b;
};

static uint8_t rgb[3 * CAIRN_MEMORY_MAP_PX * CAIRN_MEMORY_MAP_PX];

/* 80 cells and 4 on each side are 88; 5 pixels each, as 88 * 5 = 440 of 466 rows between the head of 12 and the foot of 34. The left edge is
 * (512 - 440) / 2 = 36, the upper one 12 + (466 - 440) / 2 = 25; x goes up, y to the left, and cell 83 is the last one. */
static struct pixel at(double x_m, double y_m)
{
	int px = (int)(36.0 + (84.0 - (y_m + 4.0) / 0.1) * 5.0),
	    py = (int)(25.0 + (84.0 - (x_m + 4.0) / 0.1) * 5.0);
	const uint8_t *p = &rgb[3 * (py * CAIRN_MEMORY_MAP_PX + px)];
	return (struct pixel){p[0], p[1], p[2]};
}

static bool is(struct pixel p, int r, int g, int b)
{
	return abs(p.r - r) < 24 && abs(p.g - g) < 24 && abs(p.b - b) < 24;
}

static void ck_colour(double x_m, double y_m, int r, int g, int b)
{
	struct pixel p = at(x_m, y_m);
	ck_assert_msg(is(p, r, g, b), "(%g, %g) is %d %d %d", x_m, y_m, p.r, p.g, p.b);
}

START_TEST(it_shows_the_way_the_landmarks_and_where_the_camera_has_looked)
{
	static struct cairn_agent_world w;
	struct cairn_config cfg;
	struct cairn_error err = {""};
	struct cairn_agent_ids labels = {1, {"sofa"}};
	struct cairn_scene_grid grid = room(SIDE);
	uint32_t number;
	size_t bytes;
	cairn_config_defaults(&cfg);
	struct cairn_memory_map *m = cairn_memory_map_new(&cfg, &err);
	ck_assert_msg(m != NULL, "%s", err.text);
	w = (struct cairn_agent_world){.use_scene = true, .use_map = true, .has_pose = true};
	w.coverage = cairn_coverage_new();
	ck_assert_uint_eq(cairn_memory_map_draw(m, &w, &labels), 0); /* there is no map yet */
	ck_assert_ptr_null(cairn_memory_map_jpeg(m, &number, &bytes));
	cairn_memory_map_on_grid(m, &grid);
	cairn_coverage_map(w.coverage, MAP);
	cairn_coverage_on_grid(w.coverage, &grid);
	/* Two pictures from (0, 0) along -x show 3 m of the floor there. */
	struct cairn_msg_detections seen = {.yaw_rad = M_PI, .hfov_rad = 1.2, .map_id = MAP};
	cairn_coverage_on_picture(w.coverage, &seen);
	cairn_coverage_on_picture(w.coverage, &seen);
	for (int i = 0; i <= 20; i++)
		cairn_memory_map_on_pose(m, (struct cairn_pose2){0.1 * i, 0.0, 0.0}, MAP);
	/* A sofa from (1, 1.5) to (3, 3.5). */
	w.scene.nodes[w.scene.nodes_count++] = (struct cairn_msg_scene_node){.kind = CAIRN_SCENE_KIND_OBJECT,
	    .id = "sofa_1",
	    .label = "sofa",
	    .x_m = 1.5,
	    .y_m = 2.0,
	    .box_m_count = 6,
	    .box_m = {1.0f, 1.5f, 0.0f, 3.0f, 3.5f, 0.8f}};
	ck_assert_uint_eq(cairn_memory_map_draw(m, &w, &labels), 1);
	const uint8_t *jpeg = cairn_memory_map_jpeg(m, &number, &bytes);
	ck_assert(jpeg != NULL && number == 1);
	ck_assert_msg(cairn_jpeg_decode(jpeg, bytes, CAIRN_MEMORY_MAP_PX, CAIRN_MEMORY_MAP_PX, rgb, &err),
	    "%s", err.text);
	ck_colour(-2.0, -3.0, 255, 255, 255); /* floor behind the camera's edge */
	ck_colour(-1.5, 0.05, 189, 229, 189); /* looked at */
	ck_colour(-3.95, 1.0, 20, 20, 20);    /* the wall */
	ck_colour(-4.3, 1.0, 184, 189, 194);  /* beyond it */
	ck_colour(2.8, 3.3, 204, 212, 220);   /* the sofa: a quarter of its blue over white */
	struct pixel way = at(1.0, 0.0), beside = at(1.0, -0.8);
	ck_assert_msg(way.b > way.r + 60, "the way is %d %d %d", way.r, way.g, way.b);
	ck_assert(is(beside, 255, 255, 255));
	struct pixel robot = at(2.05, 0.0);
	ck_assert_msg(robot.g > robot.r + 60 && robot.g > robot.b + 40, "the robot is %d %d %d", robot.r,
	    robot.g, robot.b);
	/* Nothing has changed; then one more thing that matters; then little floor, then much. */
	ck_assert_uint_eq(cairn_memory_map_draw(m, &w, &labels), 1);
	w.scene.nodes[w.scene.nodes_count++] =
	    (struct cairn_msg_scene_node){.kind = CAIRN_SCENE_KIND_OBJECT, .id = "cat_2", .label = "cat"};
	ck_assert_uint_eq(cairn_memory_map_draw(m, &w, &labels), 1); /* no label of the task */
	snprintf(w.scene.nodes[1].label, sizeof(w.scene.nodes[1].label), "small sofa");
	ck_assert_uint_eq(cairn_memory_map_draw(m, &w, &labels), 2);
	grid = room(SIDE - 10); /* 8 m2 less are known */
	cairn_memory_map_on_grid(m, &grid);
	ck_assert_uint_eq(cairn_memory_map_draw(m, &w, &labels), 2);
	grid = room(SIDE - 20); /* 16 m2 */
	cairn_memory_map_on_grid(m, &grid);
	ck_assert_uint_eq(cairn_memory_map_draw(m, &w, &labels), 3);
	cairn_memory_map_begin(m); /* another task has no picture yet, and its first one is new */
	ck_assert_ptr_null(cairn_memory_map_jpeg(m, &number, &bytes));
	ck_assert_uint_eq(cairn_memory_map_draw(m, &w, &labels), 4);
	cairn_memory_map_destroy(&m);
	cairn_coverage_free(&w.coverage);
}
END_TEST

static uint32_t count(const char *text, const char *what)
{
	uint32_t n = 0;
	for (const char *p = text; (p = strstr(p, what)) != NULL; p++)
		n++;
	return n;
}

#define PICTURE "data:image/jpeg;base64,"
#define NOT_AGAIN "has changed little: it is not sent again"

/* The rig's four openings are looked into one by one, with one query of the kind explore; three things come in sight. */
static struct rig *drive(bool with_pictures, int known)
{
	struct rig *r = rig_house();
	struct cairn_scene_grid grid = room(known);
	r->cfg.agent.use_pictures = with_pictures;
	cairn_agent_on_grid(r->agent, &grid);
	rig_task(r, "How many chairs are there?");
	ck_assert(rig_run(r, 120.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_DONE);
	return r;
}

START_TEST(the_model_is_given_it_once_each_time_that_it_has_changed)
{
	struct rig *r = drive(true, SIDE);
	const char *text = r->bodies.data;
	/* As the openings are chosen there is no chair, as the memory is written there are two: two drawings. */
	ck_assert_uint_eq(count(text, PICTURE), 2);
	ck_assert_uint_eq(count(text, "Map 1 is in the picture"), 1);
	ck_assert_uint_eq(count(text, "Map 2 is in the picture"), 1);
	ck_assert_uint_eq(count(text, "Map 3"), 0);
	uint32_t number;
	size_t bytes;
	ck_assert(cairn_agent_map(r->agent, &number, &bytes) != NULL && number == 2);
	/* Another task in the same house: drawn anew, and then not again. */
	uint32_t before = count(text, PICTURE);
	rig_task(r, "How many sofas are there?");
	r->reply_to = CAIRN_AGENT_NEXT_STEP; /* its model writes the memory over and over */
	r->reply = "{\"reasoning\":\"r\",\"kind\":\"getinfo\",\"step\":\"2. Getinfo(sofas)\"}";
	(void)rig_run(r, 20.0);
	ck_assert_uint_gt(count(r->bodies.data, "Map 3, which you were given before, " NOT_AGAIN), 0);
	ck_assert_uint_eq(count(r->bodies.data, PICTURE), before + 1);
	rig_free(r);
}
END_TEST

START_TEST(without_pictures_or_a_map_nothing_is_drawn)
{
	uint32_t number;
	size_t bytes;
	struct rig *r = drive(false, SIDE);
	ck_assert_uint_eq(count(r->bodies.data, PICTURE), 0);
	ck_assert_uint_eq(count(r->bodies.data, "is in the picture"), 0);
	ck_assert_ptr_null(cairn_agent_map(r->agent, &number, &bytes));
	rig_free(r);
}
END_TEST

START_TEST(a_picture_that_nobody_has_taken_goes_out_again)
{
	struct rig *r = rig_house();
	struct cairn_scene_grid grid = room(SIDE);
	cairn_agent_on_grid(r->agent, &grid);
	r->reply_to = CAIRN_AGENT_CHOOSE_OPENING;
	r->reply = "{\"nonsense\":1}";
	rig_task(r, "How many chairs are there?");
	(void)rig_run(r, 60.0);
	ck_assert_int_eq(r->out.limit, CAIRN_AGENT_LIMIT_ERRORS);
	ck_assert_uint_eq(count(r->bodies.data, PICTURE), (unsigned)r->cfg.agent.limit_function_errors);
	ck_assert_uint_eq(count(r->bodies.data, NOT_AGAIN), 0);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("agent map", it_shows_the_way_the_landmarks_and_where_the_camera_has_looked,
    the_model_is_given_it_once_each_time_that_it_has_changed, without_pictures_or_a_map_nothing_is_drawn,
    a_picture_that_nobody_has_taken_goes_out_again)
