/* A sill that no sensor sees: the simulated robot drives against it, its bumper feels it, and the robot backs away from it. A stair
 * going down: its cliff sensor sees it, and the robot stands before its wheels are there and backs away, too. The whole stack,
 * with the guards of robot.guard_lines. */
#include "test/e2e/stack.h"

#define BACK_M 0.05

struct course {
	enum cairn_sensor by;
	const char *reason;
	bool felt, said; /* the stop by the motor stage, and its reason */
	double farthest_m;
};

static bool feels(const struct up_run *run, void *ctx)
{
	struct course *c = ctx;
	if (run->have_truth)
		c->farthest_m = fmax(c->farthest_m, run->truth.x_m);
	if (run->have_motion && run->motion.cause == c->by &&
	    run->motion.state == CAIRN_MOTOR_STATE_BLOCKED) {
		c->felt = true;
		c->said |= strcmp(run->motion.reason, c->reason) == 0;
	}
	return c->felt && run->have_truth && (c->by != CAIRN_SENSOR_BUMPER || run->truth.contacts > 0);
}

static bool has_backed_away(const struct up_run *run, void *ctx)
{
	struct course *c = ctx;
	(void)feels(run, ctx);
	return run->truth.x_m < c->farthest_m - BACK_M;
}

/* Sends the robot across the room, to where something is in its way; until it has backed away from that. */
static struct drill *meet(const char *world, struct course *c)
{
	const char *args[] = {"--world", world, "--set",
	    "robot.guard_lines=bumper 17 high, bumper_rear 18 high, cliff 22 high", "--set",
	    "mission.autostart=false", NULL};
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
	stack_must(drill, feels, c, "nothing stopped it");
	ck_assert(c->said);
	stack_must(drill, has_backed_away, c, "it did not back away");
	ck_assert_int_ne(fixture_run(drill)->motion.state, CAIRN_MOTOR_STATE_ESTOP);
	return drill;
}

START_TEST(a_robot_that_runs_into_what_nobody_sees_stops_and_backs_away)
{
	struct course c = {.by = CAIRN_SENSOR_BUMPER, .reason = "bumper pressed ahead"};
	struct drill *drill = meet("test/data/worlds/sill.yaml", &c);
	stack_interrupt(drill, 1); /* a run with a contact has not passed */
	fixture_destroy(&drill, false);
}
END_TEST

START_TEST(a_robot_that_comes_to_a_stair_stops_before_its_wheels_are_there_and_backs_away)
{
	struct course c = {.by = CAIRN_SENSOR_CLIFF, .reason = "drop ahead"};
	struct drill *drill = meet("test/data/worlds/drop.yaml", &c);
	stack_end_as(&drill, 1); /* no wheel was over the edge; a run without a decision has not passed */
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("guards", 240.0, a_robot_that_runs_into_what_nobody_sees_stops_and_backs_away,
    a_robot_that_comes_to_a_stair_stops_before_its_wheels_are_there_and_backs_away)
