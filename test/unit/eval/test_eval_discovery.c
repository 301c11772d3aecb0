/* What a model says it has found, judged by what is there. */
#include "common/eval/discovery.h"

#include <stdio.h>

#include "test/support/runner.h"

static struct cairn_world *world;
static struct cairn_discoveries *found;

static void enter(const char *path)
{
	struct cairn_error err = {""};
	world = cairn_world_load(path, &err);
	ck_assert_msg(world != NULL, "%s", err.text);
	found = cairn_discoveries_new(world);
	ck_assert_ptr_nonnull(found);
}

static void leave(void)
{
	cairn_discoveries_destroy(&found);
	cairn_world_destroy(&world);
}

static void says(enum cairn_discovery expected, int significance, const char *label, double x_m, double y_m)
{
	struct cairn_tool_call call = {.tool = CAIRN_TOOL_REPORT_DISCOVERY, .significance = significance};
	snprintf(call.label, sizeof(call.label), "%s", label);
	ck_assert_msg(cairn_discoveries_judge(found, &call, x_m, y_m) == expected, "'%s' at (%.1f, %.1f)",
	    label, x_m, y_m);
}

#define HOME CAIRN_SOURCE_ROOT "/config/worlds/home.yaml"
#define RIGHT CAIRN_DISCOVERY_RIGHT
#define WRONG CAIRN_DISCOVERY_WRONG
#define UNJUDGED CAIRN_DISCOVERY_UNJUDGED
#define ROOM CAIRN_SIGNIFICANCE_ROOM
#define OBJECT CAIRN_SIGNIFICANCE_OBJECT

START_TEST(a_room_is_right_by_its_name_and_not_by_standing_in_one)
{
	enter(HOME);
	says(WRONG, ROOM, "bathroom", 2.0, 1.0); /* in the living room */
	says(RIGHT, ROOM, "Living Room", 2.0, 1.0);
	says(WRONG, ROOM, "lounge", 2.0, 1.0); /* the same once more */
	says(RIGHT, ROOM, "the hallway", 2.0, 4.0);
	says(WRONG, ROOM, "kitchen bathroom bedroom hall", 7.4, 1.0); /* one of them will fit */
	says(RIGHT, ROOM, "small kitchen", 7.4, 1.0);
	says(RIGHT, ROOM, "kid's bedroom", 5.5, 6.0);
	says(WRONG, ROOM, "garage", 30.0, 30.0);
	leave();
}
END_TEST

START_TEST(a_room_may_be_named_from_its_door)
{
	enter(HOME);
	says(RIGHT, ROOM, "kitchen", 6.7, 3.7); /* still in the hall */
	says(WRONG, ROOM, "bathroom", 6.7, 3.7);
	leave();
}
END_TEST

START_TEST(a_label_that_names_nothing_is_not_judged)
{
	enter(HOME);
	says(UNJUDGED, ROOM, "start room", 2.0, 1.0);
	says(UNJUDGED, ROOM, "room 3", 2.0, 1.0);
	says(UNJUDGED, ROOM, "", 2.0, 1.0);
	says(RIGHT, ROOM, "living room", 2.0, 1.0); /* nothing was used up by that */
	leave();
}
END_TEST

START_TEST(a_thing_is_right_when_one_of_its_kind_can_be_seen_from_there)
{
	enter(HOME);
	says(RIGHT, OBJECT, "grey couch", 2.6, 1.9);
	says(WRONG, OBJECT, "sofa", 2.6, 1.9); /* there is one only */
	says(RIGHT, OBJECT, "dining table with chairs", 2.6, 2.2);
	says(WRONG, OBJECT, "bathtub", 2.6, 1.9);
	says(WRONG, OBJECT, "refrigerator", 2.6, 1.9); /* behind the wall of the kitchen */
	says(RIGHT, OBJECT, "refrigerator", 7.4, 2.9);
	says(WRONG, OBJECT, "elephant", 2.6, 1.9);
	says(UNJUDGED, CAIRN_SIGNIFICANCE_HAZARD, "wet floor", 2.6, 1.9);
	says(WRONG, CAIRN_SIGNIFICANCE_HAZARD, "staircase", 2.6, 1.9);
	leave();
}
END_TEST

/* Each where the one of its kind is right. */
START_TEST(many_things_are_what_one_of_them_is)
{
	static const char *const pairs[][2] = {{"shelf", "shelves"}, {"box", "boxes"}, {"couch", "couches"},
	    {"bench", "benches"}, {"chair", "chairs"}, {"bookshelf", "bookshelves"}, {"box", "pile of boxes"},
	    {"chair", "two pairs of chairs near the wall"}, {"table", "set of small tables"}};
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		int right = 0;
		for (double x_m = 0.5; x_m < 10.0; x_m += 1.0)
			for (double y_m = 0.5; y_m < 8.0; y_m += 1.0) {
				struct cairn_tool_call one = {
				    .tool = CAIRN_TOOL_REPORT_DISCOVERY, .significance = OBJECT};
				struct cairn_tool_call many = one;
				snprintf(one.label, sizeof(one.label), "%s", pairs[i][0]);
				snprintf(many.label, sizeof(many.label), "%s", pairs[i][1]);
				enter(HOME);
				enum cairn_discovery said = cairn_discoveries_judge(found, &one, x_m, y_m);
				leave();
				enter(HOME);
				ck_assert_msg(cairn_discoveries_judge(found, &many, x_m, y_m) == said,
				    "'%s' at (%.1f, %.1f)", pairs[i][1], x_m, y_m);
				leave();
				right += said == RIGHT;
			}
		ck_assert_msg(right > 0, "'%s' is nowhere right", pairs[i][0]);
	}
	enter(HOME);
	says(WRONG, OBJECT, "glasses of boxes", 30.0, 30.0); /* nothing is there */
	leave();
}
END_TEST

START_TEST(an_empty_floor_plan_judges_rooms_by_its_names_and_things_not_at_all)
{
	char path[] = "/tmp/cairn-discovery-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
	ck_assert_ptr_nonnull(f);
	fputs("{\"verts\":[[0,0],[0,4],[8,4],[8,0]],\"id\":\"x\",\"room_category\":{\"Kitchen\":[[0,0,4,4]],"
	      "\"Room\":[[4,0,8,4]]},"
	      "\"room_num\":2}",
	    f);
	fclose(f);
	enter(path);
	ck_assert(cairn_discoveries_known(world));
	says(RIGHT, ROOM, "kitchen", 2.0, 2.0);
	says(WRONG, ROOM, "bathroom", 2.0, 2.0);
	says(UNJUDGED, ROOM, "bathroom", 6.0, 2.0); /* just "Room" in the plan */
	says(UNJUDGED, OBJECT, "table", 2.0, 2.0);
	leave();
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs("{\"verts\":[[0,0],[0,4],[8,4],[8,0]],\"id\":\"x\"}", f);
	fclose(f);
	enter(path);
	ck_assert(!cairn_discoveries_known(world));
	says(UNJUDGED, ROOM, "kitchen", 2.0, 2.0);
	leave();
	remove(path);
}
END_TEST

CAIRN_TEST_MAIN("eval_discovery", a_room_is_right_by_its_name_and_not_by_standing_in_one,
    a_room_may_be_named_from_its_door, a_label_that_names_nothing_is_not_judged,
    a_thing_is_right_when_one_of_its_kind_can_be_seen_from_there, many_things_are_what_one_of_them_is,
    an_empty_floor_plan_judges_rooms_by_its_names_and_things_not_at_all)
