/* What names and goals in words mean on the map, and what the sequencer makes of them. */
#include "common/sequencer/named_goal.h"
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

static struct cairn_msg_discoveries found;

static void find(enum cairn_significance kind, const char *label, double x_m, double y_m)
{
	struct cairn_msg_discovery *d = &found.items[found.items_count++];
	*d = (struct cairn_msg_discovery){.id = found.items_count, .kind = kind, .x_m = x_m, .y_m = y_m};
	snprintf(d->label, sizeof(d->label), "%s", label);
}

static void a_house(void)
{
	found = (struct cairn_msg_discoveries){.items_count = 0};
	find(CAIRN_SIGNIFICANCE_ROOM, "Kitchen", 4.0, 1.0);
	find(CAIRN_SIGNIFICANCE_ROOM, "living room", -3.0, 0.0);
	find(CAIRN_SIGNIFICANCE_OBJECT, "red chair", 1.0, 1.0);
	find(CAIRN_SIGNIFICANCE_OBJECT, "red chair with arms", 0.2, 0.0);
	find(CAIRN_SIGNIFICANCE_OBJECT, "red chair", 5.0, 5.0);
}

static struct cairn_goal_names names(void)
{
	static const struct cairn_msg_place places[] = {{"charger", -1.0, -1.0}, {"Stiege süd", 9.0, 9.0}};
	return (struct cairn_goal_names){found.items, found.items_count, places, 2};
}

static void expect_place(const char *name, double x_m, double y_m)
{
	struct cairn_goal_names all = names();
	struct cairn_goal_place p;
	struct cairn_error err = {""};
	ck_assert_msg(
	    cairn_goal_find(&all, name, (struct cairn_vec2){0, 0}, &p, &err), "%s: %s", name, err.text);
	ck_assert_msg(p.x_m == x_m && p.y_m == y_m, "%s: %.1f %.1f (%s)", name, p.x_m, p.y_m, p.name);
}

START_TEST(a_place_goes_by_its_name_whatever_its_letters)
{
	a_house();
	expect_place("kitchen", 4.0, 1.0);
	expect_place("the KITCHEN", 4.0, 1.0);
	expect_place("living", -3.0, 0.0);
	expect_place("charger", -1.0, -1.0);
	expect_place("stiege süd", 9.0, 9.0);
	expect_place("red chair", 1.0,
	    1.0); /* called so, and nearer than the other; the one with arms is called otherwise */
	expect_place("chair with arms", 0.2, 0.0);
}
END_TEST

START_TEST(an_unknown_name_is_answered_with_what_is_known)
{
	a_house();
	struct cairn_goal_names all = names();
	struct cairn_goal_place p = {.x_m = 7.0};
	struct cairn_error err = {""};
	ck_assert(!cairn_goal_find(&all, "bathroom", (struct cairn_vec2){0, 0}, &p, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "'bathroom'"));
	ck_assert_ptr_nonnull(strstr(err.text, "Kitchen, living room, red chair"));
	ck_assert_double_eq(p.x_m, 7.0);
	ck_assert(!cairn_goal_find(&all, "  ", (struct cairn_vec2){0, 0}, &p, &err));
	all = (struct cairn_goal_names){0};
	ck_assert(!cairn_goal_find(&all, "kitchen", (struct cairn_vec2){0, 0}, &p, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "nothing was found or named yet"));
}
END_TEST

START_TEST(a_goal_in_words_is_about_the_thing_and_not_about_what_it_stands_beside)
{
	static const struct {
		const char *goal;
		bool known;
		double x_m;
	} rows[] = {{"find the kitchen", true, 4.0}, {"Go to the red chair in the kitchen", true, 1.0},
	    {"look for the living room", true, -3.0}, {"find the bathroom next to the kitchen", false, 0.0},
	    {"find the kitchen sink", false, 0.0}, {"find", false, 0.0}, {"", false, 0.0},
	    {"2.5 -1", true, 2.5}, {"-3,4", true, -3.0}, {"nan 2", false, 0.0},
	    {"find the kitch", false, 0.0}};
	a_house();
	struct cairn_goal_names all = names();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_goal_place p = {.x_m = 77.0};
		bool known = cairn_goal_of_words(&all, rows[i].goal, (struct cairn_vec2){0, 0}, &p);
		ck_assert_msg(known == rows[i].known, "%s: %s", rows[i].goal, p.name);
		if (known)
			ck_assert_msg(p.x_m == rows[i].x_m, "%s: %s", rows[i].goal, p.name);
	}
}
END_TEST

/* ---- the sequencer ---- */

static struct cairn_msg_reply say(struct rig *r, const char *verb, const char *arg)
{
	struct cairn_msg_command cmd = {.who = "a test"};
	struct cairn_msg_reply reply;
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", verb);
	snprintf(cmd.arg, sizeof(cmd.arg), "%s", arg);
	cairn_sequencer_on_command(r->seq, &cmd, r->now_ns, &reply);
	rig_step(r);
	return reply;
}

static struct rig *exploring_for(const char *goal)
{
	struct rig *r = rig_room(1);
	snprintf(r->cfg.mission.goal, sizeof(r->cfg.mission.goal), "%s", goal);
	rig_frontier(r, 1, 0.5, 1.8, 1.0);
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	return r;
}

static uint64_t says_reached(struct rig *r)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_STOP_ROBOT);
	snprintf(d.reason, sizeof(d.reason), "goal_reached");
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 8.0));
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0); /* a stop stops, whatever is thought of its reason */
	return d.id;
}

START_TEST(goto_takes_a_name_of_what_was_found)
{
	struct rig *r = exploring_for("");
	a_house();
	ck_assert(!say(r, "goto", "bathroom").ok);
	cairn_sequencer_on_discoveries(r->seq, &found, r->now_ns);
	struct cairn_msg_reply reply = say(r, "goto", "bathroom");
	ck_assert(!reply.ok);
	ck_assert_ptr_nonnull(strstr(reply.text, "Kitchen"));
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	ck_assert(say(r, "goto", "red chair").ok);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_GOTO);
	ck_assert(r->out.mission.goal_known);
	ck_assert_double_eq(r->out.mission.goal_x_m, 1.0);
	rig_step(r);
	ck_assert_double_eq(r->out.nav_goal.x_m, 1.0);
	ck_assert_double_eq(r->out.nav_goal.y_m, 1.0);
	rig_free(r);
}
END_TEST

START_TEST(goal_reached_ends_the_exploration_only_where_the_map_agrees)
{
	struct rig *r = exploring_for("find the kitchen");
	ck_assert_str_eq(r->out.mission.goal, "find the kitchen");
	ck_assert(!r->out.mission.goal_known);
	says_reached(r);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_PARTIAL);
	ck_assert_ptr_nonnull(
	    strstr(r->last_model_result.reason, "nothing that the goal names was reported"));
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	found = (struct cairn_msg_discoveries){.items_count = 0};
	find(CAIRN_SIGNIFICANCE_ROOM, "Kitchen", 3.0, 0.0);
	cairn_sequencer_on_discoveries(r->seq, &found, r->now_ns);
	rig_step(r);
	ck_assert(r->out.mission.goal_known);
	ck_assert_str_eq(r->out.mission.goal_place, "Kitchen");
	ck_assert_double_eq(r->out.mission.goal_x_m, 3.0);
	says_reached(r);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "\"Kitchen\" is 3.0 m away"));
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	found.items[0].x_m = 1.0; /* and now it stands in it */
	cairn_sequencer_on_discoveries(r->seq, &found, r->now_ns);
	says_reached(r);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_SUCCESS);
	rig_step(r);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_FINISHED);
	ck_assert_str_eq(r->out.mission.reason, "goal_reached");
	rig_free(r);
}
END_TEST

START_TEST(without_a_goal_nothing_is_reached_and_a_goal_may_come_later)
{
	struct rig *r = exploring_for("");
	says_reached(r);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "has no goal"));
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	uint64_t decisions = r->out.mission.decisions;
	ck_assert(!say(r, "explore", "").ok);      /* exploring already */
	ck_assert(!say(r, "explore", "1e9 5").ok); /* nowhere that a map could be */
	ck_assert(!say(r, "explore", "0 -9999").ok);
	ck_assert_str_eq(say(r, "explore", "0.5 \"0.5").text, "exploring with the goal '0.5  0.5' now");
	ck_assert_uint_eq(r->out.mission.decisions, decisions);
	ck_assert_str_eq(r->out.mission.goal, "0.5  0.5");
	ck_assert(r->out.mission.goal_known);
	says_reached(r);
	rig_step(r);
	ck_assert_str_eq(r->out.mission.reason, "goal_reached");
	ck_assert_str_eq(
	    say(r, "explore", "").text, "exploring"); /* a new exploration has no goal of the old one */
	ck_assert_str_eq(r->out.mission.goal, "");
	rig_free(r);
}
END_TEST

START_TEST(a_goal_outlives_the_sequencer)
{
	struct rig *r = exploring_for("find the kitchen");
	static unsigned char file[CAIRN_MISSION_RECORD_BYTES];
	struct cairn_mission_record *record = malloc(sizeof(*record));
	struct cairn_error err = {""};
	cairn_mission_record_encode(cairn_sequencer_record(r->seq), file, sizeof(file));
	ck_assert_msg(
	    cairn_mission_record_decode(record, file, sizeof(file), r->now_ns, &err), "%s", err.text);
	cairn_sequencer_destroy(&r->seq);
	r->seq = cairn_sequencer_new(&r->cfg, record, r->now_ns);
	free(record);
	rig_step(r);
	ck_assert_str_eq(r->out.mission.goal, "find the kitchen");
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("goal", a_place_goes_by_its_name_whatever_its_letters,
    an_unknown_name_is_answered_with_what_is_known,
    a_goal_in_words_is_about_the_thing_and_not_about_what_it_stands_beside,
    goto_takes_a_name_of_what_was_found, goal_reached_ends_the_exploration_only_where_the_map_agrees,
    without_a_goal_nothing_is_reached_and_a_goal_may_come_later, a_goal_outlives_the_sequencer)
