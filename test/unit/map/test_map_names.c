#include "common/map/map_names.h"

#include <stdlib.h>

#include "common/base/rng.h"
#include "common/map/picture.h"
#include "test/support/runner.h"

#define THINGS 200
#define SIDE_PX 400

static struct cairn_msg_scene_node nodes[THINGS];
static struct cairn_map_name names[CAIRN_MAP_NAMES];

static struct cairn_msg_scene_node *node(
    uint32_t i, enum cairn_scene_kind kind, const char *label, double x, double y, double size)
{
	struct cairn_msg_scene_node *n = &nodes[i];
	*n = (struct cairn_msg_scene_node){.kind = kind, .x_m = x, .y_m = y, .box_m_count = 6};
	snprintf(n->id, sizeof(n->id), "%.40s_%u", label, i);
	snprintf(n->label, sizeof(n->label), "%s", label);
	for (int k = 0; k < 3; k++) {
		n->box_m[k] = (float)((k == 0 ? x : y) - 0.5 * size);
		n->box_m[k + 3] = (float)((k == 0 ? x : y) + 0.5 * size);
	}
	return n;
}

START_TEST(rooms_are_named_first_then_people_then_the_largest_things_and_no_stale_ones)
{
	node(0, CAIRN_SCENE_KIND_OBJECT, "cup", 1.0, 1.0, 0.1);
	node(1, CAIRN_SCENE_KIND_OBJECT, "sofa", 1.0, 1.0, 2.0);
	node(2, CAIRN_SCENE_KIND_AGENT, "person", 1.0, 1.0, 0.4);
	node(3, CAIRN_SCENE_KIND_OBJECT, "bed", 1.0, 1.0, 2.2)->stale = true;
	node(4, CAIRN_SCENE_KIND_PLACE, "at_sofa", 1.0, 1.0, 0.0);
	node(5, CAIRN_SCENE_KIND_ROOM, "kitchen", 1.0, 1.0, 0.0);
	node(6, CAIRN_SCENE_KIND_ROOM, "", 3.0, 1.0, 0.0);
	snprintf(nodes[6].id, sizeof(nodes[6].id), "room_2");
	ck_assert_uint_eq(cairn_map_names_pick(nodes, 7, names), 5);
	const char *const expect[] = {"kitchen", "room_2", "person", "sofa", "cup"};
	for (int i = 0; i < 5; i++)
		ck_assert_str_eq(names[i].text, expect[i]);
}
END_TEST

/* Two hundred things in one heap: what is shown is few, on the paper, and nothing covers anything. */
START_TEST(no_name_covers_another_or_a_mark_or_leaves_the_paper)
{
	struct cairn_rng rng;
	const struct cairn_map_rect paper = {10.0, 20.0, 300.0, 200.0}, mark = {100.0, 100.0, 22.0, 22.0};
	cairn_rng_seed(&rng, 3, 1);
	for (int round = 0; round < CAIRN_ROUNDS(50); round++) {
		uint32_t shown = 0;
		for (uint32_t i = 0; i < THINGS; i++)
			node(i, i < 30 ? CAIRN_SCENE_KIND_ROOM : CAIRN_SCENE_KIND_OBJECT, "thing", 0.0, 0.0,
			    cairn_rng_uniform(&rng));
		uint32_t n = cairn_map_names_pick(nodes, THINGS, names);
		ck_assert_uint_eq(n, CAIRN_MAP_NAMES);
		for (uint32_t i = 0; i < n; i++) {
			ck_assert_int_eq((int)names[i].node->kind,
			    i < CAIRN_MAP_NAME_ROOMS ? CAIRN_SCENE_KIND_ROOM : CAIRN_SCENE_KIND_OBJECT);
			names[i].x = 320.0 * cairn_rng_uniform(&rng);
			names[i].y = 240.0 * cairn_rng_uniform(&rng);
			names[i].width = 20.0 + 60.0 * cairn_rng_uniform(&rng);
			names[i].height = 14.0;
		}
		cairn_map_names_lay(names, n, &mark, 1, paper);
		for (uint32_t i = 0; i < n; i++) {
			const struct cairn_map_rect *a = &names[i].at;
			if (!names[i].shown)
				continue;
			shown++;
			ck_assert(a->left >= 10.0 && a->top >= 20.0 && a->left + a->width <= 310.0 &&
				  a->top + a->height <= 220.0);
			for (uint32_t k = 0; k <= i; k++) {
				const struct cairn_map_rect *b = k < i ? &names[k].at : &mark;
				bool apart = a->left + a->width <= b->left || b->left + b->width <= a->left ||
					     a->top + a->height <= b->top || b->top + b->height <= a->top;
				ck_assert_msg(apart || (k < i && !names[k].shown), "%u covers %u", i, k);
			}
		}
		ck_assert_uint_ge(shown, 8);
	}
}
END_TEST

START_TEST(a_thing_s_name_stands_beside_it_and_a_room_s_in_its_middle)
{
	const struct cairn_map_rect paper = {0.0, 0.0, 300.0, 300.0};
	node(0, CAIRN_SCENE_KIND_ROOM, "hall", 0.0, 0.0, 0.0);
	node(1, CAIRN_SCENE_KIND_OBJECT, "sofa", 0.0, 0.0, 1.0);
	uint32_t n = cairn_map_names_pick(nodes, 2, names);
	for (uint32_t i = 0; i < n; i++) {
		names[i].x = 150.0;
		names[i].y = 100.0 + 100.0 * i;
		names[i].width = 40.0;
		names[i].height = 14.0;
	}
	cairn_map_names_lay(names, n, NULL, 0, paper);
	ck_assert(names[0].shown && names[1].shown);
	ck_assert_double_eq_tol(names[0].at.left, 130.0, 1e-9);
	ck_assert_double_eq_tol(names[0].at.top, 93.0, 1e-9);
	ck_assert_double_gt(names[1].at.left, 150.0);
	ck_assert_double_lt(names[1].at.left, 160.0);
}
END_TEST

/* Pixels of a colour in a square around a point of the picture. */
static int count_near(const uint8_t *rgb, int x, int y, int reach, const int colour[3])
{
	int n = 0;
	for (int v = y - reach; v < y + reach; v++)
		for (int u = x - reach; u < x + reach; u++) {
			const uint8_t *p = &rgb[3 * (v * SIDE_PX + u)];
			n += abs(p[0] - colour[0]) < 40 && abs(p[1] - colour[1]) < 40 &&
			     abs(p[2] - colour[2]) < 40;
		}
	return n;
}

static uint8_t *drawn(const struct cairn_picture *p)
{
	struct cairn_error err = {""};
	const struct cairn_board_area whole = {0, 0, SIDE_PX, SIDE_PX};
	struct cairn_board *board = cairn_board_new(SIDE_PX, SIDE_PX, &err);
	uint8_t *rgb = malloc((size_t)3 * SIDE_PX * SIDE_PX);
	ck_assert(board != NULL && rgb != NULL);
	cairn_board_clear(board);
	ck_assert_msg(cairn_board_draw(board, p, &whole, &err), "%s", err.text);
	cairn_board_rgb(board, rgb);
	cairn_board_destroy(&board);
	return rgb;
}

START_TEST(the_drawn_map_shows_things_and_names_and_each_found_thing_once)
{
	static uint8_t cells[40 * 40]; /* all free: 2 m by 2 m */
	static const int thing[3] = {51, 82, 115};
	struct cairn_msg_discovery found = {
	    .kind = CAIRN_SIGNIFICANCE_OBJECT, .label = "Sofa", .x_m = 0.3, .y_m = 1.7};
	struct cairn_picture p = {.cells = cells,
	    .width = 40,
	    .height = 40,
	    .stride_bytes = 40,
	    .cell_m = 0.05,
	    .discoveries = &found,
	    .discovery_count = 1};
	uint8_t *without = drawn(&p);
	node(0, CAIRN_SCENE_KIND_OBJECT, "sofa", 1.0, 1.0, 0.5);
	node(1, CAIRN_SCENE_KIND_ROOM, "den", 1.6, 1.0, 0.0);
	p.nodes = nodes;
	p.node_count = 2;
	uint8_t *with = drawn(&p);
	/* x is up and y to the left: the middle of the map is the middle of the picture, near enough. */
	ck_assert_int_lt(count_near(without, 200, 200, 90, thing), 20);
	ck_assert_int_gt(count_near(with, 200, 200, 90, thing), 50); /* a name, and lines of a box */
	ck_assert_int_gt(
	    count_near(without, 80, 320, 50, thing), 20);          /* the discovery, seen from its corner, */
	ck_assert_int_lt(count_near(with, 80, 320, 50, thing), 5); /* is the sofa of the graph */
	free(without);
	free(with);
}
END_TEST

START_TEST(a_gap_that_is_too_narrow_has_a_ring_and_its_width_once)
{
	static uint8_t cells[40 * 40];
	static const int gap[3] = {217, 38, 38};
	struct cairn_msg_frontier items[2] = {{.id = 1, .x_m = 0.3, .y_m = 0.3, .distance_m = -1.0},
	    {.id = 2, .x_m = 0.3, .y_m = 1.7, .distance_m = -1.0}};
	struct cairn_picture p = {.cells = cells,
	    .width = 40,
	    .height = 40,
	    .stride_bytes = 40,
	    .cell_m = 0.05,
	    .frontiers = items,
	    .frontier_count = 2};
	uint8_t *without = drawn(&p);
	for (int i = 0; i < 2; i++) {
		items[i].gap_m = 0.33;
		items[i].gap_x_m = items[i].gap_y_m = 1.0;
	}
	uint8_t *two = drawn(&p);
	p.frontier_count = 1;
	items[0].id = 2; /* the numbers differ only where the frontiers are */
	uint8_t *one = drawn(&p);
	ck_assert_int_eq(count_near(without, 200, 200, 60, gap), 0);
	ck_assert_int_gt(count_near(two, 200, 200, 60, gap), 100);
	ck_assert_int_eq(count_near(two, 200, 200, 60, gap), count_near(one, 200, 200, 60, gap));
	free(without);
	free(one);
	free(two);
}
END_TEST

CAIRN_TEST_MAIN("map-names", rooms_are_named_first_then_people_then_the_largest_things_and_no_stale_ones,
    no_name_covers_another_or_a_mark_or_leaves_the_paper,
    a_thing_s_name_stands_beside_it_and_a_room_s_in_its_middle,
    the_drawn_map_shows_things_and_names_and_each_found_thing_once,
    a_gap_that_is_too_narrow_has_a_ring_and_its_width_once)
