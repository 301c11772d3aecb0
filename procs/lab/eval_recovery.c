/* eval_recovery.c - every process of a driving stack is killed once with SIGKILL: how long until decisions
 * are driven again, and was anything touched?
 *
 * again_s is the time from the kill until the wheels turn for a decision after the last time they stood
 * because of it: because the motor stage missed its command, scan or device, or because the decision that was
 * under way did not move them. It is judged when the successor has been up for SETTLE_NS, so that a stop that
 * comes late (old messages stay fresh for a while) is not overlooked; 0 means that the wheels never stood.
 * Pass marks: 2 s, 5 s for RouDi, no contact. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "procs/lab/bench.h"
#include "procs/lab/chaos_meter.h"
#include "procs/cli/cli.h"
#include "procs/lab/stack_fixture.h"
#include "procs/cli/rundir.h"

#define UP_TIMEOUT_S 30.0
#define AGAIN_TIMEOUT_S 30.0
#define LIMIT_STAGE_S 2.0
#define LIMIT_PLANE_S 5.0
#define SETTLE_NS INT64_C(1000000000)

struct victim {
	const char *name;
	int pid;
	uint64_t decision_id;   /* under way when it was killed */
	int64_t kill_ns, up_ns; /* up_ns: when its successor was first seen; 0 = not yet */
	bool stood;             /* since the kill */
	int64_t seen_ns,
	    drive_ns; /* newest motion looked at; first one that drives after the last that stood */
};

static const struct cairn_msg_stage *row_of(const struct up_run *run, const char *name)
{
	for (uint32_t i = 0; i < run->stages.items_count; i++) {
		if (strcmp(run->stages.items[i].name, name) == 0)
			return &run->stages.items[i];
	}
	return NULL;
}

static bool driving(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_mission && run->have_motion && run->have_stages && run->mission.decision_id != 0 &&
	       run->mission.decisions >= 1 && run->motion.v_mps != 0.0;
}

/* The wheels stand, and it is the kill's doing. */
static bool held(const struct up_run *run, const struct victim *v)
{
	/* at the goal it stands because it has arrived */
	return chaos_held(run->motion.state) ||
	       (run->motion.v_mps == 0.0 && run->mission.decision_id == v->decision_id &&
		   run->nav.state != CAIRN_NAV_STATE_REACHED);
}

static void look_at_motion(const struct up_run *run, struct victim *v)
{
	int64_t stamp_ns = run->stamp_ns[UP_MOTION];
	if (stamp_ns <= v->kill_ns || stamp_ns == v->seen_ns)
		return;
	v->seen_ns = stamp_ns;
	if (held(run, v)) {
		v->stood = true;
		v->drive_ns = 0;
	} else if (v->drive_ns == 0 && driving(run, NULL)) {
		v->drive_ns = stamp_ns;
	}
}

static bool driven_again(const struct up_run *run, void *ctx)
{
	struct victim *v = ctx;
	const struct cairn_msg_stage *row = row_of(run, v->name);
	look_at_motion(run, v);
	bool up = row != NULL && row->state == CAIRN_STAGE_STATE_UP && row->pid != v->pid && row->pid != 0;
	if (v->up_ns == 0 && up && run->stamp_ns[UP_STAGES] > v->kill_ns)
		v->up_ns = run->stamp_ns[UP_STAGES];
	return v->up_ns != 0 && v->drive_ns != 0 && v->seen_ns > v->up_ns + SETTLE_NS;
}

static bool finished(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_mission && run->mission.state != CAIRN_MISSION_STATE_EXPLORING;
}

/* Kills one process; adds its line; false when the stack does not drive again. */
static bool kill_one(struct drill *drill, const char *name, json_t *list, bool *ret_passed)
{
	double limit_s = strcmp(name, "roudi") == 0 ? LIMIT_PLANE_S : LIMIT_STAGE_S;
	if (!fixture_wait(drill, driving, NULL, UP_TIMEOUT_S))
		return false;
	struct victim v = {.name = name,
	    .pid = fixture_pid(drill, name),
	    .decision_id = fixture_run(drill)->mission.decision_id,
	    .kill_ns = cli_now_ns()};
	if (v.pid <= 0) {
		*ret_passed = false;
		json_array_append_new(
		    list, json_pack("{s:s,s:s}", "stage", name, "problem", "was not running"));
		return true;
	}
	kill(v.pid, SIGKILL);
	bool again = fixture_wait(drill, driven_again, &v, AGAIN_TIMEOUT_S);
	if (cli_interrupted())
		return false;
	double again_s = !again ? AGAIN_TIMEOUT_S : v.stood ? (double)(v.drive_ns - v.kill_ns) * 1e-9 : 0.0;
	bool in_time = again && again_s <= limit_s;
	json_array_append_new(list, json_pack("{s:s,s:f,s:f,s:b}", "stage", name, "again_s", again_s,
					"limit_s", limit_s, "passed", in_time));
	fprintf(stderr, "%-15s %s after %.2f s (limit %.0f)\n", name,
	    again ? "driven again" : "NOT driven again", again_s, limit_s);
	*ret_passed = *ret_passed && in_time;
	return again;
}

static bool run_drill(struct drill *drill, json_t *figures)
{
	static const char *const others[] = {"roudi", "launcher"};
	json_t *list = json_array();
	bool passed = true, going = fixture_wait(drill, driving, NULL, UP_TIMEOUT_S);
	struct cairn_msg_stages table = fixture_run(drill)->stages;
	for (uint32_t i = 0; going && i < table.items_count; i++) {
		const char *name = table.items[i].name;
		if (strcmp(name, others[0]) != 0 && strcmp(name, others[1]) != 0)
			going = kill_one(drill, name, list, &passed);
	}
	for (int i = 0; going && i < 2; i++)
		going = kill_one(drill, others[i], list, &passed);
	bool over = fixture_wait(drill, finished, NULL, 0.0);
	unsigned contacts = fixture_run(drill)->truth.contacts;
	struct cairn_error left = {""};
	int status = fixture_end(drill, SIGINT, 60.0, NULL, 0);
	int leftovers = fixture_leftovers(drill, &left);
	json_object_set_new(figures, "kills", list);
	json_object_set_new(figures, "contacts", json_integer(contacts));
	json_object_set_new(figures, "exit_status", json_integer(status));
	json_object_set_new(figures, "leftovers", json_integer(leftovers));
	if (leftovers > 0)
		json_object_set_new(figures, "left", json_string(left.text));
	if (!going)
		json_object_set_new(figures, "problem",
		    json_string(over ? "the house was explored before all had been killed"
				     : "the stack did not drive again"));
	return passed && going && contacts == 0 && status == 0 && leftovers == 0;
}

enum cairn_eval_end cairn_eval_recovery(const struct cli *cli, json_t *figures)
{
	(void)cli;
	/* The largest of the bundled homes, so that there is something to explore until the end. */
	static const char *const args[] = {"--world", "config/worlds/loop.yaml", NULL};
	char dir[4096], cairn[4200];
	struct cairn_error err = {""};
	struct drill *drill = NULL;
	if (cairn_program_dir(dir, sizeof(dir))) {
		snprintf(cairn, sizeof(cairn), "%s/cairn", dir);
		drill = fixture_start(cairn, args, &err);
	}
	if (drill == NULL) {
		json_object_set_new(figures, "problem", json_string(err.text));
		return false;
	}
	bool passed = run_drill(drill, figures);
	if (!passed && !cli_interrupted())
		json_object_set_new(figures, "run_dir", json_string(fixture_run_dir(drill)));
	fixture_close(&drill, passed);
	return passed;
}
