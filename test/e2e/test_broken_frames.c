/* Broken frames on the data plane of a running stack: refused, counted, survived. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "test/e2e/stack.h"

/* Who reads frames, and how many it must have refused. Some are overtaken by a newer one before they are
 * looked at, so the stranger goes on until they have. */
static const char *const readers[] = {"annotator", "planner"};
#define READERS (sizeof(readers) / sizeof(readers[0]))
#define REFUSED_MIN 60 /* each way of being broken several times */

struct beats {
	struct cairn_sub *subs[READERS];
	uint64_t before[READERS], now[READERS];
	bool heard[READERS];
};

static void listen(struct beats *beats)
{
	for (size_t i = 0; i < READERS; i++) {
		struct cairn_msg_heartbeat beat;
		struct cairn_header hdr;
		while (cairn_sub_recv(beats->subs[i], &beat, &hdr) == 1) {
			beats->now[i] = beat.rejects;
			beats->heard[i] = true;
		}
	}
}

static bool all_heard(const struct up_run *run, void *ctx)
{
	struct beats *beats = ctx;
	(void)run;
	listen(beats);
	return beats->heard[0] && beats->heard[1];
}

static bool all_counted(const struct up_run *run, void *ctx)
{
	struct beats *beats = ctx;
	(void)run;
	listen(beats);
	for (size_t i = 0; i < READERS; i++) {
		if (beats->now[i] < beats->before[i] + REFUSED_MIN)
			return false;
	}
	return true;
}

static bool wheels_turn(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_mission && run->have_motion && run->have_truth && run->mission.decision_id != 0 &&
	       run->motion.v_mps != 0.0;
}

static bool decided_more(const struct up_run *run, void *ctx)
{
	return run->mission.decisions > *(const uint64_t *)ctx;
}

static pid_t start_stranger(const char *run_dir)
{
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(CAIRN_PROGRAM, CAIRN_PROGRAM, "exec", "--run", run_dir, "--", CAIRN_STRANGER,
		    (char *)NULL);
		_exit(127);
	}
	return pid;
}

START_TEST(broken_frames_are_refused_counted_and_survived)
{
	static const char *const args[] = {"--world", "config/worlds/home.yaml", NULL};
	struct cairn_error err = {""};
	struct beats beats = {0};
	struct drill *drill = stack_start(args);
	struct cairn_bus *bus = cairn_bus_new(fixture_run_dir(drill), &err);
	ck_assert_msg(bus != NULL, "%s", err.text);
	for (size_t i = 0; i < READERS; i++) {
		beats.subs[i] = cairn_sub_new(bus, CAIRN_TOPIC_HEARTBEAT, readers[i], &err);
		ck_assert_msg(beats.subs[i] != NULL, "%s", err.text);
	}
	ck_assert_msg(fixture_wait(drill, wheels_turn, NULL, STACK_UP_S), "does not drive; see %s",
	    fixture_run_dir(drill));
	ck_assert_msg(fixture_wait(drill, all_heard, &beats, STACK_UP_S), "no heartbeats; see %s",
	    fixture_run_dir(drill));
	memcpy(beats.before, beats.now, sizeof(beats.before));

	pid_t stranger = start_stranger(fixture_run_dir(drill));
	ck_assert_int_gt(stranger, 0);
	bool counted = fixture_wait(drill, all_counted, &beats, STACK_PATIENCE_S);
	int status = -1;
	kill(stranger, SIGTERM);
	waitpid(stranger, &status, 0);
	ck_assert_msg(
	    WIFEXITED(status) && WEXITSTATUS(status) == 0, "the stranger ended with %x", (unsigned)status);
	ck_assert_msg(counted, "refused %d and %d; see %s", (int)(beats.now[0] - beats.before[0]),
	    (int)(beats.now[1] - beats.before[1]), fixture_run_dir(drill));

	uint64_t decisions = fixture_run(drill)->mission.decisions;
	ck_assert_msg(fixture_wait(drill, decided_more, &decisions, STACK_PATIENCE_S),
	    "decides no more; see %s", fixture_run_dir(drill));
	ck_assert_msg(fixture_wait(drill, wheels_turn, NULL, STACK_PATIENCE_S), "drives no more; see %s",
	    fixture_run_dir(drill));
	ck_assert_uint_eq(fixture_run(drill)->truth.contacts, 0);
	ck_assert_uint_eq(fixture_run(drill)->stages.restarts, 0);
	cairn_bus_destroy(&bus);
	stack_interrupt(drill, 0);
	fixture_destroy(&drill, false);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("broken frames", 240.0, broken_frames_are_refused_counted_and_survived)
