#include "procs/launcher/supervisor.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "common/base/geom.h"

static const double backoff_s[] = {0.0, 0.2, 0.5, 1.0, 2.0, 5.0};
#define BACKOFF_COUNT ((int)(sizeof(backoff_s) / sizeof(backoff_s[0])))
#define HEALTHY_NS (10 * CAIRN_NS_PER_S) /* up for so long: the next death starts the back-off anew */
#define PLANE_GRACE_NS                                                                                       \
	(CAIRN_NS_PER_S / 2) /* its memory is lost anyway; only checkpoints are worth waiting for */

static int64_t seconds(double s)
{
	return (int64_t)(s * (double)CAIRN_NS_PER_S);
}

static void enter(struct cairn_sup_stage *st, enum cairn_stage_state state, int64_t now_ns)
{
	st->state = state;
	st->since_ns = now_ns;
}

static bool has_process(const struct cairn_sup_stage *st)
{
	return st->pid > 0;
}

void cairn_sup_init(struct cairn_supervisor *sup, const struct cairn_sup_row *rows, int count,
    const struct cairn_config_launcher *cfg)
{
	memset(sup, 0, sizeof(*sup));
	sup->count = count < CAIRN_SUP_STAGES_MAX ? count : CAIRN_SUP_STAGES_MAX;
	for (int i = 0; i < sup->count; i++)
		sup->stages[i].row = rows[i];
	sup->start_timeout_ns = seconds(cfg->start_timeout_s);
	sup->stop_timeout_ns = seconds(cfg->stop_timeout_s);
	sup->deaths_window_ns = seconds(cfg->deaths_window_s);
	sup->deaths_max = cfg->deaths_max < CAIRN_SUP_DEATHS_MAX ? cfg->deaths_max : CAIRN_SUP_DEATHS_MAX;
}

static int deaths_in_window(
    const struct cairn_supervisor *sup, const struct cairn_sup_stage *st, int64_t now_ns)
{
	int n = 0;
	uint64_t kept = st->deaths < CAIRN_SUP_DEATHS_MAX ? st->deaths : CAIRN_SUP_DEATHS_MAX;
	for (uint64_t k = 0; k < kept; k++) {
		uint64_t i = (st->deaths - 1 - k) % CAIRN_SUP_DEATHS_MAX;
		n += now_ns - st->deaths_ns[i] <= sup->deaths_window_ns;
	}
	return n;
}

static void on_death(struct cairn_supervisor *sup, struct cairn_sup_stage *st, int64_t up_ns, int64_t now_ns)
{
	st->pid = 0;
	st->deaths_ns[st->deaths++ % CAIRN_SUP_DEATHS_MAX] = now_ns;
	if (sup->going_down) {
		enter(st, CAIRN_STAGE_STATE_DOWN, now_ns);
		return;
	}
	if (deaths_in_window(sup, st, now_ns) >= sup->deaths_max) {
		enter(st, CAIRN_STAGE_STATE_FAILED, now_ns);
		return;
	}
	if (up_ns >= HEALTHY_NS)
		st->backoff = 0;
	st->due_ns = now_ns + seconds(backoff_s[st->backoff]);
	if (st->backoff + 1 < BACKOFF_COUNT)
		st->backoff++;
	enter(st, CAIRN_STAGE_STATE_BACKOFF, now_ns);
}

static void begin_stop(struct cairn_sup_stage *st, int64_t grace_ns, bool recycle, int64_t now_ns)
{
	st->recycle = recycle;
	st->counts = false;
	st->ask = false;
	st->killed = false;
	st->due_ns = now_ns + grace_ns;
	enter(st, CAIRN_STAGE_STATE_STOPPING, now_ns);
}

/* The stages before it have all had their chance. */
static bool turn_has_come(const struct cairn_supervisor *sup, int index)
{
	for (int i = 0; i < index; i++) {
		const struct cairn_sup_stage *st = &sup->stages[i];
		if (!st->ever_up && st->state != CAIRN_STAGE_STATE_FAILED)
			return false;
	}
	return true;
}

static void add(struct cairn_sup_action *actions, int *n, enum cairn_sup_verb verb, int index)
{
	actions[(*n)++] = (struct cairn_sup_action){verb, index};
}

static void step_stage(struct cairn_supervisor *sup, int i, int64_t now_ns, bool plane_up,
    struct cairn_sup_action *actions, int *n)
{
	struct cairn_sup_stage *st = &sup->stages[i];
	switch (st->state) {
	case CAIRN_STAGE_STATE_DOWN:
	case CAIRN_STAGE_STATE_BACKOFF:
		if (!sup->going_down && now_ns >= st->due_ns && (plane_up || !st->row.plane_user) &&
		    turn_has_come(sup, i))
			add(actions, n, CAIRN_SUP_START, i);
		break;
	case CAIRN_STAGE_STATE_STARTING:
		if (now_ns >= st->due_ns) {
			snprintf(st->note, sizeof(st->note), "not ready within %.1f s",
			    (double)sup->start_timeout_ns * 1e-9);
			st->due_ns = INT64_MAX; /* the kill below is under way */
			add(actions, n, CAIRN_SUP_KILL, i);
		}
		break;
	case CAIRN_STAGE_STATE_STOPPING:
		if (now_ns >= st->due_ns && !st->killed) {
			st->killed = true;
			add(actions, n, CAIRN_SUP_KILL, i);
		}
		break;
	case CAIRN_STAGE_STATE_FAILED:
		/* Nothing that drives is risked by another try, and somebody may be waiting for the page. */
		if (st->row.spared && !sup->going_down && (plane_up || !st->row.plane_user) &&
		    deaths_in_window(sup, st, now_ns) < sup->deaths_max)
			add(actions, n, CAIRN_SUP_START, i);
		break;
	default:
		break;
	}
}

/* Reverse order, one at a time: the next one is asked only when all after it are gone. */
static void step_down(struct cairn_supervisor *sup, int64_t now_ns, struct cairn_sup_action *actions, int *n)
{
	for (int i = sup->count - 1; i >= 0; i--) {
		struct cairn_sup_stage *st = &sup->stages[i];
		if (!has_process(st))
			continue;
		if (st->state != CAIRN_STAGE_STATE_STOPPING || st->recycle) {
			begin_stop(st, sup->stop_timeout_ns, false, now_ns);
			add(actions, n, CAIRN_SUP_TERM, i);
		}
		return;
	}
}

int cairn_sup_step(
    struct cairn_supervisor *sup, int64_t now_ns, bool plane_up, struct cairn_sup_action *actions)
{
	int n = 0;
	if (sup->going_down)
		step_down(sup, now_ns, actions, &n);
	int asked = n > 0 ? actions[0].index : -1;
	for (int i = 0; i < sup->count; i++) {
		struct cairn_sup_stage *st = &sup->stages[i];
		if (i == asked)
			continue;
		if (st->state == CAIRN_STAGE_STATE_STOPPING && st->ask) {
			st->ask = false;
			add(actions, &n, CAIRN_SUP_TERM, i);
			continue;
		}
		step_stage(sup, i, now_ns, plane_up, actions, &n);
	}
	return n;
}

void cairn_sup_started(struct cairn_supervisor *sup, int index, int pid, int64_t now_ns)
{
	struct cairn_sup_stage *st = &sup->stages[index];
	if (st->state == CAIRN_STAGE_STATE_BACKOFF || st->ever_up)
		st->restarts++;
	if (pid < 0) {
		snprintf(st->note, sizeof(st->note), "cannot start %s: %s", st->row.program, strerror(-pid));
		on_death(sup, st, 0, now_ns);
		return;
	}
	st->pid = pid;
	st->due_ns = now_ns + sup->start_timeout_ns;
	enter(st, CAIRN_STAGE_STATE_STARTING, now_ns);
}

void cairn_sup_ready(struct cairn_supervisor *sup, int index, int64_t now_ns)
{
	struct cairn_sup_stage *st = &sup->stages[index];
	if (st->state != CAIRN_STAGE_STATE_STARTING)
		return;
	st->ever_up = true;
	enter(st, CAIRN_STAGE_STATE_UP, now_ns);
}

static void describe_death(struct cairn_sup_stage *st, int status)
{
	if (WIFSIGNALED(status))
		snprintf(st->note, sizeof(st->note), "killed by signal %d (%s)", WTERMSIG(status),
		    strsignal(WTERMSIG(status)));
	else
		snprintf(st->note, sizeof(st->note), "ended with status %d", WEXITSTATUS(status));
}

int cairn_sup_exited(struct cairn_supervisor *sup, int pid, int status, int64_t now_ns)
{
	for (int i = 0; i < sup->count; i++) {
		struct cairn_sup_stage *st = &sup->stages[i];
		if (st->pid != pid)
			continue;
		if (st->state == CAIRN_STAGE_STATE_STOPPING && st->counts) {
			on_death(sup, st, 0, now_ns);
			return i;
		}
		if (st->state == CAIRN_STAGE_STATE_STOPPING) {
			st->pid = 0;
			st->due_ns = 0;
			enter(st, CAIRN_STAGE_STATE_DOWN, now_ns);
			return i;
		}
		int64_t up_ns = st->state == CAIRN_STAGE_STATE_UP ? now_ns - st->since_ns : 0;
		if (st->due_ns != INT64_MAX || st->state != CAIRN_STAGE_STATE_STARTING)
			describe_death(st, status);
		on_death(sup, st, up_ns, now_ns);
		return i;
	}
	return -1;
}

static void mark_for_stop(struct cairn_sup_stage *st, int64_t grace_ns, int64_t now_ns)
{
	begin_stop(st, grace_ns, true, now_ns);
	st->ask = true;
}

void cairn_sup_restart(struct cairn_supervisor *sup, int index, const char *why, int64_t now_ns)
{
	struct cairn_sup_stage *st = &sup->stages[index];
	snprintf(st->note, sizeof(st->note), "%s", why);
	st->backoff = 0;
	st->deaths = 0;
	if (st->state == CAIRN_STAGE_STATE_STOPPING)
		return;
	if (has_process(st)) {
		mark_for_stop(st, sup->stop_timeout_ns, now_ns);
		return;
	}
	st->due_ns = now_ns;
	enter(st, CAIRN_STAGE_STATE_DOWN, now_ns);
}

void cairn_sup_misbehaved(struct cairn_supervisor *sup, int index, const char *why, int64_t now_ns)
{
	struct cairn_sup_stage *st = &sup->stages[index];
	if (!has_process(st) || st->state == CAIRN_STAGE_STATE_STOPPING)
		return;
	snprintf(st->note, sizeof(st->note), "%s", why);
	if (st->state == CAIRN_STAGE_STATE_UP && now_ns - st->since_ns >= HEALTHY_NS)
		st->backoff = 0;
	mark_for_stop(st, sup->stop_timeout_ns, now_ns);
	st->counts = true;
}

void cairn_sup_plane_lost(struct cairn_supervisor *sup, int64_t now_ns)
{
	for (int i = 0; i < sup->count; i++) {
		struct cairn_sup_stage *st = &sup->stages[i];
		if (!st->row.plane_user || !has_process(st) || st->state == CAIRN_STAGE_STATE_STOPPING)
			continue;
		snprintf(st->note, sizeof(st->note), "data plane is being built anew");
		mark_for_stop(st, PLANE_GRACE_NS, now_ns);
	}
}

void cairn_sup_go_down(struct cairn_supervisor *sup)
{
	sup->going_down = true;
}

bool cairn_sup_all_down(const struct cairn_supervisor *sup)
{
	for (int i = 0; i < sup->count; i++) {
		if (has_process(&sup->stages[i]))
			return false;
	}
	return true;
}

bool cairn_sup_all_up_once(const struct cairn_supervisor *sup)
{
	for (int i = 0; i < sup->count; i++) {
		if (!sup->stages[i].ever_up || sup->stages[i].state == CAIRN_STAGE_STATE_FAILED)
			return false;
	}
	return true;
}

bool cairn_sup_plane_unused(const struct cairn_supervisor *sup)
{
	for (int i = 0; i < sup->count; i++) {
		if (sup->stages[i].row.plane_user && has_process(&sup->stages[i]))
			return false;
	}
	return true;
}

int cairn_sup_find(const struct cairn_supervisor *sup, const char *name)
{
	for (int i = 0; i < sup->count; i++) {
		if (strcmp(sup->stages[i].row.name, name) == 0)
			return i;
	}
	return -1;
}
