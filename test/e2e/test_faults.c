/* What a whole stack does when one of its processes keeps dying, hangs, or is left over from the stack
 * before. Real processes, a simulated house. */
#include "test/e2e/stack.h"

#include <poll.h>
#include <time.h>
#include <sys/syscall.h>

#include "common/base/geom.h"

static const char *const large_house[] = {"--world", "config/worlds/loop.yaml", "--fresh", NULL};

static bool explores_without_the_model(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->tier.tier == CAIRN_TIER_LOCAL &&
	       strstr(run->tier.reason, "gateway is held failed") != NULL &&
	       run->mission.decision_source == CAIRN_SOURCE_LOCAL && run->motion.v_mps != 0.0;
}

static bool model_decides(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->tier.tier == CAIRN_TIER_NORMAL && run->mission.decision_source == CAIRN_SOURCE_MODEL &&
	       run->motion.v_mps != 0.0;
}

START_TEST(without_a_gateway_it_explores_by_itself_until_an_operator_restarts_it)
{
	char text[8192];
	struct stack_stage gateway = {"gateway", 0};
	struct drill *drill = stack_start(large_house);
	stack_must(drill, stack_drives, NULL, "does not drive");
	stack_kill_for_good(drill, "gateway");
	stack_must(drill, explores_without_the_model, NULL, "does not explore without the model");
	ck_assert_int_eq(stack_cairn(drill, "status", text, sizeof(text)), 1);
	ck_assert_msg(
	    strstr(text, "without it the robot explores frontiers without the model") != NULL, "%s", text);
	ck_assert_msg(strstr(text, "gateway died too often") != NULL, "%s", text);
	stack_ask(drill, CAIRN_SERVICE_LAUNCHER_CTL, "restart", "gateway");
	stack_must(drill, stack_is_up, &gateway, "the gateway is not restarted");
	stack_must(drill, model_decides, NULL, "the model is not asked again");
	stack_end(&drill);
}
END_TEST

static bool stands_for_the_mapper(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return strstr(run->mission.activity, "mapper is held failed") != NULL && run->motion.v_mps == 0.0;
}

START_TEST(without_a_mapper_it_stands_until_an_operator_restarts_it)
{
	struct drill *drill = stack_start(large_house);
	stack_must(drill, stack_drives, NULL, "does not drive");
	stack_kill_for_good(drill, "mapper");
	stack_must(drill, stands_for_the_mapper, NULL, "does not stand");
	struct stack_stretch while_failed = {.s = 3.0};
	stack_must(drill, stack_stretch_over, &while_failed, "the motor stage is silent");
	ck_assert(!while_failed.moved);
	stack_ask(drill, CAIRN_SERVICE_LAUNCHER_CTL, "restart", "mapper");
	stack_must(drill, stack_drives, NULL, "does not drive after the restart");
	stack_end(&drill);
}
END_TEST

START_TEST(a_stage_that_hangs_is_killed_and_started_again)
{
	static const char *const victims[] = {"gateway", "mapper", "motor", "watchdog", "gateway"};
	struct drill *drill = stack_start(large_house);
	for (size_t i = 0; i < sizeof(victims) / sizeof(victims[0]); i++) {
		char told[64];
		stack_must(drill, stack_drives, NULL, "does not drive");
		struct stack_stage victim = {victims[i], fixture_pid(drill, victims[i])};
		kill(victim.not_pid, SIGSTOP); /* and nobody continues it */
		stack_must(drill, stack_is_up, &victim, victims[i]);
		bool itself =
		    strcmp(victims[i], "watchdog") == 0; /* its hanging is the launcher's business */
		snprintf(told, sizeof(told), itself ? "killing the %s" : "watchdog asks to restart %s",
		    victims[i]);
		ck_assert_msg(stack_file_tells(drill, "logs/launcher.log", told), "%s; see %s", told,
		    fixture_run_dir(drill));
	}
	stack_must(drill, stack_drives, NULL, "does not drive after the last");
	stack_end(&drill);
}
END_TEST

static bool waits_for_a_person(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_motion && run->motion.state == CAIRN_MOTOR_STATE_REARMING &&
	       run->motion.v_mps == 0.0;
}

START_TEST(where_an_operator_is_to_rearm_nothing_drives_before_a_release)
{
	static const char *const args[] = {
	    "--world", "config/worlds/loop.yaml", "--set", "safety.rearm=operator", NULL};
	static const char *const victims[] = {"motor", "sequencer", "launcher"};
	struct drill *drill = stack_start(args);
	for (size_t i = 0; i < sizeof(victims) / sizeof(victims[0]); i++) {
		stack_must(drill, stack_drives, NULL, "does not drive");
		struct stack_stage victim = {victims[i], fixture_pid(drill, victims[i])};
		kill(victim.not_pid, SIGKILL);
		stack_must(drill, stack_is_up, &victim, victims[i]);
		stack_must(drill, waits_for_a_person, NULL, "does not wait for a release");
		struct stack_stretch waiting = {.s = 3.0};
		stack_must(drill, stack_stretch_over, &waiting, "the motor stage is silent");
		ck_assert(!waiting.moved);
		stack_must(drill, waits_for_a_person, NULL, "waits for a release no more");
		stack_ask(drill, CAIRN_SERVICE_MOTOR_CTL, "release", "");
	}
	stack_must(drill, stack_drives, NULL, "does not drive after the release");
	stack_end(&drill);
}
END_TEST

static bool stands_for_the_stop(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_motion && run->motion.state == CAIRN_MOTOR_STATE_ESTOP && run->motion.v_mps == 0.0;
}

static void latch_a_stop(struct drill *drill)
{
	stack_must(drill, stack_drives, NULL, "does not drive");
	stack_ask(drill, CAIRN_SERVICE_MOTOR_CTL, "stop", "somebody fell");
	stack_must(drill, stands_for_the_stop, NULL, "does not stop");
	stack_must(drill, stack_has_come_up, NULL, "a stage does not come up");
}

/* A motor stage other than before is up, and has known of the stop from its first word on. */
static void still_latched(struct drill *drill, int motor_before)
{
	struct stack_stage motor = {"motor", motor_before}, sequencer = {"sequencer", 0};
	stack_must(drill, stack_is_up, &motor, "no motor stage comes back");
	stack_must(drill, stack_is_up, &sequencer, "no sequencer comes back");
	stack_must(drill, stack_has_come_up, NULL, "a stage does not come up");
	struct stack_stretch after = {.s = 3.0};
	stack_must(drill, stack_stretch_over, &after, "the motor stage is silent");
	ck_assert(!after.moved);
	stack_must(drill, stands_for_the_stop, NULL,
	    "is stopped no more"); /* a late board is told of in its place */
	ck_assert_str_eq(fixture_run(drill)->motion.reason, "operator");
}

START_TEST(an_emergency_stop_outlives_whatever_is_killed_until_an_operator_releases_it)
{
	static const char *const victims[] = {"motor", "launcher"};
	struct drill *drill = stack_start(large_house);
	latch_a_stop(drill);
	for (size_t i = 0; i < sizeof(victims) / sizeof(victims[0]); i++) {
		int motor = fixture_pid(drill, "motor");
		kill(fixture_pid(drill, victims[i]), SIGKILL);
		still_latched(drill, motor);
	}
	int motor = fixture_pid(drill, "motor");
	kill(fixture_up_pid(drill), SIGKILL);
	ck_assert_int_eq(fixture_end(drill, 0, STACK_PATIENCE_S, NULL, 0), -1);
	stack_start_again(drill, large_house);
	still_latched(drill, motor);
	ck_assert(stack_file_tells(
	    drill, "up.out", "the emergency stop of the run before holds (operator: somebody fell)"));
	stack_ask(drill, CAIRN_SERVICE_MOTOR_CTL, "release", "");
	stack_must(drill, stack_drives, NULL, "does not drive after the release");
	stack_end(&drill);
}
END_TEST

START_TEST(an_emergency_stop_outlives_the_end_of_a_stack_that_no_operator_took_down)
{
	char text[1024];
	struct drill *drill = stack_start(large_house);
	latch_a_stop(drill);
	int motor = fixture_pid(drill, "motor");
	ck_assert_int_eq(
	    fixture_end(drill, SIGTERM, STACK_PATIENCE_S, NULL, 0), 0); /* a service manager's end */
	stack_start_again(drill, large_house);
	still_latched(drill, motor);
	ck_assert_int_eq(stack_cairn(drill, "down", text, sizeof(text)), 0);
	ck_assert_int_eq(fixture_end(drill, 0, STACK_PATIENCE_S, NULL, 0), 0);
	stack_start_again(drill, large_house);
	stack_must(drill, stack_drives, NULL, "an operator who began anew is not obeyed");
	stack_end(&drill);
}
END_TEST

/* The stages as they are now, to wait for the end of each; how many. */
static nfds_t watch_ends(const struct up_run *run, struct pollfd *ends, nfds_t most)
{
	nfds_t count = 0;
	for (uint32_t i = 0; i < run->stages.items_count && count < most; i++) {
		long fd =
		    run->stages.items[i].pid > 0 ? syscall(SYS_pidfd_open, run->stages.items[i].pid, 0) : -1;
		if (fd >= 0)
			ends[count++] = (struct pollfd){.fd = (int)fd, .events = POLLIN};
	}
	return count;
}

static void await_ends(struct pollfd *ends, nfds_t count)
{
	for (nfds_t i = 0; i < count; i++) {
		ck_assert_int_eq(poll(&ends[i], 1, (int)(STACK_PATIENCE_S * 1e3)), 1);
		close(ends[i].fd);
	}
}

START_TEST(when_cairn_up_is_killed_everything_ends_and_the_next_one_starts_over)
{
	struct drill *drill = stack_start(large_house);
	stack_must(drill, stack_drives, NULL, "does not drive");
	struct pollfd ends[32];
	nfds_t count = watch_ends(fixture_run(drill), ends, 32);
	ck_assert_uint_gt(count, 10);
	kill(fixture_up_pid(drill), SIGKILL);
	ck_assert_int_eq(fixture_end(drill, 0, STACK_PATIENCE_S, NULL, 0), -1);
	await_ends(ends, count);
	stack_start_again(drill, large_house); /* over the sockets and locks that lie about */
	stack_must(drill, stack_drives, NULL, "does not drive again");
	stack_end(&drill);
}
END_TEST

START_TEST(a_hung_stage_of_the_stack_before_is_cleaned_away)
{
	struct drill *drill = stack_start(large_house);
	stack_must(drill, stack_drives, NULL, "does not drive");
	int mapper = fixture_pid(drill, "mapper"), motor = fixture_pid(drill, "motor");
	kill(mapper, SIGSTOP);
	kill(motor, SIGSTOP); /* the wheels still turn */
	kill(fixture_up_pid(drill), SIGKILL);
	ck_assert_int_eq(fixture_end(drill, 0, STACK_PATIENCE_S, NULL, 0), -1);
	ck_assert_int_eq(kill(mapper, 0), 0);
	ck_assert_int_eq(kill(motor, 0), 0);
	stack_start_again(drill, large_house);
	stack_must(drill, stack_drives, NULL, "does not drive again");
	ck_assert_int_ne(fixture_pid(drill, "mapper"), mapper);
	stack_end(&drill);
}
END_TEST

static int64_t mono_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * CAIRN_NS_PER_S + now.tv_nsec;
}

/* By the truth, since *ctx: what was heard before may be of a motor stage that is gone. */
static bool rolls(const struct up_run *run, void *ctx)
{
	const int64_t *since_ns = ctx;
	return run->stamp_ns[UP_TRUTH] > *since_ns && run->stamp_ns[UP_STAGES] > *since_ns &&
	       run->stamp_ns[UP_MOTION] > *since_ns && run->truth.v_mps > 0.1 && run->motion.v_mps > 0.1;
}

static bool has_stood(const struct up_run *run, void *ctx)
{
	const int64_t *frozen_ns = ctx;
	return run->stamp_ns[UP_TRUTH] > *frozen_ns && run->truth.v_mps == 0.0 &&
	       run->truth.stood_ns > *frozen_ns;
}

/* Who feeds the wheels and who stops them when nobody does. Time and way are told, not judged: the machine may be busy. */
START_TEST(a_motor_stage_and_a_watchdog_both_frozen_leave_the_wheels_standing)
{
	struct drill *drill = stack_start(large_house);
	for (int i = 0; i < 3; i++) {
		struct stack_stage motor = {"motor", 0}, watchdog = {"watchdog", 0};
		stack_must(drill, stack_is_up, &motor, "no motor stage");
		stack_must(drill, stack_is_up, &watchdog, "no watchdog");
		int64_t since_ns = mono_ns();
		stack_must(drill, rolls, &since_ns, "does not drive");
		motor.not_pid = fixture_pid(drill, "motor");
		watchdog.not_pid = fixture_pid(drill, "watchdog");
		double way_m = fixture_run(drill)->truth.distance_m;
		int64_t frozen_ns = mono_ns();
		ck_assert_int_eq(kill(watchdog.not_pid, SIGSTOP), 0);
		ck_assert_int_eq(kill(motor.not_pid, SIGSTOP), 0);
		stack_must(drill, has_stood, &frozen_ns, "the wheels still turn");
		const struct cairn_msg_sim_truth *t = &fixture_run(drill)->truth;
		fprintf(stderr, "both frozen: braked after %.3f s, stood after %.3f s and %.2f m\n",
		    (double)(t->braked_ns - frozen_ns) * 1e-9, (double)(t->stood_ns - frozen_ns) * 1e-9,
		    t->distance_m - way_m);
		ck_assert(stack_file_tells(drill, "logs/launcher.log", "stopping the base directly"));
		stack_must(drill, stack_is_up, &watchdog, "a frozen watchdog is not replaced");
		stack_must(drill, stack_is_up, &motor, "a frozen motor stage is not replaced");
	}
	stack_end(&drill);
}
END_TEST

/* Nobody would start again what dies then. */
START_TEST(a_launcher_that_hangs_is_ended_and_everything_starts_again)
{
	struct drill *drill = stack_start(large_house);
	stack_must(drill, stack_drives, NULL, "does not drive");
	int launcher = fixture_pid(drill, "launcher");
	struct stack_stage sequencer = {"sequencer", fixture_pid(drill, "sequencer")};
	kill(launcher, SIGSTOP); /* and nobody continues it */
	stack_must(drill, stack_is_up, &sequencer, "the launcher hangs");
	ck_assert_int_ne(fixture_pid(drill, "launcher"), launcher);
	stack_must(drill, stack_drives, NULL, "does not drive again");
	stack_end(&drill);
}
END_TEST

/* ---- a decision under way ---- */

static bool on_a_way_of_the_models(const struct up_run *run, void *ctx)
{
	return model_decides(run, ctx) && strncmp(run->mission.activity, "navigate_to_goal", 16) == 0;
}

struct reborn {
	struct stack_stage sequencer;
	int64_t after_ns;
};

static bool decides_again(const struct up_run *run, void *ctx)
{
	struct reborn *r = ctx;
	return stack_is_up(run, &r->sequencer) && run->stamp_ns[UP_MISSION] > r->after_ns &&
	       run->mission.decision_id != 0;
}

/* A way may just be over, or the model asked ahead may be faster: a few tries for each. */
START_TEST(a_way_of_the_models_outlives_the_sequencer_and_the_launcher)
{
	static const char *const victims[] = {"sequencer", "launcher"};
	struct drill *drill = stack_start(large_house);
	for (size_t i = 0; i < sizeof(victims) / sizeof(victims[0]); i++) {
		uint64_t under_way = 0, then = 1;
		for (int k = 0; k < 5 && then != under_way; k++) {
			stack_must(drill, on_a_way_of_the_models, NULL, "is not on a way");
			under_way = fixture_run(drill)->mission.decision_id;
			struct reborn r = {{"sequencer", fixture_pid(drill, "sequencer")},
			    fixture_run(drill)->stamp_ns[UP_MISSION] + 300 * CAIRN_NS_PER_MS};
			kill(fixture_pid(drill, victims[i]), SIGKILL);
			stack_must(drill, decides_again, &r, victims[i]);
			then = fixture_run(drill)->mission.decision_id;
		}
		ck_assert_msg(then == under_way, "%s; see %s", victims[i], fixture_run_dir(drill));
		stack_must(drill, stack_drives, NULL, "does not drive on");
	}
	stack_end(&drill);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("faults", 300.0,
    without_a_gateway_it_explores_by_itself_until_an_operator_restarts_it,
    without_a_mapper_it_stands_until_an_operator_restarts_it, a_stage_that_hangs_is_killed_and_started_again,
    where_an_operator_is_to_rearm_nothing_drives_before_a_release,
    an_emergency_stop_outlives_whatever_is_killed_until_an_operator_releases_it,
    an_emergency_stop_outlives_the_end_of_a_stack_that_no_operator_took_down,
    when_cairn_up_is_killed_everything_ends_and_the_next_one_starts_over,
    a_hung_stage_of_the_stack_before_is_cleaned_away,
    a_motor_stage_and_a_watchdog_both_frozen_leave_the_wheels_standing,
    a_launcher_that_hangs_is_ended_and_everything_starts_again,
    a_way_of_the_models_outlives_the_sequencer_and_the_launcher)
