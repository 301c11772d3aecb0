/* When a robot counts as stuck, which goal is remembered, and how named places are read. */
#include "test/support/choice_world.h"
#include "test/support/runner.h"
#include "common/rules/config_check.h"

static struct cairn_exploration_context watch;

static void begin(const char *waypoints)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	snprintf(cfg.choice.waypoints, sizeof(cfg.choice.waypoints), "%s", waypoints);
	ck_assert_msg(cairn_exploration_context_init(&watch, &cfg, &err), "%s", err.text);
}

/* A decision of the model that ends at (x, 0). */
static void ends_at(double x, enum cairn_tool tool, enum cairn_outcome outcome)
{
	struct cairn_msg_result r = {
	    .source = CAIRN_SOURCE_MODEL, .tool = tool, .outcome = outcome, .x_m = x};
	cairn_exploration_context_result(&watch, &r);
}

static void move_ends_at(double x)
{
	ends_at(x, CAIRN_TOOL_MOVE_TOWARD, CAIRN_OUTCOME_BLOCKED);
}

START_TEST(the_fifth_decision_in_a_row_that_moves_less_than_5_cm_makes_it_stuck)
{
	begin("");
	for (int i = 0; i < 4; i++) /* to and fro by 4.9 cm */
		move_ends_at(i % 2 == 0 ? 0.0 : 0.049);
	ck_assert(!cairn_exploration_context_stuck(&watch));
	move_ends_at(0.0);
	ck_assert(cairn_exploration_context_stuck(&watch));
	move_ends_at(0.05); /* 5 cm is not less than 5 cm */
	ck_assert(!cairn_exploration_context_stuck(&watch));
	for (int i = 0; i < 4; i++)
		move_ends_at(0.05);
	ck_assert(!cairn_exploration_context_stuck(&watch));
	move_ends_at(0.05);
	ck_assert(cairn_exploration_context_stuck(&watch));
}
END_TEST

START_TEST(refused_moves_count_and_standing_on_purpose_does_not)
{
	begin("");
	for (int i = 0; i < 9; i++) {
		ends_at(0.0, CAIRN_TOOL_STOP_ROBOT, CAIRN_OUTCOME_SUCCESS);
		ends_at(0.0, CAIRN_TOOL_REPORT_DISCOVERY, CAIRN_OUTCOME_SUCCESS);
		ends_at(0.0, CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_OUTCOME_REPLACED);
	}
	ck_assert(!cairn_exploration_context_stuck(&watch));
	for (int i = 0; i < 5; i++)
		ends_at(0.0, CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_OUTCOME_REFUSED);
	ck_assert(cairn_exploration_context_stuck(&watch));
	struct cairn_msg_result local = {.source = CAIRN_SOURCE_LOCAL, .x_m = 0.3};
	cairn_exploration_context_result(&watch, &local); /* got out by itself */
	ck_assert(!cairn_exploration_context_stuck(&watch));
	for (int i = 0; i < 9; i++)
		cairn_exploration_context_result(&watch, &local);
	ck_assert(!cairn_exploration_context_stuck(&watch));
}
END_TEST

START_TEST(a_way_that_is_confirmed_again_and_again_is_measured_from_its_beginning)
{
	begin("");
	move_ends_at(0.0);
	for (int i = 1; i < 4; i++) /* 4 cm from one answer to the next */
		ends_at(0.04 * i, CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_OUTCOME_REPLACED);
	for (int i = 0; i < 4; i++)
		move_ends_at(0.12);
	ck_assert(!cairn_exploration_context_stuck(&watch)); /* but for the 12 cm these were the fifth */
	move_ends_at(0.12);
	ck_assert(cairn_exploration_context_stuck(&watch));
}
END_TEST

static struct cairn_candidates_inputs inputs_at(int64_t now_ns)
{
	struct cairn_candidates_inputs in = {0};
	cairn_exploration_context_fill(&watch, now_ns, &in);
	return in;
}

START_TEST(a_goal_outlives_the_interruption_of_its_way_but_not_its_end)
{
	const int64_t s = CAIRN_NS_PER_S;
	struct cairn_msg_nav_goal goal = {.id = 4, .active = true, .x_m = 2.0, .y_m = 1.0}, none = {.id = 4};
	static struct cairn_msg_nav_path path = {.goal_id = 4, .points_count = 2};
	begin("");
	cairn_exploration_context_goal(&watch, &none, s);
	ck_assert_ptr_null(inputs_at(s).goal);
	cairn_exploration_context_goal(&watch, &goal, s);
	cairn_exploration_context_path(&watch, &path);
	cairn_exploration_context_goal(&watch, &none, 2 * s);
	ends_at(0.0, CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_OUTCOME_PARTIAL);
	struct cairn_candidates_inputs in = inputs_at(31 * s);
	ck_assert_ptr_nonnull(in.goal);
	ck_assert_double_eq(in.goal->x_m, 2.0);
	ck_assert_uint_eq(in.path_count, 2);
	ck_assert_ptr_null(inputs_at(31 * s + 1000).goal);
	goal.id = 5;
	cairn_exploration_context_goal(&watch, &goal, 40 * s);
	in = inputs_at(40 * s);
	ck_assert_ptr_nonnull(in.goal);
	ck_assert_uint_eq(in.path_count, 0); /* the path is still another goal's */
	ends_at(0.0, CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_OUTCOME_REPLACED); /* perhaps by the same way */
	ck_assert_ptr_nonnull(inputs_at(40 * s).goal);
	const enum cairn_outcome ends[] = {
	    CAIRN_OUTCOME_SUCCESS, CAIRN_OUTCOME_FAILED, CAIRN_OUTCOME_BLOCKED};
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		cairn_exploration_context_goal(&watch, &goal, 40 * s);
		ends_at(0.0, CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_OUTCOME_REFUSED);
		ck_assert_ptr_nonnull(inputs_at(40 * s).goal); /* what was not driven ends nothing */
		ends_at(0.0, CAIRN_TOOL_NAVIGATE_TO_GOAL, ends[i]);
		ck_assert_ptr_null(inputs_at(40 * s).goal);
	}
}
END_TEST

START_TEST(the_way_home_is_no_goal_to_choose_about)
{
	struct cairn_msg_nav_goal goal = {.id = 4, .active = true};
	static struct cairn_msg_mission mission = {.state = CAIRN_MISSION_STATE_RETURNING};
	begin("");
	cairn_exploration_context_goal(&watch, &goal, 1);
	cairn_exploration_context_mission(&watch, &mission);
	ck_assert_ptr_null(inputs_at(1).goal);
}
END_TEST

START_TEST(named_places_are_those_of_the_configuration_and_then_the_rooms)
{
	static struct cairn_msg_places rooms = {.items_count = 1, .items = {{.name = "kitchen", .x_m = 5.0}}};
	begin(" charger 0 -0.5; big  table 3.25 1e0 ;; x -1 2");
	struct cairn_candidates_inputs in = inputs_at(1);
	ck_assert_uint_eq(in.place_count, 3);
	ck_assert_str_eq(in.places[0].name, "charger");
	ck_assert_double_eq(in.places[0].y_m, -0.5);
	ck_assert_str_eq(in.places[1].name, "big  table");
	ck_assert_double_eq(in.places[1].x_m, 3.25);
	ck_assert_double_eq(in.places[1].y_m, 1.0);
	ck_assert_str_eq(in.places[2].name, "x");
	for (int i = 0; i < 3; i++)
		cairn_exploration_context_rooms(&watch, &rooms);
	in = inputs_at(1);
	ck_assert_uint_eq(in.place_count, 4);
	ck_assert_str_eq(in.places[3].name, "kitchen");
}
END_TEST

START_TEST(waypoints_that_cannot_be_read_are_refused_by_name)
{
	const char *bad[] = {"charger", "charger 1", "1 2", "charger 1 x", "charger nan 1", "charger 1 2000",
	    "a \"b\" 1 2", "ok 1 2; charger 1", "a name that is much too long to be one of a place 1 2",
	    "a\nb 1 2"};
	struct cairn_msg_place places[CAIRN_PLACES_MAX];
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct cairn_error err = {""};
		ck_assert_msg(cairn_places_parse(bad[i], places, &err) < 0, "'%s' was taken", bad[i]);
		ck_assert_ptr_nonnull(strstr(err.text, "is not NAME X Y"));
	}
	struct cairn_config cfg;
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	ck_assert(cairn_config_check(&cfg, &err));
	snprintf(cfg.choice.waypoints, sizeof(cfg.choice.waypoints), "charger 1");
	ck_assert(!cairn_config_check(&cfg, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "choice.waypoints: waypoint 'charger 1'"));
	cfg.choice.waypoints[0] = '\0';
	cfg.choice.weight_goal = cfg.choice.weight_clearance = cfg.choice.weight_novelty = 0.0;
	ck_assert(cairn_config_check(&cfg, &err));
	cfg.choice.weight_feasibility = 0.0;
	ck_assert(!cairn_config_check(&cfg, &err));
}
END_TEST

START_TEST(the_place_that_the_mission_is_out_for_is_the_goal)
{
	begin("charger 1 2");
	struct cairn_msg_mission mission = {.state = CAIRN_MISSION_STATE_EXPLORING,
	    .goal = "find the kitchen",
	    .goal_known = true,
	    .goal_x_m = 4.0,
	    .goal_y_m = -1.0,
	    .goal_place = "kitchen"};
	struct cairn_msg_nav_goal nav = {.active = true, .x_m = 9.0};
	struct cairn_candidates_inputs in = {0};
	cairn_exploration_context_goal(&watch, &nav, 1);
	cairn_exploration_context_mission(&watch, &mission);
	cairn_exploration_context_fill(&watch, 2, &in);
	ck_assert_ptr_nonnull(in.goal);
	ck_assert_double_eq(in.goal->x_m, 4.0);
	ck_assert_uint_eq(in.path_count, 0); /* of another way */
	ck_assert_uint_eq(in.place_count, 1);
	mission.goal_known = false; /* not found yet: what is driven to is the goal again */
	cairn_exploration_context_mission(&watch, &mission);
	cairn_exploration_context_fill(&watch, 2, &in);
	ck_assert_double_eq(in.goal->x_m, 9.0);
	ck_assert_uint_eq(in.place_count, 1);
	mission.goal_known = true;
	mission.goal_x_m = NAN;
	cairn_exploration_context_mission(&watch, &mission);
	cairn_exploration_context_fill(&watch, 2, &in);
	ck_assert_double_eq(in.goal->x_m, 9.0);
}
END_TEST

CAIRN_TEST_MAIN("choice_watch", the_place_that_the_mission_is_out_for_is_the_goal,
    the_fifth_decision_in_a_row_that_moves_less_than_5_cm_makes_it_stuck,
    refused_moves_count_and_standing_on_purpose_does_not,
    a_way_that_is_confirmed_again_and_again_is_measured_from_its_beginning,
    a_goal_outlives_the_interruption_of_its_way_but_not_its_end, the_way_home_is_no_goal_to_choose_about,
    named_places_are_those_of_the_configuration_and_then_the_rooms,
    waypoints_that_cannot_be_read_are_refused_by_name)
