#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/secret.h"
#include "procs/launcher/environment.h"
#include "procs/launcher/launcher.h"
#include "procs/launcher/placement.h"
#include "procs/launcher/spawn.h"

void launcher_close_io(struct launcher *l, int i)
{
	struct child_io *io = &l->io[i];
	if (io->log_fd >= 0) {
		cairn_stage_unwatch_fd(l->stage, io->log_fd);
		close(io->log_fd);
	}
	if (io->ready_fd >= 0) {
		cairn_stage_unwatch_fd(l->stage, io->ready_fd);
		close(io->ready_fd);
	}
	io->log_fd = io->ready_fd = -1;
}

void launcher_drain_log(struct launcher *l, int i)
{
	char buf[4096];
	ssize_t n;
	/* At most what a pipe holds: a stage that floods must not keep the launcher from its work. */
	for (int k = 0; k < 16 && l->io[i].log_fd >= 0 && (n = read(l->io[i].log_fd, buf, sizeof(buf))) > 0;
	     k++) {
		cairn_logfile_feed(&l->io[i].log, buf, (size_t)n, cairn_now_ns());
		cairn_last_words_feed(&l->io[i].words, buf, (size_t)n);
	}
}

static void check_ready(struct launcher *l, int i)
{
	char c = 0;
	struct child_io *io = &l->io[i];
	if (io->ready_fd < 0 || read(io->ready_fd, &c, 1) < 0)
		return;
	/* A newline, or the end of a process that never said it: the latter is seen when it is reaped. */
	cairn_stage_unwatch_fd(l->stage, io->ready_fd);
	close(io->ready_fd);
	io->ready_fd = -1;
	if (c == '\n') {
		cairn_sup_ready(&l->sup, i, cairn_now_ns());
		cairn_log_info("%s is up", l->sup.stages[i].row.name);
		launcher_on_report(l); /* those who wait for it should not wait for the next period */
	}
}

int launcher_on_output(void *ctx)
{
	struct launcher *l = ctx;
	for (int i = 0; i < l->sup.count; i++) {
		launcher_drain_log(l, i);
		check_ready(l, i);
	}
	return 0;
}

/* Without the privilege the stage runs like any other, and that is said once. */
static void place(struct launcher *l, int i, int pid)
{
	const char *name = l->sup.stages[i].row.name;
	struct cairn_placement placement = cairn_placement_of(&l->cfg->launcher, name);
	int r = cairn_placement_apply(&placement, pid);
	if (r < 0 && !l->io[i].told_placement)
		cairn_log_warn("%s runs without what launcher.fifo and launcher.affinity ask for: %s", name,
		    strerror(-r));
	l->io[i].told_placement = r < 0;
}

void launcher_take_keys(struct launcher *l)
{
	cairn_secrets_of(l->cfg, &l->secrets);
	for (uint32_t i = 0; i < l->secrets.count; i++) {
		const char *name = l->secrets.items[i].name, *value = getenv(name);
		if (value == NULL)
			continue;
		if (asprintf(&l->keys[i], "%s=%s", name, value) < 0)
			l->keys[i] = NULL; /* the stage will miss it and say so */
		cairn_secret_guard();
	}
	for (uint32_t i = 0; i < l->secrets.count; i++) /* two stages may have the same */
		cairn_secret_wipe(l->secrets.items[i].name);
	cairn_environment_wipe_others("gateway", NULL); /* it is handed on from here */
}

/* What a stage is given, its own secrets with it. */
static void make_environment(
    const struct launcher *l, const char *stage, char *env[CAIRN_ENVIRONMENT_MAX + 1])
{
	size_t n = cairn_environment_for(stage, environ, NULL, env);
	for (uint32_t i = 0; i < l->secrets.count && n < CAIRN_ENVIRONMENT_MAX; i++) {
		if (l->keys[i] != NULL && strcmp(l->secrets.items[i].stage, stage) == 0)
			env[n++] = l->keys[i];
	}
	env[n] = NULL;
}

void launcher_start_stage(struct launcher *l, int i)
{
	struct cairn_sup_stage *st = &l->sup.stages[i];
	char path[4200], run[300], name[40];
	snprintf(path, sizeof(path), "%s/%s", l->program_dir, st->row.program);
	snprintf(run, sizeof(run), "%s", l->run_dir);
	snprintf(name, sizeof(name), "%s", st->row.name);
	const char *const argv[] = {path, "--run", run, "--stage", name, "--ready-fd", "3", NULL};
	struct cairn_child child;
	char *env[CAIRN_ENVIRONMENT_MAX + 1];
	make_environment(l, name, env);
	int r = cairn_spawn(&child, argv, env, st->row.plane_user ? &l->plane.ns : NULL, SIGTERM, true);
	cairn_sup_started(&l->sup, i, r < 0 ? r : child.pid, cairn_now_ns());
	if (r < 0) {
		cairn_log_error("cannot start %s: %s", path, strerror(-r));
		return;
	}
	place(l, i, child.pid);
	struct child_io *io = &l->io[i];
	io->log_fd = child.log_fd;
	io->ready_fd = child.ready_fd;
	io->cpu_mark_s = 0.0;
	io->beat_ns = 0;
	io->turn_ms = io->late_ms = io->late_p99_ms = 0.0;
	io->overruns = io->frames_lost = 0;
	io->trouble[0] = io->note[0] = '\0';
	io->words = (struct cairn_last_words){.len = 0};
	cairn_stage_watch_fd(l->stage, io->log_fd, POLLIN, launcher_on_output, l);
	cairn_stage_watch_fd(l->stage, io->ready_fd, POLLIN, launcher_on_output, l);
}
