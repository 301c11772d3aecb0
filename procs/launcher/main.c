/* launcher - starts RouDi and the stages in order of need, restarts what dies, ends everything in reverse
 * order.
 *
 * When to do what is decided in supervisor.c; the data plane is plane.c; this file carries events between
 * them, the bus and the processes. If the launcher itself dies, every child gets a signal from the kernel and
 * ends; the motor stage stops the wheels on its way out. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/vlm/profile.h"
#include "common/base/geom.h"
#include "ipc/frames.h"
#include "ipc/lockfile.h"
#include "procs/launcher/launcher.h"
#include "procs/launcher/placement.h"
#include "common/safety/estop_latch.h"

#define TICK_MS 20
#define REPORT_MS 500
#define PLANE_START_NS (5 * CAIRN_NS_PER_S)
#define PLANE_RETRY_NS (CAIRN_NS_PER_S / 2)
#define PLANE_RETRY_SLOW_NS (5 * CAIRN_NS_PER_S) /* of a RouDi that cannot live */
#define PLANE_SETTLE_NS                                                                                      \
	(3 * CAIRN_NS_PER_S) /* verdicts on a plane younger than this are about its predecessor */

/* ---- the table ---- */

enum when {
	ALWAYS,
	SIMULATED,
	PILOT,
	REMOTE,
	WEB,
	DETECTS,
	NETWORK,
	RECORDS,
	REPLAYS,
	DECLARES,
	AGENT,
	ROS2,
	ROS2_DRIVERS,
	SPEAKS,
	NOTIFIES,
	LISTENS,
	LOCAL_TIER,
	GUARDS,
	SIGNALS,
	FLEET
};

static bool wanted(const struct cairn_config *cfg, enum when when)
{
	switch (when) {
	case ALWAYS:
		return true;
	case SIMULATED:
		return cfg->robot.drive == CAIRN_CHOICE_DRIVE_SIMULATED;
	case GUARDS: /* the simulator plays them itself */
		return cfg->robot.guard_lines[0] != '\0' && !wanted(cfg, SIMULATED);
	case SIGNALS: /* a simulated robot has the board's, and no lines */
		return cfg->robot.signal_board ||
		       (cfg->robot.signal_lines[0] != '\0' && !wanted(cfg, SIMULATED));
	case PILOT:
		return cairn_lineup_names(&cfg->vlm, "pilot");
	case REMOTE:
		return cfg->remote.endpoint[0] != '\0';
	case WEB:
		return cfg->web.enabled;
	case DECLARES:
		return cfg->external.topics[0] != '\0';
	case RECORDS:
		return cfg->record.enabled;
	case ROS2:
		return cfg->ros2.enabled;
	case ROS2_DRIVERS:
		return cfg->robot.drive == CAIRN_CHOICE_DRIVE_ROS2;
	case AGENT:
		return cfg->agent.enabled;
	case SPEAKS:
		return cfg->voice.speak_device[0] != '\0';
	case NOTIFIES:
		return cfg->notify.url[0] != '\0' || cfg->notify.url_env[0] != '\0';
	case LISTENS:
		return cfg->voice.listen_device[0] != '\0';
	case LOCAL_TIER:
		return cfg->local.enabled;
	case FLEET:
		return cfg->fleet.broker[0] != '\0';
	case REPLAYS:
		return false; /* see wanted_in_replay() */
	case NETWORK:
		return cfg->detect.source == CAIRN_CHOICE_DETECT_SOURCE_NETWORK;
	case DETECTS: /* the simulator sees its own pictures only */
		return cfg->detect.source == CAIRN_CHOICE_DETECT_SOURCE_HELPER || wanted(cfg, NETWORK) ||
		       (cfg->detect.source == CAIRN_CHOICE_DETECT_SOURCE_SIMULATED && wanted(cfg, SIMULATED));
	}
	return false;
}

/* In a replay: the player and what was asked for, and never what touches a device. */
static bool wanted_in_replay(const struct cairn_config *cfg, const char *name, enum when when)
{
	static const char *const devices[] = {
	    "robot-sim", "motor", "sensor-bridge", "guard-bridge", "camera-bridge", "signals"};
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		if (strcmp(name, devices[i]) == 0)
			return false;
	}
	return when == REPLAYS || cairn_has_word(cfg->replay.stages, name);
}

static int wanted_rows(const struct cairn_config *cfg, struct cairn_sup_row *rows)
{
	static const struct {
		struct cairn_sup_row row;
		enum when when;
	} table[] = {
#define STAGE(id, name, program, plane, when, without, doc) {{name, program, plane, false}, when},
#include "procs/launcher/stages.def"
	};
	_Static_assert(sizeof(table) / sizeof(table[0]) <= CAIRN_SUP_STAGES_MAX, "more stages than fit");
	int n = 0;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (cfg->replay.file[0] != '\0' ? wanted_in_replay(cfg, table[i].row.name, table[i].when)
						: wanted(cfg, table[i].when))
			rows[n++] = table[i].row;
	}
	for (int i = 0; i < n; i++)
		rows[i].spared = cairn_without_of(&cfg->launcher, rows[i].name) == CAIRN_WITHOUT_GO_ON;
	return n;
}

static void perform(struct launcher *l)
{
	struct cairn_sup_action actions[CAIRN_SUP_STAGES_MAX];
	int n = cairn_sup_step(&l->sup, cairn_now_ns(), l->plane.state == CAIRN_PLANE_UP, actions);
	for (int k = 0; k < n; k++) {
		struct cairn_sup_stage *st = &l->sup.stages[actions[k].index];
		switch (actions[k].verb) {
		case CAIRN_SUP_START:
			launcher_start_stage(l, actions[k].index);
			break;
		case CAIRN_SUP_TERM:
			kill(st->pid, SIGTERM);
			break;
		case CAIRN_SUP_KILL:
			cairn_log_warn("killing %s (pid %d): %s", st->row.name, st->pid,
			    st->state == CAIRN_STAGE_STATE_STOPPING ? "did not end in time" : st->note);
			kill(st->pid, SIGKILL);
			break;
		}
	}
}

/* ---- the data plane ---- */

/* A RouDi that ends again and again as soon as it was started is tried less often, and its last words are told. */
static void count_stillborn(struct launcher *l, const char *why)
{
	int64_t now_ns = cairn_now_ns();
	bool lived = l->plane_up_ns > l->plane.since_ns && now_ns - l->plane_up_ns > PLANE_SETTLE_NS;
	l->plane_stillborn = lived ? 0 : l->plane_stillborn + 1;
	snprintf(l->plane_why, sizeof(l->plane_why), "%.60s", why);
	cairn_last_words_add(&l->plane.words, l->plane_why, sizeof(l->plane_why));
}

static void plane_lost(struct launcher *l, const char *why)
{
	if (l->sup.going_down)
		return; /* nobody needs it any more, and the order of ending is the supervisor's */
	cairn_log_warn("data plane lost: %s; building it anew", why);
	count_stillborn(l, why);
	if (l->plane.child.pid > 0)
		cairn_stage_unwatch_fd(l->stage, l->plane.child.log_fd);
	cairn_plane_remove(&l->plane);
	cairn_sup_plane_lost(&l->sup, cairn_now_ns());
	l->plane_resets++;
	l->plane_due_ns = launcher_plane_failed(l) ? cairn_now_ns() + PLANE_RETRY_SLOW_NS : 0;
}

static int on_plane_output(void *ctx)
{
	struct launcher *l = ctx;
	enum cairn_plane_state before = l->plane.state;
	cairn_plane_read(&l->plane, cairn_now_ns());
	if (before == CAIRN_PLANE_STARTING && l->plane.state == CAIRN_PLANE_UP) {
		l->plane_up_ns = cairn_now_ns();
		cairn_log_info("data plane is up (%s)", l->plane.ns.active ? "private namespace" : "host");
		perform(l);
	}
	return 0;
}

static void tend_plane(struct launcher *l)
{
	int64_t now_ns = cairn_now_ns();
	struct cairn_error err = {""};
	char before[sizeof(l->plane.note)];
	if (l->plane.state == CAIRN_PLANE_STARTING && now_ns - l->plane.since_ns > PLANE_START_NS)
		plane_lost(l, "RouDi did not become ready");
	if (l->plane.state != CAIRN_PLANE_DOWN || now_ns < l->plane_due_ns ||
	    !cairn_sup_plane_unused(&l->sup))
		return;
	l->plane_due_ns = now_ns + PLANE_RETRY_NS;
	memcpy(before, l->plane.note, sizeof(before));
	bool started = cairn_plane_start(&l->plane, now_ns, &err);
	if (l->plane.note[0] != '\0' && strcmp(before, l->plane.note) != 0) /* said once, not at every try */
		cairn_log_write(started ? CAIRN_LOG_WARN : CAIRN_LOG_ERROR, __FILE__, __LINE__,
		    "data plane: %s", l->plane.note);
	if (!started)
		return;
	cairn_stage_watch_fd(l->stage, l->plane.child.log_fd, POLLIN, on_plane_output, l);
}

/* ---- events ---- */

static double rusage_cpu_s(const struct rusage *ru)
{
	return (double)(ru->ru_utime.tv_sec + ru->ru_stime.tv_sec) +
	       (double)(ru->ru_utime.tv_usec + ru->ru_stime.tv_usec) * 1e-6;
}

static void on_stage_exit(struct launcher *l, int i, int status)
{
	struct cairn_sup_stage *st = &l->sup.stages[i];
	launcher_drain_log(l, i);
	launcher_close_io(l, i);
	if (st->state == CAIRN_STAGE_STATE_BACKOFF || st->state == CAIRN_STAGE_STATE_FAILED)
		cairn_last_words_add(&l->io[i].words, st->note, sizeof(st->note));
	if (strcmp(st->row.name, "motor") == 0) {
		launcher_stop_base(l);
		l->motion_ns = 0; /* the next one has its own time */
	}
	if (st->state != CAIRN_STAGE_STATE_DOWN)
		cairn_log_warn("%s: %s%s", st->row.name, st->note,
		    st->state != CAIRN_STAGE_STATE_FAILED ? ""
		    : st->row.spared                      ? "; too often, held for launcher.deaths_window_s"
							  : "; too often, held until 'cairn restart'");
	if (WIFEXITED(status) && WEXITSTATUS(status) == CAIRN_EXIT_PLANE &&
	    l->plane.state == CAIRN_PLANE_UP && cairn_now_ns() - l->plane_up_ns > PLANE_SETTLE_NS)
		plane_lost(l, "a stage could not register or got no frames");
}

/* Frozen (SIGSTOP): the kernel says so at once, long before its silence does. */
static void on_stopped(struct launcher *l, int pid)
{
	int i = cairn_sup_find(&l->sup, "motor");
	if (i < 0 || l->sup.stages[i].pid != pid)
		return;
	cairn_log_error("the motor stage (pid %d) was stopped by a signal: stopping the base directly", pid);
	launcher_stop_base(l);
}

static void reap(struct launcher *l)
{
	int status, pid;
	struct rusage ru;
	while ((pid = wait4(-1, &status, WNOHANG | WUNTRACED, &ru)) > 0) {
		if (WIFSTOPPED(status)) {
			on_stopped(l, pid);
			continue;
		}
		if (pid == l->plane.child.pid) {
			l->plane_dead_cpu_s += rusage_cpu_s(&ru);
			cairn_stage_unwatch_fd(l->stage, l->plane.child.log_fd);
			cairn_plane_read(&l->plane, cairn_now_ns());
			cairn_plane_reaped(&l->plane);
			plane_lost(l, "RouDi ended");
			continue;
		}
		int i = cairn_sup_exited(&l->sup, pid, status, cairn_now_ns());
		if (i >= 0) {
			l->io[i].dead_cpu_s += rusage_cpu_s(&ru);
			on_stage_exit(l, i, status);
		}
	}
}

static int on_child(void *ctx)
{
	struct launcher *l = ctx;
	struct signalfd_siginfo info;
	while (read(l->chld_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		;
	reap(l);
	tend_plane(l);
	perform(l);
	return 0;
}

static int on_tick(void *ctx)
{
	struct launcher *l = ctx;
	launcher_look_at_motor(l);
	tend_plane(l);
	perform(l);
	if (!l->told_ready && cairn_sup_all_up_once(&l->sup)) {
		l->told_ready = true;
		cairn_log_info(
		    "all stages are up after %.2f s", (double)(cairn_now_ns() - l->start_ns) * 1e-9);
		cairn_stage_ready(l->stage);
	}
	return 0;
}

static int on_health(void *ctx)
{
	struct launcher *l = ctx;
	struct cairn_msg_health h;
	struct cairn_header hdr;
	while (cairn_sub_recv(l->health_sub, &h, &hdr) > 0) {
		int64_t now_ns = cairn_now_ns();
		if (!hdr.valid || !cairn_topic_fresh(CAIRN_TOPIC_HEALTH, hdr.t_ns, now_ns))
			continue;
		if (hdr.epoch != l->health_epoch) { /* a reborn watchdog counts from its own beginning */
			l->health_epoch = hdr.epoch;
			l->health_restart_id = 0;
		}
		if (h.restart_id > l->health_restart_id && h.restart[0] != '\0') {
			l->health_restart_id = h.restart_id;
			int i = cairn_sup_find(&l->sup, h.restart);
			if (i >= 0 && l->sup.stages[i].pid > 0) {
				cairn_log_warn("watchdog asks to restart %s: %s", h.restart, h.problem);
				/* A hung process does not hear SIGTERM; its death takes the usual way back.
				 */
				kill(l->sup.stages[i].pid, SIGKILL);
			}
		}
		if (!h.data_plane_ok && l->plane.state == CAIRN_PLANE_UP &&
		    now_ns - l->plane_up_ns > PLANE_SETTLE_NS)
			plane_lost(l, "the canary's frames do not arrive");
	}
	return 0;
}

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct launcher *l = ctx;
	if (strcmp(cmd->verb, "restart") == 0) {
		int i = cairn_sup_find(&l->sup, cmd->arg);
		if (i < 0) {
			snprintf(reply->text, sizeof(reply->text),
			    "no stage is called '%.60s'; see 'cairn status'", cmd->arg);
			return;
		}
		cairn_sup_restart(&l->sup, i, "restarted by an operator", cairn_now_ns());
		perform(l);
		snprintf(
		    reply->text, sizeof(reply->text), "%s is being restarted", l->sup.stages[i].row.name);
	} else if (strcmp(cmd->verb, "down") == 0) {
		l->by_operator =
		    cmd->key[0] == '\0'; /* at the robot: by remote keys, taking down is not releasing */
		kill(getpid(), SIGTERM);
		snprintf(reply->text, sizeof(reply->text), "going down");
	} else if (strcmp(cmd->verb, "ping") == 0) {
		snprintf(reply->text, sizeof(reply->text), "launcher, pid %d", (int)getpid());
	} else {
		snprintf(reply->text, sizeof(reply->text), "unknown verb '%.24s': restart, down or ping",
		    cmd->verb);
		return;
	}
	reply->ok = true;
}

/* ---- the whole ---- */

static void go_down(struct launcher *l)
{
	struct pollfd p = {.fd = l->chld_fd, .events = POLLIN};
	cairn_sup_go_down(&l->sup);
	perform(l);
	while (!cairn_sup_all_down(&l->sup)) {
		(void)poll(&p, 1, TICK_MS);
		struct signalfd_siginfo info;
		while (read(l->chld_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
			;
		reap(l);
		launcher_on_output(l);
		perform(l);
	}
	launcher_on_report(l);
	cairn_plane_stop(&l->plane, 1500);
}

static void find_program_dir(struct launcher *l)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = '\0';
	snprintf(l->program_dir, sizeof(l->program_dir), "%s", dirname(self));
}

static bool open_all(struct launcher *l)
{
	struct cairn_error err = {""};
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	l->chld_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (l->chld_fd < 0)
		return false;
	cairn_stage_watch_fd(l->stage, l->chld_fd, POLLIN, on_child, l);
	for (int i = 0; i < l->sup.count; i++) {
		const char *name = l->sup.stages[i].row.name;
		char path[320];
		snprintf(path, sizeof(path), "%s/logs/%s.log", l->run_dir, name);
		l->io[i].log_fd = l->io[i].ready_fd = -1;
		if (!cairn_logfile_open(&l->io[i].log, path, (size_t)(l->cfg->launcher.log_file_mb * 1e6)))
			cairn_log_error("%s: %s", path, strerror(errno));
		l->io[i].beat_sub =
		    cairn_sub_new(cairn_stage_bus(l->stage), CAIRN_TOPIC_HEARTBEAT, name, &err);
		if (l->io[i].beat_sub == NULL) {
			cairn_log_error("%s", err.text);
			return false;
		}
	}
	if (!launcher_hear_commands(l, &err)) {
		cairn_log_error("%s", err.text);
		return false;
	}
	l->stages_pub = cairn_stage_publish(l->stage, CAIRN_TOPIC_STAGES);
	l->health_sub = cairn_stage_subscribe(l->stage, CAIRN_TOPIC_HEALTH, on_health, l);
	/* Looked at by the tick; nothing wakes for each of them. */
	l->motion_sub = cairn_sub_new(cairn_stage_bus(l->stage), CAIRN_TOPIC_MOTION, NULL, &err);
	if (l->motion_sub == NULL) {
		cairn_log_error("%s", err.text);
		return false;
	}
	cairn_stage_serve(l->stage, CAIRN_SERVICE_LAUNCHER_CTL, on_command, l);
	cairn_stage_every(l->stage, TICK_MS, on_tick, l);
	cairn_stage_every(l->stage, REPORT_MS, launcher_on_report, l);
	return true;
}

/* `cairn up` does this too, but may have been killed. */
static void clean(const char *run_dir)
{
	char path[300];
	cairn_bus_clean(run_dir);
	snprintf(path, sizeof(path), "%s/launcher.pid", run_dir);
	if (cairn_lockfile_owner(path) == getpid())
		(void)unlink(path);
}

int main(int argc, char **argv)
{
	static struct launcher l;
	char run_dir[256];
	int status = 1;
	l.stage = cairn_stage_start(
	    "cairn-launcher", "starts, restarts and ends the processes of a stack", argc, argv, &status);
	if (l.stage == NULL)
		return status;
	l.cfg = cairn_stage_config(l.stage);
	snprintf(run_dir, sizeof(run_dir), "%s", cairn_stage_run_dir(l.stage)); /* outlives the stage */
	l.run_dir = run_dir;
	l.start_ns = l.mark_ns = cairn_now_ns();
	find_program_dir(&l);
	launcher_take_keys(&l);
	struct cairn_sup_row rows[CAIRN_SUP_STAGES_MAX];
	int count = wanted_rows(l.cfg, rows);
	cairn_sup_init(&l.sup, rows, count, &l.cfg->launcher);
	cairn_plane_init(&l.plane, l.cfg, l.run_dir);
	if (open_all(&l)) {
		status = cairn_stage_run(l.stage);
		go_down(&l);
		if (l.by_operator)
			cairn_estop_latch_end(l.run_dir, true);
	}
	for (int i = 0; i < l.sup.count; i++)
		cairn_logfile_close(&l.io[i].log);
	cairn_logfile_close(&l.plane.log);
	status = cairn_stage_finish(&l.stage, status);
	clean(run_dir);
	return status;
}
