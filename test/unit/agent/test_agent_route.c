/* A route told in words: its parts, the doorways that they mean, and whole episodes against the scripted scholar. */
#include <math.h>

#include "common/agent/route.h"
#include "test/support/agent_rig.h"
#include "test/support/runner.h"

#define CELL_M 0.1
#define WIDE 140
#define HIGH 120

/* A corridor from (0, 0) to (12, 2) with doors north at x = 2, 6 and 10, and south at x = 3 and 9; the rooms behind are 4 m deep. */
static const struct cairn_msg_doorway doorways[] = {
    {.id = 1, .x_m = 2.0, .y_m = 2.05, .width_m = 0.9, .yaw_rad = 0.5 * M_PI},
    {.id = 2, .x_m = 6.0, .y_m = 2.05, .width_m = 0.9, .yaw_rad = -0.5 * M_PI},
    {.id = 3, .x_m = 10.0, .y_m = 2.05, .width_m = 0.9, .yaw_rad = 0.5 * M_PI},
    {.id = 4, .x_m = 3.0, .y_m = -0.05, .width_m = 0.9, .yaw_rad = 0.5 * M_PI},
    {.id = 5, .x_m = 9.0, .y_m = -0.05, .width_m = 0.9, .yaw_rad = -0.5 * M_PI},
    {.id = 6, .x_m = 12.05, .y_m = 1.0, .width_m = 0.9, .yaw_rad = 0.0}}; /* in the end: on no side */
#define DOORWAYS ((uint32_t)(sizeof(doorways) / sizeof(doorways[0])))

static struct cairn_agent_lines lines_of(const char *const *texts)
{
	struct cairn_agent_lines lines = {.count = 0};
	for (; texts[lines.count] != NULL; lines.count++)
		snprintf(lines.items[lines.count], CAIRN_AGENT_LINE_CAP, "%s", texts[lines.count]);
	return lines;
}

START_TEST(doorways_are_counted_as_by_hand)
{
	static const struct {
		struct cairn_pose2 leg;
		uint32_t nth;
		bool left;
		uint32_t id, found; /* id 0: there are too few */
	} rows[] = {{{0.8, 1, 0}, 1, true, 1, 3}, {{0.8, 1, 0}, 2, true, 2, 3}, {{0.8, 1, 0}, 3, true, 3, 3},
	    {{0.8, 1, 0}, 4, true, 0, 3}, {{0.8, 1, 0}, 2, false, 5, 2}, {{11.5, 1, M_PI}, 1, true, 5, 2},
	    {{11.5, 1, M_PI}, 2, true, 4, 2}, {{11.5, 1, M_PI}, 2, false, 2, 3}, {{7, 1, 0}, 1, true, 3, 1},
	    {{7, 1, M_PI}, 3, false, 0, 2}};
	uint8_t here[DOORWAYS];
	memset(here, 1, sizeof(here));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_route_part p = {
		    .kind = CAIRN_ROUTE_DOOR, .nth = rows[i].nth, .left = rows[i].left};
		uint32_t found;
		int at = cairn_route_door(&p, doorways, DOORWAYS, here, rows[i].leg, &found);
		ck_assert_msg(found == rows[i].found && (at >= 0 ? doorways[at].id : 0) == rows[i].id,
		    "row %zu: doorway %d of %u", i, at, found);
		if (at < 0)
			continue;
		struct cairn_vec2 way = cairn_route_through(&p, &doorways[at], rows[i].leg);
		ck_assert_msg(way.y_m * (doorways[at].y_m - 1.0) > 0.9, "row %zu leads back", i);
	}
	here[1] = 0; /* of another room */
	struct cairn_route_part second = {.kind = CAIRN_ROUTE_DOOR, .nth = 2, .left = true};
	uint32_t found;
	ck_assert_int_eq(cairn_route_door(&second, doorways, DOORWAYS, here, rows[0].leg, &found), 2);
}
END_TEST

START_TEST(parts_are_read_told_and_revised)
{
	static const char *const told[] = {
	    "turn round", "2. door 2 left", "3. Pass the sofa.", "- stop at floor lamp", NULL};
	static const char *const wrong[][2] = {{"dance", NULL}, {"door 0 left", NULL}, {"door 1 ahead", NULL},
	    {"pass ", NULL}, {"stop", NULL}, {"door left", NULL}};
	static const char *const other[] = {
	    "1. turn round (done: it was)", "2. door 1 left", "stop at floor lamp", NULL};
	struct cairn_agent_lines lines = lines_of(told), out;
	struct cairn_route r, kept;
	struct cairn_error why = {""};
	ck_assert_msg(cairn_route_read(&lines, &r, &why), "%s", why.text);
	ck_assert_uint_eq(r.count, 4);
	ck_assert_uint_eq(cairn_route_at(&r), 0);
	r.parts[0].state = CAIRN_ROUTE_DONE;
	snprintf(r.parts[0].note, sizeof(r.parts[0].note), "turned round, at (1.0, 2.0)");
	cairn_route_tell(&r, &out);
	ck_assert_str_eq(out.items[0], "1. turn round (done: turned round, at (1.0, 2.0))");
	ck_assert_str_eq(out.items[1], "2. door 2 left");
	ck_assert_str_eq(out.items[2], "3. pass sofa");
	ck_assert_str_eq(out.items[3], "4. stop at floor lamp");
	ck_assert(cairn_route_read(&out, &kept, &why)); /* as from the file after a restart */
	ck_assert_int_eq(kept.parts[0].state, CAIRN_ROUTE_DONE);
	ck_assert_uint_eq(cairn_route_at(&kept), 1);
	lines = lines_of(other);
	ck_assert_msg(cairn_route_revise(&r, &lines, &why), "%s", why.text);
	cairn_route_tell(&r, &out);
	ck_assert_uint_eq(out.count, 5);
	ck_assert_str_eq(out.items[1], "2. door 2 left (left out: it does not fit)");
	ck_assert_str_eq(out.items[2], "3. pass sofa (left out: it does not fit)");
	ck_assert_str_eq(out.items[3], "4. door 1 left");
	ck_assert_str_eq(out.items[4], "5. stop at floor lamp");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		lines = lines_of(wrong[i]);
		kept = r;
		ck_assert_msg(!cairn_route_read(&lines, &r, &why), "%s", wrong[i][0]);
		ck_assert_ptr_nonnull(strstr(why.text, "no part of a route"));
		ck_assert_mem_eq(&kept, &r, sizeof(r));
	}
}
END_TEST

START_TEST(a_step_through_a_doorway_is_told_from_one_beside_it)
{
	ck_assert(
	    cairn_route_passed(&doorways[0], (struct cairn_vec2){2.1, 1.5}, (struct cairn_vec2){1.9, 2.5}));
	ck_assert(
	    cairn_route_passed(&doorways[0], (struct cairn_vec2){1.9, 2.5}, (struct cairn_vec2){2.1, 1.5}));
	ck_assert(
	    !cairn_route_passed(&doorways[0], (struct cairn_vec2){3.1, 1.5}, (struct cairn_vec2){2.9, 2.5}));
	ck_assert(
	    !cairn_route_passed(&doorways[0], (struct cairn_vec2){2.1, 1.0}, (struct cairn_vec2){1.9, 1.9}));
}
END_TEST

/* ---- whole episodes ---- */

static uint8_t cells[HIGH * WIDE];

static void clear(double x0, double y0, double x1, double y1)
{
	for (int y = 0; y < HIGH; y++)
		for (int x = 0; x < WIDE; x++) {
			double px = -1.0 + (x + 0.5) * CELL_M, py = -5.0 + (y + 0.5) * CELL_M;
			if (px > x0 && px < x1 && py > y0 && py < y1)
				cells[y * WIDE + x] = 0;
		}
}

static void tell_thing(struct rig *r, const char *id, const char *label, double x, double y)
{
	rig_node(r, CAIRN_SCENE_KIND_OBJECT, id, label, "", "room_1", x, y);
	struct cairn_msg_scene_node *n = &r->scene.nodes[r->scene.nodes_count - 1];
	const float box[6] = {
	    (float)x - 0.15f, (float)y - 0.15f, 0.0f, (float)x + 0.15f, (float)y + 0.15f, 1.0f};
	memcpy(n->box_m, box, sizeof(box));
	n->box_m_count = 6;
}

/* At the east end of the corridor, facing east; a sofa in it, a lamp behind the second door on the left of who goes back west. */
static struct rig *corridor_with(uint32_t doorway_count)
{
	struct rig *r = rig_new();
	struct cairn_msg_features features = {.doorways_count = doorway_count};
	struct cairn_scene_grid grid = {cells, WIDE, HIGH, -1.0, -5.0, CELL_M};
	memcpy(features.doorways, doorways, sizeof(doorways));
	memset(cells, 100, sizeof(cells));
	clear(0, 0, 12, 2);
	clear(0, 2.1, 12, 6);
	clear(0, -4, 12, -0.1);
	for (uint32_t i = 0; i < DOORWAYS; i++)
		clear(doorways[i].x_m - 0.45, doorways[i].y_m - 0.3, doorways[i].x_m + 0.45,
		    doorways[i].y_m + 0.3);
	r->moves = true;
	r->at = (struct cairn_pose2){11.0, 1.0, 0.0};
	r->frontiers.items_count = 0;
	tell_thing(r, "sofa_1", "sofa", 7.0, 0.4);
	tell_thing(r, "lamp_1", "floor lamp", 4.0, -3.0);
	rig_tell_all(r);
	cairn_agent_on_features(r->agent, &features);
	cairn_agent_on_grid(r->agent, &grid);
	return r;
}

static struct rig *corridor(void)
{
	return corridor_with(DOORWAYS);
}

static void expect_plan(const struct rig *r, const char *const *lines)
{
	for (uint32_t i = 0; i < r->out.plan_count; i++)
		ck_assert_msg(
		    lines[i] != NULL && strncmp(r->out.plan[i].text, lines[i], strlen(lines[i])) == 0, "%s",
		    r->out.plan[i].text);
	ck_assert_ptr_null(lines[r->out.plan_count]);
}

START_TEST(every_part_is_followed_and_checked_off)
{
	static const char *const plan[] = {"1. turn round (done: ", "2. pass sofa (done: passed sofa_1",
	    "3. door 2 left (done: through the doorway at (3.0, -0.1)",
	    "4. stop at floor lamp (done: stands at lamp_1", NULL};
	struct rig *r = corridor();
	rig_task(
	    r, "Turn round, pass the sofa, take the second door on the left, and stop at the floor lamp.");
	ck_assert(rig_run(r, 200.0));
	expect_plan(r, plan);
	ck_assert_msg(r->out.state == CAIRN_AGENT_STATE_DONE, "%s", r->out.answer);
	ck_assert_str_eq(r->out.evidence, "lamp_1");
	ck_assert_double_lt(hypot(r->at.x_m - 4.0, r->at.y_m + 3.0), 1.4);
	ck_assert_uint_eq(r->out.revisions, 0);
	ck_assert_uint_eq(r->out.queries, 2); /* into parts, and the verdict */
	rig_free(r);
}
END_TEST

/* The mapper has found the three doorways to the north alone. */
START_TEST(a_gap_between_two_rooms_is_a_door_where_the_mapper_has_found_none)
{
	struct rig *r = corridor_with(3);
	rig_task(
	    r, "Turn round, pass the sofa, take the second door on the left, and stop at the floor lamp.");
	ck_assert(rig_run(r, 200.0));
	ck_assert_msg(r->out.state == CAIRN_AGENT_STATE_DONE, "%s", r->out.answer);
	ck_assert_uint_eq(r->out.revisions, 0);
	ck_assert_ptr_nonnull(
	    strstr(r->out.plan[2].text, "3. door 2 left (done: through the doorway at (3.0, "));
	rig_free(r);
}
END_TEST

START_TEST(a_part_that_does_not_fit_goes_back_to_the_model)
{
	static const char *const plan[] = {"1. turn round (done: ", "2. pass aquarium (left out: ",
	    "3. door 3 left (left out: ", "4. door 2 left (done: ", "5. stop at floor lamp (done: ", NULL};
	struct rig *r = corridor();
	rig_task(r, "Turn round, pass the aquarium, take the third door on the left, stop at the floor lamp");
	ck_assert(rig_run(r, 300.0));
	expect_plan(r, plan);
	ck_assert_msg(r->out.state == CAIRN_AGENT_STATE_DONE, "%s", r->out.answer);
	ck_assert_uint_eq(r->out.revisions, 2);
	rig_free(r);
}
END_TEST

START_TEST(a_route_without_its_end_is_never_called_followed)
{
	struct rig *r = corridor();
	r->cfg.agent.limit_steps = 20000; /* there is much floor that no picture shows */
	r->reply_to = CAIRN_AGENT_VERIFY_TASK;
	r->reply = "{\"verdict\":\"accomplished\",\"claim\":\"found\",\"answer\":\"I am "
		   "there\",\"evidence\":[\"sofa_1\"],"
		   "\"confidence\":1,\"missing\":null}";
	rig_task(r, "Turn round, pass the sofa, stop at the aquarium");
	ck_assert(rig_run(r, 3000.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_FAILED);
	ck_assert_int_eq(r->out.limit, CAIRN_AGENT_LIMIT_ERRORS);
	r->reply_to = -1; /* the scholar says so by itself */
	rig_task(r, "Pass the sofa, stop at the aquarium");
	ck_assert(rig_run(r, 3000.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_HANDOFF);
	rig_free(r);
}
END_TEST

START_TEST(parts_that_cannot_be_read_are_told_to_the_model)
{
	struct rig *r = corridor();
	r->reply_to = CAIRN_AGENT_PREPARE_TASK;
	r->reply = "{\"labels\":[\"lamp\"],\"termination_conditions\":[\"there\"],\"heuristic\":\"go\","
		   "\"route\":[\"fly to the lamp\"]}";
	rig_task(r, "Fly to the lamp, please");
	ck_assert(rig_run(r, 60.0));
	ck_assert_int_eq(r->out.limit, CAIRN_AGENT_LIMIT_ERRORS);
	ck_assert_ptr_nonnull(strstr(r->out.answer, "'fly to the lamp' is no part of a route"));
	rig_free(r);
}
END_TEST

START_TEST(an_agent_that_was_killed_goes_on_with_the_parts_that_are_open)
{
	struct rig *r = corridor();
	struct cairn_text file = {0};
	struct cairn_error err = {""};
	rig_task(r, "Turn round, pass the sofa, stop at the sofa");
	for (int i = 0; i < 2000 && (r->out.plan_count < 3 || strstr(r->out.plan[1].text, "(done") == NULL);
	     i++)
		rig_tick(r);
	ck_assert(cairn_agent_save(r->agent, &file));
	cairn_agent_destroy(&r->agent);
	rig_agent(r);
	ck_assert_msg(cairn_agent_load(r->agent, file.data, file.len, &err), "%s", err.text);
	r->driving.id = r->mission.decision_id = 0;
	rig_tell_all(r);
	cairn_agent_message(r->agent, r->now_ns, &r->out);
	ck_assert_ptr_nonnull(strstr(r->out.plan[1].text, "2. pass sofa (done: "));
	ck_assert_str_eq(r->out.plan[2].text, "3. stop at sofa");
	cairn_text_free(&file);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("agent-route", doorways_are_counted_as_by_hand, parts_are_read_told_and_revised,
    a_step_through_a_doorway_is_told_from_one_beside_it, every_part_is_followed_and_checked_off,
    a_gap_between_two_rooms_is_a_door_where_the_mapper_has_found_none,
    a_part_that_does_not_fit_goes_back_to_the_model, a_route_without_its_end_is_never_called_followed,
    parts_that_cannot_be_read_are_told_to_the_model,
    an_agent_that_was_killed_goes_on_with_the_parts_that_are_open)
