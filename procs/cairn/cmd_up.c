/* cmd_up.c - `cairn up`: prepares a run, starts the launcher, shows what happens, sums it up.
 *
 * It is the parent of everything. The launcher runs below it and is started again if it dies; whatever a dead
 * launcher leaves behind becomes our child (PR_SET_CHILD_SUBREAPER) and is waited for, so nothing outlives
 * us. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/vlm/profile.h"
#include "procs/cairn/commands.h"
#include "procs/cli/rundir.h"
#include "procs/cairn/up_private.h"
#include "procs/cairn/web_url.h"
#include "common/safety/estop_latch.h"

#define TICK_MS 50
#define DRAW_NS (CAIRN_NS_PER_S / 4)
#define LINE_NS (10 * CAIRN_NS_PER_S)
#define START_STAGES 3.0                         /* one after the other they may need so long */
#define OVERTIME_S 15.0                          /* past --for, for the rest of the way home */
#define LAUNCHER_SILENT_NS (10 * CAIRN_NS_PER_S) /* it reports twice a second; then it hangs */

void up_end_with(struct up *u, bool as_asked, const char *reason)
{
	if (u->ending)
		return;
	snprintf(u->run.end_reason, sizeof(u->run.end_reason), "%s", reason);
	u->run.as_asked = as_asked;
	u->ending = true;
}

void up_on_signal(struct up *u, uint32_t signo)
{
	u->interrupts += signo != SIGCHLD;
	u->by_operator |= signo == SIGINT;
}

/* ---- the loop ---- */

static void on_signals(struct up *u)
{
	struct signalfd_siginfo info;
	bool child = false;
	while (read(u->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		up_on_signal(u, info.ssi_signo);
		child |= info.ssi_signo == SIGCHLD;
	}
	if (child)
		up_launcher_reap(u);
	if (u->interrupts > 0)
		up_end_with(u, true, "interrupted");
}

/* Why there is no data plane, if the launcher says so. */
static const char *plane_note(const struct up_run *run)
{
	for (uint32_t i = 0; run->have_stages && i < run->stages.items_count; i++) {
		const struct cairn_msg_stage *st = &run->stages.items[i];
		if (strcmp(st->name, "roudi") == 0 && st->state != CAIRN_STAGE_STATE_UP)
			return st->note;
	}
	return "";
}

static void check_end(struct up *u, int64_t now_ns)
{
	const struct up_run *run = &u->run;
	double t_s = (double)(now_ns - run->start_ns) * 1e-9, limit_s = run->cfg.mission.limit_s;
	double start_s = START_STAGES * run->cfg.launcher.start_timeout_s;
	if (run->have_mission && run->mission.state == CAIRN_MISSION_STATE_FINISHED && !u->stay)
		up_end_with(u,
		    strcmp(run->mission.reason, "home_unreachable") != 0 &&
			strcmp(run->mission.reason, "stage_failed") != 0,
		    run->mission.reason);
	if (limit_s > 0.0 && t_s > limit_s + OVERTIME_S && !u->stay)
		up_end_with(u, run->have_mission,
		    run->have_mission ? "time_up: still on the way home"
				      : "time_up: the stack did not come up");
	if (!run->have_mission && t_s > start_s) {
		char reason[sizeof(u->run.end_reason)];
		const char *note = plane_note(run);
		snprintf(reason, sizeof(reason), "the stack did not come up: %s",
		    note[0] != '\0' ? note : "see the logs");
		up_end_with(u, false, reason);
	}
	if (!run->have_stages)
		return;
	for (uint32_t i = 0; i < run->stages.items_count && t_s < start_s; i++) {
		const struct cairn_msg_stage *st = &run->stages.items[i];
		if (st->state == CAIRN_STAGE_STATE_FAILED && !run->have_mission) {
			char reason[sizeof(u->run.end_reason)];
			snprintf(reason, sizeof(reason), "%s does not come up: %s", st->name, st->note);
			up_end_with(u, false, reason);
		}
	}
}

/* A launcher that stands still restarts nobody. Time in which we stood still ourselves does not count. */
static void check_launcher(struct up *u, int64_t now_ns)
{
	bool late = u->loop_ns != 0 && now_ns - u->loop_ns > CAIRN_NS_PER_S;
	u->loop_ns = now_ns;
	if (late || u->run.stamp_ns[UP_STAGES] != u->heard_stamp_ns) {
		u->heard_stamp_ns = u->run.stamp_ns[UP_STAGES];
		u->heard_ns = now_ns;
	}
	if (u->launcher.pid == 0 || now_ns - u->heard_ns < LAUNCHER_SILENT_NS)
		return;
	if (u->headless)
		fprintf(stderr, "cairn up: the launcher hangs\n");
	kill(u->launcher.pid, SIGKILL); /* its death takes the usual way back */
	u->heard_ns = now_ns;
}

/* Told as soon as it is served; a port that is taken is tried again and again. */
static void look_for_page(struct up *u, bool screen)
{
	if (u->run.page[0] != '\0' || !web_url(u->run.run_dir, u->run.page, sizeof(u->run.page)))
		return;
	if (!screen)
		fprintf(stderr, "cairn up: page %s\n", u->run.page);
}

static void show(struct up *u, int64_t now_ns)
{
	look_for_page(u, !u->headless && isatty(STDOUT_FILENO) == 1);
	if (u->headless || isatty(STDOUT_FILENO) != 1) {
		if (now_ns >= u->line_due_ns) {
			up_view_line(&u->run, now_ns, stderr);
			u->line_due_ns = now_ns + LINE_NS;
		}
		return;
	}
	if (now_ns < u->draw_due_ns)
		return;
	u->draw_due_ns = now_ns + DRAW_NS;
	struct winsize ws = {.ws_row = 40, .ws_col = 110};
	(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws);
	const struct up_screen screen = {.rows = ws.ws_row > 1 ? ws.ws_row - 1 : 1,
	    .cols = ws.ws_col,
	    .colour = true,
	    .keys = u->keys.fd >= 0 ? &u->keys : NULL,
	    .map = &u->map.shown};
	int map_rows = up_view_map_rows(screen.rows, screen.keys == NULL || u->keys.processes);
	up_map_tick(&u->map, &u->run.cfg, u->run.run_dir, screen.cols, map_rows, now_ns);
	fputs("\033[H", stdout);
	up_view(&u->run, now_ns, &screen, stdout);
	fputs("\033[J", stdout);
	fflush(stdout);
}

static void loop(struct up *u)
{
	while (!u->ending) {
		struct pollfd p[2] = {{.fd = u->signal_fd, .events = POLLIN},
		    {.fd = u->launcher.pid > 0 ? u->launcher.log_fd : -1, .events = POLLIN}};
		(void)poll(p, 2, TICK_MS);
		up_launcher_drain_log(u);
		on_signals(u);
		int64_t now_ns = cli_now_ns();
		up_feed_pump(u->feed, &u->run, now_ns);
		up_note_error(&u->run);
		if (up_keys_tick(&u->keys, now_ns))
			up_end_with(u, true, "ended by the key q");
		check_launcher(u, now_ns);
		if (u->run.have_mission)
			up_notify_ready(&u->notify);
		up_notify_alive(&u->notify, now_ns);
		check_end(u, now_ns);
		if (!u->ending)
			show(u, now_ns);
	}
}

static void take_down(struct up *u)
{
	int64_t until_ns = cli_now_ns() + (int64_t)((u->run.cfg.launcher.stop_timeout_s * 16 + 5.0) * 1e9);
	if (u->launcher.pid > 0)
		kill(u->launcher.pid, SIGTERM);
	while (u->launcher.pid > 0 && cli_now_ns() < until_ns) {
		struct pollfd p = {.fd = u->signal_fd, .events = POLLIN};
		(void)poll(&p, 1, TICK_MS);
		up_launcher_drain_log(u);
		on_signals(u);
		up_feed_pump(u->feed, &u->run, cli_now_ns());
	}
	if (u->launcher.pid > 0) {
		kill(u->launcher.pid, SIGKILL);
		up_launcher_forget(u);
	}
	up_launcher_wait_for_orphans(u);
}

/* ---- the end ---- */

static bool write_summary(const struct up *u, const char *path, int64_t end_ns)
{
	FILE *f = fopen(path, "we");
	bool written = f != NULL;
	if (f != NULL) {
		up_summary_json(&u->run, end_ns, f);
		written = ferror(f) == 0;
		written = fclose(f) == 0 && written;
	}
	if (!written)
		cli_fail(u->cli, CLI_FAILED, "%s: %s", path, strerror(errno));
	return written;
}

/* False where the summary is not all where it belongs. */
static bool report(const struct up *u, int64_t end_ns)
{
	char path[300];
	struct cairn_error err = {""};
	snprintf(path, sizeof(path), "%s/summary.json", u->run.run_dir);
	bool written = write_summary(u, path, end_ns);
	snprintf(path, sizeof(path), "%s/state/summary.json", u->run.run_dir); /* goes with the decisions */
	written = write_summary(u, path, end_ns) && written;
	const char *copy = cli_value(u->cli, "summary");
	written = (copy == NULL || write_summary(u, copy, end_ns)) && written;
	up_summary_text(&u->run, end_ns, stdout);
	snprintf(path, sizeof(path), "%s/map.png", u->run.run_dir);
	if (up_picture(&u->run, path, &err))
		printf("map          %s\n", path);
	else
		printf("map          none: %s\n", err.text);
	printf("logs         %s/logs, summary %s/summary.json\n", u->run.run_dir, u->run.run_dir);
	return written;
}

static int catch_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGPIPE); /* nobody reads us any more: end in good order */
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGTSTP, SIG_IGN); /* who watches over a robot that drives is not put to sleep by a Ctrl-Z */
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static bool open_all(struct up *u, struct cairn_error *err)
{
	char path[300];
	snprintf(path, sizeof(path), "%s/logs/launcher.log", u->run.run_dir);
	(void)cairn_logfile_open(&u->log, path, (size_t)(u->run.cfg.launcher.log_file_mb * 1e6));
	u->signal_fd = catch_signals();
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	u->bus = cairn_bus_new(u->run.run_dir, err);
	if (u->bus != NULL)
		u->feed = up_feed_new(u->bus, err);
	return u->feed != NULL;
}

/* A stack that did not end in good order, or not by an operator, leaves its emergency stop to this one. */
static void tell_of_stop(const struct up *u)
{
	struct cairn_estop_latch memory;
	struct cairn_error err;
	(void)cairn_estop_latch_load(u->run.run_dir, &memory, &err);
	if (memory.estop)
		fprintf(stderr,
		    "cairn up: the emergency stop of the run before holds (%s) until 'cairn release'\n",
		    cli_printable(memory.reason));
}

static int drive(struct up *u)
{
	struct cairn_error err = {""};
	bool screen = !u->headless && isatty(STDOUT_FILENO) == 1;
	if (!open_all(u, &err)) {
		cairn_bus_destroy(&u->bus);
		return cli_fail(u->cli, CLI_FAILED, "%s", err.text);
	}
	for (char *line = u->run.warnings, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
		fprintf(stderr, "cairn up: warning: %.*s\n", (int)(end - line), line);
	if (u->run.fallback[0] != '\0')
		fprintf(stderr, "cairn up: data plane %s\n", u->run.fallback);
	if (u->run.said_home[0] != '\0')
		fprintf(stderr, "cairn up: %s\n", u->run.said_home);
	tell_of_stop(u);
	u->keys.fd = -1;
	up_map_init(&u->map);
	if (screen) {
		fputs("\033[?1049h\033[?25l\033[2J", stdout);
		up_keys_open(&u->keys, u->bus);
	}
	if (up_launcher_start(u))
		loop(u);
	int64_t end_ns = cli_now_ns();
	up_mark_end(&u->run, end_ns);
	up_notify_stopping(&u->notify);
	take_down(u);
	if (screen) {
		up_keys_close(&u->keys);
		up_map_close(&u->map);
		fputs("\033[?25h\033[?1049l", stdout);
		fflush(stdout);
	}
	up_feed_destroy(&u->feed);
	cairn_bus_destroy(&u->bus);
	bool written = report(u, end_ns);
	if (u->run.as_asked)
		cairn_estop_latch_end(u->run.run_dir, u->by_operator);
	up_clean(u->run.run_dir);
	cairn_logfile_close(&u->log);
	close(u->signal_fd);
	return written ? up_exit_status(&u->run) : CLI_FAILED;
}

/* Descriptors 0 to 2 are used as what they are, so no file of ours may get one of these numbers. */
static void fill_standard_descriptors(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int cli_up(const struct cli *cli)
{
	static struct up u;
	struct cairn_error err = {""};
	struct up_options options = {.layers = cli_layers(cli),
	    .world = cli_value(cli, "world"),
	    .limit = cli_value(cli, "for"),
	    .goal = cli_value(cli, "goal")};
	int lock_fd, status;
	fill_standard_descriptors();
	if (strlen(cli->run_dir) >= sizeof(u.run.run_dir))
		return cli_fail(
		    cli, CLI_USAGE, "--run: the path is longer than %zu bytes", sizeof(u.run.run_dir) - 1);
	const char *summary = cli_value(cli, "summary");
	if (summary != NULL && !cli_can_write(summary, &err))
		return cli_fail(cli, CLI_USAGE, "--summary: %s", err.text);
	u.cli = cli;
	u.headless = cli_value(cli, "headless") != NULL;
	u.stay = cli_value(cli, "stay") != NULL;
	options.record = cli_value(cli, "record") != NULL;
	options.fresh = cli_value(cli, "fresh") != NULL;
	u.run.state_lock_fd = -1;
	u.run.start_ns = cli_now_ns();
	u.run.first_decision_s = -1.0;
	up_notify_open(&u.notify);
	snprintf(u.run.run_dir, sizeof(u.run.run_dir), "%s", cli->run_dir);
	if (!up_prepare(&u.run, &options, &lock_fd, &status, &err)) {
		if (lock_fd >= 0)
			close(lock_fd);
		return cli_fail(cli, status, "%s", err.text);
	}
	status = drive(&u);
	up_notify_close(&u.notify);
	close(lock_fd);
	return status;
}
