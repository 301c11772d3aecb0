/* The lists of launcher.fifo and launcher.affinity. */
#include "procs/launcher/placement.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/support/runner.h"

static struct cairn_config cfg;

static bool check(const char *fifo, const char *affinity, struct cairn_error *err)
{
	cairn_config_defaults(&cfg);
	snprintf(cfg.launcher.fifo, sizeof(cfg.launcher.fifo), "%s", fifo);
	snprintf(cfg.launcher.affinity, sizeof(cfg.launcher.affinity), "%s", affinity);
	return cairn_placement_check(&cfg.launcher, err);
}

START_TEST(a_stage_gets_what_the_lists_say_and_others_nothing)
{
	struct cairn_error err = {""};
	ck_assert_msg(check("motor:50, sequencer:40", "motor:1", &err), "%s", err.text);
	struct cairn_placement motor = cairn_placement_of(&cfg.launcher, "motor");
	struct cairn_placement sequencer = cairn_placement_of(&cfg.launcher, "sequencer");
	struct cairn_placement mapper = cairn_placement_of(&cfg.launcher, "mapper");
	ck_assert_int_eq(motor.fifo, 50);
	ck_assert_int_eq(motor.cpu, 1);
	ck_assert_int_eq(sequencer.fifo, 40);
	ck_assert_int_eq(sequencer.cpu, -1);
	ck_assert_int_eq(mapper.fifo, 0);
	ck_assert_int_eq(mapper.cpu, -1);
}
END_TEST

START_TEST(lists_that_make_no_sense_are_refused_with_the_reason)
{
	static const struct {
		const char *fifo, *affinity, *reason;
	} cases[] = {{"moto:50", "", "launcher.fifo: 'moto' is no stage"},
	    {"motor", "", "write stage:number"}, {"motor:", "", "write stage:number"},
	    {"motor:0", "", "from 1 to 99"}, {"motor:100", "", "from 1 to 99"},
	    {"motor:5x", "", "write stage:number"}, {"motor:-5", "", "write stage:number"},
	    {"motor:99999999999999999999", "", "from 1 to 99"},
	    {"motor:5 mapper:6 motor:7", "", "motor stands there twice"},
	    {"", "motor:0 nobody:1", "launcher.affinity: 'nobody' is no stage"},
	    {":5", "", "'' is no stage"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cairn_error err = {""};
		ck_assert(!check(cases[i].fifo, cases[i].affinity, &err));
		ck_assert_msg(strstr(err.text, cases[i].reason) != NULL, "%zu: %s", i, err.text);
	}
}
END_TEST

START_TEST(empty_lists_change_nothing)
{
	struct cairn_error err = {""};
	ck_assert(check("", " , ", &err));
	struct cairn_placement none = cairn_placement_of(&cfg.launcher, "motor");
	ck_assert_int_eq(cairn_placement_apply(&none, 0), 0);
	ck_assert_int_eq(sched_getscheduler(0), SCHED_OTHER);
}
END_TEST

START_TEST(a_processor_that_is_not_there_is_an_error)
{
	struct cairn_placement far = {0, CPU_SETSIZE - 1};
	ck_assert_int_lt(cairn_placement_apply(&far, 0), 0);
}
END_TEST

START_TEST(what_the_robot_does_without_a_stage_is_the_tables_word_or_the_configurations)
{
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	ck_assert_int_eq(cairn_without_of(&cfg.launcher, "gateway"), CAIRN_WITHOUT_LOCAL);
	ck_assert_int_eq(cairn_without_of(&cfg.launcher, "mapper"), CAIRN_WITHOUT_STAND);
	ck_assert_int_eq(cairn_without_of(&cfg.launcher, "motor"), CAIRN_WITHOUT_STAND);
	ck_assert_int_eq(cairn_without_of(&cfg.launcher, "canary"), CAIRN_WITHOUT_GO_ON);
	ck_assert_int_eq(cairn_without_of(&cfg.launcher, "nobody"), CAIRN_WITHOUT_STAND);
	snprintf(cfg.launcher.without, sizeof(cfg.launcher.without), "gateway:home, canary:stand");
	ck_assert_msg(cairn_placement_check(&cfg.launcher, &err), "%s", err.text);
	ck_assert_int_eq(cairn_without_of(&cfg.launcher, "gateway"), CAIRN_WITHOUT_HOME);
	ck_assert_int_eq(cairn_without_of(&cfg.launcher, "canary"), CAIRN_WITHOUT_STAND);
	ck_assert_int_eq(cairn_without_of(&cfg.launcher, "annotator"), CAIRN_WITHOUT_LOCAL);
}
END_TEST

START_TEST(wishes_that_make_no_sense_are_refused_with_the_reason)
{
	static const struct {
		const char *list, *reason;
	} cases[] = {{"gatway:home", "launcher.without: 'gatway' is no stage"},
	    {"gateway", "write stage:word"}, {"gateway:", "write stage:word"},
	    {"gateway:fly", "write stage:word"}, {"gateway:home gateway:stand", "gateway stands there twice"},
	    {"mapper:local", "the robot stands without it"}, {"motor:go_on", "the robot stands without it"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cairn_error err = {""};
		cairn_config_defaults(&cfg);
		snprintf(cfg.launcher.without, sizeof(cfg.launcher.without), "%s", cases[i].list);
		ck_assert(!cairn_placement_check(&cfg.launcher, &err));
		ck_assert_msg(strstr(err.text, cases[i].reason) != NULL, "%zu: %s", i, err.text);
	}
}
END_TEST

struct sleeper {
	pthread_mutex_t hold;
	_Atomic pid_t tid;
};

static void *sleep_until_let_go(void *ctx)
{
	struct sleeper *s = ctx;
	s->tid = (pid_t)syscall(SYS_gettid);
	pthread_mutex_lock(&s->hold);
	pthread_mutex_unlock(&s->hold);
	return NULL;
}

/* In a process of its own: a failed test must not leave this one with a priority. */
static int place_with_a_thread(void)
{
	struct sleeper s = {.hold = PTHREAD_MUTEX_INITIALIZER};
	struct cairn_placement placement = {.fifo = 1, .cpu = -1};
	pthread_t thread;
	pthread_mutex_lock(&s.hold);
	if (pthread_create(&thread, NULL, sleep_until_let_go, &s) != 0)
		return 2;
	while (s.tid == 0)
		sched_yield();
	int r = cairn_placement_apply(&placement, getpid());
	int wanted = r == 0 ? SCHED_FIFO : SCHED_OTHER;
	bool ok = sched_getscheduler(0) == wanted && sched_getscheduler(s.tid) == wanted;
	pthread_mutex_unlock(&s.hold);
	pthread_join(thread, NULL);
	return ok ? 0 : 1;
}

START_TEST(threads_that_are_there_already_are_placed_as_well)
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0)
		_exit(place_with_a_thread());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

CAIRN_TEST_MAIN("placement", a_stage_gets_what_the_lists_say_and_others_nothing,
    lists_that_make_no_sense_are_refused_with_the_reason, empty_lists_change_nothing,
    what_the_robot_does_without_a_stage_is_the_tables_word_or_the_configurations,
    wishes_that_make_no_sense_are_refused_with_the_reason, a_processor_that_is_not_there_is_an_error,
    threads_that_are_there_already_are_placed_as_well)
