/* cmd_up.c - `cairn up`: prepares a run, starts the launcher, shows what happens, sums it up.
 *
 * It is the parent of everything. The launcher runs below it and is started again if it dies; whatever a dead
 * launcher leaves behind becomes our child (PR_SET_CHILD_SUBREAPER) and is waited for, so nothing outlives
 * us. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/vlm/profile.h"
#include "procs/cairn/commands.h"
#include "procs/cli/rundir.h"
#include "procs/cairn/up.h"
#include "procs/cairn/up_keys.h"
#include "procs/cairn/up_map.h"
#include "procs/cairn/up_notify.h"
#include "procs/cairn/web_url.h"
#include "procs/launcher/environment.h"
#include "procs/launcher/secrets.h"
#include "procs/launcher/logfile.h"
#include "procs/launcher/spawn.h"
#include "common/safety/estop_latch.h"

#define TICK_MS 50
#define DRAW_NS (CAIRN_NS_PER_S / 4)
#define LINE_NS (10 * CAIRN_NS_PER_S)
#define DEATHS_KEPT 64   /* of the launcher */
#define START_STAGES 3.0 /* one after the other they may need so long */
#define OVERTIME_S 15.0  /* past --for, for the rest of the way home */
#define ORPHANS_NS                                                                                           \
	CAIRN_NS_PER_S /* they were told to end, which takes milliseconds; then they are killed              \
			*/
#define LAUNCHER_SILENT_NS (10 * CAIRN_NS_PER_S) /* it reports twice a second; then it hangs */

struct up {
	struct up_run run;
	const struct cli *cli;
	struct cairn_bus *bus;
	struct up_feed *feed;
	struct cairn_child launcher;      /* pid 0 = none */
	int64_t heard_ns, heard_stamp_ns; /* when the launcher's newest report came, and its stamp */
	int64_t loop_ns;
	struct up_notify notify;
	struct up_keys keys; /* of the table */
	struct up_map map;
	struct cairn_logfile log;
	int signal_fd, deaths;
	int64_t deaths_ns[DEATHS_KEPT];
	int64_t draw_due_ns, line_due_ns;
	bool headless, stay, ending;
	int interrupts;
	bool by_operator; /* one of them was a Ctrl-C */
};

static void end_with(struct up *u, bool as_asked, const char *reason)
{
	if (u->ending)
		return;
	snprintf(u->run.end_reason, sizeof(u->run.end_reason), "%s", reason);
	u->run.as_asked = as_asked;
	u->ending = true;
}

static void on_signal(struct up *u, uint32_t signo)
{
	u->interrupts += signo != SIGCHLD;
	u->by_operator |= signo == SIGINT;
}

/* ---- the launcher ---- */

static bool start_launcher(struct up *u)
{
	char dir[4096], path[4200], run[300];
	if (!cairn_program_dir(dir, sizeof(dir)))
		return false;
	snprintf(path, sizeof(path), "%s/cairn-launcher", dir);
	snprintf(run, sizeof(run), "%s", u->run.run_dir);
	const char *const argv[] = {path, "--run", run, "--stage", "launcher", "--ready-fd", "3", NULL};
	/* The launcher gives on what its stages need, and gets no more than that. */
	const char *keys[CAIRN_SECRETS_MAX + 1];
	char *env[CAIRN_ENVIRONMENT_MAX + 1];
	struct cairn_secrets secrets;
	cairn_secrets_of(&u->run.cfg, &secrets);
	cairn_secrets_names(&secrets, keys);
	(void)cairn_environment_for("gateway", environ, keys, env);
	int r = cairn_spawn(&u->launcher, argv, env, NULL, SIGTERM, true);
	if (r < 0) {
		u->launcher = (struct cairn_child){0};
		char reason[160];
		snprintf(reason, sizeof(reason), "cannot start the launcher: %s", strerror(-r));
		end_with(u, false, reason);
		return false;
	}
	u->heard_ns = cli_now_ns();
	up_note_launcher(u->run.run_dir, u->launcher.pid);
	return true;
}

static void drain_launcher_log(struct up *u)
{
	char buf[4096];
	ssize_t n;
	for (int k = 0; k < 16 && u->launcher.pid > 0 && (n = read(u->launcher.log_fd, buf, sizeof(buf))) > 0;
	     k++)
		cairn_logfile_feed(&u->log, buf, (size_t)n, cli_now_ns());
}

static void forget_launcher(struct up *u)
{
	drain_launcher_log(u);
	close(u->launcher.log_fd);
	close(u->launcher.ready_fd);
	u->launcher = (struct cairn_child){0};
}

static int parent_of(int pid)
{
	char path[64], text[512];
	int parent = 0;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *f = fopen(path, "re");
	size_t n = f != NULL ? fread(text, 1, sizeof(text) - 1, f) : 0;
	if (f != NULL)
		fclose(f);
	text[n] = '\0';
	const char *at = strrchr(text, ')'); /* the name before it may hold anything */
	return at != NULL && sscanf(at + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* Kills what is left of our descendants; they are all ours to kill. */
static void kill_children(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	while (proc != NULL && (entry = readdir(proc)) != NULL) {
		int pid = atoi(entry->d_name);
		if (pid > 0 && parent_of(pid) == getpid())
			kill(pid, SIGKILL);
	}
	if (proc != NULL)
		closedir(proc);
}

/* Waits for orphans of a dead launcher. They got SIGTERM when it died. */
static void wait_for_orphans(struct up *u)
{
	int64_t until_ns = cli_now_ns() + ORPHANS_NS;
	struct pollfd p = {.fd = u->signal_fd, .events = POLLIN};
	for (;;) {
		int pid;
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			return; /* ECHILD: nobody left */
		if (cli_now_ns() >= until_ns)
			kill_children();
		(void)poll(&p, 1, 20);
		struct signalfd_siginfo info;
		while (read(u->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
			on_signal(u, info.ssi_signo);
	}
}

/* By the measure of the stages. */
static bool died_too_often(struct up *u, int64_t now_ns)
{
	const struct cairn_config_launcher *cfg = &u->run.cfg.launcher;
	int64_t window_ns = (int64_t)(cfg->deaths_window_s * 1e9);
	int kept = u->deaths < DEATHS_KEPT ? u->deaths + 1 : DEATHS_KEPT, within = 0;
	u->deaths_ns[u->deaths++ % DEATHS_KEPT] = now_ns;
	for (int i = 0; i < kept; i++)
		within += now_ns - u->deaths_ns[i] <= window_ns;
	return within >= cfg->deaths_max;
}

static void on_launcher_exit(struct up *u, int status)
{
	forget_launcher(u);
	bool killed = WIFSIGNALED(status);
	if (killed ? WTERMSIG(status) == SIGTERM : WEXITSTATUS(status) == 0) {
		/* cairn down, or our own doing; a SIGTERM kills it only while it is not yet listening. */
		end_with(u, true, "taken down");
		return;
	}
	char reason[160];
	if (killed)
		snprintf(reason, sizeof(reason), "the launcher was killed by signal %d", WTERMSIG(status));
	else
		snprintf(reason, sizeof(reason), "the launcher ended with status %d: see logs/launcher.log",
		    WEXITSTATUS(status));
	if (u->ending || (!killed && WEXITSTATUS(status) == 2) || died_too_often(u, cli_now_ns())) {
		end_with(u, false, reason);
		return;
	}
	if (u->headless)
		fprintf(stderr, "cairn up: %s; starting it again\n", reason);
	up_fold_launcher(&u->run);
	wait_for_orphans(u);
	start_launcher(u);
}

static void reap(struct up *u)
{
	int status, pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == u->launcher.pid) {
			on_launcher_exit(u, status);
			return; /* wait_for_orphans has reaped the rest */
		}
	}
}

/* ---- the loop ---- */

static void on_signals(struct up *u)
{
	struct signalfd_siginfo info;
	bool child = false;
	while (read(u->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		on_signal(u, info.ssi_signo);
		child |= info.ssi_signo == SIGCHLD;
	}
	if (child)
		reap(u);
	if (u->interrupts > 0)
		end_with(u, true, "interrupted");
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
		end_with(u,
		    strcmp(run->mission.reason, "home_unreachable") != 0 &&
			strcmp(run->mission.reason, "stage_failed") != 0,
		    run->mission.reason);
	if (limit_s > 0.0 && t_s > limit_s + OVERTIME_S && !u->stay)
		end_with(u, run->have_mission,
		    run->have_mission ? "time_up: still on the way home"
				      : "time_up: the stack did not come up");
	if (!run->have_mission && t_s > start_s) {
		char reason[sizeof(u->run.end_reason)];
		const char *note = plane_note(run);
		snprintf(reason, sizeof(reason), "the stack did not come up: %s",
		    note[0] != '\0' ? note : "see the logs");
		end_with(u, false, reason);
	}
	if (!run->have_stages)
		return;
	for (uint32_t i = 0; i < run->stages.items_count && t_s < start_s; i++) {
		const struct cairn_msg_stage *st = &run->stages.items[i];
		if (st->state == CAIRN_STAGE_STATE_FAILED && !run->have_mission) {
			char reason[sizeof(u->run.end_reason)];
			snprintf(reason, sizeof(reason), "%s does not come up: %s", st->name, st->note);
			end_with(u, false, reason);
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
		drain_launcher_log(u);
		on_signals(u);
		int64_t now_ns = cli_now_ns();
		up_feed_pump(u->feed, &u->run, now_ns);
		up_note_error(&u->run);
		if (up_keys_tick(&u->keys, now_ns))
			end_with(u, true, "ended by the key q");
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
		drain_launcher_log(u);
		on_signals(u);
		up_feed_pump(u->feed, &u->run, cli_now_ns());
	}
	if (u->launcher.pid > 0) {
		kill(u->launcher.pid, SIGKILL);
		forget_launcher(u);
	}
	wait_for_orphans(u);
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
	if (start_launcher(u))
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
