/* up_launcher.c - the launcher below `cairn up`: started, and started again when it dies; what a dead one leaves behind is waited for. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "procs/cairn/up_private.h"
#include "procs/cli/rundir.h"
#include "procs/launcher/environment.h"
#include "procs/launcher/secrets.h"

#define ORPHANS_NS CAIRN_NS_PER_S /* they were told to end, which takes milliseconds; then they are killed */

bool up_launcher_start(struct up *u)
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
		up_end_with(u, false, reason);
		return false;
	}
	u->heard_ns = cli_now_ns();
	up_note_launcher(u->run.run_dir, u->launcher.pid);
	return true;
}

void up_launcher_drain_log(struct up *u)
{
	char buf[4096];
	ssize_t n;
	for (int k = 0; k < 16 && u->launcher.pid > 0 && (n = read(u->launcher.log_fd, buf, sizeof(buf))) > 0;
	     k++)
		cairn_logfile_feed(&u->log, buf, (size_t)n, cli_now_ns());
}

void up_launcher_forget(struct up *u)
{
	up_launcher_drain_log(u);
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

void up_launcher_wait_for_orphans(struct up *u)
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
			up_on_signal(u, info.ssi_signo);
	}
}

/* By the measure of the stages. */
static bool died_too_often(struct up *u, int64_t now_ns)
{
	const struct cairn_config_launcher *cfg = &u->run.cfg.launcher;
	int64_t window_ns = (int64_t)(cfg->deaths_window_s * 1e9);
	int kept = u->deaths < UP_DEATHS_KEPT ? u->deaths + 1 : UP_DEATHS_KEPT, within = 0;
	u->deaths_ns[u->deaths++ % UP_DEATHS_KEPT] = now_ns;
	for (int i = 0; i < kept; i++)
		within += now_ns - u->deaths_ns[i] <= window_ns;
	return within >= cfg->deaths_max;
}

static void on_launcher_exit(struct up *u, int status)
{
	up_launcher_forget(u);
	bool killed = WIFSIGNALED(status);
	if (killed ? WTERMSIG(status) == SIGTERM : WEXITSTATUS(status) == 0) {
		/* cairn down, or our own doing; a SIGTERM kills it only while it is not yet listening. */
		up_end_with(u, true, "taken down");
		return;
	}
	char reason[160];
	if (killed)
		snprintf(reason, sizeof(reason), "the launcher was killed by signal %d", WTERMSIG(status));
	else
		snprintf(reason, sizeof(reason), "the launcher ended with status %d: see logs/launcher.log",
		    WEXITSTATUS(status));
	if (u->ending || (!killed && WEXITSTATUS(status) == 2) || died_too_often(u, cli_now_ns())) {
		up_end_with(u, false, reason);
		return;
	}
	if (u->headless)
		fprintf(stderr, "cairn up: %s; starting it again\n", reason);
	up_fold_launcher(&u->run);
	up_launcher_wait_for_orphans(u);
	up_launcher_start(u);
}

void up_launcher_reap(struct up *u)
{
	int status, pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == u->launcher.pid) {
			on_launcher_exit(u, status);
			return; /* wait_for_orphans has reaped the rest */
		}
	}
}
