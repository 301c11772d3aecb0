/* Arenas: read or refused with the reason, cycles and choices counted as by hand, every criterion can fail,
 * and the real cores pass what they should, the same way each time. */
#include "test/support/runner.h"

#include <math.h>

#include "common/eval/arena.h"

static struct cairn_arena *bundled(const char *name)
{
	struct cairn_error err = {""};
	char path[512];
	snprintf(path, sizeof(path), "%s/config/arenas/%s.yaml", CAIRN_SOURCE_ROOT, name);
	struct cairn_arena *a = cairn_arena_load(path, &err);
	ck_assert_msg(a != NULL, "%s", err.text);
	return a;
}

START_TEST(the_bundled_arenas_are_as_laid_down)
{
	static const struct {
		const char *name;
		double start[3], goal[2];
		uint32_t cycles;
		bool has_goal, reachable;
	} rows[] = {{"1-simple", {-1.5, -1.5, 45}, {1.5, 1.5}, 100, true, true},
	    {"2-exploration", {0, 0, 90}, {0, 0}, 150, false, false},
	    {"3-dead-end", {-1.5, 1.0, 90}, {1.5, 1.0}, 120, true, false},
	    {"3-dead-end-open", {-1.5, 1.0, 90}, {1.5, 1.0}, 120, true, true},
	    {"4-corridor", {-1.5, 1.5, 90}, {1.5, 1.5}, 80, true, true}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_arena *a = bundled(rows[i].name);
		ck_assert_str_eq(a->name, rows[i].name);
		ck_assert_double_eq_tol(a->world->start.x_m, rows[i].start[0], 1e-9);
		ck_assert_double_eq_tol(a->world->start.y_m, rows[i].start[1], 1e-9);
		ck_assert_double_eq_tol(cairn_rad_to_deg(a->world->start.yaw_rad), rows[i].start[2], 1e-9);
		ck_assert_uint_eq(a->cycles_max, rows[i].cycles);
		ck_assert_uint_eq(a->contacts_max, 0);
		ck_assert(a->has_goal == rows[i].has_goal && a->reachable == rows[i].reachable);
		ck_assert_double_eq_tol(a->goal_x_m, rows[i].goal[0], 1e-9);
		ck_assert_double_eq_tol(a->goal_y_m, rows[i].goal[1], 1e-9);
		ck_assert_double_eq_tol(a->tolerance_m, rows[i].has_goal ? 0.3 : 0.0, 1e-9);
		ck_assert_double_eq_tol(a->known_share_min, rows[i].has_goal ? 0.0 : 0.8, 1e-9);
		/* The inner faces of the outer walls. */
		ck_assert_double_eq_tol(
		    cairn_world_cast(a->world, -2.0, -2.2, -1.0, 0.0, 0.18, 9.0).range_m, 0.5, 1e-6);
		cairn_arena_destroy(&a);
	}
}
END_TEST

/* The circles' radius and the walls, by rays along the axes: centre distance less radius, to the polygon's
 * sagitta. */
START_TEST(circles_and_walls_stand_where_they_should)
{
	struct cairn_arena *a = bundled("1-simple");
	ck_assert_double_eq_tol(
	    cairn_world_cast(a->world, -2.0, -0.5, 1.0, 0.0, 0.18, 9.0).range_m, 1.5 - 0.2, 0.01);
	ck_assert_double_eq_tol(
	    cairn_world_cast(a->world, 1.0, 2.0, 0.0, -1.0, 0.18, 9.0).range_m, 0.8 - 0.2, 0.01);
	cairn_arena_destroy(&a);
	a = bundled("4-corridor");
	ck_assert_double_eq_tol(
	    cairn_world_cast(a->world, -1.5, 0.0, 1.0, 0.0, 0.18, 9.0).range_m, 1.2 - 0.01, 1e-6);
	ck_assert_double_eq_tol(
	    cairn_world_cast(a->world, -1.5, -1.1, 1.0, 0.0, 0.18, 9.0).range_m, 4.0, 1e-6);
	cairn_arena_destroy(&a);
	a = bundled("3-dead-end-open"); /* through the gap, 0.8 m wide */
	ck_assert_double_eq_tol(
	    cairn_world_cast(a->world, 1.75, -2.0, 0.0, 1.0, 0.18, 9.0).range_m, 4.5, 1e-6);
	cairn_arena_destroy(&a);
}
END_TEST

static const char *refusal(const char *text)
{
	static struct cairn_error err;
	char path[] = "/tmp/cairn-arena-XXXXXX";
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
	struct cairn_arena *a = cairn_arena_load(path, &err);
	unlink(path);
	ck_assert_msg(a == NULL, "was taken");
	return err.text;
}

#define WORLD "world: " CAIRN_SOURCE_ROOT "/config/arenas/worlds/simple.yaml\n"
#define LIMITS "limits: {cycles_max: 10, contacts_max: 0}\n"

START_TEST(a_wrong_file_is_refused_with_the_reason)
{
	ck_assert_ptr_nonnull(strstr(refusal("title: a\n" LIMITS), "world"));
	ck_assert_ptr_nonnull(strstr(refusal("title: a\ncolour: red\n" WORLD LIMITS), "colour"));
	ck_assert_ptr_nonnull(
	    strstr(refusal("title: a\n" WORLD "limits: {cycles_max: 0, contacts_max: 0}\n"), "cycles_max"));
	ck_assert_ptr_nonnull(strstr(
	    refusal("title: a\n" WORLD LIMITS "goal: {x_m: 9, y_m: 0, tolerance_m: 0.3}\n"), "outside"));
	ck_assert_ptr_nonnull(
	    strstr(refusal("title: a\n" WORLD LIMITS "goal: {x_m: .nan, y_m: 0, tolerance_m: 0.3}\n"),
		"goal.x_m: '.nan' is not a number"));
	ck_assert_ptr_nonnull(strstr(
	    refusal("title: a\n" WORLD LIMITS "goal: {x_m: 0, y_m: 0, tolerance_m: 0}\n"), "tolerance_m"));
	ck_assert_ptr_nonnull(strstr(refusal("title: a\nworld: /nowhere.yaml\n" LIMITS), "/nowhere.yaml"));
}
END_TEST

START_TEST(a_cycle_is_a_step_or_a_decision_or_three_seconds)
{
	const struct cairn_vec2 here = {1.0, 2.0};
	struct cairn_arena_cycles c = {0};
	for (int i = 0; i < 29; i++)
		ck_assert(!cairn_arena_cycles_add(&c, 0.01, 0.01, false, here));
	ck_assert(cairn_arena_cycles_add(&c, 0.01, 0.01, false, here)); /* 0.30 m */
	ck_assert(!cairn_arena_cycles_add(&c, 0.20, 0.5, false, here));
	ck_assert(cairn_arena_cycles_add(&c, 0.15, 0.5, false, here)); /* 0.35 m: 0.05 m are of the next */
	ck_assert(!cairn_arena_cycles_add(&c, 0.20, 0.5, false, here));
	ck_assert(cairn_arena_cycles_add(&c, 0.05, 0.5, false, here));
	ck_assert(cairn_arena_cycles_add(&c, 0.01, 0.1, true, here)); /* the decision ended */
	ck_assert_uint_eq(c.count, 4);
	int steps = 1;
	while (!cairn_arena_cycles_add(&c, 0.0, 0.01, false, here))
		steps++;
	ck_assert_int_eq(steps, 300); /* standing costs, too */
	ck_assert_uint_eq(c.idle, 5); /* it has not got away */
	ck_assert_uint_eq(c.count, 5);
}
END_TEST

START_TEST(who_drives_to_and_fro_is_stuck_and_who_gets_away_is_not)
{
	struct cairn_arena_cycles c = {0};
	double x_m = 0.0, step_m = 0.005;
	while (c.count < CAIRN_ARENA_STUCK) { /* 0.2 m there and back: a step of way in each cycle */
		step_m = x_m >= 0.2 ? -0.005 : x_m <= 0.0 ? 0.005 : step_m;
		x_m += step_m;
		cairn_arena_cycles_add(&c, 0.005, 0.01, false, (struct cairn_vec2){x_m, 0.0});
	}
	ck_assert_uint_eq(c.idle, CAIRN_ARENA_STUCK);
	while (c.count < 2 * CAIRN_ARENA_STUCK) {
		x_m += 0.005;
		cairn_arena_cycles_add(&c, 0.005, 0.01, false, (struct cairn_vec2){x_m, 0.0});
	}
	ck_assert_uint_le(c.idle, 1);
	ck_assert_uint_ge(c.idle_longest, CAIRN_ARENA_STUCK);
	cairn_arena_cycles_rest(&c, (struct cairn_vec2){x_m, 0.0});
	ck_assert_uint_eq(c.idle, 0);
}
END_TEST

START_TEST(who_is_stuck_and_not_asked_any_more_has_not_got_out)
{
	struct cairn_arena_cycles c = {0};
	struct cairn_vec2 here = {0.5, 0.0}, away = {0.5, CAIRN_ARENA_STEP_M};
	while (c.idle < CAIRN_ARENA_STUCK - 1)
		cairn_arena_cycles_add(&c, 0.0, 0.1, false, here);
	cairn_arena_cycles_rest(&c, here); /* it was not stuck yet */
	ck_assert_uint_eq(c.idle, 0);
	while (c.idle < CAIRN_ARENA_STUCK)
		cairn_arena_cycles_add(&c, 0.0, 0.1, false, here);
	cairn_arena_cycles_rest(&c, here);
	ck_assert_uint_eq(c.idle, CAIRN_ARENA_STUCK);
	while (!cairn_arena_cycles_add(&c, 0.01, 0.1, false, away))
		continue;
	ck_assert_uint_eq(c.idle, 0);
}
END_TEST

START_TEST(going_back_to_what_was_left_is_dithering_but_not_when_it_was_reached)
{
	const struct cairn_vec2 a = {1, 0}, b = {-1, 0}, near_a = {1.1, 0.1}, close = {1.35, 0};
	struct cairn_arena_choices c = {0};
	cairn_arena_choices_add(&c, a);
	cairn_arena_choices_add(&c, near_a); /* the same place */
	cairn_arena_choices_add(&c, b);
	ck_assert_uint_eq(c.dithers, 0);
	cairn_arena_choices_add(&c, a);
	ck_assert_uint_eq(c.dithers, 1);
	cairn_arena_choices_at(&c, a, 0.3);
	cairn_arena_choices_add(&c, b); /* there and back again */
	ck_assert_uint_eq(c.dithers, 1);
	c = (struct cairn_arena_choices){0};
	cairn_arena_choices_add(&c, a);
	cairn_arena_choices_add(&c, close); /* a little farther on is not another way */
	cairn_arena_choices_add(&c, a);
	ck_assert_uint_eq(c.dithers, 0);
}
END_TEST

static struct cairn_arena_result good_run(void)
{
	return (struct cairn_arena_result){.cycles = 30,
	    .decisions = 20,
	    .reached = true,
	    .over = true,
	    .goal_m = 0.29,
	    .known_share = 0.9,
	    .end = "goal reached"};
}

START_TEST(every_criterion_can_fail_and_fails_alone)
{
	struct cairn_arena a = {.has_goal = true,
	    .reachable = true,
	    .tolerance_m = 0.3,
	    .cycles_max = 100,
	    .known_share_min = 0.8};
	struct cairn_arena_verdict v[CAIRN_ARENA_CRITERIA];
	struct cairn_arena_result r = good_run();
	ck_assert(cairn_arena_judge(&a, &r, v));
	for (int fault = 0; fault < CAIRN_ARENA_CRITERIA; fault++) {
		r = good_run();
		r.goal_m = fault == CAIRN_ARENA_GOAL ? 0.31 : r.goal_m;
		r.contacts = fault == CAIRN_ARENA_CONTACTS;
		r.known_share = fault == CAIRN_ARENA_KNOWN ? 0.79 : r.known_share;
		r.cycles = fault == CAIRN_ARENA_CYCLES ? 101 : r.cycles;
		r.stuck_left = fault == CAIRN_ARENA_RECOVERY;
		r.refused = fault == CAIRN_ARENA_COHERENCE ? 5 : 4;
		r.gone = 3; /* of these; one is allowed beside them */
		ck_assert(!cairn_arena_judge(&a, &r, v));
		for (int i = 0; i < CAIRN_ARENA_CRITERIA; i++)
			ck_assert_msg(v[i].passed == (i != fault), "%s", cairn_arena_rules[i].name);
	}
	r = good_run();
	r.over = false;
	ck_assert(!cairn_arena_judge(&a, &r, v));
	a.reachable = false; /* to be said, with the reason */
	r = good_run();
	ck_assert(!cairn_arena_judge(&a, &r, v));
	r.given_up = true;
	r.end[0] = '\0';
	ck_assert(!cairn_arena_judge(&a, &r, v));
	snprintf(r.end, sizeof(r.end), "no way");
	ck_assert(cairn_arena_judge(&a, &r, v));
}
END_TEST

static void run(
    const struct cairn_arena *a, enum cairn_arena_mode mode, uint32_t seed, struct cairn_arena_result *r)
{
	struct cairn_error err = {""};
	ck_assert_msg(cairn_arena_run(a, mode, seed, r, NULL, NULL, &err), "%s", err.text);
}

/* A sill of 15 mm right across, which the sensors do not see and the wheels do not climb. */
START_TEST(a_robot_that_does_not_get_past_what_it_cannot_see_is_told_stuck)
{
	static const char world[] =
	    "name: sill\nstart: {x_m: -1.0, y_m: 0, yaw_deg: 0}\n"
	    "rooms:\n  - {name: hall, polygon: [[-2, -0.6], [2, -0.6], [2, 0.6], [-2, 0.6]]}\n"
	    "walls:\n  - {path: [[-2, -0.6], [2, -0.6], [2, 0.6], [-2, 0.6]], closed: true}\n"
	    "furniture:\n  - {name: sill, kind: box, at: [0, 0], size: [0.05, 1.2], height_m: "
	    "0.015}\n";
	static struct cairn_arena_result r;
	struct cairn_arena_verdict v[CAIRN_ARENA_CRITERIA];
	struct cairn_error err = {""};
	char path[] = "/tmp/cairn-sill-XXXXXX";
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, world, sizeof(world) - 1), (int)sizeof(world) - 1);
	close(fd);
	struct cairn_arena a = {.name = "sill",
	    .world = cairn_world_load(path, &err),
	    .has_goal = true,
	    .reachable = true,
	    .goal_x_m = 1.2,
	    .tolerance_m = 0.3,
	    .cycles_max = 40};
	unlink(path);
	ck_assert_msg(a.world != NULL, "%s", err.text);
	run(&a, CAIRN_ARENA_GT, 1, &r);
	ck_assert(!r.reached);
	ck_assert_uint_gt(r.stuck, 0);
	ck_assert(!cairn_arena_judge(&a, &r, v));
	ck_assert_uint_ge(r.idle_longest, 2 * CAIRN_ARENA_STUCK);
	cairn_world_destroy(&a.world);
}
END_TEST

START_TEST(the_same_seed_gives_the_same_run_byte_for_byte_and_another_seed_another)
{
	static struct cairn_arena_result first, again, other;
	for (int mode = 0; mode < CAIRN_ARENA_MODE_COUNT; mode++) {
		struct cairn_arena *a = bundled("1-simple");
		run(a, (enum cairn_arena_mode)mode, 3, &first);
		run(a, (enum cairn_arena_mode)mode, 3, &again);
		run(a, (enum cairn_arena_mode)mode, 4, &other);
		ck_assert(first.trace == again.trace);
		ck_assert(memcmp(&first, &again, sizeof(first)) == 0);
		ck_assert(first.trace != other.trace);
		cairn_arena_destroy(&a);
	}
}
END_TEST

START_TEST(a_closed_room_is_reported_unreachable_and_an_open_one_is_entered)
{
	static struct cairn_arena_result r;
	struct cairn_arena_verdict v[CAIRN_ARENA_CRITERIA];
	struct cairn_arena *closed = bundled("3-dead-end"), *open = bundled("3-dead-end-open");
	for (int mode = 0; mode < CAIRN_ARENA_MODE_COUNT; mode++) {
		run(closed, (enum cairn_arena_mode)mode, 2, &r);
		ck_assert_msg(cairn_arena_judge(closed, &r, v), "%s", r.end);
		ck_assert(r.given_up && !r.reached);
		ck_assert_msg(strstr(r.end, "unreachable: no way") != NULL, "%s", r.end);
		run(open, (enum cairn_arena_mode)mode, 2, &r);
		ck_assert_msg(cairn_arena_judge(open, &r, v), "%s", r.end);
		ck_assert(r.reached && !r.given_up);
	}
	cairn_arena_destroy(&closed);
	cairn_arena_destroy(&open);
}
END_TEST

/* Once around in six parts before anything is asked, a cycle each; in gt there is no need to. */
START_TEST(in_vision_mode_the_robot_first_looks_around)
{
	static struct cairn_arena_result r;
	struct cairn_arena *a = bundled("1-simple");
	a->cycles_max = CAIRN_ARENA_LOOKS - 1; /* ends with the next cycle, the last look */
	run(a, CAIRN_ARENA_VISION, 1, &r);
	ck_assert_uint_eq(r.cycles, CAIRN_ARENA_LOOKS);
	ck_assert_uint_eq(r.decisions, 0);
	ck_assert_double_eq_tol(r.path_m, 0.0, 1e-3);
	ck_assert_double_eq_tol(
	    cairn_wrap_rad(r.pose.yaw_rad - a->world->start.yaw_rad), 0.0, cairn_deg_to_rad(0.1));
	a->cycles_max = 3;
	run(a, CAIRN_ARENA_VISION, 1, &r);
	ck_assert_double_eq_tol(fabs(cairn_wrap_rad(r.pose.yaw_rad - a->world->start.yaw_rad)),
	    cairn_deg_to_rad(120.0), cairn_deg_to_rad(0.1));
	cairn_arena_destroy(&a);
}
END_TEST

START_TEST(unknown_floor_costs_little_only_where_the_poses_are_true)
{
	struct cairn_error err = {""};
	struct cairn_config cfg;
	struct cairn_arena *a = cairn_arena_load(CAIRN_SOURCE_ROOT "/config/arenas/2-exploration.yaml", &err);
	ck_assert_msg(a != NULL, "%s", err.text);
	cairn_arena_config(&cfg, a, CAIRN_ARENA_GT, 1);
	ck_assert_double_eq(cfg.nav.unknown_cost, 5.0);
	cairn_arena_config(&cfg, a, CAIRN_ARENA_VISION, 1);
	ck_assert_double_eq(cfg.nav.unknown_cost, 50.0);
	cairn_arena_destroy(&a);
}
END_TEST

CAIRN_TEST_MAIN("eval-arena", unknown_floor_costs_little_only_where_the_poses_are_true,
    the_bundled_arenas_are_as_laid_down, circles_and_walls_stand_where_they_should,
    a_wrong_file_is_refused_with_the_reason, a_cycle_is_a_step_or_a_decision_or_three_seconds,
    who_drives_to_and_fro_is_stuck_and_who_gets_away_is_not,
    who_is_stuck_and_not_asked_any_more_has_not_got_out,
    going_back_to_what_was_left_is_dithering_but_not_when_it_was_reached,
    a_robot_that_does_not_get_past_what_it_cannot_see_is_told_stuck, every_criterion_can_fail_and_fails_alone,
    the_same_seed_gives_the_same_run_byte_for_byte_and_another_seed_another,
    a_closed_room_is_reported_unreachable_and_an_open_one_is_entered,
    in_vision_mode_the_robot_first_looks_around)
