/* Openings between two rooms, for a body 0.20 m wide: what it fits through is driven through, what it does not is given up after a
 * look or two, with what it lacks. */
#include "common/eval/run.h"
#include "common/sim/world/build.h"
#include "test/support/runner.h"

#define WALL_M 3.0   /* the wall between the rooms lies here, along y */
#define MIDDLE_M 1.7 /* of the opening */

struct seen {
	double farthest_x_m, explored_s, driven_m; /* by itself */
	char reason[64];                           /* of what was given up as too narrow */
	bool asked;
	double asked_x_m;
	uint32_t told_steps, contacts;
};

static bool nobody(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	(void)ctx, (void)run, (void)view, (void)ret;
	return false;
}

/* Explored, it is sent into the far room by a person. */
static bool explore_then_go(void *ctx, struct cairn_run *run)
{
	struct seen *seen = ctx;
	const struct cairn_msg_mission *m = &cairn_run_output(run)->mission;
	double x_m = cairn_run_truth(run)->body.pose.x_m;
	double *farthest_m = seen->asked ? &seen->asked_x_m : &seen->farthest_x_m;
	*farthest_m = fmax(*farthest_m, x_m);
	if (m->state != CAIRN_MISSION_STATE_FINISHED || seen->told_steps > 0) {
		seen->told_steps -= seen->told_steps > 0;
		return true;
	}
	if (seen->asked)
		return false;
	seen->asked = true;
	seen->told_steps = 20; /* until the order shows */
	seen->explored_s = m->elapsed_s;
	seen->driven_m = cairn_run_totals(run).odometry_m;
	for (uint32_t i = 0; i < m->given_up_count; i++)
		if (strncmp(m->given_up[i].reason, "narrow", 6) == 0)
			snprintf(seen->reason, sizeof(seen->reason), "%s", m->given_up[i].reason);
	struct cairn_pose2 at =
	    cairn_pose_between(cairn_run_truth(run)->start, (struct cairn_pose2){4.5, MIDDLE_M, 0.0});
	struct cairn_msg_command cmd = {.verb = "goto", .x_m = at.x_m, .y_m = at.y_m};
	struct cairn_msg_reply reply;
	cairn_sequencer_on_command(cairn_run_sequencer(run), &cmd, cairn_run_now_ns(run), &reply);
	ck_assert_msg(reply.ok, "%s", reply.text);
	return true;
}

static struct cairn_world *two_rooms(double opening_m)
{
	const double lo = MIDDLE_M - 0.5 * opening_m, hi = MIDDLE_M + 0.5 * opening_m, t = 0.1;
	const struct cairn_vec2 corners[] = {{0, 0}, {WALL_M, 0}, {WALL_M, lo}, {WALL_M + t, lo},
	    {WALL_M + t, 0}, {6, 0}, {6, 3}, {WALL_M + t, 3}, {WALL_M + t, hi}, {WALL_M, hi}, {WALL_M, 3},
	    {0, 3}};
	struct cairn_builder b;
	struct cairn_error err = {""};
	ck_assert(cairn_build_init(&b, "narrow", &err));
	(void)cairn_build_thing(&b, "wall", "wall", 0.0, 0.0);
	cairn_build_outline(&b, corners, 12, true, 0.0, 2.5, CAIRN_PAINT(228, 222, 210, PLASTER));
	cairn_build_room(&b, "rooms", corners, 12, NULL, NULL);
	b.world->has_start = true;
	b.world->start = (struct cairn_pose2){1.2, 1.2, 0.3};
	struct cairn_world *world = cairn_build_finish(&b, &err);
	ck_assert_msg(world != NULL, "%s", err.text);
	return world;
}

static struct seen explore(double opening_m)
{
	static struct cairn_config cfg;
	struct cairn_error err = {""};
	struct seen seen = {.explored_s = 0.0};
	struct cairn_world *world = two_rooms(opening_m);
	cairn_config_defaults(&cfg);
	cfg.sim.start = CAIRN_CHOICE_START_WORLD;
	cfg.mission.return_home = true;
	cfg.safety.silent_coast_s = 0.1;
	cfg.safety.silent_wait_s = 0.2;
	cfg.safety.silent_local_s = 3600.0;
	struct cairn_run_options options = {.cfg = &cfg,
	    .world = world,
	    .map = CAIRN_RUN_MAP_MAPPER,
	    .duration_s = 300.0,
	    .decide = nobody,
	    .observe = explore_then_go,
	    .observe_ctx = &seen};
	struct cairn_run *run = cairn_run_new(&options, &err);
	ck_assert_msg(run != NULL, "%s", err.text);
	cairn_run_all(run);
	ck_assert_msg(seen.asked, "%.2f m: not explored in 300 s", opening_m);
	seen.contacts = cairn_run_totals(run).contacts;
	printf("# %.2f m: to x %.2f m, %.0f s, %.1f m driven; asked: to x %.2f m; %s\n", opening_m,
	    seen.farthest_x_m, seen.explored_s, seen.driven_m, seen.asked_x_m, seen.reason);
	cairn_run_destroy(&run);
	cairn_world_destroy(&world);
	return seen;
}

START_TEST(what_is_too_narrow_costs_a_look_or_two_and_it_is_told_what_it_lacks)
{
	for (int cm = 34; cm <= 40; cm += 2) {
		struct seen s = explore(0.01 * cm);
		double gap_m = 0.0, x_m = 0.0, y_m = 0.0, short_m = 0.0;
		ck_assert_int_eq(sscanf(s.reason, "narrow: %lf m at (%lf, %lf), %lf m too narrow", &gap_m,
				     &x_m, &y_m, &short_m),
		    4);
		ck_assert_double_le(gap_m, 0.01 * cm); /* walls are up to a cell thicker in the map */
		ck_assert_double_ge(gap_m, 0.01 * cm - 0.10);
		ck_assert_double_eq_tol(gap_m + short_m, 0.38, 0.011);
		ck_assert_double_lt(s.farthest_x_m, WALL_M);
		ck_assert_double_lt(s.explored_s, 45.0); /* simulated, the way home included */
		ck_assert_double_lt(s.driven_m, 8.0);
		ck_assert_uint_eq(s.contacts, 0);
	}
}
END_TEST

START_TEST(what_it_fits_through_is_driven_into_by_itself_and_narrower_when_asked)
{
	for (int cm = 38; cm <= 50; cm += 4) {
		struct seen s = explore(0.01 * cm);
		if (cm >= 42)
			ck_assert_double_gt(s.farthest_x_m, WALL_M + 0.05);
		ck_assert_double_gt(s.asked_x_m, WALL_M + 1.0);
		ck_assert_uint_eq(s.contacts, 0);
	}
}
END_TEST

CAIRN_TEST_MAIN("narrow-openings", what_is_too_narrow_costs_a_look_or_two_and_it_is_told_what_it_lacks,
    what_it_fits_through_is_driven_into_by_itself_and_narrower_when_asked)
