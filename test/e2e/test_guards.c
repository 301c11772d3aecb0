/* A sill that no sensor sees: the simulated robot drives against it, its bumper feels it, and the robot backs away from it. The
 * whole stack, with the guards of robot.guard_lines. */
#include "test/e2e/stack.h"

#define BACK_M 0.05

struct course {
	bool felt, said; /* the stop by the motor stage, and its reason */
	double farthest_m;
};

static bool touches(const struct up_run *run, void *ctx)
{
	struct course *c = ctx;
	if (run->have_truth)
		c->farthest_m = fmax(c->farthest_m, run->truth.x_m);
	if (run->have_motion && run->motion.cause == CAIRN_SENSOR_BUMPER &&
	    run->motion.state == CAIRN_MOTOR_STATE_BLOCKED) {
		c->felt = true;
		c->said |= strcmp(run->motion.reason, "bumper pressed ahead") == 0;
	}
	return c->felt && run->have_truth && run->truth.contacts > 0;
}

static bool has_backed_away(const struct up_run *run, void *ctx)
{
	struct course *c = ctx;
	(void)touches(run, ctx);
	return run->truth.x_m < c->farthest_m - BACK_M;
}

START_TEST(a_robot_that_runs_into_what_nobody_sees_stops_and_backs_away)
{
	static const char *const args[] = {"--world", "test/data/worlds/sill.yaml", "--set",
	    "robot.guard_lines=bumper 17 high, bumper_rear 18 high, cliff 22 high", "--set",
	    "mission.autostart=false", NULL};
	struct course c = {0};
	struct stack_stage motor = {"motor", 0}, sequencer = {"sequencer", 0};
	struct drill *drill = stack_start(args);
	stack_must(drill, stack_is_up, &motor, "no motor stage");
	stack_must(drill, stack_is_up, &sequencer, "no sequencer");
	char line[400];
	snprintf(line, sizeof(line), "%s goto 3.0 0.0 --run %s >/dev/null 2>&1", CAIRN_PROGRAM,
	    fixture_run_dir(drill));
	bool sent = false;
	for (int i = 0; i < 100 && !sent; i++) { /* it takes orders as soon as it knows where it is */
		sent = system(line) == 0;
		fixture_pump(drill);
	}
	ck_assert(sent);
	stack_must(drill, touches, &c, "the bumper did not stop it");
	ck_assert(c.said);
	stack_must(drill, has_backed_away, &c, "it did not back away from the bumper");
	ck_assert_int_ne(fixture_run(drill)->motion.state, CAIRN_MOTOR_STATE_ESTOP);
	stack_interrupt(drill, 1); /* a run with a contact has not passed */
	fixture_destroy(&drill, false);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("guards", 240.0, a_robot_that_runs_into_what_nobody_sees_stops_and_backs_away)
