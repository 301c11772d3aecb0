/* The rules of procs/launcher/supervisor.c. Time is a number; processes are pids that nobody has. */
#include "procs/launcher/supervisor.h"

#include <errno.h>
#include <signal.h>

#include "common/base/geom.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS
#define KILLED 9 /* wait status of a process ended by SIGKILL */

static const struct cairn_sup_row rows[] = {
    {"motor", "m", false, false}, {"mapper", "x", true, false}, {"gateway", "g", true, false}};
static struct cairn_supervisor sup;
static struct cairn_sup_action acts[CAIRN_SUP_STAGES_MAX];
static int next_pid;

static void fresh(void)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	cfg.launcher.start_timeout_s = 2.0;
	cfg.launcher.stop_timeout_s = 1.0;
	cfg.launcher.deaths_max = 5;
	cfg.launcher.deaths_window_s = 60.0;
	cairn_sup_init(&sup, rows, 3, &cfg.launcher);
	next_pid = 100;
}

/* One step in which every wish to start comes true; the number of actions. */
static int step(int64_t now_ns, bool plane_up)
{
	int n = cairn_sup_step(&sup, now_ns, plane_up, acts);
	for (int i = 0; i < n; i++) {
		if (acts[i].verb == CAIRN_SUP_START)
			cairn_sup_started(&sup, acts[i].index, next_pid++, now_ns);
	}
	return n;
}

static void bring_up(int64_t now_ns)
{
	fresh();
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(step(now_ns, true), 1);
		cairn_sup_ready(&sup, i, now_ns);
	}
	ck_assert(cairn_sup_all_up_once(&sup));
}

START_TEST(a_stage_starts_only_when_those_before_it_are_ready)
{
	fresh();
	ck_assert_int_eq(step(0, true), 1);
	ck_assert_int_eq(acts[0].index, 0);
	ck_assert_int_eq(step(10 * MS, true), 0);
	cairn_sup_ready(&sup, 0, 20 * MS);
	ck_assert_int_eq(step(20 * MS, true), 1);
	ck_assert_int_eq(acts[0].index, 1);
	ck_assert_int_eq(sup.stages[0].state, CAIRN_STAGE_STATE_UP);
	ck_assert(!cairn_sup_all_up_once(&sup));
}
END_TEST

START_TEST(users_of_the_data_plane_wait_for_it)
{
	fresh();
	step(0, false);
	cairn_sup_ready(&sup, 0, 0);
	ck_assert_int_eq(step(10 * MS, false), 0);
	ck_assert_int_eq(step(20 * MS, true), 1);
}
END_TEST

START_TEST(the_first_death_is_answered_at_once_and_later_ones_ever_later)
{
	static const int64_t delays_ms[] = {0, 200, 500, 1000};
	bring_up(0);
	int64_t now = 20 * CAIRN_NS_PER_S;
	for (int k = 0; k < 4; k++) {
		ck_assert_int_eq(cairn_sup_exited(&sup, sup.stages[1].pid, KILLED, now), 1);
		ck_assert_int_eq(sup.stages[1].state, CAIRN_STAGE_STATE_BACKOFF);
		ck_assert_ptr_nonnull(strstr(sup.stages[1].note, "signal 9"));
		if (delays_ms[k] > 0)
			ck_assert_int_eq(step(now + delays_ms[k] * MS - 1, true), 0);
		now += delays_ms[k] * MS;
		ck_assert_int_eq(step(now, true), 1);
		cairn_sup_ready(&sup, 1, now);
		ck_assert_uint_eq(sup.stages[1].restarts, (unsigned)k + 1);
	}
}
END_TEST

START_TEST(a_stage_that_keeps_dying_is_held_until_an_operator_restarts_it)
{
	bring_up(0);
	int64_t now = 20 * CAIRN_NS_PER_S;
	for (int k = 0; k < 5; k++) {
		ck_assert_int_ne(sup.stages[2].state, CAIRN_STAGE_STATE_FAILED);
		cairn_sup_exited(&sup, sup.stages[2].pid, 1 << 8, now);
		now += 6 * CAIRN_NS_PER_S;
		step(now, true);
		cairn_sup_ready(&sup, 2, now);
	}
	ck_assert_int_eq(sup.stages[2].state, CAIRN_STAGE_STATE_FAILED);
	ck_assert_str_eq(sup.stages[2].note, "ended with status 1");
	ck_assert_int_eq(step(now + 1000 * CAIRN_NS_PER_S, true), 0);
	cairn_sup_restart(&sup, 2, "operator", now);
	ck_assert_int_eq(step(now, true), 1);
}
END_TEST

START_TEST(one_that_the_robot_spares_is_tried_again_when_its_first_death_is_long_ago)
{
	bring_up(0);
	sup.stages[2].row.spared = true;
	int64_t now = 20 * CAIRN_NS_PER_S, first = now;
	for (int k = 0; k < 5; k++) {
		cairn_sup_exited(&sup, sup.stages[2].pid, KILLED, now);
		now += 6 * CAIRN_NS_PER_S;
		step(now, true);
		cairn_sup_ready(&sup, 2, now);
	}
	ck_assert_int_eq(sup.stages[2].state, CAIRN_STAGE_STATE_FAILED);
	ck_assert_int_eq(step(first + 60 * CAIRN_NS_PER_S, true), 0);
	ck_assert_int_eq(step(first + 60 * CAIRN_NS_PER_S + 1, true), 1);
	cairn_sup_ready(&sup, 2, first + 61 * CAIRN_NS_PER_S);
	ck_assert_int_eq(sup.stages[2].state, CAIRN_STAGE_STATE_UP);
	cairn_sup_exited(&sup, sup.stages[2].pid, KILLED, first + 62 * CAIRN_NS_PER_S);
	ck_assert_int_eq(sup.stages[2].state,
	    CAIRN_STAGE_STATE_FAILED); /* once in a while, not once more and then for good */
	cairn_sup_go_down(&sup);
	ck_assert_int_eq(sup.stages[2].pid, 0);
	for (int i = 0; i < step(first + 900 * CAIRN_NS_PER_S, true); i++)
		ck_assert_int_ne(acts[i].verb, CAIRN_SUP_START);
}
END_TEST

START_TEST(deaths_far_apart_do_not_add_up)
{
	bring_up(0);
	int64_t now = 0;
	for (int k = 0; k < 20; k++) {
		now += 61 * CAIRN_NS_PER_S;
		cairn_sup_exited(&sup, sup.stages[0].pid, KILLED, now);
		ck_assert_int_eq(step(now, true), 1); /* at once, because it had been up for long */
		cairn_sup_ready(&sup, 0, now);
	}
	ck_assert_int_eq(sup.stages[0].state, CAIRN_STAGE_STATE_UP);
}
END_TEST

START_TEST(a_stage_that_is_not_ready_in_time_is_killed_once)
{
	fresh();
	step(0, true);
	ck_assert_int_eq(step(1999 * MS, true), 0);
	ck_assert_int_eq(step(2000 * MS, true), 1);
	ck_assert_int_eq(acts[0].verb, CAIRN_SUP_KILL);
	ck_assert_int_eq(step(2020 * MS, true), 0);
	cairn_sup_exited(&sup, 100, KILLED, 2030 * MS);
	ck_assert_ptr_nonnull(strstr(sup.stages[0].note, "not ready within 2.0 s"));
	ck_assert_int_eq(sup.stages[0].state, CAIRN_STAGE_STATE_BACKOFF);
}
END_TEST

START_TEST(a_program_that_cannot_be_started_counts_as_a_death)
{
	fresh();
	int n = cairn_sup_step(&sup, 0, true, acts);
	ck_assert_int_eq(n, 1);
	cairn_sup_started(&sup, 0, -ENOENT, 0);
	ck_assert_int_eq(sup.stages[0].state, CAIRN_STAGE_STATE_BACKOFF);
	ck_assert_ptr_nonnull(strstr(sup.stages[0].note, "No such file"));
}
END_TEST

START_TEST(going_down_asks_in_reverse_and_one_at_a_time)
{
	bring_up(0);
	cairn_sup_go_down(&sup);
	for (int i = 2; i >= 0; i--) {
		ck_assert_int_eq(step(CAIRN_NS_PER_S, true), 1);
		ck_assert_int_eq(acts[0].verb, CAIRN_SUP_TERM);
		ck_assert_int_eq(acts[0].index, i);
		ck_assert_int_eq(step(CAIRN_NS_PER_S + 1, true), 0);
		cairn_sup_exited(&sup, sup.stages[i].pid, 0, CAIRN_NS_PER_S + 2);
		ck_assert_int_eq(sup.stages[i].state, CAIRN_STAGE_STATE_DOWN);
	}
	ck_assert(cairn_sup_all_down(&sup));
	ck_assert_int_eq(step(9 * CAIRN_NS_PER_S, true), 0);
}
END_TEST

START_TEST(what_does_not_end_in_time_is_killed)
{
	bring_up(0);
	cairn_sup_go_down(&sup);
	step(0, true);
	ck_assert_int_eq(step(999 * MS, true), 0);
	ck_assert_int_eq(step(1000 * MS, true), 1);
	ck_assert_int_eq(acts[0].verb, CAIRN_SUP_KILL);
	ck_assert_int_eq(acts[0].index, 2);
	ck_assert_int_eq(step(1100 * MS, true), 0);
}
END_TEST

START_TEST(a_death_while_going_down_is_not_answered)
{
	bring_up(0);
	cairn_sup_go_down(&sup);
	step(0, true);
	cairn_sup_exited(&sup, sup.stages[0].pid, KILLED, 1);
	ck_assert_int_eq(sup.stages[0].state, CAIRN_STAGE_STATE_DOWN);
	ck_assert_int_eq(step(CAIRN_NS_PER_S / 2, true), 0);
}
END_TEST

START_TEST(a_lost_plane_takes_its_users_along_and_nobody_else)
{
	bring_up(0);
	cairn_sup_plane_lost(&sup, CAIRN_NS_PER_S);
	ck_assert_int_eq(step(CAIRN_NS_PER_S, false), 2);
	ck_assert_int_eq(acts[0].verb, CAIRN_SUP_TERM);
	ck_assert_int_eq(sup.stages[0].state, CAIRN_STAGE_STATE_UP);
	ck_assert(!cairn_sup_plane_unused(&sup));
	ck_assert_int_eq(step(1500 * MS, false), 2); /* half a second of grace */
	ck_assert_int_eq(acts[0].verb, CAIRN_SUP_KILL);
	cairn_sup_exited(&sup, sup.stages[1].pid, KILLED, 1510 * MS);
	cairn_sup_exited(&sup, sup.stages[2].pid, KILLED, 1510 * MS);
	ck_assert(cairn_sup_plane_unused(&sup));
	ck_assert_int_eq(step(1520 * MS, false), 0);
	ck_assert_int_eq(step(1600 * MS, true), 2); /* both at once: no order of need any more */
	ck_assert_int_eq(acts[1].verb, CAIRN_SUP_START);
	ck_assert_uint_eq(sup.stages[1].deaths, 0);
	ck_assert_uint_eq(sup.stages[1].restarts, 1);
}
END_TEST

START_TEST(a_restart_of_a_running_stage_ends_it_first)
{
	bring_up(0);
	cairn_sup_restart(&sup, 0, "restarted by an operator", 5 * CAIRN_NS_PER_S);
	ck_assert_int_eq(step(5 * CAIRN_NS_PER_S, true), 1);
	ck_assert_int_eq(acts[0].verb, CAIRN_SUP_TERM);
	cairn_sup_exited(&sup, sup.stages[0].pid, 0, 5100 * MS);
	ck_assert_int_eq(step(5120 * MS, true), 1);
	ck_assert_int_eq(acts[0].verb, CAIRN_SUP_START);
}
END_TEST

START_TEST(a_stage_that_misbehaves_is_asked_to_end_and_its_end_is_a_death)
{
	bring_up(0);
	int64_t now = 20 * CAIRN_NS_PER_S;
	for (int k = 0; k < 5; k++) {
		ck_assert_int_ne(sup.stages[1].state, CAIRN_STAGE_STATE_FAILED);
		cairn_sup_misbehaved(&sup, 1, "too fat", now);
		cairn_sup_misbehaved(&sup, 1, "again", now); /* it is being ended already */
		ck_assert_int_eq(step(now, true), 1);
		ck_assert_int_eq(acts[0].verb, CAIRN_SUP_TERM);
		cairn_sup_exited(&sup, sup.stages[1].pid, 0, now);
		ck_assert_str_eq(sup.stages[1].note, "too fat");
		now += 6 * CAIRN_NS_PER_S;
		step(now, true);
		cairn_sup_ready(&sup, 1, now);
	}
	ck_assert_int_eq(sup.stages[1].state, CAIRN_STAGE_STATE_FAILED);
	cairn_sup_misbehaved(&sup, 1, "gone", now); /* no process: nothing to end */
	ck_assert_int_eq(sup.stages[1].state, CAIRN_STAGE_STATE_FAILED);
}
END_TEST

START_TEST(strangers_are_no_stages)
{
	bring_up(0);
	ck_assert_int_eq(cairn_sup_exited(&sup, 4711, 0, 1), -1);
	ck_assert_int_eq(cairn_sup_find(&sup, "mapper"), 1);
	ck_assert_int_eq(cairn_sup_find(&sup, "mappe"), -1);
}
END_TEST

CAIRN_TEST_MAIN("supervisor", a_stage_starts_only_when_those_before_it_are_ready,
    users_of_the_data_plane_wait_for_it, the_first_death_is_answered_at_once_and_later_ones_ever_later,
    a_stage_that_keeps_dying_is_held_until_an_operator_restarts_it,
    one_that_the_robot_spares_is_tried_again_when_its_first_death_is_long_ago, deaths_far_apart_do_not_add_up,
    a_stage_that_is_not_ready_in_time_is_killed_once, a_program_that_cannot_be_started_counts_as_a_death,
    going_down_asks_in_reverse_and_one_at_a_time, what_does_not_end_in_time_is_killed,
    a_death_while_going_down_is_not_answered, a_lost_plane_takes_its_users_along_and_nobody_else,
    a_restart_of_a_running_stage_ends_it_first,
    a_stage_that_misbehaves_is_asked_to_end_and_its_end_is_a_death, strangers_are_no_stages)
