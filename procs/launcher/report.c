#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/safety/watchdog.h"
#include "procs/launcher/base_stop.h"
#include "procs/launcher/launcher.h"
#include "procs/launcher/placement.h"
#include "procs/launcher/procstat.h"

#define SPAN_MIN_S 0.2 /* the kernel counts CPU time in steps of 10 ms: a share over less is noise */

static void take_beat(struct child_io *io, const struct cairn_msg_heartbeat *hb, int64_t t_ns)
{
	io->beat_ns = t_ns;
	io->turn_ms = hb->overrun_ms;
	io->late_ms = hb->late_ms;
	io->late_p99_ms = hb->late_p99_ms;
	io->overruns = hb->overruns;
	io->frames_lost = hb->frames_lost;
	memcpy(io->trouble, hb->trouble, sizeof(io->trouble));
	memcpy(io->note, hb->note, sizeof(io->note));
}

static int on_beats(void *ctx)
{
	struct launcher *l = ctx;
	for (int i = 0; i < l->sup.count; i++) {
		struct cairn_msg_heartbeat hb;
		struct cairn_header hdr;
		while (cairn_sub_recv(l->io[i].beat_sub, &hb, &hdr) > 0)
			take_beat(&l->io[i], &hb, hdr.t_ns);
	}
	return 0;
}

/* It looks after all others; nobody else looks after it. */
static void look_at_watchdog(struct launcher *l, int64_t now_ns)
{
	int i = cairn_sup_find(&l->sup, "watchdog");
	if (i < 0)
		return;
	const struct cairn_sup_stage *st = &l->sup.stages[i];
	int pid = st->state == CAIRN_STAGE_STATE_UP ? st->pid : 0;
	if (!cairn_hang_look(&l->watchdog, pid, l->io[i].beat_ns, CAIRN_WATCHDOG_BEAT_S, now_ns))
		return;
	cairn_log_warn(
	    "killing the watchdog (pid %d): no heartbeat for more than %.0f s", pid, CAIRN_WATCHDOG_BEAT_S);
	kill(pid, SIGKILL); /* its death takes the usual way back */
}

void launcher_stop_base(struct launcher *l)
{
	if (!cairn_base_stop(&l->cfg->robot, l->run_dir))
		cairn_log_error(
		    "cannot write the stop frame to %s: %s", l->cfg->robot.base_device, strerror(errno));
}

/* Two faults at once: who should stop the wheels, and who should notice that, may both be frozen. */
void launcher_look_at_motor(struct launcher *l)
{
	struct cairn_msg_motion motion;
	struct cairn_header hdr;
	int i = cairn_sup_find(&l->sup, "motor");
	bool up = i >= 0 && l->sup.stages[i].state == CAIRN_STAGE_STATE_UP, before = l->motor.silent;
	while (cairn_sub_recv(l->motion_sub, &motion, &hdr) > 0)
		l->motion_ns = hdr.t_ns;
	if (!cairn_hang_motor_look(&l->motor, up, l->motion_ns, cairn_now_ns()))
		return;
	if (!before)
		cairn_log_error("the motor stage is silent: stopping the base directly");
	launcher_stop_base(l);
}

static struct cairn_sub **commanded_of(struct launcher *l, int i)
{
	return i < l->sup.count ? &l->io[i].commanded_sub : &l->commanded_sub;
}

static void hear_commands(struct launcher *l)
{
	for (int i = 0; i <= l->sup.count; i++) {
		struct cairn_msg_commanded done;
		struct cairn_header hdr;
		while (cairn_sub_recv(*commanded_of(l, i), &done, &hdr) > 0) {
			double ago_s = (double)(cairn_now_ns() - hdr.t_ns) * 1e-9;
			(void)cairn_audit_take(&l->audit, i, &hdr, &done, cairn_unix_s() - ago_s);
		}
	}
}

bool launcher_hear_commands(struct launcher *l, struct cairn_error *err)
{
	_Static_assert(CAIRN_SUP_STAGES_MAX < CAIRN_AUDIT_STAGES, "every stage and the launcher");
	cairn_audit_init(&l->audit, l->run_dir);
	for (int i = 0; i <= l->sup.count; i++) {
		const char *name = i < l->sup.count ? l->sup.stages[i].row.name : cairn_stage_name(l->stage);
		struct cairn_sub **sub = commanded_of(l, i);
		*sub = cairn_sub_new(cairn_stage_bus(l->stage), CAIRN_TOPIC_COMMANDED, name, err);
		if (*sub == NULL)
			return false;
	}
	return true;
}

static double sample(struct child_io *io, int pid, double span_s)
{
	struct cairn_procstat ps;
	io->rss_mb = 0.0;
	if (pid <= 0 || !cairn_procstat_read(pid, &ps)) {
		io->cpu_cores = 0.0;
		return 0.0;
	}
	io->rss_mb = ps.rss_mb;
	if (span_s >= SPAN_MIN_S) {
		io->cpu_cores = (ps.cpu_s - io->cpu_mark_s) / span_s;
		io->cpu_mark_s = ps.cpu_s;
	}
	return ps.cpu_s;
}

static double age_s(int64_t t_ns, int64_t now_ns)
{
	return t_ns == 0 ? -1.0 : (double)(now_ns - t_ns) * 1e-9;
}

/* Before it takes the whole robot down with it. */
static void look_at_memory(struct launcher *l, int i, int64_t now_ns)
{
	char why[96];
	double max_mb = l->cfg->launcher.memory_max_mb;
	const struct cairn_sup_stage *st = &l->sup.stages[i];
	if (l->io[i].rss_mb <= max_mb || st->state == CAIRN_STAGE_STATE_STOPPING)
		return;
	snprintf(why, sizeof(why), "used %.0f MB, more than launcher.memory_max_mb (%.0f)", l->io[i].rss_mb,
	    max_mb);
	cairn_log_warn("%s %s; starting it anew", st->row.name, why);
	cairn_sup_misbehaved(&l->sup, i, why, now_ns);
}

/* RouDi and the launcher itself are killed: for both that is a death like others, with a known way back, the
 * launcher's being that `cairn up` starts another. */
static void look_at_memory_of(const char *name, int pid, double rss_mb, double max_mb)
{
	if (rss_mb <= max_mb)
		return;
	cairn_log_warn(
	    "%s used %.0f MB, more than launcher.memory_max_mb (%.0f); killing it", name, rss_mb, max_mb);
	kill(pid, SIGKILL);
}

static void report_stage(struct launcher *l, int i, int64_t now_ns, double span_s, double *cpu_s)
{
	struct cairn_msg_stages *r = &l->report;
	const struct cairn_sup_stage *st = &l->sup.stages[i];
	struct child_io *io = &l->io[i];
	struct cairn_msg_stage *out = &r->items[r->items_count++];
	memset(out, 0, sizeof(*out));
	*cpu_s += io->dead_cpu_s + sample(io, st->pid, span_s);
	look_at_memory(l, i, now_ns);
	snprintf(out->name, sizeof(out->name), "%s", st->row.name);
	bool troubled = st->state == CAIRN_STAGE_STATE_UP && io->trouble[0] != '\0';
	bool calm = st->state == CAIRN_STAGE_STATE_UP && st->note[0] == '\0';
	snprintf(out->note, sizeof(out->note), "%s", troubled ? io->trouble : calm ? io->note : st->note);
	out->state = st->state;
	out->without = cairn_without_of(&l->cfg->launcher, st->row.name);
	out->pid = st->pid;
	out->restarts = st->restarts;
	out->uptime_s = st->pid > 0 ? (double)(now_ns - st->since_ns) * 1e-9 : 0.0;
	out->heartbeat_age_s = age_s(io->beat_ns, now_ns);
	out->cpu_cores = io->cpu_cores;
	out->rss_mb = io->rss_mb;
	out->turn_ms = io->turn_ms;
	out->late_ms = io->late_ms;
	out->late_p99_ms = io->late_p99_ms;
	out->overruns = io->overruns;
	out->frames_lost = io->frames_lost;
	r->rss_mb += io->rss_mb;
	r->restarts += st->restarts;
}

/* RouDi and the launcher itself stand in the table too, after the stages. */
static void report_other(struct launcher *l, const char *name, enum cairn_stage_state state, int pid,
    double uptime_s, uint32_t restarts, const char *note, double *cpu_s)
{
	struct cairn_msg_stages *r = &l->report;
	struct cairn_msg_stage *out = &r->items[r->items_count++];
	struct cairn_procstat ps = {0};
	memset(out, 0, sizeof(*out));
	snprintf(out->name, sizeof(out->name), "%s", name);
	snprintf(out->note, sizeof(out->note), "%s", note);
	out->state = state;
	out->pid = pid;
	out->restarts = restarts;
	out->uptime_s = uptime_s;
	out->heartbeat_age_s = -1.0;
	if (pid > 0 && cairn_procstat_read(pid, &ps)) {
		out->rss_mb = ps.rss_mb;
		out->cpu_cores = uptime_s > 0.0 ? ps.cpu_s / uptime_s : 0.0;
		look_at_memory_of(name, pid, ps.rss_mb, l->cfg->launcher.memory_max_mb);
	}
	*cpu_s += ps.cpu_s;
	r->rss_mb += ps.rss_mb;
}

bool launcher_plane_failed(const struct launcher *l)
{
	return l->plane_stillborn >= l->cfg->launcher.deaths_max;
}

static enum cairn_stage_state plane_state(const struct launcher *l)
{
	static const enum cairn_stage_state states[] = {
	    CAIRN_STAGE_STATE_DOWN, CAIRN_STAGE_STATE_STARTING, CAIRN_STAGE_STATE_UP};
	bool failed = l->plane.state != CAIRN_PLANE_UP && launcher_plane_failed(l);
	return failed ? CAIRN_STAGE_STATE_FAILED : states[l->plane.state];
}

int launcher_on_report(void *ctx)
{
	struct launcher *l = ctx;
	int64_t now_ns = cairn_now_ns();
	double span_s = (double)(now_ns - l->mark_ns) * 1e-9,
	       uptime_s = (double)(now_ns - l->start_ns) * 1e-9;
	double cpu_s = l->plane_dead_cpu_s;
	struct cairn_msg_stages *r = &l->report;
	if (span_s <= 0.0)
		return 0;
	r->items_count = 0;
	r->rss_mb = 0.0;
	r->restarts = l->plane_resets;
	hear_commands(l);
	r->commanded_count = l->audit.count;
	memcpy(r->commanded, l->audit.newest, sizeof(r->commanded));
	on_beats(l);
	look_at_watchdog(l, now_ns);
	for (int i = 0; i < l->sup.count; i++)
		report_stage(l, i, now_ns, span_s, &cpu_s);
	report_other(l, "roudi", plane_state(l), l->plane.child.pid,
	    l->plane.child.pid > 0 ? (double)(now_ns - l->plane.since_ns) * 1e-9 : 0.0, l->plane_resets,
	    plane_state(l) == CAIRN_STAGE_STATE_FAILED ? l->plane_why : l->plane.note, &cpu_s);
	report_other(l, "launcher", CAIRN_STAGE_STATE_UP, getpid(), uptime_s, 0, "", &cpu_s);
	r->cpu_cores_mean = cpu_s / uptime_s;
	r->uptime_s = uptime_s;
	r->plane_resets = l->plane_resets;
	if (span_s >= SPAN_MIN_S)
		l->mark_ns = now_ns;
	cairn_pub_send(l->stages_pub, r, now_ns, true);
	return 0;
}
